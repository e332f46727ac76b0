"""Limits: what may be read."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

__all__ = ["UNTRUSTED", "Limits"]

_COMPAT = (
    "int-fortran-order", "numpy-bool", "numpy-int", "list-shape", "int-shape", "list-field", "metadata",
    "native-order", "type-names", "bytes-alias", "platform-float",
)
_ZIP = ("zip-prefix", "zip-trailing", "zip-gaps", "unsigned-descriptor")
_GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """What may be read, and what is let pass. The defaults suit files of your own; `UNTRUSTED` those of strangers.

    Parameters
    ----------
    max_header : int
        Bytes of header text.
    max_fields, max_ndim, max_depth : int
        Entries of a structured dtype; dimensions; nesting of dtypes.
    max_data : int
        Bytes of one array.
    max_member, max_total : int
        Bytes of one deflated member, and of all that one call inflates.
    max_members : int
        Members of an archive.
    max_ratio : int
        Bytes of a deflated member for each byte in the archive; 1,032 is what deflate can reach.
    strict_deflate : bool
        Refuse streams that RFC 1951 forbids and libdeflate inflates; slower.
    objects, trailing, non_arrays, unsafe_names : bool
        Whether a check accepts object arrays (their pickle is never run), bytes after the data, members named ``.npy``
        that are not NPY files, and names of members that are unsafe as paths.
    compat : tuple of str
        Compatibility flags, as ``safenpy check --compat`` takes them: headers that NumPy never writes.

    Examples
    --------
    >>> import safenpy as sn
    >>> sn.UNTRUSTED.replace(max_data=1 << 20).max_data
    1048576
    """

    max_header: int = 65536
    max_fields: int = 65536
    max_ndim: int = 64
    max_depth: int = 64
    max_data: int = (1 << 63) - 1
    max_member: int = 4 * _GIB
    max_total: int = 16 * _GIB
    max_members: int = 1 << 20
    max_ratio: int = 1032
    strict_deflate: bool = False
    objects: bool = True
    trailing: bool = True
    non_arrays: bool = True
    unsafe_names: bool = True
    compat: tuple[str, ...] = ()
    native: tuple[int, ...] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        unknown = set(self.compat) - set(_COMPAT) - set(_ZIP)
        if unknown:
            raise ValueError(f"unknown compatibility flags: {', '.join(sorted(unknown))}")
        masks = [sum(1 << i for i, flag in enumerate(flags) if flag in self.compat) for flags in (_COMPAT, _ZIP)]
        numbers = [self.max_header, self.max_fields, self.max_ndim, self.max_depth, self.max_data, self.max_member,
                   self.max_total, self.max_members, self.max_ratio]
        if any(not 0 <= number < 1 << 64 for number in numbers):
            raise ValueError("a limit is negative or above 2**64 - 1")
        switches = [self.strict_deflate, self.objects, self.trailing, self.non_arrays, self.unsafe_names]
        object.__setattr__(self, "native", (*numbers, *map(int, switches), *masks))

    def replace(self, **changes: object) -> Limits:
        """A copy with other values."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]


#: What a service should let in: as ``safenpy check --untrusted``.
UNTRUSTED = Limits(max_data=_GIB, max_member=_GIB, max_total=4 * _GIB, max_members=10_000, strict_deflate=True,
                   objects=False, trailing=False, non_arrays=False, unsafe_names=False)

#: For headers that we write ourselves.
OWN = Limits(max_header=(1 << 32) - 1, max_fields=1 << 28)
