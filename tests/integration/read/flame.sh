#!/bin/sh
# SPDX-License-Identifier: MIT
# flame.sh - a flame graph has each call path with its calls and self time. In the picture no frame extends beyond its
# caller's frame. Two traces are compared path by path.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -O1 -pthread -o paths "$victims/calls/paths.cc"
"$spoor" record -o before -- ./paths 20 2> record.err
"$spoor" record -o after -- ./paths 400 2> record.err

# Counted by hand.
"$spoor" flame --format=folded --by=calls after | sort > calls
cat > calls.expected <<'END'
main 1
main;work 1
main;work;compare 1
main;work;compare;Price::operator<(Price const&) const 7
main;work;doze 1
main;work;recurse 1
main;work;recurse;recurse 1
main;work;recurse;recurse;recurse 1
main;work;recurse;recurse;recurse;recurse 1
main;work;recurse;recurse;recurse;recurse;compare 1
main;work;recurse;recurse;recurse;recurse;compare;Price::operator<(Price const&) const 2
work 1
work;compare 1
work;compare;Price::operator<(Price const&) const 7
work;doze 1
work;recurse 1
work;recurse;recurse 1
work;recurse;recurse;recurse 1
work;recurse;recurse;recurse;recurse 1
work;recurse;recurse;recurse;recurse;compare 1
work;recurse;recurse;recurse;recurse;compare;Price::operator<(Price const&) const 2
END
LC_ALL=C sort -o calls.expected calls.expected
LC_ALL=C sort -o calls calls
diff -u calls.expected calls || fail "the calls of the paths differ (see above)"

# Each path has self time: doze sleeps for 400 ms, main waits for one thread, and the rest is small.
"$spoor" flame --format=folded after > time
awk '{ ms = $NF / 1e6; own[/^main / ? "main" : /;doze / ? "doze" : ""] += ms }
	END { exit !(own["doze"] >= 800 && own["main"] >= 400 && own[""] < own["main"]) }' time ||
		fail "the self times differ: $(cat time)"
