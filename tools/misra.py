#!/usr/bin/env python3
"""Holds docs/misra.md against the core: what cppcheck's addon finds of MISRA C:2012, and how complex each function is.

    tools/misra.py            the check: N passed, N failed
    tools/misra.py --list     every finding, with its place

The page has a row for each guideline, and one for each function whose complexity is above 10. A guideline of which the
addon finds something is a deviation there, with a reason; one of which it finds nothing is none.
"""

import argparse
import collections
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "misra.md"
MOST = 10  # complexity of a function that needs no reason
CPPCHECK = ["cppcheck", "--addon=misra", "--std=c99", "--platform=unix64", "--quiet", "-Iinclude", "-Isrc", "-I."]
FINDING = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): style: misra violation .*\[misra-c2012-(?P<rule>[\d.]+)\]$", re.M)
GUIDELINES = 173  # 156 rules and 17 directives, with Amendment 1
STATES = ("kept", "deviation", "not applicable")
GUIDELINE = re.compile(r"^\| ((?:Dir )?\d+\.\d+) \| (?:mandatory|required|advisory) \| [^|]+ \| ([^|]+) \| ([^|]*) \|([^|]*)\|$", re.M)
FUNCTION = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (\d+) \| ([^|]+) \|$", re.M)


def sources(root=ROOT):
    return sorted((root / "src" / "core").rglob("*.c"))


def findings(root=ROOT):
    """Where each rule is broken in src/core and include: {rule: places}. A place in a header counts once."""
    def look(path):
        done = subprocess.run([*CPPCHECK, str(path.relative_to(root))], cwd=root, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        return done.stdout
    with ThreadPoolExecutor() as pool:
        found = {match.groups() for text in pool.map(look, sources(root)) for match in FINDING.finditer(text)}
    rules = collections.defaultdict(list)
    for file, line, column, rule in sorted(found, key=lambda one: (one[0], int(one[1]), int(one[2]))):
        if file.startswith(("src/core/", "include/")):
            rules[rule].append(f"{file}:{line}:{column}")
    return dict(rules)


def complexity(root=ROOT):
    """McCabe's number of each function above the limit: {(function, file): number}."""
    files = [str(path.relative_to(root)) for path in sorted((root / "src" / "core").rglob("*.[ch]"))]
    done = subprocess.run(["pmccabe", *files], cwd=root, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    rows = re.findall(r"^\d+\t(\d+)\t\d+\t\d+\t\d+\t([^(]+)\(\d+\): (\w+)$", done.stdout, re.M)
    if len(rows) < 100:  # pmccabe that prints nothing must not look like a simple core
        raise RuntimeError(f"pmccabe lists {len(rows)} functions")
    return {(name, file): int(number) for number, file, name in rows if int(number) > MOST}


def faults(page, found, functions):
    """What the page says wrong; and how many rows it has."""
    rows = {rule: [cell.strip() for cell in cells] for rule, *cells in GUIDELINE.findall(page)}
    wrong = [f"{rule}: no row" for rule in sorted(found.keys() - rows.keys())]
    for rule, (how, state, reason) in rows.items():
        if state not in STATES:
            wrong.append(f"{rule}: `{state}` is none of {', '.join(STATES)}")
        elif (state == "deviation") != bool(reason):
            wrong.append(f"{rule}: a deviation has a reason, and nothing else has one")
        elif rule in found and (state != "deviation" or "cppcheck" not in how):
            wrong.append(f"{rule}: {len(found[rule])} findings, as in {found[rule][0]}; the page says {state}, by {how}")
        elif "cppcheck" in how and state == "deviation" and rule not in found:
            wrong.append(f"{rule}: the page says deviation, and nothing is found")
    listed = {(name, file.strip()): int(number) for name, file, number, _ in FUNCTION.findall(page)}
    for key in sorted(functions.keys() | listed.keys()):
        if functions.get(key) != listed.get(key):
            wrong.append(f"{key[0]} in {key[1]}: its complexity is {functions.get(key, f'at most {MOST}')}, "
                         f"the page says {listed.get(key, 'nothing')}")
    return wrong, len(rows) + len(listed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="print every finding with its place")
    args = parser.parse_args()
    found = findings()
    if args.list:
        for rule, places in sorted(found.items(), key=lambda one: [int(part) for part in one[0].split(".")]):
            print(f"{rule}: {len(places)}", *places, sep="\n    ")
        return 0
    wrong, rows = faults(PAGE.read_text(encoding="utf-8"), found, complexity())
    if rows < GUIDELINES:
        wrong.append(f"the page has {rows} rows of {GUIDELINES} guidelines")
    for line in wrong:
        print(f"FAIL  {line}")
    print(f"{max(rows - len(wrong), 0)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
