"""The committed results: corpus/results/NAME.json."""

import json

from . import outcome

VERDICTS = ("accept", "reject", "choice")
FORMAT = 2


def text_of(suite, run):
    """What came of an implementation, the same bytes for the same outcomes: sorted keys, a line a case."""
    one, declares = run.adapter, run.declaration.declares
    value = {
        "results": FORMAT, "name": one.name, "title": one.title, "version": run.version, "language": run.language,
        "loader": one.loader, "command": run.command, "level": one.level, "suite": suite.version,
        "manifest_sha256": suite.digest, "declares": None if declares is None else sorted(declares),
        "profile": one.profile, "problems": run.problems, "notes": one.notes, "public": one.public,
        **kind_of(suite, run.results, one.public),
        "writer": None if run.written is None else kind_of(suite, run.written, one.public),
    }
    return lay_out(value) + "\n"


def kind_of(suite, results, public):
    """Totals, the outcomes and their details, the outcome of the `others`, and how many are `right`.

    What is broken and not public is withheld, and with it whatever is no fault among the cases of the same verdict: a
    case that is not listed may have passed, so nobody can find those that are withheld.
    """
    verdicts = {case.id: case.verdict for case in suite.cases}
    broken = set() if public else {verdicts[name] for name, result in results.items() if result.outcome in outcome.BROKEN}
    others = {verdict: outcome.WITHHELD if verdict in broken else outcome.PASS for verdict in VERDICTS}
    told = {name: coarse(result, verdicts[name] in broken) for name, result in results.items()}
    shown = {name: result for name, result in told.items() if result.outcome != others[verdicts[name]]}
    right = [verdicts[name] for name, result in results.items() if result.outcome in outcome.RIGHT]
    return {
        "totals": outcome.totals(told.values()),
        "others": others,
        "right": {verdict: right.count(verdict) for verdict in VERDICTS},
        "outcomes": {name: result.outcome for name, result in shown.items()},
        "details": {name: result.detail for name, result in shown.items() if result.detail},
    }


def coarse(result, withheld):
    """The result as it may be saved: where something is withheld, only faults that are no crash are told."""
    told = not withheld or result.outcome in outcome.FAILING - outcome.BROKEN
    return result if told else outcome.Result(outcome.WITHHELD)


def not_public(value, verdicts):
    """Why saved results may not be published: a crash without the address of a report, or one that can be found. Or ""."""
    for part in filter(None, (value, value["writer"])):
        if set(part["others"].values()) - {outcome.PASS, outcome.WITHHELD}:
            return f"others can only have passed or be withheld: {part['others']}"
        if set(part["details"]) - set(part["outcomes"]):
            return f"details of {min(set(part['details']) - set(part['outcomes']))!r}, and no outcome"
        for case, what in part["outcomes"].items():
            if what in outcome.BROKEN and not value["public"]:
                return f"{what} of {case!r}, and no address where that is public"
            told = what in outcome.FAILING - outcome.BROKEN
            if what == outcome.WITHHELD or part["others"].get(verdicts.get(case)) == outcome.WITHHELD and not told:
                return f"{what} of {case!r} tells it from the cases that are withheld"
    return ""


def lay_out(value, indent=""):
    """JSON with a line for each key of an object, and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=True)
    inner = indent + " "
    lines = [f"{inner}{json.dumps(key)}: {lay_out(value[key], inner)}" for key in sorted(value)]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
