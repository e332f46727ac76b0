"""Names in JSON. A string there is a sequence of Unicode characters; a name of the format is one of code points, and
may hold surrogates. Many parsers refuse a text that has half of a surrogate pair, and all of them join what looks
like a pair. So U+FFFD stands for each surrogate, and beside the string stand the code points. Standard library only.
"""

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def _code_points(text):
    return [ord(char) for char in text]


def _plain(text):
    return SURROGATE.sub("\ufffd", text)


def of_field(field):
    """A field as the manifest has it, from one whose strings are the names themselves."""
    made = dict(field)
    for key in ("name", "title"):
        if field[key] is not None and SURROGATE.search(field[key]):
            made[key], made[f"{key}_code_points"] = _plain(field[key]), _code_points(field[key])
    if any(map(SURROGATE.search, field["path"])):
        made["path"] = [_plain(name) for name in field["path"]]
        made["path_code_points"] = [_code_points(name) for name in field["path"]]
    return made


def of_expect(expect):
    """An `expect` as the manifest has it."""
    return {**expect, "fields": [of_field(field) for field in expect["fields"]]} if "fields" in expect else expect
