"""How a case is written down.

A definition gives the header's text as it stands in the file, with an arrow before the byte that
the refusal must point to:

    refuse("dtype/float-3", header("'<f→3'"), "SNPY_BAD_TYPE_SIZE", "No float has three bytes.")

The arrow is taken out before the file is made, so every offset is derived from the text and the rules
of spec/npy.md, never from a program's answer. Text is encoded as the version says (Latin-1, or UTF-8
for 3.0); a lone surrogate U+DC80 to U+DCFF stands for that raw byte 80 to FF.

Seven verbs:
    accept   every reader must take the file, and `expect` says what is in it
    take     the same; what is in it is derived from the text
    refuse   every reader must refuse it
    strict   NumPy takes it and safenpy refuses it in every profile
    trailing a well-formed file with bytes after its data, which a reader may refuse
    unended  a well-formed file that NumPy refuses for its padding
    compat   safenpy refuses it, and takes it under the compatibility flag named
"""

import ast
import math
import re

import model
from manifest import Case, refusal
from model import MAGIC

ARROW = "→"
DEFAULT_SHAPE = "(0,)"
PICKLE = b"\x80\x04N."          # the pickle of None

CASES = []
SEEN = {}                       # the case that has these bytes


def add(case):
    """Adds a case. One whose bytes another case has already must agree with it, and only lends it its rules."""
    first = SEEN.setdefault(case.data, case)
    if first is case:
        CASES.append(case)
        return
    assert (first.verdict, first.error, first.flags) == (case.verdict, case.error, case.flags), (first.id, case.id)
    assert first.expect == case.expect, (first.id, case.id)
    first.rules = [*first.rules, *case.rules]
    first.refused_with = [*first.refused_with, *(other for other in case.refused_with
                                                 if other not in first.refused_with)]


# ---- Files ----------------------------------------------------------------------------------------

def header(descr="'<f8'", order="False", shape=DEFAULT_SHAPE):
    """The usual header text around one unusual value; no data are needed for the default shape."""
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def encode(text, version):
    """Header text as the bytes of a version."""
    encoding = "utf-8" if version == "3.0" else "latin-1"
    if encoding == "utf-8" or text.isascii():
        return text.encode(encoding, "surrogateescape")
    return b"".join(bytes((ord(c) - 0xDC00,)) if 0xDC80 <= ord(c) <= 0xDCFF else c.encode(encoding) for c in text)


def prefix_of(version, length):
    """Magic, version and header length."""
    major, minor = map(int, version.split("."))
    return MAGIC + bytes((major, minor)) + length.to_bytes(2 if major == 1 else 4, "little")


def make(text, version="1.0", data=b"", pad=True):
    """(the file, the offset of the arrow in it or None, the offset of the data)."""
    before, arrow, after = text.partition(ARROW)
    assert ARROW not in after, text
    start = 10 if version.startswith("1.") else 12
    offset = start + len(encode(before, version)) if arrow else None
    raw = encode(before + after, version)
    if pad:
        raw += b" " * (-(start + len(raw) + 1) % 64) + b"\n"
    return prefix_of(version, len(raw)) + raw + data, offset, start + len(raw)


def the_offset(at, arrow, data):
    """Where the refusal points to: an arrow in the text, a number, or "end" for the file's length."""
    assert (at is None) != (arrow is None), (at, arrow)
    if at == "end":
        return len(data)
    return arrow if at is None else at


# ---- Expected results -----------------------------------------------------------------------------

def plain(descr, itemsize, shape=(0,), fortran_order=False, count=None, has_object=False):
    """What is in a file of a simple dtype."""
    count = math.prod(shape) if count is None else count
    return {"descr": descr, "itemsize": itemsize, "shape": list(shape), "fortran_order": fortran_order,
            "count": count, "data_size": None if has_object else count * itemsize, "has_object": has_object}


def record(descr, itemsize, fields, shape=(0,), **more):
    """What is in a file of records."""
    return {**plain(descr, itemsize, shape, **more), "fields": list(fields)}


def field(path, descr, offset, itemsize, shape=(), title=None):
    """One field; `path` is its name, or a tuple of names from the outermost to its own."""
    path = [path] if isinstance(path, str) else list(path)
    return {"name": path[-1], "path": path, "descr": descr, "offset": offset, "itemsize": itemsize,
            "shape": list(shape), "title": title}


F8 = plain("<f8", 8)


def complete(expect, version, data_offset):
    """Adds what the file's frame says."""
    return {**expect, "version": version, "data_offset": data_offset}


# ---- Verbs ----------------------------------------------------------------------------------------

