"""What the suite itself must keep: its schema, its files, its coverage of the rules.

Needs jsonschema besides the standard library. run.py calls `problems_of_suite`,
each entry of whose result is (title, list of problems).
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
MAX_BYTES = 8 << 20
LONE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
SURROGATE = re.compile("[\ud800-\udfff]")
LEAST_CASES = 1700
DEBIAN_PYTHON = "/usr/bin/python3"

# Rules that no file can show or break: they speak of what a program does with its input, its limits or its output.
NO_POSITIVE = {"NPY-ERR-001", "NPY-DATA-004"}
NO_NEGATIVE = {"NPY-DATA-004", "NPY-WRITE-002", "NPY-WRITE-005", "NPY-WRITE-006", "NPY-WRITE-007", "NPY-WRITE-011"}

VALIDATE = """
import json, sys
import jsonschema
schema, manifest = (json.load(open(path, encoding="ascii")) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for error in list(validator.iter_errors(manifest))[:20]:
    print("/".join(map(str, error.absolute_path)), error.message[:300])
"""


def has_jsonschema(python):
    """Whether an interpreter is there and can import jsonschema."""
    try:
        done = subprocess.run([python, "-c", "import jsonschema"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def schema_problems():
    """The manifest against its schema, with whichever Python has jsonschema."""
    for python in (sys.executable, DEBIAN_PYTHON):
        if has_jsonschema(python):
            done = subprocess.run([python, "-W", "ignore", "-c", VALIDATE, str(CORPUS / "manifest.schema.json"),
                                   str(CORPUS / "manifest.json")], capture_output=True, text=True, check=False)
            return done.stdout.splitlines() + (done.stderr.splitlines()[-1:] if done.returncode else [])
    return ["no Python has jsonschema; on Debian: apt-get install python3-jsonschema"]


def strict_json_problems(raw):
    """Why a strict parser would refuse a text, or read it otherwise: half of a surrogate pair, or what jq says."""
    lone = LONE.findall(raw.replace(rb"\\", b""))[:5]
    problems = [f"half of a surrogate pair: {lone}"] if lone else []
    if shutil.which("jq"):
        done = subprocess.run(["jq", "-c", "."], input=raw, capture_output=True, check=False)
        problems += [f"jq: {done.stderr[:300]!r}"] if done.returncode else []
    return problems


def names_problems(records):
    """A name with U+FFFD for a surrogate has its code points beside it, and no other name has."""
    problems = []
    fields = [(record["id"], field) for record in records for field in record.get("expect", {}).get("fields", [])]
    for name, field in fields:
        for key in ("name", "title", "path"):
            exact, said = field.get(f"{key}_code_points"), field[key]
            if exact is None:
                continue
            pairs = zip(exact, said, strict=True) if key == "path" else [(exact, said)]
            pairs = [("".join(map(chr, codes)), text) for codes, text in pairs]
            if not any(map(SURROGATE.search, (codes for codes, _ in pairs))):
                problems.append(f"{name}: {key}_code_points without need")
            problems += [f"{name}: {key} is not {key}_code_points" for codes, text in pairs
                         if SURROGATE.sub("\ufffd", codes) != text]
    there = sum("name_code_points" in field for _, field in fields)
    return problems if there >= 10 else [*problems, f"only {there} names have code points"]


def file_problems(records):
    """Every file has one record with its digest, every record its file, and all are small."""
    problems, there, size = [], set(), 0
    for folder in ("accept", "reject", "choice"):
        there |= {path.relative_to(CORPUS).as_posix() for path in (CORPUS / folder).rglob("*") if path.is_file()}
    named = {record["file"] for record in records}
    problems += [f"{name}: no record" for name in sorted(there - named)]
    problems += [f"{name}: no file" for name in sorted(named - there)]
    for record in records:
        if record["file"] in there:
            data = (CORPUS / record["file"]).read_bytes()
            size += len(data)
            if hashlib.sha256(data).hexdigest() != record["sha256"]:
                problems.append(f"{record['file']}: another SHA-256 than its record")
    if size > MAX_BYTES:
        problems.append(f"all files together have {size} bytes, more than {MAX_BYTES}")
    return problems


def record_problems(records):
    """What one record cannot say by itself: uniqueness, and ids that agree with files and verdicts."""
    problems = [] if len(records) >= LEAST_CASES else [f"{len(records)} cases, fewer than {LEAST_CASES}"]
    for key in ("id", "file", "sha256"):
        counts = Counter(record[key] for record in records)
        problems += [f"{value}: {key} stands twice" for value in sorted(counts) if counts[value] > 1]
    for record in records:
        if record["file"] != record["id"] + ".npy" or record["id"].split("/")[0] != record["verdict"]:
            problems.append(f"{record['id']}: id, file and verdict do not agree")
    if [record["id"] for record in records] != sorted(record["id"] for record in records):
        problems.append("the records are not sorted by id")
    return problems


def definition_problems():
    """Every file and the manifest are, byte for byte, what the definitions make."""
    done = subprocess.run([sys.executable, "-B", str(CORPUS / "make.py"), "--check"], capture_output=True,
                          text=True,
                          check=False)
    if done.returncode:
        return (done.stdout + done.stderr).splitlines()[-20:]
    return []


def readme_problems(records):
    """The README names the totals that are true."""
    text = (CORPUS / "README.md").read_text(encoding="utf-8")
    counts = Counter(record["verdict"] for record in records)
    wanted = [f"{len(records):,} small files"] + [f"| `{verdict}/` | {counts[verdict]:,} |"
                                                  for verdict in sorted(counts)]
    return [f"README.md does not say: {words}" for words in wanted if words not in text]


READER = """
import json
VERDICTS = {"corpus/" + case["file"]: case["verdict"] for case in json.load(open("corpus/manifest.json"))["cases"]}
SAID = {"corpus/accept/numpy/dtype/le-f8.npy": "reject", "corpus/accept/numpy/dtype/le-c8.npy": "unsupported",
        "corpus/reject/frame/empty.npy": "accept"}
def my_reader_says(path):
    return SAID.get(path, VERDICTS[path] if VERDICTS[path] != "choice" else "accept")
"""


def snippet_problems():
    """The few lines of the README go through all cases, name each wrong one, and let 'unsupported' be."""
    snippet = re.search(r"```python\n(.*?)```", (CORPUS / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", READER + snippet], capture_output=True, text=True,
                          cwd=ROOT, check=False)
    wrong = [line.split(": ")[:2] for line in done.stdout.splitlines()]
    wanted = [["accept/numpy/dtype/le-f8", "reject, not accept"], ["reject/frame/empty", "accept, not reject"]]
    return [] if (done.returncode, wrong) == (0, wanted) else [f"{wrong}, not {wanted}", done.stderr[-300:]]


def version_problems():
    """README and specification name the NumPys that were asked, and no others."""
    seen = json.loads((CORPUS / "observations.json").read_text(encoding="ascii"))
    asked = sorted({version for versions in seen.values() for version in versions}, key=lambda text: [
        int(part) for part in text.split(".")])
    wanted = "NumPy " + ", ".join(asked[:-1]) + " and " + asked[-1]
    texts = {path: " ".join((ROOT / path).read_text(encoding="utf-8").split())
             for path in ("corpus/README.md", "spec/npy.md")}
    return [f"{path} does not say: {wanted}" for path, text in texts.items() if wanted not in text]


# ---- Coverage of the rules ------------------------------------------------------------------------

def rules_of_spec():
    """The IDs of all rules of spec/npy.md."""
    text = (ROOT / "spec" / "npy.md").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^#### (NPY-[A-Z]+-\d{3})$", text, re.M)))


def is_about_writing(rule):
    """Whether a rule says what a writer writes: then the canonical profile tells good files from others."""
    return rule.startswith(("NPY-CANON-", "NPY-WRITE-")) or rule in ("NPY-HDR-006", "NPY-HDR-007")


def shows(record, rule):
    """Whether a record is a file that keeps a rule."""
    if rule not in record["rules"] or "expect" not in record:
        return False
    return not is_about_writing(rule) or record.get("canonical") or record.get("rewrite", False)


def breaks(record, rule, statuses):
    """Whether a record is a file that breaks a rule."""
    if rule not in record["rules"]:
        return False
    if record["verdict"] != "accept":
        return True
    if is_about_writing(rule):
        return not record["canonical"]
    return any(statuses[other["error"]["status"]] == rule for other in record.get("refused_with", []))


def coverage_problems(manifest):
    """Every rule has a file that keeps it and one that breaks it, and every case names rules that exist."""
    rules, records = rules_of_spec(), manifest["cases"]
    problems = [] if len(rules) > 100 else [f"only {len(rules)} rules found in spec/npy.md"]
    for rule in rules:
        if rule not in NO_POSITIVE and not any(shows(record, rule) for record in records):
            problems.append(f"{rule}: no file keeps it")
        if rule not in NO_NEGATIVE and not any(breaks(record, rule, manifest["statuses"]) for record in records):
            problems.append(f"{rule}: no file breaks it")
    seen = {error["status"] for record in records
            for error in [record.get("error"), *(other["error"] for other in record.get("refused_with", []))]
            if error}
    problems += [f"{status}: no file is refused with it" for status in manifest["statuses"] if status not in seen]
    for record in records:
        problems += [f"{record['id']}: {rule} is no rule of spec/npy.md" for rule in record["rules"]
                     if rule not in rules]
        if not record["rules"]:
            problems.append(f"{record['id']}: names no rule")
    return problems


def problems_of_suite():
    """All checks of the suite itself: [(title, problems)]. The two that are programs run side by side."""
    manifest = json.loads((CORPUS / "manifest.json").read_text(encoding="ascii"))
    records = manifest["cases"]
    with ThreadPoolExecutor(2) as pool:
        schema, definitions = pool.submit(schema_problems), pool.submit(definition_problems)
        return [
            ("files and records belong together", file_problems(records)),
            ("records are unique and agree with themselves", record_problems(records)),
            ("the README names the totals", readme_problems(records)),
            ("the lines of the README do what they say", snippet_problems()),
            ("README and specification name the NumPys that were asked", version_problems()),
            ("every rule has its cases", coverage_problems(manifest)),
            ("every parser of JSON reads the manifest", strict_json_problems((CORPUS / "manifest.json").read_bytes())),
            ("names that strings cannot say have code points", names_problems(records)),
            ("the manifest keeps its schema", schema.result()),
            ("the definitions make these bytes", definitions.result()),
        ]
