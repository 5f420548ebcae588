/* main.js - what is chosen and selected, and who shows it. */

/* A tracepoint's first argument: how is in the two lowest bits of the second payload, as in tracepoint_events.h. */
function argumentText([bits, how]) {
	return [String(bits), String(BigInt.asIntN(64, bits)), "0x" + bits.toString(16),
		String(new Float64Array(BigUint64Array.of(bits).buffer)[0])][Number(how & 3n)];
}

class App {
	constructor(trace) {
		this.trace = trace;
		this.chosen = null;		/* an item */
		this.chosenFunction = null;	/* its number */
		this.chosenThread = null;
		this.matched = null;		/* by function: whether the search finds it */
		this.range = null;
		this.dragged = null;		/* a range that is being made */
		this.frame = 0;
		this.cutShort = "";		/* what is said of a page that lacks its end */
		this.colours = new Map();
		this.setDark(window.matchMedia("(prefers-color-scheme: dark)").matches);
		this.timeline = new Timeline(this);
		this.table = new Table(this);
		this.flame = new Flame(this);
		this.details = new Details(this);
		this.search = new Search(this);
		this.input = new Input(this);
		this.describe();
		this.watch();
		trace.onload = () => this.draw();
		trace.onfault = (error) => this.tellFault(error);
		this.resize();
		this.measure();
		this.details.show();
		trace.source.missing().then(([missing, parts]) => missing && this.tellCutShort(missing, parts));
	}

	colour(name) {
		if (!this.colours.has(name))
			this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
		return this.colours.get(name);
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
			"This trace is larger than its file may be: calls that follow each other within " + formatTime(trace.resolution) + " are kept as runs. " +
			"Statistics are exact for the whole trace; of a range, what comes from a run that the range cuts is marked \u2248." :
			"Every call of the trace is here, to the nanosecond.") +
			(trace.beyond ? " There were more call paths than are kept: those beyond are one." : "") + " Made by spoor " + trace.version + ".";
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
		on("theme", () => {
			this.setDark(!this.dark);
			this.redraw();
		});
		window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
			this.setDark(event.matches);
			this.redraw();
		});
		new ResizeObserver(() => this.resize(true)).observe(document.querySelector("main"));
		this.watchSplitter();
	}

	watchSplitter() {
		const splitter = document.getElementById("splitter"), timeline = document.getElementById("timeline");
		const set = (height) => {
			timeline.style.flexBasis = Math.max(90, Math.min(document.querySelector("main").clientHeight - 120, height)) + "px";
			this.resize();
		};
		splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
		splitter.addEventListener("pointermove", (event) => {
			if (splitter.hasPointerCapture(event.pointerId))
				set(event.clientY - timeline.getBoundingClientRect().top);
		});
		splitter.addEventListener("keydown", (event) => {
			if (event.key === "ArrowUp" || event.key === "ArrowDown") {
				event.preventDefault();
				set(timeline.clientHeight + (event.key === "ArrowUp" ? -20 : 20));
			}
		});
	}

	tellCutShort(missing, parts) {
		this.cutShort = "This file is cut short, or was not loaded to its end: " + missing + " of " + parts +
			(parts === 1 ? " part" : " parts") + " of it " + (missing === 1 ? "is" : "are") + " missing";
		this.tellFault(null);
		this.describe();
		this.measure();
	}

	/* A server may end while its page is open. What is missing then is asked for again when it is wanted. */
	tellFault(error) {
		document.getElementById("fault").textContent = this.cutShort || !error ? this.cutShort : "Not all of it can be fetched: " + error.message;
	}

	/* @now: an observer is told behind the frame's callbacks, and what is drawn in the next frame is seen empty in this one. */
	resize(now) {
		if (this.timeline.resize() && now)
			this.timeline.draw();
		else
			this.draw();
		this.table.draw();
		this.flame.draw();
	}

	draw() {
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

	/* A mark with its numbers, or the string that is in the place of one. */
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

	choose(item, reveal) {
		const mark = item && this.trace.isMark(item.node);
		this.chosen = item;
		this.chosenFunction = item && !mark ? this.trace.name[item.node] : null;
		if (item && reveal)
			this.reveal(item);
		this.details.show();
		this.redraw();
		if (this.chosenFunction !== null)
			this.table.reveal(this.chosenFunction);
	}

	chooseFunction(name) {
		this.chosen = null;
		this.chosenFunction = name === this.chosenFunction ? null : name;
		this.details.show();
		this.redraw();
		if (this.chosenFunction !== null)
			this.table.reveal(name);
	}

	reveal(item) {
		const timeline = this.timeline, track = timeline.tracks[item.thread], length = timeline.end - timeline.begin;
		if (track.small) {
			track.small = false;
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

	/* The panes follow what is selected; only the latest selection's numbers arrive. */
	async measure() {
		const mine = this.measuring = (this.measuring || 0) + 1, { trace, range } = this;
		const exactness = document.getElementById("exactness");
		document.getElementById("range-text").textContent = range ? "Range: " + trace.moment(range[0], 1) + " \u2013 " + trace.moment(range[1], 1) +
			" (" + formatTime(range[1] - range[0]) + ")" : "Whole trace: " + formatTime(trace.span);
		document.getElementById("clear-range").hidden = document.getElementById("fit-range").disabled = !range;
		document.getElementById("clear-range").hidden = !range;
		document.getElementById("thread-text").textContent = this.chosenThread === null ? "" :
			"thread " + trace.threads[this.chosenThread].name + " alone";
		document.getElementById("clear-thread").hidden = this.chosenThread === null;
		const [begin, end] = range || [0, trace.span];
		let statistics = null;
		try {
			statistics = await rangeStatistics(trace, begin, end, this.chosenThread, () => mine !== this.measuring,
				(done) => { exactness.textContent = "adding up: " + Math.round(100 * done) + " %"; });
		} catch (error) {
			this.tellFault(error);
			exactness.textContent = "the numbers below are of what was selected before";
		}
		if (!statistics)
			return;
		this.statistics = statistics;
		exactness.textContent = this.cutShort && !range ? "of all that was recorded" :
			!statistics.exact ? "\u2248 is an estimate: calls shorter than " + formatTime(trace.resolution) +
			" are kept in runs, and some are cut by the range" : statistics.hasRuns ? "exact, but for what is marked \u2248: least or most of calls in runs" : "exact";
		this.table.show(statistics);
		this.flame.show(statistics);
		this.search.count();
		this.details.show();
		this.measured = mine;
	}

	hover(x, y) {
		const hint = document.getElementById("hint"), item = this.timeline.itemAt(x, y);
		if (!item)
			return this.hideHint();
		const many = item.isRun && item.calls > 1, mark = this.trace.isMark(item.node);
		const name = mark ? this.markText(item.data, item.i) : this.trace.nodeName(item.node);
		const first = element("b", "", (many ? formatCount(item.calls) + " \u00d7 " : "") + name);
		const rest = element("div", "", mark ? this.trace.moment(item.begin, 1) : formatTime(item.end - item.begin) +
			(many ? " in all, mostly of this; zoom in for more" : "") + ", " + this.trace.functions[this.trace.name[item.node]].library);
		hint.replaceChildren(first, rest);
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

	/* One thing at a time. */
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
			(typeof DecompressionStream === "undefined" ? " (a browser of 2023 or later is needed)" : "");
		throw error;
	}
})();
