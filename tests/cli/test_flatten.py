"""`convert --flatten` and `--unflatten`: object arrays as plain arrays, and back to what `--disarm` writes.

tests/oracle/test_flatten.py has random trees and the payloads of picklers.                    NPY-PKL-031 to NPY-PKL-035
"""

import collections
import datetime
import decimal
import io
import random
import re
import subprocess
import uuid
import zipfile

import numpy
import pytest

SCHEMA, SAME = "$schema.npy", "$same.npy"
SHARED = [1, 2]
COMPLEX = complex(1, 2)
TEXT = "long text " * 20


def box(value):
    array = numpy.empty((), object)
    array[()] = value
    return array


def row(*values):
    array = numpy.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = value
    return array


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=True)
    return file.getvalue()


@pytest.fixture
def run(safenpy, tmp_path):
    def call(*words, **more):
        done = subprocess.run([safenpy, "convert", *words], cwd=tmp_path, capture_output=True, check=False, **more)
        return done.returncode, done.stdout, done.stderr.decode()
    return call


@pytest.fixture
def flatten(run, tmp_path):
    """Flattens an array, checks that it comes back as the disarmed file, and gives the members as NumPy loads them."""
    def call(array):
        (tmp_path / "in.npy").write_bytes(npy(array))
        assert run("--flatten", "in.npy", "flat.npz") == (0, b"", "")
        assert run("--disarm", "in.npy", "plain.npy") == (0, b"", "")
        assert run("--unflatten", "flat.npz", "back.npy") == (0, b"", "")
        assert (tmp_path / "back.npy").read_bytes() == (tmp_path / "plain.npy").read_bytes()
        with numpy.load(tmp_path / "flat.npz", allow_pickle=False) as members:
            return {name: members[name] for name in members.files}
    return call


def equal(members, **wanted):
    """Whether members but the schema are these, with their types."""
    found = {name: array for name, array in members.items() if not name.startswith("$s")}
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        array = numpy.asarray(array)
        assert found[name].dtype == array.dtype and found[name].shape == array.shape, (name, found[name])
        assert found[name].tobytes() == array.tobytes(), name
    return True


def offsets(*numbers):
    return numpy.array(numbers, "i8")


NAN = float("nan")
ONE_ARRAY = {
    "bool": ([True, False], numpy.array([True, False])),
    "int": ([1, -2, 3], offsets(1, -2, 3)),
    "uint64": ([1, 2**63], numpy.array([1, 2**63], "u8")),
    "above 64 bits": ([1, -10**30], numpy.array(["1", "-" + "1" + 30 * "0"])),
    "both signs": ([-1, 2**63], numpy.array(["-1", str(2**63)])),
    "float": ([1.5, -0.0, float("inf")], numpy.array([1.5, -0.0, float("inf")])),
    "complex": ([1j, complex(2, -0.0)], numpy.array([1j, complex(2, -0.0)])),
    "str": (["a", "", "\u00e9\U0001f600\ud800"], numpy.array(["a", "", "\u00e9\U0001f600\ud800"])),
    "dates": ([datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)], numpy.array(["0001-01-01", "2024-02-29", "9999-12-31"], "M8[D]")),
    "datetimes": ([datetime.datetime(1, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime.max],
                  numpy.array(["0001-01-01", "1969-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999"], "M8[us]")),
    "timedeltas": ([datetime.timedelta(-1, 2, 3), datetime.timedelta(106_000_000)], numpy.array([-86_400_000_000 + 2_000_003, 106_000_000 * 86_400_000_000], "m8[us]")),
    "scalars": ([numpy.float32(1), numpy.float32(2)], numpy.array([1, 2], "f4")),
    "times": ([numpy.int8(5)], numpy.array([5], "i1")),
}


@pytest.mark.parametrize("name", ONE_ARRAY)
@pytest.mark.parametrize("make", [list, tuple, None], ids=["list", "tuple", "array"])
def test_values_of_one_kind_are_one_array(flatten, name, make):
    """NPY-PKL-033."""
    values, wanted = ONE_ARRAY[name]
    members = flatten(row(*values) if make is None else box(make(values)))
    assert equal(members, values=wanted)


