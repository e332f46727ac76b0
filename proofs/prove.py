#!/usr/bin/env python3
"""Proves the core, and refuses to say so unless every part of the proof is there.

    proofs/prove.py                     everything, from scratch, under each machine model
    proofs/prove.py --function NAME     one function, with a cache, for daily work
    proofs/prove.py --smoke             looks for contradictory contracts and dead code
    proofs/prove.py --record            proves everything, and records what proved it; also of one function or file
    proofs/prove.py --first ...         ends each file at its first open goal: shows that something is wrong

frama-c exits with 0 whether its goals are proved or not. So the gate reads the report of every goal, the
status of every property and every warning, and compares the goals of each function with
proofs/results.json, from which proofs/REPORT.md is made. Another prover than recorded is told, and no failure.
The provers are bounded by steps, which do not depend on the machine or its load; the time limit is far out.
A goal that is the same to the byte under two models is asked once: the answers of a run are kept until its end, in a
directory that is empty at its beginning. ppc_32 comes last, for its goals are those of gcc_x86_32.

The last line is `N passed, N failed`: goals, and one failure for everything else that is wrong.
"""

import argparse
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
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
# Functions of which that is known, under some machine model: they are pruned at once. A whole run complains of one that
# is missing, for a planted bug of it would turn the proof red whatever it is. A name too many costs time.
PRUNED = {"check_locator", "kind_of_word", "lex_names", "read_value", "run", "snpy_pen_descr", "snpy_zip_put_end",
          "step_item", "step_type", "write_prefix"}
# Functions about products: CVC4 spends all its steps on some of their goals, a minute for each, which Z3 proves in no time.
# They are given to Z3 first, and CVC4 has what is left. A name too many costs time, and one too few does.
Z3_FIRST = {"show_byte", "show_common_type", "show_extent_grows", "show_inside", "show_sizes", "show_unit_word",
            "snpy_count_elements", "snpy_pen_word"}
STAGE = "[wp] Running WP plugin"
OPEN_GOAL = re.compile(r"^\[wp\] \[[^\]]+\] Goal typed_(\w+) : (?!Valid)")
STEPS = re.compile(r"^\[wp\] \[(CVC4|Z3)[^\]]*\] Goal typed_(\w+) : Valid .*\((\d+)\)(?: \(cached\))?$", re.MULTILINE)
# The only warnings that may stand in the log: the second stage finds nothing left to do.
HARMLESS = re.compile(r"^\[wp\] Warning: No goal generated$")
WARNING = re.compile(r"\b(?:Warning|warning|error|User Error|Failure|Unexpected)\b")
# WP states the separation that its memory model supposes; the callers' contracts must say the same.
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
    hypotheses: list = field(default_factory=list)
    unproved: list = field(default_factory=list)  # goals
    places: list = field(default_factory=list)  # the properties that these goals belong to, with their lines
    faults: list = field(default_factory=list)
    seconds: float = 0.0
    pruned: set = field(default_factory=set)  # functions that were open without pruning
    chunks: int = 1  # how many runs this is made of

    def add(self, other):
        """Joins the outcome of another chunk of the same file under the same model."""
        self.goals += other.goals
        self.proved += other.proved
        for prover, count in other.provers.items():
            self.provers[prover] = self.provers.get(prover, 0) + count
        self.functions.update(other.functions)
        self.pruned |= other.pruned
        for name in ("hypotheses", "unproved", "places", "faults"):
            getattr(self, name).extend(getattr(other, name))
        self.seconds += other.seconds
        self.chunks += other.chunks

    def open_functions(self):
        return {function for function, _, _ in self.unproved}


@dataclass
class Run:
    """What one call of frama-c left behind."""

    status: int
    log: str
    goals: dict = None  # the report of WP, or None if it wrote none
    properties: list = None  # the rows of the kernel's report, likewise
    seconds: float = 0.0
    first: str = ""  # with --first: the goal at which it was ended


