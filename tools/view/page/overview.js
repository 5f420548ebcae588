/* overview.js - the strip that shows the activity of the whole trace, and the part that the timeline shows. Its left end
   says what the strip shows: the number of open calls, or of threads with an open call. */
const OVERVIEW = 34;
const OVERVIEW_MODES = { calls: "Open calls", threads: "Active threads" };

class Overview {
	constructor(timeline) {
		this.timeline = timeline;
		this.canvas = document.getElementById("overview");
		this.context = this.canvas.getContext("2d");
		this.mode = "calls";
		this.activity = null;
		this.activityKey = 0;
	}

	setMode(mode) {
		this.mode = mode;
		this.picture = null;
	}

	/* The activity stays valid for a new height or density of pixels. */
	resize() {
		this.picture = null;
		if (this.activity && this.activity.calls.length !== this.columns)
			this.activity = null;
	}

	get columns() {
		return Math.max(1, Math.floor(this.timeline.width - LABELS));
	}
	xOf(time) {
		const { least, most, width } = this.timeline;
		return LABELS + (time - least) * (width - LABELS) / (most - least);
	}
	timeAt(x) {
		const { least, most, width } = this.timeline;
		return least + (x - LABELS) * (most - least) / (width - LABELS);
	}

	/* Draws the activity at each pixel, the bookmarks, and the visible range. */
	draw() {
		const { context, timeline } = this, { app, width } = timeline;
		if (!this.activity)
			this.measureActivity();
		if (!this.picture || this.pictureDark !== app.dark)
			this.drawPicture();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.drawImage(this.picture, 0, 0);
		context.setTransform(timeline.ratio, 0, 0, timeline.ratio, 0, 0);
		const begin = this.xOf(timeline.begin), end = this.xOf(timeline.end);
		if (app.range) {
			const [from, to] = app.range.map((time) => this.xOf(time));
			context.fillStyle = app.colour("--shade");
			context.fillRect(from, 0, Math.max(1, to - from), OVERVIEW);
		}
		context.fillStyle = app.colour("--accent");
		for (const mark of app.bookmarks.list)
			context.fillRect(this.xOf(mark.begin), OVERVIEW - 4, Math.max(2, this.xOf(mark.end) - this.xOf(mark.begin)), 3);
		context.fillStyle = app.dark ? "rgba(0,0,0,0.5)" : "rgba(120,130,150,0.28)";
		context.fillRect(LABELS, 0, begin - LABELS, OVERVIEW);
		context.fillRect(end, 0, width, OVERVIEW);
		context.strokeStyle = app.colour("--accent");
		context.lineWidth = 1.5;
		context.strokeRect(Math.max(LABELS, begin), 1, Math.max(3, Math.min(width - 1, end) - Math.max(LABELS, begin)), OVERVIEW - 2);
	}

	/* Draws the part that does not change when the visible range moves. */
	drawPicture() {
		const { app, width, ratio } = this.timeline, picture = document.createElement("canvas");
		picture.width = Math.max(1, this.canvas.width);
		picture.height = Math.max(1, this.canvas.height);
		const context = picture.getContext("2d", { alpha: false }), activity = this.activity[this.mode];
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = app.colour("--track");
		context.fillRect(0, 0, width, OVERVIEW);
		context.fillStyle = app.colour("--strip");
		const highest = activity.reduce((a, b) => Math.max(a, b), 1e-9), room = OVERVIEW - 4;
		for (let x = 0; x < activity.length; x++)
			if (activity[x] > 0)
				context.fillRect(LABELS + x, OVERVIEW - Math.max(2, room * activity[x] / highest), 1, OVERVIEW);
		this.drawLabel(context, highest);
		this.picture = picture;
		this.pictureDark = app.dark;
	}

	drawLabel(context, highest) {
		const { app } = this.timeline, most = highest < 10 ? highest.toFixed(1).replace(/\.0$/, "") : formatCount(highest);
		context.fillStyle = app.colour("--panel");
		context.fillRect(0, 0, LABELS - 1, OVERVIEW);
		context.fillStyle = app.colour("--line");
		context.fillRect(LABELS - 1, 0, 1, OVERVIEW);
		context.textBaseline = "middle";
		context.fillStyle = app.colour("--text");
		context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
		context.fillText("\u25be " + OVERVIEW_MODES[this.mode], 6, 11);
		context.fillStyle = app.colour("--dim");
		context.fillText("at most " + most, 18, 25);
	}

	measureActivity() {
		const { app, trace, least, most } = this.timeline, scale = this.columns / (most - least);
		const activity = this.activity = { calls: new Float32Array(this.columns), threads: new Float32Array(this.columns) };
		this.picture = null;
		this.activityKey = (this.activityKey || 0) + 1;
		const key = this.activityKey;
		for (const thread of trace.threads) {
			for (const kind of trace.kindsAt(trace.levelBelow(thread.index, 2 / scale))) {
				for (const chunk of trace.within(thread.index, kind, 0, trace.span)) {
					/* Loaded chunks are added at once, so that the strip is not empty while the window changes. */
					const cached = trace.cache.get(chunk.index);
					if (cached) {
						this.addActivity(activity, cached, scale);
						continue;
					}
					trace.load(chunk).then((data) => {
						if (key !== this.activityKey)
							return;
						this.addActivity(activity, data, scale);
						this.picture = null;
						app.draw();
					}, (error) => trace.onfault(error));
				}
			}
		}
	}

	addActivity(activity, data, scale) {
		const { trace, least } = this.timeline, { calls, threads } = activity, columns = calls.length;
		for (let i = 0; i < data.count; i++) {
			const lane = trace.lane[data.node[i]];
			if (lane === 0)
				continue;
			const busy = data.busy ? data.busy[i] / 255 : 1;
			const from = (data.begin[i] - least) * scale, to = (data.end[i] - least) * scale;
			for (let x = Math.floor(from); x <= to && x < columns; x++) {
				const part = Math.max(0, Math.min(to, x + 1) - Math.max(from, x)) * busy;
				calls[x] += part;
				if (lane === 1)
					threads[x] += part;
			}
		}
	}
}
