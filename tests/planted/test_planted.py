"""Plants faults and looks whether the gates turn red.

Each fault is planted in a copy of what the gate looks at; the gate must fail, and say what the fault is. One whose
inputs are those of the record is left out (tools/records.py), but for a sample.
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import coverage as measure  # noqa: E402
import coverage_gaps  # noqa: E402
import parts  # noqa: E402

INPUTS = ("src/core", "include", "tests/planted")


def run(call, **options):
    done = subprocess.run(call, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False, **options)
    return done.returncode, done.stdout


def judge(outcome, complaint):
    """The gate must have failed with these words. An exit status of 1 is a verdict, others are accidents."""
    status, text = outcome
    assert status == 1 and complaint in text, f"exit status {status}, without '{complaint}':\n{text[-3000:]}"


def replaced(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"cannot plant a fault: {path} has no '{old}'"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# --- footprint ---------------------------------------------------------------------------------------------

# A name, C for the file that reads frames, behind its first line of code, and the complaint.
INCLUDE = '#include "core/frame.h"\n'
BEFORE = "    snpy_status status = check_prefix(bytes, length, &at);\n"
BODY = "size_t planted_size(const uint8_t *bytes, size_t length);\n"
FOOTPRINT = [
    ("recursion", BODY + "size_t planted_size(const uint8_t *bytes, size_t length)\n"
     "{ return length == 0 ? 0 : planted_size(bytes, length / 2) * planted_size(bytes, length / 3) + bytes[0]; }\n",
     "calls itself"),
    ("recursion by way of another", BODY + "size_t planted_other(const uint8_t *bytes, size_t length);\n"
     "__attribute__((noinline)) size_t planted_other(const uint8_t *bytes, size_t length)\n"
     "{ return length == 0 ? 0 : planted_size(bytes, length - 1) * 3 + bytes[0]; }\n"
     "__attribute__((noinline)) size_t planted_size(const uint8_t *bytes, size_t length)\n"
     "{ return length == 0 ? 0 : planted_other(bytes, length - 1) * 2 + bytes[0]; }\n", "calls itself"),
    ("a function of the C library", "size_t strlen(const char *text);\n" + BODY +
     "size_t planted_size(const uint8_t *bytes, size_t length)\n"
     "{ return length + strlen((const char *)bytes); }\n", "needs from outside: strlen"),
    ("a frame without a bound", BODY + "size_t planted_size(const uint8_t *bytes, size_t length)\n"
     "{ volatile uint8_t copy[length + 1]; copy[length] = bytes[0]; return copy[length]; }\n", "a frame without a bound"),
    ("a call through a pointer", BODY + "extern size_t (*const planted_pointer[2])(void);\n"
     "static size_t one(void) { return 1; }\nstatic size_t two(void) { return 2; }\n"
     "size_t (*const planted_pointer[2])(void) = {one, two};\n"
     "size_t planted_size(const uint8_t *bytes, size_t length) { return planted_pointer[bytes[length] & 1](); }\n",
     "calls through a pointer"),
]


@pytest.fixture
def core(tmp_path):
    """A copy of the core."""
    shutil.copytree(ROOT / "src" / "core", tmp_path / "core")
    return tmp_path / "core"


def footprint_of(core):
    return run([sys.executable, "tools/footprint.py", "--check", "--only", "x86-64, gcc", "--core", str(core)])


@pytest.mark.inputs(*INPUTS, "tools/footprint.py")
@pytest.mark.parametrize("code, complaint", [row[1:] for row in FOOTPRINT], ids=[row[0] for row in FOOTPRINT])
def test_footprint(core, code, complaint):
    """Cores with one fault each."""
    replaced(core / "frame.c", INCLUDE, INCLUDE + code)
    judge(footprint_of(core), complaint)


@pytest.mark.inputs(*INPUTS, "tools/footprint.py")
def test_footprint_of_a_larger_frame(core):
    replaced(core / "frame.c", BEFORE, "    volatile uint8_t planted[16];\n    planted[0] = 1;\n" + BEFORE)
    judge(footprint_of(core), "  measured  ")


# --- cross -------------------------------------------------------------------------------------------------


@pytest.mark.inputs(*INPUTS, "tests/cross", "corpus/manifest.json")
@pytest.mark.skipif(not shutil.which("s390x-linux-gnu-gcc") or not shutil.which("qemu-s390x"), reason="nothing here is big-endian")
def test_cross(core):
    """A number read in the machine's own byte order: right on x86-64, and wrong on s390x only."""
    replaced(core / "frame.c", "    uint32_t low = bytes[8] + 256u * bytes[9];\n",
             "    uint16_t low;\n    __builtin_memcpy(&low, bytes + 8, 2);\n")
    call = [sys.executable, "tests/cross/run.py", "--answers", "--only", "s390x", "--core", str(core)]
    judge(run(call), "FAIL  s390x gcc -O2: ")


