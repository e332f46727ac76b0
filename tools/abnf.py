#!/usr/bin/env python3
"""Checks an ABNF grammar and matches texts against it.

    python3 tools/abnf.py spec/grammar.abnf                          is the grammar well-formed?
    python3 tools/abnf.py spec/grammar.abnf --match header FILE...   do these NPY headers derive from it?

The notation is RFC 5234 with the case-sensitive strings of RFC 7405; a line may end with LF alone. Comments that
begin with `;!` are directives, which other readers of ABNF pass over:

    ;! start NAME                  NAME may be matched on its own, so nothing needs to refer to it
    ;! without NAME in VERSION     in that version of the format the rule NAME derives nothing
    ;! beyond NAME: RULE-ID text   a rule of the specification that texts derived from NAME may still break

Exit status: 0, the grammar is well-formed and all files derive; 1, not; 2, wrong usage or something unreadable.

The matcher is Earley's algorithm on automata: a rule that does not contain itself is spliced into those that use
it, the others are called, and all that can be done at one position is done in one step. So it takes every grammar,
ambiguous and left-recursive ones too, needs no recursion however deep a text nests, and takes time linear in the
length of texts such as ours.
"""
import argparse
import re
import sys
from bisect import bisect_right
from pathlib import Path

MAGIC = b"\x93NUMPY"

# RFC 5234, appendix B.1: rules that every grammar has.
CORE = """\
ALPHA = %x41-5A / %x61-7A
BIT = "0" / "1"
CHAR = %x01-7F
CR = %x0D
CRLF = CR LF
CTL = %x00-1F / %x7F
DIGIT = %x30-39
DQUOTE = %x22
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB = %x09
LF = %x0A
LWSP = *(WSP / CRLF WSP)
OCTET = %x00-FF
SP = %x20
VCHAR = %x21-7E
WSP = SP / HTAB
"""


class AbnfError(Exception):
    """Something that is not ABNF, with its line."""

    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line


class Rule:
    """One rule: its name as written, the line of its definition, its tree, and the comments in it."""

    def __init__(self, name, line, node):
        self.name = name
        self.line = line
        self.node = node
        self.comment = ""


# ---- Reading ABNF ---------------------------------------------------------------------------------

# A tree is one of
#   ("alt", [tree, ...])   ("cat", [tree, ...])   ("rep", least, most or None, tree)
#   ("ref", name, line)    ("range", low, high)   ("prose", text, line)

BASES = {"x": 16, "d": 10, "b": 2}
DIGITS = {"x": "[0-9A-Fa-f]+", "d": "[0-9]+", "b": "[01]+"}


