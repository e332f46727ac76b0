#!/usr/bin/env python3
"""Runs every check of the project and adds up what they say: one part after the other, the proofs beside them.

    tools/check.py                  everything
    tools/check.py --fast           without what takes long
    tools/check.py --only unit,cli  these parts

A part that fails, says nothing, or runs no test at all is a failure; the parts behind it run all the same.
What a part printed is kept in build/check/PART.log and shown when it fails. The last line, and only it, is
`N passed, N failed`: the sum over all parts. Proofs count their goals.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"
# Any report of a sanitizer is fatal, and shows where it happened.
SANITIZED_ENV = {
    "SNPY_SANITIZED": "1",
    "ASAN_OPTIONS": "abort_on_error=0:exitcode=86:detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=86",
}
LIMIT = 5000  # seconds after which a part counts as hung
SUMMARY = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, \d+ skipped)?$")
# What an optimising compiler may call even in a freestanding program.
FREESTANDING = {"memcpy", "memmove", "memset", "memcmp"}


class Part:
    """The tests of one part: each named, passed or failed, with what it printed."""

    def __init__(self, log):
        self.passed = self.failed = 0
        self.processor = 0.0  # seconds that the commands took of it, whatever else the machine did
        self.log = log

    def write(self, text):
        self.log.write(text if text.endswith("\n") or not text else text + "\n")
        self.log.flush()

    def test(self, name, ok, text=""):
        self.passed += bool(ok)
        self.failed += not ok
        self.write(f"{'ok  ' if ok else 'FAIL'}  {name}")
        if text and not ok:
            self.write(text)

    def run(self, call, env=None, cwd=ROOT, quiet=False):
        """Runs a command; returns its exit status and what it printed."""
        if not quiet:
            self.write("$ " + " ".join(str(word) for word in call))
        environment = dict(os.environ, LC_ALL="C.UTF-8", **(env or {}))
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FAST", "PART"):  # of the make that called us
            environment.pop(name, None)
        try:
            process = subprocess.Popen(call, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace",
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except OSError as error:
            return 127, str(error)
        hung = threading.Timer(LIMIT, process.kill)
        hung.start()
        with process.stdout:
            text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # it is reaped: Popen need not ask
        self.processor += usage.ru_utime + usage.ru_stime
        if hung.finished.is_set():
            return 124, text + f"did not end within {LIMIT} s"
        hung.cancel()
        return process.returncode, text

    def command(self, name, call, env=None, cwd=ROOT):
        """One test: the command must succeed."""
        status, text = self.run(call, env, cwd)
        self.test(name, status == 0, text)
        return status == 0

    def counted(self, name, call, env=None):
        """Tests that count themselves: the last line that says how many passed is believed, if there were any."""
        status, text = self.run(call, env)
        self.write(text)
        lines = [match for match in map(SUMMARY.match, text.splitlines()) if match]
        passed, failed = (int(lines[-1].group(1)), int(lines[-1].group(2))) if lines else (0, 0)
        self.passed += passed
        self.failed += failed
        if passed + failed == 0:
            self.test(f"{name}: no test ran (exit status {status})", False)
        elif status != 0 and failed == 0:
            self.test(f"{name}: exit status {status}, though it counts no failure", False)
        elif status == 0 and failed != 0:
            self.test(f"{name}: exit status 0, though it counts failures", False)


def make(*words):
    return ["make", "--no-print-directory", "-C", str(ROOT), f"-j{os.cpu_count() or 1}", *words]


BROKEN = set()  # builds that failed: what they said is shown once


def build_once(part, name, *words):
    """Builds a variant that a part needs; the result is a test only in the parts that build."""
    status, text = part.run(make(f"BUILD=build/{name}", "WERROR=1", *words))
    if status != 0:
        key = (name, *words)
        part.test(f"build of {name}", False, "it failed before, see above" if key in BROKEN else text)
        BROKEN.add(key)
    return status == 0


def sanitized(part, target="programs"):
    return build_once(part, "sanitized", "CC=gcc", f"CFLAGS=-O1 -g -fno-omit-frame-pointer {SANITIZE}", target)


# --- the parts ---------------------------------------------------------------------------------------------


def part_gcc(part):
    part.command("gcc -O2, no warning", make("BUILD=build/gcc", "CC=gcc", "WERROR=1", "all"))
    part.command("gcc -O3, no warning", make("BUILD=build/gcc-O3", "CC=gcc", "CFLAGS=-O3", "WERROR=1", "all"))


def part_clang(part):
    part.command("clang -O2, no warning", make("BUILD=build/clang", "CC=clang", "WERROR=1", "all"))


def in_memory():
    """Where small files are in memory: thousands that replace one another would wait for the disk."""
    return {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK | os.X_OK) else {}


def cmocka_programs(part, directory, pattern, env=None):
    """Builds the test programs of tests/DIRECTORY with sanitizers, runs them and counts their tests."""
    sources = sorted((ROOT / "tests" / directory).glob(pattern))
    if not sources or not sanitized(part, f"{directory}-programs"):
        part.test(f"there are {directory} tests", bool(sources))
        return
    for path in sources:
        program = BUILD / "sanitized" / directory / path.stem
        status, text = part.run([program], {"CMOCKA_MESSAGE_OUTPUT": "STDOUT", **SANITIZED_ENV, **(env or {})})
        part.write(text)
        ran = sum(int(n) for n in re.findall(r"^\[=+\] (?:.*: )?(\d+) test\(s\) run\.", text, re.MULTILINE))
        good = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) test\(s\)\.", text, re.MULTILINE))
        part.passed += good
        part.failed += max(ran - good, 0)
        if ran == 0 or (status != 0) != (good < ran):
            part.test(f"{path.name}: {ran} tests ran, exit status {status}", False)


def part_unit(part):
    cmocka_programs(part, "unit", "*.c")


def part_fault(part):
    """System calls that fail, processes that are killed."""
    cmocka_programs(part, "fault", "test_*.c", in_memory())


CLI_TESTS = ("tests/cli/run.py", "tests/cli/change.py", "tests/cli/pack.py", "tests/cli/corners.py")


def part_cli(part):
    if build_once(part, "gcc", "CC=gcc", "programs"):
        for script in CLI_TESTS:
            part.counted(script, [sys.executable, script, "build/gcc/safenpy"])


def part_cli_sanitized(part):
    if sanitized(part):
        for script in CLI_TESTS:
            part.counted(script, [sys.executable, script, "build/sanitized/safenpy"], SANITIZED_ENV)


def pytest_run(part, build, env=None):
    """The tests that pytest collects, on one build of the command; each of them counts."""
    status, text = part.run(["/usr/bin/python3", "-m", "pytest", "-n", "auto", "--safenpy", f"build/{build}/safenpy"], env)
    part.write(text)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)\b", text.splitlines()[-1])}
    part.passed += counts.get("passed", 0)
    part.failed += counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    if (status != 0) != (part.failed > 0) or part.passed == 0:
        part.test(f"pytest: exit status {status}, {counts}", False)


def part_pytest(part):
    if build_once(part, "gcc", "CC=gcc", "all"):
        pytest_run(part, "gcc")


def part_pytest_sanitized(part):
    if sanitized(part):
        pytest_run(part, "sanitized", SANITIZED_ENV)


def part_corpus(part):
    if build_once(part, "gcc", "CC=gcc", "programs"):
        part.counted("tests/corpus", [sys.executable, "tests/corpus/run.py", "build/gcc/safenpy"])
        part.counted("tests/corpus", [sys.executable, "tests/corpus/archives.py", "build/gcc/safenpy"])


def part_corpus_sanitized(part):
    if sanitized(part):
        part.counted("tests/corpus", [sys.executable, "tests/corpus/run.py", "build/sanitized/safenpy"], SANITIZED_ENV)
        part.counted("tests/corpus", [sys.executable, "tests/corpus/archives.py", "build/sanitized/safenpy"],
                     SANITIZED_ENV)


def part_data(part):
    """Views, values, copies, files, archives and the command against NumPy, which Debian's Python has; under the sanitizers."""
    for script, program in (("run.py", "probe"), ("files.py", "files"), ("archives.py", "archives")):
        path = f"build/sanitized/tests/{program}"
        if build_once(part, "sanitized", "CC=gcc", f"CFLAGS=-O1 -g -fno-omit-frame-pointer {SANITIZE}", path):
            part.counted(f"tests/data/{script}", ["/usr/bin/python3", f"tests/data/{script}", path], SANITIZED_ENV)
    if sanitized(part):
        for script in ("cat.py", "diff.py"):
            part.counted(f"tests/data/{script}", ["/usr/bin/python3", f"tests/data/{script}", "build/sanitized/safenpy"],
                         SANITIZED_ENV)
    if build_once(part, "gcc", "CC=gcc", "programs"):
        for script in ("convert.py", "pack.py"):
            part.counted(f"tests/data/{script}", ["/usr/bin/python3", f"tests/data/{script}", "build/gcc/safenpy"])
    if build_once(part, "gcc", "CC=gcc", "build/gcc/fuzz/feed"):
        for what, script in (("headers", "numpy_server"), ("archives", "numpy_archives")):
            part.command(f"3000 mutated {what}, no finding",
                         ["/usr/bin/python3", f"fuzz/{script}.py", "build/gcc/fuzz/feed", "--count", "3000"])


