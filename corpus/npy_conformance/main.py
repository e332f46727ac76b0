"""npy-conformance: from the options to the exit status."""

import fnmatch
import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from . import adapter as adapters
from . import advice, badge, declaration, explain, junit, report, results, selection, strays
from .adapter import AdapterError
from .advice import ResultsError
from .execute import Implementation, Settings
from .manifest import Suite, SuiteError
from .options import parse
from .places import CORPUS, SAFENPY, SUITES
from .process import Limits
from .progress import Progress
from .selection import SelectionError
from .writer import JudgeError

OK, FAILED, UNUSABLE = 0, 1, 2


class UsageError(Exception):
    """Options that do not go together."""


# ---- What is asked for ----------------------------------------------------------------------------

def find(options, suite):
    """The adapters that are asked for."""
    known = sorted(path.parent.name for path in options.adapters.glob("*/adapter.json"))
    found = []
    for text in options.impl:
        named = fnmatch.filter(known, text)
        found += [adapters.load(options.adapters / name, suite) for name in named]
        if not named:
            found.append(adapters.of_command(text, options.level or "exit"))
    names = [one.name for one in found]
    for place, one in enumerate(found):
        if names.count(one.name) > 1:
            if one.folder:
                raise UsageError(f"{one.name} is asked for twice")
            one.name = f"{one.name}-{place + 1}"
    return found


def check_usage(options, found):
    """Refuses options that would be without effect, or results that would not be what they seem."""
    if not found:
        raise UsageError("nothing to do: give --impl (--help shows examples)")
    if options.badge and len(found) > 1:
        raise UsageError("--badge is for one implementation")
    if options.level and all(one.folder for one in found):
        raise UsageError("--level is for a COMMAND; an adapter has its own")
    if options.set_up and any(not one.folder for one in found):
        raise UsageError("--set-up is for adapters; a COMMAND has none")
    if options.json == options.junit == "-":
        raise UsageError("--json - and --junit - cannot share standard output")
    if options.save:
        check_save(options, found)
    if not options.set_up:
        check_places(options)


def check_save(options, found):
    """Saved results are those of whole runs, as adapter.json declares them."""
    if any(not one.folder for one in found):
        raise UsageError("--save is for adapters; a COMMAND has no name to save under")
    if options.only or options.flag or options.profile or options.reader or options.writer:
        raise UsageError("--save does not go with --only, --flag, --profile, --reader or --writer: "
                         "it saves whole runs as adapter.json declares them")


def check_places(options):
    """Reports that cannot be written are worth a word before the run, not after it."""
    for option, path in (("--json", options.json), ("--junit", options.junit), ("--badge", options.badge)):
        if path not in (None, "-"):
            problem = unwritable(Path(path))
            if problem:
                raise UsageError(f"{option}: {path}: {problem}")
    if options.save:
        options.results.mkdir(parents=True, exist_ok=True)
        if not os.access(options.results, os.W_OK | os.X_OK):
            raise UsageError(f"--save: {options.results}: it cannot be written")


def unwritable(path):
    """Why a file cannot be written, if that can be told without writing it."""
    if path.is_dir():
        return "it is a directory"
    if path.exists():
        return "" if os.access(path, os.W_OK) else "it cannot be written"
    if not path.parent.is_dir():
        return "there is no such directory"
    return "" if os.access(path.parent, os.W_OK | os.X_OK) else "its directory cannot be written"


def declared(options, suite, one):
    """What an implementation declares: its adapter.json, unless --profile or --flag says otherwise."""
    strange = [flag for flag in options.flag if flag not in suite.flags]
    if strange:
        raise UsageError(f"no flag of the suite: {', '.join(strange)} (there are {', '.join(suite.flags)})")
    if options.profile:
        return declaration.of_profile(suite, options.profile, options.flag)
    own = one.declares
    if options.flag:
        own = set(own or ()) | set(options.flag)
    return declaration.Declaration(suite, own, canonical=one.profile == "canonical")


def safenpy_of(options):
    """The safenpy command, if there is one."""
    path = options.safenpy or SAFENPY
    if path and path.is_file() and os.access(path, os.X_OK):
        return path.resolve()
    if options.safenpy:
        raise UsageError(f"{path} is no program")
    return None


# ---- What is done ---------------------------------------------------------------------------------

def settings_for(options, suite, cases, one):
    """What holds for one implementation."""
    settings = Settings(
        suite=suite, cases=cases, jobs=options.jobs, build=options.build.resolve(), safenpy=safenpy_of(options),
        limits=Limits(options.time, options.memory, options.start_time, options.address_space),
        progress=Progress(one.name), reads=options.reader or not options.writer,
        writes=options.writer or (one.writes and not options.reader))
    if settings.writes and not settings.safenpy:
        raise UsageError("safenpy judges what was written: build it (make) or give --safenpy PATH")
    return settings


