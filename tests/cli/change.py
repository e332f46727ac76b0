#!/usr/bin/env python3
"""Runs the subcommands that write files: convert, wrap, unwrap, append.

usage: python3 tests/cli/change.py build/safenpy

Arrays are made and read with struct here; tests/data compares with NumPy. Signals, kills, full disks, pipes and
terminals are real ones."""

import array
import glob
import itertools
import os
import pty
import random
import re
import resource
import select
import signal
import stat
import struct
import subprocess
import threading
import time

import run as base
from run import MIB, SANITIZED, expect, expect_run, expect_true, loose, numpy_header, run, text_of, write

CORPUS = os.path.join(base.HERE, "..", "..", "corpus")
HINT = "\nTry 'safenpy --help'.\n"


def said(rule_or_status, name, byte=None):
    """What is said of a file that is refused."""
    message, hint = base.explained(rule_or_status)
    rule = run("explain", rule_or_status).out.decode().split("  ")[0]
    place = "" if byte is None else " at byte %d" % byte
    return "safenpy: %s: %s%s [%s]\n  hint: %s\n" % (name, message, place, rule, hint)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def temporaries():
    return [name for name in os.listdir(".") if name.endswith(".tmp")]


def cube(order, shape=(2, 3, 4), byteorder="<"):
    """The numbers 0, 1, … in C order of their indices, in memory order C or F."""
    numbers = dict(zip(itertools.product(*map(range, shape)), itertools.count()))
    places = sorted(numbers, key=lambda index: index if order == "C" else index[::-1])
    return struct.pack("%s%dd" % (byteorder, len(places)), *(numbers[place] for place in places))


def cube_file(order, shape=(2, 3, 4), byteorder="<", version=None):
    flag = order == "F" and sum(length != 1 for length in shape) > 1 and 0 not in shape
    return numpy_header("'%sf8'" % byteorder, flag, shape, version) + cube(order, shape, byteorder)


# ---------------------------------------------------------------- usage

def test_usage():
    wrong = [
        (["convert"], "convert: expected IN OUT"),
        (["convert", "good.npy"], "convert: expected IN OUT"),
        (["convert", "a", "b", "c"], "convert: expected IN OUT"),
        (["convert", "--order", "K", "a", "b"], "--order: 'K' is not an order: use C or F"),
        (["convert", "--byteorder", "<\x1b", "a", "b"],
         "--byteorder: '<\\x1b' is not a byte order: use little, big or native"),
        (["convert", "--dtype-version", "1.1", "a", "b"],
         "--dtype-version: '1.1' is not a version: use 1.0, 2.0 or 3.0"),
        (["convert", "--format-version", "1.1", "a", "b"],
         "--format-version: '1.1' is not a version: use 1.0, 2.0 or 3.0"),
        (["convert", "--canonical", "--format-version", "3.0", "a", "b"],
         "--canonical and --format-version contradict each other"),
        (["convert", "--shape", "3", "a", "b"], "unknown option '--shape'"),
        (["convert", "-x", "a", "b"], "unknown option '-x'" + base.DASH),
        (["wrap", "a", "b"], "wrap: --dtype and --shape are required"),
        (["wrap", "--dtype", "<f8", "--shape", "3", "a"], "wrap: expected RAW OUT"),
        (["unwrap", "a"], "unwrap: expected IN RAW"),
        (["append", "a"], "append: expected FILE MORE..."),
        (["append", "--drop-trailing=1", "a", "b"], "option '--drop-trailing=1' takes no argument"),
    ]
    for shape in ("", "3,,4", ",", "x", "3.0", "-2", "-1,-1", "(3", "3)", "((3))", "0x3", "+3", "1 2", "(3,)x", "\n",
                  "99999999999999999999999", ",".join(["1"] * 65)):
        shown = shape.replace("\n", "\\x0a")
        wrong.append((["wrap", "--dtype", "<f8", "--shape", shape, "good.npy", "out"],
                      "--shape: '%s' is not a shape: up to 64 lengths as in 3,4 or (3, 4), one of them perhaps -1" % shown))
    for arguments, message in wrong:
        expect_run("wrong usage %r" % arguments, arguments, 2, "", "safenpy: " + message + HINT)
    expect("nothing was made", sorted(os.listdir(".")), ["good.npy"])


# ---------------------------------------------------------------- convert

def test_orders():
    for shape in ((), (1,), (5,), (3, 4), (2, 3, 4), (4, 1, 3), (1, 7, 1), (0, 3), (3, 0), (2, 2, 2, 2, 2), (1000, 3), (3, 1000)):
        for start, byteorder, goal, target in itertools.product("CF", "<>", "CF", ("little", "big")):
            write("in", cube_file(start, shape, byteorder))
            wanted = cube_file(goal, shape, "<" if target == "little" else ">")
            what = "%s%s of %r to %s, %s" % (byteorder, start, shape, goal, target)
            arguments = ["convert", "--order", goal, "--byteorder", target]
            if (byteorder, target) == ("<", "big") or shape == (2, 3, 4):
                expect_run(what + " to a pipe", [*arguments, "in", "-"], 0, wanted)
            if (byteorder, target) == (">", "little") or shape == (2, 3, 4):
                expect_run(what + " from a pipe", [*arguments, "-", "out"], 0, "", stdin=content("in"))
                expect(what + " from a pipe", content("out"), wanted)
                os.remove("out")
            else:
                expect_run(what, [*arguments, "in", "out"], 0, "")
                expect(what, content("out"), wanted)
    expect("no file is left", temporaries(), [])