class Reader:
    """A recursive-descent reader of the notation; `pos` is its position."""

    def __init__(self, text):
        self.text = text
        self.pos = 0
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def line(self, pos=None):
        return bisect_right(self.starts, self.pos if pos is None else pos)

    def fail(self, message, pos=None):
        raise AbnfError(self.line(pos), message)

    def take(self, pattern):
        """What matches at the current position, which moves past it; None if nothing does."""
        match = re.compile(pattern).match(self.text, self.pos)
        if match is None:
            return None
        self.pos = match.end()
        return match

    def blanks(self):
        """Blanks, comments and line ends, as long as the next line is a continuation: begins with a blank."""
        self.take(r"(?:[ \t]|(?:;[^\n]*)?\r?\n(?=[ \t]))*")

    def rule(self):
        """One rule, to the end of its last line."""
        start = self.pos
        name = self.take(r"[A-Za-z][A-Za-z0-9-]*")
        if name is None:
            self.fail("a rule begins with its name, in the first column")
        self.blanks()
        sign = self.take(r"=/|=")
        if sign is None:
            self.fail(f"'=' or '=/' must follow the name {name.group()}")
        self.blanks()
        node = self.alternation()
        self.blanks()
        if self.take(r"(?:;[^\n]*)?(?:\r?\n|$)") is None:
            self.fail(f"not ABNF: {self.text[self.pos:].splitlines()[0]!r}")
        rule = Rule(name.group(), self.line(start), node)
        rule.comment = " ".join(re.findall(r"(?m);.*$", self.text[start:self.pos]))
        return rule, sign.group() == "=/"

    def alternation(self):
        parts = [self.concatenation()]
        while True:
            before = self.pos
            self.blanks()
            if self.take("/") is None:
                self.pos = before
                return parts[0] if len(parts) == 1 else ("alt", parts)
            self.blanks()
            parts.append(self.concatenation())

    def concatenation(self):
        parts = [self.repetition()]
        while True:
            before = self.pos
            self.blanks()
            if self.pos == before or not re.compile(r"[A-Za-z0-9*(\[\"%<]").match(self.text, self.pos):
                self.pos = before
                return parts[0] if len(parts) == 1 else ("cat", parts)
            parts.append(self.repetition())

    def repetition(self):
        start = self.pos
        times = self.take(r"(\d*)\*(\d*)|(\d+)")
        if times is None:
            return self.element()
        least, most, exact = times.groups()
        low = int(exact or least or 0)
        high = int(exact) if exact else int(most) if most else None
        if high is not None and high < low:
            self.fail(f"a repetition from {low} to {high}", start)
        return ("rep", low, high, self.element())

    def element(self):
        start = self.pos
        name = self.take(r"[A-Za-z][A-Za-z0-9-]*")
        if name is not None:
            return ("ref", name.group(), self.line(start))
        if self.take(r"\(") is not None:
            return self.group(")")
        if self.take(r"\[") is not None:
            return ("rep", 0, 1, self.group("]"))
        string = self.take(r'(%[si])?"([\x20-\x21\x23-\x7E]*)"')
        if string is not None:
            return self.string(string.group(2), string.group(1) == "%s")
        prose = self.take(r"<([\x20-\x3D\x3F-\x7E]*)>")
        if prose is not None:
            return ("prose", prose.group(1), self.line(start))
        return self.number(start)

    def group(self, close):
        self.blanks()
        node = self.alternation()
        self.blanks()
        if self.take(re.escape(close)) is None:
            self.fail(f"'{close}' is missing")
        return node

    @staticmethod
    def string(text, is_case_sensitive):
        """A string is a sequence of characters; without %s each letter stands for both of its cases."""
        parts = []
        for char in text:
            cases = {char} if is_case_sensitive else {char.lower(), char.upper()}
            ranges = [("range", ord(case), ord(case)) for case in sorted(cases)]
            parts.append(ranges[0] if len(ranges) == 1 else ("alt", ranges))
        return parts[0] if len(parts) == 1 else ("cat", parts)

    def number(self, start):
        """%x41, %x41.42.43, %x41-5A, and the same with d or b."""
        base = self.take(r"%([xXdDbB])")
        if base is None:
            self.fail("an element was expected: a name, a string, a number, a group")
        kind = base.group(1).lower()
        first = self.take(DIGITS[kind])
        if first is None:
            self.fail("digits must follow " + base.group(), start)
        values = [int(first.group(), BASES[kind])]
        last = self.take(f"-({DIGITS[kind]})")
        if last is not None:
            high = int(last.group(1), BASES[kind])
            if high < values[0]:
                self.fail(f"a range whose end is smaller than its beginning: {self.text[start:self.pos]}", start)
            return ("range", values[0], high)
        while (more := self.take(rf"\.({DIGITS[kind]})")) is not None:
            values.append(int(more.group(1), BASES[kind]))
        parts = [("range", value, value) for value in values]
        return parts[0] if len(parts) == 1 else ("cat", parts)


