#!/bin/sh
# SPDX-License-Identifier: MIT
# count.sh - mode count counts every call of every function. The counts match the program's own atomic counters, and a
# log of the same run: with many threads and more threads than lanes, with signals, in forked children, for libraries
# that are loaded and unloaded, and until kill -9. There are no times and no pool, and each tool says so.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

spoor=$top_builddir/tools/spoor
program count -ldl
library loaded
export SPOOR_RUNTIME_MODE=count
waves=10000 calls=3000000
# Emulators are slow.
[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || waves=2000 calls=600000

# reported PROCESS - prints the calls of each function in the report; times must be empty.
reported()
{
	"$reader" report --format=csv "$1" | awk -F, '
		NR == 1 { if (index($0, "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns,stddev_ns,p50_ns,p99_ns,file,line,process,thread,thread_name,process_name") != 1) exit 1; next }
		NF < 17 || $4 $5 $6 $7 $8 $9 $10 $11 != "" { print "times are not empty: " $0 > "/dev/stderr"; exit 1 }
		$1 != "loaded_calls" { print $1, $3 }' | LC_ALL=C sort
}

# agrees TRACE [SLACK] - compares the counts of each process with its own counters. After kill -9 they may differ by
# SLACK calls that had begun and were not counted by the program.
agrees()
{
	for process in "$1"/[0-9]*; do
		pid=${process##*/}
		./count own "own.$pid" | LC_ALL=C sort > "$pid.own"
		reported "$process" > "$pid.counts" || fail "$1: spoor report failed for process $pid"
		"$reader" report --format=csv "$process" | awk -F, 'NR > 1 { print $3 }' | sort -c -rn ||
			fail "$1: the report is not sorted by calls although it has no times:" \
				"$("$reader" report --format=csv "$process")"
		if [ -n "${2-}" ]; then
			join "$pid.own" "$pid.counts" | awk -v slack="$2" '$3 < $2 || $3 > $2 + slack { print; n++ } END { exit n > 0 }' ||
				fail "$1: the counts of process $pid differ from its own counters by more than $2" \
					"(see above)"
			equal "$1: functions" "$(wc -l < "$pid.counts")" "$(wc -l < "$pid.own")"
		else
			cmp "$pid.own" "$pid.counts" ||
				fail "$1: the counts of process $pid (>) differ from its own counters (<):" \
					"$(diff "$pid.own" "$pid.counts")"
		fi
		rm "own.$pid"
	done
}

# no_pool TRACE - checks that the trace has no slices, no time stamps, and nothing to replay.
no_pool()
{
	[ ! -e "$(echo "$1"/*/events.spoor)" ] && [ ! -e "$(echo "$1"/*/pool.spoor)" ] ||
		fail "$1: mode count made a pool or an events file: $(ls "$1"/*)"
	"$reader" info "$1" > info || fail "$1: spoor info ended with status $?"
	grep -q '^  mode  *count' info || fail "spoor info does not show mode count: $(cat info)"
	grep -q "^  counts  *$(awk '{ n += $2 } END { printf "%.0f calls of %d functions", n, NR }' "$pid.counts")" info ||
		fail "spoor info shows other counts: $(grep counts info)"
	for command in replay "export --format=csv --flat" "export --format=chrome"; do
		"$reader" $command "$1" > out 2> err || fail "spoor $command ended with status $?: $(cat err)"
		grep -q 'omits [0-9]* counted calls' err ||
			fail "spoor $command does not say that it omits counts: $(cat err)"
	done
}

run()
{
	traced threads ./count threads 200
	agrees threads
	no_pool threads

	# The same run in mode log.
	cp "$pid.counts" threads.counts
	SPOOR_RUNTIME_MODE=log traced logged ./count threads 200
	"$reader" report --format=csv logged | awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort > logged.counts
	cmp threads.counts logged.counts ||
		fail "mode count (<) and mode log (>) differ: $(diff threads.counts logged.counts)"

	# More threads than lanes, at the same time and one after the other; memory stays bounded.
	traced waves ./count waves "$waves"
	agrees waves
	blocks=$(du -k waves/*/counts.spoor | cut -f1)
	[ "$blocks" -le 1024 ] || fail "the counts of $waves threads take $blocks KiB"

	traced storm ./count storm "$calls" > storm.out
	agrees storm
	[ "$(cat storm.out)" -gt 10 ] || fail "storm: only $(cat storm.out) signals arrived"

	traced fork ./count fork 6
	equal "fork: processes" "$(ls -d fork/[0-9]* | wc -l)" 10
	# The kernel must not read ahead in a sparse file, which would read all lanes in each process: 16 MiB. The
	# process itself needs 12 KiB; a recorder has read more. An emulator does not pass this advice to the kernel.
	for file in fork/*/counts.spoor; do
		[ -n "$emulated" ] || [ "$(fincore -b -n -o RES "$file")" -lt 1000000 ] ||
			fail "fork: the kernel read ahead in a file of counts: $(fincore "$file")"
	done
	agrees fork

	traced reload ./count reload 200
	agrees reload
	equal "reload: calls" "$(grep -c '^loaded_value 600$' "$pid.counts")" 1

	for time in 20000 50000 100000 200000; do
		status=0
		(traced killed ./count kill $time) 2> killed.err || status=$?
		equal "killed: status" $status 137
		agrees killed 5
	done
}
run
if [ -z "${LIFE_RECORD-}" ]; then
	# The mode from the recorder's option, and from a configuration file.
	unset SPOOR_RUNTIME_MODE
	"$spoor" record --mode count -o option -- ./count threads 3 2> option.err
	agrees option
	grep -q 'calls counted' option.err || fail "the recorder does not report the counted calls: $(cat option.err)"
	printf 'mode = "count"\n' > count.toml
	SPOOR_RUNTIME_CONFIG_FILE=$PWD/count.toml traced toml ./count threads 3
	agrees toml
	LIFE_RECORD=1 "$life_script"
fi
