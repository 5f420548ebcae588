#!/bin/sh
# SPDX-License-Identifier: MIT
# full_shm.sh - a hundred busy threads where shared memory has 64 MiB, as in containers, and
# less or nothing of them free: the program does what it does untraced, with the trace there
# as with spoor record, and each event is in the trace or counted as lost.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

[ "$(id -u)" = 0 ] || skip "mounting over /dev/shm asks for root"
# In a name space of this script's own.
if [ -z "${FULL_SHM-}" ]; then
	unshare -m true || skip "no name space for mounts"
	FULL_SHM=1 exec unshare -m "$life_script"
fi
mount --make-rprivate / && mount -t tmpfs -o size=64m,mode=1777 spoor-test /dev/shm || skip "/dev/shm cannot be mounted"
program threads
threads=100
each=20000
./threads many $threads $each > untraced.out

# accounted TRACE - what is there and what was lost are what was called.
accounted()
{
	facts -n "$1"
	more=$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(lost "$1") - 2 * threads * each))
	# Marks of what the ends of threads leave may be among the lost ones, and main's.
	[ "$more" -ge 0 ] && [ "$more" -le $((2 * threads)) ] || fail "$1: stored and lost: $more too many"
}

for room in 65536 40000 10000 1000 64 0; do
	rm -rf /dev/shm/* recorded
	head -c $(((65536 - room) * 1024)) /dev/zero > /dev/shm/filler
	SPOOR_RUNTIME_TRACE_PATH=/dev/shm/trace LD_PRELOAD=$libspoor timeout 120 ./threads many $threads $each > out 2> err ||
		fail "$room KiB: status $?: $(cat err)"
	cmp -s untraced.out out || fail "$room KiB: another output"
	rm /dev/shm/filler
	# Once of the events, and once of the threads' names.
	grep '^spoor: ' err > said || :
	[ "$(wc -l < said)" -le 2 ] && ! grep -v 'No space left on device' said || fail "$room KiB: messages: $(cat said)"
	if [ -e /dev/shm/trace ]; then
		mv /dev/shm/trace trace-$room
		accounted trace-$room
	else
		[ -s said ] || fail "$room KiB: no trace, and nothing is said"
	fi

	head -c $(((65536 - room) * 1024)) /dev/zero > /dev/shm/filler
	timeout 120 "$top_builddir/tools/spoor" record -q -o recorded -- ./threads many $threads $each > out 2> err ||
		fail "$room KiB, recorded: status $?: $(cat err)"
	cmp -s untraced.out out || fail "$room KiB, recorded: another output"
	silent err
	accounted recorded
	equal "$room KiB, recorded: lost" "$(lost recorded)" 0
done
equal "lost where there is room" "$(lost trace-65536)" 0
[ "$(lost trace-1000)" -gt 0 ] || fail "there was room for all: the test proves nothing"
