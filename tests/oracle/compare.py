"""Compares what the oracle decoded with what Python and NumPy load: types, values, bits, and which containers are shared.

    python3 tests/oracle/compare.py      # every payload of corpus/objects/written.jsonl.xz, with the NumPy of this Python
"""

import collections
import datetime
import decimal
import fractions
import io
import pathlib
import pickle
import struct
import sys
import time
import uuid
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]
sys.dont_write_bytecode = True

import objects  # noqa: E402
import written  # noqa: E402

# Modules whose name another version of Python or NumPy has changed. What is loaded was decoded before, so that it is harmless.
RENAMED = {"numpy.core": "numpy._core", "numpy._core": "numpy.core", "pathlib._local": "pathlib", "numpy.rec": "numpy.core.records"}


class Unpickler(pickle._Unpickler):     # the one in Python, because it refuses more
    """Loads what an older or newer version has written."""

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            for new, old in RENAMED.items():
                if module == new or module.startswith(new + "."):
                    return super().find_class(old + module[len(new):], name)
            raise


def python_dumps(value, protocol):
    """What the pickler written in Python writes."""
    stream = io.BytesIO()
    pickle._Pickler(stream, protocol).dump(value)
    return stream.getvalue()


def load(payload):
    """What np.load(…, allow_pickle=True, encoding="latin1") makes of a payload."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Unpickler(io.BytesIO(payload), encoding="latin1").load()


class Comparison:
    """One payload: which object each node is, and what differs."""

    def __init__(self):
        self.objects, self.nodes, self.faults = {}, {}, []

    def equal(self, what, node, got, wanted):
        """Values are of one type, and the same to the bit."""
        if type(got) is not type(wanted) or got != wanted:
            self.faults.append(f"{what} of {node.kind} at byte {node.at}: loaded {wanted!r}, decoded {got!r}"[:300])

    def walk(self, root, value):
        """All pairs of node and value."""
        below = [(root, value)]
        while below:
            node, value = below.pop()
            if node.kind in SHARED:
                known = self.objects.setdefault(id(node), value)
                self.equal("identity", node, known is value, True)
                if self.nodes.setdefault(id(value), node) is not node:
                    self.equal("identity", node, "one", "two")
                if node in self.nodes.values() and getattr(node, "is_done", False):
                    continue
                node.is_done = True
            below += COMPARE[node.kind](self, node, value)


SHARED = {"list", "dict", "set", "bytearray", "OrderedDict", "defaultdict", "array", "masked", "recarray", "matrix", "strings"}


def bits(number):
    """The bits of a float, every NaN the same."""
    return "nan" if number != number else struct.pack(">d", number)


def simple(convert=None):
    """A value that Python compares, converted first."""
    def compare(comparison, node, value):
        comparison.equal("value", node, convert(node) if convert else node.value, value)
        return []
    return compare


def compare_float(comparison, node, value):
    comparison.equal("type", node, float, type(value))
    comparison.equal("bits", node, bits(node.value), bits(value))
    return []


def compare_complex(comparison, node, value):
    comparison.equal("type", node, complex, type(value))
    comparison.equal("bits", node, (bits(node.value.real), bits(node.value.imag)), (bits(value.real), bits(value.imag)))
    return []


def sequence(kind):
    """A list or tuple: its members come next."""
    def compare(comparison, node, value):
        comparison.equal("type", node, kind, type(value))
        comparison.equal("length", node, len(node.items), len(value))
        return list(zip(node.items, value))
    return compare


def mapping(kind):
    """A dictionary: keys and values, in their order."""
    def compare(comparison, node, value):
        comparison.equal("type", node, kind, type(value))
        comparison.equal("length", node, len(node.items) // 2, len(value))
        if kind is collections.defaultdict:
            factory = None if value.default_factory is None else value.default_factory.__name__
            comparison.equal("factory", node, node.value[0], factory)
        return list(zip(node.items, [one for pair in value.items() for one in pair]))
    return compare


def members(kind):
    """A set: its members have no order, so that each is looked up."""
    def compare(comparison, node, value):
        comparison.equal("type", node, kind, type(value))
        comparison.equal("length", node, len(node.items), len(value))
        known = {objects.key_form(objects.Machine(b"", 0, objects.Options()), item) for item in node.items}
        forms = {form_of(item) for item in value}
        comparison.equal("members", node, known, forms)
        return []
    return compare


def form_of(value):
    """The key form of a Python value."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float, complex)):
        return objects.number_form(value)
    if isinstance(value, tuple):
        return ("tuple", *map(form_of, value))
    if value is None:
        return ("none",)
    if isinstance(value, datetime.datetime):
        return ("datetime", value.replace(fold=0).__reduce_ex__(4)[1][0])
    if isinstance(value, datetime.date):
        return ("date", value.__reduce_ex__(4)[1][0])
    if isinstance(value, datetime.timedelta):
        return ("timedelta", (value.days, value.seconds, value.microseconds))
    if isinstance(value, uuid.UUID):
        return ("UUID", value.int)
    return (type(value).__name__, value)


