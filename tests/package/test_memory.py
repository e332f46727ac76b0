"""Reads of uninitialised memory, over the whole corpus: valgrind sees what the sanitizers do not."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "corpus").rglob("*.npy"))


@pytest.mark.parametrize("arguments", ["check", "check --json --profile canonical", "info --json"])
def test_corpus_under_valgrind(safenpy, arguments):
    assert len(FILES) > 1000
    done = subprocess.run(["valgrind", "-q", "--error-exitcode=86", "--leak-check=full", safenpy, *arguments.split(), *FILES],
                          cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode in (0, 1) and "== " not in done.stdout, done.stdout[-4000:]
