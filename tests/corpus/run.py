"""Holds the safenpy command against every case of the corpus. Standard library only.

    python3 tests/corpus/run.py build/safenpy

For each case: the file's SHA-256; the verdict of `check`, its status, rule and offset; what `info`
says about an accepted file; the other options that the manifest names for it; the canonical profile
on what NumPy's own writer made. Then truncations of one header at every byte. Prints each failure in
detail and `N passed, N failed` at the end; the exit status is 1 if anything failed.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
sys.path.insert(0, str(CORPUS))
sys.dont_write_bytecode = True

from manifest import STATUS_RULES  # noqa: E402

BATCH = 400              # files a process
TIMEOUT = 120            # seconds a process
CANONICAL = ["--profile", "canonical"]
MAGIC = b"\x93NUMPY"


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

    def __init__(self, command, options, path, title, expect=None, error=None, choices=None):
        self.command = command
        self.options = options
        self.path = Path(path)
        self.title = f"{title}: {' '.join([command, *options])}"
        self.expect = expect          # accepted, with these values
        self.errors = choices or ([error] if error else [])   # refused, with one of these


# ---- Running the command --------------------------------------------------------------------------

def run_batch(binary, tests):
    """Runs one subcommand over the files of `tests`; one object (or None) a test, and what went wrong."""
    command = [binary, tests[0].command, "--json", *tests[0].options, *[str(test.path) for test in tests]]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return [None] * len(tests), [f"no answer within {TIMEOUT} s"]
    problems = []
    refused = any(test.errors for test in tests)
    if done.returncode != (1 if refused else 0):
        problems.append(f"exit status {done.returncode}; standard error: {done.stderr[-500:]!r}")
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
    wanted = " or ".join(f"{error['status']} at {error['offset']}" for error in test.errors)
    problems = []
    if answer.get("verdict") != "reject" or got not in test.errors:
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
    if not isinstance(answer.get("notes"), list):
        return ["notes is no array"]
    if trailing(test) and not answer["notes"]:
        return [f"{trailing(test)} trailing bytes and no note"]
    return []


def trailing(test):
    """Bytes behind the data; None for objects, whose data are the rest of the file."""
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
    problems = [f"{key}: expected {wanted!r}, got {answer.get(key)!r}" for key, wanted in sorted(expect.items())
                if key not in answer or answer[key] != wanted or isinstance(answer[key], bool) != isinstance(wanted, bool)]
    return problems + compare_fields(fields, answer.get("fields") or [])


def compare_fields(wanted, got):
    """The fields of a record, in order."""
    if len(wanted) != len(got):
        return [f"expected {len(wanted)} fields, got {len(got)}"]
    problems = []
    for number, (field, answer) in enumerate(zip(wanted, got)):
        for key, value in sorted(field.items()):
            if key not in answer or answer[key] != value:
                problems.append(f"field {number} {key}: expected {value!r}, got {answer.get(key)!r}")
    return problems


# ---- What is to be tested -------------------------------------------------------------------------

def tests_of(record):
    """All tests of one case."""
    path, title = CORPUS / record["file"], record["id"]
    accepted = record["verdict"] == "accept"
    tests = []
    for command in ("check", "info"):
        if accepted:
            tests.append(Test(command, [], path, title, expect=record["expect"]))
        else:
            tests.append(Test(command, [], path, title, error=record["error"]))
            if "expect" in record:
                tests.append(Test(command, record["options"], path, title, expect=record["expect"]))
    for other in record.get("refused_with", []):
        tests.append(Test("check", other["options"], path, title, error=other["error"]))
    if record.get("canonical"):
        options = CANONICAL + record.get("options", [])
        tests.append(Test("check", options, path, title, expect=record["expect"]))
    return tests


def check_sum(record):
    """What is wrong with the file itself."""
    path = CORPUS / record["file"]
    if not path.is_file():
        return ["the file is missing"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return [] if digest == record["sha256"] else [f"SHA-256 is {digest}, the manifest says {record['sha256']}"]


def truncations(folder):
    """One small file of each version, cut at every byte."""
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }".ljust(63) + b"\n"
    tests = []
    for major in (1, 2, 3):
        prefix = MAGIC + bytes((major, 0)) + len(text).to_bytes(2 if major == 1 else 4, "little")
        whole = prefix + text + bytes(16)
        for length in range(len(whole)):
            path = folder / f"cut-{major}-{length}.npy"
            path.write_bytes(whole[:length])
            status = ("SNPY_TRUNCATED_PREFIX" if length < len(prefix) else
                      "SNPY_TRUNCATED_HEADER" if length < len(prefix) + len(text) else "SNPY_TRUNCATED_DATA")
            tests.append(Test("check", [], path, f"version {major}.0 cut at {length}",
                              error={"status": status, "offset": length}))
    return tests


def short_texts(folder):
    """One header whose length is too small: the text ends at every byte of the dictionary.

    Inside a key or inside True or False the word itself is wrong as well, at its first byte."""
    text = b"{'descr': [('a', '<f8', (2, 3))], 'fortran_order': False, 'shape': (2L, 3), }"
    words = {b"'descr'": "SNPY_UNKNOWN_KEY", b"'fortran_order'": "SNPY_UNKNOWN_KEY", b"'shape'": "SNPY_UNKNOWN_KEY",
             b"False": "SNPY_BAD_FORTRAN_ORDER"}
    tests = []
    for length in range(len(text)):
        path = folder / f"short-{length}.npy"
        path.write_bytes(MAGIC + b"\x01\x00" + length.to_bytes(2, "little") + text)
        choices = [{"status": "SNPY_UNEXPECTED_END", "offset": 10 + length}]
        for word, status in words.items():
            start = text.index(word)
            if start < length < start + len(word):
                choices.append({"status": status, "offset": 10 + start})
        tests.append(Test("check", [], path, f"text of {length} bytes", choices=choices))
    return tests


def main():
    """Runs everything."""
    if len(sys.argv) != 2:
        sys.exit("usage: run.py SAFENPY")
    binary = str(Path(sys.argv[1]).resolve())
    records = json.loads((CORPUS / "manifest.json").read_text(encoding="ascii"))["cases"]
    tally = Tally()
    sound = []
    for record in records:
        problems = check_sum(record)
        tally.result(f"{record['id']}: SHA-256", problems)
        if not problems:
            sound.append(record)
    tests = [test for record in sound for test in tests_of(record)]
    with tempfile.TemporaryDirectory() as folder:
        tests += truncations(Path(folder)) + short_texts(Path(folder))
        run_tests(binary, tests, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