def dtype_of(made):
    """NumPy's dtype of a decoded one."""
    if made.base is not None:
        return np.dtype((dtype_of(made.base), made.shape))
    if made.fields is None:
        return np.dtype(made.text)
    return np.dtype({"names": [name for name, _, _, _ in made.fields], "formats": [dtype_of(inner) for _, _, _, inner in made.fields],
                     "offsets": [at for _, _, at, _ in made.fields], "titles": [title for _, title, _, _ in made.fields],
                     "itemsize": made.itemsize})


def compare_dtype(comparison, node, value):
    comparison.equal("dtype", node, dtype_of(node.value[0]) == value, True)
    return []


def compare_scalar(comparison, node, value):
    made, data = node.value
    comparison.equal("is scalar", node, isinstance(value, np.generic), True)
    if made.text[1] in "SU":
        wanted = data.rstrip(b"\0") if made.text[1] == "S" else objects.tuple_text(data, made.text[0])
        comparison.equal("value", node, wanted, value.item())
    elif made.text == "|b1":
        comparison.equal("value", node, data != b"\0", bool(value))
    else:
        comparison.equal("dtype", node, dtype_of(made).newbyteorder("=") == value.dtype.newbyteorder("="), True)
        native = np.frombuffer(data, dtype_of(made)).astype(value.dtype).tobytes()
        comparison.equal("bytes", node, native, value.tobytes())
    return []


KINDS = {"array": "ndarray", "recarray": "recarray", "matrix": "matrix", "masked": "MaskedArray"}


def compare_array(comparison, node, value):
    _, shape, made, is_fortran, data = node.value[:5]
    comparison.equal("type", node, KINDS[node.kind], type(value).__name__)
    comparison.equal("shape", node, shape, value.shape)
    plain = np.asarray(value.data if node.kind == "masked" else value).view(np.ndarray)
    if plain.dtype != dtype_of(made) and plain.dtype.newbyteorder("=") == dtype_of(made).newbyteorder("="):
        plain = plain.astype(dtype_of(made))        # NumPy makes the byte order of small arrays its own
    comparison.equal("dtype", node, dtype_of(made) == plain.dtype, True)
    following = []
    if data is not None:
        comparison.equal("bytes", node, data, plain.tobytes("F" if is_fortran else "C"))
    elif made.text == "|O":
        following = list(zip(node.items, plain.ravel("C").tolist() if shape else [plain[()]]))
    else:
        records = [plain[index] for index in np.ndindex(shape)]
        following = [pair for item, record in zip(node.items, records) for pair in fields_of(comparison, made, item, record)]
    if node.kind == "masked":
        mask = np.ma.getmaskarray(value).tobytes("F" if is_fortran else "C")
        comparison.equal("mask", node, node.value[5], mask)
        fill = node.value[6]
        if fill.kind != "none" and dtype_of(fill.value[2]) == value.dtype:
            following.append((fill, np.asarray(value._fill_value)))
        elif fill.kind != "none":       # numpy makes it one of the array's type
            made = np.frombuffer(fill.value[4], dtype_of(fill.value[2])).astype(value.dtype)
            comparison.equal("fill value", fill, made.tobytes(), np.asarray(value._fill_value).tobytes())
    return following


def fields_of(comparison, made, node, record):
    """The objects in a record; its numbers are compared on the way."""
    pairs = []
    for (name, _, _, inner), item in zip(made.fields, node.items):
        if inner.fields is not None:
            pairs += fields_of(comparison, inner, item, record[name])
        elif inner.text == "|O":
            pairs.append((item, record[name]))
        else:
            got = objects.as_text(item) if inner.text[1] == "U" else item.value
            comparison.equal(f"field {name}", item, np.array([got], dtype_of(inner)).tobytes(), np.array([record[name]], dtype_of(inner)).tobytes())
    return pairs


