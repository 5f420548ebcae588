#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh - spoor record does not disturb the program: arguments, streams, signals and exit status are unchanged.
# Each error is one line.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor

# expect STATUS COMMAND... - runs the command, which must end with STATUS; its output is in out and err.
expect()
{
	wanted=$1
	shift
	status=0
	"$@" > out 2> err || status=$?
	equal "status of $*" "$status" "$wanted"
}

# said TEXT - checks that stderr has one line, which contains TEXT.
said()
{
	equal "lines on stderr ($(cat err))" "$(wc -l < err)" 1
	grep -q -e "$1" err || fail "stderr does not contain '$1': $(cat err)"
}

# calls TRACE FUNCTION - prints the number of calls in the trace.
calls()
{
	"$spoor" report --format=csv "$1" | awk -F, -v f="$2" '$1 == f { n += $3 } END { print n + 0 }'
}

program recorded
build_once "$clang" -O2 -o bare "$victims/processes/recorded.c"

# Exit status and signals.
cat > bare_exit.c <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
int main(void) { leaf(); syscall(SYS_exit, 3); }
END
traced_cc -O1 -o bare_exit bare_exit.c
expect 3 timeout 60 "$spoor" record -o t ./bare_exit
equal "leaf before a bare exit" "$(calls t leaf)" 1
rm -r t
expect 0 "$spoor" record -o t ./recorded status 0
said 'events of 1 process in t, 0 lost'
equal "leaf" "$(calls t leaf)" 3
equal "branch" "$(calls t branch)" 1
equal "folder's mode" "$(stat -c %a t t/* | sort -u)" 700
equal "files' mode" "$(stat -c %a t/*/* | sort -u)" 600
rm -rf t
expect 7 "$spoor" record -o t ./recorded status 7
rm -rf t
expect 143 "$spoor" record -o t ./recorded signal 15
equal "leaf before SIGTERM" "$(calls t leaf)" 3
rm -rf t
expect 137 "$spoor" record -o t ./recorded signal 9
equal "leaf before SIGKILL" "$(calls t leaf)" 3
"$spoor" info t | grep -q 'killed' || fail "spoor info does not show that the process was killed: $("$spoor" info t)"
rm -rf t
python3 - "$spoor" <<'PYTHON' || fail "spoor record does not end with the program's signal"
import subprocess, sys
sys.exit(subprocess.run([sys.argv[1], "record", "-q", "-o", "t", "./recorded", "signal", "11"]).returncode != -11)
PYTHON
rm -rf t

# Arguments, options of the program, streams.
echo input | "$spoor" record -q -o t -- ./recorded arguments -o 'a b' --help '' > out 2> err
equal "arguments and stdin" "$(cat out)" "[-o][a b][--help][]input"
silent err
rm -rf t
echo input | "$spoor" record -q -o t ./recorded arguments -q > out
equal "arguments without --" "$(cat out)" "[-q]input"
rm -rf t
LD_PRELOAD=$top_builddir/tests/golden/libsample.so "$spoor" record -q -o t ./recorded preload > out
equal "LD_PRELOAD" "$(cat out)" "$libspoor:$top_builddir/tests/golden/libsample.so default"
rm -rf t
expect 0 env PATH="$PWD" "$spoor" record -q -o t recorded status 0
rm -rf t

# Programs that cannot be run.
expect 127 "$spoor" record -o t ./there-is-none
said 'cannot run ./there-is-none: No such file'
expect 127 "$spoor" record -o t there-is-none-in-path
said 'no such program in PATH'
echo text > not-executable
expect 126 "$spoor" record -o t ./not-executable
said 'cannot run ./not-executable: Permission denied'
expect 126 "$spoor" record -o t ./
said 'cannot run ./: it is a directory'
printf '#!/no/such/interp -x\n' > script
printf '#! ./script\n' > script-of-script
chmod +x script script-of-script
for script in ./script ./script-of-script; do
	expect 127 "$spoor" record -o t "$script"
	said "cannot run $script: its interpreter /no/such/interp does not exist"
