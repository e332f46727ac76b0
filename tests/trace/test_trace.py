"""Holds tools/trace.py, tools/differences.py and tools/links.py to what they promise.

Each fault of plants.py is planted in a copy of the sources; the tool must turn red, with the complaints that
belong to the fault and no other. Then what the tools write is held against counts made another way.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import differences  # noqa: E402
import rules  # noqa: E402
from tests.trace import plants  # noqa: E402

# What the tools read. Whatever else the repository holds is no part of a copy.
SOURCES = ["spec", "include/safenpy", "src/core", "src/cli", "tests/unit", "tests/fault", "tests/cli", "tests/corpus",
           "tests/growth", "proofs/theorems", "corpus/manifest.json", "corpus/archives/manifest.json",
           "corpus/objects/manifest.json", "corpus/observations.json"]
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed$")
TIMEOUT = 300


def copy(source, target):
    """What the tools read, in another place."""
    for name in SOURCES:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, place, dirs_exist_ok=True)
        elif (source / name).is_file():
            shutil.copy(source / name, place)


def run(tool, root, *options):
    """Runs a tool over a tree: exit status, complaints, numbers of the last line, all that it printed."""
    done = subprocess.run([sys.executable, str(ROOT / "tools" / tool), "--root", str(root), *options], text=True,
                          capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False)
    lines = done.stdout.splitlines()
    last = SUMMARY.match(lines[-1]) if lines else None
    complaints = [line for line in lines[:-1] if ": " in line]
    return done.returncode, complaints, tuple(map(int, last.groups())) if last else None, done.stdout + done.stderr


def judge(known, expected, answer):
    """What is wrong with how a tool took a fault; `known` are the complaints about the tree without it."""
    status, complaints, numbers, text = answer
    fresh = [line for line in complaints if line not in known]
    problems = []
    if numbers is None:
        return [f"the last line is no summary: {text[-400:]!r}"]
    if status != 1 or numbers[1] == 0:
        problems.append(f"exit status {status}, {numbers[1]} failed")
    problems += [f"no complaint matches {pattern}" for pattern in expected
                 if not any(re.search(pattern, line) for line in fresh)]
    problems += [f"another complaint: {line[:200]}" for line in fresh
                 if not any(re.search(pattern, line) for pattern in expected)][:5]
    return problems


@pytest.fixture(scope="module")
def untraced(tmp_path_factory):
    """A copy of the sources, with the differences written."""
    place = tmp_path_factory.mktemp("untraced")
    copy(ROOT, place)
    run("differences.py", place)
    return place


@pytest.fixture(scope="module")
def base(untraced, tmp_path_factory):
    """A copy of the sources, with all that the tools write."""
    place = tmp_path_factory.mktemp("base")
    copy(untraced, place)
    run("trace.py", place)
    return place


@pytest.fixture(scope="module")
def known(base):
    """What each tool complains about the tree without a fault."""
    return {call: run(*call[:1], base, *call[1:])[1] for call in
            (("trace.py",), ("trace.py", "--check"), ("differences.py", "--check"))}


PLANTED = [(case, call) for cases, call in ((plants.TRACE, ("trace.py",)), (plants.STALE, ("trace.py", "--check")),
                                            (plants.DIFFERENCES, ("differences.py", "--check"))) for case in cases]


@pytest.mark.parametrize("case, call", PLANTED, ids=[f"{' '.join(call)}: {case[0]}" for case, call in PLANTED])
def test_planted_faults(base, known, tmp_path, case, call):
    """A fault is planted in a copy of the sources; the tool complains of it, and of nothing else."""
    _, plant, expected = case
    copy(base, tmp_path)
    plant(tmp_path)
    assert judge(known[call], expected, run(call[0], tmp_path, *call[1:])) == []


def test_repository_is_traced(untraced, tally):
    status, complaints, _, text = run("trace.py", untraced)
    tally.result("the repository is traced", complaints[:40] + ([] if status == 0 else [text[-300:]]))
    again = run("trace.py", untraced, "--check")[1]
    tally.result("and what was written is up to date", [line for line in again if "up to date" in line])
    tally.equal("the differences are up to date", run("differences.py", untraced, "--check")[0], 0)


# --- the matrix --------------------------------------------------------------------------------------------


def matrix_rows(text):
    """The rows of the matrix by rule, without what is only planned."""
    rows = {}
    for line in text.split("\n## Planned\n")[0].splitlines():
        match = re.match(rf"^\| \[({rules.ID})\]\(", line)
        if match:
            rows.setdefault(match.group(1), []).append(line)
    return rows


def total_of(cell):
    """How many cases a cell of the matrix stands for."""
    more = re.search(r"(\d+) in all$", cell)
    return int(more.group(1)) if more else cell.count("`") // 2


def all_cases(root):
    """The cases of the three suites, named as in the matrix."""
    return [{**case, "id": folder + case["id"]} for folder in ("", "archives/", "objects/")
            for case in json.loads((root / f"corpus/{folder}manifest.json").read_text(encoding="utf-8"))["cases"]]


# What no file keeps or breaks by itself: a rule about writing, unpacking, limits, flags of the caller, or reports.
WITHOUT_CASE = re.compile(r"API-|HOST-|NPY-WRITE-|NPZ-(WRITE|PATH)-|NPY-DATA-004|NPY-PKL-(028|029|03\d)$|NPZ-(ERR-00[23]|DATA-006|LIMIT-005)$")


def test_each_rule_leads_to_its_cases_and_tests(tally, base):
    """Every row of the matrix names cases that there are, and tests that there are."""
    names = {case["id"] for case in all_cases(base)}
    for rule, lines in matrix_rows((base / "spec/TRACE.md").read_text(encoding="utf-8")).items():
        cells = [cell.strip(" |") for cell in lines[0].split(" | ")]
        shown = re.findall(r"`([^`]+)`", " ".join(cells[3:5]))
        tally.equal(f"{rule}: its cases are those of the suites", set(shown) - names, set())
        tally.equal(f"{rule}: it has a case", bool(shown) or bool(WITHOUT_CASE.match(rule)), True)
        tests = re.findall(r"`([^`]+)`", cells[5])
        tally.equal(f"{rule}: it has a test", bool(tests), True)
        tally.equal(f"{rule}: its tests are there", [path for path in tests if not (ROOT / path).is_file()], [])


def test_matrix(tally, base):
    """The matrix says of each rule what can be counted another way."""
    text = (base / "spec/TRACE.md").read_text(encoding="utf-8")
    rows = matrix_rows(text)
    blocks = re.findall(rf"^#### ({rules.ID})$", "\n".join((base / path).read_text(encoding="utf-8") for path in rules.SPECS),
                        re.MULTILINE)
    tally.equal("the specification has rules", len(blocks) > 200, True)
    tally.equal("each rule has one row", [name for name in blocks if len(rows.get(name, [])) != 1], [])
    cases = all_cases(base)
    for name, lines in rows.items():
        cells = [cell.strip() for cell in lines[0].split(" | ")]
        status = re.fullmatch(r"`(SNPY_\w+)`", cells[1])
        if not status or "API-" in name:
            continue
        refused = [case for case in cases if status.group(1) in plants.statuses(case)]
        tally.equal(f"{name}: cases that break it", total_of(cells[4]), len(refused))
        kept = [case for case in cases if name in case["rules"] and ("expect" in case or "fits" in case)
                and (case not in refused or case["verdict"] == "choice" and "error" not in case)
                and ("options" in case or "error" not in case)]
        tally.equal(f"{name}: cases that keep it", total_of(cells[3]), len(kept))
    tally.result("the matrix has no trailing blanks and no tab",
                 [line for line in text.splitlines() if line != line.rstrip() or "\t" in line][:3])


def test_matrix_links(tally, base):
    """Every link of the matrix leads to a heading that is there."""
    _, complaints, _, text = run("links.py", base)
    tally.equal("the matrix has links", "passed" in text and not text.startswith("there is no link"), True)
    tally.result("and each leads somewhere", [line for line in complaints if line.startswith("spec/TRACE.md")][:5])


def test_proofs(tally, base):
    """Clauses and theorems are found where they stand, and nothing else is taken for one."""
    with tempfile.TemporaryDirectory(prefix="safenpy-trace-") as place:
        root = Path(place)
        for name, text in PROOF_TEXTS.items():
            plants.write(name, text)(root)
        tally.equal("clauses and theorems", rules.read_proofs(root), PROOFS_FOUND)
        tally.equal("definitions", rules.read_logic(root), LOGIC_FOUND)
    number = run("trace.py", base, "--require-proof")
    rows = matrix_rows((base / "spec/TRACE.md").read_text(encoding="utf-8"))
    unproved = [name for name, lines in rows.items() if lines[0].split(" | ")[2].strip().startswith("–")]
    tally.equal("what has a proof is counted", number[3].split("\n")[0],
                f"{len(rows) - len(unproved)} of {len(rows)} rules in force have a named clause or theorem")
    assumed = rules.ids_in((base / "spec/assumptions.md").read_text(encoding="utf-8"))
    complained = [line.split(":")[0] for line in number[1] if "no named clause or theorem proves it" in line]
    tally.equal("--require-proof names the rules without proof", sorted(complained),
                sorted(set(unproved) - set(assumed)))
    tally.equal("and fails if there is one", number[0] == 1, bool(number[2][1]))


PROOF_TEXTS = {
    "src/core/a.c": """\
