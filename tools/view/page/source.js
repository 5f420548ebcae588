/* source.js - loads the data: from this page, or from the server that sent the page.
   A source returns the metadata, and the bytes of a chunk, both compressed. */
function fromBase64(text) {
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* This page has all data: chunks in packs, one after the other. */
class PageSource {
	constructor(element) {
		this.element = element;
		this.texts = [];
		this.lengths = [];	/* of the complete packs */
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

	/* Returns how many packs are incomplete, and how many there are. A complete document gets no more text. */
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

	/* Waits for the pack while the browser still reads the page. */
	async packText(pack) {
		while (document.readyState !== "complete" && !document.getElementById("pack" + (pack + 1)))
			await new Promise((resolve) => setTimeout(resolve, 20));
		let entry = this.texts.find((one) => one.pack === pack);
		if (!entry) {
			if (!this.isWhole(pack))
				throw new Error("the file of this page is incomplete");
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

/* The data of spoor view --serve. Chunks that are needed at the same time are fetched by one request. */
const REQUEST_CHUNKS = 32;

class ServedSource {
	constructor() {
		this.wanted = [];
	}

	async fetch(path) {
		const answer = await fetch(path);
		if (!answer.ok)
			throw new Error("the server answered " + answer.status);
		return new Uint8Array(await answer.arrayBuffer());
	}

	meta() {
		return this.fetch("meta");
	}

	/* The page shows an error when a chunk cannot be fetched. */
	expect() {}
	async missing() {
		return [0, 0];
	}

	bytes(chunk) {
		return new Promise((resolve, reject) => {
			if (!this.wanted.length)
				setTimeout(() => this.sendRequests());
			this.wanted.push({ chunk, resolve, reject });
		});
	}

	sendRequests() {
		const all = this.wanted;
		this.wanted = [];
		for (let at = 0; at < all.length; at += REQUEST_CHUNKS)
			this.requestChunks(all.slice(at, at + REQUEST_CHUNKS));
	}

	async requestChunks(group) {
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
