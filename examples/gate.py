"""gate.py: lets uploaded arrays into a service only if safenpy accepts them.

    python3 examples/gate.py FILE...        prints the accepted files; exits with 1 if one is refused
"""

import json
import subprocess
import sys

LIMITS = ["--strict", "--no-trailing", "--max-header", "65536", "--max-total-bytes", str(4 << 30)]


def check(paths, command="safenpy"):
    """Yields one verdict per path and archive member: a dict with file, verdict, rule, offset, message and hint."""
    run = subprocess.run([command, "check", "--json", *LIMITS, "--", *paths], stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        raise OSError(f"{command} exits with {run.returncode}")
    yield from map(json.loads, run.stdout.splitlines())


def main(paths):
    refused = 0
    for verdict in check(paths):
        if verdict["verdict"] == "accept":
            print(verdict["file"])
        else:
            refused += 1
            print(f"{verdict['file']}: {verdict['message']} [{verdict['rule']}]: {verdict['hint']}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
