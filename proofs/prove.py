#!/usr/bin/env python3
"""Proves the core, and fails unless every part of the proof is there.

    proofs/prove.py                     everything, from scratch, under each machine model
    proofs/prove.py --changed           from scratch what is not recorded as it is now, what is younger than the last
                                        whole run, as far as it fits into a check, and a sample of the rest; smoke
                                        tests of what is not recorded
    proofs/prove.py --record            from scratch what is not recorded as it is now, and records it
    proofs/prove.py --full [--resume]   everything, smoke tests too, from scratch; recorded as the whole run that later
                                        checks rest on. --minutes N ends after a piece of it, which is recorded;
                                        --resume goes on
    proofs/prove.py --function NAME     one function, with a cache, for daily work; with --record from scratch
    proofs/prove.py --smoke             looks for contradictory contracts and dead code
    proofs/prove.py --first ...         ends each file at the first open goal of a clause: shows that something is wrong

frama-c exits with 0 whether its goals are proved or not. So the gate reads the report of every goal, the
status of every property and every warning, and compares the goals of each function with
proofs/results.json, from which proofs/REPORT.md is made. Another prover than the recorded one is reported, and is no
failure. A record belongs to a hash of everything that the goals depend on (content.py). proofs/full.json has a seal for each
record that was part of a whole run, with the date and commit of its piece: a record without a seal is young, and not
accepted yet.
The provers are bounded by steps, which do not depend on the machine or its load; the time limit is long.
A goal that is identical under two models is proved once: some functions are proved under one model after the other, and
the answers are kept until the last, in a directory that is empty at the beginning.

The last line is `N passed, N failed`: goals, and one failure for everything else that is wrong.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import content  # noqa: E402
import expand  # noqa: E402
import report  # noqa: E402
import source  # noqa: E402

MACHINES = ["gcc_x86_64", "gcc_x86_32", "ppc_32"]
CVC4_STEPS = 600_000
Z3_STEPS = 20_000_000  # some five seconds: measured, it proves what 1 and 5 million leave open
# Seconds for one goal. Steps are meant to decide: what is proved takes a fraction of a second. But on some
# goals that are false Z3 counts no steps and runs for ever.
TIMEOUT = 240
CHUNK = 8  # functions for one frama-c process, so that no processor waits for the other at the end
PROVERS_EACH = 4  # processes that one frama-c waits for: it spends most of its time waiting

KERNEL = [
    "-kernel-warn-key",
    "annot-error=abort,annot:missing-spec=abort,typing:implicit-function-declaration=abort,"
    "typing:no-proto=abort,ghost:bad-use=abort",
    "-warn-unsigned-overflow", "-warn-unsigned-downcast", "-warn-signed-overflow", "-warn-signed-downcast",
    "-warn-left-shift-negative", "-warn-right-shift-negative", "-warn-invalid-pointer",
]
# Qed prunes: it asks of each branch whether it can be taken; and it grounds: it puts what is known of a term in its
# place, all over the goal. This costs more than the provers do where paths are many (value.c), and nearly all goals are
# proved without it. The functions of which one is not are proved again, with both.
NO_PRUNING = ["-wp-no-pruning", "-wp-no-ground"]
# Functions of which that is known, under some machine model: they are pruned at once. A run that compares or records
# complains of one that is missing, for a planted bug of it would turn the proof red whatever it is. A name too many costs time.
PRUNED = {"check_locator", "kind_of_word", "lex_names", "read_value", "run", "snpy_pen_descr", "snpy_zip_local", "snpy_zip_put_end",
          "step_item", "step_type", "write_prefix"}
# Functions about products and quotients: CVC4 counts no steps for minutes on some of their goals,
# which Z3 proves in no time. They are given to Z3 first, and CVC4 has what is left. A name too many costs time, and one too few does.
Z3_FIRST = {"show_byte", "show_common_type", "show_extent_grows", "show_inside", "show_sizes", "show_unit_word",
            "snpy_count_elements", "snpy_pen_word"}
# frama-c does not wait for its server of provers: to measure their processor time, adopt it.
REAPER = """
import ctypes, os, resource, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
frama_c, status = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0
while True:
    try:
        child, ended = os.wait()
    except ChildProcessError:
        break
    status = os.waitstatus_to_exitcode(ended) if child == frama_c else status
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(usage.ru_utime + usage.ru_stime, file=file)
sys.exit(status if status >= 0 else 128 - status)
"""
SHARE = 20  # of the functions whose record is accepted, one in this many is proved again
# How many goals of young records a check proves again, some ten minutes of a processor. The commit draws them; a whole run
# proves the others, and says so on the page until then.
YOUNG_GOALS = 4000
STAGE = "[wp] Running WP plugin"
OPEN_GOAL = re.compile(r"^\[wp\] \[[^\]]+\] Goal typed_(\w+) : (?!Valid)")
GUARD = re.compile(r"_(?:assert_rte|call)_")  # goals of a run-time error, or of what a callee requires
STEPS = re.compile(r"^\[wp\] \[(CVC4|Z3)[^\]]*\] Goal typed_(\w+) : Valid .*\((\d+)\)(?: \(cached\))?$", re.MULTILINE)
# The only warnings that the log may have: the second stage finds nothing left to do.
HARMLESS = re.compile(r"^\[wp\] Warning: No goal generated$")
WARNING = re.compile(r"\b(?:Warning|warning|error|User Error|Failure|Unexpected)\b")
TIMES = re.compile(r"^\[wp\] \[[^\]]+\] Goal typed_(\w+) : (.*)$", re.MULTILINE)
DURATION = re.compile(r"\((?:Qed:)?(\d+(?:\.\d+)?)(ms|s|min)\)")
UNITS = {"ms": 0.001, "s": 1, "min": 60}
# Where the report of all properties begins, which is no log; and its entries that concern no function.
REPORT = "[report] Computing properties status..."
GLOBALS = re.compile(r"^--- Global Properties\n-+\n(.*?)^-{20}", re.MULTILINE | re.DOTALL)
# WP states the separation that its memory model assumes. A contract must state it, so that callers prove it.
HYPOTHESIS_OF = re.compile(r"function '?(\w+)'?")
HYPOTHESIS = re.compile(r"\[wp:hypothesis\]|[Mm]emory model hypotheses")


@dataclass
class Unit:
    """What one frama-c process is given: a file of the core and the functions to prove in it."""

    name: str
    text_path: Path  # the .c file, or a header, which is wrapped
    functions: list
    pruning: bool = False  # whether Qed prunes from the start
    z3_first: bool = False

    def chunks(self):
        several = []
        for kind in ((False, False), (True, False), (False, True)):
            functions = [name for name in self.functions if (name in PRUNED, name in Z3_FIRST) == kind]
            several += [Unit(self.name, self.text_path, functions[i : i + CHUNK], *kind)
                        for i in range(0, len(functions), CHUNK)]
        return several


@dataclass
class Outcome:
    unit: Unit
    machine: str
    goals: int = 0
    proved: int = 0
    provers: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)  # for each the goals, those of each prover, and the most steps
    unproved: list = field(default_factory=list)  # goals
    places: list = field(default_factory=list)  # the properties that these goals belong to, with their lines
    faults: list = field(default_factory=list)
    seconds: float = 0.0
    pruned: list = field(default_factory=list)  # functions that were open without pruning
    chunks: int = 1  # how many runs this is made of

    def add(self, other):
        """Joins the outcome of another chunk of the same file under the same model."""
        self.goals += other.goals
        self.proved += other.proved
        for prover, count in other.provers.items():
            self.provers[prover] = self.provers.get(prover, 0) + count
        self.functions.update(other.functions)
        for name in ("pruned", "unproved", "places", "faults"):
            getattr(self, name).extend(getattr(other, name))
        self.seconds += other.seconds
        self.chunks += other.chunks

    def open_functions(self):
        return {function for function, _, _ in self.unproved}


@dataclass
class Run:
    """The output of one call of frama-c."""

    status: int
    log: str
    goals: dict = None  # the report of WP, or None if it wrote none
    properties: list = None  # the rows of the kernel's report, likewise
    seconds: float = 0.0
    processor: float = 0.0  # seconds of Frama-C and its provers
    first: str = ""  # with --first: the goal at which it was ended


def units_of(root, sources, paths):
    return [Unit(str(path.relative_to(root)), path, [f.name for f in sources[path].defined()])
            for path in paths if sources[path].defined()]


def command(args, unit, machine, work, pruning):
    """The frama-c call, and where its reports go."""
    target = unit.text_path
    if target.suffix == ".h":
        target = work / (unit.text_path.stem + "_h.c")
        target.write_text(f'#include "{unit.text_path}"\n', encoding="ascii")
    goals, properties = work / "goals.json", work / "properties.csv"
    includes = " ".join(f"-I{args.root / name}" for name in ("include", "src", "."))
    clause = ["-wp-prop", args.clause] if args.clause else []
    cache = ["-wp-cache", "update", "-wp-cache-dir", str(args.cache)] if args.cache else ["-wp-cache", "none"]
    wp = ["-wp", "-wp-rte", "-wp-model", "Typed", "-wp-par", str(PROVERS_EACH), *cache,
          "-wp-fct", ",".join(unit.functions), *clause]
    if not pruning:
        wp += NO_PRUNING
    if args.check_memory_model:
        wp.append("-wp-check-memory-model")
    call = ["frama-c", "-machdep", machine, f"-cpp-extra-args={includes}", *KERNEL,
            str(target), *wp]
    if args.smoke:
        # A smoke test passes when no prover derives a contradiction: each costs its time-out.
        call += ["-wp-smoke-tests", "-wp-smoke-timeout", str(args.smoke_timeout), "-wp-prover", "cvc4,z3",
                 "-wp-steps", str(CVC4_STEPS), "-wp-timeout", str(args.smoke_timeout),
                 "-wp-report-json", str(goals)]
    else:
        (first, steps), (second, more) = [("cvc4", args.cvc4_steps), ("z3", args.z3_steps)][:: -1 if unit.z3_first else 1]
        call += ["-wp-prover", first, "-wp-steps", str(steps), "-wp-timeout", str(args.timeout),
                 # Provers accumulate: the first is taken away again, or it would spend the other's steps.
                 "-then", "-wp", "-wp-fct", ",".join(unit.functions), *clause, f"-wp-prover=-{first},+{second}",
                 "-wp-steps", str(more), "-wp-timeout", str(args.timeout), "-wp-report-json", str(goals)]
    call += ["-then", "-report", "-report-untried", "-report-csv", str(properties)]
    return call, goals, properties


def prove(args, unit, machine):
    """Proves one unit under one machine model: all without pruning, then with it the functions that are still open."""
    pruning = args.pruning or args.smoke or unit.pruning
    run = run_once(args, unit, machine, pruning)
    outcome = judge(args, unit, machine, run)
    again = outcome.open_functions()
    if not again or pruning or args.first:
        return outcome
    rest, hard = (Unit(unit.name, unit.text_path, [f for f in unit.functions if (f in again) == wanted],
                       z3_first=unit.z3_first) for wanted in (False, True))
    outcome = judge(args, rest, machine, run)
    outcome.unit = unit
    second = judge(args, hard, machine, run_once(args, hard, machine, True))
    second.chunks = 0
    outcome.add(second)
    outcome.pruned = sorted(again)
    return outcome


def run_once(args, unit, machine, pruning):
    """Calls frama-c and collects what it wrote."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="safenpy-proof-") as temporary:
        call, goals, properties = command(args, unit, machine, Path(temporary), pruning)
        usage = Path(temporary) / "usage"
        run = watch(args, call if args.first else [sys.executable, "-c", REAPER, str(usage), *call])
        if usage.exists():
            run.processor = float(usage.read_text(encoding="ascii"))
        if goals.exists() and properties.exists():
            run.goals = json.loads(goals.read_text(encoding="utf-8"))
            with properties.open(encoding="utf-8", newline="") as file:
                run.properties = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        if args.log:
            args.log.mkdir(parents=True, exist_ok=True)
            stem = ".".join([unit.name.replace("/", "_"), unit.functions[0], machine] + ["pruned"] * pruning)
            (args.log / f"{stem}.log").write_text(run.log, encoding="utf-8")
            for file, suffix in ((goals, "json"), (properties, "csv")):
                if file.exists():
                    shutil.copy(file, args.log / f"{stem}.{suffix}")
    run.seconds = time.monotonic() - started
    return run


