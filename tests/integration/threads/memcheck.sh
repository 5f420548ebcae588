#!/bin/sh
# SPDX-License-Identifier: MIT
# memcheck.sh - valgrind reports nothing about traced programs that it would not report untraced: threads, handlers,
# forks, libraries that are loaded and unloaded, functions that are enabled and disabled, mode ring. The traces are
# correct.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

command -v valgrind > /dev/null || skip "valgrind is missing: apt-get install valgrind"
if nm "$libspoor" | grep -q ' U __[at]san_init\| U __ubsan'; then
	skip "the build has a sanitizer, which does not work under valgrind"
fi
# Older versions of valgrind cannot read the debug information of newer compilers.
level=-g0
threads=80 loads=15
[ -z "${SPOOR_LONG-}" ] || threads=200 loads=30

# checked TRACE COMMAND... - runs the command under valgrind, which must read patched text again.
checked()
{
	traced_to=$1
	shift
	rm -rf "$traced_to"
	SPOOR_RUNTIME_TRACE_PATH=$traced_to LD_PRELOAD=$libspoor timeout 500 valgrind -q --smc-check=all \
		--error-exitcode=99 --child-silent-after-fork=no --log-file="$traced_to.%p.log" "$@" > "$traced_to.out" \
		2> "$traced_to.err" || fail "$traced_to: status $?: $(cat "$traced_to".*.log "$traced_to.err")"
	silent "$traced_to.err"
	[ -z "$(cat "$traced_to".*.log)" ] || fail "$traced_to: valgrind reports errors: $(cat "$traced_to".*.log)"
	facts -n "$traced_to"
	equal "$traced_to: lost" "$(lost "$traced_to")" 0
}

for name in threads signals; do
	program $name $level -Wl,-z,now
done
program fork $level -I"$top_srcdir/libspoor/include"
library loaded $level
for name in red blue; do
	traced_cc $level -fPIC -shared -DNAME=$name -o lib$name.so "$victims/modules/loaded.c"
done
program reload $level -I"$top_srcdir/libspoor/include" -L. -lloaded -Wl,-rpath,"$work"
program switching $level -I"$top_srcdir/libspoor/include" -L. -lloaded -Wl,-rpath,"$work"


checked many ./threads many 8 3000
calls_are many leaf 24000
checked short ./threads short $threads
calls_are short leaf $((4 * threads))
checked storm ./signals storm 300
calls_are storm handler "$(sed -n 's/^handled //p' storm.out)"
checked plain ./fork plain
calls_are plain leaf 2500
checked reloaded ./reload $loads
calls_are reloaded red_value $((3 * (loads - loads / 3 + 1000)))
checked switched ./switching 200
calls_are switched marked 4000
export SPOOR_RUNTIME_MODE=ring
checked ring ./threads many 4 20000
[ "$(entries ring leaf)" -gt 4000 ] || fail "ring: only $(entries ring leaf) calls were kept"
