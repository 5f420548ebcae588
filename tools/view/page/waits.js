/* waits.js - shows when threads ran, waited and were preempted, if the trace says so: a line of states below the name of a
   thread, hatched parts of calls, and arrows from the thread that woke another one. */
const KIND_WAITS = 90, STATE_HEIGHT = 7, STATE_GAP = 2;
const STATE_COLOURS = { running: "#6fae5c", waiting: "#9aa3b2", preempted: "#e08a1e" };
const ARROWS_MOST = 200, ARROW_LEAST = 6;

/* Decodes the gaps of a thread, in which it had no processor. thread_waits.h describes the format. */
function decodeWaits(chunk, columns) {
	const count = chunk.items, data = { count, kind: chunk.kind };
	data.begin = readSums(columns[0], count, new Float64Array(count), chunk.first);
	data.end = readNumbers(columns[1], count, new Float64Array(count));
	for (let i = 0; i < count; i++)
		data.end[i] += data.begin[i];
	data.preempted = readNumbers(columns[2], count, new Uint8Array(count));
	data.depth = readNumbers(columns[3], count, new Uint32Array(count));
	data.waker = readNumbers(columns[4], count, new Uint32Array(count));
	data.reason = readNumbers(columns[5], count, new Uint32Array(count));
	data.wakerFunction = readNumbers(columns[6], count, new Uint32Array(count));
	return data;
}

class Waits {
	constructor(timeline) {
		this.timeline = timeline;
		this.trace = timeline.trace;
		this.chunks = this.trace.waits;	/* by thread */
		this.known = this.chunks.some((list) => list.length > 0);
	}

