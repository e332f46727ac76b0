"""Object arrays that are flattened come back as the bytes of `convert --disarm`: random trees, and what picklers write.

tests/cli/test_flatten.py has each rule.                                                       NPY-PKL-031 to NPY-PKL-035
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]

import flatten  # noqa: E402
import written  # noqa: E402

FULL = os.environ.get("SNPY_FULL") == "1"
TREES = 100_000 if FULL else 4_000
EACH = 1 if FULL else 9
INPUTS = ("corpus/objects", "tests/oracle", "spec/objects.md", "src/core/object", "src/host", "src/cli/flatten.c")


@pytest.fixture
def command(tmp_path):
    return flatten.Command(tmp_path)


@pytest.mark.inputs(*INPUTS)
def test_the_suite_has_the_digests_of_its_files(tally):
    """NPY-PKL-028, NPY-PKL-034: plain.json, for who writes such files with another program."""
    made = subprocess.run([sys.executable, ROOT / "corpus" / "objects" / "plain.py", flatten.SAFENPY, "--check"], capture_output=True, text=True,
                          check=False)
    tally.equal("plain.json", (made.returncode, made.stdout + made.stderr), (0, "320 cases, 0 differ\n"))


@pytest.mark.inputs(*INPUTS)
def test_random_trees_come_back(command, tally):
    """NPY-PKL-031: none of them is refused."""
    faults, done = flatten.trees(command, TREES)
    tally.equal(f"{done} trees", faults, [])


@pytest.mark.inputs(*INPUTS)
def test_what_picklers_write_comes_back(command, tally):
    """NPY-PKL-031: all but values that contain themselves."""
    for number, record in enumerate(written.read()[::EACH]):
        fault = command.fault(flatten.wrap(bytes.fromhex(record["hex"])))
        contains_itself = "cyclic" in record["value"] or "object-self" in record["value"]
        tally.equal(f"{number}, {record['value']}", fault.split(":")[0], "refused" if contains_itself else "")
