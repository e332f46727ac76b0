#!/usr/bin/env python3
"""Writes proofs/REPORT.md: what was proved of each function, by whom, and with how many steps.

    proofs/report.py            writes it anew from proofs/results.json, the sources and tests/mutate/results.json
    proofs/report.py --check    complains if it is not what would be written, or if a function is not recorded

`prove.py --record` writes results.json; a whole run of prove.py compares itself with it. So the page is stale neither
behind the sources nor behind the proofs. The last line of --check is `N passed, N failed`.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import source  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COUNTS = ("goals", "qed", "cvc4", "z3", "steps")
MODELS = ("gcc_x86_64", "gcc_x86_32", "ppc_32")
TOOLS = (("Frama-C", ["frama-c", "-version"]), ("Why3", ["why3", "--version"]), ("CVC4", ["cvc4", "--version"]),
         ("Z3", ["z3", "--version"]))
LABEL = re.compile(r"\b(NP[YZ])_([A-Z]+)_(\d{3})")
HEAD = """\
# What was proved

Made by `make prove RECORD=1` from the proofs, the contracts and the sources; do not edit. The check fails where this page
is not up to date, or where a run of the proofs from scratch finds more goals, or fewer.

- **code**, **contract**: lines of the function without blanks and comments, and of its annotations, those of its loops too.
- **goals**: how many the function has under {models}.
- **Qed**, **CVC4**, **Z3**: who proved them, all models together. Qed is WP's own simplifier.
- **steps**: the most that CVC4 took for one goal, of {steps:,}.
- **rules**: those of the specification that a clause of the contract names. The clauses without a name of a rule are
  proved all the same.
