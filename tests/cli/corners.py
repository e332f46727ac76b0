#!/usr/bin/env python3
"""Runs the command where it seldom goes: names, keys and paths at their limits, arguments that are half of something,
outputs that fail late.

usage: python3 tests/cli/corners.py build/safenpy"""

import io
import json
import os
import pty
import socket
import struct
import subprocess
import zipfile

import run as base
from change import HINT, content, said
from run import GOOD, expect, expect_run, expect_true, frame, loose, numpy_header, refusal, run, run_json, write


INDEX = "a number, a slice, '...' or the name of a field in quotes is expected"


def short(name, *numbers, descr="'<i2'", shape=None, fortran=False):
    """A file of numbers of 16 bits."""
    shape = shape or (len(numbers),)
    return write(name, numpy_header(descr, fortran, shape) + struct.pack("<%dh" % len(numbers), *numbers))


def zipped(name, *members):
    """An archive by zipfile of members (name, bytes)."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for member, data in members:
            archive.writestr(zipfile.ZipInfo(member), data)
    write(name, held.getvalue())
    return held.getvalue()


def below(directory):
    """All paths below a directory."""
    found = [os.path.relpath(os.path.join(top, name), directory)
             for top, directories, files in os.walk(directory) for name in directories + files]
    return sorted(found)


def error(*arguments, **more):
    """Exit status and standard error of a run that puts nothing out."""
    result = run(*arguments, **more)
    expect("%r puts nothing out" % (arguments,), result.out, b"")
    return result.code, result.err.decode()


# ---------------------------------------------------------------- arguments

def test_unknown_options():
    for subcommand in base.SUBCOMMANDS.split(", "):
        expect("%s --wrong" % subcommand, run(subcommand, "--wrong", "x").code, 2)


def test_arguments():
    short("a.npy", 0, 1, 2, 3)
    for arguments, message in (
            (["diff", "--wrong", "a.npy", "a.npy"], "unknown option '--wrong'"),
            (["unpack", "--wrong", "a.npz"], "unknown option '--wrong'"),
            (["unpack"], "unpack: no archive given"),
            (["wrap", "--dtype", "<i2", "a.npy", "x"], "wrap: --dtype and --shape are required"),
            (["wrap", "--shape", "4", "a.npy", "x"], "wrap: --dtype and --shape are required"),
            (["check", "--max-header", "100000000000", "a.npy"],
             "--max-header: '100000000000' is not a number of bytes from 0 to 4294967295"),
            (["explain", "nothing"], "explain: no rule or status 'nothing'; 'safenpy explain --list' lists them"),
            (["cat", "a.npy[None"], "a.npy[None: byte 6: no axes can be added (None, newaxis)"),
            (["cat", "a.npy[[1"], "a.npy[[1: byte 6: lists cannot be indices; a field is written ['name']"),
            (["cat", "a.npy[(1)]"], "a.npy[(1)]: byte 6: lists cannot be indices; a field is written ['name']"),
            (["cat", "a.npy[\"x\\"], "a.npy[\"x\\\\: byte 6: the name has no end"),
            (["cat", "a.npy[..., 1"], "a.npy[..., 1: byte 12: ',' or ']' is expected"),
            (["cat", "a.npy[...,,1]"], "a.npy[...,,1]: byte 10: " + INDEX),
            (["cat", "a.npy[Non"], "a.npy[Non: byte 6: " + INDEX),
            (["cat", "--", "-[0"], "-[0: byte 3: ',' or ']' is expected")):
        expect("wrong: %r" % arguments, error(*arguments, stdin=content("a.npy")), (2, "safenpy: " + message + HINT))
    for flag in ("al", "ALL", "xyz"):
        code, said_of_it = error("check", "--compat", flag, "a.npy")
        expect("flag %s" % flag, (code, said_of_it.split(";")[0]), (2, "safenpy: --compat: no flag '%s'" % flag))
    expect("a quoted type", error("wrap", "--dtype", '"x"', "--shape", "4", "a.npy", "x"),
           (2, "safenpy: --dtype: '\"x\"': %s at byte 1 [NPY-DTYPE-001]\n  hint: %s%s"
            % (*base.explained("NPY-DTYPE-001"), HINT)))
    code, said_of_it = error("wrap", "--dtype", "<f" + "8" * 70000, "--shape", "4", "a.npy", "x")
    expect("a type without end", (code, said_of_it[:30]), (2, "safenpy: --dtype and --shape: "))
    expect("nothing was made", sorted(os.listdir(".")), ["a.npy", "good.npy"])


def test_names_of_files():
    """What looks like an archive and a key, or like indices, and is neither."""
    short("a.npy", 0, 1, 2, 3)
    os.mkdir("dir")
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("sock")
    long = "x" * 5000
    for name, reason in (("a.npy/x:y", "Not a directory"), ("/:y", "No such file or directory"),
                         (":x", "No such file or directory"), (".:x", "No such file or directory"),
                         ("dir:q", "No such file or directory"), ("fifo:q", "No such file or directory"),
                         ("nodir/two.npz:q", "No such file or directory"), ("[0]", "No such file or directory"),
                         ("=[0]", "No such file or directory"), ("sock:x", "No such file or directory"),
                         (long + ":y", "File name too long"),
                         (long + "[0]", "File name too long")):
        shown = name if not name.startswith("x") or "[" not in name else long
        for subcommand in ("check", "cat"):
            if "[0]" in name and subcommand == "check":
                continue
            expect("%s %s" % (subcommand, name[:20]), error(subcommand, name),
                   (2, "safenpy: %s: %s\n" % (shown.replace("=[0]", "="), reason)))
    for raw in (b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf8", b"\xe6\x95"):
        expect("no UTF-8: %r" % raw, error("check", raw + b".npy"),
               (2, "safenpy: %s.npy: No such file or directory\n" % "".join("\\x%02x" % byte for byte in raw)))
    with open("a.npy", "rb") as stream:
        stream.seek(0, os.SEEK_END)
        done = subprocess.run([base.binary, "check", "-"], stdin=stream, capture_output=True, check=False)
    expect_true("standard input at its end", done.returncode == 1 and b" at byte 0 [NPY-FRAME-00" in done.stdout)
    expect_run("standard input with an index", ["cat", "--", "-[1]"], 0, "1\n", stdin=content("a.npy"))


def test_fields():
    short("nest.npy", 7, descr="[('i', [('k', '<i2')]), ('e', []), ('', '|V0')]", shape=(1,))
    expect_run("an empty record", ["cat", "nest.npy['e']"], 0, "()\n")
    for argument, byte in (("nest.npy['e']['a']", 14), ("nest.npy['']", 9), ("nest.npy['']", 9)):
        expect("no field: " + argument, error("cat", argument),
               (2, "safenpy: %s: byte %d: there is no such field%s" % (argument, byte, HINT)))
    write("none.npy", numpy_header("[]", shape=(1,)))
    write("title.npy", numpy_header("[(('t', ''), '<i2'), ('b', '<i2')]", shape=(1,)) + struct.pack("<2h", 5, 6))
    for name in ("''", "'t'"):
        expect_run("an empty name with a title", ["cat", "title.npy[%s]" % name], 0, "5\n")
    expect_run("a column without a name", ["cat", "--output", "csv", "title.npy"], 0, '"","b"\n5,6\n')
    write("far.npy", numpy_header("[('a', '<i2'), ('b', '<i2', (%s))]" % ", ".join("1" * 30), shape=(0,)))
    lines = run("info", "far.npy").out.decode().splitlines()[-3:]
    expect("a cell too wide to align to", lines, ["  offset  itemsize  descr  shape  name", "       0         2  <i2    ()     'a'",
                                                  "       2         2  <i2    (%s)  'b'" % ", ".join("1" * 30)])
    expect("no field at all", error("cat", "none.npy['a']"),
           (2, "safenpy: none.npy['a']: byte 9: there is no such field" + HINT))
    write("wide.npy", numpy_header("[('p', '|u1', (12,)), ('q', '|u1', (0,))]", shape=(1,)) + bytes(12))
    expect_run("columns of two digits", ["cat", "--output", "csv", "wide.npy"], 0,
               ",".join('"p[%d]"' % k for k in range(12)) + "\n" + ",".join("0" * 12) + "\n")
    for shape in ((2000, 2000, 0), (2000, 2000, 5, 0)):
        write("lists.npy", numpy_header("'|u1'", shape=shape))
        expect("lists of lists: %r" % (shape,), error("cat", "--output", "json", "lists.npy"),
               (1, "safenpy: lists.npy: more than 1000000 elements or empty lists without bytes; take a part of them, or "
                "raise --max-elements\n"))


# ---------------------------------------------------------------- values

def long_double(exponent, significand, big=False):
    """16 bytes of a long double of x86."""
    held = struct.pack("<QH6x", significand, exponent)
    return held[::-1] if big else held


ONE, THIRD, TEN = (0x3fff, 1 << 63), (0x3ffd, 0xaaaaaaaaaaaaaaab), (0x4002, 0xa << 60)
ZERO, NONE = (0, 0), (0x3fff, 1 << 62)  # the last lacks its leading bit: no number


def test_long_doubles():
    if os.uname().machine not in ("x86_64", "i386", "i686"):
        return  # others show their bytes
    for order in "<>":
        big = order == ">"
        write("f.npy", numpy_header("'%sf16'" % order, shape=(4,))
              + b"".join(long_double(*number, big) for number in (ONE, THIRD, ZERO, TEN)))
        expect_run("numbers " + order, ["cat", "f.npy"], 0, "1.0 0.33333333333333333334 0.0 10.0\n")
    write("least.npy", numpy_header("'<f16'", shape=(3,)) + b"".join(long_double(0, k) for k in (1, 2, 3)))
    expect_run("the least numbers", ["cat", "least.npy"], 0, "4e-4951 7e-4951 1e-4950\n")
    for real, imaginary, text in ((ONE, THIRD, "(1+0.33333333333333333334j)"), (ONE, ZERO, "(1+0j)"), (ZERO, TEN, "(0+10j)"),
                                  (ONE, NONE, None), (NONE, ONE, None)):
        held = long_double(*real) + long_double(*imaginary)
        write("c.npy", numpy_header("'<c32'", shape=(1,)) + held)
        expect_run("complex: %r" % text, ["cat", "c.npy"], 0, (text or "0x" + held.hex()) + "\n")


def test_years():
    last = 2 ** 63 - 1
    write("y.npy", numpy_header("'<M8[Y]'", shape=(3,)) + struct.pack("<3q", last, last - 1970, last - 1969))
    expect_run("the last years", ["cat", "y.npy"], 0, "1970-01-01+%dY %d 1970-01-01+%dY\n" % (last, last, last - 1969))


# ---------------------------------------------------------------- outputs

def test_outputs_that_fail():
    """Output that fails long before its end: the run stops, and says why."""
    write("big.npy", numpy_header("'<i4'", shape=(40000,)) + bytes(160000))
    write("wide.npy", numpy_header("'|S400000'", shape=(2,)) + b"a" * 800000)
    write("rec.npy", numpy_header("[('a', '|S60000'), ('b', '|S60000'), ('c', '|S60000')]", shape=(3,)) + b"b" * 540000)
    write("lists.npy", numpy_header("'|u1'", shape=(100000, 0)))
    write("objects.npy", numpy_header("'|O'", shape=(1,)) + b"x" * 200000)
    write("fields.npy", loose("{'descr': [%s], 'fortran_order': False, 'shape': (0,)}"
                              % "".join("('f%04d', '<f8'), " % k for k in range(3000))))
    zipped("many.npz", *(("a key that is long enough %04d.npy" % k, GOOD) for k in range(1500)))
    with open("/dev/full", "wb") as full:
        for arguments in (["cat", "big.npy"], ["cat", "big.npy", "big.npy"], ["cat", "--output", "json", "big.npy"],
                          ["cat", "--output", "csv", "rec.npy"], ["cat", "--output", "raw", "wide.npy"],
                          ["cat", "rec.npy"], ["cat", "--output", "json", "rec.npy"], ["cat", "wide.npy"],
                          ["cat", "--output", "json", "lists.npy"],
                          ["cat", "--output", "csv", "fields.npy"], ["check", "many.npz"], ["info", "many.npz"],
                          ["check", "--json", "many.npz"], ["info", "--json", "many.npz"],
                          ["info", "fields.npy", "fields.npy"], ["check", *["good.npy"] * 3000], ["explain", "--list"]):
            done = subprocess.run([base.binary, *arguments], stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, check=False)
            expect("full disk: %r" % arguments[:3], (done.returncode, done.stderr),
                   (2, b"safenpy: standard output: No space left on device\n"))


    expect("full disk: objects", error("convert", "objects.npy", "/dev/full"),
           (2, "safenpy: /dev/full: write failed: No space left on device\n"))


def on_screen(*arguments):
    """Exit status of a run whose standard output is a terminal, and what that shows."""
    keyboard, screen = pty.openpty()
    done = subprocess.run([base.binary, *arguments], stdin=subprocess.DEVNULL, stdout=screen, stderr=subprocess.PIPE,
                          check=False)
    os.close(screen)
    shown = b""
    try:
        while piece := os.read(keyboard, 4096):
            shown += piece
    except OSError:  # the end, as Linux says it
        pass
    os.close(keyboard)
    return done.returncode, shown.decode().replace("\r\n", "\n"), done.stderr.decode()


def test_on_a_screen():
    short("a.npy", 0, 1)
    expect("check", on_screen("check", "a.npy", "good.npy"), (0, "a.npy: accept, npy 1.0\ngood.npy: accept, npy 1.0\n", ""))
    expect("cat", on_screen("cat", "a.npy", "a.npy[1]"), (0, "0 1\n1\n", ""))
    expect("raw bytes", on_screen("cat", "--output", "raw", "a.npy"),
           (2, "", "safenpy: cat: raw bytes are not written to a terminal" + HINT))
    raw = "safenpy: -: raw bytes are not written to a terminal\n"
    for arguments in (["pack", "-", "a.npy"], ["convert", "a.npy", "-"], ["unwrap", "a.npy", "-"]):
        expect("%r" % arguments, on_screen(*arguments), (2, "", raw))


def test_outputs():
    short("a.npy", 0, 1, 2, 3)
    write("more.npy", content("a.npy") + b"x")
    expect("one byte left out", error("convert", "more.npy", "out.npy"),
           (0, "safenpy: more.npy: 1 trailing byte is dropped\n"))
    expect("no directory", error("convert", "a.npy", "nodir/x.npy"),
           (2, "safenpy: nodir/x.npy: open failed: No such file or directory\n"))
    os.symlink("nowhere", "dangling")
    expect("a link to nothing", error("convert", "a.npy", "dangling"),
           (2, "safenpy: dangling: the symbolic link is dangling; remove it or create its target\n"))
    expect("still a link", os.readlink("dangling"), "nowhere")
    for name in ("/dev/fd/", "/dev/fd/1x", "/dev/fd/1234567"):
        expect_true("no descriptor: " + name, error("convert", "a.npy", name)[0] == 2)
    result = run("convert", "a.npy", "/dev/stderr")
    expect("/dev/stderr", (result.code, result.out, result.err), (0, b"", content("a.npy")))
    expect("native", error("convert", "--byteorder", "native", "a.npy", "native.npy"), (0, ""))
    expect("native bytes", content("native.npy"), content("a.npy"))
    side = 3000
    rows = b"".join(struct.pack("<%dh" % side, *((row * 7 + k) % 30011 for k in range(side))) for row in range(side))
    write("c.npy", numpy_header("'<i2'", shape=(1, side, side)) + rows)
    expect("a first axis of one step, in boxes", error("convert", "--order", "F", "c.npy", "f.npy"), (0, ""))
    expect_run("an element", ["cat", "f.npy[0, 2999, 1234]"], 0, "%d\n" % ((2999 * 7 + 1234) % 30011))
    expect("and back", error("convert", "--order", "C", "f.npy", "back.npy"), (0, ""))
    expect_true("the same", content("back.npy") == content("c.npy"))
    numbers = struct.pack("<400000h", *(k % 30000 for k in range(400000)))
    write("wide.npy", numpy_header("[('a', '<i2', (200000,))]", shape=(2,)) + numbers)
    expect("elements larger than a block", error("convert", "--byteorder", "big", "wide.npy", "wide.npy"), (0, ""))
    swapped = bytearray(len(numbers))
    swapped[0::2], swapped[1::2] = numbers[1::2], numbers[0::2]
    expect_true("their bytes", content("wide.npy") == numpy_header("[('a', '>i2', (200000,))]", shape=(2,)) + swapped)
    expect("one byte for an axis", error("wrap", "--dtype", "<i2", "--shape", "-1", write("one", b"1"), "x"),
           (1, "safenpy: one: the file holds 1 byte, but each step along the axis of -1 needs 2\n"))
    expect("one byte for a shape", error("wrap", "--dtype", "<i2", "--shape", "3", "-", "x", stdin=b"1"),
           (1, "safenpy: -: the file holds 1 byte, but type and shape need 6\n"))
    expect_true("nothing was made", not os.path.exists("x"))


def test_closed_streams():
    """No file takes the place of a standard stream that is closed, and gets what is said."""
    short("to.npy", 1, 2)
    short("more.npy", 3)
    good = open("to.npy", "rb").read()
    write("more.npy", open("more.npy", "rb").read() + b"xx")
    def closed(numbers, *arguments):
        words = subprocess.list2cmdline([base.binary, *arguments]) + "".join(f" {n}>&-" for n in numbers)
        return subprocess.run(["sh", "-c", words.replace("0>&-", "<&-")], check=False, stdout=subprocess.DEVNULL).returncode
    for numbers in ([2], [1, 2], [0, 2], [0, 1, 2]):
        write("to.npy", good)
        expect(f"append without {numbers}, refused", closed(numbers, "append", "to.npy", "nofile"), 2)
        expect(f"append without {numbers}, unchanged", open("to.npy", "rb").read(), good)
        expect(f"append without {numbers}", closed(numbers, "append", "to.npy", "more.npy"), 0)
        expect(f"append without {numbers}, elements", run("cat", "to.npy").out, b"1 2 3\n")
        expect(f"pack without {numbers}", closed(numbers, "pack", "closed.npz", "more.npy"), 0)
        expect(f"pack without {numbers}, archive", run("check", "-q", "closed.npz").code, 0)
    expect("nothing to write to", closed([1], "cat", "to.npy"), 2)


def test_append():
    write("f.npy", numpy_header("'<i2'", True, (2, 3)) + bytes(12))
    write("c.npy", numpy_header("'<i2'", False, (2, 3)) + bytes(12))
    write("row.npy", numpy_header("'<i2'", False, (1, 3)) + bytes(6))
    write("o.npy", numpy_header("'|O'", shape=(1,)) + b"\x80\4.")
    before = {name: content(name) for name in ("c.npy", "f.npy", "row.npy")}
    expect("Fortran behind C", error("append", "c.npy", "f.npy"),
           (1, "safenpy: f.npy: it is in Fortran order, the array in C order [HOST-MATCH]\n"))
    expect("C behind Fortran", error("append", "f.npy", "c.npy"),
           (1, "safenpy: c.npy: it is in C order, the array in Fortran order [HOST-MATCH]\n"))
    expect("objects", error("append", "c.npy", "o.npy"), (1, said("SNPY_OBJECT_DATA", "o.npy").replace(" at byte 0", "")))
    expect("the second of two", error("append", "c.npy", "row.npy", "f.npy")[0], 1)
    write("wide.npy", numpy_header("[%s]" % ", ".join("('f%02d', '<i2')" % k for k in range(20)), False, (1, 3)) + bytes(120))
    code, said_of_it = error("append", "c.npy", "wide.npy")
    expect("a longer type", (code, said_of_it[:49], said_of_it[-52:]),
           (1, "safenpy: wide.npy: its type is [('f00', '<i2'), (", "('f19', '<i2')], that of the array '<i2' [HOST-MATCH]\n"[-52:]))
    expect("all is as it was", {name: content(name) for name in before}, before)
    write("line.npy", numpy_header("'<i2'", True, (1, 3)) + bytes(6))  # one row: it is in both orders
    expect("a row in either order", error("append", "c.npy", "line.npy"), (0, ""))
    write("longer.npy", numpy_header("'<i4'", True, (1, 3)) + bytes(12))
    expect("in either order, of another type", error("append", "c.npy", "longer.npy"),
           (1, "safenpy: longer.npy: its type is '<i4', that of the array '<i2' [HOST-MATCH]\n"))
    expect("three rows", content("c.npy"), numpy_header("'<i2'", False, (3, 3)) + bytes(18))


# ---------------------------------------------------------------- diff

def test_diff():
    short("a.npy", 0, 1, 2, 3)
    short("b.npy", 0, 256, 512, 768, descr="'>i2'")
    short("square.npy", 1, 2, 3, 4, shape=(2, 2))
    short("tall.npy", 1, 2, 3, 4, shape=(4, 1))
    short("last.npy", 0, 1, 2, 9)
    expect_run("as many elements", ["diff", "square.npy", "tall.npy"], 1,
               "shape: (2, 2) | (4, 1)\nvalues: not compared: the shapes differ\n")
    expect_run("the last one", ["diff", "a.npy", "last.npy"], 1, "values: 1 of 4 differs; first at [3]: 3 | 9\n")
    expect_run("byte orders", ["diff", "--values", "a.npy", "b.npy"], 0, "")
    expect("shapes, JSON", run_json("shapes", "diff", "--json", "a.npy", "square.npy", code=1)[0]["differences"],
           [{"what": "shape", "a": [4], "b": [2, 2]}])
    write("v2.npy", numpy_header("'<i2'", False, (1,), (2, 0)) + bytes(2))
    write("more.npy", numpy_header("'<i2'", True, (1, 1)) + bytes(2) + b"yy")
    expect("all that can differ, JSON", run_json("all", "diff", "--json", "v2.npy", "more.npy", code=1)[0]["differences"],
           [{"what": "version", "a": "2.0", "b": "1.0"}, {"what": "fortran_order", "a": False, "b": True},
            {"what": "shape", "a": [1], "b": [1, 1]}, {"what": "trailing_bytes", "a": 0, "b": 2}])
    write("o.npy", numpy_header("'|O'", shape=(4,)) + b"\x80\4.")
    for one, other in (("a.npy", "o.npy"), ("o.npy", "a.npy")):
        expect_true("objects", run("diff", one, other).out.endswith(b"values: not compared: the types differ\n"))
    write("l1.npy", loose("{'descr': '<i2', 'fortran_order': False, 'shape': (1,) }", bytes(2)))
    write("l2.npy", loose("{'descr': '<i2', 'fortran_order':False,  'shape': (1,) }", bytes(2)))
    expect_run("blanks", ["diff", "l1.npy", "l2.npy"], 1, "header: same meaning, other text\nvalues: equal\n")


def test_diff_of_many_boxes():
    """Arrays in Fortran order are read box after box as they lie: the first difference is the first one in C order."""
    width, height = 2000, 2000
    zeros = bytearray(2 * width * height)
    write("f.npy", numpy_header("'<i2'", True, (height, width)) + zeros)
    for row, column in ((height - 1, 0), (0, width - 1)):
        zeros[2 * (column * height + row)] = 7
    write("g.npy", numpy_header("'<i2'", True, (height, width)) + zeros)
    expect_run("the first is in the last box", ["diff", "--values", "f.npy", "g.npy"], 1,
               "values: 2 of 4000000 differ; first at [0, 1999]: 0 | 7\n")


def test_diff_types():
    """Types that differ in one thing only."""
    def compare(one, other):
        write("one.npy", numpy_header(one, shape=(1,)) + bytes(16))
        write("other.npy", numpy_header(other, shape=(1,)) + bytes(16))
        return run("diff", "--values", "one.npy", "other.npy")

    for one, other in (("'<M8[s]'", "'<M8[5s]'"), ("'<M8[s]'", "'<M8[ms]'"), ("'<i8'", "'<i4'"),
                       ("[('a', '<i2'), ('b', '<i2')]", "[('a', '<i2'), ('b', '<i2', (1,))]"),
                       ("[('b', '<i2', (2,))]", "[('b', '<i2', (3,))]"), ("[('a', '<i2'), ('b', '<i2')]", "[('a', '<i2')]"),
                       ("[('a', '<i2')]", "[('a', '<i2'), ('b', '<i2')]"), ("[('a', '<i2')]", "[('aa', '<i2')]"),
                       ("[('a', '<i2')]", "[('b', '<i2')]"), ("[('a', '<i2')]", "[('a', [('b', '<i2')])]"),
                       ("[('a', '<i2', (1,))]", "[('a', '<i2'), ('b', '<i2')]")):
        result = compare(one, other)
        expect("%s is not %s" % (one, other), (result.code, result.out.splitlines()[-1], result.err),
               (1, b"values: not compared: the types differ", b""))
    for one, other in (("[('', '|V2'), ('a', '<i2')]", "[('', '|V3'), ('a', '<i2')]"), ("[]", "[]")):
        expect("%s is %s" % (one, other), (compare(one, other).code, compare(one, other).out), (0, b""))


def test_diff_names():
    """The way to a difference, with names that are no text."""
    head = numpy_header("[('a\\ud800', '<i2'), ('b', '<i2')]", shape=(2,))
    write("one.npy", head + struct.pack("<4h", 0, 0, 0, 0))
    write("other.npy", head + struct.pack("<4h", 0, 0, 1, 0))
    expect_run("text", ["diff", "one.npy", "other.npy"], 1, "values: 1 of 2 differs; first at [1]['a\\ud800']: 0 | 1\n")
    expect("JSON", run_json("names", "diff", "--json", "one.npy", "other.npy", code=1)[0]["first"],
           {"index": [1], "path": [[97, 0xd800]], "a": 0, "b": 1})


def test_diff_of_large_elements():
    """Elements that are read piece by piece, one of them larger than the other."""
    size = 5 << 20
    one = bytearray(size)
    other = bytearray(size)
    other[-1] = 1
    write("one.npy", numpy_header("[('v', '|V%d')]" % size, shape=(1,)) + one)
    write("other.npy", numpy_header("[('v', '|V%d')]" % size, shape=(1,)) + other)
    write("wide.npy", numpy_header("[('', '|V7'), ('v', '|V%d')]" % size, shape=(1,)) + bytes(7) + one)
    result = run("diff", "one.npy", "other.npy")
    expect("the last byte", (result.code, result.out[:46]), (1, b"values: 1 of 1 differs; first at [0]['v']: 0x00"[:46]))
    expect_run("padding", ["diff", "--values", "one.npy", "wide.npy"], 0, "")
    expect_run("padding, the other way", ["diff", "--values", "wide.npy", "one.npy"], 0, "")
    write("small.npy", numpy_header("[('v', '<i2')]", shape=(2,)) + b"\1\0\2\0")
    write("padded.npy", numpy_header("[('', '|V%d'), ('v', '<i2')]" % size, shape=(2,)) + one + b"\1\0" + one + b"\3\0")
    expect_run("only one is large", ["diff", "--values", "small.npy", "padded.npy"], 1,
               "values: 1 of 2 differs; first at [1]['v']: 2 | 3\n")
    expect_run("only the other is", ["diff", "--values", "padded.npy", "small.npy"], 1,
               "values: 1 of 2 differs; first at [1]['v']: 3 | 2\n")


# ---------------------------------------------------------------- places of errors

def test_excerpts():
    """Long lines, wide characters and bytes that are none, around the place of an error."""
    kind = base.explained("NPY-DTYPE-001")
    text = "{'descr': [('%s', '<i2'), ('x%s', '<q2')], 'fortran_order': False, 'shape': (1,), }" % ("\u00e9" * 60, "\u6574" * 60)
    shown = "..." + "\\u{6574}" * 6 + "', '<q2')], 'fortran_order': False, 'shape': (1,), }"
    write("wide.npy", loose(text, bytes(4), (3, 0)))
    expect_run("wide characters", ["check", "wide.npy"], 1,
               "wide.npy: reject: %s at byte 344 [NPY-DTYPE-001]\n    %s\n    %s^\n  hint: %s\n"
               % (kind[0], shown, " " * shown.index("q"), kind[1]), env={**os.environ, "LC_ALL": "C"})
    write("tabs.npy", loose("{'descr': '<q2'," + "\t" * 300 + " 'fortran_order': False, 'shape': (1,), }", bytes(4)))
    shown = "{'descr': '<q2'," + "\\x09" * 21 + "..."
    expect_run("tabs", ["check", "tabs.npy"], 1, "tabs.npy: reject: %s at byte 22 [NPY-DTYPE-001]\n    %s\n    %s^\n"
               "  hint: %s\n" % (kind[0], shown, " " * 12, kind[1]))
    write("blanks.npy", frame(b"{'descr': '<q2'" + b" " * 5000 + b", 'fortran_order': False, 'shape': (1,), }\n"))
    expect_true("blanks", b" ...\n" in run("check", "blanks.npy").out)
    utf8 = base.explained("NPY-FRAME-007")
    write("bytes.npy", frame(b"{'descr': '<f8', 'x\xff\xfe': False}\n", (3, 0)))
    expect_run("no UTF-8", ["check", "bytes.npy"], 1,
               "bytes.npy: reject: %s at byte 31 [NPY-FRAME-007]\n    {'descr': '<f8', 'x\\xff\\xfe': False}\n    %s^\n"
               "  hint: %s\n" % (utf8[0], " " * 19, utf8[1]))
    write("tail.npy", frame(b"\xc3\xa9" * 100 + b"\x80" * 200, (3, 0)))
    expect_true("a character cut in two", b"\n    ...\\u{e9}" in run("check", "tail.npy").out)
    expect_run("no text", ["check", write("empty.npy", frame(b""))], 1,
               refusal("empty.npy", "NPY-LIT-001", 10, ("", "^")))


# ---------------------------------------------------------------- archives

def test_paths_of_members():
    """Names that are good paths, and what becomes of those that are none."""
    cases = [("a/", True, "a"), ("%41.npy", True, "%2541.npy"), ("aux..npy", False, "%61ux..npy"), ("com0.npy", True, None),
             ("comx", True, None), ("com:", False, "com%3A"), ("lpt9.txt", False, "%6Cpt9.txt"), ("conx.npy", True, None),
             ("com12", True, None), ("\x7f.npy", False, "%7F.npy"), ("x\x80", False, "x%C2%80"), ("\u00a1.npy", True, None),
             ("..a", True, None), ("a/..b/c", True, None), ("a//b", False, "a%2F/b"), ("/a", False, "%2Fa"),
             ("a%/b", True, "a%25/b"), ("a/./b", False, "a/%2E/b"), ("..", False, "%2E%2E"), (".", False, "%2E"),
             ("./", False, "%2E"), ("//", False, "%2F"), ("x/", True, None), ("caf\u00e9:", False, "caf\u00e9%3A"),
             ("e\u00a0", True, None), (".a", True, None), (". ", False, ".%20"), ("\u00e9\u00a0/x", True, None), ("com\x7f", False, "com%7F")]
    for number, (name, is_good, mapped) in enumerate(cases):
        zipped("p.npz", (name, b"" if name.endswith("/") else GOOD))
        plain, other = "plain%d" % number, "mapped%d" % number
        result = run("unpack", "p.npz", "-d", plain)
        expect("%r is%s a good path" % (name, "" if is_good else " not"), result.code, 0 if is_good else 1)
        expect("%r: what was made" % name, name.rstrip("/") in below(plain), is_good)
        if not is_good:
            expect_true("%r: the rule" % name, b"[NPZ-PATH-00" in result.out and below(plain) == [])
        expect("%r, mapped" % name, error("unpack", "--map-names", "p.npz", "-d", other), (0, ""))
        wanted = mapped or name.rstrip("/")
        expect("%r: its path" % name, [path for path in below(other) if path.count("/") == wanted.count("/")], [wanted])


def test_places_in_names():
    """A name of code page 437 has one byte for each character; the place of an error is counted so."""
    whole = zipped("p.npz", ("ab:.npy", GOOD)).replace(b"ab:.npy", b"\x82b:.npy")
    write("old.npz", whole)
    at = whole.rindex(b"\x82b:") + 2
    expect_true("its place", run("unpack", "old.npz", "-d", "out").out.decode().startswith(
        "old.npz:\u00e9b:: reject: %s at byte %d [NPZ-PATH-002]" % (base.explained("NPZ-PATH-002")[0], at)))
    expect("nothing was made", below("out"), [])


def test_paths_that_collide():
    for names, refused, made in ((("a/", "a"), "a", ["a"]), (("a", "a/"), "a/", ["a"]), (("a", "A"), "A", ["a"]),
                                 (("a", "a/b"), "a/b", ["a"]), (("a/", "a/b"), None, ["a", "a/b"]),
                                 (("a/", "A/b", "a/B"), "a/B", ["A", "A/b", "a"]), (("a/", "A/"), "A/", ["a"]),
                                 (("ab", "a/b", "a"), "a", ["a", "a/b", "ab"]), (("a", "ab"), None, ["a", "ab"])):
        zipped("p.npz", *((name, b"" if name.endswith("/") else GOOD) for name in names))
        result = run("unpack", "p.npz", "-d", "-".join(names).replace("/", "_"))
        out = result.out.decode()
        expect("%r: exit status" % (names,), result.code, 1 if refused else 0)
        expect("%r: what is refused" % (names,), out.count("[NPZ-PATH-003]"), 1 if refused else 0)
        if refused:
            expect_true("%r: by its name" % (names,), out.startswith("p.npz:%s: reject: " % refused))
        expect("%r: what was made" % (names,), below("-".join(names).replace("/", "_")), made)


def sample():
    return zipped("two.npz", ("x.npy", numpy_header("'<i2'", True, (2, 3)) + bytes(12)), ("r", b"hello"),
                  ("one.npy", GOOD), ("s.npy", numpy_header(shape=()) + bytes(8)))


def spoiled():
    return zipped("bad.npz", ("x.npy", GOOD[:-1]), ("y.npy", b"\x93NUMPY\1\0"), ("z.npy", GOOD))


def test_info_of_members():
    sample()
    lines = run("info", "two.npz").out.decode().splitlines()[4:]
    expect("members", [line.split("  ")[-1] for line in lines],
           ["x.npy: <i2 (2, 3) Fortran", "r: not an NPY file", "one.npy: <f8 (3,)", "s.npy: <f8 ()"])
    wanted = run_json("the file", "info", "--json", write("x.npy", numpy_header("'<i2'", True, (2, 3)) + bytes(12)))[0]
    expect("one member, JSON", run_json("one", "info", "--json", "two.npz:x"), [{**wanted, "file": "two.npz:x"}])
    text = run("info", "x.npy").out
    expect_run("one member", ["info", "two.npz:x"], 0, text.replace(b"  x.npy", b"  two.npz:x"))
    message, hint = base.explained("SNPY_NOT_AN_ARRAY")
    expect_run("no array", ["info", "two.npz:r"], 1,
               "two.npz:r: reject: %s at byte 0 [API-ARRAY]\n  hint: %s\n" % (message, hint))
    answer = run_json("no array, JSON", "info", "--json", "two.npz:r", code=1)[0]
    expect("no array, its status", (answer["verdict"], answer["status"]), ("reject", "SNPY_NOT_AN_ARRAY"))
    spoiled()
    result = run("info", "--json", "bad.npz")
    expect("bad members, exit status", result.code, 1)
    for row, offset, status in zip(json.loads(result.out)["members"], (151, 8), ("SNPY_TRUNCATED_DATA", "SNPY_TRUNCATED_PREFIX")):
        expect("a bad member, JSON", (row["verdict"], row["status"], row["offset"]), ("reject", status, offset))

    def once(pairs):
        keys = [key for key, _ in pairs]
        expect("each key stands once", sorted(set(keys)), sorted(keys))
        return dict(pairs)
    json.loads(result.out, object_pairs_hook=once)
    expect_true("bad members", b"x.npy: reject: " in run("info", "bad.npz").out)
    expect_run("a bad member", ["info", "bad.npz:y"], 1, run("check", "bad.npz:y").out)


def test_quiet_and_strict():
    sample()
    spoiled()
    expect_run("quiet and good", ["check", "-q", "two.npz"], 0, "")
    told = run("check", "-q", "bad.npz")
    expect("quiet and bad", (told.code, told.out.count(b"bad.npz:z"), told.out.count(b": reject: ")), (1, 0, 3))
    rows = run_json("quiet, JSON", "check", "-q", "--json", "bad.npz", code=1)[0]["members"]
    expect("quiet, JSON: who is told of", [row["key"] for row in rows], ["x", "y"])
    result = run("check", "--strict", "bad.npz")
    expect("strict", (result.code, result.out.split(b": ")[:2]), (1, [b"bad.npz:x.npy", b"reject"]))
    answer = run_json("strict, JSON", "check", "--strict", "--json", "bad.npz", code=1)[0]
    expect("strict, JSON: the file", (answer["file"], answer["status"]), ("bad.npz", "SNPY_TRUNCATED_DATA"))
    whole = zipped("end.npz", ("x.npy", GOOD))
    write("end.npz", whole[:-1])
    expect_run("strict, no end", ["check", "--strict", "end.npz"], 1, run("check", "end.npz").out)


def test_which_member():
    sample()
    expect("a member must be named", error("cat", "two.npz"),
           (2, "safenpy: two.npz: an archive: one member is to be named, as in two.npz:x; there are also r, one, s\n"))
    zipped("empty.npz")
    expect("there is none", error("cat", "empty.npz"), (2, "safenpy: empty.npz: an archive without members\n"))
    expect_run("none to check", ["check", "empty.npz"], 0, "empty.npz: accept, npz, 0 members\n")
    expect("none to unpack", (error("unpack", "empty.npz", "-d", "made"), below("made")), ((0, ""), []))
    zipped("many.npz", *(("k%02d.npy" % k, GOOD) for k in range(25)))
    keys = ", ".join("k%02d" % k for k in range(1, 20))
    expect("there are many", error("cat", "many.npz"),
           (2, "safenpy: many.npz: an archive: one member is to be named, as in many.npz:k00; there are also %s and 5 more\n"
            % keys))
    missing = "the archive has no member of this name or key\n"
    expect("no such key", error("check", "two.npz:q"), (2, "safenpy: two.npz:q: " + missing))
    expect("no such key by option", error("check", "--member", "q", "two.npz"), (2, "safenpy: two.npz: " + missing))
    expect("no archive of that name", error("cat", "--member", "x", "none.npz:x"),
           (2, "safenpy: none.npz:x: No such file or directory\n"))
    expect("no such key to unpack", (error("unpack", "two.npz", "nokey", "-d", "none"), os.path.exists("none")),
           ((2, "safenpy: two.npz: nokey: " + missing), False))
    expect("a key twice", (error("unpack", "two.npz", "x", "x", "-d", "once"), below("once")), ((0, ""), ["x.npy"]))
    expect("a member by key and by name", (error("unpack", "two.npz", "x", "one", "x.npy", "-d", "both"), below("both")),
           ((0, ""), ["one.npy", "x.npy"]))
    zipped("case.npz", ("a", b"1"), ("A", b"2"))
    result = run("unpack", "case.npz", "A", "a", "-d", "case")
    expect_true("the later of two that collide", result.out.startswith(b"case.npz:A: reject: "))
    expect("whatever was asked for first", (result.code, below("case"), content("case/a")), (1, ["a"], b"1"))
    zipped("none.npz")
    expect("a key of an archive without members", error("unpack", "none.npz", "k", "-d", "nowhere"),
           (2, "safenpy: none.npz: k: " + missing))
    zipped("dir.npz", ("k/x.npy", GOOD))
    write("dir.npz:k", b"")  # no directory, so that dir.npz:k/x is no file
    expect_run("a key with a slash", ["check", "dir.npz:k/x"], 0, "dir.npz:k/x: accept, npy 1.0\n")
    expect("a file for a directory", error("unpack", "two.npz", "-d", "good.npy"),
           (2, "safenpy: good.npy: Not a directory\n"))
    expect("not as an archive", run("check", "--npy", "two.npz").code, 1)


def test_archives_through_pipes():
    whole = sample()
    bad = spoiled()
    expect_run("bad members", ["check", "-"], 1, run("check", "bad.npz").out.replace(b"bad.npz", b"-"), stdin=bad)
    expect_run("no end", ["check", "-"], 1,
               "-: reject: %s at byte %d [NPZ-END-002]\n  hint: %s\n"
               % (base.explained("NPZ-END-002")[0], len(whole) - 5, base.explained("NPZ-END-002")[1]), stdin=whole[:-5])
    answer = run_json("no end, JSON", "check", "--json", "-", code=1, stdin=whole[:-5])[0]
    expect("no end, JSON: why", (answer["file"], answer["status"]), ("-", "SNPY_ZIP_NO_END"))
    for more in ([], ["--json"]):
        result = run("check", "--max-total-bytes", "10", *more, "-", stdin=whole)
        expect("too much %r" % more, (result.code, result.err), (
            1, b"safenpy: -: an archive is read from its end, so a pipe is copied first; it has more than the 10 bytes that "
            b"--max-total-bytes allows\n"))
    for more in ([], ["--json"]):
        result = run("check", *more, "-", stdin=whole, env={**os.environ, "TMPDIR": "/nonexistent"})
        expect_true("no room for a copy %r" % more, result.code == 2 and b"No such file" in result.out + result.err)


def test_totals_of_members():
    """A limit on the whole that a copy of the archive keeps, and its members do not: the member is named."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("z.npy", numpy_header("'|u1'", shape=(5000,)) + bytes(5000))
    write("small.npz", held.getvalue())
    message, hint = base.explained("NPZ-LIMIT-003")
    for name, data in (("small.npz", None), ("-", held.getvalue())):
        result = run("convert", "--max-total-bytes", "1000", "--store", name, "out.npz", stdin=data)
        expect("a member too much: " + name, (result.code, message in result.err.decode(), hint in result.err.decode()),
               (1, True, True))
        expect_true("it is not about a copy: " + name, b"copied" not in result.err and not os.path.exists("out.npz"))
    os.mkfifo("fifo.npz")
    with subprocess.Popen(["sh", "-c", "cat small.npz > fifo.npz"]) as feeder:
        told = error("convert", "fifo.npz", "out.npz")
        feeder.wait()
    expect("an archive in a FIFO", told,
           (2, "safenpy: fifo.npz: an archive is read from its end: it needs a file, or a pipe as '-'\n"))


