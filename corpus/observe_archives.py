"""Asks the NumPy at hand about every archive of the suite, and adds what it says to archives/observations.json.

    python3 corpus/observe_archives.py      # once with each NumPy; then make_archives.py

"accept" means that numpy.load opens the archive and hands out every member: arrays, the bytes of what is none, and of
arrays of objects, which are not unpickled, their bytes. Compares with `expect` keys, shapes, types and elements. With
NumPy 2.3 or later on Python 3.11 or later it also compares the verdicts with the rule of the suite: a case is `reject`
only where NumPy refuses it too, or where the record says what the danger is. Exit status 1 if something does not fit.
"""

import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True

FOLDER = Path(__file__).resolve().parent / "archives"
SEEN = FOLDER / "observations.json"
LABEL = f"{np.__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"


def elements_of(array):
    """The bytes of an array's elements in C order, little-endian; None for records, whose padding is not compared."""
    if array.dtype.names is not None:
        return None
    return array.astype(array.dtype.newbyteorder("<")).tobytes("C")


def take(archive, key):
    """A member as numpy.load hands it out, or the bytes of one with objects."""
    try:
        return archive[key]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        data = archive.zip.read(next(name for name in archive.zip.namelist() if key in (name, name[:-4])))
        if data.endswith(b"\n"):            # the header's last byte: no pickle follows
            raise
        return data


def read(path):
    """[(key, what is handed out)]."""
    with np.load(path, allow_pickle=False) as archive:
        return [(key, take(archive, key)) for key in archive.files]


def complaints_about(wanted, key, got):
    """What does not fit between a member of `expect` and what NumPy hands out."""
    if key != wanted["key"]:
        yield f"key {wanted['key']!r}: NumPy says {key!r}"
    array = wanted["array"]
    if isinstance(got, bytes):
        if hashlib.sha256(got).hexdigest() != wanted["sha256"]:
            yield f"{key!r}: other bytes"
        return
    if array is None or list(got.shape) != array["shape"]:
        yield f"{key!r}: NumPy says {got.shape} {got.dtype}, the manifest {array}"
        return
    data = elements_of(got)
    if data is not None and hashlib.sha256(data).hexdigest() != array["elements_sha256"]:
        yield f"{key!r}: other elements"


def observe(record):
    """(verdict, complaints) of one case."""
    try:
        found = read(FOLDER / record["file"])
    except Exception as error:              # zipfile and NumPy let many kinds through
        bad = [f"NumPy refuses an archive that every reader must take: {error!r}"] if record["verdict"] == "accept" else []
        return "reject", bad
    if record["verdict"] != "accept":
        return "accept", []
    wanted = record["expect"]["members"]
    found_keys = [key for key, _ in found]
    if len(found) != len(wanted):
        return "accept", [f"NumPy lists {found_keys}"]
    return "accept", [problem for one, (key, got) in zip(wanted, found) for problem in complaints_about(one, key, got)]


def verdict_complaints(record, verdict):
    """What does not fit between a record's verdict and that of today's NumPy."""
    if record["verdict"] == "reject" and verdict == "accept" and "danger" not in record:
        yield "NumPy accepts a `reject` case that names no danger"
    if record["flags"] == ["strict"] and verdict == "reject":
        yield "NumPy refuses a `strict` case: it should be `reject`"


def main():
    """Observes all cases."""
    warnings.simplefilter("ignore")
    records = json.loads((FOLDER / "manifest.json").read_text(encoding="ascii"))["cases"]
    seen = json.loads(SEEN.read_text(encoding="ascii")) if SEEN.exists() else {}
    is_today = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 3)
    count = 0
    for record in records:
        verdict, complaints = observe(record)
        seen.setdefault(record["id"], {})[LABEL] = verdict
        for complaint in [*complaints, *(verdict_complaints(record, verdict) if is_today else [])]:
            print(f"{record['id']}: {complaint}")
            count += 1
    known = {record["id"] for record in records}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(seen[name], sort_keys=True)}" for name in sorted(seen)
                       if name in known)
    SEEN.write_text("{\n" + lines + "\n}\n", encoding="ascii")
    print(f"{len(records)} archives, {count} complaints ({LABEL})")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
