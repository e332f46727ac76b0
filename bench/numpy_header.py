"""How long NumPy's own reader takes for a header in memory: `nanoseconds version`, the median of batches."""

import io
import statistics
import sys
import time

import numpy
from numpy.lib import format as npy

ROUNDS, BATCH = 25, 200


def main():
    with open(sys.argv[1], "rb") as file:
        stream = io.BytesIO(file.read())
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(BATCH):
            stream.seek(8)  # behind magic and version, where this function begins to read
            shape, fortran_order, dtype = npy.read_array_header_1_0(stream)
        times.append((time.perf_counter_ns() - begin) / BATCH)
    assert shape == (3, 4) and not fortran_order and dtype == numpy.dtype("<f8")
    print(f"{statistics.median(times):.1f} {numpy.__version__}")


main()
