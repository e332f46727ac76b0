"""Checks in the browser: what is drawn, in which colours, on a desk, on a phone, and without a script."""

import re
from itertools import product
from urllib.parse import quote, urlencode

from tests.matrix import browser as chromium
from tests.matrix.look import PHONE, address, cell_problems, open_all, opened, probe, run
from tests.matrix.model import SYMBOLS, shown


def it_renders_every_row_and_cell(world):
    """The whole matrix; and what is left of it when rows and columns are filtered out."""
    problems = cell_problems(opened(world), world.model)
    fragment = urlencode([("verdict", "reject"), ("outcome", "crash"), ("hide", "perfect"), ("hide", "old")])
    one = opened(world, fragment)
    return problems + cell_problems(one, world.model, ["perfect", "old"], verdict="reject", outcome="crash")


def only_near_rows_exist(world):
    """However long the suite is, the page holds a few screens of rows; so it scrolls on a phone."""
    one = opened(world)
    most = 3 * run(one, "return probe.scroller().clientHeight / 26") + 3
    rows = len(run(one, "return probe.rows().map((line) => line.id)"))
    walked = probe(one, "walk", False)["most"]
    return [] if 0 < rows <= most and walked <= most else [f"{rows}, then up to {walked} rows at once"]


def rows_that_stay_are_not_touched(world):
    """A row that is taken out and put back loses the click that is just being made, and what reads it aloud."""
    same = run(opened(world), """
        const line = document.getElementById('row-9');
        let moved = 0;
        const note = (changes) => { moved += changes.some((change) => [...change.removedNodes].includes(line)); };
        new MutationObserver(note).observe(line.parentNode, {childList: true});
        probe.scroller().scrollTop = 200;
        await probe.pause(200);
        return [line.isConnected, moved];""")
    return [] if same == [True, 0] else [f"the row is there, was taken out: {same}"]


def head_and_first_column_stay(world):
    """Scrolled down and sideways, the names of implementations and cases are still there."""
    found = run(opened(world, size=PHONE, phone=True), """
        probe.scroller().scrollTop = 3000;
        probe.scroller().scrollLeft = 120;
        await probe.pause(200);
        const box = probe.box(probe.scroller());
        const line = probe.rows().find((one) => probe.box(one).top > box.top + 250);
        const head = probe.head().parentNode.cells[8];
        return [probe.box(line.cells[0]).left - box.left, probe.box(head).top - box.top];""")
    return [] if all(-0.5 < value < 2.5 for value in found) else [f"first column and head are at {found}"]


def rows_keep_their_height(world):
    """What is not drawn is as high as what is, on desk and phone: otherwise rows jump while one scrolls."""
    problems = []
    for size in ((1280, 900), PHONE):
        heights, told, whole = run(opened(world, size=size, phone=size == PHONE), """
            const told = getComputedStyle(document.documentElement).getPropertyValue('--row');
            return [[...new Set(probe.rows().map((line) => line.offsetHeight))], parseFloat(told),
              probe.grid().offsetHeight - probe.grid().tHead.offsetHeight];""")
        if heights != [told] or whole != told * len(world.model.cases):
            problems.append(f"{size}: heights {heights}, told {told}, all {whole}")
    return problems


def console_is_silent_and_nothing_is_loaded(world):
    """Through filters, details and both schemes: no message in the console, no request but for the page itself."""
    one = world.browser
    one.open(address(world))
    one.log("performance")
    one.console()
    problems = []
    for dark in (False, True):
        one.dark(dark)
        one.open(address(world, "differ=1&verdict=reject"))
        probe(one, "walk", False)
        run(one, "probe.rows()[0].click(); document.getElementById('choices').open = true")
        problems += [f"console: {text}" for text in one.console()]
    asked = {text.split("#")[0] for text in one.requests()} - {"about:blank"}
    if asked - {address(world), "data:,"} or address(world) not in asked:
        problems.append(f"requests: {sorted(asked)}")
    return problems


def a_console_message_would_be_seen(world):
    """The check above rests on this: errors and refused loads do come through."""
    one = opened(world)
    run(one, "setTimeout(() => { throw new Error('planted'); }, 0); new Image().src = 'https://example.org/x.png';"
             "await probe.pause(300)")
    found = " ".join(one.console())
    return [f"no word of {word}" for word in ("planted", "Content Security Policy") if word not in found]


