#!/bin/sh
# SPDX-License-Identifier: MIT
# toml.sh - compares spoor's TOML reader with Python's: files that spoor accepts are accepted by Python with the same
# values, and spoor accepts every file in the subset that it supports. The files are some thousand valid files and
# mutations of them.
set -eu
python3 -c 'import tomllib' 2> /dev/null || exit 77
exec python3 - "$top_builddir/tests/unit/support/toml_pairs" "${SPOOR_LONG:+200000}" << 'END'
import random, subprocess, sys, tomllib

count = int(sys.argv[2] or 8000)
draw = random.Random(4711)

def basic():
    pieces = ["a", "é", "😀", " ", "#", "'", "=", "\t", "\\t", "\\\"", "\\\\", "\\u00e9", "\\U0001F600", "\\n", "$HOME", "~/"]
    return '"' + "".join(draw.choice(pieces) for _ in range(draw.randrange(12))) + '"'

def literal():
    return "'" + "".join(draw.choice(["a", "\\", "\\u", '"', "é", "#", " "]) for _ in range(draw.randrange(12))) + "'"

def digits(alphabet):
    text = "".join(draw.choice(alphabet) + draw.choice(["", "", "_"]) for _ in range(draw.randrange(8)))
    return text + draw.choice(alphabet)

def number():
    kind = draw.randrange(5)
    if kind == 0:
        return "0x" + digits("0123456789abcdefABCDEF")
    if kind == 1:
        return "0o" + digits("01234567")
    if kind == 2:
        return "0b" + digits("01")
    return draw.choice(["", "+", "-"]) + draw.choice(["0", draw.choice("123456789"), draw.choice("123456789") + digits("0123456789")])

def line(i):
    blank = lambda: draw.choice(["", " ", "\t", "  "])
    if draw.randrange(5) == 0:
        return blank() + draw.choice(["", "# comment é", "#"])
    value = draw.choice([basic, literal, number, lambda: draw.choice(["true", "false"])])()
    return f"{blank()}k{i}-_{draw.choice('aZ9')}{blank()}={blank()}{value}{blank()}{draw.choice(['', '# c', '#'])}"

def mutated(data):
    data = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(3)
        if kind == 0:
            data[at:at] = draw.choice([b'"', b"'", b"\\", b"\n", b"\r", b"=", b"[", b".", b"_", b"0", b"e", b"-", b"\0", b"\x7f", b"\xff", b"\xc3", b"#", b"true", b'"""'])
        elif kind == 1 and data:
            del data[at % len(data)]
        elif data:
            data[at % len(data)] = draw.randrange(256)
    return bytes(data)

texts = []
for _ in range(count):
    text = "".join(line(i) + draw.choice(["\n", "\r\n"]) for i in range(draw.randrange(6))).encode()
    right = draw.randrange(3) == 0
    texts.append((text if right else mutated(text), right))

answer = subprocess.run([sys.argv[1]], input=b"".join(b"%d\n%s" % (len(t), t) for t, _ in texts),
                        stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
lines = iter(answer)
accepted = agreed_refused = 0
for text, right in texts:
    pairs = {}
    repeated = False
    for said in lines:
        if said in ("end", "refused"):
            break
        key, kind, value = (said.split(" ") + [""])[:3]
        repeated |= key in pairs
        pairs[key] = {"string": lambda: bytes.fromhex(value).decode(), "integer": lambda: int(value),
                      "boolean": lambda: value == "true"}[kind]()
    if said == "refused":
        assert not right, text
        agreed_refused += 1
        continue
    if repeated:    # the caller detects duplicate keys
        continue
    try:
        theirs = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SystemExit(f"accepted {text!r}: {error}")
    assert theirs == pairs and all(type(theirs[k]) is type(pairs[k]) for k in pairs), (text, theirs, pairs)
    accepted += 1
print(f"{accepted} accepted alike, {agreed_refused} refused")
assert accepted > count // 3 and agreed_refused > count // 10 and next(lines, None) is None
END
