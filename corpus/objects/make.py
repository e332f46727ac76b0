"""Makes the object arrays of the suite: every file, their manifest, and the tables of what picklers write in spec/objects.md.

    python3 corpus/objects/make.py            # writes what differs
    python3 corpus/objects/make.py --check    # says what differs, and writes nothing

Hostile and good cases come from cases.py, and of what real picklers wrote (written.jsonl.xz) some for each value. Needs Python
3.11 or later and nothing else.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import cases  # noqa: E402
import table  # noqa: E402
import written  # noqa: E402

FOLDER = Path(__file__).resolve().parent
SPEC = FOLDER.parents[1] / "spec" / "objects.md"
WRITTEN = re.compile(r"(<!-- written:begin -->\n).*?(<!-- written:end -->)", re.DOTALL)
MOST_BYTES = 4096           # of a payload that becomes a file
PLAIN = ("bytearray", "set", "frozenset", "slice", "range", "date", "datetime", "time", "timedelta", "timezone", "decimal", "fraction", "uuid",
         "ordered-dict", "defaultdict", "struct-time", "path", "matrix", "recarray", "masked")


def fits(value):
    """The set that a value of values.py belongs to."""
    return "plain" if value.startswith(PLAIN) else "data"


def chosen():
    """Of each value in an array without dimensions: what numpy.save writes today, and what Python 2 wrote."""
    for record in written.read():
        if record["value"].startswith("whole-") or len(record["hex"]) > 2 * MOST_BYTES:
            continue
        for python, numpy, pickler, protocol in record["by"]:
            name = {("3.13.0", "C", 4): "numpy-2", ("2.7.18", "cPickle", 2): "python-2"}.get((python, pickler, protocol))
            if name:
                value = re.sub(r"[^A-Za-z0-9-]+", lambda found: {"<": "little-", ">": "big-", "?": "bool", "[": "-", "]": ""}.get(found[0], "-"), record["value"])
                yield f"written/{value}-{name}", record, f"Python {python} and NumPy {numpy} wrote it under protocol {protocol}."


def all_cases():
    """Hostile and good cases, and those written."""
    found = list(cases.all_cases())
    for name, record, reason in chosen():
        found.append(cases.Case(name, [bytes.fromhex(record["hex"])], reason, fits=fits(record["value"]), rules=["NPY-PKL-001"]))
    assert len({case.id for case in found}) == len(found), "an ID twice"
    return sorted(found, key=lambda case: case.id)


def record_of(case):
    """A case in the manifest."""
    record = {"id": case.id, "file": case.id + ".npy", "sha256": hashlib.sha256(case.data).hexdigest(), "verdict": case.id.split("/")[0],
              "rules": case.rules, "reason": case.reason}
    if case.status:
        record["error"] = {"status": case.status, "offset": case.offset}
    else:
        record["fits"] = case.fits
    return {**record, **({"options": case.options} if case.options else {})}


def manifest_of(found):
    """The text of manifest.json."""
    head = {"suite": "safenpy object arrays", "version": "0.1.0", "license": "MIT", "statuses": cases.RULES}
    lines = ",\n".join("  " + json.dumps(record_of(case)) for case in found)
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + lines + "\n ]\n}\n"


def page():
    """spec/objects.md with its table."""
    made = "\n".join(table.lines())
    return WRITTEN.sub(lambda found: f"{found[1]}{made}\n{found[2]}", SPEC.read_text(encoding="utf-8"))


def main():
    """Writes, or compares; the last line counts files."""
    check = "--check" in sys.argv[1:]
    found = all_cases()
    files = {FOLDER / (case.id + ".npy"): case.data for case in found}
    files[FOLDER / "manifest.json"] = manifest_of(found).encode()
    files[SPEC] = page().encode()
    stale = [path for folder in ("accept", "reject") for path in (FOLDER / folder).rglob("*") if path.is_file() and path not in files]
    different = [path for path, data in files.items() if not path.is_file() or path.read_bytes() != data]
    for path in different + stale:
        print(path.relative_to(FOLDER.parents[1]), "differs" if path in files else "is not of the suite")
    if not check:
        for path in different:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[path])
        for path in stale:
            path.unlink()
    print(f"{len(files) - len(different)} passed, {len(different) + len(stale)} failed" if check else f"{len(found)} cases")
    return 1 if check and different + stale else 0


if __name__ == "__main__":
    sys.exit(main())
