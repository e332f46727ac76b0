#!/usr/bin/env python3
"""Measures what the tests reach: lines, branches and MC/DC of each part of the sources.

    tools/coverage.py            unit and fault tests, suite, command and comparison with NumPy; HTML in
                                 build/coverage/html; tests/coverage-gaps.md must give a reason for what is
                                 missing
    tools/coverage.py --quick    the core, by the unit tests and by the suite
    tools/coverage.py --check    fails below the percentages of tests/coverage.json, which --write records

Builds with clang-19 into build/coverage. A unit test that fails there is a failure here; the command's tests, which
measure times and remove rights, count in their own parts. What a killed process reached is not counted.

Each part of the sources has a row. There is also a row for the suite alone, without unit tests: tests/corpus runs the
command on the files of corpus/, under all options that the manifests name. READING is the code that parses NPY headers and
the directories of archives, without decisions about the caller's arguments, which no file can reach: those that return
SNPY_BAD_ARGUMENT, the FUNCTIONS_OF_CALLERS, and NAMES_OF_CALLERS, about names of a header to write. WRITING is the code that
makes headers. tests/coverage.md lists what the suite alone does not reach.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import coverage_gaps

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
RECORD = ROOT / "tests" / "coverage.json"
# Counters that threads share must not lose what one of them counts: a difference of two would be below zero.
FLAGS = "-O1 -g -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -fprofile-update=atomic -Wno-error"
KINDS = ("lines", "branches", "mcdc")
NUMPY = "/usr/bin/python3"
GAPS = ROOT / "tests" / "coverage-gaps.md"
FOLDERS = ("core", "data", "host", "npz", "cli")
# What tests/data compares with NumPy, and by which program; None is the command.
DATA = {"run": "probe", "files": "files", "archives": "archives", "cat": None, "diff": None, "convert": None, "pack": None}
READING = ("dict.h", "dtype.c", "duplicates.c", "field.h", "frame.c", "header.c", "layout.c", "literal.c", "name.c", "record.c",
           "shape.c", "sizes.h", "zip/central.c", "zip/end.c", "zip/extra.c", "zip/key.c", "zip/local.c", "zip/member_name.c")
WRITING = ("check.c", "describe.c", "pen.c", "printable.c", "write.c")
PARTS_OF_FILES = ("dict.h", "field.h", "sizes.h")  # headers of static functions, each of which one file includes
# They check tables and options, and their callers return SNPY_BAD_ARGUMENT.
FUNCTIONS_OF_CALLERS = ("options_are_valid", "names_lie_inside", "is_inside")
# A reader has checked the names of a file before it comes here, and they hold no raw surrogates.
NAMES_OF_CALLERS = ("SNPY_NAME_PLAIN", "!allow_surrogates", "step == 0 || other == 0")


def run(call, **options):
    return subprocess.run([str(word) for word in call], cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)


def build(targets):
    done = run(["make", "-j2", f"BUILD={BUILD}", "CC=clang-19", f"CFLAGS={FLAGS}", *targets])
    if done.returncode != 0:
        raise SystemExit(done.stdout[-4000:])


def execute(call, profiles):
    """Runs one test; what each of its processes reached goes into `profiles`, merged by the runtime."""
    environment = dict(os.environ, LLVM_PROFILE_FILE=f"{profiles}/%4m.profraw", CMOCKA_MESSAGE_OUTPUT="STDOUT")
    if Path(call[0]).parent.name == "fault" and os.access("/dev/shm", os.W_OK):
        environment["TMPDIR"] = "/dev/shm"  # thousands of files that replace one another would wait for the disk
    done = run(call, env=environment)
    if done.returncode != 0:
        print(f"FAIL  {' '.join(map(str, call))}\n{done.stdout[-2000:]}")
    return done.returncode == 0 or call[0] == sys.executable


def export(profiles, programs, sources, *options):
    """What llvm-cov reports about some sources."""
    data = profiles / "all.profdata"
    done = run(["llvm-profdata-19", "merge", "-sparse", "-o", data, *sorted(profiles.glob("*.profraw"))])
    if done.returncode != 0:
        raise SystemExit(done.stdout)
    objects = [word for program in programs[1:] for word in ("-object", program)]
    done = run(["llvm-cov-19", "export", *options, f"-instr-profile={data}", programs[0], *objects, *sources])
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:])
    return json.loads(done.stdout[done.stdout.index("{"):])["data"][0]


def percentages(profiles, programs, sources):
    """Lines, branches and MC/DC of some sources, in percent, and how many are missing."""
    totals = export(profiles, programs, sources, "-summary-only")["totals"]
    return {kind: (totals[kind]["percent"], totals[kind]["count"] - totals[kind]["covered"]) for kind in KINDS}


def hosted_tests(command):
    """The tests of the host layer at fault, those of the command, and those that compare with NumPy."""
    tests = [[BUILD / "fault" / path.stem] for path in sorted((ROOT / "tests" / "fault").glob("test_*.c"))]
    tests += [[sys.executable, path, command] for path in sorted((ROOT / "tests" / "cli").glob("*.py"))
              if "__main__" in path.read_text(encoding="utf-8")]
    return tests + [[NUMPY, f"tests/data/{name}.py", BUILD / "tests" / program if program else command]
                    for name, program in DATA.items()]


def sources_of(folder):
    """The files of a folder of src that have code."""
    path = ROOT / "src" / folder
    return sorted([*path.rglob("*.c"), *(path / name for name in PARTS_OF_FILES if (path / name).exists())])


def explain_gaps(profiles, programs, folders):
    """Looks whether each gap of these parts has its reason. Returns how many have, and how many not."""
    sources = [path for folder in folders for path in sources_of(folder)]
    return coverage_gaps.judge(coverage_gaps.find(export(profiles, programs, sources), ROOT), GAPS, folders)


def lines_of_callers(lines):
    """The numbers of the lines that check the caller's arguments."""
    found, inside = set(), False
    for number, line in enumerate(lines, 1):
        inside = (inside or any(f" {name}(" in line for name in FUNCTIONS_OF_CALLERS) and line[0] != " ") and line != "}"
        if inside or any(mark in line for mark in ("SNPY_BAD_ARGUMENT", *NAMES_OF_CALLERS)):
            found.add(number)
        if line.strip().startswith("return") and "SNPY_BAD_ARGUMENT" in line:
            found.add(number - 1)  # the line that decides it
    return found


