#!/usr/bin/env python3
"""Runs the real command on files made here, and compares every word that it says.

usage: python3 tests/cli/run.py build/safenpy

Needs nothing but Python's standard library; the files are written with struct, not with NumPy, so that
they can be wrong in every way. SNPY_SANITIZED=1 in the environment skips what a sanitizer's own memory
and time would spoil."""

import errno
import fcntl
import functools
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
import zlib

import data

SANITIZED = os.environ.get("SNPY_SANITIZED") == "1"
HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = os.path.join(HERE, "..", "..", "spec", "npy.md")
MIB = 1 << 20

passed = 0
failed = 0
binary = ""


def expect(what, actual, wanted):
    """One assertion: equality, with both sides shown where it fails."""
    global passed, failed
    if actual == wanted:
        passed += 1
        return True
    failed += 1
    print("FAIL %s\n  got    %r\n  wanted %r" % (what, actual, wanted))
    return False


def expect_true(what, truth):
    return expect(what, bool(truth), True)


# ---------------------------------------------------------------- files

def frame(text, version=(1, 0), claim=None):
    """Magic, version, header length and text. `claim` replaces the true length."""
    length = len(text) if claim is None else claim
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", length) + text


def numpy_header(descr="'<f8'", fortran=False, shape=(3,), version=None):
    """What numpy.save of NumPy 2.x writes in front of the data."""
    text = "{'descr': %s, 'fortran_order': %r, 'shape': %r, }" % (descr, fortran, shape)
    if shape:
        text += " " * (21 - len(repr(shape[-1] if fortran else shape[0])))
    version = version or (1, 0)
    raw = text.encode("utf-8" if version == (3, 0) else "latin-1")
    prefix = 10 if version == (1, 0) else 12
    raw += b" " * (64 - (prefix + len(raw) + 1) % 64) + b"\n"
    return frame(raw, version)


