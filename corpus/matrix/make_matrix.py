#!/usr/bin/env python3
"""Makes the page of implementations × cases, and the totals table of the README. Standard library only.

    python3 corpus/matrix/make_matrix.py                        writes index.html beside this script
    python3 corpus/matrix/make_matrix.py --readme README.md     and the table between its two marker lines
    python3 corpus/matrix/make_matrix.py --markdown             prints that table
    python3 corpus/matrix/make_matrix.py --check [...]          writes nothing; exit status 1 if a file is stale

It reads corpus/manifest.json and corpus/results/*.json, and gives the same bytes for the same input. The page is
one file: template.html with matrix.css, matrix.js and the data inside. A result that does not fit the manifest is
an error; one that was made with another manifest is shown as stale, without a count. So is a crash, a hang or the like
without the address of a public report: it has to be withheld (npy_conformance/results.py).
"""

import argparse
import base64
import hashlib
import html
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parent
sys.path.insert(0, str(CORPUS))

from npy_conformance import advice, results as saved  # noqa: E402

BEGIN, END = "<!-- totals:begin -->", "<!-- totals:end -->"
VERDICTS = ["accept", "reject", "choice"]
LONGEST_DESCR = 240      # characters of a type that the page shows; the manifest has all of it
LONGEST_DETAIL = 300     # and of what an implementation said

# Code in the page's data, name, symbol, meaning, whether it is a fault. A pass has two codes, so that the page can
# tell what the implementation did from the code alone.
OUTCOMES = [
    ("y", "pass", "✓", "accepted the file, as it should", False),
    ("n", "pass", "✓", "refused the file, as it should", False),
    ("A", "wrong-accept", "A", "accepted a file that it must refuse", True),
    ("R", "wrong-reject", "R", "refused a file that it must accept", True),
    ("V", "wrong-value", "V", "accepted the file, and read something else from it", True),
    ("E", "wrong-error", "E", "refused the file, and named another error or byte", True),
    ("C", "crash", "C", "died: a signal, or an exit status that means nothing", True),
    ("H", "hang", "H", "did not answer in time", True),
    ("M", "memory", "M", "took more memory than the limit", True),
    ("P", "protocol", "P", "gave an answer that cannot be understood", True),
    ("u", "unsupported", "u", "does not support this kind of file; no fault", False),
    ("a", "accepts", "a", "accepts; a choice, and it has declared none", False),
    ("r", "refuses", "r", "refuses; a choice, and it has declared none", False),
    ("w", "withheld", "w", "not published: passed, unsupported, or withheld until the authors have been told", False),
    ("?", "unknown", "?", "no result for this edition of the suite", False),
]
NAMES = [name for code, name, _, _, _ in OUTCOMES if code != "n"]
CODE = {name: code for code, name, _, _, _ in OUTCOMES if name != "pass"}
NAME = {code: name for code, name, _, _, _ in OUTCOMES}
SYMBOL = {name: symbol for _, name, symbol, _, _ in OUTCOMES}
MEANING = {name: text for _, name, _, text, _ in OUTCOMES} | {"pass": "did what it should"}
FAULTS = [name for code, name, _, _, fault in OUTCOMES if fault]
COUNTED = [*FAULTS, "unsupported", "withheld"]
STOPPED = ["crash", "hang", "memory"]
HIDDEN = [*STOPPED, "protocol", "unsupported"]     # what cannot be counted where results are withheld
WRITTEN = ["pass", "canonical"]         # what is right for a writer; canonical: the very bytes of NumPy

# Characters that a terminal or a browser obeys instead of showing: controls, line and paragraph separators, marks
# that turn the direction of the text, invisible ones, and halves of surrogate pairs.
OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                    "\ud800-\udfff\U000e0000-\U000e007f]")


class Problem(Exception):
    """The input is not what it should be; the text says which file and what."""


def visible(text):
    """Text from a manifest or an implementation, with what would not be seen written as an escape."""
    return OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", str(text))


def shortened(text, longest):
    """At most `longest` characters, and a mark if some are missing."""
    return text if len(text) <= longest else text[:longest - 1] + "…"


# ---- Reading ------------------------------------------------------------------------------------------

