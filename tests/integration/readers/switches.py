# SPDX-License-Identifier: MIT
# switches.py STATES SWITCHES - compares the states of threads in Chrome's format with the switches that `perf script --ns
# -F tid,time,event,trace` printed: the same switches of each thread, at the same times, with the same reasons.
import bisect
import json
import re
import sys

# perf's event comes just before spoor's. A hypervisor can take the processor away between them.
APART_NS = 20_000_000
states, switches = {}, {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if event.get("cat") == "state":
        kind = "preempted" if event["name"] == "preempted" else "waiting"
        assert kind == "preempted" or event["name"].startswith("waiting"), event
        states.setdefault(event["tid"], []).append((round(event["ts"] * 1000), kind))
for line in open(sys.argv[2]):
    match = re.match(r"\s*\d+\s+(\d+)\.(\d{9}): .* prev_pid=(\d+) .* prev_state=(\S+) ==>", line)
    if match:
        kind = "preempted" if match[4].startswith("R") else "waiting"
        switches.setdefault(int(match[3]), []).append((int(match[1] + match[2]), kind))

assert len(states) >= 2, f"states of {len(states)} threads"
compared = 0
for thread, ours in states.items():
    ours.sort()
    perfs = sorted(switches[thread])
    times = [time for time, _ in perfs]
    # perf also has what the thread did before and after its trace.
    begin = bisect.bisect_right(times, ours[0][0]) - 1
    end = bisect.bisect_right(times, ours[-1][0])
    assert begin >= 0, f"thread {thread}: perf has no switch before {ours[0]}"
    perfs = perfs[begin:end]
    assert len(ours) == len(perfs), f"thread {thread}: {len(ours)} switches, and {len(perfs)} by perf"
    for our, perf in zip(ours, perfs):
        assert our[1] == perf[1] and 0 <= our[0] - perf[0] <= APART_NS, f"thread {thread}: {our}, by perf {perf}"
    compared += len(ours)
print(f"{compared} switches of {len(states)} threads")
