"""Fixtures that all tests in Python share.

Run by Debian's Python, whose modules `make deps` installs:

    /usr/bin/python3 -m pytest tests -n auto                                  with build/gcc/safenpy
    /usr/bin/python3 -m pytest tests --safenpy build/sanitized/safenpy        with another build
"""

import os
import random
import signal
import sys
from pathlib import Path

import pytest

from tests.tally import Tally

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import records  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--safenpy", default=str(ROOT / "build" / "gcc" / "safenpy"), help="the command to test")


@pytest.fixture(scope="session")
def safenpy(pytestconfig):
    """The path of the command under test."""
    path = Path(pytestconfig.getoption("safenpy")).resolve()
    assert os.access(path, os.X_OK), f"{path} is not built: make BUILD=build/gcc CC=gcc programs"
    return path


@pytest.fixture
def tally():
    """Many assertions of one test."""
    return Tally()


@pytest.fixture
def dice():
    """Chance, the same in each run."""
    return random.Random(5)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test ends with what its tally says."""
    outcome = yield
    outcome.get_result()
    if "tally" in pyfuncitem.funcargs:
        pyfuncitem.funcargs["tally"].finish()


# --- what is not run again ---------------------------------------------------------------------------------


def pytest_configure(config):
    config.addinivalue_line("markers", "inputs(*patterns): run only if these files changed since it last passed")
    # A shell starts what runs in its background with SIGINT ignored, and the command would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Of the tests that name their inputs those are run whose inputs changed, and one sample of each file."""
    marked = {}
    for item in items:
        patterns = [pattern for mark in item.iter_markers("inputs") for pattern in mark.args]
        if patterns:
            marked.setdefault(item.path, {})[item.name] = item, tuple(sorted(patterns))
    digests = {patterns: records.digest(*patterns) for found in marked.values() for _, patterns in found.values()}
    for path, found in marked.items():
        book = records.Book(str(path.relative_to(ROOT).with_suffix("")).replace("/", "."))
        due = set(book.due({name: digests[patterns] for name, (_, patterns) in found.items()}))
        for name, (item, _) in found.items():
            item.book = book
            if name not in due:
                item.add_marker(pytest.mark.skip(reason=f"unchanged since {book.recorded[name]['date']}"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "call" and report.passed and hasattr(item, "book"):
        item.book.passed(item.name)
