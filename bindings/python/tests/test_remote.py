"""Arrays in object stores: what is requested, that slices are right, and what happens when the store does not play along."""

import io
import itertools
import struct

import fsspec
import numpy as np
import pytest
import safenpy as sn
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st


class Store(MemoryFileSystem):
    """A store in memory that logs requests, and can be told to go wrong."""

    protocol = "logged"
    cachable = False
    store = {}
    pseudo_dirs = [""]
    log = []
    answer = staticmethod(lambda data, start, end: data[start:end])

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("logged://"))

    def info(self, path, **options):
        self.log.append("look")
        return super().info(path, **options)

    def cat_file(self, path, start=None, end=None, **options):
        self.log.append((start, end))
        return self.answer(self.store[self._strip_protocol(path)].getvalue(), start, end)


fsspec.register_implementation("logged", Store, clobber=True)


@pytest.fixture
def put(monkeypatch):
    """Puts bytes into the store: the URL."""
    monkeypatch.setattr(Store, "store", {})
    monkeypatch.setattr(Store, "log", [])

    def keep(data, name="a.npy"):
        Store().pipe_file(name, data)
        Store.log.clear()
        return f"logged://{name}"

    return keep


def raw(array, save=np.save, **options):
    out = io.BytesIO()
    save(out, array, **options)
    return out.getvalue()


def requests():
    found = list(Store.log)
    Store.log.clear()
    return found


GRID = np.arange(1000 * 500, dtype="<i4").reshape(1000, 500)


def test_a_header_costs_a_look_and_one_request(put):
    with sn.open(put(raw(GRID))) as a:
        assert requests() == ["look", (0, 4096)]
        assert (a.shape, a.dtype, a.ndim, len(a), a.file_size) == ((1000, 500), GRID.dtype, 2, 1000, 128 + GRID.nbytes)
        assert a.header.data_offset == 128 and requests() == []


def test_what_a_listing_said_saves_the_look(put):
    put(raw(GRID))
    (entry,) = Store().ls("/", detail=True)
    Store.log.clear()
    a = sn.open("logged://a.npy", info=entry)
    assert requests() == [(0, 4096)]
    assert a[999, 499] == GRID[999, 499]


def test_a_small_object_is_requested_to_its_end(put):
    sn.open(put(raw(np.arange(3))))
    assert requests() == ["look", (0, 152)]


def test_a_longer_header_costs_one_more_request(put):
    array = np.zeros(3, [(f"field{i}", "i1") for i in range(1000)])
    data = raw(array)
    end = 10 + struct.unpack("<H", data[8:10])[0]
    a = sn.open(put(data))
    assert requests() == ["look", (0, 4096), (4096, end)]
    assert a.dtype == array.dtype and a[1:].tobytes() == bytes(2000)


@pytest.mark.parametrize(("index", "gap", "expected"), [
    (np.s_[10:20], 0, [(10 * 2000, 20 * 2000)]),
    (np.s_[10:20, ::2], 4, [(10 * 2000, 20 * 2000 - 4)]),  # the last column is not wanted
    (np.s_[10:13, :5], 0, [(at * 2000, at * 2000 + 20) for at in range(10, 13)]),
    (np.s_[10:13, :5], 1979, [(at * 2000, at * 2000 + 20) for at in range(10, 13)]),
    (np.s_[10:13, :5], 1980, [(10 * 2000, 12 * 2000 + 20)]),
    (np.s_[::-500], 0, [(499 * 2000, 500 * 2000), (999 * 2000, 1000 * 2000)]),
    (np.s_[7, 3], 0, [(7 * 2000 + 12, 7 * 2000 + 16)]),
    (np.s_[5:7, ::499], 0, [(10000, 10004), (11996, 12004), (13996, 14000)]),  # the end of a row and the next one touch
    (np.s_[5:5], 0, None),
], ids=str)
def test_a_slice_costs_the_ranges_it_needs(put, index, gap, expected):
    a = sn.open(put(raw(GRID)), gap=gap)
    requests()
    found = a[index]
    assert requests() == ([] if expected is None else [*((128 + start, 128 + end) for start, end in expected), "look"])
    assert np.array_equal(found, GRID[index]) and found.dtype == GRID.dtype


