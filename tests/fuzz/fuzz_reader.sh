#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_reader.sh - runs every fuzz target of the reader over parts of the golden trace and a few
# thousand mutations of each, always the same ones; check-long runs a hundred times as many.
set -eu
fuzz=$top_builddir/tests/fuzz
golden=$top_builddir/tests/golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
times=${SPOOR_LONG:+100}
times=${times:-1}

"$golden/make_golden" "$work/trace" "$golden/libsample.so"
mkdir "$work/seeds"
"$fuzz/make_seeds" "$work/trace" "$work/seeds"

# run TARGET CHANGES FILE... - discards the messages of the reader.
run() {
	target=$1 changes=$(($2 * times))
	shift 2
	"$fuzz/fuzz_$target" -n "$changes" "$@" 2> "$work/messages" || {
		status=$?
		echo "fuzz_reader: $target: exit status $status"
		tail -n 20 "$work/messages"
		exit 1
	}
}

run unpack 2000 "$work"/seeds/unpack.*
run process 1000 "$work"/seeds/process.*
run pool_file 3000 "$work"/seeds/pool.*
run block_file 3000 "$work"/trace/*/process.spoor "$work"/trace/*/events.spoor
run symbol_file 2000 "$golden"/lib*.so
run elf_facts 2000 "$golden"/lib*.so