def read_json(path):
    """One JSON object and the digest of its bytes."""
    try:
        content = path.read_bytes()
        value = json.loads(content)
    except (OSError, ValueError) as error:
        raise Problem(f"{path.name}: {error}") from error
    if not isinstance(value, dict):
        raise Problem(f"{path.name}: not a JSON object")
    return value, hashlib.sha256(content).hexdigest()


class Suite:
    """The manifest, as far as the page needs it."""

    def __init__(self, path):
        manifest, self.digest = read_json(path)
        try:
            self.title, self.version = manifest["suite"], manifest["version"]
            self.flags, self.cases = manifest["flags"], manifest["cases"]
            self.index = {case["id"]: number for number, case in enumerate(self.cases)}
            unknown = {flag for case in self.cases for flag in case["flags"]} - set(self.flags)
            odd = [case["id"] for case in self.cases if case["verdict"] not in VERDICTS]
        except KeyError as error:
            raise Problem(f"{path.name}: the key {error} is missing") from error
        if unknown or odd:
            raise Problem(f"{path.name}: flags without a record {sorted(unknown)}, unknown verdicts of {odd}")
        if len({visible(name) for name in self.index}) != len(self.cases):
            raise Problem(f"{path.name}: two cases have the same ID")

    def number_of(self, verdict):
        """How many cases have this verdict."""
        return sum(case["verdict"] == verdict for case in self.cases)


class Implementation:
    """One file of results: who it is, and one code a case."""

    def __init__(self, path, suite):
        record, _ = read_json(path)
        self.file = path.name
        if record["results"] != saved.FORMAT:
            raise Problem(f"{self.file}: results of format {record['results']!r}, not {saved.FORMAT}")
        self.name, self.edition = visible(record["name"]), visible(record["suite"])
        self.title, self.version, self.language, self.level = (
            visible(record[key] or "not known") for key in ("title", "version", "language", "level"))
        self.stale = record["manifest_sha256"] != suite.digest
        self.declares, self.writer, self.profile = record["declares"], record["writer"], record.get("profile")
        command = record["command"]
        self.command = visible(command if isinstance(command, str) else " ".join(map(str, command)))
        self.loader, self.notes = (visible(record.get(key) or "") for key in ("loader", "notes"))
        self.problems = [visible(problem) for problem in record.get("problems") or []]
        self.right = record["right"]
        problem = saved.not_public(record, {case["id"]: case["verdict"] for case in suite.cases})
        if problem:
            raise Problem(f"{self.file}: {problem}")
        self.codes = self.coded(suite, record["outcomes"], record["others"])
        self.saved = advice.saved_totals(record)
        self.details = {suite.index[case]: shortened(visible(text), LONGEST_DETAIL)
                        for case, text in record.get("details", {}).items() if case in suite.index and text}
        if not self.stale:
            self.verify(record["totals"])

    def coded(self, suite, outcomes, others):
        """One character a case. What is not listed is what the results say of all others; in stale results it is unknown."""
        strangers = set(outcomes) - set(suite.index)
        if strangers and not self.stale:
            raise Problem(f"{self.file}: the manifest has no case {sorted(strangers)[0]!r}")
        unknown = set(outcomes.values()) - set(CODE) - {"pass"} | set(outcomes.values()) & {"unknown"}
        if unknown:
            raise Problem(f"{self.file}: unknown outcomes {sorted(map(str, unknown))}")
        return "".join(self.code_of(suite, case, outcomes.get(case["id"], "unknown" if self.stale else others.get(case["verdict"])))
                       for case in suite.cases)

    def code_of(self, suite, case, outcome):
        """The code of one outcome; a pass is told apart by what was asked."""
        if outcome is None:
            raise Problem(f"{self.file}: no outcome of {case['id']!r}")
        if outcome != "pass":
            return CODE[outcome]
        asked = self.asked(suite, case)
        if asked is None:
            raise Problem(f"{self.file}: a pass of {case['id']!r}, where nothing was asked of it")
        return "y" if asked == "accept" else "n"

    def asked(self, suite, case):
        """What this implementation must do with a case; None if either is right."""
        if self.profile == "canonical" and not case.get("canonical"):
            # An accepted header of which the manifest does not say whether it is canonical binds nobody.
            return None if case["verdict"] == "accept" and "canonical" not in case else "reject"
        if case["verdict"] != "choice":
            return case["verdict"]
        if self.declares is None:
            return None
        flag = case["flags"][0]
        return "accept" if (suite.flags[flag]["declared"] == "accept") == (flag in self.declares) else "reject"

    def verify(self, totals):
        """The totals that the runner wrote are those of the outcomes: a run over some of the cases is refused."""
        counted = {name: count for name, count in self.counts(range(len(self.codes))).items() if count}
        if counted != {name: count for name, count in totals.items() if count}:
            raise Problem(f"{self.file}: its totals {totals} are not those of its outcomes {counted}")

    def counts(self, numbers):
        """How often each outcome came, among these cases."""
        counts = dict.fromkeys(NAMES, 0)
        for number in numbers:
            counts[NAME[self.codes[number]]] += 1
        return counts


