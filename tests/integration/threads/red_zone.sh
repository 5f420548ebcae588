#!/bin/sh
# SPDX-License-Identifier: MIT
# red_zone.sh - no byte below the stack pointer of a function that has a tracepoint changes, of spoor/sdt.h's or of
# SystemTap's header, by gcc and clang, while hits are recorded and signals come: functions that call nobody, and
# that keep what they have there, as their code tells, compare all of it. The hits are counted.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ "$SPOOR_ARCH" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone has a red zone"
spoor=$top_builddir/tools/spoor

for compiler in gcc "$clang"; do
	for level in -O1 -O2; do
		"$compiler" $level -fomit-frame-pointer -Wall -Wextra -Werror -I"$top_srcdir/libspoor/include" -fno-pie -no-pie -o zone \
			"$victims/threads/red_zone.c"
		# Below the stack pointer, which nobody moves, and nobody is called: the kernel alone comes in between.
		for leaf in ours theirs; do
			objdump -d --no-show-raw-insn zone | awk "/<leaf_$leaf>:/ { on = 1; next } on && NF == 0 { exit } on" > $leaf.code
			grep -q -- '-0x[0-9a-f]*(%rsp' $leaf.code || fail "$compiler $level: $leaf keeps nothing below the stack pointer"
			! grep -q 'call\|sub .*,%rsp' $leaf.code || fail "$compiler $level: $leaf: $(grep 'call\|sub .*,%rsp' $leaf.code)"
		done
		rm -rf t
		"$spoor" record -q -o t --tracepoint 'zone:*' ./zone > printed 2> err || fail "$compiler $level: status $?: $(cat err)"
		silent err
		"$spoor" export --format csv t | sed -n 's/.*,tracepoint,\(zone:[a-z]*\),.*/\1/p' | sort | uniq -c |
			awk '{ print $2, $1, 0 }' > got
		sort printed | cmp - got || fail "$compiler $level: printed, and recorded: $(diff printed got)"
		equal "tracepoints" "$(wc -l < got)" 4
	done
done
