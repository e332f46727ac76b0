"""Spellings of real files that safenpy accepts under a compatibility flag only, and their limits."""

from cases.dsl import PICKLE, compat, field, header, plain, record, refuse, strict

F8 = plain("<f8", 8)
A_F8 = "[('a', '<f8')]"


def orders_and_shapes():
    """int-fortran-order, numpy-bool, numpy-int, list-shape, int-shape."""
    for value, order in (("1", True), ("0", False)):
        compat(f"int-fortran-order-{value}", "int-fortran-order", header(order=f"→{value}", shape="(0, 2)"),
               "SNPY_BAD_FORTRAN_ORDER", plain("<f8", 8, (0, 2), order), "open_memmap writes what it is given.")
    for value in (True, False):
        compat(f"numpy-bool-{str(value).lower()}", "numpy-bool", header(order=f"→np.{value}_", shape="(0, 2)"),
               "SNPY_BAD_FORTRAN_ORDER", plain("<f8", 8, (0, 2), value),
               "NumPy 2.x open_memmap given a NumPy truth value.")
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        compat(f"numpy-int-{kind}", "numpy-int", header(shape=f"(→np.{kind}(0), 3)"), "SNPY_BAD_DIMENSION",
               plain("<f8", 8, (0, 3)), "NumPy 2.x open_memmap given a NumPy integer as a dimension.")
    compat("numpy-int-all", "numpy-int", header(shape="(→np.int64(0), np.int64(3))"), "SNPY_BAD_DIMENSION",
           plain("<f8", 8, (0, 3)), "Every dimension a NumPy integer.")
    compat("numpy-int-one", "numpy-int", header("'<i2'", shape="(→np.int64(2),)"), "SNPY_BAD_DIMENSION",
           plain("<i2", 2, (2,)), "One dimension and its data.", data=bytes(4))
    for name, shape, dims in (("two", "→[0, 3]", (0, 3)), ("one", "→[0]", (0,)), ("none", "→[]", ()),
                              ("comma", "→[0, 3,]", (0, 3))):
        compat(f"list-shape-{name}", "list-shape", header(shape=shape), "SNPY_EXPECTED_SHAPE",
               plain("<f8", 8, dims),
               "open_memmap given a list as shape.", data=bytes(8) if not dims else b"")
    compat("list-shape-field", "list-shape", header("[('a', '<f8', →[2, 3])]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<f8', (2, 3))]", 48, [field("a", "<f8", 0, 48, (2, 3))]),
           "A list as a sub-array's shape.")
    compat("int-shape", "int-shape", header("[('a', '<f8', →2)]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<f8', (2,))]", 16, [field("a", "<f8", 0, 16, (2,))]),
           "An integer other than 1 as a sub-array's shape.")
    compat("int-shape-large", "int-shape", header("[('a', '|u1', →1000), ('b', '<f8')]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '|u1', (1000,)), ('b', '<f8')]", 1008,
                  [field("a", "|u1", 0, 1000, (1000,)), field("b", "<f8", 1000, 8)]),
           "An integer of several digits that begins with 1.")
    compat("int-shape-subarray", "int-shape", header("[('a', ('<f8', →2), (3,))]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', ('<f8', (2,)), (3,))]", 48, [field("a", "<f8", 0, 48, (3, 2))]),
           "An integer inside a sub-array tuple.")


def fields():
    """list-field and metadata."""
    compat("list-field", "list-field", header("[→['a', '<f8']]"), "SNPY_EXPECTED_FIELD",
           record(A_F8, 8, [field("a", "<f8", 0, 8)]), "A list in place of a field's tuple, as JSON makes it.")
    compat("list-field-mixed", "list-field", header("[('a', '<f8'), →['b', '|u1', (2,)]]"), "SNPY_EXPECTED_FIELD",
           record("[('a', '<f8'), ('b', '|u1', (2,))]", 10,
                  [field("a", "<f8", 0, 8), field("b", "|u1", 8, 2, (2,))]), "One field of two is a list.")
    compat("list-field-nested", "list-field", header("[('r', [→['a', '<f8']])]"), "SNPY_EXPECTED_FIELD",
           record(f"[('r', {A_F8})]", 8, [field("r", A_F8, 0, 8), field(("r", "a"), "<f8", 0, 8)]),
           "A list as the field of an inner record.")
    objects = record("[('a', '|O')]", 8, [field("a", "|O", 0, 8)], has_object=True)
    compat("metadata-vlen", "metadata", header("[('a', ('|O', →{'vlen': 'str'}))]"), "SNPY_EXPECTED_SHAPE",
           objects,
           "NumPy 1.x wrote the metadata that h5py puts on a field, and cannot read it.", data=PICKLE)
    compat("metadata-class", "metadata", header("[('a', ('|O', →{'vlen': <class 'str'>}))]"),
           "SNPY_EXPECTED_SHAPE",
           objects, "What repr writes for h5py's metadata is no literal.", data=PICKLE)
    compat("metadata-plain", "metadata", header("[('a', ('<i4', →{'x': 1})), ('b', '<f8')]"),
           "SNPY_EXPECTED_SHAPE",
           record("[('a', '<i4'), ('b', '<f8')]", 12, [field("a", "<i4", 0, 4), field("b", "<f8", 4, 8)]),
           "Metadata on an integer.")
    compat("metadata-nested", "metadata", header("[('a', ('<i4', →{'x': {'y': [1, (2, '}')]}}))]"),
           "SNPY_EXPECTED_SHAPE", record("[('a', '<i4')]", 4, [field("a", "<i4", 0, 4)]),
           "Brackets and a brace in a string inside the metadata.")
    compat("metadata-empty", "metadata", header("[('a', ('<i4', →{}))]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<i4')]", 4, [field("a", "<i4", 0, 4)]), "Metadata without entries.")
    compat("metadata-empty-subarray", "metadata", header("[('a', ('<f8', →{}), (2,))]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<f8', (2,))]", 16, [field("a", "<f8", 0, 16, (2,))]),
           "Metadata without entries on the type of a sub-array.")
    compat("metadata-shape", "metadata", header("[('a', ('<i4', →{'x': 1}), (2,))]"), "SNPY_EXPECTED_SHAPE",
           record("[('a', '<i4', (2,))]", 8, [field("a", "<i4", 0, 8, (2,))]),
           "Metadata on the type of a sub-array.")


