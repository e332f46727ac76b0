"""File objects and paths that do what they should not: an exception or the right array, never anything else."""

import io
import os
import signal
import threading

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
        except ValueError as error:  # that of closed files, of archives, or a Refused
            assert isinstance(error, sn.Refused) or "closed" in str(error) or "is an archive" in str(error)
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


def test_an_archive_inside_a_file():
    with open("both", "wb") as file:
        np.save(file, ARRAY)
        sn.savez(file, a=ARRAY)
    for buffering in (0, -1):
        with open("both", "rb", buffering=buffering) as file:
            assert sn.load(file).tolist() == ARRAY.tolist()
            with sn.load(file) as archive:
                assert archive["a"].tolist() == ARRAY.tolist()


def test_an_archive_is_no_array():
    np.savez("m.npz", ARRAY)
    data = open("m.npz", "rb").read()
    for file in ("m.npz", data, io.BytesIO(data)):
        for call in (sn.header, lambda file: next(sn.iter_blocks(file))):
            if hasattr(file, "seek"):
                file.seek(0)
            with pytest.raises(ValueError, match="is an archive: name the member with key="):
                call(file)


def test_blocks_obey_the_size_of_the_file():
    long = b"\x93NUMPY\1\0v\0" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1000000000000), }".ljust(117) + b"\n"
    data = raw() + b"!"
    for make in (lambda data: data, io.BytesIO, Unseekable):
        with pytest.raises(sn.Refused) as caught:
            list(sn.iter_blocks(make(long + bytes(64))))
        assert (caught.value.status, caught.value.offset) == ("SNPY_TRUNCATED_DATA", 192)
        assert len(list(sn.iter_blocks(make(data), 10))) == 10
        with pytest.raises(sn.Refused) as caught:
            list(sn.iter_blocks(make(data), 10, limits=sn.UNTRUSTED))
        assert (caught.value.status, caught.value.offset) == ("SNPY_TRAILING_DATA", len(data) - 1)
    with pytest.raises(ValueError, match="negative"):
        sn.header(data, file_size=-1)


class Unseekable:
    """A file object that can be read only."""

    def __init__(self, data):
        self.read = io.BytesIO(data).read


def test_a_writer_may_return_nothing_unless_it_is_raw():
    class Collecting:
        def __init__(self):
            self.bytes = b""

        def write(self, data):
            self.bytes += data

    class Full(io.RawIOBase):
        def write(self, data):
            return None

    taken = Collecting()
    sn.save(taken, ARRAY)
    assert taken.bytes == raw()
    with pytest.raises(BlockingIOError):
        sn.save(Full(), ARRAY)


def test_a_signal_does_not_end_waiting_for_a_fifo():
    os.mkfifo("f.npy")
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        for call in (sn.load, sn.check, sn.header, lambda file: next(sn.check_many([file]))):
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            writer = threading.Timer(0.2, lambda: open("f.npy", "wb").write(raw()))
            writer.start()
            result = call("f.npy")
            signal.setitimer(signal.ITIMER_REAL, 0)
            writer.join()
            assert getattr(result, "shape", (100,)) == (100,) and seen and result is not None
            seen.clear()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("size", [0, 1, 3967, 3968, 3969, 5000])
@pytest.mark.parametrize("change", [-1, 0, 1])
def test_a_file_around_the_first_read(size, change):
    """Its end lies before, at or after the 4,096 bytes that a check reads first."""
    sn.save("x.npy", np.zeros(size, "u1"))
    if change > 0:
        with open("x.npy", "ab") as file:
            file.write(b"!")
    elif change < 0:
        os.truncate("x.npy", 128 + size - 1)
    lenient, strict = sn.check("x.npy"), sn.check("x.npy", limits=sn.UNTRUSTED)
    assert lenient.accepted is (change >= 0) and strict.accepted is (change == 0)
    assert lenient.notes == (["1 trailing byte"] if change > 0 else [])
    if change < 0 < size:
        assert (lenient.status, lenient.offset) == ("SNPY_TRUNCATED_DATA", 128 + size - 1)
    if change > 0:
        assert (strict.status, strict.offset) == ("SNPY_TRAILING_DATA", 128 + size)
