#!/usr/bin/env python3
"""Plants faults and looks whether the gates turn red.

    python3 tests/planted/run.py [GATE…]

Each fault is planted in a copy of what the gate looks at; the gate must fail, and say what the fault is. Prints the
failures in detail and `N passed, N failed` at the end.
"""

import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import coverage as measure  # noqa: E402
import coverage_gaps  # noqa: E402


def run(call, **options):
    done = subprocess.run(call, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False, **options)
    return done.returncode, done.stdout


def judge(title, outcome, complaint):
    """One test: the gate must have failed with these words. An exit status of 1 is a verdict, others are accidents."""
    status, text = outcome
    ok = status == 1 and complaint in text
    print(f"{'ok  ' if ok else 'FAIL'}  {title}")
    if not ok:
        print(f"exit status {status}, without '{complaint}':\n{text[-3000:]}")
    return ok


def replaced(path, old, new):
    text = path.read_text(encoding="utf-8")
    if text.count(old) < 1:
        raise SystemExit(f"cannot plant a fault: {path} has no '{old}'")
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


def footprint(work):
    """Cores with one fault each; then the table with another number, and without a compiler that it knows."""
    results = []
    for number, (title, code, complaint) in enumerate(FOOTPRINT):
        core = work / f"core-{number}"
        shutil.copytree(ROOT / "src" / "core", core)
        replaced(core / "frame.c", INCLUDE, INCLUDE + code)
        call = [sys.executable, "tools/footprint.py", "--check", "--only", "x86-64, gcc", "--core", str(core)]
        results.append(judge(f"footprint: {title}", run(call), complaint))
    core = work / "core-larger"
    shutil.copytree(ROOT / "src" / "core", core)
    replaced(core / "frame.c", BEFORE, "    volatile uint8_t planted[16];\n    planted[0] = 1;\n" + BEFORE)
    call = [sys.executable, "tools/footprint.py", "--check", "--only", "x86-64, gcc", "--core", str(core)]
    return results + [judge("footprint: a larger frame", run(call), "  measured  ")]


# --- cross -------------------------------------------------------------------------------------------------


def cross(work):
    """A number read in the machine's own byte order: right on x86-64, and wrong on s390x only."""
    if not shutil.which("s390x-linux-gnu-gcc") or not shutil.which("qemu-s390x"):
        print("skip  cross: nothing here is big-endian")
        return []
    core = work / "core"
    shutil.copytree(ROOT / "src" / "core", core)
    replaced(core / "frame.c", "    uint32_t low = bytes[8] + 256u * bytes[9];\n",
             "    uint16_t low;\n    __builtin_memcpy(&low, bytes + 8, 2);\n")
    call = [sys.executable, "tests/cross/run.py", "--answers", "--only", "s390x", "--core", str(core)]
    return [judge("cross: a native byte order", run(call), "FAIL  s390x gcc -O2: ")]


# --- work --------------------------------------------------------------------------------------------------


def work_grows(work):
    """A second look at all that stands in front, every 64 bytes: quadratic, and small enough to hide below 4 KiB."""
    core = work / "core"
    shutil.copytree(ROOT / "src" / "core", core)
    replaced(core / "frame.c", BEFORE, "    for (size_t i = 64; i < length; i += 64)\n"
             "        for (size_t j = 0; j < i; j += 64) at += bytes[j] == bytes[i];\n" + BEFORE)
    call = [sys.executable, "tests/growth/run.py", "--most", "131072", "--core", str(core)]
    return [judge("work: quadratic", run(call), "FAIL  blanks-behind, read:")]


# --- counts ------------------------------------------------------------------------------------------------


def counts(work):
    """Every header looked through once more: a tenth of the instructions, and no answer that differs."""
    core = work / "core"
    shutil.copytree(ROOT / "src" / "core", core)
    replaced(core / "frame.c", BEFORE, "    volatile uint8_t sum = 0;\n"
             "    for (size_t i = 0; i < length; i++) sum = (uint8_t)(sum + bytes[i]);\n" + BEFORE)
    (work / "bench").mkdir()
    status, text = run(["gcc", "-std=c99", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}", "-o",
                        work / "bench" / "fixed", "bench/fixed.c", "src/host/plan.c", *sorted(core.glob("*.c"))])
    if status != 0:
        raise SystemExit(text)
    return [judge("counts: a slower reader", run([sys.executable, "bench/counts.py", work]), "FAIL  read simple")]


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


