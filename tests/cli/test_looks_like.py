"""A file in another format is named, with what to do about it: in the message, in the hint and in JSON."""

import gzip
import json
import pickle
import subprocess

import pytest

SAMPLES = {
    "git-lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a Git LFS pointer", "git lfs pull"),
    "html": (b"<!DOCTYPE html>\n<title>404</title>", "an HTML page", "login form"),
    "xml": (b"<?xml version='1.0'?>\n<Error><Code>NoSuchKey</Code></Error>", "an XML document", "object store"),
    "gzip": (gzip.compress(b"x"), "a gzip file", "gzip -d"),
    "pickle": (pickle.dumps([1, 2]), "a Python pickle", "do not unpickle"),
    "zeros": (b"\0" * 200, "a file of zero bytes", "space was reserved"),
    "npy-as-text": (b"\x93NUMPY\1\0v\0{'descr'".decode("latin-1").encode(), "an NPY file that was converted as text", "binary mode"),
    "text": (b"1,2,3\n4,5,6\n", "a text file", "numpy.loadtxt"),
}


@pytest.fixture(name="run")
def run_(safenpy, tmp_path):
    def call(*words, stdin=b""):
        done = subprocess.run([safenpy, *words], cwd=tmp_path, input=stdin, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("flag, wanted", [(None, "NPY"), ("--npy", "NPY"), ("--npz", "NPZ")])
def test_message_and_hint(run, tmp_path, kind, flag, wanted):
    content, noun, advice = SAMPLES[kind]
    (tmp_path / "x").write_bytes(content)
    for name, stdin in (("x", b""), ("-", content)):
        code, out, err = run("check", *([flag] if flag else []), name, stdin=stdin)
        lines = out.splitlines()
        assert (code, err) == (1, "")
        assert lines[0] == f"{name}: reject: the file looks like {noun}, not an {wanted} file at byte 0 [NPY-FRAME-001]"
        assert lines[-1].startswith("  hint: ") and advice in lines[-1]


@pytest.mark.parametrize("command", ["check", "info"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_json(run, tmp_path, command, kind):
    content, noun, advice = SAMPLES[kind]
    (tmp_path / "x").write_bytes(content)
    answer = json.loads(run(command, "--json", "x")[1])
    assert (answer["status"], answer["rule"], answer["looks_like"]) == ("SNPY_BAD_MAGIC", "NPY-FRAME-001", kind)
    assert answer["message"] == f"the file looks like {noun}, not an NPY file"
    assert advice in answer["hint"]


@pytest.mark.parametrize("command", ["cat", "diff"])
def test_other_commands(run, tmp_path, command):
    (tmp_path / "x").write_bytes(SAMPLES["git-lfs"][0])
    words = ["x"] if command == "cat" else ["x", "x"]
    code, out, err = run(command, *words)
    assert code != 0 and "looks like a Git LFS pointer" in out + err


@pytest.mark.parametrize("content", [b"\x93NUMPX\1\0", b"\xff\xfe\xfd" * 9, b""])
def test_unknown_bytes_are_not_named(run, tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    assert "looks like" not in run("check", "x")[1]
    assert "looks_like" not in json.loads(run("check", "--json", "x")[1])
