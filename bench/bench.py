#!/usr/bin/env python3
"""Measures what the README says about speed, and prints nothing that it did not measure.

    bench/bench.py BUILD        BUILD holds safenpy, bench/header and bench/files

One header: a canonical one of 128 bytes, in memory, beside NumPy's own reader on the same bytes, a plain
unproved parser, and a checked sum of the bytes. Many files: `safenpy check` on 10,000 small files beside a
bare loop of open, read, close over the same files. Medians, of runs that take turns; compare the ratios.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 9  # turns of each program
BATCHES = 301  # batches in each turn of bench/header
FILES = 10_000
FILE_ROUNDS = 15


def canonical():
    """The header that numpy.save writes for an array of shape (3, 4) of '<f8': 128 bytes."""
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
    text += " " * (118 - len(text) - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def python_with_numpy(build):
    """An interpreter that can import NumPy; makes one under BUILD if there is none."""
    own = build / "numpy-venv"
    for candidate in (sys.executable, "/usr/bin/python3", str(own / "bin" / "python")):
        if Path(candidate).exists() and subprocess.run([candidate, "-c", "import numpy"], check=False,
                                                       stderr=subprocess.DEVNULL).returncode == 0:
            return candidate
    print(f"no Python here has NumPy: installing it with pip into {own}")
    python = own / "bin" / "python"
    steps = [[sys.executable, "-m", "venv", str(own)], [str(python), "-m", "pip", "install", "-q", "numpy"]]
    for step in steps:
        if subprocess.run(step, check=False).returncode != 0:
            print("that failed; NumPy is left out")
            return None
    return str(python)


def measure_header(build, numpy_python):
    path = build / "bench" / "header.npy"
    path.write_bytes(canonical())
    times, numpy_times, numpy_version = {}, [], None
    for _ in range(ROUNDS):
        run = subprocess.run([str(build / "bench" / "header"), str(BATCHES), str(path)], check=True, text=True,
                             stdout=subprocess.PIPE)
        for line in run.stdout.splitlines():
            name, nanoseconds = line.split()
            times.setdefault(name, []).append(float(nanoseconds))
        if numpy_python:
            run = subprocess.run([numpy_python, str(Path(__file__).with_name("numpy_header.py")), str(path)],
                                 check=True, text=True, stdout=subprocess.PIPE)
            nanoseconds, numpy_version = run.stdout.split()
            numpy_times.append(float(nanoseconds))
    result = {name: statistics.median(values) for name, values in times.items()}
    if numpy_times:
        result["numpy"] = statistics.median(numpy_times)
    return result, numpy_version


def timed(call, cwd):
    begin = time.perf_counter()
    subprocess.run(call, check=True, cwd=cwd, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure_files(build):
    directory = build / "bench" / "small"
    directory.mkdir(parents=True, exist_ok=True)
    names = [f"{i:05}.npy" for i in range(FILES)]
    content = canonical() + bytes(96)
    for name in names:
        path = directory / name
        if not path.exists() or path.stat().st_size != len(content):
            path.write_bytes(content)
    calls = {"check": [str(build / "safenpy"), "check", *names], "loop": [str(build / "bench" / "files"), *names]}
    times = {name: [] for name in calls}
    for call in calls.values():
        timed(call, directory)  # once unmeasured, so that the page cache is warm for both
    for _ in range(FILE_ROUNDS):
        for name, call in calls.items():
            times[name].append(timed(call, directory))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    build = Path(sys.argv[1]).resolve()
    numpy_python = python_with_numpy(build)
    header, numpy_version = measure_header(build, numpy_python)
    files = measure_files(build)

    ours = header["safenpy"]
    print(f"one header of 128 bytes in memory ({platform.machine()}, {os.cpu_count()} processors)")
    rows = [("safenpy", "safenpy, proved"), ("plain", "a plain parser, unproved"), ("sum", "a checked sum of the bytes")]
    if "numpy" in header:
        rows.append(("numpy", f"NumPy {numpy_version}"))
    for key, title in rows:
        print(f"  {title:<28}{header[key]:>12.1f} ns{header[key] / ours:>12.2f} x")
    print(f"{FILES} small files, each opened, judged and closed")
    for key, title in (("check", "safenpy check"), ("loop", "open, read, close alone")):
        print(f"  {title:<28}{files[key] * 1e3:>12.1f} ms{files[key] / files['check']:>12.2f} x")

    result = {
        "header_ns": header,
        "numpy_version": numpy_version,
        "numpy_over_safenpy": header["numpy"] / ours if "numpy" in header else None,
        "safenpy_over_sum": ours / header["sum"],
        "files": FILES,
        "files_s": files,
        "check_over_loop": files["check"] / files["loop"],
    }
    path = build / "bench.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"check / loop: {result['check_over_loop']:.2f}; safenpy / sum: {result['safenpy_over_sum']:.2f}"
          + (f"; NumPy / safenpy: {result['numpy_over_safenpy']:.0f}" if numpy_version else "")
          + f"; all of it in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
