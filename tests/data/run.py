#!/usr/bin/env python3
"""Holds views, values and copies against NumPy: every dtype, byte order, order, 0 to 5 dimensions, random slices.

    tests/data/run.py PROBE [--seed N] [--rounds N]

PROBE is tests/data/probe.c, built. The last line is `N passed, N failed`. NumPy is a tool of this test only.
"""

import argparse
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIMPLE = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "S1", "S5", "U1", "U4",
          "V3", "M8[ns]", "M8[D]", "m8[7s]"]
RECORDS = [
    [("a", "<f8"), ("b", ">i2")],
    [("a", ">i4", (2, 3)), ("s", "S3"), ("u", "<U2")],
    [("p", [("x", "<f4"), ("y", ">f4", (2,)), ("z", [("deep", ">u2"), ("t", "i1")], (2,))], (3,)), ("q", "?")],
    [("n", (np.dtype((">f4", (2,))), (3,))), ("m", "<c8")],
    np.dtype({"names": ["a", "b"], "formats": [">u4", "i1"], "offsets": [4, 13], "itemsize": 20}),
    np.dtype([("a", "i1"), ("b", "<f8"), ("c", ">M8[s]", (2,))], align=True),
]


def fill(rng, array):
    """Random bytes where every byte string is a value, and values that mean something elsewhere."""
    raw = rng.randbytes(array.nbytes)
    flat = np.frombuffer(raw, dtype=np.uint8).copy()
    array = flat.view(array.dtype).reshape(array.shape) if array.nbytes else array
    if array.dtype.kind == "b":
        array = (flat % 2).view(array.dtype).reshape(array.shape) if array.nbytes else array
    if array.dtype.kind == "U":
        letters = ["", "a", "é", "ab", "整", "\U0001f600", "x\0y", "\U0010ffff"]
        texts = [rng.choice(letters) for _ in range(array.size)]
        array = np.array(texts, dtype=array.dtype).reshape(array.shape)
    return array


def shapes(rng, ndim):
    """A shape of a number of dimensions; now and then an empty one."""
    lengths = [rng.choice([1, 2, 3, 4, 5]) for _ in range(ndim)]
    if ndim and rng.random() < 0.08:
        lengths[rng.randrange(ndim)] = 0
    return tuple(lengths)


def steps_of(rng, array):
    """Random fields, slices, picks and transposes: what to ask the probe for, and what NumPy makes of it."""
    steps, view = [], array
    for _ in range(rng.randrange(5)):
        kind = rng.choice("FSSSPT")
        if kind == "F" and view.dtype.names:
            name = rng.choice(view.dtype.names)
            steps += ["F", name]
            view = view[name]
        elif kind == "S" and view.ndim:
            axis = rng.randrange(view.ndim)
            ends = [rng.choice([None, rng.randrange(-7, 8)]) for _ in range(2)]
            pace = rng.choice([None, 1, 2, 3, -1, -2, 7])
            steps += ["S", str(axis), *("-" if end is None else str(end) for end in ends),
                      "-" if pace is None else str(pace)]
            view = view[(slice(None),) * axis + (slice(*ends, pace),)]
        elif kind == "P" and view.ndim and 0 not in view.shape:
            axis = rng.randrange(view.ndim)
            index = rng.randrange(-view.shape[axis], view.shape[axis])
            steps += ["P", str(axis), str(index)]
            view = view[(slice(None),) * axis + (index, ...)]
        elif kind == "T":
            steps.append("T")
            view = view.T
    return steps, np.asarray(view)


def in_order(dtype, order):
    """The dtype with its numbers in another byte order, padding and all as it was."""
    return dtype if order == "keep" else dtype.newbyteorder("<" if order == "little" else ">")


def dense(view, order, form):
    """The bytes of a copy in C or Fortran order, padding cleared."""
    target = np.zeros(view.shape, dtype=in_order(view.dtype, order), order=form.upper())
    if view.dtype.names:
        copy_record(view, target)
    elif view.dtype.kind in "SUV" and order != "keep" and view.dtype.kind != "U":
        target[...] = view
    elif view.dtype.kind in "fcmM" or view.dtype.kind == "U":
        swap = view.dtype != target.dtype
        target = view.copy(order=form.upper())
        target = target.byteswap() if swap else target
    else:
        target[...] = view
    return target.tobytes(order=form.upper())


def copy_record(view, target):
    """Field for field and bit for bit, so that padding stays zero and a NaN stays what it is."""
    for name in view.dtype.names:
        source, place = view[name], target[name]
        if source.dtype.names:
            copy_record(source, place)
        elif source.dtype == place.dtype or source.dtype.kind in "SVb?" or source.dtype.itemsize == 1:
            place[...] = source
        else:
            place[...] = source.copy().byteswap().view(place.dtype)


def value_text(view):
    """The values of all elements, as the probe prints them."""
    out = []
    for element in view.flatten(order="C") if view.ndim else [view[()]]:
        kind = view.dtype.kind
        if kind == "f":
            out.append(widened(element, view.dtype.itemsize))
        elif kind == "c":
            half = "f4" if view.dtype.itemsize == 8 else "f8"
            pair = np.frombuffer(np.array(element).astype(view.dtype.newbyteorder("<")).tobytes(), dtype="<" + half)
            out.append("".join(widened(part, pair.dtype.itemsize) for part in pair))
        elif kind == "U":
            out.append(str(element).encode().hex())
        elif kind == "S":
            out.append(bytes(element).hex())
        elif kind in "mM":
            out.append(str(int(np.array(element).astype("i8"))))
        else:
            out.append(str(int(element)))
    return "".join(text + ";" for text in out)


