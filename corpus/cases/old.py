"""Files as NumPy 1.0 to 1.23 and Python 2 wrote them, spelled out: those versions no longer run everywhere."""

import ast
import math
import re

import model
from cases import dsl
from cases.written import slug
from manifest import Case
from model import MAGIC

def old(name, text, reason, *, data=b"", align=16, major=1, rules=()):
    """A file as an old NumPy wrote it: the text padded with spaces, a newline at the end."""
    raw = text.encode("latin-1")
    prefix = 10 if major == 1 else 12
    raw += b" " * (-(prefix + len(raw) + 1) % align) + b"\n"
    head = MAGIC + bytes((major, 0)) + len(raw).to_bytes(prefix - 8, "little")
    said = ast.literal_eval(re.sub(r"(\d)L", r"\1", text))         # Python 2 wrote its longs with an L
    expect = model.expectation(said["descr"], said["fortran_order"], said["shape"], f"{major}.0",
                               prefix + len(raw))
    dsl.add(Case(id=f"accept/old/{name}", data=head + raw + data, verdict="accept", reason=reason,
                 rules=[*rules, "NPY-FRAME-004"], expect=expect))


# Pickles that Python 2 wrote, protocol 2, of an object array of shape (1,) that holds None.
PY2_PICKLE = (
    b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03("
    b"K\x01K\x01\x85cnumpy\ndtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U\x01|NNN"
    b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]q\x06Natb.")


def cases():
    """Headers of NumPy 1.0 to 1.23, as their sources and the files in NumPy's own tests show them."""
    three = model.counting("<f8", 3)
    record_data = model.counting([("a", "<f8"), ("b", "<i4")], 2)
    old("1.2-f8", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "NumPy 1.2 to 1.13: one line, aligned to 16.", data=three)
    old("1.2-0d", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "Aligned to 16, no dimensions.",
        data=three[:8])
    old("1.2-fortran", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1), }",
        "NumPy up to 1.9 called a column Fortran-ordered.", data=three, rules=["NPY-HDR-007"])
    old("1.2-record", "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "Records, aligned to 16.", data=record_data)
    old("1.2-bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }", "Booleans, aligned to 16.",
        data=b"\0\1\1\0")
    old("1.14-record",
        "{'descr': [('longitude_in_degrees', '<f8'), ('lat', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "NumPy 1.14 to 1.23: aligned to 64, without room to grow.", data=record_data, align=64)
    old("1.14-padding", "{'descr': [('a', '|u1'), ('', '|V7'), ('measurement', '<f8')], 'fortran_order': False,"
        " 'shape': (1,), }", "Padding as NumPy 1.14 wrote it and 1.16 learned to read it.", data=bytes(16),
        align=64)
    old("1.14-15d",
        "{'descr': '<i8', 'fortran_order': True, 'shape': (1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0), }",
        "Fifteen dimensions, aligned to 64, without room to grow.", align=64, rules=["NPY-HDR-007"])
    old("1.0-pprint", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
        "NumPy up to 1.1: pprint, without a comma after the last entry.", data=three, rules=["NPY-LIT-010"])
    old("1.0-pprint-record", "{'descr': [('first_column', '<f8'),\n           ('second_column', '<i4')],\n"
        " 'fortran_order': False,\n 'shape': (2,)}", "pprint broke long headers into lines.", data=record_data)
    old("1.0-pprint-0d", "{'descr': '<i4', 'fortran_order': False, 'shape': ()}", "pprint, no dimensions.",
        data=bytes(4))
    old("1.0-pprint-nested", "{'descr': [('info',\n            [('name', '|S8'), ('value', '>f4', (2, 2))]),\n"
        "           ('flag', '|b1')],\n 'fortran_order': False,\n 'shape': (1,)}",
        "pprint of a nested record with a sub-array.", data=bytes(25))
    old("py2-long", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }",
        "Python 2 on Windows wrote longs with an L.", data=three, rules=["NPY-LIT-020"])
    old("py2-long-2d", "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 3L), }",
        "Two dimensions, both with an L.", data=bytes(12), rules=["NPY-LIT-020"])
    old("py2-long-2.0", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }",
        "An L in version 2.0.", data=three, major=2, rules=["NPY-LIT-020"])
    old("py2-long-subarray", "{'descr': [('a', '<i2', (2L,))], 'fortran_order': False, 'shape': (1L,), }",
        "An L in the shape of a sub-array.", data=bytes(4), rules=["NPY-LIT-020"])
    old("py2-unicode-name", "{'descr': [(u'a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "Python 2 wrote names given as unicode with a u.", data=record_data, rules=["NPY-LIT-004"])
    old("py2-unicode-title", "{'descr': [((u'Title', 'a'), '<f8'), ('b', '<i4')], 'fortran_order': False,"
        " 'shape': (2,), }", "A title given as unicode.", data=record_data, rules=["NPY-LIT-004"])
    old("py2-object", "{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }",
        "Objects were |O8 on 64-bit machines.", data=PY2_PICKLE, rules=["NPY-DATA-003", "NPY-DTYPE-002"])
    old("py2-object-32", "{'descr': '|O4', 'fortran_order': False, 'shape': (1,), }",
        "Objects were |O4 on 32-bit machines.", data=PY2_PICKLE, rules=["NPY-DATA-003", "NPY-DTYPE-002"])
    old("py2-object-record", "{'descr': [('a', '|O8'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }",
        "Records with an old object.", data=PY2_PICKLE, rules=["NPY-DATA-003"])
    old("1.9-2.0-f8", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "Version 2.0 as NumPy 1.9 to 1.13 wrote it on request.", data=three, major=2)
    every_type()


def every_type():
    """Each kind of type in both alignments, in both orders and with several numbers of dimensions."""
    for text in ("|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<f2", "<f4", ">f8", "<c8", ">c16", "|S3",
                 "<U2",
                 ">U2", "|V5", "<M8[ns]", ">m8[D]"):
        for version, years, align in (("1.13", "1.9 to 1.13", 16), ("1.19", "1.14 to 1.23", 64)):
            for name, shape, fortran in (("1d", (2,), False), ("2d", (2, 3), False), ("2d-fortran", (2, 3), True)):
                old(f"{version}-{slug(text)}-{name}",
                    model.dictionary(model.python_repr(text), fortran, shape),
                    f"As NumPy {years} wrote it: aligned to {align}, without room to grow.", align=align,
                    data=model.counting(text, math.prod(shape)), rules=["NPY-CANON-008", "NPY-FRAME-008"])
    for version, years, align in (("1.13", "1.9 to 1.13", 16), ("1.19", "1.14 to 1.23", 64)):
        for name, descr in (("record", [("a", "<f8"), ("b", "|S3")]),
                            ("nested", [("p", [("x", "<i2"), ("y", ">i2")]), ("q", "|u1")]),
                            ("subarray", [("a", "<f4", (2, 2)), ("b", "|b1")]), ("title", [(("t", "a"), "<i4")]),
                            ("latin1", [("\xe9", "<i4")])):
            old(f"{version}-{name}", model.dictionary(model.python_repr(descr), False, (2,)),
                f"Records as NumPy {years} wrote them.", align=align, data=model.counting(descr, 2),
                rules=["NPY-CANON-008", "NPY-FRAME-008"])
