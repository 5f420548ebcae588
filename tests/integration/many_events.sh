#!/bin/sh
# SPDX-License-Identifier: MIT
# many_events.sh - of ten million events of one thread, by default, each is in the trace;
# with a pool that holds a fortieth of them each is there or counted, and far more are there
# than the pool holds.
set -eu
. "$top_srcdir/tests/integration/life.sh"

calls=5000000
pool=262144
program hello

traced all timeout 120 ./hello $calls > out 2> err || fail "status $?: $(cat err)"
silent err
facts all
calls_are all leaf $calls
equal "lost" "$(lost all)" 0
equal "the report" "$(reported all leaf)" $calls
equal "files of events" "$(find all -name 'events*' | wc -l)" 1

SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=$pool traced small timeout 120 ./hello $calls > out 2> err || fail "status $?: $(cat err)"
silent err
facts -n small
stored=$(($(entries small leaf) + $(exits small leaf)))
equal "small: events and losses" $((stored + $(entries small main) + $(exits small main) + $(lost small))) $((2 * calls + 2))
equal "small: losses of other causes" "$(lost small)" "$(lost small pool)"
[ "$stored" -gt $((4 * pool)) ] || fail "small: $stored events are stored"

# The same, drained from outside.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$top_srcdir/tests/integration/$life_name.sh"
