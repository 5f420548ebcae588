#!/bin/sh
# SPDX-License-Identifier: MIT
# switching.sh - several threads enable and disable functions at the same time, for seconds, while others run through
# the same sleds: the program does not crash, no result changes, and afterwards enabled functions are counted exactly
# and disabled ones not at all.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

milliseconds=2000
[ -z "${SPOOR_LONG-}" ] || milliseconds=60000
library loaded
for level in -O0 -O2; do
	program switching $level -I"$top_srcdir/libspoor/include" -L. -lloaded -Wl,-rpath,"$work"
	traced switched timeout 300 ./switching $milliseconds > switched.out 2> switched.err ||
		fail "$level: the program ended with status $?: $(cat switched.err)"
	silent switched.err
	facts -n switched
	calls_are switched marked 4000
	calls_are switched unmarked 0
	equal "$level: lost" "$(lost switched)" 0
	[ "$(sed 's/switched //' switched.out)" -gt 1000 ] ||
		fail "$level: functions were rarely enabled and disabled: $(cat switched.out)"
done

# Handlers that replace each other: each is called through the trampolines of its kind.
program handlers -I"$top_srcdir/libspoor/include"
traced handled timeout 300 ./handlers $((milliseconds / 2)) > handlers.out 2> handlers.err ||
	fail "handlers: the program ended with status $?: $(cat handlers.out handlers.err)"
silent handlers.err

# A program that patches itself: its text stays writable, and a page that was read again from its file does not make
# the runtime write half a sled.
program own_text -I"$top_srcdir/libspoor/include"
for way in writes fetches; do
	traced "own.$way" timeout 60 ./own_text $way > own.out 2> own.err ||
		fail "own text, $way: the program ended with status $?: $(cat own.err)"
	silent own.err
	facts "own.$way"
	[ -n "$emulated" ] || [ $way = fetches ] || calls_are "own.$way" leaf 3010
done
[ -n "$emulated" ] || calls_are own.fetches leaf 10

# Calls that are open when their function is disabled end at that moment, and later calls are not below them.
program disabling -I"$top_srcdir/libspoor/include"
traced disabled timeout 60 ./disabling 2> disabling.err ||
	fail "disabling: the program ended with status $?: $(cat disabling.err)"
silent disabling.err
"$spoor" report --format=csv disabled > disabled.csv 2> err ||
	fail "spoor report of disabled functions failed: $(cat err)"
equal "calls of a disabled function" "$(awk -F , '$1 == "lasting" { print $3 }' disabled.csv)" 4
awk -F , '$1 == "lasting" { exit !($7 >= 19000000 && $8 < 400000000) } $1 == "main" { exit !($4 >= 500000000) }' disabled.csv ||
	fail "calls of a disabled function continue: $(cat disabled.csv)"
"$spoor" replay --no-pager disabled > replay 2> err
equal "levels of calls below a disabled function" "$(sed -n '/ still_on() /s/still_on.*//p' replay | tr -d '0-9.a-z' | sort -u | wc -l)" 1
equal "ends of open calls of a disabled function" "$(grep -c 'lasting() .*# still running when recording stopped' replay)" 4
