"""Loading: every kind of source, limits, errors, and file objects that lie."""

import ctypes
import errno
import gzip
import io
import os
import socket
import threading

import numpy as np
import pytest
import safenpy as sn

ARRAYS = {
    "scalar": np.array(3.5),
    "ints": np.arange(6, dtype=">i4").reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.zeros((0, 4), "u2"),
    "text": np.array(["a", "bcé"]),
    "bytes": np.array([b"a", b"bc"]),
    "times": np.array(["2001-01-01"], "M8[25s]"),
    "record": np.array([(1, (2.0, 3.0))], [("a", "<i2"), ("b", "<f8", (2,))]),
    "half": np.arange(3, dtype="f2"),
    "complex": np.array([1j, 2]),
    "longdouble": np.array([1.5], np.longdouble),
}


def raw(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def same(one, other):
    assert one.dtype == other.dtype and one.shape == other.shape
    assert one.tobytes("A") == other.tobytes("A")
    assert one.flags.f_contiguous == other.flags.f_contiguous


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_the_same_from_every_source(name):
    array = ARRAYS[name]
    data = raw(array)
    with open("x.npy", "wb") as file:
        file.write(data)
    with open("x.npy.gz", "wb") as file:
        file.write(gzip.compress(data))
    for source in ("x.npy", os.path.abspath("x.npy"), data, bytearray(data), memoryview(data), io.BytesIO(data)):
        same(sn.load(source), array)
    for opened in (open("x.npy", "rb"), open("x.npy", "rb", buffering=0), gzip.open("x.npy.gz", "rb")):
        with opened as file:
            same(sn.load(file), array)
    if array.size:
        same(sn.load("x.npy", mmap_mode="r"), array)


def test_bytes_are_not_copied_and_stay_as_read_only_as_they_are():
    data = bytearray(raw(np.arange(4)))
    array = sn.load(data)
    array[0] = 7
    assert sn.load(bytes(data))[0] == 7
    with pytest.raises(BufferError):
        data.append(0)  # the array looks into it
    assert not sn.load(bytes(data)).flags.writeable


def test_arrays_outlive_what_they_were_loaded_from():
    array = sn.load(raw(np.arange(1000)))
    assert array.sum() == 499500
    np.save("x.npy", np.arange(1000))
    mapped = sn.load("x.npy", mmap_mode="r")
    os.remove("x.npy")
    assert mapped.sum() == 499500


def test_a_file_object_is_left_at_the_byte_after_the_array():
    both = raw(np.arange(3)) + raw(np.eye(2)) + b"rest"
    for file in (io.BytesIO(both), gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(both)))):
        same(sn.load(file), np.arange(3))
        same(sn.load(file), np.eye(2))
        assert file.read() == b"rest"
        with pytest.raises(EOFError):
            sn.load(file)


def test_a_socket_is_read_as_its_bytes_arrive():
    ours, theirs = socket.socketpair()
    data = raw(np.arange(50_000))

    def send():
        for at in range(0, len(data), 1000):
            theirs.sendall(data[at:at + 1000])

    thread = threading.Thread(target=send)
    thread.start()
    with ours, theirs, ours.makefile("rb") as file:
        same(sn.load(file), np.arange(50_000))
        thread.join()


def test_a_pipe_by_its_path():
    os.mkfifo("pipe")
    data = raw(np.arange(1000))

    def send():
        with open("pipe", "wb") as file:
            file.write(data)

    thread = threading.Thread(target=send)
    thread.start()
    same(sn.load("pipe"), np.arange(1000))
    thread.join()


def test_refusals_say_what_and_where():
    data = raw(np.arange(3)).replace(b"(3,)", b"(-3,)")
    with pytest.raises(sn.Refused) as caught:
        sn.load(data)
    assert (caught.value.status, caught.value.rule) == ("SNPY_SIGNED_DIMENSION", "NPY-LIT-018") or \
        caught.value.rule == "NPY-LIT-018"
    assert data[caught.value.offset:caught.value.offset + 1] == b"-"
    assert caught.value.hint in str(caught.value)
    with open("x.npy", "wb") as file:
        file.write(data)
    with pytest.raises(sn.Refused, match="x.npy: .* at byte"):
        sn.load("x.npy")


