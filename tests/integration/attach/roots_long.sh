#!/bin/sh
# SPDX-License-Identifier: MIT
# roots_long.sh - roots.sh, with two hundred attachments to threads that call without a pause.
set -eu
ROOTS_ROUNDS=200
export ROOTS_ROUNDS
exec "$top_srcdir/tests/integration/attach/roots.sh"
