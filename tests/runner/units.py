"""Tests of the runner's parts by themselves: types by meaning, declarations, elements, selection, strict JSON."""

import struct
from pathlib import Path
from types import SimpleNamespace

import small
from npy_conformance import answer, compare, descr, elements, outcome, report, selection
from npy_conformance.declaration import ACCEPT, EITHER, REJECT, Declaration, of_profile
from npy_conformance.execute import Run
from npy_conformance.manifest import Case, Suite, SuiteError
from npy_conformance.options import seconds, size

SAME = (
    ("<f8", "f8"), ("<f8", "=f8"), ("|u1", "<u1"), ("|u1", ">u1"), ("|b1", "b1"), ("|b1", "?"), ("|S3", "S3"),
    (">S3", "<S3"), ("|O", "O"), ("|O8", "O"), ("O4", "O"), ("<M8[ns]", "<M8[1ns]"), ("<M8", "<M8[generic]"),
    ("<m8", "m8"), ("[('a', '<f8')]", "[('a', '<f8', ())]"), ("[('a', '<f8')]", "[ (\"a\", 'f8') ,]"),
    ("[('a', '<f8', (2, 3))]", "[('a', ('<f8', (3,)), (2,))]"), ("[('a', '<f8', 2)]", "[('a', '<f8', (2,))]"),
    ("[('', '|V3'), ('', '|V5')]", "[('', '|V8')]"), ("[('', '|V0'), ('a', '|i1')]", "[('a', 'i1')]"),
    ("[('', '<f8', (2,))]", "[('', '|V16')]"), ("[('', '|V2', (2, 2))]", "[('', '|V8')]"),
    (r"[('\xe9', '<i2')]", "[('é', '<i2')]"), ("[(('t', 'a'), '<i2')]", "[((\"t\", \"a\"), '<i2')]"),
    ("[('a', [('b', '|V1')])]", "[('a', [('b', 'V1')])]"), ("[]", "[ ]"),
)
DIFFERENT = (
    ("<f8", ">f8"), ("<f8", "<f4"), ("<f8", "<i8"), ("<i2", "<u2"), ("|S3", "|V3"), ("<U3", ">U3"), ("<U3", "<U4"),
    ("<M8[ns]", "<M8[us]"), ("<M8[ns]", "<M8[2ns]"), ("<M8[ns]", "<M8"), ("<M8[ns]", "<m8[ns]"), ("<c8", "<f8"),
    ("[('a', '<f8')]", "[('b', '<f8')]"), ("[('a', '<f8')]", "<f8"), ("[('a', '<f8')]", "[('a', '<f8', (1,))]"),
    ("[('a', '<f8', (2, 3))]", "[('a', '<f8', (3, 2))]"), ("[(('t', 'a'), '<i2')]", "[('a', '<i2')]"),
    ("[('', '|V3'), ('a', '|i1')]", "[('a', '|i1'), ('', '|V3')]"),
    ("[('a', '<i2')]", "[('a', '<i2'), ('', '|V2')]"),
    ("[('', '<f8')]", "[('', '|V8')]"), ("[(('t', ''), '|V8')]", "[('', '|V8')]"), ("[]", "[('', '|V1')]"),
)
NO_TYPE = ("", "float64", "|f8", "|i4", "f", "<f8 ", "<f8[ns]", "M8[", "(('<f8', 2))", "[('a',)]", "[('a', 3)]",
           "[('a', '<f8', '2')]", "[('a', '<f8', (2.0,))]", "[('a', '<f8', (True,))]", "[('a', '<f8', (-1,))]",
           "[1]",
           "[(1, '<f8')]", "[((1, 'a'), '<f8')]", "[('a', ('<f8',))]", "[('a', '<f8'", "[__import__('os')]", "{}",
           "[" * 300 + "]" * 300)


def run(tally, safenpy, folder):
    """All of them."""
    suite = folder / "suite"
    records = small.make(suite)
    types(tally)
    declarations(tally, Suite(suite))
    trailing(tally)
    surrogates(tally)
    contents(tally)
    choosing(tally, Suite(suite))
    strictness(tally)
    suites(tally, folder, records)
    tables(tally)
    values(tally)


def types(tally):
    """Types are compared by meaning, and a text that is none is like no other."""
    for left, right in SAME:
        tally.true(f"{left} is {right}", descr.same(left, right) and descr.same(right, left))
    for left, right in DIFFERENT:
        tally.true(f"{left} is not {right}", not descr.same(left, right) and not descr.same(right, left))
    for text in NO_TYPE:
        like = descr.same(text, "<f8") or descr.same("[('a', '<f8')]", text)
        tally.true(f"{text[:20]} is no type", not like)


