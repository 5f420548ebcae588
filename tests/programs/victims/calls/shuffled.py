# SPDX-License-Identifier: MIT
"""shuffled.py FUNCTIONS EXECUTED SEED - writes a program with FUNCTIONS functions, one after the
other in the source, which calls EXECUTED of them in shuffled order, some of them again. Every
third one is in a library. Each prints its name on stderr when it is first called."""
import random
import sys

functions, executed, seed = map(int, sys.argv[1:])
draw = random.Random(seed)
order = draw.sample(range(functions), executed)
head = r"""#include <unistd.h>
extern int told[];
#define TELL(n) do { if (!told[n]++ && write(2, "f" #n "\n", sizeof("f" #n "\n") - 1) < 0) _exit(9); } while (0)
"""

with open("program.c", "w") as program, open("library.c", "w") as library:
    program.write(head + f"int told[{functions}];\n")
    library.write(head)
    for i in range(functions):
        part = program if i % 3 else library
        part.write(f"__attribute__((noinline)) void f{i}(void) {{ TELL({i}); }}\n")
        if part is library:
            program.write(f"void f{i}(void);\n")
    program.write("int main(int count, char **words)\n{\n\t(void)words;\n")
    for position, i in enumerate(order):
        program.write(f"\tf{i}();\n")
        if position % 5 == 0:
            program.write(f"\tf{order[draw.randrange(position + 1)]}();\n")
        if position == executed // 2:
            program.write("\tif (count > 1)\n\t\t__builtin_trap();\n")
    program.write("\treturn 0;\n}\n")
