"""A refused file has one fault: one change at one place, or the missing bytes, make it a good file.

For each `reject` and `strict` case whose refusal lies in the text or the data, some changes are tried at
the byte that the refusal points to: another token there, or none. If safenpy accepts one of the changed
files, nothing else was wrong. reject/phase has two faults a file on purpose. Cases that need more than
one local change (a bracket around something, a text of another kind) are named in NOT_LOCAL, each
pattern with its reason, and a case that such a pattern names although a change mends it is an error too.
"""

import itertools
import json
import os
import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
BATCH = 500
TIMEOUT = 120
ROOM = 1 << 20                 # zeros behind every changed file, so that no change is lost for want of data
ROUND = 16                     # changes of one case that are tried at once

# What may stand where a status points to. Each is tried in place of the token there and in front of it.
MENDS = {
    "SNPY_BAD_UTF8": ["", "x"], "SNPY_NOT_A_DICT": ["", "{"], "SNPY_TRAILING_TEXT": [""],
    "SNPY_EXPECTED_STRING": ["", "'descr'", "'a'", "'t', 'a'", "u'descr'"],
    "SNPY_CONTROL_IN_STRING": ["", "x", "<f8"],
    "SNPY_BAD_ESCAPE": ["", "x"], "SNPY_CODE_POINT_RANGE": ["x"], "SNPY_ESCAPE_IN_TYPE": ["", "<", "f", "<f8"],
    "SNPY_EXPECTED_COLON": ["", ":", ": '<f8'"],
    "SNPY_EXPECTED_COMMA": ["", ",", "]", ")", ", '<i4')", ", '<i4'", "]}", ", '<i4')]"],
    "SNPY_EXPECTED_CLOSE": ["", ")"], "SNPY_EXPECTED_TYPE": ["", "'<f8'", "'<f8', "],
    "SNPY_TOP_LEVEL_SUBARRAY": ["'<f8'"], "SNPY_EXPECTED_FIELD": ["", "('a', '<f8')", "('a', '<f8'), "],
    "SNPY_EXPECTED_SHAPE": ["()", "(2,)", "() ", "(2,) "], "SNPY_SHAPE_NOT_A_TUPLE": [","],
    "SNPY_BAD_DIMENSION": ["", "2", ",", ")", "2,", "), ", "), 'fortran_order': False}"],
    "SNPY_SIGNED_DIMENSION": ["", "2"],
    "SNPY_LEADING_ZERO": ["2", "0"], "SNPY_LONG_SUFFIX": [""], "SNPY_TOO_DEEP": ["'<f8'"],
    "SNPY_SUBARRAY_NEEDS_SHAPE": [", (2,)", "(2,)", " (2,)"], "SNPY_ONE_AS_SHAPE": ["(1,)"],
    "SNPY_UNKNOWN_KEY": ["", "'descr'", "'fortran_order'", "'shape'"],
    "SNPY_DUPLICATE_KEY": ["", "'shape'", "'fortran_order'"],
    "SNPY_MISSING_KEY": ["'descr': '<f8'", ", 'descr': '<f8'", "'shape': (0,)", ", 'shape': (0,)",
                         "'fortran_order': False",
                         "'descr': '<f8', 'fortran_order': False", ", 'descr': '<f8', 'fortran_order': False",
                         "'descr': '<f8', 'fortran_order': False, 'shape': ()"],
    "SNPY_BAD_FORTRAN_ORDER": ["False", "False, "], "SNPY_UNKNOWN_TYPE": ["", "<f8", "f8", "f", "u1"],
    "SNPY_BAD_BYTE_ORDER": ["", "<"], "SNPY_NO_BYTE_ORDER": ["<"], "SNPY_BAD_TYPE_SIZE": ["8", "1", "", "8[s]"],
    "SNPY_PLATFORM_FLOAT": ["8"], "SNPY_TYPE_NAME": ["<f8"], "SNPY_BYTES_ALIAS": ["S"],
    "SNPY_TYPE_TOO_LARGE": ["8"],
    "SNPY_BAD_UNIT": ["[s]", "s]", "s", "]", ""], "SNPY_BAD_MULTIPLIER": ["", "5", "5s"],
    "SNPY_UNIT_DIVISOR": ["", "]"],
    "SNPY_DUPLICATE_NAME": ["'other'"], "SNPY_TOO_MANY_DIMENSIONS": ["", "(1,)"],
    "SNPY_EMPTY_SUBARRAY_TYPE": ["()", ""],
    "SNPY_ITEMSIZE_OVERFLOW": ["1", "'|V0'"], "SNPY_SIZE_OVERFLOW": ["1", "0"],
}
# The text goes on where it was cut. Any of these may follow; so may the rest of the dictionary that is cut.
ENDS = ["}", "'<f8'", "), }", "',)}", "0,), }", "'descr': '<f8', 'fortran_order': False, 'shape': ()}"]
WHOLE = ["{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }",
         "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n",
         "{'descr': [('a', '<f8', (2,))], 'fortran_order': False, 'shape': (0,), }",
         "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (0,), }",
         "{'descr': [('a\\u00e9', '<f8', (2, 3))], 'fortran_order': False, 'shape': (2L, 3), }",
         "{'shape': (3, 2), 'descr': '<f8', 'fortran_order': False}",
         "{'shape': (3L, 2), 'descr': '<f8', 'fortran_order': False}",
         "{u'descr': '<f8', 'fortran_order': False, 'shape': (0,)}",
         *("{'descr': [('" + char + "', '<f8')], 'fortran_order': False, 'shape': (0,)}" for char in "é整😀"),
         "{'descr': '', 'fortran_order': False, 'shape': (0,)}"]