def gaps(work):
    """Each gap of a small program with its row, then one row taken away, without a reason, or of another file."""
    source = work / "src" / "cli" / "gapped.c"
    source.parent.mkdir(parents=True)
    source.write_text(GAPPED, encoding="utf-8")
    status, text = run(["clang-19", *measure.FLAGS.split(), "-o", work / "gapped", source])
    if status == 0:
        status, text = run([work / "gapped"], env={"LLVM_PROFILE_FILE": f"{work}/0.profraw"})
    if status != 0:
        raise SystemExit(text)
    export = measure.export(work, [work / "gapped"], [source])
    rows = [f"| src/cli/gapped.c | `{gap}` | planted |\n" for gap in GAPS]
    status, text = explained(work, export, rows)
    print("ok    coverage: gaps with their reasons" if status == 0 else f"FAIL  coverage: gaps with their reasons\n{text}")
    faults = {"a gap without a row": rows[:1], "a row without a reason": [rows[0], rows[1].replace("planted", "")],
              "a row of another file": [rows[0], rows[1].replace("gapped.c", "other.c")]}
    complaint = f"gapped.c:3: not reached, and coverage-gaps.md says nothing of it: {GAPS[1]}"
    return [status == 0] + [judge(f"coverage: {title}", explained(work, export, table), complaint)
                            for title, table in faults.items()]


def coverage(work):
    """A small program with gaps; then all unit tests of the core but one file taken away."""
    if not shutil.which("clang-19") or not shutil.which("llvm-cov-19"):
        print("skip  coverage: there is no clang-19")
        return []
    outcome = run([sys.executable, "tools/coverage.py", "--quick", "--check", "--units", "test_frame"])
    return gaps(work) + [judge("coverage: tests that are missing", outcome, "FAIL  core: "),
                         judge("coverage: what they reached", outcome, "and coverage-gaps.md says nothing of it: ")]


# --- tsan --------------------------------------------------------------------------------------------------


def tsan(work):
    """A slot of temporary files whose state is written as any number is: ThreadSanitizer must see it."""
    shutil.copytree(ROOT / "src", work / "src")
    replaced(work / "src" / "host" / "temporary.c",
             "(void)__atomic_fetch_or(&snpy_slots[i].state, SLOT_NAMED, __ATOMIC_RELEASE)",
             "snpy_slots[i].state |= SLOT_NAMED")
    sources = [path for room in ("core", "host", "npz") for path in sorted((work / "src" / room).glob("*.c"))]
    status, text = run(["clang", "-std=c99", "-O1", "-g", "-fsanitize=thread", "-D_POSIX_C_SOURCE=200809L", "-DSNPY_ARCHIVES",
                        f"-I{ROOT}/include", f"-I{work}/src", f"-I{ROOT}", "-o", work / "threads", "tests/unit/test_threads.c",
                        *sources, "-lcmocka", "-ldeflate", "-lz", "-pthread"])
    if status != 0:
        raise SystemExit(text)
    before = ["setarch", "-R"] if shutil.which("setarch") and run(["setarch", "-R", "true"])[0] == 0 else []
    status, text = run([*before, work / "threads"])
    return [judge("tsan: a slot that is not atomic", (int(status == 66), text), "WARNING: ThreadSanitizer: data race")]


GATES = {"footprint": footprint, "cross": cross, "work": work_grows, "counts": counts,
         "coverage": coverage, "tsan": tsan}


def main():
    names = sys.argv[1:] or list(GATES)
    results = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="safenpy-planted-") as place:
            results += GATES[name](Path(place))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and (results or sys.argv[1:]) else 1


if __name__ == "__main__":
    sys.exit(main())
