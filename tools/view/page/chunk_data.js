/* chunk_data.js - decodes the metadata's numbers and the chunks of items. chunks.h describes their format. */
const KIND_RUNS = 32, KIND_LEVEL = 33;
const NODE_MARKS = 1;
const END_NAMES = ["", "tail call", "unwound by an exception or longjmp", "the thread switched to another stack",
	"left without returning", "still running when recording stopped", "still running when the trace ends",
	"after the chosen time"];
const FLAG_ROOT = 8, FLAG_RESUMED = 16, FLAG_UNRELIABLE = 32, FLAG_PAYLOAD = 64, FLAG_EARLY = 128;
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

function decodeChunk(chunk, bytes, trace) {
	const head = new ByteReader(bytes), lengths = [], columns = [];
	for (let i = 0; i < 7; i++)
		lengths.push(head.number());
	for (let i = 0, at = head.at; i < 7; at += lengths[i++]) {
		columns.push(new ByteReader(bytes, at));
		columns[i].length = lengths[i];
	}
	if (chunk.kind === KIND_WAITS)
		return decodeWaits(chunk, columns);
	if (chunk.kind >= KIND_SUMMARY)
		return decodeSummaries(chunk, columns);
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
	data.payloads = new Map();	/* of marks */
	data.values = new Map();	/* of calls: pairs of a name and a text; the result has no name */
	for (let i = 0; i < count; i++) {
		if (!(data.flags[i] & FLAG_PAYLOAD))
			continue;
		if (trace.isMark(data.node[i]))
			data.payloads.set(i, [columns[4].big(), columns[4].big(), columns[4].number()]);
		else
			data.values.set(i, columns[5].texts(() => [columns[5].text(), columns[5].text()]));
	}
	return data;
}

/* Returns the shortest and the longest duration that a byte of a run stands for. */
function logRange(step) {
	const least = (at) => at < 8 ? Math.min(at, 4) : Math.pow(2, Math.floor(at / 4)) * (1 + at % 4 / 4);
	return [least(step), step < 4 ? step : least(step + 1)];
}
