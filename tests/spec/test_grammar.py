"""Holds spec/grammar.abnf against the suite, tools/abnf.py against grammars with planted faults, and the command
against random texts.

What the grammar must say of a case follows from the rule of its status and from the grammar's own comments: a text
must not derive if a production names the rule, and must derive if `;! beyond` does. No case is named here.
"""
import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import abnf                                           # noqa: E402
from tests.spec import planted                        # noqa: E402
from tests.spec.canonical import (UNICODE, chosen_version, escapes_as_repr,  # noqa: E402
                       has_the_database, keeps_the_rest)
from tests.spec.derive import Deriver, spoil          # noqa: E402

GRAMMAR = ROOT / "spec" / "grammar.abnf"
CORPUS = ROOT / "corpus"
RULE = re.compile(r"\b(?:NPY|NPZ)-[A-Z]+-\d{3}\b")
INDEX_ROW = re.compile(r"(?m)^\| (NPY-[A-Z]+-\d{3}) \|.*?\| (SNPY_\w+|–) \|")
LONGEST = 100_000               # characters; longer texts are left out, and counted
CANONICAL = ["--profile", "canonical"]
HEADER_STATUSES = ("NPY-FRAME", "NPY-LIT", "NPY-HDR", "NPY-DTYPE", "NPY-SHAPE")


class Grammar(abnf.Grammar):
    """The grammar with its matchers, one for each start rule and version, and the rules it names."""

    def __init__(self, text):
        super().__init__(text)
        self.matchers = {}

    def matcher(self, start, version="1.0"):
        without = frozenset(self.without.get(version, ()))
        if (start, without) not in self.matchers:
            self.matchers[start, without] = abnf.Matcher(self, start, without)
        return self.matchers[start, without]

    def derives(self, start, text, version="1.0"):
        return self.matcher(start, version).matches(abnf.codes_of(text))

    def cited(self, start):
        """The rules of the specification that the productions below a start rule name."""
        return {rule for name in self.reachable(start) for rule in RULE.findall(self.rules[name].comment)}

# ---- What the tests share -------------------------------------------------------------------------

@pytest.fixture(scope="module")
def source():
    return GRAMMAR.read_text(encoding="ascii")


@pytest.fixture(scope="module")
def grammar(source):
    return Grammar(source)


@pytest.fixture(scope="module")
def rule_of():
    return statuses_of_spec()[0]


@pytest.fixture(scope="module")
def known():
    return statuses_of_spec()[1]


@pytest.fixture(scope="module")
def subjects(rule_of):
    """The cases whose texts are not too long."""
    records = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))["cases"]
    return short_enough([Subject(record, rule_of) for record in records if record["format"].startswith("npy")])


@pytest.fixture
def unicode():
    """What judges canonical headers: without that version of Unicode, nothing can be said of them."""
    if not has_the_database():
        pytest.skip(f"this Python's Unicode database is not {UNICODE}")


# ---- The tool -------------------------------------------------------------------------------------

def faults_of(text):
    """All that the tool says of a grammar: (line, sentence)."""
    try:
        return abnf.Grammar(text).problems()
    except abnf.AbnfError as error:
        return [(error.line, str(error))]


def test_faults(tally, source):
    """Each planted fault is found, in its line, and none in the grammar itself."""
    for title, text, line, sentence in planted.SYNTAX + planted.WHOLE:
        found = faults_of(text)
        is_found = any(at == line and sentence in said for at, said in found)
        tally.check(f"planted: {title}", is_found, f"line {line}, {sentence!r} wanted, {found} found")
    for old, new, sentence in planted.REAL:
        found = faults_of(source.replace(old, new, 1))
        is_found = old in source and any(sentence in said for _, said in found)
        tally.check(f"planted: {new.strip()}", is_found, f"{sentence!r} wanted, {found} found")
    tally.check("the grammar is well-formed", faults_of(source) == [], faults_of(source))


