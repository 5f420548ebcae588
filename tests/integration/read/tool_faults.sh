#!/bin/sh
# SPDX-License-Identifier: MIT
# tool_faults.sh - faults of other tracers' tools that no other script tests: a trace without events, names with
# thousands of characters, fields with commas and quotes, a thousand threads, files in the way of an export
# (tests/peer_faults.md).
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
make_trace=$top_builddir/tests/unit/support/make_trace
formats="perfetto chrome speedscope csv json rowbinary folded callgrind pprof firefox"

# A trace without events is valid: status 0, and complete exports.
"$top_builddir/tests/golden/make_golden" nothing "$top_builddir/tests/golden/libsample.so"
rm -r nothing/4711
rm nothing/4712/events.spoor
equal "events" "$("$spoor" info nothing | awk '$1 == "events" { n += $2 } END { print n + 0 }')" 0
for command in info report "report --format=json" replay "replay --merge" graph "flame --format=folded"; do
	"$spoor" $command nothing > none.out 2> none.err ||
		fail "$command of a trace without events failed: $(cat none.err)"
done
for format in $formats; do
	"$spoor" export --format=$format -o "none.$format" nothing ||
		fail "the $format export of a trace without events failed"
done
for format in chrome speedscope json firefox; do
	python3 -m json.tool "none.$format" > json.out ||
		fail "the $format export of a trace without events is not JSON"
done
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.perfetto.Trace "$top_srcdir/tests/golden/perfetto.proto" \
	< none.perfetto | grep -q 'process_name: "golden"' ||
		fail "the Perfetto export of a trace without events has no process"
"$spoor" export --format=ctf -o none.ctf nothing && babeltrace2 none.ctf > ctf.out ||
	fail "the CTF export of a trace without events failed: $(cat ctf.out)"

