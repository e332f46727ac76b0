"""Names, deflate streams, checksums and the NPY files inside."""

import zlib

import model

from .deflate import (FIXED, FIXED_DISTANCE, Bits, block, codewords, dynamic_head, fixed, lengths_for, plain, stored)
from .dsl import refuse, strict, take
from .zips import DEFLATED, ONES, Member, build, npy, wide_extra

TEXT = b"no array\n"
BYTES = bytes(range(256)) * 2


def names():
    """NPZ-NAME-001 to NPZ-NAME-009."""
    for label, name, flags in (
            ("parent", "../x.npy", 0), ("absolute", "/etc/x.npy", 0), ("slash", "a/b/c.npy", 0), ("dot", ".npy", 0),
            ("dots", "...npy", 0), ("upper", "X.NPY", 0), ("no-suffix", "x", 0), ("twice", "x.npy.npy", 0),
            ("blank", " .npy", 0), ("newline", "a\nb.npy", 0), ("escape", "\x1b[31m.npy", 0), ("colon", "C:x.npy", 0),
            ("backslash", "a\\b.npy", 0), ("long", "n" * 1000 + ".npy", 0), ("utf-8", "ключ.npy", 0x800),
            ("utf-8-astral", "𝄞.npy", 0x800), ("utf-8-ascii", "x.npy", 0x800), ("utf-8-bom", "\ufeffx.npy", 0x800),
            ("utf-8-u+ffff", "\uffff.npy", 0x800), ("437", b"\x80\x9f\xe1\xff.npy", 0), ("437-like-utf-8", "é.npy", 0),
            ("control", "\x01\x7f.npy", 0), ("directory-like", "x.npy/y", 0)):
        take(f"name/{label}", [Member(name=name, flags=flags)], "A name is an opaque key.",
             ["NPZ-NAME-001", "NPZ-NAME-002", "NPZ-NAME-005", "NPZ-NAME-008", "NPZ-NAME-007"])
    take("name/alike", [Member("x.npy"), Member("X.npy"), Member("x.npy.npy"), Member("é.npy", flags=0x800),
                        Member("e\u0301.npy", flags=0x800)], "Keys that look alike and are not the same.",
         ["NPZ-NAME-006", "NPZ-NAME-007"])
    take("name/directory", [Member("d/", b""), Member("d/x.npy")], "A directory without data.", ["NPZ-NAME-009"])
    for label, raw, at in (("lone-byte", b"x\xff.npy", 1), ("cut", b"x\xc3", 1), ("overlong", b"\xc0\xaf.npy", 0),
                           ("surrogate", b"\xed\xa0\x80.npy", 0), ("beyond", b"\xf4\x90\x80\x80.npy", 0),
                           ("continuation", b"\x80.npy", 0), ("three-of-four", b"\xf0\x9d\x84.npy", 0)):
        refuse(f"name/utf-8-{label}", build([Member(name=raw, flags=0x800)]), "SNPY_ZIP_NAME_UTF8", ("central0.name", at),
               "Bit 11 is set, and the name is not UTF-8.")
    for label, raw, at in (("inside", b"a\0b.npy", 1), ("end", b"x.npy\0", 5), ("first", b"\0.npy", 0),
                           ("suffix", b"x.npy\0.txt", 5)):
        refuse(f"name/nul-{label}", build([Member(name=raw)]), "SNPY_ZIP_NUL_IN_NAME", ("central0.name", at),
               "A NUL in the name.", danger="The name ends there for some readers and not for others.")
    strict("empty-name", build([Member(name=b"")]), "SNPY_ZIP_EMPTY_NAME", "central0.name_length", "An empty name.")
    for label, first, second in (("equal", Member(), Member(content=TEXT)), ("suffix", Member("a", TEXT), Member("a.npy")),
                                 ("suffix-first", Member("a.npy"), Member("a", TEXT)),
                                 ("alphabets", Member(b"\x82.npy"), Member("é.npy", flags=0x800)),
                                 ("double", Member("a.npy"), Member("a.npy"))):
        refuse(f"name/duplicate-{label}", build([first, second]), "SNPY_ZIP_DUPLICATE_KEY", "central1.name",
               "Two members have one key.", danger="Which array the key means depends on the reader.")
    many = [Member(f"{number}.npy", b"") for number in range(40)] + [Member("17.npy", b"")]
    refuse("name/duplicate-far", build(many), "SNPY_ZIP_DUPLICATE_KEY", "central40.name", "Two members have one key.",
           danger="Which array the key means depends on the reader.")
    strict("directory-with-data", build([Member("d/", TEXT)]), "SNPY_ZIP_DIRECTORY_DATA", "central0.size",
           "A directory has no data.")


