"""Object arrays: values built from the pickle without running it, equal to those that NumPy loads."""

import datetime
import io
import json
import lzma
import os
import pathlib
import pickle
import uuid
from collections import OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import safenpy as sn
from safenpy import _objects

RENAMED = {"numpy.core": "numpy._core", "numpy._core": "numpy.core", "pathlib._local": "pathlib", "numpy.rec": "numpy.core.records"}


class Unpickler(pickle._Unpickler):
    """Loads what an older or newer version of Python or NumPy has written: files of our own."""

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            for new, old in RENAMED.items():
                if module == new or module.startswith(new + "."):
                    return super().find_class(old + module[len(new):], name)
            raise


def same(left, right, seen=frozenset()):
    """Whether two values have the same types, bits and members; paths by their text, arrays in any byte order."""
    if (id(left), id(right)) in seen:
        return True
    seen = seen | {(id(left), id(right))} if isinstance(left, list | dict | np.ndarray) else seen
    if isinstance(left, pathlib.PurePath):
        return isinstance(right, pathlib.PurePath) and str(left) == str(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, np.generic):
        return same(np.asarray(left), np.asarray(right))
    if isinstance(left, np.ndarray):
        return left.shape == right.shape and same_elements(left, right, seen)
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()), seen) and \
            getattr(left, "default_factory", None) is getattr(right, "default_factory", None)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same(one, two, seen) for one, two in zip(left, right, strict=True))
    if isinstance(left, float | complex | Decimal):
        return repr(left) == repr(right)
    return bool(left == right)


def same_elements(left, right, seen):
    if isinstance(left, np.ma.MaskedArray):
        return same(np.ma.getmaskarray(left), np.ma.getmaskarray(right)) and same(left.fill_value, right.fill_value) and \
            same(left.data, right.data, seen)
    if left.dtype.kind == "T":
        return left.dtype == right.dtype and same(left.tolist(), right.tolist())
    if left.dtype.newbyteorder("=") != right.dtype.newbyteorder("="):
        return False
    if left.dtype.hasobject:
        return same(left.tolist(), right.tolist(), seen)
    if left.dtype.char in "gG":     # whose padding is of any value
        return np.array_equal(left, right, equal_nan=True)
    return left.astype(right.dtype).tobytes() == right.tobytes()


def test_what_picklers_write_is_what_numpy_loads(corpus):
    with lzma.open(corpus / "objects" / "written.jsonl.xz", "rt", encoding="ascii") as lines:
        payloads = [bytes.fromhex(json.loads(line)["hex"]) for line in lines]
    compared = 0
    for payload in payloads:
        made = _objects.value_of(payload, "plain")
        try:
            wanted = Unpickler(io.BytesIO(payload), encoding="latin1").load()
        except (AttributeError, ImportError, ValueError):
            continue    # of another NumPy
        assert same(made, wanted), payload
        compared += 1
    assert compared > 6000


def values():
    """One of each kind."""
    shared = [1]
    box = [shared, shared]
    box.append(box)
    return [None, True, -1, 2**70, 1.5, float("nan"), 1j, "é\ud800", b"\0x", bytearray(b"ab"), (1, ("a",)), [[], {}], {"k": {1: 2.5}},
            {1, "a", (2, None)}, frozenset([b"x"]), slice(None, 3), range(1, 9, 2), box, datetime.date(2024, 2, 29),
            datetime.datetime(2024, 3, 1, 23, 59, 58, 7, fold=1), datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc),
            datetime.time(1, 2, 3, 4), datetime.timedelta(-1, 3, 5), datetime.timezone(datetime.timedelta(hours=2), "x"),
            Decimal("-1.50E+7"), Fraction(3, -7), uuid.UUID(int=5), OrderedDict(a=1, b=[2]), defaultdict(list, {"a": [1]}),
            pathlib.PurePosixPath("/a/b"), np.float32(2.5), np.datetime64("2024-01-02", "D"), np.arange(6, dtype=">i2").reshape(2, 3),
            np.asfortranarray(np.eye(3)[:2]), np.array([b"a", b"bc"]), np.array(["x", "yz"]), np.zeros((0, 4)),
            np.array([(1, [2.0, 3.0])], [("a", "u1"), ("b", "<f4", 2)]), np.rec.array([(1, "x")], [("n", "i4"), ("s", "U2")]),
            np.ma.array([1, 2, 3], mask=[0, 1, 0], fill_value=9), np.array([[1, None], ["a", [2]]], object), np.dtype("<M8[25s]"),
            np.array([(1, {"a": 2})], [("n", "i8"), ("o", "O")])]


