/* boxes.js - paints the boxes of calls as pixels. The boxes of a lane are painted into one row of
   pixels, and the row is copied to the height of the lane. So a picture with a hundred thousand boxes
   takes about as long as one with ten. */
function colourWord(red, green, blue) {
	return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/* Returns the three parts of "#rrggbb". */
function hexParts(text) {
	return [1, 3, 5].map((at) => parseInt(text.substr(at, 2), 16));
}

class Boxes {
	constructor(app) {
		this.app = app;
		this.tops = new Uint32Array(COLOURS * 2);
		this.feet = new Uint32Array(COLOURS * 2);	/* colours of the bars of runs */
		this.rows = [];		/* by lane: pixels of the boxes, pixels of the bars, and the turn that painted them */
		this.turn = 0;
	}

	resize(context, width, height) {
		this.image = context.createImageData(Math.max(1, width), Math.max(1, height));
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.width = this.image.width;
		this.base = new Uint32Array(this.width);
		this.rows = [];
	}

	/* Mixes faint colours, and those that the search did not find, with the background. */
	setColours(back, dimmed) {
		for (let at = 0; at < 2 * COLOURS; at++) {
			const share = (at & 1 ? 0.55 : 1) * (dimmed && at >> 1 < MATCHED ? 0.3 : 1);
			const parts = PALETTE_PARTS[at >> 1].map((part, i) => part * share + back[i] * (1 - share));
			this.tops[at] = colourWord(...parts.map(Math.round));
			this.feet[at] = colourWord(...parts.map((part) => Math.round(part * 0.55)));
		}
	}

	/* Clears the picture. @lines: x of the grid's lines, in CSS pixels. */
	begin(ratio, lines) {
		const { app, base, pixels, width } = this, back = hexParts(app.colour("--track"));
		this.ratio = ratio;
		this.setColours(back, app.matched !== null);
		base.fill(colourWord(...back));
		for (const x of lines)
			base.fill(colourWord(...hexParts(app.colour("--band"))), Math.round(x * ratio), Math.round((x + 1) * ratio));
		if (pixels.length)
			pixels.set(base);
		for (let filled = width; filled < pixels.length; filled *= 2)
			pixels.copyWithin(filled, 0, Math.min(filled, pixels.length - filled));
	}

	/* Starts a track: all lanes are empty. */
	beginTrack() {
		this.turn++;
	}

	row(lane) {
		const row = this.rows[lane] = this.rows[lane] || { top: new Uint32Array(this.width), foot: new Uint32Array(this.width), turn: 0 };
		if (row.turn !== this.turn) {
			row.turn = this.turn;
			row.hasFeet = false;
			row.top.set(this.base);
		}
		return row;
	}

	/* Paints a box from one x to another. A wide box leaves a line of one pixel to the next box. */
	put(lane, from, to, colour, isRun) {
		const row = this.rows[lane] && this.rows[lane].turn === this.turn ? this.rows[lane] : this.row(lane);
		const left = from * this.ratio | 0, right = Math.max(left + 1, (to * this.ratio | 0) - (to - from > 3 ? 1 : 0));
		if (right - left === 1)
			row.top[left] = this.tops[colour];
		else
			row.top.fill(this.tops[colour], left, right);
		if (isRun && to - from > 5 && !row.hasFeet) {
			row.hasFeet = true;
			row.foot.fill(0);
		}
		if (row.hasFeet)
			row.foot.fill(isRun && to - from > 5 ? this.feet[colour] : 0, left, right);
	}

	/* Copies the row of a lane to the lane's height. Runs have a bar above their lower edge. */
	show(lane, y, height, least, most) {
		const row = this.rows[lane], { ratio, width, pixels } = this;
		if (!row || row.turn !== this.turn)
			return;
		const begin = Math.max(Math.round(y * ratio), Math.round(least * ratio));
		const end = Math.min(Math.round((y + height - 1) * ratio), Math.round(most * ratio), pixels.length / width);
		for (let at = begin; at < end; at++)
			pixels.set(row.top, at * width);
		if (!row.hasFeet || height < LANE)
			return;
		for (let x = 0; x < width; x++)
			row.foot[x] = row.foot[x] || row.top[x];
		for (let at = Math.max(begin, Math.round((y + height - 4) * ratio)); at < Math.min(end, Math.round((y + height - 2) * ratio)); at++)
			pixels.set(row.foot, at * width);
	}

	end(context) {
		context.putImageData(this.image, 0, 0);
	}
}
