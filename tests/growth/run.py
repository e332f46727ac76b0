#!/usr/bin/env python3
"""Whether the core's work grows as it should: at most C times the input's length, and a term for comparing names.

    tests/growth/run.py             to 16 MiB, and to 256 KiB where the input is full of names
    tests/growth/run.py --all       everything to 16 MiB: some minutes

Counts basic blocks, which are the same on every machine (growth.c), and the instructions of small inputs with
callgrind. Twice the input may take 2.2 times the work, 2.5 times if names have to be compared; and from 64 KiB on
no byte may take more than 1.1 times what it takes at 64 KiB, twice if names have to be compared.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import callgrind  # noqa: E402

FLAGS = ["-std=c99", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}"]
# Growth is judged from this size on; below it, what every input takes weighs too much, or there are few names.
FROM = 4096
FROM_LONG = 65536


def run(call, **options):
    done = subprocess.run([str(word) for word in call], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, call))}\n{done.stdout}\nexit status {done.returncode}")
    return done.stdout


def build(core, work):
    """growth.c with a core that counts its basic blocks."""
    run(["gcc", *FLAGS, "-ffreestanding", "-fsanitize-coverage=trace-pc", "-c", *sorted(core.rglob("*.c"))], cwd=work)
    program = work / "growth"
    run(["gcc", *FLAGS, "-Wl,--wrap=memset,--wrap=memcpy", "-o", program,
         ROOT / "tests/growth/growth.c", *work.glob("*.o")])
    return program


def blocks(program, most, names):
    """(kind, what) -> [(bytes, blocks)], as the program itself counts."""
    found = defaultdict(list)
    for line in run([program, most, names]).splitlines():
        kind, what, size, _, count = line.split()
        found[kind, what].append((int(size), int(count)))
    return found


def instructions(program, most, work):
    """The same with the instructions that callgrind counts."""
    found = defaultdict(list)
    for name, count in callgrind.count([program, most, most], work):
        kind, what, size, _ = name.split()
        found[kind, what].append((int(size), count))
    return found


def judge(unit, kind, what, points, names):
    """What is wrong with one series: sizes and counts."""
    wrong = []
    most, start = (2.5 if names else 2.2), (FROM_LONG if "prefix" in kind or kind == "titles-like-names" else FROM)
    judged = [point for point in points if point[0] >= start]
    for (size, count), (larger, more) in zip(judged, judged[1:]):
        # Sizes are doubled but for what stands around them.
        if more / count > most * max(1, larger / size / 2):
            wrong.append(f"{size} bytes take {count} {unit}, {larger} take {more}: {more / count:.2f} times")
    large = [point for point in points if point[0] >= FROM_LONG]
    if large and large[-1][1] / large[-1][0] > (2.0 if names else 1.1) * large[0][1] / large[0][0]:
        wrong.append(f"a byte takes {large[0][1] / large[0][0]:.2f} {unit} among {large[0][0]}, "
                     f"{large[-1][1] / large[-1][0]:.2f} among {large[-1][0]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true", help="names to 16 MiB too")
    parser.add_argument("--most", type=int, default=1 << 24, help="bytes of the largest input")
    parser.add_argument("--core", type=Path, default=ROOT / "src" / "core", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with_names = {name for name, format_ in re.findall(r'\{"([a-z0-9-]+)", [A-Z]+, (NULL|.)',
                  (ROOT / "tests/growth/growth.c").read_text(encoding="utf-8")) if format_ != "NULL"}
    with_names |= {"members", "members-with-a-long-prefix", "pickle-references"}
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="safenpy-work-") as place:
        work = Path(place)
        program = build(args.core, work)
        series = [("blocks", blocks(program, args.most, args.most if args.all else min(args.most, 1 << 18)))]
        if shutil.which("valgrind"):
            series.append(("instructions", instructions(program, min(args.most, 1 << 15), work)))
        else:
            print("skip  instructions: there is no valgrind")
    for unit, found in series:
        dearest = 0.0
        for (kind, what), points in sorted(found.items()):
            wrong = judge(unit, kind, what, points, kind in with_names)
            if len(points) < 3:
                wrong.append(f"only {len(points)} sizes")
            passed += not wrong
            failed += bool(wrong)
            dearest = max(dearest, points[-1][1] / points[-1][0])
            if wrong:
                print(f"FAIL  {kind}, {what}:\n      " + "\n      ".join(wrong))
        print(f"{unit}: {len(found)} series, at most {dearest:.0f} a byte")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
