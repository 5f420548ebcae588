#!/bin/sh
# SPDX-License-Identifier: MIT
# loop_at_entry.sh - a function that begins with a loop has one entry for each call, and not for each iteration, at
# every optimisation level of every compiler with a plugin.
set -eu
spoor=$top_builddir/tools/spoor
work=$top_builddir/tests/work/loop_at_entry
compilers=$LLVM_BINDIR/clang
for plugin in "$top_builddir"/pass/llvm-*/libspoor_instrumentation.la; do
	major=${plugin%/*}
	test -e "$plugin" && compilers="$compilers /usr/lib/llvm-${major##*-}/bin/clang"
done

rm -rf "$work"
mkdir -p "$work"
cd "$work"
for compiler in $compilers; do
	for level in -O0 -O1 -O2 -O3 -Os -Oz; do
		SPOOR_CC=$compiler "$SPOOR_DRIVERS/spoor-cc" $level -o loops \
			"$top_srcdir/tests/programs/victims/calls/loops.c"
		"$spoor" record -o trace -- ./loops > output 2> errors
		"$spoor" report --format=csv trace | sed 1d | cut -d, -f1,3 | LC_ALL=C sort > calls
		rm -rf trace*
		printf '%s\n' collatz,10 last,10 main,1 spin,10 | diff - calls || {
			echo "loop_at_entry: $compiler $level: the calls are not these" >&2
			exit 1
		}
	done
done
