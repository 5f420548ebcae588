# SPDX-License-Identifier: MIT
"""gdb_signatures.py - a script of gdb that writes the arguments and results of functions from made_signatures.py.

It writes the file gdb.printed in the format of the functions' own output: by the debug information, at the function's
first line, and where the caller continues. run_program() starts the program. An unknown part of a value is `?`.

gdb differs from the program's own output in these cases, and in those of gdb_followed.py:
- At a function's first instruction, because clang describes the places of parameters as if the prologue had run. So
  gdb reads arguments at the first line.
- For _Bool with clang 14, because the debug information names a register or a slot of which only the lowest bit is the
  value. Other values than 0 and 1 are unknown.
- In optimised code, the first line may begin between two pushes of the prologue. Then gdb reads a structure on the stack
  at another place. The programs' structures have two constant words, which show that. Such a structure is unknown. If an
  older structure is there, the program's own output shows that.
- In optimised code, some parameters have no place at the first line. They are unknown. A class that is passed by its
  address may have a copy in registers, which has no address.
"""
import os
import re
import struct
import sys

import gdb

sys.path.insert(0, os.path.dirname(__file__))
import gdb_followed

lines = []


def number_text(value, bits):
    """Returns an integer of these bits: int() takes no more than 64."""
    if bits <= 64:
        return "i%d:%d" % (bits, int(value))
    return "i128:%x" % int(value.format_string(format="x"), 16)


def real_text(value, size):
    return "f%d:%x" % (8 * size, int.from_bytes(struct.pack("<f" if size == 4 else "<d", float(value)), "little"))


def large_text(value):
    return ",".join("%x" % (int(value["a"][at]) & (1 << 64) - 1) for at in range(5))


def texts_of(value):
    """Returns the value's parts as the functions print them."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return ["p64:%d" % int(value.referenced_value().address)]
    if kind.code == gdb.TYPE_CODE_PTR:
        return ["p64:%d" % int(value)]
    if kind.code == gdb.TYPE_CODE_BOOL:
        return ["bool:%d" % int(value) if int(value) in (0, 1) else "?"]
    if kind.code == gdb.TYPE_CODE_FLT:
        return ["f80:%s" % value.format_string()] if kind.sizeof == 16 else [real_text(value, kind.sizeof)]
    if kind.code == gdb.TYPE_CODE_COMPLEX:
        return [real_text(float(part), 8) for part in re.fullmatch(r"(\S+) \+ (\S+)i", value.format_string()).groups()]
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return [number_text(value, 8 * kind.sizeof)]
    name = kind.name
    if name == "kept":
        return ["?" if value.address is None else "p64:%d" % int(value.address), "field:%d" % int(value["v"])]
    if name == "large":
        return ["b:" + large_text(value) if int(value["a"][2]) == 3 and int(value["a"][3]) == 4 else "?"]
    if name in ("ints", "threes"):
        words = ["i64:%d" % ((int(value["b"]) << 32) + (int(value["a"]) & (1 << 32) - 1))]
        return words + ["i32:%d" % int(value["c"])] if name == "threes" else words
    if name == "bytes":
        return ["i24:%d" % sum(int(value[part]) << 8 * at for at, part in enumerate("abc"))]
    if name == "floats":
        a, b = (int(real_text(value[part], 4)[4:], 16) for part in "ab")
        return ["v64:%x" % (b << 32 | a)]
    return [text for field in kind.fields() for text in texts_of(value[field])]


def parts_of(kind):
    return 2 if kind.code == gdb.TYPE_CODE_COMPLEX or kind.name in ("longs", "threes", "mixed", "reals", "kept") else 1


def known(value):
    if gdb_followed.is_unknown(value):
        return ["?"] * parts_of(value.type.strip_typedefs().unqualified())
    return texts_of(value)


def known_result(value):
    if isinstance(value, int):
        return ["i128:%x" % value]
    name = value.type.strip_typedefs().name
    if name == "kept":
        return ["field:%d" % int(value["v"])]
    if name == "large":
        return ["words:" + large_text(value)]
    return known(value)


def entered(name):
    def enter(frame):
        words = [name]
        for _, value in gdb_followed.arguments_of(frame):
            words += known(value)
        lines.append(words)

        def left(value):
            words.extend(["=", *known_result(value)])
        return left
    return enter


gdb.execute("set pagination off")
gdb.execute("break main")
run_program()
# The runtime has changed the text by now, so breakpoints do not hinder it.
for spelled in re.findall(r"((?:\w+::)*made_\d+)\(", gdb.execute("info functions made_", to_string=True)):
    gdb_followed.Entry(spelled, entered(spelled.split("::")[-1]))
gdb_followed.follow(gdb_followed.Exit)
with open("gdb.printed", "w", encoding="ascii") as out:
    for words in lines:
        print(*words, file=out)