@pytest.mark.parametrize("data, name, words", [
    (b"<!DOCTYPE html><html>", "html", "an HTML page"), (gzip.compress(b"x"), "gzip", "gzip -d"),
    (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs", "git lfs pull"), (b"\xff" * 600, None, "magic"),
])
def test_a_file_of_another_format_is_called_what_it_looks_like(data, name, words):
    with open("x.npy", "wb") as file:
        file.write(data)
    for source in ("x.npy", data, io.BytesIO(data), OnlyRead(data), open("x.npy", "rb")):
        verdict = sn.check(source)
        assert (verdict.status, verdict.looks_like) == ("SNPY_BAD_MAGIC", name)
        assert words in f"{verdict.message} {verdict.hint}"
    for source in ("x.npy", data):
        with pytest.raises(sn.Refused) as caught:
            sn.load(source)
        assert (caught.value.looks_like, caught.value.message, caught.value.hint) == (name, verdict.message, verdict.hint)
        assert words in str(caught.value)
    assert sn.check(raw(np.arange(3))).looks_like is None
    assert sn.check(b"").looks_like is None


def test_refusals_can_be_pickled():
    import pickle

    with pytest.raises(sn.Refused) as caught:
        sn.load(b"")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.status, copy.offset, str(copy)) == (caught.value.status, caught.value.offset, str(caught.value))


@pytest.mark.parametrize("cut", [0, 1, 5, 6, 9, 10, 50, 127, 128, 130, 151])
def test_truncation_is_refused_at_the_length_on_every_path(cut):
    data = raw(np.arange(3))[:cut]
    with open("x.npy", "wb") as file:
        file.write(data)
    for source in ("x.npy", data, io.BytesIO(data), open("x.npy", "rb")):
        with pytest.raises(sn.Refused) as caught:
            sn.load(source)
        assert caught.value.status.startswith("SNPY_TRUNCATED") or cut < 6
        assert caught.value.offset in (cut, 0)


def test_trouble_of_the_system_is_an_oserror():
    with pytest.raises(FileNotFoundError) as caught:
        sn.load("missing.npy")
    assert caught.value.filename == "missing.npy"
    os.mkdir("folder")
    for call in (sn.load, sn.check, sn.header):
        with pytest.raises(IsADirectoryError):
            call("folder")
    with pytest.raises(OSError) as caught:
        sn.load("x" * 5000)
    assert caught.value.errno == errno.ENAMETOOLONG


def test_objects_are_refused_and_never_unpickled():
    class Bomb:
        def __reduce__(self):
            return os.mkdir, ("exploded",)

    np.save("o.npy", np.array([Bomb()], object), allow_pickle=True)
    with pytest.raises(sn.Refused) as caught:
        sn.load("o.npy")
    assert caught.value.status == "SNPY_OBJECT_DATA"
    for options in ({"allow_pickle": True}, {"objects": "plain"}):
        with pytest.raises(sn.Refused) as caught:
            sn.load("o.npy", **options)
        assert caught.value.status == "SNPY_PKL_GLOBAL"
    with pytest.raises(ValueError):
        sn.load("o.npy", objects="all")
    assert sn.header("o.npy").has_object and sn.header("o.npy").nbytes is None
    assert not os.path.exists("exploded")


def test_objects_without_a_pickle_are_refused_for_that_on_every_path():
    np.save("o.npy", np.array([None]), allow_pickle=True)
    data = open("o.npy", "rb").read()[:128]
    with open("o.npy", "wb") as file:
        file.write(data)
    for source in ("o.npy", data, io.BytesIO(data), OnlyRead(data)):
        with pytest.raises(sn.Refused) as caught:
            sn.load(source)
        assert (caught.value.rule, caught.value.offset) == ("NPY-DATA-003", 128)
    with pytest.raises(sn.Refused) as caught:
        sn.load("o.npy", mmap_mode="r")
    assert caught.value.rule == "NPY-DATA-003"


def test_a_large_claim_takes_no_memory():
    import resource

    data = raw(np.arange(3)).replace(b"(3,)", b"(9999999999999,)")[:128 + 24]
    header = sn.header(raw(np.zeros(0)))
    assert header.shape == (0,)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    claim = data[:10] + data[10:128].replace(b"          \n", b"\n").ljust(118) + bytes(24)
    for source in (claim, io.BytesIO(claim), OnlyRead(claim)):
        with pytest.raises((sn.Refused, MemoryError)):
            sn.load(source)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


