#!/usr/bin/env python3
"""Runs a fuzzing campaign in pieces, and keeps the account: a campaign is the sum of many runs, on any day.

    fuzz/campaign.py --time 3600                    all harnesses, each as long as it is short of its goal
    fuzz/campaign.py --time 600 --only header,view  some of them; --sanitized for address and undefined, which is slower
    fuzz/campaign.py --keep header                  takes what reaches new edges of the sanitized build into fuzz/seeds
    fuzz/campaign.py --write                        writes the tables of fuzz/CAMPAIGN.md; --check says if they are stale

A piece is: the seeds and what is kept are replayed; the harness runs; all that it found new is replayed too, with every
property on every input; what adds coverage is kept in build/campaign, in memory until then. Then a line is added to
fuzz/campaign.json. Executions are those that libFuzzer counted in the run; replays and merges do not count, and a run
that does not say how many it made is an error. What breaks a property is in build/campaign/findings.

A run may check the dear properties of one input in N only, which the input's bytes choose (fuzz_is_chosen in fuzz.h).
"""

import argparse
import contextlib
import datetime
import fcntl
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import seeds
import smoke

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
RECORD = FUZZ / "campaign.json"
PAGE = FUZZ / "CAMPAIGN.md"
GOALS = dict(dict.fromkeys(seeds.HARNESSES, 10**8), header=10**9)
# Of one input in how many the dear properties are checked, where that is not 1. fuzz/README.md has what it brings.
EVERY = {"header": 4, "file": 8, "command": 8, "archive_directory": 4, "archive_member": 4, "view": 8, "archive_command": 16,
         "archive_round_trip": 16}
LONGEST = dict.fromkeys(seeds.OTHERS, 512) | dict.fromkeys(seeds.ARCHIVES, 4096) | {"flat": 2048}  # bytes of an input; else 1024
PIECE = 600  # seconds
MERGED = 4096  # bytes of an input that is replayed
# No comparisons are traced: the mutator knows the format, and tracing takes as long as all else.
FAST = ["FUZZ_SANITIZE=", "FUZZ_FLAGS=-O2 -g", "FUZZ_COVER=-fsanitize-coverage=inline-8bit-counters,pc-table"]
EXECUTIONS = re.compile(r"^stat::number_of_executed_units: *(\d+)$", re.MULTILINE)
ARTIFACTS = ("crash-", "timeout-", "oom-", "leak-")
# To take memory from the system and to give it back, for each input, is a tenth of the work.
KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_ARENA_MAX": "1"}


class Trouble(Exception):
    """What makes a piece worthless: nothing is recorded."""


# ---- the account ------------------------------------------------------------------------------------------------


def read_record(path):
    return json.loads(path.read_text(encoding="ascii")) if path.exists() else {"pieces": [], "numpy": []}


