#!/bin/sh
# SPDX-License-Identifier: MIT
# modes.sh - the mode changes a thousand times under four threads. Between log and count each call is either an event
# or a count: their sum matches the program's own counters. With any sequence of modes every call is below its caller,
# or has no caller if recording began in between, and the trace marks these places. Sleds and slots change one after
# the other, but each thread is recorded up to one event and from one event on, so the reader repairs nothing.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

spoor=$top_builddir/tools/spoor
program modes -I"$top_srcdir/libspoor/include" "$libspoor" -Wl,-rpath,"$top_builddir/libspoor/.libs"

# With the thread sanitizer a change takes so long that a thousand changes leave half a billion events, and seconds with
# a ring.
changes=1000 ring_changes=200
[ "${SPOOR_SANITIZERS-}" != thread ] || changes=40 ring_changes=5

# calls TRACE - prints events and counts together, for each function.
calls()
{
	"$spoor" report --format=csv "$1" | awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort
}

# nested TRACE - checks from the events themselves that each call is below its caller.
nested()
{
	"$spoor" export --format=csv --flat "$1" | awk -F, '
		BEGIN { above["middle"] = "outer"; above["inner"] = "middle" }
		NR == 1 || $4 ~ /frame|unwind/ { next }
		$4 == "unrecorded" { gaps++; depth[$3] = 0; next }
		$4 ~ /^lost/ { lost++; depth[$3] = 0; next }
		$4 == "entry" {
			d = depth[$3]
			if (d && ($5 == "last" || open[$3, d] != above[$5])) { odd++; d = 0 }
			open[$3, ++d] = $5
			depth[$3] = d
			entries++
			next
		}
		{
			d = depth[$3]
			if (!d) { orphans++; next }
			if (open[$3, d] != $5) { odd++; d = 1 }
			depth[$3] = d - 1
		}
		END {
			if (odd) { print odd, "calls are below what did not call them"; exit 1 }
			print entries + 0, gaps + 0, orphans + 0, lost + 0
		}'
}

# replayed TRACE - checks by indentation that the tree has no misplaced call.
replayed()
{
	"$spoor" replay "$1" > "$1.replay" || fail "$1: spoor replay ended with status $?"
	awk '/ inner\(\)/ && !/^.{13}    *inner/ { next }
		/left without returning/ { repaired++ }
		END { exit repaired > 0 }' "$1.replay" ||
			fail "$1: spoor replay repaired calls: $(grep -m 3 'left without returning' "$1.replay")"
}

run()
{
	for first in log count; do
		case $first in log) second=count ;; *) second=log ;; esac
		SPOOR_RUNTIME_MODE=$first traced two ./modes 1000 $first $second > two.own ||
			fail "from $first: the program ended with status $?"
		calls two > two.calls
		"$spoor" info two > two.info || fail "from $first: spoor info ended with status $?"
		grep -q '^  lost  *nothing' two.info ||
			fail "from $first: events were lost: $(grep -A3 '^  lost' two.info)"
		cmp two.own two.calls ||
			fail "from $first: the trace (>) differs from the program's counters (<):" \
				"$(diff two.own two.calls)"
		found=$(nested two) || fail "from $first: calls are misplaced: $found"
		set -- $found
		[ "$1" -gt 1000 ] || fail "from $first: only $1 entries"
		[ "$2" -gt 500 ] || fail "from $first: only $2 gaps are marked"
		grep -q '^  counts  *[1-9]' two.info || fail "from $first: no call was counted: $(cat two.info)"
		grep -q "^  mode changes  *1002, the last to '$first'" two.info ||
			fail "from $first: spoor info shows other mode changes: $(grep mode two.info)"
		replayed two
		grep -q 'recording continues here' two.replay ||
			fail "from $first: spoor replay does not mark where recording continued"
	done

	# With any sequence of modes, the recorded calls are correct.
	traced any ./modes $changes log ring count off > any.own || fail "any: the program ended with status $?"
	calls any > any.calls
	join any.own any.calls | awk '$3 > $2 || $3 < 1 { print; wrong = 1 } END { exit wrong || NR != 4 }' ||
		fail "any: the trace has more calls than the program made (program, trace): see above"
	found=$(nested any) || fail "any: calls are misplaced: $found"
	set -- $found
	[ "$2" -gt $((changes / 10)) ] || fail "any: only $2 gaps are marked"
	replayed any

	# When the mode changes, the events in the ring are written to the trace; overwritten events are not a loss.
	traced ring ./modes $ring_changes log ring > ring.own || fail "ring: the program ended with status $?"
	calls ring > ring.calls
	found=$(nested ring) || fail "ring: calls are misplaced: $found"
	set -- $found
	equal "ring: gaps" "$2" 0
	join ring.own ring.calls | awk '$3 > $2 { wrong = 1 } END { exit wrong || NR != 4 }' ||
		fail "ring: the trace has more calls (>) than the program made (<): $(diff ring.own ring.calls)"
	"$spoor" info ring > ring.info || fail "ring: spoor info ended with status $?"
	# A recorder with the thread sanitizer cannot follow mode log at its full rate.
	[ "${SPOOR_SANITIZERS-}" = thread ] || grep -q '^  lost  *nothing' ring.info ||
		fail "ring: events were lost: $(grep -A3 '^  lost' ring.info)"
	[ "$4" != 0 ] || cmp ring.own ring.calls ||
		fail "ring: calls are missing and the trace has no mark of it: $(diff ring.own ring.calls)"
}
run
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
