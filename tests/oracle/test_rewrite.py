"""Payloads that the library writes again: equal values for the oracle, Python and NumPy, in one form, with listed globals only."""

import io
import os
import pickle
import pickletools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpus" / "objects"
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(FOLDER)]

import compare  # noqa: E402
import objects  # noqa: E402
import rewrite  # noqa: E402
import test_objects  # noqa: E402
import written  # noqa: E402

LIBRARY = rewrite.LIBRARY
# This Python, and those for which the package was built: other versions, and NumPy 1 and 2.
PYTHONS = [sys.executable, *map(str, sorted(ROOT.glob("build/python/3.*/bin/python")))]
FULL = os.environ.get("SNPY_FULL") == "1"
TREES = 20_000 if FULL else 500
MUTANTS = 10**6 if FULL else 20_000
PROTOCOLS = (2, 3, 4, 5)
INPUTS = ("corpus/objects", "tests/oracle", "spec/objects.md", "src/core/object", "src/host/object_write.c", "include/safenpy/object.h")
# Opcodes that are never written.
UNUSED = {"FRAME", "DUP", "POP_MARK", "DICT", "LIST", "APPEND", "SETITEM", "TUPLE1", "TUPLE2", "TUPLE3", "PUT", "GET", "STRING",
          "BINSTRING", "SHORT_BINSTRING", "UNICODE", "INT", "BINUNICODE8", "BINBYTES8"}


@pytest.fixture(scope="module")
def writer():
    return rewrite.Writer(LIBRARY)


@pytest.fixture(scope="module")
def payloads():
    return [bytes.fromhex(record["hex"]) for record in written.read()]


class Tracer(compare.Unpickler):
    """Loads, and keeps the names of the globals that are asked for."""

    def __init__(self, stream):
        super().__init__(stream, encoding="latin1")
        self.names = set()

    def find_class(self, module, name):
        self.names.add(f"{module} {name}")
        return super().find_class(module, name)


def check(tally, label, writer, payload, root, protocol):
    """One payload under one protocol."""
    new = writer.rewrite(payload, protocol)
    if isinstance(new, str):
        tally.true(label, False, new)
        return b""
    tally.equal(f"{label}: its protocol", new[:2], bytes([0x80, protocol]))
    tally.true(f"{label}: accepted again", isinstance(objects.decode(new).fits, str))
    if compare.can_load(new):
        tally.result(label, compare.faults(new, root))
    return new


@pytest.mark.inputs(*INPUTS)
def test_what_picklers_write_is_written_again(payloads, writer, tally):
    """NPY-PKL-028."""
    for number, payload in enumerate(payloads):
        root = objects.decode(payload).root
        check(tally, f"{number}", writer, payload, root, PROTOCOLS[number % 4])


@pytest.mark.inputs(*INPUTS)
def test_there_is_one_form(payloads, writer, tally):
    """NPY-PKL-029: what is written is written again as it is, and does not depend on the protocol that the values had before."""
    for number, payload in enumerate(payloads[::5]):
        new = {protocol: writer.rewrite(payload, protocol) for protocol in PROTOCOLS}
        for protocol, old in new.items():
            for other in PROTOCOLS:
                tally.equal(f"{number}: {protocol} to {other}", writer.rewrite(old, other), new[other])
        names = {opcode.name for opcode, _, _ in pickletools.genops(new[4])}
        tally.equal(f"{number}: opcodes", names & UNUSED, set())


@pytest.mark.inputs(*INPUTS)
def test_equal_strings_are_written_as_one(writer, dice, tally):
    """NPY-PKL-029: which strs are one object makes no difference."""
    words = ["", "a", "b", "ab", "\xe9", "\u20ac", "\U0001f600", "x" * 300]
    for number in range(TREES):
        values = [dice.choice(words) for _ in range(dice.randrange(9))]
        one = pickle.dumps(np.array([values, {}], object), dice.randrange(6))
        copies = pickle.dumps(np.array([[("-" + value)[1:] for value in values], {}], object), dice.randrange(6))
        protocol = dice.choice(PROTOCOLS)
        new = writer.rewrite(one, protocol)
        tally.equal(f"{number}", writer.rewrite(copies, protocol), new)
        strings = [argument for opcode, argument, _ in pickletools.genops(new) if "UNICODE" in opcode.name]
        tally.true(f"{number}: once", all(strings.count(word) == (word in values) for word in words[1:] if word != "b"), new)


