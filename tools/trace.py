#!/usr/bin/env python3
"""Ties each rule of spec/ to what proves it, what tests it and what reports it, and writes spec/TRACE.md.

    tools/trace.py                  check, and write spec/TRACE.md
    tools/trace.py --check          check, and complain if spec/TRACE.md is not what would be written
    tools/trace.py --require-proof  complain also of rules that no named clause or theorem proves
    tools/trace.py --root DIR       another tree

No rule without a case, no status without a rule, no case without a rule; flags likewise. Each rule, status,
case and flag is one check. The last line is `N passed, N failed`.

The cases are those of all three suites; an id of the archives or of the object arrays begins with the suite's folder.

The rules of spec/npz.md and spec/objects.md come into force one by one: a rule is in force once a case or a test names it, or
a test names its status, and the status, if it has one, exists. The others are planned: they are listed apart and asked for
nothing.
"""

import argparse
import re
import sys
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parent.parent
MATRIX = "spec/TRACE.md"
ALIKE = 5           # cases shown with the same fault
SHOWN = 2           # cases by name in the matrix, of each kind
SOURCES = {"NPY": ("NEP 1", "NumPy reference", "Python reference", "measured", "safenpy"),
           "NPZ": ("APPNOTE", "RFC 1951", "NumPy reference", "measured", "safenpy")}

# Where a rule that is named must be one. Tests name rules that are none on purpose.
MENTIONS = ["*.md", "docs/*.md", "spec/**/*.*", "corpus/README.md", "include/safenpy/*.h", "src/*/*.[ch]", "src/core/*/*.[ch]", "proofs/**/*.c"]

# Flags of the suite that are no compatibility flags: limits, and the standard profile itself.
SUITE_FLAGS = {"strict", "no-trailing", "long-header", "depth-over-64", "unended-padding"}

# Rules that no file can keep or break by itself: a test replaces the cases (see rules.read_tests).
BY_TEST = {
    "API": "the caller of the library breaks it",
    "HOST": "the machine breaks it",
    "NPY-WRITE": "the description handed to the writer breaks it",
    "NPY-DATA-004": "the caller sets the limit",
    "NPY-COMPAT-012": "the caller sets the flags",
    "NPY-PKL-028": "what is written shows it",
    "NPY-PKL-029": "what is written shows it",
    "NPY-PKL-030": "the caller of the writer chooses",
    "NPY-PKL-031": "what is flattened shows it",
    "NPY-PKL-032": "what is flattened shows it",
    "NPY-PKL-033": "what is flattened shows it",
    "NPY-PKL-034": "what is flattened shows it",
    "NPY-PKL-035": "only an archive that is flat breaks it",
    "NPZ-WRITE": "the caller of the writer breaks it",
    "NPZ-PATH": "only a program that unpacks an archive breaks it",
    "NPZ-ERR-002": "only a program that goes on after an error shows it",
    "NPZ-ERR-003": "only the reported offset shows it",
    "NPZ-DATA-006": "the caller who maps a member chooses",
    "NPZ-LIMIT-003": "the caller sets the limit",
    "NPZ-LIMIT-005": "work is measured",
}

# The test that runs the cases of a suite, by the folder of the suite.
RUNNERS = {"": "tests/corpus/run.py", "archives/": "tests/corpus/archives.py", "objects/": "tests/oracle/test_objects.py"}

# Groups of rules about refusals alone: no file that is accepted can show that they are kept.
REFUSALS_ONLY = {"NPY-ERR"}


class Report:
    """What was looked at, and what was wrong with it."""

    def __init__(self):
        self.subjects = {}

    def look(self, *subjects):
        """Counts subjects, right until a fault is found."""
        for subject in subjects:
            self.subjects.setdefault(subject, [])

    def fault(self, subject, text):
        """Something is wrong with a subject."""
        if text not in self.subjects.setdefault(subject, []):
            self.subjects[subject].append(text)

    def print(self):
        """All faults, the same fault of many cases only a few times, and the last line."""
        alike = {}
        for subject, texts in self.subjects.items():
            for text in texts:
                alike[text] = alike.get(text, 0) + ("/" in subject)
                if alike[text] <= ALIKE:
                    print(f"{subject}: {text}")
        for text, number in alike.items():
            if number > ALIKE:
                print(f"… and {number - ALIKE} more: {text}")
        failed = sum(bool(texts) for texts in self.subjects.values())
        print(f"{len(self.subjects) - failed} passed, {failed} failed")
        return 1 if failed or not self.subjects else 0


