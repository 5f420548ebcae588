#!/bin/sh
# SPDX-License-Identifier: MIT
# registers.sh - a sled keeps the registers that it must keep on every path of an event, also while a signal handler
# runs through other sleds before each of its instructions.
set -eu

work=$top_builddir/tests/work/registers
rm -rf "$work"
mkdir -p "${work%/*}"
count=300
# Emulators are slow.
[ "$SPOOR_ARCH" = "$(uname -m)" ] || count=60
[ -z "${SPOOR_LONG-}" ] || count=20000
SPOOR_RUNTIME_TRACE_PATH=$work "$top_builddir/tests/trampolines/registers" "$count"
rm -rf "$work"
