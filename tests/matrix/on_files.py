"""Checks of make_matrix.py and of the page as a file. Each returns what is wrong, a text a problem."""

import base64
import hashlib
import html
import json
import re
import shutil
from html.parser import HTMLParser
from itertools import accumulate
from urllib.parse import quote

from tests.matrix.model import COLUMNS, GROUPS, SYMBOLS, shown
from tests.matrix.mutants import MUTANTS

VOID = {"meta", "link", "input", "br", "col", "img", "hr"}
FORBIDDEN = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(",
             "XMLHttpRequest", "WebSocket", "sendBeacon", "import(", "localStorage", "srcdoc",
             "createContextualFragment"]
WRITER_BARS = [["95.2%", "0.0%"]]      # of the fixture's writers: 40 of 42
ELEMENTS = set("html head meta link title style body header main footer section div p h1 h2 a em b span code ul "
               "li details summary pre noscript form label input select button output table thead tbody tr th td "
               "dialog script".split())
LINKS = re.compile(r"data:,|#[a-z-]+|#case=[\w./%-]+|\.\./(\.\./)?[A-Za-z][A-Za-z./-]*")


class Page(HTMLParser):
    """Elements with their attributes, the text of scripts, the cells of the tables."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.problems, self.open = [], [], []
        self.scripts, self.tables = [], {}
        self.table = self.cell = None
        self.feed(text)
        self.close()
        self.problems += [f"<{name}> is not closed" for name in self.open]

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)
        if name == "script":
            self.scripts.append("")
        if name == "table":
            self.table = self.tables.setdefault(dict(attributes).get("id"), [])
        if name == "tr" and self.table is not None:
            self.table.append([])
        if name in ("td", "th") and self.table is not None:
            self.table[-1].append("")

    def handle_endtag(self, name):
        if not self.open or self.open[-1] != name:
            self.problems.append(f"</{name}> at {self.getpos()}, but {self.open[-1:]} is open")
            return
        self.open.pop()
        if name == "table":
            self.table = None

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += text
        elif self.table and self.table[-1]:
            self.table[-1][-1] += text.rstrip("\n")


def parsed(world):
    """The fixture's page, read."""
    return Page(world.page.read_text(encoding="utf-8"))


def data_of(page):
    """The page's data."""
    return json.loads(page.scripts[0])


# ---- What the program does ----------------------------------------------------------------------------

def same_bytes_every_time(world):
    """No order of a set or a dictionary comes through, and none of the input's key order."""
    first = world.page.read_bytes()
    turned = world.directory / "turned"
    shutil.copytree(world.results, turned)
    for file in turned.iterdir():
        record = json.loads(file.read_bytes())
        backwards = {key: dict(reversed(value.items())) if isinstance(value, dict) else value
                     for key, value in reversed(record.items())}
        file.write_text(json.dumps(backwards, indent=2), encoding="ascii")
    problems = []
    for seed in ("1", "2"):
        output = world.directory / f"again-{seed}.html"
        done = world.make(results=turned, output=output, seed=seed)
        if done.returncode or output.read_bytes() != first:
            problems.append(f"another page with hash seed {seed}: {done.stderr[-200:]}")
    return problems


def check_tells_stale_from_fresh(world):
    """--check: 0 for what was just made, 1 for anything else, and never a byte written."""
    problems = []
    if world.make("--check").returncode != 0:
        problems.append("a fresh page counts as stale")
    copy = world.directory / "copy.html"
    copy.write_bytes(world.page.read_bytes() + b" ")
    if world.make("--check", output=copy).returncode != 1 or not copy.read_bytes().endswith(b" "):
        problems.append("a page with one more byte counts as fresh, or was written")
    missing = world.directory / "missing.html"
    if world.make("--check", output=missing).returncode != 1 or missing.exists():
        problems.append("a page that is not there counts as fresh, or was written")
    changed = world.directory / "changed"
    shutil.copytree(world.results, changed)
    edit(changed / "00.json", lambda record: record.update(version="7.7"))
    if world.make("--check", results=changed).returncode != 1:
        problems.append("a page of older results counts as fresh")
    return problems


