#!/usr/bin/env python3
"""Runs every check of the project, side by side on all processors, and adds up their results.

    tools/check.py                  what decides about a change
    tools/check.py --fast           without what takes long
    tools/check.py --full           everything, and from scratch; what passed on the same files is not run again
    tools/check.py --only unit,cli  these parts, and the builds that they need

A part that fails, prints no result, or runs no test is a failure; the other parts still run. The output of a part is
in build/check/PART.log, and is shown if it fails. The last line, and only it, is `N passed, N failed`:
the sum over all parts. Proofs count their goals.
"""

import argparse
import functools
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import parts  # noqa: E402
import records  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "check"
BOOK = records.Book("parts")
LIMIT = 5000   # seconds after which a command counts as hung
SILENT = 15    # seconds after which a line names what is running
OWN = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FAST", "FULL", "PART")  # variables of the make that called us
SUMMARY = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, \d+ skipped)?$")
CMOCKA_RAN = re.compile(r"^\[=+\] (?:.*: )?(\d+) test\(s\) run\.", re.MULTILINE)
CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)\.", re.MULTILINE)


def counted(text, status):
    """(passed, failed) of a command that counts its tests itself: its last summary."""
    lines = [match for match in map(SUMMARY.match, text.splitlines()) if match]
    return tuple(map(int, lines[-1].groups())) if lines else (0, 0)


def by_pytest(text, status):
    last = text.splitlines()[-1] if text else ""
    found = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?)\b", last)}
    return found.get("passed", 0), found.get("failed", 0) + found.get("error", 0)


def by_cmocka(text, status):
    ran, good = (sum(map(int, pattern.findall(text))) for pattern in (CMOCKA_RAN, CMOCKA_PASSED))
    return good, max(ran - good, 0)


def by_status(text, status):
    """One test: the command must succeed."""
    return int(status == 0), int(status != 0)


COUNTS = {"counted": counted, "pytest": by_pytest, "cmocka": by_cmocka, "status": by_status}


class Run:
    """One part that runs, and its result."""

    def __init__(self, part, width, options):
        self.part, self.width, self.options = part, width, options
        self.is_full = "SNPY_FULL" in options and not part.is_build
        self.passed = self.failed = 0
        self.processor = 0.0  # seconds that the commands took of it, whatever else the machine did
        self.begun, self.wall = time.monotonic(), 0.0
        self.path = LOGS / f"{part.name}.log"

    def call(self, log, step):
        """Runs a command; returns its exit status and what it printed."""
        places = {"{width}": self.width, "{name}": self.part.name, "{step}": self.part.steps.index(step)}
        words = [functools.reduce(lambda word, place: word.replace(place, str(places[place])), places, str(word))
                 for word in step.words]
        log.write("$ " + " ".join(words) + "\n")
        log.flush()
        begun = self.path.stat().st_size
        environment = {key: value for key, value in os.environ.items() if key not in OWN}
        environment |= {"LC_ALL": "C.UTF-8", "SNPY_JOBS": str(self.width), **self.options, **step.env}
        try:
            process = subprocess.Popen(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT)
        except OSError as error:
            return 127, str(error)
        hung = threading.Timer(LIMIT, process.kill)
        hung.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # it is reaped: Popen need not ask
        hung.cancel()
        self.processor += usage.ru_utime + usage.ru_stime
        with self.path.open(encoding="utf-8", errors="replace") as file:
            file.seek(begun)
            return process.returncode, file.read()

    def step(self, log, step):
        status, text = self.call(log, step)
        passed, failed = COUNTS[step.kind](text, status)
        if (status != 0) != (failed > 0) or passed + failed == 0:
            log.write(f"FAIL  exit status {status}, but {passed} passed and {failed} failed\n")
            failed = max(failed, 1)
        self.passed += passed
        self.failed += failed

    def execute(self):
        if kept := self.is_full and records.whole(self.part.name):
            self.passed, self.failed = kept["passed"], 0
            self.path.write_text(f"it passed on {kept['date']}, on the same files\n", encoding="utf-8")
            return
        self.path.unlink(missing_ok=True)
        with self.path.open("a", encoding="utf-8") as log:
            try:
                for step in self.part.steps:
                    self.step(log, step)
            except Exception as error:  # a part that breaks is a part that fails; the others still run
                log.write(f"FAIL  {self.part.name} broke: {error!r}\n")
                self.failed += 1
        self.failed += self.passed + self.failed == 0
        self.wall = time.monotonic() - self.begun
        if self.is_full:
            records.keep_whole(self.part.name, passed=self.passed, failed=self.failed, seconds=round(self.wall),
                               processor=round(self.processor))

    def report(self):
        """Its line, and the end of its output if it failed."""
        text = f"{'FAIL' if self.failed else 'ok  '}  {self.part.name:<17}{self.part.title:<42}{self.passed:>6} ok"
        text += f"{self.failed:>4} bad{self.wall:>8.1f} s  processor{self.processor:>7.1f} s"
        if self.failed:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
            text += f"\n  | all of it is in {self.path.relative_to(ROOT)}" if len(lines) > 60 else ""
            text += "".join(f"\n  | {line}" for line in lines[-60:])
        return text


