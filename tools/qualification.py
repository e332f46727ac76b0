#!/usr/bin/env python3
"""Checks docs/qualification.yaml, and writes it as a page: which planted faults show that each tool can fail.

    tools/qualification.py            the check: N passed, N failed
    tools/qualification.py --write    docs/qualification.md

Each patch of proofs/negative, each row of a table of planted faults, and each test of a file that plants faults belongs
to one kind of error. Each part of the check has planted faults, or a reason for having none.
"""

import argparse
import ast
import collections
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import parts  # noqa: E402

CASE, PAGE, PATCHES = "docs/qualification.yaml", "docs/qualification.md", "proofs/negative"
# The files that plant faults: of these all tables count, and of the tests all that no table belongs to.
PLANTERS = ("proofs/test_gate.py", "proofs/test_eva.py", "proofs/bounded.py", "tests/fuzz/test_planted.py",
            "tests/fuzz/test_eacsl.py", "tests/planted/test_planted.py", "tests/trace/plants.py", "tests/spec/planted.py", "tests/runner/mutants.py",
            "tests/matrix/mutants.py")
HEAD = """\
<!-- Written by tools/qualification.py from qualification.yaml. Change that file. -->

# What shows that the tools can fail

A check that cannot fail shows nothing. For each tool, this page names the kinds of error that it is used to find, and the
faults that are planted to see whether it finds them. `make check PART=NAME` plants those of a part again, and
`make check PART=assurance` checks that no planted fault is missing from this page.

The project's own tools are qualified in this small way only: planted faults show that a tool finds some errors of a kind,
not that it finds all of them.
"""


