/* main.js - the state of the page: the chosen call, the selected range, and the panes that show them. */

/* Returns the first argument of a tracepoint as text. Its type is in the two lowest bits of payload 2, as in
   tracepoint_events.h. */
function argumentText([bits, how]) {
	return [String(bits), String(BigInt.asIntN(64, bits)), "0x" + bits.toString(16),
		String(new Float64Array(BigUint64Array.of(bits).buffer)[0])][Number(how & 3n)];
}

class App {
	constructor(trace) {
		this.trace = trace;
		this.chosen = null;		/* an item */
		this.chosenFunction = null;	/* its index */
		this.chosenThread = null;	/* its index; null: all threads */
		this.condition = null;		/* tests the values of a call, if the search is a condition on them */
		this.matched = null;		/* by function: 1 if the search finds it; null: no search */
		this.range = null;		/* the selected [begin, end]; null: the whole trace */
		this.dragged = null;		/* the range that the pointer is selecting */
		this.frame = 0;
		this.cutShort = "";		/* the message about a page whose end is missing */
		this.colours = new Map();
		this.preferences = new Preferences();
		this.systemDark = window.matchMedia("(prefers-color-scheme: dark)");
		this.followTheme();
		this.bookmarks = new Bookmarks(this);
		this.timeline = new Timeline(this);
		this.table = new Table(this);
		this.flame = new Flame(this);
		this.details = new Details(this);
		this.search = new Search(this);
		this.input = new Input(this);
		this.menu = new PageMenu(this);
		this.layout = new PageLayout(this);
		this.state = new PageState(this);
		this.describe();
		this.watch();
		trace.onload = () => this.draw();
		trace.onfault = (error) => this.showFault(error);
		this.resize();
		this.state.restore();
		trace.source.missing().then(([missing, parts]) => missing && this.showCutShort(missing, parts));
	}

	colour(name) {
		if (!this.colours.has(name))
			this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
		return this.colours.get(name);
	}

	/* Takes the theme that the user chose, else the system's. */
	followTheme() {
		const chosen = this.preferences.get("theme");
		this.setDark(chosen ? chosen === "dark" : this.systemDark.matches);
	}

	setDark(dark) {
		this.dark = dark;
		this.colours.clear();
		document.documentElement.classList.toggle("dark", dark);
	}

	describe() {
		const trace = this.trace, threads = trace.threads.length;
		const calls = trace.functions.reduce((sum, fn) => sum + (fn.calls || 0), 0);
		const missing = trace.threads.reduce((sum, thread) => sum + thread.losses, 0);
		document.getElementById("title").textContent = trace.title;
		document.getElementById("facts").textContent = formatTime(trace.span) + ", " + threads + (threads === 1 ? " thread, " : " threads, ") +
			formatCount(calls) + (calls === 1 ? " call" : " calls") + (trace.counted ? ", " + formatCount(trace.counted) + " calls counted without times" : "") +
			(missing ? "; events are missing in " + missing + (missing === 1 ? " place" : " places") : "") +
			(this.cutShort ? "; not all of it is in this file" : "");
		document.getElementById("facts").title = document.getElementById("facts").textContent;
		document.getElementById("help-kept").textContent = (trace.resolution ?
			"The trace does not fit into the size of this file, so successive calls within " + formatTime(trace.resolution) + " are stored as runs. " +
			"Statistics of the whole trace are exact. In the statistics of a range, \u2248 marks values from a run that the range cuts." :
			"This page has every call of the trace, to the nanosecond.") +
			(trace.valuesLeftOut ? " It has the arguments and results of the first calls only." : "") + (trace.beyond ? " The trace has more call paths than the page stores: the others are shown as one path." : "") + " Made by spoor " + trace.version + ".";
	}

	watch() {
		const on = (id, action) => document.getElementById(id).addEventListener("click", action);
		const middle = () => (this.timeline.begin + this.timeline.end) / 2;
		on("zoom-in", () => this.timeline.zoom(0.5, middle()));
		on("zoom-out", () => this.timeline.zoom(2, middle()));
		on("fit", () => this.showAll());
		on("fit-range", () => this.fitRange());
		on("clear-range", () => this.setRange(null));
		on("clear-thread", () => this.setThread(null));
		on("help", () => this.showHelp());
		on("copy-details", () => copyText(this, this.details.asText()));
		on("theme", () => {
			const dark = !this.dark;
			/* The system's own theme needs no memory. */
			this.preferences.set("theme", dark === this.systemDark.matches ? undefined : dark ? "dark" : "light");
			this.setDark(dark);
			this.redraw();
		});
		this.systemDark.addEventListener("change", () => {
			this.followTheme();
			this.redraw();
		});
		new ResizeObserver(() => this.resize(true)).observe(document.querySelector("main"));
	}

