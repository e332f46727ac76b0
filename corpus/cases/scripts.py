"""Names and titles in the world's scripts, and with every escape, as NumPy 2.x writes them."""

from cases.dsl import header, refuse, strict, take
from cases.written import record

SCRIPTS = {
    "amharic": "ስም", "arabic": "العمود", "armenian": "անուն", "bengali": "নাম", "bopomofo": "ㄇㄧㄥ",
    "braille": "⠝⠁⠍⠑", "burmese": "အမည်", "canadian": "ᐊᑎᖅ", "cherokee": "ᏚᏙᎥ", "chinese": "名称",
    "chinese-traditional": "欄位", "coptic": "ⲣⲁⲛ", "cuneiform": "𒈬", "cyrillic": "столбец", "devanagari": "नाम",
    "devanagari-joined": "क्\u200dष", "dhivehi": "ނަން", "egyptian": "𓂋𓈖", "emoji-flag": "🇺🇳",
    "emoji-family": "👩\u200d👩\u200d👧",
    "georgian": "სახელი", "gothic": "𐌽𐌰𐌼𐍉", "greek": "όνομα", "gujarati": "નામ", "gurmukhi": "ਨਾਮ",
    "hangul": "이름", "hangul-parts": "\u110b\u1175\u1105\u1173\u11b7", "hebrew": "שם", "hebrew-points": "שֵׁם",
    "hiragana": "なまえ",
    "inuktitut": "ᓇᓗᓇᐃᒃᑯᑎ", "kannada": "ಹೆಸರು", "katakana": "ナマエ", "katakana-half": "ﾅﾏｴ", "khmer": "ឈ្មោះ",
    "lao": "ຊື່", "malayalam": "പേര്", "mathematical": "𝛼𝛽", "mongolian": "ᠨᠡᠷᠡ", "ogham": "ᚐᚅᚋ", "oriya": "ନାମ",
    "persian-zwnj": "نام\u200cها", "runic": "ᚾᚨᛗᛟ", "sinhala": "නම", "syriac": "ܫܡܐ", "tamil": "பெயர்",
    "telugu": "పేరు", "thai": "ชื่อ", "tibetan": "མིང", "tifinagh": "ⵉⵙⵎ", "urdu": "نام", "vai": "ꕯꕊ",
    "vietnamese": "tên cột", "vietnamese-decomposed": "te\u0302n", "yi": "ꂱ",
}

# One group of characters that repr escapes, or does not, each: the Unicode categories, by Unicode 14.0.
ESCAPES = {
    "c0-first-half": "".join(map(chr, range(0x00, 0x10))), "c0-second-half": "".join(map(chr, range(0x10, 0x20))),
    "c1": "".join(map(chr, range(0x7F, 0xA0))), "latin1-printable": "".join(map(chr, range(0xA1, 0xAD))),
    "spaces": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "separators": "\u2028\u2029", "joiners": "\u200c\u200d\u2060",
    "directions": "\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
    "isolates": "\u2066\u2067\u2068\u2069", "format-above-bmp": "\U0001d173\U000e0020\U000e007f",
    "variation-selectors": "\ufe0e\ufe0f\U000e0100", "surrogate-ends": "\ud800\udbff\udc00\udfff",
    "surrogate-pair": "\ud83d\ude00", "private-ends": "\ue000\uf8ff\U000f0000\U0010fffd",
    "noncharacters": "\ufdd0\ufffe\uffff\U0001ffff\U0010ffff", "unassigned": "\u0378\u2fe0\U0003fffd",
    "after-unicode-14": "\U0001fae8", "after-unicode-14-kannada": "\u0cf3", "before-unicode-14": "\U0001fae5",
    "both-quotes-and-escape": "'\"\\\n", "quote-then-escape": "it's\t", "double-then-escape": "\"\r",
    "ascii": "".join(map(chr, range(0x20, 0x7F))), "ascii-without-quotes": "".join(c for c in map(chr,
                                                                                                  range(0x20,
                                                                                                        0x7F))
                                                                                  if c not in "'\""),
    "latin1-and-cjk": "é整", "escape-look-alike": "\\x41", "escape-look-alike-u": "\\u0041",
    "only-backslashes": "\\\\\\",
}

# Names that look like parts of a header: a reader that searches the text instead of reading it is misled.
TRAPS = {
    "key-shape": "shape", "key-descr": "descr", "key-order": "fortran_order", "entry-shape": "'shape': (9,), ",
    "entry-order": "'fortran_order': True", "entry-descr": "'descr': '<i2', ", "brace": "}", "end": "), }",
    "open": "{",
    "parenthesis": ")", "bracket": "]", "colon": ":", "true": "True", "magic": "\x93NUMPY", "newline-brace": "}\n",
    "comment": "#", "raw-string": "r'x'", "long": "3L", "type": "<f8", "quote-colon": "':", "padding": "|V3",
    "comma-quote": "', '",
}


