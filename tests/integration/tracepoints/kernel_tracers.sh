#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel_tracers.sh - tools that use the kernel attach to tracepoints: a tracefs event, perf and bpftrace each find
# every hit with the arguments that the program prints. The program prints hits only while the semaphore is raised.
# libspoor.so records the same hits at the same time. Tools that this machine lacks or does not permit are reported
# and skipped.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
if [ "$SPOOR_ARCH" != x86_64 ] || [ -n "$emulated" ]; then
	echo "the kernel's probes are looked at on x86-64 alone"
	exit 77
fi
if [ "$(id -u)" != 0 ]; then
	echo "the kernel's probes are root's"
	exit 77
fi
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing 2> mount.err || :
if [ ! -w $tracing/uprobe_events ]; then
	echo "this kernel has no events of user space: $(cat mount.err 2> /dev/null)"
	exit 77
fi
group=spoor_test_$$
instance=$tracing/instances/$group
left()
{
	if [ -d "$instance" ]; then
		echo 0 > "$instance/events/enable" || :
		rmdir "$instance" || :
	fi
	grep -o "[a-z0-9_]*/*[a-z0-9_]*$group[a-z0-9_/]*" $tracing/uprobe_events | sort -u | while read -r event; do
		echo "-:$event" >> $tracing/uprobe_events || :
	done
}
trap left EXIT

