"""docs/qualification.yaml is whole, and tools/qualification.py fails when a planted fault is missing from it or does not exist."""

import copy
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import qualification  # noqa: E402

CASE = yaml.safe_load((ROOT / qualification.CASE).read_text(encoding="utf-8"))


@pytest.fixture
def case():
    return copy.deepcopy(CASE)


def faults(case, planted=None):
    return qualification.resolve(case, planted or qualification.Planted())[0]


def error(case, tool, number):
    return next(one for one in case["tools"] if one["tool"].startswith(tool))["errors"][number]


def test_the_page_is_that_of_the_case(case):
    planted = qualification.Planted()
    wrong, shown = qualification.resolve(case, planted)
    assert wrong == []
    assert (ROOT / qualification.PAGE).read_text(encoding="utf-8") == qualification.written(case, shown)
    assert sum(map(len, planted.patches.values())) > 100 and sum(map(len, planted.tables.values())) > 300


def test_a_fault_that_belongs_nowhere_is_found(case):
    planted = qualification.Planted()
    planted.patches["brackets"].append("a-new-bug")
    planted.tables["proofs/test_gate.py#CASES"].append("a new hole")
    assert faults(case, planted) == ["row proofs/test_gate.py#CASES: a new hole: belongs to no error"]
    error(case, "The proofs", 4)["by"] = error(case, "The proofs", 4)["by"][1:]
    assert "patch a-new-bug: belongs to no error" in faults(case, planted)


def test_a_table_and_a_test_that_belong_nowhere_are_found(case):
    error(case, "Footprint", 0)["by"] = [{"test": "tests/planted/test_planted.py::test_footprint_of_a_larger_frame"}]
    assert len([fault for fault in faults(case) if fault.startswith("row tests/planted/test_planted.py#FOOTPRINT: ")]) == 5
    error(case, "Other machines", 0)["by"] = [{"table": "tests/planted/test_planted.py#FOOTPRINT"}]
    assert faults(case) == ["test tests/planted/test_planted.py::test_cross: belongs to no error"]


@pytest.mark.parametrize("source, complaint", (
    ({"patches": ["gone"]}, "no fault is planted for gone"), ({"table": "proofs/test_gate.py#GONE"}, "no fault is planted for "),
    ({"table": "proofs/test_gate.py#CASES", "named": ["gone"]}, "proofs/test_gate.py#CASES has no gone"),
    ({"test": "tests/planted/test_planted.py::test_gone"}, "there is no test "), ({"test": "tests/gone.py::test"}, "there is no test "),
    ({"word": "trust me"}, "word is no kind of planted fault")))
def test_a_fault_that_is_not_planted_is_found(source, complaint, case):
    error(case, "Eva", 0)["by"].append(source)
    [fault] = faults(case)
    assert fault.startswith(f"Eva, proofs/eva.py: {error(case, 'Eva', 0)['error']}: {complaint}")


def test_a_fault_of_two_errors_is_found(case):
    error(case, "The proofs", 1)["by"].append({"patches": ["mem_access"]})
    wrong = faults(case)
    assert wrong and all(fault.endswith("belongs to 2 errors") for fault in wrong)


@pytest.mark.parametrize("change", ({"none": "so"}, {"by": []}))
def test_an_error_has_faults_or_a_reason(change, case):
    one = error(case, "The site", 1)
    del one["none"]
    one.update({"by": [], **change} if "none" in change else {})
    assert "The site of the documentation: a link that leads nowhere, or a request to another host: needs `by` or `none`" in faults(case)


def test_a_part_that_nothing_speaks_of_is_found(case):
    case["without"][0]["parts"].remove("clang")
    case["without"][1]["parts"] += ["gone", "work"]
    assert faults(case) == ["part gone: there is none", "part clang: has neither planted faults nor a reason",
                            "part work: has planted faults and a reason for having none"]
