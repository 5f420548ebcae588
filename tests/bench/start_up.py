# SPDX-License-Identifier: MIT
"""start_up.py - writes the sources of a program with many functions, of which few run.

start_up.py FUNCTIONS EXECUTED FILES

Writes part0.c, part1.c, ... with FUNCTIONS functions of about 390 bytes of code each, and start.c, whose main calls
EXECUTED of them in shuffled order. With -DTHREADS=N, N threads call them at the same time. At its end the program
requests the order file from those ways of instrumenting that do not write it by themselves.
"""
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
    calls = "".join(f"\tx = f{i}(x);\n" for i in order)
    dump = "\tif (__llvm_orderfile_dump)\n\t\t__llvm_orderfile_dump();\n"
    out.write("__attribute__((weak)) int __llvm_orderfile_dump(void);\n#ifdef THREADS\n#include <pthread.h>\n"
              "static pthread_barrier_t all;\nstatic void *begin(void *unused)\n{\n\tunsigned x = 1;\n\n"
              "\tpthread_barrier_wait(&all);\n" + calls + "\treturn x == 1 ? unused : 0;\n}\n"
              "int main(void)\n{\n\tpthread_t threads[THREADS];\n\n\tpthread_barrier_init(&all, 0, THREADS);\n"
              "\tfor (int i = 0; i < THREADS; i++)\n\t\tpthread_create(&threads[i], 0, begin, 0);\n"
              "\tfor (int i = 0; i < THREADS; i++)\n\t\tpthread_join(threads[i], 0);\n" + dump + "\treturn 0;\n}\n"
              "#else\nint main(int count, char **words)\n{\n\tunsigned x = (unsigned)count;\n\n\t(void)words;\n" +
              calls + dump + "\treturn x == 1;\n}\n#endif\n")
with open("true.order", "w") as out:
    out.write("main\n" + "".join(f"f{i}\n" for i in order))
