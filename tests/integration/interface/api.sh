#!/bin/sh
# SPDX-License-Identifier: MIT
# api.sh - events that a program logs through spoor.h, from many threads and from signal handlers, are in the trace
# with all payloads and in every export; names and strings too, even in forked children. A flush writes all stored
# events to the disk. A clear drops unwritten events and counts them. Repeated initialise and deinitialise free their
# memory. Both with the service thread and with spoor record. The short form under an emulator initialises 6 times
# instead of 20.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
turns=20
[ -z "$emulated" ] || [ -n "${SPOOR_LONG-}" ] || turns=6

build_once "$clang" -O2 -g -Wall -Wextra -I"$top_srcdir/libspoor/include" -o api "$victims/tracepoints/api.c" -pthread \
	-L"$top_builddir/libspoor/.libs" -lspoor -Wl,-rpath,"$top_builddir/libspoor/.libs"

# run TRACE ARGUMENT... - runs the program, which must succeed without messages.
run()
{
	run_to=$1
	shift
	traced "$run_to" ./api "$@" > "$run_to.out" 2> "$run_to.err" || fail "api $* failed: $(cat "$run_to.err")"
	silent "$run_to.err"
}

# all_there TRACE THREADS COUNT [FIRST] - checks that the trace has each thread's events from FIRST on, once, with
# their payloads. The facts come from trace_facts, which shares only the format with the tools.
all_there()
{
	awk -F'\t' -v threads="$2" -v count="$3" -v first="${4-0}" '
		$1 == "user" && $4 >= 2147483904 && $4 < 2147484160 {
			i = 4294967295 - $6
			if (i >= first && i < first + count && !(($4, i) in seen)) n++
			seen[$4, i] = 1
			all++
		}
		END { exit n == threads * count && (all == n || first) ? 0 : 1 }' "$1.facts" ||
		fail "$1: events of $2 threads with $3 events each are missing or duplicate: $(count "$1" user)" \
			"user events"
}

# Payload 1 needs 64 bits, more than awk has.
payloads_right()
{
	python3 - "$1.facts" << 'END' || fail "$1: payloads differ from the logged ones (see the line above)"
import sys
for line in open(sys.argv[1]):
    field = line.rstrip("\n").split("\t")
    if field[0] == "user" and 0x80000100 <= int(field[3]) < 0x80000200:
        i = 0xffffffff - int(field[5])
        assert int(field[4]) == 0xffffffffffffffff - (i << 32 | int(field[3]) - 0x80000100), line
END
}

# their_own TRACE - checks that each event belongs to the thread that logged it, no matter which thread flushed it.
their_own()
{
	awk -F'\t' '$1 == "user" { print $4 - 2147483904, $3 }' "$1.facts" | sort -u > "$1.threads"
	sort -u "$1.out" | cmp -s - "$1.threads" ||
		fail "$1: the threads' IDs in the program (<) and in the trace (>) differ:" \
			"$(sort "$1.out" | diff - "$1.threads")"
}

