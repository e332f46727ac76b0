"""Two faults in one file: the earlier phase wins, then the earlier byte.

The arrow stands at the fault that wins; the sentence names the one that loses.
"""

from cases.dsl import also_refused, header, prefix_of, refuse, refuse_bytes
from model import MAGIC


def frame():
    """Faults of the frame against later ones, and among themselves."""
    refuse_bytes("phase/version-before-length", MAGIC + b"\x04\x00", "SNPY_UNSUPPORTED_VERSION",
                 "Byte 6 comes before the end of the file.", at=6)
    refuse_bytes("phase/major-before-minor", MAGIC + b"\x04\x07\x02\x00{}", "SNPY_UNSUPPORTED_VERSION",
                 "Major and minor are wrong: the major one.", at=6)
    refuse_bytes("phase/magic-before-version", b"\x93NUMPX\x09\x09", "SNPY_BAD_MAGIC",
                 "Magic and version are wrong.", at=5)
    refuse_bytes("phase/magic-before-truncation", b"\x93NUX", "SNPY_BAD_MAGIC",
                 "A wrong byte, and only four of them.",
                 at=3)
    refuse_bytes("phase/limit-before-truncation", prefix_of("2.0", 10 ** 6) + b"{}", "SNPY_HEADER_TOO_LONG",
                 "Over the limit and not there: the limit is byte 8.", at=8)
    refuse_bytes("phase/truncation-before-utf8", prefix_of("3.0", 100) + b"\xff{", "SNPY_TRUNCATED_HEADER",
                 "A text that is cut off and no UTF-8.", at="end")
    refuse_bytes("phase/truncation-before-literal", prefix_of("1.0", 100) + b"[]", "SNPY_TRUNCATED_HEADER",
                 "A text that is cut off and no dictionary.", at="end")
    refuse("phase/utf8-before-literal", " [] →\udcff", "SNPY_BAD_UTF8", "No dictionary, and no UTF-8 after it.",
           version="3.0")
    refuse("phase/utf8-before-trailing", header() + " x →\udcc0", "SNPY_BAD_UTF8", "Trailing text before it.",
           version="3.0")


def text():
    """Faults of the literal against later phases, and among themselves."""
    refuse("phase/literal-before-dtype", header("'<f3'", shape="(3→)"), "SNPY_SHAPE_NOT_A_TUPLE",
           "The wrong type comes first in the file, but types are checked later.")
    refuse("phase/missing-key-before-dtype", "{'descr': '<f3', 'shape': (0,), →}", "SNPY_MISSING_KEY",
           "A wrong type and a missing key.")
    refuse("phase/trailing-before-dtype", header("'zzz'") + " →x", "SNPY_TRAILING_TEXT",
           "A wrong type and trailing text.")
    refuse("phase/literal-before-duplicate-name", header("[('a', '|u1'), ('a', '|u1')]", order="→2"),
           "SNPY_BAD_FORTRAN_ORDER", "Two equal names and a wrong order.")
    refuse("phase/literal-before-ndim", header(shape="(" + "0, " * 65 + "→-1)"), "SNPY_SIGNED_DIMENSION",
           "Too many dimensions, the last with a sign.")
    refuse("phase/literal-before-size", header(shape="(99999999999999999999, →03)"), "SNPY_LEADING_ZERO",
           "An overflow and a leading zero.")
    refuse("phase/literal-first-of-two", header("→None", order="2"), "SNPY_EXPECTED_TYPE",
           "Two faults of one phase.")
    refuse("phase/key-before-end", "{→'a': '<f8'", "SNPY_UNKNOWN_KEY", "An unknown key, and no closing brace.",
           pad=False)
    refuse("phase/duplicate-key-before-missing", "{'descr': '<f8', →'descr': '<f8'}", "SNPY_DUPLICATE_KEY",
           "A key twice, two others missing.")
    refuse("phase/escape-before-control", header("[('→\\xg\tb', '|u1')]"), "SNPY_BAD_ESCAPE",
           "A wrong escape, with a raw tab after it.")
    refuse("phase/control-before-escape", header("[('→\t\\xg', '|u1')]"), "SNPY_CONTROL_IN_STRING",
           "A raw tab, with a wrong escape after it.")
    refuse("phase/escape-in-type-before-kind", header("'z8→\\q'"), "SNPY_ESCAPE_IN_TYPE",
           "No such kind, and a backslash.")
    refuse("phase/depth-before-dtype", header("[('a', " * 64 + "→[('b', 'zz')]" + ")]" * 64), "SNPY_TOO_DEEP",
           "Too deep, and a wrong type inside.")


