# SPDX-License-Identifier: MIT
"""damage.py - reads traces that are cut or have a flipped bit, with every tool.

damage.py SPOOR MAKE_GOLDEN LIBRARY [every]

Damage in a file of blocks costs the damaged block and no other. Each tool must print the same output as for
the trace without that block, report that events are missing, and exit with 1. Files without checksums are the
pool, counts and orders: for these, a tool reports the damage, or prints the same output as before. Symbols
of a module are used or rejected. Without `every`, only some bytes and bits are tried.
Each file is damaged in a separate folder, with one process for each processor.
"""
import hashlib
import multiprocessing
import os
import re
import shutil
import struct
import subprocess
import sys

spoor, make_golden, library = sys.argv[1:4]
every = sys.argv[4:] == ["every"]
MAGIC = bytes.fromhex("c853706f6f720d0a1a0a")
HEADER_BYTES = 64 + 24		# and the part of the payload that all blocks share
OUT = "shown"
bad = runs = 0

# Commands that read the whole trace; the other commands use the same readers.
FEW = [["replay", "--timestamps"], ["info"]]
TOOLS = FEW + [["replay", "--merge"], ["replay", "--slowest", "3"], ["report", "--format=csv"], ["report", "--format=json", "--group", "thread"],
               ["flame", "--format=folded"], ["flame", "-o", OUT], ["graph"], ["graph", "--format=dot"], ["view", "-o", OUT], ["pack", "-o", OUT],
               ["filters", "--suggest"]]
FORMATS = ["perfetto", "chrome", "speedscope", "csv", "json", "rowbinary", "folded", "callgrind", "pprof", "firefox", "ctf", "spoor", "otf2"]
# A build without libotf2 has no such export.
if "apt-get install" in subprocess.run([spoor, "export", "--format=otf2", "-o", OUT, "nowhere"], capture_output=True, text=True).stderr:
    FORMATS.remove("otf2")
TOOLS += [["export", "--format=" + name, "-o", OUT] for name in FORMATS]


def complain(*words):
    global bad
    bad += 1
    print(*words)


def written_output():
    """Returns the written output: the file, or a digest of all files in the folder."""
    if not os.path.isdir(OUT):
        with open(OUT, "rb") as file:
            return file.read()
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(OUT):
        folders.sort()
        # OTF2's anchor file contains a random number.
        for name in sorted(set(names) - {"traces.otf2"}):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.digest()


