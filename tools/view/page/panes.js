/* panes.js - the table of functions and the flame graph of a range, and the details of a call. */
const COLUMNS = [["name", "Function"], ["calls", "Calls"], ["total", "Total"], ["self", "Self"], ["avg", "Avg"],
	["min", "Min"], ["max", "Max"], ["library", "Library"]];
const ROW = 22, FLAME_ROW = 17;

function element(tag, className, text) {
	const one = document.createElement(tag);
	if (className)
		one.className = className;
	if (text !== undefined)
		one.textContent = text;
	return one;
}

/* The table creates elements only for the visible rows. */
class Table {
	constructor(app) {
		this.app = app;
		this.key = "total";
		this.descending = true;
		this.rows = [];
		this.scroll = document.getElementById("table-scroll");
		this.body = document.getElementById("table-rows");
		const head = element("div", "row");
		for (const [key, title] of COLUMNS) {
			const cell = element("span", this.classOf(key)), button = element("button", "", title);
			cell.setAttribute("role", "columnheader");
			cell.dataset.key = key;
			button.type = "button";
			button.addEventListener("click", () => this.sortBy(key));
			cell.append(button);
			head.append(cell);
		}
		document.getElementById("table-head").append(head);
		this.scroll.addEventListener("scroll", () => this.draw());
		this.body.addEventListener("click", (event) => {
			const row = event.target.closest(".row");
			if (row)
				app.chooseFunction(Number(row.dataset.fn));
		});
	}

	classOf(key) {
		return key === "name" || key === "library" ? "text " + key : key === "min" || key === "max" ? "ends" : key;
	}

	sortBy(key) {
		this.descending = key === this.key ? !this.descending : key !== "name" && key !== "library";
		this.key = key;
		this.scroll.scrollTop = 0;
		this.sort();
	}

	sort() {
		const text = this.key === "name" || this.key === "library", sign = this.descending ? -1 : 1, key = this.key;
		this.rows.sort((a, b) => sign * (text ? (a.fn[key] < b.fn[key] ? -1 : a.fn[key] > b.fn[key] ? 1 : 0) : a[key] - b[key]) ||
			(text ? 0 : b.calls - a.calls) || (a.fn.name < b.fn.name ? -1 : 1));
		for (const cell of document.querySelectorAll("#table-head [data-key]")) {
			const chosen = cell.dataset.key === key, [, title] = COLUMNS.find((column) => column[0] === cell.dataset.key);
			if (chosen)
				cell.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				cell.removeAttribute("aria-sort");
			cell.firstChild.textContent = title + (chosen ? this.descending ? " \u25be" : " \u25b4" : "");
		}
		this.draw();
	}

	show(statistics) {
		this.rows = statistics.rows();
		document.getElementById("table-height").style.height = this.rows.length * ROW + "px";
		this.sort();
	}

	cells(row) {
		const mark = (near) => near ? "\u2248\u2009" : "", about = mark(row.cut);
		const single = (value, near) => row.timed && row.calls ? mark(near || row.cut) + formatTime(value) : "";
		const timed = row.timed || row.total > 0;
		return { name: row.fn.name, library: row.fn.library, calls: about + formatCount(row.calls),
			total: timed ? about + formatTime(row.total) : "", self: timed ? mark(row.selfCut) + formatTime(row.self) : "",
			avg: single(row.avg, false), min: single(row.min, row.minNear), max: single(row.max, row.maxNear) };
	}

	draw() {
		const first = Math.floor(this.scroll.scrollTop / ROW), count = Math.ceil(this.scroll.clientHeight / ROW) + 1;
		const app = this.app, list = [];
		for (const row of this.rows.slice(first, first + count)) {
			const line = element("div", "row"), cells = this.cells(row);
			line.dataset.fn = row.fn.index;
			line.setAttribute("role", "row");
			line.classList.toggle("chosen", app.chosenFunction === row.fn.index);
			line.classList.toggle("matched", app.matched !== null && app.matched[row.fn.index] === 1);
			for (const [key] of COLUMNS) {
				const cell = element("span", this.classOf(key), cells[key]);
				if (key === "name" || key === "library")
					cell.title = cells[key];
				line.append(cell);
			}
			list.push(line);
		}
		if (!this.rows.length)
			list.push(element("div", "empty", "No calls in this range."));
		this.body.replaceChildren(...list);
		this.body.style.transform = "translateY(" + -(this.scroll.scrollTop % ROW) + "px)";
	}