def read_one(path, suite):
    """One implementation; whatever is wrong with the file is said with its name."""
    try:
        return Implementation(path, suite)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Problem(f"{path.name}: no results of the runner: {error!r}") from error


def read_results(directory, suite):
    """All implementations, by language and then by title."""
    found = [read_one(path, suite) for path in sorted(directory.glob("*.json"))]
    if not found:
        raise Problem(f"no results in {directory.name}/")
    names = [implementation.name for implementation in found]
    if len(set(names)) != len(names):
        raise Problem("two files of results have the same name in them")
    titles = [one.title for one in found]
    for one in found:
        one.label = one.title if titles.count(one.title) == 1 else f"{one.title} {one.version}"
    return sorted(found, key=lambda one: (one.language.lower(), one.title.lower(), one.name))


# ---- Counting -----------------------------------------------------------------------------------------

class Totals:
    """What one implementation did, over the whole suite."""

    def __init__(self, suite, implementation):
        by_verdict = {verdict: [number for number, case in enumerate(suite.cases) if case["verdict"] == verdict]
                      for verdict in VERDICTS}
        self.counts = implementation.counts(range(len(suite.cases)))
        self.part = {verdict: implementation.counts(numbers) for verdict, numbers in by_verdict.items()}
        # Cases that ask nothing of the implementation are not among those that it can pass or fail.
        self.number = {verdict: len(numbers) - self.part[verdict]["accepts"] - self.part[verdict]["refuses"]
                       for verdict, numbers in by_verdict.items()}
        # Where outcomes are withheld, only the number of those that are right is known, and what else is no fault is open.
        self.right = {verdict: implementation.right[verdict] if part["withheld"] else part["pass"]
                      for verdict, part in self.part.items()}
        self.open = {verdict: part["unsupported"] + (part["withheld"] and part["withheld"] - self.right[verdict])
                     for verdict, part in self.part.items()}


def choices(suite, implementation):
    """For each flag, what became of its cases: how many there are, were accepted, and were left open."""
    found = {flag: [0, 0, 0] for flag in suite.flags}
    for case, code in zip(suite.cases, implementation.codes):
        for flag in case["flags"]:
            found[flag][0] += 1
            found[flag][1] += code in "yaAV"
            found[flag][2] += code in "uCHMP?w"
    return {flag: counts for flag, counts in found.items() if counts[0]}


# ---- The table of the README --------------------------------------------------------------------------

def markdown(text):
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_\[\]<>|~&$])", r"\\\1", text)


