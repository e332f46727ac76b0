"""What the libraries export, and what the core needs from outside."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
# What an optimising compiler may call even in a freestanding program.
FREESTANDING = {"memcpy", "memmove", "memset", "memcmp"}


def symbols(path, *options):
    """The words of each line of nm: name, kind, …"""
    done = subprocess.run(["nm", "-P", *options, path], text=True, capture_output=True, check=True)
    return [line.split() for line in done.stdout.splitlines() if len(line.split()) >= 2]


@pytest.fixture(scope="module")
def declared():
    """The functions that the public headers declare."""
    names = set()
    for header in sorted((ROOT / "include" / "safenpy").glob("*.h")):
        names |= set(re.findall(r"SNPY_API[^;()]*?\b(\w+)\(", header.read_text(encoding="utf-8")))
    return names - {"__attribute__"}


def test_headers_declare_functions(declared):
    assert len(declared) > 3


def test_shared_library_exports_what_the_headers_declare_and_nothing_else(declared):
    exported = {words[0].split("@")[0] for words in symbols(BUILD / "gcc" / "libsafenpy.so", "-D", "--defined-only")}
    assert exported - {"SAFENPY_0"} == declared


def test_every_global_name_of_the_static_library_begins_with_snpy():
    assert not [words for words in symbols(BUILD / "gcc" / "libsafenpy.a", "-g", "--defined-only")
                if not words[0].startswith("snpy_") and not words[0].endswith(":")]


@pytest.fixture(scope="module", params=["gcc", "gcc-O3", "clang"])
def objects(request):
    """The object files of the core, by one compiler."""
    sources = sorted((ROOT / "src" / "core").rglob("*.c"))
    assert sources
    return [BUILD / request.param / "static" / source.relative_to(ROOT / "src").with_suffix(".o") for source in sources]


def test_core_stands_alone(objects):
    defined, needed = set(), set()
    for words in (words for path in objects for words in symbols(path, "-g")):
        (needed if words[1] == "U" else defined).add(words[0])
    assert not needed - defined - FREESTANDING - {"_GLOBAL_OFFSET_TABLE_"}


def test_core_has_no_variable_data(objects):
    assert not [f"{path.name}: {words[0]}" for path in objects for words in symbols(path) if words[1] in "bBdDC"]