@pytest.mark.parametrize("protocol", range(6))
def test_each_kind_is_equal_to_what_numpy_loads(protocol):
    array = np.empty(len(values()), object)
    array[:] = values()
    for one in (array, np.asfortranarray(array[:40].reshape(5, 8)), array[3:4].reshape(()), array[:0]):
        np.save("o.npy", one, allow_pickle=True)
        about = sn.header("o.npy")
        head = open("o.npy", "rb").read()[:about.data_offset]
        data = head + pickle.dumps(one, protocol)
        made = sn.load(data, objects="plain")
        assert same(made, np.load(io.BytesIO(data), allow_pickle=True))
        assert made.flags.f_contiguous == one.flags.f_contiguous


def test_every_way_to_a_file():
    array = np.array([{"a": [1, 2]}, None], object)
    np.save("o.npy", array, allow_pickle=True)
    np.savez_compressed("o.npz", o=array, n=np.arange(3))
    data = open("o.npy", "rb").read()
    with open("o.npy", "rb") as file:
        assert same(sn.load(file, objects="data"), array)
    for given in ("o.npy", pathlib.Path("o.npy"), data, memoryview(data)):
        assert same(sn.load(given, objects="data"), array)
        assert same(sn.load(given, allow_pickle=True), array)
    with sn.load("o.npz", objects="data") as archive:
        assert same(archive["o"], array)
        assert same(archive["n"], np.arange(3))
    assert same(sn.load("o.npz", key="o", objects="plain"), array)
    with sn.load("o.npz") as archive, pytest.raises(sn.Refused):
        archive["o"]
    with pytest.raises(ValueError, match="cannot be mapped"):
        sn.load("o.npy", objects="plain", mmap_mode="r")


def test_the_set_data_has_no_sets():
    np.save("o.npy", np.array([{1}]), allow_pickle=True)
    assert same(sn.load("o.npy", objects="plain")[0], {1})
    with pytest.raises(sn.Refused) as caught:
        sn.load("o.npy", objects="data")
    assert caught.value.status == "SNPY_PKL_NOT_DATA" and caught.value.path == "o.npy"


def test_nothing_is_imported_or_called():
    class Bomb:
        def __reduce__(self):
            return os.mkdir, ("exploded",)

    np.save("o.npy", np.array([Bomb()], object), allow_pickle=True)
    data = open("o.npy", "rb").read()
    with pytest.raises(sn.Refused) as caught:
        sn.load("o.npy", objects="plain")
    assert caught.value.status == "SNPY_PKL_GLOBAL" and data[caught.value.offset - 20:].count(b"mkdir") == 1
    assert not os.path.exists("exploded")
    source = pathlib.Path(_objects.__file__).read_text(encoding="utf-8")
    assert "import pickle" not in source and "__import__" not in source and "eval(" not in source


def test_each_case_of_the_suite_has_its_status_and_byte(corpus):
    folder = corpus / "objects"
    cases = [case for case in json.loads((folder / "manifest.json").read_text())["cases"] if not set(case.get("options", {})) - {"allowed"}]
    for case in cases:
        error = case.get("error")
        try:
            sn.load((folder / case["file"]).read_bytes(), objects=case.get("options", {}).get("allowed", "plain"))
            assert error is None, case["id"]
        except sn.Refused as refusal:
            assert {"status": refusal.status, "offset": refusal.offset} == error, case["id"]
    assert len(cases) > 900


