#!/bin/sh
# SPDX-License-Identifier: MIT
# system_calls.sh - spoor record --sched=syscalls has each system call of each thread and child, as strace and perf see
# them, also of children that execute a program without sleds: names, counts, results and times. Without CAP_PERFMON one
# message says so, and the rest is recorded.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"
[ "$(id -u)" = 0 ] || skip "only root may see the kernel's tracepoints"
[ -r /sys/kernel/tracing/events/raw_syscalls/sys_enter/id ] || skip "there is no /sys/kernel/tracing"
program system_calls

rm -rf t
"$spoor" record --sched=syscalls,states -q -o t ./system_calls 5 > out 2> err || fail "status $?: $(cat err)"
[ -e t/sched.spoor ] && ! grep -q 'the kernel refuses' err || skip "the kernel refuses perf events here: $(cat err)"
silent err

# Each call has its place, argument and result.
"$spoor" replay --syscalls t > replay.out 2> err
python3 - replay.out > sequences 2>&1 <<'PYTHON' || fail "replay: $(cat sequences)"
import re, sys
seen, calls = {}, None
wanted = {
    "use_file": r"(getrandom\(0x[0-9a-f]+\) = 8 )*openat\(AT_FDCWD\) = (\d+) write\(\2\b.*?\) = 64 pread64\(\2\b.*?\) = 32 close\(\2\b.*?\) = 0 "
                r"unlink\(0x[0-9a-f]+\) = 0 openat\(AT_FDCWD\) = -1 ENOENT ",
    "use_pipe": r"pipe2\(0x[0-9a-f]+\) = 0 write\((\d+)\b.*?\) = 1 read\((\d+)\b.*?\) = 1 close\(\2\b.*?\) = 0 close\(\1\b.*?\) = 0 ",
    "call_much": r"(getppid\(\) = \d+ ){9,10}",
    "take_a_nap": r"clock_nanosleep\(0\) = 0 ",
}
for line in open(sys.argv[1]):
    begin, end = re.search(r" (\w+)\(\) .*\{$", line), re.search(r"\} (\w+)\(\)", line)
    call = re.search(r"# (\w+\(.*?\).*?), (took|has no end)", line)
    if begin:
        name, calls = begin[1], ""
    elif call and calls is not None:
        calls += call[1] + " "
    elif end and end[1] in wanted and end[1] == name:
        assert re.fullmatch(wanted[name], calls), (name, calls)
        seen[name] = seen.get(name, 0) + 1
assert len(seen) == len(wanted) and min(seen.values()) >= 20, seen
print(seen)
PYTHON
cat sequences
# A wait has its call, however short it is, and the call is at least as long.
"$spoor" replay --waits --syscalls t | awk '/ take_a_nap\(\) .*\{$/ { inside = 1; waits = calls = 0 }
	inside && /# waited .* in clock_nanosleep \(S\)/ { waits++ } inside && /# clock_nanosleep\(0\) = 0, took [0-9.]* ms/ { calls += waits }
	inside && /\} take_a_nap/ { n++; bad += waits != 1 || calls != 1; inside = 0 } END { print n, bad + 0 }' > naps
equal "naps with another wait or call" "$(cat naps)" "26 0"
"$spoor" replay --syscalls=1ms t | grep '# ' | grep -q ' [0-9.]* [nu]s$' && fail "short system calls are shown"
"$spoor" replay --merge --syscalls t | grep -q '# pread64' || fail "replay --merge shows no system calls"
"$spoor" replay t | grep -q '# pread64' && fail "replay shows system calls without --syscalls"

# The report is one of all threads, or of each.
"$spoor" report --syscalls --format=csv t > all.csv 2> err || fail "report --syscalls: $(cat err)"
silent err
for group in thread process; do
	"$spoor" report --syscalls --group=$group --format=json t | python3 -c '
import csv, json, sys
wanted = {row["system_call"]: [int(row[key]) for key in ("calls", "errors", "total_ns")] for row in csv.DictReader(open("all.csv"))}
sums = {}
report = json.load(sys.stdin)
for row in report["rows"]:
    assert row[sys.argv[1]] > 0 and row["max_ns"] <= row["total_ns"] and row["errors"] <= row["calls"], row
    sum = sums.setdefault(row["system_call"], [0, 0, 0])
    for i, key in enumerate(("calls", "errors", "total_ns")):
        sum[i] += row[key]
assert sums == wanted, (sums, wanted)
# spoor calls getppid, too.
assert 5 * 5 * 10 <= wanted["getppid"][0] < 5 * 5 * 10 + 10 and wanted["unlink"][:2] == [25, 0] and wanted["clock_nanosleep"][2] > 26 * 2000000, wanted
' $group > log 2>&1 || fail "report --syscalls --group=$group: $(tail -n 1 log)"
done
"$spoor" report --syscalls --group=thread --format=json t > report.json
"$spoor" export --format=json --flat t > events.json
python3 "$top_srcdir/tests/integration/readers/json_schemas.py" "$top_srcdir/tools/report/spoor-report.1" spoor.report-syscalls/1 report.json
python3 "$top_srcdir/tests/integration/readers/json_schemas.py" "$top_srcdir/tools/export/spoor-export.1" spoor.events/1 events.json
"$spoor" report --syscalls --sort=calls --limit=1 t | sed -n 2p | grep -q ' getppid$' || fail "not sorted: $("$spoor" report --syscalls --sort=calls t)"
calls=$(awk -F, 'NR > 1 { n += $4 } END { print n }' all.csv)
"$spoor" info t | grep -q "^  system calls  *$calls of all processes$" || fail "info does not count $calls system calls: $("$spoor" info t | grep calls)"
status=0
"$spoor" report --syscalls --function='x*' t > out 2> err || status=$?
equal "status of --syscalls with --function" $status 2
"$spoor" pack -o copy t > out 2> err || fail "pack: $(cat err)"
"$spoor" report --syscalls --format=csv copy | cmp - all.csv || fail "a packed trace has other system calls"

