#!/usr/bin/env python3
"""Plants one mistake at a time into the code, and counts what the tests, or the proofs, notice.

    tests/mutate/run.py tests  [--per-function N] [--seed S] [--only TEXT] [--limit N] [--jobs N] [--quick]
    tests/mutate/run.py proofs [the same; --whole]
    tests/mutate/run.py report

A mutant is one token changed, one statement deleted or one condition negated (mutants.py). Of each function N mutants
are drawn, by the seed. One that does not compile does not count, nor does one whose object code at -O2 is that of the
original. Of `tests` a mutant is killed by the unit tests, else by the corpus, by the comparison with NumPy, by the tests of
the command, by faults of system calls, or by the unit tests under sanitizers; a script ends at its first failure. Not asked
is a program without the mutant's object, or a test that never enters the mutant's function (reach.py); and what kills for
the first time must pass without a mutant. Of `proofs`, a mutant is killed if prove.py leaves a goal of a clause of the
function open: of its contract, its loops or its assertions, under one machine model. Each goal has four times the steps that
the record of the function names, for a false goal takes all it is given; with --whole, those of a whole run. Where
only a guard stays open (a run-time error, a callee's requirement), the proofs are red, but no clause says what is wrong: such
a mutant is counted apart.

Results are kept in tests/mutate/results.json under a key of function and contract: a run that was interrupted goes on
where it stopped, and what changed is judged anew. Survivors with a reason stand in tests/mutate/survivors.md.
The last line of `report` is `N passed, N failed`: mutants killed, and survivors without a reason.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
import mutants  # noqa: E402
import reach  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests" / "mutate" / "results.json"
SURVIVORS = ROOT / "tests" / "mutate" / "survivors.md"
NUMPY = "/usr/bin/python3"  # Debian's Python, which has NumPy
TIMEOUT = "240"             # seconds for a goal, as in a whole run: steps are meant to decide
WHOLE_STEPS = 600_000       # CVC4's steps for a goal in a whole run
LEAST_STEPS = 60_000        # and for a mutant of a function whose goals are proved with few
MODEL = "gcc_x86_64"
MEMORY = 6 << 30            # bytes of address space: a mutant may ask for any amount
INVALID, EQUIVALENT, SURVIVED = "invalid", "equivalent", "survived"
CLAUSE, GUARD = "clause", "guard"  # the proofs leave a goal of a clause open, or only one of a guard
RED = "proof"  # the proofs turned red, of old: not known by what, so it is judged again
DIRECTORIES = {"tests": ("src/core", "src/core/zip", "src/data", "src/host", "src/npz", "src/cli"), "proofs": ("src/core", "src/core/zip")}


# As tools/check.py runs the programs of tests/unit and tests/fault; the sanitizer, which maps much, has a limit of its own.
SANITIZED_ENV = {
    "SNPY_SANITIZED": "1",
    "ASAN_OPTIONS": f"abort_on_error=0:exitcode=86:detect_leaks=1:strict_string_checks=1:hard_rss_limit_mb={MEMORY >> 20}",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=86",
}


def limit_memory():
    """For a child: no more memory than this, and none for core dumps."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    no_core_dumps()


