#!/bin/sh
# SPDX-License-Identifier: MIT
# signals.sh - traced handlers interrupt traced code, as often as timers allow, on the smallest stack plus the bytes
# that libspoor(7) documents for an event, at the first event of a thread, and with jumps out of the handler. The
# program behaves the same, and the trace has every call that the program counts.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

milliseconds=1000
[ -z "${SPOOR_LONG-}" ] || milliseconds=60000
# With lazy binding the dynamic linker would save all vector registers on the stack.
program signals -Wl,-z,now

run()
{
	what=$1
	shift
	traced "$what" timeout 300 ./signals "$what" "$@" > "$what.out" 2> "$what.err" ||
		fail "$what: the program ended with status $?: $(cat "$what.err")"
	silent "$what.err"
}
said()
{
	sed -n "s/^$2 //p" "$1.out"
}

run storm $milliseconds
facts storm
[ "$(said storm handled)" -gt $((milliseconds / 2)) ] || fail "storm: only $(said storm handled) signals arrived"
calls_are storm handler "$(said storm handled)"
calls_are storm inner "$(said storm handled)"
calls_are storm leaf "$(said storm outside)"
equal "storm: lost" "$(lost storm)" 0

room=640
[ "$SPOOR_ARCH" != aarch64 ] || room=832
vector=$(./signals vectors 0)
[ "$vector" -le 16 ] || room=$((room + 35 * vector))
./signals altstack $room > untraced.out
run altstack $room
used=$(($(said altstack stack) - $(said untraced stack)))
[ $used -gt 0 ] && [ $used -le $room ] || fail "events take $used bytes of stack, and $room are documented"
facts altstack
calls_are altstack handler 20000
calls_are altstack leaf 20000

run first $room
facts first
calls_are first handler 1
calls_are first inner 1

run fault 5000
facts -n fault
equal "fault: entries" "$(entries fault jumping_handler) $(entries fault leaf) $(entries fault inner)" "5000 5000 5000"
