"""The faults that tests/trace/test_trace.py plants, each with the complaints that it must raise and no other.

A plant is a name, what it does to a tree, and regular expressions: each must match a new complaint, and each
new complaint must be matched by one. The tree is a copy of the repository's sources, so what is planted stands
in the real texts; a plant that finds nothing to change fails.
"""

import json
import re

import rules

SPEC, STATUS_H, STATUSES_H = "spec/npy.md", "include/safenpy/status.h", "include/safenpy/statuses.h"
OPTIONS_H, CLI_FLAGS, MANIFEST = "include/safenpy/options.h", "src/cli/options.c", "corpus/manifest.json"
OBSERVATIONS = "corpus/observations.json"
ARCHIVES, OBJECTS = "corpus/archives/manifest.json", "corpus/objects/manifest.json"
TABLE = "| `int-shape` |"


class Unplanted(Exception):
    """A plant found nothing to change."""


# --- verbs -------------------------------------------------------------------------------------------------


def swap(path, old, new, count=1):
    """Replaces what a regular expression matches, in exactly `count` places."""
    def plant(root):
        file = root / path
        text, done = re.subn(old, new, file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if done != count:
            raise Unplanted(f"{path}: /{old}/ matches {done} times, not {count}")
        file.write_text(text, encoding="utf-8")
    return plant


def block(rule, old, new):
    """Replaces, once, what matches inside the block of a rule."""
    def plant(root):
        file = root / SPEC
        text = file.read_text(encoding="utf-8")
        found = re.search(rf"^#### {rule}$.*?(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
        if not found:
            raise Unplanted(f"{SPEC} has no block {rule}")
        body, done = re.subn(old, new, found.group(0), count=1, flags=re.MULTILINE | re.DOTALL)
        if not done:
            raise Unplanted(f"{rule}: /{old}/ does not match")
        file.write_text(text[:found.start()] + body + text[found.end():], encoding="utf-8")
    return plant


def write(path, text):
    """Makes a file, or replaces it."""
    def plant(root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return plant


def add(path, text):
    """Adds a line to the end of a file."""
    def plant(root):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    return plant


def remove(path):
    """Removes a file."""
    return lambda root: (root / path).unlink()


def manifest(change, path=MANIFEST):
    """Changes the manifest (or another JSON file) through a function that says whether it did."""
    def plant(root):
        value = json.loads((root / path).read_text(encoding="utf-8"))
        if not change(value):
            raise Unplanted(f"{path} is as it was")
        (root / path).write_text(json.dumps(value), encoding="utf-8")
    return plant


def each_case(change):
    """Changes every case for which `change` says so."""
    return manifest(lambda value: any([change(case) for case in value["cases"]]))


def one_case(chosen, change, path=MANIFEST):
    """Changes the first case of a suite that `chosen` picks."""
    def first(value):
        for case in value["cases"]:
            if chosen(case):
                change(case)
                return True
        return False
    return manifest(first, path)


def drop_cases(chosen, path=MANIFEST):
    """Takes cases away, with what NumPy said of them."""
    def plant(root):
        value = json.loads((root / path).read_text(encoding="utf-8"))
        kept = [case for case in value["cases"] if not chosen(case)]
        if len(kept) == len(value["cases"]):
            raise Unplanted("no case is dropped")
        (root / path).write_text(json.dumps({**value, "cases": kept}), encoding="utf-8")
    return plant


def both(*plants):
    """Several changes that make one fault."""
    def plant(root):
        for part in plants:
            part(root)
    return plant


# --- pieces ------------------------------------------------------------------------------------------------


def statuses(case):
    """Every status with which a case is refused."""
    return [error["status"] for error in ([case["error"]] if "error" in case else [])
            + [other["error"] for other in case.get("refused_with", [])]]


def forget_kept(rule):
    """Takes a rule from the cases that are accepted and name it."""
    def change(case):
        if "error" in case or rule not in case["rules"]:
            return False
        case["rules"] = [name for name in case["rules"] if name != rule] or ["NPY-SHAPE-005"]
        return True
    return each_case(change)


def set_key(key, value):
    """A change of one case: a key gets a value."""
    return lambda case: case.__setitem__(key, value)


def is_accept(case):
    return case["verdict"] == "accept"


def breaks_long(case):
    return statuses(case) == ["SNPY_LONG_SUFFIX"]


PLANNED = """#### NPZ-NEW-001

A reader MUST refuse an archive that is none.

- **Refusal:** `{status}` at 0.
- **Source:** APPNOTE.
- **Why:** It is no archive.

#### NPZ-NEW-002

A reader MAY look at the comment.

- **Refusal:** {second}
- **Source:** APPNOTE.
- **Why:** It says nothing.

"""


def plan(status, second="none."):
    """Two more rules of archives, that no test names."""
    row = "–" if second == "none." else second.split("`")[1]
    return both(
        swap("spec/npz.md", r"^## Index of the rules$", PLANNED.format(status=status, second=second) +
             "## Index of the rules"),
        swap("spec/npz.md", r"^<!-- index:end -->$", f"| NPZ-NEW-001 | [no archive](#npz-new-001) | {status} |\n"
             f"| NPZ-NEW-002 | [comment](#npz-new-002) | {row} |\n<!-- index:end -->"))


NEW_STATUS = swap(STATUSES_H, r"^(SNPY_STATUS\(SNPY_IO_ERROR, )",
                  'SNPY_STATUS(SNPY_BAD_ARCHIVE, 1599, "NPZ-NEW-001",\n            "m", "h", "e")\n\\1')

# --- plants for trace.py: rules and their texts --------------------------------------------------------------

RULES = [
    ("a rule that no case keeps", forget_kept("NPY-LIT-020"), [r"^NPY-LIT-020: no case keeps it$"]),
    ("a rule that no case breaks", drop_cases(breaks_long), [r"^NPY-LIT-020: no case breaks it$"]),
    ("a rule without a keyword", block("NPY-FRAME-001", r"\bMUST\b(?: NOT)?", "does"),
     [r"^NPY-FRAME-001: its sentence has none of MUST"]),
    ("a keyword in lower case only", block("NPY-FRAME-001", r"\bMUST\b(?: NOT)?", "must"),
     [r"^NPY-FRAME-001: its sentence has none of MUST"]),
    ("a keyword only behind the sentence",
     block("NPY-FRAME-001", r"\n\n.*?\n\n- ", "\n\nIt begins so.\n\n- **Note:** MUST\n- "),
     [r"^NPY-FRAME-001: its sentence has none of MUST"]),
    ("a rule without source", block("NPY-FRAME-001", r"^- \*\*Source:\*\*.*?(?=^- )", ""),
     [r"^NPY-FRAME-001: has no source$"]),
    ("an unknown source", block("NPY-FRAME-001", r"^- \*\*Source:\*\* ", "- **Source:** hearsay; "),
     [r"^NPY-FRAME-001: 'hearsay' begins with no known source"]),
    ("a rule that does not say why", block("NPY-FRAME-001", r"^- \*\*Why:\*\*.*", ""),
     [r"^NPY-FRAME-001: does not say why$"]),
    ("a rule without refusal", block("NPY-HDR-007", r"^- \*\*Refusal:\*\*.*?(?=^- )", ""),
     [r"^NPY-HDR-007: its refusal is neither"]),
    ("a refusal in other words", block("NPY-HDR-007", r"^- \*\*Refusal:\*\* .*?\n", "- **Refusal:** perhaps.\n"),
     [r"^NPY-HDR-007: its refusal is neither"]),
    ("two refusals", block("NPY-FRAME-001", r"^- \*\*Refusal:\*\*", "- **Refusal:** none.\n- **Refusal:**"),
     [r"^NPY-FRAME-001: has two lines 'Refusal'$"]),
    ("two statuses in one refusal",
     block("NPY-FRAME-001", "`SNPY_BAD_MAGIC`", "`SNPY_BAD_MAGIC` or `SNPY_BAD_UTF8`"),
     [r"^NPY-FRAME-001: its refusal names more than one status: SNPY_BAD_MAGIC, SNPY_BAD_UTF8$"]),
    ("a number that stands twice", add(SPEC, "\n#### NPY-FRAME-001\n\nIt MUST.\n\n- **Refusal:** none.\n"
                                             "- **Source:** safenpy.\n- **Why:** So.\n"),
     [r"^NPY-FRAME-001: stands twice: spec/npy.md:\d+ and spec/npy.md:\d+$",
      r"^index of spec/npy.md: .*"]),
    ("a heading of another level", swap(SPEC, r"^#### NPY-FRAME-001$", "### NPY-FRAME-001"),
     [r"^NPY-FRAME-001: is not a heading of level 4$"]),
    ("a flag of no rule of NPY-COMPAT",
     block("NPY-FRAME-001", r"^- \*\*Source", "- **Flag:** `strict`; so.\n- **Source"),
     [r"^NPY-FRAME-001: a line 'Flag' stands in rules of NPY-COMPAT only"]),
    ("a Flag that is no flag", block("NPY-COMPAT-001", r"^- \*\*Flag:\*\* `[a-z-]+`", "- **Flag:** some"),
     [r"^NPY-COMPAT-001: a line 'Flag' stands in rules of NPY-COMPAT only, and begins with the flag$",
      r"^flag [a-z-]+: is missing in the rules of NPY-COMPAT$", r"^NPY-COMPAT-001: no case (keeps|breaks) it$"]),
    ("a specification that is not there", remove(SPEC), [r"."]),
]

INDEX = [
    ("a rule that the index lacks", swap(SPEC, r"^\| NPY-FRAME-001 \|.*\n", ""),
     [r"^index of spec/npy.md: NPY-FRAME-001 is in the text only$"]),
    ("a rule that only the index has", swap(SPEC, r"^(\| NPY-FRAME-001 \|.*\n)",
                                            r"\1| NPY-FRAME-999 | [x](#npy-frame-999) | – |\n"),
     [r"^index of spec/npy.md: NPY-FRAME-999 is in the index only$", r"^spec/npy.md: names NPY-FRAME-999"]),
    ("another status in the index",
     swap(SPEC, r"^(\| NPY-FRAME-001 \|.*\| )SNPY_BAD_MAGIC \|$", r"\1SNPY_BAD_UTF8 |"),
     [r"^index of spec/npy.md: NPY-FRAME-001 reports SNPY_BAD_UTF8 here, SNPY_BAD_MAGIC in its rule$"]),
    ("a link of the index that leads elsewhere", swap(SPEC, r"^(\| NPY-FRAME-001 \|.*)\(#npy-frame-001\)",
                                                      r"\1(#npy-frame-002)"),
     [r"^index of spec/npy.md: the row of NPY-FRAME-001 leads to #npy-frame-002$"]),
    ("an index in another order", swap(SPEC, r"^(\| NPY-FRAME-001 \|.*\n)(\| NPY-FRAME-002 \|.*\n)", r"\2\1"),
     [r"^index of spec/npy.md: has another order than the text$"]),
    ("a row of the index that cannot be read",
     swap(SPEC, r"^\| NPY-FRAME-001 \| \[.*?\]\(.*?\)", "| NPY-FRAME-001 | x"),
     [r"^index: a row that is not read: ", r"^index of spec/npy.md: NPY-FRAME-001 is in the text only$"]),
]

STATUSES = [
    ("a status of a rule that the specification lacks",
     swap(STATUSES_H, r'^(SNPY_STATUS\(SNPY_LONG_SUFFIX, \d+, )"NPY-LIT-020"', r'\1"NPY-LIT-099"'),
     [r"^SNPY_LONG_SUFFIX: statuses.h says NPY-LIT-099, which the specification does not have$",
      r"^NPY-LIT-020: no case breaks it$", r"^include/safenpy/statuses.h: names NPY-LIT-099",
      r"^phase (literal|frame): "]),
    ("another rule in statuses.h than in the specification",
     swap(STATUSES_H, r'^(SNPY_STATUS\(SNPY_LONG_SUFFIX, \d+, )"NPY-LIT-020"', r'\1"NPY-LIT-019"'),
     [r"^SNPY_LONG_SUFFIX: statuses.h says NPY-LIT-019, whose status in the specification is SNPY_LEADING_ZERO$",
      r"^NPY-LIT-020: no case breaks it$", r"is refused with SNPY_LONG_SUFFIX and does not name NPY-LIT-019$",
      r"^phase (literal|frame): "]),
    ("two statuses of one number", swap(STATUSES_H, r"SNPY_LONG_SUFFIX, \d+", "SNPY_LONG_SUFFIX, 101"),
     [r"^SNPY_LONG_SUFFIX: has the number of SNPY_BAD_MAGIC$", r"^phase (literal|frame): "]),
    ("a status of the specification that does not exist",
     both(block("NPY-LIT-020", "`SNPY_LONG_SUFFIX`", "`SNPY_NO_SUCH`"),
          swap(SPEC, r"^(\| NPY-LIT-020 \|.*\| )SNPY_LONG_SUFFIX \|$", r"\1SNPY_NO_SUCH |")),
     [r"^NPY-LIT-020: reports SNPY_NO_SUCH, which statuses.h does not have$",
      r"^SNPY_LONG_SUFFIX: statuses.h says NPY-LIT-020, whose status in the specification is SNPY_NO_SUCH$"]),
    ("a status that two rules report",
     both(block("NPY-LIT-020", "`SNPY_LONG_SUFFIX`", "`SNPY_LEADING_ZERO`"),
          swap(SPEC, r"^(\| NPY-LIT-020 \|.*\| )SNPY_LONG_SUFFIX \|$", r"\1SNPY_LEADING_ZERO |")),
     [r"^NPY-LIT-020: reports SNPY_LEADING_ZERO, as NPY-LIT-019 does: a status has one rule$",
      r"^SNPY_LONG_SUFFIX: statuses.h says NPY-LIT-020, whose status in the specification is SNPY_LEADING_ZERO$"]),
    ("another status of the library's rules",
     swap(SPEC, r"API-BUFFER(\s+)\(SNPY_BUFFER_TOO_SMALL", r"API-BUFFER\1(SNPY_IO_ERROR"),
     [r"^SNPY_BUFFER_TOO_SMALL: statuses.h says API-BUFFER, whose status in the specification is SNPY_IO_ERROR$",
      r"^HOST-IO: reports SNPY_IO_ERROR, as API-BUFFER does: a status has one rule$"]),
]

CASES = [
    ("a case without a rule", one_case(lambda case: is_accept(case) and not statuses(case), set_key("rules", [])),
     [r"^accept/\S+: names no rule$"]),
    ("a case of an unknown rule", one_case(is_accept, lambda case: case["rules"].append("NPY-FRAME-998")),
     [r"^accept/\S+: names the rule NPY-FRAME-998, which the specification does not have$"]),
    ("a case that does not name the rule it is refused for",
     one_case(breaks_long, set_key("rules", ["NPY-LIT-019"])),
     [r"^reject/\S+: is refused with SNPY_LONG_SUFFIX and does not name NPY-LIT-020$"]),
    ("a case refused under an option whose rule it does not name",
     one_case(lambda case: is_accept(case) and "SNPY_NOT_CANONICAL" in statuses(case),
              lambda case: case.__setitem__("rules", [rule for rule in case["rules"] if rule != "NPY-HDR-006"]
                                            or ["NPY-LIT-003"])),
     [r"^accept/\S+: is refused with SNPY_NOT_CANONICAL and does not name NPY-HDR-006$"]),
    ("a case of an unknown status",
     one_case(breaks_long, set_key("error", {"status": "SNPY_NO_SUCH", "offset": 0})),
     [r"^reject/\S+: is refused with SNPY_NO_SUCH, which statuses.h does not have$"]),
    ("an archive of an unknown rule", one_case(is_accept, lambda case: case["rules"].append("NPZ-END-998"), ARCHIVES),
     [r"^archives/accept/\S+: names the rule NPZ-END-998, which the specification does not have$"]),
    ("objects of an unknown rule", one_case(is_accept, lambda case: case["rules"].append("NPY-PKL-998"), OBJECTS),
     [r"^objects/accept/\S+: names the rule NPY-PKL-998, which the specification does not have$"]),
    ("a rule of archives that no case breaks", drop_cases(lambda case: statuses(case) == ["SNPY_ZIP_EMPTY_NAME"], ARCHIVES),
     [r"^NPZ-NAME-004: no case keeps or breaks it$"]),
    ("a rule of archives that is kept and not broken", drop_cases(lambda case: statuses(case) == ["SNPY_ZIP_ENCRYPTED"], ARCHIVES),
     [r"^NPZ-DIR-004: no case breaks it$"]),
    ("a rule of objects that no case breaks", drop_cases(lambda case: statuses(case) == ["SNPY_PKL_TOO_DEEP"], OBJECTS),
     [r"^NPY-PKL-024: no case breaks it$"]),
    ("a suite without cases", manifest(lambda value: value.update(cases=[]) is None),
     [r"^manifest.json: has no case$", r": no (case keeps it|case breaks it|test names it .*)$",
      r"^flag \S+: is missing in every case$"]),
    ("a rule of the library without a test",
     lambda root: [swap(path, r"\bSNPY_BUFFER_TOO_SMALL\b|\bAPI-BUFFER\b", "SNPY_X", count)(root)
                   for path, count in uses(root, r"\bSNPY_BUFFER_TOO_SMALL\b|\bAPI-BUFFER\b")],
     [r"^API-BUFFER: no test names it or its status"]),
]


def uses(root, pattern):
    """The tests in which a pattern matches, and how often; the table of frozen numbers stays as it is."""
    for path in sorted(path for pattern in rules.TESTS for path in root.glob(pattern)):
        count = len(re.findall(pattern, path.read_text(encoding="utf-8")))
        if count and path.name != "test_status.c":
            yield str(path.relative_to(root)), count


FLAGS = [
    ("a flag that the table lacks", swap(SPEC, rf"^{re.escape(TABLE)}.*\n", ""),
     [r"^flag int-shape: is missing in the table of the specification$"]),
    ("a flag that no rule is about", swap(SPEC, r"^- \*\*Flag:\*\* `int-shape`", "- **Flag:** `int-form`"),
     [r"^flag int-shape: is missing in the rules of NPY-COMPAT$", r"^flag int-form: is missing in (?!the rules)",
      r"^NPY-COMPAT-\d{3}: no case (keeps|breaks) it$"]),
    ("a flag without an option", swap(OPTIONS_H, r"^    bool int_shape;.*\n", ""),
     [r"^flag int-shape: is missing in snpy_compat in options.h$"]),
    ("an option without a flag",
     swap(OPTIONS_H, r"^(    bool int_shape;)", r"    bool any_shape; /* any-shape */\n\1"),
     [r"^flag any-shape: is missing in (?!snpy_compat)"]),
    ("an option that its comment calls otherwise",
     swap(OPTIONS_H, r"(bool int_shape;\s+/\*) int-shape", r"\1 int-form"),
     [r"^flag int-shape: the comment beside it in options.h calls it int-form$"]),
    ("a flag that the command does not take",
     swap(CLI_FLAGS, r"\{\"int-shape\", offsetof\(snpy_compat, int_shape\)\},?", ""),
     [r"^flag int-shape: is missing in the command line$"]),
    ("a name of the command that is no flag", swap(CLI_FLAGS, r"\{\"int-shape\", ", '{"int-form", '),
     [r"^flag int-shape: is missing in the command line$", r"^flag int-form: is missing in (?!the command line)",
      r"^flag int-form: the command line ties it to int_shape$"]),
    ("a flag that the command ties to another option",
     swap(CLI_FLAGS, r"\"int-shape\", offsetof\(snpy_compat, int_shape\)",
          '"int-shape", offsetof(snpy_compat, list_shape)'),
     [r"^flag int-shape: the command line ties it to list_shape$"]),
    ("a flag without a case", drop_cases(lambda case: "int-shape" in case["flags"]),
     [r"^flag int-shape: is missing in every case$", r"^NPY-COMPAT-\d{3}: no case (keeps|breaks) it$"]),
    ("a flag that the manifest does not list", manifest(lambda value: value["flags"].pop("int-shape")),
     [r"^flag int-shape: is missing in the manifest's flags$"]),
    ("a flag of the suite without a case", drop_cases(lambda case: "depth-over-64" in case["flags"]),
     [r"^flag depth-over-64: is missing in every case$"]),
    ("a case with an unknown flag", one_case(lambda case: case["flags"] == ["strict"], set_key("flags", ["odd"])),
     [r"^flag odd: is missing in (?!every case)"]),
]

PHASES = [
    ("a phase without one of its rules", swap(SPEC, r"^(\| limits \|.*) NPY-FRAME-005,", r"\1"),
     [r"^phase limits: its statuses are 201 to 202, its rules NPY-FRAME-005, NPY-FRAME-006$"]),
    ("a rule in another phase", swap(SPEC, r"^(\| duplicates \|.* NPY-DTYPE-012)", r"\1, NPY-SHAPE-001"),
     [r"^phase duplicates: its statuses are 701, its rules NPY-DTYPE-012$"]),
    ("a phase with another number", swap(SPEC, r"^(\| text encoding \|.*\|) 301 \|", r"\1 401 |"),
     [r"^phase text encoding: its statuses are 301, its rules NPY-FRAME-007$"]),
    ("phases in another order", swap(SPEC, r"^(\| shape \|.*\n)(\| sizes \|.*\n)", r"\2\1"),
     [r"^table of phases: its rows are not the phases", r"^phase shape: ", r"^phase sizes: "]),
    ("no phases", swap(SPEC, r"<!-- phases:begin -->", ""), [r"^table of phases: "]),
    ("status.h with another order", swap(STATUS_H, r"duplicates, shape, sizes, data", "shape, duplicates, sizes, data"),
     [r"^table of phases: its rows are not the phases"]),
]

PROOFS = [
    ("a clause of an unknown rule", write("src/core/new.c", "/*@ ensures NPY_LIT_099: \\true; */\nint f(void);\n"),
     [r"^f \(src/core/new.c\): proves NPY-LIT-099, which the specification does not have$"]),
    ("a theorem of an unknown rule",
     write("proofs/theorems/new.c", "/* proves NPY-LIT-099. */\nint f(void) { return 0; }\n"),
     [r"^f \(proofs/theorems/new.c\): proves NPY-LIT-099, which", r"^proofs/theorems/new.c: names NPY-LIT-099"]),
    ("a comment that names an unknown rule", add("src/core/status.c", "/* NPY-LIT-099 */"),
     [r"^src/core/status.c: names NPY-LIT-099, which the specification does not have$"]),
    ("a text that names an unknown rule", add("spec/assumptions.md", "As NPY-LIT-898 … 899 say."),
     [r"^spec/assumptions.md: names NPY-LIT-89[89], which the specification does not have$"]),
    ("a planned rule with the status of another",
     plan("SNPY_NEW", "`SNPY_NEW` at 0."),
     [r"^NPZ-NEW-002: reports SNPY_NEW, as NPZ-NEW-001 does: a status has one rule$"]),
]

TRACE = [*RULES, *INDEX, *STATUSES, *CASES, *FLAGS, *PHASES, *PROOFS]

# --- plants for trace.py --check: the tree's own matrix was written just before --------------------------------

STALE = [
    ("a matrix with another line", add("spec/TRACE.md", "more"), [r"^spec/TRACE.md: is not up to date"]),
    ("a matrix that is not there", remove("spec/TRACE.md"), [r"^spec/TRACE.md: is not up to date"]),
    ("a new clause", write("src/core/new.c", "/*@ ensures NPY_LIT_020_new: \\true; */\nint fresh(void);\n"),
     [r"^spec/TRACE.md: is not up to date"]),
    ("one case less", drop_cases(lambda case: case["id"] == "accept/handmade/blanks-cr"),
     [r"^spec/TRACE.md: is not up to date"]),
]

# --- plants for differences.py --check -------------------------------------------------------------------------

OUT_OF_DATE = r"^spec/npy.md: its list of differences is not up to date"


def say(verdict, chosen=is_accept, version=None):
    """Lets a NumPy say something of one case, in both files."""
    def plant(root):
        value = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
        seen = json.loads((root / OBSERVATIONS).read_text(encoding="utf-8"))
        case = next((case for case in value["cases"] if chosen(case) and case["id"] in seen), None)
        if case is None:
            raise Unplanted("no case that NumPy saw is chosen")
        new = dict(seen[case["id"]])
        new[version or max(new)] = verdict
        seen[case["id"]] = case["numpy"] = new
        (root / MANIFEST).write_text(json.dumps(value), encoding="utf-8")
        (root / OBSERVATIONS).write_text(json.dumps(seen), encoding="utf-8")
    return plant


DIFFERENCES = [
    ("a list with another line", swap(SPEC, r"^<!-- differences:end -->$", "more\n<!-- differences:end -->"),
     [OUT_OF_DATE]),
    ("no begin of the list", swap(SPEC, r"^<!-- differences:begin -->\n", ""), [r"^spec/npy.md: needs one line"]),
    ("no end of the list", swap(SPEC, r"^<!-- differences:end -->\n", ""), [r"^spec/npy.md: needs one line"]),
    ("two lists", add(SPEC, "<!-- differences:begin -->\n<!-- differences:end -->"),
     [r"^spec/npy.md: needs one line"]),
    ("another word of NumPy on an accepted case", say("reject"), [OUT_OF_DATE]),
    ("another word of NumPy on a refused case", say("accept", breaks_long), [OUT_OF_DATE]),
    ("a new version of NumPy", say("accept", version="99.1.0"), [OUT_OF_DATE]),
    ("another reason of a danger", one_case(lambda case: "danger" in case, set_key("danger", "So.")),
     [OUT_OF_DATE]),
    ("a word that is no verdict", say("maybe"), [r"^accept/\S+: NumPy \S+ is said to 'maybe'", OUT_OF_DATE]),
    ("a manifest that says another thing", one_case(is_accept, set_key("numpy", {"99.1.0": "accept"})),
     [r"^accept/\S+: the manifest and observations.json differ about NumPy$"]),
    ("a case that no NumPy saw", manifest(lambda value: value.pop("accept/handmade/blanks-cr"), OBSERVATIONS),
     [r"^accept/handmade/blanks-cr: the manifest and observations.json differ", r"^accept/handmade/blanks-cr: no NumPy was asked",
      OUT_OF_DATE]),
    ("an observation of no case",
     manifest(lambda value: value.update({"accept/none": {"1.0": "accept"}}) is None, OBSERVATIONS),
     [r"^accept/none: is in observations.json and is no case$", OUT_OF_DATE]),
    ("a suite without cases", manifest(lambda value: value.update(cases=[]) is None),
     [r"^corpus/manifest.json: has no case$", r"is in observations.json and is no case$"]),
]
