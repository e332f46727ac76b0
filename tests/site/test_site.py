"""The site of the documentation: built without a warning, complete, closed in itself, and usable in a browser.

    SNPY_SCREENSHOTS=DIR pytest tests/site -k phone       saves pages as they are seen on a phone and a desktop
"""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.matrix import browser as chromium
from tests.trace.test_trace import WITHOUT_CASE

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import headers  # noqa: E402

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
SIZES = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
SHOWN = {"first": "index.html", "guide": "docs/guides/service.html", "c": "docs/reference/c/array.h.html",
         "python": "docs/reference/python.html", "command": "docs/reference/command.html", "rules": "spec/npy.html",
         "trace": "spec/TRACE.html", "fixes": "corpus/matrix/fixes.html", "source": "src/core/frame.c.html",
         "case": "cases/reject/frame/bom.html", "cases": "cases/index.html", "readers": "docs/readers.html"}


class Page(HTMLParser):
    """What a page links to, what it loads, and which anchors it has."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in LOADS and found.get(LOADS[tag]):
            self.loads.append(found[LOADS[tag]])


def make_site(build, *around):
    """`make site`; Sphinx takes a warning as an error."""
    made = subprocess.run([*around, "make", "--no-print-directory", f"BUILD={build}", f"PYTHON={sys.executable}", "site"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="module")
def site(safenpy):
    """The site, beside the command under test."""
    make_site(safenpy.parent)
    return safenpy.parent / "site" / "html"


@pytest.fixture(scope="module")
def pages(site):
    """Every page, parsed; of those of the cases one in fifty."""
    cases = sorted((site / "cases").rglob("*.html"))
    found = [path for path in sorted(site.rglob("*.html")) if site / "cases" not in path.parents] + cases[::50]
    return {path: Page(path) for path in found}


@pytest.fixture(scope="module")
def browser():
    if not chromium.available():
        pytest.skip("no chromium or no chromedriver")
    with chromium.Browser() as one:
        yield one


def test_every_function_of_the_library_has_an_entry(pages):
    wanted = {name for path in (ROOT / "include" / "safenpy").glob("*.h")
              for name in headers.functions(path.read_text(encoding="utf-8"))}
    shown = {anchor[2:] for page in pages.values() for anchor in page.anchors if anchor.startswith("c.snpy_")}
    assert len(wanted) > 100
    assert wanted - shown == set()


def test_every_entry_says_something(site):
    """A function whose comment is lost would still be listed."""
    empty = []
    for path in sorted((site / "docs" / "reference" / "c").glob("*.html")):
        for entry in re.findall(r'<dl class="c function">.*?</dl>\n', path.read_text(encoding="utf-8"), re.DOTALL):
            if not re.search(r"<dd>.*?<p>", entry, re.DOTALL):
                empty.append(re.search(r'id="c\.(\w+)"', entry).group(1))
    assert empty == []


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "include" / "safenpy").glob("*.h") if path.name != "statuses.h"))
def test_a_function_without_a_comment_is_an_error(name):
    """A function is planted at the end of each header; right below another one it shares that one's comment."""
    text = (ROOT / "include" / "safenpy" / name).read_text(encoding="utf-8")
    known = headers.Known({name: text}, [], set())
    headers.convert(text, known)
    end = text.rindex("#endif")
    for planted in ("SNPY_API int snpy_planted(int value);\n\n", "#ifdef SNPY_MORE\nSNPY_API int snpy_planted(int value);\n#endif\n\n"):
        with pytest.raises(ValueError, match="snpy_planted has no comment"):
            headers.convert(text[:end] + planted + text[end:], known)


def test_a_comment_belongs_to_what_is_below_it(site):
    """Of a struct and of a macro: not beside the entry, but in it."""
    text = (site / "docs" / "reference" / "c" / "array.h.html").read_text(encoding="utf-8")
    entry = text[text.index('id="c.snpy_io_error"'):]
    assert re.match(r".*?<dd><p>What was wrong with a file", entry, re.DOTALL).end() < entry.index('id="c.snpy_io_error.error"')
    assert text.count("What was wrong with a file") == 1
    text = (site / "docs" / "reference" / "c" / "looks_like.h.html").read_text(encoding="utf-8")
    assert re.search(r'id="c.SNPY_LOOK_BYTES".*?</dt>\n<dd><p>The most bytes that ', text, re.DOTALL)


