/* timeline.js - draws the calls of each thread over time, at any scale. */
const GLYPH = 6.7, LABEL_LEAST = 26;

class Timeline {
	constructor(app) {
		this.app = app;
		this.trace = app.trace;
		this.canvas = document.getElementById("calls");
		this.scroll = document.getElementById("tracks");
		this.context = this.canvas.getContext("2d", { alpha: false });
		const span = Math.max(1, this.trace.span), margin = span * 0.01;
		this.least = -margin;
		this.most = span + margin;
		this.begin = this.least;
		this.end = this.most;
		this.waits = new Waits(this);
		this.tracks = new Tracks(this);
		this.colours = Uint8Array.from(this.trace.functions, colourNumber);
		this.boxes = new Boxes(app);
		this.layOut();
		this.overview = new Overview(this);
	}

	layOut() {
		this.tracks.layOut(this.height || 0);
	}

	/* Sets the size of the canvases, which clears them (to black, if opaque). Returns whether a redraw is needed. */
	resize() {
		const ratio = window.devicePixelRatio || 1, { clientWidth, clientHeight } = this.scroll;
		if (ratio === this.ratio && clientWidth === this.width && clientHeight === this.height)
			return false;
		this.ratio = ratio;
		this.width = clientWidth;
		this.height = clientHeight;
		for (const [canvas, width, height] of [[this.canvas, this.width, this.height], [this.overview.canvas, this.width, OVERVIEW]]) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		this.boxes.resize(this.context, this.canvas.width, this.canvas.height);
		this.context.fillStyle = this.app.colour("--track");
		this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
		this.overview.resize();
		this.layOut();
		return true;
	}

	get pixel() {
		return (this.end - this.begin) / (this.width - LABELS);
	}
	timeAt(x) {
		return this.begin + (x - LABELS) * this.pixel;
	}
	xOf(time) {
		return LABELS + (time - this.begin) / this.pixel;
	}

	/* Shows a range of at least 20 ns, within the trace. */
	show(begin, end) {
		const length = Math.min(this.most - this.least, Math.max(20, end - begin)), middle = (begin + end) / 2;
		this.begin = Math.max(this.least, Math.min(this.most - length, middle - length / 2));
		this.end = this.begin + length;
		this.app.hideHint();
		this.app.draw();
	}
	zoom(factor, at) {
		const length = Math.min(this.most - this.least, Math.max(20, (this.end - this.begin) * factor));
		const share = (at - this.begin) / (this.end - this.begin);
		this.show(at - length * share, at + length * (1 - share));
	}
	move(time) {
		this.show(this.begin + time, this.end + time);
	}

	/* Returns the data of a thread to draw now: the chunks of the level for this scale. If some of them are still
	   loading, also the chunks of a coarser level, which are drawn first and without labels. */
	visible(thread) {
		const trace = this.trace, level = trace.levelBelow(thread, 2 * this.pixel);
		const found = [];
		let missing = false;
		found.unlabelled = 0;
		for (const kind of trace.kindsAt(level)) {
			for (const chunk of trace.within(thread, kind, this.begin, this.end)) {
				const data = trace.get(chunk);
				missing = missing || !data;
				if (data)
					found.push(data);
			}
		}
		for (let coarser = level + 1; missing && coarser < 24; coarser++) {
			const chunks = trace.within(thread, KIND_LEVEL + coarser, this.begin, this.end).map((chunk) => trace.cache.get(chunk.index));
			if (chunks.length && chunks.every((data) => data)) {
				found.unlabelled = found.length ? chunks.length : 0;
				found.unshift(...chunks);
				break;
			}
		}
		this.missing = this.missing || missing;
		return found;
	}

	laneY(track, lane, top) {
		return lane === 0 ? top + TRACK_HEAD : top + TRACK_HEAD + track.marks + track.states + (lane - 1) * track.lane;
	}

	colourOf(node) {
		const name = this.trace.name[node], app = this.app;
		return name === app.chosenFunction ? CHOSEN : app.matched && app.matched[name] ? MATCHED : this.colours[name];
	}

