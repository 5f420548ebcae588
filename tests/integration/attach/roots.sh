#!/bin/sh
# SPDX-License-Identifier: MIT
# roots.sh - if tracing starts during a run, each thread's calls are below the functions that are open at that moment,
# as gdb and the program itself report them. The long form attaches two hundred times to threads that call without
# pause.
set -eu
. "$top_srcdir/tests/integration/support/life.sh"
spoor=$top_builddir/tools/spoor
rounds=2
[ -z "${SPOOR_LONG-}" ] || rounds=200

traced_cxx -o nests "$victims/calls/nests.cc" -pthread -rdynamic
cat > goes_on.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
static volatile int sum;
static void say(const char *what, const char *argument)
	__attribute__((no_instrument_function));
static void say(const char *what, const char *argument)
{
	((long (*)(const char *))dlsym(RTLD_DEFAULT, what))(argument);
}
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void second(const char *mode)
{
	leaf();
	if (strcmp(mode, "log") == 0)
		say("spoor_disable", 0);
	leaf();
	if (strcmp(mode, "log") == 0)
		say("spoor_enable", 0);
	else
		say("spoor_mode_set", "log");
	leaf();
	sum++;
}
__attribute__((noinline)) void first(const char *mode) { second(mode); leaf(); sum++; }
int main(int count, char **arguments) { (void)count; first(arguments[1]); sum++; return 0; }
C
traced_cc -o goes_on goes_on.c
cat > elsewhere.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <ucontext.h>
static ucontext_t its, mains;
static char stack[1 << 16];
static volatile int sum;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void waits(void) { leaf(); swapcontext(&its, &mains); leaf(); sum++; }
__attribute__((noinline)) void works(void) { waits(); leaf(); waits(); sum++; }
__attribute__((no_instrument_function)) int main(void)
{
	getcontext(&its);
	its.uc_stack.ss_sp = stack;
	its.uc_stack.ss_size = sizeof(stack);
	its.uc_link = &mains;
	makecontext(&its, works, 0);
	swapcontext(&mains, &its);
	((long (*)(void))dlsym(RTLD_DEFAULT, "spoor_enable"))();
	swapcontext(&mains, &its);
	swapcontext(&mains, &its);
	return 0;
}
C
traced_cc -o elsewhere elsewhere.c
cat > small.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_barrier_t barrier;
static volatile int sum;
__attribute__((noinline)) void leaf(void) { sum++; }
__attribute__((noinline)) void handles(int number) { (void)number; leaf(); sum++; }
/* Only this function is open, and the first event comes from a handler on a stack of the smallest size. */
__attribute__((noinline)) void *begins(void *unused)
{
	stack_t small = { .ss_sp = malloc((size_t)MINSIGSTKSZ + 4096), .ss_size = (size_t)MINSIGSTKSZ + 4096 };
	struct sigaction action = { .sa_handler = handles, .sa_flags = SA_ONSTACK };

	sigaltstack(&small, NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_kill(pthread_self(), SIGUSR1);
	leaf();
	return unused;
}
int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int status;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN + 8192);
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, &attributes, begins, NULL) != 0)
		return 1;
	pthread_barrier_wait(&barrier);
	((long (*)(void))dlsym(RTLD_DEFAULT, "spoor_enable"))();
	if (fork() == 0) {
		leaf();
		return 0;
	}
	wait(&status);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	leaf();
	return 3 + status;
}
C
traced_cc -o small small.c -pthread
cat > clock.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile sig_atomic_t over;
__attribute__((no_instrument_function)) static void end(int number) { over = number; }
/* Spends nearly all of its time in the vDSO. */
__attribute__((noinline)) void reads(void)
{
	for (struct timespec now; !over;)
		clock_gettime(CLOCK_MONOTONIC, &now);
}
int main(void) { signal(SIGTERM, end); puts("begun"); fflush(stdout); reads(); return 3; }
C
traced_cc -o clock clock.c

cat > nests.py <<'PYTHON'
"""Runs the program nests and keeps the open functions of its threads."""
import os, re, signal, subprocess, sys
spoor, facts_program, libspoor = sys.argv[1:4]

