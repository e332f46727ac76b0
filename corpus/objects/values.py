"""Values that people keep in object arrays, pickled by the interpreter that runs this file: Python 2.7 or 3.6 and later.

    python corpus/objects/values.py          # one JSON object a line: value, name of the pickler, protocol, payload in hex

written.py runs it under several interpreters. Each value is the only element of an array without dimensions, or an array
itself; payloads are made by each pickler, under each protocol, plain and by pickletools.optimize.
"""

from __future__ import print_function, unicode_literals

import collections
import datetime
import decimal
import fractions
import io
import json
import pickle
import pickletools
import platform
import sys
import time
import uuid
import warnings

import numpy as np

PYTHON2 = sys.version_info[0] == 2
warnings.simplefilter("ignore")


def ints():
    """Integers at the bounds of each opcode."""
    edges = [0, 1, -1, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**63, -2**63, 2**64, 10**30, -10**30]
    return edges + [2**2039 - 1, 2**2040]


def shared():
    """One list twice, and one string twice."""
    inner = [1, "a"]
    return [inner, inner, {"k": inner}]


def cyclic():
    """A list in itself."""
    outer = []
    outer.append(outer)
    return outer


def cyclic_tuple():
    """A tuple in a list in the tuple."""
    inner = []
    outer = (inner, 1)
    inner.append(outer)
    return outer


def cyclic_dict():
    """A dictionary that holds itself."""
    outer = {}
    outer["self"] = outer
    return outer


def plain_values():
    """Pairs of name and value, the same on all versions."""
    utc = [] if PYTHON2 else [("timezone", datetime.timezone.utc),
                              ("timezone-name", datetime.timezone(datetime.timedelta(hours=-5), "EST")),
                              ("datetime-utc", datetime.datetime(2020, 2, 29, tzinfo=datetime.timezone.utc)),
                              ("time-utc", datetime.time(1, 2, 3, tzinfo=datetime.timezone.utc))]
    counts = collections.defaultdict(int)
    counts["a"] += 1
    groups = collections.defaultdict(list)
    groups["b"].append(1)
    pairs = [
        ("none", None), ("bool", [True, False]), ("ints", ints()), ("long-int", 7**1000),
        ("floats", [0.0, -0.0, 1.5, 0.1, 1e300, 5e-324, float("inf"), float("-inf"), float("nan")]),
        ("complex", [1 + 2j, complex(-0.0, float("inf"))]),
        ("str", ["", "a", "\u00e9\u4e2d", "\U0001f600", "a\nb\\c\x00d\x1a'\"", "x" * 300]),
        ("bytes", [b"", b"a", b"\x00\xff" if not PYTHON2 else b"\x00\x7f", b"y" * 300]),
        ("list", [[], [1], [1, 2], [[[]]]]), ("list-1001", [None] * 1001),
        ("tuple", [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]),
        ("dict", [{}, {"a": 1}, {"a": 1, "b": [2.5, None]}, {1: 2, (1, "x"): 3, None: 4, b"k": 5, 2.5: 6, 1j: 7}]),
        ("shared", shared()), ("cyclic", cyclic()), ("cyclic-tuple", cyclic_tuple()), ("cyclic-dict", cyclic_dict()),
        ("bytearray", [bytearray(), bytearray(b"\x00abc\xff"), bytearray(b"z" * 300)]),
        ("set", [set(), {1}, {"a", 2, (3, 4)}]), ("frozenset", [frozenset(), frozenset([1, "b"]), {"k": frozenset([2])}]),
        ("range", [range(3), range(1, 10, 2), range(5, 0, -1)] if not PYTHON2 else [xrange(3), xrange(1, 10, 2)]),  # noqa: F821
        ("date", [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), {datetime.date(2020, 2, 29): 1}]),
        ("datetime", [datetime.datetime(2020, 2, 29, 23, 59, 59, 999999), datetime.datetime(1, 1, 1)]),
        ("time", [datetime.time(), datetime.time(23, 59, 59, 999999)]),
        ("timedelta", [datetime.timedelta(), datetime.timedelta(-1, 5, 7), datetime.timedelta.max]),
        ("decimal", [decimal.Decimal("1.50"), decimal.Decimal("-0"), decimal.Decimal("1E+9"), decimal.Decimal("NaN"),
                     decimal.Decimal("-Infinity")]),
        ("fraction", [fractions.Fraction(1, 3), fractions.Fraction(-7), fractions.Fraction(2**70, 3)]),
        ("uuid", [uuid.UUID(int=0), uuid.UUID("12345678-1234-5678-1234-567812345678"), uuid.UUID(int=2**128 - 1)]),
        ("ordered-dict", [collections.OrderedDict(), collections.OrderedDict([("b", 1), ("a", 2)])]),
        ("defaultdict", [counts, groups, collections.defaultdict(None, {"x": 1}), collections.defaultdict(dict),
                         collections.defaultdict(set), collections.defaultdict(float), collections.defaultdict(tuple),
                         collections.defaultdict(bool), collections.defaultdict(complex), collections.defaultdict(bytes),
                         collections.defaultdict(type("")), collections.defaultdict(frozenset)]),
        ("struct-time", [time.gmtime(0), time.struct_time((2020, 2, 29, 1, 2, 3, 5, 60, -1))]),
    ]
    if not PYTHON2:
        import pathlib
        pairs += [("path", [pathlib.PurePosixPath(), pathlib.PurePosixPath("a/b.c"), pathlib.PurePosixPath("/"),
                            pathlib.PosixPath("/etc/x y"), pathlib.PurePosixPath("//h/x"), pathlib.PurePosixPath("../a"),
                            pathlib.PureWindowsPath("C:\\a\\b"), pathlib.PureWindowsPath("C:a"), pathlib.PureWindowsPath("\\\\h\\s\\x")])]
        pairs += [("surrogate", ["\ud800", "a\udfffb"]), ("slice", [slice(None), slice(1, None, -2)]),
                  ("datetime-fold", [datetime.datetime(2020, 10, 25, 2, 30, fold=1), datetime.time(1, fold=1)])]
    else:
        pairs += [("str8", [b"ascii", b"line\nquote'\"\\"])]
    return pairs + utc


