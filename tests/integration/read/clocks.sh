#!/bin/sh
# SPDX-License-Identifier: MIT
# clocks.sh - the tools show times of CLOCK_MONOTONIC: each call lies between the two readings that the program took
# around it, to within a microsecond, with many slices or few. Each kind of run takes 5 seconds, and ten minutes in
# the long form. The same is true if the time stamp counter is unreliable.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

seconds=5
step=5
[ -z "${SPOOR_LONG-}" ] || { seconds=600; step=50; }
program clocks

# right NAME [busy] [killed] - runs the program; the largest error stays in NAME.worst, in nanoseconds.
right()
{
	status=0 wanted=0
	[ "${3-${2-}}" != killed ] || wanted=137
	# shellcheck disable=SC2086
	traced $1 ./clocks $seconds $step ${2-} ${3-} > $1.readings 2> $1.err || status=$?
	equal "$1: status" $status $wanted
	silent $1.err
	"$top_builddir/tools/spoor" export --format=csv --flat $1 | awk -F, '$4 == "entry" && $5 == "marked" { print $1 }' > $1.times
	equal "$1: calls" "$(wc -l < $1.times)" "$(wc -l < $1.readings)"
	[ "$(wc -l < $1.times)" -gt $((seconds * 100 / step)) ] ||
		fail "$1: the trace has only $(wc -l < $1.times) calls"
	lasted=$(awk 'NR == 1 { first = $1 } END { printf "%d", ($1 - first) / 1e9 }' $1.readings)
	[ "$lasted" -ge $((seconds * 9 / 10)) ] || fail "$1: the run lasted only $lasted seconds"
	# In microseconds since the first reading, because 53 bits cannot hold all digits.
	paste $1.readings $1.times | awk '
		function since(text) { return (substr(text, 1, length(text) - 9) - base) * 1e9 + substr(text, length(text) - 8) }
		NR == 1 { base = substr($1, 1, length($1) - 9) }
		{ early = since($1) - since($3); late = since($3) - since($2) }
		early > worst { worst = early } late > worst { worst = late }
		END { print worst + 0; exit worst > 1000 }' > $1.worst || fail "$1: a time is $(cat $1.worst) ns off"
}

# All runs at the same time: each sleeps nearly all the time.
runs=
for LIFE_RECORD in "" 1; do
	right idle$LIFE_RECORD &
	runs="$runs $!"
	right busy$LIFE_RECORD busy &
	runs="$runs $!"
done
# If a process is killed, only its pool has the time.
LIFE_RECORD=
for mode in log ring; do
	SPOOR_RUNTIME_MODE=$mode right killed-$mode killed &
	runs="$runs $!"
	SPOOR_RUNTIME_MODE=$mode right killed-busy-$mode busy killed &
	runs="$runs $!"
done
for run in $runs; do
	wait "$run" || exit 1
done

# Without the time stamp counter, times are readings of the clock itself, without any error, for each drainer; and the
# trace says so.
seconds=2 step=2
export SPOOR_RUNTIME_TIME_STAMP_COUNTER=false
for LIFE_RECORD in "" 1; do
	for mode in log ring; do
		SPOOR_RUNTIME_MODE=$mode right clock-$mode$LIFE_RECORD busy
		equal "clock-$mode: worst" "$(cat clock-$mode$LIFE_RECORD.worst)" 0
		facts -n clock-$mode$LIFE_RECORD
		equal "clock-$mode: lost" "$(lost clock-$mode$LIFE_RECORD)" 0
		"$top_builddir/tools/spoor" info clock-$mode$LIFE_RECORD | grep -q '^  times  *by CLOCK_MONOTONIC at each event' ||
			fail "clock-$mode: spoor info does not show the clock:" \
				"$("$top_builddir/tools/spoor" info clock-$mode$LIFE_RECORD)"
	done
done
unset SPOOR_RUNTIME_TIME_STAMP_COUNTER
LIFE_RECORD=

# Only x86-64 lets the kernel forbid reading the counter.
[ "$SPOOR_ARCH" = x86_64 ] || exit 0

# If reading the counter is forbidden, spoor does not trace: the first event would end the program. Libraries that are
# loaded last start first.
cat > forbids.c <<'SOURCE'
#include <sys/prctl.h>
__attribute__((constructor)) static void forbid(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}
SOURCE
"$clang" -fPIC -shared -o libforbids.so forbids.c
program hello
LD_PRELOAD=$work/libforbids.so ./hello 10 > wanted || fail "forbidden: the untraced program ended with status $?"
SPOOR_RUNTIME_TRACE_PATH=forbidden LD_PRELOAD=$libspoor:$work/libforbids.so ./hello 10 > out 2> err ||
	fail "forbidden: the program ended with status $?: $(cat err)"
cmp wanted out
said_once err 'forbids reading the time stamp counter.*the program runs untraced'
[ ! -e forbidden ] || fail "forbidden: there is a trace: $(ls forbidden)"
