#!/bin/sh
# SPDX-License-Identifier: MIT
# real_programs.sh - SQLite and Lua, from Debian's source packages: the trace has the entries and exits of every
# function that the compiler's own hooks count in a second build at the same level. The events nest, no event is lost,
# the report has the same counts, and the output of the program does not change. Lua leaves functions by longjmp,
# SQLite leaves none.
#
# LEVELS: optimisation levels of both programs. The default is -O2 for Lua and -O0 for SQLite, which costs a compiler
# half a minute at -O2; real_programs_long.sh has all levels. SQLITE_ROWS: size of the SQL workload; SPOOR_CC: the
# compiler, instead of the configured one.
set -eu
: "${SQLITE_ROWS:=400}"
clang=${SPOOR_CC:-$LLVM_BINDIR/clang}
compiler_version=$("$clang" -dumpversion)
work=$top_builddir/tests/work/real_programs
driver=$SPOOR_DRIVERS/spoor-cc
. "$top_srcdir/tests/integration/support/call_counts.sh"
. "$top_srcdir/tests/integration/support/real_program_builds.sh"

fail()
{
	echo "real_programs: $*" >&2
	exit 1
}

# A recorder with a sanitizer is too slow on a busy machine, unless both share one processor and the program has a
# lower priority. Then no event is lost.
together= politely=
if [ "${SPOOR_SANITIZERS-no}" != no ]; then
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=67108864
	export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY
	together='taskset -c 0' politely='nice -n 19'
fi

# check_sqlite, check_lua - check the end of the output of a workload.
check_sqlite()
{
	grep -q '^ok$' output && tail -n 1 output | grep -qx 'exit status 1'
}

check_lua()
{
	grep -q '^stack traceback:' output && tail -n 1 output | grep -qx 'exit status 0'
}

# run PROGRAM DIRECTORY HOW [COMMAND...] - runs the workload, and compares its output with the build with hooks.
run()
{
	program=$1 how=$3
	cd "$2"
	shift 3
	workload_$program "$@"
	check_$program || fail "$name, $how: the workload failed: $(tail -n 5 output)"
	grep -v '^spoor: record: ' output > "$directory/output.$how"
	cmp "$directory/output.hooked" "$directory/output.$how" ||
		fail "$name, $how: the output differs from the build with hooks (see above)"
	cd "$work"
}

# compare PROGRAM LEVEL LEAST LEFT - builds and runs the program with hooks and traced, and compares the counts.
compare()
{
	name=$1$2-clang-$compiler_version
	directory=$work/$name
	rm -rf "$directory"
	mkdir -p "$directory/hooked" "$directory/traced"
	(build_$1 "$directory/hooked" "$clang" "$2" -finstrument-functions-after-inlining) &
	(build_$1 "$directory/traced" "$driver" "$2")
	wait $! || fail "$name: the build with hooks failed"

	run $1 "$directory/hooked" hooked env COUNT_HOOKS_OUTPUT="$directory/counts" LD_PRELOAD="$hooks"
	run $1 "$directory/traced" dormant
	run $1 "$directory/traced" traced $together "$spoor" record -o "$directory/trace" -- $politely

	# Keeps the files of a failed comparison.
	if trace_agrees "$name" "$directory" "$3" "$4"; then
		rm -rf "$directory"
	else
		failed=1
	fi
}

mkdir -p "$work"
build_counters "$work"
prepare_sqlite
prepare_lua
failed=0
for level in ${LEVELS:--O0}; do
	compare sqlite "$level" 900 none
done
for level in ${LEVELS:--O2}; do
	compare lua "$level" 300 some
done
exit $failed
