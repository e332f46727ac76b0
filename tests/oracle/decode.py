"""The decoder of the library against the one of this folder, node by node.

    python3 tests/oracle/decode.py LIBRARY [MUTANTS [SEED [TREES]]]   # compares mutants of what picklers write, and random values

The core checks arguments, states and keys, but neither dtypes with fields or a shape, nor whether shapes match the bytes: whole.py
compares those. Tree is the machine of objects.py that checks as much: a call is a node that has what is called, the arguments, the
state, and what it took from a list.
"""

import ctypes
import math
import random
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]

import objects  # noqa: E402
import scan  # noqa: E402

FIELDS = ("kind", "at", "start", "size", "first", "last", "next", "below", "target", "args", "state", "role")
KINDS = scan.constants("SNPY_NODE_")
IN_FORCE = scan.MACHINE | {"CALL", "STATE", "CONTAINER", "KEY", "DUPLICATE_KEY", "RAW_STRING", "RESULT", "TOO_DEEP"}     # wholly
LOOKS = 10**6
BYTES = 2**40
WITH_MEMBERS = {"set", "OrderedDict", "defaultdict"}    # calls whose value takes members
WITH_STATE = {"dtype", "_reconstruct", "_mareconstruct", "UUID", "_reconstructor"}

# The kinds of arguments by role, from the table of globals in spec/objects.md; what stands after `?` may be absent.
PATH = "text*"
FORMS = {
    "dtype": ["text|record flag flag"], "_reconstruct": ["ndarray|recarray|matrix tuple data"], "scalar": ["dtype data"],
    "_frombuffer": ["bytes|bytearray dtype tuple text"], "encode": ["str text"], "bytes": [""], "complex": ["float float"],
    "bytearray": ["", "bytes", "str text"], "set": ["list"], "frozenset": ["list"], "slice": ["none|int none|int none|int"],
    "range": ["int int int"], "_mareconstruct": ["MaskedArray ndarray tuple text"], "stringdtype": ["flag", "flag none|str|float"],
    "date": ["data"], "datetime": ["data", "data timezone"], "time": ["data", "data timezone"], "timedelta": ["int int int"],
    "timezone": ["timedelta", "timedelta str"], "Decimal": ["text"], "Fraction": ["text", "int int"],
    "_reconstructor": ["UUID object none"], "OrderedDict": ["", "list"], "defaultdict": ["", "factory"], "struct_time": ["tuple dict"],
    **{name: [PATH] for name in objects.PATHS},
}
# The kinds of the parts of a state. The parts of a dtype may be anything here.
STATES = {
    "dtype": ["int any any any any any any any", "int any any any any any any any any"],
    "_reconstruct": ["int tuple dtype flag data|list", "int tuple stringdtype flag list"],
    "_mareconstruct": ["int tuple dtype flag data|list data none|array"],
}
WORDS = {"text": {"str", "raw"}, "data": {"bytes", "raw"}, "flag": {"bool", "int"}, "factory": {"class " + name for name in objects.FACTORIES}}
WORDS |= {name: {"class " + name} for name in ("record", "ndarray", "recarray", "matrix", "MaskedArray", "UUID", "object")}
LISTS = {"set": 0, "frozenset": 0, "OrderedDict": 0, "_reconstruct": 4, "_mareconstruct": 4}     # which argument or part
LISTS_BY_PLAIN_NAME = {scan.plain_name(name): place for name, place in LISTS.items()}
VALUES = {"stringdtype": "stringdtype", "_frombuffer": "array", "encode": "bytes", "bytes": "bytes", "bytearray": "bytearray", "timedelta": "timedelta", "timezone": "timezone"}


def sort_of(node):
    """What an argument is: its kind, what a call made, or a class."""
    if node.kind == "global":
        return "class " + node.value
    called = node.value[0].value if isinstance(node.value, list) else None
    if called == "dtype":
        return "dtype" if node.value[2] is not None else "dtype without state"
    if called == "_reconstruct":
        return "array" if node.value[2] is not None else "array without state"
    return VALUES.get(called, "other") if called else node.kind


