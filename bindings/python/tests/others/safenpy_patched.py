"""A plugin of pytest: every test runs inside patched(). What must fail is listed with the reason, and has to fail."""

import pytest
import safenpy

OBJECTS = "API-OBJECTS: pickles are neither run nor written"
LIMIT = "NPY-FRAME-005: the limit on headers is 64 KiB of text, and the same with allow_pickle"
HOUSE = "an Archive is no zipfile: no attribute zip, another repr"
EXPECTED = {
    "test_python2_python3_interoperability": "NPY-LIT-020: L after dimensions is read without a warning",
    "test_pickle_python2_python3": OBJECTS,
    "test_huge_header": LIMIT,
    "test_huge_header_npz": LIMIT,
    "TestSaveLoad::test_array_object": OBJECTS,
    "TestSavezLoad::test_array_object": OBJECTS,
    "test_savez_nopickle": OBJECTS,
    "TestSaveLoad::test_format_2_0": LIMIT,
    "TestSavezLoad::test_format_2_0": LIMIT,
    "TestSavezLoad::test_closing_zipfile_after_load": HOUSE,
    "TestSavezLoad::test_repr_lists_keys": HOUSE,
}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for item in items:
        name = getattr(item, "originalname", item.name)
        name = name if item.cls is None else f"{item.cls.__name__}::{name}"
        if name in EXPECTED:
            item.add_marker(pytest.mark.xfail(reason=EXPECTED[name], strict=True))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    with safenpy.patched():
        yield
