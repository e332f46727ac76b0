"""Sizes on either side of every bound, and sizes that fit a narrower number once they wrap around.

A reader that multiplies without looking takes some of the refused files for small ones, with the data that
are there.
"""

import math

import model
from cases.dsl import PICKLE, header, make, refuse, strict, take

TOP = 2 ** 63 - 1
TYPE_TOP = 2 ** 31 - 1
TYPES = {"|u1": 1, "<i2": 2, "<f4": 4, ">f8": 8, "<c16": 16, "<c32": 32, "|V3": 3, "|S5": 5, "|V7": 7, "<U3": 12,
         "|V255": 255, "|V65537": 65537, "|V1048575": 1048575}


def slug(descr):
    """A type as part of a name."""
    return descr.translate(str.maketrans("", "", "<>|"))


def marked(dims, place):
    """A shape's text with the arrow before one dimension."""
    words = [("→" if number == place else "") + str(dim) for number, dim in enumerate(dims)]
    return "(" + ", ".join(words) + ("," if len(dims) == 1 else "") + ")"


def first_beyond(dims, itemsize, bound):
    """The first dimension whose product with the size and those before it exceeds the bound; None if none does."""
    product = max(itemsize, 1)
    for place, dim in enumerate(dims):
        product *= max(dim, 1)
        if product > bound:
            return place
    return None


def array(name, descr, dims, reason, data=b""):
    """A shape that NPY-SHAPE-004 allows, in an empty array, or one that it forbids."""
    place = first_beyond(dims, model.understand(descr).itemsize, TOP)
    shape = marked(dims, place)
    if place is None:
        assert 0 in dims, name
        take(f"array-{name}", header(f"'{descr}'", shape=shape), reason, rules=["NPY-SHAPE-004", "NPY-LIMIT-003"],
             group="sizes")
    else:
        refuse(f"sizes/array-{name}", header(f"'{descr}'", shape=shape), "SNPY_SIZE_OVERFLOW", reason, data=data)


def bounds_by_type():
    """The last array that fits, and the first that does not, for each size of an element."""
    for descr, size in TYPES.items():
        edge = TOP // size
        for dims, where in (((0, edge), "last"), ((edge, 0), "first")):
            array(f"edge-{slug(descr)}-{where}", descr, dims,
                  f"The largest dimension for elements of {size} bytes.")
        for dims, where in (((0, edge + 1), "last"), ((edge + 1, 0), "first")):
            array(f"beyond-{slug(descr)}-{where}", descr, dims,
                  f"One more than fits for elements of {size} bytes.")


def products():
    """Powers of two on either side of 2^63, in two and three dimensions, and sizes that wrap around."""
    for power in (1, 7, 8, 15, 16, 24, 31, 32, 33, 47, 48, 62):
        other = 63 - power
        array(f"power-{power}-edge", "|u1", (2 ** power, 2 ** other - 1, 0),
              f"2^{power} times one less than 2^{other}.")
        array(f"power-{power}-beyond", "|u1", (2 ** power, 2 ** other, 0), f"2^{power} times 2^{other} is 2^63.")
    for name, dims in (("three-edge", (2 ** 21, 2 ** 21, 2 ** 21 - 1, 0)),
                       ("three-beyond", (2 ** 21, 2 ** 21, 2 ** 21, 0)),
                       ("nine-edge", (127,) * 9 + (0,)), ("nine-beyond", (128,) * 9 + (0,)),
                       ("ten-edge", (78,) * 10 + (0,)), ("ten-beyond", (79,) * 10 + (0,)),
                       ("threes-edge", (3,) * 39 + (0,)), ("threes-beyond", (3,) * 40 + (0,)),
                       ("signed-max", (TOP, 1, 0)), ("signed-max-twice", (TOP, 2, 0))):
        array(name, "|u1", dims, "The product of all dimensions, empty ones counted as one, is at most 2^63 - 1.")
    wraps = {"one": ("|u1", (274177, 67280421310721), 1), "minus-one": ("|u1", (4294967297, 4294967295), 0),
             "small": ("|u1", (4294967298, 4294967298, 1), 4), "f8-one": ("<f8", (2 ** 61 + 1,), 8),
             "f8-zero": ("<f8", (2 ** 61,), 0), "i2-two": ("<i2", (2 ** 63 + 2,), 4),
             "f4-three": ("<f4", (2 ** 62 + 3,), 12),
             "c16-one": ("<c16", (2 ** 60 + 1,), 16), "c32-one": ("<c32", (2 ** 59 + 1,), 32),
             "two-dims-f8": ("<f8", (2 ** 32, 2 ** 29), 0), "three-dims-f4": ("<f4", (2 ** 31, 2 ** 31, 2), 0),
             "v3": ("|V3", (6148914691236517206,), 2), "v5": ("|V5", (3689348814741910324,), 4),
             "zeros-behind": ("<f8", (2 ** 61 + 1, 1, 1), 8)}
    for name, (descr, dims, left) in wraps.items():
        wrapped = math.prod(dims) * model.understand(descr).itemsize % 2 ** 64
        array(f"wraps-{name}", descr, dims,
              f"In 64 bits the size is {wrapped if wrapped < 2 ** 63 else wrapped - 2 ** 64}.",
              data=bytes(left))