def part_grammar(part):
    """The grammar is sound, and derives what the suite says it should."""
    part.command("spec/grammar.abnf is well-formed", [sys.executable, "tools/abnf.py", "spec/grammar.abnf"])
    if build_once(part, "gcc", "CC=gcc", "programs"):
        part.counted("tests/spec", [sys.executable, "tests/spec/run.py", "build/gcc/safenpy"])


def part_trace(part):
    """Each rule with its cases, each status with its rule; and what is generated from them is up to date."""
    part.counted("trace", [sys.executable, "tools/trace.py", "--check"])
    part.counted("differences", [sys.executable, "tools/differences.py", "--check"])
    part.counted("campaign", [sys.executable, "fuzz/campaign.py", "--check"])
    part.counted("links", [sys.executable, "tools/links.py"])
    part.counted("tests/trace", [sys.executable, "tests/trace/run.py"])


def part_runner(part):
    """The conformance runner against adapters that lie; then safenpy through its own adapters."""
    if not build_once(part, "gcc", "CC=gcc", "programs"):
        return
    part.counted("tests/runner", [sys.executable, "tests/runner/run.py", "build/gcc/safenpy"])
    for name in ("safenpy", "safenpy-all-compat", "safenpy-canonical", "safenpy-c"):
        part.command(f"corpus/run --impl {name}",
                     [sys.executable, "corpus/run", "--impl", name, "--safenpy", "build/gcc/safenpy"])


