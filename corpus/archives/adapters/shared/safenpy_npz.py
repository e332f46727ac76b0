"""The safenpy command as a reader of archives: `check` gives the verdict, `info` the members and their headers.

SAFENPY in the environment names the command. The digests are taken with the offsets, sizes and orders that `info`
reports, so that these numbers are tested as well.
"""

import hashlib
import os
import subprocess
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "adapters" / "shared"))

import elements  # noqa: E402
from lines import accept, reject, serve  # noqa: E402
from safenpy_adapter import KEYS, describe, run  # noqa: E402


def array_of(path, member, data):
    """What `info` tells of the array of a member, with the digest of its elements."""
    info = describe("--member", member["name"], "--", path)
    values = {key: info[key] for key in KEYS}
    if info["descr"].startswith("["):
        values["fields"] = info["fields"]
    if not info["has_object"]:
        raw = data[info["data_offset"]:info["data_offset"] + info["data_size"]]
        if info["fortran_order"] and raw:
            raw = elements.in_c_order(raw, info["itemsize"], info["shape"])
        values["elements_sha256"] = elements.digest(raw, info["descr"], info["itemsize"], info["fields"])
    return values


def member_of(path, member):
    """One member of those that `info` lists."""
    with open(path, "rb") as file:
        file.seek(member["archive_offset"])
        data = file.read(member["compressed_size"])
    if member["method"] == "deflated":
        data = zlib.decompress(data, -15)
    return {**{key: member[key] for key in ("name", "key", "method", "size")}, "sha256": hashlib.sha256(data).hexdigest(),
            "array": array_of(path, member, data) if member["format"] == "npy" else None}


def read(path):
    """The verdict, then the members."""
    check = run("check", "--json", *sys.argv[1:], "--", path)
    said = next((one for one in (check, *check.get("members", ())) if "status" in one), None)
    if said is not None:
        if said["verdict"] != "reject":
            raise RuntimeError(f"{said['status']}: {said['message']}")
        return reject(said["message"], status=said["status"], offset=said["offset"])
    members = run("info", "--json", *sys.argv[1:], "--", path)["members"]
    return accept(members=[member_of(path, member) for member in members])


def main():
    """Speaks the protocol."""
    done = subprocess.run([os.environ["SAFENPY"], "--version"], capture_output=True, text=True, check=True)
    serve("safenpy", done.stdout.split()[-1], "C", read)


if __name__ == "__main__":
    main()