class Tree:
    """Everything that is to be tied together, read once."""

    def __init__(self, root):
        self.root = root
        self.specs = [rules.read_spec(root, path) for path in rules.SPECS if (root / path).is_file()]
        self.statuses = rules.read_statuses(root)
        self.options = rules.read_options(root)
        self.cli_flags = rules.read_cli_flags(root)
        self.manifest = rules.read_manifest(root)
        self.cases = [case for folder in rules.SUITES for case in rules.read_cases(root, folder)]
        self.tests = rules.read_tests(root)
        self.proofs = rules.read_proofs(root)
        self.logic = rules.read_logic(root)
        self.assumptions = set(rules.ids_in(rules.read(root, "spec/assumptions.md")))
        self.rules = {}
        for spec in self.specs:
            for rule in spec.rules:
                self.rules.setdefault(rule.id, rule)
        self.rule_of_status = {status.name: status.rule for status in self.statuses.values()}
        self.planned = {rule.id for spec in self.specs for rule in spec.rules if not self.in_force(spec, rule)}
        self.positive, self.negative = self.sort_cases()

    def in_force(self, spec, rule):
        """Whether a rule is more than planned."""
        if spec.path == rules.SPECS[0]:
            return True
        is_named = bool(self.tests_of(rule)) or any(rule.id in case["rules"] for case in self.cases)
        return is_named and (rule.status is None or rule.status in self.statuses)

    def sort_cases(self):
        """For each rule the cases that keep it and those that break it, the plainest first."""
        positive = {name: [] for name in self.rules}
        negative = {name: [] for name in self.rules}
        by_flag = {rule.flag: rule.id for rule in self.rules.values() if rule.flag}
        for case in sorted(self.cases, key=lambda case: (rules.suite_of(case["id"]), len(case["rules"]), case["id"])):
            reported = {self.rule_of_status.get(status) for status in rules.refusals(case)}
            flagged = {by_flag[flag] for flag in case["flags"] if flag in by_flag}
            for name in sorted(flagged | set(case["rules"]) & set(self.rules)):
                keeps, breaks = judge(case, self.rules[name], reported)
                if keeps:
                    positive[name].append(case["id"])
                if breaks:
                    negative[name].append(case["id"])
        return positive, negative

    def tests_of(self, rule):
        """The tests that name a rule or its status."""
        return sorted({*self.tests.get(rule.id, []), *self.tests.get(rule.status, [])})

    def runners_of(self, rule):
        """The tests that run the cases of a rule."""
        suites = {rules.suite_of(name) for name in (*self.positive[rule.id], *self.negative[rule.id])}
        return [RUNNERS[suite] for suite in RUNNERS if suite in suites]


def judge(case, rule, reported):
    """Whether a case keeps a rule, and whether it breaks it.

    A file breaks a rule if the refusal is reported as that rule's. A rule without a status of its own is broken
    where a rule is reported that it names instead, or any if it names none. A file that breaks another rule
    neither keeps nor breaks this one, unless it is a choice that is read under other options. A choice under a
    compatibility flag both breaks and keeps the rule of the flag: it is refused without it and read with it. So
    does one of the other kind, which is read by default."""
    if rule.flag and rule.flag in case["flags"]:
        return "expect" in case and "options" in case, "error" in case
    if "error" not in case and case["flags"]:        # read by default, refused by who declares the flag
        return True, bool(reported & rule.reported_as)
    if reported & rule.reported_as or (reported and not rule.reported_as and "error" in case):
        return False, True
    return "error" not in case or {"expect", "options"} <= set(case), False


def names_of(rule):
    """The names under which BY_TEST may have a rule: its own, its group's, that of all groups."""
    return rule.id, rule.group, rule.id.split("-")[0]


def by_test(rule):
    """Why a test replaces the cases of a rule, or None."""
    return next((BY_TEST[name] for name in names_of(rule) if name in BY_TEST), None)


# --- checks ------------------------------------------------------------------------------------------------


def check_sentences(report, tree):
    """Each rule has a number of its own, a sentence that binds, a refusal, a source and a reason."""
    for spec in tree.specs:
        seen = {}
        for rule in spec.rules:
            report.look(rule.id)
            if rule.id in seen or tree.rules[rule.id].document != spec.path:
                first = seen.get(rule.id, tree.rules[rule.id])
                places = f"{first.document}:{first.line} and {rule.document}:{rule.line}"
                report.fault(rule.id, f"stands twice: {places}")
            seen[rule.id] = rule
            if rule.id.startswith(("NPY", "NPZ")):
                check_block(report, rule)
        for subject, text in spec.faults:
            report.fault(subject, text)


