#!/usr/bin/env python3
"""Holds `safenpy diff` against NumPy: arrays with their twins in other orders, byte orders and layouts, and with some
values changed.

    tests/data/diff.py SAFENPY [--seed N]

The last line is `N passed, N failed`. NumPy is a tool of this test only.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import cat
import numpy as np
import run


def twin(rng, array):
    """The same values, stored in another way."""
    dtype = array.dtype
    if rng.random() < 0.6:
        dtype = dtype.newbyteorder()
    other = np.zeros(array.shape, dtype=dtype)
    if dtype.names:
        run.copy_record(array, other)
    elif dtype == array.dtype or dtype.kind in "USVb":
        other[...] = array
    else:
        other = array.copy().byteswap().view(dtype)
    return np.asarray(other, order=rng.choice("CF"))


def bits(view):
    """What counts of each element: the bytes of its values, all little-endian."""
    if view.dtype.names is None:
        order = run.dense(view, "little", "c")
        size = view.dtype.itemsize
        return [order[k * size:(k + 1) * size] for k in range(view.size)]
    order = np.zeros(view.shape, dtype=view.dtype.newbyteorder("<"))
    run.copy_record(view, order)
    size = view.dtype.itemsize
    return [order.tobytes()[k * size:(k + 1) * size] for k in range(view.size)]


def change(rng, array):
    """Changes some bytes of values; returns the array."""
    flat = array.reshape(-1, order="A")
    for _ in range(rng.choice([1, 1, 2, 5])):
        position = rng.randrange(flat.size)
        target = flat[position:position + 1]
        while target.dtype.names:
            target = target[rng.choice(target.dtype.names)]
        if target.size == 0 or target.dtype.itemsize == 0:
            continue
        changed = bytearray(target.tobytes())
        changed[rng.randrange(len(changed))] ^= 1
        target[...] = np.frombuffer(bytes(changed), dtype=target.dtype).reshape(target.shape)
    return array


class Comparison:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, Path(folder)
        self.passed = self.failed = 0

    def expect(self, what, got, wanted):
        if got == wanted:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print(f"FAIL  {what}\n  got    {got!r}\n  wanted {wanted!r}")

    def diff(self, one, other, *options):
        paths = [str(self.folder / "a.npy"), str(self.folder / "b.npy")]
        np.save(paths[0], one)
        np.save(paths[1], other)
        result = subprocess.run([self.binary, "diff", *options, *paths], capture_output=True, check=False)
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def compare(self, one, other):
        """Two arrays of one shape and, but for byte order and padding, one type."""
        pairs = list(zip(bits(one), bits(other)))
        differing = [k for k, pair in enumerate(pairs) if pair[0] != pair[1]]
        what = f"{one.dtype} {one.shape} {other.dtype}"
        code, out, err = self.diff(one, other, "--values")
        self.expect(f"{what}: exit status", (code, err), (1 if differing else 0, ""))
        code, out, err = self.diff(one, other, "--json")
        said = json.loads(out)
        self.expect(f"{what}: numbers", (said["count"], said["differing"], err), (one.size, len(differing), ""))
        stored = [item["what"] for item in said["differences"]]
        self.expect(f"{what}: exit status of all", code, 1 if differing or stored else 0)
        same = one.flags.fnc == other.flags.fnc
        self.expect(f"{what}: order", "fortran_order" in stored, not same)
        if differing:
            self.expect_first(what, one, other, differing[0], said["first"])

    def expect_first(self, what, one, other, number, first):
        index = tuple(int(k) for k in np.unravel_index(number, one.shape)) if one.ndim else ()
        self.expect(f"{what}: index", tuple(first["index"]), index)
        for key, array in (("a", one), ("b", other)):
            value = array[(*index, ...)]
            for step in first["path"]:
                value = value[step] if isinstance(step, str) else value[step, ...]
            text = cat.value_text(value.tobytes(), value.dtype, "json")
            self.expect(f"{what}: value", first[key], json.loads(text))


def add_arrays(comparison, rng):
    kinds = [np.dtype(prefix + kind) if kind != "?" else np.dtype("?") for kind in run.SIMPLE
             for prefix in (("<", ">") if np.dtype(kind).itemsize > 1 and kind[0] not in "SV" else ("",))]
    for dtype in kinds + [np.dtype(record) for record in run.RECORDS]:
        for ndim in range(5):
            array = run.fill(rng, np.zeros(run.shapes(rng, ndim), dtype=dtype))
            if "q" in (dtype.names or ()):
                array["q"] = array["q"].view("u1") & 1  # every byte but 0 is true
            comparison.compare(array, twin(rng, array))
            if array.size:
                comparison.compare(array, change(rng, twin(rng, array)))


def add_large(comparison, rng):
    """More than one box, in two orders."""
    array = np.frombuffer(rng.randbytes(8 * 1500000), dtype="<f8").reshape(150, 100, 100)
    other = np.asfortranarray(array.byteswap().view(">f8"))
    comparison.expect("large twins", comparison.diff(array, other, "--values"), (0, "", ""))
    for _ in range(3):
        index = tuple(rng.randrange(length) for length in array.shape)
        other[index] = 0.5
        later = tuple(length - 1 for length in array.shape)
        other[later] = 0.25
        code, out, err = comparison.diff(array, other, "--json")
        first = json.loads(out)["first"]
        comparison.expect("large, index", (code, err, tuple(first["index"])), (1, "", index))
        other[index] = array[index]
    letters = np.array([b"ab" * 2500000], dtype="S5000000")
    changed = letters.copy()
    comparison.expect("large elements", comparison.diff(letters, changed), (0, "", ""))
    changed[0] = b"ab" * 2499999 + b"xb"
    comparison.expect("large elements differ", comparison.diff(letters, changed)[0], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(args.binary, folder)
        with np.errstate(all="ignore"):
            add_arrays(comparison, rng)
            add_large(comparison, rng)
    print(f"{comparison.passed} passed, {comparison.failed} failed")
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
