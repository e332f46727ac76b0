"""Writes the files that NumPy's own writer makes, and those that its old versions made.

    python3 corpus/make_numpy.py            # needs NumPy 2.x; checked with 2.4 on Python 3.11

Every byte is fixed: the data are small counting values, padding is zero, and so are the unused bytes
of long doubles. The expected results are NumPy's own dtype objects put into words by describe.py.
Old versions' files (accept/old) are spelled out as bytes, since those versions no longer run.
"""

import io
import math
import warnings

import numpy as np

import manifest
from describe import c_contiguous_too, describe, expectation, first_difference, npy

MAKER = "make_numpy.py"
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
WIDE = ["i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32", "U3", "M8[ns]", "m8[ns]"]
SINGLE = ["b1", "i1", "u1", "S5", "V7"]


# ---- Data: the same bytes on every run ------------------------------------------------------------

def long_doubles(count, order):
    """`count` x87 numbers 0, 1, 2, … in 16 bytes each, the six unused ones zero."""
    parts = []
    for number in range(count):
        raw = bytes(16)
        if number:
            exponent = number.bit_length() - 1
            raw = (number << (63 - exponent)).to_bytes(8, "little")
            raw += (16383 + exponent).to_bytes(2, "little") + bytes(6)
        parts.append(raw if order == "<" else raw[::-1])
    return b"".join(parts)


def counting(dtype, count):
    """A one-dimensional array of `count` items of a simple dtype with plain, distinct values."""
    order = ">" if dtype.byteorder == ">" else "<"
    numbers = np.arange(count, dtype=order + "i8")
    if dtype.kind in "mM":
        return numbers.view(dtype)
    if dtype.kind in "fc" and dtype.itemsize in (16, 32) and dtype != np.dtype(order + "c16"):
        per_item = dtype.itemsize // 16
        return np.frombuffer(long_doubles(count * per_item, order), dtype=dtype)
    if dtype.kind == "S":
        return np.array([b"%d" % (n % 10) for n in range(count)], dtype=dtype)
    if dtype.kind == "U":
        return np.array(["aé整"[n % 3] for n in range(count)], dtype=dtype)
    if dtype.kind == "V":
        raw = bytes((7 * n + 1) % 251 for n in range(count * dtype.itemsize))
        return np.frombuffer(raw, dtype=dtype) if raw else np.zeros(count, dtype)
    if dtype.kind == "O":
        values = [None, True, 7, 2.5, "text", b"bytes", [1, 2], {"a": 1}]
        result = np.empty(count, dtype=object)
        result[:] = [values[n % len(values)] for n in range(count)]
        return result
    if dtype.kind == "b":
        return (numbers % 2).astype(dtype)
    return (numbers % 100).astype(dtype)


def fill(array):
    """Sets every field of a zeroed array, and leaves its padding zero."""
    dtype = array.dtype
    if dtype.names is not None:
        for name in dtype.names:
            if array.ndim + dtype[name].ndim <= 64:      # else NumPy cannot view the field
                fill(array[name])
    elif dtype.itemsize and array.size:
        array[...] = counting(dtype, array.size).reshape(array.shape)


def filled(dtype, shape, order="C"):
    """An array of any dtype with counting values and zero padding, in C or Fortran order."""
    dtype = np.dtype(dtype)
    count = math.prod(shape)
    if dtype.names is None and dtype.subdtype is None and dtype.itemsize:
        array = counting(dtype, count)
    else:
        array = np.zeros(count, dtype)
        fill(array)
    if order == "F":
        return array.reshape(shape[::-1]).T
    return array.reshape(shape)


# ---- Cases ----------------------------------------------------------------------------------------

CASES = []


def slug(text):
    """A type string as part of a file's name: "<M8[25s]" is "le-M8-25s"."""
    for old, new in (("<", "le-"), (">", "be-"), ("|", ""), ("[", "-"), ("]", "")):
        text = text.replace(old, new)
    return text


def not_canonical(data):
    """The refusal of a header by the canonical profile, if it is not canonical."""
    offset = first_difference(data)
    if offset is None:
        return []
    return [{"options": ["--profile", "canonical"],
             "error": manifest.refusal("SNPY_NOT_CANONICAL", offset)}]


