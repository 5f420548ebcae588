#!/bin/sh
# SPDX-License-Identifier: MIT
# breakpoints_late.sh - tracepoints of SystemTap's header in a running process. spoor record --pid records the values
# that the process prints, even if a thread, a handler or a new library blocks all signals, or the process has its own
# SIGTRAP handler. Afterwards each byte of its text and its relocations, and its signal masks and handlers, are as
# before. The same is true after the recorder was killed and another one attached. spoor ctl enables and disables the
# tracepoints.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
[ -z "$emulated" ] || skip "spoor does not use ptrace on an emulated process"
spoor=$top_builddir/tools/spoor

gcc -O2 -g -Wall -Wextra -Werror -Wl,-z,now -o late "$victims/calls/late.c" -pthread
gcc -O2 -g -Wall -Wextra -Werror -Wl,-z,lazy -fno-pie -no-pie -o lazy "$victims/calls/late.c" -pthread
gcc -O2 -Wall -Wextra -Werror -DLIBRARY -fPIC -shared -o liblate.so "$victims/calls/late.c"

cat > other.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return ((int (*)(int, const sigset_t *, sigset_t *))dlsym(RTLD_NEXT, "sigprocmask"))(how, set, old);
}
END
gcc -O2 -fPIC -shared -o libother.so other.c

cat > drive.py <<'PYTHON'
import hashlib, json, os, re, signal, subprocess, sys, time
spoor, victim_path, runtime = sys.argv[1:4]

PAGE = 4096

def state(pid):
    """Returns checksums of the pages that only a tracer writes to, and the signal masks and handlers."""
    memory, pages = open("/proc/%d/mem" % pid, "rb"), {}
    for line in open("/proc/%d/maps" % pid):
        span, flags, _, _, inode, *path = line.split()
        if inode == "0" or flags[1] == "w" or flags[0] != "r" or "libspoor" in path[0]:
            continue
        begin, end = (int(x, 16) for x in span.split("-"))
        memory.seek(begin)
        for page in range(begin, end, PAGE):
            pages[page] = path[0], flags, hashlib.sha1(memory.read(PAGE)).hexdigest()
    signals = [[l for l in open("/proc/%d/task/%s/status" % (pid, t)) if re.match("Sig(Blk|Cgt|Ign|Pnd)", l)]
               for t in sorted(os.listdir("/proc/%d/task" % pid))]
    return pages, signals

