"""The Markdown of the repository as pages: laid out as in the repository, with links that lead somewhere on the site."""

import os
import re
from pathlib import Path

import headers
import make_fixes

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
RULE = re.compile(r"^#### ((?:NPY|NPZ|API|HOST)-\S+)$")
FUNCTION = re.compile(r"^(?:static )?(?:inline )?(?:const )?(?:unsigned )?\w+ \*?(\w+)\([^;]*$")
LOGIC = re.compile(r"^\s*(?:/\*@)?\s*(?:logic\s+[\w ]+?|predicate)\s+(\w+)\s*[({=]")
CHECK = "docs/site/check/index.html"
MATRIX, FIXES, CASES = "corpus/matrix/index.html", "corpus/matrix/fixes.md", "../../cases/"


def markdown_files():
    """All Markdown that readers may want: what is tracked, without what was built or fetched."""
    skipped = {"build", ".git", "node_modules", "target", "__pycache__", "site"}
    for folder, names, files in os.walk(ROOT):
        names[:] = sorted(name for name in names if name not in skipped and not name.startswith((".", "build")))
        if Path(folder) in (ROOT / "bindings/python/c", ROOT / "corpus/adapters"):
            names[:] = []
        for name in sorted(files):
            if name.endswith(".md"):
                yield (Path(folder) / name).relative_to(ROOT).as_posix()


class Pages:
    """Turns the files into pages, and remembers which files of other kinds they link to."""

    def __init__(self, cases):
        self.cases = cases
        self.files = list(markdown_files())
        self.listings = set()
        self.lines = self.definitions()

    def definitions(self):
        """Where functions, theorems and definitions of the logic are: name to file and line."""
        found = {}
        for pattern, shape in (("spec/logic/**/*.h", LOGIC), ("proofs/theorems/*.c", FUNCTION), ("src/core/**/*.c", FUNCTION)):
            for path in sorted(ROOT.glob(pattern)):
                for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                    name = shape.match(line)
                    if name:
                        found[name.group(1)] = (path.relative_to(ROOT).as_posix(), number)
        return found

    def listing(self, page, path, line=None):
        """The address of a source as seen from a page."""
        self.listings.add(path)
        return os.path.relpath(f"{path}.html", os.path.dirname(page)) + (f"#L-{line}" if line else "")

    def outside_fences(self, text, change):
        """The text with a change made to each part that is not in a code block."""
        parts, part, fence = [], [], None
        for line in text.split("\n"):
            found = FENCE.match(line)
            if fence is None and found:
                parts.append(change("\n".join(part)) if part else None)
                part, fence = [line], found.group(1)
            elif fence is not None and found and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                parts.append("\n".join([*part, line]))
                part, fence = [], None
            else:
                part.append(line)
        parts.append(change("\n".join(part)) if part else None)
        return "\n".join(part for part in parts if part is not None)

    def link(self, page, match):
        """A link as it has to be on the site."""
        text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        if target.startswith(CASES):
            return f'<a href="{target}"><code>{text.strip("`")}</code></a>'
        path = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if path in self.files:
            return match.group(0)
        if (ROOT / path).is_dir():
            readme = f"{path}/README.md"
            return f"[{text}]({os.path.relpath(readme, os.path.dirname(page))})" if readme in self.files else text
        if path in (MATRIX, CHECK):
            address = os.path.relpath(path.removeprefix("docs/site/"), os.path.dirname(page))
        else:
            address = self.listing(page, path, anchor.removeprefix("L") or None)
        return f'<a href="{address}">{text}</a>'

    def source(self, page):
        """The text of a page."""
        text = make_fixes.page(CASES) if page == FIXES else (ROOT / page).read_text(encoding="utf-8")
        if page == "spec/TRACE.md":
            text = self.trace(text)
        elif page.startswith("spec/"):
            text = self.rules(text)
        text = self.outside_fences(text, lambda part: LINK.sub(lambda match: self.link(page, match), part))
        if page == "docs/index.md":  # it is the first page of the site, above docs/
            text = re.sub(r"\]\((?!\w+:|#|\.\./)", "](docs/", text).replace("](../", "](") + self.unsorted(text)
        return text

    def unsorted(self, text):
        """A table of contents for pages that the first one does not name: a new file has a place until it gets a better one."""
        named = set(re.findall(r"/([\w./-]+)", text))
        rest = [f"/{page[:-3]}" for page in self.files if page[:-3] not in named and page != "docs/index.md"
                and not page.startswith("docs/reference/")]
        return "\n".join(["", "```{toctree}", ":caption: More", ":maxdepth: 1", "", *rest, "```", ""]) if rest else ""

    def rules(self, text):
        """A specification whose rules lead to their row in TRACE.md."""
        out = []
        for line in text.split("\n"):
            found = RULE.match(line)
            out.append(line[1:] if found else line)  # a level higher: below the section
            if found:
                rule = found.group(1).lower()
                out.extend(["", f'<p class="trace"><a href="TRACE.html#trace-{rule}">proof, cases and tests</a></p>'])
        return "\n".join(out)

    def trace(self, text):
        """The table of rules, whose cases, functions and tests are links."""
        def target(match):
            name = match.group(1)
            if name in self.cases:
                return f'<a href="../cases/{name}.html">{match.group(0)}</a>'
            if name in self.lines:
                return f'<a href="{self.listing("spec/TRACE.md", *self.lines[name])}">{match.group(0)}</a>'
            if "/" in name and (ROOT / name).is_file():
                return f'<a href="{self.listing("spec/TRACE.md", name)}">{match.group(0)}</a>'
            if name.startswith("SNPY_"):
                return f'<a href="../docs/reference/statuses.html#status-{name.lower().replace("_", "-")}">{match.group(0)}</a>'
            return match.group(0)
        out = []
        for line in text.split("\n"):
            if re.match(r"\| \[(?:NPY|NPZ|API|HOST)-", line):
                rule = line[3:line.index("]")].lower()
                line = '| <span id="trace-%s"></span>%s' % (rule, CODE.sub(target, line[2:]))
            out.append(line)
        return "\n".join(out)


