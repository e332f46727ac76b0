"""Which functions each test enters: what never enters a function cannot notice a mutant of it, and need not be asked.

The tests run once, on a build of the unchanged code that notes each function that is entered (reach.c). What they entered
is kept, under a digest of the test and of what it tests. Where such a build does not work, or a test fails in it, nothing
is known, and the test is asked of every mutant.
"""

import hashlib
import json
import subprocess
from pathlib import Path

ROOM = 4 << 20  # as in reach.c
MAKE = ["make", "-s", "CC=gcc", "BUILD=build/reach", "CFLAGS=-O1 -fno-pie -finstrument-functions"]


def text_symbols(program):
    """(offset from the program's start, name without what a compiler adds to it) of each function."""
    said = subprocess.run(["nm", "--defined-only", str(program)], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines() if len(line.split()) == 3]
    start = next(int(place, 16) for place, _, name in rows if name == "__executable_start")
    return [(int(place, 16) - start, name.split(".")[0]) for place, kind, name in rows if kind in "tTwW"]


def digest_of(paths):
    """Names and contents of files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


class Reach:
    """What each test enters."""

    def __init__(self, tree, kept):
        self.tree, self.kept, self.told = tree, kept, {}
        self.known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        self.notes = tree / "build" / "reach" / "notes"
        self.notes.mkdir(parents=True, exist_ok=True)
        hook = self.notes.parent / "reach.o"
        call = ["gcc", "-O1", "-fno-pie", f'-DREACH="{self.notes}"', "-c", str(Path(__file__).with_name("reach.c")), "-o",
                str(hook)]
        made = subprocess.run(call, check=False, capture_output=True).returncode == 0
        self.make = [*MAKE, f"LDFLAGS=-no-pie -Wl,{hook}"]
        self.works = made and self.build("programs")

    def build(self, target):
        """Whether the noting variant of a program can be built."""
        return subprocess.run([*self.make, target], cwd=self.tree, check=False, capture_output=True).returncode == 0

    def digest(self, program, call):
        """Of the program and, for a script, of all scripts and of the corpus."""
        paths = [program]
        if len(call) > 1:
            paths += [path for path in (self.tree / "tests").rglob("*.py") if "mutate" not in path.parts]
            paths += [path for path in (self.tree / "corpus").rglob("*") if path.is_file()]
        return " ".join(call[-2:]) + " " + digest_of(paths)

    def of(self, target, call, run):
        """The functions that a test enters, or None where that is not known. `run` says whether a call succeeds."""
        key = tuple(call)
        if key not in self.told:
            self.told[key] = self.find_out(target, call, run)
        return self.told[key]

    def find_out(self, target, call, run):
        """Likewise, from what is kept or else by running it: the tree does not change in between."""
        own = target.replace("build/", "build/reach/", 1)
        if not self.works or not self.build(own):
            return None
        noting = [own if word == target else word for word in call]
        program = self.tree / noting[-1]
        key = self.digest(program, noting)
        if key not in self.known:
            note = self.notes / program.name
            note.write_bytes(bytes(ROOM))
            note.chmod(0o666)  # a test may give up its rights before it runs the program
            worked = run(noting)
            seen = note.read_bytes()
            self.known[key] = sorted({name for place, name in text_symbols(program) if 0 <= place < ROOM and seen[place]}) \
                if worked else None
            self.kept.write_text(json.dumps(self.known, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        entered = self.known[key]
        return None if entered is None else set(entered)
