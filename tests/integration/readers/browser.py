# SPDX-License-Identifier: MIT
# browser.py - drives a headless Chromium through the pipe of its DevTools protocol, without packages and without a
# port.
import base64, json, os, shutil, subprocess, tempfile


class Browser:
	def __init__(self, width=1440, height=900):
		program = next((p for p in ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell") if shutil.which(p)), None)
		if not program:
			raise FileNotFoundError("chromium")
		self.profile = tempfile.mkdtemp(prefix="browser.", dir=".")
		to_browser, self.write_end = os.pipe()
		self.read_end, from_browser = os.pipe()

		def descriptors():
			# Chromium reads descriptor 3 and writes 4; the pipes may already use these numbers.
			low, high = os.dup2(to_browser, 203), os.dup2(from_browser, 204)
			os.dup2(low, 3)
			os.dup2(high, 4)

		self.process = subprocess.Popen(
			[program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
			 "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
			 f"--window-size={width},{height}", f"--user-data-dir={self.profile}", "about:blank"],
			preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
			stdout=subprocess.DEVNULL, stderr=open("browser.err", "w"))
		os.close(to_browser)
		os.close(from_browser)
		self.buffer, self.number, self.session, self.events = b"", 0, None, []
		target = self.call("Target.createTarget", url="about:blank")["targetId"]
		self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
		for domain in ("Page", "Runtime", "Network", "Log"):
			self.call(domain + ".enable")
		self.size(width, height)

	def size(self, width, height):
		self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

	def receive(self):
		while b"\0" not in self.buffer:
			some = os.read(self.read_end, 1 << 20)
			if not some:
				raise EOFError("the browser has gone: " + open("browser.err").read()[-800:])
			self.buffer += some
		text, _, self.buffer = self.buffer.partition(b"\0")
		return json.loads(text)

	def call(self, method, **parameters):
		self.number += 1
		message = {"id": self.number, "method": method, "params": parameters}
		if self.session:
			message["sessionId"] = self.session
		os.write(self.write_end, json.dumps(message).encode() + b"\0")
		while True:
			answer = self.receive()
			if answer.get("id") == self.number:
				if "error" in answer:
					raise RuntimeError(f"{method}: {answer['error']}")
				return answer["result"]
			self.events.append(answer)

	def open(self, page):
		"""Opens a file or an address."""
		self.events.clear()
		self.call("Page.navigate", url=page if "://" in page else "file://" + os.path.abspath(page))

	def processor_ms(self):
		"""Returns the processor time of the renderers so far: of their main threads, and of all threads."""
		main = every = 0
		for process in filter(str.isdigit, os.listdir("/proc")):
			try:
				if not self.is_renderer(process):
					continue
				for thread in os.listdir(f"/proc/{process}/task"):
					with open(f"/proc/{process}/task/{thread}/schedstat") as file:
						ns = int(file.read().split()[0])
					every += ns
					main += ns if thread == process else 0
			except (FileNotFoundError, ProcessLookupError):
				continue
		assert every, "no renderer is found"
		return main / 1e6, every / 1e6

	def is_renderer(self, process):
		"""Tells whether a process is a renderer of this browser. Chromium overwrites its arguments, so no
		zeros separate them."""
		with open(f"/proc/{process}/cmdline") as file:
			if "--type=renderer" not in file.read():
				return False
		while process not in ("0", "1", str(self.process.pid)):
			with open(f"/proc/{process}/stat") as file:
				process = file.read().rpartition(")")[2].split()[1]
		return process == str(self.process.pid)

	def script(self, expression):
		"""Returns the value of an expression; waits for promises."""
		answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
		if "exceptionDetails" in answer:
			raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
		return answer["result"].get("value")

	def until(self, expression, seconds=60):
		"""Waits in the page until the expression is true, not for a fixed time. If the machine pauses, the clock goes on, so
		it also asks a certain number of times."""
		return self.script(f"""new Promise((resolve, reject) => {{
			const begun = performance.now();
			let asked = 0;
			const ask = () => {{
				let answer = false;
				asked++;
				try {{ answer = {expression}; }} catch (error) {{ }}
				if (answer) resolve(answer);
				else if (performance.now() - begun > {seconds * 1000} && asked > {seconds * 25}) reject(new Error("never: " + {json.dumps(expression)}));
				else setTimeout(ask, 10);
			}};
			ask();
		}})""")

	def key(self, key, code=None, released=None):
		text = key if len(key) == 1 else ""
		self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or "", text=text)
		self.call("Input.dispatchKeyEvent", type="keyUp", key=released or key, code=code or "")

	def mouse(self, kind, x, y, button="left", shift=False, clicks=1, **more):
		self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, modifiers=8 if shift else 0,
			  clickCount=clicks, **more)

	def click(self, x, y):
		self.mouse("mouseMoved", x, y, "none")
		self.mouse("mousePressed", x, y)
		self.mouse("mouseReleased", x, y)

	def drag(self, x, y, to_x, to_y, shift=False):
		self.mouse("mouseMoved", x, y, "none", shift)
		self.mouse("mousePressed", x, y, shift=shift)
		for part in (0.3, 0.6, 1):
			self.mouse("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part, shift=shift)
		self.mouse("mouseReleased", to_x, to_y, shift=shift)

	def picture(self, path):
		with open(path, "wb") as file:
			file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

	def scheme(self, scheme):
		self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

	def faults(self):
		"""Returns the errors that the page or the browser has reported."""
		self.script("1")
		return [event for event in self.events if event.get("method") == "Runtime.exceptionThrown" or
			(event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error")]

	def requests(self):
		"""Returns the addresses that were loaded, except the page itself."""
		self.script("1")
		return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent" and
			event["params"]["type"] != "Document"]

	def close(self):
		try:
			self.session = None
			self.call("Browser.close")
		except (EOFError, OSError):
			pass
		self.process.wait(20)
		shutil.rmtree(self.profile, ignore_errors=True)
