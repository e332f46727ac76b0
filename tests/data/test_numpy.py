"""Views, values, copies, files, archives and the command against NumPy.

The scripts of this room count for themselves and print what failed. One floor each, so that none passes that ran nothing.
Those that look at the library run programs that are built beside the command: build/sanitized/tests/probe.
"""

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
LIBRARY = [("run.py", "probe", 8_000), ("files.py", "files", 100), ("archives.py", "archives", 100)]
COMMAND = [("cat.py", 1_000), ("diff.py", 100), ("convert.py", 100), ("pack.py", 10)]


def passes(script, program, least):
    """Runs a script by Debian's Python, which has NumPy."""
    done = subprocess.run(["/usr/bin/python3", HERE / script, program], text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    counts = re.search(r"^(\d+) passed, 0 failed$", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and counts and int(counts[1]) >= least, done.stdout[-10_000:]


@pytest.mark.parametrize("script, program, least", LIBRARY, ids=[row[1] for row in LIBRARY])
def test_library(safenpy, script, program, least):
    passes(script, safenpy.parent / "tests" / program, least)


@pytest.mark.parametrize("script, least", COMMAND, ids=[row[0] for row in COMMAND])
def test_command(safenpy, script, least):
    passes(script, safenpy, least)
