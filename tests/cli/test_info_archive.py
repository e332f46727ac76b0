"""`info` of an archive reads headers only: its work does not grow with the data, and it says nothing about them."""

import json
import resource
import struct
import subprocess
import zlib

MEMBERS = 24
SIZE = 64 << 20


def header(shape):
    """The header of an array of bytes."""
    text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % shape
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117) + b"\n"


def deflate(content):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def archive(members):
    """An archive of deflated members (name, stream, size, CRC)."""
    local, central = b"", b""
    for name, stream, size, crc in members:
        common = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 33, crc, len(stream), size, len(name), 0)
        central += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, len(local)) + name
        local += b"PK\3\4" + common + name + stream
    end = struct.pack("<HHHHLLH", 0, 0, len(members), len(members), len(central), len(local), 0)
    return local + central + b"PK\5\6" + end


def write_zeros(path, size):
    content = header(size) + bytes(size)
    stream, crc = deflate(content), zlib.crc32(content)
    path.write_bytes(archive([(b"m%d.npy" % i, stream, len(content), crc) for i in range(MEMBERS)]))


def seconds(*command):
    """The CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_info_does_not_inflate_data(safenpy, tmp_path):
    write_zeros(tmp_path / "small.npz", 64)
    write_zeros(tmp_path / "large.npz", SIZE)
    for words in ([], ["--json"], ["--member", "m0"]):
        small, large = (min(seconds(safenpy, "info", *words, tmp_path / name) for _ in range(3))
                        for name in ("small.npz", "large.npz"))
        assert large <= 3 * small + 0.02, f"info {words}: {large:.3f} s of CPU for 1.5 GiB, {small:.3f} s for 1.5 KiB"


def test_info_of_an_archive_larger_than_the_limit_of_one_call(safenpy, tmp_path):
    write_zeros(tmp_path / "a.npz", 64)
    words = ["--max-total-bytes", "1000", tmp_path / "a.npz"]
    assert subprocess.run([safenpy, "info", *words], capture_output=True, check=False).returncode == 0
    assert subprocess.run([safenpy, "check", *words], capture_output=True, check=False).returncode == 1


def test_info_reports_headers_and_check_the_data(safenpy, tmp_path):
    content = header(1000) + bytes(range(250)) * 4
    crc = zlib.crc32(content)
    stream = deflate(content)
    short = deflate(content[:50])
    (tmp_path / "a.npz").write_bytes(archive([
        (b"good.npy", stream, len(content), crc),
        (b"crc.npy", stream, len(content), crc ^ 1),
        (b"cut.npy", stream[:-20], len(content), crc),
        (b"head.npy", short, len(content), crc),
        (b"text", deflate(b"no array, but a text"), 20, 0),
    ]))
    found = subprocess.run([safenpy, "info", "--json", "a.npz"], capture_output=True, cwd=tmp_path, check=False)
    info = {m["key"]: m for m in json.loads(found.stdout)["members"]}
    for key in ("good", "crc", "cut"):
        assert (info[key]["format"], info[key]["shape"]) == ("npy", [1000])
    assert info["text"]["format"] is None and "verdict" not in info["text"]
    assert info["head"]["status"] == "SNPY_ZIP_INFLATED_SIZE"
    assert found.returncode == 1
    found = subprocess.run([safenpy, "check", "--json", "a.npz"], capture_output=True, cwd=tmp_path, check=False)
    check = {m["key"]: m.get("status") for m in json.loads(found.stdout)["members"]}
    assert check == {"good": None, "crc": "SNPY_ZIP_BAD_CRC", "cut": "SNPY_ZIP_BAD_DEFLATE",
                     "head": "SNPY_ZIP_INFLATED_SIZE", "text": "SNPY_ZIP_BAD_CRC"}


def test_check_strict_inflates_once(safenpy, tmp_path):
    write_zeros(tmp_path / "a.npz", SIZE // 4)
    plain, strict = (min(seconds(safenpy, "check", *words, tmp_path / "a.npz") for _ in range(3))
                     for words in ([], ["--strict"]))
    assert strict <= 1.5 * plain