def readme_gets_its_table(world):
    """Only what stands between the two lines changes, and the numbers are right."""
    problems = []
    readme = world.directory / "README.md"
    before, after = "# Title\n\n| a | b |\n<!-- totals:begin --> in a sentence\n\n", "\n\nEnd with \\1 and é.\n"
    readme.write_text(f"{before}<!-- totals:begin -->\nold\n<!-- totals:end -->{after}", encoding="utf-8")
    if world.make("--check", "--readme", readme).returncode != 1:
        problems.append("an old table counts as fresh")
    world.make("--readme", readme)
    text = readme.read_text(encoding="utf-8")
    begin, end = before + "<!-- totals:begin -->\n", "\n<!-- totals:end -->" + after
    if not text.startswith(begin) or not text.endswith(end):
        problems.append("the text around the table changed")
    if world.make("--check", "--readme", readme).returncode != 0:
        problems.append("a fresh table counts as stale")
    printed = world.make("--markdown").stdout
    if text[len(before):-len(after)] != f"<!-- totals:begin -->\n{printed}<!-- totals:end -->":
        problems.append("--markdown prints another table")
    readme.write_text(before, encoding="utf-8")
    if world.make("--readme", readme).returncode != 2:
        problems.append("no complaint about a README without the marker lines")
    problems += [f"nothing below the table says what {word} is"
                 for word in ("*Stale*", "*n of m*", "*Unsupported*", f"*Withheld*: {model_withheld(world.model):,} results") if word not in printed]
    return problems + table_problems(world.model, printed)


def model_withheld(model):
    """How many results are withheld."""
    return sum(model.outcome(one, case) == "withheld" for one in model.results for case in model.cases)


def table_problems(model, text):
    """The table's lines against the model's counts."""
    lines = [re.split(r"(?<!\\) ?\| ?", line)[1:-1] for line in text.splitlines() if line.startswith("|")][2:]
    if len(lines) != len(model.results):
        return [f"{len(lines)} lines, {len(model.results)} implementations"]
    problems = []
    for one, line in zip(model.results, lines):
        cells = model.line(one, model.cases)
        if model.stale(one):
            wanted = ["stale", "stale", "–", "–", "–", "–"]
        else:
            count = dict(zip(COLUMNS, cells[3:]))
            stopped = sum(int(count[name].replace(",", "")) for name in ("crash", "hang", "memory") if count[name] != "–")
            verdicts = [case["verdict"] for case in model.cases]
            wanted = [cell.removesuffix(f" / {verdicts.count(verdict):,}").replace(" / ", " of ")
                      for verdict, cell in zip(("accept", "reject"), cells)]
            wanted += [count["wrong-accept"], count["wrong-value"]]
            wanted += ["withheld"] * 2 if count["withheld"] != "0" else [f"{stopped:,}", count["unsupported"]]
        names = [re.sub(r"\\(.)", r"\1", cell) for cell in line[:3]]
        if line[3:] != wanted or names != [shown(one[key]) for key in ("title", "version", "language")]:
            problems.append(f"{one['name']}: {line}, not {wanted}")
    return problems


def edit(file, change):
    """Changes one file of results."""
    record = json.loads(file.read_bytes())
    change(record)
    file.write_text(json.dumps(record), encoding="ascii")


