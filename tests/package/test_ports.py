"""The command elsewhere: without archives with musl instead of glibc and on a big-endian machine; with archives on Windows, by
two compilers. The same verdicts on all files, the same values and the same bytes written. Part of the long run."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The compiler, flags of the linker, and what runs the program.
PORTS = {"musl": ("musl-gcc", "", None), "s390x": ("s390x-linux-gnu-gcc", "-static", "qemu-s390x"),
         "windows": ("x86_64-w64-mingw32-gcc-posix", "", "wine"), "windows-zig": ("zig cc -target x86_64-windows-gnu", "", "wine")}
WINE = {"WINEPREFIX": "", "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8"}  # build_anew sets the prefix
READ, WRITE, DELETE = 1, 2, 4  # what Windows lets others do with a file that is open
pytestmark = pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only")


BUILT = {}


def build(name, tmp_path_factory):
    """The words that call the command; it is built once."""
    if name not in BUILT:
        BUILT[name] = build_anew(name, tmp_path_factory)
    return BUILT[name]


def run(*call, **more):
    done = subprocess.run(list(map(str, call)), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **more)
    assert done.returncode == 0, done.stdout


def python(place):
    """The Python of a new environment."""
    venv.create(place, with_pip=True)
    return place / "bin/python"


def libraries_for_windows(place):
    """What the Makefile needs to know of zlib, which is Debian's, and libdeflate, whose sources a package for Python brings."""
    place.mkdir()
    run(python(place / "venv"), "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "deflate", "-d", place, "deflate==0.9.0")
    with tarfile.open(next(place.glob("*.tar.gz"))) as archive:
        archive.extractall(place)
    (sources,) = place.glob("deflate-*/libdeflate")
    gcc, debian = PORTS["windows"][0], Path("/usr/x86_64-w64-mingw32")
    run(gcc, "-O2", "-c", f"-I{sources}", *sources.glob("lib/*.c"), *sources.glob("lib/x86/*.c"), cwd=place)
    run("ar", "rcs", place / "libdeflate.a", *place.glob("*.o"))
    for path in (sources / "libdeflate.h", debian / "include/zlib.h", debian / "include/zconf.h", debian / "lib/libz.a"):
        shutil.copy(path, place)
    return [f"CPPFLAGS=-I{place}", f"LDFLAGS=-L{place}", "ARCHIVES=yes"]


def install_zig(place):
    installed = python(place)
    run(installed, "-m", "pip", "install", "-q", "ziglang")
    return f"{installed} -m ziglang"


def build_anew(name, tmp_path_factory):
    compiler, linked, emulator = PORTS[name]
    for program in filter(None, (PORTS["windows"][0] if emulator == "wine" else compiler, emulator)):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    place = tmp_path_factory.mktemp(name)
    more = libraries_for_windows(place / "libraries") if emulator == "wine" else [f"LDFLAGS={linked}", "ARCHIVES=no"]
    if compiler.startswith("zig "):
        zig = install_zig(place / "zig")
        compiler, more = compiler.replace("zig", zig, 1), [*more, f"AR={zig} ar"]
    program = place / ("safenpy.exe" if emulator == "wine" else "safenpy")
    run("make", "--no-print-directory", "-j2", f"BUILD={place}", f"CC={compiler}", "WERROR=1", *more, program, cwd=ROOT)
    if name == "windows":
        run(compiler, "-municode", HERE / "hold.c", "-o", place / "hold.exe")
        WINE["WINEPREFIX"] = str(place / "wine")
        says(["wine", program], "--version")  # makes the prefix, with messages of its own
    return [*filter(None, [emulator]), program]


@contextlib.contextmanager
def held(windows, file, sharing):
    """While another program has a file open. As long as one runs, wine starts others ten times as fast."""
    with subprocess.Popen(["wine", windows[-1].with_name("hold.exe"), file, str(sharing)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env=os.environ | WINE) as program:
        assert program.stdout.readline().rstrip() == b"open"
        yield
        program.stdin.close()


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    command = build("windows", tmp_path_factory)
    with held(command, command[-1], READ | WRITE | DELETE):
        yield command


@pytest.fixture(scope="module", params=PORTS)
def port(request, tmp_path_factory):
    if PORTS[request.param][2] == "wine":
        request.getfixturevalue("windows")  # it makes the prefix, and keeps wine running
    return build(request.param, tmp_path_factory)


@pytest.fixture(scope="module")
def files():
    cases = json.loads((ROOT / "corpus" / "manifest.json").read_text(encoding="utf-8"))["cases"]
    return ["corpus/" + case["file"] for case in cases
            if (ROOT / "corpus" / case["file"]).read_bytes()[:2] != b"PK"]  # an archive, whatever its name


@pytest.fixture(scope="module")
def archives():
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "corpus").rglob("*.npz"))


