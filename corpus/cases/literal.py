"""The literal: braces, keys, strings, escapes, commas, fields, shapes."""

from cases.dsl import also_refused, header, refuse, strict

RECORD = "[('a', '<f8'), ('b', '|u1')]"


def frame_of_dict():
    """NPY-LIT-001 to 003: where the dictionary begins and ends."""
    body = header()
    for name, cut in (("brace", "{"), ("key", "{'descr'"), ("colon", "{'descr':"), ("value", "{'descr': '<f8'"),
                      ("comma", "{'descr': '<f8', "), ("open-string", "{'descr': '<f8"),
                      ("list", "{'descr': [('a', '<f8'), "),
                      ("field", "{'descr': [('a', "), ("field-name", "{'descr': [('a"),
                      ("field-open", "{'descr': [("),
                      ("subarray", "{'descr': [('a', '<f8', (2,"), ("shape", "{'shape': (3"),
                      ("dim", "{'shape': (3, "),
                      ("long", "{'shape': (3L"), ("last", body[:-1]), ("quote", "{'descr': '"),
                      ("prefix-u", "{u")):
        refuse(f"literal/end-{name}", cut + "→", "SNPY_UNEXPECTED_END", "The text ends inside the dictionary.",
               pad=False)
    refuse("literal/end-padded", body[:-1] + " " * 20 + "\n→", "SNPY_UNEXPECTED_END",
           "Padding instead of the closing brace.", pad=False)
    for name, start in (("space", " "), ("tab", "\t")):
        strict(f"literal/start-{name}", "→" + start + body, "SNPY_NOT_A_DICT",
               "Nothing, not even a blank, stands before the brace; Python from 3.10 takes it.")
    for name, start in (("newline", "\n"), ("form-feed", "\f"), ("comment", "# c\n")):
        strict(f"literal/start-{name}", "→" + start + body, "SNPY_NOT_A_DICT",
               "Nothing stands before the brace, though Python takes it.")
    refuse("literal/start-nul", "→\0" + body, "SNPY_NOT_A_DICT", "A NUL before the brace.")
    refuse("literal/start-newline-space", "→\n " + body, "SNPY_NOT_A_DICT", "An indented second line.")
    strict("literal/in-parentheses", "→(" + body + ")", "SNPY_NOT_A_DICT", "Parentheses around the dictionary.")
    refuse("literal/list", "→['<f8', False, (3,)]", "SNPY_NOT_A_DICT", "A list is no header.")
    refuse("literal/tuple", "→('<f8', False, (3,))", "SNPY_NOT_A_DICT", "A tuple is no header.")
    refuse("literal/string", "→'<f8'", "SNPY_NOT_A_DICT", "A string is no header.")
    refuse("literal/none", "→None", "SNPY_NOT_A_DICT", "None is no header.")
    refuse("literal/json", "→" + body[1:], "SNPY_NOT_A_DICT", "The opening brace is missing.")
    refuse("literal/only-blanks", "→", "SNPY_NOT_A_DICT", "A text of blanks.")
    refuse("literal/dict-call", "→dict(descr='<f8', fortran_order=False, shape=(0,))", "SNPY_NOT_A_DICT",
           "A call is no literal.")
    for name, tail in (("brace", "}"), ("word", "x"), ("comma", ","), ("semicolon", ";"), ("second", "{}"),
                       ("nul", "\0"), ("vertical-tab", "\v"), ("nbsp", "\xa0"), ("next-line", "\x85"),
                       ("backslash", "\\"), ("plus", "+ {}"), ("nul-after-newline", "\0\0\0"), ("delete", "\x7f"),
                       ("for", "for x in y")):
        refuse(f"literal/trailing-{name}", body + "  →" + tail, "SNPY_TRAILING_TEXT",
               "Nothing but blanks stands after the closing brace.")
    strict("literal/trailing-comment", body + " →# comment", "SNPY_TRAILING_TEXT",
           "Python takes a comment; it hides text from a reader.")
    refuse("literal/trailing-nbsp-3.0", body + " →\xa0", "SNPY_TRAILING_TEXT", "A no-break space is no blank.",
           version="3.0")
    refuse("literal/trailing-ideographic-space", body + " →\u3000", "SNPY_TRAILING_TEXT",
           "An ideographic space is no blank.", version="3.0")


