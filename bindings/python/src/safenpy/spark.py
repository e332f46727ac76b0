# pyright: basic, reportMissingImports=false
"""Verdicts and arrays of millions of objects, with Spark: `check`, and the data source ``safenpy``.

Needs ``safenpy[spark]`` on the driver and on all workers, and the fsspec package of the store.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import fsspec.core
import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, In, InputPartition, StringStartsWith

from . import _core
from ._errors import Refused
from ._limits import Limits
from ._remote import Examined, examine, member_ranges, open

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SCHEMA", "Arrays", "check"]

#: The columns of `check`.
SCHEMA = ("path string, size long, etag string, verdict string, status string, rule string, offset long, member string, "
          "message string, format string, dtype string, shape array<long>, count long, data_size long, members long")

_LISTED = "path string, size long, etag string, first long, stop long"
_PARTS = SCHEMA + ", first long"
_TYPES = {"string": pa.string(), "long": pa.int64(), "array<long>": pa.list_(pa.int64())}


def _arrow(columns: str) -> pa.Schema:
    return pa.schema([(name, _TYPES[kind]) for name, kind in (column.split() for column in columns.split(", "))])


def _etag(entry: Mapping[str, Any]) -> str | None:
    for key in ("ETag", "etag", "e_tag", "md5Hash", "content_md5", "LastModified", "mtime"):
        if entry.get(key) is not None:
            return str(entry[key])
    return None


def _listing(url: str, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects at or below a URL; those that a pattern with * names."""
    fs, path = fsspec.core.url_to_fs(url, **options)
    found = fs.glob(path, detail=True) if any(letter in path for letter in "*?[") else fs.find(path, detail=True)
    for name, entry in found.items():
        if entry.get("type") != "directory":
            yield {"path": fs.unstrip_protocol(name), "size": entry.get("size"), "etag": _etag(entry)}


# --- a batch of objects, in a process of its own -----------------------------------------------------------------


def _row(entry: Mapping[str, Any], found: Examined, limits: Limits) -> dict[str, Any]:
    verdict, head, members = found
    about: dict[str, Any] = {"dtype": None, "shape": None, "count": None, "data_size": None}
    if verdict and verdict.format == "npy":
        header = _core.parse(head, limits.native, None)
        about = {"dtype": header.descr if isinstance(header.descr, str) else repr(header.descr), "shape": list(header.shape),
                 "count": math.prod(header.shape), "data_size": header.nbytes}
    error = verdict.error
    return {**{key: entry[key] for key in ("path", "size", "etag", "first")}, **about,
            "verdict": "error" if error else "accept" if verdict else "refuse",
            "status": verdict.status, "rule": None if error else verdict.rule, "offset": None if error else verdict.offset,
            "member": verdict.member, "message": str(error) if error else verdict.message, "format": verdict.format,
            "members": members}


def _failed(entry: Mapping[str, Any], why: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_arrow(_PARTS).names)
    return {**row, **{key: entry[key] for key in ("path", "size", "etag", "first")}, "verdict": "error", "message": why}


def _check_batch(entries: list[dict[str, Any]], limits: Limits, options: Mapping[str, Any], jobs: int) -> list[dict[str, Any]]:
    """Rows of a batch, in its order."""
    from concurrent.futures import ThreadPoolExecutor

    def one(entry: dict[str, Any]) -> dict[str, Any]:
        try:
            fs, path = fsspec.core.url_to_fs(entry["path"], **options)
            about = {"name": path, "size": entry["size"], "ETag": entry["etag"]}
            members = None if entry["stop"] is None else (entry["first"], entry["stop"])
            return _row(entry, examine(fs, about, limits, members=members), limits)
        except MemoryError:
            return _failed(entry, "no memory")

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, entries))


def _bound(memory: int) -> None:
    """Of a process: what it may allocate."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


class _Child:
    """A process that checks batches. Made again after a batch that killed it, hung, or took too much memory."""

    def __init__(self, work: tuple[Any, ...], timeout: float, memory: int) -> None:
        self.work = work
        self.timeout = timeout
        self.memory = memory
        self.pool: Any = None

    def _ask(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        from multiprocessing import get_context

        from pebble import ProcessPool

        if self.pool is None:
            self.pool = ProcessPool(max_workers=1, context=get_context("spawn"), initializer=_bound, initargs=(self.memory,))
        task: Any = self.pool.schedule(_check_batch, args=[entries, *self.work], timeout=self.timeout)
        rows: list[dict[str, Any]] = task.result()
        return rows

    def check(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows of all; halves are tried if the whole fails, so that it is one object that has no verdict."""
        from pebble import ProcessExpired

        try:
            return self._ask(entries)
        except (ProcessExpired, TimeoutError, MemoryError, OSError) as error:
            self.close()
            if len(entries) == 1:
                why = f"took more than {self.timeout:g} s" if isinstance(error, TimeoutError) else "the check has crashed"
                return [_failed(entries[0], why)]
            middle = len(entries) // 2
            return self.check(entries[:middle]) + self.check(entries[middle:])

    def close(self) -> None:
        """Ends the process, whatever it does."""
        if self.pool is not None:
            self.pool.stop()
            self.pool.join()
            self.pool = None


