"""tools/verify-release passes the files that tools/release.py makes, and fails for one byte, one file, or one forged claim.
Part of the long run."""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
              pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a release is made of a commit")]
KINDS = {"amalgamation", "debian", "javascript", "linux", "python", "suite"}


def verify(folder, *more):
    """The exit status and output of verify-release, which is alone in an empty folder: it needs nothing of the tree."""
    script = folder.parent / "alone" / "verify-release"
    script.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "tools" / "verify-release", script)
    done = subprocess.run([sys.executable, "-I", script, folder, *more], cwd="/", text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def load():
    loader = importlib.machinery.SourceFileLoader("verify_release", str(ROOT / "tools" / "verify-release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("verify_release", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "release"
    subprocess.run([sys.executable, ROOT / "tools" / "release.py", folder], check=True)
    return folder


@pytest.fixture
def copy(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "release"))


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_release_passes(made):
    assert {path.name for path in made.iterdir() if path.is_dir()} == KINDS
    digest = hashlib.sha256((made / "attestation.json").read_bytes()).hexdigest()
    assert verify(made)[0] == 0
    assert verify(made, "--attestation", digest)[0] == 0
    status, text = verify(made, "--attestation", digest[::-1])
    assert status == 1 and "has the hash" in text
    assert subprocess.run(["sha256sum", "-c", "attestation.json.sha256"], cwd=made, check=False).returncode == 0


def test_one_byte_of_each_file(copy, tally):
    """The first, the last, and one in the middle that the name chooses."""
    for path in files(copy):
        data = path.read_bytes()
        for at in {0, len(data) - 1, int(hashlib.sha256(path.name.encode()).hexdigest(), 16) % len(data)}:
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            tally.equal(f"byte {at} of {path.name}", verify(copy)[0], 1)
        path.write_bytes(data)
    assert verify(copy)[0] == 0


def test_every_byte_of_the_attestation(made, tally):
    """Of the two files that no hash in the attestation covers, each byte in turn."""
    module = load()
    release = module.Release(made)
    for name in (module.STATEMENT, module.HASH):
        data = release.files[name]
        for at in range(len(data)):
            release.passed = release.failed = 0
            release.files[name] = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
            release.attestation(None)
            tally.equal(f"byte {at} of {name}", release.failed > 0, True)
        release.files[name] = data


def test_a_file_that_is_gone(copy, tally):
    for path in files(copy):
        data = path.read_bytes()
        path.unlink()
        tally.equal(f"{path.name} is gone", verify(copy)[0], 1)
        path.write_bytes(data)


@pytest.mark.parametrize("name", ["more.txt", "suite/more.whl", "attestation.json.bak"])
def test_a_file_that_is_new(copy, name):
    (copy / name).write_bytes(b"")
    status, text = verify(copy)
    assert status == 1 and name in text


def test_a_link_in_place_of_a_file(copy):
    path = files(copy)[0]
    path.rename(copy.parent / "elsewhere")
    path.symlink_to(copy.parent / "elsewhere")
    assert verify(copy)[0] == 1


def signed(folder, change):
    """Changes the attestation, and gives it its hash again: what somebody does who knows the format."""
    path = folder / "attestation.json"
    value = json.loads(path.read_bytes())
    change(value["predicate"])
    for subject in value["subject"]:
        subject["digest"]["sha256"] = hashlib.sha256((folder / subject["name"]).read_bytes()).hexdigest()
    data = load().canonical(value)
    path.write_bytes(data)
    (folder / "attestation.json.sha256").write_text(f"{hashlib.sha256(data).hexdigest()}  attestation.json\n", encoding="ascii")


FORGED = {
    "another commit": lambda it: it["source"].update(commit="0" * 40),
    "more goals": lambda it: it["proofs"]["gcc_x86_64"].update(goals=10**6, proved=10**6),
    "a younger prover": lambda it: it["tools"].update(provers=it["tools"]["provers"].replace("Z3 4", "Z3 5")),
    "another compiler": lambda it: it["tools"].update(compiler="gcc 99"),
    "another library": lambda it: it["tools"]["libraries"].update(zlib="9.9"),
    "more cases": lambda it: it["cases"].update({"corpus/manifest.json": 10**6}),
    "more instructions": lambda it: it["object coverage"][0].update(reached=it["object coverage"][0]["instructions"]),
    "another binary": lambda it: it["object coverage"][1].update(sha256="0" * 64),
    "another report": lambda it: it["records"]["proofs"].update({"proofs/REPORT.md": "0" * 64}),
    "no record of coverage": lambda it: it["records"].pop("coverage"),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_claim(copy, what):
    signed(copy, FORGED[what])
    assert verify(copy)[0] == 1


def test_a_forged_binary(copy):
    """The coverage was measured on another one."""
    (path,) = (copy / "linux").iterdir()
    shutil.copyfile(next((copy / "python").glob("*.tar.gz")), path)
    signed(copy, lambda it: None)
    status, text = verify(copy)
    assert status == 1 and "was measured on the file that is shipped" in text


def test_an_attestation_that_is_left_alone_passes(copy):
    """What the other tests of forgery change is what makes them fail."""
    signed(copy, lambda it: None)
    assert verify(copy)[0] == 0