def part_mutate(part):
    """The tool that plants mistakes counts rightly."""
    part.counted("tests/mutate", [sys.executable, "tests/mutate/test_mutate.py"])


def part_matrix(part):
    """The page of results: up to date, and right in a browser."""
    part.command("corpus/matrix/index.html and the table of the README are up to date",
                 [sys.executable, "corpus/matrix/make_matrix.py", "--check", "--readme", "README.md"])
    part.counted("tests/matrix", [sys.executable, "tests/matrix/run.py"])


def part_memory(part):
    """Reads of uninitialised memory, over the whole corpus: valgrind sees what the sanitizers do not."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "corpus").rglob("*.npy"))
    if not files or not build_once(part, "gcc", "CC=gcc", "programs"):
        part.test("there are corpus files", bool(files))
        return
    for arguments in (["check"], ["check", "--json", "--profile", "canonical"], ["info", "--json"]):
        call = ["valgrind", "-q", "--error-exitcode=86", "--leak-check=full", "build/gcc/safenpy", *arguments, *files]
        status, text = part.run(call)
        part.test(f"valgrind safenpy {' '.join(arguments)}", status in (0, 1) and "== " not in text, text[-4000:])


def part_fuzz(part):
    """The oracle against the corpus; then each harness: its seeds, its coverage, a moment of fuzzing; planted bugs."""
    if build_once(part, "gcc", "CC=gcc", "build/gcc/oracle"):
        part.counted("tests/oracle", [sys.executable, "tests/oracle/run.py", "build/gcc/oracle"])
    if part.command("make fuzz, no warning", make("WERROR=1", "fuzz")):
        part.counted("fuzz/smoke.py", [sys.executable, "fuzz/smoke.py", "build/fuzz"])
        part.counted("fuzz/test_campaign.py", [sys.executable, "fuzz/test_campaign.py", "build/fuzz"])
        part.counted("fuzz/test_gate.py", [sys.executable, "fuzz/test_gate.py", "build/fuzz"])


def part_eacsl(part):
    """Contracts at run time: AFL++ finds planted bugs by them, and nothing without one."""
    part.counted("fuzz/test_eacsl.py", [sys.executable, "fuzz/test_eacsl.py"])


def part_demo(part):
    """What the README's first line does: a C compiler, make, and nothing else."""
    shutil.rmtree(BUILD / "demo", ignore_errors=True)
    status, text = part.run(make("BUILD=build/demo", "demo"))
    part.write(text)
    verdicts = len(re.findall(r"\b(?:accept|reject)", text))
    part.test(f"make demo ({verdicts} verdicts)", status == 0 and verdicts > 1, text)
    status, text = part.run(make("BUILD=build/bare", "ARCHIVES=no", "WERROR=1", "programs"))
    part.test("make without zlib and libdeflate says so", status == 0 and "built without archives" in text, text)
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(b"PK\5\6" + bytes(18))
        file.flush()
        status, text = part.run([BUILD / "bare" / "safenpy", "check", file.name])
        part.test("and so does the command", status == 2 and "this build reads none" in text, text)


