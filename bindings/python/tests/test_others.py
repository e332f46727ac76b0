"""The tests of other packages inside patched(): all pass but those that others/safenpy_patched.py lists.

With SAFENPY_FULL=1 all tests of a module run, else those without large files. What is not installed is skipped.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FULL = os.environ.get("SAFENPY_FULL") == "1"
NUMPYS_SAMPLE = "(test_format or TestSave or Savez or load or save or npz or npy) and not large and not memory"
SUITES = {  # package: modules, which tests of them, at least so many that pass, and loads through safenpy
    "numpy": (("numpy.lib.tests.test_format", "numpy.lib.tests.test_io"), "" if FULL else NUMPYS_SAMPLE, 100, 50),
    "scipy": (("scipy.sparse.tests.test_matrix_io",), "", 8, 10),
    "sparse": (("sparse.numba_backend.tests.test_io",), "", 8, 8),
    "dask": (("dask.array.tests.test_array_core",), "npy or memmap", 2, 5),
}


@pytest.mark.parametrize("package", SUITES)
def test_the_tests_of_another_package_pass(package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    modules, which, passing, loads = SUITES[package]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "safenpy_patched", "--tb=short",
         "--pyargs", *modules, "-k", which],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent / "others"),
             "DASK_SCHEDULER": "sync"},  # its threads would be other contexts
        stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= passing
    assert int(re.search(r"safenpy: (\d+) load", done.stdout)[1]) >= loads, done.stdout[-500:]


def test_arrays_go_to_jax_and_come_back(tmp_path):
    jax = pytest.importorskip("jax")
    import numpy as np
    import safenpy as sn
    jax.config.update("jax_enable_x64", True)
    for array in (np.arange(6.0).reshape(2, 3), np.arange(5, dtype="i4"), np.zeros((0, 3), "f4")):
        sn.save(tmp_path / "x.npy", array)
        given = jax.numpy.from_dlpack(sn.load(tmp_path / "x.npy"))
        sn.save(tmp_path / "y.npy", given + 1)
        assert sn.load(tmp_path / "y.npy").tolist() == (array + 1).tolist()
        assert sn.load(tmp_path / "y.npy").dtype == array.dtype
