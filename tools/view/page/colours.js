/* colours.js - the colours of functions and marks. */
const HUES = [[239, 132, 79], [104, 171, 199], [133, 183, 106], [226, 184, 72], [178, 138, 196],
	[222, 122, 148], [92, 184, 160], [190, 157, 122], [140, 148, 214], [176, 190, 84]];
const SHADES = 6, MATCHED = HUES.length * SHADES, CHOSEN = MATCHED + 1, COLOURS = CHOSEN + 1;
const MARK_COLOURS = { user: "#2f7de1", counter: "#2f7de1", tracepoint: "#2a9d5c", lost: "#d92b2b", gap: "#8a8f98", orphan: "#e08a1e" };

/* Returns the FNV-1a hash of the text's bytes, as flame/svg.c computes it. */
function hashOf(text) {
	let hash = 2166136261;
	for (const byte of new TextEncoder().encode(text))
		hash = Math.imul(hash ^ byte, 16777619) >>> 0;
	return hash;
}

/* Returns the colour of a function. It is the same in each pane, each trace, and the picture of spoor flame. */
function colourNumber(fn) {
	return hashOf(fn.name + fn.library) % (HUES.length * SHADES);
}
const PALETTE_PARTS = [];
for (const hue of HUES)
	for (let shade = 0; shade < SHADES; shade++)
		PALETTE_PARTS.push(hue.map((part) => Math.round(part * (0.82 + 0.18 * shade / (SHADES - 1)))));
PALETTE_PARTS[MATCHED] = hexParts("#e15fdc");
PALETTE_PARTS[CHOSEN] = hexParts("#ffd92e");
const PALETTE = PALETTE_PARTS.map((parts) => "rgb(" + parts.join(",") + ")");
