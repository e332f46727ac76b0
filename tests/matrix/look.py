"""What the checks in the browser have in common: opening the page, reading it, comparing it with the model."""

from pathlib import Path
from urllib.parse import parse_qs, quote

from tests.matrix.model import SYMBOLS, shown

PROBE = (Path(__file__).resolve().parent / "probe.js").read_text(encoding="utf-8")
DESK, PHONE = (1280, 900), (375, 800)


def address(world, fragment=""):
    """Where the fixture's page lies."""
    return world.page.as_uri() + (f"#{fragment}" if fragment else "")


def opened(world, fragment="", size=DESK, phone=False, dark=False):
    """The browser with the fixture's page newly loaded."""
    one = world.browser
    one.size(*size, phone=phone)
    one.dark(dark)
    one.open(address(world, fragment))
    one.console()
    return one


def probe(one, name, *arguments):
    """What a function of probe.js returns."""
    return one.run(f"{PROBE}\nreturn probe.{name}(...arguments)", *arguments)


def run(one, script, *arguments):
    """A function body that may use probe.js."""
    return one.run(f"{PROBE}\n{script}", *arguments)


def open_all(one):
    """Opens what can be folded."""
    one.run("for (const part of document.querySelectorAll('details')) part.open = true")


def sheet_text(one):
    """The text of the details, blanks joined."""
    return " ".join(one.run("return document.getElementById('sheet').innerText").split())


def fragment_of(one):
    """The address's filters, once they are written down."""
    text = run(one, "await probe.pause(300); return location.hash")
    return {key: values if key in ("hide", "only") else values[0]
            for key, values in parse_qs(text[1:], keep_blank_values=True).items()}


def choose(one, field, value):
    """Chooses an option, as the browser does when a user has."""
    one.run("const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "if (field.value !== arguments[1]) throw new Error('no option ' + arguments[1]);"
            "field.dispatchEvent(new Event('input', {bubbles: true}))", field, value)


def compare(one, model, hidden=(), whole=True, **wanted):
    """Problems if rows, count and totals are not those of this filter."""
    ids = model.rows(hidden, **wanted)
    title = f"{wanted} {list(hidden)}"
    problems = []
    told = one.run("return [document.getElementById('count').textContent,"
                   "Number(document.getElementById('grid').getAttribute('aria-rowcount')) - 1]")
    if told != [f"{len(ids):,} of {len(model.cases):,} cases", len(ids)]:
        problems.append(f"{title}: {told}, not {len(ids)}")
    if probe(one, "totals") != model.totals(ids):
        problems.append(f"{title}: other totals")
    if probe(one, "bars") != model.bars(ids):
        problems.append(f"{title}: other bars: {probe(one, 'bars')[:2]}, not {model.bars(ids)[:2]}")
    if whole:
        rows = [row[0] for row in probe(one, "walk", False)["rows"]]
        if rows != ids:
            problems.append(f"{title}: {len(rows)} rows, the first {rows[:2]}, not {ids[:2]}")
    return problems


def cell_problems(one, model, hidden=(), **wanted):
    """Problems of the rows under a filter: their order, and text, colour class, title and label of every cell."""
    seen = [record for record in model.results if record["name"] not in hidden]
    cases = {shown(case["id"]): case for case in model.cases}
    found = probe(one, "walk", True)
    problems = [f"{places} places are {what}" for what, places in found["wrong"].items() if places]
    if [row[0] for row in found["rows"]] != model.rows(hidden, **wanted):
        problems.append("other rows")
    for name, text, cells in found["rows"]:
        if text != name or len(cells) != len(seen):
            problems.append(f"{name} reads {text} and has {len(cells)} cells")
        for cell, record in zip(cells, seen):
            problems += one_cell_problems(cell, model, record, cases[name])
    return problems


def one_cell_problems(cell, model, record, case):
    """Problems of one cell: text, class, title, label."""
    outcome, detail = model.outcome(record, case), model.detail(record, case)
    text, kind, title, label = cell
    start = f"{model.label(record)}: {outcome.replace('-', ' ')}: "
    if [text, kind] == [SYMBOLS[outcome], f"o-{outcome}"] and title == label \
            and title.startswith(start) and title.endswith(detail):
        return []
    return [f"{case['id']!r}, {record['name']}: {cell}, not {outcome}"]


# ---- The details of a case ----------------------------------------------------------------------------

def wanted_texts(model, case):
    """What must stand in the details of a case."""
    texts = [shown(case["id"]), shown(case["reason"]), case["verdict"], *case["rules"], *case["flags"]]
    texts += [model.manifest["flags"][flag]["text"] for flag in case["flags"]]
    if "expect" in case:
        shape, size = case["expect"]["shape"], case["expect"]["data_size"]
        texts += [f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})", case["expect"]["descr"][:200],
                  "the rest of the file" if size is None else f"{size} bytes"]
    if "error" in case:
        texts += [case["error"]["status"], f"at byte {case['error']['offset']}"]
    return [" ".join(text.split()) for text in texts]


def written_texts(model, case):
    """What must stand there of the writers."""
    texts = []
    for record in model.results:
        writer = record["writer"] or {"outcomes": {}}
        outcome = writer["outcomes"].get(case["id"], "pass")
        if outcome not in ("pass", "canonical"):
            detail = shown(writer["details"].get(case["id"], ""))
            texts.append(f"As a writer: {outcome.replace('-', ' ')}{': ' if detail else ''}{detail}")
    return texts


def rule_links(case):
    """Where the links of the rules lead."""
    return [f"../../spec/{'npz' if rule.startswith('NPZ') else 'npy'}.md#{rule.lower()}" for rule in case["rules"]]


def details_problems(one, model, case):
    """Problems if the open details are not those of this case."""
    text = sheet_text(one)
    problems = [f"the details have no {part!r}" for part in wanted_texts(model, case) if part not in text]
    answers = one.run("return [...document.querySelectorAll('#sheet .said li')].map((line) => [line.dataset.name,"
                      "...['.outcome', '.detail'].map((name) => line.querySelector(name)?.textContent ?? '')])")
    right = [[record["name"], model.outcome(record, case).replace("-", " "), model.detail(record, case)]
             for record in model.results]
    if answers != right:
        problems.append(f"answers {[pair for pair in zip(answers, right) if pair[0] != pair[1]][:2]}")
    wrote = one.run("return [...document.querySelectorAll('#sheet .wrote')].map((line) => line.textContent)")
    if wrote != written_texts(model, case):
        problems.append(f"writers {wrote}, not {written_texts(model, case)}")
    links = one.run("return [...document.querySelectorAll('#sheet dl a')].map((one) => one.getAttribute('href'))")
    file = quote("../" + case["file"], errors="surrogatepass")
    if links != [*rule_links(case), file]:
        problems.append(f"links {links}, not {[*rule_links(case), file]}")
    return [f"{case['id']!r}: {problem}" for problem in problems]
