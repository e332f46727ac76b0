"""Arrays of every type that NumPy saves, for values.test.js: FOLDER gets the files, standard output what NumPy says of them.

An element is a string that has one form only: the bits of a number, the bytes of a text.
"""

import itertools
import json
import struct
import sys
from pathlib import Path

import numpy as np

SHAPES = ((), (0,), (1,), (7,), (2, 3), (4, 1, 5), (3, 0, 2))
SLICES = {"::2": np.s_[::2], "::-1": np.s_[::-1], "1:": np.s_[1:], "-3:-1": np.s_[-3:-1], "5:1:-2": np.s_[5:1:-2],
          "0": np.s_[0], "-1": np.s_[-1], "1:1": np.s_[1:1], "::3": np.s_[::3]}
PAIRS = {":, 1": np.s_[:, 1], "1, ::-2": np.s_[1, ::-2], "::-1, ::2": np.s_[::-1, ::2], "-1, -1": np.s_[-1, -1],
         "-5:7, 1:": np.s_[-5:7, 1:]}
TYPES = ("?", *(kind + size for kind, sizes in (("i", "1248"), ("u", "1248"), ("f", "248")) for size in sizes), "c8", "c16",
         "S1", "S5", "U1", "U3", "V1", "V6", "M8[ns]", "M8[D]", "M8[25s]", "M8", "m8[Y]", "m8[us]", "f16", "c32")
RECORDS = ([("a", "<f8"), ("b", ">i2")],
           [("a", "u1"), ("n", [("x", ">f4", (2,)), ("y", "U2")], (2, 2)), ("last", "?")],
           [(("title", "name"), ">c8"), ("__proto__", "S3"), ("é", "M8[s]")],
           {"names": ["a", "b"], "formats": ["<i4", ">u2"], "offsets": [2, 8], "itemsize": 13})
DATES = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "7M", "25s")


def filled(dtype, shape, random):
    """An array with random bytes, and numbers that matter."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "U":
        points = random.choice([0, 0x41, 0xe9, 0xd800, 0x20ac, 0x1f600, 0x10ffff], count * dtype.itemsize // 4)
        return points.astype(dtype.byteorder + "u4").view(dtype).reshape(shape)
    if dtype.fields:
        found = np.zeros(shape, dtype)
        for name in dtype.names:
            base, inner = dtype[name].base, dtype[name].shape
            found[name] = filled(base, (*shape, *inner), random)
        return found
    found = np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape).copy()
    if dtype.kind == "f" and dtype.itemsize < 16 and count > 4:
        found.flat[:5] = (np.nan, np.inf, -np.inf, -0.0, 1e-7)
    return found


def element(value, dtype):
    """The string for an element."""
    if dtype.fields:
        return {name: nested(value[name], dtype[name].base) for name in dtype.names}
    if dtype.kind == "f":
        return "nan" if np.isnan(value) else struct.pack(">d", value).hex()
    if dtype.kind == "c":
        return [element(part, np.dtype("f8")) for part in (float(value.real), float(value.imag))]
    if dtype.kind == "S":
        return bytes(value).hex()
    if dtype.kind == "V":
        return value.tobytes().hex()
    if dtype.kind == "U":
        return " ".join(f"{ord(character):x}" for character in str(value))
    return str(int(value.astype("i8") if dtype.kind in "mM" else value))


def nested(array, dtype):
    """Lists in lists of them."""
    array = np.asarray(array, dtype)
    if array.ndim:
        return [nested(array[i, ...], dtype) for i in range(len(array))]
    is_opaque = dtype.itemsize in (16, 32) and dtype.char in "gG"
    return array.tobytes().hex() if is_opaque else element(array[()], dtype)


def expected(array):
    """What NumPy says of an array."""
    return {"shape": array.shape, "values": nested(array, array.dtype)}


def view(array, index):
    """A part of an array: an array too, if it is one element."""
    return array[(*index, ...)] if isinstance(index, tuple) else array[index, ...]


def dates():
    """For each unit some counts and their milliseconds."""
    for unit in DATES:
        counts = np.array([0, 1, -1, 13, -13, 1000, -1001, 20000], "i8")
        stamps = counts.view(f"M8[{unit}]").astype("M8[ms]").astype("i8")
        yield {"descr": f"<M8[{unit}]", "counts": [str(n) for n in counts.tolist()], "stamps": stamps.tolist()}


def main(folder):
    random = np.random.default_rng(1)
    cases = []
    types = [order + kind for order, kind in itertools.product("<>", TYPES)] + list(RECORDS)
    for number, (dtype, shape, order) in enumerate(itertools.product(types, SHAPES, "CF")):
        array = np.asarray(filled(dtype, shape, random), order=order)
        np.save(folder / f"{number}.npy", array)
        array = np.load(folder / f"{number}.npy")
        slices = SLICES if shape == (7,) else PAIRS if shape == (2, 3) else {}
        fields = [(name, expected(array[name])) for name in array.dtype.names or ()]
        cases.append({"file": f"{number}.npy", "dtype": str(dtype), **expected(array), "fields": fields,
                      "fortran_order": bool(array.flags.fnc), "c_order": array.tobytes("C").hex(),
                      "slices": [(text, expected(view(array, index))) for text, index in slices.items()]})
    json.dump({"numpy": np.__version__, "cases": cases, "dates": list(dates())}, sys.stdout)


main(Path(sys.argv[1]))
