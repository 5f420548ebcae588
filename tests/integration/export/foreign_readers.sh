#!/bin/sh
# SPDX-License-Identifier: MIT
# foreign_readers.sh - what spoor export writes of all events is read by programs that are not ours, and
# is what is in the trace: CTF by babeltrace2, OTF2 by otf2-print, each call, event and loss, with
# names, threads and places in the source; a Firefox profile by its definition here, and by its own
# program where there is one (foreign_readers_long.sh).
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
# Debian's, where there is another one before it.
python=python3
"$python" -c 'import bt2' 2> /dev/null || python=/usr/bin/python3
"$python" -c 'import bt2' 2> /dev/null || skip "apt-get install python3-bt2"
for program in babeltrace2 otf2-print; do
	command -v "$program" > /dev/null || skip "apt-get install babeltrace2 otf2-tools"
done
check="$python $top_srcdir/tests/integration/readers/foreign_readers.py"
otf2=1
if "$spoor" export --format=otf2 -o none nowhere 2>&1 | grep -q 'apt-get install libotf2'; then
	otf2=
	echo "$life_name: built without libotf2: its format is not tested" >&2
fi

# exported TRACE - in the formats, and as the oracle has it.
exported()
{
	"$spoor" export --format=csv -o "$1.csv" "$1"
	"$spoor" report --format=csv "$1" > "$1.report"
	rm -rf "$1.ctf" "$1.otf2"
	"$spoor" export --format=ctf -o "$1.ctf" "$1"
	"$spoor" export --format=firefox -o "$1.firefox" "$1"
	$check ctf "$1.ctf" "$1.csv" "$1.names"
	babeltrace2 "$1.ctf" > "$1.babeltrace" 2> "$1.discarded"
	equal "$1: lines of babeltrace2" "$(grep -vc ' function\(_in_file\)\{0,1\}: ' "$1.babeltrace")" "$(($(wc -l < "$1.csv") - 1))"
	equal "$1: events that babeltrace2 misses" \
		"$(sed -n 's/.*discarded \([0-9]*\) events\{0,1\} .*/\1/p' "$1.discarded" | awk '{ n += $1 } END { print n + 0 }')" \
		"$(awk -F, '$4 == "lost" { n += $8 } END { print n + 0 }' "$1.csv")"
	equal "$1: packets that babeltrace2 misses" \
		"$(sed -n 's/.*discarded \([0-9]*\) packets\{0,1\} .*/\1/p' "$1.discarded" | awk '{ n += $1 } END { print n + 0 }')" \
		"$(awk -F, '$4 == "lost_slices" || $4 == "lost_overwritten" { n += $8 } END { print n + 0 }' "$1.csv")"
	$check firefox "$1.firefox" "$1.report" "$1.csv" "$1.names"
	[ -z "$otf2" ] || {
		"$spoor" export --format=otf2 -o "$1.otf2" "$1"
		otf2-print "$1.otf2/traces.otf2" > "$1.events"
		otf2-print -G "$1.otf2/traces.otf2" > "$1.definitions"
		$check otf2 "$1.events" "$1.definitions" "$1.report" "$1.csv" "$1.names"
	}
}

traced_cxx -I"$top_srcdir/libspoor/include" -o everything "$victims/calls/everything.cc" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
# Where DWARF has each function.
nm -lC everything | sed -n 's/^[0-9a-f]* [TtWw] \(.*\)\t\(.*\):\([0-9]*\)$/\1\t\2\t\3/p' > places
[ "$(wc -l < places)" -ge 8 ] || fail "nm knows of few: $(cat places)"

traced whole ./everything 100
facts whole
equal "whole: lost" "$(lost whole)" 0
cp places whole.names
exported whole

# What only line tables tell.
mkdir undescribed
objcopy -R .spoor_symbols everything undescribed/everything
traced tables ./undescribed/everything 3
facts tables
cp places tables.names
exported tables

traced paused ./everything 100 pauses
cp places paused.names
exported paused
grep -q ',unrecorded,' paused.csv || fail "paused: nothing is said to be unrecorded"

