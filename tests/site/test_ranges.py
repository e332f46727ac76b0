"""The package for JavaScript reads addresses in a browser by ranges: which bytes it asks for, also of another origin."""

import io
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.matrix import browser as chromium

PACKAGE = Path(__file__).resolve().parents[2] / "bindings" / "js"
KINDS = {".js": "text/javascript", ".wasm": "application/wasm", "": "text/html", ".npy": "application/octet-stream"}
LENGTH = 100_000
ASKED = []


def written(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


NUMBERS = np.arange(LENGTH, dtype="f8")
FILES = {"/a.npy": written(np.save, NUMBERS), "/a.npz": written(np.savez, a=NUMBERS, b=np.array([1, 2], "i1"), c=NUMBERS),
         "/deflated.npz": written(np.savez_compressed, a=np.random.default_rng(1).random(LENGTH), b=np.array([1, 2], "i1"))}


class Ranges(BaseHTTPRequestHandler):
    """Files, by ranges but for ?plain. Another origin may read them; it sees Content-Range but for ?hidden."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        name, query = urlsplit(self.path)[2:4]
        path = PACKAGE / "src" / name[1:]
        whole = FILES[name] if name in FILES else path.read_bytes() if path.is_file() else b"<!doctype html><title>Ranges</title>"
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if query != "plain" else None
        if name in FILES:
            ASKED.append(wanted and (int(wanted[1]), int(wanted[2]) + 1))
        body = whole[int(wanted[1]):int(wanted[2]) + 1] if wanted else whole
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {wanted[1]}-{int(wanted[1]) + len(body) - 1}/{len(whole)}")
        self.send_header("Content-Type", KINDS.get(path.suffix, KINDS[".npy"]))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Access-Control-Allow-Origin", "*")
        if query != "hidden":
            self.send_header("Access-Control-Expose-Headers", "Content-Range")
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def servers():
    """Two origins."""
    subprocess.run(["sh", PACKAGE / "wasm" / "build.sh"], check=True)
    both = [ThreadingHTTPServer(("127.0.0.1", 0), Ranges) for _ in range(2)]
    for server in both:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [f"http://127.0.0.1:{server.server_port}" for server in both]
    for server in both:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def page(servers):
    if not chromium.available():
        pytest.skip("no chromium or no chromedriver")
    with chromium.Browser() as browser:
        browser.open(servers[0])
        yield browser


def asking(page, script, *arguments):
    """What a script returns that uses the package, and the ranges that it has asked for; None: the whole file."""
    del ASKED[:]
    found = page.run(f"const {{ check, header, load, loadNpz }} = await import('/index.js'); {script}", *arguments)
    return found, list(ASKED)


MEMBER = "const archive = await loadNpz(arguments[0]); return [archive.keys, [...(await archive.get('b')).data]]"


@pytest.mark.parametrize("origin", [0, 1], ids=["same-origin", "other-origin"])
def test_only_the_bytes_that_are_needed_are_asked_for(page, servers, origin):
    base = servers[origin]
    assert asking(page, "return (await header(arguments[0])).shape", f"{base}/a.npy") == ([LENGTH], [(0, 65536)])
    assert asking(page, "return (await check(new URL(arguments[0]))).accepted", f"{base}/a.npy") == (True, [(0, 65536)])
    assert asking(page, "return (await load(arguments[0])).data.at(-1)", f"{base}/a.npy") == (LENGTH - 1, [None])
    for name, keys in (("a.npz", ["a", "b", "c"]), ("deflated.npz", ["a", "b"])):
        found, ranges = asking(page, MEMBER, f"{base}/{name}")
        assert found == [keys, [1, 2]] and None not in ranges
        assert sum(end - start for start, end in ranges) < 200_000 < len(FILES[f"/{name}"])


def test_where_the_ranges_cannot_be_told_the_whole_file_is_read(page, servers):
    """By a server that has none, or one that hides Content-Range from other origins."""
    for address in (f"{servers[0]}/a.npz?plain", f"{servers[1]}/a.npz?hidden"):
        found, ranges = asking(page, MEMBER, address)
        assert found == [["a", "b", "c"], [1, 2]] and ranges[-1] is None and len(ranges) <= 2


def test_a_whole_archive_is_checked_by_ranges(page, servers):
    found, ranges = asking(page, "return (await check(arguments[0])).members.map(({ verdict }) => verdict.accepted)",
                           f"{servers[1]}/deflated.npz")
    assert found == [True, True] and None not in ranges
