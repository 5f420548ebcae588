#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh - every fuzz target over its corpus and some thousand mutations of it;
# with SPOOR_LONG, millions.
set -eu
mutations=2000
[ -z "${SPOOR_LONG-}" ] || mutations=500000
found=0
for corpus in "$top_srcdir"/tests/fuzz/corpus/*; do
	target=$top_builddir/tests/fuzz/fuzz_${corpus##*/}
	echo "== ${target##*/}"
	case $target in
	*drain) "$target" -n $((mutations / 20)) "$corpus"/* ;;
	*) "$target" -n "$mutations" "$corpus"/* ;;
	esac
	found=1
done
[ $found = 1 ]
