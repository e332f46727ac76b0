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


@pytest.fixture(scope="module")
def s3():
    """A local S3 (moto's server) with its `url`; a test may stand before its application, `_server.app`."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(name, value)
        server.start()
        server.url = "http://127.0.0.1:{1}".format(*server.get_host_and_port())
        yield server
        server.stop()
