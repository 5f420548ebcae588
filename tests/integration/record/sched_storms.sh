#!/bin/sh
# SPDX-License-Identifier: MIT
# sched_storms.sh - with spoor record --sched a program is unharmed by 10,000 signals a second, a thousand threads,
# hundreds of forks, and kill -9 of itself or of the recorder. Its calls are all recorded, and the parts of their times
# add up.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"

program storms
"$spoor" record --sched -q -o t ./storms forks > out 2> err || fail "status $?: $(cat err)"
[ -e t/sched.spoor ] || skip "the kernel refuses perf events here: $(cat err)"
rm -rf t

# adds_up TRACE - checks that running, waiting and being preempted give the total time of each function, to the
# nanoseconds of rounding, and that each function has these times, unless switches are lost.
adds_up()
{
	"$spoor" report --format=csv "$1" > csv 2> report.err || fail "$1: report: $(cat report.err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum = $at["cpu_ns"] + $at["wait_ns"] + $at["preempted_ns"]; n++
		  if ($at["cpu_ns"] == "" || sum - $at["total_ns"] > 3 * $at["calls"] || $at["total_ns"] - sum > 3 * $at["calls"]) { print; bad++ } }
		END { exit bad || !n }' csv > wrong || fail "$1: times do not add up: $(head -n 3 wrong)"
}

# With the kernel's tracepoints, too, where they are permitted.
kinds=--sched
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/raw_syscalls/sys_enter/id ]; then
	kinds="--sched --sched=wakers,states,syscalls"
fi
for kind in $kinds; do
	for what in signals threads forks; do
		rm -rf t
		"$spoor" record $kind -q -o t ./storms $what > out 2> err || fail "$kind, $what: status $?: $(cat err)"
		! grep '^spoor: ' err | grep -v 'switches\|system calls\|the kernel refuses' || fail "$kind, $what: there is a message"
		equal "$kind, $what: calls" "calls $(reported t work)" "$(tail -n 1 out)"
		adds_up t
		"$spoor" info t > info 2> info.err || fail "$kind, $what: info: $(cat info.err)"
		grep -q '^  waiting  *[0-9]' info || fail "$kind, $what: info does not count the switches: $(head -n 30 info)"
		[ $kind = --sched ] || ! grep -q '^  system calls' info || {
			"$spoor" report --syscalls --format=csv t > csv || fail "$kind, $what: report --syscalls"
			[ "$(awk -F, 'NR > 1 { n += $4 } END { print n + 0 }' csv)" -gt 1000 ] || fail "$kind, $what: few system calls"
		}
	done
done

# The program is killed: its trace has the switches until then. Three times, at different moments.
for pause in 0.2 0.5 1; do
	rm -rf t
	"$spoor" record --sched -q -o t ./storms forever > out 2> err &
	recorder=$!
	awaited "the trace of switches" [ -e t/sched.spoor ]
	awaited "the program" pgrep -P $recorder -x storms > victim
	sleep $pause
	kill -9 "$(cat victim)"
	status=0
	wait $recorder || status=$?
	equal "a killed program: status ($(cat err))" $status 137
	[ "$(reported t work)" -gt 10 ] || fail "a killed program: its calls are not in the trace"
	adds_up t
done

# The recorder is killed: the program runs on, and the tools can read the files, which have no full slice yet.
rm -rf t
"$spoor" record --sched -q -o t ./storms forever > out 2> err &
recorder=$!
awaited "the trace of switches" [ -e t/sched.spoor ]
awaited "the program" pgrep -P $recorder -x storms > victim
sleep 0.5
victim=$(cat victim)
kill -9 $recorder
wait $recorder || :
state=$(awk '/^voluntary/ { print $2 }' "/proc/$victim/status")
progresses()
{
	[ "$(awk '/^voluntary/ { print $2 }' "/proc/$victim/status")" -gt $((state + 50)) ]
}
awaited "the program without its recorder to run on" progresses
kill -9 "$victim"
"$spoor" info t > info 2> info.err || fail "the trace of a killed recorder: $(cat info.err)"
grep -q '^  waiting  *[0-9]' info || fail "the trace of a killed recorder has no switches: $(cat info info.err)"
