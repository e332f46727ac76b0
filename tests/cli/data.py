"""Tests of `safenpy cat` and `safenpy diff`, run by run.py: indices, hostile values, streams, failures, memory.

What values look like is held against NumPy in tests/data; here are the things that NumPy cannot be asked."""

import errno
import json
import os
import pty
import stat
import struct
import subprocess
import sys
import tempfile
import threading

HINT = "\nTry 'safenpy --help'.\n"


def small(t, name="a.npy", version=None):
    """2 × 3 numbers of 16 bits: 0 to 5."""
    return t.write(name, t.numpy_header("'<i2'", shape=(2, 3), version=version) + struct.pack("<6h", *range(6)))


def record(t, name="r.npy"):
    descr = "[('pos', [('x', '<f8'), ('y', '<f8')]), (('a title', 'tag'), '|S3', (2,))]"
    row = struct.pack("<dd6s", 1.5, -2, b"ab\0c\0\0")
    return t.write(name, t.numpy_header(descr, shape=(2,)) + row + row)


def test_cat_forms(t):
    small(t)
    t.expect_run("text", ["cat", "a.npy"], 0, "0 1 2\n3 4 5\n")
    t.expect_run("CSV", ["cat", "--output", "csv", "a.npy"], 0, "0,1,2\n3,4,5\n")
    t.expect_run("JSON", ["cat", "--format=json", "a.npy"], 0, "[[0, 1, 2],\n[3, 4, 5]]\n")
    t.expect_run("raw", ["cat", "a.npy", "--format", "raw"], 0, struct.pack("<6h", *range(6)))
    t.expect_run("two files", ["cat", "a.npy[0]", "a.npy[1,:2]"], 0, "0 1 2\n3 4\n")
    record(t)
    row = "((1.5,-2.0),[b'ab',b'c'])\n"
    t.expect_run("record", ["cat", "r.npy"], 0, row + row)
    t.expect_run("record, CSV", ["cat", "--output", "csv", "r.npy"], 0,
                 '"pos.x","pos.y","tag[0]","tag[1]"\n' + '1.5,-2.0,"ab","c"\n' * 2)
    t.expect_run("record, JSON", ["cat", "--output", "json", "r.npy[0]"], 0,
                 '{"pos": {"x": 1.5, "y": -2.0}, "tag": ["ab", "c"]}\n')
    t.expect_run("field, sub-array", ["cat", "r.npy['tag'][1, ::-1]"], 0, "b'c' b'ab'\n")
    t.expect_run("field by its title", ["cat", "r.npy['a title'][0]"], 0, "b'ab' b'c'\n")
    t.expect_run("field of a field", ["cat", "r.npy['pos'][\"y\"]"], 0, "-2.0 -2.0\n")
    t.expect_run("planes", ["cat", t.write("p.npy", t.numpy_header("'|u1'", shape=(2, 2, 2)) + bytes(range(8)))], 0,
                 "0 1\n2 3\n\n4 5\n6 7\n")
    t.expect_run("scalar", ["cat", t.write("s.npy", t.numpy_header("'|b1'", shape=()) + b"\7")], 0, "True\n")
    t.expect_run("scalar, JSON", ["cat", "--output", "json", "s.npy"], 0, "true\n")


