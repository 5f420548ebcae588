#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""made_signatures.py - makes a program with functions of random signatures, and compares what they print with a trace.

made_signatures.py make SEED COUNT MACHINE [c++] > FILE.c
    With c++ some functions are methods or in a namespace, and parameters may be references, classes that are passed by
    address, and scoped enumerations.
    Each function prints its arguments and its result itself. Each is called three times, with other values.
made_signatures.py compare PRINTED REPLAYED [TYPED]
    PRINTED: the program's output. REPLAYED: the output of spoor replay for its trace, without debug information. TYPED:
    the same with debug information, which shows the contents of objects that are passed or returned by their address.
    Exits with 1 if they differ.
made_signatures.py fill SEEN PRINTED
    SEEN: values in the format of PRINTED, by a debugger. Writes them, with the program's own values for the unknown ones.
"""
import random
import re
import struct
import sys

# A type's name, and its parts as the calling convention passes them: the kind of each part, and how C reads it from
# the variable. i: integer of so many bits; u: unsigned; f: real; v: vector; b: bytes of a structure on the stack; field
# and words: the contents of an object whose address is passed.
TYPES = [
    ("signed char", [("i8", "%s")]),
    ("unsigned char", [("u8", "%s")]),
    ("short", [("i16", "%s")]),
    ("unsigned short", [("u16", "%s")]),
    ("int", [("i32", "%s")]),
    ("unsigned", [("i32", "%s")]),
    ("long", [("i64", "%s")]),
    ("unsigned long", [("i64", "%s")]),
    ("_Bool", [("bool", "%s")]),
    ("char *", [("p64", "(unsigned long)%s")]),
    ("float", [("f32", "%s")]),
    ("double", [("f64", "%s")]),
    ("long double", [("f80", "%s")]),
    ("__int128", [("i128", "%s")]),
    ("struct ints", [("i64", "*(long *)&%s")]),
    ("struct longs", [("i64", "%s.a"), ("i64", "%s.b")]),
    ("struct threes", [("i64", "*(long *)&%s"), ("i32", "%s.c")]),
    ("struct bytes", [("i24", "bytes(%s)")]),
    ("struct mixed", [("f64", "%s.x"), ("i32", "%s.i")]),
    ("struct reals", [("f64", "%s.a"), ("f64", "%s.b")]),
    ("struct floats", [("v64", "*(unsigned long *)&%s")]),
    ("double complex", [("f64", "creal(%s)"), ("f64", "cimag(%s)")]),
    ("struct large", [("b", "%s")]),
]
CXX_TYPES = [
    ("int &", [("p64", "(unsigned long)&%s")]),
    ("const longs &", [("p64", "(unsigned long)&%s")]),
    ("double &&", [("p64", "(unsigned long)&%s")]),
    ("struct kept", [("p64", "(unsigned long)&%s"), ("field", "%s.v")]),
    ("side", [("i16", "%s")]),
    ("holder *", [("p64", "(unsigned long)%s")]),
]
CXX_HEAD = """#define _Bool bool
struct holder;
enum class side : short { LEFT, RIGHT = -7 };
struct kept { int v; kept(int v) : v(v) {} kept(const kept &other) : v(other.v) {} ~kept() { v = 0; } };
static int pool_of_ints[9];
static longs pool_of_longs[9];
static double pool_of_reals[9];
"""
# Results in memory.
IN_MEMORY = {"struct large": [("words", "%s")], "struct kept": [("field", "%s.v")]}
# On AArch64 these have parts of other types, or are passed by address.
OTHER_ON_AARCH64 = ("struct mixed", "struct floats", "struct large", "long double")
# Structures with two parts that need two registers of one kind are passed whole or on the stack.
WHOLE = {"struct longs": (2, 0), "struct threes": (2, 0), "struct mixed": (1, 1), "struct reals": (0, 2), "double complex": (0, 2)}
HEAD = """/* Made by made_signatures.py. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct ints { int a, b; };
struct longs { long a, b; };
struct threes { int a, b, c; };
struct bytes { unsigned char a, b, c; };
struct mixed { double x; int i; };
struct reals { double a, b; };
struct floats { float a, b; };
struct large { long a[5]; };
static unsigned long state;
static unsigned long next(void)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	/* Small numbers, large ones, and bit patterns. */
	return state >> 60 < 6 ? state >> 33 & 0xff : state >> 60 < 10 ? -(state >> 33 & 0xffff) : state ^ state >> 29;
}
static double real(void) { return (double)(long)next() / 7; }
static void i(const char *kind, long value) { printf(" %s:%ld", kind, value); }
static void f32(float value) { unsigned bits; memcpy(&bits, &value, 4); printf(" f32:%x", bits); }
static void f64(double value) { unsigned long bits; memcpy(&bits, &value, 8); printf(" f64:%lx", bits); }
static void f80(long double value) { printf(" f80:%.25Lg", value); }
static void i128(__int128 value) { printf(" i128:%lx%016lx", (unsigned long)(value >> 64), (unsigned long)value); }
static void v64(unsigned long value) { printf(" v64:%lx", value); }
static int bytes(struct bytes value)
{
	return value.a | value.b << 8 | value.c << 16;
}
static void large(const char *kind, struct large value)
{
	printf(" %s:%lx,%lx,%lx,%lx,%lx", kind, value.a[0], value.a[1], value.a[2], value.a[3], value.a[4]);
}
"""


def show(kind, text):
    call = {"f32": "f32(%s)", "f64": "f64(%s)", "f80": "f80(%s)", "i128": "i128(%s)", "v64": "v64(%s)",
            "b": 'large("b", %s)', "words": 'large("words", %s)'}
    return (call.get(kind) or 'i("' + kind + '", (long)%s)') % text


def random_value(name):
    values = {
        "float": "(float)real()", "double": "real()", "long double": "(long double)real() / 3", "char *": "(char *)next()",
        "_Bool": "(_Bool)(next() & 1)", "__int128": "(__int128)(long)next() << (next() & 63) ^ next()",
        "struct ints": "(struct ints){ (int)next(), (int)next() }",
        "struct longs": "(struct longs){ (long)next(), (long)next() }",
        "struct threes": "(struct threes){ (int)next(), (int)next(), (int)next() }",
        "struct bytes": "(struct bytes){ (unsigned char)next(), (unsigned char)next(), (unsigned char)next() }",
        "struct mixed": "(struct mixed){ real(), (int)next() }",
        "struct reals": "(struct reals){ real(), real() }",
        "struct floats": "(struct floats){ (float)real(), (float)real() }",
        "double complex": "__builtin_complex(real(), real())",
        "int &": "pool_of_ints[next() % 9]", "const longs &": "pool_of_longs[next() % 9]",
        "double &&": "(double &&)pool_of_reals[next() % 9]", "struct kept": "kept((int)next())",
        "struct large": "(struct large){ { (long)next(), (long)next(), 3, 4, (long)next() } }",
    }
    return values.get(name, "(%s)next()" % name)


def fits(chosen):
    """Leaves out signatures in which a whole structure has only one register left: then it is on the stack."""
    general = real = 0
    for name, parts in chosen:
        need = WHOLE.get(name)
        if need and (general + need[0] > 6 or real + need[1] > 8):
            return False
        for kind, _ in parts:
            if kind == "i128":
                if general + 2 > 6:
                    return False
                general += 2
            elif kind[0] in "iup" or kind == "bool":
                general += 1
            elif kind in ("f32", "f64", "v64"):
                real += 1
    return True


def make(seed, count, machine, language="c"):
    chance = random.Random(seed)
    types = TYPES if machine == "x86_64" else [one for one in TYPES if one[0] not in OTHER_ON_AARCH64]
    calls, methods = [], []
    if language == "c++":
        types = [one for one in types if "complex" not in one[0]] + CXX_TYPES
        methods = chance.sample(range(count), count // 3)
        print(HEAD.replace("#include <complex.h>\n", "") + CXX_HEAD)
        print("struct holder {\n\tlong k;")
    else:
        print(HEAD)
    signatures = [signature(chance, types, machine, number in methods) for number in range(count)]
    for number in methods:
        print("\t%s made_%d(%s);" % (signatures[number][1], number, parameters_of(signatures[number][0])))
    if language == "c++":
        print("};\nstatic holder holders[9];")
    for number in range(count):
        chosen, result, result_parts = signatures[number]
        in_room = language == "c++" and number % 5 == 2 and number not in methods
        name = ("holder::" if number in methods else "") + "made_%d" % number
        print("%s__attribute__((noinline)) %s %s(%s)\n{" % ("namespace room { " if in_room else "", result, name,
                                                           parameters_of(chosen)))
        print('\t%s result = %s;\n\tprintf("made_%d");' % (result, random_value(result), number))
        if number in methods:
            print("\t%s;" % show("p64", "(unsigned long)this"))
        for at, (_, parts) in enumerate(chosen):
            for kind, how in parts:
                print("\t%s;" % show(kind, how % ("a%d" % at)))
        print('\tprintf(" =");')
        for kind, how in result_parts:
            print("\t%s;" % show(kind, how % "result"))
        # Without the assembly, putchar is a tail call if the function need not return the address of its result.
        print("\tputchar('\\n');\n\t__asm__ volatile(\"\");\n\treturn %s;\n}%s" % ("(double &&)result" if "&&" in result else "result",
                                                         " }" if in_room else ""))
        before = "holders[next() % 9]." if number in methods else "room::" if in_room else ""
        for _ in range(3):
            calls.append("\t%smade_%d(%s);" % (before, number, ", ".join(random_value(name) for name, _ in chosen)))
    chance.shuffle(calls)
    print("int main(int argc, char **argv)\n{\n\tstate = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;")
    print("\n".join(calls) + "\n\treturn 0;\n}")


def results_of(types, machine):
    """Arguments of these types are passed by an address that the program does not know, and results are not."""
    return types if machine == "x86_64" else types + [one for one in TYPES if one[0] == "struct large"]


def signature(chance, types, machine, is_method):
    """Returns the types of the parameters, and the result's type with its parts."""
    name, parts = chance.choice(results_of(types, machine))
    hidden = [("pointer", [("p64", "")])] * (is_method + (name in IN_MEMORY))
    while True:
        chosen = [chance.choice(types) for _ in range(chance.choice([0, 1, 2, 3, 4, 6, 9]))]
        if machine != "x86_64" or fits(hidden + chosen):
            break
    return (chosen, name, IN_MEMORY.get(name, parts))


