"""File objects and paths that do what they should not: an exception or the right array, never anything else."""

import io
import os

import numpy as np
import pytest
import safenpy as sn

ARRAY = np.arange(100)


def raw(save=np.save):
    out = io.BytesIO()
    save(out, ARRAY)
    return out.getvalue()


@pytest.mark.parametrize("closes_at", range(1, 6))
@pytest.mark.parametrize("save", [np.save, np.savez])
def test_a_file_object_that_closes_itself(closes_at, save):
    class Closing(io.BytesIO):
        calls = 0

        def readinto(self, view):
            self.calls += 1
            count = super().readinto(view)
            if self.calls == closes_at:
                self.close()
            return count

    for call in (sn.load, sn.check, sn.header, lambda file: list(sn.iter_blocks(file, 10))):
        try:
            result = call(Closing(raw(save)))
        except ValueError as error:  # that of closed files, or a Refused
            assert isinstance(error, sn.Refused) or "closed" in str(error)
            continue
        if isinstance(result, np.ndarray):
            assert result.tolist() == ARRAY.tolist()


@pytest.mark.parametrize("answer", [-1, 10**6, 1 << 80, "3", None, OSError("mine"), RuntimeError("mine")])
@pytest.mark.parametrize("save", [np.save, np.savez])
def test_a_file_object_that_lies_about_its_descriptor(answer, save):
    class Lying(io.FileIO):
        def fileno(self):
            if isinstance(answer, Exception):
                raise answer
            return answer

    with open("x", "wb") as file:
        file.write(raw(save))
    for call in (sn.load, sn.check, sn.header):
        with Lying("x") as file:
            try:
                result = call(file)
            except (TypeError, ValueError, OSError, OverflowError, RuntimeError):
                continue
            if call is sn.load:
                result = result if save is np.save else result["arr_0"]
                assert result.tolist() == ARRAY.tolist()


@pytest.mark.parametrize("ill", [ZeroDivisionError, StopIteration, KeyboardInterrupt, MemoryError])
def test_what_a_file_object_raises_is_what_comes_out(ill):
    class Failing(io.BytesIO):
        def __init__(self, data, reads):
            super().__init__(data)
            self.left = reads

        def readinto(self, view):
            self.left -= 1
            if self.left < 0:
                raise ill("mine")
            return super().readinto(view[:1])

        def write(self, data):
            raise ill("mine")

    for reads in (0, 3, 50, 140):
        for call in (sn.load, sn.check):
            with pytest.raises(ill, match="mine"):
                call(Failing(raw(), reads))
    for save in (sn.save, sn.savez):
        with pytest.raises(ill, match="mine"):
            save(Failing(b"", 0), ARRAY)


def test_a_file_object_that_loads_and_saves_while_it_is_read():
    data = raw(np.savez)

    class Entering(io.BytesIO):
        def readinto(self, view):
            sn.savez("x.npz", a=ARRAY)
            assert sn.load(data)["arr_0"].sum() == ARRAY.sum()
            with sn.patched():
                assert np.load("x.npz")["a"].sum() == ARRAY.sum()
            return super().readinto(view)

    assert sn.load(Entering(raw())).sum() == ARRAY.sum()
    assert sn.load(Entering(data))["arr_0"].sum() == ARRAY.sum()


def test_an_array_that_changes_while_it_is_saved():
    class Changing:
        """Its bytes are asked for once, and another array is returned each time."""

        calls = 0

        def __array__(self, dtype=None, copy=None):
            self.calls += 1
            return np.zeros(10 ** self.calls)

    changing = Changing()
    sn.save("x.npy", changing)
    assert len(sn.load("x.npy")) == 10 ** changing.calls


@pytest.mark.parametrize("answer", [3, None, "x\0y", b"x\0y", "", ValueError("mine")])
def test_paths_that_are_none(answer):
    class Path:
        def __fspath__(self):
            if isinstance(answer, Exception):
                raise answer
            return answer

    for call in (sn.load, sn.check, sn.header, sn.open_npz, lambda path: sn.save(path, ARRAY), lambda path: sn.append(path, ARRAY),
                 lambda path: list(sn.check_many([path]))):
        try:
            result = call(Path())
        except (TypeError, ValueError, OSError):
            continue
        assert answer == "" and (result is None or not result[0])  # saved as ".npy"; a verdict with an error
    assert set(os.listdir()) <= {".npy"}
