"""What NumPy 2.x writes: every type, shape, order, record and name, byte for byte as numpy.save does.

The files are made from the suite's own model of the writer (model.py); check_numpy_bytes.py confirms
with NumPy that numpy.save makes the same bytes. The data are small counting values, padding is zero, and
so are the unused bytes of long doubles. Pickles are literal bytes.
"""

import math

import model
from cases import dsl
from manifest import Case, refusal

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
WIDE = ["i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32", "U3", "M8[ns]", "m8[ns]"]
SINGLE = ["b1", "i1", "u1", "S5", "V7"]


# ---- Verbs ----------------------------------------------------------------------------------------

def slug(text):
    """A type string as part of a file's name: "<M8[25s]" is "le-M8-25s"."""
    for old, new in (("<", "le-"), (">", "be-"), ("|", ""), ("[", "-"), ("]", "")):
        text = text.replace(old, new)
    return text


def save(name, descr, shape, reason, *, rules=(), order="C", version=None, data=None, group="numpy"):
    """A file as numpy.save writes it (or write_array, in a version that is asked for).

    `data` are counting values unless given."""
    fortran = order == "F" and not model.c_contiguous_too(shape)
    rules = [*rules, "NPY-WRITE-008", "NPY-SHAPE-005"]
    rules.append("NPY-WRITE-009" if version is None else "NPY-FRAME-004")
    if data is None:
        data = model.counting(descr, math.prod(shape))
    write(name, descr, shape, reason, fortran=fortran, version=version, data=data, rules=rules, group=group)


def header_only(name, descr, shape, reason, *, fortran_order=False, version=None, data=b"", rules=()):
    """A file whose header NumPy's header writer makes from a dictionary; numpy.save would not."""
    write(name, descr, shape, reason, fortran=fortran_order, version=version, data=data,
          rules=[*rules, "NPY-WRITE-008"])


def write(name, descr, shape, reason, *, fortran, version, data, rules, group="numpy"):
    """Adds a case."""
    text = model.python_repr(descr)
    header = model.header_bytes(text, fortran, shape, version)
    expect = model.expectation(descr, fortran, shape, f"{header[6]}.0", len(header))
    dsl.add(Case(id=f"accept/{group}/{name}", data=header + data, verdict="accept", reason=reason, rules=rules,
                 expect=expect))


# ---- Simple types ---------------------------------------------------------------------------------

def simple_types():
    """Every simple dtype in every byte order."""
    for kind in WIDE:
        for order in "<>":
            text = order + kind
            save(f"dtype/{slug(text)}", text, (3,), f"The type {text}, as numpy.save writes it.",
                 rules=["NPY-DTYPE-001", "NPY-DTYPE-002"])
    for kind in SINGLE:
        save(f"dtype/{slug(kind)}", "|" + kind, (3,),
             f"The type |{kind} has no byte order, and numpy.save writes a bar.", rules=["NPY-DTYPE-002"])
    for kind in ("S1", "S64", "S300", "U1", "U64", "V1", "V16", "V300"):
        text = ("<" if kind[0] == "U" else "|") + kind
        save(f"dtype/size-{slug(text)}", text, (2,), f"A {text}: sizes of flexible types are free.",
             rules=["NPY-DTYPE-004"])
    save("dtype/char", "|S1", (2,), "NumPy's own type 'c' is written as |S1.", data=b"ab")
    save("dtype/str-default", "|S1", (2,), "numpy.zeros turns S0 into S1 before it is saved.",
         data=bytes(2))
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
                save(f"datetime/{name}-{unit}", text, (2,), f"The unit {unit}.", rules=["NPY-DTYPE-009"])
            save(f"datetime/be-{kind}8-{unit}", f">{kind}8[{unit}]", (2,), f"The unit {unit}, big-endian.",
                 rules=["NPY-DTYPE-009", "NPY-VALUE-010"])
        for multiplier, unit in ((2, "Y"), (7, "D"), (25, "s"), (100, "ns"), (2147483647, "as")):
            text = f"<{kind}8[{multiplier}{unit}]"
            save(f"datetime/{slug(text)}", text, (2,), f"The multiplier {multiplier}.",
                 rules=["NPY-DTYPE-010"])
        for order in "<>":
            text = f"{order}{kind}8"
            save(f"datetime/{slug(text)}-generic", text, (2,), "A generic unit is written without brackets.",
                 rules=["NPY-DTYPE-009", "NPY-WRITE-001"])
        text = f">{kind}8[10ms]"
        save(f"datetime/{slug(text)}", text, (2,), "A big-endian type with multiplier and unit.",
             rules=["NPY-DTYPE-010"])


