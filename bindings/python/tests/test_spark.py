"""safenpy.spark on a local S3 (moto's server): verdicts, requests, what happens to hostile objects and killed workers."""

import io
import shutil
import sys

import fsspec
import numpy as np
import pytest
import safenpy as sn

pytest.importorskip("s3fs")
pytest.importorskip("pebble")
sql = pytest.importorskip("pyspark.sql")

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
LARGE = np.arange(2000)
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"


def raw(array, save=np.save, **arrays):
    out = io.BytesIO()
    save(out, **arrays) if arrays else save(out, array)
    return out.getvalue()


HOSTILE = """
import os, signal, time
import fsspec
import numpy as np
from fsspec.implementations.memory import MemoryFileSystem

DATA = b"\\x93NUMPY\\x01\\x00\\x76\\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }".ljust(117) + b"\\n" + bytes(80)

class Hostile(MemoryFileSystem):
    protocol = "hostile"

    def find(self, path, **options):
        names = ["crash.npy", "hang.npy", "hungry.npy", *(f"{number}.npy" for number in range(20))]
        return {name: {"name": name, "size": len(DATA), "type": "file", "ETag": "1"} for name in names}

    def cat_file(self, path, start=None, end=None, **options):
        if "crash" in path:
            os.kill(os.getpid(), signal.SIGSEGV)
        if "hang" in path:
            time.sleep(3600)
        if "hungry" in path:
            return b"x" * (64 << 30)
        return DATA[start:end]
"""


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session whose workers also know a store whose objects do to their reader what their names say."""
    place = tmp_path_factory.mktemp("hostile")
    (place / "hostile_store.py").write_text(HOSTILE)
    (place / "hostile_store-0.dist-info").mkdir()
    (place / "hostile_store-0.dist-info" / "METADATA").write_text("Name: hostile_store\nVersion: 0\n")
    (place / "hostile_store-0.dist-info" / "entry_points.txt").write_text("[fsspec.specs]\nhostile = hostile_store:Hostile\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", str(place))  # of the workers
        session = (sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
                   .config("spark.sql.shuffle.partitions", "4").config("spark.sql.python.filterPushdown.enabled", "true").getOrCreate())
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def server(s3):
    application = s3._server.app
    s3.asked = []

    def logged(environ, start_response):
        s3.asked.append((environ["REQUEST_METHOD"], environ["PATH_INFO"].strip("/")))
        return application(environ, start_response)

    s3._server.app = logged
    s3.options = {"endpoint_url": s3.url}
    s3.fs = fsspec.filesystem("s3", **s3.options)
    return s3


@pytest.fixture
def put(server):
    """Replaces all objects of the bucket: from names to bytes."""
    def keep(objects):
        server.fs.makedirs("bucket", exist_ok=True)
        server.fs.invalidate_cache()
        old = server.fs.find("bucket")
        if old:
            server.fs.rm(old)
        server.fs.pipe({f"bucket/{name}": data for name, data in objects.items()})
        server.fs.invalidate_cache()
        server.asked.clear()

    return keep


def check(spark, server, paths="s3://bucket", **options):
    import safenpy.spark

    found = safenpy.spark.check(spark, paths, options=server.options, partitions=2, **options).collect()
    rows = {row["path"].removeprefix("s3://bucket/"): row for row in found}
    assert len(rows) == len(found)
    return rows


def test_500_objects_of_all_kinds(server, spark, put, cases, archive_cases, corpus):
    arrays = [(corpus / case["file"]).read_bytes() for case in cases[::10]] + [raw(LARGE), raw(LARGE)[:-1]]
    archives = [(corpus / "archives" / case["file"]).read_bytes() for case in archive_cases[::4]] + [raw(LARGE, np.savez)]
    objects = {f"runs/{number:03}": data for number, data in enumerate([*arrays, *archives, POINTER])}
    put(objects)
    rows = check(spark, server)
    assert rows.keys() == objects.keys() and len(rows) > 450
    for name, data in objects.items():
        expected = sn.check(data)
        row = rows[name]
        assert row["verdict"] == ("accept" if expected else "refuse"), name
        assert (row["status"], row["rule"], row["offset"]) == (expected.status, expected.rule, expected.offset), name
        assert (row["member"], row["message"], row["format"]) == (expected.member, expected.message, expected.format), name
        assert row["size"] == len(data) and row["etag"]
        if expected and expected.format == "npz":
            assert row["members"] == len(sn.open_npz(data))
        elif expected:
            about = sn.header(io.BytesIO(data))
            assert (tuple(row["shape"]), row["data_size"]) == (about.shape, about.nbytes) and row["dtype"], name
    assert {method for method, _ in server.asked} == {"GET"}
    assert sum(name.removeprefix("bucket/") in objects for _, name in server.asked) <= 1.1 * len(objects)


def test_a_large_archive_is_checked_by_several_tasks(server, spark, put):
    members = {f"m{number}": np.random.default_rng(number).bytes(300_000) for number in range(12)}
    good = raw(None, np.savez, **{name: np.frombuffer(data, "u1") for name, data in members.items()})
    bad = bytearray(good)
    with sn.open_npz(good) as z:
        bad[z._opened.info(9)[4] + 5000] ^= 1
    put({"good.npz": good, "bad.npz": bytes(bad)})
    rows = check(spark, server, split=1_000_000)
    assert rows["good.npz"]["verdict"] == "accept" and rows["good.npz"]["members"] == 12
    expected = sn.check(bytes(bad))
    assert (rows["bad.npz"]["rule"], rows["bad.npz"]["member"]) == (expected.rule, expected.member) == (expected.rule, "m9.npy")


def test_what_is_known_is_not_checked_again(server, spark, put, tmp_path):
    import safenpy.spark

    put({"a.npy": raw(LARGE), "b.npy": raw(LARGE)[:-1], "c.npy": raw(LARGE)})
    place = str(tmp_path / "verdicts")
    safenpy.spark.check(spark, "s3://bucket", options=server.options).write.parquet(place, compression="gzip")
    server.fs.pipe_file("bucket/c.npy", POINTER)
    server.fs.invalidate_cache()
    server.asked.clear()
    rows = check(spark, server, known=spark.read.parquet(place))
    assert {name: row["verdict"] for name, row in rows.items()} == {"a.npy": "accept", "b.npy": "refuse", "c.npy": "refuse"}
    assert {name for _, name in server.asked if name.endswith(".npy")} == {"bucket/c.npy"}


def test_one_bad_object_costs_one_row(spark):
    import safenpy.spark

    rows = safenpy.spark.check(spark, "hostile://", partitions=1, timeout=8).collect()
    bad = {row["path"].split("/")[-1]: row["message"] for row in rows if row["verdict"] != "accept"}
    assert len(rows) == 23 and bad.keys() == {"crash.npy", "hang.npy", "hungry.npy"}
    assert "crashed" in bad["crash.npy"] and "8 s" in bad["hang.npy"] and "Memory" in bad["hungry.npy"]


def test_arrays_are_rows(server, spark, put):
    import safenpy.spark

    spark.dataSource.register(safenpy.spark.Arrays)
    table = np.zeros(5, [("id", "<u4"), ("name", "U5"), ("raw", "S3"), ("x", ">f8", (2,)), ("big", "<u8"), ("ok", "?")])
    table["id"], table["name"], table["x"][:, 1] = range(5), [*"abcde"], np.arange(5) / 2
    table["big"] = 2**64 - 1
    put({"a.npy": raw(table), "b.npy": raw(table[:2]), "m.npz": raw(LARGE, np.savez)})
    reader = spark.read.format("safenpy").options(endpoint_url=server.options["endpoint_url"])
    rows = reader.load("s3://bucket").orderBy("path", "row").collect()
    assert [(row["path"][-5:], row["row"]) for row in rows] == [("a.npy", n) for n in range(5)] + [("b.npy", 0), ("b.npy", 1)]
    assert [row["id"] for row in rows[:5]] == [*range(5)] and rows[2]["name"] == "c" and rows[2]["x"] == [0.0, 1.0]
    assert int(rows[0]["big"]) == 2**64 - 1 and rows[0]["ok"] is False and bytes(rows[0]["raw"]) == b""
    server.asked.clear()
    assert reader.load("s3://bucket").where("path = 's3://bucket/b.npy'").count() == 2
    read = [name for method, name in server.asked if method == "GET" and name.endswith("a.npy")]
    assert len(read) <= 2  # for the schema only

    put({"c.npy": raw(np.arange(24, dtype="<i2").reshape(2, 3, 4))})
    assert [row["value"] for row in reader.load("s3://bucket").orderBy("row").collect()] == np.arange(24).reshape(2, 3, 4).tolist()
    put({"d.npy": raw(np.zeros(3, complex))})
    with pytest.raises(Exception, match="complex128 has no type in Spark"):
        reader.load("s3://bucket").collect()
    put({"e.npy": raw(LARGE), "f.npy": raw(LARGE.astype("f4"))})
    with pytest.raises(Exception, match="f.npy: its columns are value float, not value bigint"):
        reader.load("s3://bucket").collect()
    put({"g.npy": raw(LARGE), "h.npy": raw(LARGE)[:-1]})
    with pytest.raises(Exception, match=r"NPY-DATA-00"):
        reader.load("s3://bucket").collect()
