"""The assertions of one test, where a test makes many: all are made, and those that do not hold fail it together."""


class Tally:
    """The fixture `tally`. A test that asserts nothing fails, too."""

    def __init__(self):
        self.count, self.problems = 0, []

    def check(self, title, is_so, problem=""):
        """Something holds; returns whether it does."""
        self.count += 1
        if not is_so:
            self.problems.append(f"{title}: {problem}" if problem != "" else title)
        return bool(is_so)

    def result(self, title, problems):
        """There are no problems."""
        self.check(title, not problems, "\n    " + "\n    ".join(map(str, problems or ())))

    def test(self, title, problem):
        """There is no problem."""
        self.check(title, not problem, problem)

    def equal(self, title, got, wanted):
        """Two values are the same."""
        self.check(title, got == wanted, f"got {got!r}\n    wanted {wanted!r}")

    def same(self, title, got, wanted):
        """Two values, and their types, are the same."""
        self.check(title, got == wanted and type(got) is type(wanted), f"got {got!r}\n    wanted {wanted!r}")

    def true(self, title, truth, shown=""):
        """Something holds."""
        self.check(title, truth, f"it does not hold: {shown}")

    def finish(self):
        assert not self.problems, f"{len(self.problems)} of {self.count}:\n" + "\n".join(self.problems)
        assert self.count, "nothing was asserted"
