#!/bin/sh
# SPDX-License-Identifier: MIT
# ends.sh - whichever way a process ends, each call that had returned before is in
# its trace, and at most one more of each thread: the victim's own counts, in
# memory that it shares with a file, are the witness.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program ends
threads=3

# counted FILE - the victim's count of each thread, highest first.
counted()
{
	od -A n -t u8 -w64 -v "$1" | awk '{ print $1 }' | sort -rn | head -n $threads
}

# witnessed TRACE - thread by thread, the largest with the largest: those of the
# trace are at least as many, and one more at most.
witnessed()
{
	facts "$1"
	awk -F'\t' '$1 == "thread" { print $5 }' "$1.facts" | sort -rn > "$1.entries"
	counted "$1.counts" > "$1.counted"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	paste "$1.entries" "$1.counted" | awk '{ if ($1 < $2 || $1 > $2 + 1) bad = 1 } END { exit bad }' ||
		fail "$1: in the trace, and counted: $(paste "$1.entries" "$1.counted")"
	equal "$1: lost" "$(lost "$1")" 0
	equal "$1: the report" "$(reported "$1" leaf)" "$(entries "$1" leaf)"
}

# ends WAY STATUS - the process ends that way, and its trace is whole.
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
# An emulator has threads of its own: with those, who counts threads is never the last one.
if [ -z "$emulated" ]; then
	ends pthread_exit 0
	equal "pthread_exit: calls" "$(entries pthread_exit leaf)" 30000
	# The main thread ends behind libc's back. Of others beside it the kernel may want the
	# last one's status.
	ends thread_exit 3
	untraced=0
	./ends untraced.counts outlived $threads 10000 || untraced=$?
	ends outlived $untraced
	equal "outlived: calls" "$(entries outlived leaf)" 30000
	threads=1
	ends thread_exit 3
	threads=3
fi

# A handler that calls exit in the middle of what we write at a thread's end.
build_once "$clang" -O2 -fPIC -shared -o libinterrupts.so "$victims/processes/interrupts.c"
program exits_in_handler -L. -linterrupts -Wl,-rpath,"$work"
status=0
traced handler timeout -s KILL 300 ./exits_in_handler > handler.out 2> handler.err || status=$?
equal "exit in a handler: status" "$status" 3
silent handler.err
facts handler
calls_are handler leaf 1

# The same, drained from outside.
[ -z "${LIFE_RECORD-}" ] || exit 0
LIFE_RECORD=1 "$life_script"
mkdir -p "$work"
cd "$work"

# kept TRACE - of a ring of 8192 events: the last ones of each thread up to its end, in slices
# without a gap between them, and no more than were called.
kept()
{
	"$trace_facts" -n "$1" > "$1.facts" || fail "$1 contradicts itself"
	awk -F'\t' '$1 == "thread" { print $5, $6 }' "$1.facts" | sort -rn > "$1.entries"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	counted "$1.counts" | tail -n 1 > "$1.counted"
	awk -v least="$(cat "$1.counted")" '
		{ if ($1 < 2048 && $1 < least || $1 > 8192 + 1 || $1 - $2 > 1 || $2 - $1 > 1) bad = 1 } END { exit bad }' "$1.entries" ||
		fail "$1: kept, and counted at least: $(cat "$1.entries" "$1.counted")"
	"$trace_facts" "$1" 2>&1 > /dev/null | grep 'comes after' | grep -v 'comes after -1$' && fail "$1: gaps"
	equal "$1: lost" "$(lost "$1")" 0
}

# At moments that nobody chose: in the middle of anything, of draining too, and of a ring
# that begins anew every few microseconds.
kills=20
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
