"""Frame, limits and text encoding: magic, version, length, UTF-8."""

from cases.dsl import F8, accept, header, long_header, make, prefix_of, refuse, refuse_bytes
from model import MAGIC

TEXT = header()


def magic():
    """NPY-FRAME-001 and 002: the first eight to twelve bytes."""
    whole = make(TEXT)[0]
    for position in range(6):
        wrong = bytearray(whole)
        wrong[position] ^= 0x20
        refuse_bytes(f"frame/magic-byte-{position}", bytes(wrong), "SNPY_BAD_MAGIC",
                     f"Byte {position} of the magic differs.", at=position)
    refuse_bytes("frame/zip", b"PK\x03\x04" + bytes(60), "SNPY_BAD_MAGIC", "A ZIP archive is not an NPY file.",
                 at=0)
    refuse_bytes("frame/pickle", b"\x80\x04N.", "SNPY_BAD_MAGIC", "A pickle is not an NPY file.", at=0)
    refuse_bytes("frame/text", b"1,2,3\n", "SNPY_BAD_MAGIC", "A text file is not an NPY file.", at=0)
    refuse_bytes("frame/bom", b"\xef\xbb\xbf" + whole, "SNPY_BAD_MAGIC", "Nothing may stand before the magic.",
                 at=0)
    refuse_bytes("frame/utf8-magic", b"\xc2" + whole, "SNPY_BAD_MAGIC",
                 "A file that went through a Latin-1 to UTF-8 conversion.", at=0)
    refuse_bytes("frame/wrong-after-two", b"\x93N", "SNPY_TRUNCATED_PREFIX", "Two bytes of the magic.", at=2)
    refuse_bytes("frame/wrong-short", b"\x93NX", "SNPY_BAD_MAGIC", "Three bytes, the last one wrong.", at=2)
    refuse_bytes("frame/empty", b"", "SNPY_TRUNCATED_PREFIX", "An empty file.", at=0)
    refuse_bytes("frame/magic-only", MAGIC, "SNPY_TRUNCATED_PREFIX", "The magic and nothing else.", at="end")
    refuse_bytes("frame/major-only", MAGIC + b"\x01", "SNPY_TRUNCATED_PREFIX", "Half a version.", at="end")
    for version in ("1.0", "2.0", "3.0"):
        head = prefix_of(version, 118)
        for length in range(8, len(head)):
            refuse_bytes(f"frame/prefix-{version}-cut-{length}", head[:length], "SNPY_TRUNCATED_PREFIX",
                         f"The length field of version {version} is cut off.", at="end")


def versions():
    """NPY-FRAME-003: all versions but three are refused."""
    body = make(TEXT)[0][8:]
    for major, minor in ((0, 0), (0, 1), (1, 1), (1, 255), (2, 1), (3, 1), (3, 2), (4, 0), (4, 1), (10, 0),
                         (48, 48),
                         (49, 46), (255, 0), (255, 255)):
        at = 7 if major in (1, 2, 3) else 6
        refuse_bytes(f"frame/version-{major}.{minor}", MAGIC + bytes((major, minor)) + body,
                     "SNPY_UNSUPPORTED_VERSION", f"There is no version {major}.{minor}.", at=at)