def run_all(options, suite, cases, found):
    """Every implementation, one after the other."""
    if any(one.folder for one in found):
        options.build.mkdir(parents=True, exist_ok=True)
    plans = [(one, declared(options, suite, one), settings_for(options, suite, cases, one)) for one in found]
    runs = []
    for one, declares, settings in plans:
        if not is_ready(options, one, settings) or options.set_up:
            continue
        with tempfile.TemporaryDirectory(prefix="npy-run-") as scratch:
            settings.scratch = Path(scratch).resolve()
            try:
                runs.append(Implementation(one, declares, settings).execute())
            finally:
                settings.progress.clear()
                strays.kill_all()
    return runs


def is_ready(options, one, settings):
    """Sets an adapter up. One that cannot be is left out if that was asked for."""
    try:
        adapters.set_up(one, settings.build, settings.safenpy, options.set_up, say)
    except AdapterError as error:
        if not options.skip_missing:
            raise
        say(f"skipped: {error}")
        return False
    return True


def say(text):
    """What is going on, for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def put_out(options, suite, runs):
    """All reports; the one for people goes where it disturbs no other. What could not be written, as sentences."""
    lost = []
    if options.json:
        lost += write_text(options.json, report.as_json(suite, runs))
    if options.junit:
        lost += write_text(options.junit, junit.as_junit(suite, runs, options.fail_on))
    if options.badge:
        lost += write_text(options.badge, badge.of_run(suite, runs[0], options.fail_on))
    for run in runs if options.save else ():
        lost += write_text(options.results / f"{run.adapter.name}.json", results.text_of(suite, run))
    stream = sys.stderr if "-" in (options.json, options.junit) else sys.stdout
    stream.write(report.human(suite, runs, options.fail_on, options.verbose))
    return lost


def write_text(path, text):
    """A report into a file, or to standard output; a file that cannot be written must not cost the others."""
    if path == "-":
        sys.stdout.write(text)
        return []
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        return [f"{path}: {error.strerror}"]
    return []


def place_of(suite, name):
    """A folder beside the manifest; a suite without one, such as a copy, uses that of the suite of NPY files."""
    return suite / name if (suite / name).is_dir() else CORPUS / name


def run_command(options):
    """`run`."""
    suite = Suite(options.suite)
    options.adapters = options.adapters or place_of(options.suite, "adapters")
    options.results = options.results or place_of(options.suite, "results")
    cases = selection.select(suite.cases, options.only)
    found = find(options, suite)
    check_usage(options, found)
    runs = run_all(options, suite, cases, found)
    if options.set_up:
        return OK
    if not runs:
        raise UsageError("no adapter is left")
    lost = put_out(options, suite, runs)
    if lost:
        raise UsageError("; ".join(lost))
    bad = any(run.failing(options.fail_on) or run.problems or run.empty() for run in runs)
    return FAILED if bad else OK


def list_command(options):
    """`list`."""
    suite = Suite(options.suite)
    cases = selection.select(suite.cases, options.only)
    if options.copy:
        selection.copy(suite, cases, options.copy)
        print(f"{len(cases)} cases in {options.copy}")
    else:
        sys.stdout.write(selection.listing(cases))
    return OK


def suites_of(options):
    """The suites among which a case or a result is looked for."""
    return [Suite(folder) for folder in ([options.suite] if options.suite else SUITES.values())]


def explain_command(options):
    """`explain`."""
    sys.stdout.write(explain.text_of(*explain.find(suites_of(options), options.case)))
    return OK


def report_command(options):
    """`report`."""
    suite, outcomes = advice.load(options.results, suites_of(options))
    if options.badge:
        lost = write_text(options.badge, "".join(badge.of_totals(suite, one.totals()) for one in outcomes[:1]))
        if lost:
            raise UsageError("; ".join(lost))
    sys.stdout.write("\n".join(advice.markdown(suite, one, options.pages) for one in outcomes))
    return OK


COMMANDS = {"run": run_command, "list": list_command, "explain": explain_command, "report": report_command}


def terminated(*_):
    """SIGTERM ends the runner as SIGINT does: with its processes."""
    raise KeyboardInterrupt


def main():
    """The program."""
    options = parse(sys.argv[1:])
    strays.adopt()
    signal.signal(signal.SIGTERM, terminated)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        status = COMMANDS[options.command](options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:                  # whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (UsageError, AdapterError, SelectionError, SuiteError, JudgeError, ResultsError, OSError) as error:
        print(f"npy-conformance: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception:                        # a mistake of the runner's own is no verdict either
        traceback.print_exc()
        return UNUSABLE
    finally:
        strays.kill_all()
