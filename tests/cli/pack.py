#!/usr/bin/env python3
"""Runs the subcommands that write archives: pack, and convert of archives.

usage: python3 tests/cli/pack.py build/safenpy

Archives are read with zipfile and by our own check; tests/data/pack.py compares with NumPy. Signals, kills, full disks
and pipes are real ones. SNPY_LARGE=1 in the environment adds members of more than 4 GiB, which takes minutes."""

import json
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import time
import zipfile
import zlib

import run as base
from change import HINT, content, said, slow_array, temporaries, wait_until
from run import MIB, SANITIZED, expect, expect_run, expect_true, numpy_header, run, write

LARGE = os.environ.get("SNPY_LARGE") == "1"


def numbers(count):
    """An array of `count` bytes that deflate to about a half."""
    return numpy_header("'|u1'", False, (count,)) + random.Random(count).randbytes(count // 2) + bytes(count - count // 2)


def members(name):
    """Names and bytes of the members, by zipfile, which has looked at each CRC."""
    with zipfile.ZipFile(name) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def offsets(name):
    """Where the bytes of each member begin, from the local headers."""
    whole = content(name)
    with zipfile.ZipFile(name) as archive:
        return [info.header_offset + 30 + sum(struct.unpack_from("<HH", whole, info.header_offset + 26))
                for info in archive.infolist()]


def accepted(name, count):
    """Our own reader takes it, and so does Info-ZIP, if it is here."""
    result = run("check", name)
    last = result.out.decode().rstrip("\n").rsplit("\n", 1)[-1]
    expect("check %s" % name, (result.code, last, result.err),
           (0, "%s: accept, npz, %d member%s" % (name, count, "" if count == 1 else "s"), b""))
    if shutil.which("unzip") and count:
        told = subprocess.run(["unzip", "-tq", name], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
        expect("unzip -t %s: %r" % (name, told.stdout), told.returncode, 0)


def limited(size, *arguments, **more):
    """Runs the command with a limit on the length of files."""
    return run(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), **more)


# ---------------------------------------------------------------- usage

def test_usage():
    for arguments, message in (
            (["pack"], "pack: expected OUT FILE..."),
            (["pack", "out.npz"], "pack: expected OUT FILE..."),
            (["pack", "out.npz", "-"], "pack: standard input has no name: give it one as KEY=-"),
            (["pack", "--deflate=0", "out.npz", "good.npy"], "--deflate: '0' is not a level from 1 to 9"),
            (["pack", "--deflate=10", "out.npz", "good.npy"], "--deflate: '10' is not a level from 1 to 9"),
            (["pack", "--deflate=", "out.npz", "good.npy"], "--deflate: '' is not a level from 1 to 9"),
            (["pack", "--deflate=6\x1b", "out.npz", "good.npy"], "--deflate: '6\\x1b' is not a level from 1 to 9"),
            (["pack", "--threads", "0", "out.npz", "good.npy"], "--threads: '0' is not a number of threads from 1 to 64"),
            (["pack", "--threads", "4294967297", "out.npz", "good.npy"],
             "--threads: '4294967297' is not a number of threads from 1 to 64"),
            (["pack", "--order", "C", "out.npz", "good.npy"], "unknown option '--order'"),
            (["convert", "--store", "--order", "C", "in", "out"],
             "--store and --deflate are for archives, the other options for arrays"),
            (["convert", "--deflate", "--canonical", "--max-data-bytes", "9", "--order", "F", "in", "out"],
             "--store and --deflate are for archives, the other options for arrays"),
            (["convert", "--threads", "2", "in", "out"], "--threads is for archives, with --deflate")):
        expect_run("wrong usage %r" % arguments, arguments, 2, "", "safenpy: " + message + HINT)
    expect("nothing was made", sorted(os.listdir(".")), ["good.npy"])


# ---------------------------------------------------------------- pack

def test_pack():
    """Keys, order, alignment and bytes, of files, pipes and standard output."""
    os.mkdir("dir")
    write("dir/b.npy", numbers(100))
    write("noext", numbers(3))
    write("big.npy", numbers(9 * MIB))
    write("-dash.npy", numbers(5))
    wanted = [("good.npy", base.GOOD), ("k.npy", content("dir/b.npy")), ("b.npy", content("dir/b.npy")),
              ("noext.npy", content("noext")), ("big.npy", content("big.npy")), ("-dash.npy", content("-dash.npy")),
              (".npy", base.GOOD), ("x/../y.npy", base.GOOD)]
    files = ["--", "good.npy", "k=dir/b.npy", "dir/b.npy", "noext", "big.npy", "-dash.npy", "=good.npy", "x/../y=good.npy"]
    for kind in ([], ["--store"], ["--deflate"], ["--deflate=1"], ["--deflate=9"], ["--deflate", "--store"]):
        arguments = ["pack", *kind, "out.npz", *files]
        expect_run("%r" % arguments, arguments, 0, "")
        expect("members by %r" % kind, members("out.npz") == wanted, True)
        accepted("out.npz", len(wanted))
        is_stored = not kind or kind[-1] == "--store"
        with zipfile.ZipFile("out.npz") as archive:
            expect("methods by %r" % kind, {info.compress_type for info in archive.infolist()}, {0 if is_stored else 8})
            expect("dates by %r" % kind, {info.date_time for info in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})
            expect("flags by %r" % kind, {info.flag_bits for info in archive.infolist()}, {0})
        if is_stored:
            expect("aligned", {at % 64 for at in offsets("out.npz")}, {0})
        whole = content("out.npz")
        for threads in ("1", "2", "7"):
            expect_run("with %s threads" % threads, ["pack", *kind, "--threads", threads, "again.npz", *files], 0, "")
            expect_true("%r: the same bytes with %s threads" % (kind, threads), content("again.npz") == whole)
        result = run("pack", *kind, "-", *files)
        write("piped.npz", result.out)
        expect("to a pipe by %r" % kind, (result.code, result.err, members("piped.npz") == wanted), (0, b"", True))
        accepted("piped.npz", len(wanted))
        with open("file.npz", "wb") as out:
            subprocess.run([base.binary, "pack", *kind, "-", *files], stdout=out, check=True)
        expect_true("%r: to a file as standard output" % kind, content("file.npz") == whole)
    expect("no file is left", temporaries(), [])


def test_pack_input():
    """Standard input, FIFOs, bytes after the data, objects."""
    expect_run("from a pipe", ["pack", "a.npz", "k=-"], 0, "", stdin=base.GOOD)
    expect("from a pipe", members("a.npz"), [("k.npy", base.GOOD)])
    write("more.npy", base.GOOD + b"more")
    expect_run("trailing", ["pack", "a.npz", "more.npy"], 0, "",
               "safenpy: more.npy: 4 trailing bytes are dropped\n")
    expect("trailing", members("a.npz"), [("more.npy", base.GOOD)])
    objects = write("objects.npy", numpy_header("'|O'", False, (2,)) + b"\x80\x03]q\x00(NK\x01e.")
    for kind in ("--store", "--deflate"):
        expect_run("objects", ["pack", kind, "o.npz", objects, "p=-"], 0, "", stdin=content(objects))
        expect("objects", members("o.npz"), [("objects.npy", content(objects)), ("p.npy", content(objects))])
        accepted("o.npz", 2)
        result = run("pack", kind, "-", "p=-", stdin=content(objects))
        write("q.npz", result.out)
        expect("objects from pipe to pipe", members("q.npz"), [("p.npy", content(objects))])
        accepted("q.npz", 1)
    os.mkfifo("fifo")
    process = subprocess.Popen([base.binary, "pack", "f.npz", "fifo"])
    with open("fifo", "wb") as out:
        out.write(base.GOOD)
    expect("a FIFO", (process.wait(60), members("f.npz")), (0, [("fifo.npy", base.GOOD)]))
    write("empty.npy", numpy_header("'<f8'", False, (0, 3)))
    write("scalar.npy", numpy_header("'<f8'", False, ()) + bytes(8))
    write("nothing.npy", numpy_header("'|V0'", False, (5,)))
    for kind in ("--store", "--deflate"):
        expect_run("small arrays", ["pack", kind, "s.npz", "empty.npy", "scalar.npy", "nothing.npy"], 0, "")
        expect("small arrays", members("s.npz"), [(name, content(name)) for name in
                                                  ("empty.npy", "scalar.npy", "nothing.npy")])
        accepted("s.npz", 3)


def test_refusals():
    """One file that is not packed, and OUT is as it was."""
    old = write("out.npz", b"old")
    write("bad.npy", base.frame(base.text_of(shape="(-1,)").encode()))
    write("cut.npy", base.GOOD[:-1])
    write("text", b"hello")
    write("caf\xc3\xa9.npy".encode("latin-1"), base.GOOD)
    not_npy = said("SNPY_BAD_MAGIC", "text", 0).split("  hint")[0] + \
        "  hint: only arrays are packed; --as-is packs files of any kind, unread\n"
    twice = said("SNPY_ZIP_WRITE_DUPLICATE", "%s")
    for arguments, code, message in (
            (["text"], 1, not_npy),
            (["cut.npy"], 1, said("SNPY_TRUNCATED_DATA", "cut.npy", len(base.GOOD) - 1)),
            (["none.npy"], 2, "safenpy: none.npy: No such file or directory\n"),
            (["."], 2, "safenpy: .: Is a directory\n"),
            (["good.npy", "good.npy"], 1, twice % "good.npy"),
            (["a=good.npy", "a.npy=good.npy"], 1, twice % "a.npy=good.npy"),
            (["a.npy=good.npy", "a=good.npy"], 1, twice % "a=good.npy"),
            (["k=good.npy", "k" * 65531 + "=good.npy", "k" * 65532 + "=good.npy"], 1,
             said("SNPY_ZIP_WRITE_KEY", "k" * 65532 + "=good.npy"))):
        for kind in ("--store", "--deflate"):
            expect_run("refused: %r" % str(arguments)[:60], ["pack", kind, "out.npz", *arguments], code, "", message)
            expect("the old file", (content(old), temporaries()), (b"old", []))
    result = subprocess.run([base.binary, "pack", "out.npz", b"caf\xe9=good.npy"], capture_output=True, check=False)
    expect("a key that is no UTF-8", (result.returncode, result.stderr.decode()),
           (1, said("SNPY_ZIP_WRITE_KEY", "caf\\xe9=good.npy")))
    expect_run("a key with a newline", ["pack", "n.npz", "a\n\x1b[31m=good.npy"], 0, "")
    expect("its member", members("n.npz"), [("a\n\x1b[31m.npy", base.GOOD)])
    expect_run("no directory", ["pack", "no/out.npz", "good.npy"], 2, "",
               "safenpy: no/out.npz: open failed: No such file or directory\n")
    expect("the old file, in the end", (content(old), temporaries()), (b"old", []))


def test_as_is():
    """Files of any kind."""
    write("text", b"hello")
    write("nil", b"")
    for kind in ("--store", "--deflate"):
        expect_run("as is", ["pack", kind, "--as-is", "a.npz", "text", "good.npy", "nil", "d/é.txt=text", "in=-"], 0, "",
                   stdin=b"from a pipe")
        expect("as is", members("a.npz"), [("text", b"hello"), ("good.npy", base.GOOD), ("nil", b""),
                                           ("d/é.txt", b"hello"), ("in", b"from a pipe")])
        accepted("a.npz", 5)
        expect_run("in itself", ["pack", kind, "--as-is", "a.npz", "inner=a.npz"], 0, "")
        expect("in itself", [name for name, _ in members("a.npz")], ["inner"])
        accepted("a.npz", 1)
    expect_run("no name", ["pack", "--as-is", "b.npz", "=text"], 1, "", said("SNPY_ZIP_WRITE_KEY", "=text"))
    expect_run("same keys", ["pack", "--as-is", "b.npz", "x=text", "x.npy=good.npy"], 1, "",
               said("SNPY_ZIP_WRITE_DUPLICATE", "x.npy=good.npy"))
    expect_true("nothing was made", not os.path.exists("b.npz"))


def test_files():
    """A replaced file keeps its mode, a link is followed, the input may be the output, a FIFO is written in place."""
    write("out.npz", b"old")
    os.chmod("out.npz", 0o640)
    os.symlink("out.npz", "link.npz")
    expect_run("through a link", ["pack", "link.npz", "good.npy"], 0, "")
    expect("through a link", (os.path.islink("link.npz"), stat.S_IMODE(os.stat("out.npz").st_mode), members("out.npz")),
           (True, 0o640, [("good.npy", base.GOOD)]))
    expect_run("over its input", ["pack", "good.npy", "x=good.npy"], 0, "")
    expect("over its input", members("good.npy"), [("x.npy", base.GOOD)])
    os.mkfifo("fifo")
    process = subprocess.Popen([base.binary, "convert", "--deflate", "out.npz", "fifo"])
    with open("fifo", "rb") as pipe:
        write("piped.npz", pipe.read())
    expect("to a FIFO", (process.wait(60), members("piped.npz")), (0, [("good.npy", base.GOOD)]))
    process = subprocess.Popen([base.binary, "pack", "-", "x=piped.npz", "--as-is"], stdout=subprocess.PIPE)
    write("front", b"in front" + process.stdout.read())
    expect("status", process.wait(60), 0)
    with open("behind", "wb") as out:
        out.write(b"in front")
        out.flush()
        subprocess.run([base.binary, "pack", "-", "x=piped.npz", "--as-is"], stdout=out, check=True)
    expect_run("behind other bytes", ["check", "--compat", "zip-prefix", "-q", "front", "behind"], 0, "")


def test_trouble():
    """Full disks and pipes that nobody reads: the old file stays, and nothing else."""
    write("big.npy", numbers(3 * MIB))
    run("pack", "in.npz", "big.npy", "x=good.npy")
    write("old", b"old")
    for arguments in (["pack", "old", "x=good.npy", "big.npy"], ["pack", "--deflate", "old", "x=good.npy", "big.npy"],
                      ["pack", "--deflate", "--threads", "3", "old", *("%d=big.npy" % i for i in range(9))],
                      ["convert", "--deflate", "in.npz", "old"], ["convert", "--store", "in.npz", "old"]):
        result = limited(200000, *arguments)
        expect("full disk %r" % arguments, (result.code, result.err, content("old"), temporaries()),
               (2, b"safenpy: old: write failed: File too large\n", b"old", []))
        expect_run("/dev/full %r" % arguments, [word if word != "old" else "/dev/full" for word in arguments], 2, "",
                   "safenpy: /dev/full: write failed: No space left on device\n")
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run([base.binary, *(word if word != "old" else "-" for word in arguments)], stdout=writer,
                                 stderr=subprocess.PIPE, check=False)
        os.close(writer)
        expect("a closed pipe %r" % arguments, (process.returncode, process.stderr), (2, b""))
    expect("no file is left", temporaries(), [])


def test_signals():
    """Whatever ends the process, no temporary file is left; and the process ends by that very signal."""
    write("old", b"old")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for kind in ("--store", "--deflate"):
            process = subprocess.Popen([base.binary, "pack", kind, "--threads", "3", "old", "x=-"], stdin=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            process.stdin.write(slow_array(30000000) + bytes(20000000))
            process.stdin.flush()
            wait_until(temporaries)
            process.send_signal(number)
            process.wait(60)
            expect("%s ended by %d" % (kind, number), (process.returncode, process.stderr.read(), temporaries(),
                                                       content("old")), (-number, b"", [], b"old"))
            process.stdin.close()
            process.stderr.close()


def test_kills():
    """kill -9 at random times: the archive is the old one or the new one, and accepted."""
    rng = random.Random(7)
    write("big.npy", numbers(2 * MIB))
    run("pack", "a.npz", "big.npy")
    whole = {content("a.npz")}
    deflated = 0
    start = time.monotonic()
    run("convert", "--deflate", "a.npz", "next")
    usual = time.monotonic() - start
    for turn in range(10 if SANITIZED else 30):
        kind = "--store" if turn % 2 else "--deflate"
        subprocess.run([base.binary, "convert", kind, "a.npz", "next"], check=True)
        whole.add(content("next"))
        process = subprocess.Popen([base.binary, "convert", kind, "a.npz", "a.npz"], stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * 1.5 * usual)
        process.kill()
        process.wait()
        expect_true("turn %d: old or new" % turn, content("a.npz") in whole)
        with zipfile.ZipFile("a.npz") as archive:
            deflated += archive.infolist()[0].compress_type == 8
        for name in temporaries():
            os.remove(name)
    expect("two forms", len(whole), 2)
    print("%d of the turns found it deflated" % deflated)


def test_json():
    """What --json says is what is in the archive; nothing if there is none."""
    write("big.npy", numbers(10 * MIB))
    write("notes", b"no array")
    write("nothing", b"")
    odd = "é\x1b\n\"\\"
    for options in (["--store"], ["--deflate"], ["--deflate=9", "--threads", "3"], ["--as-is"], ["--as-is", "--deflate"]):
        more = ["d/notes=notes", "x.npy=good.npy", "nothing"] if "--as-is" in options else []
        result = run("pack", "--json", *options, "a.npz", "good.npy", odd + "=good.npy", "big.npy", *more)
        expect("%r" % options, (result.code, result.err), (0, b""))
        said = json.loads(result.out)
        expect("one line", result.out.count(b"\n"), 1)
        found = json.loads(run("info", "--json", "a.npz").out)
        keys = ("name", "key", "method", "size", "compressed_size", "crc", "archive_offset")
        expect("members of %r" % options, said["members"], [{key: member[key] for key in keys} for member in found["members"]])
        expect("keys of %r" % options, sorted(said), ["file", "format", "members"])
        expect("file and format", (said["file"], said["format"]), ("a.npz", "npz"))
        whole = content("a.npz")
        for member in said["members"]:
            data = whole[member["archive_offset"]:member["archive_offset"] + member["compressed_size"]]
            if member["method"] == "deflated":
                data = zlib.decompress(data, -15)
            expect("%s is where it is said to be" % member["name"], (len(data), zlib.crc32(data)),
                   (member["size"], member["crc"]))
    os.mkfifo("fifo")
    reader = subprocess.Popen(["cat", "fifo"], stdout=subprocess.PIPE)
    result = run("pack", "--json", "--as-is", "fifo", "d=-", "big=-", stdin=b"through a pipe")
    write("piped.npz", reader.communicate()[0])
    expect("to a FIFO", [(member["name"], member["size"], member["archive_offset"]) for member in json.loads(result.out)["members"]],
           [(member["name"], member["size"], member["archive_offset"])
            for member in json.loads(run("info", "--json", "piped.npz").out)["members"]])
    write("old.npz", b"old")
    for arguments, code in ((["old.npz", "good.npy", "good.npy"], 1), (["old.npz", "none.npy"], 2), (["old.npz", "notes"], 1),
                            (["-", "good.npy"], 2), (["/dev/stdout", "good.npy"], 2), (["none/a.npz", "good.npy"], 2)):
        result = run("pack", "--json", *arguments)
        expect("%r is not packed, and nothing is said of it" % arguments, (result.code, result.out, content("old.npz")),
               (code, b"", b"old"))
        expect_true("but why", result.err)
    with open("/dev/full", "wb") as full:
        result = subprocess.run([base.binary, "pack", "--json", "a.npz", "good.npy"], stdout=full, stderr=subprocess.PIPE,
                                check=False)
    expect("nobody hears it", (result.returncode, result.stderr),
           (2, b"safenpy: standard output: No space left on device\n"))


# ---------------------------------------------------------------- convert

def test_convert():
    """There and back, other writers' archives, members that are no arrays, members that hide each other."""
    with zipfile.ZipFile("in.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"dropped"
        archive.writestr("a.npy", base.GOOD)
        archive.writestr("notes ä.txt", "no array")
        archive.writestr("dir/", "")
        archive.writestr("a.npy.npy", numbers(10 * MIB))
        archive.writestr("empty", b"")
    wanted = members("in.npz")
    expect_run("store", ["convert", "--store", "in.npz", "s.npz"], 0, "")
    expect_run("deflate", ["convert", "--deflate", "in.npz", "d.npz"], 0, "")
    expect_run("store again", ["convert", "--store", "d.npz", "d-s.npz"], 0, "")
    expect_run("deflate again", ["convert", "s.npz", "s-d.npz", "--deflate", "--threads", "2"], 0, "")
    for name in ("s.npz", "d.npz"):
        expect("members of %s" % name, members(name) == wanted, True)
        accepted(name, 5)
    expect_true("stored both ways", content("s.npz") == content("d-s.npz"))
    expect_true("deflated both ways", content("d.npz") == content("s-d.npz"))
    expect("aligned", {at % 64 for at in offsets("s.npz")}, {0})
    for kind, other in (("--store", "s.npz"), ("--deflate", "d.npz")):
        expect_run("in place, %s" % kind, ["convert", kind, "in.npz", "in.npz"], 0, "")
        expect_true("in place, %s" % kind, content("in.npz") == content(other))
    with open("s.npz", "rb") as source:
        result = subprocess.run([base.binary, "convert", "--deflate", "-", "-"], stdin=source, capture_output=True, check=False)
    write("p.npz", result.stdout)
    expect("from a file as standard input to a pipe", (result.returncode, result.stderr, members("p.npz") == wanted),
           (0, b"", True))
    expect_run("from a pipe", ["convert", "--store", "-", "q.npz"], 0, "", stdin=content("d.npz"))
    expect_true("from a pipe", content("q.npz") == content("s.npz"))
    with zipfile.ZipFile("none.npz", "w"):
        pass
    expect_run("no members", ["convert", "--deflate", "none.npz", "none.npz"], 0, "")
    expect("no members", len(content("none.npz")), 22)
    expect("no file is left", temporaries(), [])


def methods(name):
    """Name and method of each member."""
    with zipfile.ZipFile(name) as archive:
        return [(info.filename, info.compress_type) for info in archive.infolist()]


def test_convert_without_options():
    """An archive is written anew, each member stored or deflated as it was; an array is not made of several."""
    with zipfile.ZipFile("in.npz", "w") as archive:
        archive.comment = b"dropped"
        for name, data, kind in (("a.npy", base.GOOD, 8), ("b.npy", base.GOOD, 0), ("big.npy", numbers(10 * MIB), 8),
                                 ("c", b"", 0), ("d/", b"", 0), ("e.txt", b"text " * 99, 8), ("z.npy", numbers(MIB), 0)):
            archive.writestr(name, data, kind)
    wanted = members("in.npz")
    expect_run("convert", ["convert", "in.npz", "out.npz"], 0, "")
    expect("its members", members("out.npz") == wanted, True)
    expect("their methods", methods("out.npz"), methods("in.npz"))
    accepted("out.npz", len(wanted))
    expect("aligned", {at % 64 for at, (_, kind) in zip(offsets("out.npz"), methods("out.npz")) if kind == 0}, {0})
    expect_run("once more", ["convert", "out.npz", "again.npz"], 0, "")
    expect_true("the same bytes", content("again.npz") == content("out.npz"))
    expect_run("from a pipe", ["convert", "-", "piped.npz"], 0, "", stdin=content("in.npz"))
    expect_true("from a pipe", content("piped.npz") == content("out.npz"))
    with open("in.npz", "rb") as source:
        result = subprocess.run([base.binary, "convert", "-", "read.npz"], stdin=source, capture_output=True, check=False)
    expect("from standard input", (result.returncode, result.stderr, content("read.npz") == content("out.npz")), (0, b"", True))
    expect_run("in place", ["convert", "in.npz", "in.npz"], 0, "")
    expect_true("in place", content("in.npz") == content("out.npz"))
    write("old.npy", b"old")
    for arguments in (["in.npz", "old.npy"], ["--order", "C", "in.npz", "old.npz"], ["--canonical", "in.npz", "old.npy"],
                      ["--byteorder", "big", "in.npz", "x"], ["--format-version", "2.0", "in.npz", "x"]):
        expect_run("one member is to be named", ["convert", *arguments], 2, "", "safenpy: in.npz: an archive: one member is "
                   "to be named, as in in.npz:a; there are also b, big, c, d/, e.txt, z\n")
    expect("nothing was written", (content("old.npy"), os.path.exists("old.npz"), os.path.exists("x")), (b"old", False, False))
    expect_run("one member", ["convert", "in.npz:a", "old.npy"], 0, "")
    expect("the member", content("old.npy"), base.GOOD)
    spoiled = bytearray(content("out.npz"))
    spoiled[offsets("out.npz")[1] + 130] ^= 1
    write("bad.npz", bytes(spoiled))
    expect("a bad member refuses all", (run("convert", "bad.npz", "out.npz").code, members("out.npz") == wanted), (1, True))
    with zipfile.ZipFile("none.npz", "w"):
        pass
    expect_run("no members", ["convert", "none.npz", "none.npz"], 0, "")


def test_convert_refusals():
    """Archives that are no good leave OUT as it was."""
    run("pack", "--deflate", "good.npz", "x=good.npy", "y=good.npy")
    whole = content("good.npz")
    write("old", b"old")
    at = whole.index(b"y.npy") + 5
    write("bad.npz", whole[:at + 30] + bytes([whole[at + 30] ^ 16]) + whole[at + 31:])
    for name, arguments in (("bad.npz", ["--store"]), ("cut.npz", ["--deflate"]), ("good.npy", ["--store"])):
        write("cut.npz", whole[:-1])
        result = run("convert", *arguments, name, "old")
        expect("%s is refused: %r" % (name, result.err), (result.code, result.out, content("old"), temporaries()),
               (1, b"", b"old", []))
        expect_true("%s is named: %r" % (name, result.err), result.err.startswith(b"safenpy: %s: " % name.encode()))
    expect_true("its member is named", b"safenpy: bad.npz: y.npy: " in run("convert", "--store", "bad.npz", "old").err)
    expect_run("no file", ["convert", "--store", "none", "old"], 2, "",
               "safenpy: none: open failed: No such file or directory\n")
    result = run("convert", "--canonical", "--order", "F", "good.npz", "old")
    expect("an archive needs a key for what is of arrays", (result.code, b": one member is to be named" in result.err), (2, True))


# ---------------------------------------------------------------- sizes

def test_many_members():
    """More members than the end record can count."""
    count = 65600
    with zipfile.ZipFile("many.npz", "w") as archive:
        for number in range(count):
            archive.writestr("%d.npy" % number, base.GOOD if number % 1000 == 0 else b"")
    for kind in ("--store", "--deflate"):
        expect_run("many", ["convert", kind, "many.npz", "out.npz"], 0, "")
        expect("wide end record", content("out.npz")[-42:-38], b"PK\x06\x07")
        with zipfile.ZipFile("out.npz") as archive:
            expect("many, by zipfile", (len(archive.infolist()), archive.read("65000.npy")), (count, base.GOOD))
        expect("many, by check", run("check", "-q", "out.npz").code, 0)


def test_memory():
    """Deflating a large array takes little memory, whatever its size."""
    if SANITIZED:
        return
    write("large.npy", slow_array(200 * MIB))
    os.truncate("large.npy", os.path.getsize("large.npy") + 200 * MIB)
    for kind, most in (("--store", 32), ("--deflate=1", 64)):
        result = subprocess.run(["/usr/bin/python3", "-c",
                                 "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
                                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(code)",
                                 base.binary, "pack", kind, "--threads", "2", "m.npz", "large.npy"],
                                capture_output=True, check=False)
        expect("%s of 200 MiB" % kind, result.returncode, 0)
        expect_true("%s took %s MiB" % (kind, result.stdout), int(result.stdout) < most)


def test_more_than_4_gib():
    """A member that is wide, and one whose offset is; to a pipe and to a file."""
    if not LARGE:
        return
    size = (4 << 30) + 5
    with open("sparse", "wb") as out:
        out.truncate(size)
    for arguments in (["--store"], ["--deflate=1"]):
        for target in ("out.npz", "-"):
            with open("out.npz" if target == "-" else "/dev/null", "wb") as out:
                pipe = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
                result = subprocess.run([base.binary, "pack", "--as-is", *arguments, target, "sparse", "good.npy"],
                                        stdout=pipe.stdin if target == "-" else None, capture_output=target != "-", check=False)
                pipe.stdin.close()
                pipe.wait()
            expect("%r to %s" % (arguments, target), result.returncode, 0)
            with zipfile.ZipFile("out.npz") as archive:
                expect("zipfile reads them", (archive.testzip(), archive.getinfo("sparse").file_size), (None, size))
                expect("the other one", archive.read("good.npy"), base.GOOD)
            expect("check", run("check", "-q", "out.npz").code, 0 if arguments == ["--store"] else 1)
            os.remove("out.npz")


if __name__ == "__main__":
    base.main(globals())
