/* details.js - the details of the chosen call or function. */
const LIST_MOST = 10;

/* Returns the file and line of a function. */
function placeText(fn) {
	return fn.place ? fn.place + (fn.line ? ":" + fn.line : "") : "";
}

class Details {
	constructor(app) {
		this.app = app;
		this.box = document.getElementById("details");
		this.latest = 0;
	}

	show() {
		const { app } = this, item = app.chosen, name = app.chosenFunction;
		this.latest++;
		const parts = [];
		if (item)
			this.ofItem(item, parts);
		if (name !== null)
			this.ofFunction(app.trace.functions[name], !item, parts);
		if (!parts.length)
			parts.push(element("div", "empty", "Click on a call, a frame or a row."));
		this.box.replaceChildren(...parts);
	}

	list(pairs) {
		const list = element("dl");
		for (const [key, value] of pairs)
			if (value !== "" && value !== undefined)
				list.append(element("dt", "", key), element("dd", "", value));
		return list;
	}

	/* Returns the details as lines of text. */
	asText() {
		return this.box.innerText.replace(/\n{3,}/g, "\n\n").trim() + "\n";
	}

	/* Adds a list of lines: [text, value, action, title]. */
	lines(title, all, parts) {
		if (!all.length)
			return;
		const list = element("ol");
		for (const [text, value, action, about] of all.slice(0, LIST_MOST)) {
			const line = element("li");
			line.append(action ? buttonElement(text, action, about) : element("b", "", text));
			if (value)
				line.append(element("span", "", value));
			list.append(line);
		}
		parts.push(element("h3", "", title + (all.length > LIST_MOST ? ", the first " + LIST_MOST + " of " + formatCount(all.length) : "")), list);
	}

	ofItem(item, parts) {
		const { app } = this, trace = app.trace, { data, i, node } = item, flags = data.flags ? data.flags[i] : 0;
		const thread = trace.threads[item.thread], process = trace.processes[thread.process], many = item.isRun && item.calls > 1;
		const mark = trace.isMark(node), fn = mark ? null : trace.functions[trace.name[node]];
		parts.push(element("h2", "", (many ? formatCount(item.calls) + (mark ? " marks, most of them " : " calls, most time in ") : "") + (mark ? app.markText(data, i) : fn.name)));
		const pairs = [["begins", trace.moment(item.begin, 1)]];
		if (!mark || many)
			pairs.push([many ? "extends over" : "duration", formatTime(item.end - item.begin)]);
		if (!mark && !many)
			pairs.push(["self", "\u2026"], ["waiting", app.timeline.waits.known ? "\u2026" : ""], ["preempted", app.timeline.waits.known ? "\u2026" : ""]);
		pairs.push(["thread", thread.name + ", " + thread.tid], ["process", process.title + ", " + process.pid]);
		for (const [name, text] of (data.values && data.values.get(i)) || [])
			pairs.push([name || "result", text]);
		if (!mark)
			pairs.push(["full name", fn.fullName], ["library", fn.library], ["source", placeText(fn)],
				["depth", String(trace.lane[node] - 1)], ["end", END_NAMES[flags & 7]],
				["begin", flags & FLAG_EARLY ? "before the chosen time" : flags & FLAG_ROOT ? "before recording" : flags & FLAG_RESUMED ? "resumed here" : ""],
				["note", flags & FLAG_UNRELIABLE ? "events of this call are missing" : ""]);
		const list = this.list(pairs), buttons = element("div", "buttons");
		buttons.append(buttonElement("Zoom to this", () => app.zoomTo(item)));
		if (item.end > item.begin)
			buttons.append(buttonElement("Select its range", () => app.rangeOfChosen()));
		parts.push(list, buttons);
		if (item.isRun && data.first)
			this.entriesOf(item, parts);
		if (!mark && !many) {
			this.selfOf(item, list);
			this.waitsOf(item, list);
		}
		if (!mark)
			this.callersOf(node, parts);
	}

	entriesOf(item, parts) {
		const { trace } = this.app, { data, i } = item, list = element("ol"), all = [];
		for (let at = data.first[i]; at < data.first[i + 1]; at++)
			all.push(at);
		all.sort((a, b) => data.entryTotal[b] - data.entryTotal[a]);
		for (const at of all.slice(0, 12))
			list.append(element("li", "", formatCount(data.entryCalls[at]) + " \u00d7 " + trace.nodeName(data.entryNode[at]) + "  " + formatTime(data.entryTotal[at])));
		parts.push(element("h3", "", "Functions in this run" + (all.length > 12 ? ", the longest of " + all.length : "")), list);
	}

	/* Computes the self time: the duration minus the calls one level below. */
	async selfOf(item, list) {
		const { trace } = this.app, mine = this.latest, lane = trace.lane[item.node] + 1;
		let inner = 0, share = false;
		for await (const [, data] of trace.items(item.thread, item.begin, item.end, () => mine !== this.latest)) {
			for (let i = 0; i < data.count; i++) {
				if (trace.lane[data.node[i]] !== lane || data.end[i] <= item.begin || data.begin[i] >= item.end)
					continue;
				const part = Math.min(data.end[i], item.end) - Math.max(data.begin[i], item.begin), length = data.end[i] - data.begin[i];
				if (data.kind !== KIND_RUNS) {
					inner += part;
					continue;
				}
				share = share || part < length;
				for (let at = data.first[i]; at < data.first[i + 1]; at++)
					inner += data.entryTotal[at] * part / length;
			}
		}
		const cell = Array.from(list.querySelectorAll("dt")).find((one) => one.textContent === "self");
		if (mine === this.latest && cell)
			cell.nextSibling.textContent = (share ? "\u2248\u2009" : "") + formatTime(Math.max(0, item.end - item.begin - inner));
	}

