"""Holds the archives of the suite against their own rules, and the safenpy command against each of them.

    python3 tests/corpus/archives.py build/safenpy

For each archive the verdict of `check`, its status, rule, offset and member; what `info` says of what is accepted; and
the same under the flag of a choice. Also: schema, files and definitions belong together, every rule of spec/npz.md that
speaks of archives has a case, and every status that a case can have. The last line is `N passed, N failed`.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "corpus"), str(ROOT / "tests" / "corpus")]
sys.dont_write_bytecode = True

import make_archives  # noqa: E402
import suite  # noqa: E402
from archive_cases import statuses  # noqa: E402

FOLDER = ROOT / "corpus" / "archives"
BATCH = 200
TIMEOUT = 120
LEAST_CASES = 500
MOST_BYTES = 1 << 20

# Rules that no archive can show or break by itself: they speak of what a program does. tests/unit and tests/cli have them.
NO_CASE = {"NPZ-ERR-002", "NPZ-ERR-003", "NPZ-DATA-006", "NPZ-LIMIT-003", "NPZ-LIMIT-005"}
OTHER_GROUPS = ("NPZ-PATH-", "NPZ-WRITE-")


class Tally:
    """Counts what passed and prints what failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def result(self, title, problems):
        """Counts one test; it passed if there are no problems."""
        self.passed += not problems
        self.failed += bool(problems)
        if problems:
            print(f"FAILED {title}")
            print("".join(f"       {problem}\n" for problem in problems[:10]), end="")


# ---- What the command says ------------------------------------------------------------------------

