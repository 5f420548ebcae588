#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - the demo, built with the drivers by an ordinary makefile, prints the same untraced, dormant and traced.
# The trace has the entries and exits of each function of its four modules that the compiler's own hooks count, and
# the events of all five threads nest.
set -eu
work=$top_builddir/tests/work/demo
demo=$top_srcdir/tests/programs/demo
. "$top_srcdir/tests/integration/support/call_counts.sh"

# build NAME CC CXX CFLAGS - builds the demo in the folder NAME.
build()
{
	mkdir -p "$work/$1"
	make -s --no-print-directory -C "$demo" srcdir=. O="$work/$1" CC="$2" CXX="$3" CFLAGS="$4"
}

rm -rf "$work"
mkdir -p "$work"
build_counters "$work"
build hooked "$LLVM_BINDIR/clang" "$LLVM_BINDIR/clang++" "-O2 -finstrument-functions-after-inlining"
build traced "$SPOOR_DRIVERS/spoor-cc" "$SPOOR_DRIVERS/spoor-c++" "-O2 -g"

input=$top_srcdir/libspoor/format
COUNT_HOOKS_OUTPUT=$work/counts LD_PRELOAD=$hooks "$work/hooked/demo" "$input" > "$work/hooked.output"
"$work/traced/demo" "$input" > "$work/dormant.output"
"$spoor" record -o "$work/trace" -- "$work/traced/demo" "$input" > "$work/traced.output"
grep -qx 'all checks passed' "$work/hooked.output"
cmp "$work/hooked.output" "$work/dormant.output"
cmp "$work/hooked.output" "$work/traced.output"

# Each word that is too long for the index throws an exception, which leaves a call.
grep -q "[1-9][0-9]* too long for the index" "$work/traced.output"
trace_agrees demo "$work" 40 some
"$spoor" info "$work/trace" | grep -qx '  threads         5'
