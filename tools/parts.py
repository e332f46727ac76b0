"""The parts of the check: what each runs, which builds it needs, and where it runs.

A part's level is the least check that runs it: fast (`make check FAST=1`), check (`make check`), full (FULL=1). Its
cost is about how many seconds it takes of a processor: the longest begin first.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
DEBIAN = "/usr/bin/python3"  # whose modules tools/deps.sh installs: NumPy, pytest
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"
# Any report of a sanitizer is fatal, and shows where it happened.
SANITIZED_ENV = {
    "SNPY_SANITIZED": "1",
    "ASAN_OPTIONS": "abort_on_error=0:exitcode=86:detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=86",
}


@dataclass(frozen=True)
class Step:
    """A command, and how its tests are counted: by itself, by pytest, by cmocka, or by its exit status."""

    kind: str
    words: tuple
    env: dict


@dataclass(frozen=True)
class Part:
    name: str
    level: str
    cost: int
    needs: tuple
    title: str
    steps: list
    is_build: bool = False
    is_wide: bool = False    # takes half of the processors, if there are more than two
    groups: tuple = ()       # of tools/deps.sh, beside `build` and `test`
    inputs: tuple = ()       # if they are those of the record, it is left out, but for a sample: tools/records.py


def step(kind, *words, env=None):
    return Step(kind, words, env or {})


def counted(script, *words, python=PYTHON, env=None):
    return step("counted", python, script, *words, env=env)


def pytest(*places, build="gcc", env=None, at_once="{width}"):
    """Tests in Python, on one build of the command; more at once than there are processors where most of them wait. One
    that takes 20 minutes hangs: it fails, and shows where."""
    return step("pytest", DEBIAN, "-m", "pytest", *places, "-n", at_once, "--timeout", "1200", "--junit-xml",
                "build/check/{name}.{step}.xml", "--safenpy", f"build/{build}/safenpy", env=env)


def make(*words):
    return step("status", "make", "--no-print-directory", "-C", ROOT, f"-j{os.cpu_count() or 1}", "WERROR=1", *words)


def in_memory():
    """Where small files are in memory: thousands that replace one another would wait for the disk."""
    return {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK | os.X_OK) else {}


def cmocka(directory, pattern, env=None):
    """The test programs of tests/DIRECTORY, sanitized."""
    programs = [f"build/sanitized/{directory}/{path.stem}" for path in sorted((ROOT / "tests" / directory).glob(pattern))]
    return [step("cmocka", program, env={"CMOCKA_MESSAGE_OUTPUT": "STDOUT", **SANITIZED_ENV, **(env or {})})
            for program in programs]


THREADED = ("test_threads", "test_archive")
TSAN_ENV = {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66"}
UNSHUFFLED = ("setarch", "-R")
ADAPTERS = ("safenpy", "safenpy-all-compat", "safenpy-canonical", "safenpy-c")
PROBES = ("probe", "files", "archives")
VALGRIND = ("valgrind", "-q", "--error-exitcode=86", "--leak-check=full")


def other_rooms():
    """The rooms with tests for pytest that have no part of their own."""
    own = {"cli", "corpus", "data", "trace", "spec", "matrix", "mutate", "runner", "planted", "fuzz", "package", "fresh", "site",
           "amalgamation"}
    found = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    return [f"tests/{room}" for room in sorted(found - own)]


def builds():
    """Compilers and flags that must be content, and whose programs the tests take."""
    tests = [f"build/sanitized/tests/{program}" for program in PROBES]
    yield "gcc", "fast", 35, (), "gcc -O2, no warning", [make(
        "BUILD=build/gcc", "CC=gcc", "all", "build/gcc/oracle", "build/gcc/fuzz/feed", "build/gcc/bench/fixed")]
    yield "sanitized", "fast", 60, (), "gcc with sanitizers", [make(
        "BUILD=build/sanitized", "CC=gcc", f"CFLAGS=-O1 -g -fno-omit-frame-pointer {SANITIZE}", "programs",
        "unit-programs", "fault-programs", *tests)]
    yield "gcc-O3", "check", 25, (), "gcc -O3, no warning", [make("BUILD=build/gcc-O3", "CC=gcc", "CFLAGS=-O3", "all")]
    yield "tsan-build", "check", 40, (), "clang with ThreadSanitizer", [make(
        "BUILD=build/tsan", "CC=clang", "CFLAGS=-O1 -g -fsanitize=thread", "programs",
        *(f"build/tsan/unit/{name}" for name in THREADED))]
    yield "clang", "fast", 25, (), "clang -O2, no warning", [make("BUILD=build/clang", "CC=clang", "all")]
    yield "harnesses", "check", 60, (), "fuzz harnesses, no warning", [make("fuzz")]


def commands():
    """The command, on files: the same tests on both builds."""
    for suffix, build, env, slower in (("", "gcc", {}, 1), ("-sanitized", "sanitized", SANITIZED_ENV, 2)):
        title = ", sanitized" if suffix else ""
        yield f"cli{suffix}", "check" if suffix else "fast", 40 * slower, (build,), "command tests" + title, [
            pytest("tests/cli", build=build, env=env, at_once=3)]
        if other_rooms():
            yield f"pytest{suffix}", "check" if suffix else "fast", 10 * slower, (build,), "tests in Python of no other part" + title, [
                pytest(*other_rooms(), build=build, env=env)]
        yield f"corpus{suffix}", "check" if suffix else "fast", 12 * slower, (build,), "corpus" + title, [
            pytest("tests/corpus", build=build, env=env)]


def data():
    """Views, values, copies, files, archives and the command against NumPy, which Debian's Python has."""
    yield "data", "fast", 30, ("sanitized",), "views, copies, files against NumPy", [
        pytest("tests/data", "-k", "not command", build="sanitized", env=SANITIZED_ENV)]
    yield "data-command", "fast", 20, ("sanitized", "gcc"), "cat, diff, convert, pack against NumPy", [
        pytest("tests/data", "-k", "cat or diff", build="sanitized", env=SANITIZED_ENV),
        pytest("tests/data", "-k", "convert or pack")]
    yield "data-mutated", "fast", 20, ("gcc",), "3000 mutated headers and archives each", [
        step("status", DEBIAN, f"fuzz/{script}.py", "build/gcc/fuzz/feed", "--count", "3000")
        for script in ("numpy_server", "numpy_archives")]


