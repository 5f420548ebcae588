#!/bin/sh
# SPDX-License-Identifier: MIT
# signals.sh - traced handlers over traced code, as often as timers can, on the least
# stack there may be with what libspoor(7) says an event takes, at a thread's very first
# event, and jumping out of: the program does what it did and every call that it counts
# itself is there.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

milliseconds=1000
[ -z "${SPOOR_LONG-}" ] || milliseconds=60000
# The dynamic linker saves all vector registers on the stack where it binds late.
program signals -Wl,-z,now

run()
{
	what=$1
	shift
	traced "$what" timeout 300 ./signals "$what" "$@" > "$what.out" 2> "$what.err" || fail "$what: status $?: $(cat "$what.err")"
	silent "$what.err"
}
said()
{
	sed -n "s/^$2 //p" "$1.out"
}

run storm $milliseconds
facts storm
[ "$(said storm handled)" -gt $((milliseconds / 2)) ] || fail "no storm: $(said storm handled) signals"
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
[ $used -gt 0 ] && [ $used -le $room ] || fail "events take $used bytes of stack"
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
