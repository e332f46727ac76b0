"""docs/breaks.md names for each section of docs/guarantees.md what would refute it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
BREAKS = (ROOT / "docs" / "breaks.md").read_text(encoding="utf-8")


def sections(page):
    """{heading: text}, in order."""
    parts = re.split(r"^## (.+)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def missing(guarantees, breaks):
    """The sections of the first page for which the second lists no observation."""
    found = sections(breaks)
    return [name for name in sections(guarantees) if not re.search(r"^- \S", found.get(name, ""), re.M)]


def test_every_guarantee_says_what_would_refute_it():
    assert len(sections(GUARANTEES)) > 8
    assert missing(GUARANTEES, BREAKS) == []


def test_a_guarantee_without_a_refutation_is_found():
    assert missing(GUARANTEES + "\n## Speed\n\nIt is fast.\n", BREAKS) == ["Speed"]
    assert missing(GUARANTEES, BREAKS.replace("\n## Data\n", "\n## Dates\n")) == ["Data"]
    emptied = sections(BREAKS)["Round trip"]
    assert missing(GUARANTEES, BREAKS.replace(emptied, "\nNothing would.\n\n")) == ["Round trip"]
