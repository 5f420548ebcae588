# SPDX-License-Identifier: MIT
# view.py - reads a page of spoor view, and the calls of a trace from its CSV export, so that a test can compare both.
# chunks.h and write_page.c describe the page.
import base64, csv, re, subprocess, urllib.request, zlib

RUNS, LEVEL, SUMMARY, WAITS = 32, 33, 57, 90
ROOT, RESUMED, PAYLOAD, EARLY = 8, 16, 64, 128


class Bytes:
	def __init__(self, data, at=0):
		self.data, self.at = data, at

	def number(self):
		value = shift = 0
		while True:
			byte = self.data[self.at]
			self.at += 1
			value |= (byte & 127) << shift
			shift += 7
			if byte < 128:
				return value

	def signed(self):
		number = self.number()
		return -(number + 1) // 2 if number % 2 else number // 2

	def byte(self):
		self.at += 1
		return self.data[self.at - 1]

	def text(self):
		length = self.number()
		self.at += length
		return self.data[self.at - length:self.at].decode("utf-8", "replace")

	def numbers(self, count):
		return [self.number() for _ in range(count)]

	def sums(self, count):
		total, list = 0, []
		for _ in range(count):
			total += self.signed()
			list.append(total)
		return list


def log_range(step):
	"""Returns the shortest and the longest duration that a byte of a run stands for."""
	least = lambda at: min(at, 4) if at < 8 else (4 + at % 4) << at // 4 - 2
	return least(step), step if step < 4 else least(step + 1)