def test_nothing_in_front_of_something(flatten):
    """A column whose first value has no bytes."""
    members = flatten(row(b"", b"x"))
    assert members["values"].tolist() == [120] and members["offsets"].tolist() == [0, 0, 1]
    assert flatten(row(numpy.zeros(0), numpy.zeros(1)))["offsets"].tolist() == [0, 0, 1]


def test_the_shape_is_kept(flatten):
    square = numpy.array([[1, 2], [3, 4]], object)
    assert equal(flatten(square), values=offsets(1, 2, 3, 4).reshape(2, 2))
    members = flatten(numpy.asfortranarray(square))
    assert equal(members, values=offsets(1, 2, 3, 4).reshape(2, 2)) and members["$schema"]["kind"][0] == b"objects-F"
    members = flatten(numpy.array([["a", "b\0"]], object))
    assert members["$shape"].tolist() == [1, 2] and members["offsets"].tolist() == [0, 1, 3] and members["values"].tobytes() == b"ab\0"
    assert flatten(numpy.empty((0, 3), object))["$shape"].tolist() == [0, 3]


def test_strings_that_no_array_holds(flatten):
    """NPY-PKL-033: a NUL at the end is lost in an array of strings, and one long string makes all of them long."""
    assert equal(flatten(row("a\0", "\u00e9")), values=numpy.frombuffer("a\0\u00e9".encode(), "u1"), offsets=offsets(0, 2, 4))
    members = flatten(row("x" * 1000, *(f"{number}" for number in range(100))))
    assert members["values"].dtype == "u1" and members["offsets"][1] == 1000
    assert flatten(row("x" * 16, "a"))["values"].dtype == "U16"
    assert equal(flatten(row(b"ab", b"", b"\xff\0")), values=numpy.frombuffer(b"ab\xff\0", "u1"), offsets=offsets(0, 2, 2, 4))


def test_none_among_others(flatten):
    """NPY-PKL-033."""
    members = flatten(row("a", None, "b"))
    assert members["values"].tolist() == ["a", "", "b"] and members["$none"].tolist() == [False, True, False]
    members = flatten(row(None, 1.5))
    assert numpy.isnan(members["values"][0]) and members["values"][1] == 1.5 and members["$schema"]["items"].tolist() == [b"float?"]
    assert [name for name in flatten(row(None, None)) if name != "$schema"] == []
    assert numpy.isnat(flatten(row(None, datetime.date(2020, 1, 1)))["values"][0])
    for values in ([None, True], [None, 10**30], [None, b"x"], ["a\0", None], [1j, None], [2**63, None]):
        assert "$none" in flatten(row(*values))


def test_ragged_arrays(flatten):
    """NPY-PKL-033."""
    assert equal(flatten(row(numpy.arange(3.0), numpy.arange(0.0), numpy.arange(2.0))), values=numpy.array([0, 1, 2, 0, 1.0]), offsets=offsets(0, 3, 3, 5))
    assert equal(flatten(row(numpy.zeros((2, 3), ">i2"), numpy.ones((1, 4), ">i2"))), values=numpy.array([0] * 6 + [1] * 4, ">i2"),
                 offsets=offsets(0, 6, 10), shapes=offsets(2, 3, 1, 4).reshape(2, 2))
    assert set(flatten(row(numpy.zeros(2), numpy.zeros(2, "f4")))) - {SAME[:-4]} == {"$schema", "0", "1"}
    assert {"0", "1"} <= set(flatten(row(numpy.zeros((2, 3), order="F"), numpy.zeros((2, 2)))))


