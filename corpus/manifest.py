"""The suite's manifest: one record a case, written by whichever script makes the case's file.

Both generators build `Case` objects and hand them to `publish`, which writes the files, removes files
of the same generator that are no longer made, and merges the records into manifest.json. Nobody edits
manifest.json by hand. Standard library only.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).resolve().parent
MANIFEST = CORPUS / "manifest.json"
OBSERVATIONS = CORPUS / "observations.json"
MAGIC = b"\x93NUMPY"

# Which rule of spec/npy.md each status reports.
STATUS_RULES = {
    "SNPY_BAD_MAGIC": "NPY-FRAME-001",
    "SNPY_TRUNCATED_PREFIX": "NPY-FRAME-002",
    "SNPY_UNSUPPORTED_VERSION": "NPY-FRAME-003",
    "SNPY_HEADER_TOO_LONG": "NPY-FRAME-005",
    "SNPY_TRUNCATED_HEADER": "NPY-FRAME-006",
    "SNPY_BAD_UTF8": "NPY-FRAME-007",
    "SNPY_UNEXPECTED_END": "NPY-LIT-001",
    "SNPY_NOT_A_DICT": "NPY-LIT-002",
    "SNPY_TRAILING_TEXT": "NPY-LIT-003",
    "SNPY_EXPECTED_STRING": "NPY-LIT-004",
    "SNPY_CONTROL_IN_STRING": "NPY-LIT-005",
    "SNPY_BAD_ESCAPE": "NPY-LIT-006",
    "SNPY_CODE_POINT_RANGE": "NPY-LIT-007",
    "SNPY_ESCAPE_IN_TYPE": "NPY-LIT-008",
    "SNPY_EXPECTED_COLON": "NPY-LIT-009",
    "SNPY_EXPECTED_COMMA": "NPY-LIT-010",
    "SNPY_EXPECTED_CLOSE": "NPY-LIT-011",
    "SNPY_EXPECTED_TYPE": "NPY-LIT-012",
    "SNPY_TOP_LEVEL_SUBARRAY": "NPY-LIT-013",
    "SNPY_EXPECTED_FIELD": "NPY-LIT-014",
    "SNPY_EXPECTED_SHAPE": "NPY-LIT-015",
    "SNPY_SHAPE_NOT_A_TUPLE": "NPY-LIT-016",
    "SNPY_BAD_DIMENSION": "NPY-LIT-017",
    "SNPY_SIGNED_DIMENSION": "NPY-LIT-018",
    "SNPY_LEADING_ZERO": "NPY-LIT-019",
    "SNPY_LONG_SUFFIX": "NPY-LIT-020",
    "SNPY_TOO_DEEP": "NPY-LIT-021",
    "SNPY_SUBARRAY_NEEDS_SHAPE": "NPY-LIT-022",
    "SNPY_ONE_AS_SHAPE": "NPY-LIT-023",
    "SNPY_UNKNOWN_KEY": "NPY-HDR-001",
    "SNPY_DUPLICATE_KEY": "NPY-HDR-002",
    "SNPY_MISSING_KEY": "NPY-HDR-003",
    "SNPY_BAD_FORTRAN_ORDER": "NPY-HDR-004",
    "SNPY_TOO_MANY_FIELDS": "NPY-HDR-005",
    "SNPY_NOT_CANONICAL": "NPY-HDR-006",
    "SNPY_UNKNOWN_TYPE": "NPY-DTYPE-001",
    "SNPY_BAD_BYTE_ORDER": "NPY-DTYPE-002",
    "SNPY_NO_BYTE_ORDER": "NPY-DTYPE-003",
    "SNPY_BAD_TYPE_SIZE": "NPY-DTYPE-004",
    "SNPY_PLATFORM_FLOAT": "NPY-DTYPE-005",
    "SNPY_TYPE_NAME": "NPY-DTYPE-006",
    "SNPY_BYTES_ALIAS": "NPY-DTYPE-007",
    "SNPY_TYPE_TOO_LARGE": "NPY-DTYPE-008",
    "SNPY_BAD_UNIT": "NPY-DTYPE-009",
    "SNPY_BAD_MULTIPLIER": "NPY-DTYPE-010",
    "SNPY_UNIT_DIVISOR": "NPY-DTYPE-011",
    "SNPY_DUPLICATE_NAME": "NPY-DTYPE-012",
    "SNPY_TOO_MANY_DIMENSIONS": "NPY-SHAPE-001",
    "SNPY_EMPTY_SUBARRAY_TYPE": "NPY-SHAPE-002",
    "SNPY_ITEMSIZE_OVERFLOW": "NPY-SHAPE-003",
    "SNPY_SIZE_OVERFLOW": "NPY-SHAPE-004",
    "SNPY_TRUNCATED_DATA": "NPY-DATA-001",
    "SNPY_TRAILING_DATA": "NPY-DATA-002",
    "SNPY_NO_OBJECTS": "NPY-DATA-003",
}


@dataclass
class Case:
    """One file of the suite and what a reader must say about it."""

    id: str                     # the file's path without ".npy"; never changes meaning
    data: bytes
    verdict: str                # accept | reject | choice
    reason: str                 # one sentence: why
    rules: list = field(default_factory=list)
    flags: list = field(default_factory=list)      # of a choice: what an implementation declares
    expect: dict = None         # what a reader that accepts the file reports
    error: dict = None          # what safenpy's default profile answers when it refuses
    options: list = field(default_factory=list)    # of a choice: what makes safenpy accept it
    refused_with: list = field(default_factory=list)  # [{options, error}] under which it is refused
    danger: str = None          # why a file that NumPy accepts is `reject` all the same
    canonical: bool = None      # NumPy's own writer chose every byte of the header
    rewrite: bool = None        # NumPy's own writer wrote the header in the version it has


def refusal(status, offset):
    """The `error` of a record."""
    return {"status": status, "offset": offset}


def format_of(data):
    """The format a file's first bytes claim: "npy 1.0", or "npy" where they claim no known one."""
    known = (1, 2, 3)
    if data[:6] == MAGIC and len(data) >= 8 and data[6] in known and data[7] == 0:
        return f"npy {data[6]}.0"
    return "npy"


