"""The level `lines`: a process that stays, asked line by line.

A process that has answered others before can fail because of them. So a death is tried again in a fresh process:
if the case is read there, the case before it is to blame (the process died after its answer). What a process
says without being asked is the fault of the case before as well.
"""

import json
import random

from . import outcome
from .answer import ProtocolError, check_keys, is_integer, is_string, parse_object, shown
from .outcome import Result
from .process import CLOSED, ENDED, MEMORY, READY
from .task import Reply, misspoken, no_answer

PROTOCOL = 1
STARTS = 3               # how often a process may fail to start before the run is given up
START_KEYS = {"protocol": is_integer, "implementation": is_string, "version": is_string, "language": is_string}


class StartError(Exception):
    """The adapter does not come up; nothing can be said of the implementation."""


class Session:
    """One process from `start` to `stop`."""

    def __init__(self, launcher, command):
        self.child = launcher.spawn(command, talks=True)
        self.limits = launcher.limits
        self.seq = random.Random()
        try:
            self.hello = self._start()
        except StartError:
            self.child.close()
            raise
        self.child.rest()
        self.start_mark = self.child.mark

    # ---- Lines ------------------------------------------------------------------------------------

    def _send(self, message):
        self.child.send(json.dumps(message).encode("ascii") + b"\n")

    def _line(self):
        """The first line that it has said and that nobody has taken."""
        line, _, rest = bytes(self.child.output).partition(b"\n")
        self.child.output[:] = rest
        return line

    def _has_line(self):
        return b"\n" in self.child.output

    # ---- Start ------------------------------------------------------------------------------------

    def _start(self):
        self._send({"cmd": "start", "protocol": PROTOCOL})
        why = self.child.wait_for(self._has_line, self.limits.start)
        if why != READY:
            how = self.child.how_it_ended() if why == ENDED else f"no answer within {self.limits.start:g} s"
            raise StartError(f"it did not answer start: {how}{self._said()}")
        try:
            hello = parse_object(self._line())
            check_keys(hello, START_KEYS)
        except ProtocolError as error:
            raise StartError(f"its answer to start cannot be understood: {error}{self._said()}") from error
        if hello.get("protocol") != PROTOCOL:
            raise StartError(f"it speaks protocol {shown(hello.get('protocol'))}, not {PROTOCOL}")
        return hello

    def _said(self):
        text = self.child.stderr().strip()
        return f"\n{text}" if text else ""

    # ---- A task -----------------------------------------------------------------------------------

    def ask(self, task):
        """The reply to one task; `reply.result` is set if the process must not be used any more."""
        self.child.rest()
        seq = self.seq.randrange(1, 1 << 31)
        self._send({**task.message(), "seq": seq})
        why = self.child.wait_for(self._has_line, self.limits.time)
        if why == ENDED and self.child.over_memory() or why == READY and self.child.over_memory(now=True):
            why = MEMORY
        if why == CLOSED:
            return misspoken("it closed its standard output", self.child.stderr())
        if why != READY:
            return no_answer(why, self.child)
        try:
            answer = parse_object(self._line())
            said = answer.pop("seq", None)
            if not is_integer(said) or said != seq:
                raise ProtocolError("the answer has no seq" if said is None else "the answer has another seq")
            return Reply(task.check(answer), stderr=self.child.stderr())
        except ProtocolError as error:
            return misspoken(error, self.child.stderr())

    def unasked(self):
        """What went wrong since the last answer, if anything: a Result or None."""
        self.child.turn(0)
        if self.child.output:
            return Result(outcome.PROTOCOL, "it spoke without being asked")
        if self.child.status is not None:
            return Result(outcome.CRASH, f"after its answer: {self.child.how_it_ended()}")
        return None

    def hoards(self):
        """Whether it should be replaced before its memory hides what a case needs."""
        return self.child.hoards(self.start_mark)

    def stop(self):
        """Ends it as the protocol says; what went wrong, if anything: a Result or None."""
        self._send({"cmd": "stop"})
        why = self.child.wait_end(self.limits.time)
        if why != ENDED:
            return Result(outcome.HANG, "it does not end after stop")
        if self.child.output:
            return Result(outcome.PROTOCOL, "it spoke without being asked")
        if self.child.popen.returncode != 0:
            return Result(outcome.CRASH, f"after its answer: {self.child.how_it_ended()}")
        return None

    def close(self):
        """Ends it at once."""
        self.child.close()


class LinesSpeaker:
    """Keeps a process, and gets a new one when it must."""

    def __init__(self, launcher, command, fresh, session=None):
        self.launcher = launcher
        self.command = command
        self.fresh = fresh               # a process for each task
        self.session = session           # one that has started and not been asked yet
        self.previous = None             # the task that the present process has answered last

    def _open(self):
        for attempt in range(1, STARTS + 1):
            try:
                self.session = Session(self.launcher, self.command)
                return
            except StartError:
                if attempt == STARTS:
                    raise

    def _drop(self):
        if self.session:
            self.session.close()
        self.session = self.previous = None

    def _blame(self, settle, result):
        """The case before is at fault; if there is none, a fresh process will show whose fault it is."""
        if self.previous:
            settle(self.previous, Reply(result=result, stderr=self.session.child.stderr()))
        self._drop()

    def perform(self, task, settle):
        """Runs one task and gives its reply to `settle`, which may hear of the task before it again."""
        if self.session and (fault := self.session.unasked()):
            self._blame(settle, fault)
        if self.session and self.session.hoards():
            self._retire(settle)
        if not self.session:
            self._open()
        reply = self.session.ask(task)
        if reply.result and self.previous:
            reply = self._again(task, reply, settle)
        settle(task, reply)
        if reply.result:
            self._drop()
        else:
            self.previous = task
            if self.fresh:
                self._retire(settle)

    def _again(self, task, reply, settle):
        """A failure in a process that had answered others: whose fault is it?"""
        first = reply.result
        if first.outcome not in (outcome.CRASH, outcome.PROTOCOL):
            return reply
        before, stderr = self.previous, reply.stderr
        self._drop()
        self._open()
        reply = self.session.ask(task)
        if not reply.result:
            late = Result(first.outcome, f"after its answer: {first.detail}")
            settle(before, Reply(result=late, stderr=stderr))
        return reply

    def _retire(self, settle):
        """Ends a process that has answered; how it ends is a matter of the case that it answered last."""
        fault = self.session.stop()
        if fault:
            self._blame(settle, fault)
        self._drop()

    def finish(self):
        """Stops the process; what it did wrong there, as sentences."""
        fault = None
        if self.session:
            fault = self.session.unasked() or self.session.stop()
        self._drop()
        return [f"{fault.outcome}: {fault.detail}"] if fault else []
