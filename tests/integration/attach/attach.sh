#!/bin/sh
# SPDX-License-Identifier: MIT
# attach.sh - spoor record --pid traces a running process for a while and leaves it unchanged: interrupted system
# calls, descriptors, signal masks, output and exit status stay the same. The long form attaches a hundred times.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
rounds=5
[ -z "${SPOOR_LONG-}" ] || rounds=100

traced_cxx -o attached "$victims/calls/attached.cc" -pthread -rdynamic
library loaded

cat > drive.py <<'PYTHON'
"""Attaches several times in turn, and compares the process with one that is never attached to."""
import os, re, signal, subprocess, sys, time
spoor, facts, rounds, user, recorder_user = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
environment = dict(os.environ, **dict(pair.split("=", 1) for pair in sys.argv[6:]))

def become(user):
    if user:
        os.setgroups([]); os.setgid(user); os.setuid(user)

def state(pid):
    of = lambda path: [line for line in open(path) if re.match("Sig(Blk|Cgt|Ign)", line)]
    descriptors = sorted((fd, os.readlink("/proc/%d/fd/%s" % (pid, fd))) for fd in os.listdir("/proc/%d/fd" % pid))
    return descriptors, [(task, of("/proc/%d/task/%s/status" % (pid, task))) for task in sorted(os.listdir("/proc/%d/task" % pid))]

def said(stream, pattern):
    line = stream.readline()
    while ": waiting " in line:     # the machine is busy
        print(line, end="", flush=True)
        line = stream.readline()
    assert re.search(pattern, line), line

def calls(trace):
    got = subprocess.run([facts, trace], capture_output=True, text=True)
    assert got.returncode == 0, got.stdout + got.stderr
    return {f[3]: (int(f[4]), int(f[5])) for f in (l.split("\t") for l in got.stdout.splitlines()) if f[0] == "function"}