def test_equal_keys_are_refused():
    for payload in (b"\x80\x04}(K\x01NG?\xf0\0\0\0\0\0\0Nu.", b"\x80\x04}(K\x01N\x88Nu.", b"\x80\x04(K\x01K\x01\x91."):
        with pytest.raises(sn.Refused) as caught:
            _objects.value_of(payload, "plain")
        assert caught.value.status == "SNPY_PKL_DUPLICATE_KEY"


def test_a_key_of_shared_tuples_takes_no_time():
    payload = b"\x80\x04)" + b"".join(b"\x94h%c\x86" % level for level in range(60))
    with pytest.raises(sn.Refused) as caught:
        _objects.value_of(b"\x80\x04}" + payload[2:] + b"Ns.", "plain")
    assert caught.value.status == "SNPY_PKL_KEY"


def chain(count, end):
    """A pickle of arrays that stay on the stack, each of which has a tuple with the one before; `end` follows."""
    dtype = pickle.dumps(np.dtype(object), 2)[2:-1]
    parts = [b"\x80\2(", dtype, b"r\0\1\0\0Nr\0\2\0\0"]
    for index in range(512, 512 + count):
        parts += [b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1K\1\x85j\0\1\0\0\x89]j",
                  index.to_bytes(4, "little"), b"\x85atbr", (index + 1).to_bytes(4, "little")]
    return b"".join([*parts, end])


@pytest.mark.parametrize("end", [b"t.", b"1N."], ids=["in the result", "thrown away"])
def test_arrays_in_one_another_are_limited_because_freeing_them_recurses(end):
    _objects.value_of(chain(1000, end), "plain")
    with pytest.raises(sn.Refused) as caught:
        _objects.value_of(chain(50_000, end), "plain")
    assert caught.value.status == "SNPY_PKL_TOO_DEEP"


def test_what_is_added_to_arguments_and_states_later():
    """A list is kept as it was; a dictionary may not change, since Python would keep its old keys."""
    uid = b"\x80\3cuuid\nUUID\n)\x81q\1}q\2X\3\0\0\0intK\5sb0"
    moment = b"\x80\3ctime\nstruct_time\n(" + b"K\1" * 9 + b"t}q\2\x86Rq\1" + b"0"
    pairs = b"\x80\3ccollections\nOrderedDict\n]q\1]q\2(K\1K\2ea\x85R"
    for payload in (pairs + b"h\2K\3ah\1\x87.", b"\x80\3cbuiltins\nset\n]q\1K\1a\x85Rh\1K\2a\x86."):
        assert same(_objects.value_of(payload, "plain"), Unpickler(io.BytesIO(payload), encoding="latin1").load())
    for payload in (uid + b"h\2h\1\x85Ns0h\1.", uid + b"h\2X\7\0\0\0is_safeK\0s0h\1.", moment + b"h\2X\7\0\0\0tm_zoneNs0h\1."):
        with pytest.raises(sn.Refused) as refusal:
            _objects.value_of(payload, "plain")
        assert refusal.value.rule == "NPY-PKL-015"
        assert payload[refusal.value.offset:refusal.value.offset + 1] == b"s"


def test_a_state_that_is_a_value_too():
    array = pickle.dumps(np.array([1], object), 2)
    payload = array[:-2] + b"q\x64bh\x64\x86."
    assert array.endswith(b"b.") and _objects.value_of(payload, "plain")[1][4] == [1]


def test_long_integers():
    for number in (2**63, -(2**63) - 1, 2**64, 2**32000, -(2**32000)):
        assert _objects.value_of(pickle.dumps(number, 2), "plain") == number
