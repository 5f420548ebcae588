# SPDX-License-Identifier: MIT
# top.py - checks the output of 'spoor top --batch' for paced.c from start to end.
#
# usage: top.py TOP OUTPUT REPORT.csv EVENTS.csv
# OUTPUT: the output of the program; REPORT.csv, EVENTS.csv: report and export of the whole trace
import csv, re, sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
NUMBER = re.compile(r" *([0-9,.]+)(?: (ns|us|ms|s))?(?=  |$)")
intervals = []
for line in open(sys.argv[1]):
	line = line.rstrip("\n")
	head = re.match(r"^([0-9]+) ms: ([0-9,]+) events of ([0-9]+) threads?, ([0-9,]+) a second; ([0-9,]+) lost, ([0-9,]+) in total$", line)
	if head:
		intervals.append({"ms": int(head[1]), "events": int(head[2].replace(",", "")), "rows": {}, "lost": head[6]})
	row = re.match(r"^ *([0-9,]+)  +([0-9.]+ [num]?s)  +([0-9.]+ [num]?s) .* ([a-z]+)$", line)
	if row:
		def ns(text):
			number, unit = text.split()
			return float(number) * UNITS[unit]
		intervals[-1]["rows"][row[4]] = (int(row[1].replace(",", "")), ns(row[2]), ns(row[3]))


def check(what, is_, expected, slack=0):
	if abs(is_ - expected) > slack:
		sys.exit("%s: %r instead of %r" % (what, is_, expected))


counted = {line.split()[1]: int(line.split()[0]) for line in open(sys.argv[2]) if not line.startswith("0 ")}
counted["stays"] = 1
calls, selves = {}, {}
if len(intervals) < 3:
	sys.exit("only %d intervals" % len(intervals))
for interval in intervals:
	check("lost", int(interval["lost"]), 0)
	rows = interval["rows"]
	for name, (count, total, own) in rows.items():
		calls[name] = calls.get(name, 0) + count
		selves[name] = selves.get(name, 0) + own
		# The rounding error grows with the number.
		if total > (interval["ms"] + 1) * 1e6 * 1.001:
			sys.exit("%s has %g ns of %d ms" % (name, total, interval["ms"]))
	if "stays" in rows:
		below = sum(rows[name][2] for name in ("stays", "spins", "below", "fast") if name in rows)
		check("self times of a thread and its outermost call's total", below, rows["stays"][1], 5e3 + rows["stays"][1] / 1e5)
	if "spins" in rows and "below" in rows:
		check("self and total", rows["spins"][1] - rows["spins"][2], rows["below"][1], 5e3 + rows["spins"][1] / 1e5)
for name, count in counted.items():
	check("calls of " + name, calls.get(name, 0), count)
check("functions", len(calls), len(counted))
check("events", sum(interval["events"] for interval in intervals), sum(1 for _ in csv.DictReader(open(sys.argv[4]))))
for row in csv.DictReader(open(sys.argv[3])):
	name, own = row["function"], int(row["self_ns"])
	check("self time of %s in the intervals together" % name, selves[name], own, 5e3 * len(intervals) + own / 1e4)
