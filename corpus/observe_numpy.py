"""Asks the NumPy at hand about every file of the suite, and writes what it says into observations.json.

    python3 corpus/observe_numpy.py         # needs NumPy 2.x

"accept" means that numpy.load returns an array; its limit on the header's length is lifted. Arrays of
objects are not unpickled: they count by their header, and by whether a pickle follows at all. The
script also compares what NumPy reads with the manifest's `expect`, and the verdicts with the rule of
the suite: a case is `reject` only where NumPy refuses it too, or where the record says what the danger
is. Ends with exit status 1 if something does not fit.
"""

import json
import resource
import sys
import warnings

import numpy as np

import manifest
from describe import NO_LIMIT, describe, read_header

MEMORY = 8 << 30       # enough for NumPy to start, too little for what some headers claim


def numpy_verdict(path, data):
    """Whether NumPy takes a file."""
    try:
        *_, dtype, data_offset = read_header(data)
        if dtype.hasobject:
            return "accept" if data_offset < len(data) else "reject"
        np.load(path, allow_pickle=False, max_header_size=NO_LIMIT)
        return "accept"
    except Exception:          # NumPy's reader lets many kinds of exceptions through
        return "reject"


def complaints(record, verdict, data):
    """What does not fit between a record and NumPy's answer."""
    if record["verdict"] == "reject" and verdict == "accept" and "danger" not in record:
        yield "NumPy accepts a `reject` case that names no danger"
    if record["verdict"] == "reject" and verdict == "reject" and "danger" in record:
        yield "NumPy refuses a case that names a danger"
    if record["flags"] == ["strict"] and verdict == "reject":
        yield "NumPy refuses a `strict` case: it should be `reject`"
    if record["verdict"] == "accept" and verdict == "reject":
        yield "NumPy refuses an `accept` case"
    if "expect" in record and verdict == "accept":
        seen, wanted = json.loads(json.dumps(describe(data))), record["expect"]
        for key in sorted(set(seen) | set(wanted)):
            if seen.get(key) != wanted.get(key):
                yield f"{key}: NumPy says {seen.get(key)!r}, the manifest {wanted.get(key)!r}"


def main():
    """Observes all cases."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    seen = manifest.observations()
    records = manifest.load()["cases"]
    known = {record["id"] for record in records}
    found = 0
    for record in records:
        path = manifest.CORPUS / record["file"]
        data = path.read_bytes()
        verdict = numpy_verdict(path, data)
        seen.setdefault(record["id"], {})[np.__version__] = verdict
        for complaint in complaints(record, verdict, data):
            print(f"{record['id']}: {complaint}")
            found += 1
    lines = ",\n".join(f" {manifest.line(name)}: {manifest.line(seen[name])}" for name in sorted(seen) if name in known)
    manifest.OBSERVATIONS.write_text("{\n" + lines + "\n}\n", encoding="ascii")
    manifest.save(records)
    print(f"{len(records)} cases observed with NumPy {np.__version__}, {found} complaints")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
