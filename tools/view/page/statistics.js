/* statistics.js - calls and times of each path and each function in a range of time.
   Total and self count the part of a call inside the range. Calls, average, min and max count the
   calls that begin in the range. A run that is inside the range is exact except for its min and max.
   A run that the range cuts counts by the share that is inside. */

class Statistics {
	constructor(trace) {
		const nodes = trace.nodeCount;
		this.trace = trace;
		this.calls = new Float64Array(nodes);
		this.total = new Float64Array(nodes);
		this.sum = new Float64Array(nodes);
		this.min = new Float64Array(nodes).fill(Infinity);
		this.max = new Float64Array(nodes);
		this.cut = new Uint8Array(nodes);	/* 1: has shares of runs that the range cuts */
		this.minNear = new Uint8Array(nodes);	/* 1: the minimum, or the maximum, is a rounded value of a run */
		this.maxNear = new Uint8Array(nodes);
		this.exact = true;
		this.hasRuns = false;
	}

	addCall(data, i, begin, end) {
		const node = data.node[i], from = data.begin[i], to = data.end[i];
		if (to > begin && from < end)
			this.total[node] += Math.min(to, end) - Math.max(from, begin);
		if (from < begin || from >= end)
			return;
		if (!(data.flags[i] & FLAG_RESUMED))
			this.calls[node]++;
		if (data.flags[i] & FLAG_ROOT)
			return;
		this.sum[node] += to - from;
		this.extremes(node, to - from, to - from, 0);
	}

	extremes(node, least, most, near) {
		if (least < this.min[node]) {
			this.min[node] = least;
			this.minNear[node] = near;
		}
		if (most > this.max[node]) {
			this.max[node] = most;
			this.maxNear[node] = near;
		}
	}

	addRun(data, i, begin, end) {
		const from = data.begin[i], to = data.end[i], length = to - from;
		const inside = Math.min(to, end) - Math.max(from, begin);
		const whole = from >= begin && to <= end && from < end;
		if (!whole && inside <= 0)
			return;
		const share = whole ? 1 : inside / length;
		for (let at = data.first[i]; at < data.first[i + 1]; at++) {
			const node = data.entryNode[at], calls = data.entryCalls[at];
			this.calls[node] += calls * share;
			this.total[node] += data.entryTotal[at] * share;
			this.sum[node] += data.entryTotal[at] * share;
			if (calls === 1) {
				this.extremes(node, data.entryTotal[at], data.entryTotal[at], 0);
			} else if (calls > 1) {
				this.extremes(node, logRange(data.entryLeast[at])[0], logRange(data.entryMost[at])[1], 1);
				this.hasRuns = true;
			}
			if (!whole)
				this.cut[node] = 1;
		}
		this.exact = this.exact && whole;
	}

	/* Adds the entries of the summary of a chunk that is inside the range. */
	addSummary({ data, from, to }) {
		for (let at = from; at < to; at++) {
			const node = data.node[at];
			this.calls[node] += data.calls[at];
			this.total[node] += data.total[at];
			this.sum[node] += data.sum[at];
			if (data.timed[at] <= 0)
				continue;
			if (data.min[at] < this.min[node]) {
				this.min[node] = data.min[at];
				this.minNear[node] = data.minNear[at];
			}
			if (data.max[at] > this.max[node]) {
				this.max[node] = data.max[at];
				this.maxNear[node] = data.maxNear[at];
			}
			this.hasRuns = this.hasRuns || data.minNear[at] + data.maxNear[at] > 0;
		}
	}

	add(data, begin, end) {
		for (let i = 0; i < data.count; i++) {
			if (data.kind === KIND_RUNS)
				this.addRun(data, i, begin, end);
			else
				this.addCall(data, i, begin, end);
		}
	}

