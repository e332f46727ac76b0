"""What need not be run again: only what has the very inputs of the record, and of that one sample is run all the same."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import records  # noqa: E402

NAMES = [f"bug-{number}" for number in range(20)]


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int a;\n", encoding="ascii")
    (tmp_path / "src" / "b.c").write_text("int b;\n", encoding="ascii")
    return tmp_path


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A book whose record is below tmp_path."""
    monkeypatch.setenv("SNPY_COMMIT", "some commit")
    return lambda full=False: records.Book("bugs", record=tmp_path / "records.json", fresh=tmp_path / "fresh", full=full)


def record(tmp_path, make, inputs):
    """All have passed with these inputs, and are recorded."""
    book = make()
    for name in book.due(dict.fromkeys(NAMES, inputs)):
        book.passed(name)
    return records.collect(tmp_path / "records.json", tmp_path / "fresh")


@pytest.mark.parametrize("change", [
    lambda root: (root / "src" / "a.c").write_text("int c;\n", encoding="ascii"),
    lambda root: (root / "src" / "c.c").write_text("", encoding="ascii"),
    lambda root: (root / "src" / "b.c").unlink(),
    lambda root: (root / "src" / "b.c").rename(root / "src" / "d.c"),
], ids=["another text", "a file more", "a file less", "another name"])
def test_hash_knows_every_change(tree, change):
    before = records.digest("src", root=tree), records.digest("src/*.c", root=tree)
    assert before[0] == before[1] != records.digest("src", extra="frama-c 26.1", root=tree)
    change(tree)
    assert records.digest("src", root=tree) not in before


def test_hash_of_nothing_is_an_error(tree):
    with pytest.raises(ValueError, match="gone.c"):
        records.digest("src", "gone.c", root=tree)


def test_what_is_not_recorded_runs(make):
    assert make().due(dict.fromkeys(NAMES, "x")) == NAMES


def test_of_what_is_recorded_one_runs(tmp_path, make, capsys):
    assert len(record(tmp_path, make, "x")) == len(NAMES)
    assert len(make().due(dict.fromkeys(NAMES, "x"))) == 1
    assert capsys.readouterr().out.count("kept  bug-") == len(NAMES) - 1


def test_another_commit_chooses_another_sample():
    assert {records.sample("bugs", NAMES, f"commit {number}") for number in range(300)} == set(NAMES)


def test_what_changed_runs(tmp_path, make):
    record(tmp_path, make, "x")
    due = make().due(dict.fromkeys(NAMES, "x") | {"bug-3": "y"})
    assert "bug-3" in due and len(due) == 2


def test_forged_hash_runs(tmp_path, make):
    record(tmp_path, make, "x")
    path = tmp_path / "records.json"
    value = json.loads(path.read_text(encoding="ascii"))
    value["bugs"]["bug-5"]["inputs"] = "forged"
    path.write_text(json.dumps(value), encoding="ascii")
    assert "bug-5" in make().due(dict.fromkeys(NAMES, "x"))


def test_all_run_in_the_long_run(tmp_path, make):
    record(tmp_path, make, "x")
    assert make(full=True).due(dict.fromkeys(NAMES, "x")) == NAMES


def test_what_did_not_pass_is_not_recorded(tmp_path, make):
    make().due(dict.fromkeys(NAMES, "x"))
    assert records.collect(tmp_path / "records.json", tmp_path / "fresh") == []


def test_no_items_no_sample(make):
    assert make().due({}) == []
