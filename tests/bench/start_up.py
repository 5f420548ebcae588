# SPDX-License-Identifier: MIT
"""start_up.py FUNCTIONS EXECUTED FILES - writes part0.c, part1.c, ... with so many functions of
some 390 bytes of code each, and start.c, whose main calls so many of them in shuffled order."""
import random
import sys

functions, executed, files = map(int, sys.argv[1:])
draw = random.Random(1)
order = draw.sample(range(functions), executed)

for part in range(files):
    with open(f"part{part}.c", "w") as out:
        for i in range(part, functions, files):
            out.write(f"unsigned f{i}(unsigned x)\n{{\n")
            for _ in range(draw.randrange(20, 65)):
                out.write(f"\tx = (x ^ {draw.getrandbits(30)}u) * {draw.getrandbits(30) | 1}u;\n")
            out.write("\treturn x;\n}\n")
with open("start.c", "w") as out:
    for i in order:
        out.write(f"unsigned f{i}(unsigned x);\n")
    out.write("int main(int count, char **words)\n{\n\tunsigned x = (unsigned)count;\n\n\t(void)words;\n")
    for i in order:
        out.write(f"\tx = f{i}(x);\n")
    out.write("\treturn x == 1;\n}\n")
with open("true.order", "w") as out:
    out.write("main\n" + "".join(f"f{i}\n" for i in order))