def spoilt(name, data, content, reason, *, status="SNPY_ZIP_BAD_DEFLATE", at="data0", danger=None, rules=(), size=None,
           load=None):
    """An archive with one spoilt member and a good one."""
    members = [Member(content=content, method=DEFLATED, data=data, size=size), Member("good.npy")]
    refuse(f"deflate/{name}", build(members), status, at, reason, danger=danger, member="x", rules=rules,
           load=load)


def inflated(name, data, content, reason):
    """An archive with a stream that is good, however odd."""
    take(f"deflate/{name}", [Member(content=content, method=DEFLATED, data=data)], reason, ["NPZ-DATA-002", "NPZ-DATA-007"])


def head(bits=None):
    """An NPY file of bytes, of which the header stands in a stored block; what follows gives the data."""
    def start(count):
        whole, _ = npy("|u1", (count,), data=b"")
        return stored(bits or Bits(), whole, final=False), whole
    return start


def streams():
    """NPZ-DATA-002, NPZ-DATA-007: good streams."""
    start = head()
    content = npy("<i4", (50,))[0]
    inflated("stored-block", stored(Bits(), content).done(), content, "One block that is stored.")
    inflated("fixed-block", fixed(Bits(), content).done(), content, "One block of the fixed codes.")
    inflated("many-blocks", fixed(fixed(stored(fixed(Bits(), content[:7], False), content[7:60], False), b"", False),
                                  content[60:]).done(), content, "Blocks of all kinds, one of them empty.")
    inflated("empty-member", fixed(Bits(), b"").done(), b"", "No bytes, in two bytes of stream.")
    inflated("empty-stored", stored(Bits(), b"").done(), b"", "No bytes, in an empty block that is stored.")
    zeros = npy("<f8", (32768,), data=bytes(262144))[0]
    inflated("matches", plain(zeros), zeros, "Zeros, 158 to 1.")
    literal = lengths_for([0, 1, 2, 256])
    words = codewords(literal)
    bits, whole = start(3)
    dynamic_head(bits, literal, [0])
    for symbol in (0, 1, 2, 256):
        bits.word(words[symbol])
    inflated("dynamic-no-distance", bits.done(), whole + bytes([0, 1, 2]), "Codes of the block's own, none for distances.")
    bits, whole = start(4)
    literal = lengths_for([0, 256, 257, 7], 258)
    words = codewords(literal)
    dynamic_head(bits, literal, [1])
    bits.word(words[7]).word(words[257]).number(0, 1).word(words[256])
    inflated("dynamic-one-distance", bits.done(), whole + bytes([7, 7, 7, 7]), "One code for distances, of one bit.")
    bits, whole = start(0)
    dynamic_head(bits, [0] * 256 + [1], [0])
    bits.number(0, 1)
    inflated("dynamic-end-only", bits.done(), whole, "One code, of one bit, which is the end of the block.")


