"""The suite's own small model of the format: what a type is, and what NumPy's writer makes of an array.

Types are written as NumPy writes them into a header, as Python values:

    "<f8"                                       a simple type
    [("a", "<f8"), (("Title", "b"), "|u1")]     a record; a title stands in front of the name
    [("a", "<f8", (2, 3))]                      a field that is an array
    [("a", ("<f8", (2,)), (3,))]                an array of arrays
    [("a", "|u1"), ("", "|V3"), ("b", "<i4")]   three bytes of padding

`understand` says what a reader makes of such a value, `header_bytes` what NumPy 2.x writes for it. Both
follow spec/npy.md and ask no program. check_numpy_bytes.py confirms them with NumPy.
"""

import math
import struct
from dataclasses import dataclass

from elements import ORDERS, is_padding

MAGIC = b"\x93NUMPY"
GROWTH = 21                   # digits to which the first (or last) dimension may grow in place
ALIGN = 64
# Printable characters that came after Unicode 14.0, by which headers are written: escaped all the same.
AFTER_UNICODE_14 = {"\U0001fae8", "\U0001f6dc", "\U00011f00", "\u0cf3", "\U00031350", "\U0001e4d0"}


# ---- Types ----------------------------------------------------------------------------------------

@dataclass
class Type:
    """What a reader makes of a type: the value that NumPy writes back for it, and its layout."""

    descr: object
    itemsize: int
    has_object: bool = False
    fields: list = None           # of a record: entries as in the manifest's `expect`


def simple(text):
    """A type string in any spelling of the standard profile."""
    order, bare = (text[0], text[1:]) if text[0] in ORDERS else ("", text)
    kind, digits = bare[0], bare[1:].partition("[")[0]
    if kind == "O":
        return Type("|O", 8, True)
    size = int(digits) * (4 if kind == "U" else 1)
    if kind in "SVb" or bare in ("i1", "u1"):
        order = "|"
    if bare[2:4] == "[1" and bare[4].isalpha():
        bare = bare[:3] + bare[4:]                # a multiplier of one is not written
    return Type(order + bare, size)


def levels(descr, shape):
    """(dimensions of all levels of sub-arrays, the outermost first; the innermost type)."""
    dims = list(shape)
    while isinstance(descr, tuple):
        descr, inner = descr
        dims += inner
    return dims, descr


def with_inner(kind, inner):
    """A sub-array tuple inside a field with another innermost type."""
    return (with_inner(kind[0], inner), kind[1]) if isinstance(kind, tuple) else inner


def understand(descr):
    """What a reader makes of a type."""
    if isinstance(descr, str):
        return simple(descr)
    written, fields, end, gap, has_object = [], [], 0, 0, False
    for name, kind, *rest in descr:
        shape = rest[0] if rest else ()
        dims, base = levels(kind, shape)
        inner = understand(base)
        size = inner.itemsize * math.prod(dims)
        if is_padding(name, kind, rest):
            gap += size
            end += size
            continue
        if gap:
            written.append(("", f"|V{gap}"))
            gap = 0
        whole = with_inner(kind, inner.descr)
        written.append((name, whole, shape) if shape else (name, whole))
        fields += field_entries(name, inner, end, size, dims)
        has_object = has_object or inner.has_object
        end += size
    if gap:
        written.append(("", f"|V{gap}"))
    return Type(written, end, has_object, fields)


def field_entries(name, inner, offset, size, dims):
    """A field as the manifest lists it, and the fields inside it."""
    title = None
    if isinstance(name, tuple):
        title, name = name
    text = inner.descr if isinstance(inner.descr, str) else python_repr(inner.descr)
    entries = [{"name": name, "path": [name], "descr": text, "offset": offset, "itemsize": size,
                "shape": dims, "title": title}]
    for entry in inner.fields or []:
        entries.append({**entry, "path": [name, *entry["path"]], "offset": offset + entry["offset"]})
    return entries


def aligned(fields):
    """A record laid out as a C compiler does: padding in front of fields and at the end."""
    placed, end, widest = [], 0, 1
    for name, kind in fields:
        size, step = understand(kind).itemsize, alignment(kind)
        if -end % step:
            placed.append(("", f"|V{-end % step}"))
        end += -end % step + size
        widest = max(widest, step)
        placed.append((name, kind))
    if -end % widest:
        placed.append(("", f"|V{-end % widest}"))
    return placed


def alignment(kind):
    """Where a C compiler for x86-64 puts a type: a record as its widest field."""
    if isinstance(kind, str):
        return simple(kind).itemsize
    return max(alignment(entry[1]) for entry in kind if entry[0] != "")


# ---- Text -----------------------------------------------------------------------------------------

def quoted(text):
    """A string as repr writes it with the Unicode database 14.0."""
    quote = '"' if "'" in text and '"' not in text else "'"
    short = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", quote: "\\" + quote}
    return quote + "".join(short.get(c) or escaped(c) for c in text) + quote


