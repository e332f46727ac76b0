"""Has an old NumPy write the files of accept/old that its versions wrote, and compares them byte for byte.

    python3 corpus/check_old_numpy.py       # with NumPy 1.9 to 1.23, on Python 3.6 or later

NumPy 1.9 to 1.13 aligned the data to 16 bytes, 1.14 to 1.23 to 64, and neither left room to grow. Each file
whose name begins with such a version is loaded and saved again by the NumPy at hand; the bytes must be the
same. Object arrays are left out, and so is what only Python 2 or NumPy before 1.2 wrote. Uses nothing
else of the suite, so that it runs on Pythons as old as those versions.
"""

import io
import json
import sys
from pathlib import Path

import numpy as np

CORPUS = Path(__file__).resolve().parent
STYLES = {"1.2": (2, 14), "1.13": (9, 14), "1.14": (14, 24), "1.19": (14, 24)}    # minor versions that wrote them
COLUMN = "accept/old/1.2-fortran"     # NumPy up to 1.9 said True for it, and later ones do not


def saved_again(path):
    """What numpy.save makes of what numpy.load reads."""
    stream = io.BytesIO()
    np.save(stream, np.load(str(path)))
    return stream.getvalue()


def main():
    """Compares all files of the versions that wrote like the NumPy at hand."""
    minor = int(np.__version__.split(".")[1])
    records = json.loads((CORPUS / "manifest.json").read_text())["cases"]
    same = failed = 0
    for record in records:
        folder, _, name = record["id"].rpartition("/")
        first, last = STYLES.get(name.split("-")[0], (0, 0))
        # A canonical flag is kept by no writer where both orders agree; 1.14-15d and the column have such a flag.
        agree = record["id"] == COLUMN or name == "1.14-15d"
        if folder != "accept/old" or not first <= minor < last or agree:
            continue
        path = CORPUS / record["file"]
        if saved_again(path) == path.read_bytes():
            same += 1
        else:
            failed += 1
            print("%s: NumPy %s writes other bytes" % (record["id"], np.__version__))
    print("NumPy %s: %d files are as it writes them, %d differ" % (np.__version__, same, failed))
    sys.exit(1 if failed or not same else 0)


if __name__ == "__main__":
    main()