def add(name, data, reason, *, rules, canonical, rewrite=True, lossy=False, array=None, group="numpy"):
    """Adds a case whose expected result NumPy itself gives."""
    expect = describe(data)
    if array is not None and not lossy:
        wrote = expectation((data[6], data[7]), array.dtype, array.shape,
                            array.flags.f_contiguous and not array.flags.c_contiguous,
                            expect["data_offset"])
        assert expect == wrote, (name, expect, wrote)
    refused = not_canonical(data)
    if lossy:                                   # what NumPy reads back may be written otherwise
        canonical = rewrite = not refused
    assert canonical != bool(refused), (name, refused)
    if any(case.data == data for case in CASES):
        return                                  # NumPy wrote what another case holds already
    CASES.append(manifest.Case(
        id=f"accept/{group}/{name}", data=data, verdict="accept", reason=reason, rules=rules,
        expect=expect, refused_with=refused, canonical=canonical, rewrite=rewrite))


def saved(array, version=None):
    """The bytes that NumPy writes for an array."""
    stream = io.BytesIO()
    npy.write_array(stream, array, version=version)
    return stream.getvalue()


def save(name, array, reason, *, rules=(), version=None, lossy=False):
    """Adds a file written by numpy.save (or write_array with an explicit version)."""
    data = saved(array, version)
    default = saved(array)[:8] == data[:8]
    rules = [*rules, "NPY-WRITE-008", "NPY-SHAPE-005"]
    rules.append("NPY-WRITE-009" if version is None else "NPY-FRAME-004")
    add(name, data, reason, rules=rules, canonical=default,
        lossy=lossy, array=array)


def header_only(name, descr, shape, reason, *, fortran_order=False, version=None, data=b"", rules=()):
    """Adds a file whose header NumPy's header writer makes from a dictionary."""
    stream = io.BytesIO()
    npy._write_array_header(stream, {"descr": descr, "fortran_order": fortran_order, "shape": shape}, version)
    header = stream.getvalue()
    canonical = version is None and not (fortran_order and c_contiguous_too(shape))
    add(name, header + data, reason, rules=[*rules, "NPY-WRITE-008"], canonical=canonical)


# ---- Simple types ---------------------------------------------------------------------------------

def simple_types():
    """Every simple dtype in every byte order."""
    for kind in WIDE:
        for order in "<>":
            text = order + kind
            save(f"dtype/{slug(text)}", filled(text, (3,)), f"The type {text}, as numpy.save writes it.",
                 rules=["NPY-DTYPE-001", "NPY-DTYPE-002"])
    for kind in SINGLE:
        save(f"dtype/{slug(kind)}", filled(kind, (3,)),
             f"The type |{kind} has no byte order, and numpy.save writes a bar.", rules=["NPY-DTYPE-002"])
    for kind in ("S1", "S64", "S300", "U1", "U64", "V1", "V16", "V300"):
        text = ("<" if kind[0] == "U" else "|") + kind
        save(f"dtype/size-{slug(text)}", filled(text, (2,)), f"A {text}: sizes of flexible types are free.",
             rules=["NPY-DTYPE-004"])
    save("dtype/char", np.array([b"a", b"b"], dtype="c"), "NumPy's own type 'c' is written as |S1.")
    save("dtype/str-default", np.zeros(2, "S0"), "numpy.zeros turns S0 into S1 before it is saved.")
    for order in "<>":
        for kind in "US":
            if kind == "U" or order == "<":
                text = ("|" if kind == "S" else order) + kind + "0"
                header_only(f"dtype/empty-{slug(text)}", text, (3,), f"Items of {text} take no bytes.",
                            rules=["NPY-DTYPE-004", "NPY-SHAPE-005"])
    header_only("dtype/empty-V0", "|V0", (2, 3), "Items of |V0 take no bytes.", rules=["NPY-DTYPE-004"])


def datetimes():
    """Every unit of both kinds, multipliers, and the generic unit."""
    for kind in "Mm":
        for unit in UNITS:
            text = f"<{kind}8[{unit}]"
            if unit != "ns":
                name = "datetime" if kind == "M" else "timedelta"
                save(f"datetime/{name}-{unit}", filled(text, (2,)), f"The unit {unit}.", rules=["NPY-DTYPE-009"])
        for multiplier, unit in ((2, "Y"), (7, "D"), (25, "s"), (100, "ns"), (2147483647, "as")):
            text = f"<{kind}8[{multiplier}{unit}]"
            save(f"datetime/{slug(text)}", filled(text, (2,)), f"The multiplier {multiplier}.",
                 rules=["NPY-DTYPE-010"])
        for order in "<>":
            text = f"{order}{kind}8"
            save(f"datetime/{slug(text)}-generic", filled(text, (2,)), "A generic unit is written without brackets.",
                 rules=["NPY-DTYPE-009", "NPY-WRITE-001"])
        text = f">{kind}8[10ms]"
        save(f"datetime/{slug(text)}", filled(text, (2,)), "A big-endian type with multiplier and unit.",
             rules=["NPY-DTYPE-010"])
    save("datetime/multiplier-one", filled("<M8[1s]", (2,)), "A multiplier of one is not written.",
         rules=["NPY-WRITE-001"])