def says(command, *words, cwd=ROOT, given=b""):
    done = subprocess.run([*command, *words], cwd=cwd, input=given, capture_output=True, env=os.environ | WINE, check=False)
    return done.returncode, done.stdout, done.stderr


def verdicts(command, files):
    """Of files that a list names; the time in the summary is left out."""
    status, output, messages = says(command, "check", "--json", "--files-from", "-", given="\n".join(files).encode())
    return status, re.sub(rb'"seconds": [0-9.]+', b"", output), messages


def test_the_same_verdicts(port, safenpy, files):
    assert len(files) > 3000
    assert verdicts(port, files) == verdicts([safenpy], files)


def test_the_same_values_and_the_same_bytes(port, safenpy, files, tmp_path):
    """Of every twentieth file, of which some are refused: as text, and converted to another order of elements and bytes. A long double
    is text on x86 only. Wine starts slowly: it has every hundredth."""
    converted, step = 0, 100 if port[0] == "wine" else 20
    for file in files[::step]:
        if not re.search(r"'[<>]?(f16|c32)'|longdouble", (ROOT / file).read_bytes()[:4096].decode("latin-1")):
            assert says(port, "cat", "--", file) == says([safenpy], "cat", "--", file), file
        for more in (["--order", "F"], ["--byteorder", "big"]):
            ours, theirs = tmp_path / "ours.npy", tmp_path / "theirs.npy"
            status = says([safenpy], "convert", *more, file, ours)[0]
            assert says(port, "convert", *more, file, theirs)[0] == status, file
            if status == 0:
                assert theirs.read_bytes() == ours.read_bytes(), file
                converted += 1
    assert converted > 1400 // step


# --- Windows -----------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path):
    """A directory with an array in it and in one inside."""
    (tmp_path / "inside").mkdir()
    text = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }".ljust(117) + "\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\1\0\x76\0" + text.encode() + bytes(range(24)))
    shutil.copy(tmp_path / "a.npy", tmp_path / "inside" / "ü€𝄞.npy")
    return tmp_path


def names(place):
    return sorted(path.name for path in place.rglob("*"))


def test_windows_has_the_same_verdicts_on_archives(windows, safenpy, archives):
    assert len(archives) > 500
    assert verdicts(windows, archives) == verdicts([safenpy], archives)


def test_windows_packs_and_unpacks(windows, safenpy, place):
    """The same archive as elsewhere; a file that is there is replaced only if asked for."""
    for command, name in ((windows, "ours.npz"), ([safenpy], "theirs.npz")):
        assert says(command, "pack", name, "a.npy", "ü=inside/ü€𝄞.npy", cwd=place) == (0, b"", b"")
    assert (place / "ours.npz").read_bytes() == (place / "theirs.npz").read_bytes()
    assert says(windows, "unpack", "-d", "new\\", "ours.npz", cwd=place) == (0, b"", b"")
    assert sorted(path.name for path in (place / "new").iterdir()) == ["a.npy", "ü.npy"]
    assert (place / "new" / "ü.npy").read_bytes() == (place / "a.npy").read_bytes()
    assert b"--force replaces it" in says(windows, "unpack", "-d", "new", "ours.npz", cwd=place)[2]
    assert says(windows, "unpack", "--force", "-d", "new", "ours.npz", cwd=place) == (0, b"", b"")
    assert sorted(path.name for path in (place / "new").iterdir()) == ["a.npy", "ü.npy"]


