#!/bin/sh
# SPDX-License-Identifier: MIT
# library_attached.sh - library calls of a running process that was not prepared are recorded, and after the recording
# each of its jump slots has its former bytes.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# slots PROCESS FILE - prints the bytes of all jump slots of the program.
slots()
{
	python3 - "$1" "$2" << 'END'
import subprocess
import sys
process, path = sys.argv[1:]
with open("/proc/%s/maps" % process, encoding="utf-8") as maps:
    base = min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith("/" + path))
listing = subprocess.run(["readelf", "-rW", path], capture_output=True, text=True, check=True).stdout
offsets = [int(line.split()[0], 16) for line in listing.splitlines() if "JUMP_SLO" in line]
assert len(offsets) > 5
with open("/proc/%s/mem" % process, "rb") as memory:
    for offset in offsets:
        memory.seek(base + offset)
        print("%x %s" % (offset, memory.read(8).hex()))
END
}

for how in lazy now,-z,relro; do
	cc -w -O1 -pie -fPIE "-Wl,-z,$how" -o storm "$victims/library/library_storm.c" -pthread
	# When the program has written its line, all of its slots are bound.
	rm -f running
	./storm forever > running &
	process=$!
	awaited "the program's calls" grep -q running running
	slots $process storm > before
	values=
	for round in 1 2; do
		[ $round = 1 ] || values='--args strtoul --retval strtoul'
		rm -rf trace$round
		# shellcheck disable=SC2086
		"$spoor" record -q -o trace$round --pid $process --library-calls 'libc*' --duration 500ms --max-size 32M $values 2> err ||
			fail "cannot attach: $(cat err)"
		"$spoor" report --no-pager --no-demangle --format csv --columns function,calls trace$round > counts
		grep -q '^"*strtoul' counts || fail "no call was recorded: $(cat counts err)"
		[ $round = 1 ] || "$spoor" replay --no-pager trace$round | grep -q 'strtoul(nptr="[0-9]*", endptr=0x0, base=10) = [0-9]* libc' ||
			fail "the values are missing: $("$spoor" replay --no-pager trace$round | head -50)"
		slots $process storm > after
		cmp before after || fail "jump slots have other bytes: $(diff before after)"
	done
	state=$(sed 's/.*) \(.\).*/\1/' /proc/$process/stat)
	[ "$state" = R ] || [ "$state" = S ] || fail "the process has the state $state"
	kill $process
	wait $process 2> /dev/null || :
done
