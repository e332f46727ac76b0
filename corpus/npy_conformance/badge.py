"""A badge as SVG: how many cases pass of those that the implementation supports."""

from html import escape

from . import outcome

HEIGHT, CHARACTER, MARGIN = 20, 6.6, 6        # pixels; a character of Verdana at 11 pixels, generously
GOOD, FAIR, BAD = "#2e7d32", "#8a6d00", "#b3261e"


def of_run(suite, run, fail_on):
    """The badge of a run."""
    kinds = [results for results in (run.results, run.written) if results is not None]
    totals = outcome.totals(result for results in kinds for result in results.values())
    return of_totals(suite, totals, fail_on, bool(run.problems) or run.empty())


def of_totals(suite, totals, fail_on=outcome.FAILING, is_broken=False):
    """The badge of these totals."""
    passed = sum(totals.get(name, 0) for name in outcome.RIGHT)
    failed = sum(count for name, count in totals.items() if name in outcome.FAILING)
    stopped = sum(totals.get(name, 0) for name in outcome.STOPPED)
    colour = BAD if is_broken or stopped else FAIR if failed else GOOD
    if any(totals.get(name) for name in fail_on):
        colour = BAD
    kind = "NPZ" if "NPZ" in suite.manifest.get("suite", "") else "NPY"
    return svg(f"{kind} conformance {suite.version}", f"{passed:,} of {passed + failed:,}", colour)


def svg(left, right, colour):
    """Two words side by side, readable by a screen reader."""
    first, second = (round(len(text) * CHARACTER) + 2 * MARGIN for text in (left, right))
    title = escape(f"{left}: {right}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second}" height="{HEIGHT}" role="img" '
            f'aria-label="{title}"><title>{title}</title>'
            f'<rect width="{first + second}" height="{HEIGHT}" rx="3" fill="#444"/>'
            f'<path d="M{first} 0h{second - 3}a3 3 0 0 1 3 3v{HEIGHT - 6}a3 3 0 0 1-3 3h-{second - 3}z" fill="{colour}"/>'
            f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            f'<text x="{first / 2:g}" y="14">{escape(left)}</text>'
            f'<text x="{first + second / 2:g}" y="14">{escape(right)}</text></g></svg>\n')
