"""Checks in the browser: the details of cases and implementations, hostile texts in them, and the keyboard."""

from urllib.parse import urlencode

from tests.matrix.look import address, details_problems, fragment_of, opened, probe, run, sheet_text
from tests.matrix.model import shown


def hostile_cases(model):
    """The cases of the fixture whose names are not tame."""
    return [case for case in model.cases if "/case-" not in case["id"]]


def details_say_everything(world):
    """A click shows reason, rules, what is expected, what each said. Some of each verdict, all hostile."""
    model, one = world.model, opened(world)
    last = {case["verdict"]: case for case in model.cases}
    first = {case["verdict"]: case for case in reversed(model.cases)}
    problems = []
    for case in [*first.values(), *last.values(), *hostile_cases(model)]:
        topic = shown(case["id"]).rsplit("/", 1)[0]
        at = model.rows(topic=topic).index(shown(case["id"]))
        one.open(address(world, urlencode({"topic": topic})))
        run(one, "probe.scroller().scrollTop = arguments[0] * 26 - 200; await probe.pause(100)", at)
        one.click(f"#row-{at} th")
        problems += details_problems(one, model, case)
        if fragment_of(one).get("case") != shown(case["id"]):
            problems.append(f"the address names {fragment_of(one).get('case')!r}")
    return problems


def details_open_from_the_address(world):
    """case= opens the details at once, also of a case that the filter leaves out."""
    case = next(case for case in world.model.cases if "script>" in case["id"])
    problems = []
    for fragment in ({"case": shown(case["id"])}, {"case": shown(case["id"]), "verdict": "accept"}):
        problems += details_problems(opened(world, urlencode(fragment)), world.model, case)
    return problems


def implementation_details_say_everything(world):
    """A click on an implementation, in the table or above its column, shows version, command and declaration."""
    problems, one = [], opened(world)
    for number, record in enumerate(world.model.results, 1):
        one.click(f"#totals tbody tr:nth-child({number}) button.title" if number % 2
                  else f"#grid thead th:nth-child({number + 1}) button")
        text, declares = sheet_text(one), record["declares"]
        wanted = [record[key] for key in ("title", "version", "language", "command", "suite")]
        wanted.append("nothing" if declares is None else ", ".join(declares) or "none of the flags")
        wanted.append("canonical 1, pass 39, unreadable 1, wrong-value 1" if record["writer"] else "not tried")
        wanted += [part for part in (record["profile"], record["notes"], *record["problems"]) if part]
        wanted = [" ".join(shown(part).split()) for part in wanted]
        problems += [f"{record['name']}: no {part!r}" for part in wanted if part not in text]
        problems += [f"{record['name']}: null"] if "null" in text else []
        one.press("escape")
        if not one.settled("return !document.getElementById('dialog').open", seconds=60):
            problems.append(f"{record['name']}: Escape does not close")
    return problems


def hostile_texts_stay_text(world):
    """Names and messages that try to be HTML are seen as they are, and nothing of them runs."""
    problems = []
    for case in hostile_cases(world.model):
        name = shown(case["id"])
        one = opened(world, urlencode({"case": name, "q": name[-6:]}))
        probe(one, "walk", False)
        if name not in one.run("return document.getElementById('sheet').textContent"):
            problems.append(f"{name} is not in its details")
        found = probe(one, "traces")
        if found != [[], ["data", ""], None, None]:
            problems.append(f"{name}: {found}")
        problems += [f"{name}: console: {text}" for text in one.console()]
    return problems if hostile_cases(world.model) else ["no hostile case in the fixture"]


# ---- Keyboard -----------------------------------------------------------------------------------------

def keyboard_reaches_everything(world):
    """Tab goes through the fields to the matrix."""
    one = opened(world)
    one.run("document.getElementById('q').focus()")
    reached = []
    while len(reached) < 12 and reached[-1:] != ["grid"]:
        reached.append(one.run("return document.activeElement.id"))
        one.press("tab")
    wanted = ["q", "topic", "verdict", "flag", "rule", "outcome", "differ", "reset", "grid"]
    return [] if [name for name in reached if name != "scroller"] == wanted else [f"Tab goes through {reached}"]


def keyboard_moves_through_rows(world):
    """Arrows, pages and ends; the row is in sight."""
    one = opened(world)
    run(one, "probe.grid().focus()")
    last = len(world.model.cases) - 1
    problems = []
    for keys, wanted in ((["home"], 0), (["down"], 1), (["down", "down", "up"], 2), (["end"], last),
                         (["up"], last - 1), (["home", "page down", "page up"], 0), (["up"], 0)):
        one.press(*keys)
        found = probe(one, "active")
        if found != [f"row-{wanted}", "active", True]:
            problems.append(f"{keys}: {found}, not row {wanted}")
    one.press("page down")
    if probe(one, "active")[0] in ("row-0", "row-1"):
        problems.append("Page Down does not move")
    return problems


def keyboard_opens_and_closes_details(world):
    """Enter opens, arrows go to the neighbours, Escape closes, and the focus comes back."""
    model, one = world.model, opened(world)
    run(one, "probe.grid().focus()")
    one.press("home", "down", "enter")
    problems = details_problems(one, model, model.cases[1])
    one.press("right")
    problems += details_problems(one, model, model.cases[2])
    one.press("left", "left")
    problems += details_problems(one, model, model.cases[0])
    one.press("left", "escape")
    if not one.settled("return !document.getElementById('dialog').open && document.activeElement.id === 'grid'"):
        problems.append("Escape does not close, or the focus is elsewhere")
    return problems + ([f"the address keeps {fragment_of(one)}"] if "case" in fragment_of(one) else [])


CHECKS = [details_say_everything, details_open_from_the_address, implementation_details_say_everything,
          hostile_texts_stay_text, keyboard_reaches_everything, keyboard_moves_through_rows,
          keyboard_opens_and_closes_details]