def test_unwanted_bytes_do_not_make_a_range_longer_than_a_batch(put, monkeypatch):
    monkeypatch.setattr("safenpy._remote._BATCH", 5000)
    a = sn.open(put(raw(GRID)))
    requests()
    assert np.array_equal(a[::2, :250], GRID[::2, :250])
    ranges = requests()[:-1]
    assert len(ranges) == 250 and max(end - start for start, end in ranges) == 5000
    assert np.array_equal(a[2:8], GRID[2:8])
    assert requests() == [(128 + 4000, 128 + 16000), "look"]  # all are wanted


def indices(shape):
    ends = st.none() | st.integers(-9, 9)
    axis = [st.integers(-n, n - 1) | st.builds(slice, ends, ends, st.sampled_from([None, 1, 2, 3, -1, -2]))
            if n else st.builds(slice, ends, ends) for n in shape]
    return st.integers(0, len(shape)).flatmap(lambda k: st.tuples(*axis[:k]).flatmap(
        lambda front: st.sampled_from([front, (*front, ...)])))


DTYPES = ["<i4", ">f8", "|b1", "<c16", "<U3", "|S5", "|V3", "<M8[ms]", [("a", "<i2"), ("b", ">f4", (2,))], "|S0"]


@given(st.data())
def test_any_slice_is_that_of_numpy_and_without_a_gap_no_byte_is_read_twice_or_in_vain(data):
    shape = data.draw(st.lists(st.integers(0, 6), max_size=4).map(tuple))
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    size = int(np.prod(shape)) * dtype.itemsize
    content = (b"\1" if dtype == "b1" else b"\0\1\2\3\0\5\6" if dtype.kind != "U" else b"a\0\0\0") * (size + 8)
    array = np.ndarray(shape, dtype, content, order=data.draw(st.sampled_from("CF")))
    index = data.draw(indices(shape))
    gap = data.draw(st.sampled_from([0, 1, 7, 64, 1 << 16]))
    Store.store, Store.log = {}, []
    Store().pipe_file("a.npy", raw(array))
    a = sn.open("logged://a.npy", gap=gap)
    Store.log = []
    found, expected = a[index], array[index]
    assert type(found) is type(expected)
    assert (found.shape, found.dtype, found.tobytes()) == (expected.shape, expected.dtype, expected.tobytes())
    ranges = [one for one in Store.log if one != "look"]
    assert all(first[1] + gap < second[0] for first, second in itertools.pairwise(ranges))
    if gap == 0:
        assert sum(end - start for start, end in ranges) == np.size(expected) * dtype.itemsize


@pytest.mark.parametrize("index", [True, [0, 1], np.arange(2), None, "a", 1.5, (0, 0, 0), 1000, (..., ...)], ids=repr)
def test_other_indices_are_errors_and_request_nothing(put, index):
    a = sn.open(put(raw(GRID)))
    requests()
    with pytest.raises((IndexError, TypeError)):
        a[index]
    assert requests() == []


def test_what_was_read_is_an_array_of_its_own(put):
    a = sn.open(put(raw(GRID)))
    part = a[:2]
    part[:] = 7
    assert np.array_equal(a[:2], GRID[:2])


def test_the_order_in_memory_is_that_of_the_file(put):
    assert sn.open(put(raw(np.asfortranarray(GRID))))[::300].flags.f_contiguous


# --- what a store may do ---


def test_an_object_that_was_replaced_is_an_error(put):
    a = sn.open(put(raw(GRID)))
    put(raw(GRID + 1))  # of the same size
    with pytest.raises(OSError, match="changed"):
        a[3]


def test_an_object_that_is_replaced_between_two_ranges_is_an_error(put, monkeypatch):
    a = sn.open(put(raw(GRID)), gap=0)

    def answer(data, start, end):
        Store().pipe_file("a.npy", raw(GRID + 1))
        return data[start:end]

    monkeypatch.setattr(Store, "answer", staticmethod(answer))
    with pytest.raises(OSError, match="changed"):
        a[3:6, :2]


@pytest.mark.parametrize("now", [{"ETag": '"b"'}, {"size": 128 + GRID.nbytes + 1}], ids=str)
def test_an_etag_decides_where_there_is_one(put, monkeypatch, now):
    said = {"size": 128 + GRID.nbytes, "ETag": '"a"', "LastModified": 1}
    url = put(raw(GRID))
    monkeypatch.setattr(Store, "info", lambda self, path, **options: said)
    a = sn.open(url)
    assert a.etag == '"a"'
    said = {**said, "LastModified": 2}  # a listing and a look round differently
    assert a[3, 4] == GRID[3, 4]
    said = {**said, **now}
    with pytest.raises(OSError, match="changed"):
        a[3, 4]