def bad_streams():
    """NPZ-DATA-002, NPZ-DATA-007: what RFC 1951 forbids."""
    start = head()
    content = npy()[0]
    spoilt("block-type-3", block(Bits(), 3).done() + bytes(20), content, "There is no block of type 3.")
    for label, complement in (("zero", 0), ("same", len(content)), ("bit", len(content) ^ 0xFFFF ^ 1)):
        spoilt(f"stored-complement-{label}", stored(Bits(), content, complement=complement).done(), content,
               "Length and complement of a stored block do not fit.")
    bits, whole = start(1)
    fixed(bits, b"", True, False)
    for label, symbol in (("286", 286), ("287", 287)):
        data = fixed(start(1)[0], b"a", True, False).word(FIXED[symbol]).word(FIXED_DISTANCE[0]).word(FIXED[256]).done()
        spoilt(f"length-{label}", data, whole + b"a", "The lengths 286 and 287 do not exist.", rules=["NPZ-DATA-007"])
    for symbol in (30, 31):
        data = fixed(start(1)[0], b"a", True, False).word(FIXED[257]).word(FIXED_DISTANCE[symbol]).word(FIXED[256]).done()
        spoilt(f"distance-{symbol}", data, whole + b"a", "The distances 30 and 31 do not exist.", rules=["NPZ-DATA-007"])
    for label, data in (("at-once", block(Bits(), 1).word(FIXED[257]).word(FIXED_DISTANCE[0]).word(FIXED[256]).done()),
                        ("by-one", fixed(Bits(), b"ab", True, False).word(FIXED[257]).word(FIXED_DISTANCE[2])
                         .word(FIXED[256]).done())):
        spoilt(f"distance-too-far-{label}", data, content, "A distance leads to before the first byte.")
    ends = ("dynamic", "Codes of a block that RFC 1951 does not allow.")
    good = lengths_for([0, 1, 2, 256])
    for label, literal, distance, more in (
            ("oversubscribed", lengths_for([0, 1, 2, 3, 256], size=2), [0], {}),
            ("incomplete", lengths_for([0, 1, 256], size=2), [0], {}),
            ("single-of-two-bits", lengths_for([256], size=2), [0], {}),
            ("distance-incomplete", good, [2, 2, 2], {}), ("distance-oversubscribed", good, [1, 1, 1], {}),
            ("distance-one-of-two-bits", good, [2], {}), ("no-end", lengths_for([0, 1, 2, 3]), [0], {}),
            ("nothing", [0] * 257, [0], {}),
            ("287-lengths", good + [0] * 30, [0], {"counts": (287, 1)}),
            ("288-lengths", good + [0] * 31, [0], {"counts": (288, 1)}),
            ("31-distances", good, [0] * 31, {}), ("32-distances", good, [0] * 32, {}),
            ("repeat-first", good, [0], {"pieces": [(16, 0), *good[3:], 0]}),
            ("repeat-beyond", good, [0], {"pieces": [*good, (18, 0)]}),
            ("repeat-beyond-by-one", good, [0], {"pieces": [*good[:256], good[256], (17, 0)]})):
        bits, whole = start(2)
        dynamic_head(bits, literal, distance, **more)
        words = codewords(literal)
        if label not in ("nothing",):
            for symbol in (0, 1, 256):
                bits.word(words.get(symbol, (0, 1)))
        spoilt(f"dynamic-{label}", bits.done() + bytes(4), whole + b"\0\1", ends[1], rules=["NPZ-DATA-007"])
    for label, pre in (("incomplete", {0: 2, 2: 2}), ("oversubscribed", {0: 1, 2: 1, 3: 1}), ("single", {0: 1, 2: 0})):
        lengths = [pre.get(symbol, 0) for symbol in range(19)]
        bits, whole = start(2)
        pieces = [0] * 258 if label == "single" else None
        dynamic_head(bits, good, [0], pre=lengths, pieces=pieces)
        spoilt(f"dynamic-lengths-{label}", bits.done() + bytes(4), whole + b"\0\1", ends[1], rules=["NPZ-DATA-007"])
    bits, whole = start(4)
    literal = lengths_for([0, 256, 257, 7], 258)
    words = codewords(literal)
    dynamic_head(bits, literal, [1])
    bits.word(words[7]).word(words[257]).number(1, 1).word(words[256])
    spoilt("dynamic-unused-codeword", bits.done(), whole + bytes([7, 7, 7, 7]), "A codeword that means nothing.",
           rules=["NPZ-DATA-007"], load="choice")
    bits, whole = start(4)
    dynamic_head(bits, literal, [0])
    bits.word(words[7]).word(words[257]).number(0, 1).word(words[256])
    spoilt("dynamic-distance-of-none", bits.done(), whole + bytes([7, 7, 7, 7]), "A distance, and no code for any.",
           rules=["NPZ-DATA-007"], load="choice")


