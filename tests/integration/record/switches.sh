#!/bin/sh
# SPDX-License-Identifier: MIT
# switches.sh - spoor record --sched has the same switches of each thread as `perf record -e sched:sched_switch` of root,
# with the same times and reasons: recorded by root, and by a user without privileges.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
[ -z "$emulated" ] || skip "an emulator has no perf events of the programs that it runs"
command -v perf > /dev/null || skip "apt-get install linux-perf"
[ "$(id -u)" = 0 ] || skip "only root may see the kernel's tracepoints"
perf record -q -o none.data -e sched:sched_switch true > none 2>&1 || skip "perf sees no switches here: $(cat none)"
program waits

# compares WHAT COMMAND... - records the victim with both, and compares the switches.
compares()
{
	what=$1
	shift
	rm -rf t
	perf record -q -k CLOCK_MONOTONIC -e sched:sched_switch -o perf.data \
		"$@" "$spoor" record -q --sched -o t ./waits 5 > out 2> err || fail "$what: status $?: $(cat err)"
	[ -e t/sched.spoor ] || skip "$what: the kernel refuses perf events here: $(cat err)"
	silent err
	perf script --ns -F tid,time,event,trace -i perf.data > switches 2> none
	"$spoor" export --format=chrome -o states t 2> err || fail "$what: export: $(cat err)"
	python3 "$top_srcdir/tests/integration/readers/switches.py" states switches > compared 2>&1 ||
		fail "$what: $(tail -n 1 compared)"
	echo "$what: $(cat compared)"
}

compares root
command -v setpriv > /dev/null || skip "apt-get install util-linux"
chmod 777 .
compares "a user without privileges" setpriv --reuid=65534 --regid=65534 --clear-groups
