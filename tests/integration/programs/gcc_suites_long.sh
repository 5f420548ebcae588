#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_suites_long.sh - the test suites of LAPACK, zstd and re2, from Debian's sources, built by GCC with sleds, have the
# same results as uninstrumented, asleep and awake, at -O2 and with LTO. A part of each has the calls of every function
# that callgrind counts in the same files.
#
# SPOOR_SUITES and SPOOR_LEVELS ("O2 lto") select some of them.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
. "$top_srcdir/tests/integration/support/debian_source.sh"
work_folder gcc_suites
work=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
. "$top_srcdir/tests/integration/support/suite_runs.sh"
use_newest_gcc
[ -z "$emulated" ] || skip "the suites run for this machine alone"
for program in valgrind "gfortran-$newest"; do
	command -v "$program" > /dev/null || skip "apt-get install $program"
done
SPOOR_GFORTRAN=gfortran-$newest
export SPOOR_GFORTRAN
# With LTO these have GCC's plugin for archives.
ar=gcc-ar-$newest nm=gcc-nm-$newest ranlib=gcc-ranlib-$newest

# calls_agree OBJECTS INPUT PROGRAM ARGUMENT... - in the folder of the program: traces it, and compares the calls with
# callgrind's.
calls_agree()
{
	counted_objects=$1 counted_input=$2 counted_program=$3
	shift 3
	rm -rf "$counted_program.trace"
	SPOOR_RUNTIME_TRACE_PATH=$counted_program.trace LD_PRELOAD=$libspoor "./$counted_program" "$@" < "$counted_input" \
		> awake.out || fail "$suite $level: the traced $counted_program ends with status $?"
	"$spoor" info "$counted_program.trace" | grep -q '^ *lost  *nothing' || fail "$suite $level: events were lost"
	count_calls "$suite $level" "$counted_program" "$@" < "$counted_input"
	for object in $counted_objects; do
		object_agrees "$object"
	done
}

for suite in ${SPOOR_SUITES:-lapack zstd re2}; do
	. "$top_srcdir/tests/programs/suites/$suite.sh"
	debian_source "$suite_package" "$sources"
	for level in ${SPOOR_LEVELS:-O2 lto}; do
		mkdir -p "$work/$suite/$level"
		cd "$work/$suite/$level"
		flags="-$level -w" ldflags=
		[ "$level" != lto ] || flags='-O2 -flto=auto -w' ldflags='-O2 -flto=auto'
		cc=$gcc cxx=$gxx fc=$SPOOR_GFORTRAN
		build plain
		run plain plain.list
		cc=$spoor_gcc cxx=$spoor_gxx fc=$gcc_drivers/spoor-gfortran
		build sled
		same plain.configured sled.configured
		run sled dormant.list
		same plain.list dormant.list
		run sled sled.list SPOOR_RUNTIME_MODE=ring "SPOOR_RUNTIME_TRACE_PATH=$work/trace" "LD_PRELOAD=$libspoor"
		same plain.list sled.list
		echo "$suite -$level: the same $(wc -l < plain.list) lines in each of 3 runs"
		(cd sled && suite_counted)
		rm -rf plain sled
	done
done
