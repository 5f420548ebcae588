#!/bin/sh
# SPDX-License-Identifier: MIT
# open_calls.sh - calls that are open when a process or its recording ends last until that moment if spoor knows the
# moment, and never longer. The program reads the clock itself for comparison. The same is true for a thread that has
# called nothing for a long time.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
program open_calls
slack=1000000000

# lasts TRACE FUNCTION LEAST MOST - checks the duration in the report, in nanoseconds.
lasts()
{
	"$spoor" report --format=csv "$1" > "$1.csv" 2> "$1.err" || fail "$1: spoor report failed: $(cat "$1.err")"
	awk -F, -v f="$2" -v least="$3" -v most="$4" '
		$1 == f { n++; bad = $4 < least || $4 > most }
		END { exit bad || n != 1 }' "$1.csv" ||
			fail "$1: the duration of $2 is not between $3 and $4 ns: $(cat "$1.csv")"
}

# ends HOW WAY - ends the program in this way. HOW: whether spoor knows the time of the end, "known" or "unknown".
ends()
{
	traced "$2" ./open_calls "$2" 700 > "$2.out" || :
	read -r waits leaves vanishes _ < "$2.out"
	least_waits=0 least_leaves=0
	[ "$1" = unknown ] || least_waits=$waits least_leaves=$leaves
	lasts "$2" waits $least_waits $((waits + slack))
	lasts "$2" leaves $least_leaves $((leaves + slack))
	# A call of a thread that has ended lasts until its thread ended.
	lasts "$2" vanishes "$vanishes" $((vanishes + 500000000))
	# Replay shows the same two calls as open.
	"$spoor" replay "$2" > "$2.replay"
	[ "$(grep -c 'still running' "$2.replay")" = 2 ] ||
		fail "$2: replay does not show two running calls: $(cat "$2.replay")"
}

ends known exit
# There is no recorder to see the end: the calls last until the last observation.
ends unknown _exit
ends unknown kill
ends unknown exec
LIFE_RECORD=1
ends known exit
ends known _exit
ends known kill
# The program that execve starts sleeps for twice the slack.
ends unknown exec

# elapsed - prints the nanoseconds since $begun: calls that the recording ends cannot last longer.
elapsed()
{
	echo $(($(date +%s%N) - begun))
}

# recorded_a_while TRACE COMMAND - records a program for 3 s. The program continues until the file `seen` exists;
# then COMMAND ends it. Sets $most to the time until the recorder reported its stop.
recorded_a_while()
{
	rm -rf "$1" seen
	begun=$(date +%s%N)
	timeout -s KILL 300 "$spoor" record -o "$1" --duration 3s \
		sh -c "./open_calls stay 100 & while [ ! -e seen ]; do sleep 0.05; done; $2" > "$1.out" 2> "$1.record" &
	recorder=$!
	awaited "the end of recording" grep -q 'recording stopped' "$1.record"
	most=$(elapsed)
}

# Calls last until the recording ends, and not until the process or its last event.
recorded_a_while stay 'kill $!'
sleep 1
: > seen
wait $recorder || fail "stay: the recorder ended with status $?: $(cat stay.record)"
lasts stay waits 700000000 "$most"
lasts stay leaves 700000000 "$most"

# The calls are in the trace while the program continues, even if their thread has ended since.
recorded_a_while later 'kill -USR1 $!; sleep 1; kill $!'
lasts later waits 700000000 "$most"
lasts later leaves 700000000 "$most"
: > seen
wait $recorder || fail "later: the recorder ended with status $?: $(cat later.record)"
lasts later waits 700000000 "$most"

# Calls last until spoor ctl stopped the tracing, even in the thread that carried out the request.
for LIFE_RECORD in "" 1; do
	rm -f stopped.out
	begun=$(date +%s%N)
	traced stopped ./open_calls stay 100 > stopped.out 2> /dev/null &
	recorder=$!
	awaited "the program" test -s stopped.out
	victim=$(awk '{ print $4 }' stopped.out)
	sleep 1
	"$spoor" ctl "$victim" stop > stopped.said 2>&1 || fail "spoor ctl stop failed: $(cat stopped.said)"
	most=$(elapsed)
	sleep 1
	kill "$victim"
	wait $recorder || :
	lasts stopped waits 1000000000 "$most"
	lasts stopped leaves 1000000000 "$most"
	"$spoor" info stopped > stopped.info
	grep -q "^  mode changes  *1, the last to 'off'" stopped.info ||
		fail "spoor info does not report the mode change: $(cat stopped.info)"
done

# In a process that was already running, calls last since the recording began.
rm -rf attached
./open_calls stay 100 > attached.out &
victim=$!
awaited "the program" test -s attached.out
sleep 1
begun=$(date +%s%N)
"$spoor" record -q -o attached --duration 1500ms --pid $victim > attached.said 2>&1 ||
	fail "spoor record --pid failed: $(cat attached.said)"
most=$(elapsed)
kill $victim
wait $victim 2> /dev/null || :
lasts attached waits 700000000 "$most"

# In a time name space, whose clock is hours before or after the recorder's clock.
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
		# A killed grandchild: its calls last until the last observation.
		[ $way = exit ] || waits=0 leaves=0
		lasts apart waits "$waits" $((waits + slack))
		lasts apart leaves "$leaves" $((leaves + slack))
		lasts apart vanishes 19000000 $slack
	done
done
