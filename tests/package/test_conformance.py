"""The package of the conformance suite: built twice with the same bytes, installed into a fresh environment, and used."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
ONLY = ("accept/numpy/dtype/*", "reject/header/*", "reject/frame/*", "strict")
NUMPY = """\
import sys, warnings
warnings.simplefilter("ignore")
import numpy
try:
    numpy.load(sys.argv[1], allow_pickle=False)
except Exception:
    sys.exit(1)
"""


def run(*words, status=0, cwd=ROOT, **more):
    """Runs a command; its standard output."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, text=True, stdin=subprocess.DEVNULL, env=os.environ | more,
                          capture_output=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def digests(folder):
    """The digest of each file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the plain archive."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=CORPUS)
    return folder


@pytest.fixture(scope="module")
def command(built, tmp_path_factory):
    """npy-conformance of a fresh environment, which has nothing else but pytest of the system."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    run(folder / "bin" / "pip", "install", "--no-index", "--no-deps", next(built.glob("*.whl")))
    return folder / "bin" / "npy-conformance"


def read_of(report):
    """The outcomes of the one run of a report."""
    [found] = json.loads(report.read_text())["runs"]
    return found["read"]


def patterns(*more):
    """Options that choose a part of the suite."""
    return [word for pattern in (*ONLY, *more) for word in ("--only", pattern)]


def test_same_bytes_twice(built, tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-d", tmp_path / "again", cwd=CORPUS)
    assert digests(tmp_path / "again") == digests(built)
    assert len(digests(built)) == 2


def test_same_wheel_from_the_plain_archive(built, tmp_path):
    run("tar", "xf", next(built.glob("*.tar.gz")), "-C", tmp_path)
    [source] = tmp_path.iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again", cwd=source)
    [wheel] = (tmp_path / "again").iterdir()
    assert digests(built)[wheel.name] == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_the_wheel_has_every_file(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        for part in ("", "archives/", "objects/"):
            manifest = json.loads(wheel.read(f"npy_conformance/suite/{part}manifest.json"))
            assert manifest == json.loads((CORPUS / part / "manifest.json").read_text())
            missing = [case["id"] for case in manifest["cases"]
                       if f"npy_conformance/suite/{part}{case['file']}" not in names]
            assert manifest["cases"] and not missing
        modules = {f"npy_conformance/{path.name}" for path in (CORPUS / "npy_conformance").glob("*.py")}
        assert modules <= names
        assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "cases"))]


def test_safenpy_passes_as_in_the_checkout(command, safenpy, tmp_path):
    """Every case, by the installed package; the committed results of safenpy are the same."""
    for suite, kind, saved in (("npy", "--npy", "results"), ("npz", "--npz", "archives/results")):
        report, badge = tmp_path / f"{suite}.json", tmp_path / f"{suite}.svg"
        run(command, "run", "--suite", suite, "--impl", f"{safenpy} check -q {kind}", "--profile", "standard",
            "--json", report, "--badge", badge, cwd=tmp_path)
        totals = read_of(report)["totals"]
        assert totals == json.loads((CORPUS / saved / "safenpy.json").read_text())["totals"]
        assert f"{totals['pass']:,} of {totals['pass']:,}" in "".join(ElementTree.parse(badge).getroot().itertext())
        assert "Nothing to fix." in run(command, "report", report, cwd=tmp_path)


def test_numpy_has_the_verdicts_of_the_checkout(command, tmp_path):
    """NumPy of the system by the installed package and by the runner of the checkout: case by case the same."""
    (tmp_path / "adapter.py").write_text(NUMPY)
    words = ["--impl", f"{shlex.quote(sys.executable)} {tmp_path / 'adapter.py'}", "--fail-on", "none", *patterns()]
    run(command, "run", *words, "--json", tmp_path / "installed.json", cwd=tmp_path)
    run(sys.executable, CORPUS / "run", "run", *words, "--json", tmp_path / "checkout.json", cwd=tmp_path)
    installed = read_of(tmp_path / "installed.json")
    assert installed == read_of(tmp_path / "checkout.json")
    assert installed["totals"]["pass"] > 100
    text = run(command, "report", tmp_path / "installed.json", cwd=tmp_path)
    wrong = [name for name, case in installed["cases"].items() if case["outcome"] == "wrong-accept"]
    assert wrong and f"### Files accepted that must be refused: {len(wrong)}" in text
    text = run(command, "report", tmp_path / "installed.json", "--pages", "https://example.org/cases", cwd=tmp_path)
    linked = [name for name in wrong if f"[`{name}`](https://example.org/cases/{name}.html)" in text]
    assert linked and text.count("](https://example.org/cases/") == text.count("`") // 2 - 1      # all but the command


