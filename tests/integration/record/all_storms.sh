#!/bin/sh
# SPDX-License-Identifier: MIT
# all_storms.sh - with waits, library calls, arguments and results all recorded at once, a program is unharmed while
# libraries come and go, threads begin and end, signals arrive, children are forked, and it or the recorder is killed:
# all calls of functions and of libraries are in the trace, with the values of the calls.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"
sources=$victims/library
loads=100 threads=100 signals=300000 forks=30
[ -z "${SPOOR_LONG:-}" ] || loads=10000 threads=1000 signals=30000000 forks=1000

traced_cc -w -O1 -fno-builtin -fno-inline -fno-optimize-sibling-calls -o storm "$sources/library_storm.c" -pthread
traced_cc -w -O1 -fno-builtin -fno-optimize-sibling-calls -shared -fPIC -o plugin.so "$sources/library_plugin.c" -lz

# records NAME ARGUMENT... - runs the victim with everything recorded. Only switches may be lost.
records()
{
	records_name=$1
	shift
	./storm "$@" > plain || fail "$records_name: the victim fails without spoor: $?"
	"$spoor" record -q -o "$records_name" --sched --library-calls '*' --args '*' --retval '*' ./storm "$@" > out 2> err ||
		fail "$records_name: status $?: $(cat err)"
	! grep '^spoor: ' err | grep -v 'switches\|cannot capture all values\|library calls\|refuses' || fail "$records_name: there is a message"
	"$spoor" report --no-pager --no-demangle --format csv "$records_name" > csv 2> report.err || fail "$records_name: $(cat report.err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["function"] "," $at["calls"]; sum = $at["cpu_ns"] + $at["wait_ns"] + $at["preempted_ns"]
		  if ($at["cpu_ns"] != "" && (sum - $at["total_ns"] > 3 * $at["calls"] || $at["total_ns"] - sum > 3 * $at["calls"])) { print > "wrong"; bad++ } }
		END { exit bad > 0 }' csv > counts || fail "$records_name: times do not add up: $(cat wrong)"
	! grep -q 'could not be counted\|losses' report.err || fail "$records_name: events are lost: $(cat report.err)"
}

# counts COUNT FUNCTION - tests a number of calls.
counts()
{
	grep -qx "$2,$1" counts || fail "$records_name: $2 has not $1 calls: $(cat counts err)"
}

# values COUNT TEXT - tests how many calls in the trace have these values, as replay shows them.
values()
{
	equal "$records_name: calls with $2" "$("$spoor" replay --no-pager "$records_name" 2> /dev/null | grep -c -- "$2")" "$1"
}

records loads loads $loads "$PWD/plugin.so"
counts $loads dlopen
counts $loads dlclose
counts $loads dlsym
counts $loads work
counts $loads crc32
counts $loads strtol
values $loads '} work() = 12$'
rm -rf loads

records threads threads $threads
counts $threads pthread_create
counts $threads pthread_join
counts $threads call_often
counts $((threads * 10)) strtoul
counts $((threads / 2)) pthread_exit
rm -rf threads

records signals signals $signals
counts $signals strtod
counts "$(cat out)" on_timer
counts "$(cat out)" strtoul
rm -rf signals

records forks forks $forks
counts $forks fork
counts $forks waitpid
counts $forks strtoul
counts $forks _exit
rm -rf forks

# kill -9 of the program: all whole calls are in the trace.
rm -f out
"$spoor" record -q -o killed --sched --library-calls 'libc*' --args '*' --mode ring ./storm forever > out 2> err &
recorder=$!
awaited "the victim's pool" test -e killed
awaited "the victim" grep -q running out
kill -9 "$(pgrep -P $recorder -x storm)"
status=0
wait $recorder || status=$?
equal "a killed program: status ($(cat err))" $status 137
"$spoor" report --no-pager --format csv --columns function,calls killed | tr -d '"\r' > counts
grep -q '^strtoul,' counts || fail "a killed program has no library calls: $(cat counts err)"

# kill -9 of the recorder: the program runs on, and the tools read the files.
rm -f out
"$spoor" record -q -o orphaned --sched --library-calls 'libc*' --args '*' --retval '*' ./storm forever > out 2> err &
recorder=$!
awaited "the victim" grep -q running out
victim=$(pgrep -P $recorder -x storm)
# has_library_calls - tests if the trace of the recorder shows calls of strtoul.
has_library_calls()
{
	"$spoor" report --no-pager --format csv --columns function,calls orphaned 2> report.err | grep -q '^"*strtoul'
}
awaited "library calls in the trace" has_library_calls
kill -9 $recorder
wait $recorder || :
# used - prints the processor time of the victim, in ticks.
used()
{
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$victim/stat"
}
before=$(used)
progresses()
{
	[ "$(used)" -gt $((before + 10)) ]
}
awaited "the program without its recorder to run on" progresses
kill -9 "$victim"
has_library_calls || fail "the trace of a killed recorder has no library calls: $(cat report.err)"
