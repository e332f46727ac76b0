"""The command elsewhere, without archives: with musl instead of glibc, and on a big-endian machine. The same verdicts on all NPY
files, the same values and the same bytes written. Part of the long run."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PORTS = {"musl": ("musl-gcc", "", None), "s390x": ("s390x-linux-gnu-gcc", "-static", "qemu-s390x")}
pytestmark = pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only")


@pytest.fixture(scope="module", params=PORTS)
def port(request, tmp_path_factory):
    """The words that call the command."""
    compiler, linked, emulator = PORTS[request.param]
    for program in filter(None, (compiler, emulator)):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    place = tmp_path_factory.mktemp(request.param)
    made = subprocess.run(["make", "--no-print-directory", f"BUILD={place}", f"CC={compiler}", f"LDFLAGS={linked}", "WERROR=1",
                           "ARCHIVES=no", "programs"],
                          cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert made.returncode == 0, made.stdout
    return [*filter(None, [emulator]), place / "safenpy"]


@pytest.fixture(scope="module")
def files():
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    return ["corpus/" + case["file"] for case in cases
            if (ROOT / "corpus" / case["file"]).read_bytes()[:2] != b"PK"]  # an archive, whatever its name


def says(command, *words):
    done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_same_verdicts(port, safenpy, files):
    assert len(files) > 3000
    assert says(port, "check", "--json", "--", *files) == says([safenpy], "check", "--json", "--", *files)


def test_the_same_values_and_the_same_bytes(port, safenpy, files, tmp_path):
    """Of every twentieth file, of which some are refused: as text, and converted to another order of elements and bytes. A long double
    is text on x86 only."""
    converted = 0
    for file in files[::20]:
        if not re.search(r"'[<>]?(f16|c32)'|longdouble", (ROOT / file).read_bytes()[:4096].decode("latin-1")):
            assert says(port, "cat", "--", file) == says([safenpy], "cat", "--", file), file
        for more in (["--order", "F"], ["--byteorder", "big"]):
            ours, theirs = tmp_path / "ours.npy", tmp_path / "theirs.npy"
            status = says([safenpy], "convert", *more, file, ours)[0]
            assert says(port, "convert", *more, file, theirs)[0] == status, file
            if status == 0:
                assert theirs.read_bytes() == ours.read_bytes(), file
                converted += 1
    assert converted > 70
