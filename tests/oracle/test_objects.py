"""Object arrays: the decoder of tests/oracle against the suite, and against what Python and NumPy load.

The decoder is written from spec/objects.md alone. Nothing is loaded here that it has not accepted before.
"""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpus" / "objects"
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(FOLDER)]

import compare  # noqa: E402
import decode  # noqa: E402
import objects  # noqa: E402
import scan  # noqa: E402
import written  # noqa: E402

LIBRARY = ROOT / "build" / "gcc" / "libsafenpy.so"
LEAST_REJECTED = 150
MUTANTS = 20_000
FULL = os.environ.get("SNPY_FULL") == "1"
SCANNED = 10**7 if FULL else 10**5
DECODED = 10**6 if FULL else 20_000
TREES = 1_500
INPUTS = ("corpus/objects", "tests/oracle", "spec/objects.md")
DECODER = ("src/core/object", "src/core/literal.c", "include/safenpy/object.h")


@pytest.fixture(scope="module")
def manifest():
    return json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def payloads():
    return [bytes.fromhex(record["hex"]) for record in written.read()]


def verdict(data, options=None, read=objects.read_file):
    """The set that fits, or status and byte."""
    try:
        return read(data, objects.Options(**(options or {}))).fits
    except objects.Refused as refusal:
        return {"status": refusal.status, "offset": refusal.offset}


def test_files_and_definitions_belong_together():
    done = subprocess.run([sys.executable, str(FOLDER / "make.py"), "--check"], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_each_case_has_its_verdict(manifest, tally):
    for case in manifest["cases"]:
        got = verdict((FOLDER / case["file"]).read_bytes(), case.get("options"))
        tally.equal(case["id"], got, case.get("fits", case.get("error")))


def test_each_rule_has_cases(manifest, tally):
    broken = {case["error"]["status"] for case in manifest["cases"] if "error" in case}
    tally.equal("statuses", broken, set(manifest["statuses"]))
    kept = {rule for case in manifest["cases"] if "fits" in case for rule in case["rules"]}
    broken_rules = {manifest["statuses"][status] for status in broken}
    for number in range(1, 28):
        rule = f"NPY-PKL-{number:03d}"
        tally.true(rule, rule in kept | broken_rules)
    rejected = [case for case in manifest["cases"] if case["verdict"] == "reject"]
    tally.true("the hostile set is large", len(rejected) >= LEAST_REJECTED, len(rejected))


def test_accepted_cases_load_alike(manifest, tally):
    for case in manifest["cases"]:
        if "fits" not in case:
            continue
        data = (FOLDER / case["file"]).read_bytes()
        payload = data[10 + int.from_bytes(data[8:10], "little"):]
        if compare.can_load(payload):
            tally.result(case["id"], compare.faults(payload, objects.read_file(data).root))


@pytest.mark.inputs(*INPUTS)
def test_what_picklers_write_is_accepted_and_loads_alike(payloads, tally):
    for number, payload in enumerate(payloads):
        root = objects.decode(payload).root
        if number % 3 == 0 and compare.can_load(payload):       # all: tests/oracle/compare.py
            tally.result(str(number), compare.faults(payload, root))


def mutate(dice, payload, others):
    """A payload with some bytes changed, removed, repeated, or taken from another one."""
    data = bytearray(payload)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(data))
        end = min(len(data), at + dice.randint(1, 8))
        choice = dice.randrange(5)
        if choice == 0:
            data[at] = dice.randrange(256)
        elif choice == 1:
            data[at:end] = b""
        elif choice == 2:
            data[at:at] = data[at:end]
        elif choice == 3:
            other = dice.choice(others)
            start = dice.randrange(len(other))
            data[at:end] = other[start:start + dice.randint(1, 12)]
        else:
            data[at] = dice.choice(b"NK()]}RbauesthqpRbc.\x85\x86\x87\x88\x89\x8c\x93\x94\x95")
        if not data:
            data = bytearray(b".")
    return bytes(data)