def test_an_object_that_ends_before_its_size_is_an_error(put, monkeypatch):
    a = sn.open(put(raw(GRID)))
    monkeypatch.setattr(Store, "answer", staticmethod(lambda data, start, end: data[start:end - 1]))
    with pytest.raises(OSError, match="has no byte 8127, but its size is 2000128"):
        a[3]
    with pytest.raises(OSError, match="has no byte 4095, but"):
        sn.open("logged://a.npy")


def test_an_object_of_unknown_size_that_ends_early_is_refused(put, monkeypatch):
    url = put(raw(GRID)[:-1])
    monkeypatch.setattr(Store, "info", lambda self, path, **options: {"size": None})
    a = sn.open(url)
    assert a.file_size is None and np.array_equal(a[:999], GRID[:999])
    with pytest.raises(sn.Refused) as refused:
        a[999]
    assert (refused.value.status, refused.value.offset) == ("SNPY_TRUNCATED_DATA", 128 + GRID.nbytes - 1)


def test_a_store_that_ignores_ranges_is_an_error(put, monkeypatch):
    url = put(raw(GRID))
    monkeypatch.setattr(Store, "answer", staticmethod(lambda data, start, end: data))
    with pytest.raises(OSError, match="for a range of 4096 from 0"):
        sn.open(url)


@pytest.mark.parametrize(("raised", "expected"), [
    (PermissionError("no"), PermissionError), (TimeoutError("slow"), TimeoutError), (RuntimeError("broken"), OSError)], ids=str)
def test_errors_of_a_store_are_oserrors(put, monkeypatch, raised, expected):
    a = sn.open(put(raw(GRID)))

    def answer(data, start, end):
        raise raised

    monkeypatch.setattr(Store, "answer", staticmethod(answer))
    with pytest.raises(expected, match=str(raised)):
        a[3]
    with pytest.raises(FileNotFoundError):
        sn.open("logged://missing.npy")


# --- verdicts are those of the core ---


def refusal(function, *words, **options):
    try:
        function(*words, **options)
    except sn.Refused as refused:
        return refused.status, refused.offset, refused.looks_like
    except ValueError as error:
        return type(error)
    return None


def test_every_file_of_the_suite_is_refused_as_by_header(cases, corpus):
    for case in cases:
        data = (corpus / case["file"]).read_bytes()
        expected = refusal(sn.header, data, file_size=len(data))
        if isinstance(expected, tuple) and expected[0] == "SNPY_BAD_MAGIC":
            expected = refusal(sn.load, data)  # which says what the file looks like
        assert refusal(sn.open, io.BytesIO(data)) == expected, case["file"]


def test_a_truncated_object_is_refused_without_reading_its_data(put):
    url = put(raw(GRID)[:-1])
    with pytest.raises(sn.Refused) as refused:
        sn.open(url)
    assert (refused.value.status, refused.value.offset) == ("SNPY_TRUNCATED_DATA", 128 + GRID.nbytes - 1)
    assert "a.npy" in str(refused.value) and requests() == ["look", (0, 4096)]


def test_limits_hold(put):
    url = put(raw(GRID))
    with pytest.raises(sn.Refused):
        sn.open(url, limits=sn.Limits(max_data=1000))


def test_an_array_of_objects_has_a_header_only(put):
    a = sn.open(put(raw(np.array([None]), allow_pickle=True)))
    assert a.header.has_object
    with pytest.raises(sn.Refused, match="object"):
        a[0]


