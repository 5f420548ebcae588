# SPDX-License-Identifier: MIT
# life.sh - functions for scripts that test the runtime: they build victims, run them under libspoor.so, and read
# their traces. Scripts source this file after `set -eu`.

life_name=${0##*/}
life_name=${life_name%.sh}
life_script=$(cd "${0%/*}" && pwd)/${0##*/}
work=$top_builddir/tests/work/$life_name
victims=$top_srcdir/tests/programs/victims
libspoor=$top_builddir/libspoor/.libs/libspoor.so
# Set if an emulator runs the traced programs.
emulated=
[ "$SPOOR_ARCH" = "$(uname -m)" ] || emulated=1
[ -z "$emulated" ] || libspoor=$top_builddir/tests/cross/\$LIB/libspoor.so
# The tool that reads traces. The tools of both architectures read the same, as architectures.sh checks, so the short
# form under an emulator reads with this machine's.
reader=$top_builddir/tools/spoor
[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || reader=$SPOOR_NATIVE/tools/spoor
stub=$top_builddir/libspoor_dso/libspoor_dso.a
trace_facts=$top_builddir/tests/integration/support/trace_facts
clang=$LLVM_BINDIR/clang
tab=$(printf '\t')

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# Victims must not inherit the caller's settings of spoor.
unset $(env | sed -n 's/^\(SPOOR_RUNTIME_[A-Z_]*\)=.*/\1/p') LD_PRELOAD

fail()
{
	echo "$life_name: $*" >&2
	exit 1
}

skip()
{
	echo "$life_name: skipped: $*" >&2
	exit 77
}

# awaited WHAT COMMAND... - repeats the command until it succeeds, at most 6,000 times, so that a busy machine fails
# no test.
awaited()
{
	awaited_what=$1
	shift
	awaited_tries=0
	until "$@"; do
		awaited_tries=$((awaited_tries + 1))
		[ $awaited_tries -lt 6000 ] || fail "timed out waiting for $awaited_what"
		sleep 0.02
	done
}

# state_is PROCESS STATE - tests whether all threads of the process have this letter in /proc: S sleeping, T stopped,
# Z ended.
state_is()
{
	cat "/proc/$1"/task/*/stat 2> /dev/null |
		awk -v state="$2" '{ sub(/.*\) /, ""); if ($1 != state) bad = 1 } END { exit bad || !NR }'
}

# has_begun PROCESS PROGRAM - tests whether the process has executed the program and is sleeping.
has_begun()
{
	[ "$(cat "/proc/$1/comm" 2> /dev/null)" = "$2" ] && state_is "$1" S
}

# The header with the differences between architectures, for victims that include it.
machine_header=-DMACHINE_HEADER="\"$victims/common/machine_$SPOOR_ARCH.h\""

# victim FILE - prints the path of a victim, which may be in any folder of victims/.
victim()
{
	for victim_path in "$victims"/*/"$1"; do
		[ -f "$victim_path" ] || fail "there is no victim $1 in $victims/*/"
		echo "$victim_path"
	done
}

. "$top_srcdir/tests/integration/support/build_cache.sh"

# traced_cc, traced_cxx ARGUMENT... - run the drivers as a makefile runs them.
traced_cc()
{
	build_once "$SPOOR_DRIVERS/spoor-cc" -O2 -g -Wall -Wextra "$machine_header" "$@"
}
traced_cxx()
{
	build_once "$SPOOR_DRIVERS/spoor-c++" -O2 -g -Wall -Wextra "$machine_header" "$@"
}

# program NAME [FLAG...] - builds an instrumented executable from the victim NAME.c.
program()
{
	program_name=$1
	shift
	traced_cc -o "$program_name" "$(victim "$program_name.c")" "$@" -pthread
}

# library NAME [FLAG...] - builds an instrumented shared library from the victim NAME.c.
library()
{
	library_name=$1
	shift
	traced_cc -fPIC -shared -Wl,-soname,"lib$library_name.so" -o "lib$library_name.so" \
		"$(victim "$library_name.c")" "$@"
}

# plain NAME [FLAG...] - builds an executable without sleds.
plain()
{
	plain_name=$1
	shift
	build_once "$clang" -O2 -g -Wall -Wextra -o "$plain_name" "$(victim "$plain_name.c")" "$@" -pthread
}

# traced TRACE COMMAND... - runs the command under libspoor.so and returns its status. If LIFE_RECORD is set, `spoor
# record` runs the command and drains the pools from outside.
traced()
{
	traced_to=$1
	shift
	rm -rf "$traced_to"
	if [ -n "${LIFE_RECORD-}" ]; then
		"$top_builddir/tools/spoor" record -o "$traced_to" -- "$@"
	else
		SPOOR_RUNTIME_TRACE_PATH=$traced_to LD_PRELOAD=$libspoor "$@"
	fi
}

# facts [-n] TRACE - writes the facts of the trace to TRACE.facts. Fails if the trace contradicts itself.
facts()
{
	for facts_of in "$@"; do :; done
	"$trace_facts" "$@" > "$facts_of.facts" ||
		fail "$facts_of contradicts itself: trace_facts printed the reasons above"
}

# entries TRACE FUNCTION [FILE], exits ... - print the number of entries or exits in all processes together.
entries()
{
	awk -F'\t' -v f="$2" -v file="${3-}" '
		$1 == "function" && $4 == f && (file == "" || $3 == file) { n += $5 } END { print n + 0 }' "$1.facts"
}
exits()
{
	awk -F'\t' -v f="$2" -v file="${3-}" '
		$1 == "function" && $4 == f && (file == "" || $3 == file) { n += $6 } END { print n + 0 }' "$1.facts"
}

# lost TRACE [CAUSE] - prints the number of lost events.
lost()
{
	awk -F'\t' -v cause="${2-}" '
		$1 == "lost" && (cause == "" || $3 == cause) { n += $4 } END { print n + 0 }' "$1.facts"
}

# count TRACE KIND [PATTERN] - prints the number of facts of this kind.
count()
{
	awk -F'\t' -v kind="$2" -v pattern="${3-}" '
		$1 == kind && $0 ~ pattern { n++ } END { print n + 0 }' "$1.facts"
}

# equal WHAT GOT WANTED - fails if GOT differs from WANTED.
equal()
{
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# calls_are TRACE FUNCTION COUNT [FILE] - checks that the trace has COUNT entries and COUNT exits of the function.
calls_are()
{
	equal "entries of $2 in $1" "$(entries "$1" "$2" "${4-}")" "$3"
	equal "exits of $2 in $1" "$(exits "$1" "$2" "${4-}")" "$3"
}

# reported TRACE FUNCTION - prints the number of calls that `spoor report` shows.
reported()
{
	"$reader" report --format=csv "$1" 2> report.err |
		awk -F, -v f="$2" '$1 == f || $1 == f "()" { n += $3 } END { printf "%.0f\n", n }'
}

# counts_agree TRACE - checks that the report has the same counts as the victim count.c, which counts its own calls in
# the file own.PID. The trace must have at least one process.
counts_agree()
{
	for process in "$1"/[0-9]*; do
		./count own "own.${process##*/}" | LC_ALL=C sort > own.wanted
		"$reader" report --format=csv "$process" 2> report.err |
			awk -F, 'NR > 1 { print $1, $3 }' | LC_ALL=C sort > own.got
		[ -s own.wanted ] && cmp own.wanted own.got ||
			fail "$1: the counts of the program (<) and of the report (>) differ:" \
				"$(diff own.wanted own.got)"
	done
}

# debugged SCRIPT OUT PROGRAM [WORD...] - runs gdb with a Python script. The function run_program() of the script
# starts the program. The program writes to OUT and OUT.err, and its environment has the NAME=VALUE pairs of
# `debugged_environment`. The output of gdb is in gdb.out. gdb is ended after `debugged_seconds`, or 300.
debugged()
{
	debugged_script=$1 debugged_out=$2 debugged_program=$3
	shift 3
	if [ -z "$emulated" ]; then
		for variable in ${debugged_environment-}; do
			echo "set environment ${variable%%=*} ${variable#*=}"
		done > debugged.gdb
		timeout "${debugged_seconds:-300}" gdb -q -nx -batch -x debugged.gdb \
			-ex "python run_program = lambda: gdb.execute('run $* > $debugged_out 2> $debugged_out.err')" \
			-x "$debugged_script" "$debugged_program" > gdb.out 2>&1
		return
	fi
	# The emulator waits for gdb at the first instruction.
	rm -f debugged.socket
	# shellcheck disable=SC2086
	env ${debugged_environment-} QEMU_GDB="$PWD/debugged.socket" \
		"$debugged_program" "$@" > "$debugged_out" 2> "$debugged_out.err" &
	awaited "the emulator's socket" test -e debugged.socket
	timeout 900 gdb-multiarch -q -nx -batch -ex 'set sysroot /' -ex "file $debugged_program" \
		-ex "target remote $PWD/debugged.socket" -ex "python run_program = lambda: gdb.execute('continue')" -x "$debugged_script" > gdb.out 2>&1
	wait
}

# without_values - copies lines of a replay from stdin, without times, arguments and results of library functions.
without_values()
{
	sed 's/^ *[0-9.]* [nmu]*s  */ /; s/^  *//
		s/^\([^ (]*\)(.*) \(= .* \)\{0,1\}\(lib[a-z]*\.so[.0-9]*\( {\|;\)\)$/\1() \3/; s/^\(} [^ (]*()\) = .*/\1/'
}

# A line with this text says on a busy machine that spoor waits for the process.
waiting='process [0-9]*: waiting '

# silent FILE - checks that the file has no message of spoor except the summary of a recording, or that it waits.
silent()
{
	! grep '^spoor: ' "$1" | grep -v "^spoor: record: [0-9]* \(calls\{0,1\} counted\|events\{0,1\}\) \|$waiting" ||
		fail "$1 has messages of spoor, but spoor must print no message: $(cat "$1")"
}

# said_once FILE TEXT - checks that the file has exactly one message of spoor, and that the message contains TEXT.
said_once()
{
	equal "messages in $1 ($(grep '^spoor: ' "$1"))" "$(grep -c '^spoor: ' "$1")" 1
	grep '^spoor: ' "$1" | grep -q -- "$2" || fail "the message in $1 does not contain '$2': $(cat "$1")"
}
