"""Fixtures that all tests in Python share.

Run by Debian's Python, whose modules `make deps` installs:

    /usr/bin/python3 -m pytest tests -n auto                                  with build/gcc/safenpy
    /usr/bin/python3 -m pytest tests --safenpy build/sanitized/safenpy        with another build
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
collect_ignore = ["mutate"]  # scripts that count for themselves


def pytest_addoption(parser):
    parser.addoption("--safenpy", default=str(ROOT / "build" / "gcc" / "safenpy"), help="the command to test")


@pytest.fixture(scope="session")
def safenpy(pytestconfig):
    """The path of the command under test."""
    path = Path(pytestconfig.getoption("safenpy")).resolve()
    assert os.access(path, os.X_OK), f"{path} is not built: make BUILD=build/gcc CC=gcc programs"
    return path