# ---- Shapes and orders ----------------------------------------------------------------------------

def shapes():
    """Dimensionalities from 0 to 64, empty arrays, both orders, growth padding."""
    plain = [(), (1,), (3,), (10,), (2, 3), (1, 5), (5, 1), (1, 1), (2, 3, 4), (2, 1, 3), (2, 3, 2, 2),
             (1, 2, 1, 3, 1), (2, 2, 2, 2, 2), (2,) * 6, (1,) * 8]
    for shape in plain:
        name = "x".join(map(str, shape)) or "0d"
        save(f"shape/{name}", filled("<i4", shape), f"The shape {shape}.", rules=["NPY-LIT-017"])
    for shape in [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 4), (0, 1, 0, 1, 0)]:
        name = "x".join(map(str, shape))
        save(f"shape/empty-{name}", filled("<f8", shape), f"The shape {shape} holds no element, and the file no data.",
             rules=["NPY-SHAPE-005", "NPY-DATA-001"])
    for ndim in (16, 31, 32, 33, 63, 64):
        save(f"shape/ndim-{ndim}", filled("|u1", (1,) * ndim), f"{ndim} dimensions (NumPy 1.x stops at 32).",
             rules=["NPY-SHAPE-001"])
    save("shape/ndim-64-mixed", filled("|u1", (2, 2) + (1,) * 60 + (2, 2)), "64 dimensions, not all of them one.",
         rules=["NPY-SHAPE-001"])
    save("shape/ndim-64-fortran", filled("|u1", (2, 2) + (1,) * 60 + (2, 2), "F"),
         "64 dimensions in Fortran order.", rules=["NPY-SHAPE-001"])
    for digits in range(1, 18, 4):
        dim = 10 ** (digits - 1)
        save(f"shape/growth-c-{digits}", np.zeros((dim, 0), "|u1"),
             "In C order the first dimension may grow to 21 digits in place.")
    save("shape/growth-scalar", filled("<f4", ()), "Without dimensions there is nothing to grow.")


def orders():
    """Fortran order with every kind, and where NumPy's writer does not set the flag."""
    for text in ("|b1", "<i4", ">i4", "<f8", ">f8", "<f2", "<f16", "<c16", ">c8", "|S3", "<U2", ">U2", "|V3",
                 "<M8[ns]", ">m8[D]"):
        save(f"order/fortran-{slug(text)}", filled(text, (3, 2), "F"), f"A {text} array in Fortran order.",
             rules=["NPY-HDR-004"])
        save(f"order/c-{slug(text)}", filled(text, (3, 2)), f"A {text} array in C order.", rules=["NPY-HDR-004"])
    for shape in [(2, 3, 4), (1, 2, 3), (2, 2, 2, 2), (2, 3, 1, 2, 2), (12345, 2), (2, 12345)]:
        name = "x".join(map(str, shape))
        save(f"order/fortran-{name}", filled("|u1", shape, "F"),
             "In Fortran order the last dimension may grow in place.", rules=["NPY-HDR-004"])
    for shape in [(5,), (1, 5), (5, 1), (1, 1, 4), (0, 3), ()]:
        name = "x".join(map(str, shape)) or "0d"
        save(f"order/both-{name}", filled("<i2", shape, "F"),
             "An array that is contiguous in both orders is written as C order.", rules=["NPY-HDR-007"])
        data = b"" if 0 in shape else bytes(2 * math.prod(shape))
        header_only(f"order/both-flagged-{name}", "<i2", shape, fortran_order=True, data=data, rules=["NPY-HDR-007"],
                    reason="NumPy's header writer keeps the flag it is given, though both orders agree.")
    save("order/strided", filled("<i4", (4, 6))[::2, ::3], "A view with gaps is written packed, in C order.")
    save("order/reversed", filled("<i4", (4,))[::-1], "A reversed view is written in the order of its elements.")


