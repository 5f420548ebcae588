#!/bin/sh
# SPDX-License-Identifier: MIT
# no_instrument_function.sh - functions with this attribute have no sleds when the drivers compile them, even if every
# function of a unit has the attribute, with -pg, and with -finstrument-functions. The marks from which the pass knows
# them leave no trace in the code.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
work_folder no_instrument_function
use_llvm "$LLVM_MAJOR"

cat > some.cc << 'END'
struct counter {
	int n;
	counter();
	~counter();
	__attribute__((no_instrument_function)) int left_member() { return n++; }
};
counter::counter() : n(3) {}
counter::~counter() { n = 0; }
static counter global;
template <typename T> __attribute__((no_instrument_function)) T left_template(T x) { return x + x; }
[[gnu::no_instrument_function]] int left_one(int x) { return x + 1; }
/* Inlined into a function with a sled, and vice versa. */
__attribute__((no_instrument_function)) static inline int left_inlined(int x) { return x * 3; }
static inline int kept_inlined(int x) { return x * 5; }
__attribute__((no_instrument_function)) int left_caller(int x) { return kept_inlined(x); }
int kept_caller(int x) { return left_inlined(x) + left_template(x) + global.left_member(); }
END
cat > all.c << 'END'
__attribute__((__no_instrument_function__)) int left_a(int x) { return x + 1; }
__attribute__((no_instrument_function)) void left_b(void) {}
END
cat > hooks.c << 'END'
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *c) { (void)f; (void)c; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *c) { (void)f; (void)c; }
END

# check NAME LEAST FLAGS FUNCTION - links some.cc and all.c, and checks their sleds.
check()
{
	"$driver_cxx" $3 -fPIC -c some.cc -o some.o
	"$driver_c" $3 -fPIC -c all.c -o all.o
	"$driver_c" $3 -fPIC -c hooks.c -o hooks.o
	"$driver_cxx" -shared -fuse-ld="$llvm_bin/ld.lld" some.o all.o hooks.o -o "$1"
	names "$1" > "$1.names"
	! grep -E 'left|__cyg' "$1.names" || fail "$1: functions with no_instrument_function have sleds (see above)"
	[ "$("$llvm_bin/llvm-nm" "$1" | grep -c left)" -ge 4 ] ||
		fail "$1: fewer than four functions with no_instrument_function exist"
	# Functions that clang generates have no attribute, and so have sleds. With link-time optimisation the
	# constructor of a global may need no code.
	for name in _Z11kept_calleri _ZN7counterC2Ev $4; do
		grep -qx "$name" "$1.names" || fail "$1: $name has no sled"
	done
	table_is_exact "$1" "$2"
}

for level in 0 2 ${SPOOR_LONG:+1 s}; do
	check plain-O$level.so 4 "-O$level" _GLOBAL__sub_I_some.cc
	check after-O$level.so 4 "-O$level -finstrument-functions-after-inlining" _GLOBAL__sub_I_some.cc
	check hooks-O$level.so 4 "-O$level -finstrument-functions" _GLOBAL__sub_I_some.cc
	check profiled-O$level.so 4 "-O$level -pg -fno-omit-frame-pointer" _GLOBAL__sub_I_some.cc
	check lto-O$level.so 4 "-O$level -flto=thin" _ZN7counterD2Ev

	# -pg works as usual, and no mark is left.
	"$llvm_bin/llvm-nm" profiled-O$level.so | grep -q ' U .*mcount' || fail "-pg: there is no call of mcount"
	! "$llvm_bin/llvm-nm" plain-O$level.so | grep -Eq 'mcount|fentry' ||
		fail "calls of the profiler are left in the code"
	"$driver_cxx" -O$level -fPIC -S -emit-llvm some.cc -o some.ll
	! grep -Eq 'fentry|spoor.unit' some.ll ||
		fail "marks are left in the code: $(grep -E 'fentry|spoor.unit' some.ll)"
done

# If the pass is disabled, it cannot remove marks, so the driver must not request any.
"$driver_cxx" -Xclang -disable-llvm-passes -S -emit-llvm some.cc -o off.ll
! grep -q fentry off.ll || fail "marks are left although no pass runs: $(grep fentry off.ll)"

# Bitcode and IR have no marks: all functions have sleds, except those that the drivers have already excluded.
"$clang" -O1 -fPIC -S -emit-llvm all.c -o all.ll
"$clang" -O1 -fPIC -c -emit-llvm hooks.c -o hooks.code
"$driver_cxx" -O1 -fPIC -c -emit-llvm some.cc -o some.bc
"$driver_c" -O1 -fPIC -c all.ll -o all.o
"$driver_c" -O1 -fPIC -c -x ir - -o hooks.o < hooks.code
"$driver_cxx" -O1 -shared -fuse-ld="$llvm_bin/ld.lld" -fPIC some.bc all.o hooks.o -o of_code.so
names of_code.so > of_code.names
for name in left_a left_b __cyg_profile_func_enter _Z11kept_calleri _ZN7counterC2Ev; do
	grep -qx "$name" of_code.names ||
		fail "from bitcode: $name has no sled; functions with sleds: $(cat of_code.names)"
done
! grep -q '_Z.*left' of_code.names || fail "from bitcode: excluded functions have sleds: $(cat of_code.names)"
table_is_exact of_code.so 6
# With -save-temps the marks are in the bitcode.
"$driver_cxx" -O1 -fPIC -save-temps=obj -c some.cc -o saved.o
"$driver_cxx" -shared -fuse-ld="$llvm_bin/ld.lld" saved.o -o saved.so
names saved.so > saved.names
grep -qx _Z11kept_calleri saved.names || fail "-save-temps: the function has no sleds: $(cat saved.names)"
! grep -q left saved.names || fail "-save-temps: functions with no_instrument_function have sleds: $(cat saved.names)"
