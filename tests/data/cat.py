#!/usr/bin/env python3
"""Holds the output of `safenpy cat` against NumPy: every dtype, byte order, order, 0 to 5 dimensions, random indices.

    tests/data/cat.py SAFENPY [--seed N] [--rounds N]

What must be printed is put together here anew from what NumPy says of each value. The last line is
`N passed, N failed`. NumPy is a tool of this test only.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import run

FORMS = ["text", "csv", "json", "raw"]
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
BATCH = 200
MOST_SHOWN = 20


# --- one value ---------------------------------------------------------------------------------------------------

def float_text(value, point=True):
    """The digits that NumPy finds, or Python for 8 bytes. Of whole numbers the ".0" can be left out."""
    text = repr(float(value)) if value.dtype.itemsize == 8 else str(value)
    return text[:-2] if not point and text.endswith(".0") else text


def json_float(text):
    return {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}.get(text, text)


def complex_text(value, form):
    parts = [float_text(part, form == "json") for part in (value.real, value.imag)]
    if form == "json":
        return "[" + ", ".join(map(json_float, parts)) + "]"
    return "(" + parts[0] + ("" if parts[1].startswith("-") else "+") + parts[1] + "j)"


def hidden(code):
    """Whether a terminal is not shown a character: of those that the files here hold."""
    return code < 0x20 or 0x7f <= code < 0xa0 or 0xd800 <= code < 0xf900 or code >= 0xe0000


def escaped(code, quote, is_bytes):
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
    letter = chr(code) if code < 0x110000 else ""
    if letter in names and letter:
        return names[letter]
    if letter == quote:
        return '""' if quote == '"' else "\\'"
    if hidden(code) or is_bytes and code >= 0x80:
        width = "\\x%02x" if code < 0x100 else "\\u%04x" if code < 0x10000 else "\\U%08x" if code < 0x110000 else "\\u{%x}"
        return width % code
    return letter


def json_string(codes):
    out = '"'
    for code in codes:
        if code in (0x22, 0x5c):
            out += "\\" + chr(code)
        elif 0x20 <= code < 0x7f:
            out += chr(code)
        elif code == 10:
            out += "\\n"
        else:
            units = chr(code).encode("utf-16-be")
            out += "".join("\\u%04x" % (units[i] * 256 + units[i + 1]) for i in range(0, len(units), 2))
    return out + '"'


def string_text(codes, form, is_bytes):
    end = len(codes)
    while end and codes[end - 1] == 0:
        end -= 1
    codes = codes[:end]
    if form == "json":
        if any(code > 0x10ffff or 0xd800 <= code < 0xe000 for code in codes):
            return "[" + ", ".join(map(str, codes)) + "]"
        return json_string(codes)
    quote = "'" if form == "text" else '"'
    prefix = "b" if form == "text" and is_bytes else ""
    return prefix + quote + "".join(escaped(code, quote, is_bytes) for code in codes) + quote


def moment_text(value):
    count, (unit, times) = int(value.view("i8")), np.datetime_data(value.dtype)
    if count == -1 << 63:
        return "NaT"
    if value.dtype.kind == "M" and unit != "generic":
        return str(np.datetime_as_string(value))
    return str(count * times) + ("" if unit == "generic" else unit)


def value_text(raw, dtype, form):
    """The text of one value, given its bytes."""
    kind = dtype.kind
    if kind in "SUV":
        if kind == "U":
            codes = [int(code) for code in np.frombuffer(raw, dtype=dtype.byteorder.replace("|", "=") + "u4")]
            return string_text(codes, form, False)
        if kind == "S":
            return string_text(list(raw), form, True)
        return '"0x' + raw.hex() + '"' if form == "json" else "0x" + raw.hex()
    value = np.frombuffer(raw, dtype=dtype)[0]
    if kind == "b":
        truth = raw != b"\0"
        return str(truth).lower() if form == "json" else str(truth)
    if kind in "iu":
        return str(int(value))
    if kind == "f":
        text = float_text(value)
        return json_float(text) if form == "json" else text
    if kind == "c":
        return complex_text(value, form)
    text = moment_text(value)
    return '"' + text + '"' if form == "json" else text


# --- one element -------------------------------------------------------------------------------------------------

def item_text(raw, dtype, form):
    """An element of any type; for CSV a list of cells."""
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return nested_text(raw, base, shape, form)
    if dtype.names is None:
        text = value_text(raw, dtype, form)
        return [text] if form == "csv" else text
    parts = []
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        parts.append(item_text(raw[offset:offset + field.itemsize], field, form))
    if form == "csv":
        return [cell for part in parts for cell in part]
    if form == "json":
        return "{" + ", ".join('"%s": %s' % pair for pair in zip(dtype.names, parts)) + "}"
    return "(" + ",".join(parts) + (",)" if len(parts) == 1 else ")")


def nested_text(raw, base, shape, form):
    if base.subdtype:
        return nested_text(raw, base.subdtype[0], shape + base.subdtype[1], form)
    if not shape:
        return item_text(raw, base, form)
    size = len(raw) // shape[0] if shape[0] else 0
    parts = [nested_text(raw[k * size:(k + 1) * size], base, shape[1:], form) for k in range(shape[0])]
    if form == "csv":
        return [cell for part in parts for cell in part]
    return "[" + (", " if form == "json" else ",").join(parts) + "]"


def columns(dtype, prefix=""):
    """The names of the columns of CSV."""
    if dtype.subdtype:
        base, shape = dtype.subdtype
        while base.subdtype:
            base, shape = base.subdtype[0], shape + base.subdtype[1]
        return [cell for index in np.ndindex(*shape)
                for cell in columns(base, prefix + "".join("[%d]" % k for k in index))]
    if dtype.names is None:
        return [prefix]
    return [cell for name in dtype.names for cell in columns(dtype.fields[name][0], (prefix + "." if prefix else "") + name)]


# --- an array ----------------------------------------------------------------------------------------------------

def has_gaps(dtype):
    """Whether a record has bytes that no field takes."""
    return bool(dtype.names) and sum(dtype.fields[name][0].itemsize for name in dtype.names) != dtype.itemsize


def raw_items(view):
    size = view.dtype.itemsize
    raw = np.ascontiguousarray(view).tobytes()
    return [raw[k * size:(k + 1) * size] for k in range(view.size)]


def json_rows(items, shape):
    if not shape:
        return items[0]
    if shape[0] == 0:
        return "[]"
    step = len(items) // shape[0]
    rows = [json_rows(items[k * step:(k + 1) * step], shape[1:]) for k in range(shape[0])]
    return "[" + (", " if len(shape) == 1 or shape[1] == 0 else ",\n").join(rows) + "]"


def printed(view, form):
    """All that `cat` must print of a view."""
    if form == "raw":
        return np.ascontiguousarray(view).tobytes()
    raws = raw_items(view)
    items = [item_text(raw, view.dtype, form) for raw in raws]
    if form == "json":
        return (json_rows(items, view.shape) + "\n").encode()
    if form == "csv":
        return csv_rows(view, items).encode()
    return text_rows(view, items).encode()


def csv_rows(view, items):
    if view.dtype.names is not None:
        head = ",".join('"%s"' % name for name in columns(view.dtype)) + "\n"
        return head + "".join(",".join(item) + "\n" for item in items)
    cells = [item[0] for item in items]
    width = view.shape[-1] if view.ndim > 1 else 1
    return "".join(",".join(cells[k:k + width]) + "\n" for k in range(0, len(cells), width or 1))


def text_rows(view, items):
    lines = min(view.ndim, 0 if view.dtype.names is not None else 1)
    width = view.shape[-1] if lines else 1
    outer = view.shape[:view.ndim - lines]
    rows = [" ".join(items[k:k + width]) for k in range(0, len(items), width or 1)]
    out = ""
    for number, row in enumerate(rows):
        if number and len(outer) > 1 and number % outer[-1] == 0:
            out += "\n"
        out += row + "\n"
    return out


# --- indices -----------------------------------------------------------------------------------------------------

def random_index(rng, view):
    """One pair of brackets, and what it leaves."""
    if view.dtype.names and rng.random() < 0.4:
        name = rng.choice(view.dtype.names)
        return rng.choice(["['%s']", '["%s"]', "[ '%s' ]"]) % name, view[name]
    wanted, texts = [], []
    count = rng.randrange(view.ndim + 1)
    dots = rng.randrange(count + 1) if rng.random() < 0.4 or count == 0 else None
    axes = list(range(count)) if dots is None else list(range(dots)) + list(range(view.ndim - count + dots, view.ndim))
    for position in range(count + (dots is not None)):
        if position == dots:
            wanted.append(Ellipsis)
            texts.append("...")
            continue
        axis = axes[position - (dots is not None and position > dots)]
        if rng.random() < 0.35 and view.shape[axis] > 0:
            index = rng.randrange(-view.shape[axis], view.shape[axis])
            wanted.append(index)
            texts.append("%d" % index)
            continue
        ends = [rng.choice([None, None, rng.randrange(-7, 8), 10 ** 30]) for _ in range(2)]
        pace = rng.choice([None, None, 1, 2, 3, -1, -2, 7])
        wanted.append(slice(*ends, pace))
        text = ":".join("" if end is None else str(end) for end in ends)
        texts.append(text + ("" if pace is None and rng.random() < 0.5 else ":" + ("" if pace is None else str(pace))))
    return "[" + rng.choice([",", ", "]).join(texts) + rng.choice(["]", "]", ",]"]), view[(*wanted, *(() if Ellipsis in wanted else (Ellipsis,)))]


def random_part(rng, array):
    text, view = "", array
    for _ in range(rng.choice([0, 1, 1, 2])):
        more, view = random_index(rng, view)
        text += more
    return text, view


# --- comparisons -------------------------------------------------------------------------------------------------

class Comparison:
    """Arguments for the command, form by form, and what it must print of each."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.files = binary, Path(folder), 0
        self.asked = {form: [] for form in FORMS}
        self.passed = self.failed = 0

    def save(self, array):
        path = self.folder / f"{self.files}.npy"
        np.save(path, array)
        self.files += 1
        return str(path)

    def ask(self, argument, view, forms):
        for form in forms:
            if form == "raw" and has_gaps(view.dtype):
                continue  # NumPy keeps no padding when it copies
            self.asked[form].append((argument, printed(view, form)))

    def judge(self, what, got, wanted):
        if got == wanted:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= MOST_SHOWN:
            at = next((k for k, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
            print(f"FAIL  {what}: at byte {at}\n  got    {got[max(0, at - 60):at + 60]!r}\n"
                  f"  wanted {wanted[max(0, at - 60):at + 60]!r}")

    def cat(self, form, arguments, stdin=None):
        result = subprocess.run([self.binary, "cat", "--output", form, "--", *arguments], capture_output=True,
                                input=stdin, check=False)
        if result.returncode != 0 or result.stderr:
            return result.stdout + b"\n!" + str(result.returncode).encode() + result.stderr[-2000:]
        return result.stdout

    def run(self):
        for form, asked in self.asked.items():
            for first in range(0, len(asked), BATCH):
                batch = asked[first:first + BATCH]
                if self.cat(form, [pair[0] for pair in batch]) == b"".join(pair[1] for pair in batch):
                    self.passed += len(batch)
                    continue
                for argument, wanted in batch:
                    self.judge(f"{form} {argument}", self.cat(form, [argument]), wanted)

    def run_pipes(self, rng, share):
        """Some of all once more through a pipe, where slices that step back need a file."""
        for form, asked in self.asked.items():
            for argument, wanted in rng.sample(asked, min(share, len(asked))):
                name, dot, indices = argument.partition(".npy")
                got = self.cat(form, ["-" + indices], Path(name + dot).read_bytes())
                self.judge(f"{form} {argument} through a pipe", got, wanted)


def add_arrays(comparison, rng, rounds):
    """dtype × byte order × order × dimensions, with random indices on each file."""
    kinds = [np.dtype(prefix + kind) if kind != "?" else np.dtype("?") for kind in run.SIMPLE + ["V0", "S0", "f2"]
             for prefix in (("<", ">") if np.dtype(kind).itemsize > 1 and kind[0] not in "SV" else ("",))]
    for dtype in kinds + [np.dtype(record) for record in run.RECORDS]:
        for ndim in range(6):
            for order in "CF":
                array = np.asarray(run.fill(rng, np.zeros(run.shapes(rng, ndim), dtype=dtype)), order=order)
                path = comparison.save(array)
                for _ in range(rounds):
                    text, view = random_part(rng, array)
                    comparison.ask(path + text, view, rng.sample(FORMS, 2))


def add_floats(comparison, rng):
    """Random bits, powers of two and of ten and their neighbours, subnormals, and all of 16 bits."""
    for size, count in ((4, 30000), (8, 30000)):
        whole = np.dtype("u%d" % size)
        floats = np.dtype("f%d" % size)
        bits = np.frombuffer(rng.randbytes(size * count), dtype=whole)
        exponents = np.arange(-149, 128) if size == 4 else np.arange(-1074, 1024)
        powers = np.ldexp(floats.type(1), exponents).astype(floats).view(whole)
        tens = np.array([float("1e%d" % k) for k in range(-45 if size == 4 else -323, 38 if size == 4 else 308)]
                        ).astype(floats).view(whole)
        near = np.concatenate([edge.astype("i8") + shift for edge in (powers, tens) for shift in (-1, 0, 1)])
        small = bits & whole.type((1 << (23 if size == 4 else 52)) - 1)
        whole_numbers = np.array([rng.randrange(1 << rng.randrange(1, 60)) for _ in range(3000)]).astype(floats)
        thousandths = (np.array([rng.randrange(10 ** 7) for _ in range(3000)]) / 1000).astype(floats)
        array = np.concatenate([bits, near.astype(whole), small[:5000], whole_numbers.view(whole), thousandths.view(whole)])
        for part in np.array_split(array.view(floats), 40):
            comparison.ask(comparison.save(part), part, ["text", "json"])
    for part in np.array_split(np.arange(65536, dtype="u2").view("f2"), 8):
        comparison.ask(comparison.save(part), part, ["text"])


def add_long_doubles(comparison, rng):
    """The x86 machine's long double, where this machine has it."""
    if np.dtype("g").itemsize != 16 or np.finfo("g").nmant != 63:
        return
    values = [np.longdouble(rng.random()) * np.longdouble(2) ** rng.randrange(-16000, 16000) for _ in range(2000)]
    values += [np.longdouble(2) ** k for k in range(-16440, 16380, 37)]
    values += [np.longdouble(text) for text in ("0", "-0.0", "nan", "inf", "-inf", "1e-4", "1e16", "0.1", "123.5")]
    array = np.array(values, dtype="g")
    comparison.ask(comparison.save(array), array, ["text", "json"])
    array = array[:2000].view("G")
    comparison.ask(comparison.save(array), array, ["text", "csv"])


def add_moments(comparison, rng):
    """Datetimes of all units and some multiples, wherever NumPy's own arithmetic does not wrap around."""
    for unit in UNITS:
        for times in (1, 25, 1000):
            most = (1 << 63) // times // (8 if unit == "W" else 1) - 2000
            counts = [rng.randrange(-most, most) >> rng.randrange(63) for _ in range(400)]
            counts += [-1 << 63, 0, 1, -1, 59, 60, 365, 366, -719528, -719529]
            for kind in "Mm":
                array = np.array(counts, dtype="i8").view("%s8[%d%s]" % (kind, times, unit))
                comparison.ask(comparison.save(array), array, ["text", "csv", "json"])


def add_large(comparison, rng):
    """More than one part: rows, columns and cubes that are larger than what is in memory at once."""
    flat = np.frombuffer(rng.randbytes(8 * 600000), dtype="<i8")
    for shape in ((600000,), (600, 1000), (6, 1000, 100), (2, 300000)):
        for order in "CF":
            array = np.asarray(flat.reshape(shape), order=order)
            path = comparison.save(array)
            comparison.ask(path, array, ["raw"])
            comparison.ask(path + "[..., ::-7]", array[..., ::-7], ["raw"])
            comparison.ask(path + "[::3, ...]", array[::3, ...], ["raw"])
    letters = np.array([b"a\0b" * 1400000, b"'\xff\n"], dtype="S4300000")
    comparison.ask(comparison.save(letters), letters, ["raw", "json"])
    comparison.ask(comparison.save(letters[1:]), letters[1:], ["text", "csv"])
    wide = np.array(["\u6574\0" * 530000 + "\ud800", "x"], dtype="U1060001")
    comparison.ask(comparison.save(wide), wide, ["json"])
    record = np.zeros(2, dtype=[("a", "<u2", (3,)), ("b", ">U1", (2,)), ("c", "V4300000"), ("d", "i1")])
    record["a"] = rng.randrange(65536)
    record["b"] = "\u6574"
    path = comparison.save(record)
    comparison.ask(path, record, ["raw", "json"])
    comparison.ask(path + "['b']", record["b"], ["json"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(args.binary, folder)
        with np.errstate(all="ignore"):
            add_arrays(comparison, rng, args.rounds)
            add_floats(comparison, rng)
            add_long_doubles(comparison, rng)
            add_moments(comparison, rng)
            add_large(comparison, rng)
        comparison.run()
        comparison.run_pipes(rng, 150)
    print(f"{comparison.passed} passed, {comparison.failed} failed")
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
