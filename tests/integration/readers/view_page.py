# SPDX-License-Identifier: MIT
# view_page.py - operates the panes of a page of spoor view in a browser: what a user meets besides the numbers, which
# view_long.py checks. view_page.py PAGE: a page of viewed.cc with three threads.
import os, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser

browser = Browser(1280, 900)
SETTLED = "app && app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing"


def settled():
	browser.until(SETTLED)


def resized(width, height):
	browser.size(width, height)
	browser.until(f"innerWidth === {width} && innerHeight === {height} && app.timeline.height === app.timeline.scroll.clientHeight && "
		"app.timeline.width === app.timeline.scroll.clientWidth")
	settled()


def opened(page):
	browser.open(page)
	browser.until("app && app.measured && app.measured === app.measuring")
	settled()


def place(selector):
	return browser.script(f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()")


def text(name):
	return browser.script(f"document.getElementById({name!r}).innerText")


def wide_call():
	"""Returns the place in the window of a call of the second thread, of which at least 4 pixels are drawn."""
	return browser.script("""(() => {
		const timeline = app.timeline, box = timeline.canvas.getBoundingClientRect(), track = timeline.tracks.list[1];
		for (let x = LABELS + 20; x < timeline.width - 20; x += 2) {
			const y = timeline.laneY(track, 1, track.y - timeline.scroll.scrollTop) + 8, item = timeline.itemAt(x, y);
			if (item && item.end - item.begin > 4 * timeline.pixel)
				return [box.left + x, box.top + y];
		}
		return null;
	})()""")


def hint():
	"""The hint is about the box under the pointer, so it goes when a key or a search changes the picture."""
	def shown():
		browser.mouse("mouseMoved", 5, 5, "none")
		browser.mouse("mouseMoved", *wide_call(), "none")
		return browser.script("!document.getElementById('hint').hidden")
	for act in (lambda: browser.key("d"), lambda: browser.key("n"), lambda: browser.script("app.search.input.value = 'mix', app.search.find()"),
		lambda: browser.script("app.showAll()")):
		assert shown()
		act()
		assert browser.script("document.getElementById('hint').hidden")
	browser.script("app.search.clear(); app.showAll()")


def flame_click():
	"""A second click on a frame of the chosen function keeps the details."""
	frame = browser.script("app.flame.frames.filter((one) => app.trace.nodeName(one.node).startsWith('handle_request'))[0]")
	box = browser.script("(() => { const box = app.flame.canvas.getBoundingClientRect(); return [box.left, box.top]; })()")
	for _ in range(2):
		browser.click(box[0] + frame["x"] + frame["width"] / 2, box[1] + 17 * frame["depth"] + 8)
		settled()
		frame = browser.script("app.flame.frames.filter((one) => app.trace.nodeName(one.node).startsWith('handle_request'))[0]")
		assert text("details").startswith("handle_request") and browser.script("app.chosenFunction !== null")
	browser.script("app.flame.zoom(0); app.selectFunction(null)")


def tracks():
	"""Each thread is visible at first, and the name of a thread as long as a part of it is."""
	resized(1280, 620)
	tracks = browser.script("app.timeline.tracks.list.map((track) => [track.y, track.height, track.levels, track.thread.lanes - 1, track.deep])")
	assert any(deep and levels < lanes for _, _, levels, lanes, deep in tracks), tracks
	height = browser.script("app.timeline.height")
	assert all(y + 42 <= height for y, *_ in tracks), (height, tracks)
	# A click on the line about the other levels shows all of them, a second click hides them again.
	deep = next(i for i, track in enumerate(tracks) if track[4])
	canvas = browser.script("(() => { const box = app.timeline.canvas.getBoundingClientRect(); return [box.left, box.top]; })()")
	more = "(() => { const { tracks } = app.timeline, y = tracks.moreY(tracks.list[%d]) + 5; app.timeline.scroll.scrollTop = y - 100; return y - app.timeline.scroll.scrollTop; })()" % deep
	for all_levels in True, False:
		browser.click(canvas[0] + 60, canvas[1] + browser.script(more))
		settled()
		track = browser.script(f"(() => {{ const track = app.timeline.tracks.list[{deep}]; return [track.levels, track.thread.lanes - 1]; }})()")
		assert (track[0] == track[1]) == all_levels, track
	# The name is drawn below the ruler after the begin of its track is scrolled away.
	browser.script(f"app.timeline.tracks.list[{deep}].full = true; app.timeline.layOut(); app.timeline.scroll.scrollTop = app.timeline.tracks.list[{deep}].y - RULER + 40")
	drawn = browser.script("""(() => {
		const context = app.timeline.context, real = context.fillText, seen = [];
		context.fillText = function (text, x, y) { seen.push([text, y]); };
		app.timeline.draw();
		context.fillText = real;
		app.timeline.draw();
		return seen.filter(([text]) => text === "viewed").map(([, y]) => y);
	})()""")
	assert min(drawn) == 24 + 11, drawn
	browser.script(f"app.timeline.tracks.list[{deep}].full = false; app.timeline.layOut(); app.timeline.scroll.scrollTop = 0")
	resized(1280, 900)


def ruler():
	"""Times that would differ only in their last digits are relative to a time at the left end of the ruler."""
	for length in 1e6, 1e4, 200:
		browser.script(f"app.timeline.show(app.trace.span * 0.4, app.trace.span * 0.4 + {length})")
		settled()
		seen = browser.script("""(() => {
			const timeline = app.timeline, relative = rulerBase(timeline);
			return rulerTicks(timeline).map(([time, step]) => [time + app.trace.since, relative && relative.base,
				relative ? offsetText(Math.round(time + app.trace.since - relative.base), step) : app.trace.moment(time, step)]);
		})()""")
		texts = [one[2] for one in seen]
		assert len(set(texts)) == len(texts) >= 3, texts
		if length <= 1e4:
			units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
			for time, base, shown in seen:
				number, unit = shown[1:].replace(",", "").split()
				assert shown[0] == "+" and base + float(number) * units[unit] == time and len(shown) <= 9, (time, base, shown)
	browser.script("app.showAll()")


def names():
	"""Names are shortened where they do not differ."""
	short = lambda name, room: browser.script(f"elideName({name!r}, {room})")
	cases = {("parser::parse_expression", 30): "parser::parse_expression", ("parser::parse_expression", 20): "par…parse_expression",
		("parser::parse_expression", 12): "parse_…ssion", ("parser::parse_statement", 12): "parse_…ement",
		("std::vector<a::b>::push_back", 16): "std::v…push_back", ("main", 3): "ma…", ("main", 1): "…", ("main", 0): ""}
	for (name, room), wanted in cases.items():
		got = short(name, room)
		assert got == wanted and len(got) <= room, (name, room, got)


def table():
	"""The filter, percentages, percentiles, and widths that the page remembers."""
	assert text("row-count").endswith(" functions")
	all_rows = browser.script("app.table.rows.length")
	browser.click(*place("#filter"))
	for letter in "sort":
		browser.key(letter)
	found = browser.script("app.table.rows.map((row) => row.fn.name + ' ' + row.fn.fullName + ' ' + row.fn.library)")
	assert 0 < len(found) < all_rows and all("sort" in one for one in found), found
	assert text("row-count") == f"{len(found)} of {all_rows} functions"
	browser.script("app.table.setFilter('')")
	rows = browser.script("app.table.rows.map((row) => [row.total, row.self, row.share, row.selfShare, row.min, row.p50, row.p99, row.max])")
	time = sum(row[1] for row in rows)
	for total, own, share, own_share, least, p50, p99, most in rows:
		assert abs(share - total / time) < 1e-9 and abs(own_share - own / time) < 1e-9 and least <= p50 <= p99 <= most
	grip, width = place("#table-head [data-key=calls] .grip"), browser.script("document.querySelector('#table-head [data-key=calls]').clientWidth")
	browser.drag(*grip, grip[0] + 60, grip[1])
	assert browser.script("document.querySelector('#table-head [data-key=calls]').clientWidth") == width + 60
	bar, before = place("#flame-bar"), browser.script("document.getElementById('flame-pane').clientWidth")
	browser.drag(*bar, bar[0] - 100, bar[1])
	assert abs(browser.script("document.getElementById('flame-pane').clientWidth") - before - 100) <= 2
	return width + 60, before + 100


def details():
	"""The percentiles, callers, callees and slowest calls of a function, against the items themselves."""
	# On a busy machine a part of the time may have no call, so the range is that of some of its calls.
	begins = browser.script("""(async () => {
		const begins = [], { trace } = app;
		for await (const [chunk, data] of trace.items(null, 0, trace.span))
			for (let i = 0; i < data.count; i++)
				if (data.node[i] > 1 && trace.functions[trace.name[data.node[i]]].name === "parser::parse_expression")
					begins.push(data.begin[i]);
		return begins.sort((a, b) => a - b);
	})()""")
	for chosen in "null", f"[{begins[len(begins) // 5]}, {begins[len(begins) * 7 // 10]}]":
		browser.script(f"app.setRange({chosen})")
		settled()
		browser.script("app.selectFunction(app.trace.functions.findIndex((fn) => fn.name === 'parser::parse_expression'))")
		browser.until("document.getElementById('details').textContent.includes('Slowest calls') && !document.getElementById('details').textContent.includes('…')")
		wanted = browser.script("""(async () => {
			const [begin, end] = app.range || [-Infinity, Infinity], durations = [], callers = {}, callees = {};
			for await (const [chunk, data] of app.trace.items(null, 0, app.trace.span))
				for (let i = 0; i < data.count; i++) {
					const { trace } = app, node = data.node[i], time = Math.min(data.end[i], end) - Math.max(data.begin[i], begin);
					const name = (node) => node > 1 ? trace.functions[trace.name[node]].name : "";
					if (name(node) === "parser::parse_expression" && data.begin[i] >= begin && data.begin[i] < end)
						durations.push(data.end[i] - data.begin[i]);
					if (name(node) === "parser::parse_expression" && time > 0)
						callers[name(trace.parent[node])] = (callers[name(trace.parent[node])] || 0) + time;
					if (name(trace.parent[node]) === "parser::parse_expression" && time > 0)
						callees[name(node)] = (callees[name(node)] || 0) + time;
				}
			durations.sort((a, b) => a - b);
			const ranked = (percent) => formatTime(durations[durations.length - Math.floor(durations.length * (100 - percent) / 100) - 1]);
			const lines = (times) => Object.entries(times).sort((a, b) => b[1] - a[1]).map(([name, time]) => name + " " + formatTime(time));
			return { percentiles: [50, 90, 99].map(ranked), slowest: durations.slice(-10).reverse().map(formatTime), callers: lines(callers), callees: lines(callees) };
		})()""")
		got = browser.script("""(() => {
			const box = document.getElementById("details"), terms = new Map(Array.from(box.querySelectorAll("dt"), (one) => [one.textContent, one.nextSibling.textContent]));
			const list = (title) => Array.from(Array.from(box.querySelectorAll("h3")).find((one) => one.textContent.startsWith(title)).nextSibling.children,
				(line) => [line.firstChild.textContent, line.lastChild.textContent.split(",")[0]]);
			return { percentiles: ["p50", "p90", "p99"].map((one) => terms.get(one)), slowest: list("Slowest").map((one) => one[0]),
				callers: list("Callers").map((one) => one.join(" ")), callees: list("Callees").map((one) => one.join(" ")) };
		})()""")
		assert got == wanted, (chosen, got, wanted)
		browser.picture("details.png")
	browser.click(*place("#details li button"))
	settled()
	browser.script("app.setRange(null); app.selectFunction(null)")


def menu():
	"""A right click opens a menu, whose entries act and copy."""
	browser.script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")

	def opened_at(x, y):
		browser.mouse("mouseMoved", x, y, "none")
		browser.mouse("mousePressed", x, y, "right")
		browser.mouse("mouseReleased", x, y, "right")
		browser.until("app.menu.isOpen")
		return browser.script("Array.from(document.querySelectorAll('#menu button')).map((one) => one.textContent)")

	def take(entry):
		browser.click(*browser.script(f"""(() => {{
			const box = Array.from(document.querySelectorAll('#menu button')).find((one) => one.textContent === {entry!r}).getBoundingClientRect();
			return [box.left + 20, box.top + 8]; }})()"""))
		browser.until("!app.menu.isOpen")
		settled()

	browser.script("""(async () => {
		for await (const [chunk, data] of app.trace.items(1, 0, app.trace.span))
			for (let i = 0; i < data.count; i++)
				if (app.trace.lane[data.node[i]] === 1 && data.end[i] > data.begin[i]) {
					const length = data.end[i] - data.begin[i];
					app.timeline.most = data.end[i] + 9 * length;
					app.timeline.show(data.begin[i] - length, data.end[i] + 4 * length);
					return;
				}
	})()""")
	settled()
	entries = opened_at(*wide_call())
	assert "Zoom to this" in entries and "Copy the name" in entries, entries
	browser.picture("menu.png")
	length = browser.script("app.timeline.end - app.timeline.begin")
	take("Zoom to this")
	assert browser.script("app.timeline.end - app.timeline.begin") < length and browser.script("app.chosen !== null")
	browser.script("app.timeline.most = app.trace.span * 1.01")
	browser.key("0")
	row = place("#table-rows .row:nth-child(2) .name")
	opened_at(*row)
	take("Copy the full name")
	browser.until("window.copied")
	name = browser.script("app.trace.functions[app.chosenFunction].fullName")
	assert browser.script("window.copied") == name != ""
	browser.until("document.getElementById('said').textContent === 'copied'")
	opened_at(*row)
	browser.key("Escape")
	assert browser.script("!app.menu.isOpen && app.chosenFunction !== null")
	opened_at(*row)
	take("Show only this name in the table")
	assert browser.script("app.table.rows.length") < browser.script("app.table.all.length")
	browser.script("app.table.setFilter('')")
	browser.click(*place("#copy-table"))
	browser.until("window.copied.includes('\\t')")
	lines = browser.script("window.copied").splitlines()
	assert lines[0].split("\t")[:3] == ["Function", "Calls", "Total"] and len(lines) == 1 + browser.script("app.table.rows.length")
	browser.script("app.selectFunction(null)")


def state(page):
	"""The address has the state of the page, and a page with this address shows it."""
	browser.script("app.search.input.value = 'parse', app.search.find(); app.setRange([1000, Math.round(app.trace.span / 2)]); app.setThread(1);"
		"app.table.setFilter('parser'); app.table.sortBy('calls'); app.timeline.show(2000, app.trace.span / 3)")
	settled()
	browser.script("app.search.go(1)")
	browser.until("app.chosen")
	browser.key("b")
	browser.mouse("mousePressed", 40, place("#overview")[1])
	browser.mouse("mouseReleased", 40, place("#overview")[1])
	facts = "[app.range, app.chosenThread, app.search.input.value, app.table.filter.value, app.table.key, app.table.rows.length," \
		"Math.round(app.timeline.begin), Math.round(app.timeline.end), app.chosen && [app.chosen.begin, app.chosen.end, app.chosen.node]," \
		"app.bookmarks.list, app.timeline.overview.mode]"
	settled()
	browser.until("!app.state.timer && location.hash.includes('bookmarks')")
	before, address = browser.script(facts), browser.script("location.href")
	assert before[9] and before[10] == "threads", before
	browser.open("about:blank")
	browser.open(address)
	browser.until("app && app.chosen")
	settled()
	after = browser.script(facts)
	assert [after[i] for i in range(11) if i not in (6, 7)] == [before[i] for i in range(11) if i not in (6, 7)], (before, after)
	assert all(abs(after[i] - before[i]) <= 2 for i in (6, 7)), (before, after)
	# The browser remembers bookmarks for the trace, without the address.
	browser.open("about:blank")
	opened(page)
	assert browser.script("app.bookmarks.list") == before[9] and browser.script("app.range") is None
	browser.script("app.bookmarks.show()")
	browser.picture("bookmarks.png")
	browser.click(*browser.script("(() => { const box = Array.from(document.querySelectorAll('#bookmark-list button')).find((one) => one.textContent === 'Go').getBoundingClientRect(); return [box.left + 5, box.top + 5]; })()"))
	settled()
	assert abs(browser.script("app.timeline.begin") - before[9][0]["begin"]) <= 20
	browser.script("app.bookmarks.list = []; app.bookmarks.changed(); app.showAll()")


def theme(page):
	"""The page remembers the chosen theme, and follows the system without one."""
	dark = "document.documentElement.classList.contains('dark')"
	browser.scheme("light")
	browser.click(*place("#theme"))
	assert browser.script(dark)
	opened(page)
	assert browser.script(dark)
	browser.click(*place("#theme"))
	assert not browser.script(dark)
	browser.scheme("dark")
	browser.until(dark)
	browser.scheme("light")


def strip():
	"""The strip shows the number of open calls, or of threads with one."""
	settled()
	wanted = browser.script("""(async () => {
		const { overview, least, most } = app.timeline, columns = overview.columns, scale = columns / (most - least), sums = { calls: 0, threads: 0 };
		for await (const [, data] of app.trace.items(null, 0, app.trace.span))
			for (let i = 0; i < data.count; i++) {
				const lane = app.trace.lane[data.node[i]], time = (data.end[i] - data.begin[i]) * scale;
				sums.calls += lane ? time : 0;
				sums.threads += lane === 1 ? time : 0;
			}
		const sum = (list) => list.reduce((a, b) => a + b, 0);
		return [sum(overview.activity.calls) / sums.calls, sum(overview.activity.threads) / sums.threads];
	})()""")
	assert all(abs(share - 1) < 0.02 for share in wanted), wanted


def pictures():
	for scheme in "light", "dark":
		browser.scheme(scheme)
		for width in 1920, 1280, 800:
			resized(width, 900)
			browser.picture(f"page-{width}-{scheme}.png")
	browser.scheme("light")


try:
	page = sys.argv[1]
	opened(page)
	hint()
	flame_click()
	tracks()
	ruler()
	names()
	widths = table()
	strip()
	details()
	menu()
	state(page)
	opened(page)
	assert browser.script("document.querySelector('#table-head [data-key=calls]').clientWidth") == widths[0]
	assert abs(browser.script("document.getElementById('flame-pane').clientWidth") - widths[1]) <= 3
	theme(page)
	pictures()
	assert not browser.faults(), browser.faults()
finally:
	browser.close()
