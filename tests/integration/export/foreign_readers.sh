#!/bin/sh
# SPDX-License-Identifier: MIT
# foreign_readers.sh - other programs read the exports of all events and find the contents of the trace: babeltrace2
# reads CTF and otf2-print reads OTF2, with each call, event and loss, and with names, threads and source places. A
# Firefox profile is read according to its definition here, and by Firefox's own program in foreign_readers_long.sh.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
# Debian's Python, if another one comes first in PATH.
python=python3
"$python" -c 'import bt2' 2> /dev/null || python=/usr/bin/python3
"$python" -c 'import bt2' 2> /dev/null || skip "the Python module bt2 is missing: apt-get install python3-bt2"
for program in babeltrace2 otf2-print; do
	command -v "$program" > /dev/null || skip "$program is missing: apt-get install babeltrace2 otf2-tools"
done
check="$python $top_srcdir/tests/integration/readers/foreign_readers.py"
otf2=1
if "$spoor" export --format=otf2 -o none nowhere 2>&1 | grep -q 'apt-get install libotf2'; then
	otf2=
	echo "$life_name: built without libotf2: its format is not tested" >&2
fi

# exported TRACE - exports to all formats, and to CSV for comparison.
exported()
{
	"$spoor" export --format=csv --flat -o "$1.csv" "$1"
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
# The place of each function according to DWARF.
nm -lC everything | sed -n 's/^[0-9a-f]* [TtWw] \(.*\)\t\(.*\):\([0-9]*\)$/\1\t\2\t\3/p' > places
[ "$(wc -l < places)" -ge 8 ] || fail "nm lists only these places: $(cat places)"

traced whole ./everything 100
facts whole
equal "whole: lost" "$(lost whole)" 0
cp places whole.names
exported whole

# Places that only line tables have.
mkdir undescribed
objcopy -R .spoor_symbols everything undescribed/everything
traced tables ./undescribed/everything 3
facts tables
cp places tables.names
exported tables

traced paused ./everything 100 pauses
cp places paused.names
exported paused
grep -q ',unrecorded,' paused.csv || fail "paused: the CSV export has no unrecorded part"

# All kinds of losses, several processes, and names that are unavailable.
"$top_builddir/tests/golden/make_golden" golden "$top_builddir/tests/golden/libsample.so"
: > golden.names
exported golden 2> golden.err
grep -q ',lost,' golden.csv && grep -q ',lost_slices,' golden.csv || fail "golden: the CSV export has no losses"
# Stacks that take turns, frames, calls that were open before.
program switches
traced turns ./switches generators > /dev/null || :	# the status is the number of steps
grep -q . turns/*/process.spoor || fail "the trace of stacks that take turns is empty"
: > turns.names
exported turns

# Counters with negative values; calls that are cut off; numbers of the report for long calls only.
program marked -I"$top_srcdir/libspoor/include" -L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"
traced marked.trace ./marked
: > marked.trace.names
exported marked.trace
"$spoor" export --format=firefox --min-duration 1ms -o longer.firefox marked.trace
"$spoor" report --format=csv --min-duration 1ms marked.trace > longer.report
$check firefox longer.firefox longer.report marked.trace.csv marked.trace.names
[ -z "$otf2" ] || {
	# From the second call of long_call to the fourth: the length of a call depends on how busy the machine is.
	time=$("$spoor" replay --timestamps marked.trace |
		awk '/ long_call\(.*{$/ && ++calls % 2 == 0 { printf "%s%dns", calls == 4 ? ".." : "", $1 * 1000 } calls == 4 { exit }')
	"$spoor" export --format=otf2 --time "$time" -o cut.otf2 marked.trace
	"$spoor" export --format=csv --flat --time "$time" -o cut.csv marked.trace
	"$spoor" report --format=csv --time "$time" marked.trace > cut.report
	otf2-print cut.otf2/traces.otf2 > cut.events
	otf2-print -G cut.otf2/traces.otf2 > cut.definitions
	$check otf2 cut.events cut.definitions cut.report cut.csv marked.trace.names
	for cut in 'begin.*before' 'end.*after'; do
		grep -q "\"$cut the exported time" cut.events ||
			fail "$time: otf2-print shows no call with \"$cut\""
	done
	# An export without events of threads can still be opened.
	SPOOR_RUNTIME_MODE=count traced counted ./marked
	"$spoor" export --format=otf2 -o counted.otf2 counted 2> counted.err
	said_once counted.err 'omits [0-9]* counted calls'
	otf2-print counted.otf2/traces.otf2 > counted.events || fail "otf2-print rejects an archive without events"
	equal "locations without events" "$(otf2-print -G counted.otf2/traces.otf2 | grep -c '^LOCATION .*# Events: 0')" 1
}

# A failed export leaves no new directory, and keeps an existing one.
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
		[ ! -e asked ] && [ -z "$(ls ready)" ] ||
			fail "$format: a failed export with $none left files: $(ls -R ready asked)"
	done
done

# An export replaces no existing directory, and prints the error.
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

# A full disk, or a limit of the file size: one message.
for format in ctf firefox ${otf2:+otf2}; do
	status=0
	(trap '' XFSZ && ulimit -f 8 && exec "$spoor" export --format=$format -o full.$format whole) 2> full.err || status=$?
	equal "$format: status where nothing more can be written" "$status" 1
	grep -q "full.$format: cannot write: " full.err ||
		fail "$format: the message does not name the file: $(cat full.err)"
done
