#!/bin/sh
# SPDX-License-Identifier: MIT
# fork_handlers.sh - a process forks while its threads hold a lock that a library takes in its fork handlers. With the
# lock held, threads load libraries or make their first calls. No thread deadlocks, and no call is lost, in mode log
# and count.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

library loaded
build_once "$clang" -O2 -Wall -Wextra -fPIC -shared -o libfork_locks.so "$victims/processes/fork_locks.c" -pthread
program fork_beside -L. -lfork_locks -Wl,-rpath,"$work" -ldl

for mode in log count; do
	for way in load begin; do
		run=$mode.$way
		SPOOR_RUNTIME_MODE=$mode traced "$run" timeout -s KILL 120 ./fork_beside $way 200 > "$run.out" 2> "$run.err" ||
			fail "$run: the victim ended with status $?: $(cat "$run.err")"
		silent "$run.err"
		facts -n "$run"
		equal "$run: calls" "$(reported "$run" leaf)" "$(cat "$run.out")"
		equal "$run: lost" "$(lost "$run")" 0
	done
done

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
