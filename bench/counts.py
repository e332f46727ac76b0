#!/usr/bin/env python3
"""Compares what a fixed set of calls costs, in instructions, with what it cost when bench/counts.json was written.

    bench/counts.py BUILD [--write]      BUILD holds bench/fixed

Fails above 5 % more, and above 5 % less, which wants a new record. Skipped, with a word, where the record names another
compiler than built BUILD, or a machine that this is not.
"""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "counts.json"
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import callgrind  # noqa: E402

TOLERANCE = 0.05


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    if len(words) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    version = subprocess.run(["gcc", "-dumpfullversion"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    made_with = f"{platform.machine()}, gcc {version} -O2"
    with tempfile.TemporaryDirectory(prefix="safenpy-counts-") as place:
        counts = dict(callgrind.count([Path(words[0]) / "bench" / "fixed"], Path(place)))
    if "--write" in sys.argv:
        RECORD.write_text(json.dumps({"made_with": made_with, "counts": counts}, indent=1) + "\n", encoding="utf-8")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if record["made_with"] != made_with:
        print(f"skip  the record is of {record['made_with']}, this is {made_with}")
        print(f"{len(counts)} passed, 0 failed, {len(record['counts'])} skipped")
        return 0 if counts else 1
    passed = failed = 0
    for name in sorted(counts.keys() | record["counts"].keys()):
        now, then = counts.get(name, 0), record["counts"].get(name, 0)
        ok = then > 0 and abs(now / then - 1) <= TOLERANCE
        passed += ok
        failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  {name:<14}{now:>9} instructions, recorded {then}"
              f"{f', {100 * (now / then - 1):+.1f} %' if then else ''}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
