"""Shows that the smoke test of the harnesses turns red when it must: for bugs of proofs/negative that are planted into a
copy of the tree, for some that no seed shows, and for coverage that drops.

`make fuzz` must have built the harnesses. With SNPY_FULL=1 all bugs of proofs/negative that a harness can see; without,
a few, and of them and the hidden ones those whose inputs changed since they were last found, and a sample.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The harness that must fall, by the file that a patch changes.
HARNESS = {"view.c": "view", "copy.c": "copy", "sink.h": "name", "nodes.c": "objects"}
# What nothing here can see: values of elements, which tests/data holds against NumPy; and a patch of the logic alone.
UNSEEN = {"halves-swapped", "strides-overlap"}
FEW = ["blanks-beyond-the-end", "utf8-cut-short", "leading-zero-accepted", "product-wraps", "subarray-table-overrun",
       "step-without-sign"]
# Bugs that no seed shows, and that have to be found by fuzzing: name, harness, file, what is there, what comes instead.
HIDDEN = [
    # Of three dimensions one is lost.
    ("dimension-lost", "shape", "src/core/shape.c", "    *count = number;\n",
     "    *count = ndim == 3 && dims[1] == 4096 ? 0 : number;\n"),
    # Of a wide size in a descriptor only the lower half is compared.
    ("descriptor-half-compared", "archive_directory", "src/core/zip/local.c",
     "    if (size != member->size) return", "    if ((uint32_t)size != (uint32_t)member->size) return"),
    # One byte may hide behind a deflate stream.
    ("byte-behind-the-stream", "archive_member", "src/npz/member.c",
     "    if (inflater->has_ended && used < record->compressed_size)",
     "    if (inflater->has_ended && used + 3 < record->compressed_size)"),
    # Salvage loses whole members of some sizes.
    ("whole-member-lost", "archive_member", "src/npz/salvage.c",
     "    snpy_make_one_member_archive(work, candidate);\n",
     "    snpy_make_one_member_archive(work, candidate);\n    if (candidate->entry.size % 64 - 13 <= 2) work->tail_length--;\n"),
    # Some stored members whose size was not known keep a size of 0.
    ("size-of-late-members", "archive_round_trip", "src/npz/write_member.c",
     "    entry->size = open->received;\n", "    if (open->received % 64 != 20) entry->size = open->received;\n"),
    # What comes back is not compared with the last byte of a member.
    ("last-byte-not-compared", "flat", "src/host/object_unflatten.c",
     "        if (has_other && at == one->size && at == other->size) continue;\n",
     "        if (has_other && at + 1 >= one->size && at + 1 >= other->size) continue;\n"),
    # A column may have one item more than the member that says which of them are None.
    ("none-beyond-the-end", "flat", "src/host/flat_source.c", "source->nones.header.count == count;", "source->nones.header.count + 1 >= count;"),
]
SECONDS = 400  # at most, on a slow machine; most are found in half a minute


class Gate:
    def __init__(self, work):
        self.work = work

    def test(self, name, ok, text=""):
        assert ok, f"{name}\n" + "\n".join(text.splitlines()[-30:])
        return True

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
        try:
            self.must_fall(patch.stem, HARNESS.get(Path(changed).name, "header"), "--replay-only")
        finally:
            (self.work / changed).write_bytes(before)

    def hidden(self, name, harness, file, old, new):
        """A bug that the seeds do not show: the fuzzer has to find it."""
        path = self.work / file
        before = path.read_text(encoding="utf-8")
        self.test(f"{name}: there is a place for it", before.count(old) == 1)
        path.write_text(before.replace(old, new), encoding="utf-8")
        try:
            status, text = self.run("make", "--no-print-directory", f"build/fuzz/{harness}")
            self.test(f"{name}: builds", status == 0, text)
            status, text = self.run(sys.executable, "fuzz/smoke.py", "build/fuzz", "--only", harness, "--replay-only")
            self.test(f"{name}: the seeds do not show it", status == 0, text)
            self.must_fall(name, harness, "--seconds", str(SECONDS))
        finally:
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


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    work = tmp_path_factory.mktemp("gate")
    copy_tree(ROOT / "build" / "fuzz", work)
    return Gate(work)


PATCHES = [path for path in sorted((ROOT / "proofs" / "negative").glob("*.patch")) if path.stem not in UNSEEN
           and (os.environ.get("SNPY_FULL") == "1" or path.stem in FEW)]
inputs = pytest.mark.inputs("src", "include", "fuzz", "tests/oracle", "tests/fuzz", "proofs/negative")


def test_bugs_to_plant_are_there():
    assert set(FEW) <= {path.stem for path in PATCHES}


@inputs
@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_planted(gate, patch):
    gate.planted(patch)


@inputs
@pytest.mark.parametrize("bug", HIDDEN, ids=lambda bug: bug[0])
def test_hidden(gate, bug):
    gate.hidden(*bug)


@inputs
def test_coverage_that_drops(gate):
    """Everything is as it was again, so the record can only be missed for want of seeds."""
    gate.run("make", "--no-print-directory", "build/fuzz/header")
    gate.drop()
