"""The identity of a function's proof: a hash over everything that its goals depend on.

That is, in the expanded text (expand.py), the function with its contract and annotations, and, followed by name and
transitively, the contracts and prototypes of all functions, the logic, the types, the constants and the tables that it
mentions. Names are compared without regard to scope, so there are rather too many. Text that defines no name belongs to
each function of the file. The machine model, the call of Frama-C with its bounds, and the versions of all tools are hashed too.
"""

import functools
import hashlib
import json
import re
import subprocess
from dataclasses import dataclass, field

import expand
import recursion

TOOLS = (("Frama-C", ["frama-c", "-version"], r".+"), ("Why3", ["why3", "--version"], r"\d+\.\d[\w.]*"),
         ("CVC4", ["cvc4", "--version"], r"\d+\.\d[\w.]*"), ("Z3", ["z3", "--version"], r"\d+\.\d[\w.]*"))
TOKEN = re.compile(r"""(?P<annotation>SNPY_BEGIN_(?P<number>\d+)\b(?P<body>.*?)\bSNPY_END_(?P=number)\b)
      | (?P<directive>^[ \t]*\#[^\n]*) | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z_]\w*) | (?P<number_>\d[\w.]*) | (?P<punct>[^\s\w])""", re.VERBOSE | re.DOTALL | re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
GLOBAL = re.compile(r"\s*(?:logic|predicate|lemma|axiomatic|axiom|type|inductive|ghost(?!\s*\()|global|volatile|model|import|check|admit)\b")
GHOST = re.compile(r"\bstatic\s+\w+\s+(\w+)\s*\(")
# An enumeration in which each constant has a value of its own. To Frama-C a constant is that number, and a variable of the
# type any number of unsigned int: the goals do not depend on constants that nothing names (tests/proofs compares them).
ENUMERATION = re.compile(r"(?P<head>(?:typedef )?enum(?: \w+)?) \{ (?P<constants>\w+ = \d+(?: , \w+ = \d+)*)(?: ,)? \} (?P<tail>(?:\w+ )?;)")
C_WORDS = set("auto break case char const continue default do double else enum extern float for goto if inline int long register "
              "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool "
              "__attribute__ __inline __inline__ __restrict __extension__ _Static_assert".split())


@dataclass
class Item:
    """A declaration, definition or annotation outside of all braces."""

    text: str
    names: set
    head: str = ""  # of a function with a body: all but this
    words: set = field(default_factory=set)  # of the text that others see
    all_words: set = field(default_factory=set)

    def __post_init__(self):
        self.all_words = set(WORD.findall(self.text))
        self.words = set(WORD.findall(self.head)) if self.head else self.all_words


@functools.lru_cache(maxsize=1)
def versions():
    """The versions of the tools: {name: version}."""
    found = {}
    for name, call, pattern in TOOLS:
        try:
            said = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
        except OSError:
            said = ""
        match = re.search(pattern, said)
        found[name] = match.group().strip() if match else "?"
    return found


def blank(text):
    return " ".join(text.split())


def annotation_items(body):
    """An annotation outside of functions: one item for each logic definition."""
    if re.match(r"\s*ghost\b", body):
        return [Item(blank(body), set(GHOST.findall(re.sub(r"/@.*?@/", " ", body, flags=re.DOTALL))))]
    starts = [match.start() for match in recursion.KEYWORD.finditer(body)]
    items = [Item(blank(body[:starts[0]]), set())] if starts and body[:starts[0]].strip() else []
    for start, end in zip(starts, [*starts[1:], len(body)]):
        match = re.match(r"(?:logic\s+[\w\s*]*?[\s*]|predicate\s+|type\s+)(\w+)\s*(?=[({=;]|$|reads)", body[start:end])
        items.append(Item(blank(body[start:end]), {match.group(1)} if match else set()))
    return items or [Item(blank(body), set())]


def declared(tokens):
    """The names that a statement outside of braces gives to things; none if it cannot be told."""
    depth, outside, inside, calls, has_comma, value = 0, [], [], [], False, False
    for (kind, token), (_, following) in zip(tokens, [*tokens[1:], ("", "")]):
        if kind in ("annotation", "string"):
            continue
        value = value or token == "=" and depth == 0
        if kind == "word" and token not in C_WORDS:
            (inside if depth else outside).append(token)
            if depth == 0 and following == "(" and not value:
                calls.append(token)
        has_comma = has_comma or token == "," and depth == 0
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token, 0)
        if value and depth == 0 and token == "=":
            break
    words = [token for _, token in tokens]
    if "enum" in words:
        return {*outside, *inside}
    if "typedef" in words and "(" in words or has_comma:
        return {*outside, *inside}
    if calls and "typedef" not in words:
        return {calls[0]}
    if "struct" in words or "union" in words:
        return set(outside)
    return {outside[-1]} if outside else set()


