"""The conformance suite: verdicts, statuses, offsets, dtypes and values."""

import io

import numpy as np
import pytest
import safenpy as sn
from numpy.lib import format as npy

pytestmark = pytest.mark.filterwarnings("ignore:Reading `.npy`")


def numpy_header(data):
    """What NumPy makes of a header, by the reader of all versions that it keeps to itself."""
    try:
        from numpy.lib._format_impl import _read_array_header as read
    except ImportError:
        read = npy._read_array_header
    file = io.BytesIO(data)
    version = npy.read_magic(file)
    return read(file, version, max_header_size=1 << 30)


def outcome(call):
    try:
        return None, call()
    except sn.Refused as refusal:
        return (refusal.status, refusal.offset), None


def test_headers_are_accepted_or_refused_as_the_suite_says(corpus, cases):
    checked = 0
    for case in cases:
        if case["verdict"] == "choice" and case["flags"] == []:
            continue
        path = corpus / case["file"]
        if path.read_bytes()[:4] in (b"PK\3\4", b"PK\5\6"):
            continue  # an archive, and read as one
        verdict = sn.check(path)
        if case["verdict"] == "accept":
            assert verdict.accepted, case["id"]
        elif case["verdict"] == "reject":
            assert not verdict.accepted, case["id"]
            expected = case["expect"] if "error" not in case else case["error"]
            expected = expected.get("error", expected)
            assert (verdict.status, verdict.offset) == (expected["status"], expected["offset"]), case["id"]
        checked += 1
    assert checked > 3000


def test_dtypes_equal_those_of_numpy(corpus, cases):
    compared = 0
    for case in cases:
        if case["verdict"] != "accept":
            continue
        data = (corpus / case["file"]).read_bytes()
        header = sn.header(data)
        try:
            shape, fortran_order, dtype = numpy_header(data)
        except Exception:
            continue  # this NumPy refuses it
        assert header.dtype == dtype, case["id"]
        assert repr(header.dtype) == repr(dtype), case["id"]
        assert header.dtype.isalignedstruct == dtype.isalignedstruct, case["id"]
        assert header.dtype.fields == dtype.fields, case["id"]
        assert (header.shape, header.fortran_order) == (shape, fortran_order), case["id"]
        compared += 1
    assert compared > 1200


def test_values_equal_those_of_numpy_on_every_path(corpus, cases):
    compared = 0
    for case in cases:
        if case["verdict"] != "accept":
            continue
        path = corpus / case["file"]
        data = path.read_bytes()
        if case["expect"]["has_object"]:
            with pytest.raises(sn.Refused) as caught:
                sn.load(path)
            assert caught.value.status == "SNPY_OBJECT_DATA", case["id"]
            continue
        try:
            theirs = np.load(path)
        except Exception:
            continue  # NumPy has no such array
        ways = [sn.load(path), sn.load(data), sn.load(io.BytesIO(data)), sn.load(path, mmap_mode="r")]
        for array in ways:
            assert (array.shape, array.dtype) == (theirs.shape, theirs.dtype), case["id"]
            assert not theirs.nbytes or array.flags.f_contiguous == theirs.flags.f_contiguous, case["id"]
            assert array.tobytes("A") == theirs.tobytes("A"), case["id"]
        compared += 1
    assert compared > 1200


def test_archives_are_accepted_or_refused_as_the_suite_says(corpus, archive_cases):
    accepted = refused = 0
    for case in archive_cases:
        path = corpus / "archives" / case["file"]
        verdict = sn.check(path)
        if case["verdict"] == "accept":
            assert verdict.accepted, (case["id"], verdict)
            with sn.open_npz(path) as archive:
                for key in archive:
                    status, _ = outcome(lambda: archive[key])
                    assert status is None or status[0] == "SNPY_OBJECT_DATA", case["id"]
            accepted += 1
        elif case["verdict"] == "reject":
            assert not verdict.accepted, case["id"]
            refused += 1
    assert accepted > 20 and refused > 100
