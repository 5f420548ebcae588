#!/bin/sh
# SPDX-License-Identifier: MIT
# jobs.sh - report, flame, replay, graph and each format of export print the same bytes, on stderr too, with the same
# exit status, on any number of processors. They read a trace with threads, exceptions, user events and tracepoints,
# the golden trace, and traces that are cut or changed anywhere. The short form takes two and eight processors in turn.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

traced_cxx -I"$top_srcdir/libspoor/include" -o everything "$victims/calls/everything.cc" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced whole ./everything ${SPOOR_LONG:+20}200

# outcome JOBS TRACE COMMAND... - prints a checksum of all output. Commands write directories to `out`.
outcome()
{
	jobs=$1 trace=$2
	shift 2
	rm -rf out out.all
	status=0
	SPOOR_JOBS=$jobs "$spoor" "$@" "$trace" > out.text 2> out.err || status=$?
	{
		echo "$status"
		cat out.text out.err
		[ ! -d out ] || for file in $(find out -type f | sort); do echo "$file"; cat "$file"; done
	} > out.all
	cksum < out.all
}

# same TRACE COMMAND... - compares the output with one, two and eight jobs.
next=2
same()
{
	one=$(outcome 1 "$@")
	mv out.all one.all
	next=$((10 - next))
	for jobs in ${SPOOR_LONG:+$((10 - next))} $next; do
		[ "$(outcome $jobs "$@")" = "$one" ] || { diff -a one.all out.all | head -5; fail "$*: the output" \
			"with $jobs jobs differs (see above)"; }
	done
}

same whole report
[ "$(wc -l < one.all)" -gt 10 ] || fail "the report is empty: $(cat one.all)"
same whole report --group thread --format=csv
same whole flame --format=folded --threads
same whole graph
same whole tree --callers
same whole replay
[ "$(wc -l < one.all)" -gt 1000 ] || fail "the tree is empty: $(cat one.all)"
same whole replay --timestamps --time 1us..2ms --min-duration 200ns
same whole replay --merge
same whole replay --slowest 3
for format in perfetto chrome speedscope firefox csv json rowbinary folded callgrind pprof; do
	same whole export --format=$format
done
same whole export --format=ctf -o out

# Only calls: the reader dates whole slices ahead, and formats lines in many batches.
printf '%s\n' 'int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }' 'int main(void) { return fib(22) != 17711; }' > fib.c
traced_cc -O0 -o fib fib.c
traced plain ./fib
same plain report
same plain flame --format=folded
same plain replay --timestamps
[ "$(wc -l < one.all)" -gt 57000 ] || fail "the tree does not have the calls of fib(22): $(wc -l < one.all) lines"
same plain export --format=csv --flat
same plain export --format=chrome
same plain replay --timestamps --time 10us..100us