def parameters_of(chosen):
    return ", ".join("%s a%d" % (name, at) for at, (name, _) in enumerate(chosen)) or "void"


def tokens_of(text):
    """Splits the text of values: names and brackets around parts are left out. A structure in words stays whole."""
    found = []
    text = re.sub(r"<in memory at 0x[0-9a-f]+>", "memory", text)
    for token in re.findall(r"\{0x[0-9a-f, x]*\}|[^\s{},=]+", re.sub(r"\b(arg|a)\d+=", "", text)):
        found.append(token)
    return found


def halves_of(printed):
    """Returns the two halves of an integer of 128 bits, or another value as it is."""
    kind, value = printed.split(":")
    if kind != "i128":
        return [printed]
    return ["i64:%d" % (int(value, 16) & 0xffffffffffffffff), "i64:%d" % (int(value, 16) >> 64)]


def is_same(printed, token):
    kind, value = printed.split(":")
    if kind in ("f32", "f64"):
        # The trace's text has the fewest digits that read back as the same number of this width.
        form, size = ("<f", 4) if kind == "f32" else ("<d", 8)
        return struct.pack(form, float(token)) == int(value, 16).to_bytes(size, "little")
    if kind == "f80":
        # Both have more digits than a double.
        return token == value or abs(float(token) - float(value)) <= 1e-15 * abs(float(value))
    if kind == "i128":
        return (int(token) - int(value, 16)) % (1 << 128) == 0
    if kind == "v64":
        return int(token.strip("{}"), 16) == int(value, 16)
    if kind == "b":
        return [int(word, 16) for word in token.strip("{}").split(",")] == [int(word, 16) for word in value.split(",")]
    if kind in ("field", "words"):
        return token == "memory"
    if kind == "bool":
        return token == ("true" if int(value) else "false")
    bits = int(kind[1:])
    # GCC's plugin describes a structure on the stack as bytes.
    return (int(token.strip("{}"), 0) - int(value)) % (1 << bits) == 0