def watch(args, call):
    """Reads the log as it is written; with --first, ends frama-c and its provers at the first goal of a
    clause that stays open; those of guards it passes by."""
    lines, first, stage = [], "", 0
    environment = {"OCAMLRUNPARAM": "s=16M", **os.environ}  # 128 MiB for new terms, else a tenth of the time is collection
    with subprocess.Popen(call, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", cwd=args.root, start_new_session=args.first) as process:
        for line in process.stdout:
            lines.append(line)
            stage += line.startswith(STAGE)
            goal = OPEN_GOAL.match(line)
            if args.first and goal and stage == call.count("-wp") and (args.clause or not GUARD.search(goal.group(1))):
                first = goal.group(1)
                os.killpg(process.pid, signal.SIGKILL)
                break
    return Run(process.returncode, "".join(lines), first=first)


def judge(args, unit, machine, run):
    """Says what a run shows of the functions of the unit."""
    outcome = Outcome(unit, machine, seconds=run.seconds)
    if run.first:
        function = max((f for f in unit.functions if run.first.startswith(f)), key=len, default="?")
        outcome.goals, outcome.unproved = 1, [(function, run.first, "the first that is not proved")]
        return outcome
    if run.status != 0:
        tail = "\n    ".join(line for line in run.log.splitlines()[-12:])
        outcome.faults.append(f"frama-c exits with {run.status}:\n    {tail}")
    log, _, rest = run.log.partition(REPORT)
    judge_log(outcome, log)
    for line in "".join(GLOBALS.findall(rest)).splitlines():
        if line.startswith("[") and not args.clause:
            outcome.faults.append(f"a property of no function: {line.split(']')[1].strip()}")
    if run.goals is not None:
        judge_goals(args, outcome, run.goals, log)
        share_time(outcome, run, log)
        if not args.clause:  # else most properties have not been asked for
            judge_properties(args, outcome, run.properties)
    elif not args.clause:  # else there may be no such clause in this file
        outcome.faults.append("frama-c wrote no report")
    return outcome


def judge_log(outcome, log):
    """Every warning is a fault, unless it is known to be harmless."""
    lines = log.splitlines()
    for i, line in enumerate(lines):
        if HYPOTHESIS.search(line):
            text = [line.strip()]
            for following in lines[i + 1 :]:
                if following.startswith("["):
                    break
                text.append(following.strip())
            of = HYPOTHESIS_OF.search(" ".join(text))
            if not of or of.group(1) in outcome.unit.functions:
                outcome.faults.append("separation that no contract states: " + " ".join(text))
        elif "Failed smoke-test" in line or "Goal typed_" in line or "Smoke-test typed_" in line:
            continue  # checked by the report
        elif WARNING.search(line) and line.startswith("[") and not HARMLESS.match(line):
            detail = lines[i + 1].strip() if i + 1 < len(lines) and lines[i + 1].startswith(" ") else ""
            outcome.faults.append(f"{line.strip()} {detail}".strip())


def judge_goals(args, outcome, goals, log):
    """Counts the goals of each function; each must be valid, and each function must have some."""
    asked = set(outcome.unit.functions)
    stems = dict(re.findall(r"Goal typed_(\w+) : (Unknown|Timeout|Stepout|Failed[^(\n]*)", log))
    for function, entries in goals.get("wp:functions", {}).items():
        if function not in asked:
            continue
        counts = outcome.functions.setdefault(function, dict.fromkeys(report.COUNTS, 0))
        for name, result in entries.items():
            if name == "wp:section" or args.smoke and "_smoke_" not in name:
                continue
            main = result.get("wp:main", {})
            total, valid = main.get("total", 0), main.get("valid", 0)
            outcome.goals += total
            outcome.proved += min(valid, total)
            counts["goals"] += total
            for prover, count in result.items():
                if prover != "wp:main" and count.get("valid"):
                    outcome.provers[prover] = outcome.provers.get(prover, 0) + count["valid"]
                    counts[prover.split(":")[0].lower()] += count["valid"]
            if valid != total or total == 0:
                why = next((stems[s] for s in stems if s.startswith(name)), "unproved")
                outcome.unproved.append((function, name, why.strip()))
    for prover, stem, steps in STEPS.findall(log):
        function = max((name for name in outcome.functions if stem.startswith(name + "_")), key=len, default=None)
        if function and prover == "CVC4":
            outcome.functions[function]["steps"] = max(outcome.functions[function]["steps"], int(steps))
    if not args.smoke and not args.clause:
        for function in sorted(asked - set(goals.get("wp:functions", {}))):
            outcome.faults.append(f"{function}: no goal was generated, so nothing was proved of it")


def share_time(outcome, run, log):
    """Gives each function its share of the processor time, by the times of its goals; what no goal accounts for is divided
    by their number."""
    goals = {name: sum(result.get("wp:main", {}).get("total", 0) for result in entries.values())
             for name, entries in run.goals.get("wp:functions", {}).items()}
    spent = dict.fromkeys(goals, 0.0)
    for stem, said in TIMES.findall(log):
        function = max((name for name in spent if stem.startswith(name + "_")), key=len, default=None)
        if function:
            spent[function] += sum(float(number) * UNITS[unit] for number, unit in DURATION.findall(said))
    scale = min(1.0, run.processor / (sum(spent.values()) or 1.0))
    rest = max(run.processor - sum(spent.values()), 0.0) / (sum(goals.values()) or 1)
    for function, counts in outcome.functions.items():
        counts["seconds"] = round(scale * spent[function] + rest * goals[function], 1)


def judge_properties(args, outcome, rows):
    """Every property of every function asked for must be valid, and the contract's must be among them."""
    if args.smoke:
        return
    asked, seen = set(outcome.unit.functions), {}
    for row in rows:
        function, kind, status = row["function"], row["property kind"], row["status"]
        if function not in asked:
            continue
        seen.setdefault(function, []).append((kind, row["property"]))
        # A precondition is the caller's to prove: at each call there is a property of its own.
        if kind in ("precondition", "from clause") or status in ("Valid", "Dead"):
            continue
        if status == "Considered valid":
            what = f"{kind} `{row['property']}` is believed without proof"
        elif status == "Partially proven":
            continue  # its own goals are proved; what it leans on is reported itself
        else:
            what = f"{kind} `{row['property']}` is not proved ({status.lower()})"
        open_goals = any(function == name for name, _, _ in outcome.unproved)
        # If a goal of the function failed, this gives its position; otherwise it is a fault of its own.
        (outcome.places if open_goals else outcome.faults).append(f"{place(row)}: {function}: {what}")
    for function in sorted(asked):
        properties = seen.get(function, [])
        for kind, text, name in [("termination clause", r"\true", "terminates"), ("postcondition", r"\false", "exits")]:
            if not any(k == kind and p.endswith(text) for k, p in properties):
                outcome.faults.append(f"{function}: the prover saw no `{name} {text}`")
        if not any(k == "assigns clause" for k, _ in properties):
            outcome.faults.append(f"{function}: the prover saw no assigns clause")


def place(row):
    return f"{row['directory']}/{row['file']}:{row['line']}"


def explain(outcome):
    """The lines about what is wrong with an outcome."""
    where = f"{outcome.unit.name} [{outcome.machine}]"
    lines = [f"{where}: {fault}" for fault in outcome.faults]
    lines += [f"{where}: goal {name} of {function}: {why}" for function, name, why in outcome.unproved]
    lines += [f"  {text}" for text in outcome.places]
    return lines


def select(units, function):
    """The units that define a function (two files may have one of the same name), narrowed to it; or a file."""
    found = [Unit(unit.name, unit.text_path, [function]) for unit in units if function in unit.functions]
    if found:
        return found
    return [unit for unit in units if function in (unit.name, Path(unit.name).name)]


def record_faults(recorded, outcomes):
    """What is not as recorded: fewer goals mean that a contract or a guard went missing, others that nobody looked."""
    faults = []
    for outcome in outcomes:
        where = f"{outcome.unit.name} [{outcome.machine}]"
        old = recorded.get(outcome.unit.name, {}).get(outcome.machine)
        if old is None:
            faults.append(f"{where}: nothing is recorded; run with --record")
            continue
        for function, counts in sorted(outcome.functions.items()):
            was = old.get(function, {}).get("goals", 0)
            if counts["goals"] < was:
                faults.append(f"{where}: {function}: {counts['goals']} goals, {was} are recorded")
            elif counts["goals"] > was:
                faults.append(f"{where}: {function}: {counts['goals']} goals, only {was} are recorded; run with --record")
            elif not report.is_same(old.get(function, {}), counts):
                print(f"{where}: {function}: not the provers that are recorded; run with --record")
    return faults


def gone(recorded, units, machines):
    """What is recorded, and is no longer there."""
    present = {unit.name: set(unit.functions) for unit in units}
    faults = [f"{name}: goals are recorded for this file, and it is gone" for name in sorted(set(recorded) - set(present))]
    return faults + [f"{name} [{machine}]: {function} is recorded, and it is gone" for name in sorted(present)
                     for machine in machines
                     for function in sorted(set(recorded.get(name, {}).get(machine, {})) - present[name])]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the tree to prove (this one)")
    parser.add_argument("--function", action="append", default=[], metavar="NAME",
                        help="prove only this function (or file), with a cache; may be repeated")
    parser.add_argument("--machdep", action="append", default=[], metavar="NAME",
                        help=f"machine model, may be repeated ({', '.join(MACHINES)})")
    parser.add_argument("--changed", action="store_true",
                        help="prove what is not recorded as it is now, what is younger than the last whole run, and a sample")
    parser.add_argument("--young-goals", type=int, default=YOUNG_GOALS, metavar="N",
                        help=f"with --changed: how many goals of what is younger ({YOUNG_GOALS})")
    parser.add_argument("--full", action="store_true", help="prove everything, with smoke tests, and record it as a whole run")
    parser.add_argument("--resume", action="store_true", help="with --full: go on where it ended")
    parser.add_argument("--minutes", type=float, metavar="N", help="with --full: begin nothing more after N minutes")
    parser.add_argument("--smoke", action="store_true", help="smoke tests instead of proofs")
    parser.add_argument("--smoke-timeout", type=int, default=2, metavar="S", help="seconds for each smoke test (2)")
    parser.add_argument("--record", action="store_true", help="prove what is not recorded as it is now, and record it")
    parser.add_argument("--no-cache", action="store_true", help="with --function: from scratch")
    parser.add_argument("--pruning", action="store_true", help="with Qed's pruning from the start, to compare")
    parser.add_argument("--first", action="store_true",
                        help="end at the first goal of a clause that is not proved: to show that something is wrong")
    parser.add_argument("--clause", metavar="NAME", help="only the goals of clauses of this name, or @kind; nothing else is checked")
    parser.add_argument("--no-record", action="store_true", help="do not compare with what is recorded")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="frama-c processes at once")
    parser.add_argument("--cvc4-steps", type=int, default=CVC4_STEPS, metavar="N", help=f"CVC4's bound ({CVC4_STEPS})")
    parser.add_argument("--z3-steps", type=int, default=Z3_STEPS, metavar="N", help=f"Z3's bound ({Z3_STEPS})")
    parser.add_argument("--timeout", type=int, metavar="S", help=f"seconds for one goal ({TIMEOUT}; 15 with --function)")
    parser.add_argument("--check-memory-model", action="store_true",
                        help="turn the memory model's hypotheses into clauses that callers must prove")
    parser.add_argument("--log", type=Path, metavar="DIR", help="keep frama-c's logs and reports here")
    args = parser.parse_args(arguments)
    args.root = args.root.resolve()
    args.machines = args.machdep or MACHINES
    args.record = args.record or args.full
    args.timeout = args.timeout or (15 if args.function and not args.record else TIMEOUT)
    args.cache = None
    if args.function and not args.no_cache and not args.record:
        args.cache = args.root / "build" / "proof-cache"
        args.cache.mkdir(parents=True, exist_ok=True)
    return args