def has_form(form, args):
    """Whether arguments are of the kinds of a form."""
    words = ["text"] * len(args) if form == PATH else form.split()
    kinds = [set().union(*(WORDS.get(one, {one}) for one in word.split("|"))) for word in words]
    return len(kinds) == len(args) and all("any" in kind or sort_of(arg) in kind for arg, kind in zip(args, kinds))


class Node(ctypes.Structure):
    """snpy_node."""

    _fields_ = [(name, ctypes.c_uint32 if name in ("at", "start", "size") else ctypes.c_int32) for name in FIELDS]


class Table(ctypes.Structure):
    """snpy_node_table."""

    _fields_ = [("nodes", ctypes.POINTER(Node)), *((name, ctypes.c_uint64) for name in ("capacity", "looks", "bytes", "count", "top"))]


class Key(ctypes.Structure):
    """snpy_object_key."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("entry", "container", "hash")]


class Keys(ctypes.Structure):
    """snpy_object_keys."""

    _fields_ = [("slots", ctypes.POINTER(Key)), *((name, ctypes.c_uint64) for name in ("capacity", "count", "seed"))]


class Decoder:
    """snpy_decode_objects of a shared library."""

    def __init__(self, library):
        self.run = ctypes.CDLL(str(library)).snpy_decode_objects
        self.run.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.POINTER(scan.Scan), ctypes.POINTER(Table),
                             ctypes.POINTER(Keys), ctypes.POINTER(scan.Error)]
        self.looks = self.bytes = self.keys = 0     # of the last payload

    def decode(self, payload, capacity=None, allowed="plain", looks=LOOKS, size_of_all=BYTES, slots=None, seed=None):
        """(nodes, top); raises objects.Refused. The table has one entry more than the payload has bytes, or `capacity`."""
        size = len(payload) + 1
        stack, memo = ((ctypes.c_uint32 * size)() for _ in range(2))
        nodes = (Node * size)()
        state = scan.Scan(stack, memo, size, size, 0, 0, 0, 0, 0)
        slots = 8 * size + 64 if slots is None else slots
        keys = Keys((Key * slots)(), slots, 0, hash(payload) % 2**64 if seed is None else seed)
        table, error = Table(nodes, size if capacity is None else capacity, looks, size_of_all, 0, 0), scan.Error()
        status = self.run(payload, len(payload), scan.SETS.index(allowed), state, table, keys, error)
        self.looks, self.bytes, self.keys = looks - table.looks, size_of_all - table.bytes, keys.count
        if status != 0:
            raise objects.Refused(scan.STATUSES[error.status], error.offset)
        return nodes[:table.count], table.top


class Meaning(objects.Machine):
    """What calls of a tree make, without types and limits."""

    def __init__(self, tree):
        super().__init__(b"", 0, objects.Options())
        self.at, self.tree = tree.at, tree

    def charge(self, nodes, size):
        pass

    def add_key(self, node, key):
        self.tree.add_key(node, key)


def says(tree, called, args):
    """What a call makes of arguments of the right kinds; None if they do not say what it takes. Types are not known yet."""
    at, args = tree.at, [arg.meaning or arg for arg in args]
    if called == "scalar":
        made = objects.Dtype(args[0].value[4] + args[0].value[1], objects.FIXED.get(args[0].value[1], 0))
        return objects.Node("scalar", at, (made, objects.as_bytes(args[1]))) if args[0].value[3] else None
    if called == "_frombuffer":
        is_good = args[1].value[3] and objects.as_shape(args[2]) is not None and objects.as_text(args[3]) in ("C", "F")
        return objects.Node("array", at) if is_good else None
    return objects.CALLS[called](Meaning(tree), *args)


def has_objects(state):
    """Whether the state of a dtype has the flag of objects."""
    return objects.is_integer(state.items[7]) and state.items[7].value % 2 == 1


def is_dtype_state(args, state):
    """Version and number of parts."""
    kind = (objects.as_text(args.items[0]) or "V")[0]
    parts = 9 if kind in "mM" else 8
    return len(state.items) == parts and objects.is_integer(state.items[0], parts - 5, parts - 5)


def check_dtype(tree, made, state):
    """The numbers of a dtype without fields and shape."""
    text, is_record = made.value[1:3]
    is_simple = all(item.kind == "none" for item in state.items[2:5])
    if is_record or text[0] == "V" and not is_simple:
        if is_simple:
            tree.refuse("DTYPE")
        return
    items = [item.meaning or item for item in state.items]
    if len(items) == 9 and items[8].kind == "tuple":
        items[8] = seen(items[8])
    objects.state_dtype(Meaning(tree), objects.Node("dtype", tree.at, made.value), objects.Node("tuple", tree.at, None, items))


def seen(node):
    """The parts of a unit of time by what they mean."""
    return objects.Node("tuple", node.at, None, [seen(item) if item.kind == "tuple" else item.meaning or item for item in node.items])


def is_array_state(args, state):
    """Version, shape, type, order, and in what the elements are."""
    version, shape, dtype, order, data = state.items[:5]
    if not objects.is_integer(version, 1, 1) or objects.as_shape(shape) is None or objects.as_flag(order) is None:
        return False
    if dtype.value[0].value == "stringdtype":
        return args.items[0].value == "ndarray"
    return dtype.value[2].items[2].kind != "tuple" and (data.kind == "list") == has_objects(dtype.value[2])


def is_masked_state(args, state):
    """As an array, with a mask and a fill value."""
    fill = state.items[6]
    if fill.kind == "call" and fill.value[0].value == "_reconstruct":
        is_array = fill.value[1].items[0].value == "ndarray" and fill.value[2].items[2].value[0].value == "dtype"
        return is_array and is_array_state(args, state)
    return is_array_state(args, state)


def is_uuid_state(_args, state):
    """The number, and perhaps whether it is safe."""
    values = [(objects.as_text(key), value) for key, value in zip(state.items[::2], state.items[1::2])]
    bounds = {"int": (0, 2**128 - 1, objects.MOST_UUID), "is_safe": (-1, 0)}
    is_good = all(key in bounds and objects.is_integer(value, *bounds[key]) for key, value in values)
    return is_good and len(values) <= 2 and "int" in [key for key, _ in values]


SAY = {"dtype": is_dtype_state, "_reconstruct": is_array_state, "_mareconstruct": is_masked_state}


class Tree(objects.Machine):
    """A machine that checks arguments, keys and states without types, and counts what the library has nodes for."""

    def __init__(self, data, allowed="plain"):
        super().__init__(data, 0, objects.Options(allowed))
        self.looks = 0
        self.others = 1                     # the mark below the stack; marks and references

    @property
    def opcodes(self):
        def counted(action):
            def count(m):
                m.others += 1
                action(m)
            return count
        return {code: counted(action) if code in b"(ghj" else action for code, action in objects.OPCODES.items()}

    def call(self, called, args):
        self.looks += len(args.items)
        if not any(has_form(form, args.items) for form in FORMS.get(called.value, ())):
            self.refuse("CALL")
        meaning = says(self, called.value, args.items)
        if meaning is None:
            self.refuse("CALL")
        node = self.make_uuid(called, args)
        node.meaning = meaning
        if called.value not in WITH_STATE:
            self.take_list(node, args)
        return node

    def make_uuid(self, called, args):
        node = self.node(called.value if called.value in WITH_MEMBERS else "call", [called, args, None, []])
        node.meaning = objects.Node(called.value, self.at)
        return node

    def take_list(self, node, parts):
        """What a call or state takes from a list stays as it is now."""
        place = LISTS.get(node.value[0].value)
        if place is not None and len(parts.items) > place and parts.items[place].kind == "list":
            node.value[3] = list(parts.items[place].items)
            self.looks += len(node.value[3])

    def give_state(self, node, state):
        if not isinstance(node.value, list) or node.value[0].value not in WITH_STATE or node.value[2] is not None:
            self.refuse("STATE")
        forms = STATES.get(node.value[0].value)
        if state.kind != ("tuple" if forms else "dict") or forms and not any(has_form(form, state.items) for form in forms):
            self.refuse("STATE")
        if not SAY.get(node.value[0].value, is_uuid_state)(node.value[1], state):
            self.refuse("STATE")
        node.value[2] = state
        if node.meaning.kind == "dtype":        # whether bytes may be its elements
            check_dtype(self, node.meaning, state)
            node.meaning.value = (*node.meaning.value, state.items[2].kind != "tuple" and not has_objects(state),
                                  (objects.as_text(state.items[1]) or "|")[:1])
        if not forms:
            state.is_taken = True
            node.meaning.value = next(part.value for key, part in zip(state.items[::2], state.items[1::2]) if objects.as_text(key) == "int")
        node.meaning.value = "a state" if node.meaning.value is None else node.meaning.value
        if forms:
            self.take_list(node, state)

    def check_result(self, root):
        """Each value that the result reaches, before its members: NPY-PKL-012, 018, 021 and 024."""
        seen, below = set(), [(root, 0)]
        while below:
            node, depth = below.pop()
            self.at = node.at
            called, _, state, taken = node.value if isinstance(node.value, list) else (None, None, None, [])
            if node.kind == "raw":
                objects.ascii_text(self, node, node.at)
            if node.kind == "bytearray":
                self.needs("plain")
            if node.kind == "global" or called and (called.value == "stringdtype" or called.value in WITH_STATE and state is None):
                self.refuse("RESULT")
            parts = taken + node.items
            if called and called.value == "_mareconstruct" and state.items[6].kind != "none":
                parts = taken + [state.items[6]]
            if not parts or id(node) in seen:
                continue
            seen.add(id(node))
            if depth >= self.options.depth:
                self.refuse("TOO_DEEP")
            below += [(part, depth + 1) for part in reversed(parts)]

    def look(self, count):
        self.looks += count

    def scalar_form(self, dtype, data):
        """As of objects.py, of bytes that may be too many or too few."""
        if dtype.text[1:] in ("S0", "U0"):
            data = b""
        if dtype.text[1] == "U":
            data = data.ljust(-(-len(data) // 4) * 4, b"\0")
            points = struct.unpack(("<" if dtype.text[0] == "|" else dtype.text[0]) + f"{len(data) // 4}I", data)
            if any(point > 0x10FFFF for point in points):
                return ("str", bytes(data).rstrip(b"\0"))
        elif dtype.itemsize:
            data = data[:dtype.itemsize].ljust(dtype.itemsize, b"\0")
        return objects.scalar_form(dtype, data)

    def add_key(self, node, key):
        """What a key may be, and which it may not be again."""
        keys = (node.meaning or node).__dict__.setdefault("keys", set())
        form = objects.key_form(self, key)
        if form in keys:
            self.refuse("DUPLICATE_KEY")
        keys.add(form)


def leaf(payload, node):
    """The value of a leaf, as its bytes are written."""
    code, text = payload[node.at:node.at + 1], payload[node.start:node.start + node.size]
    kind = KINDS[node.kind]
    if kind == "int":
        if code in b"IL":
            return int(text.rstrip(b"L"))
        return int.from_bytes(text, "little", signed=code not in b"KM")
    if kind == "float":
        return struct.unpack(">d", text)[0] if code == b"G" else float(text)
    if kind == "str":
        return text.decode("raw-unicode-escape") if code == b"V" else text.decode("utf-8", "surrogatepass")
    if kind == "raw" and code == b"S":
        return text[1:-1].decode("unicode-escape").encode("latin-1")
    return text


def members(nodes, node):
    """The indices of the members, from the first to the last."""
    found, at = [], node.first
    while at:
        found.append(at)
        if len(found) > len(nodes):
            return ["a cycle"]
        at = nodes[at].next
    return found if found[-1:] == [node.last] or not found and not node.last else ["another last one"]


def taken_members(nodes, index):
    """The indices of the members that a call or state took from a list, which end with `size`."""
    node = nodes[index]
    place = LISTS_BY_PLAIN_NAME.get(scan.ROLES[node.role])
    parts = members(nodes, nodes[node.state if place == 4 else node.args])
    if place is None or node.size == 0 or len(parts) <= place:
        return []
    listed = nodes[parts[place]]
    at, found = (nodes[listed.target] if KINDS[listed.kind] == "ref" else listed).first, []
    while at and len(found) < len(nodes):
        found.append(at)
        if at == node.size:
            break
        at = nodes[at].next
    return found


def same(left, right):
    """Whether two values are one: the zeros differ, and each NaN is the other."""
    if isinstance(left, float) and isinstance(right, float) and not math.isnan(left):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right or left != left and right != right


def differences(payload, nodes, top, root):
    """What is wrong with a table whose result is the tree `root`: a node in it is one node of the tree."""
    index_of, left = {}, [(top, root)]
    done = set()
    while left:
        index, right = left.pop()
        node = nodes[index]
        if KINDS[node.kind] == "ref":
            index, node = node.target, nodes[node.target]
        if (id(right) in index_of) != (index in done) or index_of.get(id(right), index) != index:
            return f"{index} is another node than at byte {right.at}"
        if index in done:
            continue
        index_of[id(right)] = index
        done.add(index)
        kind = KINDS[node.kind]
        expected = "call" if right.kind in WITH_MEMBERS and isinstance(right.value, list) else right.kind
        expected = str(right.value).lower() if expected == "bool" else expected
        if (kind, node.at) != (expected, right.at):
            return f"node {index}: {kind} of byte {node.at}, not {expected} of byte {right.at}"
        if kind in ("int", "float", "str", "raw", "bytes", "bytearray") and not same(leaf(payload, node), right.value):
            return f"node {index}: {leaf(payload, node)!r}, not {right.value!r}"
        role = right.value if kind == "global" else right.value[0].value if kind == "call" else "none"
        if scan.ROLES[node.role] != scan.plain_name(role):
            return f"node {index}: {scan.ROLES[node.role]}, not {role}"
        if kind == "call":
            called, args, state, taken = right.value
            left += [(node.target, called), (node.args, args)]
            if bool(node.state) != (state is not None):
                return f"node {index}: its state"
            if state is not None:
                left.append((node.state, state))
            listed = taken_members(nodes, index)
            if len(listed) != len(taken):
                return f"node {index}: {len(listed)} members of a list, not {len(taken)}"
            left += zip(listed, taken)
        found = members(nodes, node)
        if len(found) != len(right.items):
            return f"node {index}: {len(found)} members, not {len(right.items)}"
        left += zip(found, right.items)
    return ""


def fault(decoder, payload, allowed="plain"):
    """What is wrong with what the decoder says of a payload; "" if nothing is."""
    tree = Tree(payload, allowed)
    try:
        root = tree.run()
        tree.check_result(root)
    except objects.Refused as refusal:
        root = refusal
    try:
        nodes, top = decoder.decode(payload, allowed=allowed)
    except objects.Refused as refusal:
        if not isinstance(root, objects.Refused):
            return f"{payload!r}: {refusal}"
        return "" if (refusal.status, refusal.offset) == (root.status, root.offset) else f"{payload!r}: {refusal}, not {root}"
    if isinstance(root, objects.Refused):
        return f"{payload!r}: accepted, but {root}"
    if len(nodes) != tree.count + tree.others:
        return f"{payload!r}: {len(nodes)} nodes, not {tree.count + tree.others}"
    if not tree.looks <= decoder.looks <= tree.looks + decoder.keys:     # those at slots that are taken
        return f"{payload!r}: {decoder.looks} looks, not {tree.looks}"
    said = differences(payload, nodes, top, root)
    return said and f"{payload!r}: {said}"


def main():
    """Compares mutants of what picklers write, and random values under every protocol."""
    import compare
    import pickle
    import test_objects
    import written
    library, (mutants, seed, trees) = sys.argv[1], [*map(int, sys.argv[2:5]), *(100_000, 1, 0)[len(sys.argv) - 2:]]
    decoder, dice = Decoder(library), random.Random(seed)
    small = [payload for payload in (bytes.fromhex(record["hex"]) for record in written.read()) if len(payload) < 600]
    for number in range(mutants):
        said = fault(decoder, test_objects.mutate(dice, dice.choice(small), small), dice.choice(["data", "plain"]))
        if said:
            sys.exit(f"mutant {number}: {said}")
    for number in range(trees):
        value = test_objects.random_value(dice, 5, [])
        for protocol in range(6):
            said = fault(decoder, dice.choice([pickle.dumps, compare.python_dumps])(value, protocol))
            if said:
                sys.exit(f"tree {number}, protocol {protocol}: {said}")
    print(f"seed {seed}: {mutants} mutants and {trees} values under 6 protocols: the two decoders agree")


if __name__ == "__main__":
    main()
