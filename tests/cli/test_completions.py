"""Completions for bash, zsh and fish: each shell runs its own, and offers what the help texts have."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_help import SUBCOMMANDS

ROOT = Path(__file__).resolve().parents[2]
COMPLETIONS = ROOT / "completions"
# The scripts know these values; everything else comes from the command.
VALUES = {
    "--allow": "objects trailing members names", "--byteorder": "little big native", "--format-version": "1.0 2.0 3.0",
    "--dtype-version": "1.0 2.0 3.0", "--order": "C F", "--output": "text csv json raw", "--format": "text csv json raw",
    "--profile": "standard canonical",
    "--compat": "all int-fortran-order numpy-bool numpy-int list-shape int-shape list-field metadata native-order type-names "
                "bytes-alias platform-float zip-prefix zip-trailing zip-gaps unsigned-descriptor",
}


def help_of(safenpy, subcommand):
    return subprocess.run([safenpy, subcommand, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def options_of(safenpy, subcommand):
    """The options, long and short, that the help of a subcommand names."""
    lines = [line[:26] for line in help_of(safenpy, subcommand).splitlines() if line.startswith("  -")]
    return {name for line in lines for name in re.findall(r"(?<!\S)--?[a-z0-9][a-z-]*", line)}


def bash(words):
    line = " ".join(words)
    script = ('. "$0"; COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _safenpy; printf "%s\\n" "${COMPREPLY[@]}"')
    return ["bash", "-c", script, COMPLETIONS / "safenpy.bash", line, *words]


def fish(words):
    return ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', COMPLETIONS / "safenpy.fish", " ".join(words)]


def zsh(words):
    """zsh completes at a terminal only: what it would offer is taken where it is added."""
    script = ('compset() { [[ $1 == -P ]] || return 1; [[ $PREFIX == ${~2}* ]] || return 1; IPREFIX=${(M)PREFIX##${~2}}; '
              'PREFIX=${PREFIX##${~2}}; }; _call_program() { shift; "$@"; }; _files() { print -l -- $PREFIX*(N); }; '
              '_describe() { print -l -- ${${(P)@[-1]}%%:*}; }; compadd() { print -l -- $IPREFIX${(P)^@[-1]}; }; '
              'file=$1; shift; words=("$@"); CURRENT=$#; PREFIX=$words[-1]; IPREFIX=; source $file')
    return ["zsh", "-f", "-o", "extendedglob", "-c", script, "zsh", COMPLETIONS / "_safenpy", *words]


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
SCRIPTS = {"bash": "safenpy.bash", "zsh": "_safenpy", "fish": "safenpy.fish"}


@pytest.fixture(params=SHELLS)
def complete(request, safenpy, tmp_path):
    """Completes the last of the words; returns what is offered for it."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    environment = {**os.environ, "PATH": f"{safenpy.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def call(*words):
        done = subprocess.run(SHELLS[request.param](["safenpy", *words]), cwd=tmp_path, env=environment, capture_output=True,
                              text=True, check=False, timeout=120)
        assert done.stderr == "", done.stderr
        begun = words[-1]
        offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
        return sorted({line for line in offered if line.startswith(begun)})
    call.shell = request.param
    return call


@pytest.mark.parametrize("shell", SHELLS)
def test_syntax(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", COMPLETIONS / SCRIPTS[shell]], check=True)


def test_subcommands(complete):
    assert complete("") == sorted(SUBCOMMANDS) or complete("") == sorted([*SUBCOMMANDS, "--help", "--version"])
    assert complete("--") == ["--help", "--version"]
    assert complete("un") == ["unpack", "unwrap"]


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_options_are_those_of_the_help(complete, safenpy, subcommand):
    expected = options_of(safenpy, subcommand)
    assert complete(subcommand, "--") == sorted(name for name in expected if name.startswith("--"))
    if complete.shell != "fish":  # which offers short options only where a single one fits
        assert complete(subcommand, "-") == sorted(expected)


def test_values(complete, safenpy):
    """Each option whose values the scripts know, wherever there is one."""
    tried = set()
    for subcommand in ("check", "cat", "convert"):
        for name in options_of(safenpy, subcommand) & set(VALUES):
            assert complete(subcommand, name, "") == sorted(VALUES[name].split()), (subcommand, name)
            tried.add(name)
    assert tried == set(VALUES)
    assert complete("check", "--compat", "all,zip-t") == ["all,zip-trailing"]
    assert complete("check", "--allow", "names,members,t") == ["names,members,trailing"]


def test_values_are_those_of_the_command(safenpy):
    """What the command says of a value that there is not, and of the flags that there are."""
    for name, subcommand in (("--compat", "check"), ("--allow", "check"), ("--profile", "check"), ("--byteorder", "convert")):
        done = subprocess.run([safenpy, subcommand, name, "x", "a", "b"], capture_output=True, text=True, check=False)
        listed = re.split(r"there are |a list of |: use |not ", done.stderr.splitlines()[0])[-1]
        assert set(re.split(r", (?:or )?| or ", listed)) == set(VALUES[name].split()), done.stderr


def test_files_and_rules(complete, tmp_path):
    (tmp_path / "some.npy").touch()
    assert complete("check", "--json", "so") == ["some.npy"]
    assert complete("explain", "NPY-FRAME-00") == [f"NPY-FRAME-00{i}" for i in range(1, 10)]
