#!/usr/bin/env python3
"""Makes the seeds of the harnesses from the corpus, and from fuzz/seeds, where earlier campaigns left theirs.

    fuzz/seeds.py OUT [HARNESS…]     OUT/HARNESS/: one file an input; all harnesses unless some are named
    fuzz/seeds.py --keep HARNESS DIR…  takes the inputs of a merged corpus that the seeds do not have into fuzz/seeds
    fuzz/seeds.py --cases HARNESS DIR  notes which cases of the corpus a merge has left

fuzz/seeds/HARNESS.txt holds an input a line, in hexadecimal: text, so that a change of it can be read.
fuzz/seeds/HARNESS.found holds what a campaign found, a name and the input a line: these stay, whatever is merged.
fuzz/seeds/HARNESS.cases, where it exists, names the cases of the corpus that are enough; without it, all are seeds.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
MOST = 4096  # bytes of an input
MOST_KEPT = 120_000  # bytes of a file of fuzz/seeds
# Which seeds a harness begins with: whole archives or files, headers with some data, or parts of the text.
ARCHIVES = {"archive_directory", "archive_member", "archive_command"}
FILES = {"header", "canonical", "file", "command"}
TEXTS = {"descr": rb"'descr': *", "shape": rb"'shape': *", "name": None, "objects": None, "flat": None}
PICKLES = {"objects": b"", "flat": b"\0"}  # by what comes before a pickle
OTHERS = {"writer", "view", "copy", "archive_round_trip"}
HARNESSES = sorted(ARCHIVES | FILES | set(TEXTS) | OTHERS)


def closing(text, at):
    """The place behind the bracket or quote that closes the one at a place."""
    if text[at : at + 1] in (b"'", b'"'):
        end = text.find(text[at : at + 1], at + 1)
        return len(text) if end < 0 else end + 1
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in b"([{") - (text[place] in b")]}")
        if depth == 0:
            return place + 1
    return len(text)


def parts(name, data):
    """The inputs that a file of the corpus gives to a harness."""
    if name in FILES | ARCHIVES:
        return [data]
    prefix = 10 if data[6:7] == b"\x01" else 12
    version = data[6:7] if data[6:7] in (b"\1", b"\2", b"\3") else b"\1"
    text = data[prefix : prefix + int.from_bytes(data[8:prefix], "little")]
    if name in PICKLES:
        return [PICKLES[name] + data[prefix + len(text) :]]
    if name == "name":
        return [version + found[1:-1] for found in re.findall(rb"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", text)]
    return [version + text[found.end() : closing(text, found.end())] for found in re.finditer(TEXTS[name], text)]


def suffix(name):
    return ".npz" if name in ARCHIVES else ".npy"


def case_files(name):
    """The files of the corpus that a harness begins with."""
    place = FUZZ / "seeds" / f"{name}.cases"
    if not place.exists():
        return sorted((ROOT / "corpus" / ("objects" if name in PICKLES else "")).rglob(f"*{suffix(name)}"))
    files = [ROOT / "corpus" / f"{case}{suffix(name)}" for case in place.read_text(encoding="utf-8").split()]
    return [path for path in files if path.exists()]


def from_corpus(name):
    if name in OTHERS:
        return
    for path in case_files(name):
        for data in parts(name, path.read_bytes()):
            if len(data) <= MOST:
                yield data


def kept(name):
    path = FUZZ / "seeds" / f"{name}.txt"
    lines = path.read_text(encoding="ascii").split() if path.exists() else []
    return [bytes.fromhex(line.removeprefix("-")) for line in lines]


def found(name):
    """The inputs that were findings, by their names."""
    path = FUZZ / "seeds" / f"{name}.found"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return {line.split()[0]: bytes.fromhex(line.split()[1]) for line in lines}


def make(out, name):
    inputs = set(from_corpus(name)) | set(kept(name)) | set(found(name).values())
    place = out / name
    place.mkdir(parents=True, exist_ok=True)
    names = {hashlib.sha256(data).hexdigest()[:24]: data for data in inputs}
    for old in place.iterdir():
        if old.name not in names:
            old.unlink()
    for digest, data in names.items():
        if not (place / digest).exists():
            (place / digest).write_bytes(data)
    return len(names)


def keep(name, directories):
    """Takes over inputs that are new, the shortest first, as many as there is room for."""
    known = set(from_corpus(name)) | set(found(name).values())
    new = set(kept(name)) | {path.read_bytes() for place in directories for path in Path(place).iterdir()}
    lines, size = [], 0
    for data in sorted(new - known, key=lambda data: (len(data), data)):
        line = data.hex() or "-"
        size += len(line) + 1
        if size > MOST_KEPT:
            break
        lines.append(line)
    path = FUZZ / "seeds" / f"{name}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    print(f"{path.relative_to(ROOT)}: {len(lines)} inputs")


def note_cases(name, place):
    """Of a merged corpus, the files that are cases of the corpus."""
    merged = {path.read_bytes() for path in place.iterdir()}
    cases = {}
    for path in sorted((ROOT / "corpus").rglob(f"*{suffix(name)}")):
        data = path.read_bytes()
        if data in merged:
            cases.setdefault(data, path.relative_to(ROOT / "corpus").with_suffix("").as_posix())
    (FUZZ / "seeds").mkdir(exist_ok=True)
    (FUZZ / "seeds" / f"{name}.cases").write_text("".join(f"{case}\n" for case in sorted(cases.values())), encoding="utf-8")
    print(f"{name}: {len(cases)} of {len(merged)} inputs are cases of the corpus")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--keep", metavar="HARNESS")
    parser.add_argument("--cases", metavar="HARNESS")
    parser.add_argument("place", type=Path)
    parser.add_argument("more", nargs="*")
    args = parser.parse_args()
    if args.keep:
        keep(args.keep, [args.place, *args.more])
        return 0
    if args.cases:
        note_cases(args.cases, args.place)
        return 0
    for name in args.more or HARNESSES:
        if name not in HARNESSES:
            parser.error(f"no harness named {name}: there are {', '.join(HARNESSES)}")
        print(f"{name}: {make(args.place, name)} seeds", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
