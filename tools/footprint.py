#!/usr/bin/env python3
"""Measures what the core takes: bytes of code, bytes of stack, and what it needs from outside.

    tools/footprint.py            measures, and prints the table
    tools/footprint.py --write    the same, and writes it to bench/footprint.md
    tools/footprint.py --check    the same, and fails if bench/footprint.md differs

Code is what a linker keeps if a program calls only these functions: the sections that are reachable, from -Os
objects with one section a function. Stack is the deepest path of the call graph that the relocations of these
objects show, each function with the frame that the compiler itself reports. A call graph with a cycle has no
depth: it is a failure, and so are a frame without a bound and a call through a pointer.

A second table has the same of the core as one file (tools/amalgamate.py), with parts of it left out.

A row is compared only with the compiler that it names; where that is missing or another version, the row is
skipped, and that is said.
"""

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import amalgamate  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "footprint.md"
CORE = Path("src/core")
FLAGS = ["-std=c99", "-ffreestanding", "-Os", "-ffunction-sections", "-fdata-sections", "-fstack-usage",
         "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fno-pic", "-Iinclude", "-Isrc", "-I."]
# Target: options of gcc, of clang, and the linker. The return address is on the stack beside the frames that
# clang reports for x86; gcc counts it.
TARGETS = {
    "x86-64": (["gcc", "-m64"], ["clang", "-m64"], ["ld"], 8),
    "i386": (["gcc", "-m32"], ["clang", "-m32"], ["ld", "-m", "elf_i386"], 4),
    "Thumb-2": (["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"],
                ["clang", "--target=thumbv7em-none-eabi", "-mcpu=cortex-m4"], ["arm-none-eabi-ld"], 0),
    "s390x": (["s390x-linux-gnu-gcc"], ["clang", "--target=s390x-linux-gnu"], ["s390x-linux-gnu-ld"], 0),
}
# Where the core as one file is measured, and what is left out of it there, one after another.
IN_PARTS = "Thumb-2"
LEFT_OUT = [[], *([part] for part in amalgamate.LEAVE_OUT), amalgamate.LEAVE_OUT]
# What a compiler takes from its own library: moving bytes, and arithmetic that the machine does not have.
OWN = re.compile(r"mem(?:cpy|move|set|cmp)|__aeabi_(?:mem\w+|u?ldivmod|lmul|ll?s[lr]|lasr)|__u?(?:div|mod)[dt]i3"
                 r"|__u?divmod[dt]i4|__mul[dt]i3|_GLOBAL_OFFSET_TABLE_")
# More than that for reading a header on the small machine with gcc is a failure, whatever is in the table.
MOST_CODE, MOST_STACK = 12288, 1024


class Fault(Exception):
    """Something that the core must not have."""


