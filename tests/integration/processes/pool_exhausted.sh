#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_exhausted.sh - where idle threads hold nearly all of the pool, what is full is
# written before anything is dropped, however few slices go round. Only where that is not
# enough events are dropped, and each is counted, by cause and by thread, in what
# `spoor info` and `spoor report` say.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

program crowded
# The least there may be: 64 whole slices, or 512 of a page each.
export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144

# crowded TRACE IDLE CALLS [PAUSE-AFTER]
crowded()
{
	traced "$1" timeout 120 ./crowded "$2" "$3" ${4-} > "$1.out" 2> "$1.err" || fail "$1: status $?: $(cat "$1.err")"
	silent "$1.err"
	facts -n "$1"
	# A thread that ends says so in one event more, which may be lost.
	more=$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(entries "$1" in_busy) + $(exits "$1" in_busy) +
		$(lost "$1") - 2 * ($2 + $3)))
	[ $more = 0 ] || [ $more = 1 ] || fail "$1: $more events and losses more than there were"
	equal "$1: lost for another cause" "$(lost "$1" pool)" "$(lost "$1")"
	"$spoor" info "$1" > "$1.info" || fail "$1: info: $?"
	"$spoor" report "$1" > "$1.report" || fail "$1: report: $?"
}

# told TRACE - by cause, by thread and in sum what was lost.
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

# Four slices of a page go round: fewer full ones than are worth waking the drainer for
# where more are left.
crowded few 508 6000 10
equal "few: lost" "$(lost few)" 0
equal "few: threads" "$(count few thread)" 509

# A page and no more, without a pause: too much for whoever drains it.
crowded page 511 1000000
[ "$(lost page)" -gt 1000 ] || fail "page: only $(lost page) events lost"
[ "$(entries page in_busy)" -gt 200 ] || fail "page: only $(entries page in_busy) calls stored"
told page

# Nothing is left, and 88 of the others have nothing either.
crowded none 600 50000
equal "none: calls stored" "$(entries none leaf) $(entries none in_busy)" "512 0"
told none
grep -q ' busy  *0 events, 10000[01] lost$' none.info || fail "none: what the busy thread lost: $(grep busy none.info)"

# What would help is not what is done already.
"$top_builddir/tools/spoor" doctor none | grep -q 'pool was exhausted.*--mode ring' || fail "doctor does not know of the ring"
SPOOR_RUNTIME_MODE=ring crowded ring 600 50000
[ "$(lost ring pool)" -gt 0 ] || fail "ring: nothing lost"
"$top_builddir/tools/spoor" doctor ring > ring.doctor || :
grep -q 'pool was exhausted.*larger pool' ring.doctor || fail "doctor says nothing of losses in a ring: $(cat ring.doctor)"
! grep -q -e '--mode ring' ring.doctor || fail "doctor advises what is done: $(cat ring.doctor)"

# The same, drained from outside.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
