# SPDX-License-Identifier: MIT
# view_values.py - looks at a page of spoor view, in a browser, for arguments and results. view_values.py PAGE: a page of
# the trace of the victim pointers, with the arguments text and number, and the results, of its function show.
import os, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser

browser = Browser(1280, 900)
SETTLED = "app && app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing"


def search(condition):
	"""Goes to the first matching call. Returns its values, and the line about the matches."""
	browser.script(f"app.choose(null), app.showAll(), app.search.input.value = {condition!r}, app.search.find(), app.search.go(1)")
	browser.until("app.chosen && document.getElementById('found').textContent.startsWith('match')")
	return browser.script("app.chosen.data.values.get(app.chosen.i)"), browser.script("document.getElementById('found').textContent")


try:
	browser.open(sys.argv[1])
	browser.until(SETTLED)
	assert search("number=1") == ([["text", '"in the program"'], ["number", "1"], ["", '"in the program"']], "match 1 of 1")
	assert search("number<=3")[1] == "match 1 of 3"
	assert search('text="on the heap"')[0][1] == ["number", "3"]
	assert search("result = NULL")[0][1] == ["number", "4"]
	values, found = search("number>99")
	assert values[1] == ["number", "100"] and found == "match 1 of 20,000", (values, found)
	# The hint, the box and the details show the values.
	search("number=2")
	browser.script("app.zoomTo(app.chosen)")
	browser.until(SETTLED)
	place = browser.script("""(() => {
		const { timeline, chosen } = app, track = timeline.tracks.list[chosen.thread], box = timeline.canvas.getBoundingClientRect();
		return [box.left + timeline.xOf((chosen.begin + chosen.end) / 2), box.top + timeline.laneY(track, app.trace.lane[chosen.node], track.y - timeline.scroll.scrollTop) + 8];
	})()""")
	browser.mouse("mouseMoved", *place, "none")
	text = browser.script("document.getElementById('hint').innerText")
	assert 'show(text="on the stack", number=2) = "on the stack"' in text, text
	details = browser.script("Array.from(document.querySelectorAll('#details dt'), (term) => [term.textContent, term.nextSibling.textContent])")
	assert ["text", '"on the stack"'] in details and ["number", "2"] in details and ["result", '"on the stack"'] in details, details
	browser.picture("values.png")
	numbers = browser.script("['-3', '0x1f', '-0x10', '1.5', 'NULL', ''].map(valueNumber).map(String)")
	assert numbers == ["-3", "31", "-16", "1.5", "NaN", "NaN"], numbers
	assert not browser.faults(), browser.faults()
finally:
	browser.close()
