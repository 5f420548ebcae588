#!/bin/sh
# SPDX-License-Identifier: MIT
# damage.sh - whatever a trace is, one clear message and all that can be saved.
#
# Cuts each file of the golden trace and flips its bits: a step of many bytes
# here, every byte and every bit under check-long. No reader crashes, hangs or prints
# without end; each says something and exits with 1 where something is missing.
set -eu
spoor=$top_builddir/tools/spoor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

fail() {
	echo "$*"
	failed=1
}

# expect_message STATUS TEXT COMMAND...: exit status, and one line on stderr with this text in it.
expect_message() {
	expected=$1 text=$2
	shift 2
	status=0
	"$@" >out 2>err || status=$?
	[ "$status" = "$expected" ] || fail "$*: exit status $status, expected $expected"
	grep -q -e "$text" err || fail "$*: no '$text' in: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || fail "$*: not one line: $(cat err)"
}

"$top_builddir/tests/golden/make_golden" whole "$top_builddir/tests/golden/libsample.so"

for command in replay report info "export --format=csv"; do
	# shellcheck disable=SC2086
	{
		expect_message 1 'no such trace' "$spoor" $command missing
		mkdir -p empty
		expect_message 1 'no trace in it' "$spoor" $command empty
		expect_message 1 'not a trace' "$spoor" $command whole/4712/events.spoor
		mkdir -p other/4711
		echo text >other/4711/notes.txt
		expect_message 1 'no trace in it' "$spoor" $command other
		rm -rf alien
		mkdir -p alien/1
		head -c 100000 /dev/zero >alien/1/events.spoor
		cp whole/4712/process.spoor alien/1
		expect_message 1 'not a trace of spoor, or damaged' "$spoor" $command alien
		rm -rf newer
		cp -r whole/4712 newer
		python3 - newer/process.spoor newer/events.spoor <<-'PYTHON'
			import sys
			magic = bytes.fromhex("c853706f6f720d0a1a0a0000")
			for name in sys.argv[1:]:
			    data = open(name, "rb").read().replace(magic + b"\1", magic + b"\2")
			    open(name, "wb").write(data.replace(magic[:11] + b"\2\1", magic[:11] + b"\2\2"))
		PYTHON
		expect_message 1 'version 2, newer' "$spoor" $command newer
		rm -rf big
		cp -r whole/4712 big
		python3 - big/process.spoor big/events.spoor <<-'PYTHON'
			import sys
			magic = bytes.fromhex("c853706f6f720d0a1a0a")
			for name in sys.argv[1:]:
			    data = open(name, "rb").read().replace(magic + b"\0", magic + b"\1")
			    open(name, "wb").write(data)
		PYTHON
		expect_message 1 'big-endian' "$spoor" $command big
	}
done

# Each variant of each file, read by the two readers that between them read all.
python3 - "$spoor" "$work" "${SPOOR_LONG-}" <<'PYTHON' || failed=1
import os, shutil, subprocess, sys

spoor, work, long = sys.argv[1:4]
every = bool(long)
bad = 0
runs = 0


def read(what, intact=None):
    global bad, runs
    outputs = []
    for command in (["replay"], ["info"]):
        runs += 1
        done = subprocess.run([spoor, *command, "variant"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
        said = done.stderr.decode(errors="replace").splitlines()
        if done.returncode not in (0, 1) or not done.stdout and not said or len(said) > 8 or len(done.stdout) > 1 << 20:
            bad += 1
            print(f"{what}: {command}: exit status {done.returncode}, {len(done.stdout)} bytes, said {said[:9]}")
        outputs.append(done.stdout)
        # The last block may seem torn and its slice be in the pool still: nothing is lost.
        if command == ["info"] and done.returncode == 0 and intact and outputs[0] != intact:
            bad += 1
            print(f"{what}: nobody noticed")
    return outputs[0]


for process, name in (("4711", "process.spoor"), ("4711", "events.spoor"), ("4712", "events.spoor")):
    shutil.rmtree("variant", ignore_errors=True)
    shutil.copytree(f"whole/{process}", "variant")
    with open(f"variant/{name}", "rb") as file:
        whole = file.read()
    intact = read("whole")
    for cut in range(0, len(whole), 1 if every else 41):
        with open(f"variant/{name}", "wb") as file:
            file.write(whole[:cut])
        read(f"cut {process}/{name} at {cut}")
    for bit in range(0, len(whole) * 8, 1 if every else 331):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        with open(f"variant/{name}", "wb") as file:
            file.write(data)
        read(f"flip {process}/{name} bit {bit}", intact)

# The pool: its header, its slices' infos, the words of its slices. Nothing checks
# those, so nothing need notice; nothing may crash either.
shutil.rmtree("variant", ignore_errors=True)
shutil.copytree("whole/4711", "variant")
slices = 65536 + 16384 * 64
places = [*range(0, 6400), *range(65536, 65536 + 256)] + [slices + 65536 * i + 32768 + o for i in range(3) for o in range(64)]
with open("variant/pool.spoor", "r+b") as file:
    for place in places[:: 1 if every else 37]:
        file.seek(place)
        byte = file.read(1)[0]
        for bit in range(8) if every else (place % 8,):
            file.seek(place)
            file.write(bytes([byte ^ 1 << bit]))
            file.flush()
            read(f"pool {place} bit {bit}")
        file.seek(place)
        file.write(bytes([byte]))
        file.flush()
print(f"{runs} runs over damaged traces, {bad} bad")
sys.exit(bad != 0)
PYTHON
exit "$failed"
