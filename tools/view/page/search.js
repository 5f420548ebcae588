/* search.js - marks functions by name, counts them, and goes from one call to the next. */
/* Returns a test for names. @text: a part of a name in any case, or /a regular expression/. */
function nameMatcher(text) {
	if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
		const pattern = new RegExp(text.slice(1, -1));
		return (name) => pattern.test(name);
	}
	const part = text.toLowerCase();
	return (name) => name.toLowerCase().includes(part);
}

/* Compares the places of two items: [begin, thread, lane]. */
function placeOrder(a, b) {
	return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

class Search {
	constructor(app) {
		this.app = app;
		this.input = document.getElementById("search");
		this.found = document.getElementById("found");
		this.input.addEventListener("input", () => this.find());
		document.getElementById("next").addEventListener("click", () => this.go(1));
		document.getElementById("previous").addEventListener("click", () => this.go(-1));
	}

	focus() {
		this.input.focus();
		this.input.select();
	}

	find() {
		const app = this.app, text = this.input.value;
		app.hideHint();
		app.matched = app.condition = null;
		this.counting = (this.counting || 0) + 1;	/* ends a count of earlier matches */
		this.found.textContent = "";
		if (text) {
			try {
				app.condition = valueCondition(text);
				const matches = app.condition ? () => false : nameMatcher(text);
				app.matched = Uint8Array.from(app.trace.functions, (fn) => matches(fn.name) || (fn.fullName && matches(fn.fullName)) ? 1 : 0);
				app.matched[0] = app.trace.beyond ? app.matched[0] : 0;
			} catch (error) {
				this.found.textContent = "invalid regular expression";
			}
		}
		this.count();
		app.redraw();
	}

	findFunction(fn) {
		this.input.value = fn.name;
		this.find();
		this.app.matched = Uint8Array.from(this.app.trace.functions, (one) => one === fn ? 1 : 0);
		this.count();
		this.app.redraw();
		this.go(1);
	}

	/* Counts the matching functions, and their calls in the selection. */
	count() {
		const { matched, table, trace } = this.app;
		if (!matched)
			return;
		let functions = 0, calls = 0;
		for (const one of matched)
			functions += one;
		for (const row of table.all)
			calls += matched[row.fn.index] ? row.calls : 0;
		this.functions = formatCount(functions) + (functions === 1 ? " function" : " functions");
		this.text = this.app.condition ? "go to the calls by n and N" : functions === 0 ? "none of " + formatCount(trace.functions.length - 1) + " functions" :
			this.functions + ", " + formatCount(calls) + (calls === 1 ? " call" : " calls") + (this.app.range ? " in range" : "");
		this.showFound();
	}

	/* Shows the place of the chosen call among the matches, or how many calls match. */
	async showFound() {
		const { app } = this, { chosen, matched } = app, mine = this.counting = (this.counting || 0) + 1, stop = () => mine !== this.counting;
		if (!matched)
			return;
		this.found.textContent = this.text;
		this.found.title = this.text;
		if (!chosen || app.trace.isMark(chosen.node) || !this.hits(chosen.data, chosen.i))
			return;
		try {
			const place = await this.placeOf(chosen, stop);
			if (place)
				this.found.textContent = "match " + formatCount(place[0]) + " of " + formatCount(place[1]) + (app.condition ? "" : " in " + this.functions);
		} catch (error) {
			app.showFault(error);
		}
	}

	chunks() {
		const { trace, chosenThread } = this.app;
		return trace.chunks.filter((chunk) => chunk.kind <= KIND_RUNS && (chosenThread === null || chunk.thread === chosenThread));
	}

	/* Returns the number of an item among all matches in the order of time, and the number of matches. Returns null once
	   @stop returns true. */
	async placeOf(item, stop) {
		const { trace } = this.app, quiet = () => {}, chunks = this.chunks();
		const isCut = (chunk) => this.app.condition || chunk.kind === KIND_RUNS || (chunk.begin <= item.begin && chunk.end >= item.begin);
		let place = 0, all = 0;
		const complete = await forEachLoaded(chunks.filter(isCut), (chunk) => trace.load(chunk), (data, chunk) => {
			const [count, before] = this.countItems(data, chunk.thread, item);
			all += count;
			place += before;
		}, stop, quiet) && await forEachSummary(trace, chunks.filter((chunk) => !isCut(chunk)), (summary, chunk) => {
			const count = this.countEntries(summary);
			all += count;
			place += chunk.end < item.begin ? count : 0;
		}, stop, quiet);
		return complete ? [place, all] : null;
	}

	/* Returns the number of matches in a chunk, and how many of them are not after @item. */
	countItems(data, thread, item) {
		const { lane } = this.app.trace, key = [item.begin, item.thread, lane[item.node]];
		let count = 0, before = 0;
		for (let i = 0; i < data.count; i++) {
			if (!this.hits(data, i))
				continue;
			count++;
			before += placeOrder([data.begin[i], thread, lane[data.node[i]]], key) <= 0 ? 1 : 0;
		}
		return [count, before];
	}

	countEntries({ data, from, to }) {
		const { trace, matched } = this.app;
		let count = 0;
		for (let at = from; at < to; at++)
			if (matched[trace.name[data.node[at]]] && !trace.isMark(data.node[at]))
				count += data.items[at];
		return count;
	}

	/* Chooses the next matching call after the chosen one, or after the begin of the visible range; the previous one
	   if @direction is -1. The first call follows the last one. */
	async go(direction) {
		const { chosen, timeline, trace, matched } = this.app;
		if (!matched)
			return;
		const mine = this.latest = (this.latest || 0) + 1, stop = () => mine !== this.latest;
		const start = chosen ? [chosen.begin, chosen.thread, trace.lane[chosen.node]] : [direction > 0 ? timeline.begin : timeline.end, -1, -1];
		try {
			const item = await this.nearest(direction, start, stop) || await this.nearest(direction, [direction > 0 ? -1 : Infinity, -1, -1], stop);
			if (item && !stop())
				this.app.choose(item, true);
		} catch (error) {
			this.app.showFault(error);
		}
	}

	/* Returns the next matching item after @start, or null. Also returns null once @stop returns true. */
	async nearest(direction, start, stop) {
		const { app } = this, { trace } = app;
		const chunks = this.chunks().sort((a, b) => direction > 0 ? a.begin - b.begin : b.end - a.end);
		let best = null;
		for (const chunk of chunks) {
			if (direction > 0 ? chunk.end < start[0] : chunk.begin > start[0])
				continue;
			if (best && (direction > 0 ? chunk.begin > best.key[0] : chunk.end < best.key[0]))
				break;
			const data = await trace.load(chunk);
			if (stop())
				return null;
			for (let i = 0; i < data.count; i++) {
				if (!this.hits(data, i))
					continue;
				const key = [data.begin[i], chunk.thread, trace.lane[data.node[i]]];
				if (direction * placeOrder(key, start) > 0 && (!best || direction * placeOrder(key, best.key) < 0))
					best = { key, item: app.item(chunk.thread, data, i) };
			}
		}
		return best && best.item;
	}

	hits(data, i) {
		const { trace, matched, condition } = this.app;
		if (condition)
			return Boolean(data.values && data.values.has(i) && condition(data.values.get(i)));
		const hit = (node) => !trace.isMark(node) && matched[trace.name[node]] === 1;
		if (data.kind !== KIND_RUNS)
			return hit(data.node[i]);
		for (let at = data.first[i]; at < data.first[i + 1]; at++)
			if (hit(data.entryNode[at]))
				return true;
		return false;
	}

	clear() {
		this.input.value = "";
		this.find();
	}
}
