"""`safenpy info --objects`: what object data need, and a preview of their values."""

import io
import json
import subprocess

import numpy
import pytest


def npy(value):
    array = numpy.empty((), object)
    array[()] = value
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


DATA, PLAIN, OTHER = npy({"rate": 0.5, "names": ["a", "b"]}), npy({"set": {1}}), npy(numpy.linspace)


@pytest.fixture
def info(safenpy, tmp_path):
    (tmp_path / "data.npy").write_bytes(DATA)
    (tmp_path / "plain.npy").write_bytes(PLAIN)
    (tmp_path / "other.npy").write_bytes(OTHER)
    numpy.save(tmp_path / "numbers.npy", numpy.arange(3))
    with open(tmp_path / "z.npz", "wb") as file:
        numpy.savez_compressed(file, a=numpy.array({"k": [1, 2]}, object), b=numpy.arange(3))

    def call(*words, data=None):
        done = subprocess.run([safenpy, "info", *words], input=data, capture_output=True, cwd=tmp_path, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    return call


def test_the_word_is_a_line(info):
    status, out, err = info("--objects", "plain", "plain.npy")
    assert (status, err) == (0, "") and out.endswith("has_object:     true\nobjects:        plain\n")
    assert "objects:" not in info("plain.npy")[1]
    assert "objects:" not in info("--objects", "plain", "numbers.npy")[1]


def test_json_has_a_preview(info):
    lines = [json.loads(line) for line in info("--json", "--objects", "plain", "data.npy", "plain.npy", "numbers.npy")[1].splitlines()]
    assert [(line.get("objects"), line.get("preview")) for line in lines] == [
        ("data", {"rate": 0.5, "names": ["a", "b"]}), ("plain", {"set": {"$set": [1]}}), (None, None)]
    assert "preview" not in json.loads(info("--json", "data.npy")[1])


def test_a_preview_is_short(info, tmp_path):
    (tmp_path / "long.npy").write_bytes(npy({"text": "x" * 100_000, "list": list(range(100_000)), "shared": [[7]] * 1000}))
    status, out, _ = info("--json", "--objects", "data", "long.npy")
    assert status == 0 and len(out) < 5_000
    assert json.loads(out)["preview"]["list"][-1] == {"$more": 100_000 - len(json.loads(out)["preview"]["list"]) + 1}


@pytest.mark.parametrize("words, rule", [
    (("--objects", "plain", "other.npy"), "NPY-PKL-011"), (("--objects", "data", "plain.npy"), "NPY-PKL-012")])
def test_what_is_not_in_the_set_is_refused(info, words, rule):
    status, out, _ = info(*words)
    assert status == 1 and f"[{rule}]" in out
    refusal = json.loads(info("--json", *words)[1])
    assert (refusal["verdict"], refusal["rule"]) == ("reject", rule)


def test_a_member_and_a_pipe(info):
    status, out, _ = info("--json", "--objects", "data", "z.npz:a")
    assert status == 0 and json.loads(out)["preview"] == {"k": [1, 2]}
    assert "objects:        data" in info("--objects", "data", "--member", "a", "z.npz")[1]
    assert "preview" not in info("--json", "--objects", "data", "z.npz:b")[1]
    assert "preview" not in info("--json", "--objects", "data", "z.npz")[1]
    assert json.loads(info("--json", "--objects", "data", "-", data=DATA)[1])["preview"]["rate"] == 0.5


def test_a_header_alone_has_no_values(info):
    status, out, err = info("--objects", "data", "--header-only", "data.npy")
    assert (status, out) == (2, "") and "--objects needs the whole data" in err


def test_arrays_in_a_preview(info, tmp_path):
    record = numpy.zeros(3, [("a", "<i4"), ("b", "U2")])
    (tmp_path / "arrays.npy").write_bytes(npy({"short": numpy.arange(3), "long": numpy.arange(10_000), "record": record, "empty": numpy.zeros((0, 2))}))
    status, out, _ = info("--json", "--objects", "data", "arrays.npy")
    preview = json.loads(out)["preview"]
    assert status == 0 and preview["short"]["$array"] == [0, 1, 2] and preview["long"]["$array"] == {"$more": 10_000}
    assert preview["record"]["$array"] == [{"a": 0, "b": ""}] * 3 and preview["empty"]["shape"] == [0, 2]
