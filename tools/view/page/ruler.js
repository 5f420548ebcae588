/* ruler.js - the ruler above the timeline. */
const RULER = 24;

/* Returns round times, with enough room between them for their texts. */
function rulerTicks(timeline) {
	const least = 110 * timeline.pixel, times = [], { since } = timeline.trace;
	let step = Math.pow(10, Math.floor(Math.log10(least)));
	step = Math.max(1, step * (step * 2 >= least ? 2 : step * 5 >= least ? 5 : 10));
	for (let time = Math.ceil((timeline.begin + since) / step) * step - since; time <= timeline.end; time += step)
		times.push([time, step, Math.round(timeline.xOf(time))]);
	return times;
}

/* Returns a round time before all ticks if their moments would differ in their last digits only, else null. The ticks
   then show the time since that moment. */
function rulerBase(timeline) {
	const first = timeline.begin + timeline.trace.since, length = timeline.end - timeline.begin;
	const round = Math.pow(10, Math.ceil(Math.log10(length)));
	const base = Math.floor(first / round) * round;
	return base >= 10 * round ? { base, round } : null;
}

/* Returns the text of a tick: the time @ns since the base, in the unit that fits the step between ticks. */
function offsetText(ns, step) {
	const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
	return "+" + formatCount(ns / unit) + " " + name;
}

function drawRuler(timeline, ticks) {
	const { context, app } = timeline, relative = rulerBase(timeline), { since } = timeline.trace;
	context.fillStyle = app.colour("--panel");
	context.fillRect(0, 0, timeline.width, RULER);
	context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
	context.textBaseline = "middle";
	for (const [time, step, x] of ticks) {
		context.fillStyle = app.colour("--line");
		context.fillRect(x, RULER - 6, 1, 6);
		context.fillStyle = app.colour("--dim");
		context.fillText(relative ? offsetText(Math.round(time + since - relative.base), step) : app.trace.moment(time, step), x + 4, RULER / 2);
	}
	context.fillStyle = app.colour("--line");
	context.fillRect(0, RULER - 1, timeline.width, 1);
	drawRulerHead(timeline, relative);
}

/* Draws the left end of the ruler: the length of the visible range, and the moment from which the ticks count. */
function drawRulerHead(timeline, relative) {
	const { context, app } = timeline;
	const base = relative ? formatMoment(relative.base, relative.round) : "", shown = formatTime(timeline.end - timeline.begin);
	context.fillStyle = app.colour("--panel");
	context.fillRect(0, 0, LABELS - 1, RULER - 1);
	context.fillStyle = app.colour("--dim");
	const wide = relative ? context.measureText(base).width : 0, longer = shown + " shown";
	for (const text of [longer, shown]) {
		if (relative && 10 + context.measureText(text).width + 12 + wide > LABELS - 8)
			continue;
		context.fillText(text, 10, RULER / 2);
		break;
	}
	if (!relative)
		return;
	context.fillStyle = app.colour("--text");
	context.fillText(base, LABELS - 8 - wide, RULER / 2);
}
