"""The committed results: corpus/results/NAME.json."""

import json

from . import outcome

WITHHELD = "unsupported-or-withheld"


def text_of(suite, run):
    """What came of an implementation, the same bytes for the same outcomes: sorted keys, a line a case."""
    one, declares = run.adapter, run.declaration.declares
    value = {
        "results": 1, "name": one.name, "title": one.title, "version": run.version, "language": run.language,
        "loader": one.loader, "command": run.command, "level": one.level, "suite": suite.version,
        "manifest_sha256": suite.digest, "declares": None if declares is None else sorted(declares),
        "profile": one.profile, "problems": run.problems, "notes": one.notes, **kind_of(run.results, one.withholds),
        "writer": None if run.written is None else kind_of(run.written, one.withholds),
    }
    if one.withholds:
        value["right"] = right_of(suite, run.results)
    return lay_out(value) + "\n"


def kind_of(results, withheld=()):
    """Totals, the outcomes other than pass, and their details.

    Of what is withheld only the number is kept, together with what is unsupported, so that nobody can tell them apart.
    """
    withheld = {*withheld, outcome.UNSUPPORTED} if withheld else ()
    shown = {name: result for name, result in results.items()
             if result.outcome != outcome.PASS and result.outcome not in withheld}
    totals = outcome.totals(result for result in results.values() if result.outcome not in withheld)
    number = len(results) - sum(totals.values())
    return {
        "totals": totals | ({WITHHELD: number} if number else {}),
        "outcomes": {name: result.outcome for name, result in shown.items()},
        "details": {name: result.detail for name, result in shown.items() if result.detail},
    }


def right_of(suite, results):
    """How many cases of each verdict passed, where the outcomes alone would not tell."""
    passed = [case.verdict for case in suite.cases if results[case.id].outcome == outcome.PASS]
    return {verdict: passed.count(verdict) for verdict in ("accept", "reject", "choice")}


def lay_out(value, indent=""):
    """JSON with a line for each key of an object, and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=True)
    inner = indent + " "
    lines = [f"{inner}{json.dumps(key)}: {lay_out(value[key], inner)}" for key in sorted(value)]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
