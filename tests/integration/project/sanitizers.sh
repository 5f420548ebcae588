#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitizers.sh - builds the runtime and the tools with the address and undefined-behaviour sanitizers, and with the
# thread sanitizer, and runs the tests: they pass without reports.
set -eu

work=$top_builddir/tests/work/sanitizers
source=$(cd "$top_srcdir" && pwd)
# Counts have their usual size, because the tests are ten times slower with sanitizers.
unset SPOOR_LONG
unset MAKEFLAGS MFLAGS MAKELEVEL
# The tests also run the tools under libspoor.so.
export ASAN_OPTIONS=detect_stack_use_after_return=0:abort_on_error=0:verify_asan_link_order=0:disable_coredump=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# The files that hand the stack for calls of libc from thread to thread are not sanitized, since they may not use vector
# registers. So the thread sanitizer takes two uses of one place on that stack for a race.
mkdir -p "$work"
printf 'race_top:%s\n' write_given_name slots_sweep > "$work/suppressions"
export TSAN_OPTIONS=halt_on_error=1:disable_coredump=0:suppressions="'$work/suppressions'"

[ ! -f "$source/config.status" ] || { echo "sanitizers: skipped: the sources are configured themselves" >&2; exit 77; }
failed=
for list in address,undefined thread; do
	build=$work/${list%%,*}
	rm -rf "$build"
	mkdir -p "$build"
	cd "$build"
	"$source/configure" --silent --enable-sanitizers="$list" CC="$CC" > configure.out 2>&1 ||
		{ cat configure.out; exit 1; }
	make -s -j2 > make.out 2>&1 || { tail -n 40 make.out; exit 1; }
	! grep warning: make.out || { echo "sanitizers: warnings with $list" >&2; failed=1; }
	make -k -j2 check > check.out 2>&1 || failed=1
	grep -E '^(FAIL|ERROR|# (TOTAL|PASS|SKIP|FAIL)):' check.out | sed "s/^/$list: /"
	# Finds reports even if the test that caused them passed.
	grep -rlE 'ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:|ERROR: LeakSanitizer' --include='*.log' \
		"$build/tests" && { echo "sanitizers: $list has something to say" >&2; failed=1; }
done
[ -z "$failed" ] || exit 1
rm -rf "$work"
