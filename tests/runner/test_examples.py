"""The commands that the documents of the suite show with safenpy in them do what they should, word for word."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("corpus/RUNNER.md", "corpus/README.md", "corpus/npy_conformance/options.py")
CALL = re.compile(r"^ *(corpus/run .*?'build/safenpy [^#\n]*)", re.MULTILINE)
FOUND = {document: [call.strip() for call in CALL.findall((ROOT / document).read_text(encoding="utf-8"))]
         for document in DOCUMENTS}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document_has_an_example(document):
    assert FOUND[document]


@pytest.mark.parametrize("call", sorted({call for calls in FOUND.values() for call in calls}))
def test_example_passes(call, safenpy, tmp_path):
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "safenpy").symlink_to(safenpy)
    done = subprocess.run(["sh", "-c", call], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    passed = re.search(r"^safenpy +(\d+) +(\d+)$", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and passed and passed[1] == passed[2], done.stdout + done.stderr
