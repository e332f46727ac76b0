"""NumPy's own tests of its files, inside patched(): all pass but those that others/safenpy_patched.py lists."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="the list is that of the newest NumPy")
def test_numpys_own_tests_pass():
    place = Path(__file__).parent / "others"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "safenpy_patched", "--tb=short",
         "--pyargs", "numpy.lib.tests.test_format", "numpy.lib.tests.test_io", "-k",
         "(test_format or TestSave or Savez or load or save or npz or npy) and not large and not memory"],
        env={**os.environ, "PYTHONPATH": str(place)}, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 100
