#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh - checks with spin that the accesses that two threads share are correct in any order that a weakly
# ordered machine allows, and that each barrier is necessary. trampolines/README.md lists the barriers.
set -eu
work=$top_builddir/tests/work/memory_model
model=$(cd "$top_srcdir" && pwd)/tests/models/memory.pml
rm -rf "$work"
mkdir -p "$work"
cd "$work"
command -v spin > /dev/null || { echo "memory: skipped: spin is not installed" >&2; exit 77; }

# faults PAIR WITHOUT - prints the number of faults that spin finds.
faults()
{
	rm -f pan*
	spin -a -DPAIR="$1" -DWITHOUT="$2" "$model" > spin.out || { cat spin.out >&2; exit 1; }
	"$LLVM_BINDIR/clang" -O0 -w -DSAFETY -o pan pan.c
	./pan > pan.out
	! grep -q 'max search depth too small\|out of memory' pan.out || { cat pan.out >&2; exit 1; }
	sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.out
}

pairs=$(grep -c '^#.*if PAIR == [0-9]*	' "$model")
argued=$(grep -c '^| [0-9]* |' "$top_srcdir/trampolines/README.md")
[ "$pairs" -ge 12 ] && [ "$pairs" = "$argued" ] || { echo "memory: $pairs pairs in the model, $argued in trampolines/README.md" >&2; exit 1; }
for pair in $(seq "$pairs"); do
	[ "$(faults "$pair" 0)" = 0 ] || { echo "memory: pair $pair: $(cat pan.out)" >&2; exit 1; }
	case $pair in
	3) barriers=1 ;;
	9) barriers=4 ;;
	10) barriers=3 ;;
	*) barriers=2 ;;
	esac
	for without in $(seq $barriers); do
		[ "$(faults "$pair" "$without")" -ge 1 ] ||
			{ echo "memory: pair $pair: barrier $without is not necessary" >&2; exit 1; }
	done
done