def read_directives(text):
    """The directives of a grammar: starts, {version: names without}, {start: {rule ID: text}}."""
    starts, without, beyond = [], {}, {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith(";!"):
            continue
        body = line.lstrip()[2:].strip()
        if match := re.fullmatch(r"start ([\w-]+)", body):
            starts.append(match.group(1))
        elif match := re.fullmatch(r"without ([\w-]+) in (\S+)", body):
            without.setdefault(match.group(2), set()).add(match.group(1).lower())
        elif match := re.fullmatch(r"beyond ([\w-]+): ([A-Z]+-[A-Z]+-\d{3}) +(\S.*)", body):
            rules = beyond.setdefault(match.group(1), {})
            if match.group(2) in rules:
                raise AbnfError(number, f"{match.group(2)} is named twice")
            rules[match.group(2)] = match.group(3)
        else:
            raise AbnfError(number, f"not a directive: {body!r}")
    return starts, without, beyond


class Grammar:
    """A grammar that has been read: rules by lower-case name, for names have no case in ABNF."""

    def __init__(self, text):
        self.rules = {}
        self.core = set()
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"[^\t\x20-\x7E]", line):
                raise AbnfError(number, "a character that ABNF does not know")
        self.starts, self.without, self.beyond = read_directives(text)
        self.read(text)
        for rule in Grammar.core_rules() if text is not CORE else []:
            if rule.name.lower() not in self.rules:
                self.core.add(rule.name.lower())
                self.rules[rule.name.lower()] = rule

    @staticmethod
    def core_rules():
        return list(Grammar(CORE).rules.values())

    def read(self, text):
        reader = Reader(text)
        while reader.pos < len(text):
            if reader.take(r"[ \t]*(?:;[^\n]*)?(?:\r?\n|$)") is not None:
                continue
            rule, is_more = reader.rule()
            known = self.rules.get(rule.name.lower())
            if is_more and known is not None:
                known.node = ("alt", [known.node, rule.node])
                known.comment += " " + rule.comment
            elif is_more:
                raise AbnfError(rule.line, f"{rule.name} =/ adds to a rule that is not there")
            elif known is not None:
                raise AbnfError(rule.line, f"{rule.name} is defined twice, first in line {known.line}")
            else:
                self.rules[rule.name.lower()] = rule

    def rule(self, name):
        return self.rules[name.lower()]

    def references(self, name):
        """The names to which a rule refers."""
        return {node[1].lower() for node in walk(self.rule(name).node) if node[0] == "ref"}

    def reachable(self, name):
        """A rule and all that it needs."""
        return closure(name.lower(), lambda each: self.references(each) & set(self.rules))

    def recursive(self):
        """The rules that contain themselves."""
        known = set(self.rules)
        links = {name: self.references(name) & known for name in known}
        return {name for name in known
                if any(name in closure(other, links.__getitem__) for other in links[name])}

    def nullable(self, without=frozenset()):
        """The rules that derive the empty text."""
        return self.fixpoint(lambda node, found: is_nullable(node, found), without)

    def productive(self):
        """The rules that derive any finite text at all."""
        return self.fixpoint(lambda node, found: is_productive(node, found), frozenset())

    def fixpoint(self, test, without):
        found = set()
        while True:
            more = {name for name, rule in self.rules.items() if name not in without and test(rule.node, found)}
            if more == found:
                return found
            found = more

    def problems(self):
        """What is wrong with the grammar as a whole: (line, sentence), in the order of lines."""
        own = {name: rule for name, rule in self.rules.items() if name not in self.core}
        found = []
        for rule in own.values():
            for node in walk(rule.node):
                if node[0] == "ref" and node[1].lower() not in self.rules:
                    found.append((node[2], f"{node[1]} is not defined"))
                if node[0] == "prose":
                    found.append((node[2], f"<{node[1]}> is prose, which cannot be matched"))
        if found:
            return sorted(found)
        return sorted(self.unused(own) + self.left_recursive(own) + self.unproductive(own) + self.bad_directives())

    def unused(self, own):
        reached = set()
        for start in self.starts:
            if start.lower() in self.rules:
                reached |= self.reachable(start)
        return [(rule.line, f"{rule.name} is not used by any start rule")
                for name, rule in own.items() if name not in reached]

    def left_recursive(self, own):
        nullable = self.nullable()
        found = []
        for name, rule in own.items():
            links = lambda each: left_corner(self.rules[each].node, nullable)
            if any(name in closure(other, links) for other in links(name)):
                found.append((rule.line, f"{rule.name} begins with itself"))
        return found

    def unproductive(self, own):
        productive = self.productive()
        return [(rule.line, f"{rule.name} derives no finite text")
                for name, rule in own.items() if name not in productive]

    def bad_directives(self):
        names = list(self.starts) + list(self.beyond) + [name for each in self.without.values() for name in each]
        found = [(0, f"a directive names {name}, which is no rule")
                 for name in names if name.lower() not in self.rules]
        return found + ([] if self.starts else [(0, "no directive names a start rule")])


