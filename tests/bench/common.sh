# SPDX-License-Identifier: MIT
# common.sh - functions that all parts of the benchmark share; run sources this file.

bench=$top_srcdir/tests/bench
clang=$LLVM_BINDIR/clang
# Shared libraries with sleds of XRay need a recent clang.
xray_clang=/usr/lib/llvm-22/bin/clang
llvm_xray=/usr/lib/llvm-22/bin/llvm-xray
last_processor=$(($(nproc) - 1))

# use_build FOLDER [WORK] - makes the parts measure the spoor that was built in FOLDER, and work in the folder WORK.
use_build()
{
	top_builddir=$1
	work=${2:-$1/tests/work/bench}
	spoor=$1/tools/spoor
	spoor_cc=$1/tools/spoor-cc
	runtime=$1/libspoor/.libs/libspoor.so
	test -e "$runtime" || fail "$runtime is missing: build spoor first"
}

fail()
{
	echo "bench: $*" >&2
	exit 1
}

say()
{
	test -t 2 && printf '\r\033[K%s' "$*" >&2
	return 0
}

heading()
{
	say ""
	printf '\n%s\n\n' "$*"
}

# build_spawning - builds the program that runs another one several times.
build_spawning()
{
	"$clang" -O2 -Wall -Wextra -o "$work/spawning" "$bench/spawning.c"
}

# median - prints the median of the numbers on stdin.
median()
{
	sort -g | awk '{ n[NR] = $1 } END { if (!NR) exit 1; print (n[int((NR + 1) / 2)] + n[int(NR / 2) + 1]) / 2 }'
}

# calculate EXPRESSION - prints the value of an expression of awk.
calculate()
{
	awk "BEGIN { printf \"%.9g\", $* }"
}

# aim WHAT VALUE UNIT LIMIT - prints a line with the value, the limit and whether the value meets it.
aim()
{
	awk -v what="$1" -v value="$2" -v unit="$3" -v limit="$4" 'BEGIN {
		printf "  %-4s  %-62s %9.4g %-12s aim: at most %.4g\n",
			(value <= limit) ? "PASS" : "MISS", what, value, unit, limit
	}'
}

# aim_least WHAT VALUE UNIT LIMIT - the same for values of which larger is better.
aim_least()
{
	awk -v what="$1" -v value="$2" -v unit="$3" -v limit="$4" 'BEGIN {
		printf "  %-4s  %-62s %9.4g %-12s aim: at least %.4g\n",
			(value >= limit) ? "PASS" : "MISS", what, value, unit, limit
	}'
}

# note WHAT VALUE UNIT - prints a line without a limit.
note()
{
	awk -v what="$1" -v value="$2" -v unit="$3" 'BEGIN {
		printf "        %-62s %9.4g %s\n", what, value, unit
	}'
}

# recorded_events TRACE - prints the number of events in the trace.
recorded_events()
{
	"$spoor" info "$1" | awk '$1 == "events" { sum += $2 } END { printf "%.0f\n", sum }'
}

# lost_events TRACE - prints the number of events that the trace lost.
lost_events()
{
	"$spoor" info "$1" | awk '
		/^  lost/ { list = 1; known = 1; next }
		/^  [^ ]/ { list = 0 }
		list { sum += $1 }
		END { if (!known) exit 1; printf "%.0f\n", sum }' || fail "$1: spoor info prints no number of lost events"
}
