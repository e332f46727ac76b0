"""Counts tests."""

import os
import threading


class Tally:
    """What passed and what failed; failures are printed as they come."""

    def __init__(self, first=False):
        self.first = first               # ends everything at the first failure
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def test(self, title, problem):
        """One test; it passed if there is no problem."""
        with self.lock:
            if not problem:
                self.passed += 1
                return
            self.failed += 1
            print(f"FAILED {title}\n       {problem}", flush=True)
            if self.first:
                os._exit(1)

    def same(self, title, got, wanted):
        """One test: two values, and their types, are the same."""
        same = got == wanted and type(got) is type(wanted)
        self.test(title, "" if same else f"got    {got!r}\n       wanted {wanted!r}")

    def true(self, title, truth, shown=""):
        """One test: something holds."""
        self.test(title, "" if truth else f"it does not hold: {shown}")
