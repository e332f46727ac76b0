"""The committed results: corpus/results/NAME.json."""

import json

from . import outcome


def text_of(suite, run):
    """What came of an implementation, the same bytes for the same outcomes: sorted keys, a line a case."""
    one, declares = run.adapter, run.declaration.declares
    value = {
        "results": 1, "name": one.name, "title": one.title, "version": run.version, "language": run.language,
        "loader": one.loader, "command": run.command, "level": one.level, "suite": suite.version,
        "manifest_sha256": suite.digest, "declares": None if declares is None else sorted(declares),
        "profile": one.profile, "problems": run.problems, "notes": one.notes, **kind_of(run.results),
        "writer": None if run.written is None else kind_of(run.written),
    }
    return lay_out(value) + "\n"


def kind_of(results):
    """Totals, the outcomes other than pass, and their details."""
    return {
        "totals": outcome.totals(results.values()),
        "outcomes": {name: result.outcome for name, result in results.items() if result.outcome != outcome.PASS},
        "details": {name: result.detail for name, result in results.items()
                    if result.detail and result.outcome != outcome.PASS},
    }


def lay_out(value, indent=""):
    """JSON with a line for each key of an object, and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=True)
    inner = indent + " "
    lines = [f"{inner}{json.dumps(key)}: {lay_out(value[key], inner)}" for key in sorted(value)]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