def conditions_from_files(profiles, programs, sources):
    """MC/DC without the decisions about what a caller hands in: percent, and how many conditions are missing."""
    count = covered = 0
    for entry in export(profiles, programs, sources)["files"]:
        lines = Path(entry["filename"]).read_text(encoding="utf-8").split("\n")
        left_out = lines_of_callers(lines)
        for record in entry["mcdc_records"]:
            if record[0] not in left_out and record[2] not in left_out:
                count += len(record[-1])
                covered += sum(record[-1])
    return {"mcdc": (100 * covered / count, count - covered)}


def write_html(profiles, programs):
    run(["llvm-cov-19", "show", "-format=html", "-show-branches=count", "-show-mcdc", f"-output-dir={BUILD / 'html'}",
         f"-instr-profile={profiles / 'all.profdata'}", programs[0],
         *[word for program in programs[1:] for word in ("-object", program)], *sorted((ROOT / "src").rglob("*.c"))])


def reach_by_suite():
    """What corpus/ alone reaches, and how many of the two tests of it failed."""
    profiles = BUILD / "suite"
    profiles.mkdir()
    tests = [[sys.executable, f"tests/corpus/{name}.py", BUILD / "safenpy"] for name in ("run", "archives")]
    environment = dict(os.environ, LLVM_PROFILE_FILE=f"{profiles}/%4m.profraw")
    failed = 0
    for call in tests:
        done = run(call, env=environment)
        failed += done.returncode != 0
        if done.returncode != 0:
            print(f"FAIL  {' '.join(map(str, call))}\n{done.stdout[-2000:]}")
    return profiles, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="the core, by unit tests and suite")
    parser.add_argument("--check", action="store_true", help="fail below tests/coverage.json")
    parser.add_argument("--write", action="store_true", help="write tests/coverage.json")
    parser.add_argument("--units", help="only these unit tests, to show that a test that is missing is noticed")
    args = parser.parse_args()
    for tool in ("clang-19", "llvm-cov-19", "llvm-profdata-19"):
        if shutil.which(tool) is None:
            print(f"there is no {tool}: sh tools/deps.sh coverage installs it", file=sys.stderr)
            return 2
    shutil.rmtree(BUILD / "suite", ignore_errors=True)
    shutil.rmtree(BUILD / "tests-reach", ignore_errors=True)
    hosted = [] if args.quick else [BUILD / "tests" / name for name in DATA.values() if name]
    build(["programs", "unit-programs", *([] if args.quick else ["fault-programs"]), *hosted])
    profiles = BUILD / "tests-reach"
    profiles.mkdir()
    command = BUILD / "safenpy"
    tests = [[BUILD / "unit" / path.stem] for path in sorted((ROOT / "tests" / "unit").glob("*.c"))
             if not args.units or path.stem in args.units.split(",")]
    if not args.quick:
        tests += hosted_tests(command)
    failed = sum(not execute(call, profiles) for call in tests)
    suite, failed_suite = reach_by_suite()
    failed += failed_suite
    reading, writing = ([ROOT / "src" / "core" / name for name in names] for names in (READING, WRITING))
    rows = {"reading, suite alone": conditions_from_files(suite, [command], reading),
            "writing, suite alone": percentages(suite, [command], writing)}
    programs = [command, *(call[0] for call in tests if call[0] != sys.executable and call[0] != NUMPY), *hosted]
    for path in suite.glob("*.profraw"):
        shutil.copy(path, profiles / f"suite-{path.name}")
    folders = FOLDERS[:1] if args.quick else FOLDERS
    for folder in folders:
        rows[folder] = percentages(profiles, programs, sources_of(folder))
    write_html(profiles, programs)
    print(f"{'':<24}{'lines':>16}{'branches':>16}{'MC/DC':>16}     percent, and how many are missing")
    for name, row in rows.items():
        print(f"{name:<24}" + "".join(f"{row[kind][0]:>9.2f}{row[kind][1]:>7}" if kind in row else " " * 16 for kind in KINDS))
    if args.write:
        record = json.loads(RECORD.read_text(encoding="utf-8")) if args.quick else {}
        record.update({name: {kind: int(100 * row[kind][0]) / 100 for kind in row} for name, row in rows.items()})
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    explained, unexplained = explain_gaps(profiles, programs, folders)
    passed = len(tests) + 2 - failed + explained
    failed += unexplained
    if args.check:
        recorded = json.loads(RECORD.read_text(encoding="utf-8"))
        for name, row in rows.items():
            if name not in recorded:
                print(f"skip  {name}: there is no record of it")
                continue
            for kind in row:
                ok = row[kind][0] + 0.005 >= recorded[name][kind]
                passed += ok
                failed += not ok
                if not ok:
                    print(f"FAIL  {name}: {row[kind][0]:.2f} % of {kind}, recorded {recorded[name][kind]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
