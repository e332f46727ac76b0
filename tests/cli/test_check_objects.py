"""`safenpy check` of object arrays: the word of the accepting line, and --objects."""

import io
import json
import os
import pickle
import subprocess
import zipfile
from pathlib import Path

import numpy
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "objects"


class Call:
    """Its pickle calls a function."""

    def __reduce__(self):
        return print, ("called",)


def npy(*values, protocol=4):
    array = numpy.empty(len(values), object)
    array[:] = values
    file = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": array.shape})
    return file.getvalue() + pickle.dumps(array, protocol)


DATA, PLAIN, OTHER = npy(1, "a", [2.5]), npy({1}, b"x"), npy(Call())
DAMAGED = DATA[:-2]


@pytest.fixture
def check(safenpy, tmp_path):
    def call(*words, data=None, **files):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        return subprocess.run([safenpy, "check", *map(str, words)], input=data, capture_output=True, cwd=tmp_path, check=False)
    return call


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name + ".npy", data)
    return out.getvalue()


def place_of_global(data):
    """Of print: the STACK_GLOBAL after its name."""
    return data.index(b"\x93", data.index(b"print"))


def test_the_word_of_each_kind(check):
    done = check("a", "b", "c", "d", a=DATA, b=PLAIN, c=OTHER, d=DAMAGED)
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.decode().splitlines() == [
        "a: accept, npy 1.0, objects: data", "b: accept, npy 1.0, objects: plain",
        f"c: accept, npy 1.0, objects: other (builtins print at byte {place_of_global(OTHER)})",
        f"d: accept, npy 1.0, objects: damaged (byte {len(DAMAGED)})"]
    lines = [json.loads(line) for line in check("--json", "a", "b", "c", "d").stdout.splitlines()]
    assert [(line["verdict"], line["objects"], line.get("objects_offset"), line["notes"]) for line in lines] == [
        ("accept", "data", None, []), ("accept", "plain", None, []), ("accept", "other", place_of_global(OTHER), []),
        ("accept", "damaged", len(DAMAGED), [])]


def test_members_have_the_word_too(check):
    whole = zipped(a=PLAIN, b=OTHER, c=npy(1)[:128] + b"?")
    lines = check("z.npz", "z.npz:a", **{"z.npz": whole}).stdout.decode().splitlines()
    assert lines == ["z.npz:a: accept, npy 1.0, objects: plain",
                     f"z.npz:b: accept, npy 1.0, objects: other (builtins print at byte {place_of_global(OTHER)})",
                     "z.npz:c: accept, npy 1.0, objects: damaged (byte 128)", "z.npz: accept, npz, 3 members",
                     "z.npz:a: accept, npy 1.0, objects: plain"]
    done = check("--json", "--objects", "plain", "z.npz")
    members = json.loads(done.stdout)["members"]
    assert done.returncode == 1
    assert [member.get("rule", member["verdict"]) for member in members] == ["accept", "NPY-PKL-011", "NPY-PKL-003"]
    assert check("-j", "2", "--json", "z.npz").stdout == check("--json", "z.npz").stdout


def test_object_data_from_a_pipe_are_read_if_they_decide(check):
    """Else memory would grow with what a pipe sends."""
    note = b": accept, npy 1.0, note: object data are a pickle, which is not checked\n"
    assert check("-", data=DATA).stdout == b"-" + note
    assert check("--objects", "data", "-", data=DATA).stdout == b"-: accept, npy 1.0, objects: data\n"
    long = npy(*range(100_000))
    assert check("--objects", "data", "-", data=long).stdout == b"-: accept, npy 1.0, objects: data\n"
    for data, rule, at in ((DAMAGED, "NPY-PKL-002", len(DAMAGED)), (DATA[:128], "NPY-DATA-003", 128),
                           (OTHER, "NPY-PKL-011", place_of_global(OTHER))):
        refused = check("--objects", "plain", "-", data=data)
        assert refused.returncode == 1 and f" at byte {at} [{rule}]".encode() in refused.stdout


def test_a_fifo_is_read_once(safenpy, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen([safenpy, "check", "--objects", "plain", "fifo"], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        (tmp_path / "fifo").write_bytes(PLAIN)
        assert process.communicate()[0] == b"fifo: accept, npy 1.0, objects: plain\n"


def test_the_first_bytes_of_a_file_have_no_object_data(check):
    note = b": accept, npy 1.0, note: object data are a pickle, which is not checked\n"
    assert check("--file-size", len(DATA), "a", a=DATA[:200]).stdout == b"a" + note
    refused = check("--file-size", len(DATA), "--objects", "data", "a")
    assert (refused.returncode, refused.stdout) == (2, b"") and b"--objects needs the whole data" in refused.stderr


@pytest.mark.parametrize("words, data, rule", [
    ((), OTHER, "accept"), (("--untrusted",), DATA, "API-OBJECTS"), (("--untrusted", "--objects", "plain"), DATA, "accept"),
    (("--objects", "data", "--untrusted"), PLAIN, "NPY-PKL-012"), (("--no-objects", "--objects", "data"), DATA, "accept"),
    (("--objects", "plain"), PLAIN, "accept"), (("--objects", "plain"), OTHER, "NPY-PKL-011"),
    (("--objects", "plain"), DAMAGED, "NPY-PKL-002"), (("--objects", "data"), DATA + b"x", "NPY-PKL-006"),
    (("--objects", "plain", "-q"), DAMAGED, "NPY-PKL-002")])
def test_the_payload_decides_where_it_is_asked(check, words, data, rule):
    done = check(*words, "a", a=data)
    assert done.returncode == (0 if rule == "accept" else 1)
    assert (f"[{rule}]" in done.stdout.decode()) == (rule != "accept")


def test_header_and_payload_are_one_array(check):
    assert check("--objects", "data", "a", a=DATA).returncode == 0
    other_shape = DATA.replace(b"(3,)", b"(4,)", 1)
    other_order = DATA.replace(b"'fortran_order': False", b"'fortran_order': True ", 1)
    other_type = DATA.replace(b"'descr': '|O'", b"'descr': [('a','O')]", 1)[:128] + DATA[128:]
    nothing = DATA[:128] + pickle.dumps(5)
    for name, data in (("shape", other_shape), ("order", other_order), ("no array", nothing)):
        done = check("--objects", "data", "a", a=data)
        assert b" at byte 128 [NPY-PKL-022]" in done.stdout, name
    assert check("--objects", "data", "a", a=other_type).returncode == 1


def test_each_protocol(check):
    for protocol in range(6):
        assert check("--objects", "plain", "a", a=npy(1, {"k": (2.5, None)}, "b", protocol=protocol)).returncode == 0, protocol


def test_each_case_of_the_suite(check, tally):
    cases = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]
    for allowed in ("plain", "data"):
        chosen = [case for case in cases if case.get("options", {"allowed": "plain"}) == {"allowed": allowed}]
        done = check("--json", "--objects", allowed, *[FOLDER / case["file"] for case in chosen])
        assert done.stderr == b"" and chosen
        for case, line in zip(chosen, map(json.loads, done.stdout.splitlines())):
            error = case.get("error")
            got = {"status": line["status"], "offset": line["offset"]} if line["verdict"] == "reject" else None
            tally.equal(case["id"], got, error)


def test_a_set_has_a_name(check):
    done = check("--objects", "some", "a", a=DATA)
    assert done.returncode == 2 and b"use data or plain" in done.stderr
