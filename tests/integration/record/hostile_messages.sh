#!/bin/sh
# SPDX-License-Identifier: MIT
# hostile_messages.sh - messages of other processes to `spoor record`: wrong lengths, wrong files or no file, another
# user, or hundreds of silent connections. The recorder records none of them. Valid messages are served completely and
# without delay.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program hello
command -v python3 > /dev/null || fail "python3 is missing: apt-get install python3"

cat > messages.py <<'PYTHON'
import array, fcntl, os, socket, struct, subprocess, sys, time
HELLO = 8 + 4096
def folder(name):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(path, exist_ok=True)
    os.chmod(path, 0o777)
    return path
def hello(name, length=HELLO, magic=0x31636572):
    return struct.pack("<II4096s", magic, os.getpid(), name.encode())[:length].ljust(length, b"x")
def pool():
    fd = os.memfd_create("pool", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    size = 65536 + 16384 * 64 + 64 * 65536
    os.ftruncate(fd, size)
    os.pwrite(fd, struct.pack("<QIIIIQ", 0x316c6f6f70727073, 1, 32768, 64, os.getpid(), 1), 0)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, 2 | 4)
    return fd
def call():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(120)
    until = time.monotonic() + 120
    while True:
        try:
            s.connect("\0" + os.environ["SPOOR_RUNTIME_RECORDER"].split("/")[0])
            return s
        except BlockingIOError:     # more than 128 connections are waiting
            assert time.monotonic() < until, "the recorder accepts no connection"
            time.sleep(0.01)
def send(what, fds):
    s = call()
    began = time.monotonic()
    try:
        s.sendmsg([what], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
        s.recv(1)
    except (BrokenPipeError, ConnectionResetError):
        pass
    s.close()
    # The recorder closes silent connections after a minute.
    assert time.monotonic() - began < 30, "an answer took too long"

bad = folder("bad")
for length in 0, 1, 7, 8, HELLO - 1, HELLO + 1, 100000:
    for fds in [], [pool()]:
        send(hello(bad, length), fds)
send(hello(bad), [])
send(hello(bad, magic=1), [pool()])
send(hello(bad), [pool(), pool()])
send(hello(bad), [pool() for i in range(100)])
os.mkfifo(os.path.join(sys.argv[1], "fifo"))
for path, flags in ("/", os.O_RDONLY), ("/dev/zero", os.O_RDWR), (os.path.join(sys.argv[1], "fifo"), os.O_RDWR), (sys.argv[0], os.O_RDONLY):
    send(hello(bad), [os.open(path, flags)])
send(hello(bad), [socket.socket().detach()])
send(b"x" * HELLO, [pool()])                                    # a path without a terminating zero
send(hello("/nowhere/at/all"), [pool()])
os.symlink("../stolen", os.path.join(folder("link"), "events.spoor"))
send(hello(os.path.join(sys.argv[1], "link")), [pool()])        # a link that the recorder would follow
open(os.path.join(folder("there"), "events.spoor"), "w").write("mine")
send(hello(os.path.join(sys.argv[1], "there")), [pool()])       # a file that the recorder would overwrite
if os.getuid() == 0:
    other = os.fork()
    if other == 0:              # from another user, otherwise valid
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        send(hello(folder("other_user")), [pool()])
        os._exit(0)
    assert os.waitpid(other, 0)[1] == 0, "the other user cannot send"
print("sent", flush=True)

# Hundreds of silent connections, or as many as the recorder accepts.
silent = []
until = time.monotonic() + 3
while len(silent) < 400 and time.monotonic() < until:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
    try:
        s.connect("\0" + os.environ["SPOOR_RUNTIME_RECORDER"].split("/")[0])
        silent.append(s)
    except BlockingIOError:
        time.sleep(0.01)
send(hello(bad, 1), [])         # answered at once, without a second of delay for each silent connection
for i in range(10):
    subprocess.run(["./hello", "1000"], env=dict(os.environ, LD_PRELOAD=os.environ["RUNTIME"]), check=True, stdout=subprocess.DEVNULL)
print("answered")
PYTHON
mkdir -p strange
chmod 777 strange "$work"
status=0
RUNTIME=$libspoor timeout 300 "$top_builddir/tools/spoor" record -o t python3 messages.py "$work/strange" > out 2> err || status=$?
equal "status ($(tail -n 3 err))" "$status" 0
equal "output" "$(cat out)" "sent
answered"
facts t
calls_are t leaf 10000
equal "lost beside a flood" "$(lost t)" 0
equal "files from rejected messages" "$(find strange -type f -name events.spoor -size +0 ! -path strange/there/events.spoor; find . -name stolen)" ""
equal "a file that another process made" "$(cat strange/there/events.spoor)" mine
for message in 'its message contains no pool' 'its message contains no valid pool' '/nowhere/at/all: cannot record the events of .*: No such file' \
	'link: cannot record the events of .*: File exists' 'there: cannot record the events of .*: File exists'; do
	grep -q "$message" err || fail "the recorder printed no '$message': $(cat err)"
done
! grep -q other_user err || fail "the recorder accepted another user's message: $(cat err)"
