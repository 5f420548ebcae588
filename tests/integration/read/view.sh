#!/bin/sh
# SPDX-License-Identifier: MIT
# view.sh - a page of spoor view has every call of a small trace, to the nanosecond. For a large trace the page has
# the right numbers of calls and times, in a file of at most the requested size. No name in a trace becomes markup of
# the page.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -O1 -pthread -o viewed "$victims/calls/viewed.cc"
"$spoor" record -q -o small -- ./viewed 5 2
"$spoor" record -q -o thrown -- ./viewed 20 2 throw
"$spoor" record -q -o large -- ./viewed 1500 2 throw
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
SPOOR_RUNTIME_TRACEPOINTS='marked:*' traced marked.trace ./marked
cat > installed_paths.c << 'END'
__attribute__((noinline)) void a(int depth);
__attribute__((noinline)) void b(int depth);
void a(int depth) { if (depth) { a(depth - 1); b(depth - 1); } __asm__ volatile (""); }
void b(int depth) { if (depth) { b(depth - 1); a(depth - 1); } __asm__ volatile (""); }
int main(void) { a(15); return 0; }
END
traced_cc -O1 -o paths installed_paths.c
"$spoor" record -q -o paths.trace -- ./paths
"$spoor" view -o paths.trace.html --max-size 1M paths.trace
"$spoor" view small 2> default.err && [ -s view.html ] && grep -q 'view.html: open this file' default.err ||
	fail "spoor view does not write view.html by default: $(cat default.err)"
"$spoor" view -o small.html small
"$spoor" view -o thrown.html thrown
"$spoor" view -o both.html small thrown 2> both.err
"$spoor" view -o large.html --max-size 1M large
"$spoor" view -o golden.html --title '</title><script>alert(1)</script>&' golden 2> golden.err
[ "$(wc -c < large.html)" -le 1048576 ] || fail "the page has $(wc -c < large.html) bytes, and the limit is 1M"
[ "$(wc -c < large.html)" -ge 500000 ] || fail "the page uses only $(wc -c < large.html) bytes of 1M"

cat > compare.py <<'END'
import os, re, sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from view import *
spoor = os.environ["top_builddir"] + "/tools/spoor"

for name in "small", "thrown":
	page = Page(name + ".html")
	got = sorted((page.threads[thread][2], page.nodes[node][4], page.function(node), begin + page.begin, end + page.begin)
		for thread, begin, end, node, flags, payload in page.calls)
	wanted = sorted(csv_calls(spoor, name))
	assert got == wanted and len(wanted) > 1000 and not page.runs and page.resolution == 0, (len(got), len(wanted))
	assert any(f["file"].endswith("viewed.cc") and f["line"] > 0 for f in page.functions[1:])