def test_refused_text_of_a_member():
    """Of a member no excerpt is shown: its bytes are not there any more when it is reported."""
    text = numpy_header("'<i4'", shape=(50,)).replace(b"'shape'", b"'shapE'")
    with zipfile.ZipFile("refused.npz", "w") as archive:
        archive.writestr("x.npy", text + bytes(200))
    message, hint = base.explained("NPY-HDR-001")
    expect_run("a member with another key", ["check", "refused.npz"], 1,
               "refused.npz:x: reject: %s at byte %d [NPY-HDR-001]\n  hint: %s\nrefused.npz: reject: 1 of 1 member refused\n"
               % (message, text.index(b"'shapE'"), hint))


def test_archives_that_may_have_a_prefix():
    whole = sample()
    write("pre.npz", b"#!" + whole)
    flag = ["--compat", "zip-prefix"]
    expect_run("with a prefix", ["check", *flag, "pre.npz"], 0, run("check", "two.npz").out.replace(b"two.npz", b"pre.npz"))
    expect_run("an array", ["check", *flag, "good.npy"], 0, "good.npy: accept, npy 1.0\n")
    at = whole.rindex(b"PK\1\2")
    write("bad.npz", b"#!" + whole[:at] + b"PX" + whole[at + 2:])
    answer = run_json("an archive that is refused", "check", *flag, "--json", "bad.npz", code=1)[0]
    expect("its fault", (answer["status"], answer["offset"]), ("SNPY_ZIP_BAD_CENTRAL", at + 2))
    write("junk", b"junk" * 20)
    expect_run("neither", ["check", *flag, "junk"], 1, run("check", "junk").out)
    expect_run("neither, through a pipe", ["check", *flag, "-"], 1, run("check", "-", stdin=b"junk" * 20).out,
               stdin=b"junk" * 20)
    os.mkfifo("fifo")
    with subprocess.Popen(["sh", "-c", "cat junk > fifo"]) as feeder:
        result = run("check", *flag, "fifo")
        feeder.wait()
    expect("neither, through a FIFO", (result.code, b"[NPY-FRAME-001]" in result.out), (1, True))


