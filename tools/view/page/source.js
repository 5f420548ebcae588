/* source.js - where the trace comes from: this page, or the server that it was fetched from.
   A source gives the metadata, and the bytes of a chunk, compressed as they were written. */
function fromBase64(text) {
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* All of it stands in this page: chunks in packs, one behind the other. */
class PageSource {
	constructor(element) {
		this.element = element;
		this.texts = [];
		this.lengths = [];	/* of the packs as they were written */
	}

	expect(chunks) {
		for (const chunk of chunks)
			this.lengths[chunk.pack] = chunk.at + chunk.length;
	}

	isWhole(pack) {
		const element = document.getElementById("pack" + pack);
		let length = 0;
		for (const text of element ? element.childNodes : [])
			length += text.length;
		return length >= this.lengths[pack];
	}

	/* How many of how many packs a file that is cut short lacks. Nothing more comes once the document is complete. */
	async missing() {
		while (document.readyState !== "complete")
			await new Promise((resolve) => setTimeout(resolve, 20));
		return [this.lengths.filter((length, pack) => !this.isWhole(pack)).length, this.lengths.length];
	}

	async meta() {
		const text = this.element.textContent;
		this.element.remove();
		return fromBase64(text);
	}

	/* While the page is still being read a pack may not be there yet, or not all of it. */
	async packText(pack) {
		while (document.readyState !== "complete" && !document.getElementById("pack" + (pack + 1)))
			await new Promise((resolve) => setTimeout(resolve, 20));
		let entry = this.texts.find((one) => one.pack === pack);
		if (!entry) {
			if (!this.isWhole(pack))
				throw new Error("it is not in this page");
			entry = { pack, text: document.getElementById("pack" + pack).textContent };
			this.texts.push(entry);
			if (this.texts.length > 8)
				this.texts.shift();
		}
		return entry.text;
	}

	async bytes(chunk) {
		return fromBase64((await this.packText(chunk.pack)).substr(chunk.at, chunk.length));
	}
}

/* spoor view --serve: chunks that are wanted at the same time are one request. */
const REQUEST_CHUNKS = 32;

class ServedSource {
	constructor() {
		this.wanted = [];
	}

	async fetch(path) {
		const answer = await fetch(path);
		if (!answer.ok)
			throw new Error("the server says " + answer.status);
		return new Uint8Array(await answer.arrayBuffer());
	}

	meta() {
		return this.fetch("meta");
	}

	/* A chunk that is missing here is told of when it is asked for. */
	expect() {}
	async missing() {
		return [0, 0];
	}

	bytes(chunk) {
		return new Promise((resolve, reject) => {
			if (!this.wanted.length)
				setTimeout(() => this.ask());
			this.wanted.push({ chunk, resolve, reject });
		});
	}

	ask() {
		const all = this.wanted;
		this.wanted = [];
		for (let at = 0; at < all.length; at += REQUEST_CHUNKS)
			this.askFor(all.slice(at, at + REQUEST_CHUNKS));
	}

	async askFor(group) {
		try {
			const bytes = await this.fetch("chunks/" + group.map((one) => one.chunk.index).join(","));
			let at = 0;
			for (const { chunk, resolve } of group)
				resolve(bytes.subarray(at, at += chunk.length));
		} catch (error) {
			for (const { reject } of group)
				reject(error);
		}
	}
}

function sourceOfTrace() {
	const element = document.getElementById("meta");
	return element ? new PageSource(element) : new ServedSource();
}
