"""Does what corpus/RUNNER.md tells a newcomer to do, word for word."""

import json
import re
import shlex
import subprocess
import sys

from liars import ROOT

RUN = ROOT / "corpus" / "run"
PART_OF_SUITE = ("accept/numpy/[drs]*", "reject/data/*", "reject/literal/[ds]*", "choice")     # the rest says no more
MANUAL = ROOT / "corpus" / "RUNNER.md"
SECTION = "## Add an implementation in ten minutes"
FILE = re.compile(r"^`corpus/adapters/([^`]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^```sh\n(corpus/run [^\n]*)\n```$", re.MULTILINE)
CHANGE = re.compile(r"In `adapter.json`, `(\"level\")` becomes `(\"lines\")`")
LIMIT = 300


def run(tally, safenpy, folder):
    """The files and commands of the section, in its order."""
    text = MANUAL.read_text(encoding="utf-8").partition(SECTION)[2]
    steps = sorted([*FILE.finditer(text), *CALL.finditer(text), *CHANGE.finditer(text)], key=re.Match.start)
    adapters, outputs = folder / "adapters", []
    suite = folder / "suite"
    words = [word for pattern in PART_OF_SUITE for word in ("--only", pattern)]
    subprocess.run([sys.executable, str(RUN), "list", "--copy", str(suite), *words], check=True, stdout=subprocess.DEVNULL)
    for step in steps:
        if step.re is FILE:
            path = adapters / step[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step[2], encoding="utf-8")
        elif step.re is CHANGE:
            path = adapters / "tiny" / "adapter.json"
            path.write_text(path.read_text().replace('"level": "exit"', f"{step[1]}: {step[2]}"))
        else:
            outputs.append(call(step[1], folder, adapters, safenpy))
    tally.same("the manual has its steps", [step.re is CALL for step in steps],
               [False, False, False, True, False, False, True, True])
    judge(tally, outputs, folder)


def call(line, folder, adapters, safenpy):
    """One command of the manual, with its places moved into a folder of ours."""
    words = shlex.split(line)[1:] + ["--adapters", adapters, "--build", folder / "build", "--safenpy", safenpy,
                                     "--results", folder / "results", "--suite", folder / "suite",
                                     "--json", folder / "out.json"]
    done = subprocess.run([sys.executable, str(RUN), *map(str, words)], text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=LIMIT, check=False)
    path = folder / "out.json"
    run_of = json.loads(path.read_text())["runs"][0] if path.exists() else None
    path.unlink(missing_ok=True)
    return done.returncode, done.stdout, run_of


def judge(tally, outputs, folder):
    """What the manual says of the outcomes is so."""
    (status, text, first), (_, _, second), (_, _, saved) = outputs
    cases = first["read"]["cases"]
    truncated = {name: case["outcome"] for name, case in cases.items() if name.startswith("reject/")}
    tally.true("many truncated files are wrongly accepted",
               status == 1 and list(truncated.values()).count("wrong-accept") >= 5, truncated)
    tally.true("a line that begins with wrong-accept", "\nwrong-accept reject/" in text, text)
    tally.true("some pass, some are unsupported", {"pass", "unsupported"} <= set(first["read"]["totals"]),
               first["read"]["totals"])
    for outcome in ("wrong-value", "wrong-accept", "protocol", "crash"):
        tally.true(f"then there is {outcome}", outcome in second["read"]["totals"], second["read"]["totals"])
    tally.true("no hang", not {"hang", "memory"} & set(second["read"]["totals"]), second["read"]["totals"])
    value = json.loads((folder / "results" / "tiny.json").read_text())
    totals = saved["read"]["totals"]
    broken = sum(totals.get(name, 0) for name in ("crash", "protocol"))
    tally.true("the result is kept, but for what is withheld", value["totals"]["withheld"] > broken > 0
               and sum(value["totals"].values()) == sum(totals.values()) and sum(value["right"].values()) == totals["pass"]
               and all(value["totals"].get(name) == totals.get(name) for name in ("wrong-accept", "wrong-value")),
               (value["totals"], totals))