for name in "small", "thrown", "large", "golden", "both":
	page, reported = Page(name + ".html"), spoor_report(spoor, *(["small", "thrown"] if name == "both" else [name]))
	rows = {}
	for f in page.functions[1:]:
		rows.setdefault((f["name"], f["library"]), []).append([f["calls"], f["total"], f["self"],
			f["sum"] // f["calls"] if f["calls"] else None, f["min"] if f["calls"] else None, f["max"] if f["calls"] else None])
	assert {key: sorted(map(str, value)) for key, value in rows.items()} == \
		{key: sorted(map(str, value)) for key, value in reported.items()}, name
	assert page.summaries_agree(), name
	for key, (calls, total, own) in page.table().items():
		assert [calls, total, own] == [sum(row[i] for row in reported[key]) for i in range(3)], (name, key)
	# The items of a lane do not overlap, and a run is shorter than the resolution.
	lanes = {}
	for thread, begin, end, node, flags, payload in page.calls:
		lanes.setdefault((thread, page.nodes[node][4]), []).append((begin, end))
	for thread, begin, end, run in page.runs:
		assert end - begin < page.resolution
		lanes.setdefault((thread, page.nodes[run[0][0]][4]), []).append((begin, end))
		for node, calls, total, least, most in run:
			assert page.nodes[node][4] == page.nodes[run[0][0]][4] and total <= end - begin and (least is None or least <= most)
	for lane in lanes.values():
		lane.sort()
		assert all(left[1] <= right[0] for left, right in zip(lane, lane[1:]))
	# The page needs no other file, and loads none.
	assert "Content-Security-Policy\" content=\"default-src 'none'" in page.html
	assert not re.search(r"https?:|src=|href=|\son\w+=", re.sub(r'id="(pack\d+|meta)">[^<]*', "", page.html)), name
	assert page.html.count("<script") == page.html.count("</script") == 2 + len(set(re.findall(r'id="pack\d+"', page.html)))
	assert "'taken'" not in page.html
large = Page("large.html")
assert large.resolution > 0 and large.runs and large.levels and any(len(run) > 1 for _, _, _, run in large.runs)
assert sum(run[1] for _, _, _, entries in large.runs for run in entries) > 100000
assert any("onerror" in f["name"] for f in large.functions[1:])

# More paths than the page keeps: further paths are merged into one for each caller, and no time is lost.
paths, reported = Page("paths.trace.html"), spoor_report(spoor, "paths.trace")
assert paths.beyond and 25000 <= len(paths.nodes) <= 50002, len(paths.nodes)
assert [[f["calls"], f["total"], f["self"]] for f in paths.functions[1:]] == [reported[f["name"], f["library"]][0][:3] for f in paths.functions[1:]]
paths.table()
beyond = [node for node in paths.nodes[2:] if node[0] != 1 and not node[1]]
assert beyond and 0 < sum(node[2] for node in beyond) < 65536
assert not Page("small.html").beyond

golden = Page("golden.html")
assert golden.title == "</title><script>alert(1)</script>&" and "<title>&lt;/title" in golden.html and "alert(1)</script>" not in golden.html
marks = sorted((golden.labels[golden.nodes[node][1]], payload[:2], golden.strings[payload[2]] and golden.strings[payload[2]][0])
	for thread, begin, end, node, flags, payload in golden.marks)
kinds = [mark[0][1] for mark in marks]
assert kinds.count("user") == 4 and "orphan" in kinds and "lost" in kinds, marks
assert (('cache, "miss"', "user"), [0x5eed, 6], 'a?"string"') in marks, marks
assert (("user event 0x80000001", "user"), [2 ** 64 - 1, 2 ** 32 - 1], None) in marks, marks
assert sum(flags & ROOT != 0 for *_, flags, payload in golden.calls) == 5
END
python3 compare.py || fail "a page differs from the trace: compare.py printed the assertion above"

"$spoor" view -o one.html --thread "$("$spoor" info small | awk '/^ +threads/ { t = 1; next } t { print $1; exit }')" small
[ "$(wc -c < one.html)" -lt "$(wc -c < small.html)" ] || fail "spoor view --thread does not make the page smaller"
"$spoor" view -o - small > stdout.html
# The times match the times of the other tools, for a part of the time too.
"$spoor" replay --timestamps small > small.tree
later=$(awk '$1 ~ /^[0-9.]+$/ { first = first ? first : $1; last = $1 > last ? $1 : last }
	END { printf "%d", (first + last) * 500 }' small.tree)
"$spoor" view -o later.html --time "${later}ns.." small
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - "$later" <<'PYTHON' || fail "the page has other times than replay (see the assertion above)"
import sys
from view import *
first = min(float(line.split()[0]) for line in open("small.tree") if re.match(" +[0-9.]+ .*[a-z]", line))
assert first > 0 and Page("small.html").since == round(first * 1000), (first, Page("small.html").since)
later = Page("later.html")
assert later.since >= int(sys.argv[1]) > first * 1000, (first, sys.argv, later.since)
# Calls that were open before this time are not marked as open before recording.
assert any(flags & EARLY for *_, flags, payload in later.calls)
assert all(bool(flags & EARLY) == bool(flags & ROOT) for *_, flags, payload in later.calls)
assert not any(flags & EARLY for *_, flags, payload in Page("golden.html").calls)
PYTHON
# The same if a user event is older than all calls; and marks have the values of the program.
"$spoor" view -o marked.html marked.trace
"$spoor" view -o longer.html --min-duration 1ms marked.trace
"$spoor" replay --timestamps marked.trace > marked.tree
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - "$spoor" <<'PYTHON' || fail "the marks of the page differ from the program's (see the assertion above)"
import collections, sys
from view import *
page, longer = Page("marked.html"), Page("longer.html")
first = min(float(line.split()[0]) for line in open("marked.tree") if re.match(" +[0-9.]+ .*main", line))
assert page.since < -9e9 and page.since + min(call[1] for call in page.calls) == round(first * 1000), (page.since, first)
marks = collections.Counter((page.labels[page.nodes[node][1]], *payload) for *_, node, flags, payload in page.marks)
shorts = 20
assert sum(marks.values()) == 5 * shorts + 1 and marks[("earlier", "user"), 7, 0, 0] == 1, marks
assert sum(marks[("balance", "counter"), 2 ** 64 - 5 - i, 0, 0] for i in range(10)) == shorts, marks
# The first argument of a tracepoint, the number of arguments, and the kind of the first one: unsigned or signed.
assert marks[("marked:large", "tracepoint"), 2 ** 64 - 16, 2 << 2 | 0, 0] == shorts, marks
assert marks[("marked:negative", "tracepoint"), 2 ** 64 - 7, 1 << 2 | 1, 0] == shorts, marks
assert marks[("marked:nothing", "tracepoint"), 0, 0, 0] == shorts, marks
# No call is shown only because of a mark.
assert len(longer.marks) == len(page.marks) and longer.functions[1:] and longer.table() == {
	key: [sum(row[i] for row in rows) for i in range(3)]
	for key, rows in spoor_report(sys.argv[1], "marked.trace", "--min-duration", "1ms").items() if key[1] != "[tracepoint]"}
PYTHON
cmp small.html stdout.html || fail "the page on stdout differs (see above)"

# A damaged trace is shown as far as it is readable; a write error gives a message.
cp -R small cut
truncate -s -9 "$(echo cut/*/events.spoor)"
status=0
"$spoor" view -o cut.html cut 2> cut.err || status=$?
equal "the status of a damaged trace" "$status" 1
[ -s cut.html ] && grep -q 'cut off' cut.err || fail "a damaged trace gives no page or no message: $(cat cut.err)"
# If there is nothing to show, an existing page stays.
echo older > view.html
for none in "--process 1" "--thread 1"; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" view $none small 2> none.err || status=$?
	equal "the status of $none" "$status" 1
	equal "messages of $none: $(cat none.err)" "$(wc -l < none.err)" 1
	equal "the page before $none" "$(cat view.html)" older
done
for arguments in "nowhere 1" "-o /dev/full small 1" "-o no/such/folder small 1" "--max-size 0 small 2" "--max-size 5X small 2" \
	"--max-size -1 small 2" "--max-size 99999999999G small 2" "--max-size 1Mb small 2"; do
	status=0
	# shellcheck disable=SC2086
	"$spoor" view ${arguments% *} > wrong.out 2> wrong.err || status=$?
	equal "the status of: view ${arguments% *}" "$status" "${arguments##* }"
	equal "messages of: view ${arguments% *}" "$(grep -c '^spoor: view: ' wrong.err)" 1
done