def record_text(record):
    """An entry a line, so that a change can be read."""
    parts = [f' "{key}": [\n' + ",\n".join(f"  {json.dumps(entry)}" for entry in entries) + ("\n ]" if entries else " ]")
             for key, entries in sorted(record.items())]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def add_entry(kind, entry, path=RECORD, page=PAGE):
    """Adds an entry to the account, also if others do so at the same time, and writes the page."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / f"{path.stem}.lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        record = read_record(path)
        record[kind].append(entry)
        fresh = path.with_suffix(".new")
        fresh.write_text(record_text(record), encoding="ascii")
        fresh.replace(path)
        write_page(record, page)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")


def commit():
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        call = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()
    return ""


# ---- the page ---------------------------------------------------------------------------------------------------


def sums(pieces):
    """What the pieces of each harness and build are together: in the order of the names."""
    groups = {}
    for piece in pieces:
        groups.setdefault((piece["harness"], piece["build"]), []).append(piece)
    for (harness, build), own in sorted(groups.items()):
        since = 0
        for piece in reversed(own):
            if piece["edges"][1] > piece["edges"][0]:
                break
            since += piece["executions"]
        yield {"harness": harness, "build": build, "executions": sum(piece["executions"] for piece in own),
               "seconds": sum(piece["seconds"] for piece in own), "cpu": sum(piece["cpu"] for piece in own),
               "pieces": len(own), "every": sorted({piece["every"] for piece in own}), "edges": own[-1]["edges"][1],
               "since": since, "corpus": own[-1]["corpus"], "findings": sum(len(piece["findings"]) for piece in own)}


def harness_table(pieces):
    lines = ["| harness | build | properties for one in | executions | of its goal | hours | a second | a second of CPU "
             "| edges | executions without a new edge | corpus | findings |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in sums(pieces):
        share = f"{100 * row['executions'] / GOALS[row['harness']]:.1f} %"
        lines.append(f"| {row['harness']} | {row['build']} | {', '.join(map(str, row['every']))} "
                     f"| {row['executions']:,} | {share} | {row['seconds'] / 3600:.2f} "
                     f"| {row['executions'] / max(row['seconds'], 0.1):,.0f} "
                     f"| {row['executions'] / max(row['cpu'], 0.1):,.0f} | {row['edges']:,} | {row['since']:,} "
                     f"| {row['corpus']:,} | {row['findings']} |")
    return lines


def numpy_table(runs):
    lines = ["| NumPy | inputs | runs | a second | both read | neither | safenpy alone | NumPy alone "
             "| findings |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for version in sorted({run["numpy"] for run in runs}):
        own = [run for run in runs if run["numpy"] == version]
        total = {key: sum(run[key] for run in own)
                 for key in ("inputs", "seconds", "both", "neither", "ours", "theirs", "findings")}
        lines.append(f"| {version} | {total['inputs']:,} | {len(own)} | {total['inputs'] / total['seconds']:,.0f} "
                     f"| {total['both']:,} | {total['neither']:,} | {total['ours']:,} | {total['theirs']:,} "
                     f"| {total['findings']} |")
    return lines


def page_text(record, text):
    """The page with its tables as the account has them."""
    for name, table in (("harnesses", harness_table(record["pieces"])), ("numpy", numpy_table(record["numpy"]))):
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise Trouble(f"the page has no place for its table of {name}")
        text = text[: text.index(begin)] + begin + "\n".join(table) + "\n" + text[text.index(end) :]
    return text


def write_page(record, page):
    page.write_text(page_text(record, page.read_text(encoding="utf-8")), encoding="utf-8")


def check_page(path, page):
    record = read_record(path)
    text = page.read_text(encoding="utf-8")
    ok = text == page_text(record, text) and path.exists() and path.read_text(encoding="ascii") == record_text(record)
    print(f"{'ok  ' if ok else 'FAIL'}  {page.name} has the figures of {path.name}"
          f"{'' if ok else ': write it anew with fuzz/campaign.py --write'}")
    print(f"{int(ok)} passed, {int(not ok)} failed")
    return 0 if ok else 1


# ---- a piece ----------------------------------------------------------------------------------------------------


class Harness:
    """A harness that is built, its corpus between runs, and its seeds."""

    def __init__(self, name, program, place, every):
        self.name, self.program, self.every = name, program, every
        self.kept, self.findings, self.log = place / "corpus" / name, place / "findings", place / f"{name}.log"
        self.seeds = place / "seeds" / name
        for directory in (self.kept, self.findings):
            directory.mkdir(parents=True, exist_ok=True)
        seeds.make(place / "seeds", name)

    def call(self, words, every, seconds):
        """Runs the harness to its end; (status, what it said)."""
        environment = dict(os.environ, **KEEPS_MEMORY, **smoke.SETTINGS, SAFENPY_FUZZ_EVERY=str(every))
        call = [str(self.program), *words, "-timeout=60", "-rss_limit_mb=2048",
                f"-artifact_prefix={self.findings}/{self.name}-"]
        with self.log.open("wb") as log:
            status = subprocess.run(call, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                    timeout=seconds, check=False).returncode
        return status, self.log.read_bytes().decode("utf-8", "replace")

    def artifacts(self):
        return {path.name for path in self.findings.glob(f"{self.name}-*")
                if path.name.removeprefix(f"{self.name}-").startswith(ARTIFACTS)}

    def replay(self, *places):
        """Every property of every input; the edges that all reach together, 0 if one fails."""
        status, text = self.call(["-runs=0", f"-max_len={MERGED}", *map(str, places)], 1, 3600)
        covered = smoke.COVERED.findall(text)
        if status == 0 and not covered:
            raise Trouble(f"{self.name}: the replay does not say what it reached")
        return int(covered[-1]) if status == 0 else 0

    def merge(self, *places, words=()):
        """Leaves in self.kept what adds coverage to the seeds."""
        with tempfile.TemporaryDirectory(dir=self.kept.parent, prefix=f"{self.name}-") as temporary:
            merged = Path(temporary) / "all"
            shutil.copytree(self.seeds, merged)
            status, text = self.call(["-merge=1", f"-max_len={MERGED}", *words, *map(str, [merged, *places])], 1, 7200)
            if status != 0:
                raise Trouble(f"{self.name}: the merge failed:\n{text[-2000:]}")
            known = {path.name for path in self.seeds.iterdir()}
            old = {path.name for path in self.kept.iterdir()}
            new = {path.name: path for path in merged.iterdir() if path.name not in known}
            for name in set(new) - old:
                shutil.copy(new[name], self.kept / name)
            for name in old - set(new):
                (self.kept / name).unlink()
        return len(new)

    def piece(self, limit, build):
        """Fuzzes for a time; returns the entry for the account."""
        begun, before_artifacts = commit(), self.artifacts()
        before = self.replay(self.kept, self.seeds)
        words = [f"-seed={random.SystemRandom().randrange(1, 1 << 31)}", f"-max_len={LONGEST.get(self.name, 1024)}",
                 "-entropic=0", "-print_final_stats=1", "-verbosity=0", limit]
        dictionary = FUZZ / f"{self.name}.dict"
        shown = " ".join([self.name, *words, *([f"-dict=fuzz/{dictionary.name}"] if dictionary.exists() else [])])
        if dictionary.exists():
            words.append(f"-dict={dictionary}")
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # or file systems take half the time
        with tempfile.TemporaryDirectory(dir=memory, prefix="safenpy-campaign-") as fresh:
            began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            status, text = self.call([*words, fresh, str(self.kept), str(self.seeds)], self.every, 7 * 86400)
            seconds, ended = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            executions = EXECUTIONS.findall(text)
            if len(executions) != 1:
                raise Trouble(f"{self.name}: the run does not say how many executions it made; it ended with {status}:\n"
                              f"{text[-2000:]}")
            after = self.replay(fresh, self.kept, self.seeds)
            findings = sorted(self.artifacts() - before_artifacts)
            if (status != 0 or after == 0 or before == 0) and not findings:
                findings = ["an input that was found before" if before == 0 or after == 0 else f"status {status}, no input"]
            corpus = self.merge(self.kept, fresh) if not findings else len(list(self.kept.iterdir()))
        return {"harness": self.name, "build": build, "every": self.every, "date": now(), "commit": begun,
                "seconds": round(seconds, 1),
                "cpu": round(ended.ru_utime + ended.ru_stime - used.ru_utime - used.ru_stime, 1),
                "executions": int(executions[0]), "edges": [before, after], "corpus": corpus, "findings": findings,
                "command": shown}


# ---- a campaign -------------------------------------------------------------------------------------------------


def build_harness(name, is_sanitized):
    """Builds a harness; returns where it is."""
    out = "build" if is_sanitized else "build/campaign"
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    subprocess.run(["make", "--no-print-directory", f"BUILD={out}", *([] if is_sanitized else FAST), f"{out}/fuzz/{name}"],
                   cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return ROOT / out / "fuzz" / name


def shares(names, pieces, build, seconds):
    """How long each harness runs, by the share of its goal that is missing; none if no goal is."""
    done = {row["harness"]: row["executions"] for row in sums(pieces) if row["build"] == build}
    missing = {name: max(0.0, 1 - done.get(name, 0) / GOALS[name]) for name in names}
    total = sum(missing.values())
    return {name: seconds * share / total for name, share in missing.items() if share > 0}


def run_all(args, names, build):
    times = shares(names, read_record(args.record)["pieces"], build, args.time)
    if len(names) == 1:
        times = {names[0]: args.time}  # who asks for it gets it, beyond the goal too
    if not times:
        print("all goals are reached; --only runs a harness all the same")
    found = 0
    for name, seconds in times.items():
        place = args.place / ("sanitized" if args.sanitized else "fast")
        place.mkdir(parents=True, exist_ok=True)
        with (place / f"{name}.lock").open("w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            harness = Harness(name, args.program or build_harness(name, args.sanitized), place,
                              args.every or (1 if args.sanitized else EVERY.get(name, 1)))
            while seconds >= 1:
                length = int(min(PIECE, seconds))
                entry = harness.piece(f"-runs={args.runs}" if args.runs else f"-max_total_time={length}", build)
                add_entry("pieces", entry, args.record, args.page)
                seconds = 0 if args.runs or entry["findings"] else seconds - length
                print(f"{name}: {entry['executions']} executions in {entry['seconds']} s ({entry['cpu']} s of CPU), edges "
                      f"{entry['edges'][0]} to {entry['edges'][1]}, corpus {entry['corpus']}", flush=True)
                for finding in entry["findings"]:
                    found += 1
                    print(f"{name}: finding: {finding}; see {harness.findings} and {harness.log}", flush=True)
    print(f"{found} findings")
    return 1 if found else 0


def keep(name):
    """What reaches edges of the sanitized build that no seed reaches goes into fuzz/seeds, the smallest first."""
    place = ROOT / "build" / "campaign"
    found = sorted(str(path) for path in place.glob(f"*/corpus/{name}") if path.is_dir())
    harness = Harness(name, build_harness(name, True), place / "keep", 1)
    count = harness.merge(*found, words=("-use_counters=0",))
    print(f"{name}: {count} inputs reach new edges")
    seeds.keep(name, [harness.kept])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--time", type=float, default=3600, help="seconds, for all harnesses together")
    parser.add_argument("--only", metavar="HARNESS,…", default="")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--every", type=int, help="check the dear properties of one input in so many")
    parser.add_argument("--runs", type=int, help="so many inputs, instead of a time")
    parser.add_argument("--program", type=Path, help="this program is the harness")
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "campaign", help="where corpora are kept")
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--keep", metavar="HARNESS")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(seeds.HARNESSES)
    for name in [*names, *([args.keep] if args.keep else [])]:
        if name not in seeds.HARNESSES:
            parser.error(f"no harness named {name}: there are {', '.join(seeds.HARNESSES)}")
    try:
        if args.check:
            return check_page(args.record, args.page)
        if args.write:
            write_page(read_record(args.record), args.page)
            return 0
        if args.keep:
            keep(args.keep)
            return 0
        return run_all(args, names, "address, undefined" if args.sanitized else "-O2")
    except (Trouble, subprocess.SubprocessError) as trouble:
        print(f"fuzz/campaign.py: {trouble}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