def options(args, path, function, machine):
    """What Frama-C is called with for a function, without the names of files: part of what its proof depends on."""
    calls = []
    unit = Unit("", Path("unit.c"), [function], function in PRUNED, function in Z3_FIRST)
    plain = argparse.Namespace(**{**vars(args), "cache": None, "smoke": False, "clause": None, "root": Path("root")})
    for pruning in (args.pruning or unit.pruning, True):
        call, *_ = command(plain, unit, machine, Path("work"), pruning)
        calls.append(call)
    return calls


def prove_models(args, chunk, machines):
    """Proves some functions under one model after the other; what two have in common is asked once."""
    if args.cache or args.smoke or args.first or len(machines) == 1:
        return [prove(args, chunk, machine) for machine in machines]
    with tempfile.TemporaryDirectory(prefix="safenpy-answers-") as answers:
        own = argparse.Namespace(**{**vars(args), "cache": Path(answers)})
        return [prove(own, chunk, machine) for machine in machines]


class Pieces:
    """What a whole run has done so far, below build/: a file for each piece, under a hash of what it is of."""

    def __init__(self, args, contents):
        self.contents, self.machines, self.place = contents, args.machines, args.root / "build" / "proofs-full"
        if not args.resume:
            shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True, exist_ok=True)

    def path(self, chunk, smoke):
        hashes = [self.contents.hash(chunk.text_path, name, self.machines) for name in chunk.functions]
        key = json.dumps([chunk.name, chunk.functions, hashes, self.machines, smoke])
        return self.place / (hashlib.sha256(key.encode()).hexdigest()[:32] + ".json")

    def load(self, chunk, smoke):
        path = self.path(chunk, smoke)
        if not path.exists():
            return None
        return [Outcome(chunk, **{**known, "unproved": [tuple(goal) for goal in known["unproved"]]})
                for known in json.loads(path.read_text(encoding="utf-8"))]

    def keep(self, chunk, smoke, outcomes):
        known = [{name: value for name, value in asdict(outcome).items() if name != "unit"} for outcome in outcomes]
        new = self.path(chunk, smoke).with_suffix(".new")
        new.write_text(json.dumps(known), encoding="utf-8")
        os.replace(new, new.with_suffix(".json"))


