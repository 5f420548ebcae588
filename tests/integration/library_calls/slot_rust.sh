#!/bin/sh
# SPDX-License-Identifier: MIT
# slot_rust.sh - calls of C functions by a Rust program lead through call slots if the linker loads the plugin. The
# program prints the same with and without a recording. The trace has each call once, below its caller. A panic passes
# through an open call.
set -eu
. "$top_srcdir/tests/integration/support/instrumentation.sh"
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
use_llvm "$LLVM_MAJOR" || fail "there is no plugin for LLVM $LLVM_MAJOR"
need_rust

cat > calls.rs << 'END_OF_FILE'
use std::ffi::{c_char, c_double, c_int, c_long, c_void};
type Compare = unsafe extern "C-unwind" fn(*const c_int, *const c_int) -> c_int;
extern "C" {
    fn getppid() -> c_int;
    fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> c_long;
    fn j0(x: c_double) -> c_double;
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}
extern "C-unwind" {
    fn qsort(first: *mut c_void, count: usize, size: usize, compare: Compare);
}

unsafe extern "C-unwind" fn ascending(a: *const c_int, b: *const c_int) -> c_int {
    *a - *b
}
unsafe extern "C-unwind" fn panics(_: *const c_int, _: *const c_int) -> c_int {
    std::panic::resume_unwind(Box::new(7))
}

#[inline(never)]
fn sort(numbers: &mut [c_int], compare: Compare) {
    unsafe { qsort(numbers.as_mut_ptr().cast(), numbers.len(), 4, compare) }
}

#[inline(never)]
fn parse(text: &[u8]) -> c_long {
    unsafe { strtol(text.as_ptr().cast(), std::ptr::null_mut(), 10) }
}

#[inline(never)]
fn format(number: c_int) -> usize {
    let mut text = [0 as c_char; 64];
    unsafe { snprintf(text.as_mut_ptr(), text.len(), c"%d %.1f %s".as_ptr(), number, 0.5 as c_double, c"end".as_ptr()) as usize }
}

fn main() {
    let mut numbers = [5, 3, 9, 1];
    let mut sum = 0;
    for i in 0..100 {
        sum += parse(format!("{i}\0").as_bytes());
    }
    sort(&mut numbers, ascending);
    let caught = std::panic::catch_unwind(|| sort(&mut [2, 1], panics)).is_err();
    println!("{sum} {numbers:?} {caught} {} {}", unsafe { j0(std::hint::black_box(0.0)) }, format(12));
    println!("{}", unsafe { getppid() > 0 });
}
END_OF_FILE

# calls COUNT NAME - tests how often the replay has a library's function.
calls()
{
	[ "$(grep -c "^$2() lib" replay)" = "$1" ] || fail "-O$level: $2 has not $1 calls: $(cat replay)"
}

for level in 1 2 3; do
	SPOOR_CC=$clang SPOOR_INSTRUMENTATION_LIBRARY_CALLS='getppid,strtol,j0,snprintf,qsort' \
		rustc -A warnings --edition 2021 -C "opt-level=$level" -C linker-plugin-lto -C linker="$driver_c" \
		-C link-arg=-fuse-ld="$llvm_bin/ld.lld" -C link-arg=-Wl,--load-pass-plugin="$plugin" calls.rs -o calls ||
		fail "-O$level: rustc fails"
	./calls > plain || fail "-O$level: the program fails"
	printf '%s\n' '4950 [1, 3, 5, 9] true 1 10' true | cmp - plain || fail "-O$level: the program prints $(cat plain)"
	"$spoor" record -q -o calls.trace ./calls > out 2> err || fail "-O$level: the program fails when it is recorded: $(cat err)"
	cmp plain out || fail "-O$level: the program prints other text: $(cat out)"
	"$spoor" replay --no-pager calls.trace | sed 's/^ *[0-9.]* [nmu]*s  */ /; s/^  *//' > replay
	! grep -q 'entry is not in the trace\|still running' replay || fail "-O$level: $(cat replay)"
	calls 100 strtol
	calls 1 getppid
	calls 1 j0
	calls 1 snprintf
	calls 2 qsort
	grep -A1 '^calls::parse() ' replay | grep -q '^strtol() lib' || fail "-O$level: strtol is not below parse: $(cat replay)"
	grep -A1 '^qsort() ' replay | grep -q '^calls::panics() ' || fail "-O$level: panics is not below qsort: $(cat replay)"
done
