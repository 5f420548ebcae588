#!/bin/sh
# SPDX-License-Identifier: MIT
# function_lists.sh - other effects of the pass on a unit: it extends an existing list of kept symbols, changes
# nothing when it runs a second time, from clang or from opt, and flags the functions with landing pads.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder function_lists
case $SPOOR_ARCH in
x86_64) nop=2 ;;
*) nop=0 ;;
esac

cat > unit.cc << 'END'
__attribute__((used)) static int kept_object = 3;
__attribute__((used)) static int kept_function(int x) { return x; }
void thrower(int x);
struct guard { guard(); ~guard(); };
int catches(int x) { try { thrower(x); } catch (...) { return 1; } return 0; }
int cleans_up(int x) { guard g; thrower(x); return 2; }
int neither(int x) { thrower(x); return 3; }
END

for llvm in $(all_llvms); do
	use_llvm "$llvm"
	for level in 0 2; do
		file=$llvm-O$level
		flags="-O$level -fPIC -fno-discard-value-names"
		"$clangxx" $flags -fpass-plugin="$plugin" -emit-llvm -c unit.cc -o $file.bc
		"$clangxx" $flags -fpass-plugin="$plugin" -c unit.cc -o $file.o
		"$clangxx" -shared -fuse-ld="$llvm_bin/ld.lld" $file.o -o $file.so
		table_is_exact $file.so 4
		for name in kept_object kept_function; do
			"$llvm_bin/llvm-nm" $file.so | grep -q "$name" ||
				fail "$file: the kept symbol $name was removed"
		done
		[ "$("$llvm_bin/llvm-dis" < $file.bc | grep -c '^@llvm.compiler.used = ')" = 1 ] ||
			fail "$file: there is not exactly one list of kept symbols"

		# A second run, from opt and from clang.
		"$opt" -load-pass-plugin="$plugin" -passes=inject-spoor-instrumentation $file.bc -S -o again.ll
		"$opt" -passes=verify $file.bc -S -o once.ll
		cmp once.ll again.ll || fail "$file: opt changes an instrumented unit (see above)"
		"$clangxx" $flags -fpass-plugin="$plugin" -c $file.bc -o again.o
		"$clangxx" -shared -fuse-ld="$llvm_bin/ld.lld" again.o -o again.so
		table_is_exact again.so 4

		# opt and clang instrument the same functions.
		"$clangxx" $flags -Xclang -disable-O0-optnone -emit-llvm -c unit.cc -o plain.bc
		"$opt" -load-pass-plugin="$plugin" -passes=inject-spoor-instrumentation plain.bc -o opt.bc
		"$clangxx" -O$level -fPIC -Xclang -disable-llvm-passes -c opt.bc -o opt.o
		"$clangxx" -shared -fuse-ld="$llvm_bin/ld.lld" opt.o -o opt.so
		table_is_exact opt.so 4
		names $file.so > by_clang
		names opt.so | cmp by_clang - ||
			fail "$file: opt and clang instrument different functions (see above)"

		# The flags of each function: landing pads, and an entry that is a nop.
		table $file.so | cut -d ' ' -f 1,4 | sort > flags
		symbols $file.so | join -o 2.4,1.2 flags - > by_name
		for expected in _Z7catchesi:$((1 + nop)) _Z9cleans_upi:$((1 + nop)) _Z7neitheri:$nop; do
			grep -qx "${expected%:*} ${expected#*:}" by_name ||
				fail "$file: the flags are not $expected: $(cat by_name)"
		done
	done
	echo "int f(void) { return 1; }" > tiny.c
	"$clang" -O2 -fPIC -ffat-lto-objects -flto -fpass-plugin="$plugin" -c tiny.c -o tiny.o 2> messages ||
		grep -q 'fat-lto' messages || fail "compiling with -ffat-lto-objects failed: $(cat messages)"
	if [ -s tiny.o ]; then
		"$clang" -shared -fno-lto -fuse-ld="$llvm_bin/ld.lld" tiny.o -o tiny.so
		table_is_exact tiny.so
	fi
done
