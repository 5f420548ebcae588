#!/bin/sh
# SPDX-License-Identifier: MIT
# full_shm.sh - a hundred busy threads with 64 MiB of shared memory, as in containers, with little or no room
# left: the program works as untraced, with the trace in shared memory or with spoor record, and each event is stored
# or counted as lost.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

[ "$(id -u)" = 0 ] || skip "mounting over /dev/shm requires root"
# The script runs in its own mount name space.
if [ -z "${FULL_SHM-}" ]; then
	unshare -m true || skip "a mount name space cannot be made"
	FULL_SHM=1 exec unshare -m "$life_script"
fi
mount --make-rprivate / && mount -t tmpfs -o size=64m,mode=1777 spoor-test /dev/shm ||
	skip "/dev/shm cannot be mounted"
program threads
threads=100
each=20000
./threads many $threads $each > untraced.out

# accounted TRACE - checks that stored and lost events add up to the events of the calls.
accounted()
{
	facts -n "$1"
	more=$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(lost "$1") - 2 * threads * each))
	# Lost events may include the marks at the end of threads, and those of main.
	[ "$more" -ge 0 ] && [ "$more" -le $((2 * threads)) ] ||
		fail "$1: stored and lost events exceed the events of the calls by $more"
}

for room in 65536 40000 10000 1000 64 0; do
	rm -rf /dev/shm/* recorded
	head -c $(((65536 - room) * 1024)) /dev/zero > /dev/shm/filler
	SPOOR_RUNTIME_TRACE_PATH=/dev/shm/trace LD_PRELOAD=$libspoor timeout 120 ./threads many $threads $each > out 2> err ||
		fail "$room KiB: the program ended with status $?: $(cat err)"
	cmp -s untraced.out out || fail "$room KiB: the output differs from an untraced run: $(diff untraced.out out)"
	rm /dev/shm/filler
	# One message for the events, and one for the names of threads.
	grep '^spoor: ' err > said || :
	[ "$(wc -l < said)" -le 2 ] && ! grep -v 'No space left on device' said ||
		fail "$room KiB: messages about other faults than a full device: $(cat said)"
	if [ -e /dev/shm/trace ]; then
		mv /dev/shm/trace trace-$room
		accounted trace-$room
	else
		[ -s said ] || fail "$room KiB: there is no trace and no message"
	fi

	head -c $(((65536 - room) * 1024)) /dev/zero > /dev/shm/filler
	timeout 120 "$top_builddir/tools/spoor" record -q -o recorded -- ./threads many $threads $each > out 2> err ||
		fail "$room KiB, recorded: the program ended with status $?: $(cat err)"
	cmp -s untraced.out out ||
		fail "$room KiB, recorded: the output differs from an untraced run: $(diff untraced.out out)"
	silent err
	accounted recorded
	equal "$room KiB, recorded: lost" "$(lost recorded)" 0
done
equal "lost where there is room" "$(lost trace-65536)" 0
[ "$(lost trace-1000)" -gt 0 ] || fail "no event was lost with 1000 KiB of room, so the test proves nothing"