equal "self time in all" "$(awk '{ s += $NF } END { printf "%.0f", s }' time)" \
	"$("$spoor" report --format=csv after | sed 1d | sed 's/"[^"]*"/x/' | awk -F, '{ s += $5 } END { printf "%.0f", s }')"

"$spoor" flame --threads --format=folded --by=calls after | grep -q '^paths;work;doze 1$' ||
	fail "spoor flame --threads does not separate threads"

# Two values for each path in a comparison of two traces.
"$spoor" flame --diff before --format=folded after > difference
awk '/^work;doze / { exit !($(NF - 1) < $NF && $(NF - 1) >= 20e6 && $NF >= 400e6) }' difference ||
	fail "the comparison has other values: $(cat difference)"

# A renamed program is compared with the same program under its old name.
cp paths renamed
"$spoor" record -q -o renamed.trace -- ./renamed 20
"$spoor" flame --diff before --format=folded --by=calls renamed.trace | sed 's/ [0-9]*$//' | LC_ALL=C sort > calls
diff -u calls.expected calls || fail "the calls of the renamed program differ (see above)"

"$spoor" flame -o after.svg after
"$spoor" flame -o upward.svg --upward after
"$spoor" flame -o difference.svg --diff before --title 'a < b & "c"' after
"$spoor" flame after 2> default.err && [ -s flame.svg ] && grep -q 'flame.svg: open this file' default.err ||
	fail "spoor flame does not write flame.svg by default: $(cat default.err)"
cat > look.py <<'END'
import re, sys, xml.etree.ElementTree as tree
name = sys.argv[1]
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(name).getroot()
frames = [(f.get("data-n"), int(f.get("data-y")), float(f.get("data-x")), float(f.get("data-w")),
	f.find(svg + "rect"), f.find(svg + "title").text) for f in root.iter(svg + "g") if f.get("data-n")]
height = float(root.get("height"))
levels = {}
for frame in frames:
	levels.setdefault(frame[1], []).append(frame)
	rect = {key: float(frame[4].get(key)) for key in ("x", "y", "width", "height")}
	assert 0 <= rect["x"] and rect["x"] + rect["width"] <= 1190.5 and 100 <= rect["y"] <= height - 29, frame[0]
for level, row in levels.items():
	row.sort(key=lambda frame: frame[2])
	for left, right in zip(row, row[1:]):
		assert left[2] + left[3] <= right[2] + 2e-9, (left[0], right[0])
	for frame in row if level else []:
		assert any(around[2] - 2e-9 <= frame[2] and frame[2] + frame[3] <= around[2] + around[3] + 2e-9
			for around in levels[level - 1]), frame[0]
	up = [float(f[4].get("y")) for f in row]
	assert min(up) == max(up)
assert levels[0][0][2] == 0 and abs(sum(f[3] for f in levels[0]) - 1) < 1e-6
assert (float(levels[0][0][4].get("y")) < float(levels[1][0][4].get("y"))) == ("upward" not in name)
doze = sum(f[3] for f in frames if f[0] == "doze")
lines = [line.rsplit(" ", 1) for line in open("time")]
share = sum(int(ns) for path, ns in lines if path.endswith(";doze")) / sum(int(ns) for path, ns in lines)
assert abs(doze - share) < 1e-4, (doze, share)
assert any(re.search(r"\(paths\)\n[0-9.]+ ms, [0-9.]+ %; self ", f[5]) for f in frames)
if name.startswith("difference"):
	assert root.find(svg + "title").text == 'a < b & "c"'
	red = [f for f in frames if f[0] == "doze"][0][4].get("fill")
	assert int(red[1:3], 16) == 240 > int(red[3:5], 16), red
END
for picture in after upward difference; do
	python3 look.py $picture.svg || fail "$picture.svg: look.py found errors (see above)"
done

# The picture of a trace with missing events says so.
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
"$spoor" flame -o golden.svg golden 2> golden.err
grep -q 'events are missing in 3 places' golden.svg || fail "the picture does not say that events are missing"
! grep -q 'events are missing' after.svg || fail "the picture says that events are missing although none are"

# A large picture, which makes browsers slow, gives a message; a small one does not.
cat > deep.c <<'END'
__attribute__((noinline)) static int deep(int depth) { return depth ? deep(depth - 1) + (depth & 1) : 0; }
int main(int argc, char **argv) { return (void)argv, deep(100000 * argc) < 0; }
END
traced_cc -O1 -fno-optimize-sibling-calls -o deep deep.c
traced deep.trace ./deep
"$spoor" flame -o deep.svg deep.trace 2> deep.err
grep -qx 'spoor: flame: deep.svg: the file has 2[1-9] MB, and a browser can open about 20 MB: select a part .*' deep.err ||
	fail "a picture of $(wc -c < deep.svg) bytes gives no message about its size: $(cat deep.err)"
"$spoor" flame -o - --time ..0.1us deep.trace 2> deep.err > deep.svg && ! grep -q MB deep.err ||
	fail "a small picture gives a message about its size: $(cat deep.err)"

# A damaged trace: a message, and the readable part.
cp -R after cut
events=$(echo cut/*/events.spoor)
truncate -s -9 "$events"
status=0
"$spoor" flame --format=folded cut > cut.out 2> cut.err || status=$?
equal "the status of a damaged trace" "$status" 1
grep -q 'cut off' cut.err || fail "the message does not say that the trace is cut off: $(cat cut.err)"
status=0
"$spoor" flame nowhere 2> nowhere.err || status=$?
equal "the status without a trace" "$status" 1
rm -f flame.svg
status=0
"$spoor" flame --diff nowhere after 2> nowhere.err || status=$?
equal "the status without the other trace" "$status" 1
[ ! -e flame.svg ] && ! grep -q 'open this file' nowhere.err ||
	fail "a comparison with a missing trace was drawn: $(cat nowhere.err)"
status=0
"$spoor" flame --by=colour after 2> usage.err || status=$?
equal "the status of a wrong command line" "$status" 2
status=0
"$spoor" flame -o /dev/full after 2> full.err || status=$?
equal "the status of a full disk" "$status" 1
