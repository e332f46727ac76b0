#!/usr/bin/env python3
"""Writes the library as three files: safenpy.h, safenpy.c (the core) and safenpy_host.c (data, files, archives).

    tools/amalgamate.py DIRECTORY

The sources follow one another as they are, without annotations, the logic that only those use, and macros and comments
that have nothing left to stand for. A static name that another file uses, too, gets the name of its file. The same
sources give the same bytes.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOTS = ROOT / "include", ROOT / "src", ROOT
# What can be left out: the macro, the files below src/ that go with it, and what they are.
PARTS = {
    "SNPY_WITHOUT_ZIP": (r"core/zip/.*\.c|npz/.*", "archives"),
    "SNPY_WITHOUT_WRITE": (r"core/(?:write|describe|pen|printable)\.c", "headers that are written; implies SNPY_WITHOUT_HOST"),
    "SNPY_WITHOUT_OBJECTS": (r"core/object/.*\.c|host/object_.*|host/flat_.*", "object arrays"),
}
LEAVE_OUT = [*PARTS, "SNPY_WITHOUT_MESSAGES"]
STATUSES = '#include "safenpy/statuses.h"\n'
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\s+|.""", re.DOTALL)
DEFINITION = re.compile(r"^[ \t]*#define (\w+)(?:\\\n|[^\n])*\n", re.MULTILINE)
INCLUDE = re.compile(r'^#include ([<"])(.*?)[>"].*\n', re.MULTILINE)
TABLE = re.compile(r"#define SNPY_STATUS\(([^)]*)\)((?:\\\n|[^\n])*)\n" + re.escape(STATUSES))
# A name that a file defines for itself: a static function or table, a struct, or an alias of one.
STATIC = re.compile(r"^static (?:inline )?[^=;(){}]*?(\w+)(?:\[[^\]=;]*\])* ?(?:\(|=|;)|^(?:typedef )?(struct \w+) \{|^\} (\w+);",
                    re.MULTILINE)
GUARD = re.compile(r"^#ifndef (SAFENPY\w+|SNPY\w+_H)\n#define \1\n(.*)^#endif\n", re.MULTILINE | re.DOTALL)
CPLUSPLUS = re.compile(r"^#ifdef __cplusplus\n(?:extern \"C\" \{|\})\n#endif\n", re.MULTILINE)
BEGIN, END = '#ifdef __cplusplus\nextern "C" {\n#endif\n\n', "\n#ifdef __cplusplus\n}\n#endif\n"
# clang warns about inline functions that are not used, unless they come from a header.
UNUSED = ('#ifdef __clang__\n#pragma clang diagnostic push\n#pragma clang diagnostic ignored "-Wunused-function"\n#endif\n{}'
          "\n#ifdef __clang__\n#pragma clang diagnostic pop\n#endif\n")
GONE = "\x01"  # where something was

ABOUT = {
    "safenpy.h": """the interface of the library, in one file.

Compile it with safenpy.c, which needs no C library, and on POSIX with safenpy_host.c: arrays, files, archives. These macros,
the same for all files, leave parts out:

SNPY_WITHOUT_HOST      what safenpy_host.c defines; a freestanding compiler implies it
SNPY_WITHOUT_MESSAGES  the texts of the statuses; implies SNPY_WITHOUT_HOST""",
    "safenpy.c": """the core: headers, values, views, copies, directories of archives.

C99, or C++20 with -Wno-narrowing. Freestanding: no heap, no variables, no C library. The proofs are of the same code in
src/core; only layout, comments and some static names differ.""",
    "safenpy_host.c": """arrays, files and archives, on POSIX.

C99. Link it with safenpy.c, zlib, libdeflate and threads; with SNPY_WITHOUT_ZIP it needs none of the libraries.""",
}


def tokens(text):
    """The code of a text, as tokens: neither comments nor blanks."""
    return [token for token in TOKEN.findall(text) if not token.startswith(("/*", "//")) and not token.isspace()]


def read(path):
    """A file without its annotations and without orders to tools."""
    def strip(match):
        token = match[0]
        return GONE if token.startswith(("/*@", "//@")) else "" if re.match(r"/[/*] (?:clang-format|NOLINT)", token) else token

    text = TOKEN.sub(strip, path.read_text(encoding="utf-8"))
    return re.sub(r"^[ \t]+$", "", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE), flags=re.MULTILINE)


def paragraphs(text):
    """The pieces of a text between blank lines that stand in no comment."""
    piece = ""
    for token in TOKEN.findall(text):
        if token.isspace() and token.count("\n") > 1:
            yield piece + "\n"
            piece = token.rpartition("\n")[2]
        else:
            piece += token
    yield piece


def tidy(text):
    """Leaves out lines whose annotation is gone, and paragraphs of which only comments are left."""
    left = []
    for piece in paragraphs(text):
        kept = re.sub(rf"^[ \t{GONE}]*{GONE}[ \t{GONE}]*\n", "", piece, flags=re.MULTILINE)
        kept = re.sub(rf"[ \t]*{GONE}", "", kept)
        if kept.strip() and (tokens(kept) or GONE not in piece):
            left.append(kept.strip("\n") + "\n")
    return "\n".join(left)


