#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""made_foreign.py - makes a Rust or Fortran program with functions of random signatures, which print their arguments and
their results as the programs of made_signatures.py do.

made_foreign.py rust|fortran SEED COUNT > FILE
"""
import random
import sys

# A type, how a random value of it is made, and the kind and the value of each of its parts.
RUST_TYPES = [
    ("i8", "next() as i8", [("i8", "{}")]),
    ("u8", "next() as u8", [("u8", "{}")]),
    ("i16", "next() as i16", [("i16", "{}")]),
    ("u16", "next() as u16", [("u16", "{}")]),
    ("i32", "next() as i32", [("i32", "{}")]),
    ("u32", "next() as u32", [("i32", "{} as i32")]),
    ("i64", "next() as i64", [("i64", "{}")]),
    ("usize", "next() as usize", [("i64", "{} as i64")]),
    ("bool", "next() & 1 == 1", [("bool", "{} as i32")]),
    ("char", "(b'a' + (next() % 26) as u8) as char", [("i32", "{} as i32")]),
    ("f32", "next() as i64 as f32 / 7.0", [("f32", "{}.to_bits()")]),
    ("f64", "next() as i64 as f64 / 7.0", [("f64", "{}.to_bits()")]),
    ("*const u8", "next() as *const u8", [("p64", "{} as i64")]),
    ("&'static i32", "&NUMBERS[(next() % 4) as usize]", [("p64", "{} as *const i32 as i64")]),
    ("&'static [i32]", "&NUMBERS[(next() % 4) as usize..]", [("p64", "{}.as_ptr() as i64"), ("i64", "{}.len() as i64")]),
    ("(i32, f64)", "(next() as i32, next() as i64 as f64 / 3.0)", [("i32", "{}.0"), ("f64", "{}.1.to_bits()")]),
]
RUST_HEAD = """// Made by made_foreign.py.
use std::sync::atomic::{AtomicU64, Ordering};
static STATE: AtomicU64 = AtomicU64::new(1);
static NUMBERS: [i32; 5] = [1, 2, 3, 4, 5];
fn next() -> u64 {
    let state = STATE.load(Ordering::Relaxed).wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    STATE.store(state, Ordering::Relaxed);
    if state >> 60 < 6 { state >> 33 & 0xff } else { state ^ state >> 29 }
}
"""
FORTRAN_TYPES = [
    ("integer(c_int8_t)", "int(iand(next(), 127_8), c_int8_t)", [("i8", "{}")]),
    ("integer(c_int16_t)", "int(iand(next(), 32767_8), c_int16_t)", [("i16", "{}")]),
    ("integer(c_int)", "int(iand(next(), 2147483647_8), c_int)", [("i32", "{}")]),
    ("integer(c_int64_t)", "next()", [("i64", "{}")]),
    ("real(c_float)", "real(next(), c_float) / 7", [("f32", "transfer({}, 0_4)")]),
    ("real(c_double)", "real(next(), c_double) / 7", [("f64", "transfer({}, 0_8)")]),
]


def choose(chance, types):
    return [chance.choice(types) for _ in range(chance.choice([0, 1, 2, 3, 4, 6]))], chance.choice(types)


def rust_values(parts, name):
    form = " ".join(kind + (":{:x}" if kind in ("f32", "f64") else ":{}") for kind, _ in parts)
    return form, [how.replace("{}", name) for _, how in parts]


def rust(chance, count):
    calls = []
    print(RUST_HEAD)
    for number in range(count):
        chosen, result = choose(chance, RUST_TYPES)
        # made_signatures.py takes an address and a length in braces for a structure in words.
        result = result if "[" not in result[0] else RUST_TYPES[4]
        forms, values = [], []
        for at, (_, _, parts) in enumerate(chosen):
            form, added = rust_values(parts, "a%d" % at)
            forms.append(form)
            values += added
        form, added = rust_values(result[2], "result")
        print("#[inline(never)]\n#[no_mangle]\npub fn made_%d(%s) -> %s {\n    let result: %s = %s;" % (
            number, ", ".join("a%d: %s" % (at, one[0]) for at, one in enumerate(chosen)), result[0], result[0], result[1]))
        print('    println!("%s", %s);\n    result\n}' % (" ".join(["made_%d" % number] + forms + ["=", form]),
                                                        ", ".join(values + added)))
        for _ in range(3):
            calls.append("    made_%d(%s);" % (number, ", ".join(one[1] for one in chosen)))
    chance.shuffle(calls)
    print("fn main() {\n" + "\n".join(calls) + "\n}")


def fortran_values(parts, name):
    return ["'%s:', %s" % (kind, how.replace("{}", name)) for kind, how in parts], [
        "A,Z0" if kind in ("f32", "f64") else "A,I0" for kind, _ in parts]


def fortran(chance, count):
    calls = []
    print("! Made by made_foreign.py.\nmodule made\nuse iso_c_binding\nimplicit none\ninteger(8) :: state = 1\ncontains\n"
          "integer(8) function next()\nstate = ieor(ishft(state, 13), state)\nstate = ieor(ishft(state, -7), state)\n"
          "state = ieor(ishft(state, 17), state)\nnext = ishft(state, -merge(56, 1, iand(state, 8_8) == 0))\nend function")
    for number in range(count):
        chosen, result = choose(chance, FORTRAN_TYPES)
        by_value = [chance.random() < 0.7 for _ in chosen]
        values, forms = ["'made_%d'" % number], ["A"]
        for at, (_, _, parts) in enumerate(chosen):
            added, form = fortran_values(parts if by_value[at] else [("p64", "loc({})")], "a%d" % at)
            values += ["' '"] + added
            forms += ["A"] + form
        added, form = fortran_values(result[2], "res")
        values += ["' = '"] + added
        forms += ["A"] + form
        print("function made_%d(%s) bind(C) result(res)" % (number, ", ".join("a%d" % at for at in range(len(chosen)))))
        for at, one in enumerate(chosen):
            print("%s%s :: a%d" % (one[0], ", value" if by_value[at] else "", at))
        print("%s :: res\nres = %s\nwrite (*, '(%s)') &\n%s\nend function" % (
            result[0], result[1], ",".join(forms), ", &\n".join(values)))
        for _ in range(3):
            calls.append((number, result[0], [one[1] for one in chosen]))
    chance.shuffle(calls)
    print("end module\nprogram main\nuse made\nimplicit none")
    for at, one in enumerate(FORTRAN_TYPES):
        print("%s :: r%d" % (one[0], at))
    for number, kind, values in calls:
        print("r%d = made_%d(%s)" % ([one[0] for one in FORTRAN_TYPES].index(kind), number, ", &\n".join(values)))
    print("end program")


{"rust": rust, "fortran": fortran}[sys.argv[1]](random.Random(int(sys.argv[2])), int(sys.argv[3]))
