# SPDX-License-Identifier: MIT
"""timelines.py - reads timelines of spoor export, and compares them with each other and with other output of spoor.

timelines.py same PERFETTO.txt CHROME.json      the same calls, marks, counters and names of tracks
timelines.py report PERFETTO.txt REPORT.csv     names, calls, total and self times
timelines.py events PERFETTO.txt EVENTS.csv     user events, counters and losses
timelines.py places PERFETTO.txt SYMBOLS.json   files and lines of functions
timelines.py union WHOLE.txt PART.txt...        the parts, and nothing else
timelines.py clocks PERFETTO.txt SHIFT_NS       the second process began SHIFT_NS later; clock snapshots

PERFETTO.txt is the output of protoc.
"""
import collections
import csv
import decimal
import json
import re
import sys


def fail(*words):
    sys.exit("timelines.py: " + " ".join(str(word) for word in words))


def parse(lines):
    """Parses a message in protoc's text format: a list of values by field name."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            key, value = line[:-2], parse(lines)
        else:
            key, _, value = line.partition(": ")
            if value.startswith('"'):
                value = re.sub(r"\\(\d{3}|.)", unescape, value[1:-1])
            elif re.match(r"-?\d+$", value):
                value = int(value)
        if key.isdigit():
            fail("field", key, "has no name in the schema")
        message[key].append(value)
    return message


def unescape(found):
    text = found.group(1)
    return chr(int(text, 8)) if len(text) == 3 else {"n": "\n", "t": "\t"}.get(text, text)


class Timeline:
    def __init__(self):
        self.names = {}        # of (process, None) and (process, thread)
        self.labels = {}       # of processes
        self.calls = []        # process, thread, function, place, begin, end
        self.marks = []        # process, thread, time, text, payloads
        self.counters = []     # process, thread or None, name, time, value


def read_perfetto(path):
    timeline = Timeline()
    tracks, sequences, stacks = {}, {}, collections.defaultdict(list)
    timeline.clocks = []
    with open(path) as file:
        packets = parse(iter(file.read().splitlines()))["packet"]
    for packet in packets:
        sequence = sequences.get(packet["trusted_packet_sequence_id"][0])
        flags = packet["sequence_flags"]
        if flags == [1]:
            sequence = sequences[packet["trusted_packet_sequence_id"][0]] = {"names": {}, "places": {}, "now": None}
            sequence["track"] = packet["trace_packet_defaults"][0]["track_event_defaults"][0]["track_uuid"][0]
        for track in packet["track_descriptor"]:
            uuid = track["uuid"][0]
            if uuid in tracks:
                fail("two tracks have the ID", uuid)
            parent = tracks.get(track["parent_uuid"][0]) if track["parent_uuid"] else None
            if track["process"]:
                process = track["process"][0]
                tracks[uuid] = process["pid"][0], None, None
                timeline.names[tracks[uuid][:2]] = process["process_name"][0]
                timeline.labels[process["pid"][0]] = ", ".join(process["process_labels"])
            elif track["thread"]:
                thread = track["thread"][0]
                tracks[uuid] = thread["pid"][0], thread["tid"][0], None
                timeline.names[tracks[uuid][:2]] = thread["thread_name"][0]
                if parent[0] != thread["pid"][0]:
                    fail("thread", thread["tid"], "belongs to process", parent)
            else:
                if not track["counter"]:
                    fail("a track without a process, thread or counter:", track)
                tracks[uuid] = parent[:2] + (track["name"][0],)
        for snapshot in packet["clock_snapshot"]:
            clocks = {clock["clock_id"][0]: clock["timestamp"][0] for clock in snapshot["clocks"]}
            if 64 in clocks:
                sequence["now"] = clocks[64]
                if clocks[3] != clocks[64]:
                    fail("the clock of a thread is not the monotonic clock:", clocks)
            else:
                timeline.clocks.append((clocks[3], clocks[1]))
        for interned in packet["interned_data"]:
            for name in interned["event_names"]:
                sequence["names"][name["iid"][0]] = name["name"][0]
            for place in interned["source_locations"]:
                sequence["places"][place["iid"][0]] = "%s:%d" % (place["file_name"][0], place["line_number"][0])
        for event in packet["track_event"]:
            if packet["timestamp_clock_id"] == [3]:
                time = packet["timestamp"][0]
            else:
                sequence["now"] += packet["timestamp"][0]
                time = sequence["now"]
            where = tracks[(event["track_uuid"] or [sequence["track"]])[0]]
            kind = event["type"][0]
            if kind == "TYPE_SLICE_BEGIN":
                place = sequence["places"][event["source_location_iid"][0]] if event["source_location_iid"] else ""
                stacks[sequence["track"]].append((sequence["names"][event["name_iid"][0]], place, time))
            elif kind == "TYPE_SLICE_END":
                name, place, begin = stacks[sequence["track"]].pop()
                timeline.calls.append(where[:2] + (name, place, begin, time))
            elif kind == "TYPE_COUNTER":
                timeline.counters.append(where + (time, event["counter_value"][0]))
            else:
                arguments = {note["name"][0]: (note["string_value"] or note["uint_value"])[0]
                             for note in event["debug_annotations"]}
                timeline.marks.append(where[:2] + (time, event["name"][0], tuple(sorted(arguments.items()))))
    if any(stacks.values()):
        fail("calls are still open at the end")
    return timeline


def read_chrome(path):
    timeline = Timeline()
    with open(path) as file:
        whole = json.load(file, parse_float=decimal.Decimal, parse_int=int)
    events, frames = whole["traceEvents"], whole["stackFrames"]
    for event in events:
        where = event["pid"], event.get("tid")
        time = int(event.get("ts", 0) * 1000)
        arguments = event.get("args", {})
        if event["ph"] == "M":
            if event["name"] == "process_labels":
                timeline.labels[event["pid"]] = arguments["labels"]
            else:
                timeline.names[where] = arguments["name"]
        elif event["ph"] == "X":
            timeline.calls.append(where + (event["name"], frames[str(event["sf"])]["name"] if "sf" in event else "", time, time + int(event["dur"] * 1000)))
        elif event["ph"] == "C":
            where = where if "id" in event else (event["pid"], None)
            if event.get("id", event["tid"]) != event["tid"]:
                fail("a counter of another thread:", event)
            timeline.counters.append(where + (event["name"], time, arguments["value"]))
        else:
            timeline.marks.append(where + (time, event["name"], tuple(sorted((key, int(value) if key != "type" and
                                  str(value).isdigit() else value) for key, value in arguments.items()))))
    return timeline


def same(what, got, wanted, least=1):
    got, wanted = collections.Counter(got), collections.Counter(wanted)
    if got != wanted:
        fail(what, "differ: only", list((got - wanted).items())[:3], "and only", list((wanted - got).items())[:3])
    if sum(wanted.values()) < least:
        fail(what, "are only", sum(wanted.values()))
    print(what, "agree:", sum(wanted.values()))


def nests(calls):
    """Checks that the calls of each thread are nested or disjoint."""
    threads = collections.defaultdict(list)
    for process, thread, name, _, begin, end in calls:
        threads[process, thread].append((begin, -end, name))
    for where, thread in threads.items():
        stack = []
        for begin, end, name in sorted(thread):
            while stack and stack[-1] <= begin:
                stack.pop()
            if stack and -end > stack[-1]:
                fail("in", where, name, "ends after its caller")
            stack.append(-end)


def check_same(perfetto_path, chrome_path):
    perfetto, chrome = read_perfetto(perfetto_path), read_chrome(chrome_path)
    nests(perfetto.calls)
    nests(chrome.calls)

    same("calls", chrome.calls, perfetto.calls, 100)
    same("marks", chrome.marks, perfetto.marks, 0)
    same("counters", chrome.counters, perfetto.counters, 0)
    same("names of tracks", chrome.names.items(), perfetto.names.items(), 2)
    same("labels", chrome.labels.items(), perfetto.labels.items())


def check_report(path, report_path):
    calls, total, own = collections.Counter(), collections.Counter(), collections.Counter()
    threads = collections.defaultdict(list)
    for number, (process, thread, name, _, begin, end) in enumerate(read_perfetto(path).calls):
        # A call with the same begin and end comes after the calls within it.
        threads[process, thread].append((begin, -end, -number, name))
    for thread in threads.values():
        stack, active = [], collections.Counter()

        def pop():
            name, _, end, begin = stack.pop()
            active[name] -= 1
            if not active[name]:
                total[name] += end - begin

        for begin, end, _, name in sorted(thread):
            while stack and (stack[-1][2] < -end or stack[-1][2] <= begin and stack[-1][2] != -end):
                pop()
            if stack:
                own[stack[-1][0]] -= -end - begin
            stack.append((name, 0, -end, begin))
            active[name] += 1
            calls[name] += 1
            own[name] += -end - begin
        while stack:
            pop()
    wanted = {}
    with open(report_path, newline="") as file:
        for row in csv.DictReader(file):
            if row["function"] in wanted:
                fail("two functions have the name", row["function"])
            wanted[row["function"]] = int(row["calls"]), int(row["total_ns"]), int(row["self_ns"])
    got = {name: (calls[name], total[name], own[name]) for name in calls}
    same("Perfetto and the report", got.items(), wanted.items(), 3)


def check_events(path, csv_path):
    timeline = read_perfetto(path)
    wanted, counters, losses = [], [], collections.Counter()
    with open(csv_path, newline="") as file:
        for row in csv.DictReader(file):
            where = int(row["process"]), int(row["thread"])
            time = int(row["time_ns"])
            if row["event"] == "lost":
                losses[where] += int(row["count"])
                counters.append(where + ("events lost", time, losses[where]))
                wanted.append(where + (time, row["count"] + " events lost", ()))
            elif row["event"] == "user" and row["type_name"] == "queue":
                counters.append((where[0], None, "queue", time, int(row["payload_1"])))
            elif row["event"] == "user":
                payload = row["string"] if row["string"] else int(row["payload_1"])
                wanted.append(where + (time, row["type_name"], (("payload_1", payload),
                              ("payload_2", int(row["payload_2"])), ("type", int(row["type"])))))
    same("marks", timeline.marks, wanted, 100)
    same("counters", timeline.counters, counters, 100)


def check_places(path, symbols_path):
    with open(symbols_path) as file:
        functions = json.load(file)["functions"]
    wanted = collections.defaultdict(set)
    for function in functions:
        directory = "" if function["file"].startswith("/") else function["directory"] + "/"
        wanted[function["function"]].add("%s%s:%d" % (directory, function["file"], function["line"]))
    seen = collections.Counter()
    for _, _, name, place, _, _ in read_perfetto(path).calls:
        seen[name, place] += 1
    for name, place in seen:
        if place not in wanted[name]:
            fail(name, "is at", place, "instead of", wanted[name])
    if len(seen) < 20:
        fail("only", len(seen), "functions")
    print("places agree:", len(seen))


def check_union(whole_path, *part_paths):
    whole, calls, marks = read_perfetto(whole_path), [], []
    for path in part_paths:
        part = read_perfetto(path)
        calls += part.calls
        marks += part.marks
        if not part.names.items() <= whole.names.items():
            fail("names of tracks are missing:", part.names)
    same("calls of the parts", whole.calls, calls, 100)
    same("marks of the parts", whole.marks, marks, 0)


def check_clocks(path, shift):
    timeline = read_perfetto(path)
    begins = {}
    for process, _, _, _, begin, _ in timeline.calls:
        begins[process] = min(begin, begins.get(process, begin))
    first, second = [begins[process] for process in sorted(begins)]
    if second - first != int(shift):
        fail("the second process began", second - first, "ns later")
    if len(timeline.clocks) < 2 or timeline.clocks != sorted(set(timeline.clocks)):
        fail("clock snapshots are", timeline.clocks)
    offsets = {realtime - monotonic for monotonic, realtime in timeline.clocks}
    if len(offsets) != 1:
        fail("the offsets of the clocks differ:", offsets)
    print("clocks agree:", len(timeline.clocks))


if __name__ == "__main__":
    {"same": check_same, "report": check_report, "events": check_events, "places": check_places, "union": check_union,
     "clocks": check_clocks}[sys.argv[1]](*sys.argv[2:])