@pytest.mark.inputs(*INPUTS)
def test_mutants_are_refused_or_load_alike(payloads, dice, tally):
    small = [payload for payload in payloads if len(payload) < 600]
    accepted = 0
    for number in range(MUTANTS):
        mutant = mutate(dice, dice.choice(small), small)
        got = verdict(mutant, read=lambda data, options: objects.decode(data, 0, options))
        if isinstance(got, dict):
            if not 0 <= got["offset"] <= len(mutant):
                tally.check(f"{number}: {mutant!r}", False, got)
            continue
        accepted += 1
        if compare.can_load(mutant):
            tally.result(f"{number}: {mutant!r}", compare.faults(mutant, objects.decode(mutant).root))
    tally.true("some mutants are accepted, and most are not", MUTANTS // 100 < accepted < MUTANTS // 2, accepted)


@pytest.fixture(scope="module")
def scanner():
    return scan.Scanner(LIBRARY)


@pytest.fixture(scope="module")
def decoder():
    return decode.Decoder(LIBRARY)


def payload_of(case):
    """The bytes after the header."""
    data = (FOLDER / case["file"]).read_bytes()
    start, width = (10, 2) if data[6] == 1 else (12, 4)
    return data[start + int.from_bytes(data[8:8 + width], "little"):]


def test_the_scanner_has_the_verdict_of_each_case(manifest, scanner, tally):
    for case in manifest["cases"]:
        if case.get("options", {}).get("allowed") != "data":
            tally.equal(case["id"], scan.fault(scanner, payload_of(case)), "")


def test_the_scanner_knows_each_global(scanner, tally):
    for (module, name), (role, allowed, is_old) in objects.GLOBALS.items():
        for protocol in range(2, 6):
            payload = b"\x80%cc%s\n%s\n." % (protocol, module.encode(), name.encode())
            right = (None, ("SNPY_PKL_GLOBAL", 2)) if is_old and protocol > 2 else (allowed, None)
            tally.equal(f"{module} {name} in protocol {protocol}", scanner.verdict(payload), right)
            tally.equal(f"the role of {module} {name} in protocol {protocol}", scanner.roles(payload),
                        ["none" if is_old and protocol > 2 else scan.plain_name(role)])
            for wrong in (payload.replace(b"\n.", b"_\n."), payload.replace(b"\n.", b"\0\n."), payload.replace(b"\n", b" ", 1).replace(b"\n.", b"\n\n.")):
                tally.equal(f"{wrong!r}", scanner.verdict(wrong), (None, ("SNPY_PKL_GLOBAL", 2)))


def test_the_scanner_wants_more_memory_and_goes_on(scanner, tally):
    payload = pickle.dumps([[str(number), (number,)] for number in range(300)], 4)
    tally.equal("tables that grow", scanner.verdict(payload, entries=1), scanner.verdict(payload))


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_scanner_agrees_on_mutants(payloads, scanner, dice, tally):
    small = [payload for payload in payloads if len(payload) < 600]
    for number in range(SCANNED):
        said = scan.fault(scanner, mutate(dice, dice.choice(small), small))
        if said:
            tally.check(f"mutant {number}", False, said)
    tally.true("mutants were compared", SCANNED >= 10**5)


def test_the_decoder_makes_the_tree_of_each_case(manifest, decoder, tally):
    for case in manifest["cases"]:
        tally.equal(case["id"], decode.fault(decoder, payload_of(case)), "")


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_makes_the_tree_of_what_picklers_write(payloads, decoder, tally):
    for payload in payloads[::1 if FULL else 3]:
        tally.equal(f"{payload!r}", decode.fault(decoder, payload), "")


def test_the_decoder_wants_no_more_nodes_than_opcodes(payloads, scanner, decoder, tally):
    """One entry less than is needed is refused at the opcode that needs the last one; NPY-PKL-023 and NPY-PKL-027."""
    for payload in payloads[::50]:
        nodes, _ = decoder.decode(payload)
        tally.true("entries", len(nodes) <= 1 + sum(1 for _ in scanner.opcodes(payload)), len(nodes))
        for capacity, at in ((len(nodes) - 1, nodes[-1].at), (0, 0)):
            with pytest.raises(objects.Refused) as refused:
                decoder.decode(payload, capacity)
            tally.equal(f"{payload!r}", (refused.value.status, refused.value.offset), ("SNPY_PKL_TOO_MANY_NODES", at))
        tally.equal("as many as needed", len(decoder.decode(payload, len(nodes))[0]), len(nodes))


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_agrees_on_mutants(payloads, decoder, dice, tally):
    small = [payload for payload in payloads if len(payload) < 600]
    for number in range(DECODED):
        tally.equal(f"mutant {number}", decode.fault(decoder, mutate(dice, dice.choice(small), small)), "")


def random_value(dice, depth, known):
    """A value of the sets; containers made before may occur again."""
    kind = dice.randrange(16 if depth else 10)
    if kind < 2:
        return dice.choice([None, True, False, -1, 0, 1, 255, 2**31, -2**63, 10**25])
    if kind < 4:
        return dice.choice([dice.random(), -0.0, 1e300, float("inf"), complex(dice.random(), 1)])
    if kind < 6:
        return "".join(dice.choice("ab\n\\'\u00e9\u4e2d\U0001f600\ud800") for _ in range(dice.randrange(6)))
    if kind < 8:
        return bytes(dice.randrange(256) for _ in range(dice.randrange(6)))
    if kind == 8:
        return np.array([dice.randrange(100) for _ in range(6)], dice.choice([">i4", "<f8", "u1", "<U3", "S2"])).reshape(dice.choice([(6,), (2, 3)]))
    if kind == 9 and known:
        return dice.choice(known)
    items = [random_value(dice, depth - 1, known) for _ in range(dice.randrange(5))] if depth else []
    if kind in (10, 11):
        known.append(items)
        return items
    if kind == 12:
        return tuple(items)
    if kind == 13:
        return set(dice.sample(["a", b"b", 1, 2.5, None, (3, "c")], dice.randrange(6)))
    made = {dice.choice([f"k{index}", index, (index, None), f"k{index}".encode()]): item for index, item in enumerate(items)}
    known.append(made)
    return made


@pytest.mark.inputs(*INPUTS)
def test_random_trees_load_alike(dice, tally):
    for number in range(TREES):
        box = np.empty((), object)
        box[()] = random_value(dice, 4, [])
        for protocol in range(6):
            payload = dice.choice([pickle.dumps, compare.python_dumps])(box, protocol)
            tally.result(f"tree {number}, protocol {protocol}", compare.faults(payload, objects.decode(payload).root))


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_makes_random_trees(decoder, dice, tally):
    for number in range(TREES):
        value = random_value(dice, 5, [])
        for protocol in range(6):
            payload = dice.choice([pickle.dumps, compare.python_dumps])(value, protocol)
            tally.equal(f"tree {number}, protocol {protocol}", decode.fault(decoder, payload), "")