def check_block(report, rule):
    """One block: its sentence and the lines below it."""
    if not rules.KEYWORD.search(rule.text):
        report.fault(rule.id, "its sentence has none of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY")
    refusal = rule.items.get("Refusal", "")
    if not rule.status and not rules.NO_REFUSAL.match(refusal) and not rules.OTHERS_REFUSAL.match(refusal):
        report.fault(rule.id, "its refusal is neither a status, nor 'none.', nor 'none of its own; …'")
    named = set(re.findall(r"`(SNPY_\w+)`", refusal))
    if len(named) > 1:
        report.fault(rule.id, f"its refusal names more than one status: {', '.join(sorted(named))}")
    if "Flag" in rule.items and (rule.group != "NPY-COMPAT" or not rule.flag):
        report.fault(rule.id, "a line 'Flag' stands in rules of NPY-COMPAT only, and begins with the flag")
    source = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", rule.items.get("Source", "")).rstrip(". ")
    if not source:
        report.fault(rule.id, "has no source")
    known = SOURCES[rule.id.split("-")[0]]
    for part in source.split("; ") if source else []:
        if not part.startswith(known):
            report.fault(rule.id, f"'{part}' begins with no known source: {', '.join(known)}")
    if not rule.items.get("Why", "").strip():
        report.fault(rule.id, "does not say why")


def check_index(report, tree):
    """The index of a document lists its rules in their order, with status and link."""
    for spec in tree.specs:
        subject = f"index of {spec.path}"
        report.look(subject)
        blocks = [(rule.id, rule.status) for rule in spec.rules if rule.id.startswith(("NPY", "NPZ"))]
        rows = [(name, status) for name, _, _, status in spec.index]
        for name, _, anchor, _ in spec.index:
            if anchor != name.lower():
                report.fault(subject, f"the row of {name} leads to #{anchor}")
        for name in sorted(dict(blocks).keys() ^ dict(rows).keys()):
            report.fault(subject, f"{name} is in the {'text' if name in dict(blocks) else 'index'} only")
        for name, status in rows:
            if name in dict(blocks) and dict(blocks)[name] != status:
                report.fault(subject, f"{name} reports {status} here, {dict(blocks)[name]} in its rule")
        if not subject_faults(report, subject) and rows != blocks:
            report.fault(subject, "has another order than the text")


def subject_faults(report, subject):
    """What was found wrong with a subject so far."""
    return report.subjects.get(subject, [])


def check_statuses(report, tree):
    """Each status reports one rule, the same in statuses.h and the specification."""
    if not tree.statuses:
        report.fault("statuses.h", "has no status")
    numbers = {}
    for status in tree.statuses.values():
        report.look(status.name)
        if status.number in numbers:
            report.fault(status.name, f"has the number of {numbers[status.number]}")
        numbers[status.number] = status.name
        if status.rule not in tree.rules:
            report.fault(status.name, f"statuses.h says {status.rule}, which the specification does not have")
        elif tree.rules[status.rule].status != status.name:
            report.fault(status.name, f"statuses.h says {status.rule}, whose status in the specification is "
                                      f"{tree.rules[status.rule].status or 'none'}")
    reporters = {}
    for rule in tree.rules.values():
        if not rule.status:
            continue
        if rule.status not in tree.statuses and rule.id not in tree.planned:
            report.fault(rule.id, f"reports {rule.status}, which statuses.h does not have")
        if rule.status in reporters:
            other = reporters[rule.status]
            report.fault(rule.id, f"reports {rule.status}, as {other} does: a status has one rule")
        reporters[rule.status] = rule.id


def check_cases(report, tree):
    """Each case names rules that exist, and among them the one that its refusal reports."""
    for folder in rules.SUITES:
        if not any(rules.suite_of(case["id"]) == folder for case in tree.cases):
            report.fault(f"{folder}manifest.json", "has no case")
    for case in tree.cases:
        report.look(case["id"])
        if not case["rules"]:
            report.fault(case["id"], "names no rule")
        for name in case["rules"]:
            if name not in tree.rules:
                report.fault(case["id"], f"names the rule {name}, which the specification does not have")
        for status in rules.refusals(case):
            rule = tree.rule_of_status.get(status)
            if status not in tree.statuses:
                report.fault(case["id"], f"is refused with {status}, which statuses.h does not have")
            elif rule in tree.rules and rule not in case["rules"]:
                report.fault(case["id"], f"is refused with {status} and does not name {rule}")


