"""`convert --flatten` and `--unflatten` with other options, with streams, and where writing fails.          NPY-PKL-031, NPY-PKL-035"""

import io
import os
import resource
import subprocess
import threading

import numpy
import pytest

LIMIT = 100_000  # bytes of a file that can be written


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


def row(*values):
    array = numpy.empty(len(values), object)
    array[:] = values
    return array


OBJECTS, OTHERS, PLAIN = npy(row(1, "a")), npy(row(2.5, None)), npy(numpy.arange(3))
LARGE = npy(row(os.urandom(300_000), "x"))


@pytest.fixture
def run(safenpy, tmp_path):
    def call(*words, **more):
        done = subprocess.run([safenpy, "convert", *words], cwd=tmp_path, capture_output=True, check=False, **more)
        return done.returncode, done.stdout, done.stderr.decode()
    return call


@pytest.fixture
def folder(run, tmp_path):
    """Files of each kind: objects, plain, several, archives, flat archives."""
    files = {"a.npy": OBJECTS, "plain.npy": PLAIN, "second.npy": PLAIN + OBJECTS, "two.npy": OBJECTS + OTHERS, "long.npy": OBJECTS + b"junk",
             "odd.npy": OBJECTS.replace(b"'fortran_order': False", b"'fortran_order': 0    "), "large.npy": LARGE}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    numpy.savez(tmp_path / "m.npz", x=row(1, "a"), y=numpy.arange(3))
    assert run("--flatten", "a.npy", "flat.npz")[0] == run("--flatten", "large.npy", "large.npz")[0] == 0
    assert run("--flatten", "--deflate", "large.npy", "small.npz")[0] == 0
    assert run("--disarm", "a.npy", "disarmed.npy")[0] == 0
    (tmp_path / "prefixed.npz").write_bytes(b"junk" + (tmp_path / "flat.npz").read_bytes())
    return tmp_path


def comes_back(run, folder, name):
    """Whether an archive comes back as the objects."""
    assert run("--unflatten", name, "back.npy") == (0, b"", "")
    assert (folder / "back.npy").read_bytes() == (folder / "disarmed.npy").read_bytes()
    return True


@pytest.mark.parametrize("words", [
    ("a.npy",), ("--array", "0", "a.npy"), ("--array", "1", "second.npy"), ("--member", "x", "m.npz"), ("m.npz:x",), ("--array", "0", "m.npz:x"),
    ("--drop-acl", "a.npy"), ("--max-header", "1000", "a.npy"), ("--max-data-bytes", "1000", "a.npy"), ("--compat", "all", "a.npy"),
    ("--store", "a.npy"), ("--deflate=9", "--threads", "2", "a.npy"), ("--lock-timeout", "1", "a.npy")], ids=" ".join)
def test_options_of_flatten(run, folder, words):
    *options, name = words
    for out in ("new", "flat.npz"):
        assert run("--flatten", *options, name, out) == (0, b"", "")
        assert comes_back(run, folder, out)
    if ":" not in name and "--member" not in options:
        code, out, said = run("--flatten", *options, "-", "-", stdin=(folder / name).open("rb"))
        assert (code, said) == (0, "")
        (folder / "new").write_bytes(out)
        assert comes_back(run, folder, "new")


def test_a_repaired_header_is_reported(run, folder):
    """As --disarm reports it, for what comes back has another."""
    found = run("--flatten", "--compat", "int-fortran-order", "odd.npy", "new.npz")
    assert found == run("--disarm", "--compat", "int-fortran-order", "odd.npy", "new.npy") and found[0] == 0 and "fixed int-fortran-order at byte 43" in found[2]
    assert comes_back(run, folder, "new.npz")