# ---- Shapes and orders ----------------------------------------------------------------------------

def shapes():
    """Dimensionalities from 0 to 64, empty arrays, both orders, growth padding."""
    plain = [(), (1,), (3,), (10,), (2, 3), (1, 5), (5, 1), (1, 1), (2, 3, 4), (2, 1, 3), (2, 3, 2, 2),
             (1, 2, 1, 3, 1), (2, 2, 2, 2, 2), (2,) * 6, (1,) * 8]
    for shape in plain:
        name = "x".join(map(str, shape)) or "0d"
        save(f"shape/{name}", "<i4", shape, f"The shape {shape}.", rules=["NPY-LIT-017"])
    for shape in [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 4), (0, 1, 0, 1, 0)]:
        name = "x".join(map(str, shape))
        save(f"shape/empty-{name}", "<f8", shape, f"The shape {shape} holds no element, and the file no data.",
             rules=["NPY-SHAPE-005", "NPY-DATA-001"])
    for ndim in (16, 31, 32, 33, 63, 64):
        save(f"shape/ndim-{ndim}", "|u1", (1,) * ndim, f"{ndim} dimensions (NumPy 1.x stops at 32).",
             rules=["NPY-SHAPE-001"])
    save("shape/ndim-64-mixed", "|u1", (2, 2) + (1,) * 60 + (2, 2), "64 dimensions, not all of them one.",
         rules=["NPY-SHAPE-001"])
    save("shape/ndim-64-fortran", "|u1", (2, 2) + (1,) * 60 + (2, 2),
         "64 dimensions in Fortran order.", order="F", rules=["NPY-SHAPE-001"])
    for digits in range(1, 18, 4):
        dim = 10 ** (digits - 1)
        save(f"shape/growth-c-{digits}", "|u1", (dim, 0),
             "In C order the first dimension may grow to 21 digits in place.")
    save("shape/growth-scalar", "<f4", (), "Without dimensions there is nothing to grow.")


def orders():
    """Fortran order with every kind, and where NumPy's writer does not set the flag."""
    for text in ("|b1", "<i4", ">i4", "<f8", ">f8", "<f2", "<f16", "<c16", ">c8", "|S3", "<U2", ">U2", "|V3",
                 "<M8[ns]", ">m8[D]"):
        save(f"order/fortran-{slug(text)}", text, (3, 2), f"A {text} array in Fortran order.", order="F",
             rules=["NPY-HDR-004"])
        save(f"order/c-{slug(text)}", text, (3, 2), f"A {text} array in C order.", rules=["NPY-HDR-004"])
    for shape in [(2, 3, 4), (1, 2, 3), (2, 2, 2, 2), (2, 3, 1, 2, 2), (12345, 2), (2, 12345)]:
        name = "x".join(map(str, shape))
        save(f"order/fortran-{name}", "|u1", shape, order="F",
             reason="In Fortran order the last dimension may grow in place.", rules=["NPY-HDR-004"])
    for shape in [(5,), (1, 5), (5, 1), (1, 1, 4), (0, 3), ()]:
        name = "x".join(map(str, shape)) or "0d"
        save(f"order/both-{name}", "<i2", shape, order="F",
             reason="An array that is contiguous in both orders is written as C order.", rules=["NPY-HDR-007"])
        data = b"" if 0 in shape else bytes(2 * math.prod(shape))
        header_only(f"order/both-flagged-{name}", "<i2", shape, fortran_order=True, data=data,
                    rules=["NPY-HDR-007"],
                    reason="NumPy's header writer keeps the flag it is given, though both orders agree.")
    save("order/strided", "<i4", (2, 2), "A view with gaps is written packed, in C order.",
         data=b"".join(model.value("<i4", number) for number in (0, 3, 12, 15)))
    save("order/reversed", "<i4", (4,), "A reversed view is written in the order of its elements.",
         data=b"".join(model.value("<i4", number) for number in (3, 2, 1, 0)))


