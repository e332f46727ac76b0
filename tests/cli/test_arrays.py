"""Files of several arrays, one after another: the note, --array and --all-arrays. And the note on |V2."""

import io
import json
import subprocess
import zipfile

import numpy
import pytest


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


ARRAYS = [numpy.arange(3, dtype="<i4"), numpy.arange(4.0).reshape(2, 2), numpy.array(7, dtype=">u2"), numpy.zeros((0, 3)),
          numpy.arange(5000, dtype="<i8")]
PARTS = [npy(array) for array in ARRAYS]
MANY = b"".join(PARTS)
STARTS = [sum(map(len, PARTS[:i])) for i in range(len(PARTS))]
NOTE = f"another array begins at byte {STARTS[1]}"
OBJECTS = npy(numpy.array([1, None], dtype=object))


@pytest.fixture
def run(safenpy, tmp_path):
    def call(data, *words, place="f", piped=b""):
        (tmp_path / "f").write_bytes(data)
        done = subprocess.run([safenpy, *words[:1], *words[1:], place], cwd=tmp_path, input=piped, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    return call


def test_the_next_array_is_noted(run):
    assert run(MANY, "check") == (0, f"f: accept, npy 1.0, note: {NOTE}\n", "")
    assert run(MANY, "check", place="-", piped=MANY) == (0, f"-: accept, npy 1.0, note: {NOTE}\n", "")
    assert json.loads(run(MANY, "check", "--json")[1])["notes"] == [NOTE]
    for data in (PARTS[4] + PARTS[0], PARTS[3] + PARTS[0]):  # far behind the first read, and without data
        first = len(data) - len(PARTS[0])
        for place in ("f", "-"):
            assert run(data, "check", place=place, piped=data)[1].endswith(f", note: another array begins at byte {first}\n")
    assert run(PARTS[0] + b"\x93NUMP", "check")[1] == "f: accept, npy 1.0, note: 5 trailing bytes\n"
    assert run(PARTS[0] + b"x" + PARTS[1], "check")[1].endswith(f"{len(PARTS[1]) + 1} trailing bytes\n")


@pytest.mark.parametrize("option", ["--no-trailing", "--untrusted"])
def test_the_refusal_names_it(run, option):
    for place in ("f", "-"):
        code, out, err = run(MANY, "check", option, place=place, piped=MANY)
        assert (code, err) == (1, "")
        assert out.splitlines()[0] == f"{place}: reject: {NOTE} [NPY-DATA-002]"
        assert "all-arrays" in out
    verdict = json.loads(run(MANY, "check", option, "--json")[1])
    assert (verdict["message"], verdict["offset"]) == ("another array begins", STARTS[1])
    assert run(MANY, "check", option, "--all-arrays")[0] == 0
    assert run(MANY + b"x", "check", option, "--all-arrays")[1].splitlines()[-2].startswith(
        f"f, array at byte {STARTS[4]}: reject: there are bytes after the data at byte {len(MANY)} [NPY-DATA-002]")


def test_check_all(run):
    code, out, err = run(MANY, "check", "--all-arrays")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["f: accept, npy 1.0"] + [f"f, array at byte {start}: accept, npy 1.0" for start in STARTS[1:]]
    found = [json.loads(line) for line in run(MANY, "check", "--all-arrays", "--json")[1].splitlines()]
    assert [one.get("array_offset", 0) for one in found] == STARTS
    assert run(MANY + b"xy", "check", "--all-arrays")[1].endswith(", note: 2 trailing bytes\n")
    summary = run(MANY, "check", "--all-arrays", "--summary-only")[1]
    assert summary.startswith(f"1 file: 1 accepted, 0 refused, 0 unreadable; {len(MANY)} bytes in ")


def test_a_bad_array_is_found_at_its_byte_of_the_file(run):
    bad = MANY[:STARTS[2]] + PARTS[2].replace(b"False", b"Falsy") + b"".join(PARTS[3:])
    place = bad.index(b"Falsy")
    code, out, _ = run(bad, "check", "--all-arrays")
    assert code == 1
    assert out.splitlines()[2].startswith(f"f, array at byte {STARTS[2]}: reject: ") and f" at byte {place} [" in out
    assert out.splitlines()[4].index("^") == out.splitlines()[3].index("Falsy")
    verdict = json.loads(run(bad, "check", "--array", "2", "--json")[1])
    assert (verdict["offset"], verdict["array_offset"]) == (place, STARTS[2])
    assert run(MANY[:-1], "check", "--array", "4")[:2] == (1, run(MANY[:-1], "check", "--all-arrays")[1].split("\n", 4)[4])
    assert run(bad, "check", "--array", "3")[0] == 1  # nobody knows where it begins


@pytest.mark.parametrize("index", range(len(ARRAYS)))
@pytest.mark.parametrize("place", ["f", "-"])
def test_one_array(safenpy, tmp_path, index, place):
    (tmp_path / "f").write_bytes(MANY)

    def one(*words):
        with open(tmp_path / "f", "rb") as source:
            return subprocess.run([safenpy, *words], cwd=tmp_path, stdin=source, capture_output=True, check=False)
    for output in ("raw", "text", "json"):
        got = one("cat", "--array", str(index), "--output", output, place)
        (tmp_path / "alone").write_bytes(PARTS[index])
        assert (got.returncode, got.stdout) == (0, one("cat", "--output", output, "alone").stdout)
    assert one("convert", "--array", str(index), "--canonical", place, "out").returncode == 0
    assert (tmp_path / "out").read_bytes() == PARTS[index]
    info = json.loads(one("info", "--array", str(index), "--json", place).stdout)
    assert (info["shape"], info.get("array_offset", 0)) == (list(ARRAYS[index].shape), STARTS[index])


def test_all_arrays(run):
    assert run(MANY, "cat", "--all-arrays")[1] == "".join(run(part, "cat")[1] for part in PARTS)
    found = [json.loads(line) for line in run(MANY, "info", "--all-arrays", "--json")[1].splitlines()]
    assert [one["shape"] for one in found] == [list(array.shape) for array in ARRAYS]
    assert {one["trailing_bytes"] for one in found} == {0}
    assert run(MANY, "info", "--all-arrays")[1].count("array_offset:") == len(ARRAYS) - 1


@pytest.mark.parametrize("place", ["f", "-"])
@pytest.mark.parametrize("how", [[], ["--store"], ["--deflate=9", "--threads", "2"], ["--canonical"]])
def test_all_arrays_to_an_archive(safenpy, tmp_path, place, how):
    """NumPy finds them by the names that its savez gives, with the bytes of each."""
    (tmp_path / "f").write_bytes(MANY)
    with open(tmp_path / "f", "rb") as source:
        done = subprocess.run([safenpy, "convert", "--all-arrays", *how, place, "out.npz"], cwd=tmp_path, stdin=source,
                              capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    numpy.savez(tmp_path / "expected.npz", *ARRAYS)
    with numpy.load(tmp_path / "out.npz") as got, numpy.load(tmp_path / "expected.npz") as expected:
        assert got.files == expected.files == [f"arr_{index}" for index in range(len(ARRAYS))]
        for name in got.files:
            assert got[name].dtype == expected[name].dtype and numpy.array_equal(got[name], expected[name])
    with zipfile.ZipFile(tmp_path / "out.npz") as archive:
        assert [archive.read(name) for name in archive.namelist()] == PARTS
        methods = {member.compress_type for member in archive.infolist() if member.file_size > 4096}
        assert methods == {zipfile.ZIP_DEFLATED if "--deflate=9" in how else zipfile.ZIP_STORED}


def test_all_arrays_replace_the_file_or_none_does(safenpy, tmp_path):
    def convert(data, *words):
        (tmp_path / "f").write_bytes(data)
        done = subprocess.run([safenpy, "convert", "--all-arrays", *words], cwd=tmp_path, input=data, capture_output=True,
                              check=False)
        return done.returncode, done.stderr.decode()
    assert convert(MANY, "f", "f") == (0, "")
    assert sorted(zipfile.ZipFile(tmp_path / "f").namelist()) == sorted(f"arr_{i}.npy" for i in range(len(ARRAYS)))
    assert convert(PARTS[1] + OBJECTS, "f", "out.npz") == (0, "")
    assert zipfile.ZipFile(tmp_path / "out.npz").read("arr_1.npy") == OBJECTS
    assert convert(MANY + b"xy", "f", "out.npz") == (0, "safenpy: f: 2 trailing bytes are dropped\n")
    (tmp_path / "out.npz").unlink()
    bad = MANY[:STARTS[2]] + PARTS[2].replace(b"False", b"Falsy") + b"".join(PARTS[3:])
    code, said = convert(bad, "f", "out.npz")
    assert code == 1 and f" at byte {bad.index(b'Falsy')} [" in said and said.count("safenpy: ") == 1
    assert convert(MANY[:-1], "f", "out.npz")[0] == 1 and convert(b"", "f", "out.npz")[0] == 1
    assert convert(MANY, "-", "out.npz") == (2, "safenpy: -: arrays after the first are read from a file, not from a pipe\n")
    for words in (["--array", "1"], ["--order", "F"], ["--member", "x"], ["--byteorder", "big"], ["--format-version", "2.0"]):
        assert convert(MANY, *words, "f", "out.npz")[0] == 2
    assert convert(MANY, "f", "out.npy")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f"]


def test_repairs_of_all_arrays_are_reported(safenpy, tmp_path):
    bent = PARTS[1].replace(b"(2, 2), }  ", b"[2, 2], }  ")
    (tmp_path / "f").write_bytes(PARTS[0] + bent)
    words = [safenpy, "convert", "--all-arrays"]
    assert subprocess.run([*words, "f", "out.npz"], cwd=tmp_path, capture_output=True, check=False).returncode == 1
    done = subprocess.run([*words, "--compat", "list-shape", "f", "out.npz"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0 and b"list-shape" in done.stderr
    assert zipfile.ZipFile(tmp_path / "out.npz").read("arr_1.npy") == PARTS[1]


def test_arrays_that_are_not_there(run):
    assert run(MANY, "cat", "--array", "5") == (2, "", "safenpy: f: the last array is number 4, counted from 0\n")
    assert run(PARTS[0] + b"junk", "info", "--array", "1") == (2, "", "safenpy: f: the last array is number 0, counted from 0\n")
    assert run(OBJECTS + PARTS[0], "check", "--array", "1") == (
        2, "", "safenpy: f: the last array is number 0, counted from 0; where an object array ends is not known\n")
    assert run(PARTS[0] + OBJECTS, "check", "--all-arrays")[1].endswith(": accept, npy 1.0, objects: data\n")
    for words in (["check", "--all-arrays"], ["cat", "--array", "1"]):
        assert run(MANY, *words, place="-", piped=MANY) == (
            2, "", "safenpy: -: arrays after the first are read from a file, not from a pipe\n")
    assert run(MANY, "cat", "--array", "0", place="-", piped=MANY)[:2] == run(PARTS[0], "cat")[:2]
    assert run(MANY, "check", "--array", "1", "--all-arrays")[2].startswith("safenpy: --array and --all-arrays contradict each other")
    assert run(MANY, "info", "--header-only", "--all-arrays")[0] == 2
    assert run(b"", "check", "--all-arrays")[0] == 1
    assert run(MANY, "check", "--all-arrays", place="none")[0] == 2


def test_convert_says_what_is_left_out(run):
    assert run(MANY, "convert", "f", place="out") == (0, "", f"safenpy: f: {NOTE}, and is dropped\n")


def test_thousands_of_arrays(run):
    code, out, _ = run(PARTS[0] * 2200, "check", "--all-arrays")
    assert (code, len(out.splitlines())) == (0, 2200)
    assert run(PARTS[0] * 2199 + PARTS[2], "cat", "--array", "2199")[1] == run(PARTS[2], "cat")[1]


def test_a_type_of_two_bytes_may_be_bfloat16(run):
    note = ", note: the type |V2 may be bfloat16, which the format cannot name\n"
    assert run(npy(numpy.zeros(3, dtype="V2")), "check")[1] == "f: accept, npy 1.0" + note
    assert run(npy(numpy.zeros(3, dtype="V3")), "check")[1] == "f: accept, npy 1.0\n"
    assert run(npy(numpy.zeros(3, dtype=[("a", "V2")])), "check")[1] == "f: accept, npy 1.0\n"
