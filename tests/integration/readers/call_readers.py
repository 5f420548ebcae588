# SPDX-License-Identifier: MIT
"""call_readers.py - reads the calls of each export and of each page with an independent reader: a list of calls for each
thread, in the order in which they begin, with times in nanoseconds."""
import collections
import csv
import json
import os
import re
import sys

import rowbinary
import timelines
import view

Call = collections.namedtuple("Call", "name depth begin end")
UNITS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}


def fail(*words):
    sys.exit("call_readers.py: " + " ".join(str(word) for word in words))


class Nesting:
    """Calls made from their entries and exits, by thread, in the order in which they begin."""

    def __init__(self):
        self.threads, self.open = collections.defaultdict(list), collections.defaultdict(list)

    def enter(self, thread, name, time):
        self.open[thread].append(len(self.threads[thread]))
        self.threads[thread].append(Call(name, len(self.open[thread]) - 1, time, None))

    def leave(self, thread, name, time):
        place = self.open[thread].pop()
        if self.threads[thread][place].name != name:
            fail(name, "ends, but the innermost open call is", self.threads[thread][place])
        self.threads[thread][place] = self.threads[thread][place]._replace(end=time)

    def done(self):
        if any(self.open.values()):
            fail("calls are still open at the end")
        return self.threads


def nest(calls):
    """Makes the same from complete calls: (thread, name, begin, end)."""
    nesting, by_thread = Nesting(), collections.defaultdict(list)
    for thread, name, begin, end in calls:
        by_thread[thread].append((begin, -end, name))
    for thread, whole in by_thread.items():
        stack = []

        def leave_before(time):
            while stack and (time is None or stack[-1][0] <= time):
                nesting.leave(thread, stack[-1][1], stack.pop()[0])

        for begin, end, name in sorted(whole):
            leave_before(begin)
            nesting.enter(thread, name, begin)
            stack.append((-end, name))
        leave_before(None)
    return nesting.done()


def from_events(rows):
    nesting = Nesting()
    for row in rows:
        if row["event"] == "entry":
            nesting.enter(int(row["thread"]), row["function"], int(row["time_ns"]))
        elif row["event"] == "exit":
            nesting.leave(int(row["thread"]), row["function"], int(row["time_ns"]))
    return nesting.done()


def from_csv(path):
    with open(path, newline="") as file:
        return from_events(csv.DictReader(file))


def from_json(path):
    with open(path) as file:
        return from_events(json.load(file)["events"])


def from_perfetto(path):
    return nest((thread, name, begin, end) for _, thread, name, _, begin, end in timelines.read_perfetto(path).calls)


def from_chrome(path):
    return nest((thread, name, begin, end) for _, thread, name, _, begin, end in timelines.read_chrome(path).calls)


def from_speedscope(path):
    with open(path) as file:
        whole = json.load(file)
    nesting = Nesting()
    for profile in whole["profiles"]:
        thread = int(re.search(r", (\d+)\)$", profile["name"]).group(1))
        for event in profile["events"]:
            name = whole["shared"]["frames"][event["frame"]]["name"]
            (nesting.enter if event["type"] == "O" else nesting.leave)(thread, name, event["at"])
    return nesting.done()


def from_firefox(path):
    with open(path) as file:
        whole = json.load(file)
    shared, nesting = whole["shared"], Nesting()
    origin = whole["meta"]["startTimeAsClockMonotonicNanosecondsSinceBoot"]
    paths = {None: ()}
    for i, (frame, prefix) in enumerate(zip(shared["stackTable"]["frame"], shared["stackTable"]["prefix"])):
        name = shared["funcTable"]["name"][shared["frameTable"]["func"][frame]]
        paths[i] = paths[prefix] + (shared["stringArray"][name],)
    for thread in whole["threads"]:
        stack = ()
        for at, sample in zip(thread["samples"]["time"], thread["samples"]["stack"]):
            time, path = origin + round(at * 1e6), paths[sample]
            same = len(os.path.commonprefix([stack, path]))
            for name in reversed(stack[same:]):
                nesting.leave(thread["tid"], name, time)
            for name in path[same:]:
                nesting.enter(thread["tid"], name, time)
            stack = path
    return nesting.done()


def from_ctf(directory):
    import bt2
    names, nesting = {}, Nesting()
    for message in bt2.TraceCollectionMessageIterator(directory):
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        if event.name.startswith("function"):
            names[int(event.payload_field["function"])] = str(event.payload_field["name"])
        elif event.name in ("entry", "exit"):
            what = nesting.enter if event.name == "entry" else nesting.leave
            what(int(event.packet.context_field["thread"]), names[int(event.payload_field["function"])],
                 message.default_clock_snapshot.value)
    return nesting.done()


def from_otf2(events, definitions):
    threads, nesting = {}, Nesting()
    with open(definitions) as file:
        for line in file:
            found = re.match(r'LOCATION_PROPERTY +Location: ".*" <(\d+)>, Name: "thread ID" .*Value: (\d+)$', line)
            if found:
                threads[found.group(1)] = int(found.group(2))
    with open(events) as file:
        for line in file:
            found = re.match(r'(ENTER|LEAVE) +(\d+) +(\d+)  Region: "(.*)" <\d+>$', line)
            if found:
                kind, location, time, name = found.groups()
                (nesting.enter if kind == "ENTER" else nesting.leave)(threads[location], name, int(time))
    return nesting.done()


def from_rowbinary(create, path):
    rows = list(rowbinary.rows_of(path, rowbinary.columns_of(create)))
    names = {row.function: row.text_1 for row in rows if row.kind == rowbinary.FUNCTION}
    return nest((row.thread, names[row.function], row.number_1, row.number_1 + row.number_2)
                for row in rows if row.kind == rowbinary.CALL)


def from_view(path):
    """Returns the page and its calls; no calls if the page merges some."""
    page = view.Page(path)
    if page.runs or page.levels:
        return page, None
    return page, nest((page.threads[thread][2], page.function(node), begin, end)
                      for thread, begin, end, node, _, _ in page.calls)


def rounded(text):
    """Returns a displayed time in nanoseconds, and its possible error. The tools cut digits off."""
    number, unit = text.split()
    digits = len(number.partition(".")[2])
    return float(number) * UNITS[unit], UNITS[unit] / 10 ** digits * 1.000001


def from_replay(path):
    """Reads displayed calls: (thread, name, begin and its error, duration and its error)."""
    threads, opened, thread = collections.defaultdict(list), collections.defaultdict(list), None
    with open(path) as file:
        for line in file:
            found = re.match(r"# thread (\d+)", line)
            if found:
                thread = int(found.group(1))
            found = re.match(r" *(\d+\.\d+)? +(\d[\d.]* [nmu]?s)? +(} )?(\w+)\(\)(.*)$", line)
            if not found:
                continue
            time, duration, closes, name, rest = found.groups()
            if closes:
                place = opened[thread].pop()
                if threads[thread][place][0] != name:
                    fail("replay closes a call that is not the innermost:", name)
                threads[thread][place][3] = rounded(duration)
                continue
            threads[thread].append([name, len(opened[thread]), rounded(time + " us"), rounded(duration) if duration else None])
            if rest.endswith("{"):
                opened[thread].append(len(threads[thread]) - 1)
    return threads