	/* Scrolls to the row of a function, if it is not visible. */
	reveal(name) {
		const at = this.rows.findIndex((row) => row.fn.index === name), top = this.scroll.scrollTop;
		if (at >= 0 && (at * ROW < top || (at + 1) * ROW > top + this.scroll.clientHeight))
			this.scroll.scrollTop = at * ROW - this.scroll.clientHeight / 2;
		this.draw();
	}
}

/* Callees are below their callers. The width of a frame is its share of the time. */
class Flame {
	constructor(app) {
		this.app = app;
		this.trace = app.trace;
		this.canvas = document.getElementById("flame");
		this.box = document.getElementById("flame-scroll");
		this.root = 0;
		this.frames = [];
		this.canvas.addEventListener("click", (event) => this.click(event));
		this.canvas.addEventListener("pointermove", (event) => this.hover(event));
		this.canvas.addEventListener("pointerleave", () => this.title(null));
		document.getElementById("flame-reset").addEventListener("click", () => this.zoom(0));
	}

	show(statistics) {
		const { trace } = this, count = trace.nodeCount, total = statistics.total;
		this.total = Float64Array.from(total);
		this.calls = statistics.calls;
		this.children = new Map();
		this.total[0] = 0;
		for (let node = 2; node < count; node++) {
			if (trace.isMark(node) || !(total[node] > 0))
				continue;
			if (trace.parent[node] === 0)
				this.total[0] += total[node];
			const siblings = this.children.get(trace.parent[node]);
			if (siblings)
				siblings.push(node);
			else
				this.children.set(trace.parent[node], [node]);
		}
		if (!(this.total[this.root] > 0))
			this.root = 0;
		this.draw();
	}

	zoom(node) {
		this.root = node;
		document.getElementById("flame-reset").hidden = node === 0;
		this.draw();
	}

	/* Returns the frames that are at least 0.3 pixels wide, and the callers of the root. */
	layOut(width) {
		const { trace } = this, frames = [], above = [];
		for (let node = this.root; node > NODE_MARKS; node = trace.parent[node])
			above.unshift(node);
		above.forEach((node, depth) => frames.push({ node, x: 0, width, depth, above: node !== this.root }));
		const todo = [[this.root, 0, width, above.length]];
		while (todo.length) {
			const [node, x, wide, depth] = todo.pop(), scale = wide / (this.total[node] || 1);
			const list = this.children.get(node) || [];
			if (!list.sorted) {
				list.sort((a, b) => trace.nodeName(a) < trace.nodeName(b) ? -1 : 1);
				list.sorted = true;
			}
			let at = x;
			for (const child of list) {
				const childWide = this.total[child] * scale;
				if (childWide >= 0.3) {
					frames.push({ node: child, x: at, width: childWide, depth });
					todo.push([child, at, childWide, depth + 1]);
				}
				at += childWide;
			}
		}
		return frames;
	}

	draw() {
		const { app, canvas, box, trace } = this, ratio = window.devicePixelRatio || 1, width = box.clientWidth;
		if (!this.total || width < 1)
			return;
		this.frames = this.layOut(width);
		const deepest = this.frames.reduce((most, frame) => Math.max(most, frame.depth), 0);
		const height = Math.min(16000, Math.max(box.clientHeight - 4, (deepest + 1) * FLAME_ROW));
		canvas.width = width * ratio;
		canvas.height = height * ratio;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
		const context = canvas.getContext("2d", { alpha: false });
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = app.colour("--back");
		context.fillRect(0, 0, width, height);
		context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
		context.textBaseline = "middle";
		for (const frame of this.frames) {
			const colour = app.timeline.colourOf(frame.node), y = frame.depth * FLAME_ROW;
			context.globalAlpha = (frame.above ? 0.6 : 1) * (app.matched && colour < MATCHED ? 0.4 : 1);
			context.fillStyle = PALETTE[colour];
			context.fillRect(frame.x, y, Math.max(0.5, frame.width - 0.6), FLAME_ROW - 1);
			context.globalAlpha = 1;
			const room = Math.floor((frame.width - 6) / GLYPH), name = trace.nodeName(frame.node);
			if (room < 3)
				continue;
			context.fillStyle = app.dark && app.matched && colour < MATCHED ? "#c8cdd6" : "#16181d";
			context.fillText(name.length <= room ? name : name.slice(0, room - 1) + "\u2026", frame.x + 3, y + FLAME_ROW / 2);
		}
		this.title(null);
	}