def run_chunks(tasks, pieces=None, deadline=None):
    """Does tasks, each the arguments of the call, a unit and a chunk of it, in their order; returns the outcomes of proofs and of smoke
    tests, by file and model, and the chunks that were not begun."""
    expected = Counter((args.smoke, id(unit)) for args, unit, _ in tasks)

    def work(args, chunk):
        known = pieces.load(chunk, args.smoke) if pieces else None
        if known is None:
            if deadline is not None and time.monotonic() >= deadline:
                return None
            known = prove_models(args, chunk, args.machines[:1] if args.smoke else args.machines)
            if pieces and not any(outcome.unproved or outcome.faults for outcome in known):
                pieces.keep(chunk, args.smoke, known)
        return known

    jobs = max((args.jobs for args, _, _ in tasks), default=1)
    print(f"{'file':<24}{'model':<12}{'functions':>9}{'goals':>13}{'proved':>8}{'time':>9}")
    merged, left = {}, []
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        running = {pool.submit(work, args, chunk): (args, unit, chunk) for args, unit, chunk in tasks}
        for done in as_completed(running):
            (args, unit, chunk), parts = running[done], done.result()
            left += [chunk] if parts is None else []
            for part in parts or ():
                outcome = merged.setdefault((args.smoke, id(unit), part.machine), Outcome(unit, part.machine, chunks=0))
                outcome.add(part)
                if outcome.chunks < expected[args.smoke, id(unit)]:
                    continue
                print(f"{unit.name:<24}{'smoke tests' if args.smoke else outcome.machine:<12}{len(outcome.functions):>9}"
                      f"{outcome.goals:>13}{outcome.proved:>8}{outcome.seconds:>8.1f}s", flush=True)
                for line in explain(outcome):
                    print("  " + line, flush=True)
    kinds = [[outcome for (smoke, _, _), outcome in merged.items() if smoke == wanted] for wanted in (False, True)]
    return *kinds, left


