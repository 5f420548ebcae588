#!/bin/sh
# SPDX-License-Identifier: MIT
# table_is_exact.sh - with any way to compile and link, the function table has one entry for each function with sleds,
# without dynamic relocations, and the program behaves as uninstrumented: with the configured LLVM at -O2. The long
# form tests every LLVM, level and kind of program; the short form links programs and libraries in turn with and without
# --gc-sections.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder table_is_exact
llvms=$LLVM_MAJOR levels=2 kinds='pie shared'
if [ -n "${SPOOR_LONG-}" ]; then
	llvms=$(all_llvms) levels='0 1 2 3 s' kinds='pie no-pie shared static'
	[ -n "$llvms" ] || fail "no LLVM with a plugin is installed"
fi
count=0

# compile OUTPUT-FOLDER FLAGS - compiles the four units.
compile()
{
	for unit in shapes user main; do
		"$clangxx" $2 -fPIC -ffunction-sections -c "$source/$unit.cc" -o "$1/$unit.o"
	done
	"$clang" $2 $plain_flags -fPIC -ffunction-sections -c "$source/plain.c" -o "$1/plain.o"
}

# link_and_check OUTPUT KIND FLAGS - links the units and checks the table and the output.
link_and_check()
{
	objects="$folder/shapes.o $folder/user.o $folder/plain.o"
	case $2 in
	pie) objects="-pie $folder/main.o $objects" ;;
	no-pie) objects="-no-pie $folder/main.o $objects" ;;
	static) objects="-static $folder/main.o $objects" ;;
	shared) objects="-shared $objects" ;;
	esac
	"$clangxx" $3 $objects -Wl,-u,spoor_dso_anchor "$stub" -o "$1" 2> "$1.messages" ||
		fail "$1 cannot be linked: $(cat "$1.messages")"
	table_is_exact "$1" 10 "$unnamed"
	if [ "$2" = shared ]; then
		"$clangxx" plain_main.o "$1" -o "$1.main"
		output=$("$1.main")
	else
		output=$("$1")
	fi
	[ "$output" = "$expected" ] || fail "$1 prints $output instead of $expected"
	count=$((count + 1))
}

"$LLVM_BINDIR/clang" -c "$source/plain.c" -o plain.o
"$LLVM_BINDIR/clang++" "$source/shapes.cc" "$source/user.cc" "$source/main.cc" plain.o -o plain
"$LLVM_BINDIR/clang++" -c "$source/main.cc" -o plain_main.o
expected=$(./plain)
turn=0

for llvm in $llvms; do
	use_llvm "$llvm" || fail "there is no plugin for LLVM $llvm"
	for level in $levels; do
		for lto in none thin full; do
			folder=$PWD/$llvm-O$level-$lto
			mkdir "$folder"
			lto_flag=
			[ $lto = none ] || lto_flag=-flto=$lto
			# A weak function that another unit's function replaces stays in the file without its name.
			plain_flags= unnamed=1
			if [ "$llvm $lto" = "14 thin" ]; then
				# LLVM 14 loses static resolvers here, and keeps every copy of a function in a COMDAT
				# with an alias.
				plain_flags=-DNO_IFUNC unnamed=1000
			fi
			compile "$folder" "-O$level $lto_flag -fpass-plugin=$plugin"
			for linker in bfd gold "$llvm_bin/ld.lld"; do
				turn=$((turn + 1))
				for kind in $kinds; do
					turn=$((turn + 1))
					for collect in "" -Wl,--gc-sections; do
						turn=$((turn + 1))
						[ $((turn % 2)) = 0 ] || [ -n "${SPOOR_LONG-}" ] || continue
						link_and_check "$folder/${linker##*/}$collect-$kind" $kind \
							"-O$level $lto_flag $collect -fuse-ld=$linker"
					done
				done
			done
		done
	done
done
echo "$count programs and libraries"
