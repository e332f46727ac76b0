"""docs/python.md: its examples run, and each row of its table of differences holds."""

import io
import os
import re
import shlex
import subprocess
import sys
import types
import warnings
import zipfile
from pathlib import Path

import fsspec
import numpy as np
import pytest
import safenpy as sn

DOCS = Path(__file__).resolve().parents[3] / "docs"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GUIDE = (DOCS / "python.md").read_text(encoding="utf-8")
EXAMPLES = [text for language, text in BLOCK.findall(GUIDE) if language == "python"]
TABLE = GUIDE.partition("\n## From np.load to safenpy\n")[2].partition("\n## ")[0]
ROWS = [line.split("|")[1].strip() for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith("| |")]


def raw(array, save=np.save, **options):
    out = io.BytesIO()
    save(out, array, **options)
    return out.getvalue()


@pytest.fixture
def things():
    """What the examples speak of."""
    array = np.arange(50.0)
    np.save("x.npy", array)
    np.save("upload.npy", array)
    np.savez("upload.npz", array)
    np.save("objects.npy", np.array([{"a": 1}, None]))
    np.savez("m.npz", w=np.arange(30), b=np.zeros(3))
    np.save("long.npy", np.zeros((2500, 2)))
    np.save("log.npy", np.zeros((1, 2)))
    whole = raw(array)
    fsspec.filesystem("memory").pipe({"/guide.npy": whole, "/runs/good.npy": whole, "/runs/bad.npy": whole[:-1]})
    load_npz = types.SimpleNamespace(load_npz=lambda path: np.load(path)["arr_0"])
    return {"sn": sn, "a": array, "w": array, "b": array, "rows": np.ones((2, 2)), "received": whole, "file": io.BytesIO(whole),
            "first_bytes": whole[:200], "size": len(whole), "paths": ["x.npy", "missing.npy"],
            "url": "memory://guide.npy", "fsspec": fsspec,
            "scipy": types.SimpleNamespace(sparse=load_npz), "torch": types.SimpleNamespace(from_numpy=np.asarray),
            "jax": types.SimpleNamespace(numpy=np)}  # test_others.py has the real one


