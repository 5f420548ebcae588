#!/bin/sh
# SPDX-License-Identifier: MIT
# stack_switches.sh - where stacks take turns by swapcontext, the calls of each nest on
# their own, entries and exits are all there, and the time that passes is that of the
# stack that runs.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

# column FUNCTION NUMBER - of the report, as CSV.
column()
{
	awk -F, -v f="$1" -v n="$2" '$1 == f { print $n }' report
}
# calls TRACE FUNCTION=COUNT...
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
		left) facts -n $what ;;		# it leaves stacks for good, and makes others in their place
		*) facts $what ;;
		esac
		"$top_builddir/tools/spoor" report --format=csv $what > report 2> report.err
		# Nothing to repair, nothing without an entry.
		[ ! -s report.err ] || fail "$level $what: $(cat report.err)"
		"$top_builddir/tools/spoor" replay $what > replay
		! grep -q 'left without returning\|not in the trace' replay || fail "$level $what: $(grep 'without\|not in' replay | head -n 3)"
		# No stack's calls are within another one's.
		awk -F'  +|CALL' '
			/\{$/ || /;/ { sub(/^.*us +/, ""); }
			/resume\(\)/ && /\{/ { open = 1 }
			open && /(generate|pass_on|work_in_pieces|inner)\(\)/ { bad = 1 }
			/\} resume\(\)/ { open = 0 }
			END { exit bad }' replay || fail "$level $what: another stack's call is within resume"
	done
	for what in generators ring time nested; do
		equal "$level $what: exits of run" "$(exits $what run)" 1
	done
	"$top_builddir/tools/spoor" report --format=csv generators > report
	calls generators resume=404 yield=400 generate=4 go_deep=1000 leaf=1812
	"$top_builddir/tools/spoor" report --format=csv ring > report
	calls ring pass_on=3 leaf=300
	"$top_builddir/tools/spoor" report --format=csv nested > report
	calls nested outer=1 inner=1 resume=21 go_deep=55
	# 100 ms on the one stack, 10 on the other: none of these are counted there as well, so both
	# together are no more than what it all took.
	"$top_builddir/tools/spoor" report --format=csv time > report
	calls time work_in_pieces=1 resume=5 yield=5
	[ "$(column work_in_pieces 4)" -ge 100000000 ] || fail "$level: the coroutine's time is $(column work_in_pieces 4) ns"
	both=$(($(column work_in_pieces 4) + $(column main 4)))
	[ $both -le $lasted ] || fail "$level: both stacks' times are $both of $lasted ns"
	[ "$(column resume 4)" -le "$(column main 4)" ] || fail "$level: resume's time is $(column resume 4) ns"
done

# Switches that the compiler invokes, since destructors are due; an exception that arrives with the stack.
"$clang++" -O2 -g -DSWITCHER -fPIC -shared -o libswitcher.so "$(victim switches_invoked.cc)"
for level in -O0 -O1 -O2; do
	traced_cxx $level -o invoked "$(victim switches_invoked.cc)" -L. -lswitcher -Wl,-rpath,"$work"
	for what in turns branches throws; do
		./invoked $what > untraced
		traced $what ./invoked $what > out 2> err
		silent err
		cmp untraced out
		facts -n $what		# the coroutine never ends
		"$top_builddir/tools/spoor" report --format=csv $what > report 2> report.err
		[ ! -s report.err ] || fail "$level $what: $(cat report.err)"
		"$top_builddir/tools/spoor" replay $what > replay
		# What throws ran before the stack was known again.
		! grep 'left without returning\|not in the trace' replay | grep -v 'throw_there(void\*)' > mended ||
			fail "$level $what: $(head -n 3 mended)"
		# What the one stack calls is not within what the other one does.
		awk '
			{ sub(/^.*us +/, "") }
			/resume.*\{/ { open = 1 }
			open && /(generate|deeper|yield)\(/ { bad = 1; print NR ": " $0 > "/dev/stderr" }
			/\} resume/ { open = 0 }
			END { exit bad }' replay || fail "$level $what: another stack's call is within resume"
	done
	"$top_builddir/tools/spoor" report --format=csv turns > report
	equal "$level: calls of resume" "$(column 'resume()' 3)" 100
	equal "$level: calls of yield" "$(column 'yield(int)' 3)" 100
done
