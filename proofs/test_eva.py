#!/usr/bin/env python3
"""Shows that proofs/eva.py turns red when it must: on tiny trees that each have one fault, and on bugs planted into the real
command. The last line is `N passed, N failed`.

    proofs/test_eva.py [--only TEXT]        only the tests whose name holds TEXT
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVA = ROOT / "proofs" / "eva.py"

CODE = """\
#include <stddef.h>
static int twice(int number) { return 2 * number; }
int sum(const unsigned char *bytes, size_t length)
{
    int total = 0;
    for (size_t i = 0; i < length; i++) total += bytes[i];
    return twice(total);
}
"""
DRIVER = """\
#include <stddef.h>
int sum(const unsigned char *bytes, size_t length);
static volatile unsigned char any;
void eva_tiny(void)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = any;
    (void)sum(bytes, any % 9u);
}
"""
SPLIT = ["-eva-precision", "2"]
HEAD = "| file | function | kind | number | reason |\n|---|---|---|--:|---|\n"
OVERRUN = CODE.replace("i < length", "i <= length")
UNSET = CODE.replace("int total = 0;", "int total;\n    if (length > 8) total = 0;")
MORE = CODE + "int unused(void);\nint unused(void) { return 1; }\n"


def tiny(code, table="", place="src/cli", driver=DRIVER, options=None, **more):
    """A tree with one file, and what else is given."""
    groups = {"tiny": {"files": [f"{place}/t.c"], "with": ["proofs/eva/tiny.c"], "main": "eva_tiny",
                       "options": SPLIT if options is None else options}}
    files = {f"{place}/t.c": code, "proofs/eva/tiny.c": driver, "proofs/eva/groups.json": json.dumps(groups),
             "proofs/eva/alarms.md": HEAD + table}
    return {**files, **more}


ROW = "| src/cli/t.c | sum | mem_access | 1 | it is here for the test |\n"
# name: (files of the tiny tree, what the script must say, or None if it must be content)
CASES = {
    "an intact tree passes": (tiny(CODE), None),
    "an overrun": (tiny(OVERRUN), r"t\.c: sum: 1 alarms `mem_access`, 0 are explained"),
    "an alarm that is explained passes": (tiny(OVERRUN, ROW), None),
    "one more than is explained": (
        tiny(OVERRUN.replace("return twice", "total += bytes[length + 1];\n    return twice"), ROW),
        r"sum: 2 alarms `mem_access`, 1 are explained"),
    "an explanation that nothing needs": (tiny(CODE, ROW), r"sum: no alarm `mem_access` any more, 1 are explained"),
    "an explanation without reason": (tiny(OVERRUN, ROW.replace("it is here for the test", "?")), r"has no reason"),
    "an explanation given twice": (tiny(OVERRUN, ROW + ROW), r"stands there twice"),
    "a row that is none": (tiny(CODE, "| sum | something |\n"), r"not a row of the table"),
    "memory that was never written": (tiny(UNSET), r"sum: \d alarms `initialization`, 0 are explained"),
    "a division by zero": (tiny(CODE.replace("2 * number", "1000 / number")), r"twice: 1 alarms `division_by_zero`"),
    "a function that is not reached": (tiny(MORE), r"t\.c: unused is reached by no driver"),
    "a row says why": (tiny(MORE, "| src/cli/t.c | unused | not reached | - | it is here for the test |\n"), None),
    "a row says so of a function that is reached": (
        tiny(CODE, "| src/cli/t.c | sum | not reached | - | it is here for the test |\n"),
        r"sum is reached, and a row says that it is not"),
    "a file that is left out": (tiny(CODE, **{"src/host/u.c": CODE}), r"src/host/u\.c: no group has this file"),
    "a file with a reason": (
        tiny(CODE, "| src/host/*.c | * | not analysed | 1 | it is here for the test |\n", **{"src/host/u.c": CODE}), None),
    "a row about a file that is gone": (
        tiny(CODE, "| src/host/*.c | * | not analysed | 1 | it is here for the test |\n"), r"0 files are not analysed, the table says 1"),
    "a second file that is left out": (
        tiny(CODE, "| src/host/*.c | * | not analysed | 1 | it is here for the test |\n",
             **{"src/host/u.c": CODE, "src/host/v.c": CODE}), r"2 files are not analysed, the table says 1"),
    "an alarm of a file that is gone": (tiny(CODE, ROW.replace("t.c", "u.c")), r"there is no such file"),
    "what the proofs show of the core is left out": (tiny(OVERRUN, place="src/core"), None),
    "memory of the core that was never written": (tiny(UNSET, place="src/core"), r"sum: \d alarms `initialization`"),
    "a text that is no C": (tiny(CODE + "}"), r"wrote no whole report"),
    "a function that nobody has": (tiny(CODE.replace("return 2", "return gone(2)")), r"wrote no whole report"),
    "a driver that does not exist": (tiny(CODE, driver=DRIVER.replace("eva_tiny", "eva_other")), r"wrote no whole report"),
}
TEXT = ("src/cli/text.c", "src/host/text.c")  # what writes text for the terminal
# name: (file, what stands there, what is to stand there, the function that must be found)
BUGS = {
    "a character cut off by the end": ("src/host/text.c", "size == 0 || size > length", "size == 0", "snpy_text_decode|eva_text|put_text|snpy_safe_text"),
    "room for one digit too few": ("src/cli/text.c", "char escape[4] = {'\\\\', 'x', digits[byte / 16], digits[byte % 16]};",
                                   "char escape[4];\n    escape[0] = '\\\\', escape[1] = 'x', escape[3] = digits[byte / 16], "
                                   "escape[4] = digits[byte % 16];", "put_bad_byte"),
    "a digit beyond its table": ("src/cli/text.c", "digits[byte / 16]", "digits[byte / 8]", "put_bad_byte"),
}


def run(root, *options):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(EVA), "--root", str(root), *options], stdin=subprocess.DEVNULL, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
    return done.returncode, done.stdout


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def judge(expected, status, text):
    last = text.splitlines()[-1] if text else ""
    if expected is None:
        return status == 0 and re.fullmatch(r"[1-9]\d* passed, 0 failed", last) is not None
    return status == 1 and re.search(expected, text) is not None and not last.endswith(" 0 failed")


def try_case(name):
    files, expected = CASES[name]
    with tempfile.TemporaryDirectory(prefix="safenpy-eva-test-") as temporary:
        write(Path(temporary), files)
        status, text = run(Path(temporary))
    return name, judge(expected, status, text), text


def try_bug(name):
    """Plants a bug into a copy of what writes text for the terminal; name None: no bug, it must pass."""
    with tempfile.TemporaryDirectory(prefix="safenpy-eva-test-") as temporary:
        root = Path(temporary)
        for part in ("src", "include", "spec", "proofs"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        groups = json.loads((root / "proofs/eva/groups.json").read_text(encoding="utf-8"))
        group = groups["leaves"]
        beside = [file for file in group["files"] if file not in TEXT]
        group.update(files=list(TEXT), main="eva_text", **{"with": group["with"] + beside})
        table = (root / "proofs/eva/alarms.md").read_text(encoding="utf-8").splitlines(keepends=True)
        used = ("| src/cli/output.c", *(f"| {file}" for file in TEXT), "| src/cli/json.c", "| proofs/eva/system.c", "| src/host/calls.c")
        write(root, {"proofs/eva/groups.json": json.dumps({"text": group}),
                     "proofs/eva/alarms.md": "".join(row for row in table if row.startswith(used))})
        expected = None
        if name is not None:
            file, old, new, where = BUGS[name]
            text = (root / file).read_text(encoding="utf-8")
            if text.count(old) != 1:
                return name, False, f"{file} holds `{old}` {text.count(old)} times"
            write(root, {file: text.replace(old, new)})
            expected = rf": (?:{where}): \d+ alarms"
        status, text = run(root, "--group", "text")
        if name is None:  # what only the other drivers do is not asked for here
            return "the command as it is", re.search(r"^[1-9]\d* passed", text, re.M) and "src/cli/text.c:" not in text, text
    return name, judge(expected, status, text), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="only the tests whose name holds TEXT")
    only = parser.parse_args().only
    passed = failed = 0
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        tasks = [pool.submit(try_case, name) for name in CASES if only in name]
        tasks += [pool.submit(try_bug, name) for name in (None, *BUGS) if only in (name or "the command as it is")]
        for task in tasks:
            name, ok, text = task.result()
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok  ' if ok else 'FAIL'}  {name}")
            if not ok:
                print(text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