def scripts():
    """A name in every script, a title in some."""
    rules = ["NPY-DTYPE-013", "NPY-WRITE-010", "NPY-FRAME-007", "NPY-CANON-004"]
    for script, text in SCRIPTS.items():
        record(f"script-{script}", [(text, "<i4"), ("z", "|u1")], f"A field name in the script of {script}.",
               rules=rules)
    for script in ("arabic", "chinese", "devanagari", "hebrew", "hangul", "emoji-family"):
        record(f"script-title-{script}", [((SCRIPTS[script], "a"), "<i4"), ("z", "|u1")],
               f"A title in the script of {script}.", rules=[*rules, "NPY-DTYPE-016"])
    record("script-many", [(SCRIPTS[name], "|u1") for name in sorted(SCRIPTS) if "-" not in name],
           "Names in all of these scripts in one record.", rules=rules)


def escapes():
    """Every kind of character that repr escapes, and its neighbours that it does not."""
    for name, text in ESCAPES.items():
        record(f"escape-{name}", [(text, "<i4"), ("z", "|u1")],
               f"A name of characters of one kind ({name}), written as repr writes it.",
               rules=["NPY-LIT-006", "NPY-WRITE-010", "NPY-CANON-004"])
    for name in ("c1", "separators", "both-quotes-and-escape", "surrogate-ends"):
        record(f"escape-title-{name}", [((ESCAPES[name], "a"), "<i4")], f"The same in a title ({name}).",
               rules=["NPY-LIT-006", "NPY-WRITE-010", "NPY-CANON-004"])


def traps():
    """Names that look like a part of the header."""
    for name, text in TRAPS.items():
        record(f"trap-{name}", [(text, "<i4"), ("z", "|u1")],
               f"The field name {ascii(text)} is a name and nothing else.",
               rules=["NPY-HDR-008", "NPY-LIT-025", "NPY-DTYPE-013"])
    for name in ("key-shape", "entry-shape", "end", "comment"):
        record(f"trap-title-{name}", [((TRAPS[name], "a"), "<i4")], f"The title {ascii(TRAPS[name])}.",
               rules=["NPY-HDR-008"])
    record("trap-all-keys", [("descr", "<i4"), ("fortran_order", "|b1"), ("shape", "<i8", (2,))],
           "A record whose fields have the names of the three keys.", rules=["NPY-HDR-008"])
    take("trap-nested-first",
         "{'descr': [('shape', [('shape', '|u1', (7,))])], 'shape': (2,), 'fortran_order': False}",
         "The first 'shape' in the text is a name, and so is the second.", rules=["NPY-HDR-008"])
    take("trap-order-in-front",
         "{'fortran_order': False, 'descr': [('fortran_order\\': True', '|u1')], 'shape': (2,)}",
         "A name that holds an entry, after the real entry.", rules=["NPY-HDR-008"])
    for key, text in (("shape", "{'descr': [('shape', '|u1')], 'fortran_order': False, →}"),
                      ("order", "{'descr': [('fortran_order', '|u1')], 'shape': (0,), →}"),
                      ("entry", "{'descr': [('\\'shape\\': (0,)', '|u1')], 'fortran_order': False, →}"),
                      ("title", "{'descr': [(('shape', 'a'), '|u1')], 'fortran_order': False, →}")):
        refuse(f"header/missing-{key}-but-a-name", text, "SNPY_MISSING_KEY",
               "The key is missing, though a field has its name.", rules=["NPY-HDR-008"])
    refuse("phase/missing-key-but-behind-the-brace", "{'fortran_order': False, 'shape': (0,), →}  'descr': '<f8'",
           "SNPY_MISSING_KEY", "A missing key, and trailing text that looks like it.", rules=["NPY-HDR-008"])


def titles():
    """NPY-DTYPE-016: which of the pair is the title."""
    rules = ["NPY-DTYPE-016"]
    record("title-long", [(("a title that is longer than its name", "a"), "<i4")],
           "The first of the pair is the title.",
           rules=rules)
    record("title-elsewhere", [(("x", "a"), [("x", "|u1")]), ("b", "|u1")],
           "A title equal to a name in another record.",
           rules=[*rules, "NPY-DTYPE-012"])
    record("title-and-empty-name", [(("t", ""), "<i4"), ("b", "|u1")], "A title and an empty name.", rules=rules)
    record("title-on-every-field", [((f"title {n}", f"name{n}"), "<i2") for n in range(5)],
           "A title on every field.",
           rules=rules)
    take("title-double-quotes", header('[(("t", "a"), "<i4")]', shape="(2,)"), "Title and name in double quotes.",
         rules=rules)
    refuse("names/title-one", header("[(('a',→), '<f8')]"), "SNPY_EXPECTED_STRING", "A pair of one.", rules=rules)
    refuse("names/title-three", header("[(('t', 'a', →'b'), '<f8')]"), "SNPY_EXPECTED_CLOSE", "A pair of three.",
           rules=rules)
    refuse("names/title-list", header("[(→['t', 'a'], '<f8')]"), "SNPY_EXPECTED_STRING", "A list for a pair.",
           rules=rules)
    strict("names/title-nested", header("[((→('t', 'u'), 'a'), '<f8')]"), "SNPY_EXPECTED_STRING",
           "A pair as a title; NumPy takes any literal.", rules=rules)


def cases():
    """All cases of this module."""
    scripts()
    escapes()
    traps()
    titles()
