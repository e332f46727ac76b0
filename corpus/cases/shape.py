"""Sizes of arrays, the field limit, and the data after the header."""

from cases import dsl
from cases.dsl import PICKLE, accept, field, header, long_header, make, plain, record, refuse, strict, trailing
from manifest import Case, refusal

TOP = 2 ** 63 - 1


def overflow():
    """NPY-SHAPE-004 on both sides of 2^63 - 1; the arrays that are accepted are empty or of no size."""
    for name, descr, shape in (
            ("two-dims", "<f8", "(4294967296, →4294967296)"),
            ("wraps-to-zero", "|u1", "(4294967296, →4294967296)"),
            ("wraps-to-two", "|u1", "(→9223372036854775809, 2)"),
            ("one-dim-f8", "<f8", "(→1152921504606846976,)"), ("one-dim-u1", "|u1", "(→9223372036854775808,)"),
            ("square", "|u1", "(3037000500, →3037000500)"), ("halves", "|u1", "(2, →4611686018427387904)"),
            ("itemsize", "|V2147483647", "(→4294967299,)"), ("third", "<i2", "(2147483648, 2147483647, →2)"),
            ("64-bits", "|u1", "(→18446744073709551616,)"), ("64-bits-plus", "|u1", "(→18446744073709551617,)"),
            ("64-bits-minus", "|u1", "(→18446744073709551615,)"), ("digits", "|u1", "(→" + "9" * 100 + ",)"),
            ("many-digits", "|u1", "(→1" + "0" * 4000 + ",)"), ("many-dims", "|u1", "(" + "2, " * 62 + "→2, 2)"),
            ("zero-first", "<f8", "(0, →1152921504606846976)"), ("zero-last", "<f8", "(→1152921504606846976, 0)"),
            ("zero-between", "|u1", "(4294967296, 0, →4294967296)"),
            ("zero-first-u1", "|u1", "(0, →9223372036854775808)"),
            ("zero-two-dims", "|u1", "(0, 4294967296, →4294967296)"),
            ("zero-i2", "<i2", "(0, →9223372036854775807)"), ("zero-64-bits", "|u1", "(0, →18446744073709551616)"),
            ("empty-type", "|V0", "(→9223372036854775808,)"),
            ("empty-type-product", "|S0", "(4294967296, →4294967296)"),
            ("long", "|u1", "(→9223372036854775808L,)"),
            ("ones", "|u1", "(1, 1, →9223372036854775808, 1)")):
        refuse(f"sizes/array-{name}", header(f"'{descr}'", shape=shape), "SNPY_SIZE_OVERFLOW",
               "The product of dimensions and itemsize is at most 2^63 - 1, empty ones counted as one.")
    refuse("sizes/array-record", header("[('a', '<f8'), ('b', '|u1')]", shape="(0, →1024819115206086201)"),
           "SNPY_SIZE_OVERFLOW", "Nine bytes each: one element too many.")
    strict("sizes/array-object", header("'|O'", shape="(→1152921504606846976,)"), "SNPY_SIZE_OVERFLOW",
           "Objects count eight bytes each; NumPy takes the shape from the pickle.", data=PICKLE)
    strict("sizes/array-empty-type-zero", header("'|V0'", shape="(0, 2, →9223372036854775807)"),
           "SNPY_SIZE_OVERFLOW",
           "An empty dimension counts as one, and so does an itemsize of zero.")
    refuse("sizes/array-key-order", "{'shape': (0, →1152921504606846976), 'fortran_order': True, 'descr': '<f8'}",
           "SNPY_SIZE_OVERFLOW", "The dimension is pointed to, whichever key comes first.")
    for name, descr, size, shape in (
            ("u1", "|u1", 1, (0, TOP)), ("u1-last", "|u1", 1, (TOP, 0)), ("f8", "<f8", 8, (0, TOP // 8)),
            ("square", "|u1", 1, (3037000499, 3037000499, 0)),
            ("itemsize", "|V2147483647", 2 ** 31 - 1, (0, 4294967298)),
            ("i2", "<i2", 2, (0, 2 ** 62 - 1)), ("powers", "|u1", 1, (2 ** 31, 0, 2 ** 31)),
            ("c32", "<c32", 32, (TOP // 32, 0))):
        accept(f"size-{name}", header(f"'{descr}'", shape=str(shape)), plain(descr, size, shape),
               "As large as an empty array can be.", group="edge", rules=["NPY-SHAPE-004"])
    for name, descr, shape in (("v0", "|V0", (TOP,)), ("s0", "|S0", (4294967296, 2147483647)),
                               ("u0", "<U0", (3, 5)),
                               ("v0-zero", "|V0", (0, TOP))):
        accept(f"size-empty-type-{name}", header(f"'{descr}'", shape=str(shape)), plain(descr, 0, shape),
               "Elements of no size take no bytes, however many there are.", group="edge",
               rules=["NPY-SHAPE-004", "NPY-SHAPE-005"])
    accept("size-empty-record", header("[]", shape="(9223372036854775807,)"), record("[]", 0, [], (TOP,)),
           "Records of no size.", group="edge", rules=["NPY-SHAPE-004"])
    accept("size-record", header("[('a', '<f8'), ('b', '|u1')]", shape="(0, 1024819115206086200)"),
           record("[('a', '<f8'), ('b', '|u1')]", 9, [field("a", "<f8", 0, 8), field("b", "|u1", 8, 1)],
                  (0, 1024819115206086200)),
           "Nine bytes each: just as many as fit.", group="edge", rules=["NPY-SHAPE-004"])
    accept("ndim-64", header(shape="(" + "0, " * 64 + ")"), plain("<f8", 8, (0,) * 64), "64 empty dimensions.",
           group="edge", rules=["NPY-SHAPE-001"])


def data():
    """NPY-DATA-001 to 003."""
    three = header(shape="(3,)")
    for length in (0, 1, 8, 16, 22, 23):
        refuse(f"data/truncated-{length}", three, "SNPY_TRUNCATED_DATA", f"24 bytes declared, {length} there.",
               at="end",
               data=bytes(length))
    for name, descr, shape, length in (("0d", "<f8", "()", 7), ("0d-none", "|b1", "()", 0),
                                       ("2d", "<i4", "(2, 3)", 23),
                                       ("fortran", "<i4", "(3, 2)", 12), ("bytes", "|S5", "(3,)", 14),
                                       ("unicode", "<U3", "(2,)", 23), ("big", "<f8", "(1000000,)", 8),
                                       ("large-claim", "<f8", "(134217728,)", 8),
                                       ("f16", "<f16", "(1,)", 10)):
        refuse(f"data/truncated-{name}", header(f"'{descr}'", shape=shape), "SNPY_TRUNCATED_DATA",
               "The file ends before its data.", at="end", data=bytes(length))
    refuse("data/truncated-huge", header("'|u1'", shape="(9223372036854775807,)"), "SNPY_TRUNCATED_DATA",
           "The largest array there can be, and no data.", at="end")
    refuse("data/truncated-record", header("[('a', '<f8'), ('b', '|u1')]", shape="(2,)"), "SNPY_TRUNCATED_DATA",
           "Two records of nine bytes, and 17 bytes.", at="end", data=bytes(17))
    refuse("data/truncated-padding", header("[('a', '|u1'), ('', '|V7')]", shape="(2,)"), "SNPY_TRUNCATED_DATA",
           "The padding of the last record is missing.", at="end", data=bytes(9))
    refuse("data/truncated-2.0", three, "SNPY_TRUNCATED_DATA", "23 of 24 bytes, version 2.0.", at="end",
           version="2.0",
           data=bytes(23))
    refuse("data/truncated-3.0", three, "SNPY_TRUNCATED_DATA", "23 of 24 bytes, version 3.0.", at="end",
           version="3.0",
           data=bytes(23))
    refuse("data/swallowed", three + " " * 200, "SNPY_TRUNCATED_DATA",
           "A header length that takes the data in, which happen to be blanks.", at="end", pad=False)
    for name, descr, shape in (("1d", "'|O'", "(1,)"), ("0d", "'|O'", "()"), ("empty", "'|O'", "(0,)"),
                               ("record", "[('a', '<f8'), ('o', '|O')]", "(2,)"), ("old", "'|O8'", "(1,)"),
                               ("nested", "[('r', [('o', '|O')], (2,))]", "(0,)"),
                               ("huge", "'|O'", "(1152921504606846975,)")):
        refuse(f"data/no-objects-{name}", header(descr, shape=shape), "SNPY_NO_OBJECTS",
               "The pickle of the objects is missing.", at="end")
    for name, extra in (("one", b"\0"), ("newline", b"\n"), ("array", make(three, data=bytes(24))[0]),
                        ("long", bytes(5000))):
        trailing(name, three, plain("<f8", 8, (3,)), "Bytes after the data: no part of the array.",
                 data=bytes(24) + extra)
    trailing("empty", header("'<i4'"), plain("<i4", 4), "An empty array, and bytes after it.", data=b"abcd")


def many_fields():
    """NPY-HDR-005: 65,536 entries, the record counted.

    Such a header needs a higher limit on its length, and safenpy's command raises the limit on fields
    with it, to an eighth: 524,288 bytes is the highest length that leaves it where it is. A sub-array
    tuple is the shortest entry, seven bytes."""
    wide = ["--max-header", "524288"]

    def nested(entries, mark=""):
        """An unnamed field that takes that many entries of the table, up to 64."""
        return "(''," + "(" * (entries - 1) + mark + "'|u1'" + ",(1,))" * (entries - 1) + ",(1,)),"

    def too_many(name, fields, reason):
        content, offset, _ = make(header("[" + fields + "]"), "2.0")
        dsl.add(Case(
            id=f"choice/limits/{name}", data=content, verdict="choice", flags=["long-header"], reason=reason,
            error=refusal("SNPY_HEADER_TOO_LONG", 8),
            refused_with=[{"options": wide, "error": refusal("SNPY_TOO_MANY_FIELDS", offset)}]))

    too_many("fields-nested", nested(64) * 1023 + nested(64, "→"),
             "Sub-array tuples count as entries: with the record one more than the default limit.")
    too_many("fields-flat", nested(64) * 1000 + "('','V0')," * 1535 + "('',→'V0'),('','V0'),",
             "Fields count as entries: with the record two more than the default limit.")
    long_header("fields-65535", header("[" + nested(64) * 1023 + nested(63) + "]"),
                record("[('', '|V1024')]", 1024, []), options=wide, rules=["NPY-HDR-005"],
                reason="As many entries as the default limit allows, all of them padding.")


def cases():
    """All cases of this module."""
    overflow()
    data()
    many_fields()
