#!/usr/bin/env python3
"""Holds the files of the host layer against NumPy's: every dtype, byte order, order, 0 to 5 dimensions.

    tests/data/files.py PROGRAM [--seed N]

PROGRAM is tests/data/files.c, built. What numpy.save wrote is loaded and mapped in every way, and must hold the same
bytes; what is saved in every way and appended must be, byte for byte, what numpy.save writes, and numpy.load must
read the same array from it. The last line is `N passed, N failed`. NumPy is a tool of this test only.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import run
from convert import in_form

LOADS = ["path", "descriptor", "stream", "memory", "pipe", "buffer", "map-read", "map-copy", "map-write"]
SAVES = ["path", "parts", "grows", "stream", "stream-parts", "descriptor", "descriptor-grows", "map"]


def dtypes():
    for kind in run.SIMPLE:
        has_order = kind != "?" and np.dtype(kind).itemsize > 1 and kind[0] not in "SV"
        for prefix in ("<", ">") if has_order else ("",):
            yield np.dtype(prefix + kind)
    for record in run.RECORDS:
        yield np.dtype(record)


def is_fortran(array):
    """What numpy.save says in the header."""
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


def raw(array):
    """The array's bytes as they lie in a file."""
    return array.tobytes(order="F" if is_fortran(array) else "C")


def dense_record(array, form):
    """A copy in an order that keeps the padding of records; numpy.save writes it as it is."""
    copy = np.empty(array.shape, dtype=array.dtype, order=form)
    copy.reshape(-1, order=form).view(np.uint8)[...] = np.frombuffer(array.tobytes(), dtype=np.uint8)
    return copy


def made(rng, dtype, shape, form):
    array = run.fill(rng, np.zeros(shape, dtype=dtype))
    if form == "F" and array.size and dtype.names:
        return dense_record(array, form)
    return np.asarray(array, order=form)


class Requests:
    """What the program is asked, and what is to be said of each answer."""

    def __init__(self, folder):
        self.folder, self.lines, self.checks, self.count = Path(folder), [], [], 0

    def path(self):
        self.count += 1
        return self.folder / f"{self.count}.npy"

    def save(self, array):
        path = self.path()
        np.save(path, array)
        return path

    def ask(self, words, check):
        self.lines.append("\t".join(str(word) for word in words))
        self.checks.append(check)

    def run(self, program):
        return run.put_to(program, self.lines, self.checks)


def loaded(array):
    expected = f"{'F' if is_fortran(array) else 'C'}|{','.join(map(str, array.shape))}|{raw(array).hex()}"
    return lambda answer: None if answer == expected else f"{answer[:300]} and not {expected[:300]}"


def written(path, array, original=None):
    """numpy.load must read the array from the file; and numpy.save must write the same bytes, if they are given."""
    def check(answer):
        if answer != "ok":
            return answer
        got = np.load(path)
        if got.dtype != array.dtype or got.shape != array.shape or is_fortran(got) != is_fortran(array):
            return f"{got.dtype} {got.shape} and not {array.dtype} {array.shape}"
        if raw(got) != raw(array):
            return "other elements"
        if original is not None and path.read_bytes() != original.read_bytes():
            return f"not the bytes that NumPy wrote: {path.read_bytes()[:200]} and not {original.read_bytes()[:200]}"
        return None
    return check


def add_arrays(requests, rng):
    """Two ways to load each array, and two ways to save it, in turn."""
    turn = 0
    for dtype in dtypes():
        for ndim in range(6):
            for form in "CF":
                array = made(rng, dtype, run.shapes(rng, ndim), form)
                path = requests.save(array)
                for _ in range(2):
                    requests.ask(["load", LOADS[turn % len(LOADS)], path], loaded(array))
                    how, out = SAVES[turn % len(SAVES)], requests.path()
                    if how.endswith("grows") and ndim == 0:
                        how = "parts"  # a scalar cannot grow
                    requests.ask(["save", how, path, out], written(out, array, path))
                    turn += 1


def add_copies(requests, rng):
    """Copies in other orders and byte orders: numpy.save must write the same for what NumPy makes of the array."""
    turn = 0
    for dtype in dtypes():
        for ndim in range(5):
            for form in "CF":
                array = made(rng, dtype, run.shapes(rng, ndim), form)
                order, swaps = "CF-"[turn % 3], "<>-"[turn // 3 % 3]
                expected = in_form(array, None if order == "-" else order, {"<": "little", ">": "big"}.get(swaps))
                out = requests.path()
                requests.ask(["copy", order + swaps, requests.save(array), out],
                             written(out, expected, requests.save(expected)))
                turn += 1


def add_appends(requests, rng):
    """Arrays that grow, three times, along the first axis in C order and the last in Fortran order."""
    for dtype in dtypes():
        for ndim in range(1, 6):
            for form in "CF" if ndim > 1 else "C":
                shape = [rng.choice([2, 3]) for _ in range(ndim)]
                axis = 0 if form == "C" else ndim - 1
                base = made(rng, dtype, tuple(shape), form)
                path, data, total = requests.save(base), raw(base), shape[axis]
                for _ in range(2):
                    shape[axis] = rng.choice([2, 3, 7])
                    more = made(rng, dtype, tuple(shape), form)
                    total += shape[axis]
                    data += raw(more)
                    requests.ask(["append", "-", path, requests.save(more)], lambda answer: None if answer == "ok" else answer)
                shape[axis] = total
                whole = np.frombuffer(data, dtype=np.uint8).view(dtype).reshape(shape, order=form)
                final = requests.path()
                requests.ask(["save", "path", path, final], written(path, whole))
                requests.ask(["load", "path", path], loaded(whole))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        requests = Requests(folder)
        add_arrays(requests, rng)
        add_copies(requests, rng)
        add_appends(requests, rng)
        passed, failed = requests.run(args.program)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