def test_matcher(tally):
    """Small grammars of every kind, and what they derive."""
    for title, text, good, bad in planted.MATCHES:
        grammar = Grammar(planted.START + text + "\n")
        answers = {each: grammar.derives("a", each) for each in good + bad}
        wrong = [each for each, answer in answers.items() if answer != (each in good)]
        tally.check(f"matcher: {title}", not wrong, f"wrong about {wrong}")
    nested = Grammar(planted.START + 'a = "(" [ a ] ")" / "[" *a "]"\n')
    depth = 20_000
    tally.check("matcher: twenty thousand levels", nested.derives("a", "(" * depth + ")" * depth))
    tally.check("matcher: one bracket too few", not nested.derives("a", "(" * depth + ")" * (depth - 1)))
    ends = nested.matcher("a").ends(abnf.codes_of("[()[]]()"))
    tally.check("matcher: where texts end", ends == [6], ends)
    star = Grammar(planted.START + 'a = *"x"\n').matcher("a").ends(abnf.codes_of("xxy"))
    tally.check("matcher: all ends", star == [0, 1, 2], star)
    without = abnf.Matcher(Grammar(planted.START + 'a = "x" [ b ]\nb = "y"\n'), "a", {"b"})
    tally.check("matcher: without a rule", without.matches([120]) and not without.matches([120, 121]))


def run_tool(*arguments):
    """(exit status, output) of the tool as a command."""
    call = [sys.executable, str(ROOT / "tools" / "abnf.py"), *map(str, arguments)]
    result = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    return result.returncode, result.stdout + result.stderr


def test_tool(tally, subjects):
    """The tool as a command: what it says of the grammar, of good and bad headers, and of what it cannot read."""
    good = next(each for each in subjects if each.rule is None)
    bad = next(each for each in subjects if each.rule == "NPY-LIT-018")
    long_suffix = next(each for each in subjects if each.rule == "NPY-LIT-020")
    paths = [CORPUS / each.record["file"] for each in (good, bad, long_suffix)]
    texts = [(["--match", "header", paths[0]], 0, "derives"), (["--match", "header", paths[1]], 1, "no way on"),
             (["--match", "header", paths[2]], 1, "no way on"), (["--match", "header", *paths], 1, "no way on"),
             (["--match", "prefix", "--as", "bytes", paths[0]], 1, "no way on"),
             (["--match", "header", ROOT / "README.md"], 1, "no NPY file"), ([], 0, "well-formed"),
             (["--match", "nothing", paths[0]], 2, "no rule"), (["--match", "header"], 2, "go together"),
             (["--match", "header", ROOT / "missing"], 2, "missing")]
    for arguments, status, words in texts:
        found, output = run_tool(GRAMMAR, *arguments)
        tally.check(f"abnf.py {arguments}", found == status and words in output, f"{found}: {output}")
    for text, status, words in (("a = b\n", 1, ":1: b is not defined"), ("a =\n", 1, "line 1")):
        with tempfile.NamedTemporaryFile("w", suffix=".abnf") as file:
            file.write(text)
            file.flush()
            found, output = run_tool(file.name)
        tally.check(f"abnf.py on {text!r}", found == status and words in output, f"{found}: {output}")
    tally.check("abnf.py on no file", run_tool(ROOT / "missing")[0] == 2)


def random_node(dice, depth):
    """A random tree over the letters x and y and the rules a, b and c."""
    kind = dice.choice(("ref", "ref", "text", "text", "text", "cat", "alt", "rep")) if depth else "text"
    if kind == "ref":
        return ("ref", dice.choice("abc"), 1)
    if kind == "rep":
        least = dice.randint(0, 2)
        return ("rep", least, dice.choice((None, least, least + 1)), random_node(dice, depth - 1))
    if kind in ("cat", "alt"):
        return (kind, [random_node(dice, depth - 1) for _ in range(dice.randint(2, 3))])
    code = ord(dice.choice("xy"))
    return ("range", code, code)


def slow_ends(rules, node, text, at, known):
    """All ends of a tree at a position, from what is known of the rules: plain, slow, and sure."""
    if node[0] == "range":
        return {at + 1} if at < len(text) and node[1] <= ord(text[at]) <= node[2] else set()
    if node[0] == "ref":
        return known.get((node[1], at), set())
    if node[0] == "alt":
        return set().union(*(slow_ends(rules, each, text, at, known) for each in node[1]))
    if node[0] == "cat":
        ends = {at}
        for each in node[1]:
            ends = set().union(*(slow_ends(rules, each, text, end, known) for end in ends))
        return ends
    _, least, most, body = node
    ends = {at}
    for _ in range(least):
        ends = set().union(*(slow_ends(rules, body, text, end, known) for end in ends))
    found, rounds = set(ends), 0
    while ends and (most is None or rounds < most - least):
        ends = set().union(*(slow_ends(rules, body, text, end, known) for end in ends)) - found
        found |= ends
        rounds += 1
    return found


