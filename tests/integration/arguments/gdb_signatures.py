# SPDX-License-Identifier: MIT
"""gdb_signatures.py - a script of gdb that writes the arguments and results of functions from made_signatures.py.

It writes the file gdb.printed in the format of the functions' own output: by the debug information, at the function's
first line, and where the caller continues. run_program() starts the program. An unknown part of a value is `?`.

gdb differs from the program's own output in these cases:
- At a function's first instruction, because clang describes the places of parameters as if the prologue had run. So
  gdb reads arguments at the first line.
- For a result of type __int128, because gdb 13 has no class for this type in the rules of x86-64, and shows 0. So the
  script reads the two registers.
- For _Bool with clang 14, because the debug information names a register or a slot of which only the lowest bit is the
  value. Other values than 0 and 1 are unknown.
- In optimised code, some parameters have no place at the first line. They are unknown.
"""
import re
import struct

import gdb

lines = []


def number_text(value, bits):
    """Returns an integer of these bits: int() takes no more than 64."""
    if bits <= 64:
        return "i%d:%d" % (bits, int(value))
    return "i128:%x" % int(value.format_string(format="x"), 16)


def real_text(value, size):
    return "f%d:%x" % (8 * size, int.from_bytes(struct.pack("<f" if size == 4 else "<d", float(value)), "little"))


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
        # Optimised code may have a copy in registers.
        return ["?" if value.address is None else "p64:%d" % int(value.address)]
    if name == "large":
        return ["b:" + ",".join("%x" % (int(value["a"][at]) & (1 << 64) - 1) for at in range(5))]
    if name == "ints":
        return ["i64:%d" % ((int(value["b"]) << 32) + (int(value["a"]) & (1 << 32) - 1))]
    if name == "floats":
        a, b = (int(real_text(value[part], 4)[4:], 16) for part in "ab")
        return ["v64:%x" % (b << 32 | a)]
    return [text for field in kind.fields() for text in texts_of(value[field])]


def parts_of(kind):
    return 2 if kind.code == gdb.TYPE_CODE_COMPLEX or kind.name in ("longs", "mixed", "reals") else 1


def known(value):
    if value.is_optimized_out or "<optimized out>" in value.format_string():
        return ["?"] * parts_of(value.type.strip_typedefs().unqualified())
    return texts_of(value)


def called_frame():
    """Returns the frame of the function that was called: its first line may be a line of an inlined function."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


class Exit(gdb.FinishBreakpoint):
    def __init__(self, frame, line):
        super().__init__(frame, internal=True)
        self.silent, self.line = True, line

    def stop(self):
        value = self.return_value
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_INT and value.type.sizeof == 16:
            high, low = (int(gdb.parse_and_eval(name)) & (1 << 64) - 1 for name in ("$rdx", "$rax"))
            result = ["i128:%x" % (high << 64 | low)]
        else:
            result = known(value)
        lines[self.line] += ["=", *result]
        return False


class Entry(gdb.Breakpoint):
    def __init__(self, place, name):
        super().__init__(place, internal=True)
        self.silent, self.function = True, name

    def stop(self):
        frame = called_frame()
        block = frame.block()
        while not block.function:
            block = block.superblock
        words = [self.function]
        for symbol in block:
            if symbol.is_argument:
                words += known(symbol.value(frame))
        lines.append(words)
        entered.append(len(lines) - 1)
        return True


entered = []
gdb.execute("set pagination off")
gdb.execute("break main")
run_program()
# The runtime has changed the text by now, so breakpoints do not hinder it.
for spelled in re.findall(r"((?:\w+::)*made_\d+)\(", gdb.execute("info functions made_", to_string=True)):
    Entry(spelled, spelled.split("::")[-1])
while gdb.selected_inferior().pid:
    # A function's end cannot be awaited from within stop().
    while entered:
        Exit(called_frame(), entered.pop())
    gdb.execute("continue", to_string=True)
with open("gdb.printed", "w", encoding="ascii") as out:
    for words in lines:
        print(*words, file=out)