for drainer in thread recorder; do
	[ $drainer = thread ] || LIFE_RECORD=1
	run storm storm 8 40000
	facts storm
	handled=$(cat storm.out)
	[ "$handled" -gt 20 ] || fail "storm: only $handled signals arrived"
	all_there storm 8 40000
	payloads_right storm
	equal "handlers' events" "$(awk -F'\t' '$1 == "user" && $4 == 2147484160 && $5 == $6 && !s[$5]++' storm.facts | wc -l)" "$handled"
	equal "lost" "$(lost storm)" 0
	equal "user events in the CSV" "$("$reader" export --format=csv --flat storm | awk -F, '$4 == "user"' | wc -l)" $((320000 + handled))

	rm -rf flushed
	run flush flush 8 1000
	cp flush.out flushed.out
	facts -n flushed
	all_there flushed 8 1000
	their_own flushed
	equal "user events that the reader finds after a flush" \
		"$("$reader" export --format=csv --flat flushed | awk -F, '$4 == "user"' | wc -l)" 8000
	"$reader" info flushed > info || fail "spoor info of the flushed trace failed: $(cat info)"
	facts flush
	all_there flush 8 2000
	their_own flush
	equal "user events that the reader finds in the end" \
		"$("$reader" export --format=csv --flat flush | awk -F, '$4 == "user"' | wc -l)" 16000
	"$reader" info flush > info || fail "spoor info after a flush failed: $(cat info)"

	run clear clear 8 1000
	facts clear
	all_there clear 8 1000 1000
	their_own clear
	stored=$(count clear user)
	[ "$(lost clear cleared)" -gt 0 ] || fail "clear: no event was cleared: $(grep lost clear.facts)"
	equal "stored and cleared" $((stored + $(lost clear))) 16000
	equal "user events that the reader finds after a clear" \
		"$("$reader" export --format=csv --flat clear | awk -F, '$4 == "user"' | wc -l)" "$stored"
	"$reader" info clear | grep -q "cleared by the program" ||
		fail "spoor info does not report the clear: $("$reader" info clear)"

	run then then
	run turns turns "$turns"
	facts turns
	equal "events of all turns" "$(count turns user)" $((turns * 100000))
	read -r first last < turns.out
	[ "$last" -lt $((first + 4096)) ] ||
		fail "memory grows from $first KiB to $last KiB with repeated initialise and deinitialise"

	run names names
	facts names
	equal "a thread's name" "$(awk -F'\t' '$1 == "named" { print $5 }' names.facts)" "a name of more than fifteen bytes"
	python3 - "$reader" names "$(cat names.out)" << 'END' || fail "names or payloads are wrong in an export (see the assertion above)"
import csv, json, subprocess, sys
spoor, trace, times = sys.argv[1:]
begin, end = map(int, times.split())
text = 'hello, "wörld"'
big = 1 << 63
def export(form):
    return subprocess.run([spoor, "export", "--format=" + form, trace], check=True, stdout=subprocess.PIPE).stdout
rows = list(csv.DictReader(export("csv").decode().splitlines()))
rows = [r for r in rows if r["event"] == "user"]
told = [(int(r["type"]), r["type_name"], int(r["payload_1"]), int(r["payload_2"]), r["string"]) for r in rows]
assert told[0][:2] == (0x80000100, "greeting, <1>") and told[0][3:] == (1, text), told
assert told[1][3:] == (2, "second"), told
assert told[2] == (0x80000101, "span", 2**64 - 1, 2**32 - 1, ""), told
assert told[4] == (0x80000102, "", big, 0, ""), told
ns = [int(r["time_ns"]) for r in rows]
assert ns[2] == begin - 1000000 and ns[3] == begin + 3600000000000, (ns, begin)
assert begin - 100000 <= ns[0] <= ns[1] <= ns[4] <= end + 100000, (ns, begin, end)
events = [e for e in json.loads(export("chrome"))["traceEvents"] if e["ph"] == "i"]
assert [e["name"] for e in events] == ["greeting, <1>"] * 2 + ["span"] * 2 + ["user event 0x80000102"], events
assert [e["args"]["payload_1"] for e in events] == [text, "second", str(2**64 - 1), 0, str(big)], events
assert [e["args"]["payload_2"] for e in events] == [1, 2, 2**32 - 1, 0, 0], events
assert round(events[2]["ts"] * 1000) == begin - 1000000, events
names = [e["args"]["name"] for e in json.loads(export("chrome"))["traceEvents"] if e.get("name") == "thread_name"]
assert names == ["a name of more than fifteen bytes"], names
raw = subprocess.run(["protoc", "--decode_raw"], input=export("perfetto"), check=True, stdout=subprocess.PIPE).stdout.decode()
for part in ('6: "hello, \\"w\\303\\266rld\\""', '6: "second"', '23: "greeting, <1>"', '23: "span"',
             f"3: {2**64 - 1}", f"3: {2**32 - 1}", f"3: {big}", f"8: {begin - 1000000}", "58: 3",
             '5: "a name of more than fifteen bytes"'):
    assert part in raw, (part, raw)
