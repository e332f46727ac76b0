#!/usr/bin/env python3
"""Measures what the tests reach: lines, branches and MC/DC of each part of the sources.

    tools/coverage.py            unit tests, suite, command and comparison with NumPy; HTML in build/coverage/html
    tools/coverage.py --quick    the core, by the unit tests and by the suite
    tools/coverage.py --check    fails below the percentages of tests/coverage.json, which --write records

Builds with clang-19 into build/coverage. A unit test that fails there is a failure here; the command's tests, which
measure times and take rights away, are judged by their own parts. What a killed process has reached is not counted. Each part has a row, and reading and writing headers one for the suite alone.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
RECORD = ROOT / "tests" / "coverage.json"
FLAGS = "-O1 -g -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -Wno-error"
KINDS = ("lines", "branches", "mcdc")
NUMPY = "/usr/bin/python3"
# What the suite can reach: reading and writing headers. The rest of the core takes data, pieces and archives.
HEADERS = ("check", "describe", "dtype", "duplicates", "frame", "header", "layout", "literal", "name", "pen", "printable",
           "record", "shape", "write")


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
    done = run(call, env=environment)
    if done.returncode != 0:
        print(f"FAIL  {' '.join(map(str, call))}\n{done.stdout[-2000:]}")
    return done.returncode == 0 or call[0] == sys.executable


def percentages(profiles, programs, sources, html=None):
    """Lines, branches and MC/DC of some sources, in percent, and how many are missing."""
    data = profiles / "all.profdata"
    done = run(["llvm-profdata-19", "merge", "-sparse", "-o", data, *sorted(profiles.glob("*.profraw"))])
    if done.returncode != 0:
        raise SystemExit(done.stdout)
    objects = [word for program in programs[1:] for word in ("-object", program)]
    call = ["llvm-cov-19", "export", "-summary-only", f"-instr-profile={data}", programs[0], *objects, *sources]
    done = run(call)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:])
    totals = json.loads(done.stdout[done.stdout.index("{"):])["data"][0]["totals"]
    if html:
        run(["llvm-cov-19", "show", "-format=html", "-show-branches=count", "-show-mcdc", f"-output-dir={html}",
             f"-instr-profile={data}", programs[0], *objects, *sorted((ROOT / "src").glob("*/*.c"))])
    return {kind: (totals[kind]["percent"], totals[kind]["count"] - totals[kind]["covered"]) for kind in KINDS}


def suite(files):
    """The suite as the command is asked about it: with all flags off, all on, and canonical."""
    command = BUILD / "safenpy"
    for arguments in (["check"], ["check", "--max-header", "524288"], ["check", "--profile", "canonical"],
                      ["info", "--json"]):
        yield [command, *arguments, *files]
    flags = ("int-fortran-order", "numpy-bool", "numpy-int", "list-shape", "int-shape", "list-field", "metadata",
             "native-order", "type-names", "bytes-alias", "platform-float")
    yield [command, "check", "--compat", ",".join(flags), *files]


def reach_by_suite():
    """What corpus/ alone reaches. The command's exit status is 1: it refuses most files, as tests/corpus says."""
    profiles = BUILD / "suite"
    profiles.mkdir()
    files = sorted((ROOT / "corpus").rglob("*.npy"))
    for call in suite(files):
        done = run(call, env=dict(os.environ, LLVM_PROFILE_FILE=f"{profiles}/%4m.profraw"))
        if done.returncode not in (0, 1):
            raise SystemExit(done.stdout[-2000:])
    return profiles


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
    build(["programs", "unit-programs"])
    profiles = BUILD / "tests-reach"
    profiles.mkdir()
    command = BUILD / "safenpy"
    tests = [[BUILD / "unit" / path.stem] for path in sorted((ROOT / "tests" / "unit").glob("*.c"))
             if not args.units or path.stem in args.units.split(",")]
    if not args.quick:
        tests += [[sys.executable, f"tests/{name}", command] for name in ("cli/run.py", "cli/change.py", "corpus/run.py")]
        tests += [[NUMPY, f"tests/data/{name}.py", command] for name in ("cat", "diff", "convert")]
    failed = sum(not execute(call, profiles) for call in tests)
    headers = [ROOT / "src" / "core" / f"{name}.c" for name in HEADERS]
    rows = {"headers, suite alone": percentages(reach_by_suite(), [command], headers)}
    programs = [command, *(call[0] for call in tests if call[0] != sys.executable and call[0] != NUMPY)]
    for path in (BUILD / "suite").glob("*.profraw"):
        shutil.copy(path, profiles / f"suite-{path.name}")
    rows["headers"] = percentages(profiles, programs, headers)
    for folder in ["core"] if args.quick else ["core", "host", "npz", "cli"]:
        sources = sorted((ROOT / "src" / folder).glob("*.c"))
        rows[folder] = percentages(profiles, programs, sources, None if folder != "core" else BUILD / "html")
    print(f"{'':<24}{'lines':>16}{'branches':>16}{'MC/DC':>16}     percent, and how many are missing")
    for name, row in rows.items():
        print(f"{name:<24}" + "".join(f"{row[kind][0]:>9.2f}{row[kind][1]:>7}" for kind in KINDS))
    if args.write:
        RECORD.write_text(json.dumps({name: {kind: int(100 * row[kind][0]) / 100 for kind in KINDS}
                                      for name, row in rows.items()}, indent=1) + "\n", encoding="utf-8")
    passed = len(tests) - failed
    if args.check:
        recorded = json.loads(RECORD.read_text(encoding="utf-8"))
        for name, row in rows.items():
            if name not in recorded:
                print(f"skip  {name}: there is no record of it")
                continue
            for kind in KINDS:
                ok = row[kind][0] + 0.005 >= recorded[name][kind]
                passed += ok
                failed += not ok
                if not ok:
                    print(f"FAIL  {name}: {row[kind][0]:.2f} % of {kind}, recorded {recorded[name][kind]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
