#!/bin/sh
# SPDX-License-Identifier: MIT
# plug_in.sh - a traced plug-in works in a host that does not know spoor, python3. LD_PRELOAD traces it there: calls
# by name, through callbacks, and after it was closed and opened again.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"
library plug_in
cat > host.py <<'END'
import _ctypes, ctypes, os, threading
for times in range(3):
    plug_in = ctypes.CDLL(os.path.abspath("libplug_in.so"))
    assert plug_in.plug_in_sum(10) == 45
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    numbers = (ctypes.c_int * 6)(5, 3, 1, 4, 2, 0)
    plug_in.plug_in_sort(numbers, 6, compare(lambda a, b: a[0] - b[0]))
    assert list(numbers) == [0, 1, 2, 3, 4, 5], list(numbers)
    threads = [threading.Thread(target=lambda: plug_in.plug_in_sum(100)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    _ctypes.dlclose(plug_in._handle)
print("done")
END
equal "dormant" "$(python3 host.py)" "done"
traced trace python3 host.py > out 2> err || fail "python3 ended with status $?: $(cat err)"
equal "traced" "$(cat out)" "done"
silent err
facts trace
calls_are trace plug_in_sum 15
calls_are trace plug_in_add 1230
calls_are trace plug_in_sort 3
equal "modules" "$(count trace module)" 1
equal "lost" "$(lost trace)" 0
equal "the report" "$(reported trace plug_in_add)" 1230

# The same with spoor record, which has no other module to trace.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
