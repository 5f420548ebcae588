# SPDX-License-Identifier: MIT
# view_marks.py - checks the marks of a page of spoor view, its notes on incomplete calls, and its handling of held
# keys. Used by view_long.py, whose browser shows the pages.
import re


def texts_of_marks(browser):
	"""The marks have the right texts in the timeline, and each has a colour that the help explains."""
	got = browser.script("""(async () => {
		const texts = [];
		for await (const [chunk, data] of app.trace.items(null, 0, app.trace.span))
			for (let i = 0; i < data.count; i++)
				if (app.trace.isMark(data.node[i]))
					texts.push(app.markText(data, i));
		return texts;
	})()""")
	wanted = {"marked:large(18446744073709551600, …)", "marked:negative(-7)", "marked:nothing()", "earlier: 7"}
	wanted |= {f"balance: {-5 - i}" for i in range(10)} | {f"note: {2 ** 64 - 1}" + f", {i}" * (i > 0) for i in range(10)}
	assert set(got) == wanted and len(got) == 101, set(got) ^ wanted
	assert browser.script("argumentText([0x3fb999999999999an, 7n]) + argumentText([0x7ffd0010n, 6n])") == "0.10x7ffd0010"
	assert browser.script("app.trace.labels.slice(1).every(([, kind]) => /^#/.test(MARK_COLOURS[kind]))")
	assert "tracepoints (green)" in browser.script("document.getElementById('help-dialog').textContent")


def details_of(browser, choice):
	"""Returns the details of the first call that satisfies the condition."""
	return browser.script(f"""(async () => {{
		for await (const [chunk, data] of app.trace.items(null, 0, app.trace.span))
			for (let i = 0; i < data.count; i++)
				if (!app.trace.isMark(data.node[i]) && {choice}) {{
					app.choose(app.item(chunk.thread, data, i));
					return document.getElementById("details").innerText;
				}}
	}})()""")


def moments(browser, tree):
	"""A call begins at the time that the other tools show, whatever was before it."""
	with open(tree) as file:
		first = min(float(line.split()[0]) for line in file if re.match(" +[0-9.]+ .*main", line))
	text = details_of(browser, "app.trace.nodeName(data.node[i]).startsWith('main')")
	assert f"{first / 1e6:.9f} s" in text, (first, text)


def widths(browser):
	"""In a window of any width names have room, the columns are below their headings, no number is cut off, all columns
	can be scrolled to, and the details are visible."""
	edges = """(selector) => Array.from(document.querySelector(selector).children, (cell) => cell.getBoundingClientRect())
		.map((box) => [Math.round(box.left), Math.round(box.right)])"""
	cut = """Array.from(document.querySelectorAll('#table-rows .row span:not(.text)'))
		.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"""
	for width in 600, 700, 900, 901, 1000, 1001, 1100, 1280, 1400, 1920:
		browser.size(width, 900)
		browser.until(f"innerWidth === {width} && document.querySelector('#table-rows .row')")
		browser.script("app.table.scroll.scrollLeft = 0")
		cells, heads = browser.script(f"[({edges})('#table-rows .row'), ({edges})('#table-head .row')]")
		assert [left for left, right in cells] == [left - 10 * (i == 0) for i, (left, right) in enumerate(heads)] or cells == heads, (width, cells, heads)
		assert len(cells) == 12 and cells[0][1] - cells[0][0] >= 140 and all(left < right for left, right in cells), (width, cells)
		assert browser.script(cut) == [], (width, browser.script(cut))
		pane = browser.script("document.getElementById('table-pane').getBoundingClientRect().right")
		last = browser.script(f"app.table.scroll.scrollLeft = 5000, ({edges})('#table-rows .row')")[-1]
		assert last[1] <= pane <= width, (width, last, pane)
		shown = browser.script("document.getElementById('details').getBoundingClientRect().width")
		assert shown >= 140 or width <= 640, (width, shown)
	browser.size(600, 900)
	browser.script("document.querySelector('[data-tab=details]').click()")
	assert browser.script("document.getElementById('details').getBoundingClientRect().width") >= 500
	browser.script("document.querySelector('[data-tab=table]').click()")
	browser.size(1440, 900)


def held_keys(browser):
	"""Shift and Caps Lock may change while a key is held."""
	for down, up in ("w", "w"), ("W", "W"), ("w", "W"), ("W", "w"), ("ArrowLeft", "ArrowLeft"):
		browser.key(down, released=up)
		assert browser.script("app.input.held.size") == 0, (down, up)