# --- work --------------------------------------------------------------------------------------------------


@pytest.mark.inputs(*INPUTS, "tests/growth")
def test_work_that_is_quadratic(core):
    """A second look at all that stands in front, every 64 bytes: quadratic, and small enough to hide below 4 KiB."""
    replaced(core / "frame.c", BEFORE, "    for (size_t i = 64; i < length; i += 64)\n"
             "        for (size_t j = 0; j < i; j += 64) at += bytes[j] == bytes[i];\n" + BEFORE)
    judge(run([sys.executable, "tests/growth/run.py", "--most", "131072", "--core", str(core)]),
          "FAIL  blanks-behind, read:")


# --- every header ------------------------------------------------------------------------------------------

# A name, the file of the core, what is replaced there by what, and what is found to be wrong.
BYTES = "not *size == expected_bytes(expected)"
EVERY = [
    ("a list that is not closed", "describe.c", "    close_depths(pen, table, &walk, (uint32_t)top, base, first, names_length);\n    return SNPY_OK;",
     "    return SNPY_OK;", BYTES),
    ("a field without its end", "describe.c", "    else\n        pen_tail(pen, table, entry);\n    return true;", "    return true;", BYTES),
    ("a name in place of the title", "describe.c", "field->title_offset, field->title_length, encoding))",
     "field->name_offset, field->name_length, encoding))", BYTES),
    ("no gap at the end of a nested record", "describe.c", "        pen_gap(pen, &walk->has_content[depth]",
     "        if (entry == first) pen_gap(pen, &walk->has_content[depth]", BYTES),
    ("a name beyond Latin-1 in version 1.0", "write.c", "choice != SNPY_VERSION_3_0 && !wide &&", "choice != SNPY_VERSION_3_0 &&", BYTES),
    ("the other quote", "pen.c", "has_single && !has_double ?", "has_double ?", BYTES),
    ("a version that can't hold a name", "write.c",
     "    if (choice == SNPY_VERSION_1_0 || choice == SNPY_VERSION_2_0) return SNPY_WRITE_VERSION;\n", "", "not status == expected_status()"),
    ("a unit that is read as another", "dtype.c", "SNPY_UNIT_NANOSECOND", "SNPY_UNIT_PICOSECOND", "not a->kind == b->kind"),
    ("an order that NumPy would not choose", "write.c", "if (is_empty || wide <= 1)", "if (is_empty)", "not status == (is_expected_canonical(major)"),
]


@pytest.mark.inputs(*INPUTS, "tests/every")
@pytest.mark.parametrize("file, old, new, complaint", [row[1:] for row in EVERY], ids=[row[0] for row in EVERY])
def test_every_header(core, file, old, new, complaint):
    """What the proofs of the writer do not say of structured dtypes, and what must be read back."""
    replaced(core / file, old, new)
    judge(run(["/usr/bin/python3", "tests/every/run.py", "--size", "0", "--core", str(core)]), complaint)


# --- counts ------------------------------------------------------------------------------------------------


