#!/usr/bin/env python3
"""Checks docs/assurance.yaml, and writes it as a page and a picture.

    tools/assurance.py            the check: N passed, N failed
    tools/assurance.py --write    docs/assurance.md and docs/assurance.svg; the picture needs Graphviz

All evidence must exist. Every row of README's table of guarantees and every section of docs/guarantees.md belongs to one
claim, and the command in the row is evidence of that claim.
"""

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import links  # noqa: E402
import parts  # noqa: E402

CASE, PAGE, PICTURE = "docs/assurance.yaml", "docs/assurance.md", "docs/assurance.svg"
FIELDS = {"id", "claim", "argument", "row", "section", "evidence", "below"}
COMMAND = re.compile(r"make check PART=(?P<part>[\w-]+)|make (?P<make>[\w-]+)")
HEAD = """\
<!-- Written by tools/assurance.py from assurance.yaml. Change that file. -->

# Assurance case

Each claim stands on the claims below it and on its evidence: a command that you can run, or a file that you can read.
`make check PART=assurance` checks that all of it exists. [guarantees.md](guarantees.md) explains the claims,
[breaks.md](breaks.md) says what would refute them, and [platforms.md](platforms.md) where the code was tested.

![The claims and what they stand on](assurance.svg)
"""


class Known:
    """What evidence may refer to."""

    def __init__(self, root=ROOT):
        self.root = root
        self.parts = {part.name for part in parts.PARTS}
        self.targets = set(re.findall(r"^([\w-]+):.* ## ", (root / "Makefile").read_text(encoding="utf-8"), re.M))
        specifications = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "spec").glob("*.md")))
        self.rules = set(re.findall(r"^#{3,4} ((?:NPY|NPZ|API|HOST)-\S+)$", specifications, re.M))

    def fault(self, leaf):
        """What is wrong with a piece of evidence, or None."""
        if not isinstance(leaf, dict) or len(leaf) != 1:
            return f"{leaf} is not one piece of evidence"
        (kind, name), = leaf.items()
        sets = {"part": self.parts, "make": self.targets, "rule": self.rules}
        if kind == "file":
            return self.file_fault(name)
        if kind not in sets:
            return f"{kind} is no kind of evidence"
        return None if name in sets[kind] else f"there is no {kind} named {name}"

    def file_fault(self, name):
        path, _, anchor = name.partition("#")
        if not (self.root / path).is_file():
            return f"there is no file {path}"
        if anchor and anchor not in links.anchors(self.root / path):
            return f"{path} has no anchor {anchor}"
        return None


def claims(case, depth=0):
    """Every claim of the case with its depth, top down."""
    yield case, depth
    for claim in case.get("below") or []:
        yield from claims(claim, depth + 1)


def guarantees(readme):
    """The rows of README's table: {"guarantee: of": the commands that check it again}."""
    table = readme.split("\n## What is guaranteed\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \| `([^|]+)` \|$", table, re.M)
    return {f"{guarantee}: {of}": command for guarantee, of, command in rows if guarantee != "guarantee"}


def sections(page):
    return re.findall(r"^## (.+)$", page, re.M)


def claim_faults(claim, known, rows):
    """What is wrong with one claim, without those below it."""
    name = claim.get("id", claim.get("claim", "a claim"))
    wrong = [f"{name}: unknown field {field}" for field in sorted(claim.keys() - FIELDS)]
    wrong += [f"{name}: no {field}" for field in ("id", "claim", "argument") if not claim.get(field)]
    evidence = claim.get("evidence") or []
    if not evidence and not claim.get("below"):
        wrong.append(f"{name}: a claim without evidence")
    wrong += [f"{name}: {fault}" for fault in map(known.fault, evidence) if fault]
    for row in claim.get("row") or []:
        command = COMMAND.fullmatch(rows.get(row, ""))
        if row not in rows:
            wrong.append(f"{name}: README's table has no row `{row}`")
        elif not command or {key: value for key, value in command.groupdict().items() if value} not in evidence:
            wrong.append(f"{name}: `{rows[row]}` of README's row is not among the evidence")
    return wrong


def once(kind, used, needed):
    """Each name that is needed is used once, and no other is."""
    return ([f"{kind} `{name}`: {used.count(name)} claims are about it, not 1" for name in needed if used.count(name) != 1]
            + [f"{kind} `{name}`: there is none" for name in sorted(set(used) - set(needed))])


