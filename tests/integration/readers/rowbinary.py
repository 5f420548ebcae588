# SPDX-License-Identifier: MIT
"""rowbinary.py - reads rows like ClickHouse, with the columns of create.sql, and compares their sums with the output of
other tools of spoor.

rowbinary.py CREATE.sql ROWS REPORT.csv REPORT.txt STACKS.folded EVENTS.csv [part]

part: an option removed calls but no events, so EVENTS.csv has more calls.
"""
import collections
import csv
import re
import struct
import sys

PROCESS, THREAD, FUNCTION, PATH, CALL, EVENT, NOTE, COUNT = range(1, 9)
OUTERMOST, ROOT, RESUMED = 1, 2, 4
NUMBERS = {"UInt8": "B", "Int8": "b", "UInt32": "I", "UInt64": "Q"}


def fail(*words):
    sys.exit("rowbinary.py: " + " ".join(str(word) for word in words))


def columns_of(path):
    """Returns names and types of the columns of the table `rows`."""
    with open(path) as file:
        text = file.read()
    found = re.search(r"TABLE IF NOT EXISTS rows\n\(\n(.*?)\n\)", text, re.S)
    return [line.split() for line in found.group(1).replace(",", "").split("\n")]


def rows_of(path, columns):
    names = [name for name, kind in columns]
    numbers = struct.Struct("<" + "".join(NUMBERS[kind] for name, kind in columns if kind != "String"))
    strings = [kind for name, kind in columns][-2:]
    if strings != ["String", "String"]:
        fail("the last columns are", strings)
    row = collections.namedtuple("row", names)
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        values = list(numbers.unpack_from(data, at))
        at += numbers.size
        for _ in strings:
            length = shift = 0
            while True:
                byte = data[at]
                at += 1
                length |= (byte & 0x7f) << shift
                shift += 7
                if byte < 0x80:
                    break
            if at + length > len(data):
                fail("a string ends after the end of the file")
            values.append(data[at:at + length].decode())
            at += length
        yield row(*values)


def differ(what, got, wanted):
    if got != wanted:
        fail(what, "are", (got - wanted) or (got.keys() - wanted.keys()), "instead of", (wanted - got) or wanted)
    print(what, "agree:", sum(got.values()))


