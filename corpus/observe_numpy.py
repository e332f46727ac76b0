"""Asks the NumPy at hand about every file of the suite, and adds what it says to observations.json.

    python3 corpus/observe_numpy.py         # once with each NumPy, from 1.19 on; then make.py
    python3 corpus/observe_numpy.py --new   # only the cases that this NumPy has not been asked about

"accept" means that numpy.load of the file returns an array; the limit on the header's length is lifted.
Arrays of objects are not unpickled: they count by their header, and by whether a pickle follows at all.
Where numpy.load of a stream or into a map says otherwise, loaders.json has that.

With NumPy 2.3 or later, whose reader is strictest, the script also compares the verdicts with the rule
of the suite: a case is `reject` only where NumPy refuses it too, or where the record says what the danger
is. With every NumPy it compares what is read with the manifest's `expect`, and the elements with
`elements_sha256`. Ends with exit status 1 if something does not fit.
"""

import ast
import hashlib
import io
import json
import resource
import sys
import unicodedata
import warnings

import numpy as np

import manifest
import names
from describe import LIFTED, VERSION, describe, elements, read_header

MEMORY = 8 << 30       # enough for NumPy to start, too little for what some headers claim


def load(source, **more):
    """numpy.load without pickles and without a limit on the header's length."""
    return np.load(source, allow_pickle=False, **LIFTED, **more)


def verdict_of(read):
    """(verdict, the array or None) of one way to load."""
    try:
        return "accept", read()
    except Exception:          # NumPy's reader lets many kinds of exceptions through
        return "reject", None


def verdicts(path, data):
    """({way to load: verdict}, the array from the file or None)."""
    try:
        *_, dtype, data_offset = read_header(data)
    except Exception:
        return dict.fromkeys(("file", "stream", "map"), "reject"), None
    if dtype.hasobject:
        verdict = "accept" if data_offset < len(data) else "reject"
        return {"file": verdict, "stream": verdict, "map": "reject"}, None
    file, array = verdict_of(lambda: load(path))
    stream, _ = verdict_of(lambda: load(io.BytesIO(data)))
    mapped, _ = verdict_of(lambda: load(path, mmap_mode="r"))
    return {"file": file, "stream": stream, "map": mapped}, array


def verdict_complaints(record, verdict):
    """What does not fit between a record's verdict and that of today's NumPy."""
    if record["verdict"] == "reject" and verdict == "accept" and "danger" not in record:
        yield "NumPy accepts a `reject` case that names no danger"
    if record["verdict"] == "reject" and verdict == "reject" and "danger" in record:
        yield "NumPy refuses a case that names a danger"
    if record["flags"] == ["strict"] and verdict == "reject":
        yield "NumPy refuses a `strict` case: it should be `reject`"
    if record["verdict"] == "accept" and verdict == "reject":
        yield "NumPy refuses an `accept` case"


def value_complaints(record, data, array):
    """What does not fit between `expect` and what NumPy reads."""
    seen, wanted = json.loads(json.dumps(names.of_expect(describe(data)))), dict(record["expect"])
    digest = wanted.pop("elements_sha256", None)
    if unicodedata.unidata_version != manifest.UNICODE:       # repr escapes other characters there
        for said in (seen, wanted):
            said["descr"] = ast.literal_eval(said["descr"]) if said["descr"][0] == "[" else said["descr"]
            said["fields"] = [{**field, "descr": None} for field in said.get("fields", [])]
    for key in sorted(set(seen) | set(wanted)):
        if seen.get(key) != wanted.get(key):
            yield f"{key}: NumPy says {seen.get(key)!r}, the manifest {wanted.get(key)!r}"
    if array is not None and hashlib.sha256(elements(array)).hexdigest() != digest:
        yield f"elements_sha256: NumPy's {array.shape} {array.dtype} gives another one"


def observe(record, path):
    """({way: verdict}, complaints) of one case."""
    data = path.read_bytes()
    said, array = verdicts(path, data)
    complaints = list(verdict_complaints(record, said["file"])) if VERSION >= (2, 3) else []
    if "expect" in record and said["file"] == "accept":
        complaints += value_complaints(record, data, array)
    return said, complaints


def write(path, seen, known):
    """Writes observations, a case a line, without cases that are no more."""
    lines = ",\n".join(f" {manifest.line(name)}: {manifest.line(seen[name])}" for name in sorted(seen)
                       if name in known and seen[name])
    manifest.write_whole(path, ("{\n" + lines + "\n}\n").encode("ascii"))


def main():
    """Observes all cases."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    seen, loaders = manifest.observations(), manifest.loaders()
    records = json.loads(manifest.MANIFEST.read_text(encoding="ascii"))["cases"]
    known = {record["id"] for record in records}
    if sys.argv[1:] == ["--new"]:
        records = [record for record in records if np.__version__ not in seen.get(record["id"], {})]
    found = 0
    for record in records:
        said, complaints = observe(record, manifest.CORPUS / record["file"])
        seen.setdefault(record["id"], {})[np.__version__] = said["file"]
        others = {way: verdict for way, verdict in said.items() if verdict != said["file"]}
        loaders.setdefault(record["id"], {}).pop(np.__version__, None)
        if others:
            loaders[record["id"]][np.__version__] = others
        for complaint in complaints:
            print(f"{record['id']}: {complaint}")
        found += len(complaints)
    write(manifest.OBSERVATIONS, seen, known)
    write(manifest.LOADERS, loaders, known)
    print(f"{len(records)} cases observed with NumPy {np.__version__}, {found} complaints; now run make.py")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
