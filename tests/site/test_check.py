"""The page that checks files, in a browser: files are dropped and chosen, read, fixed and downloaded, and values compared.

    SNPY_SCREENSHOTS=DIR pytest tests/site/test_check.py       saves what is seen
"""

import os
import subprocess
import sys
import threading
import time
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from tests.matrix import browser as chromium

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(ROOT / "docs" / "site"))

import check_page  # noqa: E402


ASKED = []


class Recorded(SimpleHTTPRequestHandler):
    """Files of a folder. Keeps what is asked for, by the worker too."""

    def log_message(self, *_):
        ASKED.append(self.path)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The page, served."""
    folder = tmp_path_factory.mktemp("page")
    check_page.write(folder / "check")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Recorded, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/check/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    if not chromium.available():
        pytest.skip("no chromium or no chromedriver")
    with chromium.Browser() as one:
        yield one


@pytest.fixture
def page(address, browser):
    """The page, fresh. In the end nothing was logged, and nothing asked for but the page's own files."""
    browser.size(1280, 900)
    browser.dark(False)
    browser.console()
    browser.requests()
    del ASKED[:]
    browser.open(address)
    yield browser
    assert browser.console() == []
    asked = [one for one in browser.requests() if one != "about:blank"]
    assert [one for one in asked if not one.startswith((address, "blob:", "data:"))] == []


@pytest.fixture
def files(tmp_path):
    """Files of several kinds in a folder."""
    folder = tmp_path / "run"
    folder.mkdir()
    np.save(folder / "numbers.npy", np.linspace(-2, 2, 60 * 80).reshape(60, 80).astype(">f4"))
    np.save(folder / "cube.npy", np.arange(4 * 30 * 12).reshape(4, 30, 12))
    np.save(folder / "rgb.npy", np.indices((40, 60)).sum(0)[..., None].repeat(3, 2).astype("u1"))
    np.save(folder / "records.npy", np.array([(1, 2.5, "é"), (3, -0.5, "b")], [("n", "i8"), ("x", "f4"), ("s", "U3")]))
    np.savez_compressed(folder / "both.npz", a=np.arange(3), b=np.array(["2020-01-02"], "M8[D]"))
    (folder / "bad.npy").write_bytes((CORPUS / "reject/literal/close-field-after-shape.npy").read_bytes())
    (folder / "list.npy").write_bytes((CORPUS / "choice/compat/list-shape-two.npy").read_bytes())
    (folder / "page.npy").write_bytes(b"<!doctype html><p>404 not found")
    return folder


def drop(browser, *paths):
    """Drops files or folders, as a file manager does."""
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.devtools("Input.dispatchDragEvent", type=kind, x=300, y=200, data=data)


def results(browser, number):
    """The text of each result by its name, when there are so many."""
    script = ("const all = [...document.querySelectorAll('.result')].filter(one => one.querySelector('h2'));"
              "return all.length === arguments[0] && !document.getElementById('summary').textContent.includes('to do')"
              " ? all.map(one => [one.querySelector('h2').textContent, one.innerText]) : null")
    found = browser.settled(script, number)
    assert found, browser.run("return document.body.innerText")
    return dict(found)


def press(browser, name, words):
    """Presses a button of the result with this name."""
    assert browser.run("const item = [...document.querySelectorAll('.result')].find(one => one.querySelector('h2').textContent === arguments[0]);"
                       "for (const part of item.querySelectorAll('details')) part.open = true;"
                       "const button = [...item.querySelectorAll('button')].find(one => one.textContent === arguments[1] && !one.disabled);"
                       "button.click(); return true", name, words)


def table(browser, name):
    """The values that are shown of the result with this name, when they are there."""
    script = ("const item = [...document.querySelectorAll('.result')].find(one => one.querySelector('h2').textContent === arguments[0]);"
              "const table = item.querySelector('[aria-label=Values] table');"
              "return table && [...table.querySelectorAll('tr')].map(row => [...row.children].map(cell => cell.textContent))")
    return browser.settled(script, name)


def test_a_folder_is_dropped(page, files):
    drop(page, files)
    found = results(page, 8)
    assert "8 files checked, 5 accepted, 3 refused." in page.run("return document.getElementById('summary').textContent")
    bad = found["run/bad.npy"]
    assert "refused" in bad and "NPY-LIT-011, byte 39" in bad and "Remedy" in bad
    marked = page.run("const item = [...document.querySelectorAll('.result')].find(one => one.innerText.includes('bad.npy'));"
                      "return [item.querySelector('pre').textContent, item.querySelector('mark').textContent, item.querySelector('a').href]")
    text = (files / "bad.npy").read_bytes()
    assert marked[1] == chr(text[39]) and "(2,) 4)]" in marked[0] and marked[2].endswith("/spec/npy.html#npy-lit-011")
    assert "HTML" in found["run/page.npy"] or "html" in found["run/page.npy"]
    assert "(60, 80)" in found["run/numbers.npy"] and ">f4" in found["run/numbers.npy"]