def tasks_of(args, units, recorded):
    """What run_chunks does for units, the longest chunk first."""
    def weight(task):
        known = recorded.get(task[1].name, {}).get(args.machines[0], {})
        return sum(known.get(name, {}).get("goals", 10**6) for name in task[2].functions)

    return sorted(((args, unit, chunk) for unit in units for chunk in unit.chunks()), key=weight, reverse=True)


def run_whole(args, units, recorded, young, contents):
    """The whole run, or a piece of it: first what is young, then the rest, and each chunk's smoke tests after its proof, so that every
    piece has functions that were through both. Returns the outcomes of proofs and of smoke tests, these functions, and how many
    chunks are left. Of other functions nothing is returned to be recorded."""
    deadline = time.monotonic() + 60 * args.minutes if args.minutes is not None else None
    tasks = [(how, unit, chunk) for _, unit, chunk in tasks_of(args, units, recorded) for how in (args, smoke_of(args))]
    tasks.sort(key=lambda task: not any((task[1].name, function) in young for function in task[2].functions))
    outcomes, smoked, left = run_chunks(tasks, Pieces(args, contents), deadline)
    done = {(unit.name, function) for unit in units for function in unit.functions}
    done -= {(chunk.name, function) for chunk in left for function in chunk.functions}
    for outcome in outcomes:
        outcome.functions = {name: counts for name, counts in outcome.functions.items() if (outcome.unit.name, name) in done}
    return outcomes, smoked, done, len(left)