def specification():
    """Rules, grammar, suite, runner, and what is generated from them."""
    yield "grammar", "fast", 30, ("gcc",), "grammar against the corpus", [
        step("status", PYTHON, "tools/abnf.py", "spec/grammar.abnf"),
        pytest("tests/spec")]
    yield "trace", "fast", 30, (), "rules, cases, statuses; links", [
        counted("tools/trace.py", "--check"), counted("tools/differences.py", "--check"),
        counted("tools/links.py"), pytest("tests/trace")]
    yield "runner", "check", 70, ("gcc",), "conformance runner, adapters that lie", [pytest("tests/runner")]
    yield "conformance", "fast", 20, ("gcc",), "safenpy through its own adapters", [
        step("status", PYTHON, "corpus/run", "--impl", name, "--safenpy", "build/gcc/safenpy") for name in ADAPTERS]
    yield "package", "check", 80, ("gcc",), "package of the suite, in a fresh environment", [
        pytest("tests/package/test_conformance.py")]
    yield "assurance", "fast", 2, (), "assurance case, planted faults, configurations", [
        counted(f"tools/{script}.py", python=DEBIAN) for script in ("assurance", "qualification", "configurations")]
    yield "records", "fast", 5, (), "pages made from records", [counted("tools/records.py", "--check")]
    yield "page", "fast", 10, (), "page of results", [pytest("tests/matrix", "-k", "not browser and not mutant_is")]
    yield "matrix", "check", 60, (), "page of results, in a browser", [pytest("tests/matrix", "-k", "browser or mutant_is")]
    yield "site", "check", 60, ("gcc",), "site of the documentation, in a browser", [pytest("tests/site", at_once=0)]
    yield "mutate", "fast", 20, (), "mutation tool", [pytest("tests/mutate")]


def javascript(*places):
    return [step("status", "bindings/js/wasm/build.sh"), step("status", "node", "--test", "bindings/js/tests/"),
            *(step("status", PYTHON, "corpus/run", "--suite", suite, "--impl", f"safenpy-js-{place}", "--safenpy", "build/gcc/safenpy")
              for place in places for suite in ("npy", "npz"))]