def test_archives_written():
    sample()
    expect("no room", error("convert", "--store", "two.npz", "/dev/full"),
           (2, "safenpy: /dev/full: write failed: No space left on device\n"))
    expect("no directory", error("convert", "two.npz", "nodir/x"),
           (2, "safenpy: nodir/x: open failed: No such file or directory\n"))
    message, hint = base.explained("NPY-FRAME-001")
    for name in ("x.npz", "x.npy"):
        expect("neither array nor archive", error("convert", write("junk", b"junk" * 20), name),
               (1, "safenpy: junk: %s at byte 0 [NPY-FRAME-001]\n  hint: %s\n" % (message, hint)))
    expect("no archive", error("convert", "good.npy", "--store", "x.npz"),
           (1, "safenpy: good.npy: %s at byte 0 [NPY-FRAME-001]\n  hint: --store and --deflate are for archives: 'safenpy "
            "pack' makes one\n" % message))
    expect("nothing to pack", error("pack", "x.npz", "nofile.npy"), (2, "safenpy: nofile.npy: No such file or directory\n"))
    expect_true("nothing was made", not os.path.exists("x.npz"))
    expect("the empty key", error("pack", "key.npz", "=good.npy"), (0, ""))
    expect_run("the empty key is one", ["check", "key.npz"], 0, "key.npz:: accept, npy 1.0\nkey.npz: accept, npz, 1 member\n")
    expect_run("the empty key, JSON", ["cat", "--member", "", "--output", "json", "key.npz"], 0, "[0.0, 0.0, 0.0]\n")


if __name__ == "__main__":
    base.main(globals())
