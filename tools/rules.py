"""Reads the rules, and what is tied to them: specification, statuses, flags, suite, tests, proofs.

Used by trace.py and differences.py. Nothing is checked here: what cannot be read becomes a fault in the
`faults` of what was read, and trace.py reports it. spec/npy.md, spec/npz.md and spec/objects.md say what a rule is:

    #### NPY-FRAME-001

    One sentence with MUST, MUST NOT, SHOULD, SHOULD NOT or MAY.

    - **Refusal:** `SNPY_BAD_MAGIC` at the first byte that differs.
    - **Source:** NEP 1.
    - **Why:** One sentence.
"""

import json
import re
from dataclasses import dataclass, field

SPECS = ["spec/npy.md", "spec/npz.md", "spec/objects.md"]
ID = r"(?:(?:NPY|NPZ)-[A-Z]+-\d{3}|(?:API|HOST)-[A-Z]+)"
HEADING = re.compile(r"^(#{1,6}) +(.*?)\s*$")
ITEM = re.compile(r"^- \*\*(\w+):\*\* +(.*)$")
KEYWORD = re.compile(r"\b(?:MUST|SHOULD|MAY)\b")
NO_REFUSAL = re.compile(r"none\.")
OTHERS_REFUSAL = re.compile(r"none of its own;")
LIBRARY_RULE = re.compile(r"((?:API|HOST)-[A-Z]+)(?:\s+\((SNPY_\w+))?")
INDEX = re.compile(r"<!-- index:begin -->(.*?)<!-- index:end -->", re.DOTALL)
INDEX_ROW = re.compile(rf"^\| ({ID}) \| \[([^\]]*)\]\(#([^)]*)\) \| (SNPY_\w+|–) \|$")


@dataclass
class Rule:
    """One rule of the specification."""

    id: str
    document: str           # the file that states it, from the repository's root
    line: int
    section: str            # the heading of level 2 above it
    text: str = ""          # its sentence
    items: dict = field(default_factory=dict)    # Refusal, Flag, Source, Why
    title: str = ""         # what the index calls it

    @property
    def group(self):
        """`NPY-FRAME` of NPY-FRAME-001."""
        return self.id.rsplit("-", 1)[0] if self.id[-1].isdigit() else self.id

    @property
    def status(self):
        """The status that reports it, or None."""
        match = re.match(r"`(SNPY_\w+)`", self.items.get("Refusal", ""))
        return match.group(1) if match else None

    @property
    def can_be_broken(self):
        """Whether some file is refused because of it, under this rule's status or another's."""
        return bool(self.status or OTHERS_REFUSAL.match(self.items.get("Refusal", "")))

    @property
    def reported_as(self):
        """The rules under which its breach is reported: itself, if it has a status."""
        if self.status:
            return {self.id}
        return set(ids_in(self.items.get("Refusal", "")))

    @property
    def flag(self):
        """The compatibility flag that it is about, or None."""
        match = re.match(r"`([a-z0-9-]+)`", self.items.get("Flag", ""))
        return match.group(1) if match else None


@dataclass
class Spec:
    """One document: its rules in order, the rows of its index, the flags of its table."""

    path: str
    rules: list = field(default_factory=list)
    index: list = field(default_factory=list)     # (id, anchor, status or None)
    flags: list = field(default_factory=list)
    faults: list = field(default_factory=list)    # (subject, what is wrong)


@dataclass
class Status:
    """One status of the library."""

    name: str
    number: int
    rule: str


def read(root, path):
    """The text of a file of the repository; nothing if it is not there."""
    file = root / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def ids_in(text):
    """Every rule that a text names; `NPY-LIT-001 … NPY-LIT-003` and `NPY-LIT-001 to 003` are three."""
    found = []
    for match in re.finditer(rf"({ID})(?:\s*(?:…|\.\.\.|\bto\b)\s*(?:[A-Z]+-[A-Z]+-)?(\d{{3}})\b)?", text):
        first, last = match.group(1), match.group(2)
        found.append(first)
        if last and first[-1].isdigit():
            stem, number = first.rsplit("-", 1)
            found += [f"{stem}-{n:03d}" for n in range(int(number) + 1, int(last) + 1)]
    return found


# --- the specification -------------------------------------------------------------------------------------


def read_block(rule, lines, faults):
    """Fills a rule from the lines below its heading."""
    paragraph, item = [], None
    for line in lines:
        match = ITEM.match(line)
        if match:
            item = match.group(1)
            if item in rule.items:
                faults.append((rule.id, f"has two lines '{item}'"))
            rule.items[item] = match.group(2)
        elif item and line.startswith("  ") and line.strip():
            rule.items[item] += " " + line.strip()
        elif not line.strip():
            if rule.items:
                break       # what follows the list is free text
        elif not rule.items:
            paragraph.append(line.strip())
        else:
            break
    rule.text = " ".join(paragraph)