def no_core_dumps():
    """For a child."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def succeeds(call, cwd, seconds):
    """Whether a command ends in time, with exit status 0."""
    try:
        return subprocess.run(call, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False,
                              preexec_fn=limit_memory).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def passes(call, cwd, seconds, env=None):
    """Whether a test ends in time, with exit status 0, and before it has said FAIL at the beginning of a line: the first
    failure is enough, and ends it and what it has started."""
    quick = {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK | os.X_OK) else {}
    with subprocess.Popen(call, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, PYTHONUNBUFFERED="1", **quick, **(env or {})), start_new_session=True,
                          preexec_fn=no_core_dumps if env else limit_memory) as test:
        def end():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(test.pid, signal.SIGKILL)

        limit = threading.Timer(seconds, end)
        limit.start()
        try:
            has_failed = any(line.startswith(b"FAIL") for line in test.stdout)
        finally:
            limit.cancel()
            if test.poll() is None and has_failed:
                end()
        return test.wait() == 0 and not has_failed


def symbols_of(path, *options):
    """The functions and objects that a file of code defines for others."""
    call = ["nm", "--defined-only", *options, str(path)]
    said = subprocess.run(call, capture_output=True, text=True, check=False).stdout
    return {line.split()[-1] for line in said.splitlines() if len(line.split()) == 3}


class Tree:
    """A copy of the project in which mutants are planted, built beforehand."""

    def __init__(self, root, place):
        self.root = place
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(root, place, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", ".*_cache"))

    def plant(self, mutant):
        """Puts a mutant into its file."""
        path = self.root / mutant.path
        self.original = path.read_text(encoding="utf-8")
        path.write_text(mutant.apply(self.original), encoding="utf-8")

    def restore(self, mutant):
        """Takes it out again."""
        (self.root / mutant.path).write_text(self.original, encoding="utf-8")


class TestJudge:
    """Builds a mutant and runs the tests on it, the quick ones first."""

    MAKE = ["make", "-s", "CC=gcc", "CFLAGS=-O2"]
    # What they all let pass faces the unit tests again, built as `make test-unit` does: only there a leak is a failure.
    SANITIZED = ["make", "-s", "CC=gcc", "BUILD=build/sanitized",
                 "CFLAGS=-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"]

    # What a script is run with, and how long it may take: in the order in which they are asked.
    SCRIPTS = [
        ("corpus", "tests/corpus/run.py", "build/safenpy", 400),
        ("corpus", "tests/corpus/archives.py", "build/safenpy", 400),
        ("data", "tests/data/run.py", "build/tests/probe", 400),
        ("data", "tests/data/files.py", "build/tests/files", 400),
        ("data", "tests/data/archives.py", "build/tests/archives", 400),
        *(("command", f"tests/cli/{name}.py", "build/safenpy", 600) for name in ("run", "change", "pack", "corners")),
        *(("data", f"tests/data/{name}.py", "build/safenpy", 400) for name in ("cat", "diff", "convert", "pack")),
    ]
    # What is asked first of a directory's mutants; of the others the order above.
    FIRST = {"npz": ("archives.py", "pack.py"), "host": ("files.py", "cli/"),
             "cli": ("cli/", "data/cat", "data/diff", "data/convert")}

    # What a quick pass asks besides the unit tests.
    QUICK = ("build/fault/test_packs", "build/fault/test_screen", "tests/corpus/archives.py", "tests/data/archives.py",
             "tests/corpus/run.py")
    REACH, REACH_LOCK = {}, threading.Lock()  # what each test enters, for all judges of a project

    def __init__(self, root, place):
        self.tree = Tree(root, place)
        here = self.tree.root
        self.programs = [f"build/{kind}/{path.stem}" for kind in ("unit", "fault")
                         for path in sorted((here / "tests" / kind).glob("test_*.c"))]
        self.scripts = [row for row in self.SCRIPTS if (here / row[1]).exists()]
        built = sorted({*self.programs, *(program for _, _, program, _ in self.scripts)} - {"build/safenpy"})
        subprocess.run([*self.MAKE, "programs", *built], cwd=here, check=True)
        self.objects, self.sound, self.is_quick = self.digest(), [], False
        self.symbols = {program: symbols_of(here / program) for program in [*built, "build/safenpy"]}
        self.root, self.place = root, place

    def can_tell(self, program, mutant):
        """Whether a program has the mutant in it, as far as its symbols say; of a header every program may have."""
        code = self.tree.root / "build" / "static" / Path(*Path(mutant.path).with_suffix(".o").parts[1:])
        own = symbols_of(code, "--extern-only") if mutant.path.endswith(".c") and code.exists() else set()
        return not own or bool(own & self.symbols[program])

    def digest(self):
        """What the compiler made of the sources."""
        digest = hashlib.sha256()
        for path in sorted((self.tree.root / "build" / "static").rglob("*.o")):
            digest.update(path.read_bytes())
        return digest.digest()

    def stages(self, mutant):
        """(name, what to build, command, seconds) of the tests, in the order in which they are asked."""
        place, stem = Path(mutant.path).parent.name, Path(mutant.path).stem
        first = self.FIRST.get(place, ())
        by_name = sorted(self.programs, key=lambda name: Path(name).name.removeprefix("test_") not in stem)
        rows = [(Path(name).parent.name, name, [name], 120) for name in by_name]
        scripts = sorted(self.scripts, key=lambda row: not any(part in row[1] for part in first))
        for name, script, program, seconds in scripts:
            python = NUMPY if script.startswith("tests/data") else sys.executable
            rows.append((name, program, [python, script, program], seconds))
        rows.sort(key=lambda row: row[0] == "fault")  # these take longest
        return [row for row in rows if self.can_tell(row[1], mutant)]

    def reach(self):
        """What is known of all tests; the first judge that asks makes it."""
        if self.root not in self.REACH:
            place = self.place.parent / "reach"
            self.REACH[self.root] = reach.Reach(Tree(self.root, place).root, place.with_suffix(".json"))
        return self.REACH[self.root]

    def enters(self, row, mutant):
        """Whether a test enters the mutant's function, as far as is known; what does not runs as without the mutant."""
        _, target, call, seconds = row
        if self.is_quick:
            return True
        with self.REACH_LOCK:
            known = self.reach()
            entered = known.of(target, call, lambda noting: passes(noting, known.tree, seconds))
        return entered is None or mutant.function in entered

    def asked(self, mutant):
        """The stages of this pass that enter the function; all of them if none seems to."""
        rows, some = [row for row in self.stages(mutant) if self.is_asked_now(*row[1:3])], False
        for row in rows:
            if self.enters(row, mutant):
                some = True
                yield row
        if not some:
            yield from rows

    def passes_plain(self, target, call, seconds):
        """Whether a test passes."""
        return succeeds([*self.MAKE, target], self.tree.root, 300) and passes(call, self.tree.root, seconds)

    def passes_sanitized(self, target, call, seconds):
        """Whether a unit test passes under the sanitizers; faults would take minutes."""
        own = [target.replace("build/", "build/sanitized/", 1)]
        if call != [target] or not target.startswith("build/unit/"):
            return True
        return (succeeds([*self.SANITIZED, *own], self.tree.root, 600) and
                passes(own, self.tree.root, 5 * seconds, SANITIZED_ENV))

    def is_asked_now(self, target, call):
        """Whether a test is asked in this pass: in a quick one only those of seconds."""
        return not self.is_quick or target == call[0] and "/unit/" in target or call[-2:][0] in self.QUICK

    def killer(self, mutant):
        """(name, the test once more) of the first test that does not pass, or None."""
        for how in (self.passes_plain, self.passes_sanitized)[: 1 if self.is_quick else 2]:
            for name, *row in self.asked(mutant):
                if not how(*row):
                    return name if how == self.passes_plain else "sanitizer", (how, row)
        return None

    def judge(self, mutant):
        """What becomes of a mutant."""
        self.tree.plant(mutant)
        try:
            if not succeeds([*self.MAKE, "programs"], self.tree.root, 300):
                return INVALID
            if self.digest() == self.objects:
                return EQUIVALENT
            killer = self.killer(mutant)
        finally:
            self.tree.restore(mutant)
        if killer is None:
            return None if self.is_quick else SURVIVED
        name, (how, row) = killer
        if (name, row[1]) not in self.sound:
            if not how(*row):
                raise RuntimeError(f"{' '.join(row[1])} ({name}) does not pass without a mutant either")
            self.sound.append((name, row[1]))
        return name


