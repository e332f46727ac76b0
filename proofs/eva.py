#!/usr/bin/env python3
"""Runs Eva, Frama-C's abstract interpreter, and fails unless each of its alarms is known.

    proofs/eva.py                   the groups of proofs/eva/groups.json whose inputs changed since they last passed, and
                                    one of the rest, chosen by the commit; with SNPY_FULL=1 every group
    proofs/eva.py --group core      this one
    proofs/eva.py --record          writes the numbers of proofs/eva/alarms.md anew; reasons are for people to write

A group is some files of the sources, the files of proofs/eva that go with them, and a driver to begin with. frama-c exits
with 0 whatever Eva finds. So this reads the status of every property, the functions that were reached and every warning:

  an alarm       is a failure unless proofs/eva/alarms.md has its function and kind, with the number of alarms
  a function     of the group's files that no driver reaches is a failure unless a row gives the reason
  a file         of the library or the command that is in no group must be there, too, with the number of files
  a row          that nothing needs any more is a failure

Alarms in src/core of the kinds that prove.py proves the absence of are left out: see WP_PROVES.
The last line is `N passed, N failed`: functions that were reached, and what is wrong.
"""

import argparse
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tools")]
import records  # noqa: E402
import source  # noqa: E402

MACHINE = "gcc_x86_64"
KERNEL = ["-kernel-warn-key", "annot-error=abort,typing:implicit-function-declaration=abort,typing:no-proto=abort,"
          "annot:missing-spec=abort"]
EVA = ["-eva", "-eva-no-show-progress", "-eva-msg-key=-initial-state,-final-states",
       "-eva-warn-key", "builtins:missing-spec=abort"]
# The guards of these kinds are goals of WP in each function of the core, under weaker suppositions than Eva's. prove.py
# demands that all are proved; so an alarm of Eva, which knows less of lengths and loops, says nothing new there. Kinds
# that are not named here (memory that was never written, above all) count in the core as they do elsewhere.
WP_PROVES = {"mem_access", "index_bound", "signed_overflow", "unsigned_overflow", "division_by_zero", "shift",
             "signed_downcast", "unsigned_downcast", "pointer_value"}
# Rows of the report that are no alarms: what contracts say of themselves. Each call has a row of its own for what its
# function requires, "precondition of f".
NO_ALARM = {"assigns clause", "from clause", "termination clause", "behavior", "complete", "disjoint", "allocation",
            "precondition", "postcondition", "reachability", "extended"}
# Rows of proofs/eva/alarms.md: | file | function | kind | number | reason |
ROW = re.compile(r"^\| `?(?P<file>[\w./*-]+)`? \| `?(?P<function>[\w*-]+)`? \| (?P<kind>[\w ]+) \| (?P<number>\d+|-) \| (?P<why>.+) \|$")
UNREACHED = "not reached"
NOT_ANALYSED = "not analysed"
REACHED = re.compile(r"(\w+): \d+ stmts? out of \d+")
WARNING = re.compile(r"\b(?:User Error|Failure|aborted|Unexpected)\b|missing-spec|implicit-function|garbled")