def symbols_of(part, path, *options):
    status, text = part.run(["nm", "-P", *options, str(path)], quiet=True)
    if status != 0:
        part.test(f"nm {path}", False, text)
    return [line.split() for line in text.splitlines() if len(line.split()) >= 2]


def part_symbols(part):
    """What the libraries export and what the core needs from outside."""
    if not build_once(part, "gcc", "CC=gcc", "all"):
        return
    declared = set()
    for header in sorted((ROOT / "include" / "safenpy").glob("*.h")):
        declared |= set(re.findall(r"SNPY_API[^;()]*?\b(\w+)\(", header.read_text(encoding="utf-8")))
    declared -= {"__attribute__"}
    part.test("the headers declare functions", len(declared) > 3, str(declared))

    exported = {words[0] for words in symbols_of(part, BUILD / "gcc" / "libsafenpy.so", "-D", "--defined-only")}
    exported = {name.split("@")[0] for name in exported} - {"SAFENPY_0"}
    part.test("the shared library exports what the headers declare", not declared - exported,
              f"missing: {sorted(declared - exported)}")
    part.test("and nothing else", not exported - declared, f"too many: {sorted(exported - declared)}")

    named = [words for words in symbols_of(part, BUILD / "gcc" / "libsafenpy.a", "-g", "--defined-only")
             if not words[0].startswith("snpy_") and not words[0].endswith(":")]
    part.test("every global name of the static library begins with snpy_", not named, str(named))

    for build in ("gcc", "gcc-O3", "clang"):
        if build != "gcc" and not build_once(part, build, *{"gcc-O3": ("CC=gcc", "CFLAGS=-O3"), "clang": ("CC=clang",)}[build], "all"):
            continue
        objects = sorted((BUILD / build / "static" / "core").glob("*.o"))
        present = {p.stem for p in (ROOT / "src" / "core").glob("*.c")}
        objects = [path for path in objects if path.stem in present]
        defined, needed, written = set(), set(), []
        for path in objects:
            for words in symbols_of(part, path, "-g"):
                (needed if words[1] == "U" else defined).add(words[0])
            written += [f"{path.name}: {words[0]}" for words in symbols_of(part, path) if words[1] in "bBdDC"]
        foreign = needed - defined - FREESTANDING - {"_GLOBAL_OFFSET_TABLE_"}
        part.test(f"the core stands alone ({build})", objects and not foreign, f"from outside: {sorted(foreign)}")
        part.test(f"the core has no variable data ({build})", objects and not written, str(written))


