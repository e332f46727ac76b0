#!/usr/bin/env python3
"""Measures what is said about the speed of archives, against NumPy and against what bounds it from below.

    bench/archives.py BUILD [--size MIB] [--rounds N] [--only PART,…]

BUILD holds bench/archives. PART is one of map, many, store, load, deflate. What is compared takes turns, in one run, by
the clock, because threads are compared; the medians of the ratios of each turn are printed with their aims, and beside
them those of the processor's time, which say what the work is where others want the processors, too. NumPy deflates each
archive only once, because it takes half a minute; safenpy does before and behind it. The load is printed.
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

# What NumPy does of the same; it tells as bench/archives does.
NUMPY = """
import sys, time
import numpy as np
task, path, *files = sys.argv[1:]
arrays = {str(i): np.load(file) for i, file in enumerate(files)} if task.startswith("save") else {}
begin = time.perf_counter(), time.process_time()
if task == "load":
    with np.load(path) as loaded:
        for key in loaded.files:
            loaded[key]
else:
    np.savez_compressed(path, **arrays)
print("clock", time.perf_counter() - begin[0])
print("processor", time.process_time() - begin[1])
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
np.savez(folder + "/many.npz", **{f"key{k}": np.arange(k % 50) for k in range(many)})
"""


def times(*call):
    """What a program took, as it says itself: by the clock, of the processor."""
    told = lines_of(call)
    return told["clock"][0], told["processor"][0]


class Bench:
    def __init__(self, build, python, folder, size, rounds):
        self.program, self.python, self.folder = build / "bench" / "archives", python, folder
        self.size, self.rounds = size, rounds
        self.single = [str(folder / "one.npy")]
        self.parts = [str(folder / f"part{k}.npy") for k in range(8)]
        self.deflated = {}  # name -> what NumPy took to make it
        self.missed = 0

    def path(self, name):
        return str(self.folder / name)

    def ours(self, *words):
        return lambda: times(self.program, *words)

    def numpy(self, *words):
        return lambda: times(self.python, "-c", NUMPY, *words)

    def numpys_archive(self, name):
        """An archive that numpy.savez_compressed wrote, and what that took."""
        if name not in self.deflated:
            files = self.single if name == "one.npz" else self.parts
            self.deflated[name] = self.numpy("savez_compressed", self.path(name), *files)()
        return self.path(name), self.deflated[name]

    def ratio(self, what, top, bottom, aim, at_most=False):
        """The median of top over bottom, both measured in each turn."""
        turns = [(top(), bottom()) for _ in range(self.rounds)]
        clock, processor = (statistics.median(one[i] / other[i] for one, other in turns) for i in range(2))
        self.verdict(what, clock, aim, at_most, f"{processor:8.2f}")

    def verdict(self, what, value, aim, at_most=False, beside=" " * 8):
        is_met = value <= aim if at_most else value >= aim
        self.missed += not is_met
        print(f"{what:62} {value:8.2f} {beside} {'<=' if at_most else '>='} {aim:<5} {'met' if is_met else 'missed'}",
              flush=True)


def measure_map(bench):
    one, part = bench.path("stored.npz"), bench.path("small.npz")
    bench.ours("write", one, "0", "1", *bench.single)()
    bench.ours("write", part, "0", "1", *bench.parts[:1])()
    bench.ratio(f"map a stored member: {bench.size} MiB over {bench.size // 8} MiB", bench.ours("map", one),
                bench.ours("map", part), 1.5, True)
    print(f"    {1e6 * bench.ours('map', one)()[0]:.0f} microseconds, archive opened anew")


def measure_many(bench):
    many = bench.path("many.npz")
    bench.ratio(f"list and check {MANY} members: np.load over check", bench.numpy("load", many), bench.ours("check", many), 20)


def measure_store(bench):
    bench.ratio("store one member: time over writing the bytes", bench.ours("write", bench.path("stored.npz"), "0", "1", *bench.single),
                bench.ours("copy", bench.path("copy"), *bench.single), 1.3, True)


def measure_load(bench):
    one, eight = (bench.numpys_archive(name)[0] for name in ("one.npz", "eight.npz"))
    for threads in ("1", "2"):
        bench.ratio(f"deflated member: np.load over load by {threads} thread(s)", bench.numpy("load", one),
                    bench.ours("load", one, threads), 2.5)
    bench.ratio("8 deflated members: np.load over load by 2 threads", bench.numpy("load", eight),
                bench.ours("load", eight, "2"), 2.5)
    bench.ratio("8 deflated members: one thread over two", bench.ours("load", eight, "1"), bench.ours("load", eight, "2"), 1.7)


def measure_deflate(bench):
    """NumPy writes once, or has written already; safenpy twice."""
    out = bench.path("out.npz")
    for what, name, files in (("one member", "one.npz", bench.single), ("8 members", "eight.npz", bench.parts)):
        write = {threads: bench.ours("write", out, "6", threads, *files) for threads in ("1", "2")}
        before = {threads: run() for threads, run in write.items()}
        other, numpys = bench.numpys_archive(name)
        for threads, run in write.items():
            both = [before[threads], run()]
            clock, processor = (numpys[i] / statistics.mean(one[i] for one in both) for i in range(2))
            bench.verdict(f"deflate {what}: np.savez_compressed over {threads} thread(s)", clock, 1.5, False, f"{processor:8.2f}")
        bench.verdict(f"deflate {what}: size over NumPy's", os.path.getsize(out) / os.path.getsize(other), 1.02, True)


PARTS = {"map": measure_map, "many": measure_many, "store": measure_store, "deflate": measure_deflate, "load": measure_load}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS), metavar="PART,…")
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    python = python_with_numpy(arguments.build) or "/usr/bin/python3"
    folder = Path(tempfile.mkdtemp(prefix="archives-", dir=arguments.build)).resolve()
    try:
        subprocess.run([python, "-c", MAKE, str(folder), str(arguments.size), str(MANY)], check=True)
        print(f"archives of {arguments.size} MiB, ratios by the clock and of the processor; load of the machine {os.getloadavg()[0]:.1f}")
        bench = Bench(arguments.build.resolve(), python, folder, arguments.size, arguments.rounds)
        for part in (name for name in PARTS if name in arguments.only):
            PARTS[part](bench)
        print(f"load of the machine {os.getloadavg()[0]:.1f}; {bench.missed} aims missed")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
