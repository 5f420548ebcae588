# SPDX-License-Identifier: MIT
# why.sh - measures what spoor record --sched costs a program: for each switch, new thread, page fault and system call;
# and what --library-calls and call slots (-fspoor-calls) cost: for each call. Run sources this file.

# why_way WAY WHAT - prints the nanoseconds of CPU time of one.
why_way()
{
	rm -rf "$work/trace"
	case $1 in
	off) "$spoor" record -q -o "$work/trace" "$work/waiting" "$2" ;;
	on) "$spoor" record -q --sched -o "$work/trace" "$work/waiting" "$2" ;;
	states | syscalls) "$spoor" record -q --sched=$1 -o "$work/trace" "$work/waiting" "$2" 2> /dev/null ;;
	esac
}

# call_way WAY - prints the nanoseconds of CPU time of one call.
call_way()
{
	rm -rf "$work/trace"
	case $1 in
	plain) "$work/library_calls" library ;;
	dormant) "$spoor" record -q -o "$work/trace" --library-calls 'libc.so*:atoi' "$work/library_calls" library 2> /dev/null ;;
	recorded) "$spoor" record -q -o "$work/trace" --library-calls 'libc.so*:rand_r' "$work/library_calls" library ;;
	slot-dormant) "$work/library_calls.slots" library ;;
	slot) "$spoor" record -q -o "$work/trace" -f rand_r "$work/library_calls.slots" library ;;
	lock) "$work/library_calls" lock ;;
	lock-dormant) "$work/library_calls.locks" lock ;;
	sled-dormant) "$work/library_calls.spoor" sled ;;
	sled) "$spoor" record -q -o "$work/trace" -f own_rand "$work/library_calls.spoor" sled ;;
	uftrace) uftrace record --force -d "$work/trace" "$work/library_calls" library 10 | tail -n 1 ;;
	ltrace) ltrace -e rand_r -o /dev/null "$work/library_calls" library 1 ;;
	esac
}

measure_library_calls()
{
	heading "Library calls: spoor record --library-calls"
	"$clang" -O2 -Wall -Wextra -fno-builtin -o "$work/library_calls" "$bench/library_calls.c"
	"$spoor_cc" -O2 -Wall -Wextra -fno-builtin -o "$work/library_calls.spoor" "$bench/library_calls.c"
	"$spoor_cc" -O2 -Wall -Wextra -fno-builtin -fspoor-calls=rand_r -o "$work/library_calls.slots" "$bench/library_calls.c"
	"$spoor_cc" -O2 -Wall -Wextra -fno-builtin -fspoor-calls='pthread_*' -o "$work/library_calls.locks" "$bench/library_calls.c"
	call_ways="plain dormant recorded slot-dormant slot sled-dormant sled lock lock-dormant"
	! command -v uftrace > /dev/null || call_ways="$call_ways uftrace"
	! command -v ltrace > /dev/null || call_ways="$call_ways ltrace"
	for round in $(seq $rounds); do
		for way in $call_ways; do
			say "library calls, round $round of $rounds: $way"
			echo "$round $way $(call_way $way)"
		done
	done > "$work/calls"
	# call_cost WAY OTHER - prints the median of the differences between two ways in a round.
	call_cost()
	{
		awk -v way="$1" -v other="$2" '$2 == way { a[$1] = $3 } $2 == other { b[$1] = $3 } END { for (r in a) print a[r] - b[r] }' \
			"$work/calls" | median
	}
	note "a call of rand_r(), without spoor" "$(awk '$2 == "plain" { print $3 }' "$work/calls" | median)" "ns"
	aim "a call of a library function that is not chosen" "$(call_cost dormant plain)" "ns" 0.3
	note "recording a call of a function with sleds" "$(call_cost sled sled-dormant)" "ns"
	note "recording a library call" "$(call_cost recorded plain)" "ns"
	aim "recording a library call, beside a sled" \
		"$(calculate "$(call_cost recorded plain) / $(call_cost sled sled-dormant)")" "times" 1.5
	aim "a call through a dormant call slot" "$(call_cost slot-dormant plain)" "ns" 0.6
	aim "taking and releasing a lock, through dormant call slots" "$(calculate \
		"$(awk '$2 == "lock-dormant" { print $3 }' "$work/calls" | median) / $(awk '$2 == "lock" { print $3 }' "$work/calls" | median)")" \
		"x plain" 1.01
	note "recording a call through a call slot" "$(call_cost slot plain)" "ns"
	aim "recording a call through a call slot, beside a sled" \
		"$(calculate "$(call_cost slot plain) / $(call_cost sled sled-dormant)")" "times" 1.5
	case $call_ways in
	*uftrace*) note "uftrace: a library call" "$(call_cost uftrace plain)" "ns" ;;
	esac
	case $call_ways in
	*ltrace*) note "ltrace: a library call" "$(call_cost ltrace plain)" "ns" ;;
	esac
	rm -rf "$work/trace"
}

measure_why()
{
	measure_library_calls
	heading "Running and waiting: spoor record --sched"
	"$spoor_cc" -O2 -Wall -Wextra -pthread -o "$work/waiting" "$bench/waiting.c"
	why_way on switch > /dev/null
	if ! test -e "$work/trace/sched.spoor"; then
		note "the kernel refuses perf events here" 0 ""
		return
	fi
	# The kernel's tracepoints need CAP_PERFMON.
	tracepoints=
	! test -r /sys/kernel/tracing/events/raw_syscalls/sys_enter/id || tracepoints=call
	for round in $(seq $rounds); do
		for what in switch thread fault $tracepoints; do
			order="off on"
			case $what$tracepoints in
			switchcall) order="off on states" ;;
			callcall) order="off syscalls" ;;
			esac
			test $((round % 2)) = 1 || order=$(echo "$order" | tr ' ' '\n' | tac)
			for way in $order; do
				say "why, round $round of $rounds: $what, $way"
				echo "$round $what $way $(why_way $way $what)"
			done
		done
	done > "$work/why"
	# why_cost WHAT [WAY] - prints the median of the differences between the way, by default --sched, and none in a round.
	why_cost()
	{
		awk -v what="$1" -v way="${2-on}" '$2 == what && $3 == "off" { off[$1] = $4 } $2 == what && $3 == way { on[$1] = $4 }
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
	if test -n "$tracepoints"; then
		note "recording a switch and its state (--sched=states)" "$(why_cost switch states)" "ns"
		note "a system call, without --sched=syscalls" "$(why_off call)" "ns"
		note "recording a system call" "$(why_cost call syscalls)" "ns"
	fi
	rm -rf "$work/trace"
}
