"""safenpy for JavaScript in headless Chromium, under the runner's protocol.

    python3 adapter.py [npz]

The page has the content security policy that the package asks for, and no more.
"""

import base64
import json
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent / "shared"), str(ROOT)]

from lines import serve  # noqa: E402

from tests.matrix.browser import Browser  # noqa: E402

PACKAGE = ROOT / "bindings" / "js"
FOLDERS = {"safenpy": PACKAGE / "src", "shared": HERE.parent / "shared" / "js", "page": HERE}
POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


class Pages(SimpleHTTPRequestHandler):
    """The package, the module that asks it, and an empty page."""

    extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}

    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        text = b'<!doctype html><title>safenpy</title><script type="module" src="/page/page.mjs"></script>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(text)

    def translate_path(self, path):
        _, folder, name = path.split("/")
        return str(FOLDERS[folder] / name)

    def log_message(self, *_):
        """Silent."""


def read(browser, suite, path):
    """The answer for a file. What is logged is thrown away, so that the driver does not grow."""
    content = base64.b64encode(Path(path).read_bytes()).decode()
    answer = json.loads(browser.run("return answer(...arguments)", content, suite))
    browser.log("performance")
    return answer


def write(browser, request, path):
    """Writes a file; why it cannot, if safenpy says so."""
    exact = request | {"shape": [str(dimension) for dimension in request["shape"]]}
    answer, content = browser.run("return written(...arguments)", exact)
    browser.log("performance")
    if content is not None:
        Path(path).write_bytes(bytes(content))
    elif "error" in answer:
        raise ValueError(answer["error"])
    return answer.get("unsupported")


def main():
    """Speaks the protocol."""
    suite = sys.argv[1] if len(sys.argv) > 1 else "npy"
    version = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))["version"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Browser() as browser:
        browser.open(f"http://127.0.0.1:{server.server_port}/")
        if not browser.settled("return typeof answer === 'function'"):
            sys.exit(f"the page does not start: {browser.console()}")
        serve("safenpy-js-browser", version, "JavaScript, C", partial(read, browser, suite),
              partial(write, browser))


if __name__ == "__main__":
    main()
