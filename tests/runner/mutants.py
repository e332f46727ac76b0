"""Plants mistakes in the runner and asks its tests whether they see them.

    python3 tests/runner/mutants.py build/safenpy [WORD]

Each mistake is one a careful person could make: an outcome confused with another, `==` where the type matters,
a limit that is not kept, a fault that falls on the wrong case. Takes some minutes, so it is not part of the
tests. With WORD, only the mistakes that have it in their file or text. Prints `N passed, N failed`; a mistake that
no test sees is a failure. Standard library only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 900
UNITS, COMMAND, SYSTEM = [("units", "")], [("test_command", "")], [("system", "")]


def lies(*words):
    """Some lies only, those that should see it."""
    return [("test_lies", word) for word in words]


# File, what stands there, what shall stand there, which tests are asked.
MUTANTS = (
    # One outcome for another.
    ("compare.py", "return Result(outcome.WRONG_ACCEPT)",
     "return Result(outcome.WRONG_VALUE)", lies("always:accept")),
    ("compare.py", "return Result(outcome.WRONG_ACCEPT)", "return Result(outcome.PASS)", lies("always:accept")),
    ("compare.py", "Result(outcome.WRONG_REJECT, ", "Result(outcome.WRONG_ERROR, ", lies("always:reject")),
    ("compare.py", "return Result(outcome.WRONG_VALUE,",
     "return Result(outcome.WRONG_ACCEPT,", lies("value:shape!")),
    ("compare.py", "return Result(outcome.UNSUPPORTED,",
     "return Result(outcome.WRONG_REJECT,", lies("unsupported")),
    ("compare.py", 'return Result(outcome.WRONG_ERROR, f"expected',
     'return Result(outcome.PASS, f"expected', lies("offset")),
    ("compare.py", "outcome.PASS if expected == ACCEPT else outcome.ACCEPTS", "outcome.PASS", lies("lines truth")),
    ("compare.py", "return Result(outcome.REFUSES)", "return Result(outcome.PASS)", lies("lines truth")),
    ("task.py", "TIME: outcome.HANG", "TIME: outcome.CRASH", lies("hang")),
    ("task.py", "MEMORY: outcome.MEMORY", "MEMORY: outcome.CRASH", lies("eat")),
    ("task.py", "FLOOD: outcome.PROTOCOL", "FLOOD: outcome.HANG", lies("endless")),
    ("task.py", "Result(outcome.CRASH, child", "Result(outcome.HANG, child", lies("signal:SIGKILL")),
    ("writer.py", 'Result(outcome.UNREADABLE, "there', 'Result(outcome.WRONG_VALUE, "there', lies("w:nothing")),
    ("writer.py", "outcome.CANONICAL if same_bytes and clean", "outcome.CANONICAL if same_bytes", lies("w:gap")),
    ("writer.py", "outcome.CANONICAL if same_bytes and clean", "outcome.CANONICAL if clean", lies("w:padded")),
    ("writer.py", "Result(outcome.WRONG_REJECT, answer", "Result(outcome.UNSUPPORTED, answer", lies("w:error")),
    # Equality where the type matters.
    ("answer.py", "isinstance(value, int) and not isinstance(value, bool)",
     "isinstance(value, int)", lies("=true")),
    ("answer.py", "isinstance(value, int) and not isinstance(value, bool)", "value == int(value)", lies("1.0")),
    ("answer.py", "    return isinstance(value, bool)",
     "    return value in (True, False)", lies("fortran_order=0")),
    ("answer.py", "parse_constant=_no_constant", "parse_constant=float", lies("nan")),
    ("answer.py", "object_pairs_hook=_no_twins, ", "", lies("duplicate")),
    ("answer.py", "        if key not in known:",
     "        if key not in known and key != 'fortranOrder':", lies("fortranOrder")),
    ("answer.py", "| FOR_PEOPLE", "| FOR_PEOPLE | REJECT_KEYS", lies("offset=0")),
    ("lines.py", "if not is_integer(said) or said != seq:", "if said != seq:", lies("seq=float")),
    ("lines.py", "if not is_integer(said) or said != seq:", "if not is_integer(said):", lies("seq=")),
    ("lines.py", 'if hello.get("protocol") != PROTOCOL:', "if False:", lies("start:protocol")),
    ("descr.py", "return parse(left) == parse(right)", "return bool(parse(left)) == bool(parse(right))", UNITS),
    ("descr.py", 'elif order != ">":', "else:", UNITS),
    ("compare.py", "if key in answer and key in expect and answer[key] != expect[key]",
     "if answer.get(key) and key in expect and answer[key] != expect[key]", lies("=")),
    ("compare.py", "if len(wanted) != len(got):", "if len(wanted) < len(got):", lies("fields!")),
    # Limits that are not kept.
    ("process.py",
     "            if left <= 0:\n                return TIME\n            if self._output_closed():",
     "            if left <= -99:\n                return TIME\n            if self._output_closed():",
     lies("lines hang")),
    ("process.py", "        if highest > self.mark:", "        if False:", lies("eat:30")),
    ("process.py", "        if highest > self.mark:", "        if True:", lies("start:peak")),
    ("memory.py", "        todo.extend(_children(one))\n", "", lies("eat-in-child")),
    ("process.py", "self.idle, self.mark = memory", "self.idle, (_, self.mark) = 0, memory", lies("start:large")),
    ("lines.py", "if self.session and self.session.hoards():", "if False:", SYSTEM),
    ("process.py",
     "            if len(self.output) > LONGEST:\n                return FLOOD\n            if self.status",
     "            if self.status",
     lies("lines endless")),
    ("single.py", "if why == ENDED and child.over_memory():", "if False:", SYSTEM),
    # The wrong case, or none.
    ("lines.py", "settle(before, Reply(result=late, stderr=stderr))", "pass", lies("die-after-late")),
    ("lines.py", "        if reply.result and self.previous:", "        if False:", lies("die-after-late")),
    ("lines.py", "        if reply.result:\n            self._drop()\n        else:",
     "        if True:", lies("signal:SIGSEGV")),
    ("lines.py", "            if self.fresh:\n                self._retire(settle)\n", "", lies("fresh")),
    ("lines.py", '        if self.child.output:\n            return Result(outcome.PROTOCOL, "it spoke',
     '        if False:\n            return Result(outcome.PROTOCOL, "it spoke', lies("twice")),
    ("lines.py", "        if self.child.popen.returncode != 0:", "        if False:", lies("stop:exit")),
    ("lines.py", "        if why != ENDED:\n            return Result(outcome.HANG",
     "        if False:\n            return Result(outcome.HANG", lies("stop:ignore")),
    ("execute.py", "        if not unchanged(task):", "        if False:", lies("change")),
    ("single.py", "if child.popen.returncode != 0:", "if child.popen.returncode < 0:", lies("json after")),
    ("single.py", '1: {"verdict": REJECT}, ',
     '1: {"verdict": REJECT}, 2: {"verdict": REJECT}, ', lies("exit exit:2")),
    # Flags and profiles.
    ("declaration.py", "return declared if flag in self.declares else opposite(declared)",
     "return declared", UNITS),
    ("declaration.py", "        if canonical:\n            return base",
     "        if canonical:\n            return ACCEPT", UNITS),
    ("declaration.py", "return own or ", "return own + ", lies("EXPECTED_SHAPE")),
    ("manifest.py", 'if case.record.get("options", [])[:1] == [COMPAT]:', 'if case.record.get("options"):', UNITS),
    # Writers.
    ("writer.py", 'if content != base64.b64decode(task.request["elements_base64"]):',
     "if False:", lies("w:elements")),
    ("writer.py", 'if said["trailing_bytes"]:', "if False:", lies("w:trailing")),
    ("writer.py", 'if asked["version"] not in (None, said["version"]):', "if False:", lies("w:downgrade")),
    ("writer.py", '    if asked["shape"] != said["shape"]:',
     '    if sorted(asked["shape"]) != sorted(said["shape"]):', lies("w:text:(2, 3)")),
    ("writer.py", "return None if stat.S_ISREG(mode) else",
     "return None if not stat.S_ISDIR(mode) else", lies("w:link")),
    ("writer.py", 'and not both_orders(asked["shape"])', "", lies("writes w:text:True")),
    ("elements.py", "gaps = sorted(set(range(size)) - set(order))", "gaps = []", lies("w:gap")),
    ("elements.py", "    if not fortran_order:\n", "    if True:\n", UNITS),
    # The command.
    ("main.py", "bad = any(run.failing(options.fail_on) or run.problems or run.empty() for run in runs)",
     "bad = any(run.failing(options.fail_on) or run.empty() for run in runs)", COMMAND),
    ("main.py", "bad = any(run.failing(options.fail_on) or run.problems or run.empty() for run in runs)",
     "bad = any(run.failing(options.fail_on) or run.problems for run in runs)", COMMAND),
    ("main.py", "    return FAILED if bad else OK", "    return UNUSABLE if bad else OK", COMMAND),
    ("junit.py", 'return "errors" if broken else "failures"', 'return "failures"', COMMAND),
    ("junit.py", "    if result.outcome not in outcome.RIGHT:", "    if False:", COMMAND),
    ("progress.py", "self.on = self.stream.isatty()", "self.on = True", COMMAND),
    ("progress.py", "self.on = self.stream.isatty()", "self.on = False", COMMAND),
    ("results.py", "for key in sorted(value)", "for key in value", COMMAND),
    ("results.py", "if result.outcome != outcome.PASS and ", "if ", COMMAND),
    ("results.py", " and result.outcome not in withheld}", "}", COMMAND),
    ("adapter.py", "        if not force and stamp.exists() and stamp.read_text() == wanted:",
     "        if stamp.exists():", COMMAND),
    ("adapter.py", "        stamp.unlink(missing_ok=True)\n", "", COMMAND),
    ("process.py", "        strays.kill_marked(self.word, self.pid)\n", "", COMMAND),
    ("strays.py", "    _kill(lambda pid: True)\n", "    pass\n", COMMAND),
    ("execute.py", "[*self.command, str(path)]", "[*self.command, str(smallest(self.settings.suite).path)]", COMMAND),
    ("execute.py", "            self.run.problems += damaged(self.settings.suite)\n", "", COMMAND),
    ("single.py", "child.wait_end(launcher.limits.time)", "child.wait_end(launcher.limits.start)", COMMAND),
    ("compare.py", "return [] if given[exact] == wanted else", "return [] if given[exact] else", UNITS),
    ("compare.py", "== joined(wanted):", "== wanted:", UNITS),
    ("declaration.py", 'return "no-trailing" in (self.declares or ())', "return False", UNITS),
    ("execute.py", "sorted(found, key=", "sorted(found, reverse=True, key=", UNITS),
    ("execute.py", 'char if char.isprintable() or char == "\\n" else "?"', "char", COMMAND),
    ("selection.py", "idle = [pattern for pattern in patterns if not any(",
     "idle = [pattern for pattern in patterns if all(", UNITS),
    ("work.py", "self.failure = self.failure or error", "pass", lies("start:once")),
)


def seen(number, safenpy, folder):
    """Whether the tests see a mistake; a text that says what is wrong with the mistake itself otherwise."""
    name, old, new, parts = MUTANTS[number]
    root = folder / str(number)
    for part in ("corpus/npy_conformance", "tests/runner"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "corpus" / "run", root / "corpus" / "run")
    path = root / "corpus" / "npy_conformance" / name
    text = path.read_text(encoding="utf-8")
    if old not in text:
        return f"there is no {old!r}"
    changed = text.replace(old, new)
    compile(changed, name, "exec")       # a mistake that cannot run would be seen by anything
    path.write_text(changed, encoding="utf-8")
    for name in ("tests/conftest.py", "tests/tally.py", "tests/__init__.py", "pytest.ini", "tools/records.py"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    try:
        return "" if any(fails(root, safenpy, *part) for part in parts) else "no test sees it"
    finally:
        shutil.rmtree(root)


def fails(root, safenpy, test, word):
    """Whether a test of the changed runner fails; one that hangs does."""
    command = ["/usr/bin/python3", "-m", "pytest", "-x", "tests/runner/test_runner.py", "--safenpy", safenpy, "-k", test]
    try:
        return subprocess.run(command, cwd=root, env=os.environ | {"SNPY_LIES": word}, capture_output=True, timeout=LIMIT,
                              check=False).returncode == 1
    except subprocess.TimeoutExpired:
        return True


def main():
    """All mistakes, one after the other."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: mutants.py SAFENPY [WORD]")
    word, failed, passed = (sys.argv[2:] or [""])[0], 0, 0
    with tempfile.TemporaryDirectory(prefix="runner-mutants-") as folder:
        for number, (name, old, new, _) in enumerate(MUTANTS):
            if word not in name + old + new:
                continue
            problem = seen(number, str(Path(sys.argv[1]).resolve()), Path(folder))
            passed, failed = passed + (not problem), failed + bool(problem)
            mistake = f"{name}: {old.strip()[:60]!r} -> {new.strip()[:60]!r}"
            print(f"{'FAILED' if problem else 'ok    '} {mistake} {problem}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
