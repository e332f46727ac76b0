#!/usr/bin/env python3
"""Holds archives that we write against NumPy: every dtype, order, 0 to 5 dimensions, stored and deflated.

    tests/data/pack.py SAFENPY [--seed N]

np.load of what pack and convert made must give the arrays that were saved, and zipfile must find every CRC right. So
must the NumPy of python3, if it has another one, and of each Python in SNPY_PYTHONS (paths with colons between them).
The last line is `N passed, N failed`."""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.lib.recfunctions import repack_fields

from convert import Tally, command, differs
from run import RECORDS, SIMPLE, fill, shapes

# What another Python says of an archive: each key with type, shape and CRC, or why not.
LOOK = """
import sys, zipfile, zlib
import numpy as np
for path in sys.argv[1:]:
    with zipfile.ZipFile(path) as archive:
        print(path, archive.testzip())
    with np.load(path, allow_pickle=True) as loaded:
        for key in loaded.files:
            a = loaded[key]
            print(repr(key), a.dtype.str, a.shape, a.flags.f_contiguous,
                  a.tolist() if a.dtype.hasobject else zlib.crc32(a.tobytes("A")))
print(np.__version__)
"""


def pythons():
    """The other Pythons that have NumPy."""
    found = [shutil.which("python3"), *filter(None, os.environ.get("SNPY_PYTHONS", "").split(":"))]
    return [path for path in found if path and Path(path).resolve() != Path(sys.executable).resolve() and
            subprocess.run([path, "-c", "import numpy"], capture_output=True, check=False).returncode == 0]


def is_padded(dtype):
    """Whether a record has padding, whose bytes NumPy does not keep."""
    return repack_fields(np.dtype(dtype), recurse=True).itemsize != np.dtype(dtype).itemsize


def arrays(rng):
    """Arrays of all kinds by key, large ones too."""
    made = {}
    for number, dtype in enumerate(SIMPLE + [dtype for dtype in RECORDS if not is_padded(dtype)]):
        for ndim in rng.sample(range(6), 3):
            array = fill(rng, np.zeros(shapes(rng, ndim), dtype=dtype))
            for order in "CF":
                made[f"{number}.{ndim}{order}"] = np.array(array, order=order)
    made["large"] = np.arange(3_000_000, dtype="<u4") // 7
    made["noise"] = np.frombuffer(rng.randbytes(9 << 20), dtype="|u1")
    made["objects"] = np.array([None, "x", 3], dtype=object)
    made["ключ/of a path"] = np.arange(4)
    made[""] = np.arange(5)
    return made


def check(tally, what, path, wanted):
    """One archive against the arrays that were saved."""
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
        tally.expect(f"{what}: CRCs", bad and f"that of {bad} is wrong")
    with np.load(path, allow_pickle=True) as loaded:
        tally.expect(f"{what}: keys", None if loaded.files == list(wanted) else f"{loaded.files[:3]} …")
        for key, array in wanted.items():
            got = loaded[key]
            if array.dtype.hasobject:
                tally.expect(f"{what}: {key}", None if list(got.flat) == list(array.flat) else f"{got}")
            else:
                tally.expect(f"{what}: {key}", differs(got, array))


def save_all(folder, wanted):
    """A file each; the arguments for pack."""
    arguments = []
    for number, (key, array) in enumerate(wanted.items()):
        np.save(folder / f"{number}.npy", array)
        arguments.append(f"{key}={folder / f'{number}.npy'}")
    return arguments


def check_others(tally, paths):
    """What other versions of Python and NumPy make of the archives: the same as this one."""
    def look(python):
        result = subprocess.run([python, "-c", LOOK, *map(str, paths)], capture_output=True, text=True, check=False)
        *lines, version = result.stdout.splitlines() or [result.stderr[-300:]]
        return lines, version
    mine, _ = look(sys.executable)
    for python in pythons():
        lines, version = look(python)
        differing = [(one, other) for one, other in zip(mine, lines) if one != other]
        complaint = None if lines == mine else f"{len(lines)} lines of {len(mine)}; {differing[:1]}"
        tally.expect(f"NumPy {version}", complaint)
        print(f"read by NumPy {version}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("safenpy")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    safenpy = str(Path(arguments.safenpy).resolve())
    tally = Tally()
    wanted = arrays(random.Random(arguments.seed))
    with tempfile.TemporaryDirectory(prefix="safenpy-pack-") as place:
        folder = Path(place)
        files = save_all(folder, wanted)
        np.savez(folder / "numpy.npz", **wanted)
        np.savez_compressed(folder / "numpy-deflated.npz", **wanted)
        paths = []
        for kind in ("--store", "--deflate=1", "--deflate", "--deflate=9"):
            for source in ("files", "numpy.npz", "numpy-deflated.npz")[:1 if "=" in kind else 3]:
                path = folder / f"made{len(paths)}.npz"
                call = ["pack", kind, path, *files] if source == "files" else ["convert", kind, folder / source, path]
                _, complaint = command(safenpy, *call)
                tally.expect(f"{kind} of {source}", complaint)
                check(tally, f"{kind} of {source}", path, wanted)
                paths.append(path)
            out, complaint = command(safenpy, "pack", kind, "-", *files)
            (folder / "piped.npz").write_bytes(out or b"")
            tally.expect(f"{kind} to a pipe", complaint)
            check(tally, f"{kind} to a pipe", folder / "piped.npz", wanted)
            _, complaint = command(safenpy, "check", "-q", folder / "piped.npz", *paths)
            tally.expect(f"{kind}: our own check", complaint)
        check_others(tally, [paths[0], paths[4], folder / "piped.npz"])
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
