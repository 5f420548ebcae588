# SPDX-License-Identifier: MIT
# version0.py - a decoder and an encoder of version 0 of the trace format, written from the format's table, with its
# own Snappy decoder. The program shares no code with spoor.
import os, struct, sys

HEADER = struct.Struct("<10sBBIQqQqqi4s")
EVENT = struct.Struct("<qQII")
MAGIC = b"\xc8Spoor\r\n\x1a\n"
assert HEADER.size == 64 and EVENT.size == 24

def unsnap(data):
    at, length, shift = 0, 0, 0
    while True:
        byte = data[at]
        length |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            size = tag >> 2
            if size >= 60:
                more = size - 59
                size = int.from_bytes(data[at:at + more], "little")
                at += more
            out += data[at:at + size + 1]
            at += size + 1
            continue
        if tag & 3 == 1:
            size, offset = (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[at]
            at += 1
        else:
            bytes_of = 2 if tag & 3 == 2 else 4
            size, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + bytes_of], "little")
            at += bytes_of
        assert 0 < offset <= len(out)
        for _ in range(size):
            out.append(out[-offset])
    assert len(out) == length
    return bytes(out)

def decode(folder):
    files = []
    for name in os.listdir(folder):
        data = open(os.path.join(folder, name), "rb").read()
        magic, order, compression, version, session, process, thread, system, steady, count, padding = \
            HEADER.unpack(data[:64])
        assert magic == MAGIC and order == 0 and version == 0 and padding == bytes(4) and compression in (0, 1)
        assert system > 0 and steady > 0 and count > 0
        body = data[64:] if compression == 0 else unsnap(data[64:])
        assert len(body) == 24 * count
        # session - thread - time, with 16 digits each
        stem, suffix = name.split(".")
        fields = stem.split("-")
        assert suffix == "spoor_trace" and [len(f) for f in fields] == [16, 16, 16]
        assert int(fields[0], 16) == session and int(fields[1], 16) == thread
        files.append((process, thread, int(fields[2], 16), body))
    for process, thread, time, body in sorted(files):
        for at in range(0, len(body), 24):
            time_ns, payload_1, kind, payload_2 = EVENT.unpack_from(body, at)
            print(time_ns, process, thread, kind, payload_1, payload_2)

def header(events, **more):
    fields = dict(magic=MAGIC, order=0, compression=0, version=0, session=0xfedcba9876543210, process=77,
                  thread=5, system=1700000000000000000, steady=123456789, count=len(events), padding=bytes(4))
    fields.update(more)
    return HEADER.pack(*fields.values())

def write(folder):
    os.mkdir(folder)
    wanted = open(folder + ".wanted", "w")
    big = 0xffffffffffffffff
    sets = [
        # process, thread, time in the name, events
        (77, 5, 1000, [(900, 7 << 32 | 3, 1, 0), (950, big, 0x80000001, 0xffffffff), (980, 7 << 32 | 3, 2, 0)]),
        (77, 5, 2000, [(1500, 7 << 32 | 4, 1, 0), (1400, 9, 0xffffffff, 1), (1600, 7 << 32 | 4, 2, 0)]),
        (77, 6, 1500, [(1, 7 << 32 | 3, 1, 0)]),
        (78, 5, 1200, [(5000000000, 1, 0x80000000, 2)]),
    ]
    for process, thread, time, events in sets:
        name = "%016x-%016x-%016x.spoor_trace" % (0xfedcba9876543210, thread, time + process)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(header(events, process=process, thread=thread, steady=process))
            file.write(b"".join(EVENT.pack(*event) for event in events))
        for event in events:
            print(event[0], process, thread, event[2], event[1], event[3], file=wanted)

def damage(plain, snappy, folder):
    plain, snappy = open(plain, "rb").read(), open(snappy, "rb").read()
    assert snappy[11] == 1 and plain[11] == 0
    def put(name, data):
        open(os.path.join(folder, name + ".spoor_trace"), "wb").write(data)
    def at(data, offset, new):
        return data[:offset] + new + data[offset + len(new):]
    put("cut_header", plain[:40])
    put("empty", b"")
    put("magic", at(plain, 3, b"x"))
    put("big_endian", at(plain, 10, b"\1"))
    put("byte_order", at(plain, 10, b"\7"))
    put("newer", at(plain, 12, struct.pack("<I", 9)))
    put("version1", at(plain, 12, struct.pack("<I", 1)))
    put("compression", at(plain, 11, b"\3"))
    put("negative", at(plain, 56, struct.pack("<i", -1)))
    put("cut_events", plain[:-100])
    put("more_bytes", plain + b"1234567")
    put("cut_snappy", snappy[:len(snappy) // 2])
    put("flipped_snappy", at(snappy, 64, bytes([snappy[64] ^ 1])))
    put("count_snappy", at(snappy, 56, struct.pack("<i", 1)))
    # The length claims four gigabytes.
    put("bomb", at(snappy, 56, struct.pack("<i", 0x7ffffff))[:64] + b"\xff\xff\xff\xff\x0f" + b"\0x")
    put("time", at(plain, 64, struct.pack("<q", -5)))

if sys.argv[1] == "decode":
    decode(sys.argv[2])
elif sys.argv[1] == "write":
    write(sys.argv[2])
else:
    damage(*sys.argv[2:])