def slow_match(rules, text):
    """The ends of rule a at 0: all facts from nothing, round by round until none is added."""
    known = {}
    while True:
        more = {(name, at): slow_ends(rules, node, text, at, known)
                for name, node in rules.items() for at in range(len(text) + 1)}
        if more == known:
            return sorted(known["a", 0])
        known = more


def test_random_grammars(tally, dice):
    """Random grammars, mostly ambiguous and left-recursive: the matcher agrees with plain exhaustive search."""
    texts = ["".join(letters) for size in range(5) for letters in product("xy", repeat=size)]
    for number in range(60):
        rules = {name: random_node(dice, 3) for name in "abc"}
        grammar = abnf.Grammar(planted.START + 'a = "x"\nb = "x"\nc = "x"\n')
        for name, node in rules.items():
            grammar.rules[name].node = node
        matcher = abnf.Matcher(grammar, "a")
        wrong = [text for text in texts if matcher.ends(abnf.codes_of(text)) != slow_match(rules, text)]
        tally.check(f"random grammar {number}", not wrong, f"{rules} on {wrong[:3]}")


# ---- The grammar and the specification ------------------------------------------------------------

def statuses_of_spec():
    """{status: rule} and the set of all rules of the specification."""
    text = (ROOT / "spec" / "npy.md").read_text(encoding="utf-8")
    rows = INDEX_ROW.findall(text)
    return {status: rule for rule, status in rows if status != "–"}, {rule for rule, _ in rows}


def test_citations(tally, grammar, rule_of, known):
    """Each production names rules that exist, and each rule with a status on the header has its place."""
    for name, rule in grammar.rules.items():
        cited = RULE.findall(rule.comment)
        if name not in grammar.core:
            tally.check(f"{rule.name} names a rule", cited, f"line {rule.line}")
        for unknown in sorted(set(cited) - known):
            tally.check(f"{rule.name} names a rule of npy.md", False, unknown)
    named = grammar.cited("prefix") | grammar.cited("utf8-text") | grammar.cited("header")
    beyond = set(grammar.beyond["prefix"]) | set(grammar.beyond["header"])
    for unknown in sorted(set().union(*grammar.beyond.values()) - known):
        tally.check("beyond the grammar are rules of npy.md", False, unknown)
    tally.check("no rule is in a production and beyond the grammar", not named & beyond, named & beyond)
    for status, rule in sorted(rule_of.items()):
        if rule.startswith(HEADER_STATUSES) and status != "SNPY_NOT_CANONICAL":
            tally.check(f"{rule} is in the grammar or beyond it", rule in named | beyond)


def test_utf8(tally, grammar):
    """utf8-text is what Python's strict decoder takes: all short sequences of the bytes where it could differ."""
    edges = bytes.fromhex("00417F80818F909FA0BFC0C1C2DFE0E1ECEDEEEFF0F1F3F4F5FF")
    sequences = [bytes(each) for size in (1, 2, 3) for each in product(edges, repeat=size)]
    sequences += [bytes(each) for each in product(b"\xF0\xF1\xF3\xF4\xF5", b"\x7F\x80\x8F\x90\xBF\xC0",
                                                  b"\x7F\x80\xBF\xC0", b"\x7F\x80\xBF\xC0")]
    sequences += [chr(code).encode() + chr(0x10FFFF - code).encode() for code in range(0, 0xD800, 41)]
    wrong = [each.hex() for each in sequences if grammar.derives("utf8-text", each) != is_utf8(each)]
    tally.check(f"utf8-text on {len(sequences)} sequences", not wrong, wrong[:5])


def is_utf8(raw):
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_numbers(tally, grammar):
    """The productions with a bound have exactly that bound."""
    for name, bound in (("size-31", 2 ** 31 - 1), ("size-29", 2 ** 29 - 1)):
        digits = str(bound)
        numbers = set(range(300)) | set(range(bound - 300, bound + 300))
        for place in range(len(digits)):
            numbers |= {int(digits[:place] + digit + rest * (len(digits) - place - 1))
                        for digit in "0123456789" for rest in "09"}
        numbers |= {10 ** power + step for power in range(12) for step in (-1, 0, 1)}
        wrong = [number for number in numbers if grammar.derives(name, str(number)) != (number <= bound)]
        wrong += [text for text in ("", "00", "01", "-1", "+1", "1_0", " 1", "1 ") if grammar.derives(name, text)]
        tally.check(f"{name} is 0 to {bound}", not wrong, wrong[:5])


