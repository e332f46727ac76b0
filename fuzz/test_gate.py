#!/usr/bin/env python3
"""Shows that the smoke test turns red when it must: for bugs of proofs/negative that are planted into a copy of the
tree, for some that no seed shows, and for coverage that drops.

    fuzz/test_gate.py build/fuzz           a few bugs, in some minutes; build/fuzz is what `make fuzz` has built
    fuzz/test_gate.py build/fuzz --all     all bugs of proofs/negative that a harness can see
    fuzz/test_gate.py build/fuzz --only TEXT
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The harness that must fall, by the file that a patch changes.
HARNESS = {"view.c": "view", "copy.c": "copy", "sink.h": "name", "stream.c": "stream"}
# What nothing here can see: values of elements, which tests/data holds against NumPy; and a patch of the logic alone.
UNSEEN = {"halves-swapped", "strides-overlap"}
FEW = ["blanks-beyond-the-end", "utf8-cut-short", "leading-zero-accepted", "product-wraps", "subarray-table-overrun",
       "step-without-sign", "data-beyond-the-declared"]
# Bugs that no seed shows, and that have to be found by fuzzing: name, harness, file, what is there, what comes instead.
HIDDEN = [
    # Of three dimensions one is lost.
    ("dimension-lost", "shape", "src/core/shape.c", "    *count = number;\n",
     "    *count = ndim == 3 && dims[1] == 4096 ? 0 : number;\n"),
    # Of a wide size in a descriptor only the lower half is compared.
    ("descriptor-half-compared", "archive_directory", "src/core/zip_local.c",
     "    if (size != member->size) return", "    if ((uint32_t)size != (uint32_t)member->size) return"),
    # One byte may hide behind a deflate stream.
    ("byte-behind-the-stream", "archive_member", "src/npz/member.c",
     "    if (inflater->has_ended && used < record->compressed_size)",
     "    if (inflater->has_ended && used + 3 < record->compressed_size)"),
    # Some stored members whose size was not known keep a size of 0.
    ("size-of-late-members", "archive_round_trip", "src/npz/write_member.c",
     "    entry->size = open->received;\n", "    if (open->received % 64 != 20) entry->size = open->received;\n"),
]
SECONDS = 120  # at most; most are found in half a minute


class Gate:
    def __init__(self, work):
        self.work = work
        self.passed = self.failed = 0

    def test(self, name, ok, text=""):
        self.passed += bool(ok)
        self.failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  {name}", flush=True)
        if text and not ok:
            print("\n".join(text.splitlines()[-30:]), flush=True)
        return bool(ok)

    def run(self, *call, **more):
        environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        run = subprocess.run([str(word) for word in call], cwd=self.work, env=environment | more, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace")
        return run.returncode, run.stdout

    def must_fall(self, name, harness, *words):
        """Builds a harness from the changed tree; its smoke test has to fail, and for the right reason."""
        status, text = self.run("make", "--no-print-directory", f"build/fuzz/{harness}")
        if status != 0:
            self.test(f"{name}: builds", False, text)
            return
        status, text = self.run(sys.executable, "fuzz/smoke.py", "build/fuzz", "--only", harness, *words)
        self.test(f"{name}: {harness} turns red", status == 1 and "FAIL" in text, text)

    def planted(self, patch):
        """A bug of proofs/negative, put in and taken out again."""
        text = patch.read_text(encoding="utf-8")
        changed = text.split("\n--- a/", 1)[1].split("\n", 1)[0]
        before = (self.work / changed).read_bytes()
        if not self.run("patch", "-p1", "-s", "-i", str(patch))[0] == 0:
            self.test(f"{patch.stem}: applies", False)
            return
        self.must_fall(patch.stem, HARNESS.get(Path(changed).name, "header"), "--replay-only")
        (self.work / changed).write_bytes(before)

    def hidden(self, name, harness, file, old, new):
        """A bug that the seeds do not show: the fuzzer has to find it."""
        path = self.work / file
        before = path.read_text(encoding="utf-8")
        self.test(f"{name}: there is a place for it", before.count(old) == 1)
        path.write_text(before.replace(old, new), encoding="utf-8")
        status, text = self.run("make", "--no-print-directory", f"build/fuzz/{harness}")
        self.test(f"{name}: builds", status == 0, text)
        status, text = self.run(sys.executable, "fuzz/smoke.py", "build/fuzz", "--only", harness, "--replay-only")
        self.test(f"{name}: the seeds do not show it", status == 0, text)
        started = time.monotonic()
        self.must_fall(name, harness, "--seconds", str(SECONDS))
        print(f"      after {time.monotonic() - started:.0f} s", flush=True)
        path.write_text(before, encoding="utf-8")

    def drop(self):
        """Fewer seeds: what is recorded is no longer reached."""
        path = self.work / "fuzz" / "seeds.py"
        before = path.read_text(encoding="utf-8")
        path.write_text(before.replace("MOST = 4096 ", "MOST = 90 "), encoding="utf-8")
        status, text = self.run(sys.executable, "fuzz/smoke.py", "build/fuzz", "--only", "header", "--replay-only")
        lost = [line for line in text.splitlines() if line.startswith("FAIL") and "recorded are" in line]
        self.test("coverage: fewer edges turn the smoke test red", status == 1 and len(lost) == 1, text)
        path.write_text(before, encoding="utf-8")


def copy_tree(built, work):
    for name in ("src", "include", "fuzz", "tests/oracle", "spec", "proofs/negative"):
        shutil.copytree(ROOT / name, work / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "Makefile", work / "Makefile")
    (work / "corpus").symlink_to(ROOT / "corpus")
    shutil.copytree(built, work / "build" / "fuzz", ignore=shutil.ignore_patterns("corpus", "findings"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("built", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    patches = sorted((ROOT / "proofs" / "negative").glob("*.patch"))
    chosen = [path for path in patches if path.stem not in UNSEEN and (args.all or args.only or path.stem in FEW)]
    with tempfile.TemporaryDirectory(prefix="safenpy-fuzz-gate-") as temporary:
        work = Path(temporary)
        copy_tree(args.built.resolve(), work)
        gate = Gate(work)
        gate.test("the bugs to plant are there", not args.only and set(FEW) <= {path.stem for path in patches} or args.only)
        for patch in chosen:
            if args.only in patch.stem:
                gate.planted(patch)
        for bug in HIDDEN:
            if args.only in bug[0]:
                gate.hidden(*bug)
        if args.only in "coverage":
            # Everything is as it was again, so the record can only be missed for want of seeds.
            gate.run("make", "--no-print-directory", "build/fuzz/header")
            gate.drop()
    print(f"{gate.passed} passed, {gate.failed} failed")
    return 1 if gate.failed or not gate.passed else 0


if __name__ == "__main__":
    sys.exit(main())
