/* bookmarks.js - named parts of the timeline. The address of the page has them, and the browser remembers them for the
   trace. */
class Bookmarks {
	constructor(app) {
		this.app = app;
		this.list = [];		/* { name, begin, end } */
		this.dialog = document.getElementById("bookmarks-dialog");
		this.box = document.getElementById("bookmark-list");
		this.key = "spoor-view-bookmarks " + app.trace.begin + " " + app.trace.title;
		document.getElementById("bookmarks").addEventListener("click", () => this.show());
		document.getElementById("bookmark-add").addEventListener("click", () => this.add());
	}

	/* Adds a bookmark of @range, or of the selected range, or of the visible part. */
	add(range) {
		const { app } = this, { timeline, chosen } = app, [begin, end] = range || app.range || [timeline.begin, timeline.end];
		const name = chosen && chosen.begin >= begin && chosen.end <= end ? app.itemName(chosen) : app.trace.moment(Math.max(0, begin), end - begin);
		this.list.push({ name, begin: Math.floor(begin), end: Math.ceil(end) });
		this.list.sort((a, b) => a.begin - b.begin);
		this.changed();
		app.say("bookmark added");
	}

	changed() {
		try {
			localStorage.setItem(this.key, this.asText());
		} catch (error) {
			/* The address of the page has the bookmarks. */
		}
		if (this.dialog.open)
			this.fill();
		this.app.draw();
	}

	/* Returns the bookmarks with their times since the trace began. */
	asText() {
		const { since } = this.app.trace;
		return this.list.map(({ name, begin, end }) => begin + since + ".." + (end + since) + "~" + name.replace(/[%;]/g, encodeURIComponent)).join(";");
	}

	/* @text: as returned by asText; null: those that the browser remembers. */
	read(text) {
		const { since } = this.app.trace;
		try {
			text = text === null ? localStorage.getItem(this.key) : text;
		} catch (error) {
			text = null;
		}
		this.list = [];
		for (const part of (text || "").split(";")) {
			const found = part.match(/^(-?\d+)\.\.(-?\d+)~(.*)$/);
			if (found)
				this.list.push({ name: decodeURIComponent(found[3]), begin: Number(found[1]) - since, end: Number(found[2]) - since });
		}
	}

	show() {
		this.fill();
		this.dialog.showModal();
	}

	fill() {
		this.box.replaceChildren(...this.list.map((one) => {
			const line = element("li"), name = element("input");
			name.value = one.name;
			name.setAttribute("aria-label", "Name of the bookmark");
			name.addEventListener("change", () => {
				one.name = name.value;
				this.changed();
			});
			line.append(name, element("span", "", this.app.trace.moment(one.begin, one.end - one.begin) + ", " + formatTime(one.end - one.begin)), buttonElement("Go", () => {
				this.dialog.close();
				this.app.timeline.show(one.begin, one.end);
			}), buttonElement("Remove", () => {
				this.list.splice(this.list.indexOf(one), 1);
				this.changed();
			}));
			return line;
		}));
		if (!this.list.length)
			this.box.append(element("li", "", "There is no bookmark yet."));
	}

	/* Draws a flag in the ruler for each bookmark. */
	drawFlags() {
		const { timeline } = this.app, { context } = timeline;
		context.fillStyle = this.app.colour("--accent");
		for (const { begin, end } of this.list) {
			const x = timeline.xOf(begin), right = timeline.xOf(end);
			if (right < LABELS || x > timeline.width)
				continue;
			const from = Math.max(LABELS, x);
			context.fillRect(from, RULER - 3, Math.max(1, Math.min(right, timeline.width) - from), 2);
			if (x < LABELS)
				continue;
			context.beginPath();
			context.moveTo(x, RULER - 12);
			context.lineTo(x + 7, RULER - 9);
			context.lineTo(x, RULER - 6);
			context.fill();
			context.fillRect(x, RULER - 12, 1, 11);
		}
	}
}