@pytest.mark.parametrize("name", ["con.npy", "b\\c.npy", "c:d.npy", "../e.npy", "COM1.x.npy", "f.npy. "])
def test_windows_unpacks_no_reserved_name(windows, place, name):
    with zipfile.ZipFile(place / "x.npz", "w") as archive:
        archive.writestr(name, (place / "a.npy").read_bytes())
    assert says(windows, "unpack", "-d", "new", "x.npz", cwd=place)[0] == 1
    assert not (place / "new").exists() or not list((place / "new").iterdir())
    assert sorted(path.name for path in place.iterdir() if path.name != "new") == ["a.npy", "inside", "x.npz"]


RESERVED = ["CON", "con.npy", "com1.npy", "NUL.npy", "nul.tar.gz", "nul ", "inside\\lpt9", "inside/Aux.npy", "CONOUT$"]


@pytest.mark.parametrize("name", RESERVED)
def test_windows_takes_no_device_for_a_file(windows, place, name):
    """Else what is written to nul.npy would be gone, without a word, and who reads com1.npy would wait for a modem."""
    for words in (["check", name], ["cat", name], ["convert", "a.npy", name], ["append", name, "a.npy"], ["pack", name, "a.npy"]):
        status, output, messages = says(windows, *words, cwd=place)
        assert (status, output) == (2, b"") and messages.endswith(b": No such device\n"), words
    assert names(place) == ["a.npy", "inside", "ü€𝄞.npy"]


def test_windows_unpacks_into_no_device(windows, place):
    assert says(windows, "pack", "x.npz", "a.npy", cwd=place) == (0, b"", b"")
    assert says(windows, "unpack", "-d", "con", "x.npz", cwd=place) == (2, b"", b"safenpy: con: No such device\n")


@pytest.mark.parametrize("name", ["NUL", "nul", "\\\\.\\NUL", "/dev/null"])
def test_windows_has_a_device_that_is_always_empty(windows, place, name):
    assert says(windows, "convert", "a.npy", name, cwd=place) == (0, b"", b"")
    status, output, _ = says(windows, "check", name, cwd=place)
    assert status == 1 and b"the file ends before" in output
    assert names(place) == ["a.npy", "inside", "ü€𝄞.npy"]


@pytest.mark.parametrize("name", ["b.npy.", "b.npy ", "b.npy. ."])
def test_windows_leaves_out_dots_and_blanks_at_the_end(windows, place, name):
    """As other programs there do: what is written is what is read, and what is replaced."""
    for order in ("big", "little"):
        assert says(windows, "convert", "--byteorder", order, "a.npy", name, cwd=place) == (0, b"", b"")
        assert says(windows, "check", name, cwd=place)[0] == 0
    assert (place / "b.npy").read_bytes() == (place / "a.npy").read_bytes()
    assert names(place) == ["a.npy", "b.npy", "inside", "ü€𝄞.npy"]


@pytest.mark.parametrize("name", ["b.npy", "con.npy", "ü.npy."])
def test_windows_takes_names_as_they_are_after_a_prefix(windows, place, name):
    path = f"\\\\?\\Z:{place}\\{name}".replace("/", "\\")
    assert says(windows, "convert", "a.npy", path, cwd=place) == (0, b"", b"")
    assert says(windows, "convert", "--byteorder", "big", path, path, cwd=place) == (0, b"", b"")
    assert says(windows, "check", path, cwd=place)[0] == 0
    assert names(place) == sorted(["a.npy", name, "inside", "ü€𝄞.npy"])


IN_USE = b"Another program has the file open\n"