# Losses of each kind, processes, names that are not to be had.
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
: > golden.names
exported golden 2> golden.err
grep -q ',lost,' golden.csv && grep -q ',lost_slices,' golden.csv || fail "golden: nothing is lost"
# Stacks that take turns, frames, calls that were open before.
program switches
traced turns ./switches generators > /dev/null || :	# its status says how far it came
grep -q . turns/*/process.spoor || fail "nothing is recorded of stacks that take turns"
: > turns.names
exported turns

# Counters whose values are negative; calls that are cut; of long calls alone the report's numbers.
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced marked.trace ./marked
: > marked.trace.names
exported marked.trace
"$spoor" export --format=firefox --min-duration 1ms -o longer.firefox marked.trace
"$spoor" report --format=csv --min-duration 1ms marked.trace > longer.report
$check firefox longer.firefox longer.report marked.trace.csv marked.trace.names
[ -z "$otf2" ] || {
	time=$("$spoor" replay --timestamps marked.trace | awk '/ main/ { printf "%dns..%dns", $1 * 1000 + 3e6, $1 * 1000 + 7e6; exit }')
	"$spoor" export --format=otf2 --time "$time" -o cut.otf2 marked.trace
	"$spoor" export --format=csv --time "$time" -o cut.csv marked.trace
	"$spoor" report --format=csv --time "$time" marked.trace > cut.report
	otf2-print cut.otf2/traces.otf2 > cut.events
	otf2-print -G cut.otf2/traces.otf2 > cut.definitions
	$check otf2 cut.events cut.definitions cut.report cut.csv marked.trace.names
	for cut in 'begin.*before' 'end.*behind'; do
		grep -q "\"$cut the time that was exported" cut.events || fail "$time: no call has \"$cut\"s cut"
	done
	# Where no thread has events there is something to open nonetheless.
	SPOOR_RUNTIME_MODE=count traced counted ./marked
	"$spoor" export --format=otf2 -o counted.otf2 counted 2> counted.err
	said_once counted.err 'calls were counted'
	otf2-print counted.otf2/traces.otf2 > counted.events || fail "otf2-print refuses an archive without events"
	equal "locations without events" "$(otf2-print -G counted.otf2/traces.otf2 | grep -c '^LOCATION .*# Events: 0')" 1
}

# Where nothing is to be told no directory is left in the way; one that was there stays.
mkdir ready
for format in ctf spoor ${otf2:+otf2}; do
	for none in "--process 1" "--thread 1"; do
		for place in asked ready; do
			status=0
			# shellcheck disable=SC2086
			"$spoor" export --format=$format $none -o $place whole 2> none.err || status=$?
			equal "$format: the status of $none" "$status" 1
			said_once none.err 'no such \(process\|thread\)'
		done
		[ ! -e asked ] && [ -z "$(ls ready)" ] || fail "$format: $none leaves something behind: $(ls -R ready asked)"
	done
done

# Nothing is replaced, and what is wrong is said.
status=0
"$spoor" export --format=ctf -o whole.ctf whole 2> again.err || status=$?
equal "status where a trace is in the way" "$status" 1
said_once again.err 'whole.ctf: cannot write: File exists'
status=0
"$spoor" export --format=ctf whole > /dev/null 2> usage.err || status=$?
equal "status without -o" "$status" 2
[ -z "$otf2" ] || {
	status=0
	"$spoor" export --format=otf2 -o whole.otf2 whole 2> again.err || status=$?
	equal "status where an archive is in the way" "$status" 1
	said_once again.err 'whole.otf2: cannot write: File exists'
}
status=0
TMPDIR=$work/nowhere "$spoor" export --format=firefox -o f whole 2> tmp.err || status=$?
equal "status without a place for temporary files" "$status" 1
said_once tmp.err 'cannot create a temporary file in TMPDIR or /tmp: No such file or directory'

# A disk that is full, or a file that may not grow: said once, and no more.
for format in ctf firefox ${otf2:+otf2}; do
	status=0
	(trap '' XFSZ && ulimit -f 8 && exec "$spoor" export --format=$format -o full.$format whole) 2> full.err || status=$?
	equal "$format: status where nothing more can be written" "$status" 1
	grep -q "full.$format: cannot write: " full.err || fail "$format: not said: $(cat full.err)"
done
