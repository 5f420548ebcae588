/* flame_pane.js - the flame graph of the whole trace or of a range. */
const FLAME_ROW = 17;

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
			context.fillText(elideName(name, room), frame.x + 3, y + FLAME_ROW / 2);
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
		this.app.selectFunction(this.trace.name[frame.node]);
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
