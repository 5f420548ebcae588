#!/bin/sh
# SPDX-License-Identifier: MIT
# lto_names.sh - functions that link-time optimisation makes local or global, renames, copies or changes have the same
# names and counts as without it, and are chosen by their names in the source. If all names were stripped, they are
# shown by their own addresses. The oracle is the program, which counts its calls.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder lto_names
source=$top_srcdir/tests/programs/lto
spoor=$top_builddir/tools/spoor

# build FOLDER FLAGS - builds the four units and the library, with $compile and $link.
build()
{
	for unit in alpha beta library library_part; do
		"$driver_c" -O2 $compile -fPIC -c "$source/$unit.c" -o "$1/$unit.o"
	done
	"$driver_cxx" -O2 $compile -fPIC -c "$source/main.cc" -o "$1/main.o"
	link "$1" program ""
	link "$1" stripped -s
}

link()
{
	mkdir "$1/$2"
	"$driver_c" -O2 $link $3 -shared -o "$1/$2/liblto.so" "$1/library.o" "$1/library_part.o"
	"$driver_cxx" -O2 $link $3 -o "$1/$2/program" "$1/main.o" "$1/alpha.o" "$1/beta.o" \
		-L"$1/$2" -llto -Wl,-rpath,'$ORIGIN'
}

# add_up - adds up the counts on stdin, "NAME,CALLS", by name.
add_up()
{
	sed 's/"//g; s/\(.*\),/\1\t/' | awk -F'\t' '{ n[$1] += $2 } END { for (i in n) print i "\t" n[i] }' | sort
}

# reported TRACE [OPTION...] - prints NAME,CALLS.
reported()
{
	"$spoor" report --format=csv "$@" | sed 1d |
		sed 's/^\("[^"]*"\|[^,"]*\),[^,]*,\([0-9]*\),.*/\1,\2/'
}

same()
{
	cmp -s "$2" "$3" || fail "$1: the calls of the program (<) and of the trace (>) differ: $(diff "$2" "$3")"
}

# by_address - replaces each address in a stripped file by the name, without suffix, that the unstripped twin has at
# this address.
by_address()
{
	for file in program liblto.so; do
		"$llvm_bin/llvm-nm" --defined-only "$1/program/$file" |
			sed -n "s/^0*\([0-9a-f]*\) [tTwW] \(.*\)/$file+0x\1 \2/p"
	done | sort -u -k1,1 > addresses
	sed 's/,\([0-9]*\)$/ \1/' | while read -r name calls; do
		linkage=$(sed -n "s/^$name //p" addresses)
		echo "${linkage:-$name},$calls"
	done | sed 's/\.llvm\.[0-9]*//; s/\.specialized\.[0-9]*//; s/\.[0-9]*,/,/' |
		"$llvm_bin/llvm-cxxfilt" --no-strip-underscore
}

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	export SPOOR_CC="$clang" SPOOR_CXX="$clangxx"
	for lto in none full thin; do
		folder=$PWD/$llvm-$lto
		mkdir "$folder"
		compile= link=-fuse-ld=$llvm_bin/ld.lld
		[ $lto = none ] || compile=-flto=$lto link="-flto=$lto $link"
		build "$folder"
		name="LLVM $llvm, LTO $lto"

		"$spoor" record -o "$folder/trace" -- "$folder/program/program" > "$folder/counted" 2> "$folder/said"
		add_up < "$folder/counted" > "$folder/oracle"
		# This function is inlined where it is imported, and has no count.
		reported "$folder/trace" | grep -v '^fill_one,' | add_up > "$folder/calls"
		same "$name" "$folder/oracle" "$folder/calls"

		"$spoor" replay --full-names "$folder/trace" > "$folder/replay"
		cut -f 1 "$folder/oracle" | while read -r function; do
			grep -qF " $function" "$folder/replay" || fail "$name: replay does not show $function"
		done
		! grep -E '\.(llvm|specialized)\.|clone|\+0x|unknown' "$folder/replay" ||
			fail "$name: replay shows functions under other names (see above)"
		"$spoor" info "$folder/trace" > "$folder/info"

		# The names in the source choose functions, for recording and for display.
		"$spoor" record -f 'promoted,*::apply,narrowed,twin' -o "$folder/chosen" -- \
			"$folder/program/program" > /dev/null 2>&1
		grep -E '^(promoted|.*::apply\(.*|narrowed|twin)	' "$folder/oracle" > "$folder/some"
		reported "$folder/chosen" | add_up > "$folder/calls"
		same "$name, chosen" "$folder/some" "$folder/calls"
		# With the calls below them.
		reported -f 'promoted,*::apply,narrowed,twin' "$folder/trace" | add_up |
			grep -E '^(promoted|.*::apply\(.*|narrowed|twin)	' > "$folder/calls"
		same "$name, shown" "$folder/some" "$folder/calls"

		# Without symbols, by the pass's descriptions; without these, by address.
		"$spoor" record -o "$folder/described" -- "$folder/stripped/program" > /dev/null 2>&1
		reported "$folder/described" | grep -v '^fill_one,' | add_up > "$folder/calls"
		same "$name, stripped" "$folder/oracle" "$folder/calls"
		"$llvm_bin/llvm-strip" "$folder/stripped/program" "$folder/stripped/liblto.so"
		"$spoor" record -o "$folder/addresses" -- "$folder/stripped/program" > /dev/null 2>&1
		reported "$folder/addresses" | grep -q '^program+0x' ||
			fail "$name: the functions still have names, so strip removed no symbols"
		reported "$folder/addresses" | by_address "$folder" | grep -v '^fill_one,' |
			add_up > "$folder/calls"
		same "$name, addresses" "$folder/oracle" "$folder/calls"
	done
	# The program must have a renamed function.
	grep -q '\.llvm\.' "$llvm-thin/program/program" ||
		fail "LLVM $llvm renames no function, so the test proves nothing"
done