def library():
    """What is built and installed."""
    yield "demo", "check", 20, (), "make demo, with nothing but a compiler", [pytest("tests/package/test_demo.py")]
    yield "symbols", "fast", 2, ("gcc", "clang"), "symbols, freestanding core", [
        pytest("tests/package/test_symbols.py", "-k", "not O3")]
    yield "symbols-O3", "check", 2, ("gcc-O3",), "freestanding core at -O3", [pytest("tests/package/test_symbols.py", "-k", "O3")]
    yield "install", "fast", 5, ("gcc",), "installed library", [
        pytest("tests/package/test_install.py", "tests/package/test_man3.py")]
    yield "headers", "fast", 15, (), "header cleanliness", [pytest("tests/package/test_headers.py")]
    yield "consumers", "check", 40, (), "projects that use CMake, Meson and Conan", [pytest("tests/package/test_consumers.py")]
    yield "amalgamation", "check", 60, ("gcc",), "the library as three files", [
        make("BUILD=build/gcc", "CC=gcc", "build/gcc/dist/safenpy"), pytest("tests/amalgamation"),
        pytest("tests/corpus", build="gcc/dist")]
    yield "unit", "fast", 30, ("sanitized",), "unit tests, sanitized", cmocka("unit", "*.c")
    yield "fault", "check", 70, ("sanitized",), "failing calls, kills, sanitized", cmocka("fault", "test_*.c", in_memory())
    # clang's, because gcc's warns of the core; it wants addresses that are not random.
    yield "tsan", "check", 40, ("tsan-build",), "threads, under ThreadSanitizer", [
        step("cmocka", *UNSHUFFLED, f"build/tsan/unit/{name}", env={"CMOCKA_MESSAGE_OUTPUT": "STDOUT", **TSAN_ENV})
        for name in THREADED] + [step("pytest", *UNSHUFFLED, DEBIAN, "-m", "pytest", "tests/cli/test_threads.py",
                                      "--safenpy", "build/tsan/safenpy", env=TSAN_ENV)]
    yield "memory", "fast", 60, ("gcc",), "corpus under valgrind", [pytest("tests/package/test_memory.py")]
    yield "python", "check", 100, (), "safenpy for Python, with each Python that is here", [counted("bindings/python/check.py")]
    yield "js", "check", 120, ("gcc",), "safenpy for JavaScript, in Node", javascript("node")
    yield "counts", "fast", 10, ("gcc",), "instructions against the record", [counted("bench/counts.py", "build/gcc")]
    yield "footprint", "fast", 20, (), "code and stack of the core", [counted("tools/footprint.py", "--check")]
    yield "work", "check", 100, (), "work is linear", [counted("tests/growth/run.py")]
    yield "every", "check", 60, (), "every header of a small grammar, against NumPy", [counted("tests/every/run.py", python=DEBIAN)]
    yield "cross", "check", 100, (), "core on other machines", [counted("tests/cross/run.py")]
    yield "lint", "check", 300, (), "lint", [counted("tools/lint.py")]
    yield "misra", "check", 40, (), "MISRA C:2012, complexity", [counted("tools/misra.py")]
    yield "planted", "check", 200, ("gcc",), "faults planted for the gates", [pytest("tests/planted")]


def fuzzing():
    yield "oracle", "check", 10, ("gcc",), "oracle against the corpus", [counted("tests/oracle/run.py", "build/gcc/oracle")]
    yield "fuzz", "check", 150, ("harnesses",), "fuzz harnesses: seeds, coverage", [counted("fuzz/smoke.py", "build/fuzz")]
    yield "fuzz-planted", "check", 300, ("harnesses",), "fuzz harnesses: planted bugs", [
        pytest("tests/fuzz/test_campaign.py", "tests/fuzz/test_planted.py")]
    yield "eacsl", "check", 120, (), "contracts at run time, planted bugs", [pytest("tests/fuzz/test_eacsl.py")]


def proofs():
    yield "report", "check", 3, (), "report of the proofs is up to date", [counted("proofs/report.py", "--check")]
    yield "proofs", "check", 1200, (), "proofs by content (goals)", [counted(
        "proofs/prove.py", "--changed", "--machdep", "gcc_x86_64", "--machdep", "gcc_x86_32", "--log", "build/check/proofs")]
    yield "eva", "check", 400, (), "Eva: functions without a new alarm", [counted("proofs/eva.py", "--log", "build/check/eva")]
    yield "eva-planted", "check", 100, (), "Eva: planted bugs", [counted("proofs/test_eva.py")]
    yield "gate", "check", 1000, (), "the proof gate's own tests", [counted("proofs/test_gate.py")]


