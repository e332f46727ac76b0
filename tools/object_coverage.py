#!/usr/bin/env python3
"""Which instructions of the core ran under the suite, in the object code that is shipped: library and command.

    tools/object_coverage.py build/gcc            compares with tests/object-coverage.json: N passed, N failed
    tools/object_coverage.py build/gcc --write    writes it

callgrind names each instruction that ran while a program read the cases of the suite. The shared library is reached
through its public functions, by the C adapter of the suite, tests/data/probe.c, fuzz/objects.c and an example; the
command by its subcommands.
Instructions that only fill up to an alignment do not count.
"""

import argparse
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "object-coverage.json"
SUITES = {"npy": "corpus", "npz": "corpus/archives", "objects": "corpus/objects"}
FILLING = re.compile(r"(?:(?:data16|cs) )*nop|xchg +%ax,%ax$")
# What the command does with the cases: its words, and the suites whose files follow them.
COMMANDS = ((("check", "--json"), ("npy", "npz", "objects")), (("check", "--untrusted"), ("npy", "npz", "objects")),
            (("check", "--compat", "all"), ("npy", "npz")), (("check", "--profile", "canonical"), ("npy",)),
            (("info",), ("npy", "npz", "objects")), (("objects",), ("npy", "objects")), (("cat",), ("npy",)))
# What tests/data/probe.c does with each accepted array.
STEPS = (("C", "keep", "c"), ("C", "little", "f"), ("V",), ("R", "big"), ("T", "C", "keep", "c"), ("S", "0", "-", "-", "-1", "V"),
         ("P", "0", "-1", "C", "big", "c"))
MOST_ELEMENTS = 1000
SAMPLE = 20            # files of a program that takes one at a time


def run(*words, allowed=(0,), **options):
    done = subprocess.run([str(word) for word in words], text=True, errors="replace", check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **({} if "input" in options else {"stdin": subprocess.DEVNULL}), **options)
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(map(str, words))[:500]}\n{done.stdout[-3000:]}\nexit status {done.returncode}")
    return done.stdout


def payload(data):
    """What follows the header of a file; of one without a whole header, all of it."""
    size, at = (2, 10) if data[6:7] == b"\1" else (4, 12)
    return data[at + int.from_bytes(data[8:8 + size], "little"):] or data


def symbols(binary):
    """The table of symbols: (address, size, kind, binding, name), in its order."""
    for line in run("readelf", "-sW", binary).splitlines():
        words = line.split()
        if len(words) > 7 and words[0].rstrip(":").isdigit() and words[6] != "UND":
            yield int(words[1], 16), int(words[2], 0), words[3], words[4], words[7]


def local_groups(binary):
    """The local functions of each file in a binary: (name of the file, [(name, address, size)])."""
    groups = []
    for address, size, kind, binding, name in symbols(binary):
        if kind == "FILE":
            groups.append((name, []))
        elif kind == "FUNC" and binding == "LOCAL" and groups:
            groups[-1][1].append((name, address, size))
    return groups


def functions(binary, objects, root=ROOT):
    """The functions of the core in a binary: [(begin, end, file, name)]. A local function belongs to the object whose local
    functions are those that follow a file's name in the table of symbols; a global one has its name for itself."""
    found, owner, local = [], {}, {}
    for path in sorted(objects.rglob("*.o")):
        file = f"src/core/{path.relative_to(objects).with_suffix('.c')}"
        if not (root / file).exists():
            continue     # of an older build
        owner.update({name: file for _, _, kind, binding, name in symbols(path) if kind == "FUNC" and binding != "LOCAL"})
        own = [(name, size) for _, functions_ in local_groups(path) for name, _, size in functions_]
        if own:
            local[path.with_suffix(".c").name, tuple(sorted(own))] = file
    for name, group in local_groups(binary):
        own = tuple(sorted((function, size) for function, _, size in group if function not in owner))
        if file := local.pop((name, own), None):
            found += [(address, address + size, file, function) for function, address, size in group if function not in owner]
    if local:
        raise SystemExit(f"{binary}: the functions of {', '.join(sorted(local.values()))} are not in it")
    # A hidden function is a local one of a shared library, and its table has a global one of such a library twice.
    found += sorted({(address, address + size, owner[name], name) for address, size, kind, _, name in symbols(binary)
                     if kind == "FUNC" and name in owner})
    missing = owner.keys() - {name for _, _, _, name in found}
    if objects.parent.name == "shared" and missing:
        raise SystemExit(f"{binary} has no {', '.join(sorted(missing))}")
    return sorted(found)


