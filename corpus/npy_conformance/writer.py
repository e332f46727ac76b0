"""Writers: what they are asked to write, and how what they wrote is judged.

A request is made of every `accept` case whose header NumPy wrote itself (`rewrite`), except arrays of objects.
What was written must be read by safenpy, and say and hold what was asked for. It is `canonical` if its header is
also, byte for byte, NumPy's, and its padding zero.
"""

import base64
import hashlib
import json
import os
import stat
import subprocess

from . import descr as dtypes
from . import elements, outcome
from .answer import shown
from .compare import difference
from .manifest import SuiteError
from .outcome import Result
from .task import WriteTask

BATCH = 200              # files a call of safenpy
SAFENPY_TIME = 120
VERSION_BYTE = 6
CANONICAL = ["--profile", "canonical"]


class JudgeError(Exception):
    """safenpy itself failed: nothing can be said of the writer."""


# ---- Requests -------------------------------------------------------------------------------------

def writable(case):
    """Whether a case makes a request."""
    return case.verdict == "accept" and bool(case.record.get("rewrite")) and not case.expect["has_object"]


def asked_version(case):
    """The version to ask for: the file's if that alone keeps its header from being canonical."""
    for other in case.record.get("refused_with", []):
        if other["options"] == CANONICAL and other["error"]["offset"] == VERSION_BYTE:
            return case.expect["version"]
    return None


def request_of(case):
    """What a writer is asked to write."""
    case.data()                          # the file is the one of the manifest
    content, _ = elements.of_file(case.path, case.expect)
    wanted = case.expect.get("elements_sha256")
    if wanted and hashlib.sha256(content).hexdigest() != wanted:
        raise SuiteError(f"{case.id}: the runner reads other elements than the manifest has")
    request = {key: case.expect[key] for key in ("descr", "shape", "fortran_order")}
    encoded = base64.b64encode(content).decode("ascii")
    return {**request, "version": asked_version(case), "elements_base64": encoded}


def tasks(cases, folder):
    """The requests of all cases that make one."""
    found = []
    for case in filter(writable, cases):
        request, path = request_of(case), folder / f"{case.number:06}.json"
        path.write_text(json.dumps(request), encoding="ascii")
        found.append(WriteTask(case, str(folder / f"{case.number:06}.npy"), request, str(path)))
    return found


# ---- Judging --------------------------------------------------------------------------------------

def judge_all(found, replies, safenpy):
    """({case id: Result}, faults of the judges themselves)."""
    results, written, problems = {}, [], []
    for task in found:
        reply = replies[task.case.id]
        early = reply.result or refusal(reply.answer) or missing(task.path)
        if early:
            results[task.case.id] = Result(early.outcome, early.detail, reply.stderr)
        else:
            written.append(task)
    read = safenpy_says(safenpy, ["info"], written)
    canonical = safenpy_says(safenpy, ["check", *CANONICAL], written)
    for task in written:
        is_canonical = canonical[task.path]["verdict"] == "accept"
        results[task.case.id] = judge(task, read[task.path], is_canonical)
        problems += disagreement(task, results[task.case.id], is_canonical)
    return {task.case.id: results[task.case.id] for task in found}, problems


def refusal(answer):
    """The result of an answer other than written."""
    if "unsupported" in answer:
        return Result(outcome.UNSUPPORTED, answer["unsupported"])
    if "error" in answer:
        return Result(outcome.WRONG_REJECT, answer["error"])
    return None


def missing(path):
    """The result of a file that is not there, or is no file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return Result(outcome.UNREADABLE, "there is no file")
    return None if stat.S_ISREG(mode) else Result(outcome.UNREADABLE, "what it made is no regular file")


def safenpy_says(safenpy, command, written):
    """safenpy's objects by path."""
    found = {}
    for start in range(0, len(written), BATCH):
        paths = [task.path for task in written[start:start + BATCH]]
        try:
            done = subprocess.run([safenpy, *command, "--json", "--", *paths], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=SAFENPY_TIME, check=False)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            found.update((answer["file"], answer) for answer in answers)
        except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
            raise JudgeError(f"{safenpy} {' '.join(command)}: {error}") from error
        if done.returncode not in (0, 1) or not all(path in found for path in paths):
            raise JudgeError(f"{safenpy} {' '.join(command)} ended with status {done.returncode} "
                             f"and judged {len(answers)} of {len(paths)} files")
    return found


def judge(task, said, is_canonical):
    """What a written file is worth."""
    if said.get("verdict") == "reject":
        return Result(outcome.UNREADABLE, f"{said['status']} at {said['offset']}")
    found = differences(task, said)
    if not found:
        content, clean = elements.of_file(task.path, said)
        if content != base64.b64decode(task.request["elements_base64"]):
            return Result(outcome.WRONG_VALUE, "the elements are others")
        same_bytes = is_canonical if task.request["version"] is None else same_header(task)
        return Result(outcome.CANONICAL if same_bytes and clean else outcome.PASS)
    return Result(outcome.WRONG_VALUE, "; ".join(found))


def differences(task, said):
    """What the header of a written file says that was not asked for."""
    asked = task.request
    found = []
    if asked["version"] not in (None, said["version"]):
        found.append(difference("version", asked["version"], said["version"]))
    if not dtypes.same(asked["descr"], said["descr"]):
        found.append(difference("descr", asked["descr"], said["descr"]))
    if asked["shape"] != said["shape"]:
        found.append(difference("shape", asked["shape"], said["shape"]))
    if asked["fortran_order"] != said["fortran_order"] and not both_orders(asked["shape"]):
        found.append(difference("fortran_order", asked["fortran_order"], said["fortran_order"]))
    if said["trailing_bytes"]:
        found.append(f"{shown(said['trailing_bytes'])} bytes after the data")
    return found


def both_orders(shape):
    """Whether an array of this shape lies the same way in either order."""
    return 0 in shape or sum(dim != 1 for dim in shape) <= 1


def same_header(task):
    """Whether the header is the one of the case's own file; it says its length itself."""
    length = task.case.expect["data_offset"]
    with open(task.path, "rb") as file:
        return file.read(length) == task.case.data()[:length]


def disagreement(task, result, is_canonical):
    """safenpy's word on canonical headers beside NumPy's own bytes: they must say the same."""
    if result.outcome not in outcome.RIGHT or not task.case.record.get("canonical"):
        return []
    same = same_header(task)
    if same == is_canonical:
        return []
    return [f"{task.case.id}: safenpy says that the written header is {'' if is_canonical else 'not '}canonical, "
            f"NumPy's bytes are {'the same' if same else 'others'}"]
