"""Recursive logic functions: whether each is a definition.

`logic integer bad(integer n) = bad(n) + 1;` contradicts itself, and Frama-C accepts it. So a line above each logic
function that calls itself gives the reason why its equation has a solution:

    // decreases n - k      an expression of its integer parameters that each call makes smaller, and that the conditions
                            on the way to the call bound from below
    // tail call            the value is that of the call: such an equation has a solution whatever its conditions are

The argument is checked from the text: linear terms, conditions on them, and division by a number. A note
without recursion is a fault, and so is recursion through a second function.
"""

import re

NOTE = re.compile(r"//\s*(?:decreases\s+(?P<measure>[^\n]*?)|(?P<tail>tail call))\s*$", re.MULTILINE)
HEAD = re.compile(r"\b(?:logic\s+(?P<type>[\w\s*]*?[\s*])|predicate\s+)(?P<name>\w+)\s*(?:\{[^}]*\}\s*)?"
                  r"(?:\((?P<parameters>[^)]*)\))?\s*=(?!=)")
KEYWORD = re.compile(r"\b(?:logic|predicate|lemma|axiom|axiomatic|type|inductive|ghost)\b")
TOKEN = re.compile(r"""\s*(\\?[A-Za-z_]\w*|\d\w*|'(?:\\.|[^'\\])+'|"(?:\\.|[^"\\])*"|<==>|==>|<<|>>|&&|\|\||\^\^|==|!=|<=|>="""
                   r"""|->|\.\.|[-+*/%<>=!~&|^?:;,.()\[\]{}])""")
LEVELS = [["<==>"], ["==>"], ["||"], ["^^"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "<", "<=", ">", ">="], ["<<", ">>"],
          ["+", "-"], ["*", "/", "%"]]
COMPARISONS = LEVELS[8]


class Unreadable(Exception):
    """An expression that this module does not know."""


class Parser:
    """Reads an expression of ACSL into tuples: (operator, operand, ...), ("name", x), ("number", n), ("call", f, args)."""

    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Unreadable(text[at:at + 20])
            self.tokens.append(match.group(1))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self, wanted=None):
        token = self.peek()
        if wanted and token != wanted or not token:
            raise Unreadable(f"{token!r} instead of {wanted!r}")
        self.at += 1
        return token

    def whole(self):
        tree = self.expression()
        if self.peek():
            raise Unreadable(self.peek())
        return tree

    def expression(self):
        if self.peek() == "\\let":
            self.next()
            name = self.next()
            self.next("=")
            value = self.expression()
            self.next(";")
            return ("let", name, value, self.expression())
        if self.peek() in ("\\forall", "\\exists"):
            self.next()
            bound = []
            while self.peek() != ";":
                bound.append(self.next())
            self.next(";")
            return ("binder", bound, self.expression())
        condition = self.level(0)
        if self.peek() != "?":
            return condition
        self.next()
        yes = self.expression()
        self.next(":")
        return ("?", condition, yes, self.expression())

    def level(self, n):
        if n == len(LEVELS):
            return self.unary()
        left = self.level(n + 1)
        if LEVELS[n] == COMPARISONS:
            links, first = [], left
            while self.peek() in COMPARISONS:
                operator, right = self.next(), self.level(n + 1)
                links.append((operator, first, right))
                first = right
            return links[0] if len(links) == 1 else ("and", *links) if links else left
        while self.peek() in LEVELS[n]:
            operator = self.next()
            # the right side of these may be a conditional or a binder, and implications associate to the right
            loose = self.peek() in ("\\let", "\\forall", "\\exists")
            right = self.expression() if loose else self.level(n if operator == "==>" else n + 1)
            left = (operator, left, right)
        return left

    def unary(self):
        if self.peek() in ("-", "!", "~", "*", "&", "+"):
            operator = self.next()
            return ("unary" + operator, self.unary())
        if self.peek() == "(":
            cast = re.fullmatch(r"\((?:(?:u?int\d+_t|size_t|integer|unsigned|signed|char|int|long) ?)+\** ?\)",
                                " ".join(self.tokens[self.at:self.at + 3]).replace("( ", "(").replace(" )", ")"))
            if cast:
                self.at += 3
                return ("cast", self.unary())
        return self.postfix()

    def postfix(self):
        token = self.next()
        if token == "(":
            tree = self.expression()
            self.next(")")
        elif re.fullmatch(r"\d+[uUlL]*", token):
            tree = ("number", int(token.rstrip("uUlL")))
        elif re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", token):
            tree = ("number", int(token.rstrip("uUlL"), 16))
        elif re.match(r"\\?[A-Za-z_]|'|\"", token):
            tree = ("name", token)
        else:
            raise Unreadable(token)
        while self.peek() in ("(", "[", ".", "->", "{"):
            operator = self.next()
            if operator in (".", "->"):
                tree = ("member", tree, self.next())
            elif operator == "{":
                while self.next() != "}":
                    pass
            else:
                items = []
                while self.peek() not in (")", "]"):
                    items.append(self.expression())
                    if self.peek() in (",", ".."):
                        self.next()
                self.next()
                tree = ("call", tree[1], items) if operator == "(" and tree[0] == "name" else ("index", tree, *items)
        return tree


