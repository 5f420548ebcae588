# SPDX-License-Identifier: MIT
"""manual_examples.py - extracts the commands in the section EXAMPLES of a manual page, one display after the other.

manual_examples.py PAGE FOLDER: writes each display unchanged to FOLDER/PAGE.N.sh, and prints the names.
"""
import os
import re
import sys

page, folder = sys.argv[1:]
blocks, block, inside = [], None, False
with open(page) as file:
    for line in file:
        line = line.rstrip("\n")
        if line.startswith(".Sh "):
            inside = line == ".Sh EXAMPLES"
        elif not inside:
            continue
        elif line.startswith(".Bd -literal"):
            block = []
        elif line == ".Ed":
            blocks.append(block)
            block = None
        elif block is not None:
            block.append(line)
        elif line.startswith(".Dl "):
            # Adjacent lines form one display.
            if not last.startswith(".Dl "):
                blocks.append([])
            blocks[-1].append(line[4:])
        last = line
for number, block in enumerate(blocks):
    lines = [re.sub(r"\\&", "", line).replace(r"\e", "\\") for line in block]
    lines = [line[2:] if line.startswith("$ ") else line for line in lines]
    name = "%s.%d.sh" % (os.path.basename(page), number + 1)
    with open(os.path.join(folder, name), "w") as file:
        file.write("\n".join(lines) + "\n")
    print(name)
if not blocks:
    sys.exit("manual_examples.py: %s has no examples" % page)
