#!/bin/sh
# SPDX-License-Identifier: MIT
# stack_switches.sh - if stacks take turns with swapcontext, the calls of each stack nest separately, all entries and
# exits are recorded, and time is charged to the running stack.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# column FUNCTION NUMBER - prints one field of the function in the CSV report.
column()
{
	awk -F, -v f="$1" -v n="$2" '$1 == f { print $n }' report
}
# calls TRACE FUNCTION=COUNT... - checks the entries in the trace and the calls in the report.
calls()
{
	in=$1
	shift
	for pair; do
		equal "$in: entries of ${pair%=*}" "$(entries "$in" "${pair%=*}")" "${pair#*=}"
		equal "$in: the report's calls of ${pair%=*}" "$(column "${pair%=*}" 3)" "${pair#*=}"
	done
}

for level in -O0 -O1 -O2; do
	program switches $level
	for what in generators ring time nested left; do
		wanted=0
		./switches $what > untraced || wanted=$?
		status=0
		start=$(date +%s%N)
		traced $what ./switches $what > out 2> err || status=$?
		elapsed=$(($(date +%s%N) - start))
		equal "$level $what: status" "$status" "$wanted"
		[ $what != time ] || lasted=$elapsed
		silent err
		cmp untraced out
		case $what in
		left) facts -n $what ;;		# the program abandons stacks and makes others in their place
		*) facts $what ;;
		esac
		"$reader" report --format=csv $what > report 2> report.err
		# The tools repair no call, and each call has an entry.
		[ ! -s report.err ] || fail "$level $what: spoor report printed messages: $(cat report.err)"
		"$reader" replay $what > replay
		! grep -q 'left without returning\|not in the trace' replay ||
			fail "$level $what: calls were repaired: $(grep 'without\|not in' replay | head -n 3)"
		# No stack's calls are below calls of another stack.
		awk -F'  +|CALL' '
			/\{$/ || /;/ { sub(/^.*us +/, ""); }
			/resume\(\)/ && /\{/ { open = 1 }
			open && /(generate|pass_on|work_in_pieces|inner)\(\)/ { bad = 1 }
			/\} resume\(\)/ { open = 0 }
			END { exit bad }' replay ||
				fail "$level $what: a call of another stack is below resume:" \
					"$(grep -m 1 -A 5 resume replay)"
	done
	for what in generators ring time nested; do
		equal "$level $what: exits of run" "$(exits $what run)" 1
	done
	"$reader" report --format=csv generators > report
	calls generators resume=404 yield=400 generate=4 go_deep=1000 leaf=1812
	"$reader" report --format=csv ring > report
	calls ring pass_on=3 leaf=300
	"$reader" report --format=csv nested > report
	calls nested outer=1 inner=1 resume=21 go_deep=55
	# One stack runs for 100 ms, the other for 10 ms. No time is counted twice, so both together do not exceed the
	# run time.
	"$reader" report --format=csv time > report
	calls time work_in_pieces=1 resume=5 yield=5
	[ "$(column work_in_pieces 4)" -ge 100000000 ] ||
		fail "$level: the coroutine ran for only $(column work_in_pieces 4) ns"
	both=$(($(column work_in_pieces 4) + $(column main 4)))
	[ $both -le $lasted ] || fail "$level: both stacks ran for $both ns, and the whole run took $lasted ns"
	[ "$(column resume 4)" -le "$(column main 4)" ] ||
		fail "$level: resume took $(column resume 4) ns, and main only $(column main 4) ns"
done

# Switches that the compiler invokes, because destructors must run; an exception that arrives together with the stack.
"$clang++" -O2 -g -DSWITCHER -fPIC -shared -o libswitcher.so "$(victim switches_invoked.cc)"
for level in -O0 -O1 -O2; do
	traced_cxx $level -o invoked "$(victim switches_invoked.cc)" -L. -lswitcher -Wl,-rpath,"$work"
	for what in turns branches throws; do
		./invoked $what > untraced
		traced $what ./invoked $what > out 2> err
		silent err
		cmp untraced out
		facts -n $what		# the coroutine never ends
		"$reader" report --format=csv $what > report 2> report.err
		[ ! -s report.err ] || fail "$level $what: spoor report printed messages: $(cat report.err)"
		"$reader" replay $what > replay
		# The throwing function ran before the runtime knew the stack again.
		! grep 'left without returning\|not in the trace' replay | grep -v 'throw_there(' > mended ||
			fail "$level $what: calls were repaired: $(head -n 3 mended)"
		# Calls of one stack are not below calls of the other one.
		awk '
			{ sub(/^.*us +/, "") }
			/resume.*\{/ { open = 1 }
			open && /(generate|deeper|yield)\(/ { bad = 1; print NR ": " $0 > "/dev/stderr" }
			/\} resume/ { open = 0 }
			END { exit bad }' replay ||
				fail "$level $what: a call of another stack is below resume (see the line above)"
	done
	"$reader" report --format=csv turns > report
	equal "$level: calls of resume" "$(column 'resume()' 3)" 100
	equal "$level: calls of yield" "$(column 'yield(int)' 3)" 100
done
