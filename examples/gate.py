"""gate.py: lets uploaded arrays into a service only if safenpy accepts them and has nothing to note about them.

    python3 examples/gate.py FILE...        prints the accepted files; exits with 1 if one is not accepted
"""

import json
import subprocess
import sys


def check(paths, command="safenpy"):
    """Yields one verdict per path: None if the file holds arrays only, else why it does not pass."""
    run = subprocess.run([command, "check", "--untrusted", "--json", "--", *paths], stdout=subprocess.PIPE, check=False)
    for path, verdict in zip(paths, map(json.loads, run.stdout.splitlines()), strict=True):
        if verdict["verdict"] != "accept":
            yield path, f"{verdict['message']} [{verdict['rule']}]: {verdict['hint']}"
            continue
        arrays = verdict.get("members", [verdict])
        notes = [note for one in arrays for note in one["notes"]]  # as a member that is no array
        yield path, "; ".join(notes) or (None if arrays else "no arrays")


def main(paths):
    refused = 0
    for path, reason in check(paths):
        if reason is None:
            print(path)
        else:
            refused += 1
            print(f"{path}: {reason}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