def _in_batches(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[list[dict[str, Any]]]:
    for batch in batches:
        entries = batch.to_pylist()
        for start in range(0, len(entries), size):
            yield entries[start:start + size]


# --- check -------------------------------------------------------------------------------------------------------


def check(spark: SparkSession, paths: str | Sequence[str], *, limits: Limits | None = None,
          options: Mapping[str, Any] | None = None, known: DataFrame | None = None, partitions: int | None = None,
          jobs: int = 16, batch: int = 256, timeout: float = 300, memory: int = 4 << 30, split: int = 1 << 30) -> DataFrame:
    """Check the objects at and below URLs: a row for each, with the verdict that `safenpy.check` gives of its bytes.

    Objects are listed, and their headers are read by ranges; archives are read as a whole, but large ones by ranges.
    An object that crashes the check, hangs, or needs too much memory gets the verdict ``error`` and takes nothing else along.

    Parameters
    ----------
    spark : SparkSession
    paths : str or sequence of str
        URLs for fsspec: of folders, of objects, or with ``*``. Each is listed by a task of its own.
    limits : Limits, optional
        What is accepted.
    options : mapping, optional
        For the file system, as of ``fsspec.open``.
    known : DataFrame, optional
        Rows of an earlier run. What has the path, size and ETag of an accepted or refused one is not checked again, and has
        the row of that run.
    partitions : int, optional
        Tasks that check; by default four for each of Spark's slots.
    jobs : int
        Threads of a task that wait for the store.
    batch : int
        Objects that are checked in one process before their rows are given to Spark.
    timeout : float
        Seconds for a batch; one that takes longer is tried in halves.
    memory : int
        Bytes that the process of a task may allocate.
    split : int
        Bytes: an archive that is larger is checked in parts of this size by several tasks. If several of its members are at
        fault, the first one in the archive is reported.

    Returns
    -------
    DataFrame
        With the columns of `SCHEMA`; ``verdict`` is ``accept``, ``refuse`` or ``error``. It is computed when it is used:
        write it to Parquet at once.

    Examples
    --------
    >>> import os, numpy as np, safenpy.spark
    >>> from pyspark.sql import SparkSession
    >>> safenpy.save("x.npy", np.arange(3))
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()
    >>> rows = safenpy.spark.check(spark, os.getcwd(), limits=safenpy.UNTRUSTED)  # or "s3://bucket/runs"
    >>> rows.write.parquet("verdicts", compression="gzip")
    >>> [(row.verdict, row.dtype, row.shape) for row in spark.read.parquet("verdicts").collect()]
    [('accept', '<i8', [3])]
    """
    from pyspark.sql import functions as f

    chosen = Limits() if limits is None else limits
    given = dict(options or {})
    urls = [paths] if isinstance(paths, str) else list(paths)
    count = 4 * spark.sparkContext.defaultParallelism if partitions is None else operator.index(partitions)

    def enumerate_objects(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for some in batches:
            for url in some.column(0).to_pylist():
                yield from _batches(({**entry, "first": 0, "stop": None} for entry in _listing(url, given)), _LISTED)

    def split_archives(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for some in batches:
            yield from _batches((part for entry in some.to_pylist() for part in _parts(entry, chosen, given, split)), _LISTED)

    def check_objects(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        child = _Child((chosen, given, jobs), timeout, memory)
        try:
            for entries in _in_batches(batches, batch):
                yield pa.RecordBatch.from_pylist(child.check(entries), schema=_arrow(_PARTS))
        finally:
            child.close()

    names = [column.split()[0] for column in SCHEMA.split(", ")]
    listed = spark.createDataFrame([(url,) for url in urls], "url string").repartition(max(1, len(urls)))
    objects = listed.mapInArrow(enumerate_objects, _LISTED).dropDuplicates(["path"])
    kept = None
    if known is not None:
        objects = objects.persist()  # it is used twice
        same = ["path", "size", "etag"]
        seen: Any = known.where("verdict <> 'error' and etag is not null").dropDuplicates(["path"])
        kept = seen.join(objects.select(*same), same, "left_semi").select(*names)
        objects = objects.join(seen.select(*same), same, "left_anti")
    parts = objects.repartition(count, "path").mapInArrow(split_archives, _LISTED).repartition(count, "path", "first")
    rows = parts.mapInArrow(check_objects, _PARTS)
    first_fault = f.struct((f.col("verdict") == "accept").cast("int"), f.col("first"))
    checked = rows.groupBy("path").agg(f.min_by(f.struct(*names), first_fault).alias("row")).select("row.*")
    return checked if kept is None else checked.unionByName(kept)


def _batches(rows: Iterable[dict[str, Any]], columns: str) -> Iterator[pa.RecordBatch]:
    schema = _arrow(columns)
    some: list[dict[str, Any]] = []
    for row in rows:
        some.append(row)
        if len(some) == 10_000:
            yield pa.RecordBatch.from_pylist(some, schema=schema)
            some = []
    if some:
        yield pa.RecordBatch.from_pylist(some, schema=schema)


def _parts(entry: dict[str, Any], limits: Limits, options: Mapping[str, Any], split: int) -> list[dict[str, Any]]:
    """A large archive in ranges of members; what is none, or cannot be opened, as it is."""
    if entry["size"] is None or entry["size"] <= split:
        return [entry]
    try:
        fs, path = fsspec.core.url_to_fs(entry["path"], **options)
        found = member_ranges(fs, {"name": path, "size": entry["size"], "ETag": entry["etag"]}, limits, split)
    except (Refused, OSError):
        return [entry]
    return [{**entry, "first": first, "stop": stop} for first, stop in found] or [entry]


# --- arrays as rows ----------------------------------------------------------------------------------------------

_KINDS = {"b1": "boolean", "i1": "tinyint", "i2": "smallint", "i4": "int", "i8": "bigint", "u1": "smallint", "u2": "int", "u4": "bigint",
          "u8": "decimal(20,0)", "f2": "float", "f4": "float", "f8": "double"}
_ARROW = {"boolean": pa.bool_(), "tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(),
          "decimal(20,0)": pa.decimal128(20, 0), "float": pa.float32(), "double": pa.float64(), "string": pa.string(),
          "binary": pa.binary()}
_BLOCK = 4 << 20  # bytes that become a batch of rows
_TASK = 128 << 20  # bytes of the objects of a task


def _kind(dtype: Any) -> str:
    """The type of Spark for a simple dtype."""
    if dtype.kind in "SV":
        return "binary"
    found = "string" if dtype.kind == "U" else _KINDS.get(f"{dtype.kind}{dtype.itemsize}")
    if found is None or dtype.hasobject:
        raise ValueError(f"{dtype} has no type in Spark")
    return found


def _columns(header: _core.Header) -> list[tuple[str, Any, str]]:
    """Name, dtype and type of Spark of each column of an array: its fields, or the elements of its first axis."""
    dtype = header.dtype
    names = dtype.names or ("value",)
    columns: list[tuple[str, Any, str]] = []
    for name in names:
        one = dtype.fields[name][0] if dtype.names else dtype
        depth = len(header.shape[1:]) + len(one.shape)
        if one.base.names:
            raise ValueError(f"field {name!r} is structured, which has no type in Spark here")
        columns.append((name, one, "array<" * depth + _kind(one.base) + ">" * depth))
    return columns


def _column(block: Any, kind: str) -> pa.Array:
    """A column of rows, each of which may have axes of its own."""
    simple = kind.strip("<>").split("<")[-1].rstrip(">")
    flat: Any = block.reshape(-1)
    if flat.dtype.kind in "SUV":
        values: pa.Array = pa.array([bytes(one) if flat.dtype.kind == "V" else one for one in flat.tolist()], _ARROW[simple])
    elif simple.startswith("decimal"):
        values = pa.array([int(one) for one in flat], _ARROW[simple])
    else:
        values = pa.array(flat.astype(flat.dtype.newbyteorder("="), copy=False)).cast(_ARROW[simple])
    for axis in range(block.ndim - 1, 0, -1):
        count = math.prod(block.shape[:axis])
        values = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype="i4") * block.shape[axis]), values)
    return values


class _Group(InputPartition):
    """The objects of a task."""

    def __init__(self, urls: list[str]) -> None:
        super().__init__(urls)
        self.urls = urls


class Arrays(DataSource):
    """The data source ``safenpy``: the rows of arrays, the first axis of each, by ranged reads.

    Columns are ``path``, ``row``, and the fields of a structured dtype, or ``value``; further axes become arrays. Numbers,
    booleans and fixed strings have types in Spark; unsigned ones the next larger type, uint64 ``decimal(20,0)``. All objects
    must have the dtype and the further axes of the first one. An object that is refused ends the query with its rule: `check`
    before. Filters on ``path`` (``=``, ``IN``, a prefix) are applied before anything is read; Spark wants
    ``spark.sql.python.filterPushdown.enabled`` for that. Options but ``path`` are for the file system, as of ``fsspec.open``.

    Examples
    --------
    >>> import os, numpy as np, safenpy.spark
    >>> from pyspark.sql import SparkSession
    >>> safenpy.save("x.npy", np.arange(3))
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()
    >>> spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
    >>> spark.dataSource.register(safenpy.spark.Arrays)
    >>> rows = spark.read.format("safenpy").load(os.getcwd())  # or "s3://bucket/runs"
    >>> [row.value for row in rows.orderBy("row").collect()]
    [0, 1, 2]
    """

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "safenpy"

    def _urls(self) -> list[dict[str, Any]]:
        options: dict[str, Any] = {key: value for key, value in self.options.items() if key != "path"}
        found = [entry for entry in _listing(self.options["path"], options) if not entry["path"].endswith(".npz")]
        if not found:
            raise FileNotFoundError(f"no arrays at {self.options['path']}")
        return sorted(found, key=lambda entry: entry["path"])

    def schema(self) -> str:
        """That of the first object."""
        options: dict[str, Any] = {key: value for key, value in self.options.items() if key != "path"}
        with open(self._urls()[0]["path"], **options) as array:
            columns = _columns(array.header)
        quoted = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, _, kind in columns)
        return f"path string, row long, {quoted}"

    def reader(self, schema: Any) -> DataSourceReader:
        """Reads what has this schema."""
        options: dict[str, Any] = {key: value for key, value in self.options.items() if key != "path"}
        return _Rows(self._urls(), options, schema)


