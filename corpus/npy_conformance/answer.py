"""What an adapter says, read strictly: an answer that can be misunderstood is no answer."""

import json
import re

ACCEPT, REJECT, UNSUPPORTED = "accept", "reject", "unsupported"
HEX64 = re.compile(r"[0-9a-f]{64}")
SHOWN = 60               # characters of a strange value that a message shows


class ProtocolError(Exception):
    """The adapter broke the protocol; the text says how and is the same on every run."""


def shown(value):
    """A value in a message, cut short. Lone surrogates stay escaped, so that any file can hold the text."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        return "…"
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


# ---- JSON -----------------------------------------------------------------------------------------

def _no_twins(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise ProtocolError(f"the key {shown(twin)} stands twice")
    return found


def _no_constant(name):
    raise ProtocolError(f"{name} is no JSON")


def parse_object(raw):
    """One JSON object from bytes, with nothing that JSON leaves open."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ProtocolError("the answer is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"the answer is no JSON: {shown(raw[:SHOWN].decode('utf-8', 'replace'))}") from error
    if not isinstance(value, dict):
        raise ProtocolError(f"the answer is no object: {shown(value)}")
    return value


# ---- Types ----------------------------------------------------------------------------------------

def is_string(value):
    """A JSON string."""
    return isinstance(value, str)


def is_bool(value):
    """true or false."""
    return isinstance(value, bool)


def is_integer(value):
    """An integer; True is not 1 here, and 3.0 not 3. A negative one is understood, and wrong."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_shape(value):
    """A list of dimensions."""
    return isinstance(value, list) and all(is_integer(dim) for dim in value)


def is_code_points(value):
    """The code points of a name."""
    return isinstance(value, list) and all(is_integer(code) and 0 <= code <= 0x10FFFF for code in value)


def is_path(value):
    """A list of names."""
    return isinstance(value, list) and all(is_string(name) for name in value)


def _is_digest(value):
    return is_string(value) and HEX64.fullmatch(value) is not None


def _or_null(kind):
    return lambda value: value is None or kind(value)


FIELD_KEYS = {
    "name": is_string, "path": is_path, "descr": is_string, "offset": is_integer, "itemsize": is_integer,
    "shape": is_shape, "title": _or_null(is_string), "name_code_points": is_code_points,
    "title_code_points": is_code_points,
    "path_code_points": lambda value: isinstance(value, list) and all(map(is_code_points, value)),
}
ACCEPT_KEYS = {
    "version": is_string, "descr": is_string, "shape": is_shape, "fortran_order": is_bool, "itemsize": is_integer,
    "count": is_integer, "data_offset": is_integer, "data_size": _or_null(is_integer), "has_object": is_bool,
    "fields": lambda value: isinstance(value, list), "elements_sha256": _is_digest,
    "members": lambda value: isinstance(value, list), "fits": is_string,
}
MEMBER_KEYS = {
    "name": is_string, "key": is_string, "method": is_string, "size": is_integer, "sha256": _is_digest,
    "array": _or_null(lambda value: isinstance(value, dict)),
}
REJECT_KEYS = {"status": is_string, "offset": is_integer}
KEYS = {ACCEPT: ACCEPT_KEYS, REJECT: REJECT_KEYS, UNSUPPORTED: {}}
FOR_PEOPLE = {"message": is_string}


def check_keys(value, known, where=""):
    """Refuses keys that are unknown and values of the wrong type; keys that begin with x- are free."""
    for key, item in value.items():
        if key.startswith("x-"):
            continue
        if key not in known:
            raise ProtocolError(f"the key {shown(where + key)} is not of the protocol here")
        if not known[key](item):
            raise ProtocolError(f"{where}{key} cannot be {shown(item)}")


def check_answer(value):
    """An answer as the protocol has it; `seq` is taken out before."""
    verdict = value.get("verdict")
    if not is_string(verdict) or verdict not in KEYS:
        there = "verdict" in value
        raise ProtocolError(f"the verdict cannot be {shown(verdict)}" if there else "there is no verdict")
    rest = {key: item for key, item in value.items() if key != "verdict"}
    check_keys(rest, KEYS[verdict] | FOR_PEOPLE)
    check_fields(rest)
    for number, member in enumerate(rest.get("members", ())):
        check_member(member, f"members[{number}]")
    return value


def check_fields(array, where=""):
    """The fields of an array."""
    for number, field in enumerate(array.get("fields", ())):
        if not isinstance(field, dict):
            raise ProtocolError(f"{where}fields[{number}] cannot be {shown(field)}")
        check_keys(field, FIELD_KEYS, f"{where}fields[{number}].")


def check_member(member, where):
    """A member of an archive; what is said of its array is said as of a file, and an array has no members."""
    if not isinstance(member, dict):
        raise ProtocolError(f"{where} cannot be {shown(member)}")
    check_keys(member, MEMBER_KEYS, f"{where}.")
    array = member.get("array")
    if array is not None:
        check_keys(array, {key: kind for key, kind in ACCEPT_KEYS.items() if key != "members"}, f"{where}.array.")
        check_fields(array, f"{where}.array.")


def check_written(value):
    """What a writer answers: exactly one of written, unsupported, error."""
    check_keys(value, {"written": lambda item: item is True, "unsupported": is_string, "error": is_string})
    said = [key for key in value if not key.startswith("x-")]
    if len(said) != 1:
        raise ProtocolError("a writer answers with one of written, unsupported, error")
    return value
