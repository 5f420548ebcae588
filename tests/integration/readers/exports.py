# SPDX-License-Identifier: MIT
"""exports.py - reads exports of spoor, and compares them with spoor's report and with callgrind's own profile.

exports.py json EVENTS.json EVENTS.csv
exports.py speedscope PROFILE.json REPORT.csv SYMBOLS.json
exports.py speedscope_part PART.json PROFILE.json
exports.py pprof PROFILE.txt REPORT.csv         (decoded by protoc)
exports.py pprof_raw PROFILE.txt REPORT.csv     (the output of pprof -raw)
exports.py callgrind PROFILE REPORT.csv
exports.py viewed TABLE REPORT.csv              the output of viewer.js for speedscope
exports.py calls PROFILE CALLGRINDS             the same calls between functions of PROFILE
"""
import collections
import csv
import json
import re
import sys


def fail(*words):
    sys.exit("exports.py: " + " ".join(str(word) for word in words))


def report(path):
    """Returns calls, total and self time by function and library."""
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows[row["function"], row["library"]] = (int(row["calls"]), int(row["total_ns"]), int(row["self_ns"]))
    return rows


def report_places(path):
    """Returns file and line of each function that has them, by function and library; none if two functions share a
    name."""
    places = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = row["function"], row["library"]
            places[key] = None if key in places else (row["file"], int(row["line"] or 0)) if row["file"] else None
    return {key: place for key, place in places.items() if place}


def same_places(what, got, report_path):
    wanted = report_places(report_path)
    same(what, {key: place for key, place in got.items() if key in wanted}, wanted)


def same(what, got, wanted):
    for key in sorted(set(got) | set(wanted)):
        if got.get(key) != wanted.get(key):
            fail(what, key, "is", got.get(key), "instead of", wanted.get(key))
    if len(wanted) < 5:
        fail(what, "compares only", len(wanted))
    print(what, "agree for", len(wanted), "functions")


