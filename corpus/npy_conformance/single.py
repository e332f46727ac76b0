"""The levels `exit` and `json`: one process a case."""

from .answer import ACCEPT, REJECT, UNSUPPORTED, ProtocolError, parse_object
from .process import ENDED, MEMORY
from .task import Reply, misspoken, no_answer

READ_STATUS = {0: {"verdict": ACCEPT}, 1: {"verdict": REJECT}, 3: {"verdict": UNSUPPORTED}}
WRITE_STATUS = {0: {"written": True}, 1: {"error": ""}, 3: {"unsupported": ""}}


def base_memory(launcher, command):
    """What the process needs for a small good file: the runtime, for which no case is to blame; and how it ended."""
    child = launcher.spawn(command, silent=True)
    try:
        why = child.wait_end(launcher.limits.time)
    finally:
        child.close()
    return min(child.highest, launcher.limits.memory), why


class SingleSpeaker:
    """Runs the command anew for each task."""

    def __init__(self, launcher, command, level, base):
        self.launcher = launcher
        self.command = command
        self.level = level
        self.base = base

    def perform(self, task, settle):
        """Runs one task and gives its reply to `settle`."""
        by_status = self.level == "exit" or task.writes
        child = self.launcher.spawn([*self.command, *task.arguments()], silent=by_status)
        try:
            child.idle = self.base
            why = child.wait_end(self.launcher.limits.time)
        finally:
            child.close()
        if why == ENDED and child.over_memory():
            why = MEMORY
        if why != ENDED:
            settle(task, no_answer(why, child))
        elif by_status:
            settle(task, status_reply(child, WRITE_STATUS if task.writes else READ_STATUS))
        else:
            settle(task, json_reply(child, task))

    def finish(self):
        """Nothing stays; nothing can be wrong."""
        return []


def status_reply(child, meanings):
    """What an exit status says."""
    answer = meanings.get(child.popen.returncode)
    return Reply(dict(answer), stderr=child.stderr()) if answer else no_answer(None, child)


def json_reply(child, task):
    """What a process printed, if it ended well."""
    if child.popen.returncode != 0:
        return no_answer(None, child)
    try:
        return Reply(task.check(parse_object(bytes(child.output))), stderr=child.stderr())
    except ProtocolError as error:
        return misspoken(error, child.stderr())
