"""What the canonical grammar cannot say: the padding's length, the version, what repr() escapes.

A twin of those rules of spec/npy.md, written from their sentences. It is given texts that derive from
`canonical-header`, and shares nothing with safenpy.
"""
import re
import unicodedata

UNICODE = "14.0.0"              # the database that the specification names
GROWTH_DIGITS = 21
ALIGNMENT = 64
LATIN_LIMIT = 65535             # the largest length that version 1.0 can hold

TAIL = re.compile(r"'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}( +)\n\Z")
CHARACTER = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|.)|(.)", re.DOTALL)


def growth(shape, is_fortran):
    """The spaces that let the first dimension grow, or the last in Fortran order."""
    dims = [dim for dim in shape.replace(" ", "").split(",") if dim]
    return GROWTH_DIGITS - len(dims[-1 if is_fortran else 0]) if dims else 0


def padded_length(version, body):
    """The length of the text in a version: to the next multiple of 64, at least one space and a newline."""
    prefix = 10 if version == "1.0" else 12
    size = len(body.encode("utf-8" if version == "3.0" else "latin-1"))
    return (prefix + size + 1) // ALIGNMENT * ALIGNMENT + ALIGNMENT - prefix


def chosen_version(body):
    """The first version that can hold the text."""
    try:
        body.encode("latin-1")
    except UnicodeEncodeError:
        return "3.0"
    return "1.0" if padded_length("1.0", body) <= LATIN_LIMIT else "2.0"


def has_the_database():
    """Whether this Python knows the characters of the specification, and can judge what is printable."""
    return unicodedata.unidata_version == UNICODE


def escapes_as_repr(text):
    """Whether what is printable stands as it is, and nothing else does."""
    for match in CHARACTER.finditer(text):
        code = match.group(1) or match.group(2) or match.group(3)
        if code and chr(int(code, 16)).isprintable():
            return False
        if match.group(4) and match.group(4) != "\n" and not match.group(4).isprintable():
            return False
    return True


def keeps_the_rest(version, text):
    """Whether a text that derives from canonical-header keeps the rules beyond the grammar."""
    match = TAIL.search(text)
    body = text[:match.start(3)]
    body += " " * growth(match.group(2), match.group(1) == "True")
    size = len(text.encode("utf-8" if version == "3.0" else "latin-1"))
    return version == chosen_version(body) and size == padded_length(version, body) and escapes_as_repr(text)
