"""Checks of what is committed: the page is that of the committed results, and it works; and screenshots of it."""

from urllib.parse import urlencode

from tests.matrix.look import DESK, PHONE, compare, run


def committed_page_is_fresh(world):
    """The page in the repository is the one that its manifest and results make; likewise the table of docs/readers.md."""
    words = ["--check"]
    if "<!-- totals:begin -->\n" in (world.root / "docs" / "readers.md").read_text(encoding="utf-8"):
        words += ["--readme", world.root / "docs" / "readers.md"]
    corpus = world.root / "corpus"
    done = world.make(*words, manifest=corpus / "manifest.json", results=corpus / "results",
                      output=corpus / "matrix" / "index.html")
    return [] if done.returncode == 0 else [done.stderr.strip()]


def committed_page_works(world):
    """The page in the repository: rows and totals under some filters are right, the console is silent."""
    found = world.committed()
    if found is None:
        return ["there is no committed page, or there are no results"]
    page, model = found
    one = world.browser
    one.size(*DESK)
    one.dark(False)
    problems = []
    middle = model.cases[len(model.cases) // 2]
    flag = next(case["flags"][0] for case in model.cases if case["flags"])
    for number, wanted in enumerate(({}, {"topic": middle["id"].rsplit("/", 1)[0]}, {"flag": flag},
                                     {"rule": middle["rules"][0]}, {"verdict": "reject"}, {"outcome": "fault"},
                                     {"outcome": "stopped"}, {"q": "shape"}, {"differ": "1"})):
        if number < 2:                       # then the address is changed, which is quicker
            one.open(f"{page.as_uri()}#{urlencode(wanted)}")
        else:
            run(one, "location.hash = arguments[0]; await probe.pause(200)", urlencode(wanted))
        problems += compare(one, model, whole=number in (1, 2), **wanted)
        problems += end_problems(one, model.rows(**wanted), wanted)
        problems += [f"console: {text}" for text in one.console()]
    return problems


def end_problems(one, ids, wanted):
    """Problems of the last rows, to which one can jump."""
    shown = run(one, "probe.scroller().scrollTop = 1e9; await probe.frames(); await probe.frames();"
                     "return probe.rows().slice(-5).map((line) => line.cells[0].title)")
    return [] if shown == ids[-5:] else [f"{wanted}: the last rows are {shown}, not {ids[-5:]}"]


def take_screenshots(world):
    """What a reader sees: on a desk, in the dark, on a phone; the top, the matrix, the details."""
    one = world.browser
    page = world.committed()[0] if world.committed() else world.page
    world.screenshots.mkdir(parents=True, exist_ok=True)
    for name, size, dark in (("desktop", DESK, False), ("dark", DESK, True), ("phone", PHONE, False)):
        one.size(*size, phone=size == PHONE)
        one.dark(dark)
        one.open(f"{page.as_uri()}#outcome=fault")
        one.screenshot(world.screenshots / f"{name}-totals.png")
        run(one, "document.getElementById('matrix').scrollIntoView(); await probe.pause(200)")
        one.screenshot(world.screenshots / f"{name}-matrix.png")
        run(one, "if (probe.rows().length) probe.rows()[0].click(); await probe.pause(200)")
        one.screenshot(world.screenshots / f"{name}-details.png")