	/* Fills in how long the thread waited in a call. */
	async waitsOf(item, list) {
		const mine = this.latest, { waits } = this.app.timeline;
		if (!waits.known)
			return;
		const sums = await waits.between(item.thread, item.begin, item.end);
		if (mine !== this.latest)
			return;
		for (const term of list.querySelectorAll("dt"))
			if (term.textContent === "waiting" || term.textContent === "preempted")
				term.nextSibling.textContent = sums ? formatTime(sums[term.textContent === "waiting" ? 0 : 1]) : "unknown";
	}

	callersOf(node, parts) {
		const { app } = this, { trace } = app, list = [];
		for (let at = trace.parent[node]; at > NODE_MARKS; at = trace.parent[at]) {
			const name = trace.name[at];
			list.push([trace.nodeName(at), "", () => app.selectFunction(name), trace.functions[name].fullName]);
		}
		this.lines("Called by", list, parts);
	}

	ofFunction(fn, alone, parts) {
		const { app } = this, row = app.table.all.find((one) => one.fn === fn), selected = app.range || app.chosenThread !== null;
		parts.push(alone ? element("h2", "", fn.name) : element("h3", "", "The function" + (selected ? ", in the selection" : "")));
		const pairs = alone ? [["full name", fn.fullName], ["library", fn.library], ["source", placeText(fn)]] : [];
		if (row) {
			const cells = app.table.cells(row);
			pairs.push(["calls", cells.calls], ["total", cells.total && cells.total + ", " + cells.share], ["self", cells.self && cells.self + ", " + cells.selfShare],
				["avg", cells.avg], ["min", cells.min], ...PERCENTILES.map((percent) => ["p" + percent, row.timed && row.calls ? "\u2026" : ""]), ["max", cells.max]);
		} else {
			pairs.push(["calls", "none here"]);
		}
		const buttons = element("div", "buttons"), list = this.list(pairs), slowest = element("div");
		buttons.append(buttonElement("Find its calls", () => app.search.findFunction(fn)));
		parts.push(list, buttons);
		this.neighboursOf(fn, parts);
		parts.push(slowest);
		if (row && row.timed && row.calls)
			this.measureCalls(fn, list, slowest);
	}

	/* Adds the functions that call this one, and those that it calls, with their times in the selection. */
	neighboursOf(fn, parts) {
		const { app } = this, { trace, statistics } = app, callers = new Map(), callees = new Map();
		if (!statistics)
			return;
		const add = (map, name, node) => {
			const sum = map.get(name) || [0, 0];
			sum[0] += statistics.total[node];
			sum[1] += statistics.calls[node];
			map.set(name, sum);
		};
		let whole = 0;
		for (let node = 2; node < trace.nodeCount; node++) {
			if (trace.isMark(node) || !(statistics.total[node] || statistics.calls[node]))
				continue;
			const parent = trace.parent[node];
			if (trace.name[node] === fn.index) {
				whole += statistics.total[node];
				add(callers, parent > NODE_MARKS ? trace.name[parent] : -1, node);
			}
			if (parent > NODE_MARKS && trace.name[parent] === fn.index)
				add(callees, trace.name[node], node);
		}
		const lines = (map) => Array.from(map).sort((a, b) => b[1][0] - a[1][0]).map(([name, [total, calls]]) => {
			const value = formatTime(total) + (whole ? ", " + formatPercent(total / whole) : "") + ", " + formatCount(calls) + "\u00d7";
			return name < 0 ? ["(no caller)", value] : [trace.functions[name].name, value, () => app.selectFunction(name), trace.functions[name].fullName];
		});
		this.lines("Callers", lines(callers), parts);
		this.lines("Callees", lines(callees), parts);
	}

	/* Fills in the percentiles and the slowest calls of a function. */
	async measureCalls(fn, list, slowest) {
		const { app } = this, mine = this.latest, [begin, end] = app.range || [0, app.trace.span], stop = () => mine !== this.latest;
		const cells = new Map(Array.from(list.querySelectorAll("dt"), (term) => [term.textContent, term.nextSibling]));
		const set = (percent, text) => { cells.get("p" + percent).textContent = text; };
		const last = end >= app.trace.span ? Infinity : end, progress = (done) => set(PERCENTILES[0], "computing: " + formatPercent(done));
		try {
			const calls = await new FunctionCalls(app, fn.index, app.range ? begin : -Infinity, last, app.chosenThread, stop, progress).measure();
			if (!calls)
				return;
			for (const percent of PERCENTILES)
				set(percent, "");
			for (const [percent, ns] of calls.percentiles)
				set(percent, (calls.near ? "\u2248\u2009" : "") + formatTime(ns));
			const parts = [];
			this.lines("Slowest calls", calls.slowest.map((item) => [formatTime(item.end - item.begin), "at " + app.trace.moment(item.begin, 1), () => app.choose(item, true),
				app.trace.threads[item.thread].name + ", " + app.trace.threads[item.thread].tid]), parts);
			slowest.replaceChildren(...parts);
		} catch (error) {
			app.showFault(error);
		}
	}
}
