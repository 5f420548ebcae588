#!/bin/sh
# SPDX-License-Identifier: MIT
# tracepoint_hits.sh - hits of tracepoints with a semaphore are in the trace, each with its name and the arguments
# that the program prints: on threads, in signal handlers, in a forked child, in a library that is loaded and
# unloaded, by gcc and clang, in C and C++, position-independent and not. They are enabled at the start, during the
# run, from outside and by the program itself; gdb may listen at the same time. Without a listener the arguments are
# not evaluated, and the tracepoint costs a test.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
include="-I$top_srcdir/libspoor/include -Wall -Wextra -Werror"
cp "$victims/tracepoints/hits.c" hits.cc

# hits TRACE - prints "PROCESS THREAD NAME NUMBER...", in each thread's order.
hits()
{
	"$reader" export --format json --flat "$1" 2> export.err | python3 -c '
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        print(event["process"], event["thread"], event["tracepoint"], *[a["value"] for a in event["arguments"]])'
}

# same TRACE PRINTED - compares the hits with the printed ones, thread by thread.
same()
{
	hits "$1" | LC_ALL=C sort -s -k1,2 > got
	sed 's/ *$//' "$2" | LC_ALL=C sort -s -k1,2 > wanted
	[ -s wanted ] || fail "$1: the program printed no hits"
	cmp -s wanted got || fail "$1: printed (<) and recorded hits (>) differ: $(diff wanted got | head -n 6)"
}

# listened TRACE PATTERNS COMMAND... - runs the command with these tracepoints enabled; its output is in printed.
listened()
{
	listened_to=$1
	rm -rf "$listened_to"
	patterns=$2
	shift 2
	SPOOR_RUNTIME_TRACEPOINTS=$patterns SPOOR_RUNTIME_TRACE_PATH=$listened_to LD_PRELOAD=$libspoor "$@" > printed 2> err ||
		fail "$*: the program ended with status $?: $(cat err)"
}

# built COMPILER SOURCE FLAG... - builds the victim, and checks that all its hits are recorded.
built()
{
	built_by=$1
	source=$2
	shift 2
	# shellcheck disable=SC2086
	"$built_by" "$@" $include -o hits "$source" -pthread
	listened t 'hits:*' ./hits threads
	silent err
	same t printed
	equal "$built_by $*: hits" "$(wc -l < printed)" 4800
}

built "$clang" "$victims/tracepoints/hits.c" -O2 -fPIE
if [ -z "$emulated" ]; then
	built gcc "$victims/tracepoints/hits.c" -O2 -fno-pie -no-pie
	built gcc "$victims/tracepoints/hits.c" -O2 -flto
	built g++ hits.cc -O2
fi
if [ -n "${SPOOR_LONG-}" ]; then
	for compiler in gcc /usr/lib/llvm-*/bin/clang; do
		cxx=$(echo "$compiler" | sed 's/gcc$/g++/; s/clang$/clang++/')
		lto=-flto
		[ "$compiler" = gcc ] || lto='-flto -fuse-ld=lld'
		for level in -O0 -O1 -O2 -O3; do
			for flags in -fPIE '-fno-pie -no-pie' "$lto"; do
				# shellcheck disable=SC2086
				built "$compiler" "$victims/tracepoints/hits.c" $level $flags
				# shellcheck disable=SC2086
				built "$cxx" hits.cc $level $flags
			done
		done
	done
fi
# A static program has no listener and works.
gcc -static -O2 -w -I"$top_srcdir/libspoor/include" -o static "$victims/tracepoints/hits.c" -pthread 2> err ||
	fail "static: the program does not build: $(cat err)"
./static threads > printed
[ ! -s printed ] || fail "static: tracepoints are enabled: $(head -n 2 printed)"
# shellcheck disable=SC2086
gcc -O2 $include -o hits "$victims/tracepoints/hits.c" -pthread
# shellcheck disable=SC2086
gcc -O2 $include -DLIBRARY -fPIC -shared -o libhits.so "$victims/tracepoints/hits.c"

# Without a listener.
./hits threads > printed
[ ! -s printed ] || fail "tracepoints are enabled without a listener: $(head -n 2 printed)"
listened none none ./hits threads
[ ! -s printed ] && [ ! -e none ] ||
	fail "tracepoints are enabled, or there is a trace, although no pattern matches: $(head -n 2 printed)"
SPOOR_RUNTIME_MODE=off
export SPOOR_RUNTIME_MODE
listened none 'hits:*' ./hits threads
unset SPOOR_RUNTIME_MODE
[ ! -s printed ] || fail "tracepoints are enabled in mode off: $(head -n 2 printed)"
# A subset; patterns without a match and malformed patterns give messages.
listened t 'hits:f*,-hits:five,nobody:*' ./hits threads
same t printed
equal "names" "$(awk '{ print $3 }' printed | sort -u | tr '\n' ' ')" 'hits:few '
said_once err "SPOOR_RUNTIME_TRACEPOINTS: no tracepoint with a semaphore of spoor/sdt.h matches 'nobody:\*' in hits (process [0-9]*): 'spoor tracepoints"
# With breakpoints as well; one message names all patterns.
"$spoor" record -q -o semaphores --tracepoint 'hits:few,nobody:*,hits:nobody' ./hits threads > printed 2> err ||
	fail "spoor record ended with status $?: $(cat err)"