def check_coverage(report, tree):
    """Each rule in force has a case that keeps it and one that breaks it, or a test that replaces them.

    An accepted archive or object array keeps nearly all rules and names those that it is about: a rule of these files has
    a case, and one that breaks it if it has a status."""
    for rule in tree.rules.values():
        if rule.id in tree.planned:
            continue
        tests = tree.tests_of(rule)
        if by_test(rule):
            if not tests and not (tree.positive[rule.id] and (tree.negative[rule.id] or not rule.can_be_broken)):
                report.fault(rule.id, f"no test names it or its status ({by_test(rule)})")
            continue
        if rule.document != rules.SPECS[0]:
            if not tree.positive[rule.id] and not tree.negative[rule.id]:
                report.fault(rule.id, "no case keeps or breaks it")
            elif rule.status and not tree.negative[rule.id]:
                report.fault(rule.id, "no case breaks it")
            continue
        if not tree.positive[rule.id] and rule.group not in REFUSALS_ONLY:
            report.fault(rule.id, "no case keeps it")
        if not tree.negative[rule.id] and rule.can_be_broken:
            report.fault(rule.id, "no case breaks it")
    documents = {"NPZ": "spec/npz.md", "NPY-PKL": "spec/objects.md"}
    for name in BY_TEST:
        document = next((path for start, path in documents.items() if name.startswith(start)), rules.SPECS[0])
        if document not in {spec.path for spec in tree.specs}:
            continue
        if not any(name in names_of(rule) for rule in tree.rules.values()):
            report.fault("trace.py", f"BY_TEST names {name}, which is no rule and no group of rules")


def check_flags(report, tree):
    """A compatibility flag is in the table of the specification, has a rule, an option, a name and a case."""
    ruled = {rule.flag: rule.id for rule in tree.rules.values() if rule.flag}
    tabled = {flag for spec in tree.specs for flag in spec.flags}
    used = {flag for case in tree.manifest["cases"] for flag in case["flags"]}
    listed = set(tree.manifest.get("flags", used))
    options = {member.replace("_", "-") for member in tree.options}
    places = [("the table of the specification", tabled), ("the rules of NPY-COMPAT", set(ruled)),
              ("snpy_compat in options.h", options), ("the command line", set(tree.cli_flags)),
              ("the manifest's flags", listed), ("every case", used)]
    for flag in sorted(set().union(*(names for _, names in places)) | SUITE_FLAGS):
        report.look(f"flag {flag}")
        for place, names in places[-2:] if flag in SUITE_FLAGS else places:
            if flag not in names:
                report.fault(f"flag {flag}", f"is missing in {place}")
    for flag, member in sorted(tree.cli_flags.items()):
        if flag.replace("-", "_") != member:
            report.fault(f"flag {flag}", f"the command line ties it to {member}")
    for member, named in sorted(tree.options.items()):
        flag = member.replace("_", "-")
        if named != flag:
            report.fault(f"flag {flag}", f"the comment beside it in options.h calls it {named}")


PHASES = re.compile(r"<!-- phases:begin -->\n(.*?)<!-- phases:end -->", re.DOTALL)
LAST_PHASE = "canonical"     # after it come blocks of statuses that refuse no file


