#!/usr/bin/env python3
"""Looks at every source with clang-format, clang-tidy and cppcheck, at the man page with mandoc, and at the
scripts with what their own languages offer. Each file and tool is one test.

clang-tidy takes most of the time. It looks at the files that changed since it last passed, they or a header that they
include, and at one of the others (tools/records.py); FULL=1 at all.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import records  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
INCLUDES = ["-Iinclude", "-Isrc", "-I."]
PYTHONS = ["-isystem", sysconfig.get_path("include"), "-DPy_LIMITED_API=0x030b0000"]
HOSTED = ["-D_POSIX_C_SOURCE=200809L", "-D_FILE_OFFSET_BITS=64", "-DSNPY_ARCHIVES"]


def files(*patterns):
    found = [path.relative_to(ROOT) for pattern in patterns for path in ROOT.glob(pattern)]
    return sorted(str(path) for path in found if path.is_file())


def flags(path):
    return ["-std=c99", *INCLUDES, *(["-ffreestanding"] if path.startswith(("src/core/", "proofs/theorems/")) else HOSTED),
            *(PYTHONS if path.startswith("bindings/python/") else [])]


def run(call):
    try:
        result = subprocess.run(call, cwd=ROOT, stdin=subprocess.DEVNULL, text=True, errors="replace",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return result.returncode == 0, result.stdout


def layout(path):
    return run(["clang-format", "--dry-run", "-Werror", path])


def tidy(path):
    ok, text = run(["clang-tidy", "--quiet", "--warnings-as-errors=*", path, "--", *flags(path)])
    noise = re.compile(r"^\d+ warnings? (?:generated|treated)|^Suppressed \d+|^Use -header-filter")
    return ok, "\n".join(line for line in text.splitlines() if not noise.match(line))


def depends_on(path):
    """A hash of what clang-tidy says of a file depends on: the file, the headers that it includes, the checks and the tool."""
    call = ["cc", "-MM", *flags(path), path]
    names = subprocess.run(call, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout.replace("\\\n", " ").split()[1:]
    own = [name for name in names if not Path(name).is_absolute()]
    plain = [flag for flag in flags(path) if flag not in PYTHONS]  # where Python lies does not matter
    return records.digest(*own, ".clang-tidy", extra=json.dumps([tidy_version(), plain]))


@functools.lru_cache(maxsize=1)
def tidy_version():
    return re.findall(r"version (\S+)", run(["clang-tidy", "--version"])[1])


def cppcheck(paths):
    return run(["cppcheck", "--quiet", "--std=c99", "--enable=warning,style,performance,portability", "--inline-suppr",
                "--error-exitcode=1", "--suppressions-list=.cppcheck-suppressions", *INCLUDES,
                *HOSTED, *paths])


def manual(path):
    ok, text = run(["mandoc", "-Tlint", "-Wwarning", path])
    return ok and not text.strip(), text


def shell(path):
    """The shell's own syntax check, and shellcheck's where it is installed."""
    first = (ROOT / path).read_text(encoding="utf-8").split("\n", 1)[0]
    ok, text = run(["bash" if "bash" in first else "sh", "-n", path])
    if ok and shutil.which("shellcheck"):
        ok, text = run(["shellcheck", path])
    return ok, text


def python(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    try:
        compile(source, path, "exec")
    except SyntaxError as error:
        return False, str(error)
    return True, ""


def main():
    windows = files("src/windows/*.c")  # the tools have no headers of Windows
    code = [path for path in files("src/*/*.c", "src/core/*/*.c", "proofs/theorems/*.c") if path not in windows]
    hosted = code + files("bench/*.c", "examples/*.c", "fuzz/*.c", "tests/oracle/*.c", "bindings/python/ext/*.c")
    every = hosted + windows + files("include/safenpy/*.h", "src/*/*.h", "src/core/*/*.h", "tests/unit/*.[ch]", "tests/fault/*.[ch]", "fuzz/*.h",
                           "tests/oracle/*.h", "tests/cross/*.c", "tests/cross/shim/*.h", "tests/growth/*.c", "tests/every/*.c", "proofs/eva/*.c",
                           "bindings/python/ext/*.h")
    tasks = [("clang-format", path, layout, path) for path in every]
    book = records.Book("lint")
    tasks += [("clang-tidy", path, tidy, path) for path in book.due({path: depends_on(path) for path in hosted})]
    tasks += [("cppcheck", "the sources", cppcheck, hosted)]
    tasks += [("mandoc", path, manual, path) for path in files("man/*.[1-9]")]
    tasks += [("shell", path, shell, path) for path in files("tools/*.sh", "bench/*.sh", ".ci/run")]
    tasks += [("python", path, python, path) for path in files("**/*.py") if not path.startswith("build/")]
    if not code:
        print("there are no sources to look at")
        return 1
    passed = failed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for (tool, name, _, _), (ok, text) in zip(tasks, pool.map(lambda task: task[2](task[3]), tasks)):
            passed += ok
            failed += not ok
            if ok and tool == "clang-tidy":
                book.passed(name)
            if not ok:
                print(f"{tool}: {name}\n{text.rstrip()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
