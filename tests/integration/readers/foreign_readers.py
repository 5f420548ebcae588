# SPDX-License-Identifier: MIT
"""foreign_readers.py - compares the output of other programs for an export with spoor's own CSV export and report.

foreign_readers.py ctf DIRECTORY EVENTS.csv PLACES
foreign_readers.py otf2 EVENTS DEFINITIONS REPORT.csv EVENTS.csv PLACES      (the output of otf2-print)
foreign_readers.py firefox PROFILE REPORT.csv EVENTS.csv PLACES
foreign_readers.py profiler FUNCTIONS MARKERS REPORT.csv EVENTS.csv
                                            (the output of profiler-cli, one thread on each line)

PLACES: function, file and line of the functions that must have a place, from nm.
"""
import collections
import csv
import json
import os
import re
import sys

CALLS = ("entry", "exit", "tail_exit", "root")
LOSSES = ("lost", "lost_slices", "lost_overwritten", "unrecorded")


def fail(*words):
    sys.exit("foreign_readers.py: " + " ".join(str(word) for word in words))


def events(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def report(path):
    """Returns calls, total and self time by function and library; functions with the same name are added up."""
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = row["function"], row["library"]
            before = rows.get(key, (0, 0, 0))
            rows[key] = tuple(a + int(row[name] or 0) for a, name in zip(before, ("calls", "total_ns", "self_ns")))
    return rows


def same(what, got, wanted):
    for key in sorted(set(got) | set(wanted)):
        if got.get(key) != wanted.get(key):
            fail(what, key, "is", got.get(key), "instead of", wanted.get(key))
    if not wanted:
        fail(what, "has nothing to compare")
    print(what, "agree in", len(wanted))


def check_places(what, got, path):
    """@got: (file, line) by name. Lines may differ by the line of a template, or of the brace."""
    with open(path) as file:
        for line in file:
            name, wanted, number = line.rstrip("\n").split("\t")
            if name not in got:
                continue
            place = got.pop(name)
            if os.path.basename(place[0]) != os.path.basename(wanted) or abs(place[1] - int(number)) > 1:
                fail(what, name, "is at", place, "instead of", wanted, number)
            same.places = getattr(same, "places", 0) + 1
    if os.path.getsize(path) and getattr(same, "places", 0) < 8:
        fail(what, "has places of", getattr(same, "places", 0), "functions only")


def check_ctf(directory, csv_path, places):
    import bt2

    threads, functions = collections.defaultdict(list), {}
    for message in bt2.TraceCollectionMessageIterator(directory):
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        fields = event.payload_field
        if event.name.startswith("function"):
            functions[int(fields["function"])] = fields
            continue
        context = event.packet.context_field
        row = {"time_ns": message.default_clock_snapshot.value, "event": event.name}
        if event.name in CALLS:
            row["number"] = int(fields["function"])
            row["labels"] = fields["function"].labels
        elif event.name in LOSSES:
            row["count"] = int(fields["count"])
        elif event.name.startswith("user"):
            row["event"] = "user"
            row["time_ns"] = int(fields["time_ns"])
            row["type_name"] = str(fields["type_name"]) if "type_name" in fields else ""
            for name in ("type", "payload_1", "payload_2"):
                row[name] = int(fields[name])
            row["string"] = str(fields["text"]) if event.name == "user_string" else ""
        else:
            row["count"] = int(fields["frame"])
        threads[int(context["process"]), int(context["thread"])].append(row)
    got = {}
    for thread, rows in threads.items():
        got[thread] = []
        for row in rows:
            if "number" in row:
                function = functions[row.pop("number")]
                name = str(function["name"])
                if name not in row.pop("labels"):
                    fail("an event has another label than", name)
                row["function"], row["library"] = name, str(function["library"])
                row["function_id"] = "%016x" % int(function["function_id"])
            got[thread].append({key: str(value) for key, value in row.items() if str(value) != ""})
    wanted = collections.defaultdict(list)
    for row in events(csv_path):
        thread = int(row.pop("process")), int(row.pop("thread"))
        wanted[thread].append({key: value for key, value in row.items() if value != ""})
    for thread in set(got) | set(wanted):
        for a, b in zip(got.get(thread, []), wanted.get(thread, [])):
            if a != b:
                fail("CTF has", a, "and the CSV export", b)
    same("CTF and csv, events of threads,", {key: len(rows) for key, rows in got.items()},
         {key: len(rows) for key, rows in wanted.items()})
    check_places("CTF:", {str(f["name"]): (str(f["file"]), int(f["line"])) for f in functions.values() if "file" in f}, places)


class Times:
    """Calls, total and self time, from entries and exits."""

    def __init__(self):
        self.calls, self.self_ns, self.total_ns = collections.Counter(), collections.Counter(), collections.Counter()
        self.seen, self.stack, self.active, self.last = set(), [], collections.Counter(), None

    def at(self, time):
        if self.last is not None and time < self.last:
            fail("time goes back to", time, "from", self.last)
        if self.stack:
            self.self_ns[self.stack[-1][0]] += time - self.last
        self.last = time

    def enter(self, what, time, counts):
        self.at(time)
        self.stack.append((what, time))
        self.active[what] += 1
        self.calls[what] += counts
        self.seen.add(what)

    def leave(self, what, time):
        self.at(time)
        if not self.stack or self.stack[-1][0] != what:
            fail("a call ends, and is not the innermost:", what)
        begun = self.stack.pop()[1]
        self.active[what] -= 1
        if not self.active[what]:
            self.total_ns[what] += time - begun


def user_rows(csv_path):
    """Returns the fields of user events that each format has, in the order of their threads. The value of a counter
    is signed."""
    rows = collections.defaultdict(list)
    for row in events(csv_path):
        if row["event"] == "user":
            name = row["type_name"] or "user event 0x%08x" % int(row["type"])
            payload_1 = int(row["payload_1"]) - (2 ** 64 if name == "balance" else 0)
            rows[int(row["process"]), int(row["thread"])].append(
                (name, int(row["type"]), payload_1, int(row["payload_2"]), row["string"]))
    return dict(rows)


def loss_rows(csv_path):
    rows = collections.defaultdict(list)
    for row in events(csv_path):
        if row["event"] in LOSSES:
            rows[int(row["process"]), int(row["thread"])].append((row["event"], int(row["count"])))
    return dict(rows)


def thread_keys(csv_path):
    return {(int(row["process"]), int(row["thread"])) for row in events(csv_path)}


def check_otf2(events_path, definitions_path, report_path, csv_path, places):
    strings, groups, regions, locations, process_of, thread_of = {}, {}, {}, {}, {}, {}
    with open(definitions_path) as file:
        text = file.read()
    named = r'"(.*)" <(\d+)>'
    for line in text.splitlines():
        found = re.match(r"REGION +(\d+)  Name: " + named + r' \(Aka\. .*\), Descr\.: ' + named + ", Role: FUNCTION, .*", line)
        if found:
            rest = re.search(r'File: (?:"(.*)" <\d+>|UNDEFINED), Begin: (\d+|UNDEFINED)', line)
            regions[int(found.group(1))] = (found.group(2), found.group(4), (rest.group(1) or "") if rest else "",
                                            int(rest.group(2)) if rest and rest.group(2).isdigit() else 0)
        found = re.match(r"LOCATION +(\d+)  Name: " + named + r".*# Events: (\d+), Group: " + named, line)
        if found:
            locations[int(found.group(1))] = found.group(2), int(found.group(4)), int(found.group(6))
        found = re.match(r'LOCATION_GROUP_PROPERTY +Location Group: ".*" <(\d+)>, Name: "process ID" .*Value: (\d+)$', line)
        if found:
            process_of[int(found.group(1))] = int(found.group(2))
        found = re.match(r'LOCATION_PROPERTY +Location: ".*" <(\d+)>, Name: "thread ID" .*Value: (\d+)$', line)
        if found:
            thread_of[int(found.group(1))] = int(found.group(2))
    times = collections.defaultdict(Times)
    counted, users, losses = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    lines = []
    with open(events_path) as file:
        for line in file:
            found = re.match(r" +ADDITIONAL ATTRIBUTES: (.*)", line)
            if found:
                lines[-1][1] = found.group(1)
            elif re.match(r"[A-Z0-9_]+ +\d+ +\d+  ", line):
                lines.append([line.rstrip("\n"), ""])

    def attribute(text, name):
        found = re.search(r'\("%s" <\d+>; \w+; (?:"(.*?)" <\d+>|(\d+))\)' % name, text)
        return found and (found.group(2) if found.group(1) is None else found.group(1))

    for line, attributes in lines:
        kind, location, time, rest = re.match(r"(\w+) +(\d+) +(\d+)  (.*)", line).groups()
        location, time = int(location), int(time)
        thread = process_of[locations[location][2]], thread_of[location]
        counted[location] += 1
        if kind in ("ENTER", "LEAVE"):
            region = regions[int(re.search(r"<(\d+)>$", rest).group(1))]
            if kind == "ENTER":
                times[location].enter(region[:2], time, not attribute(attributes, "begin"))
            else:
                times[location].leave(region[:2], time)
        elif kind.startswith("PARAMETER") and attribute(attributes, "type"):
            name, value = re.match(r'Parameter: "(.*)" <\d+>, Value: (.*)$', rest).groups()
            string = re.match(r'"(.*)" <\d+>$', value)
            payload_1 = attribute(attributes, "payload_1") if string else value
            users[thread].append((name, int(attribute(attributes, "type")), int(payload_1),
                                  int(attribute(attributes, "payload_2")), string.group(1) if string else ""))
        elif kind == "MEASUREMENT_ON_OFF" and rest == "Mode: OFF":
            losses[thread].append((attribute(attributes, "missing"), int(attribute(attributes, "count") or 0)))
    for location, (_, count, _) in locations.items():
        if counted[location] != count:
            fail("location", location, "has", counted[location], "events and should have", count)
    compare_times("OTF2", times.values(), report_path)
    same("OTF2 and csv, threads,", set_of((process_of[l[2]], thread_of[i]) for i, l in locations.items() if l[1]),
         set_of(thread_keys(csv_path)))
    if user_rows(csv_path):
        same("OTF2 and csv, user events of threads,", dict(users), user_rows(csv_path))
    if loss_rows(csv_path):
        same("OTF2 and csv, losses of threads,", dict(losses), loss_rows(csv_path))
    check_names("OTF2", [(process_of[l[2]], thread_of[i], l[0]) for i, l in locations.items()], csv_path)
    check_places("OTF2:", {region[0]: region[2:] for region in regions.values()}, places)


def set_of(keys):
    return dict.fromkeys(keys, True)


def check_names(what, threads, csv_path):
    """Checks the names of threads of the program that names its threads."""
    names = sorted(name for _, _, name in threads)
    if any(row["type_name"] == "words" for row in events(csv_path)) and \
            [name for name in names if name != "everything"] != ['first, "one"', "second", "third"]:
        fail(what, "has threads", names)


def compare_times(what, all_times, report_path):
    calls, self_ns, total_ns, seen = collections.Counter(), collections.Counter(), collections.Counter(), set()
    for times in all_times:
        if times.stack:
            fail(what, "has calls that are still open at the end:", times.stack)
        calls += times.calls
        self_ns += times.self_ns
        total_ns += times.total_ns
        seen |= times.seen
    same(what + " and the report, calls and times of functions,",
         {key: (calls[key], total_ns[key], self_ns[key]) for key in seen}, report(report_path))


def check_columns(what, table):
    for name, column in table.items():
        if isinstance(column, list) and len(column) != table["length"]:
            fail(what, name, "has", len(column), "rows instead of", table["length"])


def check_firefox(path, report_path, csv_path, places):
    with open(path) as file:
        whole = json.load(file)
    shared = whole["shared"]
    strings = shared["stringArray"]
    for table in ("stackTable", "frameTable", "funcTable", "resourceTable", "sources", "nativeSymbols"):
        check_columns(table, shared[table])
    funcs, stacks, frames = shared["funcTable"], shared["stackTable"], shared["frameTable"]

    def name_of(func):
        return strings[funcs["name"][func]], strings[shared["resourceTable"]["name"][funcs["resource"][func]]]

    paths = []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        if prefix is not None and prefix >= len(paths):
            fail("the prefix of a stack comes after the stack")
        paths.append((paths[prefix] if prefix is not None else ()) + (name_of(frames["func"][frame]),))
    self_ns, total_ns = collections.Counter(), collections.Counter()
    users, losses, threads = collections.defaultdict(list), collections.defaultdict(list), []
    for thread in whole["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        key = int(thread["pid"]), thread["tid"]
        threads.append(key + (thread["name"],))
        check_columns("samples", samples)
        check_columns("markers", markers)
        times = [round(time * 1e6) for time in samples["time"]]
        if any(b <= a for a, b in zip(times, times[1:])):
            fail("the times of samples do not increase")
        for i, stack in enumerate(samples["stack"]):
            weight = round(samples["weight"][i] * 1e6)
            if stack is None:
                if weight:
                    fail("a sample without a call has a weight")
                continue
            # A sample lasts until the next one.
            if i + 1 == samples["length"] or times[i + 1] - times[i] != weight:
                fail("the weight of a sample is not its duration")
            self_ns[paths[stack][-1]] += weight
            for function in set(paths[stack]):
                total_ns[function] += weight
        for name, data in zip(markers["name"], markers["data"]):
            if data["type"] == "user event":
                users[key].append((strings[name], data["number"], int(data["payload_1"]), data["payload_2"],
                                   data.get("string", "")))
            elif data["type"] == "loss":
                losses[key].append((strings[name], int(data["count"])))
    wanted = {key: row[1:] for key, row in report(report_path).items() if row[1]}
    same("the profile and the report, times of functions,", {key: (total_ns[key], self_ns[key]) for key in total_ns}, wanted)
    if user_rows(csv_path):
        same("the profile and csv, user events of threads,", dict(users), user_rows(csv_path))
    if loss_rows(csv_path):
        same("the profile and csv, losses of threads,", dict(losses), loss_rows(csv_path))
    check_names("the profile", threads, csv_path)
    files = [strings[name] for name in shared["sources"]["filename"]]
    check_places("the profile:", {strings[funcs["name"][i]]: (files[funcs["source"][i]], funcs["lineNumber"][i] or 0)
                                  for i in range(funcs["length"]) if funcs["source"][i] is not None}, places)


def check_profiler(path, markers_path, report_path, csv_path):
    self_ms, total_ms = collections.Counter(), collections.Counter()
    with open(path) as file:
        for line in file:
            for function in json.loads(line)["functions"]:
                key = function["name"], function["library"]
                self_ms[key] += function["selfSamples"]
                total_ms[key] += function["totalSamples"]
    wanted = {key: row[1:] for key, row in report(report_path).items() if row[1]}
    same("profiler-cli and the report, times of functions,",
         {key: (round(total_ms[key] * 1e6), round(self_ms[key] * 1e6)) for key in total_ms}, wanted)
    users, losses = collections.Counter(), collections.Counter()
    with open(markers_path) as file:
        for line in file:
            for marker in json.loads(line)["flatMarkers"]:
                data = marker["data"]
                if marker["markerType"] == "user event":
                    users[marker["name"], data["number"], int(data["payload_1"]), data["payload_2"], data.get("string", "")] += 1
                elif marker["markerType"] == "loss":
                    losses[marker["name"], int(data["count"])] += 1
    # Markers without a name are gaps, in which no thread was recorded.
    same("profiler-cli and csv, user events,", users,
         collections.Counter(row for rows in user_rows(csv_path).values() for row in rows if row[0] in ("steps", "words")))
    same("profiler-cli and csv, losses,", losses,
         collections.Counter(row for rows in loss_rows(csv_path).values() for row in rows))


if __name__ == "__main__":
    {"ctf": check_ctf, "otf2": check_otf2, "firefox": check_firefox, "profiler": check_profiler}[sys.argv[1]](*sys.argv[2:])