	/* Paints the boxes of a thread, and adds labels and special edges to @late, marks to @marks. Skips whole
	   blocks of items outside the visible range. */
	paintBoxes(track, top, late, marks) {
		const { trace, begin, end, pixel, boxes, width } = this, laneOf = trace.lane, lastX = track.lastX, scale = 1 / pixel;
		const bottom = track.small ? Math.min(this.height, top + track.height - SMALL_LANE) : this.height;
		const laneAt = (y) => (y - this.laneY(track, 1, top)) / track.lane + 1;
		const first = Math.max(1, Math.floor(laneAt(RULER))), last = Math.min(track.levels, Math.floor(laneAt(bottom)));
		const { condition } = this.app;
		boxes.beginTrack();
		const shown = this.visible(track.index);
		for (let number = 0; number < shown.length; number++) {
			const data = shown[number], isRun = data.kind >= KIND_RUNS, labelled = number >= shown.unlabelled && !track.small;
			lastX.fill(-1);
			for (let i = 0; i < data.count; i++) {
				if (i % BLOCK_ITEMS === 0 && (data.blockEnd[i / BLOCK_ITEMS] < begin || data.blockBegin[i / BLOCK_ITEMS] > end)) {
					i += BLOCK_ITEMS - 1;
					continue;
				}
				if (data.end[i] < begin || data.begin[i] > end)
					continue;
				const node = data.node[i], lane = laneOf[node];
				const x = LABELS + (data.begin[i] - begin) * scale, right = LABELS + (data.end[i] - begin) * scale;
				if (right - x < 1) {
					if (lastX[lane] === (x | 0))
						continue;
					lastX[lane] = x | 0;
				}
				if (lane === 0) {
					marks.push([x, node, data, i]);
					continue;
				}
				if (lane < first || lane > last)
					continue;
				const from = Math.max(LABELS, x), to = Math.min(width, Math.max(right, x + 1));
				if (to <= from)
					continue;
				const found = condition && data.values && data.values.has(i) && condition(data.values.get(i));
				boxes.put(lane, from, to, 2 * (found ? MATCHED : this.colourOf(node)) + (data.busy && data.busy[i] < 100 ? 1 : 0), isRun && !track.small);
				if (labelled && to - from > 5 && (to - from >= LABEL_LEAST || (!isRun && data.flags[i] !== 0)))
					late.push([from, to, this.laneY(track, lane, top), node, data, i, isRun]);
			}
		}
		for (let lane = first; lane <= last; lane++)
			boxes.show(lane, this.laneY(track, lane, top), track.lane, RULER, bottom);
	}

	/* Draws labels, and the special edges of calls that did not begin or end in order. */
	drawLabels(late) {
		const context = this.context, trace = this.trace, dark = this.app.dark;
		context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
		context.textBaseline = "middle";
		for (const [from, to, y, node, data, i, isRun] of late) {
			const flags = isRun ? 0 : data.flags[i], end = flags & 7, width = to - from;
			if (flags & FLAG_ROOT)
				this.dashes(from, y, dark);
			if (end >= 5)
				this.dashes(to - 2.5, y, dark);
			if (end === 2 || end === 4) {
				context.fillStyle = "#c81e1e";
				context.fillRect(to - 3, y, 2.5, LANE - 1);
			}
			if (flags & FLAG_UNRELIABLE) {
				context.fillStyle = "#c81e1e";
				context.fillRect(from, y + LANE - 3, width - 0.5, 2);
			}
			if (width < LABEL_LEAST)
				continue;
			const text = isRun && data.calls[i] > 1 ? formatCount(data.calls[i]) + " \u00d7 " + trace.nodeName(node) : trace.nodeName(node) + valuesText(data, i);
			const room = Math.floor((width - 6) / GLYPH);
			context.fillStyle = dark && this.app.matched && this.colourOf(node) < MATCHED ? "#c8cdd6" : "#16181d";
			context.fillText(elideName(text, Math.max(2, room)), from + 3, y + LANE / 2);
		}
	}

	dashes(x, y, dark) {
		this.context.fillStyle = dark ? "#fff" : "#000";
		for (let at = 0; at < LANE - 2; at += 4)
			this.context.fillRect(x, y + at, 2, 2);
	}

	drawMarks(track, top, marks) {
		const { context, trace } = this, y = top + TRACK_HEAD + LANE / 2;
		if (track.small)
			return;
		marks.sort((a, b) => a[0] - b[0]);
		marks.forEach(([x, node, data, i], at) => {
			context.fillStyle = MARK_COLOURS[trace.labels[trace.name[node]][1]];
			context.beginPath();
			context.moveTo(x, y - 6);
			context.lineTo(x + 5, y);
			context.lineTo(x, y + 6);
			context.lineTo(x - 5, y);
			context.fill();
			const room = Math.floor(((at + 1 < marks.length ? marks[at + 1][0] : this.width) - x - 16) / GLYPH);
			if (room < 3)
				return;
			const text = data.calls && data.calls[i] > 1 ? formatCount(data.calls[i]) + " \u00d7 " + trace.nodeName(node) : this.app.markText(data, i);
			context.fillStyle = this.app.colour("--dim");
			context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
			context.fillText(text.length <= room ? text : text.slice(0, room - 1) + "\u2026", x + 8, y);
		});
	}

