"""What an implementation should fix first, as Markdown to paste into an issue tracker."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

from . import outcome
from .results import not_public
from .places import PAGES, SUITES

# What endangers a program comes before what deceives it, and that before what only annoys.
GROUPS = (
    ("Crashes, hangs and memory", outcome.STOPPED),
    ("Files read wrongly", (outcome.WRONG_VALUE,)),
    ("Files accepted that must be refused", (outcome.WRONG_ACCEPT,)),
    ("Files refused that must be accepted", (outcome.WRONG_REJECT,)),
    ("Other faults", (outcome.PROTOCOL, outcome.WRONG_ERROR, outcome.UNREADABLE)),
)
REST = "unsupported, a choice or withheld"
EXAMPLES = 3             # cases named for each rule


class ResultsError(Exception):
    """A file that holds no results of these suites."""


@dataclass
class Outcomes:
    """What became of the cases of one implementation: {case id: outcome}, those that passed left out or not."""

    title: str
    version: str
    number: int                      # of cases that ran
    found: dict
    problems: list = field(default_factory=list)
    saved: dict = None               # totals of results in which some are withheld

    def totals(self):
        """How often each outcome came."""
        if self.saved:
            return self.saved
        counts = Counter(self.found.values())
        counts[outcome.PASS] += self.number - len(self.found)
        return {name: counts[name] for name in outcome.ALL if counts[name]}


# ---- Reading --------------------------------------------------------------------------------------

def load(path, suites):
    """The suite, and the Outcomes of each implementation, of a file that `run --json` or `run --save` wrote."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        suite = next((suite for suite in suites if suite.digest == value["manifest_sha256"]), None)
        if suite is None:
            raise ResultsError(f"{path}: results of another version of the suite ({value['suite']}): run it again")
        found = [of_run(run) for run in value["runs"] if run["read"]] if "runs" in value else [of_saved(value)]
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: no results of npy-conformance: {error!r}") from error
    strange = {name for one in found for name in one.found} - {case.id for case in suite.cases}
    private = not_public(value, {case.id: case.verdict for case in suite.cases}) if "runs" not in value else ""
    if private:
        raise ResultsError(f"{path}: {private}")
    if strange or not found:
        raise ResultsError(f"{path}: " + (f"no case is called {min(strange)}" if strange else "nothing was read"))
    return suite, found


def of_run(run):
    """One of the runs of `run --json`."""
    cases = {name: case["outcome"] for name, case in run["read"]["cases"].items()}
    return Outcomes(run["title"] or run["name"], run["version"] or "", len(cases), cases, run["problems"])


def of_saved(value):
    """What `run --save` wrote."""
    return Outcomes(value["title"], value["version"] or "", sum(value["totals"].values()), value["outcomes"],
                    value["problems"], saved_totals(value))


def saved_totals(value):
    """The totals of saved results; where some are withheld, what passed among them, and how many others are not told."""
    totals = {name: value["totals"][name] for name in outcome.ALL if name in value["totals"]}
    if outcome.WITHHELD not in totals:
        return totals
    known = {outcome.PASS: sum(value["right"].values())}
    known |= {name: number for name, number in totals.items() if name in outcome.FAILING}
    return known | {REST: sum(totals.values()) - sum(known.values())}


# ---- Grouping -------------------------------------------------------------------------------------

def grouped(cases, found):
    """[(title, [(rule, [case])])]: the faults of each group by the first rule of their case, the commonest first."""
    result = []
    for title, outcomes in GROUPS:
        rules = {}
        for case in cases:
            if found.get(case.id) in outcomes:
                rules.setdefault(case.rules[0], []).append(case)
        if rules:
            result.append((title, sorted(rules.items(), key=lambda pair: (-len(pair[1]), pair[0]))))
    return result


def markdown(suite, one, pages=None):
    """The report of one implementation; `pages` is the address of the folder of the cases' pages, to which each case leads."""
    folder = pages and pages.rstrip("/") + "/" + next((PAGES[name] for name, place in SUITES.items() if place == suite.folder), "")
    totals = one.totals()
    counts = ", ".join(f"{count:,} {name}" for name, count in totals.items())
    parts = [f"## {one.title} {one.version}".rstrip() + f" and the {suite.manifest.get('suite', 'suite')} {suite.version}\n",
             f"{one.number:,} cases: {counts}.\n"]
    groups = grouped(suite.cases, one.found)
    parts += [group_text(title, rules, folder) for title, rules in groups]
    if one.problems:
        parts.append("### Problems of no single case\n\n" + "".join(f"- {problem}\n" for problem in one.problems))
    parts.append("`npy-conformance explain CASE` prints a case with its reason and its bytes.\n" if groups
                 else "Nothing to fix.\n")
    return "\n".join(parts)


def escaped(text):
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_<>\[\]|])", r"\\\1", text)


def case_text(case, folder):
    """The id of a case, which leads to its page if there is one."""
    return f"[`{case.id}`]({folder}{quote(case.id)}.html)" if folder else f"`{case.id}`"


def group_text(title, rules, folder):
    """One group: a line for each rule, with a few cases and a reason."""
    lines = [f"### {title}: {sum(len(cases) for _, cases in rules):,}\n"]
    for rule, cases in rules:
        named = ", ".join(case_text(case, folder) for case in cases[:EXAMPLES])
        more = f" and {len(cases) - EXAMPLES:,} more" if len(cases) > EXAMPLES else ""
        lines.append(f"- **{rule}** ({len(cases):,}): {escaped(cases[0].reason)} {named}{more}")
    return "\n".join(lines) + "\n"
