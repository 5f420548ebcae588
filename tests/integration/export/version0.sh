#!/bin/sh
# SPDX-License-Identifier: MIT
# version0.sh - exports in Spoor's format have exactly its bytes: a decoder that was written from the format's table,
# with its own Snappy, finds the events of the trace. Every tool reads files that Spoor might have written. Damaged
# files, and files of other machines and versions, give one clear message each.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
decode=$top_srcdir/tests/integration/readers/version0.py

program recorded
build_once "$clang" -O2 -Wall -Wextra -I"$top_srcdir/libspoor/include" -o api "$victims/tracepoints/api.c" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"

# The same events from the tools' CSV, of each thread in order: time, process, thread, type, payloads. A tail call is
# an exit; Spoor's format has no events of frames.
events_of()
{
	"$spoor" export --format=csv --flat "$1" | python3 -c '
import csv, sys
rows = csv.reader(sys.stdin)
at = {name: position for position, name in enumerate(next(rows))}
time, process, thread, event, function, kind, one, two = (at[name] for name in (
    "time_ns", "process", "thread", "event", "function_id", "type", "payload_1", "payload_2"))
calls = {"entry": 1, "exit": 2, "tail_exit": 2}
for row in rows:
    if row[event] in calls:
        print(row[time], row[process], row[thread], calls[row[event]], int(row[function], 16), 0)
    elif row[event] == "user":
        print(row[time], row[process], row[thread], row[kind], row[one], row[two])' |
		sort -s -n -k2,2 -k3,3
}

"$spoor" record -q -o calls -- ./recorded many 3000
"$spoor" record -q -o names -- ./api names > names.times
"$spoor" record -q -o storm -- ./api storm 4 1000 > storm.handled
# Several files of one thread.
"$spoor" record -q -o long -- ./recorded many 40000
for trace in calls names storm long; do
	events_of $trace > $trace.wanted
	[ -s $trace.wanted ] || fail "$trace has no events"
	compressions="none snappy"
	[ $trace != long ] || compressions=none
	for compression in $compressions; do
		"$spoor" export --format=spoor --compression=$compression -o $trace.$compression $trace
		python3 "$decode" decode $trace.$compression > $trace.got
		diff $trace.wanted $trace.got > differ ||
			fail "$trace, $compression: the decoder finds other events (>): $(head -n 5 differ)"
		events_of $trace.$compression | diff $trace.wanted - > differ ||
			fail "$trace, $compression: spoor reads other events back (>): $(head -n 5 differ)"
		equal "rights" "$(stat -c %a $trace.$compression/* | sort -u)" 600
	done
	"$spoor" export --format=spoor --compression=$compression -o $trace.again $trace.$compression
	for file in $trace.$compression/*; do
		cmp "$file" "$trace.again/${file##*/}" ||
			fail "$trace: exporting the export again gives other bytes (see above)"
	done
done
[ "$(ls long.none | wc -l)" -ge 2 ] || fail "a thread with more events than a file holds has only one file"
[ "$(du -s calls.snappy | cut -f1)" -lt "$(du -s calls.none | cut -f1)" ] ||
	fail "Snappy does not make the export smaller: $(du -s calls.snappy calls.none)"

