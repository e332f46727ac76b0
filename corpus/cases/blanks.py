"""White space between the tokens of a header: what is a blank, and what is not."""

from cases.dsl import header, refuse, take

# A token, the name of the gap after it, and the refusal of a byte there that is no blank.
TOKENS = (
    ("{", "brace", "SNPY_EXPECTED_STRING"), ("'descr'", "key", "SNPY_EXPECTED_COLON"),
    (":", "colon-type", "SNPY_EXPECTED_TYPE"), ("[", "list", "SNPY_EXPECTED_FIELD"),
    ("(", "field", "SNPY_EXPECTED_STRING"), ("(", "pair", "SNPY_EXPECTED_STRING"),
    ("'t'", "title", "SNPY_EXPECTED_COMMA"), (",", "title-comma", "SNPY_EXPECTED_STRING"),
    ("'a'", "name-in-pair", "SNPY_EXPECTED_CLOSE"), (")", "pair-end", "SNPY_EXPECTED_COMMA"),
    (",", "name-comma", "SNPY_EXPECTED_TYPE"), ("(", "tuple", "SNPY_EXPECTED_TYPE"),
    ("'<i2'", "type-in-tuple", "SNPY_EXPECTED_COMMA"), (",", "type-comma-in-tuple", "SNPY_EXPECTED_SHAPE"),
    ("(", "shape-in-tuple", "SNPY_BAD_DIMENSION"), ("2", "dimension-in-tuple", "SNPY_BAD_DIMENSION"),
    (",", "dimension-comma", "SNPY_BAD_DIMENSION"), (")", "shape-end-in-tuple", "SNPY_EXPECTED_CLOSE"),
    (")", "tuple-end", "SNPY_EXPECTED_COMMA"), (",", "type-comma", "SNPY_EXPECTED_SHAPE"),
    ("(", "field-shape", "SNPY_BAD_DIMENSION"), ("3", "field-dimension", "SNPY_BAD_DIMENSION"),
    (",", "field-dimension-comma", "SNPY_BAD_DIMENSION"), (")", "field-shape-end", "SNPY_EXPECTED_CLOSE"),
    (")", "field-end", "SNPY_EXPECTED_COMMA"), (",", "field-comma", "SNPY_EXPECTED_FIELD"),
    ("]", "list-end", "SNPY_EXPECTED_COMMA"), (",", "entry-comma", "SNPY_EXPECTED_STRING"),
    ("'fortran_order'", "order-key", "SNPY_EXPECTED_COLON"), (":", "colon-order", "SNPY_BAD_FORTRAN_ORDER"),
    ("False", "order", "SNPY_EXPECTED_COMMA"), (",", "order-comma", "SNPY_EXPECTED_STRING"),
    ("'shape'", "shape-key", "SNPY_EXPECTED_COLON"), (":", "colon-shape", "SNPY_EXPECTED_SHAPE"),
    ("(", "shape", "SNPY_BAD_DIMENSION"), ("2", "dimension", "SNPY_BAD_DIMENSION"),
    (",", "shape-comma", "SNPY_BAD_DIMENSION"), (")", "shape-end", "SNPY_EXPECTED_COMMA"),
    (",", "last-comma", "SNPY_EXPECTED_STRING"), ("}", "end", "SNPY_TRAILING_TEXT"),
)
BLANKS = " \t\n\r\f"
# What other languages call white space. The last three need version 3.0.
OTHERS = {"vertical-tab": "\v", "file-separator": "\x1c", "next-line": "\x85", "no-break-space": "\xa0",
          "en-space": "\u2002", "line-separator": "\u2028", "byte-order-mark": "\ufeff"}
ENOUGH = ("key", "colon-type", "field", "type-in-tuple", "dimension", "entry-comma", "colon-order", "end")


def text_with(gap, extra):
    """The header with something in one gap and nothing in the others."""
    return "".join(token + (extra if name == gap else "") for token, name, _ in TOKENS)


def cases():
    """All cases of this module."""
    rules = ["NPY-LIT-024"]
    for _, gap, status in TOKENS:
        if gap != "end":
            take(f"blanks-behind-{gap}", text_with(gap, BLANKS),
                 f"All five blanks in the gap after {gap}, none elsewhere.",
                 rules=rules, group="blanks")
        refuse(f"blanks/nul-behind-{gap}", text_with(gap, "→\0"), status, f"A NUL is no blank (after {gap}).",
               rules=rules)
        for name, char in OTHERS.items():
            if gap in ENOUGH:
                refuse(f"blanks/{name}-behind-{gap}", text_with(gap, "→" + char), status,
                       f"Not all that is white is a blank: {name} after {gap}.", rules=rules,
                       version="3.0" if ord(char) > 0xFF else "1.0")
    for name, char in (("space", " "), ("tab", "\t"), ("newline", "\n"), ("return", "\r"), ("form-feed", "\f")):
        for gap in ("colon-type", "dimension", "order", "brace"):
            take(f"{name}-behind-{gap}", text_with(gap, char), f"A {name} after {gap}.", rules=rules,
                 group="blanks")
    for name, char in (("space", " "), ("tab", "\t"), ("newline", "\n")):
        refuse(f"blanks/{name}-inside-number", header(shape=f"(1{char}→0,)"), "SNPY_BAD_DIMENSION",
               f"A {name} inside a number.", rules=rules)
        refuse(f"blanks/{name}-inside-word", header(order=f"→Fal{char}se"), "SNPY_BAD_FORTRAN_ORDER",
               f"A {name} inside a word.", rules=rules)
