#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_marks.sh - GCC's code has marks where control arrives by setjmp (with its result in a variable, in memory, or
# ignored), by __builtin_setjmp, and by a goto out of a nested function. Later calls are children of the function in
# which control arrived.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder gcc_marks
use_newest_gcc

for options in -O0 -O1 -O2 "-O3 -fno-omit-frame-pointer" -Os "-O2 -flto" "-O2 -fcf-protection=full"; do
	[ "$SPOOR_ARCH" = x86_64 ] || [ "${options%-fcf*}" = "$options" ] || continue
	"$gcc" $options -w -z execstack "$gcc_programs/arrivals.c" -o plain 2> messages || fail "$(cat messages)"
	"$spoor_gcc" $options -w -z execstack "$gcc_programs/arrivals.c" -o sleds 2> messages || fail "$(cat messages)"
	runs_alike "$options" plain sleds
	"$spoor" replay sleds.trace > tree
	# The name of the caller of each after(), by the indentation of the lines that open a call.
	awk '{
		line = substr($0, 14)
		match(line, /^ */)
		depth = RLENGTH
		sub(/^ */, "", line)
		if (line ~ /^[a-z_]+.*[{;]$/) {
			name = line; sub(/[^a-z_].*/, "", name)
			if (name == "after") print open[depth - 2]
			open[depth] = name
		}
	}' tree > callers
	printf '%s\n' arrive_setjmp arrive_without_result arrive_in_memory arrive_builtin arrive_nonlocal | sort > wanted
	sort callers | cmp - wanted || fail "$options: after() has other callers, in this tree: $(cat tree)"
	[ "$("$spoor" report --format=csv sleds.trace | awk -F, '$1 == "dive" || $1 == "dive()" { n += $3 } END { print n }')" = 14 ] ||
		fail "$options: dive is not called 14 times: $("$spoor" report --format=csv sleds.trace)"
done