def walk(node):
    """All nodes of a tree."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if node[0] in ("alt", "cat"):
            stack.extend(node[1])
        elif node[0] == "rep":
            stack.append(node[3])


def closure(start, links):
    """All that can be reached from `start`, itself included."""
    found, stack = {start}, [start]
    while stack:
        for other in links(stack.pop()):
            if other not in found:
                found.add(other)
                stack.append(other)
    return found


def is_nullable(node, found):
    """Whether a tree derives the empty text, if the rules in `found` do."""
    if node[0] == "alt":
        return any(is_nullable(each, found) for each in node[1])
    if node[0] == "cat":
        return all(is_nullable(each, found) for each in node[1])
    if node[0] == "rep":
        return node[1] == 0 or is_nullable(node[3], found)
    return node[0] == "ref" and node[1].lower() in found


def is_productive(node, found):
    """Whether a tree derives any finite text, if the rules in `found` do."""
    if node[0] == "alt":
        return any(is_productive(each, found) for each in node[1])
    if node[0] == "cat":
        return all(is_productive(each, found) for each in node[1])
    if node[0] == "rep":
        return node[1] == 0 or is_productive(node[3], found)
    return node[0] != "ref" or node[1].lower() in found


def left_corner(node, nullable):
    """The rules with which a derivation from this tree may begin."""
    if node[0] == "alt":
        return set().union(*(left_corner(each, nullable) for each in node[1]))
    if node[0] == "rep":
        return left_corner(node[3], nullable)
    if node[0] == "ref":
        return {node[1].lower()}
    found = set()
    for each in node[1] if node[0] == "cat" else []:
        found |= left_corner(each, nullable)
        if not is_nullable(each, nullable):
            break
    return found


# ---- Matching -------------------------------------------------------------------------------------

class Automaton:
    """The rules as automata without names: a state has jumps, edges with a range of characters, and calls."""

    def __init__(self, grammar, start, without):
        self.grammar = grammar
        self.without = without
        self.jumps, self.edges, self.calls = [], [], []
        self.called = {name for name in grammar.recursive() if name not in without} | {start.lower()}
        self.first, self.last = {}, {}
        for name in sorted(self.called & grammar.reachable(start)):
            self.first[name] = self.state()
            self.last[name] = self.build(grammar.rule(name).node, self.first[name])

    def state(self):
        self.jumps.append([])
        self.edges.append([])
        self.calls.append([])
        return len(self.jumps) - 1

    def build(self, node, state):
        """Adds what a tree derives after `state`; returns the state after it."""
        if node[0] == "cat":
            for each in node[1]:
                state = self.build(each, state)
            return state
        if node[0] == "rep":
            return self.build_repetition(node, state)
        end = self.state()
        if node[0] == "alt":
            for each in node[1]:
                self.jumps[self.build(each, state)].append(end)
        elif node[0] == "range":
            self.edges[state].append((node[1], node[2], end))
        elif node[1].lower() in self.without:
            pass                                          # no way leads to the end
        elif node[1].lower() in self.called:
            self.calls[state].append((node[1].lower(), end))
        else:
            return self.build(self.grammar.rule(node[1]).node, state)
        return end

    def build_repetition(self, node, state):
        _, least, most, body = node
        for _ in range(least):
            state = self.build(body, state)
        end = self.state()
        self.jumps[state].append(end)
        if most is None:
            again = self.state()
            self.jumps[state].append(again)
            self.jumps[self.build(body, again)] += [again, end]
            return end
        for _ in range(most - least):
            state = self.build(body, state)
            self.jumps[state].append(end)
        return end

    def close(self, states):
        """With all states to which they jump."""
        return frozenset().union(*(closure(state, self.jumps.__getitem__) for state in states))


class Matcher:
    """Matches texts against one rule. A thread is a rule that was begun at some position, with the set of states
    in which it stands; sets are numbered, and each step from one to another is computed once. Set 0 is empty."""

    def __init__(self, grammar, start, without=frozenset()):
        self.start = start.lower()
        self.auto = Automaton(grammar, start, frozenset(without))
        self.nullable = grammar.nullable(frozenset(without))
        self.sets, self.numbers = [], {}
        self.is_busy = []                                 # whether a set calls anything or ends a rule
        self.moves, self.unions = {}, {}
        self.calls_of, self.ended = [], []
        self.number(frozenset())
        self.begin = {name: self.number(self.auto.close({state})) for name, state in self.auto.first.items()}
        self.furthest = 0

    def number(self, states):
        """The number of a set of states; what it calls and which rules it ends is found out once."""
        known = self.numbers.get(states)
        if known is not None:
            return known
        number = len(self.sets)
        self.numbers[states] = number
        self.sets.append(states)
        self.ended.append({name for name, last in self.auto.last.items() if last in states})
        self.calls_of.append(None)
        self.is_busy.append(bool(self.ended[number]) or any(self.auto.calls[each] for each in states))
        return number

    def calls(self, number):
        """The calls of a set: (rule, set with which the caller goes on)."""
        if self.calls_of[number] is None:
            found = {call for each in self.sets[number] for call in self.auto.calls[each]}
            found = {(name, self.number(self.auto.close({after}))) for name, after in found}
            self.calls_of[number] = sorted(found)
        return self.calls_of[number]

    def union(self, one, other):
        pair = (one, other)
        if pair not in self.unions:
            self.unions[pair] = self.number(self.sets[one] | self.sets[other])
        return self.unions[pair]

    def move(self, number, code):
        """The set after one character."""
        pair = (number, code)
        if pair not in self.moves:
            states = {state for each in self.sets[number]
                      for low, high, state in self.auto.edges[each] if low <= code <= high}
            self.moves[pair] = self.number(self.auto.close(states))
        return self.moves[pair]

    def settle(self, here, threads, waiting):
        """Calls and returns at one position, until nothing changes. `threads` is {(rule, origin): set}, and
        `waiting[origin][rule]` says who goes on, and with which set, when a rule begun at `origin` ends."""
        agenda = [thread for thread, states in threads.items() if self.is_busy[states]]
        while agenda:
            thread = agenda.pop()
            news = []
            states = threads[thread]
            for name, after in self.calls(states):
                callers = waiting.setdefault(here, {}).setdefault(name, set())
                callers.add((thread, after))
                news.append(((name, here), self.begin[name]))
                if name in self.nullable:
                    news.append((thread, after))
            if thread[1] < here and thread[0] in self.ended[states]:
                news += waiting.get(thread[1], {}).get(thread[0], ())
            for other, more in news:
                before = threads.get(other, 0)
                threads[other] = self.union(before, more)
                if threads[other] != before:
                    agenda.append(other)

    def step(self, threads, code):
        """The threads that one character leaves."""
        moved = {}
        for thread, states in threads.items():
            after = self.moves.get((states, code))
            if after is None:
                after = self.move(states, code)
            if after != 0:
                moved[thread] = after
        return moved

    def ends(self, codes):
        """All positions at which a text that derives from the rule ends, as a sorted list."""
        threads = {(self.start, 0): self.begin[self.start]}
        waiting, found = {}, []
        self.furthest = 0
        for here in range(len(codes) + 1):
            self.furthest = here
            self.settle(here, threads, waiting)
            if self.start in self.ended[threads.get((self.start, 0), 0)]:
                found.append(here)
            if here == len(codes):
                break
            threads = self.step(threads, codes[here])
            if not threads:
                break
        return found

    def matches(self, codes):
        """Whether the whole text derives from the rule."""
        return self.ends(codes)[-1:] == [len(codes)]


def codes_of(text):
    """A text as the numbers that a grammar's terminals are: bytes, or code points."""
    return text if isinstance(text, bytes) else [ord(char) for char in text]


