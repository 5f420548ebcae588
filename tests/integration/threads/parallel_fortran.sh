#!/bin/sh
# SPDX-License-Identifier: MIT
# parallel_fortran.sh - a program in Fortran with Open MPI, built by Open MPI's own wrapper with spoor-gfortran, runs on
# four ranks: the output does not change, all calls are recorded, and the exported calls of all ranks are one timeline.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
work_folder parallel_fortran
use_newest_gcc
[ -z "$emulated" ] || skip "the programs run for this machine alone"
# Open MPI's module was compiled by one version of GCC.
command -v mpifort > /dev/null && command -v mpirun > /dev/null && command -v "gfortran-$newest" > /dev/null ||
	skip "apt-get install libopenmpi-dev openmpi-bin gfortran"
SPOOR_GFORTRAN=gfortran-$newest
export SPOOR_GFORTRAN
flags="-O2 -fno-inline -fno-ipa-pure-const -Wall"
OMPI_FC=$SPOOR_GFORTRAN mpifort $flags "$gcc_programs/heat.f90" -o plain 2> messages ||
	skip "Open MPI's module is not for GCC $newest: $(head -n 3 messages)"
OMPI_FC=$gcc_drivers/spoor-gfortran mpifort $flags "$gcc_programs/heat.f90" -o heat

run="timeout 120 mpirun --oversubscribe -n 4"
[ "$(id -u)" != 0 ] || run="$run --allow-run-as-root"
# Containers may lack shared memory between processes, and a network.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent= \
	OMPI_MCA_rmaps_base_oversubscribe=1
$run ./plain > plain.out 2> err || skip "mpirun does not work here: $(tail -n 3 err)"
$run ./heat > asleep.out 2> err || fail "asleep: $(tail -n 3 err)"
"$spoor" record -q -o heat.trace $run ./heat > awake.out 2> err || fail "awake: $(tail -n 3 err)"
cmp plain.out asleep.out || fail "asleep, the program prints something else (see above)"
cmp plain.out awake.out || fail "awake, the program prints something else (see above)"

"$spoor" info heat.trace > info
[ "$(grep -c '^  lost  *nothing' info)" = 4 ] || fail "events were lost: $(cat info)"
[ "$(sed -n 's/^  session *//p' info | sort -u | wc -l)" = 1 ] || fail "the ranks are not one session: $(cat info)"
"$spoor" export --format=chrome heat.trace > heat.json
python3 - << 'PYTHON' || fail "the timeline of all ranks is wrong: the assertion above failed"
import collections, json
events = json.load(open("heat.json"))
events = events if isinstance(events, list) else events["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
assert sorted(names.values()) == ["heat (rank %d)" % rank for rank in range(4)], names
calls = collections.defaultdict(list)
for e in events:
    if e.get("ph") == "X":
        calls[e["pid"], e["name"].split("(")[0]].append((e["ts"], e["ts"] + e["dur"]))
wanted = {"main": 1, "MAIN__": 1, "exchange": 50, "send": 100, "step": 50, "spread_heat": 2000, "total": 50}
assert {key: len(found) for key, found in calls.items()} == \
    {(pid, name): count for pid in names for name, count in wanted.items()}, calls.keys()
# No rank leaves the sum over all ranks before all have entered it, so the clocks agree.
sums = [sorted(calls[pid, "total"]) for pid in names]
for step in range(50):
    assert max(s[step][0] for s in sums) <= min(s[step][1] for s in sums) + 5, step
PYTHON
