# SPDX-License-Identifier: MIT
# replay.py - computes the output of 'spoor replay' and related commands from 'spoor export --format=csv --flat' alone, and
# compares it with their real output.
#
# usage: replay.py CSV ORIGIN_NS SPOOR TRACE SEED
import csv, fnmatch, io, json, random, subprocess, sys

csv_path, origin, spoor, trace, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
LOST = "# %s event%s lost: the pool was exhausted"
NOTES = {"exit": "", "tail": "  # tail call", "unwound": "  # unwound", "left": "  # left without returning",
	"unfinished": "  # still running when the trace ends", "beyond": "  # continues after the shown time"}


class Call:
	def __init__(self, name, library, begin):
		self.name, self.library, self.begin = name, library, begin
		self.frame, self.early, self.unreliable = 0, False, False
		self.end = self.how = None
		self.holds_event = False
		self.parent = None

	def duration(self):
		return max(self.end - self.begin, 0)


class Thread:
	"""The items of one thread in order: [place, what, call or text]."""

	def __init__(self, process, thread, rows, begin_ns, end_ns):
		self.process, self.thread, self.items = process, thread, []
		stack, place, told = [], 0, begin_ns is None
		for row in rows:
			time, event = int(row["time_ns"]), row["event"]
			own = event == "user" and time < origin
			place = place if own else time
			if not told and place >= begin_ns:
				told = True
				for call in stack:
					call.begin, call.early = begin_ns, True
					self.items.append([begin_ns, "enter", call])
			if end_ns is not None and place >= end_ns:
				if not told:
					break
				while stack:
					self.close(stack, end_ns, "beyond", True)
				break
			if event == "entry":
				stack.append(Call(row["function"], row["library"], time))
				if told:
					self.items.append([place, "enter", stack[-1]])
			elif event in ("exit", "tail_exit"):
				at = len(stack)
				while at and (stack[at - 1].name, stack[at - 1].library) != (row["function"], row["library"]):
					at -= 1
				if not at:
					if told:
						self.items.append([place, "other", (time, "# returns from %s %s, whose entry is not in the trace"
							% (row["function"], row["library"]), row["library"])])
					continue
				while len(stack) > at:
					self.close(stack, time, "left", told)
				self.close(stack, time, "exit" if event == "exit" else "tail", told)
			elif event == "frame":
				stack[-1].frame = int(row["count"])
			elif event == "unwind":
				while stack[-1].frame != int(row["count"]):
					self.close(stack, time, "unwound", told)
			elif event == "user":
				if told:
					self.items.append([place, "other", (time, "# user event 0x%08x: %s, %s"
						% (int(row["type"]), row["payload_1"], row["payload_2"]), None)])
			elif event == "lost":
				for call in stack:
					call.unreliable = True
				if told:
					count = row["count"]
					self.items.append([place, "other", (time, LOST % (count, "" if count == "1" else "s"), None)])
			else:
				sys.exit("an unexpected event: " + event)
		while stack:
			self.close(stack, place, "unfinished", told)

	def close(self, stack, time, how, told):
		call = stack.pop()
		call.end, call.how = time, how
		if told:
			self.items.append([time, "leave", call])

	def filter(self, libraries, least):
		if libraries:
			shown = lambda library: fnmatch.fnmatchcase(library, libraries)
			self.items = [item for item in self.items
				if (shown(item[2].library) if item[1] != "other" else item[2][2] is None or shown(item[2][2]))]
		if least:
			stack = []
			for item in self.items:
				if item[1] == "enter":
					stack.append(item[2])
				elif item[1] == "leave":
					stack.pop()
				else:
					for call in stack:
						call.holds_event = True
			self.items = [item for item in self.items
				if item[1] == "other" or item[2].duration() >= least or item[2].holds_event]


