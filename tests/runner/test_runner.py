"""The conformance runner: its parts, adapters that lie in every way, the command itself, and its manual.

SNPY_LIES=WORD leaves only the lies with WORD in their title.
"""

import os
import signal
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "corpus"), str(Path(__file__).resolve().parent)]

import archives  # noqa: E402
import command  # noqa: E402
import liars  # noqa: E402
import manual  # noqa: E402
import units  # noqa: E402

# A shell that starts us in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
WHOLE = {"units": units.run, "system": liars.run_system, "corpus": liars.run_corpus, "manual": manual.run}


@pytest.mark.parametrize("part", WHOLE)
def test_runner(tally, safenpy, tmp_path, part):
    WHOLE[part](tally, safenpy, tmp_path / part)


def test_lies(tally, safenpy, tmp_path):
    """Many at once: most wait for a limit of time."""
    liars.run_lies(tally, safenpy, tmp_path / "lies", os.environ.get("SNPY_LIES", ""))


@pytest.mark.parametrize("part", command.PARTS, ids=lambda part: part.__name__)
def test_command(tally, safenpy, tmp_path, part):
    part(command.Bench(tally, safenpy, tmp_path))


@pytest.mark.parametrize("part", archives.PARTS, ids=lambda part: part.__name__)
def test_archives(tally, safenpy, tmp_path, part):
    part(tally, safenpy, tmp_path)