def compare_strings(comparison, node, value):
    _, shape, (_, missing), _ = node.value
    comparison.equal("shape", node, shape, value.shape)
    comparison.equal("dtype", node, "StringDType", type(value.dtype).__name__)
    wanted = value.ravel().tolist()
    got = [item.value if item.kind == "str" else missing[0] for item in node.items]
    comparison.equal("strings", node, [repr(one) for one in got], [repr(one) for one in wanted])
    return []


def compare_struct_time(comparison, node, value):
    comparison.equal("type", node, time.struct_time, type(value))
    comparison.equal("numbers", node, tuple(item.value for item in node.items[0].items), tuple(value))
    names = {objects.as_text(key): item.value for key, item in zip(node.items[1::2], node.items[2::2])}
    comparison.equal("zone", node, names.get("tm_zone"), value.tm_zone)
    comparison.equal("offset", node, names.get("tm_gmtoff"), value.tm_gmtoff)
    return []


def zone_of(node):
    """A timezone."""
    return datetime.timezone(datetime.timedelta(*node.value), *(item.value for item in node.items))


def moment(kind):
    """A datetime or time, with its zone."""
    return simple(lambda node: kind(node.value, *map(zone_of, node.items)))


def compare_path(comparison, node, value):
    comparison.equal("path", node, node.value[1], str(value))
    comparison.equal("type", node, node.value[0].replace("PosixPath", "").replace("Windows", ""),
                     type(value).__name__.replace("PosixPath", "").replace("Windows", ""))
    return []


COMPARE = {
    "none": simple(lambda node: None), "bool": simple(), "int": simple(), "str": simple(), "bytes": simple(), "float": compare_float,
    "complex": compare_complex, "raw": simple(lambda node: node.value.decode("ascii")), "bytearray": simple(lambda node: bytearray(node.value)),
    "list": sequence(list), "tuple": sequence(tuple), "dict": mapping(dict), "OrderedDict": mapping(collections.OrderedDict),
    "defaultdict": mapping(collections.defaultdict), "set": members(set), "frozenset": members(frozenset),
    "slice": simple(lambda node: slice(*(item.value for item in node.items))),
    "range": simple(lambda node: range(*(item.value for item in node.items))), "dtype": compare_dtype, "scalar": compare_scalar,
    "array": compare_array, "recarray": compare_array, "matrix": compare_array, "masked": compare_array, "strings": compare_strings,
    "date": simple(lambda node: datetime.date(node.value)), "datetime": moment(datetime.datetime), "time": moment(datetime.time),
    "timedelta": simple(lambda node: datetime.timedelta(*node.value)), "timezone": simple(zone_of),
    "Decimal": simple(lambda node: decimal.Decimal(node.value).as_tuple()), "Fraction": simple(lambda node: fractions.Fraction(*node.value)),
    "UUID": simple(lambda node: uuid.UUID(int=node.value)), "struct_time": compare_struct_time, "path": compare_path,
}


def compare_decimal(comparison, node, value):
    comparison.equal("value", node, decimal.Decimal(node.value).as_tuple(), value.as_tuple())
    return []


COMPARE["Decimal"] = compare_decimal


def can_load(payload):
    """Whether this Python and this NumPy have what a payload needs."""
    has_strings = hasattr(getattr(np, "dtypes", None), "StringDType")
    return has_strings or b"_convert_to_stringdtype_kwargs" not in payload


def faults(payload, root):
    """What differs between a decoded payload and what is loaded; nothing if they are the same."""
    try:
        value = load(payload)
    except Exception as error:  # noqa: BLE001: whatever it raises, it should have loaded
        if "flags variable (overflow)" in str(error) and np.__version__ < "2":
            return []       # NumPy 1 writes the flags of aligned records as a signed byte, and cannot load NumPy 2's
        return [f"accepted, and loading it raises {error!r}"]
    comparison = Comparison()
    comparison.walk(root, value)
    return comparison.faults


def main():
    """The last line counts payloads."""
    passed = failed = skipped = 0
    for record in written.read():
        payload = bytes.fromhex(record["hex"])
        if not can_load(payload):
            skipped += 1
            continue
        wrong = faults(payload, objects.decode(payload).root)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(record["value"], record["by"][0], *wrong[:3])
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {pathlib.__name__}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
