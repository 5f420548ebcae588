#!/bin/sh
# SPDX-License-Identifier: MIT
# sdt_arguments_long.sh - tracepoints of spoor/sdt.h with 0 to 12 arguments of every width and sign, bool,
# enumerations and pointers, with their least, greatest and other values. The hits, recorded by breakpoint and by
# semaphore, equal the output of the generated program: by gcc and every clang, in C and C++, at all levels,
# position-independent and not, with link-time optimisation.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor sets no breakpoints in an emulated process"
spoor=$top_builddir/tools/spoor

cat > generate.py <<'END'
import random
draw = random.Random(5)
types = [("int8_t", 8, True), ("uint8_t", 8, False), ("int16_t", 16, True), ("uint16_t", 16, False), ("int32_t", 32, True),
         ("uint32_t", 32, False), ("int64_t", 64, True), ("uint64_t", 64, False), ("bool", 1, False), ("enum e", 32, False),
         ("const char *", 64, False), ("long long", 64, True)]

def cut(bits, signed, value):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value

def literal(name, value):
    if name == "const char *":
        return "(const char *)(uintptr_t)%dull" % value
    if value == -(1 << 63):
        return "INT64_MIN"
    return "(%s)%d%s" % (name, value, "ll" if value < 1 << 63 else "ull")

print("#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <spoor/sdt.h>\nenum e { A, B = 4000000000u };")
calls = []
for count in range(13):
    for variant in range(3):
        chosen = [types[(i * 5 + variant * 4 + count) % 12] for i in range(count)]
        draw.shuffle(chosen)
        values = [cut(bits, signed, draw.choice([0, 1, (1 << bits) - 1, 1 << (bits - 1), draw.getrandbits(64)]))
                  for _, bits, signed in chosen]
        name, names = "%d_%d" % (count, variant), "".join(", a%d" % i for i in range(count))
        print("SPOOR_SDT_DEFINE_SEMAPHORE(w, s%s);\n__attribute__((noinline)) static void f%s(%s)\n{\n\t"
              "__asm__ volatile(\"\" ::: \"memory\");\n\tSPOOR_SDT(w, p%s%s);\n\tSPOOR_SDT_WITH_SEMAPHORE(w, s%s%s);\n}" %
              (name, name, ", ".join("%s a%d" % (t[0], i) for i, t in enumerate(chosen)) or "void", name, names, name, names))
        calls.append("f%s(%s);" % (name, ", ".join(literal(t[0], v) for t, v in zip(chosen, values))))
        said = "".join(" %s%d=%d" % ("i" if s else "u", max(b, 8), v) for (_, b, s), v in zip(chosen, values))
        calls += ['puts("w:%s%s%s");' % (kind, name, said) for kind in "ps"]
print("int main(void)\n{\n\t%s\n\treturn 0;\n}" % "\n\t".join(calls))
END
cat > hits.py <<'END'
import json, sys
for event in json.load(sys.stdin)["events"]:
    if event["event"] == "tracepoint":
        print(event["tracepoint"], *["%s=%d" % ("u64" if a["type"] == "ptr" else a["type"], int(str(a["value"]), 0))
                                     for a in event["arguments"]])
END
python3 generate.py > arguments.c
cp arguments.c arguments.cc
for compiler in gcc /usr/lib/llvm-*/bin/clang; do
	cxx=$(echo "$compiler" | sed 's/gcc$/g++/; s/clang$/clang++/')
	lto=-flto
	[ "$compiler" = gcc ] || lto='-flto=thin -fuse-ld=lld'
	for level in -O0 -O1 -O2 -O3; do
		for flags in -fPIE '-fno-pie -no-pie' "$lto"; do
			# shellcheck disable=SC2086
			"$compiler" -w $level $flags -I"$top_srcdir/libspoor/include" -o c arguments.c
			# shellcheck disable=SC2086
			"$cxx" -w $level $flags -I"$top_srcdir/libspoor/include" -o cxx arguments.cc
			for program in c cxx; do
				rm -rf t
				"$spoor" record -q -o t --tracepoint 'w:*' ./$program > printed 2> err
				silent err
				"$spoor" export --format json --flat t | python3 hits.py > got
				cmp printed got ||
					fail "$compiler $level $flags, $program: printed (<) and recorded hits (>)" \
						"differ: $(diff printed got | head -n 4)"
				equal "hits" "$(wc -l < got)" 78
			done
		done
	done
done