# Every tool, with a directory and with a single file. Functions, which have no names in Spoor's format, are shown by
# number.
file=$(ls calls.snappy/*)
for from in calls.snappy "$file"; do
	"$spoor" info "$from" | grep -q 'version 0' ||
		fail "spoor info $from does not show version 0: $("$spoor" info "$from")"
	"$spoor" info "$from" | grep -q '6,\?00[0-9] in ' ||
		fail "spoor info $from shows other numbers: $("$spoor" info "$from")"
	equal "report of $from" "$("$spoor" report --format=csv "$from" | awk -F, '{ n += $3 } END { print n }')" \
		"$("$spoor" report --format=csv calls | awk -F, '{ n += $3 } END { print n }')"
	equal "replay of $from" "$("$spoor" replay "$from" | grep -c ';')" "$("$spoor" replay calls | grep -c ';')"
	"$spoor" export --format=chrome "$from" | python3 -m json.tool > json ||
		fail "the Chrome export of $from is not valid JSON"
	"$spoor" export --format=perfetto -o perfetto "$from" && protoc --decode_raw < perfetto > /dev/null ||
		fail "the Perfetto export of $from is not valid"
done

# The tools say once how to get names, and that the cost of events is unknown.
"$spoor" report calls.snappy > unnamed
grep -q '^# .* functions have no name: a file of symbols may have them (--symbols)$' unnamed ||
	fail "spoor report does not advise --symbols: $(cat unnamed)"
status=0
"$spoor" report --compensate calls.snappy > unnamed 2> cost.err || status=$?
equal "status without a measured cost" $status 1
said_once cost.err 'does not contain the cost of an event'

# With a symbols file the functions have the names, libraries and places of the trace; linkage names are those of nm.
"$spoor" export --format=symbols -o calls.symbols calls
for way in '' --no-demangle; do
	"$spoor" report --format=csv $way calls > named.wanted
	"$spoor" report --format=csv $way --symbols calls.symbols calls.snappy | diff named.wanted - > differ ||
		fail "the report with symbols differs (>): $(head -n 5 differ)"
done
nm recorded | sed -n 's/.* [tT] //p' | sort > nm.names
protoc --proto_path="$top_srcdir/libspoor/format" --decode=spoor.Symbols symbols.proto < calls.symbols |
	sed -n 's/^ *linkage_name: "\(.*\)"/\1/p' | sort > symbols.names
cut -d, -f1 named.wanted | sed 1d | sort | diff - symbols.names ||
	fail "the symbols file (>) has other functions than the report (<) (see above)"
comm -23 symbols.names nm.names | grep . && fail "the symbols file has names that the program does not have (see" \
	"above)"
for traced in calls long; do
	"$spoor" export --format=symbols -o $traced.one $traced
	"$spoor" export --format=symbols -o $traced.two --symbols $traced.one $traced.none
	"$spoor" symbols --format=csv $traced.one | cut -d, -f1-6 > one.listed
	"$spoor" symbols --format=csv $traced.two | cut -d, -f1-6 | diff one.listed - ||
		fail "the symbols of a symbols file differ (see above)"
done
status=0
"$spoor" report --symbols calls.snappy calls.snappy 2> wrong.err || status=$?
equal "status of a symbols file that is none" $status 2
said_once wrong.err '--symbols: calls.snappy'

# Recorded directly in this format.
"$spoor" record -o at_once --format=spoor -- ./recorded many 3000 2> at_once.err
[ -z "$(ls at_once | grep -v '\.spoor_trace$')" ] ||
	fail "spoor record --format=spoor leaves other files: $(ls at_once)"
python3 "$decode" decode at_once > at_once.got
equal "recorded at once" "$(cut -d' ' -f4,5 at_once.got | sort | uniq -c)" "$(cut -d' ' -f4,5 calls.wanted | sort | uniq -c)"
"$spoor" record -q -o at_once --format=spoor -- ./recorded many 10 2> again.err
grep -q 'renamed to at_once.old' again.err || fail "the older trace was not renamed: $(cat again.err)"

# Spoor's format has no counts: these stay in the trace, without a message if the trace has only counts.
cat > both.c <<'SOURCE'
int spoor_mode_set(const char *) __attribute__((weak, no_instrument_function));
__attribute__((noinline)) void logged(void) { __asm__ volatile(""); }
__attribute__((noinline)) void counted(void) { __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 10; i++)
		logged();
	spoor_mode_set("count");
	for (int i = 0; i < 20; i++)
		counted();
	return 0;
}
SOURCE
traced_cc -o both both.c
"$spoor" record -q -o both.trace --format spoor -- ./both 2> both.err
"$spoor" report --format=csv both.trace > both.csv 2> both.err || :
equal "calls that were logged, and counted" "$(sed 1d both.csv | cut -d, -f 3 | sort -n | tr '\n' ' ')" '1 10 20 '
equal "calls in mode count" "$(grep -c '^counted,both,20,' both.csv)" 1
"$spoor" record -q -o nothing --format spoor --max-size 1 -- ./recorded many 10 2> nothing.err
"$spoor" info nothing > nothing.info
grep -q '[1-9]  beyond --max-size' nothing.info ||
	fail "spoor info does not show the losses: $(cat nothing.err nothing.info)"
for mode in count order; do
	status=0
	"$spoor" record -o refused --format spoor --mode $mode -- ./both 2> refused.err || status=$?
	equal "status of --format spoor --mode $mode" $status 2
	grep -q -e "--format spoor needs events, and mode '$mode' stores none" refused.err ||
		fail "--format spoor --mode $mode: the message does not name the mode: $(cat refused.err)"
done

# Files that an independent encoder wrote: other numbers than spoor's, several files of a thread and of other
# processes, a user event out of order.
python3 "$decode" write written
events_of written > written.got
sort -s -n -k2,2 -k3,3 written.wanted | diff - written.got ||
	fail "files of the independent encoder are read differently (see above)"

# Invalid files. Each gives one message and status 1, and the valid files are read.
# wrong NAME TEXT - checks the message of this file.
wrong()
{
	status=0
	"$spoor" report --format=csv "wrong/$1" > wrong.out 2> wrong.err || status=$?
	equal "$1: status" $status 1
	said_once wrong.err "$2"
}
mkdir wrong
python3 "$decode" break "$(ls calls.none/*)" "$file" wrong
wrong cut_header.spoor_trace 'cut off in its header'
wrong empty.spoor_trace 'cut off in its header'
wrong magic.spoor_trace 'lacks the first bytes of a trace'
wrong big_endian.spoor_trace 'big-endian'
wrong byte_order.spoor_trace 'byte order'
wrong newer.spoor_trace 'has an unknown version'
wrong version1.spoor_trace 'not a trace, but a part of one'
wrong compression.spoor_trace 'has an unknown compression'
wrong negative.spoor_trace 'negative'
wrong cut_events.spoor_trace 'its last events are missing'
wrong more_bytes.spoor_trace 'more bytes than its number of events needs'
wrong cut_snappy.spoor_trace 'cannot be decompressed'
wrong flipped_snappy.spoor_trace 'is damaged'
wrong count_snappy.spoor_trace 'header has another number of compressed events'
wrong bomb.spoor_trace 'is damaged'
wrong time.spoor_trace 'have an unknown kind'
"$spoor" report --format=csv wrong/cut_events.spoor_trace 2> wrong.err | awk -F, '{ n += $3 } END { exit n > 2900 ? 0 : 1 }' ||
	fail "the rest of a file that is cut off was not read: $(cat wrong.err)"
cp "$file" wrong/good.spoor_trace
status=0
"$spoor" report --format=csv wrong > wrong.out 2> wrong.err || status=$?
equal "status of all" $status 1
awk -F, '$3 >= 3000' wrong.out | grep -q . || fail "a valid file among damaged ones was not read: $(cat wrong.out)"
status=0
"$spoor" export --format=spoor calls 2> wrong.err || status=$?
equal "status without a directory" $status 2
status=0
"$spoor" export --format=csv --flat --compression=none calls 2> wrong.err || status=$?
equal "status of --compression elsewhere" $status 2
