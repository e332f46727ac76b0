"""Central and local headers, extra fields, descriptors and places: one lie in each number."""

import bz2
import zlib

from .dsl import refuse, relaxed, strict, take
from .ends import HIDDEN, pair
from .zips import DEFLATED, ONES, Member, build, extra, npy, wide_extra

BOUND = "This is the bound that keeps every read inside the file."
DIFFERS = "The directory and the local header disagree, and each reader believes another."


def one(**more):
    """An archive of one member with some lies."""
    return build([Member(**more)])


def both(label, value):
    """The same lie in the directory and in the local header."""
    return {"local": {label: value}, "central": {label: value}}


def path_extra(name, crc=None, version=1):
    """A Unicode path."""
    crc = zlib.crc32(b"x.npy") if crc is None else crc
    return extra(0x7075, bytes([version]) + crc.to_bytes(4, "little") + name)


def directory():
    """NPZ-DIR-001 to NPZ-DIR-008."""
    for number in (0, 1):
        for byte in (0, 3):
            archive = build(pair()).patched(f"central{number}.signature", 0x02014B50 ^ (1 << (8 * byte)), 4)
            refuse(f"directory/signature-{number}-{byte}", archive, "SNPY_ZIP_BAD_CENTRAL", f"central{number}",
                   "No central header stands here.")
    for key in ("name_length", "extra_length", "comment_length"):
        for value in (100, 65535):
            members = pair()
            members[1].central[key] = value
            refuse(f"directory/{key.replace('_', '-')}-{value}", build(members), "SNPY_ZIP_TRUNCATED_CENTRAL",
                   "directory_end", "The header does not end within the directory.",
                   danger="The lengths are the writer's word; believed, they lead out of the buffer.")
    for version in (255, 65535):
        refuse(f"directory/version-{version}", one(central={"version": version}), "SNPY_ZIP_VERSION", "central0.version",
               "45 is all that is needed.")
    for version in (255, 65535):
        strict(f"local-version-{version}", one(local={"version": version}), "SNPY_ZIP_VERSION", "local0.version",
               "45 is all that is needed.")
    for version in (46, 63):
        strict(f"central-version-{version}", one(central={"version": version}), "SNPY_ZIP_VERSION", "central0.version",
               "45 is all that is needed.")
        strict(f"local-version-{version}", one(local={"version": version}), "SNPY_ZIP_VERSION", "local0.version",
               "45 is all that is needed.")
    take("directory/versions", [Member("a.npy", **both("version", 10)), Member("b.npy", **both("version", 45)),
                                Member("c.npy", local={"version": 20}, central={"version": 45}),
                                Member("d.npy", **both("version", 0))],
         "Versions up to 45, different ones in directory and local header too.", ["NPZ-DIR-003"])
    for bit in (0, 6):
        refuse(f"directory/encrypted-bit-{bit}", one(flags=1 << bit), "SNPY_ZIP_ENCRYPTED", "central0.flags",
               "The member is encrypted.")
    strict("encrypted-bit-13", one(flags=1 << 13), "SNPY_ZIP_ENCRYPTED", "central0.flags", "The header is masked.")
    refuse("directory/flags-bit-5", one(flags=1 << 5), "SNPY_ZIP_FLAGS", "central0.flags", "The data are a patch.")
    for bit in (4, 7, 8, 9, 10, 12, 14, 15):
        strict(f"flags-bit-{bit}", one(flags=1 << bit), "SNPY_ZIP_FLAGS", "central0.flags",
               "A flag that changes what the data mean, or is reserved.")
    for flags in (2, 4, 6, 0x800):
        take(f"directory/flags-{flags:04x}", [Member(flags=flags, method=DEFLATED)],
             "How hard the deflater tried, or that the name is UTF-8.", ["NPZ-DIR-005", "NPZ-DIR-004"])
    for method in (1, 2, 6, 7, 9, 10, 11, 95, 97, 98, 99, 255, 65535):
        refuse(f"directory/method-{method}", one(method=method), "SNPY_ZIP_METHOD", "central0.method",
               "Only stored and deflated members are read.")
    content = npy()[0]
    strict("method-12", one(method=12, data=bz2.compress(content)), "SNPY_ZIP_METHOD", "central0.method",
           "NumPy reads bzip2 where its Python does.")
    take("directory/methods", pair(), "A stored and a deflated member.", ["NPZ-DIR-006", "NPZ-DIR-001", "NPZ-DIR-007",
                                                                          "NPZ-LOCAL-001", "NPZ-LOCAL-008"])
    size = len(content)
    for name, compressed, said in (("compressed-minus", size - 8, size), ("size-minus", size, size - 8),
                                   ("size-plus", size, size + 8), ("size-zero", size, 0)):
        archive = one(data=content[:compressed], size=said)
        danger = HIDDEN if name == "size-plus" else None
        refuse(f"directory/stored-{name}", archive, "SNPY_ZIP_STORED_SIZE", "central0.compressed",
               "A stored member's two sizes are one.", danger=danger)
    for key, value in (("made", 0), ("made", 65535), ("time", 65535), ("date", 0), ("date", 65535), ("internal", 1),
                       ("internal", 65535), ("external", 0), ("external", ONES[4])):
        take(f"directory/{key}-{value}", [Member(central={key: value})], "Nothing depends on it.", ["NPZ-DIR-008"])
    take("directory/comment", [Member(comment=b"about x"), Member("y.npy", comment=bytes(300))],
         "Nothing depends on the comment of a member.", ["NPZ-DIR-008", "NPZ-DIR-002"])
    take("directory/times-differ", [Member(local={"time": 5, "date": 99})], "Nothing depends on the time.",
         ["NPZ-DIR-008"])


