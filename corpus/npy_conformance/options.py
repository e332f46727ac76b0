"""The commands of npy-conformance, and their options."""

import argparse
from pathlib import Path

from . import declaration, outcome
from .adapter import LEVELS
from .manifest import Suite
from .places import BUILD, SUITES, suite_folder
from .process import Limits
from .report import AT_MOST
from .work import default_jobs

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
EXAMPLES = """\
examples:
  npy-conformance run --impl './reader.py'                        a command that takes a file: exit status 0, 1 or 3
  npy-conformance run --suite npz --impl './reader.py'            the same for archives
  npy-conformance run --suite objects --impl './decoder.py'       the same for decoders of object arrays
  npy-conformance run --impl ./reader.py --level lines --only 'accept/*' --only NPY-SHAPE-004
  npy-conformance run --impl ./reader.py --flag strict --flag long-header --junit report.xml
  npy-conformance run --impl ./reader.py --fail-on crash,hang,memory --badge npy.svg
  npy-conformance run --impl ./reader.py --json results.json      then: npy-conformance report results.json
in a checkout of safenpy:
  corpus/run --impl 'build/safenpy check -q --npy' --profile standard
  corpus/run --impl numpy-2-file --impl npyz                      adapters of corpus/adapters
  corpus/run --impl npyz --save                                   into corpus/results/npyz.json
  corpus/run --impl '*' --skip-missing --save                     every adapter that can be set up here

exit status: 0 nothing fails; 1 a case fails, or none passes; 2 wrong usage, or an adapter or the suite
cannot be used. RUNNER.md says what an adapter is and what the outcomes mean.
"""
COMMANDS = """\
commands:
  run       test implementations (the default)
  list      print the cases, or copy some of them
  explain   print what a case is, why, and its bytes
  report    turn results into text for an issue tracker, or a badge

npy-conformance COMMAND --help shows the options.
"""


# ---- Values ---------------------------------------------------------------------------------------

def size(text):
    """A number of bytes: 512M, 1G, 65536."""
    digits, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not digits.isdecimal() or unit not in UNITS or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"no size: {text!r} (try 512M or 1G)")
    return int(digits) * UNITS[unit]


def seconds(text):
    """A time above zero."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"no time: {text!r}")
    return value


def count(text):
    """A number above zero."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"no number above zero: {text!r}")
    return int(text)


def outcomes(text):
    """--fail-on: names of outcomes, or none."""
    names = [] if text == "none" else text.split(",")
    strange = [name for name in names if name not in outcome.ALL]
    if strange:
        raise argparse.ArgumentTypeError(f"no outcome: {', '.join(strange)} (there are {', '.join(outcome.ALL)})")
    return frozenset(names)


# ---- Options --------------------------------------------------------------------------------------

class Version(argparse.Action):
    """--version: the versions of the suites."""

    def __call__(self, usage, *_):
        for name, folder in SUITES.items():
            print(f"{name} {Suite(folder).version}")
        usage.exit()


def parse(words):
    """The options of a call; without a command, those of `run`."""
    alone = ("-h", "--help", "--version")
    return parser().parse_args(words if words and (words[0] in alone or not words[0].startswith("-")) else ["run", *words])


def parser():
    """All commands with their options."""
    raw = argparse.RawDescriptionHelpFormatter
    usage = argparse.ArgumentParser(
        prog="npy-conformance", usage="npy-conformance [--help] [--version] COMMAND …", formatter_class=raw,
        description="Tests implementations of the NPY and NPZ formats and of object arrays.", epilog=COMMANDS, allow_abbrev=False)
    usage.add_argument("--version", action=Version, nargs=0, help="print the version of each suite")
    commands = usage.add_subparsers(prog=usage.prog, dest="command", required=True, metavar="COMMAND", help=argparse.SUPPRESS)
    run = commands.add_parser("run", formatter_class=raw, allow_abbrev=False, epilog=EXAMPLES,
                              description="Tests implementations against the conformance suite.")
    add_what(run.add_argument_group("what runs").add_argument)
    add_cases(run.add_argument_group("which cases, and what is expected").add_argument)
    add_limits(run.add_argument_group("limits").add_argument)
    add_output(run.add_argument_group("output").add_argument)
    add_places(run.add_argument_group("where things are").add_argument)
    listed = commands.add_parser("list", allow_abbrev=False,
                                 description="Prints the cases: id, verdict, flags, rules, reason; tabs between.")
    add_suite(listed.add_argument)
    add_only(listed.add_argument)
    listed.add_argument("--copy", type=Path, metavar="DIR",
                        help="copy the cases and a manifest cut down to them, and print nothing else")
    explain = commands.add_parser("explain", allow_abbrev=False,
                                  description="Prints what a case is, what is expected and why, and its bytes.")
    explain.add_argument("case", metavar="CASE", help="the id of a case: accept/numpy/dtype/le-f8")
    add_suite(explain.add_argument, "of the case (default: the one that has it)", default=None)
    report = commands.add_parser("report", allow_abbrev=False, description="Turns results into Markdown: what to fix first.")
    report.add_argument("results", type=Path, metavar="RESULTS", help="what `run --json` or `run --save` wrote")
    add_suite(report.add_argument, "that the results are of (default: the one with this manifest)", default=None)
    report.add_argument("--pages", metavar="ADDRESS", help="where the pages of the cases are, to link each case")
    report.add_argument("--badge", type=Path, metavar="FILE", help="write a badge as SVG")
    return usage


