#!/bin/sh
# SPDX-License-Identifier: MIT
# real_programs_long.sh - real_programs.sh at every optimisation level, and with
# a workload for SQLite of more than 200 million events. Takes some 30 minutes.
set -eu
LEVELS="-O0 -O1 -O2 -O3 -Os" "$top_srcdir/tests/integration/real_programs.sh"
LEVELS=-O2 SQLITE_ROWS=6000 "$top_srcdir/tests/integration/real_programs.sh"
