"""`make dist`: the same bytes each time, and a tree that is built and checked without git and apt. Part of the long run."""

import os
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
              pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the tarball is made of a commit")]


def run(*call, **more):
    done = subprocess.run(list(map(str, call)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def tarball(place):
    run("make", "-C", ROOT, "--no-print-directory", f"BUILD={place}", "dist")
    (path,) = place.glob("safenpy-*.tar.gz")
    return path


@pytest.fixture(scope="module")
def tree():
    """The unpacked tarball, and an environment in which git and apt-get fail. Other users may enter it: tests of the command run it as
    one of them."""
    with tempfile.TemporaryDirectory(prefix="safenpy-dist-") as place:
        Path(place).chmod(0o755)
        yield unpack(Path(place))


def unpack(place):
    path = tarball(place)
    with tarfile.open(path) as archive:
        archive.extractall(place)
    denied = place / "denied"
    denied.mkdir()
    for name in ("git", "apt-get", "sudo"):
        (denied / name).write_text(f"#!/bin/sh\necho '{name} was called' >&2\nexit 127\n", encoding="ascii")
        (denied / name).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SNPY_")}  # of the long run
    return place / path.name.removesuffix(".tar.gz"), environment | {"PATH": f"{denied}:{os.environ['PATH']}"}


def test_is_the_same_each_time(tmp_path):
    first, second = (tarball(tmp_path / name) for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_is_built(tree):
    place, environment = tree
    run("make", "-j2", "WERROR=1", cwd=place, env=environment)
    assert re.fullmatch(r"safenpy \S+\n", run(place / "build" / "safenpy", "--version", env=environment))


def test_passes_the_fast_check(tree):
    place, environment = tree
    assert " 0 failed" in run("make", "check", "FAST=1", "DEPS=no", cwd=place, env=environment)
