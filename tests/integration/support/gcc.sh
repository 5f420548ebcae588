# SPDX-License-Identifier: MIT
# gcc.sh - functions for scripts that test GCC's plugin; scripts source this file after `set -eu`.

. "$top_srcdir/tests/integration/support/instrumentation.sh"
use_llvm "$LLVM_MAJOR" || :	# cross builds have no plugin of LLVM
spoor=$top_builddir/tools/spoor
libspoor=$top_builddir/libspoor/.libs/libspoor.so
# Set if an emulator runs the traced programs. The build for this machine then has GCC's drivers and plugin.
emulated=
[ "$SPOOR_ARCH" = "$(uname -m)" ] || emulated=1
[ -z "$emulated" ] || libspoor=$top_builddir/tests/cross/\$LIB/libspoor.so
gcc_programs=$top_srcdir/tests/programs/gcc
unset $(env | sed -n 's/^\(SPOOR_\(RUNTIME\|INSTRUMENTATION\)_[A-Z_]*\)=.*/\1/p') LD_PRELOAD SPOOR_CC SPOOR_CXX

skip()
{
	echo "$0: skipped: $*" >&2
	exit 77
}

# use_gcc MAJOR - makes the drivers run this GCC, and sets gcc, gxx and gcc_plugin. Fails if there is no such compiler
# or plugin.
use_gcc()
{
	gcc=gcc-$1 gxx=g++-$1 gcc_drivers=$SPOOR_DRIVERS
	gcc_plugin=$top_builddir/pass/gcc/gcc-$1/.libs/libspoor_gcc.so
	if [ -n "$emulated" ]; then
		gcc=$SPOOR_ARCH-linux-gnu-gcc-$1 gxx=$SPOOR_ARCH-linux-gnu-g++-$1 gcc_drivers=$SPOOR_NATIVE/tools
		gcc_plugin=$SPOOR_NATIVE/pass/gcc/gcc-$1-other/.libs/libspoor_gcc.so
	fi
	[ -f "$gcc_plugin" ] && command -v "$gcc" > /dev/null && command -v "$gxx" > /dev/null || return 1
	SPOOR_GCC=$gcc SPOOR_GXX=$gxx
	export SPOOR_GCC SPOOR_GXX
	spoor_gcc=$gcc_drivers/spoor-gcc spoor_gxx=$gcc_drivers/spoor-g++
}

# all_gccs - prints the versions of GCC that have a compiler and a plugin, the newest first.
all_gccs()
{
	for major in 14 13 12 11; do
		if (use_gcc "$major"); then
			echo "$major"
		fi
	done
}

# use_newest_gcc - uses the newest of them, or skips the test.
use_newest_gcc()
{
	for newest in $(all_gccs); do
		use_gcc "$newest"
		return
	done
	skip "GCC has no plugin here: apt-get install gcc-12-plugin-dev"
}

# runs_alike WHAT PLAIN PROGRAM - checks that PROGRAM has the output and status of PLAIN, asleep and awake, and that
# no event is lost. Leaves the trace in PROGRAM.trace.
runs_alike()
{
	status=0
	"./$2" > "$2.out" 2>&1 || status=$?
	for way in asleep awake; do
		preload=
		[ $way = asleep ] || preload=$libspoor
		rm -rf "$3.trace"
		got=0
		SPOOR_RUNTIME_TRACE_PATH=$3.trace LD_PRELOAD=$preload "./$3" > "$3.out" 2>&1 || got=$?
		[ $got = $status ] || fail "$1, $way: the status is $got and not $status: $(tail -n 3 "$3.out")"
		cmp "$2.out" "$3.out" || fail "$1, $way: the output differs (see above)"
	done
	# Some options exclude all functions.
	if [ ! -e "$3.trace" ]; then
		[ -z "$(names "$3")" ] || fail "$1: the program has sleds and left no trace"
		return
	fi
	"$spoor" info "$3.trace" > "$3.info" 2>&1 || fail "$1: spoor info: $(cat "$3.info")"
	grep -q '^ *lost  *nothing' "$3.info" || fail "$1: events were lost: $(cat "$3.info")"
}

# count_calls WHAT PROGRAM ARGUMENT... - has callgrind count the calls in a run of the program, and reports the trace
# PROGRAM.trace, for object_agrees.
count_calls()
{
	agreed=$1 agreed_program=$2
	shift 2
	valgrind --tool=callgrind --demangle=no --callgrind-out-file=callgrind.out "./$agreed_program" "$@" > valgrind.out \
		2> valgrind.err || fail "$agreed: valgrind: $(tail -n 3 valgrind.err)"
	"$spoor" report --format=csv --no-demangle "$agreed_program.trace" > report.csv
}

# object_agrees OBJECT - checks that the trace has as many calls of each function of OBJECT as callgrind counted.
object_agrees()
{
	names "$1" > with_sleds
	nm --defined-only "$1" > addresses
	python3 "$top_srcdir/tests/integration/readers/callgrind_calls.py" callgrind.out "${1##*/}" report.csv \
		with_sleds addresses > differences || fail "$agreed, $1: calls differ from callgrind's: $(head -n 5 differences)"
	tail -n 1 differences | sed "s/^/$agreed: /"
}

# counts_agree WHAT PROGRAM ARGUMENT... - compares the calls of the program's own functions.
counts_agree()
{
	count_calls "$@"
	object_agrees "$2"
}