def statuses():
    """The table of statuses: the arguments of each entry."""
    text = (ROOT / "include" / "safenpy" / "statuses.h").read_text(encoding="utf-8")
    for match in re.finditer(r'^SNPY_STATUS\((\w+), (\d+),\s*((?:"(?:\\.|[^"\\])*"[\s,]*)+)\)$', text, re.MULTILINE):
        yield match[1], match[2], *re.split(r'(?<="),\s*', match[3])


def expand(text):
    """Writes the table of statuses out where the text includes it."""
    def replace(match):
        names = [name.strip() for name in match[1].split(",")]
        body = " ".join(match[2].replace("\\\n", "").split())
        lines = []
        for entry in statuses():
            values = dict(zip(names, entry))
            line = re.sub(r"#(\w+)", lambda name, values=values: f'"{values[name[1]]}"', body)
            line = TOKEN.sub(lambda name, values=values: values.get(name[0], name[0]), line)
            comment = f" /* {values['rule'][1:-1]}: {values['message'][1:-1]} */" if body.startswith(",") else ""
            lines.append(f"    {line}{comment}\n")
        return "".join(lines)

    return TABLE.sub(replace, text)


class File:
    """A source, as it goes into the three files."""

    def __init__(self, path):
        self.path, text = path, read(path)
        self.name = path.relative_to(next(root for root in ROOTS if root in path.parents)).as_posix()
        self.part = next((part for part, (files, _) in PARTS.items() if re.fullmatch(files, self.name)), None)
        guarded = GUARD.search(text) if path.suffix == ".h" else None
        if guarded:
            text = text[:guarded.start()] + guarded[2]
        # What asks the C library for more, before its first header.
        first = INCLUDE.search(text)
        asks = re.search(r"^#if.*?^#endif\n", text[:first.start()], re.MULTILINE | re.DOTALL) if first else None
        self.asks = re.sub(r" /\*.*?\*/", "", asks[0]) if asks else ""
        text = text.replace(asks[0], "") if asks else text
        self.headers = [name for kind, name in INCLUDE.findall(text) if kind == '"' and "statuses.h" not in name]
        self.system = []
        lines, depth = [], 0
        for line in CPLUSPLUS.sub("", text).splitlines(keepends=True):
            depth += line.startswith("#if") - line.startswith("#endif")
            include = INCLUDE.match(line)
            if include and line != STATUSES and (include[1] == '"' or depth == 0):
                self.system += [include[2]] if include[1] == "<" else []
            else:
                lines.append(line)
        # Of the logic, the code uses some macros.
        is_logic = self.name.startswith("spec/")
        self.text = "\n".join(match[0] for match in DEFINITION.finditer(text)) if is_logic else "".join(lines)

    def rename(self, shared):
        """Appends the name of this file to its static names that others share; members of structs keep theirs."""
        result, last = [], ""
        for token in TOKEN.findall(self.text):
            name = f"struct {token}" if last == "struct" else token
            is_shared = name in shared and last not in (".", ">")
            result.append(f"{token}_{self.name.replace('/', '_')[:-2]}" if is_shared else token)
            last = token if not token.isspace() else last
        self.text = "".join(result)

    def write(self):
        """The text, between the guards of its parts; macros of a .c file end with it."""
        pieces = []
        for piece in paragraphs(self.text):
            guard = STATUSES in piece and self.path.suffix == ".c"
            pieces.append(f"#ifndef SNPY_WITHOUT_MESSAGES\n{piece}#endif\n" if guard else piece)
        text = tidy(expand("\n".join(pieces)))
        if self.path.suffix == ".c":
            own = sorted(set(DEFINITION_NAME.findall(text)) - set(re.findall(r"#undef (\w+)", text)))
            text += "\n" + "".join(f"#undef {name}\n" for name in own) if own else ""
        return f"\n#ifndef {self.part}\n\n{text}\n#endif /* {self.part} */\n" if self.part else f"\n{text}"


DEFINITION_NAME = re.compile(r"^#define (\w+)", re.MULTILINE)


def with_headers(files, known):
    """The headers that the files include, each after those that it includes; `known` are not looked for again."""
    found = []
    for file in files:
        for name in file.headers:
            if name in known:
                continue
            known.add(name)
            header = File(next(root / name for root in ROOTS if (root / name).exists()))
            found += with_headers([header], known) + [header]
    return found


def drop_macros(files):
    """Leaves out the macros that only annotations used, and those that only such macros used."""
    used, defined = {}, {}
    for file in files:
        for match in DEFINITION.finditer(file.text):
            defined.setdefault(match[1], set()).update(tokens(match[0].split(None, 2)[-1]))
        for token in tokens(DEFINITION.sub("", file.text)):
            used[token] = True
    todo = [name for name in defined if name in used or name in ("SNPY_STATUS",)]
    while todo:
        for token in defined[todo.pop()] & defined.keys() - used.keys():
            used[token] = True
            todo.append(token)
    for file in files:
        file.text = DEFINITION.sub(lambda match: match[0] if match[1] in used or match[1] == "SNPY_STATUS" else GONE + "\n",
                                   file.text)


