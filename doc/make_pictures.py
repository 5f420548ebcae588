# SPDX-License-Identifier: MIT
"""make_pictures.py - looks at view.html and flame.svg in headless Chromium and saves what it sees.

make_pictures.py FOLDER OUTPUT: FOLDER has the two files, OUTPUT gets view.png and flame.png.
"""
import os
import re
import sys
from browser import Browser

folder, output = sys.argv[1:]

# The main thread waits for the other threads: show it small. Then look for a file whose work is a fifth of the run or
# less, show the calls around it, and select its time.
ARRANGE = """(() => {
	const timeline = app.timeline, span = app.trace.span;
	timeline.tracks.list[0].small = true;
	timeline.layOut();
	app.showAll();
	const lane = timeline.tracks.list[1].y + TRACK_HEAD + 1.5 * LANE;
	let best = null;
	for (let x = LABELS + 1; x < timeline.width; x++) {
		const item = timeline.itemAt(x, lane), length = item && item.end - item.begin;
		if (item && app.trace.nodeName(item.node) === "do_file" && length < span / 5 && (!best || length > best.end - best.begin))
			best = item;
	}
	if (!best)
		return false;
	const length = best.end - best.begin;
	timeline.show(best.begin - 0.5 * length, best.end + 0.4 * length);
	app.setRange([best.begin, best.end]);
	return true;
})()"""
SETTLED = "app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing"
# Finds the place in the drawing of a wide call with this name.
FIND = """(() => {
	const timeline = app.timeline, canvas = timeline.canvas.getBoundingClientRect();
	for (let y = 60; y < timeline.height; y += 4)
		for (let x = LABELS + 200; x < timeline.width - 200; x += 8) {
			const item = timeline.itemAt(x, y);
			if (item && app.trace.nodeName(item.node).startsWith("compress::lz_encode") && item.end - item.begin > 150 * timeline.pixel)
				return [canvas.left + x, canvas.top + y];
		}
	return null;
})()"""

browser = Browser(1280, 830)
browser.scheme("light")
browser.open(os.path.join(folder, "view.html"))
browser.until("app && app.measured && app.measured === app.measuring")
splitter = browser.script("(() => { const box = document.getElementById('splitter').getBoundingClientRect(); return [box.left + 600, box.top + 3]; })()")
browser.drag(*splitter, splitter[0], splitter[1] + 40)
if not browser.script(ARRANGE):
    sys.exit("make_pictures.py: the second thread works at no file for a fifth of the run or less")
browser.until(SETTLED)
place = browser.script(FIND)
if not place:
    sys.exit("make_pictures.py: no call of lz_encode is wide enough to be clicked")
browser.click(*place)
browser.mouse("mouseMoved", 5, 5, "none")
browser.until(SETTLED)
browser.picture(os.path.join(output, "view.png"))

with open(os.path.join(folder, "flame.svg")) as file:
    height = re.search(r'<svg[^>]* height="(\d+)"', file.read(4096)).group(1)
browser.size(1280, int(height))
browser.open(os.path.join(folder, "flame.svg"))
browser.until("document.readyState === 'complete'")
browser.picture(os.path.join(output, "flame.png"))
browser.close()