# An empty file name, as from an unset variable, is a wrong command line.
for words in "record --output: true" "export --output: --format=csv nothing" "flame --output: nothing" \
	"flame --diff: nothing" "view --output: nothing" "graph --output: nothing" "pack --output: nothing" \
	"symbols --output: $spoor" "order --output: nothing" "order --for: nothing" "filters --output: --suggest nothing" \
	"filters --explain: nothing" "filters --trace: nothing" "tracepoints --output: list $spoor" "report --symbols: nothing"; do
	option=${words%%:*} status=0
	# shellcheck disable=SC2086
	"$spoor" ${option% *} "${option#* }" '' ${words#*:} > empty.out 2> empty.err || status=$?
	equal "status of $words" $status 2
	grep -qx "spoor: ${option% *}: ${option#* }: the name is empty" empty.err ||
		fail "$words: the message does not say that the name is empty: $(cat empty.err)"
done

# Names are complete and the same in all formats, with any length and any characters.
cat > names.cc <<'SOURCE'
extern "C" int long_names(void);
template <char a, int b> __attribute__((noinline)) int odd(const char *, int) { __asm__ volatile(""); return a + b; }
int main() { return long_names() + odd<'"', 1>("", 2) + odd<',', 2>("", 3) == 0; }
SOURCE
traced_cxx -o names names.cc "$victims/modules/long_names.cc"
traced named ./names
for format in $formats; do
	"$spoor" export --format=$format -o "named.$format" named
done
"$spoor" report --format=csv named > named.report
"$spoor" report --format=json named > named.report.json
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.perfetto.Trace "$top_srcdir/tests/golden/perfetto.proto" \
	< named.perfetto > named.perfetto.txt
protoc --proto_path="$top_srcdir/tests/golden" --decode=spoor.pprof.Profile "$top_srcdir/tests/golden/profile.proto" \
	< named.pprof > named.pprof.txt
# Drawings shorten names: Graphviz accepts no string of more than 16 KiB.
for format in dot mermaid; do
	"$spoor" graph --format=$format --limit 0 named > named.$format
	sed 's/, tooltip="[^"]*"//' named.$format | awk 'length($0) > 500 { exit 1 }' ||
		fail "$format: a line has more than 500 characters: $(cat named.$format)"
	grep -q '[[:alnum:]]\.\.[[:alnum:]_]' named.$format || fail "$format: no name is shortened: $(cat named.$format)"
done
grep -q 'tooltip="long_names' named.dot || fail "the tooltip does not have the full name: $(cat named.dot)"
cat > names.py <<'PYTHON'
import csv, json, re
with open("named.report.json") as file:
    wanted = {row["function"] for row in json.load(file)["rows"]}
with open("named.report", newline="") as file:
    assert {row["function"] for row in csv.DictReader(file)} == wanted
assert len(wanted) >= 5 and max(map(len, wanted)) > 2000 and any("'\"'" in name or "34" in name for name in wanted), wanted
with open("named.csv", newline="") as file:
    assert {row["function"] for row in csv.DictReader(file) if row["event"] == "entry"} == wanted, "csv"
with open("named.json") as file:
    assert {row["function"] for row in json.load(file)["events"] if row["event"] == "entry"} == wanted, "json"
with open("named.chrome") as file:
    assert {event["name"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"} == wanted, "chrome"
with open("named.speedscope") as file:
    assert {frame["name"] for frame in json.load(file)["shared"]["frames"]} == wanted, "speedscope"
with open("named.firefox") as file:
    shared = json.load(file)["shared"]
    assert {shared["stringArray"][name] for name in shared["funcTable"]["name"]} == wanted, "firefox"
with open("named.rowbinary", "rb") as file:
    rows = file.read()
assert all(name.encode() in rows for name in wanted), "rowbinary"
for path in ("named.perfetto.txt", "named.pprof.txt"):
    with open(path) as file:
        text = re.sub(r"\\(.)", r"\1", file.read())
    assert all('"%s"' % name in text for name in wanted), path
with open("named.callgrind") as file:
    text = file.read()
assert all(re.search(r"fn=\(\d+\) " + re.escape(name) + "$", text, re.M) for name in wanted), "callgrind"
PYTHON
python3 names.py || fail "names differ in a format: names.py printed the assertion above"

# A wrong command line does not change the existing file.
echo precious > kept
for arguments in '--format=nonsense named' '--format=perfetto --no-such-option named' '--format=csv --time=never named'; do
	# shellcheck disable=SC2086
	! "$spoor" export -o kept $arguments > kept.out 2> kept.err ||
		fail "export $arguments succeeded: $(cat kept.out)"
	[ -s kept.err ] || fail "export $arguments gives no message"
	equal "the file in the way of export $arguments" "$(cat kept)" precious
done

# The rest takes a minute.
[ -n "${SPOOR_LONG-}" ] || exit 0

# A thousand threads cost no more than ten for each event, measured in instructions, which other processes do not
# affect.
calls_of_ten=$("$make_trace" ten 200000 10 | sed 's/ calls$//')
calls_of_thousand=$("$make_trace" thousand 200000 1000 | sed 's/ calls$//')
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=callgrind.log "$real" "$@" > /dev/null 2> callgrind.err || :
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' callgrind.log
}
real=$top_builddir/tools/.libs/spoor
[ -x "$real" ] || real=$spoor
for command in report "replay --merge" "export --format=chrome"; do
	few=$(($(instructions $command ten) / calls_of_ten))
	lot=$(($(instructions $command thousand) / calls_of_thousand))
	echo "$command: $few instructions a call for 10 threads, $lot for 1000"
	[ "$few" -gt 0 ] && [ "$lot" -gt 0 ] && [ "$lot" -lt $((2 * few)) ] ||
		fail "$command: $few instructions for each call with 10 threads, and $lot with 1000"
done

# libotf2's buffers are the same memory for each thread: new buffers would cost a thousand page faults for each
# thread.
if ! "$spoor" export --format=otf2 -o ten.otf2 ten 2>&1 | grep -q 'apt-get install'; then
	python3 - "$spoor" > faults 2>&1 <<'END' || fail "the OTF2 export has too many page faults: $(cat faults)"
import resource, subprocess, sys
subprocess.run([sys.argv[1], "export", "--format=otf2", "-o", "thousand.otf2", "thousand"], check=True)
faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
assert faults < 100000, f"{faults} page faults for 1000 threads"
END
fi

# The message names a viewer that cannot read the file, and an alternative.
"$make_trace" large 8000000 1
"$spoor" export --format=chrome -o /dev/null large 2> large.err
grep -v 'its functions are shown by number' large.err > large.said || :
said_once large.said '--time'