class Array:
    """Pickled as an array of these bytes, which others may have."""

    def __init__(self, raw):
        self.raw = raw

    def __reduce__(self):
        create, arguments, (*state, _) = np.zeros(len(self.raw), np.uint8).__reduce__()
        return create, arguments, (*state, self.raw)


def test_arrays_have_no_memory_in_common(writer):
    """NPY-PKL-029: NumPy takes large bytes as the memory of an array."""
    raw, box = bytes(2000), np.empty(3, object)
    box[:] = Array(raw), Array(raw), raw
    before = pickle.loads(pickle.dumps(box))
    before[0][0] = 1
    assert before[1][0] == before[2][0] == 1
    for protocol in PROTOCOLS:
        after = pickle.loads(writer.rewrite(pickle.dumps(box), protocol))
        after[0][0] = 1
        assert after[1][0] == after[2][0] == 0


@pytest.mark.inputs(*INPUTS)
def test_only_listed_globals_are_asked_for(payloads, writer, tally):
    """NPY-PKL-028."""
    listed = {f"{module} {name}" for module, name in objects.GLOBALS}
    for number, payload in enumerate(payloads[::7]):
        for protocol in PROTOCOLS:
            new = writer.rewrite(payload, protocol)
            if not compare.can_load(new):
                continue
            tracer = Tracer(io.BytesIO(new))
            try:
                tracer.load()
            except ValueError as error:
                assert "flags" in str(error)
            tally.equal(f"{number}, protocol {protocol}", tracer.names - listed, set())


@pytest.mark.inputs(*INPUTS)
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parents[1].name)
def test_every_python_loads_what_is_written(python):
    """NPY-PKL-028, NPY-PKL-030: by its own unpickler, which is asked for listed globals only; its NumPy made the trees."""
    done = subprocess.run([python, ROOT / "tests" / "oracle" / "rewrite.py", str(TREES), LIBRARY], capture_output=True, text=True, check=False)
    last = done.stdout.splitlines()[-1:]
    counts = re.fullmatch(r"Python \S+, NumPy \S+: (\d+) loaded, (\d+) of them trees, (\d+) globals asked for, 0 faults", *last or [""])
    assert done.returncode == 0 and counts, done.stdout + done.stderr
    assert int(counts[1]) > TREES and int(counts[2]) == TREES and int(counts[3]) > TREES


def test_the_strict_unpickler_refuses_what_is_not_listed():
    for value in (print, os.system, pickle.Unpickler):
        with pytest.raises(AssertionError, match="not listed"):
            rewrite.Strict(io.BytesIO(pickle.dumps([value])), set(objects.GLOBALS)).load()


def test_names_of_numpy_2(payloads, writer, tally):
    """NPY-PKL-030."""
    for number, payload in enumerate(payloads[::50]):
        old, new = writer.rewrite(payload, 4), writer.rewrite(payload, 4, True)
        tally.true(f"{number}", b"numpy.core.multiarray" not in new and b"numpy._core.multiarray" not in old)
        tally.equal(f"{number}: back", writer.rewrite(new, 4), old)


@pytest.mark.inputs(*INPUTS)
def test_random_trees_are_written_again(writer, dice, tally):
    for number in range(TREES):
        box = np.empty((), object)
        box[()] = test_objects.random_value(dice, 5, [])
        for protocol in range(6):
            payload = dice.choice([pickle.dumps, compare.python_dumps])(box, protocol)
            to = dice.choice(PROTOCOLS)
            check(tally, f"tree {number}, protocol {protocol}", writer, payload, objects.decode(payload).root, to)


@pytest.mark.inputs(*INPUTS)
def test_mutants_that_are_accepted_are_written_again(payloads, writer, dice, tally):
    accepted = 0
    for number in range(MUTANTS):
        payload = test_objects.mutate(dice, dice.choice(payloads), payloads)
        try:
            root = objects.decode(payload).root
        except objects.Refused:
            continue
        accepted += 1
        check(tally, f"mutant {number}: {payload.hex()}", writer, payload, root, dice.choice(PROTOCOLS))
    tally.true("some are accepted", accepted > MUTANTS / 100, accepted)
