"""What a reader does besides parsing: objects, maps, limits, versions, and flags that help nothing."""

from cases import dsl
from cases.dsl import PICKLE, also_refused, header, refuse, refuse_bytes, take

# pickle of a call int('x'): whoever unpickles it gets an exception, and nothing else happens.
RAISES = b"cbuiltins\nint\n(S'x'\ntR."


def objects():
    """NPY-OBJ-001 to 004."""
    rule = ["NPY-OBJ-001", "NPY-OBJ-002"]
    for name, payload, shape in (("garbage", b"\xff\xff", "(2,)"), ("raises", RAISES, "(1,)"),
                                 ("one-byte", b"N", "(1000,)"),
                                 ("for-none", PICKLE, "(0,)"), ("behind-stop", PICKLE + b"more", "(1,)"),
                                 ("zeros", bytes(16), "(2,)"), ("zip", b"PK\x03\x04", "()"),
                                 ("text", b"no pickle\n", "(3, 3)")):
        take(f"object-payload-{name}", header("'|O'", shape=shape),
             "The payload of an array of objects is not read.",
             data=payload, rules=rule, group="objects")
    rule = ["NPY-OBJ-003"]
    for name, descr in (("deep", "[('a', [('b', [('c', '|O')])])]"),
                        ("subarray", "[('a', '|O', (2,)), ('b', '<i4')]"),
                        ("in-nested-subarray", "[('a', ('|O', (2,)), (3,))]"), ("titled", "[(('t', ''), '|O')]"),
                        ("unnamed", "[('', '|O'), ('b', '<i4')]"),
                        ("last-of-many", "[('a', '<i4'), ('b', '|S3'), ('c', '|O')]")):
        take(f"object-field-{name}", header(descr, shape="(2,)"),
             "One field of objects makes an array of objects.",
             data=PICKLE, rules=rule, group="objects")
        refuse(f"objects/no-payload-{name}", header(descr, shape="(2,)"), "SNPY_NO_OBJECTS",
               "One field of objects makes an array of objects, and there is no payload.", at="end", rules=rule)
    gone = header("[('', '|O', (2,)), ('b', '<i4')]", shape="(1,)")
    take("object-in-padding", gone, "Objects that are padding: the array holds none, and its data are counted.",
         data=bytes(16) + b"\x01\0\0\0", rules=rule, group="objects")
    refuse("objects/padding-short", gone, "SNPY_TRUNCATED_DATA",
           "Objects that are padding, and the last byte is missing.",
           at="end", data=bytes(19), rules=rule)
    take("object-fortran", header("'|O'", order="True", shape="(2, 3)"), "Fortran order says nothing of a pickle.",
         data=PICKLE, rules=["NPY-OBJ-004"], group="objects")
    refuse("objects/fortran-no-payload", header("'|O'", order="True", shape="(2, 3)"), "SNPY_NO_OBJECTS",
           "Objects in Fortran order, without a payload.", at="end", rules=["NPY-OBJ-004"])
    for version in ("2.0", "3.0"):
        take(f"object-version-{version}", header("'|O'", shape="(1,)"), "Objects in a later version.",
             version=version,
             data=PICKLE, rules=["NPY-DATA-003"], group="objects")
        refuse(f"objects/no-payload-{version}", header("'|O'", shape="(1,)"), "SNPY_NO_OBJECTS",
               "Objects in a later version, without a payload.", at="end", version=version)


def maps():
    """NPY-FRAME-008 and NPY-MAP: where the data begin."""
    eight = bytes(range(8))
    for total in (81, 100, 127, 130, 1000, 4095, 4097):
        text = header(shape="(1,)")
        text = text.ljust(total - 11) + "\n"
        take(f"offset-{total}", text, f"A double at byte {total}.", data=eight, pad=False,
             rules=["NPY-FRAME-008", "NPY-MAP-002"], group="offsets")
        refuse(f"offsets/{total}-short", text, "SNPY_TRUNCATED_DATA",
               f"A double at byte {total}, of which the last byte is missing: nothing is rounded.", at="end",
               data=eight[:-1],
               pad=False, rules=["NPY-FRAME-008", "NPY-MAP-002"])
    for name, descr, shape in (("empty", "'<f8'", "(0,)"), ("empty-2d", "'<f8'", "(3, 0)"),
                               ("void", "'|V0'", "(3,)"),
                               ("empty-record", "[]", "(2,)"), ("empty-objectless", "[('a', '|S0')]", "(5,)")):
        text = header(descr, shape=shape)
        for total in (128, 4096, 8192):
            take(f"no-bytes-{name}-{total}", text.ljust(total - 11) + "\n",
                 f"An array of no bytes at byte {total}, where the file ends.", pad=False, rules=["NPY-MAP-003"],
                 group="offsets")
    refuse("offsets/one-at-4096", header(shape="(1,)").ljust(4085) + "\n", "SNPY_TRUNCATED_DATA",
           "The data would begin at a page that the file does not have.", at="end", pad=False,
           rules=["NPY-MAP-003", "NPY-MAP-001"])
    take("whole-page", header("'|u1'", shape="(3968,)"), "Header and data fill a page.", data=bytes(3968),
         rules=["NPY-MAP-001"], group="offsets")
    refuse("offsets/page-short", header("'|u1'", shape="(3969,)"), "SNPY_TRUNCATED_DATA",
           "One byte more declared than the page holds.", at="end", data=bytes(3968), rules=["NPY-MAP-001"])


