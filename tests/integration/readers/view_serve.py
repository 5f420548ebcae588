# SPDX-License-Identifier: MIT
# view_serve.py - sends requests to a server of spoor view, as a browser does and as an attacker might.
import atexit, os, random, re, signal, socket, subprocess, sys, time
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from view import Served, csv_calls, spoor_report

spoor = os.environ["top_builddir"] + "/tools/spoor"


class Server:
	def __init__(self, trace, *options):
		self.process = subprocess.Popen([spoor, "view", "--serve", *options, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		atexit.register(self.process.kill)
		self.url = self.process.stdout.readline().strip()
		found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", self.url)
		assert found, (self.url, self.process.stderr.read())
		self.port, self.path = int(found[1]), found[2]

	def connect(self):
		return socket.create_connection(("127.0.0.1", self.port), 60)

	def raw(self, data):
		"""Returns the whole answer until the server closes; the server may close before the request is sent
		completely."""
		with self.connect() as connection:
			answer = b""
			try:
				connection.sendall(data)
				connection.shutdown(socket.SHUT_WR)
				while part := connection.recv(65536):
					answer += part
			except ConnectionError:
				pass
			return answer

	def status(self, method="GET", path=None, host=None, more=""):
		answer = self.raw(f"{method} {self.path if path is None else path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{more}Connection: close\r\n\r\n".encode())
		return int(answer.split()[1])

	def end(self, with_signal, status=0):
		self.process.send_signal(with_signal)
		errors = self.process.communicate(timeout=60)[1]
		assert self.process.returncode == status, (self.process.returncode, errors)
		return errors


def data(trace):
	"""Checks each call, to the nanosecond, and the numbers of the report."""
	server = Server(trace)
	page, reported = Served(server.url), spoor_report(spoor, trace)
	assert page.resolution == 0 and not page.runs and not page.beyond
	got = sorted((page.threads[thread][2], page.nodes[node][4], page.function(node), begin + page.begin, end + page.begin)
		for thread, begin, end, node, flags, payload in page.calls)
	wanted = sorted(csv_calls(spoor, trace))
	assert got == wanted and len(got) > 1000, (trace, len(got), len(wanted))
	for key, (calls, total, own) in page.table().items():
		assert [calls, total, own] == [sum(row[i] for row in reported[key]) for i in range(3)], (trace, key)
	assert "connect-src 'self'" in page.html and 'id="meta"' not in page.html
	assert not re.search(r"https?:|src=|href=|\son\w+=", page.html)
	return server, page


server, page = data("small")
server.end(signal.SIGINT)
server, page = data("large")
count = page.asked
assert page.levels and count > 20

# One request may ask for several chunks; wrong requests get no chunk.
first, second = page.get("chunks/0"), page.get("chunks/%d" % (count - 1))
assert page.get("chunks/0,%d,0" % (count - 1)) == first + second + first
for path in "", "/", server.path[:-1], server.path[:-2] + "/", server.path.upper(), "/" + "0" * 32 + "/", "/" + "0" * 32 + "/meta", server.path + "x", \
		server.path + "meta/", server.path + "chunks", server.path + "chunks/", server.path + "chunks/x", server.path + "chunks/-1", \
		server.path + "chunks/1,", server.path + "chunks/,1", server.path + "chunks/1,,2", server.path + "chunks/%d" % count, \
		server.path + "chunks/99999999999999999999999", server.path + "chunks/" + ",".join(["1"] * 33), server.path + "../" + server.path[1:]:
	wanted = 404 if path else 400
	assert server.status(path=path) == wanted or path == server.path.upper() == server.path, path
assert server.status(path=server.path + "chunks/" + ",".join(["1"] * 32)) == 200

# Other host names that lead to this machine are rejected (DNS rebinding); HEAD has no body; other methods are
# rejected.
for host in f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", f"127.0.0.1.evil.example:{server.port}", f"localhost.:{server.port}":
	assert server.status(host=host) == 403, host
for host in f"localhost:{server.port}", f"LocalHost:{server.port}", f"[::1]:{server.port}":
	assert server.status(host=host) == 200, host
head = server.raw(f"HEAD {server.path} HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n\r\n".encode())
size = int(re.search(rb"Content-Length: (\d+)", head)[1])
assert head.endswith(b"\r\n\r\n") and head.count(b"\r\n\r\n") == 1 and size == len(page.html.encode())
for header in b"Cache-Control: no-store", b"Referrer-Policy: no-referrer", b"X-Frame-Options: DENY", b"X-Content-Type-Options: nosniff", \
		b"Cross-Origin-Resource-Policy: same-origin", b"default-src 'none'":
	assert header in head, header
for method, status in ("POST", 405), ("PUT", 405), ("OPTIONS", 405), ("G(T", 400):
	assert server.status(method) == status, method
assert b"\r\nAllow: GET, HEAD\r\n" in server.raw(f"DELETE {server.path} HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
assert server.status(more="Content-Length: 3\r\n") == 400
assert server.status(more="X: " + "y" * 9000 + "\r\n") == 431
# Pipelined requests are answered in order.
both = server.raw((f"GET {server.path}chunks/0 HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n" * 40).encode())
assert both.count(b"HTTP/1.1 200 OK") == 40 and both.endswith(first)

# The server listens only on 127.0.0.1: not on another address of this machine, nor with IPv6.
with open("/proc/net/tcp") as file:
	listens = [line.split()[1] for line in file if line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % server.port)]
assert listens == ["0100007F:%04X" % server.port], listens
with open("/proc/net/tcp6") as file:
	assert not any(line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % server.port) for line in file)

# Idle, slow and non-reading clients do not block others; nor do malformed requests.
idle = [server.connect() for _ in range(100)]
slow = [server.connect() for _ in range(20)]
for one in slow:
	one.sendall(b"GET / HT")
deaf = server.connect()
deaf.sendall((f"GET {server.path}chunks/0 HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n" * 2000).encode())
assert Served(server.url).table() == page.table()
random.seed(1)
request = f"GET {server.path}meta HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n\r\n".encode()
for _ in range(300):
	changed = bytearray(request)
	for _ in range(random.randrange(1, 5)):
		changed[random.randrange(len(changed))] = random.randrange(256)
	answer = server.raw(bytes(changed[:random.randrange(len(changed)) if random.random() < 0.3 else len(changed)]))
	assert not answer or re.match(rb"HTTP/1.1 (200|400|403|404|405|505) ", answer), answer
for one in idle + slow + [deaf]:
	one.close()
assert Served(server.url).table() == page.table()

# The server's file has no name, a second server reports that the port is in use, and the port is free after the end.
files = []
for fd in os.listdir(f"/proc/{server.process.pid}/fd"):
	try:
		files.append(os.readlink(f"/proc/{server.process.pid}/fd/{fd}"))
	except FileNotFoundError:
		pass	# the connection of the last request, which the server has closed since
assert any(name.endswith(" (deleted)") for name in files) and len(files) < 45, files
taken = subprocess.run([spoor, "view", "--serve", "--port", str(server.port), "small"], capture_output=True, text=True)
assert taken.returncode == 1 and f"port {server.port} is in use" in taken.stderr and not taken.stdout, taken
errors = server.end(signal.SIGTERM)
assert "press Ctrl-C to end" in errors, errors
for tries in 1, 2, 3:
	try:
		again = Server("small", "--port", str(server.port))
		break
	except AssertionError as error:
		# Another program can take the port before the second server does.
		assert tries < 3 and "is in use" in str(error), error
		server = Server("small")
		server.end(signal.SIGTERM)
assert again.port == server.port and again.path != server.path and again.status() == 200
again.end(signal.SIGTERM)
# A damaged trace is shown as far as it is readable, and a message follows at the end.
cut = Server("cut")
assert Served(cut.url).calls
assert "cut off" in cut.end(signal.SIGTERM, 1)
