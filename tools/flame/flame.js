/* flame.js - the script in the picture of spoor flame: zoom by click, details under the pointer, search.
   data-x and data-w of a frame are its place and width, as parts of 1; data-y is its level. */
"use strict";
var frames, search, matched, details, reset, chosen = null, pattern = null;
var wide = 1180, margin = 10, glyph = 7.2;

function begin() {
	frames = Array.prototype.slice.call(document.querySelectorAll("#frames g"));
	search = document.getElementById("search");
	matched = document.getElementById("matched");
	details = document.getElementById("details");
	reset = document.getElementById("reset");
	var area = document.getElementById("frames");
	area.addEventListener("click", function (event) { zoom(event.target.closest("g[data-x]")); });
	area.addEventListener("mouseover", function (event) {
		var frame = event.target.closest("g[data-x]");
		details.textContent = frame ? frame.querySelector("title").textContent.replace(/\n/g, "  ") : "";
	});
	area.addEventListener("mouseout", function () { details.textContent = ""; });
	reset.addEventListener("click", function () { zoom(null); });
	search.addEventListener("click", askPattern);
	/* The picture is read from the base up. The base of deep stacks is below the window, so scroll to it. */
	var base = area.querySelector('g[data-y="0"] rect');
	if (base && parseFloat(base.getAttribute("y")) > window.innerHeight)
		window.scrollTo(0, document.documentElement.scrollHeight);
	window.addEventListener("keydown", function (event) {
		if (event.key === "F3" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
			event.preventDefault();
			askPattern();
		} else if (event.key === "Escape") {
			find("");
			zoom(null);
		}
	});
}

function number(frame, name) {
	return parseFloat(frame.getAttribute("data-" + name));
}

function placeFrame(frame, x, w) {
	var rect = frame.querySelector("rect"), text = frame.querySelector("text");
	var name = frame.getAttribute("data-n"), room = Math.floor((w * wide - 6) / glyph);
	rect.setAttribute("x", margin + x * wide);
	rect.setAttribute("width", Math.max(w * wide - 0.3, 0.1));
	text.setAttribute("x", margin + x * wide + 3);
	text.textContent = room < 3 ? "" : name.length <= room ? name : name.slice(0, room - 2) + "..";
}

/* Makes a frame as wide as the picture and shows its callers and callees. */
function zoom(frame) {
	var x = frame ? number(frame, "x") : 0, w = frame ? number(frame, "w") : 1, y = frame ? number(frame, "y") : 0;
	chosen = frame;
	reset.style.display = frame ? "" : "none";
	frames.forEach(function (one) {
		var ox = number(one, "x"), ow = number(one, "w"), around = number(one, "y") < y;
		var inside = ox + ow > x + 1e-9 && ox < x + w - 1e-9;
		one.style.display = inside ? "" : "none";
		one.style.opacity = around && inside ? 0.5 : 1;
		if (inside && around)
			placeFrame(one, 0, 1);
		else if (inside)
			placeFrame(one, (ox - x) / w, ow / w);
	});
	showMatched();
}

function askPattern() {
	var text = window.prompt("Functions to find (a regular expression):", pattern ? pattern.source : "");
	if (text !== null)
		find(text);
}

/* Colours the frames whose names match. */
function find(text) {
	try {
		pattern = text ? new RegExp(text) : null;
	} catch (error) {
		matched.textContent = "invalid regular expression";
		return;
	}
	frames.forEach(function (one) {
		var rect = one.querySelector("rect");
		if (!rect.hasAttribute("data-fill"))
			rect.setAttribute("data-fill", rect.getAttribute("fill"));
		one.hit = pattern !== null && pattern.test(one.getAttribute("data-n"));
		rect.setAttribute("fill", one.hit ? "#c332c8" : rect.getAttribute("data-fill"));
	});
	showMatched();
}

/* Shows the share of matching frames. A matching frame inside another one is counted once. */
function showMatched() {
	var x = chosen ? number(chosen, "x") : 0, w = chosen ? number(chosen, "w") : 1, sum = 0, end = -1;
	matched.textContent = "";
	if (!pattern)
		return;
	frames.filter(function (one) { return one.hit && one.style.display !== "none"; })
		.map(function (one) { return [Math.max(number(one, "x"), x), Math.min(number(one, "x") + number(one, "w"), x + w)]; })
		.sort(function (a, b) { return a[0] - b[0] || b[1] - a[1]; })
		.forEach(function (one) {
			if (one[1] > end)
				sum += one[1] - Math.max(one[0], end);
			end = Math.max(end, one[1]);
		});
	matched.textContent = "matched: " + (100 * sum / w).toFixed(1) + " %";
}
