# SPDX-License-Identifier: MIT
"""check_documents.py - checks the links, paths and versions in the documents of the source tree.

check_documents.py SOURCE
"""
import glob
import os
import re
import sys

TOP_DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "trampolines/README.md", "tests/peer_faults.md"]
FOLDERS = ("doc", "libspoor", "libspoor_dso", "m4", "pass", "tests", "tools", "trampolines")
faults = []


def fault(name, text):
    faults.append("%s: %s" % (name, text))


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def anchors(text):
    """The anchors that GitHub makes of headings."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", without_code(text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def check_links(name, text, texts):
    """Returns the documents that this one leads to."""
    reached = set()
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(path):
            fault(name, "a link leads to %s, which does not exist" % target)
        elif path in texts:
            reached.add(path)
            if anchor and anchor not in anchors(texts[path]):
                fault(name, "%s has no heading for the link %s" % (path, target))
    return reached


def check_paths(name, text):
    """Each path of the tree in `...` exists, also with a * in it."""
    for path in re.findall(r"`([\w./*-]+)`", without_code(text)):
        if "/" in path and path.split("/")[0] in FOLDERS and not glob.glob(path) and not glob.glob(path + ".in"):
            fault(name, "`%s` does not exist" % path)


def check_manual_pages(name, text, pages):
    """Each manual page of spoor's that is named exists."""
    for page in re.findall(r"\b((?:lib)?spoor[\w-]*\([1-8]\))", text):
        if page not in pages:
            fault(name, "there is no manual page %s" % page)


def main():
    os.chdir(sys.argv[1])
    documents = TOP_DOCUMENTS + sorted(glob.glob("doc/*.md"))
    texts = {}
    for name in documents:
        with open(name) as file:
            texts[name] = file.read()
    pages = {"%s(%s)" % re.fullmatch(r"(.*)\.([1-8])", os.path.basename(path)).groups()
             for folder in ("tools", "tools/*", "pass", "libspoor") for path in glob.glob(folder + "/*.[1-8]")}
    pages.add("spoor-c++(1)")
    reached = {name: check_links(name, text, texts) for name, text in texts.items()}
    for name, text in texts.items():
        if name != "CHANGELOG.md":
            check_paths(name, text)
        check_manual_pages(name, text, pages)

    known, new = set(), {"README.md"}
    while new:
        known |= new
        new = set().union(*(reached[name] for name in new)) - known
    for name in documents:
        if name not in known and name != "tests/peer_faults.md":
            fault("README.md", "no way leads to %s" % name)
        if name.startswith("doc/") and not reached[name] - {name}:
            fault(name, "no link leads to another document")

    with open("doc/Makefile.am") as file:
        listed = set(re.findall(r"doc/[\w./-]+", file.read()))
    for path in glob.glob("doc/*") + glob.glob("doc/*/*"):
        if os.path.isfile(path) and os.path.basename(path) not in ("Makefile.am",) and path not in listed:
            fault("doc/Makefile.am", "%s is not listed" % path)

    with open("configure.ac") as file:
        version = re.search(r"^AC_INIT\(\[spoor\], \[(.*)\]\)", file.read(), re.M).group(1)
    if re.search(r"^## (.*)$", texts["CHANGELOG.md"], re.M).group(1) != version:
        fault("CHANGELOG.md", "the first section is not for the version in configure.ac, %s" % version)

    lines = texts["README.md"].count("\n")
    if lines > 150:
        fault("README.md", "%d lines, more than 150" % lines)
    bytes_of_pictures = sum(os.path.getsize(path) for path in glob.glob("doc/*.png"))
    if bytes_of_pictures > 400000:
        fault("doc", "the pictures have %d bytes, more than 400,000" % bytes_of_pictures)
    questions = re.findall(r"^### ", texts["doc/faq.md"], re.M)
    if len(questions) < 30:
        fault("doc/faq.md", "%d questions, fewer than 30" % len(questions))

    for line in faults:
        print(line, file=sys.stderr)
    print("%d documents, %d links between them" % (len(documents), sum(map(len, reached.values()))))
    sys.exit(1 if faults else 0)


main()
