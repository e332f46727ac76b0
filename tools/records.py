#!/usr/bin/env python3
"""What was run on which inputs, so that a check need not run it again: tests/records.json; and the pages made from records.

    tools/records.py              updates each page, and names the records that must be measured again, and how; those that
                                  take long only with --measured
    tools/records.py --check      writes nothing; fails if a page is not what would be written

An item is one piece of a part: a planted bug, a group of Eva, a build by a cross compiler. Its inputs are the files
that its outcome depends on; the record keeps a hash of them, of when it last passed. The check runs an item if its
inputs are not those of the record, and one sample of the rest, which the commit chooses; FULL=1 runs all. What passed
goes into build/records, from where `make records` takes it, if its inputs are still those of the tree.

    book = records.Book("eva")
    for name in book.due({"core": records.digest("src/core/*.c", "proofs/eva/core.c", extra="frama-c 26.1")}):
        if run(name):
            book.passed(name)
"""

import argparse
import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "records.json"
FRESH = ROOT / "build" / "records"
FULL = ROOT / "build" / "full"            # what each part of the long run came to; tests/full.json has the last of all
FULL_RECORD = ROOT / "tests" / "full.json"
FULL_PAGE = ROOT / "tests" / "FULL.md"
# A page: the script that writes it, its words for that, and for looking only.
PAGES = {
    "spec/TRACE.md": ("tools/trace.py", [], ["--check"]),
    "the differences in spec/npy.md": ("tools/differences.py", [], ["--check"]),
    "proofs/REPORT.md": ("proofs/report.py", [], ["--check"]),
    "fuzz/CAMPAIGN.md": ("fuzz/campaign.py", ["--write"], ["--check"]),
    "corpus/matrix/index.html and the table of docs/readers.md": (
        "corpus/matrix/make_matrix.py", ["--readme", "docs/readers.md"], ["--check", "--readme", "docs/readers.md"]),
    "corpus/matrix/fixes.md": ("corpus/matrix/make_fixes.py", [], ["--check"]),
    "the table of docs/readers.md about archives": ("corpus/archives/make_table.py", [], ["--check"]),
}
# What is measured: the part of the check that compares, and what measures anew. The parts of LONG take minutes.
LONG = {"coverage", "object-coverage", "fuzz", "eva", "proofs"}
MEASURED = {
    "bench/footprint.md": ("footprint", "tools/footprint.py --write"),
    "bench/counts.json": ("counts", "bench/counts.py build/gcc --write"),
    "tests/coverage.json": ("coverage", "tools/coverage.py --write"),
    "tests/object-coverage.json": ("object-coverage", "tools/object_coverage.py build/gcc --write"),
    "fuzz/coverage.json": ("fuzz", "fuzz/smoke.py build/fuzz --record"),
    "proofs/eva/alarms.md": ("eva", "proofs/eva.py --record"),
    "corpus/results": ("page", "make matrix"),
    "proofs/results.json": ("proofs", "make prove RECORD=1"),
}
IGNORED = {"__pycache__", ".pytest_cache", ".frama-c"}


def files(*patterns, root=ROOT):
    """The files that patterns name, below the root; a folder means everything in it."""
    found = set()
    for pattern in patterns:
        for path in [root / pattern] if "*" not in pattern else root.glob(pattern):
            found |= set(path.rglob("*")) if path.is_dir() else {path}
    return sorted(path for path in found if path.is_file() and not IGNORED & set(path.parts))


def digest(*patterns, extra="", root=ROOT):
    """A hash of names and contents of files, and of whatever else counts, such as a tool's version.

    A pattern that names no file is an error: a hash of nothing would never change.
    """
    state = hashlib.sha256(extra.encode())
    for pattern in patterns:
        if not files(pattern, root=root):
            raise ValueError(f"no file is named {pattern}")
    for path in files(*patterns, root=root):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        state.update(f"\n{path.relative_to(root)} {content}".encode())
    return state.hexdigest()


def commit():
    """What chooses the samples: the commit, or in a tarball a hash of the sources."""
    if "SNPY_COMMIT" in os.environ:
        return os.environ["SNPY_COMMIT"]
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True, capture_output=True, check=False) \
        if (ROOT / ".git").exists() else None
    if done and done.returncode == 0:
        return done.stdout.strip()
    return digest("src", "include", "corpus/manifest.json")


def sample(part, names, seed=None):
    """One of the names, by the commit; another commit chooses another."""
    seed = seed or commit()
    return min(names, key=lambda name: hashlib.sha256(f"{seed} {part} {name}".encode()).digest(), default=None)


def read(path):
    return json.loads(path.read_text(encoding="ascii")) if path.exists() else {}


