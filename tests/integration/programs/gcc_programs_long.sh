#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_programs_long.sh - SQLite and Lua, from Debian's source packages, built by GCC with sleds: the output does not
# change, asleep and awake, and the trace has the calls of every function that callgrind counts in the same files.
#
# LEVELS: lists of flags, separated by commas.
set -eu
. "$top_srcdir/tests/integration/support/gcc.sh"
: "${LEVELS:=-O0,-O2,-O3 -flto,-Os -fcf-protection=full,-O2 -mfunction-return=thunk}"
SQLITE_ROWS=50
. "$top_srcdir/tests/integration/support/real_program_builds.sh"
work_folder gcc_programs
here=$PWD
use_newest_gcc
command -v valgrind > /dev/null || skip "apt-get install valgrind"
prepare_sqlite
prepare_lua

# files_of PROGRAM - prints the files of a program that have functions.
files_of()
{
	case $1 in
	sqlite) echo libsqlite3.so sqlite3 ;;
	lua) echo liblua.so lua ;;
	esac
}

# check PROGRAM FLAGS - builds the program plain and with sleds, runs the workload, and compares.
check()
{
	subject=$1 flags=$2
	rm -rf "$here/$subject"
	mkdir -p "$here/$subject/plain" "$here/$subject/sleds"
	# shellcheck disable=SC2086
	(build_$subject "$here/$subject/plain" "$gcc" $flags -w) || fail "$subject $flags: the plain build failed"
	# shellcheck disable=SC2086
	(build_$subject "$here/$subject/sleds" "$spoor_gcc" $flags -w) || fail "$subject $flags: the build with sleds failed"
	cd "$here/$subject/plain"
	workload_$subject
	cd "$here/$subject/sleds"
	for way in asleep awake counted; do
		case $way in
		asleep) workload_$subject ;;
		awake) workload_$subject env SPOOR_RUNTIME_TRACE_PATH="$PWD/awake.trace" LD_PRELOAD="$libspoor" ;;
		# valgrind prints to its own file.
		counted) workload_$subject valgrind --tool=callgrind --demangle=no --log-file=valgrind.log \
			--callgrind-out-file=callgrind.out ;;
		esac
		# valgrind computes with fewer digits than the processor (long double).
		[ $way = counted ] || cmp ../plain/output output || fail "$subject $flags, $way: the output differs (see above)"
	done
	"$spoor" info awake.trace | grep -q '^ *lost  *nothing' || fail "$subject $flags: events were lost"
	"$spoor" report --format=csv --no-demangle awake.trace > report.csv
	for file in $(files_of "$subject"); do
		# GCC leaves nine functions of Lua's program at -O3 -flto.
		least=10
		[ "$file" != lua ] || least=9
		table_is_exact "$file" $least
		names "$file" > with_sleds
		nm --defined-only "$file" > addresses
		python3 "$top_srcdir/tests/integration/readers/callgrind_calls.py" callgrind.out "$file" report.csv with_sleds \
			addresses > differences || fail "$subject $flags, $file: calls differ from callgrind's: $(head -n 5 differences)"
		echo "$subject $flags, $file: $(tail -n 1 differences)"
	done
}

IFS=,
for level in $LEVELS; do
	unset IFS
	check sqlite "$level"
	check lua "$level"
	IFS=,
done
