"""Faults that tools/abnf.py must find in a grammar, and grammars that try its matcher."""

START = ";! start a\n"

# (title, grammar, line of the fault, part of the sentence)
SYNTAX = [
    ("no equals sign", "a \"x\"\n", 1, "'=' or '=/'"),
    ("rule not in the first column", "a = \"x\"\n( b )\n", 2, "first column"),
    ("name with an underscore", "a_b = \"x\"\n", 1, "'=' or '=/'"),
    ("open group", "a = ( \"x\" / \"y\"\n\nb = \"z\"\n", 1, "')' is missing"),
    ("open option", "a = [ \"x\"\n", 1, "']' is missing"),
    ("open string", "a = \"x\n", 1, "an element was expected"),
    ("empty line inside a rule", "a = \"x\"\n\n    \"z\"\n", 3, "first column"),
    ("open string further down", "; one\na = \"x\"\n\nb = \"y\n", 4, "an element was expected"),
    ("nothing behind the slash", "a = \"x\" /\n", 1, "an element was expected"),
    ("nothing behind the equals sign", "a =\n", 1, "an element was expected"),
    ("single quotes", "a = 'x'\n", 1, "an element was expected"),
    ("repetition backwards", "a = 3*2\"x\"\n", 1, "from 3 to 2"),
    ("range backwards", "a = %x39-30\n", 1, "smaller than its beginning"),
    ("number of no base", "a = %q41\n", 1, "an element was expected"),
    ("hexadecimal number without digits", "a = %x\n", 1, "digits must follow"),
    ("decimal number with letters", "a = %d4A\n", 1, "not ABNF"),
    ("bracket too many", "a = \"x\" )\n", 1, "not ABNF"),
    ("character beyond ASCII", "a = \"x\"\nb = \"\xe9\"\n", 2, "does not know"),
    ("rule twice", "a = \"x\"\nb = \"y\"\nA = \"z\"\n", 3, "defined twice, first in line 1"),
    ("addition to no rule", "a =/ \"x\"\n", 1, "not there"),
    ("directive misspelt", ";! star a\na = \"x\"\n", 1, "not a directive"),
    ("rule beyond a grammar twice", ";! beyond a: NPY-LIT-001 x\n;! beyond a: NPY-LIT-001 y\na = \"x\"\n", 2,
     "named twice"),
]

# (title, grammar, line, part of the sentence); the grammar can be read, and is wrong as a whole
WHOLE = [
    ("undefined rule", START + "a = b\n", 2, "b is not defined"),
    ("undefined rule in a continuation line", START + "a = \"x\"\n    / c\n", 3, "c is not defined"),
    ("unused rule", START + "a = \"x\"\nb = \"y\"\n", 3, "b is not used"),
    ("rules that only use each other", START + "a = \"x\"\nb = \"y\" [ c ]\nc = b\n", 3, "b is not used"),
    ("left recursion", START + "a = a \"x\" / \"y\"\n", 2, "a begins with itself"),
    ("left recursion behind an option", START + "a = [ \"z\" ] a \"x\" / \"y\"\n", 2, "a begins with itself"),
    ("left recursion behind an empty rule", START + "a = b a / \"y\"\nb = *\"z\"\n", 2, "a begins with itself"),
    ("left recursion of two", START + "a = b \"x\" / \"y\"\nb = a \"z\"\n", 2, "a begins with itself"),
    ("no finite text", START + "a = \"x\" a\n", 2, "a derives no finite text"),
    ("prose", START + "a = <some text>\n", 2, "cannot be matched"),
    ("no start rule", "a = \"x\"\n", 1, "a is not used"),
    ("start that is no rule", START + ";! start b\na = \"x\"\n", 0, "names b"),
    ("rules beyond no rule", START + ";! beyond b: NPY-LIT-001 x\na = \"x\"\n", 0, "names b"),
    ("version without no rule", START + ";! without b in 3.0\na = \"x\"\n", 0, "names b"),
]