said_once err "SPOOR_RUNTIME_TRACEPOINTS: no tracepoint matches 'nobody:\*', 'hits:nobody' in hits (process [0-9]*): 'spoor tracepoints list FILE' lists"
# A program with sleds and no tracepoint, and a program with neither.
printf 'int main(void) { return 0; }\n' > bare.c
traced_cc -o bare bare.c
"$spoor" record -q -o bare.trace --tracepoint 'nobody:*' sh -c ./bare > printed 2> err ||
	fail "spoor record ended with status $?: $(cat err)"
said_once err "SPOOR_RUNTIME_TRACEPOINTS: no tracepoint matches 'nobody:\*' in bare (process"
rm -rf bad
SPOOR_RUNTIME_TRACEPOINTS='hits:[' SPOOR_RUNTIME_TRACE_PATH=bad LD_PRELOAD=$libspoor ./hits threads > printed 2> err
said_once err "not a list of patterns such as 'server:request_"
[ ! -s printed ] || fail "tracepoints are enabled by a malformed pattern: $(head -n 2 printed)"

# Signal handlers interrupt at any instruction and also reach tracepoints; slices change meanwhile.
times=100000
[ -z "${SPOOR_LONG-}" ] || times=3000000
SPOOR_RUNTIME_MODE=log listened t 'hits:*' ./hits signals $times
hits t | python3 -c '
import sys
counts = {"hits:few": 0, "hits:five": 0, "hits:handler": 0}
for line in sys.stdin:
    name, *numbers = line.split()[2:]
    numbers = list(map(int, numbers))
    n = counts[name]
    assert numbers == {"hits:few": [n, -n, 1, 2], "hits:five": [16 * n, -16 * n, 16 * n + 1, 3, 4],
                       "hits:handler": [n + 1, -n - 1, 3, 4]}[name], (name, n, numbers)
    counts[name] += 1
print(*counts.values())' > got
cmp printed got || fail "signals: the program and the trace have different numbers of hits: $(cat printed got)"
[ "$(awk '{ print $3 }' got)" -gt 0 ] || fail "no signal arrived: $(cat got)"

# A forked child has its own trace with names; a library is loaded and unloaded.
listened t 'hits:*' ./hits fork
same t printed
equal "processes" "$(awk '{ print $1 }' printed | sort -u | wc -l)" 2
listened t 'hits:*' ./hits library ./libhits.so 300
same t printed
equal "of the library" "$(grep -c ' hits:library ' printed)" 300
"$reader" info t > info
equal "names of it" "$(grep -c 'hits:library  .*/libhits.so$' info)" 1

# Between traced functions, with the same clock; in all outputs.
# shellcheck disable=SC2086
traced_cc $include -o traced_hits "$victims/tracepoints/hits.c"  -pthread
rm -rf t
"$spoor" record -q -o t --tracepoint 'hits:*' --tracepoint=-hits:none ./traced_hits threads > printed
same t printed
grep -q hits:all printed && ! grep -q hits:none printed ||
	fail "spoor record --tracepoint records other tracepoints: $(awk '{ print $3 }' printed | sort -u)"
"$reader" replay t 2> err | sed 's/^[-0-9., ]*[mun]\{0,1\}s  *//; s/^ *//; s/ *{* *$//' > tree
awk '/^few\(int\)|^few/ { getline; if ($0 !~ /^# hits:few\(-*[0-9]+, [0-7], -*[0-9]+, -[0-9]+\)$/) bad++; n++ } END { exit bad || n != 1200 }' tree ||
	fail "spoor replay does not show the hits below few: $(grep -m 3 -A 1 '^few' tree)"
"$reader" report --format csv t > report
! grep spoor_sdt report || fail "functions of the header are traced: $(grep spoor_sdt report)"
equal "report" "$(grep -c '\[tracepoint\]' report)" 3
equal "hits in the report" "$(awk -F, '/\[tracepoint\]/ { n += $3 } END { print n }' report)" \
	"$("$reader" report --format json t | sed -n 's/.*"calls_counted": 0,.*"tracepoint_hits": \([0-9]*\)}.*/\1/p')"
grep 'hits:few' report | grep -q 1200 || fail "the report does not have 1200 hits of few: $(grep hits: report)"
"$reader" export --format csv --flat t | grep -m 1 'hits:all' > line
grep -q ',tracepoint,hits:all,\[tracepoint\],,,,,,,"i8 0, u8 0, i16 -3000, u16 60000, i32 -70000, u32 4000000000, i64 -5000000000, u64 10000000000000000000, u8 0, ptr 0x[0-9a-f]*, u32 70000, i64 -9223372036854775808"$' line ||
	fail "the CSV export has other arguments: $(cat line)"
