#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb_programs_long.sh - runs gdb_programs.sh with Lua and SQLite, at each optimisation level, and with each compiler that
# has a plugin.
set -eu
script=$top_srcdir/tests/integration/arguments/gdb_programs.sh
DEBUGGED_PROGRAMS='lua sqlite' LEVELS='-O0 -O2 -O3' "$script"
for version in 14 19; do
	test -e "$top_builddir/pass/llvm-$version/libspoor_instrumentation.la" || continue
	SPOOR_CC=clang-$version DEBUGGED_PROGRAMS='lua sqlite' LEVELS=-O2 "$script"
done
