"""convert --canonical of an archive: each array gets the header that NumPy writes, everything else stays."""

import io
import subprocess
import zipfile

import numpy
import pytest


def npy(text, data, version=1):
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def saved(array):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


DATA = numpy.arange(6, dtype="<i4")
ODD = npy(b"{'shape':(2,3),'fortran_order':False,'descr':'<i4'}", DATA.tobytes())
WIDE = npy(b"{'descr': '<i4', 'fortran_order': True, 'shape': (6,), }\n", DATA.tobytes(), version=2)
OBJECTS = saved(numpy.array([1, None], dtype=object))
PICKLE = OBJECTS[128:]
MEMBERS = [("odd.npy", ODD, saved(DATA.reshape(2, 3))), ("wide.npy", WIDE, saved(DATA)), ("notes.txt", b"text", b"text"),
           ("fake.npy", b"no array", b"no array"), ("plain.npy", saved(DATA), saved(DATA)), ("unnamed", ODD, saved(DATA.reshape(2, 3))),
           ("none.npy", npy(b"{'descr':'<f8','fortran_order':False,'shape':(0,)}", b""), saved(numpy.zeros(0))),
           ("objects.npy", npy(b"{'descr':'|O','fortran_order':False,'shape':(2,)}", PICKLE), OBJECTS), ("dir/", b"", b"")]


@pytest.fixture
def convert(safenpy, tmp_path):
    def call(members, *options, mode=zipfile.ZIP_DEFLATED):
        """Exit status, messages, and the members of the new archive."""
        with zipfile.ZipFile(tmp_path / "in.npz", "w", mode) as archive:
            for name, data in members:
                archive.writestr(name, data)
        done = subprocess.run([safenpy, "convert", "--canonical", *options, "in.npz", "out.npz"], cwd=tmp_path,
                              capture_output=True, check=False)
        if not (tmp_path / "out.npz").exists():
            return done.returncode, done.stderr.decode(), None
        with zipfile.ZipFile(tmp_path / "out.npz") as archive:
            return done.returncode, done.stderr.decode(), [(info.filename, archive.read(info), info.compress_type)
                                                           for info in archive.infolist()]
    return call


@pytest.mark.parametrize("options, mode, wanted", [((), 0, 0), ((), 8, 8), (("--store",), 8, 0), (("--deflate", "--threads", "2"), 0, 8)])
def test_members(convert, safenpy, tmp_path, options, mode, wanted):
    code, said, found = convert([(name, old) for name, old, _ in MEMBERS], *options, mode=mode)
    assert (code, said) == (0, "")
    assert [(name, data) for name, data, _ in found] == [(name, new) for name, _, new in MEMBERS]
    assert {method for name, _, method in found if name != "dir/"} == {wanted}
    assert subprocess.run([safenpy, "check", "-q", "--profile", "canonical", "out.npz"], cwd=tmp_path, check=False).returncode == 0


def test_repairs_are_reported(convert):
    bad = npy(b"{'descr': '<i4', 'fortran_order': 0, 'shape': [2, 3]}\n", DATA.tobytes())
    assert convert([("a.npy", bad)])[::2] == (1, None)
    code, said, found = convert([("a.npy", bad), ("b.npy", ODD)], "--compat", "all")
    assert (code, found[0][1], found[1][1]) == (0, saved(DATA.reshape(2, 3)), saved(DATA.reshape(2, 3)))
    assert [line.split(" at byte ")[0] for line in said.splitlines()] == [
        f"safenpy: in.npz:a.npy: fixed {flag}" for flag in ("int-fortran-order", "list-shape")]


def test_platform_floats_have_no_canonical_spelling(convert):
    one = npy(b"{'descr': '<f12', 'fortran_order': False, 'shape': (1,), }\n", bytes(12))
    code, said, found = convert([("a.npy", one), ("b.npy", ODD)], "--compat", "platform-float")
    assert (code, len(found)) == (1, 2)
    assert said.startswith("safenpy: in.npz:a.npy: left as it is, platform-float at byte ")


@pytest.mark.parametrize("data, rule", [
    (ODD[:-1], "NPY-DATA-001"), (ODD + b"xy", "NPY-DATA-002"), (npy(b"{'descr': '<i4'}", b""), "NPY-HDR-003"), (OBJECTS[:128], "NPY-DATA-003")], ids=["short", "long", "key", "objects"])
def test_a_bad_member_refuses_all(convert, data, rule):
    code, said, found = convert([("good.npy", ODD), ("a.npy", data)])
    assert (code, found) == (1, None)
    assert said.startswith("safenpy: in.npz: a.npy: reject: ") and rule in said


def test_the_limit_on_data_holds(convert):
    assert convert([("a.npy", ODD)], "--max-data-bytes", "23")[::2] == (1, None)
    assert convert([("a.npy", ODD)], "--max-data-bytes", "24")[0] == 0