def linear(tree):
    """An expression as a sum: {term: factor}, the number under the term 1. What is not linear is a term of its own."""
    operator = tree[0]
    if operator == "number":
        return {1: tree[1]}
    if operator in ("+", "-"):
        return plus(linear(tree[1]), linear(tree[2]), 1 if operator == "+" else -1)
    if operator == "unary-":
        return plus({}, linear(tree[1]), -1)
    if operator == "*" and "number" in (tree[1][0], tree[2][0]):
        factor, rest = (tree[1], tree[2]) if tree[1][0] == "number" else (tree[2], tree[1])
        return plus({}, linear(rest), factor[1])
    return {tree[1] if operator == "name" else repr(tree): 1}


def plus(left, right, factor=1):
    total = dict(left)
    for term, number in right.items():
        total[term] = total.get(term, 0) + factor * number
    return {term: number for term, number in total.items() if number}


def constant(total):
    """The number that a sum is, or None if it has other terms."""
    return total.get(1, 0) if set(total) <= {1} else None


def facts(tree, holds):
    """Sums that are 1 or more if a condition holds, or if it does not."""
    operator = tree[0]
    if operator == "unary!":
        return facts(tree[1], not holds)
    if operator in ("&&", "and") and holds or operator == "||" and not holds:
        return [fact for part in tree[1:] for fact in facts(part, holds)]
    if operator not in COMPARISONS:
        return []
    if not holds:
        operator = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}[operator]
    up = plus(linear(tree[2]), linear(tree[1]), -1)
    down = plus({}, up, -1)
    return {"<": [up], "<=": [plus(up, {1: 1})], ">": [down], ">=": [plus(down, {1: 1})],
            "==": [plus(up, {1: 1}), plus(down, {1: 1})], "!=": []}[operator]


def calls(tree, name, known=(), last=True):
    """Each call of a function in a tree: (arguments, what is known where it stands, whether its value is the whole's)."""
    operator = tree[0]
    if operator == "call":
        if tree[1] == name:
            yield tree[2], list(known), last
        for item in tree[2]:
            yield from calls(item, name, known, False)
    elif operator == "?":
        yield from calls(tree[1], name, known, False)
        yield from calls(tree[2], name, [*known, *facts(tree[1], True)], last)
        yield from calls(tree[3], name, [*known, *facts(tree[1], False)], last)
    elif operator in ("&&", "||", "==>"):
        yield from calls(tree[1], name, known, False)
        yield from calls(tree[2], name, [*known, *facts(tree[1], operator != "||")], last)
    elif operator == "let":
        yield from calls(tree[2], name, known, False)
        yield from calls(tree[3], name, known, last)
    else:
        for part in tree[1:]:
            if isinstance(part, tuple):
                yield from calls(part, name, known, False)


def hidden(tree, parameters):
    """Names of parameters that a \\let or a quantifier inside gives another meaning."""
    found = set()
    if tree[0] == "let":
        found |= {tree[1]} & parameters
    if tree[0] == "binder":
        found |= set(tree[1]) & parameters
    for part in tree[1:]:
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, tuple):
                found |= hidden(one, parameters)
    return found


def decreases(measure, parameters, arguments, known):
    """Whether a call makes the measure smaller, and whether it is bounded where the call stands."""
    given = dict(zip(parameters, arguments))
    if len(given) != len(arguments):
        return False
    after = {1: measure.get(1, 0)}
    for term, factor in measure.items():
        if term != 1:
            after = plus(after, linear(given[term]), factor)
    step = plus(measure, after, -1)
    bounds = [constant(plus(measure, fact, -1)) for fact in known]
    if all(bound is None for bound in bounds):
        return False
    smaller = [constant(step), *(None if rest is None else rest + 1
                                 for rest in (constant(plus(step, fact, -1)) for fact in known))]
    if any(number is not None and number >= 1 for number in smaller):
        return True
    # n / 10 is less than n where n is 1 or more
    if len(measure) == 1 and constant(measure) is None and set(measure.values()) == {1}:
        (parameter,) = measure
        tree = given[parameter]
        is_share = tree[0] == "/" and tree[1] == ("name", parameter) and tree[2][0] == "number" and tree[2][1] >= 2
        return is_share and any(bound is not None and bound >= 0 for bound in bounds)
    return False


