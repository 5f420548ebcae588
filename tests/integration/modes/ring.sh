#!/bin/sh
# SPDX-License-Identifier: MIT
# ring.sh - circular mode keeps each thread's last events without a gap, and as many as it
# says: to the program's end, to kill -9, beside a flush, from threads that have ended,
# under a storm of signals. What is overwritten is no loss; what finds no room is one.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program ring -I"$top_srcdir/libspoor/include"
export SPOOR_RUNTIME_MODE=ring

# events TRACE - the calls of each thread in order, as `thread event function`; gaps too.
events()
{
	"$top_builddir/tools/spoor" export --format=csv "$1" |
		awk -F, 'NR > 1 && $4 !~ /frame|unwind/ { print $3, $4, $5 }' > "$1.events"
}

# tail_is_whole TRACE [HANDLER] - behind each gap every call is there, in its place, up to
# last_words, with calls of HANDLER anywhere. Prints how many events and gaps there are.
tail_is_whole()
{
	awk -v handler="${2-}" '
		BEGIN { follows["entry turn"] = "entry step"; follows["entry step"] = "exit step"
			follows["exit step"] = "exit turn"; follows["entry last_words"] = "exit last_words" }
		$2 == "lost_overwritten" { gaps++; last = ""; inside = 0; next }
		{ events++; what = $2 " " $3 }
		handler && $3 == handler { inside += $2 == "entry" ? 1 : -1; if (inside < 0 || inside > 1) exit 1; next }
		last in follows && what != follows[last] { print "after", last, "comes", what; wrong = 1; exit 1 }
		last == "exit turn" && what != "entry turn" && what != "entry last_words" { print last, what; wrong = 1; exit 1 }
		{ last = what }
		END { if (wrong || last != "exit last_words") { print "the last is", last; exit 1 } print events, gaps + 0 }
	' "$1.events"
}

# holds TRACE LEAST MOST GAPS [HANDLER]
holds()
{
	events "$1"
	found=$(tail_is_whole "$1" "${5-}") || fail "$1: $found"
	[ "${found% *}" -ge "$2" ] && [ "${found% *}" -le "$3" ] || fail "$1: ${found% *} events, not $2 to $3"
	equal "$1: gaps" "${found#* }" "$4"
	"$top_builddir/tools/spoor" info "$1" | grep -q '^  lost  *nothing' || fail "$1: $("$top_builddir/tools/spoor" info "$1" | grep lost)"
}

run()
{
	# 262144 events, less what a slice's beginning takes, and up to a slice more.
	traced end ./ring 200000 > end.out 2> end.err || fail "end: status $?"
	holds end 253952 270336 1
	"$top_builddir/tools/spoor" replay end | grep -q 'overwritten by newer ones' || fail "replay says nothing of what was overwritten"
	"$top_builddir/tools/spoor" info end | grep -q 'mode *ring' || fail "info does not say that it was a ring"
	"$top_builddir/tools/spoor" report --format=csv end | grep -q '^last_words,ring,1,' || fail "the report has not the last call"

	# Fewer events than are kept: all of them.
	traced few ./ring 1000 || fail "few: status $?"
	holds few 4002 4002 0

	SPOOR_RUNTIME_THREAD_EVENT_BUFFER_CAPACITY=8192 traced small ./ring 200000 || fail "small: status $?"
	holds small 4096 16384 1

	status=0
	(traced killed ./ring 200000 kill) 2> killed.err || status=$?
	equal "killed: status" $status 137
	holds killed 253952 270336 1

	# The flush keeps what there was, and what comes behind it is a ring again.
	status=0
	(traced flushed ./ring 200000 flush) 2> flushed.err || status=$?
	equal "flushed: status" $status 137
	holds flushed 507904 540672 2
	equal "flushed: last words" "$(grep -c 'entry last_words' flushed.events)" 2

	# What was the ended threads' is there while there is room, the last ones' whole.
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144 traced threads ./ring 3000 threads || fail "threads: status $?"
	events threads
	equal "threads: whole ones" "$(awk '{ n[$1]++ } END { for (t in n) whole += n[t] == 12002; print (whole >= 15) }' threads.events)" 1
	equal "threads: the last one" "$(tail -n 1 threads.events | cut -d' ' -f2-)" "exit last_words"
	# Kept for an hour, they leave no room for later ones: that is a loss.
	SPOOR_RUNTIME_EVENT_BUFFER_RETENTION_DURATION_NANOSECONDS=3600000000000 \
		SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144 traced kept ./ring 3000 threads || fail "kept: status $?"
	events kept
	equal "kept: the first thread" "$(awk 'NR == 1 { first = $1 } $1 == first && $2 !~ /lost/ { n++ } END { print n }' kept.events)" 12002
	[ "$("$top_builddir/tools/spoor" info kept | grep -c 'pool')" -ge 1 ] || fail "kept: no loss is told"

	traced storm ./ring 2000000 storm > storm.out || fail "storm: status $?"
	[ "$(cat storm.out)" -gt 10 ] || fail "storm: $(cat storm.out) signals"
	holds storm 240000 270336 1 handler
}
run
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
