"""Checks of the text of the core, before any prover runs.

Finds the functions that must be proved and the ways in which a text can look proved without being so:
a contract that is missing or has a hole, a loop without variant, an assumption among the annotations,
code that only the prover sees, a contract that is believed but belongs to no proved function.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import content  # noqa: E402
import expand  # noqa: E402
import recursion  # noqa: E402

# Annotations that are believed without proof, or that switch a proof off.
FORBIDDEN = [
    (r"\badmit\b", "admit"),
    (r"\\assume\b", "\\assume"),
    (r"\bassumes\b", "assumes"),
    (r"\blemma\b", "lemma"),
    (r"\baxiom\b", "axiom"),
    (r"\b(?:global|type)\s+invariant\b", "an invariant of all code"),
    (r"\binductive\b", "inductive"),
    (r"\bvolatile\b", "volatile"),
    (r"\bcalls\b", "calls"),
]
# Code that differs between compiler and prover.
FORBIDDEN_CODE = [
    (r"\b__FRAMAC__\b", "__FRAMAC__"),
    (r"\b_?_?(asm|__asm__)\b", "assembler"),
    (r"\b_Pragma\b", "a pragma"),
    (r"\b(setjmp|longjmp|alloca|malloc|calloc|realloc|free)\b", "a call that the core may not make"),
]
INCLUDES = re.compile(r"""^(?:<(?:stdbool|stddef|stdint|limits)\.h>|"(?:safenpy|core|spec/logic)/[a-z_0-9/]+\.h")$""")

TOKEN = re.compile(
    r"""(?P<annotation>/\*@.*?\*/|//@[^\n]*)
      | (?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<punct>[^\s\w])
      | (?P<number>\d\w*)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
# Ways to write a word so that a reader of the text does not see it.
DISGUISES = [(r"\?\?[=/'()!<>-]", "a trigraph"), (r"%:|<%|%>|<:|:>", "a digraph"), (r"\\[ \t\f\v]+\n", "a blank behind a backslash")]
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "case", "default", "goto"}


@dataclass
class Function:
    name: str
    path: Path
    line: int
    is_static: bool
    is_definition: bool
    contract: str = ""
    end: int = 0  # the line of the closing brace; of a ghost function, its own


@dataclass
class Source:
    path: Path
    functions: list = field(default_factory=list)
    includes: list = field(default_factory=list)
    calls: set = field(default_factory=set)
    faults: list = field(default_factory=list)

    def defined(self):
        return [f for f in self.functions if f.is_definition]


def clauses_of(annotation):
    """The text of an annotation without its own comments and strings' contents."""
    return expand.INSIDE.sub(lambda m: m.group() if m.group("builtin") else '""' if m.group("string") else " ", annotation[3:])


