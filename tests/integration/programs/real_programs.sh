#!/bin/sh
# SPDX-License-Identifier: MIT
# real_programs.sh - SQLite and Lua, from Debian's source packages: every
# function's entries and exits in the trace are as many as the compiler's own
# hooks count in a second build at the same optimisation level, they nest,
# nothing is lost, the report counts the same, and the program's output is what
# it was. Lua leaves functions by longjmp, SQLite leaves none.
#
# LEVELS: optimisation levels, SQLITE_ROWS: size of the SQL workload, SPOOR_CC:
# the compiler instead of the configured one.
set -eu
: "${LEVELS:=-O2}"
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

# A recorder with the thread sanitizer in it falls behind, but not where the program has only what
# that leaves of one processor: nothing is lost all the same.
together= politely=
if [ "${SPOOR_SANITIZERS-}" = thread ]; then
	SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=67108864
	export SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY
	together='taskset -c 0' politely='nice -n 19'
fi

# What the workloads must at least have said.
check_sqlite()
{
	grep -q '^ok$' output && tail -n 1 output | grep -qx 'exit status 1'
}

check_lua()
{
	grep -q '^stack traceback:' output && tail -n 1 output | grep -qx 'exit status 0'
}

# run PROGRAM DIRECTORY HOW [COMMAND...]
run()
{
	program=$1 how=$3
	cd "$2"
	shift 3
	workload_$program "$@"
	check_$program || fail "$name, $how: $(tail -n 5 output)"
	grep -v '^spoor: record: ' output > "$directory/output.$how"
	cmp "$directory/output.hooked" "$directory/output.$how" || fail "$name, $how, said another thing"
	cd "$work"
}

# compare PROGRAM LEVEL LEAST LEFT - builds it twice, runs it twice, compares.
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

	# What failed stays to be looked at.
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
for level in $LEVELS; do
	compare sqlite "$level" 900 none
	compare lua "$level" 300 some
done
exit $failed
