#!/bin/sh
# SPDX-License-Identifier: MIT
# red_zone.sh - a tracepoint changes no byte below the stack pointer of its function, with spoor/sdt.h or SystemTap's
# header, by gcc and clang, while hits are recorded and signals arrive. Leaf functions keep data in their red zone and
# compare all of it; their code is checked for this. The hits are counted.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ "$SPOOR_ARCH" = x86_64 ] && [ -z "$emulated" ] || skip "only x86-64 has a red zone"
spoor=$top_builddir/tools/spoor

for compiler in gcc "$clang"; do
	for level in -O1 -O2; do
		"$compiler" $level -fomit-frame-pointer -Wall -Wextra -Werror -I"$top_srcdir/libspoor/include" -fno-pie -no-pie -o zone \
			"$victims/threads/red_zone.c"
		# The functions use memory below the stack pointer, do not move it, and call no function: only the
		# kernel interrupts them.
		for leaf in ours theirs; do
			objdump -d --no-show-raw-insn zone | awk "/<leaf_$leaf>:/ { on = 1; next } on && NF == 0 { exit } on" > $leaf.code
			grep -q -- '-0x[0-9a-f]*(%rsp' $leaf.code ||
				fail "$compiler $level: leaf_$leaf keeps no data below the stack pointer:" \
					"$(cat $leaf.code)"
			! grep -q 'call\|sub .*,%rsp' $leaf.code ||
				fail "$compiler $level: leaf_$leaf calls a function or moves the stack pointer:" \
					"$(grep 'call\|sub .*,%rsp' $leaf.code)"
		done
		rm -rf t
		"$spoor" record -q -o t --tracepoint 'zone:*' ./zone > printed 2> err ||
			fail "$compiler $level: the recorder ended with status $?: $(cat err)"
		silent err
		"$spoor" export --format csv --flat t | sed -n 's/.*,tracepoint,\(zone:[a-z]*\),.*/\1/p' | sort | uniq -c |
			awk '{ print $2, $1, 0 }' > got
		sort printed | cmp - got ||
			fail "$compiler $level: printed (<) and recorded hits (>) differ: $(diff printed got)"
		equal "tracepoints" "$(wc -l < got)" 4
	done
done