def limits():
    """NPY-LIMIT-001 to 003 and NPY-FRAME-010."""
    refuse_bytes("limits/claim-65537-3.0", dsl.prefix_of("3.0", 65537) + b"{}", "SNPY_HEADER_TOO_LONG",
                 "One byte over the default limit, in version 3.0.", at=8, rules=["NPY-LIMIT-002"])
    for name, length in (("16-mib", 1 << 24), ("1-gib", 1 << 30), ("31-bits", (1 << 31) - 1)):
        refuse_bytes(f"limits/claim-{name}", dsl.prefix_of("2.0", length) + b"{}", "SNPY_HEADER_TOO_LONG",
                     "The limit comes before any memory for the text.", at=8, rules=["NPY-LIMIT-002"])
    for name, text, status in (("dimension", header(shape="(0, →-1)"), "SNPY_SIGNED_DIMENSION"),
                               ("type", header("'<f→3'"), "SNPY_BAD_TYPE_SIZE"),
                               ("name", header("[('a', '|u1'), (→'a', '|u1')]"), "SNPY_DUPLICATE_NAME"),
                               ("size", header("'|u1'", shape="(0, →9223372036854775808)"), "SNPY_SIZE_OVERFLOW"),
                               ("text", header() + " →!", "SNPY_TRAILING_TEXT"),
                               ("key", "{→'dtype': '<f8', 'fortran_order': False, 'shape': (0,)}",
                                "SNPY_UNKNOWN_KEY"),
                               ("end", "{'descr': '<f8'→", "SNPY_UNEXPECTED_END")):
        for version in ("1.0", "2.0", "3.0"):
            refuse(f"versions/{name}-{version}", text, status, f"The same fault in version {version}.",
                   version=version,
                   pad=name != "end", rules=["NPY-FRAME-010"])
    for name, text in (("record", header("[('a', '<f8', (2,)), (('t', 'b'), '|S3')]", shape="(1,)")),
                       ("blanks", header("'<f8'", shape="( 1 ,\t2\n)")),
                       ("escape", header(r"[('\xe9\u6574', '<f8')]", shape="(1,)"))):
        for version in ("1.0", "2.0", "3.0"):
            take(f"same-{name}-{version}", text, f"ASCII text means the same in version {version}.",
                 version=version,
                 rules=["NPY-FRAME-010"], group="versions")


def flags():
    """Neighbours of the compatibility flags, which no flag takes; and flags that do not help."""
    for name, value, flag in (("two", "2", "int-fortran-order"), ("np-true-lower", "np.true_", "numpy-bool"),
                              ("np-bool-call", "np.bool_(True)", "numpy-bool"),
                              ("numpy-true", "numpy.True_", "numpy-bool"),
                              ("np-true-bare", "np.True", "numpy-bool")):
        refuse(f"compat/order-{name}", header(order="→" + value), "SNPY_BAD_FORTRAN_ORDER",
               f"{value} is not what {flag} takes.", flags=[flag])
    for name, value in (("float", "np.float64(2)"), ("numpy", "numpy.int64(2)"), ("bare", "int64(2)"),
                        ("128", "np.int128(2)"), ("bool", "np.bool_(1)"), ("upper", "np.Int64(2)")):
        refuse(f"compat/dimension-{name}", header(shape=f"(→{value},)"), "SNPY_BAD_DIMENSION",
               f"{value} is not what numpy-int takes.", flags=["numpy-int"])
    for name, value, under in (("empty", "np.int64()", "np.int64(→)"), ("two", "np.int64(2, 3)", "np.int64(2→, 3)")):
        refuse(f"compat/dimension-{name}", header(shape=f"(→{value},)"), "SNPY_BAD_DIMENSION", "A call of one argument.")
        also_refused("numpy-int", header(shape=f"({under},)"), "SNPY_BAD_DIMENSION")
    for name, text, status, under, below in (
            ("int-fortran-order-long", header(order="→1L"), "SNPY_BAD_FORTRAN_ORDER", header(order="1→L"),
             "SNPY_EXPECTED_COMMA"),
            ("int-fortran-order-float", header(order="→1.0"), "SNPY_BAD_FORTRAN_ORDER", header(order="1→.0"),
             "SNPY_EXPECTED_COMMA"),
            ("list-shape-sign", header(shape="→[2, -3]"), "SNPY_EXPECTED_SHAPE", header(shape="[2, →-3]"),
             "SNPY_SIGNED_DIMENSION"),
            ("list-shape-float", header(shape="→[2.5]"), "SNPY_EXPECTED_SHAPE", header(shape="[2→.5]"),
             "SNPY_BAD_DIMENSION"),
            ("list-shape-nested", header(shape="→[[2]]"), "SNPY_EXPECTED_SHAPE", header(shape="[→[2]]"),
             "SNPY_BAD_DIMENSION"),
            ("list-shape-zeros", header(shape="→[02]"), "SNPY_EXPECTED_SHAPE", header(shape="[→02]"), "SNPY_LEADING_ZERO"),
            ("list-field-number", header("[→[1, '<f8']]"), "SNPY_EXPECTED_FIELD", header("[[→1, '<f8']]"),
             "SNPY_EXPECTED_STRING")):
        flag = name.rsplit("-", 1)[0]
        refuse(f"compat/{name}", text, status, f"What {flag} takes, with a fault of its own.")
        also_refused(flag, under, below)


def cases():
    """All cases of this module."""
    objects()
    maps()
    limits()
    flags()
