/* elide_name.js - shortens names of functions in the pictures of spoor view and spoor flame. */
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