def body(files):
    """Headers and sources, one after another."""
    owners, words = {}, {file: set(tokens(file.text)) for file in files}
    for file in files:
        for name, struct, alias in STATIC.findall(file.text):
            owners.setdefault(name or struct or alias, set()).add(file)
    for file in (file for file in files if file.path.suffix == ".c"):
        file.rename({name for name, places in owners.items() if file in places and (
            len(places) > 1 or not name.startswith(("snpy_", "struct ")) and sum(name in found for found in words.values()) > 1)})
    drop_macros(files)
    inline = "".join(file.write() for file in files if file.path.suffix == ".h")
    return UNUSED.format(inline) + "".join(file.write() for file in files if file.path.suffix == ".c")


def system(files, known=()):
    """The C library's headers: those that are always needed, then those of each part."""
    known, text = {name for file in known for name in file.system}, ""
    for part in (None, *PARTS):
        names = {name for file in files if file.part == part for name in file.system} - known
        lines = "".join(f"#include <{name}>\n" for name in sorted(names))
        text += f"#ifndef {part}\n{lines}#endif\n" if part and names else lines
        known |= names
    return text


def about(name, files):
    first, *rest = ABOUT[name].split("\n")
    version = re.search(r'SNPY_VERSION_STRING "(.*)"', (ROOT / "include" / "safenpy" / "export.h").read_text(encoding="utf-8"))
    parts = [f"{part:<22} {text}" for part, (_, text) in PARTS.items() if any(file.part == part for file in files)]
    lines = [f"/* {name}: {first}", *rest, *(parts if name == "safenpy.h" else ()), "",
             f"Made by tools/amalgamate.py from safenpy {version[1]}; do not edit.", "",
             *(ROOT / "LICENSE").read_text(encoding="utf-8").rstrip().split("\n")]
    return "\n".join([lines[0], *(f" * {line}".rstrip() for line in lines[1:])]) + " */\n"


def amalgamate():
    """Name and text of each of the three files."""
    def sources(*rooms):
        return [File(path) for room in rooms for path in sorted((ROOT / "src" / room).rglob("*.c"))]

    core, host = sources("core"), sources("data", "host", "npz")
    in_core = with_headers(core, set())
    public = [header for header in in_core if header.name.startswith("safenpy/")]
    interface = File(ROOT / "include" / "safenpy" / "safenpy.h")
    interface.headers += sorted(path.relative_to(ROOT / "include").as_posix() for path in
                                (ROOT / "include" / "safenpy").glob("*.h") if path.name not in ("statuses.h", "safenpy.h"))
    known = {header.name for header in public}
    of_host = with_headers([interface], known)
    inner = [header for header in in_core if header not in public]
    of_both = with_headers(host, known)

    yield "safenpy.h", "".join([
        about("safenpy.h", core), "#ifndef SAFENPY_H\n#define SAFENPY_H\n\n",
        "#if defined(SNPY_WITHOUT_WRITE) || defined(SNPY_WITHOUT_MESSAGES) || (defined(__STDC_HOSTED__) && !__STDC_HOSTED__)\n"
        "#undef SNPY_WITHOUT_HOST\n#define SNPY_WITHOUT_HOST\n#endif\n\n",
        system(public), f"#ifndef SNPY_WITHOUT_HOST\n{system(of_host, public)}#endif\n\n", BEGIN,
        *(file.write() for file in public), "\n#ifndef SNPY_WITHOUT_HOST\n", *(file.write() for file in of_host),
        "\n#endif /* SNPY_WITHOUT_HOST */\n", END, "\n#endif\n"])
    yield "safenpy.c", "".join([
        about("safenpy.c", core), '#include "safenpy.h"\n\n', system(inner + core), "\n", BEGIN, body(inner + core), END])
    asks = sorted({file.asks for file in host if file.asks}, key=lambda text: ("GNU" not in text, text))
    yield "safenpy_host.c", "".join([
        about("safenpy_host.c", host), *asks,
        "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 200809L\n#endif\n"
        "#ifndef _DARWIN_C_SOURCE\n#define _DARWIN_C_SOURCE\n#endif\n"
        "#ifndef _FILE_OFFSET_BITS\n#define _FILE_OFFSET_BITS 64\n#endif\n"
        '#include "safenpy.h"\n\n#ifdef SNPY_WITHOUT_HOST\n'
        '#error "safenpy_host.c needs what SNPY_WITHOUT_WRITE and SNPY_WITHOUT_MESSAGES leave out"\n#endif\n\n',
        system(of_both + host), body(of_both + host)])


def write(place):
    """Writes the three files into a directory."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in amalgamate():
        (place / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
