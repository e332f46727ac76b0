"""One implementation, from its adapter to the results of all its cases."""

import hashlib
import queue
import re
from dataclasses import dataclass, field

from . import outcome, writer
from .adapter import AdapterError, environment, ready_command
from .compare import judge
from .lines import LinesSpeaker, StartError, Session
from .manifest import SuiteError
from .outcome import Result
from .process import TIME, Launcher
from .single import SingleSpeaker, base_memory
from .task import ReadTask
from .work import Pool

LONGEST_DETAIL = 200
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


@dataclass
class Run:
    """What came of one implementation."""

    adapter: object
    declaration: object
    command: list
    version: str = ""
    language: str = ""
    results: dict = None             # {case id: Result}; None if reading was not asked for
    written: dict = None             # likewise for writing
    problems: list = field(default_factory=list)   # faults that belong to no case

    def failing(self, fail_on):
        """[(kind, case id, Result)] of what fails, the worst first."""
        found = []
        for kind, results in (("read", self.results), ("write", self.written)):
            found += [(kind, case, result) for case, result in sorted((results or {}).items())
                      if result.outcome in fail_on]
        return sorted(found, key=lambda one: outcome.WORST_FIRST.index(one[2].outcome))

    def empty(self):
        """Whether nothing at all went right: no proof of anything."""
        everything = [*(self.results or {}).values(), *(self.written or {}).values()]
        return bool(everything) and not any(result.outcome in outcome.RIGHT | {outcome.ACCEPTS, outcome.REFUSES}
                                            for result in everything)


@dataclass
class Settings:
    """What holds for all implementations of a call."""

    suite: object
    cases: list
    limits: object
    jobs: int
    build: object                    # where adapters are built
    safenpy: object                  # the safenpy command, or None
    progress: object
    reads: bool = True
    writes: bool = False
    scratch: object = None           # a folder of our own


class Implementation:
    """Runs the cases of a call through one adapter."""

    def __init__(self, adapter, declaration, settings):
        self.adapter = adapter
        self.settings = settings
        self.run = Run(adapter, declaration, adapter.command, adapter.version or "", adapter.language)
        self.command = ready_command(adapter, settings.build)
        self.launcher = Launcher(settings.limits, environment(adapter, settings.build, settings.safenpy),
                                 adapter.folder)
        self.base = 0                    # memory of a process of the levels exit and json
        self.started = queue.SimpleQueue()   # a session that waits for its first task

    def execute(self):
        """Everything; raises AdapterError if the adapter does not work at all."""
        try:
            self._try_start()
            if self.settings.reads:
                self.run.results = self._read()
            if self.settings.writes:
                self.run.written = self._write()
            self.run.problems += damaged(self.settings.suite)
        except (OSError, StartError) as error:
            raise AdapterError(f"{self.adapter.name}: {error}") from error
        finally:
            self.launcher.kill_all()
        return self.run

    def _try_start(self):
        """Does it come up, and is it what adapter.json says?"""
        if self.adapter.level != "lines":
            self.base = self._base_memory()
            return
        session = Session(self.launcher, self.command)
        self.started.put(session)
        version = session.hello.get("version", "")
        if self.adapter.version not in (None, version):
            raise StartError(f"adapter.json says version {self.adapter.version}, the process {version or 'none'}")
        self.run.version = version
        self.run.language = self.run.language or session.hello.get("language", "")

    def _base_memory(self):
        """What a run on a small good file needs. It gets a copy as well: what it does to it must not matter."""
        case = smallest(self.settings.suite)
        path = self.settings.scratch / f"{self.adapter.name}-first{case.path.suffix}"
        path.write_bytes(case.data())
        found, why = base_memory(self.launcher, [*self.command, str(path)])
        if why == TIME:
            self.settings.progress.say(f"{self.adapter.name}: no end within {self.settings.limits.time:g} s on the "
                                       "smallest good file, which is run first; each case may take as long")
        return found

    def _speaker(self):
        if self.adapter.level == "lines":
            return LinesSpeaker(self.launcher, self.command, self.adapter.memory_unsafe, self._take_started())
        return SingleSpeaker(self.launcher, self.command, self.adapter.level, self.base)

    def _take_started(self):
        try:
            return self.started.get_nowait()
        except queue.Empty:
            return None

    def _perform(self, tasks):
        pool = Pool(self._speaker, self.settings.jobs)
        replies = pool.run(tasks, self.settings.progress)
        self.run.problems += sorted(pool.problems - set(self.run.problems))
        return replies

    def scrub(self, text):
        """A detail as it may be saved: one line, nothing of this machine, not too long."""
        text = ADDRESS.sub("0x…", text.replace(str(self.settings.scratch), "…"))
        text = printable(" ".join(text.split()))
        return text if len(text) <= LONGEST_DETAIL else text[:LONGEST_DETAIL] + "…"

    def _result(self, result):
        return Result(result.outcome, self.scrub(result.detail), printable(result.stderr))

    # ---- Reading ----------------------------------------------------------------------------------

    def _read(self):
        """Files are handed over as copies under names that do not tell the verdict."""
        folder = self.settings.scratch / f"{self.adapter.name}-read"
        folder.mkdir()
        tasks = []
        for case in self.settings.cases:
            path = folder / f"{case.number:06}{case.path.suffix}"
            path.write_bytes(case.data())
            tasks.append(ReadTask(case, str(path)))
        replies = self._perform(tasks)
        return {task.case.id: self._judge(task, replies[task.case.id]) for task in tasks}

    def _judge(self, task, reply):
        result = reply.result or judge(task.case, self.run.declaration, reply.answer)
        if not unchanged(task):
            result = Result(outcome.PROTOCOL, "it changed the file that it was given to read")
        return self._result(Result(result.outcome, result.detail, reply.stderr))

    # ---- Writing ----------------------------------------------------------------------------------

    def _write(self):
        folder = self.settings.scratch / f"{self.adapter.name}-write"
        folder.mkdir()
        tasks = writer.tasks(self.settings.cases, folder)
        replies = self._perform(tasks)
        results, problems = writer.judge_all(tasks, replies, self.settings.safenpy)
        self.run.problems += problems
        return {case: self._result(result) for case, result in results.items()}


def smallest(suite):
    """A file that asks nothing special of a reader: the smallest good one, if the suite has any."""
    good = [case for case in suite.cases if case.verdict == "accept"] or suite.cases
    return min(good, key=lambda case: (case.path.stat().st_size, case.id))


def printable(text):
    """What an adapter said, without what could move a terminal's cursor or is no character."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text.expandtabs())


def unchanged(task):
    """Whether the copy of a case's file is still what it was."""
    try:
        with open(task.path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest() == task.case.record["sha256"]
    except OSError:
        return False


def damaged(suite):
    """The files of the suite itself that are not, or no longer, those of the manifest, as sentences."""
    found = []
    for case in suite.cases:
        try:
            case.data()
        except SuiteError:
            found.append(f"{case.record['file']}: the suite's own file is not the one of the manifest any more")
    return found
