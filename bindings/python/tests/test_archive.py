"""Saving and archives: bytes as NumPy's, members in part, mapped, by threads and across fork; patched()."""

import asyncio
import contextvars
import gc
import io
import os
import threading
import time
import zipfile

import numpy as np
import pytest
import safenpy as sn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hn

pytestmark = pytest.mark.filterwarnings("ignore:Stored array in format")
UNHURRIED = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
SCALARS = hn.scalar_dtypes().filter(lambda dtype: dtype.kind != "O")
DTYPES = st.one_of(SCALARS, hn.array_dtypes(SCALARS, allow_subarrays=True))
ARRAYS = hn.arrays(DTYPES, hn.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))


def by_numpy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def same(one, other):
    assert one.dtype == other.dtype and one.shape == other.shape
    assert one.tobytes() == other.tobytes()


@UNHURRIED
@given(ARRAYS, st.booleans(), st.booleans())
def test_saved_bytes_are_those_of_numpy_and_load_again(array, fortran, strided):
    if fortran:
        array = np.asfortranarray(array)
    if strided and array.ndim:
        array = array[..., ::2]
    out = io.BytesIO()
    sn.save(out, array)
    if str(array.dtype.descr).isascii():  # else repr() depends on Python's version of Unicode
        assert out.getvalue() == by_numpy(array)
    same(sn.load(out.getvalue()), np.load(io.BytesIO(by_numpy(array))))
    sn.save("x.npy", array)
    with open("x.npy", "rb") as file:
        assert file.read() == out.getvalue()


@UNHURRIED
@given(st.dictionaries(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1, max_size=5),
                       ARRAYS, max_size=4), st.integers(0, 9))
def test_archives_are_read_by_numpy_and_by_us(arrays, level):
    keys = set(arrays) | {key + ".npy" for key in arrays}
    if len(keys) < 2 * len(arrays) or any("/" in key for key in arrays):
        return
    if level:
        sn.savez_compressed("m.npz", level=level, **{}, **{k: v for k, v in arrays.items() if k not in ("level", "threads", "file")})
    else:
        sn.savez("m.npz", **{k: v for k, v in arrays.items() if k != "file"})
    with np.load("m.npz") as theirs, sn.load("m.npz") as ours:
        assert list(theirs.files) == ours.files
        for key in ours:
            same(ours[key], theirs[key])


def test_padding_of_records_is_written_as_zeros():
    dtype = np.dtype([("a", "u1"), ("b", "<f8")], align=True)
    array = np.frombuffer(bytes(range(1, 33)), dtype)
    out = io.BytesIO()
    sn.save(out, array)
    data = out.getvalue()[-32:]
    assert data[1:8] == bytes(7) and data[17:24] == bytes(7)
    assert (data[0], data[8:16]) == (1, bytes(range(9, 17)))
    sn.savez("m.npz", a=array)
    assert sn.load("m.npz", key="a").tobytes() == data


def test_what_is_saved_is_whole_or_not_there():
    sn.save("x.npy", np.arange(3))
    with pytest.raises(sn.Refused):
        sn.save("x.npy", np.array([None]))
    with pytest.raises(sn.Refused):
        sn.savez("x.npz", a=np.arange(3), b=np.array([None]))
    assert os.listdir() == ["x.npy"]
    same(sn.load("x.npy"), np.arange(3))
    with pytest.raises(FileNotFoundError):
        sn.save("no/x.npy", np.arange(3))
    with pytest.raises(TypeError):
        sn.save("m.npy", np.ma.array([1, 2], mask=[0, 1]))


def test_endings_are_added_as_numpy_adds_them():
    sn.save("a", np.eye(2))
    sn.save(b"b", np.eye(2))
    sn.savez("c", np.eye(2))
    assert sorted(os.listdir()) == ["a.npy", "b.npy", "c.npz"]
    assert sn.load("c.npz").files == ["arr_0"]
    with pytest.raises(ValueError):
        sn.savez("c", np.eye(2), arr_0=np.eye(2))


def test_archives_are_deterministic_and_threads_make_no_difference():
    arrays = {f"a{i}": np.arange(100_000) % (i + 7) for i in range(4)}
    sn.savez_compressed("one.npz", **arrays)
    sn.savez_compressed("two.npz", threads=3, **arrays)
    assert open("one.npz", "rb").read() == open("two.npz", "rb").read()


@pytest.mark.parametrize("target", [io.BytesIO, lambda: open("m.npz", "w+b"), lambda: open("m.npz", "w+b", buffering=0)])
def test_archives_go_to_file_objects(target):
    with target() as file:
        sn.savez(file, a=np.arange(5))
        end = file.tell()
        file.seek(0)
        assert len(file.read()) == end
        file.seek(0)
        same(sn.load(file, key="a"), np.arange(5))


