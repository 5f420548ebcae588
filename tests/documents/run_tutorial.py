# SPDX-License-Identifier: MIT
"""run_tutorial.py - runs a tutorial in the working directory and compares the output with the page.

run_tutorial.py PAGE

A block marked "c" or "make" is a file, named by its first comment. A block marked "sh" is run. A block without a mark shows
lines that the last command must have printed, in any order and with other numbers. "..." in such a block stands for any lines,
and at the end of a line for the rest of the line.
"""
import os
import re
import subprocess
import sys

NUMBER = re.compile(r"[-+]?\d[\d,.]*( (ns|us|ms|s|%)(?!\w))?")


def without_numbers(line):
    return " ".join(NUMBER.sub("N", line).split())


def is_printed(line, found):
    if line.endswith(" ..."):
        return any(other.startswith(line[:-4]) for other in found)
    return line in found


def blocks(page):
    """Yields (mark, text) of each block between ``` and ```."""
    mark, lines = None, []
    for line in page.splitlines():
        if mark is None and line.startswith("```"):
            mark, lines = line[3:], []
        elif mark is not None and line == "```":
            yield mark, "\n".join(lines) + "\n"
            mark = None
        elif mark is not None:
            lines.append(line)


def main():
    with open(sys.argv[1]) as file:
        page = file.read()
    commands = outputs = 0
    printed = ""
    for mark, text in blocks(page):
        if mark in ("c", "make"):
            name = re.match(r"(?:/\*|#) ([\w.]+)", text).group(1)
            with open(name, "w") as file:
                file.write(text)
            # make compares times of files, and the clock of a file system may be coarse.
            for built in "orders", "libtable.so":
                if os.path.exists(built):
                    os.utime(built, (0, 0))
        elif mark == "sh":
            done = subprocess.run(["sh", "-eu", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True)
            printed = done.stdout
            commands += 1
            if done.returncode != 0:
                sys.exit("status %d of:\n%s%s" % (done.returncode, text, printed))
        elif mark == "":
            found = {without_numbers(line) for line in printed.splitlines()}
            for line in text.splitlines():
                if line and line != "..." and not is_printed(without_numbers(line), found):
                    sys.exit("not printed: %s\nbut:\n%s" % (line, printed))
            outputs += 1
    if commands < 10 or outputs < 8:
        sys.exit("%d commands and %d outputs: the page is read wrongly" % (commands, outputs))
    for name in "flame.svg", "view.html":
        if not os.path.getsize(name):
            sys.exit(name + " is empty")


main()