# ---- Records --------------------------------------------------------------------------------------

def record(name, dtype, reason, *, shape=(2,), rules=(), lossy=False, order="C"):
    """Adds a file of records."""
    dtype = np.dtype(dtype)
    save(f"record/{name}", filled(dtype, shape, order), reason, rules=["NPY-DTYPE-015", *rules], lossy=lossy)


def offsets(names, formats, places, itemsize):
    """A dtype with explicit offsets."""
    return {"names": names, "formats": formats, "offsets": places, "itemsize": itemsize}


def plain_records():
    """Packed records of every kind."""
    record("one-field", [("a", "<f8")], "A record of one field.")
    record("two-fields", [("a", "<f8"), ("b", "<i4")], "Fields are packed: b at 8, itemsize 12.")
    record("all-kinds", [(f"f{n}", text) for n, text in enumerate(
        ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<f16", "<c8", "<c16",
         "<c32", "|S3", "<U3", "|V3", "<M8[ns]", "<m8[25s]"])], "A record with a field of every kind.", shape=(1,))
    record("all-kinds-big", [(f"f{n}", text) for n, text in enumerate(
        [">i2", ">i4", ">i8", ">u2", ">u4", ">u8", ">f2", ">f4", ">f8", ">f16", ">c8", ">c16", ">c32", ">U3",
         ">M8[D]", ">m8"])], "A record of big-endian fields.", shape=(1,))
    record("mixed-orders", [("le", "<i4"), ("be", ">i4"), ("no", "|i1")], "Each field has its own byte order.")
    record("scalar", [("a", "<i2"), ("b", "|S2")], "One record without dimensions.", shape=())
    record("empty-array", [("a", "<i2"), ("b", "|S2")], "No records, but their type is there.", shape=(0, 4))
    record("2d-fortran", [("a", "<i2"), ("b", "<i2")], "Records in Fortran order.", shape=(2, 3), order="F")
    record("hundred", [(f"column_{n}", "<f4") for n in range(100)], "A hundred fields, in a header of 2 KiB.",
           shape=(0,))
    record("zero-fields", [], "A record without fields takes no bytes.", rules=["NPY-LIT-012"])
    record("zero-size-fields", [("a", "|S0"), ("b", "<U0"), ("c", "|V0"), ("d", "|u1")],
           "Fields of no size share an offset with the next one.", rules=["NPY-DTYPE-004"])
    record("only-zero-size", [("a", "|S0")], "A record of no bytes with a field.", rules=["NPY-DTYPE-004"])
    record("rec-array", np.dtype((np.record, [("a", "<i4"), ("b", "<f4")])), "A recarray is saved as plain records.")


def padded_records():
    """Alignment and explicit offsets: gaps are written as unnamed void fields."""
    rules = ["NPY-DTYPE-014", "NPY-WRITE-003"]
    record("aligned", np.dtype([("a", "|u1"), ("b", "<f8")], align=True), "Seven bytes of padding between fields.",
           rules=rules)
    record("aligned-end", np.dtype([("b", "<f8"), ("a", "|u1")], align=True), "Seven bytes of padding at the end.",
           rules=rules)
    record("aligned-both", np.dtype([("a", "|u1"), ("b", "<i4"), ("c", "|u1"), ("d", "<i8"), ("e", "<i2")], align=True),
           "Several gaps of different sizes.", rules=rules)
    record("aligned-nested", np.dtype([("a", "|u1"), ("r", np.dtype([("x", "|u1"), ("y", "<i8")], align=True))],
                                      align=True), "Gaps in a record inside a record.", rules=rules)
    record("leading-gap", offsets(["a"], ["<i4"], [4], 8), "A gap in front of the first field.", rules=rules)
    record("all-gaps", offsets(["a", "b"], ["|u1", "<i2"], [3, 10], 20), "Gaps in front, between and behind.",
           rules=rules)
    record("big-gap", offsets(["a", "b"], ["|u1", "|u1"], [0, 1000], 1001), "A gap of 999 bytes.", rules=rules,
           shape=(1,))
    record("itemsize-only", offsets([], [], [], 8), "No field at all, and eight bytes of padding.", rules=rules)
    record("gap-then-empty", offsets(["a", "b"], ["|S0", "|u1"], [2, 4], 5), "A field of no size between two gaps.",
           rules=rules)
    record("gap-in-subarray", [("a", np.dtype(offsets(["x"], ["|u1"], [1], 4)), (2,))],
           "An array of records with gaps.", rules=rules)
    record("void-named", [("a", "|u1"), ("p", "|V3"), ("b", "<i4")], "A named void is a field, not padding.",
           rules=["NPY-DTYPE-014"])


