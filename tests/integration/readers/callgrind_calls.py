#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""callgrind_calls.py - compares the calls in a trace with those that callgrind counts.

callgrind_calls.py CALLGRIND_OUT OBJECT REPORT_CSV WITH_SLEDS NM: OBJECT is the file name of a program or library,
REPORT_CSV is spoor's report with linkage names, WITH_SLEDS lists the functions of OBJECT with sleds, and NM is the
output of nm. Several names of one address are one function. Exits with 1 if calls of a function differ.
"""
import collections
import csv
import re
import sys

callgrind, wanted, report, with_sleds, symbols = sys.argv[1:]


def source_name(name):
    """Without callgrind's number of a recursion and the suffixes of copies that the compiler makes."""
    return re.sub(r"(\.(constprop|isra|lto_priv)\.\d+)+$", "", re.sub(r"'\d+$", "", name))


at_address, addresses = collections.defaultdict(set), collections.defaultdict(set)
for line in open(symbols):
    fields = line.split()
    if len(fields) == 3:
        addresses[source_name(fields[2])].add(fields[0])
        at_address[fields[0]].add(source_name(fields[2]))


def one_name(name):
    places = addresses.get(name, set())
    return min(min(at_address[place]) for place in places) if places else name


names, files = {}, {}


def expand(table, text):
    """callgrind writes "(7) name" the first time, and "(7)" later."""
    match = re.match(r"\((\d+)\)(?: (.*))?$", text)
    if not match:
        return text
    if match.group(2) is not None:
        table[match.group(1)] = match.group(2)
    return table[match.group(1)]


counted = collections.Counter()
file = called_file = called = ""
for line in open(callgrind):
    key, equals, value = line.rstrip("\n").partition("=")
    if key == "ob":
        file = expand(files, value)
    elif key == "cob":
        called_file = expand(files, value)
    elif key == "fn":
        expand(names, value)
        called_file = ""
    elif key == "cfn":
        called = expand(names, value)
    elif key == "calls":
        if (called_file or file).rsplit("/", 1)[-1] == wanted:
            counted[one_name(source_name(called))] += int(value.split()[0])
        called_file = ""

traced = collections.Counter()
for row in csv.DictReader(open(report)):
    if row["library"] == wanted:
        traced[one_name(source_name(re.sub(r"\(\)$", "", row["function"])))] += int(row["calls"])

functions = {one_name(source_name(line.strip())) for line in open(with_sleds)}
differ = [name for name in sorted(functions | set(traced)) if counted[name] != traced[name]]
for name in differ:
    print("%s: %d by callgrind, %d in the trace" % (name, counted[name], traced[name]))
total = sum(traced.values())
if not total:
    sys.exit("no calls are in the trace")
print("%d functions, %d calls, %d functions differ" % (len(traced), total, len(differ)))
sys.exit(bool(differ))
