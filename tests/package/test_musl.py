"""The command with musl instead of glibc, without archives: the same verdicts on all NPY files. Part of the long run."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
              pytest.mark.skipif(shutil.which("musl-gcc") is None, reason="no musl-gcc")]


def verdicts(command, files):
    done = subprocess.run([command, "check", "--json", "--", *files], cwd=ROOT, text=True, capture_output=True, check=False)
    return done.stdout.splitlines()


def test_musl_gives_the_same_verdicts(safenpy, tmp_path):
    made = subprocess.run(["make", "--no-print-directory", f"BUILD={tmp_path}", "CC=musl-gcc", "WERROR=1", "ARCHIVES=no", "programs"],
                          cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert made.returncode == 0, made.stdout
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    files = ["corpus/" + case["file"] for case in cases
             if (ROOT / "corpus" / case["file"]).read_bytes()[:2] != b"PK"]  # an archive, whatever its name
    assert len(files) > 3000
    assert verdicts(tmp_path / "safenpy", files) == verdicts(safenpy, files)