def test_cat_empty(t):
    for shape, text in (((0,), "[]\n"), ((0, 3), "[]\n"), ((2, 0), "[[], []]\n"), ((2, 1, 0, 5), "[[[]],\n[[]]]\n")):
        t.write("e.npy", t.numpy_header(shape=shape))
        t.expect_run("empty %r" % (shape,), ["cat", "e.npy"], 0, "")
        t.expect_run("empty %r, JSON" % (shape,), ["cat", "--output", "json", "e.npy"], 0, text)
        t.expect_run("empty %r, piped" % (shape,), ["cat", "-"], 0, "", stdin=t.numpy_header(shape=shape))
    t.write("lists.npy", t.numpy_header(shape=(10**16, 0)))
    t.expect_run("lists without end", ["cat", "--output", "json", "lists.npy"], 1, "",
                 "safenpy: lists.npy: more than 1000000 elements or empty lists without bytes; take a part of them, or "
                 "raise --max-elements\n")
    t.expect_run("some of them", ["cat", "--output", "json", "lists.npy[:3]"], 0, "[[], [], []]\n")
    t.write("lists.npy", t.numpy_header(shape=(1000000, 0)))
    t.expect("just enough of them", len(t.run("cat", "--output", "json", "lists.npy").out), 4000001)
    t.write("lists.npy", t.numpy_header(shape=(0, 10**16)))
    t.expect_run("none outside", ["cat", "--output", "json", "lists.npy"], 0, "[]\n")
    t.write("v.npy", t.numpy_header("'|V0'", shape=(3,)))
    t.expect_run("items of no bytes", ["cat", "v.npy", "--output", "csv"], 0, "0x\n0x\n0x\n")
    t.write("n.npy", t.numpy_header("[]", shape=(2,)))
    t.expect_run("records of no fields", ["cat", "n.npy"], 0, "()\n()\n")
    t.expect_run("records of no fields, JSON", ["cat", "--output", "json", "n.npy"], 0, "[{}, {}]\n")
    # Who reads only the first items gets them.
    t.write("many.npy", t.numpy_header("'|S0'", shape=(1 << 62,)))
    process = subprocess.Popen([t.binary, "cat", "--max-elements", str(1 << 62), "many.npy"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    t.expect("endless", process.stdout.read(9), b"b'' b'' b")
    process.stdout.close()
    t.expect("endless, stopped", (process.wait(), process.stderr.read()), (2, b""))
    process.stderr.close()


def test_cat_indices(t):
    small(t)
    record(t)
    wrong = [
        ("a.npy[", 6, "a number, a slice, '...' or the name of a field in quotes is expected"),
        ("a.npy[]", 6, "a number, a slice, '...' or the name of a field in quotes is expected"),
        ("a.npy[0", 7, "',' or ']' is expected"),
        ("a.npy[0]x", 8, "'[' is expected"),
        ("a.npy[0x1]", 7, "',' or ']' is expected"),
        ("a.npy[2]", 6, "the index is outside of an axis of 2"),
        ("a.npy[0, -4]", 9, "the index is outside of an axis of 3"),
        ("a.npy[99999999999999999999]", 6, "the index is outside of an axis of 2"),
        ("a.npy[-9223372036854775808]", 6, "the index is outside of an axis of 2"),
        ("a.npy[0,0,0]", 10, "there are more indices than axes"),
        ("a.npy[0,...,0,0]", 8, "there are more indices than axes"),
        ("a.npy[...,...]", 10, "there is an ellipsis before this one"),
        ("a.npy[::0]", 6, "the step of a slice cannot be 0"),
        ("a.npy[None]", 6, "no axes can be added (None, newaxis)"),
        ("a.npy[np.newaxis, 0]", 6, "no axes can be added (None, newaxis)"),
        ("a.npy[[0, 1]]", 6, "lists cannot be indices; a field is written ['name']"),
        ("a.npy['x']", 6, "the elements have no fields"),
        ("r.npy['z']", 6, "there is no such field"),
        ("r.npy['pos'", 11, "']' is expected"),
        ("r.npy['pos", 6, "the name has no end"),
        ("r.npy['\\q']", 6, "the name is not UTF-8, or has an escape that headers do not have"),
        ("r.npy['pos'][2]['x']", 13, "the index is outside of an axis of 2"),
    ]
    for argument, byte, message in wrong:
        t.expect_run("wrong index " + argument, ["cat", argument], 2, "",
                     "safenpy: %s: byte %d: %s%s" % (argument.replace("\\", "\\\\"), byte, message, HINT))
    t.expect_run("wrong index of --slice", ["cat", "--slice", "[\x1b]", "a.npy"], 2, "",
                 "safenpy: a.npy: [\\x1b]: byte 1: a number, a slice, '...' or the name of a field in quotes is expected"
                 + HINT)
    for index, out in (("[ -1 , +1 ]", "4\n"), ("[...]", "0 1 2\n3 4 5\n"), ("[:,1]", "1 4\n"), ("[1][0:]", "3 4 5\n"),
                       ("[::-1, ::2]", "3 5\n0 2\n"), ("[5:]", ""), ("[0,]", "0 1 2\n"), ("[1,2,...]", "5\n"),
                       ("[-9999999999999999999999:99999999999999999999:9999999999999999999]", "0 1 2\n"), ("", "0 1 2\n3 4 5\n")):
        t.expect_run("--slice " + index, ["cat", "--slice", index, "a.npy"], 0, out)
    t.expect_run("wrong form", ["cat", "--output", "xml", "a.npy"], 2, "",
                 "safenpy: --output: 'xml' is not a form of output: use text, csv, json or raw" + HINT)
    t.expect_run("wrong form by another name", ["cat", "--format", "xml", "a.npy"], 2, "",
                 "safenpy: --format: 'xml' is not a form of output: use text, csv, json or raw" + HINT)
    t.expect_run("no file", ["cat"], 2, "", "safenpy: cat: no file given; '-' is standard input" + HINT)


def test_cat_names(t):
    """The file is what there is; brackets in names are told from indices."""
    small(t)
    small(t, "b[0].npy")
    t.write("a.npy[0]", t.numpy_header("'|u1'", shape=(1,)) + b"\x09")
    small(t, "new\nline.npy")
    small(t, b"bad\xff.npy")
    t.expect_run("a name with brackets", ["cat", "b[0].npy[1]"], 0, "3 4 5\n")
    t.expect_run("a name that looks like indices", ["cat", "a.npy[0]"], 0, "9\n")
    t.expect_run("and indices behind it", ["cat", "a.npy[0][0]"], 0, "9\n")
    t.expect_run("the longest name wins", ["cat", "a.npy[1]"], 0, "3 4 5\n")
    t.expect_run("--slice takes names whole", ["cat", "--slice", "[0]", "b[0].npy"], 0, "0 1 2\n")
    t.expect_run("newline", ["cat", "new\nline.npy[9]"], 2, "",
                 "safenpy: new\\x0aline.npy[9]: byte 13: the index is outside of an axis of 2" + HINT)
    t.expect_run("not UTF-8", ["cat", b"bad\xff.npy[0,0]"], 0, "0\n")
    t.expect_run("missing", ["cat", "no\x1b.npy[0]"], 2, "", "safenpy: no\\x1b.npy: No such file or directory\n")
    t.expect_run("missing among others", ["cat", "none.npy", "a.npy[1,1]"], 2, "4\n",
                 "safenpy: none.npy: No such file or directory\n")
    os.symlink("a.npy", "link.npy")
    t.expect_run("symbolic link", ["cat", "link.npy[0,0]"], 0, "0\n")
    t.expect_run("directory", ["cat", "."], 2, "", "safenpy: .: Is a directory\n")


def test_cat_refused(t):
    t.write("bad.npy", t.loose(t.text_of(shape="(-1, 3)")))
    wanted = t.run("check", "bad.npy").out.decode()
    t.expect_run("refused", ["cat", "bad.npy"], 1, "", wanted)
    t.write("short.npy", t.GOOD[:-1])
    t.expect_run("truncated", ["cat", "short.npy[0]"], 1, "", t.run("check", "short.npy").out)
    t.write("object.npy", t.numpy_header("[('a', '|O'), ('b', '<i4')]", shape=(1,)) + b"\x80\x04.")
    message, hint = t.explained("SNPY_PKL_STACK")
    result = t.run("cat", "object.npy['b']")
    t.expect("objects", (result.code, result.out, result.err.decode()),
             (1, b"", "safenpy: object.npy: %s at byte 130 [NPY-PKL-007]\n  hint: %s\n" % (message, hint)))


def test_cat_hostile(t):
    """Bytes that strangers chose, in values and in names."""
    text = "\x1b]0;x\x07\u202e\u6574'\"\\,\n".ljust(14, "\0")
    codes = [ord(c) for c in text]
    t.write("u.npy", t.numpy_header("'<U14'", shape=()) + struct.pack("<14I", *codes))
    t.expect_run("string", ["cat", "u.npy"], 0, "'\\x1b]0;x\\x07\\u202e\u6574\\'\"\\\\,\\n'\n")
    t.expect_run("string, CSV", ["cat", "--output", "csv", "u.npy"], 0, "\"\\x1b]0;x\\x07\\u202e\u6574'\"\"\\\\,\\n\"\n")
    t.expect("string, JSON", t.run_json("string", "cat", "--output", "json", "u.npy"), [text.rstrip("\0")])
    t.write("x.npy", t.numpy_header("'>U3'", shape=(2,)) + struct.pack(">6I", 97, 0xd800, 0, 0x110000, 0, 0xffffffff))
    t.expect_run("no code points", ["cat", "x.npy"], 0, "'a\\ud800' '\\u{110000}\\x00\\u{ffffffff}'\n")
    t.expect("no code points, JSON", t.run_json("code points", "cat", "--output", "json", "x.npy"),
             [[[97, 0xd800], [0x110000, 0, 0xffffffff]]])
    t.write("b.npy", t.numpy_header("'|S4'", shape=(2,)) + b"\0\xff\x9b\x1b'\"\\\0")
    t.expect_run("bytes", ["cat", "b.npy"], 0, "b'\\x00\\xff\\x9b\\x1b' b'\\'\"\\\\'\n")
    t.expect("bytes, JSON", t.run_json("bytes", "cat", "--output", "json", "b.npy"), [["\0\xff\x9b\x1b", "'\"\\"]])
    descr = "[('\\ud800', '|u1'), ('\\udfff', '|u1', (1,)), ('a', [('\"\\x1b,', '|u1')])]"
    t.write("names.npy", t.loose(t.text_of(descr, shape="()"), bytes([1, 2, 3]), (3, 0)))
    t.expect("names, JSON", t.run_json("names", "cat", "--output", "json", "names.npy"),
             [[[[0xd800], 1], [[0xdfff], [2]], ["a", {'"\x1b,': 3}]]])
    t.expect_run("names, CSV", ["cat", "--output", "csv", "names.npy"], 0,
                 '"\\ud800","\\udfff[0]","a.""\\x1b,"\n1,2,3\n')
    t.expect_run("field with a surrogate", ["cat", "names.npy['\\ud800']"], 0, "1\n")
    for name in ("u.npy", "x.npy", "b.npy", "names.npy"):
        for form in ("text", "csv", "json"):
            out = t.run("cat", "--output", form, name).out.decode()
            t.expect_true("%s, %s: no control" % (name, form), all(c == "\n" or c.isprintable() for c in out))


def test_cat_numbers(t):
    """What is no number in JSON, and floats that are none on any machine."""
    values = [float("nan"), float("inf"), -float("inf"), 1e300]
    t.write("f.npy", t.numpy_header("'<f8'", shape=(4,)) + struct.pack("<4d", *values))

    def refuse(word):
        raise ValueError(word)

    out = t.run("cat", "--output", "json", "f.npy").out
    t.expect("strict JSON", json.loads(out, parse_constant=refuse), ["NaN", "Infinity", "-Infinity", 1e300])
    t.write("c.npy", t.numpy_header("'<c16'", shape=(2,)) + struct.pack("<4d", *values))
    out = t.run("cat", "--output", "json", "c.npy").out
    t.expect("strict JSON, complex", json.loads(out, parse_constant=refuse), [["NaN", "Infinity"], ["-Infinity", 1e300]])
    t.expect_run("complex", ["cat", "c.npy"], 0, "(nan+infj) (-inf+1e+300j)\n")
    largest = struct.pack("<QqQ", (1 << 64) - 1, -(1 << 63), 0)
    t.write("i.npy", t.numpy_header("[('u', '<u8'), ('i', '<i8'), ('m', '<M8[s]')]", shape=()) + largest)
    t.expect("large integers", t.run_json("integers", "cat", "--output", "json", "i.npy"),
             [{"u": (1 << 64) - 1, "i": -(1 << 63), "m": "1970-01-01T00:00:00"}])
    # An exponent without the leading bit: old C libraries write behind their memory for such a number.
    unnormal = bytes(7) + b"\x7f" + b"\xfe\x3f" + bytes(6)
    t.write("g.npy", t.numpy_header("'<f16'", shape=(1,)) + unnormal)
    t.expect_run("no long double", ["cat", "g.npy"], 0, "0x" + unnormal.hex() + "\n")
    t.write("f12.npy", t.numpy_header("'<f12'", shape=(1,)) + bytes(range(12)))
    t.expect_run("float of another machine", ["cat", "--compat", "platform-float", "f12.npy"], 0,
                 "0x000102030405060708090a0b\n")
    moments = [("'<M8[W]'", (1 << 63) - 1, "1970-01-01+9223372036854775807W"),
               ("'<M8[2147483647Y]'", -(1 << 63) + 1, "1970-01-01-19807040619342712359383728129Y"),
               ("'<M8'", 7, "7"), ("'<m8[2147483647ns]'", -(1 << 62), "-9903520309671356180765605888ns"),
               ("'<M8[D]'", 2932897, "10000-01-01"), ("'<M8[as]'", -1, "1969-12-31T23:59:59.999999999999999999")]
    for descr, count, text in moments:
        t.write("m.npy", t.numpy_header(descr, shape=()) + struct.pack("<q", count))
        t.expect_run("moment " + descr, ["cat", "m.npy"], 0, text + "\n")


def test_cat_streams(t):
    data = small(t)
    content = open(data, "rb").read()
    fortran = t.numpy_header("'<i2'", True, (2, 3)) + struct.pack("<6h", 0, 3, 1, 4, 2, 5)
    t.expect_run("pipe", ["cat", "-"], 0, "0 1 2\n3 4 5\n", stdin=content)
    t.expect_run("pipe and file", ["cat", "a.npy[0]", "-"], 0, "0 1 2\n0 1 2\n3 4 5\n", stdin=content)
    t.expect_run("pipe, backwards", ["cat", "--slice", "[::-1, ::-1]", "-"], 0, "5 4 3\n2 1 0\n", stdin=content)
    t.expect_run("pipe, Fortran order", ["cat", "-"], 0, "0 1 2\n3 4 5\n", stdin=fortran)
    t.expect_run("standard input is a file", ["cat", "--", "-[1]"], 0, "3 4 5\n", stdin=content)
    with open("two", "wb") as out:
        out.write(b"junk" + fortran)
    with open("two", "rb") as place:
        place.seek(4)
        os.lseek(place.fileno(), 4, os.SEEK_SET)
        done = subprocess.run([t.binary, "cat", "-"], stdin=place, capture_output=True, check=False)
    t.expect("standard input in the middle of a file", (done.returncode, done.stdout), (0, b"0 1 2\n3 4 5\n"))
    message, hint = t.explained("SNPY_TRUNCATED_DATA")
    said = "safenpy: -: %s at byte 139 [NPY-DATA-001]\n  hint: %s\n" % (message, hint)
    for what, cut in (("C", content[:139]), ("Fortran", fortran[:139])):
        result = t.run("cat", "-", stdin=cut)
        t.expect("pipe cut, " + what, (result.code, result.err.decode()), (1, said))
    os.mkfifo("fifo")
    feeder = threading.Thread(target=lambda: open("fifo", "wb").write(fortran))
    feeder.start()
    t.expect_run("FIFO", ["cat", "fifo[1]"], 0, "3 4 5\n")
    feeder.join()
    environment = dict(os.environ, TMPDIR=os.path.abspath("nowhere"))
    t.expect_run("no place for a stream", ["cat", "-"], 2, "",
                 "safenpy: %s: open failed: No such file or directory\n" % environment["TMPDIR"], stdin=fortran, env=environment)
    with tempfile.TemporaryDirectory() as place:
        t.expect_run("TMPDIR", ["cat", "-"], 0, "0 1 2\n3 4 5\n", stdin=fortran, env=dict(os.environ, TMPDIR=place))
        t.expect("nothing is left", os.listdir(place), [])


def test_cat_output(t):
    """Outputs that end, that are full, and terminals."""
    with open("big.npy", "wb") as out:
        out.write(t.numpy_header("'|u1'", shape=(1 << 22,)))
        out.truncate(128 + (1 << 22))
    process = subprocess.Popen([t.binary, "cat", "big.npy"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    t.expect("closed pipe", (process.wait(), process.stderr.read()), (2, b""))
    process.stderr.close()
    for form in ("text", "csv", "json", "raw"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([t.binary, "cat", "--output", form, "big.npy"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        t.expect("full disk, " + form, (done.returncode, done.stderr),
                 (2, b"safenpy: standard output: " + os.strerror(errno.ENOSPC).encode() + b"\n"))
    ours, theirs = pty.openpty()
    done = subprocess.run([t.binary, "cat", "--output", "raw", "good.npy"], stdout=theirs, stderr=subprocess.PIPE, check=False)
    t.expect("raw to a terminal", (done.returncode, done.stderr.decode()),
             (2, "safenpy: cat: raw bytes are not written to a terminal" + HINT))
    os.close(ours)
    os.close(theirs)


# A process counts the memory of the one that it was forked from: so a small one is put in between.
MEASURE = """import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=sys.stderr)"""


def peak(t, *arguments, stdin=None):
    """Exit status and the most memory of a run, in KiB."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, t.binary, *arguments], stdin=stdin,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    code, memory = done.stderr.split()[-2:]
    return int(code), int(memory)


def test_memory(t):
    """No array, element or stream takes more than 32 MiB."""
    if t.SANITIZED:
        return
    with open("c.npy", "wb") as out:
        out.write(t.numpy_header(shape=(16, 1024, 1024)))
        out.truncate(128 + (128 << 20))
    with open("f.npy", "wb") as out:
        out.write(t.numpy_header(fortran=True, shape=(16, 1024, 1024)))
        out.truncate(128 + (128 << 20))
    with open("s.npy", "wb") as out:
        out.write(t.numpy_header("'|S67108864'", shape=(2,)))
        out.truncate(128 + (128 << 20))
    runs = [("raw", ["cat", "--output", "raw", "c.npy"]), ("Fortran order", ["cat", "--output", "raw", "f.npy[:2]"]),
            ("slices", ["cat", "f.npy[::7, ::-31, 5:900:300]"]), ("large elements", ["cat", "s.npy"]),
            ("large elements, JSON", ["cat", "--output", "json", "s.npy[::-1]"]),
            ("diff", ["diff", "--values", "c.npy", "f.npy"]), ("diff of large elements", ["diff", "s.npy", "s.npy"])]
    for what, arguments in runs:
        code, most = peak(t, *arguments)
        t.expect("memory, %s: exit status" % what, code, 0)
        t.expect_true("memory, %s: %d KiB" % (what, most), most < 32 * 1024)


def test_diff(t):
    small(t)
    small(t, "same.npy")
    t.expect_run("same", ["diff", "a.npy", "same.npy"], 0, "")
    t.expect_run("itself", ["diff", "a.npy", "a.npy"], 0, "")
    t.expect("same, JSON", t.run_json("same", "diff", "--json", "a.npy", "same.npy"),
             [{"files": [{"file": "a.npy"}, {"file": "same.npy"}], "differences": [], "count": 6, "differing": 0}])
    twin = t.numpy_header("'>i2'", True, (2, 3)) + struct.pack(">6h", 0, 3, 1, 4, 2, 5)
    t.write("twin.npy", twin)
    stored = "descr: <i2 | >i2\nfortran_order: false | true\n"
    t.expect_run("twins", ["diff", "a.npy", "twin.npy"], 1, stored + "values: equal\n")
    t.expect_run("twins, --values", ["diff", "--values", "a.npy", "twin.npy"], 0, "")
    t.expect_run("twins, piped", ["diff", "--values", "a.npy", "-"], 0, "", stdin=twin)
    t.write("other.npy", twin[:-2] + b"\0\6")
    t.expect_run("one value", ["diff", "a.npy", "other.npy"], 1,
                 stored + "values: 1 of 6 differs; first at [1, 2]: 5 | 6\n")
    t.expect_run("one value, --values", ["diff", "--values", "other.npy", "a.npy"], 1,
                 "values: 1 of 6 differs; first at [1, 2]: 6 | 5\n")
    small(t, "v2.npy", version=(2, 0))
    t.expect_run("version", ["diff", "a.npy", "v2.npy"], 1, "version: 1.0 | 2.0\nvalues: equal\n")
    t.write("spaced.npy", t.loose("{ 'descr':'<i2','shape':(2,3),'fortran_order':False}", struct.pack("<6h", *range(6))))
    t.expect_run("other text", ["diff", "a.npy", "spaced.npy"], 1, "header: same meaning, other text\nvalues: equal\n")
    t.expect_run("other text, --values", ["diff", "--values", "a.npy", "spaced.npy"], 0, "")
    t.write("more.npy", open("a.npy", "rb").read() + b"xyz")
    t.expect_run("bytes after the data", ["diff", "a.npy", "more.npy"], 1, "trailing_bytes: 0 | 3\nvalues: equal\n")
    t.write("flat.npy", t.numpy_header("'<i2'", shape=(6,)) + struct.pack("<6h", *range(6)))
    t.expect_run("shape", ["diff", "a.npy", "flat.npy"], 1,
                 "shape: (2, 3) | (6,)\nvalues: not compared: the shapes differ\n")
    t.write("float.npy", t.numpy_header("'<f2'", shape=(2, 3)) + bytes(12))
    t.expect_run("type", ["diff", "--values", "a.npy", "float.npy"], 1,
                 "descr: <i2 | <f2\nvalues: not compared: the types differ\n")
    t.expect("type, JSON", t.run_json("type", "diff", "--json", "a.npy", "float.npy", code=1),
             [{"files": [{"file": "a.npy"}, {"file": "float.npy"}], "differences": [
                 {"what": "descr", "a": "<i2", "b": "<f2"}], "count": None, "reason": "the types differ"}])


def test_diff_records(t):
    record(t)
    descr = "[('pos', [('x', '<f8'), ('', '|V2'), ('y', '>f8')]), ('tag', '|S3', (2,))]"
    changed = struct.pack("<d2s", 1.5, b"??") + struct.pack(">d6s", -2, b"ab\0d\x1b\0")
    same = struct.pack("<d2s", 1.5, b"??") + struct.pack(">d6s", -2, b"ab\0c\0\0")
    t.write("q.npy", t.numpy_header(descr, shape=(2,)) + same + changed)
    t.expect_run("padding, byte order, title", ["diff", "--values", "r.npy", "q.npy"], 1,
                 "values: 1 of 2 differs; first at [1]['tag'][1]: b'c' | b'd\\x1b'\n")
    said = t.run_json("records", "diff", "--json", "--values", "r.npy", "q.npy", code=1)
    t.expect("records, JSON", said[0]["first"], {"index": [1], "path": ["tag", 1], "a": "c", "b": "d\x1b"})
    t.write("s.npy", t.numpy_header(descr.replace("'y'", "'z'"), shape=(2,)) + same + same)
    t.expect_true("other names", b"values: not compared: the types differ\n" in t.run("diff", "r.npy", "s.npy").out)
    t.write("nan.npy", t.numpy_header(shape=(2,)) + struct.pack("<Qd", 0x7ff8000000000001, 0.0))
    t.write("zero.npy", t.numpy_header(shape=(2,)) + struct.pack("<Qd", 0x7ff8000000000001, -0.0))
    t.expect_run("bits count", ["diff", "nan.npy", "zero.npy"], 1, "values: 1 of 2 differs; first at [1]: 0.0 | -0.0\n")
    t.expect_run("a NaN equals itself", ["diff", "nan.npy", "nan.npy"], 0, "")
    t.write("true.npy", t.numpy_header("'|b1'", shape=(2,)) + b"\0\1")
    t.write("seven.npy", t.numpy_header("'|b1'", shape=(2,)) + b"\0\7")
    t.expect_run("true is true", ["diff", "true.npy", "seven.npy"], 0, "")


def test_diff_trouble(t):
    small(t)
    t.write("bad.npy", t.loose(t.text_of(shape="(-1, 3)")))
    t.expect_run("refused", ["diff", "a.npy", "bad.npy"], 2, "", t.run("check", "bad.npy").out)
    t.expect("refused, JSON", t.run("diff", "--json", "a.npy", "bad.npy").out, t.run("check", "--json", "bad.npy").out)
    t.expect_run("missing", ["diff", "none.npy", "a.npy"], 2, "", "safenpy: none.npy: No such file or directory\n")
    t.expect_run("one file", ["diff", "a.npy"], 2, "", "safenpy: diff: two files are needed" + HINT)
    t.expect_run("twice standard input", ["diff", "-", "-"], 2, "",
                 "safenpy: diff: only one of the files can be standard input" + HINT)
    t.write("object.npy", t.numpy_header("'|O'", shape=(1,)) + b"\x80\x04.")
    damaged = t.run("diff", "object.npy", "object.npy")
    t.expect_true("damaged objects", (damaged.code, damaged.out) == (2, b"") and b"[NPY-PKL-007]" in damaged.err)
    for shape in ((0, 3), (1 << 62, 0)):
        t.write("e.npy", t.numpy_header("'|u1'", shape=shape))
        t.expect_run("empty %r" % (shape,), ["diff", "e.npy", "e.npy"], 0, "")
    t.write("v.npy", t.numpy_header("'|S0'", shape=(1 << 62,)))
    t.expect_run("items of no bytes", ["diff", "v.npy", "v.npy"], 0, "")
    content = open("a.npy", "rb").read()
    result = t.run("diff", "a.npy", "-", stdin=content[:-1])
    t.expect("pipe cut", (result.code, result.out, b"at byte 139 [NPY-DATA-001]" in result.err), (2, b"", True))
    t.expect("untouched", (open("a.npy", "rb").read(), stat.S_IMODE(os.stat("a.npy").st_mode) & 0o600), (content, 0o600))


TESTS = [value for name, value in list(globals().items()) if name.startswith("test_")]
