"""What goes wrong around the format: files of other kinds under this name, spellings of other languages and
libraries, lengths that count something else, files that came to harm.

The faults are kinds, made up from the rules; no program is said to have written the files.
"""

import model
from cases.dsl import header, make, plain, prefix_of, refuse, refuse_bytes, strict, take, trailing
from model import MAGIC

THREE = model.counting("<f8", 3)


def other_files():
    """Not NPY at all: what a download, a tool or a rename leaves behind."""
    for name, data in (("gzip", b"\x1f\x8b\x08\x00"), ("hdf5", b"\x89HDF\r\n\x1a\n"), ("bzip2", b"BZh91AY&SY"),
                       ("xz", b"\xfd7zXZ\x00"), ("zstandard", b"\x28\xb5\x2f\xfd"),
                       ("matlab", b"MATLAB 5.0 MAT-file"),
                       ("html", b"<!DOCTYPE html>\n<title>404</title>\n"), ("json", b'{"shape": [3]}\n'),
                       ("lfs-pointer", b"version https://git-lfs.github.com/spec/v1\nsize 152\n"),
                       ("zip-empty", b"PK\x05\x06" + bytes(18)), ("zeros", bytes(128)),
                       ("png", b"\x89PNG\r\n\x1a\n"),
                       ("safetensors", (24).to_bytes(8, "little") + b'{"__metadata__":{}}     '),
                       ("arrow", b"ARROW1\x00\x00"), ("parquet", b"PAR1"), ("dicom", bytes(128) + b"DICM")):
        refuse_bytes(f"other/{name}", data, "SNPY_BAD_MAGIC", f"A file of another kind ({name}) under this name.",
                     at=0)
    whole = make(header(shape="(3,)"), data=THREE)[0]
    refuse_bytes("other/replacement-character", b"\xef\xbf\xbd" + whole[1:], "SNPY_BAD_MAGIC",
                 "Decoded as UTF-8 and encoded again: the first byte became U+FFFD.", at=0)
    refuse_bytes("other/seven-bits", b"\x13" + whole[1:], "SNPY_BAD_MAGIC", "A channel of seven bits.", at=0)
    refuse_bytes("other/without-first-byte", whole[1:], "SNPY_BAD_MAGIC", "The first byte is missing.", at=0)
    refuse_bytes("other/base64", b"k05VTVBZAQB2AHsn", "SNPY_BAD_MAGIC", "Encoded as base64.", at=0)
    refuse_bytes("other/hex", b"934e554d5059", "SNPY_BAD_MAGIC", "A dump of the bytes.", at=0)
    refuse_bytes("other/newline-first", b"\n" + whole, "SNPY_BAD_MAGIC", "A newline before the magic.", at=0)
    refuse_bytes("other/lower-case", b"\x93numpy" + whole[6:], "SNPY_BAD_MAGIC", "The magic in lower case.", at=1)