def test_dictionaries(flatten):
    """NPY-PKL-032: by path; keys that are no words are escaped; others are columns."""
    members = flatten(box({"x": numpy.arange(3), "y": {"z": [1.5], "n": None}, "a/b.npy": 1, "": "e", "\u00e9": True, "\ud800": 2}))
    assert equal(members, x=numpy.arange(3), **{"y/z": [1.5], "a%2Fb%2Enpy": 1, "%": "e", "%E9": True, "%{D800}": 2})
    members = flatten(box({"layer1.0.weight": 1, ".x": 2, "b.NPY": 3, ".npy": 4, "npy": 5, "c.npyx": 6, "..": 7}))
    assert equal(members, **{"layer1.0.weight": 1, "%2Ex": 2, "b%2ENPY": 3, "%2Enpy": 4, "npy": 5, "c.npyx": 6, "%2E.": 7})
    members = flatten(box({1: "a", 2: "b"}))
    assert members["$keys"].tolist() == [1, 2] and members["$values"].tolist() == ["a", "b"]
    assert flatten(box({f"k{number}": number for number in range(1000)}))["k999"] == 999
    members = flatten(box({f"k{number}": number for number in range(1001)}))
    assert members["$keys"][1000] == "k1000" and members["$values"][1000] == 1000
    members = flatten(box({(1, "a"): [None], None: 2}))
    assert members["$schema"]["kind"].tolist()[1] == b"dict mixed"
    for value in (collections.OrderedDict(a=1), collections.defaultdict(list, a=1), collections.defaultdict(None, a=1)):
        assert equal(flatten(box(value)), a=1)


OTHERS = [datetime.timedelta(999_999_999), datetime.timedelta(-106_000_001), datetime.datetime(2020, 1, 1, fold=1), datetime.time(1, 2), frozenset({"a"}), {1, 2}, set(), (), [[], [[]]], bytearray(b"x"), slice(1, None), range(3), decimal.Decimal("1.50"), uuid.UUID(int=2**127),
          datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), datetime.timedelta(1), numpy.ma.array([1, 2], mask=[0, 1]),
          numpy.array([(1, "a")], [("n", "i4"), ("s", "U2")]), numpy.array([1], "M8[s]"), numpy.matrix([[1]]), numpy.zeros(3).view(numpy.recarray),
          numpy.dtype("f8"), numpy.array([1, "a"], object), numpy.array([("a", 1)], [("o", "O"), ("n", "i4")]), TEXT, "n\0", 10**40, NAN]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_other_values_come_back(flatten, value):
    """NPY-PKL-034: calls have rows for what they are made of."""
    flatten(row(value, [value, 1]))


def test_shared_values_stay_one(flatten):
    """NPY-PKL-034."""
    members = flatten(row(SHARED, {"again": SHARED}, "a", TEXT, [TEXT, None, {}]))
    assert [kind for kind, count in members["$schema"][["kind", "count"]].tolist() if kind == b"ref"] == [b"ref", b"ref"]
    assert members["$schema"]["count"][3] == 1
    assert flatten(row(COMPLEX, 1j, COMPLEX))["$same"].tolist() == [[4, 2]]
    own = numpy.frombuffer(bytearray(8), numpy.dtype("f8", metadata={"one": 1})).view(numpy.dtype({"names": ["a"], "formats": ["f8"]}))
    flatten(row(own, own[:0], numpy.zeros(1)))
    assert SAME[:-4] not in flatten(row("word", "other", "word", numpy.zeros(2), numpy.ones(1), [numpy.zeros(3)]))
    array = numpy.arange(100_000)
    members = flatten(row(*[array] * 100))
    assert set(members) == {"$schema", "0"}


def test_what_cannot_be_flat(run, tmp_path):
    """NPY-PKL-031."""
    cycle = [1]
    cycle.append([cycle])
    (tmp_path / "in.npy").write_bytes(npy(box(cycle)))
    (tmp_path / "old.npz").write_bytes(b"old")
    code, _, said = run("--flatten", "in.npy", "old.npz")
    at = re.search(rb"\](q.|\x94)\(K\x01", npy(box(cycle))).start()
    assert code == 1 and f"the objects contain themselves, or need more than 1,048,576 members or rows at byte {at} [NPY-PKL-031]" in said
    assert (tmp_path / "old.npz").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2
    (tmp_path / "in.npy").write_bytes(npy(box(print)))
    code, _, said = run("--flatten", "in.npy", "new.npz")
    assert code == 1 and "NPY-PKL-011" in said and not (tmp_path / "new.npz").exists()
    (tmp_path / "in.npy").write_bytes(npy(numpy.arange(3)))
    code, _, said = run("--flatten", "in.npy", "new.npz")
    assert code == 2 and "plain already" in said and not (tmp_path / "new.npz").exists()