	/* Returns the self time of each path. */
	selfTimes() {
		const { trace, total } = this, self = Float64Array.from(total);
		for (let node = 2; node < trace.nodeCount; node++)
			if (trace.parent[node] > NODE_MARKS)
				self[trace.parent[node]] -= total[node];
		for (let node = 2; node < trace.nodeCount; node++)
			self[node] = Math.max(0, self[node]);
		return self;
	}

	/* Returns which self times are estimates: self times of a path with a cut run, or whose callee has one. */
	selfCut() {
		const cut = Uint8Array.from(this.cut);
		for (let node = 2; node < this.trace.nodeCount; node++)
			if (this.cut[node] && this.trace.parent[node] > NODE_MARKS)
				cut[this.trace.parent[node]] = 1;
		return cut;
	}

	/* Returns a row for each function with calls or time. */
	rows() {
		const { trace } = this, self = this.selfTimes(), selfCut = this.selfCut(), rows = [];
		for (let node = 2; node < trace.nodeCount; node++) {
			if (trace.isMark(node) || !(this.calls[node] || this.total[node]))
				continue;
			const name = trace.name[node];
			const row = rows[name] = rows[name] || { fn: trace.functions[name], calls: 0, total: 0, self: 0, sum: 0, min: Infinity,
				max: 0, p50: null, p99: null, cut: false, selfCut: false, minNear: false, maxNear: false };
			row.calls += this.calls[node];
			row.total += trace.outermost[node] ? this.total[node] : 0;
			row.self += self[node];
			row.sum += this.sum[node];
			if (this.min[node] < row.min)
				[row.min, row.minNear] = [this.min[node], this.minNear[node] === 1];
			if (this.max[node] > row.max)
				[row.max, row.maxNear] = [this.max[node], this.maxNear[node] === 1];
			row.cut = row.cut || this.cut[node] === 1;
			row.selfCut = row.selfCut || selfCut[node] === 1;
		}
		return rows.filter((row) => row).map(finishRow);
	}

	/* Returns the marks with their counts. */
	marks() {
		const list = [];
		for (let node = 2; node < this.trace.nodeCount; node++)
			if (this.trace.isMark(node) && this.calls[node])
				list.push([node, this.calls[node]]);
		return list;
	}
}

/* Completes a row. A function without timed calls has no average. */
function finishRow(row) {
	row.timed = row.sum > 0 || row.min < Infinity;
	row.min = row.min < Infinity ? row.min : 0;
	row.avg = row.calls && row.timed ? Math.floor(row.sum / row.calls) : 0;
	return row;
}

/* Returns the statistics of the whole trace, with the values of spoor report. */
function wholeStatistics(trace) {
	const all = new Statistics(trace);
	all.calls = trace.nodeCalls;
	all.total = trace.nodeTotal;
	all.whole = true;
	all.rows = () => trace.functions.slice(1).map((fn) => {
		const row = finishRow({ fn, calls: fn.calls, total: fn.total, self: fn.self, sum: fn.sum,
			min: fn.calls ? fn.min : Infinity, max: fn.max, p50: fn.p50, p99: fn.p99, cut: false, selfCut: false, minNear: false, maxNear: false });
		row.calls += fn.counted;
		return row;
	});
	return all;
}

/* Returns the statistics of a range, of one thread or of all (null). Returns null once @stop returns true. */
async function rangeStatistics(trace, begin, end, thread, stop, progress) {
	if (thread === null && begin <= 0 && end >= trace.span)
		return wholeStatistics(trace);
	const statistics = new Statistics(trace);
	/* The whole trace includes items that begin at its end. */
	const last = end >= trace.span ? Infinity : end, { inside, edges } = chunksOf(trace, thread, begin, last);
	const share = edges.length / (edges.length + inside.length / SUMMARY_CHUNKS);
	const complete = await forEachLoaded(edges, (chunk) => trace.load(chunk), (data) => statistics.add(data, begin, last), stop, (done) => progress(share * done)) &&
		await forEachSummary(trace, inside, (summary) => statistics.addSummary(summary), stop,
			(done) => progress(share + (1 - share) * done));
	return complete ? statistics : null;
}
