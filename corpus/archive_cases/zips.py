"""Archives built record by record, so that each number in them can be made to lie.

A `Member` says what stands in its local header, its central header and its descriptor; `build` puts members together
and remembers where every number of every record stands, so that the offset of an error is derived from the layout and
the rules of spec/npz.md. Standard library only.
"""

import zlib

import model

from . import deflate

LOCAL = (("signature", 4), ("version", 2), ("flags", 2), ("method", 2), ("time", 2), ("date", 2), ("crc", 4),
         ("compressed", 4), ("size", 4), ("name_length", 2), ("extra_length", 2))
CENTRAL = (("signature", 4), ("made", 2), *LOCAL[1:], ("comment_length", 2), ("disk", 2), ("internal", 2),
           ("external", 4), ("offset", 4))
END = (("signature", 4), ("disk", 2), ("start_disk", 2), ("here", 2), ("count", 2), ("size", 4), ("offset", 4),
       ("comment_length", 2))
WIDE = (("signature", 4), ("rest", 8), ("made", 2), ("version", 2), ("disk", 4), ("start_disk", 4), ("here", 8),
        ("count", 8), ("size", 8), ("offset", 8))
LOCATOR = (("signature", 4), ("disk", 4), ("offset", 8), ("disks", 4))
SIGNATURES = {"local": 0x04034B50, "central": 0x02014B50, "end": 0x06054B50, "wide": 0x06064B50,
              "locator": 0x07064B50, "descriptor": 0x08074B50}
ONES = {2: 0xFFFF, 4: 0xFFFFFFFF}
STORED, DEFLATED = 0, 8


def npy(descr="<f8", shape=(3,), fortran_order=False, data=None, version=None):
    """(the bytes of an NPY file as NumPy writes it, what a reader says of it)."""
    head = model.header_bytes(model.python_repr(descr), fortran_order, shape, version)
    expect = model.expectation(descr, fortran_order, list(shape), f"{head[6]}.0", len(head))
    if data is None:
        data = model.counting(descr, expect["count"], 1)
    return head + data, expect


def extra(identifier, data):
    """An extra field."""
    return identifier.to_bytes(2, "little") + len(data).to_bytes(2, "little") + data


def wide_extra(*numbers):
    """The field that holds ZIP64 numbers."""
    return extra(1, b"".join(number.to_bytes(8, "little") for number in numbers))


class Member:
    """A member, and what its records say other than the truth."""

    def __init__(self, name="x.npy", content=None, method=STORED, *, data=None, local=(), central=(), descriptor=None,
                 local_extra=b"", central_extra=b"", local_name=None, comment=b"", size=None, crc=None, flags=0,
                 gap=b"", changes=(), unsigned=False, cut=None):
        content = npy()[0] if content is None else content
        self.name = name.encode() if isinstance(name, str) else name
        self.content, self.method, self.gap, self.comment = content, method, gap, comment
        self.data = data if data is not None else content if method != DEFLATED else deflate.plain(content)
        self.size = len(content) if size is None else size
        self.crc = zlib.crc32(content) if crc is None else crc
        self.local, self.central, self.changes = dict(local), dict(central), dict(changes)
        self.local_extra, self.central_extra = local_extra, central_extra
        self.local_name = self.name if local_name is None else local_name
        self.descriptor, self.unsigned, self.cut = descriptor, unsigned, cut          # None, 4 or 8
        self.flags = flags | (8 if descriptor else 0)

    def truth(self, name, extra_field):
        """What local and central header say alike."""
        return {"version": 20, "flags": self.flags, "method": self.method, "time": 0, "date": 33, "crc": self.crc,
                "compressed": len(self.data), "size": self.size, "name_length": len(name),
                "extra_length": len(extra_field)}