def definitions(body):
    """The logic functions and predicates that an annotation defines: (name, parameters with types, text of the value)."""
    starts = [match.start() for match in KEYWORD.finditer(body)] + [len(body)]
    for start, end in zip(starts, starts[1:]):
        match = HEAD.match(body[start:end])
        if match:
            parameters = {}
            for parameter in (match.group("parameters") or "").split(","):
                words = re.findall(r"\w+", parameter)
                if words:
                    parameters[words[-1]] = "integer" if words[:-1] == ["integer"] and "*" not in parameter else "other"
            yield match.group("name"), parameters, body[start + match.end():end].rstrip().rstrip("}").rstrip().removesuffix(";")


def notes(annotation):
    """What the comments of an annotation say of the logic functions below them: {name: note}."""
    found = {}
    for match in NOTE.finditer(annotation):
        below = HEAD.match(annotation[match.end():].lstrip())
        found[below.group("name") if below else f"no function ({match.group().strip()})"] = match.group("measure") or "tail call"
    return found


def why_not(name, parameters, text, note):
    """What is wrong with the note of a recursive function, or None."""
    try:
        tree = Parser(text).whole()
        if hidden(tree, set(parameters)):
            return "a name inside hides a parameter"
        found = list(calls(tree, name))
        if len(found) != len(re.findall(rf"\b{name}\b", text)):
            return "not each mention of it is a call that can be checked"
        if note == "tail call":
            return None if all(last for _, _, last in found) else "a call is not the whole value"
        measure = linear(Parser(note).whole())
    except Unreadable as error:
        return f"cannot be read at {error}"
    strange = [term for term in measure if term != 1 and parameters.get(term) != "integer"]
    if strange:
        return f"`{strange[0]}` is no integer parameter"
    for arguments, known, _ in found:
        if not decreases(measure, parameters, arguments, known):
            return f"a call does not make `{note}` smaller, or nothing bounds it there"
    return None


def mentioned(text, names):
    """The logic functions that a definition mentions, as (name, number of arguments); all of a name where in doubt."""
    words = set(re.findall(r"\w+", text))
    everything = {key for key in names if key[0] in words}
    try:
        todo, found = [Parser(text).whole()], set()
    except Unreadable:
        return everything
    while todo:
        tree = todo.pop()
        if tree[0] == "call":
            found.add((tree[1], len(tree[2])))
        elif tree[0] == "name":
            found.add((tree[1], 0))
        todo += [one for part in tree[1:] for one in (part if isinstance(part, list) else [part]) if isinstance(one, tuple)]
    return everything & found


def check(annotations):
    """Faults of the recursive logic functions of one file and all that it includes, and their list: {note: {names}}.

    annotations: (file, line, text with comments, text without comments and with macros expanded)
    """
    faults, listed, defined, said = [], {}, {}, {}
    for file, line, raw, body in annotations:
        for name, note in notes(raw).items():
            said[file, name] = (line, note)
        for name, parameters, text in definitions(body):
            defined.setdefault((name, len(parameters)), []).append((file, line, parameters, text))
    mentions = {key: set().union(*(mentioned(text, defined) for *_, text in several)) for key, several in defined.items()}

    def reached(key):
        found, todo = set(), [key]
        while todo:
            new = mentions[todo.pop()] - found
            found |= new
            todo += new
        return found

    recursive = set()
    for key, several in sorted(defined.items()):
        if key not in reached(key):
            continue
        name = key[0]
        for file, line, parameters, text in several:
            where = f"{file}:{line}"
            recursive.add((file, name))
            if key not in mentions[key] or any(key in reached(other) for other in mentions[key] - {key}):
                faults.append(f"{where}: {name} is recursive through another logic function, which cannot be checked")
            elif (file, name) not in said:
                faults.append(f"{where}: the logic function {name} calls itself and does not say what decreases")
            else:
                note = said[file, name][1]
                wrong = why_not(name, parameters, text, note)
                if wrong:
                    faults.append(f"{where}: {name} says `{note}`, but {wrong}")
                listed.setdefault(note, set()).add(name)
    for (file, name), (line, note) in sorted(said.items()):
        if (file, name) not in recursive:
            faults.append(f"{file}:{line}: `{note}` stands above {name}, which does not call itself")
    return faults, listed