END
	"$reader" replay names | grep -q '# greeting, <1>: "hello, "wörld"", 1' ||
		fail "spoor replay does not show the user event: $("$reader" replay names; cat names.out)"
	"$reader" info names | grep -q '0x80000100  greeting, <1>, of strings' ||
		fail "spoor info does not show the type of events: $("$reader" info names)"

	run strings strings 5000
	facts strings
	equal "strings" "$(awk -F'\t' '$1 == "string" && !ids[$3]++ && !texts[$4]++' strings.facts | wc -l)" 5000

	run fork fork
	facts fork
	equal "names of threads" "$(awk -F'\t' '$1 == "named" { print $5 }' fork.facts | LC_ALL=C sort)" \
		"$(printf 'a name of more than fifteen bytes\nchild')"
	equal "a string that the child shares" "$("$reader" export --format=csv --flat fork | grep -c '"hello, ""wörld""')" 2

	run refusals refusals
	run states states
	equal "states" "$(cat states.out)" "start: 110 0
disabled: 100 -108
enabled: 110 0
deinitialised: 000 -108
initialised: 100 -108
disabled: 100 -108"
	"$reader" replay states | grep -q 'unknown#11223344:1432778632()* ?;' || "$reader" replay states | grep -q '11223344' ||
		fail "an injected call is not in the trace: $("$reader" replay states)"
done
unset LIFE_RECORD

# A dormant program leaves no trace, and can read its configuration.
rm -rf dormant
SPOOR_RUNTIME_MODE=off SPOOR_RUNTIME_TRACE_PATH=dormant ./api configuration > said
[ ! -e dormant ] || fail "a dormant program left a trace: $(ls dormant)"
grep -q '^mode=off$' said || fail "the configuration has another mode: $(cat said)"
grep -q "^trace_path=$work/dormant\$" said || fail "the configuration has another trace path: $(cat said)"
SPOOR_RUNTIME_TRACE_PATH=dormant "$spoor" config | sed -n 's/^\([a-z_]*\) = .*/\1/p' > keys
# Each session ID has 64 random bits: in 16 IDs no half repeats.
for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	SPOOR_RUNTIME_MODE=off ./api configuration | sed -n 's/^session_id=//p'
done > sessions
python3 -c '
ids = [int(line) for line in open("sessions")]
assert len(ids) == len({i >> 32 for i in ids}) == len({i & 0xffffffff for i in ids}) == 16, ids' ||
	fail "session IDs repeat: $(cat sessions)"
cut -d= -f1 said | grep -v '^recorder$\|^start$\|^session_id$' | diff - keys ||
	fail "spoor config (>) and the interface (<) have different keys (see above)"

# Files: of processes that have ended, by age, only files with spoor's names, and not through links.
rm -rf old outside
mkdir outside
touch outside/process.spoor
SPOOR_RUNTIME_TRACE_PATH=old ./api then
touch -d '2 hours ago' old/*/*.spoor
SPOOR_RUNTIME_TRACE_PATH=old ./api then
mkdir old/999999998 old/mine
for file in mine/process.spoor 999999998/events.spoor 999999998/notes; do
	echo x > old/$file
	touch -d "2 hours ago" old/$file
done
ln -s "$work/outside" old/999999999
touch -h -d '2 hours ago' outside/process.spoor
equal "files" "$(SPOOR_RUNTIME_TRACE_PATH=old ./api files 7200000)" "7 0 none"
equal "files" "$(SPOOR_RUNTIME_TRACE_PATH=old ./api files 3600)" "7 4 some"
[ -e outside/process.spoor ] && [ -e old/mine/process.spoor ] && [ -e old/999999998/notes ] ||
	fail "spoor_trace_files_delete() deleted files of others: $(ls -R outside old)"
equal "files" "$(SPOOR_RUNTIME_TRACE_PATH=old ./api files 0 | cut -d' ' -f1)" 3
equal "files" "$(SPOOR_RUNTIME_TRACE_PATH=nowhere ./api files 0)" "0 0 none"
