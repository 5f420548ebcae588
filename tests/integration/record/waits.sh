#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - spoor record --sched divides the time of each call into running, waiting and being preempted, as the
# program's own clocks do: in threads and forked children, and without privileges. If the kernel refuses, one message
# says so, and calls are recorded as usual.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"

# has_started PROCESS - tests whether the victim has its helper thread.
has_started()
{
	[ "$(ls /proc/$1/task 2> /dev/null | wc -l)" -ge 2 ]
}

program waits
plain seccomp

# A container's filter, and a kernel without perf events. The columns are empty, and no other option suffers.
for refused in perf perf-missing; do
	rm -rf t
	./seccomp "$refused" "$spoor" record --sched -q -o t ./waits 2 > out 2> err || fail "$refused: status $?: $(cat err)"
	equal "$refused: lines on stderr ($(cat err))" "$(wc -l < err)" 1
	grep -q 'recorded without the times that they waited' err || fail "$refused: $(cat err)"
	equal "$refused: calls" "$(reported t spin)" 2
	[ ! -e t/sched.spoor ] || fail "$refused: there is a file without content"
	"$spoor" report --format=csv t > csv 2> err
	equal "$refused: columns" "$(awk -F, '$1 ~ /^spin/ { print $20 $21 $22 $23 $24 $25 }' csv)" ""
done
grep -q 'CONFIG_PERF_EVENTS' err || :

rm -rf t
"$spoor" record --sched -q -o t ./waits 1 > out 2> err || fail "status $?: $(cat err)"
if [ ! -e t/sched.spoor ]; then
	skip "the kernel refuses perf events here: $(cat err)"
fi
silent err

# agrees NAME MODE COMMAND... - records waits.c in the mode and compares. A hypervisor that takes a processor away for a
# millisecond spoils a function or two of a try: that time counts as running for spoor, and not by the program's clock.
# So each function of each process must agree in at least one of twelve tries.
agrees()
{
	agrees_name=$1 agrees_mode=$2
	shift 2
	rm -f agreed
	for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -rf "$agrees_name"
		"$@" "$spoor" record --sched$agrees_wakers -q -o "$agrees_name" ./waits 20 "$agrees_mode" > "$agrees_name.out" 2> err ||
			fail "$agrees_name: status $?: $(cat err)"
		silent err
		status=0
		python3 "$top_srcdir/tests/integration/readers/waits.py" "$spoor" "$agrees_name" "$agrees_name.out" agreed \
			> "$agrees_name.log" 2>&1 || status=$?
		cat "$agrees_name.log"
		case $status in
		0) return ;;
		3) ;;
		*) fail "$agrees_name: the trace is wrong: $(cat "$agrees_name.log")" ;;
		esac
	done
	fail "$agrees_name: times of running and waiting differ in twelve tries: $(cat "$agrees_name.log")"
}

