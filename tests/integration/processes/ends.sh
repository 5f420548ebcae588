#!/bin/sh
# SPDX-License-Identifier: MIT
# ends.sh - no matter how a process ends, its trace has each call that had returned, and at most one more for each
# thread. The victim counts its calls itself, in memory that it shares with a file.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program ends
threads=3

# counted FILE - prints the victim's count of each thread, highest first.
counted()
{
	od -A n -t u8 -w64 -v "$1" | awk '{ print $1 }' | sort -rn | head -n $threads
}

# witnessed TRACE - compares the calls of each thread with the victim's counts, sorted by size: the trace has as many,
# or one more.
witnessed()
{
	facts "$1"
	awk -F'\t' '$1 == "thread" { print $5 }' "$1.facts" | sort -rn > "$1.entries"
	counted "$1.counts" > "$1.counted"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	paste "$1.entries" "$1.counted" | awk '{ if ($1 < $2 || $1 > $2 + 1) bad = 1 } END { exit bad }' ||
		fail "$1: the calls in the trace do not match the counted calls: $(paste "$1.entries" "$1.counted")"
	equal "$1: lost" "$(lost "$1")" 0
	equal "$1: the report" "$(reported "$1" leaf)" "$(entries "$1" leaf)"
}

# ends WAY STATUS - ends the process in this way, and checks that its trace is complete.
ends()
{
	status=0
	traced "$1" timeout 300 ./ends "$1.counts" "$1" $threads 10000 2> "$1.err" > /dev/null || status=$?
	equal "$1: status" "$status" "$2"
	silent "$1.err"
	witnessed "$1"
}

ulimit -c 0
ends return 3
ends exit 3
ends _exit 3
ends exit_group 3
ends quick_exit 3
ends abort 134
ends term 143
ends kill 137
ends segv 139
ends exec 3
# An emulator has its own threads, so the last thread of the program is not the last of the process.
if [ -z "$emulated" ]; then
	ends pthread_exit 0
	equal "pthread_exit: calls" "$(entries pthread_exit leaf)" 30000
	# The main thread ends without libc. With other threads, the process may end with the status of its last
	# thread.
	ends thread_exit 3
	untraced=0
	./ends untraced.counts outlived $threads 10000 || untraced=$?
	ends outlived $untraced
	equal "outlived: calls" "$(entries outlived leaf)" 30000
	threads=1
	ends thread_exit 3
	threads=3
fi

# A handler calls exit while the runtime writes the end of a thread.
build_once "$clang" -O2 -fPIC -shared -o libinterrupts.so "$victims/processes/interrupts.c"
program exits_in_handler -L. -linterrupts -Wl,-rpath,"$work"
status=0
traced handler timeout -s KILL 300 ./exits_in_handler > handler.out 2> handler.err || status=$?
equal "exit in a handler: status" "$status" 3
silent handler.err
facts handler
calls_are handler leaf 1

# The same with a recorder.
[ -z "${LIFE_RECORD-}" ] || exit 0
LIFE_RECORD=1 "$life_script"
mkdir -p "$work"
cd "$work"

# kept TRACE - checks the rings of 8192 events: they have the newest events of each thread up to its end, in
# consecutive slices, and not more than were called.
kept()
{
	"$trace_facts" -n "$1" > "$1.facts" || fail "$1 contradicts itself"
	awk -F'\t' '$1 == "thread" { print $5, $6 }' "$1.facts" | sort -rn > "$1.entries"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	counted "$1.counts" | tail -n 1 > "$1.counted"
	awk -v least="$(cat "$1.counted")" '
		{ if ($1 < 2048 && $1 < least || $1 > 8192 + 1 || $1 - $2 > 1 || $2 - $1 > 1) bad = 1 } END { exit bad }' "$1.entries" ||
		fail "$1: the events that were kept (entries, exits) do not match the victim's count:" \
			"$(cat "$1.entries" "$1.counted")"
	"$trace_facts" "$1" 2>&1 > /dev/null | grep 'comes after' | grep -v 'comes after -1$' && fail "$1: slices" \
		"are missing between the kept slices (see the lines above)"
	equal "$1: lost" "$(lost "$1")" 0
}

# The process is killed at random moments, also while the runtime drains, and while a ring starts over every few
# microseconds.
kills=10
[ -z "${SPOOR_LONG-}" ] || kills=$((${emulated:-0} ? 200 : 400))
export SPOOR_RUNTIME_THREAD_EVENT_BUFFER_CAPACITY
killed=0
while [ $killed -lt "$kills" ]; do
	rm -rf random random.*
	mode=log SPOOR_RUNTIME_THREAD_EVENT_BUFFER_CAPACITY=0
	[ $((killed % 2)) = 0 ] || mode=ring SPOOR_RUNTIME_THREAD_EVENT_BUFFER_CAPACITY=8192
	SPOOR_RUNTIME_MODE=$mode SPOOR_RUNTIME_TRACE_PATH=random LD_PRELOAD=$libspoor ./ends random.counts wait $threads &
	victim=$!
	while [ ! -s random.counts ] || [ "$(counted random.counts | tail -n 1)" = 0 ]; do
		sleep 0.01
	done
	sleep "0.$(printf '%03d' $((killed * 7919 % 200 + 1)))"
	kill -KILL $victim
	wait $victim 2> /dev/null || :
	[ $mode = log ] || kept random
	[ $mode = ring ] || witnessed random
	killed=$((killed + 1))
done
