#!/usr/bin/python3
"""Holds the library against NumPy: takes mutated headers and the library's verdicts from fuzz/feed.c through a pipe, and
asks a NumPy process about each of them.

    fuzz/numpy_server.py build/fuzz/feed --count 3000 --seed 7
    fuzz/numpy_server.py build/fuzz/feed --count 1000000 --record    with a new seed; adds the run to fuzz/campaign.json

Where both take a header, shape, order and itemsize have to be the same. Where they disagree, the specification has to
say so: the library may refuse what NumPy reads with a status that some case of the corpus has for that reason, and
NumPy may refuse what the library reads for one of REFUSED, or because of how Python reads lines. Everything else is a
finding: it is printed, and kept in build/fuzz/numpy. Ends with 1 if there is one. NumPy's reader is asked for the header,
and whether an array of that shape can be; no data are read.

NumPy first takes the text apart with a tokenizer written in Python, drops each L behind a number, and joins the rest: four
fifths of its time. PLAIN texts, of one line, in which that changes nothing, go past it (all else is NumPy's code). Where
library and NumPy then disagree, and of one input in REREAD besides, NumPy is asked again with its tokenizer, and what it
says then counts; that a text was read in one way and refused in the other is a finding too, of this shortcut.
"""

import argparse
import fcntl
import gc
import hashlib
import io
import itertools
import json
import math
import mmap
import os
import random
import re
import resource
import struct
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import campaign

ROOT = Path(__file__).resolve().parent.parent
RECORD = struct.Struct("<IIQQII")
MEMORY = 6 << 30
# What NumPy before 2.0 refuses of files that the specification takes (the table "Read here, refused by NumPy").
REFUSED = {"maximum supported dimension": "NPY-SHAPE-001", "invalid shape in fixed-type tuple": "NPY-SHAPE-001",
           "too many dimensions": "NPY-SHAPE-001", "must be non-negative": "NPY-SHAPE-004"}
# NPY-FRAME-009: Python takes blanks behind a newline for an indented line, unless another newline ends it.
OPEN_LINE = re.compile(rb"[\r\n\f][ \t\r\n\f]*[ \t\f]\Z")
# One line of ASCII without an L, a backslash or a comment: its tokens, joined, are the text again.
PLAIN = re.compile(r"[ !\"$-KM-\[\]-~]*\n?\Z")
REREAD = 64
BATCH = 20_000  # inputs of a process
COUNTED = ("asked", "both", "neither", "ours", "theirs", "crashes", "findings")
COUNTS = struct.Struct(f"<{len(COUNTED)}Q")
TOKENIZED = np.lib.format._filter_header
LARGEST = 1 << 24  # bytes of an element for which NumPy is asked whether an array can be


def statuses():
    """Number and name of each status, from the public header."""
    text = (ROOT / "include" / "safenpy" / "statuses.h").read_text(encoding="utf-8")
    rows = re.findall(r"^SNPY_STATUS\((SNPY_\w+), (\d+)", text, re.MULTILINE)
    return {0: "SNPY_OK", **{int(number): name for name, number in rows}}


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
        np.broadcast_to(np.ndarray((), dtype), shape)  # np.empty would make <U1 of <U0
    return shape, fortran, dtype


def filter_quickly(text):
    return text if PLAIN.match(text) else TOKENIZED(text)


