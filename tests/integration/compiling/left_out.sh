#!/bin/sh
# SPDX-License-Identifier: MIT
# left_out.sh - functions that cannot or must not have sleds get no sleds, at any level, and similar functions that
# can have sleds get them. The long form tests every LLVM.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder left_out
llvms=$LLVM_MAJOR
if [ -n "${SPOOR_LONG-}" ]; then
	llvms=$(all_llvms)
	[ -n "$llvms" ] || fail "no LLVM with a plugin is installed"
fi

# check FILE KEPT LEFT - checks that "left" functions have no sleds and "kept" ones have, and that there are at least
# KEPT and LEFT of them.
check()
{
	names "$1" > "$1.names"
	! grep -E 'left|\.resolver$' "$1.names" || fail "$1: functions that must not have sleds have some (see above)"
	"$llvm_bin/llvm-nm" --defined-only "$1" | sed -n 's/^[0-9a-f]* [TtW] \(.*\)$/\1/p' |
		grep -E 'kept|left|resolver' | sort -u > "$1.all"
	grep kept "$1.all" | grep -v '\.resolver$' | comm -23 - "$1.names" > "$1.missing"
	[ ! -s "$1.missing" ] || fail "$1: these functions have no sleds: $(cat "$1.missing")"
	[ "$(grep -c kept "$1.names")" -ge "$2" ] || fail "$1: fewer than $2 functions have sleds: $(cat "$1.all")"
	[ "$(comm -23 "$1.all" "$1.names" | wc -l)" -ge "$3" ] ||
		fail "$1: fewer than $3 functions have no sleds: $(cat "$1.all")"
	table_is_exact "$1"
}

for llvm in $llvms; do
	use_llvm "$llvm" || fail "there is no plugin for LLVM $llvm"
	for level in 0 1 2 3 s; do
		for debug in -g0 -g; do
			file=c-$llvm-O$level$debug
			"$clang" -O$level $debug -fPIC -D__SPOOR__=1 -I "$top_srcdir/libspoor/include" \
				-fpass-plugin="$plugin" -c "$source/left_out.c" -o "$file.o"
			"$clang" -shared -fuse-ld="$llvm_bin/ld.lld" "$file.o" -o "$file"
			check "$file" 14 15
		done
	done

	# Functions that need other returns than a sled has keep them. LLVM 14 supports only one of the ways.
	hardened='-mlvi-cfi -mfunction-return=thunk-extern -mharden-sls=return'
	[ "$llvm" -ge 15 ] || hardened=-mlvi-cfi
	[ "$(uname -m)" = x86_64 ] || hardened=
	echo 'long g; long left(long x); long left(long x) { g += x; return g * 3; }' > hardened.c
	for flags in $hardened; do
		"$clang" -O2 -Werror $flags -c hardened.c -o hardened-plain.o
		"$clang" -O2 $flags -fpass-plugin="$plugin" -c hardened.c -o hardened.o
		for file in hardened hardened-plain; do
			"$llvm_bin/llvm-objdump" -dr --no-show-raw-insn --no-leading-addr $file.o | sed -n '/<left>:/,$p' > $file.text
		done
		cmp hardened-plain.text hardened.text ||
			fail "$flags: the hardened code differs from clang's: $(cat hardened.text)"
	done

	# LLVM 14 still has typed pointers.
	pointers='s/i64\*/ptr/; s/i8\*/ptr/'
	[ "$llvm" -ge 15 ] || pointers=
	sed "$pointers" "$source/left_out.ll" > ir.ll
	for level in 0 2; do
		file=ir-$llvm-O$level
		"$opt" -load-pass-plugin="$plugin" -passes=inject-spoor-instrumentation ir.ll -o "$file.bc"
		"$llvm_bin/llc" -O$level -relocation-model=pic -filetype=obj "$file.bc" -o "$file.o"
		"$clang" -shared -fuse-ld="$llvm_bin/ld.lld" "$file.o" -o "$file"
		check "$file" 4 8
	done
done