SIZES = {"b": {1}, "i": {1, 2, 4, 8}, "u": {1, 2, 4, 8}, "f": {2, 4, 8, 16}, "c": {8, 16, 32}, "M": {8}, "m": {8},
         "S": range(2 ** 31), "V": range(2 ** 31), "U": range(2 ** 29)}


def is_type(order, kind, size):
    """The table of type strings in spec/npy.md once more, as a program."""
    if kind == "O":
        return order in ("", "=", "|") and size in ("", "4", "8")
    if not size or (size[0] == "0" and size != "0") or int(size) not in SIZES.get(kind, ()):
        return False
    has_order = not (kind in "bSV" or (kind in "iu" and size == "1"))
    return order in ("<", ">") or (order == "|" and not has_order)


def test_types(tally, grammar):
    """Every order with every letter and many sizes: the grammar and the table of kinds agree."""
    sizes = [""] + [str(size) for size in range(34)] + ["00", "01", "08", "64", "128", "2147483647", "2147483648",
                                                        "536870911", "536870912"]
    letters = [chr(code) for code in range(0x21, 0x7F) if chr(code) not in "0123456789"]
    texts = list(product(["", "<", ">", "=", "|", "!", "<<"], letters, sizes))
    wrong = ["".join(each) for each in texts if grammar.derives("type-text", "".join(each)) != is_type(*each)]
    tally.check(f"type-text on {len(texts)} type strings", not wrong, wrong[:5])


PIECES = ["'", '"', "\\'", '\\"', "\\\\", "\\n", "\\t", "\\a", "\\x85", "\\x1f", "\\x0a", "\\xAD", "\\xad",
          "\\x7f", "\\xa0", "\\xa1", "\\x9", "\\u200b", "\\u00ad", "\\u200", "\\ud800", "\\udfff", "\\U000e0001",
          "\\U0001f600", "\\U0000200b", "\\U00110000", "\xa0", "\xad", "\xe9", "\u200b", "\u6574", "\U0001f600",
          "a", "x", " "]


def is_repr(text):
    """Whether a text is what repr() makes of the string that Python reads from it."""
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return isinstance(value, str) and repr(value) == text


def test_strings(tally, grammar, dice, unicode):
    """Strings of a few characters and escapes: canonical ones are those that repr() gives back as they are."""
    texts = {quote + "".join(dice.choices(PIECES, k=size)) + quote
             for size in (0, 1, 1, 2, 2, 3, 4, 5) for quote in "'\"" for _ in range(400)}
    texts |= {repr("".join(dice.choices("'\"\\\n\x00\x85\xa0\xade\xe9\u200b\u6574\ud800\U000e0001", k=size)))
              for size in range(7) for _ in range(60)}
    found = {text: grammar.derives("canonical-string", text) and escapes_as_repr(text) for text in texts}
    wrong = [text for text, answer in found.items() if answer != is_repr(text)]
    tally.check(f"canonical-string on {len(texts)} strings", not wrong and sum(found.values()) > 400, wrong[:5])


def test_shapes(tally, grammar):
    """Every shape of up to five dimensions 0, 1, 2 and 10, as repr() writes it; which may be in Fortran order."""
    shapes = [shape for size in range(6) for shape in product((0, 1, 2, 10), repeat=size)]
    fortran = {shape for shape in shapes if 0 not in shape and sum(dim > 1 for dim in shape) > 1}
    wrong = [shape for shape in shapes if not grammar.derives("canonical-shape", repr(shape))
             or grammar.derives("fortran-shape", repr(shape)) != (shape in fortran)]
    others = ("(1)", "(,)", "(1, )", "(1,2)", "(1, 2,)", "( )", "(01,)", "(1L,)", "[]", "((),)", "(-1,)", "1", "")
    wrong += [text for text in others if grammar.derives("canonical-shape", text)]
    tally.check(f"canonical-shape on {len(shapes)} shapes", not wrong, wrong[:5])


def test_derivations(tally, grammar, dice):
    """What is derived at random from a rule is recognised, and canonical texts derive from header too."""
    deriver = Deriver(grammar, dice)
    for start, starts in (("prefix", ["prefix"]), ("utf8-text", ["utf8-text"]), ("header", ["header"]),
                          ("canonical-header", ["canonical-header", "header"])):
        texts = [deriver.text(start) for _ in range(250)]
        wrong = [text for text in texts if not all(grammar.derives(each, text) for each in starts)]
        tally.check(f"250 derivations from {start}", not wrong, wrong[:1])