	/* Shows a short message for a while. */
	say(text) {
		const said = document.getElementById("said");
		said.textContent = text;
		clearTimeout(this.saying);
		this.saying = setTimeout(() => { said.textContent = ""; }, 2500);
	}

	/* Saves the state of the page in its address, soon. */
	changed() {
		if (this.state)
			this.state.saveSoon();
	}

	showCutShort(missing, parts) {
		this.cutShort = "This file is cut short, or was not loaded to its end: " + missing + " of " + parts +
			(parts === 1 ? " part" : " parts") + " of it " + (missing === 1 ? "is" : "are") + " missing";
		this.showFault(null);
		this.describe();
		this.measure();
	}

	/* Shows a loading error, for example after the server ended. The page tries again when it needs the chunk. */
	showFault(error) {
		document.getElementById("fault").textContent = this.cutShort || !error ? this.cutShort : "Cannot fetch a part of the trace: " + error.message;
	}

	/* @now: draw at once. A ResizeObserver runs after the callbacks of a frame, so drawing in the next frame would
	   show an empty canvas in this one. */
	resize(now) {
		if (this.timeline.resize() && now)
			this.timeline.draw();
		else
			this.draw();
		this.table.draw();
		this.flame.draw();
	}

	draw() {
		this.changed();
		if (this.frame)
			return;
		this.frame = requestAnimationFrame(() => {
			this.frame = 0;
			this.timeline.draw();
		});
	}
	redraw() {
		this.draw();
		this.table.draw();
		this.flame.draw();
	}

	item(thread, data, i) {
		const isRun = data.kind >= KIND_RUNS;
		return { thread, data, i, node: data.node[i], begin: data.begin[i], end: data.end[i], isRun, calls: isRun ? data.calls[i] : 1 };
	}

	/* Returns the text of a mark: its label with its numbers, or with its string. */
	markText(data, i) {
		const trace = this.trace, [label, kind] = trace.labels[trace.name[data.node[i]]];
		const payload = data.payloads && data.payloads.get(i);
		if (!payload || kind === "orphan" || kind === "gap")
			return label;
		if (kind === "lost")
			return payload[0] > 0n ? payload[0] + " " + (payload[0] === 1n ? label.replace(/^(event|slice)s/, "$1") : label) : label;
		if (kind === "counter")
			return label + ": " + BigInt.asIntN(64, payload[0]);
		if (kind === "tracepoint")
			return label + "(" + (payload[1] >> 2n ? argumentText(payload) : "") + (payload[1] >> 2n > 1n ? ", \u2026" : "") + ")";
		return label + ": " + (payload[2] ? trace.strings[payload[2]][0] : payload[0]) + (payload[1] ? ", " + payload[1] : "");
	}

	/* Returns the name of an item: of its function, or the text of a mark. */
	itemName(item) {
		return this.trace.isMark(item.node) ? this.markText(item.data, item.i) : this.trace.nodeName(item.node);
	}

	choose(item, reveal) {
		const mark = item && this.trace.isMark(item.node);
		this.chosen = item;
		this.chosenFunction = item && !mark ? this.trace.name[item.node] : null;
		if (item && reveal)
			this.reveal(item);
		this.hideHint();
		this.details.show();
		this.search.showFound();
		this.redraw();
		if (this.chosenFunction !== null)
			this.table.reveal(this.chosenFunction);
	}

	/* Chooses a function. A second click on its row clears the choice. */
	chooseFunction(name) {
		this.selectFunction(name === this.chosenFunction && !this.chosen ? null : name);
	}

	selectFunction(name) {
		this.chosen = null;
		this.chosenFunction = name;
		this.details.show();
		this.search.showFound();
		this.redraw();
		if (name !== null)
			this.table.reveal(name);
	}

	reveal(item) {
		const timeline = this.timeline, track = timeline.tracks.list[item.thread], length = timeline.end - timeline.begin;
		if (track.small) {
			track.small = false;
			timeline.layOut();
		}
		if (this.trace.lane[item.node] > track.levels) {
			track.full = true;
			timeline.layOut();
		}
		if (item.end - item.begin < 8 * timeline.pixel)
			this.zoomTo(item, 12);
		else if (item.begin < timeline.begin || item.begin > timeline.end)
			timeline.show((item.begin + item.end - length) / 2, (item.begin + item.end + length) / 2);
		const y = timeline.laneY(track, this.trace.lane[item.node], track.y), top = timeline.scroll.scrollTop;
		if (y < top + RULER || y > top + timeline.height - 2 * LANE)
			timeline.scroll.scrollTop = y - timeline.height / 2;
	}

	zoomTo(item, around) {
		const margin = Math.max(10, (item.end - item.begin) * (around || 0.25));
		this.timeline.show(item.begin - margin, item.end + margin);
	}