	/* Returns the first gap of a chunk that ends after @time. Gaps are in order and do not overlap. */
	static firstAfter(data, time) {
		let low = 0, high = data.count;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (data.end[middle] <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Calls @step with the data and the number of each gap of a thread in a range, as far as they are loaded. */
	forEach(thread, begin, end, step) {
		for (const chunk of this.chunks[thread]) {
			if (chunk.end < begin || chunk.begin > end)
				continue;
			const data = this.trace.get(chunk);
			for (let i = data ? Waits.firstAfter(data, begin) : 0; data && i < data.count && data.begin[i] < end; i++)
				step(data, i);
		}
	}

	stateY(track, top) {
		return top + TRACK_HEAD + track.marks;
	}

	/* Draws the line of states of a thread, and hatches its waits. */
	draw(track, top) {
		const { timeline } = this, { context, width } = timeline, y = this.stateY(track, top), list = this.chunks[track.index];
		if (!track.states || !list.length)
			return;
		const from = Math.max(LABELS, timeline.xOf(Math.max(0, list[0].begin))), to = Math.min(width, timeline.xOf(this.trace.span));
		context.fillStyle = STATE_COLOURS.running;
		context.fillRect(from, y, Math.max(0, to - from), STATE_HEIGHT - STATE_GAP);
		let last = -1;
		this.forEach(track.index, timeline.begin, timeline.end, (data, i) => {
			const x = Math.max(LABELS, timeline.xOf(data.begin[i])), right = Math.min(width, Math.max(x + 1, timeline.xOf(data.end[i])));
			if (right - x <= 1 && last === (x | 0))
				return;
			last = x | 0;
			context.fillStyle = data.preempted[i] ? STATE_COLOURS.preempted : STATE_COLOURS.waiting;
			context.fillRect(x, y, right - x, STATE_HEIGHT - STATE_GAP);
			const levels = Math.min(track.levels, data.depth[i]);
			if (right - x >= 3 && levels > 0)
				this.hatch(x, timeline.laneY(track, 1, top), right - x, levels * LANE - 1);
		});
	}

	hatch(x, y, width, height) {
		const { context, app, ratio } = this.timeline;
		if (!this.pattern || this.patternDark !== app.dark) {
			const tile = document.createElement("canvas"), size = Math.round(6 * ratio);
			tile.width = tile.height = size;
			const lines = tile.getContext("2d");
			lines.strokeStyle = app.dark ? "rgba(10,12,16,0.55)" : "rgba(255,255,255,0.6)";
			lines.lineWidth = 1.6 * ratio;
			lines.beginPath();
			for (const at of [-size, 0, size]) {
				lines.moveTo(at, size);
				lines.lineTo(at + size, 0);
			}
			lines.stroke();
			this.pattern = context.createPattern(tile, "repeat");
			this.patternDark = app.dark;
		}
		context.save();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.fillStyle = this.pattern;
		context.fillRect(x * ratio, y * ratio, width * ratio, height * ratio);
		context.restore();
	}

	/* Draws arrows from the waking thread to the woken one, for waits that are wide enough. */
	drawArrows(visible, scrolled) {
		const { timeline } = this, { context, app } = timeline, tracks = timeline.tracks.list;
		let drawn = 0;
		context.strokeStyle = context.fillStyle = app.colour("--accent");
		context.lineWidth = 1.2;
		for (const track of visible) {
			if (!this.chunks[track.index].length)
				continue;
			this.forEach(track.index, timeline.begin, timeline.end, (data, i) => {
				const x = timeline.xOf(data.end[i]), wide = (data.end[i] - data.begin[i]) / timeline.pixel, waker = tracks[data.waker[i] - 1];
				if (!waker || waker === track || wide < ARROW_LEAST || x < LABELS || x > timeline.width || drawn++ >= ARROWS_MOST)
					return;
				this.arrow(x, this.middle(waker) - scrolled, this.middle(track) - scrolled);
			});
		}
	}

	/* Returns y of the middle of a thread's line of states. */
	middle(track) {
		return this.stateY(track, track.y) + (track.states ? (STATE_HEIGHT - STATE_GAP) / 2 : track.height / 2);
	}

	arrow(x, from, to) {
		const { context } = this.timeline, down = to > from ? 1 : -1;
		context.beginPath();
		context.moveTo(x, from);
		context.lineTo(x, to - 5 * down);
		context.stroke();
		context.beginPath();
		context.moveTo(x, to - down);
		context.lineTo(x - 3.5, to - 7 * down);
		context.lineTo(x + 3.5, to - 7 * down);
		context.fill();
	}

	/* Returns the text about the state under the pointer, or null. */
	textAt(x, y) {
		const { timeline, trace } = this, track = this.known && x > LABELS && y > RULER && timeline.trackAt(y);
		const top = track && track.y - timeline.scroll.scrollTop;
		if (!track || !track.states || y < this.stateY(track, top) || y >= this.stateY(track, top) + STATE_HEIGHT)
			return null;
		const time = timeline.timeAt(x), slack = timeline.pixel;
		let text = this.chunks[track.index].length ? ["running", ""] : null;
		this.forEach(track.index, time - slack, time + slack, (data, i) => {
			const waker = trace.threads[data.waker[i] - 1], reason = data.reason[i] ? trace.strings[data.reason[i]][0] : "";
			const where = data.wakerFunction[i] ? " in " + trace.strings[data.wakerFunction[i]][0] : "";
			text = [(data.preempted[i] ? "preempted" : "waiting" + (reason ? " in " + reason : "")) + " for " + formatTime(data.end[i] - data.begin[i]),
				"from " + trace.moment(data.begin[i], 1) + (waker ? "; woken by " + waker.name + ", " + waker.tid + where : "")];
		});
		return text;
	}

	/* Returns how long a thread waited, and was preempted, in a range: [waiting, preempted], or null if that is unknown. */
	async between(thread, begin, end) {
		const sums = [0, 0];
		if (!this.chunks[thread].length)
			return null;
		for (const chunk of this.chunks[thread]) {
			if (chunk.end < begin || chunk.begin > end)
				continue;
			const data = await this.trace.load(chunk);
			for (let i = Waits.firstAfter(data, begin); i < data.count && data.begin[i] < end; i++)
				sums[data.preempted[i]] += Math.min(data.end[i], end) - Math.max(data.begin[i], begin);
		}
		return sums;
	}
}