def whole():
    """What only the long run does."""
    yield "js-full", "full", 300, ("gcc",), "safenpy for JavaScript, in Node and in a browser", javascript("node", "browser")
    yield "proofs-all", "full", 9000, (), "proofs and smoke tests, three models", [counted("proofs/prove.py", "--full", "--resume")]
    yield "bounded", "full", 600, (), "CBMC on all inputs up to a size, planted bugs", [counted("proofs/bounded.py")]
    yield "cross-all", "full", 900, (), "core on other machines, every build", [counted("tests/cross/run.py", "--all")]
    yield "python-full", "full", 600, ("gcc",), "the package for Python, with the tests of other packages", [
        counted("bindings/python/check.py", "--full")] + [
        step("status", PYTHON, "corpus/run", "--impl", f"safenpy-python-{way}", "--safenpy", "build/gcc/safenpy")
        for way in ("file", "memory", "stream", "map")]
    yield "python-fuzz", "full", 3600, (), "the package for Python, under atheris", [counted("bindings/python/check.py", "--fuzz", "3600")]
    yield "coverage", "full", 900, (), "what the tests reach", [counted("tools/coverage.py", "--check")]
    yield "object-coverage", "full", 100, ("gcc",), "instructions of the core that the suite runs", [
        counted("tools/object_coverage.py", "build/gcc")]
    yield "salvage", "full", 60, ("sanitized",), "archives cut at every byte", [step(
        "cmocka", "build/sanitized/unit/test_salvage", env={"CMOCKA_MESSAGE_OUTPUT": "STDOUT", **SANITIZED_ENV, "SNPY_EVERY_BYTE": "1"})]
    yield "ports", "full", 600, ("gcc",), "the command with musl, on a big-endian machine, on Windows", [pytest("tests/package/test_ports.py")]
    yield "tarball", "full", 900, (), "the tarball, without git and apt", [pytest("tests/package/test_dist.py", at_once=1)]
    yield "abi", "full", 100, (), "binary interface, against the last release", [pytest("tests/package/test_abi.py")]
    yield "reproducible", "full", 900, (), "what is shipped, built twice", [pytest("tests/package/test_reproducible.py", at_once=1)]
    yield "release", "full", 600, (), "files of a release, and what binds evidence to them", [
        pytest("tests/package/test_release.py", at_once=1)]
    yield "fresh", "full", 900, (), "a fresh Debian 12", [pytest("tests/fresh")]


# What the long run does instead.
INSTEAD = {"proofs": "proofs-all", "cross": "cross-all", "python": "python-full", "js": "js-full"}
WIDE = {"runner", "matrix", "planted", "fuzz-planted", "lint", "proofs", "proofs-all", "gate", "eva", "eva-planted"}
GROUPS = {"amalgamation": ("compilers",), "consumers": ("consumers",), "js": ("js",), "js-full": ("js", "page"),
          "ports": ("compilers", "cross", "windows"), "matrix": ("page",), "site": ("page", "site", "js"), "harnesses": ("fuzz",),
          "eacsl": ("prove", "eacsl"), "lint": ("lint",), "misra": ("lint",), "cross-all": ("cross",),
          "coverage": ("coverage",), "fresh": ("fresh",), "abi": ("release",), "reproducible": ("js", "release"), "release": ("js", "release"),
          **dict.fromkeys(("report", "proofs", "eva", "eva-planted", "gate", "proofs-all"), ("prove",))}
SOURCES = ("src", "include", "Makefile", "tools/parts.py")
# What runs under sanitizers, valgrind or emulators besides what runs plainly, or takes long and changes with few files.
INPUTS = {"misra": ("docs/misra.md", "tools/misra.py"), "cli-sanitized": ("corpus", "spec", "tests/cli"), "corpus-sanitized": ("corpus", "spec", "tests/corpus"),
          "amalgamation": ("corpus", "tests/amalgamation", "tests/corpus", "tests/cross", "tools/amalgamate.py"),
          "consumers": ("CMakeLists.txt", "cmake", "conanfile.py", "meson.build", "meson_options.txt", "tests/package"),
          "data-command": ("tests/data",), "memory": ("corpus", "tests/package"), "cross": ("corpus", "tests/cross", "tests/unit"),
          "site": ("*.md", "*/*.md", "*/*/*.md", "bindings/js", "bindings/python", "docs", "examples", "man", "spec", "tests/site", "corpus/matrix",
                   "corpus/manifest.json"),
          "python": ("bindings/python", "corpus", "docs/python.md"), "work": ("tests/growth",), "every": ("tests/every",), "js": ("bindings/js", "corpus", "tests/matrix/browser.py"),
          "fuzz": ("corpus", "fuzz", "tests/oracle"), "fault": ("tests/fault", "tests/unit")}
# What tests the suite and its runner: the command is only one of the readers that they run, and `conformance` shows
# what it says.
SUITE = {"runner": ("corpus", "tests/runner", "tools/parts.py"), "package": ("corpus", "tests/package", "tools/parts.py")}
PARTS = [Part(*row, is_build=group is builds, is_wide=row[0] in WIDE, groups=GROUPS.get(row[0], ()),
              inputs=SOURCES + INPUTS[row[0]] if row[0] in INPUTS else SUITE.get(row[0], ()))
         for group in (builds, commands, data, specification, library, fuzzing, proofs, whole) for row in group()]