class Page:
	def __init__(self, path):
		html = self.html = open(path, encoding="utf-8").read()
		parts = dict(re.findall(r'<script type="text/plain" id="(\w+)">([A-Za-z0-9+/=]*)</script>', html))
		self.read(Bytes(zlib.decompress(base64.b64decode(parts["meta"]))), parts)

	@staticmethod
	def chunk_bytes(parts, pack, at, length):
		return base64.b64decode(parts["pack%d" % pack][at:at + length])

	def read(self, meta, parts):
		assert meta.number() == 3
		self.version, self.title = meta.text(), meta.text()
		self.begin, self.since = meta.number(), meta.signed()
		self.span, self.resolution, self.events, self.beyond, self.texts_left_out, self.counted = meta.numbers(6)
		rows = []
		for _ in range(meta.number()):
			name, full_name = meta.text(), meta.text()
			rows.append([full_name or name] + meta.numbers(13))
		places = [("", "")] + [(meta.text(), meta.text()) for _ in range(meta.number())]
		self.functions = [None] + [dict(zip(("name", "library", "file", "line", "calls", "counted", "roots", "total", "self",
			"sum", "min", "max", "p50", "p99"), row)) for row in rows]
		for function in self.functions[1:]:
			function["library"], function["file"] = places[function["library"]][0], places[function["file"]][0]
		self.labels = [None] + [(meta.text(), meta.text()) for _ in range(meta.number())]
		self.strings = [None] + [(meta.text(), meta.text()) for _ in range(meta.number())]
		self.nodes = [None, None]	# parent, name, calls, total, depth from 0
		for i in range(2, meta.number()):
			back, name, calls, total = meta.numbers(4)
			parent = i - back
			self.nodes.append((parent, name, calls, total, -1 if parent == 1 else 0 if parent == 0 else self.nodes[parent][4] + 1))
		self.processes = [(meta.text(), meta.number()) for _ in range(meta.number())]
		self.threads = [(meta.text(), *meta.numbers(9)) for _ in range(meta.number())]
		self.read_chunks(meta, parts)

	def read_chunks(self, meta, parts):
		self.calls, self.marks, self.runs, self.levels = [], [], [], []
		self.waits = []
		self.sums, self.summaries = {}, {}	# by thread, kind, and number of the chunk
		pack = at = 0
		for _ in range(meta.number()):
			thread, kind, count, begin, length, first, new_pack, text, ordinal = meta.numbers(9)
			if new_pack:
				pack, at = pack + 1, 0
			data = zlib.decompress(self.chunk_bytes(parts, pack, at, text))
			at += text
			head = Bytes(data)
			lengths, place, columns = head.numbers(7), head.at, []
			for one in lengths:
				columns.append(Bytes(data[place:place + one]))
				columns[-1].end = one
				place += one
			assert place == len(data)
			if kind == WAITS:
				self.read_waits(thread, count, begin, begin + length, columns)
			elif kind >= SUMMARY:
				self.read_summaries(thread, kind - SUMMARY, count, 64 * ordinal, columns)
			else:
				self.read_chunk(thread, kind, count, begin, begin + length, begin + first, columns, (thread, kind, ordinal))

	def read_waits(self, thread, count, first, last, columns):
		"""Reads when a thread had no processor: thread, begin, end, preempted, depth, waker, reason, waker's function."""
		begins, rest = columns[0].sums(count), [columns[i].numbers(count) for i in range(1, 7)]
		for begin, length, preempted, depth, waker, reason, function in zip(begins, *rest):
			self.waits.append((thread, first + begin, first + begin + length, preempted, depth, waker, reason and self.strings[reason][0],
				function and self.strings[function][0]))
		assert begins[0] == 0 and self.waits[-1][2] == last

	def read_summaries(self, thread, kind, count, ordinal, columns):
		"""Reads the sums of chunks: calls, total, least and most time by path, and items, roots and their time."""
		counts, exceptions, entry = columns[0].numbers(count), {}, 0
		at, rest = 0, columns[6]
		while rest.at < rest.end:
			at += rest.number()
			exceptions[at] = rest.numbers(3)
		for number, entries in enumerate(counts):
			sums = {}
			for node in columns[1].sums(entries):
				items, total, least, most = (columns[i].number() for i in (2, 3, 4, 5))
				sums[node] = [items, total, least, least + most] + exceptions.get(entry, [0, 0, 0])
				entry += 1
			assert len(sums) == entries and list(sums) == sorted(sums)
			self.summaries[thread, kind, ordinal + number] = sums

	def add_sums(self, chunk, node, items, total, least, most, resumed=0, root=0):
		"""Adds an item to the sums that the summary of its chunk must have. least None: it has no duration."""
		sums = self.sums.setdefault(chunk, {}).setdefault(node, [0, 0, None, 0, 0, 0, 0])
		for i, value in ((0, items), (1, total), (4, resumed), (5, root), (6, root * total)):
			sums[i] += value
		if least is not None:
			sums[2] = least if sums[2] is None else min(sums[2], least)
			sums[3] = max(sums[3], most)

	def summaries_agree(self):
		"""Tells if each chunk of calls and runs has a summary with the sums of its items."""
		wanted = {chunk: {node: [sums[0], sums[1], sums[2] or 0, max(sums[3], sums[2] or 0)] + sums[4:] for node, sums in nodes.items()}
			for chunk, nodes in self.sums.items()}
		return wanted == self.summaries and len(wanted) > 0

	def read_chunk(self, thread, kind, count, first, last, origin, columns, chunk):
		begins, lengths = [origin + begin for begin in columns[0].sums(count)], columns[1].numbers(count)
		assert min(begins) == first and max(b + l for b, l in zip(begins, lengths)) == last
		if kind == RUNS:
			counts, node = columns[2].numbers(count), 0
			nodes = columns[3].sums(sum(counts))
			for begin, length, entries in zip(begins, lengths, counts):
				run = []
				for _ in range(entries):
					calls, total = columns[4].number(), columns[5].number()
					least = most = None
					if calls != 1:
						least, most = columns[6].byte(), columns[6].byte()
					run.append((nodes[node], calls, total, least, most))
					exact = (2 * total, 2 * total) if calls == 1 else (None, None) if calls == 0 else \
						(2 * log_range(least)[0] + 1, 2 * log_range(most)[1] + 1)
					self.add_sums(chunk, nodes[node], calls, total, *exact)
					node += 1
				self.runs.append((thread, begin, begin + length, run))
			return
		nodes = columns[2].sums(count)
		if kind >= LEVEL:
			calls = columns[3].numbers(count)
			assert all(length < 64 * 4 ** (kind - LEVEL) for length in lengths)
			for begin, length, node, n in zip(begins, lengths, nodes, calls):
				self.levels.append((thread, kind - LEVEL, begin, begin + length, node, n))
			return
		for begin, length, node in zip(begins, lengths, nodes):
			assert (64 * 4 ** (kind - 1) if kind else 0) <= length < 64 * 4 ** kind
			flags = columns[3].byte()
			payload = None
			if flags & PAYLOAD and self.nodes[node][0] == 1:
				payload = columns[4].numbers(3)
			elif flags & PAYLOAD:
				payload = [(columns[5].text(), columns[5].text()) for _ in range(columns[5].number())]
			self.add_sums(chunk, node, 1, length, *((None, None) if flags & ROOT else (length, length)), int(flags & RESUMED != 0), int(flags & ROOT != 0))
			to = self.marks if self.nodes[node][0] == 1 else self.calls
			to.append((thread, begin, begin + length, node, flags, payload))

	def function(self, node):
		return self.functions[self.nodes[node][1]]["name"]

	def is_outermost(self, node):
		parent = self.nodes[node][0]
		while parent > 1:
			if self.nodes[parent][1] == self.nodes[node][1]:
				return False
			parent = self.nodes[parent][0]
		return True

	def table(self):
		"""Returns calls, total and self time of each function, added up from the items."""
		calls, total = [0] * len(self.nodes), [0] * len(self.nodes)
		for thread, begin, end, node, flags, payload in self.calls:
			calls[node] += not flags & RESUMED
			total[node] += end - begin
		for thread, begin, end, run in self.runs:
			for node, n, ns, least, most in run:
				calls[node] += n
				total[node] += ns
		own, table = list(total), {}
		for node in range(2, len(self.nodes)):
			if self.nodes[node][0] > 1:
				own[self.nodes[node][0]] -= total[node]
		for node in range(2, len(self.nodes)):
			parent, name, all_calls, all_total, depth = self.nodes[node]
			assert (calls[node], total[node]) == (all_calls, all_total) or parent == 1, (self.nodes[node], calls[node], total[node])
			if parent == 1 or not name:
				continue
			function = self.functions[name]
			row = table.setdefault((function["name"], function["library"]), [0, 0, 0])
			row[0] += calls[node]
			row[1] += total[node] if self.is_outermost(node) else 0
			row[2] += own[node]
		return table


