"""One process of an adapter, watched: its time, its memory, what it prints, and how it ends.

The runner never waits for a process without a limit, and never reads more from it than fits. A process gets
a session of its own, so that killing it takes its children along.
"""

import itertools
import os
import selectors
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from . import memory, strays

READY, ENDED, CLOSED, TIME, MEMORY, FLOOD = "ready", "ended", "closed", "time", "memory", "flood"
# What the system can do: Linux all of it, others less.
PIDFDS = hasattr(os, "pidfd_open")       # tell when a process ends while we wait for its output
PEEKS = hasattr(os, "waitid")            # see that it has ended before its number is given away
TICK = 0.05              # seconds between two looks at the memory
CHUNK = 1 << 16
LONGEST = 16 << 20       # bytes of one answer
STDERR_KEPT = 4096
NUMBERS = itertools.count(1)     # of processes, for the word that tells their strays
GRACE = 1.0              # seconds that a process which closed its output has to end


@dataclass(frozen=True)
class Limits:
    """What a case may cost."""

    time: float = 10.0           # seconds a case
    memory: int = 1 << 30        # bytes above what the process had before the case
    start: float = 60.0          # seconds until a process that stays has answered `start`
    address_space: int = 0       # bytes of RLIMIT_AS; 0: none


class Launcher:
    """Starts processes and knows which are alive, so that none outlives the runner."""

    def __init__(self, limits, environment=None, folder=None):
        self.limits = limits
        self.environment = environment
        self.folder = folder
        self.alive = set()
        self.lock = threading.Lock()
        self.closed = False

    def spawn(self, command, talks=False, silent=False):
        """A new process. It has a standard input if it `talks`; what a `silent` one prints is thrown away."""
        with self.lock:
            if self.closed:
                raise KeyboardInterrupt
            child = Child(self, self._limited(command), talks, silent)
            self.alive.add(child)
        return child

    def _limited(self, command):
        """A shell sets the limit and becomes the command: safe beside threads, and there before the first byte."""
        if not self.limits.address_space:
            return command
        kib = self.limits.address_space // 1024
        return ["sh", "-c", f'ulimit -v {kib} && exec "$@"', "sh", *command]

    def forget(self, child):
        """A process that has ended."""
        with self.lock:
            self.alive.discard(child)

    def kill_all(self):
        """Ends every process, and lets none begin."""
        with self.lock:
            self.closed = True
            children = list(self.alive)
        for child in children:
            child.signal_group()


