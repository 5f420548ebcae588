# SPDX-License-Identifier: MIT
# flame_picture.py - operates a picture of spoor flame in a browser. flame_picture.py PICTURE PAGE: the page of spoor view
# of the same trace.
import os, re, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser

picture, page = sys.argv[1:]
browser = Browser(1280, 600)
COLOURS = """Object.fromEntries(frames.map((one) => {
	const [red, green, blue] = getComputedStyle(one.rect).fill.match(/\\d+/g);
	return [one.about.split("\\n")[0], [red, green, blue].map(Number)];
}))"""


def opened():
	browser.open(picture)
	browser.until("document.readyState === 'complete' && frames.length > 0")


def fits(width):
	"""The frames are as wide as the window, and no text is beyond it."""
	browser.size(width, 600)
	browser.until(f"innerWidth === {width} && wide === {width} - 2 * MARGIN")
	right = browser.script("Math.max(...frames.map((one) => one.rect.getBoundingClientRect().right))")
	assert abs(right - (width - 10)) < 1, (width, right)
	beyond = browser.script("""Array.from(document.querySelectorAll("text"), (one) => [one.textContent, one.getBoundingClientRect().right])
		.filter(([, right]) => right > innerWidth)""")
	assert not beyond, (width, beyond)
	below = browser.script("Math.max(...Array.from(document.querySelectorAll('#legend text'), (one) => one.getBoundingClientRect().bottom))")
	assert below < 104, (width, below)


def details(width):
	"""The line of details has the whole percentage, for each frame and in a narrow window too."""
	browser.size(width, 600)
	browser.until(f"innerWidth === {width} && wide === {width} - 2 * MARGIN")
	for text, right in browser.script("""frames.map((one) => {
		showDetails(one);
		const line = byId("details");
		return [line.textContent, line.getBoundingClientRect().right];
	})"""):
		assert right <= width and re.match(r"[0-9.,]+ \w+, [0-9.]+ %; self ", text), (width, text, right)


try:
	opened()
	for width in 1920, 1280, 800, 640:
		fits(width)
		details(width)
	browser.size(1280, 600)
	browser.until("innerWidth === 1280 && wide === 1260")
	light = browser.script("getComputedStyle(document.querySelector('.back')).fill")
	browser.picture("flame-light.png")
	browser.scheme("dark")
	assert browser.script("getComputedStyle(document.querySelector('.back')).fill") != light
	browser.picture("flame-dark.png")
	browser.scheme("light")
	# A click zooms, and the search shows the share of the time.
	box = browser.script("(() => { const box = frames.find((one) => one.name === 'work').rect.getBoundingClientRect(); return [box.left + box.width / 2, box.top + 8]; })()")
	browser.click(*box)
	assert browser.script("chosen.name === 'work' && Math.abs(chosen.rect.getBoundingClientRect().width - wide) < 1")
	browser.script("find('^work$')")
	assert browser.script("byId('matched').textContent") == "matched: 100.0 %"
	browser.picture("flame-found.png")
	browser.script("find('')")
	drawn = browser.script(COLOURS)
	downward = browser.script("frames.every((one) => Number(one.rect.getAttribute('y')) === 104 + 17 * one.level)")
	assert downward and not browser.faults(), browser.faults()
	# The page has the same colours.
	browser.open(page)
	browser.until("app && app.measured")
	colours = browser.script("Object.fromEntries(app.trace.functions.slice(1).map((fn) => [fn.name + ' (' + fn.library + ')', PALETTE_PARTS[colourNumber(fn)]]))")
	assert len(drawn) > 10 and all(colours[name] == colour for name, colour in drawn.items()), (drawn, colours)
finally:
	browser.close()
