"""The programs of examples/ compile, run, and stand in the README word for word."""

import re
import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
README = (ROOT / "README.md").read_text(encoding="utf-8")
DIALECTS = (["gcc", "-std=c99", "-Wstrict-prototypes"], ["clang", "-std=c99"], ["g++", "-std=c++11", "-x", "c++"],
            ["clang", "-std=c++20", "-x", "c++"])
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def run(*call, **more):
    return subprocess.run(list(map(str, call)), capture_output=True, text=True, check=False, **more)


def array(tmp_path, name="a.npy", descr="'>i2'", shape="(3,)", data=struct.pack(">3h", 1, -2, 40)):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (117 - len(text)) + "\n"
    path = tmp_path / name
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + data)
    return path


@pytest.fixture(scope="session")
def program(tmp_path_factory, safenpy):
    """Compiles an example with the static library of the command under test."""
    place = tmp_path_factory.mktemp("examples")

    def build(name):
        path = place / name
        sanitize = ["-fsanitize=address,undefined"] if safenpy.parent.name == "sanitized" else []
        made = run("gcc", "-std=c99", *sanitize, "-I", ROOT / "include", EXAMPLES / f"{name}.c", safenpy.parent / "libsafenpy.a",
                   "-ldeflate", "-lz", "-pthread", "-o", path)
        assert made.returncode == 0, made.stderr
        return path
    return build


@pytest.mark.parametrize("dialect", DIALECTS, ids=" ".join)
@pytest.mark.parametrize("source", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.name)
def test_example_compiles_without_a_warning(source, dialect):
    made = run(*dialect, *WARNINGS, "-I", ROOT / "include", "-fsyntax-only", source)
    assert made.returncode == 0, made.stderr


def test_load_array_adds_up_numbers_of_either_byte_order(program, tmp_path):
    assert run(program("load_array"), array(tmp_path)).stdout == "39\n"


