#!/bin/sh
# SPDX-License-Identifier: MIT
# slot_rules.sh - calls through call slots (-fspoor-calls) do the same as direct calls: without libspoor.so, recorded, and
# with recording switched off; with every way to pass arguments, every compiler and linker, and exceptions, longjmp and
# cancellation through open calls. The library counts its calls itself, and the trace has as many. Calls that cannot lead
# through a slot stay direct, and `spoor symbols` says why.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
sources=$victims/library
names='default,*setjmp,longjmp,qsort,snprintf,printf,fflush,_exit,vfork,*throw_out_of*'

# runs NAME OPTION... - runs the program alone and recorded: it prints the same. Writes the replay.
runs()
{
	runs_name=$1
	shift
	"./$runs_name" > plain 2> err || fail "$runs_name fails: $(cat err)"
	"$spoor" record -q -o "$runs_name.trace" "$@" "./$runs_name" > out 2> err || fail "$runs_name fails when it is recorded: $(cat err)"
	cmp plain out || fail "$runs_name prints other text: $(diff plain out)"
	"$spoor" replay --no-pager "$runs_name.trace" | without_values > replay
	! grep -q 'entry is not in the trace\|still running' replay || fail "$runs_name: $(cat replay)"
}

# calls COUNT NAME - tests how often the replay has a function of a library.
calls()
{
	[ "$(grep -c "^$2() lib" replay)" = "$1" ] || fail "$runs_name: $2 has $(grep -c "^$2() lib" replay) calls, not $1: $(cat replay)"
}

# direct FILE NAME REASON - tests the reason why a call stays direct.
direct()
{
	"$spoor" symbols --format csv "$1" | grep "^[^,]*,[^,]*,$2,.*$3" > /dev/null ||
		fail "$1: no reason '$3' for $2: $("$spoor" symbols --format csv "$1")"
}

# Values. The library counts.
values()
{
	traced_cc -w "-fspoor-calls=value_*" "$@" -o values "$sources/slot_values.c" -L. -lvalues "-Wl,-rpath,$PWD"
	runs values
	[ "$(grep -c '^value_.*() libvalues.so' replay)" = "$(tail -n1 out)" ] ||
		fail "values $*: the library counted $(tail -n1 out) calls: $(cat replay)"
	[ "$(tail -n1 out)" -ge 14 ] || fail "values $*: only $(tail -n1 out) calls"
	runs values --args '*' --retval '*'
	[ "$(grep -c '^value_.*() libvalues.so' replay)" = "$(tail -n1 out)" ] || fail "values $*: with values: $(cat replay)"
}
cc -w -O2 -fPIC -shared -Wl,-soname,libvalues.so -o libvalues.so "$sources/slot_values_library.c"
LD_LIBRARY_PATH=. cc -w -O2 -o reference "$sources/slot_values.c" -L. -lvalues "-Wl,-rpath,$PWD"
./reference > reference_out
for how in -O0 -O2 '-Os -fno-plt' '-O2 -fno-pie -no-pie' '-O2 -flto -fuse-ld=lld' '-O2 -flto=thin -fuse-ld=lld' \
	'-O1 -fuse-ld=gold -Wl,--gc-sections,--icf=all'; do
	# shellcheck disable=SC2086
	values $how
	cmp reference_out out || fail "values $how prints other values than without spoor: $(diff reference_out out)"
done
if [ "$SPOOR_ARCH" = x86_64 ]; then
	values -O2 -fcf-protection=full
	cc -w -O2 -mavx -fPIC -shared -Wl,-soname,libvalues.so -o libvalues.so "$sources/slot_values_library.c"
	! grep -qw avx /proc/cpuinfo || values -O2 -mavx
else
	values -O2 -mbranch-protection=standard
fi

# Rules.
rules()
{
	traced_cc -w "$@" "-fspoor-calls=$names" -o rules "$sources/slot_rules.c" -pthread
	rules_hold
	rules_hold --args '*' --retval '*'
	direct rules _setjmp "uses its caller's frame"
	direct rules vfork "uses its caller's frame"
	direct rules _exit 'does not return'
	direct rules close 'must be a tail call'
}
rules_hold()
{
	runs rules "$@"
	calls 2 qsort
	calls 1 waitpid
	calls 1 dlsym
	calls 1 dlopen
	calls 1 pause
	calls 1 pthread_cancel
	calls 1 snprintf
	calls 0 close
	calls 0 vfork
	grep -q '^qsort() libc.so.6 {$' replay || fail "the callbacks are not below qsort: $(cat replay)"
}
rules -O0
rules -O2
rules -O2 -fno-pie -no-pie