def test_a_file_object_that_writes_in_pieces():
    class Slow(io.RawIOBase):
        data = b""

        def writable(self):
            return True

        def write(self, piece):
            self.data += bytes(piece[:7])
            return min(7, len(piece))

    slow = Slow()
    sn.save(slow, np.arange(30))
    assert slow.data == by_numpy(np.arange(30))

    class Liar(Slow):
        def write(self, piece):
            return len(piece) + 1

    with pytest.raises(OSError):
        sn.save(Liar(), np.arange(30))


@pytest.mark.parametrize("save", [sn.savez, sn.savez_compressed])
def test_parts_of_members(save):
    arrays = {"a": np.arange(10_000.0).reshape(1000, 10), "f": np.asfortranarray(np.arange(12).reshape(4, 3)),
              "r": np.zeros(5, [("x", "<i2"), ("y", "<f8")]), "e": np.zeros((0, 3)), "s": np.array(1)}
    save("m.npz", **arrays)
    for source in ("m.npz", open("m.npz", "rb"), open("m.npz", "rb").read()):
        with sn.open_npz(source) as archive:
            for key in ("a", "f", "r", "e"):
                for start, stop in ((0, 2), (2, 4), (1, -1), (-2, 9999), (3, 1)):
                    same(archive.slice(key, start, stop), arrays[key][start:stop])
                header = archive.header(key)
                assert (header.shape, header.dtype) == (arrays[key].shape, arrays[key].dtype)
            with pytest.raises(IndexError):
                archive.slice("s", 0, 1)
    blocks = list(sn.iter_blocks("m.npz", 300, key="a"))
    assert [len(block) for block in blocks] == [300, 300, 300, 100]
    same(np.concatenate(blocks), arrays["a"])


def test_blocks_of_files():
    array = np.asfortranarray(np.arange(40).reshape(4, 10))
    np.save("f.npy", array)
    same(np.concatenate(list(sn.iter_blocks("f.npy", 3)), axis=1), array)
    with open("f.npy", "r+b") as file:
        file.truncate(128 + 200)
    with pytest.raises(sn.Refused) as caught:  # before the first block: the size is known
        next(sn.iter_blocks("f.npy", 3))
    assert (caught.value.status, caught.value.offset) == ("SNPY_TRUNCATED_DATA", 328)


def test_stored_members_are_mapped():
    array = np.arange(1000.0)
    sn.savez("m.npz", a=array)
    mapped = sn.load("m.npz", key="a", mmap_mode="r")
    assert isinstance(mapped, np.memmap) and not mapped.flags.writeable
    same(mapped, array)
    private = sn.load("m.npz", mmap_mode="c")["a"]
    private[0] = 5
    same(sn.load("m.npz", key="a"), array)
    sn.savez_compressed("d.npz", a=array)
    with pytest.raises(ValueError, match="deflated"):
        sn.load("d.npz", key="a", mmap_mode="r")
    with open("m.npz", "r+b") as file:
        file.seek(200)
        file.write(b"\xff")
    with pytest.raises(sn.Refused) as caught:
        sn.load("m.npz", key="a", mmap_mode="r")
    assert caught.value.status == "SNPY_ZIP_BAD_CRC"
    assert sn.load("m.npz", key="a", mmap_mode="r", verify=False).shape == (1000,)
    with pytest.raises(sn.Refused):
        sn.open_npz("m.npz").verify("a")


def test_maps_write_through_and_several_processes_fill_one():
    filled = sn.open_memmap("big.npy", mode="w+", dtype="<i8", shape=(4, 100))
    children = []
    for row in range(4):
        child = os.fork()
        if child == 0:
            part = sn.open_memmap("big.npy", mode="r+")
            part[row] = row + 1
            part.flush()
            os._exit(0)
        children.append(child)
    assert all(os.waitpid(child, 0)[1] == 0 for child in children)
    assert filled.sum() == 1000
    assert np.load("big.npy").sum() == 1000


def test_appending():
    sn.save("x.npy", np.zeros((2, 3)))
    sn.append("x.npy", np.ones((4, 3)))
    assert sn.load("x.npy").shape == (6, 3)
    for other in (np.ones((4, 2)), np.ones((4, 3), "f4"), np.array(1.0)):
        with pytest.raises(sn.Refused):
            sn.append("x.npy", other)
    assert np.load("x.npy").sum() == 12


def archive_of(count, level=6):
    arrays = {f"k{i}": np.full(2000, i) for i in range(count)}
    sn.savez_compressed("m.npz", level=level, **arrays)
    return arrays


