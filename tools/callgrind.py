"""How many instructions valgrind counts in the parts of a program that the program itself marks.

The program switches collecting on and off with CALLGRIND_TOGGLE_COLLECT, and names what it has counted with
CALLGRIND_DUMP_STATS_AT.
"""

import re
import subprocess


def count(call, work):
    """Runs a program under callgrind; yields each name and the instructions counted for it."""
    out = work / "callgrind"
    done = subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", "--combine-dumps=yes",
                           f"--callgrind-out-file={out}", *map(str, call)], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"valgrind {' '.join(map(str, call))}\n{done.stdout}\nexit status {done.returncode}")
    name = None
    for line in out.read_text(encoding="utf-8").splitlines():
        trigger = re.match(r"desc: Trigger: Client Request: (.+)", line)
        name = trigger.group(1) if trigger else name
        total = re.match(r"(?:totals|summary): (\d+)", line)
        if total and name:
            yield name, int(total.group(1))
            name = None
