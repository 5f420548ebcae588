#!/bin/sh
# SPDX-License-Identifier: MIT
# durations.sh - every tool shows the times of a program that sleeps and spins by the program's own clock. Each event
# lies between the two readings that the program took around it, to within a microsecond and the cost of an event.
# Self times add up to total times. protoc, babeltrace2 and otf2-print read the formats, or readers that follow their
# definitions.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
python=python3
"$python" -c 'import bt2' 2> /dev/null || python=/usr/bin/python3
"$python" -c 'import bt2' 2> /dev/null || skip "the Python module bt2 is missing: apt-get install python3-bt2"
rounds=20
[ -z "${SPOOR_LONG-}" ] || rounds=1000
program durations

# decoded NAME - prints a message of this schema as text.
decoded()
{
	protoc --proto_path="$top_srcdir/tests/golden" --decode="spoor.$1" "$top_srcdir/tests/golden/$2.proto"
}

# agrees NAME - records with the service thread or a recorder, and compares the times.
agrees()
{
	traced "$1" ./durations $rounds > "$1.readings" 2> "$1.err" ||
		fail "$1: the program ended with status $?: $(cat "$1.err")"
	facts "$1"
	equal "$1: lost" "$(lost "$1")" 0
	mkdir "$1.shown"
	for format in csv json; do
		"$spoor" export --format=$format --flat -o "$1.shown/events.$format" "$1"
	done
	for format in chrome speedscope firefox; do
		"$spoor" export --format=$format -o "$1.shown/$format.json" "$1"
	done
	"$spoor" export --format=perfetto "$1" | decoded perfetto.Trace perfetto > "$1.shown/perfetto.txt"
	"$spoor" export --format=pprof "$1" | decoded pprof.Profile profile > "$1.shown/pprof.txt"
	"$spoor" export --format=rowbinary -o "$1.shown/rows" "$1"
	"$spoor" export --format=callgrind -o "$1.shown/callgrind" "$1"
	"$spoor" export --format=ctf -o "$1.shown/ctf" "$1"
	if "$spoor" export --format=otf2 -o "$1.shown/otf2" "$1" 2> otf2.err; then
		otf2-print "$1.shown/otf2/traces.otf2" > "$1.shown/otf2.events"
		otf2-print -G "$1.shown/otf2/traces.otf2" > "$1.shown/otf2.definitions"
	else
		grep -q 'apt-get install libotf2' otf2.err ||
			fail "the OTF2 export failed for another reason than a missing library: $(cat otf2.err)"
	fi
	"$spoor" view -o "$1.shown/view.html" "$1"
	"$spoor" flame --format=folded -o "$1.shown/flame.folded" "$1"
	"$spoor" report --format=csv "$1" > "$1.shown/report.csv"
	"$spoor" report --format=json "$1" > "$1.shown/report.json"
	"$spoor" report "$1" > "$1.shown/report.txt"
	"$spoor" graph "$1" > "$1.shown/graph.txt"
	"$spoor" graph --format=dot "$1" > "$1.shown/graph.dot"
	"$spoor" replay --timestamps "$1" > "$1.shown/replay.txt"
	"$spoor" replay --slowest 5 --function sleeps "$1" > "$1.shown/slowest.txt"
	"$python" "$top_srcdir/tests/integration/readers/durations.py" "$1.readings" "$1.shown" "$top_srcdir/tools/export/clickhouse/create.sql" \
		"$("$spoor" info "$1" | sed -n 's/^  event cost  *\([0-9.]*\) ns.*/\1/p')" > "$1.out" ||
			fail "$1: durations.py found differences: $(cat "$1.out")"
	cat "$1.out"
}

for LIFE_RECORD in "" 1; do
	agrees durations.trace$LIFE_RECORD
done
