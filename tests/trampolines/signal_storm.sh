#!/bin/sh
# SPDX-License-Identifier: MIT
# signal_storm.sh - thousands of signals interrupt traced code and traced handlers on two threads: every call is in
# the trace, no event is lost, and all calls nest.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

seconds=1
if [ -n "${SPOOR_LONG-}" ]; then
	# Two busy processors outrun the writer by more than a gigabyte in a minute, and half of that is the largest
	# pool. An emulator is slower.
	seconds=$((${emulated:-0} ? 60 : 25))
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=67108864
	export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY
fi

traced_cc -o signal_storm "$top_srcdir/tests/trampolines/signal_storm.c" -pthread
for values in '' '*'; do
# An event with values fills three times as much of the pool.
[ -z "$values" ] || seconds=$(((seconds + 2) / 3))
# If the writer gets too little of a processor, events are lost and counted; then a shorter run follows.
for try in 1 2 3 4 5; do
	rm -rf storm
	SPOOR_RUNTIME_ARGS=$values SPOOR_RUNTIME_RETVAL=$values traced storm ./signal_storm "$seconds" > storm.out 2> storm.err ||
		fail "status $?: $(cat storm.err)"
	silent storm.err
	facts -n storm
	[ "$(lost storm)" != 0 ] || break
	seconds=$(((seconds + 1) / 2))
done
facts storm
equal "lost" "$(lost storm)" 0
while read -r function calls; do
	calls_are storm "$function" "$calls"
done < storm.out
done
# Checks that there were many signals.
awk '$1 == "on_user" && $2 > 1000 { user = 1 } $1 ~ /on_(profile|alarm)/ && $2 > 10 { timer++ }
	END { exit !(user && timer == 2) }' storm.out || fail "too few signals came: $(cat storm.out)"
[ "$(reported storm leaf)" = "$(sed -n 's/^leaf //p' storm.out)" ] || fail "spoor report has another number of calls"
rm -rf storm