done
# The rules for --mode also hold for SPOOR_RUNTIME_MODE.
for option in --live '--max-rate 100' '--trigger leaf>1s'; do
	# shellcheck disable=SC2086
	expect 2 env SPOOR_RUNTIME_MODE=count "$spoor" record -o t $option ./recorded status 0
	grep -q -e "${option%% *} .*and mode 'count' stores none" err ||
		fail "$option is not rejected with SPOOR_RUNTIME_MODE=count: $(cat err)"
done
[ ! -e t ] || fail "a rejected command left a trace: $(ls t)"
expect 3 "$spoor" record -o t ./bare status 3
said 'the recording is empty: ./bare has no sleds: .*spoor-cc'
[ ! -e t ] || fail "an empty trace was left: $(ls t)"
expect 0 "$spoor" record -o t -m '-*' ./recorded status 0
said 'the recording is empty: --module and --function select no function of'
# spoor does not claim that a program with sleds has no sleds.
expect 0 env SPOOR_RUNTIME_MODULES='-*' "$spoor" record -o t ./recorded status 0
said 'the recording is empty, although ./recorded has sleds: .*spoor doctor ./recorded'
traced_cc -static -o recorded-static "$victims/processes/recorded.c" -pthread
expect 0 env PATH="$PWD" "$spoor" record -o t recorded-static status 0
said 'the recording is empty: recorded-static is linked statically'
expect 0 "$spoor" record -o t --mode off ./recorded status 0
said "the recording is empty: in mode 'off' "
expect 0 env SPOOR_RUNTIME_MODE=zork "$spoor" record -o t ./recorded status 0
grep -q "the recording is empty: the runtime's configuration is invalid" err ||
	fail "the recorder does not name the wrong mode: $(cat err)"
expect 2 "$spoor" record
expect 2 "$spoor" record --no-such-option ./recorded
expect 2 "$spoor" record -m 'a,,b' ./recorded
expect 0 "$spoor" record --help

# Older traces are renamed, and other files stay unchanged.
for calls in 1 2 3; do
	expect 0 "$spoor" record -q -o t ./recorded many $calls
done
equal "the newest" "$(calls t leaf)" 3
equal "the one before" "$(calls t.old leaf)" 2
equal "all traces" "$(echo t t.*)" "t t.old"
# If the recording makes no trace, the older trace keeps its name.
expect 127 "$spoor" record -o t/ ./there-is-none
equal "the newest still" "$(calls t leaf)" 3
expect 3 "$spoor" record -o t ./bare status 3
equal "the newest still" "$(calls t leaf)" 3
equal "the one before still" "$(calls t.old leaf)" 2
equal "all traces still" "$(echo t t.*)" "t t.old"
# Only a trace is replaced.
rm -rf t.old
mkdir t.old
echo precious > t.old/file
expect 0 "$spoor" record -q -o t ./recorded many 4
expect 0 "$spoor" record -q -o t ./recorded many 5
equal "the newest beside a file" "$(calls t leaf)" 5
equal "the one before beside a file" "$(calls t.old.1 leaf)" 4
equal "the file" "$(cat t.old/file)" precious
rm -rf t t.old t.old.1
mkdir mine
echo precious > mine/file
expect 1 "$spoor" record -o mine ./recorded status 0
said 'mine: not a trace, and not empty'
echo precious > file
expect 1 "$spoor" record -o file ./recorded status 0
said 'file: is a file'
expect 1 "$spoor" record -o /nowhere/t ./recorded status 0
said '/nowhere/t: cannot create'
equal "files that existed before" "$(cat mine/file file)" "$(printf 'precious\nprecious')"
mkdir t
expect 0 "$spoor" record -q -o t/ ./recorded many 4
equal "into an empty directory" "$(calls t leaf)" 4
rm -rf t
expect 0 "$spoor" record -q ./recorded many 5
equal "without -o" "$(calls spoor.trace leaf)" 5
rm -rf spoor.trace