def extras():
    """NPZ-EXTRA-001 to NPZ-EXTRA-006."""
    true = len(npy()[0])
    for where in ("central", "local"):
        key = f"{where}_extra"
        for count in (1, 2, 3):
            make = strict if where == "central" else refuse
            more = {} if where == "central" else {"danger": "A field may reach beyond its place."}
            name = f"{where}-left-over-{count}"
            make(name if where == "central" else f"extra/{name}", one(**{key: bytes([7] * count)}), "SNPY_ZIP_BAD_EXTRA",
                 f"{where}0.extra", "Bytes are left over after the extra fields.", **more)
        danger = None if where == "central" else "A field may reach beyond its place."
        refuse(f"extra/{where}-too-long", one(**{key: b"\x99\x99\x05\0abcd"}), "SNPY_ZIP_BAD_EXTRA", f"{where}0.extra",
               "The field is longer than its place.", danger=danger)
        refuse(f"extra/{where}-second-too-long", one(**{key: extra(0x9999, b"") + b"\x98\x99\xff\xff"}),
               "SNPY_ZIP_BAD_EXTRA", (f"{where}0.extra", 4), "The second field is longer than its place.", danger=danger)
        if where == "local":
            refuse("extra/local-wide-twice", one(local_extra=wide_extra(true, true) * 2), "SNPY_ZIP_EXTRA_TWICE",
                   ("local0.extra", 20), "Two ZIP64 fields.", danger=HIDDEN)
        else:
            refuse("extra/central-wide-twice", one(central_extra=wide_extra(true) * 2), "SNPY_ZIP_EXTRA_TWICE",
                   ("central0.extra", 12), "Two ZIP64 fields.", danger=HIDDEN)
        refuse(f"extra/{where}-path-twice", one(**{key: path_extra(b"x.npy") * 2}), "SNPY_ZIP_EXTRA_TWICE",
               (f"{where}0.extra", 14), "Two Unicode paths.", danger=HIDDEN)
        take(f"extra/{where}-others", [Member(**{key: extra(0x5455, b"\1abcd") + extra(0xD935, bytes(9)) +
                                                 extra(0x9999, b"") + extra(0x9999, b"")})],
             "Other fields are skipped, twice the same too.", ["NPZ-EXTRA-006", "NPZ-EXTRA-001", "NPZ-EXTRA-002"])
        take(f"extra/{where}-path", [Member(**{key: path_extra(b"x.npy")})], "A Unicode path that says the name.",
             ["NPZ-EXTRA-005"])
    name = b"caf\x82.npy"
    take("extra/central-path-437", [Member(name=name, central_extra=path_extra("café.npy".encode(), zlib.crc32(name)))],
         "A Unicode path that says the characters of a name in code page 437.", ["NPZ-EXTRA-005", "NPZ-NAME-002"])
    paddings()
    wides()
    disks()
    paths()