def strings():
    """NPY-LIT-004 and 005: what a string is."""
    tail = ", 'fortran_order': False, 'shape': (0,), }"
    for name, key in (("bytes", "b'descr'"), ("number", "1"), ("none", "None"), ("word", "descr"),
                      ("tuple", "('descr',)")):
        refuse(f"literal/key-{name}", "{→" + key + ": '<f8'" + tail, "SNPY_EXPECTED_STRING", "A key is a string.")
    for name, key in (("raw", "r'descr'"), ("upper-u", "U'descr'"), ("upper-r", "R'descr'")):
        strict(f"literal/key-{name}", "{→" + key + ": '<f8'" + tail, "SNPY_EXPECTED_STRING",
               "The only prefix of a string is a lower-case u.")
    refuse("literal/key-double-u", "{u→u'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "Behind u stands the quote.")
    refuse("literal/key-u-blank", "{u→ 'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "No blank stands between u and the quote.")
    refuse("literal/key-ur", "{u→r'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING", "There is no prefix ur.")
    refuse("literal/key-f", "{→f'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING", "There is no prefix f.")
    refuse("literal/key-backquote", "{→`descr`: '<f8'" + tail, "SNPY_EXPECTED_STRING", "A back quote is no quote.")
    refuse("literal/key-curly-quote", "{→“descr”: '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "A typographic quote is no quote.", version="3.0")
    refuse("literal/double-comma", "{'descr': '<f8',→, 'fortran_order': False, 'shape': (0,)}",
           "SNPY_EXPECTED_STRING", "Two commas in a row.")
    refuse("literal/leading-comma", "{→, 'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "A comma before the first key.")
    strict("literal/comment-first", "{→# comment\n'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "A comment where a key stands.")
    strict("literal/continuation-first", "{→\\\n'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "A backslash before the end of a line.")
    refuse("literal/vertical-tab", "{→\v'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING",
           "A vertical tab is no blank.")
    refuse("literal/nbsp", "{→\xa0'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING", "A no-break space is no blank.")
    refuse("literal/nul-in-dict", "{→\0'descr': '<f8'" + tail, "SNPY_EXPECTED_STRING", "A NUL is no blank.")
    for name, value in (("number", "1"), ("none", "None"), ("bytes", "b'a'"), ("tuple-empty", ")"),
                        ("list", "['a']"),
                        ("word", "a"), ("minus", "-")):
        refuse(f"literal/field-name-{name}", header(f"[(→{value}, '<f8')]" if value != ")" else "[(→)]"),
               "SNPY_EXPECTED_STRING", "A field begins with its name, a string.")
    refuse("literal/field-name-u", header("[(u→1, '<f8')]"), "SNPY_EXPECTED_STRING", "Behind u stands the quote.")
    strict("literal/field-name-raw", header("[(→r'a', '<f8')]"), "SNPY_EXPECTED_STRING", "No raw strings.")
    for name, value in (("number", "1"), ("none", "None"), ("float", "1.5"), ("bytes", "b't'"),
                        ("tuple", "(1, 2)"),
                        ("true", "True")):
        strict(f"literal/title-{name}", header(f"[((→{value}, 'a'), '<f8')]"), "SNPY_EXPECTED_STRING",
               "A title is a string; NumPy takes any literal.")
    strict("literal/title-list", header("[((→[], 'a'), '<f8')]"), "SNPY_EXPECTED_STRING",
           "A title is a string; NumPy takes any literal.")
    refuse("literal/title-alone", header("[(('t', →), '<f8')]"), "SNPY_EXPECTED_STRING", "A title without a name.")
    refuse("literal/title-name-number", header("[(('t', →1), '<f8')]"), "SNPY_EXPECTED_STRING",
           "The name after a title is a string.")
    for name, code in (("nul", 0), ("soh", 1), ("bell", 7), ("backspace", 8), ("tab", 9), ("newline", 10),
                       ("vertical-tab", 11), ("form-feed", 12), ("cr", 13), ("escape", 27), ("unit", 31),
                       ("delete", 127)):
        verb = refuse if code in (0, 10, 13) else strict
        verb(f"literal/control-{name}", header(f"[('a→{chr(code)}b', '<f8')]"), "SNPY_CONTROL_IN_STRING",
             f"The raw control character {code:02X} in a field name.")
    strict("literal/control-title", header("[(('t→\t', 'a'), '<f8')]"), "SNPY_CONTROL_IN_STRING",
           "A raw tab in a title.")
    refuse("literal/control-type", header("'<f8→\t'"), "SNPY_CONTROL_IN_STRING", "A raw tab in a type string.")
    refuse("literal/control-type-newline", header("'<f8→\n'"), "SNPY_CONTROL_IN_STRING",
           "A raw newline in a type string.")
    refuse("literal/control-type-nul", header("'<f8→\0'"), "SNPY_CONTROL_IN_STRING", "A raw NUL in a type string.")
    strict("literal/control-type-number", header("'→\x0c'"), "SNPY_CONTROL_IN_STRING",
           "NumPy takes a control character for a type number of its C code.")


def escapes():
    """NPY-LIT-006 to 008: backslashes."""
    for name, text in (("octal", r"\101"), ("octal-nul", r"\0"), ("bell", r"\a"), ("backspace", r"\b"),
                       ("form-feed", r"\f"),
                       ("vertical-tab", r"\v"), ("unicode-name", r"\N{BULLET}"), ("unknown", r"\q"),
                       ("blank", "\\ "),
                       ("upper-x", r"\X41"), ("continuation", "\\\n")):
        strict(f"literal/escape-{name}", header(f"[('a→{text}b', '<f8')]"), "SNPY_BAD_ESCAPE",
               "An escape that Python takes and repr does not write.")
    for name, text in (("x-short", r"\x4"), ("x-none", r"\x"), ("x-bad", r"\xg1"), ("x-bad-second", r"\x4g"),
                       ("u-short", r"\u123"), ("u-bad", r"\u12g4"), ("u-none", r"\u"),
                       ("big-u-short", r"\U0001f60"),
                       ("big-u-bad", r"\U0001f60z"), ("u-plus", r"\u+123"), ("u-underscore", r"\u1_23")):
        refuse(f"literal/escape-{name}", header(f"[('a→{text}', '<f8')]"), "SNPY_BAD_ESCAPE",
               "An escape with too few hexadecimal digits.")
    strict("literal/escape-title", header(r"[(('→\v', 'a'), '<f8')]"), "SNPY_BAD_ESCAPE",
           "Titles have the same escapes as names.")
    for name, text in (("110000", r"\U00110000"), ("max", r"\Uffffffff"), ("sign", r"\U80000000"),
                       ("00200000", r"\U00200000")):
        refuse(f"literal/code-point-{name}", header(f"[('a→{text}', '<f8')]"), "SNPY_CODE_POINT_RANGE",
               "Unicode ends at U+10FFFF.")
    refuse("literal/code-point-title", header(r"[(('→\U00110000', 'a'), '<f8')]"), "SNPY_CODE_POINT_RANGE",
           "Unicode ends at U+10FFFF, in titles as well.")
    strict("literal/type-escape-x", header(r"'→\x3cf8'"), "SNPY_ESCAPE_IN_TYPE", "An escape in a type string.")
    strict("literal/type-escape-quote-free", header(r"'<→\u00668'"), "SNPY_ESCAPE_IN_TYPE",
           "An escape inside a type string.")
    strict("literal/type-escape-number", header(r"'→\x0c'"), "SNPY_ESCAPE_IN_TYPE",
           "NumPy takes a control character for a type number of its C code.")
    refuse("literal/type-escape-bad", header(r"'<f8→\q'"), "SNPY_ESCAPE_IN_TYPE", "A backslash in a type string.")
    refuse("literal/type-escape-nul", header(r"'<f8→\0'"), "SNPY_ESCAPE_IN_TYPE",
           "An escaped NUL in a type string.")
    refuse("literal/type-escape-newline", header(r"'<f8→\n'"), "SNPY_ESCAPE_IN_TYPE",
           "An escaped newline in a type string.")
    strict("literal/type-escape-field", header(r"[('a', '→\x3ci4')]"), "SNPY_ESCAPE_IN_TYPE",
           "An escape in the type of a field.")


def punctuation():
    """NPY-LIT-009 to 011: colons, commas, closing brackets."""
    tail = ", 'fortran_order': False, 'shape': (0,), }"
    for name, text in (("comma", ","), ("equals", "="), ("semicolon", ";"), ("nothing", ""), ("string", "'x': ")):
        refuse(f"literal/colon-{name}", "{'descr'→" + text + " '<f8'" + tail if text else "{'descr' →'<f8'" + tail,
               "SNPY_EXPECTED_COLON", "Behind a key stands a colon.")
    strict("literal/colon-comment", "{'descr' →# c\n: '<f8'" + tail, "SNPY_EXPECTED_COLON",
           "A comment between key and colon.")
    refuse("literal/colon-set", "{'descr'→}", "SNPY_EXPECTED_COLON", "A set instead of a dictionary.")
    for name, text in (("missing", "→'fortran_order'"), ("semicolon", "→; 'fortran_order'"),
                       ("colon", "→: 'fortran_order'"), ("bracket", "→] , 'fortran_order'"),
                       ("paren", "→), 'fortran_order'"), ("plus", "→+ '', 'fortran_order'"),
                       ("percent", "→% (), 'fortran_order'")):
        refuse(f"literal/comma-dict-{name}", "{'descr': '<f8' " + text + ": False, 'shape': (0,), }",
               "SNPY_EXPECTED_COMMA", "Entries are separated by commas.")
    refuse("literal/comma-dict-after-order", "{'descr': '<f8', 'fortran_order': False →'shape': (0,), }",
           "SNPY_EXPECTED_COMMA", "Entries are separated by commas.")
    refuse("literal/comma-dict-after-shape", "{'descr': '<f8', 'shape': (0,) →'fortran_order': False, }",
           "SNPY_EXPECTED_COMMA", "Entries are separated by commas.")
    refuse("literal/comma-dict-after-list", "{'descr': [('a', '<f8')] →'shape': (0,), 'fortran_order': False, }",
           "SNPY_EXPECTED_COMMA", "Entries are separated by commas.")
    strict("literal/type-concatenated", header("'<f' →'8'"), "SNPY_EXPECTED_COMMA",
           "Strings that stand side by side are one in Python.")
    strict("literal/type-triple", header("''→'<f8'''"), "SNPY_EXPECTED_COMMA", "Triple quotes.")
    strict("literal/comment-after-value", header("'<f8' →# comment\n"), "SNPY_EXPECTED_COMMA",
           "A comment inside the dictionary.")
    strict("literal/continuation-after-value", header("'<f8' →\\\n"), "SNPY_EXPECTED_COMMA",
           "A backslash before the end of a line.")
    refuse("literal/comma-list-missing", header("[('a', '<f8') →('b', '|u1')]"), "SNPY_EXPECTED_COMMA",
           "Fields are separated by commas.")
    refuse("literal/comma-list-brace", header("[('a', '<f8')→}]"), "SNPY_EXPECTED_COMMA",
           "A wrong closing bracket.")
    refuse("literal/comma-list-paren", header("[('a', '<f8')→)"), "SNPY_EXPECTED_COMMA",
           "A wrong closing bracket.")
    refuse("literal/comma-field-missing", header("[('a' →'<f8')]") , "SNPY_EXPECTED_COMMA",
           "Name and type are separated by a comma.")
    refuse("literal/comma-field-name-only", header("[('a'→)]"), "SNPY_EXPECTED_COMMA", "A field without a type.")
    refuse("literal/comma-field-colon", header("[('a'→: '<f8')]"), "SNPY_EXPECTED_COMMA",
           "A colon inside a field.")
    refuse("literal/comma-field-shape", header("[('a', '<f8' →(2,))]"), "SNPY_EXPECTED_COMMA",
           "Type and shape are separated by a comma.")
    refuse("literal/comma-field-bracket", header("[('a', '<f8'→]]"), "SNPY_EXPECTED_COMMA",
           "A wrong closing bracket.")
    strict("literal/name-concatenated", header("[('a' →'b', '<f8')]"), "SNPY_EXPECTED_COMMA",
           "Strings that stand side by side are one in Python.")
    refuse("literal/close-field-four", header("[('a', '<f8', (2,), →4)]"), "SNPY_EXPECTED_CLOSE",
           "A field has at most three parts.")
    refuse("literal/close-field-after-shape", header("[('a', '<f8', (2,) →4)]"), "SNPY_EXPECTED_CLOSE",
           "Behind the shape a field ends.")
    refuse("literal/close-field-commas", header("[('a', '<f8', (2,),→,)]"), "SNPY_EXPECTED_CLOSE",
           "Two commas at the end of a field.")
    refuse("literal/close-field-bracket", header("[('a', '<f8', (2,)→]]"), "SNPY_EXPECTED_CLOSE",
           "A wrong closing bracket.")
    refuse("literal/close-title-three", header("[(('t', 'a', →'x'), '<f8')]"), "SNPY_EXPECTED_CLOSE",
           "A title and a name, and nothing else.")
    refuse("literal/close-title-bracket", header("[(('t', 'a'→], '<f8')]"), "SNPY_EXPECTED_CLOSE",
           "A wrong closing bracket.")
    strict("literal/close-subarray-extra", header("[('a', ('<f8', (2,), →4), (3,))]"), "SNPY_EXPECTED_CLOSE",
           "A sub-array tuple has two parts; NumPy drops the rest.")
    refuse("literal/close-subarray-bracket", header("[('a', ('<f8', (2,)→], (3,))]"), "SNPY_EXPECTED_CLOSE",
           "A wrong closing bracket.")


def types_and_fields():
    """NPY-LIT-012 to 016 and 022, 023: what may stand for a type, a field, a shape."""
    for name, value in (("none", "None"), ("number", "8"), ("true", "True"), ("ellipsis", "..."),
                        ("bytes", "b'<f8'"),
                        ("word", "float"), ("call", "np.dtype('<f8')"), ("missing", ",")):
        refuse(f"literal/type-{name}", header("→" + value) if value != "," else
               "{'descr': →, 'fortran_order': False, 'shape': (0,), }",
               "SNPY_EXPECTED_TYPE", "A type is a string or a list of fields.")
    for name, value in (("raw", "r'<f8'"), ("upper-u", "U'<f8'")):
        strict(f"literal/type-{name}", header("→" + value), "SNPY_EXPECTED_TYPE",
               "The only prefix is a lower-case u.")
    refuse("literal/type-u-alone", header("u→<f8"), "SNPY_EXPECTED_TYPE", "Behind u stands the quote.")
    refuse("literal/type-dict", header("→{'names': ['a'], 'formats': ['<f8']}"), "SNPY_EXPECTED_TYPE",
           "The dictionary form of a dtype is not used in files.")
    strict("literal/type-dict-keys", header("→{'ab': 1}"), "SNPY_EXPECTED_TYPE",
           "NumPy iterates over the keys and takes their letters for name and type.")
    strict("literal/type-set", header("→{('a', '<f8')}"), "SNPY_EXPECTED_TYPE", "A set has no order.")
    strict("literal/type-comment", header("→# c\n'<f8'"), "SNPY_EXPECTED_TYPE", "A comment before a value.")
    strict("literal/type-continuation", header("→\\\n'<f8'"), "SNPY_EXPECTED_TYPE",
           "A backslash before the end of a line.")
    refuse("literal/field-type-none", header("[('a', →None)]"), "SNPY_EXPECTED_TYPE", "A type is a string.")
    refuse("literal/field-type-missing", header("[('a', →)]"), "SNPY_EXPECTED_TYPE", "A field without a type.")
    refuse("literal/field-type-commas", header("[('a',→, '<f8')]"), "SNPY_EXPECTED_TYPE",
           "Two commas inside a field.")
    refuse("literal/subarray-type-number", header("[('a', (→4, (2,)), (3,))]"), "SNPY_EXPECTED_TYPE",
           "The type inside a sub-array tuple.")
    strict("literal/top-subarray", header("→('<f8', (2,))"), "SNPY_TOP_LEVEL_SUBARRAY",
           "NumPy fails to load it from a file or adds dimensions from a map.")
    strict("literal/top-subarray-scalar", header("→('<f8', ())"), "SNPY_TOP_LEVEL_SUBARRAY",
           "The type of the whole array is no tuple.")
    strict("literal/top-parentheses", header("→('<f8')"), "SNPY_TOP_LEVEL_SUBARRAY", "Parentheses around a type.")
    strict("literal/top-size", header("→('S', 10)"), "SNPY_TOP_LEVEL_SUBARRAY", "A size outside the type string.")
    strict("literal/top-void-size", header("→('V', 16)"), "SNPY_TOP_LEVEL_SUBARRAY",
           "A size outside the type string.")
    refuse("literal/top-tuple-of-fields", header("→(('a', '<f8'),)"), "SNPY_TOP_LEVEL_SUBARRAY",
           "A tuple of fields instead of a list.")
    refuse("literal/top-empty-tuple", header("→()"), "SNPY_TOP_LEVEL_SUBARRAY", "An empty tuple.")
    strict("literal/top-union", header("→('<i4', [('lo', '<i2'), ('hi', '<i2')])"), "SNPY_TOP_LEVEL_SUBARRAY",
           "A union of an integer and a record.")
    for name, value in (("string", "'<f8'"), ("number", "1"), ("none", "None"), ("comma", ","),
                        ("brace", "{'a': 1}")):
        refuse(f"literal/field-{name}", header(f"[→{value}]"), "SNPY_EXPECTED_FIELD", "A field is a tuple.")
    strict("literal/field-short-string", header("[→'ab']"), "SNPY_EXPECTED_FIELD",
           "NumPy takes the two letters for name and type.")
    refuse("literal/field-commas", header("[('a', '<f8'),→, ('b', '|u1')]"), "SNPY_EXPECTED_FIELD",
           "Two commas between fields.")
    refuse("literal/field-pair-unwrapped", header("[→'a', '<f8']"), "SNPY_EXPECTED_FIELD",
           "Name and type without their tuple.")
    refuse("literal/field-nested-string", header("[('a', [→'<f8'])]"), "SNPY_EXPECTED_FIELD",
           "A list that holds a type.")
    for name, value in (("number", "3"), ("none", "None"), ("string", "'(3,)'"), ("set", "{3}"), ("true", "True"),
                        ("one", "1"), ("float", "3.0"), ("missing", ","), ("brace", "}"), ("u", "u'3'")):
        text = "{'descr': '<f8', 'fortran_order': False, 'shape': →" + value + (" }" if value != "}" else "")
        refuse(f"literal/shape-{name}", text, "SNPY_EXPECTED_SHAPE", "A shape is a tuple.")
    strict("literal/field-shape-none", header("[('a', '<f8', →None)]"), "SNPY_EXPECTED_SHAPE",
           "None for no shape; never written.")
    refuse("literal/field-shape-string", header("[('a', '<f8', →'2')]"), "SNPY_EXPECTED_SHAPE",
           "A shape is a tuple.")
    strict("literal/union-field", header("[('a', ('<i4', →[('lo', '<i2'), ('hi', '<i2')]))]"),
           "SNPY_EXPECTED_SHAPE", "A union of an integer and a record.")
    also_refused("list-shape", header("[('a', ('<i4', [→('lo', '<i2'), ('hi', '<i2')]))]"), "SNPY_BAD_DIMENSION")
    strict("literal/union-view", header("[('a', ('<i4', →'<f4'))]"), "SNPY_EXPECTED_SHAPE",
           "A type with another one of the same size.")
    for name, value in (("plain", "(3→)"), ("zero", "(0→)"), ("blank", "(3 →)"), ("long", "(3L→)")):
        refuse(f"literal/not-a-tuple-{name}", header(shape=value), "SNPY_SHAPE_NOT_A_TUPLE",
               "One dimension without a comma is a number in parentheses.")
    strict("literal/not-a-tuple-field", header("[('a', '<f8', (2→))]"), "SNPY_SHAPE_NOT_A_TUPLE",
           "A sub-array's shape without a comma is a number.")
    strict("literal/needs-shape-field", header("[('a', ('<f8', (2,))→)]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "NumPy writes ('a', '<f8', (2,)) for that.")
    strict("literal/needs-shape-field-comma", header("[('a', ('<f8', (2,)),→)]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "A comma, and no shape after it.")
    strict("literal/needs-shape-parentheses", header("[('a', ('<f8'→))]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "Parentheses around a type.")
    refuse("literal/needs-shape-one-tuple", header("[('a', ('<f8',→), (3,))]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "A sub-array tuple without a shape.")
    strict("literal/needs-shape-empty", header("[('a', ('<f8', →()), (3,))]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "A sub-array tuple with an empty shape.")
    strict("literal/needs-shape-empty-outer", header("[('a', ('<f8', (2,)), →())]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "An empty shape on a sub-array type.")
    strict("literal/needs-shape-inner", header("[('a', (('<f8', (2,))→), (3,))]"), "SNPY_SUBARRAY_NEEDS_SHAPE",
           "A tuple around a sub-array type, without a shape of its own.")
    for name, text in (("field", "[('a', '<f8', →1)]"), ("subarray", "[('a', ('<f8', →1), (2,))]")):
        strict(f"literal/one-as-shape-{name}", header(text), "SNPY_EXPECTED_SHAPE",
               "NumPy 1.x reads a scalar, 2.x a shape (1,), so that not even the flag for integers takes it.")
        also_refused("int-shape", header(text), "SNPY_ONE_AS_SHAPE")


def dimensions():
    """NPY-LIT-017 to 020: what a dimension is."""
    for name, value in (("float", "3→.0"), ("exponent", "3→e0"), ("string", "→'3'"), ("none", "→None"),
                        ("word", "→n"),
                        ("lower-l", "3→l"), ("two-l", "3L→L"), ("complex", "3→j"), ("tilde", "→~3"),
                        ("product", "2→*3"), ("division", "4→//2"), ("slash", "4→/2"), ("call", "→int(3)"),
                        ("numpy-int", "→numpy.int64(3)"), ("bytes", "→b'3'"), ("list", "→[3]"),
                        ("hex-long", "0→xaL"),
                        ("dot", "→.5"), ("blank-digits", "1 →0"), ("colon", "3→:4"), ("semicolon", "3→;4"),
                        ("star", "→*3")):
        refuse(f"literal/dim-{name}", header(shape=f"({value},)"), "SNPY_BAD_DIMENSION",
               "A dimension is a decimal integer.")
    for name, value in (("hex", "0→x0"), ("octal", "0→o0"), ("binary", "0→b0"), ("upper-hex", "0→X0"),
                        ("underscore", "0→_0"), ("parentheses", "→(0)"), ("l-after-blank", "0 →L")):
        strict(f"literal/dim-{name}", header(shape=f"({value}, 1)"), "SNPY_BAD_DIMENSION",
               "A spelling that Python takes and NumPy never wrote.")
    refuse("literal/dim-true", header(shape="(→True,)"), "SNPY_BAD_DIMENSION", "A truth value is no dimension.")
    refuse("literal/dim-arabic-digit", header(shape="(→\u0663,)"), "SNPY_BAD_DIMENSION",
           "Digits are those of ASCII.", version="3.0")
    refuse("literal/dim-superscript", header(shape="(→\xb2,)"), "SNPY_BAD_DIMENSION", "Digits are those of ASCII.")
    refuse("literal/dim-comma-only", header(shape="(→,)"), "SNPY_BAD_DIMENSION", "A comma without a dimension.")
    refuse("literal/dim-two-commas", header(shape="(0,→, 1)"), "SNPY_BAD_DIMENSION", "Two commas in a row.")
    refuse("literal/dim-end-commas", header(shape="(0, 1,→,)"), "SNPY_BAD_DIMENSION", "Two commas at the end.")
    refuse("literal/dim-no-comma", header(shape="(0 →1)"), "SNPY_BAD_DIMENSION",
           "No comma between two dimensions.")
    refuse("literal/dim-bracket", header(shape="(0, 1→]"), "SNPY_BAD_DIMENSION", "A wrong closing bracket.")
    refuse("literal/dim-brace", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, →}", "SNPY_BAD_DIMENSION",
           "The shape is not closed.")
    strict("literal/dim-comment", header(shape="(0, →# c\n)"), "SNPY_BAD_DIMENSION", "A comment inside a shape.")
    strict("literal/dim-continuation", header(shape="(0, →\\\n)"), "SNPY_BAD_DIMENSION",
           "A backslash before the end of a line.")
    refuse("literal/dim-nul", header(shape="(0,→\0)"), "SNPY_BAD_DIMENSION", "A NUL is no blank.")
    strict("literal/dim-field", header("[('a', '<f8', (0→x2,))]"), "SNPY_BAD_DIMENSION",
           "The same in a sub-array.")
    refuse("literal/dim-field-float", header("[('a', '<f8', (2→.0,))]"), "SNPY_BAD_DIMENSION",
           "The same in a sub-array.")
    refuse("literal/dim-field-bool", header("[('a', '<f8', (→True,))]"), "SNPY_BAD_DIMENSION",
           "The same in a sub-array.")
    for name, value in (("minus-one", "(→-1,)"), ("minus-one-first", "(→-1, 3)"), ("minus-one-last", "(3, →-1)"),
                        ("minus-two", "(→-2, -3)"), ("minus-and-zero", "(→-1, 0)"), ("double", "(→--3,)"),
                        ("plus-minus", "(→+-3,)"), ("minus-blank", "(→- 1, 3)"),
                        ("minimum", "(→-9223372036854775808,)")):
        refuse(f"literal/sign-{name}", header(shape=value), "SNPY_SIGNED_DIMENSION",
               "A negative dimension: NumPy up to 2.2 filled it in from the file's size.")
    strict("literal/sign-minus-zero", header(shape="(→-0,)"), "SNPY_SIGNED_DIMENSION", "A sign, even on zero.")
    strict("literal/sign-plus", header(shape="(→+0,)"), "SNPY_SIGNED_DIMENSION", "A plus sign.")
    refuse("literal/sign-field", header("[('a', '<f8', (→-2,))]"), "SNPY_SIGNED_DIMENSION",
           "The same in a sub-array.")
    refuse("literal/zero-three", header(shape="(→03,)"), "SNPY_LEADING_ZERO", "A leading zero.")
    refuse("literal/zero-many", header(shape="(0, →0001)"), "SNPY_LEADING_ZERO", "Three leading zeros.")
    refuse("literal/zero-long", header(shape="(→03L,)"), "SNPY_LEADING_ZERO", "Python 2 read it as octal.")
    strict("literal/zero-zero", header(shape="(→00,)"), "SNPY_LEADING_ZERO",
           "Two zeros, which Python takes for one.")
    refuse("literal/zero-field", header("[('a', '<f8', (→02,))]"), "SNPY_LEADING_ZERO", "The same in a sub-array.")
    refuse("literal/long-3.0", header(shape="(0→L,)"), "SNPY_LONG_SUFFIX", "Version 3.0 came after Python 2.",
           version="3.0")
    refuse("literal/long-3.0-second", header(shape="(0, 1→L)"), "SNPY_LONG_SUFFIX", "On the second dimension.",
           version="3.0")
    refuse("literal/long-3.0-field", header("[('a', '<f8', (2→L,))]"), "SNPY_LONG_SUFFIX", "In a sub-array.",
           version="3.0")


def keys():
    """NPY-HDR-001 to 004: the three keys and the order."""
    tail = ", 'fortran_order': False, 'shape': (0,), }"
    for name, key in (("upper", "'DESCR'"), ("prefix", "'desc'"), ("longer", "'descr_'"), ("empty", "''"),
                      ("dtype", "'dtype'"), ("blank", "' descr'"), ("blank-end", "'descr '"),
                      ("nul", "'descr\\0'")):
        refuse(f"header/key-{name}", "{→" + key + ": '<f8'" + tail, "SNPY_UNKNOWN_KEY", "There are three keys.")
    refuse("header/key-extra", "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), →'version': 1}",
           "SNPY_UNKNOWN_KEY", "A fourth key.")
    refuse("header/key-extra-first", "{→'a': 1, " + header()[1:], "SNPY_UNKNOWN_KEY", "A fourth key before the others.")
    refuse("header/key-unicode", "{u→'Shape': (0,), 'descr': '<f8', 'fortran_order': False}", "SNPY_UNKNOWN_KEY",
           "The offset is that of the quote, not of the u before it.")
    for name, key in (("escape", r"'\x64escr'"), ("escape-u", r"'\u0064escr'"), ("concatenated", "'des' 'cr'"),
                      ("triple", "'''descr'''")):
        strict(f"header/key-{name}", "{→" + key + ": '<f8'" + tail, "SNPY_UNKNOWN_KEY",
               "A key in a spelling that Python takes and NumPy never wrote.")
    danger = "Readers disagree on which of the two counts, so a file can show each of them another array."
    refuse("header/duplicate-descr", "{'descr': '<f8', →'descr': '<f4'" + tail, "SNPY_DUPLICATE_KEY",
           "The same key twice; Python takes the last one.", danger=danger)
    refuse("header/duplicate-shape", "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), →'shape': (0, 2), }",
           "SNPY_DUPLICATE_KEY", "The same key twice; Python takes the last one.", danger=danger)
    refuse("header/duplicate-order",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), →'fortran_order': True}",
           "SNPY_DUPLICATE_KEY", "The same key twice; Python takes the last one.", danger=danger)
    refuse("header/duplicate-equal", "{'descr': '<f8', →'descr': '<f8'" + tail, "SNPY_DUPLICATE_KEY",
           "The same key twice, with the same value.", danger=danger)
    refuse("header/duplicate-quotes", "{'descr': '<f8', u→\"descr\": '<f8'" + tail, "SNPY_DUPLICATE_KEY",
           "The same key in another spelling.", danger=danger)
    for name, text in (("descr", "{'fortran_order': False, 'shape': (0,), →}"),
                       ("order", "{'descr': '<f8', 'shape': (0,), →}"),
                       ("shape", "{'descr': '<f8', 'fortran_order': False, →}"), ("two", "{'shape': (0,) →}"),
                       ("all", "{→}"), ("all-blanks", "{  \n →}")):
        refuse(f"header/missing-{name}", text, "SNPY_MISSING_KEY", "All three keys are needed.")
    for name, value in (("two", "2"), ("none", "None"), ("string", "'True'"), ("lower", "true"), ("upper", "TRUE"),
                        ("empty", ","), ("letter", "'F'"), ("not", "not True"), ("list", "[True]"),
                        ("tuple", "(True,)"),
                        ("float", "1.0"), ("c", "'C'"), ("minus", "-1"), ("np-bool", "numpy.bool_(True)")):
        text = header(order="→"
                      + value) if value != "," else "{'descr': '<f8', 'fortran_order': →, 'shape': (0,), }"
        refuse(f"header/order-{name}", text, "SNPY_BAD_FORTRAN_ORDER", "The order is True or False.")
    strict("header/order-parentheses", header(order="→(True)"), "SNPY_BAD_FORTRAN_ORDER",
           "Parentheses around a value.")
    strict("header/order-continuation", header(order="→\\\nTrue"), "SNPY_BAD_FORTRAN_ORDER",
           "A backslash before the end of a line.")


def depth():
    """NPY-LIT-021: nesting."""
    inside = header("[('a', " * 64 + "→[" + "]" + ")]" * 64)
    strict("literal/deep-65-lists", inside, "SNPY_TOO_DEEP", "65 lists inside one another.", flag="depth-over-64")
    tuples = header("[('a', " + "(" * 63 + "→('|u1', (1,))" + ", (1,))" * 63 + ", (1,))]")
    strict("literal/deep-64-tuples", tuples, "SNPY_TOO_DEEP", "A list and 64 sub-array tuples inside one another.",
           flag="depth-over-64")
    mixed = "[('a', (" * 32 + "→[('b', '|u1')]" + ", (1,)), (1,))]" * 32
    strict("literal/deep-mixed", header(mixed), "SNPY_TOO_DEEP", "Lists and tuples count together.",
           flag="depth-over-64")
    refuse("literal/deep-brackets", header("[→["), "SNPY_EXPECTED_FIELD", "Two opening brackets.")
    also_refused("list-field", header("[[→"), "SNPY_EXPECTED_STRING")
    refuse("literal/deep-open", "{'descr': " + "[('a', " * 64 + "→" + "[('a', " * 2000, "SNPY_TOO_DEEP",
           "Two thousand opening brackets, none closed.")


def cases():
    """All cases of this module."""
    frame_of_dict()
    strings()
    escapes()
    punctuation()
    types_and_fields()
    dimensions()
    keys()
    depth()
