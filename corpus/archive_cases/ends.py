"""End records, ZIP64 end records, and where the directory is."""

from .dsl import refuse, relaxed, strict, take
from .zips import DEFLATED, ONES, Member, build, npy

HIDDEN = "Readers that believe the one number and readers that believe the other find different members."


def pair():
    """Two members: stored and deflated."""
    return [Member(), Member("y.npy", npy("<i4", (2,))[0], DEFLATED)]


def shortened(archive, count):
    """The archive without its last bytes."""
    archive.data = archive.data[:-count]
    archive.at = {**archive.at, "eof": len(archive.data)}
    return archive


def missing():
    """NPZ-END-001, NPZ-END-002: there is no end record."""
    for count in (1, 4, 21, 22, 23, 60):
        refuse(f"end/cut-off-{count}", shortened(build(pair()), count), "SNPY_ZIP_NO_END", "eof",
               f"The last {count} bytes of the archive are missing.", rules=["NPZ-END-001"])
    for byte in range(4):
        archive = build(pair())
        archive = archive.patched("end.signature", 0x06054B50 ^ (1 << (8 * byte)), 4)
        refuse(f"end/signature-byte-{byte}", archive, "SNPY_ZIP_NO_END", "eof", "The end record has another signature.")
    for count in range(4, 22, 6):
        refuse(f"end/only-{count}-bytes", shortened(build([]), 22 - count), "SNPY_ZIP_NO_END", "eof",
               "An end record has 22 bytes.")
    archive = build(pair())
    archive.data = archive.data[:archive.at["directory"]]
    archive.at = {**archive.at, "eof": len(archive.data)}
    refuse("end/no-directory", archive, "SNPY_ZIP_NO_END", "eof", "A writer that died leaves members and no directory.")


def comments():
    """NPZ-END-003, NPZ-END-004, NPZ-END-005, NPZ-END-009."""
    take("end/empty", [], "An archive without members.", ["NPZ-END-009", "NPZ-END-001"])
    take("end/empty-comment-archive", [], "An archive without members, with a comment.", ["NPZ-END-009"],
         comment=b"nothing")
    for name, comment in (("text", b"a comment"), ("bytes", bytes(range(256))), ("long", b"-" * 5000),
                          ("local-signature", b"PK\3\4 and PK\1\2"), ("npy", b"\x93NUMPY"), ("nul", bytes(30))):
        take(f"end/comment-{name}", pair(), "A comment means nothing, whatever is in it.", ["NPZ-END-009", "NPZ-END-003"],
             comment=comment)
    for length in (1, 2, 255, 65535):
        refuse(f"end/comment-claims-{length}", build(pair(), end={"comment_length": length}), "SNPY_ZIP_TRUNCATED_COMMENT",
               "end.comment_length", "The comment is longer than the file.",
               danger="Either the file is cut off, or what was found is no end record.")
    refuse("end/comment-cut", shortened(build(pair(), comment=b"a comment"), 3), "SNPY_ZIP_TRUNCATED_COMMENT",
           "end.comment_length", "The end of the comment is missing.", danger="The file is cut off.")
    for name, trailing in (("newline", b"\n"), ("zeros", bytes(512)), ("text", b"more"), ("one", b"\0")):
        relaxed("zip-trailing", name, build(pair(), trailing=trailing), "SNPY_ZIP_TRAILING_DATA", "trailing",
                "Bytes stand after the end record.", pair())
    relaxed("zip-trailing", "comment-longer", build(pair(), comment=b"a comment", end={"comment_length": 2}),
            "SNPY_ZIP_TRAILING_DATA", ("comment", 2), "The comment is longer than its length says.", pair())
    inner = build([Member("z.npy")]).data
    for name, comment in (("archive", inner), ("record", build([]).data), ("two", build([]).data * 2)):
        refuse(f"end/comment-holds-{name}", build(pair(), comment=comment), "SNPY_ZIP_AMBIGUOUS_END", "end",
               "The comment holds another end record.", danger=HIDDEN)


