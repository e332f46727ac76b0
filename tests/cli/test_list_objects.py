"""`safenpy objects`: what the pickles of files, members and streams need."""

import io
import json
import pickle
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpus" / "objects"
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
import objects as oracle  # noqa: E402

# What the decoder refuses and a listing cannot see: calls, states and values.
UNSEEN = {f"SNPY_PKL_{name}" for name in ("NOT_DATA", "CALL", "STATE", "CONTAINER", "KEY", "DUPLICATE_KEY", "RAW_STRING", "DTYPE", "ARRAY", "RESULT",
                                          "HEADER", "TOO_MANY_NODES", "TOO_DEEP", "TOO_MANY_BYTES")}
PLAIN = pickle.dumps([Decimal(1)], 2)


def header(dtype):
    text = b"{'descr': '%s', 'fortran_order': False, 'shape': ()}\n" % dtype
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text


HEADER = header(b"|O")
NUMBERS = header(b"|u1") + b"\x01"


@pytest.fixture
def run(safenpy, tmp_path):
    def call(*words, data=None):
        return subprocess.run([safenpy, "objects", *map(str, words)], input=data, capture_output=True, cwd=tmp_path, check=False)
    return call


def archive(method, **members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members.items():
            file.writestr(name.replace("_npy", ".npy"), data)
    return out.getvalue()


def test_each_case_of_the_suite(run, tally):
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    done = run("--json", *[FOLDER / case["file"] for case in cases])
    assert (done.returncode, done.stderr) == (1, b"")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(cases)
    for case, line in zip(cases, lines):
        error = case.get("error")
        if error is None:
            tally.true(case["id"], line["objects"] in (case["fits"], "plain") and "error" not in line, line["objects"])
        elif error["status"] == "SNPY_PKL_GLOBAL":
            first = next(one for one in line["globals"] if one["set"] == "other")
            tally.equal(case["id"], (line["objects"], first["offset"]), ("other", error["offset"]))
        elif error["status"] not in UNSEEN and line["objects"] != "other":
            tally.equal(case["id"], (line["error"]["status"], line["error"]["offset"]), (error["status"], error["offset"]))
            tally.equal(case["id"] + ", word", line["objects"], "damaged")
        elif error["status"] not in UNSEEN:
            tally.equal(case["id"], line["error"]["offset"], error["offset"])


def test_an_array_of_objects(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(HEADER + PLAIN)
    done = run("a.npy")
    assert (done.returncode, done.stderr) == (0, b"")
    at = len(HEADER) + PLAIN.index(b"cdecimal")
    assert done.stdout.decode().splitlines()[0].startswith(f"a.npy: plain, protocol 2, {len(PLAIN)} bytes, ")
    assert f"  byte {at}: decimal Decimal (plain)" in done.stdout.decode()
    (line,) = map(json.loads, run("--json", "a.npy").stdout.splitlines())
    assert (line["format"], line["offset"], line["size"]) == ("npy", len(HEADER), len(PLAIN))
    assert line["opcodes"]["GLOBAL"] == 1 and line["opcodes"]["STOP"] == 1
    assert line["globals"] == [{"offset": at, "module": "decimal", "name": "Decimal", "set": "plain"}]


def test_a_pickle_that_calls_a_function_is_named(run, tmp_path):
    (tmp_path / "b.pkl").write_bytes(b"cposix\nsystem\n(S'id'\ntR.")
    done = run("b.pkl")
    assert (done.returncode, done.stdout) == (1, b"b.pkl: other (posix system at byte 0), protocol 0, 24 bytes, 6 opcodes\n"
                                                 b"  byte 0: posix system (other)\n")
    done = run("-", data=b"(S'id'\niposix\nsystem\n.")
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, b"-: other (INST at byte 7), protocol 0, 22 bytes, 2 opcodes")


def test_names_from_the_stack_and_the_memo(run):
    payload = b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94h\x00h\x01\x93."
    (line,) = map(json.loads, run("--json", "-", data=payload).stdout.splitlines())
    assert [(one["module"], one["name"], one["set"]) for one in line["globals"]] == [("os", "system", "other")]
    (line,) = map(json.loads, run("--json", "-", data=b"\x80\x04K\x01K\x02\x93.").stdout.splitlines())
    assert line["globals"] == [{"offset": 6, "module": "", "name": "", "set": "other"}]


def test_a_pickle_that_is_cut_is_damaged(run):
    for length in range(len(PLAIN)):
        done = run("-", data=PLAIN[:length])
        assert done.returncode == 1
        assert done.stdout.startswith(b"-: damaged (byte %d), " % length)


def test_a_pickle_that_needs_large_tables(run):
    payload = pickle.dumps([(str(number),) for number in range(100_000)], 4)
    done = run("--json", "-", data=payload)
    (line,) = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, line["objects"], line["opcodes"]["TUPLE1"]) == (0, "data", 100_000)
    assert oracle.decode(payload).fits == "data"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_an_archive(run, tmp_path, method):
    data = archive(method, a_npy=HEADER + PLAIN, b_npy=NUMBERS, text=b"no array")
    (tmp_path / "c.npz").write_bytes(data)
    for done in (run("--json", "c.npz"), run("--json", "-", data=data)):
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [(line["key"], line["format"], line["objects"]) for line in lines] == [
            ("a", "npz", "plain"), ("b", "npz", "none"), ("text", "npz", "none")]
        assert done.returncode == 0
        assert (lines[0]["offset"], lines[0]["size"]) == (len(HEADER), len(PLAIN))
    assert run("--member", "b", "c.npz").stdout == b"c.npz:b: none\n"
    done = run("--member", "q", "c.npz")
    assert (done.returncode, done.stdout) == (2, b"") and b"no member of this name" in done.stderr


def test_an_array_without_objects_and_what_cannot_be_read(run, tmp_path):
    assert run("-", data=NUMBERS).stdout == b"-: none\n"
    done = run("nothing")
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"safenpy: nothing: No such file or directory\n")
    assert run(tmp_path).returncode == 2
    assert run().returncode == 2
    assert run("-", data=NUMBERS.replace(b"shape", b"shake")).returncode != 0
