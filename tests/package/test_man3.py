"""The manual pages of section 3: one for each header, and one for each function that the library exports."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include" / "safenpy").glob("*.h"))
NAMES = ["safenpy" if path.stem == "safenpy" else f"safenpy_{path.stem}" for path in HEADERS]
INLINE = {"snpy_double", "snpy_double_bits", "snpy_get_double"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    place = tmp_path_factory.mktemp("manual") / "man3"
    subprocess.run([sys.executable, ROOT / "tools" / "man3.py", place], check=True)
    return place


def test_each_header_has_a_page(pages):
    assert sorted(path.stem for path in pages.glob("safenpy*.3")) == sorted(NAMES)


def test_each_function_has_a_page(pages, safenpy):
    """The library says which functions there are, and not the headers, which the pages are made of."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", safenpy.parent / "libsafenpy.so"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    exported = set(re.findall(r" T (snpy_\w+)", symbols))
    links = {path.stem: path.read_text() for path in pages.glob("snpy_*.3")}
    assert len(exported) > 100 and set(links) == exported | INLINE
    for name, text in links.items():
        target = pages.parent / re.fullmatch(r"\.so (man3/safenpy\w*\.3)\n", text)[1]
        page = target.read_text()
        assert f".Fo {name}\n" in page and f".Nm {name}" in page
        heading = re.search(rf"^\.Ss (?:.*\b)?{name}\b.*\n", page, re.M)
        assert heading and not page[heading.end():].startswith(".S"), f"{name} is not described"


def test_each_status_is_described(pages):
    text = (ROOT / "include" / "safenpy" / "statuses.h").read_text()
    page = (pages / "safenpy_statuses.3").read_text()
    names = re.findall(r"^SNPY_STATUS\((SNPY_\w+), (\d+)", text, re.M)
    assert len(names) > 150
    assert re.findall(r"^\.It Dv (SNPY_\w+) Pq (\d+)", page, re.M) == names
    assert page.count("\nRemedy: ") == page.count("\nExample: ") == len(names)


@pytest.mark.parametrize("name", NAMES)
def test_mandoc_has_nothing_to_say(pages, name):
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", pages / f"{name}.3"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_text_is_the_comment(pages):
    text = subprocess.run(["mandoc", "-Tutf8", pages / "safenpy_array.3"], stdout=subprocess.PIPE, text=True, check=True).stdout
    plain = " ".join(re.sub(".\b", "", text).split())
    for words in ("Memory is allocated only after the size of the data has been compared with limits->max_data_bytes",
                  "array filled; the old one is not released",
                  "Loads an array from a descriptor, which stays open."):
        assert words in plain
