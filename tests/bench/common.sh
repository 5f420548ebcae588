# SPDX-License-Identifier: MIT
# common.sh - what the parts of the benchmark share; for run to source.

bench=$top_srcdir/tests/bench
work=$top_builddir/tests/work/bench
spoor=$top_builddir/tools/spoor
spoor_cc=$top_builddir/tools/spoor-cc
runtime=$top_builddir/libspoor/.libs/libspoor.so
clang=$LLVM_BINDIR/clang
# Shared libraries with sleds of XRay's are nothing that older ones can make.
xray_clang=/usr/lib/llvm-22/bin/clang
llvm_xray=/usr/lib/llvm-22/bin/llvm-xray
last_processor=$(($(nproc) - 1))

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

# median - of the numbers on stdin.
median()
{
	sort -g | awk '{ n[NR] = $1 } END { if (!NR) exit 1; print (n[int((NR + 1) / 2)] + n[int(NR / 2) + 1]) / 2 }'
}

# calculate EXPRESSION - with awk's arithmetic.
calculate()
{
	awk "BEGIN { printf \"%.9g\", $* }"
}

# aim WHAT VALUE UNIT LIMIT - a line with the aim and whether it was met.
aim()
{
	awk -v what="$1" -v value="$2" -v unit="$3" -v limit="$4" 'BEGIN {
		printf "  %-4s  %-62s %9.4g %-12s aim: at most %.4g\n",
			(value <= limit) ? "PASS" : "MISS", what, value, unit, limit
	}'
}

# aim_least WHAT VALUE UNIT LIMIT - the same where more is better.
aim_least()
{
	awk -v what="$1" -v value="$2" -v unit="$3" -v limit="$4" 'BEGIN {
		printf "  %-4s  %-62s %9.4g %-12s aim: at least %.4g\n",
			(value >= limit) ? "PASS" : "MISS", what, value, unit, limit
	}'
}

# note WHAT VALUE UNIT - a line that has no aim.
note()
{
	awk -v what="$1" -v value="$2" -v unit="$3" 'BEGIN {
		printf "        %-62s %9.4g %s\n", what, value, unit
	}'
}

# recorded_events TRACE - how many events the trace has.
recorded_events()
{
	"$spoor" info "$1" | awk '$1 == "events" { sum += $2 } END { printf "%.0f\n", sum }'
}

# lost_events TRACE - how many events the trace says were lost.
lost_events()
{
	"$spoor" info "$1" | awk '
		/^  lost/ { list = 1; known = 1; next }
		/^  [^ ]/ { list = 0 }
		list { sum += $1 }
		END { if (!known) exit 1; printf "%.0f\n", sum }' || fail "$1: spoor info does not say what was lost"
}