def enumeration_items(text, names):
    """The type, and each constant by itself, so that a new constant changes only the hashes of what names it; None if the text
    is not such an enumeration."""
    match = ENUMERATION.fullmatch(text)
    constants = dict(re.findall(r"(\w+) = (\d+)", match.group("constants"))) if match else {}
    if not constants or max(map(int, constants.values())) >= 2**31:  # the type of the enumeration would be another
        return None
    return [Item(f"{match.group('head')} {match.group('tail')}", names - set(constants)),
            *(Item(f"{name} = {value}", {name}) for name, value in constants.items())]


def items_of(code):
    """Everything outside braces, in order."""
    items, statement, depth, is_function, head = [], [], 0, False, ""

    def end():
        nonlocal statement, head
        text = " ".join(token for _, token in statement)
        if text.strip("; "):
            names = declared(statement)
            items.extend(enumeration_items(text, names) or [Item(text, names, head)])
        statement, head = [], ""

    for match in TOKEN.finditer(code):
        kind, token = match.lastgroup, match.group()
        if match.group("annotation") is not None:
            kind, token = "annotation", f"/*@ {blank(match.group('body'))} */"
            if depth == 0 and GLOBAL.match(match.group("body")):
                items += annotation_items(match.group("body"))
                continue
        elif kind == "directive":
            items.append(Item(blank(token), set()))
            continue
        if depth == 0 and token == "{":
            previous = [one for sort, one in statement if sort != "annotation"]
            is_function = bool(previous) and previous[-1] == ")" and previous[0] not in ("typedef", "enum")
            if is_function:
                head = " ".join(one for _, one in statement)
        statement.append((kind, token))
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(token, 0) if kind == "punct" else 0
        if depth == 0 and (token == ";" or token == "}" and is_function):
            end()
            is_function = False
    end()
    return items


class Closure:
    """Which items of an expanded file the proof of a function depends on."""

    def __init__(self, text):
        self.whole = text.code
        self.items = items_of(text.code)
        self.by_name, self.always = {}, set()
        for number, item in enumerate(self.items):
            for name in item.names:
                self.by_name.setdefault(name, set()).add(number)
            if not item.names:
                self.always.add(number)

    def of(self, function):
        """The text that the proof of a function depends on."""
        own = self.by_name.get(function, set())
        if not any(self.items[number].head or "ghost" in self.items[number].words for number in own):
            return self.whole
        found, todo = set(), set(own) | self.always
        while todo:
            number = todo.pop()
            found.add(number)
            item = self.items[number]
            for word in item.all_words if number in own else item.words:
                todo |= self.by_name.get(word, set()) - found
        return "\n".join(self.items[n].text if n in own else self.items[n].head or self.items[n].text for n in sorted(found))


class Contents:
    """The hashes of all functions of a tree."""

    def __init__(self, root, options):
        self.root, self.options = root, options  # options: what Frama-C is called with, for a function and a model
        self.texts, self.closures, self.hashes = {}, {}, {}

    def text(self, path, machine):
        if (path, machine) not in self.texts:
            self.texts[path, machine] = expand.expand(self.root, path, machine)
        return self.texts[path, machine]

    def hash(self, path, function, machines):
        """What stands for the proof of a function under some machine models."""
        machines = tuple(sorted(machines))
        if (path, function, machines) not in self.hashes:
            self.hashes[path, function, machines] = self.compute(path, function, machines)
        return self.hashes[path, function, machines]

    def compute(self, path, function, machines):
        digest = hashlib.sha256(json.dumps(versions(), sort_keys=True).encode())
        for machine in machines:
            key = (path, machine)
            if key not in self.closures:
                self.closures[key] = Closure(self.text(*key))
            said = json.dumps([machine, function, self.options(path, function, machine)])
            digest.update(f"\0{said}\0{self.closures[key].of(function)}".encode())
        return digest.hexdigest()[:32]