# All formats have the same system calls and waits.
python3 "$top_srcdir/tests/integration/readers/wait_events.py" "$spoor" t "$top_srcdir" > formats.log 2>&1 ||
	fail "the formats of export differ: $(tail -n 3 formats.log)"
"$spoor" export --format=csv t | grep -c '^[0-9]*,[0-9]*,[0-9]*,syscall,,,,[0-9]*,,,,,pread64(.*) = 32' > count || fail "csv has no system calls"
equal "calls of pread64 of the traced threads in csv" "$(cat count)" 25

# The system calls are strace's, of each thread.
if command -v strace > /dev/null && strace -o none true 2> none.err; then
	rm -rf t
	"$spoor" record --sched=syscalls -q -o t strace -f -o strace.out ./system_calls 5 > out 2> err || fail "strace: status $?: $(cat err)"
	silent err
	"$spoor" report --syscalls --group=thread --format=csv t > counts
	python3 "$top_srcdir/tests/integration/readers/system_calls.py" counts strace.out strace > log 2>&1 || fail "$(tail -n 1 log)"
	cat log
fi
# Descriptors are named as strace names them, while threads open and close them all the time.
if [ -e strace.out ]; then
	program reused_descriptors
	rm -rf t
	"$spoor" record --sched=syscalls -q -o t strace -f -y -e trace=write -o strace.out ./reused_descriptors 100 > out 2> err ||
		fail "strace -y: status $?: $(cat err)"
	silent err
	"$spoor" replay --syscalls t > replay.out
	python3 - replay.out strace.out > log 2>&1 <<'PYTHON' || fail "descriptors: $(tail -n 1 log)"
import re, sys
ours, straces, thread = {}, {}, None
for line in open(sys.argv[1]):
    heading, call = re.match(r"# thread (\d+)", line), re.search(r"# write\((\d+)(?: (.*))?\) = 1,", line)
    if heading:
        thread = int(heading[1])
    elif call:
        ours.setdefault(thread, []).append((int(call[1]), call[2]))
for line in open(sys.argv[2]):
    call = re.match(r"(\d+) +write\((\d+)<(.*?)>, \"[xy]\", 1", line)
    if call:
        straces.setdefault(int(call[1]), []).append((int(call[2]), call[3]))
assert len(straces) == 2 and set(ours) == set(straces), (set(ours), set(straces))
named = 0
for thread, calls in straces.items():
    assert len(ours[thread]) == len(calls), (thread, len(ours[thread]), len(calls))
    for our, call in zip(ours[thread], calls):
        assert our[0] == call[0] and our[1] in (None, call[1]), (thread, our, call)
        named += our[1] is not None
total = sum(map(len, straces.values()))
assert named >= 10, (named, total)
print(f"strace: {named} of {total} descriptors named")
PYTHON
	cat log
fi
# And perf's, which disturbs less.
if command -v perf > /dev/null; then
	rm -rf t
	perf record -q -m 1024 -e raw_syscalls:sys_enter -o perf.data "$spoor" record --sched=syscalls -q -o t ./system_calls 5 > out 2> err ||
		fail "perf: status $?: $(cat err)"
	silent err
	perf script -F tid,event,trace -i perf.data > perf.out 2> none
	"$spoor" report --syscalls --group=thread --format=csv t > counts
	python3 "$top_srcdir/tests/integration/readers/system_calls.py" counts perf.out perf > log 2>&1 || fail "$(tail -n 1 log)"
	cat log
fi

# A process that runs already: the call in which it is has no begin, and later calls are complete.
program waits
./waits 1000000 threads > /dev/null &
pid=$!
awaited "./waits to run" has_begun $pid waits
"$spoor" record --pid $pid --sched=syscalls -q --duration 1 -o attached > out 2> err || fail "--pid: $(cat err)"
kill -9 $pid
wait $pid || :
silent err
"$spoor" report --syscalls --process=$pid --format=csv attached | awk -F, '$1 == "clock_nanosleep" { exit !($4 > 2) }' ||
	fail "--pid: $("$spoor" report --syscalls attached)"

# A trace without system calls, and a user without privileges.
"$spoor" record --sched -q -o without ./system_calls 1 > out 2> err
status=0
"$spoor" report --syscalls without > out 2> err || status=$?
equal "status without system calls" $status 1
said_once err 'record it with --sched=syscalls'
command -v setpriv > /dev/null || exit 0
chmod 777 .
setpriv --reuid=65534 --regid=65534 --clear-groups "$spoor" record --sched=syscalls,states,wakers -q -o plain ./system_calls 1 > out 2> err ||
	fail "without privileges: status $?: $(cat err)"
[ -e plain/sched.spoor ] || exit 0
said_once err '--sched=wakers,states,syscalls: the kernel refuses sched_waking, sched_switch, sys_enter: .* the capability CAP_PERFMON'
"$spoor" report --format=csv plain | grep -q '^take_a_nap' || fail "without privileges: no calls"
