#!/usr/bin/env python3
"""Writes one HTML page per case, which an issue in another tracker can link to. Standard library only.

    python3 corpus/matrix/make_pages.py DIR       writes DIR/CASE.html, DIR/archives/CASE.html, DIR/objects/CASE.html and DIR/index.html

A page has what `npy-conformance explain CASE` prints. The same input gives the same bytes. On the site of the documentation
(docs/site/build.py) a page also leads to its rules, to what readers do with the case, and to the suite.
"""

import html
import re
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from npy_conformance import explain  # noqa: E402
from npy_conformance.manifest import Suite  # noqa: E402
from npy_conformance.places import PAGES, SUITES  # noqa: E402

RULE = re.compile(r"\b(NPY|NPZ)-([A-Z]+)-\d{3}\b")
STATUS = re.compile(r"\bSNPY_[A-Z0-9_]+\b")
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }}
body {{ max-width: 60rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.3rem; overflow-wrap: anywhere; }}
th {{ text-align: left; vertical-align: top; font-weight: normal; padding-right: 1rem; white-space: nowrap; }}
td {{ font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere; }}
li {{ overflow-wrap: anywhere; }}
pre {{ overflow-x: auto; }}
</style>
</head>
<body>
<main role="main">
{body}
</main>
</body>
</html>
"""


def page(suite, name, case, site=False):
    """The page of a case: title and reason, what is known of it, its bytes; on the site with links to other pages."""
    title, reason, facts, dump = (html.escape(part) for part in explain.text_of(suite, case).split("\n\n", 3))
    up = "../" * (PAGES[name] + case.id).count("/")
    body = [f'<p><a href="{up}index.html">{html.escape(suite.manifest["suite"])} {html.escape(suite.version)}</a></p>',
            f"<h1>{title}</h1>", f"<p>{reason}</p>"]
    facts = facts.strip("\n")
    if site:
        facts = STATUS.sub(lambda match: status_link(match.group(0), f"{up}../"), facts)
        facts = RULE.sub(lambda match: rule_link(match, f"{up}../"), facts)
    rows = "".join(f'<tr><th scope="row">{row[:17].strip()}</th><td>{row[17:].strip()}</td></tr>\n' for row in facts.split("\n"))
    body.append(f"<table>\n{rows}</table>")
    if site:
        body.append(f"<ul>\n{''.join(related(name, case, f'{up}../'))}</ul>")
    body += ["<h2>Bytes</h2>", f'<pre tabindex="0">{dump}</pre>']
    return PAGE.format(title=title, body="\n".join(body))


def rule_link(match, root):
    """A rule as a link to its text."""
    document = "objects" if match.group(2) == "PKL" else match.group(1).lower()
    return f'<a href="{root}spec/{document}.html#{match.group(0).lower()}">{match.group(0)}</a>'


def status_link(status, root):
    """A status as a link to what it means."""
    return f'<a href="{root}docs/reference/statuses.html#status-{status.lower().replace("_", "-")}">{status}</a>'


def related(name, case, root):
    """Items that lead to other pages of the site."""
    for rule in case.rules:
        yield f'<li><a href="{root}spec/TRACE.html#trace-{rule.lower()}">Proof, other cases and tests of {rule}</a></li>\n'
    yield f'<li><a href="{root}corpus/{quote(PAGES[name] + case.record["file"])}" download>Download the file</a></li>\n'
    if name == "npy":
        yield f'<li><a href="{root}corpus/matrix/index.html#case={quote(case.id, safe="")}">What each reader does with this file</a></li>\n'
    yield (f'<li><a href="{root}docs/readers.html">Readers compared</a>, '
           f'<a href="{root}corpus/matrix/fixes.html">what each should fix first</a></li>\n')
    about = "corpus/objects/README.html" if name == "objects" else "corpus/README.html"
    yield f'<li><a href="{root}{about}">About the suite</a>, <a href="{root}search.html">search</a></li>\n'


def write(folder, site=False):
    """All pages; for each its path without a suffix, its title and its words, which a search finds."""
    items, written = [], []
    for name, place in SUITES.items():
        suite = Suite(place)
        items.append(f"<h1>{html.escape(suite.manifest['suite'])} {html.escape(suite.version)}</h1>\n<ul>")
        for case in suite.cases:
            path = PAGES[name] + case.id
            target = folder / f"{path}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(page(suite, name, case, site), encoding="utf-8")
            items.append(f'<li><a href="{quote(path)}.html">{html.escape(case.id)}</a></li>')
            status = case.record.get("error", {}).get("status", "")
            written.append((path, case.id, " ".join([case.reason, *case.rules, *case.flags, status])))
        items.append("</ul>")
    home = '<p><a href="../index.html">safenpy</a></p>\n' if site else ""
    (folder / "index.html").write_text(PAGE.format(title="Cases", body=home + "\n".join(items)), encoding="utf-8")
    return written


def main():
    """The folder is the only word."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    print(f"{len(write(folder)):,} pages in {folder}")


if __name__ == "__main__":
    main()
