# SPDX-License-Identifier: MIT
# live.py - compares the tree that 'spoor record --live' has shown with the events of the trace: for each thread the
# same entries and exits in the same order, and all lines sorted by time except late ones. With NS, only calls that
# lasted at least this long.
#
# usage: live.py TREE EVENTS.csv [NS]
import csv, re, sys

LINE = re.compile(r"^ *(?P<duration>[0-9.]+ [a-z]+)? +(?P<thread>[0-9]+) (?P<name>.{15})(?P<indent> *)(?P<call>[^ ].*)$")
shown, depth = {}, {}


def name_of(text):
	return text.split("(")[0]


for line in open(sys.argv[1]):
	line = line.rstrip("\n")
	if not line or line.startswith("#"):
		continue
	match = LINE.match(line)
	if not match:
		sys.exit("an unknown line: %r" % line)
	call = match["call"].split("  #")[0]
	calls = shown.setdefault(match["thread"], [])
	if call.startswith("} "):
		calls.append(("exit", name_of(call[2:])))
	elif call.endswith(";"):
		calls += [("entry", name_of(call)), ("exit", name_of(call))]
	elif call.endswith("{"):
		calls.append(("entry", name_of(call)))
	else:
		sys.exit("neither an entry nor an exit: %r" % line)

def long_enough(events, ns):
	begun, kept = [], set()
	for at, (kind, _, time) in enumerate(events):
		if kind == "entry":
			begun.append(at)
		elif time - events[begun[-1]][2] >= ns:
			kept |= {begun.pop(), at}
		else:
			begun.pop()
	return [event for at, event in enumerate(events) if at in kept]


recorded = {}
minimum = int(sys.argv[3]) if len(sys.argv) > 3 else 0
with open(sys.argv[2]) as file:
	for event in csv.DictReader(file):
		kind = "exit" if event["event"] == "tail_exit" else event["event"]
		if kind in ("entry", "exit"):
			recorded.setdefault(event["thread"], []).append((kind, name_of(event["function"]), int(event["time_ns"])))
recorded = {thread: [event[:2] for event in long_enough(events, minimum)] if minimum else [event[:2] for event in events]
	for thread, events in recorded.items()}
recorded = {thread: events for thread, events in recorded.items() if events}
if shown.keys() != recorded.keys():
	sys.exit("threads %s instead of %s" % (sorted(shown), sorted(recorded)))
for thread, calls in recorded.items():
	if shown[thread] != calls:
		at = next((i for i, (a, b) in enumerate(zip(shown[thread], calls)) if a != b), min(len(shown[thread]), len(calls)))
		sys.exit("thread %s: %d entries and exits instead of %d; at %d %r instead of %r" % (thread, len(shown[thread]),
			len(calls), at, shown[thread][at:at + 3], calls[at:at + 3]))