def test_load_array_stops_at_a_truncated_file(program, tmp_path):
    ended = run(program("load_array"), array(tmp_path, data=b"\0\1"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "a.npy" in ended.stderr


def test_find_key_finds_values_in_a_dictionary(program, tmp_path):
    find = program("find_key")
    path = ROOT / "corpus/objects/accept/written/dict-numpy-2.npy"
    text = b"{'descr': '|O', 'fortran_order': False, 'shape': (), }\n"
    state = b"(K\1)cnumpy\ndtype\nX\2\0\0\0O8K\0K\1\x87R(K\3X\1\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftb\x89]"
    pickle = (b"\x80\3cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\1b\x87R" + state +
              b"}(X\1\0\0\0nK\7X\1\0\0\0lNuatb.")
    found = tmp_path / "d.npy"
    found.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + pickle)
    assert run(find, found, "n").stdout == "7\n"
    assert run(find, found, "l").stdout == "another value\n"
    assert (run(find, found, "m").returncode, run(find, found, "m").stdout) == (1, "")
    assert run(find, path, "a").returncode == 1  # its element is a list
    found.write_bytes(found.read_bytes()[:-1])
    ended = run(find, found, "n")
    assert (ended.returncode, ended.stdout) == (1, "") and "d.npy" in ended.stderr and "cut off" in ended.stderr
    assert "a.npy" in run(find, array(tmp_path), "n").stderr


def test_copy_archive_copies_every_array_and_keeps_the_old_file_after_a_failure(program, tmp_path, safenpy):
    copy = program("copy_archive")
    array(tmp_path)
    array(tmp_path, "b.npy", "'<f8'", "()", struct.pack("<d", 1.5))
    assert run(safenpy, "pack", "--deflate", "old.npz", "a.npy", "b.npy", cwd=tmp_path).returncode == 0
    assert run(copy, "old.npz", "new.npz", cwd=tmp_path).returncode == 0
    assert run(safenpy, "cat", "new.npz:a", "new.npz:b", cwd=tmp_path).stdout == "1 -2 40\n1.5\n"
    whole = (tmp_path / "new.npz").read_bytes()
    bad = bytearray((tmp_path / "old.npz").read_bytes())
    bad[bad.index(b"PK\1\2") - 8] ^= 1
    (tmp_path / "bad.npz").write_bytes(bad)
    ended = run(copy, "bad.npz", "new.npz", cwd=tmp_path)
    assert (ended.returncode, (tmp_path / "new.npz").read_bytes()) == (1, whole)
    assert "bad.npz" in ended.stderr


def test_embed_finds_floats_in_memory(tmp_path, program, safenpy):
    main = tmp_path / "main.c"
    main.write_text('#include "%s"\n' % (EXAMPLES / "embed.c") + """#include <stdio.h>
int main(int argc, char **argv) {
    static uint8_t bytes[4096]; uint64_t start = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return 2;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (!find_floats(bytes, length, 2, &start)) return 1;
    return start == 128 ? 0 : 3;
}""", encoding="ascii")
    sanitize = ["-fsanitize=address,undefined"] if safenpy.parent.name == "sanitized" else []
    made = run("gcc", *sanitize, "-I", ROOT / "include", main, safenpy.parent / "libsafenpy.a", "-o", tmp_path / "main")
    assert made.returncode == 0, made.stderr
    good = array(tmp_path, "f.npy", "'<f4'", "(2,)", bytes(8))
    assert run(tmp_path / "main", good).returncode == 0
    for other in (array(tmp_path), array(tmp_path, "g.npy", "'<f4'", "(2,)", bytes(7)),
                  array(tmp_path, "h.npy", "'<f4'", "(3,)", bytes(12)), array(tmp_path, "i.npy", "'>f4'", "(2,)", bytes(8))):
        assert run(tmp_path / "main", other).returncode == 1, other


def test_gate_lets_through_what_is_accepted_only(tmp_path, safenpy):
    good, bad = array(tmp_path), array(tmp_path, "bad.npy", shape="(-3,)")
    environment = {"PATH": f"{safenpy.parent}:/usr/bin:/bin"}
    ended = run(sys.executable, EXAMPLES / "gate.py", good, bad, env=environment)
    assert (ended.returncode, ended.stdout) == (1, f"{good}\n")
    assert "NPY-LIT-018" in ended.stderr
    pickled = array(tmp_path, "o.npy", "'|O'", "(1,)", b"\x80\x04N.")
    (tmp_path / "note.txt").write_text("no array")
    assert run(safenpy, "pack", "--as-is", "mixed.npz", "a.npy", "note.txt", cwd=tmp_path).returncode == 0
    (tmp_path / "empty.npz").write_bytes(b"PK\5\6" + bytes(18))
    for other, why in ((pickled, "pickle"), (tmp_path / "mixed.npz", "not an NPY file"), (tmp_path / "empty.npz", "no arrays"),
                       (tmp_path / "missing.npy", "No such file")):
        ended = run(sys.executable, EXAMPLES / "gate.py", good, other, env=environment)
        assert (ended.returncode, ended.stdout) == (1, f"{good}\n") and why in ended.stderr, (other, ended.stderr)


def test_read_header_prints_fields(program, tmp_path):
    path = array(tmp_path, "r.npy", "[('x', '<f8'), ('y', '|u1', (2,))]", "(1,)", bytes(10))
    ended = run(program("read_header"), path)
    assert ended.returncode == 0 and "'y'" in ended.stdout, ended.stdout


def blocks(language, page=README):
    """The code blocks of the README: what the comment above each says, and its text."""
    return re.findall(r"(?:<!-- ([^\n]*) -->\n)?```%s\n(.*?)```" % language, page, re.DOTALL)


def test_readme_shows_programs_word_for_word():
    shown = [(path, text) for language in ("c", "python") for path, text in blocks(language)]
    assert len(shown) >= 3
    for path, text in shown:
        assert text in (ROOT / path).read_text(encoding="utf-8"), f"not in {path}:\n{text}"


def test_readme_commands_print_what_it_says(safenpy):
    consoles = [text for mark, text in blocks("console") if mark == "run"]
    assert consoles
    for text in consoles:
        call, _, wanted = text.partition("\n")
        assert call.startswith("$ safenpy ")
        assert run(safenpy, *shlex.split(call)[2:], cwd=ROOT).stdout == wanted


def test_readme_runs_the_suite(safenpy):
    calls = [text for mark, text in blocks("sh") if mark == "run"]
    assert calls
    for call in calls:
        ended = run("sh", "-c", call, cwd=ROOT)
        assert ended.returncode == 0 and re.search(r"python3 +34 +34\n", ended.stdout), ended.stdout + ended.stderr


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="no compiler for Cortex-M4")
def test_commands_of_the_guide_for_small_targets_compile_the_core(tmp_path):
    commands = [text for comment, text in blocks("sh", (ROOT / "docs/guides/embedded.md").read_text(encoding="utf-8")) if comment == "run"]
    for name in ("src", "include", "spec", "fuzz", "tools", "Makefile", "LICENSE"):
        (tmp_path / name).symlink_to(ROOT / name)
    for command, objects in zip(commands, (len(list((ROOT / "src/core").rglob("*.c"))), 1), strict=True):
        made = run("sh", "-ec", command, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        made_objects = list(tmp_path.glob("*.o"))
        assert len(made_objects) == objects
        for path in made_objects:
            path.unlink()


def test_commands_of_the_page_on_scale_run(safenpy):
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    calls = [call for mark, text in blocks("sh", page) if mark == "run" for call in text.splitlines()]
    assert len(calls) >= 3
    for call in calls:
        ended = run("sh", "-ec", call, cwd=ROOT, env={"PATH": f"{safenpy.parent}:/usr/bin:/bin"})
        assert ended.returncode == 0 and ended.stdout and not ended.stderr, (call, ended.stdout, ended.stderr)


def test_readme_is_short():
    assert len(README.split()) <= 1500
