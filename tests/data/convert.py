#!/usr/bin/env python3
"""Holds the subcommands that write files against NumPy: every dtype, byte order, order, 0 to 5 dimensions.

    tests/data/convert.py SAFENPY [--seed N]

np.load of what convert, wrap and append made must equal the source; with --canonical the file must be, byte for byte,
what np.save writes. The last line is `N passed, N failed`."""

import argparse
import io
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from run import RECORDS, SIMPLE, dense, fill, shapes


def command(safenpy, *arguments, data=None):
    """Runs the command; what it wrote to standard output, or None with a complaint."""
    result = subprocess.run([safenpy, *map(str, arguments)], input=data, capture_output=True, check=False)
    if result.returncode or result.stderr:
        return None, f"exit status {result.returncode}: {result.stderr[-300:]!r}"
    return result.stdout, None


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def in_form(array, order, byteorder):
    """The array as convert shall make it: NumPy's own header over the elements that run.py's simple path gives."""
    target = array.dtype if byteorder is None else array.dtype.newbyteorder({"little": "<", "big": ">"}[byteorder])
    form = order or ("F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C")
    body = dense(array, byteorder or "keep", form.lower())
    flat = np.frombuffer(body, dtype=np.uint8)
    made = np.ndarray(array.shape, dtype=target, buffer=flat, order=form) if array.nbytes else \
        np.empty(array.shape, dtype=target, order=form)
    return made


class Tally:
    passed = failed = 0

    def expect(self, what, complaint):
        self.passed += complaint is None
        self.failed += complaint is not None
        if complaint is not None and self.failed <= 20:
            print(f"FAIL  {what}: {complaint}")


def differs(got, wanted):
    """Why one array is not another in type, order and every byte of its elements; None if it is."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype} {got.shape} and not {wanted.dtype} {wanted.shape}"
    if got.tobytes() != wanted.tobytes():
        return f"{got.tobytes()[:80].hex()} and not {wanted.tobytes()[:80].hex()}"
    return None


def try_convert(tally, rng, safenpy, folder, array):
    order, byteorder = rng.choice([None, "C", "F"]), rng.choice([None, "little", "big"])
    source, made = folder / "in.npy", folder / "out.npy"
    np.save(source, array)
    options = [*(["--order", order] if order else []), *(["--byteorder", byteorder] if byteorder else []),
               *rng.choice([[], ["--canonical"], ["--format-version", "2.0"], ["--dtype-version", "3.0"]])]
    what = f"convert {' '.join(options)} of {array.dtype} {array.shape}"
    wanted = in_form(array, order, byteorder)
    if rng.random() < 0.3:
        out, complaint = command(safenpy, "convert", *options, "-", "-", data=source.read_bytes())
        made.write_bytes(out or b"")
    else:
        _, complaint = command(safenpy, "convert", *options, source, made)
    if complaint is None:
        got = np.load(made)
        complaint = differs(got, wanted)
        if complaint is None and array.size > 1 and got.flags.fnc != wanted.flags.fnc:
            complaint = "the order is another"
        if complaint is None and "--canonical" in options and made.read_bytes() != saved(wanted):
            complaint = "not what np.save writes"
    tally.expect(what, complaint)


def try_large(tally, rng, safenpy, folder):
    """Arrays that are converted in several boxes, past the caches: sides that fill lines of memory and others."""
    source, made = folder / "in.npy", folder / "out.npy"
    for kind in ("i1", "<u2", ">f4", "<f8", ">c16"):
        for shape in ((1500, 1501), (2048, 1024), (257, 33, 129), (70, 5, 9, 300)):
            size = math.prod(shape) * np.dtype(kind).itemsize
            array = np.frombuffer(rng.randbytes(size), dtype=np.uint8).view(kind).reshape(shape, order="F")
            target = array.dtype.newbyteorder(">")
            number = array.dtype.itemsize // (2 if "c" in kind else 1)
            turned = np.ascontiguousarray(array).view(f"{array.dtype.str[0]}u{number}").astype(f">u{number}").tobytes()
            np.save(source, array)
            _, complaint = command(safenpy, "convert", "--order", "C", "--byteorder", "big", source, made)
            if complaint is None:
                got = np.load(made)
                good = got.dtype == target and got.shape == shape and got.flags.c_contiguous
                complaint = None if good and got.tobytes() == turned else "another array"
            tally.expect(f"convert {kind} {shape}", complaint)


def try_wrap(tally, safenpy, array):
    """The raw bytes, with the type as np.save writes it, become the file again; and back."""
    if array.ndim == 0 or array.itemsize == 0:
        return
    file = saved(array)
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    raw = array.tobytes(order)
    lengths = list(map(str, array.shape))
    axis = array.ndim - 1
    if array.size:
        lengths[axis] = "-1"
    descr = np.lib.format.dtype_to_descr(array.dtype)
    out, complaint = command(safenpy, "wrap", "--dtype", descr if isinstance(descr, str) else repr(descr),
                             "--shape", ",".join(lengths) + ",", "--order", order, "-", "-", data=raw)
    tally.expect(f"wrap {array.dtype} {array.shape}", complaint or (None if out == file else "not what np.save writes"))
    out, complaint = command(safenpy, "unwrap", "-", "-", data=file)
    tally.expect(f"unwrap {array.dtype} {array.shape}", complaint or (None if out == raw else "not the bytes"))


def try_append(tally, rng, safenpy, folder, array):
    if array.ndim == 0 or array.itemsize == 0:
        return
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    axis = array.ndim - 1 if fortran else 0
    form = "F" if fortran else "C"
    parts = [array] + [array.take(range(rng.randrange(array.shape[axis] + 1)), axis=axis) for _ in range(2)]
    names = []
    for number, part in enumerate(parts):
        names.append(folder / f"part{number}.npy")
        np.save(names[-1], np.asarray(part, order=form))
    parts = [np.load(name) for name in names]  # NumPy leaves padding undefined when it copies
    _, complaint = command(safenpy, "append", *names)
    shape = list(array.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    wanted = np.zeros(shape, dtype=array.dtype, order=form)  # np.concatenate would change the byte order
    at = 0
    for part in parts:
        place = (slice(None),) * axis + (slice(at, at + part.shape[axis]),)
        wanted[place].view(f"V{array.itemsize}")[...] = part.view(f"V{array.itemsize}")
        at += part.shape[axis]
    if complaint is None:
        complaint = differs(np.load(names[0]), wanted)
    if complaint is None and names[0].read_bytes() != saved(wanted):
        complaint = "not what np.save writes"
    tally.expect(f"append {array.dtype} {[part.shape for part in parts]}", complaint)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("safenpy")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    tally = Tally()
    kinds = [np.dtype(prefix + kind) if kind != "?" else np.dtype("?")
             for kind in SIMPLE for prefix in (("<", ">") if np.dtype(kind).itemsize > 1 and kind[0] not in "SV" else ("",))]
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        for dtype in kinds + [np.dtype(record) for record in RECORDS]:
            for ndim in range(6):
                for form in "CF":
                    array = np.asarray(fill(rng, np.zeros(shapes(rng, ndim), dtype=dtype)), order=form)
                    if array.dtype.names and form == "C" and not array.flags.c_contiguous:
                        continue
                    for _ in range(2):
                        try_convert(tally, rng, args.safenpy, Path(folder), array)
                    try_wrap(tally, args.safenpy, array)
                    try_append(tally, rng, args.safenpy, Path(folder), array)
        try_large(tally, rng, args.safenpy, Path(folder))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
