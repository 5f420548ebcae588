#!/bin/sh
# SPDX-License-Identifier: MIT
# event_counts.sh - spoor record, info and doctor count events, as the CSV export lists them, and not the words that
# events take: with tracepoints, with pauses that take words of time, in each mode that stores events. spoor info shows
# the session that all processes share.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor record does not run programs for another machine"
spoor=$top_builddir/tools/spoor

cat > counted.c <<'C'
#include <spoor/sdt.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x)
{
	SPOOR_SDT(counted, hit, x, x + 1, x + 2);
	return x + 1;
}
int main(void)
{
	pid_t child;

	for (int i = 0; i < 4; i++) {
		work(i);
		usleep(400000);
	}
	child = fork();
	work(9);
	if (child)
		wait(NULL);
	return 0;
}
C
traced_cc -I"$top_srcdir/libspoor/include" -o counted counted.c
for mode in log ring; do
	rm -rf t
	"$spoor" record -o t --mode $mode --tracepoint 'counted:*' ./counted 2> err || fail "$mode: status $?: $(cat err)"
	events=$("$spoor" export --format csv --flat t | awk -F, '$4 == "entry" || $4 == "exit" || $4 == "tracepoint"' | wc -l)
	equal "$mode: events in the CSV" "$events" 21	# 6 calls of work, one entry and two exits of main, 6 hits
	grep -q "^spoor: record: $events events of 2 processes in t, 0 lost" err || fail "$mode: not $events events: $(cat err)"
	"$spoor" info t > info
	equal "$mode: spoor info" "$(awk '$1 == "events" { n += $2 } END { print n }' info)" "$events"
	equal "$mode: sum of the threads" "$(awk '$NF == "events" { n += $(NF - 1) } END { print n }' info)" "$events"
	equal "$mode: sessions" "$(awk '$1 == "session" { print $2 }' info | sort | uniq -c | awk '{ print $1, length($2) }')" "2 16"
done
"$spoor" doctor t > said 2>&1 || true
equal "spoor doctor" "$(sed -n 's/.*: \([0-9]*\) events\{0,1\}$/\1/p' said | awk '{ n += $1 } END { print n }')" "$events"
