"""Elements without bytes: a header of 128 bytes can declare 10^18 of them. What is printed of them is bounded, and no
command takes long."""

import json
import os
import resource
import subprocess

import pytest

MOST = 1_000_000
MANY = 10**18
SUB_ARRAY = "[('a', '<f8', (0,))]"
EMPTY = ["'|V0'", "'<U0'", "'|S0'", "[]", SUB_ARRAY, "[('r', [('a', '|V0')])]"]
FORMS = ["text", "csv", "json", "raw"]
TOO_MANY = "elements or empty lists without bytes; take a part of them, or raise --max-elements\n"
SECONDS = 30 if "SNPY_SANITIZED" in os.environ else 5  # of processor time, for what has no end otherwise
LARGEST = 1 << 26                                      # bytes of output, likewise


def npy(descr, shape, data=b"", fortran=False):
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + data


@pytest.fixture(name="run")
def run_(safenpy, tmp_path):
    """Runs the command; what goes on and on is killed."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))

    def call(*words):
        with open(tmp_path / "screen", "w+b") as screen:
            done = subprocess.run([safenpy, *words], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=screen,
                                  stderr=subprocess.PIPE, check=False, preexec_fn=limit)
            screen.seek(0)
            return done.returncode, screen.read(LARGEST).decode(), done.stderr.decode()

    return call


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("descr", EMPTY)
def test_elements_without_bytes_are_bounded(run, tmp_path, descr, form):
    (tmp_path / "a.npy").write_bytes(npy(descr, (MANY,)))
    refused = run("cat", "--output", form, "a.npy")
    assert refused == (1, "", f"safenpy: a.npy: more than 1000000 {TOO_MANY}")
    assert run("cat", "--output", form, "--max-elements", "3", "a.npy[:3]")[0] == 0
    assert run("cat", "--output", form, "--max-elements", "3", "a.npy[:4]")[::2] == (
        1, f"safenpy: a.npy: more than 3 {TOO_MANY}")


@pytest.mark.parametrize("form, lines", [("text", 1), ("csv", MOST), ("json", 1), ("raw", 0)])
def test_a_million_elements_without_bytes_are_printed(run, tmp_path, form, lines):
    (tmp_path / "a.npy").write_bytes(npy("'|V0'", (MOST + 1,)))
    code, out, err = run("cat", "--output", form, f"a.npy[:{MOST}]")
    assert (code, out.count("\n"), out.count("0x"), err) == (0, lines, 0 if form == "raw" else MOST, "")
    assert run("cat", "--output", form, "a.npy")[0] == 1
    assert run("cat", "--output", form, "--max-elements", str(MOST + 1), "a.npy")[0] == 0


def test_axes_of_any_order_are_bounded(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(npy("'|V0'", (10**9, 10**9), fortran=True))
    assert run("cat", "a.npy")[0] == 1
    assert run("cat", "a.npy[:2, ::500000000]") == (0, "0x 0x\n0x 0x\n", "")


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_empty_lists_in_elements_are_bounded(run, tmp_path, form):
    """Also in elements that have bytes."""
    (tmp_path / "a.npy").write_bytes(npy("[('x', '|u1'), ('a', '|u1', (2147483647, 0))]", (2,), b"\1\2"))
    assert run("cat", "--output", form, "a.npy") == (1, "", f"safenpy: a.npy: more than 1000000 {TOO_MANY}")
    assert run("cat", "--output", form, "a.npy['x']")[0] == 0


def test_raw_bytes_are_never_more_than_those_of_the_file(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(npy("[('x', '|u1'), ('a', '|u1', (2147483647, 0))]", (2,), b"\1\2"))
    assert run("cat", "--output", "raw", "a.npy") == (0, "\1\2", "")


def test_elements_with_bytes_bound_themselves(run, tmp_path):
    """As many empty values as there are bytes beside them are no more output than the file makes anyway."""
    rows = 1_500_000
    (tmp_path / "a.npy").write_bytes(npy("[('x', '|S1'), ('e', '|V0')]", (rows,), bytes(rows)))
    code, out, err = run("cat", "a.npy")
    assert (code, len(out), err) == (0, rows * len("(b'',0x)\n"), "")


def test_empty_lists_of_json_are_bounded(run, tmp_path):
    """One bound for lists that an array without elements has and for elements without bytes."""
    (tmp_path / "a.npy").write_bytes(npy("'<f8'", (10**16, 0)))
    assert run("cat", "--output", "json", "a.npy") == (1, "", f"safenpy: a.npy: more than 1000000 {TOO_MANY}")
    assert run("cat", "--output", "text", "a.npy") == (0, "", "")
    assert json.loads(run("cat", "--output", "json", f"a.npy[:{MOST}]")[1]) == [[]] * MOST
    assert run("cat", "--output", "json", f"a.npy[:{MOST + 1}]")[0] == 1
    assert run("cat", "--output", "json", "--max-elements", str(MOST + 1), f"a.npy[:{MOST + 1}]")[0] == 0


@pytest.mark.parametrize("rows", [0, 1])
def test_columns_of_csv_are_bounded(run, tmp_path, rows):
    def call(columns, *words):
        (tmp_path / "a.npy").write_bytes(npy(f"[('a', '|u1', ({columns},))]", (rows,), bytes(rows * columns)))
        return run("cat", "--output", "csv", *words, "a.npy")

    code, out, err = call(100_000)
    assert (code, out.split("\n")[0].count('"a['), err) == (0, 100_000, "")
    assert call(100_001) == (
        1, "", "safenpy: a.npy: 100001 columns of CSV, more than 100000; take a field of it, or raise --max-columns\n")
    assert call(100_001, "--max-columns", "100001")[0] == 0
    assert call(11, "--max-columns", "10")[0] == 1


def test_columns_of_an_empty_array_are_bounded(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(npy("[('a', '|u1', (2147483647,))]", (0,)))
    assert run("cat", "--output", "csv", "a.npy")[:2] == (1, "")
    (tmp_path / "a.npy").write_bytes(npy("[('a', '|u1', (2147483647, 0)), ('x', '|u1')]", (0,)))
    assert run("cat", "--output", "csv", "a.npy") == (0, '"x"\n', "")


def test_names_of_columns_are_bounded(run, tmp_path):
    fields = ", ".join(f"('{number:04}', '|u1')" for number in range(2000))
    name = "n" * 20000
    (tmp_path / "a.npy").write_bytes(npy(f"[('{name}', [{fields}])]", (1,), bytes(2000)))
    refused = run("cat", "--output", "csv", "a.npy")
    assert refused[:2] == (1, "")
    assert refused[2].startswith("safenpy: a.npy: 2000 columns of CSV, whose names take more bytes than ")
    assert refused[2].endswith("; take a field of it, or raise --max-columns\n")
    assert run("cat", "--output", "csv", f"a.npy['{name[:4000]}']")[0] == 2
    code, out, _ = run("cat", "--output", "csv", "--max-columns", "1000000", "a.npy")
    assert (code, out.count(name)) == (0, 2000)


@pytest.mark.parametrize("descr, shape, size", [
    ("[('%s', '|i1')]" % ("n" * 60000), (100_000,), 100_000),
    ("[('a', [('%s', '|i1')], (100000,))]" % ("n" * 60000), (1,), 100_000),
    ("[('a', [('b', [('%s', '|i1')], (100,))], (1000,))]" % ("n" * 60000), (1,), 100_000)], ids=["flat", "nested", "deep"])
def test_names_in_json_are_bounded(run, tmp_path, descr, shape, size):
    """JSON repeats the names in each element: a file of 160 KB would give 6 GB."""
    (tmp_path / "a.npy").write_bytes(npy(descr, shape, bytes(size)))
    code, out, err = run("cat", "--output", "json", "a.npy")
    assert (code, out) == (1, "")
    assert err.startswith("safenpy: a.npy: in JSON the names of its fields take 600")
    assert err.endswith("; take a field of it, print it as text, or raise --max-columns\n")
    assert run("cat", "--output", "text", "a.npy")[0] == 0


def test_names_in_json_that_are_few(run, tmp_path):
    name = "n" * 60000
    (tmp_path / "a.npy").write_bytes(npy(f"[('{name}', '|i1')]", (4,), bytes(4)))
    code, out, err = run("cat", "--output", "json", "a.npy")
    assert (code, out.count(name), err) == (0, 4, "")
    (tmp_path / "b.npy").write_bytes(npy("[('x', '|i1'), ('y', '|i1')]", (100_000,), bytes(200_000)))
    assert run("cat", "--output", "json", "b.npy")[0] == 0
    (tmp_path / "c.npy").write_bytes(npy(f"[('{name}', '|i1')]", (400,), bytes(400)))
    assert run("cat", "--output", "json", "c.npy")[0] == 1
    assert run("cat", "--output", "json", "--max-columns", "100000", "c.npy")[0] == 0


def test_bounds_are_numbers(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(npy("'|u1'", (1,), b"\1"))
    for option in ("--max-elements", "--max-columns"):
        assert run("cat", option, "18446744073709551615", "a.npy") == (0, "1\n", "")
        for wrong in ("", "-1", "1e6", "18446744073709551616"):
            assert run("cat", option, wrong, "a.npy")[::2] == (
                2, f"safenpy: {option}: '{wrong}' is not a number from 0 to 18446744073709551615\n"
                   "Try 'safenpy --help'.\n")


@pytest.mark.parametrize("descr, shape, data", [
    *[(descr, (MANY,), b"") for descr in EMPTY],
    ("'|V0'", (10**9, 10**9), b""),
    ("[('x', '|u1'), ('a', '|u1', (2147483647, 0))]", (2000,), bytes(2000)),
    ("[('a', '|u1', (2147483647,))]", (0,), b"")])
def test_no_command_takes_long(run, tmp_path, descr, shape, data):
    (tmp_path / "a.npy").write_bytes(npy(descr, shape, data))
    for words in (["check", "a.npy"], ["info", "a.npy"], ["info", "--json", "a.npy"], ["diff", "a.npy", "a.npy"],
                  ["diff", "--json", "a.npy", "a.npy"], ["convert", "a.npy", "b.npy"],
                  ["convert", "--order", "F", "a.npy", "b.npy"], ["convert", "--byteorder", "big", "a.npy", "b.npy"],
                  ["unwrap", "a.npy", "raw"], ["pack", "a.npz", "a.npy"], ["pack", "--deflate", "d.npz", "a.npy"],
                  ["check", "a.npz"], ["info", "d.npz"], ["unpack", "--force", "a.npz"], ["convert", "--store", "d.npz", "e.npz"],
                  ["diff", "a.npz:a", "d.npz:a"]):
        code, out, err = run(*words)
        assert (code, len(out) < 10000, err) == (0, True, ""), words


def test_a_difference_behind_empty_lists_is_found(run, tmp_path):
    """Axes without bytes are left out of a comparison, not what is behind them."""
    descr = "[('a', '|u1', (2147483647, 0)), ('x', '|u1', (3,))]"
    (tmp_path / "a.npy").write_bytes(npy(descr, (2,), bytes(6)))
    (tmp_path / "b.npy").write_bytes(npy(descr, (2,), bytes([0, 0, 0, 0, 0, 7])))
    assert run("diff", "a.npy", "b.npy") == (1, "values: 1 of 2 differs; first at [1]['x'][2]: 0 | 7\n", "")