class Pool:
    """Runs parts side by side: first those that others need, then those that take longest."""

    def __init__(self, chosen, options):
        self.waiting = sorted(chosen, key=lambda part: (not part.is_build, -part.cost))
        self.names = {part.name for part in chosen}
        self.options = options
        self.free = os.cpu_count() or 1
        self.widest = max(1, self.free // 2)
        self.running, self.done = [], []
        self.changed = threading.Condition()
        self.said = time.monotonic()

    def next_part(self):
        """A part that may begin: all that it needs is there, and so are processors for it."""
        ended = {run.part.name for run in self.done}
        for part in self.waiting:
            width = self.widest if part.is_wide else 1
            if width <= self.free and not set(part.needs) & self.names - ended:
                self.waiting.remove(part)
                return Run(part, width, self.options)
        return None

    def work(self, run):
        broken = [done.part.name for done in self.done if done.failed and done.part.name in run.part.needs]
        if broken:
            run.path.write_text(f"FAIL  it needs {', '.join(broken)}, which failed\n", encoding="utf-8")
            run.failed = 1
        else:
            run.execute()
        with self.changed:
            self.running.remove(run)
            self.done.append(run)
            self.free += run.width
            if run.failed == 0 and run.part.name in BOOK.inputs:
                BOOK.passed(run.part.name)
            self.say(run.report())
            self.changed.notify()

    def say(self, text):
        """A line; on a terminal it replaces the one about progress."""
        print("\r\x1b[K" + text if sys.stdout.isatty() else text, flush=True)
        self.said = time.monotonic()

    def progress(self):
        text = ", ".join(f"{run.part.name} {time.monotonic() - run.begun:.0f} s" for run in self.running)
        text = f"{len(self.done)} of {len(self.names)} parts; running: {text}"
        if sys.stdout.isatty():
            print("\r\x1b[K" + text[:os.get_terminal_size().columns - 1], end="", flush=True)
        elif time.monotonic() - self.said > SILENT:
            self.say(f"      {text}")

    def run(self):
        """Runs everything; returns each part with its result."""
        with self.changed:
            while self.waiting or self.running:
                while run := self.next_part():
                    self.running.append(run)
                    self.free -= run.width
                    threading.Thread(target=self.work, args=(run,), daemon=True).start()
                self.changed.wait(timeout=1)
                self.progress()
        return self.done


def kept(found, is_full):
    """The parts whose inputs are those of the record, but for a sample."""
    BOOK.full = is_full
    return {part.name for part in found} - set(BOOK.due({part.name: records.digest(*part.inputs) for part in found}))


def choose(parser, args):
    """The parts that were asked for, and the builds that they need."""
    known = {part.name: part for part in parts.PARTS}
    if args.only:
        names = set(args.only.split(","))
        if names - set(known):
            parser.error(f"no part named {', '.join(sorted(names - set(known)))}")
    else:
        levels = {"fast"} if args.fast else {"fast", "check", "full"} if args.full else {"fast", "check"}
        names = {part.name for part in parts.PARTS if part.level in levels} - (set(parts.INSTEAD) if args.full else set())
        names -= set() if args.deps else kept([known[name] for name in sorted(names) if known[name].inputs], args.full)
    names |= {need for name in names for need in known[name].needs}
    return [known[name] for name in known if name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--fast", action="store_true", help="without what takes long")
    which.add_argument("--full", action="store_true", help="everything from scratch; can be resumed")
    which.add_argument("--only", metavar="PART,…", help="only these of: " + ", ".join(part.name for part in parts.PARTS))
    parser.add_argument("--deps", action="store_true", help="only print the groups of tools/deps.sh that are needed")
    args = parser.parse_args()
    chosen = choose(parser, args)
    if args.deps:
        print(*sorted({group for part in chosen for group in part.groups}))
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    options = {"SNPY_COMMIT": records.commit(), "WHY3CONFIG": os.environ.get("WHY3CONFIG", str(ROOT / "build/why3.conf"))}
    if args.full:
        options |= {"SNPY_FULL": "1", "SNPY_LARGE": "1"}
    started = time.monotonic()
    done = Pool(chosen, options).run()
    passed, failed = sum(run.passed for run in done), sum(run.failed for run in done)
    processor = sum(run.processor for run in done)
    print(f"all of it took {time.monotonic() - started:.0f} s, {processor:.0f} s of a processor")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