class OnlyRead:
    """A file object with nothing but read."""

    def __init__(self, data, piece=7):
        self.file = io.BytesIO(data)
        self.piece = piece

    def read(self, size):
        return self.file.read(min(size, self.piece))


class Hostile:
    """A file object that answers read and readinto as it is told."""

    def __init__(self, answer):
        self.answer = answer

    def readinto(self, view):
        return self.answer(view)


def test_short_reads_are_read_on():
    same(sn.load(OnlyRead(raw(np.arange(100)))), np.arange(100))


@pytest.mark.parametrize("answer", [
    lambda view: -1, lambda view: len(view) + 1, lambda view: "3", lambda view: 1 << 80, lambda view: 2.0,
])
def test_a_file_object_cannot_lie_about_what_it_has_read(answer):
    with pytest.raises(TypeError):
        sn.load(Hostile(answer))


def test_a_file_object_may_raise_and_reenter():
    def fails(view):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        sn.load(Hostile(fails))

    data = io.BytesIO(raw(np.arange(3)))

    def reenters(view):
        same(sn.load(raw(np.eye(3))), np.eye(3))
        return data.readinto(view)

    same(sn.load(Hostile(reenters)), np.arange(3))


def test_a_file_object_may_keep_the_buffer():
    data = io.BytesIO(raw(np.arange(3)))
    kept = []

    def keeps(view):
        kept.append(view)
        return data.readinto(view)

    class Keeper(Hostile):
        pass

    try:
        array = sn.load(Keeper(keeps))
    except (BufferError, ValueError):
        return  # refused: somebody else holds the memory
    for view in kept:
        try:
            view[:1] = b"\xff"
        except ValueError:
            pass  # released
    assert array.shape == (3,)


def test_text_files_and_other_things_are_type_errors():
    with pytest.raises(TypeError):
        sn.load(io.StringIO("x" * 20))
    for nonsense in (3, None, [1], object()):
        with pytest.raises(TypeError):
            sn.load(nonsense)


def test_limits_hold_on_every_path():
    data = raw(np.zeros(1000))
    with open("x.npy", "wb") as file:
        file.write(data)
    small = sn.Limits(max_data=7999)
    for source in ("x.npy", data, io.BytesIO(data)):
        with pytest.raises(sn.Refused) as caught:
            sn.load(source, limits=small)
        assert caught.value.status == "SNPY_DATA_TOO_LARGE"
        sn.load(source if not hasattr(source, "seek") else io.BytesIO(data), limits=small.replace(max_data=8000))
        with pytest.raises(sn.Refused):
            sn.load(source if not hasattr(source, "seek") else io.BytesIO(data), max_header_size=100)
    with pytest.raises(sn.Refused):
        sn.load("x.npy", mmap_mode="r", limits=small)
    with pytest.raises(ValueError):
        sn.Limits(max_data=-1)
    with pytest.raises(ValueError):
        sn.Limits(compat=("nonsense",))


def test_compatibility_flags():
    data = raw(np.arange(3)).replace(b"(3,)", b"[3] ")
    with pytest.raises(sn.Refused):
        sn.load(data)
    same(sn.load(data, limits=sn.Limits(compat=("list-shape",))), np.arange(3))


def test_untrusted_refuses_what_a_service_must_not_let_in():
    data = raw(np.arange(3))
    for source in (data + b"x", io.BytesIO(data + b"x")):
        with pytest.raises(sn.Refused) as caught:
            sn.load(source, limits=sn.UNTRUSTED)
        assert caught.value.status == "SNPY_TRAILING_DATA"
        assert caught.value.offset == len(data)
    same(sn.load(data + b"x"), np.arange(3))


def test_a_header_comes_from_the_first_bytes():
    data = raw(ARRAYS["ints"])
    header = sn.header(data[:128], file_size=len(data))
    assert (header.shape, header.dtype, header.order, header.version) == ((2, 3), np.dtype(">i4"), "C", (1, 0))
    assert (header.nbytes, header.size, header.itemsize, header.data_offset) == (24, 6, 4, 128)
    with pytest.raises(sn.Refused):
        sn.header(data[:128], file_size=len(data) - 1)
    with pytest.raises(sn.Refused) as caught:
        sn.header(data[:100])
    assert caught.value.status == "SNPY_TRUNCATED_HEADER"
    assert sn.header(io.BytesIO(data)).shape == (2, 3)