def section_of(text, title):
    """Where the section under a heading of level 2 begins and ends; an empty span if there is none."""
    start = re.search(rf"^## {re.escape(title)}[ \t]*$", text, re.MULTILINE)
    if not start:
        return 0, 0
    end = re.search(r"^## ", text[start.end():], re.MULTILINE)
    return start.end(), start.end() + end.start() if end else len(text)


def read_library_rules(spec, text):
    """API-… and HOST-… are in running text: the name, and the status in parentheses."""
    found = {}
    title = "Caller and host"
    for match in LIBRARY_RULE.finditer(text, *section_of(text, title)):
        name, status = match.groups()
        rule = found.setdefault(name, Rule(name, spec.path, text.count("\n", 0, match.start()) + 1, title))
        if status and rule.status not in (None, status):
            spec.faults.append((name, f"has two statuses, {rule.status} and {status}"))
        if status:
            rule.items["Refusal"] = f"`{status}`"
    for rule in found.values():
        rule.items.setdefault("Refusal", "none.")
    spec.rules += found.values()


def read_flags(text):
    """The flags of the table below "Compatibility flags"."""
    start, end = section_of(text, "Compatibility flags")
    return re.findall(r"^\| `([a-z0-9-]+)` \|", text[start:end], re.MULTILINE)


def read_index(spec, text):
    """The rows of the index; a row that is none is a fault."""
    match = INDEX.search(text)
    if not match:
        return
    for line in match.group(1).splitlines():
        row = INDEX_ROW.match(line)
        if row:
            status = None if row.group(4) == "–" else row.group(4)
            spec.index.append((row.group(1), row.group(2), row.group(3), status))
        elif line.startswith("|") and re.search(ID, line):
            spec.faults.append(("index", f"a row that is not read: {line}"))


def read_spec(root, path):
    """One document of the specification."""
    spec = Spec(path)
    text = read(root, path)
    lines = text.split("\n")
    marks = [(number, HEADING.match(line)) for number, line in enumerate(lines)]
    marks = [(number, match) for number, match in marks if match and not in_code(lines, number)]
    section = ""
    for (number, match), (end, _) in zip(marks, marks[1:] + [(len(lines), None)]):
        if len(match.group(1)) == 2:
            section = match.group(2)
        if re.fullmatch(ID, match.group(2)):
            rule = Rule(match.group(2), path, number + 1, section)
            if len(match.group(1)) != 4:
                spec.faults.append((rule.id, "is not a heading of level 4"))
            read_block(rule, lines[number + 1:end], spec.faults)
            spec.rules.append(rule)
    spec.flags = read_flags(text)
    read_index(spec, text)
    read_library_rules(spec, text)
    titles = {name: title for name, title, _, _ in spec.index}
    for rule in spec.rules:
        rule.title = titles.get(rule.id, "")
    return spec


def in_code(lines, number):
    """Whether a line is between two fences: an odd number of fences is above it."""
    return sum(line.lstrip().startswith("```") for line in lines[:number]) % 2 == 1


# --- the library -------------------------------------------------------------------------------------------


def read_statuses(root):
    """Every status by name, with its number and rule, as the table in statuses.h has them. SNPY_OK is none."""
    row = re.compile(r'^SNPY_STATUS\((SNPY_\w+), (\d+), "([^"]*)",$', re.MULTILINE)
    return {name: Status(name, int(number), rule)
            for name, number, rule in row.findall(read(root, "include/safenpy/statuses.h"))}


def read_options(root):
    """The members of snpy_compat, and the name that the comment beside each gives its flag."""
    header = read(root, "include/safenpy/options.h")
    struct = re.search(r"typedef struct snpy_compat \{(.*?)\} snpy_compat;", header, re.DOTALL)
    rows = re.findall(r"\bbool (\w+);\s*(?:/\* *([\w-]+))?", struct.group(1) if struct else "")
    return dict(rows)


def read_cli_flags(root):
    """What `check --compat` takes: {name: member of snpy_compat}."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "src" / "cli").glob("*.c")))
    return dict(re.findall(r"\{\"([a-z0-9-]+)\", offsetof\(snpy_compat, (\w+)\)\}", text))


# --- the suite and the tests -------------------------------------------------------------------------------


SUITES = ["", "archives/", "objects/"]      # folders below corpus/


def read_manifest(root, folder=""):
    """The manifest of a suite."""
    return json.loads(read(root, f"corpus/{folder}manifest.json") or '{"cases": []}')


def read_cases(root, folder):
    """The cases of a suite; the id of each begins with the suite's folder."""
    return [{"flags": [], **case, "id": folder + case["id"]} for case in read_manifest(root, folder)["cases"]]