"$reader" export --format chrome -o chrome.json t
"$reader" export --format perfetto -o perfetto.bin t
python3 - <<'END'
import json
events = [e for e in json.load(open("chrome.json"))["traceEvents"] if e.get("cat") == "tracepoint"]
assert len(events) == 3600, len(events)
few = [e["args"] for e in events if e["name"] == "hits:few"]
assert sorted(a["arg1"] for a in few) == sorted(list(range(300)) * 4)
assert all(a["arg4"] == str(a["arg1"] - 2**63) for a in few), few[0]
END
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.perfetto.Trace "$top_srcdir/tests/golden/perfetto.proto" \
	< perfetto.bin > perfetto.txt
python3 - <<'END'
import re
wanted, got, numbers = [], [], []
for line in open("printed"):
    _, _, name, *values = line.split()
    wanted.append((name, *[int(v, 0) for v in values]))
for line in open("perfetto.txt"):
    value = re.match(r" *(?:int|uint|pointer)_value: (-?[0-9]+)$", line)
    name = re.match(r' *name: "(hits:.*)"$', line)
    if value:
        numbers.append(int(value[1]))
    elif name:
        got.append((name[1], *numbers))
        numbers = []
assert sorted(wanted) == sorted(got), (sorted(wanted)[:2], sorted(got)[:2])
END

# The arguments of few in the formats of other tools, read by their own programs if these are installed.
"$reader" export --format firefox -o firefox.json t
python3 - <<'END'
import json
hits = []
for thread in json.load(open("firefox.json"))["threads"]:
    strings = thread.get("stringArray") or json.load(open("firefox.json"))["shared"]["stringArray"]
    markers = thread["markers"]
    hits += [(strings[n], d["arguments"]) for n, d in zip(markers["name"], markers["data"]) if d["type"] == "tracepoint"]
assert len(hits) == 3600, len(hits)
wanted = sorted("hits:few" + str([int(v, 0) for v in line.split()[3:]]) for line in open("printed") if " hits:few " in line)
got = sorted(name + str([int(a.split()[1], 0) for a in text.split(", ")]) for name, text in hits if name == "hits:few")
assert wanted == got, (wanted[:2], got[:2])
END
if command -v babeltrace2 > /dev/null; then
	"$reader" export --format ctf -o ctf t
	babeltrace2 ctf > ctf.txt
	equal "CTF" "$(grep -c ' tracepoint_arguments: ' ctf.txt)" 3600
	sed -n 's/.* tracepoint = ( "hits:few" : .* arguments = "[a-z0-9]* \([-0-9]*\), .*/\1/p' ctf.txt | sort -n > of_ctf
	awk '$3 == "hits:few" { print $4 }' printed | sort -n | cmp - of_ctf ||
		fail "CTF has other arguments: $(grep -m 1 hits:few ctf.txt)"
fi
if command -v otf2-print > /dev/null && "$reader" export --format otf2 -o otf2 t 2> otf2.err; then
	otf2-print otf2/traces.otf2 > otf2.txt
	sed -n 's/^PARAMETER_INT64 .*"hits:few arg4".*Value: \([-0-9]*\).*/\1/p' otf2.txt | sort -n > of_otf2
	awk '$3 == "hits:few" { print $7 }' printed | sort -n | cmp - of_otf2 ||
		fail "OTF2 has other arguments: $(grep -m 1 'arg4' otf2.txt)"
fi

# spoor does not trace emulated processes from outside.
[ -z "$emulated" ] || exit 0
# During the run: by a thread of the process, and with a recorder.
for how in alone recorded; do
	rm -rf t fifo
	: > printed
	mkfifo fifo
	if [ $how = alone ]; then
		SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor ./traced_hits asked < fifo > printed &
	else
		"$spoor" record -q -o t ./traced_hits asked < fifo > printed &
	fi
	exec 9> fifo
	# line - makes the victim reach all tracepoints once.
	line=0
	line()
	{
		line=$((line + 1))
		echo >&9
		until [ "$(grep -c done printed)" -ge $line ]; do sleep 0.01; done
	}
	line
	awaited "the trace of the process" sh -c 'ls -d t/[0-9]* > folder 2> folder.err'
	pid=$(basename "$(cat folder)")
	"$spoor" ctl "$pid" enable-tracepoints 'hits:f*' > said || fail "$how: spoor ctl failed: $(cat said)"
	equal "$how" "$(cat said)" "2 tracepoints changed"
	line
	"$spoor" ctl "$pid" disable-tracepoints 'hits:five' > said
	equal "$how" "$(cat said)" "1 tracepoint changed"
	line
	"$spoor" ctl "$pid" mode off
	line
	"$spoor" ctl "$pid" mode log
	line
	"$spoor" ctl "$pid" disable-tracepoints '*' > said
	equal "$how" "$(cat said)" "1 tracepoint changed"
	line
	exec 9>&-
	wait
	grep -v done printed > listened
	equal "$how: listened" "$(awk '{ print $3, $4 }' listened | tr '\n' ' ')" \
		"hits:few 1 hits:five 18446744073709551614 hits:few 2 hits:few 4 "
	same t listened
done
