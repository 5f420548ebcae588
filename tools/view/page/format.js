/* format.js - writes counts and times as text. */
function formatCount(number) {
	return Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

function formatTime(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];
	const sign = ns < 0 ? "-" : "";
	ns = Math.abs(ns);
	for (const [unit, name] of units)
		if (ns >= unit * 0.99995)
			return sign + (ns / unit >= 9999.5 ? formatCount(ns / unit) : (ns / unit).toPrecision(4)) + " " + name;
	return sign + (Number.isInteger(ns) ? ns : ns.toFixed(ns < 10 ? 1 : 0)) + " ns";
}

/* Returns a time in seconds, with as many digits as a precision of @pixel ns needs. */
function formatMoment(ns, pixel) {
	const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(1, pixel)))));
	return (ns / 1e9).toFixed(digits) + " s";
}

/* Returns a share as a percentage. */
function formatPercent(share) {
	return (100 * share).toFixed(1) + " %";
}

/* Returns where the last part of a qualified name begins: after the last "::" that is outside of brackets. */
const lastParts = new Map();
function lastPartOf(name) {
	let at = lastParts.get(name);
	if (at !== undefined)
		return at;
	at = 0;
	for (let i = 0, depth = 0; i + 2 < name.length; i++) {
		depth += name[i] === "<" || name[i] === "(" ? 1 : depth && (name[i] === ">" || name[i] === ")") ? -1 : 0;
		if (!depth && name[i] === ":" && name[i + 1] === ":")
			at = i + 2;
	}
	lastParts.set(name, at);
	return at;
}

/* Shortens a name to @room characters, of a font with characters of one width. The last part of a qualified name
   stays, because names that begin alike differ there. */
function elideName(name, room) {
	if (name.length <= room)
		return name;
	if (room < 2)
		return room < 1 ? "" : "\u2026";
	const last = name.slice(lastPartOf(name));
	if (last.length < name.length && last.length + 1 <= room)
		return name.slice(0, room - 1 - last.length) + "\u2026" + last;
	if (room < 8)
		return last.slice(0, room - 1) + "\u2026";
	const tail = Math.floor((room - 1) / 2);
	return last.slice(0, room - 1 - tail) + "\u2026" + last.slice(-tail);
}
