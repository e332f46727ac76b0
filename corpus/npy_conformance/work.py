"""Runs tasks through speakers, several at a time, and collects what came of each."""

import os
import queue
import threading


class Collector:
    """The last reply of each task; a later one about the same task replaces the earlier."""

    def __init__(self):
        self.replies = {}
        self.lock = threading.Lock()

    def settle(self, task, reply):
        """Takes a reply."""
        with self.lock:
            self.replies[task.case.id] = reply

    def count(self):
        """How many tasks have a reply."""
        return len(self.replies)


class Pool:
    """`jobs` workers, each with a speaker of its own."""

    def __init__(self, make_speaker, jobs):
        self.make_speaker = make_speaker
        self.jobs = jobs
        self.collector = Collector()
        self.todo = queue.SimpleQueue()
        self.problems = set()
        self.failure = None

    def run(self, tasks, progress):
        """All replies by the identifier of their case; raises what made a worker give up."""
        for task in tasks:
            self.todo.put(task)
        count = min(self.jobs, len(tasks)) or 1
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(progress.interval)
                progress.show(self.collector.count(), len(tasks))
                if self.failure:             # the others find their processes killed
                    raise self.failure
        if self.failure:
            raise self.failure
        missing = [task.case.id for task in tasks if task.case.id not in self.collector.replies]
        assert not missing, missing
        return self.collector.replies

    def _work(self):
        try:
            speaker = self.make_speaker()
            while not self.failure:
                speaker.perform(self.todo.get_nowait(), self.collector.settle)
        except queue.Empty:
            self.problems.update(speaker.finish())
        except BaseException as error:          # also what ends the runner: the main thread raises it again
            self.failure = self.failure or error


def default_jobs():
    """As many as there are processors for us."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