def markdown_table(suite, implementations):
    """The totals for the README: what a reader must do, what went wrong, and what was not tried."""
    accept, reject = suite.number_of("accept"), suite.number_of("reject")
    lines = [f"| implementation | version | language | right, of {accept:,} to accept "
             f"| right, of {reject:,} to refuse | wrong accepts | wrong values | crash, hang, memory "
             "| unsupported |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|"]
    for one in implementations:
        names = f"| {markdown(one.title)} | {markdown(one.version)} | {markdown(one.language)} |"
        if one.stale:
            lines.append(f"{names} stale | stale | – | – | – | – |")
            continue
        total = Totals(suite, one)
        cells = [markdown_share(total, "accept", accept), markdown_share(total, "reject", reject)]
        cells += [f"{total.counts[name]:,}" for name in ("wrong-accept", "wrong-value")]
        if total.counts["withheld"]:
            cells += ["withheld"] * 2
        else:
            cells += [f"{sum(total.counts[name] for name in STOPPED):,}", f"{total.counts['unsupported']:,}"]
        lines.append(f"{names} " + " | ".join(cells) + " |")
    choice = suite.number_of("choice")
    lines += ["", f"Suite {markdown(suite.version)}: {len(suite.cases):,} cases; the other {choice:,} are an "
              "implementation's choice. *Unsupported*: the implementation says that it does not read this kind of "
              "file; neither a pass nor a fault."]
    withheld = [one.codes.count("w") for one in implementations if "w" in one.codes]
    if withheld:
        lines.append(f"*Withheld*: {withheld_text(sum(withheld))}: crashes, hangs and the like that are not public, of "
                     f"{len(withheld)} readers, and all results among which they could be found.")
    if any(one.profile == "canonical" for one in implementations):
        lines.append("In the canonical profile a reader is right to refuse what is not canonical.")
    if any(" of " in line for line in lines[2:2 + len(implementations)]):
        lines.append("*n of m*: only m of these files bind it.")
    if any(one.stale for one in implementations):
        lines.append("*Stale*: the results were made for another edition of the suite.")
    return "\n".join(lines) + "\n"


def markdown_share(total, verdict, number):
    """What was right; of how many, if they are not all that the head of the column says."""
    passed, bound = total.right[verdict], total.number[verdict]
    return f"{passed:,}" if bound == number else f"{passed:,} of {bound:,}"


def readme_with(text, table, name):
    """The README with the table between its markers."""
    pattern = re.compile(rf"(?ms)^{re.escape(BEGIN)}\n.*?^{re.escape(END)}$")
    if len(pattern.findall(text)) != 1:
        raise Problem(f"{name}: one line {BEGIN} and behind it one line {END} are needed")
    return pattern.sub(lambda _: f"{BEGIN}\n{table}{END}", text)


# ---- The page's data ----------------------------------------------------------------------------------

class Table:
    """Values that stand once in the data however often they are used."""

    def __init__(self):
        self.numbers = {}

    def number(self, value):
        """The number of this value."""
        return self.numbers.setdefault(value, len(self.numbers))


def tuple_text(shape):
    """A shape as Python writes it."""
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def expected(case):
    """What a reader that accepts the file reports; numbers as text, since some exceed what JavaScript counts."""
    expect = case.get("expect")
    if not expect:
        return ()
    size = expect["data_size"]
    return (visible(expect["version"]), shortened(visible(expect["descr"]), LONGEST_DESCR),
            tuple_text(expect["shape"]), "Fortran" if expect["fortran_order"] else "C", str(expect["itemsize"]),
            str(expect["data_offset"]), "the rest of the file" if size is None else f"{size} bytes")


def case_data(case, tables):
    """One case as a short list; matrix.js knows the order."""
    topic, _, name = visible(case["id"]).rpartition("/")
    error = case.get("error")
    numpy = ", ".join(f"{version}: {verdict}" for version, verdict in sorted(case.get("numpy", {}).items()))
    return [tables["topics"].number(topic), name, VERDICTS.index(case["verdict"]),
            tables["strings"].number(visible(case["reason"])),
            [tables["rules"].number(visible(rule)) for rule in case["rules"]],
            [tables["flags"].index(flag) for flag in case["flags"]], tables["expects"].number(expected(case)),
            [tables["strings"].number(visible(error["status"])), str(error["offset"])] if error else 0,
            tables["strings"].number(visible(case.get("danger") or "")), tables["strings"].number(visible(numpy)),
            file_link(case)]


def file_link(case):
    """Where the file lies; 0 for the usual place, which the page works out."""
    if case["file"] == case["id"] + ".npy" and re.fullmatch(r"[\w./-]+", case["id"], re.ASCII):
        return 0
    return quote("../" + case["file"], errors="surrogatepass")


def rule_link(rule):
    """Where the rule stands."""
    return [rule, f"../../spec/{'npz' if rule.startswith('NPZ') else 'npy'}.md#{quote(rule.lower())}"]


