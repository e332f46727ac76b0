#!/usr/bin/env python3
"""Measures what is said about the speed of data, against NumPy and against what bounds it from below.

    bench/data.py BUILD [--size MIB] [--rounds N] [--command SAFENPY]

BUILD holds safenpy and bench/data. All files are in the page cache. Everything is measured in turns, in one run,
and the medians are compared; what never waits by the time of the processor, so that other programs disturb it
little. Each figure is printed with its aim and whether it is met.
"""

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import struct
import subprocess
import sys
from pathlib import Path

from bench import python_with_numpy

MIB = 1 << 20
GROWTH = [1, 4, 16, 64, 256, 1024, 4096]  # MiB
MEMORY_LIMIT = 32 * 1024  # KiB
DOUBLING = 2.2  # twice the data take so many times as long at most
CACHES = 64  # MiB; from there on no cache helps


def header(*shape, fortran_order=False):
    """What numpy.save writes in front of so many '<f8'."""
    dims = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    text = f"{{'descr': '<f8', 'fortran_order': {fortran_order}, 'shape': ({dims}), }}"
    text += " " * (118 - len(text) - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def make_file(path, mebibytes, head=None):
    """Doubles, made safe on the disk, so that writing them back disturbs nothing later."""
    chunk = struct.pack("<1024d", *(1 + k / 1024 for k in range(1024))) * (MIB // 8192)
    if path.exists() and path.stat().st_size == 128 + mebibytes * MIB:
        return
    with path.open("wb") as file:
        file.write(head or header(mebibytes * MIB // 8))
        for _ in range(mebibytes):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def make_sparse(path, mebibytes):
    """Zeros that take no disk; once read, they are in the page cache like any others."""
    path.write_bytes(header(mebibytes * MIB // 8))
    os.truncate(path, 128 + mebibytes * MIB)


def lines_of(call):
    """What a program printed: for each name, its numbers; the version as it is."""
    result = {}
    for line in subprocess.run([str(word) for word in call], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines():
        name, value = line.split()
        result.setdefault(name, []).append(value if name == "version" else float(value))
    return result


def numpys(build):
    """An interpreter for each version of NumPy: what is installed, and the newest if pip can have it."""
    found = {}
    own = build / "numpy-venv"
    if not own.exists() and shutil.which("pip3"):
        steps = [[sys.executable, "-m", "venv", str(own)], [str(own / "bin" / "python"), "-m", "pip", "install", "-q", "numpy"]]
        for step in steps:
            if subprocess.run(step, check=False, stderr=subprocess.DEVNULL).returncode != 0:
                break
    for python in (python_with_numpy(build), "/usr/bin/python3", str(own / "bin" / "python")):
        if python and Path(python).exists():
            run = subprocess.run([python, "-c", "import numpy; print(numpy.__version__)"], check=False, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if run.returncode == 0:
                found.setdefault(run.stdout.strip(), python)
    return found


class Figures:
    """What was measured, against what was aimed at."""

    def __init__(self):
        self.rows = []

    def add(self, what, value, aim, at_most, unit=""):
        met = value <= aim if at_most else value >= aim
        self.rows.append({"what": what, "value": value, "aim": aim, "at_most": at_most, "met": met})
        sign = "<=" if at_most else ">="
        print(f"  {what:<76}{value:>8.2f}{unit}  aim {sign} {aim:g}{unit}  {'met' if met else 'MISSED'}", flush=True)

    def tell(self, what, value):
        """A figure without an aim."""
        self.rows.append({"what": what, "value": value, "skipped": "no aim"})
        print(f"  {what:<76}{value:>8.2f}", flush=True)

    def skip(self, what, why):
        self.rows.append({"what": what, "skipped": why})
        print(f"  {what:<76} skipped: {why}", flush=True)


def measure_turns(build, path, side, rounds):
    """bench/data and each NumPy in turn, so that a busy moment hits all alike."""
    pythons = numpys(build)
    ours, theirs = {}, {version: {} for version in pythons}
    lines_of([build / "bench" / "data", "load", path])  # the page cache is warm for all
    for _ in range(rounds):
        for name, values in lines_of([build / "bench" / "data", path, side]).items():
            ours.setdefault(name, []).extend(values)
        ours.setdefault("load_alone", []).extend(lines_of([build / "bench" / "data", "load", path])["load"])
        for version, python in pythons.items():
            for name, values in lines_of([python, Path(__file__).with_name("numpy_data.py"), path, side]).items():
                theirs[version].setdefault(name, []).extend(values if name != "version" else [])
    medians = {name: statistics.median(values) for name, values in ours.items()}
    return medians, {version: {name: statistics.median(values) for name, values in times.items() if values}
                     for version, times in theirs.items()}


def report_turns(figures, ours, theirs, side):
    for version, times in theirs.items():
        figures.add(f"load: time over np.load of NumPy {version}", ours["load_alone"] / times["load"], 1.0, True)
    figures.add("load: time over a bare read() loop into huge pages", ours["load"] / ours["read"], 1.15, True)
    figures.add("map and sum: time over a plain mmap", ours["map_sum"] / ours["plain_map_sum"], 1.10, True)
    figures.add("contiguous copy, fast: rate over memcpy", ours["memcpy_1"] / ours["copy_fast_1"], 0.95, False)
    for unit in (8, 2, 4, 16):
        base = ours[f"memcpy_{unit}"]
        figures.add(f"swap of {unit} bytes, fast: rate over memcpy", base / ours[f"copy_fast_{unit}"], 0.85, False)
        figures.tell(f"swap of {unit} bytes, proved: rate over memcpy", base / ours[f"copy_{unit}"])
        figures.add(f"swap of {unit} bytes in place, fast: rate over memcpy", base / ours[f"copy_fast_in_place_{unit}"], 0.5, False)
    for version, times in theirs.items():
        for ours_name, where, theirs_name in (("transpose", "memory at hand", "ascontiguousarray"),
                                              ("transpose", "memory at hand", "copyto"),
                                              ("transpose_new", "new memory", "ascontiguousarray")):
            figures.add(f"Fortran to C, {side}^2, into {where}: times np.{theirs_name} {version}",
                        times[theirs_name] / ours[ours_name], 3.0, False)


def available():
    """Bytes of memory that can be had; as much as one likes where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return math.inf


def doubling(times):
    """How many times as long twice the data take: the line through the logarithms of all sizes and times."""
    points = [(math.log2(size), math.log2(time)) for size, time in times]
    middle = [statistics.mean(column) for column in zip(*points)]
    rise = sum((x - middle[0]) * (y - middle[1]) for x, y in points)
    return 2 ** (rise / sum((x - middle[0]) ** 2 for x, _ in points))


def growth_times(build, path):
    """Loading and a bare read() loop, in turns, each in a process of its own; medians. The first pair fills the page
    cache and does not count."""
    runs = {"load": [], "read": []}
    for _ in range(8):
        for name, times in runs.items():
            times += lines_of([build / "bench" / "data", "once", name, path])[name]
    return tuple(statistics.median(times[1:]) for times in runs.values())


def dearest_doubling(times):
    """The dearest doubling of load, where no cache helps any more, judged against that of the bare loop: what makes the
    latter take more than twice as long (a system that clears its memory for huge pages) is no work of ours."""
    steps = []
    for earlier, later in zip(times, times[1:]):
        if earlier[0] >= CACHES:
            doublings = math.log2(later[0] / earlier[0])
            steps.append(tuple((later[k] / earlier[k]) ** (1 / doublings) for k in (1, 2)))
            print(f"  a doubling from {earlier[0]} to {later[0]} MiB: load {steps[-1][0]:.2f}, bare loop {steps[-1][1]:.2f}")
    return max((load / max(1.0, read / 2) for load, read in steps), default=None)


def report_growth(figures, build, largest):
    """Time against size. A step on the way out of the caches is no growth: it comes once. So a line through all sizes is
    judged, and, where there are no caches any more, the dearest doubling."""
    times, path = [], build / "bench" / "growth.npy"
    for mebibytes in (size for size in GROWTH if size <= largest):
        if available() < 2.5 * mebibytes * MIB:
            print(f"  {mebibytes} MiB are left out: not enough free memory")
            continue
        make_sparse(path, mebibytes)
        load, read = growth_times(build, path)
        times.append((mebibytes, load, read))
        print(f"  load of {mebibytes:>5} MiB: {load * 1e3:>9.2f} ms, the bare loop {read * 1e3:>9.2f} ms", flush=True)
    path.unlink(missing_ok=True)
    if len(times) < 2:
        figures.skip("growth", "fewer than two sizes")
        return
    figures.add(f"growth of load, {times[0][0]} to {times[-1][0]} MiB: a doubling takes so many times as long",
                doubling([row[:2] for row in times]), DOUBLING, True)
    dearest = dearest_doubling(times)
    if dearest is not None:
        figures.add(f"growth of load, from {CACHES} MiB: the dearest doubling beside a bare read() loop's", dearest,
                    DOUBLING, True)


def report_command(figures, build, name, call, size, rounds):
    """A command: its memory, and, if it writes a file, its time by the clock over writing as much and syncing."""
    data, out = build / "bench" / "data", build / "bench" / "converted.npy"
    writes_file = str(out) in map(str, call)
    runs, floors = [], []
    for _ in range(min(rounds, 5) if writes_file else 1):
        runs.append(lines_of([data, "peak", *call]))
        if writes_file:
            out.unlink()
            floors += lines_of([data, "write", out, size])["write"]
    figures.add(f"{name} of {size} MiB: memory in MiB", max(run["peak"][0] for run in runs) / 1024, MEMORY_LIMIT / 1024, True)
    if writes_file:
        took = statistics.median(run["wall"][0] for run in runs)
        figures.add(f"{name}: time over writing and syncing", took / statistics.median(floors), 1.3, True)


def report_commands(figures, build, command, path, size, side, rounds):
    """convert and cat."""
    known = subprocess.run([command, "--help"], check=False, text=True, stdout=subprocess.PIPE).stdout
    matrix, out = build / "bench" / "matrix.npy", build / "bench" / "converted.npy"
    square = side * side * 8 // MIB
    jobs = [("convert --byteorder", [command, "convert", "--byteorder", "big", path, out], size),
            ("convert --order", [command, "convert", "--order", "C", matrix, out], square),
            ("cat", [command, "cat", "--output", "raw", path], size)]
    if shutil.disk_usage(build).free < 4 * size * MIB:
        figures.skip("the command", "not enough free disk")
        return
    make_file(matrix, square, header(side, side, fortran_order=True))
    for name, call, mebibytes in jobs:
        if f"safenpy {name.split()[0]}" in known:
            report_command(figures, build, f"safenpy {name}", call, mebibytes, rounds)
        else:
            figures.skip(f"safenpy {name}", "there is no such subcommand")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--size", type=int, default=1024, help="MiB of float64 (1024)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", type=int, default=4096, help="MiB of the largest array for growth (4096)")
    parser.add_argument("--command", help="the command to measure (BUILD/safenpy)")
    args = parser.parse_args()
    build = args.build.resolve()
    path = build / "bench" / "data.npy"
    side = min(8192, 1 << int(math.log2(args.size * MIB / 8)) // 2)
    make_file(path, args.size)
    figures = Figures()
    print(f"{args.size} MiB of float64 in the page cache ({platform.machine()}, {os.cpu_count()} processors)", flush=True)
    ours, theirs = measure_turns(build, path, side, args.rounds)
    print(f"  memcpy {args.size * MIB / ours['memcpy_8'] / 1e9:.1f} GB/s; load {args.size * MIB / ours['load'] / 1e9:.1f} GB/s")
    report_turns(figures, ours, theirs, side)
    report_growth(figures, build, args.growth)
    report_commands(figures, build, args.command or str(build / "safenpy"), path, args.size, side, args.rounds)
    missed = [row["what"] for row in figures.rows if row.get("met") is False]
    result = build / "bench-data.json"
    result.write_text(json.dumps({"size_mib": args.size, "seconds": ours, "numpy_seconds": theirs, "figures": figures.rows},
                                 indent=2) + "\n", encoding="utf-8")
    print(f"{len(figures.rows) - len(missed)} figures met or skipped, {len(missed)} missed; all of it in {result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