def types():
    """native-order, type-names, bytes-alias, platform-float."""
    for kind in ("f8", "i4", "u2", "c16", "f2"):
        for start in ("", "="):
            name = kind + ("-equals" if start else "")
            compat(f"native-order-{name}", "native-order", header(f"'→{start}{kind}'"), "SNPY_NO_BYTE_ORDER",
                   plain("<" + kind, int(kind[1:])), "The byte order of the machine that wrote it, unknown here.")
    for kind, item in (("b1", 1), ("i1", 1), ("u1", 1), ("S5", 5), ("V3", 3)):
        compat(f"native-order-{kind}", "native-order", header(f"'→{kind}'"), "SNPY_NO_BYTE_ORDER",
               plain("|" + kind, item),
               "No byte order is needed; the bar is missing.")
    compat("native-order-u3", "native-order", header("'→U3'"), "SNPY_NO_BYTE_ORDER", plain("<U3", 12),
           "A string without byte order.")
    compat("native-order-datetime", "native-order", header("'→M8[ns]'"), "SNPY_NO_BYTE_ORDER", plain("<M8[ns]", 8),
           "A datetime without byte order.")
    compat("native-order-timedelta", "native-order", header("'→=m8[25s]'"), "SNPY_NO_BYTE_ORDER",
           plain("<m8[25s]", 8),
           "A timedelta in native order.")
    compat("native-order-field", "native-order", header("[('a', '→i4')]"),
           "SNPY_NO_BYTE_ORDER", record("[('a', '<i4')]", 4, [field("a", "<i4", 0, 4)]),
           "A field without byte order.")
    named = {"bool": ("|b1", 1), "int8": ("|i1", 1), "int16": ("<i2", 2), "int32": ("<i4", 4), "int64": ("<i8", 8),
             "uint8": ("|u1", 1), "uint16": ("<u2", 2), "uint32": ("<u4", 4), "uint64": ("<u8", 8),
             "float16": ("<f2", 2), "float32": ("<f4", 4), "float64": ("<f8", 8), "complex64": ("<c8", 8),
             "complex128": ("<c16", 16), "datetime64": ("<M8", 8), "timedelta64": ("<m8", 8),
             "datetime64[ns]": ("<M8[ns]", 8), "timedelta64[25s]": ("<m8[25s]", 8)}
    for text, (descr, size) in named.items():
        name = text.replace("[", "-").replace("]", "")
        compat(f"type-names-{name}", "type-names", header(f"'→{text}'"), "SNPY_TYPE_NAME", plain(descr, size),
               "A type by its name; its byte order is the machine's that wrote it.")
    compat("type-names-object", "type-names", header("'→object'"), "SNPY_TYPE_NAME",
           plain("|O", 8, has_object=True),
           "Objects by their name.", data=PICKLE)
    compat("type-names-field", "type-names", header("[('a', '→float32')]"), "SNPY_TYPE_NAME",
           record("[('a', '<f4')]", 4, [field("a", "<f4", 0, 4)]), "A field's type by its name.")
    for text in ("int", "uint", "long", "longlong", "intp", "uintp", "longdouble", "clongdouble", "str", "bytes",
                 "void",
                 "float", "complex", "short", "ushort", "byte", "intc", "half", "single", "double", "csingle",
                 "cdouble",
                 "ulonglong", "ubyte", "float128", "complex256"):
        strict(f"dtype/name-{text}", header(f"'→{text}'"), "SNPY_TYPE_NAME",
               "A name whose size differs between platforms, or that C code uses.")
    for text in ("bfloat16", "float8_e5m2", "foo", "list", "dict", "none", "ns", "fp"):
        refuse(f"dtype/name-{text}", header(f"'→{text}'"), "SNPY_TYPE_NAME", "Not a name that NumPy knows.")
    for name, text in (("bar", "|→a5"), ("little", "<→a5"), ("big", ">→a5"), ("zero", "|→a0")):
        size = int(text[-1])
        compat(f"bytes-alias-{name}", "bytes-alias", header(f"'{text}'"), "SNPY_BYTES_ALIAS",
               plain(f"|S{size}", size),
               "The old letter for bytes.")
    for text in ("<f10", "<f12", ">f10", ">f12", "<c20", "<c24", ">c20", ">c24"):
        name = text.replace("<", "le-").replace(">", "be-")
        compat(f"platform-float-{name}", "platform-float", header(f"'{text[:2]}→{text[2:]}'"),
               "SNPY_PLATFORM_FLOAT",
               plain(text, int(text[2:])), "A long double of another platform, taken as opaque bytes.")
    compat("platform-float-field", "platform-float", header("[('a', '|u1'), ('b', '<f→12')]"),
           "SNPY_PLATFORM_FLOAT",
           record("[('a', '|u1'), ('b', '<f12')]", 13, [field("a", "|u1", 0, 1), field("b", "<f12", 1, 12)]),
           "A field of another platform.")


def cases():
    """All cases of this module."""
    orders_and_shapes()
    fields()
    types()
