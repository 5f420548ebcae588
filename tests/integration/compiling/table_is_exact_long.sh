#!/bin/sh
# SPDX-License-Identifier: MIT
# table_is_exact_long.sh - table_is_exact.sh with every LLVM, level and kind of program.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
TABLE_LLVMS=$(all_llvms)
[ -n "$TABLE_LLVMS" ] || fail "there is no LLVM"
TABLE_LEVELS='0 1 2 3 s'
TABLE_KINDS='pie no-pie shared static'
export TABLE_LLVMS TABLE_LEVELS TABLE_KINDS
exec "$top_srcdir/tests/integration/compiling/table_is_exact.sh"