def calls_in(replayed_path):
    with open(replayed_path, encoding="utf-8") as file:
        return re.findall(r" (?:\w+::)?(made_\d+)\((.*)\) = (.*) \S+;", file.read())


def contents_of(printed):
    """Returns the contents of objects in memory, in order, as text with debug information."""
    found = []
    for word in printed:
        kind, value = word.split(":") if ":" in word else (word, "")
        if kind == "field":
            found.append("{v=%s}" % value)
        elif kind == "words":
            numbers = [int(number, 16) for number in value.split(",")]
            found.append("{a=[%s]}" % ", ".join(str(number - (number >> 63 << 64)) for number in numbers))
    return found


def compare_contents(printed, typed):
    """Compares the contents of objects that are passed by their address. Returns the number of calls with other ones."""
    compared = faults = 0
    for words, (name, arguments, result) in zip(printed, typed, strict=True):
        end = words.index("=")
        want = contents_of(words[1:end]), contents_of(words[end:])
        have = re.findall(r"\{v=-?\d+\}", arguments), [result] * len(want[1])
        compared += len(want[0]) + len(want[1])
        if want != have:
            faults += 1
            print("printed: %s\ntyped:   %s(%s) = %s" % (" ".join(words), name, arguments, result), file=sys.stderr)
    print("%d objects in memory were compared, %d calls differ" % (compared, faults))
    return faults if compared else 1


