#!/bin/sh
# SPDX-License-Identifier: MIT
# hostile.sh - messages of a process cannot end `spoor record`, even if the process changes its pool afterwards; other
# processes are recorded completely. A process that waits for a killed recorder gets an error.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program hello
program flushes -I"$top_srcdir/libspoor/include"
command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"

# Sends a pool like that of libspoor.so with each combination of seals; then truncates its file, or changes words in
# the pool while the recorder drains it.
cat > hostile.py <<'PYTHON'
import array, ctypes, fcntl, mmap, os, random, socket, struct, subprocess, sys, time
SHRINK, GROW = 2, 4
SLICE, INFOS, COUNT_MAX = 32768, 65536, 16384
SLICES = INFOS + COUNT_MAX * 64
COUNT = 64
SIZE = SLICES + COUNT * 2 * SLICE
def pool(seals):
    fd = os.memfd_create("pool", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, SIZE)
    os.pwrite(fd, struct.pack("<QIIIIQ", 0x316c6f6f70727073, 1, SLICE, COUNT, os.getpid(), 1), 0)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd
def send(fd, name):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder)
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect("\0" + os.environ["SPOOR_RUNTIME_RECORDER"].split("/")[0])
    hello = struct.pack("<II4096s", 0x31636572, os.getpid(), folder.encode())
    s.sendmsg([hello], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    s.settimeout(120)
    s.recv(1)
def drained(fd):
    return struct.unpack("<I", os.pread(fd, 4, offset_of_recorder))[0]
offset_of_recorder = int(sys.argv[2])
for seals in 0, SHRINK, GROW:
    fd = pool(seals)
    send(fd, "unsealed-%d" % seals)
    assert drained(fd) & 0x40000000, "the pool has no mark that its recorder does not drain it"
    os.ftruncate(fd, SIZE if seals == SHRINK else 0)
fd = pool(SHRINK | GROW)
send(fd, "sealed")
while not drained(fd):
    time.sleep(0.01)
try:
    os.ftruncate(fd, 0)
    print("a pool that was sent can be cut off")
except PermissionError:
    pass
# The pool changes while the recorder drains it, as often as possible.
libc = ctypes.CDLL(None)
futex, wake = int(sys.argv[4]), int(sys.argv[5])
mapping = mmap.mmap(fd, SIZE)
address = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
random.seed(4711)
other = subprocess.Popen(["./hello", "100000"], env=dict(os.environ, LD_PRELOAD=os.environ["RUNTIME"]))
until, events = time.time() + float(sys.argv[3]), os.path.join(sys.argv[1], "sealed", "events.spoor")
while time.time() < until or os.path.getsize(events) <= 100000:
    at = random.choice([random.randrange(8, 8192), random.randrange(INFOS, INFOS + COUNT * 64),
                        SLICES + random.randrange(COUNT) * 2 * SLICE + SLICE + random.randrange(SLICE)])
    os.pwrite(fd, random.choice([b"\0", b"\xff" * 8, random.randbytes(8), random.randbytes(64)]), at)
    os.pwrite(fd, struct.pack("<I", 0), wake)
    libc.syscall(futex, ctypes.c_void_p(address + wake), 1, 1, 0, 0, 0)
other.wait()
print("went on")
PYTHON
cat > offset.c <<'SOURCE'
#include <stdio.h>
#include <stddef.h>
#include <sys/syscall.h>
#include "format/pool_format.h"
int main(int argc, char **argv)
{
	(void)argv;
	printf("%zu\n", argc == 1 ? offsetof(struct spoor_pool, recorder) : argc == 2 ? SYS_futex : offsetof(struct spoor_pool, wake));
}
SOURCE
"$clang" -I"$top_srcdir/libspoor" -o offset offset.c
seconds=2
[ -z "${SPOOR_LONG-}" ] || seconds=60
status=0
mkdir -p strange
RUNTIME=$libspoor timeout 300 "$top_builddir/tools/spoor" record -o t \
	python3 hostile.py "$work/strange" "$(./offset)" $seconds "$(./offset 1)" "$(./offset 1 2)" > out 2> err || status=$?
equal "status of hostile.py ($(cat err))" "$status" 0
equal "output" "$(cat out)" "hello
went on"
equal "messages of unsealed pools ($(cat err))" "$(grep -c 'the size of its pool is not sealed' err)" 3
find t -type d -name '[0-9]*' > folders
equal "processes" "$(wc -l < folders)" 1
facts t
calls_are t leaf 100000
equal "lost beside a hostile process" "$(lost t)" 0
for name in unsealed-0 unsealed-2 unsealed-4; do
	equal "files of $name" "$(find strange/$name -type f)" ""
done
[ "$(wc -c < strange/sealed/events.spoor)" -gt 100000 ] ||
	fail "the events of the hostile pool were not drained: $(wc -c < strange/sealed/events.spoor) bytes"
# The tools read the hostile file or reject it, with exit status 0 or 1.
status=0
timeout 300 "$top_builddir/tools/spoor" report strange > report.out 2> report.err || status=$?
[ $status = 0 ] || [ $status = 1 ] || fail "spoor report ended with status $status: $(cat report.err)"

# The recorder is killed.
mkfifo result
status=0
timeout 300 "$top_builddir/tools/spoor" record -q -o killed ./flushes > result 2> err &
recorder=$!
timeout 300 cat result > flushes.out || fail "a flush did not return within 300 s after the recorder was killed"
wait $recorder || status=$?
equal "results of the flushes" "$(cat flushes.out)" "before 0
while EPIPE EPIPE
after EPIPE"
facts -n killed
# Events that were not written stay in the pool as far as it has room; the others are counted.
entries=$(entries killed leaf)
[ "$entries" -gt 1000000 ] || fail "after the recorder was killed, the trace has only $entries calls"
wanted=$((2 * 20000001)) have=$((2 * entries + $(lost killed)))
[ $have -ge $wanted ] && [ $have -le $((wanted + 3)) ] ||
	fail "$have events of leaf are stored or counted as lost, and $wanted were called"
