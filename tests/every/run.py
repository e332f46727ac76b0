#!/usr/bin/env python3
"""Every header of a small grammar: written, read back, written again (headers.c), and as NumPy writes it.

    tests/every/run.py             1,388,615 headers; the smallest against NumPy

The program prints how many headers each family has. NumPy gets dtype, shape, order and version of each header of the
smallest size, never its text, and must write the same bytes. It can't have floats of 10 and 12 bytes on x86-64, nor a
sub-array in a sub-array: it merges them.
"""

import argparse
import io
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c99", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}"]
HEADERS = (57850, 1388615)  # of each size
VERSIONS = (None, (1, 0), (2, 0), (3, 0))


def build(core, work):
    """The program with a core."""
    program = work / "headers"
    subprocess.run(["gcc", *FLAGS, "-o", program, ROOT / "tests/every/headers.c", *sorted(core.rglob("*.c"))], check=True)
    return program


def decode(name):
    """A name or title, given as the hexadecimal digits of its UTF-8."""
    return bytes.fromhex(name).decode()


def dtype_of(entries, at, np):
    """The dtype of an entry without its own dimensions, and the entry after it. Raises TypeError if NumPy can't have it."""
    depth, *_, simple, _, _, size = entries[at]
    at += 1
    if simple is not None:
        return simple, at
    names, titles, formats, offsets = [], [], [], []
    while at < len(entries) and entries[at][0] > depth:
        _, title, name, _, dims, offset, _ = entries[at]
        if name is None:
            raise TypeError("a sub-array in a sub-array")
        inner, at = dtype_of(entries, at, np)
        names.append(decode(name))
        titles.append(None if title is None else decode(title))
        formats.append((inner, dims) if dims else inner)
        offsets.append(offset)
    return np.dtype({"names": names, "titles": titles, "formats": formats, "offsets": offsets, "itemsize": size}), at


def compare(program):
    """Headers that NumPy wrote alike, those it can't have, and what differs."""
    import numpy as np
    warnings.simplefilter("ignore")  # that older versions of NumPy can't read version 3.0
    written = skipped = 0
    last = dtype = None
    with subprocess.Popen([program, "print", "0"], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            entries, fortran, shape, version, digits = eval(line)  # a tuple that our own program printed
            if entries != last:
                last = entries
                try:
                    dtype = np.dtype(dtype_of(entries, 0, np)[0])
                except TypeError:
                    dtype = None
            if dtype is None:
                skipped += 1
                continue
            stream = io.BytesIO()
            np.lib.format._write_array_header(stream, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": fortran,
                                                       "shape": shape}, VERSIONS[version])
            if stream.getvalue().hex() != digits:
                yield f"{stream.getvalue()} of NumPy, not {bytes.fromhex(digits)}"
            written += 1
    print(f"as NumPy {np.__version__} writes them: {written}; that it can't have: {skipped}")
    if process.returncode != 0 or not written:
        yield "no header was compared"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=Path, default=ROOT / "src" / "core", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="safenpy-every-") as work:
        program = build(args.core, Path(work))
        done = subprocess.run([program, "check", str(args.size)], text=True, stdout=subprocess.PIPE, check=False)
        print(done.stdout, end="", flush=True)
        found = re.search(r"^all: ([0-9]+) different headers$", done.stdout, re.MULTILINE)
        wrong = []
        if done.returncode == 0 and (not found or int(found[1]) != HEADERS[args.size]):
            wrong.append(f"{HEADERS[args.size]} headers are recorded")
        if done.returncode == 0:
            wrong += compare(program)
    for line in wrong[:5]:
        print(f"FAIL  {line}")
    failed = bool(wrong) + (done.returncode != 0)
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
