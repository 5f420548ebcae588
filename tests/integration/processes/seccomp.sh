#!/bin/sh
# SPDX-License-Identifier: MIT
# seccomp.sh - under a filter that rejects system calls of the runtime, the program works as untraced. The runtime
# prints one message with the call that failed, and traces as far as possible.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program hello
library loaded
traced_cc -o two "$victims/modules/two.c" -L. -lloaded -Wl,-rpath,"$work"
plain seccomp
./seccomp thread true || skip "no seccomp filter can be installed here"

# run FILTER PROGRAM CALLS - runs the program under the filter.
run()
{
	SPOOR_RUNTIME_TRACE_PATH=$work/$1 timeout 300 ./seccomp "$1" env LD_PRELOAD="$libspoor" "./$2" "$3" \
		> "$1.out" 2> "$1.err" || fail "$1: the program ended with status $?: $(cat "$1.err")"
	equal "$1: output" "$(cat "$1.out")" hello
}

# The text stays unchanged: one message for all modules, and no trace.
for filter in exec exec-back; do
	run "$filter" two 1000
	said_once "$filter.err" "does not allow this process to change its text"
	[ ! -e "$filter" ] || fail "$filter: an empty trace was left: $(ls "$filter")"
done

# The service thread cannot start: events that fit into the pool are kept, and the others are counted.
run thread hello 100000
said_once thread.err "cannot start the service thread"
facts thread
calls_are thread leaf 100000
rm -r thread
(export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144; run thread hello 1000000)
facts -n thread
equal "thread: events and losses" "$(($(entries thread leaf) + $(exits thread leaf) + $(lost thread pool)))" 2000001

run membarrier hello 100000
silent membarrier.err
facts membarrier
calls_are membarrier leaf 100000

run mkdir hello 1000
said_once mkdir.err "Operation not permitted; the program runs untraced"

run madvise hello 1000
said_once madvise.err "Operation not permitted; the program runs untraced"
[ ! -e madvise ] || fail "madvise: an empty trace was left: $(ls madvise)"

run sigmask hello 1000
silent sigmask.err
facts sigmask
calls_are sigmask leaf 1000

# The filter kills on the system call: the service thread sleeps without it.
program clocks
SPOOR_RUNTIME_TRACE_PATH=$work/waits timeout 300 ./seccomp waits env LD_PRELOAD="$libspoor" ./clocks 1 100 \
	> waits.out 2> waits.err || fail "waits: the program ended with status $?: $(cat waits.err)"
silent waits.err
facts waits
calls_are waits marked "$(wc -l < waits.out)"

# The program forbids changes of text while it is traced: the text stays unchanged, with one message.
cat > closed.c <<'SOURCE'
#include <stdio.h>
#include <sys/prctl.h>
#include "spoor.h"
#pragma weak spoor_functions_disable
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
int main(void)
{
	leaf();
	if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) < 0)
		return 77;
	for (int i = 0; i < 3; i++) {
		if (spoor_functions_disable)
			printf("%ld\n", spoor_functions_disable("*", "leaf"));
		leaf();
	}
	return 0;
}
SOURCE
traced_cc -I"$top_srcdir/libspoor/include" -o closed closed.c
status=0
traced closed.trace ./closed > closed.out 2> closed.err || status=$?
[ $status != 77 ] || exit 0
equal "closed: status" $status 0
equal "closed: how many changed" "$(tr '\n' ' ' < closed.out)" "0 0 0 "
said_once closed.err "closed stays traced as it is: cannot make its text writable"
facts closed.trace
calls_are closed.trace leaf 4