def test_pipes_members_and_versions(run, tmp_path, safenpy):
    data = npy(row(1, "a"))
    code, out, said = run("--flatten", "-", "-", input=data)
    assert (code, said) == (0, "")
    code, back, said = run("--unflatten", "-", "-", input=out)
    assert (code, said) == (0, "")
    (tmp_path / "in.npy").write_bytes(data)
    assert run("--disarm", "in.npy", "plain.npy")[0] == 0 and (tmp_path / "plain.npy").read_bytes() == back
    numpy.savez(tmp_path / "a.npz", x=row(1, "a"))
    assert run("--flatten", "a.npz:x", "flat.npz")[0] == 0 and run("--flatten", "--deflate", "in.npy", "small.npz")[0] == 0
    assert run("--unflatten", "flat.npz", "one.npy")[0] == 0 and run("--unflatten", "small.npz", "two.npy")[0] == 0
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "two.npy").read_bytes() == back
    for version in ("2.0", "3.0"):
        assert run("--format-version", version, "in.npy", "v.npy")[0] == 0 and run("--flatten", "v.npy", "v.npz")[0] == 0
        assert run("--disarm", "v.npy", "v1.npy")[0] == 0 and run("--unflatten", "v.npz", "v2.npy")[0] == 0
        assert (tmp_path / "v1.npy").read_bytes() == (tmp_path / "v2.npy").read_bytes()
    for words in (("--protocol", "2"), ("--numpy", "2"), ("--protocol", "5")):
        assert run("--disarm", *words, "in.npy", "v1.npy")[0] == 0 and run("--unflatten", *words, "flat.npz", "v2.npy")[0] == 0
        assert (tmp_path / "v1.npy").read_bytes() == (tmp_path / "v2.npy").read_bytes()
    shown = subprocess.run([safenpy, "cat", "flat.npz:$schema"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "objects" in shown and "str" in shown


@pytest.mark.parametrize("words, fault", [
    (("--flatten", "--unflatten"), "contradict"), (("--flatten", "--disarm"), "leave --disarm out"), (("--flatten", "--protocol", "4"), "writes none"),
    (("--unflatten", "--store"), "writes an array"), (("--flatten", "--order", "F"), "keep the array"), (("--unflatten", "--member", "x"), "whole archive")],
    ids=" ".join)
def test_wrong_options(run, words, fault):
    code, _, said = run(*words, "in", "out")
    assert code == 2 and fault in said


# ---- archives that nobody flattened ----


def good_members():
    """Members of a flat archive with a column, offsets, shapes, None, rows by path, a call, a reference and a shared text."""
    return row({"a": row("p", None, "q"), "b": [b"x", b"yz"], "c": row(numpy.zeros((1, 2)), numpy.zeros((2, 2))), "d": (1.5, True), "e": SHARED,
                "f": SHARED, "g": decimal.Decimal("1"), "h": {1: 2.5}, "i": numpy.array([(1, 2.0)], "i4,f8"), "j": "p", "k": 10**30, "l": row(COMPLEX, 1j, COMPLEX)})


@pytest.fixture
def members(flatten, tmp_path):
    found = flatten(good_members())
    assert {"$same", "0/a/$none", "0/b/offsets", "0/c/shapes", "0/d/0", "0/h/$keys", "0/i", "0/k"} <= set(found)
    with zipfile.ZipFile(tmp_path / "flat.npz") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def back(run, tmp_path):
    """Comes back from members: (status, message)."""
    def call(members):
        with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        (tmp_path / "old.npy").write_bytes(b"old")
        code, _, said = run("--unflatten", "bad.npz", "old.npy")
        assert code in (0, 1) and ((tmp_path / "old.npy").read_bytes() == b"old") == (code == 1), said
        return code, said
    return call


def refused(found, rule="NPY-PKL-035"):
    code, said = found
    assert code == 1 and rule in said, said
    return True


def edited(members, name, edit):
    """The members with one array changed."""
    array = numpy.load(io.BytesIO(members[name])).copy()
    changed = edit(array)
    return {**members, name: npy(array if changed is None else changed)}


def test_the_members_come_back(members, back):
    assert back(members)[0] == 0
    assert back({name: npy(numpy.load(io.BytesIO(data))) for name, data in members.items()})[0] == 0


def test_members_that_are_missing_or_too_many(members, back):
    """NPY-PKL-035."""
    for name in set(members) - {SAME}:
        assert refused(back({other: data for other, data in members.items() if other != name}))
    assert refused(back({**members, "more.npy": npy(numpy.arange(3))}))
    assert refused(back({SCHEMA: members[SCHEMA]}))
    assert refused(back({"x.npy": npy(numpy.arange(3))}))


def test_members_of_another_type_or_shape(members, back):
    """NPY-PKL-035."""
    for name in members:
        for other in (numpy.zeros(3, "c8"), numpy.zeros(0), numpy.zeros((1, 1, 1), "i8"), numpy.zeros(2, "M8[s]"), row(1)):
            assert refused(back({**members, name: npy(other)}), "NPY-PKL-0"), (name, other)
        assert refused(back({**members, name: b"no array"}))
        assert refused(back({**members, name: members[name][:-1]}))
        assert refused(back({**members, name: members[name] + b"x"}))


def test_offsets_and_shapes_that_lie(members, back):
    """NPY-PKL-035."""
    for name in ("0/b/offsets.npy", "0/c/offsets.npy"):
        for place, number in ((0, 1), (1, -1), (1, 100), (-1, 2**62), (-1, -2**63), (1, 2**63 - 1)):
            def put(array):
                array[place] = number
            assert refused(back(edited(members, name, put)))
    for number in (-1, 0, 3, 2**62, -2**63):
        def put(array):
            array[0, 0] = number
        assert refused(back(edited(members, "0/c/shapes.npy", put)))


def change_row(members, index, **fields):
    schema = numpy.load(io.BytesIO(members[SCHEMA]))
    widths = {name: max([len(value)] + [1]) for name, value in fields.items() if isinstance(value, (bytes, str))}
    kinds = {"kind": "S", "items": "S", "key": "U"}
    types = [(name, "<i8") if name == "count" else
             (name, f"{kinds[name]}{max(schema.dtype[name].itemsize // (4 if name == 'key' else 1), widths.get(name, 1))}") for name in schema.dtype.names]
    wide = schema.astype(types)
    for name, value in fields.items():
        wide[name][index] = value
    return {**members, SCHEMA: npy(wide)}


def test_rows_that_lie(members, back):
    """NPY-PKL-035: the byte is that of the row."""
    count = len(numpy.load(io.BytesIO(members[SCHEMA])))
    for index in range(count):
        for number in (-1, -2**63, 2**63 - 1, 10**7, 0 if index != count - 1 else 2):
            if number == numpy.load(io.BytesIO(members[SCHEMA]))["count"][index]:
                continue
            found = back(change_row(members, index, count=number))
            assert found[0] == 1 and "NPY-PKL-0" in found[1], (index, number, found)
        for kind in (b"", b"?", b"list", b"ref", b"array", b"text", b"dict float", b"call:os.system", b"global:os.system", b"call:", b"mixed", b"new:uuid.UUID"):
            assert back(change_row(members, index, kind=kind))[0] in (0, 1)
        for items in (b"?", b"list", b"text", b"array", b"none", b"int?", b"none?", b"scalar"):
            assert back(change_row(members, index, items=items))[0] in (0, 1)
    code, said = back(change_row(members, 3, kind=b"nothing"))
    schema = numpy.load(io.BytesIO(change_row(members, 3, kind=b"nothing")[SCHEMA]))
    start = len(npy(schema)) - schema.nbytes
    assert code == 1 and f"at byte {start + 3 * schema.itemsize} " in said


def test_rows_name_no_function_that_is_not_listed(members, back):
    """NPY-PKL-001, NPY-PKL-011."""
    index = [kind for kind in numpy.load(io.BytesIO(members[SCHEMA]))["kind"].tolist()].index(b"call:decimal.Decimal")
    for name in (b"call:os.system", b"call:builtins.eval", b"call:posix.system", b"call:eval"):
        assert refused(back(change_row(members, index, kind=name)), "NPY-PKL-011")
    assert refused(back(change_row(members, index, kind=b"call:a\nb.c")))


def test_references_that_lie(members, back):
    """NPY-PKL-035: forwards, to itself, to what contains it, to nothing."""
    schema = numpy.load(io.BytesIO(members[SCHEMA]))
    index = schema["kind"].tolist().index(b"ref")
    for number in (index, index + 1, 0, 1, len(schema), 2**40):
        assert refused(back(change_row(members, index, count=number)))
    same = numpy.load(io.BytesIO(members[SAME]))
    for place in range(len(same)):
        for pair in ([same[place][1], same[place][0]], [same[place][0], same[place][0]], [same[place][0], 0], [same[place][0], -1], [2**62, 0], [-1, -1]):
            changed = same.copy()
            changed[place] = pair
            assert refused(back({**members, SAME: npy(changed)})), pair
    assert refused(back({**members, SAME: npy(numpy.concatenate([same, same[-1:]]))}))


def test_values_that_are_said_to_be_one_but_differ(flatten, back, tmp_path):
    """NPY-PKL-035: who reads the column and who comes back see the same."""
    flatten(row(COMPLEX, 1j, COMPLEX))
    with zipfile.ZipFile(tmp_path / "flat.npz") as archive:
        word = {name: archive.read(name) for name in archive.namelist()}

    def put(array):
        array[2] = 9j
    assert refused(back(edited(word, "values.npy", put)))


def test_many_of_none(run, tmp_path):
    """NPY-PKL-033: they have no member, so that few bytes would be any number of them."""
    for count, code in ((1048576, 0), (1048577, 1)):
        (tmp_path / "in.npy").write_bytes(npy(numpy.empty(count, object)))
        assert run("--flatten", "in.npy", "flat.npz")[0] == code
    (tmp_path / "in.npy").write_bytes(npy(row([None] * 1048576, [None] * 1048576)))
    assert run("--flatten", "in.npy", "flat.npz")[0] == 1


def test_large_counts_take_no_memory(back, run, tmp_path):
    """NPY-PKL-035: whatever the rows say."""
    schema = numpy.array([(b"object", b"", 1, ""), (b"list", b"none", 10**12, "")], [("kind", "S6"), ("items", "S4"), ("count", "i8"), ("key", "U1")])
    assert refused(back({SCHEMA: npy(schema)}))
    rows = [(b"object", b"", 1, "")] + [(b"list", b"", 1, "")] * 200_000 + [(b"none", b"", 1, "")]
    deep = numpy.array(rows, schema.dtype)
    code, said = back({SCHEMA: npy(deep)})
    assert code == 1 and ("NPY-PKL-024" in said or "NPY-PKL-035" in said)


def test_a_member_is_used_once(back):
    """NPY-PKL-035: 3,000 rows with one path would make 3 GB of a member of 1 MiB."""
    rows = [(b"object", 1, ""), (b"dict", 3000, "")] + [(b"bytes", 1, "a")] * 3000
    schema = numpy.zeros(len(rows), [("kind", "S6"), ("items", "S1"), ("count", "i8"), ("key", "U1")])
    schema[["kind", "count", "key"]] = rows
    start = len(npy(schema)) - schema.nbytes
    assert refused(back({SCHEMA: npy(schema), "a.npy": npy(numpy.zeros(1 << 20, "u1"))}), f"at byte {start + 3 * schema.itemsize} [NPY-PKL-035]")


def test_changed_bytes_are_refused_or_make_no_difference(members, back, run, tmp_path):
    """NPY-PKL-035: what is accepted is flattened to the same members again."""
    dice = random.Random(35)
    names = sorted(members)
    accepted = 0
    for _ in range(400):
        name = dice.choice(names)
        data = bytearray(members[name])
        for _ in range(dice.randrange(1, 3)):
            data[dice.randrange(len(data)) if dice.random() < 0.5 else dice.randrange(len(data) - 20, len(data))] = dice.choice([0, 1, 2, 255, dice.randrange(256)])
        if back({**members, name: bytes(data)})[0] == 0:
            accepted += 1
            assert run("--flatten", "old.npy", "again.npz")[0] == 0
            with zipfile.ZipFile(tmp_path / "again.npz") as archive:
                assert {member: archive.read(member) for member in archive.namelist()} == {**members, name: bytes(data)}
    assert 0 < accepted < 200, accepted
