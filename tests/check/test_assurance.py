"""The assurance case is whole, and tools/assurance.py fails when something in it is missing or wrong."""

import copy
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import assurance  # noqa: E402

CASE = yaml.safe_load((ROOT / assurance.CASE).read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
PICTURE = (ROOT / assurance.PICTURE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def known():
    return assurance.Known()


@pytest.fixture
def case():
    return copy.deepcopy(CASE)


def find(case, name):
    return next(claim for claim, _ in assurance.claims(case) if claim["id"] == name)


def faults(case, known, readme=README, guarantees=GUARANTEES):
    return assurance.faults(case, known, readme, guarantees)[0]


def test_the_case_is_whole(case, known):
    wrong, number = assurance.faults(case, known, README, GUARANTEES)
    assert wrong == [] and number > 100
    assert len(assurance.guarantees(README)) > 8 and len(known.rules) > 100 and len(known.targets) > 20


@pytest.mark.parametrize("leaf, complaint", (
    ({"part": "gone"}, "there is no part named gone"), ({"make": "gone"}, "there is no make named gone"),
    ({"rule": "NPY-SHAPE-999"}, "there is no rule named NPY-SHAPE-999"), ({"file": "docs/gone.md"}, "there is no file docs/gone.md"),
    ({"file": "docs"}, "there is no file docs"), ({"file": "SECURITY.md#gone"}, "SECURITY.md has no anchor gone"),
    ({"word": "trust me"}, "word is no kind of evidence"), ("trust me", "trust me is not one piece of evidence")))
def test_evidence_that_is_missing_is_found(leaf, complaint, case, known):
    find(case, "files")["evidence"].append(leaf)
    assert faults(case, known) == [f"files: {complaint}"]


@pytest.mark.parametrize("field", ("claim", "argument"))
def test_a_claim_that_lacks_a_field_is_found(field, case, known):
    del find(case, "work")[field]
    assert faults(case, known) == [f"work: no {field}"]


def test_a_claim_without_evidence_is_found(case, known):
    find(case, "open")["evidence"] = []
    assert faults(case, known) == ["open: a claim without evidence"]


def test_a_claim_without_the_command_of_its_row_is_found(case, known):
    find(case, "files")["evidence"] = [{"part": "fault"}]
    assert faults(case, known) == ["files: `make test-fault` of README's row is not among the evidence"]


def test_a_guarantee_without_a_claim_is_found(case, known):
    last = "| a refusal names its rule and byte |"
    assert last in README
    readme = README.replace(last, "| it is fast | everything | measured | `make bench` |\n" + last)
    assert faults(case, known, readme) == ["row `it is fast: everything`: 0 claims are about it, not 1"]
    assert faults(case, known, guarantees=GUARANTEES + "\n## Speed\n") == ["section `Speed`: 0 claims are about it, not 1"]


def test_a_claim_about_a_guarantee_that_is_gone_is_found(case, known):
    find(case, "open")["row"] = ["it is fast: everything"]
    assert "open: README's table has no row `it is fast: everything`" in faults(case, known)
    find(case, "work")["section"] = "Speed"
    assert "section `Speed`: there is none" in faults(case, known)


def test_an_id_that_two_claims_have_is_found(case, known):
    find(case, "open")["id"] = "shipped"
    assert faults(case, known) == ["shipped: 2 claims have this id"]


def test_page_and_picture_are_those_of_the_case(case):
    assert (ROOT / assurance.PAGE).read_text(encoding="utf-8") == assurance.written(case)
    assert assurance.pictured(PICTURE) == assurance.expected(assurance.graph(case))


def test_a_picture_of_another_case_is_found(case):
    find(case, "open")["evidence"].pop()
    assert assurance.pictured(PICTURE) != assurance.expected(assurance.graph(case))
    assert assurance.pictured(PICTURE.replace("make prove", "make proof", 1)) != assurance.expected(assurance.graph(CASE))
