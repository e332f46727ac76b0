"""The table of verified configurations is what the check runs, and tools/configurations.py fails where it is not."""

import copy
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import configurations  # noqa: E402

CASE = yaml.safe_load((ROOT / configurations.CASE).read_text(encoding="utf-8"))
KNOWN = configurations.known()


@pytest.fixture
def case():
    return copy.deepcopy(CASE)


def row(case, source):
    return next(one for how in configurations.HOW for one in case[how] if one["source"] == source)


def test_the_rows_are_what_the_check_runs(case):
    wrong, number = configurations.faults(case, KNOWN)
    assert wrong == [] and number == len(KNOWN) > 30
    page = (ROOT / configurations.PAGE).read_text(encoding="utf-8")
    assert configurations.table(case) in page


@pytest.mark.parametrize("source", sorted(KNOWN))
def test_a_row_that_is_gone_is_found(case, source):
    for how in configurations.HOW:
        case[how] = [one for one in case[how] if one["source"] != source]
    assert configurations.faults(case, KNOWN)[0] == [f"{source}: 0 rows, not 1"]


@pytest.mark.parametrize(("source", "change"), [
    ("build gcc", {"flags": "-O3"}), ("cross i386 clang", {"flags": "-O0 -O2"}), ("cross s390x gcc", {"compiler": "gcc"}),
    ("amalgamation tcc", {"part": "cli"}), ("ports musl", {"part": "nothing"}), ("build clang", {"part": "unit"}),
    ("prove ppc_32", {"target": ""}), ("build gcc", {"speed": "high"})])
def test_a_row_that_is_wrong_is_found(case, source, change):
    row(case, source).update(change)
    wrong, _ = configurations.faults(case, KNOWN)
    assert len(wrong) == 1 and wrong[0].startswith(f"{source}: ")


@pytest.mark.parametrize(("source", "how"), [("build clang", "tested"), ("eva gcc_x86_64", "proved"), ("amalgamation riscv32", "tested")])
def test_a_claim_that_is_too_strong_is_found(case, source, how):
    one = row(case, source)
    for rows in case.values():
        if one in rows:
            rows.remove(one)
    case[how].append(one)
    assert [fault for fault in configurations.faults(case, KNOWN)[0] if fault.startswith(f"{source}: it is ")]


def test_a_configuration_that_is_new_is_found(case):
    assert configurations.faults(case, {**KNOWN, "cross m68k gcc": ("m68k-gcc", "-O0")})[0] == ["cross m68k gcc: 0 rows, not 1"]
    case["compiled"].append({"source": "cross vax gcc", "what": "core", "target": "VAX", "compiler": "gcc", "part": "cross-all"})
    assert configurations.faults(case, KNOWN)[0] == ["cross vax gcc: the check runs no such configuration"]
