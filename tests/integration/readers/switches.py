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
        letter = re.search(r"(?: \((.)\)| in state (.))$", event["name"])
        states.setdefault(event["tid"], []).append((round(event["ts"] * 1000), kind, letter and (letter[1] or letter[2])))
for line in open(sys.argv[2]):
    match = re.match(r"\s*\d+\s+(\d+)\.(\d{9}): .* prev_pid=(\d+) .* prev_state=(\S+) ==>", line)
    if match:
        kind = "preempted" if match[4].startswith("R") else "waiting"
        switches.setdefault(int(match[3]), []).append((int(match[1] + match[2]), kind, match[4]))

assert len(states) >= 2, f"states of {len(states)} threads"
compared = with_state = 0
for thread, ours in states.items():
    ours.sort()
    perfs = sorted(switches[thread])
    times = [time for time, *_ in perfs]
    # perf also has what the thread did before and after its trace.
    begin = bisect.bisect_right(times, ours[0][0]) - 1
    end = bisect.bisect_right(times, ours[-1][0])
    assert begin >= 0, f"thread {thread}: perf has no switch before {ours[0]}"
    perfs = perfs[begin:end]
    assert len(ours) == len(perfs), f"thread {thread}: {len(ours)} switches, and {len(perfs)} by perf"
    for our, perf in zip(ours, perfs):
        assert our[2] is None or our[2] == perf[2], f"thread {thread}: state {our}, by perf {perf}"
        assert our[1] == perf[1] and 0 <= our[0] - perf[0] <= APART_NS, f"thread {thread}: {our}, by perf {perf}"
    compared += len(ours)
    with_state += sum(our[2] is not None for our in ours)
letters = {our[2] for ours in states.values() for our in ours if our[2]}
# One thread's first wait can begin before states are recorded, which begins just after the switches.
without = [(thread, place, our) for thread, ours in states.items() for place, our in enumerate(ours)
           if our[1] == "waiting" and our[2] is None]
assert not with_state or len(without) <= 1 and not any(place for _, place, _ in without), \
    f"waits without a state, beside {with_state}: {without[:3]}"
print(f"{compared} switches of {len(states)} threads" + (f", {with_state} with states {''.join(sorted(letters))}" if letters else ""))
