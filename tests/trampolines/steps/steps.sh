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

# A sanitizer makes the C code below the trampolines for values and library calls too long to step through.
programs="test_single_step test_single_step_count test_single_step_handler test_single_step_order test_single_step_turn"
[ "${SPOOR_SANITIZERS-no}" != no ] || programs="$programs test_single_step_library test_single_step_values"

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
	mixed.*) [ "${SPOOR_SANITIZERS-no}" != no ] || echo logs switches rolls drained exhausts jumps forks killed ;;
	log.spoor_log_entry) echo logs switches rolls drained exhausts jumps forks killed turned ;;
	log.*) echo logs switches rolls drained exhausts jumps forks killed ;;
	count.* | first.* | order.* | hook.*) echo logs jumps forks killed ;;	# no times and no slices
	handler.* | near.*) echo logs jumps forks ;;	# stores no events
	libc_stack.spoor_attach_on_libc_stack) [ "${SPOOR_SANITIZERS-}" = thread ] || echo logs switches ;;
	libc_stack.spoor_libc_stack_call) ;;	# no event reaches it
	# The events are those of log.*
	library.library_call) [ "${SPOOR_SANITIZERS-no}" != no ] || echo logs switches jumps forks killed ;;
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

# symbols FILE - prints "ADDRESS SIZE NAME" for each symbol with a size, in decimal.
symbols()
{
	nm -S "$1" | awk "$hex"' NF == 4 { printf "%.0f %.0f %s\n", hex($1), hex($2), $4 }'
}

# instructions FILE TRAMPOLINE... - prints "TRAMPOLINE OFFSET" for each instruction. Instructions that only a processor
# without xsave runs are left out, and those that run only if the program checks alignment or the direction flag is set
# (flags_clear, flags_restore), which processor_modes.sh tests.
instructions()
{
	binary=$1
	shift
	symbols "$binary" | awk -v names="$*" 'BEGIN { split(names, list); for (i in list) is_wanted[list[i]] = 1 }
		$3 in is_wanted' > "$work/wanted"
	range=$(awk 'NR == 1 || $1 < begin { begin = $1 } $1 + $2 > end { end = $1 + $2 }
		END { if (NR) printf "--start-address=%d --stop-address=%d", begin, end }' "$work/wanted")
	objdump -d --no-show-raw-insn $range "$binary" | awk "$hex"'
		NR == FNR { begin[$3] = $1; end[$3] = $1 + $2; next }
		!/^ *[0-9a-f]+:/ { next }
		{ at = hex(substr($1, 1, length($1) - 1)) }
		at < begin[f] || at >= end[f] {
			without = after_branch = 0
			for (f in begin)
				if (at >= begin[f] && at < end[f])
					break
			if (at < begin[f] || at >= end[f])
				next
		}
		f == "spoor_attach_on_libc_stack" && /sub +\$0x200,%rsp/ { without = 1 }
		/pushf/ && after_branch { without = 1 }
		!without { print f, at - begin[f] }
		/fxrstor64|popf/ { without = 0 }
		{ after_branch = /\tje / }' "$work/wanted" -
}

# acted PROGRAM - prints "FUNCTION OFFSET CELL" for each action.
acted()
{
	symbols "$top_builddir/tests/trampolines/steps/$1" | sort -n > "$work/symbols"
	start=$(nm "$top_builddir/tests/trampolines/steps/$1" | awk "$hex"' $NF == "__executable_start" { print hex($1) }')
	awk -v start="$start" "$hex"' { printf "%.0f %s\n", hex($1) + start, $2 }' "$work/$1.steps" | sort -u -k1,1n -k2 |
		awk 'NR == FNR { begin[++count] = $1; end[count] = $1 + $2; name[count] = $3; next }
			{
				while (i < count && begin[i + 1] <= $1)
					i++
				if (i && $1 < end[i])
					print name[i], $1 - begin[i], $2
			}' "$work/symbols" -
}

for program in $programs; do
	SPOOR_STEPS=$work/$program.steps "$top_builddir/tests/trampolines/steps/$program" < /dev/null
	acted "$program" >> "$work/acted"
done

failed=
# held NAME BINARY TRAMPOLINE... - checks that all actions ran at each instruction of these trampolines in BINARY.
held()
{
	name=$1 binary=$2
	shift 2
	[ $# != 0 ] || { echo "steps: no trampolines were found for $name" >&2; exit 1; }
	instructions "$binary" "$@" > "$work/instructions"
	for trampoline in "$@"; do
		wanted=$(cells "$name" "$trampoline")
		case $trampoline in
		*_avx512_*) grep -qw avx512bw /proc/cpuinfo || wanted=not-on-this-machine ;;
		*_avx_*) grep -qw avx /proc/cpuinfo || wanted=not-on-this-machine ;;
		esac
		awk -v f="$trampoline" -v wanted="$wanted" '
			$1 != f { next }
			NF == 2 { instructions[++count] = $2; next }
			{ done[$3, $2] = 1 }
			END {
				if (!count)
					exit 2
				printf "%-25s %3d instructions:", f, count
				cells = split(wanted, cell)
				for (i = 1; i <= cells; i++) {
					printf " %s", cell[i]
					if (cell[i] == "not-on-this-machine")
						break
					missing = ""
					for (j = 1; j <= count; j++)
						if (!((cell[i], instructions[j]) in done))
							missing = missing " +" instructions[j]
					if (missing) {
						printf " (not at%s)", missing
						failed = 1
					}
				}
				print ""
				exit failed
			}' "$work/instructions" "$work/acted" || failed=$?
		[ "$failed" != 2 ] || { echo "steps: $trampoline is not in $binary" >&2; exit 1; }
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