"""


def read_results(root):
    path = root / "proofs" / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def is_same(old, new):
    """Whether two counts are the same. Steps are left out: nothing depends on them but time."""
    return all(old.get(name) == new.get(name) for name in COUNTS if name != "steps")


def record(root, results, recorded, outcomes, units):
    """Puts outcomes into results.json, and writes the page. `units`: all there are, if this was a whole run."""
    for name in set(recorded) - {unit.name for unit in units} if units is not None else ():
        del recorded[name]
    for name, model, function in sorted(compare(root, recorded)[1]):  # a run of some functions forgets what is gone, too
        recorded[name][model].pop(function)
    for outcome in outcomes:
        models = recorded.setdefault(outcome.unit.name, {})
        if units is not None:
            models.pop(outcome.machine, None)
        models.setdefault(outcome.machine, {}).update(outcome.functions)
    text = json.dumps(results, sort_keys=True, separators=(",", ":"))
    text = re.sub(r'("\w+":\{"cvc4")', r"\n   \1", text)  # a function a line
    (root / "proofs" / "results.json").write_text(text + "\n", encoding="utf-8")
    if "proofs" in results:
        (root / "proofs" / "REPORT.md").write_text(render(root, results["proofs"]), encoding="utf-8")


def sources_of(root):
    core = sorted((root / "src" / "core").glob("*.[ch]")) + sorted((root / "proofs" / "theorems").glob("*.[ch]"))
    sources, _ = source.audit(root, core, source.reached(root, core), sorted((root / "spec" / "logic").glob("*.h")))
    return core, sources


def compare(root, proofs):
    """What is defined and not recorded under each model that is in use, and what is recorded and not defined."""
    core, sources = sources_of(root)
    models = {model for file in proofs.values() for model in file}
    defined = {(str(path.relative_to(root)), model, function.name)
               for path in core for function in sources[path].defined() for model in models}
    recorded = {(name, model, function) for name, file in proofs.items() for model in file for function in file[model]}
    return defined - recorded, recorded - defined


def lines_of(text):
    """Lines that hold something."""
    return sum(bool(line.strip()) for line in text.splitlines())


def measure(function, sources):
    """Lines of code and of annotations, and the rules that these name."""
    text = function.path.read_text(encoding="utf-8")
    body = "\n".join(text.splitlines()[function.line - 1 : function.end])
    annotations = [m.group() for m in source.TOKEN.finditer(body) if m.lastgroup == "annotation"]
    code = source.TOKEN.sub(lambda m: "" if m.lastgroup in ("annotation", "comment") else m.group(), body)
    contracts = [f.contract for s in sources.values() for f in s.functions
                 if f.name == function.name and (not f.is_static or f.path == function.path)]
    if function.line == function.end:  # a ghost function, which is all annotation
        return 0, lines_of(function.contract), rules_of(function.contract)
    stated = [*contracts, *annotations]
    return lines_of(code), sum(map(lines_of, stated)), rules_of(" ".join(stated))


def rules_of(text):
    return sorted({"-".join(parts) for parts in LABEL.findall(text)})


def version(call):
    try:
        run = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except OSError:
        return "?"
    found = re.search(r"\d+\.\d[\w.]*", run.stdout)
    return found.group() if found else "?"


def render(root, proofs, steps=600_000):
    """The text of the page."""
    core, sources = sources_of(root)
    rows, files, whole = [], [], Counter()
    for path in core:
        name, total = str(path.relative_to(root)), Counter()
        rows.append(f"\n## {name}\n\n| function | code | contract | goals | Qed | CVC4 | Z3 | steps | rules |\n"
                    "|---|--:|--:|--:|--:|--:|--:|--:|---|\n")
        for function in sources[path].defined():
            code, contract, rules = measure(function, sources)
            found = [proofs.get(name, {}).get(model, {}).get(function.name, {}) for model in MODELS]
            counts = {key: [one.get(key, 0) for one in found] for key in COUNTS}
            total.update(functions=1, code=code, contract=contract, steps=0,
                         **{key: sum(counts[key]) for key in COUNTS if key != "steps"})
            total["steps"] = max(total["steps"], *counts["steps"])
            goals = counts["goals"]
            shown = str(goals[0]) if len(set(goals)) == 1 else " / ".join(map(str, goals))
            rows.append(f"| `{function.name}` | {code} | {contract} | {shown} | {sum(counts['qed'])} | {sum(counts['cvc4'])}"
                        f" | {sum(counts['z3'])} | {max(counts['steps'])} | {', '.join(rules)} |\n")
        if not total:
            rows.pop()
            continue
        files.append(f"| [{name}](#{re.sub(r'[^a-z0-9_-]', '', name)}) | " + row(total) + " |\n")
        most = max(whole["steps"], total["steps"])
        whole.update(total)
        whole["steps"] = most
    tools = ", ".join(f"{name} {version(call)}" for name, call in TOOLS)
    return (HEAD.format(models=", ".join(MODELS), steps=steps) + f"\nTools: {tools}.\n\n{mutation(root)}\n"
            "\n| file | functions | code | contract | goals | Qed | CVC4 | Z3 | steps |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            + "".join(files) + f"| **all** | {row(whole)} |\n" + "".join(rows))


def row(total):
    return " | ".join(str(total[key]) for key in ("functions", "code", "contract", *COUNTS))


def mutation(root):
    """What the campaign of mutants says of the proofs."""
    path = root / "tests" / "mutate" / "results.json"
    if not path.exists():
        return "Mutants: no campaign is recorded yet."
    verdicts = Counter(json.loads(path.read_text(encoding="utf-8")).get("proofs", {}).values())
    judged = sum(count for verdict, count in verdicts.items() if verdict not in ("invalid", "equivalent"))
    return f"Mutants: {judged} judged by proof, {judged - verdicts['survived']} killed."


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="complain if the page is not what would be written, or lacks a function")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree that the page is about (this one)")
    args = parser.parse_args(arguments)
    root = args.root.resolve()
    proofs = read_results(root).get("proofs", {})
    text = render(root, proofs)
    path = root / "proofs" / "REPORT.md"
    if not args.check:
        path.write_text(text, encoding="utf-8")
        return 0
    same = path.exists() and path.read_text(encoding="utf-8") == text
    if not same:
        print("proofs/REPORT.md is not what the sources and proofs/results.json say: run proofs/report.py")
    missing, gone = compare(root, proofs)
    for what, places in (("is not in", missing), ("is gone, but in", gone)):
        for name, model, function in sorted(places):
            print(f"{name}: {function} {what} proofs/results.json under {model}: run proofs/prove.py --record --function")
    sound = same and not missing and not gone
    print(f"{int(sound)} passed, {int(not sound)} failed")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
