# SPDX-License-Identifier: MIT
"""damage.py - what every tool makes of a trace that is cut off or has a bit flipped.

damage.py SPOOR MAKE_GOLDEN LIBRARY [every]

What is lost of a trace of blocks is the damaged block and nothing else, so each tool shows what it shows
of the same trace without that block, says that something is missing, and exits with 1. Of what has no
checksum - the pool, counts, an order - a tool says what is wrong with it, or shows it as it is; a module's
symbols are taken or refused. Without `every`, some bytes and bits stand for all of them.
Each file is damaged in a folder of its own, as many at a time as there are processors.
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
HEADER_BYTES = 64 + 24		# and what of the payload is the same for all
OUT = "shown"
bad = runs = 0

# Those that read all there is, and of the others whatever reads a trace.
FEW = [["replay", "--timestamps"], ["info"]]
TOOLS = FEW + [["replay", "--merge"], ["replay", "--slowest", "3"], ["report", "--format=csv"], ["report", "--format=json", "--group", "thread"],
               ["flame", "--format=folded"], ["flame", "-o", OUT], ["graph"], ["graph", "--format=dot"], ["view", "-o", OUT], ["pack", "-o", OUT],
               ["filters", "--suggest"]]
FORMATS = ["perfetto", "chrome", "speedscope", "csv", "json", "rowbinary", "folded", "callgrind", "pprof", "firefox", "ctf", "spoor", "otf2"]
# A build that was configured before libotf2 was there has it not.
if "apt-get install" in subprocess.run([spoor, "export", "--format=otf2", "-o", OUT, "nowhere"], capture_output=True, text=True).stderr:
    FORMATS.remove("otf2")
TOOLS += [["export", "--format=" + name, "-o", OUT] for name in FORMATS]


def complain(*words):
    global bad
    bad += 1
    print(*words)


def shown():
    """What has been written: a file, or all of a folder."""
    if not os.path.isdir(OUT):
        with open(OUT, "rb") as file:
            return file.read()
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(OUT):
        folders.sort()
        # OTF2's anchor has a number drawn for each archive.
        for name in sorted(set(names) - {"traces.otf2"}):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.digest()


def run(command, trace="variant"):
    """Status, what is shown and what is said. It comes to an end, and says little."""
    global runs
    runs += 1
    shutil.rmtree(OUT, ignore_errors=True)
    if os.path.exists(OUT):
        os.unlink(OUT)
    done = subprocess.run([spoor, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    out = shown() if OUT in command and os.path.exists(OUT) else done.stdout
    if command[0] == "pack" and os.path.isdir(OUT):
        # Packed as it is, damage and all, to be read elsewhere.
        out = run_quietly(["replay"], OUT)
    said = done.stderr.decode(errors="replace").splitlines()
    if done.returncode not in (0, 1) or done.returncode and not said or len(said) > 8 or len(out) > 1 << 20:
        complain(f"{' '.join(command)}: exit status {done.returncode}, {len(out)} bytes, said {said[:9]}")
    return done.returncode, out, said


def run_quietly(command, trace):
    return subprocess.run([spoor, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout


def blocks(data):
    """Where each block is, by its header."""
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
    """Its status is 1, it says why, and shows what is left; if that is no call, perhaps nothing at all."""
    status, out, said = run(command)
    if status != 1 or out != saved and (out or is_any_left):
        complain(f"{what}: {' '.join(command)}: exit status {status}, shows {'what is left' if out == saved else out[-200:]}, said {said}")


def block_by_block(trace, name, tools, i):
    """Each bit of one block's header, for these tools; the last block is cut anywhere, too."""
    variant_of(trace)
    with open(f"variant/{name}", "rb") as file:
        whole = file.read()
    places = blocks(whole)
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