def nested_records():
    """Records in records, sub-arrays, and both."""
    inner = [("x", "<f4"), ("y", "<f4")]
    record("nested", [("p", inner), ("q", "<i4")], "A record in a record.")
    record("nested-twice", [("a", [("b", [("c", "<i2"), ("d", "|u1")]), ("e", "<i8")]), ("f", "|S1")],
           "Three levels of records.")
    deep = "<i2"
    for level in range(20, 0, -1):
        deep = [(f"level{level}", deep)]
    record("nested-20", deep, "Twenty levels of records.", rules=["NPY-LIT-021"])
    record("nested-empty", [("a", []), ("b", "|u1")], "A field that is a record without fields.")
    record("same-names", [("a", [("a", "<i2"), ("b", "<i2")]), ("b", [("a", "<i4")])],
           "Names need only differ among siblings.", rules=["NPY-DTYPE-012"])
    record("subarray", [("a", "<f8", (2, 3)), ("b", "|u1")], "A field that is an array of two dimensions.")
    record("subarray-one", [("a", "<f8", (1,))], "A sub-array of one element is still a sub-array.")
    record("subarray-1d", [("a", "<i2", (5,)), ("b", ">c8", (2,))], "Sub-arrays of one dimension.")
    record("subarray-4d", [("a", "|u1", (2, 1, 3, 2))], "A sub-array of four dimensions.")
    record("subarray-64d", [("a", "|u1", (1,) * 64)], "A sub-array of 64 dimensions.", rules=["NPY-SHAPE-001"])
    record("subarray-zero", [("a", "<f8", (0,)), ("b", "|u1")], "A sub-array without elements takes no bytes.")
    record("subarray-zero-2d", [("a", "<f8", (3, 0)), ("b", "|u1")], "A sub-array with an empty dimension.")
    record("subarray-string", [("s", "|S3", (2,)), ("u", "<U2", (2,))], "Sub-arrays of strings.")
    record("subarray-datetime", [("t", "<M8[25ms]", (2,)), ("d", ">m8[D]", (2,))], "Sub-arrays of datetimes.")
    record("subarray-record", [("a", inner, (3,))], "An array of records in a record.")
    record("subarray-in-record-in-subarray", [("a", [("x", "<i2", (2,)), ("y", "|u1")], (3, 2)), ("z", "<i4")],
           "Sub-arrays at two levels of records.")
    record("subarray-of-subarray", [("a", np.dtype(("<f8", (2,))), (3,))],
           "A sub-array whose type is a sub-array: a tuple inside the field.", rules=["NPY-LIT-022"])
    record("subarray-of-subarray-3", [("a", np.dtype((np.dtype(("<i2", (2,))), (3,))), (4,)), ("b", "|u1")],
           "Three levels of sub-arrays.", rules=["NPY-LIT-022"])
    record("subarray-of-subarray-record", [("a", np.dtype((np.dtype(inner), (3,))), (2,)), ("b", "|u1")],
           "A sub-array of sub-arrays of records.", rules=["NPY-LIT-022"])
    record("unnamed-subarray", unnamed(np.dtype(("<i4", (2,)))), lossy=True, rules=["NPY-DTYPE-014", "NPY-WRITE-006"],
           reason="NumPy writes an unnamed sub-array and reads it back as padding: the field is lost.")
    record("unnamed-void", unnamed("|V3"), lossy=True,
           rules=["NPY-DTYPE-014", "NPY-WRITE-006"],
           reason="NumPy writes an unnamed void field and reads it back as padding: the field is lost.")