def test_no_network_is_needed_once_the_page_is_there(page, files):
    """Reading, showing and fixing files asks for nothing."""
    end = time.monotonic() + 30
    while "/check/safenpy/objects/objects.wasm" not in ASKED and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    del ASKED[:]
    drop(page, files)
    results(page, 8)
    press(page, "run/both.npz", "Show values")
    assert table(page, "run/both.npz")
    assert ASKED == []


def test_files_are_chosen(page, files):
    page.type("#files", f"{files / 'numbers.npy'}\n{files / 'bad.npy'}")
    assert list(results(page, 2)) == ["numbers.npy", "bad.npy"]


def test_values_are_numpys(page, files):
    drop(page, files / "numbers.npy", files / "cube.npy", files / "records.npy", files / "both.npz")
    results(page, 4)
    for name in ("numbers.npy", "cube.npy", "records.npy", "both.npz"):
        press(page, name, "Show values")
    shown = table(page, "numbers.npy")
    numbers = np.load(files / "numbers.npy")
    assert shown[0] == ["row", *map(str, range(10))] and len(shown) == 21
    assert [[np.float32(text) for text in row[1:]] for row in shown[1:]] == numbers[:20, :10].tolist()
    assert table(page, "records.npy") == [["row", "n", "x", "s"], ["0", "1", "2.5", "é"], ["1", "3", "-0.5", "b"]]
    assert table(page, "both.npz")[1:] == [["0", "0"], ["1", "1"], ["2", "2"]]
    press(page, "numbers.npy", "Next columns")
    assert page.settled("return document.querySelector('[aria-label=Values] th:nth-child(2)').textContent === '10'")
    page.run("const input = document.querySelector('input[type=number]'); input.value = 2; input.dispatchEvent(new Event('change'))")
    cube = np.load(files / "cube.npy")
    assert page.settled("return [...document.querySelectorAll('[aria-label=Values] tr:first-child td:nth-child(2)')]"
                        ".some(cell => cell.textContent === arguments[0])", str(cube[2, 0, 0]))


def test_objects_are_shown_and_never_run(page, tmp_path):
    values = np.empty(4, object)
    values[:] = [{"a": (1, 2.5)}, np.arange(3), None, {"two"}]
    np.save(tmp_path / "values.npy", values, allow_pickle=True)
    (tmp_path / "system.npy").write_bytes((CORPUS / "objects/reject/global/builtins.eval.npy").read_bytes())
    drop(page, tmp_path / "values.npy", tmp_path / "system.npy")
    results(page, 2)
    for name in ("values.npy", "system.npy"):
        press(page, name, "Show values")
    shown = page.settled("const text = document.querySelector('pre[aria-label=Values]'); return text && text.textContent")
    assert shown.split("\n") == ['{"a": (1, 2.5)}', "array of <i8 (3)", "None", '{"two"}']
    why = "const text = [...document.querySelectorAll('.result p[tabindex]')].map(one => one.textContent)[0]; return text"
    assert "NPY-PKL-011" in page.settled(why)


def test_pictures_and_histograms(page, files):
    drop(page, files / "numbers.npy", files / "rgb.npy")
    results(page, 2)
    for name in ("numbers.npy", "rgb.npy"):
        press(page, name, "Show values")
    labels = page.settled("const all = [...document.querySelectorAll('.result figure [role=img]')]"
                          ".map(one => one.getAttribute('aria-label')); return all.length === 4 ? all : null")
    assert labels == ["heat map of 60 by 80 elements, from -2 to 2", "Histogram: from -2 to 2, mean 0.", "RGB picture of 40 by 60 elements, from 0 to 98",
                      f"Histogram: from 0 to 98, mean {np.load(files / 'rgb.npy').mean():.6g}."]
    heights = page.run("return [...document.querySelector('svg').children].map(bar => Number(bar.getAttribute('height')))")
    wanted = np.histogram(np.load(files / "numbers.npy").astype("f8"), 40)[0]
    assert np.allclose(heights, 100 * wanted / wanted.max())
    pixel = page.run("const canvas = document.querySelectorAll('canvas')[1];"
                     "return [...canvas.getContext('2d').getImageData(canvas.width - 1, canvas.height - 1, 1, 1).data]")
    assert pixel == [98, 98, 98, 255]


def await_files(*paths):
    for _ in range(200):
        if all(path.exists() for path in paths):
            break
        time.sleep(0.1)


def test_the_fixed_file_is_downloaded(page, files, tmp_path, safenpy):
    out = tmp_path / "out"
    page.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(out))
    longer = files / "longer.npy"
    longer.write_bytes((files / "cube.npy").read_bytes() + b"rest")
    drop(page, files / "list.npy", longer)
    found = results(page, 2)
    assert "4 bytes after the data" in found["longer.npy"]
    for name in found:
        press(page, name, "Download the fixed file")
    wanted = {out / "list-fixed.npy", out / "longer-fixed.npy"}
    await_files(*wanted)
    assert (out / "longer-fixed.npy").read_bytes() == (files / "cube.npy").read_bytes()
    assert np.load(out / "list-fixed.npy").shape == (0, 3)