def test_eight_threads_share_an_archive_while_it_closes():
    arrays = archive_of(30)
    wrong = []
    archive = sn.open_npz("m.npz")

    def read(offset):
        for turn in range(200):
            key = f"k{(turn + offset) % 30}"
            try:
                if not np.array_equal(archive[key], arrays[key]):
                    wrong.append(key)
            except ValueError as error:
                if "closed" not in str(error):
                    wrong.append(error)
                return

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    threads[0].join(0.05)
    archive.close()
    for thread in threads:
        thread.join()
    assert not wrong
    with pytest.raises(ValueError, match="closed"):
        archive["k0"]


def test_children_of_a_fork_share_an_archive():
    arrays = archive_of(20)
    with sn.open_npz("m.npz") as archive:
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                good = all(np.array_equal(archive[key], arrays[key]) for _ in range(20) for key in archive)
                os._exit(0 if good else 1)
            children.append(child)
        for _ in range(20):
            for key in archive:
                assert np.array_equal(archive[key], arrays[key])
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4


def test_several_members_at_once():
    arrays = archive_of(10)
    with sn.open_npz("m.npz") as archive:
        for threads in (1, 3):
            loaded = archive.arrays(threads=threads)
            assert list(loaded) == list(arrays)
            assert all(np.array_equal(loaded[key], arrays[key]) for key in arrays)
        with pytest.raises(KeyError):
            archive.arrays(["nothing"])
    with sn.open_npz("m.npz", limits=sn.Limits(max_total=100_000)) as archive, pytest.raises(sn.Refused) as caught:
        archive.arrays()
    assert caught.value.status == "SNPY_ZIP_TOTAL_TOO_LARGE"


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


@pytest.mark.parametrize("member, status", [
    ({"../evil.npy": by_numpy(np.eye(2))}, "SNPY_ZIP_PATH_ESCAPES"),
    ({"/abs.npy": by_numpy(np.eye(2))}, "SNPY_ZIP_PATH_ESCAPES"),
    ({"con.npy": by_numpy(np.eye(2))}, "SNPY_ZIP_PATH_NOT_PORTABLE"),
    ({"a:b.npy": by_numpy(np.eye(2))}, "SNPY_ZIP_PATH_NOT_PORTABLE"),
    ({"X.npy": by_numpy(np.eye(2)), "x.npy": by_numpy(np.eye(2))}, "SNPY_ZIP_PATH_COLLIDES"),
    ({"a.npy": b"no array"}, "SNPY_NOT_AN_ARRAY"),
])
def test_untrusted_refuses_archives(member, status):
    data = zip_of(member)
    verdict = sn.check(data, limits=sn.UNTRUSTED)
    assert verdict.status == status, verdict
    with pytest.raises(sn.Refused) as caught, sn.open_npz(data, limits=sn.UNTRUSTED) as archive:
        for key in archive:
            archive[key]
    assert caught.value.status == status
    relaxed = sn.UNTRUSTED.replace(unsafe_names=True, non_arrays=True)
    assert sn.check(data, limits=relaxed)


def test_objects_in_archives():
    np.savez("o.npz", o=np.array([None]), a=np.eye(2))
    assert sn.check("o.npz").notes == ["o.npy: object data are a pickle, which is not checked"]
    assert sn.check("o.npz", limits=sn.UNTRUSTED).status == "SNPY_OBJECT_DATA"
    with sn.load("o.npz") as archive:
        same(archive["a"], np.eye(2))
        with pytest.raises(sn.Refused):
            archive["o"]
    with sn.load("o.npz", allow_pickle=True) as archive:
        assert archive["o"][0] is None


def test_many_files_are_checked_in_their_order():
    for i in range(200):
        sn.save(f"{i}.npy", np.arange(i))
    with open("7.npy", "r+b") as file:
        file.truncate(150)
    paths = [f"{i}.npy" for i in range(200)] + ["missing.npy"]
    for jobs in (1, 3):
        verdicts = list(sn.check_many(iter(paths), jobs=jobs))
        assert [verdict.path for verdict in verdicts] == paths
        assert [verdict.path for verdict in verdicts if not verdict] == ["7.npy", "missing.npy"]
        assert verdicts[7].status == "SNPY_TRUNCATED_DATA" and verdicts[7].offset == 150
        assert isinstance(verdicts[-1].error, FileNotFoundError)