def faults(case, known, readme, page):
    """What is wrong with the case; and how many things were looked at."""
    rows, found = guarantees(readme), [claim for claim, _ in claims(case)]
    wrong = [fault for claim in found for fault in claim_faults(claim, known, rows)]
    names = [claim.get("id") for claim in found]
    wrong += [f"{name}: {names.count(name)} claims have this id" for name in sorted({str(one) for one in names if names.count(one) > 1})]
    wrong += once("row", [row for claim in found for row in claim.get("row") or []], rows)
    wrong += once("section", [claim["section"] for claim in found if "section" in claim], sections(page))
    return wrong, len(found) + sum(len(claim.get("evidence") or []) for claim in found) + len(rows) + len(sections(page))


def shown(leaf):
    """A piece of evidence, as a reader types it or reads it."""
    (kind, name), = leaf.items()
    return {"make": f"make {name}", "part": f"make check PART={name}"}.get(kind, name)


def markdown(leaf, root):
    """The same with a link where there is something to open."""
    (kind, name), = leaf.items()
    if kind == "rule":
        page = next(path for path in sorted((root / "spec").glob("*.md")) if f"# {name}\n" in path.read_text(encoding="utf-8"))
        return f"[{name}](../spec/{page.name}#{name.lower()})"
    target = name.removeprefix("docs/") if name.startswith("docs/") else f"../{name}"
    return f"[{name}]({target})" if kind == "file" else f"`{shown(leaf)}`"


def written(case, root=ROOT):
    """The page."""
    out = [HEAD]
    for claim, depth in claims(case):
        out += [f"{'#' * min(depth + 2, 4)} {claim['id'].capitalize()}", "", f"**{claim['claim']}.** {claim['argument']}", ""]
        out += [f"- {markdown(leaf, root)}" for leaf in claim.get("evidence") or []]
        out += [""] if claim.get("evidence") else []
    return "\n".join(out)


def graph(case):
    """The picture, for Graphviz: boxes are claims, notes their evidence."""
    def quoted(*lines):
        return '"' + "\\l".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in [*lines, ""]) + '"'

    out = ["digraph assurance {", '  rankdir=LR; nodesep=0.15; node [fontname="sans-serif", fontsize=11]; edge [dir=back];']
    for claim, _ in claims(case):
        name, evidence = claim["id"], claim.get("evidence") or []
        out.append(f'  "{name}" [shape=box, style=filled, fillcolor="#e8f0fa", label={quoted(*textwrap.wrap(claim["claim"], 44))}];')
        if evidence:
            out.append(f'  "{name}: evidence" [shape=note, label={quoted(*map(shown, evidence))}];')
            out.append(f'  "{name}" -> "{name}: evidence";')
        out += [f'  "{name}" -> "{below["id"]}";' for below in claim.get("below") or []]
    return "\n".join([*out, "}", ""])


def pictured(text):
    """The words of a picture, each with how often it is there: fonts and positions are Graphviz's affair."""
    words = re.findall(r"<title>([^<]*)</title>|<text\b[^>]*>([^<]*)</text>", text)
    plain = [re.sub(r"&#(\d+);", lambda code: chr(int(code.group(1))), title or word) for title, word in words]
    return sorted(word.replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<").replace("\u00a0", " ") for word in plain)


def expected(dot):
    """The words that a picture of this graph has."""
    words = ["assurance"]
    for line in dot.split("\n"):
        if edge := re.fullmatch(r'  "(.+)" -> "(.+)";', line):
            words.append("->".join(edge.groups()))
        elif node := re.fullmatch(r'  "(.+?)" \[.*label="(.*)"\];', line):
            words += [node.group(1), *node.group(2).replace('\\"', '"').removesuffix("\\l").split("\\l")]
    return sorted(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE} and {PICTURE}")
    args = parser.parse_args()
    case = yaml.safe_load((ROOT / CASE).read_text(encoding="utf-8"))
    wrong, number = faults(case, Known(), (ROOT / "README.md").read_text(encoding="utf-8"),
                           (ROOT / "docs/guarantees.md").read_text(encoding="utf-8"))
    if args.write and not wrong:
        (ROOT / PAGE).write_text(written(case), encoding="utf-8")
        done = subprocess.run(["dot", "-Tsvg"], input=graph(case), text=True, stdout=subprocess.PIPE, check=True)
        (ROOT / PICTURE).write_text(done.stdout, encoding="utf-8")
    if not wrong and (not (ROOT / PAGE).is_file() or (ROOT / PAGE).read_text(encoding="utf-8") != written(case)):
        wrong.append(f"{PAGE} is not what {CASE} says: run tools/assurance.py --write")
    if not wrong and (not (ROOT / PICTURE).is_file()
                      or pictured((ROOT / PICTURE).read_text(encoding="utf-8")) != expected(graph(case))):
        wrong.append(f"{PICTURE} is not what {CASE} says: run tools/assurance.py --write")
    for line in wrong:
        print(f"FAIL  {line}")
    print(f"{max(number + 2 - len(wrong), 0)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
