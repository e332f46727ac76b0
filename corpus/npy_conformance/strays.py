"""Processes that an adapter leaves behind outside its session, where killing its process group does not reach them.

On Linux the runner makes itself a subreaper: whatever loses its parent becomes a child of the runner. Each process
of an adapter gets a word of its own in its environment, which its descendants inherit; so a stray is told from the
processes of other cases, and ended with the process that left it. One that wipes its environment lives until the
implementation is through. Elsewhere there are no subreapers, and such processes survive.
"""

import ctypes
import os
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36
VARIABLE = "NPY_RUN_PROCESS"


def adopt():
    """Has strays given to the runner, where the system can."""
    if sys.platform == "linux":
        try:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0)
        except (OSError, AttributeError):
            pass


def kill_marked(word, session):
    """Ends the strays that carry the word, and what is left of the session. Their owner has been reaped."""
    marked = f"{VARIABLE}={word}".encode()
    _kill(lambda pid: marked in _environment(pid).split(b"\0") or _session(pid) == session)


def kill_all():
    """Ends every process that is the runner's own child: when no case runs, all of them are strays."""
    _kill(lambda pid: True)


def _kill(chosen):
    """Until there are none: the children of one that is killed are adopted as well."""
    done = set()
    while found := [pid for pid in _children() if pid not in done and chosen(pid)]:
        done.update(found)
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError, PermissionError):
                pass                     # somebody else has seen its end, or it is not ours to kill


def _children():
    """The runner's children, where the system tells."""
    found = []
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass                             # a thread has ended, or this kernel does not tell
    return found


def _session(pid):
    """The session that a process belongs to; zombies belong to one, too."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _environment(pid):
    """The environment that a process was started with; a zombie has none."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""