def read(path, root):
    """Reads one file of the core or one public header."""
    text = path.read_text(encoding="utf-8")
    source = Source(path)
    where = path.relative_to(root)

    def fault(line, what):
        source.faults.append(f"{where}:{line}: {what}")

    for pattern, name in DISGUISES:
        for match in re.finditer(pattern, text):
            fault(text.count("\n", 0, match.start()) + 1, name)
    depth = parens = 0
    statement = []  # the tokens of the declaration at hand, outside braces
    pending = []  # annotations since the last statement
    previous = None  # the last token inside a function body: an annotation, or not
    do_depths, skip_while = [], False
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        line = text.count("\n", 0, match.start()) + 1
        if kind in ("comment", "string", "number"):
            if kind != "comment":
                previous = None
            if kind == "string" and depth == 0 and not token.startswith('"C"'):
                statement.append((kind, token, line))
            continue
        if kind == "annotation":
            body = clauses_of(token)
            for pattern, name in FORBIDDEN:
                if re.search(pattern, body):
                    fault(line, f"{name} in an annotation")
            if re.search(r"\\\s*\n", token) or token.startswith("//") and token.endswith("\\"):
                fault(line, "an annotation with a continued line")
            if "#" in body:
                fault(line, "a # in an annotation")
            if re.search(r"\bghost\b", body):
                loops = len(re.findall(r"\b(?:for|while)\b", body))
                if loops > len(re.findall(r"\bloop\s+variant\b", body)):
                    fault(line, "a ghost loop without a variant")
                if depth == 0:
                    source.functions += ghost_functions(body, path, line)
            pending.append(body)
            previous = ("annotation", body)
            continue
        if kind == "directive":
            if re.search(r"\b(?:pragma|if.*__FRAMAC__|ifn?def\s+__FRAMAC__)\b", token):
                fault(line, "a pragma or a condition on the prover")
            for pattern, name in FORBIDDEN + FORBIDDEN_CODE + [("##", "##")]:
                if re.search(pattern, token):
                    fault(line, f"{name} in a preprocessor line")
            include = re.match(r"\s*#\s*include\s+(\S+)", token)
            if include:
                source.includes.append((include.group(1), line))
            continue
        for pattern, name in FORBIDDEN_CODE:
            if kind == "word" and re.fullmatch(pattern, token):
                fault(line, f"{name} in the code")

        if depth == 0:
            if token == "{" and parens == 0:
                function = declared(statement, path, True, pending)
                if function:
                    source.functions.append(function)
                if function or not is_linkage(statement):
                    depth = 1
                statement, pending, previous = [], [], None
            elif token == "}" and parens == 0:
                statement, pending = [], []  # the end of extern "C"
            elif token == ";" and parens == 0:
                function = declared(statement, path, False, pending)
                if function:
                    source.functions.append(function)
                statement, pending = [], []
            else:
                parens += {"(": 1, ")": -1}.get(token, 0)
                statement.append((kind, token, line))
            continue

        # Inside braces.
        if token in ("for", "while", "do"):
            if token == "while" and skip_while:
                skip_while = False
            else:
                clauses = previous[1] if previous else ""
                if not re.search(r"\bloop\s+variant\b", clauses):
                    fault(line, "a loop without a variant")
                if not re.search(r"\bloop\s+assigns\b", clauses):
                    fault(line, "a loop without loop assigns")
                if token == "do":
                    do_depths.append(depth)
        elif token == "goto":
            fault(line, "a goto, which can hide a loop")
        if kind == "word" and token not in KEYWORDS and text[match.end() :].lstrip()[:1] == "(":
            source.calls.add(token)
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if do_depths and do_depths[-1] == depth:
                do_depths.pop()
                skip_while = True
            if depth == 0:
                pending = []
                if source.functions:
                    source.functions[-1].end = line
        previous = None
    if depth != 0 or parens != 0:
        fault(1, "the braces of this file do not match")
    return source


def ghost_functions(body, path, line):
    """The functions that a ghost annotation defines: lemmas, to be proved like all others."""
    code = re.sub(r"/@.*?@/", lambda m: "" if "requires" not in m.group() else " ", body, flags=re.DOTALL)
    names = re.findall(r"\bstatic\s+\w+\s+(\w+)\s*\(", code)
    return [Function(name, path, line, True, True, body, line) for name in names]


def is_linkage(statement):
    words = [token for _, token, _ in statement]
    return words == ["extern"]  # extern "C" {


def declared(statement, path, is_definition, pending):
    """The function that a statement outside braces declares or defines, if it does."""
    words = [token for _, token, _ in statement]
    if not words or words[0] in ("typedef", "struct", "enum", "union") and "(" not in words or "=" in words:
        return None
    if words[0] == "typedef":
        return None
    depth = 0  # of parentheses: what an attribute takes looks like a function
    for i, (kind, token, line) in enumerate(statement):
        depth += {"(": 1, ")": -1}.get(token, 0)
        is_name = kind == "word" and depth == 0 and token != "__attribute__"
        if is_name and i > 0 and i + 1 < len(words) and words[i + 1] == "(":
            return Function(token, path, line, "static" in words[:i], is_definition, "\n".join(pending))
    return None


def reached(root, core):
    """The public headers that the core includes, directly or through one another. The others (array.h, double.h) are
    for hosts: they need the C library, and no function of the core sees them."""
    found, todo = set(), list(core)
    while todo:
        text = todo.pop().read_text(encoding="utf-8")
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]+"(safenpy/[^"]+)"', text, re.MULTILINE):
            header = root / "include" / name
            if header.exists() and header not in found:
                found.add(header)
                todo.append(header)
    return sorted(found)


def files(root):
    """The files of the core and of the theorems, the public headers that these reach, and the logic."""
    core = sorted((root / "src" / "core").rglob("*.[ch]")) + sorted((root / "proofs" / "theorems").glob("*.[ch]"))
    return core, reached(root, core), sorted((root / "spec" / "logic").glob("*.h"))