def test_names_are_judged_where_they_stand_and_in_little_memory():
    import resource

    data = zip_of({"a.npy": by_numpy(np.eye(2)), "../b.npy": by_numpy(np.eye(2))})
    for found in (sn.check(data, limits=sn.UNTRUSTED), pytest.raises(sn.Refused, sn.open_npz, data, limits=sn.UNTRUSTED).value):
        assert (found.rule, found.member) == ("NPZ-PATH-001", "../b.npy")
        assert data[found.offset:].startswith(b"..")
    deep = zip_of({f"{letter}/" + "a/" * 32000 + "x": b"" for letter in "abcd"})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sn.check(deep, limits=sn.UNTRUSTED)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16384


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_no_path_ends_many_checks_after_those_before_it(jobs):
    sn.save("x.npy", np.arange(3))

    def paths(last):
        yield from ["x.npy"] * 150
        if isinstance(last, Exception):
            raise last
        yield last

    for last, error in ((None, TypeError), ("a\0b", ValueError), (KeyError("mine"), KeyError)):
        verdicts = []
        with pytest.raises(error):
            collect(sn.check_many(paths(last), jobs=jobs), verdicts)
        assert len(verdicts) == 150 and all(verdicts)


def collect(source, verdicts):
    """Puts what comes before an error into a list."""
    for one in source:
        verdicts.append(one)  # extend() might drop them


@pytest.mark.parametrize("jobs", [1, 2])
def test_verdicts_come_as_they_are_made_and_closing_waits_for_no_batch(jobs):
    np.savez_compressed("large.npz", np.zeros(30_000_000))
    began = time.monotonic()
    assert sn.check("large.npz")
    each = time.monotonic() - began
    taken = []
    verdicts = sn.check_many((taken.append(i) or "large.npz" for i in range(1000)), jobs=jobs)
    began = time.monotonic()
    assert next(verdicts)
    verdicts.close()
    assert time.monotonic() - began < 12 * each + 1 and len(taken) <= 64
    assert threading.active_count() == 1


def test_a_number_of_threads_is_any_integer_from_one():
    for threads in (1, np.int64(2), 1 << 40):
        sn.savez_compressed("t.npz", threads=threads, a=np.eye(2), b=np.eye(3))
        with sn.open_npz("t.npz") as archive:
            assert list(archive.arrays(threads=threads)) == ["a", "b"]
    with sn.open_npz("t.npz") as archive:
        for threads, error in ((0, ValueError), (-1, ValueError), (1.5, TypeError), ("2", TypeError), (None, TypeError)):
            with pytest.raises(error):
                archive.arrays(threads=threads)
            with pytest.raises(error):
                sn.savez_compressed("t.npz", threads=threads, a=np.eye(2))


def test_patched_is_for_this_context_only():
    np.save("o.npy", np.array([None]), allow_pickle=True)
    original = np.load
    seen = []

    def elsewhere():
        seen.append(np.load("o.npy", allow_pickle=True)[0])

    with sn.patched():
        assert np.load("o.npy", allow_pickle=True)[0] is None
        with pytest.raises(sn.Refused):
            np.load("o.npy")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        np.savez("m.npz", level=np.eye(2), threads=np.eye(3))
        np.savez_compressed("c.npz", level=np.eye(2), threads=np.eye(3))
        assert isinstance(np.load("m.npz"), sn.Archive)
        same(np.load(b"c.npz")["level"], np.eye(2))
        with sn.patched(sn.UNTRUSTED), open("x.npy", "wb") as file:
            np.save(file, np.arange(3))
            file.write(b"!")
        same(np.load("x.npy"), np.arange(3))
    assert seen == [None]
    assert np.load is original

    async def task():
        await asyncio.sleep(0)
        return type(np.load("m.npz"))

    async def both():
        outside = asyncio.create_task(task())
        with sn.patched():
            inside = asyncio.create_task(task())
            return await outside, await inside

    kinds = contextvars.copy_context().run(asyncio.run, both())
    assert kinds[0] is np.lib.npyio.NpzFile and kinds[1] is sn.Archive


def test_many_loads_leave_memory_and_references_flat():
    """Ten loads or so a turn; with SAFENPY_FULL=1 100,000 in all."""
    import resource
    import sys

    dtype = np.dtype([("a", "<i2"), ("b", "<f8", (2,))])
    sn.savez_compressed("m.npz", a=np.zeros(1000, dtype))
    sn.save("x.npy", np.zeros(1000, dtype))
    data = open("x.npy", "rb").read()
    bad = data[:-1]
    cached = sn.header(data).dtype

    def turn():
        for source in ("x.npy", data, io.BytesIO(data)):
            sn.load(source)
        sn.load("x.npy", mmap_mode="r")
        with sn.open_npz("m.npz") as archive:
            archive["a"], archive.header("a"), archive.slice("a", 1, 2)
        for source in (bad, "missing"):
            try:
                sn.load(source)
            except (sn.Refused, OSError):
                pass
        sn.check(data), sn.check("x.npy")

    for _ in range(200):
        turn()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    references = sys.getrefcount(cached)
    for _ in range(10_000 if os.environ.get("SAFENPY_FULL") == "1" else 1000):
        turn()
    gc.collect()
    assert sys.getrefcount(cached) <= references + 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
