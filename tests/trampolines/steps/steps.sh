#!/bin/sh
# SPDX-License-Identifier: MIT
# steps.sh - a signal handler runs before every instruction of every trampoline of libspoor.so, and performs all
# actions in the table below. The programs themselves check the events. A trampoline or an instruction that they do
# not cover is an error.
set -eu

library=$top_builddir/libspoor/.libs/libspoor.so
work=$top_builddir/tests/work/steps
rm -rf "$work"
mkdir -p "$work"
case $SPOOR_ARCH in
x86_64) ;;
*)
	echo "steps: skipped: not for $SPOOR_ARCH" >&2
	exit 77
	;;
esac

# cells SOURCE TRAMPOLINE - prints the actions for each of its instructions:
#   logs      logs events through the same trampolines
#   switches  logs events that end one slice and begin the next
#   rolls     changes the counter's upper half before, after, or without events
#   drained   another thread empties the pool
#   exhausts  uses up all slices for a while
#   jumps     leaves by siglongjmp
#   forks     forks; the child logs or does not, and both processes continue
#   killed    checks the state after kill -9 at this instruction
#   turned    changes the mode, and perhaps back
cells()
{
	case $1.$2 in
	log.spoor_no_unwind) echo logs jumps forks killed ;;	# logs no events
	mixed.*) echo logs switches rolls drained exhausts jumps forks killed ;;
	log.spoor_log_entry) echo logs switches rolls drained exhausts jumps forks killed turned ;;
	log.*) echo logs switches rolls drained exhausts jumps forks killed ;;
	count.* | first.* | order.* | hook.*) echo logs jumps forks killed ;;	# no times and no slices
	handler.* | near.*) echo logs jumps forks ;;	# stores no events
	libc_stack.spoor_attach_on_libc_stack) [ "${SPOOR_SANITIZERS-}" = thread ] || echo logs switches ;;
	libc_stack.spoor_libc_stack_call) ;;	# no event reaches it
	library.library_call) echo logs switches jumps forks killed ;;	# its events are those of log.*
	*)
		echo "steps: the table has no actions for $2" >&2
		exit 1
		;;
	esac
}
hex='function hex(text, i, value) {
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}'

# instructions FILE FUNCTION - prints the offsets of its instructions. Instructions that only a processor
# without xsave runs are left out, and those that run only if the program checks alignment or the direction flag is set
# (flags_clear, flags_restore), which processor_modes.sh tests.
instructions()
{
	objdump -d --no-show-raw-insn --disassemble="$2" "$1" | awk -v f="$2" -v size="$(nm -S "$1" |
		awk -v f="$2" '$4 == f { print $2 }')" "$hex"'
		/^[0-9a-f]+ </ { begin = hex($1); next }
		!/^ *[0-9a-f]+:/ { next }
		{ offset = hex(substr($1, 1, length($1) - 1)) - begin }
		offset >= hex(size) { next }
		f == "spoor_attach_on_libc_stack" && /sub +\$0x200,%rsp/ { without = 1 }
		/pushf/ && after_branch { without = 1 }
		!without { print offset }
		/fxrstor64|popf/ { without = 0 }
		{ after_branch = /\tje / }'
}

# acted PROGRAM FUNCTION - prints "OFFSET CELL" for each action.
acted()
{
	nm -S "$top_builddir/tests/trampolines/steps/$1" > "$work/symbols"
	awk -v f="$2" "$hex"'
		NR == FNR && $NF == "__executable_start" { start = hex($1) }
		NR == FNR && $4 == f { begin = hex($1); size = hex($2) }
		NR == FNR { next }
		size { at = hex($1) + start - begin; if (at >= 0 && at < size) print at, $2 }' \
		"$work/symbols" "$work/$1.steps"
}

programs="test_single_step test_single_step_count test_single_step_handler test_single_step_library test_single_step_order test_single_step_turn test_single_step_values"
for program in $programs; do
	SPOOR_STEPS=$work/$program.steps "$top_builddir/tests/trampolines/steps/$program" < /dev/null
done

failed=
# held NAME BINARY TRAMPOLINE... - checks that all actions ran at each instruction of these trampolines in BINARY.
held()
{
	name=$1 binary=$2
	shift 2
	[ $# != 0 ] || { echo "steps: no trampolines were found for $name" >&2; exit 1; }
	for trampoline in "$@"; do
		wanted=$(cells "$name" "$trampoline")
		instructions "$binary" "$trampoline" > "$work/instructions"
		[ -s "$work/instructions" ] || { echo "steps: $trampoline is not in $binary" >&2; exit 1; }
		: > "$work/acted"
		case $trampoline in
		*_avx512_*) grep -qw avx512bw /proc/cpuinfo || wanted=not-on-this-machine ;;
		*_avx_*) grep -qw avx /proc/cpuinfo || wanted=not-on-this-machine ;;
		esac
		for program in $programs; do
			acted "$program" "$trampoline" >> "$work/acted"
		done
		printf '%-25s %3d instructions:' "$trampoline" "$(wc -l < "$work/instructions")"
		for cell in $wanted; do
			printf ' %s' "$cell"
			[ "$cell" != not-on-this-machine ] || break
			missing=$(awk -v cell="$cell" 'NR == FNR { if ($2 == cell) done[$1]; next } !($1 in done) { printf " +%d", $1 }' \
				"$work/acted" "$work/instructions")
			[ -z "$missing" ] || { printf ' (not at%s)' "$missing"; failed=1; }
		done
		echo
	done
}

for source in "$top_srcdir"/trampolines/*_x86_64.S; do
	name=${source##*/}
	object=$(ls "$top_builddir"/trampolines/.libs/*-"${name%.S}.o" 2> /dev/null | head -n 1)
	[ -n "$object" ] || { echo "steps: $name is in no library" >&2; exit 1; }
	held "${name%_x86_64.S}" "$library" $(readelf -sW "$object" | awk '$4 == "FUNC" { print $8 }')
done
# The stub has copies. Its thunks are one jump each.
held near "$top_builddir/tests/trampolines/steps/test_single_step_handler" $(readelf -sW "$top_builddir/libspoor_dso/libspoor_dso.a" |
	awk '$4 == "FUNC" && $8 ~ /^spoor_dso_.*_(entry|exit)$/ && $8 !~ /thunk/ { print $8 }')
[ -z "$failed" ] || { echo "steps: actions are missing at some instructions" >&2; exit 1; }