def main(create, rows_path, report_path, text_path, folded_path, events_path, part=None):
    rows = list(rows_of(rows_path, columns_of(create)))
    by_kind = collections.defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    if set(by_kind) - set(range(PROCESS, COUNT + 1)):
        fail("kinds of rows are", sorted(by_kind))
    pid_of = {(row.session, row.process): row.number_1 for row in by_kind[PROCESS]}
    if len(pid_of) != len(by_kind[PROCESS]):
        fail("two processes have the same number")
    name_of = {row.function: (row.text_1, row.text_2) for row in by_kind[FUNCTION]}
    stack_of = {row.path: row.text_1 for row in by_kind[PATH]}
    if len(stack_of) != len(by_kind[PATH]):
        fail("a path has two rows")
    threads = {(row.process, row.thread) for row in by_kind[THREAD]}
    calls = by_kind[CALL]
    for row in by_kind[PATH]:
        above = stack_of[row.number_1] + ";" if row.number_1 else ""
        if not row.text_1.startswith(above) or (row.number_1 == 0) != (row.depth == 0):
            fail("the path", row, "is not below", above)
    for row in calls:
        if (row.session, row.process) not in pid_of or (row.process, row.thread) not in threads:
            fail("a call has no process or thread:", row)
        if row.number_3 > row.number_2:
            fail("the self time exceeds the total time:", row)

    # The report.
    sums = collections.defaultdict(lambda: [0, 0, 0, 0, 0, 2**64, 0])
    for row in calls:
        entry = sums[row.function]
        entry[0] += not row.flags & (ROOT | RESUMED)
        entry[1] += bool(row.flags & ROOT)
        entry[2] += row.number_2 if row.flags & OUTERMOST else 0
        entry[3] += row.number_3
        if not row.flags & ROOT:
            entry[4] += row.number_2
            entry[5] = min(entry[5], row.number_2)
            entry[6] = max(entry[6], row.number_2)
    counted = collections.Counter()
    for row in by_kind[COUNT]:
        counted[row.function] += row.number_1
    report = collections.Counter()
    for function in set(sums) | set(counted):
        timed, roots, total, own, all_of_it, least, most = sums[function]
        report[name_of[function] + (str(timed + counted[function]),) +
               ((str(total), str(own)) if timed or roots else ("", "")) +
               ((str(all_of_it // timed), str(least), str(most)) if timed else ("", "", ""))] += 1
    with open(report_path, newline="") as file:
        differ("rows of the report", report, collections.Counter(tuple(line[:8]) for line in list(csv.reader(file))[1:]))

    # Stacks.
    stacks = collections.Counter()
    for row in calls:
        stacks[stack_of[row.path]] += row.number_3
        if row.depth != stack_of[row.path].count(";"):
            fail("the depth of", row, "does not match", stack_of[row.path])
    folded = collections.Counter()
    with open(folded_path) as file:
        for line in file:
            stack, _, value = line.rstrip("\n").rpartition(" ")
            folded[stack] += int(value)
    differ("nanoseconds of stacks", +stacks, folded)

    # Events.
    recorded = collections.Counter()
    with open(events_path, newline="") as file:
        for line in csv.DictReader(file):
            whose = (line["process"], line["thread"], line["time_ns"])
            if line["event"] == "user":
                recorded[whose + ("user", line["type"], line["type_name"], line["payload_1"], line["payload_2"], line["string"])] += 1
            elif line["event"].startswith("lost"):
                recorded[whose + (line["event"], line["count"])] += 1
            elif line["event"] == "unrecorded" or (line["event"] in ("entry", "root") and not part):
                recorded[whose + (line["event"], line["function"], line["library"])] += 1
    words = ["user", "lost", "lost_slices", "lost_overwritten", "unrecorded"]
    told = collections.Counter()
    for row in [] if part else calls:
        if not row.flags & RESUMED or row.flags & ROOT:
            whose = (str(pid_of[row.session, row.process]), str(row.thread), str(row.number_1))
            told[whose + ("root" if row.flags & ROOT else "entry",) + name_of[row.function]] += 1
    for row in by_kind[EVENT]:
        if row.depth != (stack_of[row.path].count(";") + 1 if row.path else 0):
            fail("the depth of", row, "does not match", stack_of.get(row.path))
        whose = (str(pid_of[row.session, row.process]), str(row.thread), str(row.number_1))
        if row.what == 0:
            told[whose + ("user", str(row.number_3 >> 32), row.text_1, str(row.number_2), str(row.number_3 & 0xffffffff), row.text_2)] += 1
        elif row.what < 4:
            told[whose + (words[row.what], str(row.number_2))] += 1
        elif row.what == 4:
            told[whose + ("unrecorded", "", "")] += 1
    differ("events", told, recorded)

    # The notes at the end of a report.
    notes = collections.Counter()
    for row in by_kind[NOTE]:
        notes[row.text_1, row.thread if row.text_1 == "thread" else row.text_2] += row.number_1
    wanted = collections.Counter()
    with open(text_path) as file:
        for line in file:
            found = re.match(r"# ([0-9,]+) (.*)", line)
            if not found:
                continue
            number, words = int(found.group(1).replace(",", "")), found.group(2)
            for pattern, key in ((r"events? lost by thread (\d+) of", "thread"), (r"events? lost: (.*)", "cause")):
                if re.match(pattern, words):
                    what = re.match(pattern, words).group(1)
                    wanted[key, int(what) if key == "thread" else what] += number
            for pattern, what in (("places? where events", "places where events are missing"), ("calls? w.* left without", "left without returning"),
                                  ("places? where calls of", "places where calls are missing for a time"),
                                  ("calls? (was|were) open before", "were open before recording began"),
                                  ("calls? could not", "could not be counted"), ("returns? of ", "returns without an entry")):
                if re.match(pattern, words):
                    wanted["calls", what] += number
    differ("notes", notes, wanted)


if __name__ == "__main__":
    main(*sys.argv[1:])