def declarations(tally, suite):
    """What is expected under each declaration, case by case."""
    cases = {case.id: case for case in suite.cases}
    wanted = {                     # strict, long-header, int-shape
        None: (EITHER, EITHER, EITHER), (): (ACCEPT, REJECT, REJECT), ("strict",): (REJECT, REJECT, REJECT),
        ("long-header",): (ACCEPT, ACCEPT, REJECT), ("strict", "int-shape"): (REJECT, REJECT, ACCEPT),
    }
    for declares, verdicts in wanted.items():
        declaration = Declaration(suite, declares)
        got = tuple(declaration.expected(cases[name]) for name in (small.STRICT, small.LONG, small.COMPAT))
        tally.same(f"expected with {declares}", got, verdicts)
        tally.same(f"accept with {declares}", declaration.expected(cases[small.F8]), ACCEPT)
        tally.same(f"reject with {declares}", declaration.expected(cases[small.SIZES]), REJECT)
    standard = ["strict", "unended-padding"]
    table = {"undeclared": None, "plain": [], "standard": standard, "canonical": standard,
             "compatible": ["int-shape", "native-order", *standard]}
    for name, flags in table.items():
        declares = of_profile(suite, name).declares
        tally.same(f"profile {name}", None if declares is None else sorted(declares), flags)
    tally.same("profile and flag", sorted(of_profile(suite, "standard", ["long-header"]).declares),
               ["long-header", *standard])
    tally.same("undeclared and flag", sorted(of_profile(suite, "undeclared", ["strict"]).declares), ["strict"])
    canonical = of_profile(suite, "canonical")
    for name, verdict in ((small.F8, ACCEPT), (small.FLAGGED, REJECT), (small.HANDMADE, EITHER),
                          (small.LONG, REJECT),
                          (small.SIZES, REJECT), (small.STRICT, REJECT), (small.OBJECT, ACCEPT)):
        tally.same(f"canonical {name}", canonical.expected(cases[name]), verdict)


def trailing(tally):
    """The flag of bytes after the data: who declares it refuses them, with safenpy's status if with any."""
    error = {"status": "SNPY_TRAILING_DATA", "offset": 152}
    record = {"id": "choice/t/one", "file": "choice/t/one.npy", "verdict": "choice", "flags": ["no-trailing"],
              "rules": [], "reason": "R.", "expect": {}, "canonical": True,
              "refused_with": [{"options": ["--no-trailing"], "error": error}]}
    suite = SimpleNamespace(flags={"no-trailing": {"declared": "reject"}}, statuses=lambda: {error["status"], "SNPY_X"})
    case = Case(record, 0, Path("."))
    for declares, said, wanted in ((["no-trailing"], REJECT, "pass"), (["no-trailing"], ACCEPT, "wrong-accept"),
                                   ([], ACCEPT, "pass"), ([], REJECT, "wrong-reject"),
                                   (None, ACCEPT, "accepts"), (None, REJECT, "refuses")):
        got = compare.judge(case, Declaration(suite, declares), {"verdict": said})
        tally.same(f"bytes after the data, {declares}: {said}", got.outcome, wanted)
    for answer_error, wanted in ((error, "pass"), ({**error, "offset": 9}, "wrong-error"),
                                 ({**error, "status": "SNPY_X"}, "wrong-error")):
        got = compare.judge(case, Declaration(suite, ["no-trailing"]), {"verdict": REJECT, **answer_error})
        tally.same(f"refused with {answer_error}", got.outcome, wanted)
    tally.same("the canonical profile takes them", Declaration(suite, ["strict"], True).expected(case), ACCEPT)


LONE_HIGH, PAIR = [0xD800, 0x41], [0xD83D, 0xDE00]


