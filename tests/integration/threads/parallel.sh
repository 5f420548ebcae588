#!/bin/sh
# SPDX-License-Identifier: MIT
# parallel.sh - the ranks of an MPI program are one session, each with its rank in its name, and one timeline when
# they are exported. The trace has all threads of an OpenMP program.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# sessions_of TRACE - prints the different session IDs of the processes.
sessions_of()
{
	for file in "$1"/*/process.spoor; do
		od -An -tu8 -j16 -N8 "$file"
	done | sort -u
}

# OpenMP, with clang's runtime.
# Only the library itself is needed, not its development package.
library=$(ldconfig -p | sed -n 's/.*libi*omp[0-9]*\.so[.0-9]* .*=> //p' | head -n 1)
if [ -n "$library" ]; then
	traced_cc -fopenmp=libomp -c -o openmp.o "$victims/threads/openmp.c"
	traced_cc -o openmp openmp.o "$library" -pthread
	./openmp > wanted
	for LIFE_RECORD in "" 1; do
		traced openmp.trace ./openmp > out 2> err ||
			fail "openmp: the program ended with status $?: $(cat err)"
		silent err
		cmp wanted out
		facts -n openmp.trace
		calls_are openmp.trace leaf 8004
		calls_are openmp.trace own 4
		equal "openmp: threads" "$(count openmp.trace thread)" 4
		equal "openmp: lost" "$(lost openmp.trace)" 0
	done
	LIFE_RECORD=
else
	echo "parallel: no libomp.so.5 here, the OpenMP runtime of clang" >&2
fi

# Variables in which job launchers pass the rank, if the value is a number.
program hello
for variable in OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID; do
	rm -rf named
	env $variable=17 SPOOR_RUNTIME_TRACE_PATH=named LD_PRELOAD="$libspoor" ./hello 10 > /dev/null
	"$spoor" info named | grep -q '^process [0-9]*  hello (rank 17)$' ||
		fail "$variable: the process has no rank in its name: $("$spoor" info named | grep ^process)"
done
for value in '' -1 x 1x 12345678901234567; do
	rm -rf named
	env PMI_RANK="$value" SPOOR_RUNTIME_TRACE_PATH=named LD_PRELOAD="$libspoor" ./hello 10 > /dev/null
	"$spoor" info named | grep -q '^process [0-9]*  hello$' ||
		fail "PMI_RANK='$value': the process has a rank in its name: $("$spoor" info named | grep ^process)"
done

# Recorders of the ranks of one job, each with its own trace, share a session; another job has another session.
for rank in 0 1 2; do
	env PMIX_RANK=$rank PMIX_NAMESPACE=$((rank / 2)) "$spoor" record -q -o of.$rank ./hello 10 > /dev/null
	sessions_of of.$rank > session.$rank
done
cmp -s session.0 session.1 ||
	fail "two ranks of one job, recorded separately, have different sessions: $(cat session.0 session.1)"
! cmp -s session.0 session.2 || fail "two jobs have the same session: $(cat session.0)"

# Ranks that execute another program, with or without OpenMP threads: each process image has the program and the rank
# in its name, and all share a session.
program privileges
cat > job.sh <<'SCRIPT'
for rank in 0 1 2; do
	OMPI_COMM_WORLD_RANK=$rank ./privileges exec ./privileges exec "$@" > "job.$rank" &
done
wait
SCRIPT
openmp_too=
[ -z "$library" ] || openmp_too=./openmp
for LIFE_RECORD in "" 1; do
	for last in "./hello 10" $openmp_too; do
		rm -f job.[012]
		SPOOR_RUNTIME_SESSION_ID=4711 traced job sh job.sh $last 2> err ||
			fail "$last: the job ended with status $?: $(cat err)"
		silent err
		facts -n job
		what=${last#./}
		$last > wanted
		for rank in 0 1 2; do
			cmp wanted job.$rank
			"$spoor" info job > info
			equal "$last: names of rank $rank" \
				"$(sed -n "s/^process \([0-9]*\)  \(.* (rank $rank)\)\$/\2/p" info | sort | paste -s -d ' ')" \
				"${what% *} (rank $rank) privileges (rank $rank) privileges (rank $rank)"
			equal "$last: processes of rank $rank" \
				"$(sed -n "s/^process \([0-9]*\)  .* (rank $rank)\$/\1/p" info | sort -u | wc -l)" 1
		done
		equal "$last: sessions" "$(sessions_of job | wc -l)" 1
		[ -n "$LIFE_RECORD" ] || equal "$last: session" "$(sessions_of job | tr -d ' ')" 4711
		equal "$last: entries of main" "$(entries job main privileges)" 6
	done
done
LIFE_RECORD=

# Four ranks.
command -v mpirun > /dev/null && command -v mpicc > /dev/null ||
	skip "MPI is missing: apt-get install openmpi-bin libopenmpi-dev (the tests without MPI passed)"
# shellcheck disable=SC2046
traced_cc -o ranks "$victims/processes/ranks.c" $(mpicc --showme:compile 2> /dev/null) $(mpicc --showme:link 2> /dev/null) ||
	fail "an MPI program cannot be built"
run="mpirun --oversubscribe -n 4"
[ "$(id -u)" != 0 ] || run="$run --allow-run-as-root"
# Containers may lack shared memory between processes, and a network.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent= \
	OMPI_MCA_rmaps_base_oversubscribe=1
timeout 120 $run ./ranks > wanted 2> err || skip "mpirun does not work here: $(tail -n 3 err)"
timeout 120 "$spoor" record -q -o ranks.trace $run ./ranks > out 2> err ||
	fail "ranks: the recorder ended with status $?: $(cat err)"
cmp wanted out
facts ranks.trace
calls_are ranks.trace leaf 1000
calls_are ranks.trace step 400
equal "lost" "$(lost ranks.trace)" 0
"$spoor" info ranks.trace > info
for rank in 0 1 2 3; do
	grep -q "^process [0-9]*  ranks (rank $rank)\$" info ||
		fail "the process of rank $rank has no rank in its name: $(grep ^process info)"
done
equal "sessions" "$(sessions_of ranks.trace | wc -l)" 1
# The report has one row for each rank.
"$spoor" report --group process --function step --format=csv ranks.trace > by_rank
for rank in 0 1 2 3; do
	# step, and leaf below it.
	equal "steps of rank $rank" "$(awk -F , -v name="ranks (rank $rank)" '$17 == name { print $3 }' by_rank)" "$((100 * (rank + 2)))"
done
# One timeline: all ranks have names, and their calls happen within about one second.
"$spoor" export --format=chrome ranks.trace > ranks.json
python3 - <<'PYTHON' || fail "the exported timeline of all ranks is wrong: the assertion above failed"
import json
events = json.load(open("ranks.json"))
events = events if isinstance(events, list) else events["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
assert sorted(names.values()) == ["ranks (rank %d)" % i for i in range(4)], names
steps = {}
for e in events:
    if e.get("ph") == "X" and e["name"].startswith("step"):
        steps.setdefault(e["pid"], []).append((e["ts"], e["ts"] + e["dur"]))
assert sorted(len(s) for s in steps.values()) == [100] * 4
# No rank leaves a collective operation before all have entered it, so the clocks agree.
for i in range(100):
    begins = [sorted(s)[i][0] for s in steps.values()]
    ends = [sorted(s)[i][1] for s in steps.values()]
    assert max(begins) <= min(ends) + 5, (i, begins, ends)
PYTHON
"$spoor" export --format=perfetto ranks.trace > ranks.pftrace
for rank in 0 1 2 3; do
	grep -q -a "ranks (rank $rank)" ranks.pftrace || fail "rank $rank is missing in the Perfetto export"
done

# Without a recorder the ranks derive a session from data of the job; another run has another session.
for preloaded in one other; do
	timeout 120 $run -x SPOOR_RUNTIME_TRACE_PATH="$PWD/$preloaded.trace" -x LD_PRELOAD="$libspoor" ./ranks > out 2> err ||
		fail "preloaded: the ranks ended with status $?: $(cat err)"
	cmp wanted out
	equal "preloaded: processes" "$(ls -d $preloaded.trace/*/process.spoor | wc -l)" 4
	equal "preloaded: sessions" "$(sessions_of $preloaded.trace | wc -l)" 1
done
[ "$(sessions_of one.trace)" != "$(sessions_of other.trace)" ] ||
	fail "two runs have the same session: $(sessions_of one.trace)"
