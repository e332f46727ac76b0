"""A second decoder of object arrays, written from spec/objects.md alone, in the plainest way there is.

    python3 tests/oracle/objects.py FILE.npy …       # a line for each: the set that it fits, or status and byte

decode() turns a payload into a tree of nodes, or raises Refused. It imports nothing that the payload names and calls nothing:
a global is a row of GLOBALS. read_file() does the same for a whole NPY file, with its header. Only the Python standard
library is used, and nothing of safenpy.
"""

import ast
import datetime
import math
import re
import struct
import sys
from dataclasses import dataclass, field

LARGEST = 2**63 - 1
MOST_ITEMSIZE = 2**31 - 1
MOST_DIMENSIONS = 64
MOST_FIELDS = 65536             # of a record, those of inner records included
MOST_LEVELS, MOST_PARTS = 64, 1000              # of a key that is a tuple
MOST_DIGITS = 4300              # of an integer in decimal: Python's own limit
MOST_NUMBER, MOST_UUID = 20, 40                 # bytes of an integer where one of 64 bits is expected, or one of 128


class Refused(Exception):
    """A status, the byte at which its rule is broken, and what is there."""

    def __init__(self, status, offset, text=""):
        super().__init__(f"SNPY_PKL_{status} at byte {offset}: {text}")
        self.status, self.offset, self.text = "SNPY_PKL_" + status, offset, text


@dataclass
class Options:
    """What the caller allows."""

    allowed: str = "plain"      # or "data"
    nodes: int = 10**7
    depth: int = 1000
    integer_bytes: int = 4096
    decoded_bytes: int = 2**30


@dataclass(eq=False)
class Node:
    """One value: its kind, the byte of the opcode that made it, its content, and its members if it is a container."""

    kind: str
    at: int
    value: object = None
    items: list = field(default_factory=list)
    width: int = 0              # of an integer: its bytes
    meaning: object = None      # for decode.py
    is_taken: bool = False      # of a dictionary: by a call or state


@dataclass(frozen=True)
class Dtype:
    """A type of elements: a type string and its size, fields of a record, or base and shape of a sub-array."""

    text: str                                   # such as <f8, |S5, <M8[ns]; |V16 of records and sub-arrays
    itemsize: int
    fields: tuple = None                        # (name, title or None, offset, Dtype)
    base: object = None
    shape: tuple = ()
    flags: int = 0                              # as NumPy keeps them in a state
    is_aligned: bool = False
    is_record: bool = False                     # of numpy.record
    levels: int = 0
    leaves: int = 1                             # fields at all depths, those of inner records included
    mask_size: int = 1                          # bools in the mask of an element
    has_objects: bool = False

    @property
    def layout(self):
        """What two types must share to be the same."""
        fields = None if self.fields is None else tuple((name, title, at, inner.layout) for name, title, at, inner in self.fields)
        return self.text, self.itemsize, fields, self.base.layout if self.base else None, self.shape


# --- NPY-PKL-011: the globals ------------------------------------------------------------------------------
# Name, role, set, whether only protocols 0 to 2 may name it.

