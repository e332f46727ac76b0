#!/usr/bin/env python3
"""Checks commit messages: an imperative subject of at most 60 characters, an empty line, and a body with the reason.

    tools/subjects.py            the commits since SINCE
    tools/subjects.py FILE       the message in FILE; as git's hook: ln -s ../../tools/subjects.py .git/hooks/commit-msg

Merge commits are left out. Each fault is one line; the last line is `N passed, N failed`.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SINCE = "108e0222cb92a2103c347743f19c15f2894f4aee"  # older commits had no such check
# Merged before the check had seen them; what is published is not rewritten.
LET_PASS = {
    "41091d098441dc68ffe1c843974a60479ebd0019",
    "81bcad9f37e95c7c46a236b89e92876b7ebcde9d",
    "b78da743ac3f5269ea4771aecd3b2409391c3c3f",
    "96aca9941f79874220bbfa5d1c302803a6788bf4",
    "29f505bbe251117a5beb4830692d31007973e39e",
}
LONGEST = 60
# A first word that is no imperative. Grammar cannot be checked by a pattern; the common slips can.
NO_VERB = {"a", "an", "the", "this", "that", "it", "we", "i", "some", "more", "new", "no", "all", "wip"}
PAST = re.compile(r"(?:[^aeiou]ed|[aeiou][^aeiou]ed|ied)$")
LIKE_PAST = {"embed", "shed", "shred", "wed"}
PRESENT = re.compile(r"[^su]s$")  # Adds, but not Pass, Focus
LIKE_PRESENT = {"alias", "bias", "canvas"}
GERUND = re.compile(r"[aeiou].*ing$")  # Adding, but not Bring


def faults(message):
    """What is wrong with a commit message."""
    subject, *rest = message.rstrip("\n").split("\n")
    if not subject.strip():
        yield "it is empty"
        return
    first = re.split(r"\W", subject, maxsplit=1)[0].lower()
    if len(subject) > LONGEST:
        yield f"the subject has {len(subject)} characters; {LONGEST} are the most"
    if not subject[0].isupper():
        yield "the subject does not begin with a capital letter"
    if subject.endswith("."):
        yield "the subject ends in a full stop"
    if (first in NO_VERB or (PAST.search(first) and first not in LIKE_PAST)
            or (PRESENT.search(first) and first not in LIKE_PRESENT) or GERUND.search(first)):
        yield f"the subject begins with '{first}': begin with an imperative, such as Add or Fix"
    if rest and rest[0]:
        yield "the second line is not empty"
    if not "".join(rest[1:]).strip():
        yield "there is no body: give the reason"


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=False)


def history(since=SINCE):
    """(abbreviated hash, message) of each commit since, without LET_PASS; None where the history does not reach back that far."""
    if git("merge-base", "--is-ancestor", since, "HEAD").returncode != 0:
        return None
    listed = git("log", "--no-merges", "--format=%H%n%B%x00", f"{since}..HEAD").stdout
    entries = [entry.lstrip("\n").partition("\n") for entry in listed.split("\0") if entry.strip()]
    return [(commit[:10], message) for commit, _, message in entries if commit not in LET_PASS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", nargs="?", type=Path, help="a commit message")
    path = parser.parse_args().file
    if path:
        lines = path.read_text(encoding="utf-8").split("\n")
        messages = [(str(path), "\n".join(line for line in lines if not line.startswith("#")))]
    else:
        messages = history()
        if messages is None:
            print(f"the history does not reach back to {SINCE[:7]}")
            messages = []
    failed = 0
    for name, message in messages:
        found = list(faults(message))
        failed += bool(found)
        for fault in found:
            print(f"{name}: {fault}")
    print(f"{len(messages) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
