#!/bin/sh
# SPDX-License-Identifier: MIT
# own_malloc.sh - malloc and free of the program are traced, including the allocations of libc and the loader: the
# program neither hangs nor crashes, behaves the same, and the trace has each of its threads. The first event may come
# while malloc's lock is held.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

library own_malloc -fno-builtin -ftls-model=initial-exec
library loaded
traced_cxx -o allocates "$victims/modules/allocates.cc" -pthread
traced_cxx -o allocates-linked "$victims/modules/allocates.cc" -pthread -L. -lown_malloc -Wl,-rpath,"$work"
LD_PRELOAD=$work/libown_malloc.so ./allocates "$work/libloaded.so" > untraced.out

run()
{
	timeout 120 env SPOOR_RUNTIME_TRACE_PATH="$work/$1" LD_PRELOAD="$2" "$3" "$work/libloaded.so" \
		> "$1.out" 2> "$1.err" || fail "$1: the program ended with status $?: $(cat "$1.err")"
	silent "$1.err"
	cmp untraced.out "$1.out"
	# libstdc++ has no sleds, so exceptions that it catches leave functions open.
	facts -n "$1"
	[ "$(entries "$1" malloc)" -gt 30000 ] || fail "$1: the trace has only $(entries "$1" malloc) calls of malloc"
	equal "$1: calls of the threads' function" "$(entries "$1" _ZL4worki)" 324
	# A thread whose last block libc frees after the last destructor is still one thread.
	equal "$1: threads" "$(awk -F'\t' '$1 == "thread" { print $2, $4 }' "$1.facts" | sort -u | wc -l)" 325
	equal "$1: kernel's threads" "$(awk -F'\t' '$1 == "thread" { print $2, $3 }' "$1.facts" | sort -u | wc -l)" 325
	# In a child, allocations of the runtime while it starts the trace are counted as lost, not stored.
	equal "$1: lost in threads" "$(($(lost "$1") - $(lost "$1" thread)))" 0
	equal "$1: processes" "$(count "$1" process)" 5
}

run after "$libspoor:$work/libown_malloc.so" ./allocates
run before "$work/libown_malloc.so:$libspoor" ./allocates
run linked "$libspoor" ./allocates-linked

# Slices of ended threads are reused: a pool of 256 slices suffices for 2,000 threads; under an emulator, which slows
# the drainer down, four times as many.
program threads
# If the drainer gets no processor, events are lost and counted; then the run is repeated.
for try in 1 2 3; do
	rm -rf short
	timeout 120 env SPOOR_RUNTIME_TRACE_PATH=short SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=$((${emulated:+4 *} 1048576)) \
		LD_PRELOAD="$libspoor:$work/libown_malloc.so" ./threads short 2000 > short.out 2> short.err
	silent short.err
	facts -n short
	[ $((8000 - $(entries short leaf))) -le "$(lost short)" ] ||
		fail "short: the trace has $(entries short leaf) calls of leaf and $(lost short) lost events, which" \
			"do not add up to 8000"
	[ "$(lost short)" != 0 ] || break
done
calls_are short leaf 8000
equal "short: lost" "$(lost short)" 0
equal "short: threads" "$(count short thread)" 2001

# The first event needs malloc, which waits until the lock is free: no event is lost, although the pool holds only a
# part of them. If the lock is never free, the program does not wait, and lost events are counted. An emulator cannot
# copy a process to try this.
[ -z "$emulated" ] || exit 0
build_once "$clang" -O2 -Wall -Wextra -I"$top_srcdir/libspoor/include" -o logs_in_malloc "$victims/modules/logs_in_malloc.c" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
for lock in free taken; do
	timeout -s KILL 60 env SPOOR_RUNTIME_TRACE_PATH=$lock SPOOR_RUNTIME_DYNAMIC_EVENT_POOL_CAPACITY=262144 \
		./logs_in_malloc $lock > $lock.out 2> $lock.err ||
			fail "malloc's lock is $lock: the program ended with status $?: $(cat $lock.err)"
	silent $lock.err
	facts $lock
	stored=$(awk -F'\t' '$1 == "user" && $4 == 2147483904' $lock.facts | wc -l)
	equal "malloc's lock is $lock: stored and lost" "$((stored + $(lost $lock)))" "$(cat $lock.out)"
	[ $lock = taken ] || equal "malloc's lock is $lock: lost" "$(lost $lock)" 0
	[ $lock = free ] || [ "$(lost $lock)" -gt 1000 ] ||
		fail "the pool holds all events, so the test proves nothing"
done
