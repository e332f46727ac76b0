#!/usr/bin/env python3
"""Replays the seeds of each harness, compares what they reach with what is recorded, and fuzzes each for a moment.

    fuzz/smoke.py build/fuzz               all harnesses, some 90 seconds
    fuzz/smoke.py build/fuzz --record      writes into fuzz/coverage.json what the seeds reach, and how much 90 seconds are
    fuzz/smoke.py build/fuzz --only header --seconds 60
    fuzz/smoke.py build/fuzz --only header --replay-only

The moment is a number of inputs, by one seed: the same inputs each time, wherever that is (but for harnesses with
threads), so that a change is not red for what chance finds elsewhere. To find more is what campaigns are for.

A harness fails if it ends with an error (its input is kept in build/fuzz/findings), or if its seeds reach fewer edges
of the library than recorded and also a smaller share of them: code that went away is no loss, code that is no longer
reached is. The numbers hold for Debian's clang 14, as tools/deps.sh installs it, and for any build of the same code.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
RECORD = FUZZ / "coverage.json"
SECONDS = 75  # for all harnesses together, beside their seeds
# With threads, some edges are reached by chance: of these harnesses a hundredth less is recorded.
THREADED = {"archive_command", "archive_member", "archive_round_trip"}
SETTINGS = {
    "ASAN_OPTIONS": "abort_on_error=0:exitcode=86:detect_leaks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
COVERED = re.compile(r"^#\d+\s+(?:INITED|DONE)\s+cov: (\d+)", re.MULTILINE)
LOADED = re.compile(r"\((\d+) inline 8-bit counters\)")
RUNS = re.compile(r"^Done (\d+) runs", re.MULTILINE)


class Smoke:
    def __init__(self, place):
        self.place = place
        self.passed = self.failed = 0
        (place / "findings").mkdir(parents=True, exist_ok=True)

    def test(self, name, ok, text=""):
        self.passed += bool(ok)
        self.failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  {name}", flush=True)
        if text and not ok:
            print("\n".join(text.splitlines()[-40:]), flush=True)

    def run(self, name, *words):
        call = [str(self.place / name), "-seed=1", "-timeout=60", "-rss_limit_mb=2048",
                f"-artifact_prefix={self.place}/findings/{name}-", *words]
        try:
            run = subprocess.run(call, env=dict(os.environ, **SETTINGS), stdin=subprocess.DEVNULL, timeout=600,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return 127, str(error)
        return run.returncode, run.stdout.decode("utf-8", "replace")

    def replay(self, name):
        """Runs the seeds; returns the edges reached and those there are, or nothing."""
        seeds = self.place / "seeds" / name
        count = len(list(seeds.iterdir()))
        status, text = self.run(name, "-runs=0", str(seeds))
        covered, loaded = COVERED.findall(text), LOADED.search(text)
        ok = status == 0 and covered and loaded and count > 0
        self.test(f"{name}: replays {count} seeds", ok, text)
        return (int(covered[-1]), int(loaded.group(1))) if ok else None

    def compare(self, name, reached, recorded):
        if reached is None:
            return
        edges, total = reached
        old = recorded.get(name, {"edges": 0, "of": 1})
        ok = name in recorded and (edges >= old["edges"] or edges * old["of"] >= old["edges"] * total)
        self.test(f"{name}: reaches {edges} of {total} edges; recorded are {old['edges']} of {old['of']}", ok,
                  "fuzz/smoke.py --record records what is reached, if a change of the harness is the reason")

    def fuzz(self, name, *limits):
        """Fuzzes within limits; returns how many inputs that were."""
        words = [*limits, "-max_len=2048"]
        dictionary = FUZZ / f"{name}.dict"
        if dictionary.exists():
            words.append(f"-dict={dictionary}")
        with tempfile.TemporaryDirectory(prefix="safenpy-fuzz-") as fresh:
            status, text = self.run(name, *words, fresh, str(self.place / "seeds" / name))
        runs = RUNS.search(text)
        self.test(f"{name}: {runs.group(1) if runs else 'no'} inputs", status == 0 and runs, text)
        return int(runs.group(1)) if runs else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("place", type=Path, help="where `make fuzz` has built")
    parser.add_argument("--only", metavar="HARNESS,…")
    parser.add_argument("--seconds", type=int, help="fuzz each harness for so long instead")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--replay-only", action="store_true")
    args = parser.parse_args()
    started = time.monotonic()
    call = [sys.executable, str(FUZZ / "seeds.py"), str(args.place / "seeds")]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    names = sorted(path.name for path in (args.place / "seeds").iterdir())
    pace = SECONDS // len(names)
    if args.only:
        names = args.only.split(",")
    recorded = json.loads(RECORD.read_text(encoding="ascii")) if RECORD.exists() else {}
    smoke = Smoke(args.place)
    now = {}
    for name in names:
        reached = smoke.replay(name)
        if reached:
            now[name] = {"edges": reached[0] * 99 // 100 if name in THREADED else reached[0], "of": reached[1]}
        if not args.record:
            smoke.compare(name, reached, recorded)
        if not args.replay_only:
            seconds = args.seconds or (pace if args.record else 0)
            runs = recorded.get(name, {}).get("runs", 1)
            inputs = smoke.fuzz(name, f"-max_total_time={seconds}" if seconds else f"-runs={runs}")
            now.setdefault(name, {})["runs"] = int(float(f"{inputs:.1g}"))
    if args.record:
        RECORD.write_text(json.dumps(dict(recorded, **now), indent=1, sort_keys=True) + "\n", encoding="ascii")
    print(f"took {time.monotonic() - started:.0f} s")
    print(f"{smoke.passed} passed, {smoke.failed} failed")
    return 1 if smoke.failed or not smoke.passed else 0


if __name__ == "__main__":
    sys.exit(main())
