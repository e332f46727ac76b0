"""A plugin for pytest: `pytest --npy-impl COMMAND` adds one test for each case.

The suite runs once, in a process of its own, before the first of its tests. An outcome that is wrong fails its test, and
what is neither right nor wrong is skipped.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from . import explain, outcome, selection
from .adapter import LEVELS
from .declaration import PROFILES
from .manifest import Suite
from .places import SUITES, suite_folder


def pytest_addoption(parser):
    """The options, named as those of `npy-conformance run`."""
    group = parser.getgroup("npy", "conformance suite of the NPY and NPZ formats")
    group.addoption("--npy-impl", metavar="COMMAND", help="the implementation: a command that takes a file")
    group.addoption("--npy-level", choices=LEVELS, default="exit", help="how it answers (default exit)")
    group.addoption("--npy-suite", metavar="|".join([*SUITES, "DIR"]), default="npy", help="the suite (default npy)")
    group.addoption("--npy-only", action="append", default=[], metavar="PATTERN",
                    help="cases whose id, verdict, flag or rule matches; may be repeated")
    group.addoption("--npy-profile", choices=PROFILES, help="what the implementation declares (default undeclared)")
    group.addoption("--npy-flag", action="append", default=[], metavar="FLAG", help="declare one more flag; may be repeated")


def pytest_collection_modifyitems(session, config, items):
    """Adds the cases to whatever else was collected."""
    if not config.getoption("--npy-impl"):
        return
    suite = Suite(suite_folder(config.getoption("--npy-suite")))
    try:
        cases = selection.select(suite.cases, config.getoption("--npy-only"))
    except selection.SelectionError as error:
        raise pytest.UsageError(f"--npy-only: {error}") from error
    runner = Once(config, suite)
    items += [CaseItem.from_parent(session, name=f"npy:{case.id}", case=case, runner=runner) for case in cases]


class Once:
    """The run of all cases, when the first is asked for."""

    def __init__(self, config, suite):
        self.config = config
        self.suite = suite
        self.cases = None
        self.trouble = ""

    def result(self, case):
        """What came of a case: a record of `run --json`."""
        if self.cases is None:
            self._run()
        if self.trouble:
            pytest.fail(self.trouble, pytrace=False)
        return self.cases[case.id]

    def _run(self):
        """Runs the command; its children are its own, so that it may end those which are left over."""
        with tempfile.TemporaryDirectory(prefix="npy-run-") as folder:
            report = Path(folder) / "report.json"
            done = subprocess.run([sys.executable, "-m", "npy_conformance", *self._words(), "--json", str(report)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  check=False)
            run = json.loads(report.read_text(encoding="utf-8"))["runs"][0] if report.exists() else None
        self.cases = run["read"]["cases"] if run else {}
        self.trouble = "\n".join(run["problems"]) if run else done.stderr

    def _words(self):
        """The words of `npy-conformance run`."""
        option = self.config.getoption
        words = ["run", "--reader", "--fail-on", "none", "--impl", option("--npy-impl"), "--level", option("--npy-level"),
                 "--suite", str(self.suite.folder)]
        for name in ("only", "flag"):
            for value in option(f"--npy-{name}"):
                words += [f"--{name}", value]
        return words + (["--profile", option("--npy-profile")] if option("--npy-profile") else [])


class CaseItem(pytest.Item):
    """One case of the suite."""

    def __init__(self, *, case, runner, **more):
        super().__init__(**more)
        self.case = case
        self.runner = runner

    def runtest(self):
        """Right, wrong, or neither."""
        result = self.runner.result(self.case)
        said = f"{result['outcome']}: {result.get('detail', '')}".rstrip(": ")
        if result["outcome"] in outcome.FAILING:
            text = f"{said}\n{result.get('stderr', '')}".rstrip()
            pytest.fail(f"{text}\n\n{explain.text_of(self.runner.suite, self.case)}", pytrace=False)
        if result["outcome"] not in outcome.RIGHT:
            pytest.skip(said)

    def reportinfo(self):
        """Where the file is."""
        return self.case.path, None, self.name
