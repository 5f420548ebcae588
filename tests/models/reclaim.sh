#!/bin/sh
# SPDX-License-Identifier: MIT
# reclaim.sh - checks with spin that a thread can take another thread's slice at any moment, and that each rule that
# libspoor/event/reclaim.c lists after the first one is necessary.
set -eu
work=$top_builddir/tests/work/reclaim_model
model=$(cd "$top_srcdir" && pwd)/tests/models/reclaim.pml
rm -rf "$work"
mkdir -p "$work"
cd "$work"
command -v spin > /dev/null || { echo "reclaim: skipped: spin is not installed" >&2; exit 77; }

# faults WITHOUT - prints the number of faults that spin finds.
faults()
{
	rm -f pan*
	spin -a -DWITHOUT="$1" "$model" > spin.out || { cat spin.out >&2; exit 1; }
	cc -O1 -w -DSAFETY -o pan pan.c
	./pan > pan.out
	! grep -q 'max search depth too small\|out of memory' pan.out || { cat pan.out >&2; exit 1; }
	sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.out
}

rules=$(grep -c '^ \*   [0-9]  ' "$top_srcdir/libspoor/event/reclaim.c")
[ "$rules" = 4 ] || { echo "reclaim: $rules rules in reclaim.c instead of the 4 in the model" >&2; exit 1; }
[ "$(faults 0)" = 0 ] || { echo "reclaim: $(cat pan.out)" >&2; exit 1; }
for rule in $(seq 2 "$rules"); do
	[ "$(faults "$rule")" -ge 1 ] || { echo "reclaim: rule $rule is not necessary" >&2; exit 1; }
done
