#!/usr/bin/env python3
"""Writes one HTML page per case, which an issue in another tracker can link to. Standard library only.

    python3 corpus/matrix/make_pages.py DIR       writes DIR/CASE.html, DIR/archives/CASE.html, DIR/objects/CASE.html and DIR/index.html

A page has what `npy-conformance explain CASE` prints. The same input gives the same bytes.
"""

import html
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from npy_conformance import explain  # noqa: E402
from npy_conformance.manifest import Suite  # noqa: E402
from npy_conformance.places import SUITES  # noqa: E402

PLACES = {"npy": "", "npz": "archives/", "objects": "objects/"}
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
pre {{ overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }}
pre.bytes {{ white-space: pre; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(suite, case, folder=""):
    """The page of a case: title and reason, what is known of it, its bytes."""
    title, reason, facts, dump = (html.escape(part) for part in explain.text_of(suite, case).split("\n\n", 3))
    depth = "../" * case.id.count("/") + ("../" if folder else "")
    body = (f'<p><a href="{depth}index.html">{html.escape(suite.manifest["suite"])} {html.escape(suite.version)}</a></p>\n'
            f"<h1>{title}</h1>\n<p>{reason}</p>\n<pre>{facts}</pre>\n<h2>Bytes</h2>\n"
            f'<pre class="bytes" tabindex="0">{dump}</pre>')
    return PAGE.format(title=title, body=body)


def write(folder):
    """All pages; how many there are."""
    items, number = [], 0
    for name, place in SUITES.items():
        suite = Suite(place)
        items.append(f"<h1>{html.escape(suite.manifest['suite'])} {html.escape(suite.version)}</h1>\n<ul>")
        for case in suite.cases:
            path = folder / f"{PLACES[name]}{case.id}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page(suite, case, PLACES[name]), encoding="utf-8")
            items.append(f'<li><a href="{quote(PLACES[name] + case.id)}.html">{html.escape(case.id)}</a></li>')
            number += 1
        items.append("</ul>")
    (folder / "index.html").write_text(PAGE.format(title="Cases", body="\n".join(items)), encoding="utf-8")
    return number


def main():
    """The folder is the only word."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    print(f"{write(folder):,} pages in {folder}")


if __name__ == "__main__":
    main()
