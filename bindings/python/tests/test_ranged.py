"""Archives in object stores: what is requested, that members are right, and that verdicts are those of the whole archive."""

import asyncio
import io
import struct
import threading
import zipfile

import fsspec
import numpy as np
import pytest
import safenpy as sn
from safenpy import _remote
from test_remote import GRID, Store, listed, put, raw, requests, told  # noqa: F401

ARRAYS = {f"m{number:03}": np.full(1000, number, "<f8") for number in range(300)}  # 2.4 MB, whose directory is 16 KB


def archive(save=np.savez, **arrays):
    out = io.BytesIO()
    save(out, **arrays)
    return out.getvalue()


def test_opening_costs_a_look_and_two_requests(put):  # noqa: F811
    data = archive(**ARRAYS)
    with sn.open_npz(put(data)) as z:
        assert requests() == ["look", (0, 4096), (len(data) - (128 << 10), len(data))]
        assert list(z) == list(ARRAYS) and len(z) == 300 and requests() == []
        start = z._opened.info(150)[5]
        assert np.array_equal(z["m150"], ARRAYS["m150"])
        (range_,) = [one for one in requests() if one != "look"]
        assert range_[0] == start and range_[1] == z._opened.info(151)[5]


def test_a_directory_before_the_end_costs_one_request_more(put):  # noqa: F811
    data = archive(**{f"a rather long name {number:05} {'x' * 40}": np.zeros(()) for number in range(3000)})
    with sn.open_npz(put(data)) as z:
        assert len(z) == 3000
        assert len(requests()) == 4  # a look, the first bytes, the last, and the directory


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_members_are_those_of_the_whole_archive(put, save):  # noqa: F811
    arrays = {"grid": GRID, "f": np.asfortranarray(GRID[:50, :7]), "s": np.array(["a", "bcd"]), "0": np.float64(3), "e": GRID[:0]}
    data = archive(save, **arrays)
    with sn.open_npz(put(data)) as z:
        assert z.keys() == arrays.keys()
        for key in ["e", "grid", "0", "f", "s", "grid"]:  # in any order
            assert np.array_equal(z[key], arrays[key]) and z[key].dtype == arrays[key].dtype
            assert z.header(key).shape == arrays[key].shape
        assert np.array_equal(z.slice("grid", 100, 102), GRID[100:102])
        z.verify("grid")
        assert np.array_equal(z.arrays(["f", "s"], threads=2)["f"], arrays["f"])
        with z.member("grid") as member:
            assert member.read(6) == b"\x93NUMPY"
        with pytest.raises(ValueError, match="mapped"):
            z.map("grid")
    with pytest.raises(ValueError, match="mapped"):
        sn.open_npz("logged://a.npy", mmap_mode="r")
    with pytest.raises(ValueError, match="closed"):
        z["grid"]


def test_a_header_or_a_slice_of_a_stored_member_does_not_fetch_it(put):  # noqa: F811
    with sn.open_npz(put(archive(first=GRID, grid=GRID))) as z:
        requests()
        assert z.header("grid").shape == GRID.shape
        (only,) = [one for one in requests() if one != "look"]
        assert only[1] - only[0] == 4096
        assert np.array_equal(z.slice("grid", 5, 7), GRID[5:7])
        ranges = [one for one in requests() if one != "look"]
        assert sum(stop - start for start, stop in ranges) <= 4096 + 2 * 500 * 4 and len(ranges) == 1


def test_all_archives_of_the_corpus(put, corpus, archive_cases):  # noqa: F811
    accepted = 0
    for case in archive_cases:
        data = (corpus / "archives" / case["file"]).read_bytes()
        url = put(data)
        expected = sn.check(data)
        if expected.format != "npz":
            continue
        verdict = _remote.examine(Store(), {"name": "/a.npy", "size": len(data)}, sn.Limits(), max_whole=0).verdict
        assert bool(verdict) == bool(expected), case["file"]
        if not expected:
            continue
        assert verdict.notes == expected.notes
        accepted += 1
        with sn.open_npz(url) as z, sn.open_npz(data) as whole:
            assert list(z) == list(whole)
            for key in whole:
                try:
                    wanted = whole[key]
                except sn.Refused as refusal:
                    with pytest.raises(sn.Refused) as raised:
                        z[key]
                    assert (raised.value.status, raised.value.offset) == (refusal.status, refusal.offset)
                    continue
                found = z[key]
                assert type(found) is type(wanted) and (found == wanted if isinstance(wanted, bytes) else
                                                        found.tobytes() == wanted.tobytes())
    assert accepted > 150


