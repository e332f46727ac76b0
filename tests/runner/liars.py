"""Runs every lie through the runner and compares what it says of each case."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import lies
import small
from npy_conformance import elements, memory, process, writer
from npy_conformance.adapter import Adapter, AdapterError
from npy_conformance.declaration import Declaration, of_profile
from npy_conformance.execute import Implementation, Settings
from npy_conformance.manifest import Suite
from npy_conformance.process import Limits
from npy_conformance.progress import Progress

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
AT_ONCE = 3                      # lies
WAITING = 12                     # of those that only wait for a limit


class Lab:
    """A suite, and manifests for liars that go by other flags."""

    def __init__(self, suite_folder, work, safenpy):
        self.suite = Suite(suite_folder)
        self.work = work
        self.safenpy = safenpy

    def book(self, knows, canonical=False):
        """A manifest for a liar."""
        name = "-".join(["book", *sorted(knows), *["canonical"] * canonical]) + ".json"
        path = self.suite.folder / name
        if not path.exists():
            small.write_manifest(path, self.suite.manifest["cases"], self.suite.flags,
                                 **{"declares": sorted(knows), "canonical-only": canonical})
        return path

    def settings(self, scratch, lie, jobs):
        """Limits and places of one run."""
        scratch.mkdir(parents=True)
        cases = [case for case in self.suite.cases if case.id in lie.cases()]
        return Settings(suite=self.suite, cases=cases, limits=Limits(lie.time, lie.memory, lie.start),
                        jobs=jobs, build=self.work, safenpy=self.safenpy, progress=Progress(""),
                        reads=not lie.writer, writes=lie.writer, scratch=scratch)

    def run(self, lie, scratch, jobs=1):
        """What the runner says of a lie; None if it says that the adapter is unusable."""
        knows = lie.knows if lie.knows or lie.flags is None else lie.flags
        book = self.book(knows, lie.canonical)
        command = liar(lie.level, book, lie.lie, lie.case)
        adapter = Adapter("liar", command, lie.level, memory_unsafe=lie.fresh)
        declares = Declaration(self.suite, lie.flags, lie.canonical)
        try:
            return Implementation(adapter, declares, self.settings(scratch, lie, jobs)).execute()
        except AdapterError:
            return None


def liar(level, book, lie, case=None):
    """The command of a liar."""
    words = [sys.executable, "-I", "-S", str(HERE / "liar.py"), level, str(book), lie]
    return words + ([f"case={case}"] if case else [])


def compare(lie, run):
    """What is wrong with what the runner said."""
    if run is None:
        return "" if lies.UNUSABLE in lie.outcomes.values() else "the runner could not use the adapter"
    results = run.written if lie.writer else run.results
    wanted = {name: lie.outcomes.get(name, lies.PASS) for name in lie.cases()}
    got = {name: result.outcome for name, result in results.items()}
    if got != wanted:
        return "; ".join(f"{name}: wanted {wanted.get(name)}, got {got.get(name)} ({results[name].detail})"
                         for name in wanted if got.get(name) != wanted[name])
    concerned = [lie.case] if lie.case else [name for name in lie.outcomes if name in results]
    for name in concerned:
        if lie.detail not in results[name].detail:
            return f"{name}: {lie.detail!r} is not in {results[name].detail!r}"
    return compare_problems(lie, run.problems)


def compare_problems(lie, problems):
    """Faults that belong to no case."""
    if lie.problem_may and not problems:
        return ""
    if lie.problem:
        return "" if len(problems) == 1 and lie.problem in problems[0] else f"problems {problems}"
    return f"problems {problems}" if problems else ""


def attempt(lab, lie, scratch):
    """What is wrong with what the runner says of a lie."""
    try:
        return compare(lie, lab.run(lie, scratch))
    except Exception as error:               # a test that ends the tests tells nothing
        return f"{type(error).__name__}: {error}"


def run_lies(tally, safenpy, folder, only=""):
    """All lies on the small suite, or those with a certain word in their title."""
    suite = folder / "suite"
    small.make(suite)
    lab = Lab(suite, folder, safenpy)
    told = [lie for lie in lies.all_lies() if only in lie.title()]
    for lie in told:
        lab.book(lie.knows if lie.knows or lie.flags is None else lie.flags, lie.canonical)

    def tell(number):
        lie = told[number]
        problem = attempt(lab, lie, folder / str(number))
        if problem and lie.time == lies.SHORT:   # on a busy machine an honest process may be as slow
            problem = attempt(lab, replace(lie, time=lies.LONG), folder / f"{number}-again")
        tally.test(lie.title(), problem)

    waiting = {number for number, lie in enumerate(told) if lie.time == lies.SHORT}
    with ThreadPoolExecutor(WAITING) as patient, ThreadPoolExecutor(AT_ONCE) as pool:
        done = [patient.map(tell, waiting), pool.map(tell, set(range(len(told))) - waiting)]
    for results in done:
        list(results)


def run_system(tally, safenpy, folder):
    """What the system tells the runner, and what it does without."""
    suite = folder / "suite"
    small.make(suite)
    lab = Lab(suite, folder, safenpy)
    lab.book(("strict",))
    for part in (blind, elsewhere, same_in_parallel):
        part(tally, lab, folder)


def blind(tally, lab, folder):
    """A process that nobody looks at while it runs: what the kernel has noted is enough."""
    tick, process.TICK = process.TICK, 30.0
    for level in ("exit", "json", "lines"):
        lie = lies.one(level, "eat:300", small.SIZES, lies.MEMORY)
        tally.test(f"blind: {lie.title()}", compare(lie, lab.run(lie, folder / f"blind-{level}")))
    lie = lies.every("lines", "hide:50", lies.MEMORY, lies.ORDER[-1:])
    tally.test("blind: a peak below that of a case before", compare(lie, lab.run(lie, folder / "blind-hide")))
    process.TICK = tick


def elsewhere(tally, lab, folder):
    """On a system without pidfds, waitid and /proc: slower, and memory counts only when a process has ended."""
    able = process.PIDFDS, process.PEEKS, memory.WATCHED
    process.PIDFDS = process.PEEKS = memory.WATCHED = False
    for number, lie in enumerate((
            lies.Lie("lines", "truth"), lies.one("exit", "eat:300", small.SIZES, lies.MEMORY),
            lies.one("lines", "signal:SIGSEGV", small.F8, lies.CRASH, "SIGSEGV"),
            lies.one("lines", "die-after-late", small.F8, lies.CRASH, "after its answer: signal SIGKILL"),
            lies.one("json", "hang", small.SIZES, lies.HANG, time=lies.SHORT), lies.Lie("exit", "truth"))):
        tally.test(f"elsewhere: {lie.title()}", compare(lie, lab.run(lie, folder / f"elsewhere-{number}")))
    process.PIDFDS, process.PEEKS, memory.WATCHED = able


def same_in_parallel(tally, lab, folder):
    """One worker or many: the same results."""
    for number, lie in enumerate((lies.Lie("lines", "truth"), lies.Lie("lines", "signal:SIGSEGV"),
                                  lies.Lie("lines", "value:shape!", small.ENTRY), lies.Lie("json", "garbage"),
                                  lies.Lie("lines", "keep:25"), lies.writer("lines", "truth"))):
        serial = lab.run(lie, folder / f"serial-{number}", jobs=1)
        parallel = lab.run(lie, folder / f"parallel-{number}", jobs=5)
        tally.true(f"{lie.title()}: parallel as serial",
                   (serial.results, serial.written) == (parallel.results, parallel.written)
                   and list(serial.results or serial.written) == list(parallel.results or parallel.written))


# ---- The real suite -------------------------------------------------------------------------------

def run_corpus(tally, safenpy, folder):
    """An honest adapter made of the manifest passes the whole suite, whatever it declares."""
    folder.mkdir()
    suite = Suite(ROOT / "corpus")
    for profile in ("standard", "compatible", "canonical", "undeclared", "plain"):
        cases = suite.cases if profile == "standard" else sample(suite)
        run = honest(suite, profile, folder / profile, safenpy, cases, writes=False)
        wanted = {case.id: "pass" for case in cases}
        if profile == "undeclared":
            wanted |= {case.id: "accepts" if suite.flags[case.flags[0]]["declared"] == "reject" else "refuses"
                       for case in cases if case.verdict == "choice"}
        odd = {name: result for name, result in run.results.items() if result.outcome != wanted[name]}
        tally.same(f"an honest adapter passes the suite: {profile}", odd, {})
        all_there = list(run.results) == list(wanted) and len(wanted) > 300
        tally.true(f"{profile}: all cases", all_there, len(run.results))
    check_writer(tally, suite, folder, safenpy)


def sample(suite):
    """Every choice, and some of the others."""
    return [case for case in suite.cases if case.verdict == "choice" or case.number % 7 == 0]


def check_writer(tally, suite, folder, safenpy):
    """A writer that writes the suite's own files writes them rightly, and the canonical ones canonically."""
    run = honest(suite, "standard", folder / "writer", safenpy, suite.cases, writes=True)
    cases = {case.id: case for case in suite.cases}
    requests = Counter(request_key(cases[name]) for name in run.written)
    odd = {}
    for name, result in run.written.items():
        case = cases[name]
        clean = elements.of_file(case.path, case.expect)[1]
        own_bytes = clean and (case.record["canonical"] or writer.asked_version(case) is not None)
        if result.outcome != ("canonical" if own_bytes else "pass") and requests[request_key(case)] == 1:
            odd[name] = result
    tally.same("an honest writer writes the suite's files", odd, {})
    tally.true("there are many of them", len(run.written) > 280, len(run.written))
    tally.same("all are right", {result.outcome for result in run.written.values()}, {"canonical", "pass"})
    tally.same("safenpy and NumPy agree on what is canonical", run.problems, [])


def request_key(case):
    """Two cases with one key ask a writer for the same: it can write only one of the files."""
    request = {**case.expect, "version": writer.asked_version(case)}
    return str([request[key] for key in ("descr", "shape", "fortran_order", "elements_sha256", "version")])


def honest(suite, profile, scratch, safenpy, cases, writes):
    """A run of an honest adapter of level lines."""
    scratch.mkdir()
    declares = of_profile(suite, profile)
    book = scratch / "book.json"
    more = {"declares": sorted(declares.declares or ()), "canonical-only": declares.canonical}
    small.write_manifest(book, suite.manifest["cases"], suite.flags, folder=str(suite.folder), **more)
    settings = Settings(suite=suite, cases=cases, limits=Limits(30.0), jobs=2, build=scratch, safenpy=safenpy,
                        progress=Progress(""), reads=not writes, writes=writes, scratch=scratch)
    return Implementation(Adapter("honest", liar("lines", book, "truth"), "lines"), declares, settings).execute()
