"""The public headers as Hawkmoth wants them: their comments as /** reStructuredText */ before what they describe.

The text of a comment is plain. A parameter stands at the beginning of a line, two blanks before what is said of it; rules
stand at the end of a line; names of the library and of rules become links.
"""

import re
import textwrap

RULES = re.compile(r"\s+((?:NPY|NPZ|API|HOST)-[A-Z][A-Z0-9-]*(?:(?:, | … |-)?(?:(?:NPY|NPZ|API|HOST)-[A-Z0-9-]+|\d{3}))*)\s*$")
ONE_RULE = re.compile(r"\b(NPY|NPZ|API|HOST)-[A-Z]+-\d{3}\b")
NAMES = re.compile(r"\b(?:snpy_\w+|SNPY_\w+)\b")
ITEM = re.compile(r"^([\w.,*]+(?: [\w*]+)*|\w[\w, ]*)\s{2,}(\S.*)$")
DECLARED = re.compile(r"^(?:SNPY_API|typedef|enum|struct|static inline|#define)\b")
TRAILING = re.compile(r"^(\s*\S.*?)\s*/\*(?!\*)\s*(.*)$")
ONE_LINE_ENUM = re.compile(r"^(typedef enum \w+) \{ (.*) \} (\w+;)$", re.M)
PREFIXES = {"NPY-PKL": "objects", "NPY": "npy", "NPZ": "npz", "API": "npy", "HOST": "npy"}


class Known:
    """The names that may be linked to, by what Sphinx calls them."""

    def __init__(self, headers, statuses, rules):
        text = "\n".join(headers.values())
        self.roles = {name: "c:func" for name in functions(text)}
        self.roles.update((name, "c:func") for name in re.findall(r"^static inline \w+ (snpy_\w+)\(", text, re.M))
        self.roles.update((name, "c:macro") for name in re.findall(r"^#define (SNPY_\w+)", text, re.M))
        self.roles.update((name, "c:struct") for name in re.findall(r"^typedef struct (snpy_\w+)", text, re.M))
        self.roles.update((name, "c:enum") for name in re.findall(r"^(?:typedef )?enum (snpy_\w+)", text, re.M))
        self.roles.update((name, "c:enumerator") for name in re.findall(r"\b(SNPY_\w+) = ", text))
        self.statuses = set(statuses)
        self.rules = set(rules)

    def link(self, name):
        """A name of the library as a link, or as code if it is not documented."""
        if name in self.statuses:
            return f":ref:`{name} <status-{name}>`"
        role = self.roles.get(name)
        return f":{role}:`{name}`" if role else f"``{name}``"


def functions(text):
    """The names of the functions that a header exports, in order."""
    return re.findall(r"^SNPY_API [^;(]*?\b(snpy_\w+)\(", text, re.M)


def rule_link(match):
    """A rule as a link into its specification, as seen from docs/reference/c/."""
    rule = match.group(0)
    page = next(page for prefix, page in PREFIXES.items() if rule.startswith(prefix))
    return f"`{rule} <../../../spec/{page}.html#{rule.lower()}>`__"


def inline(text, known):
    """Plain text as reStructuredText."""
    parts = re.split(r"(`[^`]+`)", text)
    done = []
    for part in parts:
        if part.startswith("`"):
            done.append(f"``{' '.join(part[1:-1].split())}``")
            continue
        held = []

        def hold(replacement, held=held):
            held.append(replacement)
            return f"\0{len(held) - 1}\0"
        part = ONE_RULE.sub(lambda match, hold=hold: hold(rule_link(match) if match.group(0) in known.rules else match.group(0)), part)
        part = NAMES.sub(lambda match, hold=hold: hold(known.link(match.group(0))), part)
        part = re.sub(r"([\\*|]|(?<=\w)_(?!\w))", r"\\\1", part)
        # A role needs a blank or punctuation on both sides.
        done.append(re.sub(r"(?<=[\w\]])\0(\d+)\0", "\\\\ \0\\1\0", part))
        done[-1] = re.sub(r"\0(\d+)\0(?=[\w(\[])", "\0\\1\0\\\\ ", done[-1])
        done[-1] = re.sub(r"\0(\d+)\0", lambda match, held=held: held[int(match.group(1))], done[-1])
    return "".join(done)


def without_rules(lines):
    """The lines without the rules at their ends, and these."""
    kept, rules = [], []
    for line in lines:
        found = RULES.search(line) if re.search(r"(^|\s{2,}|[.;] )(?:NPY|NPZ|API|HOST)-", line) else None
        if found and (line[:found.start()].strip() == "" or found.group(0).startswith("  ") or line[:found.start()].endswith(".")):
            rules.append(found.group(1))
            line = line[:found.start()]
            if not line.strip():
                continue
        kept.append(line.rstrip())
    return kept, rules


