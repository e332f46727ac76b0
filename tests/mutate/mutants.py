"""Finds the places of a C file where one token, changed, makes another program: a mutant.

Annotations, comments and preprocessor lines are left alone: the contract stays what it was. Each mutant has a key that
does not depend on the lines around its function, so that a result stays good until the function or its contract is
changed.
"""

import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\s+)
      | (?P<char>'(?:\\.|[^'\\\n])+')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d[\w.]*)
      | (?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

# What stands there, and what is put there instead.
RELATIONS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
LOGIC = {"&&": ["||"], "||": ["&&"]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"], "^": ["|"],
              "<<": [">>"], ">>": ["<<"]}
UPDATES = {"+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="], "<<=": [">>="],
           ">>=": ["<<="], "++": ["--"], "--": ["++"]}
WORDS = {"true": ["false"], "false": ["true"], "break": ["continue"], "continue": ["break"]}
BINARY_TOO = {"+", "-", "*", "&"}  # these also stand in front of one operand
KEYWORDS = {"return", "case", "sizeof", "if", "while", "for", "switch", "else", "do"}
STATUS = re.compile(r"^SNPY_STATUS\((SNPY_[A-Z0-9_]+), \d+", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One change: text[start:end] becomes `new`."""

    path: str       # from the root of the tree
    function: str
    line: int
    kind: str       # relation, logic, arithmetic, update, constant, word, statement, condition, status
    start: int
    end: int
    old: str
    new: str
    key: str

    def apply(self, text):
        """The text of the file with this change."""
        assert text[self.start : self.end] == self.old
        return text[: self.start] + self.new + text[self.end :]

    def describe(self):
        """One line for people."""
        old, new = (" ".join(part.split()) or "nothing" for part in (self.old, self.new))
        return f"{self.path}:{self.line}: {self.function}: {self.kind}: {old} -> {new}"


@dataclass
class Token:
    """A token that a compiler sees."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text):
    """The tokens of a file that are neither blank, comment, annotation, string nor directive."""
    return [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


@dataclass
class Function:
    """A function that is defined in a file."""

    name: str
    begin: int   # of its contract, or of its first token if it has none
    body: list   # the tokens between its braces


def functions_of(text):
    """The functions of a file, in order."""
    found, depth, head, body, previous_end = [], 0, [], [], 0
    for token in tokens_of(text):
        if depth == 0:
            if token.text == "{" and head and head[-1].text == ")":
                depth, body = 1, []
            elif token.text in (";", "}"):
                head, previous_end = [], token.end
            elif token.text == "{":
                depth, body = 1, None
            else:
                head.append(token)
            continue
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if depth == 0:
            if body is not None:
                found.append(Function(name_of(head), previous_end, body))
            head, previous_end = [], token.end
        elif body is not None:
            body.append(token)
    return found


def name_of(head):
    """The word in front of the parenthesis that the head of a function ends with."""
    depth = 0
    for i in range(len(head) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(head[i].text, 0)
        if depth == 0:
            return head[i - 1].text
    return ""


def is_binary(before):
    """Whether an operator behind this token has two operands."""
    if before is None:
        return False
    return before.kind in ("number", "char") or before.text in (")", "]") or (
        before.kind == "word" and before.text not in KEYWORDS and not before.text.endswith("_t"))


def next_statuses(text):
    """For each status its successor: an error code that is believable, and wrong."""
    names = STATUS.findall(text)
    return dict(zip(names, names[1:] + names[:1]))


def constants(token):
    """One more and one less than a number or a character; octal numbers are rights of files, and left alone."""
    if token.kind == "char":
        return [f"({token.text} + 1)", f"({token.text} - 1)"]
    number = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0|[1-9]\d*)([uUlL]*)", token.text)
    if not number:
        return []
    value, suffix = int(number[1], 0), number[2]
    return [f"{n}{suffix}" for n in (value + 1, value - 1) if n >= 0]


def token_changes(before, token, statuses):
    """(kind, new texts) for a token by itself."""
    text = token.text
    if token.kind in ("number", "char"):
        return "constant", constants(token)
    if token.kind == "word":
        return ("status", [statuses[text]]) if text in statuses else ("word", WORDS.get(text, []))
    if text == "!":
        return "logic", [""]
    if text in BINARY_TOO and not is_binary(before):
        return "arithmetic", []
    for kind, table in (("relation", RELATIONS), ("logic", LOGIC), ("arithmetic", ARITHMETIC), ("update", UPDATES)):
        if text in table:
            return kind, table[text]
    return "none", []


def statements(body):
    """(first, last) of each statement that can be deleted: an assignment or a call, not a declaration or a return."""
    begin = 0
    for i, token in enumerate(body):
        if token.text in ("{", "}", ":"):
            begin = i + 1
        elif token.text == ")" and i + 1 < len(body) and body[begin].text in ("if", "for", "while", "switch"):
            if closes(body, begin + 1, i):
                begin = i + 1
        elif token.text == "else":
            begin = i + 1
        elif token.text == ";" and body[begin].text not in ("for", "while"):
            if deletable(body[begin : i + 1]):
                yield begin, i
            begin = i + 1


def closes(body, first, last):
    """Whether the parenthesis at `last` closes the one at `first`."""
    depth = 0
    for i in range(first, last + 1):
        depth += {"(": 1, ")": -1}.get(body[i].text, 0)
        if depth == 0:
            return i == last
    return False


def deletable(statement):
    """Whether this is an assignment, an increment or a call, and no declaration."""
    first = statement[0]
    if first.text in ("return", "goto", "case", "default", "break", "continue", ";") or len(statement) < 2:
        return False
    if first.text in ("*", "++", "--"):
        return True
    return first.kind == "word" and (statement[1].kind == "op" and statement[1].text not in ("*", ":"))


def conditions(body):
    """(first, last) of what stands between the parentheses of each `if`."""
    for i, token in enumerate(body):
        if token.text != "if":
            continue
        depth = 0
        for j in range(i + 1, len(body)):
            depth += {"(": 1, ")": -1}.get(body[j].text, 0)
            if depth == 0:
                yield i + 2, j - 1
                break


def changes(text, function, statuses):
    """(kind, start, end, new text) for each mutant of a function."""
    before = None
    for token in function.body:
        kind, news = token_changes(before, token, statuses)
        for new in news:
            yield kind, token.start, token.end, new
        before = token
    for first, last in statements(function.body):
        yield "statement", function.body[first].start, function.body[last].start, ""
    for first, last in conditions(function.body):
        start, end = function.body[first].start, function.body[last].end
        yield "condition", start, end, f"!({text[start:end]})"


def mutants_of(path, text, statuses):
    """Every mutant of a file. Two that are the same program are one."""
    found = {}
    for function in functions_of(text):
        whole = text[function.begin : function.body[-1].end if function.body else function.begin].lstrip()
        begin = text.index(whole, function.begin)
        for kind, start, end, new in changes(text, function, statuses):
            place = start - begin
            key = hashlib.sha256("\0".join([path, whole, str(place), text[start:end], new]).encode()).hexdigest()[:16]
            found[key] = Mutant(path, function.name, text.count("\n", 0, start) + 1, kind, start, end, text[start:end],
                                new, key)
    return list(found.values())
