"""The examples of the docstrings, as they stand."""

import doctest
import importlib
import pkgutil
import shutil
import sys

import numpy as np
import pytest
import safenpy


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="scalars are printed otherwise")
@pytest.mark.parametrize("name", ["safenpy", *(f"safenpy.{module.name}" for module in pkgutil.iter_modules(safenpy.__path__))])
def test_examples(name, monkeypatch):
    if name.endswith("._core"):
        pytest.skip("has no docstrings with examples")
    if name.endswith(".spark"):
        pytest.importorskip("pyspark")
        if shutil.which("java") is None:
            pytest.skip("Spark needs Java")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.failed == 0


def test_what_is_public_has_an_example():
    for name in safenpy.__all__:
        if name not in ("UNTRUSTED", "DType", "Global", "Header", "Needs", "Verdict"):
            assert ">>>" in getattr(safenpy, name).__doc__, name