class Victim:
    def __init__(self, **environment):
        self.process = subprocess.Popen([victim_path, "./liblate.so"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=dict(os.environ, **environment))
        self.hits = []
    def do(self, letters):
        said = []
        for letter in letters:
            self.process.stdin.write(letter); self.process.stdin.flush()
            while True:
                line = self.process.stdout.readline().rstrip("\n")
                assert line, (letter, self.process.wait())
                if line.startswith("done"):
                    said.append(line)
                    break
                (self.hits if line.startswith("late:") else said).append(line)
        return said

class Recorder:
    def __init__(self, trace, victim, pattern="late:*"):
        self.trace = trace
        self.process = subprocess.Popen([spoor, "record", "-o", trace, "--tracepoint", pattern, "--pid",
                                         str(victim.process.pid)], text=True, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        assert re.search(r"0 functions and \d+ tracepoints are recorded", line), line
    def end(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.stderr.read()
        assert self.process.wait() == 0 and "0 lost" in said and said.count("spoor:") == 1, said

def hits(trace):
    text = subprocess.run([spoor, "export", "--format", "json", trace], capture_output=True, text=True, check=True).stdout
    return [(e["process"], " ".join([e["tracepoint"], str(e["arguments"][0]["value"])])) for e in json.loads(text)["events"]
            if e["event"] == "tracepoint"]

def same(victim, trace):
    got = sorted(h for _, h in hits(trace))
    assert got and got == sorted(victim.hits), (got, victim.hits)
    victim.hits.clear()

# The behaviour without and with a recording.
plain, victim = Victim(), Victim()
first = "spwhblfbw"
quiet = plain.do(first), plain.do("tsd" + "sd")
victim.do("pwhl")
victim.hits.clear()
before = state(victim.process.pid)
assert any("SigBlk:\tfffffffe7ffbfeff" in l or re.search("SigBlk:\tf+", l) for task in before[1] for l in task), before[1]
for turn in range(3):
    trace = "%s.t%d" % (victim_path, turn)
    recorder = Recorder(trace, victim)
    victim.do("pwhblfbwp")
    if turn == 2:
        recorder.process.kill()
        recorder.process.wait()
        victim.do("pwhbl")
        victim.hits.clear()
        recorder = Recorder(trace + "a", victim)
        victim.do("pwbl")
    recorder.end()
    same(victim, recorder.trace)
    if turn < 2:
        assert len({p for p, _ in hits(trace)}) == 2, "no forked child"
    after = state(victim.process.pid)
    # A killed recorder leaves SIGTRAP unblocked in threads that had blocked it.
    wanted = before[1] if turn < 2 else [[l.replace("ff\n", "ef\n") for l in task] for task in before[1]]
    assert after[1] == wanted, (turn, after[1], wanted)
    for page, was in before[0].items():
        assert after[0].get(page) == was, (turn, hex(page), was, after[0].get(page))
    victim.do("pwhblf")
    victim.hits.clear()

# The process's own SIGTRAP handler, set before, during and after the recording.
recorder = Recorder(victim_path + ".own", victim)
assert victim.do("tp") == ["done 1", "done 1"]
recorder.end()
same(victim, recorder.trace)
said = victim.do("ts")
assert said == ["done 2", quiet[0][0], quiet[1][2], "done 2"], (said, quiet)
recorder = Recorder(victim_path + ".own2", victim)
assert victim.do("tpdp") == ["done 3"] * 4
recorder.end()
same(victim, recorder.trace)
said = victim.do("s")
assert said == [*quiet[1][5:7], "done 3"], (said, quiet)
victim.process.stdin.close()
assert victim.process.wait() == 0

# spoor ctl, in a process that started without tracepoints and has no recorder.
victim = Victim(LD_PRELOAD=runtime, SPOOR_RUNTIME_TRACE_PATH=victim_path + ".ctl")
def ctl(word):
    done = subprocess.run([spoor, "ctl", str(victim.process.pid), word, "late:*"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and re.fullmatch(r"\d+ tracepoints? changed\n", done.stdout), done
    return int(done.stdout.split()[0])
kept = []
for turn in range(2):
    victim.do("pwhbl")
    victim.hits.clear()
    assert ctl("enable-tracepoints") > 0
    victim.do("pwhbl")
    kept += victim.hits
    assert ctl("disable-tracepoints") > 0
victim.do("pwhbl")
victim.hits[:] = kept
victim.process.stdin.close()
assert victim.process.wait() == 0
same(victim, victim_path + ".ctl")

# If another library overrides libc's functions, spoor writes no breakpoint and prints a message.
victim = Victim(LD_PRELOAD="./libother.so")
victim.do("pwhbl")
before = state(victim.process.pid)
done = subprocess.run([spoor, "record", "-o", victim_path + ".other", "--tracepoint", "late:*", "--pid", str(victim.process.pid)],
                      capture_output=True, text=True)
assert done.returncode == 1 and "another library replaces libc's functions" in done.stderr, done
victim.do("pwhbl")
assert state(victim.process.pid)[1] == before[1]
assert all(state(victim.process.pid)[0].get(page) == was for page, was in before[0].items())
victim.process.stdin.close()
assert victim.process.wait() == 0
PYTHON
for program in late lazy; do
	timeout 120 python3 drive.py "$spoor" ./$program "$libspoor" > out 2>&1 ||
		fail "$program: drive.py failed: $(tail -n 4 out)"
done
