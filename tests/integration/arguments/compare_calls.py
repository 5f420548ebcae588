#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare_calls.py SEEN TRACE - compares the calls that a debugger saw with those in a trace.

SEEN: written by gdb_programs.py. TRACE: written by spoor export --format=json --flat. The trace has `main` too.

An argument that the debugger does not know, or that the trace has no name for, is compared with the register or the word
on the stack in which the calling convention passes it. Prints how many values were compared, and why others were not,
one number in each line. Exits with 1 if a value differs, if the calls differ, or if more than 2 % of the arguments or of
the results are not compared:
- "not compared": the place of the argument depends on values before it, such as structures.
- "only the debugger has": the optimiser removed the argument or the result, and the debug information has its constant.
- "only the trace has": the debugger did not stop where the caller continues.
- "neither has": the optimiser removed the argument.
- "have no name": the value is compared with its word under another name.
"""
import collections
import json
import re
import sys


def calls_of(events):
    """Returns the calls in the order of their entries, with the values of entry and exit."""
    calls, waiting = [], []
    for event in events:
        if event["event"] == "entry":
            call = {"function": event["function"], "arguments": event.get("arguments", []), "result": None, "end": None}
            calls.append(call)
            waiting.append(call)
        elif event["event"] in ("exit", "tail_exit"):
            # longjmp leaves calls without an exit.
            while waiting and waiting[-1]["function"] != event["function"]:
                waiting.pop()
            if not waiting:
                sys.exit("an exit of %s without its entry" % event["function"])
            waiting.pop().update(end=event["event"], result=event.get("result"))
    return calls


def plain(text):
    """Bytes that are no ASCII may be written in several ways."""
    return re.sub(r"[^\x00-\x3e\x40-\x7f]+", "?", text)


def are_same(seen, recorded):
    if plain(seen) == plain(recorded):
        return True
    try:
        # Both have more digits than a double.
        return "." in seen and abs(float(seen) - float(recorded)) <= 1e-15 * abs(float(seen))
    except ValueError:
        return False


def compare(seen, recorded, what, counts, where):
    """@seen: texts that are right"""
    if are_same(seen[0], recorded):
        counts[what + " compared"] += 1
    elif len(seen) > 1 and are_same(seen[1], recorded):
        counts[what + " compared as addresses"] += 1
    else:
        counts["different"] += 1
        print("%s: the debugger has %s, and the trace has %s" % (where, seen[0], recorded), file=sys.stderr)


def as_integer(text):
    try:
        return int({"true": "1", "false": "0", "NULL": "0"}.get(text, text), 0)
    except ValueError:
        return None


def word_of(seen, values, at):
    """Returns the word of value @at, or None if a value before it has no word, or several."""
    if at >= len(seen["words"]) or any("{" in value or "." in value.split('"')[0] for value in values[:at]):
        return None
    return seen["words"][at]


def compare_word(seen, values, at, counts, where):
    word, value = word_of(seen, values, at), as_integer(values[at])
    if word is None or value is None:
        counts["arguments not compared"] += 1
    elif any((word - value) % (1 << bits) == 0 and -(1 << bits) <= 2 * value < 2 << bits for bits in (1, 8, 16, 32, 64)):
        counts["arguments compared with words"] += 1
    else:
        counts["different"] += 1
        print("%s: the word is %#x, and the trace has %s" % (where, word, values[at]), file=sys.stderr)


def compare_arguments(seen, call, counts):
    known = dict(seen["arguments"])
    values = [value["value"] for value in call["arguments"]]
    for at, value in enumerate(call["arguments"]):
        texts, where = known.pop(value["name"], []), "%s(%s)" % (seen["function"], value["name"])
        if texts:
            compare(texts, value["value"], "arguments", counts, where)
        else:
            compare_word(seen, values, at, counts, where)
    has_unnamed = any(re.fullmatch(r"arg\d+", value["name"]) for value in call["arguments"])
    for texts in known.values():
        counts["arguments that neither has" if not texts else
               "arguments that have no name in the trace" if has_unnamed else "arguments only the debugger has"] += 1


def compare_call(seen, call, counts):
    compare_arguments(seen, call, counts)
    if call["end"] == "tail_exit":
        counts["tail calls"] += 1
    elif call["end"] is None:
        counts["calls left by longjmp"] += 1
    elif (seen["result"] is None) != (call["result"] is None):
        counts["results only %s has" % ("the trace" if call["result"] else "the debugger")] += 1
    elif call["result"] and not seen["result"]:
        counts["results unknown to the debugger"] += 1
    elif call["result"]:
        compare(seen["result"], call["result"][0]["value"], "results", counts, "result of " + seen["function"])


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        seen = [json.loads(line) for line in file]
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        calls = [call for call in calls_of(json.load(file)["events"]) if call["function"] != "main"]
    counts = collections.Counter(calls=len(calls))
    for number, (one, call) in enumerate(zip(seen, calls)):
        if one["function"] != call["function"]:
            sys.exit("call %d: the debugger saw %s, and the trace has %s" % (number, one["function"], call["function"]))
        compare_call(one, call, counts)
    for what in sorted(counts):
        print("%d %s" % (counts[what], what))
    if len(seen) != len(calls):
        sys.exit("the debugger saw %d calls, and the trace has %d" % (len(seen), len(calls)))
    missing_arguments = "arguments not compared", "arguments only the debugger has"
    missing_results = "results only the trace has", "results only the debugger has", "results unknown to the debugger"
    for missing, compared in (missing_arguments, "arguments compared"), (missing_results, "results compared"):
        if 50 * sum(counts[what] for what in missing) > counts[compared]:
            sys.exit("too many of these were not compared: %s" % ", ".join(missing))
    sys.exit(counts["different"] != 0)


main()
