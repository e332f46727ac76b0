"""Type strings, duplicate names, sub-array types, and the sizes of types."""

from cases.dsl import accept, field, header, plain, record, refuse, strict, take

GIB = 1073741824


def kinds():
    """NPY-DTYPE-001: the letter of the kind."""
    for name, text in (("empty", "→"), ("order-only", "<→"), ("bar-only", "|→"), ("z", "<→z8"), ("g", "<→g2"),
                       ("x", "→x4"),
                       ("bang", "→!f8"), ("at", "→@f8"), ("blank-first", "→ <f8"),
                       ("two-orders", "<→<f8"), ("order-blank", "<→ f8"), ("upper-f", "<→F4"), ("upper-i", "<→I4"),
                       ("star", "→*"), ("dash", "→-f8"), ("upper-name", "→Float64"), ("mu", "<→\xb5"),
                       ("bracket", "→[ns]"), ("string-16", "|→T16")):
        refuse(f"dtype/kind-{name}", header(f"'{text}'"), "SNPY_UNKNOWN_TYPE", "No such kind.")
    for name, text in (("digit", "→3i4"), ("digit-f", "→1f8"), ("order-digit", "<→3i4"), ("shape", "→(2,3)f8"),
                       ("empty-shape", "→()f8")):
        strict(f"dtype/kind-{name}", header(f"'{text}'"), "SNPY_UNKNOWN_TYPE", "A comma string, never written.")
    for char in "?BhHIlLqQpPedgFDGnN":
        name = {"?": "question"}.get(char, ("upper-" if char.isupper() else "") + char.lower())
        strict(f"dtype/char-{name}", header(f"'→{char}'"), "SNPY_UNKNOWN_TYPE",
               f"The type character {char} of C code; never written.")
    refuse("dtype/char-upper-t", header("'→T'"), "SNPY_UNKNOWN_TYPE", "NumPy writes its StringDType as |O.")
    strict("dtype/char-order-l", header("'<→l'"), "SNPY_UNKNOWN_TYPE", "A C long: 4 bytes here, 8 there.")


def orders():
    """NPY-DTYPE-002 and 003: the byte order."""
    for kind in ("i2", "i4", "i8", "u2", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32", "U3", "M8[s]",
                 "m8[ns]", "M8"):
        strict(f"dtype/bar-{kind.replace('[', '-').replace(']', '')}", header(f"'→|{kind}'"),
               "SNPY_BAD_BYTE_ORDER",
               f"A bar says that {kind} has no byte order, and it has one.")
    for name, text in (("little", "→<O"), ("big", "→>O"), ("little-8", "→<O8"), ("big-4", "→>O4")):
        refuse(f"dtype/object-{name}", header(f"'{text}'"), "SNPY_BAD_BYTE_ORDER", "Objects have no byte order.")
    strict("dtype/bar-field", header("[('a', '→|i4')]"), "SNPY_BAD_BYTE_ORDER", "A bar in a field's type.")


