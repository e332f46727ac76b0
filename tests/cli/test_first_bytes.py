"""Verdicts on the first bytes of a file that is elsewhere: check --file-size, info --header-only."""

import io
import json
import os
import subprocess
import zipfile

import numpy
import pytest


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


PLAIN = npy(numpy.arange(100, dtype="<i4"))  # 128 + 400 bytes
OBJECTS = npy(numpy.array([1, None], dtype=object))
LONG = npy(numpy.zeros(3, dtype=[(f"field_{i:04d}", "<i4") for i in range(900)]))  # a header of more than 4 KiB
SIZE = 128 + 400


@pytest.fixture
def run(safenpy, tmp_path):
    def call(data, *words, place="-"):
        """Exit status, output and messages; of standard input, or of a file."""
        (tmp_path / "start").write_bytes(data)
        done = subprocess.run([safenpy, *words, place], cwd=tmp_path, input=data if place == "-" else b"", capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    return call


@pytest.mark.parametrize("place", ["-", "start"])
@pytest.mark.parametrize("given", [128, 129, 500, SIZE])
def test_the_size_is_compared(run, place, given):
    data = PLAIN[:given]
    assert run(data, "check", "--file-size", str(SIZE), place=place) == (0, f"{place}: accept, npy 1.0\n", "")
    code, out, err = run(data, "check", "--json", "--file-size", str(SIZE - 1), place=place)
    verdict = json.loads(out)
    assert (code, verdict["rule"], verdict["offset"], err) == (1, "NPY-DATA-001", SIZE - 1, "")
    code, out, _ = run(data, "check", "--file-size", str(SIZE + 7), place=place)
    assert (code, out) == (0, f"{place}: accept, npy 1.0, note: 7 trailing bytes\n")
    assert run(data, "check", "--no-trailing", "--file-size", str(SIZE + 7), place=place)[0] == 1
    assert run(data, "check", "--untrusted", "--max-data-bytes", "399", "--file-size", str(SIZE), place=place)[0] == 1


def test_no_byte_after_the_header_is_waited_for(safenpy):
    """The other end of a pipe stays open."""
    for words in (["check", "--file-size", str(SIZE)], ["info", "--header-only"]):
        with subprocess.Popen([safenpy, *words, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(PLAIN[:128])
            process.stdin.flush()
            assert process.wait(timeout=60) == 0
            process.stdout.read()


@pytest.mark.parametrize("place", ["-", "start"])
def test_a_header_that_is_not_all_there(run, place):
    need = len(LONG) - 3 * 3600
    for given in (0, 5, 100, 4096, need - 1):
        code, out, err = run(LONG[:given], "check", "--file-size", str(len(LONG)), place=place)
        assert (code, out, err) == (2, "", f"safenpy: {place}: the header is longer than the bytes given\n"), given
        verdict = json.loads(run(LONG[:given], "check", "--json", "--file-size", str(len(LONG)), place=place)[1])
        assert (verdict["verdict"], verdict["message"]) == ("error", os.strerror(61))
        assert run(LONG[:given], "info", "--header-only", place=place)[0] == 1  # whatever follows is not known
    assert run(LONG[:need], "check", "--file-size", str(len(LONG)), place=place)[0] == 0
    code, out, _ = run(LONG[:need], "check", "--json", "--file-size", str(need - 1), place=place)
    assert (code, json.loads(out)["rule"]) == (1, "NPY-FRAME-006")  # an object of this size cannot hold it


def test_refused_headers(run):
    assert run(b"version https://git-lfs.github.com/spec/v1\n", "check", "--file-size", "130")[0] == 1
    assert run(OBJECTS[:128], "check", "--file-size", "128")[:2] == (1, run(OBJECTS[:128], "check")[1])
    assert run(OBJECTS[:128], "check", "--file-size", "200")[0] == 0
    assert run(OBJECTS[:128], "check", "--no-objects", "--file-size", "200")[0] == 1


def test_archives_are_read_from_their_ends(run):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", PLAIN)
    for words in (["check", "--file-size", str(len(file.getvalue()))], ["info", "--header-only"]):
        assert run(file.getvalue()[:100], *words) == (
            2, "", "safenpy: -: an archive is read from its end, but only its first bytes were given\n")


def test_info(run):
    whole = json.loads(run(PLAIN, "info", "--json")[1])
    assert (whole["file_size"], whole["trailing_bytes"]) == (SIZE, 0)
    for given in (128, SIZE):
        code, out, err = run(PLAIN[:given], "info", "--header-only", "--json")
        assert (code, err, json.loads(out)) == (0, "", {**whole, "file_size": None, "trailing_bytes": None})
    lines = run(PLAIN[:128], "info", "--header-only")[1].splitlines()
    assert "file_size:      unknown (only the header was read)" in lines
    assert "trailing_bytes: unknown (only the header was read)" in lines


def test_usage(run):
    for words in (["a", "--file-size", "9"], ["-r", "--file-size", "9"], ["--files-from", "x", "--file-size", "9"]):
        assert run(b"", "check", *words)[2].startswith("safenpy: --file-size is that of one file")
    assert run(b"", "check", "--file-size", "-1")[2].startswith("safenpy: --file-size: '-1' is not a number from 0 to ")
