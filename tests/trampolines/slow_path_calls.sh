#!/bin/sh
# SPDX-License-Identifier: MIT
# slow_path_calls.sh - the code that an event can reach calls no function of another library and no function through
# a pointer, uses no vector register, and never waits. An event may occur in a signal handler that interrupted any
# code. The exception is a thread's first event, which runs on another stack through spoor_attach_on_libc_stack. None of the
# system calls in that code sleeps.
set -eu

library=$top_builddir/libspoor/.libs/libspoor.so
work=$top_builddir/tests/work/slow_path_calls
rm -rf "$work"
mkdir -p "$work"
if nm "$library" | grep -q ' U __[at]san_init\| U __ubsan'; then
	echo "slow_path_calls: skipped: the calls of a sanitizer are in the code" >&2
	exit 77
fi
case $SPOOR_ARCH in
x86_64) ;;
*)
	echo "slow_path_calls: skipped: not for $SPOOR_ARCH" >&2
	exit 77
	;;
esac

objdump -d --no-show-raw-insn "$library" > "$work/code"
# Prints "FUNCTION calls CALLEE", and "FUNCTION does INSTRUCTION" for forbidden instructions.
awk '
	/^[0-9a-f]+ <.*>:$/ { from = $2; gsub(/[<>:]/, "", from); next }
	{ instruction = $2 }
	instruction ~ /^(call|j)/ && $NF ~ /^<.*>$/ {
		to = $NF
		gsub(/[<>]/, "", to)
		# A jump within a function.
		sub(/\+0x.*/, "", to)
		if (to != from)
			print from, "calls", to
		next
	}
	instruction ~ /^(call|jmp)/ && /\*/ { print from, "does", "a call through a pointer" }
	/%[xyz]mm|%st|%k[0-7]/ { print from, "does", $0 }
' "$work/code" | sort -u > "$work/graph"

# Begins at the trampolines, and at all other functions that log an event.
printf '%s\n' spoor_log_entry spoor_log_exit spoor_log_tail spoor_log_framed spoor_log_unwind spoor_event_slow \
	spoor_user_event_store spoor_tracepoint_record spoor_tracepoint_record_many > "$work/reached"
grep -q '^spoor_event_slow calls' "$work/graph" || { echo "slow_path_calls: spoor_event_slow calls no function" >&2; exit 1; }
while :; do
	awk 'NR == FNR { reached[$1]; next } $2 == "calls" && $1 in reached && $1 != "spoor_attach_on_libc_stack" { print $3 }' \
		"$work/reached" "$work/graph" | cat - "$work/reached" | sort -u > "$work/more"
	cmp -s "$work/more" "$work/reached" && break
	cp "$work/more" "$work/reached"
done
[ "$(wc -l < "$work/reached")" -ge 12 ] || { echo "slow_path_calls: fewer than 12 functions are reached" >&2; exit 1; }
failed=
if grep '@plt\|@' "$work/reached"; then
	echo "slow_path_calls: an event reaches another library" >&2
	failed=1
fi
if awk 'NR == FNR { reached[$1]; next } $2 == "does" && $1 in reached && $1 != "spoor_attach_on_libc_stack"' \
	"$work/reached" "$work/graph" | grep .; then
	echo "slow_path_calls: an event uses forbidden instructions" >&2
	failed=1
fi
# None of its system calls waits. (FUTEX_WAIT is 0, FUTEX_WAKE 1.)
if grep -n 'FUTEX_WAIT\b\|SYS_nanosleep\|SYS_poll\|pthread_\|malloc\|calloc' "$top_srcdir/libspoor/event/slow_path.c" "$top_srcdir/libspoor/event/slice_switch.c" \
	"$top_srcdir/libspoor/event/slices.c" "$top_srcdir/libspoor/event/ring.c"; then
	echo "slow_path_calls: an event waits, or allocates" >&2
	failed=1
fi
# Checks the checker: functions that may call libc are found to call it.
awk '$2 == "calls" && $3 ~ /@plt/' "$work/graph" | grep -q . ||
	{ echo "slow_path_calls: no call of libc was found in any function" >&2; exit 1; }
[ -z "$failed" ]