def ends():
    """NPZ-DATA-002 to NPZ-DATA-005: where streams end, and what they give."""
    content = npy("<i4", (50,))[0]
    whole = plain(content)
    late = "A stream that does not say that it ends was cut off."
    for count in (1, 2, len(whole) // 2, len(whole) - 1):
        spoilt(f"cut-off-{count}", whole[:len(whole) - count], content, f"The last {count} bytes of the stream are missing.",
               danger=late if count <= 1 else None)
    spoilt("not-final", fixed(Bits(), content, final=False).done(), content, "No block says that it is the last.", danger=late)
    hidden = "Other data can follow the stream, where no other rule sees them."
    for label, more in (("zero", b"\0"), ("stream", whole), ("text", b"hidden")):
        spoilt(f"behind-{label}", whole + more, content, "Bytes stand after the stream.",
               status="SNPY_ZIP_DEFLATE_TRAILING", at=("data0", len(whole)), danger=hidden)
    sized = "The size is what memory is taken for."
    for label, size in (("plus-1", len(content) + 1), ("minus-1", len(content) - 1), ("minus-4", len(content) - 4),
                        ("zero", 0), ("plus-200", len(content) + 200)):
        spoilt(f"size-{label}", whole, content, "The stream gives another number of bytes.", status="SNPY_ZIP_INFLATED_SIZE",
               at="central0.size", danger=sized if label in ("plus-1", "plus-200") else None, size=size)
    for label, method in (("stored", 0), ("deflated", DEFLATED)):
        for name, crc in (("bit", zlib.crc32(content) ^ 1), ("zero", 0), ("high", zlib.crc32(content) ^ 1 << 31),
                          ("of-data", zlib.crc32(whole))):
            members = [Member(content=content, method=method, crc=crc), Member("good.npy")]
            refuse(f"crc/{label}-{name}", build(members), "SNPY_ZIP_BAD_CRC", "central0.crc", "Another CRC.", member="x")
    for label, at in (("magic", 0), ("header", 40), ("last", len(content) - 1)):
        damaged = content[:at] + bytes([content[at] ^ 16]) + content[at + 1:]
        members = [Member(content=content, data=damaged), Member("good.npy")]
        refuse(f"crc/damaged-{label}", build(members), "SNPY_ZIP_BAD_CRC", "central0.crc", "A bit of the data has flipped.",
               member="x", rules=["NPZ-ERR-001"])
    take("crc/right", [Member(content=content), Member("y.npy", content, DEFLATED)], "The right CRCs.",
         ["NPZ-DATA-005", "NPZ-DATA-003", "NPZ-DATA-004", "NPZ-DATA-001"])


def arrays():
    """NPZ-NPY-001 to NPZ-NPY-006."""
    take("npy/kinds", [Member(f"{number}.npy", npy(descr, shape, order)[0], method)
                       for number, (descr, shape, order, method) in enumerate((
                           ("<f8", (), False, 0), ("|b1", (0,), False, 8), (">i2", (2, 3), True, 0), ("<U2", (2,), False, 8),
                           ("|S3", (1,), False, 0), ([("a", "<i2"), ("b", "|u1")], (2,), False, 8),
                           ("<c16", (2, 1, 2), False, 0), ("<M8[D]", (2,), False, 0)))],
         "Arrays of several kinds, stored and deflated.", ["NPZ-NPY-001", "NPZ-NPY-002", "NPZ-NPY-003", "NPZ-NPY-004"])
    take("npy/others", [Member("notes.txt", TEXT), Member("x.npy", TEXT), Member("empty", b""), Member("bytes", BYTES, DEFLATED),
                        Member("inner.npz", build([]).data), Member("short.npy", b"\x93NUMP")],
         "Members that are no NPY files, one of them named so.", ["NPZ-NPY-006", "NPZ-NPY-001"])
    take("npy/unnamed", [Member("x", npy()[0]), Member("y.txt", npy()[0])], "NPY files that are not named so.",
         ["NPZ-NPY-001"])
    pickle = b"\x80\x04N."
    objects = model.header_bytes(model.python_repr("|O"), False, (1,)) + pickle
    take("npy/objects", [Member(content=objects), Member("y.npy", objects, DEFLATED)], "A pickle is opaque bytes.",
         ["NPZ-NPY-005"])
    content = npy("<i4", (50,))[0]
    hidden = "Bytes after the array keep NumPy from checking the CRC, and are hidden from everyone."
    for label, method in (("stored", 0), ("deflated", DEFLATED)):
        def bad(name, data, status, at, reason, danger=None, method=method, label=label):
            members = [Member(content=data, method=method), Member("good.npy")]
            refuse(f"npy/{label}-{name}", build(members), status, at, reason, member="x", danger=danger)
        bad("one-more", content + b"\0", "SNPY_TRAILING_DATA", len(content), "A byte stands after the array.", hidden)
        bad("many-more", content + bytes(5000), "SNPY_TRAILING_DATA", len(content), "Bytes stand after the array.", hidden)
        bad("one-less", content[:-1], "SNPY_TRUNCATED_DATA", len(content) - 1, "The last byte of the array is missing.")
        bad("no-data", content[:128], "SNPY_TRUNCATED_DATA", 128, "The array has no data.")
        bad("half-header", content[:100], "SNPY_TRUNCATED_HEADER", 100, "The header is cut off.")
        bad("magic-only", content[:6], "SNPY_TRUNCATED_PREFIX", 6, "Nothing stands after the magic.")
        bad("version-4", content[:6] + b"\4" + content[7:], "SNPY_UNSUPPORTED_VERSION", 6, "There is no version 4.")
        bad("key", content.replace(b"'shape'", b"'shapE'"), "SNPY_UNKNOWN_KEY", content.index(b"'shape'"),
            "The header has a key that does not exist.")
        bad("shape", content.replace(b"(50,)", b"(99,)"), "SNPY_TRUNCATED_DATA", len(content),
            "The header asks for more than the member has.")
        bad("no-pickle", objects[:-len(pickle)], "SNPY_NO_OBJECTS", len(objects) - len(pickle),
            "There is nothing where the pickle should be.")


def limits():
    """NPZ-LIMIT-001 to NPZ-LIMIT-004."""
    zeros = npy("<f8", (8192,), data=bytes(65536))[0]
    take("limits/many-zeros", [Member(f"{number}.npy", zeros, DEFLATED) for number in range(8)],
         "Honest zeros stay far below every limit.", ["NPZ-LIMIT-004", "NPZ-LIMIT-002", "NPZ-LIMIT-003", "NPZ-LIMIT-001"])
    content = npy()[0]
    bomb = "A bomb must cost no more than the limit."
    size = len(plain(content))
    for label, claimed in (("by-one", 1032 * size + 1), ("far", 2 ** 31)):
        members = [Member(content=content, method=DEFLATED, size=claimed), Member("good.npy")]
        refuse(f"limits/ratio-{label}", build(members), "SNPY_ZIP_RATIO", "central0.size",
               "No stream gives so many bytes for each of its own.", member="x", danger=bomb)
    members = [Member(content=content, method=DEFLATED, data=b""), Member("good.npy")]
    refuse("limits/ratio-of-nothing", build(members), "SNPY_ZIP_RATIO", "central0.size", "Bytes from no data.", member="x")
    huge = 2 ** 32 + 1
    lie = {"size": ONES[4]}
    for label, claimed in (("over-4-gib", huge), ("exbibyte", 2 ** 60), ("all-ones", 2 ** 64 - 1)):
        members = [Member(content=content, method=DEFLATED, size=ONES[4], local={**lie, "compressed": ONES[4]},
                          central=lie, local_extra=wide_extra(claimed, size), central_extra=wide_extra(claimed)),
                   Member("good.npy")]
        refuse(f"limits/member-{label}", build(members), "SNPY_ZIP_MEMBER_TOO_LARGE", "central0.size",
               "More than a reader inflates.", member="x", danger=bomb)


def cases():
    """All of them."""
    names()
    streams()
    bad_streams()
    ends()
    arrays()
    limits()