def answer(data):
    """What NumPy reads, or the exception with which it refuses."""
    try:
        return read(data)
    except Exception as error:  # NumPy's reader lets many kinds of exceptions through
        return error


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
        self.asked = self.both = self.neither = self.ours = self.theirs = self.crashes = 0
        self.shared = mmap.mmap(-1, COUNTS.size)  # what a process has counted outlives it

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

    def ask(self, is_ours, data):
        """What NumPy says: quickly, and once more with its tokenizer where that matters, or now and then."""
        said = answer(data)
        self.asked += 1
        if is_ours == isinstance(said, tuple) and self.asked % REREAD != 0:
            return said
        np.lib.format._filter_header = TOKENIZED
        again = answer(data)
        np.lib.format._filter_header = filter_quickly
        if type(again) is not type(said) and (isinstance(again, tuple) or isinstance(said, tuple)):
            self.find(f"NumPy without its tokenizer: {said!r}, with it: {again!r}", data)
        return again

    def judge_all(self, records):
        """In a process of its own, for NumPy may crash: that is a refusal too, and the next process goes on behind it."""
        while records:
            before = self.asked
            child = os.fork()
            if child == 0:
                for record, data in records:
                    self.judge(record, data)
                    COUNTS.pack_into(self.shared, 0, *(getattr(self, name) for name in COUNTED))
                os._exit(0)
            _, status = os.waitpid(child, 0)
            for name, count in zip(COUNTED, COUNTS.unpack_from(self.shared)):
                setattr(self, name, count)
            records = records[self.asked - before :]
            if status != 0:
                (record, data), *records = records
                self.crash(record, data, os.waitstatus_to_exitcode(status))

    def crash(self, record, data, code):
        """NumPy did not survive; what the library says decides whether that is a disagreement.

        The input is printed and not recorded: what crashes others stays out of the repository until their authors know."""
        self.asked, self.crashes = self.asked + 1, self.crashes + 1
        print(f"NumPy {np.__version__} ends with {code}: {data!r}", flush=True)
        if self.names[record[0]] == "SNPY_OK":
            self.ours += 1
            self.find(f"accepted; NumPy {np.__version__} ends with {code}", data)
        else:
            self.neither += 1
        COUNTS.pack_into(self.shared, 0, *(getattr(self, name) for name in COUNTED))

    def judge(self, record, data):
        status = self.names[record[0]]
        said = self.ask(status == "SNPY_OK", data)
        if isinstance(said, Exception):
            if status != "SNPY_OK":
                self.neither += 1
                return
            self.ours += 1
            if not any(part in str(said) for part in REFUSED) and not OPEN_LINE.search(text_of(data)):
                self.find(f"accepted; NumPy {np.__version__}: {type(said).__name__}: {said}", data)
            return
        if status == "SNPY_OK":
            self.both += 1
            self.compare(record, *said, data)
            return
        self.theirs += 1
        if status not in self.explained:
            self.find(f"{status}; NumPy {np.__version__} reads {said}", data)


def read_records(source):
    while head := source.read(RECORD.size):
        record = RECORD.unpack(head)
        yield record, source.read(record[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("feed")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="with a seed of its own")
    args = parser.parse_args()
    if args.record:
        args.seed = random.SystemRandom().randrange(1 << 32)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    files = sorted(str(path) for path in (ROOT / "corpus").rglob("*.npy")
                   if path.stat().st_size <= 1024 and not path.read_bytes().startswith(b"PK"))  # the feed's archives
    judge = Judge()
    began, begun = time.monotonic(), campaign.commit()
    np.lib.format._filter_header = filter_quickly
    gc.disable()  # nothing here has cycles that matter, and a collection would copy the memory of each new process
    call = [args.feed, str(args.count), str(args.seed), *files]
    with subprocess.Popen(call, stdout=subprocess.PIPE, bufsize=1 << 20) as source:
        fcntl.fcntl(source.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)  # few turns between the two processes
        while records := list(itertools.islice(read_records(source.stdout), BATCH)):
            judge.judge_all(records)
            print(f"{judge.asked} headers, {judge.findings} findings", flush=True)
    seconds, asked = time.monotonic() - began, judge.asked
    if args.record and source.returncode == 0 and asked == args.count:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        used = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        campaign.add_entry("numpy", {"numpy": f"{np.__version__} on Python {sys.version.split()[0]}", "date": campaign.now(),
                                     "commit": begun, "seed": args.seed, "inputs": asked,
                                     "seconds": round(seconds, 1), "cpu": round(used, 1), "both": judge.both,
                                     "neither": judge.neither, "ours": judge.ours, "theirs": judge.theirs,
                                     "findings": judge.findings})
    print(f"NumPy {np.__version__}: {asked} headers in {seconds:.0f} s ({asked / seconds:.0f} a second): {judge.both} "
          f"read by both, {judge.neither} by neither, {judge.ours} by safenpy alone, {judge.theirs} by NumPy alone; "
          f"NumPy crashed {judge.crashes} times")
    print(f"{judge.findings} findings")
    return 1 if judge.findings or asked != args.count or source.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
