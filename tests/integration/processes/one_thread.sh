#!/bin/sh
# SPDX-License-Identifier: MIT
# one_thread.sh - system calls that demand a process with one thread give a forked child the same results traced and
# untraced, also if the child has logged before, and all calls are in the trace; spoor ctl controls such a child. The
# same with a recorder.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program one_thread
./one_thread > untraced || fail "the untraced program ended with status $?"
traced trace ./one_thread > out 2> err || fail "the traced program ended with status $?: $(cat err)"
silent err
diff untraced out || fail "the untraced program (<) and the traced one (>) differ (see above)"
facts trace
calls_are trace work $((1 + 14 + 20000 + 20))
equal "lost" "$(lost trace)" 0

# No thread of spoor is in the child, and spoor ctl makes a thread of the child call.
if [ -z "$emulated" ] && [ -z "${LIFE_RECORD-}" ]; then
	: > stays
	rm -f stays.out
	traced waits ./one_thread stays > stays.out 2> err &
	job=$!
	awaited "the child" test -s stays.out
	child=$(cat stays.out)
	equal "threads" "$(ls "/proc/$child/task" | wc -l)" 1
	for request in flush 'mode count' 'mode log' 'disable work' 'enable work'; do
		# shellcheck disable=SC2086
		"$top_builddir/tools/spoor" ctl "$child" $request > ctl.out 2>&1 ||
			fail "spoor ctl $request ended with status $?: $(cat ctl.out)"
		[ "$request" != flush ] || equal "threads after a flush" "$(ls "/proc/$child/task" | wc -l)" 1
	done
	rm stays
	wait $job || fail "the program with a controlled child ended with status $?: $(cat err)"
	silent err
	facts waits
fi

[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