def narrow():
    """Sizes that fit 64 bits, of files that hold what is left of them in 8, 16, 31, 32 or 53 bits."""
    for name, descr, dims, there in (
            ("8-bits", "|u1", (258,), 2), ("8-bits-f8", "<f8", (33,), 8), ("16-bits", "|u1", (65538,), 2),
            ("16-bits-two", "<i2", (256, 128), 0), ("31-bits", "|u1", (2147483648,), 0),
            ("32-bits", "|u1", (4294967298,), 2),
            ("32-bits-zero", "|u1", (65536, 65536), 0), ("32-bits-f8", "<f8", (536870913,), 8),
            ("32-bits-f8-zero", "<f8", (536870912,), 0), ("32-bits-signed", "<i4", (536870911,), 0),
            ("32-bits-641", "|u1", (641, 6700417), 1), ("32-bits-c16", "<c16", (268435457,), 16),
            ("53-bits", "|u1", (9007199254740993,), 1), ("f2-gib", "<f2", (536870912,), 0),
            ("c32-gib", "<c32", (33554432,), 0), ("f8-tib", "<f8", (137438953472,), 0),
            ("record-tib", None, (2 ** 38,), 0)):
        kind = f"'{descr}'" if descr else "[('a', '<i4')]"
        text = header(kind, shape=model.python_repr(dims))
        refuse(f"sizes/narrow-{name}", text, "SNPY_TRUNCATED_DATA",
               "The header declares more data than the file has, whatever is left of the size in fewer bits.",
               at="end",
               data=bytes(there), rules=["NPY-LIMIT-003", "NPY-DATA-001"])
    offset = make(header("'|u1'", shape=f"({TOP},)"))[2]
    for name, dim in (("edge", TOP - offset), ("beyond", TOP - offset + 1), ("one-less", TOP - 1)):
        refuse(f"sizes/end-{name}", header("'|u1'", shape=f"({dim},)"), "SNPY_TRUNCATED_DATA",
               "The end of the data is at 2^63 - 1 or after it.", at="end",
               rules=["NPY-DATA-001", "NPY-MAP-001"])
    for name, dim in (("31", 2 ** 31 - 1), ("31-plus", 2 ** 31), ("32", 2 ** 32 - 1), ("32-plus", 2 ** 32),
                      ("53", 2 ** 53),
                      ("53-plus", 2 ** 53 + 1), ("62", 2 ** 62), ("billion", 10 ** 9)):
        take(f"dimension-{name}", header("'|u1'", shape=f"(0, {dim})"),
             f"An empty array with a dimension of {dim}.",
             rules=["NPY-LIT-017", "NPY-LIMIT-003"], group="sizes")
        take(f"dimension-{name}-v0", header("'|V0'", shape=f"({dim},)"), f"{dim} elements of no size.",
             rules=["NPY-LIT-017", "NPY-LIMIT-003"], group="sizes")


