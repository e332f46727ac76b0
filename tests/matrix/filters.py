"""Checks in the browser: what each filter leaves, and what of it stands in the address."""

from urllib.parse import urlencode

from tests.matrix.look import cell_problems, choose, compare, fragment_of, opened, probe, run
from tests.matrix.model import SYMBOLS, shown


def each_option(world, field, values):
    """One filter with each of its values: the options are these, and each leaves the rows it must."""
    one = opened(world)
    options = one.run("return [...document.getElementById(arguments[0]).options].map((one) => one.value)", field)
    problems = []
    if options[:1] != [""] or sorted(options[1:]) != sorted(values):
        problems.append(f"the options are {options}, not {sorted(values)}")
    for number, value in enumerate(values):
        choose(one, field, value)
        problems += compare(one, world.model, whole=number % 4 == 0, **{field: value})
    choose(one, field, "")
    return problems + compare(one, world.model)


def filter_by_topic(world):
    """Every directory, and the directories above it."""
    ids = [shown(case["id"]) for case in world.model.cases]
    return each_option(world, "topic", sorted({name.rsplit("/", depth)[0] for name in ids
                                               for depth in range(1, name.count("/") + 1)}))


def filter_by_verdict(world):
    """accept, reject, choice."""
    return each_option(world, "verdict", ["accept", "choice", "reject"])


def filter_by_flag(world):
    """Every flag."""
    return each_option(world, "flag", sorted(world.model.manifest["flags"]))


def filter_by_rule(world):
    """Every rule."""
    return each_option(world, "rule", sorted({rule for case in world.model.cases for rule in case["rules"]}))


def filter_by_outcome(world):
    """Every outcome and both groups; only implementations that are shown count."""
    problems = each_option(world, "outcome", ["fault", "stopped", *SYMBOLS])
    keep = ["perfect", "old", "__proto__"]
    hidden = [one["name"] for one in world.model.results if one["name"] not in keep]
    one = opened(world, urlencode([("hide", name) for name in hidden]))
    for value in ("fault", "crash", "accepts", "unknown"):
        choose(one, "outcome", value)
        problems += compare(one, world.model, hidden, outcome=value)
    return problems


def filter_by_text(world):
    """Typed by keyboard: names, reasons, rules, messages, several words, nothing found."""
    problems, one = [], opened(world)
    for text in ("case-0007", "NPY-LIT-00", "<i>why</i>", "EXPECTED ',' nested", "\\u202e", "no-such-thing",
                 "script> onerror", "snpy_3_status literal"):
        typed = text if text == "case-0007" else text[-2:]       # each key costs a filter: the rest is there at once
        one.run("document.getElementById('q').value = arguments[0]", text.removesuffix(typed))
        one.type("#q", typed)
        problems += compare(one, world.model, q=text)
    one = opened(world, "q=no-such-thing")
    if "No case is like that" not in run(one, "return probe.grid().innerText"):
        problems.append("no word for an empty matrix")
    return problems


def filter_by_several_at_once(world):
    """All filters hold together; Reset takes all of them back."""
    model, one = world.model, opened(world)
    wanted = {"verdict": "reject", "topic": "reject/literal", "outcome": "wrong-accept"}
    for field, value in wanted.items():
        choose(one, field, value)
    one.type("#q", "case")
    problems = compare(one, model, q="case", **wanted)
    one.click("#differ")
    problems += compare(one, model, q="case", differ=1, **wanted)
    one.click("#totals tbody tr:nth-child(2) .pick")
    one.click("#reset")
    problems += cell_problems(one, model) + compare(one, model)
    return problems + ([f"left in the address: {fragment_of(one)}"] if fragment_of(one) else [])


def only_rows_that_differ(world):
    """What was done counts, not whether it was right; no answer is no difference; hidden columns do not count."""
    model, one = world.model, opened(world)
    one.click("#differ")
    problems = compare(one, model, differ=1)
    names = [record["name"] for record in model.results]
    for keep in (["perfect", "same"], ["perfect", "compat"], ["perfect", "old"], ["compat", "__proto__"],
                 ["script"], ["script", "perfect"]):
        one = opened(world, urlencode([("differ", "1"), *(("only", name) for name in keep)]))
        problems += compare(one, model, [name for name in names if name not in keep], differ=1)
    if model.rows([name for name in names if name not in ("perfect", "same")], differ=1):
        problems.append("the fixture's twins differ: this check shows nothing")
    return problems


def implementations_can_be_hidden(world):
    """A tick takes a column out and brings it back; all and none."""
    model, one = world.model, opened(world)
    titles = [model.label(record) for record in model.results]
    assert len(set(titles)) == len(titles), "the fixture's labels are not all different"
    problems = []

    def expect(wanted, what):
        found = probe(one, "columns")
        problems.extend([] if found == wanted else [f"{what}: the columns {found}"])

    expect(titles, "all, at first")
    one.click("#totals tbody tr:nth-child(2) .pick")
    expect(titles[:1] + titles[2:], "one is not ticked")
    problems += compare(one, model, [model.results[1]["name"]])
    one.click("#none")
    expect([], "none")
    one.click("#totals tbody tr:nth-child(3) .pick")
    expect(titles[2:3], "one")
    if fragment_of(one) != {"only": [model.results[2]["name"]]}:
        problems.append(f"the address: {fragment_of(one)}")
    one.click("#all")
    expect(titles, "all")
    return problems


# ---- The address --------------------------------------------------------------------------------------

def address_holds_the_state(world):
    """What was chosen can be read from the address, and a page opened with it is the same."""
    model, one = world.model, opened(world)
    odd = ["__proto__", "a,b&c=d#e%"]
    wanted = {"verdict": "accept", "rule": model.cases[0]["rules"][0], "q": "& why=#%", "differ": "1", "hide": odd}
    choose(one, "verdict", wanted["verdict"])
    choose(one, "rule", wanted["rule"])
    one.type("#q", wanted["q"])
    one.click("#differ")
    for number, record in enumerate(model.results, 1):
        if record["name"] in odd:
            one.click(f"#totals tbody tr:nth-child({number}) .pick")
    found = fragment_of(one)
    problems = []
    if {**found, "hide": sorted(found.get("hide", []))} != {**wanted, "hide": sorted(odd)}:
        problems.append(f"the address says {found}")
    before, fragment = probe(one, "state"), one.run("return location.hash")[1:]
    if probe(opened(world, fragment), "state") != before:
        problems.append(f"opened anew with {fragment}: another state")
    return problems


def address_is_followed(world):
    """A page opened with an address shows its rows; a change of it is followed; nonsense filters nothing."""
    model = world.model
    one = opened(world, "topic=accept%2Frecord&outcome=fault&differ=1")
    problems = compare(one, model, topic="accept/record", outcome="fault", differ=1)
    run(one, "location.hash = 'flag=strict&hide=perfect'; await probe.pause(200)")
    problems += compare(one, model, ["perfect"], flag="strict")
    one = opened(world, "topic=nowhere&flag=__proto__&outcome=constructor&what=ever&hide=nobody&case=nothing")
    problems += compare(one, model)
    if one.run("return document.getElementById('dialog').open"):
        problems.append("details of no case are open")
    return problems


CHECKS = [filter_by_topic, filter_by_verdict, filter_by_flag, filter_by_rule, filter_by_outcome, filter_by_text,
          filter_by_several_at_once, only_rows_that_differ, implementations_can_be_hidden, address_holds_the_state,
          address_is_followed]
