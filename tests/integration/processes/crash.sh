#!/bin/sh
# SPDX-License-Identifier: MIT
# crash.sh - a process that crashes leaves all that it stored in its trace, in log and in
# ring mode, with no handler of ours: the program's own handlers, on their own stacks, run as
# ever, and status and core dump are those of an untraced run. The victim's counts, in memory
# that it shares with a file, are the witness.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program crash
plain wait_status
ulimit -c unlimited 2> /dev/null || ulimit -c "$(ulimit -H -c)"
threads=3
cores_are_files=no
case $(cat /proc/sys/kernel/core_pattern) in
'|'* | */*) ;;
*) cores_are_files=yes ;;
esac

# run NAME SIGNAL HOW CALLS - its trace is NAME, or none; leaves NAME.status and NAME.out.
run()
{
	rm -f core*
	if [ -n "${mode-}" ]; then
		SPOOR_RUNTIME_MODE=$mode traced "$1" timeout 300 ./wait_status ./crash "$1.counts" "$2" "$3" "$4" \
			> "$1.all" 2> "$1.err"
	else
		timeout 300 ./wait_status ./crash "$1.counts" "$2" "$3" "$4" > "$1.all" 2> "$1.err"
	fi
	tail -n 1 "$1.all" > "$1.status"
	sed '$d' "$1.all" > "$1.out"
	ls core* > "$1.core" 2> /dev/null || :
}

# witnessed TRACE - thread by thread, the largest with the largest.
witnessed()
{
	facts "$1"
	awk -F'\t' '$1 == "thread" { print $5 }' "$1.facts" | sort -rn > "$1.entries"
	od -A n -t u8 -w64 -v "$1.counts" | awk '{ print $1 }' | sort -rn > "$1.counted"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	equal "$1: lost" "$(lost "$1")" 0
	# Of other functions there are two calls at most, and one of leaf that was not counted yet.
	paste "$1.entries" "$1.counted" | awk '{ if ($1 < $2 || $1 > $2 + 3) bad = 1 } END { exit bad }' ||
		fail "$1: in the trace, and counted: $(paste "$1.entries" "$1.counted")"
	leaves=$(entries "$1" leaf)
	counted=$(awk '{ n += $1 } END { print n }' "$1.counted")
	[ "$leaves" -ge "$counted" ] && [ "$leaves" -le $((counted + threads)) ] || fail "$1: $leaves calls of leaf, $counted counted"
	equal "$1: open calls" "$(($(entries "$1" crashing) - $(exits "$1" crashing)))" "$2"
}

# Of AArch64 no instruction raises SIGFPE.
fpe=fpe
[ "$SPOOR_ARCH" = x86_64 ] || fpe=
for signal in segv abort bus $fpe ill; do
	for how in plain handler jump; do
		mode= run "untraced-$signal-$how" $signal $how 1000
		for mode in log ring; do
			name=$mode-$signal-$how
			run "$name" $signal $how 20000
			cmp -s "$name.status" "untraced-$signal-$how.status" ||
				fail "$name: $(cat "$name.status"), untraced $(cat "untraced-$signal-$how.status")"
			cmp -s "$name.out" "untraced-$signal-$how.out" || fail "$name: $(cat "$name.out")"
			# A number behind its name is the process's.
			equal "$name: core" "$(sed 's/[0-9]*$//' "$name.core")" \
				"$(sed 's/[0-9]*$//' "untraced-$signal-$how.core")"
			grep -v 'spoor: record: [0-9]* events' "$name.err" && fail "$name: messages"
			witnessed "$name" 1
			equal "$name: handled" "$(entries "$name" in_handler)" "$([ $how = plain ] && echo 0 || echo 1)"
		done
	done
	grep -q '^signal' "log-$signal-plain.status" || fail "$signal: the victim lives"
	equal "$signal: its handler" "$(cat "log-$signal-handler.out")" handled
	equal "$signal: goes on" "$(cat "log-$signal-jump.status")" "exit 3"
	if [ $cores_are_files = yes ] && [ "$(ulimit -c)" != 0 ]; then
		[ -s "log-$signal-plain.core" ] && grep -q core "log-$signal-plain.status" || fail "$signal: no core"
	fi
done
rm -f core*

# The dump is one that a debugger can use.
if [ $cores_are_files = yes ] && [ "$(ulimit -c)" != 0 ] && command -v gdb > /dev/null && [ -z "$emulated" ]; then
	mode=log run dump segv plain 1000
	gdb -q -batch -nx -ex bt ./crash core* > dump.gdb 2>&1 || :
	grep -q '#0 .*crashing' dump.gdb && grep -q '#1 .*main' dump.gdb || fail "gdb: $(cat dump.gdb)"
fi

# What the recorder preloads shells complain of that are for another machine.
[ -n "${LIFE_RECORD-}$emulated" ] || LIFE_RECORD=1 "$life_script"
