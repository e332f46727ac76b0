"""Sphinx: what is the same for all pages. docs/site/build.py lays out the sources and calls it."""

import json
import os
import re
import sys
import types
from pathlib import Path

from hawkmoth.util import compiler
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.search.en import SearchEnglish

ROOT = Path(__file__).resolve().parent.parent
PLACE = Path(os.environ["SNPY_SITE"])
PACKAGE = ROOT / "bindings" / "python"


def described_extension():
    """safenpy._core as _core.pyi declares it, so that nothing has to be compiled; the C sources have the texts of properties."""
    module = types.ModuleType("safenpy._core")
    exec((PACKAGE / "src/safenpy/_core.pyi").read_text(encoding="utf-8"), module.__dict__)  # noqa: S102
    for name in module.__annotations__:
        setattr(module, name, 0)
    module.version = re.search(r'VERSION_STRING "(.*)"', (ROOT / "include/safenpy/export.h").read_text(encoding="utf-8")).group(1)
    texts = (PACKAGE / "ext" / "header.c").read_text(encoding="utf-8")
    for name, text in re.findall(r'\{"(\w+)", get_\w+, NULL, "([^"]*)", NULL\}', texts):
        getattr(module.Header, name).__doc__ = text
    return module


sys.path.insert(0, str(PACKAGE / "src"))
sys.modules["safenpy._core"] = described_extension()

import safenpy  # noqa: E402

project = "safenpy"
author = "the authors of safenpy"
copyright = "the authors of safenpy"  # noqa: A001
version = release = safenpy.__version__
extensions = ["myst_parser", "hawkmoth", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = f"safenpy {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

smartquotes = False
myst_heading_anchors = 6

hawkmoth_root = str(PLACE / "include")
hawkmoth_clang = [f"-I{PLACE / 'include'}", "-xc", "-std=c99", *compiler.get_include_args("cc")]

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_mock_imports = ["fsspec", "numpy", "pyarrow", "pyspark"]  # of safenpy.spark
napoleon_use_rtype = False
napoleon_use_ivar = True
nitpicky = True
nitpick_ignore = [("c:identifier", name) for name in (
    "bool", "size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "FILE")]
nitpick_ignore_regex = [("py:.*", "(?!safenpy[.][A-Za-z]).*")]

LISTING = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path}</title>
<style>
body {{ margin: 0 auto; max-width: 80rem; padding: 1rem; font-family: system-ui, sans-serif; }}
pre {{ overflow-x: auto; line-height: 1.35; }}
a {{ color: inherit; }}
:target {{ background: #ffec99; }}
{style}
</style>
</head>
<body>
<p><a href="{home}">safenpy {version}</a> / {path}</p>
{body}
</body>
</html>
"""


def write_listings(app, exception):
    """A page for each source that a page links to, with an anchor for each line."""
    if exception is not None:
        return
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True)
    style = formatter.get_style_defs(".highlight")
    for path in json.loads((PLACE / "listings.json").read_text(encoding="utf-8")):
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        try:
            lexer = get_lexer_for_filename(path, stripnl=False)
        except ClassNotFound:
            lexer = TextLexer(stripnl=False)
        target = Path(app.outdir) / f"{path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(LISTING.format(path=path, version=release, home="../" * path.count("/") + "index.html", style=style,
                                         body=highlight(text, lexer, formatter)), encoding="utf-8")


PREFIX, SUFFIX = "Search.setIndex(", ")"


def add_cases(app, exception):
    """The pages of the cases, which Sphinx does not write, become part of its search: after all others in the index."""
    if exception is not None:
        return
    path, language = Path(app.outdir) / "searchindex.js", SearchEnglish({})
    text = path.read_text(encoding="utf-8")
    index = json.loads(text.removeprefix(PREFIX).removesuffix(SUFFIX))
    first = sum(not name.startswith("cases/") for name in index["docnames"])
    for key in ("docnames", "filenames", "titles"):
        del index[key][first:]          # those of the last build
    for key in ("terms", "titleterms"):
        found = {word: [number for number in (numbers if isinstance(numbers, list) else [numbers]) if number < first]
                 for word, numbers in index[key].items()}
        index[key] = {word: numbers for word, numbers in found.items() if numbers}
    index["alltitles"] = {title: kept for title, pages in index["alltitles"].items()
                          if (kept := [page for page in pages if page[0] < first])}
    for number, (name, title, words) in enumerate(json.loads((PLACE / "cases.json").read_text(encoding="utf-8")), first):
        index["docnames"].append(f"cases/{name}")
        index["filenames"].append(f"cases/{name}.html")
        index["titles"].append(title)
        index["alltitles"].setdefault(title, []).append([number, None])
        for key, said in (("titleterms", title), ("terms", words)):
            for word in {language.stem(word.lower()) for word in language.split(said)}:
                if language.word_filter(word):
                    index[key].setdefault(word, []).append(number)
    path.write_text(PREFIX + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + SUFFIX, encoding="utf-8")


def setup(app):
    """The listings come after the pages."""
    app.connect("build-finished", write_listings)
    app.connect("build-finished", add_cases)
