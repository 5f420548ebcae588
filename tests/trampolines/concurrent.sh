#!/bin/sh
# SPDX-License-Identifier: MIT
# concurrent.sh - many threads make all requests of a runtime at the same time; in a build with sanitizers, none of
# them reports an error.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

milliseconds=2000
[ -z "${SPOOR_LONG-}" ] || milliseconds=60000
# The thread sanitizer does not support a fork of a process with several threads.
forks=fork
! nm "$top_builddir/tests/trampolines/concurrent" | grep -q ' [A-Z] __tsan_init' || forks=no-fork
SPOOR_RUNTIME_TRACE_PATH=$work/trace timeout 300 "$top_builddir/tests/trampolines/concurrent" \
	$milliseconds $forks > out 2> err || fail "status $?: $(cat out err)"
[ ! -s err ] || fail "$(cat err)"
facts -n trace
[ "$(count trace thread)" -gt 10 ] || fail "the trace has few threads: $(cat out)"
rm -rf trace
