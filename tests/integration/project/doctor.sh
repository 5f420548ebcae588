#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh - spoor doctor finds each reason why calls are not recorded or have no names, and reports no problem if
# there is none.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# doctor STATUS ARGUMENT... - runs spoor doctor, which must end with STATUS; its findings are in out.
doctor()
{
	wanted=$1
	shift
	status=0
	"$spoor" doctor "$@" > out 2> err || status=$?
	equal "status of doctor $* ($(cat out err))" "$status" "$wanted"
	[ ! -s err ] || fail "spoor doctor $* printed messages: $(cat err)"
	! grep -v '^\(good   \|note   \|problem\)  [^ ]' out ||
		fail "spoor doctor $* printed lines in another format (see above)"
}

# finds WORD TEXT - checks that exactly one line matches.
finds()
{
	equal "lines of '$1  $2' in: $(cat out)" "$(grep -c -e "^$1  *.*$2" out)" 1
}

# sick TEXT ARGUMENT... - checks that spoor doctor finds exactly one problem, which contains TEXT.
sick()
{
	text=$1
	shift
	doctor 1 "$@"
	finds problem "$text"
	equal "problems: $(cat out)" "$(grep -c ^problem out)" 1
}

cat > part.c <<'C'
int part(int value) { return value + 1; }
C
cat > whole.c <<'C'
#include <unistd.h>
int part(int value);
int main(int count, char **words) { (void)words; if (count > 1) pause(); return part(count) - count - 1; }
C
traced_cc -fPIC -shared -o libpart.so part.c
traced_cc -o whole whole.c -L. -lpart -Wl,-rpath,"$PWD"

# The installation, and a program without problems.
doctor 0
finds good 'libspoor.so: has this version'
finds good 'sleds can be woken'
doctor 0 ./whole
finds good './whole: 1 function with sleds'
finds good 'libpart.so: 1 function with sleds'
finds good 'the dynamic loader loads libspoor.so'
finds note 'no sleds.*libc.so'
doctor 0 --quiet ./whole
[ ! -s out ] || fail "spoor doctor --quiet prints findings: $(cat out)"
doctor 0 ./libpart.so
PATH=$PWD:$PATH doctor 0 whole
printf '#! %s/whole -x\n' "$PWD" > script
chmod +x script
doctor 0 ./script
finds note 'is a script: its interpreter, .*/whole'
finds good 'whole: 1 function'
status=0
"$spoor" doctor one two 2> err || status=$?
equal "status of two arguments" "$status" 2

# Files that cannot be run.
sick 'no such program in PATH' there-is-none
sick 'No such file' ./there-is-none
sick 'not executable' ./whole.c
chmod +x whole.c
sick 'is not an ELF file' ./whole.c
# patched FILE OFFSET HEX - makes a copy of whole with other bytes at this offset.
patched()
{
	cp whole "$1"
	python3 -c 'import sys
with open(sys.argv[1], "r+b") as f:
	f.seek(int(sys.argv[2])); f.write(bytes.fromhex(sys.argv[3]))' "$@"
}
patched small 4 01
sick '64-bit' ./small
patched foreign 18 1500
sick 'for another machine (number 21' ./foreign
"$clang" -o whole_here whole.c libpart.so -Wl,-rpath,"$PWD" -Wl,--dynamic-linker,/there/is/none
sick 'its dynamic loader, /there/is/none, is missing' ./whole_here
mv libpart.so aside.so
sick 'libpart.so.*\(No such file\|not found\)' ./whole
mv aside.so libpart.so
printf '#! ./loop\n' > loop
chmod +x loop
sick 'scripts are nested' ./loop

# The interpreter of a script needs no sleds.
printf '#! /bin/sh\n./whole\n' > calls
chmod +x calls
doctor 0 ./calls
finds note 'neither it nor the libraries'

# Programs that ignore LD_PRELOAD.
traced_cc -static -o static whole.c part.c
sick 'linked statically' ./static
# Builds with sanitizers have no libspoor.a.
if [ -e "$top_builddir/libspoor/libspoor.a" ]; then
	traced_cc -static -fspoor-runtime -o inside whole.c part.c
	doctor 0 ./inside
	finds good 'linked statically, with the code of libspoor.so'
	strip inside
	doctor 0 --quiet ./inside
	traced_cc -fno-spoor -c -o bare.o whole.c
	traced_cc -fno-spoor -c -o bare_part.o part.c
	traced_cc -static -fspoor-runtime -o inside bare.o bare_part.o
	sick 'it has no sleds' ./inside
