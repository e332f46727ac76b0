"""What a case is: its verdict, its reasons and its bytes, as text."""

import json

from .declaration import opposite
from .selection import SelectionError

WHOLE = 2048             # bytes of a file that are shown in any case
AROUND = 64              # and before and after the byte of the error
WIDTH = 16
MEANING = {"accept": "every reader must accept this file", "reject": "every reader must refuse this file"}
EXPECTED = ("version", "descr", "shape", "fortran_order", "itemsize", "count", "data_offset", "data_size", "has_object",
            "elements_sha256", "fits")
OBEYED = {code: "." for code in (*range(0x20), *range(0x7F, 0x100))}


def find(suites, name):
    """The suite and the case of an id; a path or the name of its file will do."""
    wanted = name.removesuffix(".npy").removesuffix(".npz")
    for suite in suites:
        for case in suite.cases:
            if wanted in (case.id, str(case.path)) or wanted.endswith(f"/{case.id}"):
                return suite, case
    raise SelectionError(f"no case is called {name}; `list` prints their names")


def text_of(suite, case):
    """The whole page."""
    data = case.data()
    rows = [("verdict", verdict(suite, case)), ("rules", ", ".join(case.rules)), *expectations(case), *refusals(case)]
    if case.decoder_options:
        rows.append(("options", json.dumps(case.decoder_options)))
    if "danger" in case.record:
        rows.append(("danger", case.record["danger"]))
    rows += observed(case.record.get("numpy", {}))
    rows.append(("file", f"{case.record['file']}, {len(data):,} bytes, {case.record.get('format', 'npy')}"))
    rows.append(("SHA-256", case.record["sha256"]))
    error = case.record.get("error", {})
    offset = error.get("offset") if "member" not in error else None
    head = "".join(f"  {name:<15} {value}\n" for name, value in rows)
    return f"{case.id}\n\n{case.reason}\n\n{head}\n{dump(data, offset)}"


def verdict(suite, case):
    """What a reader must do, in words."""
    if case.verdict != "choice":
        return f"{case.verdict}: {MEANING[case.verdict]}"
    flag = case.flags[0]
    declared = suite.flags[flag]["declared"]
    return (f"choice: {declared} with the flag {flag} (\"{suite.flags[flag]['text']}\"), "
            f"{opposite(declared)} without it")


def expectations(case):
    """What a reader that accepts the file reports."""
    expect = case.expect or {}
    for key in EXPECTED:
        if key in expect:
            yield key, "the rest of the file" if key == "data_size" and expect[key] is None else shown(expect[key])
    for field in expect.get("fields", ()):
        path = ".".join(field.get("path", [field["name"]]))
        yield "field", f"{json.dumps(path)} at {field['offset']}: {field['descr']}, shape {field['shape']}"
    for member in expect.get("members", ()):
        array = member["array"]
        what = f"{array['descr']}, shape {array['shape']}" if array else "no array"
        yield "member", f"{json.dumps(member['name'])}: {member['method']}, {member['size']:,} bytes, {what}"


def shown(value):
    """A string as it is if it is printable, everything else as JSON."""
    return value if isinstance(value, str) and value.isprintable() else json.dumps(value)


def refusals(case):
    """How safenpy refuses the file."""
    if "error" in case.record:
        error = case.record["error"]
        member = f" of the member {json.dumps(error['member'])}" if "member" in error else ""
        yield "error", f"safenpy reports {error['status']} at byte {error['offset']}{member}"


def observed(numpy):
    """What NumPy does, one row for each answer."""
    for answer in ("accept", "reject"):
        versions = [version for version in numpy if numpy[version] == answer]
        if versions:
            yield "NumPy", f"{answer}: {', '.join(versions)}"


# ---- Bytes ----------------------------------------------------------------------------------------

def dump(data, offset):
    """The bytes in hexadecimal and as text; the byte of the error is marked, and a long file has gaps."""
    lines, is_gap = [], False
    for start in range(0, max(len(data), 1), WIDTH):
        is_marked = offset is not None and start <= offset < start + WIDTH
        if start < WHOLE or start + WIDTH >= len(data) or offset is not None and abs(start - offset) < AROUND:
            lines.append(row(data, start, offset if is_marked else None))
            is_gap = False
        elif not is_gap:
            lines.append("  …\n")
            is_gap = True
    if offset is not None and offset >= max(len(data), 1) and offset % WIDTH == 0:
        lines.append(f"  {offset:08x}  <- byte {offset}\n")
    return "".join(lines)


def row(data, start, offset):
    """One line of the dump."""
    part = data[start:start + WIDTH]
    words = " ".join(f"{byte:02x}" for byte in part).ljust(3 * WIDTH - 1)
    text = part.decode("latin-1").translate(OBEYED).ljust(WIDTH)
    mark = "" if offset is None else f"  <- byte {offset}"
    return f"  {start:08x}  {words}  |{text}|{mark}\n"