@pytest.mark.inputs(*INPUTS, "src/data/plan.c", "bench")
def test_counts_of_a_slower_reader(core, tmp_path):
    """Every header looked through once more: a tenth of the instructions, and no answer that differs."""
    replaced(core / "frame.c", BEFORE, "    volatile uint8_t sum = 0;\n"
             "    for (size_t i = 0; i < length; i++) sum = (uint8_t)(sum + bytes[i]);\n" + BEFORE)
    (tmp_path / "bench").mkdir()
    status, text = run(["gcc", "-std=c99", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}", "-o",
                        tmp_path / "bench" / "fixed", "bench/fixed.c", "src/data/plan.c", *sorted(core.rglob("*.c"))])
    assert status == 0, text
    judge(run([sys.executable, "bench/counts.py", tmp_path]), "FAIL  read simple")


# --- coverage ----------------------------------------------------------------------------------------------


# A program with two conditions. Called without words it reaches the first one only, and that one is never true.
GAPPED = "int main(int count, char **words)\n{\n    return count > 1 && words[1][0] == 'x';\n}\n"
GAPS = ("count > 1", "words[1][0] == 'x'")


def explained(work, export, reasons):
    """What is said of the gaps of GAPPED where the table has these rows."""
    table = work / "coverage-gaps.md"
    table.write_text("| file | condition | why |\n|---|---|---|\n" + "".join(reasons), encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        _, unexplained = coverage_gaps.judge(coverage_gaps.find(export, work), table, ("cli",))
    return int(unexplained > 0), said.getvalue()


needs_clang = pytest.mark.skipif(not shutil.which("clang-19") or not shutil.which("llvm-cov-19"), reason="there is no clang-19")


@pytest.fixture
def export(tmp_path):
    """What a run of GAPPED covers."""
    source = tmp_path / "src" / "cli" / "gapped.c"
    source.parent.mkdir(parents=True)
    source.write_text(GAPPED, encoding="utf-8")
    status, text = run(["clang-19", *measure.FLAGS.split(), "-o", tmp_path / "gapped", source])
    assert status == 0, text
    assert run([tmp_path / "gapped"], env={"LLVM_PROFILE_FILE": f"{tmp_path}/0.profraw"})[0] == 0
    return measure.export(tmp_path, [tmp_path / "gapped"], [source])


ROWS = [f"| src/cli/gapped.c | `{gap}` | planted |\n" for gap in GAPS]
UNEXPLAINED = {"a gap without a row": ROWS[:1], "a row without a reason": [ROWS[0], ROWS[1].replace("planted", "")],
               "a row of another file": [ROWS[0], ROWS[1].replace("gapped.c", "other.c")]}


@needs_clang
def test_coverage_of_gaps_with_their_reasons(export, tmp_path):
    status, text = explained(tmp_path, export, ROWS)
    assert status == 0, text


@needs_clang
@pytest.mark.parametrize("fault", UNEXPLAINED)
def test_coverage_of_gaps(export, tmp_path, fault):
    """One row taken away, without a reason, or of another file."""
    judge(explained(tmp_path, export, UNEXPLAINED[fault]),
          f"gapped.c:3: not reached, and coverage-gaps.md says nothing of it: {GAPS[1]}")


@pytest.mark.inputs(*INPUTS, "tests/unit", "tools/coverage.py", "tools/coverage_gaps.py")
@needs_clang
def test_coverage_without_some_tests():
    """All unit tests of the core but one file taken away."""
    outcome = run([sys.executable, "tools/coverage.py", "--quick", "--check", "--units", "test_frame"])
    judge(outcome, "FAIL  core: ")
    judge(outcome, "and coverage-gaps.md says nothing of it: ")


@pytest.mark.inputs("src", "include", "tests/unit/test_threads.c")
def test_tsan_sees_a_slot_that_is_not_atomic(tmp_path):
    """A slot of temporary files whose state is written as any number is."""
    shutil.copytree(ROOT / "src", tmp_path / "src")
    replaced(tmp_path / "src" / "host" / "temporary.c",
             "(void)__atomic_fetch_or(&snpy_slots[i].state, SLOT_NAMED, __ATOMIC_RELEASE)",
             "snpy_slots[i].state |= SLOT_NAMED")
    sources = [path for room in ("core", "data", "host", "npz") for path in sorted((tmp_path / "src" / room).rglob("*.c"))]
    status, text = run(["clang", "-std=c99", "-O1", "-g", "-fsanitize=thread", "-D_POSIX_C_SOURCE=200809L", "-DSNPY_ARCHIVES",
                        f"-I{ROOT}/include", f"-I{tmp_path}/src", f"-I{ROOT}", "-o", tmp_path / "threads",
                        "tests/unit/test_threads.c", *sources, "-lcmocka", "-ldeflate", "-lz", "-pthread"])
    assert status == 0, text
    before = ["setarch", "-R"] if shutil.which("setarch") and run(["setarch", "-R", "true"])[0] == 0 else []
    status, text = run([*before, tmp_path / "threads"])
    assert status == 66 and "WARNING: ThreadSanitizer: data race" in text, text


# --- sanitizers and valgrind -------------------------------------------------------------------------------

# A name, what comes into src/core/frame.c before its check or instead of it, and what is reported.
TOO_FAR = ("    if (length < (bytes[6] == 1 ? 10u : 12u))", "    if (length < 10u)")  # prefix-of-ten-bytes.patch
SANITIZED = [
    ("a read too far", *TOO_FAR, "heap-buffer-overflow"),
    ("a use after free", BEFORE, "    free((void *)bytes);\n" + BEFORE, "heap-use-after-free"),
    ("a leak", BEFORE, "    *(void *volatile *)malloc(sizeof(void *)) = 0;\n" + BEFORE, "detected memory leaks"),
    ("an overflow", BEFORE, "    volatile int most = 2147483647;\n    at += (size_t)(most + 1);\n" + BEFORE, "signed integer overflow"),
    ("a shift too far", BEFORE, "    volatile int most = 32;\n    at += 1u << most;\n" + BEFORE, "shift exponent 32"),
]
CHECKED = [
    ("a read too far", *TOO_FAR, "Invalid read of size 1"),
    ("a leak", *SANITIZED[2][1:3], "definitely lost"),
    ("a branch on unset memory", BEFORE, "    volatile uint8_t unset[16];\n    if (unset[length] > 7) return SNPY_OK;\n" + BEFORE,
     "depends on uninitialised value"),
]
READ_TEN = """#include "safenpy/header.h"
#include <stdlib.h>
#include <string.h>
int main(void)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_frame frame;
    snpy_error error;
    uint8_t *bytes = malloc(10);
    memcpy(bytes, "\\x93NUMPY\\2\\0\\x10", 10);
    snpy_status status = snpy_parse_frame(bytes, 10, &options, &frame, &error);
    if (status != SNPY_BAD_ARGUMENT) free(bytes);
    return status != SNPY_TRUNCATED_PREFIX;
}
"""


def read_ten_bytes(core, flags, before, environment):
    """Builds the core and a program that reads a file of ten bytes from the heap, and runs it."""
    (core / "main.c").write_text(READ_TEN, encoding="ascii")
    status, text = run(["gcc", "-std=c99", "-g", *flags, f"-I{core.parent}", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}",
                        "-include", "stdlib.h", "-o", core / "main", *sorted(core.rglob("*.c"))])
    assert status == 0, text
    return run([*before, core / "main"], env=os.environ | environment)


def seen(core, row, flags, before=(), environment=None):
    """The program is silent as it is, and fails with the words of the row when the fault is planted."""
    assert read_ten_bytes(core, flags, before, environment or {}) == (0, "")
    replaced(core / "frame.c", *row[1:3])
    status, text = read_ten_bytes(core, flags, before, environment or {})
    assert status == 86 and row[3] in text, f"exit status {status}:\n{text[-3000:]}"


@pytest.mark.inputs(*INPUTS, "tools/parts.py")
@pytest.mark.parametrize("row", SANITIZED, ids=lambda row: row[0])
def test_sanitizers(core, row):
    seen(core, row, ["-O1", "-fno-omit-frame-pointer", *parts.SANITIZE.split()], (), parts.SANITIZED_ENV)


@pytest.mark.inputs(*INPUTS, "tools/parts.py")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind here")
@pytest.mark.parametrize("row", CHECKED, ids=lambda row: row[0])
def test_valgrind(core, row):
    seen(core, row, ["-O1"], parts.VALGRIND)
