#!/usr/bin/env python3
"""Writes into spec/npy.md where NumPy and our rules differ, from NumPy's verdict on each file of the suite.

    tools/differences.py            write the list between its two marker lines
    tools/differences.py --check    write nothing; fail if the list is not what would be written
    tools/differences.py --root DIR another tree

Our verdict is that of the standard profile without compatibility flags: a `choice` is refused. Cases that
differ for the same rule with the same versions of NumPy are one row. The rule of a file that we refuse is the
one that the refusal reports; of a file that we accept it is the rarest that the case names. The last line is
`N passed, N failed`: each case is one check, and the list is one.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parent.parent
SPEC = "spec/npy.md"
BEGIN, END = "<!-- differences:begin -->", "<!-- differences:end -->"
SHOWN = 2           # examples a row
WIDTH = 110         # of running text
VERDICTS = ("accept", "reject")


def version_key(version):
    """Sorts 1.9 before 1.10."""
    return [int(part) if part.isdigit() else -1 for part in re.split(r"[.-]", version)], version


class Suite:
    """The cases, what NumPy said about each, and which rule each is about."""

    def __init__(self, root):
        self.manifest = rules.read_manifest(root)
        self.cases = sorted(self.manifest["cases"], key=lambda case: case["id"])
        self.observations = rules.read_observations(root)
        self.rule_of_status = {status.name: status.rule for status in rules.read_statuses(root).values()}
        self.rules = {rule.id: rule for rule in rules.read_spec(root, SPEC).rules}
        self.count = {}
        for case in self.cases:
            for rule in case["rules"]:
                self.count[rule] = self.count.get(rule, 0) + 1
        self.versions = sorted({name for seen in self.observations.values() for name in seen}, key=version_key)

    def faults(self):
        """What is wrong with the input, by case: a list can only be as good as what it is made of."""
        known = {case["id"] for case in self.cases}
        for case in self.cases:
            seen = self.observations.get(case["id"], {})
            if case.get("numpy", {}) != seen:
                yield case["id"], "the manifest and observations.json differ about NumPy"
            if not seen:
                yield case["id"], "no NumPy was asked about it"
            for version, verdict in seen.items():
                if verdict not in VERDICTS:
                    yield case["id"], f"NumPy {version} is said to '{verdict}', which is no verdict"
        for name in sorted(set(self.observations) - known):
            yield name, "is in observations.json and is no case"

    def rule_of(self, case):
        """The rule that decides a case."""
        if "error" in case:
            return self.rule_of_status[case["error"]["status"]]
        return min(case["rules"], key=lambda rule: (self.count[rule], rule))

    def groups(self, ours):
        """The cases with our verdict `ours` on which some NumPy disagrees, by rule and versions."""
        found = {}
        for case in self.cases:
            if ("reject" if "error" in case else "accept") != ours:
                continue
            seen = self.observations.get(case["id"], {})
            against = tuple(version for version in self.versions if seen.get(version, ours) != ours)
            asked = tuple(version for version in self.versions if version in seen)
            if against:
                found.setdefault((self.rule_of(case), span(against, asked)), []).append(case)
        order = {name: number for number, name in enumerate(self.rules)}
        return sorted(found.items(), key=lambda item: (order.get(item[0][0], len(order)), item[0]))


def cell(text):
    """Text inside a table: no bar and no line end may break it."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def plain(text):
    """Running text of the suite, in which nothing is meant as Markdown."""
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", text)


def span(against, asked):
    """Which versions of NumPy disagree, in words."""
    if against == asked:
        return "all"
    if against == asked[:len(against)]:
        return f"up to {against[-1]}"
    if against == asked[-len(against):]:
        return f"since {against[0]}"
    return ", ".join(against)


def number_cell(cases):
    """How many cases, and with which flags."""
    flags = {}
    for case in cases:
        for flag in case["flags"]:
            flags[flag] = flags.get(flag, 0) + 1
    parts = [f"`{flag}`" + (f" {number}" if number < len(cases) else "") for flag, number in sorted(flags.items())]
    return f"{len(cases)}" + (": " + ", ".join(parts) if parts else "")


def why_cell(suite, rule, cases):
    """Why we differ: the dangers that the records name, else the reason of the rule."""
    dangers = sorted({case["danger"] for case in cases if "danger" in case})
    reason = suite.rules[rule].items.get("Why", "") if rule in suite.rules else ""
    return cell(plain(" ".join(dangers)) or reason) or "–"


def example_cell(cases):
    """The plainest cases, the first with its reason."""
    first, *others = sorted(cases, key=lambda case: (len(case["rules"]), len(case["id"]), case["id"]))
    more = [f"`{case['id']}`" for case in others[:SHOWN - 1]]
    return cell(" ".join([f"`{first['id']}`: {plain(first['reason'])}", *more]))


def table(suite, ours, theirs):
    """One direction of difference: what `ours` of us meets `theirs` of NumPy."""
    groups = suite.groups(ours)
    total = sum(len(cases) for _, cases in groups)
    title = {"reject": "Refused here, read by NumPy", "accept": "Read here, refused by NumPy"}[ours]
    lines = [f"**{title}**: {total} cases."]
    if not groups:
        return [*lines, ""]
    why = ours == "reject"      # why an old NumPy refuses a file is no matter of our rule
    heads = [theirs, "rule", "cases", *["why"] * why, "for example"]
    lines += ["", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for (rule, versions), cases in groups:
        link = f"[{rule}](#{rule.lower()})" if rule in suite.rules else rule
        reason = [why_cell(suite, rule, cases)] * why
        cells = [versions, link, number_cell(cases), *reason, example_cell(cases)]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def listing(suite):
    """The text between the markers."""
    asked = ", ".join(f"{version} ({sum(version in seen for seen in suite.observations.values())} files)"
                      for version in suite.versions)
    text = ("Made by `tools/differences.py` from the suite and NumPy's verdict on each file; do not edit. "
            f"Versions: NumPy {asked}. \"All\", \"up to\" and \"since\" refer to these. Our verdict is "
            "that of the standard profile without compatibility flags; the flags of the cases in the suite follow "
            "their number.")
    lines = [*textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False), ""]
    lines += table(suite, "reject", "read by") + table(suite, "accept", "refused by")
    return "\n".join(lines).rstrip("\n")


def spliced(text, content):
    """The document with the content between its markers, or None if they are not there once each, in order."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        return None
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    return f"{head}{BEGIN}\n{content}\n{END}{tail}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the list is not up to date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to look at (default: this repository)")
    args = parser.parse_args()
    root = args.root.resolve()
    suite = Suite(root)
    faults = list(suite.faults())
    text = rules.read(root, SPEC)
    fresh = spliced(text, listing(suite)) if suite.cases else None
    if not suite.cases:
        faults.append(("corpus/manifest.json", "has no case"))
    elif fresh is None:
        faults.append((SPEC, f"needs one line '{BEGIN}' and one line '{END}' after it"))
    elif args.check and fresh != text:
        faults.append((SPEC, "its list of differences is not up to date: run tools/differences.py"))
    elif not args.check and fresh != text:
        (root / SPEC).write_text(fresh, encoding="utf-8")
    for subject, fault in faults:
        print(f"{subject}: {fault}")
    subjects = {SPEC, *(case["id"] for case in suite.cases)}
    failed = {subject for subject, _ in faults}
    print(f"{len(subjects - failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
