#!/bin/sh
# SPDX-License-Identifier: MIT
# out_of_memory.sh - if the kernel kills a process because its control group is out of memory, the trace has each call
# that had returned, and at most one more for each thread. The victim counts its calls itself. In mode log, ring and
# count.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program ends
threads=3
kib=65536

# Makes a smaller group inside the group of this script, of version 1 or 2.
own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ -n "$own" ]; then
	parent=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2 }' /proc/mounts | head -n 1)$own
	limit_file=memory.limit_in_bytes kills_file=memory.oom_control
else
	parent=$(awk '$3 == "cgroup2" { print $2 }' /proc/mounts | head -n 1)$(sed -n 's/^0:://p' /proc/self/cgroup)
	limit_file=memory.max kills_file=memory.events
fi
group=$parent/spoor-test-$$
[ "$(id -u)" = 0 ] || skip "making a control group requires root"
mkdir "$group" 2> /dev/null || skip "no control group can be made in $parent"
trap 'rmdir "$group"' EXIT
if ! echo $((kib * 1024)) 2> /dev/null > "$group/$limit_file"; then
	skip "the memory of a control group in $parent cannot be limited"
fi
# The group must not use swap.
echo $((kib * 1024)) 2> /dev/null > "$group/memory.memsw.limit_in_bytes" || :
echo 0 2> /dev/null > "$group/memory.swap.max" || :

# By default spoor uses a share of the group's memory, and the kernel kills no process.
program hello
for mode in log ring; do
	# shellcheck disable=SC2016
	SPOOR_RUNTIME_MODE=$mode traced "fits.$mode" sh -c 'echo $$ > "$1/cgroup.procs" && exec ./hello 10000000' sh "$group" \
		> "fits.$mode.out" 2> "fits.$mode.err" ||
			fail "$mode: a program that fits without spoor ended with status $?: $(cat "fits.$mode.err")"
	silent "fits.$mode.err"
done

# The following runs use a pool that exceeds the memory.
SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=33554432
export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY

kills()
{
	sed -n 's/^oom_kill //p' "$group/$kills_file"
}

# run TRACE - runs the victim in the group until the kernel kills it.
run()
{
	before=$(kills)
	status=0
	# shellcheck disable=SC2016
	traced "$1" timeout -s KILL 60 sh -c 'echo $$ > "$1/cgroup.procs" && exec ./ends "$2.counts" memory "$3" 10000' \
		sh "$group" "$1" $threads 2> "$1.err" > "$1.out" || status=$?
	equal "$1: status" "$status" 137
	equal "$1: processes killed by the kernel" $(($(kills) - before)) 1
	silent "$1.err"
}

# counted TRACE - prints the victim's counts, the highest first.
counted()
{
	od -A n -t u8 -w64 -v "$1.counts" | awk '{ print $1 }' | sort -rn | head -n $threads
}

# all_run TRACE - does the same, and repeats it if a thread never ran before the end.
all_run()
{
	for try in 1 2 3; do
		run "$1"
		! counted "$1" | grep -qx 0 || continue
		break
	done
}

all_run log
facts log
awk -F'\t' '$1 == "thread" { print $5 }' log.facts | sort -rn > log.entries
counted log > log.counted
equal "log: threads" "$(wc -l < log.entries)" $threads
paste log.entries log.counted | awk '{ if ($1 < $2 || $1 > $2 + 1) bad = 1 } END { exit bad }' ||
	fail "log: the calls in the trace do not match the counted calls: $(paste log.entries log.counted)"
equal "log: lost" "$(lost log)" 0
equal "log: the report" "$(reported log leaf)" "$(entries log leaf)"
"$top_builddir/tools/spoor" replay log > log.replay 2> log.said || fail "log: spoor replay failed: $(cat log.said)"

# The ring has the newest events up to the last one, without a gap.
export SPOOR_RUNTIME_MODE=ring
all_run ring
unset SPOOR_RUNTIME_MODE
facts -n ring
"$top_builddir/tools/spoor" export --format=csv --flat ring > ring.csv 2> ring.said ||
	fail "ring: spoor export failed: $(cat ring.said)"
awk -F, 'NR > 1 && $5 == "leaf" {
		if ($4 == last[$3]) { print "twice", $0; bad = 1 }
		last[$3] = $4; events[$3]++
	}
	END { for (t in events) { threads++; if (events[t] < 2000) bad = 1 } exit bad || threads != '$threads' }' ring.csv > ring.odd ||
	fail "ring: events repeat, or a thread has fewer than 2,000: $(head -n 3 ring.odd)"
equal "ring: lost" "$(lost ring)" 0

SPOOR_RUNTIME_MODE=count run count
counts=$(reported count leaf)
own_counts=$(counted count | awk '{ n += $1 } END { printf "%.0f\n", n }')
[ "$counts" -ge "$own_counts" ] && [ "$counts" -le $((own_counts + threads)) ] ||
	fail "count: the report has $counts calls, and the victim counted $own_counts"

# The same with a recorder outside the group.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