# ---- NPY files ------------------------------------------------------------------------------------

class FrameError(Exception):
    """A file without a header text; the message says why."""


def header_bytes(data):
    """(the version as text, the header's bytes) of an NPY file."""
    if data[:6] != MAGIC:
        raise FrameError("no NPY file")
    version = ".".join(str(byte) for byte in data[6:8])
    size = {"1.0": 2, "2.0": 4, "3.0": 4}.get(version)
    if size is None or len(data) < 8 + size:
        raise FrameError("no prefix of a known version")
    length = int.from_bytes(data[8:8 + size], "little")
    text = data[8 + size:8 + size + length]
    if len(text) < length:
        raise FrameError("the header is cut off")
    return version, text


def header_text(data):
    """(the version, the header as characters) of an NPY file."""
    version, raw = header_bytes(data)
    try:
        return version, raw.decode("utf-8" if version == "3.0" else "latin-1")
    except UnicodeDecodeError:
        raise FrameError("the header is no UTF-8") from None


# ---- The command ----------------------------------------------------------------------------------

def read_as(path, form):
    """(version or None, the text of a file in the form that the command was asked for)."""
    data = Path(path).read_bytes()
    if form == "npy":
        return header_text(data)
    return None, data if form == "bytes" else data.decode(form)


def match_files(grammar, options):
    """One line a file; whether all derive."""
    matchers, good = {}, True
    for path in options.files:
        try:
            version, text = read_as(path, options.form)
        except (OSError, UnicodeDecodeError) as error:
            stop(f"{path}: {error}")
        except FrameError as error:
            print(f"{path}: {error}")
            good = False
            continue
        without = frozenset(options.without) | frozenset(grammar.without.get(version, ()))
        if without not in matchers:
            matchers[without] = Matcher(grammar, options.match, without)
        matcher = matchers[without]
        derives = matcher.matches(codes_of(text))
        good = good and derives
        print(f"{path}: " + ("derives" if derives else f"does not derive: no way on at {matcher.furthest}"))
    return good