def lengths():
    """NPY-FRAME-004 to 006: what the length field claims."""
    whole = make(TEXT)[0]
    refuse_bytes("limits/claim-4-gib", MAGIC + b"\x02\x00\xff\xff\xff\xff", "SNPY_HEADER_TOO_LONG",
                 "Twelve bytes that claim a header of 4 GiB.", at=8)
    refuse_bytes("limits/claim-4-gib-3.0", MAGIC + b"\x03\x00\xff\xff\xff\xff", "SNPY_HEADER_TOO_LONG",
                 "The same in version 3.0.", at=8)
    refuse_bytes("limits/claim-2-gib", prefix_of("2.0", 2 ** 31) + b"{}", "SNPY_HEADER_TOO_LONG",
                 "A length with the sign bit of 32 bits set.", at=8)
    refuse_bytes("limits/claim-65537", prefix_of("2.0", 65537) + b"{}", "SNPY_HEADER_TOO_LONG",
                 "One byte over the default limit; the limit is checked before the bytes at hand.", at=8)
    refuse_bytes("limits/big-endian-length", MAGIC + b"\x02\x00\x00\x00\x00\x76" + whole[10:],
                 "SNPY_HEADER_TOO_LONG", "The length is little-endian.", at=8)
    refuse_bytes("limits/version-1-as-2", MAGIC + b"\x02\x00" + whole[8:], "SNPY_HEADER_TOO_LONG",
                 "The length of version 2.0 takes four bytes; here two of them are text.", at=8)
    refuse_bytes("limits/claim-65536", prefix_of("2.0", 65536) + b"{}", "SNPY_TRUNCATED_HEADER",
                 "A length at the default limit, and two bytes of text.", at="end")
    refuse_bytes("limits/claim-65535", prefix_of("1.0", 65535) + whole[10:], "SNPY_TRUNCATED_HEADER",
                 "The longest header that version 1.0 can claim, and a short one there.", at="end")
    refuse_bytes("limits/no-text", prefix_of("1.0", 118), "SNPY_TRUNCATED_HEADER", "A prefix without a text.",
                 at="end")
    refuse_bytes("limits/no-text-3.0", prefix_of("3.0", 1), "SNPY_TRUNCATED_HEADER",
                 "One byte claimed, none there.",
                 at="end")
    refuse_bytes("limits/one-byte-short", whole[:-1], "SNPY_TRUNCATED_HEADER", "The last newline is missing.",
                 at="end")
    refuse_bytes("limits/half-text", whole[:40], "SNPY_TRUNCATED_HEADER",
                 "A file that was cut while it was written.",
                 at="end")
    refuse("limits/zero-length-2.0", "", "SNPY_UNEXPECTED_END", "A header of no bytes in version 2.0.", at=12,
           version="2.0", pad=False)
    long_header("length-65537", TEXT + " " * (65537 - len(TEXT)), F8, pad=False, options=["--max-header", "65537"],
                reason="A header of 65,537 bytes, one more than the default limit.")
    small = {"options": ["--max-header", "117"], "error": {"status": "SNPY_HEADER_TOO_LONG", "offset": 8}}
    accept("limit-header-117", TEXT.replace("0,", "0,  "), F8,
           "A header of 118 bytes: refused if the limit is 117.",
           group="edge", refused_with=[small])
    accept("limit-header-65536", TEXT + " " * (65536 - len(TEXT)), F8, "A header as long as the default limit.",
           version="2.0", pad=False, group="edge", rules=["NPY-FRAME-005"])
    accept("longest-1.0", TEXT + " " * (65535 - len(TEXT)), F8, "The longest header that version 1.0 can claim.",
           pad=False, group="edge", rules=["NPY-FRAME-004"])


def encodings():
    """NPY-FRAME-007: the text of 3.0 is UTF-8, that of 1.0 and 2.0 Latin-1."""
    bad = {
        "ff": "\udcff", "fe": "\udcfe", "lone-continuation": "\udc80", "lone-start": "\udcc3", "latin1": "\udce9",
        "overlong-2": "\udcc0\udc80", "overlong-2-c1": "\udcc1\udc81", "overlong-3": "\udce0\udc80\udc80",
        "overlong-3-edge": "\udce0\udc9f\udcbf", "overlong-4": "\udcf0\udc80\udc80\udc80",
        "overlong-4-edge": "\udcf0\udc8f\udcbf\udcbf", "surrogate-low-edge": "\udced\udca0\udc80",
        "surrogate-high-edge": "\udced\udcbf\udcbf", "above-10ffff": "\udcf4\udc90\udc80\udc80",
        "f5": "\udcf5\udc80\udc80\udc80", "five-bytes": "\udcf8\udc88\udc80\udc80\udc80",
        "cut-3-after-2": "\udce2\udc82", "cut-4-after-3": "\udcf0\udc9f\udc98", "cut-3-after-1": "\udce2",
        "second-continuation": "\udce2\udc82A", "extra-continuation": "é→\udc80",
    }
    for name, raw in bad.items():
        marked = raw if "→" in raw else "→" + raw
        refuse(f"encoding/name-{name}", header(f"[('a{marked}b', '<f8')]"), "SNPY_BAD_UTF8",
               "The text of version 3.0 is well-formed UTF-8, and this field name is not.", version="3.0")
    refuse("encoding/padding", header() + "  →\udcff", "SNPY_BAD_UTF8", "The padding is text, too.", version="3.0")
    refuse("encoding/cut-at-end", header() + "→\udce2\udc82", "SNPY_BAD_UTF8",
           "A sequence that the text's end cuts.",
           version="3.0", pad=False)
    refuse("encoding/first-byte", "→\udcff" + header(), "SNPY_BAD_UTF8",
           "The encoding is checked before the literal.",
           version="3.0")
    refuse("encoding/bom", "→\ufeff" + header(), "SNPY_NOT_A_DICT", "A byte order mark is no blank.",
           version="3.0")


def cases():
    """All cases of this module."""
    magic()
    versions()
    lengths()
    encodings()
