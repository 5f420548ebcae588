#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb_signatures_long.sh - the arguments and results in a trace are those that gdb shows in the same run, by the debug
# information, for 2,000 functions with random signatures, in C and C++, at each optimisation level. Clang 14 and 19,
# and optimisation by the linker, get a part of them. gdb_signatures.py and gdb_followed.py list where gdb is wrong.
#
# SEEDS: of the random signatures; there are 500 functions for each.
set -eu
: "${SEEDS:=11 12 13 14}"
. "$top_srcdir/tests/integration/support/life.sh"
here=$top_srcdir/tests/integration/arguments
[ "$SPOOR_ARCH" = x86_64 ] || skip "it compares with gdb on x86-64"
command -v gdb > /dev/null || skip "no gdb: apt-get install gdb"

functions=250 checked=0

# compared PROGRAM - runs it in gdb with the runtime. spoor reads the trace without the debug information: then structures
# have the parts that the program prints. With it, spoor shows the contents of objects in memory.
compared()
{
	rm -rf made.trace gdb.printed
	objcopy --only-keep-debug "$1" made.debug
	objcopy --strip-debug --add-gnu-debuglink=made.debug "$1"
	debugged_environment="SPOOR_RUNTIME_TRACE_PATH=$work/made.trace SPOOR_RUNTIME_FUNCTIONS=*made_* SPOOR_RUNTIME_ARGS=*
		SPOOR_RUNTIME_RETVAL=* LD_PRELOAD=$libspoor"
	debugged "$here/gdb_signatures.py" printed "./$1" "$seed" || fail "$1: gdb ended with status $?: $(tail gdb.out)"
	[ -s gdb.printed ] || fail "$1: gdb saw no call: $(tail gdb.out)"
	silent printed.err
	equal "$1: calls that gdb saw" "$(wc -l < gdb.printed)" $((3 * functions))
	python3 "$here/made_signatures.py" fill gdb.printed printed > filled || fail "$1: gdb shows other values"
	"$top_builddir/tools/spoor" replay --no-pager made.trace > typed
	rm made.debug
	"$top_builddir/tools/spoor" replay --no-pager made.trace > replayed
	python3 "$here/made_signatures.py" compare filled replayed typed || fail "$1: the values differ"
	checked=$((checked + functions))
}

for seed in $SEEDS; do
	python3 "$here/made_signatures.py" make "$seed" "$functions" "$SPOOR_ARCH" > made.c
	python3 "$here/made_signatures.py" make "$seed" "$functions" "$SPOOR_ARCH" c++ > made.cc
	for level in -O0 -O2 -O3; do
		"$SPOOR_DRIVERS/spoor-cc" -g $level -w -o made made.c -lm
		compared made
		"$SPOOR_DRIVERS/spoor-c++" -g $level -w -o made made.cc
		compared made
	done
	[ "$seed" = 11 ] || continue
	for version in 14 19; do
		command -v "clang-$version" > /dev/null || continue
		levels='-O0 -O2'
		# At -O2 gdb places its breakpoints at lines of inlined functions, and misses half of the calls.
		[ $version != 19 ] || levels=-O0
		for level in $levels; do
			SPOOR_CC=clang-$version "$SPOOR_DRIVERS/spoor-cc" -g $level -w -o "made.$version" made.c -lm 2> said || {
				grep -q 'cannot find the plugin' said && continue
				fail "clang-$version: $(cat said)"
			}
			compared "made.$version"
		done
	done
	for lto in -flto -flto=thin; do
		"$SPOOR_DRIVERS/spoor-cc" -g -O2 $lto -fuse-ld=lld -w -Wl,--export-dynamic -o made.lto made.c -lm 2> said ||
			{ echo "gdb_signatures: no link by lld, so $lto is not tested: $(head -n 1 said)" >&2; continue; }
		compared made.lto
	done
done
echo "$checked functions were compared with gdb"
