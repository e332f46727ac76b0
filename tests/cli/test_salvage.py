"""safenpy salvage: what is whole in a broken archive. tests/unit/test_salvage.c cuts archives at every byte."""

import io
import json
import subprocess
import zipfile

import numpy
import pytest


def savez(compressed, **arrays):
    file = io.BytesIO()
    (numpy.savez_compressed if compressed else numpy.savez)(file, **arrays)
    return file.getvalue()


ARRAYS = {"one": numpy.arange(50), "two": numpy.linspace(0, 1, 300), "three": numpy.array([b"x", b"yz"])}


def found(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: (archive.read(info), info.compress_type) for info in archive.infolist()}


@pytest.fixture
def salvage(safenpy, tmp_path):
    def call(data, *options, to="out.npz", **more):
        """Exit status, output, messages and the new archive, None if there is none."""
        (tmp_path / "in.npz").write_bytes(data)
        done = subprocess.run([safenpy, "salvage", *options, "in.npz", to], cwd=tmp_path, capture_output=True, check=False, **more)
        out = tmp_path / "out.npz"
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(), out.read_bytes() if out.exists() else None
    return call


@pytest.mark.parametrize("compressed", [False, True])
def test_an_archive_without_its_directory(salvage, compressed):
    whole = savez(compressed, **ARRAYS)
    wanted = found(whole)
    start = whole.index(b"PK\1\2")
    for data in (whole, whole[:start], whole[:start + 20], whole[:-1]):
        code, out, err, new = salvage(data)
        assert (code, err, found(new)) == (0, "", wanted)
        assert out.splitlines() == [f"{name}: kept, {len(data)} bytes" for name, (data, _) in wanted.items()]


@pytest.mark.parametrize("compressed", [False, True])
def test_a_cut_loses_the_member_that_it_goes_through(salvage, compressed):
    whole = savez(compressed, **ARRAYS)
    third = zipfile.ZipFile(io.BytesIO(whole)).infolist()[2].header_offset
    code, out, err, new = salvage(whole[:third + 100])
    assert (code, err, list(found(new))) == (1, "", ["one.npy", "two.npy"])
    assert out.splitlines()[2] == (f"three.npy: lost, it begins at byte {third}: the file ends before its data are complete "
                                   f"at byte {third + 100} [NPY-DATA-001]")
    lines = [json.loads(line) for line in salvage(whole[:third + 100], "--json")[1].splitlines()]
    assert [(line["name"], line["verdict"]) for line in lines] == [("one.npy", "kept"), ("two.npy", "kept"), ("three.npy", "lost")]
    assert (lines[2]["local_offset"], lines[2]["offset"], lines[2]["rule"]) == (third, third + 100, "NPY-DATA-001")


def test_a_flipped_bit_loses_one_member(salvage, safenpy, tmp_path):
    whole = bytearray(savez(False, **ARRAYS))
    second = zipfile.ZipFile(io.BytesIO(bytes(whole))).infolist()[1]
    whole[second.header_offset + 200] ^= 4
    code, out, _, new = salvage(bytes(whole))
    assert (code, list(found(new))) == (1, ["one.npy", "three.npy"])
    assert "two.npy: lost" in out and "[NPZ-DATA-" in out
    assert subprocess.run([safenpy, "check", "-q", "--strict", "out.npz"], cwd=tmp_path, check=False).returncode == 0


def test_nothing_is_whole(salvage, tmp_path):
    (tmp_path / "out.npz").write_bytes(b"old")
    for data in (b"", b"PK", b"hello " * 100, savez(False, **ARRAYS)[:100]):
        code, _, err, new = salvage(data)
        assert (code, err, new) == (1, "safenpy: in.npz: no member is whole, and nothing was written\n", b"old")


def test_the_new_archive_is_whole_or_not_there(salvage, tmp_path):
    (tmp_path / "out.npz").write_bytes(b"old")
    code, _, err, new = salvage(savez(False, **ARRAYS), preexec_fn=lambda: __import__("resource").setrlimit(1, (900, 900)))
    assert (code, new) == (2, b"old")
    assert err.startswith("safenpy: out.npz: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npz", "out.npz"]


def test_names_of_strangers_are_escaped(salvage):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a\x1b[31m.npy", b"x")
        archive.writestr("../b", b"not an array")
    out = salvage(file.getvalue())[1]
    assert out.splitlines() == ["a\\x1b[31m.npy: kept, 1 byte", "../b: kept, 12 bytes"]


def test_a_whole_member_with_a_bad_header_is_kept(salvage):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", b"\x93NUMPY\1\0\5\0xxxxx")
    code, out, _, new = salvage(file.getvalue())
    assert (code, list(found(new))) == (0, ["a.npy"])
    assert out.startswith("a.npy: kept, 15 bytes; but its header: ")


def test_places(salvage, safenpy, tmp_path):
    whole = savez(True, **ARRAYS)
    code, out, err, _ = salvage(whole, to="-")
    assert (code, len(err.splitlines())) == (0, 3)
    (tmp_path / "same.npz").write_bytes(whole[:-30])
    assert subprocess.run([safenpy, "salvage", "same.npz", "same.npz"], cwd=tmp_path, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert found((tmp_path / "same.npz").read_bytes()) == found(whole)
    with open(tmp_path / "in.npz", "rb") as source:
        assert subprocess.run([safenpy, "salvage", "-", "s.npz"], cwd=tmp_path, stdin=source, stdout=subprocess.DEVNULL, check=False).returncode == 0
    piped = subprocess.run([safenpy, "salvage", "-", "p.npz"], cwd=tmp_path, input=whole, capture_output=True, check=False)
    assert (piped.returncode, piped.stderr, found((tmp_path / "p.npz").read_bytes())) == (0, b"", found(whole))
    limited = subprocess.run([safenpy, "salvage", "--max-total-bytes", "100", "-", "q.npz"], cwd=tmp_path, input=whole,
                             capture_output=True, check=False)
    assert limited.returncode == 2 and b"--max-total-bytes allows" in limited.stderr and not (tmp_path / "q.npz").exists()
    missing = subprocess.run([safenpy, "salvage", "none", "p.npz"], cwd=tmp_path, capture_output=True, check=False)
    assert (missing.returncode, missing.stderr) == (2, b"safenpy: none: open failed: No such file or directory\n")


def test_limits_hold(salvage):
    whole = savez(True, zeros=numpy.zeros(100000, dtype="u1"), one=numpy.arange(3))
    code, out, _, new = salvage(whole, "--max-member-bytes", "5000")
    assert (code, list(found(new))) == (1, ["one.npy"])
    assert "zeros.npy: lost" in out and "NPZ-LIMIT-002" in out


def test_a_member_whose_bytes_or_name_look_like_the_end_of_an_archive(salvage):
    """An end record with a comment that would reach over the end of the archive."""
    fake = b"PK\5\6" + bytes(16) + (120).to_bytes(2, "little") + bytes(7)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("nested.bin", fake)
        archive.writestr("nested.PK\5\6", fake)
    whole = file.getvalue()
    for data in (whole, whole[:whole.index(b"PK\1\2")]):
        code, out, err, new = salvage(data)
        assert (code, out.count(f": kept, {len(fake)} bytes\n"), err) == (0, 2, "")
        assert found(new) == {name: (fake, zipfile.ZIP_STORED) for name in ("nested.bin", "nested.PK\5\6")}