PROGRAM = """\
#include <safenpy/safenpy.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    unsigned char bytes[128];
    const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {0};
    snpy_header header;
    snpy_error error;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\\x93NUMPY\\1\\0\\x76\\0", 10);
    memcpy(bytes + 10, text, sizeof text - 1);
    bytes[127] = '\\n';
    if (snpy_parse_header(bytes, sizeof bytes, &options, &table, &header, &error) != SNPY_OK) return 1;
    if (strcmp(snpy_version(), SNPY_VERSION_STRING) != 0) return 2;
    if (header.count != 12 || header.data_size != 96 || header.ndim != 2) return 3;
    printf("%s %s\\n", snpy_version(), snpy_status_name(error.status));
    return 0;
}
"""


def part_install(part):
    """Installs into an empty place, and uses from there what a user would."""
    if not build_once(part, "gcc", "CC=gcc", "all"):
        return
    with tempfile.TemporaryDirectory(prefix="safenpy-install-") as temporary:
        work = Path(temporary)
        words = ["BUILD=build/gcc", "CC=gcc", "PREFIX=/opt/safe", f"DESTDIR={work}/root"]
        if not part.command("make install", make(*words, "install")):
            return
        prefix = work / "root" / "opt" / "safe"
        for name in ("bin/safenpy", "lib/libsafenpy.a", "lib/libsafenpy.so", "lib/pkgconfig/safenpy.pc",
                     "include/safenpy/safenpy.h", "share/man/man1/safenpy.1"):
            part.test(f"{name} is installed", (prefix / name).exists())
        part.command("the installed command runs", [prefix / "bin" / "safenpy", "--version"])
        soname = part.run(["readelf", "-d", prefix / "lib" / "libsafenpy.so"])[1]
        part.test("soname libsafenpy.so.0", "soname: [libsafenpy.so.0]" in soname, soname)
        part.test("libsafenpy.so.0 is a link to the library", (prefix / "lib" / "libsafenpy.so.0").is_symlink())

        (work / "use.c").write_text(PROGRAM, encoding="ascii")
        found = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(work / "root")}
        flags = part.run(["pkg-config", "--cflags", "--libs", "safenpy"], found)[1].split()
        part.test("pkg-config knows safenpy", "-lsafenpy" in flags, str(flags))
        static_flags = part.run(["pkg-config", "--static", "--cflags", "--libs", "safenpy"], found)[1].split()
        part.test("and what the static library needs", "-ldeflate" in static_flags and "-lz" in static_flags,
                  str(static_flags))
        version = part.run(["pkg-config", "--modversion", "safenpy"], found)[1].strip()
        part.test("and its version", re.fullmatch(r"\d+\.\d+\.\d+", version), version)
        for compiler in ("gcc", "clang"):
            for kind, extra in (("shared", flags), ("static", ["-static", *static_flags])):
                call = [compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "use.c", *extra, "-o", f"use-{kind}"]
                if part.command(f"{compiler}: a program with the {kind} library compiles", call, cwd=work):
                    part.command(f"{compiler}: and runs", [work / f"use-{kind}"],
                                 {"LD_LIBRARY_PATH": str(prefix / "lib")}, cwd=work)
        part.command("make uninstall", make(*words, "uninstall"))
        left = [str(path) for path in (work / "root").rglob("*") if not path.is_dir()]
        part.test("uninstall leaves nothing", not left, str(left))


