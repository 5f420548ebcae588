#!/bin/sh
# SPDX-License-Identifier: MIT
# open_calls.sh - calls that are open when a process or its recording ends last until then, where it
# is known that they did, and never longer; the program's own clock readings are the witness. So
# also in a thread that has not called anything for long.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
program open_calls
slack=1000000000

# lasts TRACE FUNCTION LEAST MOST - what the report says, in nanoseconds
lasts()
{
	"$spoor" report --format=csv "$1" > "$1.csv" 2> "$1.err" || fail "$1: $(cat "$1.err")"
	awk -F, -v f="$2" -v least="$3" -v most="$4" '
		$1 == f { n++; bad = $4 < least || $4 > most }
		END { exit bad || n != 1 }' "$1.csv" || fail "$1: $2 is not between $3 and $4 ns: $(cat "$1.csv")"
}

# ends HOW WAY - HOW: known, or unknown; both ways of recording
ends()
{
	traced "$2" ./open_calls "$2" 700 > "$2.out" || :
	read -r waits leaves vanishes _ < "$2.out"
	least_waits=0 least_leaves=0
	[ "$1" = unknown ] || least_waits=$waits least_leaves=$leaves
	lasts "$2" waits $least_waits $((waits + slack))
	lasts "$2" leaves $least_leaves $((leaves + slack))
	# A thread that is over is so.
	lasts "$2" vanishes "$vanishes" $((vanishes + 500000000))
	# Replay has the same, open as they are.
	"$spoor" replay "$2" > "$2.replay"
	[ "$(grep -c 'still running' "$2.replay")" = 2 ] || fail "$2: $(cat "$2.replay")"
}

ends known exit
# Nobody is there to see it: as far as anybody looked.
ends unknown _exit
ends unknown kill
ends unknown exec
LIFE_RECORD=1
ends known exit
ends known _exit
ends known kill
# The program that comes after sleeps for twice the slack.
ends unknown exec

# elapsed - nanoseconds since $begun: calls that recording ends cannot last longer.
elapsed()
{
	echo $(($(date +%s%N) - begun))
}

# recorded_a_while TRACE COMMAND - records a program that goes on after recording has ended, until there is a file
# `seen`; COMMAND ends it then. $most is the time until the recorder said that it had stopped.
recorded_a_while()
{
	rm -rf "$1" seen
	begun=$(date +%s%N)
	timeout -s KILL 300 "$spoor" record -o "$1" --duration 1500ms \
		sh -c "./open_calls stay 100 & while [ ! -e seen ]; do sleep 0.05; done; $2" > "$1.out" 2> "$1.record" &
	recorder=$!
	awaited "the end of recording" grep -q 'recording has stopped' "$1.record"
	most=$(elapsed)
}

# Until recording ends, not the process, nor its last event.
recorded_a_while stay 'kill $!'
sleep 1
: > seen
wait $recorder || fail "stay: status $?"
lasts stay waits 700000000 "$most"
lasts stay leaves 700000000 "$most"

# It is in the trace while the program goes on, and also of a thread that has ended since.
recorded_a_while later 'kill -USR1 $!; sleep 1; kill $!'
lasts later waits 700000000 "$most"
lasts later leaves 700000000 "$most"
: > seen
wait $recorder || fail "later: status $?"
lasts later waits 700000000 "$most"

# Until spoor ctl stopped it, in the thread that had to do so as well.
for LIFE_RECORD in "" 1; do
	rm -f stopped.out
	begun=$(date +%s%N)
	traced stopped ./open_calls stay 100 > stopped.out 2> /dev/null &
	recorder=$!
	awaited "the program" test -s stopped.out
	victim=$(awk '{ print $4 }' stopped.out)
	sleep 1
	"$spoor" ctl "$victim" stop > stopped.said 2>&1 || fail "$(cat stopped.said)"
	most=$(elapsed)
	sleep 1
	kill "$victim"
	wait $recorder || :
	lasts stopped waits 1000000000 "$most"
	lasts stopped leaves 1000000000 "$most"
	"$spoor" info stopped > stopped.info
	grep -q "^  mode changes  *1, the last to 'off'" stopped.info || fail "$(cat stopped.info)"
done

# Of a process that was running before: since it is recorded.
rm -rf attached
./open_calls stay 100 > attached.out &
victim=$!
awaited "the program" test -s attached.out
sleep 1
begun=$(date +%s%N)
"$spoor" record -q -o attached --duration 1500ms --pid $victim > attached.said 2>&1 || fail "$(cat attached.said)"
most=$(elapsed)
kill $victim
wait $victim 2> /dev/null || :
lasts attached waits 700000000 "$most"

# In a name space for times, whose clock is far before or behind the recorder's.
half=$(awk '{ print int($1 / 2) }' /proc/uptime)
for offset in -"$half" 100000; do
	if [ -n "$emulated" ] || ! unshare --time --fork --monotonic "$offset" true 2> unshare.err; then
		continue
	fi
	for way in exit kill; do
		rm -rf apart
		"$spoor" record -q -o apart -- unshare --time --fork --monotonic "$offset" ./open_calls $way 700 \
			> apart.out 2> apart.said || :
		read -r waits leaves _ < apart.out
		# A grandchild that is killed: as far as anybody looked.
		[ $way = exit ] || waits=0 leaves=0
		lasts apart waits "$waits" $((waits + slack))
		lasts apart leaves "$leaves" $((leaves + slack))
		lasts apart vanishes 19000000 $slack
	done
done