def unchecked(what, name, data, places, commands):
    """Each bit at these places: shown as before, or something is said."""
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
                complain(f"{what} bit {bit}: {' '.join(command)}: exit status {status}, not a word, and {out[-200:]}")
        with open(path, "r+b") as file:
            file.seek(bit // 8)
            file.write(data[bit // 8:bit // 8 + 1])
    if not noticed:
        complain(what, "is never damaged")


def counts_and_order():
    """As mode 'count' and mode 'order' leave them (count_format.h, order_format.h), written here."""
    variant_of("whole/4712")
    header = struct.pack("<QIIQIIQ", 0x31746e6372707073, 1, 1 << 22, 1, 4712, 3, 0)
    with open("variant/counts.spoor", "wb") as file:
        file.write(header)
        for lane in range(3):
            file.seek(4096 + lane * (8 << 22))
            file.write(struct.pack("<4Q", 0, 3, 0, 5 + lane))
        file.truncate(4096 + 64 * (8 << 22))
    # Neither of these two numbers is told by anything else: calls lost, and whose they are.
    places = [*range(0, 16), *range(28, 32)]
    unchecked("counts", "counts.spoor", header, places, [["report", "--format=csv"], ["info"]])
    os.unlink("variant/counts.spoor")
    header = struct.pack("<QIIQQII", 0x3164726f72707073, 1, 4712, 1, 0, 3, 8)
    write("order.spoor", header.ljust(64, b"\0") + struct.pack("<8I", 4, 2, 3, 0, 0, 0, 0, 0))
    unchecked("order", "order.spoor", header, range(40), [["order"], ["info"]])


def symbols():
    """A packed trace's symbols are ELF files: what is wrong with them is said, and names nothing."""
    shutil.copy(library, "library.so")
    subprocess.run([make_golden, "named", os.path.abspath("library.so")], check=True)
    run_quietly(["pack", "-o", "variant"], "named")
    os.unlink("library.so")  # whose names would be taken else
    for name in sorted(os.listdir("variant/symbols")):
        with open(f"variant/symbols/{name}", "rb") as file:
            data = file.read()
        sections, = struct.unpack_from("<Q", data, 40)
        unchecked("symbols", f"symbols/{name}", data, [*range(64), *range(sections, len(data))], [["report", "--format=csv"]])


def anything(trace, name):
    """Cut anywhere and with any bit flipped, in short: the two readers that read all."""
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
        # The last block may seem torn and its slice be in the pool still: nothing is lost.
        outcomes = [run(command) for command in FEW]
        if outcomes[1][0] == 0 and outcomes[0][1] != intact[str(FEW[0])]:
            complain(f"flip {trace}/{name} bit {bit}: nobody noticed")


def pool():
    """Its header, its slices' infos, the words of its slices. Nothing checks those, so nothing need notice;
    nothing may crash either."""
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


def alone(number, job, *arguments):
    """A job in a folder of its own, in a process of its own: how many runs, and how many were bad."""
    os.mkdir(str(number))
    os.chdir(str(number))
    job(*arguments)
    return runs, bad


def main():
    subprocess.run([make_golden, "whole", library], check=True)
    tools = [command for command in TOOLS if "apt-get install" not in str(run(command, "whole")[2])]
    # A trace whose pool is gone, so that what was in it is told by its blocks alone.
    shutil.copytree("whole/4711", "drained")
    os.unlink("drained/pool.spoor")
    jobs = [(pool,), (symbols,), (counts_and_order,)]
    jobs += [(anything, "whole/" + trace, name) for trace, name in (("4711", "process.spoor"), ("4711", "events.spoor"), ("4712", "events.spoor"))]
    jobs += [(block_by_block, "whole/4712", "events.spoor", tools, -1)]
    for name in ("process.spoor", "events.spoor"):
        with open(f"drained/{name}", "rb") as file:
            count = len(blocks(file.read()))
        for i in range(count) if every else (0, count // 2, count - 1):
            jobs.append((block_by_block, "drained", name, tools if every or name == "events.spoor" else FEW, i))
    with multiprocessing.Pool(maxtasksperchild=1) as workers:
        done = workers.starmap(alone, [(i, *job) for i, job in enumerate(jobs)], chunksize=1)
    bad = sum(wrong for _, wrong in done)
    print(f"{sum(runs for runs, _ in done)} runs over damaged traces, {bad} bad")
    sys.exit(bad != 0)


main()
