/* summaries.js - the sums of each chunk: how many calls of which path it has, and how long they took. So the page decodes
   only the chunks at the edges of a range. chunks.h describes the format. */
const KIND_SUMMARY = 57, SUMMARY_CHUNKS = 64;

/* Decodes the summaries of up to 64 chunks. The entries of chunk i are those from first[i] to first[i + 1]. */
function decodeSummaries(chunk, columns) {
	const counts = readNumbers(columns[0], chunk.items, new Uint32Array(chunk.items)), ofRuns = chunk.kind === KIND_SUMMARY + KIND_RUNS;
	const first = new Uint32Array(chunk.items + 1);
	for (let i = 0; i < chunk.items; i++)
		first[i + 1] = first[i] + counts[i];
	const entries = first[chunk.items], numbers = (column) => readNumbers(columns[column], entries, new Float64Array(entries));
	const data = { count: chunk.items, kind: chunk.kind, first, node: new Uint32Array(entries) };
	for (let i = 0; i < chunk.items; i++)
		readSums(columns[1], counts[i], data.node.subarray(first[i], first[i + 1]));
	data.items = numbers(2);	/* of runs: their calls */
	data.total = numbers(3);
	data.min = numbers(4);
	data.max = numbers(5);
	data.minNear = new Uint8Array(entries);
	data.maxNear = new Uint8Array(entries);
	for (let i = 0; i < entries; i++) {
		data.max[i] += data.min[i];
		if (!ofRuns)
			continue;
		/* The lowest bits say that the values are those of runs, and rounded. */
		data.minNear[i] = data.min[i] % 2;
		data.maxNear[i] = data.max[i] % 2;
		data.min[i] = Math.floor(data.min[i] / 2);
		data.max[i] = Math.floor(data.max[i] / 2);
	}
	data.calls = Float64Array.from(data.items);
	data.timed = Float64Array.from(data.items);	/* calls with a duration: not the roots */
	data.sum = Float64Array.from(data.total);
	const rest = columns[6], end = rest.at + columns[6].length;
	for (let at = 0; rest.at < end;) {
		at += rest.number();
		data.calls[at] -= rest.number();
		data.timed[at] -= rest.number();
		data.sum[at] -= rest.number();
	}
	return data;
}

/* Returns the group of summaries of a chunk: the chunk that has them. */
function summaryChunk(trace, chunk) {
	return trace.summaries[chunk.thread][chunk.kind][Math.floor(chunk.ordinal / SUMMARY_CHUNKS)];
}

/* Calls @step with the summary of each chunk: the decoded group, and the range of the entries of this chunk. Loads many
   groups at a time, because a server takes some milliseconds for each request. */
function forEachSummary(trace, chunks, step, stop, progress) {
	const groups = new Map();
	for (const chunk of chunks) {
		const group = summaryChunk(trace, chunk);
		if (groups.has(group))
			groups.get(group).push(chunk);
		else
			groups.set(group, [chunk]);
	}
	return forEachLoaded(Array.from(groups), ([group]) => trace.load(group), (data, [, members]) => {
		for (const chunk of members) {
			const at = chunk.ordinal % SUMMARY_CHUNKS;
			step({ data, from: data.first[at], to: data.first[at + 1] }, chunk);
		}
	}, stop, progress, 64);
}

/* Returns the chunks of single calls and runs of a selection. inside: all items of the chunk begin and end in the selection.
   edges: the other chunks. @end: Infinity for the end of the trace. */
function chunksOf(trace, thread, begin, end) {
	const inside = [], edges = [];
	for (const chunk of trace.chunks)
		if (chunk.kind <= KIND_RUNS && (thread === null || chunk.thread === thread) && chunk.begin <= end && chunk.end >= begin)
			(chunk.begin >= begin && chunk.end < end ? inside : edges).push(chunk);
	return { inside, edges };
}

/* Calls @step for each of @list in turn, and loads the next ones meanwhile. Shows the progress, and gives the page time to
   draw. Returns false if @stop returned true. */
async function forEachLoaded(list, load, step, stop, progress, ahead = 16) {
	const loads = [], start = (at) => {
		if (at < list.length) {
			loads[at] = load(list[at]);
			loads[at].catch(() => {});	/* the await below reports the error */
		}
	};
	let drawn = performance.now();
	for (let at = 0; at < ahead; at++)
		start(at);
	for (let at = 0; at < list.length; at++) {
		const loaded = await loads[at];
		loads[at] = null;
		start(at + ahead);
		if (stop())
			return false;
		step(loaded, list[at]);
		if (performance.now() - drawn > 12) {
			progress((at + 1) / list.length);
			await new Promise((resolve) => setTimeout(resolve));
			drawn = performance.now();
		}
	}
	return !stop();
}
