# SPDX-License-Identifier: MIT
# top_terminal.py - checks spoor top on a terminal, with a pseudo-terminal: keys, sizes, and the state afterwards.
#
# usage: top_terminal.py SPOOR PID
import fcntl, os, pty, re, signal, struct, sys, termios, time

spoor, process = sys.argv[1:3]
ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"


class Screen:
	def __init__(self, *options, rows=24, columns=80):
		self.leader, self.follower = pty.openpty()
		self.resize(rows, columns)
		self.before = termios.tcgetattr(self.follower)
		self.shown = b""
		self.pid = os.fork()
		if self.pid == 0:
			os.setsid()
			fcntl.ioctl(self.follower, termios.TIOCSCTTY, 0)
			# nohup and background jobs of shells ignore some of them.
			for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
				signal.signal(number, signal.SIG_DFL)
			for fd in range(3):
				os.dup2(self.follower, fd)
			os.execve(spoor, [spoor, "top", *options, process], {**os.environ, "TERM": "xterm"})

	def resize(self, rows, columns):
		fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

	def until(self, what, wanted):
		"""Reads until the output since the last call satisfies the condition."""
		end, new = time.monotonic() + 120, b""
		while time.monotonic() < end:
			os.set_blocking(self.leader, False)
			try:
				new += os.read(self.leader, 65536)
			except BlockingIOError:
				pass
			except OSError:
				break
			if wanted(new):
				self.shown += new
				return new
			time.sleep(0.01)
		sys.exit("timed out waiting for %s; the output is %r" % (what, new))

	def table(self, first):
		return self.until("a table with %s first" % first, lambda new: first in self.functions(new)[:1])

	@staticmethod
	def functions(new):
		"""Returns the functions of the last screen, from top to bottom."""
		lines = re.sub(rb"\033\[[0-9?]*[a-zA-Z]", b"", new.split(b"\033[H")[-1]).decode().split("\r\n")
		return [line.split()[-1] for line in lines[4:] if line.strip() and not line.startswith("#")]

	def has_ended(self, how):
		self.until("its end", lambda new: LEAVE in new)
		status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
		if status != how:
			sys.exit("status %d instead of %d" % (status, how))
		if termios.tcgetattr(self.follower) != self.before:
			sys.exit("the settings of the terminal were not restored")
		os.close(self.follower)
		os.close(self.leader)


screen = Screen("-i", "200ms")
screen.table("waits")
if ENTER not in screen.shown:
	sys.exit("spoor top does not use the alternate screen")
if termios.tcgetattr(screen.follower)[3] & (termios.ECHO | termios.ICANON):
	sys.exit("keys are echoed, or need a newline")
os.write(screen.leader, b"c")
screen.table("fast")
os.write(screen.leader, b"f")
screen.table("below")
os.write(screen.leader, b"x c")	# an unknown key, and two keys at once
screen.table("fast")
screen.resize(6, 30)
os.kill(screen.pid, signal.SIGWINCH)
small = screen.until("a small screen", lambda new: new.count(b"\r\n", new.rfind(b"\033[H")) == 5 and len(screen.functions(new)) == 2)
for line in re.sub(rb"\033\[[0-9?]*[a-zA-Z]", b"", small.split(b"\033[H")[-1]).split(b"\r\n"):
	if len(line) > 30:
		sys.exit("a line is too long: %r" % line)
# Stops the program, which continues at once because it leads its session: the usual screen, then its alternate screen.
os.kill(screen.pid, signal.SIGTSTP)
screen.until("the usual screen, and its own", lambda new: LEAVE in new and ENTER in new[new.index(LEAVE):])
os.write(screen.leader, b"q")
screen.has_ended(0)

for number, how in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP),
		(signal.SIGQUIT, -signal.SIGQUIT)):
	screen = Screen("-i", "100ms")
	screen.table("waits")
	os.kill(screen.pid, number)
	screen.has_ended(how)
screen = Screen("-i", "100ms", "--iterations", "2")
screen.has_ended(0)
