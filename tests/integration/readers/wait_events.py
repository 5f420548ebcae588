# SPDX-License-Identifier: MIT
"""wait_events.py - compares the times without a processor, and the system calls, in all formats of spoor export that have
them.

usage: wait_events.py SPOOR TRACE [SOURCES]

Chrome's format, which waits.sh compares with the report, is the reference: its states that end in the trace. The CTF
and OTF2 traces are read by babeltrace2 and otf2-print, if these are installed.
"""
import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys

spoor, trace = sys.argv[1:3]


def export(form, path=None):
    command = [spoor, "export", "--format=" + form] + (["-o", path] if path else []) + [trace]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def equal(what, got, wanted):
    missing, extra = sorted(wanted - got), sorted(got - wanted)
    assert not missing and not extra, (what, len(got), len(wanted), missing[:5], extra[:5])
    print(what, len(got), "states")


# A state: thread, begin, length (None: without an end), "wait", "preempted" or "syscall", reason or call.
KINDS = ("wait", "preempted", "syscall")
chrome, ended = set(), set()
for event in json.loads(export("chrome"))["traceEvents"]:
    if event.get("cat") == "state":
        name = event["name"]
        chrome.add((event["tid"], round(event["ts"] * 1000), round(event["dur"] * 1000),
                    "preempted" if name == "preempted" else "wait", name[len("waiting in "):]))
    elif event.get("cat") == "syscall":
        assert event["args"]["call"].startswith(event["name"] + "("), event
        chrome.add((event["tid"], round(event["ts"] * 1000), round(event["dur"] * 1000), "syscall", event["args"]["call"]))
assert any(state[3] == "wait" and state[4] for state in chrome), "no wait has a reason"

rows = list(csv.DictReader(io.StringIO(export("csv").decode())))
states = [row for row in rows if row["event"] in KINDS]
in_csv = {(int(row["thread"]), int(row["time_ns"]), int(row["count"]) if row["count"] else None, row["event"], row["string"])
          for row in states}
assert len(in_csv) == len(states), "csv: the same state twice"
equal("csv", {state for state in in_csv if state[2] is not None}, chrome)
# The events of a thread and its states are in the order of time. The clocks differ by up to a microsecond.
last = {}
for row in rows:
    assert int(row["time_ns"]) >= last.get(row["thread"], 0) - 2000, ("csv: order", row)
    last[row["thread"]] = int(row["time_ns"])

in_json = {(event["thread"], event["time_ns"], event.get("duration_ns"), event["event"], event.get("reason", event.get("call", "")))
           for event in json.loads(export("json"))["events"] if event["event"] in KINDS}
equal("json", in_json, in_csv)

data, at, in_rows = export("rowbinary"), 0, set()
HEAD = struct.Struct("<BQQIQQIBb3Q")
NO_END = 2 ** 64 - 1


def text():
    global at
    length = shift = 0
    while True:
        byte = data[at]
        at += 1
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    at += length
    return data[at - length:at].decode()


while at < len(data):
    kind, _, _, thread, _, _, _, _, what, begin, length, _ = HEAD.unpack_from(data, at)
    at += HEAD.size
    _, reason = text(), text()
    if kind == 6 and what in (8, 9, 10):
        in_rows.add((thread, begin, None if length == NO_END else length, KINDS[what - 8], reason))
equal("rowbinary", in_rows, in_csv)

if shutil.which("babeltrace2"):
    export("ctf", "waits.ctf")
    output = subprocess.run(["babeltrace2", "--clock-seconds", "waits.ctf"], check=True, stdout=subprocess.PIPE).stdout.decode()
    lengths = sorted((None if int(length) == NO_END else int(length), kind.replace("_in", ""), reason or "")
                     for kind, length, reason in re.findall(
                         r" (wait|wait_in|preempted|syscall): .*\{ duration = (\d+)(?:, (?:reason|call) = \"(.*?)\")? \}", output)
                     if int(length) != NO_END)
    assert lengths == sorted(state[2:] for state in chrome), ("ctf", len(lengths), len(chrome), lengths[:3])
    print("ctf", len(lengths), "states")
if shutil.which("otf2-print"):
    export("otf2", "waits.otf2")
    output = subprocess.run(["otf2-print", "waits.otf2/traces.otf2"], check=True, stdout=subprocess.PIPE).stdout.decode()
    begun = re.findall(r'^ENTER +\d+ +\d+ +Region: "(waiting[^"]*|preempted)"', output, re.MULTILINE)
    ended = re.findall(r'^LEAVE +\d+ +\d+ +Region: "(waiting[^"]*|preempted)"', output, re.MULTILINE)
    names = sorted("preempted" if kind == "preempted" else "waiting in " + reason if reason else "waiting"
                   for _, _, _, kind, reason in in_csv if kind != "syscall")
    assert sorted(begun) == names and sorted(ended) == names, ("otf2", len(begun), len(ended), len(names))
    print("otf2", len(begun), "states")
    # The system calls are regions with their names, which the victims' functions do not have.
    names = sorted(call.split("(")[0] for _, _, _, kind, call in in_csv if kind == "syscall")
    begun = [name for name in re.findall(r'^ENTER +\d+ +\d+ +Region: "(\w+)"', output, re.MULTILINE) if name in set(names)]
    assert sorted(begun) == names, ("otf2", len(begun), len(names))
    print("otf2", len(begun), "system calls")
if shutil.which("protoc") and len(sys.argv) > 3:
    schema = os.path.join(sys.argv[3], "tests/golden")
    output = subprocess.run(["protoc", "--decode=spoor.perfetto.Trace", "-I" + schema, os.path.join(schema, "perfetto.proto")],
                            check=True, input=export("perfetto"), stdout=subprocess.PIPE).stdout.decode()
    # On the track of each thread's states, slices are nested. Ends close the innermost one.
    tracks, ended = {}, []
    for packet in output.split("\npacket {")[1:]:
        if "track_event {" in packet:
            time, kind, track = (re.search(pattern, packet, re.MULTILINE) for pattern in
                                 (r"^  timestamp: (\d+)", r"^    type: (\w+)", r"^    track_uuid: (\d+)"))
            name = re.search(r'^    name: "(.*)"', packet, re.MULTILINE)
            call = re.search(r'name: "call"[^}]*?string_value: "(.*)"|string_value: "(.*)"[^}]*?name: "call"', packet)
            if not track:
                continue
            tracks.setdefault(int(track[1]), []).append((int(time[1]), kind[1], name and name[1], call and (call[1] or call[2])))
    for events in tracks.values():
        if not any(re.match("waiting|preempted", name or "") or call for _, _, name, call in events):
            continue
        open_slices = []
        for time, kind, name, call in sorted(events, key=lambda event: event[0]):
            if kind.endswith("BEGIN"):
                open_slices.append((time, name, call))
            elif kind.endswith("END"):
                begin, name, call = open_slices.pop()
                ended.append((begin, time - begin, call or name))
    wanted = sorted((begin, length, reason if kind == "syscall" else "preempted" if kind == "preempted" else
                     "waiting in " + reason if reason else "waiting") for _, begin, length, kind, reason in chrome)
    assert sorted(ended) == wanted, ("perfetto", len(ended), len(wanted), sorted(set(ended) ^ set(wanted))[:4])
    print("perfetto", len(ended), "states")
