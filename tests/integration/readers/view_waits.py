# SPDX-License-Identifier: MIT
# view_waits.py - looks at a page of spoor view, in a browser, for when threads ran and waited. view_waits.py PAGE: a page
# of a trace with these times, whose main thread waits for other threads.
import os, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser

browser = Browser(1280, 900)
SETTLED = "app && app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing"
try:
	browser.open(sys.argv[1])
	browser.until(SETTLED + " && app.timeline.waits.known")
	# The longest wait of the first thread: the pointer over its line of states, and over its calls.
	wait = browser.script("""(async () => {
		let best = null;
		for (const chunk of app.trace.waits[0]) {
			const data = await app.trace.load(chunk);
			for (let i = 0; i < data.count; i++)
				if (!data.preempted[i] && data.depth[i] > 0 && (!best || data.end[i] - data.begin[i] > best.end - best.begin))
					best = { begin: data.begin[i], end: data.end[i], depth: data.depth[i] };
		}
		return best;
	})()""")
	length = wait["end"] - wait["begin"]
	browser.script(f"app.timeline.show({wait['begin'] - length}, {wait['end'] + length})")
	browser.until(SETTLED)
	x, top, calls = browser.script(f"""(() => {{
		const {{ timeline }} = app, track = timeline.tracks.list[0], box = timeline.canvas.getBoundingClientRect(), y = track.y - timeline.scroll.scrollTop;
		return [box.left + timeline.xOf({wait['begin'] + length / 2}), box.top + timeline.waits.stateY(track, y) + 2, box.top + timeline.laneY(track, 1, y) + 8];
	}})()""")
	browser.mouse("mouseMoved", x, top, "none")
	browser.until("document.getElementById('hint').innerText.startsWith('waiting')")
	text, told = browser.script("document.getElementById('hint').innerText"), browser.script(f"formatTime({length})")
	assert text.startswith("waiting") and f"for {told}" in text, (text, told)
	# The line is grey in the wait and green before it; the calls have lines over their colour.
	colours = "(x, y) => Array.from(app.timeline.context.getImageData((x - app.timeline.canvas.getBoundingClientRect().left) * app.timeline.ratio, " \
		"(y - app.timeline.canvas.getBoundingClientRect().top) * app.timeline.ratio, 1, 1).data).slice(0, 3)"
	assert browser.script(f"({colours})({x}, {top})") == [0x9a, 0xa3, 0xb2]
	seen = {tuple(browser.script(f"({colours})({x + i}, {calls})")) for i in range(12)}
	assert len(seen) > 2, seen
	browser.picture("waits.png")
	# The details of the call say how long it waited.
	browser.click(x, calls)
	browser.until("app.chosen && !document.getElementById('details').textContent.includes('…')")
	got = browser.script("""(async () => {
		const terms = new Map(Array.from(document.querySelectorAll("#details dt"), (term) => [term.textContent, term.nextSibling.textContent]));
		const { begin, end } = app.chosen, sums = [0, 0];
		for (const chunk of app.trace.waits[0]) {
			const data = await app.trace.load(chunk);
			for (let i = 0; i < data.count; i++)
				sums[data.preempted[i]] += Math.max(0, Math.min(end, data.end[i]) - Math.max(begin, data.begin[i]));
		}
		return [terms.get("waiting"), terms.get("preempted"), formatTime(sums[0]), formatTime(sums[1])];
	})()""")
	assert got[:2] == got[2:], got
	assert not browser.faults(), browser.faults()
finally:
	browser.close()