/*@ requires NPY_LIT_001: x > 0; // ensures NPY_LIT_002: no
    ensures NPY_LIT_003: \\result == 1;
    ensures NPY_LIT_003_again: \\result > 0;
    ensures API_STATUS_text: \\true;
 */
static int helper(int x)
{
    /*@ loop invariant NPY_LIT_004_bound: i <= 3;
        loop variant 3 - i;
     */
    for (int i = 0; i < 3; i++) {
        //@ assert NPY_LIT_005: i < 3;
    }
    return 1; /* ensures NPY_LIT_006: in no annotation; proves NPY-LIT-007 */
}
""",
    "spec/logic/b.h": """\
/*@ // NPY-LIT-007, NPY-LIT-008 to 009: what p
    // says
    predicate p(integer i) = i > 0;

    // of no rule
    logic integer none(integer i) = i;

    // NPY-LIT-007 and its byte
    logic integer where{L}(uint8_t *b, integer i) = b[i]; // NPY-LIT-010: of nothing behind it
 */
/*@ ensures NPY_LIT_009: p(1); */
int b(void);
""",
    "proofs/theorems/c.c": """\
/* The round trip: proves NPY-LIT-010, NPY-LIT-011
 * and NPY-LIT-012 … 014. NPY-LIT-015 is another matter. */