def tables(path):
    """The tables of planted faults in a file of Python: name to the names of their rows."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name) or not node.targets[0].id.isupper():
            continue
        rows = rows_of(node.value)
        if rows:
            found[node.targets[0].id] = rows
    return found


def rows_of(value):
    """The names of the rows, if the value is a table of faults: a dictionary of tuples, or a list of tuples or of calls."""
    if isinstance(value, ast.Dict) and value.values and all(isinstance(one, ast.Tuple) for one in value.values):
        return [ast.literal_eval(key) for key in value.keys]
    if isinstance(value, (ast.List, ast.Tuple)) and value.elts:
        cells = [one.elts if isinstance(one, ast.Tuple) else one.args if isinstance(one, ast.Call) else [] for one in value.elts]
        if all(len(row) > 2 for row in cells):
            titles = [[cell.value for cell in row if isinstance(cell, ast.Constant)] for row in cells]
            return [row[1 if isinstance(one, ast.Call) else 0] for one, row in zip(value.elts, titles, strict=True)]
    return []


def tests(path):
    """The tests of a file: name to the source of what stands above and in them."""
    text = path.read_text(encoding="utf-8")
    return {node.name: "\n".join([*map(ast.unparse, node.decorator_list), ast.get_source_segment(text, node)])
            for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


class Planted:
    """The faults that the tree plants: what an error can refer to, and what has to be referred to."""

    def __init__(self, root=ROOT):
        self.root = root
        clauses = {path.stem: re.search(r"^Clause: (@?\w+)$", path.read_text(encoding="utf-8"), re.M).group(1)
                   for path in sorted((root / PATCHES).glob("*.patch"))}
        self.patches = collections.defaultdict(list)
        for name, clause in clauses.items():
            self.patches[clause].append(name)
        self.tables = {f"{path}#{name}": rows for path in PLANTERS for name, rows in tables(root / path).items()}
        self.used = collections.Counter()

    def faults(self, source, named_clauses):
        """The names of the planted faults of one source; raises ValueError if there are none."""
        (kind, name), = [(key, value) for key, value in source.items() if key != "named"]
        if kind == "patches":
            clauses = sorted(self.patches.keys() - named_clauses) if name == ["*"] else name
            return self.use("patch", [(one, one) for clause in clauses for one in self.known(self.patches, clause)])
        if kind == "table":
            rows = self.known(self.tables, name)
            wanted = source.get("named", rows)
            if set(wanted) - set(rows):
                raise ValueError(f"{name} has no {', '.join(sorted(set(wanted) - set(rows)))}")
            return self.use("row", [(f"{name}: {row}", row) for row in wanted])
        if kind == "test":
            path, _, function = name.partition("::")
            if not (self.root / path).is_file() or function not in tests(self.root / path):
                raise ValueError(f"there is no test {name}")
            return self.use("test", [(name, function)])
        raise ValueError(f"{kind} is no kind of planted fault")

    @staticmethod
    def known(names, name):
        if name not in names:
            raise ValueError(f"no fault is planted for {name}")
        return names[name]

    def use(self, kind, faults):
        self.used.update((kind, name) for name in dict.fromkeys(name for name, _ in faults))
        return [shown for _, shown in faults]

    def needed(self):
        """Every planted fault that has to be tied to an error."""
        found = {("patch", name) for names in self.patches.values() for name in names}
        found |= {("row", f"{table}: {row}") for table, rows in self.tables.items() for row in rows}
        for path in PLANTERS:
            used = [table.partition("#")[2] for table in self.tables if table.startswith(f"{path}#")]
            found |= {("test", f"{path}::{name}") for name, text in tests(self.root / path).items()
                      if not any(re.search(rf"\b(?:{'|'.join([*used, 'PATCHES'])})\b", line) for line in text.split("\n")[:3])}
        return found


def errors(case):
    return [(tool, error) for tool in case["tools"] for error in tool["errors"]]


def resolve(case, planted):
    """What is wrong; and for each error, by its words, the faults that show it."""
    wrong, shown = [], {}
    planted.used.clear()
    clauses = {clause for _, error in errors(case) for source in error.get("by", []) for clause in source.get("patches", ())}
    for tool, error in errors(case):
        name = f"{tool['tool']}: {error.get('error')}"
        if set(error) not in ({"error", "by"}, {"error", "none"}):
            wrong.append(f"{name}: needs `by` or `none`")
        found = []
        for source in error.get("by", []):
            try:
                found += planted.faults(source, clauses)
            except ValueError as fault:
                wrong.append(f"{name}: {fault}")
        shown[tool["tool"], error["error"]] = found
    wrong += [f"{kind} {name}: belongs to no error" for kind, name in sorted(planted.needed() - planted.used.keys())]
    wrong += [f"{kind} {name}: belongs to {number} errors" for (kind, name), number in sorted(planted.used.items())
              if number > 1 and kind != "test"]
    return wrong + part_faults(case), shown


def part_faults(case):
    """Each part of the check is that of a tool, or has a reason."""
    names = [name for tool in case["tools"] for name in {*tool["parts"], *tool["plants"]}]
    reasons = [name for row in case["without"] for name in row["parts"]]
    there = {part.name for part in parts.PARTS}
    return ([f"part {name}: there is none" for name in sorted(set(names + reasons) - there)]
            + [f"part {name}: has neither planted faults nor a reason" for name in sorted(there - set(names + reasons))]
            + [f"part {name}: has planted faults and a reason for having none" for name in sorted(set(names) & set(reasons))])


def where(error):
    """Links to what plants the faults of an error."""
    files = dict.fromkeys(PATCHES if "patches" in source else re.split("#|::", source.get("table") or source["test"])[0]
                          for source in error.get("by", []))
    return ", ".join(f"[{file}](../{file})" for file in files)


def written(case, shown):
    """The page."""
    out = [HEAD]
    for tool in case["tools"]:
        planters = ", ".join(f"`{part}`" for part in tool["plants"])
        out += [f"## {tool['tool']}", "", f"Planted by part {planters}.", "", "| kind of error | planted faults | in |", "|---|--:|---|"]
        for error in tool["errors"]:
            number = len(shown[tool["tool"], error["error"]]) if "by" in error else "none"
            out.append(f"| {error['error']} | {number} | {where(error)} |")
        out.append("")
    out += ["## What no planted fault covers", ""]
    out += [f"- {tool['tool']}, {error['error']}: {error['none']}." for tool, error in errors(case) if "none" in error]
    out += ["- " + ", ".join(f"`{part}`" for part in row["parts"]) + f": {row['none']}." for row in case["without"]]
    out += ["", "## Each planted fault", ""]
    for tool, error in errors(case):
        names = shown[tool["tool"], error["error"]]
        if names:
            out += [f"**{error['error'][0].upper()}{error['error'][1:]}** ({tool['tool']}): " + "; ".join(
                f"{number} × {code(name)}" if number > 1 else code(name) for name, number in collections.Counter(names).items()) + ".", ""]
    return "\n".join(out)


def code(name):
    """A name as code, whatever characters it has."""
    fence = "``" if "`" in name else "`"
    return f"{fence}{' '.join(name.split())}{fence}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    args = parser.parse_args()
    case, planted = yaml.safe_load((ROOT / CASE).read_text(encoding="utf-8")), Planted()
    wrong, shown = resolve(case, planted)
    if not wrong:
        text = written(case, shown)
        if args.write:
            (ROOT / PAGE).write_text(text, encoding="utf-8")
        if not (ROOT / PAGE).is_file() or (ROOT / PAGE).read_text(encoding="utf-8") != text:
            wrong.append(f"{PAGE} is not what {CASE} says: run tools/qualification.py --write")
    for line in wrong:
        print(f"FAIL  {line}")
    print(f"{len(planted.used) + len(shown)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
