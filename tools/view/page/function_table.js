/* function_table.js - the table of functions of the whole trace or of a range. It creates elements only for the visible
   rows. A column is as wide as its texts, or as the user drags it; a narrow pane scrolls to the columns that do not fit. */
const COLUMNS = [
	{ key: "name", title: "Function", text: true }, { key: "calls", title: "Calls" },
	{ key: "total", title: "Total", about: "Time in the function and its callees" },
	{ key: "share", title: "Total %", about: "Total, of the time of all calls" },
	{ key: "self", title: "Self", about: "Time in the function without its callees" },
	{ key: "selfShare", title: "Self %", about: "Self, of the time of all calls" },
	{ key: "avg", title: "Avg" }, { key: "min", title: "Min" },
	{ key: "p50", title: "P50", about: "Half of the calls are not longer, within 1.6 %. The details have exact percentiles, also of a range." },
	{ key: "p99", title: "P99", about: "99 % of the calls are not longer, within 1.6 %. The details have exact percentiles, also of a range." },
	{ key: "max", title: "Max" }, { key: "library", title: "Library", text: true },
];
const ROW = 22, COLUMN_GAP = 8, NAME_LEAST = 150, NAME_USUAL = 240;

class Table {
	constructor(app) {
		this.app = app;
		this.key = "total";
		this.descending = true;
		this.all = [];		/* rows of all functions of the selection */
		this.rows = [];		/* the rows that pass the filter */
		this.scroll = document.getElementById("table-scroll");
		this.head = document.getElementById("table-head");
		this.body = document.getElementById("table-rows");
		this.filter = document.getElementById("filter");
		this.widths = {};	/* of the columns, in pixels, as their texts need */
		this.context = document.createElement("canvas").getContext("2d");
		this.context.font = "12px ui-monospace, 'DejaVu Sans Mono', monospace";
		this.glyph = this.context.measureText("0123456789").width / 10;
		this.context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
		this.makeHead();
		this.scroll.addEventListener("scroll", () => this.draw());
		this.body.addEventListener("click", (event) => {
			const row = event.target.closest(".row");
			if (row)
				app.chooseFunction(Number(row.dataset.fn));
		});
		this.filter.addEventListener("input", () => this.applyFilter());
		document.getElementById("copy-table").addEventListener("click", () => copyText(app, this.asText()));
	}

	makeHead() {
		const head = element("div", "row");
		for (const column of COLUMNS) {
			const cell = element("span", this.classOf(column)), button = element("button", "", column.title), grip = element("i", "grip");
			cell.setAttribute("role", "columnheader");
			cell.dataset.key = column.key;
			cell.title = column.about || "";
			button.type = "button";
			button.addEventListener("click", () => this.sortBy(column.key));
			cell.append(button, grip);
			watchBar(grip, true, 1, () => cell.clientWidth, (width) => this.setWidth(column.key, Math.max(30, width)));
			grip.addEventListener("dblclick", () => this.setWidth(column.key, undefined));
			this.need(column, column.title + " \u25be", 6);
			head.append(cell);
		}
		this.head.append(head);
	}

	classOf(column) {
		return column.text ? "text " + column.key : column.key;
	}

	/* The user's width of a column, which the page remembers. @width: undefined to forget it. */
	setWidth(key, width) {
		const columns = Object.assign({}, this.app.preferences.get("columns"));
		columns[key] = width;
		this.app.preferences.set("columns", columns);
		this.draw();
	}

	/* Makes a column wide enough for a text. Columns do not become narrower, so that they stay in their places. */
	need(column, text, more) {
		const width = Math.min(260, Math.ceil(this.context.measureText(text).width) + 6 + (more || 0));
		if (width <= (this.widths[column.key] || 0))
			return false;
		this.widths[column.key] = width;
		return true;
	}

	/* Sets the columns' widths and returns how many characters of a name fit. */
	layOut() {
		const chosen = this.app.preferences.get("columns") || {}, wide = this.scroll.clientWidth;
		const widths = COLUMNS.map(({ key }) => chosen[key] || this.widths[key] || 60);
		const rest = widths.slice(1).reduce((sum, width) => sum + width + COLUMN_GAP, 20);
		const least = Math.max(NAME_LEAST, Math.min(NAME_USUAL, wide / 2 - 20));
		const name = chosen.name ? Math.max(60, chosen.name) : Math.max(least, wide - rest);
		this.scroll.style.setProperty("--columns", [name].concat(widths.slice(1)).map((width) => width + "px").join(" "));
		this.scroll.style.setProperty("--row", Math.max(wide, name + rest) + "px");
		return Math.floor((name - 2) / this.glyph);
	}

	sortBy(key) {
		const column = COLUMNS.find((one) => one.key === key);
		this.descending = key === this.key ? !this.descending : !column.text;
		this.key = key;
		this.scroll.scrollTop = 0;
		this.sort();
		this.app.changed();
	}

