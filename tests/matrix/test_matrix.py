"""Tests the page of implementations × cases; the browser's part needs chromium and chromedriver, and is skipped without.

Most checks look at a page made of imagined results (fixture.py), which have every outcome and hostile texts in
them, and compare it with what model.py works out of the same files. The committed page is checked as well.

    SNPY_SCREENSHOTS=DIR pytest tests/matrix -k screenshots    saves the committed page as it is seen
    SNPY_FULL=1 pytest tests/matrix -k mutant    breaks the page's sources, one mistake at a time: the check named for it
                                                 must notice
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.matrix import browser as chromium
from tests.matrix import committed, details, filters, fixture, mutants, on_files, rendering
from tests.matrix.model import Model

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
ON_FILES = [*on_files.CHECKS, committed.committed_page_is_fresh]
IN_BROWSER = [*rendering.CHECKS, *filters.CHECKS, *details.CHECKS, committed.committed_page_works]
CHECKS = {check.__name__: check for check in [*ON_FILES, *IN_BROWSER]}


class World:
    """What the checks look at: the sources, a page made from the fixture, and the committed one."""

    def __init__(self, directory, sources):
        self.root, self.directory, self.sources = ROOT, Path(directory), Path(sources)
        suite, found = fixture.make(self.directory / "fixture")
        self.manifest_file = self.directory / "fixture" / "manifest.json"
        self.results = self.directory / "fixture" / "results"
        digest = hashlib.sha256(self.manifest_file.read_bytes()).hexdigest()
        self.model = Model(suite, digest, list(found.values()))
        self.page = self.directory / "fixture" / "page.html"
        self.browser = None
        self.screenshots = None
        done = self.make()
        if done.returncode:
            raise RuntimeError(f"make_matrix.py fails on the fixture: {done.stderr}")

    def make(self, *words, manifest=None, results=None, output=None, seed="0"):
        """Runs make_matrix.py; on the fixture unless told otherwise."""
        call = [sys.executable, self.sources / "make_matrix.py", "--manifest", manifest or self.manifest_file,
                "--results", results or self.results, "--output", output or self.page, *words]
        return subprocess.run(call, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"})

    def committed(self):
        """The committed page and its model, or None if there are no results yet."""
        files = sorted((CORPUS / "results").glob("*.json"))
        page = CORPUS / "matrix" / "index.html"
        if not files or not page.exists():
            return None
        content = (CORPUS / "manifest.json").read_bytes()
        results = [json.loads(file.read_bytes()) for file in files]
        for one in results:
            one.setdefault("details", {})
        return page, Model(json.loads(content), hashlib.sha256(content).hexdigest(), results)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("matrix"), CORPUS / "matrix")


@pytest.fixture(scope="module")
def browser():
    if not chromium.available():
        pytest.skip("no chromium or no chromedriver")
    with chromium.Browser() as one:
        yield one


@pytest.mark.parametrize("check", ON_FILES, ids=lambda check: check.__name__)
def test_on_files(world, check):
    assert not check(world)


@pytest.mark.parametrize("check", IN_BROWSER, ids=lambda check: check.__name__)
def test_in_browser(world, browser, check):
    """What fails is tried once more: a machine with much to do must not look like a page with a fault, which is there
    every time."""
    world.browser = browser
    problems = check(world)
    if problems is None:
        pytest.skip("nothing to look at")
    assert not problems or not check(world)


@pytest.mark.skipif("SNPY_SCREENSHOTS" not in os.environ, reason="SNPY_SCREENSHOTS names no folder")
def test_screenshots(world, browser):
    world.browser, world.screenshots = browser, Path(os.environ["SNPY_SCREENSHOTS"])
    committed.take_screenshots(world)


@pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only")
@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: f"{mutant.check}: {mutant.title}")
def test_mutant_is_noticed(browser, tmp_path, mutant):
    """A page with one mistake: the check named for it finds a problem."""
    mutant.plant(CORPUS / "matrix", tmp_path / "sources")
    world = World(tmp_path / "world", tmp_path / "sources")
    world.browser = browser
    assert CHECKS[mutant.check](world)


def test_every_check_has_a_mutant():
    assert set(CHECKS) - {mutant.check for mutant in mutants.MUTANTS} <= mutants.EXEMPT