# A trace is moved during the recording; a new folder in its place stays unchanged.
cat > goes.sh <<'END'
./recorded status 0
# Waits until the recorder has opened the file.
until ls t/*/events.spoor; do sleep 0.01; done > ls.out 2> ls.err
mv t moved
[ "$1" = gone ] || mkdir t
END
for after in gone another; do
	expect 0 "$spoor" record -o t sh goes.sh $after
	said 't: the trace was removed or moved during the recording'
	[ $after = gone ] || [ -d t ] || fail "the recorder removed a folder that it did not make"
	rm -rf t moved
done

# A choice of functions and modules.
expect 0 "$spoor" record -q -o t -f 'b*' ./recorded many 6
equal "leaf, not chosen" "$(calls t leaf)" 0
equal "branch, chosen" "$(calls t branch)" 1
rm -rf t
expect 0 "$spoor" record -q -o t -f 'b*' --function 'leaf,-branch' --module 'recorded' ./recorded many 6
equal "leaf, chosen" "$(calls t leaf)" 6
equal "branch, excluded" "$(calls t branch)" 0
rm -rf t

# The recorder passes signals on to the program.
for signal in 15 2; do
	mkfifo ready
	# The shell makes background jobs ignore SIGINT, so restore the default action.
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$spoor" record -q -o t ./recorded wait > ready &
	recorder=$!
	{
		read -r line
		kill -s $signal $recorder
		read -r caught
	} < ready
	status=0
	wait $recorder || status=$?
	equal "status after signal $signal" "$status" 5
	equal "signal $signal" "$caught" "caught $signal"
	equal "leaf before signal $signal" "$(calls t leaf)" 1
	rm -rf t ready
done

# If another recorder writes to the trace, spoor record changes nothing and runs nothing.
mkfifo ready
"$spoor" record -q -o t ./recorded wait > ready &
recorder=$!
{
	read -r line
	status=0
	"$spoor" record -o t ./recorded many 2 > out 2> err || status=$?
	kill -s TERM $recorder
	read -r caught
} < ready
equal "status of a second recorder in one place" "$status" 1
said_once err 't: another spoor record is writing this trace'
[ ! -e t.old ] || fail "the trace of a running recorder was renamed: $(ls)"
status=0
wait $recorder || status=$?
equal "status of the first" "$status $caught" "5 caught 15"
equal "leaf of the first" "$(calls t leaf)" 1
expect 0 "$spoor" record -q -o t ./recorded many 2
[ -e t.old ] || fail "the trace of an earlier recorder was not renamed: $(ls)"
rm -rf t t.old ready

# The recorder waits for a process that continues after the program has ended.
expect 0 "$spoor" record -q -o t ./recorded outlive
equal "calls of the child that outlived it" "$(calls t leaf)" 1002
rm -rf t

# Many short processes in one trace.
expect 0 "$spoor" record -q -o t sh -c 'i=0; while [ $i -lt 200 ]; do ./recorded many 2 || exit 1; i=$((i + 1)); done'
equal "folders of 200 processes" "$(ls -d t/[0-9]* | wc -l)" 200
equal "leaf of 200 processes" "$(calls t leaf)" 400
equal "sessions of 200 processes" "$(for file in t/*/process.spoor; do od -An -tx8 -j16 -N8 "$file"; done | sort -u | wc -l)" 1
rm -rf t

# More processes at one time than the recorder may have descriptors: they wait for their turn, and no event is lost.
# The program does not inherit the recorder's limit.
expect 0 sh -c 'ulimit -n 24; exec "$1" record -o t sh -c "
	i=0
	while [ \$i -lt 40 ]; do ./recorded nap 300 & i=\$((i + 1)); done
	wait"' - "$spoor"