def check_phases(report, tree):
    """The table of phases has, in the order of the blocks of statuses, each rule that a status of the block reports."""
    text = rules.read(tree.root, "spec/npy.md")
    found = PHASES.search(text)
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")]
            for line in (found[1] if found else "").splitlines()[2:]]
    report.look("table of phases")
    sentence = re.search(r"checked in phases: \*\*([^*]*)\*\*", text)
    named = " ".join(sentence[1].split()).split(", ") if sentence else []
    comment = rules.read(tree.root, "include/safenpy/status.h")
    header = re.search(r"are the blocks of statuses in their order: ([^.]*)\.", comment)
    of_header = re.sub(r"[\s*]+", " ", header[1]).split(", ") if header else []
    if [row[0] for row in rows] != [*named, LAST_PHASE] or of_header != named:
        report.fault("table of phases", "its rows are not the phases that its text and status.h name")
    for number, row in enumerate(rows, 1):
        report.look(f"phase {row[0]}")
        of_block = sorted((status.number, status.rule) for status in tree.statuses.values()
                          if status.number // 100 == number)
        wanted = sorted({rule for _, rule in of_block})
        numbers = " to ".join(dict.fromkeys(str(of_block[end][0]) for end in (0, -1))) if of_block else ""
        if row[2:] != [numbers, ", ".join(wanted)]:
            report.fault(f"phase {row[0]}", f"its statuses are {numbers}, its rules {', '.join(wanted)}")


def check_mentions(report, tree):
    """A rule that a text or a source of ours names exists."""
    for pattern in MENTIONS:
        for path in sorted(tree.root.glob(pattern)):
            name = str(path.relative_to(tree.root))
            for rule in dict.fromkeys(rules.ids_in(rules.read(tree.root, name))) if name != MATRIX else []:
                if rule not in tree.rules:
                    report.fault(name, f"names {rule}, which the specification does not have")


def check_proofs(report, tree, required):
    """A clause or theorem names a rule that exists. On demand each rule has one, or is in assumptions.md."""
    for name, places in sorted(tree.proofs.items()):
        if name not in tree.rules:
            report.fault(places[0], f"proves {name}, which the specification does not have")
    for rule in tree.rules.values() if required else []:
        if rule.id not in tree.planned and rule.id not in tree.proofs and rule.id not in tree.assumptions:
            report.fault(rule.id, "no named clause or theorem proves it, and spec/assumptions.md does not name it")


# --- the matrix --------------------------------------------------------------------------------------------

HEAD = """\
# From each rule to its proof, its cases and its status

Made by `make trace` from the specification, the sources, the proofs, the tests and the suite; do not edit.
The check fails if a rule has no case, if a status or a case has no rule, or if this page is not up to date.

- **proof**: the named ACSL clauses and theorems whose label is the rule's (`NPY_FRAME_001…`), by function. `–`:
  none is named yet. All contracts of the core are proved, also those without the label of a rule.
  After *logic* come the definitions of `spec/logic/` that state the rule: they give the clauses their meaning.
- **kept by**: cases of the suite that keep the rule and are accepted. **broken by**: cases refused because of it;
  a rule without a status of its own is reported as another. A choice under a compatibility flag is refused
  without it and accepted with it. The simplest cases of each kind are listed, with their total.
- Only a refused file can show which of several errors wins (NPY-ERR): these cases are under *broken by*.
- Cases of archives and of object arrays begin with `archives/` and `objects/`. An accepted one keeps nearly all rules
  and is listed with those that it is about.
- **tests**: what names the rule or its status, and what runs the cases. If no file by itself can keep or break a rule,
  these tests replace the cases.
"""


def link(rule):
    """A rule's number, leading to its text."""
    target = Path(rule.document).name
    anchor = rule.id.lower() if rule.id.startswith(("NPY", "NPZ")) else "caller-and-host"
    return f"[{rule.id}]({target}#{anchor})"


def some(cases):
    """The first few cases, and how many there are."""
    if not cases:
        return "–"
    names = [f"`{name}`" for name in cases[:SHOWN]]
    more = f"{len(cases)} in all" if len(cases) > SHOWN else ""
    return "<br>".join([*names, *([more] if more else [])])


def listed(values):
    """Values in code, one below the other, or a dash."""
    return "<br>".join(f"`{value}`" for value in values) or "–"


def row(tree, rule):
    """One rule in the matrix."""
    name = f"{link(rule)}<br>{rule.title}" if rule.title else link(rule)
    status = f"`{rule.status}`" if rule.status else "–"
    tests = listed(dict.fromkeys([*tree.tests_of(rule), *tree.runners_of(rule)]))
    cells = [name, status, proof_cell(tree, rule), some(tree.positive[rule.id]), some(tree.negative[rule.id]), tests]
    return "| " + " | ".join(cells) + " |"


def proof_cell(tree, rule):
    """The functions whose contracts prove a rule, and the definitions that state it, without their files."""
    names = [place.split(" ")[0] for place in tree.proofs.get(rule.id, [])]
    logic = [f"logic: {listed(tree.logic[rule.id])}"] if rule.id in tree.logic else []
    return "<br>".join([listed(list(dict.fromkeys(names))), *logic])


def section_table(tree, section, members):
    """The matrix of one section."""
    reasons = sorted({f"{name}: {BY_TEST[name]}" for rule in members for name in BY_TEST if name in names_of(rule)})
    return [f"## {section}", "", *(["Tests replace cases. " + "; ".join(reasons) + ".", ""] if reasons else []),
            "| rule | status | proof | kept by | broken by | tests |", "|---|---|---|---|---|---|",
            *(row(tree, rule) for rule in members), ""]


def counts(tree, members):
    """One row of the summary: rules, those with a status, a definition, a proof, cases on either side."""
    return [len(members),
            sum(bool(rule.status) for rule in members),
            sum(rule.id in tree.logic for rule in members),
            sum(rule.id in tree.proofs for rule in members),
            sum(len(tree.positive[rule.id]) for rule in members),
            sum(len(tree.negative[rule.id]) for rule in members)]


def summary(tree, sections):
    """The table at the top. A case counts once for each rule that it keeps or breaks."""
    lines = ["| section | rules | with a status | in the logic | with a named proof | kept by | broken by |",
             "|---|---|---|---|---|---|---|"]
    total = [0] * 6
    for section, members in sections.items():
        numbers = counts(tree, members)
        total = [a + b for a, b in zip(total, numbers)]
        anchor = re.sub(r"[^\w\- ]", "", section.lower()).replace(" ", "-")
        lines.append(f"| [{section}](#{anchor}) | " + " | ".join(str(number) for number in numbers) + " |")
    lines.append("| **all** | " + " | ".join(f"**{number}**" for number in total) + " |")
    verdicts = {verdict: sum(case["verdict"] == verdict for case in tree.cases)
                for verdict in ("accept", "reject", "choice")}
    words = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    lines += ["", f"{len(tree.cases)} cases ({words}), {len(tree.statuses)} statuses. A case counts once for each "
                  "rule that it keeps or breaks.", ""]
    return lines


def flag_table(tree):
    """Flags of the suite: rule, option, cases."""
    ruled = {rule.flag: rule for rule in tree.rules.values() if rule.flag}
    lines = ["## Flags of the suite of NPY files", "", "| flag | rule | option | cases |", "|---|---|---|---|"]
    names = [flag for spec in tree.specs for flag in spec.flags]
    for flag in [*names, *sorted(SUITE_FLAGS)]:
        rule = link(ruled[flag]) if flag in ruled else "–"
        option = f"`compat.{flag.replace('-', '_')}`" if flag.replace("-", "_") in tree.options else "–"
        cases = sum(flag in case["flags"] for case in tree.manifest["cases"])
        lines.append(f"| `{flag}` | {rule} | {option} | {cases} |")
    return [*lines, ""]


def planned_table(tree):
    """What is written and not yet in force."""
    planned = [rule for rule in tree.rules.values() if rule.id in tree.planned]
    if not planned:
        return []
    lines = ["## Planned", "",
             f"{len(planned)} rules are written and not yet in force; nothing is asked of them.", "",
             "| rule | | status to come |", "|---|---|---|"]
    for rule in planned:
        lines.append(f"| {link(rule)} | {rule.title} | {f'`{rule.status}`' if rule.status else '–'} |")
    return [*lines, ""]


def matrix(tree):
    """The text of spec/TRACE.md."""
    sections = {}
    for rule in tree.rules.values():
        if rule.id not in tree.planned:
            sections.setdefault(rule.section, []).append(rule)
    lines = [HEAD, *summary(tree, sections)]
    for section, members in sections.items():
        lines += section_table(tree, section, members)
    lines += flag_table(tree) + planned_table(tree)
    return "\n".join(lines).rstrip("\n") + "\n"


def settle(report, tree, check):
    """Writes the matrix, or complains that it is not what it would be."""
    text = matrix(tree)
    report.look(MATRIX)
    if not check:
        (tree.root / MATRIX).write_text(text, encoding="utf-8")
    elif rules.read(tree.root, MATRIX) != text:
        report.fault(MATRIX, "is not up to date: run make trace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if spec/TRACE.md is out of date")
    parser.add_argument("--require-proof", action="store_true", help="fail for rules that nothing proves by name")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to look at (default: this repository)")
    args = parser.parse_args()
    tree, report = Tree(args.root.resolve()), Report()
    for path in rules.SPECS[:1]:
        if not (tree.root / path).is_file():
            report.fault(path, "is not there")
    check_sentences(report, tree)
    check_index(report, tree)
    check_statuses(report, tree)
    check_cases(report, tree)
    check_coverage(report, tree)
    check_flags(report, tree)
    check_phases(report, tree)
    check_mentions(report, tree)
    check_proofs(report, tree, args.require_proof)
    settle(report, tree, args.check)
    force = [rule for rule in tree.rules.values() if rule.id not in tree.planned]
    proved = sum(rule.id in tree.proofs for rule in force)
    print(f"{proved} of {len(force)} rules in force have a named clause or theorem")
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