def total(passed, failed):
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


def narrowed(units, wanted):
    """The units with those of their functions only that are wanted: a set of (file, function)."""
    found = [Unit(unit.name, unit.text_path, [f for f in unit.functions if (unit.name, f) in wanted]) for unit in units]
    return [unit for unit in found if unit.functions]


def seed(root):
    """What draws the sample: the commit, or, in a tree that is none of git, the manifest of the corpus."""
    head = report.commit(root)
    manifest = root / "corpus" / "manifest.json"
    return head or (hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.exists() else "")


def to_prove(args, units, contents, results):
    """What --changed proves: (not recorded as it is now, recorded but younger than the last whole run, a sample of the rest),
    each a list or set of (file, function), of which the commit chooses the order; and faults of the record itself."""
    everything = [(unit, function) for unit in units for function in unit.functions]
    missing = {(unit.name, function) for unit, function in everything
               if report.hash_of(results, unit.name, function) !=
               contents.hash(unit.text_path, function, report.models_of(results, unit.name, function) or args.machines)}
    full, faults = report.read_full(args.root)
    young = {(unit.name, function) for unit, function in everything if (unit.name, function) not in missing and
             not report.is_sealed(full, results, unit.name, function)}
    begin = seed(args.root)
    drawn = sorted(((unit.name, function) for unit, function in everything if (unit.name, function) not in missing),
                   key=lambda one: hashlib.sha256(" ".join((begin, *one)).encode()).digest())
    rest = [one for one in drawn if one not in young]
    return missing, [one for one in drawn if one in young], set(rest[: -(-len(rest) // SHARE)]), faults


def what_fits(args, young, results):
    """The first of the young functions, until they have --young-goals goals together."""
    fitting, goals = set(), 0
    for name, function in young:
        if goals >= args.young_goals:
            break
        fitting.add((name, function))
        goals += sum(known[function]["goals"] for model, known in results["proofs"][name].items()
                     if model in args.machines and function in known)
    return fitting


def chosen_units(args, units, faults):
    """The units that --function names, and the faults that concern them."""
    chosen = [unit for name in args.function for unit in select(units, name)]
    missing = [name for name in args.function if not select(units, name)]
    # What the text of the other files lacks is for another day.
    faults = [fault for fault in faults if any(fault.startswith(unit.name + ":") for unit in chosen)]
    return chosen, faults + [f"there is no function {name} in the core" for name in missing]


def texts_of(args, units, contents):
    """The expanded text of each unit, and the errors of the preprocessor."""
    texts, faults = [], []
    for path in dict.fromkeys(unit.text_path for unit in units):
        try:
            texts.append(contents.text(path, args.machines[0]))
        except expand.Failed as error:
            faults.append(f"{path.relative_to(args.root)}: the preprocessor says {error}")
    return texts, faults


def smoke_of(args):
    """The same call for smoke tests. Contradictions do not hang on the machine: one model is enough."""
    return argparse.Namespace(**{**vars(args), "smoke": True})


def choose(args, units, contents, results):
    """What to prove, what to smoke, and what is wrong with the record, where a run proves what changed."""
    missing, young, sample, faults = to_prove(args, units, contents, results)
    fitting = what_fits(args, young, results)
    print(f"{len(missing)} functions are not recorded as they are now, {len(young)} are younger than the last whole run"
          + (f" ({len(young) - len(fitting)} of them are left to it)" if len(fitting) < len(young) else "") +
          f", {len(sample)} are a sample of the rest", flush=True)
    for name, function in sorted(missing):
        print(f"  {name}: {function} is not recorded as it is now" + (": run with --record" if args.changed else ""))
    wanted = missing | fitting | sample if args.changed else missing
    return narrowed(units, wanted), narrowed(units, missing), faults if args.changed else []


def settle_record(args, results, outcomes, smoked, units, contents, faults, whole):
    """Records what was proved, or compares it with what is recorded; returns what is wrong."""
    if args.smoke or args.function and not args.record or args.no_record:
        return []
    if not args.record:
        return record_faults(results["proofs"], outcomes) + gone(results["proofs"], units, args.machines)
    if faults or any(outcome.unproved or outcome.faults for outcome in [*outcomes, *smoked]):
        return ["nothing is recorded, for something is wrong"]
    report.record(args.root, results, outcomes, units, contents, whole)
    return []


def add_up(outcomes, faults):
    """Prints who proved how much; returns how many goals are proved, and how much is wrong."""
    provers = {}
    for outcome in outcomes:
        for prover, count in outcome.provers.items():
            provers[prover] = provers.get(prover, 0) + count
    if provers:
        print("by prover: " + ", ".join(f"{name} {count}" for name, count in sorted(provers.items())))
    failed = sum(max(outcome.goals - outcome.proved, 0) + len(outcome.faults) for outcome in outcomes) + len(faults)
    return sum(outcome.proved for outcome in outcomes), failed


def main(arguments=None):
    args = parse_arguments(arguments)
    core, public, logic = source.files(args.root)
    sources, faults = source.audit(args.root, core, public, logic)
    everything = units = units_of(args.root, sources, [*core, *public])
    contents = content.Contents(args.root, lambda *which: options(args, *which))
    if args.function:
        units, faults = chosen_units(args, units, faults)
    if not units:
        faults.append("no function to prove was found in src/core")
    texts, unread = texts_of(args, units, contents)
    faults += unread + source.scan(args.root, texts, sources)[0]
    if unread:
        units = []

    results = report.read_results(args.root)
    recorded = results.setdefault("proofs", {})
    by_content = args.changed or args.record and not args.full and not args.function
    smoked, whole, left = [], set(), 0
    if args.full and units:
        missing, young, _, _ = to_prove(args, units, contents, results)
        outcomes, smoked, whole, left = run_whole(args, units, recorded, missing | set(young), contents)
    else:
        if by_content and units:
            units, smoked, wrong = choose(args, units, contents, results)
            faults += wrong
        outcomes, tests, _ = run_chunks(tasks_of(args, units, recorded) + tasks_of(smoke_of(args), smoked, recorded))
        outcomes, smoked = (tests, []) if args.smoke else (outcomes, tests)
    if not args.function and not args.smoke and not args.no_record:
        faults += [f"{name} is proved with pruning only: name it in PRUNED"
                   for name in sorted({name for outcome in outcomes for name in outcome.pruned})]
    faults += settle_record(args, results, outcomes, smoked, everything, contents, faults, whole)
    if left:
        faults.append(f"{left} pieces of the whole run are left: go on with --full --resume")
    for fault in faults:
        print(fault)
    passed, failed = add_up([*outcomes, *smoked], faults)
    if by_content and not outcomes and not failed:
        print("everything is recorded as it is now")
        passed = 1
    return total(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
