"""Python's zipfile as a reader of archives: every member's bytes. It knows nothing of arrays. Standard library only.

A class of its own for encrypted members and methods that it does not have would be a verdict of this adapter: what
zipfile raises is a refusal.
"""

import hashlib
import platform
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "adapters" / "shared"))

from lines import accept, reject, serve  # noqa: E402

METHODS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}


def member_of(archive, info):
    """One member."""
    data = archive.read(info)
    if len(data) != info.file_size:
        raise zipfile.BadZipFile(f"{len(data)} bytes of {info.file_size}")
    return {"name": info.filename, "method": METHODS.get(info.compress_type, str(info.compress_type)),
            "size": info.file_size, "sha256": hashlib.sha256(data).hexdigest()}


def read(path):
    """All members."""
    try:
        with zipfile.ZipFile(path) as archive:
            return accept(members=[member_of(archive, info) for info in archive.infolist()])
    except Exception as error:              # zipfile lets many kinds through
        return reject(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    serve("zipfile", platform.python_version(), "Python", read)
