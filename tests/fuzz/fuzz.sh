#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh - runs every fuzz target over its corpus and a few thousand mutations; with
# SPOOR_LONG, over millions.
set -eu
mutations=2000
[ -z "${SPOOR_LONG-}" ] || mutations=500000
found=0
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT

# run TARGET ARGUMENT... - discards the messages about hostile input.
run()
{
	"$@" 2> "$messages" || {
		status=$?
		echo "fuzz: $1: exit status $status"
		tail -n 20 "$messages"
		exit 1
	}
}

for corpus in "$top_srcdir"/tests/fuzz/corpus/*; do
	target=$top_builddir/tests/fuzz/fuzz_${corpus##*/}
	echo "== ${target##*/}"
	case $target in
	*count_file | *drain | *order_file | *process | *recorder | *sched_file | *sdt_notes) run "$target" -n $((mutations / 20)) "$corpus"/* ;;
	*) run "$target" -n "$mutations" "$corpus"/* ;;
	esac
	found=1
done
[ $found = 1 ]
