#!/usr/bin/env python3
"""Three scanners of pickles on the cases of this folder: what they let pass.

    python3 corpus/objects/scanners.py            # writes scanners.json, with the scanners installed, and the page
    python3 corpus/objects/scanners.py --page     # writes scanners.md from scanners.json
    python3 corpus/objects/scanners.py --check    # fails if the page is not that of scanners.json

    pip install -r corpus/objects/scanners.txt

Each scanner is given the pickle of each case, without the NPY header, at its default settings. Nothing is unpickled. The outcome is
`pass` if it reports nothing, `alarm` if it reports something, and `error` if it says that it cannot read the pickle, or does not
answer in a minute.
"""

import argparse
import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RECORD, PAGE = FOLDER / "scanners.json", FOLDER / "scanners.md"
SECONDS = 60
MEMORY = 4 << 30


def fickling():
    from fickling.analysis import Severity, check_safety
    from fickling.fickle import Pickled
    return lambda data, _: "pass" if check_safety(Pickled.load(data)).severity == Severity.LIKELY_SAFE else "alarm"


def picklescan():
    from picklescan.scanner import scan_pickle_bytes

    def scan(data, path):
        result = scan_pickle_bytes(io.BytesIO(data), path.name)
        return "alarm" if result.issues_count else "error" if result.scan_err else "pass"
    return scan


def modelscan():
    from modelscan.modelscan import ModelScan

    def scan(data, path):
        path.write_bytes(data)
        result = ModelScan().scan(str(path))
        return "alarm" if result["summary"]["total_issues"] else "error" if result["errors"] else "pass"
    return scan


SCANNERS = {"fickling": fickling, "picklescan": picklescan, "modelscan": modelscan}


class Late(BaseException):
    """A scanner does not answer."""


def late(_signal, _frame):
    raise Late


def payload_of(data):
    """The bytes after the header of an NPY file."""
    start, width = (10, 2) if data[6] == 1 else (12, 4)
    return data[start + int.from_bytes(data[8:8 + width], "little"):]


def outcome(scan, data, path):
    """What a scanner says of a pickle."""
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return scan(data, path)
    except (Exception, Late):  # whatever a scanner raises, it has not said that the pickle is good
        return "error"
    finally:
        signal.alarm(0)


def outcomes_of(name):
    """What one scanner says of each case."""
    signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    scan = SCANNERS[name]()
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "case.pkl"
        return [outcome(scan, payload_of((FOLDER / case["file"]).read_bytes()), path) for case in cases]


def measure():
    """Writes the record."""
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    with ProcessPoolExecutor(len(SCANNERS)) as pool:
        columns = dict(zip(SCANNERS, pool.map(outcomes_of, SCANNERS)))
    write(cases, {case["id"]: {name: column[number] for name, column in columns.items()} for number, case in enumerate(cases)})


def write(cases, found):
    """Writes the record of what each scanner says of each case."""
    record = {"python": ".".join(map(str, sys.version_info[:3])), "scanners": {name: metadata.version(name) for name in SCANNERS},
              "cases": {case["id"]: {"status": case["error"]["status"] if "error" in case else case["fits"], **found[case["id"]]} for case in cases}}
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in record["cases"].items())
    head = json.dumps({key: value for key, value in record.items() if key != "cases"}, indent=1)[:-2]
    RECORD.write_text(f'{head},\n "cases": {{\n{lines}\n }}\n}}\n', encoding="utf-8")


def row(cells):
    return "| " + " | ".join(map(str, cells)) + " |\n"


def page():
    """The page of a record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    names, cases = list(record["scanners"]), record["cases"]
    statuses = {}
    for case in cases.values():
        statuses.setdefault(case["status"], []).append(case)
    titles = [f"{name} {version}" for name, version in record["scanners"].items()]
    text = f"""# Scanners of pickles

What three scanners from PyPI say of the {len(cases)} pickles of this folder, at their default settings, in Python {record["python"]}. safenpy
decodes a pickle or refuses it; a scanner only says whether it has found something. So a pickle that is damaged, or too large, is
no fault of a scanner that lets it pass. One that names a function which is not on the list of values, `SNPY_PKL_GLOBAL`, calls it
when it is loaded, whatever it is.

`python3 corpus/objects/scanners.py` makes this page and its record, [scanners.json](scanners.json).

## What passes

By what [spec/objects.md](../../spec/objects.md) says of the pickle: how many pass, of how many. The last two rows are good pickles,
of which all should pass; fickling raises an alarm at each import from outside of the standard library, so at every array.

"""
    text += row(["verdict", "pickles", *titles]) + row(["---", "--:", *["--:"] * len(names)])
    for status in sorted(statuses, key=lambda one: (one in ("data", "plain"), one)):
        some = statuses[status]
        text += row([f"`{status}`", len(some), *(sum(case[name] == "pass" for case in some) for name in names)])
    text += "\n## Each case\n\n*Alarm*: something was found. *Error*: the scanner could not read the pickle.\n\n"
    text += row(["case", "verdict", *names]) + row(["---"] * (2 + len(names)))
    for name, case in cases.items():
        text += row([f"`{name}`", f"`{case['status']}`", *(case[one] for one in names)])
    return text


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--page", action="store_true")
    words.add_argument("--check", action="store_true")
    args = words.parse_args()
    if args.check:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == page() else f"{os.path.relpath(PAGE)} is not that of {RECORD.name}")
    if not args.page:
        measure()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
