#!/bin/sh
# SPDX-License-Identifier: MIT
# full_disk.sh - however little room the trace's file system has, or whatever is
# wrong with its place, the program's output and status are what they are
# untraced; one message says why; what could not be stored is counted in what
# can be read.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

[ "$(id -u)" = 0 ] || skip "mounting a small file system asks for root"
program hello
mkdir small
mount -t tmpfs -o size=64m,mode=755 spoor-test small || skip "no file system can be mounted here"
trap 'umount small' EXIT

# run NAME TRACE CALLS - hello, in a trace there.
run()
{
	traced "$2" timeout 200 ./hello "$3" > "$1.out" 2> "$1.err" || fail "$1: status $?: $(cat "$1.err")"
	equal "$1: output" "$(cat "$1.out")" hello
}

# fill KILOBYTES - takes all room of the file system but so much.
fill()
{
	rm -rf small/filler small/trace
	free=$(df --output=avail -k small | tail -n 1)
	head -c $(((free - $1) * 1024)) /dev/zero > small/filler
}

# What is there and what was lost are what was called.
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
		said_once "room-$kilobytes.err" "No space left on device; nothing is traced"
	fi
done
for kilobytes in 256 1000 3000; do
	fill "$kilobytes"
	run "room-$kilobytes" "$work/small/trace" 3000000
	said_once "room-$kilobytes.err" "No space left on device"
	[ -e small/trace ] || fail "room-$kilobytes: nothing was traced"
	rm small/filler
	accounted small/trace "room-$kilobytes" 3000000
	[ "$(lost small/trace)" -gt 0 ] || fail "room-$kilobytes: nothing was counted as lost"
	[ "$(lost small/trace write)" -gt "$(lost small/trace pool)" ] ||
		fail "room-$kilobytes: the disk is not what is told of: $(grep lost small/trace.facts)"
	[ "$kilobytes" -lt 3000 ] || [ "$(entries small/trace leaf)" -gt 10000 ] || fail "room-$kilobytes: nearly nothing was stored"
	rm -rf small/trace
done

# Counted: all calls of all threads, or none of them. Their own counters are elsewhere.
program count -ldl
for kilobytes in 0 4 8 12 16 20 24 32 64 128 256; do
	fill "$kilobytes"
	rm -f own.*
	SPOOR_RUNTIME_MODE=count traced "$work/small/trace" timeout 300 ./count threads 20 > count.out 2> count.err ||
		fail "count-$kilobytes: status $?: $(cat count.err)"
	if [ -e small/trace ]; then
		silent count.err
		counts_agree small/trace
	else
		said_once count.err "No space left on device; nothing is traced"
	fi
done
[ -e small/trace ] || fail "count: nothing was counted where there is room"
rm -rf small/trace small/filler

# Given up after two attempts: counted then, and there is room for what comes.
fill 256
(export SPOOR_RUNTIME_MAX_FLUSH_BUFFER_TO_FILE_ATTEMPTS=2; run attempts "$work/small/trace" 30000000)
said_once attempts.err "No space left on device"
rm small/filler
accounted small/trace attempts 30000000
[ "$(lost small/trace write)" -gt 0 ] || fail "attempts: nothing was given up: $(cat small/trace.facts)"
rm -rf small/trace

# No inodes, but room.
mount -o remount,nr_inodes=8 small
touch small/1 small/2 small/3 small/4 small/5 small/6 small/7 2> /dev/null || :
run inodes "$work/small/trace" 100000
said_once inodes.err "No space left on device; nothing is traced"
rm -f small/?
mount -o remount,nr_inodes=1000 small

# A place that is none.
mount -o remount,ro small
run read-only "$work/small/trace" 1000
said_once read-only.err "Read-only file system; nothing is traced"
mount -o remount,rw small
echo precious > file
traced "$work/no-such/folder/trace" ./hello > missing.out 2> missing.err
said_once missing.err "No such file or directory; nothing is traced"
SPOOR_RUNTIME_TRACE_PATH=$work/file LD_PRELOAD=$libspoor ./hello > file.out 2> file.err
said_once file.err "Not a directory; nothing is traced"
equal "the file at the trace's path" "$(cat file)" precious
equal "output" "$(cat missing.out file.out)" "hello
hello"
SPOOR_RUNTIME_TRACE_PATH=$(printf '%5000s' | tr ' ' x) LD_PRELOAD=$libspoor ./hello > long.out 2> long.err
said_once long.err "SPOOR_RUNTIME_TRACE_PATH is longer than"
SPOOR_RUNTIME_TRACE_PATH=/$(printf '%4000s' | tr ' ' x) LD_PRELOAD=$libspoor ./hello > long.out 2> long.err
said_once long.err "File name too long; nothing is traced"

# A working directory that is gone: the relative default has no place.
mkdir gone
(cd gone && rmdir ../gone && LD_PRELOAD=$libspoor ../hello > ../gone.out 2> ../gone.err) || fail "gone: status $?"
said_once gone.err "absolute: No such file or directory; the program runs untraced"
equal "output" "$(cat gone.out)" hello
