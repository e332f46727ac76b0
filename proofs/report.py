#!/usr/bin/env python3
"""Writes proofs/REPORT.md: what was proved of each function, by whom, and with how many steps.

    proofs/report.py            writes it anew from proofs/results.json, the sources and tests/mutate/results.json
    proofs/report.py --check    complains if it is not what would be written, or if a function is not recorded

The list of recursive logic functions in spec/assumptions.md is written and checked with it. `prove.py --record` writes
results.json, and runs of prove.py compare themselves with it; `prove.py --full` writes full.json, too: what a whole run saw,
piece by piece. So the page is stale neither behind the sources nor behind the proofs. The last line of --check is
`N passed, N failed`.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import content  # noqa: E402
import expand  # noqa: E402
import source  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COUNTS = ("goals", "qed", "cvc4", "z3", "steps")
MODELS = ("gcc_x86_64", "gcc_x86_32", "ppc_32")
LABEL = re.compile(r"\b(NP[YZ])_([A-Z]+)_(\d{3})")
HEAD = """\
# What was proved

Made by `make prove RECORD=1` from the proofs, the contracts and the sources; do not edit. The check fails where this page
is not up to date, or where a run of the proofs from scratch finds more goals, or fewer.

- **code**, **contract**: lines of the function without blanks and comments, and of its annotations, those of its loops too.
- **goals**: how many the function has under {models}.
- **Qed**, **CVC4**, **Z3**: who proved them, all models together. Qed is WP's own simplifier.
- **steps**: the most that CVC4 took for one goal, of {steps:,}.
- **CPU s**: seconds of a processor that Frama-C and the provers took, all models together. They are measured for some
  functions at a time, and divided by the times of their goals. A dash: not measured yet.
- **rules**: those of the specification that a clause of the contract names. The clauses without a name of a rule are
  proved all the same.
