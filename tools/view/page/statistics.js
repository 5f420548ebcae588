/* statistics.js - calls and times of each path and each function in a range of time.
   What is cut is calls in it: total and self are the part that is in the range; calls,
   average, least and most are of the calls that begin in it. A run that lies in the range
   as a whole is exact but for its least and most; of one that is cut its share is taken. */

class Statistics {
	constructor(trace) {
		const nodes = trace.nodeCount;
		this.trace = trace;
		this.calls = new Float64Array(nodes);
		this.total = new Float64Array(nodes);
		this.sum = new Float64Array(nodes);
		this.min = new Float64Array(nodes).fill(Infinity);
		this.max = new Float64Array(nodes);
		this.cut = new Uint8Array(nodes);	/* shares of runs are in it */
		this.minNear = new Uint8Array(nodes);	/* the least, or the most, is of a run, which rounds it */
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

	add(data, begin, end) {
		for (let i = 0; i < data.count; i++) {
			if (data.kind === KIND_RUNS)
				this.addRun(data, i, begin, end);
			else
				this.addCall(data, i, begin, end);
		}
	}

	/* By path, without what it called. */
	selfTimes() {
		const { trace, total } = this, self = Float64Array.from(total);
		for (let node = 2; node < trace.nodeCount; node++)
			if (trace.parent[node] > NODE_MARKS)
				self[trace.parent[node]] -= total[node];
		for (let node = 2; node < trace.nodeCount; node++)
			self[node] = Math.max(0, self[node]);
		return self;
	}

	/* Own time is an estimate also where what is called is one. */
	selfCut() {
		const cut = Uint8Array.from(this.cut);
		for (let node = 2; node < this.trace.nodeCount; node++)
			if (this.cut[node] && this.trace.parent[node] > NODE_MARKS)
				cut[this.trace.parent[node]] = 1;
		return cut;
	}

	/* A row for each function that was there. */
	rows() {
		const { trace } = this, self = this.selfTimes(), selfCut = this.selfCut(), rows = [];
		for (let node = 2; node < trace.nodeCount; node++) {
			if (trace.isMark(node) || !(this.calls[node] || this.total[node]))
				continue;
			const name = trace.name[node];
			const row = rows[name] = rows[name] || { fn: trace.functions[name], calls: 0, total: 0, self: 0, sum: 0, min: Infinity,
				max: 0, cut: false, selfCut: false, minNear: false, maxNear: false };
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

	/* Marks of each kind, with their counts. */
	marks() {
		const list = [];
		for (let node = 2; node < this.trace.nodeCount; node++)
			if (this.trace.isMark(node) && this.calls[node])
				list.push([node, this.calls[node]]);
		return list;
	}
}

/* What has no calls of its own has no average. */
function finishRow(row) {
	row.timed = row.sum > 0 || row.min < Infinity;
	row.min = row.min < Infinity ? row.min : 0;
	row.avg = row.calls && row.timed ? Math.floor(row.sum / row.calls) : 0;
	return row;
}

/* All of the trace, as spoor report has it. */
function wholeStatistics(trace) {
	const all = new Statistics(trace);
	all.calls = trace.nodeCalls;
	all.total = trace.nodeTotal;
	all.whole = true;
	all.rows = () => trace.functions.slice(1).map((fn) => {
		const row = finishRow({ fn, calls: fn.calls, total: fn.total, self: fn.self, sum: fn.sum,
			min: fn.calls ? fn.min : Infinity, max: fn.max, cut: false, selfCut: false, minNear: false, maxNear: false });
		row.calls += fn.counted;
		return row;
	});
	return all;
}

/* Of a range and one thread or all of them (null). Null where @stop says so before the end. */
async function rangeStatistics(trace, begin, end, thread, stop, progress) {
	if (thread === null && begin <= 0 && end >= trace.span)
		return wholeStatistics(trace);
	const statistics = new Statistics(trace);
	/* What begins with the last moment is in the whole. */
	const last = end >= trace.span ? Infinity : end;
	let drawn = performance.now();
	for await (const [, data, done] of trace.items(thread, begin, end, stop)) {
		statistics.add(data, begin, last);
		if (performance.now() - drawn > 12) {
			progress(done);
			await new Promise((resolve) => setTimeout(resolve));
			drawn = performance.now();
		}
		if (stop())
			return null;
	}
	return stop() ? null : statistics;
}