def duration_text(ns):
	if ns < 1000:
		return "%7d ns" % ns
	unit = 0
	if ns >= 999999500:
		ns, unit = (ns + 500000) // 1000000, 2
	elif ns >= 1000000:
		ns, unit = (ns + 500) // 1000, 1
	return "%3d.%03d %s" % (ns // 1000, ns % 1000, ("us", "ms", "s ")[unit])


def line(time, duration, depth, text, column=""):
	since = max(time - origin, 0)
	margin = "%10d.%03d  " % (since // 1000, since % 1000)
	return margin + (duration_text(duration) if duration is not None else " " * 10) + column + "   " + "  " * depth + text


def tree(items, limit, roots, columns):
	"""items: (thread, place, what, thing). roots: the calls that are shown together with the calls below them."""
	lines, depth, shown_at, latest = [], {}, {}, None
	index = 0
	visible = []
	for thread, place, what, thing in items:
		depth.setdefault(thread, 0)
		shown_at.setdefault(thread, None)
		if what == "enter":
			if shown_at[thread] is None and (roots is None or roots(thing)):
				shown_at[thread] = depth[thread]
			if shown_at[thread] is not None and depth[thread] - shown_at[thread] < limit:
				visible.append((thread, "enter", thing, depth[thread] - shown_at[thread]))
			depth[thread] += 1
		elif what == "leave":
			depth[thread] -= 1
			if shown_at[thread] is not None:
				level = depth[thread] - shown_at[thread]
				if level < limit:
					visible.append((thread, "leave", thing, level))
				if not level:
					shown_at[thread] = None
		elif shown_at[thread] is not None or roots is None:
			visible.append((thread, "other", thing, min(depth[thread] - (shown_at[thread] or 0), limit)))
	while index < len(visible):
		thread, what, thing, level = visible[index]
		column = columns.get(thread, "") if columns else ""
		if columns and latest is not None and latest != thread:
			lines.append("")
		latest = thread
		index += 1
		if what == "other":
			lines.append(line(thing[0], None, level, thing[1], column))
			continue
		early = "  # entered before the shown time" if thing.early else ""
		notes = NOTES[thing.how] + ("  # events are missing within" if thing.unreliable else "")
		name = thing.name + " " + thing.library
		if what == "leave":
			lines.append(line(thing.end, thing.duration(), level, "} " + thing.name + notes, column))
		elif index < len(visible) and visible[index][0] == thread and visible[index][2] is thing:
			index += 1
			lines.append(line(thing.begin, thing.duration(), level, name + ";" + early + notes, column))
		else:
			lines.append(line(thing.begin, None, level, name + " {" + early, column))
	return lines


rows_of = {}
for row in csv.DictReader(open(csv_path)):
	rows_of.setdefault((int(row["process"]), int(row["thread"])), []).append(row)
times = [int(row["time_ns"]) for rows in rows_of.values() for row in rows if row["event"] == "entry"]
first, last = min(times), max(times)


def read(options):
	begin, end = options.get("time", (None, None))
	threads = []
	for (process, thread), rows in rows_of.items():
		one = Thread(process, thread, rows, begin + origin if begin is not None else (0 if end is not None else None),
			end + origin if end is not None else None)
		one.filter(options.get("library"), options.get("least"))
		threads.append(one)
	return threads


def arguments(options):
	out = []
	if "time" in options:
		begin, end = options["time"]
		out += ["--time", ("" if begin is None else "%dns" % begin) + ".." + ("" if end is None else "%dns" % end)]
	if "library" in options:
		out += ["--library", options["library"]]
	if "least" in options:
		out += ["--min-duration", "%dns" % options["least"]]
	return out


def run(*words):
	result = subprocess.run([spoor, *words, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
	if result.returncode:
		sys.exit("%s: status %d: %s" % (words, result.returncode, result.stderr[-300:]))
	return result.stdout


def same(what, is_, expected):
	if is_ == expected:
		return
	for number, (left, right) in enumerate(zip(is_, expected)):
		if left != right:
			sys.exit("%s: line %d:\n%s\n%s" % (what, number, left, right))
	sys.exit("%s: %d lines instead of %d; then %s" % (what, len(is_), len(expected),
		(is_ + expected)[min(len(is_), len(expected))]))


def body(text):
	return [line for line in text.splitlines() if line and not line.startswith("#")]


def check_threads(options, limit, pattern):
	words = arguments(options) + (["-d", str(limit)] if limit < 1000 else []) + (["-f", pattern] if pattern else [])
	roots = (lambda call: fnmatch.fnmatchcase(call.name, pattern.replace("[", "[[]"))) if pattern else None
	expected = []
	for thread in read(options):
		expected += tree([(thread.thread, *item) for item in thread.items], limit, roots, None)
	same("replay %s" % words, body(run("replay", "-t", *words)), expected)
	return len(expected)


def check_merged(options, limit, pattern):
	words = arguments(options) + (["-d", str(limit)] if limit < 1000 else []) + (["-f", pattern] if pattern else [])
	roots = (lambda call: fnmatch.fnmatchcase(call.name, pattern.replace("[", "[[]"))) if pattern else None
	items, columns = [], {}
	for number, thread in enumerate(read(options)):
		columns[number] = "  %7d %-15s" % (thread.thread, "process%d" % (thread.process // 1000 - 1))
		for place, what, thing in thread.items:
			items.append((place, number, len(items), what, thing))
	items.sort(key=lambda item: item[:3])
	expected = tree([(number, place, what, thing) for place, number, _, what, thing in items], limit, roots, columns)
	shown = run("replay", "-t", "--merge", *words).split("CALL\n", 1)
	same("replay --merge %s" % words, shown[1].splitlines() if len(shown) > 1 else [], expected)
	return len(expected)


def check_slowest(options, count, pattern):
	words = arguments(options) + (["-f", pattern] if pattern else [])
	matches = (lambda call: not pattern or fnmatch.fnmatchcase(call.name, pattern.replace("[", "[[]")))
	found, threads = [], read(options)
	for number, thread in enumerate(threads):
		order = 0
		for place, what, thing in thread.items:
			if what == "enter":
				order += 1
				if matches(thing):
					found.append((-thing.duration(), number, order, thing))
	found.sort(key=lambda item: item[:3])
	expected = []
	for _, number, _, call in found[:count]:
		expected += tree([(number, *item) for item in threads[number].items], 1000, lambda other: other is call, None)
	same("replay --slowest %s" % words, body(run("replay", "-t", "--slowest", str(count), *words)), expected)
	return len(expected)


def check_report(options):
	words, rows = arguments(options), {}
	for thread in read(options):
		stack = []
		for place, what, thing in thread.items:
			if what == "enter":
				stack.append([thing, 0])
			elif what == "leave":
				call, inner = stack.pop()
				row = rows.setdefault((call.name, call.library), [0, 0, 0])
				row[0] += not call.early
				if not any((c.name, c.library) == (call.name, call.library) for c, _ in stack):
					row[1] += call.duration()
				row[2] += call.duration() - inner
				if stack:
					stack[-1][1] += call.duration()
	# A report has no events, so it omits calls that are shown only because of an event.
	if "least" in options:
		return
	shown = {(row["function"], row["library"]): [int(row["calls"]), int(row["total_ns"]), int(row["self_ns"])]
		for row in csv.DictReader(io.StringIO(run("report", "--format=csv", *words)))}
	if shown != rows:
		sys.exit("report %s: %s" % (words, [(key, shown.get(key), rows.get(key)) for key in {**rows, **shown}
			if shown.get(key) != rows.get(key)][:3]))


def check_exports(options):
	words = arguments(options)
	calls = sorted((thing.name, thing.library, thread.thread, thing.begin, thing.duration()) for thread in read(options)
		for place, what, thing in thread.items if what == "enter")
	shown = sorted((event["name"], event["cat"], event["tid"], round(event["ts"] * 1000), round(event["dur"] * 1000))
		for event in json.loads(run("export", "--format=chrome", *words))["traceEvents"] if event["ph"] == "X")
	same("export --format=chrome %s" % words, shown, calls)
	if set(options) != {"time"}:
		return
	begin, end = options["time"]
	kept = []
	for rows in rows_of.values():
		place = 0
		for row in rows:
			if row["event"] != "user" or int(row["time_ns"]) >= origin:
				place = int(row["time_ns"])
			if (begin is None or place >= begin + origin) and (end is None or place < end + origin):
				kept.append(row)
	same("export --format=csv %s" % words, list(csv.DictReader(io.StringIO(run("export", "--format=csv", "--flat", *words)))), kept)
	same("export --format=json %s" % words, [len(json.loads(run("export", "--format=json", "--flat", *words))["events"])], [len(kept)])


generator = random.Random(seed)
lines = 0
length = last - first
for round_number in range(8):
	options = {}
	if generator.random() < 0.7:
		begin = generator.randrange(length) + first - origin
		end = begin + 1 + generator.randrange(length)
		options["time"] = [(begin, end), (None, end), (begin, None)][generator.randrange(3)]
	if generator.random() < 0.4:
		options["library"] = generator.choice(["liba.so", "lib[ab].so", "*"])
	if generator.random() < 0.4:
		options["least"] = generator.choice([1, 700, 5000, 100000])
	limit = generator.choice([1, 2, 3, 1000, 1000])
	pattern = generator.choice([None, "*+#3", "*+#[[]15]", "libb*"])
	pattern = None if pattern and "[[]" in pattern else pattern
	lines += check_threads(options, limit, pattern)
	lines += check_merged(options, limit, pattern)
	lines += check_slowest(options, generator.choice([1, 3, 10]), pattern)
	check_report(options)
	check_exports(options)
if lines < 1000:
	sys.exit("only %d lines were compared" % lines)
