#!/usr/bin/env python3
"""Measures `safenpy check -r` on many small files: against find and xargs, with two processes, and as the number grows.

    bench/scan.py build/safenpy                    100,000 files of 208 bytes in a temporary directory
    bench/scan.py build/safenpy --files 1000000    takes 4 GB of a disk, or of memory where /tmp is memory

The ways take turns in one run, and the least of several rounds counts. Processor time (user and system) is printed
beside elapsed time, since it depends less on what else runs; more than one process only shows in elapsed time.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }"
FILE = b"\x93NUMPY\x01\x00v\x00" + HEADER.ljust(117) + b"\n" + bytes(80)


def make_files(directory, count):
    """Makes the files, a thousand in each directory."""
    for first in range(0, count, 1000):
        below = directory / str(first // 1000)
        below.mkdir()
        for number in range(first, min(first + 1000, count)):
            with open(below / f"{number}.npy", "wb") as file:
                file.write(FILE)


def run(words):
    """Elapsed seconds, and seconds of a processor, of a run that has to succeed."""
    before = time.monotonic()
    with subprocess.Popen(words) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{words}: exit status {process.returncode}")
    return time.monotonic() - before, used.ru_utime + used.ru_stime


def measure(ways, rounds):
    """The least elapsed and processor time of each way."""
    runs = {name: [] for name in ways}
    for _ in range(rounds):
        for name, words in ways.items():
            runs[name].append(run(words))
    return {name: tuple(map(min, zip(*found, strict=True))) for name, found in runs.items()}


def memory(words):
    """The peak memory of a process in KiB, looked up every few milliseconds: wait4 gives no less than Python's."""
    peak = 0
    with subprocess.Popen(words) as process:
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            lines = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
            if lines["Name"].strip().startswith("safenpy"):
                peak = max(peak, int(lines.get("VmHWM", "0").split()[0]))
            time.sleep(0.005)
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("safenpy", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--directory", type=Path, help="files that are there already, all accepted")
    given = parser.parse_args()
    safenpy = str(given.safenpy.resolve())
    with tempfile.TemporaryDirectory() as temporary:
        directory = given.directory or Path(temporary)
        if given.directory is None:
            make_files(directory, given.files)
        place, command = shlex.quote(str(directory)), shlex.quote(safenpy)
        found = measure({
            "check -r": [safenpy, "check", "-r", "-q", str(directory)],
            "find | xargs": ["/bin/sh", "-c", f"find {place} -name '*.npy' -print0 | xargs -0 {command} check -q"],
            "check -r -j 2": [safenpy, "check", "-r", "-q", "-j", "2", str(directory)],
        }, given.rounds)
        peak = memory([safenpy, "check", "-r", "-q", str(directory)])
    for name, (elapsed, used) in found.items():
        print(f"{name:14} {elapsed:7.3f} s elapsed, {used:7.3f} s of a processor")
    one, other, two = found.values()
    print(f"over find and xargs: {one[0] / other[0]:.2f} elapsed, {one[1] / other[1]:.2f} of a processor (at most 1)")
    print(f"over two processes: {one[0] / two[0]:.2f} (at least 1.7)")
    print(f"peak memory of check -r: {peak} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
