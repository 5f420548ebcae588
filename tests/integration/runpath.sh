#!/bin/sh
# SPDX-License-Identifier: MIT
# runpath.sh - dlopen finds what it finds untraced: a library by the RUNPATH of the one
# that opens it, and that one's needs by its own, and nothing else; all that is opened
# so is traced, and named.
set -eu
. "$top_srcdir/tests/integration/life.sh"

mkdir opener opened needed
traced_cc -fPIC -shared -DNAME=needed -Wl,-soname,libneeded.so -o needed/libneeded.so "$victims/loaded.c"
traced_cc -fPIC -shared -DNAME=opened -Wl,-soname,libopened.so -o opened/libopened.so "$victims/loaded.c" \
	-Wl,--no-as-needed -Lneeded -lneeded -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../needed'
traced_cc -fPIC -shared -DLIBRARY -Wl,-soname,libopener.so -o opener/libopener.so "$victims/opener.c" \
	-Wl,--enable-new-dtags,-rpath,'$ORIGIN/../opened'
traced_cc -o opens "$victims/opener.c" -Lopener -lopener -Wl,--enable-new-dtags,-rpath,"$work/opener"
readelf -dW opener/libopener.so | grep -q RUNPATH || fail "the opener has no RUNPATH"

for function in opened_calls needed_calls; do
	./opens libopened.so $function 100 > untraced.out
	equal "untraced" "$(cat untraced.out)" "the opener: 100
the program: finds nothing"
	# With a choice of functions, too.
	for functions in '*' "opener_calls,*_value"; do
		SPOOR_RUNTIME_FUNCTIONS=$functions traced trace ./opens libopened.so $function 100 > out 2> err ||
			fail "status $?: $(cat err)"
		silent err
		cmp -s untraced.out out || fail "traced: $(cat out)"
		facts trace
		calls_are trace opener_calls 1 libopener.so
		calls_are trace "${function%_calls}_value" 100 "lib${function%_calls}.so"
		equal "the report" "$(reported trace "${function%_calls}_value")" 100
		equal "lost" "$(lost trace)" 0
	done
done

# The same, drained from outside.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$top_srcdir/tests/integration/$life_name.sh"