def suite_of(name):
    """The folder of the suite that a case belongs to."""
    return next((folder for folder in SUITES[1:] if name.startswith(folder)), "")


def read_observations(root):
    """What NumPy's versions said: {case: {version: verdict}}."""
    return json.loads(read(root, "corpus/observations.json") or "{}")


def refusals(case):
    """Every status with which safenpy refuses a case: by default, and under other options."""
    errors = [case["error"]] if "error" in case else []
    return [error["status"] for error in errors + [other["error"] for other in case.get("refused_with", [])]]


def without_comments(text):
    """C without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


TESTS = ["tests/unit/*.c", "tests/fault/*.c", "tests/cli/*.py", "tests/corpus/run.py", "tests/growth/growth.c"]


def read_tests(root):
    """Which tests name a status (in code, not in a comment) or a rule: {name: sorted paths}.

    test_status.c names every status in a table of frozen numbers: that tests the table, and counts only for
    the rules that have no status."""
    found = {}
    for path in sorted(path for pattern in TESTS for path in root.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        names = set(ids_in(text))
        if path.name == "test_status.c":
            names = {name for name in names if name.startswith(("API-STATUS", "API-VERSION"))}
        else:
            code = without_comments(text) if path.suffix == ".c" else text
            names |= set(re.findall(r"\bSNPY_[A-Z0-9_]+\b", code))
        for name in names:
            found.setdefault(name, []).append(str(path.relative_to(root)))
    return found


# --- the proofs --------------------------------------------------------------------------------------------

ANNOTATION = re.compile(r"/\*@.*?\*/|//@[^\n]*", re.DOTALL)
LABEL = re.compile(r"\b(?:ensures|invariant|assert|check)\s+"
                   r"(?:((?:NPY|NPZ)_[A-Z]+_\d{3})(?:_\w+)?|((?:API|HOST)_[A-Z]+)(?:_[a-z]\w*)?)\s*:")
FUNCTION = re.compile(r"\b([a-z]\w*)\s*\(")
DEFINITION = re.compile(r"^[a-z][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
DEFINED = re.compile(r"\b(?:logic\s+[\w\s*]*?|predicate\s+)(\w+)\s*[({=]")
PROVES = re.compile(rf"\bproves((?:[\s*,]+(?:and\s+)?{ID}(?:\s*(?:…|to)\s*(?:[A-Z]+-[A-Z]+-)?\d{{3}}\b)?)+)")


def owner(text, annotation):
    """The function whose contract or body an annotation belongs to."""
    if re.match(r"/[*/]@\s*(?:loop|assert|check|for|invariant)\b", annotation.group(0)):
        above = list(DEFINITION.finditer(text, 0, annotation.start()))
        return above[-1].group(1) if above else "?"
    below = FUNCTION.search(without_comments(text[annotation.end():annotation.end() + 2000]))
    return below.group(1) if below else "?"


def read_proofs(root):
    """The named clauses and theorems of each rule: {rule: sorted texts}, by label or by `proves`."""
    found = {}
    places = [root / "src" / "core", root / "spec" / "logic", root / "proofs" / "theorems"]
    for path in sorted(path for place in places for path in place.glob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(root))
        for annotation in ANNOTATION.finditer(text):
            clauses = re.sub(r"//(?!@)[^\n]*", "", annotation.group(0))
            for label in LABEL.finditer(clauses):
                rule = (label.group(1) or label.group(2)).replace("_", "-")
                found.setdefault(rule, set()).add(f"{owner(text, annotation)} ({name})")
        if path.parent.name == "theorems":
            for comment in re.finditer(r"/\*.*?\*/", text, re.DOTALL):
                for claim in PROVES.finditer(comment.group(0)):
                    for rule in ids_in(claim.group(1)):
                        function = FUNCTION.search(without_comments(text[comment.end():]))
                        found.setdefault(rule, set()).add(f"{function.group(1) if function else '?'} ({name})")
    return {rule: sorted(places) for rule, places in found.items()}


def read_logic(root):
    """The definitions in spec/logic that state a rule: those after a comment that names it, {rule: names}.

    A definition is no evidence: it gives clauses their meaning."""
    found = {}
    for path in sorted((root / "spec" / "logic").glob("*.h")):
        for annotation in ANNOTATION.finditer(path.read_text(encoding="utf-8")):
            text = annotation.group(0)
            for comment in re.finditer(r"//[^\n]*(?:\n\s*//[^\n]*)*", text):
                defined = DEFINED.search(re.sub(r"//[^\n]*", "", text[comment.end():]))
                for rule in ids_in(comment.group(0)) if defined else []:
                    names = found.setdefault(rule, [])
                    if defined.group(1) not in names:
                        names.append(defined.group(1))
    return found