def test_object_arrays(command, tmp_path):
    """The decoder of the oracle passes; without its options ten cases say nothing; what accepts everything is wrong often."""
    report = tmp_path / "objects.json"
    decoder = f"{shlex.quote(sys.executable)} {ROOT / 'tests' / 'runner' / 'decoder.py'}"
    words = ["run", "--suite", "objects", "--json", report, "--impl"]
    run(command, *words, decoder, "--level", "lines", "--flag", "decoder-options", cwd=tmp_path)
    assert read_of(report)["totals"] == {"pass": 951}
    run(command, *words, decoder, "--level", "lines", cwd=tmp_path)
    assert read_of(report)["totals"] == {"pass": 941, "accepts": 1, "refuses": 9}
    run(command, *words, "true", "--only", "reject/s*", cwd=tmp_path, status=1)
    assert set(read_of(report)["totals"]) == {"wrong-accept", "accepts"}
    wrong = tmp_path / "wrong.py"
    source = (ROOT / "tests" / "runner" / "decoder.py").read_text().replace("decoded.fits}", "'data'}").replace("refusal.offset}", "0}")
    wrong.write_text(source.replace("Path(__file__).resolve().parents[1]", f"Path({str(ROOT / 'tests')!r})"))
    run(command, *words, f"{shlex.quote(sys.executable)} {wrong}", "--level", "lines", cwd=tmp_path, status=1)
    assert {"wrong-value", "wrong-error"} <= set(read_of(report)["totals"])
    text = run(command, "explain", "reject/truncated/unicode")
    assert "SNPY_PKL_TRUNCATED at byte 135" in text


def test_a_reader_of_the_page(command, tmp_path):
    """The adapter of the package's page: accepts, refuses, says what it does not support, and shows where it crashed."""
    text = (CORPUS / "npy_conformance" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "adapter.py").write_text(text.partition("```python\n")[2].partition("```")[0])
    (tmp_path / "tiny.py").write_text("def load(path):\n    with open(path, 'rb') as file:\n        magic = file.read(7)\n"
                                      "    if magic[:6] != b'\\x93NUMPY':\n        raise ValueError(magic)\n"
                                      "    if magic[6] == 2:\n        raise NotImplementedError('2.0')\n"
                                      "    if magic[6] > 3:\n        raise RuntimeError(magic)\n")
    report = tmp_path / "report.json"
    text = run(command, "run", "--impl", f"{shlex.quote(sys.executable)} adapter.py", *patterns(), "--json", report, "--junit",
               tmp_path / "report.xml", cwd=tmp_path, status=1)
    assert {"pass", "unsupported", "crash", "wrong-accept"} <= set(read_of(report)["totals"])
    assert "in load" in (tmp_path / "report.xml").read_text() and "RuntimeError" in (tmp_path / "report.xml").read_text()


def test_explain_and_list(command):
    assert run(command, "list", "--help").startswith("usage: npy-conformance list [")
    text = run(command, "explain", "reject/sizes/array-wraps-to-zero")
    assert "SNPY_SIZE_OVERFLOW at byte 73" in text and "<- byte 73" in text and "93 4e 55 4d 50 59 01 00" in text
    assert "x.npy" in run(command, "explain", "accept/crc/right.npz")
    assert len(run(command, "list", "--suite", "npz").splitlines()) == 573
    run(command, "explain", "accept/nothing", status=2)
    assert run(command, "--version").split()[::2] == ["npy", "npz", "objects"]


def test_pytest_plugin(command, safenpy, tmp_path):
    python = command.parent / "python"
    report = tmp_path / "report.xml"
    words = [word for pattern in ONLY for word in ("--npy-only", pattern)]
    call = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml", report, *words, "--npy-impl"]
    run(*call, f"{safenpy} check -q --npy", "--npy-profile", "standard", cwd=tmp_path)
    counts = ElementTree.parse(report).getroot()[0].attrib
    assert int(counts["tests"]) > 100 and (counts["failures"], counts["errors"], counts["skipped"]) == ("0", "0", "0")
    text = run(*call, "true", cwd=tmp_path, status=1)
    assert "wrong-accept" in text and "reject/frame/" in text and "00000000  " in text and "Traceback" not in text
    counts = ElementTree.parse(report).getroot()[0].attrib
    assert int(counts["failures"]) > 10 and int(counts["skipped"]) > 1
    text = run(*call, "no-such-program-anywhere", cwd=tmp_path, status=1)
    assert "no program that can be run" in text


def test_action(safenpy, tmp_path):
    """The step of action.yml, as a runner of GitHub calls it."""
    lines = (CORPUS / "action.yml").read_text().partition("      run: |\n")[2]
    script = "".join(line.removeprefix("        ") for line in lines.splitlines(keepends=True))
    variables = {"GITHUB_ACTION_PATH": str(CORPUS), "RUNNER_TEMP": str(tmp_path), "SUITE": "npy", "LEVEL": "exit",
                 "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "OPTIONS": "--profile standard --only reject/frame/*"}
    (tmp_path / "step.sh").write_text(script)
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", tmp_path / "step.sh"]
    run(*call, cwd=tmp_path, IMPL=f"{safenpy} check -q --npy", **variables)
    assert "Nothing to fix." in (tmp_path / "summary.md").read_text()
    run(*call, cwd=tmp_path, status=1, IMPL="true", **variables)
    assert "### Files accepted that must be refused" in (tmp_path / "summary.md").read_text()
    run(*call, cwd=tmp_path, status=2, IMPL="no-such-program-anywhere", **variables)


def test_pages(tmp_path):
    """One page per case; its bytes are those of the file, and its links lead somewhere."""
    run(sys.executable, CORPUS / "matrix" / "make_pages.py", tmp_path)
    for part in ("", "archives/", "objects/"):
        for case in json.loads((CORPUS / part / "manifest.json").read_text())["cases"]:
            page = tmp_path / part / f"{case['id']}.html"
            assert case["sha256"] in page.read_text()
            assert (page.parent / page.read_text().partition('href="')[2].partition('"')[0]).resolve() == tmp_path / "index.html"