# ---- The grammar and the suite --------------------------------------------------------------------

class Subject:
    """One case with its file: what is wrong with it, by rule, and its parts as far as they can be told apart."""

    def __init__(self, record, rule_of):
        self.record = record
        self.title = record["id"]
        self.data = (CORPUS / record["file"]).read_bytes()
        self.error = record.get("error")
        self.rule = rule_of.get(self.error["status"], "?") if self.error else None
        others = [other["error"]["status"] for other in record.get("refused_with", [])]
        self.broken = {rule_of.get(status, "?") for status in others} | ({self.rule} if self.error else set())
        self.version, self.raw, self.text = None, None, None
        try:
            self.version, self.raw = abnf.header_bytes(self.data)
            self.text = abnf.header_text(self.data)[1]
        except abnf.FrameError:
            pass
        self.answer = None

    def derives(self, grammar):
        """Whether the text derives from `header`; asked once."""
        if self.answer is None:
            self.answer = grammar.derives("header", self.text, self.version)
        return self.answer

    def refused_as_canonical(self):
        others = self.record.get("refused_with", [])
        return any(other["error"]["status"] == "SNPY_NOT_CANONICAL" for other in others)


def judge_case(grammar, subject):
    """What the grammar says of a case and should not; None if all is well."""
    if bool(grammar.matcher("prefix").ends(subject.data[:12])) == (subject.rule in grammar.cited("prefix")):
        return f"{subject.rule}, but the prefix says otherwise"
    if subject.raw is None:
        in_frame = subject.rule in grammar.cited("prefix") | set(grammar.beyond["prefix"])
        return None if in_frame else f"{subject.rule}, but there is no text"
    if subject.version == "3.0":
        if grammar.derives("utf8-text", subject.raw) == (subject.rule in grammar.cited("utf8-text")):
            return f"{subject.rule}, but utf8-text says otherwise"
        if subject.text is None:
            return None
    return judge_text(grammar, subject)


def judge_text(grammar, subject):
    """Likewise of the header's text."""
    derives = subject.derives(grammar)
    stuck = grammar.matcher("header", subject.version).furthest
    if subject.rule is None:
        return None if derives else "no derivation of an accepted header"
    if subject.rule in grammar.cited("header"):
        return f"{subject.rule}, but the header derives" if derives else None
    if subject.rule not in grammar.beyond["header"]:
        return f"{subject.rule} is neither in the grammar nor beyond it"
    # Two faults: the one beyond the grammar comes first, and the text does not derive for the other.
    at = len(frame(subject.version, subject.text[:stuck]))
    if derives or subject.error["offset"] <= at:
        return None
    return f"{subject.rule} is beyond the grammar, but the header does not derive: no way on at byte {at}"


def test_suite(tally, grammar, subjects):
    """Every case, and that each rule beyond the grammar really is: that a text breaks it and derives."""
    met, derived = set(), set()
    for subject in subjects:
        problem = judge_case(grammar, subject)
        tally.check(subject.title, problem is None, problem)
        broken = subject.broken & set(grammar.beyond["header"]) if subject.text is not None else set()
        met |= broken
        if broken and subject.derives(grammar):
            derived |= broken
    for rule in sorted(met):
        tally.check(f"{rule} is beyond the grammar: a case that breaks it derives", rule in derived)


def is_canonical(grammar, version, text):
    """Whether a header that is accepted is canonical, as grammar and twin have it."""
    return grammar.derives("canonical-header", text, version) and keeps_the_rest(version, text)


def test_canonical(tally, grammar, subjects, unicode):
    """Canonical headers derive, and what is refused for not being canonical does not, or breaks a rule beyond."""
    by_grammar = by_twin = 0
    for subject in subjects:
        wanted = subject.record.get("canonical")
        if subject.refused_as_canonical():
            wanted = False
        if wanted is None or subject.text is None:
            continue
        derives = grammar.derives("canonical-header", subject.text, subject.version)
        is_good = derives and keeps_the_rest(subject.version, subject.text)
        tally.check(f"{subject.title} as canonical", is_good == wanted, f"derives: {derives}, all: {is_good}")
        by_grammar += not wanted and not derives
        by_twin += not wanted and derives
        if derives:
            tally.check(f"{subject.title}: canonical-header is part of header", subject.derives(grammar))
    tally.check("some are refused by the canonical grammar", by_grammar)
    tally.check("some are refused by what is beyond it", by_twin)


