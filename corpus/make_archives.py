"""Makes the archives of the suite (archives/), every file and their manifest, from the definitions in archive_cases/.

    python3 corpus/make_archives.py            # writes what differs
    python3 corpus/make_archives.py --check    # says what differs, and writes nothing

Needs Python 3.11 or later and nothing else. What NumPy says of the archives is in archives/observations.json, which
observe_archives.py writes.
"""

import hashlib
import sys

sys.dont_write_bytecode = True

import manifest  # noqa: E402
import names  # noqa: E402
from archive_cases import captured, dsl, ends, headers, members, near, statuses  # noqa: E402

FOLDER = manifest.CORPUS / "archives"
MANIFEST = FOLDER / "manifest.json"
OBSERVATIONS = FOLDER / "observations.json"
TOPICS = (captured, ends, headers, members, near)
VERSION = "0.2.0"
MOST_BYTES = 1 << 20            # of one archive
RULES = {**manifest.STATUS_RULES, **statuses.RULES}
FLAGS = {
    "strict": manifest.FLAGS["strict"],
    "zip-prefix": ("accept", "takes bytes in front of the first local header"),
    "zip-trailing": ("accept", "takes bytes behind the end record and its comment"),
    "zip-gaps": ("accept", "takes bytes between entries and in front of the directory"),
    "unsigned-descriptor": ("accept", "takes descriptors without a signature"),
}
FLAG_RULES = {"zip-prefix": "NPZ-PLACE-001", "zip-trailing": "NPZ-END-004", "zip-gaps": "NPZ-PLACE-003",
              "unsigned-descriptor": "NPZ-DESC-001"}


def all_cases():
    """Every case, each with the module that defines it."""
    dsl.CASES.clear()
    for topic in TOPICS:
        first = len(dsl.CASES)
        topic.cases()
        for case in dsl.CASES[first:]:
            case.maker = topic.__name__.replace(".", "/") + ".py"
    return dsl.CASES


def check_case(case):
    """What every case must keep."""
    assert case.id.split("/")[0] == case.verdict and case.reason.endswith("."), case.id
    assert len(case.data) <= MOST_BYTES, case.id
    assert bool(case.flags) == (case.verdict == "choice") and set(case.flags) <= set(FLAGS), case.id
    assert bool(case.error) == (case.verdict != "accept"), case.id
    assert bool(case.expect) == (case.verdict == "accept" or bool(case.options)), case.id


def expect_of(case):
    """What a reader says, as the manifest has it."""
    return {"members": [{**one, "array": names.of_expect(one["array"]) if one["array"] else None}
                        for one in case.expect["members"]]}


def record_of(case):
    """The manifest's record of a case."""
    rules = {*case.rules, *(FLAG_RULES[flag] for flag in case.flags if flag in FLAG_RULES)}
    if case.error:
        rules.add(RULES[case.error["status"]])
    record = {"id": case.id, "file": case.id + ".npz", "sha256": hashlib.sha256(case.data).hexdigest(), "format": "npz",
              "verdict": case.verdict, "flags": case.flags, "rules": sorted(rules), "reason": case.reason,
              "maker": case.maker}
    if case.expect:
        record["expect"] = expect_of(case)
    for key in ("error", "options", "danger", "load"):
        if getattr(case, key):
            record[key] = getattr(case, key)
    return record


def text_of(cases):
    """manifest.json: records sorted by id, with the observations merged in."""
    for case in cases:
        check_case(case)
    records = sorted(map(record_of, cases), key=lambda record: record["id"])
    manifest.check_unique(records)
    seen = manifest.read_json(OBSERVATIONS)
    for record in records:
        if record["id"] in seen:
            record["numpy"] = seen[record["id"]]
    used = {record["error"]["status"] for record in records if "error" in record}
    head = {
        "suite": "safenpy NPZ conformance suite", "version": VERSION, "license": "MIT",
        "flags": {name: {"declared": declared, "text": text} for name, (declared, text) in FLAGS.items()},
        "statuses": {status: rule for status, rule in RULES.items() if status in used},
    }
    lines = [f" {manifest.line(key)}: {manifest.line(value)}," for key, value in head.items()]
    return "{\n" + "\n".join(lines) + '\n "cases": [\n' + ",\n".join("  " + manifest.line(one) for one in records) + "\n ]\n}\n"


def files_there():
    """The paths of all archives, as the manifest names them."""
    return {path.relative_to(FOLDER).as_posix() for name in manifest.FOLDERS for path in (FOLDER / name).rglob("*")
            if path.is_file()}


def publish(wanted, text):
    """Writes what differs, and removes files that no case has."""
    for name, data in wanted.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            manifest.write_whole(path, data)
    manifest.write_whole(MANIFEST, text.encode("ascii"))
    for name in files_there() - set(wanted):
        (FOLDER / name).unlink()


def compare(wanted, text):
    """Where the suite as it stands is not what the definitions make."""
    there = files_there()
    problems = [f"{name}: no case makes this file" for name in sorted(there - set(wanted))]
    problems += [f"{name}: the file is missing" for name in sorted(set(wanted) - there)]
    problems += [f"{name}: other bytes than its definition makes" for name in sorted(there & set(wanted))
                 if (FOLDER / name).read_bytes() != wanted[name]]
    if not MANIFEST.exists() or MANIFEST.read_text(encoding="ascii") != text:
        problems.append("archives/manifest.json: not what the definitions make")
    return problems


def main():
    """Makes or checks the archives."""
    arguments = sys.argv[1:]
    if arguments not in ([], ["--check"]):
        sys.exit("usage: make_archives.py [--check]")
    cases = all_cases()
    wanted, text = {case.id + ".npz": case.data for case in cases}, text_of(cases)
    if not arguments:
        publish(wanted, text)
        print(f"{len(cases)} archives, {sum(map(len, wanted.values()))} bytes")
        return
    problems = compare(wanted, text)
    print("\n".join([*problems, f"{len(cases)} archives, {len(problems)} differences"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