DTYPES = ["?", "i1", "u1", "<i2", ">i2", "<u4", ">i8", "<f2", ">f4", "<f8", "<c8", ">c16", "<f16", "<c32", "S5", "S1", "<U3", ">U2",
          "V4", "<M8[ns]", ">M8[D]", "<m8[25s]", "<M8", "<m8"]
RECORDS = [[("a", "<i4"), ("b", ">f8")], [("a", "u1"), ("s", "S3"), ("u", "<U2")], [("m", "<f4", (2, 3))],
           [(("title", "n"), "<i2")], [("r", [("x", "<f8"), ("y", "u1")]), ("t", "<M8[s]")], [("v", "V3"), ("w", "?")],
           [("n", "<i2", (2,)), ("d", [("e", ">u2", (2, 2))], (3,))]]


def array_values():
    """Arrays within arrays, scalars and dtypes."""
    pairs = []
    for text in DTYPES:
        made = np.arange(6).astype("i8").astype(text) if text[0] != "V" else np.frombuffer(b"abcd" * 6, "V4")
        pairs.append(("dtype-" + text, np.dtype(str(text))))
        pairs.append(("array-" + text, [made, made.reshape(2, 3), np.asfortranarray(made.reshape(2, 3)), made[0:0], made[:1].reshape(())]))
        if not (PYTHON2 and text in ("<f16", "<c32")):
            pairs.append(("scalar-" + text, made[1]))
    for number, fields in enumerate(RECORDS):
        fields = [tuple([str(f[0]) if not isinstance(f[0], tuple) else tuple(map(str, f[0]))] + list(f[1:])) for f in fields] if PYTHON2 else fields
        if PYTHON2 and number in (4, 6):
            continue
        dtype = np.dtype(fields)
        pairs += [("dtype-record-%d" % number, dtype), ("array-record-%d" % number, np.zeros((2, 3), dtype)),
                  ("scalar-record-%d" % number, np.zeros(1, dtype)[0])]
    aligned = np.dtype([(str("a"), "u1"), (str("b"), "<f8"), (str("c"), "<U1")], align=True)
    nested = np.empty((2, 2), object)
    nested[0, 0], nested[0, 1], nested[1, 0], nested[1, 1] = "a", 1, None, np.arange(2)
    self = np.empty(1, object)
    self[0] = self
    record = np.array([(1, [2]), (3, "x")], dtype=[(str("n"), "<i8"), (str("o"), "O")])
    return pairs + [
        ("dtype-object", np.dtype("O")), ("dtype-aligned", aligned), ("array-aligned", np.zeros(2, aligned)),
        ("array-object", nested), ("array-object-fortran", np.asfortranarray(nested)), ("array-object-empty", nested[:0]),
        ("array-object-0d", nested[0, :1].reshape(())), ("array-object-self", self), ("array-object-record", record),
        ("array-strided", np.arange(12)[::2]), ("array-big", np.zeros(9000)), ("array-nothing", np.zeros((2, 0, 3), "<f4")),
        ("scalar-empty", [np.str_(""), np.bytes_(b"")]), ("scalar-nul", [np.str_("a\0b"), np.bytes_(b"a\0b")]),
        ("matrix", np.matrix([[1.0, 2.0]])), ("recarray", np.rec.array([(1, 2.0)], dtype=[(str("x"), "<i4"), (str("y"), "<f8")])),
        ("masked", [np.ma.masked_array([1, 2, 3], [True, False, True]), np.ma.masked_array([1.5], fill_value=-1.0),
                    np.ma.masked_array([["a", "b"]], [[False, True]])]),
        ("masked-record", np.ma.masked_array([(1, 2.0)], [(True, False)], dtype=[(str("x"), "<i4"), (str("y"), "<f8")])),
        ("masked-object", np.ma.masked_array(np.array(["x", None], object), [False, True])),
        ("masked-fortran", np.ma.masked_array(np.asfortranarray(np.arange(6).reshape(2, 3)), False)),
        ("numpy-keys", {np.int64(3): 1, np.float32(1.5): 2, np.str_("k"): 3, np.bool_(True): 4}),
    ]