said ' of 40 processes in t, 0 lost'
equal "leaf of 40 processes" "$(calls t leaf)" 40
rm -rf t
expect 0 sh -c 'ulimit -S -n 100; exec "$1" record -q -o t sh -c "ulimit -n; exec ./recorded many 1"' - "$spoor"
equal "the program's limit" "$(cat out)" 100
rm -rf t

# The recorder releases processes that came and went while it was stopped. A process that finds the recorder's queue
# full continues without it.
cat > held_up.sh <<'SCRIPT'
kill -STOP $PPID
i=0
while [ $i -lt 150 ]; do ./recorded many 1 || exit 1; i=$((i + 1)); done
kill -CONT $PPID
# A busy machine takes a while.
while [ "$(ls t/*/events.spoor | wc -l)" -lt 150 ] || grep -q memfd:spoor /proc/$PPID/maps; do sleep 0.1; done
echo "descriptors $(ls /proc/$PPID/fd | wc -l) pools $(grep -c memfd:spoor /proc/$PPID/maps)"
SCRIPT
expect 0 timeout 300 "$spoor" record -o t sh held_up.sh
said ' of 150 processes in t, 0 lost'
grep -q '^descriptors [12][0-9] pools 0$' out || fail "the recorder still holds pools or descriptors: $(cat out)"
equal "leaf of 150 processes" "$(calls t leaf)" 150
rm -rf t

# A program in the background is recorded even if the script that starts it works and sleeps for half a second before.
cat > starts_late.sh <<'SCRIPT'
setsid sh -c 'for i in 1 2 3 4 5 6; do timeout 0.06 sh -c "while :; do :; done"; sleep 0.02; done
	exec ./recorded many 3' > /dev/null 2>&1 &
SCRIPT
expect 0 "$spoor" record -o t sh starts_late.sh
said ' of 1 process in t, 0 lost'
equal "leaf of a program that starts late" "$(calls t leaf)" 3
rm -rf t

# The recorder rejects files that are no pools, and closes their descriptors.
cat > no_pool.py <<'PYTHON'
import array, os, socket, time
def send(data, descriptors):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect("\0" + os.environ["SPOOR_RUNTIME_RECORDER"].split("/")[0])
    s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])
    s.settimeout(120)
    s.recv(1)
def count():
    # The recorder opens descriptors for a moment to test whether it may, so this is the least of 20 counts.
    counts = []
    for i in range(20):
        counts.append(len(os.listdir("/proc/%d/fd" % os.getppid())))
        time.sleep(0.005)
    return min(counts)
send(b"x", [0])
before = count()
for i in range(10):
    send(b"rec1" + b"x" * 5000, [0, 1])
    send(b"x" * 4104, [0])
print("left open:", count() - before)
PYTHON
status=0
"$spoor" record -o t python3 no_pool.py > out 2> err || status=$?
equal "status of what sends no pools" "$status" 0
equal "descriptors" "$(cat out)" "left open: 0"
equal "messages of no pools" "$(grep -c 'its message contains no pool' err)" 21
rm -rf t

# With a limit of the file size the program continues, and the recorder counts and reports the loss. The limit applies
# to the recorder: the program raises its own.
expect 0 sh -c 'ulimit -S -f 8; exec "$1" record -o t sh -c "ulimit -S -f unlimited; exec ./recorded many 1000000"' - \
	"$spoor"
grep -q 'cannot write events: File too large' err ||
	fail "the recorder does not report the limit of the file size: $(cat err)"
grep -q ' 0 lost' err && fail "the recorder counted no lost events: $(cat err)"
rm -rf t


# Without /proc nothing can be found: each command says so.
if unshare -m true 2> /dev/null; then
	for command in 'record ./recorded many 1' 'record --pid 1' 'ctl 1 status' 'top 1'; do
		status=0
		# shellcheck disable=SC2016
		unshare -m sh -c 'umount -l /proc || exit 77; exec "$@"' sh "$spoor" $command > out 2> err || status=$?
		[ $status != 77 ] || break
		equal "$command without /proc: status ($(cat err))" $status 1
		said_once err '/proc is missing'
	done
fi
