"""What the command says where it once misled."""

import json
import subprocess

import pytest
from tests.cli import run as base

NUMBERS = base.numpy_header("'<i4'", shape=(5,)) + bytes(range(20))
OBJECTS = base.numpy_header("'|O'", shape=(5,)) + b"\x80\x04K\x01."


def run(safenpy, *words):
    done = subprocess.run([safenpy, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def files(safenpy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in (("a.npy", NUMBERS), ("o.npy", OBJECTS)):
        (tmp_path / name).write_bytes(content)
    assert run(safenpy, "pack", "a.npz", "x=a.npy") == (0, "", "")
    return tmp_path


@pytest.mark.parametrize("words", (["cat", "a.npy"], ["unwrap", "a.npy", "out"], ["convert", "a.npy", "out"],
                                   ["check", "a.npy"], ["info", "a.npy"], ["diff", "a.npy", "a.npy"]))
def test_member_is_not_ignored_for_an_npy_file(safenpy, files, words):
    status, out, err = run(safenpy, words[0], "--member", "x", *words[1:])
    assert (status, out) == (2, "")
    assert err.startswith("safenpy: a.npy: --member is for archives (NPZ), and this is an NPY file\n")
    assert not (files / "out").exists()


def test_member_concerns_the_archives_among_the_files(safenpy, files):
    assert run(safenpy, "diff", "--member", "x", "a.npy", "a.npz") == (0, "", "")
    for word in ("check", "info"):
        status, out, err = run(safenpy, word, "--member", "x", "a.npz", "a.npy")
        assert status == 2 and out == run(safenpy, word, "--member", "x", "a.npz")[1]
        assert err == "safenpy: a.npy: --member is for archives (NPZ), and this is an NPY file\n"
        status, out, err = run(safenpy, word, "--json", "--member", "x", "a.npy")
        assert (status, err, json.loads(out)["verdict"]) == (2, "", "error")


@pytest.mark.parametrize("word, message", (
    ("--json=1", "option '--json=1' takes no argument"), ("--quiet=1", "option '--quiet=1' takes no argument"),
    ("--wrong", "unknown option '--wrong'"),
    ("-z", "unknown option '-z'; after '--' a name may begin with '-'")))
def test_wrong_options_are_told_apart(safenpy, files, word, message):
    assert run(safenpy, "check", word, "a.npy") == (2, "", f"safenpy: {message}\nTry 'safenpy --help'.\n")
    assert run(safenpy, "check", "--compat=all", word, "a.npy")[2].startswith(f"safenpy: {message}\n")


def test_unpack_names_force_where_files_exist(safenpy, files):
    assert run(safenpy, "unpack", "-d", "out", "a.npz") == (0, "", "")
    assert run(safenpy, "unpack", "-d", "out", "a.npz") == (
        2, "", "safenpy: a.npz:x: the file exists; --force replaces it\n")
    assert run(safenpy, "unpack", "--force", "-d", "out", "a.npz") == (0, "", "")


def test_unpack_and_append_say_which_format_they_take(safenpy, files):
    status, out, err = run(safenpy, "unpack", "a.npy")
    assert (status, err) == (1, "")
    assert out == ("a.npy: reject: the file does not begin as an archive (NPZ) does at byte 0 [NPY-FRAME-001]\n"
                   "  hint: 'safenpy cat' and 'safenpy convert' read NPY files; only archives have members\n")
    for words in (["a.npz", "a.npy"], ["a.npy", "a.npz"]):
        status, out, err = run(safenpy, "append", *words)
        assert (status, out) == (1, "")
        assert "hint: append takes NPY files; 'safenpy unpack' writes the members of an archive (NPZ)" in err
    assert (files / "a.npy").read_bytes() == NUMBERS


def test_diff_gives_no_data_size_to_objects(safenpy, files):
    status, out, _ = run(safenpy, "diff", "a.npy", "o.npy")
    assert status == 1 and "data_size: 20 | unknown\n" in out
    differences = json.loads(run(safenpy, "diff", "--json", "a.npy", "o.npy")[1])["differences"]
    assert {"what": "data_size", "a": 20, "b": None} in differences


def test_offset_of_json_is_that_of_an_error_only(safenpy, files):
    whole = bytearray((files / "a.npz").read_bytes())
    (member,) = json.loads(run(safenpy, "info", "--json", "a.npz")[1])["members"]
    start = member["archive_offset"]
    assert "offset" not in member and whole[start:start + 6] == b"\x93NUMPY"
    whole[start + 6] = 9
    (files / "bad.npz").write_bytes(whole)
    (refused,) = json.loads(run(safenpy, "info", "--json", "bad.npz")[1])["members"]
    assert (refused["verdict"], refused["offset"], refused["archive_offset"]) == ("reject", 6, start)