def analyse(root, group, work):
    """Calls frama-c for one group; returns its exit status, its log and the rows of its report."""
    report = work / "properties.csv"
    includes = " ".join(f"-I{root / name}" for name in ("include", "src", "."))
    files = [str(path.relative_to(root)) for path in files_of(root, group)] + group["with"]
    call = ["frama-c", "-machdep", MACHINE, f"-cpp-extra-args={includes} {group.get('cpp', '')}", *KERNEL, *files,
            "-main", group["main"], *EVA, *group.get("options", []), "-then", "-report-csv", str(report),
            "-metrics", "-metrics-eva-cover"]
    run = subprocess.run(call, cwd=root, env={**os.environ, "PWD": str(root)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    rows = []
    if report.exists():
        with report.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return run.returncode, run.stdout, rows


def files_of(root, group):
    return sorted(path for pattern in group["files"] for path in root.glob(pattern))


def defined(root, paths):
    """The functions that files define: (file, name). Those of ghost annotations are only there for the provers."""
    return {(str(path.relative_to(root)), function.name)
            for path in paths for function in source.read(path, root).defined()
            if not re.search(rf"\bstatic\s+\w+\s+{function.name}\s*\(", function.contract)}


def plain(name, names):
    """The name that a function has in the sources: Frama-C numbers those of one name, f, f_0, f_1."""
    return name if name in names else re.sub(r"_\d+$", "", name)


def reached_names(log, names):
    """How often each name was reached."""
    _, _, cover = log.partition("Statements analyzed by Eva")
    return Counter(plain(name, names) for name in REACHED.findall(cover))


def alarms_of(rows, core, names):
    """What Eva could not show, by file, function and kind."""
    found = Counter()
    for row in rows:
        kind, status = row["property kind"], row["status"]
        file = f"{row['directory']}/{row['file']}"
        if status in ("Valid", "Considered valid", "Dead", "Partially proven") or kind in NO_ALARM:
            continue
        if file.startswith("FRAMAC_SHARE") or (file.startswith(core) and kind in WP_PROVES):
            continue
        found[file, plain(row["function"], names), kind] += 1
    return found


def read_table(path):
    """The rows of the table, and what is wrong with them."""
    rows, faults = {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        match = ROW.match(line)
        if not match:
            if line.startswith("|") and not re.match(r"^\|( file |--)", line):
                faults.append(f"{path.name}:{number}: not a row of the table")
            continue
        key = match["file"], match["function"], match["kind"]
        if key in rows:
            faults.append(f"{path.name}:{number}: {key[1]}: {key[2]} stands there twice")
        if len(match["why"].split()) < 3:
            faults.append(f"{path.name}:{number}: {key[1]}: {key[2]} has no reason")
        rows[key] = (match["number"], match["why"])
    return rows, faults


def compare(table, found, where):
    """What alarms and table do not agree in."""
    faults = []
    for key, count in sorted(found.items()):
        known = table.get(key, ("0",))[0]
        if not known.isdigit() or count != int(known):
            faults.append(f"{key[0]}: {key[1]}: {count} alarms `{key[2]}`, {known} are explained")
    for key, (number, _) in sorted(table.items()):
        if key[2] != NOT_ANALYSED and number.isdigit() and key not in found and key[0] in where:
            faults.append(f"{key[0]}: {key[1]}: no alarm `{key[2]}` any more, {number} are explained")
    return faults


def judge(root, name, group, table, log, status, rows):
    """What one run shows: functions that were reached, alarms, faults."""
    faults = []
    files = files_of(root, group)
    functions = defined(root, files)
    beside = defined(root, [root / name for name in group["with"]])
    names = {function for _, function in functions | beside}
    for line in log.splitlines():
        if WARNING.search(line):
            faults.append(f"{name}: {line.strip()}")
    if status != 0 or "Statements analyzed by Eva" not in log or "ANALYSIS SUMMARY" not in log:
        tail = "\n    ".join(log.splitlines()[-12:])
        faults.append(f"{name}: frama-c ended with {status}, and wrote no whole report:\n    {tail}")
        return 0, Counter(), faults
    reached = reached_names(log, names)
    defined_often = Counter(function for _, function in functions | beside)
    excused = {(file, function) for file, function, kind in table if kind == UNREACHED}
    count = 0
    for file, function in sorted(functions):
        # Of functions with one name in several files it is only known how many were reached.
        is_reached = reached[function] >= defined_often[function]
        count += is_reached
        if is_reached and (file, function) in excused:
            faults.append(f"{file}: {function} is reached, and a row says that it is not")
        if not is_reached and (file, function) not in excused:
            faults.append(f"{file}: {function} is reached by no driver")
    found = alarms_of(rows, "src/core/", names)
    where = {str(path.relative_to(root)) for path in files} | set(group["with"])
    return count, found, faults + compare(table, found, where)


def left_out(root, groups, table):
    """Files of the sources that no group has, against the rows that say so; and rows about files that are gone."""
    analysed = {str(path.relative_to(root)) for group in groups.values() for path in files_of(root, group)}
    every = {str(path.relative_to(root)) for path in (root / "src").rglob("*.c")}
    missing, faults = every - analysed, []
    for (pattern, _, kind), (number, _) in sorted(table.items()):
        if kind != NOT_ANALYSED:
            continue
        matching = {file for file in missing if fnmatch.fnmatch(file, pattern)}
        missing -= matching
        if number != str(len(matching)):
            faults.append(f"{pattern}: {len(matching)} files are not analysed, the table says {number}")
    faults += [f"{file}: no group has this file, and no row says why" for file in sorted(missing)]
    headers = {str(path.relative_to(root)) for path in (root / "src").rglob("*.h")}  # where functions stand, too
    known = every | headers | {path for group in groups.values() for path in group["with"]}
    faults += [f"{file}: there is no such file: {function}: {kind}" for file, function, kind in sorted(table)
               if kind != NOT_ANALYSED and file not in known]
    return faults, len(every & analysed), len(every)


def record(path, table, found):
    """Puts the numbers that were found into the table; what is new gets no reason."""
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = []
    for line in lines:
        match = ROW.match(line)
        key = match and (match["file"], match["function"], match["kind"])
        if not key or not match["number"].isdigit() or match["kind"] == NOT_ANALYSED:
            kept.append(line)
        elif key in found:
            kept.append(f"| {key[0]} | {key[1]} | {key[2]} | {found[key]} | {match['why']} |")
    new = [f"| {file} | {function} | {kind} | {count} | ? |"
           for (file, function, kind), count in sorted(found.items()) if (file, function, kind) not in table]
    path.write_text("\n".join(kept + new) + "\n", encoding="utf-8")


def due(root, groups, table, args):
    """The groups to analyse: those that are named; or those whose inputs changed since they last passed, and a sample."""
    if args.group or args.record or root != records.ROOT:
        return [name for name in groups if not args.group or name in args.group], None
    version = subprocess.run(["frama-c", "-version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    book = records.Book("eva")
    return book.due({name: inputs(root, group, table, version) for name, group in groups.items()}), book


def inputs(root, group, table, version):
    """A hash of all that the analysis of a group depends on: its files and every header, its options, its alarms."""
    own = [str(path.relative_to(root)) for path in files_of(root, group)] + group["with"]
    rows = sorted((key, row) for key, row in table.items() if key[0] in own or key[0].endswith(".h"))
    return records.digest(*own, "include", "src/*/*.h", "src/core/*/*.h", "spec/logic", "proofs/eva.py", "proofs/source.py", root=root,
                          extra=json.dumps([group, rows, version], sort_keys=True))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree (this one)")
    parser.add_argument("--group", action="append", default=[], metavar="NAME", help="only this group; may be repeated")
    parser.add_argument("--record", action="store_true", help="write the numbers of alarms into the table")
    parser.add_argument("--log", type=Path, metavar="DIR", help="keep frama-c's logs here")
    args = parser.parse_args(arguments)
    args.root = args.root.resolve()
    return args


def main(arguments=None):
    args = parse_arguments(arguments)
    place = args.root / "proofs" / "eva"
    groups = json.loads((place / "groups.json").read_text(encoding="utf-8"))
    table, faults = read_table(place / "alarms.md")
    faults += [f"there is no group {name}" for name in args.group if name not in groups]
    passed, alarms = 0, Counter()
    chosen, book = due(args.root, groups, table, args)
    print(f"{'group':<12}{'functions':>10}{'alarms':>8}{'time':>9}")
    for name in chosen:
        group = groups[name]
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="safenpy-eva-") as work:
            status, log, rows = analyse(args.root, group, Path(work))
        if args.log:
            args.log.mkdir(parents=True, exist_ok=True)
            (args.log / f"{name}.log").write_text(log, encoding="utf-8")
        count, found, wrong = judge(args.root, name, group, table, log, status, rows)
        passed += count
        alarms += found
        faults += wrong
        if book and not wrong:
            book.passed(name)
        print(f"{name:<12}{count:>10}{sum(found.values()):>8}{time.monotonic() - started:>8.1f}s", flush=True)
    if not args.group:
        missing, analysed, every = left_out(args.root, groups, table)
        faults += missing
        print(f"{analysed} of {every} files")
    for fault in faults:
        print(fault)
    if args.record:
        record(place / "alarms.md", table, alarms)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