def test_the_fixed_archive_is_downloaded(page, files, tmp_path, safenpy):
    """As `convert --canonical` writes it, if all members are arrays; keys keep their order."""
    out = tmp_path / "out"
    page.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(out))
    broken = (files / "list.npy").read_bytes()
    members = [("2.npy", (files / "cube.npy").read_bytes()), ("1.npy", broken), ("ü.npy", broken)]
    for name, method, more in (("stored.npz", zipfile.ZIP_STORED, []), ("deflated.npz", zipfile.ZIP_DEFLATED, []),
                               ("mixed.npz", zipfile.ZIP_STORED, [("notes.txt", b"no array")]),
                               ("lost.npz", zipfile.ZIP_STORED, [("bad.npy", (files / "bad.npy").read_bytes())])):
        with zipfile.ZipFile(files / name, "w", method) as archive:
            for member in members + more:
                archive.writestr(*member)
    names = ["both.npz", "stored.npz", "deflated.npz", "mixed.npz", "lost.npz"]
    drop(page, *(files / name for name in names))
    found = results(page, len(names))
    fixable = [name for name in names if "Download the fixed file" in found[name]]
    assert fixable == ["stored.npz", "deflated.npz"]
    for name in fixable:
        press(page, name, "Download the fixed file")
    await_files(out / "stored-fixed.npz", out / "deflated-fixed.npz")
    subprocess.run([safenpy, "convert", "--canonical", "--compat", "all", files / "stored.npz", files / "expected.npz"], check=True,
                   stdout=subprocess.DEVNULL)
    assert (out / "stored-fixed.npz").read_bytes() == (files / "expected.npz").read_bytes()
    with zipfile.ZipFile(out / "deflated-fixed.npz") as archive, zipfile.ZipFile(files / "expected.npz") as expected:
        assert archive.namelist() == expected.namelist() == ["2.npy", "1.npy", "ü.npy"]
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_DEFLATED}
        assert [archive.read(member) for member in archive.namelist()] == [expected.read(member) for member in expected.namelist()]


def test_a_large_file_does_not_freeze_the_page(page, tmp_path):
    """200 MB are read, counted and drawn, while the page answers each tenth of a second."""
    np.save(tmp_path / "large.npy", np.arange(25_000_000, dtype="f8").reshape(5000, 5000))
    page.run("window.longest = 0; let last = performance.now(); setInterval(() => { const now = performance.now();"
             "window.longest = Math.max(window.longest, now - last); last = now; }, 10)")
    drop(page, tmp_path / "large.npy")
    results(page, 1)
    press(page, "large.npy", "Show values")
    assert page.settled("return document.querySelectorAll('figure [role=img]').length === 2", seconds=120)
    assert table(page, "large.npy")[2][1] == "5000"
    assert page.run("return window.longest") < 1000


def test_the_keyboard_is_enough(page, files):
    """Each control is reached by the tabulator, and opens what it should."""
    drop(page, files / "numbers.npy", files / "both.npz")
    results(page, 2)
    seen = []
    for _ in range(12):
        page.press("tab")
        seen.append(page.run("const one = document.activeElement; return one.id || one.textContent.trim().slice(0, 20) || one.tagName"))
        if seen[-1] == "Show values":
            page.press("enter")
            break
    assert "files" in seen and "folder" in seen and "Show values" in seen
    assert table(page, "numbers.npy")
    names = page.run("return [...document.querySelectorAll('button, input, canvas, svg, summary, [tabindex]')]"
                     ".filter(one => !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label'))).length")
    assert names == 0


def contrast(one, other):
    """The ratio of two colours, by WCAG."""
    def light(colour):
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [(1280, 900, False), (390, 844, True)])
def test_it_fits_and_can_be_read(page, files, dark, size):
    page.size(*size)
    page.dark(dark)
    drop(page, files)
    results(page, 8)
    press(page, "run/numbers.npy", "Show values")
    press(page, "run/both.npz", "Show values")
    assert page.settled("return document.querySelectorAll('figure [role=img]').length >= 2")
    assert page.run("return document.documentElement.scrollWidth <= window.innerWidth")
    assert page.run("const [mark, line] = ['mark', 'pre'].map(one => document.querySelector(one).getBoundingClientRect());"
                    "return line.left <= mark.left && mark.right <= line.right")
    pairs = page.run("const back = (one) => { for (let at = one; at; at = at.parentElement) { const found = getComputedStyle(at).backgroundColor;"
                     "if (!/, 0\\)$/.test(found)) return found; } return 'rgb(255, 255, 255)'; };"
                     "return [...document.querySelectorAll('h1, p, a, .verdict, .soft, td, th, mark, button, figcaption, pre')]"
                     ".map(one => [getComputedStyle(one).color, back(one), one.textContent.slice(0, 30)])")
    assert len(pairs) > 100
    assert [pair for pair in pairs if contrast(*pair[:2]) < 4.5] == []
    if "SNPY_SCREENSHOTS" in os.environ:
        folder = Path(os.environ["SNPY_SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        for top in (0, 1000, 2200):
            page.run("window.scrollTo(0, arguments[0])", top)
            page.screenshot(folder / f"check-{'phone' if size[2] else 'desktop'}-{'dark' if dark else 'light'}-{top}.png")
