"""The whole decoder of the library, with the arrays, against objects.py: verdict and byte.

    python3 tests/oracle/whole.py LIBRARY [MUTANTS [SEED]]     # mutants of what picklers write and of the suite

snpy_object_data_open decodes and then checks dtypes, arrays and scalars; decode.py compares what comes before, node by node.
"""

import ctypes
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpus" / "objects"
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(FOLDER)]

import objects  # noqa: E402
import scan  # noqa: E402

ERROR_SIZE = 1 << 16    # more than a snpy_io_error has, which begins with a snpy_error


class Whole:
    """snpy_object_data_open of a shared library."""

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.library.snpy_object_data_open.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p),
                                                       ctypes.c_char_p]
        self.error = ctypes.create_string_buffer(ERROR_SIZE)

    def verdict(self, payload, allowed="plain"):
        """None, or status and byte."""
        data = ctypes.c_void_p()
        status = self.library.snpy_object_data_open(payload, len(payload), scan.SETS.index(allowed), data, self.error)
        self.library.snpy_object_data_close(ctypes.byref(data))
        error = scan.Error.from_buffer(self.error)
        return ("SNPY_PKL_" + scan.STATUSES[status], error.offset) if status != 0 else None


def fault(whole, payload, allowed="plain"):
    """What is wrong with what the library says of a payload; "" if nothing is."""
    try:
        objects.decode(payload, options=objects.Options(allowed=allowed))
        right = None
    except objects.Refused as refusal:
        right = (refusal.status, refusal.offset)
    got = whole.verdict(payload, allowed)
    return "" if got == right else f"{payload!r}: {got}, not {right}"


def with_arrays(payloads):
    """Payloads that make mutants with arrays and types of all kinds: of the suite, and short ones of picklers."""
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    names = [case["file"] for case in cases if any(rule in case["rules"] for rule in ("NPY-PKL-019", "NPY-PKL-020"))]
    some = [(FOLDER / name).read_bytes() for name in names]
    return [one[10 + int.from_bytes(one[8:10], "little"):] for one in some] + [one for one in payloads if len(one) < 900 and b"dtype" in one]


def main():
    import test_objects
    import written
    library, (mutants, seed) = sys.argv[1], [*map(int, sys.argv[2:4]), *(100_000, 1)[len(sys.argv) - 2:]]
    whole, dice = Whole(library), random.Random(seed)
    some = with_arrays([bytes.fromhex(record["hex"]) for record in written.read()])
    for number in range(mutants):
        said = fault(whole, test_objects.mutate(dice, dice.choice(some), some), dice.choice(["data", "plain"]))
        if said:
            sys.exit(f"mutant {number}: {said}")
    print(f"seed {seed}: {mutants} mutants: the two decoders agree")


if __name__ == "__main__":
    main()
