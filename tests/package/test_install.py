"""Installs into an empty place, and uses from there what a user would."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """\
#include <safenpy/safenpy.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    unsigned char bytes[128];
    const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {0};
    snpy_header header;
    snpy_error error;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\\x93NUMPY\\1\\0\\x76\\0", 10);
    memcpy(bytes + 10, text, sizeof text - 1);
    bytes[127] = '\\n';
    if (snpy_parse_header(bytes, sizeof bytes, &options, &table, &header, &error) != SNPY_OK) return 1;
    if (strcmp(snpy_version(), SNPY_VERSION_STRING) != 0) return 2;
    if (header.count != 12 || header.data_size != 96 || header.ndim != 2) return 3;
    printf("%s %s\\n", snpy_version(), snpy_status_name(error.status));
    return 0;
}
"""


def run(*call, cwd=ROOT, **more):
    """Runs a command, which must succeed; returns what it printed."""
    done = subprocess.run([str(word) for word in call], cwd=cwd, env=os.environ | more, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


class Place:
    """A root with what `make install` puts there."""

    def __init__(self, root):
        self.root, self.prefix = root, root / "opt" / "safe"
        self.words = ("make", "--no-print-directory", "BUILD=build/gcc", "CC=gcc", "WERROR=1", "PREFIX=/opt/safe",
                      f"DESTDIR={root}")

    def package(self, *options):
        """What pkg-config says of it."""
        return run("pkg-config", *options, "safenpy", PKG_CONFIG_PATH=str(self.prefix / "lib" / "pkgconfig"),
                   PKG_CONFIG_SYSROOT_DIR=str(self.root)).split()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("root"))
    run(*made.words, "install")
    return made


@pytest.mark.parametrize("name", ["bin/safenpy", "lib/libsafenpy.a", "lib/libsafenpy.so", "lib/pkgconfig/safenpy.pc",
                                  "include/safenpy/safenpy.h", "share/man/man1/safenpy.1",
                                  "share/man/man3/safenpy_array.3", "share/man/man3/snpy_load.3",
                                  "share/bash-completion/completions/safenpy", "share/zsh/site-functions/_safenpy",
                                  "share/fish/vendor_completions.d/safenpy.fish"])
def test_is_installed(place, name):
    assert (place.prefix / name).exists()


def test_installed_command_runs(place):
    run(place.prefix / "bin" / "safenpy", "--version")


def test_soname(place):
    assert "soname: [libsafenpy.so.0]" in run("readelf", "-d", place.prefix / "lib" / "libsafenpy.so")
    assert (place.prefix / "lib" / "libsafenpy.so.0").is_symlink()


def test_pkg_config_knows_the_library(place):
    assert "-lsafenpy" in place.package("--cflags", "--libs")
    assert {"-ldeflate", "-lz"} <= set(place.package("--static", "--cflags", "--libs"))
    assert re.fullmatch(r"\d+\.\d+\.\d+", place.package("--modversion")[0])


@pytest.mark.parametrize("kind", ["shared", "static"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_program_with_the_library(place, tmp_path, compiler, kind):
    static = ["-static"] if kind == "static" else []
    flags = place.package(*("--" + word.strip("-") for word in static), "--cflags", "--libs")
    (tmp_path / "use.c").write_text(PROGRAM, encoding="ascii")
    run(compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "use.c", *static, *flags, "-o", "use", cwd=tmp_path)
    run("./use", cwd=tmp_path, LD_LIBRARY_PATH=str(place.prefix / "lib"))


def test_uninstall_leaves_nothing(tmp_path):
    other = Place(tmp_path)
    run(*other.words, "install")
    run(*other.words, "uninstall")
    assert not [path for path in tmp_path.rglob("*") if not path.is_dir()]