# With CAP_PERFMON the trace also knows who woke the thread.
agrees_wakers=
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched/sched_waking/id ] && [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; then
	agrees_wakers==wakers
fi
agrees own fork env
own_wakers=$agrees_wakers
agrees_wakers=
agrees in_threads threads env
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	mkdir -p open
	chmod 1777 open
	agrees open/plain_user fork setpriv --reuid=65534 --regid=65534 --clear-groups
fi

# The parts are in all formats, and a copy of the trace has them, too.
"$spoor" pack -o copy own > out 2> err || fail "pack: $(cat err)"
"$spoor" report --format=csv own > own.csv
"$spoor" report --format=csv copy > copy.csv
cmp own.csv copy.csv || fail "the packed trace has other times"
"$spoor" report --format=json --sort=wait own | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
waits = [row["wait_ns"] or 0 for row in rows]
assert waits == sorted(waits, reverse=True), waits
assert rows[0]["wait_ns"] + rows[0]["cpu_ns"] + rows[0]["preempted_ns"] == rows[0]["total_ns"], rows[0]
'
"$spoor" report own | grep -q 'CPU .*WAIT' || fail "report does not show the columns of a trace that has them"
"$spoor" info own | grep -q '^  waiting  *[0-9]* switches' || fail "info does not count the switches"
SPOOR_JOBS=4 "$spoor" report --format=csv own | cmp - own.csv || fail "more threads compute other times"

# The parts of the flame graph add up to the report's self times, and to the whole time.
for part in time cpu wait preempted; do
	"$spoor" flame --format=folded --by=$part own > $part.folded
	awk '{ n += $NF } END { printf "%.0f\n", n }' $part.folded > $part.sum
done
equal "cpu + wait + preempted" "$(cat cpu.sum wait.sum preempted.sum | awk '{ n += $1 } END { printf "%.0f\n", n }')" \
	"$(cat time.sum)"
for part in cpu wait; do
	equal "$part of all paths" "$(cat $part.sum)" "$(awk -F, -v name=self_${part}_ns '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next } { n += $column } END { printf "%.0f\n", n }' own.csv)"
done
grep -q '^main.*;all.*;take_a_nap' wait.folded || fail "no nap in the off-CPU flame graph: $(cat wait.folded)"
! grep -q ';spin' wait.folded || [ "$(awk '/;spin/ { print $NF }' wait.folded)" -lt 1000000 ] || fail "spin waits"

# replay shows each wait in the call that waits.
"$spoor" replay --waits=4ms --thread="$(awk '{ print $1; exit }' own.out)" own > replay.out
awk '/ take_a_nap\(?\)? .*\{$/ { inside = 1; found = 0 } inside && /# waited/ { found++ }
	/\} take_a_nap/ { if (found != 1) bad++; n++; inside = 0 } END { if (bad || n != 20) { print n, bad; exit 1 } }' replay.out ||
	fail "a nap of 5 ms is not shown once in its call: $(head -n 40 replay.out)"
