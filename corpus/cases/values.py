"""What the bytes of the elements mean: NPY-VALUE, NPY-DATA-005 to 009, object payloads.

A reader sees nothing wrong with any value; what is tested is what it hands out (`elements_sha256`). Each
accepted file has a twin that ends inside an element.
"""

import ast
import math
import struct

import model
from cases.dsl import header, make, plain, refuse_bytes, take, trailing
from cases.written import save

NAN16, NAN32, NAN64 = ("7e01 7d01 fe01", "7fc00001 7fa00001 ffc00001",
                       "7ff8000000000001 7ff4000000000001 fff8000000000001")      # quiet, signalling, negative


def numbers(order, letter, values):
    """Numbers as struct packs them."""
    return b"".join(struct.pack(order + letter, value) for value in values)


def raw(text, order="<"):
    """Bytes from hexadecimal numbers, each in the byte order."""
    parts = [bytes.fromhex(word) for word in text.split()]
    return b"".join(part[::-1] if order == "<" else part for part in parts)


def both(name, descr, shape, data, reason, rule, *, order="C", cut=1):
    """The file whole, and without its last byte or bytes."""
    save(name, descr, shape, reason, rules=[rule], order=order, data=data, group="values")
    fortran = order == "F" and not model.c_contiguous_too(shape)
    whole = model.header_bytes(model.python_repr(descr), fortran, shape) + data
    refuse_bytes(f"values/{name}-short", whole[:-cut], "SNPY_TRUNCATED_DATA",
                 f"Of {name} the last {'byte is' if cut == 1 else f'{cut} bytes are'} missing.", at="end",
                 rules=[rule])


def byte_orders():
    """NPY-VALUE-001: each number by itself."""
    rule = "NPY-VALUE-001"
    both("big-i2", ">i2", (3,), raw("0102 fffe 8001", ">"), "Two-byte integers, the high byte first.", rule)
    both("big-i4", ">i4", (2,), raw("01020304 fffefdfc", ">"), "Four-byte integers, the high byte first.", rule)
    both("big-i8", ">i8", (2,), raw("0102030405060708 fffefdfcfbfaf9f8", ">"), "Eight bytes, the high byte first.",
         rule)
    both("big-f8", ">f8", (2,), numbers(">", "d", (1.5, -2.25)), "Doubles, the high byte first.", rule)
    both("big-datetime", ">M8[us]", (2,), numbers(">", "q", (1, -86400000000)), "Datetimes, the high byte first.",
         rule)
    both("big-string", ">U2", (2,), "aéz整".encode("utf-32-be"), "Code units, the high byte first.", rule)
    both("mixed-record", [("a", "<i4"), ("b", ">i4"), ("c", ">f2"), ("d", "<u2")], (2,),
         raw("00000001") + raw("00000001 3c00", ">") + raw("0102") + raw("01020304") + raw("01020304 c000", ">")
         + raw("fffe"), "Fields of both byte orders.", rule)
    both("mixed-nested", [("a", [("b", ">i2"), ("c", "<i2")], (2,)), ("d", ">c8")], (1,),
         raw("0001", ">") + raw("0001") + raw("0203", ">") + raw("0203") + numbers(">", "f", (1.5, -3.0)),
         "Byte orders inside a sub-array of records.", rule)


def plain_numbers():
    """NPY-VALUE-002 to 004: booleans, integers, floats."""
    both("bool-any-byte", "|b1", (5,), bytes((0, 1, 2, 128, 255)), "Every byte other than zero is true, and kept.",
         "NPY-VALUE-002")
    both("bool-record", [("a", "|b1"), ("b", "|b1")], (2,), bytes((0, 255, 1, 254)), "The same in records.",
         "NPY-VALUE-002")
    for size, letter in ((1, "b"), (2, "h"), (4, "i"), (8, "q")):
        top = 2 ** (8 * size - 1)
        for order in "<>" if size > 1 else "|":
            word = {"<": "little-", ">": "big-", "|": ""}[order]
            pack = order if size > 1 else "<"
            both(f"extremes-{word}i{size}", f"{order}i{size}", (5,),
                 numbers(pack, letter, (-top, -1, 0, 1, top - 1)),
                 "Two's complement, from the least to the greatest.",
                 "NPY-VALUE-003")
            both(f"extremes-{word}u{size}", f"{order}u{size}", (4,),
                 numbers(pack, letter.upper(), (0, 1, top, 2 * top - 1)), "Unsigned, from zero to the greatest.",
                 "NPY-VALUE-003")
    special = {2: ("8000 0000 0001 83ff 7bff 7c00 fc00", NAN16),
               4: ("80000000 00000000 00000001 807fffff 7f7fffff "
               "7f800000 ff800000", NAN32),
               8: ("8000000000000000 0000000000000000 0000000000000001 800fffffffffffff "
               "7fefffffffffffff 7ff0000000000000 fff0000000000000", NAN64)}
    for size, (finite, nans) in special.items():
        for order, word in (("<", "little"), (">", "big")):
            both(f"special-{word}-f{size}", f"{order}f{size}", (7,), raw(finite, order),
                 "Negative zero, zero, subnormal numbers, the greatest, both infinities.", "NPY-VALUE-004")
            both(f"nan-{word}-f{size}", f"{order}f{size}", (3,), raw(nans, order),
                 "NaNs, quiet, signalling and negative: every bit is kept.", "NPY-VALUE-004")