def part_headers(part):
    """Each public header alone, in every dialect that a user may include it from."""
    dialects = [
        ("gcc", "-std=c99", "c"), ("gcc", "-std=c11", "c"), ("gcc", "-std=c2x", "c"), ("clang", "-std=c99", "c"),
        ("clang", "-std=c2x", "c"), ("g++", "-std=c++98", "c++"), ("g++", "-std=c++20", "c++"),
        ("clang", "-std=c++17", "c++"),
    ]
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
    for header in sorted((ROOT / "include" / "safenpy").glob("*.h")):
        for compiler, standard, language in dialects:
            flags = [*warnings, standard, "-x", language, "-Iinclude"]
            if language == "c":
                flags.append("-Wstrict-prototypes")
            if standard == "-std=c++98":
                flags += ["-Wno-long-long", "-Wno-variadic-macros"]
            with tempfile.NamedTemporaryFile("w", suffix=".c", encoding="ascii") as file:
                file.write(f"#include <safenpy/{header.name}>\n#include <safenpy/{header.name}>\n"
                           "int used(void);\nint used(void) { return 0; }\n")
                file.flush()
                part.command(f"{header.name} with {compiler} {standard}", [compiler, *flags, file.name])


def part_counts(part):
    """What a fixed set of calls costs, in instructions, against the record."""
    if build_once(part, "gcc", "CC=gcc", "build/gcc/bench/fixed"):
        part.counted("bench/counts", [sys.executable, "bench/counts.py", "build/gcc"])


def part_work(part):
    """Inputs that grow: work may grow no faster."""
    part.counted("tests/growth", [sys.executable, "tests/growth/run.py"])


def part_cross(part):
    """The core by other compilers on other machines, one build each; `make cross` has all of them."""
    part.counted("tests/cross", [sys.executable, "tests/cross/run.py"])


def part_footprint(part):
    """Code and stack of the core against the committed table; cross compilers that are not here are skipped."""
    part.counted("footprint", [sys.executable, "tools/footprint.py", "--check"])


def part_planted(part):
    """Faults planted in front of the gates below tools/: each must turn red, with its own complaint."""
    part.counted("tests/planted", [sys.executable, "tests/planted/run.py"])


def part_lint(part):
    part.counted("lint", [sys.executable, "tools/lint.py"])


def part_proofs(part):
    """From scratch what is not recorded as it is now, what is younger than the last whole run, and a sample of the rest; under
    two of the three machine models, for time: ppc_32 is in a whole run (`proofs/prove.py --full`), and on the page."""
    part.counted("report", [sys.executable, "proofs/report.py", "--check"])
    part.counted("proofs", [sys.executable, "proofs/prove.py", "--changed", "--machdep", "gcc_x86_64", "--machdep", "gcc_x86_32",
                            "--log", "build/check/proofs"])


def part_eva(part):
    """Abstract interpretation, in minutes; then planted bugs and holes."""
    part.counted("proofs/eva.py", [sys.executable, "proofs/eva.py", "--log", "build/check/eva"])
    part.counted("proofs/test_eva.py", [sys.executable, "proofs/test_eva.py"])


def part_gate(part):
    part.counted("gate", [sys.executable, "proofs/test_gate.py"])


