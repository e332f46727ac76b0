"""One departure a file from what NumPy 2.x writes: well-formed, and refused by the canonical profile."""

from cases.dsl import PICKLE, header, take
from cases.written import record, save

REC = "[('a', '<f8'), ('b', '|u1')]"


def spelled(name, text, rule, reason, *, version="1.0", growth=20, data=None, total=0):
    """A header with NumPy's own padding, so that the text is the only departure; no data unless asked for."""
    prefix = 10 if version == "1.0" else 12
    raw = text.encode("utf-8" if version == "3.0" else "latin-1")
    length = len(raw) + growth
    fill = total - prefix - len(raw) - 1 if total else growth + 64 - (prefix + length + 1) % 64
    take(name, text + " " * fill + "\n", reason, version=version, data=data, pad=False,
         rules=[rule, "NPY-HDR-006"],
         group="spelling")


def text_of(order_of_keys="dfs", colon=": ", comma=", ", end=", }", start="{"):
    """The usual dictionary with other punctuation."""
    entries = {"d": f"'descr'{colon}'<f8'", "f": f"'fortran_order'{colon}False", "s": f"'shape'{colon}(0,)"}
    return start + comma.join(entries[key] for key in order_of_keys) + end


def versions_and_keys():
    """NPY-CANON-001 and 002."""
    for version in ("2.0", "3.0"):
        spelled(f"version-{version}-of-ascii", header(), "NPY-CANON-001", f"Version {version} where 1.0 would do.",
                version=version)
    spelled("version-3.0-of-latin1", header("[('é', '<f8')]"), "NPY-CANON-001",
            "Version 3.0 where Latin-1 is enough.",
            version="3.0")
    rule = "NPY-CANON-002"
    for name, change in (("keys-unsorted", {"order_of_keys": "sdf"}), ("colon-without-blank", {"colon": ":"}),
                         ("colon-two-blanks", {"colon": ":  "}), ("blank-before-colon", {"colon": " : "}),
                         ("comma-without-blank", {"comma": ","}), ("comma-newline", {"comma": ",\n"}),
                         ("end-without-comma", {"end": "}"}), ("end-comma-only", {"end": ",}"}),
                         ("end-blank-only", {"end": " }"}), ("start-blank", {"start": "{ "})):
        spelled(name, text_of(**change), rule, "The dictionary is written in another way.")
    spelled("key-double-quotes", header().replace("'shape'", '"shape"'), rule, "A key in double quotes.")
    spelled("key-prefix", header().replace("'descr'", "u'descr'"), rule, "A key with the prefix u.")


def types_and_strings():
    """NPY-CANON-003 and 004."""
    rule = "NPY-CANON-003"
    for name, text in (("bool-little", "<b1"), ("byte-big", ">i1"), ("bytes-little", "<S5"), ("void-big", ">V3"),
                       ("multiplier-one", "<M8[1s]")):
        spelled(f"type-{name}", header(f"'{text}'"), rule, f"{text} in place of the canonical type string.")
    for name, text in (("object-bare", "O"), ("object-equals", "=O"), ("object-8", "|O8"), ("object-4", "|O4")):
        spelled(f"type-{name}", header(f"'{text}'"), rule, f"{text} in place of |O.", data=PICKLE + b"\0")
    spelled("type-in-field", header("[('a', '<i1')]"), rule, "<i1 in place of |i1, in a field.")
    spelled("type-double-quotes", header('"<f8"'), "NPY-CANON-004", "A type in double quotes.")
    spelled("type-prefix", header("u'<f8'"), "NPY-CANON-004", "A type with the prefix u.")
    rule = "NPY-CANON-004"
    for name, text in (("escaped-letter", r"'\x41'"), ("escaped-printable", r"'\xe9'"),
                       ("escaped-cjk", r"'\u6574'"),
                       ("long-escape", r"'\u0001'"), ("longest-escape", r"'\U00000001'"),
                       ("upper-case-hex", r"'\x1F'"),
                       ("tab-as-hex", r"'\x09'"), ("newline-as-hex", r"'\x0a'"), ("raw-no-break-space", "'a\xa0'"),
                       ("raw-soft-hyphen", "'\xad'"), ("raw-c1", "'\x85'"), ("double-quotes", '"a"'),
                       ("escaped-quote", r"'it\'s'"), ("escaped-double-quote", r"'\"'"), ("prefix", "u'a'")):
        spelled(f"name-{name}", header(f"[({text}, '<f8')]"), rule, "A name that repr writes in another way.")
    spelled("name-raw-line-separator", header("[('a\u2028', '<f8')]"), rule, "A raw character that repr escapes.",
            version="3.0")
    spelled("name-raw-after-unicode-14", header("[('\U0001fae8', '<f8')]"), rule,
            "A character that came after Unicode 14.0: a later Python's repr leaves it as it is.", version="3.0")
    spelled("title-double-quotes", header("[((\"t\", 'a'), '<f8')]"), rule, "A title in double quotes.")


