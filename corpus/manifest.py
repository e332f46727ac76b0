"""The suite's manifest: one record a case, made from the definitions and never edited by hand.

make.py hands all `Case` objects to `publish`, which writes the files and manifest.json, or to `compare`,
which says where the committed suite is another. Standard library only.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import elements
import model
import names

CORPUS = Path(__file__).resolve().parent
MANIFEST = CORPUS / "manifest.json"
OBSERVATIONS = CORPUS / "observations.json"
LOADERS = CORPUS / "loaders.json"
CONFIRMED = CORPUS / "confirmed.json"
FOLDERS = ("accept", "reject", "choice")
UNICODE = "14.0.0"             # by which NumPy's writer, and ours, decides what a name's repr escapes

VERSION = "0.5.0"

# What an implementation may declare, and what it then does with the cases that carry the flag. One that
# does not declare a flag does the opposite.
FLAGS = {
    "strict": ("reject", "refuses spellings that NumPy reads and no NumPy ever wrote"),
    "no-trailing": ("reject", "refuses bytes behind the data"),
    "long-header": ("accept", "takes headers longer than 65,536 bytes"),
    "depth-over-64": ("accept", "takes more than 64 lists and sub-array tuples inside one another"),
    "unended-padding": ("accept", "takes padding whose last line holds blanks and has no end"),
    "int-fortran-order": ("accept", "takes 1 and 0 as fortran_order"),
    "numpy-bool": ("accept", "takes np.True_ and np.False_ as fortran_order"),
    "numpy-int": ("accept", "takes np.int64(2) and its like as a dimension"),
    "list-shape": ("accept", "takes a list as a shape"),
    "int-shape": ("accept", "takes an integer other than 1 as the shape of a sub-array"),
    "list-field": ("accept", "takes a list as a field"),
    "metadata": ("accept", "takes a dictionary of metadata beside the type of a field, and skips it"),
    "native-order": ("accept", "takes a type without byte order, or with =, as little-endian"),
    "type-names": ("accept", "takes types of fixed size by their name, as little-endian"),
    "bytes-alias": ("accept", "takes the kind a for bytes"),
    "platform-float": ("accept", "takes long doubles of other platforms as opaque bytes"),
}

# The rule of spec/npy.md that each flag relaxes the standard profile by, or the limit that it is about.
FLAG_RULES = {
    "no-trailing": "NPY-DATA-002", "long-header": "NPY-LIMIT-001", "depth-over-64": "NPY-LIMIT-001",
    "unended-padding": "NPY-FRAME-009",
    "int-fortran-order": "NPY-COMPAT-001", "numpy-bool": "NPY-COMPAT-002", "numpy-int": "NPY-COMPAT-003",
    "list-shape": "NPY-COMPAT-004", "int-shape": "NPY-COMPAT-005", "list-field": "NPY-COMPAT-006",
    "metadata": "NPY-COMPAT-007", "native-order": "NPY-COMPAT-008", "type-names": "NPY-COMPAT-009",
    "bytes-alias": "NPY-COMPAT-010", "platform-float": "NPY-COMPAT-011",
}

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
    error: dict = None          # what safenpy's default profile answers when it refuses; none: it accepts
    options: list = field(default_factory=list)    # of a choice: what makes safenpy accept it
    refused_with: list = field(default_factory=list)  # [{options, error}] under which it is refused
    danger: str = None          # why a file that NumPy accepts is `reject` all the same
    canonical: bool = None      # numpy.save of NumPy 2.x writes exactly this header; found out by settle
    rewrite: bool = None        # NumPy 2.x writes exactly this header if asked for its version; likewise
    maker: str = None           # the module that defines it; set by make.py


def refusal(status, offset):
    """The `error` of a record."""
    return {"status": status, "offset": offset}


def format_of(data):
    """The format a file's first bytes claim: "npy 1.0", or "npy" where they claim no known one."""
    known = (1, 2, 3)
    if data[:6] == model.MAGIC and len(data) >= 8 and data[6] in known and data[7] == 0:
        return f"npy {data[6]}.0"
    return "npy"


def settle(case):
    """Adds to a case what follows from its bytes: the digest of its elements, and whether it is canonical."""
    if not case.expect:
        return
    if not case.expect["has_object"]:
        case.expect["elements_sha256"] = elements.digest(case.data, case.expect)
    if case.verdict == "accept" or case.flags in (["long-header"], ["no-trailing"], ["unended-padding"]):
        offset = model.first_difference(case.data, case.expect)
        case.canonical = offset is None
        case.rewrite = case.data[:case.expect["data_offset"]] == model.as_written(case.expect)
        if offset is not None and case.verdict == "accept":
            case.refused_with = [*case.refused_with, {
                "options": ["--profile", "canonical"], "error": refusal("SNPY_NOT_CANONICAL", offset)}]


