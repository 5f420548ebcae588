#!/bin/sh
# SPDX-License-Identifier: MIT
# guests.sh - which processes get a trace. A process without sleds writes nothing. A process with another user's
# rights is not traced. Each image that a process executes has its own folder, private to its user. A process that
# changes its root or its user keeps its trace. The runtime adds nothing to the environment and follows no link.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"

program hello
program privileges
build_once "$clang" -O2 -o hello-plain "$victims/modules/hello.c"

traced none ./hello-plain > out 2> err
silent err
[ ! -e none ] || fail "a process without sleds wrote a trace: $(ls none)"
(echo hello; env | grep SPOOR_ | grep -v TRACE_PATH | LC_ALL=C sort) > wanted
traced none sh -c 'ls > /dev/null; ./hello-plain; env | grep SPOOR_ | grep -v TRACE_PATH | LC_ALL=C sort' > out 2> err
silent err
[ ! -e none ] || fail "a shell without sleds wrote a trace: $(ls none)"
cmp wanted out || fail "output or environment differ: $(diff wanted out)"
# The environment stays unchanged: tunables of the C library, the preloaded libraries.
traced_cc -o environment -x c - << 'C'
#include <stdio.h>
extern char **environ;
int main(void) { for (char **at = environ; *at; at++) puts(*at); return 0; }
C
GLIBC_TUNABLES=glibc.malloc.perturb=0 traced environment.trace env ./environment > environment.out
[ -d environment.trace ] || fail "the program that prints its environment was not traced"
{
	echo "LD_PRELOAD=$libspoor"
	GLIBC_TUNABLES=glibc.malloc.perturb=0 SPOOR_RUNTIME_TRACE_PATH=environment.trace env ./environment
} | sort > environment.wanted
sort environment.out | cmp - environment.wanted ||
	fail "the environment differs: $(sort environment.out | diff environment.wanted -)"
(cd "$work" && env LD_PRELOAD="$libspoor" ./hello-plain)
[ ! -e spoor.trace ] || fail "a process without sleds wrote a trace: $(ls spoor.trace)"

# errno is 0 when main begins, and unchanged after dlopen and dlclose. The text has two segments, and the data between
# them stays writable.
library loaded
build_once "$clang" -O2 -fPIC -shared -o loaded-plain.so "$victims/modules/loaded.c"
program layout -no-pie -Wl,--section-start=.far=0x405000
equal "segments of text" "$(readelf -lW layout | grep -c 'LOAD.* R E ')" 2
./layout "$work/loaded-plain.so" > layout.wanted
traced layout.trace ./layout "$work/libloaded.so" > layout.out 2> err ||
	fail "layout: the program ended with status $?: $(cat err)"
silent err
cmp -s layout.wanted layout.out ||
	fail "layout: the output differs from an untraced run: $(cat layout.wanted layout.out)"
facts layout.trace
calls_are layout.trace near 1
calls_are layout.trace far 1

# A message to the terminal does not stop a program that runs in the background.
cat > background.py <<'PYTHON'
import os, pty, sys, termios, time
pid, terminal = pty.fork()
if pid == 0:
    mode = termios.tcgetattr(0)
    mode[3] |= termios.TOSTOP
    termios.tcsetattr(0, termios.TCSANOW, mode)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.environ.update(LD_PRELOAD=sys.argv[1], SPOOR_RUNTIME_MODULES="libzork.so", SPOOR_RUNTIME_TRACE_PATH="none")
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execv("./hello", ["./hello"])
    status = os.waitpid(child, os.WUNTRACED)[1]
    os.write(1, b"stopped\n" if os.WIFSTOPPED(status) else b"status %d\n" % status)
    os.kill(child, 9) if os.WIFSTOPPED(status) else None
    os._exit(0)
text = b""
try:
    while True:
        text += os.read(terminal, 4096)
except OSError:
    pass
