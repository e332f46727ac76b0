"""What the README's first line does: a C compiler, make, and nothing else."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make(place, *words):
    done = subprocess.run(["make", "--no-print-directory", f"BUILD={place}", *words], cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_demo_judges_the_sample_files(tmp_path):
    assert len(re.findall(r"\b(?:accept|reject)", make(tmp_path / "demo", "demo"))) > 1


def test_build_without_archives_says_so(tmp_path):
    assert "built without archives" in make(tmp_path, "ARCHIVES=no", "WERROR=1", "programs")
    (tmp_path / "empty.npz").write_bytes(b"PK\5\6" + bytes(18))
    done = subprocess.run([tmp_path / "safenpy", "check", tmp_path / "empty.npz"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 2 and "this build reads none" in done.stdout
