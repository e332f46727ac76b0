#!/usr/bin/env python3
"""Builds the site of the documentation: `make site` calls it.

    docs/site/build.py BUILD        writes BUILD/site/html

The pages are the Markdown of the repository, the C reference from the comments of include/safenpy, the Python reference
from the docstrings, and the command's from its manual page. Sphinx and its packages go into BUILD/site/venv, which pip
fetches once. After that nothing is fetched.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REQUIREMENTS = ROOT / "docs" / "requirements.txt"
sys.path[:0] = [str(HERE), str(ROOT / "corpus" / "matrix")]

import check_page  # noqa: E402
import headers  # noqa: E402
import make_pages  # noqa: E402
import pages  # noqa: E402
from npy_conformance.manifest import Suite  # noqa: E402
from npy_conformance.places import SUITES  # noqa: E402


def venv(place):
    """The Python that has Sphinx; made anew when the requirements are others."""
    stamp, wanted = place / "requirements.txt", REQUIREMENTS.read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([place / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", REQUIREMENTS],
                       check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return place / "bin" / "python"


def write(path, text):
    """Writes a file, if it has changed: Sphinx reads again what is newer than its pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def c_reference(source, include):
    """A page for each public header, and the headers that Hawkmoth reads."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "include" / "safenpy").glob("*.h"))}
    statuses = found.pop("statuses.h")
    spec = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "spec").glob("*.md"))
    rules = set(re.findall(r"^#### ((?:NPY|NPZ|API|HOST)-\S+)$", spec, re.M))
    known = headers.Known(found, re.findall(r"^SNPY_STATUS\((SNPY_\w+)", statuses, re.M), rules)
    written = {write(include / "safenpy" / "statuses.h", statuses)}
    for name, text in found.items():
        converted, intro = headers.convert(text, known)
        written.add(write(include / "safenpy" / name, converted))
        written.add(write(source / "docs" / "reference" / "c" / f"{name}.rst", headers.page(name, intro, known)))
    written.add(write(source / "docs" / "reference" / "statuses.md", pages.statuses_page(statuses, rules)))
    return written


def stage(place):
    """Lays out what Sphinx reads; returns the sources to list beside the pages."""
    source = place / "source"
    cases = {make_pages.PAGES[name] + case.id for name, folder in SUITES.items() for case in Suite(folder).cases}
    site = pages.Pages(cases)
    written = {write(source / ("index.md" if page == "docs/index.md" else page), site.source(page)) for page in site.files}
    manual = subprocess.run(["mandoc", "-T", "markdown", ROOT / "man" / "safenpy.1"], stdout=subprocess.PIPE, text=True, check=True)
    written.add(write(source / "docs" / "reference" / "command.md", pages.command_page(manual.stdout)))
    written |= c_reference(source, place / "include")
    for picture in (ROOT / "docs").glob("*.svg"):
        written.add(write(source / "docs" / picture.name, picture.read_text(encoding="utf-8")))
    for example in (ROOT / "examples").iterdir():
        if example.is_file():
            written.add(write(source / "examples" / example.name, example.read_text(encoding="utf-8")))
    for path in [path for folder in (source, place / "include") for path in folder.rglob("*") if path.is_file()]:
        if path not in written:
            path.unlink()
    return sorted(site.listings)


def cases(html):
    """Writes a page for each case, and copies its file; what the search has to know of them."""
    shutil.rmtree(html / "cases", ignore_errors=True)
    for folder in SUITES.values():
        for case in Suite(folder).cases:
            target = html / case.path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(case.path, target)
    return make_pages.write(html / "cases", site=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    place = Path(sys.argv[1]).resolve() / "site"
    place.mkdir(parents=True, exist_ok=True)
    python, html, contents = venv(place / "venv"), place / "html", place / "source" / "index.md"
    before = contents.read_text(encoding="utf-8") if contents.exists() else None
    (place / "listings.json").write_text(json.dumps(stage(place)), encoding="utf-8")
    (place / "cases.json").write_text(json.dumps(cases(html)), encoding="utf-8")
    environment = {**os.environ, "SNPY_SITE": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    # Every page shows the table of contents: when that has changed, all are written.
    fresh = ["-E"] if contents.read_text(encoding="utf-8") != before else []
    subprocess.run([python, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", *fresh, "-c", ROOT / "docs", place / "source",
                    html], check=True, env=environment)
    write(html / pages.MATRIX, pages.matrix_page((ROOT / pages.MATRIX).read_text(encoding="utf-8")))
    shutil.copyfile(ROOT / "corpus" / "manifest.json", html / "corpus" / "manifest.json")
    check_page.write(html / "check")
    print(f"{sum(1 for _ in html.rglob('*.html')):,} pages in {html}; begin with index.html")


if __name__ == "__main__":
    main()