def paddings():
    """NPZ-EXTRA-001: zeros after the extra fields."""
    for label, field in (("1", bytes(1)), ("2", bytes(2)), ("3", bytes(3)), ("behind-field", extra(0x9999, b"z") + bytes(3)),
                         ("4", bytes(4)), ("63", bytes(63)), ("behind-field-63", extra(0x9999, b"z") + bytes(63))):
        take(f"extra/local-padding-{label}", [Member(local_extra=field)],
             "Zeros after the extra fields align the data.", ["NPZ-EXTRA-001", "NPZ-LOCAL-008"])
    for label, field, plus in (("first", b"\1\0\0", 0), ("second", b"\0\1\0", 0), ("third", b"\0\0\1", 0), ("one", b"\1", 0),
                               ("last-of-two", b"\0\1", 0), ("behind-zeros", bytes(8) + b"\0\0\7", 8),
                               ("behind-field", extra(0x9999, b"z") + b"\0\7", 5)):
        refuse(f"extra/local-padding-not-zero-{label}", one(local_extra=field), "SNPY_ZIP_BAD_EXTRA",
               ("local0.extra", plus), "What is left over holds a byte that is not zero.",
               danger="A field may reach beyond its place.")
    for count in (1, 2, 3, 7):
        strict(f"central-padding-{count}", one(central_extra=bytes(count)), "SNPY_ZIP_BAD_EXTRA",
               ("central0.extra", count // 4 * 4), "Nothing has to be aligned in the directory.")
    take("extra/central-empty-fields", [Member(central_extra=bytes(8))], "Two fields of ID 0 and length 0.",
         ["NPZ-EXTRA-006", "NPZ-EXTRA-001"])


def wides():
    """NPZ-EXTRA-003, NPZ-EXTRA-004."""
    true = len(npy()[0])
    ones = {"size": ONES[4], "compressed": ONES[4]}
    take("extra/wide-both", [Member(local=ones, local_extra=wide_extra(true, true), central={**ones, "offset": ONES[4]},
                                    central_extra=wide_extra(true, true, 0))],
         "All sizes, and the offset, in ZIP64 fields.", ["NPZ-EXTRA-003"])
    take("extra/wide-size-only", [Member(central={"size": ONES[4]}, central_extra=wide_extra(true))],
         "The size alone in a ZIP64 field.", ["NPZ-EXTRA-003"])
    take("extra/wide-compressed-only", [Member(central={"compressed": ONES[4]}, central_extra=wide_extra(true))],
         "The compressed size alone in a ZIP64 field.", ["NPZ-EXTRA-003"])
    take("extra/wide-offset-only", [Member(central={"offset": ONES[4]}, central_extra=wide_extra(0))],
         "The offset alone in a ZIP64 field.", ["NPZ-EXTRA-003"])
    take("extra/wide-needless", [Member(local_extra=wide_extra(true, true))],
         "True numbers beside true numbers, as Python before 3.11.4 writes them.", ["NPZ-EXTRA-004"])
    take("extra/wide-needless-central", [Member(central_extra=wide_extra(true, true, 0))],
         "True numbers beside true numbers.", ["NPZ-EXTRA-004"])
    take("extra/wide-empty", [Member(central_extra=extra(1, b""))], "A ZIP64 field without numbers.", ["NPZ-EXTRA-004"])
    for label, central, field in (("size-short", {"size": ONES[4]}, extra(1, bytes(7))),
                                  ("size-none", {"size": ONES[4]}, extra(1, b"")),
                                  ("two-of-one", {"size": ONES[4], "compressed": ONES[4]}, wide_extra(true)),
                                  ("offset-none", {"offset": ONES[4]}, extra(1, b"")),
                                  ("three-of-two", {"size": ONES[4], "compressed": ONES[4], "offset": ONES[4]},
                                   wide_extra(true, true))):
        refuse(f"extra/wide-{label}", one(central=central, central_extra=field), "SNPY_ZIP_WIDE_MISSING", "central0.extra",
               "The ZIP64 field is too short for the numbers that it has to hold.")
    refuse("extra/wide-local-short", one(local=ones, local_extra=wide_extra(true)), "SNPY_ZIP_WIDE_MISSING", "local0.extra",
           "The ZIP64 field is too short for the numbers that it has to hold.", danger=DIFFERS)
    for label, numbers, plus in (("size", (true + 1,), 0), ("compressed", (true, true - 1), 8), ("offset", (true, true, 1), 16)):
        refuse(f"extra/wide-untrue-{label}", one(central_extra=wide_extra(*numbers)), "SNPY_ZIP_WIDE_DIFFERS",
               ("central0.extra", 4 + plus), "A needless ZIP64 number is not true.", danger=HIDDEN)
    for label, numbers, plus in (("size", (true + 1, true), 0), ("compressed", (true, 0), 8)):
        refuse(f"extra/wide-untrue-local-{label}", one(local_extra=wide_extra(*numbers)), "SNPY_ZIP_WIDE_DIFFERS",
               ("local0.extra", 4 + plus), "A needless ZIP64 number is not true.", danger=HIDDEN)
    refuse("extra/wide-too-long", one(central_extra=extra(1, (true.to_bytes(8, "little") * 2) + bytes(13))),
           "SNPY_ZIP_WIDE_DIFFERS", ("central0.extra", 32), "Bytes stand after the ZIP64 numbers.",
           danger="What is written needlessly has to be true at least.")
    refuse("extra/wide-lies-size", one(central={"size": ONES[4]}, central_extra=wide_extra(true + 8)),
           "SNPY_ZIP_STORED_SIZE", "central0.compressed", "The ZIP64 size is not that of the stored data.", danger=HIDDEN)


def disks():
    """NPZ-END-006, NPZ-EXTRA-003, NPZ-EXTRA-004: the number of the disk in a ZIP64 field."""
    true = len(npy()[0])
    ones = {"size": ONES[4], "compressed": ONES[4], "offset": ONES[4]}
    rules = ["NPZ-EXTRA-003", "NPZ-EXTRA-004", "NPZ-END-006"]

    def field(size=true, compressed=true, offset=0, disk=0):
        return extra(1, b"".join(n.to_bytes(8, "little") for n in (size, compressed, offset)) + disk.to_bytes(4, "little"))

    def members(central):
        """Two, of which the second does not begin at 0."""
        place = build([Member("a.npy")]).at["gap0"]
        return [Member("a.npy", central=central, central_extra=field()),
                Member("b.npy", central=central, central_extra=field(offset=place))]

    take("extra/wide-disk", members(ones),
         "Sizes, offset and disk in ZIP64 fields, as commons-compress writes where it always uses them.", rules)
    take("extra/wide-disk-needless", [Member(central_extra=field())], "True numbers beside true numbers, the disk's too.", rules)
    take("extra/wide-disk-behind-size", [Member(central={"size": ONES[4]}, central_extra=field())],
         "A size in the ZIP64 field, and true numbers after it.", rules)
    all_ones = {"disk": ONES[2]}
    take("extra/wide-disk-all-ones", members({**ones, **all_ones}), "All ones for the disk, which the ZIP64 field has.", rules)
    take("extra/wide-disk-all-ones-needless", [Member(central=all_ones, central_extra=field())],
         "All ones for the disk, which the ZIP64 field has after true numbers.", rules)
    take("extra/wide-disk-all-ones-alone", [Member(central=all_ones, central_extra=extra(1, bytes(4)))],
         "All ones for the disk, which alone is in the ZIP64 field.", rules)
    for key, plus in (("size", 0), ("compressed", 8), ("offset", 16)):
        for label, central in (("", {}), ("-all-ones", all_ones)):
            value = {key: true + 1 if key != "offset" else 1}
            refuse(f"extra/wide-disk{label}-untrue-{key}", one(central=central, central_extra=field(**value)),
                   "SNPY_ZIP_WIDE_DIFFERS", ("central0.extra", 4 + plus), "A needless ZIP64 number is not true.", danger=HIDDEN)
    refuse("extra/wide-local-disk", one(local_extra=field()), "SNPY_ZIP_WIDE_DIFFERS", ("local0.extra", 20),
           "A local header has neither offset nor disk.", danger=DIFFERS)
    for label, central, data, plus in (
            ("1", {}, field(disk=1), 28), ("65536", {}, field(disk=65536), 28), ("all-ones-1", all_ones, field(disk=1), 28),
            ("all-ones-alone-1", all_ones, extra(1, b"\1\0\0\0"), 4), ("all-ones-alone-high", all_ones, extra(1, b"\0\0\0\1"), 4),
            ("all-ones-too-long", all_ones, extra(1, bytes(5)), 8), ("all-ones-cut", all_ones, extra(1, bytes(3)), 4),
            ("alone", {}, extra(1, bytes(4)), 4), ("behind-one-size", {}, extra(1, true.to_bytes(8, "little") + bytes(4)), 12),
            ("cut", {}, extra(1, true.to_bytes(8, "little") * 2 + bytes(11)), 28)):
        strict(f"extra-disk-{label}", one(central=central, central_extra=data), "SNPY_ZIP_WIDE_DIFFERS",
               ("central0.extra", plus), "The ZIP64 field ends in something else than disk 0 after the offset.",
               rules=["NPZ-END-006"])
    for label, data in (("empty", extra(1, b"")), ("no-disk", wide_extra(true, true, 0))):
        strict(f"extra-disk-all-ones-{label}", one(central=all_ones, central_extra=data), "SNPY_ZIP_WIDE_MISSING",
               "central0.extra", "The ZIP64 field lacks the number of the disk.", rules=["NPZ-END-006"])
    strict("extra-disk-all-ones-no-field", one(central=all_ones, central_extra=extra(0x9999, b"")), "SNPY_ZIP_MULTI_DISK",
           "central0.disk", "No ZIP64 field says which disk it is.", rules=["NPZ-END-006"])


def paths():
    """NPZ-EXTRA-005."""
    name = "ж.npy".encode("cp866")
    refuse("extra/central-path-code-page", one(name=name, central_extra=path_extra("ж.npy".encode(), zlib.crc32(name))),
           "SNPY_ZIP_UNICODE_PATH", "central0.extra", "The name is in another code page than 437, as 7-Zip on Windows writes it.",
           danger="One archive would have two keys for one member, by the version of the reader.")
    for label, field in (("version", path_extra(b"x.npy", version=2)), ("crc", path_extra(b"x.npy", crc=1)),
                         ("name", path_extra(b"y.npy")), ("longer", path_extra(b"x.npyz")), ("shorter", path_extra(b"x.np")),
                         ("not-utf-8", path_extra(b"x.np\xff")), ("empty", path_extra(b"")),
                         ("no-room", extra(0x7075, b"\1abc"))):
        refuse(f"extra/central-path-{label}", one(central_extra=field), "SNPY_ZIP_UNICODE_PATH", "central0.extra",
               "The Unicode path is not the name.",
               danger="One archive would have two keys for one member, by the version of the reader.")


def local():
    """NPZ-LOCAL-001 to NPZ-LOCAL-008."""
    for byte in range(4):
        archive = build(pair()).patched("local1.signature", 0x04034B50 ^ (1 << (8 * byte)), 4)
        refuse(f"local/signature-{byte}", archive, "SNPY_ZIP_BAD_LOCAL", "local1", "No local header stands at the offset.")
    for key in ("name_length", "extra_length"):
        members = pair()
        members[1].local[key] = 65535
        status, at = "SNPY_ZIP_TRUNCATED_LOCAL", "local1"
        refuse(f"local/{key.replace('_', '-')}-65535", build(members), status, at,
               "Name and extra fields do not end before the directory.")
    for label, name, at in (("byte", b"x.npz", ("local0.name", 4)), ("first-byte", b"y.npy", "local0.name"),
                            ("case", b"X.npy", "local0.name"), ("shorter", b"x.np", "local0.name_length"),
                            ("longer", b"x.npyy", "local0.name_length"), ("empty", b"", "local0.name_length")):
        refuse(f"local/name-{label}", one(local_name=name), "SNPY_ZIP_NAME_DIFFERS", at, "Another name.")
    for method in (8, 1, 99):
        refuse(f"local/method-{method}", one(local={"method": method}), "SNPY_ZIP_METHOD_DIFFERS", "local0.method",
               "Another method.", danger=DIFFERS)
    refuse("local/method-0", build([Member(method=DEFLATED, local={"method": 0})]), "SNPY_ZIP_METHOD_DIFFERS",
           "local0.method", "Another method.", danger=DIFFERS)
    for bit in (1, 2, 3, 4, 13):
        refuse(f"local/flags-bit-{bit}", one(local={"flags": 1 << bit}), "SNPY_ZIP_FLAGS_DIFFER", "local0.flags",
               "Other flags.", danger=DIFFERS)
    refuse("local/flags-utf-8", one(local={"flags": 0x800}), "SNPY_ZIP_FLAGS_DIFFER", "local0.flags", "Other flags.",
           danger=DIFFERS)
    refuse("local/flags-encrypted", one(local={"flags": 1}), "SNPY_ZIP_FLAGS_DIFFER", "local0.flags", "Other flags.",
           danger=DIFFERS)
    true = len(npy()[0])
    for key in ("size", "compressed"):
        for value in (0, true - 1, true + 1, ONES[4]):
            refuse(f"local/{key}-{value}", one(local={key: value}), "SNPY_ZIP_SIZE_DIFFERS", f"local0.{key}",
                   "Another size.", danger=DIFFERS)
    for value in (0, 1, ONES[4]):
        refuse(f"local/crc-{value}", one(local={"crc": value}), "SNPY_ZIP_CRC_DIFFERS", "local0.crc", "Another CRC.",
               danger=DIFFERS)
    ones = {"size": ONES[4], "compressed": ONES[4]}
    refuse("local/wide-size", one(local=ones, local_extra=wide_extra(true + 1, true)), "SNPY_ZIP_SIZE_DIFFERS",
           "local0.size", "Another size, in the ZIP64 field.", danger=DIFFERS)
    refuse("local/wide-compressed", one(local=ones, local_extra=wide_extra(true, true - 1)), "SNPY_ZIP_SIZE_DIFFERS",
           "local0.compressed", "Another size, in the ZIP64 field.", danger=DIFFERS)
    take("local/extra-longer", [Member(local_extra=extra(0x9999, bytes(50)))],
         "The data stand after the local extra fields, which the directory does not have.",
         ["NPZ-LOCAL-008", "NPZ-LOCAL-002", "NPZ-LOCAL-003", "NPZ-LOCAL-004", "NPZ-LOCAL-005", "NPZ-LOCAL-006",
          "NPZ-LOCAL-007"])
    take("local/extra-shorter", [Member(central_extra=extra(0x9999, bytes(50)))],
         "The directory has extra fields that the local header does not have.", ["NPZ-LOCAL-008"])


def descriptors():
    """NPZ-DESC-001 to NPZ-DESC-004."""
    rules = ["NPZ-DESC-001", "NPZ-DESC-002", "NPZ-DESC-003"]
    wide_local = {"local_extra": wide_extra(0, 0), "local": {"size": ONES[4], "compressed": ONES[4]}}
    take("descriptor/narrow", [Member(descriptor=4), Member("y.npy", method=DEFLATED, descriptor=4)],
         "Descriptors of 16 bytes.", rules)
    take("descriptor/wide", [Member(descriptor=8, **wide_local), Member("y.npy", method=DEFLATED, descriptor=8, **wide_local)],
         "Descriptors of 24 bytes: the local header has a ZIP64 field.", rules)
    take("descriptor/wide-zeros", [Member(descriptor=8, local_extra=wide_extra(0, 0))],
         "Local sizes of 0 beside a ZIP64 field of 0, as Python before 3.11.4 streams.", [*rules, "NPZ-EXTRA-004"])
    true = len(npy()[0])
    crc = zlib.crc32(npy()[0])
    take("descriptor/real-sizes", [Member(descriptor=4, local={"size": true, "compressed": true, "crc": crc})],
         "A descriptor beside a local header that says all.", [*rules, "NPZ-LOCAL-006", "NPZ-LOCAL-007"])
    take("descriptor/half-sizes", [Member(descriptor=4, local={"size": true})],
         "A descriptor beside a local header that says one size.", [*rules, "NPZ-LOCAL-006"])
    for key, value in (("crc", crc ^ 1), ("compressed", true + 1), ("size", true - 1), ("crc", 0), ("compressed", 0),
                       ("size", 0)):
        refuse(f"descriptor/{key}-{value}", one(descriptor=4, changes={key: value}), "SNPY_ZIP_DESCRIPTOR_DIFFERS",
               f"descriptor0.{key}", "The descriptor says something else.", danger=DIFFERS)
        refuse(f"descriptor/wide-{key}-{value}", build([Member(descriptor=8, changes={key: value}, **wide_local)]),
               "SNPY_ZIP_DESCRIPTOR_DIFFERS", f"descriptor0.{key}", "The descriptor says something else.", danger=DIFFERS)
    for value in (0, 0x08074B51, 0x04034B50):
        refuse(f"descriptor/signature-{value:08x}", one(descriptor=4, changes={"signature": value}),
               "SNPY_ZIP_NO_DESCRIPTOR", "behind0", "No descriptor stands after the data.", danger=DIFFERS)
    for label, size, more in (("narrow", 4, {}), ("wide", 8, wide_local)):
        member = Member(descriptor=size, unsigned=True, **more)
        relaxed("unsigned-descriptor", label, build([member]), "SNPY_ZIP_NO_DESCRIPTOR", "behind0",
                "The descriptor has no signature.", [member])
    refuse("descriptor/missing", build([Member(descriptor=4, cut=16)]), "SNPY_ZIP_NO_DESCRIPTOR", "behind0",
           "Bit 3 is set, and there is no descriptor.", danger=DIFFERS)
    refuse("descriptor/cut-off", build([Member(descriptor=4, cut=1)]), "SNPY_ZIP_DESCRIPTOR_DIFFERS", "behind0",
           "The descriptor does not end before the directory.", danger=DIFFERS)
    long_descriptors(true, crc)
    refuse("descriptor/too-narrow", build([Member(descriptor=4, local_extra=wide_extra(0, 0))]),
           "SNPY_ZIP_DESCRIPTOR_DIFFERS", "behind0", "16 bytes, and the ZIP64 field asks for 24.", danger=DIFFERS,
           rules=["NPZ-DESC-002"])
    member = Member(gap=b"PK\7\10" + crc.to_bytes(4, "little") + true.to_bytes(4, "little") * 2)
    relaxed("zip-gaps", "unannounced-descriptor", build([member]), "SNPY_ZIP_GAP", "gap0",
            "A descriptor that no bit announces is a gap.", [member], rules=["NPZ-DESC-004"])


def long_descriptors(true, crc):
    """NPZ-DESC-002: 24 bytes, and nothing says that the sizes are wide."""
    rules = ["NPZ-DESC-001", "NPZ-DESC-002", "NPZ-DESC-003"]
    take("descriptor/long", [Member(descriptor=8)], "24 bytes that say what the directory says.", rules)
    take("descriptor/long-two", [Member(descriptor=8), Member("y.npy", method=DEFLATED, descriptor=8)],
         "24 bytes that say what the directory says, as yazl writes them.", rules)
    take("descriptor/long-empty", [Member("a.txt", b"", descriptor=8), Member("b.txt", b"", method=DEFLATED, descriptor=8),
                                   Member(descriptor=8)],
         "A member of no bytes: zeros where the next header would begin.", rules)
    take("descriptor/narrow-empty", [Member("a.txt", b"", descriptor=4), Member("b.txt", b"", method=DEFLATED, descriptor=4),
                                     Member(descriptor=4)],
         "A member of no bytes, and the next header right after 16 bytes.", rules)
    high = 1 << 32
    for name, changes, at in (("too-wide", {"size": true + high}, ("descriptor0.compressed", 4)),
                              ("long-crc", {"crc": crc ^ 1}, "descriptor0.crc"),
                              ("long-compressed", {"compressed": true + 1}, "descriptor0.compressed"),
                              ("long-compressed-high", {"compressed": true + high}, ("descriptor0.compressed", 4)),
                              ("long-size", {"size": true + 1}, ("descriptor0.compressed", 4)),
                              ("long-zeros", {"compressed": 0, "size": 0}, "descriptor0.compressed")):
        refuse(f"descriptor/{name}", one(descriptor=8, changes=changes), "SNPY_ZIP_DESCRIPTOR_DIFFERS", at,
               "24 bytes, and nothing says that its sizes are wide; one number is not the directory's.", danger=DIFFERS,
               rules=["NPZ-DESC-002"])
    refuse("descriptor/long-cut", one(descriptor=8, cut=1), "SNPY_ZIP_DESCRIPTOR_DIFFERS", ("descriptor0.compressed", 4),
           "23 bytes: neither a long descriptor nor a short one.", danger=DIFFERS, rules=["NPZ-DESC-002"])
    refuse("descriptor/long-unsigned", one(descriptor=8, unsigned=True), "SNPY_ZIP_NO_DESCRIPTOR", "behind0",
           "20 bytes without a signature, and nothing says that its sizes are wide.", danger=DIFFERS, rules=["NPZ-DESC-002"])
    member = Member(descriptor=8, gap=b"\0")
    relaxed("zip-gaps", "long-descriptor", build([member]), "SNPY_ZIP_GAP", "gap0", "25 bytes: one after a long descriptor.",
            [member], rules=["NPZ-DESC-002"])


def places():
    """NPZ-PLACE-001 to NPZ-PLACE-005."""
    take("place/two", [Member(), Member("y.npy", npy("<i4", (2,))[0])], "Entries one after another.",
         ["NPZ-PLACE-001", "NPZ-PLACE-002", "NPZ-PLACE-003", "NPZ-PLACE-004", "NPZ-PLACE-005"])
    for label, gap in (("one-byte", b"\0"), ("text", b"hidden"), ("local-header", b"PK\3\4" + bytes(26))):
        members = [Member(gap=gap), Member("y.npy", npy("<i4", (2,))[0])]
        relaxed("zip-gaps", label, build(members), "SNPY_ZIP_GAP", "gap0", "Bytes stand between two entries.", members)
        relaxed("zip-gaps", f"{label}-in-front-of-directory", build(pair(), in_front=gap), "SNPY_ZIP_GAP", "in_front",
                "Bytes stand before the directory.", pair())
    for label, prefix in (("text", b"#!/bin/sh\n"), ("one-byte", b"\0"), ("zeros", bytes(512))):
        relaxed("zip-prefix", f"{label}-left-out", build(pair(), prefix=prefix), "SNPY_BAD_MAGIC", 0,
                "Offsets count from the end of the prefix.", pair(), rules=["NPZ-END-001"])
        relaxed("zip-prefix", f"{label}-counted", build(pair(), prefix=prefix, base=len(prefix)), "SNPY_BAD_MAGIC", 0,
                "Offsets count the prefix.", pair(), rules=["NPZ-END-001"])
    prefix = b"PK\3\4 and no header"
    relaxed("zip-prefix", "signature-counted", build(pair(), prefix=prefix, base=len(prefix)), "SNPY_ZIP_PREFIX", 0,
            "The first local header does not begin at byte 0.", pair(), rules=["NPZ-PLACE-001"])
    relaxed("zip-prefix", "signature-left-out", build(pair(), prefix=prefix), "SNPY_ZIP_BAD_DIRECTORY", "end.offset",
            "All offsets are too small by the length of the prefix.", pair(), rules=["NPZ-END-007"])
    strict("order-of-directory", build([Member(), Member("y.npy")], order=[1, 0]), "SNPY_ZIP_PREFIX", 0,
           "The directory lists the members in another order than they stand.", rules=["NPZ-PLACE-001"])
    strict("order-of-last-two", build([Member(), Member("y.npy"), Member("z.npy")], order=[0, 2, 1]), "SNPY_ZIP_GAP",
           "local1", "The directory lists the members in another order than they stand.", rules=["NPZ-PLACE-002"])
    shared = [Member(), Member("y.npy")]
    shared[1].central["offset"] = 0
    refuse("place/same-offset", build(shared), "SNPY_ZIP_OVERLAP", "local0", "Two members share their bytes.")
    inner = build([Member("y.npy")])
    nested = [Member(content=inner.data[:inner.at["directory"]]), Member("y.npy")]
    archive = build(nested)
    nested[1].central["offset"] = archive.at["data0"]
    refuse("place/nested", build(nested), "SNPY_ZIP_OVERLAP", "data0", "A member stands inside the data of another.",
           danger="Members that share data make a bomb of any size.")
    for label, size in (("one-more", len(npy()[0]) + 1), ("huge", 2 ** 31), ("all-ones", ONES[4])):
        members = [Member(local={"size": size, "compressed": size}, central={"size": size, "compressed": size})]
        refuse(f"place/data-{label}", build(members), "SNPY_ZIP_OUT_OF_BOUNDS", "central0.compressed",
               "The data do not end before the directory.", danger=None if label == "one-more" else BOUND)
    for label, size in (("wide", 2 ** 62), ("wraps", 2 ** 64 - 8)):
        fields = {"local_extra": wide_extra(size, size), "central_extra": wide_extra(size, size)}
        ones = {"size": ONES[4], "compressed": ONES[4]}
        refuse(f"place/data-{label}", build([Member(local=ones, central=ones, **fields)]), "SNPY_ZIP_OUT_OF_BOUNDS",
               "central0.compressed", "The data do not end before the directory.", danger=BOUND)
    true = build(pair()).at
    for label, offset in (("directory", true["directory"]), ("end", true["end"])):
        members = pair()
        members[1].central["offset"] = offset
        refuse(f"local/offset-{label}", build(members), "SNPY_ZIP_BAD_LOCAL", offset, "No local header fits there.")
    for label, plus in (("plus-1", 1), ("into-data", 40), ("near-directory", true["directory"] - 29 - true["local1"])):
        members = pair()
        members[1].central["offset"] = true["local1"] + plus
        refuse(f"place/offset-{label}", build(members), "SNPY_ZIP_GAP", "local1",
               "The offset points after the local header, which is a gap then.")
    for label, plus in (("minus-1", -1),):
        members = pair()
        members[1].central["offset"] = true["local1"] + plus
        refuse(f"place/offset-{label}", build(members), "SNPY_ZIP_OVERLAP", ("local1", plus),
               "The offset leads into the data of the member before.")


def cases():
    """All of them."""
    directory()
    extras()
    local()
    descriptors()
    places()
