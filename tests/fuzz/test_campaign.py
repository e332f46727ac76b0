"""Shows that fuzz/campaign.py counts what libFuzzer counted, and nothing else: with a harness that lies on request, and
with one that is real.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
sys.path.insert(0, str(FUZZ))

import campaign  # noqa: E402

# What stands for a harness. FAKE says how it behaves; its edges are the files it is given.
FAKE = """#!/usr/bin/env python3
import os, pathlib, shutil, sys
behaviour, words = os.environ["FAKE"], sys.argv[1:]
places = [pathlib.Path(word) for word in words if not word.startswith("-")]
artifact = [word.split("=", 1)[1] for word in words if word.startswith("-artifact_prefix=")][0]
def fail():
    pathlib.Path(artifact + "crash-0123").write_bytes(b"x")
    print("stat::number_of_executed_units: 17")
    sys.exit(77)
if "-merge=1" in words:
    for path in [path for place in places[1:] for path in place.iterdir()]:
        shutil.copy(path, places[0])
elif "-runs=0" in words:
    if os.environ["SAFENPY_FUZZ_EVERY"] != "1":
        sys.exit("a replay that does not look at all")
    if behaviour == "late" and len(places) == 3:
        fail()
    print(f"#5 INITED cov: {len(list(path for place in places for path in place.iterdir()))} ft: 9")
else:
    if behaviour == "crash":
        fail()
    if behaviour == "new":
        (places[0] / "".join(filter(str.isdigit, words[0]))).write_bytes(words[0].encode())
    if behaviour != "silent":
        print("INFO: 99 executions\\nDone 98 runs in 1 second(s)\\nstat::number_of_executed_units: 4242")
    print("stat::new_units_added: 55")
"""
PAGE = "prose\n<!-- harnesses:begin -->\nold\n<!-- harnesses:end -->\n<!-- numpy:begin -->\n<!-- numpy:end -->\nend\n"


class Account:
    def __init__(self, work, tally):
        self.work, self.test = work, tally.check
        self.record, self.page, self.fake = work / "campaign.json", work / "page.md", work / "fake"
        self.fake.write_text(FAKE, encoding="ascii")
        self.fake.chmod(0o755)
        self.page.write_text(PAGE, encoding="ascii")

    def start(self, behaviour, name, *words):
        call = [sys.executable, str(FUZZ / "campaign.py"), "--record", str(self.record), "--page", str(self.page),
                "--place", str(self.work / "build"), *(["--only", name, "--time", "2"] if name else []), *map(str, words)]
        return subprocess.Popen(call, env=dict(os.environ, FAKE=behaviour), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run(self, behaviour, name, *words):
        with self.start(behaviour, name, *words) as process:
            text = process.communicate()[0]
        return process.returncode, text

    def pieces(self):
        return json.loads(self.record.read_text(encoding="ascii"))["pieces"] if self.record.exists() else []

    def counting(self):
        """What is counted, and what is not."""
        fake = ("--program", self.fake)
        status, text = self.run("silent", "view", *fake)
        self.test("a run that says no number is an error, and no entry", status == 2 and not self.pieces(), text)
        for behaviour in ("new", "plain", "plain"):
            status, text = self.run(behaviour, "view", *fake)
            self.test(f"a piece ({behaviour})", status == 0, text)
        pieces = self.pieces()
        self.test("each piece has what the run counted", [piece["executions"] for piece in pieces] == [4242] * 3, pieces)
        self.test("what is found is kept for the next piece", [piece["corpus"] for piece in pieces] == [1] * 3, pieces)
        before = pieces[0]["edges"][0]
        self.test("edges are those of the replays", [piece["edges"] for piece in pieces] ==
                  [[before, before + 1], [before + 1] * 2, [before + 1] * 2], pieces)
        row = next(campaign.sums(pieces))
        self.test("a campaign is the sum of its pieces", (row["executions"], row["since"]) == (12726, 8484), row)
        page = self.page.read_text(encoding="utf-8")
        self.test("the page has the sum, and its prose", "| 12,726 |" in page and page.startswith("prose\n")
                  and page.endswith("end\n") and "old" not in page, page)

    def findings(self):
        fake = ("--program", self.fake)
        for behaviour in ("crash", "late"):
            status, text = self.run(behaviour, "copy", *fake)
            piece = self.pieces()[-1]
            executions = 17 if behaviour == "crash" else 4242
            self.test(f"a finding ({behaviour}) is counted and red", status == 1 and piece["executions"] == executions
                      and len(piece["findings"]) == 1, f"{piece}\n{text}")
        row = [row for row in campaign.sums(self.pieces()) if row["harness"] == "copy"]
        self.test("findings stay in the sum", row[0]["findings"] == 2, row)

    def together(self):
        """Two campaigns at once lose nothing of each other."""
        count = len(self.pieces())
        runs = [self.start("plain", name, "--program", self.fake) for name in ("writer", "view", "archive_round_trip")]
        texts = [run.communicate()[0] for run in runs]
        self.test("three at once make three entries", len(self.pieces()) == count + 3, texts)

    def staleness(self):
        self.test("the page is as the account has it", self.run("", "", "--check")[0] == 0)
        page = self.page.read_text(encoding="utf-8")
        self.page.write_text(page.replace("| view ", "| view  ", 1), encoding="utf-8")
        self.test("a page that says something else is red", self.run("", "", "--check")[0] == 1)
        self.page.write_text(page, encoding="utf-8")
        record = self.record.read_text(encoding="ascii")
        self.record.write_text(record.replace("4242", "4243", 1), encoding="ascii")
        self.test("an account that says something else is red", self.run("", "", "--check")[0] == 1)
        self.record.write_text(record, encoding="ascii")
        self.page.write_text("prose\n", encoding="utf-8")
        self.test("a page without a place for the tables is an error", self.run("", "", "--check")[0] == 2)
        self.page.write_text(page, encoding="utf-8")

    def turns(self):
        done = [{"harness": "header", "build": "-O2", "executions": 10**9, "seconds": 1, "cpu": 1, "every": 1,
                 "edges": [1, 1], "corpus": 1, "findings": []}]
        done.append(dict(done[0], harness="view", executions=5 * 10**7))
        times = campaign.shares(["header", "view", "copy"], done, "-O2", 90)
        self.test("time goes where it is missing", times == {"view": 30, "copy": 60}, times)

    def real(self, built):
        """A real harness, and as many inputs as are asked for."""
        status, text = self.run("", "name", "--program", (built / "name").resolve(), "--runs", 5000)
        self.test("5,000 runs of a harness are 5,000 executions",
                  status == 0 and self.pieces()[-1]["executions"] == 5000, text)
        bad = subprocess.run([built.resolve() / "view", str(self.fake)], env=dict(os.environ, SAFENPY_FUZZ_EVERY="x"),
                             capture_output=True, check=False)
        self.test("a harness refuses to check one input in x", bad.returncode != 0 and b"not a number" in bad.stderr,
                  bad.stderr)


def test_campaign(tally, tmp_path):
    """One account, which each step adds to."""
    test = Account(tmp_path, tally)
    test.counting()
    test.findings()
    test.together()
    test.staleness()
    test.turns()
    test.real(FUZZ.parent / "build" / "fuzz")
