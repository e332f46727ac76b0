"""tools/object_coverage.py counts the instructions that ran, and no others, for the function and file that they belong to."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import object_coverage as measuring  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="there is no valgrind")
HELPER = "static __attribute__((noipa)) int helper(int n) {{ return {0}; }}\n"
SOURCES = {
    "src/core/one.c": HELPER.format("n > 99 ? n * n / 3 : n + 1") + "int first(int n) { return helper(n) + 1; }\n"
                      "int unused(int n) { return n - 7; }\n",
    "src/core/deep/one.c": HELPER.format("n / 3") + "int second(int n) { return helper(n) + 2; }\n",
    "src/host/one.c": HELPER.format("n % 77 / 5 + n") + "int first(int), second(int);\n"
                      "int main(int argc, char **argv) { (void)argv; return helper(first(argc) + second(argc)) < 0; }\n"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A program of three files with a function of one name each, run once; what is measured of the two of the core."""
    root = tmp_path_factory.mktemp("program")
    objects = []
    for name, text in SOURCES.items():
        source, made = root / name, root / "build" / "static" / Path(name).relative_to("src").with_suffix(".o")
        for path in (source, made):
            path.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="ascii")
        subprocess.run(["gcc", "-O1", "-c", "-o", made, source], check=True)
        objects.append(made)
    program, place = root / "program", root / "ran"
    place.mkdir()
    subprocess.run(["gcc", "-o", program, *objects], check=True)
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                    f"--callgrind-out-file={place / 'callgrind.1'}", program], check=True)
    return measuring.measured(program, root / "build" / "static" / "core", place, "program", root)


def test_what_did_not_run_is_not_reached(found):
    """A function that nobody calls, and a branch that is not taken."""
    left = {name: tuple(map(int, text.split(" of "))) for name, text in found["not reached"].items()}
    assert set(left) == {"src/core/one.c: unused", "src/core/one.c: helper"}
    assert left["src/core/one.c: unused"][0] == left["src/core/one.c: unused"][1] > 0
    assert 0 < left["src/core/one.c: helper"][0] < left["src/core/one.c: helper"][1]
    assert found["instructions"] - found["reached"] == sum(missing for missing, _ in left.values())


def test_functions_of_one_name_are_told_apart(found):
    """Two of the core; the third is of the program around it and does not count."""
    assert found["functions"] == 5


def test_filling_does_not_count():
    for text in ("nop", "nopw   0x0(%rax,%rax,1)", "data16 cs nopw 0x0(%rax,%rax,1)", "cs nopw 0x0(%rax,%rax,1)", "xchg   %ax,%ax"):
        assert measuring.FILLING.match(text), text
    for text in ("xchg   %ax,%bx", "not    %eax", "endbr64"):
        assert not measuring.FILLING.match(text), text