def test_simple_dtypes_are_cached_and_those_of_records_belong_to_their_array():
    record = raw(np.zeros(2, [("a", "<i4"), ("b", [("c", "<f8")])]))
    loaded = sn.load(record)
    loaded.dtype.names = ("x", "y")
    loaded.dtype["y"].names = ("z",)
    assert sn.load(record).dtype == sn.header(record).dtype == np.dtype([("a", "<i4"), ("b", [("c", "<f8")])])
    assert sn.header(raw(np.zeros(1, "M8[25s]"))).dtype is sn.header(raw(np.zeros(2, "M8[25s]"))).dtype


def test_twenty_thousand_generated_dtypes_equal_those_of_numpy():
    import random

    random.seed(29)
    simple = ["<f8", ">i4", "|u1", "|b1", "<U3", "|S5", "<M8[ns]", ">m8[3D]", "<c16", "<f2", "|V7", ">U2", "<f16"]
    names = iter(f"n{i}é" if i % 5 == 0 else f"n{i}" for i in range(10**7))

    def make(depth):
        if depth == 0 or random.random() < 0.5:
            return np.dtype(random.choice(simple))
        fields = []
        for _ in range(random.randint(1, 4)):
            name = next(names)
            name = (f"t{name}", name) if random.random() < 0.2 else name
            kind = make(depth - 1)
            shape = tuple(random.randint(1, 3) for _ in range(random.randint(0, 2)))
            fields.append((name, kind, shape) if shape else (name, kind))
        return np.dtype(fields, align=random.random() < 0.3)

    for _ in range(20_000):
        dtype = make(3)
        about = sn.header(_header_of(dtype))
        assert about.dtype == np.lib.format.descr_to_dtype(np.lib.format.dtype_to_descr(dtype)), dtype


def _header_of(dtype):
    text = repr({"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (2,)}).encode() + b"\n"
    return b"\x93NUMPY\x03\x00" + len(text).to_bytes(4, "little") + text


def test_without_numpy_an_array_is_a_typed_memoryview():
    import subprocess
    import sys

    np.save("x.npy", np.arange(6, dtype="<i4").reshape(2, 3))
    np.save("f.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    np.save("r.npy", ARRAYS["record"])
    program = """
import sys
sys.modules["numpy"] = None
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numpy" else real(name, *rest)
import safenpy as sn
view = sn.load("x.npy")
assert view.tolist() == [[0, 1, 2], [3, 4, 5]] and view.format == "i", view.format
assert sn.load("f.npy").tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
assert sn.load("x.npy", mmap_mode="r").tolist() == view.tolist()
dtype = sn.header("r.npy").dtype
assert dtype.names == ("a", "b") and dtype.fields[1][2:] == (2, (2,)), dtype
sn.save("y.npy", view)
assert sn.load("y.npy").tolist() == view.tolist()
sn.savez("y.npz", a=view)
assert sn.open_npz("y.npz")["a"].tolist() == view.tolist()
assert sn.check("y.npz").accepted
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("order, flag, is_given", [("F", 0x38, False), ("F", 0x58, True), ("C", 0x38, True), ("C", 0x58, False),
                                                   ("F", 0x98, True), ("C", 0x18, True),
                                                   ("F", 0x18, True), ("F", 0x08, False), ("C", 0x08, True), ("F", 0x00, False),
                                                   ("C", 0x00, True)])
@pytest.mark.parametrize("form", [0x04, 0])
def test_contiguous_buffers_have_the_order_asked_for(order, flag, is_given, form):
    """PyBUF_C_CONTIGUOUS (0x38), PyBUF_F_CONTIGUOUS (0x58), PyBUF_ANY_CONTIGUOUS (0x98), PyBUF_STRIDES (0x18), PyBUF_ND (0x08)
    and PyBUF_SIMPLE, with a format and without."""
    memory = sn.load(raw(np.asarray(np.arange(6.0).reshape(2, 3), order=order))).base
    while isinstance(memory, (np.ndarray, memoryview)):
        memory = memory.obj if isinstance(memory, memoryview) else memory.base
    assert type(memory).__name__ == "Memory"
    view = ctypes.create_string_buffer(256)
    get = ctypes.pythonapi.PyObject_GetBuffer
    get.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
    if not is_given:
        with pytest.raises(BufferError):
            get(memory, view, flag | form)
        return
    assert get(memory, view, flag | form) == 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