# Replacements in the real grammar, each of which makes it ill-formed: (old, new, part of the sentence)
REAL = [
    ("close-dict         =", "close-dicts        =", "close-dict is not defined"),
    ("empty-shape / dimensions ", "dimensions ", "empty-shape is not used"),
    ('record             = "["', 'record             = record "["', "record begins with itself"),
    ("subarray           = \"(\" ws ( type / subarray )", "subarray           = \"(\" ws ( subarray )",
     "subarray derives no finite text"),
    ("long-suffix        =", "long_suffix        =", "'=' or '=/'"),
    ("%x20-21 / %x23-26 / %x28-5B / %x5D-7E / %x80-D7FF", "%x21-20", "smaller than its beginning"),
]

# (title, grammar, start, texts that derive, texts that do not)
MATCHES = [
    ("a string takes letters of either case", 'a = "xY"', ["xy", "XY", "xY"], ["x", "xyy", ""]),
    ("a case-sensitive string does not", 'a = %s"xY"', ["xY"], ["xy", "XY"]),
    ("an explicit case-insensitive string does", 'a = %i"x"', ["x", "X"], ["y"]),
    ("numbers and their sequences", "a = %x41.42 / %d67 / %b1000100", ["AB", "C", "D"], ["A", "ab", "E"]),
    ("a range has both its ends", "a = %x62-64", ["b", "c", "d"], ["a", "e"]),
    ("repetition without bounds", 'a = *"x"', ["", "x", "xxxx"], ["y", "xy"]),
    ("repetition with both bounds", 'a = 2*3"x"', ["xx", "xxx"], ["x", "xxxx"]),
    ("repetition with an upper bound", 'a = *2"x"', ["", "xx"], ["xxx"]),
    ("repetition with a lower bound", 'a = 2*"x"', ["xx", "xxxxx"], ["x", ""]),
    ("exact repetition", 'a = 3"x"', ["xxx"], ["xx", "xxxx"]),
    ("repetition of what may be empty", 'a = *( *"x" *"y" )', ["", "xyxxy", "yx"], ["z"]),
    ("concatenation binds closer than the slash", 'a = "x" "y" / "z"', ["xy", "z"], ["xz"]),
    ("an addition to a rule", 'a = "x"\na =/ "y"', ["x", "y"], ["xy"]),
    ("names have no case", 'a = B\nb = "x"', ["x"], ["b"]),
    ("continuation lines and comments", 'a = "x" ; "y"\n    "z"', ["xz"], ["x", "xyz"]),
    ("a rule nested in itself", 'a = "(" [ a ] ")"', ["()", "(())", "(" * 9 + ")" * 9], ["(", "(()", "())", ")("]),
    ("left recursion", 'a = a "+" "x" / "x"', ["x", "x+x", "x+x+x"], ["", "+x", "x+"]),
    ("left recursion behind an empty rule", 'a = b a "x" / "y"\nb = [ "z" ]', ["y", "yx", "zyx", "zzyxx"],
     ["zy", "x"]),
    ("ambiguity", "a = a a / \"x\"", ["x", "xx", "xxxxx"], ["", "xy"]),
    ("a rule that is empty inside one that is not", 'a = "x" b "y" b\nb = [ a ]', ["xy", "xxyy", "xyxy", "xxyyxy"],
     ["", "xyx", "yx"]),
    ("no counting of two against two is lost", 'a = b c\nb = [ "x" b "y" ]\nc = [ "y" c "z" ]',
     ["", "xy", "yz", "xyyz", "xxyyyyzz"], ["xyz", "xz"]),
    ("palindromes, not to be told from the left", 'a = "x" a "x" / "y" a "y" / "x" / "y" / ""',
     ["", "xyx", "xxyyxx", "yxxxy"], ["xy", "xxy"]),
]