DATA_STATUSES = {"SNPY_TRUNCATED_DATA", "SNPY_NO_OBJECTS"}

NOT_LOCAL = {
    "choice/compat/metadata-*": "the dictionary goes with the tuple around it",
    "choice/header/key-concatenated": "two strings become one", "choice/literal/type-concatenated": "likewise",
    "choice/header/key-triple": "quotes on either side", "choice/literal/type-triple": "likewise",
    "reject/literal/key-curly-quote": "likewise",
    "choice/literal/in-parentheses": "a bracket on either side",
    "choice/literal/needs-shape-parentheses": "likewise",
    "choice/literal/deep-64-tuples": "a tuple has two ends", "choice/literal/top-subarray*": "likewise",
    "choice/literal/top-union": "likewise", "choice/literal/union-*": "likewise",
    "reject/literal/top-tuple-of-fields": "likewise", "reject/literal/deep-*": "brackets that are not closed",
    "reject/literal/colon-set": "a set in place of a dictionary",
    "reject/literal/field-name-tuple-empty": "a field of nothing",
    "reject/literal/dict-call": "no dictionary at all", "reject/literal/list": "likewise",
    "reject/literal/none": "likewise",
    "reject/literal/only-blanks": "likewise", "reject/literal/string": "likewise",
    "reject/literal/tuple": "likewise",
    "reject/writers/python-object": "likewise", "reject/writers/text-zero": "likewise",
    "reject/writers/text-half-zero": "half of the text is gone",
    "reject/shape/empty-type-*": "the type inside is empty, and the shapes around it are pointed to",
    "reject/sizes/type-fields-wrap-beyond": "three fields are too large together",
}


def parts_of(data):
    """(bytes of the prefix, the text, the rest) of a file."""
    start = 10 if data[6] == 1 else 12
    end = start + int.from_bytes(data[8:start], "little")
    return start, data[start:end], data[end:]


def token_ends(text, at):
    """Where the token that begins at a byte may end: right there, behind a word, a string, a bracket …"""
    word = at
    while word < len(text) and (chr(text[word]).isalnum() or text[word] in b"_.+-"):
        word += 1
    ends = [word, at + 1, at]
    for mark in (b"'", b'"', b",", b")", b"]", b"}"):
        found = text.find(mark, at + 1)
        if found >= 0:
            ends += [found, found + 1]
    ends += range(at + 2, at + 8)
    stripped = len(text.rstrip(b" \n\0"))
    ends += [stripped, stripped - 1, stripped - 2, word + 1, len(text)]
    return [end for end in dict.fromkeys(ends) if at <= end <= len(text)]


def changes(data, status, offset):
    """Changed files that may be good, the likeliest first."""
    start, text, rest = parts_of(data)
    at = offset - start
    texts = [whole.encode("utf-8") for whole in WHOLE if whole.encode("utf-8").startswith(text)]
    if status in DATA_STATUSES:
        texts = [text, re.sub(rb"'shape': [(].*?[)]", b"'shape': (0,)", text)]
    elif status == "SNPY_UNEXPECTED_END":
        texts += [text.rstrip() + end.encode("ascii") for end in ENDS]
    else:
        texts += [text[:at] + mend.encode("ascii") + text[end:] for end in token_ends(text,
                                                                                      at)
                  for mend in MENDS[status]]
        if status == "SNPY_DUPLICATE_KEY":      # the entry in front may be the one too many
            texts.append(b"{" + text[at:])
    for changed in dict.fromkeys(texts):
        yield data[:8] + len(changed).to_bytes(start - 8, "little") + changed + rest


def accepted(binary, paths):
    """The paths among these that safenpy accepts."""
    found = set()
    for start in range(0, len(paths), BATCH):
        command = [binary, "check", "--json", *map(str, paths[start:start + BATCH])]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            if answer["verdict"] == "accept":
                found.add(answer["file"])
    return found


def candidates(records):
    """The cases to be mended: {id: an iterator of changed files}."""
    found = {}
    for record in records:
        status = (record.get("error") or {}).get("status")
        if record["id"].startswith("reject/phase/") or record["verdict"] == "accept":
            continue
        if status in MENDS or status in DATA_STATUSES or status == "SNPY_UNEXPECTED_END":
            data = (CORPUS / record["file"]).read_bytes()
            found[record["id"]] = changes(data, status, record["error"]["offset"])
    return found


def mended(binary, waiting, folder):
    """The ids of the cases that some change mends."""
    good, waiting = set(), dict(waiting)
    while waiting:
        paths = {}
        for name, files in list(waiting.items()):
            batch = list(itertools.islice(files, ROUND))
            if not batch:
                del waiting[name]
            for content in batch:
                path = folder / f"mend-{len(paths)}.npy"
                path.write_bytes(content)
                os.truncate(path, len(content) + ROOM)
                paths[str(path)] = name
        good |= {paths[path] for path in accepted(binary, list(paths))}
        for name in good & set(waiting):
            del waiting[name]
    return good


def problems_of(binary, records, folder):
    """[(title, problems)] for each case that is tried."""
    waiting = candidates(records)
    good = mended(binary, waiting, folder)
    results = []
    for name in waiting:
        pattern = next((pattern for pattern in NOT_LOCAL if fnmatchcase(name, pattern)), None)
        problems = []
        if name not in good and not pattern:
            problems = ["no single change makes it a good file: has it two faults?"]
        results.append((f"{name}: one fault", problems))
    idle = [pattern for pattern in NOT_LOCAL if not any(fnmatchcase(name,
                                                                    pattern) for name in set(waiting) - good)]
    results.append(("one_fault.py: no exception without need", idle))
    return results
