"""What `explain` says is the library's own text, and a library knows no command line."""

import re
import subprocess
from pathlib import Path

STATUSES = Path(__file__).resolve().parents[2] / "include" / "safenpy" / "statuses.h"


def test_statuses_name_no_option_of_the_command(safenpy):
    commands = ("check", "info", "cat", "diff", "pack", "unpack", "explain", "convert", "wrap", "unwrap", "append")
    usage = "".join(subprocess.run([safenpy, command, "--help"], text=True, capture_output=True, check=True).stdout
                    for command in commands)
    options = set(re.findall(r"--[a-z-]+", usage))
    assert "--max-header" in options
    assert not options & set(re.findall(r"--[a-z-]+", STATUSES.read_text(encoding="utf-8")))