PARTS = [
    ("demo", part_demo, "make demo, with nothing but a compiler"),
    ("gcc", part_gcc, "gcc, -Werror"),
    ("clang", part_clang, "clang, -Werror"),
    ("unit", part_unit, "unit tests, sanitized"),
    ("fault", part_fault, "failing calls, kills, sanitized"),
    ("cli", part_cli, "command tests"),
    ("cli-sanitized", part_cli_sanitized, "command tests, sanitized"),
    ("pytest", part_pytest, "tests that pytest collects"),
    ("pytest-sanitized", part_pytest_sanitized, "tests that pytest collects, sanitized"),
    ("corpus", part_corpus, "corpus"),
    ("corpus-sanitized", part_corpus_sanitized, "corpus, sanitized"),
    ("data", part_data, "views, copies, files, archives against NumPy"),
    ("fuzz", part_fuzz, "oracle, fuzz harnesses, planted bugs"),
    ("eacsl", part_eacsl, "contracts at run time, planted bugs"),
    ("grammar", part_grammar, "grammar against the corpus"),
    ("runner", part_runner, "conformance runner"),
    ("trace", part_trace, "rules, cases, statuses; links"),
    ("matrix", part_matrix, "page of results"),
    ("mutate", part_mutate, "mutation tool"),
    ("memory", part_memory, "corpus under valgrind"),
    ("symbols", part_symbols, "symbols, freestanding core"),
    ("install", part_install, "installed library"),
    ("headers", part_headers, "header cleanliness"),
    ("counts", part_counts, "instructions against the record"),
    ("work", part_work, "work is linear"),
    ("cross", part_cross, "core on other machines"),
    ("footprint", part_footprint, "code and stack of the core"),
    ("planted", part_planted, "faults planted for the gates"),
    ("lint", part_lint, "lint"),
    ("eva", part_eva, "Eva: functions without a new alarm"),
    ("proofs", part_proofs, "proofs by content (goals)"),
    ("gate", part_gate, "the proof gate's own tests"),
]
PROOFS = {"eva", "proofs", "gate"}
SLOW = {"fuzz", "eacsl", "work", "cross", "planted", "lint", "eva", "proofs", "gate"}


def run_part(logs, name, function, title):
    """Runs a part and says what became of it; returns how many tests passed and failed, and the processor's time."""
    path = logs / f"{name}.log"
    begun = time.monotonic()
    with path.open("w", encoding="utf-8") as log:
        part = Part(log)
        try:
            function(part)
        except Exception as error:  # a part that breaks is a part that fails; the others still run
            part.test(f"{name} broke: {error!r}", False)
    if part.passed + part.failed == 0:
        part.failed = 1
    verdict = "ok  " if part.failed == 0 else "FAIL"
    text = f"{verdict}  {title:<40}{part.passed:>7} ok {part.failed:>5} bad {time.monotonic() - begun:>8.1f} s"
    text += f"  processor {part.processor:>7.1f} s\n"
    if part.failed:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if len(lines) > 60:
            text += f"  | … the whole of it is in {path.relative_to(ROOT)}\n"
        text += "".join(f"  | {line}\n" for line in lines[-60:])
    print(text, end="", flush=True)
    return part.passed, part.failed, part.processor


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--fast", action="store_true", help="leave out " + ", ".join(sorted(SLOW)))
    parser.add_argument("--only", metavar="PART,…", help="only these of: " + ", ".join(name for name, _, _ in PARTS))
    args = parser.parse_args()
    chosen = PARTS
    if args.only:
        names = args.only.split(",")
        unknown = set(names) - {name for name, _, _ in PARTS}
        if unknown:
            parser.error(f"no part named {', '.join(sorted(unknown))}")
        chosen = [part for part in PARTS if part[0] in names]
    elif args.fast:
        chosen = [part for part in chosen if part[0] not in SLOW]

    logs = BUILD / "check"
    logs.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    # Proofs share nothing with the other parts, and these leave a processor idle most of the time.
    chains = [[part for part in chosen if (part[0] in PROOFS) == wanted] for wanted in (False, True)]
    with ThreadPoolExecutor(max_workers=len(chains)) as pool:
        results = [result for chain in pool.map(lambda chain: [run_part(logs, *part) for part in chain], chains)
                   for result in chain]
    passed, failed, processor = (sum(numbers) for numbers in zip(*results))
    print(f"all of it took {time.monotonic() - started:.0f} s, {processor:.0f} s of a processor")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
