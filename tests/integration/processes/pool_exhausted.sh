#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_exhausted.sh - if idle threads hold nearly all of the pool, the drainer writes full slices before the runtime
# drops events, even if few slices circulate, and the runtime takes slices of idle threads. If that is not enough, the
# runtime drops events and counts each by cause and by thread; `spoor info` and `spoor report` show the counts.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program crowded
# The smallest capacity: 64 whole slices, or 512 slices of one page.
export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144

# crowded TRACE IDLE CALLS [PAUSE-AFTER] - runs the victim, and checks that stored and lost events add up.
crowded()
{
	traced "$1" timeout 120 ./crowded "$2" "$3" ${4-} > "$1.out" 2> "$1.err" ||
		fail "$1: the victim ended with status $?: $(cat "$1.err")"
	silent "$1.err"
	facts -n "$1"
	# A thread writes one more event when it ends, which may be lost.
	more=$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(entries "$1" in_busy) + $(exits "$1" in_busy) +
		$(lost "$1") - 2 * ($2 + $3)))
	[ $more = 0 ] || [ $more = 1 ] || fail "$1: stored and lost events exceed the events of the calls by $more"
	equal "$1: lost for another cause" "$(lost "$1" pool)" "$(lost "$1")"
	"$spoor" info "$1" > "$1.info" || fail "$1: spoor info ended with status $?"
	"$spoor" report "$1" > "$1.report" || fail "$1: spoor report ended with status $?"
}

# told TRACE - checks the losses that the tools show by cause, by thread and in sum.
told()
{
	sed -n 's/^ *\([0-9]*\)  the pool was exhausted$/\1/p' "$1.info" > "$1.causes"
	equal "$1: info, by cause" "$(cat "$1.causes")" "$(lost "$1")"
	sed -n 's/.* events, \([0-9]*\) lost$/\1/p' "$1.info" > "$1.threads"
	equal "$1: info, by thread" "$(awk '{ n += $1 } END { print n }' "$1.threads")" "$(lost "$1")"
	equal "$1: report, by cause" \
		"$(sed -n 's/^# \([0-9,]*\) events lost: the pool was exhausted$/\1/p' "$1.report" | tr -d ,)" "$(lost "$1")"
	equal "$1: report, most by" "$(sed -n 's/^# \([0-9,]*\) events lost by thread .*/\1/p' "$1.report" | head -n 1 | tr -d ,)" \
		"$(sort -rn "$1.threads" | head -n 1)"
}

# Four slices of a page circulate: fewer full slices than wake the drainer in a larger pool. They are full after some
# 75 ms. A busy machine may delay the drainer for longer, so the test tries three times.
for try in 1 2 3; do
	crowded few 508 6000 10
	[ "$(lost few)" != 0 ] || break
done
equal "few: lost" "$(lost few)" 0
equal "few: threads" "$(count few thread)" 509

# More idle threads than the pool has room for: their slices are taken, and the busy thread gets enough.
crowded taken 1500 3000 10
[ "$(entries taken in_busy)" -gt 2000 ] ||
	fail "taken: only $(entries taken in_busy) calls of the busy thread were stored"
# How many more than the pool has slices depends on what else the machine does.
[ "$(entries taken leaf)" -gt 512 ] || fail "taken: only $(entries taken leaf) calls of idle threads were stored"

# A ring keeps the events of idle threads. No slice is free, and 88 of them have no slice.
SPOOR_RUNTIME_MODE=ring crowded ring 600 50000
equal "ring: calls stored" "$(entries ring leaf) $(entries ring in_busy)" "512 0"
told ring
grep -q ' busy  *0 events, 10000[01] lost$' ring.info ||
	fail "ring: spoor info shows other losses of the busy thread: $(grep busy ring.info)"
"$top_builddir/tools/spoor" doctor ring > ring.doctor || :
grep -q 'pool was exhausted.*larger pool' ring.doctor ||
	fail "spoor doctor does not advise a larger pool for a ring: $(cat ring.doctor)"
! grep -q -e '--mode ring' ring.doctor || fail "spoor doctor advises mode ring, which is in use: $(cat ring.doctor)"

# A trigger watches the slice of each thread, so none is taken. One page circulates without a pause: too many events
# for the drainer.
SPOOR_RUNTIME_TRIGGER='leaf>3600s' crowded page 511 1000000
[ "$(lost page)" -gt 1000 ] || fail "page: only $(lost page) events were lost"
[ "$(entries page in_busy)" -gt 200 ] || fail "page: only $(entries page in_busy) calls were stored"
told page
# spoor doctor does not advise what the user already does.
"$top_builddir/tools/spoor" doctor page | grep -q 'pool was exhausted.*--mode ring' ||
	fail "spoor doctor does not advise --mode ring after losses of the pool:" \
		"$("$top_builddir/tools/spoor" doctor page)"

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
