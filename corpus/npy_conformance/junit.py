"""JUnit's XML: a test suite an implementation, a test case a case."""

import re
from xml.etree import ElementTree

from . import outcome

# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text):
    """A text that XML can hold."""
    return FORBIDDEN.sub("?", text)


def as_junit(suite, runs, fail_on):
    """The whole report."""
    root = ElementTree.Element("testsuites", name=suite.manifest.get("suite", "suite"))
    for run in runs:
        for kind, results in (("read", run.results), ("write", run.written)):
            if results is not None:
                root.append(suite_of(suite, run, kind, results, fail_on))
        if run.problems or run.empty():
            root.append(problems_of(run))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(child.get(key)) for child in root)))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def suite_of(suite, run, kind, results, fail_on):
    """All cases of one implementation."""
    cases = {case.id: case for case in suite.cases}
    node = ElementTree.Element("testsuite", name=clean(f"{run.adapter.name} {kind}"))
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for name, result in results.items():
        counts["tests"] += 1
        tag = add_case(node, cases[name], f"{run.adapter.name}.{kind}", result, fail_on)
        if tag:
            counts[tag] += 1
    for key, value in counts.items():
        node.set(key, str(value))
    return node


def add_case(node, case, where, result, fail_on):
    """One case; the name of the count that it adds to, if any."""
    topic = case.id.rpartition("/")[0].replace("/", ".")
    test = ElementTree.SubElement(node, "testcase", name=clean(case.id), classname=clean(f"{where}.{topic}"))
    if result.outcome in fail_on:
        broken = result.outcome in outcome.BROKEN
        text = f"{case.reason} [{', '.join(case.rules)}]\n{result.stderr}".strip()
        child = ElementTree.SubElement(test, "error" if broken else "failure", type=result.outcome,
                                       message=clean(f"{result.outcome}: {result.detail}".rstrip(": ")))
        child.text = clean(text)
        return "errors" if broken else "failures"
    if result.outcome not in outcome.RIGHT:
        ElementTree.SubElement(test, "skipped", message=clean(f"{result.outcome}: {result.detail}".rstrip(": ")))
        return "skipped"
    return None


def problems_of(run):
    """What failed and belongs to no case."""
    problems = run.problems + (["no case passed"] if run.empty() else [])
    node = ElementTree.Element("testsuite", name=clean(f"{run.adapter.name} as a whole"), tests=str(len(problems)),
                               failures="0", errors=str(len(problems)), skipped="0")
    for problem in problems:
        test = ElementTree.SubElement(node, "testcase", name=clean(problem), classname=clean(run.adapter.name))
        ElementTree.SubElement(test, "error", type="problem", message=clean(problem))
    return node
