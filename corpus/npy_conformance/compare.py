"""An answer beside what the manifest expects: the outcome of a case."""

from . import descr as dtypes
from . import outcome
from .answer import ACCEPT, REJECT, UNSUPPORTED, shown
from .outcome import Result

SIMPLE_KEYS = ("version", "fortran_order", "shape", "itemsize", "count", "data_offset", "data_size", "has_object",
               "elements_sha256", "fits")
MEMBER_KEYS = ("name", "key", "method", "size", "sha256")
FIELD_KEYS = ("offset", "itemsize", "shape")
SAFENPY = "SNPY_"
DIFFERENCES = 3          # that a detail names


def judge(case, declaration, answer):
    """The outcome of a case from an answer that keeps the protocol."""
    verdict = answer["verdict"]
    message = answer.get("message", "")
    if verdict == UNSUPPORTED:
        return Result(outcome.UNSUPPORTED, message)
    expected = declaration.expected(case)
    if verdict == ACCEPT and expected == REJECT and case.record.get("load") == "choice":
        return Result(outcome.ACCEPTS)
    if verdict == ACCEPT:
        return judge_acceptance(case, expected, answer)
    assert verdict == REJECT
    if expected == ACCEPT:
        return Result(outcome.WRONG_REJECT, " ".join(filter(None, (refusal_text(answer), message))))
    if expected != REJECT:
        return Result(outcome.REFUSES)
    return judge_error(declaration, declaration.errors(case), answer)


def judge_acceptance(case, expected, answer):
    """A file that was accepted: should it be, and is what was read right?"""
    if expected == REJECT:
        return Result(outcome.WRONG_ACCEPT)
    found = differences(case.expect or {}, answer)
    if found:
        more = "" if len(found) <= DIFFERENCES else f" and {len(found) - DIFFERENCES} more"
        return Result(outcome.WRONG_VALUE, "; ".join(found[:DIFFERENCES]) + more)
    return Result(outcome.PASS if expected == ACCEPT else outcome.ACCEPTS)


def refusal_text(answer):
    """Status and offset of a refusal, where it has them."""
    status = answer.get("status", "")
    return f"{status} at {answer['offset']}" if "offset" in answer else status


def judge_error(declaration, errors, answer):
    """A right refusal: if it names a status of safenpy's, status and offset must be the expected ones."""
    status = answer.get("status", "")
    if not status.startswith(SAFENPY) or not errors:
        return Result(outcome.PASS)
    if status not in declaration.known_statuses:
        return Result(outcome.WRONG_ERROR, f"{shown(status)} is no status of the suite")
    for error in errors:
        if error["status"] == status and answer.get("offset", error["offset"]) == error["offset"]:
            return Result(outcome.PASS)
    wanted = " or ".join(f"{error['status']} at {error['offset']}" for error in errors)
    return Result(outcome.WRONG_ERROR, f"expected {wanted}, got {refusal_text(answer)}")


# ---- Values ---------------------------------------------------------------------------------------

def differences(expect, answer):
    """The keys of an answer that differ from what is expected, as sentences."""
    found = []
    for key in SIMPLE_KEYS:
        if key in answer and key in expect and answer[key] != expect[key]:
            found.append(difference(key, expect[key], answer[key]))
    if "descr" in answer and "descr" in expect and not dtypes.same(answer["descr"], expect["descr"]):
        found.append(difference("descr", expect["descr"], answer["descr"]))
    if "fields" in answer and expect:
        found.extend(field_differences(expect.get("fields", []), answer["fields"]))
    if "members" in answer and expect:
        found.extend(member_differences(expect.get("members", []), answer["members"]))
    return found


def member_differences(wanted, got):
    """Members in the order of the directory, each compared by the keys that the answer gives.

    A reader of arrays may leave out the members that are none.
    """
    if len(wanted) > len(got) and all(given.get("array") is not None for given in got):
        wanted = [member for member in wanted if member["array"] is not None]
    if len(wanted) != len(got):
        return [f"members: expected {len(wanted)}, got {len(got)}"]
    found = []
    for number, (member, given) in enumerate(zip(wanted, got)):
        where = f"members[{number}]."
        found.extend(difference(where + key, member[key], given[key]) for key in MEMBER_KEYS
                     if key in given and given[key] != member[key])
        found.extend(array_differences(where + "array", member["array"], given))
    return found


def array_differences(where, wanted, given):
    """The array of a member, or null for one that is no NPY file."""
    if "array" not in given:
        return []
    got = given["array"]
    if wanted is None or got is None:
        return [] if wanted is got else [difference(where, wanted, got)]
    return [f"{where}.{text}" for text in differences(wanted, got)]


def difference(key, wanted, got):
    """One sentence."""
    return f"{key}: expected {shown(wanted)}, got {shown(got)}"


# A name is a sequence of code points. Where it has surrogates, which a JSON string cannot say, manifest and answers
# may give the code points; a string with escaped surrogates is understood as well, as far as JSON lets it.

def code_points(text):
    """Of a string, or null."""
    return None if text is None else [ord(char) for char in text]


def exact_name(field, key):
    """A name or title of the manifest: its code points, or null."""
    return field.get(f"{key}_code_points", code_points(field[key]))


def exact_path(field):
    """Likewise a path."""
    return field.get("path_code_points", [code_points(name) for name in field["path"]])


def joined(codes):
    """A name as a string of JSON gives it back: two surrogates that look like a pair are one character there."""
    if codes is None:
        return None
    return "".join(map(chr, codes)).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def name_differences(where, wanted, given, key):
    """A name or title; its code points count if they are there, else the string."""
    exact = f"{key}_code_points"
    if exact in given:
        return [] if given[exact] == wanted else [difference(f"{where}_code_points", wanted, given[exact])]
    if key not in given or joined(code_points(given[key])) == joined(wanted):
        return []
    return [difference(where, joined(wanted), given[key])]


def path_differences(where, wanted, given):
    """A path, in the same way."""
    if "path_code_points" in given:
        got = given["path_code_points"]
        return [] if got == wanted else [difference(f"{where}_code_points", wanted, got)]
    if "path" not in given or [joined(code_points(name)) for name in given["path"]] == [joined(one) for one in wanted]:
        return []
    return [difference(where, [joined(one) for one in wanted], given["path"])]


def field_differences(wanted, got):
    """Fields in order, each compared by the keys that the answer gives."""
    if len(wanted) != len(got):
        return [f"fields: expected {len(wanted)}, got {len(got)}"]
    found = []
    for number, (field, given) in enumerate(zip(wanted, got)):
        where = f"fields[{number}]."
        for key in ("name", "title"):
            found.extend(name_differences(where + key, exact_name(field, key), given, key))
        found.extend(path_differences(where + "path", exact_path(field), given))
        for key in FIELD_KEYS:
            if key in given and given[key] != field[key]:
                found.append(difference(where + key, field[key], given[key]))
        if "descr" in given and not dtypes.same(given["descr"], field["descr"]):
            found.append(difference(where + "descr", field["descr"], given["descr"]))
    return found
