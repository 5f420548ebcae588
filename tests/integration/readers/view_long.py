# SPDX-License-Identifier: MIT
# view_long.py - operates pages of spoor view in a browser like a user, with keys and pointer.
import atexit, os, re, subprocess, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser
from view import csv_calls, spoor_report
import view_marks

spoor = os.environ["top_builddir"] + "/tools/spoor"
browser = Browser()
ROWS = """app.table.all.map((row) => [row.fn.fullName || row.fn.name, row.fn.library, Math.round(row.calls), Math.round(row.total), Math.round(row.self),
	row.timed && row.calls ? row.avg : null, row.timed && row.calls ? row.min : null, row.timed && row.calls ? row.max : null, row.cut, row.minNear, row.maxNear,
	row.selfCut])"""


class Server:
	"""Runs spoor view --serve, and measures its memory at the end."""
	def __init__(self, trace):
		self.process = subprocess.Popen([spoor, "view", "--serve", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
		atexit.register(self.process.kill)
		self.url = self.process.stdout.readline().strip()

	def end(self):
		with open(f"/proc/{self.process.pid}/status") as file:
			memory = dict(line.split(":", 1) for line in file)
		self.process.terminate()
		assert self.process.wait(60) == 0
		print(f"served: {int(memory['VmHWM'].split()[0]) // 1024} MiB of memory at the most, {int(memory['VmRSS'].split()[0]) // 1024} while serving")


def opened(page):
	browser.open(page)
	browser.until("app && app.measured && app.measured === app.measuring")


def settled():
	browser.until("app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing")


def rows():
	settled()
	table = {}
	for row in browser.script(ROWS):
		table.setdefault((row[0], row[1]), []).append(row[2:])
	return table


def equals_report(trace, *options):
	got, reported = rows(), spoor_report(spoor, trace, *options)
	assert {key: sorted(map(str, [row[:6] for row in value])) for key, value in got.items()} == \
		{key: sorted(map(str, value)) for key, value in reported.items()}, (trace, options)
	assert not any(row[6] or row[7] or row[8] or row[9] for value in got.values() for row in value)


def in_range(calls, begin, end):
	"""Returns calls, total, self, average, least and most time by function, within the range."""
	table, open_until, inner = {}, {}, {}
	clip = lambda call: max(0, min(call[4], end) - max(call[3], begin))
	# Callers first, so that the outermost call of each function is known.
	stack = []
	for call in sorted(calls, key=lambda call: (call[0], call[3], call[1])):
		thread, depth, function, first, last = call
		while stack and (stack[-1][0] != thread or stack[-1][1] >= depth):
			stack.pop()
		row = table.setdefault(function, [0, 0, 0, 0, None, 0])
		if begin <= first < end:
			row[0] += 1
			row[3] += last - first
			row[4] = last - first if row[4] is None else min(row[4], last - first)
			row[5] = max(row[5], last - first)
		if not any(outer[2] == function for outer in stack):
			row[1] += clip(call)
		row[2] += clip(call)
		if stack:
			table[stack[-1][2]][2] -= clip(call)
		stack.append(call)
	return {function: [row[0], row[1], row[2], row[3] // row[0] if row[0] else None, row[4], row[5] if row[0] else None]
		for function, row in table.items() if row[0] or row[1]}


def x_of(time):
	return browser.script(f"app.timeline.canvas.getBoundingClientRect().left + app.timeline.xOf({time})")


def y_of(thread, lane):
	return browser.script(f"""(() => {{ const track = app.timeline.tracks.list[{thread}];
		return app.timeline.canvas.getBoundingClientRect().top + app.timeline.laneY(track, {lane}, track.y - app.timeline.scroll.scrollTop) + 8; }})()""")


def select(begin, end):
	"""Drags with Shift at the height of the ruler. Returns the selected range in whole nanoseconds."""
	y = y_of(0, 1)
	browser.drag(x_of(begin), y, x_of(end), y, shift=True)
	return browser.script("app.range")


def whole_page(name, trace):
	opened(name)
	browser.until("performance.getEntriesByName('first-contentful-paint').length")
	paint = browser.script("performance.getEntriesByName('first-contentful-paint')[0].startTime")
	size = f"{os.path.getsize(name)} bytes" if os.path.exists(name) else "served"
	print(f"{name}: {size}, {browser.script('app.trace.events')} events; first paint after {paint:.0f} ms")
	equals_report(trace)
	assert browser.script("document.getElementById('exactness').textContent") == "exact"
	assert browser.script("document.title") == trace + " - spoor"
	browser.until("document.readyState === 'complete'")
	assert browser.script("app.trace.source.missing()")[0] == 0 and browser.script("app.cutShort + document.getElementById('fault').textContent") == ""


def ranges(trace, span, exact):
	calls = csv_calls(spoor, trace)
	origin = int(browser.script("app.trace.begin.toString()"))
	resolution = browser.script("app.trace.resolution")
	near = 0
	for first, last in (0.2, 0.8), (0.55, 0.6), (0.01, 0.99):
		browser.key("0")
		begin, end = select(span * first, span * last)
		assert abs(begin - span * first) < span / 500, (begin, span)
		wanted, got = in_range(calls, origin + begin, origin + end), rows()
		assert {key[0] for key in got} >= set(wanted) if exact else True
		estimated = 0
		for (function, library), ((calls_in, total, own, average, least, most, cut, min_near, max_near, self_cut),) in got.items():
			there = wanted.get(function, [0] * 6)
			assert self_cut or (not cut and own == there[2]), (function, own, there)
			if not cut:
				assert [calls_in, total] == there[:2], (function, calls_in, total, there)
				assert average == there[3] and (least == there[4] or min_near) and (most == there[5] or max_near), (function, average, least, most, there)
				# Rounded outwards, by at most a quarter of an octave.
				assert calls_in == 0 or there[4] * 0.79 <= least <= there[4] and there[5] <= most <= there[5] * 1.26, (function, least, most, there)
			estimated += cut
			near += min_near or max_near
			# Estimates are cut off at both edges, in each thread and depth.
			assert abs(total - there[1]) <= 2 * resolution * 3 * 40, (function, total, there)
		if exact:
			assert not estimated and {key[0]: row[0][:3] for key, row in got.items()} == {f: row[:3] for f, row in wanted.items()}
			assert browser.script("document.getElementById('exactness').textContent") == "exact"
		else:
			told = browser.script("document.getElementById('exactness').textContent")
			assert told.startswith("≈ marks an estimate" if estimated else "exact"), told
		flame = browser.script("app.flame.total[0]")
		assert abs(flame - sum(row[2] for row in wanted.values())) <= 2 * resolution * 3 + 1, flame
	assert exact or near, "the page merges no calls"
	browser.key("Escape")
	settled()


def zooming(span):
	"""Zooms from the whole trace to nanoseconds and back, with keys and with the wheel."""
	browser.key("0")
	middle = browser.script("(app.timeline.begin + app.timeline.end) / 2")
	lengths = []
	for _ in range(200):
		browser.key("w")
		lengths.append(browser.script("app.timeline.end - app.timeline.begin"))
		if lengths[-1] <= 50:
			break
	assert lengths[-1] <= 50 and all(a >= b for a, b in zip(lengths, lengths[1:])), lengths[-3:]
	settled()
	begin = browser.script("app.timeline.begin")
	browser.key("d")
	assert browser.script("app.timeline.begin") > begin, "d does not move to the right"
	browser.key("a")
	browser.key("a")
	assert browser.script("app.timeline.begin") < begin, "a does not move to the left"
	x = x_of(browser.script("app.timeline.begin + (app.timeline.end - app.timeline.begin) / 3"))
	under = browser.script(f"app.timeline.timeAt({x})")
	for _ in range(100):
		browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y_of(0, 1), deltaX=0, deltaY=240)
	assert browser.script("app.timeline.end - app.timeline.begin") > span * 0.99
	browser.key("0")


def clicking():
	"""Clicks a call in the middle of the screen: checks its details, and its function everywhere."""
	settled()
	item = browser.script("""(async () => {
		for await (const [chunk, data] of app.trace.items(1, 0, app.trace.span))
			for (let i = 0; i < data.count; i++)
				if (data.kind < 32 && app.trace.nodeName(data.node[i]).startsWith("parser::parse_expression") && data.end[i] - data.begin[i] > 500)
					return [data.begin[i], data.end[i], app.trace.lane[data.node[i]], app.trace.nodeName(data.node[i])];
	})()""")
	begin, end, lane, name = item
	browser.script(f"app.timeline.show({begin - 2000}, {end + 2000})")
	settled()
	browser.click(x_of((begin + end) / 2), y_of(1, lane))
	settled()
	assert browser.script("app.chosen && [app.chosen.begin, app.chosen.end]") == [begin, end], "another call was hit"
	browser.until("!document.getElementById('details').textContent.includes('…')")
	text = browser.script("document.getElementById('details').innerText")
	for part in (name, "viewed.cc:", "viewed", "duration", "self", "Called by", "parser::parse_statement"):
		assert part in text, (part, text)
	assert browser.script("app.trace.functions[app.table.body.querySelector('.chosen').dataset.fn].name") == name
	browser.key("m")
	assert browser.script("app.range") == [begin, end]
	for _ in range(3):
		browser.key("Escape")
	assert browser.script("app.chosen === null && app.range === null")


def searching(trace):
	settled()
	browser.key("0")
	browser.key("/")
	for letter in "sort_page":
		browser.key(letter)
	wanted = sum(row[0] for (name, library), value in spoor_report(spoor, trace).items() if "sort_page" in name for row in value)
	assert browser.script("document.getElementById('found').textContent") == f"1 function, {wanted:,} call" + "s" * (wanted != 1)
	browser.key("Enter")
	browser.until("app.chosen")
	places_of_matches()
	seen = []
	browser.script("document.activeElement.blur()")
	for _ in range(3):
		seen.append(browser.script("[app.chosen.begin, app.chosen.thread]"))
		browser.until("document.getElementById('found').textContent.startsWith('match')")
		assert browser.script("app.search.hits(app.chosen.data, app.chosen.i)")
		browser.key("n")
		browser.until(f"app.chosen.begin !== {seen[-1][0]}")
	assert seen == sorted(seen) and len(set(map(tuple, seen))) == 3, seen
	browser.key("N")
	browser.until(f"app.chosen.begin === {seen[-1][0]}")
	browser.picture("search.png")
	browser.script("app.search.input.value = '/(/'; app.search.find()")
	assert browser.script("document.getElementById('found').textContent") == "invalid regular expression"
	browser.script("app.search.input.value = 'onerror'; app.search.find(); app.choose(null); app.search.go(1)")
	browser.until("app.chosen")
	assert "</script><img src=x onerror=" in browser.script("document.getElementById('details').textContent")
	assert not browser.script("document.querySelector('img')")
	for _ in range(4):
		browser.key("Escape")


def places_of_matches():
	"""The page shows the number of the chosen call among all matches, in the order of time."""
	browser.until("document.getElementById('found').textContent.startsWith('match')")
	wanted = browser.script("""(async () => {
		const all = [];
		for await (const [chunk, data] of app.trace.items(null, 0, app.trace.span))
			for (let i = 0; i < data.count; i++)
				if (app.search.hits(data, i))
					all.push([data.begin[i], chunk.thread, app.trace.lane[data.node[i]]]);
		all.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
		const at = [app.chosen.begin, app.chosen.thread, app.trace.lane[app.chosen.node]];
		return "match " + (1 + all.findIndex((one) => String(one) === String(at))).toLocaleString("en") + " of " + all.length.toLocaleString("en");
	})()""")
	got = browser.script("document.getElementById('found').textContent")
	assert got.startswith(wanted + " in "), (got, wanted)


def sorting():
	for key, kind in (("calls", "number"), ("self", "number"), ("name", "text"), ("max", "number")):
		browser.script(f"app.table.scroll.scrollLeft = {5000 if key == 'max' else 0}")
		cell = browser.script(f"(() => {{ const box = document.querySelector('#table-head [data-key={key}] button').getBoundingClientRect(); return [box.left + 5, box.top + 5]; }})()")
		browser.click(*cell)
		order = browser.script("app.table.rows.map((row) => " + ("row.fn.name" if kind == "text" else "row." + key) + ")")
		shown = browser.script("Array.from(document.querySelectorAll('#table-rows .row')).map((one) => app.trace.functions[one.dataset.fn].name)")
		names = browser.script("app.table.rows.map((row) => row.fn.name)")
		assert shown == names[:len(shown)] and shown
		assert order == sorted(order, key=lambda one: one.encode("utf-16-be") if kind == "text" else one, reverse=kind != "text"), (key, order)
		assert browser.script(f"document.querySelector('#table-head [data-key={key}]').getAttribute('aria-sort')") == ("ascending" if kind == "text" else "descending")


def one_thread(trace, exact):
	"""Clicks the name of a thread. Runs round the least and the most time."""
	x, y = browser.script("(() => { const box = app.timeline.canvas.getBoundingClientRect(); return [box.left + 60, box.top]; })()")
	browser.click(x, y_of(1, 1))
	tid = browser.script("app.trace.threads[app.chosenThread].tid")
	settled()
	got, reported = rows(), spoor_report(spoor, trace, "--thread", str(tid))
	columns = 6 if exact else 4
	assert {key: value[0][:columns] for key, value in got.items()} == {key: value[0][:columns] for key, value in reported.items()}
	browser.key("Escape")
	settled()


def flame_graph():
	frame = browser.script("app.flame.frames.filter((one) => app.trace.nodeName(one.node).startsWith('work'))[0]")
	box = browser.script("(() => { const box = app.flame.canvas.getBoundingClientRect(); return [box.left, box.top]; })()")
	browser.click(box[0] + frame["x"] + frame["width"] / 2, box[1] + 17 * frame["depth"] + 8)
	assert browser.script("app.flame.root") == frame["node"] and browser.script("app.trace.functions[app.chosenFunction].name").startswith("work")
	assert browser.script("app.flame.frames.filter((one) => one.depth === 0)[0].width === app.flame.box.clientWidth")
	browser.script("document.getElementById('flame-reset').click()")
	browser.key("Escape")


def two_schemes(name):
	seen = []
	for scheme in "light", "dark":
		browser.scheme(scheme)
		settled()
		browser.picture(f"{name}-{scheme}.png")
		seen.append(browser.script("getComputedStyle(document.body).backgroundColor"))
	assert seen[0] != seen[1], seen
	browser.script("document.getElementById('theme').click()")
	assert browser.script("getComputedStyle(document.body).backgroundColor") == seen[0]
	browser.script("document.getElementById('theme').click()")
	browser.scheme("light")


def resizing():
	"""In the frame of a new size both canvases are drawn: the timeline is not black, and the strip above it is
	not empty."""
	settled()
	count = "((canvas, y, least, most) => Array.from(canvas.getContext('2d').getImageData(0, y, canvas.width, 1).data)" \
		".filter((part, i) => i % 4 === 0 && part >= least && part <= most).length)"
	strip = count + "(app.timeline.overview.canvas, OVERVIEW - 6, 90, 160)"
	# Dashed edges are black too.
	black = count + "(app.timeline.canvas, app.timeline.canvas.height - 3, 0, 0)"
	browser.until(f"{strip} > app.timeline.width / 4")
	# An observer that is created later is called later.
	seen = browser.script(f"""new Promise((resolve) => {{
		const main = document.querySelector("main"), before = main.clientWidth;
		new ResizeObserver((_, observer) => {{
			if (main.clientWidth === before)
				return;
			observer.disconnect();
			resolve([app.timeline.canvas.width < before, {strip} / app.timeline.width, {black}]);
		}}).observe(main);
		main.style.width = "80%";
	}})""")
	assert seen[0] and seen[1] > 0.25 and seen[2] < 50, seen
	browser.script("document.querySelector('main').style.width = ''")
	browser.until("app.timeline.canvas.width === document.querySelector('main').clientWidth")
	settled()
	undrawn = browser.script(f"(() => {{ app.timeline.width = 0; app.timeline.resize(); app.draw(); return {black}; }})()")
	assert undrawn < 50, undrawn


def cut_short(name):
	"""A page without its end says so, and how much of it exists."""
	with open(name, "rb") as file:
		page = file.read()
	parts = len(re.findall(rb'id="pack\d+"', page))
	part = page[:page.index(b'id="pack%d"' % (parts // 2)) + 1000]
	with open("cut.html", "wb") as file:
		file.write(part)
	opened("cut.html")
	browser.until("document.getElementById('fault').textContent.startsWith('This file is cut short')")
	browser.until("app.measured === app.measuring")
	missing = parts - parts // 2
	browser.picture("cut.png")
	assert f": {missing} of {parts} part" in browser.script("document.getElementById('fault').textContent")
	assert "exact" not in browser.script("document.getElementById('exactness').textContent")
	assert "not all of it" in browser.script("document.getElementById('facts').textContent")
	assert not browser.faults(), browser.faults()


def panning(name):
	"""Prints how long frames take while the timeline moves, at several scales; does not judge them."""
	for share in 0.5, 0.02, 0.0005:
		browser.script(f"app.timeline.show(app.trace.span * 0.3, app.trace.span * (0.3 + {share}))")
		settled()
		before = browser.processor_ms()
		times = browser.script("""new Promise((resolve) => {
			const times = [];
			let last = performance.now();
			const frame = (now) => {
				times.push(now - last);
				last = now;
				if (times.length > 150)
					resolve(times.slice(1));
				else {
					app.timeline.move((app.timeline.end - app.timeline.begin) * 0.01);
					requestAnimationFrame(frame);
				}
			};
			requestAnimationFrame(frame);
		})""")
		main, every = ((now - then) / len(times) for now, then in zip(browser.processor_ms(), before))
		times.sort()
		within = 100 * sum(time <= 33.4 for time in times) / len(times)
		print(f"{name}: panning over {share:.2%} at a time: median {times[len(times) // 2]:.1f} ms, 95 % within "
		      f"{times[int(len(times) * 0.95)]:.1f} ms; {within:.0f} % of frames within 33 ms; "
		      f"processor a frame: main thread {main:.1f} ms, renderer {every:.1f} ms")
	browser.key("0")


def fetched_only(address):
	"""The page requests only the visible data, and only from its own server."""
	asked = [request for request in browser.requests() if "127.0.0.1:9/" not in request]
	assert asked and all(request.startswith(address) for request in asked), asked[:5]
	assert all(re.fullmatch(r"meta|chunks/\d+(,\d+)*", request[len(address):]) for request in asked), asked[:5]


def fault_is_told(server):
	"""The page reports data that it can no longer load, and still shows loaded data."""
	browser.script("app.trace.cache.clear(); app.trace.cached = 0; app.draw()")
	server.end()
	browser.key("0")
	browser.script("app.trace.cache.clear(); app.draw()")
	browser.until("document.getElementById('fault').textContent.startsWith('Cannot fetch')")
	browser.script("app.setRange([app.trace.span / 3, app.trace.span / 2])")
	browser.until("document.getElementById('exactness').textContent.includes('selected before')")
	browser.picture("served-ended.png")
	assert browser.script("app.table.rows.length") > 5


def served_test(name, trace, other):
	"""The server's page shows the same as the file; and single calls in place of the file's runs."""
	server = Server(trace)
	whole_test(name, trace, True, server.url)
	assert browser.script("app.trace.resolution") == 0
	if other:
		coarse = browser.script("app.trace.chunks.length")
		opened(other)
		assert browser.script("app.trace.resolution") > 0 and coarse > browser.script("app.trace.chunks.length")
		opened(server.url)
	settled()
	fault_is_told(server)


def whole_test(name, trace, exact, address=None):
	whole_page(address or name + ".html", trace)
	span = browser.script("app.trace.span")
	two_schemes(name)
	resizing()
	ranges(trace, span, exact)
	zooming(span)
	searching(trace)
	sorting()
	flame_graph()
	one_thread(trace, exact)
	if exact:
		clicking()
	panning(name)
	if address:
		fetched_only(address)
	violation = browser.script("""new Promise((resolve) => {
		document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
		setTimeout(() => resolve("none"), 5000);
		fetch("http://127.0.0.1:9/").catch(() => {});
	})""")
	assert violation == "connect-src", violation
	faults = [fault for fault in browser.faults() if "127.0.0.1:9/" not in str(fault)]
	assert not faults, faults
	if not address:
		requests = [request for request in browser.requests() if "127.0.0.1:9/" not in request]
		assert not requests, requests


try:
	for argument in sys.argv[1:]:
		name, trace, exact = argument.split(":")
		if exact == "shown":
			whole_page(name + ".html", trace)
			panning(name)
			two_schemes(name)
			server = Server(trace)
			whole_page(server.url, trace)
			panning(name + ", served")
			server.end()
		elif exact == "served":
			served_test(name, trace, "merged.html")
		else:
			whole_test(name, trace, exact == "exact")
	cut_short("large.html")
	opened("golden.html")
	equals_report("golden")
	assert browser.script("app.trace.labels.length") >= 5 and not browser.faults()
	two_schemes("golden")
	view_marks.widths(browser)
	assert "before recording" in view_marks.details_of(browser, "data.flags[i] & FLAG_ROOT")
	opened("marked.html")
	view_marks.texts_of_marks(browser)
	view_marks.moments(browser, "marked.tree")
	view_marks.held_keys(browser)
	opened("later.html")
	assert "before the chosen time" in view_marks.details_of(browser, "data.flags[i] & FLAG_ROOT")
	assert not browser.faults()
finally:
	browser.close()