	showAll() {
		this.timeline.show(this.timeline.least, this.timeline.most);
	}
	fitRange() {
		if (this.range)
			this.timeline.show(this.range[0], this.range[1]);
		else if (this.chosen)
			this.zoomTo(this.chosen);
	}
	rangeOfChosen() {
		if (this.chosen && this.chosen.end > this.chosen.begin)
			this.setRange([this.chosen.begin, this.chosen.end]);
	}
	setRange(range) {
		this.range = range && range[1] > range[0] ? range : null;
		this.measure();
		this.draw();
	}
	setThread(thread) {
		this.chosenThread = thread;
		this.measure();
		this.draw();
	}

	/* Computes the statistics of the selection for the panes. A later selection replaces this one. */
	async measure() {
		const mine = this.measuring = (this.measuring || 0) + 1, { trace, range } = this;
		const exactness = document.getElementById("exactness");
		document.getElementById("range-text").textContent = range ? "Range: " + trace.moment(range[0], 1) + " \u2013 " + trace.moment(range[1], 1) +
			" (" + formatTime(range[1] - range[0]) + ")" : "Whole trace: " + formatTime(trace.span);
		document.getElementById("clear-range").hidden = document.getElementById("fit-range").disabled = !range;
		document.getElementById("clear-range").hidden = !range;
		document.getElementById("thread-text").textContent = this.chosenThread === null ? "" :
			"only thread " + trace.threads[this.chosenThread].name;
		document.getElementById("clear-thread").hidden = this.chosenThread === null;
		const [begin, end] = range || [0, trace.span], progress = document.getElementById("progress"), panes = document.getElementById("panes");
		/* Old numbers become faint, unless the new ones come at once. */
		const late = setTimeout(() => {
			panes.classList.add("measuring");
			progress.hidden = false;
			exactness.textContent = "computing";
		}, 100);
		let statistics = null;
		progress.value = 0;
		try {
			statistics = await rangeStatistics(trace, begin, end, this.chosenThread, () => mine !== this.measuring, (done) => { progress.value = done; });
		} catch (error) {
			this.showFault(error);
			exactness.textContent = "the values below are those selected before";
		}
		clearTimeout(late);
		if (mine !== this.measuring)
			return;
		panes.classList.remove("measuring");
		progress.hidden = true;
		if (!statistics)
			return;
		this.statistics = statistics;
		this.measured = mine;
		exactness.textContent = this.cutShort && !range ? "of the whole recording" :
			!statistics.exact ? "\u2248 marks an estimate: calls shorter than " + formatTime(trace.resolution) +
			" are stored as runs, and the range cuts some of them" : statistics.hasRuns ? "exact, except shortest and longest calls of runs, marked \u2248" : "exact";
		this.table.show(statistics);
		this.flame.show(statistics);
		this.search.count();
		this.details.show();
	}

	hover(x, y) {
		const item = this.timeline.itemAt(x, y);
		const state = item ? null : this.timeline.waits.textAt(x, y);
		if (!item && !state)
			return this.hideHint();
		if (state)
			return this.showHint(x, y, element("b", "", state[0]), element("div", "", state[1]));
		const many = item.isRun && item.calls > 1, mark = this.trace.isMark(item.node);
		const name = this.itemName(item) + valuesText(item.data, item.i);
		const first = element("b", "", (many ? formatCount(item.calls) + " \u00d7 " : "") + name);
		const rest = element("div", "", mark ? this.trace.moment(item.begin, 1) : formatTime(item.end - item.begin) +
			(many ? " in total, most of it in this function; zoom in for more" : "") + ", " + this.trace.functions[this.trace.name[item.node]].library);
		this.showHint(x, y, first, rest);
	}
	showHint(x, y, ...parts) {
		const hint = document.getElementById("hint");
		hint.replaceChildren(...parts);
		hint.hidden = false;
		const box = hint.parentElement.getBoundingClientRect();
		hint.style.left = Math.max(4, Math.min(x + 14, box.width - hint.offsetWidth - 6)) + "px";
		hint.style.top = Math.min(y + OVERVIEW + 18, box.height - hint.offsetHeight - 4) + "px";
	}
	hideHint() {
		document.getElementById("hint").hidden = true;
	}

	showHelp() {
		document.getElementById("help-dialog").showModal();
	}

	/* Each press clears the first of these that is set: the search, the chosen call, the range, the chosen
	 * thread. */
	escape() {
		document.activeElement.blur();
		if (this.matched || this.search.input.value)
			this.search.clear();
		else if (this.chosen || this.chosenFunction !== null)
			this.choose(null);
		else if (this.range)
			this.setRange(null);
		else
			this.setThread(null);
	}
}

let app = null;
(async () => {
	const trace = new Trace();
	try {
		await trace.open();
		app = new App(trace);
	} catch (error) {
		document.getElementById("title").textContent = "This page cannot be shown: " + error.message +
			(typeof DecompressionStream === "undefined" ? " (use a browser of 2023 or later)" : "");
		throw error;
	}
})();
