#!/usr/bin/env python3
"""safenpy.spark.check of many objects in a local S3 (moto's server, filled in process): times, requests, a killed worker.

    spark.py 10000 100000

prints a table for docs/scale.md. Every hundredth object is refused, every thousandth is an archive. It fails if a verdict is
not that of the same bytes, if an array costs more than 1.1 requests, or if the time grows by more than 1.1 times the number.
"""

import argparse
import io
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import safenpy as sn
import safenpy.spark
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

KEYS = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1"}


def raw(save, array):
    out = io.BytesIO()
    save(out, array)
    return out.getvalue()


GOOD, BAD = raw(np.save, np.arange(100.0)), raw(np.save, np.arange(100.0))[:-1]
ARCHIVE = raw(np.savez, np.arange(1000.0))


def data_of(number):
    return ARCHIVE if number % 1000 == 999 else BAD if number % 100 == 50 else GOOD


class Store:
    """The server, and what it was asked for."""

    def __init__(self):
        self.server = ThreadedMotoServer("127.0.0.1", 0)
        self.server.start()
        self.url = "http://127.0.0.1:{1}".format(*self.server.get_host_and_port())
        self.lock = threading.Lock()
        self.requests, self.listings, self.seconds = 0, 0, 0.0
        application = self.server._server.app

        def logged(environ, start_response):
            began = time.thread_time()
            answer = application(environ, start_response)
            with self.lock:
                is_object = environ["PATH_INFO"].rstrip("/").count("/") > 1
                self.requests += is_object
                self.listings += not is_object
                self.seconds += time.thread_time() - began
            return answer

        self.server._server.app = logged

    def fill(self, count):
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import s3_backends

        backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
        backend.reset()
        backend.create_bucket("bucket", "us-east-1")
        for number in range(count):
            backend.put_object("bucket", f"runs/{number % 16:x}/{number:07}.npy", data_of(number))
        self.requests, self.listings, self.seconds = 0, 0, 0.0


def workers():
    """The Python workers of Spark: children of its daemon."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words, fields = (place / "cmdline").read_bytes(), (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parent = Path(f"/proc/{fields[1]}/cmdline")
        if b"pyspark.daemon" in words and parent.exists() and b"pyspark.daemon" in parent.read_bytes():
            found.append(int(place.name))
    return found


def run(spark, store, count, kill_after=None):
    """Seconds of a run, whose rows are compared with the verdicts of the same bytes."""
    killed = []

    def kill():
        until = time.monotonic() + 300
        while not killed and time.monotonic() < until:
            if store.requests >= kill_after and (found := workers()):
                os.kill(found[0], signal.SIGKILL)
                killed.append(found[0])
            time.sleep(0.05)

    if kill_after is not None:
        threading.Thread(target=kill, daemon=True).start()
    began = time.monotonic()
    rows = safenpy.spark.check(spark, [f"s3://bucket/runs/{first:x}" for first in range(16)], options={"endpoint_url": store.url}).collect()
    seconds = time.monotonic() - began
    assert kill_after is None or killed
    expected = {id(data): sn.check(data) for data in (GOOD, BAD, ARCHIVE)}
    assert len(rows) == count
    for row in rows:
        verdict = expected[id(data_of(int(row["path"][-11:-4])))]
        assert (row["verdict"], row["rule"], row["offset"]) == ("accept" if verdict else "refuse", verdict.rule, verdict.offset), row
    return seconds


def alone(count):
    """Processor seconds that `examine` takes of objects in memory: Python and check without a store."""
    from fsspec.implementations.memory import MemoryFileSystem

    from safenpy._remote import examine

    fs = MemoryFileSystem()
    fs.pipe_file("/a.npy", GOOD)
    began = time.process_time()
    for _ in range(count):
        assert examine(fs, {"name": "/a.npy", "size": len(GOOD)}, sn.Limits()).verdict
    whole = time.process_time() - began
    began = time.process_time()
    for _ in range(count):
        assert sn.check(GOOD)
    return whole, time.process_time() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=int, nargs="+")
    counts = sorted(parser.parse_args().counts)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    os.environ.update(KEYS, PYSPARK_PYTHON=sys.executable)
    spark = (SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
             .config("spark.sql.shuffle.partitions", "8").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    store = Store()
    store.fill(200)
    run(spark, store, 200)  # starts what is slow to start
    print("| objects | elapsed | requests for each array | of the server, processor | of safenpy in Python | of the check in C | with a worker killed |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    each = []
    for count in counts:
        store.fill(count)
        seconds = run(spark, store, count)
        arrays = count - count // 1000
        ratio = (store.requests - 2 * (count // 1000)) / arrays
        served = store.seconds
        python, check = (part * count / 10_000 for part in alone(10_000))
        store.requests = 0
        again = f"{run(spark, store, count, count // 2):.1f} s" if count == counts[0] else ""
        each.append(seconds / count)
        print(f"| {count:,} | {seconds:.1f} s | {ratio:.3f} | {served:.1f} s | {python - check:.2f} s | {check:.2f} s | {again} |",
              flush=True)
        if ratio > 1.1:
            sys.exit(f"{ratio:.3f} requests for an array")
    growth = each[-1] / each[0]
    print(f"time for an object: {growth:.2f} times, from the fewest to the most")
    spark.stop()
    return growth > 1.1


if __name__ == "__main__":
    sys.exit(main())
