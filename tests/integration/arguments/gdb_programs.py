# SPDX-License-Identifier: MIT
"""gdb_programs.py - a script of gdb that writes the arguments and the result of each call of a program's functions.

The file `reached` has lines with a file of the program and a function of it. The file gdb.calls gets a line of JSON for
each call, in the order of the entries: the function, its arguments, the words in which the calling convention passes
integers, and its result, which is null if longjmp left the function, or the function returns nothing. A value is a list of
one text, or of the text and the address if it may be recorded as either; an empty list if gdb does not know it.
run_program() starts the program.

gdb reads arguments at the function's first instruction. Optimised code has them at their places there, but the debug
information describes arguments on the stack as if the prologue had run. By the calling convention these are in their
order after the return address. In unoptimised code the prologue stores all arguments, so gdb reads them at the first line.
If a loop begins there, its later rounds are no calls. In a variadic function the line begins inside the prologue, and gdb
knows no argument. The environment variable GDB_LEVEL has the optimisation level.
"""
import json
import os
import struct
import subprocess
import sys

import gdb

sys.path.insert(0, os.path.dirname(__file__))
import gdb_followed

TEXT_MOST = 64
STACK_WORDS = 6
IS_OPTIMISED = os.environ["GDB_LEVEL"] != "-O0"
REGISTERS = ("$rdi", "$rsi", "$rdx", "$rcx", "$r8", "$r9")
calls = []
active = []		# of unoptimised code: the frame pointer and the name of each call


def escaped(data, quote):
    """Returns bytes as the trace's readers write them."""
    letters = dict(zip(b"\a\b\t\n\v\f\r", "abtnvfr"))
    text = ""
    for byte in data:
        if byte in letters:
            text += "\\" + letters[byte]
        elif byte in (ord(quote), ord("\\")):
            text += "\\" + chr(byte)
        elif byte < 32 or byte == 127:
            text += "\\%03o" % byte
        else:
            text += chr(byte) if byte < 128 else "?"
    return quote + text + quote


def string_at(address):
    """Returns the text at this address, up to its NUL."""
    data = b""
    for at in range(address, address + TEXT_MOST + 1):
        try:
            byte = bytes(gdb.selected_inferior().read_memory(at, 1))
        except gdb.MemoryError:
            return escaped(data, '"') + "..." if data else "<unreadable 0x%x>" % address
        if byte == b"\0":
            return escaped(data, '"')
        data += byte
    return escaped(data[:TEXT_MOST], '"') + "..."


def real_text(value, kind):
    if kind.sizeof > 8:
        return value.format_string()
    for digits in range(1, 18):
        text = "%.*g" % (digits, float(value))
        if float(text) == float(value):
            break
    return "%.0f" % float(value) if 1 <= abs(float(value)) < 1e15 and "e" in text else text


def enumeration_text(value):
    return str(value).strip("()").replace("unknown: ", "").replace(" ", "")


def array_text(value, kind):
    low, high = kind.range()
    if kind.target().strip_typedefs().unqualified().name == "char":
        data = bytes(int(value[at]) & 255 for at in range(low, high + 1))
        return escaped(data.split(b"\0")[0], '"')
    return "[%s]" % ", ".join(text_of(value[at]) for at in range(low, high + 1))


