"""`safenpy diff` of object arrays: what is equal, where the differences are, limits, exit statuses."""

import collections
import datetime
import decimal
import io
import json
import subprocess
import zipfile

import numpy as np
import pytest


def saved(*elements, shape=None):
    """The bytes of a file with these elements; of an array without axes, if there is one."""
    box = np.empty(len(elements), object)
    for index, element in enumerate(elements):
        box[index] = element
    out = io.BytesIO()
    np.save(out, box.reshape(shape if shape is not None else () if len(elements) == 1 else box.shape), allow_pickle=True)
    return out.getvalue()


@pytest.fixture
def diff(safenpy, tmp_path):
    """Compares files of these bytes."""
    def call(one, other, *words, **more):
        (tmp_path / "a.npy").write_bytes(one)
        (tmp_path / "b.npy").write_bytes(other)
        done = subprocess.run([safenpy, "diff", *words, "a.npy", "b.npy"], capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60, **more)
        return done.returncode, done.stdout, done.stderr
    return call


def around(depth):
    """A list that contains itself after some others."""
    first = inner = ["x"]
    for _ in range(depth):
        inner.append(["x"])
        inner = inner[1]
    inner.append(first)
    return first



SHARED = ["s"]
EQUAL = [
    (None, None), (float("nan"), float("nan")), ({"a": 1, 2: (b"x", None)}, {2: (b"x", None), "a": 1}),
    ({1, "x", (2, 3)}, {"x", (2, 3), 1}), ([SHARED, SHARED], [["s"], ["s"]]), (around(1), around(2)),
    (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3))),
    (np.float32(1.5), np.dtype(">f4").type(1.5)), (2**100, 2**100), (1j, 1j), (datetime.date(2020, 1, 2), datetime.date(2020, 1, 2)),
    (decimal.Decimal("1.5"), decimal.Decimal("1.5")), (np.dtype("<f8"), np.dtype("<f8")),
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(a=1, b=2)), (bytearray(b"ab"), bytearray(b"ab")),
    (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[0, 1])), ({float("nan"): 1}, {float("nan"): 1}),
]
DIFFERENT = [
    (1, True, "[()]: int 1 | bool true"), (1, 1.0, "[()]: int 1 | float 1.0"), (0.0, -0.0, "[()]: 0.0 | -0.0"),
    ([1], (1,), "[()]: list [1] | tuple [1]"), ("a", b"a", '[()]: str "a" | bytes {"$bytes": "61"}'),
    ([1, 2], [1], "[()][1]: 2 | missing"), ({"a": 1}, {}, "[()]['a']: 1 | missing"), ({}, {7: 1}, "[()][7]: missing | 1"),
    ({"k": [1, {"it's": 0.1}]}, {"k": [1, {"it's": 0.2}]}, "[()]['k'][1]['it\\'s']: 0.1 | 0.2"),
    ({(1, "x"): 1}, {(1, "x"): 2}, '[()][[1, "x"]]: 1 | 2'), ({1}, {1, 2}, "[()], member: missing | 2"),
    (np.arange(6).reshape(2, 3), np.array([[0, 1, 2], [3, 5, 6]]), "[()][1, 1]: 4 | 5 (2 of 6)"),
    (np.zeros(2), np.zeros(2, "f4"), '[()], type or shape: {"descr": "<f8", "shape": [2], "$array": [0.0, 0.0]} | '
     '{"descr": "<f4", "shape": [2], "$array": [0.0, 0.0]}'),
    (np.array([(1, 2)], "i2,i2"), np.array([(1, 3)], "i2,i2"), "[()][0]['f1']: 2 | 3 (1 of 1)"), (np.int64(1), np.int64(2), "[()]: 1 | 2 (1 of 1)"),
    (np.array([[None, 1]], object), np.array([[None, 2]], object), "[()][0, 1]: 1 | 2"),
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1), '[()], order of keys: {"a": 1, "b": 2} | {"b": 2, "a": 1}'),
    (collections.defaultdict(list), collections.defaultdict(dict), "[()], factory: {} | {}"),
    ({"a": 1}, collections.OrderedDict(a=1), '[()]: dict {"a": 1} | collections.OrderedDict {"a": 1}'),
    (np.ma.array([1], mask=[0]), np.ma.array([1], mask=[1]), '[()], mask: {"descr": "<i8", "shape": [1], "$mask": [false], "$array": [1]} | {"descr": "<i8", "shape": [1], "$mask": [true], "$array": [1]}'),
    (decimal.Decimal("1.5"), decimal.Decimal("1.50"), '[()]: {"$call": "decimal.Decimal", "args": ["1.5"]} | {"$call": "decimal.Decimal", "args": ["1.50"]}'),
    (np.dtype("<f8"), np.dtype(">f8"), '[()]: {"$dtype": "<f8"} | {"$dtype": ">f8"}'),
    ("a" * 300, "b", '[()]: {"$text": "' + "a" * 200 + '", "$more": 100} | "b"'),
    (list(range(100)), None, "[()]: list [" + ", ".join(map(str, range(59))) + ', {"$more": 41}] | None null'),
    ({str(key): key for key in range(40)}, None, "[()]: dict {" + ", ".join(f'"{key}": {key}' for key in range(30)) + ', "$more": 10} | None null'),
    ({key: key for key in range(40)}, None, '[()]: dict {"$dict": [' + ", ".join(f"[{key}, {key}]" for key in range(30)) + ', {"$more": 10}]} | None null'),
    (np.zeros(100), None, '[()]: numpy.ndarray {"descr": "<f8", "shape": [100], "$array": {"$more": 100}} | None null'),
]