/*@ requires n > 0;
    check ensures NPY_LIT_016: \\true; */
int theorem_one(int n) { return n; }
""",
}
PROOFS_FOUND = {
    "NPY-LIT-003": ["helper (src/core/a.c)"], "API-STATUS": ["helper (src/core/a.c)"],
    "NPY-LIT-004": ["helper (src/core/a.c)"], "NPY-LIT-005": ["helper (src/core/a.c)"],
    "NPY-LIT-009": ["b (spec/logic/b.h)"],
    **{f"NPY-LIT-{n:03d}": ["theorem_one (proofs/theorems/c.c)"] for n in (10, 11, 12, 13, 14, 16)},
}
LOGIC_FOUND = {"NPY-LIT-007": ["p", "where"], "NPY-LIT-008": ["p"], "NPY-LIT-009": ["p"]}


def test_planned(tally, base):
    """Rules of archives that no test names, or whose statuses do not exist, are listed apart and asked for nothing."""
    with tempfile.TemporaryDirectory(prefix="safenpy-trace-") as place:
        root = Path(place)
        copy(base, root)
        plants.plan("SNPY_BAD_ARCHIVE")(root)
        fresh = set(run("trace.py", root)[1]) - set(run("trace.py", base)[1])
        tally.equal("planned rules raise no complaint", fresh, set())
        text = (root / "spec/TRACE.md").read_text(encoding="utf-8")
        planned = re.findall(r"NPZ-NEW-\d{3}(?=\])", text.split("## Planned")[-1])
        tally.equal("they stand under Planned", planned, ["NPZ-NEW-001", "NPZ-NEW-002"])
        tally.equal("and nowhere else", "NPZ-NEW" in text.split("## Planned")[0], False)
        plants.NEW_STATUS(root)
        plants.write("tests/unit/test_new.c", "/* test_new.c: tries SNPY_BAD_ARCHIVE. */ int used = SNPY_BAD_ARCHIVE;")(root)
        run("trace.py", root)
        text = (root / "spec/TRACE.md").read_text(encoding="utf-8")
        tally.equal("a status and a test put a rule in force", "NPZ-NEW-001" in text.split("## Planned")[0], True)
        planned = re.findall(r"NPZ-NEW-\d{3}(?=\])", text.split("## Planned")[-1])
        tally.equal("and only that one", planned, ["NPZ-NEW-002"])


def test_ids(tally):
    """Which rules a text names."""
    for text, wanted in (("NPY-LIT-001", "NPY-LIT-001"),
                         ("NPY-LIT-001 … NPY-LIT-003", "NPY-LIT-001 NPY-LIT-002 NPY-LIT-003"),
                         ("NPY-LIT-001 to NPY-LIT-002 to the end", "NPY-LIT-001 NPY-LIT-002"),
                         ("NPY-SHAPE-009 … 010, API-TABLE", "NPY-SHAPE-009 NPY-SHAPE-010 API-TABLE"),
                         ("NPY-FRAME-001…003", "NPY-FRAME-001 NPY-FRAME-002 NPY-FRAME-003"),
                         ("NPY-LIT-01 NPY-lit-001 XNPY", "")):
        tally.equal(f"rules in {text!r}", rules.ids_in(text), wanted.split())


# --- the differences ---------------------------------------------------------------------------------------


def list_of(root):
    """The list between the markers."""
    text = (root / "spec/npy.md").read_text(encoding="utf-8")
    return text.split("<!-- differences:begin -->")[1].split("<!-- differences:end -->")[0]


def test_words(tally):
    """How a row says which versions differ, and how text is kept from being taken for Markdown."""
    asked = ("1.9.0", "1.10.0", "2.0.0", "2.1.0")
    for against, wanted in ((asked, "all"), (asked[:1], "up to 1.9.0"), (asked[:2], "up to 1.10.0"),
                            (asked[2:], "since 2.0.0"), (asked[1:3], "1.10.0, 2.0.0"),
                            ((asked[0], asked[3]), "1.9.0, 2.1.0")):
        tally.equal(f"versions {against}", differences.span(against, asked), wanted)
    tally.equal("versions in order", sorted(reversed(asked), key=differences.version_key), list(asked))
    tally.equal("text in a cell", differences.cell(differences.plain("a_b <U3> [x](y)  `|i4`\n*")),
                "a\\_b \\<U3\\> \\[x\\](y) \\`\\|i4\\` \\*")


def test_differences(tally, base):
    """The list has every case that differs, in the right half, whatever the order of the input."""
    cases = json.loads((base / "corpus/manifest.json").read_text(encoding="ascii"))["cases"]
    halves = list_of(base).split("**Read here, refused by NumPy**")
    tally.equal("the list has two halves", len(halves), 2)
    for half, ours, theirs in zip(halves, ("reject", "accept"), ("accept", "reject")):
        wanted = sum(theirs in case.get("numpy", {}).values() for case in cases
                     if ("error" in case) == (ours == "reject"))
        numbers = [int(number) for number in re.findall(r"^\| .*?\| \[NPY-[^|]*\| (\d+)\b", half, re.MULTILINE)]
        tally.equal(f"cases that we {ours} and a NumPy does not", sum(numbers), wanted)
        tally.equal("and the total says so", int(re.search(r": (\d+) cases", half)[1]), wanted)
    rows = [line for line in list_of(base).splitlines() if line.startswith("|")]
    tally.result("each row has four cells or five", [row[:120] for row in rows
                                                     if len(re.findall(r"(?<!\\)\|", row)) not in (5, 6)])
    with tempfile.TemporaryDirectory(prefix="safenpy-trace-") as place:
        root = Path(place)
        copy(base, root)
        for path in (plants.MANIFEST, plants.OBSERVATIONS):
            value = json.loads((root / path).read_text(encoding="ascii"))
            value["cases"] = value.get("cases", [])[::-1]
            value = dict(reversed([(key, part) for key, part in value.items() if part != []]))
            (root / path).write_text(json.dumps(value), encoding="ascii")
        tally.equal("the order of the input does not matter", run("differences.py", root, "--check")[0], 0)
        plants.say("reject", lambda case: case["id"] == "accept/handmade/blanks-cr")(root)
        run("differences.py", root)
        half = list_of(root).split("**Read here, refused by NumPy**")[1]
        tally.equal("a file that NumPy refuses and we read is named", "`accept/handmade/blanks-cr`" in half, True)
        tally.equal("what was written is up to date", run("differences.py", root, "--check")[0], 0)


# --- the links ---------------------------------------------------------------------------------------------

GOOD = """\
# A title, *twice* `a|b<c>`

