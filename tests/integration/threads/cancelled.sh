#!/bin/sh
# SPDX-License-Identifier: MIT
# cancelled.sh - a thread may be cancelled anywhere: it never ends inside the runtime with a lock held.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

times=200
[ -z "${SPOOR_LONG-}" ] || times=5000
library loaded
program cancelled -I"$top_srcdir/libspoor/include"
timeout 300 ./cancelled $times > untraced.out
traced trace timeout 300 ./cancelled $times > out 2> err || fail "the program ended with status $?: $(cat err)"
cmp -s untraced.out out || fail "the output differs from an untraced run: $(cat out)"
silent err
# Threads that are cancelled at any instruction leave their calls open.
facts -n trace
[ "$(entries trace leaf)" -gt $times ] || fail "leaf was called only $(entries trace leaf) times"
[ "$(lost trace)" -le $((2 * times)) ] || fail "$(lost trace) events were lost"
