#!/usr/bin/python3
"""Holds the library against NumPy: takes mutated archives and what the library makes of them from fuzz/feed.c through a
pipe, and lets this one NumPy process load each of them.

    fuzz/numpy_archives.py build/fuzz/feed --count 100000 --seed 7

Where both open an archive, its members have to be the same, in the same order, and where both load a member, its bytes.
What the library refuses and NumPy takes must be refused with a status that some case of the corpus has for that reason, or
NumPy must not have looked: of two members of one name it reads the last, of a member only what the array takes.
What NumPy refuses and the library takes must be among REFUSED. All else is a finding: it is printed, and kept in
build/fuzz/numpy. Ends with 1 if there is one.
"""

import argparse
import collections
import io
import json
import resource
import struct
import subprocess
import sys
import time
import warnings
import zlib

import numpy as np

import numpy_server

ARCHIVE = struct.Struct("<III")
MEMBER = struct.Struct("<IIIIIQ")
MEMORY = 4 << 30
UTF8 = 0x800
UNREAD = 3800  # bytes behind an array that NumPy may leave unread
# What NumPy, or Python under it, refuses of members that the specification takes, and why.
REFUSED = dict.fromkeys(numpy_server.REFUSED, "rules of NPY files")


def explained():
    """The statuses with which the corpus has archives refused that some NumPy reads, or files."""
    path = numpy_server.ROOT / "corpus" / "archives" / "manifest.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    found = {case["error"]["status"] for case in cases if "error" in case and "accept" in case["numpy"].values()}
    return found | numpy_server.explained()


def records(source):
    """Each archive with the status of opening it, and of its members (numbers, name)."""
    while head := source.read(ARCHIVE.size):
        size, status, count = ARCHIVE.unpack(head)
        data = source.read(size)
        members = []
        for _ in range(count):
            length, *numbers = MEMBER.unpack(source.read(MEMBER.size))
            members.append((numbers, source.read(length)))
        yield data, status, members


class Judge(numpy_server.Findings):
    def __init__(self):
        super().__init__(explained(), ".npz")
        self.archives, self.members, self.reasons = collections.Counter(), collections.Counter(), collections.Counter()

    def refused(self, counter, what, status, data, excuse):
        """NumPy takes it, safenpy does not."""
        counter["theirs"] += 1
        self.reasons[f"{status}{', ' + excuse if excuse else ''}"] += 1
        if status not in self.explained and not excuse:
            self.find(f"{what}: {status}; NumPy {np.__version__} takes it", data)

    def taken(self, counter, what, error, data):
        """safenpy takes it, NumPy does not."""
        counter["ours"] += 1
        reason = next((why for part, why in REFUSED.items() if part in str(error)), None)
        self.reasons[f"NumPy: {reason}"] += 1
        if reason is None:
            self.find(f"{what}: taken; NumPy {np.__version__}: {type(error).__name__}: {error}", data)

    def member(self, loaded, info, numbers, data):
        name = info.filename
        status, is_array, is_fortran, crc, size = numbers
        status = self.names[status]
        try:
            value = loaded[name]
        except Exception as error:  # NumPy and zipfile let many kinds of exceptions through
            if status == "SNPY_OK":
                self.taken(self.members, repr(name), error, data)
            else:
                self.members["neither"] += 1
            return
        if status != "SNPY_OK":
            is_unread = status == "SNPY_ZIP_BAD_CRC" and info.file_size > getattr(value, "nbytes", 0) + UNREAD
            self.refused(self.members, repr(name), status, data, "NumPy has not read all (NPZ-DATA-005)" if is_unread else "")
            return
        self.members["both"] += 1
        if bool(is_array) != isinstance(value, np.ndarray):
            self.find(f"{name!r}: an array: {bool(is_array)}, NumPy {type(value).__name__}", data)
            return
        held = value.tobytes("F" if is_fortran else "C") if is_array else value
        if (len(held), zlib.crc32(held)) != (size, crc):
            self.find(f"{name!r}: {size} bytes with CRC {crc:08x}, NumPy {len(held)} with {zlib.crc32(held):08x}", data)

    def judge(self, data, status, members):
        status = self.names[status]
        try:
            loaded = np.load(io.BytesIO(data), allow_pickle=False)
            if not isinstance(loaded, np.lib.npyio.NpzFile):
                raise ValueError("no archive")
            if status != "SNPY_OK":  # opening compares all local headers; Python reads each with its member
                for name in loaded.zip.namelist():
                    loaded[name]
        except Exception as error:
            if status == "SNPY_OK":
                self.taken(self.archives, "archive", error, data)
            else:
                self.archives["neither"] += 1
            return
        with loaded:
            if status != "SNPY_OK":
                names = loaded.zip.namelist()
                is_hidden = len(set(names)) < len(names)
                self.refused(self.archives, "archive", status, data, "a name that is there twice" if is_hidden else "")
                return
            self.archives["both"] += 1
            infos = loaded.zip.infolist()
            said = [info.orig_filename.encode("utf-8" if info.flag_bits & UTF8 else "cp437") for info in infos]
            if said != [name for _, name in members]:
                self.find(f"members {[name for _, name in members]}, NumPy {said}", data)
                return
            for info, (numbers, _) in zip(infos, members):
                self.member(loaded, info, numbers, data)


def text_of(counter):
    return f"{counter['both']} taken by both, {counter['neither']} by neither, {counter['ours']} by safenpy alone, " \
           f"{counter['theirs']} by NumPy alone"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("feed")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    folder = numpy_server.ROOT / "corpus" / "archives"
    files = sorted(str(path) for path in folder.rglob("*.npz") if path.stat().st_size < 4096)
    judge = Judge()
    began = time.monotonic()
    asked = 0
    with subprocess.Popen([args.feed, str(args.count), str(args.seed), *files], stdout=subprocess.PIPE) as source:
        for record in records(source.stdout):
            judge.judge(*record)
            asked += 1
            if asked % 20_000 == 0:
                print(f"{asked} archives, {judge.findings} findings", flush=True)
    seconds = time.monotonic() - began
    print(f"NumPy {np.__version__} on Python {sys.version.split()[0]}: {asked} archives in {seconds:.0f} s")
    print(f"archives: {text_of(judge.archives)}\nmembers: {text_of(judge.members)}")
    for reason, times in sorted(judge.reasons.items()):
        print(f"    {times:7} {reason}")
    print(f"{judge.findings} findings")
    return 1 if judge.findings or asked != args.count or source.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
