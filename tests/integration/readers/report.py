# SPDX-License-Identifier: MIT
"""report.py - computes reports from `spoor export --format=csv --flat`, and compares them with spoor report.

usage: report.py SPOOR TRACE [LATER]
"""
import collections
import csv
import io
import json
import math
import subprocess
import sys

spoor, traces = sys.argv[1], sys.argv[2:]
NUMBERS = ("calls", "total_ns", "self_ns", "avg_ns", "min_ns", "max_ns", "stddev_ns", "p50_ns", "p99_ns")
HEADER = ("function,library,calls,total_ns,self_ns,avg_ns,min_ns,max_ns,stddev_ns,p50_ns,p99_ns,"
          "file,line,process,thread,thread_name,process_name,short_name,self_percent,"
          "cpu_ns,wait_ns,preempted_ns,faults,self_cpu_ns,self_wait_ns").split(",")


def run(*arguments):
    return subprocess.run([spoor, *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def report(trace, *options):
    text = run("report", "--format=csv", *options, trace)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0].split(",") == HEADER, text.splitlines()[0]
    return rows


class Call:
    def __init__(self, function, begin):
        self.function, self.begin, self.inner, self.below = function, begin, 0, []


def calls_of(trace):
    """Returns each thread's calls in the order in which they end, with the calls directly below them."""
    threads = collections.defaultdict(list)
    for event in csv.DictReader(io.StringIO(run("export", "--format=csv", "--flat", trace))):
        if event["event"] in ("entry", "exit", "tail_exit"):
            key = (event["function_id"], event["function"], event["library"])
            threads[event["process"], event["thread"]].append((int(event["time_ns"]), event["event"], key))
    for thread, events in threads.items():
        stack, ended = [], []
        for time, event, function in events:
            if event == "entry":
                stack.append(Call(function, time))
                continue
            call = stack.pop()
            assert call.function == function, (call.function, function)
            call.duration = time - call.begin
            call.own = call.duration - sum(below.duration for below in call.below)
            if stack:
                stack[-1].below.append(call)
            # The open calls around it, outermost first.
            call.around = [outer.function for outer in stack]
            ended.append(call)
        assert not stack
        yield thread, ended


def statistics(durations, total, own):
    durations = sorted(durations)
    count, mean = len(durations), sum(durations) / len(durations)
    return {
        "calls": count, "total_ns": total, "self_ns": own, "avg_ns": sum(durations) // count,
        "min_ns": durations[0], "max_ns": durations[-1],
        "stddev_ns": math.sqrt(math.fsum((d - mean) ** 2 for d in durations) / count),
        "p50_ns": durations[math.ceil(count * 50 / 100) - 1], "p99_ns": durations[math.ceil(count * 99 / 100) - 1],
        "durations": durations,
    }


def grouped(trace, group_of):
    """Returns the statistics of each group, with group_of(thread, function) as the group."""
    durations, totals, own = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for thread, calls in calls_of(trace):
        for call in calls:
            group = group_of(thread, call.function)
            durations[group].append(call.duration)
            own[group] += call.own
            if group not in (group_of(thread, function) for function in call.around):
                totals[group] += call.duration
    return {group: statistics(durations[group], totals[group], own[group]) for group in durations}


def agree(what, row, expected):
    for name in NUMBERS:
        is_, wanted = int(row[name]), expected[name]
        if name.startswith("p"):
            good = abs(is_ - wanted) <= wanted / 64
        elif name == "stddev_ns":
            good = abs(is_ - wanted) <= 1
        else:
            good = is_ == wanted
        assert good, f"{what}: {name} is {is_}, not {wanted}"


def check_functions(trace):
    expected = {(name, library, values["calls"]): values
                for (_, name, library), values in grouped(trace, lambda thread, function: function).items()}
    rows = report(trace)
    assert len(rows) == len(expected), (rows, expected.keys())
    files = {}
    for row in rows:
        agree(row["function"], row, expected[row["function"], row["library"], int(row["calls"])])
        assert not row["process"] + row["thread"] + row["thread_name"] + row["process_name"], row
        files[row["function"], row["library"], int(row["calls"])] = row["file"]
        name = "reported_library.c" if row["library"] == "libreported_library.so" else "reported"
        assert name in row["file"] and row["file"].startswith("/"), row
        # The line is the function's line in its source.
        text = open(row["file"]).read().splitlines()[int(row["line"]) - 1]
        assert row["function"] + "(" in text, (row, text)
    twins = [row["file"] for row in rows if row["function"] == "same_name"]
    assert len(set(twins)) == 2, twins
    return files, expected


def check_groups(trace, files):
    counts = {function: values["calls"] for function, values in grouped(trace, lambda thread, function: function).items()}
    groups = {
        "library": (lambda thread, function: function[2], lambda row: row["library"]),
        "file": (lambda thread, function: files[function[1], function[2], counts[function]], lambda row: row["file"]),
        "thread": (lambda thread, function: thread, lambda row: (row["process"], row["thread"])),
        "process": (lambda thread, function: thread[0], lambda row: row["process"]),
    }
    for group, (group_of, key) in groups.items():
        expected, rows = grouped(trace, group_of), report(trace, "--group", group)
        assert sorted(map(key, rows), key=str) == sorted(expected, key=str), (group, rows)
        for row in rows:
            agree(f"{group} {key(row)}", row, expected[key(row)])
            assert not row["function"], row
    # If a library is called within itself, it has less time than its functions together.
    total = sum(int(row["total_ns"]) for row in report(trace) if row["library"] == "libreported_library.so")
    one = [row for row in report(trace, "--group=library") if row["library"] == "libreported_library.so"]
    assert int(one[0]["total_ns"]) < total
    assert any(row["thread_name"] == "reported" for row in report(trace, "--group=thread"))
    assert all(row["process_name"] == "reported" for group in ("thread", "process") for row in report(trace, f"--group={group}"))


def check_sorting(trace):
    for column in HEADER[:13]:
        values = [row[column] for row in report(trace, "--sort", column.replace("_ns", ""))]
        if column in NUMBERS:
            assert values == sorted(values, key=int, reverse=True), (column, values)
        else:
            assert values == sorted(values, key=int if column == "line" else str), (column, values)
    threads = [int(row["thread"]) for row in report(trace, "--group=thread", "--sort=thread")]
    assert threads == sorted(threads)


def check_json(trace, expected):
    shown = json.loads(run("report", "--format=json", "--histogram", trace))
    assert shown["schema"] == "spoor.report/1" and shown["group"] == "function"
    assert shown["notes"]["rows_not_shown"] == 0 and shown["lost"] == [] and shown["event_cost_ns"] is None
    for row, by_csv in zip(shown["rows"], report(trace), strict=True):
        for name in HEADER[:13]:
            assert str(row[name]) == by_csv[name], (row, by_csv)
        durations = expected[row["function"], row["library"], row["calls"]]["durations"]
        for bucket in row["histogram"]:
            within = sum(bucket["from_ns"] <= duration <= bucket["to_ns"] for duration in durations)
            assert within == bucket["calls"], (row["function"], bucket, within)
        assert sum(bucket["calls"] for bucket in row["histogram"]) == row["calls"]
    text = run("report", "--histogram", "--function=tiny", "--limit=1", trace).splitlines()
    bars = [line.split() for line in text if " from " in line]
    assert sum(int(bar[0].replace(",", "")) for bar in bars) == next(
        row["calls"] for row in shown["rows"] if row["function"] == "tiny")
    assert len(json.loads(run("report", "--format=json", "--limit=2", trace))["rows"]) == 2


def check_compensation(trace, cost_ns, options):
    durations, totals, own = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for _, calls in calls_of(trace):
        for call in calls:
            # Innermost calls first: the calls below are already corrected.
            call.own = max(0, call.own - math.floor(round(cost_ns * 1000) * (1 + len(call.below)) / 1000))
            call.duration = call.own + sum(below.duration for below in call.below)
            key = call.function
            durations[key].append(call.duration)
            own[key] += call.own
            if key not in call.around:
                totals[key] += call.duration
    expected = {(key[1], key[2], len(durations[key])): statistics(durations[key], totals[key], own[key]) for key in durations}
    rows = report(trace, *options)
    assert len(rows) == len(expected)
    for row in rows:
        agree(f"compensated {row['function']}", row, expected[row["function"], row["library"], int(row["calls"])])
    threads = report(trace, "--group=thread", *options)
    assert sum(int(row["self_ns"]) for row in rows) == sum(int(row["total_ns"]) for row in threads)


def check_diff(before, after):
    shown = json.loads(run("report", "--diff", "--format=json", before, after))
    assert shown["schema"] == "spoor.report-diff/1"
    sides = [{(row["function"], row["library"], row["file"].split("/")[-1]): row for row in report(trace)}
             for trace in (before, after)]
    assert len(shown["rows"]) == len(set(sides[0]) | set(sides[1]))
    changes = []
    for row in shown["rows"]:
        key = row["function"], row["library"], row["file"].split("/")[-1]
        was, is_ = (side.get(key) for side in sides)
        assert row["in"] == ("both" if was and is_ else "before" if was else "after")
        for name in NUMBERS:
            change = row[name]
            assert change["before"] == (int(was[name]) if was else None), row
            assert change["after"] == (int(is_[name]) if is_ else None), row
            if was and is_:
                assert change["change"] == int(is_[name]) - int(was[name]), row
                if change["before"]:
                    assert abs(change["percent"] - 100 * change["change"] / change["before"]) < 0.006, row
        changes.append(row["self_ns"]["change"])
    assert changes == sorted(changes, reverse=True), changes
    # main waits for threads, so its time depends on the machine.
    slower = [row["function"] for row in shown["rows"] if row["function"] != "main"]
    assert slower[0] == "spins", slower
    by_csv = list(csv.DictReader(io.StringIO(run("report", "--diff", "--format=csv", before, after))))
    assert [int(row["self_ns_change"]) for row in by_csv] == changes
    few = json.loads(run("report", "--diff", "--format=json", "--threshold=300%", "--sort=calls", before, after))
    assert {row["function"] for row in few["rows"]} == {
        row["function"] for row in shown["rows"]
        if not row["calls"]["before"] or abs(row["calls"]["change"]) * 100 >= 300 * row["calls"]["before"]}
    assert few["rows_not_shown"] == len(shown["rows"]) - len(few["rows"])
    text = run("report", "--diff", "--limit=1", "--function=-main", before, after).splitlines()
    assert "SELF BEFORE" in text[0] and text[1].endswith("spins") and "+" in text[1], text


files, expected = check_functions(traces[0])
check_groups(traces[0], files)
check_sorting(traces[0])
check_json(traces[0], expected)
cost = run("info", traces[0]).split("event cost")[1].split()[0]
assert 0.5 < float(cost) < 100000, cost
measured = json.loads(run("report", "--format=json", "--compensate", traces[0]))["event_cost_ns"]
assert len(measured) == 1 and abs(measured[0] - float(cost)) <= 0.051, (measured, cost)
check_compensation(traces[0], 7.5, ["--compensate=7.5ns"])
check_compensation(traces[0], measured[0], ["--compensate=%.2fns" % measured[0]])
check_diff(*traces)