def escaped(char):
    """A character, or its escape if it does not print."""
    code = ord(char)
    if char == " " or char.isprintable() and char not in AFTER_UNICODE_14:
        return char
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def python_repr(value):
    """repr of strings, numbers, truth values, tuples and lists, the same on every Python."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        inner = ", ".join(python_repr(part) for part in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return "[" + ", ".join(python_repr(part) for part in value) + "]"
    return repr(value)


def dictionary(descr, fortran_order, shape):
    """The dictionary of a header as NumPy writes it; `descr` is the text of the type."""
    return f"{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {python_repr(tuple(shape))}, }}"


def fitting_version(text):
    """The version that NumPy chooses for a text."""
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:
        return "3.0"
    return "1.0" if padded_length(len(raw), 10) <= 65535 else "2.0"


def padded_length(length, prefix):
    """The length of a text with 1 to 64 blanks and the newline that NumPy puts behind it."""
    return length + ALIGN - (prefix + length + 1) % ALIGN + 1


def header_bytes(descr, fortran_order, shape, version=None):
    """The header that NumPy 2.x writes, in a version or in the one it chooses; `descr` is text."""
    text = dictionary(descr, fortran_order, shape)
    if shape:
        text += " " * (GROWTH - len(str(shape[-1 if fortran_order else 0])))
    version = version or fitting_version(text)
    raw = text.encode("utf-8" if version == "3.0" else "latin-1")
    prefix = 10 if version == "1.0" else 12
    raw = raw.ljust(padded_length(len(raw), prefix) - 1) + b"\n"
    return MAGIC + bytes((int(version[0]), 0)) + len(raw).to_bytes(prefix - 8, "little") + raw


def descr_text(kind):
    """A type as it stands in `expect`: a bare type string, or the text of the list."""
    return kind.descr if isinstance(kind.descr, str) else python_repr(kind.descr)


def expectation(descr, fortran_order, shape, version, data_offset):
    """The manifest's `expect` for a header."""
    kind, count = understand(descr), math.prod(shape)
    expect = {
        "version": version, "descr": descr_text(kind), "shape": list(shape), "fortran_order": fortran_order,
        "itemsize": kind.itemsize, "count": count, "data_offset": data_offset,
        "data_size": None if kind.has_object else count * kind.itemsize, "has_object": kind.has_object,
    }
    if kind.fields is not None:
        expect["fields"] = kind.fields
    return expect


# ---- What is canonical ----------------------------------------------------------------------------

def c_contiguous_too(shape):
    """Whether an array of this shape lies the same way in either order."""
    return 0 in shape or sum(dim != 1 for dim in shape) <= 1


def written_descr(expect):
    """The type of a file as it stands in a header that NumPy writes."""
    return expect["descr"] if expect["descr"].startswith("[") else quoted(expect["descr"])


def canonical_header(expect):
    """The header bytes that NumPy 2.x writes for what a file says."""
    order = expect["fortran_order"] and not c_contiguous_too(expect["shape"])
    return header_bytes(written_descr(expect), order, expect["shape"])


def as_written(expect):
    """The header that NumPy's header writer makes when it is told all of it, the version and the order, too.

    None if the version cannot hold the names."""
    try:
        return header_bytes(written_descr(expect), expect["fortran_order"], expect["shape"], expect["version"])
    except UnicodeEncodeError:
        return None


def first_difference(data, expect):
    """The first byte in which a file's header is not the canonical one; None if there is none."""
    header, wanted = data[:expect["data_offset"]], canonical_header(expect)
    if header == wanted:
        return None
    for offset, (left, right) in enumerate(zip(header, wanted)):
        if left != right:
            return offset
    return min(len(header), len(wanted))


# ---- Data: plain, distinct values -----------------------------------------------------------------

def long_double(number, order):
    """A small number as the x87's long double in 16 bytes, the six unused ones zero."""
    raw = bytes(16)
    if number:
        exponent = number.bit_length() - 1
        raw = (number << (63 - exponent)).to_bytes(8, "little") + (16383 + exponent).to_bytes(2,
                                                                                              "little") + bytes(6)
    return raw if order == "<" else raw[::-1]


def float_bytes(number, size, order):
    """A float of 2, 4, 8 or 16 bytes."""
    if size == 16:
        return long_double(number, order)
    return struct.pack(order + {2: "e", 4: "f", 8: "d"}[size], number)


def value(text, number):
    """The bytes of one element of a simple type: the number, or what stands for it."""
    order = ">" if text[0] == ">" else "<"
    kind, size = text[1], simple(text).itemsize
    if kind in "mM":
        return struct.pack(order + "q", number)
    if kind == "f":
        return float_bytes(number % 100, size, order)
    if kind == "c":
        if size == 32:
            return long_double(2 * number, order) + long_double(2 * number + 1, order)
        return float_bytes(number % 100, size // 2, order) + bytes(size // 2)
    if kind == "S":
        return (b"%d" % (number % 10))[:size].ljust(size, b"\0")
    if kind == "U":
        units = ["aé整"[number % 3]] + ["\0"] * (size // 4)
        return "".join(units[:size // 4]).encode("utf-32-le" if order == "<" else "utf-32-be")
    if kind == "V":
        return bytes((7 * at + 1) % 251 for at in range(number * size, (number + 1) * size))
    if kind == "b":
        return bytes((number % 2,))
    return (number % 100).to_bytes(size, "big" if order == ">" else "little")


def counting(descr, count, first=0):
    """The bytes of `count` elements in the order of memory: each field counts by itself, padding is zero."""
    if count > 10 ** 4 and not understand(descr).itemsize:
        return b""                                  # elements of no size, however many there are
    return b"".join(element(descr, number) for number in range(first, first + count))


def element(descr, number):
    """The bytes of the element of that number."""
    if isinstance(descr, str):
        return value(descr, number)
    parts = []
    for name, kind, *rest in descr:
        dims, base = levels(kind, rest[0] if rest else ())
        many = math.prod(dims)
        if is_padding(name, kind, rest):
            parts.append(bytes(understand(base).itemsize * many))
        else:
            parts.append(counting(base, many, number * many))
    return b"".join(parts)