def check_json(path, csv_path):
    with open(path) as file:
        whole = json.load(file)
    if whole["schema"] != "spoor.events/2":
        fail("the schema is", whole["schema"])
    with open(csv_path, newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != len(whole["events"]) or len(rows) < 100:
        fail(len(rows), "lines and", len(whole["events"]), "objects")
    for row, event in zip(rows, whole["events"]):
        wanted = {key: value for key, value in row.items() if value != ""}
        got = {key: str(value) for key, value in event.items()}
        # The CSV format has the number of a frame in its count.
        if "frame" in got:
            got["count"] = got.pop("frame")
        if got != wanted:
            fail("the JSON object and the CSV line differ:", got, wanted)
    print("json and csv agree for", len(rows), "events")


def check_places(frames, symbols_path):
    """Checks that each frame has the place of its function in the source."""
    with open(symbols_path) as file:
        functions = json.load(file)["functions"]
    places = collections.defaultdict(set)
    for function in functions:
        directory = "" if function["file"].startswith("/") else function["directory"] + "/"
        places[function["linkage_name"]].add((directory + function["file"], function["line"]))
    for frame in frames:
        if (frame["file"], frame.get("line")) not in places[frame["name"]]:
            fail(frame, "is not at", places[frame["name"]])


def check_speedscope(path, report_path, symbols_path):
    with open(path) as file:
        whole = json.load(file)
    check_places(whole["shared"]["frames"], symbols_path)
    frames = [frame["name"] for frame in whole["shared"]["frames"]]
    calls, self_ns, total_ns = collections.Counter(), collections.Counter(), collections.Counter()
    for profile in whole["profiles"]:
        stack, last, active = [], None, collections.Counter()
        if (profile["type"], profile["unit"]) != ("evented", "nanoseconds"):
            fail("a profile of", profile["type"], profile["unit"])
        for event in profile["events"]:
            at, frame = event["at"], event["frame"]
            if last is not None and at < last:
                fail("time goes back to", at, "from", last)
            if stack and last is not None:
                self_ns[frames[stack[-1][0]]] += at - last
            last = at
            if event["type"] == "O":
                stack.append((frame, at))
                active[frame] += 1
                calls[frames[frame]] += 1
            elif not stack or stack[-1][0] != frame:
                fail("a frame is closed, and is not the innermost:", frames[frame])
            else:
                active[frame] -= 1
                begun = stack.pop()[1]
                if not active[frame]:
                    total_ns[frames[frame]] += at - begun
        if stack:
            fail("frames are still open at the end:", stack)
        if profile["events"] and profile["endValue"] < last:
            fail("a profile ends before its last event")
    wanted = {name: row for (name, _), row in report(report_path).items()}
    if len(wanted) != len(report(report_path)):
        fail("two functions have one name")
    same("speedscope and the report", {key: (calls[key], total_ns[key], self_ns[key]) for key in calls}, wanted)


def check_speedscope_part(part_path, path):
    times = []
    for one in part_path, path:
        with open(one) as file:
            times.append({profile["name"]: [event["at"] for event in profile["events"]] for profile in json.load(file)["profiles"]})
    part, whole = times
    if not part or len(part) >= len(whole):
        fail(part_path, "is not a part of", path)
    for name, wanted in part.items():
        if whole[name] != wanted or not wanted:
            fail("events of", name, "are at", wanted, "in the part, and in the whole at", whole[name])


def check_viewed(path, report_path):
    units = {"ns": 1, "us": 1000, "ms": 10 ** 6, "s": 10 ** 9}

    def shown(text):
        """Returns the value of a text like "1.23ms (73%)", and its rounding error."""
        number, unit = re.match(r"([\d.]+)(ns|us|ms|s) \(", text).groups()
        return float(number) * units[unit], 0.006 * units[unit]

    wanted = report(report_path)
    seen = {}
    with open(path) as file:
        for line in file:
            name, total, own = line.rstrip("\n").split("\t")
            seen[name] = shown(total), shown(own)
    if sorted(seen) != sorted(name for name, _ in wanted) or len(seen) < 10:
        fail("speedscope shows", sorted(seen), "instead of", sorted(name for name, _ in wanted))
    for (name, _), row in wanted.items():
        for (ns, rounding), exact in zip(seen[name], row[1:]):
            if abs(ns - exact) > rounding:
                fail(name, "is shown with", ns, "ns instead of", exact)
    print("speedscope shows", len(seen), "functions as the report does")


def check_pprof(path, report_path):
    with open(path) as file:
        text = file.read()
    if re.search(r"^\s*\d+:", text, re.M):
        fail("a field has no name:", re.search(r"^\s*\d+:.*", text, re.M).group())
    blocks = re.findall(r"^(\w+) \{\n(.*?)^\}", text, re.M | re.S)
    strings = [re.sub(r"\\(.)", r"\1", string) for string in re.findall(r'^string_table: "(.*)"$', text, re.M)]

    def number(block, key, default=0):
        found = re.search(r"\b%s: (-?\d+)" % key, block)
        return int(found.group(1)) if found else default

    names = {number(body, "id"): strings[number(body, "name")] for kind, body in blocks if kind == "function"}
    files = {number(body, "id"): strings[number(body, "filename")] for kind, body in blocks if kind == "mapping"}
    places = {number(body, "id"): (names[number(body, "function_id")], files[number(body, "mapping_id")])
              for kind, body in blocks if kind == "location"}
    types = [strings[number(body, "type")] + "/" + strings[number(body, "unit")] for kind, body in blocks if kind == "sample_type"]
    if types != ["calls/count", "time/nanoseconds"]:
        fail("the values are", types)
    calls, total_ns, self_ns = collections.Counter(), collections.Counter(), collections.Counter()
    for kind, body in blocks:
        if kind != "sample":
            continue
        path_of = [places[int(place)] for place in re.findall(r"location_id: (\d+)", body)]
        count, ns = [int(value) for value in re.findall(r"value: (-?\d+)", body)]
        calls[path_of[0]] += count
        self_ns[path_of[0]] += ns
        for function in set(path_of):
            total_ns[function] += ns
    same("pprof and the report", {key: (calls[key], total_ns[key], self_ns[key]) for key in total_ns}, report(report_path))
    function_of = {number(body, "function_id"): places[number(body, "id")] for kind, body in blocks if kind == "location"}
    lines = {number(body, "function_id"): number(body, "line") for kind, body in blocks if kind == "location"}
    starts = {number(body, "id"): number(body, "start_line") for kind, body in blocks if kind == "function"}
    if lines != starts:
        fail("a location is not where its function begins")
    same_places("pprof and the report, places", {
        function_of[number(body, "id")]: (strings[number(body, "filename")], number(body, "start_line"))
        for kind, body in blocks if kind == "function"}, report_path)


def check_pprof_raw(path, report_path):
    with open(path) as file:
        _, samples, rest = re.split(r"^Samples:\n|^Locations\n", file.read(), flags=re.M)
    locations, mappings = rest.split("Mappings\n")
    values, *samples = samples.splitlines()
    if values.split() != ["calls/count", "time/nanoseconds[dflt]"]:
        fail("pprof's values are", values)
    libraries = dict(re.findall(r"^(\d+): \S+ (.*?) +\[FN\]$", mappings, re.M))
    functions, places = {}, {}
    for number, library, name, file, line in re.findall(r"^ *(\d+): 0x0 M=(\d+) (.*) (\S*):(\d+) s=\5\(.*\)$", locations, re.M):
        functions[number] = name, libraries[library]
        places[functions[number]] = file, int(line)
    calls, total_ns, self_ns = collections.Counter(), collections.Counter(), collections.Counter()
    for sample in samples:
        count, ns, path_of = re.match(r" *(\d+) +(\d+): ([\d ]+)$", sample).groups()
        path_of = [functions[number] for number in path_of.split()]
        calls[path_of[0]] += int(count)
        self_ns[path_of[0]] += int(ns)
        for function in set(path_of):
            total_ns[function] += int(ns)
    same("go tool pprof and the report", {key: (calls[key], total_ns[key], self_ns[key]) for key in total_ns},
         report(report_path))
    same_places("go tool pprof and the report, places", places, report_path)


def read_callgrind(path):
    """Returns own cost, calls and cost of each edge, and file and line, by (function, object)."""
    known = {}

    def name(kind, text):
        found = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not found:
            return text
        if found.group(2):
            # Callgrind marks a function within its own call by a number.
            known[kind, found.group(1)] = re.sub(r"'\d+$", "", found.group(2))
        return known[kind, found.group(1)]

    own, calls, cost, places = collections.Counter(), collections.Counter(), collections.Counter(), {}
    here_object = there_object = here = there = here_file = None
    after_calls = 0
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            key, _, value = line.partition("=")
            if key == "ob":
                here_object = there_object = name("ob", value)
            elif key == "cob":
                there_object = name("ob", value)
            elif key in ("fl", "fi", "fe", "cfi", "cfl"):
                file_name = name("fl", value)
                if key == "fl":
                    here_file = file_name
            elif key == "fn":
                here = name("fn", value), here_object.rsplit("/", 1)[-1]
                there_object = here_object
                own[here] += 0
            elif key == "cfn":
                there = name("fn", value), there_object.rsplit("/", 1)[-1]
            elif key == "calls":
                calls[here, there] += int(value.split()[0])
                after_calls = 1
            elif re.match(r"[+*\-\d]", line):
                numbers = line.split()
                if after_calls:
                    cost[here, there] += int(numbers[1]) if len(numbers) > 1 else 0
                    there_object = here_object
                elif here:
                    own[here] += int(numbers[1]) if len(numbers) > 1 else 0
                    if numbers[0].isdigit():
                        places.setdefault(here, (here_file, int(numbers[0])))
                after_calls = 0
    return own, calls, cost, places


def check_callgrind(path, report_path):
    own, calls, cost, places = read_callgrind(path)
    rows = report(report_path)
    same("callgrind and the report, self", dict(own), {key: row[2] for key, row in rows.items()})
    same_places("callgrind and the report, places", places, report_path)
    called = collections.Counter()
    for (_, callee), count in calls.items():
        called[callee] += count
    for key, (count, total, _) in rows.items():
        # The first function of a thread has no caller.
        if called[key] > count:
            fail(key, "is called", called[key], "times, and has only the calls", count)
    if sum(called.values()) < sum(row[0] for row in rows.values()) - 20:
        fail("fewer calls have a caller than the report has calls")


def check_calls(path, other_path):
    ours, theirs = read_callgrind(path)[1], read_callgrind(other_path)[1]

    def by_name(calls):
        names = collections.Counter()
        for (caller, callee), count in calls.items():
            names[caller[0], callee[0]] += count
        return names

    ours, theirs = by_name(ours), by_name(theirs)
    functions = {name for edge in ours for name in edge}
    # A call from an untraced library appears in spoor below the traced caller of that library.
    through_others = {callee for (caller, callee) in theirs if caller not in functions}
    compared = 0
    for edge, count in sorted(theirs.items()):
        if edge[0] not in functions or edge[1] not in functions:
            continue
        if ours[edge] != count and (edge[1] not in through_others or ours[edge] < count):
            fail("calls from", edge[0], "to", edge[1], ": spoor has", ours[edge], "and callgrind", count)
        compared += 1
    for edge in ours:
        if edge not in theirs and edge[1] not in through_others:
            fail("callgrind has no call from", edge[0], "to", edge[1])
    if compared < 20:
        fail("only", compared, "pairs of functions are compared")
    print("callgrind sees the same calls between", compared, "pairs of functions")


if __name__ == "__main__":
    {"json": check_json, "speedscope": check_speedscope, "speedscope_part": check_speedscope_part,
     "pprof": check_pprof, "pprof_raw": check_pprof_raw, "callgrind": check_callgrind,
     "calls": check_calls, "viewed": check_viewed}[sys.argv[1]](*sys.argv[2:])
