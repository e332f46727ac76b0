"""Spellings that the standard profile accepts, whoever wrote them."""

from itertools import permutations

from cases.dsl import PICKLE, accept, field, header, plain, record

F8 = plain("<f8", 8)
DATA = bytes(range(48, 72))
AB = "[('a', '<f8'), ('b', '|u1')]"
AB_FIELDS = [field("a", "<f8", 0, 8), field("b", "|u1", 8, 1)]
REC = record(AB, 9, AB_FIELDS)


def dictionaries():
    """Key orders, quotes, commas, blanks."""
    entries = {"d": "'descr': '<f8'", "f": "'fortran_order': False", "s": "'shape': (3,)"}
    rules = ["NPY-HDR-001", "NPY-LIT-010"]
    for order in permutations("dfs"):
        name = "".join(order)
        text = ", ".join(entries[key] for key in order)
        accept(f"keys-{name}", "{" + text + ", }", plain("<f8", 8, (3,)), "Keys stand in any order.", data=DATA,
               rules=rules)
        accept(f"keys-{name}-no-comma", "{" + text + "}", plain("<f8", 8, (3,)),
               "The comma after the last entry may be missing.", data=DATA, rules=rules)
    accept("quotes-double", header().replace("'", '"'), F8, "Double quotes.", rules=["NPY-LIT-004"])
    accept("quotes-mixed", "{\"descr\": '<f8', 'fortran_order': False, \"shape\": (0,)}", F8,
           "Both kinds of quotes.",
           rules=["NPY-LIT-004"])
    accept("quotes-json-like", '{"descr":"<f8","fortran_order":False,"shape":(0,)}', F8,
           "Double quotes, no blanks.",
           rules=["NPY-LIT-004"])
    accept("prefix-u", "{u'descr': u'<f8', u'fortran_order': False, u'shape': (0,)}", F8,
           "u before every string.",
           rules=["NPY-LIT-004", "NPY-LIT-012"])
    accept("prefix-u-fields", header("[(u'a', u'<f8'), ((u't', u\"b\"), u'|u1')]"),
           record("[('a', '<f8'), (('t', 'b'), '|u1')]", 9,
                  [field("a", "<f8", 0, 8), field("b", "|u1", 8, 1, title="t")]),
           "u before names, titles and types.", rules=["NPY-LIT-004"])
    accept("prefix-u-3.0", "{u'descr': u'<f8', 'fortran_order': False, 'shape': (0,)}", F8, "u in version 3.0.",
           version="3.0", rules=["NPY-LIT-004"])
    accept("no-blanks", "{'descr':'<f8','fortran_order':False,'shape':(0,)}", F8, "No blanks at all.")
    for name, blank in (("spaces", "   "), ("tabs", "\t"), ("newlines", "\n"), ("crlf", "\r\n"), ("cr", "\r"),
                        ("form-feeds", "\f"), ("all", " \t\r\n\f")):
        tokens = ["{", "'descr'", ":", "[", "(", "(", "'t'", ",", "'a'", ",", ")", ",", "'<f8'", ",", "(", "2",
                  ",", "3",
                  ",", ")", ",", ")", ",", "]", ",", "'fortran_order'", ":", "False", ",", "'shape'", ":", "(",
                  "0", ",",
                  ")", ",", "}"]
        accept(f"blanks-{name}", blank.join(tokens), record("[(('t', 'a'), '<f8', (2, 3))]", 48,
                                                          [field("a", "<f8", 0, 48, (2, 3), "t")]),
               "Blanks of this kind between all tokens.", rules=["NPY-LIT-003"])
    accept("commas-everywhere", "{'descr': [(('t', 'a',), ('<f8', (2,),), (3,),), ('b', '|u1',),],"
           " 'fortran_order': False, 'shape': (0, 4,),}",
           record("[(('t', 'a'), ('<f8', (2,)), (3,)), ('b', '|u1')]", 49,
                  [field("a", "<f8", 0, 48, (3, 2), "t"), field("b", "|u1", 48, 1)], (0, 4)),
           "A comma after the last part of everything.", rules=["NPY-LIT-010", "NPY-LIT-011"])
    accept("commas-none", header("[('a', '<f8'), ('b', '|u1')]", shape="(0, 4)").replace(", }", "}"),
           record(AB, 9, AB_FIELDS, (0, 4)), "No comma after the last of anything.", rules=["NPY-LIT-010"])
    accept("true", header(order="True", shape="(0, 2)"), plain("<f8", 8, (0, 2), True), "Fortran order.",
           rules=["NPY-HDR-004"])
    accept("true-1d", header(order="True"), plain("<f8", 8, (0,), True), "Fortran order on one dimension.",
           rules=["NPY-HDR-007"])
    accept("true-0d", header(order="True", shape="()"), plain("<f8", 8, (), True),
           "Fortran order on no dimension.",
           data=DATA[:8], rules=["NPY-HDR-007"])