def complex_and_opaque():
    """NPY-VALUE-005 and 006."""
    rule = "NPY-VALUE-005"
    for order, word in (("<", "little"), (">", "big")):
        both(f"complex-{word}-c8", order + "c8", (2,), numbers(order, "f", (1.5, -2.5, 0.0, -0.0)),
             "Real part, then imaginary part, each in the byte order.", rule)
        both(f"complex-{word}-c16", order + "c16", (2,), numbers(order, "d", (1.5, -2.5, 0.0, -0.0)),
             "Real part, then imaginary part, each in the byte order.", rule)
    both("complex-half", "<c16", (1,), numbers("<", "d", (1.5, -2.5)), "One number of two doubles.", rule, cut=8)
    both("complex-fortran", ">c8", (2, 3), numbers(">", "f", range(12)), "Both parts move together.", rule,
         order="F")
    both("complex-nan-parts", "<c8", (2,), raw("7fa00001 ff800000 ffc00001 00000001"),
         "A NaN in one part says nothing of the other.", rule)
    rule = "NPY-VALUE-006"
    garbage = bytes(range(0xA1, 0xA7))
    for order, word in (("<", "little"), (">", "big")):
        ten = [model.long_double(number, "<")[:10] + garbage for number in (1, 3)]
        both(f"opaque-{word}-f16", order + "f16", (2,),
             b"".join(item if order == "<" else item[::-1] for item in ten),
             "Long doubles with garbage in the six bytes that the x87 does not use.", rule)
        both(f"opaque-{word}-c32", order + "c32", (1,),
             b"".join(item if order == "<" else item[::-1] for item in ten),
             "A complex long double: two opaque components.", rule)


def strings():
    """NPY-VALUE-007 to 009: bytes, strings, void."""
    both("bytes-nul", "|S5", (4,), b"a\0b\0\0" + bytes(5) + b"abcde" + b"\0\0\0\0z",
         "Inner NULs belong to the value, those at the end do not.", "NPY-VALUE-007")
    both("bytes-high", "|S3", (2,), b"\x80\xff\xe9\xc3\xa9\0", "Bytes of no encoding.", "NPY-VALUE-007")
    both("bytes-not-utf8", "|S2", (2,), b"\xc3\x28\xff\xfe", "Bytes that are no UTF-8 are a value all the same.",
         "NPY-VALUE-007")
    for order, word in (("<", "little"), (">", "big")):
        codec = "utf-32-le" if order == "<" else "utf-32-be"
        both(f"string-{word}", order + "U3", (4,), "整数\0a\0b\0\0\0😀é\U0010ffff".encode(codec),
             "Code points of every plane; zeros at the end are no part of the value.", "NPY-VALUE-008")
        both(f"string-{word}-beyond", order + "U2", (2,), raw("0000d800 0000dfff 00110000 ffffffff", order),
             "Surrogates and units above U+10FFFF are values too.", "NPY-VALUE-008")
    both("string-unit-cut", "<U1", (1,), "a".encode("utf-32-le"), "A single code unit.", "NPY-VALUE-008", cut=1)
    both("void", "|V4", (3,), bytes(range(1, 13)), "Opaque bytes.", "NPY-VALUE-009")
    for order, word in (("<", "little"), (">", "big")):
        data = bytes(range(1, 9))
        take(f"void-{word}", header(f"'{order}V4'", shape="(2,)"), "Opaque bytes, whatever the order says.",
             data=data,
             rules=["NPY-VALUE-009", "NPY-DTYPE-002"], group="values")
        refuse_bytes(f"values/void-{word}-short", make(header(f"'{order}V4'", shape="(2,)"), data=data[:-1])[0],
                     "SNPY_TRUNCATED_DATA", "The last byte of the second element is missing.", at="end",
                     rules=["NPY-VALUE-009"])


def times():
    """NPY-VALUE-010: counts of 64 bits, the least of which is no time."""
    for kind, word in (("M", "datetime"), ("m", "timedelta")):
        for order, side in (("<", "little"), (">", "big")):
            both(f"{word}-{side}-extremes", f"{order}{kind}8[ns]", (5,),
                 numbers(order, "q", (-2 ** 63, -1, 0, 1, 2 ** 63 - 1)), "NaT is the least number.",
                 "NPY-VALUE-010")
        both(f"{word}-generic-nat", f"<{kind}8", (2,), numbers("<", "q", (-2 ** 63, 5)), "NaT without a unit.",
             "NPY-VALUE-010")


