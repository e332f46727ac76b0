"""A small suite of real files for the tests of the runner: one case of each kind that it tells apart.

Every expectation stands here in full, made without the runner's own readers.
"""

import hashlib
import json
import struct

FLAGS = {
    "strict": {"declared": "reject", "text": "refuses odd spellings"},
    "long-header": {"declared": "accept", "text": "takes long headers"},
    "int-shape": {"declared": "accept", "text": "takes an integer as a shape"},
    "native-order": {"declared": "accept", "text": "takes a type without order"},
}
RECORD = "[(('T', 'a'), '<i2'), ('', '|V1'), ('b', '>f4', (2,))]"
F8, FORTRAN, ENTRY, VERSION = "accept/a/f8", "accept/a/fortran", "accept/a/record", "accept/a/version"
BYTE, OBJECT, FLAGGED, HANDMADE = "accept/b/byte", "accept/b/object", "accept/b/flagged", "accept/c/handmade"
MAGIC, SIZES, ONE = "reject/x/magic", "reject/y/sizes", "reject/y/one"
STRICT, LONG, COMPAT, NATIVE = "choice/s/strict", "choice/t/long", "choice/u/int-shape", "choice/u/native"


def header(descr, fortran, shape, version=1):
    """A header as numpy.save writes it today; `descr` is the literal's text."""
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    if shape:
        text += " " * (21 - len(repr(shape[-1 if fortran else 0])))
    prefix = 10 if version == 1 else 12
    text += " " * (64 - (prefix + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + length + text.encode("latin-1")


def expect(head, descr, shape, fortran, itemsize, elements, **more):
    """The manifest's `expect`."""
    count = 1
    for dim in shape:
        count *= dim
    value = {
        "version": f"{head[6]}.0", "descr": descr, "shape": list(shape), "fortran_order": fortran,
        "itemsize": itemsize, "count": count, "data_offset": len(head), "data_size": count * itemsize,
        "has_object": False, "elements_sha256": hashlib.sha256(elements).hexdigest(), **more,
    }
    return {key: item for key, item in value.items() if item is not Ellipsis}


def record(name, data, rules, **keys):
    """A record of the manifest, and its file's bytes."""
    return {
        "id": name, "file": name + ".npy", "sha256": hashlib.sha256(data).hexdigest(), "format": "npy 1.0",
        "verdict": name.split("/")[0], "flags": [], "rules": rules, "reason": f"A reason for {name}.",
        "maker": "small.py", "numpy": {}, **keys,
    }, data


def accepted():
    """The good files."""
    head, raw = header("'<f8'", False, (3,)), struct.pack("<3d", 1, 2, 3)
    yield record(F8, head + raw + b"behind", ["NPY-DATA-002", "NPY-HDR-001"], canonical=True, rewrite=True,
                 expect=expect(head, "<f8", (3,), False, 8, raw))
    head = header("'>f4'", True, (2, 3))
    raw = struct.pack(">6f", 1, 4, 2, 5, 3, 6)
    yield record(FORTRAN, head + raw, ["NPY-SHAPE-005"], canonical=True, rewrite=True,
                 expect=expect(head, ">f4", (2, 3), True, 4, struct.pack("<6f", 1, 2, 3, 4, 5, 6)))
    yield entries()
    head, raw = header("'<f8'", False, (2,), 2), struct.pack("<2d", 1, 2)
    yield record(VERSION, head + raw, ["NPY-FRAME-003"], canonical=False, rewrite=True,
                 refused_with=[canonical(6)],
                 expect=expect(head, "<f8", (2,), False, 8, raw))
    head = header("'|u1'", False, ())
    yield record(BYTE, head + b"\x05", ["NPY-DTYPE-001"], canonical=True, rewrite=True,
                 expect=expect(head, "|u1", (), False, 1, b"\x05"))
    head = header("'|O'", False, (2,))
    yield record(OBJECT, head + b"\x80\x04.", ["NPY-DATA-003"], canonical=True, rewrite=True,
                 expect=expect(head, "|O", (2,), False, 8, b"", data_size=None, has_object=True,
                               elements_sha256=...))
    head = header("'<i2'", True, (1, 4))
    yield record(FLAGGED, head + bytes(8), ["NPY-HDR-007"], canonical=False, rewrite=True,
                 refused_with=[canonical(44)], expect=expect(head, "<i2", (1, 4), True, 2, bytes(8)))
    head = header("'<f8'", False, (1,)).replace(b"'<f8'", b'"<f8"')
    yield record(HANDMADE, head + bytes(8), ["NPY-LIT-004"],
                 expect=expect(head, "<f8", (1,), False, 8, bytes(8)))


def entries():
    """Records with a title, a gap and a sub-array of the other byte order."""
    head = header(RECORD, False, (2,))
    raw = b"".join(struct.pack("<hx", number) + struct.pack(">2f", number, 0.5) for number in (1, 2))
    elements = b"".join(struct.pack("<hx2f", number, number, 0.5) for number in (1, 2))
    fields = [
        {"name": "a", "path": ["a"], "descr": "<i2", "offset": 0, "itemsize": 2, "shape": [], "title": "T"},
        {"name": "b", "path": ["b"], "descr": ">f4", "offset": 3, "itemsize": 8, "shape": [2], "title": None},
    ]
    return record(ENTRY, head + raw, ["NPY-DTYPE-014", "NPY-DTYPE-015"], canonical=True, rewrite=True,
                  expect=expect(head, RECORD, (2,), False, 11, elements, fields=fields))


def canonical(offset):
    """A refusal of the canonical profile."""
    return {"options": ["--profile", "canonical"], "error": {"status": "SNPY_NOT_CANONICAL", "offset": offset}}


def refused():
    """The bad files."""
    yield record(MAGIC, b"NUMPY", ["NPY-FRAME-001"], error={"status": "SNPY_BAD_MAGIC", "offset": 0})
    head = header("'<f8'", False, (1 << 62,))
    yield record(SIZES, head, ["NPY-SHAPE-004"], error={"status": "SNPY_SIZE_OVERFLOW", "offset": 61})
    head = header("[('a', '<f8', 1)]", False, (1,))
    yield record(ONE, head, ["NPY-LIT-015", "NPY-LIT-023"], error={"status": "SNPY_EXPECTED_SHAPE", "offset": 34},
                 refused_with=[{"options": ["--compat", "int-shape"],
                                "error": {"status": "SNPY_ONE_AS_SHAPE", "offset": 34}}])


def chosen():
    """The files that are each implementation's choice."""
    head = header("'<f8'", False, (1,)).replace(b"(1,)", b"(1,#")
    yield record(STRICT, head, ["NPY-LIT-017"], flags=["strict"],
                 error={"status": "SNPY_BAD_DIMENSION", "offset": 63})
    head = header("'<i8'", False, (1,))
    yield record(LONG, head + bytes(8), ["NPY-FRAME-005"], flags=["long-header"], canonical=True, rewrite=True,
                 options=["--max-header", "70000"], error={"status": "SNPY_HEADER_TOO_LONG", "offset": 8},
                 expect=expect(head, "<i8", (1,), False, 8, bytes(8)))
    head = header("[('a', '<f8', 2)]", False, (1,))
    field = {"name": "a", "path": ["a"], "descr": "<f8", "offset": 0, "itemsize": 16, "shape": [2], "title": None}
    yield record(COMPAT, head + bytes(16), ["NPY-LIT-015"], flags=["int-shape"], options=["--compat", "int-shape"],
                 error={"status": "SNPY_EXPECTED_SHAPE", "offset": 34},
                 expect=expect(head, "[('a', '<f8', (2,))]", (1,), False, 16, bytes(16), fields=[field]))
    head = header("'f8'", False, (1,))
    yield record(NATIVE, head + bytes(8), ["NPY-DTYPE-003"], flags=["native-order"],
                 options=["--compat", "native-order"], error={"status": "SNPY_NO_BYTE_ORDER", "offset": 21},
                 expect=expect(head, "<f8", (1,), False, 8, bytes(8)))


def make(folder):
    """Writes the suite; its records."""
    cases = [*accepted(), *refused(), *chosen()]
    cases.sort(key=lambda pair: pair[0]["id"])
    for case, data in cases:
        path = folder / case["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    records = [case for case, _ in cases]
    write_manifest(folder / "manifest.json", records)
    return records


def write_manifest(path, records, flags=None, **more):
    """A manifest; a liar finds in `more` what it declares."""
    value = {"suite": "small", "version": "7", "flags": flags or FLAGS, **more, "cases": records}
    path.write_text(json.dumps(value), encoding="ascii")
