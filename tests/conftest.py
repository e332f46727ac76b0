"""Fixtures that all tests in Python share.

Run by Debian's Python, whose modules `make deps` installs:

    /usr/bin/python3 -m pytest tests -n auto                                  with build/gcc/safenpy
    /usr/bin/python3 -m pytest tests --safenpy build/sanitized/safenpy        with another build
"""

import os
import random
from pathlib import Path

import pytest

from tests.tally import Tally

ROOT = Path(__file__).resolve().parent.parent


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