! grep -q '# waited [0-9.]* us' replay.out || fail "waits shorter than 4 ms are shown"
# Most waits of milliseconds are named, and no name is wrong.
awk '/ \} (take_a_nap|take_lock|read_pipe)/ { sub(/\(.*/, "", $4); call = $4; sub(/\(\)$/, "", call); for (i = 1; i <= n; i++) print call, names[i] }
	/ (take_a_nap|take_lock|read_pipe).* \{$/ { n = 0 } /# waited/ { sub(/, woken by .*/, ""); names[++n] = / in / ? substr($0, index($0, " in ") + 4) : "-" }' \
	replay.out > named
awk '$2 == "-" { unknown++; next } { known++ }
	$1 == "take_a_nap" && $2 !~ /nanosleep$/ || $1 == "take_lock" && ($2 != "futex" || $3 != "mutex") || $1 == "read_pipe" && !($2 == "read" && $4 ~ /^pipe:/) { bad++; print }
	END { if (bad || known + unknown < 20 || known < 2 * unknown) { print known " known, " unknown + 0 " unknown"; exit 1 } }' named > wrong ||
	fail "waits have no or wrong names: $(cat wrong named)"
# The helper unlocks the mutex and writes to the pipe.
awk '/ \} (take_lock|read_pipe)/ { for (i = 1; i <= n; i++) print wakers[i] } / (take_lock|read_pipe).* \{$/ { n = 0 }
	/# waited/ && /woken by thread/ { sub(/.*woken by thread /, ""); wakers[++n] = $0 }' replay.out | sort -u > wakers
if [ -n "$own_wakers" ]; then
	# The helper is in its only function, and calls libc from there.
	equal "functions that wake the main thread" "$(sed 's/^[0-9]* *//' wakers)" "in help()"
	equal "threads that wake the main thread" "$(cut -d' ' -f1 wakers)" \
		"$("$spoor" replay own | awk -v main="$(awk '{ print $1; exit }' own.out)" '$2 == "process" { mine = $3 == main }
			mine && $2 == "thread" && $3 != main { print $3 }')"
fi
grep -q ';take_a_nap;\[clock_nanosleep\] ' wait.folded || fail "the off-CPU flame graph does not name the wait: $(cat wait.folded)"
"$spoor" replay --merge --waits own | grep -q '# waited' || fail "replay --merge shows no waits"
"$spoor" replay --slowest 3 -f take_a_nap --waits own | grep -c '# waited' > count || fail "replay --slowest shows no waits"
"$spoor" replay own | grep -q '# waited' && fail "replay shows waits without --waits"

# A page of spoor view has the same waits: within the outermost calls of each thread they have the sum that the report
# has, and each is in as many calls as are open around it.
"$spoor" view -o page.html own
"$spoor" report --format=csv --group=thread own > threads.csv
PYTHONPATH=$top_srcdir/tests/integration/readers python3 - > page.log <<'PYTHON' || fail "the page of spoor view: $(cat page.log)"
import csv
from view import Page
page = Page("page.html")
wanted = {row["thread"]: (int(row["wait_ns"]), int(row["preempted_ns"])) for row in csv.DictReader(open("threads.csv"))}
assert len(wanted) >= 2 and len(page.waits) > 40, (wanted, len(page.waits))
got = {str(thread[2]): [0, 0] for thread in page.threads}
ends = sorted({(thread, begin, end, page.nodes[node][4]) for thread, begin, end, node, flags, payload in page.calls})
for thread, first, last, preempted, depth, waker, reason, function in page.waits:
	around = [call for call in ends if call[0] == thread and call[1] < last and call[2] > first]
	got[str(page.threads[thread][2])][preempted] += sum(min(call[2], last) - max(call[1], first) for call in around if call[3] == 0)
	assert depth == sum(call[1] <= first < call[2] for call in around), (thread, first, depth, around)
assert {thread: tuple(sums) for thread, sums in got.items()} == wanted, (got, wanted)
assert any(reason and reason.startswith("futex") for *_, reason, _ in page.waits) and any("nanosleep" in (reason or "") for *_, reason, _ in page.waits)
wakers = [(waker, function) for *_, waker, reason, function in page.waits if reason and reason.startswith(("futex mutex", "read pipe"))]
assert all(not waker or function == "help()" for waker, function in wakers), wakers
print(sum(waker > 0 for *_, waker, reason, _ in page.waits))
PYTHON
[ -z "$own_wakers" ] || [ "$(cat page.log)" -gt 10 ] || fail "only $(cat page.log) waits of the page have a waker"

# Perfetto has a track of states for each thread, and Chrome's format a slice in each call that waits; both have the
# sum that the report has.
"$spoor" export --format=chrome -o chrome.json own
"$spoor" export --format=perfetto -o own.perfetto own
python3 - own.csv chrome.json > chrome.log <<'PYTHON' || fail "Chrome's format: $(cat chrome.log)"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
events = [event for event in json.load(open(sys.argv[2]))["traceEvents"] if event.get("cat") == "state"]
calls = [event for event in json.load(open(sys.argv[2]))["traceEvents"] if event.get("name", "").startswith("take_a_nap")]
assert events and len(calls) == 40, (len(events), len(calls))
naps = 0
for call in calls:
    inside = [event for event in events if event["tid"] == call["tid"] and event["ts"] >= call["ts"] - 1 and
              event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 1]
    naps += sum(event["dur"] for event in inside if event["name"].startswith("waiting"))
wanted = sum(int(row["wait_ns"]) for row in rows if row["function"].startswith("take_a_nap"))
print(naps * 1000, wanted)
assert abs(naps * 1000 - wanted) < 40 * 2000, (naps * 1000, wanted)
PYTHON
if command -v protoc > /dev/null; then
	protoc --decode=spoor.perfetto.Trace -I"$top_srcdir/tests/golden" "$top_srcdir/tests/golden/perfetto.proto" \
		< own.perfetto > perfetto.txt
	awk '/^  track_event \{/ { event = 1 } /^  track_descriptor \{/ { event = 0 }
		/^    name: "waiting"$/ && !event { tracks++ } /^    name: "(waiting( in .*)?|preempted)"$/ && event { states++ }
		END { print tracks, states }' perfetto.txt > states
	equal "tracks of states" "$(cut -d' ' -f1 states)" "$(grep -o '"name":"thread_name"' chrome.json | wc -l)"
	# The last state of a thread has no end, and is not in Chrome's format.
	awk -v chrome="$(grep -c '"cat":"state"' chrome.json)" '{ exit !($2 >= chrome && $2 <= chrome + $1) }' states ||
		fail "Perfetto's format has $(cat states) tracks and states, Chrome's $(grep -c '"cat":"state"' chrome.json)"
fi

python3 "$top_srcdir/tests/integration/readers/wait_events.py" "$spoor" own > formats.log 2>&1 ||
	fail "the formats of export have other states: $(tail -n 3 formats.log)"

# The tree and the graph have the report's times.
"$spoor" tree --format=json --threshold 0 own > tree.json
"$spoor" tree --format=json --threshold 0 --callers own > callers.json
"$spoor" graph own > graph.out
python3 - own.csv tree.json callers.json graph.out > tree.log 2>&1 <<'PYTHON' || fail "tree and graph: $(tail -n 3 tree.log)"
import csv, json, re, sys
report = {row["function"]: row for row in csv.DictReader(open(sys.argv[1]))}
# Each function of the victim is on one path only, except in the helper's thread.
for tree in sys.argv[2:4]:
    sums = {}
    for row in json.load(open(tree))["rows"]:
        if tree == "callers.json" and row["parent"] is not None:
            continue
        sum = sums.setdefault(row["function"], [0, 0])
        sum[0] += row["cpu_ns"]
        sum[1] += row["wait_ns"]
    for name in ("spin", "take_a_nap", "take_lock", "read_pipe", "touch_pages", "all"):
        [wanted] = [row for function, row in report.items() if re.match(name + r"(\(|$)", function)]
        assert sums[wanted["function"]] == [int(wanted["cpu_ns"]), int(wanted["wait_ns"])], (tree, name, sums, wanted)
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
found = 0
assert re.match(r" +TOTAL +SELF +CPU +WAIT +CALLS  FUNCTION$", open(sys.argv[4]).readline())
for line in open(sys.argv[4]):
    match = re.match(r" *([\d.]+) (\w+) +([\d.]+) (\w+) +([\d.]+) (\w+) +([\d.]+) (\w+) +([\d,]+)  (spin|take_a_nap)\b", line)
    if match:
        cpu, wait = float(match[5]) * UNITS[match[6]], float(match[7]) * UNITS[match[8]]
        [wanted] = [row for function, row in report.items() if re.match(match[10] + r"(\(|$)", function)]
        assert abs(cpu - int(wanted["cpu_ns"])) <= 0.001 * cpu + 1 and abs(wait - int(wanted["wait_ns"])) <= 0.001 * wait + 1, (line, wanted)
        found += 1
assert found == 2, found
PYTHON
"$spoor" tree own | head -n 1 | grep -q 'SELF  *CPU  *WAIT  *CALLS' || fail "the tree does not show the columns"

# A process that runs already: threads that exist, and threads that come. Each call naps for 5 ms and spins for 2 ms.
# Threads that spoor stops while it attaches wait, too. The end of the recording cuts the last call.
for mode in fork threads; do
	./waits 1000000 $mode > /dev/null &
	pid=$!
	awaited "./waits to run" has_started $pid
	"$spoor" record --pid $pid --sched -q --duration 1 -o pid_$mode > out 2> err || fail "--pid: $(cat err)"
	kill -9 $pid
	wait $pid || :
	silent err
	"$spoor" report --format=csv pid_$mode | awk -F, -v mode=$mode '
		NR > 1 && $2 != "" { if ($20 + $21 + $22 != $4) { print "sum", $0; bad++ } }
		$1 == "spin" { spins = $3; if ($20 < 1900000 * ($3 - 1) || $21 > 0.5 * $4) { print "spin", $0; bad++ } }
		$1 == "take_a_nap" { naps = $3; if ($21 < 4900000 * ($3 - 1)) { print "nap", $0; bad++ } }
		END { if (spins < 5 || naps < 5) { print spins, naps; bad++ } exit bad > 0 }' > wrong ||
		fail "--pid, $mode: $(cat wrong; "$spoor" report pid_$mode)"
done

# A hang: the last wait of a killed process has no end.
cat > hangs.c <<'END2'
#include <unistd.h>
__attribute__((noinline)) static void wait_forever(void) { pause(); __asm__ volatile(""); }
int main(void) { wait_forever(); return 0; }
END2
traced_cc -o hangs hangs.c
rm -rf t
timeout -s KILL 60 "$spoor" record --sched -q -o t timeout -s KILL 1 ./hangs > out 2> err || :
"$spoor" replay --waits t 2> err | grep -q '# still waiting when the trace ends' ||
	fail "the last wait is not shown: $("$spoor" replay --waits t)"

# Without perf events: the processor time of chosen functions agrees with the program's clocks. A call that
# ends with a tail call has no such time.
cat > tails.c << 'C'
__attribute__((noinline)) int last(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}
__attribute__((noinline)) int jumps(int n)
{
	__asm__ volatile("" : "+r"(n));
	return last(n + 1);
}
int main(void)
{
	return jumps(-1);
}
C
traced_cc -o tails tails.c
traced_cc -fno-optimize-sibling-calls -o waits_exits "$(victim waits.c)" -pthread
rm -rf cpu tails.trace
"$spoor" record -q --cpu-time 'spin,take_a_nap,take_lock,read_pipe,all' -o cpu ./waits_exits 20 > cpu.out 2> err ||
	fail "--cpu-time: status $?: $(cat err)"
silent err
"$spoor" report --format=csv cpu > cpu.csv 2> err
python3 - cpu.out cpu.csv > cpu.log 2>&1 <<'PYTHON' || fail "--cpu-time: $(tail -n 3 cpu.log)"
import csv, re, sys
rows = list(csv.DictReader(open(sys.argv[2])))
for line in open(sys.argv[1]):
    _, name, calls, wall, cpu, _ = line.split()
    calls, wall, cpu = int(calls), int(wall), int(cpu)
    [row] = [row for row in rows if re.match(name + r"(\(|$)", row["function"])]
    assert row["wait_ns"] == "" and int(row["calls"]) == calls, row
    if name == "touch_pages":
        assert row["cpu_ns"] == "", row
        continue
    # The program reads its clocks within the function.
    error = int(row["cpu_ns"]) - cpu
    assert -1000 * calls <= error <= 0.01 * wall + 5000 * calls, (name, row["cpu_ns"], cpu)
PYTHON
"$spoor" report cpu 2> err | grep -q 'CPU  ' || fail "--cpu-time: there is no column: $(cat err)"
"$spoor" report --columns=function,self cpu 2> err | grep -q 'CPU' && fail "--cpu-time: a column that was not chosen"
# The flame graph divides the time among the chosen functions: no time is counted twice, and each function has the
# report's. Only the helper's thread has no chosen function.
"$spoor" flame --format=folded --by=cpu cpu > cpu.folded 2> err
grep -q 'does not say when 1 threads ran' err || fail "--cpu-time: flame leaves out other threads: $(cat err)"
python3 - cpu.csv cpu.folded > cpu.log 2>&1 <<'PYTHON' || fail "--cpu-time: flame: $(tail -n 3 cpu.log)"
import csv, re, sys
cpu = {row["function"].split("(")[0]: int(row["cpu_ns"]) for row in csv.DictReader(open(sys.argv[1])) if row["cpu_ns"]}
sums, whole = {}, 0
for line in open(sys.argv[2]):
    path, value = line.rsplit(" ", 1)
    whole += int(value)
    name = re.sub(r"\(.*", "", path.split(";")[-1])
    sums[name] = sums.get(name, 0) + int(value)
assert whole == cpu.pop("all"), (whole, sums)
assert {name: sums.get(name) for name in cpu} == cpu and set(sums) <= {"all", *cpu}, (sums, cpu)
PYTHON
# A tree and a graph have the report's times for the chosen functions, and none for others.
"$spoor" tree --format=json --callers --threshold=0 cpu > cpu.tree 2> err
"$spoor" graph --format=dot --limit=100 cpu > cpu.dot 2> err
python3 - cpu.csv cpu.tree cpu.dot > cpu.log 2>&1 <<'PYTHON' || fail "--cpu-time: tree: $(tail -n 3 cpu.log)"
import csv, json, re, sys
cpu = {row["function"]: int(row["cpu_ns"]) if row["cpu_ns"] else None for row in csv.DictReader(open(sys.argv[1]))}
rows = [row for row in json.load(open(sys.argv[2]))["rows"] if row["depth"] == 0]
assert {row["function"]: row["cpu_ns"] for row in rows} == cpu, (rows, cpu)
assert not any("wait_ns" in row for row in rows)
assert sum(time is not None for time in cpu.values()) == 5, cpu
assert len(re.findall(r"\\ncpu [0-9.]+ ", open(sys.argv[3]).read())) == 5
PYTHON
for command in tree graph; do
	"$spoor" $command cpu > $command.out 2> err
	grep -q 'SELF         CPU  *CALLS' $command.out || fail "--cpu-time: $command has no column: $(head -n 3 $command.out)"
done
# A thread's rows have the column only if all its outermost calls do.
"$spoor" report --format=csv --group=thread cpu | python3 -c '
import csv, sys
assert {row["cpu_ns"] for row in csv.DictReader(sys.stdin)} == {""}
'
"$spoor" replay cpu > replay.out
[ "$(grep -c 'take_a_nap() \[cpu [0-9.]* [um]s\]' replay.out)" = 20 ] || fail "--cpu-time: $(head -n 40 replay.out)"
"$spoor" info cpu | grep -q 'spin.*processor time' || fail "--cpu-time: info does not list the functions"
"$spoor" record -q --cpu-time 'jumps,last' -o tails.trace ./tails
"$spoor" report --format=json tails.trace 2> err | python3 -c '
import json, sys
report = json.load(sys.stdin)
cpu = {row["short_name"]: row["cpu_ns"] for row in report["rows"]}
assert cpu["last"] is not None and cpu["jumps"] is None and cpu["main"] is None, cpu
assert report["notes"]["calls_without_cpu_time"] == 1, report
' > cpu.log 2>&1 || fail "--cpu-time with a tail call: $(tail -n 2 cpu.log)"
"$spoor" flame --format=folded --by=cpu tails.trace > tails.folded 2> err
said_once err 'left out: 1; compile with -fno-optimize-sibling-calls'
[ "$(cut -d' ' -f1 tails.folded)" = last ] || fail "--cpu-time with a tail call: flame shows $(cat tails.folded)"
"$spoor" tree tails.trace > tails.tree
grep -q '^# 1 call ended with a tail call or not at all, and has no time in CPU' tails.tree ||
	fail "--cpu-time with a tail call: tree shows $(cat tails.tree)"
# With arguments and results, and for a program without descriptions of its functions.
rm -rf both
"$spoor" record -q --cpu-time last --args last --retval last -o both ./tails
"$spoor" replay both | grep -q 'last(0) = 0 \[cpu [0-9.]* [nmu]*s\]\|last(n=0) = 0 \[cpu [0-9.]* [nmu]*s\]' ||
	fail "--cpu-time beside arguments: $(cat both 2> /dev/null; "$spoor" replay both)"
objcopy --remove-section=.spoor_signatures tails bare
rm -rf both
"$spoor" record -q --cpu-time last -o both ./bare > out 2> err || fail "--cpu-time without descriptions: status $?"
silent err
"$spoor" report --format=csv both | grep -q '^last' || fail "--cpu-time without descriptions: no calls"

# Usage.
for wrong in "--cpu-time spin --mode count ./waits" "--sched=all ./waits" "--sched --mode count ./waits" "--sched --format spoor ./waits"; do
	status=0
	"$spoor" record -o u $wrong > out 2> err || status=$?
	equal "status of $wrong" "$status" 2
	[ ! -e u ] || fail "$wrong: left a trace"
done
rm -f nothing
status=0
"$spoor" record --sched -q -o u /bin/true > out 2> err || status=$?
[ ! -e u ] || fail "a recording without events left a trace: $(ls u)"
