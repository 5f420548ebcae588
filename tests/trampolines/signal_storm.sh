#!/bin/sh
# SPDX-License-Identifier: MIT
# signal_storm.sh - signals by the thousand, with traced handlers over traced code
# on two threads: every call is in the trace, nothing is lost, all of it nests.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

seconds=3
if [ -n "${SPOOR_LONG-}" ]; then
	# Two processors that do nothing else leave a writer behind, by more than a gigabyte in a minute,
	# and half of one is the most that a pool can have. An emulator is not so quick.
	seconds=$((${emulated:-0} ? 60 : 25))
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=67108864
	export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY
fi

traced_cc -o signal_storm "$top_srcdir/tests/trampolines/signal_storm.c" -pthread
traced storm ./signal_storm "$seconds" > storm.out 2> storm.err || fail "status $?: $(cat storm.err)"
silent storm.err
facts storm
equal "lost" "$(lost storm)" 0
while read -r function calls; do
	calls_are storm "$function" "$calls"
done < storm.out
# A storm it was: on a loaded machine too.
awk '$1 == "on_user" && $2 > 1000 { user = 1 } $1 ~ /on_(profile|alarm)/ && $2 > 10 { timer++ }
	END { exit !(user && timer == 2) }' storm.out || fail "too few signals came: $(cat storm.out)"
[ "$(reported storm leaf)" = "$(sed -n 's/^leaf //p' storm.out)" ] || fail "spoor report counts otherwise"
rm -rf storm