class Served(Page):
	"""The same page from a server, whose meta has the number of bytes of each chunk."""
	def __init__(self, url):
		self.url, self.asked = url, 0
		self.html = self.get("").decode()
		self.read(Bytes(zlib.decompress(self.get("meta"))), None)

	def get(self, path):
		with urllib.request.urlopen(self.url + path) as answer:
			return answer.read()

	def chunk_bytes(self, parts, pack, at, length):
		data = self.get("chunks/%d" % self.asked)
		self.asked += 1
		assert len(data) == length, (self.asked, len(data), length)
		return data


def spoor_report(spoor, trace, *options):
	"""Returns the report of spoor, by function and library."""
	text = subprocess.run([spoor, "report", "--format=csv", *options, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
	table = {}
	for row in list(csv.reader(text.decode("utf-8", "replace").splitlines()))[1:]:
		table.setdefault((row[0], row[1]), []).append([int(n) if n else None for n in row[2:8]])
	return table


def csv_calls(spoor, trace):
	"""Returns (thread, depth, function, begin, end) of the calls of a trace without losses, from its events."""
	process = subprocess.Popen([spoor, "export", "--format=csv", "--flat", trace], stdout=subprocess.PIPE, text=True)
	stacks, calls = {}, []
	for row in csv.DictReader(process.stdout):
		thread, time, event, stack = int(row["thread"]), int(row["time_ns"]), row["event"], stacks.setdefault(int(row["thread"]), [])

		def leave():
			function, begin, frame = stack.pop()
			calls.append((thread, len(stack), function, begin, time))
			return function

		if event == "entry":
			stack.append([row["function"], time, 0])
		elif event in ("exit", "tail_exit"):
			assert leave() == row["function"], row
		elif event == "frame":
			if stack and not stack[-1][2]:
				stack[-1][2] = int(row["count"])
		else:
			# An exception arrives in the call with this frame; 0 ends all calls.
			assert event == "unwind", row
			frame = int(row["count"])
			if not frame or any(call[2] == frame for call in stack):
				while stack and stack[-1][2] != frame:
					leave()
	assert process.wait() == 0 and not any(stacks.values())
	return calls