# Threads of about the same length, each with its own and shared functions, are walked at the same time.
cat > even.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile long sink;
NOINLINE void leaf(void) { sink++; }
#define PATH(name, other) NOINLINE void name(int n) { leaf(); if (n) other(n - 1); }
void a(int), b(int), c(int), d(int);
PATH(a, c) PATH(b, a) PATH(c, b) PATH(d, d)
static void (*const paths[])(int) = { a, b, c, d };
static void *run(void *number)
{
	long n = (long)number;
	for (int i = 0; i < 300; i++)
		paths[n % 4]((int)(n + i) % 9);
	return NULL;
}
int main(void)
{
	pthread_t threads[7];
	for (long i = 0; i < 7; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			abort();
	for (int i = 0; i < 7; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
traced_cc -O1 -o even even.c -pthread
traced even.trace ./even
of_threads()
{
	same "$1" report
	same "$1" report --format=csv --time 1us.. --function 'a,b'
	same "$1" report --library even --min-duration 100ns
	same "$1" flame --format=folded
	same "$1" flame --format=folded --threads
	same "$1" graph
	same "$1" export --format=callgrind
}
of_threads even.trace
# Thread n calls a leaf 1 + (n + i) % 9 times in each iteration i.
wanted=$(awk 'BEGIN { for (n = 0; n < 7; n++) for (i = 0; i < 300; i++) calls += 1 + (n + i) % 9; print calls }')
equal "calls of leaf" "$("$spoor" report --format=csv even.trace | awk -F, '$1 == "leaf" { print $3 }')" "$wanted"
# Injected calls get their names from a symbols file, which the first job reads.
traced_cc -fspoor-mode=call -fspoor-runtime -O1 -o even.calls even.c -pthread
LD_LIBRARY_PATH=${libspoor%/*} SPOOR_RUNTIME_TRACE_PATH=calls.trace ./even.calls
of_threads calls.trace
equal "injected calls of leaf" "$("$spoor" report --format=csv calls.trace | awk -F, '$1 == "leaf" { print $3 }')" "$wanted"
events=$(cd even.trace && ls */events.spoor)
for at in 300 2000 9000; do
	rm -rf changed
	cp -r even.trace changed
	printf '\125' | dd of="changed/$events" bs=1 seek=$at conv=notrunc 2> dd.err
	of_threads changed
done

# One thread has most of the events and is walked in pieces between the others; some pieces start with more open calls
# than are copied.
cat > uneven.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile long sink;
NOINLINE void leaf(void) { sink++; }
NOINLINE void down(int n) { leaf(); if (n) down(n - 1); leaf(); }
NOINLINE void late(int n) { if (n) late(n - 1); leaf(); }
static void *brief(void *unused) { down(5); return unused; }
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 60; i++) {
		down(i % 3 ? 100 : 9000);
		if (i > 40)
			late(i);
		if (i % 20 == 0 && (pthread_create(&thread, NULL, brief, NULL) || pthread_join(thread, NULL)))
			abort();
	}
	return 0;
}
END
traced_cc -O0 -o uneven uneven.c -pthread
traced uneven.trace ./uneven
for command in "report --format=csv" "flame --format=folded" "flame --format=folded --threads" graph "export --format=pprof"; do
	# shellcheck disable=SC2086
	same uneven.trace $command
done
wanted=$(awk 'BEGIN { for (i = 0; i < 60; i++) calls += i % 3 ? 101 : 9001; print calls + 3 * 6 }')
equal "calls of down" "$(SPOOR_JOBS=4 "$spoor" report --format=csv uneven.trace | awk -F, '$1 == "down" { print $3 }')" "$wanted"

# The golden trace has losses, gaps, roots, tail calls, other stacks, and several processes.
for jobs in 2 8; do
	SPOOR_JOBS=$jobs sh "$top_srcdir/tests/golden/golden.sh" > golden.log 2>&1 || { cat golden.log; fail "golden.sh with $jobs"; }
done

# Cut in the first block, in the middle, in the last byte; a byte changed here and there.
events=$(ls whole/*/events.spoor | head -1)
size=$(wc -c < "$events")
steps=3
[ -z "${SPOOR_LONG-}" ] || steps=100
for step in $(seq $steps); do
	at=$((size * step / (steps + 1) + step))
	rm -rf cut changed
	cp -r whole cut
	cp -r whole changed
	truncate -s $at "cut/${events#whole/}"
	printf '\125' | dd of="changed/${events#whole/}" bs=1 seek=$at conv=notrunc 2> dd.err
	for trace in cut changed; do
		same $trace replay
		same $trace report
		same $trace export --format=csv --flat
	done
	SPOOR_JOBS=2 "$spoor" report cut > out.text 2> out.err && fail "a trace cut at byte $at of $size is read as" \
		"complete"
	[ -s out.err ] || fail "a trace cut at byte $at of $size gives no message"
done

# Invalid numbers of processors.
for wrong in 0 -1 two 2x ''; do
	status=0
	SPOOR_JOBS=$wrong "$spoor" report whole > out.text 2> out.err || status=$?
	[ $status = 2 ] && grep -q "SPOOR_JOBS: '$wrong' is not a number of processors" out.err ||
		fail "SPOOR_JOBS='$wrong' is not rejected: status $status: $(cat out.err)"
done
