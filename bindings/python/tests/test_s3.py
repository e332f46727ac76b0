"""Arrays in a local S3 (moto's server), by s3fs, HTTP and obstore: what is requested, and what happens when it goes wrong."""

import io
import time

import fsspec
import numpy as np
import pytest
import safenpy as sn

pytest.importorskip("s3fs")
aiohttp = pytest.importorskip("aiohttp")
obstore = pytest.importorskip("obstore")

GRID = np.arange(1000 * 500, dtype="<i4").reshape(1000, 500)
HOLE = [("GET", "bytes=20128-20147"), ("GET", "bytes=22128-22147"), ("GET", "bytes=24128-24147"), ("HEAD", None)]


def raw(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


class Gate:
    """Stands before the application of a server: logs what is asked for, and answers in its place if told to."""

    def __init__(self, application):
        self.application = application
        self.log = []
        self.instead = None  # (environ, start_response) -> body, or None to pass it on

    def __call__(self, environ, start_response):
        self.log.append((environ["REQUEST_METHOD"], environ.get("HTTP_RANGE")))
        answer = None if self.instead is None else self.instead(environ, start_response)
        return self.application(environ, start_response) if answer is None else answer

    def requests(self):
        found = list(self.log)
        self.log.clear()
        return found


@pytest.fixture(scope="module")
def server(s3):
    gate = s3._server.app = Gate(s3._server.app)
    gate.url = s3.url
    gate.fs = fsspec.filesystem("s3", endpoint_url=gate.url, config_kwargs={"retries": {"max_attempts": 1}})
    gate.fs.retries = 1
    gate.fs.makedirs("bucket", exist_ok=True)
    return gate


@pytest.fixture
def put(server):
    def keep(data):
        server.instead = None
        server.fs.pipe_file("bucket/a.npy", data, ACL="public-read")
        server.log.clear()

    keep(raw(GRID))
    yield keep
    server.instead = None


class Opened:
    """A file system and a path, as fsspec.open returns them."""

    def __init__(self, fs, path="bucket/a.npy"):
        self.fs, self.path = fs, path


def ways(server):
    """The same object by three clients."""
    store = {"endpoint": server.url, "access_key_id": "k", "secret_access_key": "s", "region": "us-east-1"}
    by_obstore = pytest.importorskip("obstore.fsspec").FsspecStore("s3", **store, client_options={"allow_http": True})
    return {"s3fs": Opened(server.fs), "http": f"{server.url}/bucket/a.npy", "obstore": Opened(by_obstore)}


@pytest.mark.parametrize("way", ["s3fs", "http", "obstore"])
def test_requests_of_header_and_slice(server, put, way):
    a = sn.open(ways(server)[way], gap=0)
    assert server.requests() == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert a.etag is not None and a.file_size == 128 + GRID.nbytes
    assert np.array_equal(a[10:20], GRID[10:20])
    assert server.requests() == [("GET", "bytes=20128-40127"), ("HEAD", None)]
    assert np.array_equal(a[10:13, :5], GRID[10:13, :5])
    asked = server.requests()
    if way == "obstore":  # joins ranges by a rule of its own
        assert asked == [("GET", "bytes=20128-24147"), ("HEAD", None)]
    else:  # the ranges go at once, in any order
        assert sorted(asked[:-1]) == HOLE[:-1] and asked[-1] == HOLE[-1]


def test_a_url_with_options(server, put):
    with sn.open("s3://bucket/a.npy", endpoint_url=server.url) as a:
        assert np.array_equal(a[::400, ::-100], GRID[::400, ::-100])


def test_a_listing_saves_the_look_for_each_of_many(server, put):
    for number in range(20):
        server.fs.pipe_file(f"bucket/many/{number}.npy", raw(np.arange(number)))
    server.fs.invalidate_cache()
    server.log.clear()
    entries = server.fs.ls("bucket/many", detail=True)
    found = [sn.open(Opened(server.fs, entry["name"]), info=entry) for entry in entries]
    assert sorted(a.shape for a in found) == [(number,) for number in range(20)]
    assert len(server.requests()) == 21  # 1.05 for each


@pytest.mark.parametrize("way", ["s3fs", "http", "obstore"])
def test_requests_of_an_archive_and_its_members(server, put, way):
    out = io.BytesIO()
    np.savez(out, **{f"m{number}": GRID + number for number in range(3)})  # 6 MB
    size = len(out.getvalue())
    put(out.getvalue())
    with sn.open_npz(ways(server)[way]) as z:
        asked = server.requests()
        assert asked[0] == ("HEAD", None)
        assert sorted(asked[1:]) == sorted([("GET", "bytes=0-4095"), ("GET", f"bytes={size - (128 << 10)}-{size - 1}")])
        start, stop = z._opened.info(1)[5:7]
        assert np.array_equal(z["m1"], GRID + 1)
        assert server.requests() == [("GET", f"bytes={start}-{stop - 1}"), ("HEAD", None)]
        changed = bytearray(out.getvalue())
        changed[100] ^= 1  # in another member
        put(bytes(changed))
        with pytest.raises(OSError, match="changed"):
            z["m2"]


def test_a_reader_of_obstore_is_a_file(server, put):
    store = pytest.importorskip("obstore.store").S3Store("bucket", endpoint=server.url, access_key_id="k", secret_access_key="s", region="us-east-1",
                                  client_options={"allow_http": True})
    a = sn.open(obstore.open_reader(store, "a.npy", buffer_size=4096))
    assert server.requests() == [("HEAD", None), ("GET", "bytes=0-4095")]
    assert np.array_equal(a[10:13, :5], GRID[10:13, :5])


@pytest.mark.parametrize("way", ["s3fs", "http", "obstore"])
def test_an_object_that_is_replaced_is_an_error(server, put, way):
    a = sn.open(ways(server)[way])
    put(raw(GRID + 1))
    with pytest.raises(OSError, match="changed"):
        a[3]
    assert np.array_equal(sn.open(ways(server)[way])[3], GRID[3] + 1)


@pytest.mark.parametrize("way", ["s3fs", "http", "obstore"])
@pytest.mark.parametrize("status", ["403 Forbidden", "404 Not Found", "416 Range Not Satisfiable"])
def test_answers_with_errors_are_oserrors(server, put, way, status):
    a = sn.open(ways(server)[way])

    def refuse(environ, start_response):
        start_response(status, [("Content-Length", "0")])
        return [b""]

    server.instead = refuse
    with pytest.raises(OSError):
        a[3]


@pytest.mark.parametrize("way", ["s3fs", "http"])
def test_an_answer_with_fewer_bytes_than_it_should_have_is_an_error(server, put, way):
    a = sn.open(ways(server)[way])

    def cut(environ, start_response):
        if environ["REQUEST_METHOD"] == "HEAD":
            return None
        start_response("206 Partial Content", [("Content-Length", "10"), ("Content-Range", "bytes 6128-6137/2000128")])
        return [bytes(10)]

    server.instead = cut
    with pytest.raises(OSError, match="has no byte 6138"):
        a[3]


def test_a_server_that_ignores_ranges_is_an_error(server, put):
    a = sn.open(ways(server)["http"])

    def whole(environ, start_response):
        environ.pop("HTTP_RANGE", None)

    server.instead = whole
    with pytest.raises(OSError, match="2000128 bytes came for a range of 2000 from 6128"):
        a[3]


def test_an_answer_that_takes_too_long_is_an_error(server, put):
    a = sn.open(ways(server)["http"], client_kwargs={"timeout": aiohttp.ClientTimeout(total=0.3)}, skip_instance_cache=True)

    def slow(environ, start_response):
        time.sleep(1)

    server.instead = slow
    with pytest.raises(OSError):
        a[3]


def test_what_is_missing(server, put):
    for name in ("bucket/missing.npy", "nowhere/a.npy"):
        with pytest.raises(FileNotFoundError):
            sn.open(Opened(server.fs, name))
