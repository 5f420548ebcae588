#!/bin/sh
# SPDX-License-Identifier: MIT
# full_disk.sh - if the trace's file system is nearly full or unusable, the program has the same output and status as
# untraced. spoor prints one message with the reason, and a readable trace counts the events that could not be stored.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

[ "$(id -u)" = 0 ] || skip "mounting a small file system requires root"
program hello
mkdir small
mount -t tmpfs -o size=64m,mode=755 spoor-test small || skip "a file system cannot be mounted here"
trap 'umount small' EXIT

# run NAME TRACE CALLS - runs hello with this trace.
run()
{
	traced "$2" timeout 200 ./hello "$3" > "$1.out" 2> "$1.err" ||
		fail "$1: hello ended with status $?: $(cat "$1.err")"
	equal "$1: output" "$(cat "$1.out")" hello
}

# fill KILOBYTES - fills the file system except for this many kilobytes.
fill()
{
	rm -rf small/filler small/trace
	free=$(df --output=avail -k small | tail -n 1)
	head -c $(((free - $1) * 1024)) /dev/zero > small/filler
}

# accounted TRACE WHAT CALLS - checks that stored and lost events add up to the events of the calls.
accounted()
{
	facts -n "$1"
	equal "$2: events and losses" \
		"$(($(entries "$1" leaf) + $(exits "$1" leaf) + $(entries "$1" main) + $(exits "$1" main) + $(lost "$1")))" \
		"$((2 * $3 + 2))"
}

for kilobytes in 0 4 8 16 32 64; do
	fill "$kilobytes"
	run "room-$kilobytes" "$work/small/trace" 100000
	rm small/filler
	if [ -e small/trace ]; then
		accounted small/trace "room-$kilobytes" 100000
	else
		said_once "room-$kilobytes.err" "No space left on device; the program runs untraced"
	fi
done
for kilobytes in 256 1000 3000; do
	fill "$kilobytes"
	run "room-$kilobytes" "$work/small/trace" 3000000
	said_once "room-$kilobytes.err" "No space left on device"
	[ -e small/trace ] || fail "room-$kilobytes: there is no trace: $(cat "room-$kilobytes.err")"
	rm small/filler
	accounted small/trace "room-$kilobytes" 3000000
	[ "$(lost small/trace)" -gt 0 ] ||
		fail "room-$kilobytes: the trace counts no lost events: $(cat small/trace.facts)"
	[ "$(lost small/trace write)" -gt "$(lost small/trace pool)" ] ||
		fail "room-$kilobytes: most losses are not charged to the disk: $(grep lost small/trace.facts)"
	[ "$kilobytes" -lt 3000 ] || [ "$(entries small/trace leaf)" -gt 10000 ] ||
		fail "room-$kilobytes: only $(entries small/trace leaf) calls were stored"
	rm -rf small/trace
done

# In mode count all calls of all threads are counted, or none. The program's own counters are in another file system.
program count -ldl
for kilobytes in 0 4 8 12 16 20 24 32 64 128 256; do
	fill "$kilobytes"
	rm -f own.*
	SPOOR_RUNTIME_MODE=count traced "$work/small/trace" timeout 300 ./count threads 20 > count.out 2> count.err ||
		fail "count-$kilobytes: the program ended with status $?: $(cat count.err)"
	if [ -e small/trace ]; then
		silent count.err
		counts_agree small/trace
	else
		said_once count.err "No space left on device; the program runs untraced"
	fi
done
[ -e small/trace ] || fail "count: there is no trace although 256 KB were free"
rm -rf small/trace small/filler

# The runtime gives up after two attempts and counts losses; later events find room.
fill 256
(export SPOOR_RUNTIME_MAX_FLUSH_BUFFER_TO_FILE_ATTEMPTS=2; run attempts "$work/small/trace" 30000000)
said_once attempts.err "No space left on device"
rm small/filler
accounted small/trace attempts 30000000
[ "$(lost small/trace write)" -gt 0 ] || fail "attempts: no event was lost to the disk: $(cat small/trace.facts)"
rm -rf small/trace

# The file system has space but no inodes.
mount -o remount,nr_inodes=8 small
touch small/1 small/2 small/3 small/4 small/5 small/6 small/7 2> /dev/null || :
run inodes "$work/small/trace" 100000
said_once inodes.err "No space left on device; the program runs untraced"
rm -f small/?
mount -o remount,nr_inodes=1000 small

# Unusable paths.
mount -o remount,ro small
run read-only "$work/small/trace" 1000
said_once read-only.err "Read-only file system; the program runs untraced"
mount -o remount,rw small
echo precious > file
traced "$work/no-such/folder/trace" ./hello > missing.out 2> missing.err
said_once missing.err "No such file or directory; the program runs untraced"
SPOOR_RUNTIME_TRACE_PATH=$work/file LD_PRELOAD=$libspoor ./hello > file.out 2> file.err
said_once file.err "Not a directory; the program runs untraced"
equal "the file at the trace's path" "$(cat file)" precious
equal "output" "$(cat missing.out file.out)" "hello
hello"
SPOOR_RUNTIME_TRACE_PATH=$(printf '%5000s' | tr ' ' x) LD_PRELOAD=$libspoor ./hello > long.out 2> long.err
said_once long.err "SPOOR_RUNTIME_TRACE_PATH is longer than"
SPOOR_RUNTIME_TRACE_PATH=/$(printf '%4000s' | tr ' ' x) LD_PRELOAD=$libspoor ./hello > long.out 2> long.err
said_once long.err "File name too long; the program runs untraced"

# The working directory was removed, so the relative default path is unusable.
mkdir gone
(cd gone && rmdir ../gone && LD_PRELOAD=$libspoor ../hello > ../gone.out 2> ../gone.err) ||
	fail "hello in a removed working directory failed: status $?: $(cat gone.err)"
said_once gone.err "absolute: No such file or directory; the program runs untraced"
equal "output" "$(cat gone.out)" hello
