"""`safenpy cat` of object arrays: indices, forms, limits, messages. What the values are, tests/data compares with NumPy."""

import io
import json
import pickle
import subprocess
import zipfile
from pathlib import Path

import pytest

WRITTEN = Path(__file__).resolve().parents[2] / "corpus" / "objects" / "accept" / "written"


def header(shape):
    text = b"{'descr': '|O', 'fortran_order': False, 'shape': (%s), }\n" % shape
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text


def short(text):
    return b"X" + len(text).to_bytes(4, "little") + text


def dtype(name, order):
    return (b"cnumpy\ndtype\n" + short(name) + b"K\0K\1\x87R(K\3" + short(order) +
            b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + (b"\x3f" if name == b"O8" else b"\0") + b"tb")


def array(shape, kind, order, content):
    """The opcodes of an array, as NumPy writes them under protocol 3."""
    dims = b"(" + b"".join(b"K" + bytes([dim]) for dim in shape) + b"t"
    return (b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\1b\x87R(K\1" + dims + dtype(kind, order) +
            b"\x89" + content + b"tb")


NUMBERS = array((2, 3), b"i2", b">", b"C\x0c" + b"".join(number.to_bytes(2, "big") for number in range(6)))


def opcodes(value):
    """The opcodes of a value of Python's own, without PROTO, STOP and the memo."""
    out = io.BytesIO()
    pickler = pickle.Pickler(out, 2)
    pickler.fast = True
    pickler.dump(value)
    return out.getvalue()[2:-1]


def objects(shape, *elements):
    """A file with an array of objects; elements are opcodes."""
    return header(b"".join(b"%d, " % dim for dim in shape)) + b"\x80\3" + array(shape, b"O8", b"|", b"](" + b"".join(elements) + b"e") + b"."


def dictionary(**members):
    return b"}(" + b"".join(opcodes(key) + member for key, member in members.items()) + opcodes(7) + opcodes("seven") + b"u"


FILE = objects((), dictionary(n=NUMBERS, list=opcodes([1, (2, {"x": None})]), empty=opcodes({})))


@pytest.fixture
def run(safenpy, tmp_path):
    """Runs `cat` on a file of these bytes; a.npy in words is its name."""
    def call(data, *words, **more):
        (tmp_path / "a.npy").write_bytes(data)
        done = subprocess.run([safenpy, "cat", *words], capture_output=True, text=True, cwd=tmp_path, check=False, **more)
        return done.returncode, done.stdout, done.stderr
    return call


@pytest.mark.parametrize("indices, printed", [
    ("[()]['n']", "0 1 2\n3 4 5\n"),
    ("[()]['n'][1,::2]", "3 5\n"),
    ("[ ( ) ] [ 'n' ] [-1]", "3 4 5\n"),
    ("[()]['list'][-1][1]['x']", "null\n"),
    ("[()][7]", '"seven"\n'),
    ("[()]['empty']", "{}\n"),
])
def test_indices(run, indices, printed):
    assert run(FILE, f"a.npy{indices}") == (0, printed, "")
    assert run(FILE, "--slice", indices, "a.npy") == (0, printed, "")


@pytest.mark.parametrize("indices, message", [
    ("['n']", "byte 6: the array has no keys; [()] takes the value of one without dimensions"),
    ("[0]", "byte 6: there are more indices than axes"),
    ("[()]['m']", "byte 10: there is no such key"),
    ("[()][8]", "byte 10: there is no such key"),
    ("[()]['list']['x']", "byte 18: the value is not a dictionary"),
    ("[()]['list'][2]", "byte 18: the index is outside of 2 members"),
    ("[()]['list'][-3]", "byte 18: the index is outside of 2 members"),
    ("[()]['list'][:1]", "byte 18: a number or a key in quotes is expected"),
    ("[()][7][0]", "byte 13: the value has no members to select"),
    ("[()]['n'][2]", "byte 15: the index is outside of an axis of 2"),
    ("[()]['n", "byte 10: the key has no end"),
    ("[()]['n'", "byte 13: ']' is expected"),
    ("[()", "byte 8: ']' is expected"),
    ("[(", "byte 7: ')' is expected"),
])
def test_indices_that_lead_nowhere(run, indices, message):
    code, out, err = run(FILE, f"a.npy{indices}")
    assert (code, out) == (2, "")
    assert err.startswith(f"safenpy: a.npy{indices}: {message}\n"), err


def test_elements_of_two_axes(run):
    data = objects((2, 2), *map(opcodes, (1, None, "x", [0.5])))
    assert run(data, "a.npy")[1] == '1\nnull\n"x"\n[0.5]\n'
    assert run(data, "--output", "json", "a.npy")[1] == '[[1, null],\n["x", [0.5]]]\n'
    assert run(data, "a.npy[1,0]")[1] == '"x"\n'
    assert run(data, "a.npy[(-1, -1)]")[1] == "[0.5]\n"
    code, _, err = run(data, "a.npy[1]")
    assert code == 2 and "byte 6: one number for each axis is expected" in err


def test_forms(run):
    """Arrays of numbers inside have all forms; objects have two."""
    assert run(FILE, "--output", "csv", "a.npy[()]['n']")[1] == "0,1,2\n3,4,5\n"
    assert run(FILE, "--output", "json", "a.npy[()]['n']")[1] == "[[0, 1, 2],\n[3, 4, 5]]\n"
    for form in ("csv", "raw"):
        assert run(FILE, "--output", form, "a.npy") == (2, "", "safenpy: a.npy: objects are printed as text or JSON\n")


def test_no_elements(run):
    assert run(objects((0,)), "a.npy") == (0, "\n", "")
    assert run(objects((0,)), "--output", "json", "a.npy") == (0, "[]\n", "")


def test_streams_and_members(run, safenpy, tmp_path):
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as file:
            file.writestr("d.npy", FILE)
            file.writestr("e.npy", FILE)
        (tmp_path / "a.npz").write_bytes(out.getvalue())
        assert run(FILE, "a.npz:d[()]['n'][0]") == (0, "0 1 2\n", "")
    done = subprocess.run([safenpy, "cat", "-"], input=FILE, capture_output=True, check=True)
    assert json.loads(done.stdout)["$dict"][2] == ["empty", {}]


@pytest.mark.parametrize("pickled, rule, at", [
    (b"cposix\nsystem\n(S'x'\ntR.", "NPY-PKL-011", 0),
    (b"N", "NPY-PKL-002", 1),
    (b"N.", "NPY-PKL-022", 0),
    (b"N..", "NPY-PKL-006", 2),
])
def test_refusals(run, pickled, rule, at):
    head = header(b"")
    code, out, err = run(head + pickled, "a.npy")
    assert (code, out) == (1, "")
    assert f"[{rule}]" in err and f" at byte {len(head) + at} " in err, err


def test_keys_that_json_has_not(run):
    for key in ("\ud800", "$a"):
        code, out, _ = run(objects((), b"}" + opcodes(key) + b"Ns"), "a.npy")
        assert code == 0 and list(json.loads(out)) == ["$dict"], out


def test_sets(run):
    data = objects((), b"cbuiltins\nset\n]\x85R")
    assert run(data, "a.npy") == (0, '{"$set": []}\n', "")
    assert "[NPY-PKL-012]" in run(data, "--objects", "data", "a.npy")[2]


@pytest.mark.parametrize("name, printed", [
    ("masked", [{"descr": "<i8", "shape": [3], "$mask": [True, False, True], "$array": [1, 2, 3]},
                {"descr": "<f8", "shape": [1], "$mask": [False], "$array": [1.5]},
                {"descr": "<U1", "shape": [1, 2], "$mask": [[False, True]], "$array": [["a", "b"]]}]),
    ("masked-object", {"descr": "|O", "shape": [2], "$mask": [False, True], "$array": ["x", None]}),
    ("masked-record", {"descr": "[('x', '<i4'), ('y', '<f8')]", "shape": [1], "$mask": {"$bytes": "0100"}, "$array": [{"x": 1, "y": 2.0}]})])
def test_masks(run, name, printed):
    """A masked array is printed with its mask; that of a structured dtype as bytes."""
    code, out, _ = run((WRITTEN / f"{name}-numpy-2.npy").read_bytes(), "a.npy")
    assert (code, json.loads(out)) == (0, printed)


def test_a_text_that_occurs_often_is_bounded(run):
    """2 MiB of text, 1,024 times: more than 1 GiB."""
    text = short(b"x" * (1 << 21)) + b"q\0"
    code, _, err = run(objects((), b"](" + text + b"h\0" * 1023 + b"e"), "a.npy", timeout=120)
    assert code == 1 and "the values have more than 1 GiB of text" in err


def test_containers_that_occur_often_are_printed_once(run):
    """Lists of two of the list before, 60 of them: 2^60 if each were printed."""
    value = b"](K\1e"
    for index in range(60):
        value = b"](" + value + b"q" + bytes([index]) + b"h" + bytes([index]) + b"e"
    code, out, _ = run(objects((), value), "a.npy", timeout=60)
    assert code == 0 and len(out) < 10000
    assert out.count("$ref") == 60


def test_depth(run):
    """1,000 containers in one another are printed, the array among them."""
    for levels, expected in ((999, 0), (1000, 1)):
        code, out, err = run(objects((), b"]" * levels + b"a" * (levels - 1)), "a.npy")
        assert code == expected, err
        assert code == 1 or out.count("[") == levels


def test_a_pickle_that_is_too_long_is_not_read(run, tmp_path):
    """A sparse file of 5 GiB: no memory is asked for."""
    with open(tmp_path / "large.npy", "wb") as file:
        file.write(FILE)
        file.truncate(5 << 30)
    code, out, err = run(FILE, "large.npy", timeout=20)
    assert (code, out) == (1, "")
    assert "[NPY-PKL-026]" in err and "large.npy" in err