def widened(value, size):
    """The bits of binary64 of a float, by arithmetic on its own bits: a NaN keeps sign and payload."""
    if size == 8:
        return "%016x" % struct.unpack("<Q", np.array(value, dtype="<f8").tobytes())
    raw = int.from_bytes(np.array(value, dtype="<f%d" % size).tobytes(), "little")
    bits, most = (10, 31) if size == 2 else (23, 255)
    sign, exponent, significand = raw >> (8 * size - 1), raw >> bits & most, raw & ((1 << bits) - 1)
    if exponent == most:
        return "%016x" % (sign << 63 | 0x7ff << 52 | significand << (52 - bits))
    number = significand * 2.0 ** (1 - bits - most // 2) if exponent == 0 else \
        (1 + significand / (1 << bits)) * 2.0 ** (exponent - most // 2)
    return "%016x" % struct.unpack("<Q", struct.pack("<d", -number if sign else number))


class Comparison:
    """Files and requests for one run of the probe, and what each answer must be."""

    def __init__(self, folder):
        self.folder, self.requests, self.expected, self.names = Path(folder), [], [], []

    def save(self, array):
        path = self.folder / f"{len(self.names)}.npy"
        np.save(path, array)
        self.names.append(path)
        return str(path)

    def ask(self, path, steps, check):
        self.requests.append("\t".join([path, *steps]))
        self.expected.append(check)

    def run(self, probe):
        return put_to(probe, self.requests, self.expected)


def put_to(program, requests, checks):
    """Runs a program that answers a line a request; returns how many answers passed their checks, and failed."""
    result = subprocess.run([program], input="\n".join(requests) + "\n", text=True, capture_output=True, check=False)
    if result.returncode != 0:
        print(result.stderr[-3000:])
        print(f"FAIL  the program ended with {result.returncode}")
    answers = result.stdout.splitlines()
    passed = failed = 0
    for number, (request, check) in enumerate(zip(requests, checks)):
        complaint = check(answers[number]) if number < len(answers) else "no answer"
        passed += complaint is None
        failed += complaint is not None
        if complaint is not None and failed <= 20:
            print(f"FAIL  {request!r}: {complaint}")
    return passed, failed + (result.returncode != 0)


def same(expected):
    return lambda answer: None if answer == expected else f"{answer[:300]} and not {expected[:300]}"


def same_copy(view, expected, offset):
    """Strides are compared where there are two elements along the axis, the offset where there is one at all."""
    def check(answer):
        parts = answer.split("|")
        if len(parts) != 3:
            return answer
        axes = [tuple(int(n) for n in axis.split(":")) for axis in parts[1].split(",") if axis]
        if tuple(axis[0] for axis in axes) != view.shape:
            return f"shape {axes} and not {view.shape}"
        if view.size and offset is not None and int(parts[0]) != offset:
            return f"offset {parts[0]} and not {offset}"
        wrong = [k for k, axis in enumerate(axes) if axis[0] > 1 and view.size and axis[1] != view.strides[k]]
        if wrong:
            return f"strides {axes} and not {view.strides}"
        return None if parts[2] == expected.hex() else f"bytes {parts[2][:200]} and not {expected.hex()[:200]}"
    return check


def offset_of(array, view):
    base = array.__array_interface__["data"][0]
    return view.__array_interface__["data"][0] - base


def add_arrays(comparison, rng, rounds):
    """dtype × byte order × order × dimensions, with random steps on each file."""
    kinds = [np.dtype(prefix + kind) if kind != "?" else np.dtype("?")
             for kind in SIMPLE for prefix in (("<", ">") if np.dtype(kind).itemsize > 1 and kind[0] not in "SV" else ("",))]
    for dtype in kinds + [np.dtype(record) for record in RECORDS]:
        for ndim in range(6):
            for form in "CF":
                array = np.asarray(fill(rng, np.zeros(shapes(rng, ndim), dtype=dtype)), order=form)
                if array.dtype.names and array.flags.c_contiguous is False and form == "C":
                    continue
                path = comparison.save(array)
                for _ in range(rounds):
                    add_steps(comparison, rng, array, path)


def has_no_text(view):
    """Whether an element of kind U holds a number that no UTF-8 can say."""
    if view.dtype.kind != "U":
        return False
    codes = np.frombuffer(view.tobytes(), dtype=view.dtype.byteorder.replace("|", "=") + "u4")
    return bool(((codes > 0x10ffff) | ((codes >= 0xd800) & (codes <= 0xdfff))).any())


def refused(answer):
    return None if answer.endswith("!SNPY_BAD_CODE_POINT") else answer


def add_steps(comparison, rng, array, path):
    steps, view = steps_of(rng, array)
    order, form = rng.choice(["keep", "little", "big"]), rng.choice("cf")
    comparison.ask(path, [*steps, "C", order, form],
                   same_copy(view, dense(view, order, form), offset_of(array, view) if view.size else None))
    if view.dtype.names is None and view.dtype.kind != "V":
        check = refused if has_no_text(view) else same(value_text(view))
        comparison.ask(path, [*steps, "V"], check)
        comparison.ask(path, [*steps, "R", rng.choice(["little", "big"])], check)


def add_halves(comparison):
    """Every float of 16 bits in both orders, widened and rounded back."""
    for order in "<>":
        array = np.arange(65536, dtype=order + "u2").view(order + "f2")
        for part in np.split(array, 16):
            path = comparison.save(part)
            comparison.ask(path, ["V"], same(value_text(part)))
            comparison.ask(path, ["R", "big"], same(value_text(part)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("probe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=6)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(folder)
        with np.errstate(all="ignore"):
            add_arrays(comparison, rng, args.rounds)
            add_halves(comparison)
        passed, failed = comparison.run(args.probe)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