def lengths():
    """The header's length counts something else."""
    text = header(shape="(3,)").encode("ascii")
    one_long = prefix_of("1.0", len(text) + 1) + text + b"\xff" + bytes(23)
    refuse_bytes("writers/length-takes-data", one_long, "SNPY_TRAILING_TEXT",
                 "The length counts a newline that was not written: the first byte of the data is text.",
                 at=10 + len(text))
    refuse_bytes("writers/length-with-prefix", prefix_of("1.0", 128) + text.ljust(117) + b"\n" + b"\xff" * 24,
                 "SNPY_TRAILING_TEXT", "The length counts the prefix as well.", at=128)
    refuse_bytes("writers/length-four-bytes-in-1.0", MAGIC + b"\x01\x00" + (118).to_bytes(4, "little")
                 + text.ljust(115) + b"\n", "SNPY_NOT_A_DICT", "Four bytes of length in version 1.0.", at=10)
    refuse_bytes("writers/length-of-text-only", prefix_of("1.0", len(text) - 2) + text.ljust(117) + b"\n" + THREE,
                 "SNPY_UNEXPECTED_END", "The length is too small by the closing brace.", at=10 + len(text) - 2)
    refuse_bytes("writers/text-zero", prefix_of("1.0", 118) + bytes(118) + THREE, "SNPY_NOT_A_DICT",
                 "The text was never written: a crash left zeros.", at=10)
    refuse_bytes("writers/text-half-zero", prefix_of("1.0", 118) + text[:30] + bytes(88) + THREE,
                 "SNPY_UNKNOWN_KEY", "A crash left zeros in the middle of a key.", at=10 + 17)
    refuse_bytes("writers/nul-terminated", prefix_of("1.0", len(text) + 1) + text + b"\0" + THREE,
                 "SNPY_TRAILING_TEXT",
                 "The text of a C string, with its NUL.", at=10 + len(text))
    refuse_bytes("writers/nul-padding", prefix_of("1.0", 118) + text.ljust(117, b"\0") + b"\n" + THREE,
                 "SNPY_TRAILING_TEXT", "Padding of NULs.", at=10 + len(text))
    trailing("text-mode-newline", header(shape="(3,)"), plain("<f8", 8, (3,)),
             "An extra newline after the header, as text mode leaves it: well-formed, and its data are shifted.",
             data=b"\n" + THREE)
    take("not-aligned-no-newline", header(shape="(3,)"), "A writer that pads nothing.", pad=False, group="writers",
         rules=["NPY-FRAME-008", "NPY-FRAME-009"])
    take("sixteen-without-newline", header(shape="(3,)").ljust(70), "Padded to 16, no newline.", pad=False,
         group="writers",
         rules=["NPY-FRAME-008", "NPY-FRAME-009"])
    take("json-quotes-shape-tuple", '{"descr": "<f8", "fortran_order": False, "shape": (3,)}',
         "Double quotes throughout.",
         group="writers", rules=["NPY-LIT-004"])
    take("reordered", "{'shape': (3,), 'fortran_order': False, 'descr': '<f8'}",
         "Keys in the order of the program.",
         group="writers", rules=["NPY-HDR-001"])
    take("always-fortran", header(order="True", shape="(3,)"), "A writer that sets Fortran order always.",
         group="writers",
         rules=["NPY-HDR-007", "NPY-DATA-007"])
    take("one-byte-with-order", header("'<u1'", shape="(3,)"), "A byte order on every type.", group="writers",
         rules=["NPY-DTYPE-002"])
    take("brain-float-as-void", header("'<V2'", shape="(3,)"), "A brain float, written as two opaque bytes.",
         group="writers", rules=["NPY-DTYPE-002", "NPY-VALUE-009"])


