#!/usr/bin/env python3
"""Follows every relative link of every Markdown file: the file must be there, and so must the anchor.

    tools/links.py            the repository
    tools/links.py --root DIR another tree

Links to other sites are not followed: the check needs no network. Text in code is no link. An anchor is what
GitHub makes of a heading, or an `id` or `name` in HTML. Each broken link is one line; the last line is
`N passed, N failed`, and the exit status is 1 if any is broken or none was found.
"""

import argparse
import re
import sys
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What is built or fetched is no part of the repository: not searched, and no link may lead into it.
NOT_OURS = {"build", "node_modules", "target", "__pycache__"}

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TARGET = r"(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))"
INLINE = re.compile(r"(?<!\\)\]\(\s*" + TARGET + r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*" + TARGET, re.MULTILINE)
USE = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)+)\]\[((?:[^\[\]\\]|\\.)*)\]")
HTML_LINK = re.compile(r"<(?:a|img|source|link)\b[^>]*?\b(?:href|src)\s*=\s*[\"']([^\"']*)[\"']", re.IGNORECASE)
HTML_ANCHOR = re.compile(r"\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
LINE_ANCHOR = re.compile(r"L(\d+)(?:-L(\d+))?")


def blank(match):
    """Spaces and newlines in place of a match, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_fences(text):
    """The text with the lines of fenced code emptied."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence is None and mark and not (mark.group(1)[0] == "`" and "`" in mark.group(2)):
            fence = mark.group(1)
            line = ""
        elif fence is not None:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = None
            line = ""
        lines.append(line)
    return "\n".join(lines)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    words = re.split(r"(`[^`]*`)", text)     # in code, < is no tag
    text = "".join(word.strip("`") if word.startswith("`") else re.sub(r"<[^>]*>", "", word) for word in words)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def headings(text):
    """The headings of a text without fenced code, in order."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        mark = HEADING.match(line)
        if mark:
            yield mark.group(2) or ""
        elif number and UNDERLINE.match(line) and lines[number - 1].strip() and "|" not in lines[number - 1] \
                and not HEADING.match(lines[number - 1]):
            yield lines[number - 1].strip()


def anchors(path):
    """Every anchor of a Markdown or HTML file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix.lower() in (".html", ".htm"):
        return set(HTML_ANCHOR.findall(text))
    text = COMMENT.sub(blank, without_fences(text))
    found = {}
    names = set(HTML_ANCHOR.findall(CODE_SPAN.sub(blank, text)))
    for heading in headings(text):
        name = slug(heading)
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def links(text):
    """Every link of a Markdown text: its line, its target, or None and the name that nothing defines."""
    text = CODE_SPAN.sub(blank, COMMENT.sub(blank, without_fences(text)))
    defined = set()
    for match in DEFINITION.finditer(text):
        defined.add(" ".join(match.group(1).lower().split()))
    for pattern in (INLINE, DEFINITION, HTML_LINK):
        for match in pattern.finditer(text):
            groups = match.groups()[1:] if pattern is DEFINITION else match.groups()
            target = next((group for group in groups if group is not None), "")
            yield text.count("\n", 0, match.start()) + 1, target, None
    for match in USE.finditer(text):
        name = " ".join((match.group(2) or match.group(1)).lower().split())
        if name not in defined:
            yield text.count("\n", 0, match.start()) + 1, None, name


class Tree:
    """The files of a repository, and the anchors of those already looked at."""

    def __init__(self, root):
        self.root = root.resolve()
        self.known = {}

    def is_ours(self, path):
        """Whether a path is in the repository and neither hidden away nor built."""
        parts = path.relative_to(self.root).parts
        return not any(part in NOT_OURS or part == ".git" for part in parts)

    def documents(self):
        """Every Markdown file, in order."""
        return sorted(path for path in self.root.rglob("*.md") if self.is_ours(path) and path.is_file())

    def anchors(self, path):
        if path not in self.known:
            self.known[path] = anchors(path)
        return self.known[path]

    def fault(self, document, target):
        """What is wrong with a link, or None."""
        address = urllib.parse.urlsplit(target)
        if address.scheme or address.netloc:
            return None
        if address.path.startswith("/"):
            return "is absolute: it leads nowhere outside of one site"
        name = urllib.parse.unquote(address.path)
        path = (document.parent / name).resolve() if name else document
        if not path.is_relative_to(self.root) or not self.is_ours(path):
            return "leads out of the repository"
        if not path.exists():
            return "leads to a file that is not there"
        return self.anchor_fault(path, urllib.parse.unquote(address.fragment)) if address.fragment else None

    def anchor_fault(self, path, anchor):
        """What is wrong with an anchor of a file that is there, or None."""
        if path.suffix.lower() in (".md", ".html", ".htm"):
            return None if anchor in self.anchors(path) else "names an anchor that is not there"
        lines = LINE_ANCHOR.fullmatch(anchor)
        if not lines or not path.is_file():
            return "names an anchor of something that has none"
        last = len(path.read_text(encoding="utf-8", errors="replace").splitlines())
        return None if int(lines.group(2) or lines.group(1)) <= last else f"names a line after the last, {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to search (default: this repository)")
    tree = Tree(parser.parse_args().root)
    passed = failed = 0
    for document in tree.documents():
        found = sorted(links(document.read_text(encoding="utf-8")), key=lambda link: link[0])
        for line, target, undefined in found:
            fault = f"[{undefined}] is defined nowhere" if target is None else tree.fault(document, target)
            passed += fault is None
            failed += fault is not None
            if fault:
                shown = "" if target is None else f"'{target}' "
                print(f"{document.relative_to(tree.root)}:{line}: {shown}{fault}")
    if passed + failed == 0:
        print("there is no link to follow")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
