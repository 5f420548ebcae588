#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh - the formats that spoor export writes by event and by call path are read by other programs, or by our
# readers of their formats, and agree with the report. callgrind, which runs the same program in a virtual machine,
# sees the same calls between the same functions.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
check="python3 $top_srcdir/tests/integration/readers/exports.py"
demo=$top_srcdir/tests/programs/demo
mkdir data plain traced
# At -O0, 100 bytes already make 196,000 events, in the same functions as 200 bytes.
head -c "$([ -n "${SPOOR_LONG-}" ] && echo 200 || echo 100)" "$top_srcdir"/libspoor/base/permanent.h > data/permanent.h

make -s --no-print-directory -C "$demo" srcdir=. O="$work/traced" CC="$SPOOR_DRIVERS/spoor-cc" \
	CXX="$SPOOR_DRIVERS/spoor-c++" CFLAGS='-O0 -g'
"$spoor" record -q -o t -- traced/demo data > out
"$spoor" report --format=csv --no-demangle t > report.csv
for format in json csv speedscope folded callgrind pprof; do
	"$spoor" export --format=$format --no-demangle -o "t.$format" t
	[ -s "t.$format" ] || fail "$format: the export is empty"
done

$check json t.json t.csv
# With --flat each event has the names that otherwise only the first event of a function has.
"$spoor" export --format=csv --flat --no-demangle -o flat.csv t
"$spoor" export --format=json --flat --no-demangle -o flat.json t
python3 - << 'END' || fail "the names of events differ with --flat (see above)"
import csv, json
known = {}
for once, flat in zip(csv.DictReader(open("t.csv")), csv.DictReader(open("flat.csv")), strict=True):
    if once["function"] and once["function_id"]:
        known[once["function_id"]] = once["function"], once["library"]
    elif once["function_id"]:
        once["function"], once["library"] = known[once["function_id"]]
    assert once == flat, (once, flat)
assert len(known) > 20
once, flat = json.load(open("t.json"))["events"], json.load(open("flat.json"))["events"]
assert sum("library" in event for event in once) < 1000 < len(flat)
assert [event["function_id"] for event in once if "function_id" in event] == [event["function_id"] for event in flat if "function_id" in event]
END
[ "$(wc -c < t.json)" -lt "$(wc -c < flat.json)" ] || fail "JSON with names once is not smaller: $(wc -c t.json flat.json)"
"$spoor" symbols --format=json traced/demo traced/*.so > symbols.json
$check speedscope t.speedscope report.csv symbols.json
# In an export of a part, times still count from the start of the trace.
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
"$spoor" export --format=speedscope -o golden.speedscope golden 2> golden.err
"$spoor" export --format=speedscope --process 4712 -o part.speedscope golden 2> part.err
$check speedscope_part part.speedscope golden.speedscope
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.pprof.Profile "$top_srcdir/tests/golden/profile.proto" \
	< t.pprof > pprof.txt
$check pprof pprof.txt report.csv
$check callgrind t.callgrind report.csv
"$spoor" flame --format=folded --no-demangle t | cmp - t.folded

# Perfetto's format takes at most 13.6 bytes for each event, and 500 for the names of each function.
"$spoor" export --format=perfetto -o t.perfetto t
events=$(awk -F, '$4 == "entry" || $4 == "exit" || $4 == "tail_exit" { n++ } END { print n }' t.csv)
[ "$events" -gt 100000 ] || fail "the trace has only $events events"
functions=$(sed 1d report.csv | wc -l)
[ "$(wc -c < t.perfetto)" -le $((136 * events / 10 + 500 * functions)) ] ||
	fail "the Perfetto export has $(wc -c < t.perfetto) bytes for $events events of $functions functions"

# Other programs read them.
callgrind_annotate --threshold=100 t.callgrind > annotated
annotated=$(sed -n 's/^ *\([0-9,]*\) (100.0%)  PROGRAM TOTALS$/\1/p' annotated | tr -d ,)
equal "callgrind_annotate's total" "$annotated" "$(awk '{ n += $NF } END { print n }' t.folded)"

# An oracle. Valgrind cannot read the debug information of every clang.
make -s --no-print-directory -C "$demo" srcdir=. O="$work/plain" CC="$clang" CXX="$LLVM_BINDIR/clang++" CFLAGS=-O0
LD_BIND_NOW=1 valgrind --tool=callgrind --demangle=no --callgrind-out-file=plain.callgrind plain/demo data \
	> plain.out 2> plain.err || fail "callgrind failed: $(tail -n 5 plain.err)"
cmp out plain.out
$check calls t.callgrind plain.callgrind

# The graph has the same calls: its arrows, by the names of both ends.
"$spoor" graph --format=dot --no-demangle --limit 0 t > graph.dot
awk -F'"' '
	/^\tn[0-9]+ \[/ { split($0, id, /[\t ]/); name[id[2]] = $6 }
	/ -> / { split($0, id, /[\t ]/); split($2, label, /\\n/); print name[id[2]], name[id[4]], label[1] }' graph.dot | sort > arrows
awk '{ print $1, $2 }' arrows | sort | uniq -d > twice
[ ! -s twice ] || fail "the graph has duplicate arrows: $(cat twice)"
[ "$(wc -l < arrows)" -ge 30 ] || fail "the graph has only $(wc -l < arrows) arrows"
"$spoor" graph --format=mermaid --limit 0 t > graph.mermaid 2> mermaid.err
equal "arrows of Mermaid's" "$(grep -c -- '-->' graph.mermaid)" "$(wc -l < arrows)"
said_once mermaid.err "$(wc -l < arrows) arrows and $(wc -c < graph.mermaid) characters, but Mermaid draws at most 500 and 50000"
"$spoor" graph --format=mermaid --limit 20 t 2> mermaid.err > graph.mermaid
said_once mermaid.err 'omitted: --limit'
"$spoor" graph --around tokenize t > around
grep -q '^.*  tokenize' around || fail "the graph of one function does not show it: $(cat around)"
grep -q '      <- ' around && grep -q '      -> ' around ||
	fail "the graph of one function has no callers or no callees: $(cat around)"
status=0
"$spoor" graph --around 'no_such_*' t > none 2> none.err || status=$?
equal "status where nothing matches" "$status" 1
said_once none.err "matches 'no_such_\*'"
"$spoor" graph --limit 1 t > one 2> one.err
equal "paragraphs" "$(grep -c '^$' one)" 1
said_once one.err 'omitted'
if command -v dot > /dev/null; then
	dot -Tsvg -o graph.svg graph.dot
fi