def to_rest(comment, known, parameters=None):
    """The text of a comment as reStructuredText."""
    lines, rules = without_rules(comment.split("\n"))
    out, fields, block = [], [], []

    def flush():
        if block:
            out.extend([*inline("\n".join(block), known).split("\n"), ""])
            block.clear()
    index = 0
    while index < len(lines):
        line = lines[index]
        item = ITEM.match(line) if parameters is not None else None
        names = re.findall(r"\w+", item.group(1)) if item else []
        if item and (names == ["returns"] or all(name in parameters for name in names)):
            flush()
            text = [item.group(2)]
            while index + 1 < len(lines) and lines[index + 1].startswith("  "):
                index += 1
                text.append(lines[index].strip())
            said = inline(" ".join(text), known)
            fields.append(f":returns: {said}" if names == ["returns"] else f":param {names[0]}: {said}")
            fields.extend(f":param {name}: with *{names[0]}*" for name in names[1:])
        elif line.startswith("  ") and not block:
            flush()
            literal = []
            while index < len(lines) and (lines[index].startswith("  ") or not lines[index].strip()):
                literal.append(lines[index])
                index += 1
            index -= 1
            out.extend(["::", "", *textwrap.indent(textwrap.dedent("\n".join(literal)).strip("\n"), "   ").split("\n"), ""])
        elif line.startswith("  "):
            literal = [f"| {inline(line.strip(), known)}"]
            flush()
            while index + 1 < len(lines) and lines[index + 1].startswith("  "):
                index += 1
                more = inline(lines[index].strip(), known)
                deeper = len(lines[index]) - len(lines[index].lstrip()) > len(line) - len(line.lstrip())
                literal.append(f"  {more}" if deeper else f"| {more}")
            out.extend([*literal, ""])
        elif not line.strip():
            flush()
        else:
            block.append(line.strip())
        index += 1
    flush()
    if rules:
        said = inline(", ".join(rules), known)
        out.extend([f":Rules: {said}"] if parameters is not None and fields else [f"*Rules:* {said}", ""])
        if out[-1].startswith(":Rules:"):
            fields.append(out.pop())
    return "\n".join([*out, *fields]).strip("\n")


def stripped(lines):
    """The text of a block comment, without its signs."""
    text = "\n".join(lines).strip()
    text = text.removeprefix("/*").removeprefix("*").removesuffix("*/")
    first, *rest = text.split("\n")
    return "\n".join([first.strip(), *(re.sub(r"^\s*\* ?", "", line) for line in rest)]).strip("\n").rstrip()


def written(text, indent=""):
    """Text as a comment that Hawkmoth reads; what has none is documented all the same."""
    text = text or ".."
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in text.split("\n")), f"{indent} */"])


def parameters_of(declaration):
    """The names of a function's parameters."""
    inside = declaration[declaration.find("(") + 1:]
    return set(re.findall(r"(\w+)(?:\[\d*\])?\s*[,)]", inside))


def spread(match):
    """An enumeration of one line, with a line for each member."""
    members = ",\n    ".join(match.group(2).split(", "))
    return f"{match.group(1)} {{\n    {members}\n}} {match.group(3)}"


def convert(text, known):
    """A header with comments for Hawkmoth, and the comment at its beginning.

    A comment is also that of the functions right below the one that it stands before; if it begins with "Each", of all
    functions before the next comment."""
    lines = ONE_LINE_ENUM.sub(spread, text).split("\n")
    out, intro, last, is_for_each, index = [], None, None, False, 0
    while index < len(lines):
        line = lines[index]
        if line.startswith("/*") and "NOLINT" not in line and "clang-format" not in line:
            comment = [line]
            while "*/" not in lines[index]:
                index += 1
                comment.append(lines[index])
            following = lines[index + 1] if index + 1 < len(lines) else ""
            said = stripped(comment)
            is_for_each = said.startswith("Each ")
            if intro is None:
                intro = said.split(": ", 1)[1]
            elif said.startswith("---"):
                title = said.strip("- ")
                out.append(written(f".. rubric:: {title[0].upper()}{title[1:]}"))
                out.append("")
            elif DECLARED.match(following):
                declaration = " ".join(lines[index + 1:index + 12]).split(";")[0]
                if following.startswith("typedef enum") and "returns " in said:  # the function is below its enumeration
                    out.append(written(""))
                    while not lines[index + 1].startswith("SNPY_API"):
                        index += 1
                        out.append(lines[index] if not lines[index].startswith("    ")
                                   else f"{written('', '    ')}\n{lines[index]}")
                    declaration = " ".join(lines[index + 1:index + 12]).split(";")[0]
                    following = lines[index + 1]
                is_function = "(" in declaration and not following.startswith("#define")
                out.append(written(to_rest(said, known, parameters_of(declaration) if is_function else None)))
            else:
                out.append(written(to_rest(said, known)))
                out.append("")
        elif line.startswith("SNPY_API"):
            name = re.search(r"\b(snpy_\w+)\(", " ".join(lines[index:index + 3])).group(1)
            if out[-1].rstrip().endswith("*/"):
                last = name
            elif not lines[index - 1].endswith(";") and not is_for_each:
                raise ValueError(f"{name} has no comment, and is not right below a function that has one")
            else:
                out.append(written(f"Described with :c:func:`{last}`."))
            out.append(line)
        elif (found := TRAILING.match(line)) and not line.startswith("}"):
            code, said = found.groups()
            while "*/" not in said:
                index += 1
                said += " " + lines[index].strip().removeprefix("*").strip()
            said = said[:said.index("*/")].strip()
            indent = re.match(r"\s*", line).group(0)
            said, rules = without_rules([said])
            value = re.match(r"#define SNPY_\w+ (\S+)$", code)
            words = inline("; ".join([*said, *rules]), known)
            out.append(written(f"``{value.group(1)}``: {words}" if value else words, indent))
            out.append(code)
        elif re.match(r"\s+\w[^(]*(?<!_);$|\s+SNPY_\w+ = \w+,?$|#define SNPY_\w+ |typedef ", line) and not (out or [""])[-1].endswith("*/"):
            value = re.match(r"#define SNPY_\w+ (\S+)$", line)
            out.extend([written(f"``{value.group(1)}``" if value else "", re.match(r"\s*", line).group(0)), line])
        else:
            out.append(line)
        index += 1
    return "\n".join(out), intro


def page(name, intro, known):
    """The page of a header."""
    title = f"safenpy/{name}"
    head = [title, "=" * len(title), "", to_rest(intro[0].upper() + intro[1:], known), ""]
    return "\n".join(head if name == "safenpy.h" else [*head, f".. c:autodoc:: safenpy/{name}", ""])
