#!/bin/sh
# SPDX-License-Identifier: MIT
# real_programs_long.sh - runs real_programs.sh at every optimisation level, with every compiler that has a plugin,
# and with a workload for SQLite of more than 200 million events. Takes about 30 minutes.
set -eu
script=$top_srcdir/tests/integration/programs/real_programs.sh
export SQLITE_ROWS=1500
LEVELS="-O0 -O1 -O2 -O3 -Os" "$script"
LEVELS=-O2 SQLITE_ROWS=6000 "$script"
for plugin in "$top_builddir"/pass/llvm-*/libspoor_instrumentation.la; do
	test -e "$plugin" || continue
	major=${plugin%/*}
	major=${major##*-}
	SPOOR_CC=/usr/lib/llvm-$major/bin/clang LEVELS="-O0 -O2 -Os" "$script"
done
