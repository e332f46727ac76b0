#!/usr/bin/env python3
"""Runs the core on other machines, by other compilers, and holds all answers against each other.

    tests/cross/run.py            one build a machine; what is not installed is skipped
    tests/cross/run.py --all      every machine, compiler and level; what is not installed is a failure

A build is a machine, a compiler and a level of optimisation. Each runs the unit tests of the core (with a small
stand-in for cmocka) and prints all that the core says of each file of the conformance suite (answers.c). What the
first build says is held against the manifest, what the others say against the first, byte for byte. A Cortex-M4
without an operating system has the suite in its flash and runs it with the core's answers alone.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "cross"
FLAGS = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}"]
# How to compile by gcc and clang, and what runs the program.
MACHINES = {
    "x86-64": (["gcc", "-m64"], ["clang", "-m64"], []),
    "i386": (["gcc", "-m32"], ["clang", "-m32"], []),
    "s390x": (["s390x-linux-gnu-gcc", "-static"], ["clang", "--target=s390x-linux-gnu", "-static"], ["qemu-s390x"]),
    "armhf": (["arm-linux-gnueabihf-gcc", "-static"], ["clang", "--target=arm-linux-gnueabihf", "-static"], ["qemu-arm"]),
    "cortex-m4": (["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "--specs=rdimon.specs", "-nostartfiles",
                   "-DSNPY_BARE", "-T", str(HERE / "bare.ld")], None,
                  ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel"]),
}
LEVELS = ["-O0", "-O2", "-O3", "-Os"]
FIRST = ("x86-64", "gcc", "-O2")
SOME = [("i386", "gcc", "-O3"), ("s390x", "gcc", "-O2"), ("armhf", "clang", "-Os"), ("cortex-m4", "gcc", "-Os")]
# The unit tests that call nothing but the core.
UNITS = ["data", "dtype", "frame", "header", "literal", "name", "record", "round_trip", "shape", "status",
         "value", "view", "write"]
LIMIT = 900  # seconds for one program


def run(call, **options):
    try:
        done = subprocess.run([str(word) for word in call], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False, **options)
    except subprocess.TimeoutExpired:
        return 124, f"did not end within {LIMIT} s".encode()
    except OSError as error:
        return 127, str(error).encode()
    return done.returncode, done.stdout


def write_cases(path, cases):
    """The suite in one file: how many, then each file behind its length. Little-endian, as answers.c reads it."""
    data = len(cases).to_bytes(4, "little")
    for case in cases:
        content = (ROOT / "corpus" / case["file"]).read_bytes()
        data += len(content).to_bytes(4, "little") + content
    path.write_bytes(data)


def can_build(machine, compiler, work):
    """Whether the compiler makes programs for the machine, and something runs them."""
    call, runner = MACHINES[machine][compiler == "clang"], MACHINES[machine][2]
    if shutil.which(call[0]) is None or (runner and shutil.which(runner[0]) is None):
        return False
    source = work / "empty.c"
    source.write_text("#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n", encoding="ascii")
    return machine == "cortex-m4" or run([*call, "-o", work / f"empty-{machine}-{compiler}", source])[0] == 0


class Tally:
    """Counts what passed and prints what did not."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def test(self, name, ok, text=""):
        self.passed += bool(ok)
        self.failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  {name}", flush=True)
        if not ok and text:
            print(text[-3000:], flush=True)

    def skip(self, name):
        self.skipped += 1
        print(f"skip  {name}: no compiler or nothing to run its programs", flush=True)


def build_answers(build, work, core):
    """The program that answers; returns how to run it, or None and what the compiler said."""
    machine, compiler, level = build
    compile_call, runner = MACHINES[machine][compiler == "clang"], MACHINES[machine][2]
    work.mkdir()
    sources = [*sorted(core.rglob("*.c")), ROOT / "src" / "data" / "plan.c", HERE / "answers.c"]
    extra = []
    if machine == "cortex-m4":
        sources.append(HERE / "bare.c")
        extra = [f'-DSNPY_CASES="{work.parent / "cases.bin"}"']
    compiling = [word for word in compile_call if word not in ("-static", "-nostartfiles", "--specs=rdimon.specs", "-T",
                                                               str(HERE / "bare.ld"))]
    status, text = run([*compiling, *FLAGS, level, *extra, "-c", *sources], cwd=work)
    if status == 0:
        status, text = run([*compile_call, "-o", work / "answers", *sorted(work.glob("*.o"))], cwd=work)
    if status != 0:
        return None, text.decode(errors="replace")
    return [*runner, work / "answers", *([] if machine == "cortex-m4" else [work.parent / "cases.bin"])], ""


