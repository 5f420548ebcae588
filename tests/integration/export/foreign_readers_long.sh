#!/bin/sh
# SPDX-License-Identifier: MIT
# foreign_readers_long.sh - the command-line program of https://profiler.firefox.com reads a profile and finds the
# functions, times, threads and markers of the trace. It comes from npm, with the version of node that it needs.
# Exports of large traces need no more memory than those of small ones.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
check="python3 $top_srcdir/tests/integration/readers/foreign_readers.py"

# peak TRACE FORMAT - prints the peak memory of an export, in KiB.
peak()
{
	rm -rf peak.out
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$spoor" export --format="$2" -o peak.out "$1"
}

traced_cxx -I"$top_srcdir/libspoor/include" -o everything "$victims/calls/everything.cc" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"

# Twenty times as many events, and the same memory.
traced some ./everything 5000
traced many ./everything 100000
for format in ctf firefox otf2; do
	[ $format != otf2 ] || [ -z "$("$spoor" export --format=otf2 -o o nowhere 2>&1 | grep 'apt-get install')" ] || continue
	some=$(peak some $format)
	many=$(peak many $format)
	[ "$many" -lt $((some + 4096)) ] ||
		fail "$format: the export took $some KiB, and $many KiB for twenty times as many events"
done
rm -rf some many peak.out

command -v npm > /dev/null || skip "npm is missing: apt-get install npm"
npm install --prefix npm node@24 @firefox-devtools/profiler-cli@0.10.0 > npm.log 2>&1 ||
	skip "npm cannot install the profiler: $(tail -n 3 npm.log)"
node=npm/node_modules/node/bin/node
"$node" --version > node.version 2>&1 || skip "npm installed no working node: $(cat node.version)"

cli=npm/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js

# The path of a socket has at most 108 bytes.
PROFILER_CLI_SESSION_DIR=$(mktemp -d)
export PROFILER_CLI_SESSION_DIR
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; rm -rf "$PROFILER_CLI_SESSION_DIR"' EXIT
profiler()
{
	timeout 300 "$node" $cli "$@"
}

# read_by_firefox TRACE - compares the functions and markers of each thread. Functions are shown for threads with
# calls, and markers are counted in all threads.
read_by_firefox()
{
	"$spoor" export --format=csv --flat -o "$1.csv" "$1"
	"$spoor" report --format=csv "$1" > "$1.report"
	"$spoor" export --format=firefox -o "$1.json" "$1"
	# The command "load" waits only half a second for the start, which is too short on a busy machine.
	"$node" $cli --daemon "$work/$1.json" --session "$1" > "$1.daemon" 2>&1 &
	daemon=$!
	for attempt in $(seq 120); do
		# A request during the start finds no server and removes its files.
		grep -q 'Profile loaded' "$PROFILER_CLI_SESSION_DIR/$1.log" 2> /dev/null &&
			profiler status --session "$1" > "$1.status" 2>&1 && break
		[ "$attempt" != 120 ] ||
			fail "$1: the profiler did not start:" \
				"$(cat "$1.daemon" "$1.status" "$PROFILER_CLI_SESSION_DIR/$1.log")"
		sleep 1
	done
	profiler thread list --session "$1" --limit 1000 --json > "$1.threads"
	: > "$1.functions"
	: > "$1.markers"
	for thread in $(sed -n 's/.*"threadHandle": "\(t-[0-9]*\)".*/\1/p' "$1.threads"); do
		profiler thread functions --session "$1" --thread "$thread" --limit 100000 --json | tr -d '\n' >> "$1.functions"
		echo >> "$1.functions"
		profiler thread markers --session "$1" --thread "$thread" --limit 1000000 --list --json | tr -d '\n' >> "$1.markers"
		echo >> "$1.markers"
	done
	profiler stop "$1" > /dev/null
	wait "$daemon"
	daemon=
	$check profiler "$1.functions" "$1.markers" "$1.report" "$1.csv"
	# Returns of calls that were entered before a pause are markers too.
	equal "$1: markers" "$(sed -n 's/.*"markerCount": \([0-9]*\),$/\1/p' "$1.threads" | awk '{ n += $1 } END { print n + 0 }')" \
		"$(($(awk -F, '$4 == "user" || $4 == "unrecorded" { n++ } END { print n + 0 }' "$1.csv") +
			$(grep -o '"type":"return"' "$1.json" | wc -l)))"
}

for steps in 100 2000; do
	traced t$steps ./everything $steps pauses
	read_by_firefox t$steps
	for name in 'first, \\"one\\"' second third; do
		grep -q "\"$name\"" t$steps.threads || fail "the profile has no thread $name: $(cat t$steps.threads)"
	done
done
