"""Which cases: --only by identifier, verdict, flag or rule; `list` and `list --copy`."""

import fnmatch
import json
import shutil


class SelectionError(Exception):
    """A pattern that selects nothing."""


def matches(case, pattern):
    """Whether a pattern names the case, its verdict, one of its flags or one of its rules; * and ? are wild."""
    names = [case.id, case.verdict, *case.flags, *case.rules]
    return any(fnmatch.fnmatchcase(name, pattern) for name in names)


def select(cases, patterns):
    """The cases that any pattern matches; all if there is none. A pattern without a case is a mistake."""
    if not patterns:
        return list(cases)
    idle = [pattern for pattern in patterns if not any(matches(case, pattern) for case in cases)]
    if idle:
        raise SelectionError(f"no case, verdict, flag or rule is called {', '.join(idle)}")
    return [case for case in cases if any(matches(case, pattern) for pattern in patterns)]


def listing(cases):
    """A line a case, for people and for cut: id, verdict, flags, rules, reason; tabs between."""
    return "".join("\t".join(row(case)) + "\n" for case in cases)


def row(case):
    """The columns of `list`."""
    return case.id, case.verdict, ",".join(case.flags) or "-", ",".join(case.rules), case.reason


def copy(suite, cases, folder):
    """The files of the cases, and a manifest cut down to them, as a suite of their own."""
    if folder.exists() and any(folder.iterdir()):
        raise SelectionError(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases:
        target = folder / case.record["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(case.data())
    (folder / "manifest.json").write_text(cut_manifest(suite, cases), encoding="ascii")
    for extra in (suite.folder / "manifest.schema.json", suite.folder / "LICENSE", suite.folder.parent / "LICENSE"):
        if extra.is_file():
            shutil.copyfile(extra, folder / extra.name)


def cut_manifest(suite, cases):
    """The manifest in its own layout: a line a key, a line a case."""
    head = [f" {json.dumps(key)}: {line(value)},\n" for key, value in suite.manifest.items() if key != "cases"]
    records = ",\n".join("  " + line(case.record) for case in cases)
    return "{\n" + "".join(head) + ' "cases": [\n' + records + "\n ]\n}\n"


def line(value):
    """One value as one line."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True)
