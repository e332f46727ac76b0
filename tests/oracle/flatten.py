"""Flattens object arrays and comes back, by the command.

    /usr/bin/python3 tests/oracle/flatten.py 100000 [SAFENPY]       # random trees; prints how many came back
    /usr/bin/python3 tests/oracle/flatten.py --share [SAFENPY]      # the payloads of corpus/objects that flatten, by value
"""

import collections
import pickletools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

pickletools.stringnl.reader = lambda stream: stream.readline()  # also bytes beyond ASCII, of Python 2
ROOT = Path(__file__).resolve().parents[2]
SAFENPY = ROOT / "build" / "gcc" / "safenpy"
HEADER = (b"{'descr': '|O', 'fortran_order': False, 'shape': (), }" + b" " * 63 + b"\n")
EMPTY = b"\x93NUMPY\x01\x00" + len(HEADER).to_bytes(2, "little") + HEADER


def wrap(payload):
    """The NPY file of an array without dimensions that has the value of a pickle: the same opcodes, inside an array."""
    protocol = payload[1] if payload[:1] == b"\x80" else 0
    parts = [(opcode.name, position) for opcode, _, position in pickletools.genops(payload)] + [("END", len(payload))]
    body = b"".join(payload[start:end] for (name, start), (_, end) in zip(parts, parts[1:]) if name not in ("PROTO", "FRAME", "STOP"))
    start = b"\x80" + bytes([protocol]) if protocol >= 2 else b""
    short = b"C\x01b" if protocol >= 3 else b"U\x01b"
    text = (lambda word: b"X" + len(word).to_bytes(4, "little") + word) if protocol >= 3 else lambda word: b"U" + bytes([len(word)]) + word
    yes, no = (b"\x88", b"\x89") if protocol >= 2 else (b"I01\n", b"I00\n")
    dtype = b"cnumpy\ndtype\n(" + text(b"O8") + no + yes + b"tR(K\x03" + text(b"|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb"
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00t" + short + b"tR(K\x01)" + dtype + no
    return EMPTY + start + array + b"](" + body + b"etb."


class Command:
    """The command in a folder of its own."""

    def __init__(self, folder, safenpy=SAFENPY):
        self.folder, self.safenpy = Path(folder), safenpy

    def convert(self, *words):
        done = subprocess.run([self.safenpy, "convert", *words], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def fault(self, data):
        """What is wrong with the way back of an NPY file; "" if nothing is, and "refused: …" if it has no plain form."""
        (self.folder / "in.npy").write_bytes(data)
        code, said = self.convert("--flatten", "in.npy", "flat.npz")
        if code == 1 and "NPY-PKL-031" in said:
            return f"refused: {said}"
        if code:
            return f"flatten: {said}"
        for words in (("--disarm", "in.npy", "plain.npy"), ("--unflatten", "flat.npz", "back.npy")):
            code, said = self.convert(*words)
            if code:
                return f"{words[0]}: {said}"
        same = (self.folder / "plain.npy").read_bytes() == (self.folder / "back.npy").read_bytes()
        return "" if same else "another file comes back"


def share(command):
    """How many payloads of each value flatten, of those that are accepted and not arrays of objects already."""
    sys.path.insert(0, str(ROOT / "corpus" / "objects"))
    import written
    found = collections.Counter()
    refused = collections.Counter()
    for record in written.read():
        fault = command.fault(wrap(bytes.fromhex(record["hex"])))
        found["ok" if not fault else fault.split(":")[0]] += 1
        if fault:
            refused[record["value"], fault[-150:] if not fault.startswith("refused") else "refused"] += 1
    return found, refused


def trees(command, count, seed=31):
    """Random trees, of which many share one file. Returns the faults, and how many trees came back."""
    import io
    import numpy
    sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "corpus" / "objects")]
    import test_objects
    dice = random.Random(seed)
    faults, done = [], 0
    while done < count:
        array = numpy.empty(min(20, count - done), object)
        for index in range(len(array)):
            array[index] = test_objects.random_value(dice, 5, [])
        file = io.BytesIO()
        numpy.save(file, array, allow_pickle=True)
        fault = command.fault(file.getvalue())
        if fault:
            faults.append((done, fault))
        done += len(array)
    return faults, done


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        command = Command(folder, Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else SAFENPY)
        if sys.argv[1] == "--share":
            found, refused = share(command)
            print(dict(found))
            for (value, fault), count in sorted(refused.items()):
                print(f"  {count:4} {value}: {fault}")
        else:
            faults, done = trees(command, int(sys.argv[1]))
            print(f"{done} trees, {len(faults)} files with faults", *faults[:10], sep="\n")
            sys.exit(bool(faults))


if __name__ == "__main__":
    main()
