#!/bin/sh
# SPDX-License-Identifier: MIT
# killed_at_each_step.sh - kills the program at any instruction of an event, inside a slice and when the slice
# changes. The events are an entry, an exit, a tail call, the entry of a function that receives a longjmp, the arrival
# of the longjmp, and a count. Every earlier event is in the trace and in order. The events of the current call are a
# prefix, each complete or missing, and no event is torn.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program stops -Wl,-z,now
plain steps_then_kill
every=23 every_of_count=3
[ -z "${SPOOR_LONG-}" ] || every=1 every_of_count=1

# pattern WHAT - prints the events of one such call.
pattern()
{
	case $1 in
	plain) printf '%s\n' "entry leaf" "exit leaf" ;;
	tail) printf '%s\n' "entry leaves" "tail_exit leaves" "entry leaf" "exit leaf" ;;
	jump) printf '%s\n' "entry catches" "frame " "entry jumps" "unwind " "exit catches" ;;
	esac
}

# repeat COUNT WHAT - prints the events of COUNT such calls.
repeat()
{
	pattern "$2" > one
	awk -v count="$1" '{ line[NR] = $0 } END { for (i = 0; i < count; i++) for (j = 1; j <= NR; j++) print line[j] }' one
}

# killed STEPS CALLS WHAT BEFORE - runs the program and kills it after STEPS instructions.
killed()
{
	rm -rf t
	killed_after=$1
	shift
	ended=$(SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor timeout 300 ./steps_then_kill "$killed_after" ./stops "$@" 2> err) ||
		fail "$*, killed after $killed_after steps: status $?: $(cat err)"
	silent err
}

# stored WHICH - sets $stored to the number of events. They must be the first of those in `wanted`, and times must not
# run backwards.
stored()
{
	facts -n t
	equal "$1: lost" "$(lost t)" 0
	"$top_builddir/tools/spoor" export --format=csv --flat t > csv 2> csv.err ||
		fail "$1: spoor export failed: $(cat csv.err)"
	awk -F, 'NR > 1 { print $4 " " $5; if ($1 < last) exit 1; last = $1 }' csv > got ||
		fail "$1: times run backwards: $(tail -n 2 got)"
	stored=$(wc -l < got)
	head -n "$stored" wanted | cmp -s - got ||
		fail "$1: the trace (>) differs from the calls (<): $(diff wanted got | head -n 5)"
}

# each_step WHAT CALLS BEFORE - kills the program at each step of the next call; sets $changed if the call changed the
# slice.
each_step()
{
	{ echo "entry main"; repeat "$3" plain; repeat "$2" "$1"; } > wanted
	least=$(wc -l < wanted)
	repeat 1 "$1" >> wanted
	steps=0
	: > seen
	while :; do
		killed $steps "$2" "$1" "$3"
		stored "$1, $2 calls, killed after $steps steps"
		[ "$stored" -ge "$least" ] ||
			fail "$1, $2 calls, killed after $steps steps: the trace has $stored of at least $least" \
				"events"
		echo "$stored" >> seen
		[ -z "$ended" ] || break
		steps=$((steps + every))
	done
	equal "$1, $2 calls: events at the end" "$stored" "$(wc -l < wanted)"
	[ "$(sort -u seen | wc -l)" -gt 2 ] || fail "$1, $2 calls: no kill came between two events"
	[ $steps -gt 60 ] || fail "$1, $2 calls: only $steps steps"
	[ $steps -lt 300 ] || changed=1
}

# The first slice of a thread is one page: 512 words, of which main takes one.
for calls in 100 253 254 255 256; do
	each_step plain $calls 0
done
[ -n "${changed-}" ] || fail "no run changed the slice"
each_step tail 100 0
each_step tail 127 0		# four words, and two are left
each_step jump 100 0
each_step jump 102 0		# entry and frame, and one word is left
each_step jump 100 4		# three words are left; the arrival is one too many

# A count.
export SPOOR_RUNTIME_MODE=count
steps=0
least=0
while :; do
	killed $steps 100 plain
	calls=$("$top_builddir/tools/spoor" report --format=csv t | awk -F, '$1 == "leaf" { print $3 }')
	[ "$calls" = 101 ] || [ "$calls" = 100 ] ||
		fail "killed after $steps steps: $calls calls are counted, not 100 or 101"
	[ "$calls" = 101 ] || least=1
	[ -z "$ended" ] || break
	steps=$((steps + every_of_count))
done
equal "calls counted at the end" "$calls" 101
[ $least = 1 ] && [ $steps -gt 15 ] || fail "the count was not killed at each step: $steps steps"
