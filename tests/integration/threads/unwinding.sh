#!/bin/sh
# SPDX-License-Identifier: MIT
# unwinding.sh - exceptions, longjmp, pthread_exit, cancellation and exit leave traced functions without their exits:
# the program behaves the same, the trace has every entry, backtraces are as deep as untraced, and the runtime
# preserves errno.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

for level in -O0 -O2 -Os; do
	traced_cxx $level -Wno-infinite-recursion -o unwinding "$victims/calls/unwinding.cc" -pthread
	status=0
	./unwinding > untraced.out || status=$?
	equal "$level: status untraced" "$status" 7
	status=0
	traced trace timeout 300 ./unwinding > out 2> err || status=$?
	equal "$level: status" "$status" 7
	silent err
	cmp -s untraced.out out || fail "$level: the output differs from an untraced run: $(diff untraced.out out)"
	grep -qx 'errno changed 0 times' out || fail "$level: the runtime changed errno: $(grep errno out)"
	# All functions have sleds, so all calls nest.
	facts trace
	equal "$level: entries" \
		"$(entries trace _Z7catchesi) $(entries trace _Z6throwsi) $(entries trace _Z5jumpsi) $(entries trace _Z11keeps_errnoi) $(entries trace _Z4lastv)" \
		"1000 14506 5500 20000 1"
	"$top_builddir/tools/spoor" replay trace > replay
	! grep 'without returning' replay || fail "$level: spoor replay repaired calls (see above)"
	equal "$level: $(grep 'still running' replay)" "$(grep -c 'still running' replay)" 1
	equal "$level: lost" "$(lost trace)" 0
done

# The compiler's builtin setjmp, which some interpreters use, works alike; not every architecture has it.
cat > jumps.c <<'SOURCE'
#include <setjmp.h>
#define NOINLINE __attribute__((noinline))
#ifdef PLAIN
static jmp_buf back;
#define SET setjmp(back)
#define JUMP longjmp(back, 1)
#else
static void *back[5];
#define SET __builtin_setjmp(back)
#define JUMP __builtin_longjmp(back, 1)
#endif
static volatile int i;
NOINLINE void thrower(int depth) { if (depth) thrower(depth - 1); else JUMP; __asm__(""); }
NOINLINE void after(void) { __asm__(""); }
NOINLINE void loop(void) { if (SET) after(); if (i++ < 3) thrower(2); __asm__ volatile("" ::: "memory"); }
int main(void) { loop(); after(); return 0; }
SOURCE
# shape FLAGS... - prints the calls with their depth, and marks unwound calls.
shape()
{
	traced_cc "$@" -o jumps jumps.c
	traced jumps.trace ./jumps
	"$top_builddir/tools/spoor" replay jumps.trace | sed -n 's/^ *[0-9.]* [num]*s / /; s/^  *//; /jumps$/d; /^#/!p'
}
traced_cc -c -o /dev/null jumps.c 2> /dev/null || exit 0
for level in -O0 -O1 -O2 -Os; do
	shape $level -DPLAIN > plain.shape
	shape $level > own.shape
	[ "$(grep -c unwound own.shape)" = 9 ] || fail "$level: not nine calls are unwound: $(cat own.shape)"
	cmp plain.shape own.shape ||
		fail "$level: setjmp (<) and __builtin_setjmp (>) differ: $(diff plain.shape own.shape)"
done