def padding():
    """NPY-VALUE-011 and 012: bytes between fields, and the order inside a sub-array."""
    rule = "NPY-VALUE-011"
    gaps = [("a", "|u1"), ("", "|V3"), ("b", "<i4"), ("", "|V2")]
    both("padding-zero", gaps, (2,), b"\x01\0\0\0\x02\0\0\0\0\0" + b"\x03\0\0\0\x04\0\0\0\0\0",
         "Padding of zeros, as a careful writer leaves it.", rule)
    both("padding-garbage", gaps, (2,), b"\x01\xde\xad\xbe\x02\0\0\0\xef\x11"
         + b"\x03\x22\x33\x44\x04\0\0\0\x55\x66",
         "The same elements with garbage in the padding: the digest is that of padding-zero.", rule)
    both("padding-nested-garbage", [("r", [("x", ">i2"), ("", "|V2")], (2,)), ("", "|V1"), ("y", "|u1")], (1,),
         b"\x01\x02\xde\xad\x03\x04\xbe\xef\x99\x07", "Garbage in the padding of an inner record.", rule)
    rule = "NPY-VALUE-012"
    field = [("m", "<i2", (2, 3))]
    both("subarray-in-fortran", field, (2, 2), numbers("<", "h", range(24)),
         "An array in Fortran order of elements that are matrices in C order.", rule, order="F")
    both("subarray-in-c", field, (2, 2), numbers("<", "h", range(24)), "The same bytes in C order.", rule)
    both("subarray-big-in-fortran", [("m", ">i4", (3, 2)), ("t", "|u1")], (2, 2),
         b"".join(numbers(">", "i", range(6 * n, 6 * n + 6)) + bytes((n,)) for n in range(4)),
         "The same with big-endian numbers and a second field.", rule, order="F")
    both("subarray-of-subarray-order", [("m", ("<i2", (2,)), (3,))], (2,), numbers("<", "h", range(12)),
         "Nested sub-arrays: the outer one steps over the inner one.", "NPY-DTYPE-017")
    both("subarray-of-subarray-three", [("m", (("|u1", (2,)), (3,)), (4,))], (1,), bytes(range(24)),
         "Three levels: a shape of (4, 3, 2).", "NPY-DTYPE-017")


def order_of_elements():
    """NPY-DATA-005 to 008: which element comes next."""
    for name, shape in (("2d", (2, 3)), ("3d", (2, 3, 4)), ("4d", (2, 3, 2, 2)), ("ones", (1, 2, 1, 3))):
        count = math.prod(shape)
        both(f"c-order-{name}", "<i4", shape, numbers("<", "i", range(1000, 1000 + count)),
             "The last index varies fastest.", "NPY-DATA-005")
        both(f"fortran-order-{name}", "<i4", shape, numbers("<", "i", range(1000, 1000 + count)),
             "The first index varies fastest.", "NPY-DATA-006", order="F")
    for name, shape in (("0d", "()"), ("1d", "(3,)"), ("column", "(3, 1)"), ("row", "(1, 3)"),
                        ("between", "(1, 3, 1)"),
                        ("empty-last", "(3, 0)"), ("ones", "(1, 1)")):
        text = header("'<i2'", order="True", shape=shape)
        count = math.prod(ast.literal_eval(shape))
        data = numbers("<", "h", range(1, count + 1))
        take(f"either-order-{name}", text, "Fortran order says nothing of this shape: C order is the same.",
             data=data,
             rules=["NPY-DATA-007", "NPY-CANON-006", "NPY-HDR-007"], group="values")
        if data:
            refuse_bytes(f"values/either-order-{name}-short", make(text, data=data[:-1])[0], "SNPY_TRUNCATED_DATA",
                         "The last byte is missing.", at="end", rules=["NPY-DATA-007"])
    both("packed-3-bytes", "|V3", (3,), bytes(range(1, 10)), "Elements of three bytes, without gaps.",
         "NPY-DATA-008")
    both("packed-5-bytes", [("a", "|u1"), ("b", "<i4")], (2,), bytes(range(1, 11)),
         "Records of five bytes: the second begins at five.", "NPY-DATA-008")
    both("packed-17-bytes", [("a", "<f16"), ("b", "|b1")], (2,), (model.long_double(1, "<") + b"\1") * 2,
         "Records of seventeen bytes.", "NPY-DATA-008")
    refuse_bytes("values/whole-element-short", make(header("'<i4'", shape="(3,)"), data=bytes(8))[0],
                 "SNPY_TRUNCATED_DATA", "Two elements of three: the file's length does not correct the shape.",
                 at="end",
                 rules=["NPY-DATA-009"])
    refuse_bytes("values/whole-row-short", make(header("'<i4'", shape="(3, 2)"), data=bytes(16))[0],
                 "SNPY_TRUNCATED_DATA", "Two rows of three.", at="end", rules=["NPY-DATA-009"])
    refuse_bytes("values/no-elements", make(header("'<i4'", shape="(3,)"))[0], "SNPY_TRUNCATED_DATA",
                 "A header and nothing after it.", at="end", rules=["NPY-DATA-009"])
    trailing("more-than-declared", header("'<i4'", shape="(2,)"), plain("<i4", 4, (2,)),
             "Three elements there, two declared: who reads, reads two.", data=numbers("<", "i", (1, 2, 3)))


def cases():
    """All cases of this module."""
    for make_some in (byte_orders, plain_numbers, complex_and_opaque, strings, times, padding, order_of_elements):
        make_some()
