"""Each public header alone, twice, in every dialect that a user may include it from."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted(path.name for path in (ROOT / "include" / "safenpy").glob("*.h"))
DIALECTS = [
    ("gcc", "-std=c99", "c"), ("gcc", "-std=c11", "c"), ("gcc", "-std=c2x", "c"), ("clang", "-std=c99", "c"),
    ("clang", "-std=c2x", "c"), ("g++", "-std=c++98", "c++"), ("g++", "-std=c++20", "c++"),
    ("clang", "-std=c++17", "c++"),
]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]


@pytest.mark.parametrize("dialect", DIALECTS, ids="{0[0]}{0[1]}".format)
def test_headers_compile_alone(dialect, tmp_path):
    compiler, standard, language = dialect
    flags = [*WARNINGS, standard, "-x", language, "-Iinclude"]
    if language == "c":
        flags.append("-Wstrict-prototypes")
    if standard == "-std=c++98":
        flags += ["-Wno-long-long", "-Wno-variadic-macros"]
    assert HEADERS
    for header in HEADERS:
        (tmp_path / f"{header}.c").write_text(f"#include <safenpy/{header}>\n#include <safenpy/{header}>\n"
                                              "int used(void);\nint used(void) { return 0; }\n", encoding="ascii")
    # One call with a file for each header: the compiler reads every file by itself.
    subprocess.run([compiler, *flags, *sorted(tmp_path.glob("*.c"))], cwd=ROOT, check=True)
