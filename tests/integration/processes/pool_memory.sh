#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_memory.sh - the memory of the pool's slices is given back when it was not needed for a while, except for reserved
# slices, which have memory whenever the runtime is on.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program spike -I"$top_srcdir/libspoor/include" -L"${libspoor%/*}" -lspoor -Wl,-rpath,"${libspoor%/*}"

# run NAME WHAT - runs the victim, and sets $1, $2, $3 of `kib` to its numbers.
run()
{
	traced "$1" timeout 120 ./spike "$2" > "$1.out" 2> "$1.err" ||
		fail "$1: the victim ended with status $?: $(cat "$1.err")"
	silent "$1.err"
	first=$(sed -n 1p "$1.out") second=$(sed -n 2p "$1.out") third=$(sed -n 3p "$1.out")
}

# A ring keeps up to 2 MiB of each thread's events until a flush.
SPOOR_RUNTIME_MODE=ring run ring spare
[ "$second" -gt 8192 ] || fail "ring: the burst of events took only $second KiB"
[ "$third" -lt 1024 ] || fail "ring: $third KiB of $second are still in use after the flush"
run log spare
[ "$third" -lt 1024 ] || fail "log: $third KiB of $second are still in use after the flush"
facts -n log
# A thread writes one more event when it ends, which may be lost.
more=$(($(entries log leaf) + $(exits log leaf) + $(lost log) - 3200002))
[ $more -ge 0 ] && [ $more -le 9 ] || fail "log: stored and lost events exceed the events of the calls by $more"

SPOOR_RUNTIME_RESERVED_EVENT_POOL_CAPACITY=2000000 run reserved reserved
[ "$first" -gt 15000 ] || fail "reserved: only $first KiB at the start"
[ "$second" -lt 1024 ] || fail "reserved: $second KiB after the end of the runtime"
[ "$third" -ge $((first - 64)) ] || fail "reserved: $third KiB after the next start instead of $first"

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
