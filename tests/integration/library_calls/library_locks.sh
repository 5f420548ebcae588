#!/bin/sh
# SPDX-License-Identifier: MIT
# library_locks.sh - a program whose locks are recorded, through jump slots and through call slots, computes the same as
# unrecorded, and the trace has each thread's locks in the order in which the program took and released them.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
source=$victims/library/library_locks.c

# in_order NAME OPTION... - records the victim, and compares the order of its locks.
in_order()
{
	name=$1
	shift
	rm -rf "$name.trace"
	./plain > out || fail "the victim fails without spoor: $?"
	grep '^result' out > wanted
	"./$name" > out || fail "$name fails asleep: $?"
	grep '^result' out | cmp - wanted || fail "$name computes something else asleep: $(grep '^result' out)"
	"$spoor" record -q -o "$name.trace" --args 'pthread_mutex_lock,pthread_mutex_unlock' "$@" "./$name" > out 2> err ||
		fail "$name: status $?: $(cat err)"
	silent err
	grep '^result' out | cmp - wanted || fail "$name computes something else when recorded: $(grep '^result' out)"
	grep -v '^result' out | sort -s -n -k1,1 > printed
	[ "$(wc -l < printed)" = 17000 ] || fail "$name prints $(wc -l < printed) locks"
	"$spoor" replay --no-pager "$name.trace" | sed -n 's/^# thread \([0-9]*\).*/\1/p
		s/.*pthread_mutex_\(u*n*lock\)([a-z_]*=\(0x[0-9a-f]*\)).*/\1 \2/p' |
		awk 'NF == 1 { thread = $1; next } { print thread, $0 }' | sort -s -n -k1,1 > replayed
	cmp printed replayed || fail "$name: the locks have another order: $(diff printed replayed | head -n 5)"
}

build_once cc -w -O1 -o plain "$source" -pthread
build_once cc -w -O1 -o jumps "$source" -pthread
traced_cc -w -O1 '-fspoor-calls=pthread_mutex_*' -o slots "$source" -pthread
in_order jumps --library-calls 'libc.so*:pthread_mutex_*'
in_order slots -m 'libc.so*' -f 'pthread_mutex_*'
