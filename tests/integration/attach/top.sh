#!/bin/sh
# SPDX-License-Identifier: MIT
# top.sh - spoor top shows the calls of a running process, as the process counts them itself, no matter what writes
# the trace, and disturbs no recording. On a terminal spoor top reads keys and restores the terminal.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
program paced

# begin TRACE PERIODS [OPTION...] - starts the program paced, which waits, and sets $victim to its process.
begin()
{
	trace=$1 periods=$2
	shift 2
	rm -f go
	if [ -n "${recorded-}" ]; then
		"$spoor" record -q -o "$trace" "$@" ./paced "$periods" go > "$trace.out" 2> "$trace.err" &
	else
		SPOOR_RUNTIME_TRACE_PATH=$trace LD_PRELOAD=$libspoor ./paced "$periods" go > "$trace.out" 2> "$trace.err" &
	fi
	job=$!
	victim=
	while [ -z "$victim" ]; do
		sleep 0.02
		for folder in "$trace"/[0-9]*; do
			[ ! -s "$folder/process.spoor" ] || victim=${folder##*/}
		done
	done
	# The pool names the trace before main begins, but only after that file exists.
	awaited "a program that waits" has_begun "$victim" paced
}

# intervals COUNT - tests whether top.out has at least COUNT intervals.
intervals()
{
	[ "$(grep -c ' ms: ' top.out)" -ge "$1" ]
}

# From start to end, written by the recorder and by the process itself.
for recorded in '' 1; do
	begin "whole$recorded" 100000
	: > top.out
	timeout 300 "$spoor" top -b -i 300ms "$victim" > top.out 2> top.err &
	watcher=$!
	awaited "a first interval" test -s top.out
	: > go
	awaited "more intervals" intervals 5
	# top shows the last calls once the recorder has written them, which may take a while.
	[ -z "$recorded" ] || kill -STOP $job
	rm go
	if [ -n "$recorded" ]; then
		awaited "the program's end" state_is "$victim" Z
		sleep 0.6
		kill -CONT $job
	fi
	wait $watcher || fail "spoor top failed with status $?: $(cat top.err)"
	wait $job || fail "the program ended with status $?: $(cat "$trace.err")"
	equal "last words" "$(cat top.err)" "spoor: top: process $victim has ended"
	"$spoor" report --format=csv "$trace" > report.csv
	"$spoor" export --format=csv --flat "$trace" > events.csv
	python3 "$top_srcdir/tests/integration/readers/top.py" top.out "$trace.out" report.csv events.csv ||
		fail "$trace: top.py found wrong numbers in the output of spoor top: $(cat top.out)"
	equal "calls that are recorded" "$(awk -F, '$1 == "fast" { print $3 }' report.csv)" \
		"$(awk '$2 == "fast" { print $1 }' "$trace.out")"
	facts "$trace"
	equal "lost" "$(lost "$trace")" 0
done

# During a recording: columns, their order, functions, and limits of rows and intervals.
recorded=1
begin ring 100000 --mode ring
: > go
top()
{
	timeout 300 "$spoor" top "$@" "$victim" > top.out 2> top.err ||
		fail "spoor top $* failed with status $?: $(cat top.err)"
	[ ! -s top.err ] || fail "spoor top $* printed messages and must print none: $(cat top.err)"
}
# shown TEXT OPTION... - runs spoor top until an interval contains TEXT; top.out then has it.
shown()
{
	text=$1
	shift
	: > top.out
	"$spoor" top -b "$@" "$victim" > top.out 2> top.err &
	watcher=$!
	awaited "'$text' of top $*" grep -q -- "$text" top.out
	kill $watcher
	wait $watcher || equal "status of top $* after SIGTERM" $? 143
	[ ! -s top.err ] || fail "spoor top $* printed messages and must print none: $(cat top.err)"
}
# Each interval has the open calls stays() and waits(); on a busy machine there may be no others.
top --iterations 2 --interval 0.2 --sort calls --columns self,calls --limit 2
equal "intervals" "$(grep -c '^spoor top - ..:..:..  process [0-9]* paced, mode ring, written by spoor record, process [0-9]*$' top.out)" 2
equal "rows" "$(grep -c '^ *[0-9,]*  *[0-9.]* [num]*s$' top.out)" 4
grep -q '^        CALLS        SELF$' top.out || fail "the columns are not CALLS and SELF: $(cat top.out)"
shown '^# 3 functions are not shown: --limit$' -i 200ms --limit 2
top --iterations 1 -i 200ms -f 'w*' --columns +p99,stddev
grep -q 'waits$' top.out && ! grep -q 'fast\|spins' top.out ||
	fail "--functions 'w*' shows other functions: $(cat top.out)"
grep -q ' STDDEV  *P99' top.out || fail "--columns does not add STDDEV and P99: $(cat top.out)"
# all_sorted - tests whether one interval has all functions; checks that each interval is sorted.
all_sorted()
{
	top --iterations 1 -s function -i 200ms
	awk '/ paced  *[a-z]*$/ && !/top/ { print $NF }' top.out > names
	LC_ALL=C sort names | cmp - names || fail "the rows are not sorted by name: $(cat top.out)"
	[ "$(wc -l < names)" = 5 ]
}
awaited "all functions in an interval" all_sorted
python3 "$top_srcdir/tests/integration/readers/top_terminal.py" "$spoor" "$victim" ||
	fail "spoor top on a terminal is wrong: top_terminal.py printed the reason above"
# spoor top does not wait for a stopped process, and shows no calls of it.
kill -STOP "$victim"
awaited "a process that is stopped" state_is "$victim" T
top --iterations 2 -i 100ms
equal "events of one that is stopped" "$(grep ' ms: ' top.out | tail -n 1 | sed 's/.* ms: \([0-9]*\) events of.*/\1/')" 0
kill -CONT "$victim"
# has_rows - tests whether the last interval has rows.
has_rows()
{
	top --iterations 1 -i 100ms
	grep -v '^spoor top' top.out | grep -q ' paced  *[a-z]*$'
}
# empty MODE - tests whether the last two intervals are in this mode and have no rows: without events no open calls
# are known.
empty()
{
	top --iterations 2 -i 100ms
	[ "$(grep -c "^spoor top.* mode $1," top.out)" = 2 ] || return 1
	awk '/^spoor top/ { rows = "" } / paced  *[a-z]*$/ && !/^spoor top/ { rows = rows $0 "\n" } END { printf "%s", rows }' top.out > rows
	[ ! -s rows ]
}
for mode in count off; do
	"$spoor" ctl "$victim" mode $mode > ctl.out || fail "spoor ctl mode $mode failed: $(cat ctl.out)"
	awaited "no rows in mode $mode" empty $mode
done
"$spoor" ctl "$victim" mode log > ctl.out || fail "spoor ctl mode log failed: $(cat ctl.out)"
awaited "rows in the mode log" has_rows
rm go
wait $job || fail "the program ended with status $?: $(cat ring.err)"

# refused STATUS TEXT ARGUMENT... - checks that spoor top fails with STATUS and a message that contains TEXT.
refused()
{
	wanted=$1 text=$2
	shift 2
	status=0
	timeout 120 "$spoor" top "$@" > top.out 2> top.err < /dev/null || status=$?
	equal "status of top $*" "$status" "$wanted"
	grep -q -- "$text" top.err || fail "the message of spoor top $* does not contain '$text': $(cat top.err)"
}
refused 1 'no process' 4194304
refused 1 'spoor record --pid' $$
refused 2 'no process: name'
refused 2 'unexpected argument' $$ 1
refused 2 'is not a process ID' x
refused 2 'is not a process ID' 0
refused 2 'is not a time' -i 0 $$
refused 2 'is not a time' -i 1ms $$
refused 2 'is not a time' -i 2h $$
refused 2 'is not a time' -i nan $$
refused 2 'is not a number' --iterations 0 $$
refused 2 'is not a number' --limit x $$
refused 2 'cannot sort by' -s line $$
refused 2 'cannot sort by' -s nothing $$
refused 2 'column' --columns file $$
refused 2 'column' --columns nothing $$
: > go
SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRACE_PATH=counts LD_PRELOAD=$libspoor ./paced 100000 go > out &
job=$!
awaited "a period that is counted" test -s go
refused 1 'counts its calls' $job
kill $job
wait $job || true

# The trace was moved away, or is not a trace.
recorded=
begin gone 100000
: > go
mv gone gone.away
refused 1 'gone' --iterations 1 "$victim"
mv gone.away gone
printf 'nothing' > "gone/$victim/process.spoor"
top --iterations 1 -i 100ms
grep -q 'unknown#' top.out || fail "spoor top does not show functions without names as unknown: $(cat top.out)"
kill -STOP "$victim"
awaited "a process that is stopped" state_is "$victim" T
: > "gone/$victim/pool.spoor"
refused 1 'pool' --iterations 3 -i 100ms "$victim"
kill -KILL "$victim"
wait $job || true
