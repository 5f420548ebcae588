#!/bin/sh
# SPDX-License-Identifier: MIT
# json_schemas.sh - all JSON of spoor starts with its schema and version, and the manual page of the command documents
# each member. (ctl.sh checks the JSON of a running process.)
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
check="python3 $top_srcdir/tests/integration/readers/json_schemas.py"

"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
for group in function library file thread process; do
	"$spoor" report --format=json --group $group --histogram --compensate=10ns golden > report.$group 2> err
done
"$spoor" report --format=json --columns all golden > report.all 2> err
$check "$top_srcdir/tools/report/spoor-report.1" spoor.report/1 report.*
for group in function library; do
	"$spoor" report --diff --format=json --group $group golden/4711 golden > diff.$group 2> err
done
$check "$top_srcdir/tools/report/spoor-report.1" spoor.report-diff/1 diff.*

# Events of all kinds.
traced_cxx -I"$top_srcdir/libspoor/include" -o everything "$victims/calls/everything.cc" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced whole ./everything 10 pauses
plain hits -I"$top_srcdir/libspoor/include"
"$spoor" record -q --tracepoint 'hits:*' -o hits.trace ./hits threads > out 2> err ||
	fail "spoor record --tracepoint failed: $(cat err)"
for trace in golden whole hits.trace; do
	"$spoor" export --format=json --flat $trace > events.$trace 2> err
done
grep -q '"arguments":' events.hits.trace || fail "the trace has no tracepoint hit: $(cat err)"
$check "$top_srcdir/tools/export/spoor-export.1" spoor.events/1 events.*
"$spoor" symbols --format=json everything > symbols
$check "$top_srcdir/tools/symbols/spoor-symbols.1" spoor.symbols/1 symbols

# There is no other JSON: each command whose help mentions it is tested here, and formats of other programs have their
# own schemas.
for command in record replay report flame view graph order info pack ctl doctor config export symbols filters tracepoints; do
	! "$spoor" $command --help | grep -qi json || echo $command
done > commands
equal "commands with JSON" "$(tr '\n' ' ' < commands)" "report ctl export symbols "
