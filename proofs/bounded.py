#!/usr/bin/env python3
"""A second opinion, by CBMC: functions of the core on all inputs up to a stated size, with 64 and 32 bits.

Each harness of proofs/bounded calls real functions on inputs that CBMC chooses, and says what must hold: mostly that what one
function writes another reads back. CBMC looks at every path, with all loops unrolled: that a loop ends within the stated number of
rounds is checked too, and so are bounds, overflow and conversions. Then a bug is planted that the harness must find, which shows
that its assumptions leave something to look at. `make prove-bounded` runs this; the last line is `N passed, N failed`.

    proofs/bounded.py [--only TEXT]      # only harnesses whose name holds TEXT

CBMC is not in Debian 12. The first run takes that of Debian 13 into build/cbmc, with its own C library, and installs nothing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HARNESSES = ROOT / "proofs" / "bounded"
PLACE = ROOT / "build" / "cbmc"
LIMIT = 900   # seconds after which a harness has failed
CHECKS = ["--unwinding-assertions", "--bounds-check", "--pointer-check", "--pointer-overflow-check", "--signed-overflow-check",
          "--undefined-shift-check", "--div-by-zero-check", "--conversion-check"]
FAILED = re.compile(r"^\[([^]]+)\] .*: FAILURE$", re.MULTILINE)


@dataclass(frozen=True)
class Harness:
    """A function of proofs/bounded, the rounds of its longest loop, the sources it needs; a bug: file, text, other text."""

    file: str
    function: str
    rounds: int
    sources: tuple
    bug: tuple


TEXT = ("literal", "name")
ZIP = ("zip/central", "zip/extra", "zip/local", "zip/member_name", "zip/write_records")
TABLE = (
    Harness("text", "code_points", 12, TEXT, ("name.c", "code_point < 0x800)", "code_point <= 0x800)")),
    Harness("text", "utf8", 12, TEXT, ("literal.c", "if (lead < 0xc2) return 0;", "if (lead < 0xc0) return 0;")),
    Harness("text", "escapes", 42, TEXT, ("pen.c", "unit = code_point <= 0xff ?", "unit = code_point < 0xff ?")),
    Harness("text", "numbers", 42, TEXT, ("pen.c", "while (number >= 10) {", "while (number > 10) {")),
    Harness("text", "names", 16, TEXT, ("pen.c", "code_point == quote || code_point == '\\\\'", "code_point == quote")),
    Harness("value", "integers", 9, (), ("value.c", "|| below > most)", "|| below > most + 1)")),
    Harness("value", "unsigned_integers", 9, (), ("value.c", "65536u * load2(p, true) + load2(p + 2, true)",
                                                  "65536u * load2(p + 2, true) + load2(p, true)")),
    Harness("value", "widened", 70, (), ("value.c", "(1024 - format->bias - steps)", "(1023 - format->bias - steps)")),
    Harness("value", "rounded", 70, (), ("value.c", "(below || rest % 2 == 1)", "(below)")),
    Harness("value", "floats", 70, (), ("value.c", "return sign + infinite + payload;", "return infinite + payload;")),
    Harness("type", "types", 50, (*TEXT, "check", "dtype", "pen", "printable"),
            ("pen.c", "if (unit >= SNPY_UNIT_MILLISECOND)", "if (unit > SNPY_UNIT_MILLISECOND)")),
    Harness("zip", "end", 100, ZIP, ("zip/write_records.c", "put_locator(offset + size, out);", "put_locator(offset, out);")),
    Harness("zip", "central", 6, ZIP, ("zip/write_records.c", "if (entry->offset >= SNPY_ZIP_ALL_ONES) {",
                                       "if (entry->offset > SNPY_ZIP_ALL_ONES) {")),
    Harness("zip", "descriptor", 6, ZIP, ("zip/local.c", "snpy_le32(b, pos + 8);", "snpy_le32(b, pos + 4);")),
)


def install():
    """Downloads and unpacks CBMC and the libraries it needs, by a list of packages of its own, unless that is done."""
    if (PLACE / "root").exists():
        return
    subprocess.run(["sh", str(ROOT / "tools" / "cbmc.sh"), str(PLACE)], check=True, stdout=subprocess.DEVNULL)


def cbmc():
    """The words that start CBMC with the C library it was built with."""
    root = PLACE / "root"
    folders = {str(path.parent) for pattern in ("libc.so.6", "libminisat.so.2", "libstdc++.so.6") for path in root.rglob(pattern)}
    loader = next(root.rglob("ld-linux-x86-64.so.2"))
    return [str(loader), "--library-path", ":".join(sorted(folders)), str(root / "usr" / "bin" / "cbmc")]


def preprocess(harness, bits, tree, folder):
    """The harness and its sources without directives; no header of a C library is read."""
    for source in (HARNESSES / f"{harness.file}.c", *(tree / "src" / "core" / f"{name}.c" for name in harness.sources)):
        out = folder / f"{source.stem}-{len(os.listdir(folder))}.i"
        subprocess.run(["gcc", "-E", "-P", "-ffreestanding", f"-m{bits}", "-std=c99", "-I", tree / "include", "-I", tree / "src", "-I", tree,
                        "-I", HARNESSES, source, "-o", out], check=True)
        yield out


def run(harness, bits, tree):
    """Whether CBMC has verified the harness, the failures that it names, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*cbmc(), *preprocess(harness, bits, tree, Path(folder)), f"--{bits}", "--function", harness.function,
                 "--unwind", str(harness.rounds), *CHECKS]
        try:
            done = subprocess.run(words, text=True, capture_output=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return False, [], f"no answer in {LIMIT} s"
    return done.returncode == 0 and "VERIFICATION SUCCESSFUL" in done.stdout, FAILED.findall(done.stdout), done.stdout + done.stderr


def plant(bug, folder):
    """A copy of what is compiled, with the bug."""
    name, text, other = bug
    for part in ("include", "src", "spec/logic"):
        shutil.copytree(ROOT / part, folder / part)
    place = folder / "src" / "core" / name
    source = place.read_text()
    if source.count(text) != 1:
        raise ValueError(f"{name} has {text!r} {source.count(text)} times")
    place.write_text(source.replace(text, other))


def judge(job):
    """Runs a harness as it is, or with its bug: its name, and what is wrong or None."""
    harness, bits, is_planted = job
    name = f"{harness.file} {harness.function}, {bits} bits{', planted' if is_planted else ''}"
    if not is_planted:
        good, failures, said = run(harness, bits, ROOT)
        return name, None if good else ", ".join(failures) or said[-1000:]
    with tempfile.TemporaryDirectory() as folder:
        plant(harness.bug, Path(folder))
        good, failures, said = run(harness, bits, Path(folder))
    asserted = [failure for failure in failures if failure.startswith(f"{harness.function}.assertion.")]
    return name, None if asserted and not good else f"the bug is not found: {failures or said[-1000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT")
    only = parser.parse_args().only
    install()
    jobs = [(harness, bits, is_planted) for harness in TABLE if only in f"{harness.file} {harness.function}"
            for bits, is_planted in ((64, False), (32, False), (64, True))]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, wrong in pool.map(judge, jobs):
            print(f"{'FAIL' if wrong else 'ok  '} {name}" + (f"\n  {wrong}" if wrong else ""), flush=True)
            failed += wrong is not None
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
