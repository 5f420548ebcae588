/* input.js - keys, pointer and wheel over the timeline. */
const HELD_KEYS = { w: "in", s: "out", a: "left", d: "right", ArrowLeft: "left", ArrowRight: "right" };

/* Returns the action of a key. Caps Lock and shift do not matter: they may change while the key is down. */
function heldBy(key) {
	return HELD_KEYS[key] || HELD_KEYS[key.toLowerCase()];
}

class Input {
	constructor(app) {
		this.app = app;
		this.timeline = app.timeline;
		this.held = new Set();
		this.pointerX = null;
		this.drag = null;
		const canvas = this.timeline.canvas;
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
		canvas.addEventListener("pointermove", (event) => this.pointerMove(event));
		canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
		canvas.addEventListener("pointercancel", () => { this.drag = null; });
		canvas.addEventListener("pointerleave", () => this.app.hideHint());
		canvas.addEventListener("dblclick", (event) => this.doubleClick(event));
		this.timeline.scroll.addEventListener("scroll", () => app.draw());
		document.addEventListener("keydown", (event) => this.keyDown(event));
		document.addEventListener("keyup", (event) => this.held.delete(heldBy(event.key)));
		window.addEventListener("blur", () => this.held.clear());
		this.watchOverview();
	}

	place(event) {
		const box = this.timeline.canvas.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	wheel(event) {
		const timeline = this.timeline, [x] = this.place(event);
		const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
		event.preventDefault();
		if (x < LABELS || event.shiftKey)
			timeline.scroll.scrollTop += (event.deltaY || event.deltaX) * unit;
		else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			timeline.move(event.deltaX * unit * timeline.pixel);
		else
			timeline.zoom(Math.pow(1.0025, Math.max(-400, Math.min(400, event.deltaY * unit))), timeline.timeAt(x));
	}

	pointerDown(event) {
		if (event.button !== 0)
			return;
		const timeline = this.timeline, [x, y] = this.place(event);
		timeline.scroll.focus({ preventScroll: true });
		if (timeline.tracks.click(x, y) || x < LABELS)
			return;
		timeline.canvas.setPointerCapture(event.pointerId);
		const time = timeline.timeAt(x), range = this.app.range;
		const near = range && y < RULER ? range.findIndex((edge) => Math.abs(timeline.xOf(edge) - x) < 6) : -1;
		this.drag = { x, y, time, moved: false, begin: timeline.begin, scrolled: timeline.scroll.scrollTop,
			selects: event.shiftKey || y < RULER, anchor: near >= 0 ? range[1 - near] : time };
	}

	pointerMove(event) {
		const timeline = this.timeline, app = this.app, drag = this.drag, [x, y] = this.place(event);
		this.pointerX = x;
		if (!drag) {
			app.hover(x, y);
			timeline.canvas.style.cursor = x < LABELS ? "pointer" : y < RULER || event.shiftKey ? "col-resize" : "default";
			return;
		}
		drag.moved = drag.moved || Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3;
		if (!drag.moved)
			return;
		app.hideHint();
		if (drag.selects) {
			const time = Math.max(0, Math.min(app.trace.span, timeline.timeAt(x)));
			app.dragged = [Math.min(drag.anchor, time), Math.max(drag.anchor, time)].map((edge) => Math.max(0, edge));
			app.draw();
		} else {
			timeline.canvas.style.cursor = "grabbing";
			timeline.scroll.scrollTop = drag.scrolled - (y - drag.y);
			const begin = drag.begin - (x - drag.x) * timeline.pixel;
			timeline.show(begin, begin + timeline.end - timeline.begin);
		}
	}

	pointerUp(event) {
		const drag = this.drag, app = this.app, [x, y] = this.place(event);
		this.drag = null;
		this.timeline.canvas.style.cursor = "default";
		if (!drag)
			return;
		if (app.dragged) {
			app.setRange([Math.floor(app.dragged[0]), Math.ceil(app.dragged[1])]);
			app.dragged = null;
		} else if (!drag.moved && y > RULER) {
			app.choose(this.timeline.itemAt(x, y));
		} else if (!drag.moved) {
			app.setRange(null);
		}
	}

	doubleClick(event) {
		const [x, y] = this.place(event), item = this.timeline.itemAt(x, y);
		if (item)
			this.app.zoomTo(item);
	}

	/* A key that is held down repeats its step. */
	keyDown(event) {
		const app = this.app, key = event.key;
		if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
			return;
		app.hideHint();
		const typing = event.target.matches("input");
		if (key === "Escape") {
			app.escape();
			return;
		}
		if (typing) {
			if (key === "Enter" && event.target === app.search.input)
				app.search.go(event.shiftKey ? -1 : 1);
			return;
		}
		const held = heldBy(key);
		if (key.startsWith("Arrow") && event.target.closest("#table-scroll, .bar"))
			return;
		const actions = { "/": () => app.search.focus(), "?": () => app.showHelp(), n: () => app.search.go(1),
			N: () => app.search.go(-1), ArrowUp: () => this.scrollBy(-1), ArrowDown: () => this.scrollBy(1), f: () => app.fitRange(), m: () => app.rangeOfChosen(), b: () => app.bookmarks.add(), 0: () => app.showAll() };
		if (held) {
			event.preventDefault();
			if (!event.repeat)
				this.step(held, 1);
			this.hold(held);
		} else if (actions[key]) {
			event.preventDefault();
			actions[key]();
		}
	}

	scrollBy(lanes) {
		this.timeline.scroll.scrollTop += 3 * lanes * LANE;
	}

	step(what, times) {
		const timeline = this.timeline, length = timeline.end - timeline.begin;
		const inside = this.pointerX !== null && this.pointerX > LABELS;
		const at = inside ? timeline.timeAt(this.pointerX) : (timeline.begin + timeline.end) / 2;
		if (what === "in" || what === "out")
			timeline.zoom(Math.pow(what === "in" ? 1 / 1.35 : 1.35, times), at);
		else
			timeline.move((what === "left" ? -0.1 : 0.1) * length * times);
	}

	hold(what) {
		const begun = this.held.size > 0;
		this.held.add(what);
		if (begun)
			return;
		let last = performance.now() + 150;	/* a short press has ended by then */
		const frame = (now) => {
			if (now > last) {
				for (const one of this.held)
					this.step(one, Math.min(100, now - last) / 90);
				last = now;
			}
			if (this.held.size)
				requestAnimationFrame(frame);
		};
		requestAnimationFrame(frame);
	}

	watchOverview() {
		const timeline = this.timeline, canvas = timeline.overview.canvas;
		let dragging = false;
		const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
		const centre = (event) => {
			const length = timeline.end - timeline.begin, time = timeline.overview.timeAt(x(event));
			timeline.show(time - length / 2, time + length / 2);
		};
		canvas.addEventListener("pointerdown", (event) => {
			if (x(event) < LABELS) {
				timeline.overview.setMode(timeline.overview.mode === "calls" ? "threads" : "calls");
				this.app.draw();
				return;
			}
			dragging = true;
			canvas.setPointerCapture(event.pointerId);
			centre(event);
		});
		canvas.addEventListener("pointermove", (event) => {
			if (dragging)
				centre(event);
		});
		canvas.addEventListener("pointerup", () => { dragging = false; });
	}
}