def test_large_archives_are_checked_by_ranges(put):  # noqa: F811
    noise = np.random.default_rng(1).integers(0, 255, 30 << 20, "u1")
    data = archive(np.savez_compressed, a=noise, b=GRID)
    put(data, "m.npz")
    bad = bytearray(data)
    bad[20 << 20] ^= 1
    put(bytes(bad), "n.npz")
    verdicts = list(sn.check_objects(Store(), listed(), max_archive=1 << 20))
    assert [told(verdict) for verdict in verdicts] == [told(sn.check(data)), told(sn.check(bytes(bad)))]
    assert max(stop - start for start, stop in (one for one in requests() if one != "look")) <= 8 << 20


def test_a_local_header_that_differs_is_refused_when_its_member_is_asked_for(put):  # noqa: F811
    data = bytearray(archive(a=GRID[:5], b=GRID[:5], c=GRID[:5]))
    with zipfile.ZipFile(io.BytesIO(data)) as plain:
        at = plain.getinfo("b.npy").header_offset
    data[at + 30] ^= 1  # a letter of the name
    with sn.open_npz(put(bytes(data))) as z:
        assert np.array_equal(z["a"], GRID[:5]) and np.array_equal(z["c"], GRID[:5])
        for _ in range(2):
            with pytest.raises(sn.Refused) as raised:
                z["b"]
            assert raised.value.member == "b.npy" and raised.value.rule.startswith("NPZ-LOCAL")
    assert not sn.check(bytes(data))


def test_members_that_overlap_are_refused(put):  # noqa: F811
    data = bytearray(archive(a=GRID[:5], b=GRID[:5]))
    (start,) = struct.unpack_from("<I", data, len(data) - 22 + 16)
    second = data.index(b"PK\1\2", start + 4)
    struct.pack_into("<I", data, second + 42, 0)  # b begins where a does
    with pytest.raises(sn.Refused) as raised:
        sn.open_npz(put(bytes(data)))
    assert raised.value.status == "SNPY_ZIP_OVERLAP"


def test_an_object_that_changes_or_ends_is_an_error(put, monkeypatch):  # noqa: F811
    data = archive(a=GRID, b=GRID)
    z = sn.open_npz(put(data))
    monkeypatch.setattr(Store, "answer", staticmethod(lambda data, start, end: data[start:end][:100]))
    with pytest.raises(OSError, match="has no byte"):
        z["a"]
    monkeypatch.undo()


def test_what_the_store_raises_is_raised(put, monkeypatch):  # noqa: F811
    z = sn.open_npz(put(archive(a=GRID, b=GRID)))

    def fails(self, path, **options):
        raise PermissionError("the key has expired")

    monkeypatch.setattr(Store, "cat_file", fails)
    for act in (lambda: z["a"], lambda: z.header("b"), lambda: z.slice("a", 1, 2), lambda: z.verify("a")):
        with pytest.raises(PermissionError, match="expired"):
            act()
    monkeypatch.undo()


def test_threads_share_an_archive(put):  # noqa: F811
    z = sn.open_npz(put(archive(**ARRAYS)))
    wrong = []

    def work(start):
        wrong.extend(key for key in list(ARRAYS)[start::4] if not np.array_equal(z[key], ARRAYS[key]))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_ways_to_name_it(put):  # noqa: F811
    url = put(archive(a=GRID))
    (entry,) = Store().ls("/", detail=True)
    requests()
    assert sn.open_npz(url, info=entry).files == ["a"] and "look" not in requests()
    assert sn.open_npz(fsspec.open(url)).files == ["a"]
    with pytest.raises(TypeError, match="URL"):
        sn.open_npz("a.npz", info=entry)
    with pytest.raises(TypeError, match="URL"):
        sn.open_npz(b"PK", key="k")
    with pytest.raises(sn.Refused):
        sn.open_npz(put(raw(GRID)))


def test_async_reads_wait_beside_others(put):  # noqa: F811
    url = put(archive(a=GRID, b=GRID[:5]))
    put(raw(GRID), "n.npy")

    async def work():
        z, a = await asyncio.gather(sn.open_npz_async(url), sn.open_async("logged://n.npy"))
        return await asyncio.gather(z.get_async("a"), z.get_async("b"), a.get_async(np.s_[5:7]))

    whole, few, rows = asyncio.run(work())
    assert np.array_equal(whole, GRID) and np.array_equal(few, GRID[:5]) and np.array_equal(rows, GRID[5:7])
    with pytest.raises(FileNotFoundError):
        asyncio.run(sn.open_async("logged://gone.npy"))


def test_threads_share_an_open_file(tmp_path):
    """Each reads where it has sought, not where another one has."""
    sn.save(tmp_path / "long.npy", np.arange(1000))

    async def work(a):
        return await asyncio.gather(*[a.get_async(index) for index in (0, -1, 5, -7)])

    for _ in range(300):
        with sn.open(tmp_path / "long.npy") as a:
            assert [int(one) for one in asyncio.run(work(a))] == [0, 999, 5, 993]
