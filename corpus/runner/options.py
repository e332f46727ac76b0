"""The options of corpus/run."""

import argparse
from pathlib import Path

from . import declaration, outcome
from .adapter import LEVELS
from .process import Limits
from .report import AT_MOST
from .work import default_jobs

CORPUS = Path(__file__).resolve().parents[1]
ROOT = CORPUS.parent
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
EXAMPLES = """\
examples:
  corpus/run --list                                     all cases, one a line
  corpus/run --impl 'build/safenpy check -q --npy' --profile standard
  corpus/run --impl numpy-2-file --impl npyz            adapters of corpus/adapters
  corpus/run --impl ./reader.py --level lines --only 'accept/*' --only NPY-SHAPE-004
  corpus/run --impl ./reader.py --flag strict --flag long-header --junit report.xml
  corpus/run --impl ./reader.py --fail-on crash,hang,memory
  corpus/run --copy shapes --only 'NPY-SHAPE-*'         a suite of its own with these cases
  corpus/run --impl npyz --save                         into corpus/results/npyz.json
  corpus/run --impl '*' --skip-missing --save           every adapter that can be set up here

exit status: 0 nothing fails; 1 a case fails, or none passes; 2 wrong usage, or an adapter or the suite
cannot be used. corpus/RUNNER.md says what an adapter is and what the outcomes mean.
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

def parser():
    """All options."""
    usage = argparse.ArgumentParser(
        prog="corpus/run", description="Holds implementations of the NPY format against the conformance suite.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    add_what(usage.add_argument_group("what runs").add_argument)
    add_cases(usage.add_argument_group("which cases, and what is expected").add_argument)
    add_limits(usage.add_argument_group("limits").add_argument)
    add_output(usage.add_argument_group("output").add_argument)
    add_places(usage.add_argument_group("where things are").add_argument)
    return usage


def add_what(add):
    """What runs."""
    add("--impl", action="append", default=[], metavar="NAME|COMMAND",
        help="an adapter of corpus/adapters (* and ? are wild), or a command that takes a file; may be repeated")
    add("--level", choices=LEVELS, help="of a COMMAND: how it answers (default exit)")
    add("--reader", action="store_true", help="test reading only")
    add("--writer", action="store_true",
        help="test writing only; with --reader both (default: reading, and writing where adapter.json says so)")
    add("--skip-missing", action="store_true", help="leave out adapters that cannot be set up here")
    add("--set-up", action="store_true", help="only set the adapters up, even if they are")


def add_cases(add):
    """Which cases, and what is expected."""
    add("--only", action="append", default=[], metavar="PATTERN",
        help="cases whose id, verdict, flag or rule matches (* and ? are wild); may be repeated")
    profiles = "; ".join(f"{name}: {text}" for name, text in declaration.PROFILES.items())
    add("--profile", choices=declaration.PROFILES, metavar="NAME", help=profiles)
    add("--flag", action="append", default=[], metavar="FLAG", help="declare one more flag; may be repeated")
    add("--list", action="store_true", help="print the cases: id, verdict, flags, rules, reason; tabs between")
    add("--copy", type=Path, metavar="DIR", help="copy the cases and a manifest cut down to them")


def add_limits(add):
    """What a case may cost."""
    add("--jobs", type=count, default=default_jobs(), metavar="N",
        help="processes at a time (default %(default)s)")
    add("--time", type=seconds, default=Limits.time, metavar="SECONDS", help="a case (default %(default)g)")
    add("--start-time", type=seconds, default=Limits.start, metavar="SECONDS",
        help="until a process of level lines has started (default %(default)g)")
    add("--memory", type=size, default=Limits.memory, metavar="SIZE",
        help="that a case may add to the process (default 1G)")
    add("--address-space", type=size, default=0, metavar="SIZE",
        help="of a process, as ulimit -v (default none: many runtimes reserve far more than they use)")


def add_output(add):
    """What is printed and written."""
    add("--verbose", action="store_true", help=f"show all failures, not {AT_MOST}")
    add("--json", metavar="FILE", help="every outcome as JSON; - is standard output")
    add("--junit", metavar="FILE", help="JUnit's XML; - is standard output")
    add("--save", action="store_true", help="write NAME.json into the folder of the results")
    add("--fail-on", type=outcomes, default=outcome.FAILING, metavar="OUTCOME,…",
        help="which outcomes make exit status 1 (default: all that are wrong); none for none")


def add_places(add):
    """Where things are."""
    add("--suite", type=Path, default=CORPUS, metavar="DIR", help="manifest.json and the files")
    add("--adapters", type=Path, metavar="DIR",
        help="NAME/adapter.json (default: adapters beside the manifest)")
    add("--results", type=Path, metavar="DIR",
        help="where --save writes (default: results beside the manifest)")
    add("--build", type=Path, default=ROOT / "build" / "adapters", metavar="DIR", help="where adapters are set up")
    add("--safenpy", type=Path, metavar="PATH", help="the safenpy command (default build/safenpy)")
