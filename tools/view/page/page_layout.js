/* page_layout.js - the sizes of the timeline and the panes, which the user changes by the bars between them, and the
   choice of panes in a narrow window. */

/* Makes a bar that changes a size when the user drags it or presses an arrow key. @vertical: the bar is a vertical line.
   @size: returns the size now. @set: takes the wanted size; @sign -1: the sized part is after the bar. */
function watchBar(bar, vertical, sign, size, set) {
	let from = null;
	const place = (event) => vertical ? event.clientX : event.clientY;
	bar.addEventListener("pointerdown", (event) => {
		bar.setPointerCapture(event.pointerId);
		from = [place(event), size()];
	});
	bar.addEventListener("pointermove", (event) => {
		if (bar.hasPointerCapture(event.pointerId) && from)
			set(from[1] + sign * (place(event) - from[0]));
	});
	bar.addEventListener("pointerup", () => { from = null; });
	bar.addEventListener("keydown", (event) => {
		const step = { ArrowUp: -20, ArrowLeft: -20, ArrowDown: 20, ArrowRight: 20 }[event.key];
		if (step === undefined || vertical !== (event.key === "ArrowLeft" || event.key === "ArrowRight"))
			return;
		event.preventDefault();
		set(size() + sign * step);
	});
}

class PageLayout {
	constructor(app) {
		const get = (id) => document.getElementById(id);
		this.app = app;
		this.timeline = get("timeline");
		this.panes = get("panes");
		watchBar(get("splitter"), false, 1, () => this.timeline.clientHeight, (height) => this.set("timeline", height));
		watchBar(get("flame-bar"), true, -1, () => get("flame-pane").clientWidth, (width) => this.set("flame", width));
		watchBar(get("details-bar"), true, -1, () => get("details-pane").clientWidth, (width) => this.set("details", width));
		for (const tab of document.querySelectorAll("#tabs button"))
			tab.addEventListener("click", () => this.showTab(tab.dataset.tab));
		this.showTab("table");
		for (const name of ["timeline", "flame", "details"])
			if (app.preferences.get(name) !== undefined)
				this.apply(name, app.preferences.get(name));
	}

	/* Shares are parts of the window, so that they fit into another window too. */
	set(name, pixels) {
		const whole = name === "timeline" ? document.querySelector("main").clientHeight : this.panes.clientWidth;
		const least = name === "timeline" ? 90 : 140, rest = name === "timeline" ? 120 : 220;
		const share = Math.max(least, Math.min(whole - rest, pixels)) / whole;
		this.apply(name, share);
		this.app.preferences.set(name, share);
		this.app.resize();
	}

	apply(name, share) {
		if (name === "timeline")
			this.timeline.style.flexBasis = 100 * share + "%";
		else
			this.panes.style.setProperty("--" + name, 100 * share + "%");
	}

	/* A narrow window shows one of these panes at a time. */
	showTab(name) {
		this.panes.dataset.tab = name;
		for (const tab of document.querySelectorAll("#tabs button"))
			tab.setAttribute("aria-selected", tab.dataset.tab === name);
		if (this.app.table)
			this.app.resize();
	}
}
