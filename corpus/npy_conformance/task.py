"""One thing to ask of an implementation, at whatever level, and what came of it."""

import json
from dataclasses import dataclass

from . import outcome
from .answer import check_answer, check_written
from .outcome import Result
from .process import FLOOD, MEMORY, TIME

BROKEN = {TIME: outcome.HANG, MEMORY: outcome.MEMORY, FLOOD: outcome.PROTOCOL}
DETAILS = {
    TIME: "no answer within the time limit",
    MEMORY: "over the memory limit",
    FLOOD: "the answer does not end",
}


@dataclass(frozen=True)
class ReadTask:
    """Reads a file."""

    case: object
    path: str
    check = staticmethod(check_answer)
    writes = False

    def message(self):
        """What level `lines` is sent."""
        options = self.case.decoder_options
        return {"cmd": "read", "file": self.path, **({"options": options} if options else {})}

    def arguments(self):
        """What the other levels are called with."""
        return [self.path, *([json.dumps(self.case.decoder_options)] if self.case.decoder_options else [])]


@dataclass(frozen=True)
class WriteTask:
    """Writes a file."""

    case: object
    path: str
    request: dict
    request_path: str
    check = staticmethod(check_written)
    writes = True

    def message(self):
        """What level `lines` is sent."""
        return {"cmd": "write", "request": self.request, "file": self.path}

    def arguments(self):
        """What the other levels are called with."""
        return ["--write", self.request_path, self.path]


@dataclass(frozen=True)
class Reply:
    """An answer that keeps the protocol, or the result of having none; and what was printed for people."""

    answer: dict = None
    result: Result = None
    stderr: str = ""


def no_answer(why, child):
    """The reply of a process that was stopped, or that ended as it should not."""
    stderr = child.stderr()
    if why in BROKEN:
        return Reply(result=Result(BROKEN[why], DETAILS[why]), stderr=stderr)
    return Reply(result=Result(outcome.CRASH, child.how_it_ended()), stderr=stderr)


def misspoken(error, stderr=""):
    """The reply of an adapter that broke the protocol."""
    return Reply(result=Result(outcome.PROTOCOL, str(error)), stderr=stderr)