def compare(printed_path, replayed_path, typed_path=None):
    with open(printed_path, encoding="ascii") as file:
        printed = [line.split() for line in file]
    replayed = calls_in(replayed_path)
    compared = faults = 0
    if len(printed) != len(replayed):
        sys.exit("%d calls were printed, and %d are in the trace" % (len(printed), len(replayed)))
    for words, (name, arguments, result) in zip(printed, replayed):
        end = words.index("=")
        want = [word for word in words[1:end] if not word.startswith("field:")] + words[end + 1:]
        have = tokens_of(arguments) + tokens_of(result)
        if len(have) == len(want) + sum(word.startswith("i128:") for word in want):
            # clang 14 passes such an integer as two.
            want = [half for word in want for half in halves_of(word)]
        good = name == words[0] and len(want) == len(have)
        good = good and all(is_same(word, token) for word, token in zip(want, have))
        compared += len(want)
        if not good:
            faults += 1
            print("printed: %s\ntrace:   %s(%s) = %s" % (" ".join(words), name, arguments, result), file=sys.stderr)
    print("%d values of %d calls were compared, %d calls differ" % (compared, len(printed), faults))
    if typed_path:
        faults += compare_contents(printed, calls_in(typed_path))
    sys.exit(faults != 0 or compared < 100)


def fill(seen_path, printed_path):
    with open(seen_path, encoding="ascii") as seen, open(printed_path, encoding="ascii") as printed:
        pairs = [(one.split(), other.split()) for one, other in zip(seen, printed, strict=True)]
    unknown = compared = 0
    for words, own in pairs:
        if len(words) != len(own):
            sys.exit("other values:\nseen:    %s\nprinted: %s" % (" ".join(words), " ".join(own)))
        # gdb may read a structure on the stack at another place, where an older one is.
        words = ["?" if word.startswith("b:") and word != mine else word for word, mine in zip(words, own)]
        print(*[mine if word == "?" else word for word, mine in zip(words, own)])
        unknown += words.count("?")
        compared += len(words) - 2
    print("%d of %d values are unknown to the debugger" % (unknown, compared), file=sys.stderr)
    if unknown > compared // 10:
        sys.exit("these are more than 10 %")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
elif sys.argv[1] == "fill":
    fill(sys.argv[2], sys.argv[3])
else:
    compare(*sys.argv[2:])
