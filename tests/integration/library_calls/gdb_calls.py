# SPDX-License-Identifier: MIT
"""gdb_calls.py - writes the calls of library functions by other modules than the C library, with their first arguments.

In the environment: GDB_CALLS has the functions and the conversions of their arguments, "read=d,,u", and GDB_CALLS_OUT the file.
The letters are those of spoor record --args.
"""
import os
import re

import gdb

out = open(os.environ["GDB_CALLS_OUT"], "w")
REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9") if "x86-64" in gdb.execute("show architecture", to_string=True) else \
    tuple("x%d" % i for i in range(8))


def caller():
    if REGISTERS[0] == "rdi":
        return int(gdb.parse_and_eval("*(unsigned long *)$rsp"))
    return int(gdb.parse_and_eval("(unsigned long)$x30"))


def shown(letter, value):
    if letter == "d":
        value &= 0xffffffff
        return str(value - (1 << 32) if value >> 31 else value)
    if letter == "s":
        return gdb.Value(value).cast(gdb.lookup_type("char").pointer()).string()
    return str(value)


class Call(gdb.Breakpoint):
    def __init__(self, name, letters):
        super().__init__("*" + name, internal=True)
        self.name, self.letters = name, letters

    def stop(self):
        library = gdb.solib_name(caller()) or ""
        if not re.search(r"/(libc\.so|ld-linux)", library):
            values = [int(gdb.parse_and_eval("(unsigned long)$" + register)) for register in REGISTERS]
            out.write(" ".join([self.name] + [shown(letter, value) for letter, value in zip(self.letters, values) if letter]) + "\n")
        return False


gdb.execute("set confirm off")
gdb.execute("starti")
# The loader has mapped all libraries at the program's entry.
entry = re.search(r"Entry point: (0x[0-9a-f]+)", gdb.execute("info files", to_string=True)).group(1)
gdb.execute("tbreak *" + entry)
gdb.execute("continue")
for choice in os.environ["GDB_CALLS"].split():
    function, conversions = choice.split("=")
    Call(function, conversions.split(","))
gdb.execute("continue")
out.close()