NAMES = {
    "space": "a b", "blank-only": " ", "single-quote": "it's", "double-quote": 'say "x"', "both-quotes": "'\"",
    "quote-alone": "'", "backslash": "a\\b", "backslash-end": "a\\", "newline": "a\nb", "tab-cr": "\t\r",
    "nul": "a\0b", "nul-only": "\0", "nul-end": "a\0", "controls": "\x01\x07\x0b\x0c\x1b\x1f", "delete": "\x7f",
    "latin1": "é", "latin1-all": "".join(map(chr, range(0xA1, 0x100))), "c1-controls": "\x80\x85\x9f",
    "nbsp": "\xa0", "soft-hyphen": "\xad", "cjk": "整数", "cyrillic": "имя", "greek": "μ", "arabic": "اسم",
    "combining": "e\u0301", "emoji": "😀", "emoji-joined": "👩\u200d🔬", "zero-width": "a\u200bb",
    "line-separator": "a\u2028b", "bom": "\ufeffa", "ideographic-space": "\u3000", "private": "\ue000",
    "noncharacter": "\uffff", "last": "\U0010ffff", "tag": "\U000e0001", "surrogate": "\ud800",
    "surrogate-low": "x\udfff", "surrogate-cjk": "\ud800整", "braces": "{'descr': [(", "hash": "# no comment",
    "long": "n" * 300, "u-like": "u'x'", "comma": "a,b", "number": "1",
}


def unnamed(kind, title=None):
    """A record of a field with an empty name and of a field z; a list would have named it f0."""
    return np.dtype({"names": ["", "z"], "formats": [kind, "|u1"], "titles": [title, None]})


def names():
    """Names in every script and with every escape."""
    for name, text in NAMES.items():
        record(f"name-{name}", [(text, "<i4"), ("z", "|u1")], f"The field name {ascii(text)}, written as repr does.",
               rules=["NPY-DTYPE-013", "NPY-WRITE-010"])
    record("name-empty", unnamed("<f8"), "An empty name of a type other than void is a name.",
           rules=["NPY-DTYPE-013", "NPY-DTYPE-014"])
    record("name-empty-only", np.dtype({"names": [""], "formats": ["<i4"]}), "A single field with an empty name.",
           rules=["NPY-DTYPE-013"])
    record("name-empty-record", unnamed([("x", "|u1")]), "An unnamed record is a field, not padding.",
           rules=["NPY-DTYPE-014"])
    record("name-empty-bytes", unnamed("|S3"), "An unnamed bytes field is a field, not padding.",
           rules=["NPY-DTYPE-014"])
    record("title", [(("Temperature, °C", "t"), "<f4"), ("b", "|u1")], "A title stands in front of the name.",
           rules=["NPY-LIT-011"])
    record("title-empty", [(("", "a"), "<f4")], "A title may be empty.", rules=["NPY-DTYPE-012"])
    record("title-cjk", [(("标题", "a"), "<f4"), (("it's", "b"), "<f4")], "Titles follow the same rules as names.",
           rules=["NPY-WRITE-010"])
    record("title-subarray", [(("t", "a"), "<f4", (2,)), (("u", "b"), [(("v", "c"), "|u1")])],
           "Titles on a sub-array, on a record and inside it.")
    record("title-empty-name", unnamed("|V3", "t"), "A void with a title is a field though unnamed.",
           rules=["NPY-DTYPE-014"])
    record("title-surrogate", [(("\udc80", "a\n"), "<f4")], "A lone surrogate in a title.", rules=["NPY-DTYPE-013"])


# ---- Versions and lengths -------------------------------------------------------------------------

def versions():
    """Explicit versions for headers that would fit 1.0, and the automatic choice."""
    samples = {
        "f8": filled("<f8", (3,)), "0d": filled("<i4", ()), "empty": filled("<i4", (0, 2)),
        "fortran": filled(">i2", (2, 3), "F"), "bool": filled("|b1", (2, 2)), "string": filled("<U3", (2,)),
        "datetime": filled("<M8[25s]", (2,)), "ndim-64": filled("|u1", (1,) * 64),
        "record": filled([("a", "<f8"), ("b", "|S3", (2,))], (2,)),
        "latin1": filled([("é", "<f8")], (2,)), "surrogate": filled([("\ud800", "<f8")], (2,)),
        "c1": filled([("\x85", "<f8")], (2,)),
    }
    for name, array in samples.items():
        for major in (2, 3):
            save(f"version/{major}.0-{name}", array, f"Version {major}.0 asked for where 1.0 would do.",
                 version=(major, 0), rules=["NPY-FRAME-003"])
    for name in ("f8", "record"):
        save(f"version/1.0-{name}-explicit", samples[name][:1], "Version 1.0 asked for, which is the default.",
             version=(1, 0))
    save("version/3.0-cjk-explicit", filled([("整", "<f8")], (2,)), "Version 3.0 asked for, which is the only one.",
         version=(3, 0))


