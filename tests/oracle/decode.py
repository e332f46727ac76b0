"""The decoder of the library against the one of this folder, node by node.

    python3 tests/oracle/decode.py LIBRARY [MUTANTS [SEED]]      # compares mutants of what picklers write

The library checks neither arguments, states nor keys. Tree is the machine of objects.py without these checks: a call is a node
that has what is called, the arguments and the state.
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
WITH_MEMBERS = {"set", "OrderedDict", "defaultdict"}    # calls whose value takes members
WITH_STATE = {"dtype", "_reconstruct", "_mareconstruct", "UUID", "_reconstructor"}


class Node(ctypes.Structure):
    """snpy_node."""

    _fields_ = [(name, ctypes.c_uint32 if name in ("at", "start", "size") else ctypes.c_int32) for name in FIELDS]


class Table(ctypes.Structure):
    """snpy_node_table."""

    _fields_ = [("nodes", ctypes.POINTER(Node)), *((name, ctypes.c_uint64) for name in ("capacity", "count", "top"))]


class Decoder:
    """snpy_decode_objects of a shared library."""

    def __init__(self, library):
        self.run = ctypes.CDLL(str(library)).snpy_decode_objects
        self.run.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(scan.Scan), ctypes.POINTER(Table),
                             ctypes.POINTER(scan.Error)]

    def decode(self, payload, capacity=None):
        """(nodes, top); raises objects.Refused. The table has one entry more than the payload has bytes, or `capacity`."""
        size = len(payload) + 1
        stack, memo = ((ctypes.c_uint32 * size)() for _ in range(2))
        nodes = (Node * size)()
        state = scan.Scan(stack, memo, size, size, 0, 0, 0, 0, 0)
        table, error = Table(nodes, size if capacity is None else capacity, 0, 0), scan.Error()
        if self.run(payload, len(payload), state, table, error) != 0:
            raise objects.Refused(scan.STATUSES[error.status], error.offset)
        return nodes[:table.count], table.top


class Tree(objects.Machine):
    """A machine that checks neither arguments, states nor keys, and counts what the library has nodes for."""

    def __init__(self, data):
        super().__init__(data, 0, objects.Options())
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
        return self.node(called.value if called.value in WITH_MEMBERS else "call", [called, args, None])

    make_uuid = call

    def give_state(self, node, state):
        if not isinstance(node.value, list) or node.value[0].value not in WITH_STATE or node.value[2] is not None:
            self.refuse("STATE")
        node.value[2] = state

    def add_key(self, node, key):
        pass


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


def same(left, right):
    """Whether two values are one: the zeros differ, and each NaN is the other."""
    if isinstance(left, float) and isinstance(right, float) and not math.isnan(left):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right or left != left and right != right


def differences(payload, nodes, top, root):
    """What is wrong with a table whose result is the tree `root`: a node in it is one node of the tree."""
    index_of, left = {}, [(top, root)]
    taken = set()
    while left:
        index, right = left.pop()
        node = nodes[index]
        if KINDS[node.kind] == "ref":
            index, node = node.target, nodes[node.target]
        if (id(right) in index_of) != (index in taken) or index_of.get(id(right), index) != index:
            return f"{index} is another node than at byte {right.at}"
        if index in taken:
            continue
        index_of[id(right)] = index
        taken.add(index)
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
            called, args, state = right.value
            left += [(node.target, called), (node.args, args)]
            if bool(node.state) != (state is not None):
                return f"node {index}: its state"
            if state is not None:
                left.append((node.state, state))
        found = members(nodes, node)
        if len(found) != len(right.items):
            return f"node {index}: {len(found)} members, not {len(right.items)}"
        left += zip(found, right.items)
    return ""


def fault(decoder, payload):
    """What is wrong with what the decoder says of a payload; "" if nothing is."""
    tree = Tree(payload)
    try:
        root = tree.run()
    except objects.Refused as refusal:
        root = refusal
    try:
        nodes, top = decoder.decode(payload)
    except objects.Refused as refusal:
        if not isinstance(root, objects.Refused):
            return f"{payload!r}: {refusal}"
        return "" if (refusal.status, refusal.offset) == (root.status, root.offset) else f"{payload!r}: {refusal}, not {root}"
    if isinstance(root, objects.Refused):
        return f"{payload!r}: accepted, but {root}"
    if len(nodes) != tree.count + tree.others:
        return f"{payload!r}: {len(nodes)} nodes, not {tree.count + tree.others}"
    said = differences(payload, nodes, top, root)
    return said and f"{payload!r}: {said}"


def main():
    """Compares mutants of what picklers write."""
    import test_objects
    import written
    library, mutants, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    decoder, dice = Decoder(library), random.Random(seed)
    small = [payload for payload in (bytes.fromhex(record["hex"]) for record in written.read()) if len(payload) < 600]
    for number in range(mutants):
        said = fault(decoder, test_objects.mutate(dice, dice.choice(small), small))
        if said:
            sys.exit(f"mutant {number}: {said}")
    print(f"{mutants} mutants: the two decoders agree")


if __name__ == "__main__":
    main()
