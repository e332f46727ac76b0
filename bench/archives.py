#!/usr/bin/env python3
"""Measures what is said about the speed of archives, against NumPy and against what bounds it from below.

    bench/archives.py BUILD [--size MIB] [--rounds N]

BUILD holds bench/archives. Everything is measured in turns, in one run, by the clock, because threads are compared; the
medians of the ratios of each turn are printed with their aims. Where other programs run, ratios of one thread to another
say little: the load is printed, too.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import python_with_numpy
from data import lines_of

MANY = 10_000  # small members

# What NumPy does of the same; each prints `name seconds`.
NUMPY = """
import sys, time
import numpy as np
task, path, *files = sys.argv[1:]
arrays = {str(i): np.load(file) for i, file in enumerate(files)} if task.startswith("save") else {}
begin = time.perf_counter()
if task == "load":
    with np.load(path) as loaded:
        for key in loaded.files:
            loaded[key]
elif task == "savez":
    np.savez(path, **arrays)
else:
    np.savez_compressed(path, **arrays)
print("numpy", time.perf_counter() - begin)
"""
MAKE = """
import sys
import numpy as np
folder, mebibytes, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
count = mebibytes << 17
signal = np.round(np.cumsum(rng.standard_normal(count)), 3)  # deflates to about two fifths
np.save(folder + "/one.npy", signal)
for k in range(8):
    np.save(f"{folder}/part{k}.npy", signal[k * count // 8:(k + 1) * count // 8])
np.savez_compressed(folder + "/one.npz", x=signal)
np.savez_compressed(folder + "/eight.npz", **{str(k): part for k, part in enumerate(np.split(signal, 8))})
np.savez(folder + "/many.npz", **{f"key{k}": np.arange(k % 50) for k in range(many)})
"""


def seconds(*call):
    """What a program took, as it says itself."""
    return next(iter(lines_of(call).values()))[0]


class Bench:
    def __init__(self, build, python, folder, rounds):
        self.program, self.python, self.folder, self.rounds = build / "bench" / "archives", python, folder, rounds
        self.missed = 0

    def ours(self, *words):
        return lambda: seconds(self.program, *words)

    def numpy(self, *words):
        return lambda: seconds(self.python, "-c", NUMPY, *words)

    def ratio(self, what, top, bottom, aim, at_most=False):
        """The median of top over bottom, both measured in each turn."""
        value = statistics.median(one / other for one, other in ((top(), bottom()) for _ in range(self.rounds)))
        self.verdict(what, value, aim, at_most)

    def verdict(self, what, value, aim, at_most):
        is_met = value <= aim if at_most else value >= aim
        self.missed += not is_met
        print(f"{what:64} {value:8.2f}  {'<=' if at_most else '>='} {aim:<6} {'met' if is_met else 'missed'}", flush=True)


def measure(bench, size):
    here = bench.folder
    one, eight, many = (str(here / name) for name in ("one.npz", "eight.npz", "many.npz"))
    single, parts = [str(here / "one.npy")], [str(here / f"part{k}.npy") for k in range(8)]
    out, other = str(here / "out.npz"), str(here / "numpy.npz")
    bench.ratio("deflated member: np.load over load", bench.numpy("load", one), bench.ours("load", one, "1"), 2.5)
    bench.ratio("8 deflated members: np.load over load by 2 threads", bench.numpy("load", eight),
                bench.ours("load", eight, "2"), 2.5)
    bench.ratio("8 deflated members: one thread over two", bench.ours("load", eight, "1"), bench.ours("load", eight, "2"), 1.7)
    bench.ratio(f"list and check {MANY} members: np.load over check", bench.numpy("load", many), bench.ours("check", many), 20)
    for name, files in (("one member", single), ("8 members", parts)):
        for threads in ("1", "2"):
            bench.ratio(f"deflate {name}: np.savez_compressed over {threads} thread(s)",
                        bench.numpy("savez_compressed", other, *files), bench.ours("write", out, "6", threads, *files), 1.5)
        bench.verdict(f"deflate {name}: size over NumPy's", os.path.getsize(out) / os.path.getsize(other), 1.02, True)
    bench.ratio("store one member: time over writing the bytes", bench.ours("write", out, "0", "1", *single),
                bench.ours("copy", other, *single), 1.3, True)
    big = bench.ours("map", out)
    subprocess.run([bench.program, "write", str(here / "small.npz"), "0", "1", *parts[:1]], check=True,
                   stdout=subprocess.DEVNULL)
    bench.ratio(f"map a stored member: {size} MiB over {size // 8} MiB", big, bench.ours("map", str(here / "small.npz")), 1.5,
                True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    python = python_with_numpy(arguments.build) or "/usr/bin/python3"
    folder = Path(tempfile.mkdtemp(prefix="archives-", dir=arguments.build))
    try:
        subprocess.run([python, "-c", MAKE, str(folder), str(arguments.size), str(MANY)], check=True)
        print(f"archives of {arguments.size} MiB; load of the machine {os.getloadavg()[0]:.1f}")
        bench = Bench(arguments.build.resolve(), python, folder.resolve(), arguments.rounds)
        measure(bench, arguments.size)
        print(f"load of the machine {os.getloadavg()[0]:.1f}; {bench.missed} aims missed")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
