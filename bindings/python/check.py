#!/usr/bin/env python3
"""Builds the wheel once, and runs the tests with each Python that is here, each in a venv below build/python.

    bindings/python/check.py            CPython 3.11 and later that are on the path, or pyenv's
    bindings/python/check.py 3.12       this one

The last line is `N passed, N failed`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "python"
VERSIONS = ("3.11", "3.12", "3.13")
BUILD_NEEDS = ("scikit-build-core>=1.0", "ninja", "cmake>=3.20") if not shutil.which("cmake") else ("scikit-build-core>=1.0", "ninja")
TEST_NEEDS = ("numpy>=1.26", "pytest", "hypothesis")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def interpreters(wanted):
    """Each version once: the first Python of it that has headers and venv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for version in wanted:
        candidates = [shutil.which(f"python{version}"), f"/usr/bin/python{version}",
                      *sorted(map(str, pyenv.glob(f"{version}.*/bin/python{version}")))]
        for candidate in candidates:
            if candidate is None or not os.access(candidate, os.X_OK):
                continue
            done = subprocess.run([candidate, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0 and done.stdout.strip() == version:
                found[version] = candidate
                break
    return found


def venv(name, python, needs):
    """A venv with packages; made anew when they are others."""
    place = BUILD / name
    stamp = place / "needs.json"
    wanted = json.dumps([python, *needs])
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        run(python, "-m", "venv", place)
        run(place / "bin/python", "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", *needs)
        stamp.write_text(wanted)
    return place / "bin" / "python"


def wheel(python):
    """Builds the wheel, without a warning of a compiler; what has not changed is not compiled again."""
    builder = venv("build", python, BUILD_NEEDS)
    out = BUILD / "wheel"
    shutil.rmtree(out, ignore_errors=True)
    run(builder, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", out,
        f"-Cbuild-dir={BUILD / 'cmake'}", "-Ccmake.define.SAFENPY_WERROR=ON", HERE,
        env={**os.environ, "PATH": f"{builder.parent}:{os.environ['PATH']}"})
    return next(out.glob("*.whl"))


def main(wanted):
    found = interpreters(wanted or VERSIONS)
    for version in wanted or VERSIONS:
        if version not in found:
            print(f"skipped: Python {version} is not here")
    if not found:
        print("0 passed, 1 failed")
        return 1
    built = wheel(next(iter(found.values())))
    passed = failed = 0
    for version, python in found.items():
        tester = venv(version, python, TEST_NEEDS)
        run(tester, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", built)
        slow = [] if version == list(found)[-1] else ["--ignore", HERE / "tests" / "test_numpys_own.py"]  # once is enough
        done = subprocess.run([tester, "-P", "-m", "pytest", "-c", HERE / "pyproject.toml", "--rootdir", HERE, *slow, HERE / "tests"],
                              stdout=subprocess.PIPE, text=True, check=False)
        print(f"Python {version}:\n{done.stdout}", flush=True)
        last = done.stdout.splitlines()[-1] if done.stdout else ""
        counts = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?)\b", last)}
        passed += counts.get("passed", 0)
        failed += counts.get("failed", 0) + counts.get("error", 0)
        if done.returncode != 0 and not counts.get("failed") and not counts.get("error"):
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
