/* data.js - the trace. The page decodes chunks when it needs them, and drops the oldest ones when the
   cache is full. */
const CACHE_BYTES = 256e6;

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
		if (meta.number() !== 3)
			throw new Error("another version of spoor made this page");
		this.version = meta.text();
		this.title = meta.text();
		this.begin = meta.big();
		this.since = meta.signed();	/* where this page begins, in ns since the trace's begin; other times count from here */
		this.span = meta.number();
		this.resolution = meta.number();
		this.events = meta.number();
		this.beyond = meta.number() !== 0;
		this.valuesLeftOut = meta.number() !== 0;
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
				self: meta.number(), sum: meta.number(), min: meta.number(), max: meta.number(), p50: meta.number(), p99: meta.number() });
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
		this.summaries = this.threads.map(() => []);	/* by thread, kind and group */
		this.waits = this.threads.map(() => []);	/* by thread */
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
			chunk.ordinal = meta.number();	/* among the chunks of its thread and kind, as they were written */
			this.chunks.push(chunk);
			if (chunk.kind === KIND_WAITS) {
				this.waits[chunk.thread].push(chunk);
				continue;
			}
			if (chunk.kind >= KIND_SUMMARY) {
				const groups = this.summaries[chunk.thread], kind = chunk.kind - KIND_SUMMARY;
				(groups[kind] = groups[kind] || [])[chunk.ordinal] = chunk;
				continue;
			}
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
					const data = decodeChunk(chunk, bytes, this);
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
