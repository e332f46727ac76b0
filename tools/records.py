"""What was run on which inputs, so that a check need not run it again: tests/records.json.

An item is one piece of a part: a planted bug, a group of Eva, a build by a cross compiler. Its inputs are the files
that its outcome depends on; the record keeps a hash of them, of when it last passed. The check runs an item if its
inputs are not those of the record, and one sample of the rest, which the commit chooses; FULL=1 runs all. What passed
goes into build/records, from where `make records` takes it, if its inputs are still those of the tree.

    book = records.Book("eva")
    for name in book.due({"core": records.digest("src/core/*.c", "proofs/eva/core.c", extra="frama-c 26.1")}):
        if run(name):
            book.passed(name)
"""

import fcntl
import hashlib
import json
import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "records.json"
FRESH = ROOT / "build" / "records"
IGNORED = {"__pycache__", ".pytest_cache", ".frama-c"}


def files(*patterns, root=ROOT):
    """The files that patterns name, below the root; a folder stands for all that is in it."""
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
        """The names to run, in their order, of {name: hash of its inputs}; says which are left out, and why."""
        self.inputs.update(items)
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
            now = read(self.fresh)
            now[name] = {"inputs": self.inputs[name], "date": datetime.now(timezone.utc).strftime("%Y-%m-%d")}
            self.fresh.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="ascii")


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
