#!/bin/sh
# SPDX-License-Identifier: MIT
# unit_ids.sh - a unit's ID is the same whatever the folder it is compiled in, the
# debug information and the day, and another one for a source that does more
# than move; -g does not change which functions have sleds either.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
source=$top_srcdir/tests/programs/instrumentation
work_folder unit_ids

# id FILE - the IDs of a linked file's units.
id()
{
	table "$1" | cut -d ' ' -f 2 | sort -u | tr '\n' ' '
}

# build OUTPUT SOURCE FLAGS
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
	for level in 0 2 s; do
		flags="-O$level -I $source"
		build "$folder/first" "$folder/here/unit.cc" "$flags"
		build "$folder/debug" "$folder/here/unit.cc" "$flags -g"
		build "$folder/moved" "$folder/elsewhere/deeper/unit.cc" "$flags -g3"
		(cd "$folder/here" && build "$folder/relative" unit.cc "$flags")
		[ "$(id "$folder/first" | wc -w)" = 1 ] || fail "one unit has several IDs"
		for other in debug moved relative; do
			[ "$(id "$folder/first")" = "$(id "$folder/$other")" ] ||
				fail "LLVM $llvm at -O$level: the ID of $other differs"
			names "$folder/first" > "$folder/names"
			names "$folder/$other" | cmp -s - "$folder/names" ||
				fail "LLVM $llvm at -O$level: the functions with sleds differ in $other"
			table "$folder/first" | cut -d ' ' -f 3,4 | sort > "$folder/positions"
			table "$folder/$other" | cut -d ' ' -f 3,4 | sort | cmp -s - "$folder/positions" ||
				fail "LLVM $llvm at -O$level: the positions differ in $other"
		done

		# A name, a constant, a string, a callee, an operation. (Levels come after the ID is made.)
		[ "$level" = 2 ] || [ -n "${SPOOR_LONG-}" ] || continue
		for change in 's/only_here/only_there/' 's/x > 2/x > 4/' 's/too big/too small/' \
			's/shared_inline(3)/twice(3)/' 's/return x \^ init/return x | init/'; do
			sed "$change" "$folder/here/unit.cc" > "$folder/here/changed.cc"
			! cmp -s "$folder/here/unit.cc" "$folder/here/changed.cc" || fail "$change changes nothing"
			build "$folder/changed" "$folder/here/changed.cc" "$flags"
			[ "$(id "$folder/first")" != "$(id "$folder/changed")" ] ||
				fail "LLVM $llvm at -O$level: the ID is the same after $change"
		done
	done
done
