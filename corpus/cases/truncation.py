"""One file of each version, cut at every byte; and one text whose length is too small by every number of bytes."""

import model
from cases.dsl import make, prefix_of, refuse_bytes

TEXT = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"
SHORT = "{'descr': [('a\\u00e9', '<f8', (2, 3))], 'fortran_order': False, 'shape': (2L, 3), }"
# What is judged as a whole, and the status if the text ends inside it.
WORDS = {"'descr'": "SNPY_UNKNOWN_KEY", "'fortran_order'": "SNPY_UNKNOWN_KEY", "'shape'": "SNPY_UNKNOWN_KEY",
         "False": "SNPY_BAD_FORTRAN_ORDER", "\\u00e9": "SNPY_BAD_ESCAPE"}
CUT = {"prefix": ("SNPY_TRUNCATED_PREFIX", ["NPY-FRAME-002"]),
       "text": ("SNPY_TRUNCATED_HEADER", ["NPY-FRAME-006"]),
       "data": ("SNPY_TRUNCATED_DATA", ["NPY-DATA-001", "NPY-MAP-001"])}


def files():
    """The file ends early: in the prefix, in the text, in the data."""
    for version in ("1.0", "2.0", "3.0"):
        whole, _, data_offset = make(TEXT, version, model.counting("<f8", 2), pad=False)
        start = data_offset - len(TEXT)
        for length in range(len(whole)):
            part = "prefix" if length < start else "text" if length < data_offset else "data"
            status, rules = CUT[part]
            refuse_bytes(f"truncation/{version}-{part}-{length:03}", whole[:length], status,
                         f"Version {version}, {length} of {len(whole)} bytes: the file ends in its {part}.",
                         at="end",
                         rules=rules)


def texts():
    """The header's length is too small, and the rest of the text lies where the data should be."""
    for length in range(1, len(SHORT)):
        status, at = "SNPY_UNEXPECTED_END", length
        for word, other in WORDS.items():
            start = SHORT.index(word)
            if start < length < start + len(word):
                status, at = other, start
        refuse_bytes(f"truncation/length-{length:03}", prefix_of("1.0", length) + SHORT.encode("ascii"), status,
                     f"The length says {length}, and the dictionary has {len(SHORT)} characters.", at=10 + at,
                     rules=["NPY-FRAME-004", "NPY-LIT-001"])


def sequences():
    """Version 3.0: the text ends inside a character."""
    for char in ("é", "整", "😀"):
        raw = ("{'descr': [('" + char).encode("utf-8")
        start = len(raw) - len(char.encode("utf-8"))
        for length in range(start + 1, len(raw)):
            refuse_bytes(f"truncation/utf8-{ord(char):04x}-{length - start}",
                         prefix_of("3.0", length) + raw[:length],
                         "SNPY_BAD_UTF8",
                         f"The text ends after {length - start} of {len(raw) - start} bytes of a character.",
                         at=12 + start)


def cases():
    """All cases of this module."""
    files()
    texts()
    sequences()
