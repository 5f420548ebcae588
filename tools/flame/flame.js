/* flame.js - the script in the picture of spoor flame: fits the picture into the window, zooms by a click, shows details
   under the pointer, and searches. data-x and data-w of a frame are its place and width, as parts of 1; data-y is its
   level. elide_name.js is before this script. */
"use strict";
const MARGIN = 10, GLYPH = 7.2, LINE = 16, LEAST_WIDTH = 300;
let svg, height, frames, chosen = null, pattern = null, wide = 1180;

function byId(id) {
	return document.getElementById(id);
}

function begin() {
	svg = document.documentElement;
	height = Number(svg.getAttribute("height"));
	frames = Array.from(document.querySelectorAll("#frames g"), (frame) => {
		const number = (name) => parseFloat(frame.getAttribute("data-" + name));
		return { frame, x: number("x"), w: number("w"), level: number("y"), name: frame.getAttribute("data-n"), hit: false,
			rect: frame.querySelector("rect"), text: frame.querySelector("text"), about: frame.querySelector("title").textContent };
	});
	for (const one of frames)
		one.frame.one = one;
	const area = byId("frames"), under = (event) => {
		const frame = event.target.closest("g[data-x]");
		return frame ? frame.one : null;
	};
	area.addEventListener("click", (event) => zoom(under(event)));
	area.addEventListener("mouseover", (event) => showDetails(under(event)));
	area.addEventListener("mouseout", () => showDetails(null));
	byId("reset").addEventListener("click", () => zoom(null));
	byId("search").addEventListener("click", askPattern);
	window.addEventListener("resize", layOut);
	window.addEventListener("scroll", () => byId("head").setAttribute("transform", "translate(0 " + window.scrollY + ")"));
	window.addEventListener("keydown", keyDown);
	layOut();
	/* With the first callers at the bottom, deep stacks begin below the window. */
	if (area.hasAttribute("data-upward"))
		window.scrollTo(0, document.documentElement.scrollHeight);
}

function keyDown(event) {
	if (event.key === "F3" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
		event.preventDefault();
		askPattern();
	} else if (event.key === "Escape") {
		find("");
		zoom(null);
	}
}

/* Makes the picture as wide as the window. Without this script it keeps the size that it was written with. */
function layOut() {
	const width = Math.max(LEAST_WIDTH, window.innerWidth);
	wide = width - 2 * MARGIN;
	svg.removeAttribute("viewBox");
	svg.setAttribute("width", width);
	svg.setAttribute("height", Math.max(height, window.innerHeight));
	for (const id of ["search", "matched"])
		byId(id).setAttribute("x", width - MARGIN);
	byId("reset").setAttribute("x", width - 200);
	let x = MARGIN, y = 0;
	for (const entry of document.querySelectorAll("#legend g")) {
		const length = entry.getBBox().width;
		if (x > MARGIN && x + length > width - MARGIN) {
			x = MARGIN;
			y += LINE;
		}
		entry.setAttribute("transform", "translate(" + x + " " + y + ")");
		x += length + 20;
	}
	showDetails(null);
	zoom(chosen);
}

function placeFrame({ rect, text, name }, x, w) {
	const room = Math.floor((w * wide - 6) / GLYPH);
	rect.setAttribute("x", MARGIN + x * wide);
	rect.setAttribute("width", Math.max(w * wide - 0.3, 0.1));
	text.setAttribute("x", MARGIN + x * wide + 3);
	text.textContent = room < 3 ? "" : elideName(name, room);
}

/* Makes a frame as wide as the picture and shows its callers and callees. */
function zoom(to) {
	const { x, w, level } = to || { x: 0, w: 1, level: 0 };
	chosen = to;
	byId("reset").style.display = to ? "" : "none";
	for (const one of frames) {
		const around = one.level < level, inside = one.x + one.w > x + 1e-9 && one.x < x + w - 1e-9;
		one.shown = inside;
		one.frame.style.display = inside ? "" : "none";
		one.frame.style.opacity = around && inside ? 0.5 : 1;
		if (inside && around)
			placeFrame(one, 0, 1);
		else if (inside)
			placeFrame(one, (one.x - x) / w, one.w / w);
	}
	showMatched();
}

/* Shows the numbers of a frame, then as much of its name as has room. */
function showDetails(one) {
	const details = byId("details");
	if (!one) {
		details.textContent = details.getAttribute("data-empty");
		return;
	}
	const [name, ...rest] = one.about.split("\n"), numbers = rest.join("; ");
	details.textContent = numbers + "\u00a0\u00a0" + elideName(name, Math.max(12, Math.floor(wide / GLYPH) - numbers.length - 2));
}

function askPattern() {
	const text = window.prompt("Functions to find (a regular expression):", pattern ? pattern.source : "");
	if (text !== null)
		find(text);
}

/* Colours the frames whose names match. */
function find(text) {
	try {
		pattern = text ? new RegExp(text) : null;
	} catch (error) {
		byId("matched").textContent = "invalid regular expression";
		return;
	}
	for (const one of frames) {
		one.hit = pattern !== null && pattern.test(one.name);
		one.rect.classList.toggle("hit", one.hit);
	}
	showMatched();
}

/* Shows the share of matching frames. A matching frame inside another one is counted once. */
function showMatched() {
	const { x, w } = chosen || { x: 0, w: 1 };
	let sum = 0, end = -1;
	byId("matched").textContent = "";
	if (!pattern)
		return;
	const hits = frames.filter((one) => one.hit && one.shown).map((one) => [Math.max(one.x, x), Math.min(one.x + one.w, x + w)]);
	for (const [from, to] of hits.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
		if (to > end)
			sum += to - Math.max(from, end);
		end = Math.max(end, to);
	}
	byId("matched").textContent = "matched: " + (100 * sum / w).toFixed(1) + " %";
}
