"""What `cat` prints of object arrays is what NumPy loads: the accepted payloads of corpus/objects, value by value.

NumPy runs the pickles of the corpus here; these are our own.
"""

import ast
import datetime
import json
import math
import pathlib
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus/objects/accept"
# Limits are tested in tests/cli: NumPy and json have others. The type of doubled.npy has 2^18 parts.
LEFT_OUT = ("limit/", "dtype/doubled")
CALL = "a call"  # a value that is printed by its name and arguments
REF = "a reference"  # a container that was printed before


def be_numpy_2():
    """The modules of NumPy 2 under their names, for a NumPy 1."""
    if not hasattr(np, "_core"):
        sys.modules["numpy._core"] = np.core
        for name in ("multiarray", "numeric", "_internal"):
            sys.modules[f"numpy._core.{name}"] = getattr(np.core, name)
    sys.modules.setdefault("numpy.rec", np.rec)
    sys.modules.setdefault("pathlib._local", pathlib)


def number(value):
    return value if math.isfinite(value) else {"$float": repr(value)}


def moment(element):
    """A datetime or timedelta as text."""
    unit, multiple = np.datetime_data(element.dtype)
    if unit == "generic":
        return str(element.astype("i8"))
    if element.dtype.kind == "M":
        return str(element)
    return "NaT" if np.isnat(element) else f"{int(element.astype('i8')) * multiple}{unit}"


def plain(array):
    """The elements of an array without objects, or an element of one, as `cat` prints them in JSON."""
    if isinstance(array, np.ndarray):
        return [plain(part) for part in array] if array.ndim else plain(array[()])
    kind = array.dtype.kind
    if array.dtype.names is not None:
        return {name: plain(array[name]) for name in array.dtype.names}
    if kind == "f":
        return float(array) if np.isfinite(array) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(array), "NaN")
    if kind == "c":
        return [plain(array.real), plain(array.imag)]
    convert = {"b": bool, "i": int, "u": int, "S": lambda text: text.decode("latin-1"), "U": str, "M": moment, "m": moment,
               "V": lambda void: "0x" + void.tobytes().hex()}
    return convert[kind](array)


class Printer:
    """Says how a value is printed."""

    def __init__(self):
        self.seen = []  # containers; kept, so that no other object gets their identity

    def is_seen(self, value):
        if any(one is value for one in self.seen):
            return True
        if not isinstance(value, tuple) or value:  # Python has one empty tuple
            self.seen.append(value)
        return False

    def text(self, value):
        if any(0xd800 <= ord(letter) < 0xe000 for letter in value):
            return {"$codepoints": [ord(letter) for letter in value]}
        return value

    def dictionary(self, value):
        if all(isinstance(key, str) and key[:1] != "$" and self.text(key) == key for key in value):
            return {key: self.value(one) for key, one in value.items()}
        return {"$dict": [[self.value(key), self.value(one)] for key, one in value.items()]}

    def elements(self, array):
        array = np.asarray(array)
        if array.ndim > 0:
            return [self.elements(array[i:i + 1].reshape(array.shape[1:])) for i in range(len(array))]
        element = array[()]
        return self.value(element) if array.dtype.names is None else [self.value(part) for part in element.item()]

    def array(self, array):
        mask = {}
        if isinstance(array, np.ma.MaskedArray):
            bools = np.ma.getmaskarray(array)
            mask = {"$mask": bools.tolist() if bools.dtype.names is None else {"$bytes": bools.tobytes().hex()}}
            array = array.data
        elements = self.elements(array) if array.dtype.hasobject else plain(np.asarray(array))
        return {"descr": array.dtype, "shape": list(array.shape), **mask, "$array": elements}

    def value(self, value):
        leaves = [((type(None), bool, int), lambda one: one), (float, number), (str, self.text),
                  (complex, lambda one: {"$complex": [number(one.real), number(one.imag)]}),
                  (bytes, lambda one: {"$bytes": one.hex()}), (bytearray, lambda one: {"$bytearray": one.hex()}),
                  (np.dtype, lambda one: {"$dtype": one})]
        if isinstance(value, np.generic):
            return plain(value)
        for kind, convert in leaves:
            if isinstance(value, kind):
                return convert(value)
        if isinstance(value, datetime.datetime) and value.tzinfo is None and not value.fold:
            return {"$datetime": value.isoformat()}
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return {"$date": value.isoformat()}
        if isinstance(value, datetime.time) and value.tzinfo is None and not value.fold:
            return {"$time": value.isoformat()}
        if isinstance(value, (time.struct_time, range)) or not hasattr(value, "__len__"):
            return CALL
        return REF if self.is_seen(value) else self.container(value)

    def container(self, value):
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, dict):
            return self.dictionary(value)
        if isinstance(value, (set, frozenset)):
            return {f"${type(value).__name__}": [self.value(one) for one in value]}
        return [self.value(one) for one in value]


def expected(path):
    array = np.load(path, allow_pickle=True, encoding="latin1")
    printer = Printer()
    printer.seen.append(array)
    if isinstance(array, np.ma.MaskedArray):
        return printer.array(array)
    return printer.elements(array) if array.dtype.hasobject else plain(array)


def is_same(got, wanted):
    """Whether JSON is what was expected; sets come in any order."""
    if isinstance(got, dict) and set(got) == {"$id", "$value"}:
        got = got["$value"]
    if wanted in (CALL, REF) and isinstance(got, dict):
        return ("$call" if wanted == CALL else "$ref") in got
    if isinstance(wanted, np.dtype):  # NumPy loads small arrays of foreign byte order in its own
        got = np.lib.format.descr_to_dtype(ast.literal_eval(got) if got[0] == "[" else got)
        return got.newbyteorder("=") == wanted.newbyteorder("=")
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(is_same, got, wanted))
    if isinstance(wanted, dict) and isinstance(got, dict):
        if list(got) != list(wanted):
            return False
        if "$set" in wanted or "$frozenset" in wanted:
            return all(sorted(map(repr, got[key])) == sorted(map(repr, wanted[key])) for key in wanted)
        return all(is_same(got[key], wanted[key]) for key in wanted)
    return type(got) is type(wanted) and got == wanted


def test_values_are_those_of_numpy(safenpy, tally):
    be_numpy_2()
    sys.set_int_max_str_digits(0)
    compared = 0
    for path in sorted(CORPUS.rglob("*.npy")):
        name = path.relative_to(CORPUS).as_posix()
        if name.startswith(LEFT_OUT):
            continue
        try:
            wanted = expected(path)
        except ValueError as error:  # flags that NumPy 1 cannot read
            assert "flags" in str(error), name
            continue
        done = subprocess.run([safenpy, "cat", "--output", "json", path], capture_output=True, text=True, timeout=60, check=False)
        got = json.loads(done.stdout) if done.returncode == 0 else done.stderr
        tally.check(name, is_same(got, wanted), f"{got!r:.300} is not {wanted!r:.300}")
        compared += 1
    assert compared > 250


@pytest.mark.parametrize("form", ["text", "json"])
def test_lines(safenpy, tmp_path, form):
    """As text an element has a line; JSON is one value."""
    np.save(tmp_path / "a.npy", np.array([{"a": [1, 2]}, None, "b\n"], object), allow_pickle=True)
    done = subprocess.run([safenpy, "cat", "--output", form, tmp_path / "a.npy"], capture_output=True, text=True, check=True)
    values = [{"a": [1, 2]}, None, "b\n"]
    assert ([json.loads(line) for line in done.stdout.splitlines()] if form == "text" else json.loads(done.stdout)) == values