def record_of(case):
    """The manifest's record of a case; keys that say nothing are left out."""
    rules = set(case.rules)
    for error in [case.error] + [other["error"] for other in case.refused_with]:
        if error:
            rules.add(STATUS_RULES[error["status"]])
    record = {
        "id": case.id,
        "file": case.id + ".npy",
        "sha256": hashlib.sha256(case.data).hexdigest(),
        "format": format_of(case.data),
        "verdict": case.verdict,
        "flags": case.flags,
        "rules": sorted(rules),
        "reason": case.reason,
        "maker": case.maker,
    }
    for key in ("expect", "error", "options", "refused_with", "danger", "canonical", "rewrite"):
        value = getattr(case, key)
        if value not in (None, []):
            record[key] = value
    if case.expect:
        record["expect"] = names.of_expect(case.expect)
    return record


def check_case(case):
    """What every case must keep, whoever made it."""
    assert case.id.split("/")[0] == case.verdict, case.id
    assert case.reason.endswith("."), case.id
    assert len(case.flags) == (case.verdict == "choice") and set(case.flags) <= set(FLAGS), case.id
    if case.verdict == "accept" or case.flags in (["no-trailing"], ["unended-padding"]):
        assert case.expect and not case.error, case.id
    else:
        assert case.error, case.id
        assert case.error["offset"] <= len(case.data), case.id
    if case.verdict == "reject":
        assert not case.expect, case.id
    assert bool(case.options) <= bool(case.expect), case.id


def read_json(path):
    """An object from a file; empty if there is none."""
    return json.loads(path.read_text(encoding="ascii")) if path.exists() else {}


def observations():
    """What NumPy's versions said of the files: {id: {version: verdict}}."""
    return read_json(OBSERVATIONS)


def loaders():
    """Where a stream or a map said otherwise: {id: {version: {"stream" or "map": verdict}}}."""
    return read_json(LOADERS)


def line(value):
    """One value as one line of JSON, the same byte for byte on every run."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def rewrite_digest(records):
    """A digest of all files that are said to be as NumPy writes them; `records` are sorted by id."""
    lines = "".join(f"{record['id']}\n{record['sha256']}\n" for record in records if record.get("rewrite"))
    return hashlib.sha256(lines.encode("ascii")).hexdigest()


def head():
    """What stands in front of the cases."""
    made = {
        "suite": "safenpy NPY conformance suite",
        "version": VERSION,
        "license": "MIT",
        "unicode": UNICODE,
        "flags": {name: {"declared": declared, "text": text} for name, (declared, text) in FLAGS.items()},
        "statuses": STATUS_RULES,
    }
    if CONFIRMED.exists():
        made["confirmed"] = read_json(CONFIRMED)
    return made


def write_whole(path, content):
    """Writes a file so that others see either the old one or the new one, whole."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_bytes(content)
    os.replace(fresh, path)


def text_of(records):
    """manifest.json: records sorted by id, with the observations merged in."""
    seen, others = observations(), loaders()
    for record in records:
        if record["id"] in seen:
            record["numpy"] = seen[record["id"]]
        if record["id"] in others:
            record["numpy_loaders"] = others[record["id"]]
    records.sort(key=lambda record: record["id"])
    lines = [f" {line(key)}: {line(value)}," for key, value in head().items()]
    cases = ",\n".join("  " + line(record) for record in records)
    return "{\n" + "\n".join(lines) + '\n "cases": [\n' + cases + "\n ]\n}\n"


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


def records_of(cases):
    """The records of all cases, each checked."""
    for case in cases:
        settle(case)
        check_case(case)
    records = [record_of(case) for case in cases]
    check_unique(records)
    return records


def files_there():
    """The paths of all files of the suite, as the manifest names them."""
    return {path.relative_to(CORPUS).as_posix() for folder in FOLDERS for path in (CORPUS / folder).rglob("*")
            if path.is_file()}


def publish(cases):
    """Writes the files that differ and the manifest; removes files that no case has."""
    text = text_of(records_of(cases))
    for case in cases:
        path = CORPUS / (case.id + ".npy")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != case.data:
            write_whole(path, case.data)
    write_whole(MANIFEST, text.encode("ascii"))
    for name in files_there() - {case.id + ".npy" for case in cases}:
        (CORPUS / name).unlink()


def compare(cases):
    """Where the suite as it stands is not what the definitions make; an empty list if it is."""
    records = records_of(cases)
    text = text_of(records)
    wanted = {case.id + ".npy": case.data for case in cases}
    there = files_there()
    problems = [f"{name}: no case makes this file" for name in sorted(there - set(wanted))]
    problems += [f"{name}: the file is missing" for name in sorted(set(wanted) - there)]
    problems += [f"{name}: other bytes than its definition makes" for name in sorted(there & set(wanted))
                 if (CORPUS / name).read_bytes() != wanted[name]]
    if not MANIFEST.exists() or MANIFEST.read_text(encoding="ascii") != text:
        problems.append("manifest.json: not what the definitions make")
    if read_json(CONFIRMED).get("sha256") != rewrite_digest(records):
        problems.append("confirmed.json: of other files; run check_numpy_bytes.py with NumPy 2.x, then make.py")
    return problems
