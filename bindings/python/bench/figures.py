#!/usr/bin/env python3
"""safenpy against NumPy, in one run: medians of interleaved repetitions, on warm files.

    python figures.py [--large MiB] [--processor-time]

It prints a table with the date, the machine, and the aims. Where other programs run beside it, take processor time, of which
the least counts: it leaves out waiting, and shows no gain from threads.
"""

import argparse
import datetime
import io
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import safenpy as sn
from numpy.lib import format as npy

ROWS = []
CLOCK = time.perf_counter
MIDDLE = statistics.median


def once(call, number):
    begin = CLOCK()
    for _ in range(number):
        call()
    return (CLOCK() - begin) / number


def compare(what, theirs, ours, aim, number=1, repeats=7):
    """Both, taken in turns."""
    theirs(), ours()
    pairs = [(once(theirs, number), once(ours, number)) for _ in range(repeats)]
    one, other = (MIDDLE(times) for times in zip(*pairs, strict=True))
    ROWS.append((what, one, other, other / one, aim))


def shown(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def members(opened):
    with opened as archive:
        for key in archive.files:
            archive[key]


def startup(repeats=15):
    """Of NumPy, and of NumPy and safenpy; from compiled modules, as pip leaves them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path[1:]),
                   "PYTHONPYCACHEPREFIX": os.path.join(os.getcwd(), "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(modules):
        subprocess.run([sys.executable, "-c", f"import {modules}"], env=environment, check=True)

    start("numpy, safenpy")
    pairs = [(once(lambda: start("numpy"), 1), once(lambda: start("numpy, safenpy"), 1)) for _ in range(repeats)]
    return statistics.median(one for one, _ in pairs), statistics.median(other - one for one, other in pairs)


def objects(rng):
    """Arrays of objects, whose pickle NumPy runs."""
    np.save("floats.npy", rng.random(10**6).astype(object), allow_pickle=True)
    np.save("strings.npy", np.array([f"k{number}" for number in rng.integers(0, 10**9, 10**6)], object), allow_pickle=True)
    for i in range(1000):
        np.save(f"o{i}.npy", np.array({"rate": 0.1, "step": i, "names": ["a", "b"], "w": np.arange(5.0)}, object), allow_pickle=True)
    for what, names in (("10^6 floats", ["floats.npy"]), ("10^6 strings", ["strings.npy"]), ("1,000 small files", [f"o{i}.npy" for i in range(1000)])):
        compare(f"objects: {what}", lambda names=names: [np.load(name, allow_pickle=True) for name in names],
                lambda names=names: [sn.load(name, objects="plain") for name in names], "–", repeats=5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", type=int, default=1024, help="MiB of the largest file")
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    large = options.large
    global CLOCK, MIDDLE
    if options.processor_time:
        CLOCK, MIDDLE = time.process_time, min
    os.chdir(tempfile.mkdtemp())

    np.save("small.npy", np.arange(6).reshape(2, 3))
    head = open("small.npy", "rb").read()

    def numpy_header():
        file = io.BytesIO(head)
        npy.read_magic(file)
        npy.read_array_header_1_0(file)

    compare("load a small file", lambda: np.load("small.npy"), lambda: sn.load("small.npy"), "1/4", 2000)
    compare("header from bytes", numpy_header, lambda: sn.header(head), "1/15", 5000)
    compare("check, against load", lambda: np.load("small.npy"), lambda: sn.check("small.npy"), "1/8", 2000)
    for i in range(1000):
        np.save(f"s{i}.npy", np.arange(6))
    names = [f"s{i}.npy" for i in range(1000)]
    for jobs in (1, 2):
        compare(f"check_many of 1,000, jobs={jobs}, against load", lambda: [np.load(name) for name in names],
                lambda: list(sn.check_many(names, jobs=jobs)), "1/20")
    np.savez("many.npz", **{f"k{i}": np.arange(6) for i in range(1000)})
    compare("NPZ of 1,000 small members", lambda: members(np.load("many.npz")), lambda: members(sn.load("many.npz")), "1/10")

    rng = np.random.default_rng(29)
    objects(rng)
    np.save("large.npy", rng.integers(0, 255, large << 20, "u1"))
    compare(f"load {large} MiB", lambda: np.load("large.npy"), lambda: sn.load("large.npy"), "1.0")
    os.remove("large.npy")

    smooth = np.cumsum(rng.integers(-3, 4, 32 << 20)).astype("f8")  # 256 MiB
    sn.savez_compressed("deflated.npz", level=6, threads=2, a=smooth)
    compare("deflated, 256 MiB, one thread", lambda: members(np.load("deflated.npz")),
            lambda: members(sn.load("deflated.npz")), "0.55", repeats=3)
    sn.savez_compressed("eight.npz", level=6, threads=2, **{f"k{i}": part for i, part in enumerate(np.split(smooth, 8))})
    compare("deflated, eight members, two threads", lambda: members(np.load("eight.npz")),
            lambda: sn.load("eight.npz").arrays(threads=2), "0.35", repeats=3)
    for how in ({}, {"threads": 2}, {"level": 4}):
        compare(", ".join(["savez_compressed, 32 MiB", *(f"{key}={value}" for key, value in how.items())]),
                lambda: np.savez_compressed("n.npz", a=smooth[:4 << 20]),
                lambda: sn.savez_compressed("o.npz", a=smooth[:4 << 20], **how), "1/2.5", repeats=3)
    sn.savez("stored.npz", a=smooth, b=smooth[:10])
    compare("map a stored member of 256 MiB, against one of 80 bytes",
            lambda: sn.load("stored.npz", key="b", mmap_mode="r", verify=False),
            lambda: sn.load("stored.npz", key="a", mmap_mode="r", verify=False), "constant", 500)

    plain, more = startup()
    print("# Figures\n")
    print(f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
          f"NumPy {np.__version__}, safenpy {sn.__version__}; `bench/figures.py {' '.join(sys.argv[1:])}`, in turns. "
          f"{'The least processor time' if options.processor_time else 'Medians'} of each.\n")
    print("| what | NumPy | safenpy | ratio | aim |\n|---|---|---|---|---|")
    for what, theirs, mine, ratio, aim in ROWS:
        print(f"| {what} | {shown(theirs)} | {shown(mine)} | {ratio:.3f} | {aim} |")
    print(f"| import, beyond NumPy's | {shown(plain)} | +{more * 1e3:.1f} ms | | ≤ 5 ms |")


if __name__ == "__main__":
    main()