def sizes():
    """NPY-DTYPE-004 and 008: the number after the kind."""
    for name, text in (("f3", "<f→3"), ("f1", "<f→1"), ("f0", "<f→0"), ("f32", "<f→32"),
                       ("f-huge", "<f→4294967304"),
                       ("i3", "<i→3"), ("i16", "<i→16"), ("i0", "<i→0"), ("u5", "<u→5"), ("u16", "<u→16"),
                       ("b2", "|b→2"),
                       ("b0", "|b→0"), ("b8", "|b→8"), ("c4", "<c→4"), ("c2", "<c→2"), ("c64", "<c→64"),
                       ("c128", "<c→128"),
                       ("M4", "<M→4[s]"), ("m4", "<m→4"), ("M16", "<M→16[s]"), ("M-no-size", "<M→[s]"),
                       ("M0", "<M→0"), ("O2", "|O→2"), ("O16", "|O→16"), ("O0", "|O→0"), ("S-minus", "|S→-1"),
                       ("V-minus", "|V→-1"), ("U-minus", "<U→-1"), ("blank-end", "<f→8 "), ("letter-end", "<f→8x"),
                       ("order-end", "<f→8<"), ("S-letter", "|S→5x"), ("S-hex", "|S→0x5"),
                       ("S-blank-end", "|S→5 "),
                       ("U-dot", "<U→3.0"), ("S-comma-end", "|S→5;"), ("f-name", "<f→loat64"), ("i-word", "<i→nt"),
                       ("two-kinds", "<i→4f8"), ("S-underscore", "|S→1_0"), ("S-arabic", "|S→\u0663"),
                       ("b1-b1", "|b→1b1"), ("O-long", "|O→bject")):
        version = "3.0" if "\u0663" in text else "1.0"
        refuse(f"dtype/size-{name}", header(f"'{text}'"), "SNPY_BAD_TYPE_SIZE", "No such size.", version=version)
    for name, text in (("S", "|S→"), ("V", "|V→"), ("U", "<U→"), ("f", "<f→"), ("i", "<i→"), ("c", "<c→"),
                       ("b", "|b→")):
        strict(f"dtype/size-missing-{name}", header(f"'{text}'"), "SNPY_BAD_TYPE_SIZE",
               "A kind without a size; never written.")
    refuse("dtype/size-missing-u", header("'<u→'"), "SNPY_BAD_TYPE_SIZE", "A kind without a size.")
    for name, text in (("M", "<M→"), ("m", "<m→")):
        strict(f"dtype/size-missing-{name}", header(f"'{text}'"), "SNPY_BAD_TYPE_SIZE",
               "A kind without a size; never written.")
    for name, text in (("f08", "<f→08"), ("f-plus", "<f→+8"), ("f-blank", "<f→ 8"), ("S05", "|S→05"),
                       ("S00", "|S→00"),
                       ("S-plus", "|S→+5"), ("S-blank", "|S→ 10"), ("i04", "<i→04"), ("U-zeros", "<U→0003"),
                       ("M08", "<M→08"), ("V-plus", "|V→+3"), ("comma", "<i→4,f8"), ("comma-end", "<f→8,"),
                       ("comma-blank", "<i→4, <f8")):
        strict(f"dtype/size-{name}", header(f"'{text}'"), "SNPY_BAD_TYPE_SIZE",
               "A spelling that NumPy's C code takes and never writes.")
    for name, text in (("S", "|S→2147483648"), ("V", "|V→2147483648"), ("U", "<U→536870912"),
                       ("S-32-bits", "|S→4294967296"),
                       ("S-33-bits", "|S→4294967297"), ("S-64-bits", "|S→18446744073709551616"),
                       ("V-digits", "|V→" + "9" * 40), ("U-32-bits", "<U→1073741824"),
                       ("U-wrap", "<U→1073741825")):
        refuse(f"dtype/too-large-{name}", header(f"'{text}'"), "SNPY_TYPE_TOO_LARGE",
               "The size of one element is at most 2,147,483,647 bytes.")
    refuse("dtype/too-large-field", header("[('a', '|S→2147483648')]"), "SNPY_TYPE_TOO_LARGE",
           "The same in a field.")


