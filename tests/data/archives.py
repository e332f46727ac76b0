#!/usr/bin/env python3
"""Holds archives that NumPy, Python's zipfile and Info-ZIP write, and those of the suite, against what np.load makes of them.

    tests/data/archives.py PROBE

PROBE is tests/data/archives.c, built. The last line is `N passed, N failed`. NumPy is a tool of this test only.
"""

import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "archives"
ARRAYS = {
    "x": np.arange(12.0).reshape(3, 4),
    "fortran": np.asfortranarray(np.arange(24, dtype=">i4").reshape(2, 3, 4)),
    "scalar": np.float32(3),
    "empty": np.zeros((0, 5)),
    "record": np.array([(1, b"a", 2.5)] * 7, dtype=[("n", "<i2"), ("s", "S3"), ("f", "<f8")]),
    "large": np.arange(300000, dtype="<u4") // 7,
    "zeros": np.zeros(100000),
    "strings": np.array(["ä", "bc"]),
    "x.npy": np.arange(3),
    "ключ/of a path": np.arange(4, dtype="u1"),
    "": np.arange(5, dtype="u1"),
    "objects": np.array([None, 1], dtype=object),
}


class Pipe(io.RawIOBase):
    """A file that cannot go back: zipfile writes descriptors then."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def npy(array):
    """The bytes of an NPY file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=True)
    return out.getvalue()


def by_zipfile(path, streamed, force, **more):
    """An archive by zipfile, with a member that is no array."""
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file) if streamed else file, "w", **more) as archive:
        archive.comment = b"a comment"
        archive.writestr("notes.txt", "no array\n")
        for name, array in ARRAYS.items():
            if name:
                with archive.open(name + ".npy", "w", force_zip64=force) as member:
                    member.write(npy(array))


def by_info_zip(folder, path, *options):
    """An archive by Info-ZIP."""
    inside = folder / "inside"
    inside.mkdir(exist_ok=True)
    for name in ("x", "large", "empty", "record"):
        (inside / f"{name}.npy").write_bytes(npy(ARRAYS[name]))
    subprocess.run(["zip", "-q", *options, str(path), "."], cwd=inside, check=True)


def of_suite():
    """The archives of the suite that every reader must take, but for keys that no line can hold."""
    for path in sorted((CORPUS / "accept").rglob("*.npz")):
        with zipfile.ZipFile(path) as archive:
            if not any(char in name for name in archive.namelist() for char in "\n\t\x1b"):
                yield path


def make(folder):
    """All archives; the paths."""
    np.savez(folder / "savez.npz", **{key: array for key, array in ARRAYS.items() if key})
    np.savez_compressed(folder / "compressed.npz", **ARRAYS)
    np.savez(folder / "none.npz")
    np.savez_compressed(folder / "positional.npz", np.arange(3), np.eye(2))
    with open(folder / "streamed.npz", "wb") as file:
        np.savez(Pipe(file), **ARRAYS)
    with open(folder / "streamed-compressed.npz", "wb") as file:
        np.savez_compressed(Pipe(file), **ARRAYS)
    for streamed in (False, True):
        for force in (False, True):
            for level in (None, 1, 9):
                kind = zipfile.ZIP_STORED if level is None else zipfile.ZIP_DEFLATED
                by_zipfile(folder / f"zipfile-{streamed:d}{force:d}-{level}.npz", streamed, force, compression=kind,
                           compresslevel=level)
    with zipfile.ZipFile(folder / "many.npz", "w") as archive:   # more than 65,535: wide end records
        for number in range(66000):
            archive.writestr(f"{number}.npy", npy(np.int8(number % 100)) if number % 1000 == 0 else b"")
    if shutil.which("zip"):
        by_info_zip(folder, folder / "info-zip.npz", "-r")
        by_info_zip(folder, folder / "info-zip-stored.npz", "-r0")
        by_info_zip(folder, folder / "info-zip-wide.npz", "-r", "-fz")
    return [*sorted(folder.glob("*.npz")), *of_suite()]


def data_of(array):
    """The data of an array as they stand in its file."""
    return array.tobytes("F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C")


def expected(path):
    """What the probe must say of an archive, by zipfile and NumPy."""
    lines = []
    with np.load(path, allow_pickle=False) as loaded, zipfile.ZipFile(path) as archive:
        for key, info in zip(loaded.files, archive.infolist()):
            raw = archive.read(info)
            if not raw.startswith(b"\x93NUMPY"):
                found = "SNPY_NOT_AN_ARRAY"
            elif b"'|O'" in raw[:128]:
                found = "SNPY_OBJECT_DATA"
            else:
                found = f"{zlib.crc32(data_of(loaded[info.filename])):08x}"
            is_mapped = info.compress_type == zipfile.ZIP_STORED
            lines.append((key, info.filename, "1", found, found, found if is_mapped else "SNPY_BAD_ARGUMENT",
                          f"{zlib.crc32(raw):08x}"))
    return lines


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="safenpy-archives-") as place:
        paths = make(Path(place))
        asked = subprocess.run([sys.argv[1]], input="".join(f"{path}\n" for path in paths), capture_output=True, text=True,
                               timeout=600, check=False)
        print(asked.stderr, end="")
        answers = ("\n" + asked.stdout).split("\n.\n") if asked.returncode == 0 else []
        for path, answer in zip(paths, answers + [""] * len(paths)):
            wanted = expected(path)
            got = [tuple(line.split("\t")) for line in answer.split("\n") if line]
            for number in range(max(len(wanted), len(got), 1)):
                one, other = wanted[number:number + 1], got[number:number + 1]
                passed += one == other
                failed += one != other
                if one != other and failed < 20:
                    print(f"{path.name}: wanted {one}, got {other}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