def bad_input_is_refused(world):
    """Exit status 2 and a sentence, for input that cannot be shown honestly; nothing is written."""
    def pass_what_binds_nobody(record):
        record["outcomes"].pop(next(case for case, outcome in record["outcomes"].items() if outcome == "accepts"))
        record["totals"]["accepts"] -= 1
        record["totals"]["pass"] += 1

    first = world.model.cases[0]["id"]

    def say(case, outcome):
        return "00.json", lambda record: record["outcomes"].update({case: outcome})

    refused = next(case["id"] for case in world.model.cases if case["verdict"] == "reject"
                   and case["id"] not in next(one for one in world.model.results if one["name"] == "reader-2")["outcomes"])

    def withheld(outcome):
        return "11.json", lambda record: record["outcomes"].update({refused: outcome})

    changes = {
        "a pass of a case that does not bind a canonical reader": ("03.json", pass_what_binds_nobody),
        "an unknown outcome": say(first, "fine"),
        "an outcome that only the page knows": say(first, "unknown"),
        "a case that the manifest has not": say("no/such", "pass"),
        "totals of something else": ("00.json", lambda record: record["totals"].update({"pass": 1})),
        "a pass of a choice without a declaration": ("05.json", pass_what_binds_nobody),
        "another format": ("00.json", lambda record: record.update(results=1)),
        "a crash that is not public": ("05.json", lambda record: record.update(public=None)),
        "no outcome": ("00.json", lambda record: record["others"].pop("reject")),
        "others that crash": ("00.json", lambda record: record["others"].update(reject="crash")),
        "a case that is told from the withheld ones": withheld("unsupported"),
        "a withheld case by name": withheld("withheld"),
        "a detail of a withheld case": ("11.json", lambda record: record["details"].update({refused: "it died"})),
        "a crash of a writer": ("00.json", lambda record: record["writer"]["outcomes"].update({first: "crash"})),
        "a list in place of an object": ("00.json", lambda record: record.update(outcomes=["crash"])),
        "a missing key": ("00.json", lambda record: record.pop("language")),
        "two of one name": ("00.json", lambda record: record.update(name="compat")),
    }
    problems = []
    output = world.directory / "refused.html"
    for number, (title, (name, change)) in enumerate(changes.items()):
        results = world.directory / f"bad-{number}"
        shutil.copytree(world.results, results)
        edit(results / name, change)
        done = world.make(results=results, output=output)
        if done.returncode != 2 or not done.stderr.startswith("make_matrix: ") or "Traceback" in done.stderr:
            problems.append(f"{title}: exit status {done.returncode}, {done.stderr[-200:]!r}")
    empty = world.directory / "empty"
    empty.mkdir()
    if world.make(results=empty, output=output).returncode != 2:
        problems.append("no results: no complaint")
    if output.exists():
        problems.append("a page was written")
    return problems


# ---- The page as a file -------------------------------------------------------------------------------

def page_is_well_formed(world):
    """Elements nest, IDs are unique, every field has a label, nothing but known elements, no handlers."""
    page = parsed(world)
    problems = list(page.problems)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    problems += [f"two elements have the ID {name}" for name in {name for name in ids if ids.count(name) > 1}]
    if page.elements[0] != ("html", {"lang": "en"}):
        problems.append(f"the page begins with {page.elements[0]}")
    for name, attributes in page.elements:
        if name not in ELEMENTS:
            problems.append(f"an element <{name}> {str(attributes)[:80]}")
        problems += [f"a handler {key} in <{name}>" for key in attributes if key.startswith("on")]
    if "@" in re.sub(r"@media|@[A-Z]+@", "", page.scripts[1]):
        problems.append("a placeholder is left in the script")
    text = world.page.read_text(encoding="utf-8")
    labelled = re.findall(r"<label[^>]*>[^<]*<(?:input|select)|<label><input", text)
    fields = [name for name, attributes in page.elements if name in ("input", "select")]
    if len(labelled) != len(fields) or not fields:
        problems.append(f"{len(fields)} fields, {len(labelled)} in labels")
    return problems


def nothing_comes_from_elsewhere(world):
    """No address but relative ones, and a policy that lets the page load nothing and run one script only."""
    page = parsed(world)
    problems = []
    for name, attributes in page.elements:
        for key in {"src", "href", "action", "data", "srcset", "formaction", "poster"} & set(attributes):
            if key != "href" or name not in ("a", "link") or not LINKS.fullmatch(attributes[key]):
                problems.append(f'<{name} {key}="{attributes[key]}">')
    style = (world.sources / "matrix.css").read_text(encoding="utf-8")
    problems += [f"{word} in the style" for word in ("url(", "@import", "image-set(", "src:") if word in style]
    policy = next((attributes.get("content", "") for name, attributes in page.elements
                   if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"), "")
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode("utf-8")).digest()).decode()
    wanted = ["default-src 'none'", f"script-src 'sha256-{digest}'", "style-src 'unsafe-inline'", "img-src data:",
              "base-uri 'none'", "form-action 'none'"]
    if re.split(r";\s+", policy) != wanted:
        problems.append(f"the policy is {policy}")
    return problems