def datetimes():
    """NPY-DTYPE-009 to 011: units, multipliers, divisors."""
    for name, text in (("business", "[→B]"), ("empty", "[→]"), ("open", "[→"), ("open-unit", "[→ns"),
                       ("upper", "[→NS]"),
                       ("unknown", "[→x]"), ("two", "[→nss]"), ("two-units", "[→s,ms]"), ("zs", "[→zs]"),
                       ("multiplier-only", "[25→]"), ("multiplier-open", "[25→"), ("lower-y", "[→y]"),
                       ("upper-s", "[→S]"),
                       ("word", "[→second]"), ("min", "[→min]")):
        refuse(f"dtype/unit-{name}", header(f"'<M8{text}'"), "SNPY_BAD_UNIT", "No such unit.")
    for name, text in (("round", "→(s)"), ("letter", "→s"), ("blank", "→ [s]"), ("brace", "→{s}"),
                       ("close", "→]")):
        refuse(f"dtype/unit-bracket-{name}", header(f"'<M8{text}'"), "SNPY_BAD_UNIT",
               "Behind M8 stands a bracket.")
    refuse("dtype/unit-timedelta", header("'<m8[→B]'"), "SNPY_BAD_UNIT", "The same for timedeltas.")
    strict("dtype/unit-generic", header("'<M8[→generic]'"), "SNPY_BAD_UNIT",
           "A generic unit is written without brackets.")
    strict("dtype/unit-generic-10", header("'<M8[10→generic]'"), "SNPY_BAD_UNIT",
           "A generic unit has no multiplier.")
    strict("dtype/unit-mu", header("'<M8[→\u03bcs]'"), "SNPY_BAD_UNIT", "Microseconds are us.", version="3.0")
    strict("dtype/unit-field", header("[('t', '<M8[→generic]')]"), "SNPY_BAD_UNIT", "The same in a field.")
    for name, text in (("minus", "[→-1s]"), ("too-large", "[→2147483648s]"), ("32-bits", "[→4294967297s]"),
                       ("digits", "[→" + "9" * 30 + "s]")):
        refuse(f"dtype/multiplier-{name}", header(f"'<M8{text}'"), "SNPY_BAD_MULTIPLIER",
               "From 1 to 2,147,483,647.")
    for name, text in (("zero", "[→0s]"), ("leading-zero", "[→01s]"), ("plus", "[→+5s]"), ("zeros", "[→0005ms]")):
        strict(f"dtype/multiplier-{name}", header(f"'<m8{text}'"), "SNPY_BAD_MULTIPLIER",
               "A multiplier that NumPy's C code takes and never writes.")
    for name, text in (("s-2", "[s→/2]"), ("d-24", "[D→/24]"), ("s-minus-2", "[s→/-2]"), ("one", "[s→/1]"),
                       ("multiplier", "[3s→/2]"), ("y-12", "[Y→/12]")):
        strict(f"dtype/divisor-{name}", header(f"'<M8{text}'"), "SNPY_UNIT_DIVISOR",
               "NumPy turns a divisor into another unit, even a negative one; it never writes one.")
    for name, text in (("empty", "[s→/]"), ("w-0", "[W→/x]"), ("as", "[as→/7]")):
        refuse(f"dtype/divisor-{name}", header(f"'<M8{text}'"), "SNPY_UNIT_DIVISOR", "No divisors.")


def duplicates():
    """NPY-DTYPE-012: names and titles of siblings."""
    for name, fields in (("two", "('a', '<f8'), (→'a', '<f8')"),
                         ("three", "('a', '|u1'), ('b', '|u1'), (→'a', '|u1')"),
                         ("quotes", "('a', '|u1'), (→\"a\", '|u1')"), ("prefix", "('a', '|u1'), (u→'a', '|u1')"),
                         ("escape", "('a', '|u1'), (→'\\x61', '|u1')"),
                         ("latin1", "('é', '|u1'), (→'\\xe9', '|u1')"),
                         ("u-escape", "('\\u0061', '|u1'), (→'\\U00000061', '|u1')"),
                         ("nul", "('a\\x00b', '|u1'), (→'a\\u0000b', '|u1')"),
                         ("empty", "('', '<f8'), (→'', '<f8')"),
                         ("empty-bytes", "('', '|S1'), ('a', '|u1'), (→'', '<f8')"),
                         ("surrogate", "('\\ud800', '|u1'), (→'\\uD800', '|u1')"),
                         ("newline", "('\\n', '|u1'), (→'\\x0a', '|u1')"),
                         ("title-name", "(('a', 'b'), '|u1'), (→'a', '|u1')"),
                         ("name-title", "('a', '|u1'), ((→'a', 'b'), '|u1')"),
                         ("titles", "(('t', 'a'), '|u1'), ((→'t', 'b'), '|u1')"),
                         ("empty-titles", "(('', 'a'), '|u1'), ((→'', 'b'), '|u1')"),
                         ("title-own-name", "(('a', →'a'), '|u1')"),
                         ("titled-names", "(('t', 'a'), '|u1'), (('u', →'a'), '|u1')"),
                         ("void-names", "('p', '|V3'), (→'p', '|V3')"),
                         ("empty-name-titled-void", "(('t', ''), '|V1'), (('u', →''), '|V1')"),
                         ("nested-inner", "('r', [('x', '|u1'), (→'x', '|u1')])"),
                         ("nested-deep", "('r', [('s', [('x', '|u1'), (→'x', '|u1')])])"),
                         ("record-and-field", "('r', [('x', '|u1')]), (→'r', '|u1')")):
        refuse(f"names/duplicate-{name}", header(f"[{fields}]"), "SNPY_DUPLICATE_NAME",
               "Names and titles of one record all differ.")
    refuse("names/duplicate-utf8", header("[('整', '|u1'), (→'\\u6574', '|u1')]"), "SNPY_DUPLICATE_NAME",
           "Compared by code points, not by bytes.", version="3.0")
    refuse("names/duplicate-utf8-latin1", header("[('é', '|u1'), (→'\\xe9', '|u1')]"), "SNPY_DUPLICATE_NAME",
           "Compared by code points, not by bytes.", version="3.0")
    many = ", ".join(f"('f{n}', '|u1')" for n in range(500))
    refuse("names/duplicate-far", header(f"[{many}, (→'f0', '|u1')]"), "SNPY_DUPLICATE_NAME",
           "The first and the last of 501 fields.")


