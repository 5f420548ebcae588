#!/bin/sh
# SPDX-License-Identifier: MIT
# plain_english.sh - comments, messages, labels and documents have no fault that tests/plain_english finds. Each kind of
# fault is planted in a copy of a file of each kind, and is found there.
#
# ENGLISH_TREE: another tree to check.
set -eu
work=$top_builddir/tests/work/plain_english
rm -rf "$work"
mkdir -p "$work"
python3 "$top_srcdir/tests/plain_english" --plant "$work/planted" "$top_srcdir"
rm -rf "$work"
exec python3 "$top_srcdir/tests/plain_english" "${ENGLISH_TREE:-$top_srcdir}"
