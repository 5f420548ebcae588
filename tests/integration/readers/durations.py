# SPDX-License-Identifier: MIT
"""durations.py - compares the times that each tool shows of a program with the program's own readings of its clock.

durations.py READINGS FOLDER CREATE.sql EVENT_COST_NS

READINGS: the output of tests/programs/victims/threads/durations.c. FOLDER has the output of the tools for its trace:
events.csv, events.json, and the other files under the names below.

Each entry and each exit lies between the readings before and after it, to within a microsecond and the cost of the
event, with any load of the machine. Tools that add up calls show the sums of these calls, and the sums match
the readings.
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import call_readers
import exports
import foreign_readers
from call_readers import Call, rounded

Reading = collections.namedtuple("Reading", "name depth before begun ending after meant")
Sums = collections.namedtuple("Sums", "calls total own")


def fail(*words):
    sys.exit("durations.py: " + " ".join(str(word) for word in words))


def read_readings(path):
    threads = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            thread, name, *numbers = line.split()
            threads[int(thread)].append(Reading(name, *map(int, numbers)))
    return threads


def check_calls(what, threads, readings, tolerance):
    """Checks that each call lies between its readings. Threads with other numbers are matched by their order."""
    worst, count = 0, 0
    if sorted(threads) != sorted(readings):
        fail(what, "has threads", sorted(threads), "instead of", sorted(readings))
    for thread, calls in threads.items():
        if [(call.name, call.depth) for call in calls] != [(reading.name, reading.depth) for reading in readings[thread]]:
            fail(what, "thread", thread, "has other calls than the program made:", calls[:5])
        for call, reading in zip(calls, readings[thread]):
            off = max(reading.before - call.begin, call.begin - reading.begun, reading.ending - call.end, call.end - reading.after)
            if off > tolerance:
                fail(what, call, "is", off, "ns off", reading)
            if call.end - call.begin < reading.meant - tolerance:
                fail(what, call, "took less than the time slept and spun:", reading)
            worst, count = max(worst, off), count + 1
    print(f"{what}: {2 * count} events lie between the program's readings, or {worst} ns outside")


def moved(threads, by):
    return {thread: [call._replace(begin=call.begin + by, end=call.end + by) for call in calls] for thread, calls in threads.items()}


def sums_of(threads):
    """Returns calls, total time with recursion counted once, and self time of each function."""
    calls, total, own = collections.Counter(), collections.Counter(), collections.Counter()
    for thread in threads.values():
        stack = []
        for call in thread:
            del stack[call.depth:]
            length = call.end - call.begin
            calls[call.name] += 1
            own[call.name] += length
            if stack:
                own[stack[-1]] -= length
            if call.name not in stack:
                total[call.name] += length
            stack.append(call.name)
    return {name: Sums(calls[name], total[name], own[name]) for name in calls}


def check_bounds(sums, readings, tolerance):
    """Checks the sums of each function against the program's readings: at least the inner and at most the outer
    times."""
    def lengths(first, last):
        return {thread: [Call(r.name, r.depth, getattr(r, first), getattr(r, last)) for r in whole] for thread, whole in readings.items()}

    inner, outer = sums_of(lengths("begun", "ending")), sums_of(lengths("before", "after"))
    slack = collections.Counter()
    for whole in readings.values():
        stack = []
        for reading in whole:
            del stack[reading.depth:]
            width = reading.after - reading.before - (reading.ending - reading.begun)
            slack[reading.name] += width
            if stack:
                slack[stack[-1]] += width
            stack.append(reading.name)
    for name, (calls, total, own) in sums.items():
        room = 2 * tolerance * sum(row.calls for row in inner.values())
        if calls != inner[name].calls or not inner[name].total - room <= total <= outer[name].total + room:
            fail(name, "has a total time of", total, "and by the program's clock between",
                 inner[name], "and", outer[name])
        if abs(own - inner[name].own) > slack[name] + room:
            fail(name, "has a self time of", own, "and by the program's clock", inner[name].own,
                 "give or take", slack[name])
    roots = sum(call.end - call.begin for whole in lengths("begun", "ending").values() for call in whole if not call.depth)
    print("functions: total and self times are the program's;", len(sums), "of", roots, "ns")


def check_replay(what, shown, exact, origin):
    count = 0
    for thread, calls in exact.items():
        if len(calls) != len(shown[thread]):
            fail(what, "shows", len(shown[thread]), "calls of thread", thread)
        for call, (name, depth, (begin, begin_off), (length, length_off)) in zip(calls, shown[thread]):
            if (name, depth) != (call.name, call.depth) or abs(begin - (call.begin - origin)) > begin_off or \
                    abs(length - (call.end - call.begin)) > length_off:
                fail(what, "shows", name, begin, length, "for", call)
            count += 1
    print(f"{what}: {count} calls are shown with their times")


def check_slowest(path, exact, origin):
    """Checks the output of spoor replay --slowest N, for a function that calls nothing."""
    with open(path) as file:
        found = re.findall(r"^# slowest call .*, thread (\d+), at (\S+ \w+)\n.*\n *(\S+ \w+) +(\w+)\(\)", file.read(), re.M)
    calls = sorted((call.begin - call.end, thread, call) for thread, whole in exact.items() for call in whole if call.name == found[0][3])
    for (thread, begin, length, _), (_, wanted, call) in zip(found, calls):
        begin, begin_off = rounded(begin)
        length, length_off = rounded(length)
        if int(thread) != wanted or abs(begin - (call.begin - origin)) > begin_off or abs(length - (call.end - call.begin)) > length_off:
            fail("replay --slowest does not show the call", call)
    if len(found) != 5:
        fail("replay --slowest does not show five calls:", found)


def check_graph(path, sums):
    """Checks the paragraphs of spoor graph: the line of a function has its total time, self time and calls."""
    seen = 0
    with open(path) as file:
        for line in file:
            found = re.match(r" *(\S+ [nmu]?s) +(\S+ [nmu]?s) +([\d,]+) +(\w+)  \(", line)
            if found:
                total, own, calls, name = found.groups()
                check_rounded("graph", name, (total, own), sums[name], calls)
                seen += 1
    if seen != len(sums):
        fail("graph shows", seen, "functions")


def check_dot(path, sums):
    with open(path) as file:
        found = re.findall(r'label="(\w+)\\n\w+\\n(\S+ \w+) \([\d.]+%\), self (\S+ \w+)\\n([\d,]+) calls"', file.read())
    for name, total, own, calls in found:
        check_rounded("graph as DOT", name, (total, own), sums[name], calls)
    if len(found) != len(sums):
        fail("graph as DOT shows", found)


def check_report(path, sums):
    seen = 0
    with open(path) as file:
        for line in file:
            words = line.split()
            if len(words) == 14 and words[-1] in sums:
                check_rounded("report", words[-1], (" ".join(words[1:3]), " ".join(words[3:5])), sums[words[-1]], words[0])
                seen += 1
    if seen != len(sums):
        fail("report shows", seen, "functions")


def check_rounded(what, name, shown, sums, calls):
    for text, exact in zip(shown, sums[1:]):
        ns, off = rounded(text)
        if abs(ns - exact) > off or int(calls.replace(",", "")) != sums.calls:
            fail(what, name, "is shown with", text, "of", calls, "calls and is", sums)


def check_callgrind(path, exact, sums):
    """Checks the own cost, and the calls and times of each function below each other one, with recursion counted
    once."""
    own, calls, cost, _ = exports.read_callgrind(path)
    foreign_readers.same("callgrind and calls, self,", {name: ns for (name, _), ns in own.items()}, {name: row.own for name, row in sums.items()})
    wanted_calls, wanted_cost = collections.Counter(), collections.Counter()
    for whole in exact.values():
        stack = []
        for call in whole:
            del stack[call.depth:]
            if stack:
                wanted_calls[stack[-1], call.name] += 1
                if (stack[-1], call.name) not in zip(stack, stack[1:]):
                    wanted_cost[stack[-1], call.name] += call.end - call.begin
            stack.append(call.name)
    for what, got, wanted in (("calls", calls, wanted_calls), ("times", cost, wanted_cost)):
        foreign_readers.same("callgrind and calls, %s from one function to another," % what,
                             {(a[0], b[0]): value for (a, b), value in got.items()}, dict(wanted))


def check_folded(path, exact):
    wanted = collections.Counter()
    for calls in exact.values():
        stack = []
        for call in calls:
            del stack[call.depth:]
            length = call.end - call.begin
            if stack:
                wanted[";".join(stack)] -= length
            stack.append(call.name)
            wanted[";".join(stack)] += length
    with open(path) as file:
        got = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in file}
    foreign_readers.same("folded stacks and calls,", got, dict(wanted))


def main(readings_path, folder, create, cost):
    readings, tolerance = read_readings(readings_path), 1000 + float(cost)

    def path(name):
        return os.path.join(folder, name)

    exact = call_readers.from_csv(path("events.csv"))
    check_calls("csv", exact, readings, tolerance)
    # The start of the trace, from which some formats count, is known from a format that has it.
    with open(path("firefox.json")) as file:
        origin = json.load(file)["meta"]["startTimeAsClockMonotonicNanosecondsSinceBoot"]
    for name, threads in (("json", call_readers.from_json(path("events.json"))), ("perfetto", call_readers.from_perfetto(path("perfetto.txt"))),
                          ("chrome", call_readers.from_chrome(path("chrome.json"))), ("ctf", call_readers.from_ctf(path("ctf"))),
                          ("rowbinary", call_readers.from_rowbinary(create, path("rows"))), ("firefox", call_readers.from_firefox(path("firefox.json"))),
                          ("speedscope", moved(call_readers.from_speedscope(path("speedscope.json")), origin))):
        check_calls(name, threads, readings, tolerance)
        if dict(threads) != dict(exact):
            fail(name, "has other times than the CSV export")
    if os.path.exists(path("otf2.events")):
        check_calls("otf2", call_readers.from_otf2(path("otf2.events"), path("otf2.definitions")), readings, tolerance)
    page, threads = call_readers.from_view(path("view.html"))
    if threads:
        check_calls("view", moved(threads, page.begin), readings, tolerance)
    elif sum(map(len, readings.values())) < 10000:
        fail("view merges calls although there are few")
    narrow = sum(max(r.begun - r.before, r.after - r.ending) <= 1000 for whole in readings.values() for r in whole)
    print("calls whose readings are no further apart than a microsecond:", narrow, "of", sum(map(len, readings.values())))
    if not narrow:
        fail("the program's readings are too far apart for a comparison")

    # Sums.
    sums = sums_of(exact)
    check_bounds(sums, readings, tolerance)
    rows = exports.report(path("report.csv"))
    foreign_readers.same("the report and calls,", {name: row for (name, _), row in rows.items()}, {name: tuple(row) for name, row in sums.items()})
    roots = sum(call.end - call.begin for calls in exact.values() for call in calls if not call.depth)
    if sum(row[2] for row in rows.values()) != roots:
        fail("self times add up to", sum(row[2] for row in rows.values()), "and the outermost calls to", roots)
    with open(path("report.json")) as file:
        foreign_readers.same("the report's JSON and calls,", {row["function"]: (row["calls"], row["total_ns"], row["self_ns"])
                             for row in json.load(file)["rows"]}, {name: tuple(row) for name, row in sums.items()})
    check_report(path("report.txt"), sums)
    check_graph(path("graph.txt"), sums)
    check_dot(path("graph.dot"), sums)
    check_folded(path("flame.folded"), exact)
    exports.check_pprof(path("pprof.txt"), path("report.csv"))
    check_callgrind(path("callgrind"), exact, sums)
    foreign_readers.same("view's table and the report,", {key: tuple(row) for key, row in page.table().items()}, rows)
    check_slowest(path("slowest.txt"), exact, origin)
    check_replay("replay", call_readers.from_replay(path("replay.txt")), exact, origin)


main(*sys.argv[1:])
