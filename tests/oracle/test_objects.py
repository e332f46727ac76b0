"""Object arrays: the decoder of tests/oracle against the suite, and against what Python and NumPy load.

The decoder is written from spec/objects.md alone. Nothing is loaded here that it has not accepted before.
"""

import itertools
import json
import os
import pickle
import struct
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
import whole as whole_decoder  # noqa: E402
import written  # noqa: E402

LIBRARY = ROOT / "build" / "gcc" / "libsafenpy.so"
LEAST_REJECTED = 150
MUTANTS = 20_000
FULL = os.environ.get("SNPY_FULL") == "1"
SCANNED = 10**7 if FULL else 10**5
DECODED = 10**6 if FULL else 20_000
SAID = 20_000 if FULL else 1_000        # for each role
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


def test_the_page_of_scanners_is_that_of_the_record(manifest, tally):
    done = subprocess.run([sys.executable, str(FOLDER / "scanners.py"), "--check"], stderr=subprocess.PIPE, text=True, check=False)
    tally.equal("page", (done.returncode, done.stderr), (0, ""))
    record = json.loads((FOLDER / "scanners.json").read_text(encoding="utf-8"))
    known = {case["id"] for case in manifest["cases"]}
    tally.true("cases", len(record["cases"]) > LEAST_REJECTED and set(record["cases"]) <= known)


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
def whole():
    return whole_decoder.Whole(LIBRARY)


def test_the_whole_decoder_has_the_verdict_of_each_case(manifest, whole, tally):
    for case in manifest["cases"]:
        allowed = case.get("options", {}).get("allowed", "plain")
        tally.equal(case["id"], whole_decoder.fault(whole, payload_of(case), allowed), "")


@pytest.mark.inputs(*INPUTS, *DECODER, "src/host")
def test_the_whole_decoder_agrees_on_mutants_of_arrays(payloads, whole, dice, tally):
    some = whole_decoder.with_arrays(payloads)
    for number in range(DECODED):
        said = whole_decoder.fault(whole, mutate(dice, dice.choice(some), some), dice.choice(["data", "plain"]))
        if said:
            tally.check(f"mutant {number}", False, said)
    tally.true("many payloads have arrays", len(some) > 100, len(some))


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
        for allowed in {"plain", case.get("options", {}).get("allowed", "data")}:
            tally.equal(f"{case['id']}, {allowed}", decode.fault(decoder, payload_of(case), allowed), "")


AT_END = {"RAW_STRING", "RESULT"}      # found after STOP, where another rule has not refused before


def test_the_decoder_has_the_verdict_of_each_case(manifest, decoder, tally):
    """Of what breaks a rule that is not wholly in force, nothing is refused before the byte of the suite."""
    for case in manifest["cases"]:
        payload, error = payload_of(case), case.get("error")
        start = (FOLDER / case["file"]).stat().st_size - len(payload)
        try:
            decoder.decode(payload, allowed=case.get("options", {}).get("allowed", "plain"))
            got = None
        except objects.Refused as refusal:
            got = {"status": refusal.status, "offset": start + refusal.offset}
        is_at_end = got is not None and got != error and got["status"].removeprefix("SNPY_PKL_") in AT_END
        is_missed = error is not None and (got is None or got["offset"] > error["offset"] or is_at_end)
        if not is_missed or error["status"].removeprefix("SNPY_PKL_") in decode.IN_FORCE:
            tally.equal(case["id"], got, error)


ARGUMENTS = [b"N", b"\x88", b"K\x01", b"G" + bytes(8), b"Va\n", b"U\x01a", b"C\x01a", b"\x96" + bytes(8), b")", b"]", b"}", b"\x8f", b"(\x91",
             b"c_codecs\nencode\nVa\nVlatin1\n\x86R", b"cbuiltins\nbytes\n)R", b"cbuiltins\nbytearray\n)R",
             b"cnumpy\ndtype\nVf8\nK\x00K\x01\x87R", b"cnumpy\ndtype\nVf8\nK\x00K\x01\x87R(K\x03V<\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb",
             b"cdatetime\ntimedelta\nK\x00K\x00K\x00\x87R", b"cdatetime\ntimezone\ncdatetime\ntimedelta\nK\x00K\x00K\x00\x87R\x85R",
             b"cbuiltins\nset\n]\x85R", b"cbuiltins\ncomplex\nG" + bytes(8) + b"G" + bytes(8) + b"\x86R"]