def places():
    """NPZ-END-006, NPZ-END-007, NPZ-END-008."""
    reason = "All parts of the archive are in this one file."
    for key, value in (("disk", 1), ("disk", 65535), ("start_disk", 1), ("start_disk", 65535), ("here", 1), ("here", 3),
                       ("here", 0)):
        strict(f"end-{key.replace('_', '-')}-{value}", build(pair(), end={key: value}), "SNPY_ZIP_MULTI_DISK", f"end.{key}",
               reason, rules=["NPZ-END-006"])
    for key, value in (("disk", 1), ("start_disk", 1), ("here", 1), ("here", 0)):
        strict(f"wide-{key.replace('_', '-')}-{value}", build(pair(), wide={key: value}), "SNPY_ZIP_MULTI_DISK",
               f"wide.{key}", reason)
    refuse("wide/locator-disk-1", build(pair(), wide={}, locator={"disk": 1}), "SNPY_ZIP_MULTI_DISK", "locator.disk", reason)
    for number in (1, 65535):
        members = pair()
        members[1].central["disk"] = number
        strict(f"central-disk-{number}", build(members), "SNPY_ZIP_MULTI_DISK", "central1.disk", reason)
    true = build(pair()).at
    start, size = true["directory"], true["end"] - true["directory"]
    for name, key, value in (("offset-plus-1", "offset", start + 1), ("offset-minus-1", "offset", start - 1),
                             ("offset-zero", "offset", 0), ("offset-ones", "offset", ONES[4]),
                             ("offset-of-end", "offset", start + size), ("size-plus-1", "size", size + 1),
                             ("size-minus-1", "size", size - 1), ("size-zero", "size", 0), ("size-ones", "size", ONES[4]),
                             ("size-half", "size", size // 2)):
        refuse(f"end/{name}", build(pair(), end={key: value}), "SNPY_ZIP_BAD_DIRECTORY", "end.offset",
               "The directory does not end where the end record begins.", danger=HIDDEN if name == "size-zero" else None)
    for name, between in (("one-byte", b"\0"), ("header", b"PK\1\2" + bytes(42)), ("signature", b"PK\5\5\0\0")):
        refuse(f"end/behind-directory-{name}", build(pair(), behind_directory=between), "SNPY_ZIP_BAD_DIRECTORY",
               "end.offset", "Bytes stand between the directory and the end record.")
    for count in (0, 1, 3, 255, 65535):
        refuse(f"end/count-{count}", build(pair(), end={"count": count, "here": count}), "SNPY_ZIP_BAD_COUNT", "end.count",
               "The directory has two headers.", danger=HIDDEN)
    refuse("end/count-of-none", build([], end={"count": 1, "here": 1}), "SNPY_ZIP_BAD_COUNT", "end.count",
           "The directory is empty.", danger=HIDDEN)


def wide():
    """NPZ-WIDE-001 to NPZ-WIDE-004, NPZ-LIMIT-001."""
    rules = ["NPZ-WIDE-001", "NPZ-WIDE-002", "NPZ-WIDE-003", "NPZ-WIDE-004"]
    take("wide/needless", pair(), "A ZIP64 end record that says the same.", rules, wide={})
    for key, value in (("count", ONES[2]), ("size", ONES[4]), ("offset", ONES[4])):
        more = {"here": ONES[2]} if key == "count" else {}
        take(f"wide/{key}-only", pair(), "All ones where the ZIP64 number counts.", rules, wide={}, end={key: value, **more})
    everything = {"count": ONES[2], "here": ONES[2], "size": ONES[4], "offset": ONES[4]}
    take("wide/all", pair(), "All ones in the end record.", rules, wide={}, end=everything)
    take("wide/disks-all-ones", pair(), "All ones pass as numbers of disks too.", [*rules, "NPZ-END-006"], wide={},
         end={**everything, "disk": ONES[2], "start_disk": ONES[2]})
    take("wide/no-disks", pair(), "0 disks in all, as some writers count.", rules, wide={}, locator={"disks": 0})
    take("wide/comment", pair(), "A ZIP64 end record, and a comment.", rules, wide={}, end=everything, comment=b"wide")
    place = build(pair(), wide={}).at["wide"]
    for name, offset in (("plus-1", place + 1), ("minus-1", place - 1), ("zero", 0), ("huge", 2 ** 64 - 1),
                         ("of-end", place + 76)):
        refuse(f"wide/locator-{name}", build(pair(), wide={}, locator={"offset": offset}), "SNPY_ZIP_BAD_LOCATOR", "locator",
               "The locator leads elsewhere.", danger=HIDDEN)
    for disks in (2, 65535, ONES[4]):
        refuse(f"wide/locator-disks-{disks}", build(pair(), wide={}, locator={"disks": disks}), "SNPY_ZIP_BAD_LOCATOR",
               "locator", "There is one disk.")
    refuse("wide/signature", build(pair(), wide={"signature": 0x06064B51}), "SNPY_ZIP_BAD_LOCATOR", "locator",
           "The locator leads to something else.")
    refuse("wide/locator-signature", build(pair(), wide={}, locator={"signature": 0x07064B51}), "SNPY_ZIP_BAD_DIRECTORY",
           "end.offset", "Without a locator the ZIP64 end record is nothing but bytes after the directory.")
    for rest in (43, 45, 0, 56, 2 ** 64 - 1):
        strict(f"wide-rest-{rest}", build(pair(), wide={"rest": rest}), "SNPY_ZIP_BAD_WIDE_END", "wide.rest",
               "The rest of the record has 44 bytes.")
    for key, value in (("count", 1), ("count", 0), ("size", 1), ("size", 0), ("offset", 1), ("offset", 0)):
        more = {"here": value} if key == "count" else {}
        refuse(f"wide/end-{key}-{value}", build(pair(), wide={}, end={key: value, **more}), "SNPY_ZIP_WIDE_END_DIFFERS",
               f"end.{key}", "The end record says something else.", danger=HIDDEN)
    size = place - build(pair(), wide={}).at["directory"]
    for key, value in (("offset", 0), ("offset", place), ("size", size + 1), ("size", 0), ("size", 2 ** 63),
                       ("offset", 2 ** 64 - size)):
        refuse(f"wide/{key}-{value}", build(pair(), wide={key: value}, end=everything), "SNPY_ZIP_BAD_DIRECTORY",
               "wide.offset", "The directory does not end where the ZIP64 end record begins.",
               danger=HIDDEN if (key, value) == ("size", 0) else None)
    for count in (0, 1, 3, 65535):
        refuse(f"wide/count-{count}", build(pair(), wide={"count": count, "here": count}, end=everything),
               "SNPY_ZIP_BAD_COUNT", "wide.count", "The directory has two headers.", danger=HIDDEN)
    for count in (2 ** 31, 2 ** 40, 2 ** 64 - 1):
        refuse(f"limits/members-{count}", build(pair(), wide={"count": count, "here": count}, end=everything),
               "SNPY_ZIP_TOO_MANY_MEMBERS", "wide.count", "More members than a reader takes memory for.",
               danger="The count is what memory is taken for.")


def cases():
    """All of them."""
    missing()
    comments()
    places()
    wide()