def audit(root, core, public, logic=()):
    """Reads the core and the public headers; returns (sources by path, faults).

    core    the files of src/core and proofs/theorems, .c and .h
    public  the headers of include/ that the core reaches
    logic   the headers of spec/logic: definitions for the provers, no code
    """
    sources = {path: read(path, root) for path in [*core, *public, *logic]}
    faults = []
    for path in logic:
        faults += [f"{path.relative_to(root)}: {line}" for line in code_of(path)]
    contracts, definitions = {}, {}
    for path, source in sources.items():
        faults += source.faults
        where = path.relative_to(root)
        for function in source.functions:
            key = (path if function.is_static else None, function.name)
            contracts[key] = contracts.get(key, "") + function.contract
            if function.is_definition:
                definitions[key] = function
                if path.suffix == ".h" and not function.is_static:
                    faults.append(f"{where}:{function.line}: {function.name} is defined in a header but not static")
            elif path.suffix == ".c" and not function.is_static:
                faults.append(f"{where}:{function.line}: {function.name} is declared in a .c file, where its contract "
                              "would be believed without being seen by its definition; declare it in a header")
        for name, line in source.includes:
            if not INCLUDES.match(name):
                faults.append(f"{where}:{line}: includes {name}, which the core may not")
    for key, function in definitions.items():
        contract, where = contracts[key], f"{function.path.relative_to(root)}:{function.line}"
        for clause, pattern in [("assigns", r"(?<!loop )\bassigns\b"), ("terminates \\true", r"\bterminates\s+\\true\s*;"),
                                ("exits \\false", r"\bexits\s+\\false\s*;")]:
            if not re.search(pattern, contract):
                faults.append(f"{where}: the contract of {function.name} has no `{clause}`")
    # Whatever the core calls must be defined, and so proved, in the core.
    known = {name for _, name in definitions}
    prototypes = {f.name for s in sources.values() for f in s.functions if not f.is_definition}
    for path in core:
        for name in sorted(sources[path].calls & prototypes - known):
            faults.append(f"{path.relative_to(root)}: calls {name}, whose contract no proved function stands for")
        for function in sources[path].functions:
            if not function.is_definition and function.name not in known:
                faults.append(f"{path.relative_to(root)}:{function.line}: {function.name} is declared but defined nowhere in the core")
    return sources, faults


def code_of(path):
    """What a file of logic holds besides comments, include guards, includes of its like, and macros for its logic."""
    allowed = re.compile(r"\s*#\s*(?:ifndef|define|undef|endif|include)\b(?:\\\n|[^\n])*")
    rest = [m.group() for m in TOKEN.finditer(path.read_text(encoding="utf-8"))
            if m.lastgroup not in ("annotation", "comment") and not allowed.fullmatch(m.group())]
    return [f"holds code: {' '.join(rest[:8])}"] if rest else []


def scan(root, texts, sources=None):
    """Faults of expanded files, and the list of the recursive logic functions: {note: {names}}.

    sources  what audit() has read: nothing else may be part of a text
    """
    faults, listed = {}, {}
    for text in texts:
        own = [one for one in text.annotations if not one.file.startswith(str(expand.library()))]
        for one in own:
            where = f"{one.file}:{one.line}"
            body = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', one.body)
            if not body.strip() and expand.uncommented(one.raw).strip():
                faults[f"{where}: an annotation that the preprocessor swallows"] = None
            for pattern, name in FORBIDDEN:
                if re.search(pattern, body):
                    faults[f"{where}: {name} in an annotation"] = None
        wrong, found = recursion.check([(one.file, one.line, one.raw, one.body) for one in own])
        faults.update(dict.fromkeys(wrong))
        for note, names in found.items():
            listed.setdefault(note, set()).update(names)
        if sources is not None:
            faults.update(dict.fromkeys(strangers(root, text, sources)))
    return list(faults), {note: sorted(names) for note, names in listed.items()}


def strangers(root, text, sources):
    """What is part of an expanded file and of none that was read: files, and functions that macros make."""
    read_files = {str(path.relative_to(root)) for path in sources}
    for file in sorted(text.files - read_files):
        if not file.startswith((str(expand.library()), "<")):
            yield f"{file}: is included, but is no file of the core"
    known = {function.name for source in sources.values() for function in source.defined()}
    items = content.items_of(text.code)
    functions = {name for item in items if "(" in item.text and not item.text.startswith("typedef") for name in item.names}
    for item in items:
        if not item.head:
            continue
        for name in sorted(item.names - known):
            yield f"{name} is a function that a macro defines, which is not proved"
        called = set(re.findall(r"\b(\w+)\s*\(", item.text[len(item.head):]))
        for name in sorted((called & functions) - known - KEYWORDS):
            if not any(word in ("logic", "predicate") for other in items if name in other.names for word in other.text.split()[:1]):
                yield f"{' '.join(sorted(item.names))} calls {name}, whose contract no proved function stands for"