class ProofJudge:
    """Proves the function of a mutant again, under one machine model."""

    def __init__(self, root, place):
        self.tree = Tree(root, place)
        self.recorded = json.loads((root / "proofs" / "results.json").read_text(encoding="utf-8"))["proofs"]
        self.is_whole = False

    def bounds_of(self, mutant):
        """The options of prove.py that bound the provers."""
        known = self.recorded.get(mutant.path, {}).get(MODEL, {}).get(mutant.function, {})
        return ["--timeout", TIMEOUT] if self.is_whole else bounds(known.get("steps", WHOLE_STEPS))

    def object_of(self, mutant):
        """The object code of the mutant's file, or None if there is none: a header is compiled as if it were a file."""
        call = ["gcc", "-std=c99", "-ffreestanding", "-O2", "-Iinclude", "-Isrc", "-I.", "-w", "-x", "c", "-c",
                mutant.path, "-o", "mutant.o"]
        if not succeeds(call, self.tree.root, 60):
            return None
        return (self.tree.root / "mutant.o").read_bytes()

    def open_goals(self, mutant, *options):
        """What stays open: CLAUSE, GUARD or None. The run ends at the first goal of a clause that does, so the second pass of
        prove.py, which prunes, is a run of its own."""
        run = subprocess.run([sys.executable, "proofs/prove.py", "--function", mutant.function, "--no-cache", "--no-record",
                              "--first", "--machdep", MODEL, "--jobs", "1", *self.bounds_of(mutant), *options],
                             cwd=self.tree.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", check=False, preexec_fn=limit_memory)
        return None if run.returncode == 0 else kind_of(run.stdout)

    def judge(self, mutant):
        """What becomes of a mutant."""
        before = self.object_of(mutant)
        self.tree.plant(mutant)
        try:
            after = self.object_of(mutant)
            if after is None:
                return INVALID
            if after == before and mutant.path.endswith(".c"):
                return EQUIVALENT
            found = self.open_goals(mutant)
            return found and (self.open_goals(mutant, "--pruning") if self.is_whole else found) or SURVIVED
        finally:
            self.tree.restore(mutant)


def bounds(recorded):
    """The same for a function whose record names so many steps."""
    return ["--timeout", "30", "--cvc4-steps", str(min(max(LEAST_STEPS, 4 * recorded), WHOLE_STEPS))]


def kind_of(said):
    """What of a function prove.py leaves open."""
    goals = re.findall(r"\bgoal (\w+) of (\w+): ", said)
    is_clause = any(not re.match(r"(?:assert_rte|call)_", goal[len(function) + 1:]) for goal, function in goals)
    return CLAUSE if is_clause else GUARD


JUDGES = {"tests": TestJudge, "proofs": ProofJudge}


def all_mutants(root, how):
    """Every mutant of the code that this kind of judgement is about."""
    statuses = mutants.next_statuses((root / "include/safenpy/statuses.h").read_text(encoding="utf-8"))
    found = []
    for directory in DIRECTORIES[how]:
        for path in sorted((root / directory).glob("*.[ch]")):
            found += mutants.mutants_of(str(path.relative_to(root)), path.read_text(encoding="utf-8"), statuses)
    return found


def sample(found, per_function, seed):
    """So many of each function, always the same ones for a seed; a larger number adds to them."""
    by_function = {}
    for mutant in found:
        by_function.setdefault((mutant.path, mutant.function), []).append(mutant)
    chosen = []
    for (path, function), several in sorted(by_function.items()):
        several.sort(key=lambda mutant: mutant.key)
        random.Random(f"{seed} {path} {function}").shuffle(several)
        chosen += several[:per_function]
    return chosen


class Store:
    """The results, on disk after each one."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.lock = threading.Lock()

    def of(self, how):
        """The results of one kind: verdicts by key."""
        return self.known.setdefault(how, {})

    def add(self, how, mutant, verdict):
        """Keeps one result."""
        with self.lock:
            self.of(how)[mutant.key] = verdict
            self.write()

    def forget(self, how, keys):
        """Drops what belongs to no mutant any more."""
        kept = {key: verdict for key, verdict in self.of(how).items() if key in keys}
        self.known[how] = kept

    def write(self):
        """All of it, or what was there before."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.known, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(new, self.path)


def run(args):
    """Judges what was drawn and is not known yet."""
    found = all_mutants(ROOT, args.how)
    store = Store(args.results)
    store.forget(args.how, {mutant.key for mutant in found})
    chosen = [mutant for mutant in sample(found, args.per_function, args.seed)
              if args.only in f"{mutant.path} {mutant.function}" and store.of(args.how).get(mutant.key, RED) == RED]
    chosen = chosen[: args.limit or len(chosen)]
    print(f"{len(found)} mutants, {len(chosen)} to judge", flush=True)
    local, places = threading.local(), iter(range(10**6))

    def judge(mutant):
        if not hasattr(local, "judge"):
            with store.lock:
                number = next(places)
            local.judge = JUDGES[args.how](ROOT, ROOT / "build" / "mutate" / f"{args.how}-{number}")
        local.judge.is_quick, local.judge.is_whole = args.quick, args.whole
        verdict = local.judge.judge(mutant)
        if verdict is not None:
            store.add(args.how, mutant, verdict)
        print(f"{verdict or 'open':<11}{mutant.describe()}", flush=True)

    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        for done in [pool.submit(judge, mutant) for mutant in chosen]:
            done.result()
    return 0


def reasons_of(path):
    """Keys in a table of survivors.md that have a reason beside them."""
    if not path.exists():
        return {}
    return dict(re.findall(r"^\| `([0-9a-f]{16})` \|[^|]*\| ([^|]*\S) *\|", path.read_text(encoding="utf-8"), re.MULTILINE))


def report(args):
    """Prints the counts and the survivors."""
    store, reasons = Store(args.results), reasons_of(args.survivors)
    killed = unexplained = 0
    for how in JUDGES:
        found = {mutant.key: mutant for mutant in all_mutants(ROOT, how)}
        known = {key: verdict for key, verdict in store.of(how).items() if key in found}
        counts = Counter(known.values())
        alive = [key for key, verdict in known.items() if verdict == SURVIVED]
        counted = len(known) - counts[INVALID] - counts[EQUIVALENT]
        dead = counted - len(alive) - counts[GUARD] - counts[RED]
        share = f"{100 * dead / counted:.1f} %" if counted else "none"
        print(f"{how}: {len(known)} of {len(found)} mutants judged; {counts[INVALID]} do not compile, "
              f"{counts[EQUIVALENT]} are equivalent; killed {dead} of {counted}: {share}")
        print("  " + ", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
        for key in sorted(alive, key=lambda key: found[key].describe()):
            print(f"  {key} {found[key].describe()}" + (f": {reasons[key]}" if key in reasons else ""))
        killed += dead
        unexplained += sum(key not in reasons for key in alive)
    joint(store)
    print(f"{killed} passed, {unexplained} failed")
    return 1 if unexplained or not killed else 0


def joint(store):
    """Which of the mutants that both have judged are killed by whom."""
    tests, proofs = store.of("tests"), store.of("proofs")
    idle = (INVALID, EQUIVALENT, RED)
    both = [key for key in tests if key in proofs and tests[key] not in idle and proofs[key] not in idle]
    table = Counter((tests[key] != SURVIVED, proofs[key] == CLAUSE) for key in both)
    print(f"judged by both: {len(both)}; killed by both {table[True, True]}, by tests alone {table[True, False]}, "
          f"by proof alone {table[False, True]}, by neither {table[False, False]}")


def main(arguments=None):
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("how", choices=["tests", "proofs", "report"])
    parser.add_argument("--per-function", type=int, default=10, metavar="N", help="mutants of each function (10)")
    parser.add_argument("--seed", default="1", help="which ones (1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="files and functions that hold this text")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="judge no more than N now")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many at once (1)")
    parser.add_argument("--quick", action="store_true", help="the tests of seconds; what they let pass stays to be judged")
    parser.add_argument("--whole", action="store_true", help="with proofs: give each goal the steps of a whole run")
    parser.add_argument("--results", type=Path, default=RESULTS, help=argparse.SUPPRESS)
    parser.add_argument("--survivors", type=Path, default=SURVIVORS, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    return report(args) if args.how == "report" else run(args)


if __name__ == "__main__":
    sys.exit(main())
