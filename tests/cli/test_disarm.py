"""`convert --disarm`: object arrays as plain values. That values stay equal, tests/oracle/test_rewrite.py shows for payloads.

Nothing is loaded here that was not disarmed.                                                              NPY-PKL-022, NPY-PKL-028
"""

import io
import pickle
import subprocess
import zipfile

import numpy
import pytest

VALUES = {"a": [1, "x", (2.5, None)], "b": numpy.arange(6, dtype=">i2").reshape(2, 3)}


class Call:
    """What is no value."""

    def __reduce__(self):
        return print, ("called",)


def saved(*elements, shape=None):
    array = numpy.empty(len(elements), object)
    array[:] = elements
    file = io.BytesIO()
    numpy.save(file, array if shape is None else array.reshape(shape), allow_pickle=True)
    return file.getvalue()


GOOD, BAD = saved(VALUES, VALUES), saved(1, Call())
NUMBERS = io.BytesIO()
numpy.save(NUMBERS, numpy.arange(3))
NUMBERS = NUMBERS.getvalue()


@pytest.fixture
def run(safenpy, tmp_path):
    def call(*words, **more):
        done = subprocess.run([safenpy, "convert", "--disarm", *words], cwd=tmp_path, capture_output=True, check=False, **more)
        return done.returncode, done.stdout, done.stderr.decode()
    return call


def same(array):
    first, second = array
    return first is second and first["a"] == VALUES["a"] and (first["b"] == VALUES["b"]).all() and first["b"].shape == (2, 3)


@pytest.mark.parametrize("words", [(), ("--protocol", "2"), ("--protocol", "3"), ("--protocol", "4"), ("--protocol", "5")], ids=" ".join)
def test_numpy_loads_equal_values(run, tmp_path, words):
    (tmp_path / "in.npy").write_bytes(GOOD)
    assert run(*words, "in.npy", "out.npy") == (0, b"", "")
    out = (tmp_path / "out.npy").read_bytes()
    assert out[:128] == GOOD[:128] and out[128:130] == bytes([0x80, int(words[1]) if words else 4])
    assert same(numpy.load(tmp_path / "out.npy", allow_pickle=True))
    assert run(*words, "out.npy", "out.npy") == (0, b"", "")
    assert (tmp_path / "out.npy").read_bytes() == out


def test_pipes(run):
    code, out, said = run("-", "-", input=GOOD)
    assert (code, said) == (0, "") and same(numpy.load(io.BytesIO(out), allow_pickle=True))
    code, out, said = run("-", "-", input=BAD)
    assert code == 1 and out[128:] == b"" and "[NPY-PKL-011]" in said


def test_names_of_numpy_2(run, tmp_path):
    (tmp_path / "in.npy").write_bytes(GOOD)
    assert run("--numpy", "2", "in.npy", "2.npy")[0] == 0 and run("--numpy", "1", "2.npy", "1.npy")[0] == 0
    assert b"numpy._core.multiarray" in (tmp_path / "2.npy").read_bytes()
    assert b"numpy._core" not in (tmp_path / "1.npy").read_bytes()


def test_what_is_refused_leaves_the_old_file(run, tmp_path):
    (tmp_path / "in.npy").write_bytes(BAD)
    (tmp_path / "old.npy").write_bytes(b"old")
    (tmp_path / "old.npy").chmod(0o640)
    code, _, said = run("in.npy", "old.npy")
    at = BAD.index(b"print") - 2
    assert code == 1 and said.startswith("safenpy: in.npy: the pickle names a class or function that is not on the list of values at byte ")
    assert "[NPY-PKL-011]" in said and abs(int(said.split("at byte ")[1].split()[0]) - at) < 32
    assert (tmp_path / "old.npy").read_bytes() == b"old" and (tmp_path / "old.npy").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy", "old.npy"]


@pytest.mark.parametrize("data, rule", [(GOOD[:80].replace(b"(2,)", b"(3,)") + GOOD[80:], "NPY-PKL-022"), (GOOD + b"x", "NPY-PKL-006"),
                                        (GOOD[:-1], "NPY-PKL-002")], ids=["shape", "trailing", "short"])
def test_payloads_of_another_array(run, tmp_path, data, rule):
    (tmp_path / "in.npy").write_bytes(data)
    code, _, said = run("in.npy", "out.npy")
    assert code == 1 and rule in said and not (tmp_path / "out.npy").exists()


def test_arrays_without_objects_stay(run, tmp_path):
    (tmp_path / "in.npy").write_bytes(NUMBERS)
    assert run("in.npy", "out.npy") == (0, b"", "") and (tmp_path / "out.npy").read_bytes() == NUMBERS


def archive(path, *members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in members:
            target.writestr(name, data)


@pytest.mark.parametrize("words", [(), ("--canonical",), ("--store",)], ids=" ".join)
def test_archives(run, tmp_path, words):
    archive(tmp_path / "in.npz", ("a.npy", GOOD), ("n.npy", NUMBERS), ("note.txt", b"text"))
    assert run(*words, "in.npz", "out.npz") == (0, b"", "")
    with zipfile.ZipFile(tmp_path / "out.npz") as target:
        assert target.namelist() == ["a.npy", "n.npy", "note.txt"]
        assert (target.read("n.npy"), target.read("note.txt")) == (NUMBERS, b"text")
    with numpy.load(tmp_path / "out.npz", allow_pickle=True) as loaded:
        assert same(loaded["a"])
    out = (tmp_path / "out.npz").read_bytes()
    assert run(*words, "out.npz", "again.npz")[0] == 0 and (tmp_path / "again.npz").read_bytes() == out


def test_a_bad_member_refuses_all(run, tmp_path):
    archive(tmp_path / "in.npz", ("a.npy", GOOD), ("b.npy", BAD))
    (tmp_path / "out.npz").write_bytes(b"old")
    code, _, said = run("in.npz", "out.npz")
    assert code == 1 and said.startswith("safenpy: in.npz: b.npy: reject: ") and "NPY-PKL-011" in said
    assert (tmp_path / "out.npz").read_bytes() == b"old"


@pytest.mark.parametrize("words, fault", [(("--protocol", "6"), "a protocol: use 2 to 5"), (("--protocol", "44"), "a protocol: use 2 to 5"),
                                          (("--numpy", "3"), "use 1 or 2"), (("--all-arrays",), "contradict")], ids=" ".join)
def test_wrong_options(run, words, fault):
    code, _, said = run(*words, "in.npy", "out.npz")
    assert code == 2 and fault in said


def test_forms_need_disarm(safenpy):
    done = subprocess.run([safenpy, "convert", "--protocol", "4", "a", "b"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "with --disarm" in done.stderr


def test_the_pickle_is_one_for_python(run, tmp_path):
    """Not only NumPy reads it: the payload alone is a pickle."""
    (tmp_path / "in.npy").write_bytes(GOOD)
    assert run("in.npy", "out.npy")[0] == 0
    assert same(pickle.loads((tmp_path / "out.npy").read_bytes()[128:]))
