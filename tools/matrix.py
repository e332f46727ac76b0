#!/usr/bin/env python3
"""Runs every implementation whose tools are here against the suite, and writes results and page again.

    tools/matrix.py [--safenpy PATH] [NAME…]      NAMEs of corpus/adapters; default: all

What an adapter needs and this machine lacks is said; its committed results stay as they are. An adapter
that cannot be set up is reported at the end, with exit status 1.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS = ROOT / "corpus" / "adapters"


def lacks(name):
    """The commands that an adapter needs and that are not here."""
    needs = json.loads((ADAPTERS / name / "adapter.json").read_text(encoding="utf-8")).get("needs", [])
    return [need for need in needs if shutil.which(need) is None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--safenpy", default="build/safenpy", metavar="PATH")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    names = args.names or sorted(path.parent.name for path in ADAPTERS.glob("*/adapter.json"))
    failed = []
    for name in names:
        missing = lacks(name)
        if missing:
            print(f"{name}: left out, for want of {', '.join(missing)}", flush=True)
            continue
        call = [sys.executable, "corpus/run", "--impl", name, "--save", "--fail-on", "none", "--safenpy", args.safenpy]
        if subprocess.run(call, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode != 0:
            failed.append(name)
    page = subprocess.run([sys.executable, "corpus/matrix/make_matrix.py", "--readme", "docs/readers.md"], cwd=ROOT, check=False)
    subprocess.run([sys.executable, "corpus/matrix/make_fixes.py"], cwd=ROOT, check=True)
    for name in failed:
        print(f"{name}: could not be set up or run")
    return 1 if failed or page.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
