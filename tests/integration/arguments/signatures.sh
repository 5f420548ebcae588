#!/bin/sh
# SPDX-License-Identifier: MIT
# signatures.sh - the arguments and results in a trace are those that a program with functions of random signatures
# prints itself: in C and C++, at each optimisation level, with optimisation by the linker, with each compiler of LLVM and
# GCC, and stripped of symbols and debug information. The short form takes older GCCs at -O2 alone.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
. "$top_srcdir/tests/integration/support/gcc.sh"
made=$top_srcdir/tests/integration/arguments/made_signatures.py

count=$((${emulated:-0} ? 12 : 30)) seeds=1
[ -z "${SPOOR_LONG-}" ] || count=500 seeds='1 2 3 4'

# compared PROGRAM - runs it, and compares what it prints with its trace.
compared()
{
	rm -rf made.trace
	SPOOR_RUNTIME_FUNCTIONS='*made_*' SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' \
		traced made.trace "./$1" "$seed" > printed 2> said || fail "$1: status $?: $(cat said)"
	silent said
	"$reader" replay --no-pager made.trace > replayed
	python3 "$made" compare printed replayed || fail "$1: the values differ"
}

# compared_objects PROGRAM - the same for a program with debug information, which shows the contents of objects in memory.
# An emulator does not read the memory of a process for spoor, so the contents are unknown there.
compared_objects()
{
	typed=typed
	[ -z "$emulated" ] || typed=
	rm -rf made.trace
	objcopy --only-keep-debug "$1" made.debug
	objcopy --strip-debug --add-gnu-debuglink=made.debug "$1"
	SPOOR_RUNTIME_FUNCTIONS='*made_*' SPOOR_RUNTIME_ARGS='*' SPOOR_RUNTIME_RETVAL='*' \
		traced made.trace "./$1" "$seed" > printed 2> said || fail "$1: status $?: $(cat said)"
	silent said
	"$reader" replay --no-pager made.trace > typed
	rm made.debug
	"$reader" replay --no-pager made.trace > replayed
	python3 "$made" compare printed replayed $typed || fail "$1: the values differ"
}

for seed in $seeds; do
	python3 "$made" make "$seed" "$count" "$SPOOR_ARCH" > made.c
	for level in -O0 -O2 -O3; do
		"$SPOOR_DRIVERS/spoor-cc" $level -w -o "made$level" made.c -lm
		compared "made$level"
	done
	# Function names are all that the choice of functions needs.
	"$SPOOR_DRIVERS/spoor-cc" -O2 -w -Wl,--export-dynamic -o made.stripped made.c -lm
	strip made.stripped
	compared made.stripped
	for version in 14 19; do
		command -v "clang-$version" > /dev/null || continue
		SPOOR_CC=clang-$version "$SPOOR_DRIVERS/spoor-cc" -O2 -w -o "made.$version" made.c -lm 2> said || {
			grep -q 'cannot find the plugin' said && continue
			fail "clang-$version: $(cat said)"
		}
		compared "made.$version"
	done
	# The linker optimises exported functions without changing their arguments.
	for lto in -flto -flto=thin; do
		"$SPOOR_DRIVERS/spoor-cc" -O2 $lto -fuse-ld=lld -w -Wl,--export-dynamic -o made.lto made.c -lm 2> said ||
			{ echo "signatures: no link by lld, so $lto is not tested: $(head -n 1 said)" >&2; continue; }
		compared made.lto
	done
	python3 "$made" make "$seed" "$count" "$SPOOR_ARCH" c++ > made.cc
	for level in -O0 -O2 -O3; do
		"$SPOOR_DRIVERS/spoor-c++" $level -w -o "madecc$level" made.cc
		compared "madecc$level"
	done
	for level in -O0 -O2; do
		"$SPOOR_DRIVERS/spoor-c++" -g $level -w -o madecc.objects made.cc
		compared_objects madecc.objects
	done
	# With ipa-sra, GCC drops results that the only caller does not use.
	newest=yes
	for version in $(all_gccs); do
		use_gcc "$version"
		if [ -z "$newest${SPOOR_LONG-}" ]; then
			"$spoor_gxx" -O2 -w -o madecc.gcc made.cc
			compared madecc.gcc
			continue
		fi
		newest=
		for level in -O0 -O2; do
			"$spoor_gxx" -g $level -w -o madecc.objects made.cc
			compared_objects madecc.objects
		done
		for flags in -O0 -O2 '-O3 -flto -fno-ipa-sra'; do
			# shellcheck disable=SC2086
			"$spoor_gcc" $flags -w -o made.gcc made.c -lm
			compared made.gcc
			# shellcheck disable=SC2086
			"$spoor_gxx" $flags -w -o madecc.gcc made.cc
			compared madecc.gcc
		done
	done
done
