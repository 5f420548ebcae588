/* tracks.js - the place of each thread in the timeline, and the names to the left of them. */
const LABELS = 170, LANE = 18, TRACK_HEAD = 4, SMALL_LANE = 4, LEVELS_LEAST = 4, MORE_HEIGHT = 16;

/* A track shows a thread. small: as a thin strip. full: with all its levels, even if other threads then have no room. */
class Tracks {
	constructor(timeline) {
		this.timeline = timeline;
		this.trace = timeline.trace;
		const small = this.trace.threads.length > 8;
		this.list = this.trace.threads.map((thread, index) => ({ thread, index, small: small && index >= 4, full: false,
			y: 0, height: 0, lastX: new Int32Array(thread.lanes + 1) }));
		this.hasMarks = this.trace.labels.length > 1;	/* tracks have a lane for marks */
	}

	/* Returns how many levels of a thread fit if all threads that are not small are to be visible. */
	levelsThatFit(height) {
		const large = this.list.filter((track) => !track.small && !track.full), least = LEVELS_LEAST;
		const taken = this.list.reduce((sum, track) => sum + (track.small ? this.smallHeight(track) : track.full ? this.heightOf(track, track.thread.lanes - 1) : 0), 0);
		const most = large.reduce((deepest, track) => Math.max(deepest, track.thread.lanes - 1), least);
		for (let levels = most; levels > least; levels--)
			if (taken + large.reduce((sum, track) => sum + this.heightOf(track, Math.min(levels, track.thread.lanes - 1)), 0) <= height)
				return levels;
		return least;
	}

	smallHeight(track) {
		return Math.max(20, Math.min(60, Math.max(1, track.thread.lanes - 1) * SMALL_LANE + 4));
	}
	heightOf(track, levels) {
		const more = levels < track.thread.lanes - 1 ? MORE_HEIGHT : 0;
		return Math.max(42, TRACK_HEAD + (this.hasMarks ? LANE : 0) + (this.timeline.waits.known ? STATE_HEIGHT : 0) + Math.max(1, levels) * LANE + more + 6);
	}

	layOut(height) {
		const fitting = this.levelsThatFit(height - RULER - 8);
		let y = RULER;
		for (const track of this.list) {
			const all = Math.max(1, track.thread.lanes - 1);
			track.y = y;
			track.marks = this.hasMarks && !track.small ? LANE : 0;
			track.states = this.timeline.waits.known && !track.small ? STATE_HEIGHT : 0;
			track.lane = track.small ? SMALL_LANE : LANE;
			/* Two levels more need no more room than the line that would stand for them. */
			track.deep = !track.small && all > fitting + 2;
			track.levels = track.deep && !track.full ? fitting : all;
			track.height = track.small ? this.smallHeight(track) : this.heightOf(track, track.levels) + (track.deep && track.full ? MORE_HEIGHT : 0);
			y += track.height;
		}
		this.total = y + 8;
		document.getElementById("height").style.height = this.total + "px";
	}

	visible(scrolled, height) {
		return this.list.filter((track) => track.y - scrolled < height && track.y + track.height - scrolled > RULER);
	}

	at(y) {
		return this.list.find((track) => y >= track.y && y < track.y + track.height);
	}

	/* Returns y of the line about levels that are not shown, or null. */
	moreY(track) {
		return track.deep ? track.y + track.height - MORE_HEIGHT - 1 : null;
	}

	/* Draws the names. The name of a thread stays visible while any part of its track is. */
	drawNames(visible, scrolled) {
		const { timeline } = this, { context, app } = timeline;
		context.fillStyle = app.colour("--panel");
		context.fillRect(0, RULER, LABELS - 1, timeline.height);
		context.save();
		context.beginPath();
		context.rect(0, RULER, timeline.width, timeline.height);
		context.clip();
		for (const track of visible)
			this.drawName(track, track.y - scrolled);
		context.restore();
		context.fillStyle = app.colour("--line");
		context.fillRect(LABELS - 1, 0, 1, timeline.height);
	}

	drawName(track, top) {
		const { timeline } = this, { context, app } = timeline, { thread } = track, process = this.trace.processes[thread.process];
		const cut = (text, room) => text.length > room ? text.slice(0, room - 1) + "\u2026" : text;
		const y = Math.max(top, Math.min(RULER, top + track.height - 36 - (track.deep ? MORE_HEIGHT : 0)));
		if (app.chosenThread === track.index) {
			context.fillStyle = app.colour("--chosen");
			context.fillRect(0, top, LABELS - 1, track.height);
		}
		context.textBaseline = "middle";
		context.fillStyle = app.colour("--dim");
		context.font = "10px system-ui, 'DejaVu Sans', sans-serif";
		context.fillText(track.small ? "\u25b8" : "\u25be", 6, y + 11);
		if (!track.small || track.height >= 34)
			context.fillText(cut((process.title === thread.name ? "" : process.title + " ") + process.pid + " / " + thread.tid, 26), 18, y + 26);
		if (track.deep)
			this.drawMore(track, this.moreY(track) - (track.y - top));
		context.fillStyle = app.colour("--text");
		context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
		context.fillText(cut(thread.name, 20), 18, y + 11);
		context.fillStyle = app.colour("--line");
		context.fillRect(0, top + track.height - 1, timeline.width, 1);
	}

	drawMore(track, y) {
		const { context, app, width } = this.timeline, hidden = track.thread.lanes - 1 - track.levels;
		context.fillStyle = app.colour("--band");
		context.fillRect(0, y, width, MORE_HEIGHT);
		context.fillStyle = app.colour("--accent");
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.fillText(track.full ? "\u25b4 fewer levels" : "\u25be " + hidden + " more levels", 18, y + MORE_HEIGHT / 2);
	}

	/* Returns true if a click at this place of the timeline opened or closed a track, or chose its thread. */
	click(x, y) {
		const { timeline } = this, { app } = timeline, at = y + timeline.scroll.scrollTop, track = y > RULER && this.at(at);
		if (!track)
			return false;
		if (track.deep && at >= this.moreY(track))
			track.full = !track.full;
		else if (x < 18)
			track.small = !track.small;
		else if (x < LABELS)
			app.setThread(app.chosenThread === track.index ? null : track.index);
		else
			return false;
		timeline.layOut();
		app.draw();
		return true;
	}
}