class Archive:
    """The bytes of an archive, and where its numbers stand."""

    def __init__(self):
        self.data, self.at = b"", {}

    def mark(self, name):
        """Remembers where the next byte goes."""
        self.at[name] = len(self.data)

    def put(self, data):
        """Bytes as they are."""
        self.data += data

    def record(self, label, layout, values):
        """A record; `label.number` is where each of its numbers stands."""
        self.mark(label)
        for name, size in layout:
            self.mark(f"{label}.{name}")
            self.put(values[name].to_bytes(size, "little"))

    def patched(self, label, value, size):
        """The same archive with another number at a place."""
        other = Archive()
        at = self.at[label]
        other.at = self.at
        other.data = self.data[:at] + value.to_bytes(size, "little") + self.data[at + size:]
        return other


def put_local(archive, number, member):
    """Local header, data and descriptor of a member."""
    label = f"local{number}"
    empty = {"crc": 0, "compressed": 0, "size": 0} if member.descriptor else {}
    truth = member.truth(member.local_name, member.local_extra)
    archive.record(label, LOCAL, {**truth, **empty, "signature": SIGNATURES["local"], **member.local})
    archive.mark(f"{label}.name")
    archive.put(member.local_name)
    archive.mark(f"{label}.extra")
    archive.put(member.local_extra)
    archive.mark(f"data{number}")
    archive.put(member.data)
    archive.mark(f"behind{number}")
    if member.descriptor:
        layout = (("signature", 4), ("crc", 4), ("compressed", member.descriptor), ("size", member.descriptor))
        values = {"signature": SIGNATURES["descriptor"], "crc": member.crc, "compressed": len(member.data),
                  "size": member.size, **member.changes}
        archive.record(f"descriptor{number}", layout[1:] if member.unsigned else layout, values)
        if member.cut:
            archive.data = archive.data[:-member.cut]
    archive.mark(f"gap{number}")
    archive.put(member.gap)


def put_central(archive, number, member, offset):
    """The central header of a member."""
    truth = member.truth(member.name, member.central_extra)
    values = {**truth, "signature": SIGNATURES["central"], "made": 0x0314, "comment_length": len(member.comment),
              "disk": 0, "internal": 0, "external": 0x01800000, "offset": offset, **member.central}
    label = f"central{number}"
    archive.record(label, CENTRAL, values)
    archive.mark(f"{label}.name")
    archive.put(member.name)
    archive.mark(f"{label}.extra")
    archive.put(member.central_extra)
    archive.put(member.comment)


def put_wide(archive, truth, wide, locator):
    """The ZIP64 end record and its locator."""
    place = len(archive.data)
    archive.record("wide", WIDE, {"signature": SIGNATURES["wide"], "rest": 44, "made": 0x032D, "version": 45, "disk": 0,
                                  "start_disk": 0, "here": truth["count"], **truth, **wide})
    archive.record("locator", LOCATOR, {"signature": SIGNATURES["locator"], "disk": 0, "offset": place, "disks": 1,
                                        **locator})


def build(members, *, prefix=b"", in_front=b"", wide=None, locator=None, end=(), comment=b"", trailing=b"", order=None,
          behind_directory=b"", base=0):
    """The archive of some members.

    prefix in front of all (offsets count from behind it, plus `base`); in_front of the directory; `order` of the
    directory; `wide` and `locator`: what they say other than the truth, if there are such records."""
    archive = Archive()
    archive.put(prefix)
    offsets = []
    for number, member in enumerate(members):
        offsets.append(len(archive.data) - len(prefix) + base)
        put_local(archive, number, member)
    archive.mark("in_front")
    archive.put(in_front)
    archive.mark("directory")
    start = len(archive.data)
    for number in order or range(len(members)):
        put_central(archive, number, members[number], offsets[number])
    size = len(archive.data) - start
    archive.mark("directory_end")
    archive.put(behind_directory)
    truth = {"count": len(members), "size": size, "offset": start - len(prefix) + base}
    if wide is not None:
        put_wide(archive, truth, wide, locator or {})
    archive.record("end", END, {"signature": SIGNATURES["end"], "disk": 0, "start_disk": 0, "here": len(members), **truth,
                                "comment_length": len(comment), **dict(end)})
    archive.mark("comment")
    archive.put(comment)
    archive.mark("trailing")
    archive.put(trailing)
    archive.mark("eof")
    return archive