def text_of(descr="'<f8'", fortran="False", shape="(3,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)


def loose(text, data=b"", version=(1, 0)):
    """A file with this very text, padded so that the data are aligned."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8" if version == (3, 0) else "latin-1")
    prefix = 10 if version == (1, 0) else 12
    raw += b" " * (63 - (prefix + len(raw)) % 64) + b"\n"
    return frame(raw, version) + data


def write(name, content):
    with open(name, "wb") as out:
        out.write(content)
    return name


GOOD = numpy_header() + b"\0" * 24
SUBCOMMANDS = "check, info, cat, diff, pack, unpack, explain, convert, wrap, unwrap, append, objects, salvage"
DASH = "; after '--' a name may begin with '-'"
# An escape of half a surrogate pair: parsers in many languages refuse the whole text for it.
LONE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")


# ---------------------------------------------------------------- runs

class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run(*arguments, stdin=b"", **more):
    """Runs the command; streams come back as bytes."""
    done = subprocess.run([binary] + list(arguments), input=stdin, capture_output=True, timeout=300, **more)
    return Result(done.returncode, done.stdout, done.stderr)


def expect_run(what, arguments, code, out, err="", **more):
    """A run of which everything is known."""
    result = run(*arguments, **more)
    expect(what + ": exit status", result.code, code)
    expect(what + ": stdout", result.out, out.encode("utf-8", "surrogateescape") if isinstance(out, str) else out)
    expect(what + ": stderr", result.err, err.encode("utf-8", "surrogateescape") if isinstance(err, str) else err)
    return result


def json_lines(what, result):
    """The objects of a run; each line must be ASCII without control characters, and JSON of one object."""
    objects = []
    for line in result.out.split(b"\n")[:-1]:
        expect_true(what + ": printable ASCII", all(0x20 <= byte < 0x7F for byte in line))
        expect(what + ": no half of a surrogate pair", LONE.findall(line.replace(rb"\\", b"")), [])
        try:
            objects.append(json.loads(line))
        except ValueError as reason:
            expect(what + ": JSON", str(reason), None)
    expect(what + ": ends with a newline", result.out[-1:], b"\n" if objects else b"")
    return objects


def run_json(what, *arguments, code=0, **more):
    result = run(*arguments, **more)
    expect(what + ": exit status", result.code, code)
    expect(what + ": stderr", result.err, b"")
    return json_lines(what, result)


def status_of(what, name, *options):
    """The status with which check refuses a file, None if it accepts it."""
    result = run("check", "--json", *options, "--", name)
    objects = json_lines(what, result)
    if len(objects) != 1:
        return "no answer"
    expect(what + ": exit status fits", result.code, {"accept": 0, "reject": 1, "error": 2}[objects[0]["verdict"]])
    return objects[0].get("status")


def explained(word):
    """Sentence and remedy of a rule, from the command itself."""
    result = run("explain", word)
    lines = result.out.decode().split("\n")
    return lines[1].replace("  refused: ", ""), lines[3].replace("  remedy: ", "")


def refusal(name, status, offset, place=()):
    """What check must say of a refused file, in full."""
    result = run("explain", status)
    rule = result.out.decode().split("  ")[0]
    message, hint = explained(status)
    lines = ["%s: reject: %s at byte %d [%s]" % (name, message, offset, rule)]
    lines += ["    " + line for line in place]
    lines += ["  hint: " + hint]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- tests

def test_usage():
    help_text = run("--help")
    expect("--help: exit status", help_text.code, 0)
    expect("--help: stderr", help_text.err, b"")
    expect_true("--help: first line", help_text.out.startswith(b"Usage: safenpy check [OPTION]... FILE...\n"))
    expect_run("help by -h", ["-h"], 0, help_text.out)
    expect("help after a file", run("check", "x", "--help").out, run("check", "--help").out)
    version = run("--version")
    expect("--version: exit status", version.code, 0)
    expect_true("--version", re.fullmatch(rb"safenpy \d+\.\d+\.\d+\n", version.out))

    expect("help is --help", (run("help").code, run("help").out), (0, run("--help").out))
    hint = "\nTry 'safenpy --help'.\n"
    flags = ("int-fortran-order, numpy-bool, numpy-int, list-shape, int-shape, list-field, metadata, native-order, "
             "type-names, bytes-alias, platform-float, zip-prefix, zip-trailing, zip-gaps, unsigned-descriptor")
    wrong = [
        ([], "no subcommand: there are " + SUBCOMMANDS),
        (["judge"], "no subcommand 'judge': there are " + SUBCOMMANDS),
        (["\x1b[31m"], "no subcommand '\\x1b[31m': there are " + SUBCOMMANDS),
        (["check"], "check: no file given; '-' is standard input"),
        (["info", "--json"], "info: no file given; '-' is standard input"),
        (["check", "--bogus", "good.npy"], "unknown option '--bogus'"),
        (["check", "--bo\x1bgus", "good.npy"], "unknown option '--bo\\x1bgus'"),
        (["check", "--json=1", "good.npy"], "option '--json=1' takes no argument"),
        (["check", "-x", "good.npy"], "unknown option '-x'" + DASH),
        (["check", "-\x07", "good.npy"], "unknown option '-\\x07'" + DASH),
        (["check", "-dash.npy"], "unknown option '-d'" + DASH),
        (["check", "good.npy", "--max-header"], "option '--max-header' needs an argument"),
        (["check", "--max-header", "4294967296", "good.npy"],
         "--max-header: '4294967296' is not a number of bytes from 0 to 4294967295"),
        (["check", "--max-header", "", "good.npy"], "--max-header: '' is not a number of bytes from 0 to 4294967295"),
        (["check", "--max-header", "-1", "good.npy"], "--max-header: '-1' is not a number of bytes from 0 to 4294967295"),
        (["check", "--max-header", "64k", "good.npy"],
         "--max-header: '64k' is not a number of bytes from 0 to 4294967295"),
        (["check", "--max-header", "99999999999999999999999", "good.npy"],
         "--max-header: '99999999999999999999999' is not a number of bytes from 0 to 4294967295"),
        (["check", "--profile", "lax", "good.npy"], "--profile: 'lax' is not a profile: use standard or canonical"),
        (["check", "--compat", "f8", "good.npy"], "--compat: no flag 'f8'; there are all, " + flags),
        (["check", "--compat", "", "good.npy"], "--compat: no flag ''; there are all, " + flags),
        (["check", "--compat", "int-shape,", "good.npy"], "--compat: no flag ''; there are all, " + flags),
        (["check", "--compat", "metadata,\x1b]0;x", "good.npy"], "--compat: no flag '\\x1b]0;x'; there are all, " + flags),
        (["check", "--profile", "canonical", "--compat", "int-shape", "good.npy"],
         "--profile canonical and --compat contradict each other"),
        (["info", "--no-trailing", "good.npy"], "unknown option '--no-trailing'"),
        (["info", "-q", "good.npy"], "unknown option '-q'" + DASH),
        (["explain"], "explain: no rule given; 'safenpy explain --list' lists them"),
        (["explain", "NPY-FRAME-999"], "explain: no rule or status 'NPY-FRAME-999'; 'safenpy explain --list' lists them"),
        (["explain", "\x9b\u202e"], "explain: no rule or status '\\u{9b}\\u{202e}'; 'safenpy explain --list' lists them"),
    ]
    write("good.npy", GOOD)
    for arguments, message in wrong:
        expect_run("wrong usage %r" % arguments, arguments, 2, "", "safenpy: " + message + hint)


def test_accept():
    write("good.npy", GOOD)
    expect_run("accepted", ["check", "good.npy"], 0, "good.npy: accept, npy 1.0\n")
    expect_run("accepted, quiet", ["check", "-q", "good.npy"], 0, "")
    expect_run("accepted, --quiet", ["check", "--quiet", "good.npy"], 0, "")
    expect_run("accepted, quiet JSON", ["check", "-q", "--json", "good.npy"], 0, "")
    expect_run("accepted, JSON", ["check", "--json", "good.npy"], 0,
               '{"file": "good.npy", "format": "npy", "version": "1.0", "verdict": "accept", "notes": []}\n')
    expect_run("options behind names", ["check", "good.npy", "--json"], 0,
               '{"file": "good.npy", "format": "npy", "version": "1.0", "verdict": "accept", "notes": []}\n')
    expect_run("standard profile", ["check", "--profile", "standard", "good.npy"], 0, "good.npy: accept, npy 1.0\n")
    for version in ((2, 0), (3, 0)):
        write("version.npy", numpy_header(version=version) + b"\0" * 24)
        expect_run("version %d" % version[0], ["check", "version.npy"], 0, "version.npy: accept, npy %d.0\n" % version[0])
    write("scalar.npy", numpy_header(shape=()) + b"\0" * 8)
    write("empty.npy", numpy_header(shape=(0, 3)))
    expect_run("scalar and empty", ["check", "scalar.npy", "empty.npy"], 0, "scalar.npy: accept, npy 1.0\nempty.npy: accept, npy 1.0\n")


def test_notes():
    cases = [
        ("trailing1", GOOD + b"x", ["1 trailing byte"]),
        ("trailing5", GOOD + b"\0" * 5, ["5 trailing bytes"]),
        ("unaligned", frame(text_of().encode() + b"\n") + b"\0" * 24,
         ["data begin at byte %d, not a multiple of 64" % (11 + len(text_of()))]),
        ("newline", GOOD[:127] + b" " + GOOD[128:], ["header does not end with a newline"]),
        ("three", frame(text_of().encode()) + b"\0" * 30,
         ["6 trailing bytes", "data begin at byte %d, not a multiple of 64" % (10 + len(text_of())),
          "header does not end with a newline"]),
    ]
    for name, content, notes in cases:
        write(name, content)
        expect_run("note " + name, ["check", name], 0, name + ": accept, npy 1.0" + "".join(", note: " + note for note in notes) + "\n")
        expect("note %s, JSON" % name, run_json(name, "check", "--json", name),
               [{"file": name, "format": "npy", "version": "1.0", "verdict": "accept", "notes": notes}])
    for name, content, word, at in (("object", numpy_header("'|O'") + b"\x80\x04N.", "data", None),
                                    ("record", numpy_header("[('a', '|O'), ('b', '<i4')]") + b"?", "damaged", 128)):
        write(name, content)
        shown = word if at is None else f"{word} (byte {at})"
        expect_run("objects " + name, ["check", name], 0, f"{name}: accept, npy 1.0, objects: {shown}\n")
        expect("objects %s, JSON" % name, run_json(name, "check", "--json", name),
               [{"file": name, "format": "npy", "version": "1.0", "verdict": "accept", "objects": word,
                 **({} if at is None else {"objects_offset": at}), "notes": []}])
    expect_run("--no-trailing", ["check", "--no-trailing", "trailing5"], 1, refusal("trailing5", "SNPY_TRAILING_DATA", 152))
    expect_run("--no-trailing, exact", ["check", "--no-trailing", "good.npy"], 0, "good.npy: accept, npy 1.0\n")
    expect_run("--no-trailing, object", ["check", "--no-trailing", "object"], 0,
               "object: accept, npy 1.0, objects: data\n")


def test_frame_refusals():
    other_file = b"\x1f\x8c\x08\x00" + b"\0" * 40
    cases = [
        ("other", other_file, "SNPY_BAD_MAGIC", 0, ["1f 8c 08 00 00 00 00 00 00 00 00 00 00 00 00 00", "^"]),
        ("late", b"\x93NUMPX\1\0", "SNPY_BAD_MAGIC", 5, ["93 4e 55 4d 50 58 01 00", "               ^"]),
        ("nothing", b"", "SNPY_TRUNCATED_PREFIX", 0, []),
        ("three", b"\x93NU", "SNPY_TRUNCATED_PREFIX", 3, ["93 4e 55", "         ^"]),
        ("eight", b"\x93NUMPY\1\0", "SNPY_TRUNCATED_PREFIX", 8, ["93 4e 55 4d 50 59 01 00", " " * 24 + "^"]),
        ("minor", b"\x93NUMPY\1\1\0\0", "SNPY_UNSUPPORTED_VERSION", 7, ["93 4e 55 4d 50 59 01 01 00 00", " " * 21 + "^"]),
        ("major", b"\x93NUMPY\4\0\0\0\0\0", "SNPY_UNSUPPORTED_VERSION", 6,
         ["93 4e 55 4d 50 59 04 00 00 00 00 00", " " * 18 + "^"]),
        ("long", frame(b"", (2, 0), 0xFFFFFFFF), "SNPY_HEADER_TOO_LONG", 8,
         ["93 4e 55 4d 50 59 02 00 ff ff ff ff", " " * 24 + "^"]),
        ("short", frame(b"{" * 40, claim=118), "SNPY_TRUNCATED_HEADER", 50, []),
        ("page", frame(b"{" * 5000, claim=60000), "SNPY_TRUNCATED_HEADER", 5010, []),
    ]
    for name, content, status, offset, place in cases:
        write(name, content)
        expect_run("frame " + name, ["check", name], 1, refusal(name, status, offset, place))
        expect_run("frame %s, piped" % name, ["check", "-"], 1, refusal("-", status, offset, place), stdin=content)
    write("edge", numpy_header() + b"\0" * 24)
    expect("--max-header at its edge", status_of("edge", "edge", "--max-header", "118"), None)
    expect("--max-header below it", status_of("edge", "edge", "--max-header", "117"), "SNPY_HEADER_TOO_LONG")
    expect("--max-header 0", status_of("edge", "edge", "--max-header=0"), "SNPY_HEADER_TOO_LONG")


def caret(text, needle, add=0):
    """The two lines of an excerpt: the text as it is, and a caret under where `needle` begins."""
    return [text, " " * (text.index(needle) + add) + "^"]


def deflate(data):
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeezer.compress(data) + squeezer.flush()


def archive(members, spoil=None):
    """An archive of [(name, bytes, whether deflated)]; of the member named `spoil` the CRC is wrong."""
    out, directory = b"", b""
    for name, data, is_deflated in members:
        raw = name.encode("utf-8")
        flags = 0 if name.isascii() else 0x800
        crc = zlib.crc32(data) ^ (name == spoil)
        inside = deflate(data) if is_deflated else data
        common = struct.pack("<HHHHHIIIHH", 20, flags, 8 if is_deflated else 0, 0, 33, crc, len(inside), len(data),
                             len(raw), 0)
        directory += b"PK\1\2\x14\3" + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + raw
        out += b"PK\3\4" + common + raw + inside
    end = b"PK\5\6\0\0\0\0" + struct.pack("<HHIIH", len(members), len(members), len(directory), len(out), 0)
    return out + directory + end


def test_archives():
    """Archives are told by their first bytes: a verdict a member, and one for the whole."""
    floats = numpy_header(shape=(2, 1), fortran=True) + b"\0" * 16
    members = [("x.npy", GOOD, False), ("d/y.npy", floats, True), ("é\n.npy", GOOD, True), ("readme", b"hello", False),
               ("z.npy", b"no array", True)]
    write("a.npz", archive(members))
    lines = ["x: accept, npy 1.0", "d/y: accept, npy 1.0", "é\\x0a: accept, npy 1.0", "readme: accept, note: not an NPY file",
             "z: accept, note: named .npy, but not an NPY file"]
    whole = "".join("a.npz:%s\n" % line for line in lines) + "a.npz: accept, npz, 5 members\n"
    expect_run("archive", ["check", "a.npz"], 0, whole)
    write("b.npz", archive(members, spoil="d/y.npy"))
    bad = whole.replace("a.npz", "b.npz").splitlines(keepends=True)
    at = 30 + 5 + len(GOOD) + 30 + 7 + len(deflate(floats)) + 30 + 7 + len(deflate(GOOD)) + 30 + 6 + 5 + 30 + 5 + len(
        deflate(b"no array")) + 46 + 5 + 16
    bad[1] = refusal("b.npz:d/y", "SNPY_ZIP_BAD_CRC", at)
    bad[-1] = "b.npz: reject: 1 of 5 members refused\n"
    expect_run("one bad member hides no other", ["check", "b.npz"], 1, "".join(bad))
    expect_run("quiet", ["check", "-q", "a.npz"], 0, "")
    expect_run("quiet, refused", ["check", "-q", "b.npz"], 1, bad[1] + bad[-1])
    expect_run("one member", ["check", "a.npz:d/y"], 0, "a.npz:d/y: accept, npy 1.0\n")
    expect_run("one member by its name", ["check", "--member", "x.npy", "a.npz"], 0, "a.npz:x: accept, npy 1.0\n")
    expect_run("one member that is no array", ["check", "a.npz:readme"], 1,
               refusal("a.npz:readme", "SNPY_NOT_AN_ARRAY", 0))
    expect_run("no such member", ["check", "a.npz:\x1b"], 2, "",
               "safenpy: a.npz:\\x1b: the archive has no member of this name or key\n")
    expect_run("no such archive", ["check", "none.npz:x"], 2, "", "safenpy: none.npz:x: No such file or directory\n")
    expect_run("canonical members", ["check", "--profile", "canonical", "a.npz:d/y"], 1,
               refusal("a.npz:d/y", "SNPY_NOT_CANONICAL", 44, ["{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), }",
                                                               " " * 34 + "^"]))
    with open("a.npz", "rb") as file:
        result = subprocess.run([binary, "check", "-q", "-"], stdin=file, capture_output=True, timeout=60)
    expect("archive as standard input", (result.returncode, result.stdout, result.stderr), (0, b"", b""))
    expect_run("archive through a pipe", ["check", "-q", "-"], 0, "", stdin=archive(members))
    expect_run("archive refused", ["check", "--npy", "a.npz"], 1,
               refusal("a.npz", "SNPY_BAD_MAGIC", 0, ["50 4b 03 04 14 00 00 00 00 00 00 00 21 00 " + "%02x %02x"
                                                      % tuple(struct.pack("<I", zlib.crc32(GOOD))[:2]), "^"]))
    write("cut.npz", archive(members)[:-1])
    expect_run("archive cut off", ["check", "cut.npz"], 1,
               refusal("cut.npz", "SNPY_ZIP_NO_END", len(archive(members)) - 1))
    write("empty.npz", archive([]))
    expect_run("empty archive", ["check", "empty.npz"], 0, "empty.npz: accept, npz, 0 members\n")
    write("more.npz", archive(members[:1]) + b"more")
    expect("bytes behind", status_of("more", "more.npz"), "SNPY_ZIP_TRAILING_DATA")
    expect("bytes behind, by flag", status_of("more", "more.npz", "--compat", "zip-trailing"), None)
    write("program", b"#!/bin/sh\n" + archive(members[:1]))
    expect("bytes in front", status_of("program", "program"), "SNPY_BAD_MAGIC")
    expect("bytes in front, by flag", status_of("program", "program", "--compat", "zip-prefix"), None)
    expect("no archive, by flag", status_of("text", write("text", b"text"), "--compat", "zip-prefix"),
           "SNPY_BAD_MAGIC")


def test_archive_json():
    members = [("x.npy", GOOD, False), ("d/y.npy", GOOD, True), ("readme", b"hello", False)]
    write("j.npz", archive(members, spoil="d/y.npy"))
    (found,) = json_lines("check --json", run("check", "--json", "j.npz"))
    expect("keys", sorted(found), ["file", "format", "members", "verdict"])
    expect("verdict", (found["format"], found["verdict"]), ("npz", "reject"))
    expect("members", [(m["name"], m["key"], m["verdict"]) for m in found["members"]],
           [("x.npy", "x", "accept"), ("d/y.npy", "d/y", "reject"), ("readme", "readme", "accept")])
    expect("why", (found["members"][1]["status"], found["members"][1]["rule"]), ("SNPY_ZIP_BAD_CRC", "NPZ-DATA-005"))
    write("i.npz", archive(members))
    (about,) = json_lines("info --json", run("info", "--json", "i.npz"))
    expect("info", (about["format"], about["file_size"]), ("npz", os.path.getsize("i.npz")))
    wanted = {"name": "x.npy", "key": "x", "method": "stored", "size": len(GOOD), "compressed_size": len(GOOD),
              "crc": zlib.crc32(GOOD), "archive_offset": 35, "format": "npy", "descr": "<f8", "shape": [3],
              "fortran_order": False, "data_offset": len(GOOD) - 24}
    expect("info of a member", about["members"][0], wanted)
    expect("info of another file", about["members"][2]["format"], None)
    result = run("info", "i.npz")
    expect("info as text", result.out.decode().splitlines(), [
        "file:           i.npz", "format:         npz", "file_size:      %d" % os.path.getsize("i.npz"),
        "members:        3",
        "  stored     152         152  %08x  x.npy: <f8 (3,)" % zlib.crc32(GOOD),
        "  deflated   152  %10d  %08x  d/y.npy: <f8 (3,)" % (len(deflate(GOOD)), zlib.crc32(GOOD)),
        "  stored       5           5  %08x  readme: not an NPY file" % zlib.crc32(b"hello")])
    write("plain.npy", GOOD)
    plain = run("info", "plain.npy").out.replace(b"plain.npy", b"i.npz:x")
    expect_run("info of one member is that of its file", ["info", "i.npz:x"], 0, plain)


def tree(folder):
    """All files below a directory, with what they hold; directories end in a slash."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in files:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
        for name in folders:
            found[os.path.relpath(os.path.join(place, name), folder) + "/"] = None
    return found


def test_members():
    """cat, diff, convert and unwrap take a member of an archive; which one, they ask."""
    rows = bytes(struct.pack("<6d", *range(6)))
    x = loose(text_of(shape="(2, 3)"), rows)
    other = loose(text_of(shape="(2, 3)"), rows[:-1] + b"\x41")
    objects = loose(text_of("'|O'", shape="(1,)"), b"\x80\x04N.")
    members = [("x.npy", x, False), ("z.npy", x, True), ("d/y.npy", other, True), ("o.npy", objects, True),
               ("p.npy", objects, False), ("readme", b"text", False), ("e.npy", loose(text_of(shape="(0, 3)")), True),
               ("long.npy", loose(text_of(shape="(100000,)"), bytes(800000)), True)]
    write("m.npz", archive(members))
    write("x.npy", x)
    for name in ("m.npz:x", "m.npz:z", "m.npz:x.npy", "x.npy"):
        expect_run("cat " + name, ["cat", name], 0, "0.0 1.0 2.0\n3.0 4.0 5.0\n")
        expect_run("cat a part of " + name, ["cat", name + "[1, ::2]"], 0, "3.0 5.0\n")
        expect_run("diff " + name, ["diff", name, "m.npz:z"], 0, "")
        for command in ("convert", "unwrap"):
            expect_run(command + " " + name, [command, name, "out"], 0, "")
            expect("what it makes", open("out", "rb").read(), x if command == "convert" else rows)
    expect_run("a member by option", ["cat", "--member", "z", "m.npz"], 0, "0.0 1.0 2.0\n3.0 4.0 5.0\n")
    expect_run("an empty member", ["cat", "m.npz:e"], 0, "")
    expect_run("the last of many", ["cat", "m.npz:long[-1]"], 0, "0.0\n")
    expect("two members", run("diff", "m.npz:x", "m.npz:d/y").code, 1)
    asked = "safenpy: m.npz: an archive: one member is to be named, as in m.npz:x; there are also z, d/y, o, p, readme, e, long\n"
    for command in (["cat", "m.npz"], ["convert", "--order", "C", "m.npz", "none"], ["unwrap", "m.npz", "none"], ["diff", "m.npz", "x.npy"]):
        expect_run("no key: " + command[0], command, 2, "", asked)
        expect_run("no such key: " + command[0], [word.replace("m.npz", "m.npz:q") for word in command], 2, "",
                   "safenpy: m.npz:q: the archive has no member of this name or key\n")
    expect("nothing is written", os.path.exists("none"), False)
    for key in "op":
        expect("objects", run("cat", "m.npz:" + key).code, 1)
        expect_run("objects are copied whole", ["convert", "m.npz:" + key, "out"], 0, "")
        expect("as they were", open("out", "rb").read()[-4:], b"\x80\x04N.")
    expect("no array", run("cat", "m.npz:readme").err, refusal("m.npz:readme", "SNPY_NOT_AN_ARRAY", 0).encode())
    with open("m.npz", "rb") as file:
        result = subprocess.run([binary, "cat", "--member", "x", "-"], stdin=file, capture_output=True, check=False)
    expect("of standard input", (result.returncode, result.stdout), (0, b"0.0 1.0 2.0\n3.0 4.0 5.0\n"))
    for key in "xz":
        content = archive(members[:2], spoil=key + ".npy")
        write("bad.npz", content)
        for command in (["cat", "bad.npz:" + key], ["convert", "bad.npz:" + key, "none"], ["unwrap", "bad.npz:" + key, "none"]):
            result = run(*command)
            expect("a wrong CRC: " + command[0], (result.code, result.out, b"NPZ-DATA-005" in result.err), (1, b"", True))
        expect("the other one", run("cat", "bad.npz:" + ("z" if key == "x" else "x")).code, 0)
    expect("nothing is written", os.path.exists("none"), False)
    result = run("convert", "m.npz:x", "m.npz")
    expect("the archive itself may be replaced", (result.code, open("m.npz", "rb").read()), (0, x))


def test_archive_limits():
    """--max-members, --max-member-bytes, --max-total-bytes, --max-ratio and --strict."""
    big = loose(text_of(shape="(1000,)"), bytes(8000))
    content = archive([("x.npy", big, True), ("y.npy", big, True), ("s.npy", big, False)])
    write("l.npz", content)
    for options, status in ((["--max-members", "2"], "SNPY_ZIP_TOO_MANY_MEMBERS"),
                            (["--max-total-bytes", str(2 * len(big) - 1)], "SNPY_ZIP_TOTAL_TOO_LARGE")):
        expect(" ".join(options), status_of(options[0], "l.npz", *options), status)
        expect("info " + " ".join(options), run("info", *options, "l.npz").code, 1 if "members" in options[0] else 0)
        expect("one more", status_of(options[0], "l.npz", options[0], str(int(options[1]) + 1)), None)
    for options, status in ((["--max-member-bytes", str(len(big) - 1)], "SNPY_ZIP_MEMBER_TOO_LARGE"),
                            (["--max-ratio", "2"], "SNPY_ZIP_RATIO")):
        (found,) = json_lines("limit", run("check", "--json", *options, "l.npz"))
        expect(" ".join(options), [one.get("status") for one in found["members"]], [status, status, None])
        expect("cat", run("cat", *options, "l.npz:x").code, 1)
        expect("cat of a stored member", run("cat", *options, "l.npz:s").code, 0)
        expect("unpack", run("unpack", *options, "l.npz", "x", "-d", "limited").code, 1)
        expect("strict", status_of(options[0], "l.npz", "--strict", *options), status)
    for word in ("", "-1", "x", "1x", "99999999999999999999", "2147483648"):
        result = run("check", "--max-members", word, "l.npz")
        expect("--max-members %r" % word, (result.code, b"is not a number from 0 to 2147483647" in result.err), (2, True))
    expect("the largest number", run("check", "-q", "--max-ratio", "18446744073709551615", "l.npz").code, 0)
    expect("one more", run("check", "-q", "--max-ratio", "18446744073709551616", "l.npz").code, 2)
    write("bad.npz", archive([("x.npy", big, True), ("y.npy", big, False)], spoil="y.npy"))
    result = run("check", "--strict", "bad.npz")
    expect("strict", (result.code, result.out.startswith(b"bad.npz:y.npy: reject: ")), (1, True))
    expect("strict and good", run("check", "--strict", "-q", "l.npz").code, 0)


def test_unpack_signals():
    """A signal leaves neither a part of a file nor a temporary one."""
    write("big.npz", archive([("big", bytes(100 << 20), True)]))
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([binary, "unpack", "big.npz", "-d", "out"], stderr=subprocess.DEVNULL)
        while process.poll() is None and not (os.path.isdir("out") and os.listdir("out")):
            time.sleep(0.001)
        process.send_signal(number)
        wanted = {-number: [], 0: ["big"]}.get(process.wait(), "another end")
        expect("what signal %d leaves" % number, os.listdir("out"), wanted)
        shutil.rmtree("out")


def test_archive_through_a_pipe():
    """What cannot be read from its end is copied, up to a limit, and nothing is left of the copy.     NPZ-LIMIT-003"""
    members = [("x.npy", GOOD, False), ("d/y.npy", GOOD, True), ("big", bytes(range(256)) * 4096, False)]
    whole = archive(members)
    write("a.npz", whole)
    os.mkdir("temporary")
    environment = dict(os.environ, TMPDIR=os.path.abspath("temporary"))
    for arguments in (["check", "-"], ["check", "--json", "-"], ["check", "--member", "d/y", "-"], ["info", "-"],
                      ["info", "--json", "-"], ["cat", "--member", "x", "-"], ["diff", "--member", "x", "-", "good.npy"],
                      ["convert", "--member", "d/y", "--byteorder", "big", "-", "-"], ["convert", "--deflate", "-", "-"],
                      ["unwrap", "--member", "x", "-", "-"], ["check", "-q", "--strict", "-"], ["unpack", "-", "-d", "out"]):
        results = []
        for kind in ("a file", "a pipe"):
            with open("a.npz", "rb") as file:
                given = {"stdin": file} if kind == "a file" else {"input": whole}
                result = subprocess.run([binary] + arguments, capture_output=True, env=environment, check=False, **given)
            results.append((result.returncode, result.stdout, result.stderr))
            if arguments[0] == "unpack":
                expect("unpack from %s" % kind, tree("out"), {"x.npy": GOOD, "d/": None, "d/y.npy": GOOD, "big": members[2][1]})
                shutil.rmtree("out")
        expect("%r: from a pipe as from a file" % arguments, results[1], results[0])
        expect("%r is no failure" % arguments, results[0][0] < 2 and results[0][2], b"")
    expect("nothing is left", os.listdir("temporary"), [])
    too_long = "safenpy: -: an archive is read from its end, so a pipe is copied first; it has more than the %d bytes that " \
               "--max-total-bytes allows\n"
    for limit, code in ((len(whole), 0), (len(whole) - 1, 1), (1, 1), (0, 1)):
        result = run("check", "--max-total-bytes", str(limit), "-", stdin=whole)
        expect("a copy of at most %d bytes" % limit, (result.code, result.err.decode()), (code, too_long % limit if code else ""))
        if code:
            expect("its offset", result.out.decode().splitlines()[0][-len("byte %d [NPZ-LIMIT-003]" % limit):],
                   "byte %d [NPZ-LIMIT-003]" % limit)
            reply = json.loads(run("check", "--json", "--max-total-bytes", str(limit), "-", stdin=whole).out)
            expect("the copy as JSON", (reply["verdict"], reply["status"], reply["offset"]),
                   ("reject", "SNPY_ZIP_TOTAL_TOO_LARGE", limit))
        expect("convert has the same limit", run("convert", "--store", "--max-total-bytes", str(limit), "-", "s.npz",
                                                 stdin=whole).code, code)
    write("old.npz", b"old")
    for cut in (0, 1, 4, 100, len(whole) // 2, len(whole) - 1):
        expect("%d bytes through a pipe" % cut, run("check", "-q", "-", stdin=whole[:cut]).code, 1)
        expect("%d bytes are not unpacked" % cut, (run("unpack", "-", "-d", "out", stdin=whole[:cut]).code,
                                                   os.path.exists("out")), (1, False))
        expect("%d bytes are not converted" % cut, run("convert", "--store", "-", "old.npz", stdin=whole[:cut]).code, 1)
    expect("the old file is left", open("old.npz", "rb").read(), b"old")
    environment["TMPDIR"] = "nowhere"
    result = subprocess.run([binary, "check", "-"], input=whole, capture_output=True, env=environment, check=False)
    expect("no directory for the copy", (result.returncode, result.stdout, result.stderr),
           (2, b"", b"safenpy: nowhere: open failed: No such file or directory\n"))
    expect("an NPY file needs none", run("check", "-q", "-", stdin=GOOD).code, 0)
    os.mkfifo("fifo")
    writer = subprocess.Popen(["cat", "a.npz"], stdout=open(os.open("fifo", os.O_RDWR), "wb"), stderr=subprocess.DEVNULL)
    expect_run("a FIFO by its name", ["check", "fifo"], 2, "",
               "safenpy: fifo: an archive is read from its end: it needs a file, or a pipe as '-'\n")
    writer.kill()
    writer.wait()


def test_brackets_in_names_of_archives():
    """The indices stand behind the key, whatever brackets the archive's own name has."""
    numbers = numpy_header("'|u1'", False, (3,)) + bytes((1, 2, 3))
    for name in ("a[1].npz", "a[1", "[0]", "b[2:3].npz", "d[0]/e[1].npz", "[", "p[q]:r.npz"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        write(name, archive([("x.npy", numbers, False), ("y[0].npy", numbers, True)]))
        for indices, wanted in (("[0:2]", "1 2\n"), ("[-1]", "3\n"), ("[::2]", "1 3\n"), ("[...]", "1 2 3\n"), ("", "1 2 3\n")):
            expect_run("%s:x%s" % (name, indices), ["cat", "%s:x%s" % (name, indices)], 0, wanted)
        expect_run("--slice", ["cat", "--slice", "[0]", "%s:y[0]" % name], 0, "1\n")
        expect_run("no such member", ["cat", "%s:y[0]" % name], 2, "",
                   "safenpy: %s:y: the archive has no member of this name or key\n" % name)
    write("a", GOOD)
    write("c[0].npy", numbers)
    expect_run("beside a file of the first letters", ["cat", "a[1].npz:x[0]"], 0, "1\n")
    expect_run("an array", ["cat", "c[0].npy[1]"], 0, "2\n")
    expect_run("a member of an ordinary name", ["cat", "[0]:x[0]"], 0, "1\n")
    write("a[1].npz:x", numbers[:-3] + bytes((7, 8, 9)))
    expect_run("a file of the whole name comes first", ["cat", "a[1].npz:x[0]"], 0, "7\n")
    expect_run("no such archive", ["cat", "none[1].npz:x[0]"], 2, "", "safenpy: none: No such file or directory\n")


def test_unpack_many():
    """Members are made safe together: a thousand of them in a moment, and a signal leaves no half one."""
    names = ["d%d/%s/m%04d" % (i % 7, "abc"[i % 3], i) for i in range(1000)]
    write("many.npz", archive([(name, name.encode() * 9, False) for name in names]))
    begin = time.monotonic()
    expect_run("unpack many", ["unpack", "many.npz", "-d", "out"], 0, "")
    taken = time.monotonic() - begin
    found = tree("out")
    expect_true("all of them", all(found.pop(name, None) == name.encode() * 9 for name in names))
    expect("and nothing else", [name for name in found if not name.endswith("/")], [])
    print("1,000 members unpacked: %.2f s" % taken)
    shutil.rmtree("out")
    for delay in (0.01, 0.03, 0.1):
        process = subprocess.Popen([binary, "unpack", "many.npz", "-d", "out"], stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.terminate()
        process.wait()
        found = tree("out") if os.path.isdir("out") else {}
        expect("what a signal leaves is whole", [name for name, content in found.items()
                                                 if not name.endswith("/") and content != name.encode() * 9], [])
        shutil.rmtree("out", ignore_errors=True)


def test_unpack():
    """A file for each member, below the directory and nowhere else.                    NPZ-PATH-001 to 006"""
    members = [("x.npy", GOOD, False), ("d/y.npy", GOOD, True), ("d/e/", b"", False), ("readme", b"hello", False)]
    wanted = {"x.npy": GOOD, "d/": None, "d/y.npy": GOOD, "d/e/": None, "readme": b"hello"}
    write("a.npz", archive(members))
    expect_run("unpack", ["unpack", "a.npz", "-d", "out"], 0, "")
    expect("unpacked", tree("out"), wanted)
    expect("permissions", os.stat("out/x.npy").st_mode & 0o111, 0)
    result = run("unpack", "a.npz", "-d", "out")
    expect("unpack again", (result.code, result.out, result.err.decode()), (2, b"", "".join(
        "safenpy: a.npz:%s: the file exists; --force replaces it\n" % key for key in ("d/y", "readme", "x"))))
    expect("nothing was overwritten", tree("out"), wanted)
    write("out/x.npy", b"old")
    expect_run("unpack --force, one member", ["unpack", "--force", "-d", "out", "a.npz", "x", "x.npy"], 0, "")
    expect("replaced", tree("out"), wanted)
    write("bad.npz", archive(members, spoil="x.npy"))
    write("out/x.npy", b"old")
    result = run("unpack", "--force", "bad.npz", "-d", "out")
    expect("a bad member", (result.code, b"SNPY" in result.out or b"NPZ-DATA-005" in result.out), (1, True))
    expect("leaves the old file", tree("out"), dict(wanted, **{"x.npy": b"old"}))
    run("unpack", "bad.npz", "-d", "fresh")
    expect("and no new one", sorted(tree("fresh")), ["d/", "d/e/", "d/y.npy", "readme"])
    expect_run("unpack, no such key", ["unpack", "a.npz", "q", "-d", "none"], 2, "",
               "safenpy: a.npz: q: the archive has no member of this name or key\n")
    expect("before anything is made", os.path.exists("none"), False)


def test_unpack_paths():
    """Names that are no good paths.                                                     NPZ-PATH-001 to 004"""
    names = [("../x", "ESCAPES", 0, "%2E%2E/x"), ("/abs", "ESCAPES", 0, "%2Fabs"), ("a/../b", "ESCAPES", 0, "a/%2E%2E/b"),
             ("a//b", "ESCAPES", 0, "a%2F/b"), (".", "ESCAPES", 0, "%2E"), ("a/./b", "ESCAPES", 0, "a/%2E/b"),
             ("a:b", "NOT_PORTABLE", 1, "a%3Ab"), ("q\\r", "NOT_PORTABLE", 1, "q%5Cr"),
             ("é\x1b", "NOT_PORTABLE", 2, "é%1B"), ("x ", "NOT_PORTABLE", 1, "x%20"), ("d./x", "NOT_PORTABLE", 1, "d%2E/x"),
             ("CON.npy", "NOT_PORTABLE", 0, "%43ON.npy"), ("d/lpt1", "NOT_PORTABLE", 2, "d/%6Cpt1"),
             ("\u0085", "NOT_PORTABLE", 0, "%C2%85")]
    good = ["...x", "a..b", "con1", "com0", "contact", "%41", "é", "x" * 255, "a/b/c/d/e/f"]
    for name, status, at, mapped in names:
        content = archive([(name, b"1", False)])
        write("p.npz", content)
        result = run("unpack", "p.npz", "-d", "out")
        place = content.index(b"PK\1\2") + 46 + at
        expect_true("%r is refused" % name, result.code == 1 and b" at byte %d [NPZ-PATH-00%d]" % (
            place, 1 if status == "ESCAPES" else 2) in result.out)
        expect("%r: nothing is made" % name, tree("out"), {})
        expect_run("%r is mapped" % name, ["unpack", "--map-names", "p.npz", "-d", "mapped"], 0, "")
        expect("%r: to what" % name, [path for path in tree("mapped") if not path.endswith("/")], [mapped])
        shutil.rmtree("mapped")
    expect("nothing outside", sorted(os.listdir(".")), ["good.npy", "out", "p.npz"])
    write("p.npz", archive([(name, name.encode(), False) for name in good]))
    expect_run("good names", ["unpack", "p.npz", "-d", "out"], 0, "")
    expect("good paths", {path for path in tree("out") if not path.endswith("/")}, set(good))
    long = "x" * 256
    write("p.npz", archive([(long, b"", False)]))
    expect("too long", run("unpack", "--map-names", "p.npz", "-d", "out").code, 1)
    for first, second in (("X.npy", "x.npy"), ("a", "a/b"), ("D/x", "d"), ("q", "Q/")):  # NPZ-PATH-003
        for names in ((first, second), (second, first)):
            content = archive([(name, b"" if name.endswith("/") else b"1", False) for name in names])
            write("p.npz", content)
            result = run("unpack", "p.npz", "-d", "collide")
            expect_true("%r collide" % (names,), result.code == 1 and b" at byte %d [NPZ-PATH-003]" % (
                content.rindex(b"PK\1\2") + 46) in result.out)
            shutil.rmtree("collide")


def test_unpack_links():
    """No link is followed, whoever has put it there.                                          NPZ-PATH-005"""
    os.mkdir("out")
    os.mkdir("elsewhere")
    os.symlink("../elsewhere", "out/d")
    os.symlink("../elsewhere/x.npy", "out/x.npy")
    write("a.npz", archive([("d/y.npy", GOOD, False), ("x.npy", GOOD, False), ("z/w", b"1", False)]))
    result = run("unpack", "a.npz", "-d", "out")
    expect("links are refused", (result.code, os.listdir("elsewhere"), os.path.exists("out/z/w")), (2, [], True))
    shutil.rmtree("out/z")
    result = run("unpack", "--force", "a.npz", "-d", "out")
    expect("with --force too", (result.code, os.listdir("elsewhere"), os.path.islink("out/x.npy")), (2, [], False))
    expect_true("a link is replaced, not followed", open("out/x.npy", "rb").read() == GOOD)
    expect("no temporary file is left", sorted(os.listdir("out")), ["d", "x.npy", "z"])


def test_carets():
    negative = text_of(shape="(-1, 3)")
    write("negative", loose(negative))
    expect_run("caret", ["check", "negative"], 1,
               refusal("negative", "SNPY_SIGNED_DIMENSION", 10 + negative.index("-1"), caret(negative, "-1")))
    write("order", loose(text_of("'!f8'"), version=(2, 0)))
    expect_run("caret in version 2.0", ["check", "order"], 1,
               refusal("order", "SNPY_UNKNOWN_TYPE", 12 + 11, caret(text_of("'!f8'"), "!")))

    # An old header of several lines: only the line at fault is shown.
    lines = ["{'descr': '<f8',", " 'fortran_order': False,", " 'shape': (3, x)}"]
    text = "\n".join(lines)
    write("lines", loose(text))
    expect_run("caret in the third line", ["check", "lines"], 1,
               refusal("lines", "SNPY_BAD_DIMENSION", 10 + text.index("x"), caret(lines[2], "x")))
    write("middle", loose(text.replace("False", "Maybe").replace("x", "4")))
    expect_run("caret in the second line", ["check", "middle"], 1,
               refusal("middle", "SNPY_BAD_FORTRAN_ORDER", 10 + text.index("False"),
                       caret(lines[1].replace("False", "Maybe"), "Maybe")))

    # The end of the text is a place, too: behind its last visible byte, or behind the padding.
    write("open", frame(b"{'descr': '<f8'"))
    expect_run("caret at the end", ["check", "open"], 1,
               refusal("open", "SNPY_UNEXPECTED_END", 25, ["{'descr': '<f8'", " " * 15 + "^"]))
    write("open2", frame(b"{'descr': '<f8',   \n"))
    expect_run("caret at the end of the last line", ["check", "open2"], 1,
               refusal("open2", "SNPY_UNEXPECTED_END", 30, ["{'descr': '<f8',   ", " " * 19 + "^"]))
    write("void", frame(b""))
    expect_run("caret in an empty text", ["check", "void"], 1, refusal("void", "SNPY_NOT_A_DICT", 10, ["", "^"])
               if status_of("void", "void") == "SNPY_NOT_A_DICT" else
               refusal("void", "SNPY_UNEXPECTED_END", 10, ["", "^"]))

    # Whatever is no printable ASCII is escaped, and the caret moves along.
    tab = "{'descr':\t'<f8',\r\f'fortran_order': 7}"
    write("tab", loose(tab))
    shown = tab.replace("\t", "\\x09").replace("\r", "\\x0d").replace("\f", "\\x0c")
    expect_run("caret behind blanks", ["check", "tab"], 1,
               refusal("tab", "SNPY_BAD_FORTRAN_ORDER", 10 + tab.index("7"), caret(shown, "7")))
    for version, name in (((1, 0), "\xe9\x9b\xff"), ((3, 0), "\u6574\U0001f600e\u0301\u202e")):
        text = text_of("[('%s', '<z8')]" % name)
        raw = text.encode("latin-1" if version[0] == 1 else "utf-8")
        write("named", loose(raw, version=version))
        shown = "".join(c if c < "\x7f" else "\\u{%x}" % ord(c) for c in text)
        expect_run("caret behind %r" % name, ["check", "named"], 1,
                   refusal("named", "SNPY_UNKNOWN_TYPE", (10 if version[0] == 1 else 12) + raw.index(b"z8"),
                           caret(shown, "z8")))
    write("escape", loose(text_of("[('\x1b[31m', '<f8')]")))
    shown = text_of("[('\\x1b[31m', '<f8')]")
    expect_run("control in a name", ["check", "escape"], 1,
               refusal("escape", "SNPY_CONTROL_IN_STRING", 10 + 13, caret(shown, "\\x1b")))
    raw = text_of("[('ab?', '<f8')]").encode().replace(b"?", b"\xff")
    write("utf8", loose(raw, version=(3, 0)))
    expect_run("byte that is not UTF-8", ["check", "utf8"], 1,
               refusal("utf8", "SNPY_BAD_UTF8", 12 + raw.index(b"\xff"), caret(text_of("[('ab\\xff', '<f8')]"), "\\xff")))

    # The caret may stand under the first of several wrong bytes, or under a wrong one behind many others.
    raw = b"{'" + b"\xe6\x95\xb4" * 40 + b"\xe6\x95'"
    write("cut", loose(raw, version=(3, 0)))
    expect_run("sequence cut short", ["check", "cut"], 1,
               refusal("cut", "SNPY_BAD_UTF8", 12 + 122,
                       ["..." + "\\u{6574}" * 7 + "\\xe6\\x95'", " " * (3 + 56) + "^"]))


def test_windows():
    """Long lines are cut on both sides of the caret: 60 columns in front of it, 100 in all."""
    fields = ", ".join("('field%04d', '<f8')" % i for i in range(300))
    text = text_of("[%s, ('x', '<z8'), %s]" % (fields, fields.replace("field", "other")))
    write("wide", loose(text))
    at = text.index("z8")
    expect_run("both sides cut", ["check", "wide"], 1,
               refusal("wide", "SNPY_UNKNOWN_TYPE", 10 + at, ["..." + text[at - 60:at + 40] + "...", " " * 63 + "^"]))
    text = text_of("'<z8'") + " " * 3000 + "!"
    write("right", loose(text))
    at = text.index("!")
    expect_run("left cut", ["check", "right"], 1,
               refusal("right", "SNPY_TRAILING_TEXT", 10 + at, ["..." + " " * 60 + "!", " " * 63 + "^"]))
    text = "{'descr': '<f8', 'fortran_order': None, 'shape': (%s)}" % ("1, " * 50)
    write("left", loose(text))
    at = text.index("None")
    expect_run("right cut", ["check", "left"], 1,
               refusal("left", "SNPY_BAD_FORTRAN_ORDER", 10 + at, [text[:100] + "...", " " * at + "^"]))
    # Exactly 60 columns in front are not cut; 61 are.
    for before in (60, 61):
        text = "{" + " " * (before - 1) + "7"
        write("sixty", loose(text))
        place = ["{" + " " * 59 + "7", " " * 60 + "^"] if before == 60 else ["..." + " " * 60 + "7", " " * 63 + "^"]
        expect_run("%d columns in front" % before, ["check", "sixty"], 1,
                   refusal("sixty", "SNPY_EXPECTED_STRING", 10 + before, place))
    # 2-byte characters are 6 columns wide when escaped, so 10 of them fit in front.
    raw = ("{'descr': [('" + "\xe9" * 100).encode("utf-8") + b"\x01'"
    write("accents", loose(raw, version=(3, 0)))
    expect_run("escapes in the window", ["check", "accents"], 1,
               refusal("accents", "SNPY_CONTROL_IN_STRING", 12 + 213,
                       ["..." + "\\u{e9}" * 10 + "\\x01'", " " * 63 + "^"]))
    raw = ("{'descr': [('" + "\xe9" * 100).encode("latin-1") + b"\x01'"
    write("accents", loose(raw))
    expect_run("escapes in the window, Latin-1", ["check", "accents"], 1,
               refusal("accents", "SNPY_CONTROL_IN_STRING", 10 + 113,
                       ["..." + "\\u{e9}" * 10 + "\\x01'", " " * 63 + "^"]))
    # A header of megabytes in one line is not scanned for its ends, and refused at its own byte.
    raw = text_of("'<z8'").encode() + b" " * (4 * MIB)
    write("huge", frame(raw, (2, 0)))
    expect_run("megabytes of blanks", ["check", "--max-header", "10000000", "huge"], 1,
               refusal("huge", "SNPY_UNKNOWN_TYPE", 12 + 12,
                       [text_of("'<z8'") + " " * (100 - len(text_of("'<z8'"))) + "...", " " * 12 + "^"]))


def test_data_refusals():
    write("short", GOOD[:-1])
    write("none", GOOD[:128])
    write("object", numpy_header("'|O'"))
    expect_run("truncated by one", ["check", "short"], 1, refusal("short", "SNPY_TRUNCATED_DATA", 151))
    expect_run("truncated wholly", ["check", "none"], 1, refusal("none", "SNPY_TRUNCATED_DATA", 128))
    expect_run("object without data", ["check", "object"], 1, refusal("object", "SNPY_NO_OBJECTS", 128))
    message, hint = explained("SNPY_TRUNCATED_DATA")
    wanted = {"file": "short", "verdict": "reject", "status": "SNPY_TRUNCATED_DATA", "rule": "NPY-DATA-001", "offset": 151,
              "message": message, "hint": hint}
    expect("refusal in JSON", run_json("short", "check", "--json", "short", code=1), [wanted])
    expect("refusal in JSON, quiet", run_json("short", "check", "-q", "--json", "short", code=1), [wanted])
    expect("info refuses as well", run_json("short", "info", "--json", "short", code=1), [wanted])
    expect_run("info refuses in text", ["info", "short"], 1, refusal("short", "SNPY_TRUNCATED_DATA", 151))


def test_exit_statuses():
    write("good.npy", GOOD)
    write("bad.npy", GOOD[:-1])
    bad = refusal("bad.npy", "SNPY_TRUNCATED_DATA", 151)
    missing = "safenpy: missing.npy: No such file or directory\n"
    expect_run("one of two is refused", ["check", "bad.npy", "good.npy"], 1, bad + "good.npy: accept, npy 1.0\n")
    expect_run("quiet shows refusals", ["check", "-q", "good.npy", "bad.npy"], 1, bad)
    expect_run("2 wins over 1", ["check", "missing.npy", "bad.npy", "good.npy"], 2, bad + "good.npy: accept, npy 1.0\n", missing)
    expect_run("2 wins, missing last", ["check", "bad.npy", "missing.npy"], 2, bad, missing)
    objects = run_json("mixed", "check", "--json", "good.npy", "missing.npy", "bad.npy", code=2)
    expect("verdicts", [o["verdict"] for o in objects], ["accept", "error", "reject"])
    message, hint = explained("SNPY_IO_ERROR")
    expect("error object", objects[1], {"file": "missing.npy", "verdict": "error", "status": "SNPY_IO_ERROR",
                                        "rule": "HOST-IO", "message": "No such file or directory", "hint": hint})
    # Messages and results keep their order where both go to one place.
    done = subprocess.run([binary, "check", "good.npy", "missing.npy", "bad.npy"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    expect("order of both streams", done.stdout.decode(), "good.npy: accept, npy 1.0\n" + missing + bad)


def test_unreadable():
    os.mkdir("directory")
    expect_run("directory", ["check", "directory"], 2, "",
               "safenpy: directory: Is a directory\nsafenpy: -r checks the files below a directory\n")
    expect_run("directory, info", ["info", "directory"], 2, "", "safenpy: directory: Is a directory\n")
    expect("directory, JSON", run_json("directory", "info", "--json", "directory", code=2)[0]["message"], "Is a directory")
    os.symlink("loop", "loop")
    expect_run("loop of links", ["check", "loop"], 2, "", "safenpy: loop: Too many levels of symbolic links\n")
    expect_run("empty name", ["check", ""], 2, "", "safenpy: '' (an empty name): No such file or directory\n")
    os.symlink("good.npy", "link")
    expect_run("symbolic link", ["check", "link"], 0, "link: accept, npy 1.0\n")

    write("secret.npy", GOOD)
    os.chmod("secret.npy", 0)
    user = {"user": 65534} if os.geteuid() == 0 else {}
    copy = shutil.copy(binary, "copy")
    os.chmod(copy, 0o755)
    done = subprocess.run([os.path.abspath(copy), "check", "secret.npy"], capture_output=True, **user)
    expect("no permission", (done.returncode, done.stdout, done.stderr),
           (2, b"", b"safenpy: secret.npy: Permission denied\n"))
    if os.path.exists("/proc/self/cmdline"):
        expect("file of /proc", status_of("proc", "/proc/self/cmdline"), "SNPY_BAD_MAGIC")
    expect("/dev/null", status_of("null", "/dev/null"), "SNPY_TRUNCATED_PREFIX")
    expect("/dev/zero ends at once", status_of("zero", "/dev/zero"), "SNPY_BAD_MAGIC")
    result = run("check", "-", preexec_fn=lambda: os.close(0), stdin=None)
    expect("closed standard input", (result.code, result.out, result.err), (2, b"", b"safenpy: -: Bad file descriptor\n"))


def piped(pieces, *arguments, pause=0.0, nonblocking=False):
    """Runs the command with a pipe into which the pieces are written one by one."""
    reader, writer = os.pipe()
    if nonblocking:
        fcntl.fcntl(reader, fcntl.F_SETFL, fcntl.fcntl(reader, fcntl.F_GETFL) | os.O_NONBLOCK)
    process = subprocess.Popen([binary] + list(arguments), stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(reader)
    try:
        for piece in pieces:
            os.write(writer, piece)
            time.sleep(pause)
    except BrokenPipeError:
        pass
    os.close(writer)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_streams():
    expect_run("standard input", ["check", "-"], 0, "-: accept, npy 1.0\n", stdin=GOOD)
    expect_run("trailing bytes in a pipe", ["check", "-"], 0, "-: accept, npy 1.0, note: 300000 trailing bytes\n",
               stdin=GOOD + b"\0" * 300000)
    expect_run("truncated pipe", ["check", "-"], 1, refusal("-", "SNPY_TRUNCATED_DATA", 151), stdin=GOOD[:-1])
    large = numpy_header(shape=(250000,)) + b"\0" * 2000000
    expect_run("large pipe", ["check", "-"], 0, "-: accept, npy 1.0\n", stdin=large)
    expect_run("large pipe, one byte short", ["check", "-"], 1, refusal("-", "SNPY_TRUNCATED_DATA", len(large) - 1),
               stdin=large[:-1])
    expect_run("standard input twice", ["check", "-", "-"], 1,
               "-: accept, npy 1.0\n" + refusal("-", "SNPY_TRUNCATED_PREFIX", 0), stdin=GOOD)
    expect("file_size of a pipe", run_json("pipe", "info", "--json", "-", stdin=GOOD + b"xy")[0]["file_size"], 154)
    accepted = (0, b"-: accept, npy 1.0\n", b"")
    expect("byte by byte", piped([GOOD[i:i + 1] for i in range(len(GOOD))], "check", "-"), accepted)
    expect("slowly, without blocking", piped([GOOD[:7], GOOD[7:60], GOOD[60:]], "check", "-", pause=0.05, nonblocking=True),
           accepted)
    long_text = text_of("[%s]" % ", ".join("('f%06d', '|i1')" % i for i in range(20000)), shape="(1,)")
    long_file = loose(long_text, b"\0" * 20000, (2, 0))
    expect_run("long header in a pipe", ["check", "--max-header", "1000000", "-"], 0, "-: accept, npy 2.0\n", stdin=long_file)
    write("long.npy", long_file)
    expect_run("long header in a file", ["check", "--max-header", "1000000", "long.npy", "good.npy"], 0,
               "long.npy: accept, npy 2.0\ngood.npy: accept, npy 1.0\n")
    expect("long header by default", status_of("long", "long.npy"), "SNPY_HEADER_TOO_LONG")

    os.mkfifo("fifo")
    threading.Thread(target=lambda: write("fifo", GOOD)).start()
    expect_run("FIFO", ["check", "fifo"], 0, "fifo: accept, npy 1.0\n")
    # A descriptor that stands in the middle of a file: what is in front was read by somebody else.
    write("prefixed", b"junk" * 25 + GOOD)
    with open("prefixed", "rb") as prefixed:
        prefixed.seek(100)
        done = subprocess.run([binary, "check", "-"], stdin=prefixed, capture_output=True)
        expect("file as standard input, from its middle", (done.returncode, done.stdout, done.stderr), accepted)
    with open("good.npy", "rb") as good:
        done = subprocess.run([binary, "check", "-"], stdin=good, capture_output=True)
        expect("file as standard input", (done.returncode, done.stdout, done.stderr), accepted)


def test_names():
    """Names that would do something on a terminal are escaped in text, and survive in JSON."""
    shown = {
        b"-q": "-q", b"--json": "--json", b"a b.npy": "a b.npy", "\xe9\u6574.npy".encode(): "\xe9\u6574.npy",
        b"\x1b[31mred": "\\x1b[31mred", b"line\nfeed": "line\\x0afeed", b"tab\there": "tab\\x09here",
        b"del\x7f": "del\\x7f", b"bad\xff\xfe": "bad\\xff\\xfe", b"c1\xc2\x9b31m": "c1\\u{9b}31m",
        b"raw\x9b31m": "raw\\x9b31m", "rlo\u202egpj".encode(): "rlo\\u{202e}gpj", "zw\u200bsp".encode(): "zw\\u{200b}sp",
        "iso\u2066x\u2069".encode(): "iso\\u{2066}x\\u{2069}", "tag\U000e0041".encode(): "tag\\u{e0041}",
        b"overlong\xc0\xaf": "overlong\\xc0\\xaf", b"surrogate\xed\xa0\x80": "surrogate\\xed\\xa0\\x80",
        b"cut\xe6\x95": "cut\\xe6\\x95", b"quote\"back\\slash": "quote\"back\\\\slash", "\ufeffbom".encode(): "\\u{feff}bom",
        "smile\U0001f600".encode(): "smile\U0001f600", b"high\xf4\x90\x80\x80": "high\\xf4\\x90\\x80\\x80",
        "private\ue000".encode(): "private\\u{e000}", "soft\xadhyphen".encode(): "soft\\u{ad}hyphen",
    }
    os.mkdir("names")
    for name, text in shown.items():
        path = os.path.join(b"names", name)
        write(path, GOOD)
        expect_run("name %r" % name, ["check", "--", path], 0, "names/%s: accept, npy 1.0\n" % text)
        known = os.fsdecode(path)
        is_exact = not re.search("[\udc80-\udcff]", known)
        for command in ("check", "info"):
            value = run_json("name", command, "--json", "--", path)[0]
            expect("name %r in JSON" % name, (value["file"], value.get("file_hex")),
                   (re.sub("[\udc80-\udcff]", "\ufffd", known), None if is_exact else path.hex()))
        expect("name %r in info" % name, run("info", "--", path).out.split(b"\n")[0].decode(), "file:           names/" + text)
        os.remove(path)
        expect_run("name %r missing" % name, ["check", "--", path], 2, "",
                   "safenpy: names/%s: No such file or directory\n" % text)
        value = run_json("name", "check", "--json", "--", path, code=2)[0]
        expect("name %r missing, in JSON" % name, value.get("file_hex"), None if is_exact else path.hex())
    # A character that is escaped, and a name that looks like the escape.
    write(b"\x1b", GOOD)
    write(b"\\x1b", GOOD)
    expect_run("escaped or only looking so", ["check", b"\x1b", b"\\x1b"], 0, "\\x1b: accept, npy 1.0\n\\\\x1b: accept, npy 1.0\n")
    write("-q", GOOD)
    write("--json", GOOD)
    expect_run("names that look like options", ["check", "--", "-q", "--json"], 0, "-q: accept, npy 1.0\n--json: accept, npy 1.0\n")
    write("./-", GOOD[:-1])
    expect_run("a file named -", ["check", "./-"], 1, refusal("./-", "SNPY_TRUNCATED_DATA", 151))


def test_terminal_safety():
    """No byte that a file or a name chooses reaches the terminal but printable characters."""
    hostile = bytes(range(1, 32)) + bytes(range(127, 160)) + b"\xff\xc2\x9b\xe2\x80\xae\xed\xa0\x80"
    samples = []
    for version in ((1, 0), (2, 0), (3, 0)):
        for place in (b"{'descr': '%s'", b"{%s", b"%s", b"{'descr': [('%s', '<f8')], 'fortran_order': False, 'shape': ()}"):
            for byte in hostile:
                samples.append(loose(place.replace(b"%s", bytes([byte]) + b"[31m"), version=version))
            samples.append(loose(place.replace(b"%s", hostile), version=version))
    names = [write("h%03d" % i, sample) for i, sample in enumerate(samples)]
    for arguments in (["check"], ["info"], ["check", "--json"], ["info", "--json"], ["check", "--compat", "all"]):
        result = run(*arguments, *names)
        text = result.out.decode("utf-8")
        bad = sorted({c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")})
        expect("hostile headers, %s" % " ".join(arguments), bad, [])
        expect("hostile headers, stderr", result.err, b"")
        if "--json" in arguments:
            expect("hostile headers, answers", len(json_lines("hostile", result)), len(names))
    # The same in names that are accepted because they are escaped.
    name = "".join("\\u%04x" % c for c in (0x1B, 0x9B, 0x202E, 0x7F, 0x0A, 0x00, 0xD800, 0xDFFF))
    write("accepted", loose(text_of("[(('%s', 'n%s'), '<f8')]" % (name, name)), b"\0" * 24))
    text = run("info", "accepted").out.decode("utf-8")
    bad = sorted({c for c in text if c != "\n" and not c.isprintable()})
    expect("hostile field names", bad, [])
    field = run_json("hostile field", "info", "--json", "accepted")[0]["fields"][0]
    wanted = "".join(map(chr, (0x1B, 0x9B, 0x202E, 0x7F, 0x0A, 0x00)))
    points = [ord(character) for character in wanted] + [0xD800, 0xDFFF]
    expect("hostile field name in JSON", [field[key] for key in ("name", "name_code_points", "title", "title_code_points")],
           ["n" + wanted + "\ufffd" * 2, [0x6E] + points, wanted + "\ufffd" * 2, points])


COMPAT = [
    ("int-fortran-order", text_of(fortran="1"), "SNPY_BAD_FORTRAN_ORDER"),
    ("numpy-bool", text_of(fortran="np.True_"), "SNPY_BAD_FORTRAN_ORDER"),
    ("numpy-int", text_of(shape="(np.int64(2),)"), "SNPY_BAD_DIMENSION"),
    ("list-shape", text_of(shape="[3]"), "SNPY_EXPECTED_SHAPE"),
    ("int-shape", text_of("[('a', '|i1', 2)]"), "SNPY_EXPECTED_SHAPE"),
    ("list-field", text_of("[['a', '|i1']]"), "SNPY_EXPECTED_FIELD"),
    ("metadata", text_of("[('a', ('|i1', {'x': str}))]"), "SNPY_EXPECTED_SHAPE"),
    ("native-order", text_of("'f8'"), "SNPY_NO_BYTE_ORDER"),
    ("type-names", text_of("'float64'"), "SNPY_TYPE_NAME"),
    ("bytes-alias", text_of("'|a5'"), "SNPY_BYTES_ALIAS"),
    ("platform-float", text_of("'<f12'"), "SNPY_PLATFORM_FLOAT"),
]


def test_compat():
    names = [flag for flag, _, _ in COMPAT]
    for flag, text, status in COMPAT:
        name = write(flag, loose(text, b"\0" * 48))
        others = ",".join(other for other in names if other != flag)
        expect("%s, refused by default" % flag, status_of(flag, name), status)
        expect("%s, allowed" % flag, status_of(flag, name, "--compat", flag), None)
        expect("%s, allowed by all" % flag, status_of(flag, name, "--compat=all"), None)
        expect("%s, refused under all others" % flag, status_of(flag, name, "--compat", others), status)
        expect("%s, among others" % flag, status_of(flag, name, "--compat", names[0], "--compat", "list-field," + flag), None)
        expect("%s, hint names the flag" % flag, " %s " % flag in explained(status)[1].replace(",", " "), True)
        expect("%s, info refuses" % flag, run_json(flag, "info", "--json", name, code=1)[0]["status"], status)
        expect("%s, info takes it" % flag, run_json(flag, "info", "--compat", flag, "--json", name)[0]["format"], "npy")
    info = run_json("platform-float", "info", "--compat=all", "--json", "platform-float")[0]
    expect("opaque float", (info["descr"], info["itemsize"]), ("<f12", 12))


def test_canonical():
    def verdict(what, content, offset):
        name = write("canonical", content)
        if offset is None:
            expect_run(what, ["check", "--profile", "canonical", name], 0, "%s: accept, npy %d.0\n" % (name, content[6]))
        else:
            objects = run_json(what, "check", "--profile=canonical", "--json", name, code=1)
            expect(what, (objects[0]["status"], objects[0]["rule"], objects[0]["offset"]),
                   ("SNPY_NOT_CANONICAL", "NPY-HDR-006", offset))
            expect(what + ", standard", status_of(what, name), None)

    verdict("canonical array", GOOD, None)
    verdict("canonical matrix", numpy_header(shape=(2, 3), fortran=True) + b"\0" * 48, None)
    verdict("canonical record", numpy_header("[('a', '<f8'), ('', '|V4'), ('\xe9', '<i4', (2,))]") + b"\0" * 60, None)
    verdict("canonical version 3.0", numpy_header("[('\u6574', '<f8')]", version=(3, 0)) + b"\0" * 24, None)
    verdict("not needed version 2.0", numpy_header(version=(2, 0)) + b"\0" * 24, 6)
    verdict("not needed version 3.0", numpy_header(version=(3, 0)) + b"\0" * 24, 6)
    other = "{'shape': (3,), 'descr': '<f8', 'fortran_order': False, }"
    verdict("other order of keys", loose(other, b"\0" * 24), 12)
    verdict("newline missing", GOOD[:127] + b" " + GOOD[128:], 127)
    verdict("tab in the padding", GOOD[:100] + b"\t" + GOOD[101:], 100)
    at = GOOD.index(b"False")
    verdict("Fortran order of a vector", numpy_header(fortran=True) + b"\0" * 24, at)
    verdict("blank twice", loose(text_of().replace(": ", ":  ", 1), b"\0" * 24), 20)
    padded = frame(GOOD[10:128] + b" " * 63 + b"\n") + b"\0" * 24
    verdict("too much padding", padded, 8)
    text = text_of().replace(": '", ":  '").encode()
    raw = text + b" " * (117 - len(text)) + b"\n"
    write("canonical", frame(raw) + b"\0" * 24)
    expect_run("caret of a header that is not canonical", ["check", "--profile", "canonical", "canonical"], 1,
               refusal("canonical", "SNPY_NOT_CANONICAL", 20, [text.decode(), " " * 10 + "^"]))
    write("canonical", numpy_header(version=(2, 0)) + b"\0" * 24)
    expect_run("hexadecimal of a version that is not canonical", ["check", "--profile", "canonical", "canonical"], 1,
               refusal("canonical", "SNPY_NOT_CANONICAL", 6,
                       ["93 4e 55 4d 50 59 02 00 74 00 00 00 7b 27 64 65", " " * 18 + "^"]))
    write("canonical", GOOD[:-1])
    expect("truncated data come first", status_of("canonical", "canonical", "--profile", "canonical"), "SNPY_TRUNCATED_DATA")


RECORD = ("[('x', '<f8'), ('', '|V4'), (('Title', 'pos'), [('u', '>i2'), ('', '|V2'), ('v', '|S3', (2,))], (3, 4)), "
          "('n', ('<M8[25s]', (5,)), (6,)), ('w', ([('deep', '<c8')], (2,)), (2,)), ('\u6574', '<U7')]")


def test_info():
    write("good.npy", GOOD + b"xy")
    expect_run("info", ["info", "good.npy"], 0,
               "file:           good.npy\n"
               "format:         npy\n"
               "version:        1.0\n"
               "header_len:     118\n"
               "data_offset:    128\n"
               "data_size:      24\n"
               "file_size:      154\n"
               "trailing_bytes: 2\n"
               "aligned:        true\n"
               "descr:          <f8\n"
               "shape:          (3,)\n"
               "fortran_order:  false\n"
               "itemsize:       8\n"
               "count:          3\n"
               "has_object:     false\n")
    plain = {"file": "good.npy", "format": "npy", "version": "1.0", "header_len": 118, "data_offset": 128, "data_size": 24,
             "file_size": 154, "trailing_bytes": 2, "aligned": True, "descr": "<f8", "shape": [3], "fortran_order": False,
             "itemsize": 8, "count": 3, "has_object": False, "fields": []}
    objects = run_json("info", "info", "--json", "good.npy")
    expect("info --json", objects, [plain])
    expect("info --json, order of keys", list(objects[0]), list(plain))
    write("object", numpy_header("'|O'", shape=(2, 3), fortran=True) + b"pickle")
    objects = run_json("object", "info", "--json", "object")
    expect("info --json, object", objects[0], dict(
        plain, file="object", data_size=None, file_size=134, trailing_bytes=None, descr="|O", shape=[2, 3],
        fortran_order=True, count=6, has_object=True))
    expect_true("info, object", b"data_size:      unknown (the data are a pickle)\n" in run("info", "object").out)
    write("huge", loose(text_of("'|V0'", shape="(9223372036854775807, )")))
    expect("large integers stay integers", run_json("huge", "info", "--json", "huge")[0]["count"], 9223372036854775807)
    expect_true("unaligned", run_json("unaligned", "info", "--json", write(
        "unaligned", frame(text_of(shape="()").encode() + b"\n") + b"\0" * 8))[0]["aligned"] is False)
    for shape, text in (("()", "()"), ("(1,)", "(1,)"), ("(2, 1, 0)", "(2, 1, 0)")):
        write("shape", loose(text_of(shape=shape), b"\0" * 8))
        expect_true("info, shape " + shape, ("shape:          %s\n" % text).encode() in run("info", "shape").out)

    types = ["|b1", "|i1", "|u1", "<i2", ">i4", "<u8", "<f2", ">f16", "<c8", ">c32", "|S0", "|S12", "<U3", ">U0", "|V7",
             "<M8", "<m8", "<M8[ns]", ">m8[25s]", "<M8[2147483647as]", "<M8[D]", "<m8[3W]", "|O"]
    for one in types:
        write("type", numpy_header("'%s'" % one, shape=()) + b"\0" * 32)
        expect("type " + one, run_json(one, "info", "--json", "type")[0]["descr"], one)
        expect_true("type %s in text" % one, ("descr:          %s\n" % one).encode() in run("info", "type").out)
    for written, shown in (("<i1", "|i1"), ("O", "|O"), ("|O8", "|O"), ("<M8[1s]", "<M8[s]"), (">S3", "|S3")):
        write("type", loose(text_of("'%s'" % written, shape="()"), b"\0" * 32))
        expect("type %s normalised" % written, run_json(written, "info", "--json", "type")[0]["descr"], shown)


def test_info_record():
    size = 8 + 4 + 12 * (2 + 2 + 6) + 8 * 30 + 8 * 4 + 28
    write("record", loose(text_of(RECORD, shape="(2,)"), b"\0" * (2 * size), (3, 0)))
    info = run_json("record", "info", "--json", "record")[0]
    expect("record: sizes", (info["itemsize"], info["count"], info["data_size"]), (size, 2, 2 * size))
    expect("record: text", info["descr"], RECORD)
    expect("record: fields", info["fields"], [
        {"name": "x", "parent": None, "descr": "<f8", "offset": 0, "itemsize": 8, "shape": [], "title": None},
        {"name": "pos", "parent": None, "descr": None, "offset": 12, "itemsize": 120, "shape": [3, 4], "title": "Title"},
        {"name": "u", "parent": 1, "descr": ">i2", "offset": 12, "itemsize": 2, "shape": [], "title": None},
        {"name": "v", "parent": 1, "descr": "|S3", "offset": 16, "itemsize": 6, "shape": [2], "title": None},
        {"name": "n", "parent": None, "descr": "<M8[25s]", "offset": 132, "itemsize": 240, "shape": [6, 5], "title": None},
        {"name": "w", "parent": None, "descr": None, "offset": 372, "itemsize": 32, "shape": [2, 2],
         "title": None},
        {"name": "deep", "parent": 5, "descr": "<c8", "offset": 372, "itemsize": 8, "shape": [], "title": None},
        {"name": "\u6574", "parent": None, "descr": "<U7", "offset": 404, "itemsize": 28, "shape": [], "title": None}])
    table = run("info", "record").out.decode().split("fields:\n")
    expect("record: table", table[1],
           "  offset  itemsize  descr     shape   name\n"
           "       0         8  <f8       ()      'x'\n"
           "      12       120  record    (3, 4)  'pos', title 'Title'\n"
           "      12         2  >i2       ()        'u'\n"
           "      16         6  |S3       (2,)      'v'\n"
           "     132       240  <M8[25s]  (6, 5)  'n'\n"
           "     372        32  record    (2, 2)  'w'\n"
           "     372         8  <c8       ()        'deep'\n"
           "     404        28  <U7       ()      '\u6574'\n")
    expect_true("record: descr in text", ("descr:          %s\n" % RECORD) in table[0])

    # Padding, and whatever lies in it, is no field.
    write("padding", loose(text_of("[('', [('a', '|i1')], (2,)), ('', '|V3'), ('b', '|i1'), ('', '<i4')]"), b"\0" * 30))
    info = run_json("padding", "info", "--json", "padding")[0]
    expect("padding is not listed", [(f["name"], f["offset"]) for f in info["fields"]], [("b", 5), ("", 6)])
    write("none", loose(text_of("[]"), b""))
    info = run_json("none", "info", "--json", "none")[0]
    expect("record without fields", (info["descr"], info["fields"], info["itemsize"]), ("[]", [], 0))
    # One name, many writings.
    write("escapes", loose(text_of(r"[('\xe9\u6574\U0001f600\'\"\\\n\r\t\x00', '<f8'), ('\ud83d', '|i1')]"), b"\0" * 27))
    fields = run_json("escapes", "info", "--json", "escapes")[0]["fields"]
    expect("escapes in names", fields[0]["name"], "\xe9\u6574\U0001f600'\"\\\n\r\t\x00")
    expect("a lone surrogate in a name", (fields[1]["name"], fields[1]["name_code_points"]), ("\ufffd", [0xD83D]))
    expect("names that strings can say have no other form", [key for key in fields[0] if "code_points" in key], [])
    write("inside", loose(text_of(r"[('a', [(('\udc80', 'b'), '<f8')]), ('\ud800', [('c\\x1b\x1b', '<f8')])]"), b"\0" * 48))
    fields = run_json("inside", "info", "--json", "inside")[0]["fields"]
    exact = [{key: value for key, value in field.items() if "code_points" in key} for field in fields]
    expect("code points inside", exact, [{}, {"title_code_points": [0xDC80]},
                                         {"name_code_points": [0xD800]}, {}])
    expect_true("a name that looks like an escape, and an escape", b"'c\\\\x1b\\x1b'" in run("info", "inside").out)
    write("latin1", loose(text_of("[('\xe9\xff', '<f8')]"), b"\0" * 24))
    expect("Latin-1 name", run_json("latin1", "info", "--json", "latin1")[0]["fields"][0]["name"], "\xe9\xff")
    write("prefix", loose(text_of("[(u'a', u\"<f8\")]").replace("'descr'", "u'descr'"), b"\0" * 24))
    expect("u prefix", run_json("prefix", "info", "--json", "prefix")[0]["descr"], "[('a', '<f8')]")
    # 64 levels.
    deep = "'|i1'"
    for level in range(64):
        deep = "[('f%d', %s)]" % (level, deep)
    write("deep", loose(text_of(deep), b"\0" * 3, (2, 0)))
    fields = run_json("deep", "info", "--json", "deep")[0]["fields"]
    expect("64 levels", [(field["name"], field["parent"]) for field in fields],
           [("f%d" % (63 - i), i - 1 if i > 0 else None) for i in range(64)])
    expect("64 levels, types", [field["descr"] for field in fields], 63 * [None] + ["|i1"])
    write("deeper", loose(text_of("[('f', %s)]" % deep), b"\0" * 3, (2, 0)))
    expect("65 levels", status_of("deeper", "deeper"), "SNPY_TOO_DEEP")
    # As many entries as a text of 65,536 bytes can hold, or nearly: the default limit on entries refuses none.
    entry = "('',%s'|u1'%s,(1,))," % ("(" * 63, ",(1,))" * 63)
    count = (65536 - 60) // len(entry)
    content = loose(text_of("[" + entry * count + "('z','|u1')]", shape="(0,)"), b"", (2, 0))
    expect_true("a text of nearly 65,536 bytes", 65000 < len(content) <= 65536 + 12 and count * 64 > 8700)
    write("entries", content)
    expect("NPY-LIMIT-001, entries: 64 of them in each field", status_of("entries", "entries"), None)
    write("good.npy", GOOD)
    several = run("info", "good.npy", "good.npy")
    expect("blank line between files", several.out, b"\n".join([run("info", "good.npy").out] * 2))
    one = run("info", "good.npy").out
    for names in (("missing", "good.npy"), ("good.npy", "missing"), ("missing", "missing", "good.npy", "missing")):
        expect("no blank line for a file that is not there", run("info", *names).out, one)
    expect("one blank line around it", run("info", "good.npy", "missing", "good.npy").out, one + b"\n" + one)
    write("bad.npy", GOOD[:-1])
    expect("a refused file is set apart", run("info", "good.npy", "bad.npy").out, one + b"\n" + run("info", "bad.npy").out)


def spent():
    """Seconds of processor time that the commands have taken so far: a busy machine does not change them."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_info_many_records():
    """Thousands of nested records must not take minutes."""
    fields = ", ".join("('f%05d', [(\"it's ][\", '<M8[ns]'), ('g', [('\"]\\\\', '|i1')], (2,))], (1,))" % i for i in range(4000))
    write("records", loose(text_of("[%s]" % fields, shape="(1,)"), b"\0" * 40000, (2, 0)))
    start = spent()
    info = run_json("records", "info", "--max-header", "1000000", "--json", "records")[0]
    expect_true("4,000 nested records, time", spent() - start < (20 if SANITIZED else 2))
    expect("4,000 nested records", info["descr"], "[%s]" % fields)
    expect("4,000 nested records, fields", len(info["fields"]), 16000)
    for number, field in enumerate(info["fields"]):
        if field["parent"] != (None, number - 1, number - 2, number - 1)[number % 4]:
            expect("nested record", field, number)


def test_explain():
    expect_run("explain", ["explain", "NPY-LIT-018"], 0,
               "NPY-LIT-018  SNPY_SIGNED_DIMENSION\n"
               "  refused: a dimension has a sign\n"
               "  example: 'shape': (-1, 3)\n"
               "  remedy: write the true length of the dimension, without a sign\n")
    by_rule = run("explain", "NPY-LIT-018").out
    expect_run("explain by status", ["explain", "SNPY_SIGNED_DIMENSION"], 0, by_rule)
    expect_run("explain in lower case", ["explain", "npy-lit-018"], 0, by_rule)
    expect_run("explain behind --", ["explain", "--", "NPY-LIT-018"], 0, by_rule)
    expect_run("explain two", ["explain", "NPY-LIT-018", "NPY-LIT-018"], 0, by_rule + b"\n" + by_rule)
    expect_run("explain a rule without a status", ["explain", "NPY-DTYPE-015"], 0,
               "NPY-DTYPE-015\n"
               "  rule: fields are packed: each begins where the one before it ends\n"
               "  example: [('a', '|i1'), ('b', '<i4')]: b begins at byte 1, an element has 5 bytes\n"
               "  remedy: none of its own: no refusal reports this rule\n")
    listed = run("explain", "--list")
    expect("explain --list: exit status", listed.code, 0)
    rules = [line.split()[0] for line in listed.out.decode().split("\n")[:-1]]
    expect("explain --list: no rule twice", len(rules), len(set(rules)))
    with open(SPEC, encoding="utf-8") as spec:
        text = spec.read()
    rows = re.findall(r"^\| ((?:NPY)-[A-Z]+-\d+) \|.*?\| ((?:SNPY_\w+)|\u2013) \|", text, re.M)
    expect_true("the specification has rules", len(rows) > 70)
    with open(SPEC.replace("npy.md", "objects.md"), encoding="utf-8") as spec:
        rows += re.findall(r"^\| (NPY-[A-Z]+-\d+) \|.*?\| ((?:SNPY_\w+)|\u2013) \|", spec.read(), re.M)
    with open(SPEC.replace("npy.md", "npz.md"), encoding="utf-8") as spec:  # of archives, those with a status
        rows += re.findall(r"^\| (NPZ-[A-Z]+-\d+) \|.*?\| (SNPY_\w+) \|", spec.read(), re.M)
    for rule, status in rows:
        head = run("explain", rule).out.decode().split("\n")[0]
        expect("explain " + rule, head, rule if status == "\u2013" else "%s  %s" % (rule, status))
    others = set(re.findall(r"\b((?:API|HOST)-[A-Z]+)\b", text))
    expect("explain --list is the specification", sorted(rules), sorted({rule for rule, _ in rows} | others))
    for word in rules:
        message, remedy = explained(word)
        expect_true("%s has texts" % word, len(message) > 9 and len(remedy) > 9 and not message.endswith("."))


def test_output_errors():
    write("good.npy", GOOD)
    if os.path.exists("/dev/full"):
        for arguments in (["check", "good.npy"], ["info", "--json", "good.npy"], ["--help"], ["explain", "--list"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([binary] + arguments, stdout=full, stderr=subprocess.PIPE)
            expect("full disk, %r" % arguments, (done.returncode, done.stderr),
                   (2, b"safenpy: standard output: No space left on device\n"))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([binary, "check"] + ["good.npy"] * 5000, stdout=full, stderr=subprocess.PIPE)
        expect("full disk, many files", (done.returncode, done.stderr),
               (2, b"safenpy: standard output: No space left on device\n"))
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([binary, "check", "good.npy"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    expect("closed pipe", (done.returncode, done.stderr), (2, b""))
    done = subprocess.run([binary, "check", "good.npy"], stdout=None, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    expect("closed standard output", (done.returncode, done.stderr), (2, b"safenpy: standard output: Bad file descriptor\n"))


def small_machine():
    resource.setrlimit(resource.RLIMIT_AS, (100 * MIB, 100 * MIB))


def test_claims():
    """A small file that claims 4 GiB costs no memory and no time, whatever limit was asked for."""
    limits = {} if SANITIZED else {"preexec_fn": small_machine}
    for version in ((2, 0), (3, 0)):
        content = frame(b"", version, 0xFFFFFFFF)
        name = write("claim", content)
        for limit in ([], ["--max-header", "4294967295"]):
            for subcommand in ("check", "info"):
                status = "SNPY_TRUNCATED_HEADER" if limit else "SNPY_HEADER_TOO_LONG"
                start = spent()
                for source, stdin in ((name, b""), ("-", content)):
                    result = run(subcommand, "--json", *limit, source, stdin=stdin, **limits)
                    objects = json_lines("claim", result)
                    expect("claim of 4 GiB, %s %s" % (source, limit),
                           (result.code, objects[0]["status"], objects[0]["offset"]), (1, status, 12 if limit else 8))
                expect_true("claim of 4 GiB, time", spent() - start < (5 if SANITIZED else 1))
    if SANITIZED:
        return
    # A true header of more than the machine can hold is no verdict about the file.
    reader, writer = os.pipe()
    process = subprocess.Popen([binary, "check", "--max-header", "4294967295", "-"], stdin=reader, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=small_machine)
    os.close(reader)
    try:
        os.write(writer, frame(b"", (2, 0), 0xFFFFFFFF))
        for _ in range(200):
            os.write(writer, b" " * MIB)
    except BrokenPipeError:
        pass
    os.close(writer)
    out, err = process.communicate(timeout=60)
    expect("no memory", (process.returncode, out, err), (2, b"", b"safenpy: -: Cannot allocate memory\n"))
    # HOST-MEMORY: likewise from a file, and as JSON.
    with open("header", "wb") as header:
        header.write(frame(b"", (2, 0), 200 * MIB))
        header.truncate(12 + 200 * MIB)
    result = run("check", "--json", "--max-header", "4294967295", "header", **limits)
    expect("no memory, --json", (result.code, [(o["verdict"], o["status"], o["rule"]) for o in json_lines("memory", result)]),
           (2, [("error", "SNPY_NO_MEMORY", "HOST-MEMORY")]))
    os.remove("header")
    # Claimed data cost nothing either.
    write("dataclaim", loose(text_of(shape="(1000000000000,)")))
    result = run("check", "dataclaim", **limits)
    expect("claim of 8 TB", (result.code, result.out.decode()), (1, refusal("dataclaim", "SNPY_TRUNCATED_DATA", 128)))
    with open("sparse", "wb") as sparse:
        sparse.write(numpy_header(shape=(1 << 30,)))
        sparse.truncate(128 + (8 << 30))
    start = spent()
    result = run("check", "sparse", **limits)
    expect("file of 8 GiB", (result.code, result.out), (0, b"sparse: accept, npy 1.0\n"))
    expect_true("file of 8 GiB, time", spent() - start < 1)
    os.remove("sparse")


def test_many_files():
    os.mkdir("many")
    names = [write("many/%05d" % i, GOOD) for i in range(10000)]

    def loop():
        for name in names:
            descriptor = os.open(name, os.O_RDONLY)
            os.read(descriptor, 65536)
            os.close(descriptor)

    def cost(action, clock):
        start = clock()
        action()
        return clock() - start

    result = run("check", *names)
    expect("10,000 files", (result.code, result.out.count(b": accept, npy 1.0\n"), result.err), (0, 10000, b""))
    expect("10,000 files, quiet", (run("check", "-q", *names).out), b"")
    if SANITIZED:
        return
    turns = [(cost(lambda: run("check", "-q", *names), spent), cost(loop, time.process_time)) for _ in range(9)]
    ours, theirs = (min(turn) for turn in zip(*turns))
    print("10,000 files: %.1f ms, open-read-close loop in Python %.1f ms" % (1000 * ours, 1000 * theirs))
    expect_true("10,000 files in twice the time of a loop of open, read, close (%.4f, %.4f)" % (ours, theirs),
                ours <= 2 * theirs + 0.02)


def main(module):
    """Runs the tests of a module, each in a directory of its own."""
    global binary
    if len(sys.argv) != 2:
        sys.exit(module["__doc__"])
    binary = os.path.abspath(sys.argv[1])
    # The command must not care for the language of its surroundings.
    os.environ["LC_ALL"] = "de_DE.UTF-8"
    os.environ.pop("POSIXLY_CORRECT", None)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    # What a shell in the background, or nohup, lets its children ignore is not what is tested here.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    tests = [value for name, value in list(module.items()) if name.startswith("test_")]
    if module is globals():
        tests += [functools.partial(test, sys.modules[__name__]) for test in data.TESTS]
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="safenpy-cli-") as directory:
            os.chmod(directory, 0o755)
            os.chdir(directory)
            write("good.npy", GOOD)
            try:
                test()
            except Exception as reason:  # a test that cannot run is a failed one
                expect("%s ran" % getattr(test, "func", test).__name__, repr(reason), None)
            os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(globals())
