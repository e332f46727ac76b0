"""Writes payloads again by the library, through ctypes: decoded with the set plain, written in the one form.

    PYTHON tests/oracle/rewrite.py COUNT [LIBRARY]    # random trees of this Python and NumPy, and the payloads of the corpus

Each is loaded by Python's own unpickler, which must not be asked for a global that is not listed, and compared.
"""

import collections
import ctypes
import datetime
import decimal
import fractions
import io
import pickle
import random
import sys
import uuid
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "gcc" / "libsafenpy.so"
HAS_NUMPY_2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]


class Form(ctypes.Structure):
    _fields_ = [("protocol", ctypes.c_uint32), ("is_numpy_2", ctypes.c_bool)]


class Error(ctypes.Structure):
    """The beginning of snpy_io_error."""
    _fields_ = [("status", ctypes.c_int), ("offset", ctypes.c_uint64), ("rest", ctypes.c_uint8 * 8192)]


class Writer:
    """The library's snpy_object_data_open and snpy_object_data_write."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.snpy_status_name.restype = ctypes.c_char_p

    def rewrite(self, payload, protocol=4, is_numpy_2=False):
        """The bytes that are written; the name of the status if there are none."""
        data, written, size, error = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_uint8)(), ctypes.c_size_t(), Error()
        status = self.library.snpy_object_data_open(payload, ctypes.c_size_t(len(payload)), 1, ctypes.byref(data), ctypes.byref(error))
        if status == 0:
            form = Form(protocol, is_numpy_2)
            status = self.library.snpy_object_data_write(data, ctypes.byref(form), ctypes.byref(written), ctypes.byref(size), ctypes.byref(error))
        found = ctypes.string_at(written, size.value) if status == 0 else self.library.snpy_status_name(status).decode()
        self.library.snpy_object_data_close(ctypes.byref(data))
        self.library.snpy_object_bytes_free(ctypes.byref(written))
        return found


class Strict(pickle.Unpickler):
    """The unpickler of Python, in C: refuses a global that is not listed."""

    def __init__(self, stream, listed):
        super().__init__(stream, encoding="latin1")
        self.listed, self.asked = listed, 0

    def find_class(self, module, name):
        if (module, name) not in self.listed:
            raise AssertionError(f"{module} {name} is asked for, and not listed")
        self.asked += 1
        return super().find_class(module, name)


def rich_values():
    """A value of each kind beyond those of random_value."""
    masked = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0], fill_value=9.5)
    record = np.array([(1, "a"), (2, "bc")], [("n", ">i4"), ("s", "U2")])
    values = [
        datetime.date(2024, 2, 29), datetime.datetime(1, 1, 1, 2, 3, 4, 5), datetime.datetime(2020, 1, 1, fold=1, tzinfo=datetime.timezone.utc),
        datetime.time(1, 2, 3, 4), datetime.timedelta(-1, 2, 3), datetime.timezone(datetime.timedelta(hours=1), "x"), decimal.Decimal("1.50"),
        fractions.Fraction(1, 3), uuid.UUID(int=5), collections.OrderedDict(a=1, b=[2]), collections.defaultdict(list, {1: [2]}),
        slice(1, None, 2), range(1, 9, 3), frozenset([1, "a"]), bytearray(b"ab"), bytearray(), masked, record, record[0], record.view(np.recarray),
        np.float32(1.5), np.int64(-1), np.datetime64("2020-01-01", "D"), np.timedelta64(5, "ms"), np.str_("a"), np.bytes_(b"b"), np.bool_(True),
        np.dtype(">i4"), np.dtype([("a", "i4"), ("b", "f8", (2, 3))]), np.dtype("M8[us]"), np.array(["2020-01-01"], "M8[D]"),
        np.array([1 + 2j], "<c8"), np.asfortranarray([[1, 2], [3, 4]]), np.zeros((0, 3)), np.array([[1, "a"], [None, {}]], object),
        np.float64("nan"), 10**400, -(2**64), "x" * 300, b"y" * 300]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values.append(np.matrix([[1, 2]]))
    if hasattr(getattr(np, "dtypes", None), "StringDType"):
        values.append(np.array(["a", "long text " * 5], np.dtypes.StringDType()))
    return values


class Check:
    """Payloads that are written again and loaded here."""

    def __init__(self, library=LIBRARY):
        import compare
        import objects
        import test_objects
        self.compare, self.objects, self.random_value = compare, objects, test_objects.random_value
        self.writer, self.listed, self.rich = Writer(library), set(objects.GLOBALS), rich_values()
        self.loaded = self.trees = self.asked = 0  # payloads, those of trees, and globals

    def fault(self, payload, protocol, is_numpy_2=False):
        """What is wrong with a payload that is written again; "" if nothing is."""
        new = self.writer.rewrite(payload, protocol, is_numpy_2)
        if isinstance(new, str):
            return new
        if not self.compare.can_load(new):
            return ""
        strict = Strict(io.BytesIO(new), self.listed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = strict.load()
        except Exception as error:  # noqa: BLE001: whatever it raises, it should have loaded
            return "" if not HAS_NUMPY_2 and "flags variable (overflow)" in str(error) else repr(error)
        comparison = self.compare.Comparison()
        comparison.walk(self.objects.decode(payload).root, value)
        self.loaded, self.asked = self.loaded + 1, self.asked + strict.asked
        return "; ".join(map(str, comparison.faults))

    def tree(self, dice):
        """A random tree, and its payload under some protocol."""
        box = np.empty((), object)
        box[()] = self.random_value(dice, 5, [dice.choice(self.rich) for _ in range(4)])
        return dice.choice([pickle.dumps, self.compare.python_dumps])(box, dice.randrange(6))

    def faults(self, trees, step, seed=5):
        """Those of random trees, and of each so many payload of the corpus."""
        import written
        dice = random.Random(seed)
        payloads = [bytes.fromhex(record["hex"]) for record in written.read()[::step]]
        payloads += [payload for value in self.rich for payload in (pickle.dumps(value, protocol) for protocol in range(6))]
        found = []
        for number in range(trees + len(payloads)):
            payload = self.tree(dice) if number < trees else payloads[number - trees]
            fault = self.fault(payload, dice.randrange(2, 6), HAS_NUMPY_2 and dice.random() < 0.5)
            if fault:
                found.append((payload.hex(), fault))
            if number < trees:
                self.trees = self.loaded
        return found


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    trees = int(sys.argv[1])
    check = Check(*sys.argv[2:])
    faults = check.faults(trees, 1 if trees >= 20_000 else 20)
    for payload, fault in faults[:10]:
        print(fault, payload[:400], sep="\n  ")
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}: {check.loaded} loaded, {check.trees} of them trees, "
          f"{check.asked} globals asked for, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
