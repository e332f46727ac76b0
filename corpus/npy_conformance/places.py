"""Where the suites are: inside an installed package, one folder up in a checkout of safenpy."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
IS_INSTALLED = (HERE / "suite" / "manifest.json").is_file()
CORPUS = HERE / "suite" if IS_INSTALLED else HERE.parent
SUITES = {"npy": CORPUS, "npz": CORPUS / "archives", "objects": CORPUS / "objects"}      # what an author may choose by name
PAGES = {"npy": "", "npz": "archives/", "objects": "objects/"}          # where the pages of their cases are, below one folder
ROOT = CORPUS.parent
BUILD = Path("build-adapters") if IS_INSTALLED else ROOT / "build" / "adapters"
SAFENPY = None if IS_INSTALLED else ROOT / "build" / "safenpy"


def suite_folder(text):
    """The folder of a suite, by name or by path."""
    return SUITES.get(text) or Path(text)
