#!/bin/sh
# SPDX-License-Identifier: MIT
# reload.sh - two threads open and close traced libraries in a loop, while others run in a library whose functions are
# enabled and disabled all the time: the program does not crash, every call has its own name no matter which library
# had the address before, and memory does not grow.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

cycles=300
# An emulator translates a library again each time it is loaded.
[ -z "${SPOOR_LONG-}" ] || cycles=$((${emulated:-0} ? 1000 : 10000))
library loaded
for name in red blue; do
	traced_cc -fPIC -shared -DNAME=$name -o lib$name.so "$victims/modules/loaded.c"
done
program reload -I"$top_srcdir/libspoor/include" -L. -lloaded -Wl,-rpath,"$work"

run()
{
	traced "$1" timeout 600 ./reload $cycles > "$1.out" 2> "$1.err" ||
		fail "$1: the program ended with status $?: $(cat "$1.err")"
	silent "$1.err"
	facts -n "$1"
	calls_are "$1" red_value $((3 * (cycles - (cycles + 1) / 3 + 1000)))
	calls_are "$1" red_calls $((cycles - (cycles + 1) / 3 + 1000))
	calls_are "$1" blue_value $((3 * (cycles - (cycles + 2) / 3 + 100)))
	equal "$1: entries and exits of leaf" "$(entries "$1" leaf)" "$(exits "$1" leaf)"
	equal "$1: lost" "$(lost "$1")" 0
	equal "$1: modules" "$(count "$1" module)" 4
	equal "$1: the report" "$(reported "$1" red_value)" "$(entries "$1" red_value)"
	grew=$(sed -n 's/^grew //p' "$1.out")
	[ "$grew" -lt 3000 ] || [ -n "$emulated" ] || fail "$1: memory grew by $grew KiB"
	# Under an emulator most of them come from threads that load at the same time.
	least=100
	[ -z "$emulated" ] || least=20
	[ "$(sed -n 's/^same //p' "$1.out")" -gt $least ] ||
		fail "$1: libraries rarely got the same address again: $(cat "$1.out")"
	[ "$(sed -n 's/^other //p' "$1.out")" -gt 10 ] || [ -n "$emulated" ] ||
		fail "$1: libraries rarely got the address of the other one: $(cat "$1.out")"
	[ "$(sed -n 's/^changed //p' "$1.out")" -gt 100 ] ||
		fail "$1: functions were rarely enabled and disabled: $(cat "$1.out")"
}

run runs

# The process ends while libraries are loaded and unloaded.
for milliseconds in 1 2 3 5 8 13 21 34 55 89; do
	status=0
	traced ends timeout 60 ./reload 1000000 $milliseconds > ends.out 2> ends.err || status=$?
	equal "ends after $milliseconds ms: status" "$status" 5
	silent ends.err
	facts -n ends
done
./reload 30 > dormant.out || fail "the program without libspoor.so ended with status $?"

# The same with a recorder.
[ -n "${LIFE_RECORD-}" ] || LIFE_RECORD=1 "$life_script"
