"""`check` and `info` say which format they found, and --npy and --npz insist on one."""

import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
EMPTY = CORPUS / "reject" / "other" / "zip-empty.npy"
GOOD = CORPUS / "accept" / "numpy" / "dtype" / "le-f8.npy"
NOT_NPY = "the file does not begin with the magic bytes of an NPY file at byte 0 [NPY-FRAME-001]"
NOT_NPZ = "the file does not begin as an archive (NPZ) does at byte 0 [NPY-FRAME-001]"


@pytest.fixture(name="run")
def run_(safenpy, tmp_path):
    """Runs the command where there are an array, one of version 3.0 and an archive of a.npy and a text."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.npy", GOOD.read_bytes())
        archive.writestr("text", b"text")
    (tmp_path / "a.npy").write_bytes(GOOD.read_bytes())
    (tmp_path / "a.npz").write_bytes(packed.getvalue())
    (tmp_path / "cut.npy").write_bytes(GOOD.read_bytes()[:-1])
    (tmp_path / "both").write_bytes(GOOD.read_bytes() + packed.getvalue())
    (tmp_path / "nothing").write_bytes(b"")

    def call(*words, stdin=None):
        done = subprocess.run([safenpy, *words], cwd=tmp_path, input=stdin or b"", capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call


def first_line(result):
    return result[0], result[1].split("\n", maxsplit=1)[0], result[2]


def test_accepted_line_says_the_format(run):
    assert run("check", "a.npy", "a.npz") == (
        0, "a.npy: accept, npy 1.0\n"
           "a.npz:a: accept, npy 1.0\n"
           "a.npz:text: accept, note: not an NPY file\n"
           "a.npz: accept, npz, 2 members\n", "")
    assert run("check", "a.npz:a") == (0, "a.npz:a: accept, npy 1.0\n", "")


def test_json_says_the_format(run):
    array, archive = map(json.loads, run("check", "--json", "a.npy", "a.npz")[1].splitlines())
    assert array == {"file": "a.npy", "format": "npy", "version": "1.0", "verdict": "accept", "notes": []}
    assert (archive["format"], archive["verdict"]) == ("npz", "accept")
    assert [(one["key"], one["format"], one.get("version")) for one in archive["members"]] == [
        ("a", "npy", "1.0"), ("text", None, None)]


def test_empty_archive_is_no_array(run):
    assert run("check", EMPTY) == (0, f"{EMPTY}: accept, npz, 0 members\n", "")
    assert first_line(run("check", "--npy", EMPTY)) == (1, f"{EMPTY}: reject: {NOT_NPY}", "")


@pytest.mark.parametrize("command", ["check", "info"])
@pytest.mark.parametrize("name", ["a.npy", "cut.npy", "both", "nothing"])
def test_npz_refuses_what_is_no_archive(run, command, name):
    code, out, err = run(command, "--npz", name)
    assert (code, out.split("\n")[0], err) == (1, f"{name}: reject: {NOT_NPZ}", "")
    assert out.endswith("  hint: leave out --npz if the file may be in the NPY format\n")
    answer = json.loads(run(command, "--npz", "--json", name)[1])
    assert (answer["status"], answer["offset"], answer["message"]) == ("SNPY_BAD_MAGIC", 0, NOT_NPZ.split(" at ")[0])


@pytest.mark.parametrize("command", ["check", "info"])
def test_npy_refuses_an_archive(run, command):
    assert first_line(run(command, "--npy", "a.npz")) == (1, f"a.npz: reject: {NOT_NPY}", "")
    assert run(command, "--npy", "a.npy") == run(command, "a.npy")


@pytest.mark.parametrize("command", ["check", "info"])
def test_npz_changes_nothing_about_an_archive(run, tmp_path, command):
    packed = (tmp_path / "a.npz").read_bytes()
    for words in (["a.npz"], ["a.npz:a"], ["--member", "a", "a.npz"], ["--json", "a.npz"]):
        assert run(command, "--npz", *words) == run(command, *words)
    assert run(command, "--npz", "-", stdin=packed) == run(command, "-", stdin=packed)
    assert run(command, "--npz", "missing") == run(command, "missing")


def test_npz_refuses_an_array_on_standard_input(run):
    assert first_line(run("check", "--npz", "-", stdin=GOOD.read_bytes())) == (1, f"-: reject: {NOT_NPZ}", "")


def test_npy_and_npz_contradict_each_other(run):
    assert run("check", "--npy", "--npz", "a.npy") == (
        2, "", "safenpy: --npy and --npz contradict each other\nTry 'safenpy --help'.\n")
