"""Holds tools/subjects.py to what it promises, and the commits of this repository to it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import subjects  # noqa: E402

BODY = "\n\nBecause it was wrong.\n"


@pytest.mark.parametrize("subject", [
    "Add a case for shapes of 65 dimensions", "Fix the offset of a missing key", "Bring records up to date", "Pass the limit on",
    "Embed the table", "Feed the harness", "Free the map", "Focus on names", "X" + "x" * 59])
def test_good_subjects_pass(subject):
    assert not list(subjects.faults(subject + BODY))


@pytest.mark.parametrize("subject, fault", [
    ("x" * 61, "61 characters"), ("add a case", "capital"), ("Add a case.", "full stop"), ("Added a case", "'added'"),
    ("Adds a case", "'adds'"), ("Adding a case", "'adding'"), ("Tried it", "'tried'"), ("A new case", "'a'"), ("WIP", "'wip'"),
    ("", "empty")])
def test_bad_subjects_do_not(subject, fault):
    assert any(fault in line for line in subjects.faults(subject + BODY))


@pytest.mark.parametrize("message, fault", [
    ("Add a case", "no body"), ("Add a case\n\n \n", "no body"), ("Add a case\nBecause", "second line")])
def test_a_message_needs_a_body(message, fault):
    assert any(fault in line for line in subjects.faults(message))


def test_as_a_hook_it_reads_a_file_without_comments(tmp_path):
    message = tmp_path / "message"
    for text, status in ((f"Add a case{BODY}# On branch main\n", 0), ("Add a case\n\n# On branch main\n", 1)):
        message.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tools" / "subjects.py", message], text=True, capture_output=True, check=False)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (status, f"{1 - status} passed, {status} failed")


def test_commits_of_this_repository():
    found = subjects.history()
    if found is None:
        pytest.skip("no history, or one that does not reach back to the first commit that is checked")
    assert not [f"{commit}: {fault}" for commit, message in found for fault in subjects.faults(message)]
