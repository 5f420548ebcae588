/* page_state.js - keeps what the page shows in its address, after the '#', so that a copied address and a reloaded page
   show the same. Times are nanoseconds since the trace began. */
const SAVE_MS = 250;

class PageState {
	constructor(app) {
		this.app = app;
		this.timer = 0;
		this.saved = null;
		window.addEventListener("hashchange", () => {
			if (location.hash.slice(1) !== this.saved)
				this.restore();
		});
	}

	/* Saves the state soon. A browser limits how often a page may change its address. */
	saveSoon() {
		if (!this.timer && this.saved !== null)
			this.timer = setTimeout(() => this.save(), SAVE_MS);
	}

	save() {
		const { app } = this, { timeline, trace, chosen, table } = app, state = new URLSearchParams();
		const range = ([begin, end]) => Math.floor(begin + trace.since) + ".." + Math.ceil(end + trace.since);
		clearTimeout(this.timer);
		this.timer = 0;
		if (timeline.begin > timeline.least || timeline.end < timeline.most)
			state.set("view", range([timeline.begin, timeline.end]));
		if (app.range)
			state.set("range", range(app.range));
		if (chosen)
			state.set("call", [trace.threads[chosen.thread].tid, Math.round(chosen.begin + trace.since), trace.lane[chosen.node]].join(","));
		else if (app.chosenFunction !== null)
			state.set("function", trace.functions[app.chosenFunction].name + "@" + trace.functions[app.chosenFunction].library);
		if (app.chosenThread !== null)
			state.set("thread", trace.threads[app.chosenThread].tid);
		if (app.search.input.value)
			state.set("search", app.search.input.value);
		if (table.filter.value)
			state.set("filter", table.filter.value);
		if (table.key !== "total" || !table.descending)
			state.set("sort", (table.descending ? "" : "-") + table.key);
		if (timeline.overview.mode !== "calls")
			state.set("strip", timeline.overview.mode);
		if (app.bookmarks.list.length)
			state.set("bookmarks", app.bookmarks.asText());
		this.saved = state.toString();
		if (this.saved !== location.hash.slice(1))
			history.replaceState(null, "", location.pathname + location.search + (this.saved ? "#" + this.saved : ""));
	}

	/* Shows the state that the address has. */
	restore() {
		const { app } = this, { trace, timeline, table } = app, state = new URLSearchParams(location.hash.slice(1));
		const range = (text) => {
			const found = (text || "").match(/^(-?\d+)\.\.(-?\d+)$/);
			return found && Number(found[2]) > Number(found[1]) ? [Number(found[1]) - trace.since, Number(found[2]) - trace.since] : null;
		};
		const view = range(state.get("view")), thread = trace.threads.findIndex((one) => String(one.tid) === state.get("thread"));
		timeline.show(...(view || [timeline.least, timeline.most]));
		app.range = range(state.get("range"));
		app.chosenThread = thread >= 0 ? thread : null;
		app.bookmarks.read(state.get("bookmarks"));
		timeline.overview.setMode(state.get("strip") === "threads" ? "threads" : "calls");
		const sort = (state.get("sort") || "total").match(/^(-?)(\w+)$/);
		if (sort && COLUMNS.some(({ key }) => key === sort[2]))
			[table.key, table.descending] = [sort[2], !sort[1]];
		table.filter.value = state.get("filter") || "";
		app.search.input.value = state.get("search") || "";
		app.search.find();
		const named = trace.functions.findIndex((fn) => fn.index && fn.name + "@" + fn.library === state.get("function"));
		app.chosen = null;
		app.chosenFunction = named >= 0 ? named : null;
		this.saved = location.hash.slice(1);
		app.measure();
		if (state.get("call"))
			this.chooseCall(...state.get("call").split(",").map(Number));
		app.details.show();
		app.redraw();
	}

	/* Chooses the call of a thread that began at @begin, at a depth. */
	async chooseCall(tid, begin, lane) {
		const { app } = this, { trace } = app, thread = trace.threads.findIndex((one) => one.tid === tid), at = begin - trace.since;
		if (thread < 0)
			return;
		try {
			for await (const [, data] of trace.items(thread, at, at)) {
				for (let i = 0; i < data.count; i++) {
					if (data.begin[i] === at && trace.lane[data.node[i]] === lane && app.chosen === null) {
						app.choose(app.item(thread, data, i));
						return;
					}
				}
			}
		} catch (error) {
			app.showFault(error);
		}
	}
}