def test_other_formats_are_named(put):
    with pytest.raises(sn.Refused) as refused:
        sn.open(put(b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"))
    assert refused.value.looks_like == "git-lfs"
    with pytest.raises(ValueError, match="is an archive"):
        sn.open(put(raw(GRID, np.savez)))


# --- many objects ---


def told(verdict):
    return verdict.accepted, verdict.format, verdict.status, verdict.offset, verdict.member, verdict.notes, verdict.looks_like


def listed():
    found = Store().find("/", detail=True).values()
    Store.log.clear()
    return found


@pytest.mark.parametrize("limits", [sn.Limits(), sn.UNTRUSTED], ids=["defaults", "untrusted"])
def test_objects_of_all_kinds_get_the_verdicts_of_check(put, cases, archive_cases, corpus, limits):
    objects = {f"{case['id']}.npy": (corpus / case["file"]).read_bytes() for case in cases}
    objects |= {f"{case['id']}.npz": (corpus / "archives" / case["file"]).read_bytes() for case in archive_cases if case.get("file")}
    grid = raw(GRID)
    objects |= {"large": grid, "cut": grid[:-1], "longer": grid + b"!", "page": b"<html>" * 2000, "objects": raw(
        np.array([None] * 9000), allow_pickle=True), "member": raw(GRID, np.savez), "bad.npz": raw(GRID, np.savez)[:-1000]}
    for name, data in objects.items():
        put(data, name)
    entries = listed()
    verdicts = list(sn.check_objects(Store(), entries, limits=limits))
    assert len(verdicts) == len(objects) > 500
    assert [verdict.path for verdict in verdicts] == [entry["name"] for entry in entries]
    for verdict in verdicts:
        assert told(verdict) == told(sn.check(objects[verdict.path[1:]], limits=limits)), verdict.path
    assert "look" not in Store.log and max(end - start for start, end in Store.log if start) <= limits.max_header


def test_an_object_costs_one_request(put):
    for number in range(100):
        put(raw(GRID[:number]), f"{number:02}.npy")
    put(raw(GRID, np.savez), "m.npz")
    entries = listed()
    assert all(sn.check_objects(Store(), entries, jobs=1))
    assert requests() == [(0, min(4096, entry["size"])) for entry in entries] + [(0, list(entries)[-1]["size"])]


def test_what_cannot_be_read_has_an_error_and_the_others_a_verdict(put, monkeypatch):
    for name in ("a.npy", "b.npy", "c.npy"):
        put(raw(GRID), name)
    put(raw(GRID, np.savez), "m.npz")
    entries = [*listed(), {"name": "/gone.npy", "size": 9}, {"name": "/a.npy", "size": None}]
    plain = Store.cat_file

    def fails(self, path, *places, **options):
        if path == "/b.npy":
            raise RuntimeError("broken")
        return plain(self, path, *places, **options)

    monkeypatch.setattr(Store, "cat_file", fails)
    verdicts = list(sn.check_objects(Store(), entries, max_archive=1000))
    assert [bool(verdict) for verdict in verdicts] == [True, False, True, True, False, False]
    errors = [str(verdict.error) for verdict in verdicts if verdict.error]
    assert len(errors) == 3 and "broken" in errors[0] and "size" in errors[2]


def test_objects_are_asked_for_bit_by_bit(put):
    put(raw(GRID))
    entry, taken = next(iter(listed())), []
    found = sn.check_objects(Store(), (taken.append(number) or entry for number in itertools.count()), jobs=2)
    assert all(next(found) for _ in range(50)) and len(taken) <= 50 + 8
    found.close()
    with pytest.raises(ValueError, match="jobs"):
        next(sn.check_objects(Store(), [], jobs=0))


# --- files ---


class Plain:
    """A file object with as little as allowed."""

    def __init__(self, data):
        self.file = io.BytesIO(data)
        self.seek, self.tell, self.read = self.file.seek, self.file.tell, self.file.read


def test_any_file_that_can_seek(put):
    data = raw(GRID)
    with open("x.npy", "wb") as out:
        out.write(data)
    put(data)
    with open("x.npy", "rb") as file, fsspec.open("logged://a.npy") as other:
        for one in ("x.npy", file, io.BytesIO(data), Plain(data), fsspec.open("logged://a.npy"), other):
            with sn.open(one) as a:
                assert np.array_equal(a[10:20, ::2], GRID[10:20, ::2])
        assert not file.closed


def test_a_file_that_shrinks_is_an_error():
    file = io.BytesIO(raw(GRID))
    a = sn.open(file)
    file.truncate(5000)
    with pytest.raises(OSError, match="has no byte 1998128, but"):
        a[999]
    with pytest.raises(OSError, match="changed"):
        a[0]


def test_what_cannot_be_opened():
    for one in (b"bytes", 5, iter([])):
        with pytest.raises(TypeError):
            sn.open(one)
    with pytest.raises(TypeError):
        sn.open(io.BytesIO(raw(GRID)), key="k")
    with pytest.raises(ValueError, match="gap"):
        sn.open(io.BytesIO(raw(GRID)), gap=-1)
