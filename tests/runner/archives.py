"""Tests of the runner on archives: answers about members, adapters that lie about them, the committed results."""

import copy
import json
import subprocess
import sys
from pathlib import Path

from npy_conformance import outcome
from npy_conformance.answer import ProtocolError, check_answer
from npy_conformance.compare import judge
from npy_conformance.declaration import of_profile
from npy_conformance.manifest import Suite

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "corpus" / "archives"

# An adapter that knows the manifest and says of each file what it expects, changed in one place.
LIAR = '''
import hashlib, json, sys
def answer(path):
    digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
    case = next(case for case in CASES if case["sha256"] == digest)
    if "expect" not in case or case["flags"]:
        return {"verdict": "reject"}
    members = case["expect"]["members"]
    CHANGE
    return {"verdict": "accept", "members": members}
CASES = json.load(open(MANIFEST))["cases"]
if LINES:
    for line in sys.stdin:
        said = json.loads(line)
        if said["cmd"] == "stop":
            break
        print(json.dumps({"protocol": 1, "implementation": "liar", "version": "1", "language": "Python"}
                         if said["cmd"] == "start" else {"seq": said["seq"], **answer(said["file"])}), flush=True)
else:
    print(json.dumps(answer(sys.argv[1])))
'''
# (what is changed, the outcome of accept/crc/right, words of its detail)
LIES = (
    ("pass", outcome.PASS, ""),
    ("members.pop()", outcome.WRONG_VALUE, "members: expected 2, got 1"),
    ("members[0]['array'] = None; members.pop()", outcome.WRONG_VALUE, "members: expected 2, got 1"),
    ("members.reverse()", outcome.WRONG_VALUE, "members[0].name"),
    ("members[1]['key'] = 'z'", outcome.WRONG_VALUE, 'members[1].key: expected "y", got "z"'),
    ("members[0]['method'] = 'deflated'", outcome.WRONG_VALUE, "members[0].method"),
    ("members[0]['size'] += 1", outcome.WRONG_VALUE, "members[0].size: expected 328, got 329"),
    ("members[0]['sha256'] = '0' * 64", outcome.WRONG_VALUE, "members[0].sha256"),
    ("members[0]['array'] = None", outcome.WRONG_VALUE, "members[0].array"),
    ("members[1]['array']['shape'] = [49]", outcome.WRONG_VALUE, "members[1].array.shape: expected [50], got [49]"),
    ("members[1]['array']['descr'] = '<u4'", outcome.WRONG_VALUE, "members[1].array.descr"),
    ("members[1]['array']['elements_sha256'] = '0' * 64", outcome.WRONG_VALUE, "members[1].array.elements_sha256"),
    ("members[1]['array']['itemsize'] = 4.0", outcome.PROTOCOL, "members[1].array.itemsize cannot be 4.0"),
    ("members[1]['array']['members'] = []", outcome.PROTOCOL, 'the key "members[1].array.members" is not of the protocol'),
    ("members[1]['crc'] = 1", outcome.PROTOCOL, 'the key "members[1].crc" is not of the protocol'),
    ("members[1] = 1", outcome.PROTOCOL, "members[1] cannot be 1"),
    ("members = {}", outcome.PROTOCOL, "members cannot be {}"),
    ("return {'verdict': 'reject', 'members': []}", outcome.PROTOCOL, 'the key "members" is not of the protocol'),
    ("return {'verdict': 'reject'}", outcome.WRONG_REJECT, ""),
)


def answers(tally, safenpy, folder):
    """What the manifest expects is a right answer, whole or in part; every other value in it is a wrong one."""
    suite = Suite(SUITE)
    declaration = of_profile(suite, "standard")
    good = [case for case in suite.cases if case.verdict == "accept"]
    tally.true("there are archives to accept", len(good) > 100, len(good))
    for case in good:
        whole = {"verdict": "accept", "members": case.expect["members"]}
        tally.same(f"{case.id}: what is expected", judge(case, declaration, check_answer(copy.deepcopy(whole))).outcome,
                   outcome.PASS)
        part = {"verdict": "accept", "members": [{} for _ in case.expect["members"]]}
        tally.same(f"{case.id}: nothing of members", judge(case, declaration, check_answer(part)).outcome, outcome.PASS)
        part["members"].append({})
        tally.same(f"{case.id}: one more", judge(case, declaration, check_answer(part)).outcome, outcome.WRONG_VALUE)
    broken = {"verdict": "accept", "members": [{"array": {"fields": [1]}}]}
    try:
        check_answer(broken)
        tally.test("fields of an array in an archive are read strictly", "they are let pass")
    except ProtocolError as error:
        tally.true("fields of an array in an archive are read strictly", "members[0].array.fields[0]" in str(error), error)


