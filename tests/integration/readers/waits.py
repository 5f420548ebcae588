# SPDX-License-Identifier: MIT
"""waits.py - compares spoor's times of running and waiting with those that the victim waits.c measured itself.

usage: waits.py SPOOR TRACE OUTPUT AGREED
AGREED: a file of the processes, by their position in the output, and functions whose times agreed in earlier tries.
Those that agree in this try are added.

Exits with 0 if each function of each process has agreed in a try, and with 3 if another try is necessary. Calls,
and the sum of the parts of a function's time, must be right in each try.

Prints a line for each function. The program's clocks are read within its functions, so they begin a little later.
The kernel charges a thread for some microseconds before the switch to it (its own accounting): for each time that
the thread slept, 20 us are allowed. For the program to read its clocks, three system calls, 4 us are allowed.
"""
import csv
import io
import subprocess
import sys

spoor, trace, output, agreed_file = sys.argv[1:5]
with open(agreed_file, "a+") as file:
    file.seek(0)
    agreed = set(file.read().splitlines())
wanted = set()
processes = []
for line in open(output):
    process, name, calls, wall, cpu, faults = line.split()
    calls, wall, cpu, faults = int(calls), int(wall), int(cpu), int(faults)
    text = subprocess.run([spoor, "report", "--format=csv", trace + "/" + process], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout.decode()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["function"] == name + "()"
            or row["function"] == name]
    assert len(rows) == 1, (name, rows)
    row = {key: int(value) for key, value in rows[0].items() if key.endswith("_ns") or key in ("calls", "faults")}
    assert row["calls"] == calls, (row, calls)
    assert abs(row["cpu_ns"] + row["wait_ns"] + row["preempted_ns"] - row["total_ns"]) <= 3 * calls, row
    share = 0.03 if name in ("take_a_nap", "all") else 0.01
    allowed = share * wall + 20000 * calls * (0.2 if name in ("spin", "touch_pages") else 3 if name == "all" else 1)
    error = row["cpu_ns"] - cpu
    good = abs(error) <= allowed
    if name != "all":
        good &= abs(row["faults"] - faults) <= 2
    if process not in processes:
        processes.append(process)
    key = "%d %s" % (processes.index(process), name)
    wanted.add(key)
    if good:
        agreed.add(key)
    print("%-12s cpu %8.3f ms of %8.3f, by the program %8.3f (%+.2f %% of wall); wait %8.3f, preempted %7.3f; %d faults, %d%s"
          % (name, row["cpu_ns"] / 1e6, row["total_ns"] / 1e6, cpu / 1e6, 100 * error / wall, row["wait_ns"] / 1e6,
             row["preempted_ns"] / 1e6, row["faults"], faults, "" if good else "  <-- differs"))
with open(agreed_file, "w") as file:
    file.writelines(key + "\n" for key in sorted(agreed))
print("without agreement in any try: " + (", ".join(sorted(wanted - agreed)) or "none"))
assert len(wanted) >= 6, wanted
sys.exit(3 if wanted - agreed else 0)
