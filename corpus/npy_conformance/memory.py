"""How much memory a process has, seen from outside.

On Linux /proc tells the resident size of a process and its children, and the highest it ever was, so that even
a short peak between two looks is seen. Elsewhere there is nothing to look at while a process runs: then only
what the system says at its end (`ru_maxrss`) counts.
"""

import os
import resource
import sys

WATCHED = os.path.exists("/proc/self/status")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024      # of ru_maxrss


def tree(pid):
    """A process and all its descendants."""
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        todo.extend(_children(one))
    return found


def _children(pid):
    children = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as lines:
                children.extend(int(word) for word in lines.read().split())
    except OSError:
        pass                # it has ended, or this kernel does not tell
    return children


def _look(pid):
    """(resident bytes, highest resident bytes) of one process."""
    resident = highest = 0
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("VmHWM:"):
                    highest = int(line.split()[1]) * 1024
                elif line.startswith("VmRSS:"):
                    resident = int(line.split()[1]) * 1024
                    break
    except OSError:
        pass
    return resident, highest


def look(pids):
    """(resident, highest) of several processes, added up."""
    sums = [_look(pid) for pid in pids]
    return sum(resident for resident, _ in sums), sum(highest for _, highest in sums)


def own():
    """The highest resident size of the runner itself."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