MULTIARRAY = ("numpy.core.multiarray", "numpy._core.multiarray")
OLD_FACTORIES = {"long": "int", "unicode": "str"}
FACTORIES = ("bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
CALLABLE_BUILTINS = {"bytes": "data", "complex": "data", "bytearray": "plain", "set": "plain", "frozenset": "plain", "slice": "plain"}
PATHS = ("PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath")


def table_of_globals():
    """{(module, name): (role, set, old)}."""
    table = {("numpy", "ndarray"): ("ndarray", "data", False), ("numpy", "dtype"): ("dtype", "data", False),
             ("numpy", "record"): ("record", "plain", False), ("_codecs", "encode"): ("encode", "data", False),
             ("numpy.core._internal", "_reconstruct"): ("_reconstruct", "data", False)}
    for module in MULTIARRAY:
        table[module, "_reconstruct"] = ("_reconstruct", "data", False)
        table[module, "scalar"] = ("scalar", "data", False)
    for module in ("numpy.core.numeric", "numpy._core.numeric"):
        table[module, "_frombuffer"] = ("_frombuffer", "data", False)
    for name in FACTORIES:
        allowed = CALLABLE_BUILTINS.get(name, "plain")
        table["builtins", name] = (name, allowed, False)
        table["__builtin__", name] = (name, allowed, True)
    for name in ("bytearray", "slice"):
        table["builtins", name] = (name, "plain", False)
        table["__builtin__", name] = (name, "plain", True)
    for name, role in OLD_FACTORIES.items():
        table["__builtin__", name] = (role, "plain", True)
    table["builtins", "range"] = ("range", "plain", False)
    table["__builtin__", "range"] = ("range", "plain", True)
    table["__builtin__", "xrange"] = ("range", "plain", True)
    table["builtins", "object"] = ("object", "plain", False)
    table["__builtin__", "object"] = ("object", "plain", True)
    table["copyreg", "_reconstructor"] = ("_reconstructor", "plain", False)
    table["copy_reg", "_reconstructor"] = ("_reconstructor", "plain", True)
    for module in ("numpy", "numpy.rec"):
        table[module, "recarray"] = ("recarray", "plain", False)
    table["numpy", "matrix"] = ("matrix", "plain", False)
    for module in ("numpy.ma", "numpy.ma.core"):
        table[module, "MaskedArray"] = ("MaskedArray", "plain", False)
    table["numpy.ma.core", "_mareconstruct"] = ("_mareconstruct", "plain", False)
    table["numpy._core._internal", "_convert_to_stringdtype_kwargs"] = ("stringdtype", "plain", False)
    for name in ("date", "datetime", "time", "timedelta", "timezone"):
        table["datetime", name] = (name, "plain", False)
    for module, name in (("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID"), ("collections", "OrderedDict"),
                         ("collections", "defaultdict"), ("time", "struct_time")):
        table[module, name] = (name, "plain", False)
    for module in ("pathlib", "pathlib._local"):
        for name in PATHS:
            table[module, name] = (name, "plain", False)
    return table


GLOBALS = table_of_globals()
MARK = object()
HASHED_SCALARS = {*"biufcSU"}


# --- the machine -------------------------------------------------------------------------------------------


class Machine:
    """Runs the opcodes of a payload; NPY-PKL-002 to NPY-PKL-010."""

    def __init__(self, data, base, options):
        self.data, self.base, self.options = data, base, options
        self.pos, self.at, self.proto, self.frame_end = 0, 0, 0, None
        self.stack, self.memo = [], {}
        self.count = self.bytes = 0
        self.fits = "data"

    def refuse(self, status, text="", at=None):
        """At the opcode that runs, or at that which made a node."""
        raise Refused(status, self.base + (self.at if at is None else at), text)

    def take(self, size):
        """The next bytes, NPY-PKL-002 and NPY-PKL-005."""
        if size > len(self.data) - self.pos:
            self.refuse("TRUNCATED", "the payload ends", at=len(self.data))
        if self.frame_end is not None and self.pos + size > self.frame_end:
            self.refuse("FRAME", "an opcode crosses the end of its frame")
        self.pos += size
        return self.data[self.pos - size:self.pos]

    def number(self, size, signed=False):
        """A little-endian number."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def line(self):
        """The bytes up to the next line feed."""
        end = self.data.find(b"\n", self.pos)
        if end < 0:
            self.refuse("TRUNCATED", "a line has no end", at=len(self.data))
        return self.take(end + 1 - self.pos)[:-1]

    def needs(self, allowed):
        """A value of the set plain: NPY-PKL-012."""
        if allowed == "plain":
            if self.options.allowed == "data":
                self.refuse("NOT_DATA", "it belongs to the plain set")
            self.fits = "plain"

    def charge(self, nodes, size):
        """What an opcode looks at is bounded: NPY-PKL-023 and NPY-PKL-026."""
        self.count += nodes
        if self.count > self.options.nodes:
            self.refuse("TOO_MANY_NODES")
        self.bytes += size
        if self.bytes > self.options.decoded_bytes:
            self.refuse("TOO_MANY_BYTES")

    def look(self, count):
        """What is looked at again counts again."""
        self.charge(count, 0)

    def node(self, kind, value=None, items=(), size=0):
        """A new node."""
        self.charge(1, size)
        return Node(kind, self.at, value, list(items))

    def push(self, *made, **kept):
        """A new node on the stack."""
        self.stack.append(self.node(*made, **kept))

    def pop(self):
        """The topmost value; NPY-PKL-007."""
        if not self.stack or self.stack[-1] is MARK:
            self.refuse("STACK", "no value is on the stack")
        return self.stack.pop()

    def top(self):
        """The topmost value, which stays."""
        value = self.pop()
        self.stack.append(value)
        return value

    def pop_mark(self):
        """The values above the topmost mark."""
        places = [place for place, value in enumerate(self.stack) if value is MARK]
        if not places:
            self.refuse("STACK", "no mark is on the stack")
        values = self.stack[places[-1] + 1:]
        del self.stack[places[-1]:]
        return values

    @property
    def opcodes(self):
        """What each opcode does."""
        return OPCODES

    def call(self, called, args):
        """The value of a call; NPY-PKL-013."""
        form = CALLS.get(called.value)
        self.charge(len(args.items), 0)
        made = form(self, *args.items) if form and len(args.items) in ARITIES[called.value] else None
        if made is None:
            self.refuse("CALL", f"{called.value} has no such arguments")
        return made

    def make_uuid(self, _called, _args):
        """The value of NEWOBJ."""
        return self.node("UUID")

    def give_state(self, node, state):
        """What BUILD does; NPY-PKL-014."""
        form = STATES.get(node.kind)
        if form is None or node.value is not None and node.kind not in WITH_ARGUMENTS or node.kind in WITH_ARGUMENTS and node.value[0]:
            self.refuse("STATE", f"a {node.kind} takes no state, or has one already")
        form(self, node, state)

    def add_key(self, node, key):
        """NPY-PKL-016 and NPY-PKL-017. node.value of a container is the set of its keys."""
        if node.kind == "defaultdict":
            keys = node.value[1]
        else:
            node.value = keys = set() if node.value is None else node.value
        form = key_form(self, key)
        if form in keys:
            self.refuse("DUPLICATE_KEY")
        keys.add(form)

    def scalar_form(self, dtype, data):
        """What Python compares of a NumPy scalar."""
        return scalar_form(dtype, data)

    def run(self):
        """To STOP; what the payload says."""
        while True:
            if self.frame_end is not None and self.pos == self.frame_end:
                self.frame_end = None
            self.at = self.pos
            code = self.take(1)
            action = self.opcodes.get(code[0])
            if action is None:
                self.refuse("OPCODE", f"opcode {code[0]:02X}")
            if code == b".":
                break
            action(self)
        if len(self.stack) != 1 or self.stack[0] is MARK:
            self.refuse("STACK", "STOP needs one value")
        if self.frame_end is not None and self.pos != self.frame_end:
            self.refuse("FRAME", "bytes of the frame stand after STOP")
        if self.pos != len(self.data):
            self.refuse("TRAILING", "bytes stand after STOP", at=self.pos)
        return self.stack[0]


# --- opcodes: NPY-PKL-003 ----------------------------------------------------------------------------------


def op_proto(m):
    version = m.number(1)
    if m.at != 0 or not 2 <= version <= 5:
        m.refuse("PROTOCOL")
    m.proto = version


def op_frame(m):
    size = m.number(8)
    if m.frame_end is not None:
        m.refuse("FRAME", "a frame in a frame")
    if size > len(m.data) - m.pos:
        m.refuse("TRUNCATED", "the payload ends", at=len(m.data))
    if size == 0:
        m.refuse("FRAME", "a frame of no bytes")
    m.frame_end = m.pos + size


def op_global(m):
    module, name = m.line(), m.line()
    push_global(m, module.decode("latin-1"), name.decode("latin-1"))


def op_stack_global(m):
    name, module = m.pop(), m.pop()
    if name.kind != "str" or module.kind != "str":
        m.refuse("GLOBAL", "a global is named by two strings")
    push_global(m, module.value, name.value)


def push_global(m, module, name):
    role, allowed, is_old = GLOBALS.get((module, name), (None, None, False))
    if role is None or is_old and m.proto > 2:
        m.refuse("GLOBAL", f"{module} {name}")
    m.needs(allowed)
    m.push("global", role)


def op_int(m):
    text = m.line()
    if text in (b"00", b"01"):
        m.push("bool", text == b"01")
    else:
        push_decimal(m, text)


def op_long(m):
    text = m.line()
    if not text.endswith(b"L"):
        m.refuse("NUMBER", "a LONG ends in L")
    push_decimal(m, text[:-1])


def push_decimal(m, text):
    if not re.fullmatch(rb"0|-?[1-9][0-9]*", text):
        m.refuse("NUMBER", "no decimal integer")
    if len(text.lstrip(b"-")) > MOST_DIGITS or len(text) > 3 * m.options.integer_bytes:
        m.refuse("INTEGER_TOO_LONG")
    push_int(m, int(text), len(text))


def push_int(m, value, size=8):
    """An integer of `size` bytes."""
    if (value if value >= 0 else ~value).bit_length() // 8 + 1 > m.options.integer_bytes:
        m.refuse("INTEGER_TOO_LONG")
    m.push("int", value)
    m.stack[-1].width = size


def op_binary_long(width):
    def action(m):
        size = m.number(width, signed=width == 4)
        if size < 0:
            m.refuse("NUMBER", "a length is negative")
        if size > len(m.data) - m.pos:
            m.take(size)
        if size > m.options.integer_bytes:
            m.refuse("INTEGER_TOO_LONG")
        push_int(m, int.from_bytes(m.take(size), "little", signed=True), size)
    return action


def op_float(m):
    text = m.line()
    if len(text) > 32 or not re.fullmatch(rb"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?|nan|-?inf", text):
        m.refuse("NUMBER", "no float")
    m.push("float", float(text))


def op_binfloat(m):
    m.push("float", struct.unpack(">d", m.take(8))[0])


def op_string(m):
    """A repr of Python 2."""
    text = m.line()
    body = text[1:-1]
    quote = re.escape(text[:1])
    if len(text) < 2 or text[:1] not in (b"'", b'"') or not re.fullmatch(
            rb"(?:[^\\" + quote + rb"]|\\[\\'\"nrt]|\\x[0-9a-f]{2})*" + quote, text[1:], re.DOTALL):
        m.refuse("TEXT", "no quoted string")
    names = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
    value = re.sub(rb"\\(x..|.)", lambda found: bytes.fromhex(found[1][1:].decode()) if found[1][:1] == b"x" else
                   names.get(found[1], found[1]), body, flags=re.DOTALL)
    m.push("raw", value, size=len(value))


def op_unicode(m):
    text = m.line()
    if not re.fullmatch(rb"(?:[^\\]|\\u[0-9a-fA-F]{4}|\\U(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4})*", text, re.DOTALL):
        m.refuse("TEXT", "a bad escape")
    m.push("str", text.decode("raw-unicode-escape"), size=len(text))


def op_counted(kind, width):
    """Strings and bytes that are preceded by their length."""
    def action(m):
        size = m.number(width, signed=kind == "raw" and width == 4)
        if size < 0:
            m.refuse("TEXT", "a length is negative")
        value = m.take(size)
        if kind == "str":
            try:
                value = value.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                m.refuse("TEXT", "not UTF-8")
        m.push(kind, value, size=size)
    return action


def op_tuple(size):
    def action(m):
        items = [m.pop() for _ in range(size)][::-1]
        m.push("tuple", items=items)
    return action


def op_get(m, index):
    if index not in m.memo:
        m.refuse("MEMO", f"nothing is kept as {index}")
    m.stack.append(m.memo[index])


def op_put(m, index):
    """An index is used once, and less than the payload's length."""
    if index in m.memo or index >= len(m.data):
        m.refuse("MEMO", f"{index} is used twice or too large")
    m.memo[index] = m.top()


def decimal_index(m):
    text = m.line()
    if not re.fullmatch(rb"0|[1-9][0-9]{0,9}", text):
        m.refuse("MEMO", "no index")
    return int(text)


def container(m, *kinds):
    """The topmost value if it is a container of these kinds; NPY-PKL-015."""
    value = m.top()
    if value.kind not in kinds:
        m.refuse("CONTAINER", f"a {value.kind} takes no members")
    if value.is_taken:
        m.refuse("CONTAINER", "the dictionary was taken as it was")
    return value


def op_append(m):
    item = m.pop()
    container(m, "list").items.append(item)


def op_appends(m):
    items = m.pop_mark()
    container(m, "list").items.extend(items)


def op_setitem(m):
    value, key = m.pop(), m.pop()
    add_pairs(m, container(m, "dict", "OrderedDict", "defaultdict"), [key, value])


def op_setitems(m):
    items = m.pop_mark()
    check_pairs(m, items)
    add_pairs(m, container(m, "dict", "OrderedDict", "defaultdict"), items)


def op_additems(m):
    items = m.pop_mark()
    m.top()
    m.needs("plain")
    add_members(m, container(m, "set"), items)


def check_pairs(m, items):
    """Keys and values alternate; NPY-PKL-007."""
    if len(items) % 2:
        m.refuse("STACK", "a key has no value")


def add_pairs(m, node, items):
    """Keys and values, one after the other."""
    for key, value in zip(items[::2], items[1::2]):
        m.add_key(node, key)
        node.items += [key, value]


def add_members(m, node, items):
    for key in items:
        m.add_key(node, key)
        node.items.append(key)


def key_form(m, key, level=0, parts=None):
    """What Python compares of a key: equal keys have equal forms. `parts` counts the members of its tuples."""
    key, parts = key.meaning or key, [0] if parts is None else parts
    parts[0] += 1
    m.look(1 if level else 0)
    if level > MOST_LEVELS or parts[0] > MOST_PARTS + 1:
        m.refuse("KEY", "too deep or too large")
    if key.kind == "none":
        return ("none",)
    if key.kind == "int" and key.width > MOST_UUID:
        m.refuse("KEY", "a long integer")
    if key.kind in ("bool", "int", "float", "complex"):
        return number_form(key.value)
    if key.kind in ("str", "bytes", "date", "timedelta", "UUID"):
        if key.kind == "UUID" and key.value is None:
            m.refuse("KEY", "it is not built yet")
        return (key.kind, key.value)
    if key.kind == "raw":
        return ("str", ascii_text(m, key, m.at))
    if key.kind == "tuple":
        return ("tuple", *(key_form(m, item, level + 1, parts) for item in key.items))
    if key.kind == "datetime" and not key.items:
        return ("datetime", key.value[:2] + bytes([key.value[2] & 0x7F]) + key.value[3:])
    if key.kind == "scalar" and key.value[0].text[1] in HASHED_SCALARS and key.value[0].text[1:] not in ("f16", "c32"):
        return m.scalar_form(*key.value)
    m.refuse("KEY", f"a {key.kind} is no key")


def number_form(value):
    """Numbers compare as Python does; every NaN is the same."""
    return ("nan",) if value != value else ("number", value)


def scalar_form(dtype, data):
    """The form of a NumPy scalar: that of the Python value to which it is equal."""
    order, kind = ("<" if dtype.text[0] == "|" else dtype.text[0]), dtype.text[1]
    if kind == "S":
        return ("bytes", data.rstrip(b"\0"))
    if kind == "U":
        return ("str", tuple_text(data, order))
    if kind == "c":
        letter = order + {8: "f", 16: "d"}[dtype.itemsize] * 2
        return number_form(complex(*struct.unpack(letter, data)))
    if kind == "f":
        return number_form(struct.unpack(order + {2: "e", 4: "f", 8: "d"}[dtype.itemsize], data)[0])
    if kind == "b":
        return number_form(data != b"\0")
    return number_form(int.from_bytes(data, "little" if order == "<" else "big", signed=kind == "i"))


def tuple_text(data, order):
    """Code points of four bytes each, without zeros at the end."""
    points = struct.unpack(order + f"{len(data) // 4}I", data)
    text = "".join(map(chr, points))
    return text.rstrip("\0")


def ascii_text(m, node, at):
    """A Python 2 string as a value; NPY-PKL-018."""
    if any(byte > 127 for byte in node.value):
        m.refuse("RAW_STRING", "it is not ASCII", at=at)
    return node.value.decode("ascii")


def op_dict(m):
    items = m.pop_mark()
    check_pairs(m, items)
    m.push("dict")
    add_pairs(m, m.stack[-1], items)


def op_frozenset(m):
    items = m.pop_mark()
    m.needs("plain")
    m.push("frozenset")
    add_members(m, m.stack[-1], items)


def op_empty_set(m):
    m.needs("plain")
    m.push("set")


def op_pop(m):
    """A value or, on top, a mark."""
    if not m.stack:
        m.refuse("STACK", "the stack is empty")
    m.stack.pop()


def op_reduce(m):
    args, called = m.pop(), m.pop()
    if called.kind != "global" or args.kind != "tuple":
        m.refuse("CALL", f"a {called.kind} is called with a {args.kind}")
    m.stack.append(m.call(called, args))


def op_newobj(m):
    args, called = m.pop(), m.pop()
    if called.kind != "global" or called.value != "UUID" or args.kind != "tuple" or args.items:
        m.refuse("CALL", "NEWOBJ makes a UUID only")
    m.stack.append(m.make_uuid(called, args))


def op_build(m):
    state = m.pop()
    m.give_state(m.top(), state)


OPCODES = {
    0x80: op_proto, 0x95: op_frame, ord("."): None,
    ord("N"): lambda m: m.push("none"), 0x88: lambda m: m.push("bool", True), 0x89: lambda m: m.push("bool", False),
    ord("I"): op_int, ord("L"): op_long, ord("F"): op_float, ord("G"): op_binfloat, ord("S"): op_string, ord("V"): op_unicode,
    ord("J"): lambda m: push_int(m, m.number(4, signed=True)), ord("K"): lambda m: push_int(m, m.number(1)),
    ord("M"): lambda m: push_int(m, m.number(2)), 0x8A: op_binary_long(1), 0x8B: op_binary_long(4),
    ord("T"): op_counted("raw", 4), ord("U"): op_counted("raw", 1), ord("X"): op_counted("str", 4), 0x8C: op_counted("str", 1),
    0x8D: op_counted("str", 8), ord("B"): op_counted("bytes", 4), ord("C"): op_counted("bytes", 1), 0x8E: op_counted("bytes", 8),
    0x96: op_counted("bytearray", 8),
    ord("("): lambda m: m.stack.append(MARK), ord(")"): op_tuple(0), 0x85: op_tuple(1), 0x86: op_tuple(2), 0x87: op_tuple(3),
    ord("t"): lambda m: m.push("tuple", items=m.pop_mark()), ord("]"): lambda m: m.push("list"),
    ord("l"): lambda m: m.push("list", items=m.pop_mark()), ord("}"): lambda m: m.push("dict"), ord("d"): op_dict,
    ord("a"): op_append, ord("e"): op_appends, ord("s"): op_setitem, ord("u"): op_setitems, 0x8F: op_empty_set,
    0x90: op_additems, 0x91: op_frozenset, ord("0"): op_pop, ord("1"): lambda m: m.pop_mark(),
    ord("g"): lambda m: op_get(m, decimal_index(m)), ord("h"): lambda m: op_get(m, m.number(1)),
    ord("j"): lambda m: op_get(m, m.number(4)), ord("p"): lambda m: op_put(m, decimal_index(m)),
    ord("q"): lambda m: op_put(m, m.number(1)), ord("r"): lambda m: op_put(m, m.number(4)), 0x94: lambda m: op_put(m, len(m.memo)),
    ord("c"): op_global, 0x93: op_stack_global, ord("R"): op_reduce, 0x81: op_newobj, ord("b"): op_build,
}
OPCODES[ord(".")] = lambda m: None


# --- arguments: NPY-PKL-013 --------------------------------------------------------------------------------
# Each form returns a node, or None if its arguments are others.


def is_global(node, *roles):
    return node.kind == "global" and node.value in roles


def is_integer(node, low=-LARGEST - 1, high=LARGEST, width=MOST_NUMBER):
    return node.kind == "int" and low <= node.value <= high and node.width <= width


def as_text(node):
    """The text of a string, also of Python 2's if it is ASCII; else None."""
    if node.kind == "str":
        return node.value
    return node.value.decode("ascii") if node.kind == "raw" and node.value.isascii() else None


def as_bytes(node):
    """The bytes of a byte string, also of Python 2's; else None."""
    return node.value if node.kind in ("bytes", "raw") else None


def as_flag(node):
    """A bool, which old picklers write as 0 or 1; else None."""
    return bool(node.value) if node.kind == "bool" or is_integer(node, 0, 1) else None


def as_shape(node):
    """Dimensions, none negative; else None."""
    if node.kind != "tuple" or len(node.items) > MOST_DIMENSIONS or not all(is_integer(item, 0) for item in node.items):
        return None
    return tuple(item.value for item in node.items)


def is_placeholder(shape, code):
    """(0,) and b'b', with which arrays are made before they have a state."""
    return as_shape(shape) == (0,) and (as_bytes(code) == b"b")


def call_reconstruct(m, kind, shape, code):
    if is_global(kind, "ndarray", "recarray", "matrix") and is_placeholder(shape, code):
        return m.node("array" if kind.value == "ndarray" else kind.value)
    return None


def call_mareconstruct(m, kind, base, shape, code):
    if is_global(kind, "MaskedArray") and is_global(base, "ndarray") and as_shape(shape) == (0,) and as_text(code) == "b":
        return m.node("masked")
    return None


def call_dtype(m, text, align, copy):
    """Its value: state (none yet), type string, whether numpy.record."""
    if as_flag(align) is not False or as_flag(copy) is not True:
        return None
    if is_global(text, "record"):
        return m.node("dtype", (None, "V", True))
    name = as_text(text)
    return m.node("dtype", (None, name, False)) if name is not None and re.fullmatch(TYPE_STRING, name) else None


def built_dtype(node):
    """The type of a dtype that has its state and is no sub-array; else None."""
    made = node.value[0] if node.kind == "dtype" else None
    return made if made is not None and made.base is None else None


def call_scalar(m, dtype, data):
    made, content = built_dtype(dtype), as_bytes(data)
    if made is None or content is None or made.has_objects:
        return None
    if made.itemsize != len(content) and not (made.text in ("|S0", "<U0", ">U0")):
        m.refuse("ARRAY", "a scalar has as many bytes as its type")
    m.charge(0, len(content))
    check_points(m, made, content)
    return m.node("scalar", (made, content if made.itemsize else b""))


def call_frombuffer(m, buffer, dtype, shape, order):
    made, dims, content = built_dtype(dtype), as_shape(shape), buffer.value if buffer.kind in ("bytes", "bytearray") else None
    if made is None or dims is None or content is None or made.has_objects or as_text(order) not in ("C", "F"):
        return None
    node = m.node("array", size=len(content))
    node.value = (True, dims, made, as_text(order) == "F", content)
    check_extent(m, dims, made, len(content))
    check_points(m, made, content)
    return node


def call_encode(m, text, encoding):
    if text.kind != "str" or as_text(encoding) != "latin1" or any(ord(char) > 255 for char in text.value):
        return None
    return m.node("bytes", text.value.encode("latin-1"), size=len(text.value))


def call_bytes(m):
    return m.node("bytes", b"")


def call_complex(m, real, imaginary):
    return m.node("complex", complex(real.value, imaginary.value)) if real.kind == imaginary.kind == "float" else None


def call_bytearray(m, *args):
    if not args:
        return m.node("bytearray", b"")
    if len(args) == 1:
        return m.node("bytearray", args[0].value, size=len(args[0].value)) if args[0].kind == "bytes" else None
    text, encoding = args
    if text.kind != "str" or as_text(encoding) != "latin-1" or any(ord(char) > 255 for char in text.value):
        return None
    return m.node("bytearray", text.value.encode("latin-1"), size=len(text.value))


def call_set(kind):
    def form(m, members):
        if members.kind != "list":
            return None
        m.charge(len(members.items), 0)
        node = m.node(kind)
        add_members(m, node, list(members.items))
        return node
    return form


def call_slice(m, *args):
    return m.node("slice", items=args) if all(arg.kind in ("none", "int") for arg in args) else None


def call_range(m, *args):
    return m.node("range", items=args) if all(arg.kind == "int" for arg in args) and args[2].value else None


def call_date(m, state):
    data = as_bytes(state)
    return m.node("date", data) if data is not None and is_date(data) else None


def is_date(data):
    """Year, month and day of four bytes."""
    if len(data) != 4:
        return False
    try:
        datetime.date(data[0] * 256 + data[1], data[2], data[3])
    except ValueError:
        return False
    return True


def is_time(data):
    """Hour, minute, second and microsecond of six bytes."""
    return len(data) == 6 and data[0] < 24 and data[1] < 60 and data[2] < 60 and int.from_bytes(data[3:], "big") < 10**6


def call_datetime(m, state, *zone):
    data = as_bytes(state)
    if data is None or len(data) != 10 or not all(one.kind == "timezone" for one in zone):
        return None
    date = data[:2] + bytes([data[2] & 0x7F, data[3]])          # the highest bit of the month is the fold
    return m.node("datetime", data, zone) if is_date(date) and is_time(data[4:]) else None


def call_time(m, state, *zone):
    data = as_bytes(state)
    if data is None or len(data) != 6 or not all(one.kind == "timezone" for one in zone):
        return None
    return m.node("time", data, zone) if is_time(bytes([data[0] & 0x7F]) + data[1:]) else None


def call_timedelta(m, days, seconds, microseconds):
    if is_integer(days, -999999999, 999999999) and is_integer(seconds, 0, 86399) and is_integer(microseconds, 0, 999999):
        return m.node("timedelta", (days.value, seconds.value, microseconds.value))
    return None


def call_timezone(m, offset, *name):
    if offset.kind != "timedelta" or not all(one.kind == "str" for one in name):
        return None
    days, seconds, microseconds = offset.value
    if not (days == 0 or days == -1 and (seconds or microseconds)):       # less than a day either way
        return None
    return m.node("timezone", offset.value, name)


def call_decimal(m, text):
    value = as_text(text)
    if value is None or not re.fullmatch(r"-?(?:[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]{1,9})?|Infinity|s?NaN[0-9]*)", value):
        return None
    return m.node("Decimal", value, size=len(value))


def call_fraction(m, *args):
    if len(args) == 2:
        return m.node("Fraction", (args[0].value, args[1].value)) if all(arg.kind == "int" for arg in args) and args[1].value > 0 else None
    found = re.fullmatch(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?", as_text(args[0]) or "")
    if not found or any(len((part or "").lstrip("-")) > MOST_DIGITS for part in found.groups()):
        return None
    return m.node("Fraction", (int(found[1]), int(found[2] or 1)))


def call_ordered(m, *args):
    node = m.node("OrderedDict")
    if args:
        pairs = args[0].items if args[0].kind == "list" else None
        if pairs is None or not all(pair.kind == "list" and len(pair.items) == 2 for pair in pairs):
            return None
        m.charge(2 * len(pairs), 0)
        add_pairs(m, node, [one for pair in pairs for one in pair.items])
    return node


def call_defaultdict(m, *factory):
    if not all(is_global(one, *FACTORIES) for one in factory):
        return None
    return m.node("defaultdict", (factory[0].value if factory else None, set()))


def call_struct_time(m, numbers, names):
    if numbers.kind != "tuple" or len(numbers.items) != 9 or not all(is_integer(one) for one in numbers.items) or names.kind != "dict":
        return None
    allowed = {"tm_zone": ("none", "str"), "tm_gmtoff": ("none", "int")}
    for key, value in zip(names.items[::2], names.items[1::2]):
        if value.kind not in allowed.get(as_text(key), ()):
            return None
    names.is_taken = True
    return m.node("struct_time", items=[numbers, *names.items])


def call_path(kind):
    is_windows = "Windows" in kind
    part = r"(?!\.(?:[/\\]|\Z))[^/\\:]+" if is_windows else r"(?!\.(?:/|\Z))[^/]+"
    anchor = r"(?:[A-Za-z]:)?\\?|\\\\[^/\\:]+\\[^/\\:]+\\" if is_windows else r"//?|"
    separator = "\\" if is_windows else "/"
    whole = re.compile(rf"({anchor})((?:{part}(?:{re.escape(separator)}(?!\Z)|\Z))*)", re.DOTALL)

    def form(m, *args):
        parts = [as_text(arg) for arg in args]
        if None in parts or "" in parts:
            return None
        if len(parts) > 1:
            ends = re.fullmatch(anchor, parts[0])
            if not all(re.fullmatch(part, one, re.DOTALL) for one in parts[0 if not ends else 1:]):
                return None
            text = (parts[0] if ends else "") + separator.join(parts[1 if ends else 0:])
        else:
            text = "".join(parts)
        if not whole.fullmatch(text):
            return None
        return m.node("path", (kind, text or "."), size=len(text))
    return form


def call_reconstructor(m, kind, base, state):
    return m.node("UUID") if is_global(kind, "UUID") and is_global(base, "object") and state.kind == "none" else None


def call_stringdtype(m, coerce, *missing):
    if as_flag(coerce) is None:
        return None
    is_good = all(one.kind in ("none", "str") or one.kind == "float" and math.isnan(one.value) for one in missing)
    return m.node("stringdtype", as_flag(coerce), missing) if is_good else None


CALLS = {
    "_reconstruct": call_reconstruct, "_mareconstruct": call_mareconstruct, "dtype": call_dtype, "scalar": call_scalar,
    "_frombuffer": call_frombuffer, "encode": call_encode, "bytes": call_bytes, "complex": call_complex,
    "bytearray": call_bytearray, "set": call_set("set"), "frozenset": call_set("frozenset"), "slice": call_slice,
    "range": call_range, "date": call_date, "datetime": call_datetime, "time": call_time, "timedelta": call_timedelta,
    "timezone": call_timezone, "Decimal": call_decimal, "Fraction": call_fraction, "OrderedDict": call_ordered,
    "defaultdict": call_defaultdict, "struct_time": call_struct_time, "_reconstructor": call_reconstructor,
    "stringdtype": call_stringdtype, **{name: call_path(name) for name in PATHS},
}
ARITIES = {
    "_reconstruct": (3,), "_mareconstruct": (4,), "dtype": (3,), "scalar": (2,), "_frombuffer": (4,), "encode": (2,), "bytes": (0,),
    "complex": (2,), "bytearray": (0, 1, 2), "set": (1,), "frozenset": (1,), "slice": (3,), "range": (3,), "date": (1,),
    "datetime": (1, 2), "time": (1, 2), "timedelta": (3,), "timezone": (1, 2), "Decimal": (1,), "Fraction": (1, 2),
    "OrderedDict": (0, 1), "defaultdict": (0, 1), "struct_time": (2,), "_reconstructor": (3,), "stringdtype": (1, 2),
    **{name: range(MOST_ITEMSIZE) for name in PATHS},
}


# --- states: NPY-PKL-014 -----------------------------------------------------------------------------------

FIXED = {"b1": 1, "i1": 1, "i2": 2, "i4": 4, "i8": 8, "u1": 1, "u2": 2, "u4": 4, "u8": 8, "f2": 2, "f4": 4, "f8": 8, "f16": 16,
         "c8": 8, "c16": 16, "c32": 32, "M8": 8, "m8": 8, "O8": 8}
TYPE_STRING = "(?:" + "|".join(FIXED) + "|[SUV](?:0|[1-9][0-9]{0,9}))"
UNITS = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"}
FROM_FIELDS = 0x1B              # flags that a record has from its fields: needs init, pickled as a list, references, Python
NEEDS_PYTHON, NEEDS_INIT, ALIGNED, OBJECT_FLAGS = 0x10, 0x08, 0x80, 63


def state_dtype(m, node, state):
    """(3, order, sub-array, names, fields, itemsize, alignment, flags), and a ninth for datetimes."""
    _, text, is_record = node.value
    items = state.items if state.kind == "tuple" else []
    kind = text[0]
    if len(items) != (9 if kind in "mM" else 8) or not is_integer(items[0], len(items) - 5, len(items) - 5):
        m.refuse("STATE", "a dtype has another state")
    order, sub, names, fields, size, alignment, flags = (items[1], items[2], items[3], items[4], items[5], items[6], items[7])
    has_order = kind not in "OSVb" and text not in ("i1", "u1")
    if as_text(order) not in (("<", ">") if has_order else ("|",)):
        m.refuse("DTYPE", "a byte order that its type does not have")
    if not is_integer(size, -1, MOST_ITEMSIZE) or not is_integer(alignment, -1, 16) or alignment.value not in (-1, 1, 2, 4, 8, 16) or not is_integer(flags):
        m.refuse("DTYPE", "itemsize, alignment or flags")
    if kind != "V" and (sub.kind, names.kind, fields.kind) != ("none", "none", "none"):
        m.refuse("DTYPE", "only V has fields or a shape")
    made = read_dtype(m, items, as_text(order), text, is_record)
    expected = -1 if text in FIXED else made.itemsize
    if size.value != expected or (alignment.value == -1) != (text in FIXED):
        m.refuse("DTYPE", "an itemsize or alignment that its type does not have")
    if flags.value not in (made.flags, made.flags - 256):       # NumPy 1 writes it as a signed byte
        m.refuse("DTYPE", "flags that its type does not have")
    if made.itemsize > MOST_ITEMSIZE or made.levels > MOST_DIMENSIONS or made.leaves > MOST_FIELDS:
        m.refuse("DTYPE", "too large or too deep")
    m.charge(made.leaves, 0)
    node.value = (made, text, is_record)


def read_dtype(m, items, order, text, is_record):
    """The type of a state whose numbers have yet to be compared."""
    kind = text[0]
    if kind in "mM":
        return Dtype(order + text + datetime_unit(m, items[8]), 8)
    if text == "O8":
        return Dtype("|O", 8, flags=OBJECT_FLAGS, has_objects=True)
    if text in FIXED:
        return Dtype(order + text, FIXED[text])
    if is_record:
        return record_dtype(m, items, items[5].value, True)
    size = int(text[1:])
    if kind == "U":
        return Dtype(order + text, 4 * size, flags=NEEDS_INIT)
    if kind == "V" and items[3].kind == "tuple":
        return record_dtype(m, items, size, False)
    if kind == "V" and (items[2].kind, items[3].kind, items[4].kind) == ("tuple", "none", "none"):
        return subarray_dtype(m, items[2], size)
    if (items[2].kind, items[3].kind, items[4].kind) != ("none", "none", "none"):
        m.refuse("DTYPE", "fields and shape")
    return Dtype("|" + text, size)


def datetime_unit(m, node):
    """(None or {}, (unit, multiple, 1, 1)) as [25s]."""
    parts = node.items if node.kind == "tuple" and len(node.items) == 2 else [None, None]
    if parts[0] is None or not (parts[0].kind == "none" or parts[0].kind == "dict" and not parts[0].items):
        m.refuse("DTYPE", "metadata")
    unit = parts[1].items if parts[1].kind == "tuple" and len(parts[1].items) == 4 else None
    name = as_bytes(unit[0]) if unit else None
    if name is None or name.decode("latin-1") not in UNITS or not is_integer(unit[1], 1, MOST_ITEMSIZE) or not all(is_integer(one, 1, 1) for one in unit[2:]):
        m.refuse("DTYPE", "a unit of time")
    if name == b"generic":
        if unit[1].value != 1:
            m.refuse("DTYPE", "a multiple of no unit")
        return ""
    return "[" + (str(unit[1].value) if unit[1].value > 1 else "") + name.decode() + "]"


def part_dtype(m, node):
    """A type within a type: it has its state."""
    made = node.value[0] if node.kind == "dtype" else None
    if made is None:
        m.refuse("DTYPE", "a part is no dtype")
    return made


def subarray_dtype(m, node, size):
    """(type, shape) of elements that are arrays."""
    if len(node.items) != 2 or as_shape(node.items[1]) is None:
        m.refuse("DTYPE", "a sub-array is a type and a shape")
    base, shape = part_dtype(m, node.items[0]), as_shape(node.items[1])
    inner, dims = base, len(shape)
    while inner.base is not None:
        dims, inner = dims + len(inner.shape), inner.base
    if not shape or dims > MOST_DIMENSIONS or base.itemsize == 0 or math.prod(shape) * base.itemsize != size:
        m.refuse("DTYPE", "a sub-array has another size")
    return Dtype(f"|V{size}", size, base=base, shape=shape, flags=base.flags, levels=base.levels + 1,
                 leaves=base.leaves, mask_size=math.prod(shape) * base.mask_size, has_objects=base.has_objects)


def record_dtype(m, items, size, is_record):
    """Fields in their order, apart and within the itemsize."""
    names, table = items[3], items[4]
    if items[2].kind != "none" or names.kind != "tuple" or table.kind != "dict":
        m.refuse("DTYPE", "a record has names and fields")
    entries = {}
    for key, value in zip(table.items[::2], table.items[1::2]):
        if as_text(key) is None or value.kind != "tuple" or len(value.items) not in (2, 3):
            m.refuse("DTYPE", "a field is a name, a type and an offset")
        entries[as_text(key)] = value.items
    fields, used, end, flags, levels = [], set(), 0, NEEDS_PYTHON, 0
    for node in names.items:
        name = as_text(node)
        if name is None or name in used or name not in entries:
            m.refuse("DTYPE", "names and fields differ")
        entry = entries[name]
        inner, title = part_dtype(m, entry[0]), as_text(entry[2]) if len(entry) == 3 else None
        used.add(name)
        if len(entry) == 3 and (title is None or title in used or [id(one) for one in entries.get(title, [])] != [id(one) for one in entry]):
            m.refuse("DTYPE", "a title leads elsewhere")
        if title is not None:
            used.add(title)
        if not is_integer(entry[1], end, size - inner.itemsize):
            m.refuse("DTYPE", "fields overlap, or lie outside the record")
        fields.append((name, title, entry[1].value, inner))
        end = entry[1].value + inner.itemsize
        flags |= inner.flags & FROM_FIELDS
        levels = max(levels, inner.levels + 1)
    if used != set(entries):
        m.refuse("DTYPE", "names and fields differ")
    is_aligned = items[7].kind == "int" and items[7].value & ALIGNED != 0
    return Dtype(f"|V{size}", size, fields=tuple(fields), flags=flags | ALIGNED * is_aligned, is_aligned=is_aligned, is_record=is_record,
                 levels=levels, leaves=1 + sum(inner.leaves for _, _, _, inner in fields),
                 mask_size=sum(inner.mask_size for _, _, _, inner in fields), has_objects=any(inner.has_objects for _, _, _, inner in fields))


def state_array(m, node, state):
    """(1, shape, dtype, Fortran flag, data)."""
    items = state.items if state.kind == "tuple" else []
    if len(items) != 5:
        m.refuse("STATE", "an array has five parts")
    if items[2].kind == "stringdtype" and node.kind == "array":
        return state_strings(m, node, items)
    node.value = (True, *array_parts(m, node, items))
    return None


def array_parts(m, node, items):
    """Shape, type, order and data, checked against each other."""
    dims, made, order, data = as_shape(items[1]), built_dtype(items[2]), as_flag(items[3]), items[4]
    if not is_integer(items[0], 1, 1) or dims is None or made is None or order is None:
        m.refuse("STATE", "version, shape, dtype or order")
    if node.kind == "matrix" and len(dims) != 2:
        m.refuse("ARRAY", "a matrix has two dimensions")
    if made.has_objects:
        if data.kind != "list":
            m.refuse("STATE", "objects are a list")
        elements = list(data.items)
        m.charge(len(elements), 0)
        check_extent(m, dims, made, 8 * len(elements) if made.text == "|O" else made.itemsize * len(elements))
        if made.text != "|O":
            for element in elements:
                check_record(m, made, element)
        node.items = elements
        return dims, made, order, None
    content = as_bytes(data)
    if content is None:
        m.refuse("STATE", "elements are bytes")
    check_extent(m, dims, made, len(content))
    m.charge(0, len(content))
    check_points(m, made, content)
    return dims, made, order, content


def check_extent(m, dims, made, size):
    """Shape and bytes of an array; NPY-PKL-020."""
    if math.prod(max(one, 1) for one in dims) * max(made.itemsize, 1) > LARGEST:
        m.refuse("ARRAY", "more bytes than 2^63 - 1")
    if math.prod(dims) * made.itemsize != size or made.itemsize == 0 and math.prod(dims):
        m.refuse("ARRAY", "shape and data differ")


def check_points(m, made, content):
    """Code points of strings are at most U+10FFFF; NPY-PKL-020."""
    if not content:
        return
    for start, width, order in point_spans(made, 0):
        for at in range(0, len(content), made.itemsize):
            for point in struct.unpack_from(f"{order}{width}I", content, at + start):
                if point > 0x10FFFF:
                    m.refuse("ARRAY", "a code point above U+10FFFF")


def point_spans(made, at):
    """Where an element has code points: offset, how many, byte order."""
    if made.base is not None:
        for index in range(math.prod(made.shape)):
            yield from point_spans(made.base, at + index * made.base.itemsize)
    elif made.fields is not None:
        for _, _, offset, inner in made.fields:
            yield from point_spans(inner, at + offset)
    elif made.text[1] == "U" and made.itemsize:
        yield at, made.itemsize // 4, made.text[0]


def check_record(m, made, node):
    """A record with objects is a tuple with a value for each field; NPY-PKL-020."""
    if made.fields is not None:
        if node.kind != "tuple" or len(node.items) != len(made.fields):
            m.refuse("ARRAY", "a record is a tuple of its fields")
        for (_, _, _, inner), item in zip(made.fields, node.items):
            check_record(m, inner, item)
        return
    kind, size = made.text[1], made.itemsize
    is_good = kind == "O"
    if kind == "b":
        is_good = node.kind == "bool"
    elif kind in "iu":
        low = -(1 << 8 * size - 1) if kind == "i" else 0
        is_good = node.kind == "int" and low <= node.value < low + (1 << 8 * size)
    elif made.text[1:] in ("f2", "f4", "f8"):
        is_good = node.kind == "float" and is_exact(node.value, size)
    elif made.text[1:] in ("c8", "c16"):
        is_good = node.kind == "complex" and is_exact(node.value.real, size // 2) and is_exact(node.value.imag, size // 2)
    elif kind == "S":
        is_good = node.kind in ("bytes", "raw") and len(node.value) <= size
    elif kind == "U":
        is_good = as_text(node) is not None and len(as_text(node)) <= size // 4
    if not is_good:
        m.refuse("ARRAY", "a value that its field does not hold")


def is_exact(value, size):
    """Whether a float keeps its value in this many bytes."""
    letter = {2: "<e", 4: "<f", 8: "<d"}[size]
    try:
        return value != value or struct.unpack(letter, struct.pack(letter, value))[0] == value
    except OverflowError:
        return False


def state_strings(m, node, items):
    """An array of NumPy 2's StringDType: a list of strings and of what stands for a missing one."""
    dims, kind, data = as_shape(items[1]), items[2], items[4]
    if not is_integer(items[0], 1, 1) or dims is None or as_flag(items[3]) is None or data.kind != "list":
        m.refuse("STATE", "version, shape, order or data")
    m.charge(len(data.items), 0)
    check_extent(m, dims, Dtype("|O", 8), 8 * len(data.items))
    for item in data.items:
        is_missing = any(item.kind == one.kind and (one.kind != "float" or item.value != item.value) for one in kind.items)
        if as_text(item) is None and not is_missing:
            m.refuse("ARRAY", "no string")
    node.items = list(data.items)
    node.kind, node.value = "strings", (True, dims, (kind.value, tuple(one.value for one in kind.items)), as_flag(items[3]))


def state_masked(m, node, state):
    """The state of an array, bytes of the mask, and the fill value."""
    items = state.items if state.kind == "tuple" else []
    if len(items) != 7:
        m.refuse("STATE", "a masked array has seven parts")
    dims, made, order, content = array_parts(m, node, items[:5])
    mask, fill = as_bytes(items[5]), items[6]
    if mask is None or not (fill.kind == "none" or fill.kind == "array" and fill.value):
        m.refuse("STATE", "mask or fill value")
    if len(mask) != math.prod(dims) * made.mask_size or set(mask) - {0, 1}:
        m.refuse("ARRAY", "shape and mask differ")
    m.charge(made.leaves, len(mask))
    if fill.kind == "array" and fill.value[1] != ():
        m.refuse("ARRAY", "a fill value with dimensions")
    node.value = (True, dims, made, order, content, mask, fill)


def state_uuid(m, node, state):
    """{'int': a number of 128 bits}, and perhaps 'is_safe'."""
    if state.kind != "dict":
        m.refuse("STATE", "a UUID has a dictionary")
    values = {as_text(key): value for key, value in zip(state.items[::2], state.items[1::2])}
    if not {"int"} <= set(values) <= {"int", "is_safe"} or not is_integer(values["int"], 0, 2**128 - 1, MOST_UUID):
        m.refuse("STATE", "a UUID has one number")
    if "is_safe" in values and not is_integer(values["is_safe"], -1, 0):
        m.refuse("STATE", "is_safe is 0 or -1")
    state.is_taken = True
    node.value = values["int"].value


STATES = {"dtype": state_dtype, "array": state_array, "recarray": state_array, "matrix": state_array, "masked": state_masked,
          "UUID": state_uuid}
WITH_ARGUMENTS = {"dtype"}


# --- the result: NPY-PKL-018, 021 and 024 -----------------------------------------------------------------

INCOMPLETE = {"array", "recarray", "matrix", "masked", "UUID"}


def check_result(m, root):
    """Every value that the result reaches is a whole value of the set, no deeper than the limit."""
    seen = set()
    below = [(root, 0)]
    while below:
        node, depth = below.pop()
        m.at = node.at
        if node.kind == "raw":
            ascii_text(m, node, node.at)
        if node.kind == "bytearray":
            m.needs("plain")
        if node.kind in ("global", "stringdtype") or node.kind in INCOMPLETE and node.value is None or node.kind == "dtype" and node.value[0] is None:
            m.refuse("RESULT", f"a {node.kind} is no value", at=node.at)
        parts = list(node.items)
        if node.kind == "masked" and node.value[6].kind != "none":
            parts.append(node.value[6])
        if not parts or id(node) in seen:
            continue
        seen.add(id(node))
        if depth >= m.options.depth:
            m.refuse("TOO_DEEP", at=node.at)
        below += [(part, depth + 1) for part in reversed(parts)]


@dataclass
class Decoded:
    """What a payload says: the set that it fits, and its value."""

    fits: str
    root: Node


def decode(payload, base=0, options=None):
    """The value of a payload that begins at byte `base` of its file."""
    m = Machine(bytes(payload), base, options or Options())
    root = m.run()
    check_result(m, root)
    return Decoded(m.fits, root)


# --- a whole file ------------------------------------------------------------------------------------------

ARRAYS = ("array", "recarray", "matrix", "masked", "strings")


def read_file(data, options=None):
    """The decoded payload of an NPY file with objects, whose header keeps the rules of npy.md."""
    length = int.from_bytes(data[8:10], "little") if data[6] == 1 else int.from_bytes(data[8:12], "little")
    start = 10 if data[6] == 1 else 12
    header = ast.literal_eval(data[start:start + length].decode("utf-8" if data[6] == 3 else "latin-1"))
    base = start + length
    decoded = decode(data[base:], base, options)
    if not agrees(header, decoded.root):
        raise Refused("HEADER", base, "header and payload differ")
    return decoded


def agrees(header, root):
    """Whether a header states shape, order and type of an array; NPY-PKL-022."""
    if root.kind not in ARRAYS or root.value[1] != header["shape"] or root.value[3] != header["fortran_order"]:
        return False
    made = Dtype("|O", 8) if root.kind == "strings" else root.value[2]
    return from_descr(header["descr"]).layout == made.layout


def from_descr(descr):
    """The type that a header's descr means. Sizes only: the header has been checked."""
    if isinstance(descr, str):
        kind = descr.lstrip("<>|=")
        if kind[0] == "O":
            return Dtype("|O", 8, has_objects=True)
        has_order = kind[0] in "iufcmMU" and kind not in ("i1", "u1")
        unit = re.sub(r"\[1([A-Za-z])", r"[\1", kind)
        size = int(re.match(r"\d+", kind[1:])[0])
        return Dtype((descr[0] if has_order else "|") + unit, 4 * size if kind[0] == "U" else size)
    fields, at = [], 0
    for entry in descr:
        title, name = entry[0] if isinstance(entry[0], tuple) else (None, entry[0])
        inner = from_descr(entry[1])
        if len(entry) == 3 and entry[2] != ():
            shape = entry[2] if isinstance(entry[2], tuple) else (entry[2],)
            size = math.prod(shape) * inner.itemsize
            inner = Dtype(f"|V{size}", size, base=inner, shape=shape)
        if name != "" or inner.text[1] != "V" or inner.fields is not None:
            fields.append((name, title, at, inner))
        at += inner.itemsize
    return Dtype(f"|V{at}", at, fields=tuple(fields))


def main():
    """Prints what each file is."""
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            data = file.read()
        try:
            print(f"{path}: {read_file(data).fits}")
        except Refused as refusal:
            print(f"{path}: {refusal}")


if __name__ == "__main__":
    main()