	frameAt(event) {
		const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top) / FLAME_ROW);
		return this.frames.find((frame) => frame.depth === depth && x >= frame.x && x < frame.x + frame.width);
	}
	click(event) {
		const frame = this.frameAt(event);
		if (!frame)
			return;
		this.zoom(frame.node);
		this.app.chooseFunction(this.trace.name[frame.node]);
	}
	hover(event) {
		this.title(this.frameAt(event));
		this.canvas.style.cursor = this.frameAt(event) ? "pointer" : "default";
	}
	title(frame) {
		const text = document.getElementById("flame-text"), all = this.total[0];
		text.textContent = frame ? this.trace.nodeName(frame.node) + ": " + formatTime(this.total[frame.node]) + ", " +
			(100 * this.total[frame.node] / (all || 1)).toFixed(1) + " %, " + formatCount(this.calls[frame.node]) + " calls" :
			"Flame graph: " + formatTime(all) + (all ? " of calls" : "");
	}
}

/* Shows the facts about the chosen call or function. */
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

	button(text, action) {
		const one = element("button", "", text);
		one.type = "button";
		one.addEventListener("click", action);
		return one;
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
			pairs.push(["self", "\u2026"]);
		pairs.push(["thread", thread.name + ", " + thread.tid], ["process", process.title + ", " + process.pid]);
		if (!mark)
			pairs.push(["full name", fn.fullName], ["library", fn.library], ["source", fn.place ? fn.place + (fn.line ? ":" + fn.line : "") : ""],
				["depth", String(trace.lane[node] - 1)], ["end", END_NAMES[flags & 7]],
				["begin", flags & FLAG_EARLY ? "before the chosen time" : flags & FLAG_ROOT ? "before recording" : flags & FLAG_RESUMED ? "resumed here" : ""],
				["note", flags & FLAG_UNRELIABLE ? "events of this call are missing" : ""]);
		const list = this.list(pairs), buttons = element("div", "buttons");
		buttons.append(this.button("Zoom to this", () => app.zoomTo(item)));
		if (item.end > item.begin)
			buttons.append(this.button("Select its range", () => app.rangeOfChosen()));
		parts.push(list, buttons);
		if (item.isRun && data.first)
			this.entriesOf(item, parts);
		if (!mark && !many)
			this.selfOf(item, list);
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

	callersOf(node, parts) {
		const { app } = this, list = element("ol");
		for (let at = app.trace.parent[node]; at > NODE_MARKS; at = app.trace.parent[at]) {
			const line = element("li"), name = app.trace.name[at];
			line.append(this.button(app.trace.nodeName(at), () => app.chooseFunction(name)));
			list.append(line);
		}
		if (list.children.length)
			parts.push(element("h3", "", "Called by"), list);
	}

	ofFunction(fn, alone, parts) {
		const { app } = this, row = app.table.rows.find((one) => one.fn === fn);
		parts.push(alone ? element("h2", "", fn.name) : element("h3", "", "The function" + (app.range || app.chosenThread !== null ? ", in the selection" : "")));
		const pairs = alone ? [["full name", fn.fullName], ["library", fn.library], ["source", fn.place ? fn.place + (fn.line ? ":" + fn.line : "") : ""]] : [];
		if (row) {
			const cells = app.table.cells(row);
			for (const [key, title] of COLUMNS.slice(1, 7))
				pairs.push([title.toLowerCase(), cells[key]]);
		} else {
			pairs.push(["calls", "none here"]);
		}
		const buttons = element("div", "buttons");
		buttons.append(this.button("Find its calls", () => app.search.findFunction(fn)));
		parts.push(this.list(pairs), buttons);
	}
}
