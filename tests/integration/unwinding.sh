#!/bin/sh
# SPDX-License-Identifier: MIT
# unwinding.sh - exceptions, longjmp, pthread_exit, cancellation and exit leave
# traced functions without their exits: the program does what it does untraced,
# every entry is there, a backtrace is as deep as ever, and errno is the program's.
set -eu
. "$top_srcdir/tests/integration/life.sh"

for level in -O0 -O2 -Os; do
	traced_cxx $level -Wno-infinite-recursion -o unwinding "$victims/unwinding.cc" -pthread
	status=0
	./unwinding > untraced.out || status=$?
	equal "$level: status untraced" "$status" 7
	status=0
	traced trace timeout 300 ./unwinding > out 2> err || status=$?
	equal "$level: status" "$status" 7
	silent err
	cmp -s untraced.out out || fail "$level: $(diff untraced.out out)"
	grep -qx 'errno changed 0 times' out || fail "$level: $(grep errno out)"
	# All functions have sleds: nothing nests wrongly.
	facts trace
	equal "$level: entries" \
		"$(entries trace _Z7catchesi) $(entries trace _Z6throwsi) $(entries trace _Z5jumpsi) $(entries trace _Z11keeps_errnoi) $(entries trace _Z4lastv)" \
		"1000 14506 5500 20000 1"
	"$top_builddir/tools/spoor" replay trace > replay
	! grep 'without returning' replay || fail "$level: calls had to be repaired"
	equal "$level: $(grep 'still running' replay)" "$(grep -c 'still running' replay)" 1
	equal "$level: lost" "$(lost trace)" 0
done
