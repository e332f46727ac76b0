"""What becomes of each accepted case of the suite when its values are written again (NPY-PKL-028 to 030), and when it is flattened
(NPY-PKL-031 to 034): digests, for who writes such files with another program.

    python3 corpus/objects/plain.py SAFENPY             # writes plain.json
    python3 corpus/objects/plain.py SAFENPY --check     # says what differs, and writes nothing
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PLAIN = FOLDER / "plain.json"


def digest(data):
    return hashlib.sha256(data).hexdigest()


def convert(safenpy, *words):
    """Converts: the rule that refuses, or None."""
    done = subprocess.run([safenpy, "convert", *words], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    assert done.returncode == 1, done.stderr
    return done.stderr.partition("[")[2].partition("]")[0]


def case_of(safenpy, case, place):
    """The digests of a case: of the NPY file that is disarmed, and of what sha256sum prints of the members of the flat archive."""
    data = FOLDER / case["file"]
    made = {"id": case["id"]}
    refused = convert(safenpy, "--disarm", data, place / "disarmed.npy")
    made["disarmed"] = refused or digest((place / "disarmed.npy").read_bytes())
    refused = convert(safenpy, "--flatten", data, place / "flat.npz")
    if refused:
        return {**made, "flat": refused}
    with zipfile.ZipFile(place / "flat.npz") as archive:
        lines = "".join(f"{digest(archive.read(name))}  {name}\n" for name in sorted(archive.namelist()))
    return {**made, "flat": digest(lines.encode())}


def text_of(safenpy):
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    accepted = [case for case in cases if case["verdict"] == "accept" and "options" not in case]
    with tempfile.TemporaryDirectory() as place:
        lines = [json.dumps(case_of(safenpy, case, Path(place))) for case in accepted]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    made = text_of(sys.argv[1])
    if sys.argv[2:]:
        differ = [new for new, old in zip(made.splitlines(), PLAIN.read_text(encoding="utf-8").splitlines(), strict=False) if new != old]
        print(*differ, f"{len(made.splitlines()) - 2} cases, {len(differ)} differ", sep="\n")
        sys.exit(bool(differ) or made != PLAIN.read_text(encoding="utf-8"))
    PLAIN.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