def said_data(texts, strings):
    """For each text: its number, and the cases that it is said of, each as the distance from the one before."""
    said = {}
    for number, text in sorted(texts.items()):
        said.setdefault(strings.number(text), []).append(number)
    return [[text, *(number - before for before, number in zip([0, *numbers], numbers))]
            for text, numbers in said.items()]


def writer_data(one, suite, strings):
    """What it wrote: the counts, and outcome and detail of what is not right."""
    if not one.writer:
        return None
    details = one.writer.get("details", {})
    faults = {}
    for case, outcome in one.writer["outcomes"].items():
        if outcome not in WRITTEN and case in suite.index:
            detail = shortened(visible(details.get(case, "")), LONGEST_DETAIL)
            faults[suite.index[case]] = f"{visible(outcome).replace('-', ' ')}{': ' if detail else ''}{detail}"
    totals = sorted([visible(name), count] for name, count in one.writer["totals"].items())
    return {"totals": totals, "faults": said_data(faults, strings)}


def implementation_data(one, suite, strings):
    """One implementation: who it is, one code a case, and what it said."""
    declares = None if one.declares is None else [visible(flag) for flag in one.declares]
    return {"name": one.name, "title": one.title, "label": one.label, "version": one.version,
            "language": one.language, "loader": one.loader, "command": one.command, "level": one.level,
            "notes": one.notes, "problems": one.problems, "profile": one.profile, "suite": one.edition,
            "stale": one.stale, "declares": declares, "codes": one.codes,
            "right": one.right, "writer": writer_data(one, suite, strings), "details": said_data(one.details, strings)}


def page_data(suite, implementations):
    """All that the script knows."""
    tables = {name: Table() for name in ("topics", "rules", "strings", "expects")} | {"flags": sorted(suite.flags)}
    cases = [case_data(case, tables) for case in suite.cases]
    found = [implementation_data(one, suite, tables["strings"]) for one in implementations]
    return {"outcomes": OUTCOMES, "verdicts": VERDICTS, "topics": list(tables["topics"].numbers),
            "rules": [rule_link(rule) for rule in tables["rules"].numbers],
            "flags": [[visible(flag), suite.flags[flag]["declared"], visible(suite.flags[flag]["text"])]
                      for flag in tables["flags"]],
            "strings": list(tables["strings"].numbers), "expects": list(tables["expects"].numbers), "cases": cases,
            "implementations": found}


def script_json(value):
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


# ---- The page's tables --------------------------------------------------------------------------------

