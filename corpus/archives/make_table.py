#!/usr/bin/env python3
"""Makes the table of readers of archives in docs/readers.md from archives/results/*.json. Standard library only.

    python3 corpus/archives/make_table.py           writes the table between its two marker lines
    python3 corpus/archives/make_table.py --check   writes nothing; exit status 1 if the table is stale

A result that was made with another manifest is an error: corpus/run --suite npz --impl NAME --save.
"""

import hashlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "readers.md"
sys.path.insert(0, str(HERE.parent))

from npy_conformance.results import not_public  # noqa: E402

BEGIN, END = "<!-- archives:begin -->", "<!-- archives:end -->"
COLUMNS = ("wrong-accept", "wrong-reject", "wrong-value", "wrong-error")


def load():
    """The manifest's cases and all results, by title."""
    raw = (HERE / "manifest.json").read_bytes()
    digest, cases = hashlib.sha256(raw).hexdigest(), json.loads(raw)["cases"]
    verdicts = {case["id"]: case["verdict"] for case in cases}
    results = [json.loads(path.read_text(encoding="utf-8")) for path in (HERE / "results").glob("*.json")]
    for result in results:
        if result["manifest_sha256"] != digest:
            sys.exit(f"{result['name']}: the result was made with another manifest")
        problem = not_public(result, verdicts)
        if problem:
            sys.exit(f"{result['name']}: {problem}")
    return cases, sorted(results, key=lambda result: (result["name"] != "safenpy", result["title"]))


def table():
    """The lines between the markers."""
    cases, results = load()
    lines = ["| reader | version | accept right | reject right | choice right | wrongly accepted | wrongly refused | "
             "wrong value | wrong error | unsupported or withheld |", "|" + "---|" * 10]
    for result in results:
        totals = result["totals"]
        counts = [result["right"][verdict] for verdict in ("accept", "reject", "choice")]
        counts += [totals.get(name, 0) for name in COLUMNS]
        counts.append(len(cases) - sum(counts))
        lines.append(f"| {result['title']} | {result['version']} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines) + "\n"


def main():
    """Writes or checks."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN + "\n")
    _, _, tail = rest.partition(END)
    if not tail:
        sys.exit(f"{PAGE}: the two marker lines are missing")
    fresh = f"{head}{BEGIN}\n{table()}{END}{tail}"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if fresh == text else f"{PAGE}: the table of archives is stale: run corpus/archives/make_table.py")
    PAGE.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