class Child:
    """A running process and its pipes."""

    def __init__(self, launcher, command, talks, silent):
        self.launcher = launcher
        self.limits = launcher.limits
        self.word = f"{os.getpid()}-{next(NUMBERS)}"
        environment = {**(launcher.environment or os.environ), strays.VARIABLE: self.word}
        self.popen = subprocess.Popen(
            command, cwd=launcher.folder, env=environment, bufsize=0, start_new_session=True,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if silent else subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.popen.pid
        self.selector = selectors.DefaultSelector()
        self.output = bytearray()        # read from it and not yet taken
        self.pending = b""               # to be written to it
        self.stderr_tail = b""
        self.lock = threading.Lock()     # between whoever notes its end and whoever kills it
        self.status = None               # its wait status once it has ended
        self.highest = 0                 # resident bytes, as the system told at its end
        self.idle = None                 # resident bytes that no case is to blame for; None: not limited yet
        self.mark = 0                    # the highest they had been by then
        self.looked = 0.0
        self._watch_pipes()

    def _watch_pipes(self):
        self.pidfd = os.pidfd_open(self.pid) if PIDFDS else None
        if self.pidfd is not None:
            self.selector.register(self.pidfd, selectors.EVENT_READ, self._reap)
        for pipe, handler in ((self.popen.stdout, self._read_output), (self.popen.stderr, self._read_stderr)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self.selector.register(pipe, selectors.EVENT_READ, handler)
        if self.popen.stdin is not None:
            os.set_blocking(self.popen.stdin.fileno(), False)

    # ---- Reading and writing ----------------------------------------------------------------------

    def _read_output(self):
        data = self._read(self.popen.stdout)
        if data:
            self.output += data

    def _read_stderr(self):
        data = self._read(self.popen.stderr)
        if data:
            self.stderr_tail = (self.stderr_tail + data)[-STDERR_KEPT:]

    def _read(self, pipe):
        if pipe.closed:
            return None
        try:
            data = os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            return None
        if not data:
            self.selector.unregister(pipe)
            pipe.close()
        return data

    def _write_pending(self):
        if not self.pending:
            return
        try:
            count = os.write(self.popen.stdin.fileno(), self.pending)
            self.pending = self.pending[count:]
        except BlockingIOError:
            return
        except OSError:
            self.pending = b""           # it no longer listens: its end or its silence will say so
        if not self.pending:
            self.selector.unregister(self.popen.stdin)

    def send(self, data):
        """Has `data` written while the process is watched."""
        if not self.pending:
            self.selector.register(self.popen.stdin, selectors.EVENT_WRITE, self._write_pending)
        self.pending += data

    def stderr(self):
        """The last that it printed for people."""
        return self.stderr_tail.decode("utf-8", "replace")

    # ---- Watching ---------------------------------------------------------------------------------

    def turn(self, seconds):
        """Waits for something to happen, but not longer than `seconds`, and deals with it."""
        for key, _ in self.selector.select(max(seconds, 0)):
            key.data()
        if self.pidfd is None:
            self._reap()

    def wait_for(self, ready, seconds):
        """Watches until `ready()`, at most `seconds`; says why it stopped."""
        deadline = time.monotonic() + seconds
        while True:
            if ready():
                return READY
            if len(self.output) > LONGEST:
                return FLOOD
            if self.status is not None and self._drained():
                return READY if ready() else ENDED
            if self.over_memory():
                return MEMORY
            left = deadline - time.monotonic()
            if left <= 0:
                return TIME
            if self._output_closed():
                return self._ends_soon(min(left, GRACE))
            self.turn(min(left, TICK))

    def _output_closed(self):
        return self.popen.stdout is not None and self.popen.stdout.closed and self.status is None

    def _ends_soon(self, seconds):
        """Its standard output is at its end: does the process end as well?"""
        deadline = time.monotonic() + seconds
        while self.status is None and time.monotonic() < deadline:
            self.turn(min(TICK, seconds))
        return CLOSED if self.status is None else ENDED

    def _drained(self):
        """Reads what an ended process has left in its pipes; children of it may keep them open."""
        for pipe in (self.popen.stdout, self.popen.stderr):
            while pipe is not None and not pipe.closed and len(self.output) <= LONGEST:
                data = self._read(pipe)
                if not data:
                    break
                if pipe is self.popen.stdout:
                    self.output += data
                else:
                    self.stderr_tail = (self.stderr_tail + data)[-STDERR_KEPT:]
        return True

    def wait_end(self, seconds):
        """Watches a process until it has ended."""
        deadline = time.monotonic() + seconds
        while self.status is None:
            if len(self.output) > LONGEST:
                return FLOOD
            if self.over_memory():
                return MEMORY
            left = deadline - time.monotonic()
            if left <= 0:
                return TIME
            self.turn(min(left, TICK))
        self._drained()
        return ENDED

    # ---- Memory -----------------------------------------------------------------------------------

    def rest(self):
        """Takes the memory of now as what the process needs without a case."""
        if memory.WATCHED and self.status is None:
            self.idle, self.mark = memory.look(memory.tree(self.pid))

    def over_memory(self, now=False):
        """Whether it grew beyond the limit since the last rest. Looks at most once a tick unless `now`."""
        if self.idle is None:
            return False
        if self.status is not None:
            # The system counts what the runner had when it made the process as well.
            return self.highest - max(self.idle, memory.own()) > self.limits.memory
        if not memory.WATCHED or (not now and time.monotonic() - self.looked < TICK):
            return False
        self.looked = time.monotonic()
        resident, highest = memory.look(memory.tree(self.pid))
        if highest > self.mark:          # a peak of this case, not of one before it
            resident = max(resident, highest)
        return resident - self.idle > self.limits.memory

    def hoards(self, mark):
        """Whether it once had so much more than `mark` that the peak of a next case would not stand out."""
        if not memory.WATCHED or self.status is not None:
            return False
        return memory.look(memory.tree(self.pid))[1] - mark > self.limits.memory // 2

    # ---- Ending -----------------------------------------------------------------------------------

    def _reap(self):
        """Notes its end. Children that it left are killed first: until it is reaped, its number is its own."""
        with self.lock:
            if self.status is not None:
                return
            if PEEKS and os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                self._kill()
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid == 0:
                return
            self.status = status
        self.highest = usage.ru_maxrss * memory.RSS_UNIT
        self.popen.returncode = os.waitstatus_to_exitcode(self.status)
        if self.pidfd is not None:
            self.selector.unregister(self.pidfd)

    def _kill(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass                         # nobody is left, or (elsewhere than on Linux) only the dead

    def signal_group(self):
        """Kills the process and its children, unless it has ended: then its number may be another's."""
        with self.lock:
            if self.status is None:
                self._kill()

    def close(self):
        """Kills what is left of it and gives everything back."""
        self.signal_group()
        while self.status is None:
            self.turn(TICK)
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self.selector.close()
        if self.pidfd is not None:
            os.close(self.pidfd)
        self.launcher.forget(self)
        strays.kill_marked(self.word, self.pid)

    def how_it_ended(self):
        """The exit status or the signal, in words."""
        code = os.waitstatus_to_exitcode(self.status)
        if code >= 0:
            return f"exit status {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
