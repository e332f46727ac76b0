"""What came of a call, for people and as JSON."""

import json

from . import outcome

AT_MOST = 40             # failures that are shown unless all are asked for


def table(runs):
    """One row an implementation and kind, one column an outcome that came at all."""
    rows = [(f"{run.adapter.name}{' (writing)' if kind == 'write' else ''}", results)
            for run in runs for kind, results in (("read", run.results), ("write", run.written))
            if results is not None]
    counted = [(name, outcome.totals(results.values()), len(results)) for name, results in rows]
    came = {name for _, counts, _ in counted for name in counts} | {outcome.PASS}
    columns = [name for name in outcome.ALL if name in came]
    lines = [["implementation", "cases", *columns]]
    lines += [[name, size, *(counts.get(column, 0) for column in columns)] for name, counts, size in counted]
    return aligned([[str(word) for word in line] for line in lines])


def aligned(lines):
    """Columns of a table: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    rows = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    return "".join(row + "\n" for row in rows)


def failures(suite, run, fail_on, verbose):
    """A line for each case that fails: outcome, case, rules, what happened, why it should not."""
    cases = {case.id: case for case in suite.cases}
    found = run.failing(fail_on)
    shown = found if verbose else found[:AT_MOST]
    lines = []
    for kind, name, result in shown:
        case = cases[name]
        what = f": {result.detail}" if result.detail else ""
        writing = "writing " if kind == "write" else ""
        lines.append(f"{result.outcome:<12} {writing}{name} [{', '.join(case.rules)}]{what} ({case.reason})\n")
        if result.stderr and result.outcome in outcome.BROKEN:
            lines += [f"{'':<13}| {line}\n" for line in result.stderr.splitlines()[-3:]]
    if len(shown) < len(found):
        lines.append(f"and {len(found) - len(shown)} more; --verbose shows all\n")
    return "".join(lines)


def human(suite, runs, fail_on, verbose):
    """Everything that a person needs to see."""
    parts = [table(runs)]
    for run in runs:
        lines = failures(suite, run, fail_on, verbose)
        lines += "".join(f"problem      {problem}\n" for problem in run.problems)
        if run.empty():
            lines += "no case passed\n"
        if lines:
            parts.append(f"{run.adapter.name}:\n{lines}")
    return "\n".join(parts)


def as_json(suite, runs):
    """All outcomes of a call, passes included, as one JSON text."""
    value = {"runs": [run_value(run) for run in runs], "suite": suite.version, "manifest_sha256": suite.digest}
    return json.dumps(value, sort_keys=True, indent=1) + "\n"


def run_value(run):
    """One implementation."""
    declares = run.declaration.declares
    return {
        "name": run.adapter.name, "title": run.adapter.title, "version": run.version, "language": run.language,
        "level": run.adapter.level, "command": run.command, "problems": run.problems,
        "declares": None if declares is None else sorted(declares), "canonical": run.declaration.canonical,
        "read": kind_value(run.results), "write": kind_value(run.written),
    }


def kind_value(results):
    """Reading or writing; None if it was not asked for."""
    if results is None:
        return None
    return {"totals": outcome.totals(results.values()), "cases": {name: case_value(result)
                                                                  for name, result in results.items()}}


def case_value(result):
    """One case, what is empty left out."""
    pairs = {"outcome": result.outcome, "detail": result.detail, "stderr": result.stderr}
    return {key: text for key, text in pairs.items() if text}
