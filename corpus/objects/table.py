"""Which globals, arguments and opcodes real picklers write: the tables in spec/objects.md, from written.jsonl.xz.

The payloads are read by a recorder that imports nothing: each global becomes a stand-in that notes how it is called.
"""

import io
import pickle
import pickletools

import written


class StandIn:
    """What a call of a global makes; it takes any state and any members."""

    def __init__(self, *args):
        self.note("call", args)

    def __setstate__(self, state):
        self.note("state", (state,))

    def __setitem__(self, key, value):
        pass

    def append(self, value):
        """Lists of members are not looked at."""

    extend = add = append


class Recorder(pickle._Unpickler):
    """Notes the calls of one payload in `forms`: {(module, name): {(what, signature)}}."""

    def __init__(self, payload, forms):
        super().__init__(io.BytesIO(payload), fix_imports=False, encoding="latin1")
        self.forms, self.classes = forms, {}

    def find_class(self, module, name):
        found = self.forms.setdefault((module, name), set())

        def note(_, what, args):
            found.add((what, ", ".join(map(kind_of, args))))

        return self.classes.setdefault((module, name), type(name, (StandIn,), {"note": note}))


def kind_of(value):
    """The kind of an argument, in words."""
    if isinstance(value, type):
        return f"`{value.__name__}`"
    if isinstance(value, StandIn):
        return {"encode": "bytes", "_reconstruct": "array", "_frombuffer": "array", "bytes": "bytes"}.get(type(value).__name__, type(value).__name__)
    if isinstance(value, tuple):
        kinds = list(map(kind_of, value))
        return "shape" if kinds and set(kinds) == {"int"} else "(" + ", ".join(kinds) + ")" if kinds else "shape"
    return {"NoneType": "None", "str": "text"}.get(type(value).__name__, type(value).__name__)


def numbers(found):
    """0, 1, 2 as 0–2."""
    values = sorted(found)
    return f"{values[0]}–{values[-1]}" if len(values) > 1 and values[-1] - values[0] == len(values) - 1 else ", ".join(map(str, values))


def lines():
    """The lines of the section: versions, opcodes, calls."""
    forms, users, opcodes, versions, total = {}, {}, set(), set(), 0
    for record in written.read():
        payload, mine = bytes.fromhex(record["hex"]), {}
        Recorder(payload, mine).load()
        total += 1
        for name, found in mine.items():
            forms.setdefault(name, set()).update(found)
            users.setdefault(name, set()).update(protocol for _, _, _, protocol in record["by"])
        versions |= {(python, numpy) for python, numpy, _, _ in record["by"]}
        try:
            opcodes |= {opcode.name for opcode, _, _ in pickletools.genops(payload)}
        except UnicodeDecodeError:
            pass            # pickletools does not read all strings of Python 2
    order = sorted(versions, key=lambda pair: [[int(part) for part in one.split(".")] for one in pair])
    yield (f"{total:,} different payloads, written by " + ", ".join(f"Python {python} with NumPy {numpy}" for python, numpy in order)
           + f". They have {len(opcodes)} opcodes: " + ", ".join(sorted(opcodes)) + ".")
    yield ""
    yield "| global | protocols | called with | state |"
    yield "|---|---|---|---|"
    for module, name in sorted(forms):
        cells = ["<br>".join(sorted({f"({text})" for what, text in forms[module, name] if what == kind})) for kind in ("call", "state")]
        yield f"| `{module} {name}` | {numbers(users[module, name])} | {cells[0] or 'not called'} | {cells[1] or '–'} |"