	sort() {
		const { key } = this, { text } = COLUMNS.find((one) => one.key === key), sign = this.descending ? -1 : 1;
		const number = (row) => row[key] === null || row[key] === undefined ? -1 : row[key];
		this.rows.sort((a, b) => sign * (text ? (a.fn[key] < b.fn[key] ? -1 : a.fn[key] > b.fn[key] ? 1 : 0) : number(a) - number(b)) ||
			(text ? 0 : b.calls - a.calls) || (a.fn.name < b.fn.name ? -1 : 1));
		for (const cell of this.head.querySelectorAll("[data-key]")) {
			const chosen = cell.dataset.key === key, { title } = COLUMNS.find((one) => one.key === cell.dataset.key);
			if (chosen)
				cell.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				cell.removeAttribute("aria-sort");
			cell.firstChild.textContent = title + (chosen ? this.descending ? " \u25be" : " \u25b4" : "");
		}
		this.draw();
	}

	show(statistics) {
		this.all = statistics.rows();
		const time = this.all.reduce((sum, row) => sum + row.self, 0);
		for (const row of this.all) {
			row.share = time ? row.total / time : 0;
			row.selfShare = time ? row.self / time : 0;
		}
		this.applyFilter();
	}

	setFilter(text) {
		this.filter.value = text;
		this.applyFilter();
	}

	/* Keeps the rows whose name or library matches the filter. */
	applyFilter() {
		const text = this.filter.value, count = document.getElementById("row-count");
		let matches = null;
		try {
			matches = text ? nameMatcher(text) : null;
		} catch (error) {
			count.textContent = "invalid regular expression";
			return;
		}
		this.rows = matches ? this.all.filter(({ fn }) => matches(fn.name) || matches(fn.fullName) || matches(fn.library)) : this.all.slice();
		count.textContent = (matches ? formatCount(this.rows.length) + " of " : "") + formatCount(this.all.length) + (this.all.length === 1 ? " function" : " functions");
		document.getElementById("table-height").style.height = this.rows.length * ROW + "px";
		this.sort();
		this.app.changed();
	}

	cells(row) {
		const mark = (near) => near ? "\u2248\u2009" : "", about = mark(row.cut);
		const single = (value, near) => row.timed && row.calls ? mark(near || row.cut) + formatTime(value) : "";
		const timed = row.timed || row.total > 0, ranked = (value) => value === null || !row.timed || !row.calls ? "" : formatTime(value);
		return { name: row.fn.name, library: row.fn.library, calls: about + formatCount(row.calls),
			total: timed ? about + formatTime(row.total) : "", self: timed ? mark(row.selfCut) + formatTime(row.self) : "",
			share: timed ? about + formatPercent(row.share) : "", selfShare: timed ? mark(row.selfCut) + formatPercent(row.selfShare) : "",
			avg: single(row.avg, false), min: single(row.min, row.minNear), max: single(row.max, row.maxNear),
			p50: ranked(row.p50), p99: ranked(row.p99) };
	}

	draw() {
		const { app } = this, first = Math.floor(this.scroll.scrollTop / ROW), count = Math.ceil(this.scroll.clientHeight / ROW) + 1;
		const shown = this.rows.slice(first, first + count).map((row) => [row, this.cells(row)]);
		for (const [, cells] of shown)
			for (const column of COLUMNS.slice(1))
				this.need(column, cells[column.key]);
		const room = this.layOut(), list = [];
		for (const [row, cells] of shown) {
			const line = element("div", "row");
			line.dataset.fn = row.fn.index;
			line.setAttribute("role", "row");
			line.classList.toggle("chosen", app.chosenFunction === row.fn.index);
			line.classList.toggle("matched", app.matched !== null && app.matched[row.fn.index] === 1);
			for (const column of COLUMNS) {
				const { key } = column, cell = element("span", this.classOf(column), key === "name" ? elideName(cells.name, room) : cells[key]);
				if (key === "name" || key === "library")
					cell.title = key === "name" ? row.fn.fullName || cells.name : cells[key];
				line.append(cell);
			}
			list.push(line);
		}
		if (!this.rows.length)
			list.push(element("div", "empty", this.all.length ? "No function matches the filter." : "No calls in this range."));
		this.body.replaceChildren(...list);
		this.body.style.transform = "translateY(" + -(this.scroll.scrollTop % ROW) + "px)";
	}

	/* Scrolls to the row of a function, if it is not visible. */
	reveal(name) {
		const at = this.rows.findIndex((row) => row.fn.index === name), top = this.scroll.scrollTop, height = this.scroll.clientHeight - this.head.clientHeight;
		if (at >= 0 && (at * ROW < top || (at + 1) * ROW > top + height))
			this.scroll.scrollTop = at * ROW - height / 2;
		this.draw();
	}

	/* Returns all rows as text, with tabs between the columns. */
	asText() {
		const lines = this.rows.map((row) => {
			const cells = this.cells(row);
			return COLUMNS.map(({ key }) => key === "name" ? row.fn.fullName || row.fn.name : cells[key]).join("\t");
		});
		return [COLUMNS.map(({ title }) => title).join("\t")].concat(lines).join("\n") + "\n";
	}
}
