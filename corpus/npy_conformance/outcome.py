"""What can come of a case: the names of the outcomes, and a result."""

from dataclasses import dataclass

PASS = "pass"
CANONICAL = "canonical"
ACCEPTS = "accepts"
REFUSES = "refuses"
UNSUPPORTED = "unsupported"
WRONG_ACCEPT = "wrong-accept"
WRONG_REJECT = "wrong-reject"
WRONG_VALUE = "wrong-value"
WRONG_ERROR = "wrong-error"
UNREADABLE = "unreadable"
CRASH = "crash"
HANG = "hang"
MEMORY = "memory"
PROTOCOL = "protocol"
WITHHELD = "withheld"         # only in saved results: passed, unsupported, a choice, or broken and not yet public

# In the order in which tables show them.
ALL = (PASS, CANONICAL, ACCEPTS, REFUSES, UNSUPPORTED, WRONG_ACCEPT, WRONG_REJECT, WRONG_VALUE, WRONG_ERROR,
       UNREADABLE, CRASH, HANG, MEMORY, PROTOCOL, WITHHELD)
RIGHT = frozenset((PASS, CANONICAL))
STOPPED = (CRASH, HANG, MEMORY)
# A case that did not come to an end; the others came to a wrong one.
BROKEN = frozenset((CRASH, HANG, MEMORY, PROTOCOL))
FAILING = frozenset((WRONG_ACCEPT, WRONG_REJECT, WRONG_VALUE, WRONG_ERROR, UNREADABLE)) | BROKEN
# In the order in which failures are listed: what endangers a program, what deceives it, what only annoys.
WORST_FIRST = (CRASH, HANG, MEMORY, WRONG_VALUE, WRONG_ACCEPT, UNREADABLE, PROTOCOL, WRONG_REJECT, WRONG_ERROR,
               UNSUPPORTED, ACCEPTS, REFUSES, PASS, CANONICAL, WITHHELD)


@dataclass(frozen=True)
class Result:
    """The outcome of one case. `detail` is the same on every run; `stderr` need not be, and is never saved."""

    outcome: str
    detail: str = ""
    stderr: str = ""


def totals(results):
    """How often each outcome came, those that never came left out."""
    counts = {}
    for result in results:
        counts[result.outcome] = counts.get(result.outcome, 0) + 1
    return {name: counts[name] for name in ALL if name in counts}
