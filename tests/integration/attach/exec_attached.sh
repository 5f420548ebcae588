#!/bin/sh
# SPDX-License-Identifier: MIT
# exec_attached.sh - a program that calls execve while spoor ctl, spoor record --pid or spoor top works on one of its
# threads continues, and so do the tools. Signals that interrupt spoor ctl do not harm the program.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
times=20 fewest=1
[ -z "${SPOOR_LONG-}" ] || times=400 fewest=3
program executes

# begins COMMAND... - starts the victim under the command; sets $job to the command's process and $victim to the
# victim's.
begins()
{
	rm -f victim
	# shellcheck disable=SC2016
	"$@" sh -c 'echo $$ > victim.new; mv victim.new victim; exec ./executes "$@"' sh "$times" "$by" > out 2> err &
	job=$!
	while [ ! -e victim ]; do sleep 0.01; done
	victim=$(cat victim)
}

# while_it_runs LEAST COMMAND... - repeats the command while the victim runs, at least LEAST times. The command may
# print anything and fail, but must end.
while_it_runs()
{
	least=$1 met=0
	shift
	while kill -0 "$victim" 2> /dev/null; do
		status=0
		timeout -s KILL 100 "$@" > said 2>&1 || status=$?
		[ $status -le 2 ] || fail "$by: $* ended with status $status: $(cat said)"
		met=$((met + 1))
	done
	[ $met -ge "$least" ] || fail "$by: the victim ended after $met runs of $*, and $least are needed"
}

ended()
{
	status=0
	wait $job || status=$?
	equal "$by: status under $1 ($(cat err))" $status 17
}

for by in thread main; do
	begins "$spoor" record -q -o switched
	while_it_runs $fewest sh -c 'spoor=$1; "$spoor" ctl "$2" mode count; "$spoor" ctl "$2" mode log' sh "$spoor" "$victim"
	ended ctl
	rm -rf switched

	begins "$spoor" record -q -o interrupted
	n=0
	while kill -0 "$victim" 2> /dev/null; do
		n=$(((n + 1) % 20))
		signal=$([ $((n % 2)) = 0 ] && echo INT || echo TERM)
		timeout -s $signal 0.0$((10 + n)) "$spoor" ctl "$victim" disable leaf > said 2>&1 || :
	done
	ended "ctl that is interrupted"
	rm -rf interrupted

	# An attachment starts again after each execve(2), so one may take as long as a victim lives.
	runs=0 rounds=0
	while [ $runs -lt 3 ] && [ $rounds -lt 10 ]; do
		begins env
		while_it_runs 1 "$spoor" record -q -o attached --pid "$victim" --duration 0.01
		runs=$((runs + met)) rounds=$((rounds + 1))
		ended "record --pid"
		rm -rf attached attached.old*
	done
	[ $runs -ge 3 ] || fail "$by: only $runs runs of spoor record --pid beside $rounds victims"

	begins "$spoor" record -q -o looked_at
	while_it_runs 1 "$spoor" top --batch --interval 50ms "$victim"
	ended top
	rm -rf looked_at
done