def test_the_examples_run(things):
    assert len(EXAMPLES) == 14
    for number, example in enumerate(EXAMPLES):
        exec(compile(example, f"example {number} of docs/python.md", "exec"), things)
    assert things["bad"] == ["missing.npy"]
    assert things["part"].tolist() == list(range(10, 20)) and list(things["both"]) == ["w", "b"]
    assert things["some"].tolist() == list(range(10, 20))
    assert things["refused"] == ["/runs/bad.npy"]
    assert things["h"].shape == (50,) and things["verdict"].accepted
    assert sn.load("log.npy").shape == (3, 2)
    assert sn.load("y.npy").tolist() == list(range(50))
    assert type(things["matrix"]) is np.ndarray
    assert things["values"][0] == {"a": 1}
    assert sn.load("mine.npy", objects="data").item() == {"rate": 0.1, "tags": ["a", "b"]}
    assert np.load("plain.npy", allow_pickle=True)[0] == {"a": 1}


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="the bytes are those of NumPy 2")
def test_the_guide_to_pickles(capsys, monkeypatch):
    """Its programs run, and its commands print what it says."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    things = {}
    commands = 0
    for language, text in BLOCK.findall((DOCS / "guides" / "pickles.md").read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, "docs/guides/pickles.md", "exec"), things)
            continue
        for step in text.split("$ ")[1:]:
            call, _, wanted = step.partition("\n")
            done = subprocess.run(shlex.split(call), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            assert done.stdout == wanted, call
            commands += 1
    assert commands == 10
    assert "other [(293, 'posix', 'system')]" in capsys.readouterr().out
    assert things["model"]["rate"] == 0.1
    assert np.load("mine.npy", allow_pickle=True).item() == {"rate": 0.1, "tags": ["a", "b"]}
    with np.load("model.npz") as flat:
        assert flat["layers/0"].shape == (2, 3)
        assert flat["name"] == "net"
    subprocess.run(["safenpy", "convert", "--unflatten", "model.npz", "back.npy"], check=True)
    assert Path("back.npy").read_bytes() == Path("plain.npy").read_bytes()


DIFFERENCES = {}


def difference(row):
    def keep(function):
        DIFFERENCES[row] = function
        return function

    return keep


@difference("object arrays")
def _():
    data = raw(np.array([None]), allow_pickle=True)
    assert np.load(io.BytesIO(data), allow_pickle=True)[0] is None
    with pytest.raises(sn.Refused):
        sn.load(data)
    assert sn.load(data, allow_pickle=True)[0] is None


@difference("saving object arrays")
def _():
    np.save("o.npy", np.array([None]))
    with pytest.raises(sn.Refused):
        sn.save("o.npy", np.array([None]))
    sn.save("o.npy", np.array([None]), allow_pickle=True)
    assert np.load("o.npy", allow_pickle=True)[0] is None


@difference("`bytes` as file")
def _():
    np.save("x.npy", np.arange(3))
    assert np.load(b"x.npy").tolist() == [0, 1, 2]
    with pytest.raises(sn.Refused):
        sn.load(b"x.npy")
    with sn.patched():
        assert np.load(b"x.npy").tolist() == [0, 1, 2]


@difference("errors of a file")
def _():
    good = raw(np.arange(1000), np.savez_compressed)
    bad = [b"", b"PK\3\4" + bytes(40), raw(np.arange(3))[:-1], good[:100] + b"\xff\xff" + good[102:]]
    theirs = set()
    for data in bad:
        with pytest.raises(Exception) as caught:
            np.load(io.BytesIO(data))["arr_0"]
        theirs.add(caught.type)
        with pytest.raises(sn.Refused) as refused:
            sn.load(data)["arr_0"]
        assert isinstance(refused.value, ValueError)
    assert len(theirs) >= 3


@difference("an empty file object")
def _():
    with pytest.raises(EOFError):
        np.load(io.BytesIO())
    with pytest.raises(EOFError) as caught:
        sn.load(io.BytesIO())
    assert isinstance(caught.value, sn.Refused)


@difference("header limit")
def _():
    long = raw(np.zeros(1, [(f"field{i}", "i1") for i in range(1000)]))
    with pytest.raises(ValueError, match="max_header_size"):
        np.load(io.BytesIO(long))
    assert len(sn.load(long).dtype.names) == 1000
    longer = raw(np.zeros(1, [(f"field{i}", "i1") for i in range(9000)]))
    np.load(io.BytesIO(longer), allow_pickle=True)
    with pytest.raises(sn.Refused):
        sn.load(longer)
    assert len(sn.load(longer, limits=sn.Limits(max_header=1 << 20)).dtype.names) == 9000


@difference("archive")
def _():
    np.savez("m.npz", a=np.eye(2))
    theirs, ours = np.load("m.npz"), sn.load("m.npz")
    assert isinstance(theirs.zip, zipfile.ZipFile) and not hasattr(ours, "zip")
    assert type(ours) is sn.Archive and dict(ours).keys() == {"a"}
    theirs.close()


@difference("`mmap_mode` of an archive")
def _():
    sn.savez("m.npz", a=np.eye(2))
    with np.load("m.npz", mmap_mode="r") as theirs:
        assert not isinstance(theirs["a"], np.memmap)
    assert isinstance(sn.load("m.npz", mmap_mode="r")["a"], np.memmap)


@difference("CRC of a member")
def _():
    data = raw(np.arange(3))
    with zipfile.ZipFile("m.npz", "w") as file:
        file.writestr("a.npy", data + b"!" * 70000)
    whole = bytearray(open("m.npz", "rb").read())
    whole[-1000] ^= 1  # after the array
    with np.load(io.BytesIO(whole)) as theirs:
        assert theirs["a"].tolist() == [0, 1, 2]
    with pytest.raises(sn.Refused):
        sn.load(bytes(whole))["a"]


@difference("bytes after the data")
def _():
    data = raw(np.arange(3)) + b"!"
    assert np.load(io.BytesIO(data)).tolist() == sn.load(data).tolist()
    with pytest.raises(sn.Refused):
        sn.load(data, limits=sn.UNTRUSTED)
    with zipfile.ZipFile("m.npz", "w") as file:
        file.writestr("a.npy", data)
    assert np.load("m.npz")["a"].tolist() == [0, 1, 2]
    with pytest.raises(sn.Refused):
        sn.load("m.npz")["a"]


@difference("padding of structured dtypes")
def _():
    array = np.frombuffer(b"\xff" * 16, np.dtype([("a", "u1"), ("b", "<f8")], align=True))
    assert raw(array)[-15:-8] == b"\xff" * 7
    assert raw(array, sn.save)[-15:-8] == bytes(7)


@difference("saving")
def _():
    for save, is_same in ((np.save, True), (sn.save, False)):
        np.save("x.npy", np.arange(3))
        before = os.stat("x.npy").st_ino
        with open("x.npy", "rb") as kept:
            save("x.npy", np.arange(4))
            assert (len(kept.read()) == 128 + 32) == is_same
            assert (os.stat("x.npy").st_ino == before) == is_same


@difference("masked arrays")
def _():
    masked = np.ma.array([1, 2], mask=[0, 1])
    with pytest.raises(NotImplementedError):
        np.save("x.npy", masked)
    assert not isinstance(np.load(io.BytesIO(raw(masked))), np.ma.MaskedArray)
    with pytest.raises(TypeError):
        sn.save("x.npy", masked)


@difference("spellings that other programs write")
def _():
    data = raw(np.arange(3)).replace(b"'<i8'", b"'int64'").replace(b"  \n", b"\n")
    data = data[:8] + (len(data) - 24 - 10).to_bytes(2, "little") + data[10:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.load(io.BytesIO(data)).tolist() == [0, 1, 2]
    with pytest.raises(sn.Refused):
        sn.load(data)
    assert sn.load(data, limits=sn.Limits(compat=("type-names",))).tolist() == [0, 1, 2]


def test_every_row_of_the_table_has_its_test():
    assert list(DIFFERENCES) == ROWS


@pytest.mark.filterwarnings("ignore:Stored array in format")
@pytest.mark.parametrize("row", ROWS)
def test_the_difference(row):
    DIFFERENCES[row]()
