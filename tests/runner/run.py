"""Tests of the conformance runner: adapters that lie in every way, and the command itself.

    python3 tests/runner/run.py build/safenpy [--first] [PART…]

PART is units, lies, system, corpus, command, manual or archives; all by default. `lies=WORD` runs the lies with WORD in
their title.
Prints each failure and `N passed, N failed` at the end; the exit status is 1 if anything failed. --first stops at
the first failure.
Standard library only.
"""

import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "corpus"))
sys.dont_write_bytecode = True

import archives  # noqa: E402
import command  # noqa: E402
import liars  # noqa: E402
import manual  # noqa: E402
import units  # noqa: E402
from tally import Tally  # noqa: E402

PARTS = {"units": units.run, "lies": liars.run_lies, "system": liars.run_system, "corpus": liars.run_corpus,
         "command": command.run, "manual": manual.run, "archives": archives.run}
APART = ("command", "manual")    # they only call the command, and run beside the others


def run_row(row, tally, safenpy, folder):
    """Some parts, one after the other."""
    for number, (part, _, only) in enumerate(row):
        PARTS[part](tally, safenpy, folder / f"{part}-{number}", *[only] * bool(only))


def main():
    """Runs everything."""
    words = [word for word in sys.argv[1:] if word != "--first"]
    parts = [part.partition("=") for part in words[1:] or PARTS]
    if not words or any(part not in PARTS for part, _, _ in parts):
        sys.exit(f"usage: run.py SAFENPY [--first] [{'|'.join(PARTS)}|lies=WORD]…")
    safenpy = Path(words[0]).resolve()
    signal.signal(signal.SIGINT, signal.default_int_handler)     # a shell that starts us in the background ignores it
    tally = Tally(first="--first" in sys.argv)
    with tempfile.TemporaryDirectory(prefix="runner-test-") as folder:
        rows = ([part for part in parts if part[0] in APART], [part for part in parts if part[0] not in APART])
        with ThreadPoolExecutor(len(rows)) as pool:
            list(pool.map(lambda row: run_row(row, tally, safenpy, Path(folder).resolve()), rows))
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed or not tally.passed else 0)


if __name__ == "__main__":
    main()
