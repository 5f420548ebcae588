#!/bin/sh
# SPDX-License-Identifier: MIT
# attached_values.sh - spoor record --pid records arguments and results; each attachment has its own choice.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > loop.c << 'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n, const char *text) { __asm__ volatile("" : : "r"(text)); return n * 2; }
int main(void)
{
	puts("begun");
	fflush(stdout);
	for (int i = 0;; i++) {
		work(i & 7, "loop");
		usleep(1000);
	}
}
END
traced_cc -o loop loop.c
./loop > out &
pid=$!
trap 'kill "$pid" 2> /dev/null || :' EXIT
awaited "the program's begin" grep -q begun out

# attached TRACE OPTION... - records the process for a while.
attached()
{
	to=$1
	shift
	"$spoor" record -q -o "$to" --pid "$pid" --duration 0.5 "$@" 2> err || fail "status $?: $(cat err)"
	"$spoor" replay --no-pager "$to" > replayed
}
attached first --args 'work(n:,text:s)' --retval work
silent err
grep -q 'work(n=3, text="loop") = 6 loop;' replayed || fail "no values: $(head replayed)"
attached second --args 'work(:x)'
silent err
grep -q 'work(n=0x3) loop;' replayed || fail "no values of the second choice: $(head replayed)"
! grep -q 'text=\|) = ' replayed || fail "values of the first choice: $(head replayed)"
attached third
silent err
grep -q 'work() loop;' replayed || fail "no calls: $(head replayed)"
! grep -q '=' replayed || fail "values without a choice: $(head replayed)"
attached fourth --args 'nosuch' --allow-empty
grep -q "no traced function matches 'nosuch'" err || fail "not said: $(cat err)"