def types():
    """Faults of types, names, shapes and sizes."""
    refuse("phase/dtype-left-to-right", header("[('a', '<f→3'), ('b', 'zz')]"), "SNPY_BAD_TYPE_SIZE",
           "Two wrong types: the first.")
    refuse("phase/size-before-order", header("'=f→3'"), "SNPY_BAD_TYPE_SIZE",
           "No such size and no byte order: kind and size are settled first.")
    refuse("phase/size-before-bar", header("'|f→3'"), "SNPY_BAD_TYPE_SIZE", "No such size, and a bar.")
    refuse("phase/kind-before-order", header("'|→z8'"), "SNPY_UNKNOWN_TYPE", "No such kind, and a bar.")
    refuse("phase/order-before-unit", header("'→|M8[B]'"), "SNPY_BAD_BYTE_ORDER",
           "A bar and an unknown unit: the bracket is judged last.")
    refuse("phase/missing-order-before-unit", header("'→M8[B]'"), "SNPY_NO_BYTE_ORDER",
           "No byte order and an unknown unit.")
    also_refused("native-order", header("'M8[→B]'"), "SNPY_BAD_UNIT")
    refuse("phase/multiplier-before-unit", header("'<M8[→0B]'"), "SNPY_BAD_MULTIPLIER",
           "A wrong multiplier and unit.")
    refuse("phase/multiplier-before-divisor", header("'<M8[→-1s/2]'"), "SNPY_BAD_MULTIPLIER",
           "A wrong multiplier, and a divisor.")
    refuse("phase/unit-before-divisor", header("'<M8[→B/2]'"), "SNPY_BAD_UNIT", "An unknown unit, and a divisor.")
    refuse("phase/dtype-before-duplicate", header("[('a', '|u1'), ('a', '|u1'), ('b', '<f→3')]"),
           "SNPY_BAD_TYPE_SIZE",
           "Two equal names before a wrong type.")
    refuse("phase/dtype-before-ndim", "{'shape': (" + "0, " * 65 + "), 'fortran_order': False, 'descr': '<f→3'}",
           "SNPY_BAD_TYPE_SIZE", "Too many dimensions before a wrong type.")
    refuse("phase/dtype-before-size", header("[('a', '|V2147483647'), ('b', '<i→3')]"), "SNPY_BAD_TYPE_SIZE",
           "A wrong type in a field that would be too much.")
    refuse("phase/duplicate-before-ndim", header("[('a', '|u1', (" + "1, " * 65 + ")), (→'a', '|u1')]"),
           "SNPY_DUPLICATE_NAME", "Too many dimensions before an equal name.")
    refuse("phase/duplicate-before-size", header("[('a', '|V2147483647'), (→'a', '|u1')]"), "SNPY_DUPLICATE_NAME",
           "A record that is too large, of two equal names.")
    refuse("phase/duplicate-earliest", header("[('a', '|u1'), ('b', '|u1'), (→'b', '|u1'), ('a', '|u1')]"),
           "SNPY_DUPLICATE_NAME", "Two pairs of equal names: the pair that is complete first.")
    refuse("phase/duplicate-triple", header("[('a', '|u1'), (→'a', '|u1'), ('a', '|u1')]"), "SNPY_DUPLICATE_NAME",
           "Three equal names: the second one.")
    refuse("phase/duplicate-inner-first", header("[('x', [('y', '|u1'), (→'y', '|u1')]), ('x', '|u1')]"),
           "SNPY_DUPLICATE_NAME", "Equal names in an inner and in the outer record: the earlier byte.")
    refuse("phase/duplicate-outer-first", header("[('x', '|u1'), (→'x', [('y', '|u1'), ('y', '|u1')])]"),
           "SNPY_DUPLICATE_NAME", "Equal names in the outer record, then in an inner one.")
    refuse("phase/ndim-before-empty-type", header("[('a', '|S0', →(" + "1, " * 65 + "))]"),
           "SNPY_TOO_MANY_DIMENSIONS",
           "Too many dimensions on a type of size zero.")
    refuse("phase/ndim-before-size", header(shape="(99999999999999999999, " + "1, " * 63 + "→1)"),
           "SNPY_TOO_MANY_DIMENSIONS", "An overflow in the first of 65 dimensions.")
    refuse("phase/ndim-array-before-itemsize", header("[('a', '|V2147483647'), ('b', '|u1')]",
                                                      shape="(" + "0, " * 64 + "→0)"),
           "SNPY_TOO_MANY_DIMENSIONS", "A record that is too large, before too many dimensions.")
    refuse("phase/ndim-earliest", "{'shape': (" + "0, " * 64 + "→0), 'fortran_order': False, "
           "'descr': [('a', '|u1', (" + "1, " * 65 + "))]}", "SNPY_TOO_MANY_DIMENSIONS",
           "Too many dimensions of the array, and of a sub-array after it.")
    refuse("phase/empty-type-before-itemsize", header("[('a', '|S0', →(5,)), ('b', '<f8', (268435456,))]"),
           "SNPY_EMPTY_SUBARRAY_TYPE", "A sub-array of no size, then one that is too large.")
    refuse("phase/itemsize-before-empty-type", header("[('b', '<f8', (→268435456,)), ('a', '|S0', (5,))]"),
           "SNPY_ITEMSIZE_OVERFLOW", "A sub-array that is too large, then one of no size.")
    refuse("phase/itemsize-before-array", header("[('a', '|V2147483647'), ('b', →'|u1')]",
                                                 shape="(99999999999999999999,)"),
           "SNPY_ITEMSIZE_OVERFLOW", "A record and an array that are too large.")
    refuse("phase/size-before-data", header(shape="(→9999999999999999999,)"), "SNPY_SIZE_OVERFLOW",
           "An overflow, and no data.")
    refuse("phase/dtype-before-data", header("'<f→3'", shape="(5,)"), "SNPY_BAD_TYPE_SIZE",
           "A wrong type, and no data.")


def cases():
    """All cases of this module."""
    frame()
    text()
    types()
