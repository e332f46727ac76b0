#!/usr/bin/env python3
"""Holds the oracle against what the manifest of the corpus expects of each file. Neither knows the library.

    tests/oracle/run.py build/oracle

The oracle knows the standard profile and no data, so a file that is refused for its data, or only in another profile,
must pass here, and one that takes a flag must fail.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The phase behind the header: the oracle is not asked about data.
OF_DATA = {"SNPY_TRUNCATED_DATA", "SNPY_TRAILING_DATA", "SNPY_NO_OBJECTS"}
KEYS = ("data_offset", "fortran_order", "has_object", "itemsize", "count", "shape")


def expected(case):
    """What the oracle should say of a case, as far as the manifest tells."""
    error = case.get("error")
    if error and error["status"] not in OF_DATA:
        return dict(error)
    expect = {"status": "SNPY_OK"}
    if "expect" in case:
        expect.update((key, case["expect"][key]) for key in KEYS)
    return expect


def main():
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    names = "".join(f"{ROOT / 'corpus' / case['file']}\n" for case in cases)
    run = subprocess.run([sys.argv[1]], input=names, text=True, stdout=subprocess.PIPE, check=False)
    lines = run.stdout.splitlines()
    failed = 0
    if run.returncode != 0 or len(lines) != len(cases):
        print(f"the oracle ended with {run.returncode} after {len(lines)} of {len(cases)} files")
        failed += 1
    for case, line in zip(cases, lines):
        said = json.loads(line)
        wanted = expected(case)
        wrong = {key: (said.get(key), value) for key, value in wanted.items() if said.get(key) != value}
        if wrong:
            failed += 1
            print(f"{case['id']}: says, should say: {wrong}")
    print(f"{len(lines) - min(failed, len(lines))} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
