"""Which C file of a room uses what which other defines, read from the sources."""

import re

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
# What begins at the left margin and is followed by a body or a value: a function or a variable that others may use.
FUNCTION = re.compile(r"^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
OWN = re.compile(r"^static\b[\w \t*]*?\b(\w+)\(", re.MULTILINE)
VARIABLE = re.compile(r"^(?!static\b|typedef\b|extern\b|struct \w+;|return\b)[A-Za-z_][\w \t*]*?\b(\w+)(?:\[[^\]\n]*\])*\s*(?:=|;)",
                      re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
BODY = re.compile(r"^\{$.*?^\}$", re.MULTILINE | re.DOTALL)


def includes(path):
    """The headers that a file includes, as written."""
    return INCLUDE.findall(COMMENT.sub(" ", path.read_text()))


def code(path):
    """The text of a file without comments, strings and the lines of the preprocessor."""
    text = COMMENT.sub(" ", path.read_text())
    return STRING.sub('""', DIRECTIVE.sub("", text))


def definitions(path):
    text = code(path)
    return set(FUNCTION.findall(text)) | set(VARIABLE.findall(text))


def bodies(path, seen):
    """The functions in the headers of the same room that a file includes: they are part of it."""
    text = ""
    for name in includes(path):
        header = path.parent / name.rsplit("/", maxsplit=1)[-1]
        if header.exists() and header not in seen:
            seen.add(header)
            text += "".join(BODY.findall(code(header))) + bodies(header, seen)
    return text


def uses(room):
    """{file: {other file: names that it uses of the other}} of the C files right in a directory."""
    paths = sorted(room.glob("*.c"))
    texts = {path.name: code(path) for path in paths}
    words = {path.name: set(WORD.findall(texts[path.name] + bodies(path, set()))) - set(OWN.findall(texts[path.name])) for path in paths}
    defined = {path.name: definitions(path) for path in paths}
    return {name: {other: words[name] & defined[other] - defined[name] for other in defined
                   if other != name and words[name] & defined[other] - defined[name]} for name in words}


def circles(graph):
    """The sets of files of which each reaches every other (Tarjan's strong components of more than one file)."""
    number, low, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            circle = [stack.pop()]
            while circle[-1] != name:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in graph:
        if name not in number:
            visit(name)
    return found
