#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh - all columns of spoor report, by function, library, file, thread and process, sorted, with histograms,
# without the cost of events, and as a comparison of two traces, match an independent computation from the events.
# Options that contradict each other are rejected.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

library reported_library
traced_cc -o reported "$victims/calls/reported.c" "$victims/calls/reported_other.c" -L. -lreported_library -Wl,-rpath,"$work" -pthread
"$spoor" record -q -o before ./reported 4 100 > out
"$spoor" record -q --no-symbols -o after ./reported 6 2000000 > out
equal "the program's output" "$(cat out)" "done"
python3 "$top_srcdir/tests/integration/readers/report.py" "$spoor" before after ||
	fail "report.py found differences (see above)"

# The measured cost of an event is in the trace, also for a forked child and a preloaded runtime.
traced preloaded ./reported 1 1 > out
"$spoor" report --compensate preloaded | grep -q '^# .* ns are subtracted for each event' ||
	fail "spoor report --compensate does not say what it subtracts: $("$spoor" report --compensate preloaded)"

# The function tiny takes less time than its events; spins takes more.
"$spoor" info after > info
grep -q '^  event cost      [0-9.]* ns' info || fail "spoor info shows no cost of an event: $(cat info)"
sed -n '/^  mostly tracer/,/^  libraries/p' info > mostly
grep -q 'average self time [0-9.]* ns: tiny, reported$' mostly ||
	fail "spoor info does not list tiny as mostly tracer: $(cat info)"
! grep -q 'spins' mostly || fail "spoor info lists spins as mostly tracer: $(cat info)"
grep -q "spoor filters --suggest" mostly || fail "spoor info does not advise spoor filters --suggest: $(cat info)"

# Functions without names are counted, with a remedy.
! "$spoor" report after | grep 'no name' || fail "functions have no names before the library was stripped (see above)"
cp libreported_library.so named.so
objcopy -S -R .spoor_symbols libreported_library.so
"$spoor" report after > nameless 2> err || fail "spoor report without names failed: $(cat err)"
count=$(grep -c ' libreported_library.so+0x[0-9a-f]*$' nameless) ||
	fail "all functions have names although the library was stripped: $(cat nameless)"
grep -q "^# $count functions\{0,1\} ha[vs]e* no name: .*--debug-directory, --debuginfod" nameless ||
	fail "spoor report does not count the functions without names: $(cat nameless)"
mv named.so libreported_library.so

# A trace without a measured cost is not reported as damaged, and gives a remedy.
mkdir -p old/1
cp "$top_srcdir/tests/golden/recorded_x86_64/"* old/1
status=0
"$spoor" report --compensate old > out 2> err || status=$?
equal "without a measured cost" "$status" 1
grep -q 'does not contain the cost of an event: use --compensate=TIME' err ||
	fail "the message does not advise --compensate=TIME: $(cat err)"
! grep 'No data available' err || fail "a second message appears (see above)"
[ ! -s out ] || fail "a report was printed despite the error: $(cat out)"
"$spoor" report --compensate=10ns old 2> err | grep -q '^# 10.00 ns are subtracted' ||
	fail "spoor report does not use the given cost"

# refused MESSAGE OPTION... - checks that the command line is rejected.
refused()
{
	message=$1
	shift
	status=0
	"$spoor" report "$@" > out 2> err || status=$?
	equal "status of report $*" "$status" 2
	grep -q -- "$message" err || fail "report $*: no '$message' in: $(cat err)"
	[ ! -s out ] || fail "report $*: a report was printed: $(cat out)"
}
refused "cannot sort by 'size'" --sort size before
refused "cannot sort by thread" --sort thread before
refused "cannot sort by file" --group library --sort file before
refused "unknown group 'calls'" --group calls before
refused "unknown column ''" --columns calls,, before
refused "unknown column 'cal'" --columns cal before
refused "a library has no function" --group library --columns function before
refused "unknown format 'xml'" --format xml before
refused "'-1' is not a number of rows" --limit -1 before
refused "requires --format text or json" --histogram --format csv before
refused "is not the cost of an event" --compensate=10 before
refused "is not the cost of an event" --compensate=-3ns before
refused "is not the cost of an event" --compensate=1s before
refused "needs all calls" --compensate --min-duration 1us before
refused "needs all calls" --compensate --library 'lib*' before
refused "two traces" --diff before
refused "two traces" --diff before after before
refused "requires --diff" --threshold 5% before
refused "is not valid: use '5%'" --diff --threshold 5parsecs before after
refused "use a time such as" --diff --threshold 5 before after
refused "use a number of calls" --diff --threshold 5us --sort calls before after
refused "use calls or a time" --diff --sort library before after
refused "cannot match the threads" --diff --group thread before after
refused "cannot match the processes" --diff --group process before after
refused "exclude each other" --diff --histogram before after
status=0
"$spoor" report --diff before nowhere > out 2> err || status=$?
equal "a trace that is not there" "$status" 1
[ ! -s out ] || fail "a comparison with a missing trace was printed: $(cat out)"