@pytest.mark.parametrize("one, other", EQUAL)
def test_equal(diff, one, other):
    assert diff(saved(one), saved(other)) == (0, "", "")
    assert diff(saved(0, one), saved(0, other)) == (0, "", "")


@pytest.mark.parametrize("one, other, line", DIFFERENT)
def test_different(diff, one, other, line):
    code, out, err = diff(saved(one), saved(other))
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[-1] == "values: 1 of 1 differs"
    assert lines[:-1] == ["at " + line]
    said = json.loads(diff(saved(one), saved(other), "--json")[1])
    assert (said["count"], said["differing"], said["more"], len(said["values"])) == (1, 1, 0, 1)


def test_elements_are_counted_and_ten_differences_shown(diff):
    one, other = saved(*range(20), shape=(4, 5)), saved(*range(3), *range(4, 21), shape=(4, 5))
    code, out, _ = diff(one, other)
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "at [0, 3]: 3 | 4" and lines[9] == "at [2, 2]: 12 | 13"
    assert lines[10:] == ["and 7 more", "values: 17 of 20 differ"]
    said = json.loads(diff(one, other, "--json")[1])
    assert said["values"][9] == {"index": [2, 2], "path": [], "a": 12, "b": 13}
    assert (said["more"], said["count"], said["differing"]) == (7, 20, 17)


def test_json_of_paths(diff):
    one = {"w": np.zeros((2, 3), "i2,i2"), "l": [0, {(1, 2): "x"}], "n": [1], "t": 1}
    other = {"w": np.zeros((2, 3), "i2,i2"), "l": [0, {(1, 2): "y"}], "n": [], "t": "1"}
    other["w"][1, 2]["f1"] = 5
    said = json.loads(diff(saved(one), saved(other), "--json")[1])
    assert said["values"] == [
        {"index": [], "path": ["w", [1, 2], "f1"], "a": 0, "b": 5, "count": 6, "differing": 1},
        {"index": [], "path": ["l", 1, [1, 2]], "a": "x", "b": "y"},
        {"index": [], "path": ["n", 0], "a": 1},
        {"index": [], "path": ["t"], "a": 1, "a_type": "int", "b": "1", "b_type": "str"}]


