#!/bin/sh
# SPDX-License-Identifier: MIT
# library_storm.sh - library calls are counted exactly, and the program is unharmed, while libraries come and go, threads
# begin and end, signals arrive, children are forked, and the process is killed.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
sources=$victims/library
loads=200 threads=200 signals=300000 forks=50
[ -z "${SPOOR_LONG:-}" ] || loads=10000 threads=1000 signals=30000000 forks=1000

cc -w -O1 -o storm "$sources/library_storm.c" -pthread
cc -w -O1 -shared -fPIC -o plugin.so "$sources/library_plugin.c" -lz
cc -w -O1 -shared -fPIC -Wl,-z,now -o plugin_now.so "$sources/library_plugin.c" -lz

# records NAME ARGUMENT... - runs the victim with all library calls recorded.
records()
{
	records_name=$1
	shift
	"$spoor" record -q -o "$records_name" --library-calls '*' ${values:+--args '*' --retval '*'} ./storm "$@" > out 2> err ||
		fail "$records_name fails: $(cat err)"
	[ -z "$values" ] || "$reader" info "$records_name" | grep -q ' strtoul\{0,1\} libc.so.6  arguments and result' ||
		fail "$records_name has no values: $("$reader" info "$records_name")"
	"$reader" report --no-pager --no-demangle --format csv --columns function,calls "$records_name" | tr -d '"\r' > counts
}

# counts COUNT FUNCTION - tests a number of calls.
counts()
{
	grep -qx "$2,$1" counts || fail "$records_name: $2 has not $1 calls: $(cat counts err)"
}

# All of it without and with values.
for values in '' all; do
	for plugin in plugin plugin_now; do
		records "$plugin" loads $loads "$PWD/$plugin.so"
		counts $loads dlopen
		counts $loads dlclose
		counts $loads dlsym
		counts $loads crc32
		counts $loads strtol
	done

	records threads threads $threads
	counts $threads pthread_create
	counts $threads pthread_join
	counts $((threads * 10)) strtoul
	counts $((threads / 2)) pthread_exit

	# If the writer gets too little of a processor, events are lost and counted; then a shorter run follows.
	for try in 1 2 3 4 5; do
		records signals signals $signals
		grep -q ' [1-9][0-9]* lost' err || break
		signals=$((signals / 2))
	done
	counts $signals strtod
	counts "$(cat out)" strtoul

	records forks forks $forks
	counts $forks fork
	counts $forks waitpid
	counts $forks strtoul
	counts $forks _exit
done

# kill -9: all whole calls are in the trace.
rm -f out
"$spoor" record -q -o killed --library-calls 'libc*' --mode ring ./storm forever > out 2> err &
recorder=$!
awaited "the victim's pool" test -e killed
awaited "the victim" grep -q running out
kill -9 "$(pgrep -P $recorder -x storm)"
wait $recorder || :
"$reader" report --no-pager --format csv --columns function,calls killed > counts
grep -q strtoul counts || fail "a killed program has no calls: $(cat counts err)"
