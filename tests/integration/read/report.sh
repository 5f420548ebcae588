#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh - all columns of spoor report, by function, library, file, thread and process, sorted,
# with histograms, without the cost of events, and of two traces compared, are what a program
# that is not ours computes from the events; what does not go together is refused.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

library reported_library
traced_cc -o reported "$victims/calls/reported.c" "$victims/calls/reported_other.c" -L. -lreported_library -Wl,-rpath,"$work" -pthread
"$spoor" record -q -o before ./reported 4 100 > out
"$spoor" record -q -o after ./reported 6 2000000 > out
equal "the program's output" "$(cat out)" "done"
python3 "$top_srcdir/tests/integration/readers/report.py" "$spoor" before after || fail "a report is wrong"

# What was measured stands in the trace, of a forked child and of a preloaded runtime, too.
traced preloaded ./reported 1 1 > out
"$spoor" report --compensate preloaded | grep -q '^# .* ns are taken off for each event' ||
	fail "no word of what was taken off: $("$spoor" report --compensate preloaded)"

# tiny does less than its events cost; spins does not.
"$spoor" info after > info
grep -q '^  event cost      [0-9.]* ns' info || fail "no cost of an event: $(cat info)"
sed -n '/^  mostly tracer/,/^  libraries/p' info > mostly
grep -q 'average self time [0-9.]* ns: tiny, reported$' mostly || fail "tiny is mostly tracer: $(cat info)"
! grep -q 'spins' mostly || fail "spins is no tracer: $(cat info)"
grep -q "spoor filters --suggest" mostly || fail "no way out: $(cat info)"

# What nothing names is counted, with the way out.
! "$spoor" report after | grep 'no name' || fail "functions without names before anything was stripped"
cp libreported_library.so named.so
objcopy -S -R .spoor_symbols libreported_library.so
"$spoor" report after > nameless 2> err || fail "a report without names: $(cat err)"
count=$(grep -c ' libreported_library.so+0x[0-9a-f]*$' nameless) || fail "all have names: $(cat nameless)"
grep -q "^# $count functions\{0,1\} ha[vs]e* no name: .*--debug-directory, --debuginfod" nameless || fail "no word of names: $(cat nameless)"
mv named.so libreported_library.so

# A trace without it is told from one that is damaged, and has a way out.
mkdir -p old/1
cp "$top_srcdir/tests/golden/recorded_x86_64/"* old/1
status=0
"$spoor" report --compensate old > out 2> err || status=$?
equal "without a measured cost" "$status" 1
grep -q 'was not measured when this was recorded: --compensate=TIME' err || fail "no clear message: $(cat err)"
! grep 'No data available' err || fail "said twice"
[ ! -s out ] || fail "a report all the same: $(cat out)"
"$spoor" report --compensate=10ns old 2> err | grep -q '^# 10.00 ns are taken off' || fail "the given cost is not taken"

# refused MESSAGE OPTION... - a wrong command line.
refused()
{
	message=$1
	shift
	status=0
	"$spoor" report "$@" > out 2> err || status=$?
	equal "status of report $*" "$status" 2
	grep -q -- "$message" err || fail "report $*: $(cat err)"
	[ ! -s out ] || fail "report $*: $(cat out)"
}
refused "cannot sort by 'size'" --sort size before
refused "cannot sort by thread" --sort thread before
refused "cannot sort by file" --group library --sort file before
refused "unknown group 'calls'" --group calls before
refused "no column ''" --columns calls,, before
refused "no column 'cal'" --columns cal before
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
[ ! -s out ] || fail "half a difference: $(cat out)"
