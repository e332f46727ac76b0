"""Numbers and words one step beside those of the other modules: each is the only one that a reader may compare."""

from .dsl import refuse, relaxed, strict, take
from .ends import HIDDEN, ONES, pair
from .headers import DIFFERS, one
from .zips import Member, build


def directories():
    """NPZ-DIR-001, NPZ-DIR-002, NPZ-END-006, NPZ-WIDE-002."""
    true = build(pair()).at
    size = true["directory_end"] - true["directory"]
    for length in (1, 2, 3):
        refuse(f"directory/rest-{length}", build(pair(), behind_directory=b"PK\1\2"[:length], end={"size": size + length}),
               "SNPY_ZIP_TRUNCATED_CENTRAL", "end", "The directory ends inside of a signature.")
    for name, rest in (("second", b"Pk"), ("third", b"PK\2"), ("fourth", b"PK\1\1"), ("alone", b"p")):
        refuse(f"directory/rest-other-{name}", build(pair(), behind_directory=rest, end={"size": size + len(rest)}),
               "SNPY_ZIP_BAD_CENTRAL", "directory_end", "What stands at the end of the directory begins no header.")
    everything = {"count": ONES[2], "here": ONES[2], "size": ONES[4], "offset": ONES[4]}
    for key in ("disk", "start_disk"):
        strict(f"wide-end-{key.replace('_', '-')}-1", build(pair(), wide={}, end={**everything, key: 1}),
               "SNPY_ZIP_MULTI_DISK", f"end.{key}", "A number of a disk is 0 or all ones.", rules=["NPZ-END-006"])
    prefix = b"#!/bin/sh\n"
    place = build(pair(), prefix=prefix, wide={}).at["wide"]
    relaxed("zip-prefix", "wide-left-out", build(pair(), prefix=prefix, wide={}, locator={"offset": place - len(prefix)}),
            "SNPY_BAD_MAGIC", 0, "The offset of the ZIP64 end record counts from the end of the prefix, too.", pair(),
            rules=["NPZ-WIDE-002"])


def members():
    """NPZ-NAME-005, NPZ-NAME-006, NPZ-LOCAL-006, NPZ-LOCAL-007."""
    take("name/suffix-near", [Member("a.nqy"), Member("b.npx"), Member("c.mpy"), Member("d,npy")],
         "No name ends in .npy, so that each is its own key.", ["NPZ-NAME-005"])
    refuse("name/duplicate-then-others", build([Member("b.npy"), Member("b"), Member("c.npy"), Member("d.npy")]),
           "SNPY_ZIP_DUPLICATE_KEY", "central1.name", "Two members have one key, and others follow.", danger=HIDDEN)
    for key, status in (("size", "SNPY_ZIP_SIZE_DIFFERS"), ("compressed", "SNPY_ZIP_SIZE_DIFFERS"),
                        ("crc", "SNPY_ZIP_CRC_DIFFERS")):
        refuse(f"descriptor/local-{key}-other", one(descriptor=4, local={key: 7}), status, f"local0.{key}",
               "Beside a descriptor the local header says 0, or the truth.", danger=DIFFERS)


def cases():
    """All cases of this module."""
    directories()
    members()
