#!/bin/sh
# SPDX-License-Identifier: MIT
# unit_ids.sh - the ID of a unit does not depend on the folder of compilation, the debug information and the date, and
# differs for a source with other code. -g does not change which functions have sleds. The short form takes LLVMs other
# than the configured one at -O2 alone, without changes to the source.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder unit_ids

# id FILE - prints the IDs of the units of a linked file.
id()
{
	table "$1" | cut -d ' ' -f 2 | sort -u | tr '\n' ' '
}

# build OUTPUT SOURCE FLAGS - compiles and links the source.
build()
{
	"$clangxx" $3 -fPIC -fpass-plugin="$plugin" -c "$2" -o "$1.o"
	"$clang" -shared -fuse-ld="$llvm_bin/ld.lld" "$1.o" -o "$1"
}

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	folder=$PWD/$llvm
	mkdir -p "$folder/here" "$folder/elsewhere/deeper"
	cat "$source/shapes.cc" - > "$folder/here/unit.cc" << 'END'
#include <cassert>
#define CHECK(x) assert(x)
int checked(int x) { CHECK(x > 3 && __FILE__); return x; }
const char *file() { return __FILE__; }
END
	cp "$folder/here/unit.cc" "$folder/elsewhere/deeper/unit.cc"
	levels='0 2 s'
	[ "$llvm" = "$LLVM_MAJOR" ] || [ -n "${SPOOR_LONG-}" ] || levels=2
	for level in $levels; do
		flags="-O$level -I $source"
		build "$folder/first" "$folder/here/unit.cc" "$flags"
		build "$folder/debug" "$folder/here/unit.cc" "$flags -g"
		build "$folder/moved" "$folder/elsewhere/deeper/unit.cc" "$flags -g3"
		(cd "$folder/here" && build "$folder/relative" unit.cc "$flags")
		first_id=$(id "$folder/first")
		[ "$(echo "$first_id" | wc -w)" = 1 ] || fail "one unit has several IDs: $first_id"
		names "$folder/first" > "$folder/names"
		table "$folder/first" | cut -d ' ' -f 3,4 | sort > "$folder/positions"
		for other in debug moved relative; do
			[ "$first_id" = "$(id "$folder/$other")" ] ||
				fail "LLVM $llvm at -O$level: the ID of $other differs"
			names "$folder/$other" | cmp -s - "$folder/names" ||
				fail "LLVM $llvm at -O$level: other functions of $other have sleds"
			table "$folder/$other" | cut -d ' ' -f 3,4 | sort | cmp -s - "$folder/positions" ||
				fail "LLVM $llvm at -O$level: the functions of $other have other positions"
		done

		# A changed name, constant, string, callee, operation. (The pass makes the ID before the levels
		# differ.)
		[ "$llvm$level" = "${LLVM_MAJOR}2" ] || [ -n "${SPOOR_LONG-}" ] || continue
		for change in 's/only_here/only_there/' 's/x > 2/x > 4/' 's/too big/too small/' \
			's/shared_inline(3)/twice(3)/' 's/return x \^ init/return x | init/'; do
			sed "$change" "$folder/here/unit.cc" > "$folder/here/changed.cc"
			! cmp -s "$folder/here/unit.cc" "$folder/here/changed.cc" ||
				fail "the sed expression $change does not change the source"
			build "$folder/changed" "$folder/here/changed.cc" "$flags"
			[ "$first_id" != "$(id "$folder/changed")" ] ||
				fail "LLVM $llvm at -O$level: the ID is the same after $change"
		done
	done
done