def build_units(build, work):
    """The unit tests of the core in one program: each file's main has a name of its own."""
    machine, compiler, level = build
    call, runner = MACHINES[machine][compiler == "clang"], MACHINES[machine][2]
    compiling = [word for word in call if word != "-static"]
    objects = []
    for unit in UNITS:
        objects.append(work / f"unit_{unit}.o")
        status, text = run([*compiling, f"-I{HERE}/shim", *FLAGS, level, f"-Dmain=main_{unit}", "-c", "-o", objects[-1],
                            ROOT / "tests" / "unit" / f"test_{unit}.c"])
        if status != 0:
            return None, text.decode(errors="replace")
    (work / "units.c").write_text(
        "".join(f"int main_{unit}(void);\n" for unit in UNITS) + "int main(void)\n{\n    int failed = 0;\n" +
        "".join(f"    failed |= main_{unit}();\n" for unit in UNITS) + "    return failed;\n}\n", encoding="ascii")
    core = [path for path in work.glob("*.o") if not path.name.startswith("unit_") and path.stem != "answers"]
    status, text = run([*call, "-o", work / "units", work / "units.c", *objects, *core], cwd=work)
    return ([*runner, work / "units"], "") if status == 0 else (None, text.decode(errors="replace"))


def first_difference(answers, expected):
    """Where two answers part, in words."""
    for ours, theirs in zip(answers.splitlines(), expected.splitlines()):
        if ours != theirs:
            return f"says     {ours[:600].decode(errors='replace')}\nnot      {theirs[:600].decode(errors='replace')}"
    return f"{len(answers)} bytes instead of {len(expected)}:\n{answers[-600:].decode(errors='replace')}"


def try_build(build, work, core, with_units):
    """All that one build has to say: its answers, and how its unit tests went."""
    place = work / "-".join(build).replace("/", "")
    program, text = build_answers(build, place, core)
    if program is None:
        return None, text, None, ""
    status, answers = run(program)
    if status != 0:
        answers += f"\nexit status {status}".encode()
    units_ok, units_text = True, ""
    if with_units and build[0] != "cortex-m4":
        program, units_text = build_units(build, place)
        if program:
            status, output = run(program, cwd=ROOT)
            units_text = output.decode(errors="replace")
            counts = re.findall(r"^(\d+) of (\d+) tests passed$", units_text, re.MULTILINE)
            units_ok = status == 0 and len(counts) == len(UNITS) and all(good == all_ for good, all_ in counts)
        else:
            units_ok = False
    shutil.rmtree(place)
    return answers, "", units_ok, units_text


def against_manifest(answers, cases, tally):
    """The first build is right, not only the same as the others: verdict, status and offset of each case."""
    names = {name: int(number) for name, number in re.findall(
        r"^SNPY_STATUS\((SNPY_\w+), (\d+)", (ROOT / "include/safenpy/statuses.h").read_text(encoding="utf-8"), re.MULTILINE)}
    wrong = []
    lines = [line.split() for line in answers.decode().splitlines()]
    by_case = {int(words[0]): words for words in lines if len(words) > 4 and words[1] == "0"}
    for number, case in enumerate(cases):
        error = case.get("error")
        expected = (names[error["status"]], error["offset"]) if error else (0, 0)
        words = by_case.get(number, ["", "", "", "-1", "-1", "-1"])
        if (int(words[3]), int(words[5])) != expected:
            wrong.append(f"{case['id']}: {' '.join(words[2:6])}, not {expected}")
    tally.test(f"{len(cases)} cases as the manifest has them", cases and not wrong, "\n".join(wrong[:20]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true", help="every machine, compiler and level")
    parser.add_argument("--core", type=Path, default=ROOT / "src" / "core", help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="MACHINE", help="the first build, and those of one machine")
    parser.add_argument("--answers", action="store_true", help="leave out the unit tests")
    args = parser.parse_args()
    builds = SOME
    if args.all:
        builds = [(machine, compiler, level) for machine, (_, clang, _) in MACHINES.items() for level in LEVELS
                  for compiler in (("gcc", "clang") if clang else ("gcc",)) if (machine, compiler, level) != FIRST]
    if args.only:
        builds = [build for build in builds if build[0] == args.only]
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="safenpy-cross-") as place, ThreadPoolExecutor(max_workers=2) as pool:
        work = Path(place)
        write_cases(work / "cases.bin", cases)
        possible = {pair: can_build(*pair, work) for pair in {build[:2] for build in builds}}
        futures = {build: pool.submit(try_build, build, work, ROOT / "src" / "core" if build == FIRST else args.core,
                                      not args.answers)
                   for build in [FIRST, *builds] if possible.get(build[:2], True)}
        expected = b""
        for build in [FIRST, *builds]:
            name = " ".join(build)
            if build not in futures:
                if args.all:
                    tally.test(f"{name}: is there", False, "no compiler or nothing to run its programs")
                else:
                    tally.skip(name)
                continue
            answers, text, units_ok, units_text = futures[build].result()
            tally.test(f"{name}: compiles", answers is not None, text)
            if answers is None:
                continue
            if build == FIRST:
                expected = answers
                against_manifest(answers, cases, tally)
            else:
                tally.test(f"{name}: {answers.count(10)} lines, the same to the byte", answers == expected and answers,
                           first_difference(answers, expected))
            if build[0] != "cortex-m4" and not args.answers:
                tally.test(f"{name}: {len(UNITS)} files of unit tests", units_ok, units_text)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
