"""The text of the core as Frama-C gets it: preprocessed with its comments, then the macros inside its annotations.

What is looked for in annotations is looked for in this text, so that no macro, line splice or string hides it; and the
hash of a proof (content.py) is made from it.
"""

import functools
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# What Frama-C 25 calls the preprocessor with (-kernel-msg-key pp), by machine model.
MACHDEPS = {"gcc_x86_64": ["-D__FC_MACHDEP_GCC_X86_64", "-m64"], "gcc_x86_32": ["-D__FC_MACHDEP_GCC_X86_32", "-m32"],
            "ppc_32": ["-D__FC_MACHDEP_PPC_32", "-m32"]}
INCLUDES = ("include", "src", ".")
LEXEME = re.compile(
    r"""(?P<marker>^\#[ ](?P<line>\d+)[ ]"(?P<file>[^"\n]*)"[^\n]*$)
      | (?P<annotation>/\*@.*?\*/|//@[^\n]*)
      | (?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)
INSIDE = re.compile(r"""(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<comment>//[^\n]*)|\\(?P<builtin>[a-z]\w*)""")
BUILTIN = "SNPY_BUILTIN_"  # stands for a backslash: `\\false` is not the macro `false`
FENCE = re.compile(r"SNPY_BEGIN_(\d+)\b(.*?)\bSNPY_END_\1\b", re.DOTALL)


class Failed(Exception):
    """The preprocessor refused a file."""


@dataclass
class Annotation:
    file: str  # below the root, or absolute
    line: int
    raw: str  # as written, with its own comments
    body: str = ""  # without them, with macros expanded


@dataclass
class Text:
    """A file of the core with all that it includes."""

    code: str = ""  # annotations stand in it as SNPY_BEGIN_n … SNPY_END_n
    annotations: list = field(default_factory=list)
    files: set = field(default_factory=set)  # all that it is made of


def uncommented(annotation):
    """The text of an annotation without its own comments, its builtins hidden from the preprocessor."""
    def shown(match):
        return match.group() if match.lastgroup == "string" else BUILTIN + match.group("builtin") if match.group("builtin") else " "

    inner = annotation[3:].removesuffix("*/") if annotation.startswith("/*@") else annotation[3:]
    return INSIDE.sub(shown, inner)


@functools.lru_cache(maxsize=1)
def library():
    """Where Frama-C keeps its headers of the C library."""
    said = subprocess.run(["frama-c", "-print-share-path"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return Path(said.strip()) / "libc"


def preprocess(call, text, root):
    run = subprocess.run([*call, "-x", "c", "-"], input=text, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, errors="replace", check=False)
    if run.returncode != 0:
        raise Failed(run.stderr.strip())
    return run.stdout


def expand(root, path, machine):
    """The text of one file of the core under one machine model."""
    includes = [f"-I{root / name}" for name in INCLUDES]
    define, width = MACHDEPS[machine]
    call = ["gcc", "-E", "-C", f"-I{library()}", "-D__FRAMAC__", define, "-dD", "-nostdinc", width, *includes]
    first = preprocess(call, f'#include "{path}"\n', root)
    text, pieces, at, file, begun, origin = Text(), [], 0, "", 0, 0
    for match in LEXEME.finditer(first):
        kind = match.lastgroup if match.group("marker") is None else "marker"
        if kind == "string":
            continue
        pieces.append(first[at:match.start()])
        at = match.end()
        if kind == "marker":
            file, begun, origin = match.group("file"), int(match.group("line")), match.end() + 1
            pieces.append(match.group())
            text.files.add(file.removeprefix(f"{root}/"))
        elif kind == "comment":
            pieces.append(" ")
        else:
            number = len(text.annotations)
            line = begun + first.count("\n", origin, match.start())
            text.annotations.append(Annotation(file.removeprefix(f"{root}/"), line, match.group()))
            pieces.append(f" SNPY_BEGIN_{number} {uncommented(match.group())} SNPY_END_{number} ")
    pieces.append(first[at:])
    text.code = preprocess(["gcc", "-E", "-P", "-w", "-nostdinc", "-undef", width], "".join(pieces), root)
    text.code = text.code.replace(BUILTIN, "\\")
    for number, body in FENCE.findall(text.code):
        text.annotations[int(number)].body = body
    return text
