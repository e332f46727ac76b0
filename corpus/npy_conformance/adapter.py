"""Adapters: corpus/adapters/NAME/adapter.json, its set-up, and the command that comes of it."""

import contextlib
import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

LEVELS = ("exit", "json", "lines")
STAMP = "set-up.sha256"
SHARED = "shared"        # a folder beside the adapters, for what several use
SHOWN_LINES = 20


class AdapterError(Exception):
    """The adapter cannot be used; the text says why and what to do."""


@dataclass
class Adapter:
    """What is needed to run an implementation, whether it has an adapter.json or is a bare command."""

    name: str
    command: list
    level: str
    title: str = ""
    version: str = None
    language: str = ""
    set_up: list = None
    needs: tuple = ()
    declares: list = None
    profile: str = None
    loader: str = None
    writes: bool = False
    memory_unsafe: bool = False
    notes: str = ""
    public: str = None               # where its crashes are reported; without it, saved results withhold them
    folder: Path = None              # of adapter.json; None for a bare command


def _is_strings(value):
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _is_text(value):
    return isinstance(value, str)


def _is_address(value):
    return _is_text(value) and value.startswith("https://")


def _is_flag(value):
    return isinstance(value, bool)


def _optional(kind):
    return lambda value: value is None or kind(value)


# Key: (is the value of the right type, must it be there).
KEYS = {
    "name": (_is_text, True), "title": (_is_text, True), "version": (_optional(_is_text), True),
    "language": (_is_text, True), "level": (lambda value: value in LEVELS, True),
    "set_up": (_optional(_is_strings), False), "command": (lambda value: _is_strings(value) and value, True),
    "needs": (_is_strings, False), "declares": (_optional(_is_strings), True),
    "profile": (_optional(_is_text), False), "loader": (_optional(_is_text), False), "writes": (_is_flag, False),
    "memory_unsafe": (_is_flag, False), "notes": (_is_text, False), "public": (_is_address, False),
}


def load(folder, suite):
    """The adapter of a folder."""
    path = Path(folder) / "adapter.json"
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AdapterError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error
    problems = check(value, Path(folder).name, suite)
    if problems:
        raise AdapterError("\n".join(f"{path}: {problem}" for problem in problems))
    return Adapter(**value, folder=Path(folder).resolve())


def check(value, name, suite):
    """What is wrong with an adapter.json."""
    if not isinstance(value, dict):
        return ["not an object"]
    problems = [f"unknown key {key!r}" for key in value if key not in KEYS]
    for key, (kind, needed) in KEYS.items():
        if key not in value:
            if needed:
                problems.append(f"the key {key!r} is missing")
        elif not kind(value[key]):
            problems.append(f"{key} cannot be {json.dumps(value[key])}")
    if not problems and value["name"] != name:
        problems.append(f"the name is {value['name']!r}, its directory's is {name!r}")
    if not problems:
        problems += [f"declares {flag!r}, which is no flag of the suite" for flag in value["declares"] or ()
                     if flag not in suite.flags]
    if not problems and value.get("profile") not in (None, "canonical"):
        problems.append("profile can only be null or canonical")
    return problems


def of_command(text, level):
    """An implementation that is only a command."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise AdapterError(f"{text}: {error}") from error
    if not words:
        raise AdapterError("an empty command")
    if not shutil.which(words[0]):
        raise AdapterError(f"{words[0]}: no adapter has this name, and it is no program that can be run")
    name = Path(words[0]).name
    return Adapter(name=name, title=text, command=words, level=level)


# ---- Set-up ---------------------------------------------------------------------------------------

def ready_command(adapter, build):
    """The command with its BUILD filled in."""
    return [_fill(word, build / adapter.name) for word in adapter.command]


def _fill(word, folder):
    if word == "BUILD" or word.startswith("BUILD/"):
        return str(folder) + word[len("BUILD"):]
    return word


def environment(adapter, build, safenpy):
    """The environment of the adapter and of its set-up."""
    variables = dict(os.environ)
    if adapter.folder:
        variables["BUILD"] = str(build / adapter.name)
    if safenpy:
        variables["SAFENPY"] = str(safenpy)
    return variables


def fingerprint(adapter, safenpy):
    """Changes when a file of the adapter does, of a folder that its set-up names, or of those that adapters share."""
    digest = hashlib.sha256(str(safenpy).encode())
    named = [adapter.folder / word for word in adapter.set_up if "/" in word and (adapter.folder / word).is_dir()]
    for folder in (adapter.folder, adapter.folder.parent / SHARED, *named, *(one.parent / SHARED for one in named)):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def set_up(adapter, build, safenpy, force, say):
    """Runs the set-up unless it has run for exactly this adapter."""
    missing = [program for program in adapter.needs if not shutil.which(program)]
    if missing:
        raise AdapterError(f"{adapter.name} needs {', '.join(missing)}, which cannot be found")
    if not adapter.set_up:
        return
    folder = build / adapter.name
    folder.mkdir(parents=True, exist_ok=True)
    with locked(build / f"{adapter.name}.lock"):
        stamp, wanted = folder / STAMP, fingerprint(adapter, safenpy)
        if not force and stamp.exists() and stamp.read_text() == wanted:
            return
        say(f"setting up {adapter.name}: {shlex.join(adapter.set_up)}")
        stamp.unlink(missing_ok=True)
        run_set_up(adapter, build, safenpy)
        stamp.write_text(wanted)


@contextlib.contextmanager
def locked(path):
    """One set-up of an adapter at a time, whoever runs it."""
    with open(path, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_set_up(adapter, build, safenpy):
    """The set-up itself; what it printed is shown only if it fails."""
    command = [_fill(word, build / adapter.name) for word in adapter.set_up]
    try:
        done = subprocess.run(command, cwd=adapter.folder, env=environment(adapter, build, safenpy), text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        raise AdapterError(f"{adapter.name}: set-up: {error}") from error
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])
        raise AdapterError(f"{adapter.name}: set-up ended with status {done.returncode}\n{tail}")
