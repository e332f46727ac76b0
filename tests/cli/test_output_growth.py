"""No command's output grows faster than its input: neither on the screen nor in the files that it writes.

Each input comes in two sizes. A byte of the larger one may not take much more of the output than a byte of the smaller
one: twice the input, twice the output. What is printed of elements without bytes is in test_output_without_end.py.
"""

import io
import os
import subprocess
import zipfile

import pytest

SMALL, LARGE = 6000, 48000  # bytes of what grows
MORE = 1.3                  # what a byte may take among many, where it takes 1 among few
CONSTANT = 4096             # what any output may have beside that
CAP = 64 << 20              # output is not read any further
ROWS = 4


def npy(descr, shape=(ROWS,), data=b"", version=1):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    text = text.encode("utf-8" if version == 3 else "latin-1")
    width = 2 if version == 1 else 4
    text += b" " * (-(len(text) + 9 + width) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text + data


def fields(count, name="f{}", descr="'|u1'"):
    return "[" + ", ".join(f"('{name.format(number)}', {descr})" for number in range(count)) + "]"


def nested(levels, name, inner="'|u1'"):
    for level in range(levels):
        inner = f"[('{name}{level}', {inner})]"
    return inner


def simple(size):
    return npy("'<f8'", (size // 8,), bytes(size // 8 * 8))


def many_fields(size):
    count = size // 20
    return npy(fields(count), data=bytes(ROWS * count))


def long_outer_name(size):
    """The name of one record around many short fields."""
    count = size // 40
    return npy(f"[('{'n' * (size // 2)}', {fields(count)})]", data=bytes(ROWS * count))


def long_names_at_each_level(size):
    """Sixty levels, and a name around each of them."""
    return npy(nested(60, "n" * (size // 60)), data=bytes(ROWS))


def more_levels(size):
    """Seven levels, then sixty."""
    return npy(nested(size // 800, "n" * 780), data=bytes(ROWS))


def fields_at_each_level(size):
    """Fields beside the record of each level, with names of each level before them."""
    inner = "'|u1'"
    for level in range(40):
        beside = ", ".join(f"('b{number}', '|u1')" for number in range(size // 1600))
        inner = f"[('{'n' * (size // 80)}{level}', {inner}), {beside}]"
    return npy(inner, data=bytes(ROWS * (1 + 40 * (size // 1600))))


def many_records(size):
    """Records side by side, three levels each."""
    count = size // 60
    return npy(fields(count, descr=nested(3, "inner")), data=bytes(ROWS * count))


def escaped_names(size):
    """Names that are longer where they are shown than in the header: invisible characters, and quotes."""
    count = size // 100
    return npy(fields(count, name="{}" + "\u00ad\u200b" * 10 + '"' * 10), data=bytes(ROWS * count), version=3)


def surrogates(size):
    count = size // 60
    return npy(fields(count, name="{}" + r"\ud800" * 6), data=bytes(ROWS * count))


def titles(size):
    count = size // 100
    parts = ", ".join(f"(('{'t' * 60}{number}', 'f{number}'), '|u1')" for number in range(count))
    return npy(f"[{parts}]", data=bytes(ROWS * count))


def long_shapes(size):
    count = size // 200
    return npy(fields(count, descr=f"'|u1', ({'1, ' * 50})"), data=bytes(ROWS * count))


def sub_array(size):
    """The columns of one field grow with the data."""
    return npy(f"[('a', '|u1', ({size},))]", data=bytes(ROWS * size))


def sub_array_of_a_long_name(size):
    """So do those of a record whose name grows as well."""
    return npy(f"[('{'n' * (size // 2)}', [('x', '|u1')], ({size // 2},))]", data=bytes(ROWS * (size // 2)))


def sub_arrays_of_records(size):
    count = size // 50
    return npy(fields(count, descr="[('x', '|u1'), ('y', '|u1', (2,))], (3,)"), data=bytes(ROWS * 9 * count))


def texts(size):
    return npy(f"'|S{size // ROWS}'", data=b"\x1b" * size)


def trailing(size):
    return npy("'|u1'", data=bytes(ROWS + size))


def deviations(size):
    """Needs a compatibility flag in each field."""
    count = size // 30
    return npy("[" + ", ".join(f"['f{number}', '=u2', 2]" for number in range(count)) + "]", data=bytes(ROWS * 4 * count))


def bad_type(size):
    return npy(fields(size // 20)[:-1] + ", ('x', '<f3')]")


def bad_name(size):
    return npy(f"[('{'n' * size}', '|u1'), ('{'n' * size}', '|u1')]", version=2)


def one_line(size):
    return npy("'<f8'" + " " * size + "!")


ARRAYS = [simple, many_fields, long_outer_name, long_names_at_each_level, more_levels,
          fields_at_each_level, many_records,
          escaped_names, surrogates, titles, long_shapes, sub_array, sub_array_of_a_long_name, sub_arrays_of_records,
          texts, trailing, deviations, bad_type, bad_name, one_line]


def packed(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


SMALLEST = npy("'|u1'", data=bytes(ROWS))


def many_members(size):
    return packed([(f"{number}.npy", SMALLEST) for number in range(size // 250)])


def no_arrays(size):
    return packed([(f"{number}.npy" if number % 2 else str(number), b"text") for number in range(size // 100)])


def long_member_names(size):
    return packed([(f"{number}{'n' * (size // 20)}.npy", SMALLEST) for number in range(10)])


def escaped_member_names(size):
    return packed([(f"{number}" + "\u200b" * 60 + ".npy", SMALLEST) for number in range(size // 700)])


def deep_members(size):
    return packed([(f"{number}" + "/d" * 8 + ".npy", SMALLEST) for number in range(size // 1000)])


def nested_members(size):
    return packed([(f"{number}.npy", long_names_at_each_level(size // 4)) for number in range(4)])


def bad_members(size):
    return packed([(f"{number}.npy", SMALLEST) for number in range(size // 250)]).replace(SMALLEST, SMALLEST[:-1] + b"!")


def refused_members(size):
    return packed([(f"{number}.npy", SMALLEST[:-1]) for number in range(size // 250)])


ARCHIVES = [many_members, no_arrays, long_member_names, escaped_member_names, deep_members, nested_members, bad_members,
            refused_members]

LONG = ["--max-header", "1000000"]
OF_ARRAYS = [["check"], ["check", "--json"], ["check", "--compat", "all"], ["check", "--profile", "canonical"],
             ["check", "--npz"], ["info"], ["info", "--json"], ["info", "--json", "--compat", "all"], ["cat"],
             ["cat", "--output", "csv"], ["cat", "--output", "json"], ["cat", "--output", "raw"],
             ["cat", "--slice", "[0]['no such name']"], ["diff", "other.npy"], ["diff", "--json", "other.npy"],
             ["diff", "--values", "other.npy"], ["diff", "less.npy"], ["diff", "--json", "less.npy"]]
INTO_FILES = [["convert", "in", "out"], ["convert", "--canonical", "--compat", "all", "in", "out"],
              ["convert", "--order", "F", "--byteorder", "big", "in", "out"], ["unwrap", "in", "out"],
              ["pack", "out", "a=in"], ["pack", "--json", "--deflate", "out", "a=in", "b=in"], ["pack", "--as-is", "out", "a=in"],
              ["append", "in", "more.npy"]]
OF_ARCHIVES = [["check", "in"], ["check", "--json", "in"], ["check", "--strict", "in"], ["check", "--npy", "in"], ["info", "in"],
               ["info", "--json", "in"], ["cat", "in"], ["diff", "in", "in"], ["unpack", "in"], ["unpack", "--map-names", "in"],
               ["convert", "in", "out"], ["convert", "--deflate", "in", "out"], ["convert", "--canonical", "in", "out.npy"],
               ["check", "--member", "no such key", "in"], ["cat", "--output", "json", "in:0"]]


def written(folder, names):
    """The bytes of the files that were not there."""
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, files in os.walk(folder) for name in files
               if name not in names)


def measure(safenpy, folder, words, files):
    """How many bytes a call puts out, and into files."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with subprocess.Popen([safenpy, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        length = 0
        while length < CAP and (piece := process.stdout.read(1 << 16)):
            length += len(piece)
        if length >= CAP:
            process.kill()
        process.stdout.close()
        code = process.wait()
    assert length >= CAP or code in (0, 1, 2), (words, code)
    return length + written(folder, [name for name in files if name != "in"] + ["in"] * (words[0] != "append"))


def hold(safenpy, tmp_path, calls, files_of):
    """Compares the outputs of both sizes for each call."""
    sizes, wrong = [], []
    for size in (SMALL, LARGE):
        files = files_of(size)
        found = []
        for number, words in enumerate(calls):
            folder = tmp_path / f"{size}-{number}"
            folder.mkdir()
            found.append(measure(safenpy, folder, words, files))
        sizes.append((sum(map(len, files.values())), found))
    (few, outputs), (many, larger) = sizes
    for words, small, large in zip(calls, outputs, larger):
        if large > CONSTANT + MORE * max(small, few) * many / few:
            wrong.append(f"{' '.join(words)}: {small} bytes of {few}, {large} of {many}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("make", ARRAYS)
def test_output_about_an_array(safenpy, tmp_path, make):
    def files_of(size):
        array = make(size)
        return {"in": array, "other.npy": array[:-1] + b"\1", "less.npy": make(size // 2), "more.npy": array}

    calls = [[words[0], *LONG, *words[1:], "in"] for words in OF_ARRAYS]
    hold(safenpy, tmp_path, calls + [[words[0], *LONG, *words[1:]] for words in INTO_FILES], files_of)


@pytest.mark.parametrize("make", ARCHIVES)
def test_output_about_an_archive(safenpy, tmp_path, make):
    hold(safenpy, tmp_path, OF_ARCHIVES, lambda size: {"in": make(size)})


def test_output_about_arguments(safenpy, tmp_path):
    """What is said of long words of the command line."""
    calls = [lambda word: ["explain", word], lambda word: ["check", "--compat", word, "in"],
             lambda word: ["cat", "--slice", f"['{word}']", "in"], lambda word: ["cat", f"in{'[0]' * (len(word) // 3)}"],
             lambda word: ["check", word], lambda word: [word], lambda word: ["check", "--max-header", word, "in"],
             lambda word: ["wrap", "--dtype", f"[('{word}', '|u1')]", "--shape", "4", "in", "out"],
             lambda word: ["wrap", "--dtype", nested(60, word[:len(word) // 60]), "--shape", "x" + word, "in", "out"],
             lambda word: ["pack", "out", f"{word}=in"], lambda word: ["unpack", "in", word]]
    for call in calls:
        outputs = []
        for size in (SMALL, LARGE):
            folder = tmp_path / f"{calls.index(call)}-{size}"
            folder.mkdir()
            outputs.append(measure(safenpy, folder, call("\x1b" * (size // 2) + "n" * (size // 2)), {"in": SMALLEST}))
        assert outputs[1] <= CONSTANT + MORE * max(outputs[0], SMALL) * LARGE / SMALL, (call("word"), outputs)
