#!/bin/sh
# SPDX-License-Identifier: MIT
# modes.sh - the mode is changed a thousand times under four threads. From log to count and
# back each call is an event or a count, once: their sum is the functions' own. In any
# order nothing is misattributed: within one thread every call stands below the one that
# made it, or below none where recording began in between, and the trace says where. Sleds
# and slots are switched one after the other, and yet each thread is recorded up to one
# event and from one on: nothing is there for the reader to repair.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

spoor=$top_builddir/tools/spoor
program modes -I"$top_srcdir/libspoor/include" "$libspoor" -Wl,-rpath,"$top_builddir/libspoor/.libs"

# With the thread sanitizer a change takes so long that a thousand leave half a billion events to be read.
changes=1000
[ "${SPOOR_SANITIZERS-}" != thread ] || changes=40

# calls TRACE - by function, events and counts together.
calls()
{
	"$spoor" report --format=csv "$1" | awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort
}

# nested TRACE - walks through the events themselves: who is open when what is entered.
nested()
{
	"$spoor" export --format=csv "$1" | awk -F, '
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

# replayed TRACE - the tree has no call where it cannot be: by its indentation.
replayed()
{
	"$spoor" replay "$1" > "$1.replay" || fail "$1: replay: $?"
	awk '/ inner\(\)/ && !/^.{13}    *inner/ { next }
		/left without returning/ { repaired++ }
		END { exit repaired > 0 }' "$1.replay" || fail "$1: replay repairs what it need not"
}

run()
{
	for first in log count; do
		case $first in log) second=count ;; *) second=log ;; esac
		SPOOR_RUNTIME_MODE=$first traced two ./modes 1000 $first $second > two.own || fail "$first: status $?"
		calls two > two.calls
		"$spoor" info two > two.info || fail "$first: info: $?"
		grep -q '^  lost  *nothing' two.info || fail "$first: $(grep -A3 '^  lost' two.info)"
		cmp two.own two.calls || fail "from $first: $(diff two.own two.calls)"
		found=$(nested two) || fail "from $first: $found"
		set -- $found
		[ "$1" -gt 1000 ] || fail "from $first: $1 entries"
		[ "$2" -gt 500 ] || fail "from $first: $2 gaps are marked"
		grep -q '^  counts  *[1-9]' two.info || fail "from $first: nothing was counted"
		grep -q "^  mode changes  *1002, the last to '$first'" two.info || fail "from $first: $(grep mode two.info)"
		replayed two
		grep -q 'recording went on here' two.replay || fail "replay does not say where recording went on"
	done

	# In any order: what there is, is right.
	traced any ./modes $changes log ring count off > any.own || fail "any: status $?"
	calls any > any.calls
	join any.own any.calls | awk '$3 > $2 || $3 < 1 { print; wrong = 1 } END { exit wrong || NR != 4 }' ||
		fail "any: more calls than there were"
	found=$(nested any) || fail "any: $found"
	set -- $found
	[ "$2" -gt $((changes / 10)) ] || fail "any: $2 gaps are marked"
	replayed any

	# What a ring has kept is in the trace when it is left, and what it has not is no loss.
	traced ring ./modes 200 log ring > ring.own || fail "ring: status $?"
	calls ring > ring.calls
	found=$(nested ring) || fail "ring: $found"
	set -- $found
	equal "ring: gaps" "$2" 0
	join ring.own ring.calls | awk '$3 > $2 { wrong = 1 } END { exit wrong || NR != 4 }' || fail "ring: $(diff ring.own ring.calls)"
	"$spoor" info ring > ring.info || fail "ring: info: $?"
	grep -q '^  lost  *nothing' ring.info || fail "ring: $(grep -A3 '^  lost' ring.info)"
	[ "$4" != 0 ] || cmp ring.own ring.calls || fail "ring: calls are missing and nothing says so"
}
run
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
