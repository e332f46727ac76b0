"""The decoder of tests/oracle as an adapter of level `lines` for the suite of object arrays."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))

import objects  # noqa: E402


def answer(path, options):
    """What the decoder makes of a file."""
    try:
        decoded = objects.read_file(Path(path).read_bytes(), objects.Options(**options))
    except objects.Refused as refusal:
        return {"verdict": "reject", "status": refusal.status, "offset": refusal.offset}
    return {"verdict": "accept", "fits": decoded.fits}


def say(value):
    """One answer."""
    print(json.dumps(value), flush=True)


for line in sys.stdin:
    command = json.loads(line)
    if command["cmd"] == "start":
        say({"protocol": 1, "implementation": "oracle", "version": "", "language": "Python"})
    elif command["cmd"] == "read":
        say({"seq": command["seq"], **answer(command["file"], command.get("options", {}))})
    else:
        break
