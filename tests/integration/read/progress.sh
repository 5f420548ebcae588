#!/bin/sh
# SPDX-License-Identifier: MIT
# progress.sh - long work shows its progress if stderr is a terminal and the output is not, and removes the progress
# afterwards.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

"$top_builddir/tests/unit/support/make_trace" t 500000 4 > /dev/null
"$top_builddir/tests/unit/support/make_trace" short 1000 1 > /dev/null
cat > terminal.py <<'PYTHON'
import os, pty, subprocess, sys, threading, time

# Runs a command with a terminal as its stderr, or with "file"; prints its output, and a word if the command took a
# second. "late": the output is read only after more than a second.
leader, follower = pty.openpty()
late, where = "late" in sys.argv[1], "file" in sys.argv[1]
begin = time.monotonic()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=open("said.file", "wb") if where else follower)
os.close(follower)

def take():
    if late:
        time.sleep(1.3)
    while child.stdout.read(1 << 20):
        pass

taker = threading.Thread(target=take)
taker.start()
said = b""
while True:
    try:
        some = os.read(leader, 65536)
    except OSError:
        break
    if not some:
        break
    said += some
taker.join()
status = child.wait()
if where:
    said = open("said.file", "rb").read()
sys.stdout.buffer.write(said + (b"" if late or time.monotonic() - begin < 1 else b"took long"))
sys.exit(status)
PYTHON

python3 terminal.py late "$spoor" export --format=csv --flat t > said
grep -q 'walking *[0-9]* %' said || fail "no progress on a terminal: $(cat said)"
tail -c 4 said | grep -q '\[K' || fail "the progress is not erased at the end: $(tail -c 20 said)"
python3 terminal.py now "$spoor" report short > said
# On a busy machine short work may take long.
grep -q 'took long' said || ! grep -q '%' said || fail "progress for short work: $(cat said)"
python3 terminal.py late,file "$spoor" export --format=csv --flat t > said
! grep -q '%' said || fail "progress in a file: $(cat said)"
rm -rf t