@pytest.mark.parametrize("code, words, fault", [
    (2, ("--flatten", "plain.npy"), "plain already"), (2, ("--flatten", "--array", "0", "second.npy"), "plain already"),
    (2, ("--flatten", "--array", "2", "second.npy"), "the last array is number 1"), (2, ("--flatten", "--array", "1", "two.npy"), "the last array is number 0"),
    (1, ("--flatten", "two.npy"), "bytes after the end of the pickle at byte 292 [NPY-PKL-006]"), (1, ("--flatten", "long.npy"), "at byte 292 [NPY-PKL-006]"),
    (2, ("--flatten", "--array", "x", "a.npy"), "--array"), (2, ("--flatten", "--all-arrays", "second.npy"), "keep the array"),
    (1, ("--flatten", "odd.npy"), "NPY-HDR-004"), (1, ("--flatten", "--max-header", "20", "a.npy"), "NPY-FRAME-005"),
    (2, ("--flatten", "m.npz"), "as in m.npz:x"), (2, ("--flatten", "m.npz:y"), "plain already"), (2, ("--flatten", "m.npz:z"), "m.npz:z"),
    (2, ("--flatten", "--member", "z", "m.npz"), "no member"), (2, ("--flatten", "--member", "x", "a.npy"), "--member is for archives"),
    (2, ("--flatten", "--compat", "none", "a.npy"), "no flag 'none'"), (2, ("--flatten", "missing"), "No such file"), (2, ("--flatten", "."), "Is a directory"),
    (2, ("--unflatten", "--array", "0", "flat.npz"), "whole archive"), (2, ("--unflatten", "--member", "$schema", "flat.npz"), "whole archive"),
    (2, ("--unflatten", "--all-arrays", "flat.npz"), "keep the array"), (1, ("--unflatten", "a.npy"), "--unflatten reads an archive"),
    (1, ("--unflatten", "m.npz"), "NPY-PKL-035"), (1, ("--unflatten", "prefixed.npz"), "NPY-FRAME-001"),
    (1, ("--unflatten", "--max-header", "20", "flat.npz"), "$schema.npy: reject: the header length exceeds the limit at byte 8 [NPY-FRAME-005]"),
    (1, ("--unflatten", "--max-data-bytes", "20", "flat.npz"), "$schema.npy: reject: the header declares more data than the limit at byte 192 [NPY-DATA-004]"),
    (1, ("--unflatten", "--max-members", "1", "flat.npz"), "NPZ-LIMIT-001"), (1, ("--unflatten", "--max-member-bytes", "1000", "small.npz"), "NPZ-LIMIT-002"),
    (2, ("--unflatten", "missing"), "No such file"), (2, ("--unflatten", "."), "")], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_what_is_refused_leaves_the_old_file(run, folder, code, words, fault):
    (folder / "old").write_bytes(b"old")
    before = sorted(os.listdir(folder))
    found, out, said = run(*words, "old")
    assert (found, out) == (code, b"") and fault in said and said, said
    assert (folder / "old").read_bytes() == b"old" and sorted(os.listdir(folder)) == before
    assert run(*words, "new")[0] == code and sorted(os.listdir(folder)) == before


def test_names_that_mislead(run, folder):
    """What has the wrong suffix is refused, so that IN is not replaced by the other format."""
    for words, fault in ((("--flatten", "a.npy", "a.npy"), "OUT is named .npy"), (("--unflatten", "flat.npz", "flat.npz"), "OUT is named .npz")):
        before = (folder / words[1]).read_bytes()
        code, _, said = run(*words)
        assert code == 2 and fault in said and (folder / words[1]).read_bytes() == before


def test_the_output_is_the_input(run, folder):
    (folder / "here").write_bytes(OBJECTS)
    for _ in range(2):
        assert run("--flatten", "here", "here") == (0, b"", "") and (folder / "here").read_bytes() == (folder / "flat.npz").read_bytes()
        assert run("--unflatten", "here", "here") == (0, b"", "") and (folder / "here").read_bytes() == (folder / "disarmed.npy").read_bytes()
    assert run("--flatten", "--member", "x", "m.npz", "m.npz") == (0, b"", "") and comes_back(run, folder, "m.npz")
    (folder / "here").write_bytes(PLAIN)
    assert run("--flatten", "here", "here")[0] == 2 and (folder / "here").read_bytes() == PLAIN
    assert run("--unflatten", "here", "here")[0] == 1 and (folder / "here").read_bytes() == PLAIN


def test_streams(run, folder):
    flat, plain = (folder / "flat.npz").read_bytes(), (folder / "disarmed.npy").read_bytes()
    assert run("--unflatten", "-", "-", input=flat) == (0, plain, "")
    with (folder / "flat.npz").open("rb") as file:
        assert run("--unflatten", "-", "-", stdin=file) == (0, plain, "")
    for words, data, fault in ((("--flatten",), PLAIN, "plain already"), (("--flatten",), b"", "NPY-FRAME-002"), (("--flatten",), OBJECTS[:-1], "NPY-PKL-002"),
                               (("--flatten", "--array", "1"), PLAIN + OBJECTS, "not from a pipe"), (("--unflatten",), OBJECTS, "--unflatten reads an archive"),
                               (("--unflatten",), b"", "--unflatten reads an archive"), (("--unflatten",), flat[:-1], "NPZ")):
        code, out, said = run(*words, "-", "-", input=data)
        assert code in (1, 2) and out == b"" and fault in said, said


def test_named_pipes(run, folder):
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(OBJECTS,))
    writer.start()
    assert run("--flatten", "pipe", "new") == (0, b"", "")
    writer.join()
    assert comes_back(run, folder, "new")


def test_a_named_pipe_is_no_archive(run, folder):
    """It is refused at once, also if nobody ever writes to it."""
    os.mkfifo(folder / "pipe")
    code, out, said = run("--unflatten", "pipe", "new", timeout=60)
    assert (code, out) == (2, b"") and "read from its end" in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no /dev/full")
@pytest.mark.parametrize("words", [("--flatten", "a.npy"), ("--flatten", "large.npy"), ("--flatten", "--deflate", "large.npy"), ("--unflatten", "flat.npz"),
                                   ("--unflatten", "large.npz"), ("--unflatten", "small.npz")], ids=" ".join)
def test_a_full_disk(run, folder, safenpy, words):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run(*words, "/dev/full") == (2, b"", "safenpy: /dev/full: write failed: No space left on device\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([safenpy, "convert", *words, "-"], cwd=folder, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"safenpy: -: write failed: No space left on device\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("words", [("--flatten", "large.npy"), ("--flatten", "--deflate", "large.npy"), ("--unflatten", "large.npz")], ids=" ".join)
def test_a_file_that_cannot_grow(run, folder, words):
    (folder / "old").write_bytes(b"old")
    before = sorted(os.listdir(folder))
    code, _, said = run(*words, "old", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)))
    assert (code, said) == (2, "safenpy: old: write failed: File too large\n")
    assert (folder / "old").read_bytes() == b"old" and sorted(os.listdir(folder)) == before


def test_a_folder_that_cannot_be_written(run, folder):
    (folder / "file").write_bytes(b"")
    for words in (("--flatten", "a.npy"), ("--unflatten", "flat.npz")):
        for out in ("file/x", "none/x", "."):
            code, _, said = run(*words, out)
            assert code == 2 and out in said