def test_an_element_that_shares_a_difference_differs(diff):
    """The difference is written where it is found first; both elements count."""
    one, other = {"x": 1}, {"x": 2}
    assert diff(saved(one, [one], 5), saved(other, [other], 5))[1] == "at [0]['x']: 1 | 2\nvalues: 2 of 3 differ\n"


def test_paths_are_those_of_cat(diff, safenpy, tmp_path):
    value = {"it's \"x\"\n": [0, {"\u00e9": (None, 4)}]}
    out = diff(saved(value), saved({"it's \"x\"\n": [0, {"\u00e9": (None, 5)}]}))[1]
    path = out.splitlines()[0].removeprefix("at ").removesuffix(": 4 | 5")
    done = subprocess.run([safenpy, "cat", "a.npy" + path], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (0, "4\n"), path


def test_shapes_and_types(diff):
    assert diff(saved(1, 2), saved(1, 2, 3)) == (1, "shape: (2,) | (3,)\nvalues: not compared: the shapes differ\n", "")
    assert diff(saved(1, 2, shape=(2, 1)), saved(1, 2, shape=(2, 1)))[0] == 0
    out = io.BytesIO()
    np.save(out, np.zeros(2))
    assert diff(saved(1, 2), out.getvalue())[:2] == (1, "descr: |O | <f8\ndata_size: unknown | 16\nvalues: not compared: the types differ\n")


def test_refused_objects(diff):
    class Other:
        def __reduce__(self):
            return print, ("never",)
    code, out, err = diff(saved(1), saved(Other()))
    assert (code, out) == (2, "") and "[NPY-PKL-011]" in err and err.startswith("safenpy: b.npy: "), err
    said = json.loads(diff(saved(1), saved(Other()), "--json")[1])
    assert (said["count"], said["reason"]) == (None, "the objects cannot be compared")
    assert diff(saved({1}), saved({1}), "--objects", "data")[0] == 2
    assert diff(saved([1]), saved([1]), "--objects", "data")[0] == 0


def test_members_and_streams(safenpy, tmp_path):
    for name, value in (("a.npz", [1]), ("b.npz", [2])):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("d.npy", saved(value))
    done = subprocess.run([safenpy, "diff", "a.npz:d", "-"], input=saved([2]), capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (1, b"at [()][0]: 1 | 2\nvalues: 1 of 1 differs\n")
    assert subprocess.run([safenpy, "diff", "--member", "d", "a.npz", "a.npz"], cwd=tmp_path, check=False).returncode == 0


def doubled(levels, last):
    for _ in range(levels):
        last = [last, last]
    return last


def test_what_occurs_often_is_compared_once(diff):
    assert diff(saved(doubled(60, ["x"])), saved(doubled(60, ["x"]))) == (0, "", "")
    out = diff(saved(doubled(60, ["x"])), saved(doubled(60, ["y"])))[1]
    assert out == "at [()]" + "[0]" * 61 + ': "x" | "y"\nvalues: 1 of 1 differs\n'


def ring(length):
    first = inner = []
    for _ in range(length - 1):
        inner.append([])
        inner = inner[0]
    inner.append(first)
    return first


def grid(steps):
    """450 rows of 200 lists, each of which has three of the next row."""
    row = [["x"] for _ in range(200)]
    for _ in range(450):
        row = [[row[(index + step) % 200] for step in steps] for index in range(200)]
    return row[0]


def test_what_has_more_pairs_than_values_ends(diff):
    code, _, err = diff(saved(ring(97)), saved(ring(101)))
    assert code == 2 and "more than 1,000 containers in one another" in err
    code, _, err = diff(saved(grid((0, 1, 0))), saved(grid((0, 0, 1))))
    assert code == 2 and "more than 16,777,216 pairs of values to compare" in err