def run(attached):
    victim = subprocess.Popen(["./attached"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=environment, preexec_fn=lambda: become(user))
    answers = []
    def command(word):
        victim.stdin.write(word + "\n"); victim.stdin.flush()
        answers.append(victim.stdout.readline())
    command("before")
    while any(open("/proc/%d/task/%s/stat" % (victim.pid, task)).read().rsplit(") ")[1][0] != "S"
              for task in os.listdir("/proc/%d/task" % victim.pid)):
        time.sleep(0.01)     # until all threads sleep
    before = state(victim.pid)
    for i in range(rounds):
        trace = "place/t%d" % i
        if attached:
            recorder = subprocess.Popen([spoor, "record", "-o", trace, "--pid", str(victim.pid)], text=True,
                                        stderr=subprocess.PIPE, preexec_fn=lambda: become(recorder_user))
            said(recorder.stderr, "process %d \\(attached\\): [0-9]+ functions? (is|are) recorded" % victim.pid)
        command("round %d" % i)
        if attached:
            recorder.send_signal(signal.SIGINT)
            said(recorder.stderr, " 110 events of 1 process in place/t[0-9]+, 0 lost")
            assert recorder.wait() == 0
            found = calls(trace)
            assert found.get("_Z4leafi") == (50, 50) and found.get("_Z6branchi") == (5, 5), found
            assert state(victim.pid) == before, (state(victim.pid), before)
            assert "memfd:spoor" not in open("/proc/%d/maps" % victim.pid).read()
            subprocess.run(["rm", "-rf", trace], check=True)
        command("between")
    command("quiet")
    return answers, *victim.communicate(), victim.returncode

plain, attached = run(False), run(True)
assert plain == attached, (plain, attached)
assert plain[3] == 5 and plain[2] == "", plain
PYTHON

# drive ROUNDS USER RECORDER'S-USER [VARIABLE=VALUE]...
drive()
{
	rm -rf place
	mkdir -m 777 place
	timeout 600 python3 drive.py "$spoor" "$trace_facts" "$@" ||
		fail "attaching in turn failed: drive.py $* (its output is above)"
}

drive "$rounds" 0 0
# libspoor.so is preloaded and dormant.
drive 2 0 0 LD_PRELOAD="$libspoor" SPOOR_RUNTIME_MODE=off
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null &&
	setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$libspoor" -a -w "$work/place"; then
	drive "$rounds" 65534 65534
	# Root attaches to a process of another user; the trace belongs to that user.
	drive 2 65534 0
fi

# begin [VARIABLE=VALUE]... - starts the victim of the following tests; say sends a line to the victim.
begin()
{
	rm -f lines out
	mkfifo lines
	env "$@" ./attached < lines > out 2> err &
	victim=$!
	exec 3> lines
	say begin
}
say()
{
	echo "$*" >&3
	awaited "an answer to $*" grep -qx "did $*" out
}
end()
{
	exec 3>&-
	status=0
	wait $victim || status=$?
	equal "status of the attached process" "$status" 5
	silent err
}
# attached - tests whether the recorder has attached. Fails if the recorder has ended.
attached()
{
	grep -qE 'functions? (is|are) recorded' said && return
	kill -0 $recorder 2> said.not || fail "the recorder ended without attaching: $(cat said)"
	return 1
}
# attach OPTION... - starts the recorder in the background, and waits until it has attached.
attach()
{
	# Removes the messages of the previous recorder.
	: > said
	# The shell makes background jobs ignore SIGINT, so restore the default action.
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$spoor" record --pid $victim "$@" 2> said 3>&- &
	recorder=$!
	awaited "an attachment" attached
}
detach()
{
	kill -s INT $recorder
	status=0
	wait $recorder || status=$?
	equal "status of the recorder ($(cat said))" "$status" 0
}
# refused TEXT OPTION... - checks that the recorder prints one line, which contains TEXT, and exits with status 1.
refused()
{
	text=$1
	shift
	status=0
	timeout 300 "$spoor" record -o refused "$@" > refused.out 2>&1 || status=$?
	equal "status where it says '$text' ($(cat refused.out))" "$status" 1
	equal "lines ($(cat refused.out))" "$(grep -vc "$waiting" refused.out)" 1
	grep -q "$text" refused.out || fail "the message does not contain '$text': $(cat refused.out)"
	[ ! -e refused ] || fail "the recorder left a trace although it said '$text': $(ls refused)"
}

# The process loads and closes libraries before, during and after an attachment.
begin
say "open $work/libloaded.so"
attach -o t
say close
say "open $work/./libloaded.so"
say one
detach
facts t
calls_are t leaf 0
calls_are t loaded_value 3
calls_are t _Z4leafi 50
say close
say "open $work/libloaded.so"
# The choice of functions belongs to the attachment.
rm -rf t
attach -o t -f leaf -m 'attached'
say two
refused 'is already traced, to .*/t/[0-9]*' --pid $victim
detach
facts t
calls_are t _Z4leafi 50
equal "entries of branch, which is not chosen" "$(entries t _Z6branchi)" 0
# Each recorder names the patterns that match nothing, even if an earlier one had the same patterns.
for round in 1 2; do
	attach -o said.$round -f 'leaf,nobody*' -m 'attached,libnone.so' --allow-empty
	detach
	grep -q "MODULES: no library with sleds matches 'libnone.so'$" said &&
		grep -q "FUNCTIONS: no traced function matches 'nobody\*'$" said ||
			fail "round $round: the recorder does not name the patterns that match nothing: $(cat said)"
done
attach -o said.3 -f leaf
detach
! grep matches said || fail "the recorder names patterns of an earlier recorder: $(cat said)"
rm -rf said.[123]
# If the recorder is killed, the process keeps logging until the next recorder ends that.
rm -rf t
attach -o t
kill -s KILL $recorder
wait $recorder || :
say three
attach -o u
say four
detach
facts u
calls_are u _Z4leafi 50
end
equal "what it printed" "$(tail -n 1 out)" "end $((5 * 5 * 46))"
rm -rf t u

# The mode changes during the recording: the counts become part of the trace.
begin
attach -o t
say one
timeout 300 "$spoor" ctl $victim mode count > ctl.out 2>&1 || fail "spoor ctl mode count failed: $(cat ctl.out)"
say two
grep -q '/counts.spoor' "/proc/$victim/maps" ||
	fail "the process has not mapped a file of counts: $(grep spoor "/proc/$victim/maps")"
detach
! grep -q 'counts.spoor' "/proc/$victim/maps" ||
	fail "the file of counts is still mapped after the recording: $(grep spoor "/proc/$victim/maps")"
facts t
calls_are t _Z4leafi 50
equal "calls of leaf" "$(reported t 'leaf(int)')" 100
say three
attach -o u
say four
timeout 300 "$spoor" ctl $victim mode count > ctl.out 2>&1 ||
	fail "spoor ctl mode count failed the second time: $(cat ctl.out)"
say five
timeout 300 "$spoor" ctl $victim mode ring > ctl.out 2>&1 || fail "spoor ctl mode ring failed: $(cat ctl.out)"
say six
detach
facts u
calls_are u _Z4leafi 100
equal "calls of leaf, again" "$(reported u 'leaf(int)')" 150
end
rm -rf t u

# A thread loads and closes a library all the time: spoor adopts the library completely or not at all.
cat > reloads.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *reload(void *path)
{
	while (access("go", F_OK) == 0) {
		void *library = dlopen(path, RTLD_NOW);

		if (!library || ((int (*)(int))dlsym(library, "loaded_calls"))(3) != 3 || dlclose(library))
			return "not loaded";
	}
	return "good";
}
int main(int count, char **arguments)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, reload, arguments[count - 1]);
	pthread_join(thread, &result);
	puts(result);
	return 3;
}
C
traced_cc -o reloads reloads.c -pthread
: > go
./reloads "$work/libloaded.so" > out & victim=$!
awaited "a library that is loaded" grep -q libloaded /proc/$victim/maps
# If all threads are in the loader at each attempt, the recorder does nothing and says so.
times=0
for try in $(seq 30); do
	if timeout 300 "$spoor" record -q -o t --pid $victim --duration 20ms 2> said; then
		facts -n t
		times=$((times + 1))
	else
		grep -q 'try again$' said || fail "the recorder failed and does not advise to try again: $(cat said)"
	fi
	rm -rf t
	[ $times -lt 6 ] || break