def lengths():
    """Every remainder of the padding that matters, and the step from 1.0 to 2.0."""
    for goal in (0, 1, 2, 31, 62, 63):
        base = len(npy_text(unnamed("<i4")))
        size = 64 + goal - (10 + base) % 64
        record(f"padding-{goal}", [("n" * size, "<i4"), ("z", "|u1")],
               f"The text before the padding ends at {goal} modulo 64.", rules=["NPY-WRITE-008"], shape=())
    limit = 65524
    for extra in (0, 1):
        size = limit + extra - len(npy_text(unnamed("<i4")))
        array = np.zeros((), [("n" * size, "<i4"), ("z", "|u1")])
        if extra == 0:
            save("length/longest-1.0", array, "The longest header that version 1.0 can hold: 65,536 bytes in all.",
                 rules=["NPY-WRITE-009"])
        else:
            long_choice("shortest-2.0", array, "One character more than version 1.0 can hold, so NumPy writes 2.0.")
    array = np.zeros((), [("é" + "n" * 33000, "<i4"), ("整" + "n" * 33000, "|u1")])
    long_choice("long-3.0", array, "A header that is too long for 1.0 and not Latin-1: version 3.0.")


def npy_text(dtype):
    """The header text of one record, up to its closing brace."""
    text = saved(np.zeros((), dtype))[10:]
    return text[:text.rindex(b"}") + 1].decode("latin-1")


def long_choice(name, array, reason):
    """Adds a file whose header is longer than the default limit of safenpy and of NumPy."""
    data = saved(array)
    CASES.append(manifest.Case(
        id=f"choice/limits/{name}", data=data, verdict="choice", flags=["long-header"],
        reason=reason + " Both safenpy's and NumPy's default limit refuse it.", rules=["NPY-WRITE-009"],
        expect=describe(data), error=manifest.refusal("SNPY_HEADER_TOO_LONG", 8),
        options=["--max-header", "131072"], canonical=True, rewrite=True))


# ---- Objects --------------------------------------------------------------------------------------

def objects():
    """Object arrays: NumPy pickles the data, with protocol 4 since 2.0."""
    rules = ["NPY-DATA-003"]
    save("object/1d", filled("|O", (8,)), "An object array: the data are a pickle.", rules=rules)
    save("object/0d", filled("|O", ()), "One object without dimensions.", rules=rules)
    save("object/empty", np.zeros((0,), dtype=object), "No objects; their pickle is there all the same.", rules=rules)
    save("object/fortran", filled("|O", (2, 3), "F"), "An object array in Fortran order.", rules=rules)
    mixed = np.zeros(2, [("a", "|O"), ("b", "<f8")])
    mixed["a"] = [None, 1]
    save("object/record", mixed, "Records that hold an object.", rules=rules)
    nested = np.zeros(1, [("n", [("o", "|O", (2,)), ("x", "|u1")])])
    nested["n"]["o"] = 3
    save("object/nested", nested, "An object inside a sub-array inside a record.", rules=rules)
    save("object/version-2", filled("|O", (2,)), "An object array in version 2.0.", version=(2, 0), rules=rules)


# ---- Old versions of NumPy ------------------------------------------------------------------------

def old(name, text, reason, *, data=b"", align=16, major=1, rules=()):
    """Adds a file as an old NumPy wrote it: the text padded with spaces, a newline at the end."""
    raw = text.encode("latin-1")
    prefix = 10 if major == 1 else 12
    raw += b" " * (-(prefix + len(raw) + 1) % align) + b"\n"
    head = manifest.MAGIC + bytes((major, 0)) + len(raw).to_bytes(prefix - 8, "little")
    add(name, head + raw + data, reason, rules=[*rules, "NPY-FRAME-004"], canonical=False, rewrite=False,
        group="old")