sys.stdout.write(text.decode().replace("\r", ""))
PYTHON
if command -v python3 > /dev/null; then
	python3 background.py "$libspoor" > background.out
	grep -q '^spoor: .*libzork' background.out || fail "the terminal got no message: $(cat background.out)"
	grep -q '^status 0$' background.out || fail "a message stopped the program: $(cat background.out)"
fi

# One process with three images: one folder for each, in order.
traced images sh -c 'exec ./hello 10' > /dev/null
traced images ./privileges exec ./privileges exec ./hello 10 > /dev/null
facts images
equal "images: processes" "$(count images process)" 3
equal "images: process IDs" "$(awk -F'\t' '$1 == "process" { print $3 }' images.facts | sort -u | wc -l)" 1
equal "images: folders" "$(awk -F'\t' '$1 == "process" { sub(/^[0-9]*/, "", $2); print $2 }' images.facts | sort | tr '\n' ' ')" " .1 .2 "
calls_are images leaf 10
equal "modes" "$(find images -type d -perm 700 | wc -l) $(find images -type f -perm 600 | wc -l) $(find images | wc -l)" "4 9 13"

# The runtime follows no link inside the trace.
mkdir elsewhere
ln -s elsewhere link
SPOOR_RUNTIME_TRACE_PATH=$work/link/in LD_PRELOAD=$libspoor ./hello > /dev/null
[ -d elsewhere/in ] ||
	fail "a link in the path of the trace was not followed, although the user chose it: $(ls elsewhere)"

# Settings of a user with fewer rights do not apply to a program with more rights.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	traced_cc -fspoor-runtime -o hello-suid "$victims/modules/hello.c" -Wl,-rpath,"${libspoor%/*}"
	SPOOR_RUNTIME_TRACE_PATH=$work/same ./hello-suid > /dev/null
	[ -d same ] || fail "a program that is linked with libspoor.so was not traced"
	chmod u+s hello-suid
	mkdir -m 777 open
	SPOOR_RUNTIME_TRACE_PATH=$work/open/trace setpriv --reuid=65534 --clear-groups ./hello-suid > out 2> err
	silent err
	equal "output with another user's rights" "$(cat out)" hello
	[ ! -e open/trace ] || fail "a program with another user's rights was traced: $(ls open/trace)"

	# The program locks its memory: all of it is resident, but not the whole pool.
	traced lock ./privileges lock > out 2> err || fail "lock: the program ended with status $?: $(cat err)"
	silent err
	facts lock
	calls_are lock leaf 301000
	[ "$(cat out)" -lt 40 ] || fail "lock: $(cat out) MiB are resident"

	# The recorder names the processes that it rejects.
	"$top_builddir/tools/spoor" record -o refused sh -c './hello; for i in 1 2 3; do
		setpriv --reuid=65534 --clear-groups ./hello; done' > out 2> err ||
			fail "refused: the recorder ended with status $?: $(cat err)"
	equal "outputs of refused processes" "$(grep -c hello out)" 4
	grep -q 'is not recorded: its user is 65534' err ||
		fail "refused: the message does not name the other user: $(cat err)"
	grep -q '3 processes of other users were not recorded' err ||
		fail "refused: the summary does not count the rejected processes: $(cat err)"
	grep -q ' events of 1 process in refused, 0 lost' err ||
		fail "refused: the summary has other numbers: $(cat err)"

	# The trace continues with another root directory and another user.
	for change in chroot setuid; do
		rm -rf trace
		traced trace ./privileges $change > out 2> err ||
			fail "$change: the program ended with status $?: $(cat err)"
		silent err
		facts trace
		calls_are trace leaf 600000
		equal "$change: lost" "$(lost trace)" 0
		equal "$change: calls of the thread 'after'" \
			"$(awk -F'\t' '$1 == "thread" && $8 == "after" { print $5 }' trace.facts)" 1000
	done
fi