def no_text_becomes_html(world):
    """The script has no way to make HTML of text; the data cannot end their element; hostile names stay text."""
    page = parsed(world)
    problems = [f"{word} in the script" for word in FORBIDDEN if word in page.scripts[1]]
    problems += [f"{letter!r} in the data" for letter in "<>&\u2028" if letter in page.scripts[0]]
    kinds = [attributes.get("type") for name, attributes in page.elements if name == "script"]
    if kinds != ["application/json", None]:
        problems.append(f"script elements: {kinds}")
    texts = [cell for table in page.tables.values() for line in table for cell in line]
    for one in world.model.results:
        if not any(shown(one["title"]) in text for text in texts):
            problems.append(f"the title {one['title']!r} is not in the tables")
    obeyed = re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]",
                        world.page.read_text(encoding="utf-8"))
    return problems + [f"the page holds {letter!r}" for letter in set(obeyed)]


def data_say_what_the_results_say(world):
    """Every outcome, detail, reason and rule comes through; stale results say nothing of what they do not list."""
    page = parsed(world)
    data, model = data_of(page), world.model
    meaning = {code: name for code, name, *_ in data["outcomes"]}
    problems = []
    if [name for name in dict.fromkeys(meaning.values())] != list(SYMBOLS):
        problems.append(f"the outcomes are {list(dict.fromkeys(meaning.values()))}")
    for number, (record, case) in enumerate(zip(data["cases"], model.cases)):
        name = f"{data['topics'][record[0]]}/{record[1]}"
        wanted = [shown(case["id"]), case["verdict"], shown(case["reason"]), case["rules"], case["flags"]]
        found = [name, data["verdicts"][record[2]], data["strings"][record[3]],
                 [data["rules"][rule][0] for rule in record[4]], [data["flags"][flag][0] for flag in record[5]]]
        if found != wanted:
            problems.append(f"case {number}: {found}, not {wanted}")
    for one, record in zip(model.results, data["implementations"]):
        outcomes = [meaning[code] for code in record["codes"]]
        if outcomes != [model.outcome(one, case) for case in model.cases]:
            problems.append(f"{one['name']}: other outcomes")
        details = {number: data["strings"][text] for text, *steps in record["details"]
                   for number in accumulate(steps)}
        said = {number: model.detail(one, case) for number, case in enumerate(model.cases)}
        if details != {number: text for number, text in said.items() if text}:
            problems.append(f"{one['name']}: other details")
        keys = ("name", "title", "version", "language", "command", "level", "suite", "declares", "profile")
        head = {key: shown(one[key]) if isinstance(one[key], str) else one[key] for key in keys}
        if head != {key: record[key] for key in keys}:
            problems.append(f"{one['name']}: another head")
        if record["stale"] != model.stale(one):
            problems.append(f"{one['name']}: stale {record['stale']}")
    if len(data["cases"]) != len(model.cases) or len(data["implementations"]) != len(model.results):
        problems.append("another number of cases or implementations")
    return problems


