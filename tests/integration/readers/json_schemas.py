# SPDX-License-Identifier: MIT
"""json_schemas.py - checks that JSON of spoor names its schema, and that the manual page documents the schema and each
member.

json_schemas.py PAGE SCHEMA FILE...
"""
import json
import re
import subprocess
import sys


def fail(*words):
    sys.exit("json_schemas.py: " + " ".join(str(word) for word in words))


def members(value, path=()):
    if isinstance(value, list):
        for item in value:
            yield from members(item, path)
    elif isinstance(value, dict):
        # The members are names of causes.
        if path == ("lost",):
            return
        for key, item in value.items():
            yield key
            yield from members(item, path + (key,))


page, schema, *paths = sys.argv[1:]
if not re.fullmatch(r"spoor\.[a-z-]+/[0-9]+", schema):
    fail(schema, "has no version")
text = subprocess.run(["mandoc", "-T", "ascii", page], stdout=subprocess.PIPE, check=True, text=True).stdout
text = re.sub(r".\b", "", text) if "\b" not in text else re.sub(".\b", "", text)
# Words may be hyphenated at the end of a line.
words = set(re.findall(r"[\w./-]+", text)) | set(re.findall(r"[\w./-]+", re.sub(r"-\n +", "-", text)))
words |= {word.rstrip(".") for word in words}
if schema not in words:
    fail(page, "does not name", schema)
for path in paths:
    with open(path) as file:
        whole = json.load(file)
    if whole.get("schema") != schema or next(iter(whole)) != "schema":
        fail(path, "begins with", next(iter(whole)), "instead of the schema, and has schema", whole.get("schema"))
    found = set(members(whole))
    if found - words:
        fail(page, "does not document", sorted(found - words), "in", path)
    print(path, schema, len(found), "members")
