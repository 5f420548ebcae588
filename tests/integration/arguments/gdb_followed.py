# SPDX-License-Identifier: MIT
"""gdb_followed.py - follows the calls of functions in gdb: stops at each entry, and where the caller continues.

Scripts of gdb import this file. gdb's own rules for results are incomplete, so result_of() helps in these cases:
- gdb 13 has no class for __int128 in the rules of x86-64, and shows 0. The value is in two registers.
- gdb 13 takes the value of a small class with a destructor from a register. The register has the address of the object.
- A FinishBreakpoint does not stop where the caller continues in the code of an inlined function. The class Return stops
  there, and takes scalars from their register.
"""
import functools

import gdb


def called_frame():
    """Returns the frame of the function that was called: its first line may be a line of an inlined function."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def arguments_of(frame):
    """Returns the name and the value of each parameter, in their order."""
    block = frame.block()
    while not block.function:
        block = block.superblock
    return [(symbol.print_name, symbol.value(frame)) for symbol in block if symbol.is_argument]


def is_unknown(value):
    return value.is_optimized_out or "<optimized out>" in value.format_string()


def is_wide(kind):
    return kind.strip_typedefs().code == gdb.TYPE_CODE_INT and kind.sizeof == 16


@functools.lru_cache(maxsize=None)
def is_class_with_destructor(spelled):
    return "~" in gdb.execute("ptype " + spelled, to_string=True)


def has_destructor(kind):
    kind = kind.strip_typedefs().unqualified()
    return kind.code == gdb.TYPE_CODE_STRUCT and is_class_with_destructor(str(kind))


def result_of(value):
    """Returns gdb's result, or the right one. A wide integer is returned as an int."""
    if is_wide(value.type):
        high, low = (int(gdb.parse_and_eval(name)) & (1 << 64) - 1 for name in ("$rdx", "$rax"))
        return high << 64 | low
    if has_destructor(value.type):
        return gdb.parse_and_eval("$rax").cast(value.type.pointer()).dereference()
    return value


class Exit(gdb.FinishBreakpoint):
    """Calls left(result), with None for no result."""

    def __init__(self, frame, left):
        super().__init__(frame, internal=True)
        self.silent, self.left = True, left

    def stop(self):
        value = self.return_value
        self.left(None if value is None else result_of(value))
        return False


def register_value(kind):
    """Returns a scalar result, or None."""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_FLT:
        names = {4: "$xmm0.v4_float[0]", 8: "$xmm0.v2_double[0]", 16: "$st0"}
        return gdb.parse_and_eval(names[kind.sizeof]).cast(kind)
    if kind.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) or kind.sizeof > 8:
        return None
    return gdb.parse_and_eval("$rax").cast(kind)


class Return(gdb.Breakpoint):
    """Stops where callers continue, at one place."""

    places = {}

    def __init__(self, place):
        super().__init__("*0x%x" % place, internal=True)
        self.silent, self.awaited = True, []

    def stop(self):
        stack = int(gdb.parse_and_eval("$rsp"))
        # longjmp leaves frames below this one.
        while self.awaited and self.awaited[-1][0] < stack:
            self.awaited.pop()
        if self.awaited and self.awaited[-1][0] == stack:
            _, kind, left = self.awaited.pop()
            left(register_value(kind))
        return False


def await_return(frame, left):
    """Calls left() with the result when the function returns. @frame: at its entry"""
    caller = frame.older()
    if caller is None or caller.type() != gdb.INLINE_FRAME:
        Exit(frame, left)
        return
    if caller.pc() not in Return.places:
        Return.places[caller.pc()] = Return(caller.pc())
    awaited = (int(gdb.parse_and_eval("$rsp")) + 8, frame.function().type.target(), left)
    Return.places[caller.pc()].awaited.append(awaited)


class Entry(gdb.Breakpoint):
    """Calls entered(frame), which returns a function that gets the result, or None if no call begins."""

    def __init__(self, place, entered):
        super().__init__(place, internal=True)
        self.silent, self.entered = True, entered

    def stop(self):
        left = self.entered(called_frame())
        if left is None:
            return False
        waiting.append(left)
        return True


waiting = []


def follow(wait):
    """Runs the program to its end. @wait: Exit, or await_return for functions that stop at their first instruction"""
    # Otherwise gdb removes all breakpoints at each stop.
    gdb.execute("set breakpoint always-inserted on")
    while gdb.selected_inferior().pid:
        # A function's end cannot be awaited from within stop().
        while waiting:
            wait(called_frame(), waiting.pop())
        gdb.execute("continue", to_string=True)