# ---- The grammar and the command ------------------------------------------------------------------

def frame(version, text):
    """The bytes of a header text without data; lone surrogates cannot stand in it."""
    raw = text.encode("utf-8" if version == "3.0" else "latin-1")
    size = 2 if version == "1.0" else 4
    return abnf.MAGIC + bytes((int(version[0]), 0)) + len(raw).to_bytes(size, "little") + raw


def encodable(version, text):
    try:
        return len(frame(version, text)) < 60_000
    except (UnicodeEncodeError, OverflowError):
        return False


def repad(text):
    """(version, text): a text that ends in spaces, with the spaces and in the version that it should have."""
    body = text.rstrip(" \n")
    version = chosen_version(body)
    for spaces in range(1, 86):
        whole = body + " " * spaces + "\n"
        if keeps_the_rest(version, whole):
            return version, whole
    return version, text


def random_texts(grammar, subjects, dice):
    """(version, text): spoilt headers of the suite, and derivations of both profiles."""
    deriver = Deriver(grammar, dice)
    pool = [(each.version, each.text) for each in subjects
            if each.text is not None and len(each.text) < 400 and each.rule is None]
    for _ in range(2000):
        version, text = dice.choice(pool)
        yield version, spoil(text, dice)
    for _ in range(1000):
        version = dice.choice(("1.0", "2.0", "3.0"))
        yield version, deriver.text("header", grammar.without.get(version, ()))
        text = deriver.text("canonical-header")
        yield version, text
        yield repad(text)


def ask(binary, options, files):
    """The command's answers: {file name: object}."""
    answers = {}
    for start in range(0, len(files), 500):
        call = [binary, *options, "--json", *files[start:start + 500]]
        run = subprocess.run(call, capture_output=True, check=False, timeout=60)
        answers.update({answer["file"]: answer for answer in map(json.loads, run.stdout.splitlines())})
    return answers


def broken_rules(binary, options, files):
    """{file name: None or the rule that is broken}."""
    return {file: answer.get("rule", "none") if answer["verdict"] != "accept" else None
            for file, answer in ask(binary, ["check", *options], files).items()}


def add_data(binary, files):
    """Gives each file the data that its header declares, without taking room for them."""
    for file, answer in ask(binary, ["info"], files).items():
        size = 1 if answer.get("has_object") else answer.get("data_size")
        if answer["verdict"] == "accept" and size < 1 << 40:
            os.truncate(file, answer["data_offset"] + size)


def test_command(tally, grammar, subjects, safenpy, dice, unicode):
    """Random texts: the command accepts what derives, or refuses it for a rule beyond the grammar."""
    texts = sorted({each for each in random_texts(grammar, subjects, dice) if encodable(*each)})
    beyond = grammar.beyond["header"]
    counts, canonicals = {True: 0, False: 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{number}.npy" for number in range(len(texts))]
        for file, (version, text) in zip(files, texts):
            Path(file).write_bytes(frame(version, text))
        standard = broken_rules(str(safenpy), [], files)
        add_data(str(safenpy), [file for file, rule in standard.items() if (rule or "").startswith("NPY-DATA")])
        canonical = broken_rules(str(safenpy), CANONICAL, files)
    for file, (version, text) in zip(files, texts):
        rule, derives = standard[file], grammar.derives("header", text, version)
        is_same = derives == (rule is None or rule in beyond)
        tally.check(f"{version} {text!r}", is_same, f"derives: {derives}, {rule}")
        counts[derives] += 1
        if canonical[file] in (None, "NPY-HDR-006"):
            wanted = derives and is_canonical(grammar, version, text)
            is_same = wanted == (canonical[file] is None)
            tally.check(f"{version} {text!r} as canonical", is_same, f"wanted: {wanted}")
            canonicals += wanted
    tally.check("random texts of each kind", min(counts[True], counts[False], canonicals) > 300)
    print(f"{counts[True]} random texts derive, {canonicals} of them are canonical; {counts[False]} do not derive")


def short_enough(subjects):
    """The cases whose texts are not too long, and one of each rule that has none of them."""
    chosen, broken = [], set()
    for subject in sorted(subjects, key=lambda each: len(each.text or "")):
        if len(subject.text or "") <= LONGEST or not subject.broken <= broken:
            chosen.append(subject)
            broken |= subject.broken
    return chosen