"""


def read_results(root):
    path = root / "proofs" / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def is_same(old, new):
    """Whether two counts are the same. Steps are left out: nothing depends on them but time."""
    return all(old.get(name) == new.get(name) for name in COUNTS if name != "steps")


def hash_of(results, file, function):
    """The hash that a record stands for, or None."""
    return results.get("hashes", {}).get(file, {}).get(function)


def models_of(results, file, function):
    """The machine models under which a function is recorded."""
    return sorted(model for model, known in results.get("proofs", {}).get(file, {}).items() if function in known)


def seal(results, file, function):
    """Stands for the whole record of a function, its hash and its counts."""
    models = results.get("proofs", {}).get(file, {})
    counts = {model: [models[model][function].get(name, 0) for name in COUNTS] for model in models_of(results, file, function)}
    return hashlib.sha256(json.dumps([hash_of(results, file, function), counts], sort_keys=True).encode()).hexdigest()[:24]


def digest(full):
    """Over all that a whole run left, so that nobody changes a line of it unnoticed."""
    rest = {name: value for name, value in full.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def read_full(root):
    """What the last whole run left, and what is wrong with it."""
    path = root / "proofs" / "full.json"
    if not path.exists():
        return {"seals": {}}, []
    full = json.loads(path.read_text(encoding="utf-8"))
    if full.get("digest") == digest(full):
        return full, []
    return {"seals": {}}, ["proofs/full.json is not what a whole run has left: run proofs/prove.py --full"]


def commit(root):
    """The commit of a tree, or an empty string."""
    run = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=False)
    return run.stdout.strip() if (root / ".git").exists() else ""


def is_sealed(full, results, file, function):
    """Whether the record of a function is that of a whole run."""
    return full["seals"].get(file, {}).get(function, "").split(" ")[0] == seal(results, file, function)


def write_full(root, results, when, where, functions=None):
    """Seals the records of some functions, a set of (file, name), or of all, as a piece of a whole run: a seal has the date and
    commit of its piece. The other seals stay if they are still those of the records."""
    old, _ = read_full(root)
    seals = {}
    for file, names in results["hashes"].items():
        for function in names:
            if functions is None or (file, function) in functions:
                seals.setdefault(file, {})[function] = " ".join((seal(results, file, function), when, where[:12] or "unknown"))
            elif is_sealed(old, results, file, function):
                seals.setdefault(file, {})[function] = old["seals"][file][function]
    full = {"tools": content.versions(), "seals": seals}
    full["digest"] = digest(full)
    text = json.dumps(full, sort_keys=True, indent=0, separators=(",", ":"))
    (root / "proofs" / "full.json").write_text(text + "\n", encoding="utf-8")


def forget(results, units):
    """Drops what is recorded of files and functions that are gone."""
    present = {unit.name: set(unit.functions) for unit in units}
    for kind in ("proofs", "hashes"):
        for name in list(results.get(kind, {})):
            if name not in present:
                del results[kind][name]
    for name, models in results["proofs"].items():
        for known in [*models.values(), results["hashes"].get(name, {})]:
            for function in set(known) - present[name]:
                del known[function]


def write_results(root, results):
    text = json.dumps(results, sort_keys=True, separators=(",", ":"))
    text = re.sub(r'("\w+":(?:\{"cvc4"|"[0-9a-f]{32}"))', r"\n   \1", text)  # a function a line
    (root / "proofs" / "results.json").write_text(text + "\n", encoding="utf-8")


def record(root, results, outcomes, units, contents, whole=()):
    """Puts outcomes into results.json, and writes the page. `units`: all there are; `whole`: what a whole run has seen."""
    recorded, hashes = results["proofs"], results.setdefault("hashes", {})
    for outcome in outcomes:
        recorded.setdefault(outcome.unit.name, {}).setdefault(outcome.machine, {}).update(outcome.functions)
    forget(results, units)
    proved = {}
    for outcome in outcomes:
        for function in outcome.functions:
            proved.setdefault((outcome.unit.name, outcome.unit.text_path, function), set()).add(outcome.machine)
    for (name, path, function), machines in proved.items():
        hashes.setdefault(name, {}).pop(function, None)
        # A hash stands for all models that are recorded; where some were left out, the record is that of no text.
        if machines >= set(models_of(results, name, function)):
            hashes[name][function] = contents.hash(path, function, machines)
    if whole:
        write_full(root, results, datetime.now(timezone.utc).strftime("%Y-%m-%d"), commit(root), whole)
    write_results(root, results)
    for path, said in pages(root).items():
        path.write_text(said, encoding="utf-8")


def sources_of(root):
    core, public, logic = source.files(root)
    sources, _ = source.audit(root, core, public, logic)
    return [*core, *public], sources


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


def whole_run(root, results):
    """How many records each piece of a whole run made, and which records are younger."""
    full, faults = read_full(root)
    if faults or not full["seals"]:
        return "Whole run: none is recorded."
    pieces, young = Counter(), []
    for file, functions in sorted(results.get("hashes", {}).items()):
        for function in sorted(functions):
            if is_sealed(full, results, file, function):
                pieces[full["seals"][file][function].partition(" ")[2].replace(" ", ", commit ")] += 1
            else:
                young.append(f"`{function}` ({file})")
    text = f"Whole run from scratch: {'; '.join(f'{piece}: {count} functions' for piece, count in sorted(pieces.items()))}."
    return text + (f" Younger records, which `make check` proves again, as many as it has time for: {len(young)}: {', '.join(young)}." if young else "")


MARKS = ("<!-- recursive logic functions: written by proofs/report.py -->\n", "<!-- end -->\n")


def recursive(root, text):
    """spec/assumptions.md with the list of the recursive logic functions in its place."""
    core, _ = sources_of(root)
    _, listed = source.scan(root, [expand.expand(root, path, MODELS[0]) for path in core])
    rows = [f"| `{note}` | {', '.join(f'`{name}`' for name in names)} |\n" for note, names in sorted(listed.items())
            if note != "tail call"]
    rows += [f"| nothing: the call is the value | {', '.join(f'`{name}`' for name in listed.get('tail call', []))} |\n"]
    table = "| each call decreases | logic functions |\n|---|---|\n" + "".join(rows)
    before, _, rest = text.partition(MARKS[0])
    return before + MARKS[0] + table + MARKS[1] + rest.partition(MARKS[1])[2]


def pages(root):
    """What the pages made from the records have to be: {path: text}."""
    found = {root / "proofs" / "REPORT.md": render(root, read_results(root))}
    assumptions = root / "spec" / "assumptions.md"
    if assumptions.exists():
        found[assumptions] = recursive(root, assumptions.read_text(encoding="utf-8"))
    return found


def render(root, results, steps=600_000):
    """The text of the page."""
    proofs = results.get("proofs", {})
    core, sources = sources_of(root)
    rows, files, whole = [], [], Counter()
    for path in core:
        name, total = str(path.relative_to(root)), Counter()
        rows.append(f"\n## {name}\n\n| function | code | contract | goals | Qed | CVC4 | Z3 | steps | CPU s | rules |\n"
                    "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
        for function in sources[path].defined():
            code, contract, rules = measure(function, sources)
            found = [proofs.get(name, {}).get(model, {}).get(function.name, {}) for model in MODELS]
            counts = {key: [one.get(key, 0) for one in found] for key in COUNTS}
            total.update(functions=1, code=code, contract=contract, steps=0,
                         **{key: sum(counts[key]) for key in COUNTS if key != "steps"})
            total["steps"] = max(total["steps"], *counts["steps"])
            measured = [one["seconds"] for one in found if "seconds" in one]
            total["seconds"] += sum(measured)
            goals = counts["goals"]
            shown = str(goals[0]) if len(set(goals)) == 1 else " / ".join(map(str, goals))
            rows.append(f"| `{function.name}` | {code} | {contract} | {shown} | {sum(counts['qed'])} | {sum(counts['cvc4'])}"
                        f" | {sum(counts['z3'])} | {max(counts['steps'])} | {cpu(sum(measured))} | {', '.join(rules)} |\n")
        if not total:
            rows.pop()
            continue
        files.append(f"| [{name}](#{re.sub(r'[^a-z0-9_-]', '', name)}) | " + row(total) + " |\n")
        most = max(whole["steps"], total["steps"])
        whole.update(total)
        whole["steps"] = most
    tools = ", ".join(f"{name} {version}" for name, version in content.versions().items())
    return (HEAD.format(models=", ".join(MODELS), steps=steps) + f"\nTools: {tools}.\n\n{whole_run(root, results)}\n\n{mutation(root)}\n"
            "\n| file | functions | code | contract | goals | Qed | CVC4 | Z3 | steps | CPU s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            + "".join(files) + f"| **all** | {row(whole)} |\n" + "".join(rows))


def row(total):
    return " | ".join([*(str(total[key]) for key in ("functions", "code", "contract", *COUNTS)), cpu(total["seconds"])])


def cpu(seconds):
    return f"{seconds:.1f}" if seconds else "–"


def mutation(root):
    """What the campaign of mutants says of the proofs."""
    path = root / "tests" / "mutate" / "results.json"
    if not path.exists():
        return "Mutants: no campaign is recorded yet."
    verdicts = Counter(json.loads(path.read_text(encoding="utf-8")).get("proofs", {}).values())
    judged = verdicts["clause"] + verdicts["guard"] + verdicts["survived"]
    text = (f"Mutants: {judged} judged by proof, {verdicts['clause']} killed by a goal of a clause; "
            f"of {verdicts['guard']} only a guard stays open.")
    return text + (f" {verdicts['proof']} more turned the proofs red before the two were told apart." if verdicts["proof"] else "")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="complain if the page is not what would be written, or lacks a function")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree that the page is about (this one)")
    args = parser.parse_args(arguments)
    root = args.root.resolve()
    proofs = read_results(root).get("proofs", {})
    if not args.check:
        for path, text in pages(root).items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in pages(root).items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(root)} is not what the sources and proofs/results.json say: run proofs/report.py")
    same = not stale
    missing, gone = compare(root, proofs)
    for what, places in (("is not in", missing), ("is gone, but in", gone)):
        for name, model, function in sorted(places):
            print(f"{name}: {function} {what} proofs/results.json under {model}: run proofs/prove.py --record --function")
    sound = same and not missing and not gone
    print(f"{int(sound)} passed, {int(not sound)} failed")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
