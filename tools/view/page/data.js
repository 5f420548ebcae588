/* data.js - the trace. The page decodes chunks when it needs them, and drops the oldest ones when the
   cache is full. chunks.h describes their format. */
const KIND_RUNS = 32, KIND_LEVEL = 33;
const NODE_MARKS = 1;
const END_NAMES = ["", "tail call", "unwound by an exception or longjmp", "the thread switched to another stack",
	"left without returning", "still running when recording stopped", "still running when the trace ends",
	"after the chosen time"];
const FLAG_ROOT = 8, FLAG_RESUMED = 16, FLAG_UNRELIABLE = 32, FLAG_PAYLOAD = 64, FLAG_EARLY = 128;
const CACHE_BYTES = 256e6;
const BLOCK_ITEMS = 256;	/* items of a block, whose range of time is known */

class ByteReader {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at || 0;
	}
	number() {
		const bytes = this.bytes;
		let value = 0, factor = 1, byte;
		while ((byte = bytes[this.at++]) >= 128) {
			value += (byte - 128) * factor;
			factor *= 128;
		}
		return value + byte * factor;
	}
	/* Reads a signed difference. */
	signed() {
		const number = this.number();
		return number % 2 ? -(number + 1) / 2 : number / 2;
	}
	byte() {
		return this.bytes[this.at++];
	}
	big() {
		let value = 0n, shift = 0n, byte;
		do {
			byte = this.bytes[this.at++];
			value |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte >= 128);
		return value;
	}
	text() {
		const length = this.number();
		this.at += length;
		return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
	}
	texts(read) {
		return Array.from({ length: this.number() }, read);
	}
}