def paddings():
    """What stands between the brace and the data."""
    text = header()
    rules = ["NPY-FRAME-004", "NPY-LIT-003"]
    for name, pad in (("none", ""), ("newline", "\n"), ("no-newline", " " * 63), ("tabs", "\t" * 9 + "\n"),
                      ("cr", "\r" * 5), ("crlf", "   \r\n"), ("form-feeds", "\f" * 7), ("newlines", "\n" * 20),
                      ("mixed", " \t\r\n\f \n"), ("odd", "  \n"), ("long", " " * 1000 + "\n")):
        accept(f"padding-{name}", text + pad, F8,
               "The padding is any number of blanks, and the data begin after it.",
               pad=False, rules=rules)
    for total in (72, 80, 96, 127, 129, 192, 200):
        fill = total - 10 - len(text) - 1
        if fill >= 0:
            accept(f"total-{total}", text + " " * fill + "\n", F8, f"The data begin at {total}.", pad=False,
                   rules=rules)
    for version in ("2.0", "3.0"):
        accept(f"version-{version}", text, F8, "A short header in a later version.", version=version,
               rules=["NPY-FRAME-003"])
        accept(f"version-{version}-record", header(AB), REC, "A short record in a later version.", version=version,
               rules=["NPY-FRAME-003"])
        accept(f"version-{version}-data", header(shape="(3,)"), plain("<f8", 8, (3,)),
               "A later version with data.",
               version=version, data=DATA, rules=["NPY-FRAME-003"])
        accept(f"version-{version}-unaligned", text + "\n", F8, "A later version, not aligned.", version=version,
               pad=False,
               rules=rules)
    accept("data-is-text", header(shape="(24,)", descr="'|u1'"), plain("|u1", 1, (24,)),
           "Data that look like padding are data all the same.", data=b" " * 23 + b"\n", rules=["NPY-FRAME-004"])
    accept("swallowed-blanks", header("'|u1'", shape="(4,)") + " " * 40, plain("|u1", 1, (4,)),
           "The length decides where the data begin, not the newline.", data=b"\n\n  ", pad=False,
           rules=["NPY-FRAME-004"])


def numbers():
    """Dimensions as old Pythons wrote them, and as they are."""
    for name, shape, dims in (("one", "(0L,)", (0,)), ("two", "(0L, 3L)", (0, 3)), ("last", "(0, 3L)", (0, 3)),
                              ("large", "(0L, 4294967296L)", (0, 4294967296)), ("no-comma", "(0L, 3L,)", (0, 3)),
                              ("blank", "( 0L , 3L )", (0, 3))):
        for version in ("1.0", "2.0"):
            accept(f"long-{name}-{version}", header(shape=shape), plain("<f8", 8, dims), "The L of Python 2.",
                   version=version, rules=["NPY-LIT-020"])
    accept("long-subarray", header("[('a', '<f8', (2L, 3L))]"),
           record("[('a', '<f8', (2, 3))]", 48, [field("a", "<f8", 0, 48, (2, 3))]), "The L in a sub-array.",
           rules=["NPY-LIT-020"])
    accept("shape-trailing-comma", header(shape="(0, 4,)"), plain("<f8", 8, (0, 4)),
           "A comma after the last dimension.",
           rules=["NPY-LIT-017"])
    accept("shape-blanks", header(shape="(\n0\t,\r4 )"), plain("<f8", 8, (0, 4)), "Blanks inside the shape.",
           rules=["NPY-LIT-017"])
    accept("shape-empty-blanks", header(shape="( )"), plain("<f8", 8, ()), "A blank inside an empty shape.",
           data=DATA[:8],
           rules=["NPY-LIT-017"])
    accept("field-empty-shape", header("[('a', '<f8', ())]"),
           record("[('a', '<f8')]", 8, [field("a", "<f8", 0, 8)]),
           "An empty shape on a field is none.", rules=["NPY-LIT-022"])


