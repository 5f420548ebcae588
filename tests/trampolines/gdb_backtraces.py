# SPDX-License-Identifier: MIT
# gdb_backtraces.py - gdb runs this script. At each instruction between step_from_here and step_to_here, a backtrace
# must end in main, and the function that main called must be next to it. Prints how many instructions of
# libspoor.so, and of the stub's trampolines, were stepped.

import re

import gdb


def names():
    found = []
    frame = gdb.newest_frame()
    while frame is not None:
        found.append(frame.name() or hex(frame.pc()))
        if len(found) > 60:
            break
        older = frame.older()
        if older is None and frame.unwind_stop_reason() != gdb.FRAME_UNWIND_OUTERMOST and found[-1] != "main":
            found.append("stopped: " + gdb.frame_stop_reason_string(frame.unwind_stop_reason()))
        frame = older
    return found


# gdb accepts a change of the stack only to a lower address. Kernels map memory below the stack, emulators above
# it.
def is_end(backtrace):
    return backtrace[-1] == "main" or (
        emulated and backtrace[-2:] == ["spoor_attach_on_libc_stack", "stopped: previous frame inner to this frame (corrupt stack?)"])


gdb.execute("set pagination off")
emulated = bool(gdb.selected_inferior().pid)
gdb.execute("set breakpoint pending on")
gdb.execute("break step_from_here")
run_program()
failures = 0
for more in range(2):
    gdb.execute("finish", to_string=True)
    inside = 0
    seen = set()
    while gdb.newest_frame().name() != "step_to_here":
        gdb.execute("stepi", to_string=True)
        backtrace = names()
        library = gdb.solib_name(gdb.newest_frame().pc()) or ""
        if "libspoor.so" in library or re.fullmatch("spoor_dso_(bare|saving)_.*", backtrace[0]):
            inside += 1
            seen.add(backtrace[0])
        if not is_end(backtrace):
            failures += 1
            if failures <= 10:
                print("FAULT at %s: %s" % (hex(gdb.newest_frame().pc()), " < ".join(backtrace)))
    print("STEPS %d in %s" % (inside, " ".join(sorted(seen))))
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:  # the process ended while gdb read its other thread
        break
    if not gdb.selected_inferior().pid:
        break
print("FAULTS %d" % failures)
