"""Random texts: derivations from a grammar, and texts with a few faults."""

DEEP = 400                     # steps after which a derivation takes the shortest way
SCRAPS = ["'", '"', "(", ")", "[", "]", "{", "}", ",", ", ", ":", " ", "\t", "\n", "\f", "\v", "\0", "\x7f",
          "\xa0", "\\", "\\x41", "\\u0041", "\\ud800", "\\U0010ffff", "\\U00110000", "\\101", "0", "1", "2", "9",
          "00", "-", "+", "L", "l", "u", "r", "b", "True", "False", "None", "()", "(1,)", "(3)", "(2, 3)", "'a'",
          "''", "'<f8'",
          "'|V3'", "'V3'", "'=V3'", "<", ">", "|", "=", "O", "O4", "S", "S0", "U536870911", "U536870912",
          "S2147483647", "S2147483648", "M8[ns]", "[5s]", "[1s]", "[0s]", "[s/2]", "f16", "f12", "c32", "#",
          "\\\n",
          "('a', '<i4')", "('', '|V2')", "('', '<i4', (2,))", "(('t', 'n'), '|u1')", "('a', ('<f8', (2,)), (3,))",
          "[('a', '<f8')]", "[]", "'descr'", "'shape'", "'fortran_order'", "é", "整"]


def least_steps(grammar):
    """For each rule the number of rules that its shortest derivation takes."""
    steps = {}
    while True:
        more = {name: 1 + cost(rule.node, steps) for name, rule in grammar.rules.items()}
        if more == steps:
            return steps
        steps = more


def cost(node, steps):
    """Likewise for a tree; infinite while nothing is known."""
    if node[0] == "alt":
        return min(cost(each, steps) for each in node[1])
    if node[0] == "cat":
        return sum(cost(each, steps) for each in node[1])
    if node[0] == "rep":
        return node[1] * cost(node[3], steps) if node[1] else 0
    return steps.get(node[1].lower(), float("inf")) if node[0] == "ref" else 0


class Deriver:
    """Derives random texts from a grammar."""

    def __init__(self, grammar, random):
        self.grammar = grammar
        self.random = random
        self.steps = least_steps(grammar)

    def text(self, name, without=()):
        """A text that derives from a rule; `without` names rules that derive nothing."""
        stack, out, done = [("ref", name, 0)], [], 0
        while stack:
            node = stack.pop()
            done += 1
            if node[0] == "ref":
                stack.append(self.grammar.rule(node[1]).node)
            elif node[0] == "cat":
                stack += reversed(node[1])
            elif node[0] == "alt":
                stack.append(self.choose(node[1], done > DEEP))
            elif node[0] == "rep":
                stack += [node[3]] * self.times(node, done > DEEP, without)
            else:
                out.append(chr(self.character(node[1], node[2])))
        return "".join(out)

    def choose(self, parts, is_deep):
        if not is_deep:
            return self.random.choice(parts)
        least = min(cost(part, self.steps) for part in parts)
        return self.random.choice([part for part in parts if cost(part, self.steps) == least])

    def times(self, node, is_deep, without):
        _, least, most, body = node
        if is_deep or (body[0] == "ref" and body[1].lower() in without):
            return least
        high = least + 3 if most is None else most
        return self.random.choice((least, min(high, least + 1), self.random.randint(least, high)))

    def character(self, low, high):
        """Mostly one of the first few of a range, and its ends."""
        few = min(high, low + 60)
        return self.random.choice((low, high, self.random.randint(low, few), self.random.randint(low, high)))


def spoil(text, random):
    """A text with one to three scraps put in, taken out or exchanged."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randint(0, min(len(text), 160))
        to = min(len(text), at + random.choice((0, 0, 1, 1, 2, 4)))
        text = text[:at] + random.choice(SCRAPS + ["", "", ""]) + text[to:]
    return text
