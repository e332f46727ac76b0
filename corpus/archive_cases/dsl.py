"""How an archive of the suite is written down: four verbs, as cases/dsl.py has them for NPY files.

    take     every reader must take the archive; what is in it is what its members are
    refuse   every reader must refuse it: at the place of a number ("central0.crc"), at a byte, or ("label", plus)
    strict   NumPy takes it and safenpy refuses it
    relaxed  safenpy takes it under one of the flags of archives only

Statuses and places come from spec/npz.md and from the layout, never from what a program answered.
"""

import ast
import hashlib
from dataclasses import dataclass, field

import elements
import model

from . import zips

CASES = []
MAGIC = b"\x93NUMPY"


@dataclass
class Case:
    """One archive and what a reader must say of it."""

    id: str
    data: bytes
    verdict: str
    reason: str
    rules: list
    maker: str = None
    flags: list = field(default_factory=list)
    expect: dict = None
    error: dict = None
    options: list = field(default_factory=list)
    danger: str = None
    load: str = None


def array_of(content):
    """What a reader says of a member's bytes: an array, or None."""
    if not content.startswith(MAGIC):
        return None
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start:start + length].decode("latin-1" if content[6] < 3 else "utf-8"))
    expect = model.expectation(header["descr"], header["fortran_order"], list(header["shape"]), f"{content[6]}.0",
                               start + length)
    if not expect["has_object"]:
        expect["elements_sha256"] = elements.digest(content, expect)
    return expect


def text_of(name, flags):
    """The characters of a name (NPZ-NAME-001, NPZ-NAME-002)."""
    return name.decode("utf-8" if flags & 0x800 else "cp437")


def member_of(name, method, content):
    """What a reader says of a member."""
    return {"name": name, "key": name.removesuffix(".npy"), "method": {0: "stored", 8: "deflated"}[method],
            "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "array": array_of(content)}


def contents(members):
    """What a reader says of an archive of these members."""
    return {"members": [member_of(text_of(one.name, one.flags), one.method, one.content) for one in members]}


def place(archive, at):
    """The byte that a refusal points to."""
    if isinstance(at, int):
        return at
    label, plus = at if isinstance(at, tuple) else (at, 0)
    return archive.at[label] + plus


def error_at(archive, status, at, member):
    """The `error` of a record. With a member, the others can be read; rules of npy.md count from its first byte."""
    error = {"status": status, "offset": place(archive, at)}
    return {**error, "member": member} if member is not None else error


def add(**more):
    """Adds a case, unless another has its bytes."""
    case = Case(**more)
    if all(case.data != other.data for other in CASES):
        CASES.append(case)
        return
    raise AssertionError(f"{case.id}: another case has these bytes")


def take(name, members, reason, rules, **more):
    """An archive that every reader must take."""
    archive = zips.build(members, **more)
    add(id=f"accept/{name}", data=archive.data, verdict="accept", reason=reason, rules=list(rules),
        expect=contents(members))


def refuse(name, archive, status, at, reason, *, danger=None, member=None, rules=(), load=None):
    """An archive, or a member of one, that every reader must refuse; `load`: that one may accept that loads it."""
    add(id=f"reject/{name}", data=archive.data, verdict="reject", reason=reason, rules=list(rules), danger=danger, load=load,
        error=error_at(archive, status, at, member))


def strict(name, archive, status, at, reason, *, member=None, rules=()):
    """An archive that NumPy takes and safenpy refuses, whatever its flags."""
    add(id=f"choice/strict/{name}", data=archive.data, verdict="choice", flags=["strict"], reason=reason,
        rules=list(rules), error=error_at(archive, status, at, member))


def relaxed(flag, name, archive, status, at, reason, members, *, rules=()):
    """An archive that safenpy takes under a flag only."""
    add(id=f"choice/{flag}/{name}", data=archive.data, verdict="choice", flags=[flag], reason=reason, rules=list(rules),
        error=error_at(archive, status, at, None), options=["--compat", flag], expect=contents(members))
