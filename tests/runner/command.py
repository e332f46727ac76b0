"""Tests of corpus/run as a command: options, reports, exit statuses, adapters with a set-up."""

import compileall
import errno
import json
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import small
from liars import ROOT, liar

LIMIT = 120
OTHERS = ("list", "explain", "report")     # commands beside `run`
BAD_STATUS = "\x1b[2J\x07"       # what would clear a terminal
SUMMARY = ("implementation  cases  pass\n"
           "honest             15    15\n")


class Bench:
    """A small suite, adapters around it, and the command."""

    def __init__(self, tally, safenpy, folder):
        self.tally = tally
        self.safenpy = safenpy
        self.folder = folder
        self.suite = folder / "suite"
        self.records = small.make(self.suite)
        self.book = self.suite / "book.json"
        small.write_manifest(self.book, self.records, declares=["strict"])
        self.adapters = folder / "adapters"
        self.program = compiled(folder / "program")

    def call(self, *words):
        """Runs the command; (exit status, standard output, standard error)."""
        done = subprocess.run(self.line(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def line(self, *words):
        """The command's words."""
        places = ["--suite", self.suite]
        command, words = (words[0], words[1:]) if words[:1] and words[0] in OTHERS else ("run", words)
        if command == "run":
            places += ["--adapters", self.adapters, "--build", self.folder / "build",
                       "--results", self.folder / "results", "--safenpy", self.safenpy, "--jobs", "1"]
        return [sys.executable, str(self.program), command, *map(str, places), *map(str, words)]

    def lie(self, lie, level="lines", case=None):
        """The options that run a liar as a bare command."""
        return ["--level", level, "--impl", shlex.join(liar(level, self.book, lie, case))]

    def adapter(self, called, /, lie="truth", case=None, **more):
        """Makes an adapter of a liar."""
        value = {"name": called, "title": f"The {called} one", "version": "1.0", "language": "Python",
                 "level": "lines",
                 "command": liar("lines", self.book, lie, case), "declares": ["strict"], **more}
        folder = self.adapters / called
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "adapter.json").write_text(json.dumps(value))
        return folder


def compiled(folder):
    """A copy of the command with its modules compiled, for it is called more than a hundred times."""
    shutil.copytree(ROOT / "corpus" / "npy_conformance", folder / "npy_conformance", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "corpus" / "run", folder / "run")
    compileall.compile_dir(folder / "npy_conformance", quiet=1)
    return folder / "run"


def statuses(bench):
    """Exit statuses, and --fail-on."""
    same = bench.tally.same
    honest = ["--profile", "standard", *bench.lie("truth")]
    same("0: all pass", bench.call(*honest)[0], 0)
    same("1: a case fails", bench.call("--profile", "standard", *bench.lie("always:reject", case=small.F8))[0], 1)
    same("1: nothing passes", bench.call("--profile", "standard", *bench.lie("always:unsupported"))[0], 1)
    status, text, _ = bench.call("--profile", "standard", *bench.lie("always:unsupported"))
    bench.tally.true("and it says so", "no case passed" in text, text)
    same("0: one is unsupported", bench.call("--profile", "standard",
                                             *bench.lie("always:unsupported", case=small.F8))[0], 0)
    same("1: a fault of no case", bench.call("--profile", "standard", *bench.lie("stop:exit"))[0], 1)
    same("2: it does not start", bench.call(*bench.lie("start:die"))[0], 2)
    lie = ["--profile", "standard", *bench.lie("always:reject", case=small.F8)]
    for outcomes, wanted in (("crash", 0), ("crash,wrong-reject", 1), ("none", 0), ("wrong-reject", 1)):
        same(f"--fail-on {outcomes}", bench.call(*lie, "--fail-on", outcomes)[0], wanted)
    same("--fail-on unsupported", bench.call("--profile", "standard", "--fail-on", "unsupported",
                                             *bench.lie("always:unsupported", case=small.F8))[0], 1)
    status, _, text = bench.call(*bench.lie("start:die"))
    bench.tally.true("why it does not start", "exit status 4" in text and "no library" in text, text)


def usage(bench):
    """Wrong usage is 2, with a sentence and without a traceback."""
    honest = bench.lie("truth")
    for words in ((), ("--impl", ""), ("--impl", "no-such-program-anywhere"), ("--impl", "a 'b"),
                  ("list", "--only", "nothing"), ("--flag", "nothing", *honest),
                  ("--profile", "nothing", *honest), ("--list",),
                  ("list", *honest), ("--save", *honest), ("--set-up", *honest),
                  ("--fail-on", "bad", *honest),
                  ("--jobs", "0", *honest), ("--time", "0", *honest), ("--memory", "1X", *honest), ("--nothing",),
                  ("--json", "-", "--junit", "-", *honest), ("list", "--suite", "nowhere"), ("stray",),
                  ("--safenpy", "nowhere", *honest), ("--json", "no/such/folder", *honest),
                  ("list", "--onl", "x"), ("explain", "nothing"), ("explain",), ("report", "nowhere"), ("report", str(bench.book)), ("--badge", "no/such/folder", *honest), ("--badge", "x", *honest, *honest)):
        status, text, error = bench.call(*words)
        bench.tally.true(f"usage: {' '.join(words)[:60]}", status == 2 and error and "Traceback" not in error
                         and not text, (status, error, text))
    status, text, _ = bench.call("--help")
    bench.tally.same("--help", status, 0)
    for word in ("examples:", "exit status:", "--profile", "canonical:", "--fail-on", "RUNNER.md"):
        bench.tally.true(f"--help says {word}", word in text)


def choosing(bench):
    """--only and `list`."""
    status, text, _ = bench.call("list")
    rows = [line.split("\t") for line in text.splitlines()]
    bench.tally.same("--list", (status, [row[0] for row in rows]), (0, [case["id"] for case in bench.records]))
    bench.tally.same("a row of --list", rows[[row[0] for row in rows].index(small.STRICT)],
                     [small.STRICT, "choice", "strict", "NPY-LIT-017", f"A reason for {small.STRICT}."])
    _, text, _ = bench.call("list", "--only", "strict", "--only", "reject/*")
    bench.tally.same("--list --only", sorted(line.split("\t")[0] for line in text.splitlines()),
                     sorted([small.STRICT, small.MAGIC, small.SIZES, small.ONE]))
    _, text, _ = bench.call("--only", "NPY-SHAPE-*", "--json", "-", "--profile", "standard", *bench.lie("truth"))
    bench.tally.same("--only with --impl", sorted(json.loads(text)["runs"][0]["read"]["cases"]),
                     sorted([small.FORTRAN, small.SIZES]))


def piped(bench):
    """Whoever reads may stop reading."""
    copies = bench.folder / "long"
    small.make(copies)
    small.write_manifest(copies / "manifest.json", [{**bench.records[0], "reason": "long " * 20000 + "."}] * 20)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(bench.line("list", "--suite", copies), stdin=subprocess.DEVNULL, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()
    bench.tally.same("a pipe that closes", (process.returncode, error), (128 + signal.SIGPIPE, b""))


def copying(bench):
    """--copy makes a suite of its own."""
    copy = bench.folder / "copy"
    status, text, _ = bench.call("list", "--copy", copy, "--only", "strict", "--only", small.F8)
    bench.tally.same("--copy", (status, text), (0, f"2 cases in {copy}\n"))
    files = sorted(str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file())
    bench.tally.same("what --copy copies", files, [f"{small.F8}.npy", f"{small.STRICT}.npy", "manifest.json"])
    manifest = json.loads((copy / "manifest.json").read_text())
    whole = json.loads((bench.suite / "manifest.json").read_text())
    whole["cases"] = [case for case in whole["cases"] if case["id"] in (small.F8, small.STRICT)]
    bench.tally.same("the manifest is cut down", manifest, whole)
    bench.tally.same("the files are the same", (copy / f"{small.F8}.npy").read_bytes(),
                     (bench.suite / f"{small.F8}.npy").read_bytes())
    status, _, _ = bench.call("--suite", copy, "--profile", "standard", *bench.lie("truth"))
    bench.tally.same("a copy is a suite", status, 0)
    bench.tally.same("not into a folder that has something", bench.call("list", "--copy", copy)[0], 2)
    again = bench.folder / "again"
    bench.call("list", "--suite", copy, "--copy", again)
    bench.tally.same("a copy of a copy", (again / "manifest.json").read_bytes(),
                     (copy / "manifest.json").read_bytes())


def expecting(bench):
    """--profile and --flag: an honest adapter passes as what it is, and only so."""
    books = {"standard": ["strict"], "plain": [], "compatible": ["strict", "int-shape", "native-order"]}
    for profile, declares in books.items():
        small.write_manifest(bench.book, bench.records, declares=declares)
        for other in books:
            status = bench.call("--profile", other, *bench.lie("truth"))[0]
            bench.tally.same(f"an adapter of {profile} as {other}", status, 0 if other == profile else 1)
    small.write_manifest(bench.book, bench.records, declares=["strict", "long-header"])
    bench.tally.same("flags", bench.call("--flag", "strict", "--flag", "long-header", *bench.lie("truth"))[0], 0)
    bench.tally.same("a flag is missing", bench.call("--flag", "strict", *bench.lie("truth"))[0], 1)
    bench.tally.same("profile and flag", bench.call("--profile", "standard", "--flag", "long-header",
                                                    *bench.lie("truth"))[0], 0)
    bench.tally.same("undeclared", bench.call(*bench.lie("truth"))[0], 0)
    small.write_manifest(bench.book, bench.records, declares=["strict"])


def as_json(bench):
    """--json, to a file and to standard output."""
    path = bench.folder / "out.json"
    words = ["--profile", "standard", "--jobs", "3", *bench.lie("value:shape!", case=small.ENTRY)]
    bench.call(*words, "--json", path)
    status, text, error = bench.call(*words, "--json", "-")
    bench.tally.same("a file or standard output", path.read_text(), text)
    bench.tally.true("then people read standard error", "wrong-value" in error and status == 1, error)
    value = json.loads(text)
    run = value["runs"][0]
    bench.tally.same("totals", run["read"]["totals"], {"pass": 14, "wrong-value": 1})
    bench.tally.same("a case", run["read"]["cases"][small.ENTRY],
                     {"outcome": "wrong-value", "detail": "shape: expected [2], got [2, 7]"})
    bench.tally.same("a pass", run["read"]["cases"][small.F8], {"outcome": "pass"})
    keys = ("name", "version", "declares", "canonical", "problems", "write")
    bench.tally.same("the rest", [run[key] for key in keys],
                     [Path(sys.executable).name, "1.0", ["strict", "unended-padding"], False, [], None])
    _, text, _ = bench.call("--profile", "standard", "--json", "-", *bench.lie("signal:SIGSEGV", case=small.F8))
    bench.tally.same("what a crash printed", json.loads(text)["runs"][0]["read"]["cases"][small.F8],
                     {"outcome": "crash", "detail": "signal SIGSEGV", "stderr": "about to die\n"})


def as_junit(bench):
    """--junit: well-formed, and its counts are right."""
    path = bench.folder / "out.xml"
    lies = (("truth", None, (15, 0, 0, 0)), ("always:reject", small.F8, (15, 1, 0, 0)),
            ("signal:SIGKILL", small.F8, (15, 0, 1, 0)), ("always:unsupported", small.F8, (15, 0, 0, 1)),
            (f"value:message={json.dumps(BAD_STATUS + chr(0xd800) + chr(0xffff))}", small.F8, (15, 0, 0, 0)),
            ("stop:exit", None, (16, 0, 1, 0)), ("always:accept", None, (15, 7, 0, 0)))
    for lie, case, wanted in lies:
        bench.call("--profile", "standard", "--junit", path, *bench.lie(lie, case=case))
        root = ElementTree.parse(path).getroot()
        counted = tuple(len(root.findall(f".//{tag}")) for tag in ("testcase", "failure", "error", "skipped"))
        stated = tuple(int(root.get(key)) for key in ("tests", "failures", "errors", "skipped"))
        bench.tally.same(f"JUnit of {lie[:20]}", (counted, stated), (wanted, wanted))
    _, text, _ = bench.call("--junit", "-", "--fail-on", "none", *bench.lie("always:accept"))
    root = ElementTree.fromstring(text)
    bench.tally.same("--fail-on decides what JUnit calls a failure", (root.get("failures"), root.get("skipped")),
                     ("0", "7"))
    bench.tally.same("a name", root.find(".//testcase").get("name"), small.F8)


def human(bench):
    """What people see: a table, then a line a failure, 40 at most."""
    bench.adapter("honest")
    _, text, error = bench.call("--impl", "honest")
    bench.tally.same("a table", (text, error), (SUMMARY, ""))
    _, text, _ = bench.call("--profile", "standard", *bench.lie("always:reject", case=small.F8))
    bench.tally.true("a failure has outcome, case, rules and reason", any(
        line.startswith("wrong-reject ") and small.F8 in line and "[NPY-DATA-002, NPY-HDR-001]" in line
        and f"(A reason for {small.F8}.)" in line for line in text.splitlines()), text)
    _, text, _ = bench.call("--profile", "standard", *bench.lie("signal:SIGSEGV", case=small.F8))
    bench.tally.true("the last words of a crash", "| about to die" in text, text)
    many = [{**bench.records[0], "id": f"accept/many/{number:03}"} for number in range(60)]
    big = bench.folder / "big"
    small.make(big)
    small.write_manifest(big / "manifest.json", many)
    words = ["--suite", big, *bench.lie("always:reject")]
    for more, wanted in (((), 40), (("--verbose",), 60)):
        _, text, _ = bench.call(*words, *more)
        bench.tally.same(f"failures shown {more}", text.count("wrong-reject accept/"), wanted)
        bench.tally.same(f"the rest is counted {more}", "and 20 more" in text, wanted == 40)
    for lie in (f"value:verdict={json.dumps(BAD_STATUS)}", f"scream:{BAD_STATUS}"):
        _, text, _ = bench.call("--profile", "standard", *bench.lie(lie, case=small.F8))
        bench.tally.true("no escape reaches the terminal", "\x1b" not in text and "[2J" in text, text)


def adapters(bench):
    """adapter.json: found by name, several in one call, its flags and its level hold."""
    bench.adapter("honest")
    bench.adapter("liar", "always:reject", case=small.F8)
    bench.adapter("silent", declares=None)
    status, text, _ = bench.call("--impl", "honest", "--impl", "liar", "--impl", "silent")
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[:4]}
    bench.tally.same("several", (status, rows), (1, {
        "implementation": ["cases", "pass", "refuses", "wrong-reject"], "honest": ["15", "15", "0", "0"],
        "liar": ["15", "14", "0", "1"], "silent": ["15", "11", "4", "0"]}))
    for words, title in ((("--flag", "long-header"), "--flag goes beside what is declared"),
                         (("--profile", "plain"), "--profile goes instead")):
        bench.tally.same(title, bench.call("--impl", "honest", *words)[0], 1)
    bench.tally.same("the same twice", bench.call("--impl", "honest", "--impl", "honest")[0], 2)
    bench.tally.same("--level is for commands", bench.call("--impl", "honest", "--level", "json")[0], 2)
    bench.adapter("other", version="2.0")
    status, _, error = bench.call("--impl", "other")
    bench.tally.true("another version than adapter.json says", status == 2 and "2.0" in error, error)
    bench.adapter("any", version=None)
    _, text, _ = bench.call("--impl", "any", "--json", "-")
    bench.tally.same("the version that the process says", json.loads(text)["runs"][0]["version"], "1.0")
    book = bench.suite / "canonical.json"
    small.write_manifest(book, bench.records, **{"declares": ["strict"], "canonical-only": True})
    command = liar("lines", book, "truth")
    bench.adapter("canonical", profile="canonical", command=command)
    bench.tally.same("a canonical one", bench.call("--impl", "canonical")[0], 0)
    bench.adapter("canonical", command=command)
    bench.tally.same("which must say so", bench.call("--impl", "canonical")[0], 1)


def set_ups(bench):
    """set_up: runs once, again when something changed, and not at all without what it needs."""
    folder = bench.adapter("built", set_up=["sh", "set_up.sh"], command=["BUILD/adapter"], needs=["sh"])
    honest = shlex.join(liar("lines", bench.book, "truth"))
    script = f'echo one >> "$BUILD/count"\nprintf \'%s\' "$SAFENPY" > "$BUILD/safenpy"\n' \
             f'printf \'#!/bin/sh\\nexec %s\\n\' "{honest}" > "$BUILD/adapter"\nchmod +x "$BUILD/adapter"\n'
    (folder / "set_up.sh").write_text(script)
    count = bench.folder / "build" / "built" / "count"

    def times(*words):
        status = bench.call("--impl", "built", *words)[0]
        return status, count.read_text().count("one")

    bench.tally.same("set up and run", times(), (0, 1))
    bench.tally.same("SAFENPY", (bench.folder / "build" / "built" / "safenpy").read_text(), str(bench.safenpy))
    bench.tally.same("run again", times(), (0, 1))
    (folder / "set_up.sh").write_text(script + "# changed\n")
    bench.tally.same("changed", times(), (0, 2))
    bench.tally.same("--set-up", times("--set-up"), (0, 3))
    (folder / "set_up.sh").write_text("echo no compiler here; exit 9\n")
    status, _, error = bench.call("--impl", "built")
    bench.tally.true("a set-up that fails", status == 2 and "no compiler here" in error and "9" in error, error)
    (folder / "set_up.sh").write_text(script + "# changed\n")
    bench.tally.same("after a set-up that failed it runs again", times(), (0, 4))
    bench.adapter("needy", needs=["no-such-program-anywhere"])
    status, _, error = bench.call("--impl", "needy")
    bench.tally.true("what it needs is missing", status == 2 and "no-such-program-anywhere" in error, error)
    status, text, error = bench.call("--impl", "needy", "--impl", "built", "--skip-missing")
    left_out = status == 0 and "\nbuilt " in text and "skipped: needy" in error
    bench.tally.true("what is missing is left out", left_out, (status, text, error))
    bench.tally.same("nothing is left", bench.call("--impl", "needy", "--skip-missing")[0], 2)
    bench.adapter("honest")
    _, text, _ = bench.call("--impl", "b?ilt", "--impl", "hon*", "--json", "-")
    bench.tally.same("names with wild characters", [run["name"] for run in json.loads(text)["runs"]],
                     ["built", "honest"])


def withholding(bench):
    """A crash that is not public is neither named nor told apart in what is saved; all else is."""
    bench.adapter("shy", lie="signal:SIGSEGV", case=small.F8)
    bench.call("--impl", "shy", "--save")
    path = bench.folder / "results" / "shy.json"
    value = json.loads(path.read_text())
    bench.tally.same("totals", value["totals"], {"pass": 7, "withheld": 8})
    bench.tally.same("others", value["others"], {"accept": "withheld", "reject": "pass", "choice": "pass"})
    bench.tally.same("nothing names the case", (value["outcomes"], value["details"], "crash" in path.read_text()), ({}, {}, False))
    bench.tally.same("what is right", value["right"], {"accept": 7, "reject": 3, "choice": 4})
    status, text, _ = bench.call("report", path)
    bench.tally.true("a report of it", status == 0 and "15 cases: 14 pass, 1 unsupported, a choice or withheld." in text, text)
    value["outcomes"][small.F8] = "crash"
    path.write_text(json.dumps(value))
    status, text, error = bench.call("report", path)
    bench.tally.true("no report of a crash that is not public", status == 2 and "no address where that is public" in error, error)


def broken_adapters(bench):
    """adapter.json that is wrong is said to be so."""
    for more in ({"level": "line"}, {"command": []}, {"command": "x"}, {"declares": ["nothing"]},
                 {"declares": "strict"}, {"name": "else"}, {"extra": 1}, {"version": 1}, {"profile": "standard"},
                 {"writes": 1}, {"command": ["no-such-program-anywhere"]}, {"memory_unsafe": "yes"},
                 {"set_up": ["no-such-program-anywhere"]}, {"public": "yes"}):
        bench.adapter("wrong", **more)
        status, _, error = bench.call("--impl", "wrong")
        good = status == 2 and "wrong" in error and "Traceback" not in error
        bench.tally.true(f"adapter.json with {more}", good, error)
    for text in ("", "[]", "{}"):
        (bench.adapters / "wrong" / "adapter.json").write_text(text)
        status, _, error = bench.call("--impl", "wrong")
        good = status == 2 and "adapter.json" in error and "Traceback" not in error
        bench.tally.true(f"adapter.json is {text!r}", good, error)


def saving(bench):
    """--save: as the contract has it, and the same bytes every time."""
    bench.adapter("saved", "value:shape!", case=small.ENTRY, loader="stream", writes=True, notes="A note.")
    path = bench.folder / "results" / "saved.json"
    status = bench.call("--impl", "saved", "--save")[0]
    first = path.read_bytes()
    bench.call("--impl", "saved", "--save", "--jobs", "4")
    bench.tally.same("the same bytes", path.read_bytes(), first)
    bench.tally.same("saved though a case failed", status, 1)
    value = json.loads(first)
    bench.tally.same("keys are sorted", [line.split('"')[1] for line in first.decode().splitlines()
                                         if line.startswith(' "')], sorted(value))
    wanted = {"results": 2, "name": "saved", "title": "The saved one", "version": "1.0", "language": "Python",
              "loader": "stream", "level": "lines", "suite": "7", "declares": ["strict"], "profile": None,
              "problems": [], "notes": "A note.", "public": None, "others": dict.fromkeys(("accept", "reject", "choice"), "pass"),
              "right": {"accept": 7, "reject": 3, "choice": 4}, "totals": {"pass": 14, "wrong-value": 1},
              "outcomes": {small.ENTRY: "wrong-value"},
              "details": {small.ENTRY: "shape: expected [2], got [2, 7]"}}
    bench.tally.same("what is saved", {key: value[key] for key in wanted}, wanted)
    bench.tally.same("nothing else", sorted(set(value) - set(wanted)), ["command", "manifest_sha256", "writer"])
    bench.tally.same("writing", value["writer"]["totals"], {"pass": 1, "canonical": 5})
    bench.tally.true("a line a case", f'  "{small.ENTRY}": "wrong-value"\n'.encode() in first)
    for words in (("--only", "strict"), ("--flag", "strict"), ("--profile", "standard"), ("--reader",),
                  ("--writer",)):
        bench.tally.same(f"not with {words[0]}", bench.call("--impl", "saved", "--save", *words)[0], 2)
    bench.adapter("saved", "signal:SIGSEGV", case=small.F8)
    bench.call("--impl", "saved", "--save")
    text = path.read_text()
    bench.tally.true("no standard error, no path", "about to die" not in text and "npy-run-" not in text, text)
    bench.tally.same("no writer", json.loads(text)["writer"], None)


def writing(bench):
    """--writer and --reader."""
    def kinds(*words):
        status, text, _ = bench.call("--json", "-", "--profile", "standard", *words)
        run = json.loads(text)["runs"][0]
        return status, run["read"] is not None, run["write"] is not None
    bench.adapter("writes", writes=True)
    bench.adapter("reads")
    for words, wanted in ((("--impl", "writes"), (0, True, True)), (("--impl", "reads"), (0, True, False)),
                          (("--impl", "writes", "--reader"), (0, True, False)),
                          (("--impl", "writes", "--writer"), (0, False, True)),
                          (("--impl", "reads", "--writer", "--reader"), (0, True, True))):
        bench.tally.same(f"kinds {words}", kinds(*words), wanted)
    status, text, _ = bench.call("--writer", *bench.lie("w:elements", case=small.F8))
    bench.tally.true("a failure of a writer", status == 1 and f"writing {small.F8}" in text, text)
    broken = bench.folder / "safenpy-that-fails"
    broken.write_text("#!/bin/sh\nexit 2\n")
    broken.chmod(0o755)
    status, _, error = bench.call("--safenpy", broken, "--writer", *bench.lie("truth"))
    bench.tally.true("a judge that fails is no verdict", status == 2 and "status 2" in error, error)


def terminal(bench):
    """A progress bar where somebody watches; nothing of it in a pipe."""
    words = bench.line("--jobs", "2", "--profile", "standard", *bench.lie("sleep:0.05"))
    leader, follower = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                data = os.read(leader, 4096)
            except OSError as error:
                assert error.errno == errno.EIO, error
                break
            if not data:
                break
            seen += data
        process.stdout.read()
        status = process.wait(LIMIT)
    os.close(leader)
    bench.tally.true("a bar on a terminal", status == 0 and b"\r" in seen and b"/15" in seen, seen)
    bench.tally.true("it leaves nothing", seen.endswith(b"\r\x1b[K"), seen[-40:])
    _, _, error = bench.call("--profile", "standard", *bench.lie("sleep:0.05"))
    bench.tally.same("no bar in a pipe", error, "")


def interrupted(bench):
    """SIGINT and SIGTERM end the runner and its processes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        mark = f"mark-{number}-{os.getpid()}"
        command = [*liar("lines", bench.book, "hang"), "case=" + small.F8]
        script = bench.folder / mark
        script.write_text(f"#!/bin/sh\necho $$ >> {bench.folder}/{mark}.pids\nexec {shlex.join(command)}\n")
        script.chmod(0o755)
        pids = bench.folder / f"{mark}.pids"
        with subprocess.Popen(bench.line("--level", "lines", "--impl", script, "--time", "60"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_until(lambda pids=pids: pids.exists() and pids.read_text().endswith("\n"))
            time.sleep(0.3)                  # by then it hangs, or is about to
            process.send_signal(number)
            text, error = process.communicate(timeout=LIMIT)
        bench.tally.same(f"{number.name}: the exit status", process.returncode, 130)
        bench.tally.same(f"{number.name}: no words", (text, error), (b"", b""))
        alive = [pid for pid in pids.read_text().split() if lives(int(pid))]
        bench.tally.same(f"{number.name}: no process is left", alive, [])


def greedy_for_files(bench):
    """Every file that an adapter is handed is a copy, also that of the first run; the suite is looked at afterwards."""
    whole = {case["file"]: (bench.suite / case["file"]).read_bytes() for case in bench.records}
    for lie in ("remove", "append"):
        status, text, _ = bench.call("--profile", "standard", "--json", "-", *bench.lie(lie, "exit"))
        run = json.loads(text)["runs"][0]
        bench.tally.same(f"{lie}: each case is one of protocol", (status, run["read"]["totals"], run["problems"]),
                         (1, {"protocol": 15}, []))
        there = {name: (bench.suite / name).read_bytes() for name in whole if (bench.suite / name).exists()}
        bench.tally.same(f"{lie}: the suite is whole", there, whole)
    victim = bench.suite / f"{small.BYTE}.npy"
    status, text, _ = bench.call("--profile", "standard", "--only", small.F8, *bench.lie(f"spoil:{victim}", "exit"))
    victim.write_bytes(whole[f"{small.BYTE}.npy"])
    bench.tally.true("a suite that changed while it was used is a problem", status == 1 and any(
        line.startswith("problem ") and small.BYTE in line for line in text.splitlines()), text)


def hanging(bench):
    """What never ends costs the time of a case before the first case, and that is said."""
    for level in ("exit", "json"):
        status, text, error = bench.call("--time", "0.5", "--start-time", str(10 * LIMIT), "--only", small.F8,
                                         *bench.lie("hang", level))
        bench.tally.true(f"{level}: a hang before the first case", status == 1 and "hang " in text
                         and "no end within 0.5 s" in error, (status, text, error))


def unwritable(bench):
    """A report that cannot be written is told of before the run; if it fails after it, the rest is not lost."""
    mark = bench.folder / "started"
    script = bench.folder / "marks"
    script.write_text(f"#!/bin/sh\n: > {mark}\n")
    script.chmod(0o755)
    bench.adapter("kept")
    (bench.folder / "a-file").write_text("")
    for words in (("--json", bench.folder / "none" / "x.json"), ("--junit", bench.folder / "none" / "x.xml"),
                  ("--json", bench.folder), ("--junit", bench.folder / "a-file" / "x.xml")):
        status, text, error = bench.call(*words, "--impl", script)
        bench.tally.true(f"{words[0]} {Path(words[1]).name}: nothing runs", status == 2 and not text
                         and words[0] in error and not mark.exists(), (status, text, error))
    status, _, error = bench.call("--impl", "kept", "--save", "--results", bench.folder / "a-file")
    bench.tally.true("--save into a file", status == 2 and "Traceback" not in error, error)
    for option in ("--json", "--junit"):
        status, text, error = bench.call("--impl", "kept", option, "/dev/full")
        bench.tally.true(f"{option}: a full disk leaves the table", status == 2 and "kept " in text
                         and "/dev/full" in error and "Traceback" not in error, (status, text, error))


def strays(bench):
    """A process that left its session ends with the one that left it; if it wiped its environment, at the end."""
    for lie in ("daemon:", "daemon:bare:", "daemon:alone:"):
        for level in ("exit", "lines") if lie != "daemon:alone:" else ("exit",):
            path = bench.folder / f"strays-{level}{len(lie)}"
            status = bench.call("--profile", "standard", "--only", small.F8, "--only", small.SIZES,
                                *bench.lie(f"{lie}{path}", level))[0]
            pids = path.read_text().split()
            bench.tally.true(f"{lie} {level}: each case left one", status == 0 and len(pids) >= 2, (status, pids))
            bench.tally.same(f"{lie} {level}: none is left", [pid for pid in pids if lives(int(pid))], [])


def wait_until(true):
    """Waits for something that must come."""
    deadline = time.monotonic() + LIMIT
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)


def lives(pid):
    """Whether a process is there and is no zombie; gives it a moment to go."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


def levels(bench):
    """The real command at level exit, and limits that are set."""
    safenpy = ["--impl", f"{bench.safenpy} check -q --npy"]
    only = ["--only", small.F8, "--only", small.MAGIC]
    bench.tally.same("safenpy check", bench.call(*safenpy, *only)[0], 0)
    bench.tally.same("a program that cannot be run", bench.call("--impl", str(bench.book))[0], 2)
    status, text, _ = bench.call("--memory", "8M", "--profile", "standard", *bench.lie("eat:20", case=small.F8))
    bench.tally.true("--memory", status == 1 and "memory " in text, text)
    status, text, _ = bench.call("--time", "0.7", "--profile", "standard", *bench.lie("sleep:3", case=small.F8))
    bench.tally.true("--time", status == 1 and "hang " in text, text)
    status, _, error = bench.call("--start-time", "0.5", *bench.lie("start:ignore"))
    bench.tally.true("--start-time", status == 2 and "0.5 s" in error, error)
    status, text, _ = bench.call("--address-space", "400M", "--profile", "standard",
                                 *bench.lie("reserve:512", case=small.F8))
    bench.tally.true("--address-space", status == 1 and "crash " in text, text)
    status, text, _ = bench.call("--profile", "standard", "--impl", "true", "--impl", "false", "--json", "-")
    totals = {run["name"]: run["read"]["totals"] for run in json.loads(text)["runs"]}
    bench.tally.same("true and false", totals, {"true": {"pass": 8, "wrong-accept": 7},
                                                "false": {"pass": 7, "wrong-reject": 8}})
    status, text, _ = bench.call("--impl", "true", "--impl", "true", "--json", "-")
    bench.tally.same("one command twice", [run["name"] for run in json.loads(text)["runs"]], ["true-1", "true-2"])


def explaining(bench):
    """`explain`: verdict, reason, values, and the bytes with the one that is wrong."""
    status, text, _ = bench.call("explain", small.SIZES)
    data = (bench.suite / f"{small.SIZES}.npy").read_bytes()
    bench.tally.true("explain", status == 0 and text.startswith(f"{small.SIZES}\n\nA reason for {small.SIZES}.\n"), text)
    dumped = bytes.fromhex("".join(line[12:59] for line in text.splitlines() if line.startswith("  0000")))
    bench.tally.same("all bytes are dumped", dumped, data)
    bench.tally.same("one line is marked", [line[2:10] for line in text.splitlines() if line.endswith("<- byte 61")],
                     [f"{61 // 16 * 16:08x}"])
    _, text, _ = bench.call("explain", small.STRICT)
    bench.tally.true("a choice names its flag", "reject with the flag strict" in text and "accept without it" in text, text)
    _, text, _ = bench.call("explain", str(bench.suite / f"{small.FORTRAN}.npy"))
    bench.tally.true("a path will do", "\n  shape           [2, 3]\n" in text, text)


def reporting(bench):
    """`report` and --badge: faults by rule, the worst first, from both kinds of results."""
    path, badge = bench.folder / "report.json", bench.folder / "badge.svg"
    bench.call("--profile", "standard", "--json", path, "--badge", badge, *bench.lie("signal:SIGSEGV", case=small.F8))
    status, text, _ = bench.call("report", path)
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    bench.tally.same("one crash", (status, titles), (0, ["### Crashes, hangs and memory: 1"]))
    bench.tally.true("its rule and reason", f"- **NPY-DATA-002** (1): A reason for {small.F8}. `{small.F8}`" in text, text)
    bench.tally.true("a badge", "14 of 15" in "".join(ElementTree.parse(badge).getroot().itertext()))
    bench.adapter("always", lie="always:accept")
    bench.call("--impl", "always", "--save")
    status, text, _ = bench.call("report", bench.folder / "results" / "always.json", "--badge", badge)
    bench.tally.true("wrong accepts by rule", status == 0 and "### Files accepted that must be refused" in text
                     and "- **NPY-FRAME-001** (1): " in text, text)
    value = json.loads(path.read_text())
    path.write_text(json.dumps(value | {"manifest_sha256": "0" * 64}))
    bench.tally.same("results of another version are refused", bench.call("report", path)[0], 2)


PARTS = (explaining, reporting, statuses, usage, choosing, piped, copying, expecting, as_json, as_junit, human, adapters, set_ups,
         broken_adapters, saving, writing, withholding, terminal, interrupted, levels, greedy_for_files, hanging, unwritable, strays)