def fields_orders_shapes():
    """NPY-CANON-005 to 007."""
    rule = "NPY-CANON-005"
    for name, text in (("empty-shape", "[('a', '<f8', ())]"), ("blank-in-field", "[( 'a', '<f8')]"),
                       ("no-blank-in-field", "[('a','<f8')]"), ("comma-in-field", "[('a', '<f8',)]"),
                       ("comma-in-list", "[('a', '<f8'),]"), ("comma-in-pair", "[(('t', 'a',), '<f8')]"),
                       ("padding-twice", "[('a', '|u1'), ('', '|V1'), ('', '|V2')]"),
                       ("padding-zero", "[('a', '|u1'), ('', '|V0')]"),
                       ("padding-bare", "[('a', '|u1'), ('', 'V3')]"),
                       ("padding-shape", "[('a', '|u1'), ('', '|V1', (3,))]"),
                       ("padding-of-numbers", "[('a', '|u1'), ('', '<i2', (2,))]"),
                       ("padding-titled-twice", "[('', '|V4'), ('', '|V4'), ('a', '|u1')]"),
                       ("blank-in-list", "[ ('a', '<f8')]"),
                       ("newline-in-list", "[('a', '<f8'),\n ('b', '|u1')]")):
        spelled(f"field-{name}", header(text), rule, "A list of fields that NumPy writes in another way.")
    record("nested-subarray-canonical", [("a", ("<f8", (2,)), (3,))], "Nested sub-arrays keep their grouping.",
           rules=["NPY-CANON-005", "NPY-DTYPE-017"], shape=(1,))
    rule = "NPY-CANON-006"
    for name, shape, growth in (("0d", "()", 0), ("1d", "(0,)", 20), ("row", "(1, 0)", 20),
                                ("column", "(0, 1)", 20)):
        spelled(f"order-true-{name}", header("'|V0'" if name == "0d" else "'<i2'", order="True", shape=shape),
                rule,
                "Fortran order for a shape that lies the same way in C order.", growth=growth)
    rule = "NPY-CANON-007"
    for name, shape in (("comma", "(0, 2,)"), ("no-blank", "(0,2)"), ("two-blanks", "(0,  2)"),
                        ("blank-start", "( 0, 2)"),
                        ("blank-end", "(0, 2 )"), ("long", "(0L, 2L)"), ("one-blank", "(0, )"),
                        ("newline", "(0,\n2)")):
        spelled(f"shape-{name}", header(shape=shape), rule, "A shape that repr writes in another way.")
    spelled("shape-none-blank", header("'|V0'", shape="( )"), rule, "A blank inside an empty shape.", growth=0)
    spelled("shape-in-field", header("[('a', '<f8', (2,3))]"), rule, "No blank in the shape of a sub-array.")


def paddings():
    """NPY-CANON-008 and NPY-WRITE-012."""
    rule = "NPY-CANON-008"
    for name, total in (("short", 127), ("long", 129), ("next", 192), ("without-growth", 80), ("sixteen", 96)):
        spelled(f"padding-{name}", header(), rule, f"The data begin at {total} in place of 128.", total=total)
    text = header()
    for name, tail in (("tab", " " * 58 + "\t\n"), ("newline-first", "\n" + " " * 58 + "\n"),
                       ("no-newline", " " * 60),
                       ("return-newline", " " * 58 + "\r\n"), ("newlines", "\n" * 60), ("return", " " * 59 + "\r"),
                       ("form-feed", "\f" + " " * 58 + "\n")):
        take(f"padding-of-{name}", text + tail, "The padding has the right length and other blanks.", pad=False,
             rules=[rule, "NPY-HDR-006", "NPY-FRAME-009"], group="spelling")
    for digits in (2, 9, 18):
        dim = 10 ** (digits - 1)
        spelled(f"growth-not-taken-off-{digits}", header("'|V0'", shape=f"({dim},)"), rule,
                "The dimension grew, and its digits were not taken off the padding.",
                growth=20 + 64 * (digits == 18),
                total=128 + 64 if digits < 18 else 256)
    for name, shape in (("1", (1,)), ("1000000", (1000000,)), ("largest", (9223372036854775807,))):
        save(f"grown-{name}", "|V0", shape, "The first dimension grows in place: the text keeps its length.",
             rules=["NPY-WRITE-012", "NPY-WRITE-008", "NPY-CANON-008"], group="writing")
    for name, shape in (("2", (3, 2)), ("2000000", (3, 2000000))):
        save(f"grown-fortran-{name}", "|V0", shape,
             "In C order the first dimension grows, of elements of no size.",
             rules=["NPY-WRITE-012"], group="writing")
    for name, shape in (("2", (3, 2)), ("300", (3, 300))):
        save(f"grown-last-{name}", "|u1", shape, "In Fortran order the last dimension grows in place.", order="F",
             rules=["NPY-WRITE-012", "NPY-WRITE-008", "NPY-CANON-008"], group="writing")


def cases():
    """All cases of this module."""
    versions_and_keys()
    types_and_strings()
    fields_orders_shapes()
    paddings()
