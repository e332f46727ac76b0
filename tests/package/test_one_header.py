"""safenpy.h alone declares the whole interface, but for the steps of safenpy/zip.h."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "safenpy"
PUBLIC = re.compile(r"^SNPY_API[^;]*?\b(snpy_\w+)\(", re.MULTILINE | re.DOTALL)


def test_one_header_declares_all_but_the_steps(tmp_path):
    names = {header.name: set(PUBLIC.findall(header.read_text())) for header in INCLUDE.glob("*.h")}
    steps = names.pop("zip.h")
    wanted = set().union(*names.values())
    assert len(steps) > 5 and len(wanted) > 100
    source = tmp_path / "one.c"
    source.write_text("#include <safenpy/safenpy.h>\n")
    text = subprocess.run(["gcc", "-std=c99", "-E", f"-I{ROOT / 'include'}", source], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    declared = set(re.findall(r"\b(snpy_\w+)\(", text))
    assert wanted - declared == set()
    assert steps & declared == set()
    assert {"snpy_double", "snpy_get_double", "snpy_archive_writer_open"} <= declared
