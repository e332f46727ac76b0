#!/usr/bin/env python3
"""Tests the page of implementations × cases. Standard library only; the browser's part needs Chromium.

    python3 tests/matrix/run.py                 all checks; without chromium and chromedriver, those of the browser
                                                are counted as skipped
    python3 tests/matrix/run.py --only NAME     checks whose name holds NAME
    python3 tests/matrix/run.py --screenshots DIR   saves the committed page as it is seen
    python3 tests/matrix/run.py --mutants       breaks the page's sources, one mistake at a time; the check named
                                                for it must notice

Most checks look at a page made of imagined results (fixture.py), which have every outcome and hostile texts in
them, and compare it with what model.py works out of the same files. The committed page is checked as well. The
last line is `N passed, N failed`; the exit status is 1 if anything failed.
"""

import argparse
import contextlib
import copy
import hashlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import browser as chromium      # noqa: E402
import committed                # noqa: E402
import details                  # noqa: E402
import filters                  # noqa: E402
import fixture                  # noqa: E402
import mutants                  # noqa: E402
import on_files                 # noqa: E402
import rendering                # noqa: E402
from model import Model         # noqa: E402

ON_FILES = [*on_files.CHECKS, committed.committed_page_is_fresh]
IN_BROWSER = [*rendering.CHECKS, *filters.CHECKS, *details.CHECKS, committed.committed_page_works]
FEW = 4                  # checks for which a second browser is not worth its start
SLOW_FIRST = [committed.committed_page_works, filters.filter_by_text, details.details_say_everything,
              details.implementation_details_say_everything, *IN_BROWSER].index


class World:
    """What the checks look at: the sources, a page made from the fixture, and the committed one."""

    def __init__(self, directory, sources):
        self.root, self.directory, self.sources = ROOT, Path(directory), Path(sources)
        suite, found = fixture.make(self.directory / "fixture")
        self.manifest_file = self.directory / "fixture" / "manifest.json"
        self.results = self.directory / "fixture" / "results"
        digest = hashlib.sha256(self.manifest_file.read_bytes()).hexdigest()
        self.model = Model(suite, digest, list(found.values()))
        self.page = self.directory / "fixture" / "page.html"
        self.browser = None
        self.screenshots = None
        done = self.make()
        if done.returncode:
            raise RuntimeError(f"make_matrix.py fails on the fixture: {done.stderr}")

    def make(self, *words, manifest=None, results=None, output=None, seed="0"):
        """Runs make_matrix.py; on the fixture unless told otherwise."""
        call = [sys.executable, self.sources / "make_matrix.py", "--manifest", manifest or self.manifest_file,
                "--results", results or self.results, "--output", output or self.page, *words]
        return subprocess.run(call, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"})

    def committed(self):
        """The committed page and its model, or None if there are no results yet."""
        files = sorted((CORPUS / "results").glob("*.json"))
        page = CORPUS / "matrix" / "index.html"
        if not files or not page.exists():
            return None
        content = (CORPUS / "manifest.json").read_bytes()
        results = [json.loads(file.read_bytes()) for file in files]
        for one in results:
            one.setdefault("details", {})
        return page, Model(json.loads(content), hashlib.sha256(content).hexdigest(), results)


def perform(check, world):
    """The problems that one check finds; one that breaks has found a problem."""
    try:
        return check(world)
    except Exception:  # a check that cannot be carried out must not look like one that passed
        return ["the check broke: " + traceback.format_exc(limit=4)]


def in_browsers(checks, world):
    """What each check finds: {check: problems}. As many browsers as there are processors, two at most, share them."""
    found, todo = {}, queue.SimpleQueue()
    for check in sorted(checks, key=SLOW_FIRST):
        todo.put(check)

    def work(own):
        with contextlib.suppress(queue.Empty):
            while True:
                check = todo.get_nowait()
                found[check] = perform(check, own)

    with contextlib.ExitStack() as stack:
        worlds = [world]
        if len(checks) > FEW and (os.cpu_count() or 1) > 1:
            worlds.append(copy.copy(world))
            worlds[1].browser = stack.enter_context(chromium.Browser())
        with ThreadPoolExecutor(len(worlds)) as pool:
            list(pool.map(work, worlds))
    return found


def run_checks(world, only):
    """All checks: how many passed, failed and were skipped. What fails in a browser is tried once more, alone: a
    machine with much to do must not look like a page with a fault, which is there every time."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    chosen = [check for check in [*ON_FILES, *IN_BROWSER] if not only or only in check.__name__.replace("_", " ")]
    browsing = [check for check in chosen if check in IN_BROWSER]
    found = in_browsers(browsing, world) if world.browser else dict.fromkeys(browsing)
    for check in chosen:
        problems = found[check] if check in found else perform(check, world)
        if problems and check in found:
            problems = perform(check, world)
        outcome = "skipped" if problems is None else "failed" if problems else "passed"
        counts[outcome] += 1
        if outcome != "skipped":
            print(f"{'FAIL' if problems else 'ok  '}  {check.__name__.replace('_', ' ')}")
        for problem in (problems or [])[:12]:
            print(f"      {problem}")
    return counts


def run_mutants(directory, only):
    """Each mutant is a page with one mistake; the check named for it must find a problem."""
    checks = {check.__name__: check for check in [*ON_FILES, *IN_BROWSER]}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    used = set()
    with chromium.Browser() as one:
        for number, mutant in enumerate(mutants.MUTANTS):
            used.add(mutant.check)
            if only and only not in mutant.check:
                continue
            sources = Path(directory) / f"mutant-{number}"
            try:
                mutant.plant(CORPUS / "matrix", sources)
                world = World(sources / "world", sources)
                world.browser = one
                problems = perform(checks[mutant.check], world)
            except (RuntimeError, LookupError) as error:
                problems = None
                print(f"      {error}")
            caught = bool(problems) and not problems[0].startswith("the check broke")
            counts["passed" if caught else "failed"] += 1
            print(f"{'ok  ' if caught else 'FAIL'}  {mutant.check.replace('_', ' ')}: {mutant.title}")
            if not caught:
                print(f"      the check said: {problems}")
    without = sorted(set(checks) - used - mutants.EXEMPT)
    if not only:
        counts["failed" if without else "passed"] += 1
        print(f"{'FAIL' if without else 'ok  '}  every check has a mutant, but {', '.join(without) or 'none'}")
    return counts


def options():
    """What may stand on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", metavar="NAME", help="checks whose name holds NAME")
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="save what the browser shows")
    parser.add_argument("--mutants", action="store_true", help="break the page on purpose, check by check")
    return parser.parse_args()


def main():
    """Runs what was asked for; the last line counts."""
    args = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))   # so that the browser ends and its profile goes
    with tempfile.TemporaryDirectory(prefix="matrix-test-") as directory:
        if args.mutants:
            if not chromium.available():
                print("the mutants need chromium and chromedriver")
                return 2
            counts = run_mutants(directory, args.only.replace(" ", "_"))
        else:
            world = World(directory, CORPUS / "matrix")
            world.screenshots = args.screenshots
            if chromium.available():
                with chromium.Browser() as world.browser:
                    counts = run_checks(world, args.only)
                    if args.screenshots:
                        committed.take_screenshots(world)
            else:
                print("no chromium or no chromedriver: the browser's part is skipped")
                counts = run_checks(world, args.only)
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