def totals_stand_in_the_html(world):
    """The static table has version and command of each, and the counts of the whole suite."""
    problems = []
    page, model = parsed(world), world.model
    lines = page.tables["totals"][1:]
    styles = [attributes["style"] for _, attributes in page.elements if "style" in attributes]
    bars = [re.findall(r"[\d.]+%", style) for style in styles]
    wanted_bars = [bar for line in model.bars(model.rows()) for bar in line]
    if [bar for bar in bars if bar not in WRITER_BARS] != wanted_bars:
        problems.append(f"bars {bars[:6]}, not {wanted_bars[:6]}")
    if len(lines) != len(model.results):
        problems.append(f"{len(lines)} lines")
    for one, line, wanted in zip(model.results, lines, model.totals(model.rows())):
        writes = "40 / 42" if one["writer"] else "–"
        if line[1:-2] != [*wanted, writes]:
            problems.append(f"{one['name']}: {line[1:-2]}, not {wanted}, {writes}")
        number = sum(model.outcome(one, case) == "withheld" for case in model.cases)
        if (f"{number:,} results are withheld until the authors have been told." in line[0]) != (number > 0):
            problems.append(f"{one['name']}: {number} results are withheld, and the line does not say so")
        for text in (one["title"], one["version"], one["language"]):
            if shown(text) not in line[0]:
                problems.append(f"{one['name']}: {text!r} is not in its line")
        if line[-2:] != [one["suite"], shown(one["command"])] or ("stale" in line[0]) != model.stale(one):
            problems.append(f"{one['name']}: suite, command or staleness: {line[0]} {line[-2:]}")
    return problems


def choices_stand_in_the_html(world):
    """Flags × implementations: how many files of a flag each accepts."""
    model = world.model
    lines = parsed(world).tables["flags"][1:]
    problems = []
    for flag, line in zip(model.manifest["flags"], lines):
        cases = [case for case in model.cases if flag in case["flags"]]
        wanted = []
        for one in model.results:
            did = [model.did(one, case) for case in cases]
            accepted = sum(what in ("accept", "wrong-value") for what in did)
            mute = sum(what in (None, "crash", "hang", "memory", "protocol") for what in did)
            wanted.append("?" if mute == len(cases) else "all" if accepted == len(cases)
                          else "none" if accepted + mute == 0 else str(accepted))
        head = [flag + shown(model.manifest["flags"][flag]["text"]), str(len(cases))]
        if line != [*head, *wanted] or not cases:
            problems.append(f"{flag}: {line}, not {wanted}")
    if len(lines) != len(model.manifest["flags"]):
        problems.append(f"{len(lines)} flags")
    return problems


def fixes_name_every_fault(world):
    """What to fix first: a text for each implementation with faults, which counts them all and names the rule of each."""
    model, problems = world.model, []
    found = {html.unescape(label): text for label, text in re.findall(
        r'<details class="fix"><summary>(.*?): [0-9,]+ faults?</summary><pre tabindex="0">(.*?)</pre>',
        world.page.read_text(encoding="utf-8"), re.DOTALL)}
    for one in model.results:
        faults = [] if model.stale(one) else [case for case in model.cases if model.outcome(one, case) in GROUPS["fault"]]
        text = found.pop(model.label(one), "")
        named = [name for name in re.findall(r"`([^`]+)`", re.sub("<[^>]*>", "", text)) if "/" in name and "&" not in name]
        if [f'`<a href="#case={quote(name)}">{name}</a>`' in text for name in named if name in model.by_id].count(False):
            problems.append(f"{model.label(one)}: not each case can be opened from the text")
        text = html.unescape(re.sub("<[^>]*>", "", text))
        counted = sum(int(number.replace(",", "")) for number in re.findall(r"^### .*: ([0-9,]+)$", text, re.MULTILINE))
        if counted != len(faults) or any(f"**{case['rules'][0]}**" not in text for case in faults):
            problems.append(f"{model.label(one)}: {len(faults)} faults, {counted} of them in the text")
    return problems + [f"{label}: nobody is called so" for label in found]


def mutants_fit_the_sources(world):
    """Each mistake of mutants.py can still be made; whether it is noticed, --mutants tries."""
    return [f"{one.check}: {one.title}: not once in {one.file}" for one in MUTANTS if not one.fits(world.sources)]


CHECKS = [same_bytes_every_time, check_tells_stale_from_fresh, readme_gets_its_table, bad_input_is_refused,
          page_is_well_formed, nothing_comes_from_elsewhere, no_text_becomes_html, data_say_what_the_results_say,
          totals_stand_in_the_html, choices_stand_in_the_html, fixes_name_every_fault, mutants_fit_the_sources]
