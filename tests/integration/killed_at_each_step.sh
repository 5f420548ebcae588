#!/bin/sh
# SPDX-License-Identifier: MIT
# killed_at_each_step.sh - killed at any instruction of an entry, an exit and all that
# they run, within a slice and where it changes, every event before is in the trace, the
# one or two that it is about are there whole or not at all, and nothing is torn.
set -eu
. "$top_srcdir/tests/integration/life.sh"

program stops -Wl,-z,now
plain steps_then_kill
every=7
[ -z "${SPOOR_LONG-}" ] || every=1

# killed CALLS STEPS
killed()
{
	rm -rf t
	ended=$(SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor timeout 60 ./steps_then_kill "$2" ./stops "$1" 2> err) ||
		fail "$1 calls, $2 steps: status $?: $(cat err)"
	silent err
	facts t
	equal "$1 calls, killed after $2 steps: lost" "$(lost t)" 0
	stored=$(($(entries t leaf) + $(exits t leaf)))
	[ "$(entries t leaf)" -ge "$(exits t leaf)" ] && [ "$(exits t leaf)" -ge "$1" ] && [ $stored -le $((2 * $1 + 2)) ] ||
		fail "$1 calls, killed after $2 steps: $(entries t leaf) entries, $(exits t leaf) exits"
}

# The first slice of a thread is a page: 512 words, of which main takes one.
changed=
for calls in 100 253 254 255 256; do
	steps=0
	before=$((2 * calls))
	between=0
	while :; do
		killed $calls $steps
		[ $stored = $before ] || between=$((between + 1))
		[ -z "$ended" ] || break
		steps=$((steps + every))
	done
	equal "$calls calls: events at the end" "$stored" $((2 * calls + 2))
	[ $between -gt 0 ] || fail "$calls calls: never killed behind an event"
	[ $steps -gt 60 ] || fail "$calls calls: only $steps steps"
	[ $steps -lt 300 ] || changed=1
done
[ -n "$changed" ] || fail "no slice was changed"