include="-I$top_srcdir/libspoor/include -Wall -Wextra -Werror"
for compiler in gcc "$clang"; do
	name=hits_${compiler##*/}_$$
	# shellcheck disable=SC2086
	"$compiler" -O2 -g $include -o "$name" "$victims/tracepoints/hits.c" -pthread
done
ours=./$name

# printed WHAT - extracts the 1,200 hits of few that the program printed, as numbers.
printed()
{
	sed -n 's/^[0-9]* [0-9]* hits:few //p' printed | LC_ALL=C sort > wanted
	equal "$1: hits that the program knows of" "$(wc -l < wanted)" 1200
}
# recorded WHAT - checks that libspoor.so recorded the same hits.
recorded()
{
	"$spoor" export --format json --flat t 2> export.err | python3 -c '
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        print(*[a["value"] for a in event["arguments"]])' | LC_ALL=C sort > by_spoor
	cmp wanted by_spoor || fail "$1: libspoor.so recorded other hits: $(diff wanted by_spoor | head -n 4)"
	rm -rf t
}

# event FILE - prints the line for uprobe_events that describes few and its semaphore: their places in the file, and
# the operands.
cat > event.py <<'END_OF_PYTHON'
import re, subprocess, sys
name = sys.argv[1]
readelf = lambda option: subprocess.run(["readelf", option, "-W", name], capture_output=True, text=True).stdout
segments = [[int(word, 16) for word in line.split()[1:5]] for line in readelf("-l").splitlines() if line.startswith("  LOAD")]

def offset(address):
    for at, start, _, size in segments:
        if start <= address < start + size:
            return at + address - start
    sys.exit("%x is in no segment" % address)

for note in re.split(r"stapsdt +0x", readelf("-n"))[1:]:
    if not re.search(r"Name: few\n", note):
        continue
    place, semaphore = (int(re.search(word + r": (0x[0-9a-f]+)", note)[1], 16) for word in ("Location", "Semaphore"))
    fetches = []
    for number, (size, where) in enumerate(re.findall(r"(-?\d+)@(\S+)", re.search(r"Arguments: (.*)", note)[1]), 1):
        memory = re.fullmatch(r"(-?\d*)\(%(\w+)\)", where)
        register = lambda r: "%" + (re.sub(r"[bwd]$", "", r) if r[1:2].isdigit() else re.sub(r"^[er]|l$", "", r))
        fetch = ("\\" + where[1:] if where[0] == "$" else
                 "%+d(%s)" % (int(memory[1] or 0), register(memory[2])) if memory else register(where[1:]))
        fetches.append("a%d=%s:%s%d" % (number, fetch, "s" if int(size) < 0 else "u", abs(int(size)) * 8))
    print("%s:0x%x(0x%x)" % (name, offset(place), offset(semaphore)), *fetches)
END_OF_PYTHON

# A tracefs event, in a separate instance.
mkdir "$instance"
for program in ./hits_*_$$; do
	python3 event.py "$PWD/${program#./}" > places
	[ -s places ] || fail "$program: event.py found no place of few"
	number=0
	while read -r place; do
		number=$((number + 1))
		printf "%s\n" "p:$group/few$number $place" >> $tracing/uprobe_events 2> event.err ||
			fail "tracefs rejects $place: $(cat event.err)"
	done < places
	echo > "$instance/trace"
	echo 1 > "$instance/events/$group/enable"
	"$program" threads > printed
	SPOOR_RUNTIME_TRACEPOINTS='hits:few' SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor "$program" threads > printed.both
	echo 0 > "$instance/events/$group/enable"
	cat "$instance/trace" > log
	# The hits of both runs.
	sed -n 's/.* a1=\([-0-9]*\) a2=\([-0-9]*\) a3=\([-0-9]*\) a4=\([-0-9]*\).*/\1 \2 \3 \4/p' log | LC_ALL=C sort > got
	printed "tracefs"
	LC_ALL=C sort wanted wanted > twice
	cmp twice got || fail "$program: tracefs has other hits: $(diff twice got | head -n 4; tail -n 2 log)"
	recorded "tracefs"
	"$program" threads > printed
	[ ! -s printed ] || fail "$program: the semaphore is still raised: $(head -n 2 printed)"
	for one in $(seq $number); do
		echo "-:$group/few$one" >> $tracing/uprobe_events
	done
done
rmdir "$instance"
echo "tracefs: run"

if ! command -v perf > /dev/null; then
	echo "perf: not run, it is missing (linux-perf)"
else
	# perf accepts no second event with the same name, even in another group or at another place.
	perf="perf --buildid-dir $work/buildid"
	sed "/few, i, -i, 1, 2/d; s/(hits, few/(hits, few_$group/g" "$victims/tracepoints/hits.c" > named.c
	# shellcheck disable=SC2086
	"$clang" -O2 -g $include -o named named.c -pthread
	$perf buildid-cache --add ./named > perf.out 2>&1
	$perf probe "sdt_hits:few_$group" >> perf.out 2>&1 || fail "perf probe failed: $(cat perf.out)"
	SPOOR_RUNTIME_TRACEPOINTS='hits:few_*' SPOOR_RUNTIME_TRACE_PATH=t LD_PRELOAD=$libspoor \
		$perf record -q -m 1024 -o perf.data -e "sdt_hits:few_$group" ./named threads > printed 2>> perf.out ||
		fail "perf record failed: $(cat perf.out)"
	$perf script -i perf.data > log 2>> perf.out
	sed -n 's/.* arg1=\([-0-9]*\) arg2=\([-0-9]*\) arg3=\([-0-9]*\) arg4=\([-0-9]*\).*/\1 \2 \3 \4/p' log | LC_ALL=C sort > got
	printed perf
	cmp wanted got || fail "perf has other hits: $(diff wanted got | head -n 4; tail -n 2 log)"
	recorded perf
	./named threads > printed
	[ ! -s printed ] || fail "perf: the semaphore is still raised: $(head -n 2 printed)"
	echo "perf: run"
fi

if ! command -v bpftrace > /dev/null; then
	echo "bpftrace: not run, it is missing"
elif ! bpftrace -e 'BEGIN { exit(); }' > bpftrace.out 2>&1; then
	echo "bpftrace: not run, this kernel does not permit it: $(tail -n 1 bpftrace.out)"
else
	BPFTRACE_PERF_RB_PAGES=1024 bpftrace -o log -c "$ours threads" \
		-e "usdt:$ours:hits:few { printf(\"hit %d %d %d %ld\n\", (int32)arg0, arg1, (int32)arg2, (int64)arg3); }" \
		> printed 2> bpftrace.out || fail "bpftrace failed: $(tail -n 3 bpftrace.out)"
	sed -n 's/^hit //p' log | LC_ALL=C sort > got
	printed bpftrace
	cmp wanted got || fail "bpftrace has other hits: $(diff wanted got | head -n 4)"
	"$ours" threads > printed
	[ ! -s printed ] || fail "bpftrace: the semaphore is still raised: $(head -n 2 printed)"
	echo "bpftrace: run"
fi