fi
if [ "$(id -u)" = 0 ]; then
	cp whole other_user
	chown 65534 other_user
	chmod u+s other_user
	sick 'set-user-ID' ./other_user
	chown 0:65534 other_user
	chmod 2755 other_user
	sick 'set-group-ID' ./other_user
fi

# Programs without sleds, or with sleds that the runtime cannot patch.
"$clang" -o bare whole.c part.c
sick 'neither it nor the libraries' ./bare
"$clang" -fPIC -shared -o libbare.so part.c
sick 'this library cannot be recorded' ./libbare.so
traced_cc -c -fPIC part.c
"$clang" -fPIC -shared -o libno_stub.so part.o
doctor 1 ./libno_stub.so
finds problem 'linked without spoor.s stub'
"$clang" -c -fPIC -fxray-instrument -fxray-instruction-threshold=1 -o xray.o part.c
"$SPOOR_DRIVERS/spoor-cc" -fPIC -shared -o libxray.so xray.o
doctor 1 ./libxray.so
finds problem 'has XRay.s own sleds'
library xray_events -fxray-instrument -fxray-instruction-threshold=1
doctor 0 ./libxray_events.so
finds note 'not patched: custom or typed events'
# spoil FUNCTION - writes a foreign byte at the start of the function.
spoil()
{
	cp libpart.so libspoilt.so
	address=$((0x$(nm libpart.so | sed -n "s/ T $1$//p")))
	set -- $(readelf -SW libpart.so | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')
	printf '\314' | dd of=libspoilt.so bs=1 seek=$((address - 0x$1 + 0x$2)) conv=notrunc status=none
}
spoil part
doctor 0 ./libspoilt.so
finds note '1 sled is not patched: not the bytes of a sled'
"$clang" -finstrument-functions -o hooked whole.c part.c
doctor 0 ./hooked
finds good 'its functions call hooks'
traced_cc -fspoor-mode=call -fspoor-runtime -o calling whole.c part.c
doctor 0 ./calling
finds good 'call the runtime'
traced_cc -fspoor-mode=order -o ordering whole.c part.c
doctor 0 ./ordering
finds good 'notes only the first call'

# The names of functions.
traced_cc -Wl,--build-id=none -o no_build_id whole.c part.c
doctor 0 ./no_build_id
finds note 'has no build-id'
traced_cc -o stripped whole.c part.c
objcopy -S -R .spoor_symbols stripped
doctor 0 ./stripped
finds note 'was stripped'

# The installation.
mkdir -p moved/bin moved/lib
cp "$spoor" moved/bin/spoor
cp "$libspoor" moved/lib/libspoor.so
version=$("$spoor" --version | cut -d' ' -f2)
python3 - "$version" <<'PYTHON'
import sys
data = open("moved/lib/libspoor.so", "rb").read()
note = b"spoor\0\0\0" + sys.argv[1].encode().ljust(16, b"\0")
assert data.count(note) == 1
open("moved/lib/libspoor.so", "wb").write(data.replace(note, b"spoor\0\0\0" + b"9.8.7".ljust(16, b"\0")))
PYTHON
( spoor=moved/bin/spoor; sick 'belongs to spoor 9.8.7, and this is spoor' )
rm moved/lib/libspoor.so
( ulimit -f 1000; sick 'the limit for files is .* KiB' )
SPOOR_RUNTIME_MODE=nonsense sick 'configuration is invalid.*nonsense'
SPOOR_RUNTIME_MODE=off doctor 0
finds note "the mode is 'off'"
SPOOR_RUNTIME_MODULES='libx*' doctor 0
finds note 'restricts recording to these modules: libx'
python3 - "$spoor" > out <<'PYTHON' || fail "spoor doctor does not find that memory cannot become code: $(cat out)"
import ctypes, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def forbid():
	libc.prctl(65, 1, 0, 0, 0)	# PR_SET_MDWE
	forbidden = libc.prctl(66, 0, 0, 0, 0) == 1
	if not forbidden:
		raise OSError("an older kernel")
try:
	run = subprocess.run([sys.argv[1], "doctor"], preexec_fn=forbid, capture_output=True, text=True)
except subprocess.SubprocessError:
	sys.exit(0)
print(run.stdout)
sys.exit(run.returncode != 1 or "problem  code cannot be made writable" not in run.stdout)
PYTHON
if unshare -m true 2> /dev/null; then
	mkdir -p noexec
	unshare -m sh -c 'mount -t tmpfs -o noexec none noexec && cp whole noexec/ && "$0" doctor noexec/whole' "$spoor" > out &&
		fail "spoor doctor finds no problem with noexec: $(cat out)"
	grep -q '^problem' out || fail "spoor doctor reports no problem with noexec: $(cat out)"
fi

# A running process.
sick 'there is no process' 4194304
./whole wait &
waits=$!
"$spoor" record -q -o recorded -- ./whole wait &
job=$!
SPOOR_RUNTIME_MODE=off LD_PRELOAD=$libspoor ./whole wait &
asleep=$!
awaited "a trace" test -d recorded
awaited "the trace of a process" sh -c 'ls recorded | grep -q .'
victim=$(ls recorded)
for process in $waits "$victim" $asleep; do
	awaited "process $process" has_begun "$process" whole
done
sick 'has no libspoor.so' $waits
finds good 'libpart.so: 1 function'
doctor 0 "$victim"
finds good "the mode is 'log'"
finds good 'whole: 1 of 1 functions are enabled'
"$spoor" ctl -m 'whole' "$victim" disable '*' > /dev/null
doctor 0 "$victim"
finds note 'whole: 0 of 1'
"$spoor" ctl "$victim" disable '*' > /dev/null
sick 'no function is enabled' "$victim"
"$spoor" ctl "$victim" enable '*' > /dev/null
doctor 0 $asleep
finds note 'stores no events: it is dormant'
kill $waits $asleep "$victim"
wait $waits $asleep $job || true

# A trace.
"$spoor" record -q --no-symbols -o good ./whole || fail "spoor record failed"
doctor 0 good
finds good '(whole): 4 events'
finds good 'libpart.so: 1 of 1 functions have names'
# Modes without events: spoor doctor reports what they recorded.
"$spoor" record -q -o counted --mode count ./whole || fail "spoor record --mode count failed"
doctor 0 counted
finds good '(whole): 2 calls were counted'
"$spoor" record -q -o ordered --mode order ./whole || fail "spoor record --mode order failed"
doctor 0 ordered
finds good '(whole): the order of 2 functions'
! grep ' events' out || fail "spoor doctor reports events in a trace of mode order (see above)"
doctor 0 recorded
finds note 'did not end in order'
mv libpart.so aside.so
sick 'libpart.so: No such file' good
traced_cc -fPIC -shared -DOTHER -O0 -o libpart.so part.c
sick 'its build-id differs' good
mv aside.so libpart.so
"$spoor" record -q -o empty --mode off ./whole 2> err || fail "spoor record --mode off failed: $(cat err)"
if [ -e empty ]; then
	sick "the mode was 'off'" empty
fi
# Functions whose events were all lost have been called.
"$spoor" record -q -o over --max-size 1 ./whole 2> err || fail "spoor record --max-size failed: $(cat err)"
doctor 1 over
finds problem 'no event: all stored events were lost'
finds problem '4 events were lost: beyond --max-size: raise it, or record less'
! grep 'was called' out || fail "spoor doctor says that functions with lost events were not called (see above)"
traced_cc -o without_stub whole.c libno_stub.so -Wl,-rpath,"$PWD"
"$spoor" record -q -o foreign_trace ./without_stub || fail "spoor record failed"
sick 'libno_stub.so: .* sleds* .*stub' foreign_trace
cp -R good newer
python3 - newer/*/events.spoor <<'PYTHON'
import sys
magic = bytes.fromhex("c853706f6f720d0a1a0a0000")
data = open(sys.argv[1], "rb").read()
assert magic + b"\1" in data
open(sys.argv[1], "wb").write(data.replace(magic + b"\1", magic + b"\2"))
PYTHON
doctor 1 newer
finds problem 'newer'
! grep 'no event:' out || fail "spoor doctor says that there are no events although they are unreadable (see above)"
for folder in good/*; do truncate -s -3 "$folder/process.spoor"; done
doctor 1 good
grep -q '^problem.*damaged' out || fail "spoor doctor does not report the damaged trace: $(cat out)"
sick 'not a trace: it contains no folder' moved