[a](other.md) [b](<other.md> "t") ![c](dir/picture.png) [d](other.md#one-heading) [e](#a-title-twice-abc)
[f](dir) [g](dir/) [h](https://example.org/x#y) [i](mailto:a@example.org) [j][ref] [ref][] [k](other.md#same-1)
[l](code.c#L2) [m](code.c#L1-L2) <a href="other.md">n</a> [o](other.md#here) [p](sp%20ace.md) [q](page.html#id1)
[r](other.md#under) [s](other.md#größe)

`[no](gone.md)` and ``[`no`](gone.md)`` <!-- [no](gone.md) --> \\[x\\](gone.md)

```
[no](gone.md)
```

[ref]: other.md
"""
OTHER = """\
# One heading

<a id="here"></a>

## Same

## Same

Under
=====

## Größe
"""
BROKEN = [
    ("[a](gone.md)", r"^bad.md:3: 'gone.md' leads to a file that is not there$"),
    ("![a](gone.png)", r"^bad.md:3: 'gone.png' leads to a file that is not there$"),
    ("[a](other.md#gone)", r"^bad.md:3: 'other.md#gone' names an anchor that is not there$"),
    ("[a](#gone)", r"^bad.md:3: '#gone' names an anchor that is not there$"),
    ("[a](other.md#same-2)", r"^bad.md:3: 'other.md#same-2' names an anchor that is not there$"),
    ("[a](other.md#One-heading)", r"^bad.md:3: 'other.md#One-heading' names an anchor that is not there$"),
    ("[a](code.c#L4)", r"^bad.md:3: 'code.c#L4' names a line after the last, 3$"),
    ("[a](code.c#main)", r"^bad.md:3: 'code.c#main' names an anchor of something that has none$"),
    ("[a](../outside.md)", r"^bad.md:3: '../outside.md' leads out of the repository$"),
    ("[a](/other.md)", r"^bad.md:3: '/other.md' is absolute"),
    ("[a](build/made.md)", r"^bad.md:3: 'build/made.md' leads out of the repository$"),
    ("[a](Other.md)", r"^bad.md:3: 'Other.md' leads to a file that is not there$"),
    ("[a][none]", r"^bad.md:3: \[none\] is defined nowhere$"),
    ("[x]: gone.md", r"^bad.md:3: 'gone.md' leads to a file that is not there$"),
    ("<a href='gone.md'>a</a>", r"^bad.md:3: 'gone.md' leads to a file that is not there$"),
    ("[a](page.html#id2)", r"^bad.md:3: 'page.html#id2' names an anchor that is not there$"),
    ("[a](<gone file.md>)", r"^bad.md:3: 'gone file.md' leads to a file that is not there$"),
    ("[![a](gone.png)](other.md)", r"^bad.md:3: 'gone.png' leads to a file that is not there$"),
]


def test_links(tally):
    """Good links pass, each broken one is named with its line."""
    with tempfile.TemporaryDirectory(prefix="safenpy-links-") as place:
        root = Path(place) / "tree"
        files = {"good.md": GOOD, "other.md": OTHER, "sp ace.md": "# x\n", "dir/picture.png": "",
                 "code.c": "1\n2\n3\n", "page.html": "<p id='id1'></p>", "../outside.md": "",
                 "build/made.md": "[a](gone.md)\n", "node_modules/x/y.md": "[a](gone.md)\n"}
        for name, text in files.items():
            plants.write(name, text)(root)
        status, complaints, numbers, text = run("links.py", root)
        tally.result("good links", complaints + ([] if status == 0 else [text]))
        tally.equal("every link is followed", numbers, (19, 0))
        for line, pattern in BROKEN:
            plants.write("bad.md", f"```\n```\n{line}\n")(root)
            tally.result(f"links.py: {line}", judge([], [pattern], run("links.py", root)))
        plants.write("empty/none.md", "nothing\n")(root)
        tally.equal("a tree without links fails", run("links.py", root / "empty")[0], 1)