# Functions that no loop and no wait calls: none returns before its thread may continue.
class Nests:
    def __init__(self, *arguments, **environment):
        self.process = subprocess.Popen(["./nests", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **environment))
        self.pid, self.nests = self.process.pid, {}
        self.listen("begin")

    def listen(self, word):
        while (line := self.process.stdout.readline().split()) != ["did", word]:
            assert line[:1] == ["nest"], line
            self.nests[int(line[1])] = line[2]

    def say(self, *words):
        for word in words:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
            self.listen(word)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(300) == 3, self.process.returncode

class Attached:
    """Runs spoor record --pid, and waits until it records."""
    def __init__(self, pid, trace, *options):
        subprocess.run(["rm", "-rf", trace], check=True)
        self.process = subprocess.Popen([spoor, "record", "-o", trace, "--pid", str(pid), *options], stderr=subprocess.PIPE,
                                        text=True)
        line = self.process.stderr.readline()
        while ": waiting " in line:     # the machine is busy
            line = self.process.stderr.readline()
        assert re.search("functions? (is|are) recorded", line), line

    def end(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.stderr.read()
        assert self.process.wait(300) == 0 and " 0 lost" in said, said

def lines_of(*command):
    got = subprocess.run(command, capture_output=True, text=True)
    assert got.returncode == 0, (command, got.stdout[-2000:], got.stderr)
    return got.stdout.splitlines()

def facts(trace):
    """Returns the facts by kind. Each exit must close the innermost call."""
    found = {}
    for line in lines_of(facts_program, trace):
        fields = line.split("\t")
        found.setdefault(fields[0], []).append(fields[2:])
    return found

def roots(trace):
    """Returns the roots of each thread in the trace; all must be complete."""
    found = {}
    for thread, _, whole, names in facts(trace).get("roots", []):
        assert whole == "whole", (thread, names)
        found[int(thread)] = names
    return found

def trees(trace):
    """Returns the lines of spoor replay for each thread, as (depth, name, note)."""
    found, thread = {}, None
    for line in lines_of(spoor, "replay", trace):
        if line.startswith("# thread "):
            thread = found.setdefault(int(line.split()[2]), [])
        elif match := re.match(r".{13}( *)(?:} )?(\w+)\(.*?\)[^#]*(?:# (.*))?$", line):
            thread.append((len(match[1]) // 2, match[2], match[3] or ""))
    return found

def open_before(tree):
    return ",".join(name for _, name, note in tree if note.startswith("entered before recording began"))

def gdb(pid, known):
    """Returns the functions of the program that gdb names in each thread."""
    found = {}
    for line in lines_of("gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", str(pid), "-ex",
                         "thread apply all bt"):
        if match := re.match(r"Thread \d+ .*LWP (\d+)", line):
            frames = found.setdefault(int(match[1]), [])
        elif match := re.match(r"#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \(", line):
            if match[1] in known:
                frames.insert(0, match[1])
    return {thread: ",".join(frames) for thread, frames in found.items()}

def equal(what, got, expected):
    assert got == expected, "%s:\ngot      %s\nexpected %s" % (what, got, expected)

def walk(trace, thread):
    export = subprocess.Popen([spoor, "export", "--format=csv", "--flat", "--thread", thread, trace], stdout=subprocess.PIPE, text=True)
    calls, begins, export_lines = [], True, (line.split(",") for line in export.stdout)
    assert next(export_lines)[0] == "time_ns"
    for _, (_, _, _, event, function, _, _, frame, *_) in zip(range(100000), export_lines):
        if event == "unrecorded":
            calls, begins = [], True
            continue
        assert not begins or (event == "root" and function in ("main", "is_busy")), (thread, event, function)
        begins = False
        if event in ("root", "entry"):
            calls.append([function, 0])
        elif event == "frame":
            calls[-1][1] = calls[-1][1] or frame
        elif event == "unwind":
            # This format has no frames for roots: throws is the innermost function, and its caller catches.
            while calls and calls[-1][1] != frame and calls[-1][0] != "climbs":
                calls.pop()
            if calls:
                calls[-1][1] = frame
        else:
            assert event in ("exit", "tail_exit"), event
            assert calls and calls[-1][0] == function, (thread, event, function, calls)
            calls.pop()
    export.stdout.close()
    assert export.wait(300) == 0
PYTHON

cat > attached.py <<'PYTHON'
from nests import *
import shutil
rounds = int(sys.argv[4])

nests = Nests("20")
nests.say("idle")
before = dict(nests.nests)
if shutil.which("gdb"):
    equal("gdb", gdb(nests.pid, {name for nest in before.values() for name in nest.split(",")}), before)
attached = Attached(nests.pid, "t")
nests.say("idle", "late", "go")
attached.end()
equal("roots", roots("t"), before)
found = trees("t")
equal("roots in the trees", {thread: open_before(tree) for thread, tree in found.items() if open_before(tree)}, before)
late = set(found) - set(before)
equal("threads that came later", [[(depth, name) for depth, name, _ in found[thread]] for thread in late],
      [[(0, "comes_late"), (1, "leaf"), (0, "comes_late")]])
for thread, nest in before.items():
    names = nest.split(",")
    if "compares" in names:
        # waits returns, a tail call replaces it by leaf, compares returns.
        equal("after the wait", [(depth, name) for depth, name, _ in found[thread]][3:6],
              [(3, "waits"), (3, "leaf"), (2, "compares")])
    end = [note for _, name, note in found[thread] if name == names[0]][-1]
    equal("end of " + nest, end, "still running when the trace ends" if names[0] == "main" else
          "unwound" if "ends" in names else "")
rows = {fields[0]: fields[2:] for fields in (line.split(",") for line in lines_of(spoor, "report", "--format=csv", "t")[1:])}
assert rows["runs"][0] == "0" and int(rows["runs"][1]) > 0 and rows["runs"][3:9] == [""] * 6, rows["runs"]
assert rows["returns_all"][0] == "1", rows["returns_all"]
assert any("roots           of 21 threads" in line for line in lines_of(spoor, "info", "t"))
assert any(line.startswith("main;obeys;leaf ") for line in lines_of(spoor, "flame", "--format=folded", "--by=calls", "t"))

# Attaches again, to one thread that waited all the time and one that is in calls of the first trace.
nests.say("wait", "idle")
attached = Attached(nests.pid, "t")
attached.end()
alive = {thread: nest for thread, nest in nests.nests.items() if os.path.exists("/proc/%d/task/%d" % (nests.pid, thread))}
equal("threads that are left", len(alive), 2)
equal("roots, again, of threads that call nothing", roots("t"), alive)
equal("trees of threads that call nothing", {thread: open_before(tree) for thread, tree in trees("t").items()}, alive)

# A function that was not chosen has no exit in the trace, so it is no root.
attached = Attached(nests.pid, "t", "-f", "main,third,waits,leaf")
nests.say("go")
attached.end()
equal("roots of the chosen functions", sorted(roots("t").values()), ["main", "third,waits"])
nests.end()

# The roots of the current stack. The roots of other stacks are unknown, and the reader repairs them.
nests = Nests("3", "aside")
before = dict(nests.nests)
attached = Attached(nests.pid, "t")
nests.say("go")
attached.end()
equal("roots of stacks aside", {thread: open_before(tree) for thread, tree in trees("t").items() if open_before(tree)}, before)
nests.end()

# The roots of a thread that reads the clock without system calls.
clock = subprocess.Popen(["./clock"], stdout=subprocess.PIPE, text=True)
clock.stdout.readline()
for i in range(rounds):
    Attached(clock.pid, "t").end()
    equal("roots of one that reads the clock", roots("t"), {clock.pid: "main,reads"})
clock.terminate()
assert clock.wait(300) == 3, clock.returncode

# Threads may stop between any two instructions of an entry or exit: each exit must close the innermost call.
nests = Nests("4", "busy")
for i in range(rounds):
    attached = Attached(nests.pid, "t", "--duration", "5ms")
    assert attached.process.wait(300) == 0
    threads = os.listdir("/proc/%d/task" % nests.pid)
    assert len(threads) == 5, threads
    for thread in threads:
        walk("t", thread)
nests.say("go")
nests.end()
PYTHON
timeout $((300 + 10 * rounds)) python3 attached.py "$spoor" "$trace_facts" "$libspoor" "$rounds" ||
	fail "roots with spoor record --pid are wrong: attached.py printed the reason above"

cat > enabled.py <<'PYTHON'
from nests import *
import shutil

def preloaded(count, *more, mode="off", trace="t"):
    subprocess.run(["rm", "-rf", trace], check=True)
    return Nests(str(count), *more, LD_PRELOAD=libspoor, SPOOR_RUNTIME_MODE=mode, SPOOR_RUNTIME_TRACE_PATH=trace)

def descriptors(nests):
    there = "/proc/%d/fd/" % nests.pid
    return sorted(name for name in map(os.readlink, (there + fd for fd in os.listdir(there))) if "/t/" not in name)

# The program enables tracing itself. The threads return first from the function in which they wait.
nests = preloaded(20)
before, open_files = dict(nests.nests), descriptors(nests)
nests.say("idle", "spoor_enable", "idle", "late")
equal("descriptors", descriptors(nests), open_files)
mapped = open("/proc/%d/maps" % nests.pid).read()
if "libunwind" not in mapped:
    print("roots: without libunwind", file=sys.stderr)
    sys.exit(77)
nests.say("go")
nests.end()
equal("roots", roots("t"), before)
found = trees("t")
equal("roots in the trees", {thread: open_before(tree) for thread, tree in found.items() if open_before(tree)}, before)
equal("threads that came later", [[(depth, name) for depth, name, _ in found[thread]] for thread in set(found) - set(before)],
      [[(0, "comes_late"), (1, "leaf"), (0, "comes_late")]])

# spoor ctl enables tracing, twice: a thread that logged before, and did not in between, has the same roots again.
nests = preloaded(4)
before = dict(nests.nests)
lines_of(spoor, "ctl", str(nests.pid), "mode", "log")
nests.say("idle")
lines_of(spoor, "ctl", str(nests.pid), "mode", "off")
nests.say("idle")
lines_of(spoor, "ctl", str(nests.pid), "mode", "log")
nests.say("idle", "go")
nests.end()
before[nests.pid] = "main,obeys,main,obeys"
equal("roots by spoor ctl", {thread: open_before(tree) for thread, tree in trees("t").items() if open_before(tree)}, before)

# After spoor_disable() and after counting, the calls that are open when recording continues are below main again.
for mode, calls in ("log", 3), ("count", 4):
    subprocess.run(["rm", "-rf", "t"], check=True)
    subprocess.run(["./goes_on", mode], check=True, env=dict(os.environ, LD_PRELOAD=libspoor, SPOOR_RUNTIME_MODE=mode,
                                                             SPOOR_RUNTIME_TRACE_PATH="t"))
    events = [line.split(",")[3:5] for line in lines_of(spoor, "export", "--format=csv", "--flat", "t")[1:]]
    if mode == "log":
        equal("calls until spoor_disable()", events[:5],
              [["entry", "main"], ["entry", "first"], ["entry", "second"], ["entry", "leaf"], ["exit", "leaf"]])
        events = events[5:]
    equal("calls from then on, " + mode, events,
          [["unrecorded", ""], ["root", "main"], ["root", "first"], ["root", "second"], ["entry", "leaf"], ["exit", "leaf"],
           ["exit", "second"], ["entry", "leaf"], ["exit", "leaf"], ["exit", "first"], ["exit", "main"]])
    report = {line.split(",")[0]: int(line.split(",")[2]) for line in lines_of(spoor, "report", "--format=csv", "t")[1:]}
    equal("calls, " + mode, report, {"main": 1, "first": 1, "second": 1, "leaf": calls})

# The first event comes from a stack that continues, so its roots are open on that stack. If libunwind finds no
# unwind information for a function, libunwind follows the frame pointer, which is 1 in some of these runs.
for i in range(30):
    subprocess.run(["rm", "-rf", "t"], check=True)
    subprocess.run(["./elsewhere"], check=True, env=dict(os.environ, LD_PRELOAD=libspoor, SPOOR_RUNTIME_MODE="off",
                                                         SPOOR_RUNTIME_TRACE_PATH="t"))
replayed = [re.sub(r"^.{12}", "", line) for line in lines_of(spoor, "replay", "t") if "()" in line]
begun, aside = "  # entered before recording began", "  # another stack continues"
equal("calls on a stack that goes on", replayed,
      [" works() elsewhere {" + begun, "   waits() elsewhere {" + begun, "     leaf() elsewhere;", "   } waits()",
       "   leaf() elsewhere;", "   waits() elsewhere {", "     leaf() elsewhere;", "   } waits()" + aside,
       " } works()" + aside, " works() elsewhere {" + begun, "   waits() elsewhere {", "     leaf() elsewhere;",
       "   } waits()", " } works()"])

# Other stacks, and those of threads that call without pause.
nests = preloaded(3, "aside")
before = dict(nests.nests)
nests.say("spoor_enable", "go")
nests.end()
equal("roots of stacks aside", {thread: open_before(tree) for thread, tree in trees("t").items() if open_before(tree)}, before)
for i in range(rounds := int(sys.argv[4])):
    nests = preloaded(4, "busy")
    nests.say("spoor_enable", "idle", "spoor_disable", "idle", "spoor_enable", "idle", "spoor_disable", "go")
    nests.end()
    for line in lines_of(facts_program, "-n", "t"):
        fields = line.split("\t")
        # Skips a thread that was about to log when all functions became dormant.
        if fields[0] == "thread" and int(fields[4]) > 10:
            walk("t", fields[2])

# A forked child has no threads of its parent, and no roots that it did not enter. A thread with a small stack, in a
# handler on a smaller stack, has all its roots.
subprocess.run(["rm", "-rf", "t"], check=True)
small = subprocess.run(["./small"], env=dict(os.environ, LD_PRELOAD=libspoor, SPOOR_RUNTIME_MODE="off",
                                             SPOOR_RUNTIME_TRACE_PATH="t"), capture_output=True, text=True)
assert small.returncode == 3, small
got = lines_of(facts_program, "-n", "t")
equal("roots of small stacks", sorted(line.split("\t")[5] for line in got if line.startswith("roots")),
      ["begins", "main"])
assert sum(line.startswith("process") for line in got) == 2, got

# Without libunwind there are no roots, and all other data is there.
subprocess.run(["rm", "-rf", "none"], check=True)
os.mkdir("none")
open("none/libunwind-x86_64.so.8", "w").close()
subprocess.run(["rm", "-rf", "t"], check=True)
nests = Nests("2", LD_PRELOAD=libspoor, SPOOR_RUNTIME_MODE="off", SPOOR_RUNTIME_TRACE_PATH="t", LD_LIBRARY_PATH="none")
nests.say("spoor_enable", "idle", "go")
nests.end()
equal("roots without libunwind", [line for line in lines_of(facts_program, "-n", "t") if line.startswith("roots")], [])
equal("calls without libunwind", sum(name == "returns_all" for tree in trees("t").values() for _, name, _ in tree), 1)

# If tracing is on from the start, libunwind is not loaded and no thread has roots.
nests = preloaded(2, mode="log")
assert "libunwind" not in open("/proc/%d/maps" % nests.pid).read()
nests.say("go")
nests.end()
equal("roots from the begin", roots("t"), {})
PYTHON
status=0
timeout $((300 + 10 * rounds)) python3 enabled.py "$spoor" "$trace_facts" "$libspoor" "$rounds" || status=$?
[ $status = 0 ] || [ $status = 77 ] ||
	fail "roots with spoor_enable() are wrong: enabled.py printed the reason above (status $status)"
