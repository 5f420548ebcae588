#!/bin/sh
# SPDX-License-Identifier: MIT
# switches.sh - spoor record --sched has the same switches of each thread as `perf record -e sched:sched_switch` of root,
# with the same times and reasons: recorded by root, also with the states in which threads wait, and by a user without
# privileges.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"
command -v perf > /dev/null || skip "apt-get install linux-perf"
[ "$(id -u)" = 0 ] || skip "only root may see the kernel's tracepoints"
perf record -q -o none.data -e sched:sched_switch true > none 2>&1 || skip "perf sees no switches here: $(cat none)"
program waits
program system_calls

# compares WHAT VICTIM SCHED COMMAND... - records the victim with both, and compares the switches.
compares()
{
	what=$1 run=$2 sched=$3
	shift 3
	rm -rf t
	perf record -q -k CLOCK_MONOTONIC -e sched:sched_switch -o perf.data \
		"$@" "$spoor" record -q $sched -o t ./$run 5 > out 2> err || fail "$what: status $?: $(cat err)"
	[ -e t/sched.spoor ] || skip "$what: the kernel refuses perf events here: $(cat err)"
	silent err
	perf script --ns -F tid,time,event,trace -i perf.data > switches 2> none
	"$spoor" export --format=chrome -o states t 2> err || fail "$what: export: $(cat err)"
	python3 "$top_srcdir/tests/integration/readers/switches.py" states switches > compared 2>&1 ||
		fail "$what: $(tail -n 1 compared)"
	echo "$what: $(cat compared)"
}

compares root waits --sched
# A parent waits uninterruptibly in vfork(2), and a child stops. The system call of a wait is sampled during the wait, so
# it is unknown if the recorder got no processor then; another recording knows it.
for _ in 1 2 3 4 5; do
	compares "root, with states" system_calls --sched=states
	grep -q ' with states D.*S.*T' compared || fail "not all states were compared: $(cat compared)"
	"$spoor" replay --waits=4ms t | sed -n '/ wait_for_vfork() .*{$/,/ } wait_for_vfork/p' > vfork
	grep -q '# waited [0-9.]* ms in state D$' vfork || break
done
grep -q '# waited [5-9.0-9]* ms in .*(D)' vfork || fail "replay shows no state: $(cat vfork)"
command -v setpriv > /dev/null || skip "apt-get install util-linux"
chmod 777 .
compares "a user without privileges" waits --sched setpriv --reuid=65534 --regid=65534 --clear-groups
