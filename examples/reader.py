"""reader.py: a careless reader of NPY files, for corpus/run to find fault with.

Exit status: 0, the file was read; 1, it was refused; 3, this reader does not support such files.
"""

import ast
import sys


def load(path):
    with open(path, "rb") as file:
        magic, length = file.read(8), int.from_bytes(file.read(2), "little")
        if magic != b"\x93NUMPY\x01\x00":
            raise ValueError("not version 1.0")
        header = ast.literal_eval(file.read(length).decode("latin-1"))
        return header["descr"], header["shape"], header["fortran_order"], file.read()


if __name__ == "__main__":
    try:
        descr = load(sys.argv[1])[0]
    except (ValueError, SyntaxError, KeyError, TypeError):
        sys.exit(1)
    sys.exit(0 if isinstance(descr, str) else 3)
