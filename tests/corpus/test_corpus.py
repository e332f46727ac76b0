"""Every file of the suite against its expected verdict: run.py has the arrays, archives.py the archives.

They count for themselves and print what failed. One floor each, so that a suite that is not found cannot pass.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("script, least", [("run.py", 14_000), ("archives.py", 500)])
def test_suite(safenpy, script, least):
    done = subprocess.run([sys.executable, HERE / script, safenpy], text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    counts = re.search(r"^(\d+) passed, 0 failed$", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and counts and int(counts[1]) >= least, done.stdout[-10_000:]