def matrix_page(text):
    """The page of the matrix, whose links to Markdown lead to pages, and each case to its own."""
    text = text.replace('href="../README.md"', 'href="../README.html"').replace('<meta name="case-pages" content="">',
                                                                                '<meta name="case-pages" content="../../cases/">')
    return re.sub(r'"(\.\./\.\./spec/\w+)\.md#', r'"\1.html#', text)


def statuses_page(text, rules):
    """The reference of statuses, from the table in statuses.h."""
    entry = re.compile(r'^SNPY_STATUS\((SNPY_\w+), (\d+), "([^"]+)",\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\)'
                       r"|^/\* ([A-Z][^\n]*?) ?\*/$", re.M)
    out = ["# Statuses", "", "Every refusal is one of these. Numbers and names never change their meaning; `safenpy explain STATUS` "
           "prints the same.", "", "(status-SNPY_OK)=", "## SNPY_OK", "", "0. Nothing is wrong.", ""]
    found, text = 0, re.sub(r'"\n\s*"', "", text)  # adjacent strings are one
    for name, number, rule, message, hint, example, section in entry.findall(text):
        if section:
            out.extend([f"## {section.split(':')[0].rstrip('.')}", ""])
            continue
        found += 1
        page = next(page for prefix, page in headers.PREFIXES.items() if rule.startswith(prefix))
        said = [part.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", " ") for part in (message, hint, example)]
        said = [re.sub(r"([\\`*_\[\]{}<>$])", r"\\\1", part) for part in said]
        link = f"[{rule}](../../spec/{page}.md#{rule.lower()})" if rule in rules else rule
        out.extend([f"(status-{name})=", f"### {name}", "", f"{number}, {link}: {said[0]}.", "",
                    f"- Example: {said[2]}", f"- What to do: {said[1]}", ""])
    if found != len(re.findall(r"^SNPY_STATUS\(SNPY_", text, re.M)):
        raise ValueError("statuses.h has entries that this page does not show")
    return "\n".join(out)


def command_page(text):
    """The manual page, as mandoc writes it in Markdown."""
    body = text.split("\n", 1)[1].rsplit("\n\n", 1)[0]
    body = re.sub(r"^(#+) (.*)$", lambda match: f"{match.group(1)}# {match.group(2).capitalize()}", body, flags=re.M)
    return f"# The command safenpy\n{body}\n"