def sub_arrays():
    """NPY-SHAPE-001 to 003: dimensions and sizes of types."""
    ones = "1, " * 64
    refuse("shape/subarray-65", header(f"[('a', '|u1', →({ones}1))]"), "SNPY_TOO_MANY_DIMENSIONS",
           "A sub-array of 65 dimensions.")
    strict("shape/subarray-nested-65", header("[('a', ('|u1', (" + "1, " * 32 + ")), →(" + "1, " * 33 + "))]"),
           "SNPY_TOO_MANY_DIMENSIONS",
           "32 and 33 dimensions in nested sub-arrays; NumPy counts each level by itself.")
    refuse("shape/subarray-inner-65", header(f"[('a', ('|u1', →({ones}1)), (1,))]"), "SNPY_TOO_MANY_DIMENSIONS",
           "65 dimensions in the inner tuple.")
    refuse("shape/array-65", header(shape=f"({'0, ' * 64}→0)"), "SNPY_TOO_MANY_DIMENSIONS", "65 dimensions.")
    refuse("shape/array-65-ones", header(shape=f"(0, {'1, ' * 63}→1,)"), "SNPY_TOO_MANY_DIMENSIONS",
           "65 dimensions.")
    refuse("shape/array-1000", header(shape=f"({'0, ' * 64}→0, {'0, ' * 935})"), "SNPY_TOO_MANY_DIMENSIONS",
           "A thousand dimensions; the first beyond the bound counts.")
    for name, fields in (("bytes", "('a', '|S0', →(5,))"), ("string", "('a', '<U0', →(5,))"),
                         ("void", "('a', '|V0', →(5,))"), ("padding", "('', '|V0', →(5,))"),
                         ("zero", "('a', '|S0', →(0,))"), ("one", "('a', '|S0', →(1,))"),
                         ("second", "('a', '|u1'), ('b', '|S0', →(2, 3))"),
                         ("inner", "('a', ('|S0', →(2,)), (3,))"),
                         ("of-empty", "('a', ('<f8', (0,)), →(5,))"),
                         ("of-empty-second", "('a', ('<f8', (2, 0)), →(5,))")):
        refuse(f"shape/empty-type-{name}", header(f"[{fields}]"), "SNPY_EMPTY_SUBARRAY_TYPE",
             "A type of size zero has no sub-arrays.")
    for name, fields in (("record", "('a', [], →(5,))"), ("record-of-empty", "('a', [('x', '|S0')], →(5,))")):
        strict(f"shape/empty-type-{name}", header(f"[{fields}]"), "SNPY_EMPTY_SUBARRAY_TYPE",
               "A record of size zero has no sub-arrays.")
    refuse("shape/empty-type-record-tuple", header("[('a', ([], →(2,)), (3,))]"), "SNPY_EMPTY_SUBARRAY_TYPE",
           "A record of size zero inside a sub-array tuple.")
    for name, fields in (("bytes", "('a', '|S0', →())"), ("string", "('a', '<U0', →())"),
                         ("void", "('a', '|V0', →())"), ("padding", "('', '|V0', →())"),
                         ("blank", "('a', '|S0', →( ))"),
                         ("second", "('a', '|u1', ()), ('b', '<U0', →())"),
                         ("field-of-record", "('r', [('a', '|u1'), ('b', '<U0', →())])")):
        refuse(f"shape/empty-type-no-dims-{name}", header(f"[{fields}]"), "SNPY_EMPTY_SUBARRAY_TYPE",
               "A type of size zero that is no record has no shape at all, not even an empty one.")
    for name, fields in (("sized", "('a', '|S1', ()), ('b', '<U1', ()), ('c', '|V1', ())"),
                         ("record", "('a', [], ())"),
                         ("record-of-empty", "('a', [('x', '|S0'), ('y', '<f8', (0,))], ())")):
        take(f"no-dims-{name}", header(f"[{fields}]"), "An empty shape leaves a sized type, or a record, as it is.",
             rules=["NPY-SHAPE-002"])
    for name, fields in (("one-dim", "('a', '<f8', (→268435456,))"),
                         ("second-dim", "('a', '<f8', (2, →134217728))"),
                         ("second-dim-bytes", "('a', '|u1', (65536, →32768, 1))"),
                         ("dim-32-bits", "('a', '|u1', (→4294967296,))"),
                         ("dim-31-bits", "('a', '|u1', (→2147483648,))"),
                         ("dim-64-bits", "('a', '|u1', (→18446744073709551616,))"),
                         ("dim-digits", "('a', '|u1', (→" + "9" * 50 + ",))"),
                         ("product-wraps", "('a', '|u1', (65536, →65536, 65536, 65536))"),
                         ("nested-outer", "('a', ('|u1', (65536,)), (→65536,))"),
                         ("nested-inner", "('a', ('<f8', (→268435456,)), (1,))"),
                         ("of-record", "('a', [('x', '|V1073741824')], (→2,))"),
                         ("two-fields", "('a', '|V2147483647'), ('b', →'|u1')"),
                         ("three-fields", "('a', '|V1073741824'), ('b', '|V1073741823'), ('c', →'|u1')"),
                         ("field-subarray", "('a', '|V2147483647'), ('b', →'|u1', (2,))"),
                         ("padding", "('a', '|V2147483647'), ('', →'|V1')"),
                         ("after-record", "('r', [('a', '|V2147483647')]), ('b', →'|u1')"),
                         ("record-last", "('b', '|u1'), ('r', →[('a', '|V2147483647')])"),
                         ("inside-record", "('r', [('a', '|V2147483647'), ('b', →'|u1')])"),
                         ("unicode", "('a', '<U536870911'), ('b', →'<i4')")):
        refuse(f"sizes/type-{name}", header(f"[{fields}]"), "SNPY_ITEMSIZE_OVERFLOW",
               "An element takes at most 2,147,483,647 bytes.")
    for name, fields in (("zero-first", "('a', '<f8', (0, →268435456))"),
                         ("zero-last", "('a', '<f8', (→268435456, 0))"),
                         ("zero-between", "('a', '|u1', (65536, 0, →65536))")):
        strict(f"sizes/type-{name}", header(f"[{fields}]"), "SNPY_ITEMSIZE_OVERFLOW",
               "An empty dimension counts as one.")