	drawRange() {
		const { context, app } = this, range = app.dragged || app.range;
		if (!range)
			return;
		const left = Math.max(LABELS, this.xOf(range[0])), right = Math.min(this.width, this.xOf(range[1]));
		if (right < LABELS || left > this.width)
			return;
		context.fillStyle = app.colour("--shade");
		context.fillRect(left, 0, right - left, this.height);
		context.fillStyle = app.colour("--accent");
		context.fillRect(left - 1, 0, 2, this.height);
		context.fillRect(right - 1, 0, 2, this.height);
		const text = formatTime(range[1] - range[0]);
		if (right - left > text.length * 7 + 8) {
			context.fillStyle = app.colour("--panel");
			context.fillRect((left + right) / 2 - text.length * 3.5 - 4, 3, text.length * 7 + 8, RULER - 7);
			context.fillStyle = app.colour("--accent");
			context.textAlign = "center";
			context.fillText(text, (left + right) / 2, RULER / 2);
			context.textAlign = "left";
		}
	}

	draw() {
		const { context, app } = this, scrolled = this.scroll.scrollTop;
		const visible = this.tracks.visible(scrolled, this.height);
		const late = [], marks = [], ticks = rulerTicks(this);
		this.missing = false;		/* set if data to draw is still loading */
		this.boxes.begin(this.ratio, ticks.map(([, , x]) => x));
		for (const track of visible) {
			const own = [];
			this.paintBoxes(track, track.y - scrolled, late, own);
			marks.push([track, own]);
		}
		this.boxes.end(context);
		context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		for (const track of visible)
			this.waits.draw(track, track.y - scrolled);
		this.drawLabels(late);
		for (const [track, own] of marks)
			this.drawMarks(track, track.y - scrolled, own);
		this.waits.drawArrows(visible, scrolled);
		this.drawChosen(scrolled);
		drawRuler(this, ticks);
		app.bookmarks.drawFlags();
		this.tracks.drawNames(visible, scrolled);
		this.drawRange();
		this.overview.draw();
	}

	drawChosen(scrolled) {
		const item = this.app.chosen;
		if (!item)
			return;
		const track = this.tracks.list[item.thread], y = this.laneY(track, this.trace.lane[item.node], track.y - scrolled);
		const left = Math.max(LABELS, this.xOf(item.begin)), right = Math.min(this.width, Math.max(this.xOf(item.end), this.xOf(item.begin) + 2));
		if (right < LABELS || left > this.width || this.trace.lane[item.node] > track.levels)
			return;
		this.context.strokeStyle = this.app.colour("--text");
		this.context.lineWidth = 2;
		if (this.trace.isMark(item.node))
			this.context.strokeRect(this.xOf(item.begin) - 8, y, 16, LANE - 1);
		else
			this.context.strokeRect(left, y, right - left, track.lane - 1);
	}

	trackAt(y) {
		return this.tracks.at(y + this.scroll.scrollTop);
	}

	/* Returns the item at this place, or null. A pointer near a short item finds it. */
	itemAt(x, y) {
		const track = y > RULER && x > LABELS ? this.trackAt(y) : null;
		if (!track)
			return null;
		const trace = this.trace, time = this.timeAt(x), top = track.y - this.scroll.scrollTop, reach = 2 * this.pixel;
		let best = null, distance = Infinity;
		for (const data of this.visible(track.index)) {
			for (let i = 0; i < data.count; i++) {
				const node = data.node[i], lane = trace.lane[node], slack = lane === 0 ? 3 * reach : reach;
				if (lane > track.levels)
					continue;
				if (data.begin[i] > time + slack || data.end[i] < time - slack)
					continue;
				const laneTop = this.laneY(track, lane, top);
				if ((lane === 0 && track.small) || y < laneTop || y >= laneTop + (lane === 0 ? LANE : track.lane))
					continue;
				const away = Math.max(data.begin[i] - time, time - data.end[i], 0);
				if (away < distance || (away === distance && best && data.kind < best.data.kind))
					[best, distance] = [{ data, i }, away];
			}
		}
		return best && this.app.item(track.index, best.data, best.i);
	}
}