def run(call):
    try:
        done = subprocess.run(call, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        raise Fault(str(error)) from error
    if done.returncode != 0:
        raise Fault(f"{' '.join(map(str, call))}\n{done.stdout}")
    return done.stdout


@functools.lru_cache(maxsize=None)
def version(compiler):
    """Name and version of a compiler as its first line has them; None if it is not here."""
    try:
        first = run([compiler, "--version"]).splitlines()[0]
    except Fault:
        return None
    return f"{'clang' if 'clang' in first else 'gcc'} {re.findall(r'[0-9]+[.][0-9]+[.][0-9]+', first)[-1]}"


def public_functions():
    """The functions that each public header declares."""
    found = {}
    for header in sorted((ROOT / "include" / "safenpy").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        found[header.stem] = set(re.findall(r"SNPY_API[^;()]*?\b(snpy_\w+)\(", text))
    return found


def compile_core(compiler, work, sources):
    for source in sources:
        run([*compiler, *FLAGS, "-c", "-o", work / f"{source.stem}.o", source])
    return sorted(work.glob("*.o"))


def linked_size(linker, objects, roots, work):
    """Bytes of code and constants that stay if only `roots` are called."""
    keep = [f"--undefined={name}" for name in sorted(roots)]
    run([*linker, "-nostdlib", "--gc-sections", "--unresolved-symbols=ignore-all", "--no-warn-mismatch", "-e", "0",
         *keep, "-o", work / "linked", *objects])
    sections = re.findall(r"^(\.\S+)\s+(\d+)", run(["size", "-A", work / "linked"]), re.MULTILINE)
    return sum(int(size) for name, size in sections if re.match(r"\.(text|rodata|data|bss|ARM\.ex)", name))


def frames(objects, extra):
    """The frame of each function, as its compiler reports it: (object, name) -> bytes."""
    found = {}
    for path in objects:
        for line in path.with_suffix(".su").read_text(encoding="utf-8").splitlines():
            place, size, kind = line.split("\t")
            name = place.rsplit(":", 1)[-1]
            if kind.startswith("dynamic") and "bounded" not in kind:
                raise Fault(f"{name} has a frame without a bound")
            found[path.stem, name] = max(int(size) + extra, found.get((path.stem, name), 0))
    return found


def edges(objects):
    """Who refers to whom: (object, function) -> names. A reference is taken for a call."""
    found = {}
    for path in objects:
        origin = None
        for line in run(["readelf", "-rW", path]).splitlines():
            section = re.match(r"Relocation section '\.rela?\.(\S+)'", line)
            if section:
                # What gcc moves out of the way keeps the function's name: text.unlikely.f
                name = re.fullmatch(r"text\.(?:(?:unlikely|hot|startup)\.)?(\S+)", section.group(1))
                origin = name and (path.stem, name.group(1))
            target = origin and re.search(r"R_\S+\s+[0-9a-f]+\s+(\S+)", line)
            # A function that refers to its own section has a table of jumps; calls_itself looks for direct recursion.
            if target and target[1] != ".text." + origin[1]:
                found.setdefault(origin, set()).add(re.sub(r"^\.text\.(?:(?:unlikely|hot)\.)?", "", target.group(1)))
    return found


def depths(frame, calls):
    """The deepest path from each function: bytes, and who is on it. Walks with a list, as the core does."""
    def resolve(origin, name):
        own = (origin[0], name)
        return [own] if own in frame else [key for key in frame if key[1] == name]

    depth, open_ones, stack = {}, set(), [(key, False) for key in frame]
    while stack:
        node, done = stack.pop()
        below = [target for name in calls.get(node, ()) for target in resolve(node, name)]
        if done:
            open_ones.discard(node)
            best = max((depth[target] for target in below), default=(0, ()))
            depth[node] = (frame[node] + best[0], (f"{node[1]} {frame[node]}", *best[1]))
        elif node not in depth:
            open_ones.add(node)
            stack.append((node, True))
            for target in below:
                if target in open_ones:
                    raise Fault(f"{target[1]} calls itself by way of {node[1]}")
                stack.append((target, False))
    return depth


def calls_itself(objects):
    """Direct recursion, which no relocation of a local call may show: gcc's own call graph does."""
    for path in objects:
        graph = path.with_suffix(".ci")
        if not graph.exists():
            continue
        text = graph.read_text(encoding="utf-8")
        if "__indirect_call" in text:
            raise Fault(f"{path.stem}.c calls through a pointer")
        for source, target in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', text):
            if source == target:
                raise Fault(f"{source} calls itself")


def outside(objects):
    """What no object defines."""
    defined, needed = set(), set()
    for line in run(["nm", "-P", "-g", *objects]).splitlines():
        words = line.split()
        if len(words) > 1:
            (needed if words[1] == "U" else defined).add(words[0])
    foreign = sorted(name for name in needed - defined if not OWN.fullmatch(name))
    if foreign:
        raise Fault(f"needs from outside: {', '.join(foreign)}")
    return sorted(needed - defined - {"_GLOBAL_OFFSET_TABLE_"})


def measure(target, compiler, linker, extra, sources):
    """One row of the table, and the path that takes the most stack when a header is read."""
    by_header = public_functions()
    everything = set().union(*by_header.values())
    with tempfile.TemporaryDirectory(prefix="safenpy-footprint-") as place:
        work = Path(place)
        gcc = version(compiler[0]).startswith("gcc")
        objects = compile_core([*compiler, *(["-fcallgraph-info"] if gcc else [])], work, sources)
        calls_itself(objects)
        frame, calls = frames(objects, 0 if gcc else extra), edges(objects)
        core = everything & {name for _, name in frame}
        parse = {"snpy_parse_header"} & core
        groups = [parse, by_header["write"] & core, by_header["zip"] & core, by_header["status"] & core, core]
        code = [linked_size(linker, objects, group, work) for group in groups]
        depth = depths(frame, calls)
        stack = [max(depth[key] for key in frame if key[1] in group) for group in (parse, by_header["write"], core)]
        own = outside(objects)
    row = [target, version(compiler[0]), *map(str, code), *(str(depth) for depth, _ in stack), ", ".join(own) or "none"]
    if target == "Thumb-2" and gcc and (code[0] > MOST_CODE or stack[0][0] > MOST_STACK):
        raise Fault(f"reading a header takes {code[0]} bytes of code and {stack[0][0]} of stack, not "
                    f"{MOST_CODE} and {MOST_STACK} at most")
    return row, stack[0][1]


@functools.lru_cache(maxsize=None)
def one_file():
    """The core as one file, and its header: names and texts."""
    return [(name, text) for name, text in amalgamate.amalgamate() if name != "safenpy_host.c"]


def measure_parts(target, compiler, linker, left_out):
    """One row of the table of the core as one file: all that its header declares."""
    names = set().union(*public_functions().values())
    with tempfile.TemporaryDirectory(prefix="safenpy-footprint-") as place:
        work = Path(place)
        for name, text in one_file():
            (work / name).write_text(text, encoding="utf-8")
        objects = compile_core([*compiler, *(f"-D{part}" for part in left_out)], work, [work / "safenpy.c"])
        frame, calls = frames(objects, 0), edges(objects)
        public = names & {name for _, name in frame}
        code = linked_size(linker, objects, public, work)
        stack = max(depth for depth, _ in depths(frame, calls).values())
        outside(objects)
    what = "nothing" if not left_out else left_out[0] if len(left_out) == 1 else "all of these"
    return [target, version(compiler[0]), f"`{what}`" if len(left_out) == 1 else what, str(len(public)), str(code), str(stack)]


HEAD = """\
# Size of the core

Bytes, at `-Os`. Made by `tools/footprint.py --write` and compared by `make footprint`; do not edit.

- **Code** is the code and constants that a linker keeps if a program calls only `snpy_parse_header` (read), the functions
  of `write.h`, of `zip.h`, of `status.h` (names, messages and hints), or all of the core. Nothing else is in memory:
  the core has no variables and no heap.
- **Stack** is the deepest path of the call graph below `snpy_parse_header`, the functions of `write.h`, or any function of
  the core: return addresses and saved registers included, the caller's tables and structs, and the functions of the last
  column, left out.
- **From outside** lists the functions that the compiler takes from its own library.

Aims, for reading on Thumb-2 with gcc: at most 12,288 bytes of code and 1,024 of stack; more is a failure. Two things
keep the stack small. `snpy_scan_record` remembers open lists and tuples, up to 64 inside one another, in two numbers and
in the table, where each entry has its parent. And structs passed by value, so that no write can
change them during a proof, are a few words long and const: gcc keeps a copy for each inlined function unless it knows that
the function does not write to it.

| target | compiler | code: read | write | zip | status | all | stack: read | write | any | from outside |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
"""
PARTS_HEAD = """
## As one file, with parts left out

`make amalgamation` writes the core as `safenpy.c`; each of these macros leaves a part out of it. Here a program may call all
functions that are left.

| target | compiler | left out | functions | code | stack |
|---|---|---|--:|--:|--:|
"""


def line_of(row):
    return "| " + " | ".join(row) + " |"


def name_of(row):
    """Target and compiler, and what is left out in a row of the second table."""
    return ", ".join(row[:3] if len(row) == 6 else row[:2])


def compare(rows, missing):
    """Rows against the committed table. A number that differs is a failure, whether it grew or shrank."""
    passed = failed = skipped = 0
    committed = [line.strip("| ").split(" | ") for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    recorded = {name_of(row): line_of(row) for row in committed if row[0] in TARGETS}
    for row in rows:
        expected = recorded.pop(name_of(row), None)
        if expected is None:
            skipped += 1
            print(f"skipped  {name_of(row)}: the table has another version")
        elif expected == line_of(row):
            passed += 1
        else:
            failed += 1
            print(f"FAIL  {name_of(row)}\n  recorded  {expected}\n  measured  {line_of(row)}")
    for name in recorded:
        skipped += 1
        target = name.split(",", maxsplit=1)[0]
        print(f"skipped  {name}: not here{' (' + missing[target] + ')' if target in missing else ''}")
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write bench/footprint.md")
    parser.add_argument("--check", action="store_true", help="compare with bench/footprint.md")
    parser.add_argument("--core", type=Path, default=CORE, help="directory of the sources")
    parser.add_argument("--only", metavar="ROW", default="", help="only these rows: 'Thumb-2', 'x86-64, gcc'")
    args = parser.parse_args()
    sources = sorted((ROOT / args.core).rglob("*.c"))
    tasks, missing = [], {}
    for target, (gcc, clang, linker, extra) in TARGETS.items():
        for compiler in (gcc, clang):
            if version(compiler[0]) is None or shutil.which(linker[0]) is None:
                missing[target] = f"no {compiler[0]} or no {linker[0]}"
            elif not f"{target}, {version(compiler[0])}".startswith(args.only):
                continue
            else:
                tasks.append((measure, target, compiler, linker, extra, sources))
                if target == IN_PARTS and compiler is gcc and args.core == CORE:
                    tasks += [(measure_parts, target, compiler, linker, left_out) for left_out in LEFT_OUT]
    failed, rows, parts = 0, [], []
    if any(task[0] is measure_parts for task in tasks):
        one_file()
    with ThreadPoolExecutor(max_workers=2) as pool:
        for task, future in [(task, pool.submit(*task)) for task in tasks]:
            try:
                result = future.result()
            except Fault as fault:
                failed += 1
                print(f"FAIL  {task[1]}, {version(task[2][0])}: {fault}")
                continue
            if task[0] is measure_parts:
                parts.append(result)
            else:
                rows.append(result[0])
            if not args.check:
                print(line_of(result) if task[0] is measure_parts else
                      f"{line_of(result[0])}\n    deepest when reading: {' > '.join(result[1])}")
    if args.write and not failed:
        TABLE.write_text(HEAD + "".join(line_of(row) + "\n" for row in rows) + PARTS_HEAD +
                         "".join(line_of(row) + "\n" for row in parts), encoding="utf-8")
    passed, skipped = len(rows) + len(parts), 0
    if args.check:
        passed, worse, skipped = compare(rows + parts, missing)
        failed += worse
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