@pytest.mark.parametrize("sharing", [0, READ, READ | WRITE, READ | WRITE | DELETE])
def test_windows_leaves_a_file_that_another_program_has_open(windows, place, sharing):
    """What that program does not allow is an error, and changes nothing."""
    shutil.copy(place / "a.npy", place / "b.npy")
    assert says(windows, "pack", "x.npz", "b=inside/ü€𝄞.npy", cwd=place) == (0, b"", b"")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    jobs = [(READ, ["check", "b.npy"]), (READ, ["convert", "b.npy", "c.npy"]), (READ, ["pack", "c.npz", "b.npy"]),
            (READ | WRITE | DELETE, ["convert", "a.npy", "b.npy"]), (READ | WRITE | DELETE, ["unpack", "--force", "-d", ".", "x.npz"]),
            (READ | WRITE, ["append", "b.npy", "a.npy"])]
    with held(windows, place / "b.npy", sharing):
        for needed, words in jobs:
            status, _, messages = says(windows, *words, cwd=place)
            if needed & ~sharing:
                assert status == 2 and messages.endswith(IN_USE), words
                assert {path: path.read_bytes() for path in before} == before, words
            else:
                assert (status, messages) == (0, b""), words
    assert not [path for path in place.rglob(".safenpy-*")]
    assert (place / "c.npy").exists() == (place / "c.npz").exists() == bool(sharing & READ)


def test_windows_takes_either_separator(windows, place):
    assert says(windows, "convert", "--byteorder", "big", "inside\\ü€𝄞.npy", "inside\\b.npy", cwd=place) == (0, b"", b"")
    assert says(windows, "check", "inside/b.npy", f"Z:{place}\\inside\\b.npy".replace("/", "\\"), cwd=place)[0] == 0
    assert says(windows, "pack", "inside\\x.npz", "ü=inside\\ü€𝄞.npy", cwd=place) == (0, b"", b"")
    assert says(windows, "unpack", "-d", "ö\\new/", "inside/x.npz", cwd=place)[0] == 2  # it makes one directory, as elsewhere
    assert says(windows, "unpack", "-d", "ö\\", "inside/x.npz", cwd=place) == (0, b"", b"")
    assert names(place) == sorted(["a.npy", "b.npy", "inside", "x.npz", "ö", "ü.npy", "ü€𝄞.npy"])


def test_windows_names_are_utf8(windows, place):
    assert says(windows, "check", "inside/ü€𝄞.npy", cwd=place)[1].decode() == "inside/ü€𝄞.npy: accept, npy 1.0\n"
    assert says(windows, "check", "--recursive", ".", cwd=place)[1].decode().count("ü€𝄞.npy: accept") == 1


def test_windows_replaces_a_file_as_a_whole(windows, place):
    """Also one that it holds open for its lock; nothing else is left beside it."""
    before = (place / "a.npy").read_bytes()
    assert says(windows, "convert", "--byteorder", "big", "a.npy", "a.npy", cwd=place) == (0, b"", b"")
    assert (place / "a.npy").read_bytes() != before
    assert says(windows, "convert", "--byteorder", "little", "a.npy", "a.npy", cwd=place) == (0, b"", b"")
    assert (place / "a.npy").read_bytes() == before
    assert sorted(path.name for path in place.iterdir()) == ["a.npy", "inside"]


def test_windows_appends(windows, safenpy, place):
    shutil.copy(place / "a.npy", place / "b.npy")
    assert says(windows, "append", "a.npy", "inside/ü€𝄞.npy", cwd=place)[0] == 0
    assert says([safenpy], "append", "b.npy", "inside/ü€𝄞.npy", cwd=place)[0] == 0
    assert (place / "a.npy").read_bytes() == (place / "b.npy").read_bytes()


def test_windows_pipes_are_binary(windows, place):
    array = (place / "a.npy").read_bytes() + b"\r\n\x1a\n"
    status, output, _ = says(windows, "convert", "-", "-", cwd=place, given=array)
    assert status == 0 and output == array[:-4]
