#!/bin/sh
# SPDX-License-Identifier: MIT
# progress.sh - long work shows how far it is where stderr is a terminal and the
# output is not, and leaves no trace of that behind.
set -eu
. "$top_srcdir/tests/integration/life.sh"
spoor=$top_builddir/tools/spoor

# Long enough to take some seconds whatever the machine.
"$top_builddir/tests/unit/make_trace" t 10000000 4 > /dev/null
"$top_builddir/tests/unit/make_trace" short 1000 1 > /dev/null
cat > terminal.py <<'PYTHON'
import os, pty, subprocess, sys

# Runs a command with a terminal as its stderr; prints what came there.
leader, follower = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=follower)
os.close(follower)
said = b""
while True:
    try:
        some = os.read(leader, 65536)
    except OSError:
        break
    if not some:
        break
    said += some
sys.stdout.buffer.write(said)
sys.exit(child.wait())
PYTHON

python3 terminal.py "$spoor" export --format=csv t > said
grep -q 'walking *[0-9]* %' said || fail "no progress on a terminal: $(cat said)"
tail -c 4 said | grep -q '\[K' || fail "the progress is not wiped in the end"
python3 terminal.py "$spoor" report short > said
grep -q '%' said && fail "progress for short work"
"$spoor" export --format=csv t 2> said > /dev/null
grep -q '%' said && fail "progress in a file"
rm -rf t