def spellings():
    """Values that other languages and careless formatting write."""
    for name, order in (("json-false", "false"), ("zero-string", "'0'"), ("r", "FALSE"),
                        ("fortran-logical", ".FALSE."),
                        ("c-name", "C"), ("null", "null")):
        refuse(f"writers/order-{name}", header(order="→" + order), "SNPY_BAD_FORTRAN_ORDER",
               f"fortran_order as {order}: another language's word.")
    for name, shape in (("torch-size", "torch.Size([2, 3])"), ("array", "array([2, 3])"), ("string", "'2, 3'"),
                        ("braces", "{2, 3}"), ("x", "2x3"), ("java-list", "List.of(2, 3)"), ("none", "null")):
        refuse(f"writers/shape-{name}", header(shape="→" + shape), "SNPY_EXPECTED_SHAPE", f"A shape as {shape}.")
    for name, shape in (("thousands", "(1,→024,)"), ("leading-zeros", "(→003, 2)")):
        refuse(f"writers/shape-{name}", header(shape=shape), "SNPY_LEADING_ZERO", "A number formatted for people.")
    for name, shape in (("float", "(3→.0, 2)"), ("exponent", "(1→e3,)"), ("underscore-end", "(1→_,)"),
                        ("quoted", "(→'3',)"),
                        ("apostrophe", "(1→'000,)"), ("unsigned", "(3→u, 2)"), ("size-t", "(3→ul,)"),
                        ("no-commas", "(2 →3)"),
                        ("semicolon", "(2→; 3)"), ("nan", "(→nan,)"), ("unknown", "(→?, 3)"),
                        ("variable", "(→n, 3)")):
        refuse(f"writers/shape-{name}", header(shape=shape), "SNPY_BAD_DIMENSION",
               "A dimension that is no plain decimal number.")
    for name, shape in (("overflow", "(→-2147483648,)"), ("wrapped", "(→-294967296,)")):
        refuse(f"writers/shape-{name}", header(shape=shape), "SNPY_SIGNED_DIMENSION",
               "A dimension that overflowed in the writer.", rules=["NPY-DATA-009"])
    for name, descr in (("repr-of-dtype", "dtype('<f8')"), ("class", "<class 'numpy.float64'>"),
                        ("numpy-name", "np.float64"),
                        ("format", "%s"), ("empty", ""), ("c-type", "double"), ("null", "null")):
        text = "{'descr': →" + descr + ", 'fortran_order': False, 'shape': (0,), }"
        refuse(f"writers/type-{name}", text, "SNPY_EXPECTED_TYPE", f"A type as {descr or 'nothing'}.")
    for name, descr, status in (("class-string", "<c→lass 'numpy.float64'>", "SNPY_BAD_TYPE_SIZE"),
                                ("numpy-string", "→numpy.float64", "SNPY_TYPE_NAME"),
                                ("torch", "→torch.float32", "SNPY_TYPE_NAME"),
                                ("rust", "<f→64", "SNPY_BAD_TYPE_SIZE"),
                                ("rust-i32", "<i→32", "SNPY_BAD_TYPE_SIZE"),
                                ("bits-u8", "|u→8bit", "SNPY_BAD_TYPE_SIZE"),
                                ("little-word", "→little f8", "SNPY_TYPE_NAME"),
                                ("half-brain", "<→E2", "SNPY_UNKNOWN_TYPE"),
                                ("template", "→{}", "SNPY_UNKNOWN_TYPE")):
        quote = '"' if "'" in descr else "'"
        refuse(f"writers/type-{name}", header(quote + descr + quote), status,
               f"A type as {descr.replace('→', '')}.")
    refuse("writers/python-object", "→<__main__.Header object at 0x7f0000000000>", "SNPY_NOT_A_DICT",
           "The text of an object in place of a dictionary.")
    refuse("writers/two-dictionaries", header() + "→" + header(), "SNPY_TRAILING_TEXT",
           "The header written twice.")
    refuse("writers/rewritten-shorter", header(shape="(1,)") + "→, }", "SNPY_TRAILING_TEXT",
           "A shorter text written over a longer one.", data=bytes(8))
    refuse("writers/rewritten-longer", header("'<f8'", shape="(10000000,")[:-3] + "\n→", "SNPY_UNEXPECTED_END",
           "A longer text cut to the room that was there.", pad=False)
    refuse("writers/grown-before-data", header("'<f8'", shape="(4,)"), "SNPY_TRUNCATED_DATA",
           "The header was rewritten for a longer array, and the data did not follow.", at="end", data=THREE,
           rules=["NPY-WRITE-012"])
    refuse("writers/grown-fortran-before-data", header("'<i2'", order="True", shape="(3, 4)"),
           "SNPY_TRUNCATED_DATA",
           "The same along the last dimension.", at="end", data=bytes(18), rules=["NPY-WRITE-012"])
    strict("writers/comment-of-author", header() + " →# written by hand", "SNPY_TRAILING_TEXT",
           "A comment after the header, which hides text from a reader.", rules=["NPY-LIT-025"])


def cases():
    """All cases of this module."""
    other_files()
    lengths()
    spellings()