async function inflate(packed) {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Reads signed differences and adds them up, beginning with @sum. */
function readSums(reader, count, to, sum = 0) {
	for (let i = 0; i < count; i++)
		to[i] = sum += reader.signed();
	return to;
}

function readNumbers(reader, count, to) {
	for (let i = 0; i < count; i++)
		to[i] = reader.number();
	return to;
}

/* Reads runs. The path with the most time of a run is its node. */
function readRuns(chunk, columns, data) {
	const counts = readNumbers(columns[2], chunk.items, new Uint32Array(chunk.items));
	const first = data.first = new Uint32Array(chunk.items + 1);
	for (let i = 0; i < chunk.items; i++)
		first[i + 1] = first[i] + counts[i];
	const entries = first[chunk.items];
	data.entryNode = readSums(columns[3], entries, new Uint32Array(entries));
	data.entryCalls = readNumbers(columns[4], entries, new Float64Array(entries));
	data.entryTotal = readNumbers(columns[5], entries, new Float64Array(entries));
	data.entryLeast = new Uint8Array(entries);
	data.entryMost = new Uint8Array(entries);
	for (let i = 0; i < entries; i++) {
		if (data.entryCalls[i] === 1)
			continue;
		data.entryLeast[i] = columns[6].byte();
		data.entryMost[i] = columns[6].byte();
	}
	data.node = new Uint32Array(chunk.items);
	data.calls = new Float64Array(chunk.items);
	data.busy = new Uint8Array(chunk.items);
	for (let i = 0; i < chunk.items; i++) {
		let greatest = first[i], total = 0;
		for (let at = first[i]; at < first[i + 1]; at++) {
			data.calls[i] += data.entryCalls[at];
			total += data.entryTotal[at];
			if (data.entryTotal[at] > data.entryTotal[greatest])
				greatest = at;
		}
		data.node[i] = data.entryNode[greatest];
		data.busy[i] = Math.min(255, 255 * total / Math.max(1, data.end[i] - data.begin[i]));
	}
}

function decodeChunk(chunk, bytes) {
	const head = new ByteReader(bytes), lengths = [], columns = [];
	for (let i = 0; i < 7; i++)
		lengths.push(head.number());
	for (let i = 0, at = head.at; i < 7; at += lengths[i++])
		columns.push(new ByteReader(bytes, at));
	const count = chunk.items, data = { count, kind: chunk.kind };
	data.begin = readSums(columns[0], count, new Float64Array(count), chunk.first);
	data.end = readNumbers(columns[1], count, new Float64Array(count));
	data.blockBegin = new Float64Array(Math.ceil(count / BLOCK_ITEMS)).fill(Infinity);
	data.blockEnd = new Float64Array(data.blockBegin.length);
	for (let i = 0; i < count; i++) {
		const block = Math.floor(i / BLOCK_ITEMS);
		data.end[i] += data.begin[i];
		data.blockBegin[block] = Math.min(data.blockBegin[block], data.begin[i]);
		data.blockEnd[block] = Math.max(data.blockEnd[block], data.end[i]);
	}
	if (chunk.kind === KIND_RUNS) {
		readRuns(chunk, columns, data);
		return data;
	}
	data.node = readSums(columns[2], count, new Uint32Array(count));
	if (chunk.kind > KIND_RUNS) {
		data.calls = readNumbers(columns[3], count, new Float64Array(count));
		data.busy = bytes.slice(columns[4].at, columns[4].at + count);
		return data;
	}
	data.flags = bytes.slice(columns[3].at, columns[3].at + count);
	data.payloads = new Map();
	for (let i = 0; i < count; i++)
		if (data.flags[i] & FLAG_PAYLOAD)
			data.payloads.set(i, [columns[4].big(), columns[4].big(), columns[4].number()]);
	return data;
}

/* Returns the shortest and the longest duration that a byte of a run stands for. */
function logRange(step) {
	const least = (at) => at < 8 ? Math.min(at, 4) : Math.pow(2, Math.floor(at / 4)) * (1 + at % 4 / 4);
	return [least(step), step < 4 ? step : least(step + 1)];
}

class Trace {
	constructor() {
		this.cache = new Map();
		this.cached = 0;
		this.onload = () => {};
		this.onfault = () => {};
		this.source = sourceOfTrace();
	}

	async open() {
		this.read(new ByteReader(await inflate(await this.source.meta())));
	}

	read(meta) {
		if (meta.number() !== 2)
			throw new Error("another version of spoor made this page");
		this.version = meta.text();
		this.title = meta.text();
		this.begin = meta.big();
		this.since = meta.signed();	/* where this page begins, in ns since the trace's begin; other times count from here */
		this.span = meta.number();
		this.resolution = meta.number();
		this.events = meta.number();
		this.beyond = meta.number() !== 0;
		this.counted = meta.number();
		this.readFunctions(meta);
		const pair = () => [meta.text(), meta.text()];
		this.labels = [["", ""]].concat(meta.texts(pair));
		this.strings = [["", ""]].concat(meta.texts(pair));
		this.readNodes(meta);
		this.processes = meta.texts(() => ({ title: meta.text(), pid: meta.number() }));
		this.threads = meta.texts(() => ({ name: meta.text(), process: meta.number(), tid: meta.number(), lanes: meta.number(),
			items: meta.number(), losses: meta.number(), gaps: meta.number(), orphans: meta.number(),
			repaired: meta.number(), roots: meta.number() }));
		this.threads.forEach((thread, index) => { thread.index = index; });
		this.readChunks(meta);
		this.source.expect(this.chunks);
	}

	/* functions[0] is the name of the paths beyond the limit. */
	readFunctions(meta) {
		this.functions = [{ name: "(paths beyond the limit)", fullName: "", library: "", place: "", line: 0 }];
		const rows = meta.number(), list = [];
		for (let i = 0; i < rows; i++) {
			list.push({ name: meta.text(), fullName: meta.text(), library: meta.number(), place: meta.number(), line: meta.number(),
				calls: meta.number(), counted: meta.number(), roots: meta.number(), total: meta.number(),
				self: meta.number(), sum: meta.number(), min: meta.number(), max: meta.number() });
		}
		const places = [["", ""]].concat(meta.texts(() => [meta.text(), meta.text()]));
		for (const one of list) {
			one.library = places[one.library][0];
			one.place = places[one.place][0];
		}
		this.functions = this.functions.concat(list);
		this.functions.forEach((one, index) => { one.index = index; });
	}

	readNodes(meta) {
		const count = this.nodeCount = meta.number();
		this.parent = new Uint32Array(count);
		this.name = new Uint32Array(count);
		this.lane = new Uint32Array(count);
		this.nodeCalls = new Float64Array(count);
		this.nodeTotal = new Float64Array(count);
		this.outermost = new Uint8Array(count);
		for (let i = 2; i < count; i++) {
			this.parent[i] = i - meta.number();
			this.name[i] = meta.number();
			this.nodeCalls[i] = meta.number();
			this.nodeTotal[i] = meta.number();
			const isMark = this.parent[i] === NODE_MARKS;
			this.lane[i] = isMark ? 0 : this.lane[this.parent[i]] + 1;
			let above = this.parent[i];
			while (above > NODE_MARKS && this.name[above] !== this.name[i])
				above = this.parent[above];
			this.outermost[i] = above > NODE_MARKS ? 0 : 1;
		}
	}

	readChunks(meta) {
		const count = meta.number();
		let pack = 0, at = 0;
		this.chunks = [];
		this.byKind = this.threads.map(() => []);
		for (let i = 0; i < count; i++) {
			const chunk = { index: i, thread: meta.number(), kind: meta.number(), items: meta.number(), begin: meta.number() };
			chunk.end = chunk.begin + meta.number();
			chunk.first = chunk.begin + meta.number();
			if (meta.number()) {
				pack++;
				at = 0;
			}
			chunk.pack = pack;
			chunk.at = at;
			at += chunk.length = meta.number();
			this.chunks.push(chunk);
			const kinds = this.byKind[chunk.thread];
			const list = kinds[chunk.kind] = kinds[chunk.kind] || [];
			/* Chunks are sorted by begin. reach, the latest end so far, is sorted too, for a binary search. */
			chunk.reach = Math.max(chunk.end, list.length ? list[list.length - 1].reach : 0);
			list.push(chunk);
		}
	}

	isMark(node) {
		return this.parent[node] === NODE_MARKS;
	}
	/* Returns the name of a function or of a mark. */
	nodeName(node) {
		return this.isMark(node) ? this.labels[this.name[node]][0] : this.functions[this.name[node]].name;
	}

	async load(chunk) {
		const cached = this.cache.get(chunk.index);
		if (cached) {
			this.cache.delete(chunk.index);
			this.cache.set(chunk.index, cached);
			return cached;
		}
		if (!chunk.loading) {
			chunk.loading = (async () => {
				try {
					const bytes = await inflate(await this.source.bytes(chunk));
					const data = decodeChunk(chunk, bytes);
					data.bytes = 5 * bytes.length;
					this.keep(chunk, data);
					this.onfault(null);
					return data;
				} finally {
					chunk.loading = null;
				}
			})();
		}
		return chunk.loading;
	}

	keep(chunk, data) {
		this.cache.set(chunk.index, data);
		this.cached += data.bytes;
		for (const [index, oldest] of this.cache) {
			if (this.cached <= CACHE_BYTES || oldest === data)
				break;
			this.cache.delete(index);
			this.cached -= oldest.bytes;
		}
	}

	/* Returns the chunk's data if it is loaded. Else loads it and draws the page again when it has arrived. */
	get(chunk) {
		const cached = this.cache.get(chunk.index);
		if (!cached && !chunk.awaited) {
			chunk.awaited = true;
			this.load(chunk).then(() => this.onload(), (error) => this.onfault(error)).finally(() => { chunk.awaited = false; });
		}
		return cached;
	}

	/* Returns the chunks of a thread and a kind that overlap a range. */
	within(thread, kind, begin, end) {
		const list = this.byKind[thread][kind] || [], found = [];
		let low = 0, high = list.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (list[middle].reach < begin)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < list.length && list[low].begin <= end; low++)
			if (list[low].end >= begin)
				found.push(list[low]);
		return found;
	}

	/* Returns the coarsest level of a thread with runs shorter than @duration, or 0 for the items themselves. */
	levelBelow(thread, duration) {
		for (let level = 23; level > 0; level--)
			if (this.byKind[thread][KIND_LEVEL + level] && 64 * Math.pow(4, level) <= duration)
				return level;
		return 0;
	}

	/* Returns the kinds that together have all items of a thread at a level. */
	kindsAt(level) {
		const kinds = level ? [KIND_LEVEL + level] : [KIND_RUNS];
		for (let kind = level ? level + 1 : 0; kind < KIND_RUNS; kind++)
			kinds.push(kind);
		return kinds;
	}

	/* Returns a time since the trace's begin, as the other tools print it. @pixel: its precision in ns. */
	moment(ns, pixel) {
		return formatMoment(this.since + ns, pixel);
	}
	/* Yields [chunk, data, done] for all calls and runs of a range, without levels. done: the share read so far. */
	async *items(thread, begin, end, stop) {
		const chunks = this.chunks.filter((chunk) => chunk.kind <= KIND_RUNS && (thread === null || chunk.thread === thread) &&
			chunk.begin <= end && chunk.end >= begin);
		const groups = [], load = (group) => group && Promise.all(group.map((chunk) => this.load(chunk)));
		for (let at = 0; at < chunks.length; at += 8)
			groups.push(chunks.slice(at, at + 8));
		/* The next group loads while the caller adds up this one. */
		let next = load(groups[0]), at = 0;
		for (let number = 0; number < groups.length; at += groups[number++].length) {
			const group = groups[number], loaded = await next;
			if (stop && stop())
				return;
			next = load(groups[number + 1]);
			if (next)
				next.catch(() => {});	/* the await above reports the error */
			for (let i = 0; i < group.length; i++)
				yield [group[i], loaded[i], (at + i + 1) / chunks.length];
		}
	}
}

function formatCount(number) {
	return Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

function formatTime(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];
	const sign = ns < 0 ? "-" : "";
	ns = Math.abs(ns);
	for (const [unit, name] of units)
		if (ns >= unit * 0.99995)
			return sign + (ns / unit >= 9999.5 ? formatCount(ns / unit) : (ns / unit).toPrecision(4)) + " " + name;
	return sign + (Number.isInteger(ns) ? ns : ns.toFixed(ns < 10 ? 1 : 0)) + " ns";
}

/* Returns a time in seconds, with as many digits as a precision of @pixel ns needs. */
function formatMoment(ns, pixel) {
	const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(1, pixel)))));
	return (ns / 1e9).toFixed(digits) + " s";
}