def test_every_name_of_the_package_has_an_entry(pages):
    source = (ROOT / "bindings/python/src/safenpy/__init__.py").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', source[source.index("__all__"):])
    shown = {anchor for page in pages.values() for anchor in page.anchors}
    assert len(names) > 10
    assert [name for name in names if f"safenpy.{name}" not in shown] == []


def rows_of_rules(site):
    """The links of each row of TRACE.html."""
    text = (site / "spec" / "TRACE.html").read_text(encoding="utf-8")
    return {row[1]: re.findall(r'href="([^"]+)"', row[2])
            for row in re.finditer(r'<span id="trace-([\w-]+)"></span>(.*?)</tr>', text, re.DOTALL)}


def test_every_rule_leads_to_its_row_its_cases_and_its_tests(pages, site, tally):
    """Of all three specifications; what no file keeps or breaks by itself leads to tests only."""
    rows = rows_of_rules(site)
    rules = {name: re.findall(r"^#### (NP[YZ]-\S+)$", (ROOT / "spec" / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
             for name in ("npy", "npz", "objects")}
    assert all(len(found) > 20 for found in rules.values()) and sum(map(len, rules.values())) > 200
    for name, found in rules.items():
        links = pages[site / "spec" / f"{name}.html"].links
        for rule in found:
            row = f"trace-{rule.lower()}"
            tally.equal(f"{rule}: its text leads to its row", f"TRACE.html#{row}" in links, True)
            shown = rows.get(rule.lower(), [])
            tally.equal(f"{rule}: leads to a case", any(link.startswith("../cases/") for link in shown)
                        or bool(WITHOUT_CASE.match(rule)), True)
            tally.equal(f"{rule}: leads to a test", any(link.startswith("../tests/") for link in shown), True)
    for start in ("../cases/reject/", "../cases/archives/reject/", "../cases/objects/reject/", "../src/core/", "../tests/unit/",
                  "../proofs/theorems/", "../docs/reference/statuses.html#"):
        tally.equal(f"the rows lead to {start}", any(link.startswith(start) for links in rows.values() for link in links), True)


def all_cases():
    """Each case of the three suites, with the folder that its page has below cases/."""
    for folder in ("", "archives/", "objects/"):
        for case in json.loads((ROOT / "corpus" / folder / "manifest.json").read_text(encoding="utf-8"))["cases"]:
            yield folder, case


def test_every_case_leads_to_its_rules_to_the_readers_and_to_the_suite(site, tally):
    for folder, case in all_cases():
        page = site / "cases" / f"{folder}{case['id']}.html"
        links = {os.path.normpath(page.parent / unquote(link.partition("#")[0])) + "#" + link.partition("#")[2]
                 for link in Page(page).links}
        wanted = [f"spec/{'objects' if '-PKL-' in rule else rule[:3].lower()}.html#{rule.lower()}" for rule in case["rules"]]
        wanted += [f"spec/TRACE.html#trace-{rule.lower()}" for rule in case["rules"]]
        wanted += ["docs/readers.html#", "corpus/matrix/fixes.html#", f"corpus/{folder}{case['file']}#",
                   "corpus/objects/README.html#" if folder == "objects/" else "corpus/README.html#"]
        tally.equal(f"{folder}{case['id']}", [link for link in wanted if str(site / link) not in links], [])
        tally.equal(f"{folder}{case['id']}: its file", (site / "corpus" / folder / case["file"]).stat().st_size,
                    (ROOT / "corpus" / folder / case["file"]).stat().st_size)


def test_what_to_fix_first_leads_to_the_cases(site):
    text = (site / "corpus/matrix/fixes.html").read_text(encoding="utf-8")
    named = re.findall(r"`((?:accept|reject|choice)/[^`]+)`", (ROOT / "corpus/matrix/fixes.md").read_text(encoding="utf-8"))
    linked = re.findall(r'<a href="../../cases/(?:archives/)?([^"]+).html"><code>([^<]+)</code></a>', text)
    assert len(named) > 100
    assert [unquote(name) for name, _ in linked] == [name for _, name in linked] == named


def test_the_matrix_leads_to_pages(site, browser):
    """The rules of its data are on the site; its dialog leads to the page of the case."""
    page = site / "corpus/matrix/index.html"
    rules = set(re.findall(r'"(\.\./\.\./spec/[^"#]+)#', page.read_text(encoding="utf-8")))
    assert rules and all((page.parent / rule).is_file() for rule in rules)
    browser.size(1280, 900)
    browser.open(page.as_uri() + "#case=reject/frame/bom")
    link = browser.settled("return document.querySelector('#sheet a[href*=\"cases/\"]')?.href")
    assert link == (site / "cases/reject/frame/bom.html").as_uri()


def test_the_architecture_is_that_of_the_tree():
    """It names every folder that holds sources and every file of the core, and nothing that is not there."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = set(re.findall(r"^\| `([\w/]+)` \|", text, re.MULTILINE))
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    there = {os.path.dirname(path) if path.startswith("src/") else
             "/".join(path.split("/")[:2 if path.startswith(("include/", "bindings/")) else 1])
             for path in tracked if path.count("/") > (1 if path.startswith("src/") else 0)}
    assert folders == {folder for folder in there if not folder.startswith(".")}
    files = set(re.findall(r"\b(\w+\.c)\b", text))
    assert {path.name for path in (ROOT / "src/core").rglob("*.c")} <= files
    assert files <= {Path(path).name for path in tracked}


def test_every_link_leads_somewhere(pages, site):
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                broken.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment.startswith("case="):  # opens a case in the matrix
                if not (site / "cases" / f"{unquote(parts.fragment[5:])}.html").is_file():
                    broken.append(f"{path.relative_to(site)}: {link}: no such case")
            elif parts.fragment and target in pages and target.suffix == ".html" and "/cases/" not in str(target):
                if unquote(parts.fragment) not in pages[target].anchors and not parts.fragment.startswith(":~:"):
                    broken.append(f"{path.relative_to(site)}: {link}: no such anchor")
    assert broken == []


def test_a_later_build_needs_no_network(site, safenpy):
    """In a namespace without a network."""
    alone = ["unshare", "--net", "--map-root-user"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    copied = site / "corpus/manifest.json"
    copied.unlink()
    make_site(safenpy.parent, *alone)
    assert copied.is_file()


def test_no_page_loads_anything_from_outside(pages, site):
    outside = [f"{path.relative_to(site)}: {load}" for path, page in pages.items() for load in page.loads
               if urlsplit(load).netloc or urlsplit(load).scheme in ("http", "https")]
    assert outside == []
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")), path


def test_pages_fit_a_phone_and_a_desktop_and_ask_for_nothing(site, browser):
    browser.requests()
    saved = os.environ.get("SNPY_SCREENSHOTS")
    for size, (width, height, phone) in SIZES.items():
        browser.size(width, height, phone)
        for name, page in SHOWN.items():
            browser.open((site / page).as_uri())
            seen = browser.run("return [document.documentElement.scrollWidth, window.innerWidth, document.title]")
            assert seen[0] <= width, (size, page, seen)
            if saved:
                Path(saved).mkdir(parents=True, exist_ok=True)
                browser.screenshot(Path(saved) / f"{size}-{name}.png")
    asked = {address for address in browser.requests() if not address.startswith(("file:", "data:", "about:", "chrome:"))}
    assert asked == set()


@pytest.mark.parametrize("words, wanted", [("snpy_load_descriptor", "array.h.html"), ("open_memmap", "python.html"),
                                           ("unwrap", "command.html"), ("reject/frame/bom", "cases/reject/frame/bom.html"),
                                           ("frozenset not_data", "cases/objects/reject/set/frozenset.html"),
                                           ("two end records", "cases/archives/")])
def test_search_finds(site, browser, words, wanted):
    browser.size(1280, 900)
    browser.open((site / "search.html").as_uri() + f"?q={words}")
    found = browser.settled("const links = [...document.querySelectorAll('#search-results li a')].map(one => one.href);"
                            "return document.querySelector('.search-summary')?.textContent.includes('Search finished')"
                            " ? links : null")
    assert found and any(wanted in address for address in found), found