# Pickles that Python 2 wrote, protocol 2, of an object array of shape (1,) that holds None.
PY2_PICKLE = (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03("
              b"K\x01K\x01\x85cnumpy\ndtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff"
              b"\xff\xffK?tb\x89]q\x06Natb.")


def old_versions():
    """Headers of NumPy 1.0 to 1.23, as their sources and the files in NumPy's own tests show them."""
    three = filled("<f8", (3,)).tobytes()
    record_data = filled([("a", "<f8"), ("b", "<i4")], (2,)).tobytes()
    old("1.2-f8", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "NumPy 1.2 to 1.13: one line, aligned to 16.", data=three)
    old("1.2-0d", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "Aligned to 16, no dimensions.",
        data=three[:8])
    old("1.2-fortran", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1), }",
        "NumPy up to 1.9 called a column Fortran-ordered.", data=three, rules=["NPY-HDR-007"])
    old("1.2-record", "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "Records, aligned to 16.", data=record_data)
    old("1.2-bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }", "Booleans, aligned to 16.",
        data=b"\0\1\1\0")
    old("1.14-record", "{'descr': [('longitude_in_degrees', '<f8'), ('lat', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "NumPy 1.14 to 1.23: aligned to 64, without room to grow.", data=record_data, align=64)
    old("1.14-padding", "{'descr': [('a', '|u1'), ('', '|V7'), ('measurement', '<f8')], 'fortran_order': False,"
        " 'shape': (1,), }", "Padding as NumPy 1.14 wrote it and 1.16 learned to read it.", data=bytes(16), align=64)
    old("1.14-15d", "{'descr': '<i8', 'fortran_order': True, 'shape': (1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0), }",
        "Fifteen dimensions, aligned to 64, without room to grow.", align=64, rules=["NPY-HDR-007"])
    old("1.0-pprint", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
        "NumPy up to 1.1: pprint, without a comma behind the last entry.", data=three, rules=["NPY-LIT-010"])
    old("1.0-pprint-record", "{'descr': [('first_column', '<f8'),\n           ('second_column', '<i4')],\n"
        " 'fortran_order': False,\n 'shape': (2,)}", "pprint broke long headers into lines.", data=record_data)
    old("1.0-pprint-0d", "{'descr': '<i4', 'fortran_order': False, 'shape': ()}", "pprint, no dimensions.",
        data=bytes(4))
    old("1.0-pprint-nested", "{'descr': [('info',\n            [('name', '|S8'), ('value', '>f4', (2, 2))]),\n"
        "           ('flag', '|b1')],\n 'fortran_order': False,\n 'shape': (1,)}",
        "pprint of a nested record with a sub-array.", data=bytes(25))
    old("py2-long", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }",
        "Python 2 on Windows wrote longs with an L.", data=three, rules=["NPY-LIT-020"])
    old("py2-long-2d", "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 3L), }",
        "Two dimensions, both with an L.", data=bytes(12), rules=["NPY-LIT-020"])
    old("py2-long-2.0", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }",
        "An L in version 2.0.", data=three, major=2, rules=["NPY-LIT-020"])
    old("py2-long-subarray", "{'descr': [('a', '<i2', (2L,))], 'fortran_order': False, 'shape': (1L,), }",
        "An L in the shape of a sub-array.", data=bytes(4), rules=["NPY-LIT-020"])
    old("py2-unicode-name", "{'descr': [(u'a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "Python 2 wrote names given as unicode with a u.", data=record_data, rules=["NPY-LIT-004"])
    old("py2-unicode-title", "{'descr': [((u'Title', 'a'), '<f8'), ('b', '<i4')], 'fortran_order': False,"
        " 'shape': (2,), }", "A title given as unicode.", data=record_data, rules=["NPY-LIT-004"])
    old("py2-object", "{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }",
        "Objects were |O8 on 64-bit machines.", data=PY2_PICKLE, rules=["NPY-DATA-003", "NPY-DTYPE-002"])
    old("py2-object-32", "{'descr': '|O4', 'fortran_order': False, 'shape': (1,), }",
        "Objects were |O4 on 32-bit machines.", data=PY2_PICKLE, rules=["NPY-DATA-003", "NPY-DTYPE-002"])
    old("py2-object-record", "{'descr': [('a', '|O8'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }",
        "Records with an old object.", data=PY2_PICKLE, rules=["NPY-DATA-003"])
    old("1.9-2.0-f8", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "Version 2.0 as NumPy 1.9 to 1.13 wrote it on request.", data=three, major=2)


def main():
    """Makes all cases."""
    warnings.simplefilter("ignore", UserWarning)     # NumPy warns whenever it writes version 3.0
    for make in (simple_types, datetimes, shapes, orders, plain_records, padded_records, nested_records, names,
                 versions, lengths, objects, old_versions):
        make()
    manifest.publish(CASES, MAKER)


if __name__ == "__main__":
    main()