def text_of(value):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code == gdb.TYPE_CODE_BOOL:
        return "true" if int(value) else "false"
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_METHODPTR):
        return "0x%x" % int(value)
    if kind.code == gdb.TYPE_CODE_ENUM:
        return enumeration_text(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        return real_text(value, kind)
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return "{%s}" % ", ".join((field.name + "=" if field.name else "") + text_of(value[field]) for field in kind.fields())
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return array_text(value, kind)
    if kind.name == "char":
        return escaped(bytes([int(value) & 255]), "'")
    return str(int(value))


def is_string(kind):
    """Constant characters are recorded as text."""
    kind = kind.strip_typedefs()
    return kind.code == gdb.TYPE_CODE_PTR and str(kind.target().strip_typedefs()) == "const char"


def texts_of(value):
    if value is None:
        return []
    if isinstance(value, int):
        return [str(value - (value >> 127 << 128))]
    if gdb_followed.is_unknown(value):
        return []
    if not is_string(value.type):
        return [text_of(value)]
    address = int(value)
    return [string_at(address) if address else "NULL", "0x%x" % address]


def is_in_register(kind, taken):
    """Returns whether the calling convention passes a value of this type in a register, and in `taken` adds up these values."""
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return False
    group = "real" if kind.code == gdb.TYPE_CODE_FLT else "integer"
    if kind.sizeof > 8 or taken[group] == (8 if group == "real" else len(REGISTERS)):
        return False
    taken[group] += 1
    return True


def at_entry(arguments):
    """Replaces values that optimised code has in memory. Arguments on the stack are read there. An argument in a register is
    unknown if it has a place in memory only, because the function did not store it yet."""
    at = int(gdb.parse_and_eval("$rsp")) + 8
    taken = {"integer": 0, "real": 0}
    for name, value in arguments:
        in_register = is_in_register(value.type, taken)
        if IS_OPTIMISED and not value.is_optimized_out and value.address is not None:
            if in_register:
                yield name, None
                continue
            at = (at + 15) & ~15 if value.type.alignof > 8 else at
            place = gdb.Value(at).cast(value.type.pointer())
            at += (value.type.sizeof + 7) & ~7
            value = place.dereference()
        yield name, value


def words():
    """Returns the registers for integers, and the words on the stack after the return address."""
    stack = gdb.selected_inferior().read_memory(int(gdb.parse_and_eval("$rsp")) + 8, 8 * STACK_WORDS)
    return [int(gdb.parse_and_eval(one)) & (1 << 64) - 1 for one in REGISTERS] + list(struct.unpack("<%dQ" % STACK_WORDS, stack))


def begins(name):
    """Returns whether a call begins here, and not a round of a loop."""
    if IS_OPTIMISED:
        return True
    base = int(gdb.parse_and_eval("$rbp"))
    while active and active[-1][0] < base:
        active.pop()
    if active and active[-1] == (base, name):
        return False
    active.append((base, name))
    return True


def ends(name):
    while active and active.pop()[1] != name:
        pass


def entered(name):
    def enter(frame):
        if not begins(name):
            return None
        is_known = IS_OPTIMISED or not str(frame.function().type).endswith("...)")
        call = {"function": name, "result": None, "words": words(),
                "arguments": [(parameter, texts_of(value) if is_known else [])
                              for parameter, value in at_entry(gdb_followed.arguments_of(frame))]}
        calls.append(call)

        def left(value):
            ends(name)
            call["result"] = None if value is None else texts_of(value)
        return left
    return enter


def load_address(path):
    """Returns the difference between addresses in memory and in the file."""
    with open("/proc/%d/maps" % gdb.selected_inferior().pid, encoding="utf-8") as maps:
        return min(int(line.split("-")[0], 16) for line in maps if line.rstrip("\n").endswith(path))


def places():
    """Returns the address and the name of each reached function."""
    with open("reached", encoding="ascii") as file:
        reached = [line.split() for line in file]
    for path in sorted({path for path, _ in reached}):
        names = {name for of, name in reached if of == path}
        base = load_address(os.path.realpath(path))
        for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
            address, kind, name = line.rsplit(maxsplit=2) if line[0] != " " else ("", "U", "")
            if kind in "tTwW" and name in names:
                place = base + int(address, 16)
                yield place if IS_OPTIMISED else gdb.find_pc_line(place).last + 1, name


gdb.execute("set pagination off")
gdb.execute("set print symbol off")
gdb.execute("break main")
run_program()
# The runtime has changed the text by now, so breakpoints do not hinder it.
for place, function in places():
    gdb_followed.Entry("*0x%x" % place, entered(function))
gdb_followed.follow(gdb_followed.await_return)
with open("gdb.calls", "w", encoding="ascii") as out:
    for one in calls:
        print(json.dumps(one), file=out)
