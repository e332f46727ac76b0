"""The man page has every option that the help has, and no other."""

import re
import subprocess
from pathlib import Path

MANUAL = Path(__file__).resolve().parents[2] / "man" / "safenpy.1"
COMMANDS = ("check", "info", "cat", "diff", "pack", "unpack", "explain", "convert", "wrap", "unwrap", "append", "objects", "salvage")
SHORTHAND = {"--dtype-version"}  # another name of --format-version, which only the man page has


def test_manual_and_help_have_the_same_options(safenpy):
    calls = [["--help"], *([command, "--help"] for command in COMMANDS)]
    texts = [subprocess.run([safenpy, *call], text=True, capture_output=True, check=True).stdout for call in calls]
    usage = {option for text in texts for option in re.findall(r"--[a-z][a-z-]*[a-z](?![a-z-])", text)}
    options = MANUAL.read_text(encoding="utf-8").split(".It Fl -json\n", 1)[1].split("\n.El\n", 1)[0]
    heads = "\n".join(line for line in options.split("\n") if line.startswith(".It Fl"))
    listed = {f"-{option}" for option in re.findall(r"(?:Fl|,) (-[a-z][a-z-]*[a-z])", heads)} | {"--json"}
    assert listed == usage | SHORTHAND, (sorted(listed - usage), sorted(usage - listed))