def run(binary, command, options, paths):
    """One object a file, by path; and what went wrong."""
    words = [binary, command, "--json", *options, *map(str, paths)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    problems = suite.strict_json_problems(done.stdout)
    if done.returncode not in (0, 1):
        problems.append(f"exit status {done.returncode}; standard error: {done.stderr[-500:]!r}")
    return {answer["file"]: answer for answer in map(json.loads, done.stdout.splitlines())}, problems


def compare_error(error, answer):
    """What is wrong with the answer to an archive, or a member, that is to be refused."""
    got = {"status": answer.get("status"), "offset": answer.get("offset")}
    wanted = {key: error[key] for key in got}
    if answer.get("verdict") != "reject" or got != wanted:
        return [f"expected {wanted}, got {answer.get('verdict')} {got}"]
    rule = make_archives.RULES[error["status"]]
    return [] if answer.get("rule") == rule and answer.get("message") else [f"rule {answer.get('rule')}, not {rule}"]


def compare_check(record, answer, is_accepted):
    """What is wrong with an answer of `check`."""
    if answer is None:
        return ["no answer"]
    members = answer.get("members", [])
    if is_accepted and answer.get("format") != "npz":
        return [f"expected npz, got {answer.get('format')}"]
    if is_accepted:
        bad = [one for one in members if one["verdict"] != "accept"]
        return [f"refused: {bad}"] if answer.get("verdict") != "accept" or bad else []
    key = record["error"].get("member")
    if key is None:
        return compare_error(record["error"], answer)
    at_fault = [one for one in members if one["key"] == key]
    problems = [f"{one['key']}: refused too" for one in members if one["key"] != key and one["verdict"] != "accept"]
    if answer.get("verdict") != "reject" or len(at_fault) != 1 or len(members) < 2:
        return [*problems, f"expected a refusal of {key}, got {answer}"]
    return problems + compare_error(record["error"], at_fault[0])


def compare_member(wanted, got):
    """What is wrong with a member in an answer of `info`."""
    said = {key: wanted[key] for key in ("name", "key", "method", "size")}
    said["format"] = "npy" if wanted["array"] else None
    for key in ("descr", "shape", "fortran_order", "data_offset"):
        if wanted["array"]:
            said[key] = wanted["array"][key]
    return [f"{wanted['name']!r}: {key}: expected {value!r}, got {got.get(key)!r}" for key, value in said.items()
            if got.get(key) != value or isinstance(value, bool) != isinstance(got.get(key), bool)]


def compare_info(record, answer):
    """What is wrong with an answer of `info` about an archive that is accepted."""
    wanted = record["expect"]["members"]
    got = (answer or {}).get("members")
    if got is None or answer.get("format") != "npz" or len(got) != len(wanted):
        return [f"expected {len(wanted)} members, got {answer}"]
    size = (FOLDER / record["file"]).stat().st_size
    problems = [] if answer.get("file_size") == size else [f"file_size {answer.get('file_size')}, not {size}"]
    return problems + [problem for one, other in zip(wanted, got) for problem in compare_member(one, other)]


def hold(binary, records, options, is_accepted, tally):
    """Holds the command against some archives, all with the same options."""
    for start in range(0, len(records), BATCH):
        part = records[start:start + BATCH]
        paths = [FOLDER / record["file"] for record in part]
        for command in ("check", "info") if is_accepted else ("check",):
            answers, problems = run(binary, command, options, paths)
            tally.result(f"{command} {options}", problems)
            for record, path in zip(part, paths):
                answer = answers.get(str(path))
                found = compare_check(record, answer, is_accepted) if command == "check" else compare_info(record, answer)
                tally.result(f"{record['id']}: {command} {' '.join(options)}", found)


# ---- The suite itself -----------------------------------------------------------------------------

def schema_problems():
    """The manifest against its schema."""
    for python in (sys.executable, suite.DEBIAN_PYTHON):
        if suite.has_jsonschema(python):
            words = [python, "-W", "ignore", "-c", suite.VALIDATE, FOLDER / "manifest.schema.json", FOLDER / "manifest.json"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            return done.stdout.splitlines() + (done.stderr.splitlines()[-1:] if done.returncode else [])
    return ["no Python has jsonschema; on Debian: apt-get install python3-jsonschema"]


def file_problems(records):
    """Every archive has one record with its digest, and is small."""
    there, problems = make_archives.files_there(), []
    problems += [f"{name}: no record" for name in sorted(there - {record["file"] for record in records})]
    for record in records:
        path = FOLDER / record["file"]
        data = path.read_bytes() if path.is_file() else b""
        if len(data) > MOST_BYTES or hashlib.sha256(data).hexdigest() != record["sha256"]:
            problems.append(f"{record['file']}: missing, larger than 1 MiB or with another SHA-256")
    return problems if len(records) >= LEAST_CASES else [*problems, f"only {len(records)} archives"]


def coverage_problems(manifest):
    """Every rule has a case, every status one that is refused with it, and every case names rules that exist."""
    known = {rule for name in ("npy", "npz") for rule in re.findall(
        r"^#### (NP[YZ]-[A-Z]+-\d{3})$", (ROOT / "spec" / f"{name}.md").read_text(encoding="utf-8"), re.M)}
    named = {rule for record in manifest["cases"] for rule in record["rules"]}
    wanted = {rule for rule in known if rule.startswith("NPZ-") and not rule.startswith(OTHER_GROUPS)} - NO_CASE
    problems = [f"{rule}: no case names it" for rule in sorted(wanted - named)]
    problems += [f"{rule}: no rule of the specification" for rule in sorted(named - known)]
    return problems + [f"{status}: no archive is refused with it" for status in statuses.RULES
                       if status not in manifest["statuses"]]


def definition_problems():
    """Every archive and the manifest are, byte for byte, what the definitions make."""
    done = subprocess.run([sys.executable, "-B", str(ROOT / "corpus" / "make_archives.py"), "--check"],
                          capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()[-20:] if done.returncode else []


def observation_problems(records):
    """NumPy was asked about every archive; a `reject` that some NumPy accepts names the danger, and no other does."""
    problems = []
    for record in records:
        said = set(record.get("numpy", {}).values())
        if not said:
            problems.append(f"{record['id']}: NumPy was not asked")
        if record["verdict"] == "reject" and ("accept" in said) != ("danger" in record):
            problems.append(f"{record['id']}: NumPy says {record['numpy']}, danger is {record.get('danger')}")
        if record["verdict"] == "accept" and "reject" in said:
            problems.append(f"{record['id']}: some NumPy refuses it: {record['numpy']}")
        if record["flags"] and "accept" not in said and record["flags"] != ["zip-prefix"]:
            problems.append(f"{record['id']}: a choice that no NumPy accepts")
    return problems


def main():
    """Runs everything."""
    if len(sys.argv) != 2:
        sys.exit("usage: archives.py SAFENPY")
    binary, tally = str(Path(sys.argv[1]).resolve()), Tally()
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="ascii"))
    records = manifest["cases"]
    tally.result("the manifest keeps its schema", schema_problems())
    tally.result("files and records belong together", file_problems(records))
    tally.result("every rule and every status has its case", coverage_problems(manifest))
    tally.result("the definitions make these bytes", definition_problems())
    tally.result("NumPy was asked", observation_problems(records))
    hold(binary, [record for record in records if record["verdict"] == "accept"], [], True, tally)
    hold(binary, [record for record in records if "error" in record], [], False, tally)
    for flag in sorted({record["options"][1] for record in records if "options" in record}):
        hold(binary, [record for record in records if record.get("options", ["", ""])[1] == flag], ["--compat", flag], True,
             tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
