#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_left.sh - the tools read events that are still in the pool of a process, while it runs and after it was killed.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# calls TRACE FUNCTION - prints the number of calls in the trace.
calls()
{
	"$spoor" report --format=csv "$1" | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

program recorded

# The process is killed at once, before its pool was drained.
{ traced t ./recorded signal 9; } 2> /dev/null || true
equal "leaf before SIGKILL" "$(calls t leaf)" 3
"$spoor" info t | grep -q 'of them still in the pool' ||
	fail "spoor info does not mention events in the pool: $("$spoor" info t)"
"$spoor" info t | grep -q 'ended  *no' ||
	fail "spoor info does not show that the process was killed: $("$spoor" info t)"
rm -rf t

# The process is running, inside main.
mkfifo ready
SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor ./recorded wait > ready &
traced_process=$!
trap 'kill $traced_process 2> /dev/null || true' EXIT
{
	read -r line
	equal "branch while it runs" "$(calls t branch)" 1
	"$spoor" replay t | grep -q '} main()  # still running' ||
		fail "spoor replay does not show main as running: $("$spoor" replay t)"
	kill -TERM $traced_process
	read -r line
} < ready
wait $traced_process || true
equal "branch in the end" "$(calls t branch)" 1
"$spoor" replay t | grep -q '} main()$' || fail "spoor replay does not show the end of main: $("$spoor" replay t)"
"$spoor" info t | grep -q 'ended  *in order' ||
	fail "spoor info does not show that the process ended in order: $("$spoor" info t)"
rm -rf t ready

# The process is killed after millions of calls: drained and undrained events are in order, no event appears twice,
# and each call is closed except those that SIGKILL ended.
traced t sh -c './recorded many 2000000000 & until [ -n "$(find t -name events.spoor -size +1000k)" ]; do sleep 0.01; done
	kill -9 $!; wait' > /dev/null 2>&1 || true
"$spoor" export --format=csv --flat t > events.csv
awk -F, '
	NR == 1 { next }
	$1 < before { print "runs backwards at line " NR; bad = 1 }
	{ before = $1 }
	$5 == "leaf" { if ($4 == kind) { print "two of a kind at line " NR; bad = 1 } kind = $4; n++ }
	$4 ~ /lost/ { kind = ""; print "lost: " $0 }
	END { if (n < 1000) { print n " events of leaf are too few"; bad = 1 } exit bad }' events.csv > check ||
		fail "the exported events are wrong: $(head check)"
