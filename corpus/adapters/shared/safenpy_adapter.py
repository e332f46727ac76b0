"""The safenpy command as an implementation: `check` gives the verdict, `info` the header.

    safenpy_adapter.py [OPTION]...      options of `safenpy check`: --profile canonical, --compat all

SAFENPY in the environment names the command. The digest of the elements is taken with the offset, sizes,
fields and order that `info` reported, so that these numbers are tested as well. The command has no writer.
"""

import json
import os
import subprocess
import sys

import elements
from lines import accept, reject, serve

KEYS = ("version", "descr", "shape", "fortran_order", "itemsize", "count", "data_offset", "data_size",
        "has_object")


def run(*arguments):
    """What the command prints: one object, with exit status 0 or 1."""
    done = subprocess.run([os.environ["SAFENPY"], *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"exit status {done.returncode}, standard error {done.stderr[-300:]!r}")
    return json.loads(done.stdout)


def with_paths(fields):
    """The fields as the runner knows them: `info` names the parent of each, and no type of a record."""
    paths, made = [], []
    for field in fields:
        parent, codes = field["parent"], field.get("name_code_points")
        paths.append([*(paths[parent] if parent is not None else ()), (field["name"], codes)])
        one = {key: value for key, value in field.items() if key != "parent" and (key != "descr" or value is not None)}
        one["path"] = [name for name, _ in paths[-1]]
        if any(exact for _, exact in paths[-1]):
            one["path_code_points"] = [exact or [ord(letter) for letter in name] for name, exact in paths[-1]]
        made.append(one)
    return made


def describe(*arguments):
    """The object of `info`."""
    info = run("info", "--json", *arguments)
    return {**info, "fields": with_paths(info["fields"])}


def digest_of(path, info):
    """The digest of the elements of an array without objects."""
    with open(path, "rb") as file:
        file.seek(info["data_offset"])
        raw = file.read(info["data_size"])
    if info["fortran_order"] and raw:
        raw = elements.in_c_order(raw, info["itemsize"], info["shape"])
    return elements.digest(raw, info["descr"], info["itemsize"], info["fields"])


def reader(options):
    """The function that reads a file under some options of `check`."""
    compat = options if "--compat" in options else []

    def read(path):
        check = run("check", "--json", "--npy", *options, "--", path)
        if check["verdict"] == "reject":
            return reject(check["message"], status=check["status"], offset=check["offset"])
        if check["verdict"] != "accept":
            raise RuntimeError(f"{check['status']}: {check['message']}")
        info = describe("--npy", *compat, "--", path)
        values = {key: info[key] for key in KEYS}
        if info["descr"].startswith("["):
            values["fields"] = info["fields"]
        if not info["has_object"]:
            values["elements_sha256"] = digest_of(path, info)
        return accept(**values)

    return read


def main():
    """Speaks the protocol."""
    done = subprocess.run([os.environ["SAFENPY"], "--version"], capture_output=True, text=True, check=True)
    serve("safenpy", done.stdout.split()[-1], "C", reader(sys.argv[1:]))


if __name__ == "__main__":
    main()