def outcomes_of(arguments, folder):
    """{case: outcome and detail} of a run, and its exit status."""
    report = folder / "report.json"
    call = [sys.executable, ROOT / "corpus" / "run", "--suite", SUITE, "--jobs", "1", "--json", report, *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if not report.exists():
        return {}, f"{done.returncode}: {done.stderr[-500:]}"
    found = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    return found, done.returncode


def lies(tally, safenpy, folder):
    """A liar at both levels."""
    for level in ("json", "lines"):
        for number, (change, wanted, words) in enumerate(LIES):
            path = folder / f"liar-{level}-{number}.py"
            path.write_text(LIAR.replace("CHANGE", change).replace("MANIFEST", repr(str(SUITE / "manifest.json")))
                            .replace("LINES", str(level == "lines")), encoding="utf-8")
            found, status = outcomes_of(["--impl", f"{sys.executable} {path}", "--level", level, "--only", "accept/crc/right"],
                                        folder)
            text = json.dumps(found)
            tally.same(f"{level}: {change}: exit status", status, 0 if wanted == outcome.PASS else 1)
            tally.true(f"{level}: {change}: {wanted}", f'"{wanted}"' in text and json.dumps(words)[1:-1] in text, text[:2000])


def adapters(tally, safenpy, folder):
    """The adapters that need no network."""
    found, status = outcomes_of(["--impl", "safenpy", "--safenpy", str(safenpy), "--build", str(folder / "build")], folder)
    tally.same("safenpy says of every archive and member what it should", status, 0)
    cases = len(json.loads((SUITE / "manifest.json").read_text(encoding="utf-8"))["cases"])
    tally.true("of all of them", cases > 500 and f'"pass": {cases}' in json.dumps(found), json.dumps(found)[:500])
    found, status = outcomes_of(["--impl", "zipfile", "--only", "accept/written/*", "--build", str(folder / "build")], folder)
    tally.same("zipfile reads what others wrote", status, 0)
    found, status = outcomes_of(["--impl", "zipfile", "--only", "reject/*", "--build", str(folder / "build")], folder)
    tally.true("and believes lies", status == 1 and '"wrong-accept"' in json.dumps(found), status)
    for level, command in (("exit", f"{safenpy} check -q --npz"),):
        found, status = outcomes_of(["--impl", command, "--level", level, "--profile", "standard"], folder)
        tally.same("the bare command, too", status, 0)


def committed(tally, safenpy, folder):
    """The committed results and the table are those of this suite."""
    suite = Suite(SUITE)
    names = sorted(path.parent.name for path in (SUITE / "adapters").glob("*/adapter.json"))
    tally.same("a result for each adapter", sorted(path.stem for path in (SUITE / "results").glob("*.json")), names)
    for name in names:
        result = json.loads((SUITE / "results" / f"{name}.json").read_text(encoding="utf-8"))
        own = json.loads((SUITE / "adapters" / name / "adapter.json").read_text(encoding="utf-8"))
        tally.same(f"{name}: of this manifest", result["manifest_sha256"], suite.digest)
        tally.same(f"{name}: all cases", sum(result["totals"].values()), len(suite.cases))
        tally.same(f"{name}: as the adapter declares", result["declares"], own["declares"] and sorted(own["declares"]))
        tally.same(f"{name}: no problem", result["problems"], [])
    done = subprocess.run([sys.executable, SUITE / "make_table.py", "--check"], capture_output=True, text=True, check=False)
    tally.test("the table of archives is up to date", done.stderr if done.returncode else "")


PARTS = (answers, lies, adapters, committed)