done
equal "attachments to what reloads ($try tries, $(cat said))" $times 6
rm go
status=0
wait $victim || status=$?
equal "status of what reloads ($(cat said))" "$status $(cat out)" "3 good"
rm -rf t

# The process may end during the recording, without complaints about patterns; or the duration ends.
begin
attach -o t -f 'leaf,nobody*' --allow-empty
say five
end
status=0
wait $recorder || status=$?
equal "status of the recorder after an end" "$status" 0
facts t
calls_are t _Z4leafi 50
rm -rf t
begin
timeout 300 "$spoor" record -o t --pid $victim --duration 200ms 2> said ||
	fail "recording with --duration failed: $(cat said)"
grep -q ' 0 lost' said || fail "recording with --duration does not report lost events: $(cat said)"
rm -rf t
# Afterwards the process is dormant, each command says so, and the advised command works.
for command in "ctl $victim status" "top --iterations 1 $victim" "doctor $victim"; do
	# shellcheck disable=SC2086
	"$spoor" $command > told 2>&1 || :
	grep -q "stores no events: it is dormant (its mode is off, or its recording has ended).*'spoor record --pid $victim" told ||
		fail "$command after a recording does not say that the process is dormant: $(cat told)"
done
attach -o t
say six
detach
facts t
calls_are t _Z4leafi 50
rm -rf t

# Processes that spoor cannot attach to.
refused 'is spoor itself\|no process' --pid 2147483647
sh -c 'exit 0' & ended=$!
wait $ended
refused "no process $ended" --pid $ended
sleep 600 & sleeping=$!
awaited "a process that sleeps" has_begun $sleeping sleep
refused 'no sleds\|the recording is empty' --pid $sleeping
kill $sleeping
cat > static.c <<'C'
#include <unistd.h>
int main(void) { for (;;) pause(); }
C
if "$clang" -static -o static static.c 2> static.err; then
	./static & static=$!
	awaited "a static program" has_begun $static static
	refused 'static program' --pid $static
	kill $static
fi
cat > sandbox.c <<'C'
#include <sys/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <unistd.h>
int main(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 1;
	write(1, "ready\n", 6);
	for (;;)
		pause();
}
C
"$clang" -o sandbox sandbox.c
./sandbox > sandbox.out & sandbox=$!
awaited "a sandbox" test -s sandbox.out
refused 'seccomp filter' --pid $sandbox
kill $sandbox
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	status=0
	(cd place && setpriv --reuid=65534 --regid=65534 --clear-groups "$spoor" record --pid $victim) 2> said || status=$?
	equal "status for another user ($(cat said))" "$status" 1
	grep -q 'cannot attach to process' said ||
		fail "the recorder does not refuse another user's process: $(cat said)"
fi
end
for wrong in '--pid x' '--pid 0' "--pid $$ true" "--pid $$ --start-after 1" "--pid $$ --duration x" "--pid $$ --mode off" "--pid $$ --flush-signal USR1"; do
	status=0
	"$spoor" record $wrong 2> said || status=$?
	equal "status of $wrong" "$status" 2
done
