#!/usr/bin/python3
"""Holds the library against NumPy: takes mutated headers and the library's verdicts from fuzz/feed.c through a pipe, and
asks this one NumPy process about each of them.

    fuzz/numpy_server.py build/fuzz/feed --count 1000000 --seed 7

Where both take a header, shape, order and itemsize have to be the same. Where they disagree, the specification has to
say so: the library may refuse what NumPy reads with a status that some case of the corpus has for that reason, and
NumPy may refuse what the library reads for one of REFUSED, or because of how Python reads lines. Everything else is a finding: it is printed, and kept in
build/fuzz/numpy. Ends with 1 if there is one. NumPy's reader is asked for the header, and whether an array of that
shape can be; no data are read.
"""

import argparse
import hashlib
import io
import json
import math
import re
import resource
import struct
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RECORD = struct.Struct("<IIQQII")
MEMORY = 6 << 30
# What NumPy before 2.0 refuses of files that the specification takes (the table "Read here, refused by NumPy").
REFUSED = {"maximum supported dimension": "NPY-SHAPE-001", "invalid shape in fixed-type tuple": "NPY-SHAPE-001",
           "too many dimensions": "NPY-SHAPE-001", "must be non-negative": "NPY-SHAPE-004"}
# NPY-FRAME-009: Python takes blanks behind a newline for an indented line, unless another newline ends it.
OPEN_LINE = re.compile(rb"[\r\n\f][ \t\r\n\f]*[ \t\f]\Z")
LARGEST = 1 << 24  # bytes of an element for which NumPy is asked whether an array can be


def statuses():
    """Number and name of each status, from the public header."""
    text = (ROOT / "include" / "safenpy" / "status.h").read_text(encoding="utf-8")
    found = {}
    for line in text.splitlines():
        words = line.replace(",", " ").split()
        if len(words) > 2 and words[0].startswith("SNPY_") and words[1] == "=":
            found[int(words[2])] = words[0]
    return found


def explained():
    """The statuses with which the corpus has files refused that some NumPy reads."""
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    return {case["error"]["status"] for case in cases if "error" in case and "accept" in case["numpy"].values()}


def read(data):
    """(shape, Fortran order, dtype) as NumPy reads them; raises what NumPy raises."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    np.lib.format._check_version(version)
    shape, fortran, dtype = np.lib.format._read_array_header(stream, version, max_header_size=1 << 32)
    if not dtype.hasobject and dtype.itemsize <= LARGEST:
        if any(length < 0 for length in shape):
            raise ValueError("negative dimension")
        np.broadcast_to(np.empty((), dtype), shape)
    return shape, fortran, dtype


def text_of(data):
    """The header text, without what lies behind it."""
    prefix = 10 if data[6] == 1 else 12
    return data[prefix : prefix + int.from_bytes(data[8:prefix], "little")]


class Findings:
    """Counts what no rule explains, and keeps the input."""

    def __init__(self, explained_statuses, suffix):
        self.names, self.explained = statuses(), explained_statuses
        self.suffix, self.findings = suffix, 0
        self.place = ROOT / "build" / "fuzz" / "numpy"
        self.place.mkdir(parents=True, exist_ok=True)

    def find(self, why, data):
        self.findings += 1
        path = self.place / f"{hashlib.sha256(data).hexdigest()[:16]}{self.suffix}"
        path.write_bytes(data)
        print(f"finding: {why}; kept as {path.relative_to(ROOT)}", flush=True)


class Judge(Findings):
    def __init__(self):
        super().__init__(explained(), ".npy")
        self.both = self.neither = self.ours = self.theirs = 0

    def compare(self, record, shape, fortran, dtype, data):
        _, _, itemsize, count, is_fortran, has_object = record
        if bool(has_object) != dtype.hasobject:
            self.find(f"objects: {bool(has_object)}, NumPy {dtype.hasobject}", data)
        elif not has_object and dtype.itemsize != itemsize:
            self.find(f"itemsize {itemsize}, NumPy {dtype.itemsize}", data)
        elif math.prod(shape) != count:
            self.find(f"{count} elements, NumPy {math.prod(shape)}", data)
        elif bool(is_fortran) != bool(fortran):
            self.find(f"Fortran order {bool(is_fortran)}, NumPy {fortran}", data)

    def judge(self, record, data):
        status = self.names[record[0]]
        try:
            said = read(data)
        except Exception as error:  # NumPy's reader lets many kinds of exceptions through
            if status != "SNPY_OK":
                self.neither += 1
                return
            self.ours += 1
            if not any(part in str(error) for part in REFUSED) and not OPEN_LINE.search(text_of(data)):
                self.find(f"accepted; NumPy {np.__version__}: {type(error).__name__}: {error}", data)
            return
        if status == "SNPY_OK":
            self.both += 1
            self.compare(record, *said, data)
            return
        self.theirs += 1
        if status not in self.explained:
            self.find(f"{status}; NumPy {np.__version__} reads {said}", data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("feed")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    files = sorted(str(path) for path in (ROOT / "corpus").rglob("*.npy")
                   if path.stat().st_size <= 1024 and not path.read_bytes().startswith(b"PK"))  # the feed's archives
    judge = Judge()
    began = time.monotonic()
    with subprocess.Popen([args.feed, str(args.count), str(args.seed), *files], stdout=subprocess.PIPE) as source:
        asked = 0
        while head := source.stdout.read(RECORD.size):
            record = RECORD.unpack(head)
            judge.judge(record, source.stdout.read(record[1]))
            asked += 1
            if asked % 100_000 == 0:
                print(f"{asked} headers, {judge.findings} findings", flush=True)
    seconds = time.monotonic() - began
    print(f"NumPy {np.__version__}: {asked} headers in {seconds:.0f} s ({asked / seconds:.0f} a second): {judge.both} read by "
          f"both, {judge.neither} by neither, {judge.ours} by safenpy alone, {judge.theirs} by NumPy alone")
    print(f"{judge.findings} findings")
    return 1 if judge.findings or asked != args.count or source.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
