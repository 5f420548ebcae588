/* overview.js - the strip that shows the activity of the whole trace, and the part that the timeline shows. */
const OVERVIEW = 34;

class Overview {
	constructor(timeline) {
		this.timeline = timeline;
		this.canvas = document.getElementById("overview");
		this.context = this.canvas.getContext("2d");
		this.activity = null;
		this.activityKey = 0;
	}

	/* The activity stays valid for a new height or density of pixels. */
	resize() {
		this.picture = null;
		if (this.activity && this.activity.length !== this.columns)
			this.activity = null;
	}

	get columns() {
		return Math.max(1, Math.floor(this.timeline.width));
	}

	/* Draws the number of busy threads at each pixel, and the visible range. */
	draw() {
		const { context, timeline } = this, { app, width, least, most } = timeline;
		if (!this.activity)
			this.measureActivity();
		if (!this.picture || this.pictureDark !== app.dark)
			this.drawPicture();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.drawImage(this.picture, 0, 0);
		context.setTransform(timeline.ratio, 0, 0, timeline.ratio, 0, 0);
		const scale = width / (most - least), edge = (time) => (time - least) * scale;
		if (app.range) {
			context.fillStyle = app.colour("--shade");
			context.fillRect(edge(app.range[0]), 0, Math.max(1, edge(app.range[1]) - edge(app.range[0])), OVERVIEW);
		}
		context.fillStyle = app.dark ? "rgba(0,0,0,0.5)" : "rgba(120,130,150,0.28)";
		context.fillRect(0, 0, edge(timeline.begin), OVERVIEW);
		context.fillRect(edge(timeline.end), 0, width, OVERVIEW);
		context.strokeStyle = app.colour("--accent");
		context.lineWidth = 1.5;
		context.strokeRect(Math.max(1, edge(timeline.begin)), 1, Math.max(3, Math.min(width - 2, edge(timeline.end)) - edge(timeline.begin)), OVERVIEW - 2);
	}

	/* Draws the part that does not change when the visible range moves. */
	drawPicture() {
		const { app, width, ratio } = this.timeline, picture = document.createElement("canvas");
		picture.width = Math.max(1, this.canvas.width);
		picture.height = Math.max(1, this.canvas.height);
		const context = picture.getContext("2d", { alpha: false });
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = app.colour("--track");
		context.fillRect(0, 0, width, OVERVIEW);
		context.fillStyle = app.colour("--dim");
		const highest = this.activity.reduce((a, b) => Math.max(a, b), 1e-9);
		for (let x = 0; x < this.activity.length; x++)
			if (this.activity[x] > 0)
				context.fillRect(x, OVERVIEW - Math.max(2, (OVERVIEW - 4) * this.activity[x] / highest), 1, OVERVIEW);
		this.picture = picture;
		this.pictureDark = app.dark;
	}

	measureActivity() {
		const { app, trace, least, most } = this.timeline, scale = this.columns / (most - least);
		const activity = this.activity = new Float32Array(this.columns);
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
		for (let i = 0; i < data.count; i++) {
			if (this.timeline.trace.lane[data.node[i]] !== 1)
				continue;
			const busy = data.busy ? data.busy[i] / 255 : 1;
			const from = (data.begin[i] - this.timeline.least) * scale, to = (data.end[i] - this.timeline.least) * scale;
			for (let x = Math.floor(from); x <= to && x < activity.length; x++)
				activity[x] += Math.max(0, Math.min(to, x + 1) - Math.max(from, x)) * busy;
		}
	}
}
