# SPDX-License-Identifier: MIT
# system_calls.py COUNTS ORACLE KIND - compares system calls for each thread: COUNTS is `spoor report --syscalls
# --group=thread --format=csv`. ORACLE is the output of `strace -f` (KIND strace), with the names and numbers of the calls,
# or of `perf script -F tid,event,trace` (KIND perf), with the numbers only. The first thread of the program made calls
# before it executed the program, which one side has and the other one may not have.
import collections
import csv
import re
import sys

counts, oracle = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
for row in csv.DictReader(open(sys.argv[1])):
    counts[int(row["thread"])][row["system_call"]] += int(row["calls"])
first, kind = None, sys.argv[3]
for line in open(sys.argv[2]):
    match = re.match(r"(\d+) +(\w+)\(", line) if kind == "strace" else re.match(r" *(\d+) +raw_syscalls:sys_enter: NR (-?\d+)", line)
    if match:
        first = first or int(match[1])
        oracle[int(match[1])][match[2]] += 1

if kind == "perf":
    # Threads of the recorder are in perf's data only.
    oracle = {thread: calls for thread, calls in oracle.items() if thread in counts}
    # perf prints the calls in their order, and the first are the main thread's.
    first = next(iter(oracle))
assert len(oracle) >= 8, f"calls of {len(oracle)} threads"
total = 0
for thread, calls in oracle.items():
    ours = counts[thread]
    total += calls.total()
    if kind == "perf":
        ours, calls = collections.Counter(sorted(ours.values())), collections.Counter(sorted(calls.values()))
    different = {call: (ours[call], calls[call]) for call in set(ours) | set(calls) if ours[call] != calls[call]}
    if thread == first and kind == "strace":
        assert all(one > other and one - other < 20 for one, other in different.values()), f"thread {thread}: {different}"
    elif thread != first:
        assert not different, f"thread {thread}: spoor's and the other counts: {different}"
print(f"{kind}: {total} calls of {len(oracle)} threads")