def element(name, content="", **attributes):
    """An HTML element; `content` is HTML already, attribute values are not."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
                      for key, value in attributes.items() if value is not None)
    return f"<{name}{written}>{content}</{name}>"


def chip(outcome):
    """The coloured symbol of an outcome."""
    return element("span", SYMBOL[outcome], class_=f"chip o-{outcome}", aria_hidden="true")


def withheld_text(number):
    """How many results are withheld, as a sentence without its full stop."""
    return f"{number:,} results are withheld until the authors have been told"


def share_cell(one, right, left_open, number):
    """`right / number` with a bar; unsupported cases are a bar of their own. matrix.js fills it likewise."""
    if one.stale:
        return element("td", "–", class_="share")
    open_share = share(left_open, number) if number else "100.0%"
    style = f"--pass-share:{share(right, number)};--open-share:{open_share}"
    return element("td", f"{right:,} / {number:,}", class_="share", style=style)


def share(count, number):
    """A part of a hundred with one digit, by whole numbers: no rounding differs between languages."""
    tenths = count * 1000 // number if number else 0
    return f"{tenths // 10}.{tenths % 10}%"


def choice_text(one, total):
    """How the choices stand: against what is declared, or simply what it does."""
    counts, number = total.part["choice"], total.number["choice"]
    if one.stale or counts["withheld"]:
        return "–"
    if one.declares is None:
        return f"takes {counts['accepts']:,} of {sum(counts.values()):,}"
    return f"{counts['pass']:,} / {number:,} as declared"


def writer_cell(one):
    """How many of the files that it was asked to write are right."""
    if not one.writer or one.stale:
        return element("td", "–", class_="share")
    totals, right = one.writer["totals"], sum(one.writer["right"].values())
    withheld = totals.get("withheld", 0)
    left_open = totals.get("unsupported", 0) + (withheld and withheld - right)
    return share_cell(one, right, left_open, sum(totals.values()))


def totals_row(suite, one):
    """One implementation in the totals table."""
    total = Totals(suite, one)
    profile = one.profile and f"{visible(one.profile)} profile"
    about = " · ".join(part for part in (one.language, one.version, one.loader, profile) if part)
    stale = element("span", "stale", class_="badge") if one.stale else ""
    name = element("span", element("span", html.escape(one.title), class_="title") + stale, class_="who")
    withheld = total.counts["withheld"]
    about = [element("span", html.escape(text), class_="about")
             for text in (about, *([f"{withheld_text(withheld)}."] if withheld else ()))]
    cells = [element("th", name + "".join(about), scope="row")]
    cells += [share_cell(one, total.right[verdict], total.open[verdict], total.number[verdict])
              for verdict in ("accept", "reject")]
    cells.append(element("td", choice_text(one, total), class_="text"))
    for outcome in COUNTED:
        unknown = one.stale or withheld and outcome in HIDDEN
        count = 0 if unknown else total.counts[outcome]
        text = "–" if unknown else f"{count:,}"
        cells.append(element("td", text, class_=f"count o-{outcome}" if count else "count zero"))
    cells.append(writer_cell(one))
    cells += [element("td", text, class_="text")
              for text in (html.escape(one.edition), element("code", html.escape(one.command)))]
    return element("tr", "".join(cells), data_name=one.name)


def totals_table(suite, implementations):
    """Readable without a script; the script counts again under a filter."""
    heads = [element("th", text, scope="col", class_=kind) for text, kind in (
        ("Implementation", None), ("Must accept", None), ("Must refuse", None), ("Choice", "text"))]
    heads += [element("th", element("span", name.replace("-", " "), class_="tall") + chip(name), scope="col",
                      class_="count", title=MEANING[name]) for name in COUNTED]
    heads.append(element("th", "Writes", scope="col"))
    heads += [element("th", text, scope="col", class_="text") for text in ("Suite", "Command")]
    rows = "\n".join(totals_row(suite, one) for one in implementations)
    return f"<thead>{element('tr', ''.join(heads))}</thead>\n<tbody>\n{rows}\n</tbody>"


def choice_cell(one, flag, counts):
    """What one implementation does with the cases of one flag."""
    number, accepted, left_open = counts
    if left_open == number:
        return element("td", "?", title=f"{one.label}: not known for {flag}")
    text = "all" if accepted == number else "none" if not accepted and not left_open else f"{accepted}"
    kind = "all" if text == "all" else "none" if text == "none" else "some"
    said = "" if one.declares is None else "; declared" if flag in one.declares else "; not declared"
    remark = f"; {left_open} unsupported or not answered" if left_open else ""
    return element("td", text, class_=kind, title=f"{one.label}: accepts {accepted} of {number}{remark}{said}")


def choices_table(suite, implementations):
    """Flags × implementations: what each takes. The whole suite, whatever the filter is."""
    heads = [element("th", "Flag", scope="col"), element("th", "Cases", scope="col")]
    heads += [element("th", element("span", html.escape(one.label)), scope="col", class_="turned",
                      title=f"{one.title} {one.version}") for one in implementations]
    taken = [choices(suite, one) for one in implementations]
    rows = []
    for flag in taken[0]:
        text = element("span", html.escape(visible(suite.flags[flag]["text"])), class_="about")
        cells = [element("th", html.escape(visible(flag)) + text, scope="row")]
        cells.append(element("td", str(taken[0][flag][0])))
        cells += [choice_cell(one, flag, counts[flag]) for one, counts in zip(implementations, taken)]
        rows.append(element("tr", "".join(cells)))
    return f"<thead>{element('tr', ''.join(heads))}</thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>"


def case_in_text(name, suite):
    """A word in code; the name of a case opens it in the matrix."""
    return "`" + (element("a", name, href=f"#case={quote(name)}") if name in suite.index else name) + "`"


def fixes(suite, implementations):
    """For each implementation with faults, what to fix first: the text of `npy-conformance report`, to be copied."""
    told = SimpleNamespace(manifest={"suite": suite.title}, version=suite.version, cases=[
        SimpleNamespace(id=case["id"], rules=case["rules"], reason=case["reason"]) for case in suite.cases])
    found = []
    for one in implementations:
        outcomes = {case["id"]: NAME[code] for case, code in zip(suite.cases, one.codes) if code not in "yn"}
        faults = sum(outcome in FAULTS for outcome in outcomes.values())
        if one.stale or not faults:
            continue
        text = advice.markdown(told, advice.Outcomes(one.title, one.version, len(suite.cases), outcomes, one.problems, one.saved))
        text = "\n".join(visible(line) for line in text.split("\n"))
        heading = element("summary", f"{html.escape(one.label)}: {faults:,} faults" if faults > 1 else f"{html.escape(one.label)}: 1 fault")
        text = re.sub(r"`([^`]+)`", lambda match: case_in_text(match[1], suite), html.escape(text))
        found.append(element("details", heading + element("pre", text, tabindex="0"), class_="fix"))
    return "\n".join(found)


def legend():
    """Symbol, name and meaning of every outcome."""
    texts = [element("span", element("b", name.replace("-", " ")) + " " + MEANING[name]) for name in NAMES]
    return "\n".join(element("li", chip(name) + text) for name, text in zip(NAMES, texts))


def page(suite, implementations):
    """The whole page."""
    script = (HERE / "matrix.js").read_text(encoding="utf-8")
    values = {
        "SUITE": html.escape(visible(suite.title)), "VERSION": html.escape(visible(suite.version)),
        "DIGEST": suite.digest, "CASES": f"{len(suite.cases):,}", "IMPLEMENTATIONS": str(len(implementations)),
        **{verdict.upper(): f"{suite.number_of(verdict):,}" for verdict in VERDICTS},
        "TOTALS": totals_table(suite, implementations), "CHOICES": choices_table(suite, implementations),
        "FIXES": fixes(suite, implementations), "LEGEND": legend(), "STYLE": (HERE / "matrix.css").read_text(encoding="utf-8"), "SCRIPT": script,
        "SCRIPT_HASH": base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"),
        "DATA": script_json(page_data(suite, implementations)),
    }
    template = (HERE / "template.html").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], template)


# ---- The program --------------------------------------------------------------------------------------

def settle(path, text, check):
    """Writes the file if it is not so yet, or only says that it is not; returns whether it was so."""
    try:
        current = path.read_bytes()
    except OSError:
        current = None
    if current == text.encode("utf-8"):
        return True
    if check:
        print(f"{path.name} is stale: run corpus/matrix/make_matrix.py", file=sys.stderr)
        return False
    path.write_bytes(text.encode("utf-8"))
    return False


def options():
    """What may stand on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--manifest", type=Path, default=CORPUS / "manifest.json", metavar="FILE")
    parser.add_argument("--results", type=Path, default=CORPUS / "results", metavar="DIR")
    parser.add_argument("--output", type=Path, default=HERE / "index.html", metavar="FILE")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="put the totals table between its markers")
    parser.add_argument("--markdown", action="store_true", help="print the totals table, and write nothing")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if a file is stale")
    return parser.parse_args()


def run(args):
    """Reads, makes, and writes or compares; returns the exit status."""
    suite = Suite(args.manifest)
    implementations = read_results(args.results, suite)
    for one in implementations:
        if one.stale:
            print(f"{one.file}: stale, made with another manifest", file=sys.stderr)
    table = markdown_table(suite, implementations)
    if args.markdown:
        print(table, end="")
        return 0
    texts = [(args.output, page(suite, implementations))]
    if args.readme:
        texts.append((args.readme, readme_with(args.readme.read_text(encoding="utf-8"), table, args.readme.name)))
    same = [settle(path, text, args.check) for path, text in texts]
    return 1 if args.check and not all(same) else 0


def main():
    """Exit status 2 if the input is wrong."""
    try:
        return run(options())
    except (Problem, OSError) as problem:
        print(f"make_matrix: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
