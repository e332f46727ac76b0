"""The three files that `make amalgamation` writes: other compilers, other machines, parts left out, the same code.

The part of the check runs the corpus on a command made of them, too.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.amalgamation.objects import differences
from tests.cross.run import Tally, against_manifest, write_cases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wcast-qual", "-Werror"]
C99 = ["-std=c99", "-Wstrict-prototypes"]
# Where a size_t has 32 bits, it never exceeds the largest file.
SMALL = [*C99, "-ffreestanding", "-Wno-type-limits", "-Wno-tautological-constant-out-of-range-compare"]
CPLUSPLUS = ["-x", "c++", "-std=c++20", "-Wno-narrowing", "-Wno-missing-field-initializers"]
CORTEX = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"]
CORE = {
    "gcc-m32": ["gcc", "-m32", "-O2", *SMALL],
    "clang-m32": ["clang", "-m32", "-O2", *SMALL],
    "tcc": ["tcc", "-std=c99"],
    "musl": ["musl-gcc", "-O2", *C99],
    "g++": ["g++", "-O2", *CPLUSPLUS],
    "clang++": ["clang++", "-O2", *CPLUSPLUS],
    "cortex-m4": [*CORTEX, "-Os", *SMALL],
    "riscv32": ["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-Os", *SMALL],
    "riscv64": ["riscv64-unknown-elf-gcc", "-O2", "-ffreestanding", *C99],
    "s390x": ["s390x-linux-gnu-gcc", "-O2", *C99],
}
HOST = {"clang": ["clang", "-O2", *C99], "s390x": ["s390x-linux-gnu-gcc", "-O2", *C99, "-DSNPY_WITHOUT_ZIP"],
        "musl": ["musl-gcc", "-O2", *C99, "-DSNPY_WITHOUT_ZIP"]}
PARTS = re.findall(r'^    "(SNPY_WITHOUT_\w+)"', (ROOT / "tools" / "amalgamate.py").read_text(encoding="utf-8"), re.MULTILINE)
LEAVE_OUT = [*PARTS, "SNPY_WITHOUT_MESSAGES"]
SOME = [[], *([part] for part in LEAVE_OUT), LEAVE_OUT]
FULL = os.environ.get("SNPY_FULL") == "1"


def run(*call, **more):
    done = subprocess.run(list(map(str, call)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def amalgamate(place, seed="0"):
    run(sys.executable, ROOT / "tools" / "amalgamate.py", place, env=os.environ | {"PYTHONHASHSEED": seed})
    return place


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    return amalgamate(tmp_path_factory.mktemp("dist"))


def compile_(call, source, place, *more):
    if shutil.which(call[0]) is None:
        pytest.skip(f"no {call[0]}")
    run(*call, *WARNINGS, *(word for word in call if word.startswith("-Wno-")), *more, "-c", "-o", place / "object.o", source)


def test_the_same_sources_give_the_same_bytes(dist, tmp_path):
    other = amalgamate(tmp_path, "1")
    names = sorted(path.name for path in dist.iterdir())
    assert names == ["safenpy.c", "safenpy.h", "safenpy_host.c"]
    assert all((dist / name).read_bytes() == (other / name).read_bytes() for name in names)


def test_nothing_of_the_proofs_is_left(dist):
    text = "".join(path.read_text(encoding="utf-8") for path in dist.iterdir())
    assert not re.findall(r"/\*@|//@|#include \"(?!safenpy\.h)|clang-format|NOLINT|[^\n]\\old|\\result|\\forall", text)


@pytest.mark.parametrize("compiler", CORE)
def test_core_compiles_without_a_warning(dist, tmp_path, compiler):
    compile_(CORE[compiler], dist / "safenpy.c", tmp_path)


@pytest.mark.parametrize("compiler", HOST)
def test_host_compiles_without_a_warning(dist, tmp_path, compiler):
    compile_(HOST[compiler], dist / "safenpy_host.c", tmp_path)


@pytest.mark.parametrize("dialect", ["-std=c++11", "-std=c++20"])
def test_header_is_for_programs_in_cplusplus(dist, tmp_path, dialect):
    (tmp_path / "use.cpp").write_text('#include "safenpy.h"\nint main() { return snpy_version() == nullptr; }\n', encoding="ascii")
    compile_(["g++", dialect], tmp_path / "use.cpp", tmp_path, "-I", dist)


@pytest.mark.skipif(not FULL, reason="with SNPY_FULL=1 only: installs zig")
def test_zig_compiles_core_and_host(dist, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "ziglang")
    for target in ("x86_64-linux-musl", "aarch64-linux-musl", "x86_64-macos", "x86_64-windows-gnu"):
        compile_([str(python), "-m", "ziglang", "cc", "-target", target, *C99], dist / "safenpy.c", tmp_path)
    for target in ("x86_64-linux-musl", "x86_64-macos", "aarch64-macos"):
        compile_([str(python), "-m", "ziglang", "cc", "-target", target, *C99, "-DSNPY_WITHOUT_ZIP"], dist / "safenpy_host.c", tmp_path)


@pytest.mark.skipif(not FULL, reason="with SNPY_FULL=1 only: installs zig")
@pytest.mark.parametrize("target", ["x86_64-macos", "aarch64-macos"])
def test_zig_links_the_command_for_macos(tmp_path, target):
    """With archives, whose headers are the same everywhere; their libraries for macOS are not here, so those names stay open."""
    (tmp_path / "headers").mkdir()
    for name in ("zlib.h", "zconf.h", "libdeflate.h"):
        shutil.copy(Path("/usr/include") / name, tmp_path / "headers")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", "ziglang")
    run("make", "-C", ROOT, "-j2", f"BUILD={tmp_path}/build", f"CC={python} -m ziglang cc -target {target}",
        f"AR={python} -m ziglang ar", "ARCHIVES=yes", f"CPPFLAGS=-I{tmp_path}/headers", "LIBS=",
        "LDFLAGS=-Wl,-undefined,dynamic_lookup", "WERROR=1", f"{tmp_path}/build/safenpy")
    assert (tmp_path / "build" / "safenpy").read_bytes()[:4] == b"\xcf\xfa\xed\xfe"  # a Mach-O file of 64 bits


@pytest.mark.parametrize("left_out", SOME, ids=lambda parts: " ".join(parts) or "nothing")
def test_a_part_is_left_out_as_a_whole(dist, tmp_path, left_out):
    """Nothing that is left needs it, and nothing that only it needed is left: clang names static functions that nobody calls."""
    options = [f"-D{part}" for part in left_out]
    compile_(["clang", "-O1", *C99], dist / "safenpy.c", tmp_path, *options)
    run("gcc", "-O1", *options, "-fPIC", "-shared", "-nostdlib", "-ffreestanding", "-Wl,--no-undefined", "-fno-stack-protector",
        dist / "safenpy.c", "-o", tmp_path / "core.so")


@pytest.mark.parametrize("compiler", [["gcc", *C99], ["clang", *C99], ["g++", *CPLUSPLUS]], ids=lambda call: call[0])
def test_any_parts_are_left_out_without_a_warning(dist, tmp_path, compiler):
    """In the long run each set of them; the host layer, too, where it can be had."""
    for left_out in SOME if not FULL else map(list, itertools.chain.from_iterable(
            itertools.combinations(LEAVE_OUT, number) for number in range(len(LEAVE_OUT) + 1))):
        options = [f"-D{part}" for part in left_out]
        compile_(compiler, dist / "safenpy.c", tmp_path, *options)
        if compiler[0] != "g++" and not {"SNPY_WITHOUT_WRITE", "SNPY_WITHOUT_MESSAGES"} & set(left_out):
            compile_(compiler, dist / "safenpy_host.c", tmp_path, *options)


def test_what_is_left_still_reads_the_suite(dist, tmp_path):
    """Status and offset of each case, as the manifest has them, by the smallest core."""
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    write_cases(tmp_path / "cases", cases)
    run("gcc", "-O1", "-std=c99", *(f"-D{part}" for part in LEAVE_OUT), "-I", dist, HERE / "reads.c", dist / "safenpy.c", "-o",
        tmp_path / "reads")
    tally = Tally()
    against_manifest(run(tmp_path / "reads", tmp_path / "cases").encode(), cases, tally)
    assert len(cases) > 1000 and (tally.passed, tally.failed) == (1, 0)


def test_without_archives_the_host_needs_no_library(dist, tmp_path):
    run("gcc", "-O1", "-DSNPY_WITHOUT_ZIP", "-fPIC", "-shared", "-Wl,--no-undefined", dist / "safenpy.c", dist / "safenpy_host.c",
        "-o", tmp_path / "all.so")


def test_host_says_what_it_cannot_do_without(dist):
    done = subprocess.run(["gcc", "-DSNPY_WITHOUT_WRITE", "-fsyntax-only", dist / "safenpy_host.c"], text=True, capture_output=True,
                          check=False)
    assert done.returncode != 0 and "needs what SNPY_WITHOUT_WRITE" in done.stderr


@pytest.mark.parametrize("compiler, level", [("gcc", "-O2"), ("clang", "-O0")])
def test_core_is_the_proved_code(dist, compiler, level):
    """Function by function, where the compiler takes each for itself."""
    same, different = differences(compiler, level, dist / "safenpy.c")
    assert same > 400 and not different


def test_a_changed_function_is_noticed(dist, tmp_path):
    text = (dist / "safenpy.c").read_text(encoding="utf-8")
    bound = "status == SNPY_OK && i < length && text[i] != quote"
    assert text.count(bound) == 1
    (tmp_path / "safenpy.c").write_text(text.replace(bound, bound.replace("<", "<=")), encoding="utf-8")
    shutil.copy(dist / "safenpy.h", tmp_path)
    assert len(differences("clang", "-O0", tmp_path / "safenpy.c")[1]) == 1


def test_device_without_an_operating_system(dist, tmp_path):
    if not shutil.which(CORTEX[0]) or not shutil.which("qemu-system-arm"):
        pytest.skip("no compiler for Arm, or no qemu-system-arm")
    cross = ROOT / "tests" / "cross"
    (tmp_path / "cases").touch()
    run(*CORTEX, "-std=gnu99", "-Os", "-ffreestanding", "-I", dist, f'-DSNPY_CASES="{tmp_path}/cases"', HERE / "bare.c",
        dist / "safenpy.c", cross / "bare.c", "-T", cross / "bare.ld", "--specs=rdimon.specs", "-nostartfiles", "-o", tmp_path / "bare")
    run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", tmp_path / "bare", timeout=60)
