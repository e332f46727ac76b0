"""The gate for files from strangers: check --untrusted, --allow, --no-objects, --strict."""

import io
import json
import subprocess
import zipfile

import numpy
import pytest


def npy(array, behind=b""):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue() + behind


PLAIN = npy(numpy.arange(3))
OBJECTS = npy(numpy.array([{}, 1], dtype=object))
TRAILING = npy(numpy.arange(3), b"xx")


def zipped(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return file.getvalue()


@pytest.fixture
def check(safenpy, tmp_path):
    def call(data, *options):
        """{file or member: (verdict, rule)}."""
        (tmp_path / "f").write_bytes(data)
        done = subprocess.run([safenpy, "check", "--json", *options, "f"], cwd=tmp_path, capture_output=True, check=False)
        line = json.loads(done.stdout)
        found = {member["name"]: member.get("rule") for member in line.get("members", [])}
        found[""] = line.get("rule", line["verdict"])
        assert done.returncode == (0 if line["verdict"] == "accept" else 1)
        return found
    return call


@pytest.mark.parametrize("data, allow, rule", [
    (PLAIN, None, "accept"), (OBJECTS, "objects", "API-OBJECTS"), (TRAILING, "trailing", "NPY-DATA-002")])
def test_files(check, data, allow, rule):
    assert check(data)[""] == "accept"
    assert check(data, "--untrusted")[""] == rule
    if allow:
        assert check(data, "--untrusted", "--allow", allow)[""] == "accept"
        others = ",".join({"objects", "trailing", "members", "names"} - {allow})
        assert check(data, "--allow", others, "--untrusted")[""] == rule
    assert check(OBJECTS, "--no-objects")[""] == "API-OBJECTS"


def test_members(check):
    data = zipped([("good.npy", PLAIN), ("o.npy", OBJECTS), ("fake.npy", b"hello"), ("readme.txt", b"hi")])
    assert set(check(data).values()) == {None, "accept"}
    assert check(data, "--untrusted") == {"good.npy": None, "o.npy": "API-OBJECTS", "fake.npy": "API-ARRAY", "readme.txt": None,
                                          "": "reject"}
    assert check(data, "--untrusted", "--allow", "objects")["o.npy"] is None
    assert check(data, "--untrusted", "--allow", "members")["fake.npy"] is None
    assert check(data, "--strict")[""] == "API-ARRAY"
    assert check(data, "--strict", "--member", "good")[""] == "API-ARRAY"
    assert check(zipped([("a.npy", PLAIN), ("readme.txt", b"hi")]), "--strict")[""] == "accept"


@pytest.mark.parametrize("name, rule", [
    ("../a.npy", "NPZ-PATH-001"), ("/a.npy", "NPZ-PATH-001"), ("a/../b.npy", "NPZ-PATH-001"), ("con.npy", "NPZ-PATH-002"),
    ("a\\b.npy", "NPZ-PATH-002"), ("a:b.npy", "NPZ-PATH-002"), ("a\x1b.npy", "NPZ-PATH-002"), ("dir/a.npy", None)])
def test_names(check, name, rule):
    data = zipped([(name, PLAIN)])
    assert check(data)[""] == "accept"
    assert check(data, "--untrusted")[name] == rule
    assert check(data, "--untrusted", "--allow", "names")[""] == "accept"


def test_names_that_collide(check):
    data = zipped([("B.npy", PLAIN), ("a.npy", PLAIN), ("b.NPY", PLAIN), ("A.npy", PLAIN), ("c.npy", PLAIN)])
    assert check(data, "--untrusted") == {"B.npy": None, "a.npy": None, "b.NPY": "NPZ-PATH-003", "A.npy": "NPZ-PATH-003",
                                          "c.npy": None, "": "reject"}
    assert check(data, "--untrusted", "-j", "2") == check(data, "--untrusted")


def test_what_it_refuses_unpack_refuses(safenpy, tmp_path, check):
    names = ["ok.npy", "../x.npy", "nul.npy", "y .npy", "Ok.npy", "deep/z.npy", "w?.npy"]
    data = zipped([(name, PLAIN) for name in names])
    found = check(data, "--untrusted")
    (tmp_path / "out").mkdir()
    done = subprocess.run([safenpy, "unpack", "-d", "out", "f"], cwd=tmp_path, capture_output=True, check=False)
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert done.returncode == 1 and written == {name for name in names if found[name] is None}


def test_limits(check):
    many = zipped([(f"{i}.npy", PLAIN) for i in range(10001)])
    assert check(many)[""] == "accept"
    assert check(many, "--untrusted")[""] == "NPZ-LIMIT-001"
    assert check(many, "--max-members", "10001", "--untrusted")[""] == "accept"
    assert check(npy(numpy.zeros(0)), "--untrusted")[""] == "accept"
    gibibyte = npy(numpy.zeros(0, dtype="V1")).replace(b"(0,), }" + b" " * 9, b"(1073741825,), }")
    assert check(gibibyte, "--untrusted")[""] == "NPY-DATA-004"
    assert check(gibibyte, "--untrusted", "--max-data-bytes", "1073741825")[""] == "NPY-DATA-001"


def test_a_bomb(check):
    header = npy(numpy.zeros(0, dtype="V1")).replace(b"(0,), }" + b" " * 9, b"(1073741700,), }")
    data = zipped([("a.npy", header + bytes(1073741700))], zipfile.ZIP_DEFLATED)
    assert check(data)[""] == "accept"
    assert check(data, "--untrusted")["a.npy"] == "NPZ-LIMIT-002"


def test_wrong_usage(safenpy):
    done = subprocess.run([safenpy, "check", "--allow", "all", "x"], capture_output=True, check=False)
    assert done.returncode == 2 and b"objects, trailing, names, members" in done.stderr
    done = subprocess.run([safenpy, "check", "--allow", "names", "x"], capture_output=True, check=False)
    assert done.returncode == 2 and b"--allow relaxes --untrusted, which is not given" in done.stderr