def surrogates(tally):
    """A name is right as its code points, and as a string as far as JSON can say it."""
    def fields(codes, title=None):
        made = {"name": "\ufffd" * len(codes), "name_code_points": codes, "path": ["r", "\ufffd" * len(codes)],
                "path_code_points": [[0x72], codes], "title": None}
        return [made | ({"title": "\ufffd", "title_code_points": title} if title else {})]
    for codes, given, right in (
            (LONE_HIGH, {"name": "\ud800A"}, True), (LONE_HIGH, {"name": "\ufffdA"}, False),
            (LONE_HIGH, {"name": "\ud801A"}, False), (LONE_HIGH, {"name": "\ufffdA", "name_code_points": LONE_HIGH}, True),
            (LONE_HIGH, {"name_code_points": LONE_HIGH}, True), (LONE_HIGH, {"name_code_points": [0xFFFD, 0x41]}, False),
            (LONE_HIGH, {"path": ["r", "\ud800A"]}, True), (LONE_HIGH, {"path": ["r", "\ufffdA"]}, False),
            (LONE_HIGH, {"path": ["r", "?"], "path_code_points": [[0x72], LONE_HIGH]}, True),
            (LONE_HIGH, {"path_code_points": [[0x73], LONE_HIGH]}, False), (LONE_HIGH, {"path": ["\ud800A"]}, False),
            (PAIR, {"name": "\U0001f600"}, True), (PAIR, {"name": "\ud83d\ude00"}, True),
            (PAIR, {"name_code_points": PAIR}, True), (PAIR, {"name_code_points": [0x1F600]}, False)):
        answer.check_answer({"verdict": ACCEPT, "fields": [given]})
        tally.same(f"{codes} as {ascii(given)}", not compare.field_differences(fields(codes), [given]), right)
    for given, right in (({"title": "\ud800"}, True), ({"title": None}, False), ({"title_code_points": [0xD800]}, True),
                         ({"title_code_points": [0xD801]}, False)):
        tally.same(f"a title as {ascii(given)}", not compare.field_differences(fields([0x61], [0xD800]), [given]), right)
    plain = [{"name": "a", "path": ["a"], "title": None}]
    for given, right in (({"name": "a", "path": ["a"], "title": None}, True), ({"name_code_points": [0x61]}, True),
                         ({"title_code_points": [0x61]}, False), ({"path_code_points": [[0x61]]}, True)):
        tally.same(f"a plain name as {given}", not compare.field_differences(plain, [given]), right)
    for value in ("a", [0x110000], [-1], [True], [1.0], None, [[0x61]]):
        said = {"verdict": ACCEPT, "fields": [{"name_code_points": value}]}
        tally.same(f"no code points: {value!r}", refused(lambda said=said: answer.check_answer(said)), "ProtocolError")


def contents(tally):
    """Elements, from bytes to normal form."""
    raw = bytes(range(1, 25))
    for kind, shape, fortran, wanted in (
            ("<i2", [3], False, raw[:6]), (">i2", [2], False, bytes((2, 1, 4, 3))),
            (">c8", [1], False, bytes((4, 3, 2, 1, 8, 7, 6, 5))),
            (">U2", [1], False, bytes((4, 3, 2, 1, 8, 7, 6, 5))),
            (">M8[s]", [1], False, raw[7::-1]), (">S3", [1], False, raw[:3]), (">f16", [1], False, raw[15::-1]),
            (">c16", [1], False, raw[7::-1] + raw[15:7:-1]), ("|u1", [2, 3], True, bytes((1, 3, 5, 2, 4, 6))),
            ("|u1", [2, 3, 2], True, bytes((1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12))), ("|u1", [], True, raw[:1]),
            ("[('a', '>i2'), ('', '|V2'), ('b', '>i2')]", [2], False,
             bytes((2, 1, 0, 0, 6, 5, 8, 7, 0, 0, 12, 11))),
            ("[('a', [('b', '>i2'), ('', '|V1')], (2,))]", [1], False, bytes((2, 1, 0, 5, 4, 0))),
            ("[('', '>i2', (2,)), ('', '>i2')]", [1], False, bytes((0, 0, 0, 0, 6, 5))),
            ("<i2", [0, 3], False, b""), ("|S0", [1 << 62], False, b"")):
        got, _ = elements.normalised(raw[:len(wanted)], kind, shape, fortran)
        tally.same(f"elements of {kind} {shape}{' fortran' * fortran}", got, wanted)
    gap = "[('a', '|i1'), ('', '|V1')]"
    tally.same("padding of zeros", elements.normalised(b"\1\0\2\0", gap, [2], False), (b"\1\0\2\0", True))
    tally.same("padding of something", elements.normalised(b"\1\0\2\7", gap, [2], False), (b"\1\0\2\0", False))
    tally.same("opaque bytes", elements.normalised(raw[:16], "<f16", [1], False)[0], raw[:16])
    doubles = struct.pack(">3d", 1, 2, 3)
    tally.same("doubles", elements.normalised(doubles, ">f8", [3], False)[0], struct.pack("<3d", 1, 2, 3))


