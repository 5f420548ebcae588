#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_left.sh - what a process has in its pool is read: while it runs, and after
# it was killed.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# calls TRACE FUNCTION
calls()
{
	"$spoor" report --format=csv "$1" | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

program recorded

# Killed at once: nothing was drained.
{ traced t ./recorded signal 9; } 2> /dev/null || true
equal "leaf before SIGKILL" "$(calls t leaf)" 3
"$spoor" info t | grep -q 'of them still in the pool' || fail "info does not tell of the pool"
"$spoor" info t | grep -q 'ended  *no' || fail "info does not tell that it was killed"
rm -rf t

# Running: what it has called so far, in the middle of main.
mkfifo ready
SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor ./recorded wait > ready &
traced_process=$!
trap 'kill $traced_process 2> /dev/null || true' EXIT
{
	read -r line
	equal "branch while it runs" "$(calls t branch)" 1
	"$spoor" replay t | grep -q '} main()  # still running' || fail "main is not shown as running"
	kill -TERM $traced_process
	read -r line
} < ready
wait $traced_process || true
equal "branch in the end" "$(calls t branch)" 1
"$spoor" replay t | grep -q '} main()$' || fail "main does not end"
"$spoor" info t | grep -q 'ended  *in order' || fail "it did not end in order"
rm -rf t ready

# Killed after millions of calls: whatever was drained and what was not, in order,
# nothing twice, and every call closed but those that SIGKILL closed.
traced t sh -c './recorded many 2000000000 & until [ -n "$(find t -name events.spoor -size +1000k)" ]; do sleep 0.01; done
	kill -9 $!; wait' > /dev/null 2>&1 || true
"$spoor" export --format=csv t > events.csv
awk -F, '
	NR == 1 { next }
	$1 < before { print "runs backwards at line " NR; bad = 1 }
	{ before = $1 }
	$5 == "leaf" { if ($4 == kind) { print "two of a kind at line " NR; bad = 1 } kind = $4; n++ }
	$4 ~ /lost/ { print "lost: " $0 }
	END { if (n < 1000) { print n " events of leaf are too few"; bad = 1 } exit bad }' events.csv > check || fail "$(head check)"
