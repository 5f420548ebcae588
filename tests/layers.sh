#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh - checks each #include and each Makefile fragment against the layers of folders in CONTRIBUTING.md.
# There is no list of exceptions.
#
# LAYERS_TREE: another tree to check.
set -eu
exec python3 - "${LAYERS_TREE:-$top_srcdir}" << 'END'
import collections
import os
import re
import sys

tree = sys.argv[1]
TOP = {"libspoor", "libspoor_dso", "pass", "trampolines", "tools", "tests", "m4", "doc", "packaging"}
# A folder may include folders of earlier rows. Folders of the same row may include each other in one direction only.
LIBSPOOR = [["base"], ["format", "text", "elf"], ["config", "event"], ["drain", "patch"], ["module"],
            ["probe", "library_calls", "mode", "capture", "trace", "handler"], ["api"], ["stub", "trap", "xray"]]
# All other folders of tools/ are commands. They may include these folders, but not each other.
TOOLS = [["base"], ["reader"], ["walk"], ["attach"], ["ctl"], ["live"], ["record"]]
# For each other part of the tree: the folders of libspoor/ that it may use, and other parts.
USES = {
    "tools": ({"base", "format", "text", "elf", "config", "drain", "include"}, set()),
    "pass": ({"base", "format", "text", "elf"}, set()),
    "trampolines": ({"event", "format"}, set()),
    "libspoor_dso": ({"format"}, {"trampolines"}),
    "libspoor": (None, set()),
}
FILES_MOST = 40

faults = []


def rows(table):
    return {folder: row for row, folders in enumerate(table) for folder in folders}


LIBSPOOR_ROW, TOOLS_ROW = rows(LIBSPOOR), rows(TOOLS)
COMMAND = len(TOOLS)


BUILT = re.compile(r"~$|\.(o|lo|la|a|so|log|trs|gcda|gcno)$|\.pb-c\.[ch]$|^(gcc_)?plugin_stamp\.h$")


def listing():
    """Yields the source files of the tree, without build folders and files that a build made."""
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and
                            name not in ("autom4te.cache", "build-aux") and
                            not os.path.exists(os.path.join(folder, name, "config.status")))
        for name in sorted(names):
            if not name.startswith(".") and not BUILT.search(name):
                yield os.path.relpath(os.path.join(folder, name), tree)


def read(path):
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        return file.read()


files = list(listing())
known = set(files)
ours = tuple(whole + "/" for whole in USES)
sources = [path for path in files if path.startswith(ours) and path.endswith((".c", ".h", ".S", ".cc"))]
if len(sources) < 100:
    sys.exit("layers: %s has %d sources: is this the tree?" % (tree, len(sources)))


def where(path):
    """Returns the part of the tree that a file belongs to, and the folder in that part."""
    parts = path.split("/")
    return parts[0], parts[1] if len(parts) > 2 else ""


def check_include(path, target):
    """Returns None, or why @path may not include @target."""
    (whole, folder), (other, below) = where(path), where(target)
    libspoor_folders, wholes = USES[whole]
    if whole != other:
        if other == "libspoor" and below not in libspoor_folders:
            return "%s may not use libspoor/%s" % (whole, below)
        if other != "libspoor" and other not in wholes:
            return "%s may not use %s" % (whole, other)
        return None
    if whole == "libspoor" and below != "include" and folder != below:
        if folder not in LIBSPOOR_ROW or below not in LIBSPOOR_ROW:
            return "a folder that has no row in tests/layers.sh"
        if LIBSPOOR_ROW[below] > LIBSPOOR_ROW[folder]:
            return "upwards"
        if LIBSPOOR_ROW[below] == LIBSPOOR_ROW[folder]:
            beside[folder, below].append((path, target))
    if whole == "tools" and folder and folder != below:
        row, low = TOOLS_ROW.get(folder, COMMAND), TOOLS_ROW.get(below, COMMAND)
        if low > row or not below:
            return "upwards"
        if row == low == COMMAND:
            return "from one command into another"
    return None


beside = collections.defaultdict(list)
includes = 0
for path in sources:
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.M):
        beginnings = ("libspoor/", "tools/", "", "libspoor/include/", os.path.dirname(path) + "/")
        target = next((start + name for start in beginnings if start + name in known), None)
        if not target:      # a file of the build, or of the system
            continue
        includes += 1
        fault = check_include(path, target)
        if fault:
            faults.append("%s includes %s: %s" % (path, target, fault))


def reached(folder):
    """Returns the folders of the same row that @folder includes, directly or indirectly."""
    found, new = set(), {folder}
    while new:
        found, new = found | new, {below for above, below in beside if above in new} - found
    return found


for (folder, below), found in sorted(beside.items()):
    if folder in reached(below):
        for path, target in found:
            faults.append("%s includes %s: folders of one row include each other" % (path, target))
if includes < 1000:
    faults.append("%d includes were found in %d files, too few: this script reads them wrongly" % (includes, len(sources)))

# A fragment may name only sources of its folder, and of folders below it without a fragment.
fragments = [path for path in files if path.endswith(".am")]
with_fragment = {os.path.dirname(path) for path in fragments}
for fragment in fragments:
    text = re.sub(r"^\s*#.*", "", read(fragment), flags=re.M).replace("$(SPOOR_ARCH)", "x86_64")
    for name in sorted(set(re.findall(r"(?<![\w/)])(?:\$\(\w+\)/)?(\w[\w./-]*\.(?:c|S|cc))\b", text))):
        folder = os.path.dirname(name)
        while folder and folder not in with_fragment:
            folder = os.path.dirname(folder)
        if name in known and folder != os.path.dirname(fragment):
            faults.append("%s names %s, a file of another folder" % (fragment, name))
if len(fragments) < 20:
    faults.append("%d fragments were found, too few: this script reads them wrongly" % len(fragments))

# Limits for the number of files in a folder.
in_folder = collections.defaultdict(list)
for path in files:
    if path.startswith(ours + ("tests/unit/",)):
        in_folder[os.path.dirname(path)].append(os.path.basename(path))
documents = re.compile(r"\.md$|\.[1-9]$|^Makefile\.am$|^README$")
for folder, names in sorted(in_folder.items()):
    written = [name for name in names if name.endswith((".c", ".h", ".S", ".cc", ".def"))]
    rest = [name for name in names if not documents.search(name)]
    if len(written) > FILES_MOST:
        faults.append("%s/ has %d source files, more than %d" % (folder, len(written), FILES_MOST))
    if folder.count("/") >= (2 if folder.startswith("tests/unit") else 1) and len(rest) == 1:
        faults.append("%s/ has one file, %s" % (folder, rest[0]))

# File names are unique in the tree.
by_name = collections.defaultdict(set)
for path in sources:
    by_name[os.path.basename(path)].add(os.path.dirname(path))
for name, folders in sorted(by_name.items()):
    if len(folders) > 1:
        faults.append("%s is in several folders: %s" % (name, ", ".join(sorted(folders))))

tops = {path.split("/")[0] for path in files if "/" in path}
for folder in sorted(tops - TOP):
    faults.append("%s/ does not belong at the top of the tree" % folder)

for fault in faults:
    print("layers: " + fault, file=sys.stderr)
print("layers: %d files, %d includes, %d faults" % (len(sources), includes, len(faults)))
sys.exit(bool(faults))
END
