#!/bin/sh
# SPDX-License-Identifier: MIT
# replay.sh - replay shows exactly the recorded events: by thread, all threads by time, the slowest calls, by time
# range, library, duration, function and depth. Reports and exports of the same part agree. Memory does not grow with
# the number of events. On a terminal there are colours and a pager.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
make=$top_builddir/tests/integration/support/make_replayed
command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"

rounds=4
[ -z "${SPOOR_LONG-}" ] || rounds=100
for seed in $(seq "$rounds"); do
	rm -rf random
	"$make" random $((seed % 4 * 3 + 1)) 2000 "$seed"
	"$spoor" export --format=csv --flat random > random.csv 2> csv.err ||
		fail "seed $seed: spoor export failed: $(cat csv.err)"
	# The start of time in trace_writer.h.
	python3 "$top_srcdir/tests/integration/readers/replay.py" random.csv 5000000000000 "$spoor" random "$seed" ||
		fail "seed $seed: replay.py found differences (see above)"
done

cp -r random damaged
printf 'damaged' | dd of=damaged/1000/events.spoor bs=1 seek=200 conv=notrunc 2> dd.err
"$make" random.large 3 100000 1
python3 "$top_srcdir/tests/integration/readers/replay_terminal.py" "$spoor" random damaged random.large ||
	fail "replay on a terminal is wrong: replay_terminal.py printed the reason above"

# Ten thousand threads at the same time, few descriptors, and memory for a slice of each.
kib=600000
! nm "$spoor" | grep -q ' U __[at]san_init\| T __asan_init' || kib=unlimited
"$make" crowd 10000 60000 1
(ulimit -n 16; ulimit -v $kib; exec "$spoor" replay -t --merge crowd) > crowd.merged 2> crowd.err ||
	fail "replay of ten thousand threads failed: $(cat crowd.err)"
# User events may have their own times, out of order with the lines around them.
awk '$1 ~ /^[0-9]/ && !/ # user event / { if ($1 + 0 < last) exit 1; last = $1 + 0; n++ } END { exit n < 30000 }' crowd.merged ||
	fail "the lines of ten thousand threads are not sorted by time"
equal "threads that are there" "$(awk '$1 ~ /^[0-9]/ && !/ [nu]s  .*[nu]s  / { for (i = 2; i <= 4; i++) if ($i ~ /^[0-9]+$/ && $i >= 5000 && $(i + 1) ~ /^process/) print $i }' \
	crowd.merged | sort -u | wc -l)" "$("$spoor" replay crowd 2> crowd.err | grep -c '^# thread')"

# More events need no more memory: short calls, and calls around them.
cat > peak.py <<'END'
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
# 1: no library matches
assert os.waitstatus_to_exitcode(status) in (0, 1), status
print(usage.ru_maxrss)
END
if [ "$kib" != unlimited ]; then
	for calls in 30000 600000; do
		"$top_builddir/tests/unit/support/make_trace" trace.$calls $calls 2
	done
	for options in "--min-duration 1s" "--merge --min-duration 1ms" "--slowest 3" "--merge" "--time 1us.. --library none"; do
		few=$(python3 peak.py "$spoor" replay $options trace.30000)
		many=$(python3 peak.py "$spoor" replay $options trace.600000)
		[ "$many" -lt $((few + 2000)) ] ||
			fail "replay $options: needs $few KiB, and $many KiB for twenty times as many events"
	done
fi

# refused MESSAGE COMMAND... - checks that the command line is rejected with this message.
refused()
{
	message=$1 status=0
	shift
	"$spoor" "$@" random > out 2> err || status=$?
	[ "$status" = 2 ] && grep -q -- "$message" err || fail "$*: status $status, or no '$message' in: $(cat err)"
}
for range in '' 1s .. 1s..1s 2s..1s 1..2 1s...2s -1s..2s 1d..2d 1s..2s..3s 99999999999s.. 1.s.. .5s.. x..y; do
	refused "--time: '$range' " replay --time "$range"
done
for time in '' 5 1d -1ms ms 1.ms 20us..; do
	refused "--min-duration: '$time' is not a time" export --format=chrome --min-duration "$time"
done
refused "is not a list of patterns" report --library ','
refused "csv has events as recorded" export --format=csv --flat --library liba.so
refused "json has events as recorded" export --format=json --flat --min-duration 1us
refused "--slowest and --merge exclude" replay --merge --slowest 3
refused "'0' is not a number of calls" replay --slowest 0
refused "'-3' is not a number of calls" replay --slowest -3
refused "unknown color 'blue': use auto" replay --color blue

# A time without calls gives a message, and no other message.
for command in 'replay' 'replay --merge' 'replay --slowest 1' 'report' 'graph' 'flame --format=folded' 'export --format=chrome' \
	'view -o random.html'; do
	# shellcheck disable=SC2086
	"$spoor" $command --time 0..1ns --library nobody.so random > out 2> err ||
		fail "$command of an empty time failed: $(cat err)"
	grep -q -- '--time: the trace has no call in this range: its calls are from [0-9.]* ms to [0-9.]* ms' err ||
		fail "$command of an empty time does not say where events are: $(cat err)"
	equal "what $command of no time says" "$(grep -c 'no call' err)" 1
	# shellcheck disable=SC2086
	"$spoor" $command --time 0.. random > out 2> err || fail "$command of all time failed: $(cat err)"
	! grep -q 'no call' err || fail "$command of all time says that there is no call: $(cat err)"
done

# An option that is given several times makes one list.
for command in 'replay' 'replay --slowest 5' 'report' 'graph'; do
	for option in --function=lib --library=lib; do
		# shellcheck disable=SC2086
		"$spoor" $command "${option}a*,-libb*,libc*" random > one.out 2> err ||
			fail "$command $option failed: $(cat err)"
		# shellcheck disable=SC2086
		"$spoor" $command "${option}a*" "${option%lib}-libb*" "${option}c*" random > out 2> err ||
			fail "$command with several $option failed: $(cat err)"
		cmp one.out out || fail "$command: several $option give another output than one list (see above)"
		grep -q 'liba' out || fail "$command $option: no call of liba.so: $(head -n 5 out)"
	done
done

# A list that matches no call gives a message. A list that matches some gives none, and an incomplete read gives none.
for command in 'replay' 'replay --merge' 'replay --slowest 1' 'report' 'report --group library'; do
	# shellcheck disable=SC2086
	status=0
	"$spoor" $command --function 'nobody*' random > out 2> err || status=$?
	equal "status of $command of no function" "$status" 1
	grep -q -- "--function: no call of a function matches 'nobody\*'" err ||
		fail "$command of no function gives no message: $(cat err)"
done
for command in 'replay' 'replay --merge' 'report' 'graph' 'flame --format=folded' 'export --format=chrome'; do
	# shellcheck disable=SC2086
	status=0
	"$spoor" $command --library nobody.so random > out 2> err || status=$?
	equal "status of $command of no library" "$status" 1
	grep -q -- "--module: no call of a module matches 'nobody.so'" err ||
		fail "$command of no library gives no message: $(cat err)"
	# shellcheck disable=SC2086
	"$spoor" $command --library '*' random 2> err | head -c 1 > out
	! grep -q 'no call' err || fail "$command of all libraries says that there is no call: $(cat err)"
done
