#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh - programs with unusual stacks behave the same, and their traces have every call. They have coroutines on
# stacks of 8 KiB that move between threads, recursion into the last 4 KiB and beyond, and thread-local variables that
# are larger than the stack of the service thread. Threads with the smallest stack end the program or load libraries,
# and first calls come on a handler's stack.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program stacks -Wl,-z,now

# run NAME STATUS ARGUMENT... - runs the program untraced and traced, with the same output and status.
run()
{
	what=$1
	wanted=$2
	shift 2
	status=0
	timeout 60 ./stacks "$@" > "$what.untraced" 2> /dev/null || status=$?
	equal "$what: status untraced" "$status" "$wanted"
	status=0
	traced "$what" timeout 60 ./stacks "$@" > "$what.out" 2> "$what.err" || status=$?
	equal "$what: status" "$status" "$wanted"
	cmp -s "$what.untraced" "$what.out" ||
		fail "$what: the outputs differ untraced and traced: $(cat "$what.untraced" "$what.out")"
	silent "$what.err"
}

run fibres 0 fibres 64
equal "fibres that came to their end" "$(cat fibres.out)" "done 64"
# Coroutines move to another thread in the middle of a function.
facts -n fibres
calls_are fibres leaf 6400
calls_are fibres nested 6400
calls_are fibres fibre 64

run deep 0 deep
facts deep
calls_are deep recurse "$(sed 's/deepest //' deep.err)"
[ "$(entries deep recurse)" -gt 50000 ] || fail "deep: the recursion had only $(entries deep recurse) calls"
equal "deep: the report" "$(reported deep recurse)" "$(entries deep recurse)"

run over 4 over
facts over
[ "$(entries over recurse)" -gt 50000 ] || fail "over: the recursion had only $(entries over recurse) calls"

run huge-tls 0 huge-tls
facts huge-tls
calls_are huge-tls leaf 1

run exit 0 exit
facts -n exit
calls_are exit leaf 1

# Long names, which need a deep recursion of the demangler.
traced_cxx -fPIC -shared -o liblong_names.so "$victims/modules/long_names.cc"
run load 0 load "$work/liblong_names.so"
equal "load" "$(cat load.out)" loaded
SPOOR_RUNTIME_FUNCTIONS='leaf,Long*' run chosen 0 load "$work/liblong_names.so"
equal "chosen" "$(cat chosen.out)" loaded
facts chosen
calls_are chosen leaf 1

case $SPOOR_ARCH in
x86_64)
	run alternate 0 alternate
	[ "$(sed 's/steps //' alternate.err)" -gt 300 ] ||
		fail "the first call was not single-stepped: $(cat alternate.err)"
	facts alternate
	calls_are alternate leaf 1
	;;
esac