class _Rows(DataSourceReader):
    def __init__(self, entries: list[dict[str, Any]], options: Mapping[str, Any], schema: Any) -> None:
        self.entries = entries
        self.options = options
        self.names = schema.names
        self.columns = [(field.name, field.dataType.simpleString()) for field in schema.fields[2:]]

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:  # noqa: N802 (Spark's)
        for one in filters:
            if getattr(one, "attribute", None) != ("path",):
                yield one
            elif isinstance(one, EqualTo):
                self.entries = [entry for entry in self.entries if entry["path"] == one.value]
            elif isinstance(one, In):
                self.entries = [entry for entry in self.entries if entry["path"] in one.value]
            elif isinstance(one, StringStartsWith):
                self.entries = [entry for entry in self.entries if entry["path"].startswith(one.value)]
            else:
                yield one

    def partitions(self) -> Sequence[InputPartition]:
        groups: list[list[str]] = [[]]
        left = _TASK
        for entry in self.entries:
            left -= entry["size"] or 0
            if left < 0 and groups[-1]:
                groups.append([])
                left = _TASK - (entry["size"] or 0)
            groups[-1].append(entry["path"])
        return [_Group(urls) for urls in groups if urls]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        for url in partition.urls:
            with open(url, **self.options) as array:
                yield from self._rows(url, array)

    def _rows(self, url: str, array: Any) -> Iterator[pa.RecordBatch]:
        columns = _columns(array.header)
        if [(name, kind) for name, _, kind in columns] != self.columns:
            wanted = ", ".join(f"{name} {kind}" for name, kind in self.columns)
            raise ValueError(f"{url}: its columns are {', '.join(f'{name} {kind}' for name, _, kind in columns)}, not {wanted}")
        if not array.shape:
            raise ValueError(f"{url}: an array without dimensions has no rows")
        count = array.shape[0]
        step = max(1, _BLOCK // max(1, math.prod(array.shape[1:]) * array.dtype.itemsize))
        for start in range(0, count, step):
            block: Any = array[start:start + step]
            rows = len(block)
            found = [_column(block[name] if block.dtype.names else block, kind) for name, _, kind in columns]
            yield pa.RecordBatch.from_arrays(
                [pa.array([url] * rows), pa.array(np.arange(start, start + rows)), *found], names=self.names)
