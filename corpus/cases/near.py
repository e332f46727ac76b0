"""Words that differ in one letter from one that means something, and what ends in the middle of one.

A reader that compares words letter by letter can leave a letter out; a hash or a prefix can be right by chance. Each
case differs in the one place that no other case looks at."""

from cases.dsl import F8, accept, also_refused, compat, field, header, record, refuse, take, unended


def booleans():
    """NPY-HDR-004, NPY-COMPAT-002."""
    for word in ("Faxse", "Falze", "Falso", "Trxe", "Trus"):
        refuse(f"header/order-near-{word.lower()}", header(order=f"→{word}"), "SNPY_BAD_FORTRAN_ORDER",
               "One letter of True or False is another.", flags=("numpy-bool",))
    refuse("compat/numpy-bool-underscore", header(order="→np_True_"), "SNPY_BAD_FORTRAN_ORDER",
           "The dot is an underscore.", flags=("numpy-bool",))
    refuse("phase/numpy-bool-at-end", "{'descr': '<f8', 'shape': (0,), 'fortran_order': →np.False", "SNPY_BAD_FORTRAN_ORDER",
           "The text ends before the last underscore.", pad=False, flags=("numpy-bool",))


def type_names():
    """NPY-DTYPE-006, NPY-COMPAT-009."""
    for word in ("unt8", "imt8", "inx8", "boom", "uinx8", "flout64", "floax64", "objekt", "comblex64", "compley64",
                 "datatime64", "datetine64", "timezelta64", "timedelto64", "int064", "int128", "float64x", "float{64"):
        refuse(f"dtype/near-{word.replace('{', 'brace-')}", header(f"'→{word}'"), "SNPY_TYPE_NAME",
               "Almost the name of a type.", flags=("type-names",))
    also_refused("type-names", header("'→int'"), "SNPY_TYPE_NAME")


def dimensions():
    """NPY-LIT-017, NPY-COMPAT-003, NPY-LIT-019, NPY-COMPAT-005."""
    for name, word in (("numpy", "np_int64(0)"), ("package", "nq.int64(0)"), ("second", "np.imt64(0)"),
                       ("third", "np.inx64(0)"), ("eight", "np.int8[0]"), ("sixteen", "np.int18(0)"),
                       ("thirty-two", "np.int31(0)"), ("sixty-four", "np.int62(0)"), ("bracket", "np.int64[0]")):
        refuse(f"compat/numpy-int-near-{name}", header(shape=f"(→{word}, 3)"), "SNPY_BAD_DIMENSION",
               "One character of a NumPy integer is another.", flags=("numpy-int",))
    refuse("phase/numpy-int-at-end", "{'descr': '<f8', 'fortran_order': False, 'shape': (→np.uint64(", "SNPY_BAD_DIMENSION",
           "The text ends after the opening bracket.", pad=False)
    also_refused("numpy-int", "{'descr': '<f8', 'fortran_order': False, 'shape': (np.uint64(→", "SNPY_UNEXPECTED_END",
                 pad=False)
    refuse("compat/int-shape-zeros", header("[('a', '<f8', →02)]"), "SNPY_EXPECTED_SHAPE",
           "An integer in place of a shape, with a leading zero.")
    also_refused("int-shape", header("[('a', '<f8', →02)]"), "SNPY_LEADING_ZERO")
    refuse("phase/int-shape-at-end", "{'descr': [('a', '<f8', →2", "SNPY_EXPECTED_SHAPE",
           "The text ends after an integer in place of a shape.", pad=False)
    also_refused("int-shape", "{'descr': [('a', '<f8', 2→", "SNPY_UNEXPECTED_END", pad=False)
    compat("int-shape-long", "int-shape", header("[('a', '<f8', →2L)]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<f8', (2,))]", 16, [field("a", "<f8", 0, 16, (2,))]), "With the suffix of Python 2.")
    compat("int-shape-zero", "int-shape", header("[('a', '<f8', →0)]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<f8', (0,))]", 0, [field("a", "<f8", 0, 0, (0,))]), "A sub-array without elements.")


def texts():
    """NPY-LIT-001, NPY-FRAME-007, NPY-FRAME-009, NPY-COMPAT-007."""
    for count in range(3, 10):
        take(f"{count}-blanks", header(shape=" " * count + "(0,)"), "A run of blanks that is neither long nor one blank.",
             group="blanks")
    for name, end, version in (("line-feed", "\n ", "3.0"), ("return", "\r ", "3.0"), ("both", "\r\n ", "3.0"),
                               ("tab", "\n\t", "3.0"), ("many", "  \n    ", "3.0"), ("return-1.0", "\r ", "1.0"),
                               ("return-2.0", "\r ", "2.0"), ("three-blanks", "\n   ", "3.0"),
                               ("line-between", "\n\n ", "3.0")):
        unended(name, header() + end, "Python's parser takes the last line of blanks for an indented one.",
                version=version)
    # "\n " in versions 1.0 and 2.0 is left out: NumPy took it until 2.4 and refuses it since 2.5.
    for name, end, version in (("form-feed", "\n\f", "3.0"), ("two-lines", " \n \n", "3.0"),
                               ("two-lines-1.0", " \n \n", "1.0")):
        accept(f"padding-lines-{name}", header() + end, F8, "Padding of several lines that NumPy takes.", version=version,
               pad=False, group="blanks", rules=["NPY-FRAME-009"])
    for name, raw in (("second-above", "\udce2\udcc2\udcac"), ("third-above", "\udce2\udc82\udcc0"),
                      ("fourth-above", "\udcf0\udc9f\udc98\udcff")):
        refuse(f"encoding/name-{name}", header(f"[('a→{raw}b', '<f8')]"), "SNPY_BAD_UTF8",
               "A byte that continues no sequence stands where one should.", version="3.0")
    compat("metadata-double-quotes", "metadata", header('[(\'a\', (\'<i4\', →{"}": "\'}"}))]'), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<i4')]", 4, [field("a", "<i4", 0, 4)]), "Braces and a quote in strings in double quotes.")


def cases():
    """All cases of this module."""
    booleans()
    type_names()
    dimensions()
    texts()
