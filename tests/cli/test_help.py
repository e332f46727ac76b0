"""The help texts: each names exactly the options that its subcommand takes."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SUBCOMMANDS = "check info cat diff pack unpack explain convert wrap unwrap append objects".split()
TABLE = re.compile(r"static const struct option (\w+)\[\] = (.*?)\{NULL, 0, NULL, 0\}\};", re.DOTALL)
MACRO = re.compile(r"^#define (CLI_\w+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)


def run(safenpy, *words):
    return subprocess.run([safenpy, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def table_of(subcommand):
    """The long options in the table of a subcommand, as the source has it."""
    source = ROOT / "src" / "cli" / ("options.c" if subcommand in ("check", "info") else subcommand + ".c")
    tables = dict(TABLE.findall(source.read_text()))
    text = tables[f"{subcommand}_options"] if f"{subcommand}_options" in tables else next(iter(tables.values()))
    macros = dict(MACRO.findall("".join(path.read_text() for path in sorted((ROOT / "src/cli").glob("*.h")))))
    for _ in range(3):
        text = re.sub(r"\bCLI_(?:ARRAY_OPTIONS|ARCHIVE_LIMITS|MEMBER_OPTIONS|LOCK_OPTION)\b", lambda found: macros[found[0]], text)
    names = re.findall(r'\{\s*(?:\\\s*)?"([a-z-]+)"', text)
    assert len(names) == len(set(names)), f"{subcommand}: an option is twice in its table"
    return set(names)


def named_in(text):
    """The long options that stand at the beginning of a line of a help text, or in its list of options."""
    lines = [line for line in text.splitlines() if re.match(r"  -", line)]
    return {name for line in lines for name in re.findall(r"--([a-z][a-z-]*)", line[:26])}


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help_has_the_options_of_its_subcommand(safenpy, subcommand):
    done = run(safenpy, subcommand, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: safenpy {subcommand} ")
    assert named_in(done.stdout) == (table_of(subcommand) if subcommand != "explain" else {"list", "help"})
    assert run(safenpy, subcommand, "-h").stdout == done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help_has_nothing_of_other_subcommands(safenpy, subcommand):
    text = run(safenpy, subcommand, "--help").stdout
    assert text.count("Usage:") == 1
    assert not [other for other in SUBCOMMANDS if other != subcommand and f"safenpy {other} " in text]


def test_the_general_help_names_every_subcommand(safenpy):
    done = run(safenpy, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for subcommand in SUBCOMMANDS:
        usage = run(safenpy, subcommand, "--help").stdout.splitlines()[0][len("Usage: "):]
        assert usage in done.stdout
        assert re.search(rf"^  {subcommand} +\w", done.stdout, re.MULTILINE)
    assert named_in(done.stdout) == set()
    assert run(safenpy, "help").stdout == run(safenpy, "-h").stdout == done.stdout
