/* page_menu.js - the menu of a right click on a call, a row or a frame. */
class PageMenu {
	constructor(app) {
		this.app = app;
		this.box = document.getElementById("menu");
		document.addEventListener("pointerdown", (event) => {
			if (!this.box.contains(event.target))
				this.close();
		}, true);
		window.addEventListener("blur", () => this.close());
		this.box.addEventListener("keydown", (event) => this.keyDown(event));
		const on = (id, find) => document.getElementById(id).addEventListener("contextmenu", (event) => {
			event.preventDefault();
			const entries = find(event);
			if (entries && entries.length)
				this.open(event.clientX, event.clientY, entries);
		});
		on("calls", (event) => this.ofTimeline(event));
		on("table-rows", (event) => this.ofRow(event));
		on("flame", (event) => {
			const frame = app.flame.frameAt(event);
			return frame && this.ofFrame(frame);
		});
	}

	get isOpen() {
		return !this.box.hidden;
	}

	/* @entries: pairs of a text and an action. */
	open(x, y, entries) {
		this.app.hideHint();
		this.before = document.activeElement;
		this.box.replaceChildren(...entries.map(([text, action]) => {
			const one = buttonElement(text, () => {
				this.close();
				action();
			});
			one.setAttribute("role", "menuitem");
			return one;
		}));
		this.box.hidden = false;
		this.box.style.left = Math.max(2, Math.min(x, window.innerWidth - this.box.offsetWidth - 4)) + "px";
		this.box.style.top = Math.max(2, Math.min(y, window.innerHeight - this.box.offsetHeight - 4)) + "px";
		this.box.firstChild.focus();
	}

	close() {
		if (!this.isOpen)
			return;
		this.box.hidden = true;
		if (this.before)
			this.before.focus({ preventScroll: true });
	}

	keyDown(event) {
		const all = Array.from(this.box.children), at = all.indexOf(document.activeElement);
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		event.stopPropagation();
		if (step)
			all[(at + step + all.length) % all.length].focus();
		else if (event.key === "Escape")
			this.close();
		if (step || event.key === "Escape")
			event.preventDefault();
	}

	ofTimeline(event) {
		const { app } = this, [x, y] = app.input.place(event), item = app.timeline.itemAt(x, y), { trace } = app;
		if (!item)
			return app.range ? [["Zoom to the range", () => app.fitRange()], ["Bookmark the range", () => app.bookmarks.add()],
				["Clear the range", () => app.setRange(null)], ["Copy a link to this", () => this.copyLink()]] :
				[["Bookmark this part", () => app.bookmarks.add()], ["Copy a link to this", () => this.copyLink()]];
		app.choose(item);
		const entries = [["Zoom to this", () => app.zoomTo(item)]];
		if (item.end > item.begin)
			entries.push(["Select its range", () => app.rangeOfChosen()]);
		entries.push(["Bookmark it", () => app.bookmarks.add([item.begin, item.end])]);
		return entries.concat(trace.isMark(item.node) ? [["Copy the text", () => copyText(app, app.markText(item.data, item.i))], ["Copy a link to this", () => this.copyLink()]] :
			this.ofFunction(trace.functions[trace.name[item.node]]));
	}

	ofRow(event) {
		const row = event.target.closest("[data-fn]");
		if (!row)
			return null;
		const fn = this.app.trace.functions[Number(row.dataset.fn)];
		this.app.selectFunction(fn.index);
		return this.ofFunction(fn);
	}

	ofFrame(frame) {
		const { app } = this, fn = app.trace.functions[app.trace.name[frame.node]];
		app.selectFunction(fn.index);
		return [["Zoom to this frame", () => app.flame.zoom(frame.node)]].concat(this.ofFunction(fn));
	}

	ofFunction(fn) {
		const { app } = this, entries = [];
		entries.push(["Find its calls", () => app.search.findFunction(fn)], ["Show only this name in the table", () => app.table.setFilter(fn.name)],
			["Copy the name", () => copyText(app, fn.name)]);
		if (fn.fullName)
			entries.push(["Copy the full name", () => copyText(app, fn.fullName)]);
		if (fn.place)
			entries.push(["Copy the source line", () => copyText(app, placeText(fn))]);
		entries.push(["Copy a link to this", () => this.copyLink()]);
		return entries;
	}

	copyLink() {
		this.app.state.save();
		copyText(this.app, location.href);
	}
}