def instructions(binary):
    """The address of each instruction, in ascending order, without what only fills up to an alignment."""
    for line in run("objdump", "-d", "--no-show-raw-insn", "--section=.text", binary).splitlines():
        match = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if match and not FILLING.match(match[2]):
            yield int(match[1], 16)


def executed(place, binary):
    """The addresses of a binary that ran, by all files that callgrind wrote to a folder."""
    found, names = set(), {str(binary.resolve())}
    for path in place.glob("callgrind.*"):
        inside = skipped = False
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("ob="):
                    inside = line[3:].strip() in names
                elif line.startswith(("calls=", "jump=", "jcnd=")):
                    skipped = True     # the next line is the address of an instruction that has a line of its own
                elif line.startswith("0x"):
                    if inside and not skipped:
                        found.add(int(line.split(" ", 1)[0], 16))
                    skipped = False
    return found


class Runs:
    """Runs programs on the suite under callgrind, and keeps what it wrote in one folder for each binary."""

    def __init__(self, work):
        self.work = work
        self.cases = {suite: [(ROOT / folder / case["file"], case) for case in json.loads(
            (ROOT / folder / "manifest.json").read_text(encoding="utf-8"))["cases"]] for suite, folder in SUITES.items()}

    def callgrind(self, name):
        place = self.work / name
        place.mkdir(exist_ok=True)
        return ["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                f"--callgrind-out-file={place / 'callgrind.%p'}"]

    def program(self, name, library, *sources, libraries=()):
        """A program of the repository, linked to the shared library that is measured."""
        made = self.work / name
        run(os.environ.get("CC", "gcc"), "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", f"-I{ROOT / 'include'}", f"-I{ROOT}", "-o",
            made, *(ROOT / source for source in sources), library, *libraries, f"-Wl,-rpath,{library.parent}")
        return made

    def library(self, library, command):
        """The suite by the adapter, which has to pass, and views and copies of each array that is accepted. The command judges
        what the adapter writes."""
        tool = self.callgrind("library")
        adapter = self.program("adapter", library, "corpus/adapters/safenpy-c/adapter.c", libraries=("-ljansson",))
        for suite, more in (("npy", ["--reader", "--writer"]), ("npz", ["--reader"])):
            words = [*tool, str(adapter), *(["npz"] if suite == "npz" else [])]
            run(sys.executable, ROOT / "corpus" / "run", "run", "--impl", " ".join(words), "--level", "lines", "--profile", "standard",
                "--suite", suite, "--safenpy", command, "--jobs", "1", "--time", "120", "--memory", "8G", *more)
        requests = ["\t".join([str(path), *steps]) for path, case in self.cases["npy"] for steps in STEPS
                    if case["verdict"] == "accept" and case["expect"]["count"] <= MOST_ELEMENTS]
        answers = run(*tool, self.program("probe", library, "tests/data/probe.c"), input="".join(line + "\n" for line in requests))
        if answers.count("\n") < len(requests):
            raise SystemExit(f"probe answered {answers.count(chr(10))} of {len(requests)} requests")
        payloads = self.work / "payloads"
        payloads.mkdir()
        for number, (path, _) in enumerate(self.cases["objects"]):
            (payloads / str(number)).write_bytes(payload(path.read_bytes()))
        run(*tool, self.program("objects", library, "fuzz/objects.c", "fuzz/fuzz.c", "fuzz/main.c"), payloads)
        copier, out = self.program("copy", library, "examples/copy_archive.c"), self.work / "copy.npz"
        for path in self.accepted("npz", SAMPLE):
            run(*tool, copier, path, out, allowed=(0, 1))

    def command(self, command):
        """Each subcommand that reads, on all files of the suites; and `convert`, one file at a time."""
        tool = self.callgrind("command")
        for words, suites in COMMANDS:
            paths = [path for suite in suites for path, case in self.cases[suite] if words != ("cat",) or (
                case["verdict"] == "accept" and case["expect"]["count"] <= MOST_ELEMENTS)]
            run(*tool, command, *words, "--", *paths, allowed=(0, 1))
        out = self.work / "out"
        for suite, more in (("npy", ("--canonical",)), ("npz", ("--deflate",)), ("npz", ("--store",))):
            for path in self.accepted(suite, SAMPLE):
                run(*tool, command, "convert", *more, path, out, allowed=(0, 1))
        rules = sorted({rule for cases in self.cases.values() for _, case in cases for rule in case["rules"]})
        run(*tool, command, "explain", *rules, allowed=(0, 2))     # some rules have no page
        keys = [f"k{number}={path}" for number, path in enumerate(self.accepted("npy", 4 * SAMPLE))]
        run(*tool, command, "pack", out.with_suffix(".npz"), *keys, allowed=(0, 1))

    def accepted(self, suite, most):
        """A sample of the cases that are accepted, spread over the suite."""
        found = [path for path, case in self.cases[suite] if case["verdict"] == "accept"]
        return found[::max(1, len(found) // most)]


def measured(binary, objects, place, name, root=ROOT):
    """What ran of a binary, by function."""
    ran, rows = executed(place, binary), functions(binary, objects, root)
    counts, row = collections.defaultdict(lambda: [0, 0]), 0
    for address in instructions(binary):
        while row < len(rows) and address >= rows[row][1]:
            row += 1
        if row < len(rows) and address >= rows[row][0]:
            count = counts[f"{rows[row][2]}: {rows[row][3]}"]
            count[0] += 1
            count[1] += address in ran
    total, reached = (sum(count[i] for count in counts.values()) for i in (0, 1))
    return {"binary": name, "instructions": total, "reached": reached, "functions": len(counts),
            "not reached": {key: f"{all_ - ran_} of {all_}" for key, (all_, ran_) in sorted(counts.items()) if ran_ < all_}}


def measure(build, library=None, command=None):
    """What ran of the library and of the command, which are those of the build or their copies, with symbols."""
    library, command = (Path(own or build / name).resolve() for own, name in ((library, "libsafenpy.so"), (command, "safenpy")))
    with tempfile.TemporaryDirectory(prefix="safenpy-") as folder:
        runs = Runs(Path(folder))
        needed = re.search(r"SONAME.*\[(.+)\]", run("readelf", "-d", library))[1]
        linked = Path(folder) / "lib"
        linked.mkdir()
        (linked / needed).symlink_to(library)
        runs.library(linked / needed, command)
        runs.command(command)
        return {"compiler": run(os.environ.get("CC", "gcc"), "--version").splitlines()[0],
                "suites": {suite: hashlib.sha256((ROOT / place / "manifest.json").read_bytes()).hexdigest()
                           for suite, place in SUITES.items()},
                "binaries": [{**measured(binary, build / objects / "core", Path(folder) / name, binary.name),
                              "sha256": hashlib.sha256(binary.read_bytes()).hexdigest()}
                             for name, binary, objects in (("library", library, "shared"), ("command", command, "static"))]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path, help="where make has built, as build/gcc")
    parser.add_argument("--write", action="store_true", help=f"write {RECORD.relative_to(ROOT)}")
    args = parser.parse_args()
    found = measure(args.build.resolve())
    for binary in found["binaries"]:
        del binary["sha256"]     # of no use in a record: names of folders may be in it
        print(f"{binary['binary']}: {binary['reached']} of {binary['instructions']} instructions of the core "
              f"({100 * binary['reached'] / binary['instructions']:.1f} %), {binary['functions']} functions, "
              f"{len(binary['not reached'])} not as a whole")
    if args.write:
        RECORD.write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    recorded = json.loads(RECORD.read_text(encoding="ascii"))
    wrong = [f"{key}: {recorded[key]} in the record" for key in ("compiler",) if found[key] != recorded[key]]
    for now, then in zip(found["binaries"], recorded["binaries"], strict=True):
        rows = {**then["not reached"], **now["not reached"]}
        wrong += [f"{now['binary']}: {name}: not reached: {now['not reached'].get(name, 'nothing')}, in the record "
                  f"{then['not reached'].get(name, 'nothing')}" for name in rows
                  if now["not reached"].get(name) != then["not reached"].get(name)]
        wrong += [f"{now['binary']}: {now[key]} {key}, {then[key]} in the record" for key in ("instructions", "functions")
                  if now[key] != then[key]]
    for line in wrong:
        print(f"FAIL  {line}")
    if wrong:
        print("If that is meant: tools/object_coverage.py build/gcc --write")
    print(f"{sum(binary['functions'] for binary in found['binaries'])} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
