#!/bin/sh
# SPDX-License-Identifier: MIT
# concurrent.sh - all that a runtime may be asked at once, from many threads: with
# sanitizers in the build, none of them has a word to say.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

milliseconds=2000
[ -z "${SPOOR_LONG-}" ] || milliseconds=60000
# The thread sanitizer does not follow a fork of several threads.
forks=fork
! nm "$top_builddir/tests/trampolines/concurrent" | grep -q ' [A-Z] __tsan_init' || forks=no-fork
SPOOR_RUNTIME_TRACE_PATH=$work/trace timeout 300 "$top_builddir/tests/trampolines/concurrent" \
	$milliseconds $forks > out 2> err || fail "status $?: $(cat out err)"
[ ! -s err ] || fail "$(cat err)"
facts -n trace
[ "$(count trace thread)" -gt 10 ] || fail "few threads are in the trace: $(cat out)"
rm -rf trace
