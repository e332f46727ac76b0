"""The scanner of the library against the decoder of this folder, on payloads of any kind.

    python3 tests/oracle/scan.py LIBRARY [MUTANTS [SEED]]        # compares mutants of what picklers write

Verdicts: the scanner checks the machine (NPY-PKL-002 to 011 and 025) and knows globals, but neither calls nor values. What
it refuses, the decoder refuses at the same byte with the same status, unless it has found something before.
"""

import ctypes
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]

import objects  # noqa: E402

MACHINE = {"TRUNCATED", "OPCODE", "PROTOCOL", "FRAME", "TRAILING", "STACK", "MEMO", "NUMBER", "TEXT", "GLOBAL", "INTEGER_TOO_LONG"}
AT_END = {"RESULT", "TOO_DEEP"}         # found after STOP
STATUSES = {int(number): name for name, number in
            re.findall(r"SNPY_STATUS\(SNPY_PKL_(\w+), (\d+),", (ROOT / "include/safenpy/statuses.h").read_text(encoding="utf-8"))}
SETS = ("data", "plain", "other")
HEADER = (ROOT / "include/safenpy/object.h").read_text(encoding="utf-8")


def plain_name(name):
    """As objects.py and safenpy/object.h have it alike."""
    return name.lower().replace("_", "")


def constants(prefix):
    """{number: plain name} of an enumeration of safenpy/object.h."""
    return {int(number): plain_name(name) for name, number in re.findall(rf"\b{prefix}(\w+) = (\d+)", HEADER) if name != "LAST_OF_DATA"}


ROLES = constants("SNPY_ROLE_")


class Opcode(ctypes.Structure):
    """snpy_opcode."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("code", "at", "argument", "argument_size", "next", "number", "source", "set",
                                                     "role", "module", "module_size", "name", "name_size")]


class Scan(ctypes.Structure):
    """snpy_object_scan."""

    _fields_ = [("stack", ctypes.POINTER(ctypes.c_uint32)), ("memo", ctypes.POINTER(ctypes.c_uint32)),
                *((name, ctypes.c_uint64) for name in ("stack_capacity", "memo_capacity", "position", "depth", "kept", "frame_end", "protocol"))]


class Error(ctypes.Structure):
    """snpy_error."""

    _fields_ = [("status", ctypes.c_int), ("offset", ctypes.c_uint64)]


class Scanner:
    """snpy_scan_opcode of a shared library."""

    def __init__(self, library):
        self.step = ctypes.CDLL(str(library)).snpy_scan_opcode
        self.step.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Scan), ctypes.POINTER(Opcode), ctypes.POINTER(Error)]

    def opcodes(self, payload, entries=None):
        """Every opcode up to STOP, each as it was found; raises objects.Refused. The tables begin with so many entries."""
        size = max(1, len(payload) if entries is None else entries)
        stack, memo = ((ctypes.c_uint32 * size)() for _ in range(2))
        scan = Scan(stack, memo, size, size, 0, 0, 0, 0, 0)
        opcode, error = Opcode(), Error()
        while True:
            if self.step(payload, len(payload), scan, opcode, error) != 0:
                if STATUSES[error.status] != "TOO_MANY_NODES" or size > len(payload):
                    raise objects.Refused(STATUSES[error.status], error.offset)
                size *= 2
                stack, memo = ((ctypes.c_uint32 * size)(*table) for table in (stack, memo))
                scan.stack, scan.memo, scan.stack_capacity, scan.memo_capacity = stack, memo, size, size
                continue
            yield opcode
            if opcode.code == ord("."):
                return

    def roles(self, payload):
        """What each global of a payload is."""
        return [ROLES[opcode.role] for opcode in self.opcodes(payload) if opcode.code in b"c\x93"]

    def verdict(self, payload, entries=None):
        """(the set that fits, None) or (None, (status, byte)); a global that is in no set is refused as the decoder does."""
        fits = 0
        try:
            for opcode in self.opcodes(payload, entries):
                if opcode.set == SETS.index("other"):
                    return None, ("SNPY_PKL_GLOBAL", opcode.at)
                fits = max(fits, opcode.set)
        except objects.Refused as refusal:
            return None, (refusal.status, refusal.offset)
        return SETS[fits], None


def fault(scanner, payload):
    """What is wrong with the scanner's verdict on a payload; "" if nothing is."""
    fits, refused = scanner.verdict(payload)
    try:
        decoded = objects.decode(payload)
    except objects.Refused as refusal:
        status = refusal.status.removeprefix("SNPY_PKL_")
        if status in MACHINE:
            right = refused == (refusal.status, refusal.offset)
        elif status in AT_END:
            right = refused is None
        else:
            right = refused is None or refused[1] > refusal.offset
        return "" if right else f"{payload!r}: {refusal}, but the scanner says {fits or refused}"
    # A byte array may be the bytes of an array, which the scanner does not see.
    right = fits == decoded.fits or fits == "plain" and b"\x96" in payload
    return "" if right else f"{payload!r}: {decoded.fits}, but the scanner says {fits or refused}"


def main():
    """Compares mutants of what picklers write."""
    import test_objects
    import written
    library, mutants, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    scanner, dice = Scanner(library), random.Random(seed)
    small = [payload for payload in (bytes.fromhex(record["hex"]) for record in written.read()) if len(payload) < 600]
    for number in range(mutants):
        said = fault(scanner, test_objects.mutate(dice, dice.choice(small), small))
        if said:
            sys.exit(f"mutant {number}: {said}")
    print(f"{mutants} mutants: the scanner and the decoder agree")


if __name__ == "__main__":
    main()
