#!/bin/sh
# SPDX-License-Identifier: MIT
# ctl_values.sh - spoor ctl and the functions of spoor.h choose whose arguments and results are recorded while the program
# runs: each call has the values of the latest choice, and no event is lost.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

cat > loop.c << 'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n * 2; }
__attribute__((noinline)) int other(int n) { __asm__ volatile("" : "+r"(n)); return n; }
/* Adds a byte to the file "turns" after each turn. */
int main(void)
{
	FILE *turns = fopen("turns", "w");

	setbuf(turns, NULL);
	puts("begun");
	fflush(stdout);
	for (int i = 0;; i++) {
		work(i & 7);
		other(i & 7);
		putc('.', turns);
		usleep(1000);
	}
}
END
traced_cc -o loop loop.c

# turns_pass - waits until the program has made all calls several times since this function began.
turns_pass()
{
	turns_before=$(wc -c < turns)
	awaited "the program's turns" sh -c "[ \$(wc -c < turns) -ge $((turns_before + 10)) ]"
}

# ctl TEXT ARGUMENT... - runs spoor ctl, which must print TEXT.
ctl()
{
	wanted=$1
	shift
	timeout 120 "$spoor" ctl "$@" > ctl.out 2> ctl.err || fail "spoor ctl $* failed with status $?: $(cat ctl.err)"
	equal "output of spoor ctl $*" "$(cat ctl.out)" "$wanted"
	turns_pass
}

# steered TRACE WAITED - sends the requests to the process $pid, ends it, and compares its calls. WAITED: its parent, or itself
steered()
{
	awaited "the program's begin" grep -q begun out
	turns_pass
	ctl '1 function with values' "$pid" args 'work'
	ctl '2 functions with values' "$pid" retval 'other'
	ctl '2 functions with values' "$pid" args '*,-main'
	ctl '1 function with values' "$pid" args ''
	ctl '0 functions with values' "$pid" retval ''
	ctl '0 functions with values' "$pid" retval 'nosuch'
	"$spoor" ctl "$pid" args 'work(n:q)' > ctl.out 2> ctl.err && fail "a wrong format is taken"
	grep -q 'is not a list of choices' ctl.err || fail "not said: $(cat ctl.err)"
	kill "$pid"
	wait "$2" || :
	"$spoor" replay --no-pager "$1" > replayed
	sed -n 's/^.*[0-9] [mnu]s *\(\(work\|other\)(.*\) loop;.*/\1/p' replayed | sed 's/[0-9][0-9]*/N/g' | uniq > shapes
	# Each shape of calls in its order.
	awk '{ key = $0; if (!(key in seen)) { seen[key] = 1; print } }' shapes > order
	printf '%s\n' 'work()' 'other()' 'work(n=N)' 'other() = N' 'other(n=N) = N' > expected
	cmp -s expected order || fail "$1: $(diff expected order)"
	grep -q 'work(n=7)' replayed || fail "$1: no value: $(tail -n 3 replayed)"
	equal "calls at the end of $1" "$(tail -n 2 shapes | sort | tr '\n' ' ')" 'other() work() '
	! grep -q 'lost' replayed || fail "$1: events are lost: $(grep lost replayed)"
}

rm -f out
LD_PRELOAD=$libspoor SPOOR_RUNTIME_TRACE_PATH=$PWD/alone ./loop > out &
pid=$!
trap 'kill "$pid" 2> /dev/null || :' EXIT
steered alone "$pid"

# Under spoor record, which calls the functions in a thread of the process.
rm -f out
"$spoor" record -q -o recorded ./loop > out 2> err &
recorder=$!
awaited "the program's begin" grep -q begun out
pid=
for child in $(cat "/proc/$recorder/task/"*/children); do
	[ "$(cat "/proc/$child/comm")" != loop ] || pid=$child
done
steered recorded "$recorder"

# The same by the functions of spoor.h.
cat > api.c << 'END'
#include <spoor.h>
#include <stdio.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n * 2; }
int main(void)
{
	work(1);
	printf("%ld\n", spoor_arguments_choose("work"));
	work(2);
	printf("%ld\n", spoor_results_choose("work"));
	work(3);
	printf("%ld %ld\n", spoor_arguments_choose(NULL), spoor_arguments_choose("work(n:q)"));
	work(4);
	printf("%ld\n", spoor_results_choose(""));
	work(5);
	return 0;
}
END
traced_cc -I"$top_srcdir/libspoor/include" -o api api.c "$top_builddir/libspoor/.libs/libspoor.so"
traced api.trace ./api > out
printf '1\n1\n1 -22\n0\n' | cmp -s - out || fail "results: $(cat out)"
"$spoor" replay --no-pager api.trace | sed -n 's/^.*[0-9] [mnu]s *\(work(.*\) api;$/\1/p' > shown
printf 'work()\nwork(n=2)\nwork(n=3) = 6\nwork() = 8\nwork()\n' | cmp -s - shown || fail "calls: $(cat shown)"
