"""The command with several threads: the same bytes as with one. tools/check.py runs this under ThreadSanitizer, too."""

import random
import subprocess

import pytest

MEMBERS = 20
LARGE = 9 << 20  # more than is deflated at once: blocks, by several threads


def run(*words):
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture
def files(safenpy, tmp_path):
    """A large array and many small ones, made of raw bytes; their paths."""
    block = random.Random(1).randbytes(1 << 16)
    paths = []
    for number in range(MEMBERS):
        size = LARGE if number == 0 else 1000 * number
        raw, path = tmp_path / "raw", tmp_path / f"m{number}.npy"
        raw.write_bytes((block * (size // len(block) + 1))[:size])
        run(safenpy, "wrap", "--dtype", "|u1", "--shape", str(size), raw, path)
        paths.append(path)
    return paths


def test_threads_of_pack_and_unpack_change_no_byte(safenpy, files, tmp_path):
    one, many, again = (tmp_path / name for name in ("one.npz", "many.npz", "again.npz"))
    run(safenpy, "pack", "--deflate=1", "--threads", "1", one, *files)
    run(safenpy, "pack", "--deflate=1", "--threads", "4", many, *files)
    assert one.read_bytes() == many.read_bytes()
    run(safenpy, "convert", "--deflate=1", "--threads", "4", many, again)
    assert again.read_bytes() == many.read_bytes()
    run(safenpy, "check", "-q", many)
    run(safenpy, "unpack", "-d", tmp_path / "out", many)  # files are made safe by a thread each
    for path in files:
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()
