"""What run.py, change.py, pack.py, corners.py and data.py ask of the command: each of their functions is a test here.

Their assertions count for themselves, and print what does not hold; a function that asserts nothing fails.
"""

import functools
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import run as base  # noqa: E402

import change  # noqa: E402
import corners  # noqa: E402
import data  # noqa: E402
import pack  # noqa: E402

FUNCTIONS = [(module.__name__, name, value) for module in (base, change, pack, corners)
             for name, value in vars(module).items() if name.startswith("test_")]
FUNCTIONS += [("data", test.__name__, functools.partial(test, base)) for test in data.TESTS]
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# What measures memory or time does nothing under a sanitizer, which has its own of both; see SANITIZED in run.py.
SILENT = {"test_memory", "test_more_than_4_gib"}


@pytest.fixture
def place(safenpy, monkeypatch):
    """A folder with one good file, a language that the command must not care for, and the signals of a plain shell."""
    monkeypatch.setattr(base, "binary", str(safenpy))
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.delenv("POSIXLY_CORRECT", raising=False)
    before = {number: signal.getsignal(number) for number in (signal.SIGPIPE, *STOPPING)}
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="safenpy-cli-") as folder:
        os.chmod(folder, 0o755)
        monkeypatch.chdir(folder)
        base.write("good.npy", base.GOOD)
        yield
        os.chdir("/")
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("function", [row[2] for row in FUNCTIONS], ids=[f"{row[0]}: {row[1]}" for row in FUNCTIONS])
def test_command(place, monkeypatch, function):
    monkeypatch.setattr(base, "passed", 0)
    monkeypatch.setattr(base, "failed", 0)
    function()
    assert base.failed == 0
    name = getattr(function, "func", function).__name__
    if base.passed == 0 and name in SILENT:
        pytest.skip("it asserts nothing here")
    assert base.passed
