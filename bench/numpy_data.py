"""How long NumPy takes for what bench/data.c measures: `numpy_data.py FILE SIDE` prints lines `name number`."""

import sys
import time

import numpy as np


def timed(name, call):
    begin = time.process_time()
    result = call()
    del result
    print(f"{name} {time.process_time() - begin:.6f}")


def main():
    path, side = sys.argv[1], int(sys.argv[2])
    print(f"version {np.__version__}")
    for _ in range(3):
        timed("load", lambda: np.load(path))
    matrix = np.load(path)[:side * side].reshape((side, side), order="F")
    target = np.ones((side, side))
    for _ in range(3):
        timed("copyto", lambda: np.copyto(target, matrix))
        timed("ascontiguousarray", lambda: np.ascontiguousarray(matrix))


if __name__ == "__main__":
    main()
