#!/usr/bin/env python3
"""Measures what the command takes of very large files and of very many: processor time and memory, for docs/scale.md.

    bench/scale.py BUILD [--folder DIR] [--write]     without --write it only prints the table

BUILD holds the command and bench/data; DIR gets files of up to 4 GiB, which are removed. Processor time is that of user and system, the
least of the runs; memory is the peak of resident memory (ru_maxrss). Both hold on a machine that does other work. Of the
two sizes of a row the second is four or ten times the first, so that the growth can be seen. Standard library only.
"""

import argparse
import os
import platform
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- scale:begin -->", "<!-- scale:end -->"
RUNS = 3
MIB = 1 << 20
CHUNK = 8 * MIB


def header(count, descr="<f8", columns=None):
    """The header of an array, as numpy.save writes it."""
    shape = f"({count},)" if columns is None else f"({count}, {columns})"
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def array(path, mebibytes, columns=None):
    """A file of float64: a random walk with three digits, which deflates to about two fifths, over and over."""
    dice, walk = random.Random(1), 0.0
    part = bytearray()
    for _ in range(CHUNK // 8):
        walk = round(walk + dice.gauss(0, 1), 3)
        part += struct.pack("<d", walk)
    with path.open("wb") as file:
        count = mebibytes * MIB // 8
        file.write(header(count) if columns is None else header(count // columns, columns=columns))
        for _ in range(mebibytes * MIB // CHUNK):
            file.write(part)
    return path


def hollow(path, gibibytes):
    """A sparse file: its data are a hole, and take no space on the disk."""
    head = header(gibibytes << 17, columns=1024)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + (gibibytes << 30))
    return path


def archive(path, members):
    """An archive of small stored arrays."""
    data = header(8) + bytes(64)
    with zipfile.ZipFile(path, "w") as file:
        for number in range(members):
            file.writestr(zipfile.ZipInfo(f"key{number}.npy"), data)
    return path


def tree(path, files):
    """A tree of small arrays, 1,000 in each directory."""
    data = header(8) + bytes(64)
    for number in range(files):
        if number % 1000 == 0:
            folder = path / f"{number // 1000:04d}"
            folder.mkdir(parents=True)
        (folder / f"{number % 1000:03d}.npy").write_bytes(data)
    return path


def run(call, stdin=None):
    """Processor time in seconds and the peak of memory in MiB, by bench/data; an exit status other than 0 is an error."""
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run([call[0].parent / "bench" / "data", "peak", *call], stdin=source, capture_output=True,
                              text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, call))}: {done.stdout}{done.stderr}")
    told = dict(line.split() for line in done.stdout.splitlines())
    return float(told["processor"]), int(told["peak"]) / 1024


def least(call, stdin=None, output=None):
    """The least time and the highest peak of some runs; an output is removed after each."""
    found = []
    for _ in range(RUNS):
        found.append(run(call, stdin))
        if output:
            subprocess.run(["rm", "-rf", output], check=True)
    return min(time for time, _ in found), max(peak for _, peak in found)


def shown(seconds):
    """A time with two digits that count."""
    return f"{seconds:.2g} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms"


class Table:
    """Rows of the page."""

    def __init__(self):
        self.lines = ["| operation | size | time | memory |", "|---|---|--:|--:|"]

    def row(self, what, sizes, calls):
        """One row: the operation at both sizes."""
        found = [least(*call) for call in calls]
        times, peaks = ", ".join(shown(time) for time, _ in found), ", ".join(f"{peak:.1f} MiB" for _, peak in found)
        self.lines.append(f"| {what} | {sizes} | {times} | {peaks} |")
        print(self.lines[-1], flush=True)


def headers(table, command, folder):
    """What reads a header and a size only."""
    files = [hollow(folder / f"hollow-{size}.npy", size) for size in (16, 64)]
    firsts = []
    for file in files:
        first = folder / f"{file.stem}.first"
        with file.open("rb") as source:
            first.write_bytes(source.read(4096))
        firsts.append(first)
    table.row("`check FILE.npy`", "16, 64 GiB", [((command, "check", file),) for file in files])
    table.row("`cat 'FILE.npy[-1, :5]'`", "16, 64 GiB", [((command, "cat", "--slice", "[-1, :5]", file),) for file in files])
    table.row("`check --file-size N -` of the first 4 KiB", "16, 64 GiB",
              [((command, "check", "--file-size", str(file.stat().st_size), "-"), first) for file, first in zip(files, firsts)])
    for file in (*files, *firsts):
        file.unlink()


def data(table, command, folder):
    """What reads or writes all data of one array."""
    files = [array(folder / f"data-{size}.npy", size, columns=1024) for size in (256, 1024)]
    out = folder / "out"
    twins = [Path(f"{file}.twin") for file in files]
    for file, twin in zip(files, twins):
        shutil.copyfile(file, twin)
    sizes = "256 MiB, 1 GiB"
    table.row("`cat --output raw`", sizes, [((command, "cat", "--output", "raw", "--max-elements", str(1 << 40), file),) for file in files])
    table.row("`diff` of two that are equal", sizes, [((command, "diff", *pair),) for pair in zip(files, twins)])
    table.row("`convert --byteorder big`", sizes, [((command, "convert", "--byteorder", "big", file, out), None, out) for file in files])
    table.row("`convert --order F`", sizes, [((command, "convert", "--order", "F", file, out), None, out) for file in files])
    table.row("`pack`, stored", sizes, [((command, "pack", out, f"a={file}"), None, out) for file in files])
    table.row("`pack --deflate`, one thread", sizes,
              [((command, "pack", "--deflate", "--threads", "1", out, f"a={file}"), None, out) for file in files])
    for name, words in (("stored", ()), ("deflated", ("--deflate",))):
        archives = [folder / f"{name}-{size}.npz" for size in (256, 1024)]
        for file, path in zip(files, archives):
            run((command, "pack", *words, path, f"a={file}"))
        table.row(f"`check FILE.npz`, {name}", sizes, [((command, "check", path),) for path in archives])
        table.row(f"`unpack`, {name}", sizes, [((command, "unpack", "--directory", out, path), None, out) for path in archives])
        for path in archives:
            path.unlink()
    for file in (*files, *twins):
        file.unlink()


def many(table, command, folder):
    """Many members, many files."""
    archives = [archive(folder / f"many-{number}.npz", number) for number in (10_000, 100_000)]
    sizes = "10,000, 100,000"
    table.row("`check` of an archive, by members", sizes, [((command, "check", path),) for path in archives])
    table.row("`info` of an archive, by members", sizes, [((command, "info", path),) for path in archives])
    trees = [tree(folder / f"tree-{number}", number) for number in (10_000, 100_000)]
    for jobs in ("1", "2"):
        table.row(f"`check -r -j {jobs}`, by files", sizes, [((command, "check", "-q", "-r", "-j", jobs, path),) for path in trees])
    subprocess.run(["rm", "-rf", *trees, *archives], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table between the markers of docs/scale.md")
    options = parser.parse_args()
    table, command = Table(), options.build / "safenpy"
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for part in (headers, data, many):
            part(table, command, Path(folder))
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        head, _, rest = text.partition(BEGIN)
        machine = f"{date.today()}, {platform.machine()}, {os.cpu_count()} processors; `bench/scale.py`, the least of {RUNS} runs.\n\n"
        PAGE.write_text(f"{head}{BEGIN}\n{machine}" + "\n".join(table.lines) + f"\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