def of_types():
    """NPY-SHAPE-003: sub-arrays and records on either side of 2^31 - 1 bytes."""
    for descr, size in TYPES.items():
        edge = TYPE_TOP // size
        text = f"[('a', '{descr}', (%s,))]"
        take(f"subarray-edge-{slug(descr)}", header(text % edge),
             f"The largest sub-array of elements of {size} bytes.",
             rules=["NPY-SHAPE-003"], group="sizes")
        refuse(f"sizes/subarray-beyond-{slug(descr)}", header(text % f"→{edge + 1}"), "SNPY_ITEMSIZE_OVERFLOW",
               f"One element of {size} bytes too many.")
    for name, fields in (("two-dims", "('a', '|u1', (32768, 65535))"),
                         ("three-dims", "('a', '|u1', (1290, 1290, 1290))"),
                         ("nested", "('a', ('|u1', (32768,)), (65535,))"),
                         ("of-record", "('a', [('x', '<i2'), ('y', '|u1')], (715827882,))"),
                         ("record-in-record", "('r', [('a', '|V2147483646')]), ('b', '|u1')"),
                         ("with-padding", "('a', '|V2147483640'), ('', '|V7')"),
                         ("padding-only", "('', '|V2147483647')"),
                         ("four-fields",
                          "('a', '|V536870912'), ('b', '|V536870912'), ('c', '|V536870912'), "
                          "('d', '|V536870911')")):
        take(f"type-{name}-edge", header(f"[{fields}]"), "An element of at most 2,147,483,647 bytes, just so.",
             rules=["NPY-SHAPE-003", "NPY-DTYPE-015"], group="sizes")
    for name, fields in (("two-dims", "('a', '|u1', (32768, →65536))"),
                         ("three-dims", "('a', '|u1', (1291, 1291, →1291))"),
                         ("nested", "('a', ('|u1', (32768,)), (→65536,))"),
                         ("of-record", "('a', [('x', '<i2'), ('y', '|u1')], (→715827883,))"),
                         ("record-in-record", "('r', [('a', '|V2147483646')]), ('b', →'<i2')"),
                         ("with-padding", "('a', '|V2147483640'), ('', →'|V8')"),
                         ("padding-twice", "('', '|V2147483647'), ('', →'|V1')"),
                         ("four-fields",
                          "('a', '|V536870912'), ('b', '|V536870912'), ('c', '|V536870912'), "
                          "('d', →'|V536870912')"),
                         ("wraps-to-one", "('a', '|u1', (641, →6700417))"),
                         ("wraps-to-zero", "('a', '|V65536', (→65536,))"),
                         ("fields-wrap", "('a', '|V2147483647'), ('b', →'|V2147483647'), ('c', '|V2')")):
        refuse(f"sizes/type-{name}-beyond", header(f"[{fields}]"), "SNPY_ITEMSIZE_OVERFLOW",
               "An element of more than 2,147,483,647 bytes.")


def of_objects():
    """NPY-DTYPE-019 and NPY-SHAPE-006: objects count eight bytes each."""
    rules = ["NPY-SHAPE-006", "NPY-DTYPE-019"]
    take("objects-edge", header("'|O'", shape="(1152921504606846975,)"),
         "As many objects as a header can declare.",
         data=PICKLE, rules=rules, group="sizes")
    take("objects-64-dims", header("'|O'", shape="(" + "1, " * 64 + ")"), "Objects in 64 dimensions.", data=PICKLE,
         rules=["NPY-SHAPE-006"], group="sizes")
    strict("sizes/objects-product", header("'|O'", shape="(4294967296, →4294967296)"), "SNPY_SIZE_OVERFLOW",
           "The bounds hold for objects, too; NumPy takes the shape from the pickle.", data=PICKLE, rules=rules)
    strict("sizes/objects-65-dims", header("'|O'", shape="(" + "1, " * 64 + "→1)"), "SNPY_TOO_MANY_DIMENSIONS",
           "The bounds hold for objects, too; NumPy takes the shape from the pickle.", data=PICKLE, rules=rules)
    take("objects-in-record", header("[('a', '|O4'), ('b', '<i4'), ('c', 'O')]", shape="(1,)"),
         "An object takes eight bytes of a record, whatever its spelling.", data=PICKLE, rules=["NPY-DTYPE-019"],
         group="sizes")
    take("objects-subarray-edge", header("[('a', '|O', (268435455,))]"), "The largest sub-array of objects.",
         data=PICKLE,
         rules=["NPY-DTYPE-019"], group="sizes")
    refuse("sizes/objects-subarray-beyond", header("[('a', '|O', (→268435456,))]"), "SNPY_ITEMSIZE_OVERFLOW",
           "One object too many.", data=PICKLE, rules=["NPY-DTYPE-019"])


def cases():
    """All cases of this module."""
    bounds_by_type()
    products()
    narrow()
    of_types()
    of_objects()