def run(command, trace="variant"):
    """Returns status, output and messages. The tool must end, and print few messages."""
    global runs
    runs += 1
    shutil.rmtree(OUT, ignore_errors=True)
    if os.path.exists(OUT):
        os.unlink(OUT)
    done = subprocess.run([spoor, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    out = written_output() if OUT in command and os.path.exists(OUT) else done.stdout
    if command[0] == "pack" and os.path.isdir(OUT):
        # The packed trace has the same damage. It is read from another place.
        out = run_quietly(["replay"], OUT)
    said = done.stderr.decode(errors="replace").splitlines()
    if done.returncode not in (0, 1) or done.returncode and not said or len(said) > 8 or len(out) > 1 << 20:
        complain(f"{' '.join(command)}: exit status {done.returncode}, {len(out)} bytes, said {said[:9]}")
    return done.returncode, out, said


def run_quietly(command, trace):
    return subprocess.run([spoor, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout


def block_places(data):
    """Returns the (begin, end) of each block, from the headers."""
    at, places = 0, []
    while at < len(data):
        assert data[at:at + 10] == MAGIC
        end = at + 64 + struct.unpack_from("<I", data, at + 60)[0]
        places.append((at, end))
        at = end
    return places


def write(name, data):
    with open(f"variant/{name}", "wb") as file:
        file.write(data)


def variant_of(trace):
    shutil.rmtree("variant", ignore_errors=True)
    shutil.copytree(f"../{trace}", "variant")


def expect_saved(what, command, saved, is_any_left):
    """Checks that a tool exits with 1 after a message and prints the rest, or no output if no call is left."""
    status, out, said = run(command)
    if status != 1 or out != saved and (out or is_any_left):
        complain(f"{what}: {' '.join(command)}: exit status {status}, shows {'the rest' if out == saved else out[-200:]}, said {said}")


def damage_block(trace, name, tools, i):
    """Flips each bit in one block's header, and runs the tools. Also cuts the last block anywhere."""
    variant_of(trace)
    with open(f"variant/{name}", "rb") as file:
        whole = file.read()
    places = block_places(whole)
    begin, end = places[i]
    write(name, whole[:begin] + whole[end:])
    saved = {str(command): run(command)[1] for command in tools}
    if end == len(whole):
        for cut in range(begin + 1, end, 1 if every else 97):
            write(name, whole[:cut])
            for command in tools:
                expect_saved(f"{trace}/{name} cut at {cut}", command, saved[str(command)], len(places) > 1)
    for bit in range(begin * 8, (begin + HEADER_BYTES) * 8, 1 if every else 463):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        write(name, data)
        for command in tools:
            expect_saved(f"{trace}/{name} bit {bit}", command, saved[str(command)], len(places) > 1)


def flip_unchecked(what, name, data, places, commands):
    """Flips each bit at these places. The output must be the same, or there must be a message."""
    path = f"variant/{name}"
    intact = {str(command): run(command) for command in commands}
    noticed = 0
    for bit in [8 * place + i for place in places for i in range(8)][:: 1 if every else 29]:
        with open(path, "r+b") as file:
            file.seek(bit // 8)
            file.write(bytes([data[bit // 8] ^ 1 << bit % 8]))
        for command in commands:
            status, out, said = run(command)
            noticed += said != intact[str(command)][2]
            if said == intact[str(command)][2] and (status, out) != intact[str(command)][:2]:
                complain(f"{what} bit {bit}: {' '.join(command)}: exit status {status}, no message, and the output {out[-200:]}")
        with open(path, "r+b") as file:
            file.seek(bit // 8)
            file.write(data[bit // 8:bit // 8 + 1])
    if not noticed:
        complain(f"{what}: no damage was reported")


def damage_counts_and_order():
    """Writes and damages the files of the modes count and order (count_format.h, order_format.h)."""
    variant_of("whole/4712")
    header = struct.pack("<QIIQIIQ", 0x31746e6372707073, 1, 1 << 22, 1, 4712, 3, 0)
    with open("variant/counts.spoor", "wb") as file:
        file.write(header)
        for lane in range(3):
            file.seek(4096 + lane * (8 << 22))
            file.write(struct.pack("<4Q", 0, 3, 0, 5 + lane))
        file.truncate(4096 + 64 * (8 << 22))
    # These two numbers have no second source: the lost calls, and their process.
    places = [*range(0, 16), *range(28, 32)]
    flip_unchecked("counts", "counts.spoor", header, places, [["report", "--format=csv"], ["info"]])
    os.unlink("variant/counts.spoor")
    header = struct.pack("<QIIQQII", 0x3164726f72707073, 1, 4712, 1, 0, 3, 8)
    write("order.spoor", header.ljust(64, b"\0") + struct.pack("<8I", 4, 2, 3, 0, 0, 0, 0, 0))
    flip_unchecked("order", "order.spoor", header, range(40), [["order"], ["info"]])


def damage_symbols():
    """Damages the symbols of a packed trace. Damaged symbols cause a message and name no function."""
    shutil.copy(library, "library.so")
    subprocess.run([make_golden, "named", os.path.abspath("library.so")], check=True)
    run_quietly(["pack", "-o", "variant"], "named")
    os.unlink("library.so")  # otherwise its names would be used
    for name in sorted(os.listdir("variant/symbols")):
        with open(f"variant/symbols/{name}", "rb") as file:
            data = file.read()
        sections, = struct.unpack_from("<Q", data, 40)
        flip_unchecked("symbols", f"symbols/{name}", data, [*range(64), *range(sections, len(data))], [["report", "--format=csv"]])


def cut_and_flip(trace, name):
    """Cuts the file anywhere and flips any bit, for the two commands that read the whole trace."""
    variant_of(trace)
    with open(f"variant/{name}", "rb") as file:
        whole = file.read()
    intact = {str(command): run(command)[1] for command in FEW}
    for cut in range(0, len(whole), 1 if every else 61):
        write(name, whole[:cut])
        for command in FEW:
            run(command)
    for bit in range(0, len(whole) * 8, 1 if every else 499):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        write(name, data)
        # The last block may look torn while its slice is still in the pool, so no event is missing.
        outcomes = [run(command) for command in FEW]
        if outcomes[1][0] == 0 and outcomes[0][1] != intact[str(FEW[0])]:
            complain(f"flip {trace}/{name} bit {bit}: other output and no message")


def damage_pool():
    """Damages the pool's header, infos and words. These have no checksum, so a tool may print anything, but must not
    crash."""
    variant_of("whole/4711")
    slices = 65536 + 16384 * 64
    places = [*range(0, 6400), *range(65536, 65536 + 256)] + [slices + 65536 * i + 32768 + o for i in range(3) for o in range(64)]
    with open("variant/pool.spoor", "r+b", buffering=0) as file:
        for place in places[:: 1 if every else 37]:
            file.seek(place)
            byte = file.read(1)[0]
            for bit in range(8) if every else (place % 8,):
                file.seek(place)
                file.write(bytes([byte ^ 1 << bit]))
                for command in FEW if place >= 128 else TOOLS:
                    run(command)
            file.seek(place)
            file.write(bytes([byte]))


def run_job(number, job, *arguments):
    """Runs a job in a new folder and a new process. Returns the number of runs, and of bad ones."""
    os.mkdir(str(number))
    os.chdir(str(number))
    job(*arguments)
    return runs, bad


def main():
    subprocess.run([make_golden, "whole", library], check=True)
    tools = [command for command in TOOLS if "apt-get install" not in str(run(command, "whole")[2])]
    # A trace without its pool, so that all events are in blocks.
    shutil.copytree("whole/4711", "drained")
    os.unlink("drained/pool.spoor")
    jobs = [(damage_pool,), (damage_symbols,), (damage_counts_and_order,)]
    jobs += [(cut_and_flip, "whole/" + trace, name) for trace, name in (("4711", "process.spoor"), ("4711", "events.spoor"), ("4712", "events.spoor"))]
    jobs += [(damage_block, "whole/4712", "events.spoor", tools, -1)]
    for name in ("process.spoor", "events.spoor"):
        with open(f"drained/{name}", "rb") as file:
            count = len(block_places(file.read()))
        for i in range(count) if every else (0, count // 2, count - 1):
            jobs.append((damage_block, "drained", name, tools if every or name == "events.spoor" else FEW, i))
    with multiprocessing.Pool(maxtasksperchild=1) as workers:
        done = workers.starmap(run_job, [(i, *job) for i, job in enumerate(jobs)], chunksize=1)
    bad = sum(wrong for _, wrong in done)
    print(f"{sum(runs for runs, _ in done)} runs over damaged traces, {bad} bad")
    sys.exit(bad != 0)


main()