def value_of(argument):
    """The value that an argument makes."""
    return decode.Tree(argument + b".").run()


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_takes_the_kinds_of_arguments_that_the_table_has(decoder, dice, tally):
    """NPY-PKL-013: each role with up to two arguments of every kind, and with more at random."""
    classes = {role: b"c%b\n%b\n" % (module.encode(), name.encode()) for (module, name), (role, _, is_old) in objects.GLOBALS.items() if not is_old}
    arguments = ARGUMENTS + list(classes.values())
    calls = [list(some) for size in range(3) for some in itertools.product(arguments, repeat=size)]
    for role, called in classes.items():
        wanted = [[argument for argument in arguments if decode.has_form(word, [value_of(argument)])] for form in decode.FORMS.get(role, ())
                  if len(form.split()) > 2 for word in form.split()]
        longer = [[dice.choice(right if right and dice.random() < 0.8 else arguments) for right in wanted] for _ in range(300)]
        for args in calls[::1 if FULL else 3] + longer:
            said = decode.fault(decoder, called + b"(" + b"".join(args) + b"tR.")
            if said:
                tally.check(role, False, said)
        tally.true(role, bool(calls))


def integer(dice):
    """An integer near a bound of a form, in one of the ways to write it."""
    value = dice.choice([0, 1, -1, 2, 12, 23, 59, 60, 86399, 86400, 999999, 10**6, 999999999, 10**9, 2**63 - 1, 2**63, 2**127, 10**19, 10**20])
    value = dice.choice([value, value, -value, value + 1, -1 - value])
    width = dice.choice([(8 + value.bit_length()) // 8, 9, 19, 20, 21, 30])
    if value and width >= (8 + value.bit_length()) // 8 and dice.random() < 0.5:
        return b"\x8a%c%b" % (width, value.to_bytes(width, "little", signed=True))
    return dice.choice([b"I%d\n" if value not in (0, 1) else b"L%dL\n", b"L%dL\n"]) % value


def characters(dice, choice, size):
    """Text of some of the characters or words of a list, also of Python 2."""
    text = "".join(dice.choice(choice) for _ in range(dice.randrange(size)))
    kind = dice.randrange(6)
    if kind == 0:
        return b"V" + text.encode("raw-unicode-escape").replace(b"\n", b"\\u000a") + b"\n"
    if kind == 1 and text.isascii():
        return b"S'" + "".join(f"\\x{ord(one):02x}" if dice.random() < 0.3 or one in "\\'\n" else one for one in text).encode() + b"'\n"
    content = text.encode("utf-8", "surrogatepass")
    return dice.choice([b"X", b"X", b"T"]) + len(content).to_bytes(4, "little") + content


def moment(dice):
    """Bytes of a date, datetime or time, or nearly."""
    date = [dice.choice([0, 7, 7, 7, 39]), dice.choice([0, 1, 15, 16, 208, 227, 228]), dice.choice([0, 1, 2, 2, 4, 12, 13, 130, 140]), dice.choice([0, 1, 28, 29, 30, 31, 32])]
    time = [dice.choice([0, 23, 24, 128, 151]), dice.choice([0, 59, 60]), dice.choice([0, 59, 60]), *dice.choice([(0, 0, 0), (15, 66, 63), (15, 66, 64), (255, 255, 255)])]
    content = bytes(dice.choice([date, date + time, time]))[:dice.choice([10, 10, 10, 10, 9])]
    if dice.random() < 0.2:
        text = content.decode("latin-1").encode()
        return b"c_codecs\nencode\nX" + len(text).to_bytes(4, "little") + text + b"Vlatin1\n\x86R"
    return dice.choice([b"C", b"U"]) + bytes([len(content)]) + content


def word(*choice):
    """One of some words, as text or bytes."""
    def one(dice):
        text = dice.choice([*choice, *choice, "x", "", choice[0] + "x", choice[0][:-1]])
        return dice.choice([b"V%b\n" % text.encode(), b"U%c%b" % (len(text), text.encode()), b"C%c%b" % (len(text), text.encode())])
    return one


def zone(dice):
    return b"cdatetime\ntimedelta\n" + b"".join(dice.choice([b"K\x00", b"K\x01", b"J\xff\xff\xff\xff", integer(dice)]) for _ in range(3)) + b"\x87R"


def some(form, least, most):
    """A tuple of members of a form."""
    return lambda dice: b"(" + b"".join(form(dice) for _ in range(dice.randint(least, most))) + b"t"


def pairs(dice):
    return b"(" + b"".join(b"(" + b"N" * dice.choice([2, 2, 2, 2, 1, 3, 0]) + dice.choice(b"lllllt".decode()).encode() for _ in range(dice.randrange(3))) + b"l"


def parts_of_time(dice):
    one = word("tm_zone", "tm_gmtoff")
    return b"(" + b"".join(one(dice) + dice.choice([b"N", b"Va\n", b"K\x01", b"U\x01a"]) for _ in range(dice.randrange(4))) + b"d"


def flag(dice):
    return dice.choice([b"\x88", b"\x89", b"K\x00", b"K\x01", b"I1\n", integer(dice)])


def dimension(dice):
    return dice.choice([b"K\x00", b"K\x00", integer(dice)])


def missing(dice):
    return dice.choice([b"N", b"Va\n", b"Fnan\n", b"Finf\n", b"G" + dice.choice([b"\x7f", b"\xff", b"\0"]) + dice.choice([b"\xf0", b"\xf8", b"\xef"]) + dice.choice([bytes(6), bytes(5) + b"\1"])])


PATH_TEXT = [*"ab.C:/\\\n", "..", "//", "\\\\", "C:", "\u00e9"]
SAYING = {      # arguments that say something, by role
    "dtype": (lambda dice: characters(dice, ["f8", "M8", "S", "U", "V", "i", "O8", "b1", "c", "1", "2", "4", "8", "16", "0", "9999999999"], 3), flag, flag),
    "_reconstruct": (lambda dice: b"cnumpy\nndarray\n", some(dimension, 0, 2), word("b")),
    "_mareconstruct": (lambda dice: b"cnumpy.ma\nMaskedArray\n", lambda dice: b"cnumpy\nndarray\n", some(dimension, 0, 2), word("b")),
    "_frombuffer": (lambda dice: b"C\x00", lambda dice: ARGUMENTS[17], some(integer, 0, 3), word("C", "F")),
    "encode": (lambda dice: characters(dice, ["a", "\u00ff", "\u0100", "\\"], 4), word("latin1")),
    "bytearray": (lambda dice: characters(dice, ["a", "\u00ff", "\u0100", "\\"], 4), word("latin-1")),
    "range": (integer, integer, integer), "stringdtype": (flag, missing),
    "date": (moment,), "datetime": (moment,), "time": (moment,), "timedelta": (integer, integer, integer), "timezone": (zone,),
    "Decimal": (lambda dice: characters(dice, [*"-+.0123E", "Infinity", "NaN", "s", "E-1", "1", "1234567890"], 6),),
    "Fraction": (lambda dice: characters(dice, ["-", "/", "0", "1", "20", "x", "9" * 4299, "9" * 4300], 5),), "OrderedDict": (pairs,),
    "struct_time": (lambda dice: b"(" + b"".join(dice.choice([b"K\x01"] * 20 + [integer(dice)]) for _ in range(dice.choice([9, 9, 9, 8, 10]))) + b"t", parts_of_time),
    **{name: (lambda dice: characters(dice, PATH_TEXT, 5),) * 3 for name in objects.PATHS},
}
CLASSES = {role: b"c%b\n%b\n" % (module.encode(), name.encode()) for (module, name), (role, _, is_old) in objects.GLOBALS.items() if not is_old}


def telling_call(dice, role):
    """A call with arguments of the right kinds, or nearly."""
    forms = SAYING[role]
    forms = forms[:dice.randint(1, 3)] if role in objects.PATHS else forms[:1] if role == "stringdtype" and dice.random() < 0.2 else forms
    if role == "Fraction" and dice.random() < 0.3:
        forms = (integer, integer)
    return CLASSES[role] + b"(" + b"".join(form(dice) for form in forms) + b"tR."


@pytest.mark.inputs(*INPUTS, *DECODER)
@pytest.mark.parametrize("role", SAYING)
def test_the_decoder_takes_arguments_that_say_what_the_table_has(decoder, dice, tally, role):
    """NPY-PKL-013."""
    accepted = 0
    for _ in range(SAID):
        payload = telling_call(dice, role)
        tally.equal(f"{payload!r}", decode.fault(decoder, payload), "")
        try:
            decode.Tree(payload).run()
            accepted += 1
        except objects.Refused:
            pass
    tally.true("some are accepted", accepted > SAID // 200, accepted)


SCALARS = [b"cnumpy.core.multiarray\nscalar\n" + b"cnumpy\ndtype\nV%b\nK\x00K\x01\x87R(K\x03V%b\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb" % (name, order)
           + b"C%c%b\x86R" % (size, bytes(size)) for name, order, size in
           [(b"f8", b"<", 8), (b"f2", b"<", 2), (b"f16", b"<", 16), (b"c32", b"<", 32), (b"c16", b">", 16), (b"i1", b"|", 1), (b"b1", b"|", 1)]]
KEYS = [b"N", b"\x88", b"K\x01", b"G" + bytes(8), b"Va\n", b"C\x01a", *SCALARS[:2], *SCALARS[4:], b"cdatetime\ndate\nC\x04\x07\xd0\x01\x01\x85R",
        b"cdatetime\ndatetime\nC\x0a\x07\xd0\x01\x01" + bytes(6) + b"\x85R", b"cdatetime\ntimedelta\nK\x00K\x00K\x00\x87R",
        b"cuuid\nUUID\n)\x81}Vint\nK\x01sb", b"c_codecs\nencode\nVa\nVlatin1\n\x86R", b"cbuiltins\nbytes\n)R", b"U\x01a"]
NO_KEYS = [*ARGUMENTS, *SCALARS[2:4], b"cuuid\nUUID\n)\x81", b"U\x01\xe9", b"S'\\xe9'\n", b"cnumpy\nndarray\n",
           b"cdatetime\ndatetime\nC\x0a\x07\xd0\x01\x01" + bytes(6) + b"cdatetime\ntimezone\ncdatetime\ntimedelta\nK\x00K\x00K\x00\x87R\x85R\x86R"]


def random_key(dice, depth):
    """A value that may be a key, or nearly; tuples in it may be long, deep or shared."""
    kind = dice.randrange(12)
    if kind == 0:
        return dice.choice(NO_KEYS)
    if kind == 1:
        levels = dice.choice([3, 9, 63, 64, 65])
        return dice.choice(KEYS) + b"\x85" * levels
    if kind == 2:
        return b"(" + b"N" * dice.choice([2, 998, 999, 1000, 1001]) + b"t"
    if kind == 3:
        return b"N\x85" + b"".join(b"r\0%c\0\0j\0%c\0\0\x86" % (index, index) for index in range(1, dice.choice([3, 8, 9, 10])))
    if kind < 7 and depth:
        return b"(" + b"".join(random_key(dice, depth - 1) for _ in range(dice.randrange(4))) + b"t"
    return dice.choice(KEYS)


def random_state(dice):
    """A dtype with a state that its type has, or nearly."""
    text = dice.choice(["b1", "i1", "u1", "i8", "f2", "f16", "c32", "O8", "S5", "U3", "V4", "V0", "U4294967295", "M8", "m8"])
    kind, size = text[0], int(text[1:])
    is_time, is_sized = kind in "mM", kind in "SUV"
    order = "|" if kind in "OSVb" or text in ("i1", "u1") else dice.choice("<>")
    unit = dice.choice([b"ns", b"D", b"generic", b"as", b"x", b"xs", b"nss", b"generi"])
    unit = dice.choice([b"C", b"U", b"C", b"V"]) + (b"%c%b" % (len(unit), unit))
    unit = unit if unit[:1] != b"V" else b"V" + unit[2:] + b"\n"
    times = b"(" + dice.choice([b"N", b"}", b"}VaNs"[:1]]) + b"(" + unit + dice.choice([b"K\x01", b"K\x19", b"K\x00"]) + b"K\x01" * dice.choice([2, 2, 2, 1, 3]) + b"tt"
    itemsize = b"I%d\n" % ((4 * size if kind == "U" else size) if is_sized else -1)
    parts = [b"K\x04" if is_time else b"K\x03", b"V%b\n" % order.encode(), b"N", b"N", b"N", itemsize,
             dice.choice([b"I1\n", b"I16\n", b"I4\n"]) if is_sized else b"I-1\n", b"I%d\n" % {"O": 63, "U": 8}.get(kind, 0)] + [times] * is_time
    parts = [b"L1L\n" if part == b"I1\n" else part for part in parts]
    if dice.random() < 0.7:
        parts[dice.randrange(len(parts))] = dice.choice([b"N", b"V<\n", b"V|\n", b"V=\n", b"V<<\n", b"I-1\n", b"I2\n", b"I32\n", b"I-193\n", b"I-248\n", b"I-256\n", b"}", b")", times, integer(dice)])
    return b"cnumpy\ndtype\nV%b\nK\x00K\x01\x87R(" % text.encode() + b"".join(parts) + b"tb."


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_refuses_dtypes_with_other_numbers(decoder, dice, tally):
    """NPY-PKL-014 and NPY-PKL-019, of dtypes without fields and shape."""
    statuses = set()
    for _ in range(3 * SAID):
        payload = random_state(dice)
        tally.equal(f"{payload!r}", decode.fault(decoder, payload), "")
        try:
            decoder.decode(payload)
            statuses.add("")
        except objects.Refused as refusal:
            statuses.add(refusal.status)
    tally.true("dtypes are accepted and refused", {"", "SNPY_PKL_DTYPE", "SNPY_PKL_STATE"} <= statuses, statuses)


ADDED = [b"}%bNs", b"}(%bNu", b"(%bNd", b"\x8f(%b\x90", b"(%b\x91", b"cbuiltins\nset\n(%bl\x85R", b"cbuiltins\nfrozenset\n(N%bl\x85R",
         b"ccollections\nOrderedDict\n((%bNll\x85R", b"ccollections\nOrderedDict\n)R%bNs", b"ccollections\ndefaultdict\n)R(%bNVx\nNu", b"(%b\x85t", b"]%ba"]


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_refuses_what_may_be_no_key(decoder, dice, tally):
    """NPY-PKL-016 and NPY-PKL-018."""
    statuses = set()
    for _ in range(3 * SAID):
        payload = dice.choice(ADDED).replace(b"%b", random_key(dice, 3)) + b"."
        tally.equal(f"{payload!r}", decode.fault(decoder, payload), "")
        try:
            decoder.decode(payload)
            statuses.add("")
        except objects.Refused as refusal:
            statuses.add(refusal.status)
    tally.true("keys are accepted and refused", {"", "SNPY_PKL_KEY", "SNPY_PKL_RAW_STRING"} <= statuses, statuses)


def utf32(text, order):
    return text.encode("utf-32-le" if order == b"<" else "utf-32-be")


def numpy_scalar(name, order, content):
    return (b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nV%b\nK\x00K\x01\x87R(K\x03V%b\nNNN" % (name, order)
            + (b"I%d\nL1L\nI%d\n" % (len(content), 8 * (name[:1] == b"U")) if name[:1] in b"SU" else b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00")
            + b"tbC%c%b\x86R" % (len(content), content))


def float_forms(dice, value):
    """A float as text, as bytes, and as scalars and complex numbers that hold it."""
    forms = [b"F%b\n" % repr(value).encode(), b"G" + struct.pack(">d", value)]
    if len("%.20e" % value) <= 32:
        forms.append(b"F%.20e\n" % value)
    forms.append(b"cbuiltins\ncomplex\nG" + struct.pack(">d", value) + b"G" + dice.choice([bytes(8), b"\x80" + bytes(7)]) + b"\x86R")
    for letter, name in (("e", b"f2"), ("f", b"f4"), ("d", b"f8")):
        order = dice.choice([b"<", b">"])
        try:
            content = struct.pack(order.decode() + letter, value)
        except OverflowError:
            continue
        forms.append(numpy_scalar(name, order, content))
        if letter != "e":
            forms.append(numpy_scalar(b"c8" if letter == "f" else b"c16", order, content + bytes(len(content))))
    return forms


def int_forms(dice, value):
    """An integer in text, in bytes, with more bytes than it needs, and as scalars that hold it."""
    size = (8 + value.bit_length()) // 8
    forms = [b"L%dL\n" % value, b"\x8a%c%b" % (size, value.to_bytes(size, "little", signed=True))]
    forms.append(b"\x8b%b%b" % (struct.pack("<i", size + 3), value.to_bytes(size + 3, "little", signed=True)))
    if value not in (0, 1):
        forms.append(b"I%d\n" % value)
    for name in (b"i1", b"i2", b"i4", b"i8", b"u1", b"u2", b"u4", b"u8"):
        width, is_signed = int(name[1:]), name[:1] == b"i"
        order = b"|" if width == 1 else dice.choice([b"<", b">"])
        try:
            forms.append(numpy_scalar(name, order, value.to_bytes(width, "big" if order == b">" else "little", signed=is_signed)))
        except OverflowError:
            continue
    if value in (0, 1):
        forms += [b"\x89" if value == 0 else b"\x88", b"I0%d\n" % value, numpy_scalar(b"b1", b"|", b"%c" % (5 * value))]
    if float(value) == value:
        forms += float_forms(dice, float(value))
    return forms


def text_forms(dice, text):
    """Text in each opcode, and as a scalar with zeros after it; or bytes."""
    order = dice.choice([b"<", b">"])
    forms = [b"V" + text.encode("raw-unicode-escape").replace(b"\n", b"\\u000a") + b"\n", b"\x8c%c%b" % (len(text.encode()), text.encode()),
             numpy_scalar(b"U%d" % (len(text) + 2), order, utf32(text + "\0\0", order))]
    content = text.encode("latin-1", "replace")
    others = [b"C%c%b" % (len(content), content), numpy_scalar(b"S%d" % (len(content) + 2), b"|", content + b"\0\0"),
              b"c_codecs\nencode\nV%b\nVlatin1\n\x86R" % content]
    return dice.choice([forms + [b"U%c%b" % (len(text), text.encode())] * text.isascii(), others])


def moment_forms(dice):
    """A date, a datetime with either fold, a timedelta, or a UUID, each in some ways."""
    day = bytes([7, dice.choice([208, 209]), dice.choice([1, 2]), 1])
    uuid = dice.choice([3, 2**100 + 1])
    return dice.choice([
        [b"cdatetime\ndate\nC\x04%b\x85R" % day, b"cdatetime\ndate\nU\x04%b\x85R" % day],
        [b"cdatetime\ndatetime\nC\x0a%b%c%b\x85R" % (day[:2], day[2] + fold, day[3:] + bytes(6)) for fold in (0, 128)],
        [b"cdatetime\ntimedelta\nI%d\nK\x05%b\x87R" % (day[2] + 1, zero) for zero in (b"K\x00", b"L0L\n")],
        [b"cuuid\nUUID\n)\x81}Vint\n%bsb" % one for one in (b"L%dL\n" % uuid, b"\x8a\x0f" + uuid.to_bytes(15, "little"))]
        + [b"cuuid\nUUID\n)\x81}(Vis_safe\nK\x00Vint\nL%dL\nub" % uuid]])


def forms_of_a_value(dice):
    """Ways to write one value: what Python finds equal."""
    kind = dice.randrange(6)
    if kind == 0:
        return int_forms(dice, dice.choice([0, 1, -1, 2, 255, -128, 2**31, 2**53, 2**53 + 1, 2**63, -2**63, 2**64, 3 * 2**70, 10**22, 10**25, -7 * 2**150 - 1]))
    if kind == 1:
        return float_forms(dice, dice.choice([0.5, -0.0, 0.1, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.30000000000000004, float("inf"), float("-inf"), float("nan"), 65504.0, 1e-7]))
    if kind == 2:
        return text_forms(dice, dice.choice(["", "a", "ab", "\u00e9", "a\u00ff", "\u4e2d"]))
    if kind == 3:
        return moment_forms(dice)
    if kind == 4:
        return [b"N"]
    parts = [forms_of_a_value(dice) for _ in range(dice.randrange(3))]
    return [b"(" + b"".join(dice.choice(part) for part in parts) + b"t" for _ in range(3)] + [b"("  + b"".join(part[0] for part in parts) + b"t"]


MANY_KEYS = ["}" + "(%s" + "u", "(%sd", "\x8f(%k\x90", "(%k\x91", "cbuiltins\nset\n(%kl\x85R", "cbuiltins\nset\n(%hl\x85R(%t\x90",
             "ccollections\nOrderedDict\n(%pl\x85R", "ccollections\ndefaultdict\n)R(%su", "ccollections\nOrderedDict\n(%ql\x85R(%ru"]


def with_keys(dice, keys):
    """A container of any kind with these keys."""
    half = len(keys) // 2
    words = {"%s": b"".join(key + b"N" for key in keys), "%k": b"".join(keys), "%h": b"".join(keys[:half]), "%t": b"".join(keys[half:]),
             "%p": b"".join(b"(" + key + b"Nl" for key in keys), "%q": b"".join(b"(" + key + b"Nl" for key in keys[:half]),
             "%r": b"".join(key + b"N" for key in keys[half:])}
    made = dice.choice(MANY_KEYS).encode("latin-1")
    for word, content in words.items():
        made = made.replace(word.encode(), content)
    return made + b"."


@pytest.mark.inputs(*INPUTS, *DECODER)
def test_the_decoder_finds_equal_keys(decoder, dice, tally):
    """NPY-PKL-017."""
    statuses = []
    for _ in range(3 * SAID):
        keys = [dice.choice(forms_of_a_value(dice)) for _ in range(dice.choice([2, 2, 3, 6]))]
        if dice.random() < 0.5:
            forms = forms_of_a_value(dice)
            keys += [dice.choice(forms), dice.choice(forms)]
        payload = with_keys(dice, keys)
        tally.equal(f"{payload!r}", decode.fault(decoder, payload), "")
        statuses.append(verdict(payload, read=lambda data, options: objects.decode(data, 0, options)))
    equal = sum(isinstance(one, dict) and one["status"] == "SNPY_PKL_DUPLICATE_KEY" for one in statuses)
    tally.true("some keys are equal, and some are not", len(statuses) // 10 < equal < len(statuses) * 9 // 10, equal)
    tally.true("some are accepted", statuses.count("plain") > len(statuses) // 20, statuses.count("plain"))


def test_the_decoder_needs_two_slots_for_each_key(decoder, tally):
    """NPY-PKL-017 and NPY-PKL-023: with fewer it ends, with half of them in use; whatever the seed is, and if all keys begin at one slot."""
    payload = pickle.dumps({str(number): (number, number / 3) for number in range(200)} | {number: None for number in range(200)}, 4)
    for slots in (0, 1, 2, 100, 799):
        with pytest.raises(objects.Refused) as refused:
            decoder.decode(payload, slots=slots)
        tally.equal(f"{slots} slots", (refused.value.status, decoder.keys), ("SNPY_PKL_TOO_MANY_NODES", slots // 2))
    for seed in (0, 1, 2**31 - 2, 2**31 - 1, 2**62, 2**64 - 1):
        decoder.decode(payload, slots=800, seed=seed)
        tally.equal(f"seed {seed}", decoder.keys, 400)
    looked = decoder.looks
    with pytest.raises(objects.Refused) as refused:
        decoder.decode(payload, slots=800, seed=2**64 - 1, looks=looked - 1)
    tally.equal("each slot that is taken is a look", refused.value.status, "SNPY_PKL_TOO_MANY_NODES")
    again = b"(" + b"".join(b"K%c" % number for number in range(200)) + b"lp0\n0" + b"(" + b"cbuiltins\nset\ng0\n\x85R" * 100 + b"l."
    decoder.decode(again, slots=50_000)
    tally.equal("sets of one list", decoder.keys, 20_000)


def test_a_key_that_is_long_is_read_once_more(decoder, tally):
    """NPY-PKL-026."""
    payload = b"X" + (1000).to_bytes(4, "little") + b"a" * 1000 + b"p0\n0(" + b"}g0\nNs" * 10 + b"l."
    decoder.decode(payload)
    tally.equal("bytes", decoder.bytes, 11_000)
    with pytest.raises(objects.Refused) as refused:
        decoder.decode(payload, size_of_all=10_999)
    tally.equal("one byte fewer", (refused.value.status, refused.value.offset), ("SNPY_PKL_TOO_MANY_BYTES", len(payload) - 3))


def test_the_decoder_makes_no_more_bytes_than_it_may(decoder, tally):
    """Bytes of leaves and of what calls make of them; NPY-PKL-026."""
    payload = b"C\x03abc0" + b"(c_codecs\nencode\n(Vde\nVlatin1\ntRcpathlib\nPurePosixPath\n(Va\nVb\ntRcdecimal\nDecimal\nV10\n\x85Rl."
    decoder.decode(payload)
    tally.equal("bytes", decoder.bytes, 3 + 2 + 6 + 2 + 2 + 4 + 2 + 2)
    ends = [(3, "C"), (5, "Vde"), (11, "Vlatin1"), (13, "R"), (14, "Va"), (15, "Vb"), (19, "R"), (21, "V10"), (23, "R")]
    for size in range(23):
        with pytest.raises(objects.Refused) as refused:
            decoder.decode(payload, size_of_all=size)
        said = next(said for end, said in ends if end > size)
        tally.equal(f"{size} bytes", refused.value.status, "SNPY_PKL_TOO_MANY_BYTES")
        tally.true(f"{size} bytes", payload[refused.value.offset:].startswith(said.encode()), refused.value.offset)


def test_the_decoder_looks_at_no_more_than_it_may(payloads, decoder, tally):
    """Arguments that are used again count again; NPY-PKL-023."""
    payload = b"(Va\nVb\nt0" + b"]cpathlib\nPurePosixPath\n(Va\nVb\ntp0\nRa" + b"cpathlib\nPurePosixPath\ng0\nRa" * 9 + b"."
    decoder.decode(payload, looks=20)
    tally.equal("looks", decoder.looks, 20)
    for looks in range(20):
        with pytest.raises(objects.Refused) as refused:
            decoder.decode(payload, looks=looks)
        calls = [at for at, byte in enumerate(payload) if byte == ord("R") and payload[at + 1:at + 2] == b"a"]
        tally.equal(f"{looks} looks", (refused.value.status, refused.value.offset), ("SNPY_PKL_TOO_MANY_NODES", calls[looks // 2]))


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
        tally.equal(f"mutant {number}", decode.fault(decoder, mutate(dice, dice.choice(small), small), dice.choice(["data", "plain"])), "")


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
