#!/bin/sh
# SPDX-License-Identifier: MIT
# library_rules.sh - library calls of programs without sleds are recorded by every rule of spoor-record(1): stack
# arguments, longjmp, exceptions, ends of threads, signals, fork, vfork and exec; lazy and immediate binding, with and
# without a position-independent executable. Switched off, all jump slots have their own bytes.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
sources=$victims/library

# One in the child of fork, one in the child of vfork.
execs=2
[ -z "$emulated" ] || { export WITHOUT_VFORK=1; execs=1; }

# records NAME OPTION... - records the program with library calls; a run without spoor must print the same.
records()
{
	records_name=$1
	shift
	"./$records_name" > plain 2> plain_err || fail "$records_name does not run"
	"$spoor" record -q -o "$records_name.trace" "$@" "./$records_name" > out 2> err || fail "$records_name fails: $(cat err)"
	cmp plain out || fail "$records_name prints other text: $(diff plain out)"
	"$spoor" replay --no-pager "$records_name.trace" > valued
	without_values < valued > replay
	! grep -q 'entry is not in the trace\|still running' replay || fail "$records_name: $(cat replay)"
}

# calls COUNT NAME - tests how often the replay has a function.
calls()
{
	[ "$(grep -c "^$2() " replay)" = "$1" ] || fail "$records_name: $2 has $(grep -c "^$2() " replay) calls, not $1: $(cat replay)"
}

# tree TEXT... - tests whether the replay has these lines one after the other.
tree()
{
	printf '%s\n' "$@" > wanted
	python3 - << 'END' || fail "$records_name: no tree '$*': $(cat replay)"
lines, wanted = open("replay").read().splitlines(), open("wanted").read().splitlines()
raise SystemExit(not any(lines[i:i + len(wanted)] == wanted for i in range(len(lines))))
END
}

# hold OPTION... - records the program that uses all rules.
hold()
{
	records rules --library-calls 'libc*,libm*' "$@"
	calls 1 syscall
	calls 1 strfroml
	calls 1 getnameinfo
	calls 1 snprintf
	calls 3 longjmp
	calls 3 siglongjmp
	calls 1 pthread_exit
	calls 1 fork
	calls $execs execl
	calls 7 strcoll
	calls 1 backtrace
	# longjmp ends the call that it leaves, and the next call is beside it.
	tree 'qsort() libc.so.6 {' 'strcoll() libc.so.6;' 'longjmp() libc.so.6;' '} qsort()' 'strtol() libc.so.6;'
	# The end of a thread within a library function. A cancelled call ends too: no call is open at the end.
	tree 'qsort() libc.so.6 {' 'pthread_exit() libc.so.6;' '} qsort()'
	calls 1 pthread_cancel
	# A signal handler.
	tree 'raise() libc.so.6 {' 'strtoul() libc.so.6;' '} raise()'
	tree 'raise() libc.so.6 {' 'siglongjmp() libc.so.6;' '} raise()'
}
for how in '-Wl,-z,lazy' '-Wl,-z,now' '-no-pie -Wl,-z,lazy' '-O2 -Wl,-z,now,-z,relro'; do
	# shellcheck disable=SC2086
	cc -Wall -w $how -o rules "$sources/library_rules.c" -lm -pthread
	hold
	# With all values. A call that was left has no result.
	hold --args '*' --retval '*' --cpu-time 'str*'
	grep -q ' strcoll(s1=.*, s2=.*) = -*[0-9]* \[cpu [0-9.]* [mnu]*s\] libc.so.6;$' valued || fail "the values of strcoll are missing: $(cat valued)"
	! grep -q '\(pthread_exit\|longjmp\)(.*) = ' valued || fail "a call without an end has a result: $(cat valued)"
done

# Exceptions.
c++ -O1 -w -o exceptions "$sources/library_exceptions.cc"
records exceptions --library-calls 'libc.so*:qsort,libc.so*:strtol,libc.so*:atoi'
[ "$(grep -c 'qsort()' replay)" -ge 20 ] || fail "exceptions: $(cat replay)"
! grep -q 'qsort() libc.so.6 {$' replay || tree 'qsort() libc.so.6 {' '} qsort()'
grep -v '^#' replay > without
records exceptions --library-calls 'libc.so*:qsort,libc.so*:strtol,libc.so*:atoi' --args '*' --retval '*'
grep -v '^#' replay > with
cmp without with || fail "exceptions with values: $(diff without with)"

# Patterns choose functions.
records rules --library-calls 'libc*:str*,-libc*:strcoll,libm*'
calls 0 strcoll
calls 3 strtol
calls 0 printf
"$spoor" record -q -o none --library-calls 'libnone*' ./rules > out 2> err || fail "rules fails: $(cat err)"
grep -q -- '--library-calls' err || fail "the empty recording is not explained: $(cat err)"

# Jump slots. The loader binds the first program lazily.
for how in lazy now,-z,relro norelro; do
	cc -Wall -w "-Wl,-z,$how" -o slots "$sources/library_slots.c"
	./slots > plain
	"$spoor" record -q -o slots.trace --library-calls 'libc*' ./slots > out 2> err || fail "slots fails: $(cat err)"
	grep -q '^begin changed' out || fail "no jump slot was changed: $(cat out)"
	grep -q '^on changed' out || fail "no jump slot was changed again: $(cat out)"
	grep '^off' out > off
	cmp plain off || fail "jump slots have other bytes than before: $(cat plain out)"
done

# A static program has no jump slots between modules.
cc -w -static-pie -o static "$sources/library_slots.c" 2> /dev/null || cc -w -static -o static "$sources/library_slots.c"
"$spoor" record -q -o static.trace --library-calls 'libc*' ./static > out 2> err || fail "static fails: $(cat err)"
grep -q 'statically linked' err || fail "a static program is not explained: $(cat err)"

# Libraries of which no function is known are named.
cat > other.c << 'END'
int other(int a, int b, int c, int d, int e, int f, int g, int h);
int other(int a, int b, int c, int d, int e, int f, int g, int h) { return a + b + c + d + e + f + g - h; }
END
printf 'int other(int, int, int, int, int, int, int, int);\nint main(void) { return other(1, 2, 3, 4, 5, 6, 7, 28); }\n' > main.c
cc -w -shared -fPIC -o libother.so other.c
cc -w -o other main.c -L. -lother -Wl,-rpath,"$PWD"
"$spoor" record -q -o other.trace --library-calls 'libother*,libc*' ./other 2> err || :
grep -q 'not recorded.*libother.so' err || fail "the unknown library is not named: $(cat err)"
