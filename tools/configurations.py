#!/usr/bin/env python3
"""Checks docs/configurations.yaml against what the check runs, and writes it into docs/platforms.md as a table.

    tools/configurations.py            the check: N passed, N failed
    tools/configurations.py --write    the table

Each configuration that a script of the check runs has one row, and the row has its compiler, flags and model.
"""

import argparse
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools"), str(ROOT / "proofs")]

import eva  # noqa: E402
import parts  # noqa: E402
import prove  # noqa: E402
from tests.amalgamation import test_amalgamation as amalgamation  # noqa: E402
from tests.cross import run as cross  # noqa: E402
from tests.package import test_ports as ports  # noqa: E402

CASE, PAGE = "docs/configurations.yaml", "docs/platforms.md"
HOW = ("proved", "analysed", "tested", "compiled")
FIELDS = {"source", "what", "target", "compiler", "flags", "part"}
BEGIN, END = "<!-- configurations:begin -->", "<!-- configurations:end -->"
# What each source is evidence of, and the part of the check that it belongs to; of a build, a part that needs it.
KINDS = {"prove": ("proved", "proofs-all"), "eva": ("analysed", "eva"), "cross": ("tested", "cross-all"), "ports": ("tested", "ports"),
         "amalgamation": ("compiled", "amalgamation"), "host": ("compiled", "amalgamation"), "zig": ("compiled", "amalgamation")}
# The parts that look at what was built, and do not run it.
NOT_RUN = {"symbols", "symbols-O3"}
# What says where a compiler's code is to run; all else that it is given is a flag.
FOR_TARGET = re.compile(r"-m(?!no-)|--target=|-target$|-static$")


def split(words):
    """(compiler and target, level and what is checked by it) of a call."""
    words = [word for word in words if word not in amalgamation.SMALL + amalgamation.CPLUSPLUS or word.startswith("-x")]
    return (" ".join(word for at, word in enumerate(words) if at == 0 or FOR_TARGET.match(word)),
            " ".join(word for word in words if word.startswith("-O")))


def known():
    """{source: (compiler, flags)} of everything that the check proves, tests or compiles; None for what is no compiler's."""
    default = re.search(r"^CFLAGS  \?= (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[1]
    found = {f"prove {model}": None for model in prove.MACHINES} | {f"eva {eva.MACHINE}": None}
    for part in parts.PARTS:
        given = dict(word.split("=", 1) for step in part.steps for word in map(str, step.words) if "=" in word) if part.is_build else {}
        if "CC" in given:
            found[f"build {part.name}"] = (given["CC"], given.get("CFLAGS", default))
    for machine, (gcc, clang, _) in cross.MACHINES.items():
        for name, call in (("gcc", gcc), ("clang", clang)):
            if call:
                found[f"cross {machine} {name}"] = (split(call)[0], " ".join(cross.LEVELS))
    for kind, compilers in (("amalgamation", amalgamation.CORE), ("host", amalgamation.HOST)):
        found |= {f"{kind} {name}": split(call) for name, call in compilers.items()}
    for mark in amalgamation.test_zig_links_the_command_for_macos.pytestmark:
        if mark.name == "parametrize":
            found |= {f"zig {target}": (f"zig cc -target {target}", default) for target in mark.args[1]}
    found |= {f"ports {name}": (compiler, f"{default} {linked}".strip()) for name, (compiler, linked, _) in ports.PORTS.items()}
    return found


def row_faults(row, how, found):
    """What is wrong with one row."""
    name = row.get("source")
    if name not in found:
        return ["the check runs no such configuration"]
    wrong = [f"unknown field {field}" for field in sorted(set(row) - FIELDS)]
    wrong += [f"no {field}" for field in ("what", "target", "compiler", "part") if not row.get(field)]
    if found[name] and (row.get("compiler"), str(row.get("flags", ""))) != found[name]:
        wrong.append(f"{row.get('compiler')}, {row.get('flags', '')}; the check runs {', '.join(found[name])}")
    kind, rest = name.split(" ", 1)
    if kind == "build":
        needed = {part.name for part in parts.PARTS if rest in part.needs}
        is_run = bool(needed - NOT_RUN)
        if how != ("tested" if is_run else "compiled"):
            wrong.append(f"it is {'run' if is_run else 'not run'} by {', '.join(sorted(needed))}")
        if row.get("part") not in (needed - NOT_RUN or needed):
            wrong.append(f"{row.get('part')} does not use it")
    elif (how, row.get("part")) != KINDS[kind]:
        wrong.append(f"it is {KINDS[kind][0]}, by {KINDS[kind][1]}")
    return wrong


def faults(case, found):
    """What is wrong with the rows; and how many there are."""
    rows = [row for how in HOW for row in case.get(how) or []]
    wrong = [f"{how} is no kind of configuration" for how in sorted(set(case) - set(HOW))]
    names = [row.get("source") for row in rows]
    wrong += [f"{name}: {names.count(name)} rows, not 1" for name in sorted({*found, *map(str, names)})
              if name in found and names.count(name) != 1]
    for how in HOW:
        wrong += [f"{row.get('source')}: {fault}" for row in case.get(how) or [] for fault in row_faults(row, how, found)]
    return wrong, len(rows)


def table(case):
    """The rows for a reader."""
    lines = ["| | what | target | compiler | flags | check |", "|---|---|---|---|---|---|"]
    for how in HOW:
        for row in case[how]:
            model = row["source"].split()[1] if how in ("proved", "analysed") else ""
            flags = f"model `{model}`" if model else f"`{row['flags']}`" if row.get("flags") else ""
            if row["source"].startswith("cross "):
                flags = ", ".join(f"`{word}`" for word in row["flags"].split()) + ", each"
            name = row["compiler"] if model else f"`{row['compiler']}`"
            lines.append(f"| {how} | {row['what']} | {row['target']} | {name} | {flags} | `{row['part']}` |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE}")
    args = parser.parse_args()
    case = yaml.safe_load((ROOT / CASE).read_text(encoding="utf-8"))
    wrong, number = faults(case, known())
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    if not wrong:
        before, rest = page.split(BEGIN)
        updated = f"{before}{BEGIN}\n{table(case)}\n{END}{rest.split(END)[1]}"
        if args.write:
            (ROOT / PAGE).write_text(updated, encoding="utf-8")
        elif updated != page:
            wrong.append(f"{PAGE} does not have the rows of {CASE}: run tools/configurations.py --write")
    for line in wrong:
        print(f"FAIL  {line}")
    print(f"{max(number + 1 - len(wrong), 0)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
