# SPDX-License-Identifier: MIT
# replay_terminal.py - checks 'spoor replay' on a terminal, with a pseudo-terminal.
#
# usage: replay_terminal.py SPOOR TRACE DAMAGED_TRACE LARGE_TRACE
import os, pty, re, signal, subprocess, sys, time

spoor, trace, damaged, large = sys.argv[1:5]
ESCAPE = re.compile(rb"\033\[[0-9;]*m")
plain_environment = {key: value for key, value in os.environ.items()
	if key not in ("NO_COLOR", "PAGER", "SPOOR_PAGER", "LESS", "LV", "TERM")}


def on_terminal(*words, where=trace, act=None, **environment):
	"""Returns the status and the output on the terminal, with line ends as written."""
	pid, terminal = pty.fork()
	if pid == 0:
		os.execve(spoor, [spoor, "replay", *words, where], {**plain_environment, "TERM": "xterm", **environment})
	shown = b""
	if act:
		act(pid, terminal)
	while True:
		try:
			some = os.read(terminal, 65536)
		except OSError:
			break
		if not some:
			break
		shown += some
	os.close(terminal)
	status = os.waitpid(pid, 0)[1]
	return os.waitstatus_to_exitcode(status), shown.replace(b"\r\n", b"\n")


def check(what, is_, expected):
	if is_ != expected:
		sys.exit("%s: %r instead of %r" % (what, is_, expected))


def has_colors(what, shown, expected):
	check(what, bool(ESCAPE.search(shown)), expected)
	# Without colours the text is the same as in a pipe.
	check(what + ": the text", ESCAPE.sub(b"", shown), plain)


plain = subprocess.run([spoor, "replay", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
check("a pipe", ESCAPE.search(plain), None)
if plain.count(b"\n") < 100:
	sys.exit("the replay has fewer than 100 lines")

for words, environment, expected in (
		([], {}, True), ([], {"NO_COLOR": "1"}, False), ([], {"NO_COLOR": ""}, True), ([], {"TERM": "dumb"}, False),
		(["--color=never"], {}, False), (["--color=always"], {"NO_COLOR": "1"}, True), (["--color=auto"], {}, True)):
	status, shown = on_terminal("--no-pager", *words, **environment)
	check("status", status, 0)
	has_colors("colours with %s %s" % (words, environment), shown, expected)
always = subprocess.run([spoor, "replay", "--color=always", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
has_colors("colours in a pipe", always, True)
merged = subprocess.run([spoor, "replay", "--merge", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
check("colours of a merged tree", ESCAPE.sub(b"", on_terminal("--merge", "--no-pager")[1]), merged)

# A pager gets all output, stderr too; a pipe gets no pager.
def paged(shown):
	return b"".join(b"P:" + line for line in plain.splitlines(True)) == ESCAPE.sub(b"", shown)

for environment, expected in (({"SPOOR_PAGER": "sed s/^/P:/"}, True), ({"PAGER": "sed s/^/P:/"}, True),
		({"SPOOR_PAGER": "sed s/^/P:/", "PAGER": "false"}, True), ({"SPOOR_PAGER": "", "PAGER": "sed s/^/P:/"}, False),
		({"SPOOR_PAGER": "cat"}, False), ({"PATH": "/nowhere"}, False)):
	status, shown = on_terminal(**environment)
	check("status with %s" % environment, status, 0)
	check("a pager with %s" % environment, paged(shown), expected)
	if not expected:
		check("the text with %s" % environment, ESCAPE.sub(b"", shown), plain)
check("--no-pager", paged(on_terminal("--no-pager", SPOOR_PAGER="sed s/^/P:/")[1]), False)
piped = subprocess.run([spoor, "replay", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
	env={**plain_environment, "SPOOR_PAGER": "sed s/^/P:/"}).stdout
check("a pager if the output is a pipe", piped, plain)

# The default pager is less; checks its arguments.
os.mkdir("bin")
with open("bin/less", "w") as file:
	file.write("#!/bin/sh\necho LESS=$LESS\nexec cat\n")
os.chmod("bin/less", 0o755)
path = os.getcwd() + "/bin:" + os.environ["PATH"]
check("less", on_terminal(PATH=path)[1].splitlines()[0], b"LESS=FRX")
check("its options", on_terminal(PATH=path, LESS="i")[1].splitlines()[0], b"LESS=i")

# A pager that ends early is no error; a damaged trace is one, even with a pager.
check("a pager that leaves", on_terminal("--merge", SPOOR_PAGER="head -n 1 > /dev/null; exec true"), (0, b""))
check("a damaged trace", on_terminal(where=damaged, SPOOR_PAGER="cat -")[0], 1)
check("a pager's own status", on_terminal(SPOOR_PAGER="cat - > /dev/null; exit 3"), (0, b""))
status, shown = on_terminal(SPOOR_PAGER="/nowhere/pager")
check("no such pager", (status, b"cannot run the pager '/nowhere/pager'" in shown), (1, True))

# Ctrl-C ends this program, but only after its pager, which has the terminal.
def interrupt(pid, terminal):
	while not os.path.exists("pager.began"):
		time.sleep(0.01)
	os.kill(pid, signal.SIGINT)
	open("pager.may.go.on", "w").close()

# While it writes, or after it has written everything and waits.
WAITS = ": > pager.began; until [ -e pager.may.go.on ]; do sleep 0.01; done; "
for pager in "trap '' INT; " + WAITS + "cat - > /dev/null; echo pager ends", "trap '' INT; cat - > /dev/null; " + WAITS + "echo pager ends":
	check("a replay that is interrupted", on_terminal(act=interrupt, SPOOR_PAGER=pager), (-signal.SIGINT, b"pager ends\n"))
	os.remove("pager.began")
	os.remove("pager.may.go.on")

def interrupt_blocked(thread):
	with open("/proc/%s/status" % thread) as file:
		return bool(int(re.search(r"SigBlk:\s*(\w+)", file.read())[1], 16) >> (signal.SIGINT - 1) & 1)

# The main thread blocks SIGINT only while it starts another thread.
def wait_for_threads(pid):
	deadline = time.monotonic() + 60
	while len(threads := os.listdir("/proc/%d/task" % pid)) < 2 or interrupt_blocked(pid):
		if time.monotonic() > deadline:
			sys.exit("a replay by several threads has only one, or its main thread blocks SIGINT")
		time.sleep(0.01)
	return [int(thread) for thread in threads if int(thread) != pid]

# Any thread may get the signal: all output still goes to the pager.
def interrupt_threads(pid, terminal):
	for thread in wait_for_threads(pid):
		check("a thread has SIGINT blocked", interrupt_blocked(thread), True)
	interrupt(pid, terminal)

check("threads that are interrupted", on_terminal(act=interrupt_threads, where=large, SPOOR_JOBS="3",
	SPOOR_PAGER="trap '' INT; " + WAITS + "cat - > /dev/null; echo pager ends"), (-signal.SIGINT, b"pager ends\n"))
