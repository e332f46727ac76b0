"""Fixtures: each test has a folder of its own; the corpus of the repository, where the tests run in one."""

import json
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("no files", database=None)
settings.load_profile("no files")

CORPUS = Path(__file__).resolve().parents[3] / "corpus"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def corpus():
    return CORPUS


@pytest.fixture(scope="session")
def cases():
    return json.loads((CORPUS / "manifest.json").read_text())["cases"]


@pytest.fixture(scope="session")
def archive_cases():
    return json.loads((CORPUS / "archives" / "manifest.json").read_text())["cases"]
