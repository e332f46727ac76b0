"""Bytes of any kind, under atheris: every way to read them says the same, and nothing but a refusal is raised.

    python tests/fuzz.py [-max_total_time=SECONDS] [FOLDER]...       options of libFuzzer; check.py --fuzz builds what it needs
"""

import io
import os
import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["safenpy"]):
    import safenpy as sn

LIMITS = sn.Limits(max_header=1 << 16, max_data=1 << 22, max_member=1 << 22, max_total=1 << 23, max_members=1000, strict_deflate=True)
PATH = tempfile.mkstemp(suffix=".npy", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)[1]


class Stream:
    """Bytes that come in pieces, and cannot be read twice."""

    def __init__(self, data, piece):
        self.file = io.BytesIO(data)
        self.piece = piece

    def read(self, size):
        return self.file.read(min(size, self.piece))


def outcome(call, *args, **options):
    """What a call returns, or (status, offset) of its refusal. Any other exception is a bug."""
    try:
        return call(*args, **options), None
    except sn.Refused as refusal:
        return None, (refusal.status, refusal.offset)


def told(array):
    return array.dtype, array.shape, array.tobytes()


def read_archive(source, verdict):
    archive, refusal = outcome(sn.open_npz, source, limits=LIMITS)
    if refusal is not None:
        assert not verdict, refusal
        return
    with archive:
        for key in archive:
            whole, refusal = outcome(archive.__getitem__, key)
            assert refusal is None or not verdict or refusal[0] == "SNPY_OBJECT_DATA", (key, refusal)
            if whole is None or isinstance(whole, bytes):
                continue
            assert archive.header(key).dtype == whole.dtype
            blocks = list(sn.iter_blocks(source, key=key, limits=LIMITS))
            assert b"".join(block.tobytes("A") for block in blocks) == whole.tobytes("A")
            if whole.ndim:
                assert told(archive.slice(key, 1, -1)) == told(whole[1:-1].copy())


def read_array(data, verdict):
    with open(PATH, "wb") as file:
        file.write(data)
    piece = 1 + len(data) % 97
    ways = [outcome(sn.load, source, limits=LIMITS) for source in (PATH, data, io.BytesIO(data), Stream(data, piece))]
    ways.append(outcome(sn.load, PATH, mmap_mode="r", limits=LIMITS))
    refusals = {refusal for _, refusal in ways}
    assert len(refusals) == 1, ways
    refusal = refusals.pop()
    assert (sn.check(Stream(data, piece), limits=LIMITS).status, sn.check(PATH, limits=LIMITS).status) == (verdict.status,) * 2
    if refusal is not None:
        assert refusal[0] == (verdict.status or "SNPY_OBJECT_DATA"), (refusal, verdict)
        return
    assert verdict, verdict
    arrays = [told(array) for array, _ in ways]
    assert all(one == arrays[0] for one in arrays[1:])
    out = io.BytesIO()
    sn.save(out, ways[0][0])
    again = sn.load(out.getvalue())
    assert (again.shape, again.tobytes()) == (ways[0][0].shape, ways[0][0].tobytes()) or again.dtype.names is not None


def one_input(data):
    verdict = sn.check(data, limits=LIMITS)
    if data[:4] in (b"PK\3\4", b"PK\5\6"):
        read_archive(data, verdict)
    else:
        read_array(data, verdict)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
