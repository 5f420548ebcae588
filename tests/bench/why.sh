# SPDX-License-Identifier: MIT
# why.sh - measures what spoor record --sched costs a program: for each switch, new thread and page fault; run sources
# this file.

# why_way WAY WHAT - prints the nanoseconds of CPU time of one.
why_way()
{
	rm -rf "$work/trace"
	case $1 in
	off) "$spoor" record -q -o "$work/trace" "$work/waiting" "$2" ;;
	on) "$spoor" record -q --sched -o "$work/trace" "$work/waiting" "$2" ;;
	esac
}

measure_why()
{
	heading "Running and waiting: spoor record --sched"
	"$spoor_cc" -O2 -Wall -Wextra -pthread -o "$work/waiting" "$bench/waiting.c"
	why_way on switch > /dev/null
	if ! test -e "$work/trace/sched.spoor"; then
		note "the kernel refuses perf events here" 0 ""
		return
	fi
	for round in $(seq $rounds); do
		for what in switch thread fault; do
			order="off on"
			test $((round % 2)) = 0 && order="on off"
			for way in $order; do
				say "why, round $round of $rounds: $what, $way"
				echo "$round $what $way $(why_way $way $what)"
			done
		done
	done > "$work/why"
	# why_cost WHAT - prints the median of the differences between the two ways in a round.
	why_cost()
	{
		awk -v what="$1" '$2 == what && $3 == "off" { off[$1] = $4 } $2 == what && $3 == "on" { on[$1] = $4 }
			END { for (r in on) print on[r] - off[r] }' "$work/why" | median
	}
	# why_off WHAT - prints the median without --sched.
	why_off()
	{
		awk -v what="$1" '$2 == what && $3 == "off" { print $4 }' "$work/why" | median
	}
	note "a switch, without --sched" "$(why_off switch)" "ns"
	aim "recording a switch" "$(why_cost switch)" "ns" 1000
	note "starting and ending a thread, without --sched" "$(why_off thread)" "ns"
	note "recording a thread, with its switches, on $(nproc) processors" "$(why_cost thread)" "ns"
	note "a page fault, without --sched" "$(why_off fault)" "ns"
	note "recording a page fault" "$(why_cost fault)" "ns"
	rm -rf "$work/trace"
}