# Functions that return twice by their attribute, and builtins.
cat > odd.c << 'END_OF_FILE'
#include <math.h>
#include <string.h>
int twice(int) __attribute__((returns_twice));
int __attribute__((ms_abi)) foreign(int);
double root(double x);
int calls(int x);
int calls(int x) { return twice(x) + foreign(x); }
double root(double x) { return sqrt(x); }
END_OF_FILE
traced_cc -c '-fspoor-calls=*' odd.c -o odd.o
direct odd.o twice 'returns twice'
[ "$SPOOR_ARCH" != x86_64 ] || direct odd.o foreign 'not that of C'
direct odd.o sqrt 'replace it by instructions'

# Exceptions.
throws()
{
	traced_cxx -w "$@" "-fspoor-calls=$names" -o throws "$sources/slot_throws.cc"
	runs throws --args '*' --retval '*'
	runs throws
	calls 10 qsort
	[ "$(grep -c '^operator new(unsigned long) libstdc++' replay)" -ge 1 ] || fail "throws: $(cat replay)"
	direct throws '_ZSt[^,]*throw_out_of_range[^,]*' 'does not return'
}
throws -O0
throws -O2
throws -O2 -flto -fuse-ld=lld

# A static program: the slots lead to its own functions.
traced_cxx -w -O2 -static "-fspoor-calls=$names" -o static "$sources/slot_throws.cc"
./throws > plain
./static > out || fail "a static program fails"
cmp plain out || fail "a static program prints other text: $(diff plain out)"

# Fortran.
flang=$LLVM_BINDIR/flang
if [ -x "$flang" ] && [ -z "$emulated" ]; then
	cat > calls.f90 << 'END_OF_FILE'
subroutine outer
  use iso_c_binding
  interface
    function getppid() bind(c)
      import c_int
      integer(c_int) :: getppid
    end function
  end interface
  if (getppid() < 0) stop 1
end subroutine
program main
  call outer
end program
END_OF_FILE
	SPOOR_INSTRUMENTATION_LIBRARY_CALLS=getppid "$flang" -O1 -fpass-plugin="$top_builddir/pass/.libs/libspoor_instrumentation.so" \
		-c calls.f90 -o calls.o
	"$flang" calls.o "$stub" -Wl,-u,spoor_dso_anchor -o fortran
	runs fortran -f getppid
	calls 1 getppid
fi

# Each version of LLVM that has a plugin makes slots with its own interfaces. The short form takes the other versions at
# -O2 alone.
for version in 14 19; do
	[ -z "$emulated" ] && [ -f "$top_builddir/pass/llvm-$version/.libs/libspoor_instrumentation.so" ] &&
		command -v "clang-$version" "clang++-$version" > /dev/null || continue
	export SPOOR_CC="clang-$version" SPOOR_CXX="clang++-$version"
	cc -w -O2 -fPIC -shared -Wl,-soname,libvalues.so -o libvalues.so "$sources/slot_values_library.c"
	for level in ${SPOOR_LONG:+-O0} -O2; do
		values $level
		cmp reference_out out || fail "LLVM $version prints other values than without spoor: $(diff reference_out out)"
		rules $level
		throws $level
	done
	unset SPOOR_CC SPOOR_CXX
done

# A second run of the pass changes nothing, and wrong patterns are explained.
use_opt=$top_builddir/pass/spoor_opt
[ -z "$emulated" ] || use_opt=$SPOOR_NATIVE/pass/spoor_opt
"$clang" -O1 -S -emit-llvm -o once.ll "$sources/slot_rules.c" -w
"$use_opt" --library_calls=default --output_language=ir --output_file=one.ll once.ll
"$use_opt" --library_calls=default --output_language=ir --output_file=two.ll one.ll
sed '/^; ModuleID/d; /^source_filename/d; s/ *; preds = .*//' one.ll > one
sed '/^; ModuleID/d; /^source_filename/d; s/ *; preds = .*//' two.ll > two
grep -q 'spoor_call' one || fail "spoor_opt redirects no call"
cmp one two || fail "a second run changes the unit: $(diff one two)"
! "$use_opt" --library_calls='a,,b' once.ll > /dev/null 2> err || fail "spoor_opt accepts wrong patterns"
grep -q 'patterns of library calls are invalid' err || fail "wrong patterns are not explained: $(cat err)"
! "$SPOOR_DRIVERS/spoor-cc" -fspoor-calls -fspoor-mode=order -c odd.c 2> err || fail "the driver accepts -fspoor-mode=order"
grep -q 'only functions with sleds' err || fail "the mode is not explained: $(cat err)"