def types():
    """Type strings with more than one spelling."""
    for text, descr, size in (("<b1", "|b1", 1), (">b1", "|b1", 1), ("<i1", "|i1", 1), (">i1", "|i1", 1),
                              ("<u1", "|u1", 1),
                              (">u1", "|u1", 1), ("<S5", "|S5", 5), (">S5", "|S5", 5), ("<V8", "|V8", 8),
                              (">V2", "|V2", 2), ("<V1", "|V1", 1), ("<S0", "|S0", 0), (">V0", "|V0", 0)):
        name = text.replace("<", "le-").replace(">", "be-")
        accept(f"order-ignored-{name}", header(f"'{text}'"), plain(descr, size),
               "A byte order on a type that has none.",
               rules=["NPY-DTYPE-002"])
    for text in ("O", "=O", "|O", "O4", "O8", "=O4", "=O8", "|O4", "|O8"):
        name = text.replace("=", "equals-").replace("|", "bar-")
        accept(f"object-{name}", header(f"'{text}'"), plain("|O", 8, has_object=True),
               "Every spelling of objects.",
               data=PICKLE, rules=["NPY-DTYPE-002", "NPY-DATA-003"])
    for kind in "Mm":
        accept(f"multiplier-one-{'datetime' if kind == 'M' else 'timedelta'}", header(f"'<{kind}8[1s]'"),
               plain(f"<{kind}8[s]", 8), "A multiplier of one may be written.", rules=["NPY-DTYPE-010"])
    accept("object-field", header("[('a', 'O'), ('b', '|O8')]"),
           record("[('a', '|O'), ('b', '|O')]", 16, [field("a", "|O", 0, 8), field("b", "|O", 8, 8)],
                  has_object=True),
           "Objects as fields.", data=PICKLE, rules=["NPY-DATA-003"])
    accept("object-rest-of-file", header("'|O'", shape="(2, 2)"), plain("|O", 8, (2, 2), has_object=True),
           "All the rest of the file is the pickle.", data=PICKLE + bytes(100), rules=["NPY-DATA-003"])


