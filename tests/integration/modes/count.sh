#!/bin/sh
# SPDX-License-Identifier: MIT
# count.sh - mode 'count' counts every call of every function, as the program's own atomic
# counters do and as a log of the same run has it: of many threads and of more than there
# are lanes, beside signals, in forked children, of libraries that come and go, and up to
# the instant of kill -9. Nothing is timed, no pool exists; each tool says what there is.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

spoor=$top_builddir/tools/spoor
program count -ldl
library loaded
export SPOOR_RUNTIME_MODE=count

# reported PROCESS - calls by function, as the report has them; times must be empty.
reported()
{
	"$spoor" report --format=csv "$1" | awk -F, '
		NR == 1 { if ($0 != "function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns,stddev_ns,p50_ns,p99_ns,file,line,process,thread,thread_name,process_name") exit 1; next }
		NF != 17 || $4 $5 $6 $7 $8 $9 $10 $11 != "" { print "times are not empty: " $0 > "/dev/stderr"; exit 1 }
		$1 != "loaded_calls" { print $1, $3 }' | LC_ALL=C sort
}

# agrees TRACE [SLACK] - each process's counts are its own counters'; of kill -9, to a few
# calls that had begun and not counted themselves yet.
agrees()
{
	for process in "$1"/*; do
		pid=${process##*/}
		./count own "own.$pid" | LC_ALL=C sort > "$pid.own"
		reported "$process" > "$pid.counts" || fail "$1: no report of $pid"
		"$spoor" report --format=csv "$process" | awk -F, 'NR > 1 { print $3 }' | sort -c -rn ||
			fail "$1: not by calls, where there are no times"
		if [ -n "${2-}" ]; then
			join "$pid.own" "$pid.counts" | awk -v slack="$2" '$3 < $2 || $3 > $2 + slack { print; n++ } END { exit n > 0 }' ||
				fail "$1: own counters and counts of $pid"
			equal "$1: functions" "$(wc -l < "$pid.counts")" "$(wc -l < "$pid.own")"
		else
			cmp "$pid.own" "$pid.counts" || fail "$1: $(diff "$pid.own" "$pid.counts")"
		fi
		rm "own.$pid"
	done
}

# no_pool TRACE - no slices, no time stamps, and nothing to replay.
no_pool()
{
	[ ! -e "$(echo "$1"/*/events.spoor)" ] && [ ! -e "$(echo "$1"/*/pool.spoor)" ] || fail "$1: there is a pool"
	"$spoor" info "$1" > info || fail "$1: info: $?"
	grep -q '^  mode  *count' info || fail "info does not say the mode"
	grep -q "^  counts  *$(awk '{ n += $2 } END { printf "%.0f calls of %d functions", n, NR }' "$pid.counts")" info ||
		fail "info's counts: $(grep counts info)"
	for command in replay "export --format=csv" "export --format=chrome"; do
		"$spoor" $command "$1" > out 2> err || fail "$command: $?"
		grep -q 'nothing to show' err || fail "$command does not say that there is nothing to show"
	done
}

run()
{
	traced threads ./count threads 200
	agrees threads
	no_pool threads

	# The same run, logged.
	cp "$pid.counts" threads.counts
	SPOOR_RUNTIME_MODE=log traced logged ./count threads 200
	"$spoor" report --format=csv logged | awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort > logged.counts
	cmp threads.counts logged.counts || fail "count and log differ: $(diff threads.counts logged.counts)"

	# More threads than lanes, at once and one after the other; memory stays bounded.
	traced waves ./count waves 10000
	agrees waves
	blocks=$(du -k waves/*/counts.spoor | cut -f1)
	[ "$blocks" -le 1024 ] || fail "10,000 threads take $blocks KiB"

	traced storm ./count storm 3000000 > storm.out
	agrees storm
	[ "$(cat storm.out)" -gt 10 ] || fail "storm: $(cat storm.out) signals"

	traced fork ./count fork 6
	equal "fork: processes" "$(ls fork | wc -l)" 10
	agrees fork
	# Of a sparse file nothing is read ahead: that would be its lanes, in each of many processes. An emulator
	# keeps such advice to itself.
	for file in fork/*/counts.spoor; do
		[ -n "$emulated" ] || [ "$(fincore -b -n -o RES "$file")" -lt 1000000 ] || fail "fork: $(fincore "$file")"
	done

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
	# By the recorder's option, and by a file.
	unset SPOOR_RUNTIME_MODE
	"$spoor" record --mode count -o option -- ./count threads 3 2> option.err
	agrees option
	grep -q 'calls counted' option.err || fail "the recorder does not say what it counted: $(cat option.err)"
	printf 'mode = "count"\n' > count.toml
	SPOOR_RUNTIME_CONFIG_FILE=$PWD/count.toml traced toml ./count threads 3
	agrees toml
	LIFE_RECORD=1 "$life_script"
fi
