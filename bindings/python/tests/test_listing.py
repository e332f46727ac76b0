"""sn.objects: what pickles need, against pickletools and the suite of object arrays."""

import io
import json
import pickle
import pickletools

import numpy as np
import pytest
import safenpy as sn

SUITE = "objects/manifest.json"


def dumped(value, protocol=4):
    out = io.BytesIO()
    np.lib.format.write_array(out, value, allow_pickle=True) if protocol is None else out.write(pickle.dumps(value, protocol))
    return out.getvalue()


@pytest.mark.parametrize("protocol", range(6))
def test_opcodes_and_globals_are_those_of_pickletools(protocol):
    value = {"a": [1, 2.5, None, True, b"b" * 300], "t": (1, (2, 3)), "s": {1, 2}, "c": complex(1, 2), "d": np.dtype("<i4")}
    data = pickle.dumps(value, protocol)
    (need,) = sn.objects(data)
    counts = {}
    for opcode, _, _ in pickletools.genops(data):
        counts[opcode.code.encode("latin-1")[0]] = counts.get(opcode.code.encode("latin-1")[0], 0) + 1
    assert need.opcodes == counts and need.size == len(data) and need.format == "pickle" and need.error is None
    assert need.fits == "plain" and {"dtype", "complex"} <= {one.name for one in need.globals}
    assert all(data[one.offset] in b"c\x93" for one in need.globals)


def test_arrays_and_members_are_listed_with_offsets_of_the_file(tmp_path):
    np.save("o.npy", np.array([{"k": 1}, None]), allow_pickle=True)
    np.savez("m.npz", plain=np.arange(3), held=np.array([{1, 2}, None]))
    (need,) = sn.objects("o.npy")
    assert (need.format, need.fits, need.offset) == ("npy", "data", 128)
    data = (tmp_path / "o.npy").read_bytes()
    assert all(data[one.offset] in b"c\x93" for one in need.globals) and need.size == len(data) - 128
    first, second = sn.objects(tmp_path / "m.npz")
    assert (first.key, first.fits, first.opcodes) == ("plain", "none", None)
    assert (second.key, second.format) == ("held", "npz") and second.fits in ("data", "plain") and second.offset == 128
    with open("o.npy", "rb") as file:
        assert sn.objects(file) == [need]
    assert sn.objects(data) == [need] and sn.objects(memoryview(data)) == [need]


@pytest.mark.parametrize(("data", "fits", "offset"), [
    (b"cos\nsystem\n(S'ls'\ntR.", "other", None),
    (b"\x80\x04Pid\n.", "other", 2),
    (b"", "damaged", 0),
    (b"\x80\x04N", "damaged", 3),
    (b"N.N", "damaged", 2),
    (b"\xff", "damaged", 0),
])
def test_what_is_no_plain_pickle(data, fits, offset):
    (need,) = sn.objects(data)
    assert need.fits == fits and (need.error is None) == (offset is None)
    if offset is not None:
        assert need.error.offset == offset and need.error.rule.startswith("NPY-PKL-")


def test_the_suite(corpus):
    cases = json.loads((corpus / SUITE).read_text())["cases"]
    seen = set()
    for case in cases:
        (need,) = sn.objects(corpus / "objects" / case["file"])
        seen.add(need.fits)
        if case["verdict"] == "accept":
            assert need.fits == case["fits"], case["id"]
    assert seen >= {"data", "plain", "other", "damaged"} and len(cases) > 700


def test_broken_headers_are_refused_and_nothing_is_imported():
    with pytest.raises(sn.Refused):
        sn.objects(b"\x93NUMPY\x09\x00")
    with pytest.raises(sn.Refused):
        sn.objects(b"PK\3\4")
    (need,) = sn.objects(b"cantigravity\nfly\n.")
    assert need.globals == (sn.Global(0, "antigravity", "fly", "other"),)
    import sys

    assert "antigravity" not in sys.modules
