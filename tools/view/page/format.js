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