def records():
    """Padding, names and titles that NumPy reads in its own way."""
    rules = ["NPY-DTYPE-014"]
    gap = record("[('a', '|u1'), ('', '|V3'), ('b', '<i4')]", 8,
                 [field("a", "|u1", 0, 1), field("b", "<i4", 4, 4)])
    for name, text in (("bar", "'|V3'"), ("bare", "'V3'"), ("equals", "'=V3'"), ("little", "'<V3'"),
                       ("big", "'>V3'"),
                       ("shape", "'|V1', (3,)"), ("bare-shape", "'V1', (3,)"), ("subarray", "'|u1', (3,)"),
                       ("nested-subarray", "('|u1', (1,)), (3,)"), ("two", "'|V1'), ('', '|V2'"),
                       ("and-zero", "'|V3'), ('', '|V0'"), ("empty-shape", "'|V3', ()"), ("prefix", "'|V3'")):
        start = "u''" if name == "prefix" else "''"
        accept(f"padding-field-{name}", header(f"[('a', '|u1'), ({start}, {text}), ('b', '<i4')]"), gap,
               "Three bytes of padding, in one of its spellings.", rules=rules)
    accept("padding-field-double-quotes", header('[("", "|V8")]'), record("[('', '|V8')]", 8, []), "Only padding.",
           rules=rules)
    accept("padding-field-record", header("[('', [('x', '|u1')], (2,)), ('b', '|u1')]"),
           record("[('', '|V2'), ('b', '|u1')]", 3, [field("b", "|u1", 2, 1)]),
           "An unnamed array of records is padding as well.", rules=rules)
    accept("padding-field-object", header("[('', '|O', (2,)), ('b', '|u1')]"),
           record("[('', '|V16'), ('b', '|u1')]", 17, [field("b", "|u1", 16, 1)]),
           "An unnamed array of objects is padding, and no object is left.", rules=rules)
    accept("padding-zero", header("[('a', '|u1'), ('', '|V0'), ('b', '<i4')]"),
           record("[('a', '|u1'), ('b', '<i4')]", 5, [field("a", "|u1", 0, 1), field("b", "<i4", 1, 4)]),
           "Padding of no bytes.", rules=rules)
    accept("padding-zero-subarray", header("[('', '<f8', (0,)), ('b', '<i4')]"),
           record("[('b', '<i4')]", 4, [field("b", "<i4", 0, 4)]), "Padding from an empty sub-array.", rules=rules)
    accept("padding-only-twice", header("[('', '|V3'), ('', '|V5')]"), record("[('', '|V8')]", 8, []),
           "Two fields of padding and no other.", rules=rules)
    accept("empty-name-record", header("[('', [('x', '|u1')]), ('b', '|u1')]"),
           record("[('', [('x', '|u1')]), ('b', '|u1')]", 2,
                  [field("", "[('x', '|u1')]", 0, 1), field(("", "x"), "|u1", 0, 1), field("b", "|u1", 1, 1)]),
           "An unnamed record is a field.", rules=rules)
    accept("empty-name-scalar-shape", header("[('', '<i4', ()), ('b', '|u1')]"),
           record("[('', '<i4'), ('b', '|u1')]", 5, [field("", "<i4", 0, 4), field("b", "|u1", 4, 1)]),
           "An empty shape makes no sub-array, so this is a field.", rules=rules)
    accept("empty-name-titled-subarray", header("[(('t', ''), '<i4', (2,)), ('b', '|u1')]"),
           record("[(('t', ''), '<i4', (2,)), ('b', '|u1')]", 9,
                  [field("", "<i4", 0, 8, (2,), "t"), field("b", "|u1", 8, 1)]),
           "A title makes a field of it.", rules=rules)
    accept("same-name-in-levels", header("[('a', [('a', [('a', '|u1')])])]"),
           record("[('a', [('a', [('a', '|u1')])])]", 1,
                  [field("a", "[('a', [('a', '|u1')])]", 0, 1), field(("a", "a"), "[('a', '|u1')]", 0, 1),
                   field(("a", "a", "a"), "|u1", 0, 1)]), "Names differ among siblings only.",
           rules=["NPY-DTYPE-012"])
    accept("names-almost-equal",
           header("[('a', '|u1'), ('a ', '|u1'), ('A', '|u1'), ('\\x00a', '|u1'), ('a\\x00', '|u1')]"),
           record("[('a', '|u1'), ('a ', '|u1'), ('A', '|u1'), ('\\x00a', '|u1'), ('a\\x00', '|u1')]", 5,
                  [field(name, "|u1", n, 1) for n, name in enumerate(("a", "a ", "A", "\0a", "a\0"))]),
           "Names that differ in a blank, in case, in a NUL.", rules=["NPY-DTYPE-012"])


