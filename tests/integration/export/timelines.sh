#!/bin/sh
# SPDX-License-Identifier: MIT
# timelines.sh - a timeline for Perfetto, decoded by protoc with a schema that has each field, and one for Chrome's
# viewers agree with each other, and with the report, the events and the symbols. Several traces form one timeline, of
# one machine or several, in which processes stay distinct.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
check="python3 $top_srcdir/tests/integration/readers/timelines.py"
demo=$top_srcdir/tests/programs/demo
mkdir data traced
cp "$top_srcdir"/libspoor/base/permanent.h data

# perfetto NAME ARGUMENT... - exports, and decodes the export.
perfetto()
{
	name=$1
	shift
	"$spoor" export --format=perfetto -o "$name.perfetto" "$@"
	protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.perfetto.Trace \
		"$top_srcdir/tests/golden/perfetto.proto" < "$name.perfetto" > "$name.txt"
}

# Two runs of one session.
make -s --no-print-directory -C "$demo" srcdir=. O="$work/traced" CC="$SPOOR_DRIVERS/spoor-cc" \
	CXX="$SPOOR_DRIVERS/spoor-c++" CFLAGS='-O2 -g'
export SPOOR_RUNTIME_SESSION_ID=4711
for run in one two; do
	"$spoor" record -q -o $run -- traced/demo data > out
	perfetto $run $run 2> $run.err
	silent $run.err
done
unset SPOOR_RUNTIME_SESSION_ID
"$spoor" report --format=csv one > one.csv
"$spoor" export --format=chrome -o one.json one
"$spoor" symbols --format=json traced/demo traced/*.so > symbols.json
$check same one.txt one.json
$check report one.txt one.csv
$check places one.txt symbols.json
perfetto both one two 2> both.err
silent both.err
$check union both.txt one.txt two.txt
"$spoor" report --format=csv one two > both.csv
$check report both.txt both.csv
for command in replay flame graph; do
	"$spoor" $command one two > $command.out 2> $command.err ||
		fail "spoor $command of two traces failed: $(cat $command.err)"
done
equal "processes that replay shows" "$(grep -c '^# process' replay.out)" 2
# A copy of a trace is not another run.
cp -r one copy
"$spoor" report --format=csv one copy > copy.csv 2> copy.err
cmp one.csv copy.csv
said_once copy.err 'duplicate argument: the trace is read once'

# Nor is a copy of a single process, whatever its folder is called.
cp -r one/[0-9]* renamed
"$spoor" report --format=csv one renamed > copy.csv 2> copy.err
cmp one.csv copy.csv
said_once copy.err 'renamed: duplicate argument: the trace is read once'

# A trace of another session gives a note; a path that is no trace does not affect the others.
"$spoor" record -q -o other -- traced/demo data > out
perfetto noted one other 2> noted.err
said_once noted.err 'different sessions'
status=0
"$spoor" export --format=perfetto -o part.perfetto one none two 2> part.err || status=$?
equal "status where one is no trace" "$status" 1
said_once part.err 'none: no such trace'
cmp part.perfetto both.perfetto

# Machines with equal process IDs, with losses, counters and all kinds of events.
"$top_builddir/tests/integration/support/make_machines" . "$top_builddir/tests/golden/libsample.so"
perfetto machines first second 2> machines.err
silent machines.err
"$spoor" export --format=chrome -o machines.json first second
"$spoor" export --format=csv --flat -o machines.csv first second
"$spoor" report --format=csv first second > report.csv
$check same machines.txt machines.json
$check events machines.txt machines.csv
$check report machines.txt report.csv
$check clocks machines.txt 5000000
equal "machines" "$(grep -c 'process_labels: "host \(one\|two\)"' machines.txt)" 2
grep -q 'process_labels: "process 4711 there"' machines.txt ||
	fail "the second machine's process is not labelled with its number: $(grep process_labels machines.txt)"
# The library of the second machine is missing here, and has the names of the first machine's library, which is the
# same build.
"$spoor" report --format=csv --process 4199015 first second > second.csv
equal "calls of the second machine" "$(sed -n 's/^"*local_function"*,[^,]*,\([0-9]*\),.*/\1/p' second.csv)" 60
"$spoor" report --format=csv --process 4711 first second | cmp - report.csv