def test_boxes():
    """Arrays of several boxes, and boxes at the edges, in both directions."""
    for shape in ((1500, 1201), (7, 300, 900), (3, 600000), (600000, 3), (2, 1, 1000000)):
        count = 1
        for length in shape:
            count *= length
        numbers = array.array("d", range(count))
        write("in", numpy_header("'<f8'", False, shape) + numbers.tobytes())
        expect_run("%r to F" % (shape,), ["convert", "--order", "F", "in", "f"], 0, "")
        expect_run("%r back to C" % (shape,), ["convert", "--order", "C", "--byteorder", "big", "f", "c"], 0, "")
        expect_run("%r back again" % (shape,), ["convert", "--byteorder", "little", "c", "c"], 0, "")
        expect("%r is itself" % (shape,), content("c") == content("in"), True)
        data = content("f")[-8 * count:]
        last = [length - 1 for length in shape]
        for index in ([0] * len(shape), last, [length // 2 for length in shape], [length // 3 for length in shape]):
            place, number = 0, 0
            for length, i in zip(reversed(shape), reversed(index)):
                place = place * length + i
            for length, i in zip(shape, index):
                number = number * length + i
            expect("%r at %r" % (shape, index), struct.unpack_from("<d", data, 8 * place)[0], float(number))


def test_large_items():
    """Elements larger than what is held at once: they are converted piece by piece, in both orders."""
    fields = 3000001
    descr = "[('a', '|u1'), ('b', '<u4', (%d,)), ('', '|V5')]" % fields
    item = 1 + 4 * fields + 5
    part = struct.pack("<I", 0x01020304) * fields
    for order, shape in (("C", (2,)), ("F", (2, 2))):
        count = 2 if shape == (2,) else 4
        data = b"".join(bytes([65 + i]) + part + b"xxxxx" for i in range(count))
        write("in", numpy_header(descr, False, shape, (1, 0)) + data)
        code, _ = spend("convert", "--order", order, "--byteorder", "big", "in", "out")
        expect("%r of %d bytes, in 32 MiB" % (shape, item), code, 0)
        made = content("out")[-count * item:]
        swapped = struct.pack(">I", 0x01020304) * fields
        letters = "ABCD" if order == "C" else "ACBD"
        for i in range(count):
            expect("element %d" % i, made[i * item:(i + 1) * item] == letters[i].encode() + swapped + bytes(5), True)


def test_records():
    """Padding is cleared, nested fields and strings are swapped, titles stay."""
    descr = "[(('t', 'a'), '|i1'), ('', '|V3'), ('b', [('x', '<u2'), ('s', '<U2'), ('', '|V1')], (2,)), ('c', '<c8')]"
    inner = struct.pack("<H2I", 0x0102, 0x41, 0x1F600) + b"p"
    other = struct.pack(">H2I", 0x0102, 0x41, 0x1F600) + b"\0"
    write("in", loose(text_of(descr, "False", "(2,)"), (b"z" + b"pad" + inner * 2 + struct.pack("<2f", 1, 2)) * 2))
    expect_run("record", ["convert", "--byteorder", "big", "in", "out"], 0, "")
    expect("record", content("out")[-2 * 34:], (b"z" + bytes(3) + other * 2 + struct.pack(">2f", 1, 2)) * 2)
    expect_true("its type", b"[(('t', 'a'), '|i1'), ('', '|V3'), ('b', [('x', '>u2'), ('s', '>U2'), ('', '|V1')], (2,)), "
                            b"('c', '>c8')]" in content("out"))
    expect_run("padding alone", ["convert", "in", "in"], 0, "")
    expect("padding alone", content("in")[-34:], b"z" + bytes(3) + (inner[:-1] + b"\0") * 2 + struct.pack("<2f", 1, 2))


def test_versions():
    name = "ä"
    write("in", loose(text_of("[('%s', '<f8')]" % name, shape="(1,)"), bytes(8)))
    for version, arguments in (((1, 0), []), ((2, 0), ["--format-version", "2.0"]), ((3, 0), ["--dtype-version", "3.0"]),
                               ((1, 0), ["--canonical"]), ((1, 0), ["--format-version", "1.0"])):
        expect_run("version %r" % (version,), ["convert", *arguments, "in", "out"], 0, "")
        expect("version %r" % (version,), tuple(content("out")[6:8]), version)
        expect_run("its name %r" % (version,), ["info", "--json", "out"], 0, run("info", "--json", "out").out)
        expect_true("its name %r" % (version,), b'"\\u00e4"' in run("info", "--json", "out").out)
    write("in", loose(text_of("[('整', '<f8')]", shape="(1,)"), bytes(8), (3, 0)))
    expect_run("no version for it", ["convert", "--format-version", "1.0", "in", "out2"], 1, "",
               said("SNPY_WRITE_VERSION", "in"))
    expect("no file for it", os.path.exists("out2"), False)
    # A header of the greatest length of version 1.0 that becomes longer takes the next version.
    names = "".join("('f%05d', 'i4'), " % i for i in range(3600))
    write("in", loose(text_of("[%s]" % names, shape="(1,)"), bytes(4 * 3600)))
    result = run("convert", "--compat", "native-order", "in", "out")
    expect("a longer header", (result.code, content("out")[6:8]), (0, b"\2\0"))
    expect("a longer header", run("check", "-q", "--profile", "canonical", "--max-header", "70000", "out").code, 0)
    result = run("convert", "--compat", "native-order", "--format-version", "1.0", "in", "new")
    expect("no longer header", (result.code, b"[NPY-WRITE-007]" in result.err, os.path.exists("new")), (1, True, False))


def test_canonical_corpus():
    """Whatever is accepted can be made canonical, and what is canonical stays as it is."""
    files = sorted(glob.glob(os.path.join(CORPUS, "accept", "**", "*.npy"), recursive=True))
    expect_true("there is a corpus", len(files) > 1500)
    accepted = {line.split(": accept")[0] for line in
                run("check", "--profile", "canonical", "--max-header", "4294967295", *files).out.decode().split("\n")
                if ": accept" in line}
    chosen = files[::40] if SANITIZED else files[::4]
    for number, name in enumerate(chosen):
        result = run("convert", "--canonical", "--max-header", "4294967295", name, "%d.npy" % number)
        expect("canonical %s" % name, result.code, 0)
        note = rb"safenpy: .*: \d+ trailing bytes? (is|are) dropped\n"
        expect_true("canonical %s: %r" % (name, result.err), result.err == b"" or re.fullmatch(note, result.err))
        if name in accepted and result.err == b"" and b"|V" not in content(name)[:4000]:
            expect("%s stays" % name, content("%d.npy" % number) == content(name), True)
    made = ["%d.npy" % number for number in range(len(chosen))]
    judged = run("check", "-q", "--profile", "canonical", "--no-trailing", "--max-header", "4294967295", *made)
    expect("all are canonical", (judged.code, judged.out), (0, b""))


def test_mending():
    text = "{'descr': 'f8', 'fortran_order': 1, 'shape': [np.int64(2), 3]}"
    data = struct.pack("<6d", *range(6))
    write("bad", loose(text, data))
    expect("not without flags", (run("convert", "bad", "out").code, os.path.exists("out")), (1, False))
    lines = [("int-fortran-order", text.index("1,") + 10, "SNPY_BAD_FORTRAN_ORDER"),
             ("numpy-int", text.index("np.") + 10, "SNPY_BAD_DIMENSION"),
             ("list-shape", text.index("[") + 10, "SNPY_EXPECTED_SHAPE"),
             ("native-order", text.index("f8") + 10, "SNPY_NO_BYTE_ORDER")]
    notes = "".join("safenpy: bad: fixed %s at byte %d: %s\n" % (flag, byte, base.explained(status)[0])
                    for flag, byte, status in lines)
    for flags in ("all", "int-fortran-order,numpy-int,list-shape,native-order,metadata"):
        expect_run("fixed with " + flags, ["convert", "--canonical", "--compat", flags, "bad", "out"], 0, "", notes)
        expect("fixed with " + flags, content("out"), numpy_header("'<f8'", True, (2, 3)) + data)
        expect("accepted", run("check", "--profile", "canonical", "out").code, 0)
    expect_run("in place", ["convert", "--compat", "all", "--order", "C", "bad", "bad"], 0, "", notes)
    expect("in place", content("bad"), numpy_header("'<f8'", False, (2, 3)) + struct.pack("<6d", 0, 2, 4, 1, 3, 5))
    expect_run("nothing to fix", ["convert", "--compat", "all", "bad", "bad"], 0, "")
    write("float", loose(text_of("'<f16'", shape="(1,)").replace("f16", "f12"), bytes(range(12))))
    result = run("convert", "--compat", "all", "--byteorder", "big", "float", "-")
    expect("a platform's float", (result.code, result.out[-12:]), (0, bytes(range(11, -1, -1))))
    expect_true("which stays", result.err.startswith(b"safenpy: float: left as it is, platform-float at byte 2"))
    result = run("convert", "--compat", "all", "--canonical", "float", "kept")
    expect("which has no canonical form", (result.code, content("kept")[-12:]), (1, bytes(range(12))))


def test_objects():
    payload = b"\x80\x04N." * 50000
    write("objects", loose(text_of("'|O'", "True", "(2, 3)"), payload))
    wanted = numpy_header("'|O'", True, (2, 3)) + payload
    expect_run("objects", ["convert", "--canonical", "objects", "out"], 0, "")
    expect("objects", content("out") == wanted, True)
    result = run("convert", "-", "-", stdin=content("objects"))
    expect("objects through pipes", (result.code, result.out == wanted, result.err), (0, True, b""))
    for option in (["--order", "C"], ["--order", "F"], ["--byteorder", "big"]):
        expect_run("objects %r" % option, ["convert", *option, "objects", "new"], 1, "", said("SNPY_OBJECT_DATA", "objects"))
    expect_run("no payload", ["convert", "-", "new"], 1, "", said("SNPY_NO_OBJECTS", "-", 128),
               stdin=content("objects")[:128])
    expect_run("unwrap", ["unwrap", "objects", "new"], 1, "", said("SNPY_OBJECT_DATA", "objects"))
    write("old", wanted)
    expect_run("append", ["append", "old", "old"], 1, "", said("SNPY_OBJECT_DATA", "old"))
    expect("nothing new", os.path.exists("new"), False)


# ---------------------------------------------------------------- what is written to

def test_outputs():
    write("in", cube_file("C"))
    wanted = cube_file("F")
    write("old", b"old")
    os.chmod("old", 0o640)
    os.symlink("old", "link")
    os.link("old", "hard")
    expect_run("through a link", ["convert", "--order", "F", "in", "link"], 0, "")
    expect("the link stays", (os.readlink("link"), content("old") == wanted, content("hard")), ("old", True, b"old"))
    expect("the mode stays", stat.S_IMODE(os.stat("old").st_mode), 0o640)
    expect_run("IN equal OUT", ["convert", "--order", "C", "link", "old"], 0, "")
    expect("IN equal OUT", content("old"), content("in"))
    os.symlink("nowhere", "broken")
    expect_run("a broken link", ["convert", "in", "broken"], 2, "", "safenpy: broken: the symbolic link is dangling; remove it or create its target\n")
    os.mkdir("directory")
    expect_run("a directory", ["convert", "in", "directory"], 2, "", "safenpy: directory: open failed: Is a directory\n")
    expect_run("a directory as IN", ["convert", "directory", "new"], 2, "", "safenpy: directory: Is a directory\n")
    expect_run("no file", ["convert", "none\n", "new"], 2, "", "safenpy: none\\x0a: No such file or directory\n")
    expect_run("no name", ["convert", "", "new"], 2, "", "safenpy: '' (an empty name): No such file or directory\n")
    expect_run("no directory", ["unwrap", "in", "no\x1b/x"], 2, "", "safenpy: no\\x1b/x: open failed: No such file or directory\n")
    name = b"bad\xff\n.npy"
    expect_run("a hostile name", ["convert", "in", name], 0, "")
    expect("a hostile name", content(name), content("in"))
    expect_run("a hostile name in a note", ["append", name, name, "good.npy"], 1, "",
               "safenpy: good.npy: its shape is (3,), that of the array (2, 3, 4), which may differ in axis 0 only "
               "[HOST-MATCH]\n")
    expect("all or nothing", content(name), content("in"))
    os.mkfifo("fifo")
    for arguments in (["convert", "--order", "F", "in", "fifo"], ["unwrap", "old", "fifo"]):
        process = subprocess.Popen([base.binary, *arguments])
        got = content("fifo")
        expect("to a FIFO, %r" % arguments, (process.wait(), got), (0, wanted if "convert" in arguments else cube("C")))
        expect("which stays one", stat.S_ISFIFO(os.stat("fifo").st_mode), True)
    expect_run("/dev/null", ["convert", "--order", "F", "in", "/dev/null"], 0, "")
    for script in ('(echo head; "$0" convert in /dev/stdout; echo tail) > log',
                   '(echo head; "$0" convert in /dev/fd/3 3>&1; echo tail) > log',
                   'echo head > log; "$0" convert in /proc/self/fd/4 4>>log; echo tail >> log'):
        subprocess.run(["/bin/sh", "-c", script, os.path.abspath(base.binary)], check=True)
        expect(script, content("log"), b"head\n" + content("in") + b"tail\n")
    if os.geteuid() == 0:
        os.chown("old", 65534, 65533)
        expect_run("of another user", ["convert", "--order", "F", "old", "old"], 0, "")
        about = os.stat("old")
        expect("owner and mode stay", (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)), (65534, 65533, 0o640))
    master, slave = pty.openpty()
    for arguments in (["convert", "in", "-"], ["unwrap", "in", os.ttyname(slave)],
                      ["wrap", "--dtype", "u1", "--shape", "3", "old", "-"]):
        done = subprocess.run([base.binary, *arguments], stdout=slave, stderr=subprocess.PIPE, check=False)
        expect("to a terminal", (done.returncode, done.stderr[-42:]), (2, b": raw bytes are not written to a terminal\n"))
    os.close(slave)
    os.close(master)
    for command in (["convert", "--order", "F", "-", "new"], ["diff", "-", "in"], ["cat", "--slice", "[::-1]", "-"]):
        result = run(*command, stdin=content("in"), env=dict(os.environ, TMPDIR="nowhere"))
        expect("no directory for temporary files, %r" % command, (result.code, result.err),
               (2, b"safenpy: nowhere: open failed: No such file or directory\n"))
    expect("no file is left", temporaries(), [])


def test_failures():
    """A full disk, a pipe that nobody reads, files that are cut off: the old file stays, and nothing else."""
    write("in", cube_file("C", (50, 60, 70)))
    write("raw", cube("C", (50, 60, 70)))
    write("old", b"old")
    for arguments in (["convert", "in"], ["convert", "--order", "F", "in"], ["convert", "--byteorder", "big", "in"],
                      ["unwrap", "in"], ["wrap", "--dtype", "<f8", "--shape", "50,60,-1", "raw"]):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        result = run(*arguments, "old", preexec_fn=limit)
        call = b"pwrite" if "F" in arguments else b"write"
        expect("full disk %r" % arguments, (result.code, result.err, content("old")),
               (2, b"safenpy: old: " + call + b" failed: File too large\n", b"old"))
        if os.path.exists("/dev/full"):
            expect_run("/dev/full %r" % arguments, [*arguments, "/dev/full"], 2, "",
                       "safenpy: /dev/full: write failed: No space left on device\n")
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([base.binary, *arguments, "-"], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        expect("closed pipe %r" % arguments, (done.returncode, done.stderr), (2, b""))
        done = subprocess.run([base.binary, *arguments, "-"], stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
        expect("closed output %r" % arguments, (done.returncode, done.stderr),
               (2, b"safenpy: -: write failed: Bad file descriptor\n"))
    whole = content("in")
    for size in (0, 5, 100, 128, 129, 70000, len(whole) - 1):
        write("cut", whole[:size])
        for arguments in (["convert", "--order", "F"], ["convert"], ["unwrap"]):
            wanted = run("check", "--json", "cut")
            status = base.json_lines("cut", wanted)[0]
            expect_run("cut at %d" % size, [*arguments, "cut", "old"], 1, "", said(status["status"], "cut", status["offset"]))
            expect_run("pipe cut at %d" % size, [*arguments, "-", "old"], 1, "",
                       said(status["status"], "-", status["offset"]), stdin=whole[:size])
    expect("old file", content("old"), b"old")
    if os.getuid() == 0:
        os.chmod(".", 0o755)
    expect("no file is left", temporaries(), [])


def test_trailing_bytes():
    write("in", cube_file("C") + b"rest!")
    for arguments in (["convert", "--order", "F"], ["convert"], ["unwrap"]):
        result = run(*arguments, "in", "out")
        expect("trailing %r" % arguments, (result.code, result.err),
               (0, b"safenpy: in: 5 trailing bytes are dropped\n"))
    expect("unwrapped", content("out"), cube("C"))
    with open("in", "rb") as file:
        file.seek(0)
        done = subprocess.run([base.binary, "convert", "-", "out"], stdin=file, stderr=subprocess.PIPE)
        expect("from a file as standard input", (done.returncode, content("out")), (0, cube_file("C")))
    # Arrays that follow one another in a file, read from where standard input stands.
    write("two", b"front" + cube_file("F") + cube_file("C"))
    with open("two", "rb") as file:
        os.lseek(file.fileno(), 5, os.SEEK_SET)
        done = subprocess.run([base.binary, "convert", "--order", "C", "-", "out"], stdin=file, stderr=subprocess.PIPE)
        expect("from the middle of a file", (done.returncode, content("out")), (0, cube_file("C")))


# ---------------------------------------------------------------- wrap and unwrap

def test_wrap():
    raw = write("raw", cube("C"))
    for shape in ("2,3,4", "(2, 3, 4)", "2,3,4,", " ( 2,3 ,-1 ) ", "-1,3,4", "2,-1,4"):
        expect_run("wrap %s" % shape, ["wrap", "--dtype", "<f8", "--shape", shape, raw, "out"], 0, "")
        expect("wrap %s" % shape, content("out"), cube_file("C"))
        expect_run("wrap %s, pipe" % shape, ["wrap", "--dtype", "'<f8'", "--shape", shape, "-", "-"], 0, cube_file("C"),
                   stdin=cube("C"))
    expect_run("F", ["wrap", "--dtype", "<f8", "--shape", "2,3,4", "--order", "F", raw, "-"], 0,
               numpy_header("'<f8'", True, (2, 3, 4)) + cube("C"))
    expect_run("F of one axis", ["wrap", "--dtype", "<f8", "--shape", "24", "--order", "F", raw, "-"], 0,
               numpy_header("'<f8'", False, (24,)) + cube("C"))
    expect_run("version", ["wrap", "--dtype", "<f8", "--shape", "24", "--format-version", "3.0", raw, "-"], 0,
               numpy_header("'<f8'", False, (24,), (3, 0)) + cube("C"))
    expect_run("0-d", ["wrap", "--dtype", "|V192", "--shape", "()", raw, "-"], 0, numpy_header("'|V192'", False, ()) + cube("C"))
    expect_run("empty", ["wrap", "--dtype", "<f8", "--shape", "0,5", "/dev/null", "-"], 0, numpy_header("'<f8'", False, (0, 5)))
    expect_run("empty, -1", ["wrap", "--dtype", "<f8", "--shape", "-1,5", "/dev/null", "-"], 0,
               numpy_header("'<f8'", False, (0, 5)))
    write("empty", b"")
    expect_run("empty file, -1", ["wrap", "--dtype", "<f8", "--shape", "-1", "empty", "-"], 0, numpy_header("'<f8'", False, (0,)))
    record = "[('ä', '<i4'), ('b', '|S4', (1,))]"
    result = run("wrap", "--dtype", record, "--shape", "-1", raw, "out")
    expect("record", (result.code, result.err), (0, b""))
    expect_true("record", record.encode("latin-1") in content("out") and content("out")[6:8] == b"\1\0")
    expect("record, length", b"'shape': (24,), }" in content("out"), True)
    expect("Chinese", (run("wrap", "--dtype", "[('整', '<i4')]", "--shape", "-1", raw, "out").code, content("out")[6:8]),
           (0, b"\3\0"))


def test_wrap_sizes():
    write("raw", bytes(23))
    for shape, arguments, message in (
            ("3", [], "the file holds 23 bytes, but type and shape need 24"),
            ("2", [], "the file holds 23 bytes, but type and shape need 16"),
            ("4000000000000", [], "the file holds 23 bytes, but type and shape need 32000000000000"),
            ("-1", [], "the file holds 23 bytes, but each step along the axis of -1 needs 8"),
            ("2,-1", [], "the file holds 23 bytes, but each step along the axis of -1 needs 16")):
        expect_run("wrap to %s" % shape, ["wrap", *arguments, "--dtype", "<f8", "--shape", shape, "raw", "out"], 1, "",
                   "safenpy: raw: %s\n" % message)
        message = message if shape != "2" else "the file holds more than 16 bytes, but type and shape need 16"
        expect_run("wrap a pipe to %s" % shape, ["wrap", *arguments, "--dtype", "<f8", "--shape", shape, "-", "out"], 1, "",
                   "safenpy: -: %s\n" % message, stdin=bytes(23))
    expect_run("endless", ["wrap", "--dtype", "|u1", "--shape", "7", "/dev/zero", "out"], 1, "",
               "safenpy: /dev/zero: the file holds more than 7 bytes, but type and shape need 7\n")
    for shape, dtype in (("-1,0", "<f8"), ("-1", "|V0"), ("-1", "[]")):
        expect_run("-1 of nothing", ["wrap", "--dtype", dtype, "--shape", shape, "raw", "out"], 2, "",
                   "safenpy: --shape: '%s' is not a shape that the file's size can complete: a step along the axis of -1 has "
                   "no bytes%s" % (shape, HINT))
    expect("nothing was made", sorted(os.listdir(".")), ["good.npy", "raw"])


def test_wrap_types():
    """Types that the core refuses, at the byte of the argument; nothing slips out of its quotes."""
    cases = [("<f3", "SNPY_BAD_TYPE_SIZE", 2), ("f8", "SNPY_NO_BYTE_ORDER", 0), ("", "SNPY_UNKNOWN_TYPE", 0),
             ("[('a', '<f3')]", "SNPY_BAD_TYPE_SIZE", None), ("('<f8', (2,))", "SNPY_TOP_LEVEL_SUBARRAY", None),
             ("<f8', 'fortran_order': True, 'shape': (3,), }", "SNPY_TRAILING_TEXT", None),
             ("'<f8', 'shape': (9,)", "SNPY_DUPLICATE_KEY", None), ("[('a', '<f8'), ('a', '<f8')]", "SNPY_DUPLICATE_NAME", None),
             ("[('\udcff', '<f8')]", "SNPY_BAD_UTF8", 3), ("[('\n', '<f8')]", "SNPY_CONTROL_IN_STRING", None),
             ("[('a', '<f8')", "SNPY_EXPECTED_FIELD", None)]
    write("raw", bytes(24))
    for dtype, status, byte in cases:
        result = run("wrap", "--dtype", dtype, "--shape", "3", "raw", "out")
        text = result.err.decode("utf-8", "replace")
        rule = run("explain", status).out.decode().split("  ")[0]
        expect("type %r: exit status" % dtype, result.code, 2)
        expect_true("type %r: %s" % (dtype, text), text.startswith("safenpy: --dtype: '") and base.explained(status)[0] in text
                    and "[%s]" % rule in text and text.endswith(HINT))
        place = re.search(r" at byte (\d+) \[", text)
        expect_true("type %r: %s" % (dtype, text), place is not None and int(place.group(1)) <= len(os.fsencode(dtype)))
        if byte is not None and place is not None:
            expect("type %r: byte" % dtype, int(place.group(1)), byte)
        expect_true("type %r: nothing raw" % dtype, all(0x20 <= value or value == 0x0A for value in result.err))
    expect("with a flag", run("wrap", "--compat", "native-order", "--dtype", "f8", "--shape", "3", "raw", "-").out,
           numpy_header("'<f8'", False, (3,)) + bytes(24))
    result = run("wrap", "--dtype", "|O", "--shape", "3", "raw", "out")
    expect("objects", (result.code, base.explained("SNPY_OBJECT_DATA")[0] in result.err.decode()), (2, True))
    result = run("wrap", "--dtype", "<f8", "--shape", "4294967296,4294967296", "raw", "out")
    expect("too large", (result.code, b"--dtype and --shape" in result.err, b"[NPY-SHAPE-004]" in result.err), (2, True, True))
    expect("nothing was made", sorted(os.listdir(".")), ["good.npy", "raw"])


def test_unwrap():
    for order in "CF":
        write("in", cube_file(order))
        expect_run("unwrap %s" % order, ["unwrap", "in", "-"], 0, cube(order))
        expect_run("unwrap a pipe", ["unwrap", "-", "out"], 0, "", stdin=content("in"))
        expect("unwrap a pipe", content("out"), cube(order))
    write("in", numpy_header(shape=(0,)))
    expect_run("unwrap nothing", ["unwrap", "in", "out"], 0, "")
    expect("unwrap nothing", content("out"), b"")


# ---------------------------------------------------------------- append

def test_append():
    row = cube("C", (1, 3))
    write("grow", numpy_header("'<f8'", False, (0, 3)))
    rows = 0
    for count in (1, 8, 1, 90, 0, 900):
        write("more", numpy_header("'<f8'", False, (count, 3)) + row * count)
        expect_run("append %d" % count, ["append", "grow", "more"], 0, "")
        rows += count
        expect("append %d" % count, content("grow") == numpy_header("'<f8'", False, (rows, 3)) + row * rows, True)
    expect_run("several, and a pipe", ["append", "grow", "more", "-", "more"], 0, "",
               stdin=numpy_header("'<f8'", False, (2, 3)) + row * 2)
    rows += 1802
    expect("several, and a pipe", content("grow") == numpy_header("'<f8'", False, (rows, 3)) + row * rows, True)
    for _ in range(2):
        expect_run("itself", ["append", "grow", "grow", "./grow"], 0, "")
        rows *= 3
        expect("itself", content("grow") == numpy_header("'<f8'", False, (rows, 3)) + row * rows, True)
    write("f", cube_file("F", (2, 3, 4)))
    expect_run("last axis", ["append", "f", "f"], 0, "")
    expect("last axis", content("f"), numpy_header("'<f8'", True, (2, 3, 8)) + cube("F", (2, 3, 4)) * 2)


def test_append_differences():
    before = write("grow", cube_file("C", (2, 3)))
    kept = content("grow")
    axis = ", which may differ in axis 0 only"
    cases = [(cube_file("C", (2, 4)), "its shape is (2, 4), that of the array (2, 3)" + axis),
             (cube_file("C", (2,)), "its shape is (2,), that of the array (2, 3)" + axis),
             (cube_file("C", ()), "its shape is (), that of the array (2, 3)" + axis),
             (cube_file("F", (2, 3)), "it is in Fortran order, the array in C order"),
             (cube_file("C", (2, 3), ">"), "its type is '>f8', that of the array '<f8'"),
             (numpy_header("[('\\x1b', '<f8')]", False, (2, 3)) + cube("C", (2, 3)),
              "its type is [('\\x1b', '<f8')], that of the array '<f8'")]
    for more, message in cases:
        write("more", more)
        expect_run(message, ["append", "grow", before, "more"], 1, "", "safenpy: more: %s [HOST-MATCH]\n" % message)
        expect(message, content("grow"), kept)
    write("scalar", cube_file("C", ()))
    expect_run("scalar", ["append", "scalar", "scalar"], 1, "", "safenpy: scalar: an array without axes cannot grow [HOST-MATCH]\n")
    write("more", cube_file("C", (2, 3))[:-1])
    expect_run("cut off", ["append", "grow", "grow", "more"], 1, "", said("SNPY_TRUNCATED_DATA", "more", 128 + 47))
    expect_run("pipe cut off", ["append", "grow", "grow", "-"], 1, "", said("SNPY_TRUNCATED_DATA", "-", 128 + 47),
               stdin=content("more"))
    expect("cut off", content("grow"), kept)
    write("grow", kept + b"12345")
    message, rule = base.explained("SNPY_TRAILING_DATA")[0], "NPY-DATA-002"
    expect_run("trailing bytes", ["append", "grow", "good.npy"], 1, "",
               "safenpy: grow: %s at byte %d [%s]\n  hint: an append that was killed leaves such bytes; "
               "--drop-trailing removes them\n" % (message, len(kept), rule))
    write("more", cube_file("C", (1, 3)))
    expect_run("dropped", ["append", "--drop-trailing", "grow", "more"], 0, "")
    expect("dropped", content("grow"), numpy_header("'<f8'", False, (3, 3)) + kept[128:] + cube("C", (1, 3)))
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }\n"
    write("tight", base.frame(text) + cube("C", (9,)))
    write("more", cube_file("C", (1,)))
    result = run("append", "tight", "more")
    expect("no room", (result.code, b"[HOST-GROWTH]" in result.err, b"'safenpy convert FILE FILE'" in result.err), (1, True, True))
    expect("room", (run("convert", "tight", "tight").code, run("append", "tight", "more").code), (0, 0))
    expect("room", content("tight"), numpy_header("'<f8'", False, (10,)) + cube("C", (9,)) + cube("C", (1,)))
    expect_run("a device cannot grow", ["append", "/dev/null", "more"], 2, "", "safenpy: /dev/null: arrays grow in regular files only\n")
    os.mkfifo("growing-fifo")
    expect_run("a FIFO cannot grow", ["append", "growing-fifo", "more"], 2, "",
               "safenpy: growing-fifo: arrays grow in regular files only\n")
    os.remove("growing-fifo")


# ---------------------------------------------------------------- memory, signals, terminals

def small_machine():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (32 * MIB, 32 * MIB))


def spend(*arguments):
    """Runs the command in an address space of 32 MiB, its code and stack included; exit status, processor seconds."""
    process = subprocess.Popen([base.binary, *arguments], preexec_fn=small_machine)
    _, result, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(result)
    return process.returncode, usage.ru_utime + usage.ru_stime


def test_memory():
    """200 MB of data, in less than 32 MiB."""
    if SANITIZED:
        return
    shape = (5000, 5000)
    for name, fortran in (("c", False), ("f", True)):
        with open(name, "wb") as sparse:
            sparse.write(numpy_header("'<f8'", fortran, shape))
            sparse.truncate(128 + 200000000)
    with open("raw", "wb") as sparse:
        sparse.truncate(200000000)
    write("old", numpy_header("'<f8'", False, (0, 5000)))
    for arguments in (["convert", "--canonical", "c", "out"], ["convert", "--byteorder", "big", "c", "out"],
                      ["convert", "--order", "F", "c", "out"], ["convert", "--order", "C", "f", "/dev/null"],
                      ["unwrap", "c", "out"], ["wrap", "--dtype", "<f8", "--shape", "5000,-1", "raw", "out"],
                      ["append", "old", "c"]):
        code, seconds = spend(*arguments)
        print("%s: %.2f s" % (" ".join(arguments), seconds))
        expect("memory %r" % arguments, code, 0)
        expect_true("time %r: %.1f s" % (arguments, seconds), seconds < 10)
    for name in ("c", "f", "raw", "out", "old"):
        os.remove(name)


def slow_array(size):
    """The header of an array of that many bytes."""
    return numpy_header("'|u1'", False, (size,))


def test_signals():
    """Whatever ends the process, no temporary file is left; and the process ends by that very signal."""
    write("old", b"old")
    write("grow", slow_array(100) + bytes(100))
    grow = content("grow")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for arguments in (["convert", "-", "old"], ["unwrap", "-", "old"], ["append", "grow", "-"],
                          ["wrap", "--dtype", "|u1", "--shape", "1000000", "-", "old"]):
            process = subprocess.Popen([base.binary, *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write((b"" if arguments[0] == "wrap" else slow_array(1000000)) + bytes(500000))
            process.stdin.flush()
            wait_until(lambda: os.path.getsize("grow") > len(grow) if arguments[0] == "append" else temporaries())
            process.send_signal(number)
            process.wait(60)
            what = "%r ended by %d" % (arguments, number)
            expect(what, (process.returncode, process.stderr.read()), (-number, b""))
            expect(what + ": files", (temporaries(), content("old"), content("grow") == grow), ([], b"old", True))
            process.stdin.close()
            process.stderr.close()
    process = subprocess.Popen([base.binary, "convert", "-", "old"], stdin=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.stdin.write(slow_array(1000) + bytes(500))
    process.stdin.flush()
    wait_until(temporaries)
    process.send_signal(signal.SIGHUP)
    process.communicate(bytes(500), timeout=60)
    expect("an ignored signal", (process.returncode, len(content("old"))), (0, 1128))


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    expect_true("it happened in time", condition())


def test_kills():
    """kill -9 at random times: the file is the old array or the new one, and accepted."""
    rng = random.Random(5)
    size = 3000000
    write("in", slow_array(size) + b"\1" * size)
    write("grow", slow_array(0))
    write("fixed", cube_file("C", (700, 600)))
    both = (content("fixed"), cube_file("F", (700, 600)))
    rows = other = 0
    for turn in range(15 if SANITIZED else 40):
        delay = rng.random() * (0.5 if SANITIZED else 0.15)
        goal = "F" if content("fixed") == both[0] else "C"
        for arguments in (["append", "--drop-trailing", "grow", "in"], ["convert", "--order", goal, "fixed", "fixed"]):
            process = subprocess.Popen([base.binary, *arguments], stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
        judged = run("check", "--json", "grow", "fixed")
        expect("turn %d: accepted" % turn, judged.code, 0)
        found = content("grow")
        length = int(re.search(rb"'shape': \((\d+),\)", found).group(1))
        expect_true("turn %d: %d rows after %d" % (turn, length, rows), length in (rows, rows + size))
        expect_true("turn %d: the data" % turn, found[128:128 + length] == b"\1" * length)
        rows = length
        expect_true("turn %d: old or new" % turn, content("fixed") in both)
        other += content("fixed") == both[1]
        for name in temporaries():
            os.remove(name)
    print("%d rows appended, %d of the turns found the array in Fortran order" % (rows, other))


def on_terminal(arguments, feed, columns=80, stdout=None):
    """Runs the command with standard error on a terminal; what the terminal got, and the exit status."""
    master, slave = pty.openpty()
    import fcntl
    import termios
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    reader, writer = os.pipe()
    process = subprocess.Popen([base.binary, *arguments], stdin=reader, stdout=stdout, stderr=slave)
    os.close(slave)
    os.close(reader)
    got = []

    def listen():
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                part = b""
            if not part:
                return
            got.append(part)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        feed(writer, process)
        os.close(writer)
        process.wait(60)
    finally:
        process.kill()
        process.wait()
        listener.join(60)
    os.close(master)
    return b"".join(got), process.returncode


def feed_slowly(head, size, seconds):
    def feed(writer, process):
        os.write(writer, head)
        steps = int(seconds * 10)
        for _ in range(steps):
            os.write(writer, bytes(size // steps))
            time.sleep(seconds / steps)
        os.write(writer, bytes(size - size // steps * steps))
    return feed


def shown(screen):
    """What is on the line of the terminal after all that was written."""
    line, column = [], 0
    for byte in screen.decode("ascii"):
        if byte == "\r":
            column = 0
            continue
        line[column:column + 1] = [byte]
        column += 1
    return "".join(line).rstrip()


def test_progress():
    size = 1000000
    screens = {}
    for columns in (80, 30, 10):
        def work(columns=columns):
            begun = time.monotonic()
            found = on_terminal(["convert", "-", "out%d" % columns], feed_slowly(slow_array(size), size, 3.5), columns)
            screens[columns] = (*found, time.monotonic() - begun)
        screens[columns] = threading.Thread(target=work)
        screens[columns].start()
    quick, code = on_terminal(["convert", "-", "quick"], feed_slowly(slow_array(size), size, 0.5))
    expect("nothing within two seconds", (code, quick), (0, b""))
    for thread in list(screens.values()):
        thread.join() if isinstance(thread, threading.Thread) else None
    for columns, (screen, code, seconds) in screens.items():
        drawn = [part for part in screen.decode("ascii").split("\r") if part.strip()]
        expect("bar of %d columns: exit status" % columns, code, 0)
        most = 5 * (seconds - 2) + 2  # five times a second, after two seconds
        expect_true("bar of %d columns is drawn: %d times in %.1f s" % (columns, len(drawn), seconds), 3 <= len(drawn) <= most)
        expect_true("bar of %d columns fits" % columns, all(len(part) < columns for part in drawn))
        expect("bar of %d columns is gone" % columns, shown(screen), "")
        if columns == 80:
            form = r"\[#* *\]  *\d+%  [\d.]+ [KM]iB of 976.5 KiB  [\d.]+ [KMG]iB/s  0:0\d left"
            expect_true("the bar: %r" % drawn[:1], all(re.fullmatch(form, part) for part in drawn))
    # Standard error that is no terminal gets nothing.
    process = subprocess.Popen([base.binary, "convert", "-", "out"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    feed_slowly(slow_array(size), size, 2.6)(process.stdin.fileno(), process)
    expect("no bar in a pipe", (process.communicate(timeout=60)[1], process.returncode), (b"", 0))

    # Work that only reads has a bar, too: but none beside elements that go to the terminal.
    block = 5 * MIB
    with open("elements", "wb") as out:
        screen, code = on_terminal(["cat", "--output", "raw", "-"], feed_slowly(slow_array(3 * block), 3 * block, 3.5), stdout=out)
    expect("cat", (code, shown(screen), os.path.getsize("elements")), (0, "", 3 * block))
    expect_true("cat with a bar", b"of 15.0 MiB" in screen)
    for name in ("one", "other"):
        write(name, slow_array(1 << 36))
        os.truncate(name, os.path.getsize(name) + (1 << 36))

    def stop(_, process):
        time.sleep(3)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    screen, code = on_terminal(["diff", "one", "other"], stop)
    expect("diff", (code, shown(screen), temporaries()), (-signal.SIGTERM, "", []))
    expect_true("diff with a bar", b"of 64.0 GiB" in screen)

    # Ctrl-C takes the bar away, too.
    def interrupt(writer, process):
        feed_slowly(slow_array(2 * size), size, 2.6)(writer, process)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    screen, code = on_terminal(["convert", "-", "stopped"], interrupt)
    expect("interrupted", (code, shown(screen), temporaries(), os.path.exists("stopped")), (-signal.SIGINT, "", [], False))
    expect_true("interrupted with a bar", b"KiB/s" in screen)


if __name__ == "__main__":
    base.main(globals())
