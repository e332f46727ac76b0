#!/usr/bin/env python3
"""Writes manual pages of section 3 from the public headers: one per header, and for each function a link to it.

    tools/man3.py DIRECTORY

The comments of the headers are the text, as on the site (docs/site/headers.py). Their date is that of man/safenpy.1.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "site"))

from headers import ITEM, parameters_of, stripped, without_rules  # noqa: E402

HEADERS = ROOT / "include" / "safenpy"
# What C++ and the linker need, and nobody reads.
NOISE = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\n|^#include [^\n]*\n|/\* clang-format \w+ \*/\n|^/\* NOLINT.*?\*/\n",
                   re.M | re.S)
GUARD = re.compile(r"^#ifndef (SAFENPY_\w+)\n#define \1\n(.*)^#endif\n", re.M | re.S)
FUNCTION = re.compile(r"^(?:SNPY_API|static inline) ([\w \*]*?)(\w+)\(([^;{]*)\)\s*;", re.M)
BODY = re.compile(r"^\{\n.*?^\}\n", re.M | re.S)
STATUS = re.compile(r'SNPY_STATUS\((\w+), (\d+), "([^"]*)",((?:\s*"(?:[^"\\]|\\.)*",?)+)\)')


def escaped(text):
    """A line of text for mdoc."""
    text = text.replace("\\", "\\e").replace("\t", " ").rstrip()
    return f"\\&{text}" if text.startswith((".", "'")) else text


def sentences(text):
    """Text for mdoc, where each sentence begins a line."""
    return [escaped(line) for line in re.split(r'(?:(?<=[.!?])|(?<=[.!?][)"])) +(?=\S)', text.strip())]


def literal(lines):
    return [".Bd -literal", *(escaped(line) for line in lines), ".Ed"]


def paragraphs(said, parameters):
    """The text of a comment: paragraphs, lists of what stands at the beginnings of lines, and what is indented as it is."""
    lines, rules = without_rules(said.split("\n"))
    out, items, index = [], False, 0
    while index < len(lines):
        item = ITEM.match(lines[index])
        names = re.findall(r"\w+", item.group(1)) if item else []
        is_item = bool(item) and (names == ["returns"] or all(name in parameters for name in names))
        if items and not is_item:
            out.append(".El")
        if is_item:
            out.extend([] if items else [".Bl -tag -width Ds"])
            text = [item.group(2)]
            while index + 1 < len(lines) and lines[index + 1].startswith("  "):
                index += 1
                text.append(lines[index].strip())
            out.extend([f".It {'returns' if names == ['returns'] else 'Fa ' + ' , '.join(names)}", *sentences(" ".join(text))])
        elif not lines[index].strip():
            out.append(".Pp")
        elif lines[index].startswith("  "):
            block = []
            while index < len(lines) and lines[index].startswith("  "):
                block.append(lines[index])
                index += 1
            index -= 1
            out.extend(literal(block))
        else:
            out.extend(sentences(lines[index]))
        items = is_item
        index += 1
    out.extend([".El"] if items else [])
    if rules:
        out.extend([".Pp", f"Rules: {escaped(', '.join(rules))}."])
    return out


def pieces(text):
    """The comments of a header at the left margin and the code between them: (is it a comment, lines)."""
    lines, index = text.split("\n"), 0
    while index < len(lines):
        begin = index
        if lines[index].startswith("/*"):
            while "*/" not in lines[index]:
                index += 1
            index += 1
            yield True, lines[begin:index]
        elif lines[index].strip():
            while index < len(lines) and lines[index].strip() and (index == begin or not lines[index].startswith("/*")):
                index += 1
            yield False, lines[begin:index]
        else:
            index += 1


def prototype(match):
    """A function for the synopsis."""
    kind, name, arguments = (" ".join(part.split()) for part in match.groups())
    return [f".Ft {escaped(kind)}", f".Fo {name}", *(f'.Fa "{escaped(one)}"' for one in arguments.split(", ")), ".Fc"]


def without_blanks(lines):
    """No paragraph begins before or after what makes one by itself."""
    out = []
    for line in lines:
        if line == ".Pp" and (not out or out[-1].startswith((".Sh", ".Ss", ".Pp"))):
            continue
        if line.startswith((".Sh", ".Ss", ".Bd", ".Bl")) and out and out[-1] == ".Pp":
            out.pop()
        out.append(line)
    return out[:-1] if out[-1] == ".Pp" else out


def description(text):
    """The section on what a header declares, in its order."""
    out, said = [".Sh DESCRIPTION"], []
    found = list(pieces(text))
    for index, (is_comment, lines) in enumerate(found):
        comment = stripped(lines) if is_comment else ""
        if comment.startswith("---"):
            out.append(f".Sh {escaped(comment.strip('- ').upper())}")
        elif is_comment and index + 1 < len(found) and not found[index + 1][0]:
            said = [comment]
        elif is_comment:
            out.extend([".Pp", *paragraphs(comment, set())])
        else:
            code = "\n".join(lines)
            names = [match.group(2) for match in FUNCTION.finditer(code + "\n")]
            out.extend([f".Ss {', '.join(names)}"] if names else [".Pp"])
            out.extend([] if names else literal(lines))
            parameters = {name for match in FUNCTION.finditer(code) for name in parameters_of(match.group(0))}
            for one in said:
                out.extend([".Pp", *paragraphs(one, parameters)])
            if names and not said:
                out.extend(["What stands before holds for", f".Fn {names[0]}", "too."])
            said = []
    return out


def statuses(text):
    out = [".Sh DESCRIPTION", ".Bl -tag -width Ds"]
    for name, number, rule, texts in STATUS.findall(text):
        joined = re.sub(r'"\s*\n\s*"', "", texts)  # as C does
        message, hint, example = re.findall(r'"((?:[^"\\]|\\.)*)"', joined)
        clean = [escaped(part.replace('\\"', '"').replace("\\\\", "\\")) for part in (message, hint, example)]
        out.extend([f".It Dv {name} Pq {number} , {rule}", *sentences(f"{clean[0]}."), *sentences(f"Remedy: {clean[1]}."),
                    *sentences(f"Example: {clean[2]}.")])
    return [*out, ".El"]


def page(path, date):
    """The page of a header, and its functions."""
    text = BODY.sub(";\n", NOISE.sub("", path.read_text(encoding="utf-8")))
    intro, _, rest = text.partition("*/\n")
    title, _, about = stripped([*intro.split("\n"), "*/"]).partition(": ")
    if title != f"safenpy/{path.name}":
        raise SystemExit(f"{path}: it does not begin with its name")
    name = "safenpy" if path.stem == "safenpy" else f"safenpy_{path.stem}"
    rest = GUARD.sub(r"\2", rest)
    names = [match.group(2) for match in FUNCTION.finditer(rest)]
    first, _, more = about.partition("\n\n")
    summary, *others = sentences(" ".join(first.split()))
    more = "\n".join(others) + ("\n\n" if others and more else "") + more
    out = [".\\\" Made from include/safenpy by tools/man3.py.", date, f".Dt {name.upper()} 3", ".Os", ".Sh NAME",
           *(f".Nm {one} ," for one in [name, *names][:-1]), f".Nm {[name, *names][-1]}",
           f".Nd {summary.rstrip('.')}",
           ".Sh LIBRARY", "The safenpy library (libsafenpy, \\-lsafenpy), by pkg-config: safenpy.", ".Sh SYNOPSIS", f".In {title}"]
    for match in FUNCTION.finditer(rest):
        out.extend(prototype(match))
    body = statuses(rest) if path.stem == "statuses" else description(rest)
    if path.stem == "safenpy":
        body = [".Sh DESCRIPTION", "The header includes all others, each of which has a page: safenpy_array(3) and so on."]
    out.extend([body[0], *([*paragraphs(more, set()), ".Pp"] if more else []), *body[1:], ".Sh SEE ALSO", ".Xr safenpy 1"])
    return name, names, "\n".join(without_blanks(out)) + "\n"


def main():
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    date = next(line for line in (ROOT / "man" / "safenpy.1").read_text(encoding="utf-8").split("\n") if line.startswith(".Dd "))
    for path in sorted(HEADERS.glob("*.h")):
        name, names, text = page(path, date)
        (directory / f"{name}.3").write_text(text, encoding="utf-8")
        for one in names:
            (directory / f"{one}.3").write_text(f".so man3/{name}.3\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