def stop(message):
    """Ends with status 2: something could not be read."""
    print(message, file=sys.stderr)
    sys.exit(2)


def load(path):
    """The grammar in a file; ends with status 1 if it is not well-formed."""
    try:
        grammar = Grammar(Path(path).read_text(encoding="utf-8"))
        problems = grammar.problems()
    except (OSError, UnicodeDecodeError) as error:
        stop(f"{path}: {error}")
    except AbnfError as error:
        sys.exit(f"{path}: {error}")
    for line, sentence in problems:
        print(f"{path}:{line}: {sentence}")
    if problems:
        sys.exit(1)
    return grammar


def main():
    parser = argparse.ArgumentParser(description="Checks an ABNF grammar and matches texts against it.")
    parser.add_argument("grammar")
    parser.add_argument("--match", metavar="RULE", help="match FILEs against this rule")
    parser.add_argument("--as", dest="form", choices=("npy", "bytes", "latin-1", "utf-8"), default="npy",
                        help="a FILE is an NPY file, of which the header is matched, or a text (default npy)")
    parser.add_argument("--without", metavar="NAME", action="append", default=[], type=str.lower,
                        help="let this rule derive nothing")
    parser.add_argument("files", metavar="FILE", nargs="*")
    options = parser.parse_intermixed_args()
    if bool(options.match) != bool(options.files):
        parser.error("--match RULE and FILEs go together")
    grammar = load(options.grammar)
    for name in [options.match or grammar.starts[0], *options.without]:
        if name.lower() not in grammar.rules:
            parser.error(f"{name} is no rule of the grammar")
    if options.match:
        sys.exit(0 if match_files(grammar, options) else 1)
    print(f"{options.grammar}: {len(grammar.rules) - len(grammar.core)} rules, well-formed")


if __name__ == "__main__":
    main()