def choosing(tally, suite):
    """Patterns of --only."""
    def chosen(*patterns):
        return [case.id for case in selection.select(suite.cases, patterns)]
    tally.same("no pattern", len(chosen()), len(suite.cases))
    tally.same("an id", chosen(small.F8), [small.F8])
    tally.same("a glob", chosen("accept/a/*"), sorted([small.F8, small.FORTRAN, small.ENTRY, small.VERSION]))
    tally.same("a rule", chosen("NPY-SHAPE-004"), [small.SIZES])
    tally.same("rules", chosen("NPY-SHAPE-*"), [small.FORTRAN, small.SIZES])
    tally.same("a flag", chosen("strict"), [small.STRICT])
    tally.same("a verdict", chosen("reject"), sorted([small.MAGIC, small.SIZES, small.ONE]))
    tally.same("two patterns, once each", chosen(small.F8, "accept/a/f8"), [small.F8])
    tally.same("a part of a name is no name", refused(lambda: chosen("accept/a")), "SelectionError")
    tally.same("one of two in vain", refused(lambda: chosen("strict", "NPY-NONE-001")), "SelectionError")


def strictness(tally):
    """JSON that is taken for none."""
    for raw in (b"", b"{", b"[]", b"1", b"null", b"{} {}", b'{"a": 1, "a": 1}', b'{"a": NaN}', b'{"a": Infinity}',
                b'{"a": 01}', b"{'a': 1}", b'{"a": 1,}', b'\xff{"a": 1}', b'{"a": ' + b"9" * 5000 + b"}",
                b'{"a": {"b": 1, "b": 2}}', b"\xef\xbb\xbf{}"):
        tally.same(f"no object: {raw[:30]!r}", refused(lambda raw=raw: answer.parse_object(raw)), "ProtocolError")
    tally.same("an object", answer.parse_object(b' {"a": [1, 1.5, "\\ud800", null, true]}\r'),
               {"a": [1, 1.5, "\ud800", None, True]})
    for text, wanted in (("512", 512), ("4K", 4096), ("1m", 1 << 20), ("2G", 2 << 30)):
        tally.same(f"a size: {text}", size(text), wanted)
    for text in ("", "0", "-1", "1.5G", "G", "1T", "x", "²"):
        tally.same(f"no size: {text!r}", refused(lambda text=text: size(text)), "ArgumentTypeError")
    for text in ("", "0", "-1", "nan", "inf", "x"):
        tally.same(f"no time: {text!r}", refused(lambda text=text: seconds(text)), "ArgumentTypeError")


def suites(tally, folder, records):
    """A suite that is not what its manifest says is not used."""
    damaged = folder / "damaged"
    small.make(damaged)
    (damaged / records[0]["file"]).write_bytes(b"changed")
    suite = Suite(damaged)
    tally.same("a changed file", refused(suite.cases[0].data), "SuiteError")
    (damaged / records[0]["file"]).unlink()
    tally.same("a missing file", refused(suite.cases[0].data), "SuiteError")
    for text in ("", "[]", "{}",
                 '{"version": "1", "flags": {}, "cases": []}', '{"version": "1", "flags": {}, "cases": [{}]}'):
        (damaged / "manifest.json").write_text(text)
        tally.same(f"no manifest: {text!r}", refused(lambda: Suite(damaged)), "SuiteError")
    tally.same("no folder", refused(lambda: Suite(folder / "nothing")), "SuiteError")


def refused(call):
    """The name of the exception that a call ends with."""
    try:
        call()
    except (Exception, SuiteError) as error:
        return type(error).__name__
    return "nothing"


def tables(tally):
    """Totals and columns."""
    results = [outcome.Result(name) for name in ("crash", "pass", "pass", "accepts")]
    tally.same("totals in the order of the outcomes", list(outcome.totals(results).items()),
               [("pass", 2), ("accepts", 1), ("crash", 1)])
    suite = SimpleNamespace(cases=[SimpleNamespace(id=name, rules=["R"], reason="W.") for name in outcome.ALL])
    failed = {name: outcome.Result(name) for name in outcome.ALL if name in outcome.FAILING}
    run = Run(None, None, [], results=failed)
    lines = report.failures(suite, run, outcome.FAILING, True).splitlines()
    tally.same("the worst failures stand first", [line.split()[0] for line in lines],
               ["crash", "hang", "memory", "wrong-value", "wrong-accept", "unreadable", "protocol", "wrong-reject",
                "wrong-error"])
    tally.same("each outcome has its place", sorted(outcome.WORST_FIRST), sorted(outcome.ALL))
    tally.same("a table", report.aligned([["name", "pass"], ["a", "12345"]]), "name   pass\na     12345\n")
    tally.same("outcomes are right, neutral or failing", sorted(outcome.RIGHT | outcome.FAILING |
               {"accepts", "refuses", "unsupported", "withheld"}), sorted(outcome.ALL))


def values(tally):
    """What a message shows of a value."""
    tally.same("a short one", answer.shown({"a": 1}), '{"a": 1}')
    tally.same("a long one", answer.shown("x" * 100), '"' + "x" * 59 + "…")
    tally.same("a surrogate", answer.shown("\ud800"), '"\\ud800"')
