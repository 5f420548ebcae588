#!/bin/sh
# SPDX-License-Identifier: MIT
# cancelled.sh - a thread may be cancelled wherever it is: never does it end
# within the runtime and leave others waiting for a lock.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

times=200
[ -z "${SPOOR_LONG-}" ] || times=5000
library loaded
program cancelled -I"$top_srcdir/libspoor/include"
timeout 300 ./cancelled $times > untraced.out
traced trace timeout 300 ./cancelled $times > out 2> err || fail "status $?: $(cat err)"
cmp -s untraced.out out || fail "$(cat out)"
silent err
# The threads that are cancelled at any instruction leave what they were in open.
facts -n trace
[ "$(entries trace leaf)" -gt $times ] || fail "leaf was called only $(entries trace leaf) times"
[ "$(lost trace)" -le $((2 * times)) ] || fail "$(lost trace) events were lost"