def whole_arrays():
    """What numpy.save hands to the pickler: the array of objects itself."""
    pairs = [("whole-" + name, value) for name, value in array_values() if name.startswith("array-object")]
    pairs += [("whole-ragged", np.array([[1], [1, 2]], dtype=object)), ("whole-1001", np.array(list("ab") * 501, dtype=object)[:1001])]
    ragged = np.empty(2, object)
    ragged[0], ragged[1] = np.arange(2), np.arange(3.0)
    pairs.append(("whole-ragged-arrays", ragged))
    if hasattr(getattr(np, "dtypes", None), "StringDType"):
        strings = np.array(["a", "", "\u4e2d" * 20], dtype=np.dtypes.StringDType())
        missing = np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None))
        nan = np.array(["a", np.nan], dtype=np.dtypes.StringDType(na_object=np.nan))
        pairs += [("whole-stringdtype", strings), ("whole-stringdtype-none", missing), ("whole-stringdtype-nan", nan),
                  ("whole-stringdtype-strict", np.array([["b"]], dtype=np.dtypes.StringDType(coerce=False)))]
    return pairs


def in_array(value):
    """An object array without dimensions that holds the value."""
    box = np.empty((), object)
    box[()] = value
    return box


def picklers():
    """The implementations of this interpreter: (name, dump)."""
    if PYTHON2:
        import cPickle
        return [("cPickle", cPickle.dumps), ("pickle", pickle.dumps)]
    return [("C", pickle.dumps), ("Python", python_dumps)]


def python_dumps(value, protocol):
    """What the pickler written in Python writes."""
    stream = io.BytesIO()
    pickle._Pickler(stream, protocol).dump(value)
    return stream.getvalue()


def main():
    is_big = {"array-big", "list-1001", "whole-1001"}       # under protocols 0 and 1 too much for the suite
    values = [(name, in_array(value)) for name, value in plain_values() + array_values()] + whole_arrays()
    for name, value in values:
        for pickler, dumps in picklers():
            for protocol in range(2 if name in is_big else 0, pickle.HIGHEST_PROTOCOL + 1):
                try:
                    payload = dumps(value, protocol)
                except RuntimeError:     # a tuple in itself, under protocols 0 and 1 of the pickler in Python
                    continue
                for suffix, made in (("", payload), ("-optimized", pickletools.optimize(payload))):
                    print(json.dumps({"value": name, "python": platform.python_version(), "numpy": np.__version__, "pickler": pickler + suffix,
                                      "protocol": protocol, "hex": "".join("%02x" % byte for byte in bytearray(made))}))


if __name__ == "__main__":
    main()
