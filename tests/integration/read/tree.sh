#!/bin/sh
# SPDX-License-Identifier: MIT
# tree.sh - spoor tree has the totals of spoor report and the self times and calls of the folded stacks, as a tree of
# callees, as a tree of callers, and for chosen functions.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -O1 -pthread -o paths "$victims/calls/paths.cc"
"$spoor" record -q -o trace -- ./paths 20
"$spoor" flame --format=folded trace > folded.time
"$spoor" flame --format=folded --by=calls trace > folded.calls
"$spoor" report --format=csv trace > report.csv
cat > look.py <<'END'
import collections, csv, json, subprocess, sys

def tree(*options):
    done = subprocess.run([sys.argv[1], "tree", "--format=json", "--threshold=0", *options, "trace"], check=True, stdout=subprocess.PIPE)
    rows = json.loads(done.stdout)["rows"]
    for row in rows:
        above = rows[row["parent"]]["path"] if row["parent"] is not None else ()
        assert row["depth"] == len(above)
        row["path"] = above + (row["function"],)
    assert rows
    return rows

def folded(name):
    values = collections.Counter()
    for line in open(name):
        path, value = line.rstrip("\n").rsplit(" ", 1)
        values[tuple(path.split(";"))] += int(value)
    return values

time, calls = folded("folded.time"), folded("folded.calls")
report = {row["function"]: row for row in csv.DictReader(open("report.csv"))}
down = tree()
assert {r["path"]: r["self_ns"] for r in down if r["self_ns"]} == dict(time)
assert {r["path"]: r["calls"] for r in down if r["calls"]} == dict(calls)
for row in down:
    length = len(row["path"])
    assert row["total_ns"] == sum(ns for path, ns in time.items() if path[:length] == row["path"]), row

up = tree("--callers")
first = {r["function"]: r for r in up if r["depth"] == 0}
assert first.keys() == report.keys(), (first.keys(), report.keys())
for name, row in first.items():
    for key in ("calls", "total_ns", "self_ns"):
        assert row[key] == int(report[name][key]), (name, key, row)
for row in up:
    end = tuple(reversed(row["path"]))
    for key, values in (("self_ns", time), ("calls", calls)):
        assert row[key] == sum(v for path, v in values.items() if path[-len(end):] == end), (row, key)
assert any(r["depth"] > 3 for r in up)

for name in report:
    chosen = tree("--function", name.split("(")[0].split("<")[0] + "*")
    roots = [r for r in chosen if r["depth"] == 0 and r["function"] == name]
    assert len(roots) == 1 and roots[0]["total_ns"] == int(report[name]["total_ns"]), (name, roots)

threads = [r for r in json.loads(subprocess.run([sys.argv[1], "tree", "--format=json", "--by-thread", "trace"],
           check=True, stdout=subprocess.PIPE).stdout)["rows"] if r["depth"] == 0]
assert sum(r["total_ns"] for r in threads) == sum(time.values()), threads
END
python3 look.py "$spoor" || fail "look.py found differences (see above)"

# The text of a terminal of 80 columns has at most 80 characters in a line, also far down in a recursion.
cat > deep.c <<'END'
__attribute__((noinline)) static int deep(int depth) { return depth ? deep(depth - 1) + (depth & 1) : 0; }
int main(int argc, char **argv) { return (void)argv, deep(1000 * argc) < 0; }
END
traced_cc -O1 -fno-optimize-sibling-calls -o deep deep.c
traced deep.trace ./deep
COLUMNS=80 "$spoor" tree --threshold 0 deep.trace > deep.txt
equal "rows of a deep recursion" "$(grep -cE '[] ]deep(  |$)' deep.txt)" 1001
equal "lines of more than 80 characters" "$(awk 'length > 80' deep.txt | wc -l)" 0
grep -q '\[1001\] deep' deep.txt || fail "the last row does not begin with its depth: $(tail -2 deep.txt)"

# refused STATUS MESSAGE OPTION... - checks that the command line fails.
refused()
{
	expected=$1 message=$2
	shift 2
	status=0
	"$spoor" tree "$@" > out 2> err || status=$?
	equal "status of tree $*" "$status" "$expected"
	grep -q -- "$message" err || fail "tree $*: no '$message' in: $(cat err)"
	[ ! -s out ] || fail "tree $*: a tree was printed: $(cat out)"
}
refused 1 "no call of a function matches 'nothing'" --function nothing trace
refused 1 "no function of the trace matches 'nothing'" --callers --function nothing trace
refused 2 "'5parsecs' is not valid: use a percentage" --threshold 5parsecs trace
refused 2 "'0' is not a number of levels" --depth 0 trace
refused 2 "'x' is not a number of rows" --limit x trace
refused 2 "unknown format 'xml'" --format xml trace
refused 1 'nowhere' nowhere
