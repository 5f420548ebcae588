#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_long.sh - attach.sh, a hundred times in turn.
set -eu
ATTACH_ROUNDS=100
export ATTACH_ROUNDS
exec "$top_srcdir/tests/integration/attach/attach.sh"