def units_of(root, sources, core):
    return [Unit(str(path.relative_to(root)), path, [f.name for f in sources[path].defined()])
            for path in core if sources[path].defined()]


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
    call += ["-then", "-report-csv", str(properties)]
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
    outcome.pruned = again
    return outcome


def run_once(args, unit, machine, pruning):
    """Calls frama-c and collects what it wrote."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="safenpy-proof-") as temporary:
        call, goals, properties = command(args, unit, machine, Path(temporary), pruning)
        run = watch(args, call)
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
    """Reads the log as it is written; with --first, ends frama-c and its provers at the first goal that stays open."""
    lines, first, stage = [], "", 0
    environment = {"OCAMLRUNPARAM": "s=16M", **os.environ}  # 128 MiB for new terms, else a tenth of the time is collection
    with subprocess.Popen(call, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", cwd=args.root, start_new_session=args.first) as process:
        for line in process.stdout:
            lines.append(line)
            stage += line.startswith(STAGE)
            goal = OPEN_GOAL.match(line)
            if args.first and goal and stage == call.count("-wp"):
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
    judge_log(outcome, run.log)
    if run.goals is not None:
        judge_goals(args, outcome, run.goals, run.log)
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
                outcome.hypotheses.append(" ".join(text))
        elif "Failed smoke-test" in line or "Goal typed_" in line or "Smoke-test typed_" in line:
            continue  # judged by the report
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
        # Where a goal of the function failed, this tells its place; else it is a fault of its own.
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
    """The lines that say what is wrong with an outcome."""
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
        for function in sorted(set(old) - set(outcome.unit.functions)):
            faults.append(f"{where}: {function} is recorded, and it is gone")
    return faults


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the tree to prove (this one)")
    parser.add_argument("--function", action="append", default=[], metavar="NAME",
                        help="prove only this function (or file), with a cache; may be repeated")
    parser.add_argument("--machdep", action="append", default=[], metavar="NAME",
                        help=f"machine model, may be repeated ({', '.join(MACHINES)})")
    parser.add_argument("--smoke", action="store_true", help="smoke tests instead of proofs")
    parser.add_argument("--smoke-timeout", type=int, default=2, metavar="S", help="seconds for each smoke test (2)")
    parser.add_argument("--record", action="store_true", help="record in proofs/results.json what was proved, and write proofs/REPORT.md")
    parser.add_argument("--no-cache", action="store_true", help="with --function: from scratch")
    parser.add_argument("--pruning", action="store_true", help="with Qed's pruning from the start, to compare")
    parser.add_argument("--first", action="store_true",
                        help="end at the first goal of a file that is not proved: to show that something is wrong")
    parser.add_argument("--clause", metavar="NAME", help="only the goals of clauses of this name, or @kind; nothing else is judged")
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
    args.timeout = args.timeout or (15 if args.function and not args.record else TIMEOUT)
    args.cache = None
    if args.function and not args.no_cache and not args.record:
        args.cache = args.root / "build" / "proof-cache"
        args.cache.mkdir(parents=True, exist_ok=True)
    return args


def keep_answers(args):
    """A directory for the answers of this run alone, where the goals of one model may be those of another."""
    if args.cache or args.smoke or args.first or len(args.machines) == 1:
        return contextlib.nullcontext()
    answers = tempfile.TemporaryDirectory(prefix="safenpy-answers-")
    args.cache = Path(answers.name)
    return answers


def total(passed, failed):
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


def main(arguments=None):
    args = parse_arguments(arguments)
    core = sorted((args.root / "src" / "core").glob("*.[ch]"))
    core += sorted((args.root / "proofs" / "theorems").glob("*.[ch]"))  # functions like any other, over contracts alone
    public = source.reached(args.root, core)
    logic = sorted((args.root / "spec" / "logic").glob("*.h"))
    sources, faults = source.audit(args.root, core, public, logic)
    allowed_path = args.root / "proofs" / "allowed-axioms.txt"
    allowed = set()
    if allowed_path.exists():
        allowed = {line.split()[0] for line in allowed_path.read_text(encoding="utf-8").splitlines()
                   if line.strip() and not line.startswith("#")}
    faults += source.check_axioms(sources, allowed)
    units = units_of(args.root, sources, core)
    if args.function:
        chosen = [unit for name in args.function for unit in select(units, name)]
        missing = [name for name in args.function if not select(units, name)]
        units = chosen
        # What the text of the other files lacks is for another day.
        faults = [fault for fault in faults if any(fault.startswith(unit.name + ":") for unit in units)]
        faults += [f"there is no function {name} in src/core or proofs/theorems" for name in missing]
    if not units:
        faults.append("no function to prove was found in src/core")

    results = report.read_results(args.root)
    recorded = results.setdefault("proofs", {})
    tasks = [(unit, chunk, machine) for unit in units for machine in args.machines for chunk in unit.chunks()]

    def weight(task):
        unit, chunk, machine = task
        known = recorded.get(unit.name, {}).get(machine, {})
        goals = sum(known.get(name, {}).get("goals", 10**6) for name in chunk.functions)
        return -MACHINES.index(machine) if machine in MACHINES else 0, goals

    # One model behind the other, so that answers are there to be shared; the longest first, so that no processor waits.
    tasks.sort(key=weight, reverse=True)

    what = "smoke tests" if args.smoke else "goals"
    print(f"{'file':<24}{'model':<12}{'functions':>9}{what:>13}{'proved':>8}{'time':>9}")
    merged = {}
    with keep_answers(args), ThreadPoolExecutor(max_workers=max(1, args.jobs)) as pool:
        running = {pool.submit(prove, args, chunk, machine): unit for unit, chunk, machine in tasks}
        for done in as_completed(running):
            part, unit = done.result(), running[done]
            outcome = merged.setdefault((id(unit), part.machine), Outcome(unit, part.machine, chunks=0))
            outcome.add(part)
            if outcome.chunks < len(unit.chunks()):
                continue
            print(f"{unit.name:<24}{outcome.machine:<12}{len(unit.functions):>9}{outcome.goals:>13}"
                  f"{outcome.proved:>8}{outcome.seconds:>8.1f}s", flush=True)
            for line in explain(outcome):
                print("  " + line, flush=True)
    outcomes = list(merged.values())
    if not args.function and not args.smoke and not args.no_record:
        faults += [f"{name} is proved with pruning only: name it in PRUNED"
                   for name in sorted(set().union(*(outcome.pruned for outcome in outcomes)))]

    if args.record and not args.smoke:
        if any(outcome.unproved or outcome.faults for outcome in outcomes):
            faults.append("nothing is recorded, for something is wrong")
        else:
            report.record(args.root, results, recorded, outcomes, None if args.function else units)
    elif not args.function and not args.no_record and not args.smoke:
        faults += record_faults(recorded, outcomes)
        for name in sorted(set(recorded) - {unit.name for unit in units}):
            faults.append(f"{name}: goals are recorded for this file, and it is gone")
    for fault in faults:
        print(fault)

    provers = {}
    for outcome in outcomes:
        for prover, count in outcome.provers.items():
            provers[prover] = provers.get(prover, 0) + count
    if provers:
        print("by prover: " + ", ".join(f"{name} {count}" for name, count in sorted(provers.items())))
    hypotheses = sum(len(outcome.hypotheses) for outcome in outcomes)
    if hypotheses:
        print(f"memory model: {hypotheses} functions lean on separation that their contract does not state")
        if args.function:
            for outcome in outcomes:
                print(*(f"  {text}" for text in outcome.hypotheses), sep="\n")
    passed = sum(outcome.proved for outcome in outcomes)
    failed = sum(max(outcome.goals - outcome.proved, 0) + len(outcome.faults) for outcome in outcomes) + len(faults)
    return total(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
