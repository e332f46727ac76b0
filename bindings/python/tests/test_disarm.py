"""Object arrays that are saved, and written anew as plain values: NumPy loads what it would have loaded, and files are whole or not there."""

import io
import pickle
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import safenpy as sn
from test_objects import Unpickler, same, values

COMMAND = Path(sys.executable).parent / "safenpy"


def box(one):
    made = np.empty((), object)
    made[()] = one
    return made


def with_members(array, path="m.npz"):
    """An archive with an object array, an array of numbers, a file that is no array and a folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("o.npy", npy(array))
        out.writestr(zipfile.ZipInfo("n.npy"), npy(np.arange(5)))
        out.writestr("note.txt", b"hello")
        out.writestr("folder/", b"")
    return Path(path)


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array)
    return out.getvalue()


@pytest.mark.parametrize(("protocol", "numpy"), [(4, 1), (2, 1), (5, 2)])
def test_the_suite_is_written_as_by_the_command(corpus, protocol, numpy):
    files = sorted((corpus / "objects" / "accept").glob("**/*.npy"))
    for file in files[::1 if protocol == 4 else 7]:
        done = subprocess.run([COMMAND, "convert", "--disarm", "--protocol", str(protocol), "--numpy", str(numpy), file, "by-command.npy"],
                              check=False, capture_output=True, text=True)
        try:
            sn.disarm(file, "by-us.npy", protocol=protocol, numpy=numpy)
        except sn.Refused as refusal:
            assert done.returncode == 1, file
            assert refusal.rule in done.stderr
            assert f"byte {refusal.offset}" in done.stderr
            continue
        assert done.returncode == 0, file
        made = Path("by-us.npy").read_bytes()
        assert made == Path("by-command.npy").read_bytes(), file
        out = io.BytesIO()
        sn.disarm(file.read_bytes(), out, protocol=protocol, numpy=numpy)
        assert out.getvalue() == made
    assert len(files) > 300


def test_archives_are_written_as_by_the_command(corpus):
    array = box({"a": [1, 2], "b": np.arange(3)})
    files = [with_members(array), *sorted((corpus / "objects" / "accept").glob("**/*.npz"))]
    for file in files:
        subprocess.run([COMMAND, "convert", "--disarm", file, "by-command.npz"], check=True)
        sn.disarm(file, "by-us.npz")
        assert Path("by-us.npz").read_bytes() == Path("by-command.npz").read_bytes(), file
    sn.disarm("m.npz", "m.npz")
    with zipfile.ZipFile("m.npz") as made:
        assert made.namelist() == ["o.npy", "n.npy", "note.txt", "folder/"]
        assert made.read("note.txt") == b"hello"
        assert [one.compress_type for one in made.infolist()[:2]] == [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]
    with np.load("m.npz", allow_pickle=True) as loaded:
        assert same(loaded["o"], array)
        assert same(loaded["n"], np.arange(5))


@pytest.mark.parametrize("target", ["path", "file", "memory"])
@pytest.mark.parametrize("source", ["path", "file", "bytes", "memory"])
def test_every_way_in_and_out(source, target):
    array = np.array([{"a": (1, 2)}, None, [np.float32(1)]], object)
    for original in (npy(array), with_members(array).read_bytes()):
        Path("in").write_bytes(original)
        into = {"path": "out", "file": None, "memory": io.BytesIO()}[target] or open("out", "wb")
        given = {"path": "in", "file": None, "bytes": original, "memory": io.BytesIO(original)}[source] or open("in", "rb")
        sn.disarm(given, into)
        if target == "file":
            into.close()
        made = into.getvalue() if target == "memory" else Path("out").read_bytes()
        loaded = np.load(io.BytesIO(made), allow_pickle=True)
        assert same(loaded if isinstance(loaded, np.ndarray) else loaded["o"], array)


def test_arrays_without_objects_stay():
    sn.save("n.npy", np.eye(3))
    sn.disarm("n.npy", "n.npy")
    assert same(np.load("n.npy"), np.eye(3))


def test_what_is_refused_leaves_the_old_file():
    Path("out").write_bytes(b"old")
    bad = npy(box(Counter("abc")))
    with pytest.raises(sn.Refused) as refusal:
        sn.disarm(bad, "out")
    assert refusal.value.rule == "NPY-PKL-011"
    assert bad[refusal.value.offset:refusal.value.offset + 1] in (b"c", b"\x93")
    with zipfile.ZipFile("m.npz", "w") as archive:
        archive.writestr("first.npy", npy(np.arange(3)))
        archive.writestr("bad.npy", bad)
    with pytest.raises(sn.Refused) as refusal:
        sn.disarm("m.npz", "out")
    assert (refusal.value.member, refusal.value.path, refusal.value.rule) == ("bad.npy", "m.npz", "NPY-PKL-011")
    for damaged in (bad[:20], bad[:200], Path("m.npz").read_bytes()[:-9], b"", b"PK\x03\x04"):
        with pytest.raises((sn.Refused, OSError)):
            sn.disarm(damaged, "out")
    with pytest.raises(ValueError, match="protocol"):
        sn.disarm(bad, "out", protocol=6)
    with pytest.raises(FileNotFoundError) as missing:
        sn.disarm(npy(box([])), "none/out")
    assert missing.value.filename == "none/out"
    assert Path("out").read_bytes() == b"old"
    assert sorted(path.name for path in Path().iterdir()) == ["m.npz", "out"]


def test_saved_values_are_those_that_numpy_saves():
    array = np.empty(len(values()), object)
    array[:] = values()
    shapes = (array, np.asfortranarray(array[:40].reshape(5, 8)), array[3:4].reshape(()), array[:0], box({"w": np.eye(2)}),
              np.array([(1, {"a": 2})], [("n", "i8"), ("o", "O")]), np.ma.array([[1], None, {}], object, mask=[0, 1, 0]))
    for one in shapes:
        np.save("n.npy", one, allow_pickle=True)
        sn.save("o.npy", one, objects="plain")
        made = np.load("o.npy", allow_pickle=True)
        assert same(made, np.load("n.npy", allow_pickle=True))
        assert made.flags.f_contiguous == one.flags.f_contiguous
        assert same(sn.load("o.npy", objects="plain"), made)
        head = Path("n.npy").read_bytes()[:sn.header("n.npy").data_offset]
        assert Path("o.npy").read_bytes().startswith(head)
        out = io.BytesIO()
        sn.save(out, one, objects="plain")
        assert out.getvalue() == Path("o.npy").read_bytes()
        before = out.getvalue()
        sn.disarm(before, "again.npy")
        assert Path("again.npy").read_bytes() == before


def test_the_same_values_are_the_same_bytes():
    text = "".join(["k", "ey"])
    files = []
    for one in ({"key": ["key", 1.5]}, {text: ["key", 1.5]}):
        sn.save("o.npy", one, objects="data")
        files.append(Path("o.npy").read_bytes())
    assert files[0] == files[1]


class Own:
    pass


def test_other_values_cannot_be_saved():
    Path("o.npy").write_bytes(b"old")
    for value, name in ((Own(), "test_disarm.Own"), (Counter("a"), "collections.Counter"), (len, "builtins.len"), (np.float64, "numpy.float64")):
        with pytest.raises(TypeError, match=name):
            sn.save("o.npy", box(value), objects="plain")
    for value in (lambda: 0, type("Local", (), {})()):
        with pytest.raises(TypeError, match="cannot be saved"):
            sn.save("o.npy", box(value), objects="plain")
    with pytest.raises(TypeError, match="NPY-PKL-012"):
        sn.save("o.npy", box({1, 2}), objects="data")
    with pytest.raises(sn.Refused) as refusal:
        sn.save("o.npy", box([1]))
    assert refusal.value.status == "SNPY_OBJECT_DATA"
    with pytest.raises(ValueError, match="objects"):
        sn.save("o.npy", box([1]), objects="all")
    assert Path("o.npy").read_bytes() == b"old"


def test_arrays_of_numbers_are_saved_as_ever():
    sn.save("a.npy", np.arange(3), objects="plain")
    sn.save("b.npy", np.arange(3))
    assert Path("a.npy").read_bytes() == Path("b.npy").read_bytes()


def test_archives_of_objects():
    array = np.array([{"a": 1}, [2]], object)
    sn.savez("o.npz", array, n=np.arange(2), objects="data")
    sn.savez_compressed("c.npz", array, n=np.arange(2), objects="plain")
    for name in ("o.npz", "c.npz"):
        with sn.load(name, objects="data") as archive:
            assert same(archive["arr_0"], array)
            assert same(archive["n"], np.arange(2))
        before = Path(name).read_bytes()
        sn.disarm(name, name)
        with np.load(name, allow_pickle=True) as archive:
            assert same(archive["arr_0"], array)
        with zipfile.ZipFile(name) as one, zipfile.ZipFile(io.BytesIO(before)) as other:
            assert [one.read(key) for key in one.namelist()] == [other.read(key) for key in other.namelist()]
    with pytest.raises(sn.Refused):
        sn.savez("n.npz", array)
    with pytest.raises(ValueError, match="objects"):
        sn.savez("n.npz", array, objects=np.arange(3))
    assert not Path("n.npz").exists()


def test_patched_saves_plain_values():
    array = np.array([{"a": 1}, [2]], object)
    with sn.patched():
        np.save("o.npy", array)
        np.savez("o.npz", o=array, n=np.arange(2))
        np.savez_compressed("c.npz", array)
        with pytest.raises(TypeError, match="test_disarm.Own"):
            np.savez("bad.npz", box(Own()))
        with pytest.raises(sn.Refused):
            np.save("bad.npy", array, allow_pickle=False)
        assert same(np.load("o.npy", allow_pickle=True), array)
    assert not Path("bad.npz").exists()
    for name, key in (("o.npz", "o"), ("c.npz", "arr_0")):
        with np.load(name, allow_pickle=True) as archive:
            assert same(archive[key], array)


def test_nothing_else_is_asked_for(corpus):
    """What is written asks an unpickler for the globals of the specification only, whoever wrote the file before."""
    asked = set()

    class Tracing(Unpickler):
        def find_class(self, module, name):
            asked.add((module, name))
            return super().find_class(module, name)

    for file in sorted((corpus / "objects" / "accept").glob("**/*.npy")):
        out = io.BytesIO()
        try:
            sn.disarm(file, out)
        except sn.Refused:
            continue
        data = out.getvalue()
        for need in sn.objects(data):
            assert need.fits in ("data", "plain")
        try:
            Tracing(io.BytesIO(data[sn.header(data).data_offset:]), encoding="latin1").load()
        except (AttributeError, ImportError, ValueError):
            continue    # of another NumPy
    assert ("numpy", "ndarray") in asked
    text = (corpus.parent / "spec" / "objects.md").read_text()
    for module, name in asked:
        assert f"`{module} {name}`" in text, (module, name)


def test_values_of_every_protocol_become_one_file():
    array = box({"a": [1, "x", b"y", 2.5], "b": (None, True)})
    head = npy(array)[:sn.header(npy(array)).data_offset]
    made = set()
    for protocol in range(1, 6):    # 0 has numbers as text, which stays
        out = io.BytesIO()
        sn.disarm(head + pickle.dumps(array, protocol), out)
        made.add(out.getvalue())
    assert len(made) == 1


@pytest.mark.parametrize("protocol", [2, 4])
def test_dtypes_are_written_as_the_reader_needs_them(protocol):
    """NumPy 1 cannot use a time with None for metadata, nor read flags above 127; NumPy 2 writes both."""
    aligned = np.zeros(2, np.dtype("i1,f8", align=True))
    array = box([np.array(["2020-01-01"], "M8[ns]"), aligned])
    head = npy(array)[:sn.header(npy(array)).data_offset]
    payload = pickle.dumps(array, protocol)
    made = {}
    for numpy in (1, 2):
        out = io.BytesIO()
        sn.disarm(head + payload, out, protocol=protocol, numpy=numpy)
        made[numpy] = out.getvalue()[len(head):]
        for other in (1, 2):
            again = io.BytesIO()
            sn.disarm(out.getvalue(), again, protocol=protocol, numpy=other)
            assert other not in made or again.getvalue()[len(head):] == made[other]
    assert b"J\x90\xff\xff\xfft" in made[1] and b"K\x00(}(" in made[1]
    assert b"K\x90t" in made[2] and b"K\x00(N(" in made[2]
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert pickle.loads(made[2]).item()[1].dtype.isalignedstruct
    moment = pickle.loads(made[1]).item()[0]
    assert not moment.dtype.metadata
    np.save("again.npy", moment)
    assert same(np.load("again.npy"), array.item()[0])