def record_of(case, maker):
    """The manifest's record of a case; keys that say nothing are left out."""
    rules = list(case.rules)
    for error in [case.error] + [other["error"] for other in case.refused_with]:
        if error and STATUS_RULES[error["status"]] not in rules:
            rules.append(STATUS_RULES[error["status"]])
    record = {
        "id": case.id,
        "file": case.id + ".npy",
        "sha256": hashlib.sha256(case.data).hexdigest(),
        "format": format_of(case.data),
        "verdict": case.verdict,
        "flags": case.flags,
        "rules": sorted(rules),
        "reason": case.reason,
        "maker": maker,
    }
    for key in ("expect", "error", "options", "refused_with", "danger", "canonical", "rewrite"):
        value = getattr(case, key)
        if value not in (None, []):
            record[key] = value
    return record


def check_case(case):
    """What every case must keep, whoever made it."""
    assert case.id.split("/")[0] == case.verdict, case.id
    assert case.reason.endswith("."), case.id
    assert (case.verdict == "choice") == bool(case.flags), case.id
    if case.verdict == "accept":
        assert case.expect and not case.error, case.id
    else:
        assert case.error, case.id
        assert case.error["offset"] <= len(case.data), case.id
    if case.verdict == "reject":
        assert not case.expect, case.id
    assert bool(case.options) <= bool(case.expect), case.id


def load():
    """The manifest as it is, or an empty one."""
    if MANIFEST.exists():
        return json.loads(MANIFEST.read_text(encoding="ascii"))
    return {"cases": []}


def observations():
    """What NumPy's versions said: {id: {version: verdict}}."""
    if OBSERVATIONS.exists():
        return json.loads(OBSERVATIONS.read_text(encoding="ascii"))
    return {}


def line(value):
    """One value as one line of JSON, the same byte for byte on every run."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def save(records):
    """Writes manifest.json: records sorted by id, with the observations merged in."""
    seen = observations()
    for record in records:
        if record["id"] in seen:
            record["numpy"] = seen[record["id"]]
        else:
            record.pop("numpy", None)
    records.sort(key=lambda record: record["id"])
    head = {"suite": "safenpy NPY conformance suite", "version": "0.1.0", "unicode": "14.0.0"}
    lines = [f" {line(key)}: {line(value)}," for key, value in head.items()]
    cases = ",\n".join("  " + line(record) for record in records)
    text = "{\n" + "\n".join(lines) + '\n "cases": [\n' + cases + "\n ]\n}\n"
    MANIFEST.write_text(text, encoding="ascii")


def check_unique(records):
    """No two cases share an id or a file's bytes."""
    twins = []
    for key in ("id", "sha256"):
        first = {}
        for record in records:
            other = first.setdefault(record[key], record)
            if other is not record:
                twins.append(f"{record['id']} and {other['id']} have the same {key}")
    if twins:
        raise SystemExit("\n".join(twins))


def publish(cases, maker):
    """Writes the files of `cases` and replaces this maker's part of the manifest."""
    for case in cases:
        check_case(case)
    old = load()["cases"]
    made = {case.id for case in cases}
    kept = [record for record in old if record["maker"] != maker]
    records = kept + [record_of(case, maker) for case in cases]
    check_unique(records)
    for record in old:
        if record["maker"] == maker and record["id"] not in made:
            (CORPUS / record["file"]).unlink(missing_ok=True)
    for case in cases:
        path = CORPUS / (case.id + ".npy")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != case.data:
            path.write_bytes(case.data)
    save(records)
    print(f"{maker}: {len(cases)} cases, {sum(len(case.data) for case in cases)} bytes")
