#!/bin/sh
# SPDX-License-Identifier: MIT
# top.sh - spoor top shows what a running process calls, as the process counts it itself, whoever writes its
# trace, and disturbs no recording; on a terminal it takes keys and leaves all as it was.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
program paced

# begin TRACE PERIODS [OPTION...] - the paced program, which waits; its process is $victim.
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
	# The pool says where the trace is before main begins, and later than that file is there.
	awaited "a program that waits" has_begun "$victim" paced
}

# intervals COUNT - so many are in top.out.
intervals()
{
	[ "$(grep -c ' ms: ' top.out)" -ge "$1" ]
}

# From the begin to the end, by the recorder and by the process itself.
for recorded in '' 1; do
	begin "whole$recorded" 100000
	: > top.out
	timeout 300 "$spoor" top -b -i 300ms "$victim" > top.out 2> top.err &
	watcher=$!
	awaited "a first interval" test -s top.out
	: > go
	awaited "more intervals" intervals 5
	# What it left is shown when a recorder has written it, which may take its time.
	[ -z "$recorded" ] || kill -STOP $job
	rm go
	if [ -n "$recorded" ]; then
		awaited "the program's end" state_is "$victim" Z
		sleep 0.6
		kill -CONT $job
	fi
	wait $watcher || fail "top: status $?: $(cat top.err)"
	wait $job || fail "the program's status is $?: $(cat "$trace.err")"
	equal "last words" "$(cat top.err)" "spoor: top: process $victim has ended"
	"$spoor" report --format=csv "$trace" > report.csv
	"$spoor" export --format=csv "$trace" > events.csv
	python3 "$top_srcdir/tests/integration/readers/top.py" top.out "$trace.out" report.csv events.csv || fail "$trace: $(cat top.out)"
	equal "calls that are recorded" "$(awk -F, '$1 == "fast" { print $3 }' report.csv)" \
		"$(awk '$2 == "fast" { print $1 }' "$trace.out")"
	facts "$trace"
	equal "lost" "$(lost "$trace")" 0
done

# While it is recorded: columns, their order, functions, a number of rows and intervals.
recorded=1
begin ring 100000 --mode ring
: > go
top()
{
	timeout 300 "$spoor" top "$@" "$victim" > top.out 2> top.err || fail "top $*: status $?: $(cat top.err)"
	[ ! -s top.err ] || fail "top $*: $(cat top.err)"
}
# shown TEXT OPTION... - top goes on until an interval has this, which is in top.out then.
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
	[ ! -s top.err ] || fail "top $*: $(cat top.err)"
}
# In each interval are stays() and waits(), which go on; in one of a busy machine there may be nothing else.
top --iterations 2 --interval 0.2 --sort calls --columns self,calls --limit 2
equal "intervals" "$(grep -c '^spoor top - ..:..:..  process [0-9]* paced, mode ring, written by spoor record, process [0-9]*$' top.out)" 2
equal "rows" "$(grep -c '^ *[0-9,]*  *[0-9.]* [num]*s$' top.out)" 4
grep -q '^        CALLS        SELF$' top.out || fail "columns: $(cat top.out)"
shown '^# 3 functions are not shown: --limit$' -i 200ms --limit 2
top -n 1 -i 200ms -f 'w*' --columns +p99,stddev
grep -q 'waits$' top.out && ! grep -q 'fast\|spins' top.out || fail "functions: $(cat top.out)"
grep -q ' STDDEV  *P99' top.out || fail "columns that are added: $(cat top.out)"
# all_sorted - one interval with all of them; each is sorted.
all_sorted()
{
	top -n 1 -s function -i 200ms
	awk '/ paced  *[a-z]*$/ && !/top/ { print $NF }' top.out > names
	LC_ALL=C sort names | cmp - names || fail "not sorted by name: $(cat top.out)"
	[ "$(wc -l < names)" = 5 ]
}
awaited "all functions in an interval" all_sorted
python3 "$top_srcdir/tests/integration/readers/top_terminal.py" "$spoor" "$victim" || fail "on a terminal"
# A process that stands still is no reason to wait for it, and has nothing to show.
kill -STOP "$victim"
awaited "a process that is stopped" state_is "$victim" T
top -n 2 -i 100ms
equal "events of one that is stopped" "$(grep ' ms: ' top.out | tail -n 1 | sed 's/.* ms: \([0-9]*\) events of.*/\1/')" 0
kill -CONT "$victim"
# has_rows - the last interval that is shown has some.
has_rows()
{
	top -n 1 -i 100ms
	grep -v '^spoor top' top.out | grep -q ' paced  *[a-z]*$'
}
# In a mode without events nothing is known of what is open.
# empty MODE - the last two intervals are of that mode, and have no rows.
empty()
{
	top -n 2 -i 100ms
	[ "$(grep -c "^spoor top.* mode $1," top.out)" = 2 ] || return 1
	awk '/^spoor top/ { rows = "" } / paced  *[a-z]*$/ && !/^spoor top/ { rows = rows $0 "\n" } END { printf "%s", rows }' top.out > rows
	[ ! -s rows ]
}
for mode in count off; do
	"$spoor" ctl "$victim" mode $mode > ctl.out || fail "mode $mode: $(cat ctl.out)"
	awaited "no rows in mode $mode" empty $mode
done
"$spoor" ctl "$victim" mode log > ctl.out || fail "mode log: $(cat ctl.out)"
awaited "rows in the mode log" has_rows
rm go
wait $job || fail "the program's status is $?: $(cat ring.err)"

# refused STATUS TEXT ARGUMENT...
refused()
{
	wanted=$1 text=$2
	shift 2
	status=0
	timeout 120 "$spoor" top "$@" > top.out 2> top.err < /dev/null || status=$?
	equal "status of top $*" "$status" "$wanted"
	grep -q -- "$text" top.err || fail "top $*: no word of '$text': $(cat top.err)"
}
refused 1 'no process' 4194304
refused 1 'spoor record --pid' $$
refused 2 'which process'
refused 2 'too much' $$ 1
refused 2 'no process ID' x
refused 2 'no process ID' 0
refused 2 'no time' -i 0 $$
refused 2 'no time' -i 1ms $$
refused 2 'no time' -i 2h $$
refused 2 'no time' -i nan $$
refused 2 'no number' -n 0 $$
refused 2 'no number' --limit x $$
refused 2 'no column' -s line $$
refused 2 'no column' -s nothing $$
refused 2 'column' --columns file $$
refused 2 'column' --columns nothing $$
: > go
SPOOR_RUNTIME_MODE=count SPOOR_RUNTIME_TRACE_PATH=counts LD_PRELOAD=$libspoor ./paced 100000 go > out &
job=$!
awaited "a period that is counted" test -s go
refused 1 'counts its calls' $job
kill $job
wait $job || true

# The trace was taken away, or is another one's.
recorded=
begin gone 100000
: > go
mv gone gone.away
refused 1 'gone' -n 1 "$victim"
mv gone.away gone
printf 'nothing' > "gone/$victim/process.spoor"
top -n 1 -i 100ms
grep -q 'unknown#' top.out || fail "without names: $(cat top.out)"
kill -STOP "$victim"
awaited "a process that is stopped" state_is "$victim" T
: > "gone/$victim/pool.spoor"
refused 1 'pool' -n 3 -i 100ms "$victim"
kill -KILL "$victim"
wait $job || true
