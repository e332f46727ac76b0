"""What real picklers write: runs values.py under several interpreters, and keeps each payload once.

    python3 corpus/objects/written.py PYTHON …          # interpreters, each with NumPy; writes written.jsonl.xz

For Python 2.7 and for two NumPy versions beside each other, PYTHON may be a command: "env PYTHONPATH=DIR python2.7". The page
spec/objects.md names the versions that wrote the file that is here.
"""

import json
import lzma
import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
KEPT = FOLDER / "written.jsonl.xz"


def read():
    """Every payload: {"value", "hex", "by": [[python, numpy, pickler, protocol], …]}."""
    with lzma.open(KEPT, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def collect(commands):
    """The payloads of all interpreters, each once."""
    found = {}
    for command in commands:
        done = subprocess.run([*shlex.split(command), str(FOLDER / "values.py")], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            one = json.loads(line)
            record = found.setdefault((one["value"], one["hex"]), {"value": one["value"], "hex": one["hex"], "by": []})
            record["by"].append([one["python"], one["numpy"], one["pickler"], one["protocol"]])
    return [found[key] for key in sorted(found)]


def main():
    """Writes the file, the same for the same interpreters."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    records = collect(sys.argv[1:])
    text = "".join(json.dumps(record) + "\n" for record in records)
    KEPT.write_bytes(lzma.compress(text.encode("ascii"), preset=9))
    print(f"{len(records)} payloads")


if __name__ == "__main__":
    main()
