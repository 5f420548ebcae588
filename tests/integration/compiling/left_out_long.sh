#!/bin/sh
# SPDX-License-Identifier: MIT
# left_out_long.sh - left_out.sh with every LLVM.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
LEFT_OUT_LLVMS=$(all_llvms)
[ -n "$LEFT_OUT_LLVMS" ] || fail "there is no LLVM"
export LEFT_OUT_LLVMS
exec "$top_srcdir/tests/integration/compiling/left_out.sh"