def edges():
    """The accept side of the bounds; the arrays are empty."""
    for text, size in (("|S2147483647", 2 ** 31 - 1), ("|V2147483647", 2 ** 31 - 1), ("<U536870911", 2 ** 31 - 4),
                       (">U536870911", 2 ** 31 - 4)):
        name = text.replace("<", "le-").replace(">", "be-").replace("|", "")
        accept(f"type-{name}", header(f"'{text}'"), plain(text, size), "The largest size of its kind.",
               group="edge",
               rules=["NPY-DTYPE-008"])
    for unit in ("s", "as"):
        accept(f"multiplier-{unit}", header(f"'<M8[2147483647{unit}]'"), plain(f"<M8[2147483647{unit}]", 8),
               "The largest multiplier.", group="edge", rules=["NPY-DTYPE-010"])
    accept("type-subarray-f8", header("[('a', '<f8', (268435455,))]"),
           record("[('a', '<f8', (268435455,))]", 2147483640, [field("a", "<f8", 0, 2147483640, (268435455,))]),
           "The largest sub-array of doubles.", group="edge", rules=["NPY-SHAPE-003"])
    accept("type-subarray-u1", header("[('a', '|u1', (2147483647,))]"),
           record("[('a', '|u1', (2147483647,))]", 2147483647, [field("a", "|u1", 0, 2147483647, (2147483647,))]),
           "The largest dimension of a sub-array.", group="edge", rules=["NPY-SHAPE-003"])
    accept("type-subarray-zero", header("[('a', '<f8', (0, 268435455))]"),
           record("[('a', '<f8', (0, 268435455))]", 0, [field("a", "<f8", 0, 0, (0, 268435455))]),
           "An empty dimension counts as one, and the rest just fits.", group="edge", rules=["NPY-SHAPE-003"])
    accept("type-two-fields", header("[('a', '|V2147483646'), ('b', '|u1')]"),
           record("[('a', '|V2147483646'), ('b', '|u1')]", 2147483647,
                  [field("a", "|V2147483646", 0, 2147483646), field("b", "|u1", 2147483646, 1)]),
           "The largest record.", group="edge", rules=["NPY-SHAPE-003", "NPY-DTYPE-015"])
    accept("type-zero-after-largest", header("[('a', '|V2147483647'), ('b', '|S0')]"),
           record("[('a', '|V2147483647'), ('b', '|S0')]", 2147483647,
                  [field("a", "|V2147483647", 0, 2147483647), field("b", "|S0", 2147483647, 0)]),
           "A field of no size after the largest one.", group="edge", rules=["NPY-SHAPE-003"])
    dims = "(" + ", ".join(["1"] * 64) + ")"
    accept("subarray-64-dims", header(f"[('a', '|u1', {dims})]"),
           record(f"[('a', '|u1', {dims})]", 1, [field("a", "|u1", 0, 1, (1,) * 64)]),
           "64 dimensions in a sub-array.",
           group="edge", rules=["NPY-SHAPE-001"])
    half = "(" + ", ".join(["1"] * 32) + ")"
    accept("subarray-32-32-dims", header(f"[('a', ('|u1', {half}), {half})]"),
           record(f"[('a', ('|u1', {half}), {half})]", 1, [field("a", "|u1", 0, 1, (1,) * 64)]),
           "64 dimensions in nested sub-arrays.", group="edge", rules=["NPY-SHAPE-001"])
    accept("subarray-64-in-64", header(f"[('a', [('b', '|u1', {dims})], {dims})]"),
           record(f"[('a', [('b', '|u1', {dims})], {dims})]", 1,
                  [field("a", f"[('b', '|u1', {dims})]", 0, 1, (1,) * 64),
                   field(("a", "b"), "|u1", 0, 1, (1,) * 64)]),
           "A record between two sub-arrays starts the count anew.", group="edge", rules=["NPY-SHAPE-001"])
    deep, fields = "'|u1'", []
    for level in range(64, 0, -1):
        fields.insert(0, field(tuple(["a"] * level), deep.strip("'"), 0, 1))
        deep = f"[('a', {deep})]"
    accept("depth-64-lists", header(deep), record(deep, 1, fields), "64 lists inside one another.", group="edge",
           rules=["NPY-LIT-021"])
    tuples = "[('a', " + "(" * 63 + "'|u1'" + ", (1,))" * 63 + ", (1,))]"
    accept("depth-63-tuples", header(tuples), record(tuples, 1, [field("a", "|u1", 0, 1, (1,) * 64)]),
           "A list and 63 sub-array tuples inside one another.", group="edge", rules=["NPY-LIT-021"])


def cases():
    """All cases of this module."""
    kinds()
    orders()
    sizes()
    datetimes()
    duplicates()
    sub_arrays()
    edges()
