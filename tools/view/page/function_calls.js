/* function_calls.js - the percentiles and the slowest calls of one function in a selection. The chunks have calls by
   classes of duration, and their summaries have counts: so only a few chunks are decoded. */
const PERCENTILES = [50, 90, 99], SLOWEST = 10;

/* Returns the class of a duration: the kind of the chunks that have such calls. */
function classOf(ns) {
	return ns < 64 ? 0 : Math.floor((Math.floor(Math.log2(ns)) - 6) / 2) + 1;
}

class FunctionCalls {
	/* @end: Infinity for the end of the trace. */
	constructor(app, name, begin, end, thread, stop, progress) {
		Object.assign(this, { app, name, begin, end, thread, stop, progress, trace: app.trace });
		this.weights = new Float64Array(KIND_RUNS);	/* calls by class */
		this.edgeCalls = [];	/* [duration, thread, data, i] of calls in chunks that the selection cuts */
		this.runs = [];		/* [average duration, calls] of the entries of runs */
		this.near = false;	/* durations of runs are estimated */
	}

	/* Returns { count, percentiles, slowest, near }, or null once stop() returns true. */
	async measure() {
		const { inside, edges } = chunksOf(this.trace, this.thread, this.begin, this.end), { stop } = this;
		const single = inside.filter((chunk) => chunk.kind < KIND_RUNS), runs = inside.filter((chunk) => chunk.kind === KIND_RUNS);
		const quiet = () => {};
		this.found = [];	/* { chunk, calls, max } of the chunks with calls of the function */
		const complete = await forEachSummary(this.trace, single, (summary, chunk) => this.addSummary(summary, chunk), stop, quiet) &&
			await forEachLoaded(edges.concat(runs), (chunk) => this.trace.load(chunk), (data, chunk) => this.addItems(data, chunk), stop, this.progress);
		if (!complete)
			return null;
		const count = this.weights.reduce((sum, weight) => sum + weight, 0), percentiles = [];
		for (const percent of count ? PERCENTILES : []) {
			const value = await this.ranked(count - Math.floor(count * (100 - percent) / 100));
			if (value === null)
				return null;
			percentiles.push([percent, value]);
		}
		const slowest = count ? await this.slowest() : [];
		return slowest && { count, percentiles, slowest, near: this.near };
	}

	isOf(node) {
		return this.trace.name[node] === this.name && !this.trace.isMark(node);
	}

	addSummary({ data, from, to }, chunk) {
		let calls = 0, max = 0;
		for (let at = from; at < to; at++) {
			if (!this.isOf(data.node[at]) || !data.timed[at])
				continue;
			calls += data.timed[at];
			max = Math.max(max, data.max[at]);
		}
		this.weights[chunk.kind] += calls;
		if (calls)
			this.found.push({ chunk, calls, max });
	}

	addItems(data, chunk) {
		for (let i = 0; i < data.count; i++) {
			if (data.kind === KIND_RUNS)
				this.addRun(data, i);
			else if (this.isTimed(data, i))
				this.addCall(data.end[i] - data.begin[i], chunk.thread, data, i);
		}
	}

	/* Tells if an item is a call of the function that begins in the selection and has a duration. */
	isTimed(data, i) {
		return this.isOf(data.node[i]) && data.begin[i] >= this.begin && data.begin[i] < this.end && !(data.flags[i] & FLAG_ROOT);
	}

	addCall(ns, thread, data, i) {
		this.edgeCalls.push([ns, thread, data, i]);
		this.weights[classOf(ns)]++;
	}

	addRun(data, i) {
		if (data.end[i] <= this.begin || data.begin[i] >= this.end)
			return;
		for (let at = data.first[i]; at < data.first[i + 1]; at++) {
			const calls = data.entryCalls[at];
			if (!this.isOf(data.entryNode[at]) || !calls)
				continue;
			const ns = Math.round(data.entryTotal[at] / calls);
			this.runs.push([ns, calls]);
			this.weights[classOf(ns)] += calls;
			this.near = this.near || calls > 1 || data.begin[i] < this.begin || data.end[i] > this.end;
		}
	}

	/* Returns the duration with this rank, from 1. */
	async ranked(rank) {
		let kind = 0;
		while (kind < KIND_RUNS - 1 && rank > this.weights[kind])
			rank -= this.weights[kind++];
		const durations = await this.durationsOf(kind);
		if (!durations)
			return null;
		durations.sort((a, b) => a[0] - b[0]);
		for (const [ns, calls] of durations) {
			rank -= calls;
			if (rank <= 0)
				return ns;
		}
		return durations.length ? durations[durations.length - 1][0] : 0;
	}

	/* Returns [duration, number] of the calls of a class. */
	async durationsOf(kind) {
		if (this.latestKind === kind)
			return this.latest;
		const list = this.edgeCalls.filter(([ns]) => classOf(ns) === kind).map(([ns]) => [ns, 1]).concat(this.runs.filter(([ns]) => classOf(ns) === kind));
		const chunks = this.found.filter(({ chunk }) => chunk.kind === kind).map(({ chunk }) => chunk);
		const complete = await forEachLoaded(chunks, (chunk) => this.trace.load(chunk), (data) => {
			for (let i = 0; i < data.count; i++)
				if (this.isTimed(data, i))
					list.push([data.end[i] - data.begin[i], 1]);
		}, this.stop, this.progress);
		if (!complete)
			return null;
		this.latestKind = kind;
		return this.latest = list;
	}

	/* Returns the longest calls, the longest one first. */
	async slowest() {
		let best = [];
		const shorten = () => { best = best.sort((a, b) => b[0] - a[0]).slice(0, SLOWEST); };
		for (const call of this.edgeCalls)
			best.push(call);
		shorten();
		for (const { chunk, max } of this.found.sort((a, b) => b.max - a.max)) {
			if (best.length === SLOWEST && max <= best[SLOWEST - 1][0])
				break;
			const data = await this.trace.load(chunk);
			if (this.stop())
				return null;
			for (let i = 0; i < data.count; i++)
				if (this.isTimed(data, i))
					best.push([data.end[i] - data.begin[i], chunk.thread, data, i]);
			shorten();
		}
		return best.map(([, thread, data, i]) => this.app.item(thread, data, i));
	}
}
