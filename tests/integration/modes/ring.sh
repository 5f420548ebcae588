#!/bin/sh
# SPDX-License-Identifier: MIT
# ring.sh - mode ring keeps the newest events of each thread without a gap, and as many as documented. The tests end
# the program, kill it with SIGKILL, flush, end threads, and send a storm of signals. Overwritten events do not count
# as lost; events that found no room do.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program ring -I"$top_srcdir/libspoor/include"
export SPOOR_RUNTIME_MODE=ring

# events TRACE - writes the calls of each thread in order, as `thread event function`; and the gaps.
events()
{
	"$reader" export --format=csv --flat "$1" |
		awk -F, 'NR > 1 && $4 !~ /frame|unwind/ { print $3, $4, $5 }' > "$1.events"
}

# tail_is_whole TRACE [HANDLER] - checks that every call after each gap is in its place, up to last_words, with calls
# of HANDLER anywhere. Prints the numbers of events and gaps. A gap can end within a call of HANDLER: the exit is the
# next event then.
tail_is_whole()
{
	awk -v handler="${2-}" '
		BEGIN { gap = -1; follows["entry turn"] = "entry step"; follows["entry step"] = "exit step"
			follows["exit step"] = "exit turn"; follows["entry last_words"] = "exit last_words" }
		$2 == "lost_overwritten" { gaps++; gap = NR; last = ""; inside = 0; next }
		{ events++; what = $2 " " $3 }
		handler && $3 == handler && $2 == "exit" && NR == gap + 1 { next }
		handler && $3 == handler { inside += $2 == "entry" ? 1 : -1 }
		inside < 0 || inside > 1 { print "line", NR, "has", inside, "calls of", handler; wrong = 1; exit 1 }
		handler && $3 == handler { next }
		last in follows && what != follows[last] { print "after", last, "comes", what; wrong = 1; exit 1 }
		last == "exit turn" && what != "entry turn" && what != "entry last_words" { print last, what; wrong = 1; exit 1 }
		{ last = what }
		END { if (wrong) exit 1; if (last != "exit last_words") { print "the last is", last; exit 1 } print events, gaps + 0 }
	' "$1.events"
}

# holds TRACE LEAST MOST GAPS [HANDLER] - checks the number of events and gaps, and that no event was lost.
holds()
{
	events "$1"
	found=$(tail_is_whole "$1" "${5-}") || fail "$1: events are missing or misplaced: $found"
	[ "${found% *}" -ge "$2" ] && [ "${found% *}" -le "$3" ] ||
		fail "$1: the trace has ${found% *} events, not $2 to $3"
	equal "$1: gaps" "${found#* }" "$4"
	"$reader" info "$1" | grep -q '^  lost  *nothing' ||
		fail "$1: events were lost: $("$reader" info "$1" | grep lost)"
}

run()
{
	# 262,144 events, minus the header words of slices, plus up to one slice.
	traced end ./ring 200000 > end.out 2> end.err || fail "end: the program ended with status $?: $(cat end.err)"
	holds end 253952 270336 1
	"$reader" replay end | grep -q 'overwritten by newer ones' ||
		fail "spoor replay does not mark overwritten events"
	"$reader" info end | grep -q 'mode *ring' ||
		fail "spoor info does not show mode ring: $("$reader" info end)"
	"$reader" report --format=csv end | grep -q '^last_words,ring,1,' ||
		fail "the report does not have the last call: $("$reader" report --format=csv end)"

	# Fewer events than the ring holds: all are kept.
	traced few ./ring 1000 || fail "few: the program ended with status $?"
	holds few 4002 4002 0

	SPOOR_RUNTIME_THREAD_EVENT_BUFFER_CAPACITY=8192 traced small ./ring 200000 ||
		fail "small: the program ended with status $?"
	holds small 4096 16384 1

	status=0
	(traced killed ./ring 200000 kill) 2> killed.err || status=$?
	equal "killed: status" $status 137
	holds killed 253952 270336 1

	# The flush writes the ring, and later events form a new ring.
	status=0
	(traced flushed ./ring 200000 flush) 2> flushed.err || status=$?
	equal "flushed: status" $status 137
	holds flushed 507904 540672 2
	equal "flushed: last words" "$(grep -c 'entry last_words' flushed.events)" 2

	# The events of ended threads stay while there is room; the events of the last threads are complete.
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144 traced threads ./ring 3000 threads ||
		fail "threads: the program ended with status $?"
	events threads
	equal "threads: whole ones" "$(awk '{ n[$1]++ } END { for (t in n) whole += n[t] == 12002; print (whole >= 15) }' threads.events)" 1
	equal "threads: the last one" "$(tail -n 1 threads.events | cut -d' ' -f2-)" "exit last_words"
	# With a retention of an hour they leave no room for later threads: that is a loss.
	SPOOR_RUNTIME_EVENT_BUFFER_RETENTION_DURATION_NANOSECONDS=3600000000000 \
		SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144 traced kept ./ring 3000 threads ||
			fail "kept: the program ended with status $?"
	events kept
	equal "kept: the first thread" "$(awk 'NR == 1 { first = $1 } $1 == first && $2 !~ /lost/ { n++ } END { print n }' kept.events)" 12002
	[ "$("$reader" info kept | grep -c 'pool')" -ge 1 ] ||
		fail "kept: spoor info shows no loss: $("$reader" info kept)"

	traced storm ./ring 2000000 storm > storm.out || fail "storm: the program ended with status $?"
	[ "$(cat storm.out)" -gt 10 ] || fail "storm: only $(cat storm.out) signals arrived"
	holds storm 240000 270336 1 handler
}
run
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
