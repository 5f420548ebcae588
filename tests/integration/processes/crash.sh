#!/bin/sh
# SPDX-License-Identifier: MIT
# crash.sh - a process that crashes leaves all stored events in its trace, in mode log and ring. spoor installs no
# signal handler: the program's own handlers run on their own stacks, and exit status and core dump are as in an
# untraced run. The victim counts its calls itself, in memory that it shares with a file.
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

# run NAME SIGNAL HOW CALLS - runs the victim with trace NAME, or untraced if $mode is empty; writes NAME.status and
# NAME.out.
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

# witnessed TRACE CALLS - compares the calls of each thread with the victim's counts, sorted by size; CALLS calls of
# crashing are open.
witnessed()
{
	facts "$1"
	awk -F'\t' '$1 == "thread" { print $5 }' "$1.facts" | sort -rn > "$1.entries"
	od -A n -t u8 -w64 -v "$1.counts" | awk '{ print $1 }' | sort -rn > "$1.counted"
	equal "$1: threads" "$(wc -l < "$1.entries")" "$threads"
	equal "$1: lost" "$(lost "$1")" 0
	# Each thread has at most two calls of other functions, and one call of leaf that it had not counted yet.
	paste "$1.entries" "$1.counted" | awk '{ if ($1 < $2 || $1 > $2 + 3) bad = 1 } END { exit bad }' ||
		fail "$1: the calls in the trace do not match the counted calls: $(paste "$1.entries" "$1.counted")"
	leaves=$(entries "$1" leaf)
	counted=$(awk '{ n += $1 } END { print n }' "$1.counted")
	[ "$leaves" -ge "$counted" ] && [ "$leaves" -le $((counted + threads)) ] ||
		fail "$1: the trace has $leaves calls of leaf, and the victim counted $counted"
	equal "$1: open calls" "$(($(entries "$1" crashing) - $(exits "$1" crashing)))" "$2"
}

# No instruction of AArch64 raises SIGFPE.
fpe=fpe
[ "$SPOOR_ARCH" = x86_64 ] || fpe=
for signal in segv abort bus $fpe ill; do
	for how in plain handler jump; do
		mode= run "untraced-$signal-$how" $signal $how 1000
		for mode in log ring; do
			name=$mode-$signal-$how
			run "$name" $signal $how 20000
			cmp -s "$name.status" "untraced-$signal-$how.status" ||
				fail "$name: the status is $(cat "$name.status"), and without tracing" \
					"$(cat "untraced-$signal-$how.status")"
			cmp -s "$name.out" "untraced-$signal-$how.out" ||
				fail "$name: the output differs from an untraced run: $(cat "$name.out")"
			# The kernel may append the process ID to the name of the core dump.
			equal "$name: core" "$(sed 's/[0-9]*$//' "$name.core")" \
				"$(sed 's/[0-9]*$//' "untraced-$signal-$how.core")"
			grep -v 'spoor: record: [0-9]* events' "$name.err" && fail "$name: spoor printed the" \
				"messages above and must print none"
			witnessed "$name" 1
			equal "$name: handled" "$(entries "$name" in_handler)" "$([ $how = plain ] && echo 0 || echo 1)"
		done
	done
	grep -q '^signal' "log-$signal-plain.status" ||
		fail "$signal: the victim survived: $(cat "log-$signal-plain.status")"
	equal "$signal: its handler" "$(cat "log-$signal-handler.out")" handled
	equal "$signal: goes on" "$(cat "log-$signal-jump.status")" "exit 3"
	if [ $cores_are_files = yes ] && [ "$(ulimit -c)" != 0 ]; then
		[ -s "log-$signal-plain.core" ] && grep -q core "log-$signal-plain.status" ||
			fail "$signal: there is no core dump: $(cat "log-$signal-plain.status")"
	fi
done
rm -f core*

# A debugger can read the core dump.
if [ $cores_are_files = yes ] && [ "$(ulimit -c)" != 0 ] && command -v gdb > /dev/null && [ -z "$emulated" ]; then
	mode=log run dump segv plain 1000
	gdb -q -batch -nx -ex bt ./crash core* > dump.gdb 2>&1 || :
	grep -q '#0 .*crashing' dump.gdb && grep -q '#1 .*main' dump.gdb ||
		fail "gdb shows no backtrace of the core dump: $(cat dump.gdb)"
fi

# Under an emulator, shells of this machine complain about the library that the recorder preloads.
[ -n "${LIFE_RECORD-}$emulated" ] || LIFE_RECORD=1 "$life_script"
