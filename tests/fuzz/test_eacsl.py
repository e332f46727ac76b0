"""Shows that AFL++ finds planted bugs within a minute when the contracts are the only oracle, and nothing without one.

Builds the judge of fuzz/eacsl in a copy of the tree three times: as it is, with a wrong byte, with a read too far.
"""

import shutil
import sys
from pathlib import Path

import pytest

from tests.fuzz import test_planted

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60  # at most, for a bug
RUNS = 2000  # of the sound judge, about: always the same ones, so that the check is not red for what chance finds
EVERY = 40  # of so many files of the corpus the sound judge takes one
SEEDS = {
    "file": (ROOT / "corpus/accept/numpy/dtype/le-f8.npy").read_bytes(),
    "frame": b"\x93NUMPY\x02\x00\x10\x00\x00\x00",
}
# Name, what is there in src/core/frame.c, what comes instead, the seed, and the check that must fail.
BUGS = [
    # Only a contract knows at which byte a minor version is refused.
    ("wrong-byte", "    *at = 7;\n", "    *at = 6;\n", "file", "check_prefix:", "Postcondition NPY_FRAME_003"),
    # proofs/negative/prefix-of-ten-bytes.patch: a file that ends within its prefix is read too far.
    ("read-too-far", "    if (length < (bytes[6] == 1 ? 10u : 12u))", "    if (length < 10u)", "frame",
     "header_length:", "Precondition"),
]


class Gate(test_planted.Gate):
    def build(self, name, *words):
        status, text = self.run(sys.executable, "fuzz/eacsl/build.py", f"out/{name}", *words)
        return self.test(f"{name}: builds", status == 0, text)

    def fuzz(self, name, seed, *bound):
        """AFL++ until the first crash: the inputs that crash, how many were run, in how many seconds, what was printed."""
        out = self.work / "out" / name
        # The fork server does not get on with the memory that E-ACSL lays out before main.
        _, text = self.run("afl-fuzz", "-i", f"seeds/{seed}", "-o", out / "found", *bound, "-t", "5000", "-s", "6", "--",
                           out / "judge", "@@", AFL_NO_FORKSRV="1", AFL_BENCH_UNTIL_CRASH="1", AFL_SKIP_CPUFREQ="1",
                           AFL_NO_AFFINITY="1", AFL_NO_UI="1", AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1")
        stats = out / "found/default/fuzzer_stats"
        if not stats.exists():
            return [], 0, 0, text
        lines = (line.split(":", 1) for line in stats.read_text(encoding="utf-8").splitlines())
        values = {key.strip(): value.strip() for key, value in lines}
        crashes = sorted((out / "found/default/crashes").glob("id*"))
        return crashes, int(values["execs_done"]), int(values["run_time"]), text

    def sound(self):
        if not self.build("sound"):
            return
        files = sorted((ROOT / "corpus").rglob("*.npy"))[::EVERY]
        answers = [self.run("out/sound/judge", file) for file in files]  # one process each: fuzz/README.md
        broken = "\n".join(f"{file.name}: exit status {status}\n{text}" for file, (status, text) in zip(files, answers)
                           if status != 0)
        self.test(f"sound: {len(files)} files of the corpus break no clause", not broken and len(files) > 50, broken)
        crashes, runs, seconds, text = self.fuzz("sound", "", "-E", RUNS)
        self.test(f"sound: AFL++ finds nothing in {runs} runs and {seconds} s", not crashes and runs >= RUNS, text)

    def planted(self, name, old, new, seed, *words):
        path = self.work / "src/core/frame.c"
        before = path.read_text(encoding="utf-8")
        self.test(f"{name}: there is a place for it", before.count(old) == 1)
        path.write_text(before.replace(old, new), encoding="utf-8")
        try:
            self.found(name, seed, words)
        finally:
            path.write_text(before, encoding="utf-8")

    def found(self, name, seed, words):
        if self.build(name):
            judge = self.work / "out" / name / "judge"
            status, text = self.run(judge, *(f"seeds/{one}/{one}" for one in SEEDS))
            self.test(f"{name}: the seeds do not show it", status == 0, text)
            crashes, runs, seconds, text = self.fuzz(name, seed, "-V", SECONDS)
            if self.test(f"{name}: AFL++ finds it, in {runs} runs and {seconds} s", crashes, text):
                _, text = self.run(judge, "-k", crashes[0])
                failed = [line for line in text.splitlines() if all(word in line for word in words)]
                self.test(f"{name}: {words[0]} {words[1]} fails", failed, text)


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    work = tmp_path_factory.mktemp("eacsl")
    for name in ("src", "include", "spec", "fuzz"):
        shutil.copytree(ROOT / name, work / name, ignore=shutil.ignore_patterns("__pycache__"))
    (work / "proofs").mkdir()
    for name in ("source", "expand", "recursion", "content"):
        shutil.copy2(ROOT / f"proofs/{name}.py", work / "proofs")
    for name, data in SEEDS.items():
        (work / "seeds" / name).mkdir(parents=True)
        (work / "seeds" / name / name).write_bytes(data)
    return Gate(work)


inputs = pytest.mark.inputs("src/core", "include", "spec/logic", "fuzz/eacsl", "proofs/*.py", "tests/fuzz/test_eacsl.py")


@inputs
def test_sound(gate):
    gate.sound()


@inputs
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug[0])
def test_planted(gate, bug):
    gate.planted(*bug)