# ---- Colours ------------------------------------------------------------------------------------------

def symbols_and_colours_tell_outcomes_apart(world):
    """A letter for those who see no colour, and a colour: no two faults have the same of either."""
    chips = opened(world).run("""
        document.getElementById('legend').open = true;
        const seen = (line) => ['b', '.chip'].map((name) => line.querySelector(name).textContent);
        const ground = (line) => getComputedStyle(line.querySelector('.chip')).backgroundColor;
        return [...document.querySelectorAll('.legend li')].map((line) => [...seen(line), ground(line)]);""")
    names, symbols, grounds = zip(*chips)
    problems = [] if [name.replace(" ", "-") for name in names] == list(SYMBOLS) else [f"the legend is {names}"]
    if list(symbols) != list(SYMBOLS.values()) or len(set(symbols)) != len(symbols):
        problems.append(f"symbols {symbols}")
    if len(set(grounds[:9])) != 9:
        problems.append(f"colours {grounds}")
    return problems


def luminance(colour):
    """Relative luminance of `rgb(r, g, b)` as WCAG 2 defines it."""
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(front, ground):
    """Contrast of two colours."""
    low, high = sorted((luminance(front), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def contrast_is_enough(world):
    """At least 4.5:1 for every text, in both schemes, with the details open and closed."""
    problems = []
    case = "case=" + quote(shown(world.model.cases[0]["id"]))
    for dark, fragment in product((False, True), ("", case, "hide=old&q=case")):
        one = opened(world, fragment, dark=dark)
        open_all(one)
        found = probe(one, "colours")
        for key, where in found:
            front, ground, opacity = key.split("|")
            if float(opacity) < 1 or "rgb(" not in front or "rgb(" not in ground or contrast(front, ground) < 4.5:
                problems.append(f"{'dark' if dark else 'light'}: {where}: {key}")
        if len(found) < 10:
            problems.append(f"only {len(found)} colours found")
    return problems


# ---- Phone, and no script -----------------------------------------------------------------------------

def phone_has_no_overflow(world):
    """375 pixels: nothing is wider than the page but what scrolls by itself; fields and rows can be touched."""
    longest = max(world.model.cases, key=lambda one: len(one.get("expect", {}).get("descr", "")))
    problems = []
    for fragment in ("", "q=case&differ=1", "case=" + quote(shown(longest["id"]))):
        one = opened(world, fragment, size=PHONE, phone=True)
        open_all(one)
        found = probe(one, "overflow")
        if found != [PHONE[0], PHONE[0], []]:
            problems.append(f"#{fragment}: {found}")
        inner, outer = one.run("const dialog = document.getElementById('dialog');"
                               "return [dialog.scrollWidth, dialog.clientWidth]")
        problems += [f"the details are {inner} pixels wide in {outer}"] if inner > outer else []
    height, first, letters = run(one, """
        const line = probe.rows()[0];
        return [probe.box(line).height, probe.box(line.cells[1]).left,
          parseFloat(getComputedStyle(document.getElementById('q')).fontSize)];""")
    if height < 36 or letters < 15 or first > 190:
        problems.append(f"rows of {height} pixels, letters of {letters}, the first outcome at {first}")
    return problems


def totals_are_readable_without_a_script(world):
    """With scripts forbidden: the totals table is there, the filters are not, and a sentence says so."""
    with chromium.Browser(scripts=False) as one:
        one.open(address(world))
        text = " ".join(one.run("return document.body.innerText").split())
        drawn = one.run("return [document.getElementById('scroller').childElementCount,"
                        "document.getElementById('filters').hidden]")
    problems = []
    for record, cells in zip(world.model.results, world.model.totals(world.model.rows())):
        if any(part not in text for part in (shown(record["title"]), record["version"], " ".join(cells[:3]))):
            problems.append(f"{record['name']} is not readable")
    if drawn != [0, True]:
        problems.append(f"a script ran: {drawn}")
    if "needs a script" not in text:
        problems.append("nothing says that the matrix needs a script")
    return problems


CHECKS = [it_renders_every_row_and_cell, only_near_rows_exist, rows_that_stay_are_not_touched,
          head_and_first_column_stay, rows_keep_their_height, console_is_silent_and_nothing_is_loaded,
          a_console_message_would_be_seen, symbols_and_colours_tell_outcomes_apart, contrast_is_enough,
          phone_has_no_overflow, totals_are_readable_without_a_script]
