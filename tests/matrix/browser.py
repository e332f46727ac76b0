"""Headless Chromium, spoken to by WebDriver over a loopback port. Standard library only.

Needs the programs chromium and chromedriver. Every name resolves to nothing in this browser, its profile is a new
directory, and the console and the requests of each page are kept for the tests.
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

DRIVER = shutil.which("chromedriver")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
KEYS = {"enter": "\ue007", "escape": "\ue00c", "tab": "\ue004", "down": "\ue015", "up": "\ue013", "left": "\ue012",
        "right": "\ue014", "page down": "\ue00f", "page up": "\ue00e", "home": "\ue011", "end": "\ue010"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
START_SECONDS = 120
CALL_SECONDS = 180


class BrowserError(Exception):
    """The browser did not do what it was told."""


def available():
    """Whether both programs are installed."""
    return bool(DRIVER and CHROMIUM)


def free_port():
    """A port that nobody listens at, for the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """One browser with one window; a context manager that ends both programs and removes the profile."""

    def __init__(self, scripts=True):
        self.profile = tempfile.TemporaryDirectory(prefix="matrix-browser-")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.process = subprocess.Popen([DRIVER, f"--port={port}"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None
        try:
            self.wait_for_driver()
            wishes = {"capabilities": {"alwaysMatch": self.wishes(scripts)}}
            self.session = self.call("POST", "/session", wishes)["sessionId"]
            self.command("/timeouts", {"script": 1000 * CALL_SECONDS - 10000})
        except Exception:
            self.close()
            raise

    def wishes(self, scripts):
        """What the session must be like; root may not use the sandbox."""
        flags = [*FLAGS, f"--user-data-dir={self.profile.name}/profile", "--window-size=1280,900"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        chrome = {"binary": CHROMIUM, "args": flags}
        if not scripts:
            chrome["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        return {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}

    def wait_for_driver(self):
        """Returns when the driver answers."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                if self.call("GET", "/status").get("ready"):
                    return
            except (OSError, BrowserError):
                pass
            time.sleep(0.1)
        raise BrowserError("chromedriver does not answer")

    def call(self, method, path, body=None):
        """One WebDriver command; returns its value."""
        content = json.dumps(body).encode() if body is not None else None
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, content, kind, method=method)
        try:
            with self.opener.open(request, timeout=CALL_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError(f"{value.get('error')}: {value.get('message', '')[:400]}") from error

    def command(self, path, body=None, method="POST"):
        """One command of this session."""
        body = {} if body is None and method == "POST" else body
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, address):
        """Loads a page anew, even if only the part behind the # changes."""
        self.command("/url", {"url": "about:blank"})
        self.command("/url", {"url": address})

    def run(self, script, *arguments):
        """Runs the body of an asynchronous function in the page; returns what it returns."""
        body = f"return (async function () {{ {script}\n}}).apply(null, arguments)"
        return self.command("/execute/sync", {"script": body, "args": list(arguments)})

    def settled(self, script, *arguments, seconds=30):
        """Waits until the function body returns something true; returns the last value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.05)

    def devtools(self, name, **parameters):
        """One command of the DevTools protocol."""
        return self.command("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width, height, phone=False):
        """Sets the size of the page as seen, and whether it is a phone's."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=2 if phone else 1, mobile=phone)

    def dark(self, wanted):
        """Chooses the colour scheme that the page is told."""
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": "dark" if wanted else "light"}])

    def find(self, selector):
        """The first element; an error if there is none."""
        return self.command("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """Clicks as a user does: what is covered or invisible cannot be clicked."""
        self.command(f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        """Types into a field."""
        self.command(f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *names):
        """Presses keys, wherever the focus is."""
        actions = [{"type": kind, "value": KEYS[name]} for name in names for kind in ("keyDown", "keyUp")]
        self.command("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def log(self, kind):
        """What was logged since the last call: `browser` is the console, `performance` has the requests."""
        return self.command("/se/log", {"type": kind})

    def console(self):
        """Messages of the console."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.log("browser")]

    def requests(self):
        """Addresses that the page asked for."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path):
        """Saves what is seen."""
        path.write_bytes(base64.b64decode(self.command("/screenshot", method="GET")))

    def close(self):
        """Ends what was started."""
        if self.session:
            try:
                self.call("DELETE", f"/session/{self.session}")
            except (OSError, BrowserError):
                pass
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
