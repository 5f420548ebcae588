#!/bin/sh
# SPDX-License-Identifier: MIT
# branch_protection.sh - an AArch64 program with landing pads and signed return addresses behaves the same with
# awake sleds as without. A missing landing pad, or a signature of another frame, would kill
# the program.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

"$clang" -c -o start.o "$top_srcdir/tests/trampolines/start_aarch64.S"
guarded="-mbranch-protection=standard -mno-outline-atomics -fuse-ld=lld -nostartfiles $work/start.o -Wl,-z,force-bti"

# guards FILE NAME - checks that the linker does not report missing landing pads, neither in code with
# sleds nor in the stub.
guards()
{
	[ ! -s "$1" ] || fail "$2: $(head -n 3 "$1")"
	readelf -n "$2" 2> /dev/null | grep -q 'AArch64 feature: BTI' || fail "$2 is not guarded: $(readelf -n "$2")"
}

# Checks that the processor enforces the protection: a jump without a landing pad fails, and a return to a changed
# address fails too.
cat > lost.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) static void changes(void)
{
	__asm__ volatile("ldr x9, [x29, #8]\n\tadd x9, x9, #4\n\tstr x9, [x29, #8]" : : : "x9", "memory", "x30");
}
int main(int count, char **words)
{
	(void)words;
	if (count > 1)
		changes();
	else
		__asm__ volatile("adr x9, 1f\n\tbr x9\n\tnop\n1:\tnop" : : : "x9");
	return 0;
}
END
# shellcheck disable=SC2086
"$clang" -O1 -fno-omit-frame-pointer $guarded -o lost lost.c 2> lost.err
guards lost.err lost
for arguments in '' signed; do
	status=0
	sh -c "./lost $arguments; exit \$?" 2> lost.out || status=$?
	case $status in
	0) skip "this machine does not enforce branch protection${arguments:+ of return addresses}" ;;
	132 | 135 | 139) ;;
	*) fail "lost $arguments ended with $status: $(cat lost.out)" ;;
	esac
done

# Checks that the protection still holds with awake sleds: the patched text is guarded as before.
# shellcheck disable=SC2086
traced_cc $guarded -fno-omit-frame-pointer -o lost.traced lost.c 2> lost.err
guards lost.err lost.traced
status=0
traced trace.lost sh -c './lost.traced; exit $?' 2> lost.out || status=$?
case $status in
132) ;;
*) fail "lost in traced text ended with $status: $(cat lost.out)" ;;
esac
facts trace.lost
[ "$(entries trace.lost main)" = 1 ] || fail "the lost program has no trace"

for level in -O0 -O2 -Os; do
	# shellcheck disable=SC2086
	traced_cxx $level $guarded -Wno-infinite-recursion -o unwinding "$victims/calls/unwinding.cc" -pthread 2> unwinding.err
	guards unwinding.err unwinding
	status=0
	./unwinding > untraced.out || status=$?
	equal "$level: status untraced" "$status" 7
	for mode in log ring count; do
		status=0
		SPOOR_RUNTIME_MODE=$mode traced trace.$mode ./unwinding > out 2> err || status=$?
		equal "$level, $mode: status" "$status" 7
		silent err
		cmp untraced.out out
	done
	facts trace.log
	equal "$level: entries" "$(entries trace.log _Z7catchesi) $(entries trace.log _Z6throwsi) $(entries trace.log _Z5jumpsi)" \
		"1000 14506 5500"
done

# Runs with handlers of both kinds, in turn.
# shellcheck disable=SC2086
traced_cc $guarded -I"$top_srcdir/libspoor/include" -o handlers "$victims/threads/handlers.c" -pthread 2> handlers.err
guards handlers.err handlers
traced handled timeout 120 ./handlers 1000 > handlers.out || fail "handlers: $(cat handlers.out)"

# Checks that each trampoline and each of the stub's thunks begins with a landing pad.
for symbol in $(nm "$top_builddir/libspoor/.libs/libruntime.a" 2> /dev/null |
	sed -n 's/.* T \(spoor_\(log\|log_lse\|count\|count_lse\|order\|saving\|bare\|any_[a-z]*\)_\(entry\|exit\|tail\|framed\|unwind\|hooked\)\)$/\1/p' | sort -u); do
	objdump -d --no-show-raw-insn --disassemble="$symbol" "$top_builddir/libspoor/.libs/libspoor.so" |
		grep -m 1 "^ .*:" | grep -q 'bti' || fail "$symbol has no landing pad"
done
[ "$(objdump -d --no-show-raw-insn handlers | grep -A 1 '<spoor_dso_[a-z_]*>:$' | grep -c 'bti')" -ge 5 ] ||
	fail "a thunk has no landing pad"
rm -rf trace.*