def accept(name, text, expect, reason, *, version="1.0", data=b"", pad=True, rules=(), refused_with=(),
           group="handmade"):
    """A file that every reader must accept."""
    content, arrow, data_offset = make(text, version, data, pad)
    assert arrow is None, name
    add(Case(id=f"accept/{group}/{name}", data=content, verdict="accept", reason=reason,
                      rules=list(rules), expect=complete(expect, version, data_offset),
                      refused_with=list(refused_with)))


def take(name, text, reason, *, version="1.0", data=None, pad=True, rules=(), refused_with=(), group="handmade"):
    """A file that every reader must accept; what is in it is what Python and model.py make of the text.

    `data` are counting values unless given."""
    said = ast.literal_eval(re.sub(r"(\d)L\b", r"\1", text))        # the L of Python 2
    if data is None:
        data = model.counting(said["descr"], math.prod(said["shape"]))
    content, arrow, data_offset = make(text, version, data, pad)
    assert arrow is None, name
    add(Case(id=f"accept/{group}/{name}", data=content, verdict="accept", reason=reason, rules=list(rules),
             expect=model.expectation(said["descr"], said["fortran_order"], said["shape"], version, data_offset),
             refused_with=list(refused_with)))


def trailing(name, text, expect, reason, *, data):
    """A well-formed file with bytes after its data: a reader may refuse it. `data` are both."""
    content, arrow, data_offset = make(text, "1.0", data)
    assert arrow is None, name
    refused = {"options": ["--no-trailing"], "error": refusal("SNPY_TRAILING_DATA", data_offset + expect["data_size"])}
    add(Case(id=f"choice/trailing/{name}", data=content, verdict="choice", flags=["no-trailing"], reason=reason,
             expect=complete(expect, "1.0", data_offset), refused_with=[refused]))


def unended(name, text, reason, *, version):
    """A file whose padding ends in a line of blanks without an end, which NumPy refuses. The padding is in the text."""
    content, arrow, data_offset = make(text, version, b"", pad=False)
    assert arrow is None, name
    add(Case(id=f"choice/padding/{name}", data=content, verdict="choice", flags=["unended-padding"], reason=reason,
             expect=complete(F8, version, data_offset)))


def refuse(name, text, status, reason, *, at=None, version="1.0", data=b"", pad=True, danger=None, rules=(),
           flags=()):
    """A file that every reader must refuse; `danger` says why, where NumPy accepts it.

    `flags` are compatibility flags that do not help: safenpy refuses the file under each in the same way."""
    content, arrow, _ = make(text, version, data, pad)
    refuse_bytes(name, content, status, reason, at=the_offset(at, arrow, content), danger=danger, rules=rules,
                 flags=flags)


def refuse_bytes(name, content, status, reason, *, at, danger=None, rules=(), flags=()):
    """The same for a file given as bytes."""
    error = refusal(status, len(content) if at == "end" else at)
    add(Case(id=f"reject/{name}", data=content, verdict="reject", reason=reason, rules=list(rules), error=error,
             danger=danger, refused_with=[{"options": ["--compat", flag], "error": error} for flag in flags]))


def strict(name, text, status, reason, *, at=None, version="1.0", data=b"", pad=True, flag="strict", rules=()):
    """A file that NumPy accepts and safenpy refuses in every profile; returns where."""
    content, arrow, _ = make(text, version, data, pad)
    offset = the_offset(at, arrow, content)
    add(Case(id=f"choice/{name}", data=content, verdict="choice", flags=[flag], reason=reason, rules=list(rules),
             error=refusal(status, offset)))
    return offset


def also_refused(flag, text, status, *, version="1.0", data=b"", pad=True):
    """A case that is there already is refused under a compatibility flag as well: at the arrow in the same text."""
    content, offset, _ = make(text, version, data, pad)
    case = SEEN[content]
    case.refused_with = [*case.refused_with, {"options": ["--compat", flag], "error": refusal(status, offset)}]


def long_header(name, text, expect, reason, *, options, version="2.0", pad=True, rules=()):
    """A file that is accepted once the limit on the header's length is raised."""
    content, arrow, data_offset = make(text, version, b"", pad)
    assert arrow is None, name
    add(Case(id=f"choice/limits/{name}", data=content, verdict="choice", flags=["long-header"],
                      reason=reason, rules=list(rules), error=refusal("SNPY_HEADER_TOO_LONG", 8), options=options,
                      expect=complete(expect, version, data_offset)))


def compat(name, flag, text, status, expect, reason, *, version="1.0", data=b"", options=None, rules=()):
    """A file that safenpy accepts under a flag only."""
    content, arrow, data_offset = make(text, version, data)
    add(Case(id=f"choice/compat/{name}", data=content, verdict="choice", flags=[flag], reason=reason,
             rules=list(rules),
                      error=refusal(status, the_offset(None, arrow, content)),
                      expect=complete(expect, version, data_offset),
                      options=options or ["--compat", flag]))