def add_suite(add, text="to use (default npy)", default=SUITES["npy"]):
    """Which suite."""
    add("--suite", type=suite_folder, default=default, metavar="|".join([*SUITES, "DIR"]), help=f"the suite {text}")


def add_only(add):
    """Which cases."""
    add("--only", action="append", default=[], metavar="PATTERN",
        help="cases whose id, verdict, flag or rule matches (* and ? are wild); may be repeated")


def add_what(add):
    """What runs."""
    add("--impl", action="append", default=[], metavar="NAME|COMMAND",
        help="a command that takes a file, or the name of an adapter (* and ? are wild); may be repeated")
    add("--level", choices=LEVELS, help="of a COMMAND: how it answers (default exit)")
    add("--reader", action="store_true", help="test reading only")
    add("--writer", action="store_true",
        help="test writing only; with --reader both (default: reading, and writing where adapter.json says so)")
    add("--skip-missing", action="store_true", help="skip adapters that cannot be set up here")
    add("--set-up", action="store_true", help="only set up the adapters, even those that are set up already")


def add_cases(add):
    """Which cases, and what is expected."""
    add_only(add)
    profiles = "; ".join(f"{name}: {text}" for name, text in declaration.PROFILES.items())
    add("--profile", choices=declaration.PROFILES, metavar="NAME", help=profiles)
    add("--flag", action="append", default=[], metavar="FLAG", help="declare one more flag; may be repeated")


def add_limits(add):
    """What a case may cost."""
    add("--jobs", type=count, default=default_jobs(), metavar="N",
        help="number of processes at a time (default %(default)s)")
    add("--time", type=seconds, default=Limits.time, metavar="SECONDS", help="limit for one case (default %(default)g)")
    add("--start-time", type=seconds, default=Limits.start, metavar="SECONDS",
        help="limit for the start of a process of level lines (default %(default)g)")
    add("--memory", type=size, default=Limits.memory, metavar="SIZE",
        help="limit of what one case may add to the process (default 1G)")
    add("--address-space", type=size, default=0, metavar="SIZE",
        help="limit of one process, as ulimit -v (default none: many runtimes reserve far more than they use)")


def add_output(add):
    """What is printed and written."""
    add("--verbose", action="store_true", help=f"show all failures, not {AT_MOST}")
    add("--json", metavar="FILE", help="write every outcome as JSON; - is standard output")
    add("--junit", metavar="FILE", help="write JUnit's XML; - is standard output")
    add("--badge", metavar="FILE", help="write a badge as SVG; for one implementation")
    add("--save", action="store_true", help="write NAME.json into the folder of the results")
    add("--fail-on", type=outcomes, default=outcome.FAILING, metavar="OUTCOME,…",
        help="which outcomes make exit status 1 (default: all that are wrong); none for none")


def add_places(add):
    """Where things are."""
    add_suite(add)
    add("--adapters", type=Path, metavar="DIR",
        help="NAME/adapter.json (default: adapters beside the manifest)")
    add("--results", type=Path, metavar="DIR",
        help="where --save writes (default: results beside the manifest)")
    add("--build", type=Path, default=BUILD, metavar="DIR", help="where adapters are set up")
    add("--safenpy", type=Path, metavar="PATH", help="the safenpy command (default build/safenpy)")
