"""Holds the suite against its own rules, and the safenpy command against every case of it.

    python3 tests/corpus/run.py build/safenpy

First suite.py: schema, files, definitions, coverage of the rules; needs jsonschema (Debian: python3-jsonschema).
Then for each case: the verdict of `check`, its status, rule and offset; what `info` says about an accepted
file; the other options that the manifest names for it; the canonical profile on what is canonical; and
every compatibility flag at once on what is accepted without them. Last, one_fault.py: a refused file has
one fault. Prints each failure in detail and `N passed, N failed` at the end; the exit status is 1 if
anything failed.
"""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(CORPUS))
sys.dont_write_bytecode = True

import one_fault  # noqa: E402
import suite  # noqa: E402
from manifest import STATUS_RULES  # noqa: E402

BATCH = 400              # files a process
TIMEOUT = 120            # seconds a process
CANONICAL = ["--profile", "canonical"]
ALL_FLAGS = ["--compat", "all"]


class Tally:
    """Counts what passed and prints what failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def result(self, title, problems):
        """Counts one test; it passed if there are no problems."""
        if not problems:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED {title}")
        for problem in problems:
            print(f"       {problem}")


class Test:
    """One file, one subcommand with its options, and what must come out."""

    def __init__(self, command, options, path, title, expect=None, errors=()):
        self.command = command
        self.options = options
        self.path = Path(path)
        self.title = f"{title}: {' '.join([command, *options])}"
        self.expect = expect          # accepted, with these values
        self.errors = errors          # refused, with one of these


# ---- Running the command --------------------------------------------------------------------------

def run_batch(binary, tests):
    """Runs one subcommand over the files of `tests`; one object (or None) a test, and what went wrong."""
    command = [binary, tests[0].command, "--json", "--npy", *tests[0].options, *[str(test.path) for test in tests]]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return [None] * len(tests), [f"no answer within {TIMEOUT} s"]
    problems = []
    refused = any(test.errors for test in tests)
    if done.returncode != (1 if refused else 0):
        problems.append(f"exit status {done.returncode}; standard error: {done.stderr[-500:]!r}")
    problems += suite.strict_json_problems(done.stdout)
    answers = {}
    for line in done.stdout.splitlines():
        try:
            answer = json.loads(line)
            answers[answer["file"]] = answer
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"not an object with a file: {line[:200]!r} ({error})")
    return [answers.get(str(test.path)) for test in tests], problems


def run_tests(binary, tests, tally):
    """Runs all tests, many files a process, and compares."""
    groups = {}
    for test in tests:
        groups.setdefault((test.command, tuple(test.options)), []).append(test)
    for group in groups.values():
        for start in range(0, len(group), BATCH):
            part = group[start:start + BATCH]
            answers, problems = run_batch(binary, part)
            if problems:
                tally.result(f"{part[0].command} {part[0].options} on {len(part)} files", problems)
            for test, answer in zip(part, answers):
                tally.result(test.title, compare(test, answer))


# ---- Comparing ------------------------------------------------------------------------------------

def compare(test, answer):
    """What is wrong with an answer; an empty list if nothing is."""
    if answer is None:
        return ["no answer"]
    if test.errors:
        return compare_refusal(test, answer)
    if test.command == "check":
        return compare_check(test, answer)
    return compare_info(test, answer)


def compare_refusal(test, answer):
    """A refusal: verdict, status, rule, offset and a message."""
    got = {"status": answer.get("status"), "offset": answer.get("offset")}
    problems = []
    if answer.get("verdict") != "reject" or got not in test.errors:
        wanted = " or ".join(f"{error['status']} at {error['offset']}" for error in test.errors)
        problems.append(f"expected {wanted}, got {answer.get('verdict')} {got['status']} at {got['offset']}")
    elif answer.get("rule") != STATUS_RULES[got["status"]]:
        problems.append(f"expected the rule {STATUS_RULES[got['status']]}, got {answer.get('rule')}")
    if not problems and not answer.get("message"):
        problems.append("no message")
    return problems


def compare_check(test, answer):
    """An acceptance: verdict and notes."""
    if answer.get("verdict") != "accept":
        return [f"expected accept, got {answer.get('verdict')} {answer.get('status')} at {answer.get('offset')}"]
    if (answer.get("format"), answer.get("version")) != ("npy", test.expect["version"]):
        return [f"expected npy {test.expect['version']}, got {answer.get('format')} {answer.get('version')}"]
    if not isinstance(answer.get("notes"), list):
        return ["notes is no array"]
    if trailing(test) and not answer["notes"]:
        return [f"{trailing(test)} trailing bytes and no note"]
    return []


def trailing(test):
    """Bytes after the data; None for objects, whose data are the rest of the file."""
    if test.expect["data_size"] is None:
        return None
    return test.path.stat().st_size - test.expect["data_offset"] - test.expect["data_size"]


def compare_info(test, answer):
    """What `info` reports about an accepted file."""
    expect = dict(test.expect)
    prefix = 10 if expect["version"] == "1.0" else 12
    expect.update({
        "format": "npy",
        "header_len": expect["data_offset"] - prefix,
        "file_size": test.path.stat().st_size,
        "aligned": expect["data_offset"] % 64 == 0,
        "trailing_bytes": trailing(test),
    })
    fields = expect.pop("fields", [])
    expect.pop("elements_sha256", None)      # info does not read the data
    problems = [f"{key}: expected {wanted!r}, got {answer.get(key)!r}" for key, wanted in sorted(expect.items())
                if key not in answer or answer[key] != wanted or isinstance(answer[key],
                                                                            bool) != isinstance(wanted, bool)]
    return problems + compare_fields(as_reported(fields), answer.get("fields") or [])


def as_reported(fields):
    """The fields of a case as `info` has them: the number of the parent in place of the path, and no type of a record."""
    around, made = {}, []
    for number, field in enumerate(fields):
        depth = len(field["path"])
        around[depth] = number
        one = {key: value for key, value in field.items() if not key.startswith("path")}
        made.append({**one, "parent": around.get(depth - 1), "descr": None if field["descr"][0] == "[" else field["descr"]})
    return made


def compare_fields(wanted, got):
    """The fields of a record, in order."""
    if len(wanted) != len(got):
        return [f"expected {len(wanted)} fields, got {len(got)}"]
    problems = []
    for number, (field, answer) in enumerate(zip(wanted, got)):
        for key in sorted(set(answer) - set(field)):
            problems.append(f"field {number} {key}: not expected, got {answer[key]!r}")
        for key, value in sorted(field.items()):
            if key not in answer or answer[key] != value:
                problems.append(f"field {number} {key}: expected {value!r}, got {answer.get(key)!r}")
    return problems


# ---- What is to be tested -------------------------------------------------------------------------

def tests_of(record):
    """All tests of one case."""
    path, title = CORPUS / record["file"], record["id"]
    accepted = "error" not in record         # also of a choice: bytes after the data
    tests = []
    for command in ("check", "info"):
        if accepted:
            tests.append(Test(command, [], path, title, expect=record["expect"]))
        else:
            tests.append(Test(command, [], path, title, errors=[record["error"]]))
            if "expect" in record:
                tests.append(Test(command, record["options"], path, title, expect=record["expect"]))
    tests.append(with_all_flags(record, path, title))
    for other in record.get("refused_with", []):
        tests.append(Test("check", other["options"], path, title, errors=[other["error"]]))
    if record.get("canonical"):
        options = CANONICAL + record.get("options", [])
        tests.append(Test("check", options, path, title, expect=record["expect"]))
    return tests


def with_all_flags(record, path, title):
    """All compatibility flags at once: what any flag accepts is accepted, and says the same; the rest is refused."""
    if "error" not in record or "--compat" in record.get("options", []):
        return Test("info", ALL_FLAGS, path, title, expect=record["expect"])
    others = [other["error"] for other in record.get("refused_with", []) if other["options"][0] == "--compat"]
    return Test("check", ALL_FLAGS, path, title, errors=others or [record["error"]])


def two_flags(folder):
    """NPY-COMPAT-012: a file with two deviations is refused under either flag alone, and accepted under both."""
    text = b"{'descr': '<f8', 'fortran_order': 1, 'shape': [0, 2], }"
    path = folder / "two-flags.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
    order = {"status": "SNPY_BAD_FORTRAN_ORDER", "offset": 10 + text.index(b"1")}
    shape = {"status": "SNPY_EXPECTED_SHAPE", "offset": 10 + text.index(b"[")}
    expect = {"version": "1.0", "descr": "<f8", "shape": [0, 2], "fortran_order": True, "itemsize": 8, "count": 0,
              "data_offset": 10 + len(text), "data_size": 0, "has_object": False}
    return [Test("check", [], path, "two deviations", errors=[order]),
            Test("check", ["--compat", "list-shape"], path, "two deviations", errors=[order]),
            Test("check", ["--compat", "int-fortran-order"], path, "two deviations", errors=[shape]),
            Test("info", ["--compat", "int-fortran-order,list-shape"], path, "two deviations", expect=expect)]


def main():
    """Runs everything."""
    if len(sys.argv) != 2:
        sys.exit("usage: run.py SAFENPY")
    binary = str(Path(sys.argv[1]).resolve())
    tally = Tally()
    records = json.loads((CORPUS / "manifest.json").read_text(encoding="ascii"))["cases"]
    tests = [test for record in records for test in tests_of(record)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
        of_suite = pool.submit(suite.problems_of_suite)
        run_tests(binary, tests + two_flags(Path(folder)), tally)
        for title, problems in one_fault.problems_of(binary, records, Path(folder)):
            tally.result(title, problems)
        for title, problems in of_suite.result():
            tally.result(title, problems)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