# ---- Records --------------------------------------------------------------------------------------

def record(name, descr, reason, *, shape=(2,), rules=(), order="C", data=None):
    """A file of records."""
    save(f"record/{name}", descr, shape, reason, rules=["NPY-DTYPE-015", *rules], order=order, data=data)


def unnamed(kind, title=None):
    """A record of a field with an empty name and of a field z."""
    return [((title, "") if title else "", kind), ("z", "|u1")]


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
    record("rec-array", [("a", "<i4"), ("b", "<f4")], "A recarray is saved as plain records.")


def lost(descr):
    """Data of a field that a reader takes for padding: a writer keeps them."""
    return model.counting(descr, 2)


def padded_records():
    """Alignment and explicit offsets: gaps are written as unnamed void fields."""
    rules = ["NPY-DTYPE-014", "NPY-WRITE-003"]
    record("aligned", model.aligned([("a", "|u1"), ("b", "<f8")]), "Seven bytes of padding between fields.",
           rules=rules)
    record("aligned-end", model.aligned([("b", "<f8"), ("a", "|u1")]), "Seven bytes of padding at the end.",
           rules=rules)
    record("aligned-both", model.aligned([("a", "|u1"), ("b", "<i4"), ("c", "|u1"), ("d", "<i8"), ("e", "<i2")]),
           "Several gaps of different sizes.", rules=rules)
    record("aligned-nested", model.aligned([("a", "|u1"), ("r", model.aligned([("x", "|u1"), ("y", "<i8")]))]),
           "Gaps in a record inside a record.", rules=rules)
    record("leading-gap", [("", "|V4"), ("a", "<i4")], "A gap before the first field.", rules=rules)
    record("all-gaps", [("", "|V3"), ("a", "|u1"), ("", "|V6"), ("b", "<i2"), ("", "|V8")],
           "Gaps before, between and after the fields.",
           rules=rules)
    record("big-gap", [("a", "|u1"), ("", "|V999"), ("b", "|u1")], "A gap of 999 bytes.", rules=rules,
           shape=(1,))
    record("itemsize-only", [("", "|V8")], "No field at all, and eight bytes of padding.", rules=rules)
    record("gap-then-empty", [("", "|V2"), ("a", "|S0"), ("", "|V2"), ("b", "|u1")],
           "A field of no size between two gaps.",
           rules=rules)
    record("gap-in-subarray", [("a", [("", "|V1"), ("x", "|u1"), ("", "|V2")], (2,))],
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
    record("subarray-64d", [("a", "|u1", (1,) * 64)], "A sub-array of 64 dimensions.", rules=["NPY-SHAPE-001"],
           data=bytes(2))
    record("subarray-zero", [("a", "<f8", (0,)), ("b", "|u1")], "A sub-array without elements takes no bytes.")
    record("subarray-zero-2d", [("a", "<f8", (3, 0)), ("b", "|u1")], "A sub-array with an empty dimension.")
    record("subarray-string", [("s", "|S3", (2,)), ("u", "<U2", (2,))], "Sub-arrays of strings.")
    record("subarray-datetime", [("t", "<M8[25ms]", (2,)), ("d", ">m8[D]", (2,))], "Sub-arrays of datetimes.")
    record("subarray-record", [("a", inner, (3,))], "An array of records in a record.")
    record("subarray-in-record-in-subarray", [("a", [("x", "<i2", (2,)), ("y", "|u1")], (3, 2)), ("z", "<i4")],
           "Sub-arrays at two levels of records.")
    record("subarray-of-subarray", [("a", ("<f8", (2,)), (3,))],
           "A sub-array whose type is a sub-array: a tuple inside the field.", rules=["NPY-LIT-022"])
    record("subarray-of-subarray-3", [("a", (("<i2", (2,)), (3,)), (4,)), ("b", "|u1")],
           "Three levels of sub-arrays.", rules=["NPY-LIT-022"])
    record("subarray-of-subarray-record", [("a", (inner, (3,)), (2,)), ("b", "|u1")],
           "A sub-array of sub-arrays of records.", rules=["NPY-LIT-022"])
    record("unnamed-subarray", [("", "<i4", (2,)), ("z", "|u1")], data=lost([("a", "<i4", (2,)), ("z", "|u1")]),
           rules=["NPY-DTYPE-014", "NPY-WRITE-006"],
           reason="NumPy writes an unnamed sub-array and reads it back as padding: the field is lost.")
    record("unnamed-void", unnamed("|V3"), data=lost([("a", "|V3"), ("z", "|u1")]),
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


def names():
    """Names in every script and with every escape."""
    for name, text in NAMES.items():
        record(f"name-{name}", [(text, "<i4"), ("z", "|u1")],
               f"The field name {ascii(text)}, written as repr does.",
               rules=["NPY-DTYPE-013", "NPY-WRITE-010"])
    record("name-empty", unnamed("<f8"), "An empty name of a type other than void is a name.",
           rules=["NPY-DTYPE-013", "NPY-DTYPE-014"])
    record("name-empty-only", [("", "<i4")], "A single field with an empty name.",
           rules=["NPY-DTYPE-013"])
    record("name-empty-record", unnamed([("x", "|u1")]), "An unnamed record is a field, not padding.",
           rules=["NPY-DTYPE-014"])
    record("name-empty-bytes", unnamed("|S3"), "An unnamed bytes field is a field, not padding.",
           rules=["NPY-DTYPE-014"])
    record("title", [(("Temperature, °C", "t"), "<f4"), ("b", "|u1")], "A title stands before the name.",
           rules=["NPY-LIT-011"])
    record("title-empty", [(("", "a"), "<f4")], "A title may be empty.", rules=["NPY-DTYPE-012"])
    record("title-cjk", [(("标题", "a"), "<f4"), (("it's", "b"), "<f4")], "Titles follow the same rules as names.",
           rules=["NPY-WRITE-010"])
    record("title-subarray", [(("t", "a"), "<f4", (2,)), (("u", "b"), [(("v", "c"), "|u1")])],
           "Titles on a sub-array, on a record and inside it.")
    record("title-empty-name", unnamed("|V3", "t"), "A void with a title is a field though unnamed.",
           rules=["NPY-DTYPE-014"])
    record("title-surrogate", [(("\udc80", "a\n"), "<f4")], "A lone surrogate in a title.",
           rules=["NPY-DTYPE-013"])


# ---- Versions and lengths -------------------------------------------------------------------------

def versions():
    """Explicit versions for headers that would fit 1.0, and the automatic choice."""
    samples = {
        "f8": ("<f8", (3,)), "0d": ("<i4", ()), "empty": ("<i4", (0, 2)), "fortran": (">i2", (2, 3), "F"),
        "bool": ("|b1", (2, 2)), "string": ("<U3", (2,)), "datetime": ("<M8[25s]", (2,)),
        "ndim-64": ("|u1", (1,) * 64), "record": ([("a", "<f8"), ("b", "|S3", (2,))], (2,)),
        "latin1": ([("é", "<f8")], (2,)), "surrogate": ([("\ud800", "<f8")], (2,)),
        "c1": ([("\x85", "<f8")], (2,)),
    }
    for name, (descr, shape, *order) in samples.items():
        for version in ("2.0", "3.0"):
            save(f"version/{version}-{name}", descr, shape, f"Version {version} asked for where 1.0 would do.",
                 version=version, rules=["NPY-FRAME-003"], order=order[0] if order else "C")
    for name in ("f8", "record"):
        save(f"version/1.0-{name}-explicit", samples[name][0], (1,),
             "Version 1.0 asked for, which is the default.",
             version="1.0")
    save("version/3.0-cjk-explicit", [("整", "<f8")], (2,), "Version 3.0 asked for, which is the only one.",
         version="3.0")


def named(name):
    """A record with a field of that name."""
    return [(name, "<i4"), ("z", "|u1")]


def lengths():
    """Every remainder of the padding that matters, and the step from 1.0 to 2.0."""
    base = len(model.dictionary(model.python_repr(named("")), False, ()))
    for goal in (0, 1, 2, 31, 62, 63):
        size = 64 + goal - (10 + base) % 64
        record(f"padding-{goal}", named("n" * size), f"The text before the padding ends at {goal} modulo 64.",
               rules=["NPY-WRITE-008"], shape=())
    longest = 65524
    save("length/longest-1.0", named("n" * (longest - base)), (),
         "The longest header that version 1.0 can hold: 65,536 bytes in all.", rules=["NPY-WRITE-009"],
         data=bytes(5))
    long_choice("shortest-2.0", named("n" * (longest + 1 - base)),
                "One character more than version 1.0 can hold, so NumPy writes 2.0.")
    long_choice("long-3.0", [("é" + "n" * 33000, "<i4"), ("整" + "n" * 33000, "|u1")],
                "A header that is too long for 1.0 and not Latin-1: version 3.0.")


def long_choice(name, descr, reason):
    """A file whose header is longer than the default limit of safenpy and of NumPy."""
    header = model.header_bytes(model.python_repr(descr), False, ())
    dsl.add(Case(
        id=f"choice/limits/{name}", data=header + bytes(5), verdict="choice", flags=["long-header"],
        reason=reason + " Both safenpy's and NumPy's default limit refuse it.", rules=["NPY-WRITE-009"],
        expect=model.expectation(descr, False, (), f"{header[6]}.0", len(header)),
        error=refusal("SNPY_HEADER_TOO_LONG", 8), options=["--max-header", "131072"]))


# ---- Objects --------------------------------------------------------------------------------------

# What pickle makes of the object arrays below, protocol 4, as numpy.save of NumPy 2.x calls it.
PICKLES = {
    "1d": (     # None, True, 7, 2.5, "text", b"bytes", [1, 2], {"a": 1}
        b"\x80\x04\x95\xb7\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01K\x08\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c"
        b"\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(N\x88K\x07G@\x04\x00\x00\x00"
        b"\x00\x00\x00\x8c\x04text\x94C\x05bytes\x94]\x94(K\x01K\x02e}\x94\x8c\x01a\x94K\x01set\x94b."),
    "0d": (     # None
        b"\x80\x04\x95\x87\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01)h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNNJ"
        b"\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94Nat\x94b."),
    "empty": (     # nothing
        b"\x80\x04\x95\x88\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01K\x00\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c"
        b"\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94t\x94b."),
    "fortran": (     # the first six of 1d, 2 by 3
        b"\x80\x04\x95\xa8\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01K\x02K\x03\x86\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03"
        b"\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x88]\x94(NK\x07\x8c\x04text\x94\x88G"
        b"@\x04\x00\x00\x00\x00\x00\x00C\x05bytes\x94et\x94b."),
    "record": (     # (None, 0.0), (1, 0.0)
        b"\x80\x04\x95\x00\x01\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01K\x02\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x03V16\x94\x89\x88\x87\x94R\x94(K\x03\x8c"
        b"\x01|\x94N\x8c\x01a\x94\x8c\x01b\x94\x86\x94}\x94(h\x11h\x0c\x8c\x02O8\x94\x89\x88\x87\x94R\x94"
        b"(K\x03h\x10NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94bK\x00\x86\x94h\x12h\x0c\x8c\x02f8\x94"
        b"\x89\x88\x87\x94R\x94(K\x03\x8c\x01<\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t\x94bK\x08"
        b"\x86\x94uK\x10K\x01K\x1bt\x94b\x89]\x94(NG\x00\x00\x00\x00\x00\x00\x00\x00\x86\x94K\x01G\x00"
        b"\x00\x00\x00\x00\x00\x00\x00\x86\x94et\x94b."),
    "nested": (     # 3 and 3 in a sub-array, and a zero
        b"\x80\x04\x95]\x01\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstruct"
        b"\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94(K"
        b"\x01K\x01\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x03V17\x94\x89\x88\x87\x94R\x94(K\x03\x8c"
        b"\x01|\x94N\x8c\x01n\x94\x85\x94}\x94h\x11h\x0c\x8c\x03V17\x94\x89\x88\x87\x94R\x94(K\x03h\x10N"
        b"\x8c\x01o\x94\x8c\x01x\x94\x86\x94}\x94(h\x17h\x0c\x8c\x03V16\x94\x89\x88\x87\x94R\x94(K\x03h"
        b"\x10h\x0c\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03h\x10NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t"
        b"\x94bK\x02\x85\x94\x86\x94NNK\x10K\x08K?t\x94bK\x00\x86\x94h\x18h\x0c\x8c\x02u1\x94\x89\x88\x87"
        b"\x94R\x94(K\x03h\x10NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t\x94bK\x10\x86\x94uK\x11K\x01K"
        b"\x1bt\x94bK\x00\x86\x94sK\x11K\x01K\x1bt\x94b\x89]\x94h\x02h\x05K\x00\x85\x94h\x07\x87\x94R\x94"
        b"(K\x01K\x02\x85\x94h \x89]\x94(K\x03K\x03et\x94bK\x00\x86\x94\x85\x94at\x94b."),
    "two": (     # None, True
        b"\x80\x04\x95\x8c\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstr"
        b"uct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94"
        b"(K\x01K\x02\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c"
        b"\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(N\x88et\x94b."),
}


def objects():
    """Object arrays: NumPy pickles the data, with protocol 4 since 2.0."""
    rules = ["NPY-DATA-003"]
    save("object/1d", "|O", (8,), "An object array: the data are a pickle.", data=PICKLES["1d"], rules=rules)
    save("object/0d", "|O", (), "One object without dimensions.", data=PICKLES["0d"], rules=rules)
    save("object/empty", "|O", (0,), "No objects; their pickle is there all the same.", data=PICKLES["empty"],
         rules=rules)
    save("object/fortran", "|O", (2, 3), "An object array in Fortran order.", data=PICKLES["fortran"], rules=rules,
         order="F")
    save("object/record", [("a", "|O"), ("b", "<f8")], (2,), "Records that hold an object.",
         data=PICKLES["record"],
         rules=rules)
    save("object/nested", [("n", [("o", "|O", (2,)), ("x", "|u1")])], (1,),
         "An object inside a sub-array inside a record.", data=PICKLES["nested"], rules=rules)
    save("object/version-2", "|O", (2,), "An object array in version 2.0.", data=PICKLES["two"], version="2.0",
         rules=rules)


def cases():
    """All cases of this module."""
    for make in (simple_types, datetimes, shapes, orders, plain_records, padded_records, nested_records, names,
                 versions, lengths, objects):
        make()