class Book:
    """The items of one part: which are due, and which passed."""

    def __init__(self, part, record=RECORD, fresh=FRESH, full=None):
        self.part, self.fresh = part, fresh / f"{part}.json"
        self.recorded = read(record).get(part, {})
        self.full = os.environ.get("SNPY_FULL") == "1" if full is None else full
        self.inputs = {}

    def is_stale(self, name, inputs):
        return self.recorded.get(name, {}).get("inputs") != inputs

    def due(self, items):
        """The names to run, in their order, of {name: hash of its inputs}; prints which are left out, and why."""
        self.inputs.update(items)
        if not items:
            return []
        stale = {name for name, inputs in items.items() if self.full or self.is_stale(name, inputs)}
        chosen = stale | {sample(self.part, sorted(set(items) - stale))}
        for name in items:
            if name not in chosen:
                print(f"kept  {name}: unchanged since {self.recorded[name]['date']}", flush=True)
        return [name for name in items if name in chosen]

    def passed(self, name):
        """Notes that an item passed, for `make records`."""
        self.fresh.parent.mkdir(parents=True, exist_ok=True)
        with self.fresh.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = read(self.fresh)
            entries[name] = {"inputs": self.inputs[name], "date": now()}
            self.fresh.write_text(json.dumps(entries, indent=1, sort_keys=True) + "\n", encoding="ascii")


def collect(record=RECORD, fresh=FRESH):
    """Takes what passed since into the record; the names of what changed there."""
    all_of_it, changed = read(record), []
    for path in sorted(fresh.glob("*.json")):
        part = all_of_it.setdefault(path.stem, {})
        for name, entry in read(path).items():
            if part.get(name, {}).get("inputs") != entry["inputs"]:
                part[name] = entry
                changed.append(f"{path.stem}: {name}")
    if changed:
        record.write_text(json.dumps(all_of_it, indent=1, sort_keys=True) + "\n", encoding="ascii")
    return changed


# --- the long run ------------------------------------------------------------------------------------------


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%d")


@functools.lru_cache(maxsize=None)
def tree():
    """A hash of all sources: what a part of the long run was about."""
    return digest(*(path.name for path in ROOT.iterdir() if path.name not in (".git", "build")))


def keep_whole(part, **result):
    """Notes what a part of the long run came to."""
    FULL.mkdir(parents=True, exist_ok=True)
    value = {"tree": tree(), "commit": commit(), "date": now(), **result}
    (FULL / f"{part}.json").write_text(json.dumps(value, indent=1) + "\n", encoding="ascii")


def whole(part):
    """What a part came to, if it passed on these very files."""
    value = read(FULL / f"{part}.json")
    return value if value.get("tree") == tree() and value["failed"] == 0 else None


def full_page(parts):
    """The page of the long run."""
    rows = [f"| {name} | {part['commit'][:12]} | {part['date']} | {part['passed']:,} | {part['failed']} | {part['processor']:,} |\n"
            for name, part in sorted(parts.items())]
    return ("# The long run\n\nWhat `make check FULL=1` came to, part by part; `make records` writes this page.\n\n"
            "| part | commit | date | passed | failed | seconds of a processor |\n|---|---|---|--:|--:|--:|\n" + "".join(rows))


# --- the pages ---------------------------------------------------------------------------------------------


def call(script, words):
    done = subprocess.run([sys.executable, script, *words], cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0, "\n".join(done.stdout.splitlines()[-8:])


def is_stale(part):
    """Whether the part of the check that compares a record with measurements fails."""
    done = subprocess.run([sys.executable, "tools/check.py", "--only", part], cwd=ROOT, env={**os.environ, "SNPY_FULL": "1"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    return done.returncode != 0


def update(measured):
    """Writes the pages that are not up to date, and prints their names."""
    for entry in collect():
        print(f"recorded  {entry}")
    parts = read(FULL_RECORD) | {path.stem: read(path) for path in sorted(FULL.glob("*.json"))}
    for part in parts.values():
        part.pop("tree", None)
    if parts:
        FULL_RECORD.write_text(json.dumps(parts, indent=1, sort_keys=True) + "\n", encoding="ascii")
        FULL_PAGE.write_text(full_page(parts), encoding="ascii")
    good = True
    for page, (script, words, looking) in PAGES.items():
        is_fresh, _ = call(script, looking)
        is_so, text = (True, "") if is_fresh else call(script, words)
        good &= is_so
        print(f"{'up to date' if is_fresh else 'written   ' if is_so else 'FAIL      '}  {page}" + ("" if is_so else f"\n{text}"))
    for record, (part, how) in MEASURED.items():
        looked = measured or part not in LONG
        print(f"{('stale     ' if is_stale(part) else 'up to date') if looked else 'not looked'}  {record}: {how}", flush=True)
    return good


def check():
    """The pages that are not what would be written."""
    pages = dict(PAGES)
    if not shutil.which("frama-c"):
        print("skip  proofs/REPORT.md: there is no frama-c, which is asked for its version")
        del pages["proofs/REPORT.md"]
    results = {page: call(script, looking) for page, (script, _, looking) in pages.items()}
    if FULL_RECORD.exists():
        is_so = FULL_PAGE.exists() and FULL_PAGE.read_text(encoding="ascii") == full_page(read(FULL_RECORD))
        results["tests/FULL.md"] = is_so, ""
    for page, (is_fresh, text) in results.items():
        print(f"{'ok  ' if is_fresh else 'FAIL'}  {page}" + ("" if is_fresh else f" is stale: make records\n{text}"))
    stale = sum(not is_fresh for is_fresh, _ in results.values())
    print(f"{len(results) - stale} passed, {stale} failed")
    return not stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    parser.add_argument("--measured", action="store_true", help="look at the records that take minutes to compare, too")
    args = parser.parse_args()
    return 0 if (check() if args.check else update(args.measured)) else 1


if __name__ == "__main__":
    sys.exit(main())