def names():
    """Escapes and encodings of names."""
    escapes = (("hex", r"\x41\x6a\x6A", "Ajj"), ("u", r"\u0041\uabcd\uABCD", "A\uabcd\uabcd"),
               ("big-u", r"\U0001f600\U0001F600", "😀😀"), ("last", r"\U0010ffff", "\U0010ffff"),
               ("zero", r"\U00000041", "A"), ("quotes", r"\'\"", "'\""), ("backslash", "\\\\n", "\\n"),
               ("controls", r"\n\r\t", "\n\r\t"), ("nul", r"\x00", "\0"), ("surrogate", r"\ud800", "\ud800"),
               ("surrogate-x", r"\udfffx", "\udfffx"), ("backslash-end", "a\\\\", "a\\"),
               ("digits", r"\x414", "A4"),
               ("backslash-quote", "\\\\\\'", "\\'"))
    for name, text, value in escapes:
        for version in ("1.0", "3.0"):
            accept(f"escape-{name}-{version}", header(f"[('{text}', '<f8')]"),
                   record(f"[({value!r}, '<f8')]", 8, [field(value, "<f8", 0, 8)]),
                   "An escape that repr may write.",
                   version=version, rules=["NPY-LIT-006", "NPY-DTYPE-013"])
    for name, value in (("latin1", "é"), ("latin1-last", "ÿ"), ("c1", "\x80\x85\x9f"), ("nbsp", "\xa0"),
                        ("soft", "\xad")):
        for version in ("1.0", "2.0", "3.0"):
            accept(f"raw-{name}-{version}", header(f"[('{value}', '<f8')]"),
                   record(f"[({value!r}, '<f8')]", 8, [field(value, "<f8", 0, 8)]),
                   "A character above U+007F, raw.", version=version, rules=["NPY-FRAME-007", "NPY-DTYPE-013"])
    accept("raw-utf8-in-1.0", header("[('Ã©', '<f8')]"), record("[('Ã©', '<f8')]", 8, [field("Ã©", "<f8", 0, 8)]),
           "UTF-8 in version 1.0 is read as Latin-1, as NumPy reads it.", rules=["NPY-FRAME-007"])
    for name, value in (("cjk", "整数"), ("emoji", "😀"), ("combining", "e\u0301"), ("zero-width", "a\u200bb"),
                        ("two-byte-first", "\x80"), ("two-byte-last", "\u07ff"), ("three-byte-first", "\u0800"),
                        ("before-surrogates", "\ud7ff"), ("after-surrogates", "\ue000"),
                        ("three-byte-last", "\uffff"),
                        ("four-byte-first", "\U00010000"), ("four-byte-last", "\U0010ffff"), ("bom", "\ufeff")):
        accept(f"raw-{name}", header(f"[('{value}', '<f8')]"),
               record(f"[({value!r}, '<f8')]", 8, [field(value, "<f8", 0, 8)]), "A raw character of version 3.0.",
               version="3.0", rules=["NPY-FRAME-007", "NPY-DTYPE-013"])
    accept("names-not-joined", header(r"[('\ud83d\ude00', '|u1'), ('\U0001f600', '|u1')]"),
           record(r"[('\ud83d\ude00', '|u1'), ('" + "😀" + "', '|u1')]", 2,
                  [field("\ud83d\ude00", "|u1", 0, 1), field("😀", "|u1", 1, 1)]),
           "Two surrogates are not the character that they would make in UTF-16.", rules=["NPY-DTYPE-012"])
    accept("quotes-in-names", header("[(\"it's\", '<f8'), ('say \"x\"', '|u1')]"),
           record("[(\"it's\", '<f8'), ('say \"x\"', '|u1')]", 9,
                  [field("it's", "<f8", 0, 8), field('say "x"', "|u1", 8, 1)]),
           "One kind of quotes inside the other.", rules=["NPY-LIT-004"])
    accept("hash-in-name", header("[('# {[(', '<f8')]"),
           record("[('# {[(', '<f8')]", 8, [field("# {[(", "<f8", 0, 8)]),
           "Brackets and a hash inside a name are a name.", rules=["NPY-DTYPE-013"])
    accept("title-escape", header(r"[(('\u6574', '\n'), '<f8')]"),
           record("[(('整', '\\n'), '<f8')]", 8, [field("\n", "<f8", 0, 8, title="整")]),
           "Escapes in title and name.",
           rules=["NPY-LIT-006"])


def cases():
    """All cases of this module."""
    dictionaries()
    paddings()
    numbers()
    types()
    records()
    names()
